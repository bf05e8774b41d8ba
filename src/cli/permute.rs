//! `batchdoku permute`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use super::convert::EXIT_CODES;
use super::flags::{ClaimArguments, RunArguments, SeedArguments, choice};
use super::job::Opened;
use super::{AT_ONCE, Exit, JobOptions, Typed, with_exit_codes};
use crate::input::Keep;
use crate::jobs::convert::WRITTEN;
use crate::jobs::permute::{PARTS, Part, Permute, Symmetries, subgroup};
use crate::output::Hrm;
use crate::output::file::{OutputError, OutputFile};
use crate::sudoku::Symmetry;

const ABOUT: &str = "\
Make random isomorphs of the puzzles in the input files. Bands, stacks, rows within bands, columns within stacks and \
digits are permuted, and the grid may be transposed. An isomorph is as hard as the original puzzle and has as many \
solutions. Each row holds the isomorph, the claimed solution (if any) permuted the same way, and the record's other \
columns. The isomorphs of a record differ from it and from each other, unless too few exist. They depend only on the \
seed and the record number. Records that cannot be read are not written; they are counted and listed, and the exit \
code is 1.";

const EXAMPLES: &str = "\
Examples:
  batchdoku permute train.csv -k 10 -o augmented.csv           ten isomorphs of every row in a dataset
  batchdoku permute list.txt --only digits -O lines            only relabel the digits
  batchdoku permute list.txt --with-symmetry -o permuted.csv   and record how each was made
  batchdoku permute train.csv -k 1000 --layout hrm -o data/sudoku/train   training data for HRM or TRM
  batchdoku permute list.txt --by tr123456789c123456789d123456789   transpose every puzzle";

/// Make random isomorphs of puzzles
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES) + AT_ONCE)]
#[command(next_help_heading = "Isomorphs")]
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
        value_parser = clap::value_parser!(u64).range(0..=1_000_000)
    )]
    pub count: u64,

    #[command(flatten)]
    pub seed: SeedArguments,

    /// Permute only these parts of the grid [default: all]
    #[arg(long = "only", value_name = "PART", value_delimiter = ',', value_parser = choice(&PARTS))]
    pub parts: Vec<Part>,

    /// Apply this symmetry to every puzzle
    ///
    /// Use the notation of --with-symmetry. The numbers after r and c are the rows and columns of the grid in their new
    /// order. The digits after d replace 1 to 9. A leading t means that the grid is transposed first.
    #[arg(long, value_name = "SYMMETRY", conflicts_with_all = ["count", "seed", "parts"])]
    pub by: Option<Symmetry>,

    /// Add a column with the symmetry that produced each row
    #[arg(long)]
    pub with_symmetry: bool,

    /// Write each puzzle, its isomorphs and their solutions to the --output directory, in this layout
    ///
    /// The directory is one split of a dataset, such as data/sudoku/train, and is created if missing. Each record needs
    /// a claimed solution, which is checked; other columns are omitted. With -k 0, only the puzzles themselves are
    /// written, as for a test split. Files from an earlier run are replaced once all new ones are complete. Such a run
    /// cannot be resumed.
    #[arg(
        long,
        value_name = "LAYOUT",
        requires = "output",
        conflicts_with_all = ["by", "with_symmetry", "output_format", "escape_formulas", "resume"],
        help_heading = "Output"
    )]
    pub layout: Option<Layout>,
}

/// The possible values of `--layout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// The files that the HRM and TRM training code reads: all__inputs.npy and so on, and dataset.json
    Hrm,
}

/// Runs `batchdoku permute`.
pub fn permute(arguments: PermuteArguments, typed: Typed) -> Result<Exit> {
    let PermuteArguments { mut run, claims, count, seed, parts, by, with_symmetry, layout } = arguments;
    // The name of a directory does not determine the row format.
    let directory = layout.and_then(|Layout::Hrm| run.output.path.take());
    let mut options = JobOptions::over_files(typed, run)?.with_claims(claims)?;
    options.rows.only = Some(WRITTEN.to_vec());
    let from = subgroup(&parts);
    if let Some(directory) = directory {
        let symmetries = Symmetries::random(count + 1, true, options.with_seed(seed), from);
        return dataset(Permute::with_solutions(symmetries), options, &directory);
    }
    if count == 0 {
        bail!("-k 0 leaves nothing to write, except with --layout");
    }
    options.keep = Some(Keep::All);
    let symmetries = match by {
        Some(symmetry) => Symmetries::One(symmetry),
        None => Symmetries::random(count, false, options.with_seed(seed), from),
    };
    Opened::new(&options)?.run(Permute::new(symmetries, with_symmetry), &options)
}

/// Writes one split of a dataset, and the files that all splits share unless they already exist.
fn dataset(job: Permute, mut options: JobOptions, directory: &Path) -> Result<Exit> {
    if directory == Path::new("-") {
        bail!("--layout needs a directory, not -\n  hint: ./- is one of that name");
    }
    options.rows.encoder = Arc::new(Hrm);
    options.is_resumable = false;
    let first = options.rows.path.insert(directory.join(Hrm::FIRST)).clone();
    let made: Vec<_> = directory.ancestors().filter(|above| !above.exists()).collect();
    fs::create_dir_all(directory).map_err(|source| OutputError::Unwritable(directory.to_owned(), source))?;
    let exit = part(job, options);
    for directory in made {
        // A directory that is not empty is not removed.
        let _ = fs::remove_dir(directory);
    }
    let (name, text) = Hrm::IDENTIFIERS;
    let above = match directory.file_name() {
        Some(_) => directory.with_file_name(name),
        None => directory.join("..").join(name),
    };
    if first.exists() && !above.exists() {
        OutputFile::create(&above)?.write_complete(text)?;
    }
    exit
}

/// Writes the files of one split. Fails if an input has no solutions at all.
fn part(job: Permute, options: JobOptions) -> Result<Exit> {
    let opened = Opened::new(&options)?;
    if let Some(source) = opened.sources.iter().find(|source| !source.look().has_claims) {
        let name = &source.info().name;
        bail!("{name}: has no solutions to write\n  hint: `batchdoku solve {name} -o solved.csv` adds them");
    }
    opened.run(job, &options)
}
