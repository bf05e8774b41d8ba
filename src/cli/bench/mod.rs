//! `batchdoku bench`: open everything, measure, print and export.

pub mod args;
mod export;
pub mod options;
mod table;

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow, bail};

use self::export::{ExportFormat, circumstances};
use self::options::BenchOptions;
use self::table::{PrintedTable, drift, heading, learnt, notes};
use super::exit::Exit;
use super::figures::grouped;
use super::inputs::{self, Sieve};
use super::interrupt::Signals;
use super::progress::StageLine;
use super::session::note_earlier;
use super::{message, printed};
use crate::bench::compare::{Comparison, NOISE};
use crate::bench::contender::Contender;
use crate::bench::puzzles::{Input, LoadError, Puzzles};
use crate::bench::result::{BenchResults, BenchTable, ListTables, Method, NamedTable};
use crate::bench::{self, InProcess, Watch, program};
use crate::input::{Source, shown_name};
use crate::output::file::{OutputError, OutputFile};
use crate::output::names::{NamedFile, check_distinct};
use crate::provenance::Provenance;
use crate::sudoku::Grid;

/// Bytes of an earlier run's results at most, far more than any has.
const LONGEST_RESULTS: u64 = 64 << 20;

/// Measures what `options` say.
///
/// # Errors
///
/// When an input or the file of `--compare` cannot be read, an export cannot be written, there is no puzzle, or
/// threads or signals cannot be had.
pub fn bench(options: &BenchOptions) -> Result<Exit> {
    let started = SystemTime::now();
    let signals = Signals::watch()?;
    let (mut standard, exports) = signals.protect(
        || open_outputs(options),
        |(_, exports)| exports.iter().map(|export| export.file.handle()).collect(),
    )?;
    let sieve = Sieve::new(&options.typed, false);
    let Some(opened) = inputs::open(sieve, &options.inputs, &options.read, options.quiet)? else {
        return Ok(Exit::Trouble);
    };
    let sources = opened.into_iter().map(|(_, source)| source).collect();
    let before = options.compare.as_deref().map(read_results).transpose()?;
    let stop = signals.stop();
    if !options.quiet {
        note_earlier(exports.iter().map(|export| &export.file));
    }

    let progress = StageLine::new(options.progress);
    signals.begin(progress.status());
    signals.cleans_up();
    let watch = Watch { observer: &progress, stop };
    let measured = load(sources, options, stop)
        .map_err(Into::into)
        .and_then(|puzzles| measure(options, &puzzles, started, watch));
    progress.clear();
    let results = match measured {
        Err(_) if stop.load(Ordering::Relaxed) => {
            message::error("interrupted: there are no figures");
            return Ok(Exit::Interrupted);
        }
        measured => measured?,
    };
    if !options.quiet {
        warn(&results);
    }
    let comparison = before.map(|before| Comparison::new(&before, &results));
    let mut written = vec![printed(standard.write_all(tables(&results, comparison.as_ref()).as_bytes()))];
    written.extend(exports.into_iter().map(|export| export.write(&results).map(|()| Exit::Answered)));
    let verdict = verdict(&results, comparison.as_ref(), options);
    // Whatever can be written is, and only then is it said what cannot.
    let failures: Vec<_> = written.into_iter().filter_map(Result::err).collect();
    failures.iter().for_each(|error| message::failure(error.as_ref()));
    Ok(if failures.is_empty() { verdict } else { Exit::Trouble })
}

/// A file about to be exported to.
struct Export {
    format: ExportFormat,
    file: OutputFile,
}

/// Opens standard output and every export, no two of them one file or an input. The file of `--compare` may
/// be written anew.
fn open_outputs(options: &BenchOptions) -> Result<(OutputFile, Vec<Export>), OutputError> {
    let mut inputs: Vec<_> = options.inputs.iter().map(|name| NamedFile::input(name)).collect();
    inputs.extend(options.compare.iter().map(|path| NamedFile::ReadFirst("--compare", path)));
    let exports = options.exports.iter();
    let mut outputs: Vec<_> =
        exports.clone().map(|(format, path)| NamedFile::Path(format.flag(), path)).collect();
    outputs.push(NamedFile::StandardOutput);
    check_distinct(&inputs, &outputs)?;
    let open =
        |(format, path): &(_, PathBuf)| Ok(Export { format: *format, file: OutputFile::create(path)? });
    Ok((OutputFile::standard_output()?, exports.map(open).collect::<Result<_, _>>()?))
}

impl Export {
    fn write(self, results: &BenchResults) -> Result<()> {
        Ok(self.file.write_complete(self.format.text(results)?.as_bytes())?)
    }
}

/// Warns of inputs that are alike to the last byte.
fn warn_of_twins(inputs: &[Input]) {
    for (at, input) in inputs.iter().enumerate().filter(|(_, input)| input.sha256.is_some()) {
        if let Some(other) = inputs[..at].iter().find(|other| other.sha256 == input.sha256) {
            let [name, other] = [input, other].map(|input| &input.name);
            message::warning(format_args!("{name}: the same puzzles as in {other}; each is measured twice"));
        }
    }
}

/// The results of an earlier run.
fn read_results(path: &Path) -> Result<BenchResults> {
    let name = shown_name(path);
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST_RESULTS + 1).read_to_end(&mut text));
    read.with_context(|| format!("{name}: cannot be read"))?;
    if text.len() as u64 > LONGEST_RESULTS {
        bail!("{name}: is no result of `batchdoku bench` (it has more than {LONGEST_RESULTS} bytes)");
    }
    BenchResults::from_json(&text).map_err(|error| {
        anyhow!(
            "{name}: is no result of `batchdoku bench` ({error})\n  \
             hint: what --export-json of this version wrote can be compared with"
        )
    })
}

/// Reads the puzzles and says what was left out.
fn load(sources: Vec<Source>, options: &BenchOptions, stop: &AtomicBool) -> Result<Puzzles, LoadError> {
    let mut puzzles = Puzzles::load(sources, stop)?;
    puzzles.shuffle(options.measure.seed);
    if !options.quiet {
        warn_of_twins(&puzzles.inputs);
        puzzles.notes.iter().for_each(message::warning);
        if let Some(first) = &puzzles.first_left_out {
            let left_out = puzzles.invalid + puzzles.sudominoku;
            message::warning(format_args!(
                "{} of {} records left out ({} invalid, {} Sudominoku), the first: {first}",
                grouped(left_out),
                grouped(left_out + puzzles.grids.len() as u64),
                grouped(puzzles.invalid),
                grouped(puzzles.sudominoku),
            ));
        }
    }
    Ok(puzzles)
}

/// Measures every table.
fn measure(
    options: &BenchOptions,
    puzzles: &Puzzles,
    started: SystemTime,
    watch: Watch<'_>,
) -> Result<BenchResults> {
    let mut lists = Vec::new();
    for (name, grids) in &puzzles.lists {
        let (in_process, whole_processes) = measure_on(options, grids, watch)?;
        lists.push(ListTables { name: name.clone(), puzzles: grids.len(), in_process, whole_processes });
    }
    let grids = &puzzles.grids;
    let (in_process, whole_processes) = measure_on(options, grids, watch)?;
    let method = Method::new(&options.measure, options.threads.get());
    let provenance = Provenance::of_this_process(started);
    let results = BenchResults::new(provenance, puzzles, method, in_process);
    let mut results = BenchResults { whole_processes, lists, ..results };
    if options.threads_sweep {
        let cores = std::thread::available_parallelism().context("cannot count the cores")?;
        let table = bench::threads_sweep(grids, &options.backends, cores, &options.measure, watch)?;
        results.threads_sweep = Some(table);
    }
    Ok(results)
}

/// Measures the contenders in this process and, if there are any, the whole programs.
fn measure_on(
    options: &BenchOptions,
    grids: &[Grid],
    watch: Watch<'_>,
) -> Result<(BenchTable, Option<BenchTable>)> {
    let contenders = options.backends.iter().map(|&backend| Contender::of_backend(backend, options.threads));
    let contenders = contenders.collect::<Result<_, _>>().context("cannot start the threads")?;
    let InProcess { table, verdicts } = bench::in_process(grids, contenders, &options.measure, watch)?;
    if options.programs.is_empty() {
        return Ok((table, None));
    }
    let (time, programs) = (options.measure.time, options.programs.clone());
    let whole = program::measure(grids, &verdicts, programs, time, options.timeout, watch)?;
    Ok((table, Some(whole)))
}

/// Says what casts doubt on the figures.
fn warn(results: &BenchResults) {
    for named in results.tables() {
        if let Some(learnt) = learnt(results, named) {
            message::warning(format_args!("{named}: {learnt}"));
            message::hint("--permute makes them different each time");
        }
        if let Some(drift) = drift(named.table) {
            message::warning(format_args!("{named}: {drift}"));
        }
    }
}

/// The tables as they are printed.
fn tables(results: &BenchResults, comparison: Option<&Comparison>) -> String {
    let mut text = format!("{}\n", circumstances(results));
    for named in results.tables() {
        text += &format!("\n{}\n{}", heading(results, named), PrintedTable::of_table(named).text());
        for note in notes(results, named) {
            text += &format!("{note}\n");
        }
    }
    if let Some(comparison) = comparison {
        text += &format!(
            "\nAgainst {}; below {:.0} % nothing is called a change, nor if the range by blocks of \
             rounds holds 0\n{}",
            comparison.earlier,
            100.0 * NOISE,
            PrintedTable::of_comparison(comparison).text()
        );
        for alone in &comparison.alone {
            text += &format!("{alone}\n");
        }
    }
    text
}

/// Says which contenders failed, and gives the exit code.
fn verdict(results: &BenchResults, comparison: Option<&Comparison>, options: &BenchOptions) -> Exit {
    let mut exit = Exit::Answered;
    for named in results.tables() {
        complain(named, &mut exit);
    }
    let Some(comparison) = comparison else { return exit };
    let mut differences = comparison.grave_differences.iter().chain(&comparison.differences).peekable();
    if !options.quiet && differences.peek().is_some() {
        message::warning("the earlier run is not quite comparable:");
        differences.for_each(|difference| message::say(format_args!("  {difference}")));
    }
    if let Some(percent) = options.fail_above {
        // What was not compared may have got slower.
        for why in comparison.grave_differences.iter().chain(&comparison.alone) {
            message::error(format_args!("--fail-above: not comparable: {why}"));
            exit = Exit::Outrun;
        }
        for change in comparison.changes.iter().filter(|change| change.is_slower_by(percent)) {
            message::error(format_args!(
                "{} ({}) is slower by more than {percent} %: {:.1} %, at least {:.1} %",
                change.name,
                change.kind.as_str(),
                100.0 * (1.0 - change.ratio.median),
                100.0 * (1.0 - change.ratio.high),
            ));
            exit = Exit::Outrun;
        }
    }
    exit
}

fn complain(named: NamedTable<'_>, exit: &mut Exit) {
    for row in &named.table.rows {
        if let Some(why) = &row.failure {
            message::error(format_args!("{} ({named}): {why}", row.name));
            *exit = Exit::Outrun;
        }
    }
}
