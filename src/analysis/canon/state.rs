//! Ways to a form, found row by row.
//!
//! A [`State`] is a way to the first rows of a form. Whatever these rows do not settle is left open. Columns or stacks
//! can still be swapped if all their cells so far are blank (or equal, if clues clash). If columns that can be swapped
//! have new digits, the way forks, because any of the digits can get the smaller label.

use super::lines::{Line, Lines, ORDERS};
use crate::sudoku::Symmetry;

/// The label of a digit that has none yet, which is larger than all real labels.
const NEW: u64 = 15;

/// The rows of the first band.
const BAND: u16 = 0b111;

/// A way to the first rows of a form. Columns and digits are settled only as far as these rows settle them.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The label of each digit, 4 bits each.
    labels: u64,
    /// The rows that are chosen or planned, 4 bits each.
    order: u64,
    /// The set of rows that remain.
    left: u16,
    /// The side that the rows come from: the grid (0) or the transposed grid (1).
    side: u8,
    /// The largest label used so far.
    used: u8,
    /// The stacks that can be swapped because they have no clue so far: bit 0 for the first two, bit 1 for the last
    /// two.
    free: u8,
    /// The stack that goes to each place, times three.
    stacks: [u8; 3],
    /// For the stack at each place, the columns that can still be swapped: bit 0 for the first two, bit 1 for the last
    /// two. The column that comes first is stored from bit 4, the second from bit 2.
    kinds: [u8; 3],
    /// The column that goes to each place, times four.
    columns: [[u8; 3]; 3],
    /// The number of equivalent ways, differing only in empty rows, that this state represents.
    weight: u32,
}

impl State {
    /// Returns the two states in which nothing is settled except whether the grid is transposed.
    pub fn sides() -> [Self; 2] {
        [0, 1].map(|side| Self {
            labels: u64::MAX << 4,
            order: 0,
            left: 0b1_1111_1111,
            side,
            used: 0,
            free: 3,
            stacks: [0, 3, 6],
            kinds: [0b00_01_11; 3],
            columns: [[0, 4, 8], [12, 16, 20], [24, 28, 32]],
            weight: 1,
        })
    }

    /// Makes a state in which the first three rows are planned and the order of the stacks is settled.
    pub fn planned(side: u8, rows: [usize; 3], stacks: [usize; 3]) -> Self {
        let state = Self::sides()[usize::from(side)];
        let order = rows.iter().rev().fold(0, |order, &row| order << 4 | row as u64);
        Self {
            order,
            free: 0,
            stacks: stacks.map(|stack| state.stacks[stack]),
            columns: stacks.map(|stack| state.columns[stack]),
            ..state
        }
    }

    /// Makes a state in which everything is settled, from the columns of the grid and the labels of its digits.
    pub fn settled(side: u8, rows: [u8; 9], columns: [u8; 9], labels: &[u8; 16]) -> Self {
        let nibbles = |values: &[u8]| values.iter().rev().fold(0, |all, &value| all << 4 | u64::from(value));
        let (stacks, _) = columns.as_chunks::<3>();
        let [a, b, c] = *stacks else { unreachable!("three times three") };
        let state = Self::sides()[usize::from(side)];
        Self {
            labels: nibbles(labels),
            order: nibbles(&rows),
            used: 9,
            free: 0,
            kinds: [0; 3],
            columns: [a, b, c].map(|stack| stack.map(|column| 4 * column)),
            ..state
        }
    }

    /// Returns the number of symmetries that this state represents.
    pub fn weight(&self) -> u32 {
        let orders = self.kinds.map(|kind| [1, 2, 2, 6][usize::from(kind & 3)]);
        self.weight * orders.iter().product::<u32>() * [1, 2, 2, 6][usize::from(self.free)]
    }

    /// Returns one of the symmetries that the state represents; all rows must have been chosen. Digits that do not
    /// occur come last.
    pub fn symmetry(&self) -> Symmetry {
        let (mut rows, mut columns, mut digits) = ([0; 9], [0; 9], [0; 10]);
        for (number, row) in rows.iter_mut().enumerate() {
            *row = (self.order >> (4 * number) & 15) as u8;
        }
        for (column, shift) in columns.iter_mut().zip(self.columns.as_flattened()) {
            *column = shift / 4;
        }
        let mut used = self.used;
        for (digit, becomes) in digits.iter_mut().enumerate().skip(1) {
            let label = (self.labels >> (4 * digit) & 15) as u8;
            let is_new = u64::from(label) == NEW;
            used += u8::from(is_new);
            *becomes = if is_new { used } else { label };
        }
        Symmetry::from_parts(self.side == 1, rows, columns, digits)
    }

    /// Returns the smallest clue pattern that a row can have as the next row, with the first cell in bit 8.
    #[inline]
    fn pattern(&self, fill: u16) -> u16 {
        let minirow = |place: usize| {
            PATTERNS[usize::from(self.kinds[place] & 63)][usize::from(fill >> self.stacks[place] & 7)]
        };
        let minirows = [minirow(0), minirow(1), minirow(2)].map(u64::from);
        let [a, b, c] = if self.free == 0 { minirows } else { sorted(minirows, self.free) };
        (a << 6 | b << 3 | c) as u16
    }

    /// Returns the smallest labels that a row can have in a stack, with [`NEW`] for every new digit: 4 bits each, first
    /// one highest.
    #[inline]
    fn minirow(&self, stack: usize, line: Line) -> u64 {
        let [a, b, c] = self.columns[stack];
        let labels = [self.label_in(line, a), self.label_in(line, b), self.label_in(line, c)];
        let [a, b, c] = sorted(labels, self.kinds[stack] & 3);
        a << 8 | b << 4 | c
    }

    /// Returns the label of the digit that a row has in a column.
    #[inline]
    fn label_in(&self, line: Line, column: u8) -> u64 {
        self.labels >> (line >> column & 60) & 15
    }

    /// Returns the smallest text that a row can have as the next row, in the format of [`Self::minirow`].
    #[inline]
    fn text(&self, line: Line) -> u64 {
        let minirows = [self.minirow(0, line), self.minirow(1, line), self.minirow(2, line)];
        let [a, b, c] = if self.free == 0 { minirows } else { sorted(minirows, self.free) };
        a << 24 | b << 12 | c
    }

    /// Returns the rows that can come next, at position `number`. If `number` is below `planned`, only the planned row
    /// can.
    fn candidates(&self, empty: u16, number: usize, planned: usize) -> u16 {
        if number < planned {
            return 1 << (self.order >> (4 * number) & 15);
        }
        let mut rows = self.left;
        if !number.is_multiple_of(3) {
            let last = self.order >> (4 * (number - 1)) & 15;
            rows &= BAND << (last / 3 * 3);
        }
        let empty = rows & empty;
        if empty == 0 {
            return rows;
        }
        // The first empty row of a band represents the other empty rows.
        empty & !(empty << 1 & 0b110_110_110 | empty << 2 & 0b100_100_100)
    }

    /// Returns whether the remaining rows have nothing left to settle.
    fn is_settled(&self, lines: &Lines) -> bool {
        self.used == lines.digits && (self.kinds[0] | self.kinds[1] | self.kinds[2]) & 3 == 0
    }

    /// Chooses one of the candidates.
    fn choose(&mut self, row: u32, empty: u16, number: usize, planned: usize) {
        if number >= planned {
            self.order |= u64::from(row) << (4 * number);
            let alike = self.left & empty & BAND << (row / 3 * 3);
            if empty >> row & 1 != 0 {
                self.weight *= alike.count_ones();
            }
        }
        self.left &= !(1 << row);
    }

    /// Returns whether a digit has no label yet; `shift` is four times the digit.
    #[inline]
    fn is_new(&self, shift: u64) -> bool {
        self.labels >> shift & 15 == NEW
    }

    /// Gives a digit the next label if it has none yet; `shift` is four times the digit.
    #[inline]
    fn label(&mut self, shift: u64) {
        let is_new = self.is_new(shift);
        self.used += u8::from(is_new);
        self.labels ^= if is_new { (NEW ^ u64::from(self.used)) << shift } else { 0 };
    }

    /// Sorts the columns of a stack by their labels in a row.
    fn sort(&mut self, stack: usize, line: Line) {
        let ties = self.kinds[stack] & 3;
        let [a, b, c] = self.columns[stack];
        let key = |column| self.label_in(line, column) << 8 | u64::from(column);
        let [a, b, c] = sorted([key(a), key(b), key(c)], ties);
        self.columns[stack] = [a as u8, b as u8, c as u8];
        let equal = u8::from(a >> 8 == b >> 8) | u8::from(b >> 8 == c >> 8) << 1;
        let [first, second] = [a, b].map(|key| key as u8 / 4 - self.stacks[stack]);
        self.kinds[stack] = first << 4 | second << 2 | ties & equal;
    }
}

/// The states that lead to the smallest rows so far.
#[derive(Debug, Default)]
pub struct Survivors {
    states: Vec<State>,
    /// The indices of the states that continue, each with its next row.
    hits: Vec<(u32, u32)>,
    next: Next,
}

/// The states after the next row.
#[derive(Debug, Default)]
struct Next {
    states: Vec<State>,
    /// The smallest text so far. It is kept only if a digit occurs twice in a row or column, because the text then
    /// depends on how ways fork.
    smallest: Option<u64>,
}

impl Survivors {
    /// Removes all states, so that the caller can add the first ones.
    pub fn begin(&mut self) -> &mut Vec<State> {
        self.states.clear();
        &mut self.states
    }

    /// Returns the remaining states.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Chooses all rows, the first `planned` of which are planned.
    pub fn run(&mut self, lines: &Lines, planned: usize) {
        for number in 0..9 {
            self.find(lines, number, planned);
            self.next.states.clear();
            self.next.smallest = lines.repeats.then_some(u64::MAX);
            for &(index, row) in &self.hits {
                let mut state = self.states[index as usize];
                let side = usize::from(state.side);
                state.choose(row, lines.empty[side], number, planned);
                let line = lines.lines[side][row as usize];
                if state.is_settled(lines) {
                    self.next.push(state, line);
                } else {
                    self.next.settle_stacks(state, line);
                }
            }
            std::mem::swap(&mut self.states, &mut self.next.states);
        }
    }

    /// Finds the states and rows that have the smallest text. If digits are repeated in a row or column, it only finds
    /// those with the most blanks before the first clue.
    fn find(&mut self, lines: &Lines, number: usize, planned: usize) {
        // The text that begins with the most blanks is the smallest, and patterns show this early. There are no
        // branches; entries are overwritten instead.
        self.hits.resize(9 * self.states.len(), (0, 0));
        let mut narrowest = u32::MAX;
        let mut kept = 0;
        for (index, state) in (0..).zip(&self.states) {
            let side = usize::from(state.side);
            let mut rows = state.candidates(lines.empty[side], number, planned);
            while rows != 0 {
                let row = rows.trailing_zeros();
                rows &= rows - 1;
                let pattern = state.pattern(lines.fills[side][row as usize]);
                let width = u16::BITS - pattern.leading_zeros();
                kept = if width < narrowest { 0 } else { kept };
                narrowest = narrowest.min(width);
                self.hits[kept] = (index, row);
                kept += usize::from(width == narrowest);
            }
        }
        self.hits.truncate(kept);
        if kept == 1 || lines.repeats {
            return;
        }
        let mut smallest = u64::MAX;
        let mut kept = 0;
        for at in 0..self.hits.len() {
            let (index, row) = self.hits[at];
            let state = &self.states[index as usize];
            let text = state.text(lines.lines[usize::from(state.side)][row as usize]);
            kept = if text < smallest { 0 } else { kept };
            smallest = smallest.min(text);
            self.hits[kept] = (index, row);
            kept += usize::from(text == smallest);
        }
        self.hits.truncate(kept);
    }
}

impl Next {
    /// Settles the order of the free stacks, as far as a row determines it.
    fn settle_stacks(&mut self, state: State, line: Line) {
        if state.free == 0 {
            return self.settle_columns(state, line, 0);
        }
        let free = if state.free == 1 { 2 } else { 3 };
        let orders = &ORDERS[..if free == 2 { 2 } else { 6 }];
        let stacks = state.columns.map(|columns| {
            let mut labels = columns.map(|column| state.labels >> (line >> column & 60) & 15);
            labels.sort_unstable();
            labels[0] << 8 | labels[1] << 4 | labels[2]
        });
        let exact = self.smallest.is_none();
        for order in orders {
            let in_order = |pair: &[usize]| {
                let [first, second] = [stacks[pair[0]], stacks[pair[1]]];
                // Empty stacks stay free and come first.
                if second == 0 { first == 0 && pair[0] < pair[1] } else { !exact || first <= second }
            };
            if order[..free].windows(2).all(in_order) {
                let mut next = state;
                next.columns = order.map(|stack| state.columns[stack]);
                next.stacks = order.map(|stack| state.stacks[stack]);
                next.kinds = order.map(|stack| state.kinds[stack]);
                let empty = order[..free].iter().filter(|&&stack| stacks[stack] == 0).count();
                next.free = [0, 0, 1, 3][empty];
                self.settle_columns(next, line, 0);
            }
        }
    }

    /// Settles the order of columns, starting with stack `from`, as far as a row determines it.
    fn settle_columns(&mut self, mut state: State, line: Line, from: usize) {
        for stack in from..3 {
            let [a, b, c] = state.columns[stack];
            let shifts = [line >> a & 60, line >> b & 60, line >> c & 60];
            if shifts == [0; 3] {
                continue;
            }
            let ties = state.kinds[stack] & 3;
            if ties == 0 {
                state.label(shifts[0]);
                state.label(shifts[1]);
                state.label(shifts[2]);
                continue;
            }
            let [a, b, c] = [shifts[0], shifts[1], shifts[2]].map(|shift| u8::from(state.is_new(shift)));
            if (a & b | (b & c) << 1) & ties == 0 && (ties != 3 || a & c == 0) {
                state.label(shifts[0]);
                state.label(shifts[1]);
                state.label(shifts[2]);
                state.sort(stack, line);
                continue;
            }
            for place in 0..3 {
                if !state.is_new(shifts[place]) {
                    continue;
                }
                // If columns that can be swapped have different new digits, any of these can come first.
                let end = (place..2).find(|&at| ties >> at & 1 == 0).map_or(3, |at| at + 1);
                let is_first = |at: usize| !shifts[place..at].contains(&shifts[at]);
                let rivals = (place..end).filter(|&at| state.is_new(shifts[at]) && is_first(at));
                if rivals.clone().count() == 1 {
                    state.label(shifts[place]);
                    continue;
                }
                for rival in rivals {
                    let mut fork = state;
                    fork.label(shifts[rival]);
                    self.settle_columns(fork, line, stack);
                }
                return;
            }
            state.sort(stack, line);
        }
        self.push(state, line);
    }

    /// Adds a state in which a row has settled all that it can.
    fn push(&mut self, state: State, line: Line) {
        if let Some(smallest) = &mut self.smallest {
            let text = state.text(line);
            if text > *smallest {
                return;
            }
            if text < *smallest {
                *smallest = text;
                self.states.clear();
            }
        }
        self.states.push(state);
    }
}

/// Sorts three values as far as they can be swapped: bit 0 of `ties` allows swapping the first two, bit 1 the last two.
#[inline]
fn sorted([a, b, c]: [u64; 3], ties: u8) -> [u64; 3] {
    let [first, last] = [ties & 1 != 0, ties & 2 != 0];
    let (a, b) = ordered(a, b, first);
    let (b, c) = ordered(b, c, last);
    let (a, b) = ordered(a, b, first & last);
    [a, b, c]
}

/// Returns two values, the smaller one first if they can be swapped.
#[inline]
fn ordered(a: u64, b: u64, tied: bool) -> (u64, u64) {
    let swap = if tied & (b < a) { a ^ b } else { 0 };
    (a ^ swap, b ^ swap)
}

/// The smallest pattern of a minirow, for each kind of place and each set of columns with clues. The first cell is in
/// bit 2.
const PATTERNS: [[u8; 8]; 64] = {
    let mut patterns = [[0; 8]; 64];
    let mut kind = 0;
    while kind < 64 {
        let (first, second, ties) = (kind >> 4, kind >> 2 & 3, kind & 3);
        let mut fill = 0;
        while first < 3 && second < 3 && first != second && fill < 8 {
            let [mut a, mut b, mut c] =
                [fill >> first & 1, fill >> second & 1, fill >> (3 - first - second) & 1];
            let mut round = 0;
            while round < 2 {
                if ties & 1 != 0 && a > b {
                    (a, b) = (b, a);
                }
                if ties & 2 != 0 && b > c {
                    (b, c) = (c, b);
                }
                round += 1;
            }
            patterns[kind][fill] = (a << 2 | b << 1 | c) as u8;
            fill += 1;
        }
        kind += 1;
    }
    patterns
};
