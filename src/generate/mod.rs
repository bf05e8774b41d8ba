//! Seeded puzzles.
//!
//! A spec and a seed give the same puzzles on every machine. Random numbers come from xoshiro256++, a published
//! algorithm. They are sampled by `sudoku/random.rs` and not by a library that may change.

pub mod full_grid;
pub mod puzzles;
pub mod reduce;
pub mod sudominoku;
