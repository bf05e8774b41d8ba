//! Some records out of all, each as likely as any other, in their order and as they stand in their inputs; rows of tables
//! that are no text as rows of CSV, with all their columns.
//!
//! Every record draws a number, in the order of the inputs, and those with the smallest are the sample: one pass, and no
//! more memory than the sample takes. By strata it is the smallest of each, as many of one as of another as far as there
//! are; what has to make room goes from the stratum that has most. Numbers alone decide, so that the sample is the same
//! on every machine, for every number of threads and size of batches.
//!
//! Reservoirs that skip records take logarithms, which differ from machine to machine. A stratum that had to make room
//! never grows again, since all others only grow: so equal shares need no second pass.

use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::job::NoRows;
use crate::input::{Excerpt, InputError, Look, Source};
use crate::jobs::SearchOptions;
use crate::jobs::solve::Solve;
use crate::output::{Compression, Output, Piece, push_csv_row, text_writer};
use crate::pipeline::{self, BATCH_BYTES, Collect, Digest, Observer, Plan, RunError, RunOptions};
use crate::record::{Column, Page, Records, Role, Texts, Want};
use crate::solver::{Backend, Limits};

/// Guesses after which a puzzle is `unfinished`.
const MOST_GUESSES: u64 = 100_000;

/// The stratum of records without clues or guesses.
const NONE: u64 = u64::MAX;

/// Bytes that are written at once, about.
const PIECE: usize = 64 << 10;

/// What the records of a stratum have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strata {
    /// What `solve` says of them.
    Status,
    /// The number of clues.
    Clues,
    /// The number of guesses, by powers of two: 0, 1, 2 to 3, 4 to 7 and so on.
    Guesses,
}

/// How to take a sample.
#[derive(Clone, Copy, Debug)]
pub struct SampleOptions {
    /// Records of the sample.
    pub most: NonZeroUsize,
    /// Where the random numbers start.
    pub seed: u64,
    /// Whether all strata have equal shares.
    pub by: Option<Strata>,
    /// Threads that solve, where that is needed.
    pub threads: NonZeroUsize,
    /// Bytes of a batch.
    pub batch_bytes: usize,
}

impl SampleOptions {
    /// A sample of so many records.
    #[must_use]
    pub fn new(most: NonZeroUsize, seed: u64, by: Option<Strata>, threads: NonZeroUsize) -> Self {
        Self { most, seed, by, threads, batch_bytes: BATCH_BYTES }
    }
}

/// Why there is no sample.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// An input cannot be read to its end.
    #[error("{0}; a sample is of whole inputs")]
    Input(#[from] InputError),
    /// The records of an input mean nothing without what is around them.
    #[error(
        "{name}: its records cannot be written as they stand ({format}); convert them to lines or CSV first"
    )]
    NoExcerpt {
        /// Name of the input.
        name: String,
        /// What it is.
        format: &'static str,
    },
    /// Two inputs cannot be one.
    #[error("{name}: has {what} than {first}: a sample is of inputs that are alike")]
    Unlike {
        /// Name of the input.
        name: String,
        /// The input before it.
        first: String,
        /// In what they differ.
        what: &'static str,
    },
    /// The run over the records failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A sample.
#[derive(Debug)]
pub struct Sample {
    /// The texts of its records, in order.
    pub records: Vec<Vec<u8>>,
    /// Records of all inputs.
    pub seen: u64,
    /// What is worth a warning.
    pub notes: Vec<String>,
    header: Vec<u8>,
    excerpt: Excerpt,
}

impl Sample {
    /// Writes it as an input of its own, compressed or not, in pieces of whole records.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(
        &self,
        compression: Option<Compression>,
        threads: NonZeroUsize,
        out: &mut dyn Output,
    ) -> io::Result<()> {
        let mut writer = text_writer(compression, threads);
        let mut piece = Piece::default();
        piece.bytes.extend_from_slice(&self.header);
        for (at, record) in self.records.iter().enumerate() {
            if at > 0 {
                piece.bytes.extend_from_slice(self.excerpt.between.as_bytes());
            }
            piece.bytes.extend_from_slice(record);
            end_line(&mut piece.bytes);
            if piece.bytes.len() >= PIECE {
                writer.append(&mut piece, out)?;
                piece.clear();
            }
        }
        piece.bytes.extend_from_slice(self.excerpt.end.as_bytes());
        writer.append(&mut piece, out)?;
        writer.finish(out)
    }
}

/// Ends the last line of a text, if it is not.
fn end_line(text: &mut Vec<u8>) {
    if text.last().is_some_and(|&byte| byte != b'\n') {
        text.push(b'\n');
    }
}

/// Takes a sample of sources that were opened with a look at their start.
///
/// # Errors
///
/// When they cannot be one, or one of them cannot be read to its end.
pub fn sample(
    mut sources: Vec<Source>,
    options: &SampleOptions,
    observer: &dyn Observer,
) -> Result<Sample, SampleError> {
    let (header, excerpt) = format_of(&sources)?;
    for source in &mut sources {
        if is_table_without_text(source) {
            let columns: Vec<_> = (0..source.columns().names.len()).map(Some).collect();
            source.carry(&columns);
        }
    }
    let mut sampler = Sampler::new(options.most.get(), options.seed);
    let notes = match options.by {
        None | Some(Strata::Clues) => read(sources, options, &mut sampler)?,
        Some(by @ (Strata::Status | Strata::Guesses)) => solve(sources, by, options, &mut sampler, observer)?,
    };
    Ok(Sample { seen: sampler.seen, records: sampler.records(), notes, header, excerpt })
}

/// Whether an input is a table whose rows are no text.
fn is_table_without_text(source: &Source) -> bool {
    source.is_binary() && source.look().dialect.framing.has_columns()
}

/// What the start of an input shows, or that of the CSV that is written of it.
fn look(source: &Source) -> Look {
    let mut look = source.look().clone();
    if is_table_without_text(source) {
        look.header.clear();
        push_csv_row(look.columns.names.iter().map(|name| Some(name.as_bytes())), &mut look.header);
        look.excerpt = Some(Excerpt { between: "", end: "" });
    }
    look
}

/// The text of a record, or the row of what is carried along of it.
fn text_of<'a>(text: &'a [u8], carried: &[&Texts], row: usize, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    if carried.is_empty() {
        return text;
    }
    buffer.clear();
    push_csv_row(carried.iter().map(|texts| texts.get(row)), buffer);
    buffer
}

/// How records of all sources are written: the header before them, and what is between them.
fn format_of(sources: &[Source]) -> Result<(Vec<u8>, Excerpt), SampleError> {
    let name = |source: &Source| source.info().name.clone();
    let mut format: Option<(String, Look)> = None;
    for source in sources {
        let found = look(source);
        if found.excerpt.is_none() {
            return Err(SampleError::NoExcerpt { name: name(source), format: found.dialect.framing.word() });
        }
        let Some((first, known)) = &format else {
            format = Some((name(source), found));
            continue;
        };
        let header = |look: &Look| {
            let columns = if look.header.is_empty() { 0 } else { look.columns.names.len() };
            (columns, look.dialect.separator, look.header.trim_ascii_end().to_vec())
        };
        let what = match () {
            () if known.dialect.framing != found.dialect.framing => "another format",
            () if header(known) != header(&found) => "other columns",
            () => continue,
        };
        return Err(SampleError::Unlike { name: name(source), first: first.clone(), what });
    }
    let look = format.map(|(_, look)| look);
    let excerpt = look.as_ref().and_then(|look| look.excerpt).unwrap_or(Excerpt { between: "", end: "" });
    let mut header = look.map(|look| look.header).unwrap_or_default();
    end_line(&mut header);
    Ok((header, excerpt))
}

/// Offers all records without solving them.
fn read(
    sources: Vec<Source>,
    options: &SampleOptions,
    sampler: &mut Sampler,
) -> Result<Vec<String>, SampleError> {
    let (mut notes, mut records, mut keys, mut text) =
        (Vec::new(), Records::default(), Vec::new(), Vec::new());
    for mut source in sources {
        let mut buffer = Vec::new();
        while let Some(batch) = source.next_batch(buffer, options.batch_bytes)? {
            batch.read(Want::default(), &mut records);
            keys.clear();
            keys.extend((0..records.len()).map(|_| sampler.draw()));
            if options.by.is_none() && !keys.iter().any(|&key| sampler.would_take(0, key)) {
                sampler.seen += records.len() as u64;
            } else {
                let carried: Vec<_> = records.carried.iter().collect();
                for (row, &key) in keys.iter().enumerate() {
                    let stratum = match options.by {
                        None => 0,
                        Some(_) if records.readable()[row] => records.puzzles()[row].clues().into(),
                        Some(_) => NONE,
                    };
                    let plain = records.spans()[row].of(&batch.bytes);
                    sampler.offer(key, stratum, text_of(plain, &carried, row, &mut text));
                }
            }
            buffer = batch.bytes;
        }
        notes.extend_from_slice(source.notes());
    }
    Ok(notes)
}

/// Offers all records once they are solved.
fn solve(
    sources: Vec<Source>,
    by: Strata,
    options: &SampleOptions,
    sampler: &mut Sampler,
    observer: &dyn Observer,
) -> Result<Vec<String>, SampleError> {
    let limits = Limits { max_guesses: Some(MOST_GUESSES), ..Limits::default() };
    let plan = Plan {
        sources,
        job: Arc::new(Solve::new(SearchOptions { backend: Backend::best(), limits }, false)),
        encoder: Arc::new(NoRows),
        digest: SampleDigest { by },
        options: RunOptions { batch_bytes: options.batch_bytes, ..RunOptions::new(options.threads) },
    };
    let ended = pipeline::run(plan, sampler, &mut io::sink(), observer, &AtomicBool::new(false))?;
    match ended.input_errors.into_iter().next() {
        Some(error) => Err(error.into()),
        None => Ok(ended.notes),
    }
}

/// Finds the strata of solved records.
struct SampleDigest {
    by: Strata,
}

/// The records of a page.
#[derive(Default)]
struct SamplePart {
    strata: Vec<u64>,
    texts: Vec<u8>,
    ends: Vec<usize>,
}

impl Digest for SampleDigest {
    type Part = SamplePart;

    fn digest(&self, page: &Page<'_>, part: &mut SamplePart) {
        part.strata.clear();
        part.texts.clear();
        part.ends.clear();
        let guesses = page.numbers(Role::Guesses);
        let words = page.schema.statuses;
        let carried = page.columns[page.schema.fields.len()..].iter().filter_map(|column| match column {
            Column::Texts(texts) => Some(*texts),
            _ => None,
        });
        let (carried, mut text) = (carried.collect::<Vec<_>>(), Vec::new());
        for (row, &status) in page.statuses()[..page.rows].iter().enumerate() {
            let status = usize::from(status);
            part.strata.push(match guesses.get(row).filter(|_| words[status].searched) {
                _ if self.by == Strata::Status => status as u64,
                Some(guesses) => guesses.checked_ilog2().map_or(0, |log| u64::from(log) + 1),
                None => NONE,
            });
            part.texts.extend_from_slice(text_of(page.text_of(row), &carried, row, &mut text));
            part.ends.push(part.texts.len());
        }
    }
}

impl Collect<SamplePart> for Sampler {
    fn take(&mut self, part: &mut SamplePart) {
        let mut start = 0;
        for (&stratum, &end) in part.strata.iter().zip(&part.ends) {
            let key = self.draw();
            self.offer(key, stratum, &part.texts[start..end]);
            start = end;
        }
    }
}

/// The records chosen so far.
struct Sampler {
    most: usize,
    rng: Xoshiro256PlusPlus,
    /// Records offered.
    seen: u64,
    /// Records chosen.
    kept: usize,
    strata: BTreeMap<u64, Stratum>,
}

/// The chosen records of a stratum: those with the smallest keys, the largest of them first to go.
#[derive(Default)]
struct Stratum {
    chosen: BinaryHeap<(u64, u64, Vec<u8>)>,
    /// Whether some had to go, so that it has no more room: other strata only grow.
    is_full: bool,
}

impl Sampler {
    fn new(most: usize, seed: u64) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { most, rng, seen: 0, kept: 0, strata: BTreeMap::new() }
    }

    /// The key of the next record.
    fn draw(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// Whether a record with that key would be chosen by now.
    fn would_take(&self, stratum: u64, key: u64) -> bool {
        let Some(stratum) = self.strata.get(&stratum) else { return true };
        !stratum.is_full || stratum.chosen.peek().is_some_and(|(largest, ..)| key < *largest)
    }

    /// Takes the next record, if it is one of the sample by now.
    fn offer(&mut self, key: u64, stratum: u64, text: &[u8]) {
        let number = self.seen;
        self.seen += 1;
        if !self.would_take(stratum, key) {
            return;
        }
        let of = self.strata.entry(stratum).or_default();
        of.chosen.push((key, number, text.to_vec()));
        if of.is_full {
            of.chosen.pop();
            return;
        }
        self.kept += 1;
        if self.kept > self.most
            && let Some(largest) = self.strata.values_mut().max_by_key(|stratum| stratum.chosen.len())
        {
            largest.chosen.pop();
            largest.is_full = true;
            self.kept -= 1;
        }
    }

    /// The texts of the chosen records, in order.
    fn records(self) -> Vec<Vec<u8>> {
        let mut chosen: Vec<_> = self.strata.into_values().flat_map(|stratum| stratum.chosen).collect();
        chosen.sort_unstable_by_key(|&(_, number, _)| number);
        chosen.into_iter().map(|(.., text)| text).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::input::ReadOptions;

    /// The numbers of the records that are sampled out of so many, each of the stratum that `of` says.
    fn chosen(most: usize, seed: u64, records: u64, of: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut sampler = Sampler::new(most, seed);
        for number in 0..records {
            let key = sampler.draw();
            sampler.offer(key, of(number), &number.to_le_bytes());
        }
        let numbers = sampler.records().into_iter();
        numbers.map(|text| u64::from_le_bytes(text.try_into().unwrap())).collect()
    }

    /// Pearson's statistic of counts that should be equal.
    fn unevenness(counts: &[u64]) -> f64 {
        let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum()
    }

    /// Of 19 degrees of freedom one in a million is above 62; drawing without replacement only lowers it.
    #[test]
    fn each_record_is_as_likely_as_any_other() {
        for (most, strata) in [(5, 1), (19, 1), (1, 1), (6, 2)] {
            let mut counts = [0; 20];
            for seed in 0..2000 {
                let sample = chosen(most, seed, 20, |number| number % strata);
                assert!(sample.is_sorted() && sample.len() == most);
                sample.iter().for_each(|&number| counts[number as usize] += 1);
            }
            assert!(unevenness(&counts) < 62.0, "{most} {strata}: {counts:?}");
        }
    }

    #[test]
    fn strata_have_equal_shares_as_far_as_there_are() {
        // 1,000 records: 2 of stratum 1, 10 of stratum 2, the others of stratum 0.
        let of = |number| if number < 2 { 1 } else { 2 * u64::from(number >= 990) };
        for (most, shares) in [(3, [1, 1, 1]), (12, [5, 2, 5]), (30, [18, 2, 10]), (2000, [988, 2, 10])] {
            let sample = chosen(most, 7, 1000, of);
            let count = |stratum| sample.iter().filter(|&&number| of(number) == stratum).count();
            assert_eq!([count(0), count(1), count(2)], shares, "{most}");
        }
        assert_eq!(chosen(2, 7, 1000, |number| number % 100).len(), 2, "more strata than records");
    }

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    fn source(text: &str) -> Source {
        Source::from_reader("a", Cursor::new(text.to_owned()), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn a_sample_depends_neither_on_threads_nor_on_batches() {
        let lines = (0..200).map(|number| match number % 5 {
            0 => format!("{PUZZLE} {number}\n"),
            1 => format!("{}.. {number}\n", &PUZZLE[..79]),
            2 => format!("{} {number}\n", &PUZZLE[1..]),
            3 => format!("11{} {number}\n", &PUZZLE[2..]),
            _ => format!("{} {number}\n", PUZZLE.replace(['6', '8'], ".")),
        });
        let text: String = lines.collect();
        for by in [None, Some(Strata::Clues), Some(Strata::Status), Some(Strata::Guesses)] {
            let take = |threads, batch_bytes, seed| {
                let options = SampleOptions {
                    batch_bytes,
                    ..SampleOptions::new(
                        NonZeroUsize::new(40).unwrap(),
                        seed,
                        by,
                        NonZeroUsize::new(threads).unwrap(),
                    )
                };
                let found = sample(vec![source(&text)], &options, &()).unwrap();
                assert_eq!((found.seen, found.records.len()), (200, 40));
                let mut out = Vec::new();
                found.write(None, NonZeroUsize::MIN, &mut out).unwrap();
                String::from_utf8(out).unwrap()
            };
            let first = take(1, 1 << 20, 1);
            assert!(first.lines().all(|line| text.contains(&format!("{line}\n"))), "{first}");
            for (threads, batch_bytes) in [(1, 100), (3, 1000), (4, 5000)] {
                assert_eq!(take(threads, batch_bytes, 1), first, "{by:?}");
            }
            assert_ne!(take(1, 1 << 20, 2), first);
        }
    }

    #[test]
    fn inputs_that_are_not_alike_are_refused() {
        let refused = |texts: [&str; 2]| {
            let options = SampleOptions::new(NonZeroUsize::MIN, 1, None, NonZeroUsize::MIN);
            sample(texts.map(source).into(), &options, &()).err().map(|error| error.to_string())
        };
        let (line, table) = (format!("{PUZZLE}\n"), format!("puzzle,rating\n{PUZZLE},7\n"));
        let grid: String = (0..9).map(|row| format!("{}\n", &PUZZLE[row * 9..row * 9 + 9])).collect();
        assert_eq!(refused([&line, &line]), None);
        assert_eq!(refused([&table, &table.replace('\n', "\r\n")]), None);
        assert!(refused([&line, &grid]).unwrap().starts_with("a: has another format than a"));
        assert!(refused([&table, &table.replace("rating", "level")]).unwrap().contains("other columns"));
    }
}
