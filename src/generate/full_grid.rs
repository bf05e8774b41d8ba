//! Random solved grids. Each of the 6,670,903,752,021,072,936,960 grids is equally likely.
//!
//! The three cells of a column within a box form a *minicolumn*. The digits of the 27 minicolumns are drawn first. Once
//! the digits of a band's nine minicolumns are given, the band can be filled in `g` ways. Each digit is in three
//! minicolumns, one per box. Three rows, each with every digit once, divide these 27 digit-minicolumn pairs into three
//! perfect matchings. So a choice of digits for all minicolumns corresponds to `g(top) * g(middle) * g(bottom)` grids,
//! and must be drawn with that weight. Each band is then filled in one of its `g` ways.
//!
//! **The choice.** The digits are relabelled so that the first box of the top band is 0 1 2, 3 4 5, 6 7 8. The second
//! and third boxes then each correspond to one of the 280 partitions of nine digits into three sets. A shuffle at the
//! end decides which column gets which set, and what the labels are. For each column of the grid, the middle band takes
//! three of the six remaining digits, and the bottom band the other three. There are 56 ways to do this in each box.
//!
//! **The draw.** `g` depends only on how the second and third boxes are partitioned relative to the first. There are
//! only five kinds of partition for the second box. A table has an entry for each kind and each of the 56 * 56 ways in
//! the first two boxes. Its weight is the size of the kind, times the sum of `g(top)` over all third boxes, times a
//! bound on `g(middle) * g(bottom)`. An entry is drawn by weight, then the third box by `g(top)`, and then the way in
//! the third box uniformly. The choice is accepted with probability `g(middle) * g(bottom) / bound`, which is about one
//! half.
//!
//! All weights are integers, so nothing is rounded. Only the draws are slightly biased: each outcome's probability is
//! off by less than 2^-64.

use std::sync::LazyLock;

use rand_core::Rng;

use crate::sudoku::random::{below, shuffle};
use crate::sudoku::{CELLS, Grid};

/// The digits of a box's three minicolumns, counted from 0.
type Columns = [[u8; 3]; 3];

/// The first box of the top band.
const FIRST: Columns = [[0, 1, 2], [3, 4, 5], [6, 7, 8]];

/// The number of partitions of nine digits into three sets of three.
const PARTITIONS: usize = 280;

/// Draws a solved grid; all grids are equally likely.
///
/// ```
/// use batchdoku::generate::full_grid;
/// use batchdoku::sudoku::{Grid, verifier};
/// use rand_core::SeedableRng;
/// use rand_xoshiro::Xoshiro256PlusPlus;
///
/// let grid = full_grid(&mut Xoshiro256PlusPlus::seed_from_u64(1));
/// assert!(verifier::sudoku(&Grid::EMPTY, &grid));
/// ```
pub fn full_grid(rng: &mut impl Rng) -> Grid {
    static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);
    let mut digits = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    shuffle(&mut digits, rng);
    let mut columns: [usize; 9] = std::array::from_fn(|column| column);
    columns.as_chunks_mut::<3>().0.iter_mut().for_each(|three| shuffle(three, rng));
    let mut cells = [0; CELLS];
    let (bands, _) = cells.as_chunks_mut::<27>();
    for (boxes, band) in TABLES.draw(rng).iter().zip(bands) {
        let rows = Filling::new(boxes).draw(rng);
        let turn = below(rng, 3);
        for (row, cells) in band.as_chunks_mut::<9>().0.iter_mut().enumerate() {
            for (cell, column) in cells.iter_mut().zip(columns) {
                *cell = digits[usize::from(rows[(row + turn) % 3][column])];
            }
        }
    }
    Grid::from_digits(cells)
}

/// The tables needed for drawing, which are computed on first use.
struct Tables {
    /// The number of each partition, indexed by its `key`.
    numbers: Vec<u16>,
    /// The number of ways to fill a band, for each pair of partitions of the second and third boxes.
    ways: Vec<u16>,
    /// The largest number of ways with any third box, for each partition of the second box.
    most_ways: [u16; PARTITIONS],
    /// One partition of the second box for each kind, with the running sums of the ways over all third boxes.
    kinds: Vec<(Columns, Vec<u64>)>,
    partitions: Vec<Columns>,
    /// The ways to choose the middle band's digits in a box.
    splits: Vec<u16>,
    /// The running sums of the weights, for each kind, split of the first box, and split of the second box.
    weights: Vec<u64>,
}

impl Tables {
    fn new() -> Self {
        let (partitions, numbers) = all_partitions();
        let number_of = |columns: &Columns| usize::from(numbers[key(&POWERS, columns)]);
        let relabellings = RELABELLINGS.map(|to| {
            let numbers = partitions.iter().map(|columns| number_of(&relabelled(columns, &to)));
            numbers.collect::<Vec<_>>()
        });
        let mut ways = vec![0; PARTITIONS * PARTITIONS];
        let mut kinds: Vec<(usize, u64)> = Vec::new();
        for start in 0..PARTITIONS {
            if ways[start * PARTITIONS] != 0 {
                continue;
            }
            for (third, columns) in partitions.iter().enumerate() {
                let boxes = [FIRST, partitions[start], *columns];
                ways[start * PARTITIONS + third] = 3 * Filling::new(&boxes).count() as u16;
            }
            let mut found = vec![start];
            let mut next = 0;
            while next < found.len() {
                let second = found[next];
                next += 1;
                for to in &relabellings {
                    if ways[to[second] * PARTITIONS] == 0 {
                        found.push(to[second]);
                        for third in 0..PARTITIONS {
                            ways[to[second] * PARTITIONS + to[third]] = ways[second * PARTITIONS + third];
                        }
                    }
                }
            }
            kinds.push((start, found.len() as u64));
        }
        let rows = ways.as_chunks::<PARTITIONS>().0;
        let most_ways = std::array::from_fn(|second| rows[second].iter().copied().max().unwrap_or(0));
        let sums = |second: usize| running_sums(rows[second].iter().map(|&ways| u64::from(ways)));
        let splits = (0..1 << 9).filter(|split: &u16| {
            let ones = |column: u16| (split >> (3 * column) & 7).count_ones();
            ones(0) == ones(1) && ones(1) == ones(2)
        });
        let mut tables = Self {
            kinds: kinds.iter().map(|&(second, _)| (partitions[second], sums(second))).collect(),
            splits: splits.collect(),
            weights: Vec::new(),
            numbers,
            ways,
            most_ways,
            partitions,
        };
        tables.weights = tables.all_weights(&kinds);
        tables
    }

    fn all_weights(&self, kinds: &[(usize, u64)]) -> Vec<u64> {
        let weights = kinds.iter().zip(&self.kinds).flat_map(|(&(_, size), (second, sums))| {
            let of_kind = size * sums.last().copied().unwrap_or(0);
            self.splits.iter().flat_map(move |&a| self.splits.iter().map(move |&b| (a, b))).map(
                move |(a, b)| {
                    let (middle, bottom) = (split(&FIRST, a), split(&FIRST, !a));
                    let most = self.most([middle, split(second, b)]) * self.most([bottom, split(second, !b)]);
                    of_kind * most
                },
            )
        });
        running_sums(weights)
    }

    /// Draws the digits of the minicolumns in all bands.
    fn draw(&self, rng: &mut impl Rng) -> [[Columns; 3]; 3] {
        loop {
            let entry = draw_by(&self.weights, rng);
            let ways = self.splits.len();
            let (second, sums) = &self.kinds[entry / (ways * ways)];
            let third = self.partitions[draw_by(sums, rng)];
            let [a, b, c] = [entry / ways % ways, entry % ways, below(rng, ways)].map(|i| self.splits[i]);
            let middle = [split(&FIRST, a), split(second, b), split(&third, c)];
            let bottom = [split(&FIRST, !a), split(second, !b), split(&third, !c)];
            let most = self.most([middle[0], middle[1]]) * self.most([bottom[0], bottom[1]]);
            let weight = self.ways(&middle) * self.ways(&bottom);
            if (below(rng, most as usize) as u64) < weight {
                return [[FIRST, *second, third], middle, bottom];
            }
        }
    }

    /// Counts the ways to fill a band.
    fn ways(&self, [first, second, third]: &[Columns; 3]) -> u64 {
        let powers = powers_of(first);
        let [second, third] = [second, third].map(|columns| usize::from(self.numbers[key(&powers, columns)]));
        u64::from(self.ways[second * PARTITIONS + third])
    }

    /// Returns the largest number of ways to fill a band that has these first two boxes.
    fn most(&self, [first, second]: [Columns; 2]) -> u64 {
        u64::from(self.most_ways[usize::from(self.numbers[key(&powers_of(&first), &second)])])
    }
}

/// Returns all partitions, and the number of each partition under all its keys.
fn all_partitions() -> (Vec<Columns>, Vec<u16>) {
    let mut partitions = Vec::with_capacity(PARTITIONS);
    let mut numbers = vec![0; 3 * POWERS[8]];
    let sets = || (0..1_u16 << 9).filter(|set| set.count_ones() == 3);
    for a in sets().filter(|a| a & 1 != 0) {
        let lowest = !a & (a + 1);
        for b in sets().filter(|b| b & a == 0 && b & lowest != 0) {
            let columns = [a, b, !a & !b].map(|set| {
                let mut digits = (0..9).filter(|digit| set >> digit & 1 != 0);
                std::array::from_fn(|_| digits.next().unwrap_or(0))
            });
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                numbers[key(&POWERS, &order.map(|i: usize| columns[i]))] = partitions.len() as u16;
            }
            partitions.push(columns);
        }
    }
    (partitions, numbers)
}

/// Generators of the relabellings that leave the first box unchanged except for the order of its columns.
const RELABELLINGS: [[u8; 9]; 4] = [
    [1, 0, 2, 3, 4, 5, 6, 7, 8],
    [1, 2, 0, 3, 4, 5, 6, 7, 8],
    [3, 4, 5, 0, 1, 2, 6, 7, 8],
    [3, 4, 5, 6, 7, 8, 0, 1, 2],
];

fn relabelled(columns: &Columns, to: &[u8; 9]) -> Columns {
    columns.map(|column| column.map(|digit| to[usize::from(digit)]))
}

const POWERS: [usize; 9] = [1, 3, 9, 27, 81, 243, 729, 2187, 6561];

/// Returns the power for each digit when the digits are relabelled so that these columns become [`FIRST`].
fn powers_of(columns: &Columns) -> [usize; 9] {
    let mut powers = [0; 9];
    for (digit, power) in columns.as_flattened().iter().zip(POWERS) {
        powers[usize::from(*digit)] = power;
    }
    powers
}

/// Returns a number that identifies the digits of each column.
fn key(powers: &[usize; 9], [_, b, c]: &Columns) -> usize {
    let sum = |digits: &[u8; 3]| digits.iter().map(|&digit| powers[usize::from(digit)]).sum::<usize>();
    sum(b) + 2 * sum(c)
}

/// Returns the columns of the box below: each digit moves one column to the right, or two if its bit is set.
fn split(columns: &Columns, bits: u16) -> Columns {
    let mut result = [[0; 3]; 3];
    let mut lengths = [0; 3];
    for (i, &digit) in columns.as_flattened().iter().enumerate() {
        let to = (i / 3 + 1 + usize::from(bits >> i & 1)) % 3;
        result[to][lengths[to]] = digit;
        lengths[to] += 1;
    }
    result
}

fn running_sums(weights: impl Iterator<Item = u64>) -> Vec<u64> {
    weights
        .scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        })
        .collect()
}

/// Draws an index by weight.
fn draw_by(sums: &[u64], rng: &mut impl Rng) -> usize {
    let drawn = below(rng, sums.last().copied().unwrap_or(0) as usize) as u64;
    sums.partition_point(|&sum| sum <= drawn)
}

/// The ways to fill a band, given the digits of each minicolumn; the smallest digit of column 0 is in row 0.
struct Filling {
    /// The digits of each column, and the columns of each digit, as bits.
    columns: [u16; 9],
    holders: [u16; 9],
    /// The sets of digits that a row can take from the first box, and from the second.
    picks: [[u16; 27]; 2],
    rows: [[u8; 9]; 3],
}

/// The maximum number of cycles that the digits of two rows can form: there are nine columns, and each cycle has at
/// least two.
const MOST_CYCLES: u32 = 4;

impl Filling {
    fn new(boxes: &[Columns; 3]) -> Self {
        let (mut columns, mut holders) = ([0; 9], [0; 9]);
        for (column, digits) in boxes.as_flattened().iter().enumerate() {
            for &digit in digits {
                columns[column] |= 1 << digit;
                holders[usize::from(digit)] |= 1 << column;
            }
        }
        let picks = [0, 3].map(|first| {
            let [a, b, c] = [0, 1, 2].map(|i| three_bits(columns[first + i]));
            std::array::from_fn(|i| a[i / 9] | b[i / 3 % 3] | c[i % 3])
        });
        Self { columns, holders, picks, rows: [[0; 9]; 3] }
    }

    fn count(mut self) -> u32 {
        let picks = (0..9).flat_map(|a| (0..27).map(move |b| (a, b)));
        picks.map(|(a, b)| if self.fill_first(a, b) { self.fill_others(0) } else { 0 }).sum()
    }

    fn draw(mut self, rng: &mut impl Rng) -> [[u8; 9]; 3] {
        loop {
            let drawn = below(rng, (9 * 27) << (2 * MOST_CYCLES));
            let (rest, picks) = (drawn / 243, drawn % 243);
            let (flips, lot) = (rest as u32 >> MOST_CYCLES, rest as u32 % (1 << MOST_CYCLES));
            if self.fill_first(picks / 27, picks % 27) && lot < self.fill_others(flips) {
                return self.rows;
            }
        }
    }

    /// Fills row 0, given the digits that it takes from the first two boxes; returns whether this is possible. The
    /// first nine picks contain the smallest digit of column 0.
    fn fill_first(&mut self, first: usize, second: usize) -> bool {
        let (first, second) = (self.picks[0][first], self.picks[1][second]);
        let third = !(first | second) & 0b1_1111_1111;
        let is_one = |column: &u16| (third & column).is_power_of_two();
        if first & second != 0 || !self.columns[6..].iter().all(is_one) {
            return false;
        }
        for (column, digits) in [first, second, third].into_iter().enumerate() {
            for i in 3 * column..3 * column + 3 {
                self.rows[0][i] = (digits & self.columns[i]).trailing_zeros() as u8;
            }
        }
        true
    }

    /// Fills rows 1 and 2, given row 0; returns the number of ways. What remains consists of cycles that alternate
    /// between columns and digits. Each cycle can be filled in two ways; its bit in `flips` selects one.
    fn fill_others(&mut self, flips: u32) -> u32 {
        let (mut cycles, mut open) = (0, 0b1_1111_1111_u16);
        while open != 0 {
            let start = open.trailing_zeros() as usize;
            let flip = (flips >> cycles & 1) as usize;
            cycles += 1;
            let mut column = start;
            let mut digit = (self.columns[start] & !(1 << self.rows[0][start])).trailing_zeros() as u8;
            loop {
                // This digit goes into row 1, and the column's other digit into row 2. In the next column, that other
                // digit goes into row 1.
                open &= !(1 << column);
                let other = self.columns[column] & !(1 << digit | 1 << self.rows[0][column]);
                let other = other.trailing_zeros() as u8;
                self.rows[1 + flip][column] = digit;
                self.rows[2 - flip][column] = other;
                digit = other;
                let holders = self.holders[usize::from(digit)] & !(1 << column);
                let first = holders.trailing_zeros() as usize;
                // Of the two other columns that have the digit, one has it in row 0.
                column =
                    if self.rows[0][first] == digit { 15 - holders.leading_zeros() as usize } else { first };
                if column == start {
                    break;
                }
            }
        }
        1 << cycles
    }
}

/// Returns the three elements of a set as three separate sets.
fn three_bits(set: u16) -> [u16; 3] {
    let rest = set & (set - 1);
    let last = rest & (rest - 1);
    [set & !rest, rest & !last, last]
}

#[cfg(test)]
mod tests;
