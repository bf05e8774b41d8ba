//! Tests `batchdoku dedupe` as a user sees it.

use std::collections::BTreeMap;
use std::fs;

use batchdoku::generate::full_grid;
use batchdoku::sudoku::{Grid, Symmetry};
use predicates::prelude::*;
use predicates::str::contains;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::place::{Place, data, gzip};
use crate::puzzles::{ANSWER, UNIQUE, double, grid};

/// Returns puzzle number n, which must be below 2^32; any two of these differ in a clue.
fn puzzle(n: u64) -> String {
    let mut clues = 0;
    let blanked = UNIQUE.chars().map(|cell| {
        clues += u32::from(cell != '.');
        if cell != '.' && n >> (clues - 1) & 1 == 1 { '.' } else { cell }
    });
    blanked.collect()
}

/// Returns solution number n, up to 60; no two of these are isomorphic.
pub fn solution(n: u64) -> String {
    full_grid(&mut Xoshiro256PlusPlus::seed_from_u64(n)).to_string()
}

/// Returns the puzzle made from a solution by blanking three cells; it has no other solution.
pub fn blanked(solution: &str, blanks: [usize; 3]) -> String {
    let cells = solution.chars().enumerate();
    cells.map(|(cell, digit)| if blanks.contains(&cell) { '.' } else { digit }).collect()
}

const HEADER: &str = "source,question,answer,rating\n";

/// Returns a table with the columns of sudoku-extreme and one row per puzzle; the last column numbers the rows.
fn table(puzzles: impl IntoIterator<Item = u64>) -> String {
    let row = |(at, n): (usize, u64)| {
        // Writing the cells with other symbols does not change them.
        let question = if at % 3 == 0 { puzzle(n).replace('.', "0") } else { puzzle(n) };
        format!("s,{question},{ANSWER},{at}\n")
    };
    HEADER.to_owned() + &puzzles.into_iter().enumerate().map(row).collect::<String>()
}

/// Returns puzzle numbers, some of which recur according to a fixed rule.
fn numbers(count: u64, salt: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |at| if at % 7 == 3 { (at * at + salt) % 5000 } else { salt * 100_000 + at })
}

/// Returns the first row of each puzzle in two tables and, for every other row, the line that `--matches` lists.
fn expected(tables: [(&str, &[u64]); 2]) -> (Vec<(usize, usize)>, Vec<String>) {
    let (mut firsts, mut kept, mut matches) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut id = 0;
    for (table, (name, puzzles)) in tables.into_iter().enumerate() {
        for (at, n) in puzzles.iter().enumerate() {
            id += 1;
            let place = format!("{id},{name},{}", at + 2);
            match firsts.get(n) {
                Some(first) => matches.push(format!("{place},{first},text")),
                None => {
                    firsts.insert(n, place);
                    kept.push((table, at));
                }
            }
        }
    }
    (kept, matches)
}

/// PROMISE: exact-duplicates
/// PROMISE: same-rows
#[test]
fn copies_are_found_inside_and_across_files_whatever_the_memory_and_the_threads() {
    let place = Place::new();
    let [a, b] = [1, 2].map(|salt| numbers(30_000, salt).collect::<Vec<_>>());
    let tables = [table(a.iter().copied()), table(b.iter().copied())];
    place.write("a.csv", &tables[0]);
    place.write("b.csv", &tables[1]);
    let (kept, matches) = expected([("a.csv", &a), ("b.csv", &b)]);
    assert!(matches.len() > 5000 && matches.iter().any(|row| row.contains("b.csv") && row.contains("a.csv")));
    let rows = tables.each_ref().map(|table| table.lines().skip(1).collect::<Vec<_>>());
    let kept = kept.into_iter().map(|(table, at)| format!("{}\n", rows[table][at])).collect::<String>();
    let names = "id,source,line,first_id,first_source,first_line,kind\n";
    let matches = format!("{names}{}\n", matches.join("\n"));
    for flags in ["-j 1", "-j 2 --memory 1M", "-j 3 --chunk-size 5000", "-j 1 --memory 1M --chunk-size 9000"]
    {
        let line = format!("dedupe a.csv b.csv -o out.csv --matches m.csv --summary s.json {flags}");
        place.run(&line).assert().code(0).stdout("");
        assert!(place.read("out.csv") == format!("{HEADER}{kept}"), "{flags}");
        assert!(place.read("m.csv") == matches, "{flags}");
        let summary = place.json("s.json");
        let [kept, duplicates] = [&kept, &matches[names.len()..]].map(|rows| rows.lines().count());
        assert_eq!(summary["records"], 60_000);
        assert_eq!((&summary["statuses"]["kept"], &summary["written"]), (&kept.into(), &kept.into()));
        assert_eq!(summary["statuses"]["duplicate"], duplicates);
    }
    // The input comes through a pipe, and then in another format.
    let both = tables[0].clone() + tables[1].strip_prefix(HEADER).unwrap();
    let piped = place.run("dedupe --memory 1M --matches m.jsonl").write_stdin(both).assert().code(0);
    piped.stdout(format!("{HEADER}{kept}"));
    let first = place.read("m.jsonl").lines().next().unwrap().to_owned();
    let numbers = matches.lines().nth(1).unwrap().split(',').collect::<Vec<_>>();
    assert!(first.contains(&format!("\"id\":{},\"source\":\"-\"", numbers[0])), "{first}");
    place.run("dedupe a.csv b.csv -q -o out.csv.zst --matches m.parquet").assert().code(0);
    let unpacked = zstd::decode_all(&*fs::read(place.path("out.csv.zst")).unwrap()).unwrap();
    assert!(unpacked == format!("{HEADER}{kept}").as_bytes());
    assert!(fs::read(place.path("m.parquet")).unwrap().starts_with(b"PAR1"));
}

#[test]
fn a_test_set_without_the_training_set_keeps_its_own_duplicates() {
    let place = Place::new();
    // The training set is a list that uses different symbols.
    place.write("train.txt", (0..2000).map(|n| puzzle(n).replace('.', "*") + "\n").collect::<String>());
    let own = [5000, 5001, 5000, 5002];
    place.write("test.csv", table([5000, 17, 5001, 5000, 1999, 5002, 17]));
    place.write("clean.csv", table(own));
    let rows = |name: &str| {
        place.read(name).lines().map(|row| row.split(',').next_back().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for memory in ["", " --memory 1M"] {
        let line = format!("dedupe --against train.txt test.csv -o out.csv --matches m.csv{memory}");
        place.run(&line).assert().code(1).stderr(contains("known").and(contains("warning").not()));
        assert_eq!(rows("out.csv"), ["rating", "0", "2", "3", "5"]);
        let matches = place.read("m.csv");
        assert_eq!(
            matches.lines().skip(1).collect::<Vec<_>>(),
            [
                "2002,test.csv,3,18,train.txt,18,text",
                "2005,test.csv,6,2000,train.txt,2000,text",
                "2007,test.csv,8,18,train.txt,18,text"
            ]
        );
    }
    place.run("dedupe --against train.txt clean.csv -o out.csv --matches m.csv").assert().code(0);
    assert_eq!(place.read("out.csv"), table(own));
    assert_eq!(place.read("m.csv").lines().count(), 1);
    // There are several files, and one of them comes through a pipe.
    place.write("more.csv", table([5002]));
    let line = "dedupe test.csv --against more.csv --against - -o out.csv";
    place.run(line).write_stdin(place.read("train.txt")).assert().code(1);
    assert_eq!(rows("out.csv"), ["rating", "0", "2", "3"]);
    // Unreadable records in that file are not compared with anything.
    place.write("bad.txt", format!("{}\n{}\n", puzzle(1), &puzzle(2)[1..]));
    let bad = place.run("dedupe --against bad.txt clean.csv -o out.csv").assert().code(1);
    bad.stderr(contains("warning: --against: 1 record cannot be read"));
}

#[test]
fn a_record_that_cannot_be_read_is_the_same_as_none() {
    let place = Place::new();
    let bad = &UNIQUE[1..];
    place.file("a.txt", &[UNIQUE, bad, UNIQUE, bad, &puzzle(1)]);
    let run = place.run("dedupe a.txt").assert().code(1);
    run.stdout([UNIQUE, bad, bad, &puzzle(1), ""].join("\n"))
        .stderr(contains("invalid                     2").and(contains("duplicate                   1")));
}

/// Isomorphs, shared solutions, copies and near misses are planted within and across two files. Each must be found by
/// exactly the `--same` values that apply to it.
#[test]
fn what_is_planted_is_found_by_its_kind_of_sameness() {
    let place = Place::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut isomorph =
        |text: &str| Symmetry::random(&mut rng).apply(&text.parse::<Grid>().unwrap()).to_string();
    let mut rows = [Vec::new(), Vec::new()];
    // These are the rows that each value omits.
    let mut out = [Vec::new(), Vec::new(), Vec::new()];
    let mut id = 0;
    for n in 0..60 {
        let solution = solution(n);
        let puzzle = blanked(&solution, [0, 40, 80]);
        let near = blanked(&solution, [0, 1, 2]);
        let copies = [
            (puzzle.clone(), 0),
            (near.clone(), 1),
            (puzzle.replace('.', "0"), 3),
            (isomorph(&puzzle), 2),
            (isomorph(&near), 2),
            (isomorph(&solution), 1),
        ];
        for (text, kinds) in copies {
            rows[usize::from(n >= 30)].push((n, text, kinds));
        }
    }
    // Some puzzles from the first file also occur in the second.
    for at in [0, 7, 20] {
        let (n, text, _) = rows[0][at].clone();
        rows[1].push((n, isomorph(&text), 2));
        rows[1].push((n, text, 3));
    }
    let file = |rows: &[(u64, String, usize)]| {
        let row = |(n, text, _): &(u64, String, usize)| format!("s,{text},{ANSWER},{n}\n");
        HEADER.to_owned() + &rows.iter().map(row).collect::<String>()
    };
    place.write("a.csv", file(&rows[0]));
    place.write("b.csv", file(&rows[1]));
    for (_, _, kinds) in rows.iter().flatten() {
        id += 1;
        // A copy is an isomorph too, and isomorphs share their solution.
        (0..3).filter(|kind| 3 - kind <= *kinds).for_each(|kind| out[kind].push(id));
    }
    for (kind, out) in ["text", "puzzle", "solution-grid"].iter().zip(out) {
        for memory in ["", " --memory 1M"] {
            let line = format!("dedupe a.csv b.csv -q -o out.csv --matches m.csv --same {kind}{memory}");
            place.run(&line).assert().code(0);
            let matches = place.read("m.csv");
            let ids = matches.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap());
            assert_eq!(ids.collect::<Vec<i32>>(), out, "{kind}");
            assert!(matches.lines().skip(1).all(|row| row.ends_with(&format!(",{kind}"))));
        }
    }
    // A puzzle with several solutions counts as having none.
    place.write("c.txt", [double().0, double().0].join("\n"));
    let run = place.run("dedupe c.txt --same solution-grid").assert().code(1);
    run.stdout([double().0, double().0, String::new()].join("\n"))
        .stderr(contains("2 records without exactly one solution"));
}

/// In another format, the records are written as `convert` writes them, except that unreadable ones are left out.
#[test]
fn records_are_converted_where_that_is_asked_for() {
    let place = Place::new();
    let broken = format!("s,{},{ANSWER},9\n", &UNIQUE[1..]);
    place.write("a.csv", table([1, 2, 1, 3, 2]) + &broken);
    place.write(
        "distinct.csv",
        HEADER.to_owned()
            + &[0, 1, 3].map(|at| table([1, 2, 1, 3]).lines().nth(at + 1).unwrap().to_owned()).join("\n"),
    );
    for flags in ["-O jsonl", "-O csv", "-o out.parquet", "-o out.arrow", "-o out.csv.gz -O csv"] {
        let run = |command: &str| {
            let output = place.run(&format!("{command} {flags}")).output().unwrap();
            let name = flags.split(' ').find(|word| word.starts_with("out")).map(|name| place.path(name));
            let file = name.map(|name| {
                let bytes = fs::read(&name).unwrap();
                fs::remove_file(name).unwrap();
                bytes
            });
            (output.status.code(), output.stdout, file)
        };
        let (_, rows, file) = run("convert distinct.csv -q");
        assert!(!rows.is_empty() || file.is_some());
        assert_eq!(run("dedupe a.csv -q"), (Some(1), rows, file), "{flags}");
    }
    let lines = place.run("dedupe a.csv -O lines").assert().code(1);
    lines
        .stdout([1, 2, 3].map(|n| format!("{},{ANSWER}\n", puzzle(n))).concat())
        .stderr(contains("left out: source, rating"));
    // Records that cannot be copied out of their document can still be converted.
    place.write("b.json", format!("[\"{UNIQUE}\", \"{UNIQUE}\"]"));
    let refused = place.run("dedupe b.json -q").assert().code(2);
    refused.stderr(contains("cannot be copied out of json").and(contains("-O csv or -O jsonl")));
    place.run("dedupe b.json -q -O lines").assert().code(0).stdout(format!("{UNIQUE}\n"));
    place.refuses("dedupe a.csv -o out.parquet -O csv", "has the extension of parquet");
}

/// Excel reads a table as UTF-8 only if it starts with this mark.
#[test]
fn a_byte_order_mark_stays_before_the_rows() {
    let place = Place::new();
    let text = format!("\u{feff}puzzle,name\r\n{UNIQUE},\u{e9}\r\n{},x\r\n", puzzle(1));
    place.write("a.csv", &text);
    place.write("a.csv.gz", gzip(&text));
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.write("wide.csv", wide);
    for name in ["a.csv", "a.csv.gz", "wide.csv"] {
        place.run(&format!("dedupe {name} -q")).assert().code(0).stdout(text.clone());
        place.run(&format!("sample {name} -n 5 -q")).assert().code(0).stdout(text.clone());
        place.run(&format!("split {name} --parts s.csv=1,r.csv=1 -q --same text")).assert().code(0);
        for part in ["s.csv", "r.csv"] {
            assert!(place.read(part).starts_with("\u{feff}puzzle,name\r\n"), "{name}");
        }
    }
    place.write("list.txt", format!("\u{feff}{UNIQUE}\n{UNIQUE}\n"));
    place.run("dedupe list.txt -q").assert().code(0).stdout(format!("\u{feff}{UNIQUE}\n"));
}

/// Grids and frames are copied as they are, and compared by their cells.
#[test]
fn grids_are_the_same_as_lines() {
    let place = Place::new();
    let grid = |n: u64| grid(&puzzle(n));
    place.write("a.txt", [grid(1), grid(2), grid(1), grid(3)].join("\n"));
    place.write("known.txt", puzzle(2) + "\n");
    place.run("dedupe a.txt -q").assert().code(0).stdout([grid(1), grid(2), grid(3)].join("\n"));
    let others = place.run("dedupe a.txt -q --against known.txt").assert().code(1);
    others.stdout([grid(1), grid(1), grid(3)].join("\n"));
}

#[test]
fn what_cannot_be_compared_is_refused_and_leaves_no_file() {
    let place = Place::new();
    fs::copy(data("judge/boj4574.in"), place.path("cases.txt")).unwrap();
    place.write("a.csv", table([1, 2]));
    place.write("b.txt", puzzle(1));
    for (line, said) in [
        ("cases.txt", "cases.txt:"),
        ("a.csv b.txt", "b.txt: has a different format from a.csv"),
        ("a.csv --against cases.txt", "is a Sudominoku case"),
        ("--against a.csv", "required"),
        ("- --against -", "standard input (-) is named twice"),
        ("b.txt --against a.csv --matches a.csv", "would overwrite the input"),
        ("a.csv --matches m.txt", "m.txt: the output format lines"),
        ("a.csv --matches -", "--matches needs a file, not -"),
        ("a.csv --matches out", "name the same file"),
        ("a.csv --memory 7", "expected 1M or more"),
        ("a.csv --same colour", "invalid value"),
    ] {
        let words = format!("dedupe -o out {line}");
        let run = place.run(&words).write_stdin(puzzle(1)).assert().code(2).stdout("");
        run.stderr(contains(said).and(contains("panic").not()));
        assert_eq!(place.names(), ["a.csv", "b.txt", "cases.txt"], "{line}");
    }
}

/// Either the disk fills up while records are written to it, or no temporary file can be created at all.
#[cfg(target_os = "linux")]
#[test]
fn a_temporary_file_that_cannot_be_written_is_an_error_and_leaves_no_file() {
    let place = Place::with("a.csv", table(numbers(60_000, 1)));
    let run = |blocks: &str, temporary: &str| {
        let line = "batchdoku dedupe a.csv --memory 1M -o out.csv --matches m.csv";
        place.shell(&format!("ulimit -f {blocks}; {line}")).env("TMPDIR", place.path(temporary)).assert()
    };
    for (blocks, temporary, said) in
        [("1000", "", "File too large"), ("unlimited", "nowhere", "No such file or directory")]
    {
        let failed = run(blocks, temporary).code(2).stdout("");
        failed.stderr(contains("error: the temporary file for what is beyond").and(contains(said)));
        assert_eq!(place.names(), ["a.csv"]);
    }
    run("unlimited", "").code(0);
}

/// The second output matters as much as the first, and each is written even if the other fails.
#[cfg(target_os = "linux")]
#[test]
fn matches_that_cannot_be_written_are_trouble() {
    let place = Place::with("a.csv", table([1, 2, 1]));
    let run = place.run("dedupe a.csv -o out.csv --matches /dev/full --summary s.json").assert().code(2);
    run.stderr(contains("error: /dev/full: cannot be written: No space left on device"));
    assert_eq!(place.json("s.json")["exit_code"], 2);
    assert_eq!(place.read("out.csv"), table([1, 2]));
    place.run("dedupe a.csv -o /dev/full --matches m.csv").assert().code(2);
    assert_eq!(place.read("m.csv").lines().count(), 2);
}

/// PROMISE: temporary-files
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_ended_in_the_middle_leaves_nothing_on_the_disk() {
    use crate::place::{piped, send, wait_for};

    let place = Place::with("a.csv", table(numbers(60_000, 1)));
    let temporary = place.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let written = || (place.read("out.csv"), place.read("m.csv"));
    place.run("dedupe a.csv -q -o out.csv --matches m.csv").assert().code(0);
    let whole = written();
    ["out.csv", "m.csv"].iter().for_each(|name| fs::remove_file(place.path(name)).unwrap());
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let line = "dedupe a.csv --memory 1M -o out.csv --matches m.csv -j 1 --chunk-size 300";
        let mut child = piped(place.program(line).env("TMPDIR", &temporary));
        let open = format!("/proc/{}/fd", child.id());
        wait_for(|| {
            let files = fs::read_dir(&open).unwrap().filter_map(|file| fs::read_link(file.ok()?.path()).ok());
            files.filter(|file| file.starts_with(&temporary)).count() > 0
        });
        send(&child, signal);
        assert_eq!(child.wait().unwrap().code(), code);
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{signal}");
        assert!(!place.path("out.csv").exists() && !place.path("m.csv").exists());
    }
    place.run("dedupe a.csv -q --memory 1M -o out.csv --matches m.csv").assert().code(0);
    assert!(written() == whole);
}
