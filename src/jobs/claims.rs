//! Claims from another file: the solution of record n is its n-th.

use std::ops::Range;

use crate::record::{Claim, Claims, Place};

/// The claimed solutions of a file, in order. Each takes 90 bytes of memory.
#[derive(Debug, Default)]
pub struct ClaimList {
    /// The name of the file in faults: `in NAME`.
    path: String,
    claims: Claims,
    /// The line on which each claim starts.
    lines: Vec<u64>,
}

impl ClaimList {
    /// Makes an empty list for the claims of a file.
    #[must_use]
    pub fn new(file: &str) -> Self {
        Self { path: format!("in {file}"), ..Self::default() }
    }

    /// Adds the next claim, which starts on that line.
    pub fn push(&mut self, claim: Claim<'_>, line: u64) {
        self.claims.push_copy(claim);
        self.lines.push(line);
    }

    /// Copies the claims of some records, numbered from 1. Records after the last claim have none.
    pub(super) fn copy(&self, ids: Range<u64>, to: &mut Claims) {
        to.clear();
        let end = ids.end.min(self.claims.len() as u64 + 1);
        (ids.start..end).for_each(|id| to.push_copy(self.claims.get(index(id))));
        to.fill((ids.end - ids.start) as usize);
    }

    /// Returns the start of the claim of a record, and the path of the file.
    pub(super) fn place(&self, id: u64) -> (Place, &str) {
        (Place { line: self.lines[index(id)], column: 1 }, &self.path)
    }

    /// Returns the number of claims; gaps after the last record do not count.
    #[must_use]
    pub fn count(&self, records: u64) -> u64 {
        let mut count = self.lines.len() as u64;
        while count > records && self.claims.get(index(count)) == Claim::Missing {
            count -= 1;
        }
        count
    }
}

/// Returns the index of a record's claim.
const fn index(id: u64) -> usize {
    (id - 1) as usize
}
