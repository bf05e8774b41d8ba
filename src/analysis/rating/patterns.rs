//! Removals by locked candidates, pairs and X-wings that arise once other candidates are found to be false.

use super::cells::{BOXES, COLUMNS, CellSet, Digits, HOUSE, HOUSE_CELLS, ROWS};
use super::links::{Candidates, Links};

/// The candidates that a technique removes, and those that had to be removed first.
pub(super) struct Pattern {
    pub(super) gone: Candidates,
    pub(super) causes: Candidates,
}

/// Returns the results of the first technique that finds anything.
pub(super) fn patterns(before: &Links, now: &Links) -> Vec<Pattern> {
    let mut finder = Finder { before, now, found: Vec::new() };
    for find in [Finder::locked, Finder::hidden_pairs, Finder::naked_pairs, Finder::x_wings] {
        find(&mut finder);
        if !finder.found.is_empty() {
            break;
        }
    }
    finder.found
}

/// Returns all pairs of nine numbers, in Sudoku Explainer's order.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..9).flat_map(|second| (0..second).map(move |first| (first, second)))
}

struct Finder<'a> {
    before: &'a Links,
    now: &'a Links,
    found: Vec<Pattern>,
}

impl Finder<'_> {
    /// Records that the candidates in `gone` are removed because those in `causes` were, if both exist.
    fn add(&mut self, gone: (Digits, CellSet), causes: (Digits, CellSet)) {
        let mut pattern = Pattern { gone: Candidates::default(), causes: Candidates::default() };
        for digit in 0..9 {
            let (before, now) = (self.before.places[digit], self.now.places[digit]);
            if gone.0.contains(digit) {
                pattern.gone.0[digit] = now & gone.1;
            }
            if causes.0.contains(digit) {
                pattern.causes.0[digit] = before & !now & causes.1;
            }
        }
        if !pattern.gone.is_empty() && !pattern.causes.is_empty() {
            self.found.push(pattern);
        }
    }

    /// Adds the removals that follow if all places of a digit in the base are in the cover.
    fn add_covered(&mut self, digit: usize, base: CellSet, cover: CellSet) {
        self.add((Digits::of(digit), cover & !base), (Digits::of(digit), base & !cover));
    }

    fn locked(&mut self) {
        for (bases, covers) in [(BOXES, COLUMNS), (BOXES, ROWS), (COLUMNS, BOXES), (ROWS, BOXES)] {
            for (base, cover) in (0..81).map(|at| (HOUSE[bases + at / 9], HOUSE[covers + at % 9])) {
                for digit in 0..9 {
                    let places = self.now.places[digit] & base;
                    if places.is_within(cover) && places.count() > 1 {
                        self.add_covered(digit, base, cover);
                    }
                }
            }
        }
    }

    /// Looks for X-wings; their digit must be missing from at least four rows.
    fn x_wings(&mut self) {
        for (bases, covers) in [(COLUMNS, ROWS), (ROWS, COLUMNS)] {
            for ((first, second), digit) in pairs().flat_map(|pair| (0..9).map(move |digit| (pair, digit))) {
                let base = HOUSE[bases + first] | HOUSE[bases + second];
                let places = self.now.places[digit] & base;
                let rows = HOUSE[..9].iter().filter(|row| row.meets(self.before.places[digit]));
                let cover = HOUSE[covers..covers + 9].iter().filter(|line| line.meets(places));
                if places.count() == 4 && cover.clone().count() == 2 && rows.count() >= 4 {
                    self.add_covered(digit, base, cover.fold(CellSet::EMPTY, |all, &line| all | line));
                }
            }
        }
    }

    /// Looks for two cells of a house that have the same two candidates; the house must have at least four blanks.
    fn naked_pairs(&mut self) {
        for house in self.houses(4) {
            for (a, b) in pairs().map(|(a, b)| (HOUSE_CELLS[house][a], HOUSE_CELLS[house][b])) {
                let (digits, cells) = (self.now.candidates[a], CellSet::of(a) | CellSet::of(b));
                if digits == self.now.candidates[b] && digits.count() == 2 {
                    self.add((digits, HOUSE[house] & !cells), (!digits, cells));
                }
            }
        }
    }

    /// Looks for two digits that have the same two places in a house; the house must have at least five blanks.
    fn hidden_pairs(&mut self) {
        for house in self.houses(5) {
            for (a, b) in pairs() {
                let (digits, cells) = (Digits::of(a) | Digits::of(b), self.now.places[a] & HOUSE[house]);
                if cells == self.now.places[b] & HOUSE[house] && cells.count() == 2 {
                    self.add((!digits, cells), (digits, HOUSE[house] & !cells));
                }
            }
        }
    }

    /// Returns the houses that have at least this many blanks, in Sudoku Explainer's order.
    fn houses(&self, blanks: usize) -> impl Iterator<Item = usize> + use<> {
        let candidates = self.before.candidates;
        let is_blank = move |cell: &&usize| !candidates[**cell].is_empty();
        (BOXES..27)
            .chain(COLUMNS..BOXES)
            .chain(ROWS..COLUMNS)
            .filter(move |&house| HOUSE_CELLS[house].iter().filter(&is_blank).count() >= blanks)
    }
}
