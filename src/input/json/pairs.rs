//! Solutions apart from their puzzles, in a list of their own: `{"puzzles": [...], "solutions": [...]}`.
//!
//! The two must be members of one object, be the only such there, and be of the same length; then the solution at the
//! same place, or of the same key, is what a puzzle claims. They are kept, so only an input is read like this that was
//! seen whole.

use std::collections::HashMap;

use super::record::claim_of;
use super::scan::{Edge, Text};
use super::{Next, Rules, next, place_within, value};
use crate::input::batch::{Cursor, TextEnd};
use crate::record::{Fault, Place};
use crate::sudoku::Grid;

/// The solutions, by the paths of their puzzles.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    solutions: HashMap<String, Solution>,
    /// Whether there are solutions apart from puzzles that are of none.
    pub has_others: bool,
}

/// A solution and where it stands: its line, and the bytes before it there.
#[derive(Debug)]
pub(super) struct Solution {
    pub text: Vec<u8>,
    line: u64,
    before: u64,
}

/// What is in one object: the paths of the puzzles in one of its members, and the solutions in another.
#[derive(Default)]
struct Members {
    puzzles: Values<String>,
    solutions: Values<Solution>,
}

/// The values of one member by their keys or places.
struct Values<T> {
    name: Option<String>,
    values: Vec<(String, T)>,
    /// Whether another member has some, too.
    is_one_of_several: bool,
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self { name: None, values: Vec::new(), is_one_of_several: false }
    }
}

impl<T> Values<T> {
    fn add(&mut self, name: String, key: String, value: T) {
        self.is_one_of_several |= self.name.as_ref().is_some_and(|other| *other != name);
        self.name = Some(name);
        self.values.push((key, value));
    }
}

impl Pairs {
    /// Finds those of a whole input.
    pub fn of(bytes: &[u8], rules: &Rules) -> Self {
        let mut objects: HashMap<String, Members> = HashMap::new();
        let (mut cursor, mut line, mut at) = (Cursor::START, 1, 0);
        let mut found = 0;
        loop {
            let (before, rest) = (cursor, &bytes[at..]);
            let Some(next) = next(&mut cursor, rest, TextEnd::Last, rules) else { break };
            let length = next.length();
            let place = || before.nesting.in_member();
            match &next {
                Next::Record(record) if record.claim.is_none() => {
                    if let Some([object, name, key]) = place() {
                        let mut path = String::new();
                        before.nesting.write(&mut path);
                        objects.entry(object).or_default().puzzles.add(name, key, path);
                    }
                }
                Next::Solution(record) if record.puzzle.start == 0 => {
                    found += 1;
                    if let Some([object, name, key]) = place() {
                        let text = rest[..length].to_vec();
                        let solution = Solution { text, line, before: before.column };
                        objects.entry(object).or_default().solutions.add(name, key, solution);
                    }
                }
                _ => {}
            }
            line += cursor.pass(&rest[..length]);
            at += length;
        }
        let mut pairs = Self::default();
        for Members { puzzles, solutions } in objects.into_values() {
            let is_pair = !puzzles.is_one_of_several && !solutions.is_one_of_several;
            if !is_pair || puzzles.values.len() != solutions.values.len() {
                continue;
            }
            let mut by_key: HashMap<_, _> = solutions.values.into_iter().collect();
            for (key, path) in puzzles.values {
                pairs.solutions.extend(by_key.remove(&key).map(|solution| (path, solution)));
            }
        }
        pairs.has_others = found > pairs.solutions.len();
        pairs
    }

    /// What the puzzle at a path claims.
    pub fn claim(&self, path: &str) -> Option<&Solution> {
        self.solutions.get(path)
    }

    pub fn is_empty(&self) -> bool {
        self.solutions.is_empty()
    }
}

impl Solution {
    /// The grid, or what is wrong with it.
    pub fn read(&self) -> Result<Grid, Fault> {
        let text = Text { bytes: &self.text, edge: Edge::Last };
        let fault =
            |(at, fault): (usize, Fault)| fault.at(place_within(self.line, self.before, &self.text, at));
        value::look(&text, 0).map_or(Ok(Grid::EMPTY), |value| claim_of(&text, &value).map_err(fault))
    }

    /// Where a cell stands.
    pub fn place(&self, cell: usize) -> Place {
        let text = Text { bytes: &self.text, edge: Edge::Last };
        let at = value::places(&text, 0).map_or(0, |places| places[cell]);
        place_within(self.line, self.before, &self.text, at)
    }
}
