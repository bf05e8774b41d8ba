//! Grids: rows in stretches that blank lines, titles and borders set apart.

use std::cmp::Ordering;

use super::claims::{Mark, Pairs, Puzzle};
use super::{Line, Lines, Sort, Units, span};
use crate::input::reader::{Block, Read};
use crate::record::{Fault, FaultKind, Layout, Place};
use crate::sudoku::{CELLS, Grid, SIDE, digit_of};

/// Where in a stretch of rows a line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::input) struct Stretch {
    /// Rows before it.
    pub(super) rows: usize,
    /// Rows behind the last border, or all.
    behind_border: usize,
    /// Whether a border stands between its rows.
    has_border: bool,
    /// Whether the line before is blank.
    is_behind_blank: bool,
}

impl Stretch {
    /// Counts rows.
    pub(super) const fn add(&mut self, rows: usize) {
        self.rows += rows;
        self.behind_border += rows;
        self.is_behind_blank = false;
    }

    /// Whether it goes on behind a line that is no row.
    pub(super) fn goes_on(&mut self, sort: &Sort, units: &Units) -> bool {
        if self.rows == 0 {
            return false;
        }
        let band = units.rows() / 3;
        let is_band = self.rows.is_multiple_of(band);
        let is_whole = self.rows.is_multiple_of(units.rows());
        match sort {
            // Where bands are set apart as grids are, only two blank lines are more than one.
            Sort::Blank => units.has_bands() && !std::mem::replace(&mut self.is_behind_blank, true),
            // Two in turn are the end of a frame and the start of the next. Where none stands within a grid, one below it
            // sets it apart. In the middle of a band they only stand where each row has one.
            Sort::Border => {
                let is_inside = self.behind_border == 1 || is_band && (self.has_border || !is_whole);
                let goes_on = self.behind_border > 0 && is_inside;
                (self.has_border, self.behind_border) = (true, 0);
                goes_on
            }
            Sort::Comment => is_band && self.rows < units.rows(),
            Sort::Marks | Sort::Title => false,
            Sort::Row(_) | Sort::Bad(..) => true,
        }
    }
}

/// Reads the rows of one stretch after the other.
struct Rows<'a> {
    units: &'a Units,
    out: Pairs<'a>,
    stretch: Stretch,
    /// What there was before the stretch.
    before: Mark,
    /// Whether its first rows were read as grids of another block.
    is_rest: bool,
    /// Line and start of its first row.
    first: (u64, usize),
    /// Line of its last row, and where that ends.
    last: (u64, usize),
    /// The bars in that row.
    bars: usize,
    /// Line and start of the grid that is being read.
    grid_first: (u64, usize),
    layout: Layout,
    values: [u8; CELLS],
    /// The first fault in the grid.
    grid_fault: Option<Fault>,
}

impl Units {
    /// Reads grids and single cells.
    pub(super) fn read_rows(&self, block: &Block<'_>, out: Pairs<'_>) -> Read {
        let mut read = Read::default();
        let mut rows = Rows {
            units: self,
            before: out.mark(),
            out,
            stretch: block.state.stretch,
            is_rest: block.state.stretch.rows > 0,
            first: (0, 0),
            last: (0, 0),
            bars: 0,
            grid_first: (0, 0),
            layout: Layout::Rows,
            values: [0; CELLS],
            grid_fault: None,
        };
        let mut lines = Lines::new(block.bytes);
        loop {
            while rows.stretch.rows.is_multiple_of(self.rows())
                && let Some((grid, length)) = self.plain_grid(&block.bytes[lines.start..])
            {
                rows.add_grid(&mut lines, grid, length);
            }
            let Some(line) = lines.next() else { break };
            match self.sort(block.bytes, &line) {
                Sort::Row(cells) => rows.add(&line, Ok(&cells.values)),
                Sort::Bad(fault, at) => rows.add(&line, Err((fault, at))),
                other => {
                    if matches!(other, Sort::Title) {
                        read.passed.count(line.number, line.text);
                    }
                    if !rows.stretch.goes_on(&other, self) {
                        rows.end();
                    }
                }
            }
        }
        rows.end();
        rows.out.settle();
        read.lines = lines.number;
        read
    }

    /// The grid of the next nine lines if each is nine signs and nothing else, and their length: what most files have,
    /// found soon.
    #[inline]
    pub(super) fn plain_grid(&self, text: &[u8]) -> Option<(Grid, usize)> {
        /// Lines of so many bytes, line ends included.
        #[inline]
        fn lines_of<const LENGTH: usize>(text: &[u8], line_end: &[u8]) -> Option<(Grid, usize)> {
            let lines = text.as_chunks::<LENGTH>().0.first_chunk::<SIDE>()?;
            let mut cells = [0; CELLS];
            for (row, line) in cells.as_chunks_mut::<SIDE>().0.iter_mut().zip(lines) {
                row.copy_from_slice(&line[..SIDE]);
            }
            // Blanks of these signs may be borders, which those around them say.
            let is_clear = cells.iter().fold(true, |clear, byte| clear & !matches!(byte, b'-' | b'*' | b'_'));
            let is_even = lines.iter().all(|line| line[SIDE..] == *line_end);
            let grid = Grid::from_text(&cells).filter(|_| is_clear && is_even)?;
            Some((grid, SIDE * LENGTH))
        }
        match text.get(SIDE)? {
            _ if self.cells_a_line != SIDE => None,
            b'\n' => lines_of::<{ SIDE + 1 }>(text, b"\n"),
            b'\r' => lines_of::<{ SIDE + 2 }>(text, b"\r\n"),
            _ => None,
        }
    }

    /// How an answer to a grid with such a first row is laid out: with spaces if one sign or the other stands between all
    /// its cells. A frame has others between the boxes.
    pub(super) fn layout(&self, row: &[u8]) -> Layout {
        let is_separator = |byte: u8| matches!(byte, b' ' | b'\t' | b',' | b';' | b'|' | b'&');
        if self.cells_a_line == 1 {
            return Layout::Line;
        }
        if row.len() == SIDE {
            return Layout::Rows;
        }
        let (mut cells, mut separators) = (row.iter().step_by(2), row.iter().skip(1).step_by(2));
        if row.len() == 2 * SIDE - 1
            && is_separator(row[1])
            && separators.all(|byte| *byte == row[1])
            && cells.all(|byte| digit_of(*byte).is_some())
        {
            return Layout::SpacedRows;
        }
        let offsets = self.notation.offsets(row, SIDE);
        let between = |left: usize| {
            let text = &row[*offsets.get(left)?..*offsets.get(left + 1)?];
            Some(&text[text.iter().take_while(|&&byte| !is_separator(byte)).count()..])
        };
        let is_close = offsets.first().zip(offsets.last()).is_some_and(|(first, last)| last - first < SIDE);
        let (in_box, between_boxes) = (between(0).unwrap_or_default(), between(2).unwrap_or_default());
        let is_spaced = !is_close && !in_box.is_empty() && in_box == between_boxes;
        if is_spaced { Layout::SpacedRows } else { Layout::Rows }
    }
}

impl Rows<'_> {
    /// Adds a grid of nine lines that begin where the next one does.
    #[inline]
    fn add_grid(&mut self, lines: &mut Lines<'_>, grid: Grid, length: usize) {
        let (line, start) = (lines.number + 1, lines.start);
        if self.stretch.rows == 0 {
            (self.before, self.first) = (self.out.mark(), (line, start));
        }
        self.stretch.add(SIDE);
        (lines.number, lines.start) = (line + SIDE as u64 - 1, start + length);
        (self.grid_first, self.last) = ((line, start), (lines.number, lines.start));
        let span = span(start, lines.start);
        self.out.add(Puzzle { line, span, layout: Layout::Rows, grid, claim: None });
    }

    /// Adds a row: its cells, or what is wrong at which of its bytes.
    fn add(&mut self, line: &Line<'_>, row: Result<&[u8; CELLS], (Fault, usize)>) {
        let length = self.units.cells_a_line;
        let at = self.stretch.rows % self.units.rows();
        if self.stretch.rows == 0 {
            (self.before, self.first) = (self.out.mark(), (line.number, line.start));
        }
        if at == 0 {
            self.grid_first = (line.number, line.start);
            self.layout = self.units.layout(line.text);
        }
        match row {
            Ok(values) => self.values[at * length..][..length].copy_from_slice(&values[..length]),
            Err((fault, byte)) => {
                let fault = fault.at(Place { line: line.number, column: byte as u64 + 1 });
                self.grid_fault.get_or_insert(fault);
            }
        }
        if let Some(line) = self.uneven(line, at) {
            let fault = Fault::new(FaultKind::CellGroups, Some(Place { line, column: 1 }));
            self.grid_fault.get_or_insert(fault);
        }
        self.stretch.add(1);
        self.last = (line.number, line.end);
        if at + 1 == self.units.rows() {
            self.end_grid();
        }
    }

    /// The line of a row with fewer bars than its neighbours have, if there is one: it is cut off, and where a number stands
    /// before each row, that may be taken for a cell. Brackets around all rows have bars, too: `[|` and `|]`.
    fn uneven(&mut self, line: &Line<'_>, at: usize) -> Option<u64> {
        let is_bar = |(_, sign): &(usize, char)| matches!(sign, '|' | '│' | '┃' | '║');
        let text = if line.text.len() > self.units.cells_a_line { line.text } else { &[] };
        let bars = text.utf8_chunks().flat_map(|chunk| chunk.valid().char_indices()).filter(is_bar).count();
        let before = std::mem::replace(&mut self.bars, bars);
        match bars.cmp(&before) {
            Ordering::Less if at > 1 => Some(line.number),
            Ordering::Greater if at > 0 && at + 1 < self.units.rows() => Some(self.last.0),
            _ => None,
        }
    }

    /// Adds the grid that is read.
    fn end_grid(&mut self) {
        let (line, start) = self.grid_first;
        let (span, layout) = (span(start, self.last.1), self.layout);
        if let Some(fault) = self.grid_fault.take() {
            return self.out.add_fault(line, span, layout, fault);
        }
        let grid = Grid::new(self.values).expect("cells are 0 to 9");
        self.out.add(Puzzle { line, span, layout, grid, claim: None });
    }

    /// Ends the stretch: if it is no whole grids, it is one invalid record.
    fn end(&mut self) {
        let rows = std::mem::take(&mut self.stretch).rows;
        let (is_rest, fault) = (std::mem::take(&mut self.is_rest), self.grid_fault.take());
        let a_grid = self.units.rows();
        if rows.is_multiple_of(a_grid) {
            return;
        }
        let place = |(line, _)| Place { line, column: 1 };
        if is_rest {
            // Its grids are those of other blocks as well.
            let (line, start) = self.grid_first;
            let fault = Fault::new(FaultKind::RowsLeft, Some(place((line, start)))).number(rows % a_grid);
            return self.out.add_fault(line, span(start, self.last.1), self.layout, fault);
        }
        self.out.go_back(self.before);
        let (line, start) = self.first;
        let fault = match fault {
            _ if rows > a_grid => {
                let fault = Fault::new(FaultKind::RowsTogether, Some(place(self.first)));
                Fault { other: Some(place(self.last)), ..fault.number(rows).number(a_grid) }
            }
            Some(fault) => fault,
            None if a_grid == SIDE => Fault::new(FaultKind::CutOffGrid, Some(place(self.first))).number(rows),
            None => Fault::new(FaultKind::CellCount, Some(place(self.first))).number(rows),
        };
        self.out.add_fault(line, span(start, self.last.1), self.layout, fault);
    }
}
