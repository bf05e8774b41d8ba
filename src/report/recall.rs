//! Reads results files one after another, with the same readers as for puzzles.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::assemble::assemble;
use super::collect::{Collector, LEAST_COMPRESSED};
use super::results::{ResultsDigest, ResultsPart};
use super::{Detail, InputFile, Report};
use crate::input::{InputError, ReadOptions, Source};
use crate::jobs::pick::Pick;
use crate::pipeline::{self, Collect, Ending, Observer, Plan, Progress, RunError, RunOptions};
use crate::provenance::Provenance;

/// The fewest bytes in a text row that holds a puzzle.
const LEAST_ROW: u64 = 100;
/// The largest number of results files; there is a limit because each file has its own histograms.
const MOST_FILES: usize = 256;

/// Options for reading results files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecallOptions {
    /// Number of threads.
    pub threads: NonZeroUsize,
    /// Options for what the report lists.
    pub detail: Detail,
}

/// The reason why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// An input cannot be opened or read.
    #[error("{0}")]
    Input(#[from] InputError),
    /// A file is not a results table.
    #[error(
        "{name}: is not a file of results: the {} missing (columns seen: {})",
        plural(missing),
        if header.is_empty() { "none".to_owned() } else { header.join(", ") }
    )]
    NotResults {
        /// Name of the input.
        name: String,
        /// Columns that are missing.
        missing: Vec<&'static str>,
        /// The names of the first columns in the file.
        header: Vec<String>,
    },
    /// There are too many files.
    #[error("too many files of results: {count} (at most {MOST_FILES})")]
    TooManyFiles {
        /// Number of files.
        count: usize,
    },
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(String),
    /// The program panicked, which is a bug.
    #[error("internal error in the rows of results from {first_row} on: {message}")]
    Panic {
        /// Number of the first row in the batch, counted from 1 over all files.
        first_row: u64,
        /// The panic message.
        message: String,
    },
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
}

fn plural(missing: &[&str]) -> String {
    let (noun, verb) = if missing.len() == 1 { ("column", "is") } else { ("columns", "are") };
    format!("{noun} {} {verb}", missing.join(", "))
}

/// Reads results files in order; `-` stands for standard input.
///
/// `observer` follows the progress; `stop` may be raised at any time. Fails before any work starts if a file cannot be
/// opened or is not a results file. Damage in a file is listed among the report's problems, and the report covers the
/// rows before the damage.
pub fn read(
    paths: &[PathBuf],
    options: RecallOptions,
    provenance: Provenance,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Report, ReportError> {
    if paths.len() > MOST_FILES {
        return Err(ReportError::TooManyFiles { count: paths.len() });
    }
    let open = |path: &PathBuf| ResultsFile::open(path, options.detail);
    let files = paths.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let rows = files.iter().map(ResultsFile::most_rows).try_fold(0_u64, |sum, rows| sum.checked_add(rows?));
    let mut recalled = Recalled::new(Collector::new(options.detail, rows.unwrap_or(u64::MAX)));
    let mut inputs = Vec::new();
    for file in files {
        let (info, hash) = (Arc::clone(file.source.info()), file.source.hash());
        recalled.read(file, RunOptions::new(options.threads), observer, stop)?;
        inputs.push(InputFile::new(&info, hash));
    }
    let Recalled { collector, problems, notes, .. } = recalled;
    Ok(Report { problems, notes, ..assemble(&collector, inputs, provenance) })
}

/// An open results file.
struct ResultsFile {
    source: Source,
    digest: ResultsDigest,
    /// The names of the columns that are carried along.
    carried: Vec<String>,
}

impl ResultsFile {
    fn open(path: &Path, detail: Detail) -> Result<Self, ReportError> {
        let read = ReadOptions { hash: true, results: true, ..ReadOptions::default() };
        match Source::open(path, &read) {
            Ok(source) => Self::of(source, detail),
            Err(InputError::NoColumn { name, columns, .. }) => {
                let missing = ResultsDigest::of(&columns, detail).err().unwrap_or_default();
                Err(ReportError::NotResults { name, missing, header: shown(&columns) })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn of(mut source: Source, detail: Detail) -> Result<Self, ReportError> {
        let names = source.columns().names;
        let (digest, columns) = ResultsDigest::of(&names, detail).map_err(|missing| {
            ReportError::NotResults { name: source.info().name.clone(), missing, header: shown(&names) }
        })?;
        source.carry(&columns);
        let name = |column: Option<usize>| column.map(|at| names[at].clone()).unwrap_or_default();
        Ok(Self { source, digest, carried: columns.into_iter().map(name).collect() })
    }

    /// Returns an upper bound on the number of rows in the file, if one is known.
    fn most_rows(&self) -> Option<u64> {
        let info = self.source.info();
        let is_text = !info.compressed && !self.source.look().dialect.framing.is_binary();
        info.size.map(|size| size / if is_text { LEAST_ROW } else { LEAST_COMPRESSED })
    }
}

/// Returns the first names in a header, for a message.
fn shown(header: &[String]) -> Vec<String> {
    const MOST: usize = 16;
    const LONGEST: usize = 40;
    let name = |name: &String| name.chars().take(LONGEST).collect::<String>().escape_debug().to_string();
    let mut shown: Vec<_> = header.iter().take(MOST).map(name).collect();
    if header.len() > MOST {
        shown.push("...".to_owned());
    }
    shown
}

/// The results read so far.
struct Recalled {
    collector: Collector,
    problems: Vec<String>,
    notes: Vec<String>,
    /// The total progress over the files before the current one.
    before: Progress,
}

impl Recalled {
    const fn new(collector: Collector) -> Self {
        let before = Progress { records: 0, raw_bytes: 0, grids: None };
        Self { collector, problems: Vec::new(), notes: Vec::new(), before }
    }

    /// Reads the next file to its end, or up to any damage.
    fn read(
        &mut self,
        ResultsFile { source, digest, carried }: ResultsFile,
        options: RunOptions,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<(), ReportError> {
        let (name, hash) = (source.info().name.clone(), source.hash());
        self.collector.start_file(&name, digest.statuses);
        let mut plan = Plan::new(vec![source], Pick::all(), digest, options);
        plan.schema.carried = carried;
        let before = self.before;
        let onward = Onward { before, observer };
        let ended =
            pipeline::run(plan, self, &mut io::sink(), &onward, stop).map_err(|error| match error {
                RunError::Threads(error) => ReportError::Threads(error),
                RunError::Panic { first_id, message } => {
                    ReportError::Panic { first_row: before.records + first_id, message }
                }
            })?;
        if ended.ending == Ending::Interrupted {
            return Err(ReportError::Interrupted);
        }
        // Anything else found between the result rows counts as an unreadable row.
        let first =
            ended.passed_over.first.map(|(_, line, text)| (line, format!("no row of results: {text}")));
        self.collector.add_bad_rows(ended.passed_over.lines, first.into_iter());
        let records = self.collector.rows + self.collector.bad_rows.count;
        self.before = Progress { records, raw_bytes: before.raw_bytes + hash.bytes(), grids: None };
        self.problems.extend(ended.input_errors.iter().map(ToString::to_string));
        // The note about missing threads is the same for every file.
        self.notes.extend(ended.notes);
        self.notes.dedup();
        Ok(())
    }
}

impl Collect<ResultsPart> for Recalled {
    fn take(&mut self, part: &mut ResultsPart) {
        self.collector.take(&mut part.report);
        self.collector.add_bad_rows(part.bad, part.first_bad.drain(..));
    }
}

/// An observer that adds a file's progress to the progress over the earlier files.
struct Onward<'a> {
    before: Progress,
    observer: &'a dyn Observer,
}

impl Observer for Onward<'_> {
    fn progress(&self, progress: &Progress) {
        let Progress { records, raw_bytes, grids } = self.before;
        self.observer.progress(&Progress {
            records: records + progress.records,
            raw_bytes: raw_bytes + progress.raw_bytes,
            grids,
        });
    }
}

#[cfg(test)]
pub(super) mod testing {
    use std::io::{Cursor, Read};
    use std::time::SystemTime;

    use super::*;

    /// Reads a results file from memory, cutting its rows into pages of this many bytes.
    pub(super) fn read(
        reader: impl Read + Send + 'static,
        page_bytes: usize,
        recalled: &mut Recalled,
        detail: Detail,
    ) -> Result<(), ReportError> {
        let options = ReadOptions { results: true, ..ReadOptions::default() };
        let file = ResultsFile::of(Source::from_reader("r.csv", reader, &options).unwrap(), detail).unwrap();
        let threads = RunOptions::new(NonZeroUsize::new(2).unwrap());
        let options = RunOptions { batch_bytes: page_bytes, ..threads };
        recalled.read(file, options, &(), &AtomicBool::new(false))
    }

    /// Returns the report on a results file with this text, with its rows cut into pages of this many bytes.
    pub fn report(text: &str, top: usize, page_bytes: usize) -> Report {
        let detail = Detail { top, isomorphs: false };
        let mut recalled = Recalled::new(Collector::new(detail, 1000));
        read(Cursor::new(text.to_owned()), page_bytes, &mut recalled, detail).unwrap();
        assemble(&recalled.collector, Vec::new(), Provenance::of_this_process(SystemTime::UNIX_EPOCH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Read};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    /// A reader that panics at the end of its text.
    struct Trap(Cursor<String>);

    impl Read for Trap {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let taken = self.0.read(buffer)?;
            assert!(taken > 0 || buffer.is_empty(), "the end of the world");
            Ok(taken)
        }
    }

    #[test]
    fn a_panic_of_the_reader_ends_the_run_after_the_rows_before_it() {
        let rows = format!("a,1,unique,0,{PUZZLE}\n").repeat(30_000);
        let trap = Trap(Cursor::new(format!("source,line,status,guesses,puzzle\n{rows}")));
        let (done, ended) = mpsc::channel();
        // The test fails if the run does not end.
        thread::spawn(move || {
            let mut recalled = Recalled::new(Collector::new(Detail::default(), 1000));
            done.send(testing::read(trap, 1 << 19, &mut recalled, Detail::default()).unwrap_err())
        });
        let error = ended.recv_timeout(Duration::from_secs(60)).expect("the run ends");
        let ReportError::Panic { first_row, message } = &error else { panic!("{error}") };
        assert!((1_000..=30_000).contains(first_row), "{error}");
        assert!(message.contains("the end of the world"), "{message}");
    }
}
