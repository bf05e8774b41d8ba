//! A sample of an input that may be too long to read: stretches from across a plain file, else its head.
//!
//! A stretch from the middle starts after a line end if the records of the head are lines, else after a line that is
//! not part of a record, such as a blank one or a title, if such lines separate the records of the head and occur in
//! none. Otherwise the start of a record cannot be known, and the sample is the head.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use memchr::memchr;

use super::reader::{Block, State, TextEnd, TextReader};
use super::source::Source;
use super::{Batch, InputError, SourceInfo};
use crate::record::{Records, Want};

/// Stretches, the head among them.
const STRETCHES: u64 = 16;
/// Bytes of each.
const STRETCH: usize = 64 << 10;
/// A file up to so many bytes is read as a whole, at no more cost.
const WHOLE: u64 = 2 * STRETCHES * STRETCH as u64;

/// What of an input a sample is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// The start.
    Head,
    /// The start and so many stretches behind it.
    Spread(usize),
}

/// Some records of an input.
#[derive(Debug)]
pub struct InputSample {
    /// In the order of the input. Those of a stretch that begins in the middle count their lines from there, which
    /// the name of their source says.
    pub batches: Vec<Batch>,
    /// Where they are from.
    pub extent: Extent,
    /// Bytes of the input that they took, compressed if it is.
    pub bytes: u64,
    /// Why there are no more of them.
    pub error: Option<InputError>,
}

impl Source {
    /// Reads a sample of about 1 MiB; the source has nothing more to give afterwards that could be relied on.
    pub fn sample(&mut self) -> InputSample {
        let size = self.info().size;
        let is_short = !self.info().compressed && size.is_some_and(|size| size <= WHOLE);
        let is_plain = !self.info().compressed && self.look().encoding.is_none() && !self.is_binary();
        let is_spread = is_plain && !is_short && self.look().excerpt.is_some();
        let file = self.unread_file().filter(|_| is_spread);
        let mut sample = InputSample { batches: Vec::new(), extent: Extent::Head, bytes: 0, error: None };
        let most = if is_short { WHOLE } else { WHOLE / 2 };
        while sample.bytes < most && sample.extent == Extent::Head {
            match self.next_batch(Vec::new(), STRETCH) {
                Ok(Some(batch)) => {
                    sample.bytes += batch.size();
                    sample.batches.push(batch);
                }
                Ok(None) => {
                    sample.extent = Extent::Whole;
                    break;
                }
                Err(error) => {
                    sample.error = Some(error);
                    break;
                }
            }
            if let ([head], Some((path, reader)), Some(size)) = (&sample.batches[..], &file, size)
                && let Some(stretches) = stretches(path, size, head, reader)
            {
                sample.extent = Extent::Spread(stretches.len());
                sample.bytes += stretches.iter().map(Batch::size).sum::<u64>();
                sample.batches.extend(stretches);
            }
        }
        if !is_plain || sample.extent == Extent::Whole {
            sample.bytes = self.raw_position();
        }
        sample
    }
}

/// Whether a line alone is no record, and no part of one.
fn is_between(reader: &dyn TextReader, line: &[u8]) -> bool {
    let state = State { begun: true, ..State::default() };
    let mut records = Records::default();
    reader.read(&Block { bytes: line, state: &state, is_last: true }, Want::default(), &mut records);
    records.is_empty()
}

/// Whether lines that are no part of one set the records of a batch apart, else line ends alone; `None` if neither does.
fn are_apart_by_lines(head: &Batch, reader: &dyn TextReader) -> Option<bool> {
    let mut records = Records::default();
    head.read(Want::default(), &mut records);
    let lines = |text: &[u8]| text.split_inclusive(|&byte| byte == b'\n').count();
    let has_between =
        |text: &[u8]| text.split_inclusive(|&byte| byte == b'\n').any(|line| is_between(reader, line));
    let texts = || records.spans().iter().map(|span| span.of(&head.bytes));
    if texts().all(|text| lines(text) == 1) {
        return Some(false);
    }
    let mut between =
        records.spans().windows(2).map(|pair| &head.bytes[pair[0].start + pair[0].length..pair[1].start]);
    (records.len() > 1 && between.all(has_between) && !texts().any(has_between)).then_some(true)
}

/// Stretches behind the head of a file that is so long; `None` if there are none that could be told.
fn stretches(path: &Path, size: u64, head: &Batch, reader: &Arc<dyn TextReader>) -> Option<Vec<Batch>> {
    let behind_line = are_apart_by_lines(head, &**reader)?;
    let mut file = File::open(path).ok()?;
    let mut batches = Vec::new();
    for number in 1..STRETCHES {
        let offset = (size - STRETCH as u64) / (STRETCHES - 1) * number;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(offset)).ok()?;
        (&mut file).take(STRETCH as u64).read_to_end(&mut bytes).ok()?;
        batches.extend(stretch(bytes, offset, head, reader, behind_line));
    }
    (!batches.is_empty()).then_some(batches)
}

/// The whole units of some bytes that start anywhere in a file, if there are any.
fn stretch(
    mut bytes: Vec<u8>,
    offset: u64,
    head: &Batch,
    reader: &Arc<dyn TextReader>,
    behind_line: bool,
) -> Option<Batch> {
    // The first line may be the rest of one.
    let mut start = memchr(b'\n', &bytes)? + 1;
    let mut is_found = !behind_line;
    while !is_found {
        let length = memchr(b'\n', &bytes[start..])? + 1;
        is_found = is_between(&**reader, &bytes[start..start + length]);
        start += length;
    }
    bytes.drain(..start);
    let state = State { begun: true, ..State::default() };
    let length = reader.frame(&mut state.clone(), &bytes, TextEnd::More);
    bytes.truncate(length);
    let name = format!("{} from byte {}", head.source.name, offset + start as u64);
    let source = Arc::new(SourceInfo { name, ..(*head.source).clone() });
    (length > 0).then(|| Batch { source, bytes, state, is_last: false, ..head.clone() })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::input::ReadOptions;

    #[test]
    fn stretches_are_from_all_over_a_long_file_and_begin_with_records() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("list.txt");
        let mut text = String::new();
        for number in 0..30_000_u32 {
            writeln!(text, "{}{:081}", if number % 7 == 0 { "\n" } else { "" }, number)
                .expect("memory takes it");
        }
        for (count, extent) in [(30_000, Extent::Spread(15)), (1000, Extent::Whole)] {
            let text: String = text.split_inclusive('\n').take(count * 8 / 7).collect();
            std::fs::write(&path, &text).expect("a temporary file can be written");
            let mut source = Source::open(&path, &ReadOptions::default()).expect("puzzles");
            let sample = source.sample();
            assert_eq!((sample.extent, sample.error.is_none()), (extent, true));
            let mut last = None;
            for batch in &sample.batches {
                let mut records = Records::default();
                batch.read(Want::default(), &mut records);
                assert!(records.all_sudokus());
                let of = |text: &[u8]| str::from_utf8(text).ok()?.trim().parse::<u32>().ok();
                let first = records.spans().first().and_then(|span| of(span.of(&batch.bytes)));
                assert!(first.is_none() || first > last, "in the order of the file");
                last = first.or(last);
                if let Some((_, offset)) = batch.source.name.split_once(" from byte ") {
                    let offset: usize = offset.parse().expect("a number");
                    assert!(text.as_bytes()[offset..].starts_with(&batch.bytes));
                }
            }
        }
    }
}
