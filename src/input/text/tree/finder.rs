//! Finds the puzzles in a value, working from the inside out.
//!
//! An object with a single puzzle of its own is a record with everything in it. Otherwise each puzzle is a record
//! together with its claim. Keys say which values are puzzles or claims; if a value has no such key, the nearest
//! enclosing one applies. A claim belongs to the puzzle before it in the same list, object or element. If an object or
//! tag has one puzzle, the order does not matter. If no key says what a grid is, a claim is a complete grid that comes
//! right after a puzzle and has all its clues.

use std::collections::HashMap;
use std::ops::Range;

use super::node::{Node, Value, Wrong, is_other_order};
use super::syntax::Text;
use crate::input::reader::Which;
use crate::input::text::units::is_solution;
use crate::input::{ReadOptions, names};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{Grid, digit_of};

/// The meaning that a key gives to its value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meaning {
    /// Whether the value is a claim (true) or a puzzle (false); `None` if the key says neither.
    pub is_claim: Option<bool>,
    /// Whether the key says that a list of nine consists of columns or boxes instead of rows.
    is_refused: bool,
    /// Whether the value says who wrote a chat message.
    pub is_role: bool,
}

/// Returns the meaning of a key: as the options say if they name it, or else by the words in it.
fn meaning(options: &ReadOptions, key: &[u8]) -> Meaning {
    let is_refused = is_other_order(key);
    let key = String::from_utf8_lossy(key);
    let is = |name: &Option<String>| name.as_ref().map(|name| names::folded(name) == names::folded(&key));
    let which = match (is(&options.puzzle_column), is(&options.solution_column)) {
        (Some(true), _) => Some(Which::Puzzle),
        (_, Some(true)) => Some(Which::Claim),
        (said_puzzle, said_claim) => names::meaning(&key).filter(|which| match which {
            Which::Puzzle => said_puzzle.is_none(),
            Which::Claim => said_claim.is_none(),
        }),
    };
    let is_role = matches!(&*names::folded(&key), "role" | "from");
    Meaning { is_claim: which.map(|which| which == Which::Claim), is_refused, is_role }
}

/// The rank of a value as the puzzle of an object, which depends on its key; only values with the best rank count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Named,
    Plain,
    /// The key says that the value consists of columns or boxes.
    OtherOrder,
    /// The value should be a puzzle but is not.
    NoGrid,
}

/// A value that is a grid or should be one.
#[derive(Debug)]
pub(super) struct Held<'n> {
    pub node: &'n Node<'n>,
    /// The place of the member that contains the value, within the list, object or element.
    range: Range<usize>,
    /// The grid, or the fault and its byte offset.
    pub grid: Result<Grid, Wrong>,
    is_claim: bool,
    rank: Rank,
}

impl Held<'_> {
    /// Returns whether the value's own key says what the value is.
    pub fn is_named(&self) -> bool {
        self.rank == Rank::Named
    }

    /// Returns whether the grid is complete and has all the clues of `puzzle`, which must be incomplete.
    fn solves(&self, puzzle: &Self) -> bool {
        let (Ok(solution), Ok(puzzle)) = (&self.grid, &puzzle.grid) else { return false };
        puzzle.cells().contains(&0) && is_solution(puzzle.cells(), solution.cells())
    }
}

/// A record.
#[derive(Debug)]
pub(super) struct Found<'n> {
    /// The place of the record's text.
    pub range: Range<usize>,
    pub puzzle: Held<'n>,
    pub claim: Option<Held<'n>>,
}

impl<'n> Found<'n> {
    /// Makes a record from a single value.
    fn alone(value: Held<'n>) -> Self {
        Self { range: value.range.clone(), puzzle: value, claim: None }
    }
}

/// Makes a value that should be a grid but is not.
fn no_puzzle<'n>(node: &'n Node<'n>, wrong: Wrong) -> Held<'n> {
    Held { node, range: node.range.clone(), grid: Err(wrong), is_claim: false, rank: Rank::NoGrid }
}

/// The meanings of all keys seen so far.
pub(super) struct Meanings<'a> {
    options: &'a ReadOptions,
    known: HashMap<Vec<u8>, Meaning>,
}

impl<'a> Meanings<'a> {
    pub fn new(options: &'a ReadOptions) -> Self {
        Self { options, known: HashMap::new() }
    }

    /// Returns the meaning of a key, given as it is written.
    pub fn of(&mut self, text: &Text<'_>, key: Option<&Range<usize>>) -> Meaning {
        let Some(key) = key else { return Meaning::default() };
        let written = &text.bytes()[key.clone()];
        if let Some(known) = self.known.get(written) {
            return *known;
        }
        let meaning = meaning(self.options, &text.key(key));
        self.known.insert(written.to_vec(), meaning);
        meaning
    }
}

/// A search for the puzzles in a value.
pub(super) struct Finder<'m, 'a, 'n> {
    text: &'n Text<'n>,
    meanings: &'m mut Meanings<'a>,
    /// Whether the current value is inside a list.
    is_in_list: bool,
    /// The records so far, in order.
    pub found: Vec<Found<'n>>,
    /// The starts of solutions that have no puzzle.
    pub passed: Vec<usize>,
}

impl<'m, 'a, 'n> Finder<'m, 'a, 'n> {
    /// Finds the records in a value. `are_claims` says whether the keys around the value mark its grids as claims
    /// (true) or puzzles (false).
    pub fn find(
        text: &'n Text<'n>,
        meanings: &'m mut Meanings<'a>,
        node: &'n Node<'n>,
        are_claims: Option<bool>,
        is_in_list: bool,
    ) -> Self {
        let mut finder = Self { text, meanings, is_in_list, found: Vec::new(), passed: Vec::new() };
        match finder.value(node, are_claims) {
            Some(held) if held.is_claim && !finder.meanings.options.answers => {
                finder.passed.push(held.node.range.start);
            }
            Some(held) => finder.found.push(Found { range: node.range.clone(), ..Found::alone(held) }),
            None => {}
        }
        finder.found.sort_by_key(|found| found.range.start);
        finder.passed.sort_unstable();
        finder
    }

    /// Finds the records in a value. If the value itself is a grid, or contains just one claim, returns that instead.
    fn value(&mut self, node: &'n Node<'n>, around: Option<bool>) -> Option<Held<'n>> {
        let own = self.meanings.of(self.text, node.key.as_ref());
        let are_claims = own.is_claim.or(around);
        let is_looked_at = are_claims.is_some() || self.meanings.options.puzzle_column.is_none();
        let Some(mut grid) = node.grid(self.text.bytes()).filter(|_| is_looked_at) else {
            return self.inside(node, are_claims);
        };
        let rank = match own {
            Meaning { is_refused: true, .. } if !matches!(node.value, Value::Text(..)) => Rank::OtherOrder,
            Meaning { is_claim: Some(_), .. } => Rank::Named,
            _ => Rank::Plain,
        };
        if rank == Rank::OtherOrder && grid.is_ok() {
            let fault = Fault::new(FaultKind::GridOrder, None).text("columns or boxes");
            grid = Err((node.range.start, fault));
        }
        Some(Held { node, range: node.range.clone(), grid, is_claim: are_claims == Some(true), rank })
    }

    /// Finds the records in a list or object; if a claim is all there is, the claim is returned.
    fn inside(&mut self, node: &'n Node<'n>, are_claims: Option<bool>) -> Option<Held<'n>> {
        let is_object = matches!(node.value, Value::Object(_));
        let are_claims = if self.answers(node) == Some(true) { Some(true) } else { are_claims };
        let was_in_list = self.is_in_list;
        self.is_in_list |= !is_object;
        let (before, mut own, mut gaps) = (self.found.len(), Vec::new(), Vec::new());
        let (mut last, mut previous) = (before, None);
        for child in node.children() {
            let count = self.found.len();
            let held = self.value(child, are_claims);
            let is_none = held.is_none() && self.found.len() == count;
            let held = match held {
                None if is_none && is_object => self.no_grid(child),
                None if is_none => {
                    gaps.extend(self.gap(child).map(|wrong| no_puzzle(child, wrong)));
                    None
                }
                held => held,
            };
            let held = held.map(|held| Held { range: child.range.clone(), ..held });
            // In a list, a claim may follow the value that contains its puzzle.
            let held = match (held, previous) {
                (Some(held), Some(previous)) if !is_object => {
                    self.claim_of(last..count, previous..child.range.end, held)
                }
                (held, _) => held,
            };
            own.extend(held);
            (last, previous) = (count, Some(child.range.start));
        }
        self.is_in_list = was_in_list;
        // If an object itself is broken, its own grids are dropped.
        if is_object && !node.is_whole {
            return None;
        }
        // An answer that is missing under one key may be present under another.
        if is_object && (own.len() > 1 || self.found.len() > before) {
            own.retain(|held| !(held.is_claim && held.rank == Rank::NoGrid));
        }
        // Among solutions, a list or object contains a puzzle only if it also contains a claim of its own.
        if are_claims == Some(true) && !own.iter().any(|held| held.is_claim && held.is_named()) {
            own.iter_mut().for_each(|held| held.is_claim = true);
        }
        let (pairs, mut alone) = paired(own, is_object);
        // A value in a list that contains exactly one answer stands for that answer.
        let count = self.found.len() - before + pairs.len() + alone.len();
        if count <= usize::from(self.is_in_list) || pairs.iter().any(|(_, claim)| claim.is_some()) {
            gaps.clear();
        }
        if pairs.is_empty() && alone.len() == 1 && gaps.is_empty() {
            let claim = alone.pop()?;
            // In an object, the claim may stand beside the value that contains the puzzle.
            return match is_object {
                true => self.claim_of(before..self.found.len(), node.range.clone(), claim),
                false => Some(claim),
            };
        }
        if pairs.is_empty() && self.meanings.options.answers {
            self.found.extend(alone.into_iter().map(Found::alone));
        } else {
            self.passed.extend(alone.iter().map(|claim| claim.node.range.start));
        }
        self.found.extend(gaps.into_iter().map(Found::alone));
        let is_only_one = is_object && pairs.len() == 1;
        for (puzzle, claim) in pairs {
            let is_parent = self.found.len() > before;
            let mut range = puzzle.node.range.clone();
            if is_only_one && (puzzle.is_named() || claim.is_some() || !is_parent) {
                range = node.range.clone();
            } else if let Some(claim) = &claim {
                // The record begins at the key of its puzzle.
                let key = puzzle.node.key.as_ref().filter(|_| is_object);
                range.start = key.map_or(range.start, |key| key.start - 1);
                range.end = range.end.max(claim.range.end);
            } else if puzzle.rank == Rank::NoGrid && is_parent {
                continue;
            }
            // Anything found inside a record is part of it.
            let is_apart =
                |found: &Found<'_>| found.range.end <= range.start || found.range.start >= range.end;
            let mut at = 0;
            self.found.retain(|found| {
                at += 1;
                at <= before || is_apart(found)
            });
            self.found.push(Found { range, puzzle, claim });
        }
        None
    }

    /// Gives a claim to the only record among `found`, and extends the record's text to cover both. If that is not
    /// possible, returns the claim. It is never possible in XML, where a claim is in the same element as its puzzle.
    fn claim_of(&mut self, found: Range<usize>, text: Range<usize>, held: Held<'n>) -> Option<Held<'n>> {
        let is_json = matches!(self.text, Text::Json(_));
        match &mut self.found[found] {
            [Found { range, puzzle, claim: claim @ None }]
                if is_json && held.is_claim && puzzle.rank != Rank::NoGrid =>
            {
                (*range, *claim) = (text, Some(held));
                None
            }
            _ => Some(held),
        }
    }

    /// Returns whether a chat message is an answer; `None` if that is unknown, or if another key in the message has a
    /// meaning.
    fn answers(&mut self, node: &Node<'_>) -> Option<bool> {
        let Value::Object(members) = &node.value else { return None };
        let mut answers = None;
        for member in members {
            let meaning = self.meanings.of(self.text, member.key.as_ref());
            if meaning.is_claim.is_some() {
                return None;
            }
            if let Value::Text(_, role) = &member.value
                && meaning.is_role
            {
                // These are the names that chat files use.
                answers = match &*names::folded(&String::from_utf8_lossy(role)) {
                    "assistant" | "ai" | "gpt" | "chatgpt" | "model" | "bot" | "answer" => Some(true),
                    "user" | "human" | "system" => Some(false),
                    _ => answers,
                };
            }
        }
        answers
    }

    /// Returns the fault of a list element that has no answer, to be reported if other elements have one. A question in
    /// a chat does not need an answer.
    pub fn gap(&mut self, node: &Node<'_>) -> Option<Wrong> {
        let is_gap = self.meanings.options.answers
            && matches!(self.text, Text::Json(_))
            && self.answers(node) != Some(false);
        is_gap.then(|| (node.range.start, Fault::new(FaultKind::NoPuzzle, None).text("value")))
    }

    /// Reports a member whose key says that it is a puzzle or claim although it is not.
    fn no_grid(&mut self, node: &'n Node<'n>) -> Option<Held<'n>> {
        let is_claim = self.meanings.of(self.text, node.key.as_ref()).is_claim?;
        let (fault, at, rank) = match &node.value {
            // Words in place of a solution say that there is none.
            Value::Text(start, cells)
                if is_claim
                    && !cells.trim_ascii().is_empty()
                    && !cells.iter().any(u8::is_ascii_alphabetic) =>
            {
                let count = cells.iter().filter(|&&byte| digit_of(byte).is_some()).count();
                (Fault::new(FaultKind::CellCount, None).number(count), start + cells.len(), Rank::Named)
            }
            Value::Object(_) => return None,
            _ if is_claim && self.meanings.options.answers => {
                (Fault::new(FaultKind::NoPuzzle, None).text("value"), node.range.start, Rank::NoGrid)
            }
            _ if is_claim || node.range.len() <= 2 => return None,
            _ => (Fault::new(FaultKind::NoPuzzle, None).text("object"), node.range.start, Rank::NoGrid),
        };
        Some(Held { node, range: node.range.clone(), grid: Err((at, fault)), is_claim, rank })
    }
}

/// Puzzles with their claims, and claims that have no puzzle.
type Pairs<'n> = (Vec<(Held<'n>, Option<Held<'n>>)>, Vec<Held<'n>>);

/// Matches each puzzle in a list or object with the grid claimed as its solution.
fn paired(mut own: Vec<Held<'_>>, is_object: bool) -> Pairs<'_> {
    if is_object {
        let best = own.iter().filter(|held| !held.is_claim).map(|held| held.rank).min();
        own.retain(|held| held.is_claim || Some(held.rank) == best);
        // The same puzzle may occur in two forms, or be missing under two keys.
        let puzzles = own.iter().filter(|held| !held.is_claim);
        let is_once = best == Some(Rank::NoGrid)
            || best == Some(Rank::Named)
                && puzzles.clone().zip(puzzles.skip(1)).all(|(one, other)| one.grid == other.grid);
        let mut count = 0;
        own.retain(|held| {
            count += usize::from(!held.is_claim);
            held.is_claim || !is_once || count == 1
        });
    }
    let (mut pairs, mut alone): Pairs<'_> = (Vec::new(), Vec::new());
    for held in own {
        match pairs.last_mut() {
            Some((_, claim @ None)) if held.is_claim => *claim = Some(held),
            Some((puzzle, claim @ None)) if !puzzle.is_named() && !held.is_named() && held.solves(puzzle) => {
                *claim = Some(held);
            }
            _ if held.is_claim => alone.push(held),
            _ => pairs.push((held, None)),
        }
    }
    // The members of an object or tag have no order.
    if let [(puzzle, claim @ None)] = &mut pairs[..]
        && let Some(at) = alone.iter().position(|claim| is_object || claim.range == puzzle.range)
    {
        *claim = Some(alone.remove(at));
    }
    (pairs, alone)
}
