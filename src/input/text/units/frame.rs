//! Where blocks of lines end.

use memchr::memrchr;

use super::rows::Stretch;
use super::{Line, Lines, Sort, Units};
use crate::input::reader::{State, TextEnd};
use crate::input::text::notation::is_border;
use crate::sudoku::{CELLS, SIDE};

/// Bytes of rows that nothing sets apart that are held, so that one lost row can be told before its stretch is read. More
/// are read as they come, since memory is not to grow with a file.
const HELD: usize = if cfg!(test) { 4 << 10 } else { 64 << 20 };

/// Bytes of a stretch of whole grids from which on it is parted: more than is asked of a block at once, and than a sample
/// has.
const PART: usize = if cfg!(test) { 2 << 10 } else { 4 << 20 };

/// All whole lines.
pub(super) fn whole_lines(bytes: &[u8], end: TextEnd) -> usize {
    match end {
        TextEnd::Last => bytes.len(),
        TextEnd::More | TextEnd::Damaged => memrchr(b'\n', bytes).map_or(0, |last| last + 1),
    }
}

/// The whole lines within so many bytes.
fn first_lines(bytes: &[u8], most: usize) -> &[u8] {
    &bytes[..whole_lines(&bytes[..bytes.len().min(most)], TextEnd::More)]
}

/// The lines of a text from its last to its first.
fn lines_up(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    Line { number: 0, start: bytes.len(), end: bytes.len(), text: &[] }.all_before(bytes)
}

/// The first grids of a stretch.
struct Grids {
    /// How long they are. If the stretch ends behind them, the line that ends it is among them.
    length: usize,
    /// The stretch that goes on behind them; none if it has ended.
    stretch: Stretch,
    /// Rows of it that are no whole grid.
    left: usize,
}

impl Units {
    /// Whole stretches of rows. Of a long one that is whole grids, or too long to be held, some grids at a time, so that
    /// several threads read them.
    pub(super) fn frame_rows(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let lines = &bytes[..whole_lines(bytes, end)];
        if state.stretch.rows > 0 {
            let Grids { length, stretch, .. } = self.grids(lines, state.stretch);
            if end == TextEnd::Last && stretch.rows > 0 {
                return bytes.len();
            }
            state.stretch = stretch;
            return length;
        }
        let near = first_lines(lines, HELD);
        let length = match end {
            TextEnd::Last if bytes.len() <= HELD => bytes.len(),
            _ => self.stretches(near, self.is_below() && end == TextEnd::More),
        };
        let is_too_long = length == 0 && (end != TextEnd::More || bytes.len() > HELD);
        let is_long = || {
            let first = self.grids(&bytes[..length], Stretch::default());
            first.left == 0 && first.length > PART
        };
        if !is_too_long && (length <= PART || self.is_below() || !is_long()) {
            return length;
        }
        let parts = [PART, HELD].map(|most| first_lines(near, most));
        let found = parts.into_iter().map(|part| self.grids(part, Stretch::default()));
        let Some(first) = found.into_iter().find(|grids| grids.length > 0) else { return length };
        state.stretch = first.stretch;
        first.length
    }

    /// Whole stretches, by a search from the end; of lists, lines. Where claims may come below, no puzzle without one is last.
    fn stretches(&self, bytes: &[u8], has_pairs: bool) -> usize {
        // Between plain grids nothing ends a stretch.
        let mut plain = 0;
        while let Some((_, length)) = self.plain_grid(&bytes[plain..]) {
            plain += length;
        }
        let is_blank =
            |line: &Line| line.text.trim_ascii().is_empty() && matches!(self.sort(bytes, line), Sort::Blank);
        let is_border = |line: &Line| is_border(line.text) && !self.is_row(line.text);
        let is_double = |line: &Line, is: &dyn Fn(&Line) -> bool| {
            is(line) && line.before(bytes).is_some_and(|above| is(&above))
        };
        let ends = |line: &Line| match self.sort(bytes, line) {
            Sort::Marks | Sort::Title => true,
            Sort::Blank if self.has_bands() => is_double(line, &is_blank),
            // Which lines of separators are blank, and which blanks are borders, those below say, too.
            Sort::Blank => is_blank(line),
            Sort::Border => is_double(line, &is_border),
            Sort::Row(_) | Sort::Bad(..) | Sort::Comment => false,
        };
        let ends = |line: &Line| {
            (self.cells_a_line == CELLS || ends(line)) && (!has_pairs || self.parts_pair(bytes, line))
        };
        lines_up(bytes).take_while(|line| line.start >= plain).find(ends).map_or(0, |line| line.end)
    }

    /// Whether a puzzle above a place and its claim below it may be parted there: not where that puzzle has a blank and what
    /// is below has none, or is not there yet.
    fn parts_pair(&self, bytes: &[u8], line: &Line) -> bool {
        let is_open = |lines: &mut dyn Iterator<Item = Line>| {
            let rows = lines.map(|line| self.sort(bytes, &line));
            let mut rows = rows.filter(|sort| matches!(sort, Sort::Row(_) | Sort::Bad(..))).take(self.rows());
            rows.any(|row| self.has_blank(&row))
        };
        // Of what is no row only the last line is asked, so that no line is looked at again and again.
        let next = line.behind(bytes).map(|next| self.sort(bytes, &next));
        let is_next_to_row = matches!(next, None | Some(Sort::Row(_) | Sort::Bad(..) | Sort::Border));
        let mut above = std::iter::once(*line).chain(line.all_before(bytes));
        is_next_to_row && (!is_open(&mut above) || is_open(&mut line.all_behind(bytes)))
    }

    /// Whether a row has a blank.
    fn has_blank(&self, row: &Sort) -> bool {
        matches!(row, Sort::Row(cells) if cells.values[..self.cells_a_line].contains(&0))
    }

    /// Whole grids of a stretch that goes on from before or begins here. Where claims stand below, the last grid has no
    /// blank.
    fn grids(&self, bytes: &[u8], mut stretch: Stretch) -> Grids {
        let mut grids = Grids { length: 0, stretch, left: 0 };
        let mut start = (0, stretch);
        let (mut lines, mut has_blank) = (Lines::new(bytes), false);
        loop {
            while stretch.rows.is_multiple_of(self.rows())
                && let Some((grid, length)) = self.plain_grid(&bytes[lines.start..])
            {
                start = (lines.start, stretch);
                lines.start += length;
                stretch.add(SIDE);
                has_blank = self.is_below() && grid.cells().contains(&0);
                (grids.length, grids.stretch) = if has_blank { start } else { (lines.start, stretch) };
            }
            let Some(line) = lines.next() else { break };
            let sort = self.sort(bytes, &line);
            if let Sort::Row(_) | Sort::Bad(..) = &sort {
                if stretch.rows.is_multiple_of(self.rows()) {
                    (start, has_blank) = ((line.start, stretch), false);
                }
                has_blank |= self.is_below() && self.has_blank(&sort);
                stretch.add(1);
                if stretch.rows.is_multiple_of(self.rows()) {
                    (grids.length, grids.stretch) = if has_blank { start } else { (line.end, stretch) };
                }
            } else {
                let rows = stretch.rows;
                if !stretch.goes_on(&sort, self) {
                    grids.length = line.end;
                    if rows > 0 {
                        return Grids { stretch: Stretch::default(), left: rows % self.rows(), ..grids };
                    }
                }
            }
        }
        Grids { left: stretch.rows % self.rows(), ..grids }
    }
}
