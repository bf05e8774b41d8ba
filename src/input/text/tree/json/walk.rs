//! The way through a document, from one unit to the next.
//!
//! A unit is a value that is read as a whole, with what is in it: one that is short, whatever it is. A longer list or
//! object is gone into, and what is in it are units. The way is found by quotes, brackets, commas and colons alone, so
//! that it costs little where nothing but the ends of units matters.

use std::ops::Range;

use crate::input::names::ROWS_LOOKED_AT;
use crate::input::text::nesting::{Nesting, Next};
use crate::input::text::tree::finder::Rules;
use crate::input::text::tree::lexer::{DEEPEST, Quoted, Stop, is_space, is_valid, string, value_end};

/// Bytes of the longest unit: some puzzles with all that belongs to them, and enough units in a block to share work.
pub(super) const LONGEST_UNIT: usize = 64 << 10;

/// What is next in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A unit, with its key if it is a member.
    Unit(Option<Quoted>, Range<usize>),
    /// A list or an object that is gone into, where it begins, with its key, and why it does not end if it is no long one.
    Entered(Option<Quoted>, usize, Option<Stop>),
    /// The end of one.
    Left,
}

/// What follows the bytes of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// More of them, perhaps.
    More,
    /// Bytes that cannot be read.
    Damage,
    /// Another block, which ends where a walk can go on.
    Block,
    /// Nothing.
    End,
}

/// Goes through the text of a document.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    bytes: &'a [u8],
    rules: &'a Rules,
    /// Bytes of the longest unit.
    longest: usize,
    behind: Behind,
    /// How far it is.
    pub at: usize,
    pub nesting: Nesting,
    /// The key of the value that comes next.
    key: Option<Quoted>,
}

impl<'a> Walk<'a> {
    /// Through a text before which these values were opened.
    pub fn new(bytes: &'a [u8], rules: &'a Rules, nesting: Nesting, behind: Behind) -> Self {
        Self { bytes, rules, longest: LONGEST_UNIT, behind, at: 0, nesting, key: None }
    }

    /// Through each list and each object, with numbers, words and strings as units.
    pub fn into_all(bytes: &'a [u8], rules: &'a Rules) -> Self {
        Self { longest: 0, ..Self::new(bytes, rules, Nesting::default(), Behind::End) }
    }

    /// The next event. `known` gives the length of a value with which a text begins, if it knows it.
    #[inline]
    pub fn next(&mut self, mut known: impl FnMut(&[u8]) -> Option<usize>) -> Result<Event, Stop> {
        loop {
            let first = self.skip_space().ok_or(Stop::More)?;
            let is_object = self.nesting.opens.last().map(|open| open.is_object);
            match (self.nesting.next, first, is_object) {
                (Next::First | Next::Behind, b'}', Some(true))
                | (Next::First | Next::Behind, b']', Some(false)) => {
                    self.at += 1;
                    self.nesting.leave(self.nesting.opens.len() - 1);
                    return Ok(Event::Left);
                }
                (Next::First | Next::Key, b'"', Some(true)) => self.key()?,
                (Next::First | Next::Key, _, Some(true)) => return Err(self.broken("a key in quotes")),
                (Next::Behind, b',', Some(is_object)) => {
                    self.at += 1;
                    self.nesting.next = if is_object { Next::Key } else { Next::Value };
                    if let Some(open) = self.nesting.opens.last_mut() {
                        open.index += 1;
                    }
                }
                (Next::Behind, _, Some(true)) => return Err(self.broken("a comma or the end of the object")),
                (Next::Behind, _, Some(false)) => return Err(self.broken("a comma or the end of the list")),
                _ => return self.value(first, &mut known),
            }
        }
    }

    /// Takes the value that begins here.
    #[inline]
    fn value(&mut self, first: u8, known: &mut impl FnMut(&[u8]) -> Option<usize>) -> Result<Event, Stop> {
        let (start, depth) = (self.at, self.nesting.opens.len());
        let key = self.key.take();
        let is_bracket = matches!(first, b'[' | b'{');
        let is_bare = !is_bracket && first != b'"';
        if is_bracket && depth == DEEPEST {
            return Err(self.broken("no more than 128 lists and objects within each other"));
        }
        // One byte more tells a long one.
        let longest = if is_bracket { start + self.longest + 1 } else { usize::MAX };
        let end = match known(&self.bytes[start..]) {
            Some(length) => Ok(start + length),
            None => value_end(&self.bytes[..self.bytes.len().min(longest)], start, DEEPEST - depth),
        };
        let stop = match end {
            Ok(end) if is_bare && self.behind == Behind::More && end == self.bytes.len() => {
                return Err(Stop::More);
            }
            // Words are no document of scalars.
            Ok(end) if is_bare && depth == 0 && !is_valid(&self.bytes[start..end]) => {
                return Err(self.broken("a value"));
            }
            Ok(end) if end < longest => {
                (self.at, self.nesting.next) = (end, if depth == 0 { Next::Value } else { Next::Behind });
                return Ok(Event::Unit(key, start..end));
            }
            Err(stop) if !is_bracket => return Err(stop),
            Ok(_) => None,
            Err(Stop::More) if self.bytes.len() >= longest => None,
            Err(stop @ Stop::More) => match self.behind {
                Behind::More => return Err(stop),
                // Of an object that is lost nothing is a record.
                Behind::Damage if first == b'{' => return Err(stop),
                Behind::Damage | Behind::Block => None,
                Behind::End => Some(stop),
            },
            Err(stop) => Some(stop),
        };
        self.enter(key, start);
        Ok(Event::Entered(key, start, stop))
    }

    /// Goes into the list or object that begins there, with its key if it is a member.
    pub fn enter(&mut self, key: Option<Quoted>, start: usize) {
        let said = key.and_then(|key| self.rules.meaning(&key.text(self.bytes)).is_claim);
        self.nesting.enter(self.bytes[start] == b'{', said.or(self.are_claims()));
        self.at = start + 1;
    }

    /// Goes on behind all that is open but the outermost ones.
    pub fn leave(&mut self, depth: usize, end: usize) {
        self.nesting.leave(depth);
        (self.at, self.key) = (end, None);
    }

    /// Whether values here are claims by the keys around them.
    pub fn are_claims(&self) -> Option<bool> {
        self.nesting.opens.last().and_then(|open| open.are_claims)
    }

    /// Whether a value is open, or a token that goes on.
    pub fn is_within(&mut self) -> bool {
        !self.nesting.opens.is_empty() || self.skip_space().is_some()
    }

    /// The first byte that is no white space.
    #[inline]
    fn skip_space(&mut self) -> Option<u8> {
        while is_space(*self.bytes.get(self.at)?) {
            self.at += 1;
        }
        Some(self.bytes[self.at])
    }

    /// Takes a key and its colon.
    fn key(&mut self) -> Result<(), Stop> {
        let key = string(self.bytes, self.at)?;
        self.at = key.end + 1;
        match self.skip_space() {
            None => return Err(Stop::More),
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.broken("a colon")),
        }
        self.nesting.set_key(key.of(self.bytes));
        self.key = Some(key);
        Ok(())
    }

    const fn broken(&self, expected: &'static str) -> Stop {
        Stop::Broken { at: self.at, expected }
    }
}

/// All keys of the first values of a text.
pub(super) fn keys(bytes: &[u8]) -> Vec<String> {
    let rules = Rules::default();
    let mut walk = Walk::into_all(bytes, &rules);
    let mut keys: Vec<String> = Vec::new();
    while let Ok(event) = walk.next(|_| None) {
        if let Event::Unit(Some(key), _) | Event::Entered(Some(key), ..) = event
            && let key = String::from_utf8_lossy(&key.text(bytes))
            && keys.len() < ROWS_LOOKED_AT
            && !keys.iter().any(|known| *known == key)
        {
            keys.push(key.into_owned());
        }
    }
    keys
}
