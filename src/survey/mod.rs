//! Descriptions and samples of inputs: [`inspect`](fn@inspect) solves records of an input and counts what they are
//! ([`Inspection`]); [`sample`] picks random records.

mod inspect;
mod job;
pub mod sample;
mod text;
mod verbatim;

pub use inspect::{InspectError, InspectOptions, Inspection, inspect};
pub use verbatim::Verbatim;
