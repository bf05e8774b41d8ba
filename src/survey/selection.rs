//! Makes choices that depend on all records: a sample, the distinct records, or parts.
//!
//! A first pass over the inputs makes the choice, and a second pass copies or converts the records with the resulting
//! job.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use super::duplicates::{Bounds, Comparison, Matches, Same};
use super::pass::Pass;
use super::sample::Sampler;
use super::split::parts;
use super::{PassError, Strata};
use crate::input::Source;
use crate::jobs::pick::{self, LEFT, Pick, TAKEN, distinct, only};
use crate::pipeline::{Observer, RunOptions};
use crate::record::Label;

/// A method of choosing records.
pub enum Selection {
    /// A random sample, and all the remaining records.
    Sample {
        /// The number of records.
        count: NonZeroUsize,
        /// The seed of the random numbers.
        seed: u64,
    },
    /// Distinct records: a record is omitted if it is the same as an earlier record or as a record of certain other
    /// inputs.
    Dedupe {
        /// When two records count as the same.
        same: Same,
        /// Limits for the comparison.
        bounds: Bounds,
    },
    /// Random parts such that no record is the same as a record in another part.
    Split {
        /// When two records count as the same.
        same: Same,
        /// Limits for the comparison.
        bounds: Bounds,
        /// The share of each part, in any unit.
        shares: Vec<u64>,
        /// The seed of the random numbers.
        seed: u64,
        /// The status labels of the parts: [`pick::words_of_parts`].
        statuses: &'static [Label],
    },
}

/// The inputs to a first pass.
pub struct FirstInputs {
    /// The inputs to choose records from.
    pub sources: Vec<Source>,
    /// Other inputs, whose records are excluded.
    pub against: Option<Vec<Source>>,
    /// The strata to distinguish.
    pub by: Strata,
    /// Whether the chosen records are copied rather than converted.
    pub are_copied: bool,
    /// Options for the run.
    pub run: RunOptions,
}

/// The choice made by a first pass.
pub struct Selected {
    /// The job for the second pass, which gives each record a status.
    pub job: Pick,
    /// Whether rows with a given status are written, for each output.
    pub only: Vec<Vec<bool>>,
    /// The number of records.
    pub records: u64,
    /// The number of records in the other inputs, if there are any such inputs.
    pub known: Option<u64>,
    /// The duplicates, if the selection is [`Selection::Dedupe`].
    pub matches: Option<Matches>,
    /// The number of records that were not compared with any others, unless a status shows this.
    pub uncompared: u64,
    /// Warnings about the other inputs.
    pub notes: Vec<String>,
}

impl Selection {
    /// Reads all records and makes the choice. `observe` returns the observer of a pass over some sources. Fails if an
    /// input cannot be read to the end or the flag is raised.
    pub fn make<O: Observer>(
        self,
        inputs: FirstInputs,
        observe: impl Fn(&[Source]) -> O,
        stop: &AtomicBool,
    ) -> Result<Selected, PassError> {
        let FirstInputs { sources, against, by, are_copied, run } = inputs;
        match self {
            Self::Sample { count, seed } => {
                let mut sampler = Sampler::new(count.get(), seed);
                let first = Pass { searches: false, by: by.clone(), options: run };
                let observer = observe(&sources);
                first.run(sources, by, &mut sampler, &observer, stop)?;
                let (records, only) = (sampler.seen, [TAKEN, LEFT].map(|only| only.to_vec()));
                Ok(Selected::new(pick::sample(sampler.ids()), only, records))
            }
            Self::Dedupe { same, bounds } => {
                let mut comparison = Comparison::new(same, Strata::One, bounds, run);
                let (mut known, mut notes) = (None, Vec::new());
                if let Some(against) = against {
                    let observer = observe(&against);
                    notes = comparison.read(against, &observer, stop)?;
                    known = Some(comparison.records);
                }
                let mut uncompared = comparison.uncompared;
                let observer = observe(&sources);
                comparison.read(sources, &observer, stop)?;
                // With other criteria, only unreadable records are not compared, and those in `sources` get a status.
                if same == Same::SolutionGrid {
                    uncompared = comparison.uncompared;
                }
                let records = comparison.records - known.unwrap_or(0);
                let duplicates = comparison.finish(known, stop)?;
                let job = pick::dedupe(duplicates.numbers, known);
                let selected = Selected::new(job, [distinct(are_copied).to_vec()], records);
                Ok(Selected { known, matches: Some(duplicates.matches), uncompared, notes, ..selected })
            }
            Self::Split { same, bounds, shares, seed, statuses } => {
                let mut comparison = Comparison::new(same, by, bounds, run);
                let observer = observe(&sources);
                comparison.read(sources, &observer, stop)?;
                let (uncompared, records) = (comparison.uncompared, comparison.records);
                let parts = parts(comparison, &shares, seed, stop)?;
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
