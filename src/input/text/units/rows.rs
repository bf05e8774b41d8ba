//! Grids: rows in stretches that blank lines, titles and borders set apart.

use super::claims::{Mark, Pairs, Puzzle};
use super::{Line, Lines, Sort, Units, span};
use crate::input::reader::{Block, Read, State};
use crate::record::{Fault, FaultKind, Layout, Place};
use crate::sudoku::{CELLS, Grid, SIDE, digit_of};

/// Where in a stretch of rows a line is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    /// Rows before it.
    pub rows: usize,
    /// Rows behind the last border, or all.
    behind_border: usize,
    /// Whether a border stands between its rows.
    has_border: bool,
    /// Whether the line before is blank.
    is_behind_blank: bool,
}

impl Stretch {
    /// Behind whole grids, of rows each.
    pub fn behind(rows: usize) -> Self {
        Self { rows, behind_border: rows, ..Self::default() }
    }

    /// Counts a row.
    pub const fn add_row(&mut self) {
        self.rows += 1;
        self.behind_border += 1;
        self.is_behind_blank = false;
    }

    /// Whether it goes on behind a line that is no row.
    pub fn goes_on(&mut self, sort: &Sort, units: &Units) -> bool {
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
    /// Whether all cells of that row are left out.
    is_last_empty: bool,
    /// The first fault in it.
    fault: Option<Fault>,
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
            stretch: self.stretch(block.state),
            is_rest: block.state.in_stretch,
            first: (0, 0),
            last: (0, 0),
            is_last_empty: false,
            fault: None,
            grid_first: (0, 0),
            layout: Layout::Rows,
            values: [0; CELLS],
            grid_fault: None,
        };
        for line in Lines::new(block.bytes) {
            read.lines = line.number;
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
        read
    }

    /// Where a block begins.
    pub(super) fn stretch(&self, state: &State) -> Stretch {
        if state.in_stretch { Stretch::behind(self.rows()) } else { Stretch::default() }
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
                self.fault.get_or_insert_with(|| fault.clone());
                self.grid_fault.get_or_insert(fault);
            }
        }
        self.stretch.add_row();
        self.last = (line.number, line.end);
        self.is_last_empty = !self.units.has_signs(line.text);
        if at + 1 == self.units.rows() {
            self.end_grid();
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
        let (is_rest, fault) = (std::mem::take(&mut self.is_rest), self.fault.take());
        self.grid_fault = None;
        let a_grid = self.units.rows();
        // A line of nothing but separators below a grid is a blank line of a table.
        if rows.is_multiple_of(a_grid) || rows % a_grid == 1 && rows > a_grid && self.is_last_empty {
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
