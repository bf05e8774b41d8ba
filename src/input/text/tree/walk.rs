//! Walks through a document from one unit to the next.
//!
//! A unit is a short value or element that is read together with its contents. A longer list, object or element is
//! entered, and its contents are the units. Finding the end of a unit is cheap; only the unit's reader checks whether
//! it is valid.
//!
//! If the syntax breaks, the rest of the unit is lost, because nothing is certain after a missing bracket. If quotes,
//! brackets and tags do not show where a unit ends, the document ends there.

use std::ops::Range;

use super::finder::Meanings;
use super::syntax::Text;
use super::unit::{Begin, DEEPEST, LONGEST, Stop, TOO_DEEP};
use crate::input::ReadOptions;
use crate::input::reader::{Open, TextEnd};

/// The next event in a document.
#[derive(Debug)]
pub(super) enum Event {
    /// A unit, with its key if it has one.
    Unit(Option<Range<usize>>, Range<usize>),
    /// A long value that is entered: the range from its start to the start of its contents.
    Entered(Range<usize>),
    /// The end of a value that had been entered.
    Left,
    /// A value that begins at this offset but whose end was not found.
    Rest(Option<Range<usize>>, usize, Stop),
}

/// A walk through the text of a document.
pub(super) struct Walk<'a> {
    pub text: &'a Text<'a>,
    pub meanings: Meanings<'a>,
    /// The continuation after this text; `Cut` means that the text is a block, and that another walk can continue after
    /// it.
    pub end: TextEnd,
    /// The offset at which the latest event ends.
    pub at: usize,
    /// The values that are open, innermost last.
    pub nesting: Vec<Open>,
}

impl<'a> Walk<'a> {
    /// Begins a walk through a text; `nesting` holds the values opened before it.
    pub fn new(text: &'a Text<'a>, options: &'a ReadOptions, nesting: Vec<Open>, end: TextEnd) -> Self {
        Self { text, meanings: Meanings::new(options), end, at: 0, nesting }
    }

    /// Returns the next event. `known` returns the length of the value at the start of a text if that is already known.
    #[inline]
    pub fn next(&mut self, known: impl FnOnce(&[u8]) -> Option<usize>) -> Result<Event, Stop> {
        let bytes = self.text.bytes();
        let (key, start) = match self.text.begin(self.at, self.nesting.last())? {
            Begin::Value { key, start } => (key, start),
            Begin::End(end) => {
                self.at = end;
                self.nesting.pop();
                return Ok(Event::Left);
            }
        };
        let end = match known(&bytes[start..]) {
            Some(length) => Ok(start + length),
            None => self.text.end(start, self.end == TextEnd::More),
        };
        let reached = match end {
            Ok(at) | Err(Stop::Broken(at, _)) => at,
            Err(Stop::More) => bytes.len(),
        };
        let is_long = reached - start > LONGEST;
        let is_cut = end == Err(Stop::More) && self.end == TextEnd::Cut;
        let inside = if is_long || is_cut { self.text.inside(start) } else { None };
        match (inside, end) {
            (Some(_), _) if self.nesting.len() == DEEPEST => Err(Stop::Broken(start, TOO_DEEP)),
            (Some(inside), _) => {
                self.note_value();
                let own = self.meanings.of(self.text, key.as_ref());
                let are_claims = own.is_claim.or(self.nesting.last().and_then(|open| open.are_claims));
                self.nesting.push(self.text.open(key, start, are_claims));
                self.at = inside;
                Ok(Event::Entered(start..inside))
            }
            (None, Ok(end)) => {
                self.note_value();
                self.at = end;
                Ok(Event::Unit(key, start..end))
            }
            (None, Err(Stop::More)) if self.end != TextEnd::Last => Err(Stop::More),
            (None, Err(stop)) => {
                self.note_value();
                Ok(Event::Rest(key, start, stop))
            }
        }
    }

    /// Notes that a value has begun.
    fn note_value(&mut self) {
        if let Some(open) = self.nesting.last_mut() {
            open.has_values = true;
        }
    }
}
