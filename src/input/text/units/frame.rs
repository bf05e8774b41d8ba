//! Finds where blocks of lines can end.

use super::{Line, LineKind, Lines, Units};
use crate::input::reader::{State, Stretch, TextEnd};
use crate::input::text::whole_lines;
use crate::sudoku::{CELLS, SIDE};

/// The number of bytes to buffer if no separators occur between rows, so that a missing row is noticed before its
/// stretch is read. Longer stretches are read as they come, because memory use must not grow with the file.
const HELD: usize = if cfg!(test) { 4 << 10 } else { 16 << 20 };

/// The size in bytes above which a stretch of whole grids is divided. It is larger than a sample, and than the amount
/// requested for one block.
const PART: usize = if cfg!(test) { 2 << 10 } else { 2 << 20 };

impl Stretch {
    #[inline]
    pub(super) const fn add(&mut self, rows: usize) {
        self.rows += rows;
        self.behind_border += rows;
        self.is_after_blank = false;
    }

    /// Returns whether the rows so far are whole grids.
    pub(super) const fn is_whole(&self, units: &Units) -> bool {
        self.rows.is_multiple_of(units.rows())
    }

    /// Returns whether the stretch continues after a line that is not a row.
    pub(super) fn goes_on(&mut self, kind: &LineKind, units: &Units) -> bool {
        if self.rows == 0 {
            return false;
        }
        let is_band = self.rows.is_multiple_of(units.rows() / 3);
        match kind {
            // If bands are separated in the same way as grids, it takes two blank lines to separate grids.
            LineKind::Blank => units.has_bands() && !std::mem::replace(&mut self.is_after_blank, true),
            // Two consecutive borders are the end of one frame and the start of the next. A border below a grid without
            // inner borders separates grids. A border occurs in the middle of a band only if every row has a border.
            LineKind::Border => {
                // Two bands are allowed if the grid begins between the borders of two grids.
                let band = units.rows() / 3;
                let is_behind_band =
                    self.behind_border == band || self.has_border && self.behind_border == 2 * band;
                let is_inside =
                    self.behind_border == 1 || is_behind_band && (self.has_border || !self.is_whole(units));
                let goes_on = self.behind_border > 0 && is_inside;
                (self.has_border, self.behind_border) = (true, 0);
                goes_on
            }
            LineKind::Comment => is_band && self.rows < units.rows(),
            LineKind::Marks | LineKind::Title => false,
            LineKind::Row(_) | LineKind::Bad(..) => true,
        }
    }
}

/// The first grids of a stretch.
struct Grids {
    /// The length of the grids. If the stretch ends after them, this includes the line that ends it.
    length: usize,
    /// The state of the stretch after these grids; empty if the stretch has ended.
    stretch: Stretch,
    /// Whether the stretch has ended.
    has_ended: bool,
    /// Whether the stretch so far consists of whole grids.
    is_whole: bool,
}

impl Units {
    /// Returns the length of the complete stretches of rows. If a long stretch consists of whole grids or is too long
    /// to buffer, it is divided so that several threads can read it.
    pub(super) fn frame_rows(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let lines = &bytes[..whole_lines(bytes, end)];
        let near = &bytes[..whole_lines(&lines[..lines.len().min(HELD)], TextEnd::More)];
        let is_near = end == TextEnd::Last && bytes.len() <= HELD;
        let rest = || if is_near { bytes.len() } else { self.last_end(near, end == TextEnd::More) };
        if self.cells_a_line == CELLS {
            return rest();
        }
        if state.stretch.rows > 0 {
            let part = self.part(lines, state.stretch);
            if end == TextEnd::Last && !part.has_ended && bytes.len() <= PART {
                return bytes.len();
            }
            state.stretch = part.stretch;
            return part.length;
        }
        let first = self.grids(near, Stretch::default());
        // Lines that are not rows need not be buffered.
        if first.stretch.rows == 0 && !first.has_ended && !is_near {
            return first.length;
        }
        let is_over = is_near || first.has_ended;
        if !is_over && end == TextEnd::More && bytes.len() < HELD {
            return 0;
        }
        if is_over && (first.length <= PART || !first.is_whole || self.is_below()) {
            let length = rest();
            if length > 0 || end == TextEnd::More && bytes.len() < HELD {
                return length;
            }
        }
        let part = self.part(near, Stretch::default());
        state.stretch = part.stretch;
        part.length
    }

    /// Returns the first grids of a long stretch that continues or begins here, looking at more bytes if no grid fits.
    fn part(&self, bytes: &[u8], stretch: Stretch) -> Grids {
        let part = &bytes[..whole_lines(&bytes[..bytes.len().min(PART)], TextEnd::More)];
        let grids = self.grids(part, stretch);
        if grids.length > 0 { grids } else { self.grids(bytes, stretch) }
    }

    /// Searches backwards for the end of the last complete stretch, or of the last line of a list. If claims can be
    /// below puzzles, the block must not end between a puzzle and its claim.
    fn last_end(&self, bytes: &[u8], may_go_on: bool) -> usize {
        let above = |line: &Line| line.before(bytes).map(|above| self.kind_of(bytes, &above));
        let ends = |line: &Line| match self.kind_of(bytes, line) {
            _ if self.cells_a_line == CELLS => true,
            LineKind::Marks | LineKind::Title => true,
            LineKind::Blank => !self.has_bands() || matches!(above(line), Some(LineKind::Blank)),
            LineKind::Border => matches!(above(line), Some(LineKind::Border)),
            LineKind::Row(_) | LineKind::Bad(..) | LineKind::Comment => false,
        };
        let has_pairs = self.is_below() && may_go_on;
        let mut lines = std::iter::successors(Line::last(bytes), |line| line.before(bytes));
        lines
            .find(|line| ends(line) && (!has_pairs || self.parts_pair(bytes, line)))
            .map_or(0, |line| line.end)
    }

    /// Returns whether the text can be divided at this line without separating a puzzle from the claim below it. That
    /// is safe if the puzzle above has no blanks, or if the grid below has some.
    fn parts_pair(&self, bytes: &[u8], line: &Line) -> bool {
        let is_open = |lines: &mut dyn Iterator<Item = Line>| {
            let rows = lines.map(|line| self.kind_of(bytes, &line));
            let mut rows =
                rows.filter(|kind| matches!(kind, LineKind::Row(_) | LineKind::Bad(..))).take(self.rows());
            rows.any(|row| self.has_blank(&row))
        };
        // Of several consecutive lines that are not rows, only the last is examined, so no line is examined repeatedly.
        let next = line.behind(bytes);
        let is_next_to_row = match next.map(|next| self.kind_of(bytes, &next)) {
            None | Some(LineKind::Row(_) | LineKind::Bad(..) | LineKind::Border) => true,
            Some(_) => false,
        };
        is_next_to_row
            && (!is_open(&mut std::iter::successors(Some(*line), |line| line.before(bytes)))
                || is_open(&mut std::iter::successors(next, |line| line.behind(bytes))))
    }

    /// Returns whether a row has a blank.
    fn has_blank(&self, row: &LineKind) -> bool {
        matches!(row, LineKind::Row(cells) if cells.values[..self.cells_a_line].contains(&0))
    }

    /// Returns the whole grids of a stretch that continues or begins here. If claims are below puzzles, the last grid
    /// must have no blanks.
    fn grids(&self, bytes: &[u8], mut stretch: Stretch) -> Grids {
        let mut grids = Grids { length: 0, stretch, has_ended: false, is_whole: false };
        let (mut lines, mut first, mut has_blank) = (Lines::new(bytes), (0, stretch), false);
        loop {
            let (start, was_whole) = (lines.start, stretch.is_whole(self));
            let plain = if was_whole { self.plain(&bytes[start..]) } else { None };
            let is_open;
            if let Some(plain) = plain {
                lines.start += plain.len();
                is_open = self.is_below() && plain.iter().any(|byte| matches!(byte, b'.' | b'0'));
            } else {
                let Some(line) = lines.next() else { break };
                let kind = self.kind_of(bytes, &line);
                if !matches!(kind, LineKind::Row(_) | LineKind::Bad(..)) {
                    let is_empty = stretch.rows == 0;
                    if !stretch.goes_on(&kind, self) {
                        grids.length = line.end;
                        if !is_empty {
                            let stretch = Stretch::default();
                            return Grids { stretch, has_ended: true, is_whole: was_whole, ..grids };
                        }
                    }
                    continue;
                }
                is_open = self.is_below() && self.has_blank(&kind);
            }
            if was_whole {
                (first, has_blank) = ((start, stretch), false);
            }
            has_blank |= is_open;
            stretch.add(if plain.is_some() { SIDE } else { 1 });
            if stretch.is_whole(self) {
                (grids.length, grids.stretch) = if has_blank { first } else { (lines.start, stretch) };
            }
        }
        Grids { is_whole: stretch.is_whole(self), ..grids }
    }
}
