//! The reader of a run: it cuts the sources into batches, in order, and checks that a resumed run reads the same text.

use std::sync::Arc;

use super::numbering::{Numbering, Ticket};
use super::terms::{RunOptions, TextRead};
use crate::input::{Batch, Fingerprint, InputError, Source, SourceInfo, fingerprint};

/// The size in bytes of the first and last batches. They are small so that all threads start and finish together.
const SMALL_BATCH_BYTES: usize = 32 << 10;

/// The settings that determine the sizes of batches.
#[derive(Clone, Copy)]
struct BatchSizes {
    threads: usize,
    most: usize,
}

impl BatchSizes {
    /// Returns the size in bytes of the next batch when `read` bytes have been read and `left` bytes (if known) remain.
    /// It is a fraction of each thread's share, within bounds.
    fn next(self, read: u64, left: Option<u64>) -> usize {
        let amount = left.map_or(read, |left| left.min(read));
        let share = usize::try_from(amount / (4 * self.threads as u64)).unwrap_or(usize::MAX);
        share.max(SMALL_BATCH_BYTES).min(self.most)
    }
}

/// An item that the reader produces, in order.
#[allow(clippy::large_enum_variant, reason = "few are under way")]
pub(super) enum BatchFound {
    Batch {
        batch: Batch,
        ticket: Ticket,
        /// The text that precedes the batch.
        read: TextRead,
        /// The number of bytes read so far across all files, as stored on disk.
        raw_position: u64,
    },
    SourceEnded(SourceEnd),
}

/// The end of a source.
pub(super) struct SourceEnd {
    pub(super) notes: Vec<String>,
    pub(super) error: Option<InputError>,
    /// The error to report if the source has no records.
    pub(super) without_records: Option<InputError>,
}

/// A reader that cuts the sources into batches.
pub(super) struct BatchReader {
    sources: std::vec::IntoIter<Source>,
    current: Option<Source>,
    /// The number of sources started so far.
    started: usize,
    /// The source of the previous batch.
    last: Option<Arc<SourceInfo>>,
    sizes: BatchSizes,
    /// The total number of bytes in all inputs, if known.
    total: Option<u64>,
    numbering: Numbering,
    raw_before: u64,
    text_read: u64,
    /// The fingerprint of the current source's text so far, if it is needed.
    fingerprint: Option<Fingerprint>,
    /// The number of bytes of the current source's text so far.
    bytes: u64,
    /// The text that an earlier run read; `None` once it has been checked.
    earlier: Option<TextRead>,
}

impl BatchReader {
    pub(super) fn new(sources: Vec<Source>, options: &RunOptions) -> Self {
        let earlier = (options.before.records > 0).then_some(options.before.read);
        Self {
            total: sources.iter().map(|source| source.info().size).sum(),
            sources: sources.into_iter(),
            current: None,
            started: 0,
            last: None,
            sizes: BatchSizes { threads: options.threads.get(), most: options.batch_bytes },
            numbering: Numbering::default(),
            raw_before: 0,
            text_read: 0,
            fingerprint: (options.resumable || earlier.is_some()).then(fingerprint),
            bytes: 0,
            earlier,
        }
    }

    pub(super) fn read(&mut self, buffer: Vec<u8>) -> Option<BatchFound> {
        if self.current.is_none() {
            self.current = Some(self.sources.next()?);
            self.started += 1;
            self.bytes = 0;
            self.fingerprint = self.fingerprint.as_ref().map(|_| fingerprint());
        }
        let source = self.current.as_mut()?;
        let left = self.total.map(|total| total.saturating_sub(self.raw_before + source.raw_position()));
        let mut error = match source.next_batch(buffer, self.sizes.next(self.text_read, left)) {
            Ok(Some(batch)) => {
                let raw_position = self.raw_before + source.raw_position();
                self.text_read += batch.size();
                let fingerprint = self.fingerprint.as_ref().map_or(0, Fingerprint::finish);
                let read = TextRead { source: self.started - 1, bytes: self.bytes, fingerprint };
                if self.is_as_before(&batch.bytes) {
                    // A sample can come from several places in one file, and records are counted separately for each
                    // place.
                    let is_first = !self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, &batch.source));
                    self.last = Some(Arc::clone(&batch.source));
                    let ticket = self.numbering.ticket(is_first);
                    return Some(BatchFound::Batch { batch, ticket, read, raw_position });
                }
                Some(changed(&batch.source))
            }
            Ok(None) => None,
            Err(error) => Some(error),
        };
        let source = self.current.take()?;
        let is_short = self.earlier.is_some_and(|earlier| earlier.source + 1 == self.started);
        if error.is_none() && is_short {
            error = Some(changed(source.info()));
        }
        if is_short || error.is_some() && self.earlier.is_some() {
            // The records that follow may already have been answered by the earlier run.
            self.sources = Vec::new().into_iter();
        }
        self.raw_before += source.raw_position();
        let (notes, without_records) = (source.notes().to_vec(), source.without_records());
        Some(BatchFound::SourceEnded(SourceEnd { notes, error, without_records }))
    }

    /// Adds the text of a batch. Returns false if an earlier run read different text.
    fn is_as_before(&mut self, text: &[u8]) -> bool {
        let Some(fingerprint) = &mut self.fingerprint else { return true };
        let mut rest = text;
        if let Some(earlier) = self.earlier.filter(|earlier| earlier.source + 1 == self.started)
            && let Ok(missing) = usize::try_from(earlier.bytes - self.bytes)
            && missing <= text.len()
        {
            let (before, after) = text.split_at(missing);
            fingerprint.write(before);
            if fingerprint.finish() != earlier.fingerprint {
                return false;
            }
            (self.earlier, rest) = (None, after);
        }
        fingerprint.write(rest);
        self.bytes += text.len() as u64;
        true
    }
}

/// Returns the error for a source whose text differs from what the earlier run read.
fn changed(source: &SourceInfo) -> InputError {
    let what = "is not what the earlier run read; nothing was added to its rows".to_owned();
    InputError::Unreadable { name: source.name.clone(), what }
}

#[cfg(test)]
mod tests {
    use super::super::terms::BATCH_BYTES;
    use super::*;

    #[test]
    fn batches_are_small_at_both_ends_and_bounded_between() {
        let sizes = BatchSizes { threads: 2, most: BATCH_BYTES };
        assert_eq!(sizes.next(0, None), SMALL_BATCH_BYTES);
        assert_eq!(sizes.next(1 << 20, None), 128 << 10);
        assert_eq!(sizes.next(u64::MAX, None), BATCH_BYTES);
        assert_eq!(sizes.next(u64::MAX, Some(1 << 20)), 128 << 10);
        assert_eq!(sizes.next(u64::MAX, Some(1)), SMALL_BATCH_BYTES);
        assert_eq!(BatchSizes { threads: 2, most: 7 }.next(1 << 30, None), 7);
    }
}
