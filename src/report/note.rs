//! What the report wants to know of one row, in bytes.
//!
//! Rows are noted where they arise, by many threads: out of a results file (`row`) or out of a run
//! ([`NoteFormat`]). One thread collects the notes in the order of the rows, so that the report is the same
//! for any number of threads. A note has everything that takes time to find out: numbers parsed, the puzzle hashed.

use std::hash::{DefaultHasher, Hasher};

use crate::grid::CELLS;
use crate::input::Kind;
use crate::output::{Row, RowFormat, Status};

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note<'a> {
    /// Name of the input that the record is from.
    pub source: &'a [u8],
    /// Line of that input on which the record starts.
    pub line: u64,
    pub kind: Kind,
    pub status: Status,
    /// Cells given, if the puzzle could be read.
    pub clues: Option<u8>,
    pub guesses: u64,
    /// Solver's time in nanoseconds, if it was recorded.
    pub time_ns: Option<u64>,
    /// Hash of the puzzle; see [`hash`].
    pub hash: u64,
    pub puzzle: Option<&'a [u8; CELLS]>,
    pub solution: Option<&'a [u8; CELLS]>,
    /// Why there is no answer; empty if there is one.
    pub error: &'a [u8],
}

/// Bits of the flags of a note.
const SUDOMINOKU: u8 = 1;
const TIME: u8 = 2;
const PUZZLE: u8 = 4;
const SOLUTION: u8 = 8;
/// Stands for the number of clues where there is none.
const NO_CLUES: u8 = u8::MAX;

/// Bytes of a note before its texts.
const HEAD: usize = 3 + 4 * 8 + 2 * 4;

impl<'a> Note<'a> {
    /// Appends the note to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let flag = |set: bool, bit| if set { bit } else { 0 };
        let flags = flag(self.kind == Kind::Sudominoku, SUDOMINOKU)
            | flag(self.time_ns.is_some(), TIME)
            | flag(self.puzzle.is_some(), PUZZLE)
            | flag(self.solution.is_some(), SOLUTION);
        let mut head = [0; HEAD];
        head[..3].copy_from_slice(&[self.status as u8, flags, self.clues.unwrap_or(NO_CLUES)]);
        let numbers = [self.line, self.guesses, self.time_ns.unwrap_or(0), self.hash];
        for (place, number) in head[3..].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        for (place, text) in head[3 + 4 * 8..].chunks_exact_mut(4).zip([self.source, self.error]) {
            let length = u32::try_from(text.len()).expect("a row is shorter than 4 GiB");
            place.copy_from_slice(&length.to_le_bytes());
        }
        out.extend_from_slice(&head);
        out.extend_from_slice(self.source);
        out.extend_from_slice(self.error);
        for grid in [self.puzzle, self.solution].into_iter().flatten() {
            out.extend_from_slice(grid);
        }
    }

    /// Takes the next note off `bytes`, which hold whole notes; `None` at their end.
    pub fn read(bytes: &mut &'a [u8]) -> Option<Self> {
        let [status, flags, clues] = *take::<3>(bytes)?;
        let mut number = || take(bytes).map(|number| u64::from_le_bytes(*number));
        let (line, guesses, time_ns, hash) = (number()?, number()?, number()?, number()?);
        let mut length = || take(bytes).map(|number| u32::from_le_bytes(*number) as usize);
        let (source_length, error_length) = (length()?, length()?);
        let source = bytes.split_off(..source_length)?;
        let error = bytes.split_off(..error_length)?;
        let puzzle = if flags & PUZZLE == 0 { None } else { Some(take(bytes)?) };
        let solution = if flags & SOLUTION == 0 { None } else { Some(take(bytes)?) };
        Some(Self {
            source,
            line,
            kind: if flags & SUDOMINOKU == 0 { Kind::Sudoku } else { Kind::Sudominoku },
            status: Status::ALL.into_iter().find(|&known| known as u8 == status)?,
            clues: (clues != NO_CLUES).then_some(clues),
            guesses,
            time_ns: (flags & TIME != 0).then_some(time_ns),
            hash,
            puzzle,
            solution,
            error,
        })
    }
}

fn take<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(taken)
}

/// The hash by which equal puzzles are found. Of Sudominoku only the numbers given are known, and those of
/// a sudoku are another puzzle.
pub(super) fn hash(kind: Kind, puzzle: &[u8; CELLS]) -> u64 {
    // With fixed keys, so that equal rows give equal reports.
    let mut hasher = DefaultHasher::new();
    hasher.write(puzzle);
    hasher.finish() ^ if kind == Kind::Sudoku { 0 } else { u64::MAX }
}

/// Notes the rows of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoteFormat;

impl RowFormat for NoteFormat {
    fn header(&self, _out: &mut Vec<u8>) {}

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let puzzle = row.puzzle.map(|grid| grid.to_text(b'.'));
        let solution = row.solution.map(|grid| grid.to_text(b'.'));
        let note = Note {
            source: row.source.as_bytes(),
            line: row.line,
            kind: row.kind,
            status: row.status,
            clues: row.puzzle.map(|grid| u8::try_from(grid.clues()).expect("a grid has 81 cells")),
            guesses: row.guesses,
            time_ns: Some(row.time_ns),
            hash: puzzle.as_ref().map_or(0, |puzzle| hash(row.kind, puzzle)),
            puzzle: puzzle.as_ref(),
            solution: solution.as_ref(),
            error: row.error.unwrap_or_default().as_bytes(),
        };
        note.write(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn notes_are_read_as_they_were_written(
            source in prop::collection::vec(any::<u8>(), 0..30),
            error in prop::collection::vec(any::<u8>(), 0..30),
            numbers in any::<(u64, u64, Option<u64>, u64)>(),
            status in 0..Status::ALL.len(),
            clues in prop::option::of(0..=81_u8),
            has_grids in any::<(bool, bool, bool)>(),
        ) {
            let (puzzle, solution) = ([b'.'; CELLS], [b'1'; CELLS]);
            let note = Note {
                source: &source,
                line: numbers.0,
                kind: if has_grids.2 { Kind::Sudoku } else { Kind::Sudominoku },
                status: Status::ALL[status],
                clues,
                guesses: numbers.1,
                time_ns: numbers.2,
                hash: numbers.3,
                puzzle: has_grids.0.then_some(&puzzle),
                solution: has_grids.1.then_some(&solution),
                error: &error,
            };
            let mut bytes = Vec::new();
            note.write(&mut bytes);
            note.write(&mut bytes);
            let mut rest = &bytes[..];
            prop_assert_eq!(Note::read(&mut rest), Some(note));
            prop_assert_eq!(Note::read(&mut rest), Some(note));
            prop_assert_eq!(Note::read(&mut rest), None);
        }
    }

    #[test]
    fn the_two_kinds_never_repeat_each_other() {
        let puzzle = [b'.'; CELLS];
        assert_ne!(hash(Kind::Sudoku, &puzzle), hash(Kind::Sudominoku, &puzzle));
    }
}
