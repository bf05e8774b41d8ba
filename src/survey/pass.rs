//! Runs a first pass over inputs, for decisions that depend on all records.

use std::io;
use std::sync::atomic::AtomicBool;

use super::strata::Strata;
use crate::input::{InputError, Source};
use crate::jobs::Job;
use crate::jobs::pick::Pick;
use crate::jobs::solve::Solve;
use crate::output::ChoiceError;
use crate::pipeline::{self, Collect, Digest, Ending, Observer, Plan, RunError, RunOptions};
use crate::record::FaultKind;

/// The reason why a first pass failed.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    /// An input cannot be read to the end.
    #[error("{0}; it must be read completely before anything is written")]
    Input(#[from] InputError),
    /// No input has a required column.
    #[error(transparent)]
    Column(InputError),
    /// The records would have to be converted to a format that cannot be written.
    #[error("{0}")]
    Choice(#[from] ChoiceError),
    /// The records of the named input, which has this format, cannot be written without their context.
    #[error("{0}: its records cannot be copied out of {1}")]
    NoExcerpt(String, &'static str),
    /// Two inputs cannot be combined.
    #[error(
        "{name}: has {what} from {first}; records are copied from inputs of one format with the same columns"
    )]
    Unlike {
        /// Name of the input.
        name: String,
        /// An earlier input that it does not match.
        first: String,
        /// How the two inputs differ.
        what: &'static str,
    },
    /// The record on this line of the named input holds a puzzle that is not a sudoku.
    #[error("{0}:{1}: is a {2} case, and only sudokus are compared")]
    Case(String, u64, &'static str),
    /// The data about the records does not fit into memory and cannot be written to disk or read back.
    #[error("the temporary file for what is beyond the bound on memory: {0}")]
    Spill(io::Error),
    /// A result table cannot be written to the named output.
    #[error("{0}: cannot be written: {1}")]
    Unwritten(String, #[source] io::Error),
    /// The stop flag was raised.
    #[error("interrupted: nothing was written")]
    Interrupted,
    /// The run over the records failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The maximum number of guesses per search; a puzzle that needs more is `unfinished`.
const MOST_GUESSES: u64 = 100_000;

/// A first pass that examines puzzles.
pub struct Pass {
    /// Whether the pass solves the puzzles.
    pub searches: bool,
    /// The strata to distinguish.
    pub by: Strata,
    /// Options for the run.
    pub options: RunOptions,
}

impl Pass {
    /// Runs over sources, collects the digests of the puzzles, and returns warnings. Fails like [`first_pass`], or if
    /// no source has the column that defines the strata.
    pub fn run<D: Digest>(
        self,
        sources: Vec<Source>,
        digest: D,
        collector: &mut impl Collect<D::Part>,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Vec<String>, PassError> {
        let Self { searches, by, options } = self;
        if searches || by.is_searched() {
            let job = Solve::new(super::search(MOST_GUESSES), false);
            first_pass(Plan::new(sources, job, digest, options), &by, collector, observer, stop)
        } else {
            first_pass(Plan::new(sources, Pick::all(), digest, options), &by, collector, observer, stop)
        }
    }
}

/// Runs a plan whose rows carry the strata column along, collects the digests of the rows, and returns warnings. Fails
/// if a source cannot be read to the end, no source has the column, the job panics, or the flag is raised.
pub fn first_pass<J: Job, D: Digest>(
    mut plan: Plan<J, D>,
    by: &Strata,
    collector: &mut impl Collect<D::Part>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<String>, PassError> {
    plan.schema.carried = by.carry(&mut plan.sources, &*plan.job).map_err(PassError::Column)?;
    let ended = pipeline::run(plan, collector, &mut io::sink(), observer, stop)?;
    let mut defects = ended.defects.first.into_iter();
    if let Some(panic) = defects.find(|defect| defect.fault.kind == FaultKind::Panic) {
        return Err(RunError::Panic { first_id: panic.id, message: panic.fault.reason() }.into());
    }
    if let Some(error) = ended.input_errors.into_iter().next() {
        return Err(error.into());
    }
    if ended.ending == Ending::Interrupted { Err(PassError::Interrupted) } else { Ok(ended.notes) }
}
