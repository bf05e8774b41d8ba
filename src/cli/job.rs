//! Runs a job over its inputs: opens everything, runs the job, and prints how it went. Everything that jobs have in
//! common is here; a subcommand only creates the job and its options.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;

use super::exit::Exit;
use super::inputs::{self, InputFilter};
use super::options::{JobOptions, RowFile};
use super::outputs::JobOutputs;
use super::resume::{self, Checkpoints, ResumableRows};
use super::session::Session;
use super::spool::Spool;
use super::summary::{Summary, place_first};
use super::{defects, figures, message};
use crate::input::{Hash, Source, SourceInfo, shown_name};
use crate::jobs::{self, Job};
use crate::output::file::{Leftover, OutputFile};
use crate::pipeline::{self, Ended, Ending, Plan, RowOutput, RunError, Tally, TallyDigest};
use crate::provenance::Provenance;
use crate::record::Schema;
use crate::report::{self, InputFile, Report};
use crate::solver::Backend;

/// Runs a job according to `options`. Fails if an output cannot be opened or signals cannot be handled.
pub fn run<J: Job>(job: J, options: JobOptions) -> Result<Exit> {
    Opened::fit(&job, &options)?.run(job, &options)
}

/// A run whose inputs and outputs are open.
pub struct Opened {
    pub session: Session,
    pub outputs: JobOutputs,
    pub sources: Vec<Source>,
    /// The files in [`JobOptions::against`].
    pub against: Vec<Source>,
    /// The names of the sources.
    names: Vec<PathBuf>,
    /// The inputs, if they are read twice.
    spool: Spool,
}

impl Opened {
    /// Opens the outputs and then the inputs for a job. Fails if [`Opened::new`] does, or if the format cannot hold the
    /// rows of the job.
    pub fn fit(job: &impl Job, options: &JobOptions) -> Result<Self> {
        let carried = options.keep.iter().map(|_| String::new()).collect();
        options.rows.encoder.fits(&Schema { carried, ..job.schema().clone() })?;
        Self::new(options)
    }

    /// Opens the outputs and then the inputs. Fails if one cannot be opened, no input holds a puzzle, or signals cannot
    /// be handled.
    pub fn new(options: &JobOptions) -> Result<Self> {
        let session = Session::begin()?;
        let names = expanded(options.inputs.as_ref(), options)?;
        let against = expanded(Some(&options.against).filter(|typed| !typed.is_empty()), options)?;
        let all = [&*against, &*names].concat();
        let read = all_read(&all, options);
        inputs::check_standard_input(&read)?;
        let outputs = JobOutputs::open(&session, &read, options)?;
        let spool = if options.reads_twice { Spool::of(&all)? } else { Spool::default() };
        let (names, sources) = open_inputs(options, &names, &spool)?;
        let against = if against.is_empty() {
            Vec::new()
        } else {
            let mut filter = InputFilter::new(&options.against, false);
            filter.spool = Some(&spool);
            inputs::open(filter, &against, &options.read)?.1
        };
        Ok(Self { session, outputs, sources, against, names, spool })
    }

    /// Opens the inputs again for a second pass. Fails if one has changed.
    pub fn again(&self, options: &JobOptions) -> Result<Vec<Source>> {
        if let Some(error) = self.spool.changes().into_iter().next() {
            return Err(error.into());
        }
        let mut filter = InputFilter::new(&self.names, true);
        filter.spool = Some(&self.spool);
        Ok(inputs::open(filter, &self.names, &options.read)?.1)
    }

    /// Runs a job. Fails if the run is supposed to resume an earlier one but cannot, or if the format cannot hold the
    /// carried columns.
    pub fn run<J: Job>(self, mut job: J, options: &JobOptions) -> Result<Exit> {
        let Self { session, mut outputs, mut sources, names, spool, .. } = self;
        let read = all_read(&[&*names, &*options.against].concat(), options);
        let mut checkpoints = if options.is_resumable {
            let (settings, form) = (options.typed.settings(), options.rows.encoder.form());
            Checkpoints::new(&read, job.schema(), settings, &options.output, form, &mut outputs.rows)?
        } else {
            None
        };
        let schema = carry(&mut job, &mut sources, options)?;
        session.note_earlier(outputs.files());
        let from = checkpoints.as_ref().map(Checkpoints::resume_point).cloned().unwrap_or_default();
        let before = from.before.records;
        if before > 0 {
            let records = figures::count_of(before, "record", "records");
            message::info(format_args!("resuming after {records} of an earlier run"));
        }

        let inputs: Vec<_> =
            sources.iter().map(|source| (Arc::clone(source.info()), source.hash())).collect();
        let run = Run { options, inputs: &inputs, session: &session, has_many_rows: job.has_many_rows() };
        let mut collected = run.collectors(&job);
        from.add_to(&mut collected.0);
        let mut plan = run.plan(job, schema, sources);
        (plan.options.before, plan.options.resumable) = (from.before, checkpoints.is_some());
        if let Some(checkpoints) = &mut checkpoints {
            checkpoints.begin(&outputs.rows)?;
        }
        let JobOutputs { rows, rest, .. } = &mut outputs;
        let mut rows = ResumableRows { rows, rest, checkpoints: checkpoints.as_mut() };
        let progress = session.progress(options.has_bar(), inputs.iter().map(|(info, _)| info.size).sum());
        let mut ended = pipeline::run(plan, &mut collected, &mut rows, &progress, session.stop());
        progress.clear();
        for rest in &options.rest {
            let tally = &mut collected.0;
            let written = tally.statuses().zip(rest.only.iter().flatten()).filter(|(_, only)| **only);
            tally.written += written.map(|((_, count), _)| count).sum::<u64>();
        }
        if let Ok(ended) = &mut ended {
            ended.input_errors.extend(spool.changes());
            if let Some((at @ 1.., error)) = &mut ended.unwritten {
                let what = format!("{}: {error}", shown_name(outputs.rest[*at - 1].name()));
                *error = io::Error::new(error.kind(), what);
            }
        }
        Ok(run.end(ended, collected, outputs, checkpoints))
    }
}

/// Returns the names of all files that a run reads.
fn all_read(names: &[PathBuf], options: &JobOptions) -> Vec<PathBuf> {
    names.iter().chain(options.claims.as_ref().map(|claims| &claims.path)).cloned().collect()
}

/// Returns the files that the typed names stand for, with patterns and directories expanded.
fn expanded(typed: Option<&Vec<PathBuf>>, options: &JobOptions) -> Result<Vec<PathBuf>> {
    typed.map_or_else(|| Ok(Vec::new()), |typed| inputs::expanded(typed.clone(), written(options)))
}

/// Returns the files that a run writes.
fn written(options: &JobOptions) -> impl Iterator<Item = &PathBuf> {
    let written = options.outputs().filter_map(|output| output.path.as_ref());
    let written = written.chain(&options.reporting.summary);
    written.chain(options.reports.iter().map(|(_, path)| path))
}

/// Opens the inputs, but skips files without puzzles that were not named explicitly. Returns the remaining inputs with
/// their names. Fails if one cannot be opened or none holds a puzzle.
fn open_inputs(
    options: &JobOptions,
    names: &[PathBuf],
    spool: &Spool,
) -> Result<(Vec<PathBuf>, Vec<Source>)> {
    let Some(typed) = &options.inputs else { return Ok((Vec::new(), Vec::new())) };
    let mut filter = InputFilter::new(typed, options.run.strict);
    (filter.without_results, filter.spool) = (options.without_results, Some(spool));
    filter.fails_late = !options.reads_twice;
    inputs::open(filter, names, &options.read)
}

/// Makes the job and its inputs carry columns along, and warns about missing columns. Returns the columns of the rows.
/// Fails if the format cannot hold them.
fn carry(job: &mut impl Job, sources: &mut [Source], options: &JobOptions) -> Result<Schema> {
    let encoders: Vec<_> = options.outputs().map(|output| &*output.encoder).collect();
    let (schema, notes) = jobs::carry(job, sources, options.keep.as_ref(), &encoders)?;
    notes.iter().for_each(message::warning);
    options.rows.encoder.fits(&schema)?;
    let is_lossy = |name: &&String| name.contains(char::REPLACEMENT_CHARACTER);
    if let Some(name) = schema.carried.iter().find(is_lossy) {
        message::warning(format_args!("column '{name}': invalid UTF-8 in its name is written as U+FFFD"));
    }
    Ok(schema)
}

/// The results collected from the rows: the summary, and a report if one was requested.
type Collected = (Tally, Option<report::Collector>);

/// The digests of the rows, for the summary and for a report.
type RunDigest = (TallyDigest, Option<report::ReportDigest>);

/// A run of a job whose inputs and outputs are open.
struct Run<'a> {
    options: &'a JobOptions,
    /// The inputs, and the hash of the data read from each.
    inputs: &'a [(Arc<SourceInfo>, Hash)],
    session: &'a Session,
    has_many_rows: bool,
}

impl Run<'_> {
    fn collectors<J: Job>(&self, job: &J) -> Collected {
        let report = || report::Collector::for_run(job.schema());
        (Tally::new(job.schema()), (!self.options.reports.is_empty()).then(report))
    }

    /// Returns the plan for the run.
    fn plan<J: Job>(&self, job: J, schema: Schema, sources: Vec<Source>) -> Plan<J, RunDigest> {
        let options = self.options;
        let outputs = options.outputs();
        let outputs = outputs.map(|RowFile { encoder, only, .. }| RowOutput {
            encoder: Arc::clone(encoder),
            only: only.clone(),
        });
        let mut outputs: Vec<_> = outputs.collect();
        if let Some(rows) = outputs.first_mut().filter(|_| !options.only.is_empty()) {
            let is_wanted = |name: &str| options.only.iter().any(|wanted| wanted == name);
            rows.only = Some(schema.statuses.iter().map(|word| is_wanted(word.name)).collect());
        }
        let report = (!options.reports.is_empty()).then(report::ReportDigest::default);
        Plan { schema, outputs, ..Plan::new(sources, job, (TallyDigest, report), options.run.clone()) }
    }

    /// Finishes a run: completes its outputs, then removes its checkpoints if nothing is left to resume.
    fn end(
        &self,
        ended: Result<Ended, RunError>,
        collected: Collected,
        mut outputs: JobOutputs,
        mut checkpoints: Option<Checkpoints>,
    ) -> Exit {
        let complete = ended.as_ref().is_ok_and(is_complete);
        if let Some(checkpoints) = checkpoints.as_mut().filter(|_| !complete) {
            checkpoints.keep(&outputs.rows);
            if let Some(trouble) = checkpoints.trouble() {
                message::warning(format_args!("{trouble}: this run cannot be resumed"));
            }
        }
        let rest: Vec<_> = outputs.rest.drain(..).map(|file| end_rest(file, complete)).collect();
        let can_continue = checkpoints.as_ref().is_some_and(Checkpoints::can_continue);
        let exit = match ended {
            Ok(ended) => self.finish(outputs, ended, collected, can_continue),
            Err(error) => fail(error, outputs.rows),
        };
        // After an interruption, nothing more needs to be said.
        let is_incomplete = rest.contains(&false) && exit < Exit::Interrupted;
        let exit = if is_incomplete { Exit::Trouble } else { exit };
        checkpoints.into_iter().for_each(Checkpoints::end);
        exit
    }

    /// Finishes every output, prints the summary and all failures, and returns the exit.
    fn finish(
        &self,
        outputs: JobOutputs,
        mut ended: Ended,
        (tally, collector): Collected,
        can_continue: bool,
    ) -> Exit {
        let options = self.options;
        let complete = is_complete(&ended);
        let name = outputs.rows.name().to_owned();
        let (left, rows) =
            if complete { (None, outputs.rows.finish()) } else { (outputs.rows.keep(), Ok(())) };
        // The time includes all passes over the inputs, and finishing the output.
        ended.wall = self.session.clock.elapsed();
        let ended = &ended;
        let mut failures: Vec<_> = rows.err().into_iter().collect();
        if let Some(collector) = collector {
            let report = self.report(collector, ended);
            let write =
                |(form, file): (_, OutputFile)| file.write_complete(report.written_as(form).as_bytes());
            failures.extend(outputs.reports.into_iter().filter_map(|report| write(report).err()));
        }
        let mut exit = self.exit(ended, &tally);
        if !failures.is_empty() {
            exit = exit.max(Exit::Trouble);
        }
        let summary = Summary::new(ended, &tally, options.backend, options.seed, exit, self.session.started);
        if let Some(file) = outputs.summary {
            failures.extend(file.write_complete(summary.json().as_bytes()).err());
        }
        // A closed pipe means that the reader has seen enough; other outputs are still written.
        if ended.ending != Ending::BrokenPipe || exit != Exit::Answered {
            ended.notes.iter().for_each(message::warning);
            if tally.not_utf8 > 0 && !options.rows.encoder.keeps_bytes() {
                let count = figures::grouped(tally.not_utf8);
                message::warning(format_args!(
                    "texts with invalid UTF-8, which is written as U+FFFD: {count}; -O csv keeps the bytes"
                ));
            }
            message::info(summary.text());
            self.complain(ended, &tally);
        }
        if let Some((_, error)) = &ended.unwritten {
            message::error(format_args!("{}: cannot write the results: {error}", shown_name(&name)));
        }
        match self
            .continuing()
            .filter(|_| can_continue && matches!(ended.ending, Ending::Interrupted | Ending::Unwritten))
        {
            Some(command) => message::hint(format_args!("continue with: {command}")),
            // A file with only a header is not worth mentioning.
            None if tally.written == 0 && matches!(left, Some(Leftover::Whole(_))) => {}
            None => left.iter().for_each(message::hint),
        }
        failures.iter().for_each(|error| message::failure(error));
        if failures.is_empty() { exit } else { exit.max(Exit::Trouble) }
    }

    /// Returns the command that continues this run, if there is one and a shell would read it unchanged.
    fn continuing(&self) -> Option<String> {
        // A report must cover the whole run.
        if !self.options.reports.is_empty() {
            return None;
        }
        resume::command_with((!self.options.output.resume).then_some("--resume"))
    }

    /// Returns the exit for a run whose outputs could all be written.
    fn exit(&self, ended: &Ended, tally: &Tally) -> Exit {
        let has_more_claims = self.claims(ended, tally).is_some_and(|(_, claims)| claims > tally.records);
        let of_claims = if has_more_claims { Exit::Unanswered } else { Exit::Answered };
        Exit::of_run(ended, tally, self.options.output.lenient).max(of_claims).max(self.options.exit)
    }

    /// Returns the claims file and the number of claims, if that number differs from the number of records.
    fn claims(&self, ended: &Ended, tally: &Tally) -> Option<(&Path, u64)> {
        let file = self.options.claims.as_ref().filter(|_| is_complete(ended))?;
        Some((&file.path, file.other_count(tally.records)?))
    }

    /// Returns the report on the run.
    fn report(&self, collector: report::Collector, ended: &Ended) -> Report {
        let run = report::Run {
            wall_seconds: ended.wall.as_secs_f64(),
            threads: ended.threads,
            backend: self.options.backend.map_or("none", Backend::name).to_owned(),
            complete: ended.ending == Ending::Complete,
        };
        let files = self.inputs.iter().map(|(info, hash)| InputFile {
            name: info.name.clone(),
            bytes: Some(info.size.unwrap_or_else(|| hash.bytes())),
            sha256: hash.clone().sha256(),
        });
        let provenance = Provenance::of_this_process(self.session.started);
        let mut report = collector.finish(Some(run), files.collect(), provenance);
        report.problems.extend(ended.input_errors.iter().map(ToString::to_string));
        report.problems.extend(defects::corrected(ended, self.options));
        report
    }

    /// Prints why the run failed. This comes after the summary, where it will be noticed.
    fn complain(&self, ended: &Ended, tally: &Tally) {
        ended.input_errors.iter().for_each(|error| message::failure(error));
        defects::complain(ended, tally, self.options);
        if let Some((path, claims)) = self.claims(ended, tally) {
            let [answers, puzzles] = [(claims, "answer", "answers"), (tally.records, "puzzle", "puzzles")]
                .map(|(count, one, many)| figures::count_of(count, one, many));
            message::error(format_args!("{}: {answers} for {puzzles}", shown_name(path)));
            message::hint(
                "in a list an answer without cells, such as an empty line, is none: those after it move up",
            );
        }
        match ended.ending {
            Ending::Strict => match tally.first_bad.first() {
                Some(record) => message::error(place_first(record)),
                None => message::error("stopped at a bad record"),
            },
            Ending::Interrupted => {
                let which = rows_of_first(tally.records);
                let last = if self.has_many_rows && tally.records > 0 {
                    "; the last of them may lack some rows"
                } else {
                    ""
                };
                message::error(format_args!("interrupted: {which} were written{last}"));
            }
            Ending::Complete | Ending::BrokenPipe | Ending::Unwritten => {}
        }
    }
}

/// Describes the rows that an interrupted run wrote, given the number of records that they answer.
fn rows_of_first(records: u64) -> String {
    match records {
        0 => "no rows".to_owned(),
        1 => "only the rows of the first record".to_owned(),
        count => format!("only the rows of the first {} records", figures::grouped(count)),
    }
}

/// Returns whether everything was read and written.
fn is_complete(ended: &Ended) -> bool {
    ended.ending == Ending::Complete && ended.input_errors.is_empty()
}

/// Finishes one of the outputs after the first, and returns whether it is complete.
fn end_rest(file: OutputFile, complete: bool) -> bool {
    if !complete {
        message::error(format_args!("{}: is incomplete", shown_name(file.name())));
        file.keep().iter().for_each(message::hint);
        return false;
    }
    let finished = file.finish();
    finished.as_ref().err().into_iter().for_each(|error| message::failure(error));
    finished.is_ok()
}

/// Prints why a run failed and where its rows are.
fn fail(error: RunError, rows: OutputFile) -> Exit {
    let exit = Exit::of_error(&error);
    message::failure(&error);
    if exit == Exit::InternalError {
        message::hint(message::REPORT_DEFECT);
    }
    rows.keep().iter().for_each(message::hint);
    exit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_record_is_not_some_records() {
        assert_eq!(rows_of_first(0), "no rows");
        assert_eq!(rows_of_first(1), "only the rows of the first record");
        assert_eq!(rows_of_first(1234), "only the rows of the first 1,234 records");
    }
}
