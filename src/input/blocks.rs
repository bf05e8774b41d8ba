//! The text of a source, cut into blocks of whole units.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::InputError;
use super::reader::{State, TextEnd, TextReader};
use super::stream::Stream;

/// The blocks of one text, one after the other.
pub(super) struct Blocks {
    pub stream: Stream,
    pub reader: Arc<dyn TextReader>,
    /// What is behind all that was handed out.
    pub state: State,
    /// Whether something was handed out, and not yet the block with which the text ends.
    owes_last: bool,
    /// Whether everything handed out is white space.
    pub is_blank: bool,
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
    /// Cuts a stream for its reader.
    pub fn new(mut stream: Stream, reader: Arc<dyn TextReader>) -> Self {
        if reader.dialect().framing.begins_lines() {
            stream.cut_long_lines();
        }
        Self { stream, reader, state: State::default(), owes_last: false, is_blank: true }
    }

    /// The next block, of about `target` bytes; `None` at the end, and where nothing more can be read.
    ///
    /// A text ends with a block that is its last; if what was before was all, that one is empty. A block is larger only
    /// if its first unit is, and smaller where an input pauses. `found` counts the records that tasks find, and `name` is
    /// what messages call the input.
    pub fn next(
        &mut self,
        mut bytes: Vec<u8>,
        target: usize,
        found: &AtomicU64,
        name: &str,
    ) -> Result<Option<TextBlock>, InputError> {
        bytes.clear();
        bytes.shrink_to(target.saturating_mul(2));
        let state = self.state.clone();
        loop {
            self.stream.check(found.load(Ordering::Relaxed), name)?;
            // Doubling looks at the start of a long unit only so many times.
            let wanted = target.max(2 * bytes.len()).max(1);
            let end = self.stream.fill(&mut bytes, wanted);
            let length = self.reader.frame(&mut self.state, &bytes, end);
            let is_last = end == TextEnd::Last && length == bytes.len();
            let is_block = length > 0 || is_last && self.owes_last;
            if is_block {
                self.stream.take_back(&bytes[length..]);
                bytes.truncate(length);
                self.owes_last = !is_last;
            }
            if is_block || end != TextEnd::More {
                self.is_blank = self.is_blank && bytes.trim_ascii().is_empty();
                return Ok(is_block.then_some(TextBlock { bytes, state, is_last }));
            }
        }
    }
}
