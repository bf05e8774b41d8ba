//! `batchdoku verify` as a user sees it, against the brute-force oracle and by hand.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use batchdoku::solver::Backend;
use batchdoku::sudoku::Grid;

use crate::oracle;
use crate::place::{Place, gzip};
use crate::puzzles::{ANSWER, UNIQUE, double, unsolvable};

fn with(text: &str, cell: usize, character: &str) -> String {
    format!("{}{character}{}", &text[..cell], &text[cell + 1..])
}

/// The rows of CSV text, each as a list of fields.
fn rows(text: &[u8]) -> Vec<Vec<String>> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text)
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

/// Status, `other` and error of each row that `line` prints.
fn findings(place: &Place, line: &str) -> Vec<[String; 3]> {
    let rows = rows(&place.run(line).output().unwrap().stdout);
    let column = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    let columns = ["status", "other", "error"].map(column);
    rows[1..].iter().map(|row| columns.map(|column| row[column].clone())).collect()
}

/// One record of each status: name, puzzle, claim, `other`, error.
fn table() -> Vec<[String; 5]> {
    let (double, smallest) = double();
    let own = str::to_owned;
    vec![
        [own("correct"), own(UNIQUE), own(ANSWER), own(""), own("")],
        [
            own("wrong"),
            own(UNIQUE),
            own(&ANSWER[1..]),
            own(""),
            own("line 3, column 163: claimed solution: 80 cells (expected 81)"),
        ],
        [
            own("wrong"),
            own(UNIQUE),
            with(ANSWER, 9, "q"),
            own(""),
            own("line 4, column 92: claimed solution: invalid character 'q' (expected 1-9)"),
        ],
        [
            own("wrong"),
            own(UNIQUE),
            with(ANSWER, 40, "."),
            own(""),
            own("line 5, column 123: claimed solution: blank at E5 (expected 1-9)"),
        ],
        // Cell A3 has the clue 3.
        [
            own("wrong"),
            own(UNIQUE),
            with(ANSWER, 2, "4"),
            own(""),
            own("line 6, column 85: claimed solution: 4 at A3 (expected the clue 3)"),
        ],
        // A1 is no clue; a 9 stands in A4, too.
        [
            own("wrong"),
            own(UNIQUE),
            with(ANSWER, 0, "9"),
            own(""),
            own("line 7, column 86: claimed solution: 9 twice in row 1, at A1 and at A4"),
        ],
        [own("not-unique"), double.clone(), own(ANSWER), smallest.clone(), own("")],
        [own("not-unique"), double, smallest, own(ANSWER), own("")],
        [own("unsolvable"), unsolvable(), own(ANSWER), own(""), own("")],
        [own("unsolvable"), unsolvable(), own(""), own(""), own("")],
        [own("missing"), own(UNIQUE), own(""), own(""), own("")],
        [
            own("invalid"),
            own(&UNIQUE[1..]),
            own(ANSWER),
            own(""),
            own("line 13, column 81: 80 cells (expected 81)"),
        ],
        [
            own("invalid"),
            format!("55{}", ".".repeat(79)),
            own(ANSWER),
            own(""),
            own("line 14, column 2: clue 5 repeats that of line 14, column 1 in the same row"),
        ],
    ]
}

#[test]
fn every_status_with_what_is_wrong_first() {
    let place = Place::new();
    let table = table();
    let mut text = "puzzle,solution\n".to_owned();
    for [_, puzzle, claim, ..] in &table {
        writeln!(text, "{puzzle},{claim}").unwrap();
    }
    fs::write(place.path("claims.csv"), text).unwrap();
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
    let place = Place::new();
    for [status, puzzle, claim, ..] in table() {
        fs::write(place.path("one.csv"), format!("puzzle,solution\n{puzzle},{claim}\n")).unwrap();
        let expected = i32::from(status != "correct");
        place.run("verify one.csv").assert().code(expected);
        place.run("verify one.csv --lenient").assert().code(0);
        place.run("verify one.csv --strict").assert().code(expected);
    }
}

#[test]
fn without_a_proof_only_the_digits_count() {
    let place = Place::new();
    let (double, smallest) = double();
    let text = format!(
        "puzzle,solution\n{UNIQUE},{ANSWER}\n{double},{smallest}\n{UNIQUE},{}\n{UNIQUE},\n55{},{ANSWER}\n",
        with(ANSWER, 0, "9"),
        ".".repeat(79)
    );
    fs::write(place.path("claims.csv"), text).unwrap();
    let found = findings(&place, "verify --trust-unique claims.csv");
    let statuses: Vec<_> = found.iter().map(|[status, ..]| &**status).collect();
    assert_eq!(statuses, ["correct", "correct", "wrong", "missing", "invalid"]);
    let output = place.run("verify --trust-unique claims.csv --summary s.json").output().unwrap();
    assert!(rows(&output.stdout)[1..].iter().all(|row| row[6..8] == ["", ""]), "no search was made");
    let summary: serde_json::Value = serde_json::from_str(&place.read("s.json")).unwrap();
    assert_eq!(summary["statuses"]["correct"], 2);
    assert_eq!(summary["exit_code"], 1);
    assert_eq!((&summary["hardest"], &summary["solver_seconds"]), (&Vec::<u8>::new().into(), &0.0.into()));
}

/// Search that is given up says so, but what is certain without it is said all the same.
#[test]
fn a_search_that_is_given_up_leaves_right_claims_open() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let hard = fs::read_to_string(root.join("data/hard.txt")).unwrap();
    let puzzle = hard.lines().next().unwrap();
    let solved = place.run("solve -O lines").write_stdin(puzzle).output().unwrap().stdout;
    let claim = &String::from_utf8(solved).unwrap()[82..163].to_owned();
    let blank = puzzle.find('.').unwrap();
    let text = format!("{puzzle},{claim}\n{puzzle},{}\n{puzzle},\n", with(claim, blank, "."));
    fs::write(place.path("claims.csv"), format!("puzzle,solution\n{text}")).unwrap();
    let statuses: Vec<_> = findings(&place, "verify claims.csv --max-guesses 0")
        .into_iter()
        .map(|[status, ..]| status)
        .collect();
    assert_eq!(statuses, ["unfinished", "wrong", "missing"]);
}

#[test]
fn only_some_statuses_are_written_and_all_are_counted() {
    let place = Place::new();
    let mut text = "puzzle,solution\n".to_owned();
    for [_, puzzle, claim, ..] in table() {
        writeln!(text, "{puzzle},{claim}").unwrap();
    }
    fs::write(place.path("claims.csv"), text).unwrap();
    let run = place.run("verify claims.csv --only wrong,missing --summary s.json -j 2 --chunk-size 300");
    let output = { run }.output().unwrap();
    let written = rows(&output.stdout);
    let kept: Vec<_> = written[1..].iter().map(|row| (&*row[0], &*row[4])).collect();
    assert_eq!(
        kept,
        [("2", "wrong"), ("3", "wrong"), ("4", "wrong"), ("5", "wrong"), ("6", "wrong"), ("11", "missing")]
    );
    let summary: serde_json::Value = serde_json::from_str(&place.read("s.json")).unwrap();
    assert_eq!((&summary["records"], &summary["written"]), (&13.into(), &6.into()));
    assert_eq!(summary["statuses"]["not-unique"], 2);
    // For `solve`, too.
    place
        .run("solve claims.csv --only invalid -O lines")
        .assert()
        .code(1)
        .stdout(format!(",\n55{},\n", ".".repeat(79)));
}

#[test]
fn json_lines_have_the_columns_of_the_csv() {
    let place = Place::new();
    let (double, smallest) = double();
    fs::write(place.path("claims.csv"), format!("puzzle,solution\n{double},{ANSWER}\n")).unwrap();
    let output = place.run("verify claims.csv -O jsonl --no-time").output().unwrap();
    let row: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(row["status"], "not-unique");
    assert_eq!((&row["solution"], &row["other"]), (&ANSWER.into(), &smallest.into()));
    assert_eq!((&row["error"], row.get("time_ns")), (&serde_json::Value::Null, None));
}

/// The formats that give answers have nothing to give.
#[test]
fn formats_that_do_not_fit_are_refused_by_name() {
    let place = Place::new();
    fs::write(place.path("claims.csv"), format!("puzzle,solution\n{UNIQUE},{ANSWER}\n")).unwrap();
    for format in ["lines", "text"] {
        let output = place.run(&format!("verify claims.csv -O {format} -o out")).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        let said =
            [&format!("invalid value '{format}' for '--output-format"), "[possible values: csv, jsonl, "];
        assert!(said.iter().all(|said| message.contains(*said)), "{message}");
        assert!(!place.path("out").exists() && !place.path("out.partial").exists());
    }
}

/// Our own results, with and without the column of times, are right; a sudominoku has no claim to check.
#[test]
fn results_of_solve_are_verified() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for list in ["easy.txt", "several.txt", "minimal.txt"] {
        let list = root.join("data").join(list);
        for flags in ["", " --no-time"] {
            place.run(&format!("solve -q {} -o results.csv{flags}", list.display())).assert().success();
            let output = place.run("verify results.csv --summary s.json").output().unwrap();
            // The search that counts is the same one.
            let guesses = |text: &str, column: usize| {
                rows(text.as_bytes()).into_iter().skip(1).map(|row| row[column].clone()).collect::<Vec<_>>()
            };
            let verified = String::from_utf8(output.stdout.clone()).unwrap();
            assert_eq!(guesses(&verified, 6), guesses(&place.read("results.csv"), 7));
            let summary: serde_json::Value = serde_json::from_str(&place.read("s.json")).unwrap();
            let correct = summary["statuses"]["correct"].as_u64().unwrap();
            let not_unique = summary["statuses"]["not-unique"].as_u64().unwrap();
            assert_eq!(correct + not_unique, summary["records"].as_u64().unwrap(), "{}", list.display());
            assert_eq!(not_unique > 0, list.ends_with("several.txt"));
            assert_eq!(output.status.code(), Some(i32::from(not_unique > 0)));
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
        (
            "radcliffe",
            format!(
                "id,puzzle,solution,clues,difficulty\n1,{UNIQUE},{ANSWER},32,0.0\n2,{UNIQUE},{wrong},32,1.5\n"
            ),
        ),
        ("extreme", format!("source,question,answer,rating\nx,{UNIQUE},{ANSWER},0\ny,{UNIQUE},{wrong},3\n")),
        ("headerless", format!("{zeros},{ANSWER}\n{zeros},{wrong}\n")),
        ("tabs", format!("puzzle\tsolution\n{zeros}\t{ANSWER}\n{zeros}\t{wrong}\n")),
        ("tdoku", format!("{UNIQUE}:1:{ANSWER}\n{UNIQUE}:1:{wrong}\n")),
        ("spaces", format!("{UNIQUE} {ANSWER}\n{UNIQUE} {wrong}\n")),
    ] {
        fs::write(place.path(name), text).unwrap();
        let found = findings(&place, &format!("verify {name}"));
        let statuses: Vec<_> = found.iter().map(|[status, ..]| &**status).collect();
        assert_eq!(statuses, ["correct", "wrong"], "{name}");
    }
    fs::write(place.path("named"), format!("puzzle,a,b\n{UNIQUE},{wrong},{ANSWER}\n")).unwrap();
    for column in ["b", "3"] {
        let found = findings(&place, &format!("verify named --solution-column {column}"));
        assert_eq!(found[0][0], "correct");
    }
    place.run("verify named --solution-column c").assert().code(2);
    // A number of solutions is none.
    fs::write(place.path("counts"), format!("puzzle,solutions,answer\n{UNIQUE},1,{ANSWER}\n")).unwrap();
    assert_eq!(findings(&place, "verify counts")[0][0], "correct");
    fs::write(place.path("counts"), format!("puzzle,solutions\n{UNIQUE},1\n")).unwrap();
    assert_eq!(findings(&place, "verify counts")[0][0], "missing");
    let message = String::from_utf8(place.run("verify counts").output().unwrap().stderr).unwrap();
    let note =
        "no column of solutions found; name it with --solution-column NAME (columns seen: puzzle, solutions)";
    assert!(message.contains(&format!("warning: counts: {note}\n")), "{message}");
    // Nothing is claimed, and it is said why.
    fs::write(place.path("list"), format!("{UNIQUE} 7.1\n{UNIQUE} 8.3\n")).unwrap();
    assert!(findings(&place, "verify list").iter().all(|[status, ..]| status == "missing"));
    let message = String::from_utf8(place.run("verify list").output().unwrap().stderr).unwrap();
    assert!(message.contains("warning: list: no claimed solutions were found at its start"), "{message}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = fs::read(root.join("data/judge/boj4574.in")).unwrap();
    fs::write(place.path("cases"), cases).unwrap();
    let output = place.run("verify cases --summary s.json").output().unwrap();
    let cases = &rows(&output.stdout)[1..];
    assert!(cases.len() == 2 && cases.iter().all(|row| row[4] == "missing" && row[6..8] == ["", ""]));
    assert!(place.read("s.json").contains("\"hardest\": []"), "no search was made");
}

/// Puzzles of every kind with right, wrong and missing claims: the oracle decides what is to be said of each, and
/// whether `other` is another solution.
/// PROMISE: verify-is-right
#[test]
fn the_oracle_agrees_on_every_record_and_backend() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut expected = Vec::new();
    let mut text = "puzzle,solution\n".to_owned();
    for list in ["easy.txt", "several.txt"] {
        let list = fs::read_to_string(root.join("data").join(list)).unwrap();
        for (number, puzzle) in list.lines().take(60).enumerate() {
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
    fs::write(place.path("claims.csv"), text).unwrap();
    let mut first = None;
    for backend in Backend::available() {
        let found = findings(&place, &format!("verify claims.csv --backend {}", backend.name()));
        for (row, ((status, claim, solutions), [found, other, _])) in expected.iter().zip(&found).enumerate()
        {
            assert_eq!(found, status, "row {row}");
            assert_eq!(other.is_empty(), *status != "not-unique", "row {row}");
            if !other.is_empty() {
                assert_ne!(other, claim);
                // Only the first solutions are known where there are very many.
                assert!(solutions.len() == 20 || solutions.contains(other), "row {row}");
            }
        }
        assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{}", backend.name());
    }
}

/// What holds for `solve` holds here: the report of the run, damaged inputs, partial files, readers who leave.
#[test]
fn a_run_ends_as_one_of_solve_does() {
    let place = Place::new();
    let mut text = "puzzle,solution\n".to_owned();
    for [_, puzzle, claim, ..] in table() {
        writeln!(text, "{puzzle},{claim}").unwrap();
    }
    fs::write(place.path("claims.csv"), &text).unwrap();

    // The report of a run is that of its results.
    place.run("verify claims.csv -q -o r.csv --report run.json").assert().code(1);
    place.run("report r.csv -q -o read.json").assert().code(0);
    let report = |name: &str| serde_json::from_str::<serde_json::Value>(&place.read(name)).unwrap();
    let (run, read) = (report("run.json"), report("read.json"));
    assert_eq!(run["total"]["statuses"]["wrong"], 5);
    for part in ["total", "reasons", "hardest", "clues"] {
        assert_eq!(run[part], read[part], "{part}");
    }
    assert_eq!(read["bad_rows"]["count"], 0);

    // The rows before the damage are kept, under another name than that of a whole file.
    let packed = gzip(text.repeat(200));
    fs::write(place.path("cut.csv.gz"), &packed[..packed.len() / 2]).unwrap();
    let output = place.run("verify cut.csv.gz -o cut.csv").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!place.path("cut.csv").exists());
    let partial = place.read("cut.csv.partial");
    assert!(partial.ends_with('\n') && partial.lines().count() > 10, "{partial}");

    // Rows come while the input is still open.
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"))
        .args(["verify", "-q", "--lenient", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
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

/// Our own results in lines say nothing where there is no answer; what comes later is read all the same.
#[test]
fn results_in_lines_are_verified_wherever_the_answers_begin() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lists = ["unsolvable.txt", "easy.txt"].map(|list| root.join("data").join(list).display().to_string());
    place.run(&format!("solve -q --lenient -O lines -o own.txt {}", lists.join(" "))).assert().success();
    place.run("verify own.txt -q --lenient -o checked.csv --summary s.json").assert().success();
    let summary: serde_json::Value = serde_json::from_str(&place.read("s.json")).unwrap();
    let count = |list: &String| fs::read_to_string(list).unwrap().lines().count();
    assert_eq!(summary["statuses"]["unsolvable"], count(&lists[0]));
    assert_eq!(summary["statuses"]["correct"], count(&lists[1]));
}

/// A column called `solution` holds claims, whatever stands there; one called `solutions` may hold counts.
#[test]
fn a_column_of_claims_is_known_by_its_name() {
    let place = Place::new();
    for (name, statuses) in [("solution", ["wrong", "correct"]), ("answer", ["wrong", "correct"])] {
        let text = format!("puzzle,{name}\n{}{UNIQUE},{ANSWER}\n", format!("{UNIQUE},7\n").repeat(250));
        fs::write(place.path("model.csv"), &text).unwrap();
        let found = findings(&place, "verify model.csv");
        assert_eq!([&*found[0][0], &*found[250][0]], statuses, "{name}");
        // A blank is no claim, but what comes later is one.
        fs::write(place.path("model.csv"), text.replace(",7\n", ",0\n")).unwrap();
        let found = findings(&place, "verify model.csv");
        assert_eq!([&*found[0][0], &*found[250][0]], ["missing", statuses[1]], "{name}");
    }
    fs::write(place.path("counts.csv"), format!("puzzle,solutions\n{UNIQUE},1\n")).unwrap();
    assert_eq!(findings(&place, "verify counts.csv")[0][0], "missing");
}

/// Claims in a file of their own are judged as those beside the puzzles, and faults name that file.
#[test]
fn claims_may_lie_in_a_file_of_their_own() {
    let place = Place::new();
    let (mut puzzles, mut claims) = (String::new(), "puzzle,solution\n".to_owned());
    let table = table();
    for [_, puzzle, claim, ..] in &table {
        writeln!(puzzles, "{puzzle}").unwrap();
        // What the puzzles of the second file are does not matter, if it has claims.
        writeln!(claims, "{UNIQUE},{claim}").unwrap();
    }
    fs::write(place.path("puzzles.txt"), puzzles).unwrap();
    fs::write(place.path("claims.csv"), claims).unwrap();
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
    // Equal solutions one after another are an answer each.
    fs::write(place.path("three.txt"), format!("{UNIQUE}\n").repeat(3)).unwrap();
    let grid: String =
        ANSWER.as_bytes().chunks(9).flat_map(|row| [str::from_utf8(row).unwrap(), "\n"]).collect();
    fs::write(place.path("grids.out"), format!("{grid}{grid}")).unwrap();
    let found = findings(&place, "verify three.txt --answers grids.out");
    let statuses: Vec<_> = found.iter().map(|[status, ..]| &**status).collect();
    assert_eq!(statuses, ["correct", "correct", "missing"]);
    // One without a digit is an answer as well, and no puzzle that the next one answers.
    let blank = "0".repeat(81);
    fs::write(place.path("blank.out"), format!("{ANSWER}\n{blank}\n{ANSWER}\n")).unwrap();
    let found = findings(&place, "verify three.txt --answers blank.out");
    let statuses: Vec<_> = found.iter().map(|[status, ..]| &**status).collect();
    assert_eq!(statuses, ["correct", "wrong", "correct"]);
    fs::write(place.path("one.txt"), UNIQUE).unwrap();
    let output = place.run("verify one.txt --answers grids.out").output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("error: grids.out: 2 answers for 1 puzzle\n"), "{message}");
    assert_eq!(output.status.code(), Some(1));
    // Whatever ends the run early is no surplus.
    let lines = format!("{UNIQUE}\n").repeat(50);
    fs::write(place.path("bad.txt"), format!("x{UNIQUE}\n{lines}")).unwrap();
    let output = place.run("verify bad.txt --answers grids.out --strict").output().unwrap();
    assert!(!String::from_utf8(output.stderr).unwrap().contains("answers for"));
    place.run("verify --answers -").write_stdin("").assert().code(2);
    place.run("verify one.txt --answers no.txt").assert().code(2);
    place.run("verify one.txt --answers one.txt -o one.txt").assert().code(2);
}

/// A table, and values of JSON, say where an answer is missing: those after it stay where they are.
/// PROMISE: verify-is-right
#[test]
fn no_answer_moves_up_into_the_place_of_a_missing_one() {
    let place = Place::new();
    // Other digits for each make 40 puzzles, each with a solution of its own.
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
                files.push((
                    name,
                    "b.csv",
                    table(&header, &|at, answer| format!("\"{at}\"{sep}\"{answer}\""), &all),
                ));
            }
            files.push((
                name,
                "c.csv",
                table(&format!("\"{name}\""), &|_, answer| format!("\"{answer}\""), &all),
            ));
            // What an editor leaves at the end is no answer.
            files.push((name, "d.csv", table(name, &|_, answer| answer.to_owned(), &all) + "\n\n"));
            files.push((
                name,
                "i.csv",
                table(&format!("{name},note"), &|_, answer| format!("{answer},"), &all),
            ));
            let members: [&dyn Fn(&str) -> String; 5] = [
                &|answer| format!("\"{name}\": {}", value(answer, "null")),
                &|answer| format!("\"id\": 7, \"{name}\": {}", value(answer, "null")),
                &|answer| format!("\"id\": 7, \"{name}\": {}", value(answer, "\"\"")),
                &|answer| format!("\"id\": 7, \"{name}\": {}", value(answer, "{\"a\": [1]}")),
                &|answer| {
                    if answer.is_empty() {
                        "\"id\": 7".to_owned()
                    } else {
                        format!("\"{name}\": \"{answer}\"")
                    }
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
            files.push((
                "",
                "h.json",
                format!("{{\"log\": [\"a\", 1], \"answers\": [{}]}}", list.join(", ")),
            ));
            let pairs: Vec<_> = list.iter().map(|answer| format!("[7, {answer}]")).collect();
            files.push(("", "j.json", format!("[{}]", pairs.join(", "))));
            files.push(("", "n.jsonl", pairs.join("\n")));
            // A word in quotes above nothing but answers is the name of a column.
            if none != "\"no\"" || gaps != (0..1) {
                files.push(("", "k.jsonl", list.join("\n")));
            }
        }
        // Without a header, with rows of too few fields, with blank lines, and with words for answers.
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
        // One object among blank lines may be a document as well.
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
                let found = findings(&place, &format!("verify p.txt --answers {file}{flag}"));
                assert_eq!(found.len(), 40);
                if gaps.is_empty() {
                    place.run(&format!("verify p.txt --answers {file}{flag}")).assert().success();
                }
                for (at, [status, ..]) in found.iter().enumerate() {
                    let expected = if gaps.contains(&at) { "missing" } else { "correct" };
                    // What is no answer may be a wrong one.
                    let status = if file == "short.csv" && status == "wrong" { "missing" } else { &**status };
                    assert_eq!(status, expected, "{file}{flag} {gaps:?} {at}\n{text}");
                }
            }
        }
    }
}

/// The three problems that this program grew out of, each with the output that a judge expects, and damaged.
#[test]
fn outputs_for_a_judge_are_verified() {
    let place = Place::new();
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/judge");
    for problem in ["boj2239", "boj2580", "boj4574"] {
        let [input, output] = ["in", "out"].map(|ending| judge.join(format!("{problem}.{ending}")));
        let line = format!("verify {} --answers", input.display());
        place.run(&format!("{line} {}", output.display())).assert().code(0);
        let text = fs::read_to_string(output).unwrap();
        let at = text.rfind(|letter: char| letter.is_ascii_digit()).unwrap();
        let other = if text[at..].starts_with('9') { "1" } else { "9" };
        fs::write(place.path("damaged.out"), format!("{}{other}{}", &text[..at], &text[at + 1..])).unwrap();
        let found = findings(&place, &format!("{line} damaged.out"));
        let wrong: Vec<_> = found.iter().map(|[status, ..]| status == "wrong").collect();
        assert_eq!(wrong, [vec![false; found.len() - 1], vec![true]].concat(), "{problem}");
    }
}
