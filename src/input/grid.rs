//! One puzzle on nine lines: bare or spaced grids, counted, titled, framed, `.sdk`.
//!
//! A record is nine row lines. Whatever is not known to be something else (blank line, `#` comment,
//! title, `[section]`, border) is a row, so that bad content keeps the rhythm and costs one grid, not
//! those behind it. A blank line, a title or a closed frame before the ninth row ends a grid early. What
//! only a look at several lines can tell (is `---|---|---` a border or a row of blanks? do blank lines
//! set bands apart?) is settled once per file, see [`Style`].

use std::sync::Arc;

use super::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, lone_integer, trim, walk};
use super::family::{Family, Sample};
use super::look::Excerpt;
use super::row::{box_drawing, has_bars, is_plain, read_row};
use super::{MAX_LINE, cells};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Want};
use crate::sudoku::verifier;
use crate::sudoku::{CELLS, Grid};

pub(super) const FAMILY: Family = Family {
    name: "grid",
    about: "Nine lines of nine cells: plain, spaced, framed or titled",
    has_columns: false,
    evidence,
    enough: CELLS as u64,
    open: |sample| Ok(Arc::new(Grids { style: style(sample) })),
};

/// Rows of a grid.
const SIDE: usize = 9;

/// Most digits that a count line has; with more it is a row that is too short.
const COUNT_DIGITS: usize = 6;

/// What the lines of one file mean, where that differs from file to file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Style {
    /// `-` or `_` stands for a blank cell, so that nine of them between bars are a row.
    dash_is_blank: bool,
    /// The first line that looks like a title or a count is a bad row of the first grid.
    starts_with_row: bool,
    /// Free text stands above the grids.
    titled: bool,
    /// A blank line stands after rows 3 and 6.
    bands_apart: bool,
    /// Borders stand after every row, not only after rows 3 and 6.
    borders_anywhere: bool,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Blank,
    Comment,
    /// `[Puzzle]` and the like.
    Section,
    Border,
    /// A word and a number, or a word that announces a puzzle.
    Title,
    /// Words, which are a title where one can stand and a bad row elsewhere.
    Words,
    Row,
}

#[derive(Debug)]
struct Grids {
    style: Style,
}

impl Format for Grids {
    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "\n", end: "" })
    }

    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let Some(length) = line_length(rest, end) else { return Step::Incomplete };
        let line = &rest[..length];
        let kind = kind_of(line, self.style);
        let skip = Step::Skip { length, lines: 1 };
        if kind == LineKind::Section {
            cursor.phase = if holds_no_puzzle(line) { Phase::OtherSection } else { Phase::Gap };
            return skip;
        }
        match (cursor.phase, kind) {
            (Phase::OtherSection, _) => skip,
            (Phase::Start, LineKind::Blank | LineKind::Comment | LineKind::Border) => skip,
            (Phase::Start, LineKind::Row)
                if !self.style.starts_with_row
                    && let Some(count) = count(line) =>
            {
                *cursor = Cursor { phase: Phase::Gap, promised: Some(count) };
                skip
            }
            (_, LineKind::Blank | LineKind::Comment | LineKind::Border | LineKind::Title) => {
                cursor.phase = Phase::Gap;
                skip
            }
            (Phase::Start, LineKind::Words) if self.style.starts_with_row => self.grid(cursor, rest, end),
            (phase, LineKind::Words) if phase != Phase::Records || self.style.titled => {
                cursor.phase = Phase::Gap;
                skip
            }
            _ => self.grid(cursor, rest, end),
        }
    }

    fn read(&self, cursor: Cursor, bytes: &[u8], line: u64, _: Want, out: &mut Records) {
        walk(self, cursor, bytes, line, |_, line, span| {
            let text = span.of(bytes);
            match self.read_grid(line, text) {
                Ok(grid) => out.push_sudoku(line, span, layout(text), grid),
                Err(fault) => out.push_fault(line, span, layout(text), fault),
            }
        });
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let found = self.rows(text).nth(cell / SIDE).and_then(|(before, row)| {
            let (_, at) = read_row(row).ok()?[cell % SIDE];
            Some(Place { line: line + before, column: at as u64 + 1 })
        });
        found.unwrap_or(Place { line, column: 1 })
    }
}

impl Grids {
    /// The grid that starts with the row at the start of `rest`.
    fn grid(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let Some((length, lines)) = self.grid_length(rest, end) else { return Step::Incomplete };
        cursor.phase = Phase::Records;
        Step::Record { length, lines }
    }

    /// Length and lines of the grid that starts with the row at the start of `rest`; `None` if its end
    /// is not there yet.
    fn grid_length(&self, rest: &[u8], end: TextEnd) -> Option<(usize, u64)> {
        let mut rows = 0;
        let mut bands = BandCount::default();
        // Behind the last row seen: where the grid ends if no other follows.
        let mut ended = (0, 0);
        let mut at = 0;
        let mut lines = 0;
        let mut other_bytes = 0;
        let mut blank_before = false;
        let mut border_before = false;
        loop {
            let Some(length) = line_length(&rest[at..], end) else {
                return (end == TextEnd::Last).then_some(ended);
            };
            let line = &rest[at..at + length];
            at += length;
            lines += 1;
            let kind = kind_of(line, self.style);
            match kind {
                LineKind::Row | LineKind::Words => {
                    rows += 1;
                    bands.row();
                    ended = (at, lines);
                    if rows >= SIDE && !(self.style.bands_apart && bands.uneven()) {
                        return Some(ended);
                    }
                }
                LineKind::Title | LineKind::Section => return Some(ended),
                LineKind::Blank => {
                    if !self.style.bands_apart || blank_before || bands.close() == 3 {
                        return Some(ended);
                    }
                }
                LineKind::Border if border_before => return Some(ended),
                LineKind::Border | LineKind::Comment => {}
            }
            if !matches!(kind, LineKind::Row | LineKind::Words) {
                other_bytes += length;
                if other_bytes > MAX_LINE {
                    return Some(ended);
                }
            }
            blank_before = kind == LineKind::Blank;
            border_before = kind == LineKind::Border;
        }
    }

    /// The row lines of a record, each with the number of lines before it.
    fn rows<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = (u64, &'a [u8])> {
        let style = self.style;
        (0..)
            .zip(lines_of(text))
            .filter(move |(_, line)| matches!(kind_of(line, style), LineKind::Row | LineKind::Words))
    }

    fn read_grid(&self, first_line: u64, text: &[u8]) -> Result<Grid, Fault> {
        let mut cells = [0; CELLS];
        let mut rows = 0;
        let mut lines = 0;
        let place = |line, at: usize| Place { line, column: at as u64 + 1 };
        let fault = |kind, line| Fault::new(kind, Some(place(line, 0)));
        for line in lines_of(text) {
            let number = first_line + lines;
            lines += 1;
            match kind_of(line, self.style) {
                LineKind::Row | LineKind::Words => {
                    let row = read_row(line).map_err(|(at, fault)| fault.at(place(number, at)))?;
                    if let Some(cells) = cells.get_mut(rows * SIDE..rows * SIDE + SIDE) {
                        cells.copy_from_slice(&row.map(|(digit, _)| digit));
                    }
                    rows += 1;
                }
                LineKind::Border if rows % 3 != 0 && !self.style.borders_anywhere => {
                    return Err(fault(FaultKind::Border, number).number(rows));
                }
                _ => {}
            }
        }
        match rows {
            SIDE => Ok(Grid::new(cells).expect("rows hold digits and blanks")),
            ..SIDE => Err(fault(FaultKind::CutOffGrid, first_line + lines).number(rows)),
            _ => Err(fault(FaultKind::RowCount, first_line).number(rows)),
        }
    }
}

/// Rows of each band of a grid whose bands are set apart.
#[derive(Default)]
struct BandCount {
    rows: usize,
    closed: usize,
    wrong: bool,
}

impl BandCount {
    fn row(&mut self) {
        self.rows += 1;
    }

    /// Whether some band so far had other than three rows.
    fn uneven(&self) -> bool {
        self.wrong || self.rows > 3
    }

    /// Ends a band; says how many have ended.
    fn close(&mut self) -> usize {
        self.wrong |= self.rows != 3;
        self.rows = 0;
        self.closed += 1;
        self.closed
    }
}

fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

/// `SpacedRows` if something stands between the first two characters of the first row.
fn layout(text: &[u8]) -> Layout {
    let row = trim(lines_of(text).next().unwrap_or_default());
    match row {
        [_, b' ' | b'\t' | b',' | b';', ..] if !has_bars(row) => Layout::SpacedRows,
        _ => Layout::Rows,
    }
}

/// The number on a line that can be a count of grids.
fn count(line: &[u8]) -> Option<u64> {
    let digits = lone_integer(line).filter(|digits| digits.len() <= COUNT_DIGITS && digits[0] != b'0')?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether a section of an `.sdk` file holds something else than a puzzle.
fn holds_no_puzzle(line: &[u8]) -> bool {
    const OTHERS: [&[u8]; 4] = [b"[state]", b"[solution]", b"[pencilmarks]", b"[candidates]"];
    OTHERS.iter().any(|name| trim(line).eq_ignore_ascii_case(name))
}

/// What a line is; most lines are nine cells, and that is seen at once.
fn kind_of(line: &[u8], style: Style) -> LineKind {
    let line = trim(line);
    match line {
        [] => return LineKind::Blank,
        [b'#', ..] => return LineKind::Comment,
        [b'[', .., b']'] => return LineKind::Section,
        [b'1'..=b'9', ..] => return LineKind::Row,
        _ if is_plain(line) => return LineKind::Row,
        _ => {}
    }
    if is_border(line, style) {
        LineKind::Border
    } else if is_title(line) {
        LineKind::Title
    } else if has_word(line) {
        LineKind::Words
    } else {
        LineKind::Row
    }
}

/// `Grid 01`, `Puzzle 3:`, `Sudoku`: a word that announces a puzzle, or any word and a number.
fn is_title(line: &[u8]) -> bool {
    const ANNOUNCING: [&[u8]; 9] =
        [b"grid", b"puzzle", b"sudoku", b"game", b"board", b"case", b"problem", b"level", b"no"];
    let letters = line.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(line.len());
    let (word, after) = line.split_at(letters);
    if ANNOUNCING.iter().any(|known| word.eq_ignore_ascii_case(known)) {
        return true;
    }
    let number = trim(after);
    let number = number.strip_prefix(b"#").unwrap_or(number);
    let number = number.strip_suffix(b":").unwrap_or(number);
    let apart = after.first().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'#'));
    has_word(word) && apart && !number.is_empty() && number.iter().all(u8::is_ascii_digit)
}

/// Whether there are three letters in a row, blanks like `xxx` apart.
fn has_word(line: &[u8]) -> bool {
    line.split(|byte| !byte.is_ascii_alphabetic())
        .any(|word| word.len() >= 3 && word.iter().any(|&byte| !cells::is_cell(byte)))
}

/// Whether a line only sets boxes apart: `+---+---+---+`, `------+-------+------`, `*-----------*`,
/// `|-----+-----|`, `-------|-------|-------`, or the like in box-drawing characters. A row of nine
/// blanks is none.
fn is_border(line: &[u8], style: Style) -> bool {
    let mut horizontals = 0;
    let mut joints = 0;
    let mut bars = 0;
    let mut rest = line;
    let mut only_joins = false;
    let mut adjacent_joints = false;
    let mut after_joint = false;
    while let Some(&byte) = rest.first() {
        let mut length = 1;
        let mut joint = false;
        match byte {
            b' ' | b'\t' => {}
            b'-' | b'_' => horizontals += 1,
            b'=' => {
                horizontals += 1;
                only_joins = true;
            }
            b'+' | b':' | b'\'' | b'`' => {
                joint = true;
                only_joins = true;
            }
            b'.' | b'*' => {
                joint = true;
                joints += 1;
            }
            b'|' => bars += 1,
            0xe2 => match box_drawing(rest) {
                Some(true) => {
                    bars += 1;
                    length = 3;
                }
                Some(false) => {
                    horizontals += 1;
                    only_joins = true;
                    length = 3;
                }
                None => return false,
            },
            _ => return false,
        }
        adjacent_joints |= joint && after_joint;
        after_joint = joint;
        rest = &rest[length..];
    }
    if horizontals == 0 {
        false
    } else if only_joins {
        true
    } else if horizontals + joints == SIDE {
        bars > 0 && joints == 0 && !style.dash_is_blank
    } else if style.dash_is_blank && bars == 0 && horizontals + joints <= SIDE + 1 {
        // A row of blanks that is too short or too long.
        false
    } else {
        horizontals > joints && horizontals >= 3 && !adjacent_joints
    }
}

/// Counts the cells of readable rows.
fn evidence(sample: &Sample<'_>) -> u64 {
    let style = style(sample);
    let is_row = |line: &&[u8]| kind_of(line, style) == LineKind::Row && read_row(line).is_ok();
    sample.record_lines().filter(is_row).count() as u64 * SIDE as u64
}

/// Finds out what the lines of a file mean.
fn style(sample: &Sample<'_>) -> Style {
    let mut style = Style::default();
    let has_digit = |line: &[u8]| line.iter().any(u8::is_ascii_digit);
    let is_row = |line: &[u8]| kind_of(line, style) == LineKind::Row && read_row(line).is_ok();
    let mut rows_with_digits =
        sample.record_lines().filter(|line| has_digit(line) && is_row(line)).peekable();
    style.dash_is_blank = rows_with_digits.peek().is_none()
        || rows_with_digits.any(|row| row.contains(&b'-') || row.contains(&b'_'));

    style.starts_with_row = starts_with_row(sample, style);

    let mut rows = 0;
    let mut bands = Vec::new();
    let mut borders = [false; SIDE];
    for line in sample.lines() {
        match kind_of(line, style) {
            LineKind::Words if rows == 0 && style.starts_with_row => rows += 1,
            LineKind::Title | LineKind::Words if rows == 0 && bands.is_empty() => style.titled = true,
            LineKind::Title | LineKind::Words | LineKind::Section => {}
            LineKind::Row
                if rows == 0 && bands.is_empty() && count(line).is_some() && !style.starts_with_row => {}
            LineKind::Row => rows += 1,
            LineKind::Border if rows < SIDE && bands.is_empty() => borders[rows] = true,
            LineKind::Blank if rows > 0 => {
                bands.push(rows);
                rows = 0;
            }
            LineKind::Blank | LineKind::Comment | LineKind::Border => {}
        }
    }
    style.borders_anywhere = borders[1] && borders[2];
    // A third band of three rows is complete, whatever follows.
    bands.push(rows);
    style.bands_apart = bands.starts_with(&[3, 3, 3]);
    style
}

/// Whether the first line of the first grid is a bad row that looks like a title or a count.
///
/// What follows tells: 8 rows, or 8 more than whole grids, miss one. Where the rows go on behind the
/// sample, the reading with fewer clashes of clues is right: a grid read from its second row on hardly ever
/// makes sense.
fn starts_with_row(sample: &Sample<'_>, style: Style) -> bool {
    /// Rows that decide between the two readings.
    const ENOUGH: usize = 20 * SIDE;
    let mut lines = sample.lines().skip_while(|line| {
        matches!(kind_of(line, style), LineKind::Blank | LineKind::Comment | LineKind::Border)
    });
    let doubtful = |line: &[u8]| match kind_of(line, style) {
        LineKind::Words => true,
        LineKind::Row => count(line).is_some(),
        _ => false,
    };
    if !lines.next().is_some_and(doubtful) {
        return false;
    }
    let mut rows = Vec::new();
    let mut ended = sample.whole;
    for line in lines {
        match kind_of(line, style) {
            LineKind::Row | LineKind::Words if rows.len() < ENOUGH => rows.push(line),
            LineKind::Row | LineKind::Words => {
                ended = false;
                break;
            }
            LineKind::Border | LineKind::Comment => {}
            LineKind::Blank | LineKind::Title | LineKind::Section => {
                ended = true;
                break;
            }
        }
    }
    if ended {
        return rows.len() % SIDE == SIDE - 1;
    }
    let senseless = |grids: &[[&[u8]; SIDE]]| grids.iter().filter(|grid| !makes_sense(grid)).count();
    let (from_second_row, _) = rows.get(SIDE - 1..).unwrap_or_default().as_chunks();
    // As many grids of the other reading: where no clues make sense, in either, the line is what it looks like.
    senseless(&rows.as_chunks().0[..from_second_row.len()]) > senseless(from_second_row)
}

/// Whether nine rows can be read and no clues clash.
fn makes_sense(rows: &[&[u8]; SIDE]) -> bool {
    let mut cells = [0; CELLS];
    for (cells, row) in cells.as_chunks_mut::<SIDE>().0.iter_mut().zip(rows) {
        let Ok(row) = read_row(row) else { return false };
        *cells = row.map(|(digit, _)| digit);
    }
    Grid::new(cells).is_some_and(|grid| verifier::clash(&grid).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{PUZZLE, dotted, places, read, rows};

    fn show(text: impl AsRef<[u8]>) -> Vec<String> {
        read(text.as_ref()).show()
    }

    fn row(i: usize) -> &'static str {
        &PUZZLE[i * 9..i * 9 + 9]
    }

    /// The puzzle with each row written by `write`, and something after each third row.
    fn framed(border: &str, write: impl Fn(&str) -> String) -> String {
        let bands = (0..3).map(|band| (0..3).map(|i| write(row(band * 3 + i)) + "\n").collect::<String>());
        let bands: Vec<String> = bands.collect();
        format!("{border}\n{}{border}\n{}{border}\n{}{border}\n", bands[0], bands[1], bands[2])
    }

    fn boxes(row: &str) -> [&str; 3] {
        [&row[..3], &row[3..6], &row[6..]]
    }

    fn apart(text: &str) -> String {
        text.chars().map(String::from).collect::<Vec<_>>().join(" ")
    }

    /// Once such a row was taken for a title or a count, and every grid was read one row too late.
    #[test]
    fn a_bad_first_row_that_looks_like_a_title_or_a_count_costs_one_grid() {
        for bad in ["hello", "abc456789", "OOO0O0012", "103000"] {
            for grids in [1, 4] {
                let shown = show(rows().repeat(grids).replacen(row(0), bad, 1));
                assert!(shown[0].starts_with("1:"), "{bad}: {shown:?}");
                assert_eq!(shown[1..], vec![dotted(); grids - 1], "{bad}");
            }
            // More rows than are looked at: then it is the clues that tell.
            let solution =
                "143628579572139468986754231391542786468917352725863914237481695619275843854396127";
            let puzzle = solution.replace('1', ".");
            let grid: String = (0..9).map(|i| format!("{}\n", &puzzle[9 * i..9 * i + 9])).collect();
            let shown = show(grid.repeat(1500).replacen(&puzzle[..9], bad, 1));
            assert!(shown[0].starts_with("1:"), "{bad}: {}", shown[0]);
            assert_eq!(shown[1..], vec![puzzle; 1499], "{bad}");
        }
        // A real title or count keeps its meaning, however many grids follow without a gap.
        for (head, grids) in [("hello", 4), ("103000", 4), ("hello", 1500), ("1500", 1500)] {
            assert_eq!(show(format!("{head}\n{}", rows().repeat(grids))), vec![dotted(); grids], "{head}");
        }
    }

    /// Once the title was taken for a row, since one more grid was looked at of the reading that was right.
    #[test]
    fn a_title_stays_one_above_grids_whose_clues_clash() {
        let clashing = rows().replacen("103", "113", 1);
        let shown = show(format!("hello\n{}", clashing.repeat(1500)));
        assert_eq!(shown, vec![dotted().replacen("1.3", "113", 1); 1500]);
    }

    #[test]
    fn bare_and_spaced_grids() {
        let bare = read(rows().as_bytes());
        assert_eq!((bare.show(), bare.records[0].layout), (vec![dotted()], Layout::Rows));
        for separator in [" ", "\t", ",", ", ", ";", "  "] {
            let text: String = (0..9).map(|i| apart(row(i)).replace(' ', separator) + "\r\n").collect();
            let reading = read(text.as_bytes());
            assert_eq!(reading.show(), [dotted()], "{separator:?}");
            assert_eq!(reading.records[0].layout, Layout::SpacedRows);
        }
        let groups: String = (0..9).map(|i| boxes(row(i)).join(" ") + "\n").collect();
        let reading = read(groups.as_bytes());
        assert_eq!((reading.show(), reading.records[0].layout), (vec![dotted()], Layout::Rows));
    }

    #[test]
    fn grids_follow_each_other_with_or_without_blank_lines() {
        let rows = rows();
        for between in ["", "\n", "\r\n \n", "# remark\n", "\n\n\n"] {
            let text = format!("{rows}{between}{rows}{between}{}", rows.trim_end());
            let reading = read(text.as_bytes());
            assert_eq!(reading.show(), vec![dotted(); 3], "{between:?}");
            let step = 9 + between.matches('\n').count() as u64;
            let lines: Vec<u64> = reading.records.iter().map(|record| record.line).collect();
            assert_eq!(lines, [1, 1 + step, 1 + 2 * step]);
        }
    }

    #[test]
    fn counted_grids() {
        let rows = rows();
        for between in ["", "\n"] {
            let reading = read(format!("2\n{between}{rows}{between}{rows}").as_bytes());
            assert_eq!((reading.show(), reading.notes.len()), (vec![dotted(); 2], 0));
            let reading = read(format!("5\n{rows}{between}{rows}").as_bytes());
            assert_eq!(reading.show(), vec![dotted(); 2]);
            assert_eq!(reading.notes, ["test: the count line promises 5 records, 2 came"]);
        }
    }

    #[test]
    fn titled_grids() {
        let rows = rows();
        let pairs = [
            ("Grid 01", "Grid 02"),
            ("Puzzle 1:", "Puzzle 2:"),
            ("SUDOKU #1 (easy)", "SUDOKU #2 (hard)"),
            ("No. 5", "No. 6"),
            ("Tough one by Bob", "An easy one"),
            ("Level 3", ""),
        ];
        for (first, second) in pairs {
            let reading = read(format!("{first}\n{rows}{second}\n{rows}").as_bytes());
            assert_eq!(reading.show(), vec![dotted(); 2], "{first}");
            assert_eq!(reading.records[1].line, 12);
        }
    }

    #[test]
    fn framed_grids() {
        let bars = |row: &str| format!("|{}|", boxes(row).join("|"));
        let spaced_bars = |row: &str| format!("| {} |", boxes(row).map(apart).join(" | "));
        let inner = |row: &str| format!(" {}", boxes(row).map(apart).join(" | "));
        let table: Vec<(&str, String)> = vec![
            ("simple", framed("+---+---+---+", bars)),
            ("star", framed("*-----------*", bars)),
            ("star with joints", framed(" *---+---+---*", |row| format!(" {}", bars(row)))),
            ("bar with joints", framed("|---+---+---|", bars)),
            ("dots", framed(".---.---.---.", bars)),
            ("colons", framed(":---+---+---:", bars)),
            ("spaced", framed("+-------+-------+-------+", spaced_bars)),
            ("spaced border", framed("+ - - - + - - - + - - - +", spaced_bars)),
            ("equals", framed("=========================", spaced_bars)),
            ("inner", framed("------+-------+------", inner)),
            ("qqwing", framed("-------|-------|-------", inner)),
            ("dashes", framed("-----------", |row| boxes(row).join("|"))),
            ("bar border", framed("---|---|---", |row| boxes(row).join("|"))),
            (
                "unicode",
                framed("├───┼───┼───┤", |row| {
                    format!("│{}│", boxes(row).join("│"))
                }),
            ),
            (
                "double",
                framed("╠═══════╬═══════╬═══════╣", |row| {
                    format!("║ {} ║", boxes(row).map(apart).join(" ║ "))
                }),
            ),
            ("only outer bars", framed("+---------+", |row| format!("|{row}|"))),
            (
                "every cell",
                framed("+-+-+-+-+-+-+-+-+-+", |row| format!("|{}|", apart(row).replace(' ', "|"))),
            ),
            (
                "every cell, wide",
                framed(
                    "╟───┼───┼───╫───┼───┼───╫───┼───┼───╢",
                    |row| format!("║ {} ║", apart(row).replace(' ', " │ ")),
                ),
            ),
        ];
        for (name, text) in table {
            let dots = text.replace('0', ".");
            // Inside frames a blank can be a space.
            let spaces = text.replace('0', " ");
            for text in [&text, &dots, &spaces] {
                let twice = format!("{text}{text}\n{text}");
                let reading = read(twice.as_bytes());
                assert_eq!(reading.show(), vec![dotted(); 3], "{name}\n{text}");
                assert!(reading.records.iter().all(|record| record.layout == Layout::Rows), "{name}");
            }
        }
    }

    #[test]
    fn borders_after_every_row() {
        let table: String =
            (0..9).map(|i| format!("| {} |\n+---+---+\n", apart(row(i)).replace(' ', " | "))).collect();
        assert_eq!(show(format!("+---+---+\n{table}\n+---+---+\n{table}")), vec![dotted(); 2]);
    }

    #[test]
    fn nine_dashes_are_a_row_of_blanks() {
        let empty = "---------\n".repeat(9);
        assert_eq!(show(&empty), [".".repeat(81)]);
        let text = rows().replace(row(4), "---------").replace('0', "-");
        let expected = dotted().replace(&row(4).replace('0', "."), ".........");
        assert_eq!(show(text), [expected]);
        // Between bars it depends on what a blank is in the rest of the file.
        let mut lines: Vec<String> = (0..9).map(|i| boxes(row(i)).join("|").replace('0', "-")).collect();
        lines[4] = "---|---|---".to_owned();
        let expected = dotted().replace(&row(4).replace('0', "."), ".........");
        assert_eq!(show(lines.join("\n")), [expected]);
    }

    /// What is a border elsewhere can be a row: nine blanks in groups, or too few of them to set anything apart.
    #[test]
    fn a_row_of_blanks_is_no_border() {
        let grouped: Vec<String> = (0..9).map(|i| boxes(row(i)).join(" ")).collect();
        let text = grouped.join("\n").replace(&grouped[4], "--- --- ---");
        assert_eq!(show(text), [dotted().replace(&row(4).replace('0', "."), ".........")]);
        let dashes = rows().replace('0', "-");
        let dashed_row = row(4).replace('0', "-");
        for (text, old, bad) in [
            (rows(), row(4), "--"),
            (rows(), row(4), "---..-"),
            (dashes.clone(), &dashed_row, "--------"),
            (dashes, &dashed_row, "----------"),
        ] {
            let shown = show(format!("{text}{}{text}", text.replace(old, bad)));
            let expected = format!("14:{}: {} cells (expected 9)", bad.len().min(9) + 1, bad.len());
            assert_eq!(shown, [dotted(), expected, dotted()], "{bad}");
        }
    }

    #[test]
    fn sdk_files() {
        let text = format!("#A Somebody\n#D Made up\n[Puzzle]\n{}[State]\n{}", rows(), rows());
        let reading = read(text.as_bytes());
        assert_eq!((reading.show(), reading.records[0].line), (vec![dotted()], 4));
        let text = format!("[Puzzle]\n{}[State]\n{}[Puzzle]\n{}", rows(), rows(), rows());
        assert_eq!(show(text), vec![dotted(); 2]);
    }

    #[test]
    fn blank_lines_between_bands() {
        let banded = framed("", str::to_owned).trim_start().to_owned();
        for between in ["", "\n", "Grid 02\n"] {
            let text = format!("{banded}{between}{banded}");
            assert_eq!(show(text), vec![dotted(); 2], "{between:?}");
        }
    }

    #[test]
    fn a_wrong_band_costs_one_grid() {
        let banded = framed("", str::to_owned).trim_start().to_owned();
        let short = banded.replacen(&format!("{}\n", row(1)), "", 1);
        let long = banded.replacen(&format!("{}\n", row(1)), &format!("{}\n", row(1)).repeat(2), 1);
        assert_eq!(
            show(format!("{banded}{short}{banded}")),
            [dotted(), "23:1: cut-off grid: 8 rows (expected 9)".to_owned(), dotted()]
        );
        assert_eq!(
            show(format!("{banded}{long}{banded}")),
            [dotted(), "13:1: 10 rows (expected 9)".to_owned(), dotted()]
        );
    }

    /// Once such a row was taken for nine cells, and the program ended.
    #[test]
    fn a_control_character_within_a_row_costs_one_grid() {
        for control in ["\r", "\x0b", "\x0c"] {
            let bad = rows().replacen(row(6), &format!("{control}{}", &row(6)[1..]), 1);
            let middle = rows().replacen(row(6), &format!("{}{control}{}", &row(6)[..4], &row(6)[5..]), 1);
            for bad in [bad, middle] {
                let shown = show(format!("{}{bad}{}", rows(), rows()));
                assert_eq!((&shown[0], &shown[2], shown.len()), (&dotted(), &dotted(), 3), "{control:?}");
                assert!(shown[1].starts_with("16:"), "{}", shown[1]);
            }
        }
    }

    #[test]
    fn a_bad_row_costs_one_grid() {
        let table: [(&[u8], &str); 14] = [
            (b"12345678", "2:9: 8 cells (expected 9)"),
            (b"1", "2:2: 1 cell (expected 9)"),
            (b"1234567891", "2:10: 10 cells (expected 9)"),
            (b"1234\x07678", "2:5: invalid character '\\x07' (expected 1-9, 0 or .)"),
            (
                b"\x00\x00\x00\x00\x00\x00\x00\x00\x00",
                "2:1: invalid character '\\x00' (expected 1-9, 0 or .)",
            ),
            (b"\xff\xfe345678", "2:1: invalid byte '\\xff' (expected 1-9, 0 or .)"),
            (b"hello world", "2:1: invalid character 'h' (expected 1-9, 0 or .)"),
            (b"garbage", "2:1: invalid character 'g' (expected 1-9, 0 or .)"),
            (b"  1234q6789", "2:7: invalid character 'q' (expected 1-9, 0 or .)"),
            (b"1 2 3 4 5 6 7 8", "2:16: 8 cells (expected 9)"),
            (b"10 2 3 4 5 6 7 8", "2:1: number '10' (expected a digit 1-9, 0 or .)"),
            (b"12 3456 789", "2:1: cells in uneven groups (expected 9 alone, 3 groups of 3 or 1 of 9)"),
            (b"1,2,3,4,5,6,7,8,9,1", "2:19: 10 cells (expected 9)"),
            (b"|1234|5678|", "2:1: 8 cells (expected 9)"),
        ];
        for (bad, expected) in table {
            for between in ["", "\n"] {
                // Wherever the row stands, the grids around it are untouched.
                for at in 0..9 {
                    let lines = rows();
                    let mut lines: Vec<&[u8]> = lines.lines().map(str::as_bytes).collect();
                    lines[at] = bad;
                    let grid = [&lines.join(&b'\n'), &b"\n"[..], between.as_bytes()].concat();
                    let good = rows() + between;
                    let text = [good.as_bytes(), &grid, good.as_bytes()].concat();
                    let line = 10 + at + between.len();
                    let shown = show(&text);
                    let expected = expected.replacen("2:", &format!("{line}:"), 1);
                    if at == 0 && !between.is_empty() && has_word(bad) {
                        // Words above eight rows: a title.
                        let expected = format!("{}:1: cut-off grid: 8 rows (expected 9)", line + 9);
                        assert_eq!(shown, [dotted(), expected, dotted()]);
                    } else if bad.len() == 16 && bad[0] == b'1' || bad.starts_with(b"|") {
                        assert_eq!(shown.len(), 3, "{} at {at}", bad.escape_ascii());
                        assert_eq!([&shown[0], &shown[2]], [&dotted(), &dotted()]);
                        assert!(shown[1].starts_with(&format!("{line}:")), "{}", shown[1]);
                    } else {
                        assert_eq!(shown, [dotted(), expected, dotted()], "{} at {at}", bad.escape_ascii());
                    }
                }
            }
        }
    }

    #[test]
    fn a_cut_off_grid_ends_at_a_blank_line_a_title_or_the_end() {
        let rows = rows();
        for kept in 1..9 {
            let part: String = rows.lines().take(kept).map(|line| format!("{line}\n")).collect();
            let plural = if kept == 1 { "row" } else { "rows" };
            let cut_off = format!("{}:1: cut-off grid: {kept} {plural} (expected 9)", 11 + kept);
            let blank = show(format!("\n{rows}\n{part}\n{rows}"));
            let expected = format!("{}:1: cut-off grid: {kept} {plural} (expected 9)", 12 + kept);
            assert_eq!(blank, [dotted(), expected, dotted()]);
            let title = show(format!("Grid 01\n{rows}{part}Grid 02\n{rows}"));
            assert_eq!(title, [dotted(), cut_off.clone(), dotted()]);
            let end = show(format!("\n{rows}{}", part.trim_end()));
            assert_eq!(end, [dotted(), cut_off]);
        }
    }

    #[test]
    fn a_border_in_the_wrong_place_makes_a_grid_invalid() {
        let good = framed("+---+---+---+", |row| format!("|{}|", boxes(row).join("|")));
        let line = format!("|{}|\n", boxes(row(1)).join("|"));
        let long = good.replacen(&line, &line.repeat(2), 1);
        let short = good.replacen(&line, "", 1);
        assert_eq!(
            show(format!("{good}{short}{good}")),
            [dotted(), "17:1: border after row 2 (expected after rows 3 and 6)".to_owned(), dotted()]
        );
        assert_eq!(
            show(format!("{short}{good}")),
            ["4:1: border after row 2 (expected after rows 3 and 6)".to_owned(), dotted()]
        );
        let shown = show(format!("{good}{long}{good}"));
        assert_eq!([&shown[0], &shown[shown.len() - 1]], [&dotted(), &dotted()]);
        assert_eq!(shown[1], "19:1: border after row 4 (expected after rows 3 and 6)");
        assert!(shown[2..shown.len() - 1].iter().all(|row| row.contains("cut-off")), "{shown:?}");
    }

    #[test]
    fn a_row_of_megabytes_is_one_bad_row() {
        let mut lines: Vec<String> = rows().lines().map(str::to_owned).collect();
        lines[4] = "1".repeat(3 << 20);
        let text = format!("{}{}\n{}", rows(), lines.join("\n"), rows());
        let expected = format!("14:{}: line longer than 1 MiB", (1 << 20) + 1);
        assert_eq!(show(text), [dotted(), expected, dotted()]);
    }

    #[test]
    fn comments_without_end_are_not_collected() {
        let comment = format!("#{}\n", "x".repeat(1 << 16));
        let text = format!("{}\n{}{}", row(0), comment.repeat(40), rows());
        let reading = read(text.as_bytes());
        assert_eq!(reading.show().last(), Some(&dotted()));
        assert!(reading.records.iter().all(|record| record.text.len() < 1 << 20));
        // As many as a line may be long belong to the grid, and no more.
        let comments = |bytes: usize| format!("#{}\n", "x".repeat(bytes / 2 - 2)).repeat(2);
        let (most, rest) = (1 << 20, rows()[10..].to_owned());
        assert_eq!(show(format!("{}\n{}{rest}", row(0), comments(most))), [dotted()]);
        let shown = show(format!("{}\n{}{rest}", row(0), comments(most + 2)));
        assert_eq!(shown[0], "2:1: cut-off grid: 1 row (expected 9)");
    }

    #[test]
    fn clues_are_found_again() {
        let bare = format!("# x\n{}", rows());
        assert_eq!(places(bare.as_bytes())[0][80], Place { line: 10, column: 9 });
        assert_eq!(places(bare.as_bytes())[0][9], Place { line: 3, column: 1 });
        let framed = framed("+---+---+---+", |row| format!("| {} |", boxes(row).map(apart).join(" | ")));
        let places = &places(framed.as_bytes())[0];
        assert_eq!(places[0], Place { line: 2, column: 3 });
        assert_eq!(places[3], Place { line: 2, column: 11 });
        assert_eq!(places[30], Place { line: 6, column: 11 });
        assert_eq!(places[80], Place { line: 12, column: 23 });
    }
}
