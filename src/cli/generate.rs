//! `batchdoku generate`.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::copies;
use super::figures::{count_of, grouped};
use super::flags::{
    BackendArguments, OutputArguments, ReportingArguments, SeedArguments, TextArguments, ThreadArguments,
    choice,
};
use super::job::Opened;
use super::options::{self, JobOptions};
use super::{AT_ONCE, Exit, Typed, message, with_exit_codes};
use crate::analysis::rating::Grade;
use crate::generate::{PatternSymmetry, PuzzleSpec, Variation};
use crate::input::{Source, shown_name};
use crate::jobs::cases::{self, GenerateCases};
use crate::jobs::generate::{
    Count, Generate, Impossible, MOST_RARE_ROWS, MOST_RATED_ROWS, MOST_ROWS, SYMMETRIES, WRITTEN, batch_rows,
};
use crate::jobs::measures::{self, Condition, Measure};
use crate::output::{Cases, Choice, compressed};
use crate::record::{MakePuzzle, PuzzleKind};
use crate::sudoku::{CELLS, verifier};
use crate::survey::PassError;
use crate::survey::grids::{self, Puzzles};

const ABOUT: &str = "\
Generate puzzles with their solutions. Each puzzle is derived from the seed and its number, so the same flags and seed \
give the same puzzles on every machine. A puzzle starts as a random solved grid, with all grids equally likely. Then \
clues are removed in random order as long as the solution stays unique. By default, puzzles are minimal. Grids are \
tried until there are enough puzzles with the requested symmetry, pattern and difficulty. On standard output, each \
line holds a puzzle and its solution; other formats have more columns.";

const EXAMPLES: &str = "\
Examples:
  batchdoku generate -n 500 --grade hard --symmetry rotate180 -o puzzles.csv     puzzles for people
  batchdoku generate -n 1000000 --seed 7 --no-solutions -o minimal.txt           minimal puzzles
  batchdoku generate -n 100 --clues 30..32 --difficulty 'se<=2.3'                by clue count and rating
  batchdoku generate -n 100 --difficulty 'se>=8.5 && clues<=24' -o hard.csv      hard puzzles
  batchdoku generate -n 1000 --near known.txt --changes 2 --clues 17..18         variations of known puzzles
  batchdoku generate -n 100000 --weights -o sample.csv                           with weights that remove all bias";

const EXIT_CODES: &str = "  0    all puzzles were written
  1    some were not found within --tries grids
  2    usage error, or a file could not be opened, read or written";

/// Generate puzzles
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES) + AT_ONCE)]
#[command(next_help_heading = "Puzzles")]
pub struct GenerateArguments {
    /// Number of puzzles to generate
    ///
    /// If a puzzle is not found (see --tries), it is omitted, and its number is skipped.
    #[arg(short = 'n', long, value_name = "N", default_value = "1", value_parser = count)]
    pub count: usize,

    #[command(flatten)]
    pub seed: SeedArguments,

    /// Make minimal puzzles: removing any clue would give several solutions [default unless --clues is given]
    ///
    /// With a symmetry, clues are removed in symmetric groups until no further group can be removed.
    #[arg(long)]
    pub minimal: bool,

    /// Make puzzles with A to B clues, or with exactly A
    ///
    /// Removal stops at a clue count drawn from this range, or earlier if no more clues can be removed. With --minimal,
    /// puzzles outside the range are discarded.
    #[arg(long, value_name = "A..B", value_parser = clues)]
    pub clues: Option<RangeInclusive<u32>>,

    /// Symmetry of the clue pattern
    #[arg(long, value_name = "SYMMETRY", default_value = "none", value_parser = choice(&SYMMETRIES))]
    pub symmetry: PatternSymmetry,

    /// Place clues only where the first puzzle in FILE has them
    #[arg(long, value_name = "FILE")]
    pub pattern: Option<PathBuf>,

    /// Make variations of the puzzles in FILE: some clues are replaced, and any that become redundant are removed
    ///
    /// Such puzzles often share a trait with the originals, such as few clues or a high rating. The same puzzle can
    /// come up more than once; `batchdoku dedupe` removes duplicates.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["symmetry", "pattern", "minimal"])]
    pub near: Option<PathBuf>,

    /// Number of clues to replace
    #[arg(
        long,
        value_name = "K",
        default_value = "2",
        requires = "near",
        value_parser = clap::value_parser!(u8).range(1..=81)
    )]
    pub changes: u8,

    /// Keep only puzzles that meet this condition, such as 'se>=4.5 && clues<=24'
    ///
    /// Conditions compare (<, <=, =, ==, !=, >=, >) clues, guesses or a measure from `--columns`. Use && for "and" and
    /// || for "or". Each measure used gets a column.
    #[arg(long, value_name = "EXPR", help_heading = "Difficulty")]
    pub difficulty: Option<Condition>,

    /// Keep only puzzles of this grade
    #[arg(long, value_name = "GRADE", value_parser = grades(), help_heading = "Difficulty")]
    pub grade: Option<String>,

    /// Add columns with these measures
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = measures(), help_heading = "Difficulty")]
    pub columns: Vec<String>,

    /// Give each minimal puzzle a weight that removes all sampling bias; this takes five times as long
    ///
    /// Clue removal overrepresents puzzles with few clues. The weight is the number of the grid's minimal puzzles that
    /// this one represents. A mean taken with these weights estimates the mean over all minimal puzzles.
    #[arg(long, conflicts_with = "near", help_heading = "Difficulty")]
    pub weights: bool,

    /// Kind of puzzle to generate
    #[arg(long, value_name = "KIND", default_value = "sudoku", value_parser = kinds())]
    pub kind: String,

    /// Give up on a puzzle after trying N grids
    ///
    /// If N is a million or more and the first puzzle is not found, no further puzzles are tried.
    #[arg(long, value_name = "N", default_value = "1000000")]
    pub tries: NonZeroU64,

    /// Omit the solutions
    #[arg(long, help_heading = "Output")]
    pub no_solutions: bool,

    #[command(flatten)]
    pub backend: BackendArguments,
    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    #[command(flatten)]
    pub reporting: ReportingArguments,
}

/// Parses a number of puzzles, up to a trillion.
fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|&count: &usize| count as u64 <= 1_000_000_000_000);
    count.ok_or_else(|| "expected a number up to 1,000,000,000,000".to_owned())
}

/// Parses a range of clue counts such as `24`, `22..24`, `..24` or `22..`. Both ends are included.
fn clues(text: &str) -> Result<RangeInclusive<u32>, String> {
    let number = |text: &str, instead| if text.is_empty() { Ok(instead) } else { text.parse::<u32>() };
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (number(first, 0), number(last.trim_start_matches('='), CELLS as u32)) {
        (Ok(first), Ok(last)) if !text.is_empty() && first <= last && last <= CELLS as u32 => {
            Ok(first..=last)
        }
        _ => Err("expected a number up to 81, or two as in 22..24, the smaller one first".to_owned()),
    }
}

/// Returns the possible values of `--kind`.
fn kinds() -> PossibleValuesParser {
    let others =
        PuzzleKind::ALL.into_iter().filter_map(|kind| Some((kind.as_str(), kind.facts().generate?.1)));
    let all = [("sudoku", "Plain sudokus")].into_iter().chain(others);
    all.map(|(name, about)| PossibleValue::new(name).help(about)).collect::<Vec<_>>().into()
}

/// Returns the possible values of `--grade`.
fn grades() -> PossibleValuesParser {
    Grade::all().map(|grade| grade.name()).collect::<Vec<_>>().into()
}

/// Returns the possible values of `--columns`.
fn measures() -> PossibleValuesParser {
    measures::FIELDS.iter().map(|field| field.name).chain(["guesses"]).collect::<Vec<_>>().into()
}

/// The number of cases in a batch. Each case takes about a millisecond.
const CASES: usize = 16;

/// Runs `batchdoku generate`.
pub fn generate(mut arguments: GenerateArguments, typed: Typed) -> Result<Exit> {
    let kind = PuzzleKind::from_word(arguments.kind.as_bytes());
    if let Some((make, _)) = kind.and_then(|kind| kind.facts().generate) {
        return generate_cases(arguments, make, typed);
    }
    // The `lines` format has no room for the requested columns.
    if arguments.output.path.is_none() && arguments.columns.is_empty() && !arguments.weights {
        arguments.output.output_format.get_or_insert_with(|| "lines".to_owned());
    }
    let mut spec = spec(&arguments);
    let GenerateArguments { count, seed, difficulty, grade, columns, no_solutions, changes, .. } = arguments;
    let grade = grade.map(|grade| format!("grade={grade}").parse::<Condition>()).transpose();
    let condition =
        difficulty.unwrap_or_default().and(&grade.map_err(anyhow::Error::msg)?.unwrap_or_default());
    let columns: Vec<_> = columns.iter().filter_map(|name| Measure::named(name)).collect();
    let backend = options::backend(&arguments.backend.backend)?;
    let GenerateArguments { threads, output, reporting, pattern, near, .. } = arguments;
    let is_any = condition.is_empty() && spec.clues == PuzzleSpec::default().clues;
    let most = match (condition.is_quick(), is_any && near.is_none() && pattern.is_none()) {
        (false, _) => MOST_RATED_ROWS,
        (true, false) => MOST_RARE_ROWS,
        (true, true) => MOST_ROWS,
    };
    let mut options = JobOptions::new(typed, &threads, reporting)
        .with_output(output, &TextArguments::default())?
        .with_batches(count, most, &threads);
    let seed = options.with_seed(seed);
    options.against.extend(pattern.iter().chain(&near).cloned());
    options.rows.only = Some(WRITTEN.to_vec());
    options.backend = Some(backend);
    let mut opened = Opened::new(&options)?;
    opened.sources = numbers(count);
    if let Some(path) = options.against.first() {
        let mut found = known_puzzles(&mut opened, &options)?;
        if near.is_some() {
            let before = found.puzzles.len();
            found.puzzles.retain(|puzzle| verifier::clash(puzzle).is_none());
            found.unread += (before - found.puzzles.len()) as u64;
        }
        found.notes.iter().for_each(message::warning);
        let name = shown_name(path);
        if found.unread > 0 {
            let unread = count_of(found.unread, "record is invalid and is", "records are invalid and are");
            message::warning(format_args!("{name}: {unread} left out"));
        }
        match (near, found.puzzles.first()) {
            (_, None) => bail!("{name}: has no sudoku that can be read"),
            (Some(_), _) => spec.near = Some(Variation::new(found.puzzles.into(), changes.into())),
            (None, Some(first)) => spec.pattern = first.clue_cells(),
        }
    }
    let (tries, clues) = (spec.tries, spec.pattern.count());
    let job = Generate::new(seed, spec, condition, &columns, backend).map_err(|error| match (&pattern, &error) {
        (Some(path), Impossible::FewCells(_)) => anyhow!(
            "{}: the first puzzle has {clues} clues: {error}\n  hint: draw a cell that may have one as a digit; X is a blank",
            shown_name(path)
        ),
        _ => error.into(),
    })?;
    let job = if no_solutions { job.without_solutions() } else { job };
    if job.is_rare() {
        message::note("very few random puzzles have such a number of clues");
        message::hint("--near FILE makes puzzles near those of a file, which often have as many");
    }
    let has_first = job.has_first();
    let exit = opened.run(job, &options)?;
    if has_first.get() == Some(&false) {
        let grids = grouped(tries);
        let others = if count > 1 { ": no other was tried" } else { "" };
        message::error(format_args!("the first puzzle was not found in {grids} grids{others}"));
        message::hint(
            "--tries N tries more, --seed begins with other grids, --near FILE is for what is rare",
        );
    }
    Ok(exit)
}

/// Returns the known puzzles in the file that new ones are based on.
fn known_puzzles(opened: &mut Opened, options: &JobOptions) -> Result<Puzzles, PassError> {
    let (sources, threads) = (std::mem::take(&mut opened.against), options.run.threads);
    let progress = copies::progress(&opened.session, options, &sources);
    grids::puzzles(sources, threads, &progress, opened.session.stop())
}

/// Returns the puzzle spec, except for the parts that come from files.
fn spec(arguments: &GenerateArguments) -> PuzzleSpec {
    PuzzleSpec {
        clues: arguments.clues.clone().unwrap_or(PuzzleSpec::default().clues),
        symmetry: arguments.symmetry,
        minimal: arguments.minimal || arguments.clues.is_none(),
        weighted: arguments.weights,
        tries: arguments.tries.get(),
        ..PuzzleSpec::default()
    }
}

/// Returns the records to process, which are the puzzle numbers.
fn numbers(count: usize) -> Vec<Source> {
    vec![Source::of_values("generate", Arc::new(Count(count)), None)]
}

impl JobOptions {
    /// Sets the batch size for `count` puzzles, with at most `most` puzzles per batch, unless a batch size is given.
    fn with_batches(mut self, count: usize, most: usize, threads: &ThreadArguments) -> Self {
        if threads.chunk_size.is_none() {
            self.run.batch_bytes = batch_rows(count, self.run.threads, most) * CELLS;
        }
        self
    }
}

/// Generates puzzles of a kind other than plain sudoku, in the only format that can hold them.
fn generate_cases(arguments: GenerateArguments, make: MakePuzzle, typed: Typed) -> Result<Exit> {
    const OF_CASES: [&str; 3] = ["count", "kind", "seed"];
    let is_of_sudokus =
        |(flag, affects_rows): &(&str, _)| *affects_rows && !OF_CASES.contains(flag) || *flag == "lenient";
    if let Some((flag, _)) = typed.given().find(is_of_sudokus) {
        bail!("--{flag} is for sudokus alone");
    }
    let GenerateArguments { count, seed, threads, mut output, reporting, .. } = arguments;
    output.path = output.path.filter(|path| path != Path::new("-"));
    let path = output.path.as_deref();
    let choice =
        Choice::new(path, None).ok().filter(|choice| !choice.is_named || choice.format.name == "lines");
    let Some(Choice { compression, .. }) = choice else {
        let name = path.map(shown_name).unwrap_or_default();
        bail!("{name}: Sudominoku cases are text as in BOJ 4574\n  hint: give it the extension .txt");
    };
    let mut options = JobOptions::new(typed, &threads, reporting)
        .with_output(output, &TextArguments::default())?
        .with_batches(count, CASES, &threads);
    options.rows.encoder = compressed(Arc::new(Cases), compression);
    options.rows.only = Some(cases::WRITTEN.to_vec());
    let job = GenerateCases::new(make, options.with_seed(seed));
    let mut opened = Opened::fit(&job, &options)?;
    opened.sources = numbers(count);
    opened.run(job, &options)
}
