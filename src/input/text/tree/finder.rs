//! The puzzles of a text of JSON, found in one pass.
//!
//! A value that is a grid is held until it is known what it is: its object may have a claim further on, or more puzzles.
//! An object with one puzzle of its own is a record, and so is a list of a puzzle and its solution. What else has
//! several puzzles is a collection, in which each is a record. Once a record was found, what is open around it is no
//! record as a whole: an object is one from its next key on. So a block may end there, and what it says depends on no
//! byte before it but by its [`Nesting`].

mod held;

pub(super) use held::{Found, Held, Spot};

use super::lexer::{self, Stop};
use super::value::{HALF, HALF_ROW, Kind, MOST};
use crate::input::reader::{Passed, Which};
use crate::input::text::nesting::{Nesting, Next};
use crate::input::{MAX_LINE, ReadOptions, names};
use crate::record::{Fault, FaultKind, Place};

/// Lists and objects within each other, as many as the library's parser takes.
const DEEPEST: usize = 128;

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

/// What is known of a list or an object that is open, besides its [`Nesting`].
#[derive(Clone, Copy, Debug, Default)]
struct Inner {
    /// Where its record begins; if nowhere yet, at the next key.
    start: Option<Spot>,
    /// Scalars of a list that may each be a cell.
    cells: usize,
    /// Elements of a list that may each be a row.
    rows: usize,
    /// Whether a list has elements that neither cells nor rows are.
    is_no_grid: bool,
    /// Where the key of the member at hand stands, and what it says.
    key: (usize, usize),
    meaning: Meaning,
    /// The first value under a key of puzzles that is none.
    no_puzzle: Option<Spot>,
    /// How many values were held before it.
    held: usize,
    /// Whether a puzzle of its own is held, so that nothing in it is another record.
    owns: bool,
}

/// Finds the puzzles of a text.
#[derive(Debug)]
pub(super) struct Finder<'a> {
    pub bytes: &'a [u8],
    /// Whether nothing follows the bytes.
    is_last: bool,
    rules: &'a Rules,
    /// Whether values are claims of which no key says anything.
    root: Option<bool>,
    /// How far it is.
    pub at: usize,
    /// The line at hand, where it begins, and how many bytes of it were before the text.
    line: u64,
    line_start: usize,
    before: u64,
    pub nesting: Nesting,
    inner: Vec<Inner>,
    held: Vec<Held>,
    /// Open objects that own a puzzle.
    owners: usize,
    /// Where a block could last end.
    cut: usize,
    /// What was found.
    pub found: Vec<Found>,
    pub passed: Passed,
    told_line: u64,
    /// The meanings of the last keys, by the number of the member.
    known: [(&'a [u8], Meaning); KNOWN],
}

impl<'a> Finder<'a> {
    /// One for a text at a place of a document, of which so many bytes are before it on its first line.
    pub fn new(bytes: &'a [u8], is_last: bool, rules: &'a Rules, nesting: &Nesting, before: u64) -> Self {
        let inner = Inner { is_no_grid: true, ..Inner::default() };
        Self {
            bytes,
            is_last,
            rules,
            root: None,
            at: 0,
            line: 1,
            line_start: 0,
            before,
            inner: vec![inner; nesting.opens.len()],
            told_line: u64::from(nesting.has_told),
            nesting: nesting.clone(),
            held: Vec::new(),
            owners: 0,
            cut: 0,
            found: Vec::new(),
            passed: Passed::default(),
            known: <[(&[u8], Meaning); KNOWN]>::default(),
        }
    }

    /// One for the text of a record.
    pub fn of_record(record: &'a [u8], rules: &'a Rules) -> Self {
        let mut finder = Self::new(record, true, rules, &Nesting::default(), 0);
        finder.root = Some(false);
        // What is left of an object begins with a key.
        let behind = lexer::string(record, 0).map_or(record.len(), |string| string.end + 1);
        if record[behind..].trim_ascii_start().starts_with(b":") {
            finder.enter(true, finder.root);
            finder.nesting.next = Next::Key;
        }
        finder
    }

    /// Begins anew with another stretch of the text, which has a line of its own.
    pub fn begin(&mut self, line: u64, start: usize, bytes: &'a [u8]) {
        self.nesting.clear();
        self.inner.clear();
        self.held.clear();
        self.found.clear();
        (self.bytes, self.at, self.line, self.line_start) = (bytes, start, line, start);
        (self.before, self.owners, self.cut, self.is_last) = (0, 0, start, true);
    }

    /// Takes the next token. Says whether a block may end behind it.
    #[inline]
    pub fn step(&mut self) -> Result<bool, Stop> {
        let first = self.skip_space().ok_or(Stop::More)?;
        let cut = self.cut;
        let is_object = self.nesting.opens.last().map(|open| open.is_object);
        match (self.nesting.next, first, is_object) {
            (Next::FirstKey, b'}', _) | (Next::Behind, b'}', Some(true)) => self.close_object(),
            (Next::FirstElement, b']', _) | (Next::Behind, b']', Some(false)) => self.close_list(),
            (Next::FirstKey | Next::Key, b'"', _) => self.key()?,
            (Next::FirstKey | Next::Key, ..) => return Err(self.broken("a key in quotes")),
            (Next::Behind, b',', Some(is_object)) => self.comma(is_object),
            (Next::Behind, _, Some(true)) => return Err(self.broken("a comma or the end of the object")),
            (Next::Behind, _, Some(false)) => return Err(self.broken("a comma or the end of the list")),
            (_, b'{' | b'[', _) if self.nesting.opens.len() == DEEPEST => {
                return Err(self.broken("no more than 128 lists and objects within each other"));
            }
            (_, b'{', _) => self.open(true),
            (_, b'[', _) => self.open(false),
            (_, b'"', _) => self.string()?,
            _ => self.bare()?,
        }
        if self.nesting.next == Next::Behind && self.at - self.cut > MAX_LINE {
            self.give_up();
        }
        if self.nesting.opens.is_empty() {
            self.release();
        }
        Ok(self.cut > cut)
    }

    /// The first byte that is no white space.
    #[inline]
    fn skip_space(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b'\n' => {
                    self.at += 1;
                    (self.line, self.line_start, self.before) = (self.line + 1, self.at, 0);
                    self.nesting.has_told = false;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    const fn broken(&self, expected: &'static str) -> Stop {
        Stop::Broken { at: self.at, expected }
    }

    /// Where it is.
    fn spot(&self) -> Spot {
        self.spot_on_line(self.at)
    }

    /// A place on the line at hand.
    fn spot_on_line(&self, at: usize) -> Spot {
        Spot { at, line: self.line, column: self.before + (at - self.line_start) as u64 + 1 }
    }

    /// The place of a byte behind a spot.
    fn place(&self, spot: Spot, offset: usize) -> Place {
        let between = &self.bytes[spot.at..spot.at + offset];
        match memchr::memrchr(b'\n', between) {
            None => Place { line: spot.line, column: spot.column + offset as u64 },
            Some(last) => {
                let lines = memchr::memchr_iter(b'\n', between).count();
                Place { line: spot.line + lines as u64, column: (offset - last) as u64 }
            }
        }
    }

    fn open(&mut self, is_object: bool) {
        let spot = self.spot();
        let around = self.inner.last_mut();
        let are_claims = match around {
            None => self.root,
            Some(around) => {
                // An object is neither a cell nor a row.
                around.is_no_grid |= is_object;
                around.meaning.is_claim.or(self.nesting.opens.last().and_then(|open| open.are_claims))
            }
        };
        self.enter(is_object, are_claims);
        if let Some(inner) = self.inner.last_mut() {
            inner.start = Some(spot);
        }
        self.at += 1;
    }

    fn enter(&mut self, is_object: bool, are_claims: Option<bool>) {
        self.nesting.enter(is_object, are_claims);
        self.inner.push(Inner { held: self.held.len(), ..Inner::default() });
    }

    fn comma(&mut self, is_object: bool) {
        if let Some(open) = self.nesting.opens.last_mut() {
            open.index += 1;
        }
        self.nesting.next = if is_object { Next::Key } else { Next::Value };
        self.at += 1;
    }

    fn key(&mut self) -> Result<(), Stop> {
        let key = lexer::string(self.bytes, self.at)?;
        let spot = self.spot();
        self.at = key.end + 1;
        match self.skip_space() {
            None => return Err(Stop::More),
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.broken("a colon")),
        }
        let meaning = self.meaning(key);
        self.nesting.set_key(key.of(self.bytes));
        if let Some(inner) = self.inner.last_mut() {
            inner.start.get_or_insert(spot);
            (inner.key, inner.meaning) = ((key.start, key.end), meaning);
        }
        Ok(())
    }

    /// What a key says; most keys are those of the object before.
    fn meaning(&mut self, key: lexer::Quoted) -> Meaning {
        let member = self.nesting.opens.last().map_or(0, |open| open.index) % KNOWN as u64;
        let known = &mut self.known[usize::try_from(member).expect("it is below the number of those known")];
        let written = key.of(self.bytes);
        if known.0 != written {
            *known = (written, self.rules.meaning(&key.text(self.bytes)));
        }
        known.1
    }

    fn string(&mut self) -> Result<(), Stop> {
        let string = lexer::string(self.bytes, self.at)?;
        let spot = self.spot();
        self.at = string.end + 1;
        self.nesting.next = Next::Behind;
        let kind = Kind::Text { is_escaped: string.is_escaped };
        let length = string.end - string.start;
        let is_list = self.nesting.opens.last().is_some_and(|open| !open.is_object);
        if let Some(inner) = self.inner.last_mut().filter(|_| is_list) {
            match length {
                0..HALF_ROW => inner.cells += 1,
                HALF_ROW..HALF => inner.rows += 1,
                _ => inner.is_no_grid = true,
            }
        }
        if length >= HALF {
            self.value(spot, kind);
        } else if !is_list {
            self.beside(spot, Some(kind));
        }
        Ok(())
    }

    fn bare(&mut self) -> Result<(), Stop> {
        let end = lexer::bare(self.bytes, self.at, self.is_last)?;
        let spot = self.spot();
        self.at = end;
        self.nesting.next = Next::Behind;
        match (self.nesting.opens.last(), self.inner.last_mut()) {
            (Some(open), Some(inner)) if !open.is_object => inner.cells += 1,
            _ => self.beside(spot, None),
        }
        Ok(())
    }

    fn close_list(&mut self) {
        self.at += 1;
        let (Some(inner), Some(open)) = (self.inner.pop(), self.nesting.opens.last().copied()) else {
            return;
        };
        self.nesting.leave();
        let start = inner.start.unwrap_or_default();
        if self.held.len() > inner.held {
            return self.give_list(inner.held, start);
        }
        let kind = match inner {
            Inner { is_no_grid: true, .. } => None,
            Inner { rows: 0, cells: HALF..=MOST, .. } => Some(Kind::Cells),
            Inner { rows: HALF_ROW.., .. } => Some(Kind::Rows),
            _ => None,
        };
        let is_empty = inner.cells + inner.rows == 0 && !inner.is_no_grid;
        let is_row = !inner.is_no_grid && inner.rows == 0 && kind.is_none();
        match (self.nesting.opens.last(), self.inner.last_mut()) {
            (Some(around), Some(inner)) if !around.is_object => {
                inner.rows += usize::from(is_row);
                inner.is_no_grid |= !is_row;
            }
            _ if kind.is_none() && !open.is_collection && !is_empty => self.beside(start, None),
            _ => {}
        }
        if let Some(kind) = kind {
            self.value(start, kind);
        }
    }

    /// Whether a value is open, or a token that goes on.
    pub fn is_within(&mut self) -> bool {
        !self.nesting.opens.is_empty() || self.skip_space().is_some()
    }

    /// The one record of a text, or how many there are. If keys call just one of several a puzzle, that is it.
    pub fn only_one(&mut self) -> Result<Found, usize> {
        let count = self.found.len();
        let mut named = (0..count).filter(|&at| self.found[at].puzzle.is_named);
        match (count, named.next(), named.next()) {
            (1, ..) => self.found.pop().ok_or(0),
            (_, Some(named), None) => Ok(self.found.swap_remove(named)),
            _ => Err(count),
        }
    }

    /// What is wrong with a text that ends within a value.
    pub fn open_fault(&self) -> Fault {
        let (what, closing) = match self.nesting.opens.last() {
            _ if self.bytes.get(self.at) == Some(&b'"') => ("string", "\""),
            Some(open) if !open.is_object => ("list", "]"),
            _ => ("object", "}"),
        };
        Fault::new(FaultKind::OpenBracket, Some(self.spot().place())).text(what).text(closing)
    }

    /// What is wrong with a text that is no JSON at that byte.
    pub fn broken_fault(&self, at: usize, expected: &'static str) -> Fault {
        let shown = String::from_utf8_lossy(&self.bytes[at..self.bytes.len().min(at + 4)]);
        let first = shown.chars().next().unwrap_or_default();
        let shown = if first.is_control() { first.escape_debug().to_string() } else { first.to_string() };
        let place = self.spot_on_line(at).place();
        Fault::new(FaultKind::BrokenJson, Some(place)).text(shown).text(expected)
    }

    /// Ends a document there.
    pub fn end_broken(&mut self, at: usize, expected: &'static str) {
        let fault = self.broken_fault(at, expected);
        self.end_with(self.spot_on_line(at), at + 1, fault);
    }

    /// What ends a text within open values.
    pub fn end_cut_off(&mut self) {
        let spot = self.spot();
        let open = self.nesting.opens.len();
        let fault = Fault::new(FaultKind::CutOffDocument, Some(spot.place()));
        let fault = fault.number(open).text("lists or objects");
        self.end_with(spot, self.bytes.len(), fault);
    }

    fn end_with(&mut self, spot: Spot, end: usize, fault: Fault) {
        let start = self.disown().unwrap_or(spot);
        self.release();
        self.found.push(Found::fault(start, end, self.nesting.opens.len(), fault));
    }
}
