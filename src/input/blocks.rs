//! The text of a source, cut into blocks of whole units.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::InputError;
use super::reader::{State, TextEnd, TextReader};
use super::stream::Stream;

/// The blocks of one text, one after the other.
pub(super) struct Blocks {
    stream: Stream,
    reader: Arc<dyn TextReader>,
    /// What is behind all that was handed out.
    state: State,
    /// Whether something was handed out, and not yet the block with which the text ends.
    owes_last: bool,
    /// Whether everything handed out is white space.
    is_blank: bool,
    /// Records that were found of it.
    found: Arc<AtomicU64>,
    /// The same when that was last looked at.
    found_before: u64,
}

/// Some whole units of a text.
pub(super) struct TextBlock {
    pub bytes: Vec<u8>,
    /// What was before them.
    pub state: State,
    /// Whether the text ends with them.
    pub is_last: bool,
}

impl Blocks {
    /// Cuts a stream for its reader; `found` counts the records that tasks find.
    pub fn new(mut stream: Stream, reader: Arc<dyn TextReader>, found: &Arc<AtomicU64>) -> Self {
        if reader.dialect().framing.begins_lines() {
            stream.cut_long_lines();
        }
        Self {
            stream,
            reader,
            state: State::default(),
            owes_last: false,
            is_blank: true,
            found: Arc::clone(found),
            found_before: 0,
        }
    }

    /// The next block, of about `target` bytes; `None` at the end, and where nothing more can be read.
    ///
    /// A text ends with a block that is its last; if what was before was all, that one is empty. A block is larger only
    /// if its first unit is, and smaller where an input pauses. `name` is what messages call the input.
    pub fn next(
        &mut self,
        mut bytes: Vec<u8>,
        target: usize,
        name: &str,
    ) -> Result<Option<TextBlock>, InputError> {
        bytes.truncate(target.saturating_mul(2));
        bytes.shrink_to(target.saturating_mul(2));
        let state = self.state.clone();
        let mut used = 0;
        loop {
            self.check(name)?;
            // Doubling looks at the start of a long unit only so many times.
            let end = self.stream.fill(&mut bytes, used, target.max(2 * used).max(1));
            let length = self.reader.frame(&mut self.state, &bytes, end);
            let is_last = end == TextEnd::Last && length == bytes.len();
            if length > 0 || is_last && self.owes_last {
                self.stream.take_back(&bytes[length..]);
                bytes.truncate(length);
                self.owes_last = !is_last;
                self.is_blank = self.is_blank && bytes.trim_ascii().is_empty();
                return Ok(Some(TextBlock { bytes, state, is_last }));
            }
            if end != TextEnd::More {
                self.is_blank &= bytes.trim_ascii().is_empty();
                return Ok(None);
            }
            used = bytes.len();
        }
    }

    /// Fails if the text since the last record is a bomb.
    fn check(&mut self, name: &str) -> Result<(), InputError> {
        let found = self.found.load(Ordering::Relaxed);
        if found != self.found_before {
            self.found_before = found;
            self.stream.has_records();
        }
        self.stream.bomb(name).map_or(Ok(()), Err)
    }

    /// What reads them.
    pub const fn reader(&self) -> &Arc<dyn TextReader> {
        &self.reader
    }

    /// Whether a text that ends here needs no record.
    pub fn may_be_empty(&self) -> bool {
        self.is_blank || self.reader.may_be_empty(&self.state)
    }

    /// What the text that was handed out leaves behind.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Bytes of the raw input taken in so far.
    pub fn raw_position(&self) -> u64 {
        self.stream.raw_position()
    }

    /// The failure that ended the text, once.
    pub fn take_failure(&mut self, name: &str) -> Option<InputError> {
        self.stream.take_failure(name)
    }
}
