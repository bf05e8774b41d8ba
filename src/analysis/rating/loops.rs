//! Unique loops: cells along a loop that all have the same two candidates. Each house contains none of the cells or
//! two, one at an even and one at an odd position. If they held only these digits, the digits could be swapped, and the
//! puzzle would have two solutions. So one of the extra cells (those with more candidates) must hold one of its extras
//! (its candidates outside the pair). A loop of four cells is called a unique rectangle.

use super::cells::{CellSet, Digits, HOUSE, HOUSE_SETS, HOUSES_OF, Houses, PEERS, common_peers};
use super::state::State;
use super::step::{Reason, Technique};
use super::subsets::shared_houses;

/// A change that follows from a loop: the digits to remove, and from which cells.
struct Change {
    reason: Reason,
    cells: CellSet,
    digits: Digits,
}

/// Makes the change with the lowest rating and, among those, the lowest type. Among equal changes, it makes the one
/// found first by searching loops from each bivalue cell in reading order, as Sudoku Explainer does.
pub(super) fn unique_loops(state: &mut State) -> bool {
    let mut lowest = None;
    let (bivalue, _) = state.bivalue_and_more();
    for start in bivalue.iter() {
        let pair = state.candidates[start];
        let both = pair.iter().fold(CellSet::ALL, |both, digit| both & state.places[digit]);
        let paired = paired(both);
        if !paired.contains(start) {
            continue;
        }
        let bivalue_houses =
            (paired & bivalue).iter().fold(Houses::EMPTY, |all, cell| all | HOUSE_SETS[cell]);
        let mut search = Search { state, pair, both, paired, bivalue_houses, start, found: Vec::new() };
        search.run();
        for cells in search.found {
            Loop { state, cells, pair, extra_cells: cells & !bivalue }.changes(&mut lowest);
        }
    }
    lowest.is_some_and(|Change { reason, cells, digits }| state.remove(reason, cells, digits))
}

/// Returns those of the cells that can be in a loop: each of their houses contains another of the cells.
fn paired(mut cells: CellSet) -> CellSet {
    loop {
        let alone = |&cell: &usize| HOUSES_OF[cell].iter().any(|&house| (cells & HOUSE[house]).is_single());
        let Some(cell) = cells.iter().find(alone) else { return cells };
        cells -= CellSet::of(cell);
    }
}

/// A search for loops through a bivalue cell.
struct Search<'a> {
    state: &'a State,
    pair: Digits,
    /// The cells with both digits.
    both: CellSet,
    /// The cells with both digits that can be in a loop.
    paired: CellSet,
    /// The houses of the bivalue cells among `paired`.
    bivalue_houses: Houses,
    start: usize,
    found: Vec<CellSet>,
}

/// Part of a loop: its cells, the houses of the first, third, fifth cell and so on, and the houses of the rest.
#[derive(Clone, Copy)]
struct Path {
    cells: CellSet,
    houses: [Houses; 2],
    extra_cells: u32,
    /// The extras of these cells and of all cells visited on the way.
    extras: Digits,
}

impl Search<'_> {
    /// Finds the loops in Sudoku Explainer's order.
    fn run(&mut self) {
        let houses = [HOUSE_SETS[self.start], Houses::EMPTY];
        let path = Path { cells: CellSet::of(self.start), houses, extra_cells: 0, extras: Digits::EMPTY };
        self.extend(path, self.start, 1, usize::MAX);
    }

    /// Extends the path from its last cell to each cell that obeys the rule. The rule is that a house may have one cell
    /// at an even position and one at an odd position. The path does not continue in the house that led to the last
    /// cell.
    ///
    /// Two extra cells can have any extras. If there are more than two, all must have the same single extra. Sudoku
    /// Explainer counts the extras of all cells visited so far, so it misses some loops with more than two extra cells.
    /// This search misses the same ones.
    fn extend(&mut self, mut path: Path, last: usize, turn: usize, from: usize) {
        if path.houses[0] == path.houses[1] {
            if PEERS[last].contains(self.start) && !self.found.contains(&path.cells) {
                self.found.push(path.cells);
            }
            return;
        }
        // The houses that have one cell so far. If no more extra cells are allowed, bivalue cells must complete these
        // houses.
        let open = (path.houses[0] | path.houses[1]) & !(path.houses[0] & path.houses[1]);
        if path.extra_cells >= 2 && !path.extras.is_single() && !open.is_within(self.bivalue_houses) {
            return;
        }
        for kind in [2, 0, 1].into_iter().filter(|&kind| kind != from) {
            for next in (self.both & HOUSE[HOUSES_OF[last][kind]] & !path.cells).iter() {
                let extras = self.state.candidates[next] & !self.pair;
                path.extras |= extras;
                let extra_cells = path.extra_cells + u32::from(!extras.is_empty());
                let is_free = self.paired.contains(next) && !path.houses[turn].meets(HOUSE_SETS[next]);
                if is_free && (extras.is_empty() || extra_cells <= 2 || path.extras.is_single()) {
                    let mut longer = Path { cells: path.cells | CellSet::of(next), extra_cells, ..path };
                    longer.houses[turn] |= HOUSE_SETS[next];
                    self.extend(longer, next, 1 - turn, kind);
                }
            }
        }
    }
}

/// A loop with its extra cells.
struct Loop<'a> {
    state: &'a State,
    cells: CellSet,
    pair: Digits,
    extra_cells: CellSet,
}

impl Loop<'_> {
    /// Replaces the lowest change with one that follows from the loop, if the new one is lower.
    fn changes(&self, lowest: &mut Option<Change>) {
        let Self { state, pair, extra_cells, .. } = *self;
        let extras = state.candidates_of(extra_cells) & !pair;
        if extra_cells.is_single() {
            self.offer(lowest, 1, 0, extra_cells, pair);
        } else if extras.is_single() {
            self.offer(lowest, 2, 0, common_peers(extra_cells), extras);
        }
        if extra_cells.count() != 2 {
            return;
        }
        if extras.count() >= 2 {
            shared_houses(extra_cells).for_each(|house| self.naked_sets(lowest, house, extras));
            shared_houses(extra_cells).for_each(|house| self.hidden_sets(lowest, house, extras));
        }
        // Type 4: if one digit of the pair has no other place in a house, the extra cells cannot hold the other digit.
        for house in shared_houses(extra_cells) {
            for digit in pair.iter() {
                if (state.places[digit] & HOUSE[house]).is_within(extra_cells) {
                    self.offer(lowest, 4, 0, extra_cells, pair & !Digits::of(digit));
                }
            }
        }
    }

    /// Applies type 3: one extra cell holds an extra, so it completes a naked set with size - 1 other cells of the
    /// house.
    fn naked_sets(&self, lowest: &mut Option<Change>, house: usize, extras: Digits) {
        let state = self.state;
        let others = state.blanks_of(house) & !self.extra_cells;
        let shared = self.extra_cells.iter().fold(extras, |shared, cell| shared & state.candidates[cell]);
        let largest = state.blanks_of(house).count() / 2;
        for size in extras.count()..=largest.min(7) {
            others.each_choice(size - 1, &mut |chosen| {
                let held = state.candidates_of(chosen);
                if (extras | held).count() == size && (shared | held).count() == size {
                    self.offer(lowest, 3, size as u8 - 1, others & !chosen, extras | held);
                }
            });
        }
    }

    /// Applies type 3: another cell of the house holds one digit of the pair. So the pair and size - 2 other digits
    /// form a hidden set in size - 1 other cells.
    fn hidden_sets(&self, lowest: &mut Option<Change>, house: usize, extras: Digits) {
        let state = self.state;
        let others = HOUSE[house] & !self.extra_cells;
        let free: Digits = (0..9).filter(|&digit| state.open[digit].contains(house)).collect();
        let free = free & !self.pair & !extras;
        let largest = (state.blanks_of(house).count() - 1) / 2;
        for size in extras.count()..=largest.min(7) {
            free.each_choice(size - 2, &mut |chosen| {
                let digits = chosen | self.pair;
                let places =
                    digits.iter().fold(CellSet::EMPTY, |all, digit| all | (state.places[digit] & others));
                if places.count() == size - 1 {
                    self.offer(lowest, 3, size as u8 - 2, places, !digits & Digits::NINE);
                }
            });
        }
    }

    /// Takes a change of this type if it removes a candidate and is lower than the last one; `harder` is added to its
    /// rating.
    fn offer(&self, lowest: &mut Option<Change>, kind: u8, harder: u8, cells: CellSet, digits: Digits) {
        let rating = harder + [45, 46, 47, 50][(self.cells.count() as usize / 2 - 2).min(3)];
        let technique = Technique::UniqueLoop(kind);
        let is_lower = lowest
            .as_ref()
            .is_none_or(|Change { reason, .. }| (rating, technique) < (reason.rating, reason.technique));
        if is_lower && digits.iter().any(|digit| self.state.places[digit].meets(cells)) {
            let reason = Reason { technique, rating, cells: self.cells, digits: self.pair };
            *lowest = Some(Change { reason, cells, digits });
        }
    }
}
