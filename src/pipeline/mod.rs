//! Running a job on inputs: sources are read and rows are written in order, using all cores.
//!
//! `ordered.rs` holds the underlying machine, which [`run`](fn@run) uses to run a job. One thread cuts the inputs into
//! batches. Each pool task reads, answers, encodes and digests one batch. The calling thread writes the rows and
//! collects the digests in input order. No lock is taken and no progress is reported per puzzle, and only the solvers
//! read the clock. This code knows nothing about terminals: an [`Observer`] follows the progress.

mod batches;
mod defects;
mod digest;
pub mod distribution;
mod numbering;
mod ordered;
mod rows;
mod run;
mod tally;
mod task;
mod terms;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use crate::input::silence_isolated_panics;
pub use defects::{Defect, Defects};
pub use digest::{Collect, Digest};
pub use run::{Plan, RowOutput, run};
pub use tally::{BadRecord, HardPuzzle, Tally, TallyDigest};
pub use terms::{
    BATCH_BYTES, EarlierRun, Ended, Ending, Observer, PassedOver, Progress, RowSink, RunError, RunOptions,
    TextRead, threads,
};
