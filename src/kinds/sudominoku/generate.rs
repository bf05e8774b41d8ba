//! Random Sudominoku cases with a unique solution.
//!
//! A random solved grid is covered with 36 different dominoes and nine singles, one for each digit. Then dominoes are
//! removed in random order as long as the solution stays unique.

use rand_core::Rng;

use crate::generate::full_grid;
use crate::kinds::sudominoku::solver::solve;
use crate::solver::{Limits, Verdict, Wanted};
use crate::sudoku::random::shuffle;
use crate::sudoku::{CELLS, Case, Domino, column_of, row_of};

/// The maximum number of grids to try for a case with the desired number of dominoes.
const TRIES: usize = 20;
/// The maximum number of nodes in the search for a cover. If a cover exists, the search needs far fewer.
const COVER_NODES: u32 = 20_000;

/// Makes a case with a unique solution and `dominoes` dominoes, at most 36.
///
/// If no unique case with this number of dominoes is found for a grid, other grids are tried. After 20 grids, the case
/// with the fewest dominoes is returned. For 10 dominoes or more, the first grid is nearly always enough.
///
/// ```
/// use batchdoku::generate::sudominoku::generate;
/// use rand_core::SeedableRng;
/// use rand_xoshiro::Xoshiro256PlusPlus;
///
/// let case = generate(&mut Xoshiro256PlusPlus::seed_from_u64(1), 20);
/// assert_eq!(case.dominoes.len(), 20);
/// ```
pub fn generate(rng: &mut impl Rng, dominoes: usize) -> Case {
    let mut fewest = hide(complete_case(rng), dominoes, rng);
    let mut tries = 1;
    while fewest.dominoes.len() > dominoes && tries < TRIES {
        let case = hide(complete_case(rng), dominoes, rng);
        fewest = if case.dominoes.len() < fewest.dominoes.len() { case } else { fewest };
        tries += 1;
    }
    fewest
}

/// Removes dominoes until `target` remain, or until the solution would no longer be unique.
fn hide(mut case: Case, target: usize, rng: &mut impl Rng) -> Case {
    let limits = Limits::default().with_wanted(Wanted::Any);
    shuffle(&mut case.dominoes, rng);
    let mut next = 0;
    while case.dominoes.len() > target && next < case.dominoes.len() {
        let domino = case.dominoes.remove(next);
        if solve(&case, &limits).verdict != Verdict::Unique {
            case.dominoes.insert(next, domino);
            next += 1;
        }
    }
    case
}

/// Makes a case with all 36 dominoes.
fn complete_case(rng: &mut impl Rng) -> Case {
    loop {
        if let Some(case) = Cover::new(full_grid(rng).cells(), rng).search() {
            return case;
        }
    }
}

/// The number of items to cover: the cells, the pairs of digits, and the single for each digit.
const ITEMS: usize = CELLS + 36 + 9;

/// A search for a random cover of a solved grid, as an exact cover problem.
///
/// An option is either a domino on the grid (two cells and a pair) or a single (a cell and a digit). Each item must be
/// in exactly one chosen option. The item with the fewest options is covered next; ties are broken at random, and
/// options are tried in random order.
struct Cover<'a> {
    grid: &'a [u8; CELLS],
    /// The items that each option covers.
    options: Vec<Vec<usize>>,
    /// The options that cover each item, as bits.
    options_of: Vec<OptionSet>,
    order: Vec<usize>,
    chosen: Vec<usize>,
    nodes_left: u32,
}

type OptionSet = [u64; 4];

/// The options that are still possible.
#[derive(Clone)]
struct Left {
    options: OptionSet,
    /// The number of options left for each item; [`COVERED`] if the item is covered.
    counts: [u8; ITEMS],
}

const COVERED: u8 = u8::MAX;

impl<'a> Cover<'a> {
    fn new(grid: &'a [u8; CELLS], rng: &mut impl Rng) -> Self {
        let pair = |first: usize, second: usize| {
            let (d, e) = (usize::from(grid[first]), usize::from(grid[second]));
            let (low, high) = (d.min(e), d.max(e));
            CELLS + (high - 1) * (high - 2) / 2 + low - 1
        };
        let mut options = Vec::new();
        for (cell, &digit) in grid.iter().enumerate() {
            options.push(vec![cell, CELLS + 36 + usize::from(digit) - 1]);
            if column_of(cell) < 8 {
                options.push(vec![cell, cell + 1, pair(cell, cell + 1)]);
            }
            if row_of(cell) < 8 {
                options.push(vec![cell, cell + 9, pair(cell, cell + 9)]);
            }
        }
        shuffle(&mut options, rng);
        let mut order: Vec<usize> = (0..ITEMS).collect();
        shuffle(&mut order, rng);
        let mut options_of = vec![[0; 4]; ITEMS];
        for (option, items) in options.iter().enumerate() {
            for &item in items {
                options_of[item][option / 64] |= 1 << (option % 64);
            }
        }
        Self { grid, options, options_of, order, chosen: Vec::new(), nodes_left: COVER_NODES }
    }

    /// Returns the first cover found; `None` if there is none.
    fn search(mut self) -> Option<Case> {
        let mut start = Left { options: [0; 4], counts: [0; ITEMS] };
        for (option, items) in self.options.iter().enumerate() {
            start.options[option / 64] |= 1 << (option % 64);
            for &item in items {
                start.counts[item] += 1;
            }
        }
        if !self.extend(&start) {
            return None;
        }
        let mut case = Case { dominoes: Vec::new(), singles: [0; 9] };
        for &option in &self.chosen {
            let [first, second] = [self.options[option][0], self.options[option][1]];
            let digit = self.grid[first];
            if second < CELLS {
                case.dominoes
                    .push(Domino { cells: [first as u8, second as u8], digits: [digit, self.grid[second]] });
            } else {
                case.singles[usize::from(digit) - 1] = first as u8;
            }
        }
        Some(case)
    }

    /// Chooses options for all uncovered items; returns `false` if that is impossible or the node limit is reached.
    fn extend(&mut self, left: &Left) -> bool {
        let item = self.order.iter().copied().min_by_key(|&item| left.counts[item]);
        let Some(item) = item.filter(|&item| left.counts[item] != COVERED) else {
            return true;
        };
        for option in common(left.options, self.options_of[item]) {
            if self.nodes_left == 0 {
                return false;
            }
            self.nodes_left -= 1;
            let mut child = left.clone();
            for &item in &self.options[option] {
                for gone in common(child.options, self.options_of[item]) {
                    child.options[gone / 64] &= !(1 << (gone % 64));
                    for &other in &self.options[gone] {
                        child.counts[other] -= 1;
                    }
                }
            }
            for &item in &self.options[option] {
                child.counts[item] = COVERED;
            }
            self.chosen.push(option);
            if self.extend(&child) {
                return true;
            }
            self.chosen.pop();
        }
        false
    }
}

/// Returns the options that are in both sets.
fn common(a: OptionSet, b: OptionSet) -> impl Iterator<Item = usize> {
    (0..256).filter(move |option| a[option / 64] & b[option / 64] & 1 << (option % 64) != 0)
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::sudoku::verifier;

    #[test]
    fn a_complete_case_uses_each_cell_and_each_pair_once() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for _ in 0..50 {
            let case = generate(&mut rng, 36);
            assert_eq!(case.dominoes.len(), 36);
            // The verifier refuses a cell or pair that is used twice.
            assert!(verifier::sudominoku(&case, &case.givens()), "{}", case.givens());
        }
    }

    #[test]
    fn an_impossible_number_gives_the_fewest_dominoes() {
        let case = generate(&mut Xoshiro256PlusPlus::seed_from_u64(7), 0);
        assert!((1..10).contains(&case.dominoes.len()), "{} dominoes", case.dominoes.len());
    }

    #[test]
    fn a_seed_gives_the_same_case_again() {
        let [first, again, other] =
            [8, 8, 9].map(|seed| generate(&mut Xoshiro256PlusPlus::seed_from_u64(seed), 12));
        assert_eq!(first, again);
        assert_ne!(first, other);
    }
}
