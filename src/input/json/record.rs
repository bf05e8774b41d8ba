//! Which member of an object is the puzzle and which the claimed solution, and what a record of JSON says.

use std::ops::Range;

use super::holds_records;
use super::scan::{Edge, Stop, Text, is_quote, is_space};
use super::value::{self, Kind, Value};
use crate::input::cells::{self, CLAIM, PUZZLE};
use crate::input::chosen::RESULT_NAMES;
use crate::record::{Fault, FaultKind, PuzzleKind};
use crate::sudoku::{CELLS, Grid};

/// Names of the member that is the puzzle, where several look like one; the likeliest first.
const PUZZLE_NAMES: [&str; 16] = [
    "puzzle", "quizzes", "question", "quiz", "unsolved", "sudoku", "problem", "mission", "initial", "start",
    "givens", "board", "grid", "value", "data", "input",
];

/// Of these names those that mean a puzzle even where nothing like one stands there.
const SURE_NAMES: usize = 5;

/// Names of the member that is the solution, the likeliest first; others are those that contain one of the first three.
const SOLUTION_NAMES: [&str; 9] =
    ["solution", "solved", "answer", "solutions", "target", "label", "labels", "output", "completion"];
const SOLUTION_WORDS: usize = 3;

/// Names of what holds the nine boxes of a grid, whose order of cells is not that of rows.
const BOX_NAMES: [&str; 4] = ["boxes", "blocks", "box", "block"];

/// The same where they name the lists of nine themselves.
const NEAR_BOX_NAMES: [&str; 3] = ["regions", "nonets", "squares"];

/// Names of what holds the nine columns of a grid.
const COLUMN_NAMES: [&str; 5] = ["columns", "cols", "column", "col", "transposed"];

/// A record: a value that is 81 cells or should be, or the object or list that holds it with its solution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub end: usize,
    /// Whether the object is closed.
    pub closed: bool,
    pub puzzle: Value,
    pub claim: Option<Value>,
    /// Where the member `kind` of results names a Sudominoku.
    pub case: Option<usize>,
    /// Whether it is a row of this program's own results.
    pub is_result: bool,
    /// Whether another member holds another puzzle, which is not read.
    pub has_others: bool,
    /// Whether the lists of the puzzle are its columns.
    pub by_columns: bool,
}

/// What a value with all that is in it is.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "most of what is found is a record, and no box is made for it")]
pub(super) enum Found {
    Record(Record),
    /// No record, and nothing in it; behind its last byte.
    Nothing(usize),
    /// Something in which records may be, as the bytes before this one show.
    Container(usize),
}

/// What a key says of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Puzzle(usize),
    Solution(usize),
    /// A solution that is no claim, since another key was said.
    Other,
    None,
}

/// What the keys of an input mean.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    /// The key of the puzzles, if it was said: then there are no others.
    pub puzzle: Option<String>,
    /// The key of the claimed solutions, if it was said: then no other is a claim.
    pub solution: Option<String>,
    /// Whether solutions stand alone, and are the puzzles.
    pub solutions_alone: bool,
    /// Whether what their puzzles are is in a form that is not read: each solution stands for a lost puzzle.
    pub puzzles_lost: bool,
}

impl Keys {
    #[inline]
    fn role(&self, key: &[u8]) -> Role {
        if !self.are_said() && !self.solutions_alone {
            return role(key);
        }
        let is = |name: &Option<String>| {
            name.as_ref().is_some_and(|name| key.eq_ignore_ascii_case(name.as_bytes()))
        };
        if is(&self.puzzle) {
            return Role::Puzzle(0);
        }
        if is(&self.solution) {
            return Role::Solution(0);
        }
        match role(key) {
            Role::Puzzle(_) if self.puzzle.is_some() => Role::None,
            Role::Solution(_) if self.solution.is_some() => Role::Other,
            Role::Solution(_) if self.solutions_alone => Role::None,
            role => role,
        }
    }

    /// Whether what a member of this name holds are solutions and no puzzles.
    pub fn holds_solutions(&self, key: &[u8]) -> bool {
        matches!(self.role(key), Role::Solution(_) | Role::Other)
    }

    /// Whether a member of this name is the claimed solution, and not their number.
    pub fn names_claim(&self, key: &[u8]) -> bool {
        matches!(self.role(key), Role::Solution(rank) if rank < SOLUTION_WORDS)
    }

    /// Whether a name was said.
    pub fn are_said(&self) -> bool {
        self.puzzle.is_some() || self.solution.is_some()
    }
}

fn role(key: &[u8]) -> Role {
    /// Bytes that all of these names have at least.
    const SHORTEST: usize = 4;
    // The usual ones.
    if key == SOLUTION_NAMES[0].as_bytes() {
        return Role::Solution(0);
    }
    if key.len() < SHORTEST {
        return Role::None;
    }
    let position = |names: &[&str]| names.iter().position(|name| key.eq_ignore_ascii_case(name.as_bytes()));
    if let Some(rank) = position(&PUZZLE_NAMES) {
        return Role::Puzzle(rank);
    }
    if let Some(rank) = position(&SOLUTION_NAMES) {
        return Role::Solution(rank);
    }
    let named =
        SOLUTION_NAMES[..SOLUTION_WORDS].iter().any(|word| contains(key, word)) && !contains(key, "unsolved");
    if named { Role::Solution(SOLUTION_NAMES.len()) } else { Role::None }
}

fn contains(key: &[u8], word: &str) -> bool {
    key.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether the lists within a place are boxes by the name of one of these.
pub(super) fn are_boxes(is_name: impl Fn(&str) -> bool) -> bool {
    BOX_NAMES.iter().any(|name| is_name(name))
}

/// Whether the lists of nine in a member of this name are boxes.
pub(super) fn are_near_boxes(key: &[u8]) -> bool {
    NEAR_BOX_NAMES.iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()))
}

/// Whether they are columns.
pub(super) fn are_columns(key: &[u8]) -> bool {
    COLUMN_NAMES.iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()))
}

/// Whether the list at `at` holds lists or texts of more than a cell.
pub(super) fn is_nested(text: &Text<'_>, at: usize) -> Result<bool, Stop> {
    let inner = text.skip_space(at + 1)?;
    Ok(match text.bytes.get(inner..) {
        Some([b'[', ..]) => true,
        Some([quote, _, third, ..]) if is_quote(*quote) => third != quote && text.bytes[inner + 1] != *quote,
        _ => false,
    })
}

/// Whether a name means a puzzle, whatever stands there.
pub(in crate::input) fn names_puzzle(key: &[u8]) -> bool {
    matches!(role(key), Role::Puzzle(rank) if rank < SURE_NAMES)
        || ["puzzles", "questions", "sudokus"].iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()))
}

/// Whether the name of a member is the puzzle itself.
pub(super) fn is_puzzle(key: &[u8]) -> bool {
    key.as_array().and_then(Grid::from_text).is_some_and(|grid| (grid.clues() as usize) < CELLS)
}

/// The puzzle that is the name of a member, and its solution if that is the value; `None` if that depends on bytes that
/// are not there yet.
pub(super) fn of_name(text: &Text<'_>, (name, colon): (&[u8], usize)) -> Option<Record> {
    let quotes = if text.get(0).is_some_and(is_quote) { 2 } else { 0 };
    let kind = name.as_array().and_then(Grid::from_text).map_or(Kind::Wrong, Kind::Grid);
    let puzzle = Value { start: 0, end: name.len() + quotes, kind };
    let value = text.skip_space(colon).and_then(|at| match text.get(at) {
        Some(b'[' | b'"' | b'\'') => value::look(text, at).map(Some),
        Some(_) => Ok(None),
        None => text.stop().map(|()| None),
    });
    let claim = match value {
        Err(Stop::More) => return None,
        Err(Stop::NoRecord(_)) => None,
        Ok(value) => value.filter(|value| matches!(value.kind, Kind::Grid(_) | Kind::Wrong)),
    };
    let end = claim.map_or(puzzle.end, |claim| claim.end);
    Some(Record { end, puzzle, claim, ..Record::without_puzzle(end) })
}

/// Whether what a member of this name holds are solutions and no puzzles.
pub(in crate::input) fn holds_solutions(key: &[u8]) -> bool {
    matches!(role(key), Role::Solution(_))
}

impl Record {
    /// An object in which nothing is a puzzle, though others beside it have one; or a line of no JSON behind a document.
    pub const fn without_puzzle(end: usize) -> Self {
        Self::of_kind(end, Kind::Container)
    }

    /// A string of cells that are too few for a puzzle.
    pub const fn of_cells(end: usize) -> Self {
        Self::of_kind(end, Kind::Cells)
    }

    /// A solution whose puzzle is in a form that is not read.
    pub const fn of_lost_puzzle(end: usize) -> Self {
        Self::of_kind(end, Kind::Lost)
    }

    const fn of_kind(end: usize, kind: Kind) -> Self {
        Self {
            end,
            closed: true,
            puzzle: Value { start: 0, end, kind },
            claim: None,
            case: None,
            is_result: false,
            has_others: false,
            by_columns: false,
        }
    }

    /// Whether it is a solution without a puzzle that can be read.
    pub fn lost_puzzle(&self) -> bool {
        let is_claimed = matches!(self.claim, Some(Value { kind: Kind::Grid(_), .. }));
        self.puzzle.kind == Kind::Lost || is_claimed && !matches!(self.puzzle.kind, Kind::Grid(_))
    }

    /// Whether it has a puzzle, or something in its place.
    pub fn has_puzzle(&self) -> bool {
        self.puzzle.kind != Kind::Container
    }
}

/// Finds out what the value that starts at `at` is.
pub(super) fn find(text: &Text<'_>, at: usize, keys: &Keys) -> Result<Found, Stop> {
    if text.bytes[at] == b'{' {
        return members(text, at + 1, keys);
    }
    let value = value::look(text, at)?;
    let record = Record { puzzle: value, ..Record::without_puzzle(value.end) };
    Ok(match value.kind {
        Kind::Grid(_) | Kind::Wrong | Kind::Rows => Found::Record(record),
        Kind::Pair { puzzle, claim } => Found::Record(Record {
            puzzle: value::look(text, puzzle)?,
            claim: Some(value::look(text, claim)?),
            ..record
        }),
        Kind::Cells | Kind::Text | Kind::Word | Kind::Lost => Found::Nothing(value.end),
        Kind::Container => Found::Container(value.end),
    })
}

/// The members of an object that matter.
#[derive(Default)]
struct Members {
    /// The puzzle by its name, and the place of that in the list.
    named: Option<(usize, Value)>,
    /// Whether the likeliest of these names is there twice: two puzzles.
    twice: bool,
    /// Whether a name of the claim is there twice, with another solution: none is claimed.
    claimed_twice: bool,
    /// What else looks like a puzzle; how many of these there are.
    open: Option<Value>,
    open_count: usize,
    /// A grid without a blank that has no name we know; how many of these there are.
    full: Option<Value>,
    full_count: usize,
    claim: Option<(usize, Value)>,
    /// A grid as the list of its columns, in rows.
    columns: Option<Value>,
    /// What stands where the puzzle should.
    junk: Option<(usize, Value)>,
    /// Whether there are lists or objects with something else in them.
    nests: bool,
    /// A puzzle within one of these, and where the others stand in which there may be more.
    inner: Option<Value>,
    others: Vec<Range<usize>>,
    /// Which members of results there are.
    results: u8,
    case: Option<usize>,
}

impl Members {
    fn add(&mut self, text: &Text<'_>, (key, role): (&[u8], Role), value: Value) {
        if matches!(key.len(), 2 | 4 | 6)
            && let Some(at) = RESULT_NAMES.iter().position(|name| key == name.as_bytes())
        {
            self.results |= 1 << at;
            let word = &text.bytes[value.start..value.end];
            let case = PuzzleKind::Sudominoku.as_str().as_bytes();
            if *key == *b"kind"
                && word.get(1..word.len() - 1).is_some_and(|kind| kind.eq_ignore_ascii_case(case))
            {
                self.case = Some(value.start);
            }
        }
        match (role, value.kind) {
            (Role::Solution(rank), Kind::Grid(_) | Kind::Wrong | Kind::Rows | Kind::Cells | Kind::Text) => {
                self.claimed_twice |= rank < SOLUTION_NAMES.len()
                    && self.claim.is_some_and(|(best, other)| best == rank && other.kind != value.kind);
                if self.claim.is_none_or(|(best, _)| rank < best) {
                    self.claim = Some((rank, value));
                }
            }
            (Role::Solution(_), Kind::Word) | (Role::Other, _) | (_, Kind::Container | Kind::Pair { .. }) => {
            }
            (Role::Puzzle(rank), Kind::Grid(_) | Kind::Wrong) => match self.named {
                Some((best, _)) if best < rank => self.add_unnamed(value),
                Some((best, other)) => {
                    self.twice = best == rank;
                    self.add_unnamed(other);
                    self.named = Some((rank, value));
                }
                None => self.named = Some((rank, value)),
            },
            (Role::Puzzle(rank), _) if rank < SURE_NAMES => {
                if self.junk.is_none_or(|(best, _)| rank < best) {
                    self.junk = Some((rank, value));
                }
            }
            (_, Kind::Grid(_) | Kind::Wrong) => self.add_unnamed(value),
            (_, Kind::Rows) => {
                self.junk.get_or_insert((PUZZLE_NAMES.len(), value));
            }
            (_, Kind::Cells | Kind::Text | Kind::Word | Kind::Lost) => {}
        }
    }

    /// Takes note of a list of columns: the same grid in rows.
    fn add_columns(&mut self, value: Value) {
        match value.kind {
            Kind::Grid(grid) => {
                let digits = std::array::from_fn(|cell| grid.get(value::in_columns(cell)));
                let kind = Kind::Grid(Grid::from_digits(digits));
                self.columns.get_or_insert(Value { kind, ..value });
            }
            Kind::Wrong | Kind::Rows => {
                self.columns.get_or_insert(value);
            }
            _ => {}
        }
    }

    fn add_unnamed(&mut self, value: Value) {
        if matches!(value.kind, Kind::Grid(grid) if grid.clues() as usize == CELLS) {
            self.full_count += 1;
            self.full = Some(value);
        } else {
            self.open_count += 1;
            self.open = Some(value);
        }
    }

    /// Looks for a puzzle within a list or an object: the same may stand in several, and nothing else.
    fn look_within(&mut self, text: &Text<'_>, range: Range<usize>, keys: &Keys) -> Result<(), Stop> {
        let value = match text.bytes[range.start] {
            b'{' => match members_of(text, range.start + 1, keys, true)? {
                Found::Record(Record { closed: true, puzzle, claim: None, case: None, .. }) => Some(puzzle),
                _ => None,
            },
            _ => only_value(text, range.start)?,
        };
        let grid = value.filter(|value| matches!(value.kind, Kind::Grid(_)));
        match (grid, self.inner) {
            (Some(grid), None) => self.inner = Some(grid),
            (Some(grid), Some(inner)) if grid.kind == inner.kind => {}
            _ => self.others.push(range),
        }
        Ok(())
    }

    /// The puzzle within other members whose solution is claimed beside these.
    fn inner_puzzle(&self, text: &Text<'_>, keys: &Keys) -> Option<Value> {
        let (Kind::Grid(puzzle), Kind::Grid(claim)) = (self.inner?.kind, self.claim?.1.kind) else {
            return None;
        };
        let is_alone = self.named.is_none() && self.open_count + self.full_count == 0 && self.junk.is_none();
        let holds_more = |range: &Range<usize>| holds_records(&text.bytes[range.clone()], keys);
        let is_it = is_alone && cells::is_solution_of(&puzzle, &claim) && !self.others.iter().any(holds_more);
        self.inner.filter(|_| is_it)
    }

    /// What the object is whose members these are.
    #[inline]
    fn decide(&self, text: &Text<'_>, end: usize, closed: bool, keys: &Keys) -> Found {
        let puzzle = self.named.map(|(_, value)| value).or(match self.open_count {
            _ if keys.solutions_alone && self.open_count + self.full_count == 1 => self.open.or(self.full),
            0 if !self.nests => self.junk.map(|(_, value)| value),
            1 if keys.puzzle.is_none() => self.open,
            _ => None,
        });
        // What is there in rows, too, is the same.
        let is_wanted = keys.puzzle.as_ref().is_none_or(|name| are_columns(name.as_bytes()));
        let columns = self.columns.filter(|_| is_wanted && self.open_count == 0);
        let puzzle = puzzle.or(columns);
        let puzzle = puzzle.or_else(|| self.inner_puzzle(text, keys).filter(|_| closed));
        // What is not closed would take other records with it.
        let Some(puzzle) = puzzle.filter(|_| !self.twice && !self.claimed_twice && (closed || !self.nests))
        else {
            return Found::Container(end);
        };
        let full = self
            .full
            .filter(|_| self.full_count == 1 && self.full != Some(puzzle) && keys.solution.is_none());
        let is_other =
            matches!(self.open, Some(Value { kind: kind @ Kind::Grid(_), .. }) if kind != puzzle.kind);
        let is_result = self.results == (1 << RESULT_NAMES.len()) - 1;
        Found::Record(Record {
            end,
            closed,
            puzzle,
            claim: self.claim.map(|(_, value)| value).or(full),
            case: self.case.filter(|_| is_result),
            is_result,
            has_others: self.named.is_some() && is_other,
            by_columns: columns == Some(puzzle),
        })
    }
}

/// Where the first object ends that is a record, in the list at the start of a text, if another object begins the list.
pub(super) fn first_in_list(text: &Text<'_>, keys: &Keys) -> Result<Option<usize>, Stop> {
    let mut next = text.skip_space(1)?;
    while text.get(next) == Some(b'{') {
        if let Found::Record(record) = find(text, next, keys)? {
            return Ok(Some(record.end));
        }
        next = text.skip_space(text.container(next)?.end)?;
        if text.get(next) == Some(b',') {
            next = text.skip_space(next + 1)?;
        }
    }
    Ok(None)
}

/// Finds out what the object is whose members begin at `next`.
pub(super) fn members(text: &Text<'_>, next: usize, keys: &Keys) -> Result<Found, Stop> {
    members_of(text, next, keys, false)
}

/// The same of an object that may be within another one: then nothing is looked for within its own members.
fn members_of(text: &Text<'_>, mut next: usize, keys: &Keys, is_within: bool) -> Result<Found, Stop> {
    let mut members = Members::default();
    let mut key = None;
    loop {
        next = text.skip_space(next)?;
        match text.get(next) {
            Some(b',') => {
                key = None;
                next += 1;
            }
            Some(b':') => next += 1,
            Some(b'}') => return Ok(members.decide(text, next + 1, true, keys)),
            Some(b']') => return Ok(members.decide(text, next, false, keys)),
            Some(b'[' | b'{') if key.is_none() => return Ok(members.decide(text, next, false, keys)),
            Some(byte) => {
                if key.is_none()
                    && let Some((name, end)) = name(text, next)?
                {
                    if name.len() == CELLS && !keys.are_said() && is_puzzle(name) {
                        return Ok(Found::Container(end));
                    }
                    (key, next) = (Some(name), end);
                    continue;
                }
                let name = key.take().unwrap_or_default();
                let role = keys.role(name);
                let mut value = value::look(text, next)?;
                if value.kind == Kind::Container {
                    let inner = text.container(next)?;
                    if let Role::Solution(_) = role
                        && let Some(only) = only_value(text, next)?
                    {
                        value = only;
                    } else {
                        members.nests |= byte == b'{' || inner.end - next > 2;
                    }
                    value.end = inner.end;
                    if !is_within && value.kind == Kind::Container && inner.closed && members.named.is_none()
                    {
                        members.look_within(text, next..inner.end, keys)?;
                    }
                    if !inner.closed {
                        members.add(text, (name, role), value);
                        return Ok(members.decide(text, inner.end, false, keys));
                    }
                }
                let is_near_list = |are: fn(&[u8]) -> bool| {
                    Ok(byte == b'[' && value.kind != Kind::Container && are(name) && is_nested(text, next)?)
                };
                if is_near_list(are_columns)? {
                    members.add_columns(value);
                } else if !is_near_list(are_near_boxes)?
                    && (byte != b'[' || !are_boxes(|of_boxes| name.eq_ignore_ascii_case(of_boxes.as_bytes())))
                {
                    members.add(text, (name, role), value);
                }
                next = value.end;
            }
            None => {
                text.stop()?;
                return Ok(members.decide(text, text.bytes.len(), false, keys));
            }
        }
    }
}

/// The key at `at`, and the end of the colon behind it; `None` if it is no key.
pub(super) fn name<'a>(text: &Text<'a>, at: usize) -> Result<Option<(&'a [u8], usize)>, Stop> {
    let (name, end) = if is_quote(text.bytes[at]) {
        let string = text.string(at)?;
        if !string.closed {
            return Ok(None);
        }
        (text.content(at, string), string.end)
    } else {
        let end = text.word(at)?;
        (&text.bytes[at..end], end)
    };
    let colon = text.skip_space(end)?;
    match text.get(colon) {
        Some(b':') => Ok(Some((name, colon + 1))),
        Some(_) => Ok(None),
        None => text.stop().map(|()| None),
    }
}

/// The grid that is all there is in the list that opens at `at`.
fn only_value(text: &Text<'_>, at: usize) -> Result<Option<Value>, Stop> {
    let inner = text.skip_space(at + 1)?;
    if text.bytes[at] != b'[' || !matches!(text.get(inner), Some(b'"' | b'\'' | b'[')) {
        return Ok(None);
    }
    let value = value::look(text, inner)?;
    let behind = text.skip_space(value.end)?;
    let is_only = matches!(value.kind, Kind::Grid(_)) && text.get(behind) == Some(b']');
    Ok(is_only.then_some(value))
}

impl Record {
    /// The puzzle, or what is wrong and where. The record starts at `start`.
    pub fn puzzle(&self, text: &Text<'_>, start: usize) -> Result<Grid, (usize, Fault)> {
        if let Some(case) = self.case {
            return Err((case, Fault::new(FaultKind::CaseInResults, None)));
        }
        if !self.closed {
            return Err((start, Fault::new(FaultKind::OpenBracket, None).text("object").text("}")));
        }
        match self.puzzle.kind {
            Kind::Grid(grid) => Ok(grid),
            Kind::Lost => Err((start, Fault::new(FaultKind::LostPuzzle, None))),
            Kind::Container
                if text.get(start).is_some_and(|byte| {
                    matches!(byte, b'|' | b'<') || is_quote(byte) || cells::is_cell(byte)
                }) =>
            {
                Err((start, Fault::new(FaultKind::NoJson, None)))
            }
            Kind::Container => {
                let what = if text.get(start) == Some(b'[') { "list" } else { "object" };
                Err((start, Fault::new(FaultKind::NoPuzzle, None).text(what)))
            }
            _ => Err(value::fault(text, &self.puzzle, &PUZZLE)),
        }
    }

    /// Whether it looks like a puzzle, and not only by the name of a member.
    pub fn is_likely(&self) -> bool {
        self.is_result || matches!(self.puzzle.kind, Kind::Grid(_) | Kind::Wrong | Kind::Rows)
    }

    /// The claimed solution, or what is wrong with it and where.
    pub fn claim(&self, text: &Text<'_>) -> Option<Result<Grid, (usize, Fault)>> {
        let claim = self.claim?;
        match claim.kind {
            Kind::Text
                if text.bytes[claim.start..claim.end]
                    .iter()
                    .all(|&byte| is_quote(byte) || is_space(byte)) =>
            {
                None
            }
            _ => Some(claim_of(text, &claim)),
        }
    }
}

/// A value that is a claimed solution, or what is wrong with it and where.
pub(super) fn claim_of(text: &Text<'_>, value: &Value) -> Result<Grid, (usize, Fault)> {
    match value.kind {
        Kind::Grid(grid) => Ok(grid),
        _ => Err(value::fault(text, value, &CLAIM)),
    }
}

/// The record that is all of a text which was found to be one.
pub(super) fn again(text: &[u8], keys: &Keys) -> Option<Record> {
    let text = Text { bytes: text, edge: Edge::Last };
    let found = match text.get(0)? {
        b'[' | b'{' => find(&text, 0, keys),
        _ => match name(&text, 0) {
            Ok(Some(name)) if is_puzzle(name.0) => return of_name(&text, name),
            Ok(Some(_)) => members(&text, 0, keys),
            _ => find(&text, 0, keys),
        },
    };
    match found {
        Ok(Found::Record(record)) => Some(record),
        _ => None,
    }
}
