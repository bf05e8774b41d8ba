//! Implications of all candidates at once. Each candidate has a row of bits for the sources that lead to it.

use super::links::{Candidate, Candidates, Links};
use super::state::State;

/// Lists of numbers, one list per candidate.
#[derive(Default)]
pub(super) struct Lists {
    items: Vec<u16>,
    ends: Vec<u16>,
}

impl Lists {
    pub(super) fn of(&self, number: usize) -> &[u16] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.items[start.into()..self.ends[number].into()]
    }

    fn push(&mut self, list: impl Iterator<Item = u16>) {
        self.items.extend(list);
        self.ends.push(self.items.len() as u16);
    }
}

/// The candidates of a state, numbered by cell, and the implications of each, in Sudoku Explainer's order.
pub(super) struct Web {
    pub(super) names: Vec<Candidate>,
    /// For each candidate, those that it makes false if it is true, limited to those that then make some candidate
    /// true.
    pub(super) makes_false: Lists,
    /// For each candidate, those that it makes true if it is false.
    pub(super) makes_true: Lists,
}

impl Web {
    pub(super) fn new(state: &State, in_houses: bool, in_cells: bool) -> Self {
        let links = Links::new(state, in_houses, in_cells);
        let names: Vec<Candidate> = links.all().collect();
        let mut numbers = [0; 729];
        let mut linked = Candidates::default();
        let (mut makes_false, mut makes_true) = (Lists::default(), Lists::default());
        for (number, &name) in names.iter().enumerate() {
            numbers[name] = number as u16;
        }
        for &name in &names {
            makes_true.push(links.made_true(name).map(|(name, _)| numbers[name]));
            if !makes_true.of(makes_true.ends.len() - 1).is_empty() {
                linked.insert(name);
            }
        }
        for &name in &names {
            makes_false.push(links.made_false(name, &linked).map(|name| numbers[name]));
        }
        Self { names, makes_false, makes_true }
    }
}

/// One row of bits per candidate.
#[derive(Clone)]
pub(super) struct Rows {
    width: usize,
    bits: Vec<u64>,
}

impl Rows {
    fn new(count: usize) -> Self {
        let width = count.div_ceil(64);
        Self { width, bits: vec![0; count * width] }
    }

    fn set(&mut self, row: usize, bit: usize) {
        self.bits[row * self.width + bit / 64] |= 1 << (bit % 64);
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.width..][..self.width]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    /// Returns the first source that occurs in the same row of both sets.
    pub(super) fn first_common(&self, other: &Self) -> Option<usize> {
        let common = |word: usize| {
            let at = (word..self.bits.len()).step_by(self.width);
            at.fold(0, |common, at| common | (self.bits[at] & other.bits[at]))
        };
        (0..self.width)
            .map(|word| (word, common(word)))
            .find(|(_, common)| *common != 0)
            .map(|(word, common)| 64 * word + common.trailing_zeros() as usize)
    }

    /// Returns the sources that are in a row and also in one of the other set's rows that the row's list links to.
    pub(super) fn linked_to(&self, other: &Self, lists: &Lists) -> Vec<usize> {
        let mut sources = vec![0; self.width];
        for at in (0..lists.ends.len()).filter(|&at| self.row(at).iter().any(|&word| word != 0)) {
            for &to in lists.of(at) {
                for ((sources, a), b) in sources.iter_mut().zip(self.row(at)).zip(other.row(to.into())) {
                    *sources |= a & b;
                }
            }
        }
        (0..64 * self.width).filter(|bit| sources[bit / 64] >> (bit % 64) & 1 == 1).collect()
    }
}

/// The spread of implications from all sources at once.
pub(super) struct Spread {
    /// The sources that reach each candidate in exactly the current number of steps, and not earlier.
    pub(super) last: Rows,
    /// Whether the candidates in the last step are true.
    is_true: bool,
    /// The sources that have reached each candidate so far, as false and as true.
    seen: [Rows; 2],
}

impl Spread {
    /// Starts with all candidates true, or all false.
    pub(super) fn new(web: &Web, is_true: bool) -> Self {
        let none = Rows::new(web.names.len());
        let mut last = none.clone();
        for number in 0..web.names.len() {
            last.set(number, number);
        }
        let seen = if is_true { [none, last.clone()] } else { [last.clone(), none] };
        Self { last, is_true, seen }
    }

    /// Advances by one step, and returns the rows of the step before.
    pub(super) fn advance(&mut self, web: &Web) -> Rows {
        let lists = if self.is_true { &web.makes_false } else { &web.makes_true };
        self.is_true = !self.is_true;
        let width = self.last.width;
        let mut next = Rows::new(web.names.len());
        for from in 0..web.names.len() {
            let row = self.last.row(from);
            if row.iter().all(|&word| word == 0) {
                continue;
            }
            for &to in lists.of(from) {
                let start = usize::from(to) * width;
                for (next, word) in next.bits[start..start + width].iter_mut().zip(row) {
                    *next |= word;
                }
            }
        }
        for (next, seen) in next.bits.iter_mut().zip(&mut self.seen[usize::from(self.is_true)].bits) {
            *next &= !*seen;
            *seen |= *next;
        }
        std::mem::replace(&mut self.last, next)
    }
}
