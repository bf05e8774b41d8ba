//! The independent verifier, which decides whether a grid is a solution of a puzzle.
//!
//! Every solution is checked here before it is written. Like the proof checkers for SAT solvers, this module shares no
//! code and no data structures with the solvers. It works on plain digits, house by house, and is short enough to read
//! in one sitting.

pub use crate::kinds::sudominoku::sudoku::verifier::sudominoku;
use crate::sudoku::{CELLS, Grid, House};

/// The set of the digits 1 to 9: bit `d - 1` stands for digit `d`.
const ALL_DIGITS: u32 = 0x1ff;
/// The set of the digits 1 to 9, repeated three times side by side.
const THREE_TIMES_ALL: u32 = ALL_DIGITS | ALL_DIGITS << 9 | ALL_DIGITS << 18;

/// The set that contains a digit; it is empty for a blank or any other byte.
const SET_OF: [u32; 256] = {
    let mut sets = [0; 256];
    let mut digit = 1;
    while digit <= 9 {
        sets[digit] = 1 << (digit - 1);
        digit += 1;
    }
    sets
};

/// Returns whether `solution` is a complete, valid grid that keeps every clue of `puzzle`.
///
/// ```
/// use batchdoku::sudoku::{Grid, verifier};
///
/// let mut grid: Grid = "123456789456789123789123456231674895875912364694538217317265948542897631968341572".parse()?;
/// assert!(verifier::sudoku(&Grid::EMPTY, &grid));
/// grid.set(80, 0);
/// assert!(!verifier::sudoku(&Grid::EMPTY, &grid));
/// # Ok::<(), batchdoku::sudoku::ParseGridError>(())
/// ```
#[must_use]
pub fn sudoku(puzzle: &Grid, solution: &Grid) -> bool {
    is_complete(solution.cells()) && keeps_clues(puzzle, solution)
}

/// The reason why a grid is not a solution of a puzzle.
///
/// ```
/// use batchdoku::sudoku::Grid;
/// use batchdoku::sudoku::verifier::{Refusal, refusal};
///
/// let mut grid: Grid = "123456789456789123789123456231674895875912364694538217317265948542897631968341572".parse()?;
/// assert_eq!(refusal(&Grid::EMPTY, &grid), None);
/// grid.set(80, 5);
/// assert!(matches!(refusal(&Grid::EMPTY, &grid), Some(Refusal::Repeat(clash)) if clash.cells == [35, 80]));
/// # Ok::<(), batchdoku::sudoku::ParseGridError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// A cell is blank.
    Blank {
        /// The cell, 0 to 80.
        cell: usize,
    },
    /// A cell has a digit that differs from its clue.
    Clue {
        /// The cell, 0 to 80.
        cell: usize,
    },
    /// A digit occurs twice in a house.
    Repeat(Clash),
}

/// Returns why a claimed solution is refused, or `None` if [`sudoku`] accepts it. The reason is the first blank in
/// reading order; if there is none, the first changed clue; otherwise the first repeated digit.
#[must_use]
pub fn refusal(puzzle: &Grid, solution: &Grid) -> Option<Refusal> {
    if sudoku(puzzle, solution) {
        return None;
    }
    let blank = (0..CELLS).find(|&cell| solution.get(cell) == 0);
    let changed = || (0..CELLS).find(|&cell| ![0, solution.get(cell)].contains(&puzzle.get(cell)));
    let repeat = || clash(solution).map(Refusal::Repeat);
    let blank = blank.map(|cell| Refusal::Blank { cell });
    blank.or_else(|| changed().map(|cell| Refusal::Clue { cell })).or_else(repeat)
}

/// A pair of equal digits in one house.
///
/// ```
/// use batchdoku::sudoku::{Grid, House};
/// use batchdoku::sudoku::verifier::clash;
///
/// let mut puzzle = Grid::EMPTY;
/// puzzle.set(0, 7);
/// assert_eq!(clash(&puzzle), None);
/// puzzle.set(20, 7);
/// let found = clash(&puzzle).expect("two sevens in the first box");
/// assert_eq!((found.digit, found.cells, found.house), (7, [0, 20], House::Box));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clash {
    /// The digit that occurs twice in a house.
    pub digit: u8,
    /// The two cells, the lower one first.
    pub cells: [usize; 2],
    /// The kind of house that the two cells share.
    pub house: House,
}

/// Finds the first clue, in reading order, that repeats an earlier clue in one of its houses.
#[must_use]
pub fn clash(puzzle: &Grid) -> Option<Clash> {
    for second in 0..CELLS {
        let digit = puzzle.get(second);
        if digit == 0 {
            continue;
        }
        for first in 0..second {
            if puzzle.get(first) == digit
                && let Some(house) = House::shared(first, second)
            {
                return Some(Clash { digit, cells: [first, second], house });
            }
        }
    }
    None
}

/// Returns whether every row, column and box has all nine digits. The three box segments of a row are stored as three
/// sets side by side in a word.
fn is_complete(solution: &[u8; CELLS]) -> bool {
    let mut complete = true;
    let mut columns = [0; 3];
    for band in solution.as_chunks::<9>().0.as_chunks::<3>().0 {
        let mut boxes = [0; 3];
        for row in band {
            let set = |column: usize| SET_OF[usize::from(row[column])];
            let in_box = |first: usize| set(first) | set(first + 1) << 9 | set(first + 2) << 18;
            // `map` would double the time if it ended up in another codegen unit.
            let in_boxes = [in_box(0), in_box(3), in_box(6)];
            complete &= union(in_boxes[0] | in_boxes[1] | in_boxes[2]) == ALL_DIGITS;
            for i in 0..3 {
                boxes[i] |= in_boxes[i];
            }
        }
        for i in 0..3 {
            complete &= union(boxes[i]) == ALL_DIGITS;
            columns[i] |= boxes[i];
        }
    }
    complete && columns == [THREE_TIMES_ALL; 3]
}

/// Returns the union of three sets that are side by side.
const fn union(sets: u32) -> u32 {
    (sets | sets >> 9 | sets >> 18) & ALL_DIGITS
}

fn keeps_clues(puzzle: &Grid, solution: &Grid) -> bool {
    puzzle
        .cells()
        .iter()
        .zip(solution.cells())
        .fold(true, |kept, (&clue, &digit)| kept & ((clue == 0) | (clue == digit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sudoku::{box_of, column_of, row_of};
    use std::collections::BTreeSet;

    /// The published example for BOJ 2239.
    const PUZZLE: &[u8; CELLS] =
        b"103000509002109400000704000300502006060000050700803004000401000009205800804000107";
    const SOLUTION: &[u8; CELLS] =
        b"143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    fn grid(text: &[u8; CELLS]) -> Grid {
        Grid::new(text.map(|byte| byte - b'0')).unwrap()
    }

    #[test]
    fn digits_beyond_nine_are_refused() {
        for cell in 0..CELLS {
            for digit in 10..=u8::MAX {
                let mut cells = *grid(SOLUTION).cells();
                cells[cell] = digit;
                assert!(!is_complete(&cells), "{cell} {digit}");
            }
        }
        assert!(!is_complete(&[u8::MAX; CELLS]));
    }

    #[test]
    fn refuses_every_single_changed_cell() {
        for cell in 0..CELLS {
            for digit in 0..=9 {
                let mut changed = grid(SOLUTION);
                changed.set(cell, digit);
                assert_eq!(sudoku(&Grid::EMPTY, &changed), changed == grid(SOLUTION), "{cell} {digit}");
            }
        }
    }

    /// Does the same check, representing houses as lists of cells and digits as sets.
    fn is_complete_by_sets(grid: &Grid) -> bool {
        (0..27).all(|house| {
            let i = house % 9;
            let in_house = |cell: &usize| match house / 9 {
                0 => row_of(*cell) == i,
                1 => column_of(*cell) == i,
                _ => box_of(*cell) == i,
            };
            let digits: BTreeSet<u8> = (0..CELLS).filter(in_house).map(|cell| grid.get(cell)).collect();
            digits == (1..=9).collect()
        })
    }

    /// Two cells are changed in four ways, one of which swaps them, and three cells are set to the same digit.
    #[test]
    fn agrees_with_sets_on_every_change_of_two_cells() {
        let solution = grid(SOLUTION);
        for first in 0..CELLS {
            for second in first + 1..CELLS {
                for (a, b) in [(0, 9), (9, 9), (1, 2), (solution.get(second), solution.get(first))] {
                    let mut changed = solution;
                    changed.set(first, a);
                    changed.set(second, b);
                    assert_eq!(is_complete(changed.cells()), is_complete_by_sets(&changed), "{changed}");
                }
            }
        }
        for cell in 0..CELLS {
            let three_alike = [0, 1, 2].map(|i| (cell + i) % CELLS);
            for digit in 0..=9 {
                let mut changed = solution;
                three_alike.into_iter().for_each(|cell| changed.set(cell, digit));
                assert_eq!(is_complete(changed.cells()), is_complete_by_sets(&changed), "{changed}");
            }
        }
    }

    /// Swapping two lines keeps the houses across them complete, and also the boxes if both lines are in the same band
    /// or stack.
    #[test]
    fn agrees_with_sets_on_every_exchange_of_lines() {
        let solution = grid(SOLUTION);
        let mut complete = 0;
        for (first, second) in (0..9).flat_map(|second| (0..second).map(move |first| (first, second))) {
            for (along, across) in [(1, 9), (9, 1)] {
                let mut changed = solution;
                for i in 0..9 {
                    let (a, b) = (first * across + i * along, second * across + i * along);
                    changed.set(a, solution.get(b));
                    changed.set(b, solution.get(a));
                }
                assert_eq!(is_complete(changed.cells()), is_complete_by_sets(&changed), "{changed}");
                complete += usize::from(is_complete(changed.cells()));
            }
        }
        assert_eq!(complete, 18);
    }

    /// Tests a grid whose rows and columns are complete but whose boxes are not, and likewise for the other kinds of
    /// house.
    #[test]
    fn refuses_a_grid_that_breaks_one_kind_of_house_only() {
        let from = |f: fn(usize, usize) -> usize| {
            let mut cells = [0; CELLS];
            for (cell, digit) in cells.iter_mut().enumerate() {
                *digit = (f(row_of(cell), column_of(cell)) % 9) as u8 + 1;
            }
            Grid::new(cells).unwrap()
        };
        assert!(sudoku(&Grid::EMPTY, &from(|r, c| 3 * r + r / 3 + c)));
        assert!(!sudoku(&Grid::EMPTY, &from(|r, c| r + c)), "boxes broken");
        assert!(!sudoku(&Grid::EMPTY, &from(|_, c| c)), "columns and boxes broken");
        assert!(!sudoku(&Grid::EMPTY, &from(|r, _| r)), "rows and boxes broken");
        assert!(!sudoku(&Grid::EMPTY, &from(|r, c| 3 * (r % 3) + c % 3)), "rows and columns broken");
    }

    #[test]
    fn refuses_a_solution_of_another_puzzle() {
        let mut other = grid(PUZZLE);
        other.set(1, 5);
        assert!(!sudoku(&other, &grid(SOLUTION)));
    }

    #[test]
    fn finds_the_first_clash_in_reading_order() {
        assert_eq!(clash(&grid(PUZZLE)), None);
        let found = |mut puzzle: Grid, clues: &[(usize, u8)]| {
            clues.iter().for_each(|&(cell, digit)| puzzle.set(cell, digit));
            clash(&puzzle).map(|Clash { digit, cells, house }| (digit, cells, house))
        };
        assert_eq!(found(grid(PUZZLE), &[(4, 3)]), Some((3, [2, 4], House::Row)));
        assert_eq!(found(Grid::EMPTY, &[(0, 9), (72, 9)]), Some((9, [0, 72], House::Column)));
        assert_eq!(found(Grid::EMPTY, &[(60, 2), (80, 2)]), Some((2, [60, 80], House::Box)));
    }

    #[test]
    fn a_refusal_names_a_blank_before_a_clue_before_a_repeat() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        assert_eq!(refusal(&puzzle, &solution), None);
        let changed = |changes: &[(usize, u8)]| {
            let mut claim = solution;
            changes.iter().for_each(|&(cell, digit)| claim.set(cell, digit));
            refusal(&puzzle, &claim)
        };
        // Cell 9, below the 1 of cell 0, has no clue; cells 69 and 72 have the clue 8.
        let repeat = Refusal::Repeat(Clash { digit: 1, cells: [0, 9], house: House::Column });
        assert_eq!(changed(&[(9, 1)]), Some(repeat));
        assert_eq!(changed(&[(9, 1), (69, 9)]), Some(Refusal::Clue { cell: 69 }));
        assert_eq!(changed(&[(9, 1), (69, 9), (72, 9)]), Some(Refusal::Clue { cell: 69 }));
        assert_eq!(changed(&[(9, 1), (69, 0)]), Some(Refusal::Blank { cell: 69 }));
        assert_eq!(changed(&[(9, 1), (69, 9), (71, 0), (80, 0)]), Some(Refusal::Blank { cell: 71 }));
    }
}
