//! `batchdoku permute`.

use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::convert::{EXIT_CODES, with_warning};
use super::exit::Exit;
use super::flags::{ClaimArguments, RunArguments};
use super::options::JobOptions;
use super::typed::Typed;
use super::{job, with_exit_codes};
use crate::input::Keep;
use crate::jobs::convert::WRITTEN;
use crate::jobs::permute::{Permute, Symmetries};
use crate::sudoku::{Subgroup, Symmetry};

const SHORT_ABOUT: &str = "Make random isomorphs of the puzzles in files";

const ABOUT: &str = "\
Make random isomorphs of the puzzles in files: bands, stacks, rows within bands, columns within stacks and digits are \
permuted, and the grid is transposed or not. An isomorph is as hard as its puzzle and has as many solutions. A row has \
the isomorph, that of the claimed solution if there is one, and all other columns of the record. The isomorphs of a \
record differ from it and from each other unless it has fewer; they depend on the seed and the number of the record \
alone. Records that cannot be read are not written: they are counted and listed, and the exit code is 1.";

const EXAMPLES: &str = "\
Examples:
  batchdoku permute train.csv -k 10 -o augmented.csv           ten isomorphs of every row of a dataset
  batchdoku permute list.txt --only digits -O lines            relabel the digits alone
  batchdoku permute list.txt --with-symmetry -o permuted.csv   and say how each was made
  batchdoku permute list.txt --by tr123456789c123456789d123456789   transpose all";

/// What `permute` takes.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct PermuteArguments {
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub claims: ClaimArguments,

    /// Make N isomorphs of each puzzle
    #[arg(
        short = 'k',
        long,
        value_name = "N",
        default_value = "1",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000),
        help_heading = "Isomorphs"
    )]
    pub count: u64,

    /// Seed of the random numbers: the same seed gives the same isomorphs
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Isomorphs")]
    pub seed: u64,

    /// Permute only these parts of the grid [default: all]
    #[arg(long = "only", value_name = "PART", value_delimiter = ',', help_heading = "Isomorphs")]
    pub parts: Vec<Part>,

    /// Apply this symmetry to every puzzle
    ///
    /// As --with-symmetry writes it: r, the rows of the grid in their new order, c, the columns, d, what the digits 1 to
    /// 9 become; with a t before it, the grid is transposed first.
    #[arg(
        long,
        value_name = "SYMMETRY",
        conflicts_with_all = ["count", "seed", "parts"],
        help_heading = "Isomorphs"
    )]
    pub by: Option<Symmetry>,

    /// Add a column with the symmetry that made each row
    #[arg(long, help_heading = "Isomorphs")]
    pub with_symmetry: bool,
}

/// What `--only` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Relabel the digits
    Digits,
    /// Permute the rows of each band
    Rows,
    /// Permute the columns of each stack
    Columns,
    /// Permute the bands
    Bands,
    /// Permute the stacks
    Stacks,
    /// Transpose, or not
    Transpose,
}

/// The symmetries that change these parts; all if there are none.
fn subgroup(parts: &[Part]) -> Subgroup {
    if parts.is_empty() {
        return Subgroup::FULL;
    }
    let has = |part| parts.contains(&part);
    Subgroup {
        transpose: has(Part::Transpose),
        bands: has(Part::Bands),
        stacks: has(Part::Stacks),
        rows: has(Part::Rows),
        columns: has(Part::Columns),
        digits: has(Part::Digits),
    }
}

/// Runs `batchdoku permute`.
pub fn permute(arguments: PermuteArguments, typed: Typed) -> Result<Exit> {
    let PermuteArguments { run, claims, count, seed, parts, by, with_symmetry } = arguments;
    let mut options = JobOptions::over_files(typed, run)?.with_claims(claims)?;
    options.keep = Some(Keep::All);
    options.run.only = Some(WRITTEN.to_vec());
    let seed = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64();
    let symmetries = by.map_or(Symmetries::Random { count, seed, from: subgroup(&parts) }, Symmetries::One);
    let encoder = Arc::clone(&options.encoder);
    job::run_completed(Permute::new(symmetries, with_symmetry), options, |job, sources| {
        with_warning(job.fitted(sources, &*encoder))
    })
}
