//! Strata: groups of similar records, for samples and parts that represent every group.

use rapidhash::v3::rapidhash_v3;

use crate::input::{InputError, Keep, Source};
use crate::jobs::{Job, carried};
use crate::pipeline::Digest;
use crate::record::{Column, Page, Role};

/// The stratum of records that have no clues, guesses or value.
const NONE: u64 = u64::MAX;

/// The property that defines the strata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strata {
    /// All records form one stratum.
    One,
    /// The status that `solve` would give.
    Status,
    /// The number of clues.
    Clues,
    /// The number of guesses, by powers of two: 0, 1, 2 to 3, 4 to 7 and so on.
    Guesses,
    /// The value in an input column, given by the column's name.
    Column(String),
}

impl Strata {
    /// Returns the property that a word names in these sources, and a note if it could mean two things. A column with
    /// that name takes precedence over a value found by solving or counting.
    #[must_use]
    pub fn of(word: &str, sources: &[Source]) -> (Self, Option<String>) {
        let found = match word {
            "status" => Self::Status,
            "clues" => Self::Clues,
            "guesses" => Self::Guesses,
            column => return (Self::Column(column.to_owned()), None),
        };
        if !sources.iter().any(|source| source.columns().has(word)) {
            return (found, None);
        }
        let note = format!("{word} is the column of that name in the input, and is not computed");
        (Self::Column(word.to_owned()), Some(note))
    }

    /// Returns whether puzzles must be searched to find their stratum.
    #[must_use]
    pub const fn is_searched(&self) -> bool {
        matches!(self, Self::Status | Self::Guesses)
    }

    /// Makes the sources carry the required column along, and returns its name in the job's rows. Fails if no source
    /// has the column.
    pub(super) fn carry(&self, sources: &mut [Source], job: &impl Job) -> Result<Vec<String>, InputError> {
        let Self::Column(name) = self else { return Ok(Vec::new()) };
        let carried = carried(&Keep::Named(vec![name.clone()]), sources, job)?;
        sources.iter_mut().zip(&carried.selections).for_each(|(source, columns)| source.carry(columns));
        Ok(carried.names)
    }

    fn stratum(&self, page: &Page<'_>, row: usize) -> u64 {
        let status = || usize::from(page.statuses()[row]);
        match self {
            Self::One => 0,
            Self::Status => status() as u64,
            Self::Clues => {
                let puzzle = page.grids(Role::Puzzle).and_then(|puzzles| puzzles.get(row));
                puzzle.map_or(NONE, |puzzle| puzzle.clues().into())
            }
            Self::Guesses => {
                let is_searched = page.schema.statuses[status()].searched;
                let guesses = page.numbers(Role::Guesses).get(row).filter(|_| is_searched);
                guesses.map_or(NONE, |guesses| guesses.checked_ilog2().map_or(0, |log| u64::from(log) + 1))
            }
            Self::Column(_) => match page.columns.last() {
                Some(Column::Texts(texts)) => texts.get(row).map_or(NONE, rapidhash_v3),
                _ => NONE,
            },
        }
    }
}

/// Returns a sort key for a stratum; sorting by these keys puts the strata in a random order.
pub(super) fn mixed(stratum: u64, salt: u64) -> u64 {
    rapidhash_v3(&(stratum ^ salt).to_le_bytes())
}

/// Finds the stratum of each record.
impl Digest for Strata {
    type Part = Vec<u64>;

    fn digest(&self, page: &Page<'_>, part: &mut Vec<u64>) {
        part.clear();
        part.extend((0..page.rows).map(|row| self.stratum(page, row)));
    }
}
