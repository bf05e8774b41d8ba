//! Reads all grids in a file: claimed solutions from a separate file, or puzzles from which to make other puzzles.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::pass::{PassError, first_pass};
use super::strata::Strata;
use crate::input::{InputError, ReadOptions, Source};
use crate::jobs::claims::ClaimList;
use crate::jobs::convert::{Claims, Convert};
use crate::pipeline::{Collect, Digest, Observer, Plan, RunOptions};
use crate::record::{self, Claim, Column, FaultKind, Page, PuzzleKind, Role};
use crate::sudoku::Grid;

/// A file of claims, where the n-th claim belongs to the n-th record.
#[derive(Clone)]
pub struct ClaimFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The claims; filled when the file has been read.
    pub list: Arc<ClaimList>,
}

impl ClaimFile {
    /// Opens the file, which can have any format; only some of the options for the records apply to it.
    pub fn open(&self, read: &ReadOptions) -> Result<Source, InputError> {
        let read =
            ReadOptions { format: None, puzzle_column: None, answers: true, hash: false, ..read.clone() };
        Source::open(&self.path, &read)
    }

    /// Returns the number of claims if it differs from the number of records.
    #[must_use]
    pub fn other_count(&self, records: u64) -> Option<u64> {
        Some(self.list.count(records)).filter(|&claims| claims != records)
    }
}

/// Reads all claims from a source in any format; also returns warnings. The claims are the claimed solutions, as in a
/// results table, or else the puzzles, as in a list of solved grids. Fails if the file cannot be read to the end or the
/// flag is raised.
pub fn claims(
    sources: Vec<Source>,
    threads: NonZeroUsize,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<(ClaimList, Vec<String>), PassError> {
    let name = sources.first().map_or("", |source| &source.info().name);
    let mut list = ClaimList::new(name);
    let has_claims = sources.iter().any(|source| source.look().has_claims);
    let job = Convert::new(if has_claims { Claims::Written } else { Claims::LeftOut });
    let (digest, options) = (GridDigest { only_sudokus: false }, RunOptions::new(threads));
    let plan = Plan::new(sources, job, digest, options);
    let notes = first_pass(plan, &Strata::One, &mut list, observer, stop)?;
    Ok((list, notes))
}

/// The puzzles read from sources.
#[derive(Debug, Default)]
pub struct Puzzles {
    /// The readable sudokus, in order.
    pub puzzles: Vec<Grid>,
    /// The number of records that hold another kind of puzzle or cannot be read.
    pub unread: u64,
    /// Warnings.
    pub notes: Vec<String>,
}

/// Reads all puzzles from the sources. Fails if a source cannot be read to the end or the flag is raised.
pub fn puzzles(
    sources: Vec<Source>,
    threads: NonZeroUsize,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Puzzles, PassError> {
    let (mut read, job) = (Puzzles::default(), Convert::new(Claims::LeftOut));
    let (digest, options) = (GridDigest { only_sudokus: true }, RunOptions::new(threads));
    read.notes =
        first_pass(Plan::new(sources, job, digest, options), &Strata::One, &mut read, observer, stop)?;
    Ok(read)
}

/// A digest that extracts the claims from pages; if there are none, the puzzles take their place.
struct GridDigest {
    /// Whether to leave out the grids of other kinds of puzzles.
    only_sudokus: bool,
}

impl Digest for GridDigest {
    /// The claims and the lines on which they start.
    type Part = (record::Claims, Vec<u64>);

    fn digest(&self, page: &Page<'_>, (claims, lines): &mut Self::Part) {
        claims.clear();
        lines.clear();
        let (Some(puzzles), Some(Column::Faults(faults)), Some(Column::Words(kinds, _))) =
            (page.grids(Role::Puzzle), page.column(Role::Error), page.column(Role::Kind))
        else {
            return;
        };
        let (solutions, starts) = (page.grids(Role::Solution).unwrap_or(puzzles), page.numbers(Role::Line));
        let is_taken = |row: usize| !self.only_sudokus || kinds[row] == PuzzleKind::Sudoku as u8;
        for row in 0..page.rows {
            claims.push_copy(match (faults.get(row), solutions.get(row)) {
                (Some(fault), _) if fault.kind != FaultKind::NoPuzzle => Claim::Faulty(fault),
                (None, Some(solution)) if is_taken(row) => Claim::Grid(solution),
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

impl Collect<(record::Claims, Vec<u64>)> for Puzzles {
    fn take(&mut self, (claims, _): &mut (record::Claims, Vec<u64>)) {
        for row in 0..claims.len() {
            match claims.get(row) {
                Claim::Grid(puzzle) => self.puzzles.push(*puzzle),
                _ => self.unread += 1,
            }
        }
    }
}
