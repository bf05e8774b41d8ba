//! Reads the solutions that a file of its own claims, in any format: its claims if it has such, as a table of results
//! does, else its puzzles, as a list of solved grids does.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use super::pass::{PassError, first_pass};
use crate::input::Source;
use crate::jobs::claims::ClaimList;
use crate::jobs::convert::{Claims, Convert};
use crate::pipeline::{Collect, Digest, Observer, RunOptions};
use crate::record::{self, Claim, Column, FaultKind, Page, Role};

/// Reads all claims of a source; returns warnings, too. Fails if the file cannot be read completely, or the flag is
/// raised.
pub fn read(
    sources: Vec<Source>,
    threads: NonZeroUsize,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<(ClaimList, Vec<String>), PassError> {
    let name = sources.first().map_or("", |source| &source.info().name);
    let mut list = ClaimList::new(name);
    let has_claims = sources.iter().any(Source::has_claims);
    let claims = if has_claims { Claims::Written } else { Claims::LeftOut };
    let options = RunOptions::new(threads);
    let notes = first_pass(sources, Convert::new(claims), ClaimDigest, &mut list, options, observer, stop)?;
    Ok((list, notes))
}

/// Takes the claims out of pages.
struct ClaimDigest;

impl Digest for ClaimDigest {
    type Part = (record::Claims, Vec<u64>);

    fn digest(&self, page: &Page<'_>, (claims, lines): &mut Self::Part) {
        claims.clear();
        lines.clear();
        let (Some(puzzles), Some(Column::Faults(faults))) =
            (page.grids(Role::Puzzle), page.column(Role::Error))
        else {
            return;
        };
        let (solutions, starts) = (page.grids(Role::Solution).unwrap_or(puzzles), page.numbers(Role::Line));
        for row in 0..page.rows {
            claims.push_copy(match (faults.get(row), solutions.get(row)) {
                (Some(fault), _) if fault.kind != FaultKind::NoPuzzle => Claim::Faulty(fault),
                (None, Some(solution)) => Claim::Grid(solution),
                _ => Claim::Missing,
            });
            lines.push(starts.get(row).unwrap_or(0));
        }
    }
}

impl Collect<(record::Claims, Vec<u64>)> for ClaimList {
    fn take(&mut self, (claims, lines): &mut (record::Claims, Vec<u64>)) {
        lines.iter().enumerate().for_each(|(row, &line)| self.push(claims.get(row), line));
    }
}
