//! A sample of an input that may be too long to be read: stretches from all over a plain file, else its head.
//!
//! Where a stretch begins in the middle, its first record is only read if there is no doubt that it is one: behind a
//! line end where the records of the head are lines, else behind a line that sets the records of the head apart and
//! stands in none of them. Without such a line there is no telling, and the sample is the head.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use memchr::memchr;

use super::batch::{Batch, Cursor, Phase, Position, TextEnd};
use super::source::Source;
use super::{InputError, SourceInfo};
use crate::record::{Records, Want};

/// Stretches, the head among them.
const STRETCHES: u64 = 16;
/// Bytes of each.
const STRETCH: u64 = 64 << 10;
/// A file up to so many bytes is read as a whole, at no more cost.
const WHOLE: u64 = 2 * STRETCHES * STRETCH;

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
        let file = self.unread_file().filter(|(_, format)| !is_short && format.excerpt().is_some());
        let file = file.map(|(path, _)| path.to_owned());
        let mut sample = InputSample { batches: Vec::new(), extent: Extent::Head, bytes: 0, error: None };
        let most = if is_short { WHOLE } else { STRETCHES * STRETCH };
        let mut is_spread = false;
        while sample.bytes < most && !is_spread {
            match self.next_batch(Vec::new(), STRETCH as usize) {
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
            if let [head] = &sample.batches[..]
                && let (Some(path), Some(size)) = (&file, size)
                && let Some(stretches) = stretches(path, size, head)
            {
                is_spread = true;
                sample.extent = Extent::Spread(stretches.len());
                sample.bytes += stretches.iter().map(Batch::size).sum::<u64>();
                sample.batches.extend(stretches);
            }
        }
        let is_encoded = self.look().is_some_and(|look| look.encoding.is_some());
        if self.info().compressed || is_encoded || self.is_binary() || sample.extent == Extent::Whole {
            sample.bytes = self.raw_position();
        }
        sample
    }
}

/// What stands before a record wherever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// The end of a line.
    LineEnd,
    /// A blank line.
    Blank,
    /// A line with words.
    Words,
}

impl Gap {
    /// What sets apart the records of a batch; `None` if nothing does.
    fn of(head: &Batch) -> Option<Self> {
        let mut records = Records::default();
        head.read(Want::default(), &mut records);
        let mut end = 0;
        let mut texts = Vec::with_capacity(records.len());
        for span in records.spans() {
            texts.push((&head.bytes[end..span.start], span.of(&head.bytes)));
            end = span.start + span.length;
        }
        [Self::LineEnd, Self::Blank, Self::Words].into_iter().find(|gap| gap.sets_apart(&texts))
    }

    /// Whether it stands before each record but the first, and in none, given what stands before each and its text.
    fn sets_apart(self, records: &[(&[u8], &[u8])]) -> bool {
        let lines = |text| <[u8]>::split_inclusive(text, |&byte| byte == b'\n');
        if self == Self::LineEnd {
            return records.iter().all(|(_, record)| lines(record).count() == 1);
        }
        let has_gap = |text| lines(text).any(|line| self.is(line));
        records.len() > 1
            && records.iter().skip(1).all(|(before, _)| has_gap(before))
            && !records.iter().any(|(_, record)| has_gap(record))
    }

    /// Whether a whole line is such a gap.
    fn is(self, line: &[u8]) -> bool {
        /// Letters that are no blank cells.
        const WORD: usize = 3;
        match self {
            Self::LineEnd => true,
            Self::Blank => line.trim_ascii().is_empty(),
            Self::Words => line.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= WORD,
        }
    }
}

/// The records of stretches behind the head of a file that is so long; `None` if there are none that could be told.
fn stretches(path: &Path, size: u64, head: &Batch) -> Option<Vec<Batch>> {
    let gap = Gap::of(head)?;
    let mut file = File::open(path).ok()?;
    let mut bytes_at = |offset, length: u64| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(offset)).ok()?;
        (&mut file).take(length).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    // Where the text is not what lies on the disk, its places are others.
    if bytes_at(head.position.offset, head.bytes.len() as u64)? != head.bytes {
        return None;
    }
    let mut batches = Vec::new();
    for number in 1..STRETCHES {
        let offset = (size - STRETCH) / (STRETCHES - 1) * number;
        batches.extend(stretch(bytes_at(offset, STRETCH)?, offset, head, gap));
    }
    (!batches.is_empty()).then_some(batches)
}

/// The whole records of some bytes that start anywhere in a file, if there are any.
fn stretch(mut bytes: Vec<u8>, offset: u64, head: &Batch, gap: Gap) -> Option<Batch> {
    let mut start = 0;
    let mut is_first = true;
    loop {
        let length = memchr(b'\n', &bytes[start..])? + 1;
        let line = &bytes[start..start + length];
        start += length;
        // The first line may be the rest of one.
        if gap == Gap::LineEnd || !is_first && gap.is(line) {
            break;
        }
        is_first = false;
    }
    bytes.drain(..start);
    let cursor =
        Cursor { phase: if gap == Gap::LineEnd { Phase::Records } else { Phase::Gap }, ..Cursor::START };
    let cut = head.format.cut(&mut cursor.clone(), &bytes, TextEnd::More);
    bytes.truncate(cut.length + cut.ahead);
    let offset = offset + start as u64;
    let info =
        SourceInfo { name: format!("{} from byte {offset}", head.source.name), ..(*head.source).clone() };
    (cut.records > 0).then(|| Batch {
        source: Arc::new(info),
        bytes,
        position: Position { offset, line: 1, records: 0, cursor },
        records: cut.records,
        ahead: cut.ahead,
        format: Arc::clone(&head.format),
        carried: Arc::clone(&head.carried),
    })
}
