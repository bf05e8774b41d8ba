//! The smallest isomorph of a solution.
//!
//! It begins with 123456789456789123 or 123456789457, so once two rows of a band and the first stack are chosen, few
//! choices are left. The digits 1 and 2, 4 and 5, and 8 and 9 are in the order that makes row 2 smallest. This depends
//! on which of 1, 2 and 3 is in the second box of row 2, and on the digits above and below it. Rows 1 and 2 settle all
//! columns and digits, so the other rows only have to be sorted.

use super::lines::ORDERS;
use super::state::State;
use crate::sudoku::Grid;

/// The set that contains all digits.
const ALL: u16 = 0b11_1111_1110;

/// A row of a solution.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// The digit in each column. There are 16 entries so that indices need no bounds checks.
    digits: [u8; 16],
    /// The column of each digit.
    columns: [u8; 16],
    /// The set of digits in each minirow.
    minirows: [u16; 3],
}

impl Row {
    fn new(digits: [u8; 9]) -> Self {
        let mut row = Self::default();
        for (column, &digit) in digits.iter().enumerate() {
            row.digits[column] = digit;
            row.columns[usize::from(digit & 15)] = column as u8;
            row.minirows[column / 3] |= 1 << digit;
        }
        row
    }

    /// Returns this row's digit in the column where another row has the given digit.
    #[inline]
    fn beside(&self, other: &Self, digit: u8) -> u8 {
        self.digits[usize::from(other.columns[usize::from(digit & 15)] & 15)]
    }
}

/// Two rows of a band, the stack that comes first, and how far to the right of it (cyclically) the second stack is.
#[derive(Clone, Copy, Debug, Default)]
struct Start {
    first: u8,
    second: u8,
    stack: u8,
    step: u8,
}

/// A way to a form: the order of the rows, and the digits by label (a digit's label is its place in row 1).
#[derive(Clone, Copy, Debug)]
struct Way {
    side: u8,
    rows: [u8; 9],
    digits: [u8; 9],
    /// The label of each digit.
    labels: [u8; 16],
}

/// A finder of the smallest isomorphs of solutions, which reuses its memory.
#[derive(Debug, Default)]
pub struct Solutions {
    /// The rows, followed by the columns, which are the rows of the transposed grid.
    rows: [Row; 18],
    ways: Ways,
}

/// The ways that lead to the smallest second and third rows so far.
#[derive(Debug, Default)]
struct Ways {
    ways: Vec<Way>,
    smallest: u64,
}

impl Solutions {
    /// Adds all ways that lead to the smallest isomorph to `states`; returns whether the grid is a solution.
    pub fn find(&mut self, grid: &Grid, states: &mut Vec<State>) -> bool {
        if grid.cells().contains(&0) || !self.read(grid) {
            return false;
        }
        let mut starts = [Start::default(); 109];
        let (rank, count) = self.rank(&mut starts);
        self.ways.smallest = u64::MAX;
        self.ways.ways.clear();
        for start in &starts[..count] {
            if rank == 0 {
                self.ways.offer_pure(&self.rows, start);
            } else {
                self.ways.offer_mixed(&self.rows, start, rank);
            }
        }
        let mut smallest = [u64::MAX; 6];
        for way in &mut self.ways.ways {
            let texts = way.sort_rows(&self.rows);
            if texts < smallest {
                smallest = texts;
                states.clear();
            }
            if texts == smallest {
                states.push(way.state(&self.rows));
            }
        }
        true
    }

    /// Reads the rows and columns; returns whether every row, column and box has all digits.
    fn read(&mut self, grid: &Grid) -> bool {
        let cells = grid.cells();
        for line in 0..9 {
            let (mut row, mut column) = ([0; 9], [0; 9]);
            for at in 0..9 {
                row[at] = cells[9 * line + at];
                column[at] = cells[9 * at + line];
            }
            self.rows[line] = Row::new(row);
            self.rows[9 + line] = Row::new(column);
        }
        let has_all = |[a, b, c]: [u16; 3]| a | b | c == ALL;
        let (bands, _) = self.rows[..9].as_chunks::<3>();
        self.rows.iter().all(|row| has_all(row.minirows))
            && bands
                .iter()
                .all(|[a, b, c]| (0..3).all(|stack| has_all([a, b, c].map(|row| row.minirows[stack]))))
    }

    /// Collects the starts whose second row has the lowest rank; returns that rank and the number of starts.
    fn rank(&self, starts: &mut [Start; 109]) -> (usize, usize) {
        let mut smallest = usize::MAX;
        let mut count = 0;
        for first in 0..18_u8 {
            let band = first / 3 * 3;
            for second in [band + (first + 1) % 3, band + (first + 2) % 3] {
                let [top, next] = [&self.rows[usize::from(first)], &self.rows[usize::from(second)]];
                // Each minirow of row 2 takes either three digits from one other minirow of row 1, or two from one and
                // one from the other. The direction is the same for all three minirows.
                let shared = next.minirows[0] & top.minirows[1];
                let step = if shared & shared.wrapping_sub(1) == 0 { 2 } else { 1 };
                let is_pure = shared == 0 || shared == top.minirows[1];
                for stack in 0..3_u8 {
                    let start = Start { first, second, stack, step };
                    let [x, y, _] = start.stacks();
                    let lone = digit_of(next.minirows[y] & top.minirows[x]);
                    let pair = next.minirows[x] & top.minirows[y];
                    let (above, below) = (top.beside(next, lone), next.beside(top, lone));
                    let [is_beside, is_third] =
                        [usize::from(pair >> above & 1), usize::from(pair >> below & 1 ^ 1)];
                    let rank = RANKS[is_beside][is_third][usize::from(above == below)];
                    let rank = if is_pure { 0 } else { rank };
                    count = if rank < smallest { 0 } else { count };
                    smallest = smallest.min(rank);
                    starts[count] = start;
                    count += usize::from(rank == smallest);
                }
            }
        }
        (smallest, count)
    }
}

impl Ways {
    /// Offers the ways from a start whose second row is 456789123.
    fn offer_pure(&mut self, rows: &[Row; 18], start: &Start) {
        let [x, ..] = start.stacks();
        let [top, next] = [&rows[usize::from(start.first)], &rows[usize::from(start.second)]];
        let below = |[a, b, c]: [u8; 3]| [next.beside(top, a), next.beside(top, b), next.beside(top, c)];
        let row = top.digits;
        for [a, b, c] in ORDERS {
            let first = [row[3 * x + a], row[3 * x + b], row[3 * x + c]];
            let second = below(first);
            let digits = [first, second, below(second)];
            self.offer(rows, start, digits);
        }
    }

    /// Offers the ways from a start whose second row begins with 457.
    fn offer_mixed(&mut self, rows: &[Row; 18], start: &Start, rank: usize) {
        let [x, y, z] = start.stacks();
        let [top, next] = [&rows[usize::from(start.first)], &rows[usize::from(start.second)]];
        let pair = next.minirows[x] & top.minirows[y];
        let lone = digit_of(next.minirows[y] & top.minirows[x]);
        let lower = digit_of(pair);
        let fourth = match rank {
            2 | 3 => top.beside(next, lone),
            1 | 4 => next.beside(top, lone),
            _ => lower,
        };
        let fifth = digit_of(pair & !(1 << fourth));
        let sixth = digit_of(top.minirows[y] & !pair);
        let seventh = digit_of(next.minirows[x] & top.minirows[z]);
        for [fourth, fifth] in
            [[fourth, fifth], [fifth, fourth]].into_iter().take(if rank == 5 { 2 } else { 1 })
        {
            let first = [top.beside(next, fourth), top.beside(next, fifth), top.beside(next, seventh)];
            let second = [fourth, fifth, sixth];
            let [a, b, c] = [next.beside(top, fourth), next.beside(top, fifth), next.beside(top, sixth)];
            // Two of these three are 8 and 9.
            let third = [seventh, if a == lone { b } else { a }, if c == lone { b } else { c }];
            self.offer(rows, start, [first, second, third]);
        }
    }

    /// Adds a way unless an earlier one has smaller second and third rows.
    #[inline]
    fn offer(&mut self, rows: &[Row; 18], start: &Start, digits: [[u8; 3]; 3]) {
        let [top, next] = [&rows[usize::from(start.first)], &rows[usize::from(start.second)]];
        let [[one, two, three], _, [seven, eight, nine]] = digits;
        // The last box of row 2 has only these digits and perhaps 6.
        let label = |above: u8| match next.beside(top, above) {
            digit if digit == one => 1,
            digit if digit == two => 2,
            digit if digit == three => 3,
            _ => 6,
        };
        let text = (label(seven) << 8 | label(eight) << 4 | label(nine)) << 36;
        if text > self.smallest {
            return;
        }
        let way = Way::new(start, digits);
        let text = text | way.text(top, &rows[usize::from(way.rows[2])]);
        if text < self.smallest {
            self.smallest = text;
            self.ways.clear();
        }
        if text == self.smallest {
            self.ways.push(way);
        }
    }
}

impl Start {
    /// Returns the stacks in the order in which they appear in the form.
    #[inline]
    fn stacks(&self) -> [usize; 3] {
        const CYCLE: [usize; 8] = [0, 1, 2, 0, 1, 2, 0, 1];
        let [stack, step] = [usize::from(self.stack), usize::from(self.step)];
        [stack, CYCLE[(stack + step) & 7], CYCLE[(stack + 2 * step) & 7]]
    }
}

/// The rank of a second row such as 457189236. Its second box has just one of the digits 1, 2 and 3. The indices say
/// whether 4 or 5 is above that digit, whether 7 is below it, and whether the digits above and below are equal.
const RANKS: [[[usize; 2]; 2]; 2] = [
    [[4, 4], [5, 5]], // 457891, 457893
    [[2, 1], [3, 3]], // 457289, 457189, 457389
];

impl Way {
    fn new(start: &Start, digits: [[u8; 3]; 3]) -> Self {
        let digits = *digits.as_flattened().as_array().expect("three times three");
        let mut labels = [0; 16];
        for (label, digit) in (1..).zip(digits) {
            labels[usize::from(digit & 15)] = label;
        }
        let third = start.first / 3 * 9 + 3 - start.first - start.second;
        let rows = [start.first, start.second, third, 0, 0, 0, 0, 0, 0];
        Self { side: start.first / 9, rows, digits, labels }
    }

    /// Returns the labels of a row, 4 bits each, with the first one in the highest bits.
    #[inline]
    fn text(&self, top: &Row, row: &Row) -> u64 {
        let mut text = 0;
        for digit in self.digits {
            text = text << 4 | u64::from(self.labels[usize::from(row.beside(top, digit) & 15)]);
        }
        text
    }

    /// Sorts the rows of the other two bands; returns their texts.
    fn sort_rows(&mut self, rows: &[Row; 18]) -> [u64; 6] {
        let top = &rows[usize::from(self.rows[0])];
        let first = 9 * self.side;
        let band = (self.rows[0] - first) / 3;
        // The first label of the row, and its number.
        let key = |row: u8| {
            let digit = rows[usize::from(row)].beside(top, self.digits[0]);
            (self.labels[usize::from(digit & 15)], row)
        };
        let mut bands =
            [(band + 1) % 3, (band + 2) % 3].map(|band| [0, 1, 2].map(|row| key(first + 3 * band + row)));
        for band in &mut bands {
            band.sort_unstable();
        }
        bands.sort_unstable();
        let mut texts = [0; 6];
        for (at, &(_, row)) in bands.as_flattened().iter().enumerate() {
            self.rows[3 + at] = row;
            texts[at] = self.text(top, &rows[usize::from(row)]);
        }
        texts
    }

    fn state(&self, rows: &[Row; 18]) -> State {
        let top = &rows[usize::from(self.rows[0])];
        let columns = self.digits.map(|digit| top.columns[usize::from(digit & 15)]);
        State::settled(self.side, self.rows.map(|row| row - 9 * self.side), columns, &self.labels)
    }
}

/// Returns the digit in a set of one, or the smallest digit in a larger set.
#[inline]
fn digit_of(set: u16) -> u8 {
    set.trailing_zeros() as u8
}
