//! Kinds of puzzle other than plain sudoku, one folder each.
//!
//! Each file in such a folder is named after the room that it belongs to, and uses only what that room may use. Other
//! rooms see [`PuzzleKind`](crate::record::PuzzleKind) and [`Variant`](crate::record::Variant).

pub mod sudominoku;
