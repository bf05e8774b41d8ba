//! The units of a document, and what may be found in place of one.

use std::ops::Range;

/// Bytes of the longest unit: some puzzles with all that belongs to them, and enough units in a block to share work.
pub(super) const LONGEST: usize = 64 << 10;

/// Lists, objects and elements within each other, as many as parsers take.
pub(super) const DEEPEST: usize = 128;

/// What is wrong where there are more.
pub(super) const TOO_DEEP: &str = "more than 128 values within each other";

/// Why there is nothing next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It goes on behind the bytes at hand.
    More,
    /// At this byte the document is broken, in this way.
    Broken(usize, &'static str),
}

/// What begins behind a value.
pub(super) enum Begin {
    /// Nothing: the innermost open value ends there.
    End(usize),
    /// Another value, with its key.
    Value { key: Option<Range<usize>>, start: usize },
}
