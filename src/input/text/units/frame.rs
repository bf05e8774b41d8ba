//! Where blocks of lines end.

use memchr::memrchr;

use super::claims::FARTHEST;
use super::rows::Stretch;
use super::{Line, Lines, Sort, Units};
use crate::input::reader::{State, TextEnd};

/// Bytes of rows that nothing sets apart that are held, so that one lost row can be told before its stretch is read. More
/// are read as they come, since memory is not to grow with a file.
const HELD: usize = if cfg!(test) { 4 << 10 } else { 64 << 20 };

/// All whole lines.
pub(super) fn whole_lines(bytes: &[u8], end: TextEnd) -> usize {
    match end {
        TextEnd::Last => bytes.len(),
        TextEnd::More | TextEnd::Damaged => memrchr(b'\n', bytes).map_or(0, |last| last + 1),
    }
}

/// The lines of a text from its last to its first.
fn lines_up(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let behind = Line { number: 0, start: bytes.len(), end: bytes.len(), text: &[] };
    std::iter::successors(behind.before(bytes), |line| line.before(bytes))
}

impl Units {
    /// Whole lines of a list, but not between a puzzle and what may be its claim.
    pub(super) fn frame_pairs(&self, bytes: &[u8], end: TextEnd) -> usize {
        let length = whole_lines(bytes, end);
        if end != TextEnd::More {
            return length;
        }
        let bytes = &bytes[..length];
        let near = lines_up(bytes).take_while(|line| length - line.end <= FARTHEST);
        for line in near {
            match self.sort(bytes, &line) {
                row if self.has_blank(&row) => return line.start,
                Sort::Row(_) | Sort::Bad(..) => return length,
                _ => {}
            }
        }
        length
    }

    /// Whole stretches of rows; of one that is too long to be held, whole grids.
    pub(super) fn frame_rows(&self, state: &mut State, bytes: &[u8], end: TextEnd) -> usize {
        let lines = &bytes[..whole_lines(bytes, end)];
        if state.in_stretch {
            let (length, goes_on) = self.grids(lines, self.stretch(state));
            state.in_stretch = goes_on;
            return match end {
                TextEnd::Last if goes_on => bytes.len(),
                _ => length,
            };
        }
        if end == TextEnd::Last && bytes.len() <= HELD {
            return bytes.len();
        }
        let near = &lines[..whole_lines(&lines[..lines.len().min(HELD)], TextEnd::More)];
        let length = if self.is_below() { self.pairs(near) } else { self.stretches(near) };
        if length > 0 || end == TextEnd::More && bytes.len() <= HELD {
            return length;
        }
        let (length, goes_on) = self.grids(near, Stretch::default());
        state.in_stretch = goes_on;
        length
    }

    /// Whole stretches, by a search from the end.
    fn stretches(&self, bytes: &[u8]) -> usize {
        let ends = |line: &Line| match self.sort(bytes, line) {
            Sort::Blank if self.has_bands() => {
                line.before(bytes).is_some_and(|above| matches!(self.sort(bytes, &above), Sort::Blank))
            }
            Sort::Blank | Sort::Marks | Sort::Title => true,
            Sort::Row(_) | Sort::Bad(..) | Sort::Border | Sort::Comment => false,
        };
        lines_up(bytes).find(ends).map_or(0, |line| line.end)
    }

    /// Whole stretches that do not end with a puzzle whose claim may come.
    fn pairs(&self, bytes: &[u8]) -> usize {
        let mut stretch = Stretch::default();
        let (mut length, mut start) = (0, 0);
        // Whether the first and the last grid of the stretch have a blank.
        let (mut first, mut last) = (false, false);
        // Where a block may end before a puzzle without a claim, and where that puzzle ends.
        let mut open: Option<(usize, usize)> = None;
        let is_near = |end: usize, at: usize| at - end <= FARTHEST;
        for line in Lines::new(bytes) {
            let sort = self.sort(bytes, &line);
            if let Sort::Row(_) | Sort::Bad(..) = &sort {
                if stretch.rows == 0 {
                    (start, first) = (line.start, false);
                }
                last &= !stretch.rows.is_multiple_of(self.rows());
                last |= self.has_blank(&sort);
                first |= last && stretch.rows < self.rows();
                stretch.add_row();
            } else if stretch.rows == 0 || !stretch.goes_on(&sort, self) {
                if stretch.rows > 0 {
                    // What has no blank may be a claim, from which nothing may part its puzzle.
                    let before = open.filter(|&(_, end)| !first && is_near(end, start));
                    open = last.then_some((before.map_or(start, |(from, _)| from), line.start));
                    stretch = Stretch::default();
                }
                length = match open {
                    Some((from, end)) if is_near(end, line.end) => from,
                    _ => line.end,
                };
            }
        }
        length
    }

    /// Whether a row has a blank.
    fn has_blank(&self, row: &Sort) -> bool {
        matches!(row, Sort::Row(cells) if cells.values[..self.cells_a_line].contains(&0))
    }

    /// Whole grids of a stretch that goes on from before or begins here, and whether it goes on behind them; if not, the
    /// line that ends it is among them. Where claims stand below, the last grid has no blank.
    fn grids(&self, bytes: &[u8], mut stretch: Stretch) -> (usize, bool) {
        let (mut length, mut start, mut has_blank) = (0, 0, false);
        for line in Lines::new(bytes) {
            let sort = self.sort(bytes, &line);
            if let Sort::Row(_) | Sort::Bad(..) = &sort {
                if stretch.rows.is_multiple_of(self.rows()) {
                    (start, has_blank) = (line.start, false);
                }
                has_blank |= self.has_blank(&sort);
                stretch.add_row();
                if stretch.rows.is_multiple_of(self.rows()) {
                    length = if has_blank && self.is_below() { start } else { line.end };
                }
            } else {
                let is_in = stretch.rows > 0;
                if !stretch.goes_on(&sort, self) {
                    length = line.end;
                    if is_in {
                        return (length, false);
                    }
                }
            }
        }
        (length, stretch.rows > 0)
    }
}
