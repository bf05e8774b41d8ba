//! `batchdoku bench`: open everything, measure, print and export.

pub mod args;
pub mod options;
mod page;
mod table;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use anyhow::{Result, anyhow, bail};

use self::options::BenchOptions;
use self::page::{Form, warnings};
use super::exit::Exit;
use super::figures::{count_of, grouped};
use super::forms::FormOutputs;
use super::inputs::{self, Sieve};
use super::message::Context;
use super::session::Session;
use super::{message, printed};
use crate::bench::compare::Comparison;
use crate::bench::contender::Contender;
use crate::bench::puzzles::{LoadError, Puzzles};
use crate::bench::result::{BenchResults, BenchTable, Method, YARDSTICK};
use crate::bench::{self, Watch, program};
use crate::input::{Source, shown_name};
use crate::output::file::OutputFile;
use crate::output::names::NamedFile;
use crate::provenance::{InputFile, Provenance};
use crate::sudoku::Grid;

/// Bytes of an earlier run's results at most, far more than any has.
const LONGEST_RESULTS: u64 = 64 << 20;

/// Runs `batchdoku bench`. Fails if an input or the file of `--compare` cannot be read, an output cannot be opened, there
/// is no puzzle, or the threads cannot be started.
pub fn bench(options: &BenchOptions) -> Result<Exit> {
    let session = Session::begin()?;
    let FormOutputs { standard, files } = open_outputs(&session, options)?;
    let sieve = Sieve::new(&options.typed.inputs, false);
    let (_, sources) = inputs::open(sieve, &options.inputs, &options.read)?;
    let before = options.typed.compare.as_deref().map(read_results).transpose()?;
    let (started, stop) = (session.started, session.stop());
    let progress = session.stages(options.typed.talk.has_bar());
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
    warn(&results);
    let comparison = before.map(|before| Comparison::new(&before, &results));
    let comparison = comparison.as_ref();
    let page = page::text(&results, comparison);
    let print = |mut out: OutputFile| printed(out.write_all(page.as_bytes())).err();
    let mut failures: Vec<_> = standard.and_then(print).into_iter().collect();
    // All outputs are written before the first failure is printed.
    failures.extend(files.into_iter().filter_map(|(form, file)| {
        let text = form.text(&results, comparison);
        text.and_then(|text| Ok(file.write_complete(text.as_bytes())?)).err()
    }));
    let verdict = verdict(&results, comparison, options);
    failures.iter().for_each(|error| message::failure(error.as_ref()));
    Ok(if failures.is_empty() { verdict } else { Exit::Trouble })
}

/// Opens standard output and the files of `--output`, one of which may be the file of `--compare`.
fn open_outputs(session: &Session, options: &BenchOptions) -> Result<FormOutputs<Form>> {
    let mut inputs: Vec<_> = options.inputs.iter().map(|name| NamedFile::input(name)).collect();
    inputs.extend(options.typed.compare.iter().map(|path| NamedFile::ReadFirst("--compare", path)));
    FormOutputs::open(session, &inputs, &options.outputs, true)
}

/// Reads the results of an earlier run.
fn read_results(path: &Path) -> Result<BenchResults> {
    let name = shown_name(path);
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST_RESULTS + 1).read_to_end(&mut text));
    read.with_context(|| format!("{name}: cannot be read"))?;
    if text.len() as u64 > LONGEST_RESULTS {
        bail!("{name}: is not a result of `batchdoku bench` (it has more than {LONGEST_RESULTS} bytes)");
    }
    let results = BenchResults::from_json(&text).map_err(|error| {
        anyhow!(
            "{name}: is not a result of `batchdoku bench` ({error})\n  \
             hint: compare with a file that `-o FILE.json` of this version wrote"
        )
    })?;
    if results.tables.iter().flat_map(|table| &table.rows).all(|row| row.yardsticks.is_none()) {
        bail!(
            "{name}: has no figures of the backend {}, to which both runs are compared\n  \
             hint: run the earlier benchmark again with -o FILE.json",
            YARDSTICK.name()
        );
    }
    Ok(results)
}

/// Reads the puzzles, and warns of copies and of what was left out.
fn load(sources: Vec<Source>, options: &BenchOptions, stop: &AtomicBool) -> Result<Puzzles, LoadError> {
    let mut puzzles = Puzzles::load(sources, stop)?;
    puzzles.shuffle(options.measure.seed);
    for [copy, of] in InputFile::copies(&puzzles.inputs) {
        message::warning(format_args!("{copy}: has the same bytes as {of}; its puzzles are measured again"));
    }
    puzzles.notes.iter().for_each(message::warning);
    if let Some(first) = &puzzles.first_left_out {
        let left_out = puzzles.invalid + puzzles.sudominoku;
        message::warning(format_args!(
            "{} of {} left out ({} invalid, {} Sudominoku), the first: {first}",
            grouped(left_out),
            count_of(left_out + puzzles.grids.len() as u64, "record", "records"),
            grouped(puzzles.invalid),
            grouped(puzzles.sudominoku),
        ));
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
    let lists = puzzles.lists.iter().map(|(name, grids)| (Some(&**name), grids));
    let (mut tables, mut of_programs) = (Vec::new(), Vec::new());
    for (list, grids) in lists.chain([(None, &puzzles.grids)]) {
        let (in_process, whole_process) = measure_on(options, grids, watch)?;
        tables.push(in_process.of_list(list));
        of_programs.extend(whole_process.map(|table| table.of_list(list)));
    }
    tables.append(&mut of_programs);
    let method = Method::new(&options.measure, options.threads.iter().map(|threads| threads.get()).collect());
    Ok(BenchResults::new(Provenance::of_this_process(started), puzzles, method, tables))
}

/// Measures the contenders in this process and the whole programs, if any.
fn measure_on(
    options: &BenchOptions,
    grids: &[Grid],
    watch: Watch<'_>,
) -> Result<(BenchTable, Option<BenchTable>)> {
    let contenders =
        options.contenders.iter().map(|&(backend, threads)| Contender::of_backend(backend, threads));
    let contenders = contenders.collect::<Result<_, _>>().context("cannot start the threads")?;
    let (table, verdicts) = bench::in_process(grids, contenders, &options.measure, watch)?;
    if options.programs.is_empty() {
        return Ok((table, None));
    }
    let (time, programs) = (options.measure.time, options.programs.clone());
    let whole = program::measure(grids, &verdicts, programs, time, options.typed.timeout, watch)?;
    Ok((table, Some(whole)))
}

/// Prints warnings about the figures.
fn warn(results: &BenchResults) {
    for table in &results.tables {
        warnings(results, table)
            .for_each(|warning| message::warning(format_args!("{}: {warning}", table.about)));
    }
}

/// Prints failures, and differences from the earlier run; returns the exit code.
fn verdict(results: &BenchResults, comparison: Option<&Comparison>, options: &BenchOptions) -> Exit {
    let mut exit = Exit::Answered;
    for BenchTable { about, rows } in &results.tables {
        for (row, why) in rows.iter().filter_map(|row| Some((row, row.failure.as_ref()?))) {
            message::error(format_args!("{} ({about}): {why}", row.name));
            exit = Exit::BenchFailed;
        }
    }
    let Some(comparison) = comparison else { return exit };
    let mut differences = comparison.grave_differences.iter().chain(&comparison.differences).peekable();
    if differences.peek().is_some() {
        message::warning("the earlier run is not quite comparable:");
        differences.for_each(|difference| message::info(format_args!("  {difference}")));
    }
    if let Some(percent) = options.typed.fail_above {
        // A contender that is not compared may have become slower.
        for why in comparison.grave_differences.iter().chain(&comparison.alone) {
            message::error(format_args!("--fail-above: not comparable: {why}"));
            exit = Exit::BenchFailed;
        }
        for change in comparison.changes.iter().filter(|change| change.is_slower_by(percent)) {
            message::error(format_args!(
                "{} ({}) is slower by more than {percent} %: {:.1} %, at least {:.1} %",
                change.name,
                change.table,
                100.0 * (1.0 - change.ratio.median),
                100.0 * (1.0 - change.ratio.high),
            ));
            exit = Exit::BenchFailed;
        }
    }
    exit
}
