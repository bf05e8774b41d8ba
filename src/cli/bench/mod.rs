//! `batchdoku bench`: open everything, measure, print and export.

pub mod args;
mod export;
pub mod options;
mod table;

use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};

use self::export::{Format, circumstances};
use self::options::BenchOptions;
use self::table::{Cells, heading};
use super::exit::Exit;
use super::figures::grouped;
use super::options::STANDARD_INPUT;
use super::progress::StageLine;
use super::{interrupt, message, printed};
use crate::bench::compare::{Comparison, NOISE};
use crate::bench::contender::Contender;
use crate::bench::puzzles::{LoadError, Opened, Puzzles};
use crate::bench::result::{Kind, Method, Results, Table};
use crate::bench::{self, Watch, program};
use crate::input::{ReadOptions, Source};
use crate::output::file::OutputFile;
use crate::provenance::{self, Provenance};

/// Measures what `options` say.
///
/// # Errors
///
/// When an input or the file of `--compare` cannot be read, an export cannot be written, there is no puzzle, or
/// threads or signals cannot be had.
pub fn bench(options: &BenchOptions) -> Result<Exit> {
    let started = SystemTime::now();
    let Some(opened) = open_inputs(options) else { return Ok(Exit::Trouble) };
    let before = options.compare.as_deref().map(read_results).transpose()?;
    let inputs: Vec<_> = options.inputs.iter().map(String::as_str).collect();
    let exports = options
        .exports
        .iter()
        .map(|(format, path)| Ok((*format, OutputFile::create(path, &inputs)?)))
        .collect::<Result<Vec<_>>>()?;
    let stop = interrupt::watch()?;

    let progress = StageLine::new(options.progress);
    let watch = Watch { observer: &progress, stop: &stop };
    let measured = load(opened, options, &stop)
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
    printed(print(&results, comparison.as_ref()))?;
    for (format, file) in exports {
        write_export(format, file, &results)?;
    }
    Ok(verdict(&results, comparison.as_ref(), options))
}

/// Opens every input, or names every one that cannot be opened.
fn open_inputs(options: &BenchOptions) -> Option<Vec<Opened>> {
    let mut inputs = Vec::with_capacity(options.inputs.len());
    for name in &options.inputs {
        match open(name, &options.read) {
            Ok(input) => inputs.push(input),
            Err(error) => message::error_chain(&error),
        }
    }
    (inputs.len() == options.inputs.len()).then_some(inputs)
}

/// Opens an input and takes its hash.
fn open(name: &str, read: &ReadOptions) -> Result<Opened> {
    if name == STANDARD_INPUT {
        // The puzzles are held in memory anyway; this way the bytes can be hashed, too.
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
        let sha256 = Some(provenance::sha256(&*bytes)?);
        return Ok(Opened { source: Source::from_reader(name, Cursor::new(bytes), read)?, sha256 });
    }
    let source = Source::open(name, read)?;
    // What has no size can be read only once.
    let sha256 = source.info().size.map(|_| provenance::sha256_of_file(Path::new(name)));
    let sha256 = sha256.transpose().with_context(|| format!("{name}: cannot be read"))?;
    Ok(Opened { source, sha256 })
}

/// The results of an earlier run.
fn read_results(path: &Path) -> Result<Results> {
    let name = path.display();
    let text = fs::read(path).with_context(|| format!("{name}: cannot be read"))?;
    Results::from_json(&text).map_err(|error| {
        anyhow!(
            "{name}: is no result of `batchdoku bench` ({error})\n  \
             hint: `batchdoku bench FILE --export-json {name}` writes one"
        )
    })
}

/// Reads the puzzles and says what was left out.
fn load(inputs: Vec<Opened>, options: &BenchOptions, stop: &AtomicBool) -> Result<Puzzles, LoadError> {
    let mut puzzles = Puzzles::load(inputs, stop)?;
    puzzles.shuffle(options.measure.seed);
    if !options.quiet {
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
) -> Result<Results> {
    let grids = &puzzles.grids;
    let contenders = options.backends.iter().map(|&backend| Contender::of_backend(backend, options.threads));
    let contenders = contenders.collect::<Result<_, _>>().context("cannot start the threads")?;
    let in_process = bench::in_process(grids, contenders, &options.measure, watch)?;
    let method = Method::new(&options.measure, options.threads.get());
    let provenance = Provenance::of_this_process(started);
    let mut results = Results::new(provenance, puzzles, method, in_process.table);
    if !options.programs.is_empty() {
        let (time, programs) = (options.measure.time, options.programs.clone());
        let verdicts = &in_process.verdicts;
        let table = program::measure(grids, verdicts, programs, time, options.timeout, watch)?;
        results.whole_processes = Some(table);
    }
    if options.threads_sweep {
        let cores = std::thread::available_parallelism().context("cannot count the cores")?;
        let table = bench::threads_sweep(grids, &options.backends, cores, &options.measure, watch)?;
        results.threads_sweep = Some(table);
    }
    Ok(results)
}

/// Says what casts doubt on the figures.
fn warn(results: &Results) {
    let table = &results.in_process;
    if results.puzzles < table.puzzles_a_round && !results.method.permute {
        message::warning(format_args!(
            "a round of {} puzzles holds each of the {} about {:.1} times: the processor may learn them",
            grouped(table.puzzles_a_round as u64),
            grouped(results.puzzles as u64),
            table.puzzles_a_round as f64 / results.puzzles as f64,
        ));
        message::hint("--permute makes them different each time");
    }
    for (kind, table) in results.tables().filter(|(_, table)| table.drifts()) {
        message::warning(format_args!(
            "{}: all contenders together were {:.0} % {} in the last third of the rounds than in the first; \
             mistrust the speeds, less so the ratios",
            kind.as_str(),
            100.0 * table.drift.abs(),
            if table.drift > 0.0 { "slower" } else { "faster" },
        ));
    }
}

/// Prints the tables to standard output.
fn print(results: &Results, comparison: Option<&Comparison>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", circumstances(results))?;
    for (kind, table) in results.tables() {
        writeln!(out, "\n{}", heading(kind, table))?;
        write!(out, "{}", Cells::of_table(kind, table).text())?;
    }
    if let Some(comparison) = comparison {
        writeln!(out, "\nAgainst the earlier run; below {:.0} % nothing is called a change", 100.0 * NOISE)?;
        write!(out, "{}", Cells::of_comparison(comparison).text())?;
        for alone in &comparison.alone {
            writeln!(out, "{alone}")?;
        }
    }
    out.flush()
}

fn write_export(format: Format, mut file: OutputFile, results: &Results) -> Result<()> {
    file.write_all(format.text(results)?.as_bytes()).context("cannot write the results")?;
    Ok(file.finish()?)
}

/// Says who failed, and what the exit code shall be.
fn verdict(results: &Results, comparison: Option<&Comparison>, options: &BenchOptions) -> Exit {
    let mut exit = Exit::Answered;
    for (kind, table) in results.tables() {
        complain(kind, table, &mut exit);
    }
    let Some(comparison) = comparison else { return exit };
    if !options.quiet && !comparison.differences.is_empty() {
        message::warning("the earlier run is not quite comparable:");
        comparison.differences.iter().for_each(|difference| message::say(format_args!("  {difference}")));
    }
    if let Some(percent) = options.fail_above {
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

fn complain(kind: Kind, table: &Table, exit: &mut Exit) {
    for row in &table.rows {
        if let Some(why) = &row.failure {
            message::error(format_args!("{} ({}): {why}", row.name, kind.as_str()));
            *exit = Exit::Outrun;
        }
    }
}
