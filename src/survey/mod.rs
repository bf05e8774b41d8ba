//! Describes and samples inputs. The function [`inspect`](fn@inspect) solves the records of an input and counts them
//! ([`Inspection`]). The module `sample` picks random records, [`duplicates`] finds records that are the same, and
//! [`split`] divides records into parts. All three are run by [`selection`], to prepare a second pass. How records are
//! written is decided by [`copies`]. Claimed solutions, and puzzles from which others are made, are read by [`grids`].

pub mod copies;
pub mod duplicates;
pub mod grids;
mod inspect;
mod job;
mod pass;
mod sample;
pub mod selection;
pub mod split;
mod strata;
mod text;
mod verbatim;

pub use inspect::{InspectError, InspectOptions, Inspection, inspect};
pub use pass::PassError;
pub use strata::Strata;
pub use verbatim::Verbatim;

use crate::jobs::SearchOptions;
use crate::solver::{Backend, Limits};

/// Returns the options for the fastest search, which gives up on a puzzle after `most_guesses`.
fn search(most_guesses: u64) -> SearchOptions {
    let limits = Limits { max_guesses: Some(most_guesses), ..Limits::default() };
    SearchOptions { backend: Backend::best(), limits }
}

#[cfg(test)]
fn source(text: &str) -> crate::input::Source {
    crate::input::Source::from_reader("a", std::io::Cursor::new(text.to_owned()), &Default::default())
        .unwrap()
}
