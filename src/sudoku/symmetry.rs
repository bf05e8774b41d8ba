//! The symmetries of sudoku, which turn a puzzle into an equivalent one.
//!
//! They relabel digits, permute bands, stacks, rows within a band and columns within a stack, and transpose the grid.
//! Houses are mapped to houses. So an isomorph has as many solutions as the puzzle, and they are the isomorphs of the
//! puzzle's solutions. This is the full symmetry group of sudoku: 2 * 6^8 = 3,359,232 geometric symmetries times 9!
//! relabellings (Russell and Jarvis, 2006).

use std::fmt;
use std::str::FromStr;

use rand_core::Rng;

use super::random::below;
use super::{CELLS, Grid};

/// A symmetry of sudoku.
///
/// Its text form looks like `r312456789c123456789d123456789`, preceded by `t` if the grid is transposed first. Row i of
/// the result is the i-th row listed after `r`, and column j is the j-th column listed after `c`. Digit x becomes the
/// x-th digit listed after `d`.
///
/// ```
/// use batchdoku::sudoku::{Grid, Symmetry};
///
/// let mut grid = Grid::EMPTY;
/// grid.set(1, 5);
/// let symmetry: Symmetry = "tr213456789c123456789d123496785".parse()?;
/// assert_eq!(symmetry.apply(&grid).get(0), 9);
/// assert_eq!(symmetry.inverse().apply(&symmetry.apply(&grid)), grid);
/// assert_eq!(symmetry.then(&symmetry.inverse()), Symmetry::IDENTITY);
/// # Ok::<(), batchdoku::sudoku::ParseSymmetryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    transposed: bool,
    rows: [u8; 9],
    columns: [u8; 9],
    /// The new label of each digit; a blank stays a blank.
    digits: [u8; 10],
}

impl Symmetry {
    /// The symmetry that changes nothing.
    pub const IDENTITY: Self = Self {
        transposed: false,
        rows: [0, 1, 2, 3, 4, 5, 6, 7, 8],
        columns: [0, 1, 2, 3, 4, 5, 6, 7, 8],
        digits: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    };

    /// Makes a symmetry from parts that are known to be valid, with rows and columns counted from 0.
    pub(crate) fn from_parts(transposed: bool, rows: [u8; 9], columns: [u8; 9], digits: [u8; 10]) -> Self {
        Self { transposed, rows, columns, digits }
    }

    /// Draws a symmetry; all symmetries are equally likely.
    pub fn random(rng: &mut impl Rng) -> Self {
        Subgroup::FULL.random(rng)
    }

    /// Returns the isomorph of a puzzle or solution.
    #[must_use]
    pub fn apply(&self, grid: &Grid) -> Grid {
        let cells = grid.cells();
        let (down, right) = if self.transposed { (1, 9) } else { (9, 1) };
        let mut result = [0; CELLS];
        for (row, cells_of_row) in self.rows.iter().zip(result.as_chunks_mut::<9>().0) {
            for (column, cell) in self.columns.iter().zip(cells_of_row) {
                let from = down * usize::from(*row) + right * usize::from(*column);
                *cell = self.digits[usize::from(cells[from])];
            }
        }
        Grid::from_digits(result)
    }

    /// Returns the inverse of this symmetry.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let (rows, columns) = (inverted(&self.rows), inverted(&self.columns));
        let (rows, columns) = if self.transposed { (columns, rows) } else { (rows, columns) };
        Self { transposed: self.transposed, rows, columns, digits: inverted(&self.digits) }
    }

    /// Combines this symmetry, followed by another one, into a single symmetry.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let (rows, columns) =
            if next.transposed { (&self.columns, &self.rows) } else { (&self.rows, &self.columns) };
        Self {
            transposed: self.transposed != next.transposed,
            rows: next.rows.map(|row| rows[usize::from(row)]),
            columns: next.columns.map(|column| columns[usize::from(column)]),
            digits: self.digits.map(|digit| next.digits[usize::from(digit)]),
        }
    }
}

/// The symmetries that change certain parts of a grid and leave the rest as it is.
///
/// ```
/// use batchdoku::sudoku::{Subgroup, Symmetry};
///
/// let bands = Subgroup { bands: true, ..Subgroup::IDENTITY };
/// assert_eq!((bands.order(), Subgroup::FULL.order()), (6, 3_359_232 * 362_880));
/// assert_eq!(bands.nth(0), Symmetry::IDENTITY);
/// assert_eq!(bands.nth(5).to_string(), "r789456123c123456789d123456789");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subgroup {
    /// Whether the grid may be transposed.
    pub transpose: bool,
    /// Whether the three bands are permuted.
    pub bands: bool,
    /// Whether the three stacks are permuted.
    pub stacks: bool,
    /// Whether the rows of each band are permuted.
    pub rows: bool,
    /// Whether the columns of each stack are permuted.
    pub columns: bool,
    /// Whether digits are relabelled.
    pub digits: bool,
}

impl Subgroup {
    /// The subgroup that contains only the identity.
    pub const IDENTITY: Self =
        Self { transpose: false, bands: false, stacks: false, rows: false, columns: false, digits: false };

    /// The group of all symmetries.
    pub const FULL: Self =
        Self { transpose: true, bands: true, stacks: true, rows: true, columns: true, digits: true };

    /// Returns the number of symmetries in the subgroup.
    #[must_use]
    pub fn order(&self) -> u64 {
        let part = |is_free: bool, order: u64| if is_free { order } else { 1 };
        part(self.transpose, 2)
            * part(self.bands, 6)
            * part(self.stacks, 6)
            * part(self.rows, 6 * 6 * 6)
            * part(self.columns, 6 * 6 * 6)
            * part(self.digits, 362_880)
    }

    /// Returns the symmetry with the given number, from 0 to [`order`](Self::order) - 1; number 0 is the identity.
    #[must_use]
    pub fn nth(&self, number: u64) -> Symmetry {
        // The number is split into digits of a mixed base, starting with the last digit.
        let mut rest = number;
        let mut next = |base: u64| {
            let digit = rest % base;
            rest /= base;
            digit as usize
        };
        let mut digits = Symmetry::IDENTITY.digits;
        if self.digits {
            for left in (2..=9).rev() {
                digits.swap(left, left - next(left as u64));
            }
        }
        let transposed = self.transpose && next(2) == 1;
        let rows = lines(&mut next, self.bands, self.rows);
        let columns = lines(&mut next, self.stacks, self.columns);
        Symmetry { transposed, rows, columns, digits }
    }

    /// Draws a symmetry from the subgroup; all are equally likely.
    pub fn random(&self, rng: &mut impl Rng) -> Symmetry {
        self.nth(below(rng, self.order() as usize) as u64)
    }
}

/// Returns the nine rows, or columns, in the order that the next digits encode; bands, or stacks, stay together.
/// `digit` returns the next digit in a given base.
fn lines(digit: &mut impl FnMut(u64) -> usize, bands_are_free: bool, lines_are_free: bool) -> [u8; 9] {
    /// The orders of three lines.
    const ORDERS: [[u8; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut next = |is_free: bool| ORDERS[if is_free { digit(6) } else { 0 }];
    let bands = next(bands_are_free);
    let mut lines = [0; 9];
    for (three, band) in lines.as_chunks_mut::<3>().0.iter_mut().zip(bands) {
        *three = next(lines_are_free).map(|line| 3 * band + line);
    }
    lines
}

/// Fails if a line is missing or repeated, or if the lines of a band (or stack) are not together.
fn check_lines(
    lines: &[u8; 9],
    repeated: ParseSymmetryError,
    apart: ParseSymmetryError,
) -> Result<(), ParseSymmetryError> {
    if lines.iter().fold(0, |seen, line| seen | 1 << line) != 0b1_1111_1111 {
        return Err(repeated);
    }
    let is_together = |three: &[u8; 3]| three.iter().all(|line| line / 3 == three[0] / 3);
    if lines.as_chunks().0.iter().all(is_together) { Ok(()) } else { Err(apart) }
}

/// Returns the inverse of a permutation.
fn inverted<const N: usize>(permutation: &[u8; N]) -> [u8; N] {
    let mut inverse = [0; N];
    for (to, &from) in (0..).zip(permutation) {
        inverse[usize::from(from)] = to;
    }
    inverse
}

/// The reason why a string is not a symmetry.
///
/// ```
/// use batchdoku::sudoku::Symmetry;
///
/// let error = "r412356789c123456789d123456789".parse::<Symmetry>().expect_err("row 4 is in another band");
/// assert_eq!(error.to_string(), "rows of a band are apart");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseSymmetryError {
    /// The text is not `r`, nine digits, `c`, nine digits, `d`, nine digits, with an optional `t` in front.
    Form,
    /// The rows are not a permutation of 1 to 9.
    Rows,
    /// The columns are not a permutation of 1 to 9.
    Columns,
    /// The rows of a band are not together.
    Bands,
    /// The columns of a stack are not together.
    Stacks,
    /// The digits are not a permutation of 1 to 9.
    Digits,
}

impl fmt::Display for ParseSymmetryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "not a symmetry (expected r123456789c123456789d123456789, or t before it)",
            Self::Rows => "rows are not 1 to 9, each once",
            Self::Columns => "columns are not 1 to 9, each once",
            Self::Bands => "rows of a band are apart",
            Self::Stacks => "columns of a stack are apart",
            Self::Digits => "digits are not 1 to 9, each once",
        })
    }
}

impl std::error::Error for ParseSymmetryError {}

impl FromStr for Symmetry {
    type Err = ParseSymmetryError;

    /// Parses the output of `Display` and nothing else.
    fn from_str(text: &str) -> Result<Self, ParseSymmetryError> {
        let (transposed, text) = text.strip_prefix('t').map_or((false, text), |rest| (true, rest));
        let text: &[u8; 30] = text.as_bytes().as_array().ok_or(ParseSymmetryError::Form)?;
        let mut parts = [[0; 9]; 3];
        for ((part, letter), text) in parts.iter_mut().zip(*b"rcd").zip(text.as_chunks::<10>().0) {
            let [first, digits @ ..] = text;
            if *first != letter || !digits.iter().all(|digit| (b'1'..=b'9').contains(digit)) {
                return Err(ParseSymmetryError::Form);
            }
            *part = digits.map(|digit| digit - b'0');
        }
        let [rows, columns, labels] = parts;
        let (rows, columns) = (rows.map(|row| row - 1), columns.map(|column| column - 1));
        check_lines(&rows, ParseSymmetryError::Rows, ParseSymmetryError::Bands)?;
        check_lines(&columns, ParseSymmetryError::Columns, ParseSymmetryError::Stacks)?;
        if labels.iter().fold(0, |seen, digit| seen | 1 << digit) != 0b11_1111_1110 {
            return Err(ParseSymmetryError::Digits);
        }
        let mut digits = [0; 10];
        digits[1..].copy_from_slice(&labels);
        Ok(Self { transposed, rows, columns, digits })
    }
}

impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [_, digits @ ..] = self.digits;
        let parts = [
            ('r', self.rows.map(|row| row + 1)),
            ('c', self.columns.map(|column| column + 1)),
            ('d', digits),
        ];
        let mut text = String::with_capacity(31);
        if self.transposed {
            text.push('t');
        }
        for (letter, numbers) in parts {
            text.push(letter);
            text.extend(numbers.map(|number| char::from(b'0' + number)));
        }
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::sudoku::{are_peers, verifier};

    fn rng() -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(1)
    }

    /// Finds which cell each cell of the result comes from, using one clue at a time. A grid with nine different digits
    /// would not be enough to tell all cells apart.
    fn cells_from(symmetry: &Symmetry) -> [usize; CELLS] {
        let mut from = [0; CELLS];
        for cell in 0..CELLS {
            let mut grid = Grid::EMPTY;
            grid.set(cell, 1);
            let result = symmetry.apply(&grid);
            from[result.cells().iter().position(|&digit| digit != 0).unwrap()] = cell;
        }
        from
    }

    /// Returns a solved grid, in which the cells of each house all differ.
    fn filled() -> Grid {
        "123456789456789123789123456231674895875912364694538217317265948542897631968341572".parse().unwrap()
    }

    #[test]
    fn peers_stay_peers_and_every_cell_comes_once() {
        let mut rng = rng();
        for _ in 0..50 {
            let symmetry = Symmetry::random(&mut rng);
            let from = cells_from(&symmetry);
            assert_eq!(from.iter().collect::<BTreeSet<_>>().len(), CELLS);
            for a in 0..CELLS {
                for b in 0..CELLS {
                    assert_eq!(are_peers(a, b), are_peers(from[a], from[b]));
                }
            }
            assert!(verifier::sudoku(&Grid::EMPTY, &symmetry.apply(&filled())));
        }
    }

    #[test]
    fn inverse_and_composition_are_those_of_what_is_applied() {
        let mut rng = rng();
        for _ in 0..200 {
            let (first, second) = (Symmetry::random(&mut rng), Symmetry::random(&mut rng));
            let once = first.apply(&filled());
            assert_eq!(first.then(&second).apply(&filled()), second.apply(&once));
            assert_eq!(first.inverse().apply(&once), filled());
            assert_eq!(first.then(&first.inverse()), Symmetry::IDENTITY);
            assert_eq!(first.to_string().parse(), Ok(first));
        }
    }

    /// The expected results are written out, one for each part of the notation.
    #[test]
    fn a_symmetry_is_what_its_text_says() {
        let apply = |symmetry: &str, cell: usize, digit: u8| {
            let mut grid = Grid::EMPTY;
            grid.set(cell, digit);
            let result = symmetry.parse::<Symmetry>().unwrap().apply(&grid);
            let at = result.cells().iter().position(|&digit| digit != 0).unwrap();
            (at, result.get(at))
        };
        assert_eq!(apply("r312456789c123456789d123456789", 0, 4), (9, 4));
        assert_eq!(apply("r123456789c789123456d123456789", 6, 4), (0, 4));
        assert_eq!(apply("tr123456789c123456789d123456789", 1, 4), (9, 4));
        assert_eq!(apply("tr312456789c123456789d123456789", 1, 4), (18, 4));
        assert_eq!(apply("r123456789c123456789d231456789", 80, 1), (80, 2));
        assert_eq!(Symmetry::IDENTITY.to_string(), "r123456789c123456789d123456789");
    }

    #[test]
    fn what_is_not_a_symmetry_is_refused_with_the_reason() {
        let refused = |text: &str| text.parse::<Symmetry>().unwrap_err().to_string();
        let form = "not a symmetry (expected r123456789c123456789d123456789, or t before it)";
        for text in [
            "",
            "t",
            "r123456789c123456789",
            "r123456789c123456789d12345678",
            "r123456789c123456789d1234567890",
            "r123456789d123456789c123456789",
            "r023456789c123456789d123456789",
            "ttr123456789c123456789d123456789",
            "r123456789c123456789d12345678é",
        ] {
            assert_eq!(refused(text), form, "{text}");
        }
        assert_eq!(refused("r113456789c123456789d123456789"), "rows are not 1 to 9, each once");
        assert_eq!(refused("r423156789c123456789d123456789"), "rows of a band are apart");
        assert_eq!(refused("r123456789c123456788d123456789"), "columns are not 1 to 9, each once");
        assert_eq!(refused("tr123456789c127456389d123456789"), "columns of a stack are apart");
        assert_eq!(refused("r123456789c123456789d111456789"), "digits are not 1 to 9, each once");
    }

    /// The first cell must reach each of the 81 places; its place distinguishes most of the group.
    #[test]
    fn the_first_cell_goes_everywhere_and_the_grid_is_transposed_half_the_time() {
        let mut rng = rng();
        let mut places = [0; CELLS];
        let mut transposed = 0;
        for _ in 0..8100 {
            let symmetry = Symmetry::random(&mut rng);
            let mut grid = Grid::EMPTY;
            grid.set(0, 1);
            places[symmetry.apply(&grid).cells().iter().position(|&digit| digit != 0).unwrap()] += 1;
            transposed += u32::from(symmetry.transposed);
        }
        assert!(places.iter().all(|count| (60..145).contains(count)), "{places:?}");
        assert!((3850..4250).contains(&transposed), "{transposed}");
    }

    /// Every number yields a different symmetry, and only the parts that may move do so.
    #[test]
    fn a_subgroup_has_as_many_symmetries_as_its_order() {
        let of = |set: fn(&mut Subgroup)| {
            let mut subgroup = Subgroup::IDENTITY;
            set(&mut subgroup);
            subgroup
        };
        let parts: [(Subgroup, u64); 8] = [
            (Subgroup::IDENTITY, 1),
            (of(|group| group.transpose = true), 2),
            (of(|group| group.bands = true), 6),
            (of(|group| group.stacks = true), 6),
            (of(|group| group.rows = true), 216),
            (of(|group| group.columns = true), 216),
            (of(|group| group.digits = true), 362_880),
            (of(|group| (group.rows, group.bands) = (true, true)), 1296),
        ];
        for (subgroup, order) in parts {
            assert_eq!(subgroup.order(), order);
            let all: BTreeSet<_> = (0..order).map(|number| subgroup.nth(number).to_string()).collect();
            assert_eq!(all.len() as u64, order, "{subgroup:?}");
            for text in all.iter().step_by(97) {
                let Symmetry { transposed, rows, columns, digits } = text.parse().unwrap();
                let same = Symmetry::IDENTITY.rows;
                let bands = |lines: [u8; 9]| lines.map(|line| line / 3);
                assert!(subgroup.transpose || !transposed);
                assert!(subgroup.digits || digits == Symmetry::IDENTITY.digits);
                for (lines, bands_are_free, are_free) in
                    [(rows, subgroup.bands, subgroup.rows), (columns, subgroup.stacks, subgroup.columns)]
                {
                    assert!(bands_are_free || bands(lines) == bands(same));
                    assert!(are_free || lines.map(|line| line % 3) == same.map(|line| line % 3));
                }
            }
        }
    }
}
