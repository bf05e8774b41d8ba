//! `batchdoku report`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use clap::Args;

use super::flags::{TalkArguments, ThreadArguments};
use super::inputs::{self, InputFilter};
use super::outputs::FormOutputs;
use super::progress::ProgressLine;
use super::session::Session;
use super::{Exit, message, options, printed, with_exit_codes};
use crate::input::{ReadOptions, shown_name};
use crate::output::names::NamedFile;
use crate::provenance::Provenance;
use crate::report::{self, Detail, ReportError};

const ABOUT: &str = "\
Make a report from result files: statuses, reasons, times, guesses, the hardest and slowest puzzles, duplicates and \
provenance. Files of any size are read once, in bounded memory. The first 256 input files named in the rows get their \
own figures; the rest are counted together. The web page is a single file that works offline.";

const EXAMPLES: &str = "\
Examples:
  batchdoku report results.csv -o report.html              a web page
  batchdoku report old.csv new.csv -o compared.html        two files side by side
  batchdoku report results.csv.gz -o r.html -o r.json      a web page, and the figures as JSON
  batchdoku solve puzzles.txt -O lines --report run.html   solve and report in one go";

const EXIT_CODES: &str = "  0    the report was written
  2    usage error, or a file could not be opened, read or written, or does not hold results; also if
       a file is damaged: the report then covers the rows before the damage";

/// Make a report from results: a web page, Markdown or JSON
#[derive(Args, Debug)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = with_exit_codes(EXAMPLES, EXIT_CODES))]
pub struct ReportArguments {
    /// Result files written by `solve` or `verify`, or `-` for standard input (the default)
    ///
    /// Results can be CSV, JSON Lines, Parquet or Arrow; gzip and zstd files are decompressed. Up to 256 files can be
    /// compared side by side.
    #[arg(value_name = "RESULTS")]
    pub inputs: Vec<PathBuf>,

    /// Write the report to FILE: a web page (.html), Markdown (.md) or JSON (.json) [default: Markdown on standard
    /// output]
    ///
    /// Can be repeated. The file appears once it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,

    /// Show the N hardest and N slowest puzzles, at most 50 of each
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u8).range(0..=50))]
    pub top: u8,

    /// Count isomorphic puzzles as the same puzzle, as `canon` does
    #[arg(long)]
    pub isomorphs: bool,

    #[command(flatten)]
    pub threads: ThreadArguments,

    #[command(flatten)]
    pub talk: TalkArguments,
}

/// Runs `batchdoku report`. Fails if an input cannot be read or an output cannot be written.
pub fn report(typed: ReportArguments) -> Result<Exit> {
    let provenance = Provenance::of_this_process(SystemTime::now());
    let session = Session::begin()?;
    let (standard, paths): (Vec<_>, Vec<_>) =
        typed.output.into_iter().partition(|path| path == Path::new("-"));
    let to_standard = !standard.is_empty() || paths.is_empty();
    let reports = options::reports(paths)?;
    let names = inputs::expanded(typed.inputs.clone(), reports.iter().map(|(_, path)| path))?;
    let read = ReadOptions { results: true, ..ReadOptions::default() };
    let mut filter = InputFilter::new(&typed.inputs, false);
    let names: Vec<_> = names.into_iter().filter(|name| !filter.leaves_out(name, &read)).collect();
    filter.finish(!names.is_empty())?;
    let inputs: Vec<_> = names.iter().map(|name| NamedFile::input(name)).collect();
    let outputs = FormOutputs::open(&session, &inputs, &reports, to_standard)?;
    // Opening an input can block forever; a signal ends that, too.
    let progress = ProgressLine::new(typed.talk.has_bar(), total_size(&names));
    let threads = options::threads(typed.threads.threads);
    let detail = Detail { top: usize::from(typed.top), isomorphs: typed.isomorphs };
    let read = report::read(&names, detail, threads, provenance, &progress, session.stop());
    progress.clear();
    let report = read.map_err(|error| match error {
        ReportError::NotResults { .. } => {
            anyhow!("{error}\n  hint: make one with: batchdoku solve|verify FILE -o results.csv")
        }
        _ => error.into(),
    })?;
    let mut failures = Vec::new();
    for (form, file) in outputs.files {
        let path = file.name().to_owned();
        match file.write_complete(report.written_as(form).as_bytes()) {
            Ok(()) => message::info(format_args!("wrote {}", shown_name(&path))),
            Err(error) => failures.push(error.into()),
        }
    }
    if let Some(mut out) = outputs.standard {
        failures.extend(printed(out.write_all(report.markdown().as_bytes())).err());
    }
    report.notes.iter().for_each(message::warning);
    report.problems.iter().for_each(message::error);
    if report.bad_rows.count > 0 {
        let first = report.bad_rows.first.first().map_or("", String::as_str);
        let count = super::figures::grouped(report.bad_rows.count);
        message::warning(format_args!("rows that cannot be read: {count}; the first is {first}"));
    }
    failures.iter().for_each(|error: &anyhow::Error| message::failure(error.as_ref()));
    Ok(if report.problems.is_empty() && failures.is_empty() { Exit::Answered } else { Exit::Trouble })
}

/// Returns the total size of the inputs, if all of them are files.
fn total_size(paths: &[PathBuf]) -> Option<u64> {
    let size =
        |path: &PathBuf| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len());
    paths.iter().map(size).sum()
}
