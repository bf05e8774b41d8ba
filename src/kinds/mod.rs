//! Kinds of puzzle other than plain sudoku, one folder each.
//!
//! A file of a kind has the name of the room that it belongs to, and uses only what that room may use. Other rooms see
//! [`PuzzleKind`](crate::record::PuzzleKind) and [`Variant`](crate::record::Variant).

pub mod sudominoku;
