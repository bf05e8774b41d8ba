//! The canonical form and the difficulty of a puzzle.

pub mod canon;
pub mod rating;
