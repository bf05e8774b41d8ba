//! A sample of an input that may be too long to read completely: just its start, or all of it if it is short.

use super::source::Source;
use super::{Batch, InputError, Look};

/// The number of bytes to request at a time.
const STEP: usize = 64 << 10;

/// The size of a sample in bytes.
const MOST: u64 = 1 << 20;

/// The size of the largest file that is read completely, because that takes hardly longer.
const WHOLE: u64 = 2 << 20;

/// The records at the start of an input.
#[derive(Debug, Default)]
pub struct InputSample {
    /// The batches, in order.
    pub batches: Vec<Batch>,
    /// Whether the batches cover the whole input.
    pub is_whole: bool,
    /// The number of input bytes that the sample covers; compressed bytes if the input is compressed.
    pub bytes: u64,
    /// The error that ended the sample, if there was one.
    pub error: Option<InputError>,
}

impl Source {
    /// Reads the first MiB, or all of a file of up to 2 MiB. The source must not be read afterwards.
    pub fn sample(&mut self) -> InputSample {
        let is_compressed = self.info().compressed;
        let is_short = !is_compressed && self.info().size.is_some_and(|size| size <= WHOLE);
        let most = if is_short { WHOLE } else { MOST };
        let mut sample = InputSample::default();
        while sample.bytes < most && !sample.is_whole && sample.error.is_none() {
            match self.next_batch(Vec::new(), STEP) {
                Ok(Some(batch)) => {
                    sample.bytes += batch.size();
                    sample.batches.push(batch);
                }
                Ok(None) => sample.is_whole = true,
                Err(error) => sample.error = Some(error),
            }
        }
        // In these cases, the batches' sizes do not say how much of the input was read.
        let Look { encoding, dialect, .. } = self.look();
        if sample.is_whole || is_compressed || encoding.is_some() || dialect.framing.is_binary() {
            sample.bytes = self.raw_position();
        }
        sample
    }
}
