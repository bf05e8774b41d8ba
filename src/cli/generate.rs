//! `batchdoku generate`: puzzles from a seed, to standard output.

use std::io::{self, Write};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::args::{GenerateArguments, GenerateKind};
use crate::generate::{sudoku, sudominoku};

/// Dominoes that a generated Sudominoku case shows, where so few leave it unique: the fewest that BOJ 4574 has.
const DOMINOES: usize = 10;

/// Writes the puzzles, one at a time as they are made.
///
/// # Errors
///
/// When `out` cannot be written.
pub fn generate(arguments: &GenerateArguments, out: &mut impl Write) -> io::Result<()> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(arguments.seed);
    let kind = match arguments.kind {
        GenerateKind::Easy => sudoku::Kind::Easy,
        GenerateKind::Minimal => sudoku::Kind::Minimal,
        GenerateKind::Hard => sudoku::Kind::Hard,
        GenerateKind::Several => sudoku::Kind::Several,
        GenerateKind::Unsolvable => sudoku::Kind::Unsolvable,
        GenerateKind::Sudominoku => {
            for _ in 0..arguments.count {
                sudominoku::write_case(&sudominoku::generate(&mut rng, DOMINOES), out)?;
            }
            return writeln!(out, "0");
        }
    };
    for _ in 0..arguments.count {
        writeln!(out, "{}", sudoku::generate(kind, &mut rng))?;
    }
    Ok(())
}
