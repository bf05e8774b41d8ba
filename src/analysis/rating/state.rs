//! The state of a puzzle: its candidates, and the steps that led there.

use super::Rating;
use super::cells::{CellSet, Digits, HOUSE, HOUSE_CELLS, HOUSE_SETS, HOUSES_OF, Houses, PEERS, Places};
use super::step::{Reason, Step};
use crate::sudoku::{CELLS, Grid};

/// The candidates of a puzzle, by digit and by cell; filled cells have none.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The places of each digit, indexed by digit - 1.
    pub(super) places: [CellSet; 9],
    /// The candidates of each cell; none if the cell is filled.
    pub(super) candidates: [Digits; CELLS],
    /// The houses that lack each digit, indexed by digit - 1.
    pub(super) open: [Houses; 9],
    /// The cells that are still blank.
    pub(super) blanks: CellSet,
    /// For each digit (indexed by digit - 1), the houses that lost a place for it and were not checked for a single
    /// since.
    pub(super) unseen: [Houses; 9],
    /// Whether some digit has been found to have no place in a house.
    pub(super) lacks_place: bool,
    /// The times of changes, so techniques look only at what has changed.
    clock: Clock,
    /// The rating of the hardest step so far, in tenths.
    pub(super) hardest: u8,
    /// The steps of a pass, if requested.
    pub(super) steps: Option<Vec<Step>>,
}

/// The number of passes so far, and the pass in which each digit and each house last lost a candidate.
#[derive(Clone, Debug, Default)]
struct Clock {
    now: u32,
    digits: [u32; 9],
    houses: [u32; 27],
    /// The last pass of each technique, indexed by its rating.
    passes: [[u32; 10]; Rating::HIGHEST as usize / 10 + 1],
}

impl State {
    /// Returns the candidates that remain once the clues are placed.
    pub(super) fn new(puzzle: &Grid) -> Self {
        let mut state = Self {
            places: [CellSet::ALL; 9],
            candidates: [Digits::EMPTY; CELLS],
            open: [Houses::ALL; 9],
            blanks: CellSet::ALL,
            unseen: [Houses::ALL; 9],
            lacks_place: false,
            clock: Clock::default(),
            hardest: 0,
            steps: None,
        };
        let mut clues = CellSet::EMPTY;
        for (cell, &digit) in puzzle.cells().iter().enumerate().filter(|(_, digit)| **digit != 0) {
            let digit = usize::from(digit) - 1;
            state.places[digit] -= PEERS[cell];
            state.open[digit] -= HOUSE_SETS[cell];
            clues |= CellSet::of(cell);
        }
        state.blanks -= clues;
        for (digit, places) in state.places.iter_mut().enumerate() {
            *places &= state.blanks;
            for cell in places.iter() {
                state.candidates[cell] |= Digits::of(digit);
            }
        }
        state
    }

    pub(super) fn is_solved(&self) -> bool {
        self.blanks.is_empty()
    }

    /// Returns whether a blank cell has no candidate, or hidden singles found a house that has no place for a digit.
    pub(super) fn is_contradiction(&self) -> bool {
        self.lacks_place
            || self.places.iter().fold(CellSet::EMPTY, |all, places| all | *places) != self.blanks
    }

    /// Starts a pass of the technique with this rating. Returns the digits and houses that have lost a candidate during
    /// or after its last pass.
    pub(super) fn changed(&mut self, rating: u8) -> (Digits, Houses) {
        let Clock { now, digits, houses, passes } = &mut self.clock;
        *now += 1;
        let since = std::mem::replace(&mut passes[usize::from(rating / 10)][usize::from(rating % 10)], *now);
        let digits = (0..9).filter(|&digit| digits[digit] >= since).collect();
        (digits, (0..27).filter(|&house| houses[house] >= since).collect())
    }

    /// Returns the cells that have exactly two candidates, and those that have more.
    pub(super) fn bivalue_and_more(&self) -> (CellSet, CellSet) {
        let (mut one, mut two, mut three) = (CellSet::EMPTY, CellSet::EMPTY, CellSet::EMPTY);
        for places in self.places {
            three |= two & places;
            two |= one & places;
            one |= places;
        }
        (two & !three, three)
    }

    /// Returns the blank cells of a house.
    pub(super) fn blanks_of(&self, house: usize) -> CellSet {
        self.blanks & HOUSE[house]
    }

    /// Returns the candidates of all these cells together.
    pub(super) fn candidates_of(&self, cells: CellSet) -> Digits {
        cells.iter().fold(Digits::EMPTY, |all, cell| all | self.candidates[cell])
    }

    /// Returns each digit's places in a house as positions in that house, indexed by digit - 1.
    pub(super) fn places_in(&self, house: usize) -> [Places; 9] {
        let mut places = [Places::EMPTY; 9];
        for (at, cell) in HOUSE_CELLS[house].into_iter().enumerate() {
            for digit in self.candidates[cell].iter() {
                places[digit] |= Places::of(at);
            }
        }
        places
    }

    /// Records that a cell has lost a candidate.
    fn note(&mut self, cell: usize, digit: usize) {
        self.unseen[digit] |= HOUSE_SETS[cell];
        self.clock.digits[digit] = self.clock.now;
        for house in HOUSES_OF[cell] {
            self.clock.houses[house] = self.clock.now;
        }
    }

    /// Fills a blank cell.
    pub(super) fn place(&mut self, cell: usize, digit: usize) {
        let only = CellSet::of(cell);
        for other in self.candidates[cell].iter() {
            self.places[other] -= only;
            self.note(cell, other);
        }
        self.candidates[cell] = Digits::EMPTY;
        self.blanks -= only;
        self.open[digit] -= HOUSE_SETS[cell];
        self.strike(PEERS[cell], digit);
    }

    /// Removes a digit from the candidates of cells; returns the cells that had it.
    pub(super) fn strike(&mut self, cells: CellSet, digit: usize) -> CellSet {
        let removed = self.places[digit] & cells;
        self.places[digit] -= removed;
        for cell in removed.iter() {
            self.candidates[cell] -= Digits::of(digit);
            self.note(cell, digit);
        }
        removed
    }

    /// Takes a step that fills a cell.
    pub(super) fn solve(&mut self, reason: Reason, cell: usize, digit: usize) {
        self.note_step(reason, || Step {
            reason,
            placed: Some((cell, digit as u8 + 1)),
            removed: Vec::new(),
        });
        self.place(cell, digit);
    }

    /// Takes the step that removes each of these digits from each of these cells; returns whether any was a candidate.
    pub(super) fn remove(&mut self, reason: Reason, cells: CellSet, digits: Digits) -> bool {
        self.remove_all(reason, &[(cells, digits)])
    }

    /// Takes the step that removes candidates from several sets of cells.
    pub(super) fn remove_all(&mut self, reason: Reason, all: &[(CellSet, Digits)]) -> bool {
        let before = self.steps.is_some().then_some(self.places);
        let mut changes = false;
        for &(cells, digits) in all {
            for digit in digits.iter() {
                changes |= !self.strike(cells, digit).is_empty();
            }
        }
        if changes {
            let after = self.places;
            self.note_step(reason, || {
                let before = before.iter().flatten().zip(after).enumerate();
                let removed = before.map(|(digit, (before, after))| (digit as u8 + 1, *before & !after));
                Step {
                    reason,
                    placed: None,
                    removed: removed.filter(|(_, cells)| !cells.is_empty()).collect(),
                }
            });
        }
        changes
    }

    /// Records the rating of a step, and the step itself if steps are requested.
    fn note_step(&mut self, reason: Reason, step: impl FnOnce() -> Step) {
        self.hardest = self.hardest.max(reason.rating);
        if let Some(steps) = &mut self.steps {
            steps.push(step());
        }
    }

    /// Repeats a step that was taken in another state.
    pub(super) fn repeat(&mut self, step: &Step) {
        self.hardest = self.hardest.max(step.reason.rating);
        if let Some((cell, digit)) = step.placed {
            self.place(cell, usize::from(digit) - 1);
        }
        for &(digit, cells) in &step.removed {
            self.strike(cells, usize::from(digit) - 1);
        }
    }
}
