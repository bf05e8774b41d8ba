//! One cell on a line, 81 lines a puzzle, as programs that read one number after the other have it.
//!
//! A record is lines of a cell each with no other line between them. Only 81 of them are a puzzle: with a line lost or
//! doubled, nothing would say where the next puzzle begins, so blank lines or titles must set puzzles apart; where a blank
//! line stands between every two cells, two of them.

use std::sync::Arc;

use super::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, trim, walk};
use super::beside::{Tell, between};
use super::cells::{self, Blanks};
use super::family::{Family, Sample, Seen};
use super::field::{self, leading_blanks};
use super::grid_line::is_text;
use crate::record::{Fault, FaultKind, Layout, Place, Records, Want};
use crate::sudoku::{CELLS, Grid};

pub(super) const FAMILY: Family = Family {
    name: "cell",
    about: "One cell on a line, 81 lines a puzzle or double spaced",
    has_columns: false,
    look: |sample| {
        let format = CellLines { is_double_spaced: is_double_spaced(sample) };
        Seen::new(evidence(sample, format), move |_| Ok(Arc::new(format)))
    },
    enough: CELLS as u64,
};

/// Lines of a record at most; what follows without a gap belongs to it and is passed over.
const MOST: u64 = 10 * CELLS as u64;

#[derive(Clone, Copy, Debug)]
struct CellLines {
    /// Whether a blank line stands between two cells.
    is_double_spaced: bool,
}

/// What stands on a line but for blanks and a comma behind it.
fn content(line: &[u8]) -> &[u8] {
    let text = trim(line);
    trim(text.strip_suffix(b",").unwrap_or(text))
}

/// The digit of a line with one cell, 0 for a blank.
fn cell_on(line: &[u8]) -> Option<u8> {
    Some(content(line)).filter(|text| !text.is_empty() && text.len() < CELLS).and_then(field::cell)
}

impl Format for CellLines {
    fn beside(&self, records: &Records, bytes: &[u8], line: u64, before: u64, tell: Tell<'_>) {
        between(records, bytes, line, before, tell);
    }

    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let Some(first) = line_length(rest, end) else { return Step::Incomplete };
        let line = &rest[..first];
        let skip = Step::Skip { length: first, lines: 1 };
        if cell_on(line).is_none() {
            let is_nothing =
                matches!(trim(line), [] | [b'#', ..]) || is_text(line) && !cells::holds_row(line);
            cursor.phase = Phase::Gap;
            return if is_nothing { skip } else { Step::Record { length: first, lines: 1 } };
        }
        if cursor.phase == Phase::Overflow {
            return skip;
        }
        let (mut length, mut lines) = (first, 1);
        while lines < MOST {
            let Some(mut next) = line_length(&rest[length..], end) else {
                if end != TextEnd::Last {
                    return Step::Incomplete;
                }
                break;
            };
            let mut count = 1;
            if self.is_double_spaced && is_blank(&rest[length..length + next]) {
                match line_length(&rest[length + next..], end) {
                    Some(behind) => (next, count) = (next + behind, 2),
                    None if end != TextEnd::Last => return Step::Incomplete,
                    None => break,
                }
            }
            let line = rest[length..length + next].trim_ascii_start();
            if cell_on(line).is_none() {
                break;
            }
            length += next;
            lines += count;
        }
        cursor.phase = if lines >= MOST { Phase::Overflow } else { Phase::Records };
        Step::Record { length, lines }
    }

    fn read(&self, cursor: Cursor, bytes: &[u8], line: u64, _: Want, out: &mut Records) {
        walk(self, cursor, bytes, line, |_, line, span| {
            out.push_puzzle(line, span, Layout::Line, read_cells(line, span.of(bytes)));
        });
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let (before, found) = lines_of_cells(text).nth(cell).unwrap_or_default();
        Place { line: line + before, column: leading_blanks(found) as u64 + 1 }
    }
}

fn read_cells(first: u64, text: &[u8]) -> Result<Grid, Fault> {
    let mut digits = [0; CELLS];
    let mut blanks = Blanks::default();
    let (mut count, mut last) = (0, first);
    for (before, line) in lines_of_cells(text) {
        let place = Place { line: first + before, column: leading_blanks(line) as u64 + 1 };
        let Some(digit) = cell_on(line) else {
            return Err(cells::invalid_character(line, leading_blanks(line)).at(place));
        };
        if let Some(fault) = blanks.see(content(line)) {
            return Err(fault.at(place));
        }
        if let Some(cell) = digits.get_mut(count) {
            *cell = digit;
        }
        if count <= CELLS {
            last = place.line;
        }
        count += 1;
    }
    let place = Place { line: last, column: 1 };
    let wrong = || Fault::new(FaultKind::CellCount, Some(place)).number(count);
    if count == CELLS { Grid::new(digits).ok_or_else(wrong) } else { Err(wrong()) }
}

/// The lines of a record that are not blank, and how many lines stand before each.
fn lines_of_cells(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    (0..).zip(text.split_inclusive(|&byte| byte == b'\n')).filter(|(_, line)| !is_blank(line))
}

fn is_blank(line: &[u8]) -> bool {
    trim(line).is_empty()
}

/// Whether one blank line stands behind each cell of a sample, but for one in a while.
fn is_double_spaced(sample: &Sample<'_>) -> bool {
    let (mut apart, mut together) = (0_usize, 0_usize);
    // Cells without a break, and blank lines behind the last.
    let (mut cells, mut blank) = (0, 0);
    for line in sample.lines() {
        if is_blank(line) {
            blank += 1;
            continue;
        }
        if cell_on(line).is_none() {
            cells = 0;
        } else {
            apart += usize::from(cells > 0 && blank == 1);
            together += usize::from(cells > 0 && blank == 0);
            cells += 1;
        }
        blank = 0;
    }
    apart >= CELLS - 1 && apart > CELLS * together
}

/// Counts the cells of whole puzzles, if little else is there: no more bad lines than puzzles.
fn evidence(sample: &Sample<'_>, format: CellLines) -> u64 {
    let (mut seen, mut run, mut bad) = (0, 0, 0);
    let mut after_cell = false;
    let ends = [&b"\n"[..]; 2];
    for line in sample.lines().chain(ends.into_iter().filter(|_| sample.whole)) {
        if cell_on(line).is_some() {
            (run, after_cell) = (run + 1, true);
            continue;
        }
        if std::mem::take(&mut after_cell) && format.is_double_spaced && is_blank(line) {
            continue;
        }
        if !matches!(trim(line), [] | [b'#', ..]) && !is_text(line) {
            bad += CELLS as u64;
        }
        seen += if run == CELLS { CELLS as u64 } else { 0 };
        run = 0;
    }
    if bad > seen { 0 } else { seen }
}

#[cfg(test)]
mod tests {
    use crate::input::testing::{PUZZLE, dotted, drain, open, places, read, read_as};
    use crate::input::{FormatChoice, ReadOptions};
    use crate::record::Place;

    /// The puzzle, one cell a line.
    fn lines(blank: &str, end: &str) -> String {
        PUZZLE.chars().map(|cell| cell.to_string().replace('0', blank) + end).collect()
    }

    #[test]
    fn cells_on_lines_of_their_own() {
        for blank in ["0", ".", "-1", "null", "x"] {
            for end in ["\n", "\r\n", ",\n", " \n"] {
                let one = lines(blank, end);
                for (text, grids) in [
                    (one.clone(), 1),
                    (one.trim_end().to_owned(), 1),
                    (format!("{one}\n{one}\n\n{one}"), 3),
                    (format!("# two\nfirst puzzle\n{one}second puzzle\n{one}"), 2),
                ] {
                    assert_eq!(read(text.as_bytes()).show(), vec![dotted(); grids], "{text}");
                }
            }
        }
        let wide = lines("0", "\n\n");
        let text = format!("{wide}\n{wide}title\n\n{}", wide.trim_end());
        assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 3]);
        assert_eq!(places(text.as_bytes())[1][80], Place { line: 324, column: 1 });
        let source = || open(text.as_bytes(), &ReadOptions::default()).expect("cells");
        for target in [1, 50, 170] {
            assert_eq!(drain(source(), target).show(), vec![dotted(); 3], "{target}");
        }
        let short = format!("{wide}\n{}\n{wide}", wide.replacen("3\n\n", "", 1));
        assert_eq!(read(short.as_bytes()).show()[1], "322:1: 80 cells (expected 81)");
        let places = places(format!("\n {}", lines("0", "\n")).as_bytes());
        assert_eq!(
            (places[0][0], places[0][80]),
            (Place { line: 2, column: 2 }, Place { line: 82, column: 1 })
        );
    }

    #[test]
    fn a_line_more_or_less_makes_no_other_puzzle() {
        let one = lines("0", "\n");
        let short = one.replacen("3\n", "", 1);
        let long = format!("5\n{one}");
        let bad = |line: usize, cells: usize| format!("{line}:1: {cells} cells (expected 81)");
        let table = [
            (format!("{one}\n{short}\n{one}"), vec![dotted(), bad(162, 80), dotted()]),
            (format!("{one}\n{long}\n{one}"), vec![dotted(), bad(164, 82), dotted()]),
            // A puzzle of another kind is no title.
            (
                format!("{one}<row>500006080</row>\n"),
                vec![dotted(), "82:1: invalid character '<' (expected 1-9, 0 or .)".to_owned()],
            ),
            // Where one ends and the next begins cannot be told.
            (format!("{one}{one}\n{one}"), vec![bad(82, 162), dotted()]),
            (format!("{}\n{one}", one.repeat(30)), vec![bad(82, 810), dotted()]),
            (
                format!("{one}\n12\n{one}"),
                vec![dotted(), "83:1: invalid character '1' (expected 1-9, 0 or .)".to_owned(), dotted()],
            ),
            (
                format!("{}\n{one}", lines("-1", "\n").replacen("-1", "0", 1)),
                vec!["4:1: number '-1' (expected a digit 1-9, 0 or .)".to_owned(), dotted()],
            ),
        ];
        for (text, expected) in table {
            let reading = read_as(text.as_bytes(), "cell");
            assert_eq!(reading.show(), expected);
            for target in [1, 50, 170, 1000] {
                let options = ReadOptions { format: FormatChoice::named("cell"), ..ReadOptions::default() };
                let source = open(text.as_bytes(), &options).expect("the format is given");
                assert_eq!(drain(source, target).records, reading.records, "in batches of {target} bytes");
            }
        }
        // One bad line among puzzles leaves no doubt of the others, and a puzzle on a line is no title.
        for (bad, expected) in [
            ("12\n".to_owned(), "83:1: invalid character '1' (expected 1-9, 0 or .)"),
            ("<a>12.45.78.</a>\n".to_owned(), "83:1: invalid character '<' (expected 1-9, 0 or .)"),
            (format!("<a b=\"{PUZZLE}\"/>\n"), "83:1: invalid character '<' (expected 1-9, 0 or .)"),
        ] {
            let text = format!("{one}\n{bad}{one}\n{one}");
            assert_eq!(read_as(text.as_bytes(), "cell").show(), [&dotted(), expected, &dotted(), &dotted()]);
        }
        assert_eq!(read(format!("{one}\n12\n{one}").as_bytes()).records.len(), 3);
        // A list of numbers is no puzzle.
        for text in [one.repeat(2), short, "1\n2\n".repeat(50)] {
            assert!(open(text.as_bytes(), &ReadOptions::default()).is_err());
        }
    }
}
