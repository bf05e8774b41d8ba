//! `batchdoku generate`.

use std::io::{LineWriter, Write};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::exit::Exit;
use super::flags::{OutputArguments, ReportingArguments, ThreadArguments};
use super::options::{Inputs, JobOptions};
use super::typed::Typed;
use super::{job, printed};
use crate::generate::sudoku::{Recipe, generate};
use crate::generate::sudominoku;
use crate::input::{Source, Value, Values};
use crate::jobs::convert::{Claims, Convert};
use crate::output::file::OutputFile;
use crate::sudoku::random::spread;

/// What `generate` takes.
#[derive(Args, Debug)]
pub struct GenerateArguments {
    /// What to make
    pub kind: Kind,

    /// How many
    #[arg(long, value_name = "N", default_value = "1")]
    pub count: usize,

    /// Seed of the random numbers: the same seed gives the same puzzles
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// What `generate` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// One solution, 32 to 36 clues, solved by singles alone
    Easy,
    /// One solution, no clue can be left out
    Minimal,
    /// Minimal, and needs guesses
    Hard,
    /// 2 to 10 solutions
    Several,
    /// No solution, though no clues clash
    Unsolvable,
    /// Sudominoku cases with one solution and as few as 10 dominoes, to standard output
    Sudominoku,
}

/// Dominoes of a generated Sudominoku case, if so few make it unique: the fewest that BOJ 4574 has.
const DOMINOES: usize = 10;

/// Bytes of a batch: a dozen puzzles, since each takes milliseconds.
const BATCH_BYTES: usize = 1 << 10;

/// Puzzles that are made on demand, each from its number, on any thread.
#[derive(Debug)]
struct Puzzles {
    recipe: Recipe,
    /// Added to the number of a puzzle, it is the seed of that puzzle.
    seed: u64,
    count: usize,
}

impl Values for Puzzles {
    fn len(&self) -> usize {
        self.count
    }

    fn get(&self, row: usize) -> Value<'_> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(row as u64));
        Value::Cells(Ok(generate(self.recipe, &mut rng)))
    }
}

/// Runs `batchdoku generate`.
pub fn run(arguments: GenerateArguments, typed: Typed) -> Result<Exit> {
    let GenerateArguments { kind, count, seed, threads, mut output, reporting } = arguments;
    let recipe = match kind {
        Kind::Easy => Recipe::Easy,
        Kind::Minimal => Recipe::Minimal,
        Kind::Hard => Recipe::Hard,
        Kind::Several => Recipe::Several,
        Kind::Unsolvable => Recipe::Unsolvable,
        Kind::Sudominoku => return print_cases(count, seed, &output),
    };
    if output.path.is_none() {
        output.output_format.get_or_insert_with(|| "lines".to_owned());
    }
    let seed = spread(seed);
    let puzzles = Puzzles { recipe, seed, count };
    let mut options = JobOptions::new(typed, &threads, reporting).with_output(output)?;
    options.inputs = Inputs::Made(vec![Source::of_values("generate", Arc::new(puzzles), None)]);
    options.run.batch_bytes = BATCH_BYTES;
    job::run(Convert::new(Claims::LeftOut), options)
}

/// Prints Sudominoku cases, each as soon as it is made: no output format holds them.
fn print_cases(count: usize, seed: u64, output: &OutputArguments) -> Result<Exit> {
    if output.path.is_some() || output.output_format.is_some() {
        bail!("Sudominoku cases can only be printed to standard output, in the format of BOJ 4574");
    }
    let mut out = LineWriter::new(OutputFile::standard_output()?);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut cases = (0..count).map(|_| sudominoku::generate(&mut rng, DOMINOES));
    let written = cases.try_for_each(|case| sudominoku::write_case(&case, &mut out));
    printed(written.and_then(|()| writeln!(out, "0")).and_then(|()| out.flush()))
}
