//! Solve, check and time whole files of Sudoku puzzles in parallel.
//!
//! The layers, each of which may use only those above it in this list (`tests/layering.rs` keeps it so):
//!
//! - [`grid`]: cells, geometry, puzzles and solutions as plain data, Sudominoku cases;
//! - [`check`]: the independent verifier, which shares no code with the solvers;
//! - [`solver`]: puzzles in, outcomes out; it knows nothing of files;
//! - [`generate`]: the seeded generator of puzzles;
//! - [`input`]: bytes to records, in every format; it knows nothing of threads;
//! - [`output`]: rows to bytes, in every format;
//! - [`stats`]: what a run adds up to;
//! - [`provenance`]: program, command, machine and input of a run;
//! - [`engine`]: the pipeline; it knows nothing of terminals and reports through [`engine::Observer`];
//! - [`bench`](mod@bench): solvers and whole programs against each other, in turns.
//! - `report` (feature `report`): what files of results, or a run, amount to, as a page, Markdown or JSON.

pub mod bench;
pub mod check;
pub mod generate;
pub mod grid;
pub mod input;
pub mod jobs;
pub mod output;
pub mod pipeline;
pub mod provenance;
pub mod record;
#[cfg(feature = "report")]
pub mod report;
pub mod solver;

#[cfg(feature = "cli")]
pub mod cli;

/// The examples of README.md, compiled and run by the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
