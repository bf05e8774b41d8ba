//! Claims from a separate file: its n-th solution belongs to record n.

use std::ops::Range;

use crate::record::{Claim, Claims, Place};

/// The claimed solutions in a file, in order. Each takes up 90 bytes of memory.
#[derive(Debug, Default)]
pub struct ClaimList {
    /// The file name as faults show it: `in NAME`.
    path: String,
    claims: Claims,
    /// The line on which each claim starts.
    lines: Vec<u64>,
}

impl ClaimList {
    /// Creates an empty list for the claims in a file.
    #[must_use]
    pub fn new(file: &str) -> Self {
        Self { path: format!("in {file}"), ..Self::default() }
    }

    /// Adds the next claim, which starts on this line.
    pub fn push(&mut self, claim: Claim<'_>, line: u64) {
        self.claims.push_copy(claim);
        self.lines.push(line);
    }

    /// Copies the claims for these record numbers, which start from 1. Records that come after the last claim get
    /// none.
    pub(super) fn copy(&self, ids: Range<u64>, to: &mut Claims) {
        to.clear();
        let end = ids.end.min(self.claims.len() as u64 + 1);
        (ids.start..end).for_each(|id| to.push_copy(self.claims.get(index(id))));
        to.fill((ids.end - ids.start) as usize);
    }

    /// Returns where the claim for a record starts, and the file name as faults show it.
    pub(super) fn place(&self, id: u64) -> (Place, &str) {
        (Place { line: self.lines[index(id)], column: 1 }, &self.path)
    }

    /// Returns the number of claims, ignoring gaps that come after the last record.
    #[must_use]
    pub fn count(&self, records: u64) -> u64 {
        let mut count = self.lines.len() as u64;
        while count > records && self.claims.get(index(count)) == Claim::Missing {
            count -= 1;
        }
        count
    }
}

/// Returns the index of the claim for a record.
const fn index(id: u64) -> usize {
    (id - 1) as usize
}
