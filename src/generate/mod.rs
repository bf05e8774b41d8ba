//! Generating puzzles from seeds.
//!
//! A spec and a seed give the same puzzles on every machine. Random numbers come from xoshiro256++, a published
//! algorithm. They are sampled by `sudoku/random.rs` rather than by a library that might change.
//!
//! ```
//! use batchdoku::generate::{Generator, PatternSymmetry, PuzzleSpec};
//! use batchdoku::solver::Backend;
//!
//! let mut spec = PuzzleSpec::default();
//! (spec.symmetry, spec.clues) = (PatternSymmetry::Rotate180, 22..=26);
//! let mut generator = Generator::new(7, spec, Backend::best());
//! let some = generator.puzzles(0..20);
//! assert_eq!(generator.puzzles(5..9), some[5..9]);
//! assert!(some.iter().flatten().all(|made| made.puzzle.is_unique()));
//! ```

mod full_grid;
mod puzzles;
mod reduce;

pub use crate::kinds::sudominoku::generate as sudominoku;
pub use full_grid::full_grid;
#[cfg(feature = "io")]
pub(crate) use puzzles::{AT_ONCE, OpenPuzzles, Try};
pub use puzzles::{Generated, Generator, PatternSymmetry, PuzzleSpec, Variation};
pub use reduce::{AllMinimal, Reducer};
