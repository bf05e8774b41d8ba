//! One puzzle of 81 cells on a line: plain lists and `.sdm`, counted lists, tdoku results, the exchange bank, and every
//! other way to write a grid on a line that `spread` knows: behind a name, in groups, each cell apart, as in source code.
//!
//! A line without a puzzle is one invalid record, unless it plainly is none: blank, behind a comment sign, a border,
//! brackets alone, words (more letters than cells, and nothing that sets the cells of this file apart) behind a blank line
//! or in a file that begins with words, a short title where such a line stands above each puzzle, a lone number before
//! the first record, which is the count of the code-golf corpus, or a lone 0, -1 or `end` behind it, which ends a list.
//!
//! Of a program with a few puzzles in it, what has few cells is no record. A complete line below a puzzle may be its
//! solution (`solved`) and is part of its record then.
//!
//! The rows of statements of SQL are a record each, several to a line (`sql`).
//!
//! A line whose first 81 characters are cells is a puzzle whatever follows, except another cell or puzzle. Lists of millions of
//! puzzles come this way, so a line of 81 cells and no more is not searched for its end; everything else goes line by
//! line, and what is no puzzle to the path that looks for it everywhere and explains what is wrong.

mod claim;
mod sql;
mod words;

use std::sync::Arc;

use memchr::{memchr, memmem};

use self::claim::{ClaimField, FIELDS_LOOKED_AT, SEPARATORS, claim_field, fields};
pub(super) use self::sql::is_dump;
use self::sql::{Dump, Tables};
use self::words::Words;
use super::batch::{
    Cursor, Format, Phase, Step, TextEnd, counts_rows, has_inner_carriage_return, line_length, lone_number,
    trim, wrong_count_line,
};
use super::beside::{self, BEFORE, BEHIND, Tell, bare, between, has_words, is_idle};
use super::blank::OddBlank;
use super::cells::Characters;
use super::chosen::is_puzzle_name;
use super::family::{Family, Sample, Seen};
use super::foreign;
use super::grid_line::{is_comment, is_nearly_row};
use super::look::Excerpt;
use super::row::{RowStyle, is_row};
use super::solved::{Pairs, Solutions};
use super::spread::{self, Found, LONG, Missing};
use super::{Columns, InputError, MAX_LINE, cells, json};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts, Want};
use crate::sudoku::{CELLS, Grid, SIDE};

pub(super) const FAMILY: Family = Family {
    name: "line",
    about: "One puzzle on a line: 81 characters, then anything",
    has_columns: false,
    look: |sample| {
        let (style, cells) = Style::of(sample);
        let is_any_column = sample.puzzle_column.is_none() && sample.solution_column.is_none();
        if is_any_column
            && !cells.is_all
            && let Some(tables) = Tables::of(sample, cells.count)
        {
            let open = move |sample: &Sample<'_>| {
                let style = Style { sql: true, ..style.clone() };
                let lines =
                    LineFormat { claim: None, style, claims: sample.claims, beside: Beside::default() };
                Ok(Arc::new(Dump { lines, tables: tables.clone() }) as Arc<dyn Format>)
            };
            return Seen { is_all: true, ..Seen::new(u64::MAX, open) };
        }
        let open = move |sample: &Sample<'_>| {
            if style.lone_solutions {
                return Err(InputError::Unreadable { name: sample.name.to_owned(), what: LONE.to_owned() });
            }
            let claim = claim_field(sample, &style);
            let style = Style { claimed: claim.is_some_and(|claim| claim.is_usual), ..style.clone() };
            let format = LineFormat { claim, style, claims: sample.claims, beside: Beside::default() };
            let beside = format.beside_of(sample);
            Ok(Arc::new(LineFormat { beside, ..format }) as Arc<dyn Format>)
        };
        // No table can have more than a puzzle a line, unless it is known to be one.
        let is_all = cells.is_all && is_any_column;
        Seen { is_all, ..Seen::new(cells.count, open) }
    },
    enough: FOUND,
};

/// What is said of a file whose puzzles cannot be read, so that their solutions are no puzzles either.
const LONE: &str = "solutions, and none of the puzzles above them can be read (expected 1-9, 0 or .)";

/// Evidence of a puzzle that does not fill its line: less than a table has that knows what stands beside it.
const FOUND: u64 = CELLS as u64 * 2 / 3;

/// Characters of a sukaku: 81 cells with 9 candidates each.
const SUKAKU: usize = 729;

/// Most digits that a count line has; with more it is a short puzzle.
const COUNT_DIGITS: usize = 12;

/// The exchange bank begins its lines with this many hexadecimal digits and a blank.
const BANK_ID: usize = 12;

/// Lines that end a list.
const CLOSING: [&[u8]; 4] = [b"0", b"-1", b"end", b"eof"];

/// Characters of a title that stands above a puzzle, and more.
const TITLE: usize = 20;

/// What may be a blank.
const BLANKS: [u8; 8] = *b"-_*.0?xX";

/// What may be a border, if it is no blank of the file.
const BORDER_BLANKS: [u8; 3] = *b"-_*";

#[derive(Debug)]
struct LineFormat {
    style: Style,
    /// Where the claimed solutions stand, if there are some.
    claim: Option<ClaimField>,
    /// Whether they are wanted.
    claims: bool,
    beside: Beside,
}

/// Columns of what stands beside the cells of lines.
const COLUMNS: [&str; 2] = ["before", "behind"];

/// What the first lines have beside their cells.
#[derive(Debug, Default)]
struct Beside {
    /// Which of [`COLUMNS`] there are.
    columns: Vec<usize>,
    /// What all have before their cells.
    label: Option<Vec<u8>>,
}

/// What the lines of one file look like.
#[derive(Clone, Debug, Default)]
struct Style {
    blank: OddBlank,
    /// Characters of borders, which are no blanks.
    borders: Characters,
    /// Which of [`BLANKS`] a puzzle without clues may be made of.
    empties: Characters,
    /// Whether words stand beside puzzles, as ids do.
    worded: bool,
    /// What stands beside most puzzles, like the comma of a list or the colon behind a name.
    mark: Option<u8>,
    /// The names before puzzles and solutions, where these are fields on lines of their own.
    labels: Vec<Vec<u8>>,
    /// Whether all grids are called solutions, and lines are called puzzles that cannot be read.
    lone_solutions: bool,
    /// Whether it is a dump of a database.
    sql: bool,
    /// Whether a short line stands above most puzzles.
    titled: bool,
    /// Whether the file begins with words.
    headed: bool,
    /// Which lines below puzzles are their solutions.
    solutions: Solutions,
    /// Whether it is a program or the like with a few puzzles in it.
    program: bool,
    /// Whether a field behind each puzzle holds its solution.
    claimed: bool,
    /// Further puzzles that lines have behind their own.
    further: usize,
}

impl Format for LineFormat {
    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "", end: "" })
    }

    fn note(&self, cursor: &Cursor, records: u64) -> Option<String> {
        let promised = cursor.promised.filter(|&promised| promised != records);
        let reopened = cursor.phase == Phase::Trailing;
        let reopened =
            reopened.then(|| "a lone 0 or -1, which ends a list, stands between puzzles".to_owned());
        let further = self.style.further;
        let further = (further > 0).then(|| {
            let are = if further == 1 {
                "1 more puzzle, which is"
            } else {
                &format!("{further} more puzzles, which are")
            };
            format!("most of the first lines have {are} not read: write each puzzle on a line of its own")
        });
        let reopened = reopened.or(further);
        promised.map(|promised| wrong_count_line(promised, records)).or(reopened).or_else(|| {
            let unclaimed = self.claims && !self.has_claims() && records > 0;
            unclaimed.then(|| "the first lines have no claimed solutions behind their puzzles".to_owned())
        })
    }

    fn has_claims(&self) -> bool {
        self.claim.is_some() || self.style.solutions != Solutions::None
    }

    fn columns(&self) -> Columns {
        let names = self.beside.columns.iter().map(|&column| COLUMNS[column].to_owned()).collect();
        Columns { names, ..Columns::default() }
    }

    fn carry(&self, records: &Records, bytes: &[u8], wanted: &[Option<usize>], out: &mut [Texts]) {
        for span in records.spans() {
            let parts = self.parts_beside(first_line(span.of(bytes)));
            for (texts, column) in out.iter_mut().zip(wanted) {
                let column = column.and_then(|column| self.beside.columns.get(column).copied());
                let part = parts.as_ref().zip(column).map(|(parts, column)| &*parts[column]);
                texts.push(part.filter(|part| !part.is_empty()));
            }
        }
    }

    fn beside(&self, records: &Records, bytes: &[u8], line: u64, before: u64, tell: Tell<'_>) {
        if self.style.program || self.style.sql {
            return;
        }
        between(records, bytes, line, before, tell);
        if self.beside.columns.len() == COLUMNS.len() {
            return;
        }
        for (row, span) in records.spans().iter().enumerate().filter(|&(row, _)| records.readable()[row]) {
            let Some(parts) = self.parts_beside(first_line(span.of(bytes))) else { continue };
            let says = [
                !is_idle(&parts[0], before + row as u64 + 1)
                    && self.beside.label.as_ref() != Some(&parts[0])
                    && self.style.labels.is_empty(),
                has_words(&parts[1]),
            ];
            for (column, what) in [BEFORE, BEHIND].into_iter().enumerate() {
                if says[column] && !self.beside.columns.contains(&column) {
                    tell(what, records.lines()[row], &parts[column]);
                }
            }
        }
    }

    #[inline]
    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let phase = cursor.phase;
        match self.line_step(cursor, rest, end) {
            Step::Record { length, .. } if self.style.solutions != Solutions::None => {
                let step = self.with_solutions(rest, length, end);
                if step == Step::Incomplete {
                    cursor.phase = phase;
                }
                step
            }
            step => step,
        }
    }

    fn read(&self, mut cursor: Cursor, bytes: &[u8], mut line: u64, want: Want, out: &mut Records) {
        let mut start = 0;
        loop {
            let rest = &bytes[start..];
            // A line of 81 cells and no more needs no search for its end.
            if let Some(text) = rest.first_chunk::<{ CELLS + 1 }>()
                && text[CELLS] == b'\n'
                && self.style.solutions == Solutions::None
                && !self.style.borders.contains(text[0])
                && let Some(grid) = text.first_chunk().and_then(Grid::from_text)
                && (has_clue(&grid) || self.style.is_meant(text, &Found::in_a_row(grid, 0)))
            {
                if want.claims {
                    out.claims.push(None);
                }
                out.push_sudoku(line, Span { start, length: CELLS + 1 }, Layout::Line, grid);
                cursor.phase = next_phase(cursor.phase);
                start += CELLS + 1;
                line += 1;
                continue;
            }
            let (length, lines) = match self.step(&mut cursor, rest, TextEnd::Last) {
                Step::Skip { length, lines } => (length, lines),
                Step::Record { length, lines } => {
                    let (text, span) = (&rest[..length], Span { start, length });
                    match puzzle_at(text, 0) {
                        _ if lines > 1 => self.read_solved(line, text, span, want, out),
                        Some(grid)
                            if text.len() <= MAX_LINE
                                && has_clue(&grid)
                                && self.style.puzzle_behind(text, CELLS, &grid).is_none() =>
                        {
                            if want.claims {
                                out.claims.push(self.read_claim(line, text, CELLS));
                            }
                            out.push_sudoku(line, span, Layout::Line, grid);
                        }
                        _ => self.read_other(line, text, span, want, out),
                    }
                    (length, lines)
                }
                Step::Incomplete => return,
            };
            start += length;
            line += lines;
        }
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let at = self.style.find(first_line(text)).ok().and_then(|found| found.places.get(cell).copied());
        Place { line, column: u64::from(at.unwrap_or(0)) + 1 }
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        if let Some((_, solution)) = self.solution_below(text) {
            return Some(solution.grid.to_text(b'.').to_vec());
        }
        let found = self.style.find(text).ok()?;
        match self.spread_claim(text, &found) {
            Some((grid, _)) => Some(grid.to_text(b'.').to_vec()),
            None => self.find_claim(text, found.end).map(|(_, field)| field.to_vec()),
        }
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        if let Some((before, solution)) = self.solution_below(text) {
            return Place { line: line + before, column: u64::from(solution.places[cell]) + 1 };
        }
        let at = self.style.find(text).ok().and_then(|found| match self.spread_claim(text, &found) {
            Some((_, places)) => places.get(cell).map(|&at| at as usize),
            None => self.find_claim(text, found.end).map(|(at, _)| at + cell),
        });
        Place { line, column: at.unwrap_or(0) as u64 + 1 }
    }
}

impl LineFormat {
    /// What a line has before and behind the cells of its puzzle, without its claim; `None` if that is nothing.
    fn parts_beside(&self, line: &[u8]) -> Option<[Vec<u8>; 2]> {
        let line = line.trim_ascii_end();
        if line.len() <= CELLS {
            return None;
        }
        let found = self.style.find(line).ok()?;
        let mut before = &line[..found.places[0] as usize];
        if self.style.sql {
            before = before.rsplit(|&byte| byte == b'(').next().unwrap_or_default();
        }
        let claim = match self.spread_claim(line, &found) {
            Some((_, places)) => Some(places[0] as usize..places[CELLS - 1] as usize + 1),
            None => self.find_claim(line, found.end).map(|(at, field)| at..at + field.len()),
        };
        let cells = 0..found.end;
        let behind = beside::without(line, std::iter::once(cells).chain(claim));
        Some([bare(before).to_vec(), behind])
    }

    /// What the first lines have beside their cells; of a program that is no more than its own words.
    fn beside_of(&self, sample: &Sample<'_>) -> Beside {
        const LINES_LOOKED_AT: usize = 200;
        let (mut befores, mut has_behind) = (Vec::new(), false);
        let mut number = 0;
        for line in sample.record_lines().take(LINES_LOOKED_AT).filter(|_| !self.style.program) {
            let parts = self.parts_beside(line);
            number += u64::from(parts.is_some() || line.len() > CELLS);
            let Some([before, behind]) = parts else { continue };
            has_behind |= has_words(&behind);
            if !is_idle(&before, number) {
                befores.push(before);
            }
        }
        let is_label = befores.len() > 1 && befores.iter().all(|before| *before == befores[0]);
        // Where puzzles and solutions are fields, their names stand there.
        let has_before = !befores.is_empty() && !is_label && self.style.labels.is_empty();
        let columns = [has_before, has_behind].into_iter().enumerate().filter(|(_, has)| *has);
        Beside {
            columns: columns.map(|(column, _)| column).collect(),
            label: befores.into_iter().next().filter(|_| is_label),
        }
    }

    /// What the next line is.
    #[inline]
    fn line_step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let Some(length) = line_length(rest, end) else { return Step::Incomplete };
        let line = &rest[..length];
        let first = match line[0] {
            byte if byte > b' ' => Some(byte),
            _ => line.iter().copied().find(|byte| !byte.is_ascii_whitespace()),
        };
        match first {
            None if length <= MAX_LINE => {
                if cursor.phase == Phase::Records {
                    cursor.phase = Phase::Gap;
                }
                Step::Skip { length, lines: 1 }
            }
            Some(b'#') if !has_inner_carriage_return(line) && !self.style.is_of_hashes(line) => {
                Step::Skip { length, lines: 1 }
            }
            _ if self.style.is_likely(line) => {
                cursor.phase = next_phase(cursor.phase);
                Step::Record { length, lines: 1 }
            }
            _ => self.other_step(cursor, line),
        }
    }

    /// The record that begins with a line of such a length: with it the lines below that are its solution, or say so.
    #[cold]
    fn with_solutions(&self, rest: &[u8], length: usize, end: TextEnd) -> Step {
        /// Most lines between a puzzle and its solution: blank ones, a title.
        const MOST_BETWEEN: u64 = 8;
        let alone = Step::Record { length, lines: 1 };
        let puzzle = self.style.find(&rest[..length]).ok();
        // A solution that is called so is no puzzle, even if its own cannot be read.
        let is_solution = |grid: &Grid, named: bool| match &puzzle {
            Some(puzzle) => self.style.solutions.has(&puzzle.grid, grid, named),
            None => named && grid.clues() as usize == CELLS,
        };
        let (mut record, mut named) = (alone, false);
        let (mut at, mut lines, mut between) = (length, 1, 0);
        while between <= MOST_BETWEEN {
            let Some(next) = line_length(&rest[at..], end) else {
                return if end == TextEnd::More { Step::Incomplete } else { record };
            };
            if at + next > MAX_LINE {
                break;
            }
            let line = &rest[at..at + next];
            (at, lines, between) = (at + next, lines + 1, between + 1);
            if let Ok(found) = self.style.find_any(line) {
                let named = named || self.style.is_named(line, &found);
                let is_first = record == alone;
                if !is_solution(&found.grid, named) || !named && !is_first {
                    break;
                }
                (record, between) = (Step::Record { length: at, lines }, 0);
            } else {
                let text = trim(line);
                let is_between = matches!(text, [] | [b'#', ..]) || self.style.is_remark(line);
                if !is_between && !self.style.is_words(line) {
                    break;
                }
                named |= cells::says_solution(text);
            }
        }
        record
    }

    /// The solution below a puzzle, and the lines before it in the text of the record.
    fn solution_below(&self, text: &[u8]) -> Option<(u64, Found)> {
        if self.style.solutions == Solutions::None {
            return None;
        }
        let lines = (0..).zip(text.split_inclusive(|&byte| byte == b'\n')).skip(1);
        lines.filter_map(|(before, line)| Some((before, self.style.find(line).ok()?))).next()
    }

    /// What comes next where a line is not blank, no `#` comment, and no puzzle at sight.
    fn other_step(&self, cursor: &mut Cursor, line: &[u8]) -> Step {
        let length = line.len();
        let skip = Step::Skip { length, lines: 1 };
        if self.style.is_remark(line) || self.style.program && self.style.is_code(line) {
            return skip;
        }
        if (self.style.headed || cursor.phase == Phase::Gap) && self.style.is_words(line)
            || cursor.phase == Phase::Start && self.style.is_text(line)
        {
            return skip;
        }
        if cursor.phase == Phase::Start {
            if let Some(count) = count(line) {
                *cursor = Cursor { phase: Phase::Records, promised: Some(count), ..*cursor };
                return skip;
            }
        } else if CLOSING.iter().any(|closing| trim(line).eq_ignore_ascii_case(closing)) {
            cursor.phase = Phase::Closed;
            return skip;
        }
        cursor.phase = next_phase(cursor.phase);
        Step::Record { length, lines: 1 }
    }

    /// Reads a puzzle with its solution below.
    #[cold]
    fn read_solved(&self, line: u64, text: &[u8], span: Span, want: Want, out: &mut Records) {
        let read = self.style.explain(line, first_line(text));
        if want.claims {
            let claim = self.solution_below(text).filter(|_| read.is_ok());
            out.claims.push(claim.map(|(_, found)| Ok(found.grid)));
        }
        out.push_puzzle(line, span, Layout::Line, read.map(|found| found.grid));
    }

    /// Reads a line that is not simply a puzzle at its start.
    #[cold]
    fn read_other(&self, line: u64, text: &[u8], span: Span, want: Want, out: &mut Records) {
        let read = self.style.explain(line, text);
        let solved = |found: &Found| found.grid.clues() as usize == CELLS;
        // Where a solution stands behind each puzzle, a solution alone is no puzzle.
        let read = match read {
            Ok(found) if self.claim.is_some() && solved(&found) && !self.style.is_at_start(text, &found) => {
                let place = Place { line, column: u64::from(found.places[0]) + 1 };
                Err(Fault::new(FaultKind::CellCount, Some(place)).number(0_u64))
            }
            read => read,
        };
        if want.claims {
            let claim = read.as_ref().ok().and_then(|found| match self.spread_claim(text, found) {
                Some((grid, _)) => Some(Ok(grid)),
                None => self.read_claim(line, text, found.end),
            });
            out.claims.push(claim);
        }
        out.push_puzzle(line, span, Layout::Line, read.map(|found| found.grid));
    }

    /// The claimed solution on a line whose cells end at `behind`, with its offset: what stands where the first lines
    /// have theirs, else the first field that is cells, more than a rating or a name ever has.
    fn find_claim<'a>(&self, text: &'a [u8], behind: usize) -> Option<(usize, &'a [u8])> {
        // Where lines have further puzzles, only what is complete claims anything.
        let is_puzzle = |field: &[u8]| {
            let grid = field.as_array().filter(|_| self.style.further > 0).and_then(Grid::from_text);
            grid.is_some_and(|grid| (grid.clues() as usize) < CELLS)
        };
        self.claim.and_then(|field| field.find(text, behind)).or_else(|| {
            let is_likely = |(_, field): &(usize, &[u8])| cells::run(field) > CELLS / 2 && !is_puzzle(field);
            let likely =
                |separator| fields(&text[behind..], separator).take(FIELDS_LOOKED_AT).find(is_likely);
            SEPARATORS.into_iter().find_map(likely).map(|(at, field)| (behind + at, field))
        })
    }

    /// What a line claims whose cells end at `behind`.
    fn read_claim(&self, line: u64, text: &[u8], behind: usize) -> Option<Result<Grid, Fault>> {
        let (field_at, field) = self.find_claim(text, behind)?;
        let place = |at| Place { line, column: (field_at + at) as u64 + 1 };
        Some(cells::grid(field, &cells::CLAIM).map_err(|(at, fault)| fault.at(place(at))))
    }

    /// The claimed solution of a puzzle whose cells do not stand in a row, which is written like it, and the places of
    /// its cells.
    fn spread_claim(&self, text: &[u8], found: &Found) -> Option<(Grid, [u32; CELLS])> {
        if found.solution.is_some() {
            return found.solution;
        }
        // Digits behind the cells of a HoDoKu library are candidates.
        if text.trim_ascii_start().starts_with(b":") && spread::hodoku(text).is_some() {
            return None;
        }
        if found.places[CELLS - 1] - found.places[0] < CELLS as u32 {
            return None;
        }
        let rest = &text[found.end..];
        let start = rest.iter().position(|byte| !b"])} \t,;|\"'".contains(byte)).unwrap_or(0);
        let claim = spread::find(&rest[start..], self.style.blank).ok()?;
        let is_complete = claim.grid.clues() as usize == CELLS;
        is_complete.then(|| (claim.grid, claim.places.map(|at| at + (found.end + start) as u32)))
    }
}

/// The number on a line that can be a count of puzzles.
fn count(line: &[u8]) -> Option<u64> {
    lone_number(line, COUNT_DIGITS).filter(|_| !matches!(trim(line), [b'0', _, ..]))
}

/// The puzzle whose cells start at `start`, if there is one.
#[inline]
fn puzzle_at(text: &[u8], start: usize) -> Option<Grid> {
    let bytes = text.get(start..)?;
    let grid = Grid::from_text(bytes.first_chunk::<CELLS>()?)?;
    match bytes.get(CELLS..) {
        // The line end of old Macs: what follows would be further puzzles, not a remark.
        Some([b'\r', after, ..]) if *after != b'\n' => None,
        Some([byte, ..]) if cells::is_cell(*byte) => None,
        _ => Some(grid),
    }
}

/// Where puzzles begin that stand behind another on its line: grids that are neither complete nor the same puzzle with
/// more digits, as solutions and what was filled in so far are.
fn puzzles_behind(line: &[u8], end: usize, puzzle: &Grid) -> impl Iterator<Item = usize> {
    let mut at = end;
    line[end..].split(|&byte| !cells::is_cell(byte)).filter_map(move |run| {
        // Where a line end was lost, the next puzzle stands behind the solution of this one.
        let before = if run.len() == 2 * CELLS { CELLS } else { 0 };
        let start = at + before;
        at += run.len() + 1;
        let grid = Grid::from_text(run[before..].as_array()?)?;
        is_another(&grid, puzzle).then_some(start)
    })
}

/// Whether a grid behind a puzzle is another puzzle, and neither its solution nor what was filled in so far.
fn is_another(grid: &Grid, puzzle: &Grid) -> bool {
    let is_more =
        || puzzle.cells().iter().zip(grid.cells()).all(|(&clue, &digit)| clue == 0 || clue == digit);
    has_clue(grid) && (grid.clues() as usize) < CELLS && !is_more()
}

/// Whether a grid has a clue; nearly all have one in their first row.
#[inline]
fn has_clue(grid: &Grid) -> bool {
    grid.cells().iter().any(|&digit| digit != 0)
}

/// The first line of a text, line end included.
fn first_line(text: &[u8]) -> &[u8] {
    &text[..memchr(b'\n', text).map_or(text.len(), |at| at + 1)]
}

fn indent(text: &[u8]) -> usize {
    text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0)
}

/// Where the cells of an exchange bank line start, or `indent` again if it is not one.
fn bank_start(text: &[u8], indent: usize) -> usize {
    let body = &text[indent..];
    let is_bank = body.len() > BANK_ID
        && body[..BANK_ID].iter().all(u8::is_ascii_hexdigit)
        && matches!(body[BANK_ID], b' ' | b'\t');
    if is_bank { indent + BANK_ID + 1 } else { indent }
}

/// The phase behind a record.
fn next_phase(phase: Phase) -> Phase {
    match phase {
        Phase::Closed | Phase::Trailing => Phase::Trailing,
        _ => Phase::Records,
    }
}

impl Style {
    /// Finds out what the lines of a file look like, and how many of them can be read.
    fn of(sample: &Sample<'_>) -> (Self, Evidence) {
        /// Puzzles beside which words are looked for.
        const MOST_WITH_WORDS: usize = 16;
        /// Puzzles, at least, of which most have others behind them where that is no damage; and other lines to each in a
        /// program.
        const FEWEST: usize = 4;
        /// Names before puzzles that are those of fields.
        const MOST_LABELS: usize = 3;
        let blank = odd_blank(sample);
        let mut style = Self { blank, ..Self::default() };
        let (mut puzzles, mut titles) = (0_usize, 0);
        let mut marks = [0_usize; MARKS.len()];
        let mut signs = [false; 256];
        let mut empties = Vec::new();
        let mut title_before = false;
        let (mut pairs, mut named) = (Pairs::default(), false);
        let mut others = 0;
        let mut further = Vec::new();
        let (mut labels, mut labelled) = (Vec::new(), 0);
        let (mut solutions, mut has_unread) = (0, false);
        let mut evidence = Evidence { count: 0, is_all: true };
        for line in sample.record_lines() {
            let found = style.find_any(line);
            if found.as_ref().is_ok_and(|found| !has_clue(&found.grid)) {
                empties.push(line);
                continue;
            }
            evidence.see(line, found.as_ref());
            let Ok(found) = found else {
                named |= cells::says_solution(trim(line));
                has_unread |= is_labelled_puzzle(line);
                others += 1;
                title_before = can_be_title(trim(line));
                continue;
            };
            let is_solution = style.is_named(line, &found);
            solutions += usize::from(is_solution && found.grid.clues() as usize == CELLS);
            pairs.see(&found.grid, named || is_solution);
            named = false;
            further.extend(
                Some(puzzles_behind(line, found.end, &found.grid).count()).filter(|&count| count > 0),
            );
            puzzles += 1;
            if labels.len() <= MOST_LABELS
                && let Some(label) = label_of(&line[..found.places[0] as usize])
            {
                labelled += 1;
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
            titles += usize::from(title_before);
            title_before = false;
            for byte in found.places.iter().filter_map(|&at| line.get(at as usize)) {
                signs[usize::from(*byte)] = true;
            }
            let before = trim(&line[..found.places[0] as usize]).last();
            let after = line.get(found.end);
            for (count, mark) in marks.iter_mut().zip(MARKS) {
                *count += usize::from(before == Some(&mark) || after == Some(&mark));
            }
        }
        let is_used = |sign: &u8| signs[usize::from(*sign)];
        if puzzles > 0 {
            style.borders = BORDER_BLANKS.into_iter().filter(|sign| !is_used(sign)).collect();
        }
        style.empties = BLANKS.into_iter().filter(is_used).collect();
        // A puzzle without clues in no other's company is one of dots or zeros, in a file without words.
        let is_word = |line: &[u8]| style.find_any(line).is_err() && Words::of(line, &style).has_word;
        if puzzles > 0 || !empties.is_empty() && !sample.record_lines().any(is_word) {
            style.empties.insert(b'.');
            style.empties.insert(b'0');
        }
        let puzzle_on = |line| Some((line, style.find_any(line).ok().filter(|found| has_clue(&found.grid))?));
        let mut first = sample.record_lines().filter_map(puzzle_on).take(MOST_WITH_WORDS);
        style.worded = first.any(|(line, found)| style.has_words_beside(line, &found));
        for line in empties {
            let found = style.find(line);
            puzzles += usize::from(found.is_ok());
            evidence.see(line, found.as_ref());
        }
        style.solutions = pairs.solutions();
        style.lone_solutions = has_unread && puzzles > 0 && solutions == puzzles;
        style.program = puzzles > 0 && others > FEWEST * puzzles && foreign::is_program(sample);
        further.sort_unstable();
        let is_usual = puzzles >= FEWEST && 2 * further.len() > puzzles;
        style.further = further.get(further.len() / 2).copied().filter(|_| is_usual).unwrap_or(0);
        style.titled = titles > 1 && 2 * titles >= puzzles;
        let usual = MARKS.into_iter().zip(marks).max_by_key(|&(_, count)| count);
        style.mark = usual.filter(|&(_, count)| 2 * count > puzzles).map(|(mark, _)| mark);
        let are_fields = labels.len() <= MOST_LABELS && labelled > labels.len() && 2 * labelled > puzzles;
        if are_fields && style.solutions != Solutions::None {
            style.labels = labels.into_iter().map(<[u8]>::to_vec).collect();
        }
        style.sql = others > 0 && foreign::is_sql(sample);
        // Of a table with bars the puzzles would be in one column.
        if style.solutions != Solutions::None && style.mark == Some(b'|') {
            evidence.count += pairs.count() as u64 * (CELLS as u64 + 1 - FOUND);
        }
        let mut first = sample.record_lines().skip_while(|line| style.is_remark(line));
        style.headed = first.next().is_some_and(|line| style.is_words(line));
        // A lone number is a count line without its lines.
        let mut lines = sample.record_lines();
        if lines.next().is_some_and(|line| count(line).is_some()) && lines.next().is_none() {
            evidence = Evidence { count: 1, is_all: false };
        }
        evidence.is_all &= puzzles > 0;
        (style, evidence)
    }

    /// The puzzle on a line.
    fn find(&self, text: &[u8]) -> Result<Found, Missing> {
        let is_puzzle = |found: &Found| has_clue(&found.grid) || self.is_meant(text, found);
        self.find_any(text)
            .and_then(|found| if is_puzzle(&found) { Ok(found) } else { Err(Missing::Nothing) })
    }

    /// Whether the words before a grid say that it is a solution.
    fn is_named(&self, line: &[u8], found: &Found) -> bool {
        cells::says_solution(&line[..found.places[0] as usize])
    }

    /// Where a puzzle begins that stands behind that of a line, whose cells end at `end`, and is one too many.
    #[inline]
    fn puzzle_behind(&self, line: &[u8], end: usize, puzzle: &Grid) -> Option<usize> {
        let behind = &line[end..];
        // A solution and a number leave no room for another grid.
        if behind.len() <= CELLS || self.claimed && behind.len() < CELLS + LONG {
            return None;
        }
        puzzles_behind(line, end, puzzle).nth(self.further)
    }

    /// Whether 81 blanks are a puzzle: of one character that is a blank of this file, and no words beside them where other
    /// puzzles have none.
    #[cold]
    fn is_meant(&self, text: &[u8], found: &Found) -> bool {
        let sign = |at: &u32| text.get(*at as usize);
        let first = sign(&found.places[0]);
        let is_blank = |first: &u8| self.empties.contains(*first) || !BLANKS.contains(first);
        found.places.iter().all(|at| sign(at) == first)
            && first.is_some_and(is_blank)
            && (self.worded || !self.has_words_beside(text, found))
    }

    /// Whether a line begins with digits and the `#` that are the blanks of this file, and is no comment.
    #[cold]
    fn is_of_hashes(&self, line: &[u8]) -> bool {
        let line = trim(line);
        let is_cell = |byte: &u8| matches!(byte, b'#' | b'1'..=b'9');
        self.blank.cell(b"#").is_some()
            && line.iter().take_while(|byte| is_cell(byte)).count() == CELLS
            && line.iter().take(CELLS).any(u8::is_ascii_digit)
    }

    fn has_words_beside(&self, text: &[u8], found: &Found) -> bool {
        let has_word = |part: &[u8]| Words::of(part, self).has_word;
        has_word(&text[..found.places[0] as usize]) || has_word(&text[found.end..])
    }

    /// The 81 cells of a line, be they a puzzle or all blank.
    fn find_any(&self, text: &[u8]) -> Result<Found, Missing> {
        let indent = indent(text);
        for start in [indent, bank_start(text, indent)] {
            if let Some(grid) = puzzle_at(text, start) {
                return Ok(Found::in_a_row(grid, start));
            }
        }
        if text.len() < CELLS || text.len() > MAX_LINE + 1 || has_inner_carriage_return(text) {
            return Err(Missing::Nothing);
        }
        match spread::hodoku(text) {
            Some(found) => Ok(found),
            None => spread::find(text, self.blank),
        }
    }

    /// Whether a puzzle fills the start of its line.
    fn is_at_start(&self, text: &[u8], found: &Found) -> bool {
        found.places[0] as usize == indent(text)
    }

    /// Whether a line is a record without a second look: it has cells wherever one looks.
    #[inline]
    fn is_likely(&self, line: &[u8]) -> bool {
        let is_cell = |at: usize| cells::is_cell(line[at]);
        line.len() > CELLS
            && is_cell(0)
            && is_cell(CELLS / 2)
            && is_cell(CELLS - 1)
            && !self.borders.contains(line[0])
    }

    /// Whether a line that is not blank and no `#` comment plainly is no record; see the head of this file.
    fn is_remark(&self, line: &[u8]) -> bool {
        if line.len() > MAX_LINE || has_inner_carriage_return(line) {
            return false;
        }
        let line = trim(line);
        // A puzzle behind what begins a comment may be one.
        let is_comment = is_comment(line)
            && self.blank.cell(line).is_none_or(|_| line[0] == b'-')
            && Words::of(line, self).longest < LONG;
        if is_comment || self.is_border(line) || is_default(line) || json::is_section(line) {
            return true;
        }
        is_brackets(line)
            || self.titled && can_be_title(line) && !self.is_field(line)
            || self.is_between_borders(line)
            || self.is_other_field(line)
            || !self.labels.is_empty() && counts_rows(line)
            || self.sql && self.is_statement(line)
    }

    /// Whether a line is words that are part of no record.
    fn is_words(&self, line: &[u8]) -> bool {
        let words = Words::of(line, self);
        words.has_word
            && words.letters > words.cells
            && words.longest < LONG
            && line.len() <= MAX_LINE
            && !has_inner_carriage_return(line)
            && self.mark.is_none_or(|mark| !line.contains(&mark))
            && self.find(line) == Err(Missing::Nothing)
    }

    /// Whether a line among few puzzles is plainly none: it has few cells, or more letters.
    fn is_code(&self, line: &[u8]) -> bool {
        let words = Words::of(line, self);
        words.longest < LONG
            && (words.cells < LONG || words.has_word && words.letters > words.cells)
            && !is_nearly_row(line)
            && !is_row(line, RowStyle::default())
            && line.len() <= MAX_LINE
            && !has_inner_carriage_return(line)
            && spread::find(line, self.blank) == Err(Missing::Nothing)
    }

    /// Whether a line above the first record is text: far from a puzzle, and more than cells and what stands between them.
    fn is_text(&self, line: &[u8]) -> bool {
        let words = Words::of(line, self);
        let is_more_than_a_name = words.has_word || line.trim_ascii().contains(&b' ');
        is_more_than_a_name
            && words.longest < LONG / 2
            && words.cells < LONG
            && line.len() <= MAX_LINE
            && !has_inner_carriage_return(line)
            && !cells::are_all(line)
            && !is_row(line, RowStyle::default())
            && (words.has_word && words.cells < SIDE || self.mark.is_none_or(|mark| !line.contains(&mark)))
            && spread::find(line, self.blank) == Err(Missing::Nothing)
    }

    /// Whether a line is one character over and over, which is no blank here, or such characters between bars.
    fn is_border(&self, line: &[u8]) -> bool {
        let is_rule = |byte: &u8| self.borders.contains(*byte) && *byte != b'*' || b"|+=: ".contains(byte);
        if line.len() >= 3
            && line.iter().any(|&byte| byte == b'-' && self.borders.contains(byte))
            && line.iter().all(is_rule)
        {
            return true;
        }
        let sign = line[0];
        let is_sign =
            self.borders.contains(sign) || b"=~+\"'`/\\".contains(&sign) && self.blank.cell(line).is_none();
        is_sign && line.len() >= 3 && line.iter().all(|&byte| byte == sign || byte == b' ')
    }

    /// Whether borders stand on both sides of a word or a number: `*** 10. row ***`, `-[ RECORD 2 ]---`.
    fn is_between_borders(&self, line: &[u8]) -> bool {
        let is_sign = |byte: &&u8| {
            self.borders.contains(**byte) || b"=~+".contains(byte) && self.blank.cell(&[**byte]).is_none()
        };
        let before = line.iter().take_while(is_sign).count();
        let after = line.iter().rev().take_while(is_sign).count();
        let within = line.get(before..line.len() - after).unwrap_or_default();
        before > 0 && after >= 3 && within.len() <= TITLE && cells::run(within) < CELLS / 9
    }

    /// Whether a line is the field of a puzzle or a solution, in a file of lines with fields.
    fn is_field(&self, line: &[u8]) -> bool {
        label_of(line).is_some_and(|label| self.labels.iter().any(|known| known == label))
    }

    /// Whether a line is a field without a puzzle, in a file of such lines, or says in words that there is no solution.
    fn is_other_field(&self, line: &[u8]) -> bool {
        let Some(label) = label_of(line).filter(|_| !self.labels.is_empty()) else { return false };
        let words = Words::of(line, self);
        let has_few = || words.cells < LONG || spread::find(line, self.blank) == Err(Missing::Nothing);
        let is_far = words.longest < LONG && has_few();
        is_far
            && match cells::says_solution(&line[..=label.len()]) {
                true => words.has_word && words.letters > words.cells,
                false => !self.is_field(line),
            }
    }

    /// Whether a line of a dump of a database is no row of a table.
    fn is_statement(&self, line: &[u8]) -> bool {
        let values = memmem::find(line, b"VALUES").or_else(|| memmem::find(line, b"values"));
        let has_values = values.is_some_and(|at| line[at..].contains(&b'('));
        let words = Words::of(line, self);
        !line.starts_with(b"(") && !has_values && words.longest < LONG && words.cells < LONG
    }

    /// Reads a line, or says what is wrong with it.
    fn explain(&self, line: u64, text: &[u8]) -> Result<Found, Fault> {
        let at = |at: usize, fault: Fault| Err(fault.at(Place { line, column: at as u64 + 1 }));
        let fault = |kind| Fault::new(kind, None);
        let bare = text.strip_suffix(b"\n").unwrap_or(text);
        if bare.len() > MAX_LINE {
            return at(MAX_LINE, fault(FaultKind::LineTooLong));
        }
        let missing = match self.find(text) {
            Ok(found) => {
                return match self.puzzle_behind(text, found.end, &found.grid) {
                    Some(behind) => at(behind, fault(FaultKind::CellCount).number(2 * CELLS)),
                    None => Ok(found),
                };
            }
            Err(missing) => missing,
        };
        if let Ok(found) = self.find_any(text) {
            return at(found.places[0] as usize, fault(FaultKind::NoClue));
        }
        let bare = bare.trim_ascii_end();
        let mut start = indent(bare);
        if let ([b'#', ..], Some(within)) = (&bare[start..], memchr(b'\r', &bare[start..])) {
            return at(start + within, fault(FaultKind::CarriageReturn));
        }
        // Half a puzzle behind what looks like an identifier: the identifier is one.
        let bank = bank_start(bare, start);
        if cells::run(&bare[bank..]) > CELLS / 2 {
            start = bank;
        }
        let count = cells::run(&bare[start..]);
        let stop = start + count;
        match missing {
            // Cells apart, or a puzzle behind what the puzzles of this file stand behind.
            Missing::Count { cells, tokens, at: found }
                if tokens > 1 || count == 0 && self.mark.is_some() =>
            {
                return at(found, fault(FaultKind::CellCount).number(cells));
            }
            _ => {}
        }
        match bare.get(stop) {
            _ if count == SUKAKU => at(start + CELLS, fault(FaultKind::Sukaku).number(count)),
            _ if count > CELLS => at(start + CELLS, fault(FaultKind::CellCount).number(count)),
            Some(b'\r') if count == CELLS => at(stop, fault(FaultKind::CarriageReturn)),
            None | Some(b' ' | b'\t' | b',' | b';' | b'#' | b':') if count > 0 => {
                at(stop, fault(FaultKind::CellCount).number(count))
            }
            Some(_) => at(stop, cells::invalid_character(bare, stop)),
            None => at(stop, fault(FaultKind::CellCount).number(0_u64)),
        }
    }
}

/// What can stand between the cells of a record and what else is on its line.
const MARKS: [u8; 7] = *b",;:=\"'|";

/// The character that fills lines of otherwise digits, and no usual blank with it: in a line that has both, it is an
/// error.
fn odd_blank(sample: &Sample<'_>) -> OddBlank {
    /// Blanks that a puzzle has at least.
    const FEWEST: usize = 8;
    let others = sample.record_lines().filter(|line| puzzle_at(line, indent(line)).is_none());
    let stretches = others.flat_map(|line| {
        line.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'"' | b'\''))
            .filter_map(|word| {
                let word = first_characters(word)?;
                let digits = word.iter().filter(|byte| matches!(byte, b'1'..=b'9')).count();
                let usual = word.iter().any(|&byte| cells::digit(byte) == 0);
                (digits > 0 && digits + FEWEST <= CELLS && !usual).then_some(word)
            })
    });
    OddBlank::learn(stretches, CELLS)
}

/// The first 81 characters of a text, if it has so many.
fn first_characters(text: &[u8]) -> Option<&[u8]> {
    let mut at = 0;
    if text.len() < CELLS {
        return None;
    }
    for _ in 0..CELLS {
        at += spread::first_character(&text[at..])?.len_utf8();
    }
    Some(&text[..at])
}

/// Whether a line says what a column of a table has where nothing is given, as dumps of databases do: blanks.
fn is_default(line: &[u8]) -> bool {
    let at = memchr::memmem::find(line, b" DEFAULT '");
    at.is_some_and(|at| !line[at..].iter().any(|byte| matches!(byte, b'1'..=b'9')))
}

/// Whether a line is nothing but brackets that open or close a list, which holds more than nothing.
fn is_brackets(line: &[u8]) -> bool {
    let is_made_of = |brackets: &[u8]| {
        line.iter().any(|byte| brackets.contains(byte))
            && line.iter().all(|byte| brackets.contains(byte) || b" ,;".contains(byte))
    };
    is_made_of(b"[{(") || is_made_of(b"]})")
}

/// The name at the start of a line that a colon, a sign of equality or a bar follows.
fn label_of(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii_start();
    let label = line[..line.iter().position(|byte| b":=|".contains(byte))?].trim_ascii_end();
    let is_name = label.len() <= TITLE && label.first().is_some_and(u8::is_ascii_alphabetic);
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || b"_- ".contains(byte);
    (is_name && label.iter().all(is_part)).then_some(label)
}

/// Whether a line says that it is a puzzle, or what follows it.
fn is_labelled_puzzle(line: &[u8]) -> bool {
    label_of(line).filter(|label| is_puzzle_name(label)).is_some_and(|label| {
        let rest = &trim(line)[label.len()..];
        rest.len() > CELLS / 2 || rest.trim_ascii().len() == 1
    })
}

/// Whether a line can be the title of the puzzle below it, and is no row of a grid.
fn can_be_title(line: &[u8]) -> bool {
    let is_date = matches!(line, [_, _, _, _, b'-', _, _, b'-', _, _]);
    line.len() < TITLE && (is_date || cells::run(line) < line.len() || line.len() < CELLS / 9)
}

/// The cells of lines that can be read.
#[derive(Clone, Copy, Debug)]
struct Evidence {
    count: u64,
    /// Whether each line begins with a puzzle.
    is_all: bool,
}

impl Evidence {
    /// A line that is nearly a puzzle weighs a little, and so does a solved grid: a table may have its puzzles in
    /// another column.
    fn see(&mut self, line: &[u8], found: Result<&Found, &Missing>) {
        let count = match found {
            Ok(found) if found.grid.clues() as usize == CELLS => 1,
            Ok(found) if fills_line(line, found) => CELLS as u64,
            Ok(_) => FOUND,
            Err(_) => u64::from(longest_run(line) >= CELLS / 2),
        };
        self.is_all &= count == CELLS as u64;
        self.count += count;
    }
}

/// Whether the cells of a puzzle stand in a row at the start of their line, quotes apart, or behind the identifier of
/// the exchange bank.
fn fills_line(line: &[u8], found: &Found) -> bool {
    let (start, indent) = (found.places[0] as usize, indent(line));
    let is_quoted = || {
        [&line[..start], &line[found.end..]]
            .iter()
            .all(|part| trim(part).iter().all(u8::is_ascii_punctuation))
    };
    let in_a_row = found.end - start == CELLS;
    in_a_row && (start == indent || start == bank_start(line, indent) || is_quoted())
}

/// Cells in the longest row of them that has a digit: others are borders.
fn longest_run(line: &[u8]) -> usize {
    let runs = line.split(|&byte| !cells::is_cell(byte)).filter(|run| run.iter().any(u8::is_ascii_digit));
    runs.map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
