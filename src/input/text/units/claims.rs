//! Complete grids right behind a puzzle whose clues they all have.

use super::span;
use crate::input::MAX_LINE;
use crate::record::{Fault, Layout, Records, Span, Want};
use crate::sudoku::{CELLS, Grid};

/// How far behind its puzzle a claim may begin, so that no more has to be held: as far as the longest line is long.
const FARTHEST: usize = MAX_LINE;

/// A puzzle that may yet get a claim.
#[derive(Clone, Copy, Debug)]
pub(super) struct Puzzle {
    pub line: u64,
    pub span: Span,
    pub layout: Layout,
    pub grid: Grid,
    pub claim: Option<Grid>,
}

/// Records with claims that may stand below their puzzles.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    out: &'a mut Records,
    want: Want,
    is_below: bool,
    last: Option<Puzzle>,
}

/// What there was at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    records: usize,
    last: Option<Puzzle>,
}

impl Puzzle {
    /// Whether another is its claim.
    fn is_claimed_by(&self, other: &Self) -> bool {
        let has_clues = || is_solution(self.grid.cells(), other.grid.cells());
        let end = self.span.start + self.span.length;
        self.claim.is_none()
            && self.grid.cells().contains(&0)
            && other.span.start - end <= FARTHEST
            && has_clues()
    }
}

/// Whether a grid is complete and has all clues of another.
pub(super) fn is_solution(puzzle: &[u8; CELLS], grid: &[u8; CELLS]) -> bool {
    // Counted, since a search has a branch per cell.
    let fits = |&(&clue, &digit): &(&u8, &u8)| digit != 0 && (clue == 0 || clue == digit);
    puzzle.iter().zip(grid).filter(fits).count() == CELLS
}

impl<'a> Pairs<'a> {
    /// None yet.
    pub const fn new(out: &'a mut Records, want: Want, is_below: bool) -> Self {
        Self { out, want, is_below, last: None }
    }

    /// Makes room for that many more.
    pub fn reserve(&mut self, records: usize) {
        self.out.reserve(records);
    }

    /// Whether claims on the line of their puzzle matter: they are wanted, or there is none below then.
    pub const fn looks_behind(&self) -> bool {
        self.want.claims || self.is_below
    }

    /// Adds a puzzle, or the claim of the last one.
    #[inline]
    pub fn add(&mut self, puzzle: Puzzle) {
        if !self.is_below {
            return self.push(&puzzle);
        }
        match &mut self.last {
            Some(last) if last.is_claimed_by(&puzzle) => {
                last.claim = Some(puzzle.grid);
                last.span = span(last.span.start, puzzle.span.start + puzzle.span.length);
                self.settle();
            }
            _ => {
                self.settle();
                self.last = Some(puzzle);
            }
        }
    }

    /// Adds what cannot be read.
    pub fn add_fault(&mut self, line: u64, span: Span, layout: Layout, fault: Fault) {
        self.settle();
        self.out.push_fault(line, span, layout, fault);
        if self.want.claims {
            self.out.claims.push(None);
        }
    }

    /// Ends the record that may have got a claim.
    pub fn settle(&mut self) {
        if let Some(last) = self.last.take() {
            self.push(&last);
        }
    }

    #[inline]
    fn push(&mut self, puzzle: &Puzzle) {
        self.out.push_sudoku(puzzle.line, puzzle.span, puzzle.layout, puzzle.grid);
        if self.want.claims {
            self.out.claims.push(puzzle.claim.map(Ok));
        }
    }

    /// What there is now.
    pub fn mark(&self) -> Mark {
        Mark { records: self.out.len(), last: self.last }
    }

    /// Forgets all that was added since.
    pub fn go_back(&mut self, mark: Mark) {
        self.out.truncate(mark.records);
        self.last = mark.last;
    }
}

/// The first complete grid with all clues of a puzzle in a text behind it, 81 digits close together, and where it begins.
pub(super) fn claim_behind(text: &[u8], puzzle: &[u8; CELLS]) -> Option<(usize, Grid)> {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let mut start = 0;
    while let Some(cells) = text.get(start..).and_then(|rest| rest.first_chunk::<CELLS>()) {
        if is_digit(start)
            && !is_digit(start + CELLS)
            && let Some(grid) = Grid::from_text(cells)
            && is_solution(puzzle, grid.cells())
        {
            return Some((start, grid));
        }
        start += 1 + text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    None
}
