//! Tests `batchdoku verify` as a user sees it, against the brute-force oracle and by hand.

use std::fmt::Write as _;
use std::fs;

use batchdoku::solver::Backend;
use batchdoku::sudoku::Grid;

use crate::oracle;
use crate::place::{Place, columns, data, gzip, list};
use crate::puzzles::{ANSWER, UNIQUE, double, grid, unsolvable};

fn with(text: &str, cell: usize, character: &str) -> String {
    format!("{}{character}{}", &text[..cell], &text[cell + 1..])
}

/// Returns the status, `other` and the error in each row that `line` prints.
fn findings(place: &Place, line: &str) -> Vec<[String; 3]> {
    columns(&place.ran(line).1, &["status", "other", "error"])
}

/// Returns the status in each row that `line` prints.
fn statuses(place: &Place, line: &str) -> Vec<String> {
    findings(place, line).into_iter().map(|[status, ..]| status).collect()
}

/// Returns a place with these puzzles and claims in `claims.csv`.
fn claimed<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str)>) -> Place {
    let rows: String = rows.into_iter().map(|(puzzle, claim)| format!("{puzzle},{claim}\n")).collect();
    Place::with("claims.csv", format!("puzzle,solution\n{rows}"))
}

/// Returns a place with the table of all statuses in `claims.csv`.
fn all_statuses() -> Place {
    claimed(table().iter().map(|[_, puzzle, claim, ..]| (&**puzzle, &**claim)))
}

/// Returns records that cover each status: status, puzzle, claim, `other`, error.
fn table() -> Vec<[String; 5]> {
    let (double, smallest) = &double();
    let [letter, blank, not_the_clue, twice] =
        [(9, "q"), (40, "."), (2, "4"), (0, "9")].map(|(cell, sign)| with(ANSWER, cell, sign));
    let clash = format!("55{}", ".".repeat(79));
    let (none, short, cut) = (&unsolvable(), &ANSWER[1..], &UNIQUE[1..]);
    let claimed = |place: &str, what: &str| format!("{place}: claimed solution: {what}");
    let eighty = claimed("line 3, column 163", "80 cells (expected 81)");
    let q = claimed("line 4, column 92", "invalid character 'q' (expected 1-9)");
    let e5 = claimed("line 5, column 123", "blank at E5 (expected 1-9)");
    let a3 = claimed("line 6, column 85", "4 at A3 (expected the clue 3)");
    let row_1 = claimed("line 7, column 86", "9 twice in row 1, at A1 and at A4");
    let repeats = "line 14, column 2: clue 5 repeats that of line 14, column 1 in the same row";
    let rows = [
        ["correct", UNIQUE, ANSWER, "", ""],
        ["wrong", UNIQUE, short, "", &eighty],
        ["wrong", UNIQUE, &letter, "", &q],
        ["wrong", UNIQUE, &blank, "", &e5],
        ["wrong", UNIQUE, &not_the_clue, "", &a3],
        // A1 is not a clue, but its row has a 9 in A4 too.
        ["wrong", UNIQUE, &twice, "", &row_1],
        ["not-unique", double, ANSWER, smallest, ""],
        ["not-unique", double, smallest, ANSWER, ""],
        ["unsolvable", none, ANSWER, "", ""],
        ["unsolvable", none, "", "", ""],
        ["missing", UNIQUE, "", "", ""],
        ["invalid", cut, ANSWER, "", "line 13, column 81: 80 cells (expected 81)"],
        ["invalid", &clash, ANSWER, "", repeats],
    ];
    rows.map(|row| row.map(str::to_owned)).into()
}

#[test]
fn every_status_with_what_is_wrong_first() {
    let (place, table) = (all_statuses(), table());
    for line in
        ["verify claims.csv", "verify claims.csv --backend scalar", "verify claims.csv -j 3 --chunk-size 1"]
    {
        let found = findings(&place, line);
        for (row, ([status, _, _, other, error], found)) in table.iter().zip(&found).enumerate() {
            assert_eq!(found, &[status.clone(), other.clone(), error.clone()], "row {row} of {line}");
        }
        assert_eq!(found.len(), table.len());
    }
}

#[test]
fn other_rows_than_correct_ones_make_exit_code_1() {
    for [status, puzzle, claim, ..] in table() {
        let place = claimed([(&*puzzle, &*claim)]);
        let expected = i32::from(status != "correct");
        place.run("verify claims.csv").assert().code(expected);
        place.run("verify claims.csv --lenient").assert().code(0);
        place.run("verify claims.csv --strict").assert().code(expected);
    }
}

#[test]
fn without_a_proof_only_the_digits_count() {
    let (double, smallest) = double();
    let (wrong, clash) = (with(ANSWER, 0, "9"), format!("55{}", ".".repeat(79)));
    let rows = [(UNIQUE, ANSWER), (&*double, &*smallest), (UNIQUE, &*wrong), (UNIQUE, ""), (&*clash, ANSWER)];
    let place = claimed(rows);
    let (_, rows, _) = place.ran("verify --trust-unique claims.csv --summary s.json");
    let rows = columns(&rows, &["status", "guesses", "time_ns"]);
    let statuses: Vec<_> = rows.iter().map(|[status, ..]| &**status).collect();
    assert_eq!(statuses, ["correct", "correct", "wrong", "missing", "invalid"]);
    assert!(rows.iter().all(|[_, searched @ ..]| *searched == ["", ""]), "no search was made");
    let summary = place.json("s.json");
    assert_eq!(summary["statuses"]["correct"], 2);
    assert_eq!(summary["exit_code"], 1);
    assert_eq!((&summary["hardest"], &summary["solver_seconds"]), (&Vec::<u8>::new().into(), &0.0.into()));
}

/// If a search is given up, that is reported, but anything certain without the search is still reported.
#[test]
fn a_search_that_is_given_up_leaves_right_claims_open() {
    let puzzle = &*list("hard.txt", 1)[0];
    let claim = &Place::with("a.txt", puzzle).printed("solve a.txt -O lines")[82..163];
    let wrong = with(claim, puzzle.find('.').unwrap(), ".");
    let place = claimed([(puzzle, claim), (puzzle, &wrong), (puzzle, "")]);
    let found = statuses(&place, "verify claims.csv --max-guesses 0");
    assert_eq!(found, ["unfinished", "wrong", "missing"]);
}

#[test]
fn only_some_statuses_are_written_and_all_are_counted() {
    let place = all_statuses();
    let line = "verify claims.csv --only wrong,missing --summary s.json -j 2 --chunk-size 300";
    let kept: Vec<_> =
        columns(&place.ran(line).1, &["id", "status"]).iter().map(|row| row.join(" ")).collect();
    assert_eq!(kept, ["2 wrong", "3 wrong", "4 wrong", "5 wrong", "6 wrong", "11 missing"]);
    let summary = place.json("s.json");
    assert_eq!((&summary["records"], &summary["written"]), (&13.into(), &6.into()));
    assert_eq!(summary["statuses"]["not-unique"], 2);
    // The same holds for `solve`.
    let lines = place.run("solve claims.csv --only invalid -O lines").assert().code(1);
    lines.stdout(format!(",\n55{},\n", ".".repeat(79)));
}

#[test]
fn json_lines_have_the_columns_of_the_csv() {
    let (double, smallest) = double();
    let place = claimed([(&*double, ANSWER)]);
    let row: serde_json::Value =
        serde_json::from_str(&place.ran("verify claims.csv -O jsonl --no-time").1).unwrap();
    assert_eq!(row["status"], "not-unique");
    assert_eq!((&row["solution"], &row["other"]), (&ANSWER.into(), &smallest.into()));
    assert_eq!((&row["error"], row.get("time_ns")), (&serde_json::Value::Null, None));
}

/// The formats for answers would have nothing to hold.
#[test]
fn formats_that_do_not_fit_are_refused_by_name() {
    let place = Place::with("claims.csv", format!("puzzle,solution\n{UNIQUE},{ANSWER}\n"));
    for format in ["lines", "text"] {
        let (code, _, message) = place.ran(&format!("verify claims.csv -O {format} -o out"));
        assert_eq!(code, 2);
        let said =
            [&format!("invalid value '{format}' for '--output-format"), "[possible values: csv, jsonl, "];
        assert!(said.iter().all(|said| message.contains(*said)), "{message}");
        assert!(!place.path("out").exists() && !place.path("out.partial").exists());
    }
}

/// The program's own results are correct, with and without the time column; a sudominoku has no claim to check.
#[test]
fn results_of_solve_are_verified() {
    let place = Place::new();
    for list in ["easy.txt", "several.txt", "minimal.txt"] {
        for flags in ["", " --no-time"] {
            let path = data(list).display().to_string();
            place.run(&format!("solve -q {path} -o results.csv{flags}")).assert().success();
            let (code, verified, _) = place.ran("verify results.csv --summary s.json");
            // The search that counts solutions is the same.
            let guesses = |table: &str| columns(table, &["guesses"]);
            assert_eq!(guesses(&verified), guesses(&place.read("results.csv")));
            let summary = place.json("s.json");
            let correct = summary["statuses"]["correct"].as_u64().unwrap();
            let not_unique = summary["statuses"]["not-unique"].as_u64().unwrap();
            assert_eq!(correct + not_unique, summary["records"].as_u64().unwrap(), "{list}");
            assert_eq!(not_unique > 0, list == "several.txt");
            assert_eq!(code, i32::from(not_unique > 0));
        }
    }
}

#[test]
fn a_claim_is_found_in_every_layout_that_has_one() {
    let place = Place::new();
    let zeros = UNIQUE.replace('.', "0");
    let wrong = with(ANSWER, 0, "9");
    for (name, text) in [
        ("kaggle", format!("quizzes,solutions\n{zeros},{ANSWER}\n{zeros},{wrong}\n")),
        ("radcliffe", format!("id,puzzle,solution,clues\n1,{UNIQUE},{ANSWER},32\n2,{UNIQUE},{wrong},32\n")),
        ("extreme", format!("source,question,answer,rating\nx,{UNIQUE},{ANSWER},0\ny,{UNIQUE},{wrong},3\n")),
        ("headerless", format!("{zeros},{ANSWER}\n{zeros},{wrong}\n")),
        ("tabs", format!("puzzle\tsolution\n{zeros}\t{ANSWER}\n{zeros}\t{wrong}\n")),
        ("tdoku", format!("{UNIQUE}:1:{ANSWER}\n{UNIQUE}:1:{wrong}\n")),
        ("spaces", format!("{UNIQUE} {ANSWER}\n{UNIQUE} {wrong}\n")),
    ] {
        place.write(name, text);
        assert_eq!(statuses(&place, &format!("verify {name}")), ["correct", "wrong"], "{name}");
    }
    place.write("named", format!("puzzle,a,b\n{UNIQUE},{wrong},{ANSWER}\n"));
    for column in ["b", "3"] {
        assert_eq!(statuses(&place, &format!("verify named --solution-column {column}")), ["correct"]);
    }
    place.run("verify named --solution-column c").assert().code(2);
    // A number of solutions is not a claim.
    place.write("counts", format!("puzzle,solutions,answer\n{UNIQUE},1,{ANSWER}\n"));
    assert_eq!(statuses(&place, "verify counts"), ["correct"]);
    place.write("counts", format!("puzzle,solutions\n{UNIQUE},1\n"));
    assert_eq!(statuses(&place, "verify counts"), ["missing"]);
    let (_, _, message) = place.ran("verify counts");
    let note =
        "no column of solutions found; name it with --solution-column NAME (columns seen: puzzle, solutions)";
    assert!(message.contains(&format!("warning: counts: {note}\n")), "{message}");
    // There are no claims, and the message says why.
    place.write("list", format!("{UNIQUE} 7.1\n{UNIQUE} 8.3\n"));
    assert_eq!(statuses(&place, "verify list"), ["missing"; 2]);
    let (_, _, message) = place.ran("verify list");
    assert!(message.contains("warning: list: no claimed solutions were found at its start"), "{message}");
    place.write("cases", fs::read(data("judge/boj4574.in")).unwrap());
    let (_, cases, _) = place.ran("verify cases --summary s.json");
    assert_eq!(columns(&cases, &["status", "guesses", "time_ns"]), [["missing", "", ""]; 2]);
    assert!(place.read("s.json").contains("\"hardest\": []"), "no search was made");
}

/// The puzzles are of every kind, with right, wrong and missing claims. The oracle decides the expected status of each,
/// and whether `other` really is another solution.
/// PROMISE: verify-is-right
#[test]
fn the_oracle_agrees_on_every_record_and_backend() {
    let mut expected = Vec::new();
    let mut text = "puzzle,solution\n".to_owned();
    for name in ["easy.txt", "several.txt"] {
        for (number, puzzle) in list(name, 60).iter().enumerate() {
            let grid = Grid::from_text(puzzle.as_bytes().try_into().unwrap()).unwrap();
            let solutions = oracle::sudoku(&grid, 20);
            let text_of =
                |cells: &[u8; 81]| cells.iter().map(|digit| char::from(b'0' + digit)).collect::<String>();
            let right = text_of(&solutions[number % solutions.len()]);
            let blank = puzzle.find('.').unwrap();
            let (status, claim) = match number % 5 {
                0 => ("wrong", with(&right, blank, if &right[blank..=blank] == "1" { "2" } else { "1" })),
                1 => ("missing", String::new()),
                _ if solutions.len() > 1 => ("not-unique", right),
                _ => ("correct", right),
            };
            writeln!(text, "{puzzle},{claim}").unwrap();
            expected.push((status, claim, solutions.iter().map(text_of).collect::<Vec<_>>()));
        }
    }
    let place = Place::with("claims.csv", text);
    let mut first = None;
    for backend in Backend::available() {
        let found = findings(&place, &format!("verify claims.csv --backend {}", backend.name()));
        for (row, ((status, claim, solutions), [found, other, _])) in expected.iter().zip(&found).enumerate()
        {
            assert_eq!(found, status, "row {row}");
            assert_eq!(other.is_empty(), *status != "not-unique", "row {row}");
            if !other.is_empty() {
                assert_ne!(other, claim);
                // If there are very many solutions, only the first ones are known.
                assert!(solutions.len() == 20 || solutions.contains(other), "row {row}");
            }
        }
        assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{}", backend.name());
    }
}

/// The same holds here as for `solve`: reports, damaged inputs, partial files, and readers that leave.
#[test]
fn a_run_ends_as_one_of_solve_does() {
    let place = all_statuses();
    let text = place.read("claims.csv");

    // The report of a run equals the report on its results.
    place.run("verify claims.csv -q -o r.csv --report run.json").assert().code(1);
    place.run("report r.csv -q -o read.json").assert().code(0);
    let (run, read) = (place.json("run.json"), place.json("read.json"));
    assert_eq!(run["total"]["statuses"]["wrong"], 5);
    for part in ["total", "reasons", "hardest", "clues"] {
        assert_eq!(run[part], read[part], "{part}");
    }
    assert_eq!(read["bad_rows"]["count"], 0);

    // The rows before the damage are kept, but not under the name of a complete file.
    let packed = gzip(text.repeat(200));
    place.write("cut.csv.gz", &packed[..packed.len() / 2]);
    place.run("verify cut.csv.gz -o cut.csv").assert().code(2);
    assert!(!place.path("cut.csv").exists());
    let partial = place.read("cut.csv.partial");
    assert!(partial.ends_with('\n') && partial.lines().count() > 10, "{partial}");

    // Rows are written while the input is still open.
    let mut child = place.start("verify -q --lenient -");
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(output));
    for row in text.lines().take(4) {
        std::io::Write::write_all(&mut input, format!("{row}\n").as_bytes()).unwrap();
        if row != "puzzle,solution" {
            assert!(lines.next().unwrap().is_ok());
        }
    }
    drop(input);
    assert_eq!((lines.count(), child.wait().unwrap().code()), (1, Some(0)));
}

/// In the program's own results in `lines` format, a missing answer leaves no trace; later answers are still read
/// correctly.
#[test]
fn results_in_lines_are_verified_wherever_the_answers_begin() {
    let place = Place::new();
    let lists = ["unsolvable.txt", "easy.txt"].map(|list| data(list).display().to_string());
    place.run(&format!("solve -q --lenient -O lines -o own.txt {}", lists.join(" "))).assert().success();
    place.run("verify own.txt -q --lenient -o checked.csv --summary s.json").assert().success();
    let summary = place.json("s.json");
    let count = |list: &String| fs::read_to_string(list).unwrap().lines().count();
    assert_eq!(summary["statuses"]["unsolvable"], count(&lists[0]));
    assert_eq!(summary["statuses"]["correct"], count(&lists[1]));
}

/// A column called `solution` holds claims, whatever its values; one called `solutions` can hold counts.
#[test]
fn a_column_of_claims_is_known_by_its_name() {
    let place = Place::new();
    for name in ["solution", "answer"] {
        let text = format!("puzzle,{name}\n{}{UNIQUE},{ANSWER}\n", format!("{UNIQUE},7\n").repeat(250));
        place.write("model.csv", &text);
        let found = statuses(&place, "verify model.csv");
        assert_eq!([&*found[0], &*found[250]], ["wrong", "correct"], "{name}");
        // A blank is not a claim, but the later value is.
        place.write("model.csv", text.replace(",7\n", ",0\n"));
        let found = statuses(&place, "verify model.csv");
        assert_eq!([&*found[0], &*found[250]], ["missing", "correct"], "{name}");
    }
}

/// Claims in a separate file are judged like claims beside the puzzles, and error messages name that file.
#[test]
fn claims_may_lie_in_a_file_of_their_own() {
    let place = Place::new();
    let (mut puzzles, mut claims) = (String::new(), "puzzle,solution\n".to_owned());
    let table = table();
    for [_, puzzle, claim, ..] in &table {
        writeln!(puzzles, "{puzzle}").unwrap();
        // If the second file has claims, its puzzles do not matter.
        writeln!(claims, "{UNIQUE},{claim}").unwrap();
    }
    place.write("puzzles.txt", puzzles);
    place.write("claims.csv", claims);
    for flags in ["", " -j 2 --chunk-size 1"] {
        let found = findings(&place, &format!("verify puzzles.txt --answers claims.csv{flags}"));
        assert_eq!(found.len(), table.len());
        for (row, ([status, _, _, other, error], found)) in table.iter().zip(&found).enumerate() {
            assert_eq!(found[..2], [status.clone(), other.clone()], "row {row}");
            let reason = |text: &str| text.split_once(": ").map(|(_, reason)| reason.to_owned());
            if status == "wrong" {
                assert_eq!(reason(&found[2]), reason(error), "row {row}");
                let line = format!("line {}, column ", row + 2);
                assert!(found[2].starts_with(&line) && found[2].contains(" (in claims.csv): "), "{found:?}");
            }
        }
    }
    // Equal solutions in a row are separate answers.
    place.write("three.txt", format!("{UNIQUE}\n").repeat(3));
    place.write("grids.out", grid(ANSWER).repeat(2));
    assert_eq!(statuses(&place, "verify three.txt --answers grids.out"), ["correct", "correct", "missing"]);
    // An answer without digits is still an answer, and not a puzzle that the next line answers.
    let blank = "0".repeat(81);
    place.write("blank.out", format!("{ANSWER}\n{blank}\n{ANSWER}\n"));
    assert_eq!(statuses(&place, "verify three.txt --answers blank.out"), ["correct", "wrong", "correct"]);
    place.write("one.txt", UNIQUE);
    let (code, _, message) = place.ran("verify one.txt --answers grids.out");
    assert!(message.contains("error: grids.out: 2 answers for 1 puzzle\n"), "{message}");
    assert_eq!(code, 1);
    // If the run ends early for any reason, the remaining answers do not count as surplus.
    let lines = format!("{UNIQUE}\n").repeat(50);
    place.write("bad.txt", format!("x{UNIQUE}\n{lines}"));
    let (_, _, said) = place.ran("verify bad.txt --answers grids.out --strict");
    assert!(!said.contains("answers for"));
    place.run("verify --answers -").write_stdin("").assert().code(2);
    place.run("verify one.txt --answers no.txt").assert().code(2);
    place.run("verify one.txt --answers one.txt -o one.txt").assert().code(2);
}

/// A table or JSON values can show where an answer is missing; the answers after it keep their places.
/// PROMISE: verify-is-right
#[test]
fn no_answer_moves_up_into_the_place_of_a_missing_one() {
    let place = Place::new();
    // There are 40 puzzles that differ only in how the digits are labelled, and each has its own solution.
    let other = |text: &str, number: u8| -> String {
        let digit = |byte: u8| match (byte - b'1' + number) % 9 {
            0 => number / 9,
            digit if digit == number / 9 => 0,
            digit => digit,
        };
        let digits = text.bytes().map(|byte| if byte > b'0' { b'1' + digit(byte) } else { byte });
        digits.map(char::from).collect()
    };
    let both: Vec<_> = (0..40).map(|number| [UNIQUE, ANSWER].map(|text| other(text, number))).collect();
    place.write("p.txt", both.iter().map(|[puzzle, _]| format!("{puzzle}\n")).collect::<String>());
    let table = |header: &str, row: &dyn Fn(usize, &str) -> String, all: &[String]| {
        let rows: String = all.iter().enumerate().map(|(at, answer)| row(at, answer) + "\n").collect();
        format!("{header}\n{rows}")
    };
    for gaps in [0..0, 0..1, 17..22, 39..40, 0..39, 1..40] {
        let answer = |at: usize| if gaps.contains(&at) { String::new() } else { both[at][1].clone() };
        let all: Vec<String> = (0..40).map(answer).collect();
        let value = |answer: &str, none: &str| {
            if answer.is_empty() { none.to_owned() } else { format!("\"{answer}\"") }
        };
        let mut files = Vec::new();
        for name in ["solution", "answer", "response"] {
            for sep in [",", ";", "\t"] {
                let header = format!("id{sep}{name}");
                files.push((name, "a.csv", table(&header, &|at, answer| format!("{at}{sep}{answer}"), &all)));
                let quoted = |at, answer: &str| format!("\"{at}\"{sep}\"{answer}\"");
                files.push((name, "b.csv", table(&header, &quoted, &all)));
            }
            let quoted = |_, answer: &str| format!("\"{answer}\"");
            files.push((name, "c.csv", table(&format!("\"{name}\""), &quoted, &all)));
            // Blank lines that an editor leaves at the end are not answers.
            files.push((name, "d.csv", table(name, &|_, answer| answer.to_owned(), &all) + "\n\n"));
            let noted = |_, answer: &str| format!("{answer},");
            files.push((name, "i.csv", table(&format!("{name},note"), &noted, &all)));
            let members: [&dyn Fn(&str) -> String; 5] = [
                &|answer| format!("\"{name}\": {}", value(answer, "null")),
                &|answer| format!("\"id\": 7, \"{name}\": {}", value(answer, "null")),
                &|answer| format!("\"id\": 7, \"{name}\": {}", value(answer, "\"\"")),
                &|answer| format!("\"id\": 7, \"{name}\": {}", value(answer, "{\"a\": [1]}")),
                &|answer| match answer {
                    "" => "\"id\": 7".to_owned(),
                    answer => format!("\"{name}\": \"{answer}\""),
                },
            ];
            for member in members {
                let objects: Vec<_> = all.iter().map(|answer| format!("{{{}}}", member(answer))).collect();
                files.push((name, "e.jsonl", objects.join("\n")));
                files.push((name, "f.json", format!("[{}]", objects.join(",\n"))));
            }
        }
        for none in ["null", "\"no\"", "5", "false", "{\"id\": 7}", "[1, \"no\"]"] {
            let list: Vec<_> = all.iter().map(|answer| value(answer, none)).collect();
            files.push(("", "g.json", format!("[{}]", list.join(", "))));
            let members = format!("\"log\": [\"a\", 1], \"answers\": [{}]", list.join(", "));
            files.push(("", "h.json", format!("{{{members}}}")));
            let pairs: Vec<_> = list.iter().map(|answer| format!("[7, {answer}]")).collect();
            files.push(("", "j.json", format!("[{}]", pairs.join(", "))));
            files.push(("", "n.jsonl", pairs.join("\n")));
            // A quoted word above a column of answers is the name of the column.
            if none != "\"no\"" || gaps != (0..1) {
                files.push(("", "k.jsonl", list.join("\n")));
            }
        }
        // These have no header, too few fields in some rows, blank lines, or words in place of answers.
        let rows = |row: &dyn Fn(usize, &str) -> String| table("", row, &all)[1..].to_owned();
        for sep in [",", ";", "\t"] {
            files.push(("", "o.csv", rows(&|at, answer| format!("{at}{sep}{answer}"))));
            files.push(("", "o.csv", rows(&|at, answer| format!("{at}{sep}{answer}{sep}x"))));
        }
        let short =
            |at, answer: &str| if answer.is_empty() { format!("{at}") } else { format!("{at},{answer}") };
        files.push(("solution", "short.csv", format!("id,solution\n{}", rows(&short))));
        let line = |answer: &str| match answer {
            "" => String::new(),
            answer => format!("{{\"solution\": \"{answer}\"}}"),
        };
        // A single object among blank lines could also be a document.
        if gaps.len() < 20 {
            files.push(("solution", "p.jsonl", rows(&|_, answer| line(answer))));
            let word =
                |_, answer: &str| if answer.is_empty() { "none".to_owned() } else { answer.to_owned() };
            files.push(("response", "short.csv", format!("response\n{}", rows(&word))));
        }
        let ask = "{\"role\": \"user\", \"content\": \"Solve it.\"}";
        let chat = |answer: &String| {
            let content = value(answer, "\"I cannot.\"");
            format!("{{\"messages\": [{ask}, {{\"Role\": \"Assistant\", \"content\": {content}}}]}}")
        };
        let chats: Vec<_> = all.iter().map(chat).collect();
        files.push(("", "l.jsonl", chats.join("\n")));
        files.push(("", "m.json", format!("[{}]", chats.join(", "))));
        for (name, file, text) in files {
            place.write(file, &text);
            let flag = format!(" --solution-column {name}");
            for flag in [String::new(), flag].iter().take(1 + usize::from(!name.is_empty())) {
                let (code, found, _) = place.ran(&format!("verify p.txt --answers {file}{flag}"));
                let found = columns(&found, &["status"]);
                assert_eq!((found.len(), code == 0), (40, gaps.is_empty()));
                for (at, [status]) in found.iter().enumerate() {
                    let expected = if gaps.contains(&at) { "missing" } else { "correct" };
                    // Something that is not an answer can count as a wrong one.
                    let status = if file == "short.csv" && status == "wrong" { "missing" } else { &**status };
                    assert_eq!(status, expected, "{file}{flag} {gaps:?} {at}\n{text}");
                }
            }
        }
    }
}

/// Covers the three problems that this program grew out of, each with the output that a judge expects, and with damaged
/// output.
#[test]
fn outputs_for_a_judge_are_verified() {
    let place = Place::new();
    for problem in ["boj2239", "boj2580", "boj4574"] {
        let [input, output] = ["in", "out"].map(|ending| data(&format!("judge/{problem}.{ending}")));
        let line = format!("verify {} --answers", input.display());
        place.run(&format!("{line} {}", output.display())).assert().code(0);
        let text = fs::read_to_string(output).unwrap();
        let at = text.rfind(|letter: char| letter.is_ascii_digit()).unwrap();
        let other = if text[at..].starts_with('9') { "1" } else { "9" };
        place.write("damaged.out", format!("{}{other}{}", &text[..at], &text[at + 1..]));
        let found = statuses(&place, &format!("{line} damaged.out"));
        let wrong: Vec<_> = found.iter().map(|status| status == "wrong").collect();
        assert_eq!(wrong, [vec![false; found.len() - 1], vec![true]].concat(), "{problem}");
    }
}
