//! `batchdoku bench`: opens everything, measures, prints and exports.

pub mod args;
pub mod options;
mod page;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use anyhow::Result;

use self::options::BenchOptions;
use self::page::warnings;
use super::exit::Exit;
use super::figures::{count_of, grouped};
use super::inputs::{self, InputFilter};
use super::message::Context;
use super::outputs::FormOutputs;
use super::session::Session;
use super::{message, printed};
use crate::bench::contender::Contender;
use crate::bench::puzzles::Puzzles;
use crate::bench::result::{BenchResults, BenchTable, Method};
use crate::bench::{self, BenchError, Watch, program};
use crate::input::Source;
use crate::output::file::OutputFile;
use crate::output::names::NamedFile;
use crate::provenance::{InputFile, Provenance};
use crate::record::PuzzleKind;
use crate::solver::Wanted;
use crate::sudoku::Grid;

/// Runs `batchdoku bench`. Fails if an input cannot be read, an output cannot be opened, there are no puzzles, or the
/// threads cannot be started.
pub fn bench(options: &BenchOptions) -> Result<Exit> {
    let session = Session::begin()?;
    let names: Vec<_> = options.inputs.iter().map(|name| NamedFile::input(name)).collect();
    let FormOutputs { standard, files } = FormOutputs::open(&session, &names, &options.outputs, true)?;
    let filter = InputFilter::new(&options.typed.inputs, false);
    let (_, sources) = inputs::open(filter, &options.inputs, &options.read)?;
    let (started, stop) = (session.started, session.stop());
    let progress = session.stages(options.typed.talk.has_bar());
    let watch = Watch { progress: &|stage, share| progress.show_stage(stage, share), stop };
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
    for table in &results.tables {
        warnings(&results, table)
            .for_each(|warning| message::warning(format_args!("{}: {warning}", table.about)));
    }
    let page = page::page(&results, false);
    let print = |mut out: OutputFile| printed(out.write_all(page.as_bytes())).err();
    let mut failures: Vec<_> = standard.and_then(print).into_iter().collect();
    // All outputs are written before the first failure is printed.
    failures.extend(files.into_iter().filter_map(|(form, file)| {
        let text = form.text(&results);
        text.and_then(|text| Ok(file.write_complete(text.as_bytes())?)).err()
    }));
    let mut exit = Exit::Answered;
    for BenchTable { about, rows } in &results.tables {
        for (row, why) in rows.iter().filter_map(|row| Some((row, row.failure.as_ref()?))) {
            message::error(format_args!("{} ({about}): {why}", row.name));
            exit = Exit::BenchFailed;
        }
    }
    failures.iter().for_each(|error| message::failure(error.as_ref()));
    Ok(if failures.is_empty() { exit } else { Exit::Trouble })
}

/// Reads the puzzles, and warns about identical files and skipped records.
fn load(sources: Vec<Source>, options: &BenchOptions, stop: &AtomicBool) -> Result<Puzzles, BenchError> {
    let mut puzzles = Puzzles::load(sources, stop)?;
    puzzles.shuffle(options.typed.seed);
    for [copy, of] in InputFile::copies(&puzzles.inputs) {
        message::warning(format_args!("{copy}: has the same bytes as {of}; its puzzles are measured again"));
    }
    puzzles.notes.iter().for_each(message::warning);
    if let Some(first) = &puzzles.first_left_out {
        let left_out = puzzles.invalid + puzzles.others.values().sum::<u64>();
        let others = PuzzleKind::ALL[1..]
            .iter()
            .map(|kind| format!(", {} {}", grouped(puzzles.others[kind.as_str()]), kind.facts().title));
        message::warning(format_args!(
            "{} of {} left out ({} invalid{}), the first: {first}",
            grouped(left_out),
            count_of(left_out + puzzles.grids.len() as u64, "record", "records"),
            grouped(puzzles.invalid),
            others.collect::<String>(),
        ));
    }
    Ok(puzzles)
}

/// Takes the measurements for every table.
fn measure(
    options: &BenchOptions,
    puzzles: &Puzzles,
    started: SystemTime,
    watch: Watch<'_>,
) -> Result<BenchResults> {
    let lists = puzzles.lists.iter().map(|(name, grids)| (Some(&**name), grids));
    let mut tables = Vec::new();
    for (list, grids) in lists.chain([(None, &puzzles.grids)]) {
        for mut table in measure_on(options, grids, watch)? {
            table.about.list = list.map(str::to_owned);
            tables.push(table);
        }
    }
    // The tables of whole programs come last; otherwise, the order does not change.
    tables.sort_by_key(|table| table.about.table);
    let (typed, limits) = (&options.typed, &options.limits);
    Ok(BenchResults {
        provenance: Provenance::of_this_process(started),
        inputs: puzzles.inputs.clone(),
        puzzles: puzzles.grids.len(),
        invalid: puzzles.invalid,
        others: puzzles.others.clone(),
        method: Method {
            limit: limits.solutions.get(),
            any_solution: limits.wanted == Wanted::Any,
            max_guesses: limits.max_guesses,
            threads: options.threads.iter().map(|threads| threads.get()).collect(),
            seconds: typed.seconds.as_secs_f64(),
            seed: typed.seed,
            permute: typed.permute,
        },
        tables,
    })
}

/// Measures the in-process contenders, and the whole programs if there are any.
fn measure_on(options: &BenchOptions, grids: &[Grid], watch: Watch<'_>) -> Result<Vec<BenchTable>> {
    let contenders =
        options.contenders.iter().map(|&(backend, threads)| Contender::of_backend(backend, threads));
    let contenders = contenders.collect::<Result<_, _>>().context("cannot start the threads")?;
    let typed = &options.typed;
    let isomorphs = typed.permute.then_some(typed.seed);
    let (table, verdicts) =
        bench::in_process(grids, contenders, &options.limits, typed.seconds, isomorphs, watch)?;
    let mut tables = vec![table];
    if !options.programs.is_empty() {
        let programs = options.programs.clone();
        tables.push(program::measure(grids, &verdicts, programs, typed.seconds, typed.timeout, watch)?);
    }
    Ok(tables)
}
