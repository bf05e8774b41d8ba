//! The units of a document, and the reasons why one is not found.

use std::ops::Range;

/// The size of the longest unit in bytes: some puzzles with all their data, and enough units in a block to share work.
pub(super) const LONGEST: usize = 64 << 10;

/// The greatest depth of lists, objects and elements within each other, as in other parsers.
pub(super) const DEEPEST: usize = 128;

/// The fault of deeper nesting.
pub(super) const TOO_DEEP: &str = "more than 128 values within each other";

/// The reason why nothing comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The value continues after the available bytes.
    More,
    /// The document is broken at this byte, in this way.
    Broken(usize, &'static str),
}

/// The thing that begins after a value.
pub(super) enum Begin {
    /// Nothing: the innermost open value ends there.
    End(usize),
    /// Another value, with its key.
    Value { key: Option<Range<usize>>, start: usize },
}
