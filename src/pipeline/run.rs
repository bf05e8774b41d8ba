//! Running a job on inputs: batches are read, answered, encoded and digested, and their rows are written in order.
//!
//! Apart from measured columns, the output depends only on the input, and not on the number of threads or the size of
//! the batches. If there are several reasons to stop, the one that comes first in the input applies.

use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::batches::{BatchReader, SourceEnd};
use super::task::{Done, Task, TaskContext};
use super::terms::{EarlierRun, Ended, Ending, Observer, Progress, RowSink, RunError, RunOptions};
use super::{Collect, Digest, End, Failure, Spares, Threads, ordered};
use crate::input::{Source, message_of};
use crate::jobs::Job;
use crate::output::{Append, Encode, Output, Piece};
use crate::record::Schema;

/// The number of batches in flight per thread. With only one, threads would idle while waiting for a batch of hard
/// puzzles that comes first.
const BATCHES_PER_THREAD: usize = 8;

/// The maximum number of batches in flight, which saves memory; it does not apply if there are more threads than this.
const MOST_WAITING: usize = 1024;

/// The description of a run.
pub struct Plan<J: Job, D: Digest> {
    /// The inputs, in order.
    pub sources: Vec<Source>,
    /// The job.
    pub job: Arc<J>,
    /// The columns of the rows: the job's own and the carried ones.
    pub schema: Schema,
    /// The outputs. The digest treats the rows of the first output as those that are written.
    pub outputs: Vec<RowOutput>,
    /// The digest of the rows.
    pub digest: D,
    /// The options of the run.
    pub options: RunOptions,
}

impl<J: Job, D: Digest> Plan<J, D> {
    /// Creates a plan for a run that has no outputs or carried columns.
    pub fn new(sources: Vec<Source>, job: impl Into<Arc<J>>, digest: D, options: RunOptions) -> Self {
        let job = job.into();
        Self { sources, schema: job.schema().clone(), job, outputs: Vec::new(), digest, options }
    }
}

/// The format of an output, and the selection of rows written to it.
#[derive(Clone)]
pub struct RowOutput {
    /// The format of the rows.
    pub encoder: Arc<dyn Encode>,
    /// Whether rows with each status are written, indexed like the job's labels; `None` if all rows are.
    pub only: Option<Vec<bool>>,
}

/// Reads all sources, runs the job on their records, and writes the rows to the outputs of `out` in record order.
///
/// `collector` takes the digest of each page. `stop` can be raised at any time. Batches in flight are then finished
/// and written, up to the first record that takes more than another half second. If the reader is blocked on its
/// input, it stays blocked on its thread.
///
/// # Errors
///
/// Fails if threads cannot be started, or on a bug. Even then, only complete rows have been written, unless a write
/// failed.
pub fn run<J: Job, D: Digest, C: Collect<D::Part>>(
    plan: Plan<J, D>,
    collector: &mut C,
    out: &mut dyn RowSink<C>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Ended, RunError> {
    let started = Instant::now();
    let Plan { sources, job, schema, outputs, digest, options } = plan;
    let mut ended = Ended::new(&options);
    let mut writers = Vec::new();
    for (n, RowOutput { encoder, .. }) in outputs.iter().enumerate() {
        match start_output(&schema, &**encoder, &options, out.output(n)) {
            Ok(writer) => writers.push(writer),
            Err(error) => {
                ended.end_unwritten((n, error));
                return Ok(Ended { wall: started.elapsed(), ..ended });
            }
        }
    }
    let (hurry, threads) = (Arc::default(), options.threads.get());
    let mut workers = Threads::up_to(options.threads);
    let mut reader = BatchReader::new(sources, &options);
    let context = Arc::new(TaskContext {
        job,
        schema,
        outputs,
        digest,
        options,
        hurry: Arc::clone(&hurry),
        memories: Spares::new(),
        pieces: Spares::new(),
    });
    let tasks = Arc::clone(&context);
    let mut taker = Taker {
        ended,
        writers,
        out,
        collector,
        observer,
        context,
        records: 0,
        of_source: 0,
        early_end: None,
    };
    let end = ordered(
        &mut workers,
        (BATCHES_PER_THREAD * threads).min(threads.max(MOST_WAITING)),
        move |buffer| reader.read(buffer).map(Task::Found),
        move |task| tasks.run(task),
        |done| taker.take(done),
        stop,
        &hurry,
    );
    let ended = taker.finish(end, &workers)?;
    Ok(Ended { wall: started.elapsed(), ..ended })
}

/// Writes the header if it has not been written yet, and returns the writer for the rows.
fn start_output(
    schema: &Schema,
    encoder: &dyn Encode,
    options: &RunOptions,
    out: &mut dyn Output,
) -> io::Result<Box<dyn Append>> {
    let mut header = Piece::default();
    if options.before.records == 0 {
        encoder.header(schema, &mut header.bytes);
    }
    let mut writer = encoder.writer(schema, options.threads)?;
    writer.append(&mut header, out)?;
    Ok(writer)
}

/// The sink of a run: it takes results in the order of reading, writes rows, collects digests and keeps count.
struct Taker<'a, J: Job, D: Digest, C> {
    ended: Ended,
    writers: Vec<Box<dyn Append>>,
    out: &'a mut dyn RowSink<C>,
    collector: &'a mut C,
    observer: &'a dyn Observer,
    context: Arc<TaskContext<J, D>>,
    /// The number of records answered.
    records: u64,
    /// The number of records from the current source.
    of_source: u64,
    /// How the run ends, once a batch ends it early.
    early_end: Option<Ending>,
}

impl<J: Job, D: Digest, C: Collect<D::Part>> Taker<'_, J, D, C> {
    /// Takes a page or the end of a source. Returns the memory of the text so that it can be reused, or breaks if the
    /// run ends here.
    fn take(&mut self, done: Done<D::Part>) -> Result<ControlFlow<(), Vec<u8>>, (usize, io::Error)> {
        if let Some(source) = done.source_end {
            self.end_source(source);
            return Ok(ControlFlow::Continue(Vec::new()));
        }
        self.of_source += done.found;
        self.ended.complete_grids += done.complete_grids;
        if let Some((source, lines_before, passed)) = done.passed {
            self.ended.passed_over.add(&source, lines_before, passed);
        }
        if let Some((mut rows, mut part)) = done.rows {
            // A run must not be resumed after an input failed, because the failure would be forgotten.
            if let Some(boundary) = done.boundary.filter(|_| self.ended.input_errors.is_empty()) {
                let boundary = EarlierRun { defects: self.ended.defects.clone(), ..boundary };
                self.out.boundary(boundary, self.collector).map_err(|error| (0, error))?;
            }
            for (n, (writer, piece)) in self.writers.iter_mut().zip(&mut rows).enumerate() {
                writer.append(piece, self.out.output(n)).map_err(|error| (n, error))?;
            }
            self.collector.take(&mut part);
            self.context.pieces.put((rows, part));
            self.ended.defects.append(done.defects);
            self.records += done.records;
        }
        let grids = self.context.job.grids_tried();
        self.observer.progress(&Progress { records: self.records, raw_bytes: done.raw_position, grids });
        self.early_end = done.end;
        Ok(if done.end.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(done.text) })
    }

    /// Records that a source has ended.
    fn end_source(&mut self, source: SourceEnd) {
        self.ended.notes.extend(source.notes);
        let none = source.without_records.filter(|_| source.error.is_none() && self.of_source == 0);
        self.ended.input_errors.extend(source.error.or(none));
        self.of_source = 0;
    }

    /// Finishes the files and returns how the run ended.
    fn finish(
        mut self,
        end: Result<End, Failure<(usize, io::Error)>>,
        workers: &Threads,
    ) -> Result<Ended, RunError> {
        if let Some((started, note)) = workers.shortage() {
            self.ended.threads = started;
            self.ended.notes.push(note);
        }
        let first_id = self.context.options.before.records + self.records + 1;
        let panicked = |message| RunError::Panic { first_id, message };
        // Every file that can still be written is completed, no matter how the run ended.
        let mut unwritten = None;
        for (n, writer) in self.writers.iter_mut().enumerate() {
            if matches!(end, Err(Failure::Threads(_)))
                || matches!(end, Err(Failure::Sink((at, _))) if at == n)
            {
                continue;
            }
            let finished = catch_unwind(AssertUnwindSafe(|| writer.finish(self.out.output(n))));
            let finished = finished.map_err(|payload| panicked(message_of(payload)))?;
            unwritten = unwritten.or(finished.err().map(|error| (n, error)));
        }
        self.ended.ending = match (end, self.early_end) {
            (Ok(_), Some(ending)) => ending,
            (Ok(End::Stopped), None) => Ending::Interrupted,
            (Ok(End::Complete | End::Refused), None) => Ending::Complete,
            (Err(Failure::Sink(error)), _) => {
                unwritten = Some(error);
                Ending::Unwritten
            }
            (Err(Failure::Threads(error)), _) => return Err(RunError::Threads(error)),
            (Err(Failure::Panic(message)), _) => return Err(panicked(message)),
        };
        if let Some(error) = unwritten {
            self.ended.end_unwritten(error);
        }
        Ok(self.ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadOptions;
    use crate::jobs::SearchOptions;
    use crate::jobs::solve::Solve;
    use crate::output::{FORMATS, Form, OutputFormat};
    use crate::pipeline::terms::BATCH_BYTES;
    use crate::pipeline::testing::Watched;
    use crate::pipeline::{Tally, TallyDigest};
    use crate::record::Page;
    use crate::solver::{Backend, Limits};
    use std::fs;
    use std::num::NonZeroUsize;
    use std::path::Path;

    fn plan<D: Digest>(
        paths: &[&str],
        format: &OutputFormat,
        digest: D,
        batch_bytes: usize,
    ) -> Plan<Solve, D> {
        let search = SearchOptions { backend: Backend::best(), limits: Limits::default() };
        let threads = NonZeroUsize::MIN.saturating_add(1);
        let sources = paths.iter().map(|path| Source::open(path, &ReadOptions::default()).unwrap()).collect();
        let options = RunOptions { batch_bytes, ..RunOptions::new(threads) };
        let outputs = vec![RowOutput { encoder: (format.make)(), only: None }];
        Plan { outputs, ..Plan::new(sources, Solve::new(search, false), digest, options) }
    }

    /// Returns the output of a run that resumes an earlier run on these files.
    fn written(
        paths: &[&str],
        format: &OutputFormat,
        before: EarlierRun,
        batch_bytes: usize,
    ) -> (Watched, Ended) {
        let mut plan = plan(paths, format, TallyDigest, batch_bytes);
        (plan.options.resumable, plan.options.before) = (true, before);
        let mut tally = Tally::new(plan.job.schema());
        let mut out = Watched::default();
        let ended = run(plan, &mut tally, &mut out, &(), &AtomicBool::new(false)).unwrap();
        (out, ended)
    }

    /// Complete runs and runs resumed at a boundary write the same bytes, in every text format and layout, and with
    /// any batch size.
    #[test]
    fn rows_go_on_from_every_boundary_of_a_batch() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut boundaries = 0;
        for file in fs::read_dir(root.join("tests/golden")).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let name = path.to_str().unwrap();
            // Other formats cannot be resumed.
            for format in FORMATS.iter().filter(|format| (format.make)().form() == Form::Text) {
                let (whole, _) = written(&[name], format, EarlierRun::default(), BATCH_BYTES);
                let (small, _) = written(&[name], format, EarlierRun::default(), 300);
                assert_eq!(small.rows, whole.rows, "{name} {}", format.name);
                for (boundary, bytes) in small.boundaries.iter().filter(|(boundary, _)| boundary.records > 0)
                {
                    let (rest, _) = written(&[name], format, boundary.clone(), 1000);
                    let both = [&small.rows[..*bytes], &rest.rows].concat();
                    assert_eq!(both, whole.rows, "{name} {} at {boundary:?}", format.name);
                    boundaries += 1;
                }
            }
        }
        assert!(boundaries > 100, "{boundaries}");
    }

    /// PROMISE: resumed-input
    #[test]
    fn what_another_text_stands_before_is_not_written_on() {
        let directory = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(root.join("data/easy.txt")).unwrap();
        let [one, other] =
            ["one", "other"].map(|name| directory.path().join(name).to_str().unwrap().to_owned());
        fs::write(&one, &text).unwrap();
        let (first, _) = written(&[&one, &one], &FORMATS[0], EarlierRun::default(), 3000);
        for (boundary, _) in first.boundaries.iter().filter(|(boundary, _)| boundary.records > 0) {
            // One changed text has a different digit just before the boundary; the other ends before it.
            let mut changed = text.clone().into_bytes();
            let at = usize::try_from(boundary.read.bytes).unwrap();
            let Some(last) = at.checked_sub(2) else { continue };
            changed[last] = if changed[last] == b'1' { b'2' } else { b'1' };
            for changed in [&changed[..], &text.as_bytes()[..at - 82]] {
                fs::write(&other, changed).unwrap();
                let paths = if boundary.read.source == 0 { [&*other, &one] } else { [&*one, &other] };
                let (rest, ended) = written(&paths, &FORMATS[0], boundary.clone(), BATCH_BYTES);
                assert_eq!((&*rest.rows, ended.input_errors.len()), (&b""[..], 1), "{boundary:?}");
            }
        }
    }

    /// A trap that panics at the page whose first row has this number, either in the digest or in the collector.
    #[derive(Clone, Copy)]
    struct Trap {
        at: u64,
        in_digest: bool,
    }

    impl Digest for Trap {
        type Part = u64;

        fn digest(&self, page: &Page<'_>, part: &mut u64) {
            *part = page.first_number;
            assert!(!self.in_digest || *part != self.at, "a trap");
        }
    }

    impl Collect<u64> for Trap {
        fn take(&mut self, part: &mut u64) {
            assert_ne!(*part, self.at, "a trap");
        }
    }

    /// PROMISE: panic-elsewhere
    #[test]
    fn a_panic_names_the_first_record_of_its_batch() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/easy.txt");
        let name = path.to_str().unwrap();
        let (whole, _) = written(&[name], &FORMATS[0], EarlierRun::default(), 300);
        let first_ids: Vec<_> = whole.boundaries.iter().map(|(boundary, _)| boundary.records + 1).collect();
        for &at in [&first_ids[0], &first_ids[40], first_ids.last().unwrap()] {
            for in_digest in [false, true] {
                let mut trap = Trap { at, in_digest };
                let plan = plan(&[name], &FORMATS[0], trap, 300);
                let stop = AtomicBool::new(false);
                let failed = run(plan, &mut trap, &mut Vec::new(), &(), &stop).unwrap_err();
                let RunError::Panic { first_id, message } = &failed else { panic!("{failed}") };
                assert_eq!((*first_id, &**message == "a trap"), (at, in_digest), "{message}");
            }
        }
    }
}
