//! The corpus in `tests/texts`: inputs and the records expected from them, as data.
//!
//! A file is a sequence of cases. Each case begins with a line `§ DIALECT: what it shows`. Next come the text, a
//! `=>` line, and the records, one per line:
//!
//! ```text
//! 3 P            the record that starts on line 3 is the puzzle P
//! 3 P > S        and claims S; either may be 81 characters instead, or the fault (`3:81: 80 cells ...`)
//! passed 2: abc  two lines are skipped, and the first is `abc`
//! refused: ...   the text is refused, with this message; a hint and `may be left out: true` may follow
//! ```
//!
//! The sniffer must detect this dialect; a dialect after a `!` is given instead. In a text, `«...»` stands for a grid
//! and `«\t»` for a tab; `«\»` at the end of the last line stands for a missing line end. A grid is described by up to
//! four parts, separated by `|`. The first is its name: `P` (whose solution is `S`) or `Q` (whose solution is `T`). The
//! second is the sign for a blank, `.` by default. The third selects the rows, written one per line: `*`, `2-5` or `3`;
//! or it is `cells`, for one cell per line. By default, all cells are on one line. The last part is the text between
//! two cells.
//!
//! `9 times TEXT` stands for nine lines with the same text. In that text, `#` stands for the number of the line, and
//! ` and ` for a line end. The records `2..443 by 9 P` are on lines 2, 11, 20 and so on.

use super::*;
use crate::input::OptionNames;
use crate::input::testing::{self, assert_places};

/// The grids by name.
pub(super) const GRIDS: [(&str, &str); 4] = [
    ("P", "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"),
    ("S", "534678912672195348198342567859761423426853791713924856961537284287419635345286179"),
    ("Q", "1.3...5.9..21.94.....7.4...3..5.2..6.6.....5.7..8.3..4...4.1.....92.58..8.4...1.7"),
    ("T", "143628579572139468986754231391542786468917352725863914237481695619275843854396127"),
];

/// One case of the corpus.
pub(super) struct Case {
    /// The file and line of the case.
    pub name: String,
    dialect: Dialect,
    is_given: bool,
    pub text: String,
    expected: Vec<String>,
}

impl Case {
    /// Returns whether the format of the text is detected, and the text is not refused.
    pub fn is_found(&self) -> bool {
        !self.is_given && !self.expected.iter().any(|line| line.starts_with("refused: "))
    }
}

/// Returns the grid that a description stands for.
fn grid(description: &str) -> String {
    let parts: Vec<&str> = description.split('|').collect();
    let part = |at: usize| parts.get(at).copied().unwrap_or_default();
    let (_, cells) =
        GRIDS.iter().find(|(name, _)| *name == parts[0]).unwrap_or_else(|| panic!("{description}"));
    let cells: Vec<String> = cells
        .chars()
        .map(|cell| if cell == '.' && parts.len() > 1 { part(1).to_owned() } else { cell.to_string() })
        .collect();
    let row = |row: usize| cells[9 * row - 9..9 * row].join(part(3));
    match part(2) {
        "" => cells.join(part(3)),
        "cells" => cells.join("\n"),
        rows => {
            let (first, last) =
                if rows == "*" { ("1", "9") } else { rows.split_once('-').unwrap_or((rows, rows)) };
            let number = |text: &str| text.parse::<usize>().expect("the number of a row");
            (number(first)..=number(last)).map(row).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Returns a text with its repeated lines written out.
fn repeated(text: &str) -> String {
    let all = text.split_inclusive('\n').map(|line| {
        let repeated = line.split_once(" times ").and_then(|(count, line)| Some((count.parse().ok()?, line)));
        let Some((count, line)) = repeated else { return line.to_owned() };
        let one = |number: usize| line.replace(" and ", "\n").replace('#', &number.to_string());
        (1..=count).map(one).collect()
    });
    all.collect()
}

/// Writes out records that are at regular intervals, one line each.
fn spaced(line: &str) -> Vec<String> {
    let spaced = || {
        let (first, rest) = line.split_once("..")?;
        let (last, rest) = rest.split_once(" by ")?;
        let (step, record) = rest.split_once(' ')?;
        Some((first.parse().ok()?..=last.parse().ok()?, step.parse().ok()?, record))
    };
    let Some((lines, step, record)) = spaced() else { return vec![line.to_owned()] };
    lines.step_by(step).map(|number: u64| format!("{number} {record}")).collect()
}

/// Returns a text with its grids filled in.
fn filled(text: &str) -> String {
    let mut filled = String::new();
    let mut parts = text.split('«');
    filled.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (description, after) = part.split_once('»').unwrap_or_else(|| panic!("no » after «{part}"));
        match description {
            "\\t" => filled.push('\t'),
            "\\" => return filled,
            _ => filled.push_str(&grid(description)),
        }
        filled.push_str(after);
    }
    filled
}

/// Returns all cases of the corpus.
pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (file_name, all) in files("tests/texts") {
        let all = String::from_utf8(all).expect("UTF-8");
        for case in all.split("§ ").skip(1) {
            let (head, rest) = case.split_once('\n').expect(&file_name);
            let (dialect, shows) = head.split_once(": ").unwrap_or_else(|| panic!("{file_name}: {head}"));
            let (text, expected) = rest.split_once("=>\n").unwrap_or_else(|| panic!("{file_name}: {head}"));
            let name = format!("{file_name}: {shows}");
            cases.push(Case {
                dialect: dialect
                    .trim_start_matches('!')
                    .parse()
                    .unwrap_or_else(|error| panic!("{name}: {error}")),
                is_given: dialect.starts_with('!'),
                text: filled(&repeated(text)),
                expected: expected.lines().filter(|line| !line.is_empty()).flat_map(spaced).collect(),
                name,
            });
        }
    }
    cases
}

/// Returns the records as a case writes them.
fn shown(reading: &Reading) -> Vec<String> {
    let named = |text: &String| {
        let known = GRIDS.iter().find(|(_, grid)| grid == text);
        known.map_or_else(|| text.clone(), |(name, _)| (*name).to_owned())
    };
    let record = |record: &Shown| {
        let claim =
            if record.claim.is_empty() { String::new() } else { format!(" > {}", named(&record.claim)) };
        format!("{} {}{claim}", record.line, named(&record.puzzle))
    };
    let mut lines: Vec<_> = reading.records.iter().map(record).collect();
    if let Some((_, first)) = &reading.read.passed.first {
        lines.push(format!("passed {}: {first}", reading.read.passed.lines));
    }
    lines
}

/// PROMISE: lost-zeros, broken-documents, refusals
#[test]
fn the_corpus_of_texts_gives_what_it_says() {
    let mut wrong = Vec::new();
    for case in cases() {
        let given = Some(&case.dialect).filter(|_| case.is_given);
        let found = match sniffed(case.text.as_bytes(), given) {
            Ok(found) => found,
            Err(error) => {
                let hint = error.hint(&OptionNames::LIBRARY).unwrap_or_default();
                let all = [
                    format!("refused: {error}"),
                    format!("hint: {hint}"),
                    format!("may be left out: {}", error.holds_no_puzzles()),
                ];
                let refused = &all[..case.expected.len().min(all.len())];
                if refused != case.expected {
                    wrong.push(format!("{}\n  got {refused:?}\n  not {:?}", case.name, case.expected));
                }
                continue;
            }
        };
        let dialect = found.reader.dialect();
        if given.is_none() && dialect != case.dialect {
            wrong.push(format!("{}\n  is {dialect}, not {}", case.name, case.dialect));
            continue;
        }
        let reading = testing::read(&*found.reader, &case.text);
        let got = shown(&reading);
        if got != case.expected {
            wrong.push(format!("{}\n  got {got:#?}\n  not {:#?}", case.name, case.expected));
        }
        assert_places(&case.name, &*found.reader, &case.text);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
