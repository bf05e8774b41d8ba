//! Generating puzzles from seeds.
//!
//! A given spec and seed produce the same puzzles on every machine. Random numbers come from xoshiro256++, a published
//! algorithm. They are sampled by `sudoku/random.rs` instead of a library, which could change.

pub mod full_grid;
pub mod puzzles;
pub mod reduce;

pub use crate::kinds::sudominoku::generate as sudominoku;
