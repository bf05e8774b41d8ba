//! The tests of the program and of the library's public interface, as a single program: linked once, and all run in
//! parallel.
//!
//! Some tests are separate programs: those that must run alone (`torture`), and those that need a tool (`browser`,
//! `faults`, `tokens`). `corpus` is separate too, because no published package contains it.
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
mod english;
mod layering;
#[cfg(unix)]
mod promises;
mod solver;
mod sudominoku;

/// The tests of the program, in the files next to this one.
#[cfg(feature = "cli")]
#[path = "."]
mod program {
    mod bench;
    mod canon;
    mod cli;
    mod convert;
    mod dedupe;
    mod determinism;
    mod enumerate;
    #[cfg(unix)]
    mod flags;
    mod generate;
    mod golden;
    #[cfg(unix)]
    mod inputs;
    mod inspect;
    #[cfg(unix)]
    mod interruption;
    mod isolation;
    mod minimize;
    mod output_formats;
    #[cfg(unix)]
    mod outputs;
    mod permute;
    mod rate;
    mod refusals;
    mod report;
    #[cfg(target_os = "linux")]
    mod resources;
    #[cfg(unix)]
    mod resume;
    mod sample;
    mod sheet;
    mod split;
    #[cfg(unix)]
    mod terminal;
    mod verify;
}
