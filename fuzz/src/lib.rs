//! The bodies of the fuzz targets. Each takes any bytes, and panics if something does not hold.
//!
//! They need no fuzzer: `tests/corpus.rs` runs them over the bytes that fuzzing has found worth keeping. Bytes stand for
//! grids and choices (`draw`), so that they lead to puzzles in which there is something to be found.

mod draw;
pub mod notations;
pub mod pipeline;
pub mod read;
pub mod results;
pub mod solve;
pub mod verify;

#[path = "../../tests/oracle/mod.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod oracle;

/// A target: what it is called, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 6] = [
    ("notations", notations::run),
    ("pipeline", pipeline::run),
    ("read", read::run),
    ("results", results::run),
    ("solve", solve::run),
    ("verify", verify::run),
];
