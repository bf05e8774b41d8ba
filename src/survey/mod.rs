//! What an input holds, for who does not know it yet: a look at it, and a sample of its records.
//!
//! [`inspect`](fn@inspect) solves records of an input and counts what they are ([`Inspection`]); [`sample`] picks some
//! out of all, each as likely as any other.

mod inspect;
mod job;
pub mod sample;
mod stand;
mod text;

pub use inspect::{InspectError, InspectOptions, Inspection, inspect};
pub use stand::AsTheyStand;
