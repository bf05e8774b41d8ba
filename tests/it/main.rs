//! The tests of the program and of the library from outside, as one program: linked once, and all at work side by side.
//!
//! In programs of their own are those that must be alone (`torture`), that take a tool (`browser`, `faults`, `tokens`),
//! and that no published package has (`corpus`).
#![allow(clippy::unwrap_used)]

#[path = "../oracle/contest.rs"]
mod contest;
#[path = "../oracle/mod.rs"]
mod oracle;
#[cfg(feature = "cli")]
#[path = "../place/mod.rs"]
mod place;
#[cfg(all(feature = "cli", unix))]
#[path = "../pty/mod.rs"]
mod pty;
#[cfg(feature = "arrow")]
#[path = "../puzzles/mod.rs"]
mod puzzles;
#[cfg(feature = "cli")]
#[path = "../results/mod.rs"]
mod results;

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "cli")]
mod bench;
#[cfg(feature = "cli")]
mod canon;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod convert;
#[cfg(feature = "cli")]
mod dedupe;
#[cfg(feature = "cli")]
mod determinism;
mod english;
#[cfg(feature = "cli")]
mod enumerate;
#[cfg(all(feature = "cli", unix))]
mod flags;
#[cfg(feature = "cli")]
mod generate;
#[cfg(feature = "cli")]
mod golden;
#[cfg(all(feature = "cli", unix))]
mod inputs;
#[cfg(feature = "cli")]
mod inspect;
#[cfg(all(feature = "cli", unix))]
mod interruption;
#[cfg(feature = "cli")]
mod isolation;
mod layering;
#[cfg(feature = "cli")]
mod minimize;
#[cfg(feature = "cli")]
mod output_formats;
#[cfg(all(feature = "cli", unix))]
mod outputs;
#[cfg(feature = "cli")]
mod permute;
#[cfg(all(feature = "cli", unix))]
mod promises;
#[cfg(feature = "cli")]
mod rate;
#[cfg(feature = "cli")]
mod refusals;
#[cfg(feature = "cli")]
mod report;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod resources;
#[cfg(all(feature = "cli", unix))]
mod resume;
#[cfg(feature = "cli")]
mod sample;
#[cfg(feature = "cli")]
mod sheet;
mod solver;
#[cfg(feature = "cli")]
mod split;
mod sudominoku;
#[cfg(all(feature = "cli", unix))]
mod terminal;
#[cfg(feature = "cli")]
mod verify;
