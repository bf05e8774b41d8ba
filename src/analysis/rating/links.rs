//! Implications of a single candidate: a true one makes others false, and a false one can make others true.

use super::cells::{CellSet, Digits, HOUSE, HOUSES_OF};
use super::state::State;
use crate::sudoku::CELLS;
use std::array;

/// A candidate, numbered 9 * cell + digit - 1.
pub(super) type Candidate = usize;

/// A set of candidates, by digit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Candidates(pub(super) [CellSet; 9]);

impl Candidates {
    pub(super) const fn contains(&self, candidate: Candidate) -> bool {
        self.0[candidate % 9].contains(candidate / 9)
    }

    pub(super) fn remove(&mut self, candidate: Candidate) {
        self.0[candidate % 9] -= CellSet::of(candidate / 9);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|cells| cells.is_empty())
    }

    /// Returns the candidates, sorted by cell.
    pub(super) fn iter(&self) -> impl Iterator<Item = Candidate> + use<> {
        let places = self.0;
        let cells = places.iter().fold(CellSet::EMPTY, |all, &cells| all | cells);
        cells.iter().flat_map(move |cell| {
            (0..9).filter(move |&digit| places[digit].contains(cell)).map(move |digit| 9 * cell + digit)
        })
    }

    /// Returns the candidates in both sets.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self(array::from_fn(|digit| self.0[digit] & other.0[digit]))
    }

    pub(super) fn insert(&mut self, candidate: Candidate) {
        self.0[candidate % 9] |= CellSet::of(candidate / 9);
    }
}

/// The candidates of a state, and the links in use. Links connect the cells of a house for one digit (X), or the digits
/// of a cell (Y).
#[derive(Clone)]
pub(super) struct Links {
    pub(super) places: [CellSet; 9],
    pub(super) candidates: [Digits; CELLS],
    pub(super) in_houses: bool,
    pub(super) in_cells: bool,
}

/// The kinds of a cell's houses in Sudoku Explainer's order: the box, the row and the column.
pub(super) const KINDS: [usize; 3] = [2, 0, 1];
/// The value that marks a link within a cell; other links are marked with their kind of house.
pub(super) const IN_CELL: usize = 3;

impl Links {
    pub(super) const fn new(state: &State, in_houses: bool, in_cells: bool) -> Self {
        Self { places: state.places, candidates: state.candidates, in_houses, in_cells }
    }

    /// Removes a candidate.
    pub(super) fn strike(&mut self, candidate: Candidate) {
        let (cell, digit) = (candidate / 9, candidate % 9);
        self.places[digit] -= CellSet::of(cell);
        self.candidates[cell] -= Digits::of(digit);
    }

    /// Returns all candidates, sorted by cell.
    pub(super) fn all(&self) -> impl Iterator<Item = Candidate> + use<> {
        let candidates = self.candidates;
        (0..CELLS).flat_map(move |cell| candidates[cell].iter().map(move |digit| 9 * cell + digit))
    }

    /// Returns the other candidates of the cell, if links within cells are in use.
    fn others(&self, candidate: Candidate) -> Digits {
        let others = self.candidates[candidate / 9] & !Digits::of(candidate % 9);
        if self.in_cells { others } else { Digits::EMPTY }
    }

    /// Returns the other places of the digit in a house of the cell, given the kind of the house.
    fn peers(&self, candidate: Candidate, kind: usize) -> CellSet {
        let (cell, digit) = (candidate / 9, candidate % 9);
        self.places[digit] & HOUSE[HOUSES_OF[cell][kind]] & !CellSet::of(cell)
    }

    /// Returns which of the given candidates a true candidate makes false, in Sudoku Explainer's order: first in its
    /// cell, then elsewhere.
    pub(super) fn made_false(
        &self,
        candidate: Candidate,
        of: &Candidates,
    ) -> impl Iterator<Item = Candidate> + use<> {
        let (cell, digit) = (candidate / 9, candidate % 9);
        let others: Digits =
            self.others(candidate).iter().filter(|&other| of.0[other].contains(cell)).collect();
        let [in_box, row, column] = KINDS.map(|kind| self.peers(candidate, kind) & of.0[digit]);
        others.iter().map(move |other| 9 * cell + other).chain(
            [in_box, row & !in_box, column & !in_box]
                .into_iter()
                .flat_map(move |cells| cells.iter().map(move |cell| 9 * cell + digit)),
        )
    }

    /// Returns the candidates that a false candidate makes true, in Sudoku Explainer's order, each with the kind of
    /// house. Each is the only other candidate in the cell, or the digit's only other place in the house.
    pub(super) fn made_true(&self, candidate: Candidate) -> impl Iterator<Item = (Candidate, usize)> + use<> {
        let (cell, digit) = (candidate / 9, candidate % 9);
        let others = self.others(candidate);
        let in_cell = others.is_single().then(|| (9 * cell + others.first(), IN_CELL));
        let kinds: [_; 3] = array::from_fn(|at| {
            let peers = if self.in_houses { self.peers(candidate, KINDS[at]) } else { CellSet::EMPTY };
            peers.is_single().then(|| (9 * peers.first() + digit, KINDS[at]))
        });
        in_cell.into_iter().chain(kinds.into_iter().flatten())
    }
}
