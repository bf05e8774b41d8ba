//! Jobs: the operations on the records of a batch. One file per job.
//!
//! A job turns records into columns. The pipeline brings batches, and encoders write the answers. A job knows no file
//! and no terminal, but some jobs ask an encoder which columns it can hold. Only `generate` uses threads other than its
//! own: it tries grids on all threads of the pool.

/// Makes the statuses of a job from a table of names and words.
macro_rules! statuses {
    ($($name:ident = $word:expr,)*) => {
        /// A status, as an index of the words of the job.
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

        /// The words of the column `status`, in the order in which summaries list them.
        pub const STATUSES: &[Label] = &[$($word),*];
    };
}

/// Makes the status of a job from that of the search before it, if both have the same name. A search has no other status
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

/// A choice of an option: its name, its meaning and its value.
pub type Choice<T> = (&'static str, &'static str, T);

/// Returns the value of the choice with a name.
#[must_use]
pub fn chosen<T: Copy>(choices: &[Choice<T>], name: &str) -> Option<T> {
    choices.iter().find(|choice| choice.0 == name).map(|choice| choice.2)
}

/// Makes a job and its sources carry columns along, and drops those that an output format cannot hold. Returns the
/// columns of the rows, and notes on what is missing. Fails if no source has a named column.
pub fn carry(
    job: &mut impl Job,
    sources: &mut [Source],
    keep: Option<&Keep>,
    encoders: &[&dyn Encode],
) -> Result<(Schema, Vec<String>), InputError> {
    let carried = keep.map(|keep| carried(keep, sources, job)).transpose()?;
    let mut notes = Vec::new();
    // A conversion takes what there is.
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
    let left_out = job.fit(&mut names, sources, encoders);
    if !left_out.is_empty() {
        let left_out = listed(&left_out);
        notes.push(format!("columns that this format has no place for are left out: {left_out}"));
    }
    if !names.is_empty() {
        sources.iter_mut().zip(&selections).for_each(|(source, columns)| source.carry(columns));
    }
    Ok((Schema { carried: names, ..job.schema().clone() }, notes))
}

/// Decides which columns of the sources are carried through a job. Fails if no source has a named column.
pub(crate) fn carried(keep: &Keep, sources: &[Source], job: &impl Job) -> Result<Carried, InputError> {
    let columns: Vec<_> = sources.iter().map(Source::columns).collect();
    let written = job.schema().fields.iter().filter(|field| field.class != Class::Internal);
    let taken: Vec<_> = written.map(|field| field.name).collect();
    Carried::settle(keep, &columns, &taken, job.want().claims)
}

/// Returns a hash of a grid, which is the same on every machine.
#[inline]
pub(crate) fn grid_hash(grid: &Grid) -> u64 {
    rapidhash_v3_inline::<true, false, false>(grid.cells(), &DEFAULT_RAPID_SECRETS)
}

/// The progress of a job with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The number of rows that may be written.
    pub rows: usize,
    /// The continuation after these rows.
    pub then: Then,
}

/// The continuation after some rows of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing: every record has all its rows.
    Done,
    /// More rows: call the job again.
    More,
    /// The other records, which form a new batch: call the job for them once all rows before are written.
    Later,
    /// Records without answers, since the job was stopped.
    Stopped,
}

impl Answered {
    /// Makes an answer with one row per record; fewer rows if the job was stopped.
    #[must_use]
    pub fn a_row_each(rows: usize, records: &Records) -> Self {
        Self { rows, then: if rows < records.len() { Then::Stopped } else { Then::Done } }
    }
}

/// A job over records.
pub trait Job: Send + Sync + 'static {
    /// The state of a thread: solvers and their memory.
    type Worker: Send + 'static;

    /// Returns the columns of the rows; those of [`Field::ORIGIN`](crate::record::Field::ORIGIN) come first.
    fn schema(&self) -> &Schema;

    /// Drops the columns, also of those that are carried, that one of the output formats cannot hold. Returns their
    /// names.
    fn fit(&mut self, _carried: &mut Vec<String>, _: &[Source], _: &[&dyn Encode]) -> Vec<String> {
        Vec::new()
    }

    /// Returns the parts of a record that the job needs besides the puzzle.
    fn want(&self) -> Want {
        Want::default()
    }

    /// Makes the state of one thread. Long searches end once `stop` is raised.
    fn worker(&self, stop: Arc<AtomicBool>) -> Self::Worker;

    /// Begins a batch, before its first rows are requested.
    fn begin(&self, _: &mut Self::Worker, _: &Batch, _: &Records, _: &mut Table) {}

    /// Fills a table without rows with the answers to the records of a batch, in order. If there are very many rows,
    /// some are returned with [`Then::More`]. If the next record takes long, [`Then::Later`] is returned.
    fn answer(
        &self,
        worker: &mut Self::Worker,
        batch: &Batch,
        records: &Records,
        table: &mut Table,
    ) -> Answered;

    /// Whether a record may have several rows, each of which names its record: [`Table::row_of`]. Every record has at
    /// least one.
    fn has_many_rows(&self) -> bool {
        false
    }

    /// Returns the number of grids tried so far, if the job looks for puzzles.
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
    /// The words of the job's statuses, the best one first.
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
/// jobs, the first one is taken, so a new job goes last.
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

/// The status of a record that cannot be read or whose clues clash, in every job.
pub const INVALID: Label =
    Label::unsearched("invalid", "the record could not be read, or its clues clash", Severity::BadRecord);

/// The status of a puzzle on which the search gave up, in every job.
pub const UNFINISHED: Label =
    Label::new("unfinished", "--max-guesses or --max-time was reached", Severity::Unanswered);

/// The status of a record on which the program failed, by a panic or a refused answer, in every job.
pub const INTERNAL_ERROR: Label = Label::new(
    "internal-error",
    "the program failed on the record, or its answer was refused: please report it",
    Severity::Defect,
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Role;

    /// The help of a job is complete: no column and no status is missing.
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
}
