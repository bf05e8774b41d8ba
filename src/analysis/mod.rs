//! The canonical form of a puzzle and its difficulty.

pub mod canon;
pub mod rating;
