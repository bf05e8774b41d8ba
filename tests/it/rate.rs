//! Tests `batchdoku rate` as a user sees it, against ratings from a reference.

use std::collections::BTreeSet;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use predicates::str::contains;

use super::output_formats::batches;
use crate::place::{Place, columns};
use crate::puzzles::{ANSWER, UNIQUE, case, double, of_every_status};

/// Returns puzzles with their reference ratings.
fn rated() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../../src/analysis/rating/rated.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(|line| line.split_once(' ').unwrap())
}

#[test]
fn ratings_are_those_of_the_reference_on_any_threads() {
    let place = Place::new();
    let table: String = rated().map(|(puzzle, rating)| format!("{rating},{puzzle}\n")).collect();
    place.write("a.csv", format!("rating,puzzle\n{table}"));
    let (code, printed) = place.quiet("rate a.csv --keep -j 1");
    assert_eq!(code, 0);
    let header = "id,source,line,kind,status,clues,guesses,se,grade,class,depth,backdoor,puzzle,error,rating";
    assert_eq!(printed.lines().next(), Some(header));
    let rows = columns(&printed, &["se", "rating", "puzzle", "status"]);
    assert_eq!(rows.len(), rated().count());
    for row in &rows {
        let [se, rating, puzzle, status] = row;
        let is_above = rating.parse::<f64>().unwrap() > 9.4;
        assert_eq!((&**se, &**status), (if is_above { ">9.4" } else { rating }, "rated"), "{puzzle}");
    }
    assert_eq!(place.quiet("rate a.csv --keep -j 3 --chunk-size 500"), (0, printed.clone()));
    assert_eq!(place.quiet("rate a.csv --keep --backend portable --recheck"), (0, printed.clone()));

    // These are the ranges used by the Sudoku Explainer generator.
    let grades =
        [("easy", 1.0..1.25), ("medium", 1.25..1.55), ("hard", 1.55..2.55), ("fiendish", 2.55..6.05)];
    for row in columns(&printed, &["rating", "grade"]) {
        let rating: f64 = row[0].parse().unwrap();
        let grade = grades.iter().find(|(_, ratings)| ratings.contains(&rating));
        assert_eq!(row[1], grade.map_or("diabolical", |grade| grade.0), "{rating}");
    }

    // Puzzles that need only singles have depth 0, backdoor 0 and an easy class, and none is rated above a naked
    // single.
    let classes = ["hidden singles in boxes", "hidden singles", "naked singles"];
    for row in columns(&printed, &["class", "depth", "backdoor", "se"]) {
        let are_singles = classes.contains(&&*row[0]);
        assert_eq!([&row[1] == "0", &row[2] == "0"], [are_singles; 2], "{row:?}");
        assert!(!are_singles || row[3].parse::<f64>().unwrap() <= 2.3, "{row:?}");
    }
    let solved = place.quiet("solve a.csv").1;
    let shared = ["id", "line", "clues", "guesses", "puzzle"];
    assert_eq!(columns(&printed, &shared), columns(&solved, &shared));
}

#[test]
fn what_has_no_single_solution_is_not_rated() {
    let place = Place::with("a.csv", of_every_status());
    let (code, printed) = place.quiet("rate a.csv --keep x");
    assert_eq!(code, 1);
    let rows = columns(&printed, &["status", "clues", "se", "class", "depth", "backdoor", "x"]);
    let unrated = |status, clues, x| [status, clues, "", "", "", "", x];
    let expected = [
        ["rated", "32", "1.2", "hidden singles in boxes", "0", "0", "a"],
        unrated("multiple", "77", "b"),
        unrated("unsolvable", "9", "c"),
        unrated("invalid", "2", "d"),
        unrated("invalid", "", "e"),
    ];
    assert_eq!(rows, expected);
    let errors: Vec<_> = columns(&printed, &["error"]).into_iter().map(|row| row[0].is_empty()).collect();
    assert_eq!(errors, [true, true, true, false, false]);
    assert_eq!(place.quiet("rate a.csv --only rated,multiple -O jsonl").1.lines().count(), 2);
    assert_eq!(place.quiet("rate a.csv --lenient").0, 0);

    place.write("cases", case() + "\n");
    let (code, printed) = place.quiet("rate cases --format cases");
    let row = &columns(&printed, &["kind", "status", "guesses", "se", "error"])[0];
    assert_eq!((code, row[..4].join(",")), (1, "sudominoku,invalid,0,".to_owned()));
    assert!(row[4].contains("a sudominoku, for which no rating is defined"), "{row:?}");

    // A puzzle with two solutions cannot be decided without a guess.
    place.file("b.txt", &[&double().0]);
    let (code, printed) = place.quiet("rate b.txt --max-guesses 0");
    assert_eq!((code, &*columns(&printed, &["status"])[0][0]), (1, "unfinished"));
}

/// Reports count what the rows contain.
#[test]
fn reports_count_ratings_grades_and_classes() {
    let place = Place::new();
    let lists: Vec<_> = rated().map(|(puzzle, _)| puzzle).collect();
    place.file("a.txt", &[&lists[..], &[&double().0, "1234"]].concat());
    let (code, printed) = place.quiet("rate a.txt --report r.json --report r.html --report r.md");
    assert_eq!(code, 1);
    let report = place.json("r.json");
    for column in ["se", "grade", "class"] {
        let mut expected = std::collections::BTreeMap::<String, (u64, f64, f64)>::new();
        for row in
            columns(&printed, &[column, "clues", "guesses"]).into_iter().filter(|row| !row[0].is_empty())
        {
            let sums = expected.entry(row[0].clone()).or_default();
            sums.0 += 1;
            sums.1 += row[1].parse::<f64>().unwrap();
            sums.2 += row[2].parse::<f64>().unwrap();
        }
        let found = report["categories"][column].as_array().unwrap();
        assert_eq!(found.len(), expected.len());
        for value in found {
            let (rows, clues, guesses) = expected[value["value"].as_str().unwrap()];
            let count = rows as f64;
            assert_eq!(value["rows"], rows);
            for (key, sum) in [("clues_mean", clues), ("guesses_mean", guesses)] {
                assert!((value[key].as_f64().unwrap() - sum / count).abs() < 1e-9, "{value}");
            }
        }
    }
    // The easiest comes first.
    let grades: Vec<_> =
        report["categories"]["grade"].as_array().unwrap().iter().map(|of| &of["value"]).collect();
    assert_eq!(grades, ["easy", "medium", "hard", "fiendish", "diabolical"]);
    for report in [place.read("r.html"), place.read("r.md")] {
        assert!(report.contains("By difficulty") && report.contains("locked candidates"));
    }
}

/// A harder puzzle is only reported as harder, and the grade stays.
#[test]
fn ratings_can_be_bounded() {
    let place = Place::new();
    let lists: Vec<_> = rated().map(|(puzzle, _)| puzzle).collect();
    place.file("a.txt", &lists);
    let all = columns(&place.quiet("rate a.txt").1, &["se", "grade"]);
    for (most, above) in [("6.0", ">6.0"), ("7.1", ">7.1")] {
        let bounded = columns(&place.quiet(&format!("rate a.txt --max-se {most}")).1, &["se", "grade"]);
        for (all, bounded) in all.iter().zip(bounded) {
            let se = if all[0].starts_with('>') || &*all[0] > most { above } else { &all[0] };
            assert_eq!(bounded, [se, &all[1]]);
        }
    }
    assert_eq!(place.run("rate a.txt --max-se 5.9").output().unwrap().status.code(), Some(2));
}

#[test]
fn columns_can_be_left_out() {
    let place = Place::with_lines("a.txt", &[UNIQUE]);
    let header =
        |flags: &str| place.quiet(&format!("rate a.txt{flags}")).1.lines().next().unwrap().to_owned();
    let of = |measures: &str| format!("id,source,line,kind,status,clues,guesses,{measures},puzzle,error");
    assert_eq!(header(""), of("se,grade,class,depth,backdoor"));
    // The columns are always in this order, regardless of the order in the flag.
    assert_eq!(header(" --columns depth,se"), of("se,depth"));
    assert_eq!(header(" --columns backdoor --columns class"), of("class,backdoor"));
    let row = &columns(&place.quiet("rate a.txt --columns backdoor").1, &["status", "backdoor", "puzzle"])[0];
    assert_eq!(row[..], ["rated", "0", UNIQUE]);
    let (code, _, _) = place.ran("rate a.txt --columns clues");
    assert_eq!(code, 2);
}

#[test]
fn numbers_are_numbers_and_nothing_is_null() {
    let place = Place::with_lines("a.txt", &[UNIQUE, &double().0]);
    let (_, printed) = place.quiet("rate a.txt -O jsonl");
    let rows: Vec<serde_json::Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected =
        serde_json::json!({"se": "1.2", "class": "hidden singles in boxes", "depth": 0, "backdoor": 0});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!((&rows[0][name], rows[1][name].is_null()), (value, true), "{name}");
    }

    place.run("rate a.txt -o a.parquet -q").assert().code(1);
    let batch = &batches(&place.path("a.parquet"))[0];
    let column = |name| batch.column_by_name(name).unwrap();
    assert_eq!(column("se").as_string::<i32>().value(0), "1.2");
    assert_eq!(column("depth").as_primitive::<Int64Type>().value(0), 0);
    assert!(["se", "class", "depth", "backdoor"].iter().all(|name| column(name).is_null(1)));

    // A format that holds only solutions has no place for ratings.
    let (code, _, _) = place.ran("rate a.txt -O lines");
    assert_eq!(code, 2);
}

/// Returns the mean and the standard deviation.
fn spread(values: &[f64]) -> [f64; 2] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    [mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt()]
}

/// The figures for a thousand isomorphs roughly match those for a thousand others made by `permute`.
#[test]
fn guesses_of_isomorphs_have_the_mean_and_deviation_of_others() {
    let place = Place::new();
    let hard: Vec<&str> = include_str!("../../data/hard.txt").lines().take(4).collect();
    place.file("a.txt", &[&hard[..], &[UNIQUE, &double().0]].concat());
    let line = "rate a.txt --columns depth --isomorphs 1000";
    let (code, printed) = place.quiet(&format!("{line} -j 1"));
    assert_eq!(code, 1);
    let header = "id,source,line,kind,status,clues,guesses,guesses_mean,guesses_sd,depth,puzzle,error";
    assert_eq!(printed.lines().next(), Some(header));
    assert_eq!(place.quiet(&format!("{line} -j 2 --chunk-size 200")).1, printed);
    let rows = columns(&printed, &["guesses_mean", "guesses_sd"]);
    assert_eq!(rows[4..], [["0.00", "0.00"], ["", ""]]);
    let other = columns(&place.quiet(&format!("{line} --seed 2")).1, &["guesses_mean", "guesses_sd"]);
    for (at, puzzle) in hard.iter().enumerate() {
        place.file("one.txt", &[puzzle]);
        place.run("permute one.txt -k 1000 --seed 3 -O lines -o isomorphs.txt -q").assert().code(0);
        let guesses = columns(&place.quiet("solve isomorphs.txt").1, &["guesses"]);
        let guesses: Vec<f64> = guesses.iter().map(|row| row[0].parse().unwrap()).collect();
        let expected = spread(&guesses);
        for found in [&rows[at], &other[at]] {
            let found = [0, 1].map(|at: usize| found[at].parse::<f64>().unwrap());
            // For some puzzles, the deviation is 0.
            assert!((found[0] - expected[0]).abs() <= expected[1] / 5.0, "{found:?} {expected:?}");
            assert!((found[1] - expected[1]).abs() <= expected[1] / 4.0, "{found:?} {expected:?}");
        }
    }
    assert_ne!(rows, other);
    // If the unfinished searches were left out, the mean would be too small.
    let most = &columns(&printed, &["guesses"])[0][0];
    let given_up =
        columns(&place.quiet(&format!("{line} --max-guesses {most}")).1, &["status", "guesses_mean"]);
    assert_eq!([&given_up[0][..], &given_up[4]], [["rated", ""], ["rated", "0.00"]]);

    let json = place.quiet("rate a.txt --isomorphs 20 -O jsonl").1;
    let json: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    place.run("rate a.txt --isomorphs 20 -o a.parquet -q").assert().code(1);
    let batch = &batches(&place.path("a.parquet"))[0];
    let means = batch.column_by_name("guesses_mean").unwrap().as_primitive::<Float64Type>();
    for (row, json) in json.iter().enumerate() {
        assert_eq!(means.is_valid(row).then(|| means.value(row)), json["guesses_mean"].as_f64());
    }
}

/// A cell and a digit.
type Candidate = (usize, char);

/// Returns the cell and the digit that a step finds, and the candidates that it removes.
fn meaning(step: &str) -> (Option<Candidate>, BTreeSet<Candidate>) {
    let cell =
        |name: &str| usize::from(name.as_bytes()[0] - b'A') * 9 + usize::from(name.as_bytes()[1] - b'1');
    let (_, what) = step.split_once(": ").unwrap();
    if let Some((name, digit)) = what.split_once(" is ") {
        return (Some((cell(name), digit.parse().unwrap())), BTreeSet::new());
    }
    let removed = what.split(", ").flat_map(|part| {
        let (digit, cells) = part.strip_prefix("not ").unwrap().split_once(" in ").unwrap();
        cells.split(' ').map(move |name| (cell(name), digit.parse().unwrap()))
    });
    (None, removed.collect())
}

#[test]
fn explained_steps_lead_to_the_solution_and_the_hardest_is_the_rating() {
    let place = Place::new();
    let puzzles: Vec<&str> = rated().map(|(puzzle, _)| puzzle).chain([UNIQUE]).collect();
    place.file("a.txt", &puzzles);
    let solutions = place.quiet("solve a.txt -O lines").1;
    let (code, printed) = place.quiet("rate a.txt --explain -j 2 --chunk-size 1000");
    assert_eq!((code, place.quiet("rate a.txt --explain -j 1").1 == printed), (0, true));
    let ratings = columns(&place.quiet("rate a.txt --columns se").1, &["se"]);
    let records: Vec<&str> = printed.split("record ").skip(1).collect();
    assert_eq!(records.len(), puzzles.len());
    for (at, record) in records.iter().enumerate() {
        let (head, steps) = record.split_once('\n').unwrap();
        let rating = &*ratings[at][0];
        assert_eq!(head, format!("{}: {} {rating}", at + 1, puzzles[at]));
        let solution: Vec<char> =
            solutions.lines().nth(at).unwrap().split_once(',').unwrap().1.chars().collect();
        let (mut hardest, mut found) = ("1.0", 0);
        for step in steps.lines() {
            let step = step.strip_prefix("  ").unwrap();
            hardest = hardest.max(&step[..3]);
            let (placed, removed) = meaning(step);
            assert!(placed.is_none_or(|(cell, digit)| solution[cell] == digit), "{step}");
            assert!(removed.iter().all(|&(cell, digit)| solution[cell] != digit), "{step}");
            found += usize::from(placed.is_some());
        }
        if rating == ">9.4" {
            assert!(hardest <= "9.4");
        } else {
            assert_eq!((hardest, found), (rating, puzzles[at].matches('.').count()), "{head}");
        }
    }
    assert_eq!(solutions.lines().last(), Some(&*format!("{UNIQUE},{ANSWER}")));
}

#[test]
fn what_cannot_be_explained_says_why() {
    let place = Place::new();
    let clash = format!("11{}", ".".repeat(79));
    place.write("a.csv", format!("puzzle,x\n{},a\n{clash},b\n", double().0));
    let (code, printed) = place.quiet("rate a.csv --explain");
    let reason = "clue 1 repeats that of line 3, column 1 in the same row";
    assert_eq!(code, 1);
    assert_eq!(printed, format!("record 1: multiple\nrecord 2: invalid: line 3, column 2: {reason}\n"));
    assert_eq!(place.quiet("rate a.csv --explain --only multiple").1, "record 1: multiple\n");
    for flags in ["-O csv", "-o a.parquet", "--keep", "--columns se", "--seed 3"] {
        let (code, _, _) = place.ran(&format!("rate a.csv --explain {flags}"));
        assert_eq!(code, 2, "{flags}");
    }
}

/// The reference ratings determine the number of grades and the hardest puzzle, which has the highest rating, even if
/// steps are explained.
#[test]
fn the_summary_has_grades_and_the_hardest_by_rating() {
    let place = Place::new();
    let puzzles: Vec<_> = rated().step_by(9).collect();
    let lines: String = puzzles.iter().map(|(puzzle, _)| format!("{puzzle}\n")).collect();
    place.write("a.txt", lines);
    let ratings = puzzles.iter().map(|(_, rating)| rating.parse::<f64>().unwrap());
    let hard = ratings.clone().filter(|rating| (1.55..2.55).contains(rating)).count();
    let highest = ratings.fold(0.0, f64::max);
    let highest = if highest > 9.45 { ">9.4".to_owned() } else { format!("{highest:.1}") };
    for line in ["rate a.txt -o r.csv", "rate a.txt --explain"] {
        let (_, _, said) = place.ran(&format!("{line} --summary s.json"));
        assert!(said.contains("  hardest ") && !said.contains("solver time"), "{said}");
        let summary = place.json("s.json");
        assert_eq!(summary["grades"]["hard"], hard, "{line}");
        assert_eq!(summary["hardest"][0]["rating"], highest, "{line}");
    }
    let (code, _) = place.quiet("rate a.txt --max-se 9.5");
    assert_eq!(code, 2);
    place.run("rate a.txt --max-se 9.5").assert().stderr(contains("expected a rating from 6.0 to 9.4"));
}
