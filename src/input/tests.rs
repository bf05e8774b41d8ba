//! Properties that hold for every text: all golden inputs, the texts in the corpus, and damaged copies of both. The
//! records of the golden inputs are checked in `tests/it/golden.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::reader::{Block, Sample, State};
use super::sniff::{Sniffed, sniff};
use super::testing::{Reading, Shown, read_in, records_of};
use super::{Dialect, Framing, InputError, ReadOptions, Score, Source};
use crate::record::Records;

mod texts;

/// Returns the files in a folder of the repository by name, each without its byte-order mark.
fn files(inside: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(inside);
    let entries = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("an entry"));
    let file = |entry: fs::DirEntry| {
        let text = fs::read(entry.path()).expect("readable");
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).to_vec();
        (entry.file_name().to_string_lossy().into_owned(), text)
    };
    entries.filter(|entry| entry.path().is_file()).map(file).collect()
}

/// Detects how to read a text.
fn sniffed(text: &[u8], given: Option<&Dialect>) -> Result<Sniffed, InputError> {
    let options = ReadOptions { format: given.cloned(), ..ReadOptions::default() };
    sniff(&Sample { name: "t", bytes: text, is_whole: true, options: &options }, None)
}

/// Reads a text in the given format, or else the detected one; returns nothing if the text is refused.
fn read(text: &[u8], given: Option<&Dialect>) -> Option<(Sniffed, Reading)> {
    let found = sniffed(text, given).ok()?;
    let reading = read_in(&*found.reader, text, text.len().max(1));
    Some((found, reading))
}

/// A change to one line.
#[derive(Clone, Copy, Debug)]
enum Change {
    Dropped,
    Doubled,
    Swapped,
    Cut,
    Stray,
    Blank,
}

impl Change {
    const ALL: [Self; 6] = [Self::Dropped, Self::Doubled, Self::Swapped, Self::Cut, Self::Stray, Self::Blank];

    /// Returns the text after changing the line at index `at`.
    fn of(self, text: &[u8], at: usize) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        let (half, next) = (&lines[at][..lines[at].len() / 2], (at + 1) % lines.len());
        match self {
            Self::Dropped => drop(lines.remove(at)),
            Self::Doubled => lines.insert(at, lines[at]),
            Self::Swapped => lines.swap(at, next),
            Self::Cut => drop(lines.splice(at..=at, [half, b"\n"])),
            Self::Stray => lines.insert(at, b"some words between lines\n"),
            Self::Blank => lines.insert(at, b"\n"),
        }
        lines.concat()
    }
}

/// Returns all texts whose format is detected: golden inputs and corpus cases.
fn all_texts() -> impl Iterator<Item = (String, Vec<u8>)> {
    let cases = texts::cases().into_iter().filter(texts::Case::is_found);
    files("tests/golden").into_iter().chain(cases.map(|case| (case.name, case.text.into_bytes())))
}

/// Calls `check` for each text with each kind of damage, passing the name, the change, the damaged text and the
/// original.
fn each_damaged(mut check: impl FnMut(&str, Change, &[u8], &[u8])) {
    for (number, (name, text)) in all_texts().filter(|(_, text)| !text.is_empty()).enumerate() {
        let lines = text.split_inclusive(|&byte| byte == b'\n').count();
        for (place, change) in (number..).zip(Change::ALL) {
            let at = place * (lines / Change::ALL.len()).max(1) % lines;
            check(&format!("{name}:{}", at + 1), change, &change.of(&text, at), &text);
        }
    }
}

/// Returns all the grids that were read, both puzzles and claims.
fn grids(reading: &Reading) -> BTreeSet<String> {
    let texts = reading.records.iter().flat_map(|record| [&record.puzzle, &record.claim]);
    texts.filter(|text| text.len() == 81).cloned().collect()
}

/// Invariant 6.
/// PROMISE: no-invented-grid
#[test]
fn no_grid_is_given_that_does_not_stand_in_the_file() {
    let mut wrong = Vec::new();
    let mut known: BTreeMap<Vec<u8>, Option<BTreeSet<String>>> = BTreeMap::new();
    each_damaged(|name, change, damaged, text| {
        // If spaces can be blanks or part of a frame, a row that is cut short reads as a row with blanks. Swapped rows
        // make a different grid, but one that really is in the text.
        let has_spaces = text.windows(2).any(|pair| pair == b"  ");
        if matches!(change, Change::Cut) && has_spaces || matches!(change, Change::Swapped) {
            return;
        }
        let standing = known.entry(text.to_vec()).or_insert_with(|| {
            // A second change can undo the first: a doubled row makes up for a missing one.
            let is_faulty = |record: &Shown| record.puzzle.contains(": ");
            let is_damaged = |(_, reading): (_, Reading)| reading.records.iter().any(is_faulty);
            if read(text, None).is_some_and(is_damaged) {
                return None;
            }
            let all = sniffed(text, None).map(|found| found.look.scores).unwrap_or_default();
            let of = |dialect| grids(&read(text, Some(dialect)).expect("a golden input").1);
            Some(all.iter().flat_map(|(dialect, _)| of(dialect)).collect())
        });
        let Some(standing) = standing else { return };
        if let Some((found, reading)) = read(damaged, None) {
            let is_there = |grid: &String| memchr::memmem::find(damaged, grid.as_bytes()).is_some();
            let all = grids(&reading).into_iter();
            let made_up: Vec<_> = all.filter(|grid| !standing.contains(grid) && !is_there(grid)).collect();
            if !made_up.is_empty() {
                wrong.push(format!("{name} {change:?} {}: {made_up:?}", found.reader.dialect()));
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Calls `check` for each text, intact and damaged, with its reader and its records.
fn each_read(mut check: impl FnMut(&str, &[u8], &Sniffed, &Reading)) {
    let mut check = |name: &str, text: &[u8]| {
        if let Some((found, reading)) = read(text, None) {
            check(name, text, &found, &reading);
        }
    };
    all_texts().for_each(|(name, text)| check(&name, &text));
    each_damaged(|name, change, damaged, _| check(&format!("{name} {change:?}"), damaged));
}

/// Invariant 5.
/// PROMISE: first-mebibyte
#[test]
fn a_dialect_that_is_typed_reads_the_same() {
    each_read(|name, text, found, reading| {
        let dialect = found.reader.dialect().to_string();
        let given = dialect.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (again, same) = read(text, Some(&given)).unwrap_or_else(|| panic!("{name}: {dialect}"));
        assert_eq!(again.reader.dialect().to_string(), dialect, "{name}");
        assert!(same == *reading, "{name}: {dialect}");
    });
}

/// Returns whether a line has content: it is not blank, a border, a comment, column numbers or the end of a list of
/// cases.
fn says_something(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_remark = [&b"#"[..], b"//", b"%", b"--"].iter().any(|sign| line.starts_with(sign));
    let word: Vec<u8> = line.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    !is_remark && ![&b""[..], b"0", b"123456789"].contains(&&*word)
}

/// Invariants 2 and 3, for formats in which lines are units.
/// PROMISE: lines-counted
#[test]
fn each_line_is_a_record_or_a_part_of_one_or_passed_over() {
    each_read(|name, text, found, reading| {
        let Dialect { framing, above, solution_below, .. } = found.reader.dialect();
        if matches!(framing, Framing::Json | Framing::Xml) {
            return;
        }
        let state = State::default();
        let mut records = Records::with_claims();
        let block = Block { bytes: text, state: &state, is_last: true };
        let read = found.reader.read(&block, &mut records);
        assert_eq!((records.len(), &read), (reading.records.len(), &reading.read), "{name}");
        let (mut at, mut said, mut others) = (0, 0, 0);
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let is_part = records
                .spans()
                .iter()
                .any(|span| span.start < at + line.len() && at < span.start + span.length);
            at += line.len();
            if is_part {
                continue;
            }
            others += 1;
            said += u64::from(says_something(line));
            // Each digit or dot counts as a cell, so even a line of words can have some.
            let cells = line.iter().filter(|byte| matches!(byte, b'0'..=b'9' | b'.')).count();
            let is_bare = line.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b' ' | b'\n'));
            let half = match framing {
                Framing::Line => 41,
                Framing::Grid => 5,
                _ => usize::MAX,
            };
            assert!(cells < half || !is_bare || !says_something(line), "{name}: {}", line.escape_ascii());
        }
        let above = above.unwrap_or(0) as u64;
        let passed = read.passed.lines;
        // Lines between a puzzle and its solution below are also skipped, and so is a second puzzle on the same line.
        let second = if framing == Framing::Line { records.len() as u64 } else { 0 };
        let most = if solution_below == Some(true) { read.lines } else { others + second };
        assert!(
            said <= passed + above && passed <= most,
            "{name}: {} {passed} of {said} to {others}\n{}",
            found.reader.dialect(),
            String::from_utf8_lossy(text)
        );
    });
}

/// Removes the line numbers from a record's fault, and also the column if a removed record was on the same line.
fn without_lines(record: &mut Shown, beside: Option<u64>) {
    // If a line holds several records, the line end is not part of this one.
    record.text.truncate(record.text.trim_ascii_end().len());
    if let Some((place, reason)) = record.puzzle.split_once(": ") {
        let words = reason.split(' ').filter(|word| !word.starts_with(|sign: char| sign.is_ascii_digit()));
        let column = place.split(':').nth(1).filter(|_| beside != Some(record.line)).unwrap_or_default();
        record.puzzle = format!("{column}: {}", words.collect::<Vec<_>>().join(" "));
    }
}

/// Invariant 1: removing a record leaves the others unchanged.
/// PROMISE: record-alone
#[test]
fn a_record_depends_on_its_own_bytes() {
    for (name, text) in all_texts() {
        let Some((found, reading)) = read(&text, None) else { continue };
        let dialect = found.reader.dialect();
        if matches!(dialect.framing, Framing::Json | Framing::Xml) {
            continue;
        }
        let records = records_of(&*found.reader, &text);
        for (row, span) in records.spans().iter().enumerate() {
            // If a puzzle is removed, the solution below it becomes the claim of the puzzle above.
            let next = records.puzzles().get(row + 1);
            if dialect.solution_below == Some(true) && next.is_some_and(|next| !next.cells().contains(&0)) {
                continue;
            }
            let is_within_line = span.start > 0 && text[span.start - 1] != b'\n';
            let part = if is_within_line { span.of(&text).trim_ascii_end() } else { span.of(&text) };
            let without = [&text[..span.start], &text[span.start + part.len()..]].concat();
            let lines = memchr::memchr_iter(b'\n', part).count() as u64;
            let mut rest = read_in(&*found.reader, &without, without.len().max(1)).records;
            let mut expected = reading.records.clone();
            expected.remove(row);
            for record in &mut expected[row..] {
                record.line -= lines;
            }
            let beside = (lines == 0).then_some(records.lines()[row]);
            rest.iter_mut().chain(&mut expected).for_each(|record| without_lines(record, beside));
            assert!(rest == expected, "{name} without {row}:\n{rest:?}\n{expected:?}");
        }
    }
}

#[test]
fn what_candidates_are_worth() {
    let score = Score { good: 3, clashing: 2, claims: 1, bad: 4, is_declared: false };
    assert_eq!(score.points(), 8 * 4 + 2 - 16);
    assert_eq!(Score { is_declared: true, ..score }.points(), 4 * 34);
}

#[test]
fn little_is_read_where_that_leaves_no_doubt() {
    let line = format!("{}\n", texts::GRIDS[0].1);
    let found = |text: &str| sniffed(text.as_bytes(), None).expect("puzzles");
    assert!(found(&line.repeat(20)).is_certain && !found(&line.repeat(19)).is_certain);
    assert!(!found(&format!("{}{}", line.repeat(30), &line[5..])).is_certain);
    let read = found(&line.repeat(3000)).look.scores[0].1.good;
    assert_eq!(usize::try_from(read), Ok(Sample::FIRST / line.len()));
}

/// Invariant 4.
/// PROMISE: first-mebibyte
#[test]
fn nothing_behind_the_first_mebibyte_decides() {
    let golden = files("tests/golden");
    for name in ["01-line.txt", "03-grid.txt", "12-cells-on-lines.txt", "jsonl-lists.jsonl"] {
        let text = &golden[name];
        let long = text.repeat((1 << 20) / text.len() + 1);
        let dialect = |text: Vec<u8>| {
            let source = Source::from_reader("t", std::io::Cursor::new(text), &ReadOptions::default());
            source.expect(name).look().dialect.clone()
        };
        let other = b"id;puzzle\n<a>[1,2\n".repeat(100_000);
        assert_eq!(dialect([&long[..], &other].concat()), dialect(long), "{name}");
    }
}
