//! Seeded puzzles.
//!
//! The same wish and seed give the same puzzles on every machine: random numbers come from xoshiro256++, a published
//! algorithm, sampled by `sudoku/random.rs` and not by a library that may change.

pub mod full_grid;
pub mod puzzles;
pub mod reduce;
pub mod sudominoku;
