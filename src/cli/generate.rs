//! `batchdoku generate`: puzzles from a seed, to standard output.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::generate::sudoku::{self, Recipe};
use crate::generate::sudominoku;

/// What `generate` takes.
#[derive(Args, Debug)]
pub struct GenerateArguments {
    /// What to make
    pub kind: GenerateKind,

    /// How many
    #[arg(long, value_name = "N", default_value = "1")]
    pub count: u64,

    /// Where the random numbers start: the same seed gives the same puzzles
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

/// What `generate` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GenerateKind {
    /// One solution, 32 to 36 clues, solved by singles alone
    Easy,
    /// One solution, no clue to spare
    Minimal,
    /// Minimal, and costs the solver some guesses
    Hard,
    /// 2 to 10 solutions
    Several,
    /// No solution, though no clues clash
    Unsolvable,
    /// Sudominoku cases with one solution and as few as 10 dominoes
    Sudominoku,
}

/// Dominoes that a generated Sudominoku case shows, where so few leave it unique: the fewest that BOJ 4574 has.
const DOMINOES: usize = 10;

/// Writes the puzzles, one at a time as they are made.
///
/// # Errors
///
/// When `out` cannot be written.
pub fn generate(arguments: &GenerateArguments, out: &mut impl Write) -> io::Result<()> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(arguments.seed);
    let recipe = match arguments.kind {
        GenerateKind::Easy => Recipe::Easy,
        GenerateKind::Minimal => Recipe::Minimal,
        GenerateKind::Hard => Recipe::Hard,
        GenerateKind::Several => Recipe::Several,
        GenerateKind::Unsolvable => Recipe::Unsolvable,
        GenerateKind::Sudominoku => {
            for _ in 0..arguments.count {
                sudominoku::write_case(&sudominoku::generate(&mut rng, DOMINOES), out)?;
            }
            return writeln!(out, "0");
        }
    };
    for _ in 0..arguments.count {
        writeln!(out, "{}", sudoku::generate(recipe, &mut rng))?;
    }
    Ok(())
}
