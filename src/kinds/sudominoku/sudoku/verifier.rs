//! The independent verifier for Sudominoku, which shares no code with the solver.

use super::Case;
use crate::sudoku::{CELLS, Grid, column_of, row_of, verifier};

/// Returns whether `solution` solves a Sudominoku case.
///
/// The solution must be a valid sudoku that contains the dominoes and singles of the case. It must be possible to cover
/// the other cells with dominoes. Including those of the case, every unordered pair of different digits must occur
/// exactly once. An exhaustive search finds the cover.
#[must_use]
pub fn sudominoku(case: &Case, solution: &Grid) -> bool {
    verifier::sudoku(&Grid::EMPTY, solution)
        && keeps_dominoes(case, solution)
        && has_domino_cover(case, solution)
}

fn keeps_dominoes(case: &Case, solution: &Grid) -> bool {
    let dominoes_kept = case
        .dominoes
        .iter()
        .all(|domino| (0..2).all(|end| solution.get(usize::from(domino.cells[end])) == domino.digits[end]));
    dominoes_kept && (1..).zip(&case.singles).all(|(digit, &cell)| solution.get(usize::from(cell)) == digit)
}

/// Returns the bit that stands for an unordered pair of different digits.
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

/// Covers the open cells with dominoes that use only unused pairs. The search is exhaustive and starts at an open cell
/// with the fewest partners. Because there are 72 cells and 36 pairs, it is enough that no pair occurs twice.
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
    use crate::sudoku::Domino;

    /// Returns the second case published for BOJ 4574, with its answer.
    fn case_and_answer() -> (Case, Grid) {
        let place = |name: &str| {
            let bytes = name.as_bytes();
            (bytes[0] - b'A') * 9 + bytes[1] - b'1'
        };
        let dominoes = "5 I9 2 H9,6 A5 7 A6,4 B8 6 C8,3 B5 8 B4,3 C3 2 D3,9 D2 8 E2,3 G2 5 H2,1 A2 8 A1,1 H8 3 I8,\
                        8 I3 7 I4,4 I6 9 I7";
        let domino = |text: &str| {
            let words: Vec<_> = text.split(' ').collect();
            let digits = [words[0].parse().unwrap(), words[2].parse().unwrap()];
            Domino { cells: [place(words[1]), place(words[3])], digits }
        };
        let dominoes = dominoes.split(',').map(domino).collect();
        let singles: Vec<u8> = "I5 E6 D1 F2 B3 G9 H7 C9 E5".split(' ').map(place).collect();
        let answer = "814267593965831247273945168392176854586492371741358629137529486459683712628714935"
            .parse()
            .unwrap();
        (Case { dominoes, singles: singles.try_into().unwrap() }, answer)
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

    /// Four cells form a square. `1 2` over `2 3` can be covered only with the pairs 1-2 and 2-3; `1 2` over `2 1`
    /// needs 1-2 twice.
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
    fn accepts_the_published_answer_and_refuses_it_when_the_case_differs() {
        let (case, answer) = case_and_answer();
        assert!(sudominoku(&case, &answer));
        assert!(
            sudominoku(&Case { dominoes: Vec::new(), ..case }, &answer),
            "the cover is found without a domino"
        );
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

    /// Each row has four dominoes and ends in a single; each of the 36 pairs occurs once.
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

    /// A domino covers one black cell and one white cell. So if a single moves to a cell of the other colour, no cover
    /// is left, even though the digits still fit.
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
