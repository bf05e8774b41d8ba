//! Chooses records by a look at all of them: for a sample, for distinct records, or for parts.
//!
//! A first pass over the inputs decides, and a second copies or converts the records by the job that it gives.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use super::duplicates::{Bounds, Comparison, Matches, Same};
use super::pass::Pass;
use super::sample::Sampler;
use super::split::parts;
use super::strata::StrataDigest;
use super::{PassError, Strata};
use crate::input::Source;
use crate::jobs::pick::{self, LEFT, Pick, TAKEN, distinct, only};
use crate::pipeline::{Observer, RunOptions};
use crate::record::Label;

/// The way to choose records.
pub enum Selection {
    /// A random sample, and all other records.
    Sample {
        /// The number of records.
        count: NonZeroUsize,
        /// The seed of the random numbers.
        seed: u64,
    },
    /// Distinct records: those that are the same as an earlier one, or as one of other inputs, are left out.
    Dedupe {
        /// The criterion of the comparison.
        same: Same,
        /// The bounds of the comparison.
        bounds: Bounds,
    },
    /// Random parts, none of which has a record that is the same as one of another part.
    Split {
        /// The criterion of the comparison.
        same: Same,
        /// The bounds of the comparison.
        bounds: Bounds,
        /// The share of each part, in any unit.
        shares: Vec<u64>,
        /// The seed of the random numbers.
        seed: u64,
        /// The words of the parts: [`pick::words_of_parts`].
        statuses: &'static [Label],
    },
}

/// The inputs of a first pass.
pub struct FirstInputs {
    /// The inputs from which records are chosen.
    pub sources: Vec<Source>,
    /// Other inputs, whose records are left out.
    pub against: Option<Vec<Source>>,
    /// The criterion of strata, if any.
    pub by: Option<Strata>,
    /// Whether the chosen records are copied, not converted.
    pub are_copied: bool,
    /// The options of the run.
    pub run: RunOptions,
}

/// The choice of records that a first pass has made.
pub struct Selected {
    /// The job of the second pass, which gives each record a status.
    pub job: Pick,
    /// Whether the rows of each status are written, for each output.
    pub only: Vec<Vec<bool>>,
    /// The number of records.
    pub records: u64,
    /// The number of records of the other inputs, if there are other inputs.
    pub known: Option<u64>,
    /// The duplicates, for [`Selection::Dedupe`].
    pub matches: Option<Matches>,
    /// The number of records that are compared with none, if no status shows it.
    pub uncompared: u64,
    /// The warnings on other inputs.
    pub notes: Vec<String>,
}

/// A caller of first passes: it observes them and can stop them.
pub trait FirstPass {
    /// Calls `read` with sources, an observer and the flag that ends the run.
    fn read<T>(
        &self,
        sources: Vec<Source>,
        read: impl FnOnce(Vec<Source>, &dyn Observer, &AtomicBool) -> T,
    ) -> T;
}

impl FirstPass for (&dyn Observer, &AtomicBool) {
    fn read<T>(
        &self,
        sources: Vec<Source>,
        read: impl FnOnce(Vec<Source>, &dyn Observer, &AtomicBool) -> T,
    ) -> T {
        read(sources, self.0, self.1)
    }
}

impl Selection {
    /// Reads all records and makes the choice. Fails if an input cannot be read completely, or the flag is raised.
    pub fn make(self, inputs: FirstInputs, pass: &impl FirstPass) -> Result<Selected, PassError> {
        let FirstInputs { sources, against, by, are_copied, run } = inputs;
        match self {
            Self::Sample { count, seed } => {
                let mut sampler = Sampler::new(count.get(), seed);
                let first = Pass { searches: false, by: by.clone(), options: run };
                let digest = StrataDigest { by };
                pass.read(sources, |sources, observer, stop| {
                    first.run(sources, digest, &mut sampler, observer, stop)
                })?;
                let (records, only) = (sampler.seen, [TAKEN, LEFT].map(|only| only.to_vec()));
                Ok(Selected::new(pick::sample(sampler.ids()), only, records))
            }
            Self::Dedupe { same, bounds } => {
                let mut comparison = Comparison::new(same, bounds, run);
                let (mut known, mut notes) = (None, Vec::new());
                if let Some(against) = against {
                    notes = pass
                        .read(against, |against, observer, stop| comparison.read(against, observer, stop))?;
                    known = Some(comparison.records);
                }
                // Other records that cannot be read have a status.
                let mut uncompared = comparison.uncompared;
                let mut records = 0;
                let duplicates = pass.read(sources, |sources, observer, stop| {
                    comparison.read(sources, observer, stop)?;
                    records = comparison.records - known.unwrap_or(0);
                    if same == Same::SolutionGrid {
                        uncompared = comparison.uncompared;
                    }
                    comparison.finish(known, stop)
                })?;
                let job = pick::dedupe(duplicates.numbers, known);
                let selected = Selected::new(job, [distinct(are_copied).to_vec()], records);
                Ok(Selected { known, matches: Some(duplicates.matches), uncompared, notes, ..selected })
            }
            Self::Split { same, bounds, shares, seed, statuses } => {
                let mut comparison = Comparison::new(same, bounds, run).by(by);
                let (mut uncompared, mut records) = (0, 0);
                let parts = pass.read(sources, |sources, observer, stop| {
                    comparison.read(sources, observer, stop)?;
                    (uncompared, records) = (comparison.uncompared, comparison.records);
                    parts(comparison, &shares, seed, stop)
                })?;
                let only = (0..shares.len()).map(|part| only(part, statuses.len()));
                Ok(Selected { uncompared, ..Selected::new(pick::split(statuses, parts), only, records) })
            }
        }
    }
}

impl Selected {
    fn new(job: Pick, only: impl IntoIterator<Item = Vec<bool>>, records: u64) -> Self {
        let only = only.into_iter().collect();
        Self { job, only, records, known: None, matches: None, uncompared: 0, notes: Vec::new() }
    }
}
