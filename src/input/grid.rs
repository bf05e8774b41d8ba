//! One puzzle on nine lines: bare or spaced grids, counted, titled, framed, `.sdk`, as source text.
//!
//! What a line is, `grid_line` says, and `row` which cells it has. A record is nine rows, or lines that should have
//! been some, with the solution that may follow (`solved`); nine blank rows in a program are none; puzzles on lines of their own are records, too, where the
//! start of a file has several. Nine plain lines with a blank line behind them are seen at once, and so are those that are followed by
//! enough others whose clues agree; where the rhythm is lost, `rhythm` finds it again.

use std::collections::VecDeque;
use std::sync::Arc;

use super::MAX_LINE;
use super::batch::{
    Cursor, Cut, Format, MOST_RECORDS, Phase, Step, TextEnd, has_inner_carriage_return, line_length,
};
use super::beside::{Tell, between};
use super::cells::{self, Blanks};
use super::family::{Family, Sample, Seen};
use super::grid_line::{
    LineKind, Style, count, holds_no_puzzle, is_list, is_nearly_row, is_text, kind_of, row_style, style,
};
use super::look::Excerpt;
use super::rhythm::{GRIDS_AHEAD, Gap, Item, Known, MOST, Piece, Row, View, clashes};
use super::row::{
    Cell, has_bars, has_long_run, is_row, is_row_element, is_separator, puzzle_in, read_row, row_of,
    sole_puzzle,
};
use super::solved::{Pairs, Solutions};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};
use crate::sudoku::{CELLS, Grid, SIDE};

pub(super) const FAMILY: Family = Family {
    name: "grid",
    about: "Nine lines of nine cells: plain, spaced, framed or titled",
    has_columns: false,
    look,
    enough: CELLS as u64,
};

/// Bytes after which no more lines are looked at than a record may have.
const MOST_BYTES: usize = 64 << 10;

/// Grids that are looked at at once where nothing sets them apart.
const MOST_AHEAD: usize = 64;

#[derive(Debug)]
struct Grids {
    style: Style,
}

/// What comes next.
struct Next {
    found: Found,
    length: usize,
    lines: u64,
    /// Bytes on which this depends.
    seen: usize,
}

enum Found {
    Skip,
    /// Nine plain rows.
    Plain(PlainGrid),
    /// What may be a grid: so many bytes of what comes next, of which the others are its solution.
    Record(usize),
}

impl Format for Grids {
    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "\n", end: "" })
    }

    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        match self.next(cursor, &mut Lines::new(rest, end), 0) {
            None => Step::Incomplete,
            Some(Next { found: Found::Skip, length, lines, .. }) => Step::Skip { length, lines },
            Some(Next { length, lines, .. }) => Step::Record { length, lines },
        }
    }

    fn cut(&self, cursor: &mut Cursor, bytes: &[u8], end: TextEnd) -> Cut {
        let mut cut = Cut::default();
        let mut seen = 0;
        let mut ahead = Lines::new(bytes, end);
        while cut.records < MOST_RECORDS {
            let Some(next) = self.next(cursor, &mut ahead, cut.length) else { break };
            seen = seen.max(cut.length + next.seen);
            match next.found {
                // The state of a puzzle, its solution or its candidates.
                Found::Skip if cursor.phase == Phase::OtherSection => {}
                Found::Skip => cursor.passed.see(cut.lines, &bytes[cut.length..cut.length + next.length]),
                Found::Plain(_) | Found::Record(_) => {
                    cut.records += 1;
                    cursor.passed.end();
                }
            }
            cut.length += next.length;
            cut.lines += next.lines;
        }
        cursor.passed.go_on(cut.lines);
        cut.ahead = seen.saturating_sub(cut.length);
        cut
    }

    fn read(&self, cursor: Cursor, bytes: &[u8], line: u64, want: Want, out: &mut Records) {
        self.read_with(cursor, bytes, 0, line, want, out);
    }

    fn read_with(
        &self,
        mut cursor: Cursor,
        bytes: &[u8],
        ahead: usize,
        mut line: u64,
        want: Want,
        out: &mut Records,
    ) {
        let mut start = 0;
        let last = bytes.len() - ahead;
        let mut ahead = Lines::new(bytes, TextEnd::Last);
        while start < last
            && let Some(next) = self.next(&mut cursor, &mut ahead, start)
        {
            let span = Span { start, length: next.length };
            let text = span.of(bytes);
            match next.found {
                Found::Skip => {}
                Found::Plain(grid) => out.push_sudoku(line, span, grid.layout, Grid::from_digits(grid.cells)),
                Found::Record(puzzle) => {
                    let read = self.read_grid(line, &text[..puzzle]);
                    if want.claims && puzzle < text.len() {
                        let claim = self.claim(text).filter(|_| read.is_ok());
                        out.claims.fill(out.len());
                        out.claims.push(claim.map(|claim| Ok(claim.0)));
                    }
                    let text = &text[..puzzle];
                    match read {
                        Ok(grid) => out.push_sudoku(line, span, self.layout(text), grid),
                        Err(fault) => out.push_fault(line, span, self.layout(text), fault),
                    }
                }
            }
            start += next.length;
            line += next.lines;
        }
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let found = self.cells(text).nth(cell);
        found.map_or(Place { line, column: 1 }, |(before, (_, at))| Place {
            line: line + before,
            column: at as u64 + 1,
        })
    }

    fn has_claims(&self) -> bool {
        self.style.solutions != Solutions::None
    }

    fn beside(&self, records: &Records, bytes: &[u8], line: u64, before: u64, tell: Tell<'_>) {
        if !self.style.program {
            between(records, bytes, line, before, tell);
        }
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.claim(text).map(|(grid, _)| grid.to_text(b'.').to_vec())
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let place = self.claim(text).and_then(|(_, places)| places.get(cell).copied());
        place.map_or(Place { line, column: 1 }, |(before, at)| Place {
            line: line + before,
            column: at as u64 + 1,
        })
    }
}

impl Grids {
    /// What comes next; `None` if that depends on bytes that are not there yet, or if none are left.
    fn next(&self, cursor: &mut Cursor, ahead: &mut Lines<'_>, start: usize) -> Option<Next> {
        let (rest, end) = (&ahead.bytes[start..], ahead.end);
        if cursor.phase != Phase::OtherSection
            && self.style.solutions == Solutions::None
            && let Some(next) = self.plain(cursor, rest, end, &mut ahead.known)
        {
            return Some(next);
        }
        ahead.go_to(start);
        let &Line { kind, end: line_end, .. } = ahead.line(0, &self.style)?;
        let length = line_end - start;
        let line = &rest[..length];
        let skip = Some(Next { found: Found::Skip, length, lines: 1, seen: length });
        let after_record = matches!(cursor.phase, Phase::Records | Phase::Ahead(_));
        match (cursor.phase, kind) {
            (_, LineKind::Section) => {
                cursor.phase = if holds_no_puzzle(line) { Phase::OtherSection } else { gap(cursor.phase) };
                return skip;
            }
            // A blank line ends a section.
            (Phase::OtherSection, kind) if kind != LineKind::Blank => return skip,
            (Phase::Start, LineKind::Blank | LineKind::Comment | LineKind::Border) => return skip,
            (_, LineKind::Blank | LineKind::Comment | LineKind::Border | LineKind::Title) => {
                cursor.phase = gap(cursor.phase);
                return skip;
            }
            (_, LineKind::Puzzle) => {
                cursor.phase = Phase::Records;
                let next = Next { found: Found::Record(length), length, lines: 1, seen: length };
                return self.with_solution(next, ahead, start);
            }
            (_, LineKind::Row | LineKind::Words) => {}
        }
        let (view, seen) = self.view(ahead, start, 0)?;
        if let Some(next) = self.parted(&view, ahead, start)? {
            cursor.phase = Phase::Records;
            return self.with_solution(next, ahead, start);
        }
        let piece = match view.first(&mut ahead.known) {
            // A number of a few digits is a count above a damaged grid rather than a row of it.
            Piece::Bad(_)
                if cursor.phase == Phase::Start && count(line).is_some_and(|count| count < 10_000) =>
            {
                Piece::Foreign
            }
            piece => piece,
        };
        let lines = match piece {
            Piece::Grid => SIDE,
            Piece::Bad(lines) => lines,
            Piece::Foreign => {
                let heads = || view.items.iter().take(4).find_map(|item| item.row).is_some();
                // As `- name: p1` above `grid:`.
                let is_above_title = kind == LineKind::Words
                    && is_text(line)
                    && ahead.line(1, &self.style).is_some_and(|below| below.kind == LineKind::Title);
                let promised = count(line).filter(|_| cursor.phase == Phase::Start && !self.style.headed);
                let is_title = !has_long_run(line)
                    && puzzle_in(line).is_none()
                    && !is_list(line)
                    && !is_row_element(line)
                    && !has_inner_carriage_return(line)
                    && (self.style.program && is_text(line)
                        || is_above_title
                        || kind == LineKind::Words && !after_record
                        || promised.is_some()
                        || matches!(cursor.phase, Phase::Start | Phase::Head) && is_text(line)
                        || self.style.headed && heads());
                let found = if is_title { Found::Skip } else { Found::Record(length) };
                cursor.promised = promised.or(cursor.promised);
                cursor.phase = if is_title { gap(cursor.phase) } else { Phase::Gap };
                return Some(Next { found, length, lines: 1, seen });
            }
        };
        // Rows that damage cuts off are lost.
        if end == TextEnd::Damaged && lines != SIDE && lines == view.items.len() {
            return None;
        }
        let is_blank = |item: &Item| item.row.is_some_and(|row| row.is_blank());
        let is_initial = self.style.program && lines == SIDE && view.items[..SIDE].iter().all(is_blank);
        let (length, lines) = view.items[lines - 1].end;
        // What a program begins with is no puzzle.
        if is_initial {
            cursor.phase = gap(cursor.phase);
            return Some(Next { found: Found::Skip, length, lines, seen });
        }
        cursor.phase = Phase::Records;
        self.with_solution(Next { found: Found::Record(length), length, lines, seen }, ahead, start)
    }

    /// A record with the grid behind it, if that is its solution; `None` if that depends on bytes that are not there yet.
    fn with_solution(&self, mut next: Next, ahead: &mut Lines<'_>, start: usize) -> Option<Next> {
        /// Lines of a solution, its title and what stands around it, at most.
        const MOST_LINES: u64 = 40;
        if self.style.solutions == Solutions::None {
            return Some(next);
        }
        let puzzle = self.read_grid(1, &ahead.bytes[start..start + next.length]).ok();
        // A solution that is called so is no puzzle, even if its own cannot be read.
        let is_solution = |grid: &Grid, named: bool| match &puzzle {
            Some(puzzle) => self.style.solutions.has(puzzle, grid, named),
            None => named,
        };
        let most = next.lines + MOST_LINES;
        let (mut lines, mut before) = (next.lines, start + next.length);
        let mut titled = false;
        let mut digits = Vec::with_capacity(CELLS);
        while lines < most && before - start <= MAX_LINE {
            let Some(&Line { end, kind, .. }) = ahead.line(usize::try_from(lines).ok()?, &self.style) else {
                return (ahead.end != TextEnd::More).then_some(next);
            };
            let text = &ahead.bytes[before..end];
            lines += 1;
            before = end;
            next.seen = next.seen.max(end - start);
            let cells = self.cells_of(kind, text);
            match kind {
                LineKind::Blank | LineKind::Border => {}
                LineKind::Section => break,
                _ if !cells.is_empty() => {
                    let words = text.get(..cells[0].1).unwrap_or_default();
                    titled |= digits.is_empty() && cells::says_solution(words);
                    digits.extend(cells.iter().map(|(digit, _)| digit));
                    if digits.contains(&0) {
                        break;
                    }
                }
                LineKind::Puzzle => break,
                _ if digits.is_empty() && !is_nearly_row(text) => titled |= cells::says_solution(text),
                _ => break,
            }
            if digits.len() >= CELLS {
                let grid = digits.as_array().copied().and_then(Grid::new);
                if grid.is_some_and(|grid| is_solution(&grid, titled)) {
                    (next.length, next.lines) = (before - start, lines);
                }
                break;
            }
        }
        Some(next)
    }

    /// The solution in a record that has one, and the line and offset of each of its cells.
    fn claim(&self, text: &[u8]) -> Option<(Grid, Vec<(u64, usize)>)> {
        if self.style.solutions == Solutions::None {
            return None;
        }
        let cells: Vec<_> = self.cells(text).skip(CELLS).take(CELLS).collect();
        let digits: Vec<u8> = cells.iter().map(|(_, (digit, _))| *digit).collect();
        let grid = Grid::new(*digits.as_array()?)?;
        Some((grid, cells.into_iter().map(|(before, (_, at))| (before, at)).collect()))
    }

    /// The grid of nine plain lines at the start of `rest`, if they leave no doubt: nothing follows but a blank line, or
    /// grids whose clues agree.
    fn plain(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd, known: &mut Known) -> Option<Next> {
        let shape = Shape::of(rest)?;
        let length = shape.stride * SIDE;
        let grid_at = |at: usize| shape.grid(rest.get(at..at + length)?, &self.style);
        let grid = grid_at(0)?;
        let mut seen = length;
        let ahead = match cursor.phase {
            Phase::Ahead(ahead @ 1..) => usize::from(ahead) - 1,
            _ => {
                let closed_by = |at: usize| self.gap_length(&rest[at..], end);
                let mut grids = 1;
                while closed_by(seen).is_none()
                    && grids < MOST_AHEAD
                    && let Some(next) = grid_at(seen)
                    && known.is_telling(&next.cells)
                {
                    grids += 1;
                    seen += length;
                }
                let (closed, by) = closed_by(seen).map_or((false, 0), |by| (true, by));
                if grids + usize::from(closed) * GRIDS_AHEAD <= GRIDS_AHEAD
                    || (grids > 1 || !closed) && !known.is_telling(&grid.cells)
                {
                    return None;
                }
                seen += by;
                if closed { grids - 1 } else { grids - 1 - GRIDS_AHEAD }
            }
        };
        cursor.phase = Phase::Ahead(ahead as u8);
        Some(Next { found: Found::Plain(grid), length, lines: SIDE as u64, seen })
    }

    /// The bytes behind plain grids that show that nothing more belongs to them.
    fn gap_length(&self, rest: &[u8], end: TextEnd) -> Option<usize> {
        match rest {
            [] => (end != TextEnd::More).then_some(0),
            [b'\n', ..] => (!self.style.bands_apart).then_some(1),
            [b'\r', b'\n', ..] => (!self.style.bands_apart).then_some(2),
            [first, ..] if cells::is_cell(*first) => None,
            rest => {
                let length = line_length(rest, end)?;
                let kind = kind_of(&rest[..length], &self.style);
                matches!(kind, LineKind::Title | LineKind::Section | LineKind::Puzzle).then_some(length)
            }
        }
    }

    /// The grid in which a blank line stands, as a record that is none: its first rows, the blank line and its last rows,
    /// behind which nothing but whole grids follow up to what sets them apart. `None` outside if that depends on bytes
    /// that are not there yet.
    ///
    /// Without that the last rows and the first ones of the next grid might be nine that look like a grid.
    fn parted(&self, view: &View, ahead: &mut Lines<'_>, start: usize) -> Option<Option<Next>> {
        let are_rows =
            |items: &[Item]| items.iter().all(|item| item.row.is_some() && item.gap == Gap::Nothing);
        let head = view.items.len();
        if self.style.has_blank_lines() || head >= SIDE || !view.closed || !are_rows(&view.items) {
            return Some(None);
        }
        let Some(&Item { end: (length, lines), .. }) = view.items.last() else { return Some(None) };
        let number = usize::try_from(lines).unwrap_or_default();
        let Some(&Line { end: below, kind: LineKind::Blank, .. }) = ahead.line(number, &self.style) else {
            return Some(None);
        };
        let (rest, seen) = self.view(ahead, below, number + 1)?;
        let Some((tail, grids)) = rest.items.split_at_checked(SIDE - head) else { return Some(None) };
        let (grids, more) = grids.as_chunks::<SIDE>();
        let is_parted = rest.closed
            && more.is_empty()
            && are_rows(&rest.items)
            && grids.iter().all(|rows| ahead.known.is_telling_items(rows));
        let Some(&Item { end: (tail, tail_lines), .. }) = tail.last().filter(|_| is_parted) else {
            return Some(None);
        };
        let gap = below - start - length;
        Some(Some(Next {
            found: Found::Record(length + gap + tail),
            length: length + gap + tail,
            lines: lines + 1 + tail_lines,
            seen: below - start + seen,
        }))
    }

    /// The coming rows and lines that may be damaged ones, and the number of bytes looked at: from an offset on, which is
    /// that of the line of this number.
    fn view(&self, ahead: &mut Lines<'_>, start: usize, first: usize) -> Option<(View, usize)> {
        let style = &self.style;
        let mut view = View {
            items: Vec::with_capacity(2 * SIDE),
            closed: true,
            borders_anywhere: style.borders_anywhere,
            headed: style.headed,
        };
        let (mut at, mut lines, mut other_bytes) = (0, 0, 0);
        let (mut gap, mut before) = (Gap::Nothing, LineKind::Row);
        // Lines at the start that are far from being rows.
        let mut far = 0;
        loop {
            let items = view.items.len();
            if items >= MOST || at > MOST_BYTES && items >= 2 * SIDE || far == SIDE {
                view.closed = false;
                break;
            }
            let Some(&Line { end, kind, row, is_nearly_row }) = ahead.line(first + lines, style) else {
                if ahead.end == TextEnd::More {
                    return None;
                }
                break;
            };
            let length = end - start - at;
            at += length;
            lines += 1;
            if kind == LineKind::Words && self.heads(&view, ahead, first + lines)? {
                break;
            }
            match kind {
                LineKind::Row | LineKind::Words => {
                    far += usize::from(far == items && row.is_none() && !is_nearly_row);
                    view.items.push(Item { row, is_nearly_row, gap, end: (at, lines as u64) });
                    gap = Gap::Nothing;
                    if view.items.len().is_multiple_of(SIDE) {
                        other_bytes = 0;
                    }
                }
                LineKind::Title | LineKind::Section | LineKind::Puzzle => break,
                LineKind::Blank if style.rows_apart && before != LineKind::Blank => {}
                LineKind::Blank if !style.bands_apart || before == LineKind::Blank => break,
                LineKind::Border if before == LineKind::Border => break,
                LineKind::Border | LineKind::Comment
                    if (style.bands_apart || style.rows_apart) && items > 0 && items.is_multiple_of(SIDE) =>
                {
                    break;
                }
                LineKind::Blank => gap = gap.max(Gap::Blank),
                LineKind::Border => gap = gap.max(Gap::Border),
                LineKind::Comment => gap = gap.max(Gap::Comment),
            }
            if !matches!(kind, LineKind::Row | LineKind::Words) {
                other_bytes += length;
                if other_bytes > MAX_LINE {
                    break;
                }
            }
            before = kind;
        }
        Some((view, at))
    }

    /// Whether a line of words is the heading of a grid below lines that are no rows, though most of one is cells, given
    /// the number of the next line; `None` if that is not there yet.
    fn heads(&self, view: &View, ahead: &mut Lines<'_>, below: usize) -> Option<bool> {
        let has_row = || view.items.iter().any(|item| item.row.is_some());
        if !self.style.headed || has_row() || !view.items.iter().any(|item| item.is_nearly_row) {
            return Some(false);
        }
        match ahead.line(below, &self.style) {
            Some(line) => Some(line.row.is_some()),
            None => (ahead.end != TextEnd::More).then_some(false),
        }
    }

    /// The cells of a record, each with the number of lines before it.
    fn cells<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (u64, Cell)> + 'a {
        (0..).zip(lines_of(text)).flat_map(|(before, line)| {
            let cells = self.cells_of(kind_of(line, &self.style), line);
            cells.into_iter().map(move |cell| (before, cell))
        })
    }

    /// The cells of a line, if it is a row or a puzzle.
    fn cells_of(&self, kind: LineKind, line: &[u8]) -> Vec<Cell> {
        let cells = match kind {
            LineKind::Row | LineKind::Words => row_of(line, self.style.row).map(|row| row.to_vec()),
            LineKind::Puzzle => {
                sole_puzzle(line).map(|(at, grid)| grid.cells().iter().copied().zip(at..).collect())
            }
            _ => None,
        };
        cells.unwrap_or_default()
    }

    /// `SpacedRows` if something stands between the cells of the first row.
    fn layout(&self, text: &[u8]) -> Layout {
        /// From the first to the last of nine cells with a space between each two.
        const SPACED: usize = 2 * SIDE - 2;
        let row = lines_of(text).next().unwrap_or_default();
        if puzzle_in(row).is_some() {
            return Layout::Line;
        }
        let (first, last) = match read_row(row, self.style.row) {
            Ok(row) => (row[0].1, row[SIDE - 1].1),
            Err(_) => (0, row.len().min(3)),
        };
        let between = row.get(first..last).unwrap_or_default();
        let has_spaces = !matches!(between.len(), 3..SPACED) && between.contains(&b' ');
        let apart = has_spaces || between.iter().any(|&byte| byte != b' ' && is_separator(byte));
        if apart && !has_bars(between) { Layout::SpacedRows } else { Layout::Rows }
    }

    fn read_grid(&self, first_line: u64, text: &[u8]) -> Result<Grid, Fault> {
        let mut cells = [0; CELLS];
        let mut rows = 0;
        let mut lines = 0;
        let mut blank_line = None;
        let mut blanks = Blanks::default();
        // The character of the first blank, and whether another one stands for one.
        let (mut mark, mut marks_differ) = (None, false);
        // Whether a blank in a frame is a character, and the first row in which there is nothing where one stands.
        let (mut is_marked, mut unmarked) = (false, None);
        let place = |line, at: usize| Place { line, column: at as u64 + 1 };
        let fault = |kind, line| Fault::new(kind, Some(place(line, 0)));
        for line in lines_of(text) {
            let number = first_line + lines;
            lines += 1;
            match kind_of(line, &self.style) {
                LineKind::Row | LineKind::Words => {
                    let row =
                        read_row(line, self.style.row).map_err(|(at, fault)| fault.at(place(number, at)))?;
                    let mut missing = Vec::new();
                    for (cell, &(_, at)) in row.iter().enumerate().filter(|(_, (digit, _))| *digit == 0) {
                        let end = row.get(cell + 1).map_or(line.len(), |&(_, next)| next);
                        let text = line.get(at..end).unwrap_or_default();
                        let sign = text.first().copied().unwrap_or(b' ');
                        marks_differ |= *mark.get_or_insert(sign) != sign;
                        is_marked |= cells::is_cell(sign);
                        missing.extend(sign.is_ascii_whitespace().then_some(at));
                        let length = text.iter().position(|byte| !matches!(byte, b'-' | b'0' | b'1'));
                        if let Some(fault) = blanks.see(&text[..length.unwrap_or(text.len())]) {
                            return Err(fault.at(place(number, at)));
                        }
                    }
                    if let Some(&at) = missing.first().filter(|_| unmarked.is_none() && has_bars(line)) {
                        let fault = Fault::new(FaultKind::RowCellCount, Some(place(number, at)));
                        unmarked = Some(fault.number(SIDE - missing.len()));
                    }
                    if let Some(cells) = cells.get_mut(rows * SIDE..rows * SIDE + SIDE) {
                        cells.copy_from_slice(&row.map(|(digit, _)| digit));
                    }
                    rows += 1;
                }
                LineKind::Puzzle => {
                    return read_line(line).map_err(|(at, fault)| fault.at(place(number, at)));
                }
                LineKind::Border if rows % 3 != 0 && !self.style.borders_anywhere => {
                    return Err(fault(FaultKind::Border, number).number(rows));
                }
                LineKind::Blank if !self.style.has_blank_lines() => {
                    blank_line = blank_line.or(Some(fault(FaultKind::CutOffGrid, number).number(rows)));
                }
                LineKind::Blank if rows % 3 != 0 && !self.style.rows_apart => {
                    blank_line = blank_line.or(Some(fault(FaultKind::Border, number).number(rows)));
                }
                _ => {}
            }
        }
        match (rows, blank_line) {
            (SIDE, Some(fault)) => Err(fault),
            // A cell was lost: where blanks are written, a space is none.
            (SIDE, None) if let Some(fault) = unmarked.filter(|_| is_marked) => Err(fault),
            (SIDE, None) if marks_differ && cells == [0; CELLS] => Err(fault(FaultKind::NoClue, first_line)),
            (SIDE, None) => Ok(Grid::new(cells).expect("rows hold digits and blanks")),
            (..SIDE, _) => Err(fault(FaultKind::CutOffGrid, first_line + lines).number(rows)),
            _ => Err(fault(FaultKind::RowCount, first_line).number(rows)),
        }
    }
}

/// Reads the puzzle on a line; otherwise says at which offset the trouble is, and what it is.
fn read_line(line: &[u8]) -> Result<Grid, (usize, Fault)> {
    let fault = |at, kind| Err((at, Fault::new(kind, None)));
    match sole_puzzle(line) {
        _ if line.strip_suffix(b"\n").unwrap_or(line).len() > MAX_LINE => {
            fault(MAX_LINE, FaultKind::LineTooLong)
        }
        Some((at, grid)) if grid.clues() == 0 => fault(at, FaultKind::NoClue),
        Some((_, grid)) => Ok(grid),
        None => {
            let (at, count) = puzzle_in(line).unwrap_or_default();
            let cells = if count == CELLS { 2 * CELLS } else { count };
            Err((at + SIDE, Fault::new(FaultKind::CellCount, None).number(cells)))
        }
    }
}

/// A line of a text.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Where it ends.
    end: usize,
    kind: LineKind,
    row: Option<Row>,
    /// Whether, if it is none, most of it is cells.
    is_nearly_row: bool,
}

/// The coming lines of a text: those of several records are looked at before the first of them is known, and each line
/// is read but once.
struct Lines<'a> {
    bytes: &'a [u8],
    /// What follows the bytes.
    end: TextEnd,
    lines: VecDeque<Line>,
    /// Where the last of them ends.
    read: usize,
    known: Known,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8], end: TextEnd) -> Self {
        Self { bytes, end, lines: VecDeque::new(), read: 0, known: Known::default() }
    }

    /// Leaves the lines before an offset behind, which is the start of one.
    fn go_to(&mut self, start: usize) {
        while self.lines.front().is_some_and(|line| line.end <= start) {
            self.lines.pop_front();
        }
        if self.lines.is_empty() {
            self.read = start;
        }
    }

    /// A line by its number from there on, all before it having been asked for; `None` if it is not there as a whole.
    fn line(&mut self, number: usize, style: &Style) -> Option<&Line> {
        if number == self.lines.len() {
            let rest = &self.bytes[self.read..];
            let text = &rest[..line_length(rest, self.end)?];
            let kind = kind_of(text, style);
            let mut line = Line { end: self.read + text.len(), kind, row: None, is_nearly_row: false };
            if matches!(kind, LineKind::Row | LineKind::Words) {
                line.row = row_of(text, style.row).map(|row| Row::new(row.map(|(digit, _)| digit)));
                line.is_nearly_row = line.row.is_none() && is_nearly_row(text);
            }
            self.read = line.end;
            self.lines.push_back(line);
        }
        self.lines.get(number)
    }
}

/// The phase behind what sets grids apart and is no record.
fn gap(phase: Phase) -> Phase {
    match phase {
        Phase::Start | Phase::Head => Phase::Head,
        _ => Phase::Gap,
    }
}

/// Nine cells a line, close together or with one separator between each two, and nothing else.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Bytes of a line.
    stride: usize,
    /// From one cell to the next.
    step: usize,
}

/// Nine rows of that shape.
struct PlainGrid {
    cells: [u8; CELLS],
    layout: Layout,
}

impl Shape {
    /// That of the first line.
    fn of(rest: &[u8]) -> Option<Self> {
        let is_end = |at: usize| rest.get(at) == Some(&b'\n');
        let stride = [10, 11, 18, 19].into_iter().find(|stride| is_end(stride - 1))?;
        let step = if stride > 2 * SIDE - 1 { 2 } else { 1 };
        Some(Self { stride, step })
    }

    /// The grid of so many lines of this shape.
    fn grid(self, lines: &[u8], style: &Style) -> Option<PlainGrid> {
        let mut grid = PlainGrid {
            cells: [0; CELLS],
            layout: if self.step == 1 { Layout::Rows } else { Layout::SpacedRows },
        };
        let width = SIDE * self.step + 1 - self.step;
        let line_end = if self.stride == width + 1 { &b"\n"[..] } else { b"\r\n" };
        let mut clues = 0;
        for (row, line) in
            grid.cells.as_chunks_mut::<SIDE>().0.iter_mut().zip(lines.chunks_exact(self.stride))
        {
            let mut digits = 0;
            for (i, cell) in row.iter_mut().enumerate() {
                *cell = cells::digit(line[i * self.step]);
                digits |= *cell;
            }
            clues |= digits;
            // A byte that is no cell has all bits set.
            if digits > 15 || &line[width..] != line_end {
                return None;
            }
            let apart = || line[..width].iter().skip(1).step_by(2).all(|&byte| is_separator(byte));
            // What looks blank may be a border.
            let blank = || line[..width].iter().step_by(self.step).all(|&byte| style.blanks.contains(byte));
            if self.step == 2 && !apart() || digits == 0 && !blank() {
                return None;
            }
        }
        // Without a clue it is doubtful that it is a puzzle.
        (clues != 0).then_some(grid)
    }
}

fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

fn look(sample: &Sample<'_>) -> Seen {
    // Nothing to learn from lists of lines, which are long.
    let row = (!sample.record_lines().all(has_long_run)).then(|| row_style(sample));
    let Some(row) = row.filter(|&row| sample.lines().any(|line| is_row(line, row))) else {
        return Seen::new(0, |sample| Ok(Arc::new(Grids { style: style(sample, row_style(sample)) })));
    };
    let mut grids = Grids { style: style(sample, row) };
    let seen = evidence(sample, &mut grids);
    Seen::new(seen, move |_| Ok(Arc::new(Grids { style: grids.style })))
}

/// Counts the cells of grids; rows say something where there is none, and lines of 81 cells where there is one.
fn evidence(sample: &Sample<'_>, grids: &mut Grids) -> u64 {
    let mut pairs = Pairs::default();
    let length = if sample.whole { None } else { sample.bytes.iter().rposition(|&byte| byte == b'\n') };
    let bytes = &sample.bytes[..length.map_or(sample.bytes.len(), |at| at + 1)];
    let mut cursor = Cursor::START;
    let (mut start, mut seen, mut lines, mut has_grid) = (0, 0, 0, false);
    let mut ahead = Lines::new(bytes, TextEnd::Last);
    while let Some(next) = grids.next(&mut cursor, &mut ahead, start) {
        let text = &bytes[start..start + next.length];
        let grid = match next.found {
            Found::Skip => {
                start += next.length;
                continue;
            }
            Found::Plain(grid) => Some(grid.cells),
            Found::Record(puzzle) => grids.read_grid(1, &text[..puzzle]).ok().map(|grid| *grid.cells()),
        };
        let has_digit = |line: &&[u8]| line.iter().any(u8::is_ascii_digit);
        let rows =
            || lines_of(text).filter(|line| has_digit(line) && is_row(line, grids.style.row)).count() * SIDE;
        if let Some(grid) = grid.and_then(Grid::new) {
            pairs.see(&grid, false);
            if let Some((solution, _)) = grids.claim(text) {
                pairs.see(&solution, true);
            }
        }
        match grid {
            Some(cells) if next.lines == 1 => lines += if cells.contains(&0) { CELLS } else { 1 },
            Some(cells) if !clashes(&cells) => {
                seen += CELLS;
                has_grid = true;
            }
            _ => seen += rows(),
        }
        start += next.length;
    }
    grids.style.solutions = pairs.solutions();
    (seen + if has_grid { lines } else { 0 }) as u64
}

#[cfg(test)]
mod tests;
