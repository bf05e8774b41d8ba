//! The units of a document, and the reasons why no unit is found.

use std::ops::Range;

/// The length of the longest unit in bytes. It is enough for several puzzles with all their data, yet leaves enough
/// units in a block to share the work.
pub(super) const LONGEST: usize = 64 << 10;

/// The maximum nesting depth of lists, objects and elements, as in other parsers.
pub(super) const DEEPEST: usize = 128;

/// The fault reported if the nesting is deeper.
pub(super) const TOO_DEEP: &str = "more than 128 values within each other";

/// The reason why the search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The value continues beyond the available bytes.
    More,
    /// The document is broken at this byte, in the way described.
    Broken(usize, &'static str),
}

/// The thing that begins after a value.
pub(super) enum Begin {
    /// Nothing begins; the innermost open value ends at this offset.
    End(usize),
    /// Another value begins, with its key if it has one.
    Value { key: Option<Range<usize>>, start: usize },
}
