//! One puzzle of 81 cells on a line: plain lists and `.sdm`, counted lists, tdoku results, the exchange bank, and every
//! other way to write a grid on a line that `spread` knows: behind a name, in groups, each cell apart, as in source code.
//!
//! A line without a puzzle is one invalid record, unless it plainly is none: blank, behind a comment sign, a border,
//! brackets alone, words (more letters than cells, and nothing that sets the cells of this file apart) behind a blank line
//! or in a file that begins with words, a short title where such a line stands above each puzzle, a lone number before
//! the first record, which is the count of the code-golf corpus, or a lone 0, -1 or `end` behind it, which ends a list.
//!
//! A line whose first 81 characters are cells is a puzzle whatever follows, except another cell. Lists of millions of
//! puzzles come this way, so a line of 81 cells and no more is not searched for its end; everything else goes line by
//! line, and what is no puzzle to the path that looks for it everywhere and explains what is wrong.

use std::sync::Arc;

use memchr::memchr;

use super::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, lone_integer, trim, wrong_count_line};
use super::blank::OddBlank;
use super::family::{Family, Sample, Seen};
use super::look::Excerpt;
use super::spread::{self, Found, LONG, Missing};
use super::{MAX_LINE, cells, json};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};
use crate::sudoku::{CELLS, Grid};

pub(super) const FAMILY: Family = Family {
    name: "line",
    about: "One puzzle on a line: 81 characters, then anything",
    has_columns: false,
    look: |sample| {
        let (look, cells) = Look::of(sample);
        let open = move |sample: &Sample<'_>| {
            let claim = claim_field(sample, &look);
            Ok(Arc::new(LineFormat { claim, look, claims: sample.claims }) as Arc<dyn Format>)
        };
        // No table can have more than a puzzle a line, unless it is known to be one.
        let is_all = cells.is_all && sample.puzzle_column.is_none() && sample.solution_column.is_none();
        Seen { is_all, ..Seen::new(cells.count, open) }
    },
    enough: FOUND,
};

/// Evidence of a puzzle that does not fill its line: less than a table has that knows what stands beside it.
const FOUND: u64 = CELLS as u64 * 2 / 3;

/// What may stand between a puzzle and what follows it, the likeliest first.
const SEPARATORS: [u8; 5] = *b",\t;: ";

/// Lines, and fields of each, that are looked at to find claimed solutions.
const LINES_LOOKED_AT: usize = 200;
const FIELDS_LOOKED_AT: usize = 8;

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
    look: Look,
    /// Where the claimed solutions stand, if there are some.
    claim: Option<ClaimField>,
    /// Whether they are wanted.
    claims: bool,
}

/// What the lines of one file look like.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    blank: OddBlank,
    /// Which of [`BORDER_BLANKS`] are no blanks.
    borders: [bool; 3],
    /// Which of [`BLANKS`] a puzzle without clues may be made of.
    empties: [bool; 8],
    /// Whether words stand beside puzzles, as ids do.
    worded: bool,
    /// What stands beside most puzzles, like the comma of a list or the colon behind a name.
    mark: Option<u8>,
    /// Whether a short line stands above most puzzles.
    titled: bool,
    /// Whether the file begins with words.
    headed: bool,
    /// Whether lines below puzzles say that they are their solutions.
    solutions: bool,
}

/// A field behind the puzzle of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClaimField {
    separator: u8,
    /// Number of separators before it, one less for blanks, of which several count as one.
    number: usize,
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
        promised.map(|promised| wrong_count_line(promised, records)).or(reopened).or_else(|| {
            let unclaimed = self.claims && !self.has_claims() && records > 0;
            unclaimed.then(|| "the first lines have no claimed solutions behind their puzzles".to_owned())
        })
    }

    fn has_claims(&self) -> bool {
        self.claim.is_some() || self.look.solutions
    }

    #[inline]
    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let before = *cursor;
        match self.line_step(cursor, rest, end) {
            Step::Record { length, .. } if self.look.solutions => {
                let step = self.with_solutions(rest, length, end);
                if step == Step::Incomplete {
                    *cursor = before;
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
                && !self.look.solutions
                && !self.look.is_border_sign(text[0])
                && let Some(grid) = text.first_chunk().and_then(Grid::from_text)
                && (has_clue(&grid) || self.look.is_meant(text, &Found::in_a_row(grid, 0)))
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
                        Some(grid) if text.len() <= MAX_LINE && has_clue(&grid) => {
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
        let at = self.look.find(first_line(text)).ok().and_then(|found| found.places.get(cell).copied());
        Place { line, column: u64::from(at.unwrap_or(0)) + 1 }
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        if let Some((_, solution)) = self.solution_below(text) {
            return Some(solution.grid.to_text(b'.').to_vec());
        }
        let found = self.look.find(text).ok()?;
        match self.spread_claim(text, &found) {
            Some((grid, _)) => Some(grid.to_text(b'.').to_vec()),
            None => self.find_claim(text, found.end).map(|(_, field)| field.to_vec()),
        }
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        if let Some((_, solution)) = self.solution_below(text) {
            return Place { line: line + 1, column: u64::from(solution.places[cell]) + 1 };
        }
        let at = self.look.find(text).ok().and_then(|found| match self.spread_claim(text, &found) {
            Some((_, places)) => places.get(cell).map(|&at| at as usize),
            None => self.find_claim(text, found.end).map(|(at, _)| at + cell),
        });
        Place { line, column: at.unwrap_or(0) as u64 + 1 }
    }
}

impl LineFormat {
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
            Some(b'#') => Step::Skip { length, lines: 1 },
            _ if self.look.is_likely(line) => {
                cursor.phase = next_phase(cursor.phase);
                Step::Record { length, lines: 1 }
            }
            _ => self.other_step(cursor, line),
        }
    }

    /// The record that begins with a line of such a length: with it the lines below that say that they are its solution.
    #[cold]
    fn with_solutions(&self, rest: &[u8], length: usize, end: TextEnd) -> Step {
        let (mut length, mut lines) = (length, 1);
        let Ok(puzzle) = self.look.find(&rest[..length]) else { return Step::Record { length, lines } };
        loop {
            let below = &rest[length..];
            match line_length(below, end) {
                Some(next)
                    if length + next <= MAX_LINE && self.look.is_solution(&below[..next], &puzzle.grid) =>
                {
                    length += next;
                    lines += 1;
                }
                None if end == TextEnd::More => return Step::Incomplete,
                _ => return Step::Record { length, lines },
            }
        }
    }

    /// The solution below a puzzle, and where its line begins in the text of the record.
    fn solution_below(&self, text: &[u8]) -> Option<(usize, Found)> {
        if !self.look.solutions {
            return None;
        }
        let start = first_line(text).len();
        let found = self.look.find(first_line(&text[start..])).ok()?;
        Some((start, found))
    }
    /// What comes next where a line is not blank, no `#` comment, and no puzzle at sight.
    fn other_step(&self, cursor: &mut Cursor, line: &[u8]) -> Step {
        let length = line.len();
        let skip = Step::Skip { length, lines: 1 };
        if self.look.is_remark(line) {
            return skip;
        }
        if (self.look.headed || cursor.phase == Phase::Gap) && self.look.is_words(line)
            || cursor.phase == Phase::Start && self.look.is_text(line)
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
        if want.claims {
            out.claims.push(self.solution_below(text).map(|(_, found)| Ok(found.grid)));
        }
        let read = self.look.explain(line, first_line(text));
        out.push_puzzle(line, span, Layout::Line, read.map(|found| found.grid));
    }

    /// Reads a line that is not simply a puzzle at its start.
    #[cold]
    fn read_other(&self, line: u64, text: &[u8], span: Span, want: Want, out: &mut Records) {
        let read = self.look.explain(line, text);
        let solved = |found: &Found| found.grid.clues() as usize == CELLS;
        // Where a solution stands behind each puzzle, a solution alone is no puzzle.
        let read = match read {
            Ok(found) if self.claim.is_some() && solved(&found) && !self.look.is_at_start(text, &found) => {
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
        self.claim.and_then(|field| field.find(text, behind)).or_else(|| {
            let is_likely = |(_, field): &(usize, &[u8])| cells::run(field) > CELLS / 2;
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
        let claim = spread::find(&rest[start..], self.look.blank).ok()?;
        let is_complete = claim.grid.clues() as usize == CELLS;
        is_complete.then(|| (claim.grid, claim.places.map(|at| at + (found.end + start) as u32)))
    }
}

impl ClaimField {
    /// The field and its offset in a line whose cells end at `behind`.
    fn find(self, text: &[u8], behind: usize) -> Option<(usize, &[u8])> {
        let (at, field) = fields(&text[behind..], self.separator).nth(self.number)?;
        (!field.is_empty()).then_some((behind + at, field))
    }
}

/// The first words of the fields behind a puzzle, each with its offset.
fn fields(behind: &[u8], separator: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let ends = move |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b':' | b'#') || is_quote(byte)
    };
    let mut next = 0;
    behind
        .split(move |&byte| byte == separator)
        .map(move |field| {
            let is_around = |byte: &&u8| matches!(byte, b' ' | b'\t') || is_quote(byte);
            let blanks = field.iter().take_while(is_around).count();
            let start = next + blanks;
            next += field.len() + 1;
            let word = &field[blanks..];
            (start, &word[..word.iter().position(ends).unwrap_or(word.len())])
        })
        .filter(move |(_, word)| separator != b' ' || !word.is_empty())
}

/// Finds the field that holds claimed solutions: one that is cells wherever it is not empty, more than a rating
/// or a name ever has.
fn claim_field(sample: &Sample<'_>, look: &Look) -> Option<ClaimField> {
    // Lines with something in the field, and those where that is cells.
    let mut seen = [[(0_usize, 0_usize); FIELDS_LOOKED_AT]; SEPARATORS.len()];
    for line in sample.record_lines().take(LINES_LOOKED_AT) {
        let Ok(found) = look.find(line) else { continue };
        for (counts, separator) in seen.iter_mut().zip(SEPARATORS) {
            for (count, (_, field)) in counts.iter_mut().zip(fields(&line[found.end..], separator)) {
                count.0 += usize::from(!field.is_empty());
                count.1 += usize::from(cells::run(field) > CELLS / 2);
            }
        }
    }
    let mut best = (0, None);
    for (counts, separator) in seen.iter().zip(SEPARATORS) {
        // What stands before the first separator is no field, unless blanks separate.
        let first = usize::from(separator != b' ');
        for (number, &(some, cells)) in counts.iter().enumerate().skip(first) {
            if cells > best.0 && 2 * cells > some {
                best = (cells, Some(ClaimField { separator, number }));
            }
        }
    }
    best.1
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

impl Look {
    /// Finds out what the lines of a file look like, and how many of them can be read.
    fn of(sample: &Sample<'_>) -> (Self, Evidence) {
        /// Puzzles beside which words are looked for.
        const MOST_WITH_WORDS: usize = 16;
        let blank = odd_blank(sample);
        let mut look = Self { blank, ..Self::default() };
        let (mut puzzles, mut titles) = (0_usize, 0);
        let mut marks = [0_usize; MARKS.len()];
        let mut signs = [false; 256];
        let mut empties = Vec::new();
        let mut title_before = false;
        let mut above = Grid::EMPTY;
        let mut evidence = Evidence { count: 0, is_all: true };
        for line in sample.record_lines() {
            let found = look.find_any(line);
            if found.as_ref().is_ok_and(|found| !has_clue(&found.grid)) {
                empties.push(line);
                continue;
            }
            evidence.see(line, found.as_ref());
            let Ok(found) = found else {
                above = Grid::EMPTY;
                title_before = can_be_title(trim(line));
                continue;
            };
            look.solutions |= has_clue(&above) && look.is_solution(line, &above);
            above = found.grid;
            puzzles += 1;
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
        let used = BLANKS.map(|sign| signs[usize::from(sign)]);
        look.borders = std::array::from_fn(|i| !used[i] && puzzles > 0);
        look.empties = used;
        // A puzzle without clues in no other's company is one of dots or zeros, in a file without words.
        let is_word = |line: &[u8]| look.find_any(line).is_err() && Words::of(line, &look).has_word;
        if !empties.is_empty() && (puzzles > 0 || !sample.record_lines().any(is_word)) {
            for (meant, sign) in look.empties.iter_mut().zip(BLANKS) {
                *meant |= matches!(sign, b'.' | b'0');
            }
        }
        let puzzle_on = |line| Some((line, look.find_any(line).ok().filter(|found| has_clue(&found.grid))?));
        let mut first = sample.record_lines().filter_map(puzzle_on).take(MOST_WITH_WORDS);
        look.worded = first.any(|(line, found)| look.has_words_beside(line, &found));
        for line in empties {
            let found = look.find(line);
            puzzles += usize::from(found.is_ok());
            evidence.see(line, found.as_ref());
        }
        look.titled = titles > 1 && 2 * titles >= puzzles;
        let usual = MARKS.into_iter().zip(marks).max_by_key(|&(_, count)| count);
        look.mark = usual.filter(|&(_, count)| 2 * count > puzzles).map(|(mark, _)| mark);
        let mut first = sample.record_lines().skip_while(|line| look.is_remark(line));
        look.headed = first.next().is_some_and(|line| look.is_words(line));
        // A lone number is a count line without its lines.
        let mut lines = sample.record_lines();
        if lines.next().is_some_and(|line| count(line).is_some()) && lines.next().is_none() {
            evidence = Evidence { count: 1, is_all: false };
        }
        evidence.is_all &= puzzles > 0;
        (look, evidence)
    }

    /// The puzzle on a line.
    fn find(&self, text: &[u8]) -> Result<Found, Missing> {
        let is_puzzle = |found: &Found| has_clue(&found.grid) || self.is_meant(text, found);
        self.find_any(text)
            .and_then(|found| if is_puzzle(&found) { Ok(found) } else { Err(Missing::Nothing) })
    }

    /// Whether a line says that it is the solution of a puzzle, and is one.
    fn is_solution(&self, line: &[u8], puzzle: &Grid) -> bool {
        (puzzle.clues() as usize) < CELLS
            && line.iter().any(u8::is_ascii_alphabetic)
            && self.find_any(line).is_ok_and(|found| {
                let words = &line[..found.places[0] as usize];
                cells::is_solution_of(puzzle, &found.grid) && cells::says_solution(words)
            })
    }

    /// Whether 81 blanks are a puzzle: of one character that is a blank of this file, and no words beside them where other
    /// puzzles have none.
    #[cold]
    fn is_meant(&self, text: &[u8], found: &Found) -> bool {
        let sign = |at: &u32| text.get(*at as usize);
        let first = sign(&found.places[0]);
        let is_blank = |&first: &u8| match BLANKS.iter().position(|&blank| blank == first) {
            Some(blank) => self.empties[blank],
            None => true,
        };
        found.places.iter().all(|at| sign(at) == first)
            && first.is_some_and(is_blank)
            && (self.worded || !self.has_words_beside(text, found))
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

    fn is_border_sign(&self, byte: u8) -> bool {
        byte < b'0' && byte != b'.' && self.is_border_blank(byte) || byte == b'_' && self.borders[1]
    }

    fn is_border_blank(&self, byte: u8) -> bool {
        BORDER_BLANKS.iter().zip(self.borders).any(|(&sign, is_border)| is_border && byte == sign)
    }

    /// Whether a line is a record without a second look: it has cells wherever one looks.
    #[inline]
    fn is_likely(&self, line: &[u8]) -> bool {
        let is_cell = |at: usize| cells::is_cell(line[at]);
        line.len() > CELLS
            && is_cell(0)
            && is_cell(CELLS / 2)
            && is_cell(CELLS - 1)
            && !self.is_border_sign(line[0])
    }

    /// Whether a line that is not blank and no `#` comment plainly is no record; see the head of this file.
    fn is_remark(&self, line: &[u8]) -> bool {
        if line.len() > MAX_LINE {
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
        is_brackets(line) || self.titled && can_be_title(line)
    }

    /// Whether a line is words that are part of no record.
    fn is_words(&self, line: &[u8]) -> bool {
        let words = Words::of(line, self);
        words.has_word
            && words.letters > words.cells
            && words.longest < LONG
            && line.len() <= MAX_LINE
            && self.mark.is_none_or(|mark| !line.contains(&mark))
            && self.find(line) == Err(Missing::Nothing)
    }

    /// Whether a line above the first record is text: far from a puzzle, and more than cells and what stands between them.
    fn is_text(&self, line: &[u8]) -> bool {
        let words = Words::of(line, self);
        let is_between =
            |byte: &u8| cells::is_cell(*byte) || byte.is_ascii_whitespace() || b",;|+".contains(byte);
        let is_more_than_a_name = words.has_word || line.trim_ascii().contains(&b' ');
        is_more_than_a_name
            && words.longest < LONG / 2
            && words.cells < LONG
            && line.len() <= MAX_LINE
            && !line.iter().all(is_between)
            && self.mark.is_none_or(|mark| !line.contains(&mark))
            && spread::find(line, self.blank) == Err(Missing::Nothing)
    }

    /// Whether a line is one character over and over, which is no blank here, or such characters between bars.
    fn is_border(&self, line: &[u8]) -> bool {
        let is_rule = |byte: &u8| self.is_border_blank(*byte) && *byte != b'*' || b"|+=: ".contains(byte);
        if line.len() >= 3
            && line.iter().any(|&byte| byte == b'-' && self.is_border_blank(byte))
            && line.iter().all(is_rule)
        {
            return true;
        }
        let sign = line[0];
        let is_sign =
            self.is_border_blank(sign) || b"=~+\"'`/\\".contains(&sign) && self.blank.cell(line).is_none();
        is_sign && line.len() >= 3 && line.iter().all(|&byte| byte == sign || byte == b' ')
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
            Ok(found) => return Ok(found),
            Err(missing) => missing,
        };
        if let Ok(found) = self.find_any(text) {
            return at(found.places[0] as usize, fault(FaultKind::NoClue));
        }
        let bare = bare.trim_ascii_end();
        let mut start = indent(bare);
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

/// Whether a carriage return stands within a line.
fn has_inner_carriage_return(text: &[u8]) -> bool {
    text.trim_ascii_end().contains(&b'\r')
}

/// Whether a line begins with what begins a comment in some language.
fn is_comment(line: &[u8]) -> bool {
    let is_apart = |byte: u8| byte == b' ' || byte.is_ascii_alphabetic();
    match *line {
        [b'/', b'/' | b'*', ..] | [b'*', b'/', ..] | [b'<', b'!', b'-', b'-', ..] | [b';' | b'%'] => true,
        [b';' | b'%', after, ..] | [b'-', b'-', after, ..] => is_apart(after),
        _ => false,
    }
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

/// Whether a line can be the title of the puzzle below it, and is no row of a grid.
fn can_be_title(line: &[u8]) -> bool {
    let is_date = matches!(line, [_, _, _, _, b'-', _, _, b'-', _, _]);
    line.len() < TITLE && (is_date || cells::run(line) < line.len() || line.len() < CELLS / 9)
}

/// What is written on a line.
struct Words {
    letters: usize,
    /// Cells, borders apart.
    cells: usize,
    /// Most cells in a row that are not all alike.
    longest: usize,
    /// Whether three letters stand in a row, or one that is a word.
    has_word: bool,
}

impl Words {
    fn of(line: &[u8], look: &Look) -> Self {
        let mut words = Self { letters: 0, cells: 0, longest: 0, has_word: false };
        // Where a word began, letters of it, and cells in a row, and of those at its start that are alike.
        let (mut start, mut letters, mut run, mut alike) = (0, 0, 0, 0);
        let mut at = 0;
        loop {
            let rest = &line[at.min(line.len())..];
            let letter = spread::first_character(rest).filter(|character| character.is_alphabetic());
            // An x may be a blank or a letter: it breaks no word and begins none.
            let cell = look.blank.cell(rest).filter(|_| letters == 0 || letter.is_none());
            if let (None, Some(letter)) = (cell, letter) {
                if letters == 0 {
                    start = at;
                }
                letters += 1;
                run = 0;
                words.has_word |= letter >= '\u{2e80}';
                at += letter.len_utf8();
                continue;
            }
            if letters > 0 && !cells::is_null(&line[start..at]) {
                words.letters += letters;
                words.has_word |= letters >= 3;
            }
            letters = 0;
            let Some(&byte) = rest.first() else { break };
            alike = if run == 0 || alike == run && line[at - 1] == byte { run + 1 } else { alike };
            run = if cell.is_some() { run + 1 } else { 0 };
            words.longest = if alike < run { words.longest.max(run) } else { words.longest };
            words.cells += usize::from(cell.is_some() && !look.is_border_blank(byte));
            at += cell.map_or(1, |(_, length)| length);
        }
        words
    }
}

/// The number of records that a count line promises.
fn count(line: &[u8]) -> Option<u64> {
    let digits = lone_integer(line).filter(|digits| digits.len() <= COUNT_DIGITS)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
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
mod tests {
    use super::*;
    use crate::input::testing::{PUZZLE, dotted, drain, open, places, read, read_as};
    use crate::input::{FormatChoice, ReadOptions};

    fn place(line: u64, column: u64) -> Place {
        Place { line, column }
    }

    /// Reads as lines and shows every record.
    fn show(text: impl AsRef<[u8]>) -> Vec<String> {
        read_as(text.as_ref(), "line").show()
    }

    #[test]
    fn the_first_81_characters_are_the_puzzle_whatever_follows() {
        let after =
            ["", " 9.5", "\t#1", ",sol", ";x", "#1", "# a remark", ":1:22", "\r", "|", "é", "\0", " \u{7}"];
        for after in after {
            let line = format!("{PUZZLE}{after}\n");
            let reading = read_as(line.as_bytes(), "line");
            assert_eq!(reading.show(), [dotted()], "{after:?}");
            assert_eq!(reading.records[0].text, line.as_bytes(), "line end and all");
        }
    }

    /// Banners, forms and boards of other games once were empty puzzles.
    #[test]
    fn blanks_alone_are_a_puzzle_only_where_that_is_plainly_meant() {
        let empty = ".".repeat(81);
        for sign in [".", "0"] {
            let blanks = format!("{}\n", sign.repeat(81));
            assert_eq!(read(blanks.as_bytes()).show(), std::slice::from_ref(&empty), "{sign}");
            assert_eq!(show(format!("{PUZZLE}\n{blanks}")), [dotted(), empty.clone()], "{sign}");
            assert_eq!(show(format!("id_a {PUZZLE}\nid_b {blanks}")), [dotted(), empty.clone()], "{sign}");
        }
        let dashes = "-".repeat(81);
        assert_eq!(show(format!("{}\n{dashes}\n", PUZZLE.replace('0', "-"))), [dotted(), empty.clone()]);
        let board = "..*".repeat(27);
        for (line, column) in [
            (board.clone(), 1),
            (format!("name {} date", "_".repeat(81)), 6),
            (format!("see page {empty}"), 10),
            ("x".repeat(81), 1),
        ] {
            let reason =
                "81 blanks that are no puzzle (expected clues, or 81 of one blank that the file uses)";
            let shown = show(format!("{PUZZLE}\n{line}\n{PUZZLE}\n"));
            assert_eq!(shown, [dotted(), format!("2:{column}: {reason}"), dotted()], "{line}");
        }
        let comment = format!("/* Output {} */\n", "*".repeat(81));
        assert_eq!(show(format!("{comment}{PUZZLE}\n")), [dotted()]);
        for text in [board, format!("=====\nTitle\n=====\n\nText\n{empty}\n"), format!("{dashes}\n")] {
            assert!(open(text.as_bytes(), &ReadOptions::default()).is_err(), "{text}");
        }
    }

    const SOLVED: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    #[test]
    fn a_line_below_a_puzzle_that_says_so_is_its_solution() {
        let puzzle = SOLVED.replace('1', ".");
        for [before, between, behind] in [
            ["  puzzle: '", "',\n  solution: '", "',\n"],
            ["- puzzle: ", "\n  answer: ", "\n"],
            ["puzzle=", "\nsolution=", "\n"],
            ["qz: ", "\nsn: ", "\n"],
        ] {
            let pair = format!("{before}{puzzle}{between}{SOLVED}{behind}");
            let text = pair.repeat(4);
            for target in [1, 200, 1 << 16] {
                let reading = drain(open(text.as_bytes(), &ReadOptions::default()).expect("lines"), target);
                assert_eq!(reading.show(), vec![puzzle.clone(); 4], "{text}");
                assert_eq!(reading.claims(), vec![SOLVED; 4], "{text}");
            }
            // That of another puzzle is none.
            let other = pair.replace(SOLVED, &SOLVED.replace('2', "1").replace('3', "2").replace('1', "3"));
            assert_eq!(read(format!("{text}{other}").as_bytes()).records.len(), 6, "{other}");
        }
        // Without a word it may be a puzzle.
        assert_eq!(show(format!("{puzzle}\n{SOLVED}\n")), [puzzle, SOLVED.to_owned()]);
    }

    #[test]
    fn candidates_of_a_library_are_no_claim() {
        let placed = PUZZLE.replace('0', ".").replacen("1", "+1", 1);
        let candidates = ["123"; 27].join(" ");
        let text = format!(":0711-1:6:{placed}:{candidates}:637 695::5\n").repeat(3);
        assert_eq!(read(text.as_bytes()).claims(), ["missing"; 3]);
    }

    /// Of several puzzles on a line none is taken for all of them, whatever family reads it.
    #[test]
    fn several_puzzles_on_a_line_are_no_record() {
        let cells = PUZZLE.replace('.', "0").chars().map(String::from).collect::<Vec<_>>().join(", ");
        for text in [
            format!("puzzles = ['{PUZZLE}', '{PUZZLE}', '{PUZZLE}']\n"),
            format!("p = [[{cells}], [{cells}], [{cells}]]\n"),
            format!("a {PUZZLE} b {PUZZLE} c {PUZZLE} d {PUZZLE}\n"),
        ] {
            // Either nothing reads it, or it is said to be none.
            let shown = open(text.as_bytes(), &ReadOptions::default())
                .map_or_else(|_| show(&text), |source| drain(source, 5000).show());
            assert_eq!(shown.len(), 1, "{text}");
            assert!(shown[0].contains("(expected 81)"), "{text} {shown:?}");
        }
        assert_eq!(show(format!("a {PUZZLE} b {PUZZLE}\n")), [dotted()]);
    }

    /// Whatever a text says above the first puzzle costs nothing.
    #[test]
    fn a_text_above_the_first_puzzle_is_no_record() {
        let text =
            "# Puzzles\n\nI x, (1) see 12 of 34:\n- item 1\n\n| a | b |\n|---|---|\nin 1775 there were 2\n";
        for lines in [1, 50] {
            let shown = show(format!("{}{PUZZLE}\n{PUZZLE}\n", text.repeat(lines)));
            assert_eq!(shown, vec![dotted(); 2], "{lines}");
        }
        for bad in ["123456", &PUZZLE[..20], &format!("a {}", &PUZZLE[1..])] {
            let shown = show(format!("x y\n{bad}\n{PUZZLE}\n{PUZZLE}\n"));
            let counts = bad == "123456" && shown.len() == 2;
            assert!(counts || shown[0].contains(':') && shown.len() == 3, "{bad}: {shown:?}");
        }
    }

    /// A count comes before the first record only, however that is written.
    #[test]
    fn a_number_after_a_puzzle_is_a_record() {
        for puzzle in [PUZZLE.to_owned(), format!("{PUZZLE} "), PUZZLE.replace('0', "x")] {
            let rows = show(format!("{puzzle}\n12\n{puzzle}\n"));
            assert_eq!((&rows[0], rows.len(), &rows[2]), (&dotted(), 3, &dotted()));
            assert!(rows[1].contains("2 cells"), "{}", rows[1]);
        }
    }

    /// The puzzle with something between its cells, or between groups of them.
    fn joined(size: usize, between: &str) -> String {
        let groups: Vec<_> =
            PUZZLE.as_bytes().chunks(size).map(|group| group.escape_ascii().to_string()).collect();
        groups.join(between)
    }

    /// Every way to write a puzzle on a line: `P` is the puzzle.
    fn ways() -> Vec<String> {
        let around = [
            "name: \"P\"",
            "12. P",
            "12) P",
            "qz: P",
            "Puzzle 12: P",
            "easy P",
            "\"P\",",
            "'P',",
            "p1 = \"P\"",
            "grid(\"P\");",
            "key=P",
            "7\tP",
            "  { 'P', 'x' },",
            "P\u{a0}9.5",
            "3fa85f64-5717-4562-b3fc-2c963f66afa6 P",
            "№ 5 – P 27",
            "INSERT INTO sudoku VALUES (3,'P',1.2);",
            "[info] P # remark",
            "2021-02-11 P",
            "`P`",
            "“P”",
        ];
        let mut ways: Vec<String> = around.iter().map(|way| way.replace('P', PUZZLE)).collect();
        for size in [1, 3, 9, 27] {
            for between in [" ", "  ", "\t", ",", ", ", ";", "|", " | ", "/", "\u{a0}", "│"] {
                ways.push(joined(size, between));
            }
        }
        let cells = joined(1, ",");
        let nested: Vec<_> = PUZZLE
            .as_bytes()
            .chunks(9)
            .map(|row| format!("{:?}", row.iter().map(|b| b - b'0').collect::<Vec<_>>()))
            .collect();
        ways.extend([
            format!("[{cells}],"),
            format!("{{{cells}}}"),
            format!("int b[81] = {{{cells}}};"),
            format!("12: {cells},"),
            format!("12 [{cells}]"),
            format!("7, ({cells})"),
            format!("'{}'", joined(1, "','")),
            format!("\"{}\",", joined(9, "\",\"")),
            format!("[{}],", nested.join(", ")),
            format!("p = [{}]", nested.join(",").replace(['[', ']'], "")),
            format!("({})", nested.join(",").replace('[', "(").replace(']', ")")),
            format!("\"{}\" # x", joined(1, " ")),
            format!("{} easy", joined(9, " ")),
            joined(9, "-").replace('0', "."),
            joined(9, "."),
            joined(1, " ").replace('0', "-1"),
            cells.replace('0', "null"),
            cells.replace('0', "None"),
            cells.replace('0', ""),
            cells.replace('0', "").replace(',', ", "),
            cells.replace('0', "").replace(',', ";"),
            cells.replace('0', "").replace(',', "\t"),
            format!("[{}],", cells.replace('0', "")),
            format!("hard: {}", cells.replace('0', "")),
            cells.replace('0', "\"\""),
            joined(1, ".0,") + ".0",
            joined(1, ". ") + ".",
            joined(1, ".0,").replace("0.0", "nan") + ".0",
            PUZZLE.replace('0', "$"),
            PUZZLE.replace('0', ":"),
            PUZZLE.replace('0', "·") + " 7.1",
            format!("name: {}", PUZZLE.replace('0', "+")),
            PUZZLE.chars().map(|cell| char::from_u32(cell as u32 - 48 + 0xff10).unwrap()).collect(),
            format!(
                ":0000:1:{}:::",
                PUZZLE.replacen("03000", "+23+6+7.", 1).replace("400", ".+2".replace('.', "4+1").as_str())
            ),
        ]);
        ways
    }

    #[test]
    fn a_puzzle_is_found_in_whatever_way_it_is_written() {
        for way in ways() {
            for line_end in ["\n", "\r\n"] {
                let text = format!("{way}{line_end}").repeat(3);
                let reading = read(text.as_bytes());
                assert_eq!(reading.show(), vec![dotted(); 3], "{way}");
                assert_eq!(reading.records[2].line, 3);
            }
            // Every clue is found again.
            let text = format!("{way}\n");
            for (place, digit) in
                places(text.as_bytes())[0].iter().zip(PUZZLE.chars()).filter(|(_, digit)| *digit != '0')
            {
                let found = text[place.column as usize - 1..].chars().next().unwrap();
                assert!(found == digit || found as u32 == digit as u32 - 48 + 0xff10, "{way}");
            }
        }
    }

    /// A cell that is lost or doubled, wherever it is, and whatever stands beside: no other puzzle is made of the rest.
    #[test]
    fn a_line_with_a_cell_too_few_or_too_many_is_no_puzzle() {
        for way in ways() {
            let good = format!("{way}\n").repeat(3);
            // Without a digit an empty field is a blank, which is another puzzle.
            let has_empty = [",,", ", ,", ";;", "\t\t", "\"\""].iter().any(|empty| way.contains(empty));
            let is_victim =
                |byte: char| if has_empty { ",;\t".contains(byte) } else { byte.is_ascii_digit() };
            for (at, digit) in way.match_indices(is_victim).step_by(17) {
                for bad in [String::new(), digit.repeat(2)] {
                    let bad = format!("{}{bad}{}", &way[..at], &way[at + 1..]);
                    let shown = read(format!("{good}{bad}\n{good}").as_bytes()).show();
                    let untouched = || shown[..3].iter().chain(&shown[shown.len() - 3..]);
                    assert!(shown.len() >= 6 && untouched().all(|row| *row == dotted()), "{bad}\n{shown:?}");
                    let made_up = |row: &String| row.len() == CELLS && *row != dotted() && !row.contains(':');
                    assert!(!shown.iter().any(made_up), "{way}\n{bad}\n{shown:?}");
                }
            }
        }
    }

    /// Digits from 0 to 8, and -1 for a blank.
    #[test]
    fn zero_is_no_blank_where_minus_one_is_one() {
        let spaced = |digits: &str| {
            let cells: Vec<_> = digits
                .chars()
                .map(|digit| if digit == '0' { "-1".to_owned() } else { digit.to_string() })
                .collect();
            cells.join(" ")
        };
        assert_eq!(read(format!("{0}\n{0}\n", spaced(PUZZLE)).as_bytes()).show(), vec![dotted(); 2]);
        let from_zero: String = PUZZLE.chars().map(|digit| if digit == '1' { 'z' } else { digit }).collect();
        let text = format!("{0}\n{0}\n", spaced(&from_zero).replace('z', "0"));
        assert!(read_as(text.as_bytes(), "line").show().iter().all(|shown| shown.contains(':')), "{text}");
    }

    #[test]
    fn what_plainly_is_no_record_is_none() {
        let plain = format!("{PUZZLE}\n");
        let named = format!("easy 7: \"{PUZZLE}\"\n");
        let remarks = [
            "// x",
            "//",
            "; x",
            "% 5 of 9",
            "-- x",
            "/* x",
            " * all of them",
            "*/",
            "'''",
            "```",
            "```text",
            "\"\"\"",
            "Hard puzzles, 2021",
            "= Hard =",
            "[Puzzle]",
            "puzzles = [",
            "var list = {",
            "[",
            "[[",
            "({",
            "]",
            "];",
            "],",
            "})",
            "};",
            "-----",
            "- - - -",
            "=====",
            "***",
            "____________________________",
            "end",
            "EOF",
            "Лёгкие",
            "第1题",
            "next:",
            "It was the best of times, it was the worst of times",
        ];
        for good in [plain, named] {
            for remark in remarks {
                // What sets the cells of a file apart is no part of its remarks.
                if good.contains(':') && remark.contains(':') {
                    continue;
                }
                let text = format!("{remark}\n{good}{remark}\r\n{good}{remark}");
                let reading = read(text.as_bytes());
                // It may be read as the list that its first line begins.
                assert_eq!(reading.show(), vec![dotted(); 2], "{remark}");
                let given = read_as(text.as_bytes(), "line");
                assert_eq!((given.show(), given.notes.len()), (vec![dotted(); 2], 0), "{remark}");
            }
        }
    }

    #[test]
    fn what_may_be_a_record_is_never_skipped() {
        let plain = [
            "12",
            "-",
            "53..7",
            "q",
            "a1",
            "..",
            "53..7 h",
            "1.3...5.9..21.94....7 is cut off here",
            "5 3 null",
            "(2)",
            "[]",
            "[],",
            "\0",
            "--53",
            ";;;",
            "......",
            ",",
        ];
        let cases = [
            ("P", &plain[..]),
            ("P,easy", &[",easy", "hard,53..7", ",", "123,easy"]),
            ("easy 7: \"P\"", &["hard 8: \"\"", "hard 8: \"53..7\"", "\"\""]),
            // Blanks of the file are no borders.
            ("B", &["-----", "- - -", "--"]),
        ];
        for (way, lines) in cases {
            let good = way.replace('B', &PUZZLE.replace('0', "-")).replace('P', PUZZLE);
            for line in lines {
                let shown = read(format!("{good}\n{line}\n{good}\n").as_bytes()).show();
                assert_eq!(shown.len(), 3, "{line}: {shown:?}");
                assert_eq!((&shown[0], &shown[2]), (&dotted(), &dotted()), "{line}");
                assert!(shown[1].starts_with("2:"), "{line}: {}", shown[1]);
            }
        }
        // Words where a record should be, and no heading is known.
        let shown = read(
            format!("{PUZZLE}\nno puzzle here\n{PUZZLE}\n\nA heading\n{PUZZLE}\n{PUZZLE}\n{PUZZLE}\n")
                .as_bytes(),
        )
        .show();
        assert_eq!((shown.len(), shown[1].starts_with("2:1: ")), (6, true), "{shown:?}");
        // A line of 81 signs that are blanks nowhere else is a border, and a puzzle where they are.
        for sign in ["-", "_", "*"] {
            let border = sign.repeat(CELLS);
            assert_eq!(read(format!("{PUZZLE}\n{border}\n{PUZZLE}\n").as_bytes()).show(), vec![dotted(); 2]);
            let used = PUZZLE.replace('0', sign);
            let shown = read(format!("{used}\n{border}\n{used}\n").as_bytes()).show();
            assert_eq!(shown, [dotted(), ".".repeat(CELLS), dotted()]);
        }
    }

    #[test]
    fn a_short_line_above_each_puzzle_is_its_title() {
        for title in ["1", "E1", "(2)", "2021-02-11", "--- 2 ---", "No. 7"] {
            let more = "1234567890123456789012345\n12345678901\n";
            let reading = read((format!("{title}\n{PUZZLE}\n\n").repeat(3) + more).as_bytes());
            let shown = reading.show();
            assert_eq!((&shown[..3], reading.notes.len()), (&vec![dotted(); 3][..], 0), "{title}");
            assert_eq!(shown.len(), 5, "{title}: what is longer, or a row, is none");
        }
        let once = format!("{PUZZLE}\n{PUZZLE}\nE1\n{PUZZLE}\n");
        assert_eq!(read(once.as_bytes()).show().len(), 4);
    }

    #[test]
    fn a_lone_0_ends_a_list_and_is_noted_where_it_does_not() {
        for end in ["0", "-1", " 0 \r", "end"] {
            let reading = read(format!("{PUZZLE}\n{PUZZLE}\n{end}\n\n").as_bytes());
            assert_eq!((reading.show(), reading.notes.len()), (vec![dotted(); 2], 0), "{end}");
        }
        for more in [PUZZLE.to_owned(), format!("x: {PUZZLE}")] {
            let reading = read(format!("{PUZZLE}\n0\n{more}\n{PUZZLE}\n").as_bytes());
            assert_eq!(reading.show(), vec![dotted(); 3]);
            assert_eq!(reading.notes, ["test: a lone 0 or -1, which ends a list, stands between puzzles"]);
        }
    }

    /// `+` marks what was placed by solving; the givens alone are the puzzle.
    #[test]
    fn a_hodoku_library_holds_givens_and_placed_digits() {
        let placed = |at: usize| at.is_multiple_of(2) || PUZZLE.as_bytes()[at] == b'0';
        let cells: String = (0..CELLS)
            .map(|at| match &SOLUTION[at..=at] {
                _ if at % 3 == 0 && PUZZLE.as_bytes()[at] == b'0' => ".".to_owned(),
                digit if placed(at) => format!("+{digit}"),
                digit => digit.to_owned(),
            })
            .collect();
        let givens: String = (0..CELLS).map(|at| if placed(at) { "." } else { &PUZZLE[at..=at] }).collect();
        let line = format!(":0100-1:1:{cells}:811 515:193 198::");
        assert_eq!(read(format!("# library\n{line}\n{line}\n").as_bytes()).show(), [givens.as_str(); 2]);
        for bad in [line.replacen('+', "++", 1), line.replacen('.', "", 1), line.replace(":811", "4:811")] {
            let shown = read(format!("{line}\n{bad}\n{line}\n").as_bytes()).show();
            assert_eq!((shown.len(), shown[1].starts_with("2:")), (3, true), "{bad}");
        }
    }

    /// Lines lost, doubled, in other order, with others between: nothing is touched but themselves.
    #[test]
    fn what_happens_to_a_line_of_a_list_costs_no_other() {
        let ways = [
            "P".to_owned(),
            "name: \"P\",".to_owned(),
            "P,easy".to_owned(),
            "G".to_owned(),
            "[C],".to_owned(),
        ];
        for way in ways {
            let (groups, cells) = (joined(9, " "), joined(1, ", "));
            let line = |first: usize| {
                let with = |cells: &str| cells.replacen('1', &first.to_string(), 1);
                way.replace('C', &with(&cells)).replace('G', &with(&groups)).replace('P', &with(PUZZLE))
                    + "\n"
            };
            let list: Vec<String> = (1..10).map(line).collect();
            let shown = |order: &[usize]| {
                order.iter().map(|at| format!("{}{}", at + 1, &dotted()[1..])).collect::<Vec<_>>()
            };
            let all: Vec<usize> = (0..9).collect();
            for at in [0, 4, 8] {
                let (mut dropped, mut doubled, mut swapped) = (all.clone(), all.clone(), all.clone());
                dropped.remove(at);
                doubled.insert(at, at);
                swapped.swap(at, (at + 1) % 9);
                for order in [dropped, doubled, swapped] {
                    let text: String = order.iter().map(|&at| list[at].as_str()).collect();
                    for line_end in ["\n", "\r\n", "\n\n  \n"] {
                        let text = text.replace('\n', line_end);
                        assert_eq!(read(text.as_bytes()).show(), shown(&order), "{text}");
                    }
                }
                for (stray, invalid) in [
                    ("53..7", 1),
                    ("q", 1),
                    ("more of them", 1),
                    ("\nmore of them", 0),
                    ("// x", 0),
                    ("\t", 0),
                ] {
                    let mut lines = list.clone();
                    lines.insert(at + 1, format!("{stray}\n"));
                    let (good, bad): (Vec<_>, Vec<_>) = read(lines.concat().as_bytes())
                        .show()
                        .into_iter()
                        .partition(|row| row.len() == CELLS);
                    assert_eq!((good, bad.len()), (shown(&all), invalid), "{way} {stray}");
                }
                // Two lines that became one.
                let mut lines = list.clone();
                lines[at].pop();
                let rows = read(lines.concat().as_bytes()).show();
                let good: Vec<_> = rows.iter().filter(|row| row.len() == CELLS).collect();
                assert!(
                    good.len() >= 7 && good.iter().all(|row| shown(&all).contains(row)),
                    "{way} {rows:?}"
                );
            }
        }
    }

    #[test]
    fn a_claim_is_read_in_the_way_of_its_puzzle() {
        let groups = |text: &str, size: usize, between: &str| {
            text.as_bytes()
                .chunks(size)
                .map(|group| group.escape_ascii().to_string())
                .collect::<Vec<_>>()
                .join(between)
        };
        for (size, between) in [(1, ","), (1, " "), (9, " ")] {
            let puzzle = groups(PUZZLE, size, between);
            let solution = groups(SOLUTION, size, between);
            for way in ["P;S", "P,S", "P S", "x: P, S", "[P],[S]", "[[P], [S]],", "p=[P], s=[S]"] {
                let line = format!("{}\n", way.replace('P', &puzzle).replace('S', &solution));
                assert_eq!(claims(&line.repeat(3)), [SOLUTION; 3], "{line}");
            }
            assert_eq!(claims(&format!("{puzzle}\n").repeat(3)), ["missing"; 3]);
        }
        for way in ["x: P,S", "\"P\",\"S\"", "('P', 'S'),"] {
            let line = format!("{}\n", way.replace('P', PUZZLE).replace('S', SOLUTION));
            assert_eq!(claims(&line.repeat(3)), [SOLUTION; 3], "{line}");
            // A claim whose puzzle is lost is no puzzle.
            let lost = format!("{}\n", way.replace('P', "").replace('S', SOLUTION));
            let shown = read(format!("{line}{line}{lost}").as_bytes()).show();
            assert!(!shown.contains(&SOLUTION.to_owned()), "{lost}");
        }
    }

    #[test]
    fn every_blank_character_is_a_blank() {
        for blank in "0.*_-?Xx".chars() {
            let text = PUZZLE.replace('0', &blank.to_string());
            assert_eq!(read(format!("{text}\n").as_bytes()).show(), [dotted()], "{blank}");
        }
    }

    #[test]
    fn what_is_tolerated() {
        let text = format!("\u{feff}# a list\r\n\r\n   \n{PUZZLE}\r\n  # more\n \t{PUZZLE}  \n\n{PUZZLE}");
        let reading = read(text.as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 3]);
        assert_eq!(reading.records.iter().map(|record| record.line).collect::<Vec<_>>(), [4, 6, 8]);
        assert_eq!(reading.records[0].text, format!("{PUZZLE}\r\n").as_bytes());
        assert_eq!(reading.records[2].text, PUZZLE.as_bytes());
        assert!(reading.records.iter().all(|record| record.layout == Layout::Line));
    }

    #[test]
    fn an_exchange_bank_line_has_its_cells_behind_the_identifier() {
        let text = format!("0000183b305c {PUZZLE}  1.2\n12345678901f\t{PUZZLE} 2.0\n");
        assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
        assert_eq!(places(text.as_bytes())[1][0], place(2, 14));
        assert_eq!(places(text.as_bytes())[1][80], place(2, 94));
    }

    #[test]
    fn a_bad_line_is_one_invalid_record_with_place_and_reason() {
        let with = |at: usize, bytes: &[u8]| {
            let mut line = PUZZLE.as_bytes().to_vec();
            line.splice(at..at + 1, bytes.iter().copied());
            line
        };
        let sukaku = "1".repeat(729);
        let table: Vec<(Vec<u8>, &str)> = vec![
            (PUZZLE.as_bytes()[1..].to_vec(), "1:81: 80 cells (expected 81)"),
            ([PUZZLE.as_bytes(), b"1"].concat(), "1:82: 82 cells (expected 81)"),
            ([PUZZLE.as_bytes(), b"-name"].concat(), "1:82: 82 cells (expected 81)"),
            (b"12 34".to_vec(), "1:3: 2 cells (expected 81)"),
            (b"1,2".to_vec(), "1:2: 1 cell (expected 81)"),
            (with(36, b"\x07"), "1:37: invalid character '\\x07' (expected 1-9, 0 or .)"),
            (with(0, b"\0"), "1:1: invalid character '\\x00' (expected 1-9, 0 or .)"),
            (with(80, b"\0"), "1:81: invalid character '\\x00' (expected 1-9, 0 or .)"),
            (with(80, b"\xff"), "1:81: invalid byte '\\xff' (expected 1-9, 0 or .)"),
            (with(3, b"\xc3"), "1:4: invalid byte '\\xc3' (expected 1-9, 0 or .)"),
            (with(3, "é".as_bytes()), "1:4: invalid character 'é' (expected 1-9, 0 or .)"),
            (b"he".to_vec(), "1:1: invalid character 'h' (expected 1-9, 0 or .)"),
            (b"  \t he".to_vec(), "1:5: invalid character 'h' (expected 1-9, 0 or .)"),
            (b",".to_vec(), "1:1: invalid character ',' (expected 1-9, 0 or .)"),
            (format!("0000183b305c {} 1.2", &PUZZLE[1..]).into_bytes(), "1:94: 80 cells (expected 81)"),
            (
                format!("0000183b305c {}a 1.2", &PUZZLE[1..]).into_bytes(),
                "1:94: invalid character 'a' (expected 1-9, 0 or .)",
            ),
            // An identifier alone, and before less or more than half a puzzle.
            (b"0000183b305c".to_vec(), "1:8: invalid character 'b' (expected 1-9, 0 or .)"),
            (
                format!("0000183b305c {}", &PUZZLE[..40]).into_bytes(),
                "1:8: invalid character 'b' (expected 1-9, 0 or .)",
            ),
            (format!("0000183b305c {}", &PUZZLE[..41]).into_bytes(), "1:55: 41 cells (expected 81)"),
            (sukaku.into_bytes(), "1:82: 729 cells: a sukaku, which is not supported yet (expected 81)"),
            (
                format!("{PUZZLE}\r{PUZZLE}\r").into_bytes(),
                "1:82: carriage return within a line (expected lines that end in \\n or \\r\\n)",
            ),
        ];
        for (line, expected) in table {
            // Alone, in front of a good line, and with a Windows line end.
            let good = PUZZLE.as_bytes();
            for end in [&b"\n"[..], b"\r\n"] {
                let text = [&line, end, good, b"\n"].concat();
                assert_eq!(show(&text), [expected.to_owned(), dotted()], "{}", line.escape_ascii());
            }
            let text = [good, b"\n", &line].concat();
            let expected = expected.replacen("1:", "2:", 1);
            assert_eq!(show(&text), [dotted(), expected], "{}", line.escape_ascii());
        }
    }

    #[test]
    fn the_longest_line_allowed_is_read_and_a_longer_one_is_one_record() {
        for (length, first) in
            [(MAX_LINE, dotted()), (MAX_LINE + 1, format!("1:{}: line longer than 1 MiB", MAX_LINE + 1))]
        {
            for filling in [" ", "1", "a"] {
                let first = if filling == "1" && length == MAX_LINE {
                    format!("1:82: {MAX_LINE} cells (expected 81)")
                } else {
                    first.clone()
                };
                let text = format!("{PUZZLE}{}\n{PUZZLE}\n", filling.repeat(length - 81));
                assert_eq!(show(text), [first, dotted()], "{length} {filling}");
            }
        }
    }

    #[test]
    fn the_rest_of_an_endless_line_is_not_kept() {
        for filling in ["1", "a", " ", "\0"] {
            let text = format!("{PUZZLE}\n{}\n{PUZZLE}\n", filling.repeat(3 * MAX_LINE));
            let reading = read(text.as_bytes());
            let reason = format!("2:{}: line longer than 1 MiB", MAX_LINE + 1);
            assert_eq!(reading.show(), [dotted(), reason, dotted()], "{filling:?}");
            assert_eq!(reading.records[1].text.len(), MAX_LINE + 2);
            assert_eq!(reading.records[2].line, 3);
        }
    }

    #[test]
    fn a_count_line_counts_only_in_front() {
        let reading = read(format!("# list\n2\n{PUZZLE}\n{PUZZLE}\n").as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 2]);
        assert_eq!(reading.notes, Vec::<String>::new());
        assert_eq!(reading.records[0].line, 3);

        let reading = read(format!("{PUZZLE}\n2\n{PUZZLE}\n").as_bytes());
        assert_eq!(reading.show(), [dotted(), "2:2: 1 cell (expected 81)".to_owned(), dotted()]);

        // Thirteen digits are a short puzzle.
        let reading = read(format!("1234567890123\n{PUZZLE}\n").as_bytes());
        assert_eq!(reading.show(), ["1:14: 13 cells (expected 81)".to_owned(), dotted()]);
    }

    #[test]
    fn a_count_line_that_is_wrong_costs_no_row() {
        for promised in [0, 1, 3, 49151] {
            let reading = read(format!("{promised}\r\n{PUZZLE}\n{PUZZLE}\n").as_bytes());
            assert_eq!(reading.show(), vec![dotted(); 2]);
            assert_eq!(reading.notes, [format!("test: the count line promises {promised} records, 2 came")]);
        }
    }

    #[test]
    fn a_list_without_claims_is_noted_where_they_are_wanted() {
        let notes = |claims: bool, text: &str| {
            let format = FormatChoice::named("line");
            drain(
                open(text.as_bytes(), &ReadOptions { format, claims, ..ReadOptions::default() }).unwrap(),
                1000,
            )
            .notes
        };
        let list = format!("{PUZZLE}\n{PUZZLE}\n");
        let noted = ["test: the first lines have no claimed solutions behind their puzzles"];
        assert_eq!(notes(true, &list), noted);
        assert_eq!(notes(false, &list), [""; 0]);
        assert_eq!(notes(true, "# empty\n0\n"), [""; 0]);
        assert_eq!(notes(true, &format!("{PUZZLE},{SOLUTION}\n")), [""; 0]);
    }

    const SOLUTION: &str =
        "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    fn claims(text: &str) -> Vec<String> {
        read(text.as_bytes()).claims()
    }

    #[test]
    fn claims_behind_puzzles() {
        for behind in
            [",S", "\tS", " S", "  S", ";S", ":1:S", ",S # remark", ", S", ",S,1.2", " 7.1 S", ",S\r"]
        {
            let line = format!("{PUZZLE}{}\n", behind.replace('S', SOLUTION));
            assert_eq!(claims(&line.repeat(2)), [SOLUTION; 2], "{behind}");
            // A puzzle alone has none, and it stays one.
            assert_eq!(
                claims(&format!("{line}{PUZZLE}\n{line}")),
                [SOLUTION, "missing", SOLUTION],
                "{behind}"
            );
        }
        // What this program writes where there is no solution.
        let text = format!("{PUZZLE},\n{PUZZLE},{SOLUTION}\n,\n{PUZZLE},\n");
        let reading = read(text.as_bytes());
        assert_eq!(reading.claims(), ["missing", SOLUTION, "missing", "missing"]);
        assert_eq!(reading.show()[2], "3:1: invalid character ',' (expected 1-9, 0 or .)");
        // tdoku writes nothing behind a count of 0.
        let text = format!("{PUZZLE}:0:\n{PUZZLE}:1:{SOLUTION}\n");
        assert_eq!(claims(&text), ["missing", SOLUTION]);
        let bank = format!("0000183b305c {PUZZLE},{SOLUTION}\n");
        assert_eq!(claims(&bank), [SOLUTION]);
    }

    #[test]
    fn ratings_and_names_are_no_claims() {
        for behind in [
            "",
            " 9.5",
            "\t#1",
            ",sol",
            ";x",
            "#1",
            " # a remark",
            ":1:",
            ":1:22",
            ",12345678",
            ",-----",
            "\0",
        ] {
            let text = format!("{PUZZLE}{behind}\n").repeat(3);
            assert_eq!(claims(&text), ["missing"; 3], "{behind:?}");
        }
        assert_eq!(claims(&format!("0000183b305c {PUZZLE}  1.2\n")), ["missing"]);
        // Less than half a grid is none, and more is one that is too short.
        let behind = |cells: usize| claims(&format!("{PUZZLE},{}\n", &SOLUTION[..cells]).repeat(3));
        assert_eq!(behind(40), ["missing"; 3]);
        assert_eq!(behind(41)[0], "line 1, column 124: claimed solution: 41 cells (expected 81)");
        // One solution among names does not make claims of them, nor do as many as there are names.
        let text = format!("{PUZZLE},a\n{PUZZLE},b\n{PUZZLE},{SOLUTION}\n");
        assert_eq!(claims(&text), ["missing", "missing", SOLUTION]);
        assert_eq!(claims(&format!("{PUZZLE},a\n{PUZZLE},{SOLUTION}\n")), ["missing", SOLUTION]);
        // Of two fields of cells the first is the claim.
        assert_eq!(claims(&format!("{PUZZLE},{SOLUTION},{}\n", dotted()).repeat(2)), [SOLUTION; 2]);
    }

    /// Wherever the first lines have theirs, or none at all.
    #[test]
    fn a_claim_that_comes_late_or_elsewhere_is_found() {
        let late = format!("{}{PUZZLE},{SOLUTION}\n", format!("{PUZZLE},\n").repeat(1000));
        assert_eq!(claims(&late)[999..], ["missing", SOLUTION]);
        let mixed = format!("{PUZZLE},{SOLUTION}\n{PUZZLE} {SOLUTION}\n{PUZZLE};17;{SOLUTION}\n");
        assert_eq!(claims(&mixed), [SOLUTION; 3]);
    }

    #[test]
    fn a_bad_claim_has_place_and_reason() {
        let short = &SOLUTION[1..];
        let table = [
            (short.to_owned(), "line 2, column 163: claimed solution: 80 cells (expected 81)"),
            (format!("{SOLUTION}1"), "line 2, column 164: claimed solution: 82 cells (expected 81)"),
            (
                format!(" {short}q"),
                "line 2, column 164: claimed solution: invalid character 'q' (expected 1-9)",
            ),
            ("none".to_owned(), "line 2, column 83: claimed solution: invalid character 'n' (expected 1-9)"),
        ];
        for (bad, expected) in table {
            let good = format!("{PUZZLE},{SOLUTION}\n");
            assert_eq!(claims(&format!("{good}{PUZZLE},{bad}\n{good}")), [SOLUTION, expected, SOLUTION]);
        }
        // Cells too few or blank are a claim all the same, even where no line has a good one.
        assert_eq!(claims(&format!("{PUZZLE},{}\n", dotted())), [dotted()]);
        let shown = claims(&format!("{PUZZLE},{short}\n"));
        assert_eq!(shown, ["line 1, column 163: claimed solution: 80 cells (expected 81)"]);
    }

    #[test]
    fn a_clue_is_found_again() {
        let text = format!("# x\n{PUZZLE}\n  {PUZZLE}");
        assert_eq!(places(text.as_bytes())[0][40], place(2, 41));
        assert_eq!(places(text.as_bytes())[1][0], place(3, 3));
    }
}
