//! Reads the grids of whole files: the claimed solutions of a separate file, and the puzzles to make others from.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::pass::{PassError, first_pass};
use crate::input::{InputError, ReadOptions, Source};
use crate::jobs::claims::ClaimList;
use crate::jobs::convert::{Claims, Convert};
use crate::pipeline::{Collect, Digest, Observer, Plan, RunOptions};
use crate::record::{self, Claim, Column, FaultKind, Page, PuzzleKind, Role};
use crate::sudoku::Grid;

/// A file of claims, the n-th of which belongs to the n-th record.
#[derive(Clone)]
pub struct ClaimFile {
    /// The file.
    pub path: PathBuf,
    /// The claims, once the file is read.
    pub list: Arc<ClaimList>,
}

impl ClaimFile {
    /// Opens the file, which may have any format; of the options for the records only some apply.
    pub fn open(&self, read: &ReadOptions) -> Result<Source, InputError> {
        let read =
            ReadOptions { format: None, puzzle_column: None, answers: true, hash: false, ..read.clone() };
        Source::open(&self.path, &read)
    }

    /// Returns the number of claims, unless it is that of the records.
    #[must_use]
    pub fn other_count(&self, records: u64) -> Option<u64> {
        Some(self.list.count(records)).filter(|&claims| claims != records)
    }
}

/// Reads all claims of a source, in any format. These are the claimed solutions, as in a table of results, or else the
/// puzzles, as in a list of solved grids. Returns warnings, too. Fails if the file cannot be read completely, or the
/// flag is raised.
pub fn claims(
    sources: Vec<Source>,
    threads: NonZeroUsize,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<(ClaimList, Vec<String>), PassError> {
    let name = sources.first().map_or("", |source| &source.info().name);
    let mut list = ClaimList::new(name);
    let has_claims = sources.iter().any(Source::has_claims);
    let job = Convert::new(if has_claims { Claims::Written } else { Claims::LeftOut });
    let (digest, options) = (GridDigest { only_sudokus: false }, RunOptions::new(threads));
    let plan = Plan::new(sources, job, digest, options);
    let notes = first_pass(plan, None, &mut list, observer, stop)?;
    Ok((list, notes))
}

/// The puzzles of sources.
#[derive(Debug, Default)]
pub struct Puzzles {
    /// The sudokus that can be read, in order.
    pub puzzles: Vec<Grid>,
    /// The number of records that are other puzzles or cannot be read.
    pub unread: u64,
    /// Warnings.
    pub notes: Vec<String>,
}

/// Reads all puzzles of sources. Fails if one cannot be read completely, or the flag is raised.
pub fn puzzles(
    sources: Vec<Source>,
    threads: NonZeroUsize,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Puzzles, PassError> {
    let (mut read, job) = (Puzzles::default(), Convert::new(Claims::LeftOut));
    let (digest, options) = (GridDigest { only_sudokus: true }, RunOptions::new(threads));
    read.notes = first_pass(Plan::new(sources, job, digest, options), None, &mut read, observer, stop)?;
    Ok(read)
}

/// The digest that takes the claims out of pages, which are the puzzles if there are no other claims.
struct GridDigest {
    /// Whether the grids of puzzles of other kinds are missing.
    only_sudokus: bool,
}

impl Digest for GridDigest {
    /// The claims, and the lines on which they start.
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
