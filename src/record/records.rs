//! The records of a batch, stored in columns: formats produce them and jobs consume them.
//!
//! Nearly all records are sudokus, so these form a dense column that the solver reads without copying. Faults and
//! variants are kept in separate sparse lists.

use std::sync::Arc;

use super::{Fault, Layout, PuzzleKind, Rows, Sparse, Texts, Variant};
use crate::sudoku::Grid;

/// The data that a job needs from each record in addition to the puzzle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// The claimed solutions.
    pub claims: bool,
}

/// A span of a batch's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The index of the first byte.
    pub start: usize,
    /// The length in bytes.
    pub length: usize,
}

impl Span {
    /// Returns the bytes in this span.
    #[must_use]
    #[inline]
    pub fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.start + self.length]
    }
}

/// The solution that a record claims for its puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim<'a> {
    /// No claim.
    Missing,
    /// 81 cells, possibly with blanks.
    Grid(&'a Grid),
    /// A claim that could not be read as a grid.
    Faulty(&'a Fault),
}

/// The claimed solutions of a batch's records.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Claims {
    grids: Vec<Grid>,
    /// Whether each record claims a grid.
    given: Vec<bool>,
    faults: Sparse<Fault>,
}

impl Claims {
    /// Returns the claim of a record.
    #[must_use]
    pub fn get(&self, row: usize) -> Claim<'_> {
        if self.given.get(row).copied().unwrap_or(false) {
            Claim::Grid(&self.grids[row])
        } else {
            self.faults.get(row).map_or(Claim::Missing, Claim::Faulty)
        }
    }

    /// Returns the claimed grids, and whether each record has one.
    #[must_use]
    pub fn grids(&self) -> (&[Grid], &[bool]) {
        (&self.grids, &self.given)
    }

    /// Adds the claim of the next record: none, a grid or a fault.
    pub fn push(&mut self, claim: Option<Result<Grid, Fault>>) {
        let (grid, given) = match claim {
            Some(Ok(grid)) => (grid, true),
            Some(Err(fault)) => {
                self.faults.push(self.given.len(), fault);
                (Grid::EMPTY, false)
            }
            None => (Grid::EMPTY, false),
        };
        self.grids.push(grid);
        self.given.push(given);
    }

    /// Returns the number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// Whether there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Removes all claims.
    pub fn clear(&mut self) {
        self.grids.clear();
        self.given.clear();
        self.faults.clear();
    }

    /// Adds missing claims until there are `rows` claims in total.
    pub fn fill(&mut self, rows: usize) {
        self.grids.resize(rows, Grid::EMPTY);
        self.given.resize(rows, false);
    }

    /// Adds a copy of this claim for the next record.
    pub fn push_copy(&mut self, claim: Claim<'_>) {
        self.push(match claim {
            Claim::Missing => None,
            Claim::Grid(grid) => Some(Ok(*grid)),
            Claim::Faulty(fault) => Some(Err(fault.clone())),
        });
    }
}

/// The records of a batch in columns, whose memory is reused from batch to batch.
///
/// All columns have the same length. A record that is not a puzzle has an empty grid and a fault. A variant has both
/// the grid of its clues and the puzzle itself.
#[derive(Debug, Default)]
pub struct Records {
    lines: Vec<u64>,
    spans: Vec<Span>,
    layouts: Vec<Layout>,
    kinds: Vec<u8>,
    puzzles: Vec<Grid>,
    readable: Vec<bool>,
    faults: Sparse<Fault>,
    variants: Sparse<Arc<dyn Variant>>,
    /// The data to read in addition to the puzzles.
    pub want: Want,
    /// The claimed solutions, filled only if they are wanted.
    pub claims: Claims,
    /// The carried columns of the input.
    pub carried: Vec<Texts>,
}

impl Records {
    /// Creates an empty list to hold records and their claims.
    #[must_use]
    pub fn with_claims() -> Self {
        Self { want: Want { claims: true }, ..Self::default() }
    }

    /// Adds a sudoku; its clues may clash.
    #[inline]
    pub fn push_sudoku(&mut self, line: u64, span: Span, layout: Layout, grid: Grid) {
        self.push(line, span, layout, PuzzleKind::Sudoku, grid, true);
    }

    /// Adds a variant, or the fault found in one. The clues of a variant must not clash.
    pub fn push_variant(
        &mut self,
        line: u64,
        span: Span,
        kind: PuzzleKind,
        puzzle: Result<Arc<dyn Variant>, Fault>,
    ) {
        let clues = puzzle.as_ref().map_or(Grid::EMPTY, |puzzle| puzzle.clues());
        let (row, readable) = (self.len(), puzzle.is_ok());
        match puzzle {
            Ok(puzzle) => self.variants.push(row, puzzle),
            Err(fault) => self.faults.push(row, fault),
        }
        self.push(line, span, Layout::Case, kind, clues, readable);
    }

    /// Adds a record that cannot be read.
    pub fn push_fault(&mut self, line: u64, span: Span, layout: Layout, fault: Fault) {
        self.faults.push(self.len(), fault);
        self.push(line, span, layout, PuzzleKind::Sudoku, Grid::EMPTY, false);
    }

    /// Adds a sudoku or a fault.
    #[inline]
    pub fn push_puzzle(&mut self, line: u64, span: Span, layout: Layout, puzzle: Result<Grid, Fault>) {
        match puzzle {
            Ok(grid) => self.push_sudoku(line, span, layout, grid),
            Err(fault) => self.push_fault(line, span, layout, fault),
        }
    }

    /// Adds the claim of the next record if claims are wanted.
    #[inline]
    pub fn push_claim(&mut self, claim: impl FnOnce() -> Option<Result<Grid, Fault>>) {
        if self.want.claims {
            self.claims.push(claim());
        }
    }

    #[inline]
    fn push(&mut self, line: u64, span: Span, layout: Layout, kind: PuzzleKind, grid: Grid, readable: bool) {
        self.lines.push(line);
        self.spans.push(span);
        self.layouts.push(layout);
        self.kinds.push(kind as u8);
        self.puzzles.push(grid);
        self.readable.push(readable);
    }

    /// Returns the number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the lines on which the records start.
    #[must_use]
    pub fn lines(&self) -> &[u64] {
        &self.lines
    }

    /// Returns each record's span in the text of the batch, including the line ending.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the layout of each record's answer when it is written as text.
    #[must_use]
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// Returns the kinds of puzzle, as indices into [`PuzzleKind::WORDS`].
    #[must_use]
    pub fn kinds(&self) -> &[u8] {
        &self.kinds
    }

    /// Returns the grids: the puzzle for a sudoku, the clues for a variant, and an empty grid for an unreadable
    /// record.
    #[must_use]
    pub fn puzzles(&self) -> &[Grid] {
        &self.puzzles
    }

    /// Returns the puzzle of a record, if the record could be read.
    #[must_use]
    #[inline]
    pub fn puzzle(&self, row: usize) -> Option<&Grid> {
        self.readable[row].then(|| &self.puzzles[row])
    }

    /// Returns whether each record could be read.
    #[must_use]
    pub fn readable(&self) -> &[bool] {
        &self.readable
    }

    /// Returns the faults of the records that could not be read.
    #[must_use]
    pub const fn faults(&self) -> &Sparse<Fault> {
        &self.faults
    }

    /// Returns the puzzles that are not plain sudokus.
    #[must_use]
    pub const fn variants(&self) -> &Sparse<Arc<dyn Variant>> {
        &self.variants
    }

    /// Returns the kind of puzzle that a record holds, even if it could not be read.
    #[must_use]
    pub fn kind(&self, row: usize) -> PuzzleKind {
        PuzzleKind::ALL[usize::from(self.kinds[row])]
    }

    /// Whether all records are sudokus and could be read.
    #[must_use]
    pub fn all_sudokus(&self) -> bool {
        self.faults.is_empty() && self.variants.is_empty()
    }

    /// Whether a record is a sudoku and could be read.
    #[must_use]
    pub fn is_sudoku(&self, row: usize) -> bool {
        self.readable[row] && self.kinds[row] == PuzzleKind::Sudoku as u8
    }

    /// Reserves memory for this many more records.
    pub fn reserve(&mut self, records: usize) {
        self.lines.reserve(records);
        self.spans.reserve(records);
        self.layouts.reserve(records);
        self.kinds.reserve(records);
        self.puzzles.reserve(records);
        self.readable.reserve(records);
    }

    /// Returns all columns.
    fn columns(&mut self) -> impl Iterator<Item = &mut dyn Rows> {
        let Self {
            lines, spans, layouts, kinds, puzzles, readable, faults, variants, claims, carried, ..
        } = self;
        let Claims { grids, given, faults: claim_faults } = claims;
        let own: [&mut dyn Rows; 11] =
            [lines, spans, layouts, kinds, puzzles, readable, faults, variants, grids, given, claim_faults];
        own.into_iter().chain(carried.iter_mut().map(|texts| texts as &mut dyn Rows))
    }

    /// Removes all records.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Adds the number of lines that precede the batch to the line number of each record.
    pub fn shift_lines(&mut self, lines: u64) {
        if lines == 0 {
            return;
        }
        self.lines.iter_mut().for_each(|line| *line += lines);
        let faults = self.faults.values_mut().chain(self.claims.faults.values_mut());
        faults.for_each(|fault| fault.shift_lines(lines));
    }

    /// Removes the first `rows` records.
    pub fn skip(&mut self, rows: usize) {
        self.columns().for_each(|column| column.skip(rows));
    }

    /// Keeps only the first `rows` records.
    pub fn truncate(&mut self, rows: usize) {
        self.columns().for_each(|column| column.truncate(rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{FaultKind, Place};
    use crate::sudoku::Case;

    fn grid() -> Grid {
        "12345678.".repeat(9).parse().unwrap()
    }

    fn case() -> Case {
        Case { dominoes: Vec::new(), singles: [0, 1, 2, 3, 4, 5, 6, 7, 8] }
    }

    /// Makes some records: a sudoku that claims a grid, a fault without a claim, and a case with a faulty claim.
    fn records(rows: std::ops::Range<usize>) -> Records {
        let fault = |kind| Fault::new(kind, None);
        let mut records = Records { carried: vec![Texts::default()], ..Records::default() };
        for row in rows {
            let span = Span { start: 7 * row, length: 7 };
            match row {
                0 => records.push_sudoku(1, span, Layout::Rows, grid()),
                1 => records.push_fault(9, span, Layout::Line, fault(FaultKind::OpenQuote)),
                _ => records.push_variant(11, span, PuzzleKind::Sudominoku, Ok(Arc::new(case()))),
            }
            let claims = [Some(Ok(grid())), None, Some(Err(fault(FaultKind::ClaimBlank)))];
            records.claims.push(claims[row].clone());
            records.carried[0].push([Some(&b"x"[..]), None, Some(b"")][row]);
        }
        records
    }

    #[test]
    fn only_a_sudoku_that_could_be_read_is_one() {
        let (records, grid, case) = (records(0..3), grid(), case());
        assert_eq!([0, 1, 2].map(|row| records.is_sudoku(row)), [true, false, false]);
        assert_eq!(
            records.claims.grids(),
            (&[grid, Grid::EMPTY, Grid::EMPTY][..], &[true, false, false][..])
        );
        assert_eq!((records.kinds(), records.readable()), (&[0, 0, 1][..], &[true, false, true][..]));
        assert_eq!(records.puzzles(), [grid, Grid::EMPTY, case.givens()]);
    }

    #[test]
    fn records_are_cut_in_every_column() {
        for row in 0..=3 {
            let (mut first, mut rest) = (records(0..3), records(0..3));
            first.truncate(row);
            rest.skip(row);
            assert_eq!(format!("{first:?} {rest:?}"), format!("{:?} {:?}", records(0..row), records(row..3)));
            assert_eq!((first.is_empty(), first.all_sudokus()), (row == 0, row < 2));
            rest.clear();
            assert_eq!(format!("{rest:?}"), format!("{:?}", records(0..0)));
        }
    }

    #[test]
    fn lines_move_with_the_places_of_faults() {
        let mut records = Records::default();
        let place = |line| Some(Place { line, column: 4 });
        records.push_fault(2, Span::default(), Layout::Line, Fault::new(FaultKind::OpenQuote, place(3)));
        records.claims.push(Some(Err(Fault::new(FaultKind::ClaimBlank, place(2)))));
        records.shift_lines(10);
        assert_eq!((records.lines(), records.faults().get(0).unwrap().place), (&[12][..], place(13)));
        let Claim::Faulty(fault) = records.claims.get(0) else { panic!("a fault") };
        assert_eq!(fault.place, place(12));
    }

    #[test]
    fn records_whose_claims_were_not_read_claim_nothing() {
        let mut records = Records::default();
        records.push_sudoku(1, Span::default(), Layout::Line, Grid::EMPTY);
        assert_eq!((records.claims.get(0), records.claims.grids().0.len()), (Claim::Missing, 0));
        records.claims.fill(1);
        assert_eq!(
            (records.claims.get(0), records.claims.grids()),
            (Claim::Missing, (&[Grid::EMPTY][..], &[false][..]))
        );
    }
}
