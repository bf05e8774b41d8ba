//! The puzzles used for the measurements, in memory.
//!
//! Invariant: the puzzles are sudokus without clashes, so all contenders can solve all of them. Other records are
//! counted, and the first one is noted along with its location.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::BenchError;
use crate::input::{Batch, Source};
use crate::provenance::InputFile;
use crate::record::{Place, PuzzleKind, Records, Want};
use crate::sudoku::Grid;
use crate::sudoku::random::shuffle;
use crate::sudoku::verifier::{self, Clash};

/// The number of bytes read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// The puzzles from some inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Puzzles {
    /// The inputs that the puzzles come from.
    pub inputs: Vec<InputFile>,
    /// The sudokus, in input order until they are shuffled.
    pub grids: Vec<Grid>,
    /// If several inputs contain sudokus, the name and the sudokus of each of these inputs; otherwise empty.
    pub lists: Vec<(String, Vec<Grid>)>,
    /// Number of records that could not be read or whose clues clash.
    pub invalid: u64,
    /// Number of records of each kind of puzzle other than sudoku.
    pub others: BTreeMap<&'static str, u64>,
    /// Where and why the first record was left out: `source:line: reason`.
    pub first_left_out: Option<String>,
    /// Warnings from the readers.
    pub notes: Vec<String>,
}

impl Puzzles {
    /// Reads all puzzles from the inputs. Fails if an input cannot be read to the end, if there are no sudokus, or if
    /// the stop flag is raised.
    pub fn load(sources: Vec<Source>, stop: &AtomicBool) -> Result<Self, BenchError> {
        let others = PuzzleKind::ALL[1..].iter().map(|kind| (kind.as_str(), 0)).collect();
        let mut puzzles = Self { others, ..Self::default() };
        for mut source in sources {
            let start = puzzles.grids.len();
            let (mut buffer, mut records, mut lines) = (Vec::new(), Records::default(), 0);
            while let Some(chunk) = source.next_batch(buffer, CHUNK_BYTES)? {
                if stop.load(Ordering::Relaxed) {
                    return Err(BenchError::Interrupted);
                }
                let read = chunk.read(Want::default(), &mut records);
                records.shift_lines(lines);
                lines += read.lines;
                puzzles.take(&chunk, &records);
                buffer = chunk.bytes;
            }
            puzzles.notes.extend_from_slice(source.notes());
            let list = puzzles.grids[start..].to_vec();
            if !list.is_empty() {
                puzzles.lists.push((source.info().name.clone(), list));
            }
            puzzles.inputs.push(InputFile::new(source.info(), source.hash()));
        }
        match puzzles.lists.len() {
            0 => {
                let names: Vec<_> = puzzles.inputs.iter().map(|input| &*input.name).collect();
                let mut why = format!("no sudoku to measure in {}", names.join(", "));
                let first = puzzles.first_left_out.iter();
                first.for_each(|first| why += &format!("; the first record left out is {first}"));
                return Err(BenchError::NoSudoku(why));
            }
            1 => puzzles.lists.clear(),
            _ => {}
        }
        Ok(puzzles)
    }

    /// Shuffles the puzzles.
    pub fn shuffle(&mut self, seed: u64) {
        for grids in self.lists.iter_mut().map(|(_, grids)| grids).chain([&mut self.grids]) {
            shuffle(grids, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        }
    }

    fn take(&mut self, batch: &Batch, records: &Records) {
        let source = &batch.source.name;
        for (row, grid) in records.puzzles().iter().enumerate() {
            let why = if let Some(fault) = records.faults().get(row) {
                self.invalid += 1;
                match fault.place {
                    Some(Place { line, column }) => format!("{source}:{line}:{column}: {}", fault.reason()),
                    None => format!("{source}: {fault}"),
                }
            } else if !records.is_sudoku(row) {
                let kind = records.kind(row);
                *self.others.entry(kind.as_str()).or_default() += 1;
                format!("{source}:{}: a {} case", records.lines()[row], kind.facts().title)
            } else if let Some(Clash { digit, house, cells }) = verifier::clash(grid) {
                self.invalid += 1;
                let Place { line, column } = batch.place(records, row, cells[1]);
                format!("{source}:{line}:{column}: clue {digit} occurs twice in a {}", house.name())
            } else {
                self.grids.push(*grid);
                continue;
            };
            self.first_left_out.get_or_insert(why);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::input::ReadOptions;

    fn load(text: &str, stop: bool) -> Result<Puzzles, BenchError> {
        let reader = Cursor::new(text.to_owned());
        let source = Source::from_reader("a.txt", reader, &ReadOptions::default()).unwrap();
        Puzzles::load(vec![source], &AtomicBool::new(stop))
    }

    #[test]
    fn a_seed_gives_one_order() {
        let text: String = (1..=9).map(|digit| format!("{digit}{}\n", ".".repeat(80))).collect();
        let order = |seed| {
            let mut puzzles = load(&text, false).unwrap();
            puzzles.shuffle(seed);
            puzzles.grids.iter().map(|grid| grid.get(0)).collect::<Vec<_>>()
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let mut sorted = order(1);
        sorted.sort_unstable();
        assert_eq!(sorted, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn a_raised_flag_ends_reading() {
        let text = format!("1{}\n", ".".repeat(80));
        assert!(matches!(load(&text, true), Err(BenchError::Interrupted)));
    }
}
