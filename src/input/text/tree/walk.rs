//! Walks through a document, from one unit to the next.
//!
//! A unit is a short value or element, which is read with all that is in it; a longer list, object or element is
//! entered, and its contents are units. Finding where a unit ends is cheap; whether it is valid only its reader checks.
//!
//! Broken syntax costs the rest of its unit, since nothing certain can be said after a lost bracket. Where quotes,
//! brackets and tags do not tell where a unit ends, the document ends.

use std::ops::Range;

use super::finder::Rules;
use super::syntax::Text;
use super::unit::{Begin, DEEPEST, LONGEST, Stop, TOO_DEEP};
use crate::input::reader::TextEnd;
use crate::input::text::nesting::Nesting;

/// What is next in a document.
#[derive(Debug)]
pub(super) enum Event {
    /// A unit, with its key if it has one.
    Unit(Option<Range<usize>>, Range<usize>),
    /// A long value that is gone into: its start, up to what is in it.
    Entered(Range<usize>),
    /// The end of one.
    Left,
    /// A value that begins there and does not end.
    Rest(Option<Range<usize>>, usize, Stop),
}

/// Goes through the text of a document.
pub(super) struct Walk<'a> {
    pub text: &'a Text<'a>,
    rules: &'a Rules,
    /// What follows the bytes at hand; if that is a block which ends where a walk can go on, damage.
    end: TextEnd,
    /// Behind the last event.
    pub at: usize,
    pub nesting: Nesting,
}

impl<'a> Walk<'a> {
    /// Through a text before which these values were opened.
    pub fn new(text: &'a Text<'a>, rules: &'a Rules, nesting: Nesting, end: TextEnd) -> Self {
        Self { text, rules, end, at: 0, nesting }
    }

    /// The next event. `known` gives the length of a value with which a text begins, if it knows it.
    #[inline]
    pub fn next(&mut self, known: impl FnOnce(&[u8]) -> Option<usize>) -> Result<Event, Stop> {
        let bytes = self.text.bytes();
        let (key, start) = match self.text.begin(self.at, &self.nesting)? {
            Begin::Value { key, start } => (key, start),
            Begin::End(end) => {
                self.at = end;
                self.nesting.leave();
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
            (Some(_), _) if self.nesting.opens.len() == DEEPEST => Err(Stop::Broken(start, TOO_DEEP)),
            (Some(inside), _) => {
                self.count();
                let meaning = key.as_ref().and_then(|key| self.rules.meaning(&self.text.key(key)).is_claim);
                let are_claims = meaning.or(self.nesting.are_claims());
                self.text.enter(&mut self.nesting, key, start, are_claims);
                self.at = inside;
                Ok(Event::Entered(start..inside))
            }
            (None, Ok(end)) => {
                self.count();
                self.at = end;
                Ok(Event::Unit(key, start..end))
            }
            (None, Err(Stop::More)) if self.end != TextEnd::Last => Err(Stop::More),
            (None, Err(stop)) => {
                self.count();
                Ok(Event::Rest(key, start, stop))
            }
        }
    }

    /// Counts the value that begins.
    fn count(&mut self) {
        if let Some(open) = self.nesting.opens.last_mut() {
            open.count += 1;
        }
    }
}
