//! Reads results files one after another, using the same readers that read puzzle files.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::collect::{Collector, MOST_FILES};
use super::results::{COLUMNS, ResultsDigest, ResultsPart};
use super::{Detail, InputFile, Report};
use crate::input::{InputError, ReadOptions, Source};
use crate::jobs::pick::Pick;
use crate::pipeline::{self, Collect, Ending, Observer, Plan, Progress, RunError, RunOptions};
use crate::provenance::Provenance;

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
    /// There are too many files; holds their number.
    #[error("too many files of results: {0} (at most {MOST_FILES})")]
    TooManyFiles(usize),
    /// The run over the named file failed.
    #[error("{0}: {1}")]
    Run(String, RunError),
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
    detail: Detail,
    threads: NonZeroUsize,
    provenance: Provenance,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Report, ReportError> {
    if paths.len() > MOST_FILES {
        return Err(ReportError::TooManyFiles(paths.len()));
    }
    let open = |path: &PathBuf| ResultsFile::open(path, detail);
    let files = paths.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut collector = Collector::new(detail);
    let (mut inputs, mut raw_bytes) = (Vec::new(), 0);
    for file in files {
        let (info, hash) = (Arc::clone(file.source.info()), file.source.hash());
        let onward = Onward { records: collector.rows + collector.bad_rows.count, raw_bytes, observer };
        collector.read(file, RunOptions::new(threads), &onward, stop)?;
        raw_bytes += hash.bytes();
        inputs.push(InputFile::new(&info, hash));
    }
    Ok(collector.finish(None, inputs, provenance))
}

/// An open results file.
struct ResultsFile {
    source: Source,
    digest: ResultsDigest,
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
        Ok(Self { source, digest })
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

impl Collector {
    /// Reads the next file to its end, or up to any damage.
    fn read(
        &mut self,
        ResultsFile { source, digest }: ResultsFile,
        options: RunOptions,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<(), ReportError> {
        let name = source.info().name.clone();
        self.start_file(&name, digest.statuses);
        let mut plan = Plan::new(vec![source], Pick::all(), digest, options);
        plan.schema.carried = COLUMNS.map(str::to_owned).to_vec();
        let ended = pipeline::run(plan, self, &mut io::sink(), observer, stop)
            .map_err(|error| ReportError::Run(name, error))?;
        if ended.ending == Ending::Interrupted {
            return Err(ReportError::Interrupted);
        }
        // Anything else found between the result rows counts as an unreadable row.
        let first =
            ended.passed_over.first.map(|(_, line, text)| (line, format!("no row of results: {text}")));
        self.add_bad_rows(ended.passed_over.lines, first.into_iter());
        self.problems.extend(ended.input_errors.iter().map(ToString::to_string));
        // The note about missing threads is the same for every file.
        self.notes.extend(ended.notes);
        self.notes.dedup();
        Ok(())
    }
}

impl Collect<ResultsPart> for Collector {
    fn take(&mut self, part: &mut ResultsPart) {
        self.take(&mut part.report);
        self.add_bad_rows(part.bad, part.first_bad.drain(..));
    }
}

/// An observer that adds a file's progress to the total for the earlier files.
struct Onward<'a> {
    records: u64,
    raw_bytes: u64,
    observer: &'a dyn Observer,
}

impl Observer for Onward<'_> {
    fn progress(&self, &Progress { records, raw_bytes, grids }: &Progress) {
        let (records, raw_bytes) = (self.records + records, self.raw_bytes + raw_bytes);
        self.observer.progress(&Progress { records, raw_bytes, grids });
    }
}

#[cfg(test)]
pub(super) mod testing {
    use std::io::Cursor;
    use std::time::SystemTime;

    use super::*;

    /// Returns the report on a results file with this text, with its rows cut into pages of this many bytes.
    pub fn report(text: &str, top: usize, page_bytes: usize) -> Report {
        let detail = Detail { top, isomorphs: false };
        let mut collector = Collector::new(detail);
        let read = ReadOptions { results: true, ..ReadOptions::default() };
        let source = Source::from_reader("r.csv", Cursor::new(text.to_owned()), &read).unwrap();
        let threads = RunOptions::new(NonZeroUsize::new(2).unwrap());
        let options = RunOptions { batch_bytes: page_bytes, ..threads };
        let file = ResultsFile::of(source, detail).unwrap();
        collector.read(file, options, &(), &AtomicBool::new(false)).unwrap();
        let provenance = Provenance::of_this_process(SystemTime::UNIX_EPOCH);
        collector.finish(None, Vec::new(), provenance)
    }
}
