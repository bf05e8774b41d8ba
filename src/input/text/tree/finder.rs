//! The puzzles of a value of JSON that is known to be valid, found from the inside out.
//!
//! An object with one puzzle of its own is a record, with all that is in it, and so is a list of a puzzle and its
//! solution. Each of several puzzles in one value is a record of its own. Keys say what is a puzzle and what a claim; of
//! what has no such key, the nearest key around it that says so.

use std::ops::Range;

use super::lexer::{Element, Quoted, elements, is_valid, skip_space, string};
use super::value::{HALF, HALF_ROW, Kind, MOST, Value};
use crate::input::reader::Which;
use crate::input::text::notation::Miss;
use crate::input::{ReadOptions, names};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, digit_of};

/// Members of an object whose keys are remembered.
const KNOWN: usize = 16;

/// What keys hold, as far as that was said.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    pub puzzle: Option<String>,
    pub solution: Option<String>,
}

/// What a key says of its value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meaning {
    /// Whether it is a claim, or else a puzzle, if it says so.
    pub is_claim: Option<bool>,
    /// Whether it says that a list of nine has no rows but columns or boxes.
    is_refused: bool,
}

impl Rules {
    /// Those of a run.
    pub fn of(options: &ReadOptions) -> Self {
        Self { puzzle: options.puzzle_column.clone(), solution: options.solution_column.clone() }
    }

    pub fn meaning(&self, key: &[u8]) -> Meaning {
        let key = String::from_utf8_lossy(key);
        let is = |name: &Option<String>| name.as_ref().map(|name| names::folded(name) == names::folded(&key));
        let which = match (is(&self.puzzle), is(&self.solution)) {
            (Some(true), _) => Some(Which::Puzzle),
            (_, Some(true)) => Some(Which::Claim),
            (said_puzzle, said_claim) => names::meaning(&key).filter(|which| match which {
                Which::Puzzle => said_puzzle.is_none(),
                Which::Claim => said_claim.is_none(),
            }),
        };
        let is_refused = ["columns", "boxes"].iter().any(|order| key.eq_ignore_ascii_case(order));
        Meaning { is_claim: which.map(|which| which == Which::Claim), is_refused }
    }
}

/// One step of a path: a key, or else the number of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub key: Option<(usize, usize)>,
    pub index: u64,
}

/// A value that is a grid, or a damaged one.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub range: Range<usize>,
    kind: Kind,
    /// The grid; else what is wrong, and at which byte.
    pub grid: Result<Grid, (usize, Fault)>,
    is_claim: bool,
    /// Whether its own key says what it is.
    pub is_named: bool,
    /// Whether its key says that it has columns or boxes.
    is_refused: bool,
    /// Its place in what is around it, unless that is not part of the value.
    pub step: Option<Step>,
}

impl Held {
    /// The value in the text.
    pub fn value<'a>(&self, text: &'a [u8]) -> Value<'a> {
        Value { bytes: &text[self.range.clone()], kind: self.kind }
    }

    /// Whether it is complete and has all clues of a puzzle that is not.
    fn solves(&self, puzzle: &Self) -> bool {
        let (Ok(solution), Ok(puzzle)) = (&self.grid, &puzzle.grid) else { return false };
        let mut cells = solution.cells().iter().zip(puzzle.cells());
        puzzle.cells().contains(&0) && cells.all(|(&digit, &clue)| digit != 0 && (clue == 0 || clue == digit))
    }
}

/// A record.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Its text.
    pub range: Range<usize>,
    pub puzzle: Held,
    pub claim: Option<Held>,
    /// The way to it in the value.
    pub path: Vec<Step>,
}

impl Found {
    /// Whether it is a value by itself, and not the object or list around it.
    pub fn is_value(&self) -> bool {
        self.range == self.puzzle.range
    }
}

/// Finds the puzzles of values.
#[derive(Debug)]
pub(super) struct Finder<'a> {
    bytes: &'a [u8],
    rules: &'a Rules,
    /// The way to the value at hand.
    path: Vec<Step>,
    /// What was found.
    pub found: Vec<Found>,
    /// Where solutions begin that have no puzzle.
    pub passed: Vec<usize>,
    /// How many solutions have none.
    alone: usize,
    /// The meanings of the last keys, by the number of the member.
    known: [(&'a [u8], Meaning); KNOWN],
}

impl<'a> Finder<'a> {
    pub fn new(bytes: &'a [u8], rules: &'a Rules) -> Self {
        let known = <[(&[u8], Meaning); KNOWN]>::default();
        Self { bytes, rules, path: Vec::new(), found: Vec::new(), passed: Vec::new(), alone: 0, known }
    }

    /// The one record that the text of a record is.
    pub fn of_record(bytes: &'a [u8], rules: &'a Rules) -> Option<Found> {
        let mut finder = Self::new(bytes, rules);
        let start = skip_space(bytes, 0);
        let key = string(bytes, start).ok();
        let behind = key.map(|key| skip_space(bytes, key.end + 1));
        match (key, behind.filter(|&colon| bytes.get(colon) == Some(&b':'))) {
            (Some(key), Some(colon)) => {
                let value = skip_space(bytes, colon + 1)..bytes.len();
                if is_valid(&bytes[value.clone()]) {
                    finder.unit(&Element { key: Some(key), value }, Some(false));
                }
            }
            _ if is_valid(bytes) => finder.line(start, Some(false)),
            _ => {}
        }
        finder.only_one().ok()
    }

    /// Finds what is in a line, or another text that is one value.
    pub fn line(&mut self, start: usize, are_claims: Option<bool>) {
        let end = self.bytes.trim_ascii_end().len();
        self.unit(&Element { key: None, value: start..end }, are_claims);
    }

    /// The one record that was found, or how many there are. If keys call just one of several a puzzle, that is it.
    pub fn only_one(&mut self) -> Result<Found, usize> {
        let count = self.found.len();
        let mut named = (0..count).filter(|&at| self.found[at].puzzle.is_named);
        match (count, named.next(), named.next()) {
            (1, ..) => self.found.pop().ok_or(0),
            (_, Some(named), None) => Ok(self.found.swap_remove(named)),
            _ => Err(count),
        }
    }

    /// Finds what is in a value around which values are claims, or puzzles, if that was said.
    pub fn unit(&mut self, unit: &Element, are_claims: Option<bool>) {
        if self.puzzle_as_key(unit) {
            return;
        }
        let meaning = unit.key.map(|key| self.rules.meaning(&key.text(self.bytes))).unwrap_or_default();
        let alone = self.alone;
        if let Some(held) = self.value(unit.value.clone(), meaning, are_claims) {
            self.give(held);
        }
        if self.alone > alone && meaning.is_claim == Some(true) {
            self.passed.push(unit.value.start);
        }
    }

    /// Finds what is in a value, unless it is a grid itself.
    fn value(&mut self, value: Range<usize>, own: Meaning, around: Option<bool>) -> Option<Held> {
        let are_claims = own.is_claim.or(around);
        match self.bytes[value.start] {
            b'"' if value.len() >= HALF + 2 => {
                let is_escaped = memchr::memchr(b'\\', &self.bytes[value.clone()]).is_some();
                self.held(value, Kind::Text { is_escaped }, own, are_claims)
            }
            b'[' => {
                if let Some(kind) = self.kind(value.start) {
                    return self.held(value, kind, own, are_claims);
                }
                let mut claims = elements(self.bytes, value.start);
                if own.is_claim == Some(true)
                    && let (Some(only), None) = (claims.next(), claims.next())
                {
                    return self.value(only.value, own, around);
                }
                self.list(value, are_claims);
                None
            }
            b'{' => {
                self.object(value, are_claims);
                None
            }
            _ => None,
        }
    }

    /// A value that has the shape of a grid, if it is one or a damaged one.
    fn held(&self, range: Range<usize>, kind: Kind, own: Meaning, are_claims: Option<bool>) -> Option<Held> {
        if are_claims.is_none() && self.rules.puzzle.is_some() {
            return None;
        }
        let grid = match (Value { bytes: &self.bytes[range.clone()], kind }).grid() {
            Ok(_) if own.is_refused && kind == Kind::Rows => {
                Err((range.start, Fault::new(FaultKind::GridOrder, None).text("columns or boxes")))
            }
            Ok(grid) => Ok(grid),
            Err(Miss::Bad { fault, at }) => Err((range.start + at, fault)),
            Err(Miss::Other) => return None,
        };
        let is_named = own.is_claim.is_some();
        let (is_claim, step) = (are_claims == Some(true), self.path.last().copied());
        Some(Held { range, kind, grid, is_claim, is_named, is_refused: own.is_refused, step })
    }

    /// How the list that begins there may hold cells.
    fn kind(&self, start: usize) -> Option<Kind> {
        let (mut cells, mut rows) = (0, 0);
        for Element { value, .. } in elements(self.bytes, start) {
            match (self.bytes[value.start], value.len()) {
                (b'{', _) => return None,
                (b'[', _) if !self.is_row(value.start) => return None,
                (b'[', _) => rows += 1,
                (b'"', length) if length >= HALF + 2 => return None,
                (b'"', length) if length >= HALF_ROW + 2 => rows += 1,
                _ => cells += 1,
            }
        }
        match (rows, cells) {
            (0, HALF..=MOST) => Some(Kind::Cells),
            (HALF_ROW.., _) => Some(Kind::Rows),
            _ => None,
        }
    }

    /// Whether the list that begins there may be a row: some values of which each may be a cell.
    fn is_row(&self, start: usize) -> bool {
        let is_cell = |value: &Range<usize>| match self.bytes[value.start] {
            b'{' | b'[' => false,
            b'"' => value.len() < HALF_ROW + 2,
            _ => true,
        };
        let mut count = 0;
        elements(self.bytes, start).all(|element| {
            count += 1;
            count < HALF && is_cell(&element.value)
        })
    }

    /// Finds what is in a list.
    fn list(&mut self, list: Range<usize>, are_claims: Option<bool>) {
        let (first, mut own) = (self.found.len(), Vec::new());
        for (index, element) in (0..).zip(elements(self.bytes, list.start)) {
            self.path.push(Step { key: None, index });
            own.extend(self.value(element.value, Meaning::default(), are_claims));
            self.path.pop();
        }
        if let [puzzle, solution] = &own[..]
            && !puzzle.is_claim
            && solution.solves(puzzle)
        {
            let (claim, puzzle) = (own.pop(), own.swap_remove(0));
            self.found.push(Found { range: list, puzzle, claim, path: self.path.clone() });
        }
        for held in own {
            self.give(held);
        }
        self.found[first..].sort_by_key(|found| found.range.start);
    }

    /// Finds what is in an object.
    fn object(&mut self, object: Range<usize>, are_claims: Option<bool>) {
        let (first, mut own, mut no_puzzle) = (self.found.len(), Vec::new(), None);
        for (index, member) in (0..).zip(elements(self.bytes, object.start)) {
            let Some(key) = member.key else { return };
            self.path.push(Step { key: Some((key.start, key.end)), index });
            let (before, alone, at) = (self.found.len(), self.alone, member.value.start);
            if !self.puzzle_as_key(&member) {
                let meaning = self.meaning(index, key);
                let held = self.value(member.value.clone(), meaning, are_claims);
                let is_none = held.is_none() && self.found.len() == before;
                match meaning.is_claim {
                    Some(true) if self.alone > alone => self.passed.push(at),
                    Some(true) if is_none => own.extend(self.bad_claim(member.value)),
                    Some(false) if is_none && self.bytes[at] != b'{' && member.value.len() > 2 => {
                        no_puzzle = no_puzzle.or(Some(at));
                    }
                    _ => {}
                }
                own.extend(held);
            }
            self.path.pop();
        }
        self.settle(object, own, first, are_claims, no_puzzle);
        self.found[first..].sort_by_key(|found| found.range.start);
    }

    /// Decides what an object is that has these values of its own, and in which others were found from the `first` on.
    fn settle(
        &mut self,
        object: Range<usize>,
        own: Vec<Held>,
        first: usize,
        are_claims: Option<bool>,
        no_puzzle: Option<usize>,
    ) {
        let (claims, mut puzzles): (Vec<_>, Vec<_>) = own.into_iter().partition(|held| held.is_claim);
        let has_claims = !claims.is_empty();
        let mut claim = claims.into_iter().find(|claim| claim.is_named);
        // Among solutions an object is a record only if it has a claim of its own.
        if are_claims == Some(true) && claim.is_none() {
            self.alone += usize::from(has_claims || !puzzles.is_empty());
            return;
        }
        // What keys call a puzzle counts before what they say nothing of, and rows before columns.
        for counts in [|held: &Held| held.is_named, |held: &Held| !held.is_refused] {
            if puzzles.iter().any(counts) {
                puzzles.retain(counts);
            }
        }
        if puzzles.iter().all(|held| held.is_named && held.grid == puzzles[0].grid) {
            puzzles.truncate(1);
        }
        if let [puzzle, solution] = &puzzles[..]
            && claim.is_none()
            && !puzzle.is_named
            && solution.solves(puzzle)
        {
            claim = puzzles.pop();
        }
        let is_parent = self.found.len() > first;
        match &puzzles[..] {
            [puzzle] if puzzle.is_named || claim.is_some() || !is_parent => {
                self.found.truncate(first);
                let path = self.path.clone();
                self.found.extend(puzzles.pop().map(|puzzle| Found { range: object, puzzle, claim, path }));
            }
            [] if has_claims => self.passed.push(object.start),
            [] => {
                if let Some(at) = no_puzzle.filter(|_| !is_parent) {
                    let fault = Fault::new(FaultKind::NoPuzzle, None).text("object");
                    let puzzle = faulty(object.clone(), at, fault);
                    self.found.push(Found { range: object, puzzle, claim: None, path: self.path.clone() });
                }
            }
            _ => {
                for held in puzzles {
                    self.give(held);
                }
            }
        }
    }

    /// A text under a key of claims that is none, but should be one.
    fn bad_claim(&self, value: Range<usize>) -> Option<Held> {
        let is_escaped = memchr::memchr(b'\\', &self.bytes[value.clone()]).is_some();
        let kind = Kind::Text { is_escaped };
        let text = Some(&self.bytes[value.clone()]).filter(|text| text[0] == b'"')?;
        let text = Value { bytes: text, kind }.text();
        // Words instead of a solution say that there is none.
        if text.trim_ascii().is_empty() || text.iter().any(u8::is_ascii_alphabetic) {
            return None;
        }
        let cells = text.iter().filter(|&&byte| digit_of(byte).is_some()).count();
        let fault = Fault::new(FaultKind::CellCount, None).number(cells);
        let held = faulty(value.clone(), value.end - 1, fault);
        Some(Held { kind, is_claim: true, is_named: true, ..held })
    }

    /// Finds a puzzle that is a key, the value of which may be its solution.
    fn puzzle_as_key(&mut self, member: &Element) -> bool {
        let Some(key) = member.key.filter(|key| key.end - key.start >= CELLS) else { return false };
        let Some(puzzle) = self
            .value(key.start - 1..key.end + 1, Meaning::default(), Some(false))
            .filter(|key| key.grid.is_ok())
        else {
            return false;
        };
        let claim = self.value(member.value.clone(), Meaning::default(), Some(true));
        let range = puzzle.range.start..member.value.end;
        self.found.push(Found { range, puzzle, claim, path: self.path.clone() });
        true
    }

    /// What a key says; most keys are those of the object before.
    fn meaning(&mut self, index: u64, key: Quoted) -> Meaning {
        let known = &mut self.known[usize::try_from(index % KNOWN as u64).unwrap_or_default()];
        let written = key.of(self.bytes);
        if known.0 != written {
            *known = (written, self.rules.meaning(&key.text(self.bytes)));
        }
        known.1
    }

    /// A grid is a record by itself, unless it is a claim.
    fn give(&mut self, held: Held) {
        if held.is_claim {
            self.alone += 1;
            return;
        }
        let mut path = self.path.clone();
        // What is held here was held by what is open around it, or is the unit itself.
        path.extend(held.step);
        self.found.push(Found { range: held.range.clone(), puzzle: held, claim: None, path });
    }
}

/// What is no puzzle, and why.
fn faulty(range: Range<usize>, at: usize, fault: Fault) -> Held {
    Held {
        range,
        kind: Kind::Cells,
        grid: Err((at, fault)),
        is_claim: false,
        is_named: false,
        is_refused: false,
        step: None,
    }
}
