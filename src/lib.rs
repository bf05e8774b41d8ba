//! Solve, check and time whole files of Sudoku puzzles in parallel.
//!
//! ```
//! use batchdoku::solver::{Options, Verdict};
//! use batchdoku::sudoku::Grid;
//!
//! let puzzle: Grid = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..".parse()?;
//! let answers = batchdoku::solve(&[puzzle], &Options::default());
//! assert_eq!(answers.verdicts(), [Verdict::Unique]);
//! # Ok::<(), batchdoku::sudoku::ParseGridError>(())
//! ```
//!
//! The stable API consists of the modules documented here; `docs/api.txt` lists its items. The other modules are public
//! only for use by the program, its benchmarks and its fuzz targets, and can change at any time:
//!
//! | module | contents | feature |
//! |---|---|---|
//! | `kinds` | a folder for each kind of puzzle except plain sudoku; its files belong to the modules below | |
//! | [`sudoku`] | grids, cases, houses, symmetries, the independent verifier | |
//! | [`solver`] | puzzles in, outcomes out | |
//! | [`generate`] | seeded puzzles | |
//! | [`analysis`] | canonical forms, ratings | |
//! | `record` | the vocabulary of rows: records, kinds, faults, schemas, pages | |
//! | `input` | bytes to records, one file per format | `io` |
//! | `output` | pages to bytes, one file per format | `io` |
//! | `jobs` | records to answers, one file per job | `io` |
//! | `pipeline` | the ordered machine that runs a job over inputs | `io` |
//! | `arrow` | Arrow columns to records, pages to record batches | `arrow` |
//! | `provenance` | program, command, machine and input of a run | `io` |
//! | `bench` | solvers and whole programs against each other, in turns | `bench` |
//! | `report` | reports of runs and results, as a page, Markdown or JSON | `report` |
//! | `survey` | descriptions, samples and duplicates of inputs | `report` |
//! | `cli` | the command line, one file per subcommand | `cli` |
//!
//! Each module may use only the modules above it (`tests/it/layering.rs` checks this).

pub mod analysis;
pub mod generate;
mod kinds;
#[doc(hidden)]
pub mod record;
pub mod solver;
pub mod sudoku;

#[cfg(feature = "io")]
#[doc(hidden)]
pub mod input;
#[cfg(feature = "io")]
#[doc(hidden)]
pub mod jobs;
#[cfg(feature = "io")]
#[doc(hidden)]
pub mod output;
#[cfg(feature = "io")]
#[doc(hidden)]
pub mod pipeline;
#[cfg(feature = "io")]
#[doc(hidden)]
pub mod provenance;

#[cfg(feature = "arrow")]
#[doc(hidden)]
pub mod arrow;
#[cfg(feature = "bench")]
#[doc(hidden)]
pub mod bench;
#[cfg(feature = "report")]
#[doc(hidden)]
pub mod report;

#[cfg(feature = "report")]
#[doc(hidden)]
pub mod survey;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

pub use rand_core;
pub use solver::solve;

/// The examples in README.md, which the tests compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
