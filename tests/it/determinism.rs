//! The output depends only on the input, not on the number of threads or the chunk size.

use std::fmt::Write as _;
use std::fs;

use batchdoku::solver::Backend;

use crate::place::{Place, data, list};

/// Writes good, bad, ambiguous and impossible records in every family of formats, one file each.
///
/// Returns the file names and the number of records in each, counted by construction.
fn inputs(place: &Place) -> Vec<(&'static str, usize)> {
    let [easy, minimal, hard, several, unsolvable] =
        ["easy.txt", "minimal.txt", "hard.txt", "several.txt", "unsolvable.txt"].map(|name| list(name, 150));

    // The lines cycle through all kinds, with every seventh line spoilt and remarks in between.
    let mut mixed = String::from("# mixed\n");
    let mut records = 0;
    for i in 0..150 {
        for (k, list) in [&easy, &minimal, &hard, &several, &unsolvable].into_iter().enumerate() {
            let line = &list[i];
            match (5 * i + k) % 35 {
                7 => writeln!(mixed, "{}", &line[1..]).unwrap(),
                14 => writeln!(mixed, "{}q{}", &line[..40], &line[41..]).unwrap(),
                21 => writeln!(mixed, "\n# remark\n55{}", ".".repeat(79)).unwrap(),
                28 => writeln!(mixed, "{line}{}", "9".repeat(3000)).unwrap(),
                _ => writeln!(mixed, "{line} a remark").unwrap(),
            }
            records += 1;
        }
    }
    place.write("mixed.txt", mixed);

    let mut grids = String::from("# grids\n");
    for (i, line) in minimal.iter().enumerate() {
        if i % 10 == 3 {
            // The grid has eight rows.
            writeln!(grids, "Grid {i}").unwrap();
        }
        for row in 0..if i % 10 == 3 { 8 } else { 9 } {
            writeln!(grids, "{}", &line[row * 9..row * 9 + 9]).unwrap();
        }
        grids.push('\n');
    }
    place.write("grids.txt", grids);

    let mut table = String::from("id,remark,puzzle\n");
    for (i, line) in several.iter().chain(&hard).enumerate() {
        match i % 6 {
            2 => writeln!(table, "{i},a field too many,{line},x").unwrap(),
            4 => writeln!(table, "{i},\"two\nlines, and a comma\",\"{line}\"").unwrap(),
            _ => writeln!(table, "{i},,{line}").unwrap(),
        }
    }
    place.write("table.csv", table);

    // The published cases are repeated, and some of them are spoilt.
    let judge = fs::read_to_string(data("judge/boj4574.in")).unwrap();
    let judge = judge.trim_end().strip_suffix('0').unwrap();
    let mut cases = String::new();
    for i in 0..40 {
        cases.push_str(&if i % 4 == 1 { judge.replacen("6 B2", "6 B9", 1) } else { judge.to_owned() });
    }
    cases.push_str("0\n");
    place.write("cases.txt", cases);

    vec![
        ("mixed.txt", records),
        ("grids.txt", minimal.len()),
        ("cases.txt", 80),
        ("table.csv", several.len() + hard.len()),
    ]
}

fn solve(place: &Place, names: &[&str], flags: &str) -> String {
    let (code, rows, said) = place.ran(&format!("solve --quiet --no-time {} {flags}", names.join(" ")));
    assert_eq!(code, 1, "{said}");
    rows
}

/// PROMISE: no-row-lost
#[test]
fn no_record_is_lost_and_ids_have_no_gap() {
    let place = Place::new();
    let inputs = inputs(&place);
    let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
    let text = solve(&place, &names, "-j 2 --chunk-size 1000");
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_reader(text.as_bytes()).records().map(|row| row.unwrap()).collect();
    let sources = inputs.iter().flat_map(|&(name, count)| std::iter::repeat_n(name, count));
    assert_eq!(rows.len(), sources.clone().count());
    for ((id, row), source) in (1..).zip(&rows).zip(sources) {
        assert_eq!((&row[0], &row[1]), (&*format!("{id}"), source));
    }
    for ((source, line), (next_source, next_line)) in rows
        .iter()
        .zip(&rows[1..])
        .map(|(row, next)| ((&row[1], row[2].parse::<u64>().unwrap()), (&next[1], next[2].parse().unwrap())))
    {
        assert!(source != next_source || line < next_line, "{source}:{line} before {next_line}");
    }
    for status in ["unique", "multiple", "unsolvable", "invalid"] {
        assert!(rows.iter().any(|row| &row[4] == status), "no row is {status}");
    }
}

/// PROMISE: same-rows
#[test]
fn threads_and_chunk_sizes_change_no_byte() {
    let place = Place::new();
    let inputs = inputs(&place);
    let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
    for format in ["csv", "jsonl", "lines", "text"] {
        let expected = solve(&place, &names, &format!("-O {format} -j 1"));
        for threads in [1, 2, 7] {
            for chunk_size in ["", " --chunk-size 1", " --chunk-size 100", " --chunk-size 5000"] {
                let flags = format!("-O {format} -j {threads}{chunk_size}");
                let text = solve(&place, &names, &flags);
                // This is not assert_eq, because a message of half a megabyte is useless.
                assert!(text == expected, "{flags}: {}", first_difference(&text, &expected));
            }
        }
    }
}

/// The scalar solver's rows differ only in the number of guesses.
/// PROMISE: same-rows
#[test]
fn backends_change_no_byte_but_the_guesses_of_the_scalar_solver() {
    let place = Place::new();
    let inputs = inputs(&place);
    let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
    let expected = solve(&place, &names, "");
    for backend in Backend::available() {
        let text = solve(&place, &names, &format!("--backend {} --chunk-size 5000", backend.name()));
        let (text, expected) = if backend == Backend::SCALAR {
            (without_guesses(&text), without_guesses(&expected))
        } else {
            (text, expected.clone())
        };
        assert!(text == expected, "{}: {}", backend.name(), first_difference(&text, &expected));
    }
}

/// Returns the rows without the eighth column.
fn without_guesses(text: &str) -> String {
    let mut rows = String::new();
    for row in csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).records() {
        let row = row.unwrap();
        let fields: Vec<&str> =
            row.iter().enumerate().filter(|&(i, _)| i != 7).map(|(_, field)| field).collect();
        writeln!(rows, "{}", fields.join(",")).unwrap();
    }
    rows
}

fn first_difference(text: &str, expected: &str) -> String {
    let mut lines = text.lines().zip(expected.lines()).enumerate();
    match lines.find(|(_, (line, expected))| line != expected) {
        Some((at, (line, expected))) => format!("line {}: {line}\nexpected: {expected}", at + 1),
        None => format!("{} bytes, expected {}", text.len(), expected.len()),
    }
}

/// Giving the same file twice repeats the same rows, apart from their numbers.
/// PROMISE: no-row-lost
#[test]
fn a_record_gives_the_same_row_wherever_it_stands() {
    let place = Place::new();
    let inputs = inputs(&place);
    for (name, count) in inputs.into_iter().filter(|&(_, count)| count > 0) {
        let text = solve(&place, &[name, name], "-j 7 --chunk-size 100");
        let rows: Vec<&str> = text.lines().skip(1).collect();
        let without_id = |row: &&str| row.split_once(',').unwrap().1.to_owned();
        // A row whose remark contains a line break would take up two lines, but no such row is written.
        assert_eq!(rows.len(), 2 * count, "{name}");
        let (first, second) = rows.split_at(count);
        assert!(first.iter().map(without_id).eq(second.iter().map(without_id)), "{name}");
    }
}
