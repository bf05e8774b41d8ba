//! Grids, whose rows come in stretches between blank lines, titles and borders.
//!
//! If the number of rows in a stretch is not a multiple of nine, any row could be missing. Such a stretch is never
//! divided by guesswork. Dividing it into nines up to the first clash would invent 7.7 grids in a file of 17-clue
//! puzzles.

use super::plain::grid_of;
use super::{Line, LineKind, Lines, Units, span};
use crate::input::reader::{Block, Read, Stretch};
use crate::input::text::notation::SEPARATORS;
use crate::record::{Fault, FaultKind, Layout, Place, Records};
use crate::sudoku::{CELLS, Grid, SIDE};

/// A reader of rows, one stretch after another.
struct Rows<'a> {
    units: &'a Units,
    out: &'a mut Records,
    stretch: Stretch,
    /// The number of records before the stretch.
    before: usize,
    /// Whether the first rows of the stretch were read as grids in an earlier block.
    is_rest: bool,
    /// The line number and start of the first row.
    first: (u64, usize),
    /// The line number of the latest row, and where it ends.
    last: (u64, usize),
    /// The line number and start of the current grid.
    grid_first: (u64, usize),
    layout: Layout,
    values: [u8; CELLS],
    /// The first fault in the current grid.
    grid_fault: Option<Fault>,
}

impl Units {
    /// Reads grids and single cells.
    pub(super) fn read_rows(&self, block: &Block<'_>, out: &mut Records) -> Read {
        let mut read = Read::default();
        let mut rows = Rows {
            units: self,
            before: out.len(),
            out,
            stretch: block.state.stretch,
            is_rest: block.state.stretch.rows > 0,
            first: (0, 0),
            last: (0, 0),
            grid_first: (0, 0),
            layout: Layout::Rows,
            values: [0; CELLS],
            grid_fault: None,
        };
        let mut lines = Lines::new(block.bytes);
        loop {
            while rows.stretch.is_whole(self)
                && let Some(plain) = self.plain(&block.bytes[lines.start..])
            {
                rows.add_plain(&mut lines, plain);
            }
            let Some(line) = lines.next() else { break };
            match self.kind_of(block.bytes, &line) {
                LineKind::Row(cells) => rows.add(&line, Ok(&cells.values)),
                LineKind::Bad(fault, at) => rows.add(&line, Err((fault, at))),
                other => {
                    if matches!(other, LineKind::Title) {
                        read.passed.count(line.number, line.text);
                    }
                    if !rows.stretch.goes_on(&other, self) {
                        rows.end();
                    }
                }
            }
        }
        rows.end();
        read.lines = lines.number;
        read
    }

    /// Returns the layout for the answer to a grid with this first row. The answer has spaces if the same separator is
    /// between all cells of the row; a frame does not qualify, because other signs separate its boxes.
    fn layout(&self, row: &[u8]) -> Layout {
        let words = |text: &[u8]| text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        // The first and the last field can also contain a label or a bracket.
        let is_between = |separator: u8| {
            let fields = row.split(|&byte| byte == separator);
            fields.clone().count() >= SIDE && fields.filter(|field| words(field) < 2).count() >= SIDE - 2
        };
        match self.cells_a_line {
            1 => Layout::Line,
            _ if row.len() == SIDE => Layout::Rows,
            _ if words(row) == SIDE || SEPARATORS.into_iter().any(is_between) => Layout::SpacedRows,
            _ => Layout::Rows,
        }
    }
}

impl Rows<'_> {
    /// Adds the grid on the next nine lines.
    #[inline]
    fn add_plain(&mut self, lines: &mut Lines<'_>, plain: &[u8]) {
        let (line, start) = (lines.number + 1, lines.start);
        (lines.number, lines.start) = (lines.number + SIDE as u64, start + plain.len());
        self.begin_grid((line, start));
        self.stretch.add(SIDE);
        self.last = (lines.number, lines.start);
        self.out.push_sudoku(line, span(start, lines.start), Layout::Rows, grid_of(plain));
    }

    /// Begins a grid at a line, given by its number and start.
    #[inline]
    fn begin_grid(&mut self, first: (u64, usize)) {
        if self.stretch.rows == 0 {
            (self.before, self.first) = (self.out.len(), first);
        }
        self.grid_first = first;
    }

    /// Adds a row: its cells, or its fault and the fault's byte offset.
    fn add(&mut self, line: &Line<'_>, row: Result<&[u8; CELLS], (Fault, usize)>) {
        let length = self.units.cells_a_line;
        let at = self.stretch.rows % self.units.rows();
        if at == 0 {
            self.begin_grid((line.number, line.start));
            self.layout = self.units.layout(line.text);
        }
        match row {
            Ok(values) => self.values[at * length..][..length].copy_from_slice(&values[..length]),
            Err((fault, byte)) => {
                let fault = fault.at(Place { line: line.number, column: byte as u64 + 1 });
                self.grid_fault.get_or_insert(fault);
            }
        }
        self.stretch.add(1);
        self.last = (line.number, line.end);
        if self.stretch.is_whole(self.units) {
            let puzzle = self.grid_fault.take().map_or(Ok(Grid::from_digits(self.values)), Err);
            self.push(self.grid_first, self.layout, puzzle);
        }
    }

    /// Adds a record that starts at the given line and ends with the latest row.
    fn push(&mut self, (line, start): (u64, usize), layout: Layout, puzzle: Result<Grid, Fault>) {
        self.out.push_puzzle(line, span(start, self.last.1), layout, puzzle);
    }

    /// Ends the stretch. If it is not whole grids, it becomes one invalid record.
    fn end(&mut self) {
        let (stretch, fault) = (std::mem::take(&mut self.stretch), self.grid_fault.take());
        let (rows, a_grid) = (stretch.rows, self.units.rows());
        let is_rest = std::mem::take(&mut self.is_rest);
        if stretch.is_whole(self.units) {
            return;
        }
        let place = |(line, _)| Some(Place { line, column: 1 });
        let fault_of = |kind, first| Fault::new(kind, place(first));
        if is_rest {
            // Some grids of this stretch are in other blocks.
            let fault = fault_of(FaultKind::RowsLeft, self.grid_first).number(rows % a_grid);
            return self.push(self.grid_first, self.layout, Err(fault));
        }
        self.out.truncate(self.before);
        let fault = match fault {
            _ if rows > a_grid => {
                let fault = fault_of(FaultKind::RowsTogether, self.first).number(rows).number(a_grid);
                Fault { other: place(self.last), ..fault }
            }
            Some(fault) => fault,
            None if a_grid == SIDE => fault_of(FaultKind::CutOffGrid, self.first).number(rows),
            None => fault_of(FaultKind::CellCount, self.first).number(rows),
        };
        self.push(self.first, self.layout, Err(fault));
    }
}
