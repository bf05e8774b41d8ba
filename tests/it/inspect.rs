//! Tests `batchdoku inspect` as a user sees it, against facts known by construction.

use std::fs;

use predicates::str::contains;
use serde_json::{Value, json};

use crate::place::{Place, ended, gzip};
use crate::puzzles::{ANSWER, UNIQUE, double, grid, unsolvable};

/// Returns the JSON that `inspect` prints with some arguments.
fn inspected(place: &Place, line: &str, input: &[u8], code: i32) -> Vec<Value> {
    let mut run = place.run(&format!("inspect --json {line}"));
    let (ended, json, said) = ended(run.write_stdin(input).output().unwrap());
    assert_eq!(ended, code, "{said}");
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["layout"], 4);
    found["inputs"].as_array().unwrap().clone()
}

/// Returns the JSON that `inspect` prints for one input.
fn facts(place: &Place, line: &str) -> Value {
    inspected(place, line, b"", 0).remove(0)
}

/// Returns some of the facts as a list.
fn some(facts: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| facts[name].clone()).collect()
}

#[test]
fn a_small_file_is_counted_to_the_last_row() {
    let place = Place::new();
    let (double, _) = double();
    let wrong = ANSWER.replacen("48", "84", 1);
    let rows = [
        (UNIQUE, ANSWER),
        (UNIQUE, &wrong),
        (&double, ANSWER),
        (&unsolvable(), ""),
        (&UNIQUE[1..], ANSWER),
        (&UNIQUE.replace('.', "0"), ANSWER),
    ];
    let rows = rows.map(|(puzzle, claim)| format!("7;{puzzle};x;{claim}\n"));
    place.write("a.csv", format!("number;quizzes;note;solutions\n{}", rows.concat()));
    let found = &facts(&place, "a.csv");
    assert_eq!(found["format"], "csv");
    assert_eq!(
        found["table"],
        json!({"separator": ";", "header": true, "columns": ["number", "quizzes", "note", "solutions"], "puzzle": 2, "solution": 4})
    );
    assert_eq!(some(found, &["read", "rows", "rows_exact"]), json!(["all", 6, true]));
    assert_eq!(found["statuses"], json!({"unique": 3, "multiple": 1, "unsolvable": 1, "invalid": 1}));
    assert_eq!(found["reasons"][0]["places"], json!(["a.csv:6:83"]));
    assert_eq!(found["clues"], json!({"9": 1, "32": 3, "77": 1}));
    assert_eq!(some(found, &["distinct_puzzles", "repeated_rows"]), json!([3, 2]));
    let claims = &found["claims"];
    let count = |word: &str| claims[word].as_u64().unwrap();
    let words = ["correct", "not_unique", "unfinished", "unsolvable", "wrong", "missing"];
    assert_eq!(words.map(count), [2, 1, 0, 0, 1, 1]);
    assert_eq!(claims["first_wrong"].as_array().unwrap().len(), 1);
    // The text shows the same figures.
    let (_, text, _) = place.ran("inspect a.csv");
    for line in [
        "format      csv,sep=;,above=1,puzzle=2,solution=4 (with a header)",
        "scores      csv,sep=;,above=1,puzzle=2,solution=4: 288 (5 good and 1 bad); line: 68 (5 good and 1 bad)",
        "rows        6 (all were read)",
        "columns     number, quizzes (the puzzle), note, solutions (the solution)",
        "status      unique 3, multiple 1, unsolvable 1, invalid 1",
        "invalid 1: N cells (expected 81); a.csv:6:83",
        "duplicates  2 (33.3 %) repeat an earlier puzzle",
        "solutions   correct 2, not-unique 1, wrong 1, missing 1",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn columns_of_a_cell_each_are_the_puzzle_together() {
    let place = Place::new();
    let cells = |grid: &str| grid.replace('.', "0").split("").collect::<Vec<_>>()[1..82].join(",");
    let names = |of: &str| (1..=81).map(|cell| format!("{of}{cell}")).collect::<Vec<_>>().join(",");
    let header = format!("id,{},{},level", names("p"), names("s"));
    place.write("named", format!("{header}\n7,{},{},x\n", cells(UNIQUE), cells(ANSWER)));
    place.write("bare", format!("{}\n", cells(UNIQUE)).repeat(2));
    // Without column names, the table is also a valid list of cells, and that reading takes precedence.
    assert_eq!(facts(&place, "bare")["dialect"], "line");
    let named = "columns     id, p1 to p81 (columns 2 to 82: the cells of the puzzle), s1 to s81 (columns 83 to 163: the \
                 cells of the solution), level\n";
    let bare = "columns     1 to 81 (columns 1 to 81: the cells of the puzzle)\n";
    for (line, cells, columns) in
        [("named", json!([[2, 82], [83, 163]]), named), ("bare --format csv", json!([[1, 81], null]), bare)]
    {
        assert_eq!(some(&facts(&place, line)["table"], &["puzzle", "solution"]), cells, "{line}");
        let (_, text, _) = place.ran(&format!("inspect {line}"));
        assert!(text.contains(columns), "{columns}\n{text}");
    }
}

#[test]
fn complete_puzzles_are_noted() {
    let place = Place::new();
    let is_noted = |text: String| {
        place.write("a.txt", text);
        facts(&place, "a.txt")["notes"].to_string().contains("are complete: are these solutions?")
    };
    assert!(is_noted(format!("{ANSWER}\n").repeat(3)));
    assert!(!is_noted(format!("{ANSWER}\n{ANSWER}\n{UNIQUE}\n")));
}

#[test]
fn a_long_file_is_read_at_its_head() {
    let place = Place::new();
    for one in
        [format!("{UNIQUE}\n"), format!("\"{UNIQUE}\",\"{ANSWER}\"\r\n"), grid(UNIQUE) + "\n", grid(UNIQUE)]
    {
        let rows = 3 * ((1 << 20) / one.len());
        place.write("a", one.repeat(rows));
        let found = &facts(&place, "a");
        let shown = some(found, &["read", "rows", "rows_exact", "bytes", "reasons", "distinct_puzzles"]);
        assert_eq!(shown, json!(["head", rows, false, rows * one.len(), [], 1]), "{one}");
        // Grids without separators are handed out several MiB at a time.
        let seen = found["examined"].as_u64().unwrap() + found["left_out"].as_u64().unwrap();
        assert!((1 << 20..3 << 20).contains(&(seen * one.len() as u64)), "{seen}");
    }
}

#[test]
fn pipes_and_compressed_data_are_read_at_their_head_or_with_all_completely() {
    let place = Place::new();
    let piped = &inspected(&place, "", format!("{ANSWER}\n").repeat(40_000).as_bytes(), 0)[0];
    assert_eq!(some(piped, &["read", "rows", "bytes"]), json!(["head", null, null]));
    let answers: String = format!("{ANSWER}\n").repeat(40_000);
    place.write("a.gz", gzip(answers));
    let found = &facts(&place, "a.gz");
    assert_eq!(some(found, &["read", "rows_exact", "compression"]), json!(["head", false, "gzip"]));
    let found = &facts(&place, "a.gz --all");
    assert_eq!(some(found, &["read", "rows", "rows_exact"]), json!(["all", 40_000, true]));
    assert_eq!(some(found, &["examined", "distinct_puzzles"]), json!([40_000, 1]));
}

#[test]
fn refused_files_have_errors_and_the_others_are_shown() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    place.write("b.txt", "It was the best of times,\nit was the worst of times\n");
    let words = ["inspect", "b.txt", "a.txt", "missing"];
    let said = place.command(words).assert().code(2).stdout(contains("a.txt\n  format      line\n"));
    said.stderr(contains("b.txt: no puzzle found (tried ")).stderr(contains("missing: cannot open"));
    assert_eq!(inspected(&place, "b.txt a.txt", b"", 2).len(), 1);
    let packed = gzip(format!("{UNIQUE}\n").repeat(5000));
    place.write("cut.gz", &packed[..packed.len() - 9]);
    let found = &inspected(&place, "cut.gz", b"", 2)[0];
    assert_eq!(some(found, &["rows", "rows_exact"]), json!([null, false]));
    assert!(found["error"].as_str().unwrap().contains("damaged gzip data"));
}

/// The input is a sparse file of one gigabyte.
#[cfg(target_os = "linux")]
#[test]
fn only_a_sample_of_a_huge_file_is_read() {
    use std::io::{Seek, SeekFrom, Write};

    let place = Place::new();
    let mut file = fs::File::create(place.path("huge")).unwrap();
    let lines = format!("{UNIQUE}\n").repeat(20_000);
    for gigabyte in [0, 1] {
        file.seek(SeekFrom::Start(gigabyte << 30)).unwrap();
        file.write_all(lines.as_bytes()).unwrap();
    }
    drop(file);
    let found = &facts(&place, "huge");
    assert_eq!(some(found, &["read", "rows_exact"]), json!(["head", false]));
    let seen = found["examined"].as_u64().unwrap() + found["left_out"].as_u64().unwrap();
    assert!((12_000..=16_000).contains(&seen), "{seen}");
}
