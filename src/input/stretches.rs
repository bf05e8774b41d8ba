//! A sample of an input that may be too long to read: stretches from across a plain file, else its head.
//!
//! If the records of the head are lines, a stretch from the middle starts after a line end. Otherwise it starts after a
//! line that is not part of a record, such as a blank one or a title. Such lines must separate the records of the head.
//! If they do not, the start of a record cannot be known, and the sample is the head.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use memchr::memchr;

use super::reader::{Block, State, TextEnd, TextReader};
use super::source::Source;
use super::{Batch, InputError, SourceInfo};
use crate::record::{Records, Want};

/// The number of stretches, with the head.
const STRETCHES: u64 = 16;
/// The bytes of each stretch.
const STRETCH: usize = 64 << 10;
/// The largest file that is read as a whole, at no more cost.
const WHOLE: u64 = 2 * STRETCHES * STRETCH as u64;

/// The part of an input that a sample covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole input.
    Whole,
    /// The start of the input.
    Head,
    /// The start, and the given number of stretches after it.
    Spread(usize),
}

/// Some records of an input.
#[derive(Debug)]
pub struct InputSample {
    /// The batches, in the order of the input. A stretch from the middle counts its lines from its own start, which the
    /// name of its source says.
    pub batches: Vec<Batch>,
    /// The part of the input that the records cover.
    pub extent: Extent,
    /// The bytes of the input that the sample took, compressed if it is.
    pub bytes: u64,
    /// The error that ended the sample, if there was one.
    pub error: Option<InputError>,
}

impl Source {
    /// Reads a sample of about 1 MiB. The source must not be read afterwards.
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

/// Whether a single line is no record and no part of one.
fn is_between(reader: &dyn TextReader, line: &[u8]) -> bool {
    let state = State { begun: true, ..State::default() };
    let mut records = Records::default();
    reader.read(&Block { bytes: line, state: &state, is_last: true }, Want::default(), &mut records);
    records.is_empty()
}

/// Whether lines that are no part of a record separate the records, else line ends alone; `None` if neither does.
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

/// Returns stretches after the head of a long file; `None` if none can be found.
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

/// Returns the whole units of some bytes that start anywhere in a file, if there are any.
fn stretch(
    mut bytes: Vec<u8>,
    offset: u64,
    head: &Batch,
    reader: &Arc<dyn TextReader>,
    behind_line: bool,
) -> Option<Batch> {
    // The first line may be incomplete.
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
