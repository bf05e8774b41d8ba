//! The bodies of the fuzz targets. Each of them accepts any bytes and panics if something is wrong.
//!
//! They do not need a fuzzer: `tests/corpus.rs` runs them on the inputs that fuzzing found worth keeping. Bytes stand
//! for grids and choices (`draw`), so even random bytes lead to interesting puzzles.

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

/// A target: its name, and the function that runs it on some bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 6] = [
    ("notations", notations::run),
    ("pipeline", pipeline::run),
    ("read", read::run),
    ("results", results::run),
    ("solve", solve::run),
    ("verify", verify::run),
];
