//! Jobs: the operations that process the records of a batch, one file per job.
//!
//! A job turns records into columns. The pipeline supplies batches, and encoders write the answers. Jobs know nothing
//! about files or terminals, but some ask an encoder which columns it can hold. Only `generate` uses threads other
//! than its own: it tries grids on all threads in the pool.

/// Defines a job's statuses from a table of names and labels.
macro_rules! statuses {
    ($($name:ident = $word:expr,)*) => {
        /// A status: an index into the job's labels.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Status {
            $($name,)*
        }

        impl From<Status> for u8 {
            fn from(status: Status) -> Self {
                status as Self
            }
        }

        impl From<u8> for Status {
            fn from(index: u8) -> Self {
                [$(Self::$name),*][usize::from(index)]
            }
        }

        /// The labels in the `status` column, in the order in which summaries list them.
        pub const STATUSES: &[Label] = &[$($word),*];
    };
}

/// Converts the status of the preceding search to the job's status of the same name. No other search status can occur
/// in that job.
macro_rules! statuses_of_search {
    ($($name:ident),*) => {
        impl From<solve::Status> for Status {
            fn from(status: solve::Status) -> Self {
                match status {
                    $(solve::Status::$name => Self::$name,)*
                    _ => Self::InternalError,
                }
            }
        }
    };
}

pub mod canon;
pub mod cases;
pub mod claims;
pub mod convert;
pub mod enumerate;
#[cfg(test)]
pub(crate) mod failpoints;
pub mod generate;
pub mod measures;
pub mod minimize;
pub mod permute;
pub mod pick;
pub mod rate;
mod search;
pub mod solutions;
pub mod solve;
pub mod verify;

pub use search::{AUTO, SearchOptions, backend};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

use crate::input::{Batch, Carried, InputError, Keep, Source, listed};
use crate::output::Encode;
use crate::record::{Class, Field, Label, Records, Schema, Severity, Table, Want};
use crate::sudoku::Grid;

/// One choice for an option: its name, its meaning and its value.
pub type Choice<T> = (&'static str, &'static str, T);

/// Returns the value of the choice with this name.
#[must_use]
pub fn chosen<T: Copy>(choices: &[Choice<T>], name: &str) -> Option<T> {
    choices.iter().find(|choice| choice.0 == name).map(|choice| choice.2)
}

/// Sets up a job and its sources to carry columns along, except those that an output format cannot hold. Returns the
/// columns of the rows, and notes on what is missing. Fails if a named column is not in any source.
pub fn carry(
    job: &mut impl Job,
    sources: &mut [Source],
    keep: Option<&Keep>,
    encoders: &[&dyn Encode],
) -> Result<(Schema, Vec<String>), InputError> {
    let carried = keep.map(|keep| carried(keep, sources, job)).transpose()?;
    let mut notes = Vec::new();
    // A conversion simply carries whatever columns exist.
    let is_conversion = keep == Some(&Keep::All) && !job.schema().has_answers();
    if !is_conversion {
        let tables = sources.iter().filter(|source| keep.is_some() && source.columns().names.is_empty());
        let note =
            |source: &Source| format!("{}: not a table: it has no columns to keep", source.info().name);
        notes.extend(tables.map(note));
        let claimless = sources.iter().filter(|_| job.want().claims);
        notes.extend(claimless.filter_map(Source::note_on_claims));
    }
    let (mut names, selections) =
        carried.map(|carried| (carried.names, carried.selections)).unwrap_or_default();
    let left_out = job.fit(&mut names, sources.iter().any(|source| source.look().has_claims), encoders);
    if !left_out.is_empty() {
        let left_out = listed(&left_out);
        notes.push(format!("columns that this format has no place for are left out: {left_out}"));
    }
    if !names.is_empty() {
        sources.iter_mut().zip(&selections).for_each(|(source, columns)| source.carry(columns));
    }
    Ok((Schema { carried: names, ..job.schema().clone() }, notes))
}

/// Decides which of the sources' columns a job carries along. Fails if a named column is not in any source.
pub(crate) fn carried(keep: &Keep, sources: &[Source], job: &impl Job) -> Result<Carried, InputError> {
    let columns: Vec<_> = sources.iter().map(Source::columns).collect();
    let written = job.schema().fields.iter().filter(|field| field.class != Class::Internal);
    let taken: Vec<_> = written.map(|field| field.name).collect();
    Carried::settle(keep, &columns, &taken, job.want().claims)
}

/// Returns a hash of the grid that is the same on every machine.
#[inline]
pub(crate) fn grid_hash(grid: &Grid) -> u64 {
    rapidhash_v3_inline::<true, false, false>(grid.cells(), &DEFAULT_RAPID_SECRETS)
}

/// A batch and the records that were found in it.
#[derive(Clone, Copy)]
pub struct ReadBatch<'a> {
    /// The batch.
    pub batch: &'a Batch,
    /// Its records.
    pub records: &'a Records,
}

/// The step to take after a job has produced some rows of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing is left to do: every record has all its rows.
    Done,
    /// There are more rows: call the job again.
    More,
    /// The remaining records form a new batch: call the job for them once all earlier rows have been written.
    Later,
    /// Some records have no answers because the job was stopped.
    Stopped,
}

impl Then {
    /// Returns the next step of a job that has answered the first `answered` records. If there are more records, the
    /// job was stopped.
    #[must_use]
    pub fn after(answered: usize, records: &Records) -> Self {
        if answered < records.len() { Self::Stopped } else { Self::Done }
    }
}

/// A job that processes records.
pub trait Job: Send + Sync + 'static {
    /// The state of one thread: solvers and their memory.
    type Worker: Send + 'static;

    /// Returns the columns of the rows, starting with those of [`Field::ORIGIN`](crate::record::Field::ORIGIN).
    fn schema(&self) -> &Schema;

    /// Drops the columns, including carried ones, that some output format cannot hold. Returns their names.
    fn fit(&mut self, _carried: &mut Vec<String>, _has_claims: bool, _: &[&dyn Encode]) -> Vec<String> {
        Vec::new()
    }

    /// Returns which parts of a record the job needs in addition to the puzzle.
    fn want(&self) -> Want {
        Want::default()
    }

    /// Creates the state of one thread. Long searches end once `stop` is raised.
    fn worker(&self, stop: Arc<AtomicBool>) -> Self::Worker;

    /// Starts a batch, before its first rows are requested.
    fn begin(&self, _: &mut Self::Worker, _: ReadBatch<'_>, _: &mut Table) {}

    /// Fills an empty table with the answers to a batch's records, in order. If there are very many rows, returns some
    /// of them with [`Then::More`]. If the next record takes a long time, returns [`Then::Later`].
    fn answer(&self, worker: &mut Self::Worker, read: ReadBatch<'_>, table: &mut Table) -> Then;

    /// Whether a record can have several rows. If so, each row names its record (see [`Table::row_of`]). Every record
    /// has at least one row.
    fn has_many_rows(&self) -> bool {
        false
    }

    /// Returns the number of grids tried so far, if the job generates puzzles.
    fn grids_tried(&self) -> Option<u64> {
        None
    }
}

/// An entry in the list of jobs: a subcommand with its columns and statuses.
#[derive(Clone, Copy, Debug)]
pub struct JobEntry {
    /// The name of the subcommand.
    pub name: &'static str,
    /// Whether the rows begin with the origin of the record.
    pub has_origin: bool,
    /// The job's own columns.
    pub fields: &'static [Field],
    /// The labels of the job's statuses, best first.
    pub statuses: &'static [Label],
}

impl JobEntry {
    /// Returns all columns of the job.
    #[must_use]
    pub fn columns(&self) -> Vec<Field> {
        let origin = Field::ORIGIN.into_iter().filter(|_| self.has_origin);
        origin.chain(self.fields.iter().copied()).collect()
    }
}

/// All jobs: their columns and statuses, for `--help` and for reports of results. If the columns of results fit several
/// jobs, the first of them is taken, so a new job belongs at the end.
pub const JOBS: &[JobEntry] = &[
    solve::ENTRY,
    verify::ENTRY,
    convert::ENTRY,
    enumerate::ENTRY,
    canon::ENTRY,
    rate::ENTRY,
    minimize::ENTRY,
    permute::ENTRY,
    generate::ENTRY,
];

/// The status that all jobs use for a record that cannot be read or whose clues clash.
pub const INVALID: Label =
    Label::unsearched("invalid", "the record could not be read, or its clues clash", Severity::BadRecord);

/// The status that all jobs use for a puzzle on which the search gave up.
pub const UNFINISHED: Label =
    Label::new("unfinished", "--max-guesses or --max-time was reached", Severity::Unanswered);

/// The status that all jobs use for a record on which the program failed, through a panic or a rejected answer.
pub const INTERNAL_ERROR: Label = Label::new(
    "internal-error",
    "the program failed on the record, or its answer failed the check; please report it",
    Severity::Defect,
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Role;

    /// The guide lists every column and status of each job.
    #[test]
    fn the_guide_has_every_column_and_status() {
        let guide = include_str!("../../docs/guide.md");
        for job in JOBS {
            let columns = job.columns();
            let has_status = columns.iter().any(|field| field.role == Role::Status);
            let statuses = job.statuses.iter().filter(|_| has_status).map(|word| word.name);
            for name in columns.iter().map(|field| field.name).chain(statuses) {
                assert!(guide.contains(&format!("`{name}`")), "{name} of {}", job.name);
            }
        }
    }

    /// The records of a batch get this status if the job panics.
    #[test]
    fn every_job_has_a_status_for_a_defect() {
        let has_one = |job: &JobEntry| job.statuses.iter().any(|word| word.severity == Severity::Defect);
        assert!(JOBS.iter().all(has_one));
    }
}
