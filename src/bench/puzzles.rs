//! The puzzles to measure on: read, sifted, in memory.
//!
//! Invariant: they are sudokus without a clash, so that every one reaches every contender; whatever else the
//! inputs hold is counted, and the place of the first such record is known.

use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::Interrupted;
use crate::input::{Batch, InputError, Source};
use crate::record::{Place, Records, Want};
use crate::sudoku::Grid;
use crate::sudoku::random::shuffle;
use crate::sudoku::verifier;

/// Bytes read at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// An input as the results name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Name as given, `-` for standard input.
    pub name: String,
    /// The SHA-256 of its bytes in hexadecimal; none if they were not hashed.
    pub sha256: Option<String>,
}

/// The puzzles of some inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Puzzles {
    /// Where they are from.
    pub inputs: Vec<Input>,
    /// The sudokus, in order until they are shuffled.
    pub grids: Vec<Grid>,
    /// Those of each input that has some, by its name, if there are several.
    pub lists: Vec<(String, Vec<Grid>)>,
    /// Records that could not be read or whose clues clash.
    pub invalid: u64,
    /// Sudominoku cases.
    pub sudominoku: u64,
    /// Place and reason of the first record left out: `source:line: reason`.
    pub first_left_out: Option<String>,
    /// What the readers warn of.
    pub notes: Vec<String>,
}

/// Why there are no puzzles.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// An input cannot be read to its end.
    #[error("{0}")]
    Input(#[from] InputError),
    /// The inputs hold no sudoku.
    #[error(
        "no puzzle to measure on in {inputs}{}",
        first_left_out.as_ref().map_or_else(String::new, |first| format!("; the first record left out is {first}"))
    )]
    None {
        /// Their names.
        inputs: String,
        /// The first record that was left out, if there was one.
        first_left_out: Option<String>,
    },
    /// The stop flag was raised.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl Puzzles {
    /// Reads all puzzles of the inputs.
    ///
    /// # Errors
    ///
    /// When an input cannot be read to its end, there is no puzzle at all or the stop flag was raised.
    pub fn load(sources: Vec<Source>, stop: &AtomicBool) -> Result<Self, LoadError> {
        let mut puzzles = Self::default();
        for mut source in sources {
            let start = puzzles.grids.len();
            let (mut buffer, mut records, mut lines) = (Vec::new(), Records::default(), 0);
            while let Some(chunk) = source.next_batch(buffer, CHUNK_BYTES)? {
                if stop.load(Ordering::Relaxed) {
                    return Err(Interrupted.into());
                }
                let read = chunk.read(Want::default(), &mut records);
                records.shift_lines(lines);
                lines += read.lines;
                puzzles.take(&chunk, &records);
                buffer = chunk.bytes;
            }
            puzzles.notes.extend_from_slice(source.notes());
            let (name, list) = (source.info().name.clone(), puzzles.grids[start..].to_vec());
            if !list.is_empty() {
                puzzles.lists.push((name.clone(), list));
            }
            puzzles.inputs.push(Input { name, sha256: source.hash().sha256() });
        }
        match puzzles.lists.len() {
            0 => {
                let names: Vec<_> = puzzles.inputs.iter().map(|input| &*input.name).collect();
                let (inputs, first_left_out) = (names.join(", "), puzzles.first_left_out);
                return Err(LoadError::None { inputs, first_left_out });
            }
            1 => puzzles.lists.clear(),
            _ => {}
        }
        Ok(puzzles)
    }

    /// Puts the puzzles into a random order, so that nothing is learnt from the one they came in.
    pub fn shuffle(&mut self, seed: u64) {
        for grids in self.lists.iter_mut().map(|(_, grids)| grids).chain([&mut self.grids]) {
            shuffle(grids, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        }
    }

    fn take(&mut self, batch: &Batch, records: &Records) {
        let source = &batch.source.name;
        for (row, grid) in records.puzzles().iter().enumerate() {
            if let Some(fault) = records.faults().get(row) {
                self.invalid += 1;
                self.first_left_out.get_or_insert_with(|| match fault.place {
                    Some(Place { line, column }) => format!("{source}:{line}:{column}: {}", fault.reason()),
                    None => format!("{source}: {fault}"),
                });
            } else if records.is_sudoku(row) {
                match clash(batch, records, row, grid) {
                    None => self.grids.push(*grid),
                    Some(reason) => {
                        self.invalid += 1;
                        self.first_left_out.get_or_insert(reason);
                    }
                }
            } else {
                self.sudominoku += 1;
                let line = records.lines()[row];
                self.first_left_out.get_or_insert_with(|| format!("{source}:{line}: a Sudominoku case"));
            }
        }
    }
}

/// Where and how clues of a sudoku clash, if they do.
fn clash(batch: &Batch, records: &Records, row: usize, grid: &Grid) -> Option<String> {
    let clash = verifier::clash(grid)?;
    let Place { line, column } = batch.place(records, row, clash.cells[1]);
    let source = &batch.source.name;
    Some(format!("{source}:{line}:{column}: clue {} occurs twice in a {}", clash.digit, clash.house.name()))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::input::ReadOptions;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    fn load(texts: &[String]) -> Result<Puzzles, LoadError> {
        let sources = texts.iter().map(|text| {
            let reader = Cursor::new(text.clone().into_bytes());
            Source::from_reader("a.txt", reader, &ReadOptions::default()).unwrap()
        });
        Puzzles::load(sources.collect(), &AtomicBool::new(false))
    }

    #[test]
    fn what_is_no_sudoku_is_counted_and_left_out() {
        let clash = format!("5{}5", ".".repeat(7)) + &".".repeat(72);
        let case = "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n0\n".to_owned();
        let puzzles = load(&[format!("{PUZZLE}\n{clash}\n{}\n", &PUZZLE[1..]), case]).unwrap();
        assert_eq!(puzzles.grids.len(), 1);
        assert_eq!((puzzles.invalid, puzzles.sudominoku), (2, 1));
        assert_eq!(puzzles.first_left_out.unwrap(), "a.txt:2:9: clue 5 occurs twice in a row");
        assert_eq!(puzzles.inputs.len(), 2);
    }

    #[test]
    fn no_puzzle_is_an_error_that_names_the_first_place() {
        let clash = format!("55{}\n", ".".repeat(79));
        let error = load(&[format!("{}\n{clash}", &PUZZLE[1..])]).unwrap_err().to_string();
        assert!(error.starts_with("no puzzle to measure on in a.txt; the first record left out is a.txt:1:"));
    }

    #[test]
    fn a_seed_gives_one_order() {
        let text: String = (1..=9).map(|digit| format!("{digit}{}\n", ".".repeat(80))).collect();
        let order = |seed| {
            let mut puzzles = load(std::slice::from_ref(&text)).unwrap();
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
        let reader = Cursor::new(format!("{PUZZLE}\n").into_bytes());
        let source = Source::from_reader("a", reader, &ReadOptions::default()).unwrap();
        let error = Puzzles::load(vec![source], &AtomicBool::new(true)).unwrap_err();
        assert!(matches!(error, LoadError::Interrupted(_)));
    }
}
