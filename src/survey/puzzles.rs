//! Reads all puzzles of files that others are made from.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use super::pass::{PassError, first_pass};
use crate::input::Source;
use crate::jobs::pick::Pick;
use crate::pipeline::{Collect, Digest, Observer, RunOptions};
use crate::record::{Column, Page, PuzzleKind, Role};
use crate::sudoku::Grid;

/// The puzzles of sources.
#[derive(Debug, Default)]
pub struct Puzzles {
    /// The sudokus that can be read, in order.
    pub puzzles: Vec<Grid>,
    /// How many records are others, or cannot be read.
    pub unread: u64,
    /// Warnings.
    pub notes: Vec<String>,
}

/// Reads all puzzles of sources. Fails if one cannot be read completely, or the flag is raised.
pub fn read(
    sources: Vec<Source>,
    threads: NonZeroUsize,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Puzzles, PassError> {
    let mut read = Puzzles::default();
    let options = RunOptions::new(threads);
    read.notes = first_pass(sources, Pick::all(), PuzzleDigest, &mut read, options, observer, stop)?;
    Ok(read)
}

/// Takes the puzzles out of pages.
struct PuzzleDigest;

impl Digest for PuzzleDigest {
    type Part = Puzzles;

    fn digest(&self, page: &Page<'_>, part: &mut Puzzles) {
        let Some(grids) = page.grids(Role::Puzzle) else { return };
        part.puzzles.clear();
        let Some(Column::Words(kinds, _)) = page.column(Role::Kind) else { return };
        let is_sudoku = |row: &usize| kinds[*row] == PuzzleKind::Sudoku as u8;
        part.puzzles.extend((0..page.rows).filter(is_sudoku).filter_map(|row| grids.get(row)));
        part.unread = (page.rows - part.puzzles.len()) as u64;
    }
}

impl Collect<Puzzles> for Puzzles {
    fn take(&mut self, part: &mut Puzzles) {
        self.puzzles.append(&mut part.puzzles);
        self.unread += part.unread;
    }
}
