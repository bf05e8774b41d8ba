//! Inputs that change during a run, and data that can follow compressed data.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::place::{Ended, Place, ended, gzip, mkfifo, wait_for};
use crate::puzzles::{ANSWER, UNIQUE};

/// Covers patterns that the shell did not expand, and a directory that holds results of this and other runs.
#[test]
fn shards_are_one_input_and_outputs_are_none() {
    let place = Place::new();
    fs::create_dir_all(place.path("data/.git")).unwrap();
    for name in ["part-10.txt", "part-2.txt", "list.bak", ".git/part-3.txt", "old.csv.partial"] {
        place.write(&format!("data/{name}"), format!("{UNIQUE}\n"));
    }
    let sources = |line: &str, rows: &str| {
        let (code, printed, said) = place.ran(line);
        assert_eq!(code, 0, "{line}: {said}");
        let rows = if rows.is_empty() { printed } else { place.read(rows) };
        let sources = rows.lines().skip(1).filter_map(|row| row.split(',').nth(1)).map(str::to_owned);
        (sources.collect::<Vec<_>>().join(" "), said)
    };
    let parts = "data/part-2.txt data/part-10.txt";
    let (found, said) = sources("solve data/part-*.txt", "");
    assert!(found == parts && !said.contains("left out"), "{found} {said}");
    // The second time, the output already exists.
    for then in ["", ", data/out.csv"] {
        let (found, said) = sources("verify data -o data/out.csv --lenient", "data/out.csv");
        assert_eq!(found, parts);
        let note = "note: data: left out: data/.git, data/list.bak, data/old.csv.partial";
        assert!(said.contains(&format!("{note}{then}\n")), "{said}");
    }
    for (line, why) in [
        ("bench data/none-*.txt", "data/none-*.txt: no file matches the pattern"),
        ("report data/.git/none*", "data/.git/none*: no file matches the pattern"),
        ("solve nowhere/", "nowhere/: cannot open"),
    ] {
        place.refuses(line, why);
    }
}

/// Whatever else is in a directory, the good files yield their rows. A file that holds nothing like a puzzle causes a
/// note, and a broken file causes an error when its turn comes.
/// PROMISE: no-silent-input
#[test]
fn nothing_that_was_found_in_a_directory_refuses_the_run() {
    let list = format!("{UNIQUE}\n");
    let mut cut = gzip(list.repeat(500));
    cut.truncate(cut.len() / 2);
    let utf_16: Vec<u8> = "\u{feff}hello\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let numbers = b"{\"step\":1,\"time\":1732775000}\n{\"step\":2,\"time\":1732775060}\n";
    for (name, bytes, expected, what) in [
        ("log.json", b"{\"lr\":[1,2,3,4,5,6]}\n".to_vec(), 0, "no puzzle found"),
        ("log.jsonl", numbers.to_vec(), 0, "no puzzle found"),
        ("phones.csv", b"name,phone\nann,123456789\nbob,987654321\n".to_vec(), 0, "no puzzle found"),
        ("n.txt", b"12345\n67890\n".to_vec(), 0, "no puzzle found"),
        ("u.txt", utf_16, 0, "no puzzle found"),
        ("p.txt", b"\x89PNG\r\n".to_vec(), 0, "a PNG image"),
        ("e.txt", list.as_bytes()[1..].to_vec(), 2, "no puzzle found"),
        ("g.csv.gz", cut, 2, "damaged gzip data"),
        ("q.parquet", b"PAR1 and no more".to_vec(), 2, "is not a readable Parquet file"),
    ] {
        let said =
            &*format!("{}: data/{name}: {what}", if expected == 0 { "note: left out" } else { "error" });
        let place = Place::new();
        fs::create_dir(place.path("data")).unwrap();
        place.write("data/good.txt", &list);
        place.write(&format!("data/{name}"), bytes);
        for line in ["solve data", "solve data/*"] {
            let (code, rows, message) = place.ran(line);
            assert!(rows.contains(",data/good.txt,1,sudoku,unique,"), "{name}: {rows} {message}");
            assert!(code == expected && message.contains(said), "{name}: {message}");
        }
        // Commands that read their inputs twice need all of them.
        let (code, _, message) = place.ran("dedupe data");
        assert!(code == expected && message.contains(said), "{name}: {message}");
        // If no good file is left, or with --strict, the run is refused. Damage later in a file is found later.
        let (code, printed, _) = place.ran("solve data --strict");
        assert_eq!(code, 2, "{name}");
        assert!(printed.is_empty() || name == "g.csv.gz", "{name}");
        fs::remove_file(place.path("data/good.txt")).unwrap();
        assert_eq!(place.ran("solve data").0, 2, "{name}");
    }
}

/// Files beside a list of puzzles are skipped because of their names or their contents.
#[test]
fn a_repository_is_its_puzzles() {
    let place = Place::new();
    fs::create_dir(place.path("data")).unwrap();
    for (name, text) in [
        ("LICENSE", "Copyright 2026\n\nAll rights are given.\n"),
        ("README.md", UNIQUE),
        ("fetch", "#!/bin/sh\ncurl -O https://example.org/puzzles.txt\n"),
        ("make.sh", UNIQUE),
        ("puzzles.txt", UNIQUE),
    ] {
        place.write(&format!("data/{name}"), format!("{text}\n"));
    }
    let (_, rows, said) = place.ran("solve data -O jsonl");
    assert!(rows.lines().count() == 1 && rows.contains("data/puzzles.txt"), "{rows}");
    assert!(said.contains("note: data: left out: data/LICENSE, data/README.md, data/make.sh\n"), "{said}");
    assert!(said.contains("note: left out: data/fetch: no puzzle found"), "{said}");
    let (_, printed, _) = place.ran("solve data/README.md data/*.sh -O lines");
    assert_eq!(printed.lines().count(), 2);
}

/// Runs a job on standard input and `b.txt`, which holds ten puzzles. `change` modifies that file after it was examined
/// but before it is read.
fn changed(job: &str, change: impl FnOnce(&Place, &Path)) -> (Place, Ended) {
    let place = Place::new();
    let path = place.path("b.txt");
    fs::write(&path, format!("{UNIQUE}\n").repeat(10)).unwrap();
    let mut child = place.start(&format!("{job} - b.txt -o out -j 1"));
    writeln!(child.stdin.as_mut().unwrap(), "{UNIQUE}").unwrap();
    wait_for(|| fs::read_to_string(place.path("out.partial")).is_ok_and(|rows| rows.contains(UNIQUE)));
    change(&place, &path);
    (place, ended(child.wait_with_output().unwrap()))
}

/// Each entry gives a change and the expected message. In every case, only the row of the other input is written.
/// PROMISE: changed-input
#[test]
fn an_input_that_changed_before_its_turn_is_said() {
    type Change = fn(&Place, &Path);
    let changes: [(Change, &str); 6] = [
        (|_, path| fs::write(path, "").unwrap(), "shrank from 820 to 0 bytes"),
        (|_, path| fs::write(path, format!("{UNIQUE}\n")).unwrap(), "shrank from 820 to 82 bytes"),
        (
            |place, path| {
                place.write("c.txt", format!("{UNIQUE}\n").repeat(10));
                fs::rename(place.path("c.txt"), path).unwrap();
            },
            "was replaced by another file",
        ),
        (
            |_, path| {
                sleep(Duration::from_millis(20));
                fs::write(path, format!("{}\n", ".".repeat(81)).repeat(10)).unwrap();
            },
            "was rewritten",
        ),
        (|_, path| fs::remove_file(path).unwrap(), "cannot open"),
        // Opening it would wait forever.
        (
            |_, path| {
                fs::remove_file(path).unwrap();
                mkfifo(path);
            },
            "was replaced by another file",
        ),
    ];
    for (change, expected) in changes {
        for job in ["solve", "verify"] {
            let (place, (code, _, said)) = changed(job, change);
            assert!(code == 2 && said.contains(&format!("b.txt: {expected}")), "{said}");
            assert_eq!(place.read("out.partial").lines().count(), 2, "a header and a row");
        }
    }
}

#[test]
fn an_input_that_grew_before_its_turn_is_read_with_a_warning() {
    let (place, (code, _, said)) = changed("solve", |_, path| {
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        writeln!(file, "{UNIQUE}").unwrap();
    });
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("warning: b.txt: grew from 820 to 902 bytes"), "{said}");
    assert_eq!(place.read("out").lines().count(), 1 + 1 + 11);
}

#[test]
#[cfg(target_os = "linux")]
fn results_that_shrank_before_their_turn_are_said() {
    let place = Place::new();
    let rows = place.run("solve -q").write_stdin(format!("{UNIQUE}\n").repeat(3000)).output().unwrap();
    place.write("r.csv", &rows.stdout);
    let mut child = place.start("report r.csv - -o r.json");
    // The start of the file has been examined; the file is read once the header of the other results has arrived.
    let counters = format!("/proc/{}/io", child.id());
    wait_for(|| {
        let counters = fs::read_to_string(&counters).unwrap();
        let read = counters.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
        read.parse::<u64>().unwrap() > 64 << 10
    });
    fs::OpenOptions::new().write(true).open(place.path("r.csv")).unwrap().set_len(50_000).unwrap();
    let header = rows.stdout.split_inclusive(|&byte| byte == b'\n').next().unwrap();
    child.stdin.as_mut().unwrap().write_all(header).unwrap();
    let (code, _, said) = ended(child.wait_with_output().unwrap());
    assert!(code == 2 && said.contains("r.csv: shrank from"), "{said}");
}

/// PROMISE: gzip-padding
#[test]
fn zeros_behind_gzip_members_are_padding_and_anything_else_is_damage() {
    let place = Place::new();
    let line = format!("{UNIQUE}\n");
    let member = gzip(&line);
    for zeros in [1, 9, 10, 511, 100_000] {
        let padding = vec![0; zeros];
        let two = [&member[..], &padding, &member, &padding].concat();
        for (bytes, rows) in [([&member[..], &padding].concat(), 1), (two, 2)] {
            place.write("a.gz", &bytes);
            for mut run in [place.run("solve a.gz"), place.run("solve")] {
                let (code, printed, said) =
                    ended(run.args(["-O", "lines"]).write_stdin(bytes.clone()).output().unwrap());
                assert_eq!((code, printed.lines().count()), (0, rows), "{zeros}: {said}");
            }
        }
        place.write("a.gz", [&member[..], &padding, b"more"].concat());
        assert!(place.ran("solve a.gz -O lines").2.contains("error: a.gz: damaged gzip data"));
    }
}

/// A file can be named `-`, but `-` still means standard input, which is read to the last line.
#[test]
fn a_file_called_as_standard_input_is_does_not_take_its_place() {
    let place = Place::with("-", "no puzzles\n");
    let lines = format!("{UNIQUE}\n").repeat(3000);
    for line in ["solve -q -O lines", "solve -q -O lines -"] {
        let rows = format!("{UNIQUE},{ANSWER}\n").repeat(3000);
        place.run(line).write_stdin(lines.clone()).assert().code(0).stdout(rows);
    }
}
