//! Describes and samples inputs. The function [`inspect`](fn@inspect) solves the records of an input and counts them
//! ([`Inspection`]). The module `sample` picks random records, [`duplicates`] finds records that are the same, and
//! [`split`] divides records into parts. The module [`selection`] runs all three to prepare a second pass, [`copies`]
//! decides how records are written, and [`grids`] reads claimed solutions and source puzzles.

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
