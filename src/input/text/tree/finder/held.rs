//! Values that are grids, until it is known what they are.

use super::{Finder, Inner};
use crate::input::text::notation::Miss;
use crate::input::text::tree::value::{Kind, Value};
use crate::record::{Fault, FaultKind, Place};
use crate::sudoku::{Grid, digit_of};

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::input::text::tree) struct Spot {
    /// Byte of the text.
    pub at: usize,
    pub line: u64,
    pub column: u64,
}

impl Spot {
    pub fn place(self) -> Place {
        Place { line: self.line, column: self.column }
    }
}

/// A value that is a grid, or a damaged one.
#[derive(Clone, Debug)]
pub(in crate::input::text::tree) struct Held {
    pub spot: Spot,
    /// Where it ends in the text.
    pub end: usize,
    pub kind: Kind,
    pub grid: Result<Grid, Fault>,
    is_claim: bool,
    /// Whether its own key says what it is.
    pub is_named: bool,
    /// Whether its key says that it has columns or boxes.
    is_refused: bool,
    /// How many values are open around that in which it stands.
    depth: usize,
    /// Its own key, or else which element it is.
    pub key: Option<(usize, usize)>,
    pub index: u64,
}

impl Held {
    /// The value in the text.
    pub fn value<'a>(&self, text: &'a [u8]) -> Value<'a> {
        Value { bytes: &text[self.spot.at..self.end], kind: self.kind }
    }
}

/// A record.
#[derive(Clone, Debug)]
pub(in crate::input::text::tree) struct Found {
    /// Where its text begins, and ends.
    pub start: Spot,
    pub end: usize,
    pub puzzle: Held,
    pub claim: Option<Held>,
    /// How many open values are around it.
    pub depth: usize,
    /// Whether it is a value by itself, and not the object or list around it.
    pub is_value: bool,
}

impl Found {
    /// What is no puzzle.
    pub(super) fn fault(start: Spot, end: usize, depth: usize, fault: Fault) -> Self {
        let puzzle = Held {
            spot: start,
            end,
            kind: Kind::Cells,
            grid: Err(fault),
            is_claim: false,
            is_named: false,
            is_refused: false,
            depth,
            key: None,
            index: 0,
        };
        Self { start, end, puzzle, claim: None, depth, is_value: false }
    }

    /// What it claims to be the solution; blanks alone are no claim.
    pub fn claimed(&self) -> Option<Result<Grid, Fault>> {
        match &self.claim.as_ref()?.grid {
            Ok(grid) => (grid.clues() > 0).then_some(Ok(*grid)),
            Err(fault) => Some(Err(fault.clone().of_claim())),
        }
    }

    fn value(puzzle: Held) -> Self {
        let (start, end, depth) = (puzzle.spot, puzzle.end, puzzle.depth);
        Self { start, end, puzzle, claim: None, depth, is_value: true }
    }
}

/// Whether a grid is complete and has all clues of a puzzle that is not.
fn solves(solution: &Held, puzzle: &Held) -> bool {
    let (Ok(solution), Ok(puzzle)) = (&solution.grid, &puzzle.grid) else { return false };
    let mut cells = solution.cells().iter().zip(puzzle.cells());
    puzzle.cells().contains(&0) && cells.all(|(&digit, &clue)| digit != 0 && (clue == 0 || clue == digit))
}

impl Finder<'_> {
    /// Takes a value, which ends here, that may be a grid.
    pub(super) fn value(&mut self, spot: Spot, kind: Kind) {
        let depth = self.nesting.opens.len();
        let (inner, open) =
            (self.inner.last().copied().unwrap_or_default(), self.nesting.opens.last().copied());
        let around = open.map_or(self.root, |open| open.are_claims);
        let is_claim = inner.meaning.is_claim.or(around);
        if is_claim.is_none() && self.rules.puzzle.is_some() {
            return;
        }
        let value = Value { bytes: &self.bytes[spot.at..self.at], kind };
        let grid = match value.grid() {
            Ok(_) if inner.meaning.is_refused && kind == Kind::Rows => {
                Err(Fault::new(FaultKind::GridOrder, None).text("columns or boxes").at(spot.place()))
            }
            Ok(grid) => Ok(grid),
            Err(Miss::Bad { fault, at }) => Err(fault.at(self.place(spot, at))),
            Err(Miss::Other) => return self.beside(spot, Some(kind)),
        };
        let held = Held {
            spot,
            end: self.at,
            kind,
            grid,
            is_claim: is_claim == Some(true),
            is_named: inner.meaning.is_claim.is_some(),
            is_refused: inner.meaning.is_refused,
            depth: depth.saturating_sub(1),
            key: open.filter(|open| open.is_object).map(|_| inner.key),
            index: open.map_or(0, |open| open.index),
        };
        let outer = self.owners - usize::from(inner.owns);
        match open {
            _ if outer > 0 => self.tell(&held),
            None => self.give(Found { is_value: false, ..Found::value(held) }),
            Some(open) if open.is_object => self.hold_member(held, open.is_collection, inner),
            Some(open) => self.hold_element(held, open.is_collection, inner.held),
        }
    }

    /// Takes a value, which ends here, that is no grid.
    pub(super) fn beside(&mut self, spot: Spot, kind: Option<Kind>) {
        let Some(inner) = self.inner.last_mut() else { return };
        if inner.meaning.is_claim == Some(false) {
            inner.no_puzzle.get_or_insert(spot);
        }
        let inner = *inner;
        let Some(kind @ Kind::Text { .. }) = kind.filter(|_| inner.meaning.is_claim == Some(true)) else {
            return;
        };
        let text = Value { bytes: &self.bytes[spot.at..self.at], kind }.text();
        // Words instead of a solution say that there is none.
        if !text.trim_ascii().is_empty() && !text.iter().any(u8::is_ascii_alphabetic) {
            let cells = text.iter().filter(|&&byte| digit_of(byte).is_some()).count();
            let fault = Fault::new(FaultKind::CellCount, None).number(cells);
            let fault = fault.at(self.place(spot, self.at - spot.at - 1));
            let claim = Found::fault(spot, self.at, 0, fault).puzzle;
            self.hold_claim(Held { kind, is_claim: true, is_named: true, ..claim }, inner);
        }
    }

    /// Takes a member of an object that is no collection or is one.
    fn hold_member(&mut self, new: Held, is_collection: bool, inner: Inner) {
        if new.is_claim {
            return if is_collection || !new.is_named {
                self.tell(&new);
            } else {
                self.hold_claim(new, inner);
            };
        }
        if is_collection {
            return self.give(Found::value(new));
        }
        let own = &mut self.held[inner.held..];
        let has_claim = own.iter().any(|held| held.is_claim);
        let Some(first) = own.iter_mut().find(|held| !held.is_claim) else {
            self.held.push(new);
            return self.set_owns(true);
        };
        match (first.is_named, new.is_named) {
            // What keys call a puzzle counts before what they say nothing of, and rows before columns.
            (true, false) => {}
            _ if new.is_refused || first.grid == new.grid && new.is_named => {}
            (false, true) => *first = new,
            _ if first.is_refused => *first = new,
            (false, false) if !has_claim && solves(&new, first) => {
                self.held.push(Held { is_claim: true, ..new });
            }
            _ => {
                own.iter_mut().for_each(|held| held.is_claim &= held.is_named);
                self.set_owns(false);
                if let Some(open) = self.nesting.opens.last_mut() {
                    open.is_collection = true;
                }
                self.give(Found::value(new));
            }
        }
    }

    /// Takes a claim under its own key; the first counts.
    fn hold_claim(&mut self, new: Held, inner: Inner) {
        if self.owners > usize::from(inner.owns) {
            return self.tell(&new);
        }
        match self.held[inner.held..].iter_mut().find(|held| held.is_claim) {
            None => self.held.push(new),
            Some(first) if !first.is_named => *first = new,
            Some(_) => {}
        }
    }

    /// Takes an element of a list: a puzzle and its solution alone are one record.
    fn hold_element(&mut self, new: Held, is_collection: bool, before: usize) {
        if new.is_claim {
            return self.tell(&new);
        }
        let may_pair = match self.held.get(before..) {
            Some([]) => matches!(&new.grid, Ok(grid) if grid.cells().contains(&0)),
            Some([puzzle]) => solves(&new, puzzle),
            _ => false,
        };
        if may_pair && !is_collection { self.held.push(new) } else { self.give(Found::value(new)) }
    }

    /// Ends a list of which values are held.
    pub(super) fn give_list(&mut self, before: usize, start: Spot) {
        let mut own = self.held.drain(before..);
        let (Some(puzzle), claim) = (own.next(), own.next()) else { return };
        drop(own);
        let depth = self.nesting.opens.len();
        let mut found = Found::value(puzzle);
        if claim.is_some() {
            found = Found { start, end: self.at, claim, depth, is_value: false, ..found };
        }
        self.give(found);
    }

    /// Ends an object.
    pub(super) fn close_object(&mut self) {
        self.at += 1;
        let (Some(inner), Some(open)) = (self.inner.pop(), self.nesting.opens.last().copied()) else {
            return;
        };
        self.nesting.leave();
        self.owners -= usize::from(inner.owns);
        let (mut puzzle, mut claim) = (None, None);
        for held in self.held.drain(inner.held..) {
            if held.is_claim { &mut claim } else { &mut puzzle }.get_or_insert(held);
        }
        let start = inner.start.unwrap_or_default();
        let depth = self.nesting.opens.len();
        // Among solutions an object is a record only if it has a claim of its own.
        let is_solution =
            open.are_claims == Some(true) && claim.as_ref().is_none_or(|claim: &Held| !claim.is_named);
        match (puzzle, inner.no_puzzle) {
            (Some(puzzle), _) if is_solution => self.tell(&puzzle),
            (Some(puzzle), _) => {
                let end = self.at;
                self.give(Found { start, end, puzzle, claim, depth, is_value: false });
            }
            (None, Some(spot)) if self.owners == 0 && !is_solution && !open.is_collection => {
                let fault = Fault::new(FaultKind::NoPuzzle, None).text("object").at(spot.place());
                self.give(Found::fault(start, self.at, depth, fault));
            }
            _ => claim.iter().for_each(|claim| self.tell(claim)),
        }
    }

    /// Gives a record, and before it what lists hold around it; objects around it begin anew behind it.
    fn give(&mut self, found: Found) {
        self.release();
        self.found.push(found);
    }

    /// Counts what is passed over.
    fn tell(&mut self, held: &Held) {
        if self.owners == 0 {
            self.release();
        }
        self.count(held);
    }

    fn count(&mut self, held: &Held) {
        if self.told_line != held.spot.line {
            self.told_line = held.spot.line;
            self.passed.count(held.spot.line, &self.bytes[held.spot.at..held.end]);
        }
        self.nesting.has_told = self.told_line == self.line;
    }

    /// Gives all that is held and owned by no object, so that a block may end here.
    pub(super) fn release(&mut self) {
        let mut all = std::mem::take(&mut self.held);
        for held in all.drain(..) {
            if held.is_claim {
                self.count(&held);
            } else {
                self.found.push(Found::value(held));
            }
        }
        self.held = all;
        for (open, inner) in self.nesting.opens.iter_mut().zip(&mut self.inner) {
            open.is_collection |= !open.is_object;
            (inner.held, inner.start, inner.no_puzzle, inner.is_no_grid) = (0, None, None, true);
        }
        self.cut = self.at;
    }

    /// Takes from objects what they hold. Gives the start of the outermost one that owned a puzzle.
    pub(super) fn disown(&mut self) -> Option<Spot> {
        let owner = self.inner.iter().find(|inner| inner.owns)?;
        let start = owner.start;
        self.held.truncate(owner.held);
        self.inner.iter_mut().for_each(|inner| inner.owns = false);
        self.owners = 0;
        start
    }

    /// Gives up a record that is too long to be held.
    pub(super) fn give_up(&mut self) {
        if let Some(start) = self.disown() {
            let depth = self.nesting.opens.len();
            let fault = Fault::new(FaultKind::ValueTooLong, Some(start.place()));
            self.nesting.opens.iter_mut().for_each(|open| open.is_collection = true);
            return self.give(Found::fault(start, self.at, depth, fault));
        }
        self.release();
    }

    /// Says whether the innermost object owns a puzzle.
    fn set_owns(&mut self, owns: bool) {
        if let Some(inner) = self.inner.last_mut() {
            inner.owns = owns;
            self.owners = if owns { self.owners + 1 } else { self.owners - 1 };
        }
    }
}
