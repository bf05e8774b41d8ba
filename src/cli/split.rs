//! `batchdoku split`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;

use super::comparison::{MemoryArguments, SameArgument, warn_of_uncompared};
use super::copies::{self, CopyArguments};
use super::exit::Exit;
use super::job::Opened;
use super::options::Inputs;
use super::typed::Typed;
use super::with_exit_codes;
use crate::jobs::pick::{Pick, only, words_of_parts};
use crate::output::ChoiceError;
use crate::survey::duplicates::Same;
use crate::survey::split::{MOST_PARTS, parts};
use crate::survey::{PassError, Strata, Verbatim};

const SHORT_ABOUT: &str = "Split files into random parts that share no puzzle";

const ABOUT: &str = "\
Split the records of files into random parts, such as a training and a test set, and write them unchanged and in order: \
lines, rows below their header (those of Parquet and Arrow as CSV), grids with a blank line between. Records that are the \
same go to one part, so that no part has what another one has: not the puzzle, nor an isomorph of it. Within that, every \
record is as likely as any other. Inputs are read twice, standard input from a temporary copy. The same seed gives the \
same parts on every machine.";

const EXAMPLES: &str = "\
Examples:
  batchdoku split all.csv --parts train=0.9,test=0.1                       train.csv and test.csv
  batchdoku split all.csv --parts train=8,valid=1,test=1 --same solution-grid
  batchdoku split all.csv --parts train=0.9,test=0.1 --by rating           of each rating one in ten
  batchdoku split 'shard-*.csv' --parts sets/train.csv.gz=90,sets/test.csv=10 --seed 7";

const EXIT_CODES: &str = "\
Exit codes:
  0    the parts are written
  1    they are, but some records are invalid or, with solution-grid, not unique: these are the same as no other
  2    wrong usage, or a file that cannot be opened, read completely or written
  3    an internal error
  130  interrupted (SIGTERM: 143, SIGHUP: 129)";

/// What `split` takes.
#[derive(Args, Debug)]
#[command(about = SHORT_ABOUT, long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct SplitArguments {
    /// The files of the parts and their shares, in any unit
    ///
    /// A name without an extension has that of the first FILE, as it is typed; what ends in .gz or .zst is compressed. The records of a
    /// part differ from its share by about one, unless many are the same.
    #[arg(long, value_name = "NAME=SHARE,...", value_delimiter = ',', required = true, value_parser = part)]
    pub parts: Vec<(PathBuf, u64)>,

    /// Seed of the random numbers: the same seed gives the same parts
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    /// When two records are the same, and go to one part
    #[arg(long, value_name = "WHAT", default_value = "puzzle")]
    pub same: SameArgument,

    /// Give each part its share of each kind
    ///
    /// By `status` (that `solve` gives), `clues` (their number), `guesses` (none, 1, 2 to 3, 4 to 7 and so on; the search
    /// ends at 100,000), or the values of a column of the table, by its name.
    #[arg(long, value_name = "KIND")]
    pub by: Option<Strata>,

    #[command(flatten)]
    pub memory: MemoryArguments,
    #[command(flatten)]
    pub files: CopyArguments,
}

/// Decimals of a share, and its digits before them.
const DECIMALS: usize = 9;
const MOST_DIGITS: usize = 9;

/// Parses a part.
fn part(text: &str) -> Result<(PathBuf, u64), String> {
    let Some((name, share)) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()) else {
        return Err("expected NAME=SHARE, as in test=0.1".to_owned());
    };
    let (whole, decimals) = share.split_once('.').unwrap_or((share, ""));
    let digits = format!("{whole}{decimals:0<DECIMALS$}");
    let are_digits = !share.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = whole.len() <= MOST_DIGITS && decimals.len() <= DECIMALS;
    match digits.parse() {
        Ok(share @ 1..) if are_digits && is_short => Ok((name.into(), share)),
        _ => Err(format!("'{share}' is not a share: expected a number above 0, as in test=0.1")),
    }
}

/// The extension for parts of an input of that name: its own, with what stands before `.gz` or `.zst`, or that of CSV if
/// it says that it is not text.
fn extension(name: &Path) -> OsString {
    let mut extension = OsString::new();
    let is_compressed = name.extension().is_some_and(|last| last == "gz" || last == "zst");
    let stem = name.file_stem().unwrap_or_default();
    let before = if is_compressed { Path::new(stem).extension() } else { None };
    for part in before.into_iter().chain(name.extension()) {
        extension.push(".");
        extension.push(part);
    }
    let is_binary = matches!(copies::compression(Some(name)), Err(ChoiceError::NotText(..)));
    if is_binary { ".csv".into() } else { extension }
}

/// Runs `batchdoku split`.
pub fn split(arguments: SplitArguments, typed: Typed) -> Result<Exit> {
    let SplitArguments { parts: typed_parts, seed, same, by, memory, files } = arguments;
    if !(2..=MOST_PARTS).contains(&typed_parts.len()) {
        bail!("--parts: expected 2 to {MOST_PARTS} parts, as in train=0.9,test=0.1");
    }
    let same = Same::from(same);
    let mut options = copies::options(typed, files, None)?;
    let extension = match &options.inputs {
        Inputs::Files(inputs) => inputs.first().map(|name| extension(name)),
        _ => None,
    };
    let (mut paths, shares): (Vec<_>, Vec<_>) = typed_parts.into_iter().unzip();
    for path in paths.iter_mut().filter(|path| path.extension().is_none()) {
        path.as_mut_os_string().push(extension.as_deref().unwrap_or_default());
    }
    let compressions =
        paths.iter().map(|path| copies::compression(Some(path))).collect::<Result<Vec<_>, _>>()?;
    let statuses = words_of_parts(paths.iter().map(|path| path.display().to_string()));
    for (status, path) in paths.into_iter().enumerate() {
        let only = only(status, statuses.len());
        options.rest.push(copies::second_output("--parts", path, &options.encoder, only)?);
    }
    let first = options.rest.remove(0);
    (options.output.path, options.output_flag) = (Some(first.path), first.flag);

    let mut opened = Opened::new(&mut options)?;
    let verbatim = Verbatim::of(&opened.sources);
    let mut comparison = memory.comparison(same, by, &options);
    let found = verbatim.and_then(|verbatim| {
        let sources = std::mem::take(&mut opened.sources);
        Ok((
            verbatim,
            copies::read(&opened.session, &options, sources, |sources, progress, stop| {
                comparison.read(sources, progress, stop)?;
                let (records, uncompared) = (comparison.records, comparison.uncompared);
                let strata = std::mem::take(&mut comparison.strata);
                let parts = parts(records, comparison.finish(None, stop)?, &strata, &shares, seed)?;
                Ok::<_, PassError>((parts, uncompared))
            })?,
        ))
    });
    let (verbatim, (parts, uncompared)) = match found {
        Ok(found) => found,
        Err(error) => return Ok(copies::fail(&error, opened)),
    };
    if uncompared > 0 {
        warn_of_uncompared(same, uncompared, "");
        options.exit = Exit::Unanswered;
    }
    for (rest, compression) in options.rest.iter_mut().zip(&compressions[1..]) {
        rest.encoder = Arc::new(verbatim.compressed(*compression));
    }
    options.run.only = Some(first.only);
    let pick = Pick::new(statuses, move |number| parts[number as usize - 1]);
    copies::write(pick, opened, options, &verbatim.compressed(compressions[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_name_and_a_share_above_0() {
        let share = |text| part(text).map(|(name, share)| (name.display().to_string(), share));
        assert_eq!(share("a=0.1"), Ok(("a".to_owned(), 100_000_000)));
        assert_eq!(share("a=b=12"), Ok(("a=b".to_owned(), 12_000_000_000)));
        assert_eq!(share("a=.000000001"), Ok(("a".to_owned(), 1)));
        for text in [
            "",
            "a",
            "=1",
            "a=",
            "a=.",
            "a=0",
            "a=0.0",
            "a=-1",
            "a=+1",
            "a=1e3",
            "a=10%",
            "a=1.0000000001",
            "a=1.2.3",
            "a=inf",
            "a=1111111111",
        ] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_without_an_extension_has_that_of_the_input() {
        for (name, expected) in [
            ("a.csv", ".csv"),
            ("x.y/a.tar.csv.gz", ".csv.gz"),
            ("a.parquet", ".csv"),
            ("a.parq", ".csv"),
            ("a.txt.zst", ".txt.zst"),
            ("a", ""),
            ("-", ""),
            ("x.y/a", ""),
            ("a.gz", ".gz"),
        ] {
            assert_eq!(extension(Path::new(name)), expected, "{name}");
        }
    }
}
