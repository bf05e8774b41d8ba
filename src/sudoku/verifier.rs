//! The independent verifier, which decides whether a grid is a solution of a puzzle.
//!
//! Every solution is checked here before it is written. Like the proof checkers of SAT solvers, the module shares no
//! code and no data structure with the solvers. It works on plain digits, house by house, and is short enough to be
//! read in one sitting.

use crate::sudoku::{CELLS, Case, Grid, House, column_of, row_of};

/// The set of the digits 1 to 9: bit `d - 1` stands for digit `d`.
const ALL_DIGITS: u32 = 0x1ff;
/// The set of the digits 1 to 9, three times side by side.
const THREE_TIMES_ALL: u32 = ALL_DIGITS | ALL_DIGITS << 9 | ALL_DIGITS << 18;

/// The set of one digit, or the empty set for a blank and any other byte.
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

/// Returns whether `solution` solves a Sudominoku case.
///
/// It must be a valid sudoku with the dominoes and singles of the case. Dominoes must cover the other cells so that
/// every unordered pair of different digits occurs exactly once, including those of the case. An exhaustive search
/// finds the cover.
#[must_use]
pub fn sudominoku(case: &Case, solution: &Grid) -> bool {
    is_complete(solution.cells()) && keeps_dominoes(case, solution) && has_domino_cover(case, solution)
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
    /// A cell has a digit other than its clue.
    Clue {
        /// The cell, 0 to 80.
        cell: usize,
    },
    /// A digit occurs twice in a house.
    Repeat(Clash),
}

/// Returns why a claimed solution is refused, or `None` if [`sudoku`] accepts it. The reason is the first blank in
/// reading order, else the first changed clue, else the first repeated digit.
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
    /// The two cells, the smaller first.
    pub cells: [usize; 2],
    /// The kind of house that the cells share.
    pub house: House,
}

/// Finds the first clue, in reading order, that repeats an earlier one in a house.
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

/// Returns whether every row, column and box holds all nine digits. The cells of a row in the three boxes are three
/// sets side by side in a word.
fn is_complete(solution: &[u8; CELLS]) -> bool {
    let mut complete = true;
    let mut columns = [0; 3];
    for band in solution.as_chunks::<9>().0.as_chunks::<3>().0 {
        let mut boxes = [0; 3];
        for row in band {
            let set = |column: usize| SET_OF[usize::from(row[column])];
            let in_box = |first: usize| set(first) | set(first + 1) << 9 | set(first + 2) << 18;
            // Not `map`: in another codegen unit, the call would double the time.
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

/// Returns the union of three sets side by side.
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

fn keeps_dominoes(case: &Case, solution: &Grid) -> bool {
    let dominoes_kept = case
        .dominoes
        .iter()
        .all(|domino| (0..2).all(|end| solution.get(usize::from(domino.cells[end])) == domino.digits[end]));
    dominoes_kept && (1..).zip(&case.singles).all(|(digit, &cell)| solution.get(usize::from(cell)) == digit)
}

/// Returns a bit for each unordered pair of different digits.
fn pair_bit(a: u8, b: u8) -> u128 {
    1 << (9 * a.min(b) + a.max(b))
}

fn has_domino_cover(case: &Case, solution: &Grid) -> bool {
    let mut covered = [false; CELLS];
    let mut used = 0_u128;
    let mut cover = |cell: u8| !std::mem::replace(&mut covered[usize::from(cell)], true);
    for domino in &case.dominoes {
        let [a, b] = domino.cells.map(usize::from);
        let pair = pair_bit(domino.digits[0], domino.digits[1]);
        if !are_adjacent(a, b) || used & pair != 0 || !cover(domino.cells[0]) || !cover(domino.cells[1]) {
            return false;
        }
        used |= pair;
    }
    if !case.singles.iter().all(|&cell| cover(cell)) {
        return false;
    }
    cover_rest(solution, &mut covered, used)
}

fn are_adjacent(a: usize, b: usize) -> bool {
    row_of(a).abs_diff(row_of(b)) + column_of(a).abs_diff(column_of(b)) == 1
}

/// Covers the open cells with dominoes of unused pairs, by an exhaustive search that starts at an open cell with the
/// fewest partners. With 72 cells and 36 pairs it is enough that no pair occurs twice.
fn cover_rest(solution: &Grid, covered: &mut [bool; CELLS], used: u128) -> bool {
    let pair = |cell: usize, other: usize| pair_bit(solution.get(cell), solution.get(other));
    let (mut tightest, mut fewest) = (None, usize::MAX);
    for cell in (0..CELLS).filter(|&cell| !covered[cell]) {
        let partners =
            neighbours(cell).filter(|&other| !covered[other] && used & pair(cell, other) == 0).count();
        if partners < fewest {
            (tightest, fewest) = (Some(cell), partners);
            if fewest <= 1 {
                break;
            }
        }
    }
    let Some(cell) = tightest else { return true };
    covered[cell] = true;
    for other in neighbours(cell) {
        if covered[other] || used & pair(cell, other) != 0 {
            continue;
        }
        covered[other] = true;
        if cover_rest(solution, covered, used | pair(cell, other)) {
            return true;
        }
        covered[other] = false;
    }
    covered[cell] = false;
    false
}

fn neighbours(cell: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (row_of(cell), column_of(cell));
    [
        (row > 0).then(|| cell - 9),
        (column > 0).then(|| cell - 1),
        (column < 8).then(|| cell + 1),
        (row < 8).then(|| cell + 9),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sudoku::{Domino, box_of};
    use std::collections::BTreeSet;

    /// The published example of BOJ 2239.
    const PUZZLE: &[u8; CELLS] =
        b"103000509002109400000704000300502006060000050700803004000401000009205800804000107";
    const SOLUTION: &[u8; CELLS] =
        b"143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    fn grid(text: &[u8; CELLS]) -> Grid {
        Grid::new(text.map(|byte| byte - b'0')).unwrap()
    }

    /// Returns the second published case of BOJ 4574 and its answer.
    fn case_and_answer() -> (Case, Grid) {
        let place = |name: &str| {
            let bytes = name.as_bytes();
            (bytes[0] - b'A') * 9 + bytes[1] - b'1'
        };
        let dominoes = "5 I9 2 H9 6 A5 7 A6 4 B8 6 C8 3 B5 8 B4 3 C3 2 D3 9 D2 8 E2 3 G2 5 H2 1 A2 8 A1 \
                        1 H8 3 I8 8 I3 7 I4 4 I6 9 I7";
        let words: Vec<&str> = dominoes.split_whitespace().collect();
        let dominoes = words
            .chunks(4)
            .map(|word| Domino {
                cells: [place(word[1]), place(word[3])],
                digits: [word[0].parse().unwrap(), word[2].parse().unwrap()],
            })
            .collect();
        let singles: Vec<u8> = "I5 E6 D1 F2 B3 G9 H7 C9 E5".split(' ').map(place).collect();
        let answer =
            grid(b"814267593965831247273945168392176854586492371741358629137529486459683712628714935");
        (Case { dominoes, singles: singles.try_into().unwrap() }, answer)
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
    fn accepts_the_published_answer() {
        assert!(sudoku(&grid(PUZZLE), &grid(SOLUTION)));
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

    /// Does the check with houses as lists of cells and digits as sets.
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

    /// Two cells are changed in four ways, one of which exchanges them, and three cells are set to one digit.
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

    /// Exchanged lines keep the houses across them complete, and also the boxes if the lines are in one band or stack.
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

    /// A grid with complete rows and columns but incomplete boxes, and so on for each kind of house.
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
        let mut puzzle = grid(PUZZLE);
        puzzle.set(4, 3);
        assert_eq!(clash(&puzzle), Some(Clash { digit: 3, cells: [2, 4], house: House::Row }));
        let mut puzzle = Grid::EMPTY;
        puzzle.set(0, 9);
        puzzle.set(72, 9);
        assert_eq!(clash(&puzzle), Some(Clash { digit: 9, cells: [0, 72], house: House::Column }));
        let mut puzzle = Grid::EMPTY;
        puzzle.set(60, 2);
        puzzle.set(80, 2);
        assert_eq!(clash(&puzzle), Some(Clash { digit: 2, cells: [60, 80], house: House::Box }));
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

    #[test]
    fn each_unordered_pair_of_digits_has_a_bit_of_its_own() {
        let pairs = || (1..=9).flat_map(|b| (1..b).map(move |a| (a, b)));
        assert!(pairs().all(|(a, b)| pair_bit(a, b) == pair_bit(b, a) && pair_bit(a, b).count_ones() == 1));
        assert_eq!(pairs().map(|(a, b)| pair_bit(a, b)).collect::<BTreeSet<_>>().len(), 36);
    }

    #[test]
    fn adjacent_cells_share_an_edge() {
        for a in 0..CELLS {
            let by_geometry = |&b: &usize| {
                let apart = (row_of(a).abs_diff(row_of(b)), column_of(a).abs_diff(column_of(b)));
                [(0, 1), (1, 0)].contains(&apart)
            };
            let expected: Vec<usize> = (0..CELLS).filter(by_geometry).collect();
            assert_eq!(neighbours(a).collect::<Vec<_>>(), expected, "{a}");
            assert_eq!((0..CELLS).filter(|&b| are_adjacent(a, b)).collect::<Vec<_>>(), expected, "{a}");
        }
    }

    /// Four cells are in a square. Only the pairs 1-2 and 2-3 can cover `1 2` over `2 3`, and only 1-2 twice `1 2` over
    /// `2 1`.
    #[test]
    fn a_cover_uses_no_pair_twice() {
        let has_cover = |digits: [u8; 4], used: u128| {
            let (mut solution, mut covered) = (Grid::EMPTY, [true; CELLS]);
            for (cell, digit) in [30, 31, 39, 40].into_iter().zip(digits) {
                solution.set(cell, digit);
                covered[cell] = false;
            }
            cover_rest(&solution, &mut covered, used)
        };
        assert!(has_cover([1, 2, 2, 3], 0));
        assert!(has_cover([1, 2, 2, 3], pair_bit(1, 3)));
        assert!(!has_cover([1, 2, 2, 3], pair_bit(1, 2)));
        assert!(!has_cover([1, 2, 2, 3], pair_bit(2, 3)));
        assert!(!has_cover([1, 2, 2, 1], 0));
    }

    #[test]
    fn accepts_the_published_sudominoku_answer() {
        let (case, answer) = case_and_answer();
        assert!(sudominoku(&case, &answer));
    }

    #[test]
    fn refuses_a_sudominoku_answer_when_the_case_differs() {
        let (case, answer) = case_and_answer();
        let mut turned = case.clone();
        turned.dominoes[0].digits.reverse();
        assert!(!sudominoku(&turned, &answer), "a reversed domino");
        let mut moved = case.clone();
        moved.singles.swap(0, 1);
        assert!(!sudominoku(&moved, &answer), "two singles exchanged");
        let mut repeated = case.clone();
        repeated.dominoes.push(repeated.dominoes[0]);
        assert!(!sudominoku(&repeated, &answer), "a repeated domino");
    }

    /// Each row has four dominoes and a single at its end, and each of the 36 pairs occurs once.
    #[test]
    fn refuses_dominoes_that_cannot_stand_together() {
        let pairs = (1..=9).flat_map(|b| (1..b).map(move |a| [a, b]));
        let domino =
            |(i, digits)| Domino { cells: [0, 1].map(|end| (i / 4 * 9 + i % 4 * 2) as u8 + end), digits };
        let case = Case {
            dominoes: pairs.enumerate().map(domino).collect(),
            singles: std::array::from_fn(|row| (9 * row + 8) as u8),
        };
        let is_refused = |change: fn(&mut Case)| {
            let mut changed = case.clone();
            change(&mut changed);
            !has_domino_cover(&changed, &Grid::EMPTY)
        };
        assert!(!is_refused(|_| ()));
        assert!(is_refused(|case| case.dominoes[35].digits = case.dominoes[0].digits), "a pair twice");
        assert!(is_refused(|case| case.dominoes[35].digits = [2, 1]), "a pair twice, the other way round");
        assert!(is_refused(|case| case.dominoes[35].cells = [0, 1]), "two dominoes on the same cells");
        assert!(is_refused(|case| case.singles[0] = 0), "a single on a domino");
        assert!(is_refused(|case| case.singles[0] = case.singles[1]), "two singles on a cell");
        let torn = |case: &mut Case| (case.dominoes[0].cells[1], case.dominoes[35].cells[1]) = (79, 1);
        assert!(is_refused(torn), "two dominoes that have exchanged their ends");
    }

    #[test]
    fn finds_the_cover_without_a_domino() {
        let (case, answer) = case_and_answer();
        assert!(sudominoku(&Case { dominoes: Vec::new(), ..case }, &answer));
    }

    /// A domino covers a black and a white cell. So moving one single to a cell of the other colour leaves no cover,
    /// though the digits still fit.
    #[test]
    fn refuses_a_valid_sudoku_without_a_domino_cover() {
        let (case, answer) = case_and_answer();
        let colour = |cell: u8| (row_of(usize::from(cell)) + column_of(usize::from(cell))) % 2;
        let mut moves = 0;
        for digit in 1..=9 {
            let from = case.singles[digit as usize - 1];
            for to in (0..CELLS as u8).filter(|&to| colour(to) != colour(from)) {
                if answer.get(usize::from(to)) == digit
                    && !case.dominoes.iter().any(|domino| domino.cells.contains(&to))
                {
                    let mut moved = case.clone();
                    moved.singles[digit as usize - 1] = to;
                    assert!(!sudominoku(&moved, &answer), "{digit} from {from} to {to}");
                    moves += 1;
                }
            }
        }
        assert!(moves > 10);
    }
}
