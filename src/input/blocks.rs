//! Cuts the text of a source into blocks of whole units.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::InputError;
use super::reader::{State, TextEnd, TextReader};
use super::stream::Stream;

/// A text that is handed out in blocks, one after another.
pub(super) struct Blocks {
    pub stream: Stream,
    pub reader: Arc<dyn TextReader>,
    /// The state after everything handed out so far.
    pub state: State,
    /// Whether something was handed out but the last block of the text is still to come.
    owes_last: bool,
}

impl Blocks {
    /// Prepares to cut a stream into blocks for `reader`.
    pub fn new(mut stream: Stream, reader: Arc<dyn TextReader>) -> Self {
        if reader.dialect().framing.begins_lines() {
            stream.cut_long_lines();
        }
        Self { stream, reader, state: State::default(), owes_last: false }
    }

    /// Replaces `bytes` with the next block, of about `target` bytes. Returns the state before the block and whether
    /// the block ends the text; `None` at the end, or if nothing more can be read.
    ///
    /// The last block of a text is marked as such; it is empty if everything had already been handed out. A block
    /// exceeds `target` only if its first unit does. It may be smaller if the input pauses. `found` is the number of
    /// records found so far; `name` is the input's name in messages.
    pub fn next(
        &mut self,
        bytes: &mut Vec<u8>,
        target: usize,
        found: &AtomicU64,
        name: &str,
    ) -> Result<Option<(State, bool)>, InputError> {
        bytes.clear();
        bytes.shrink_to(target.saturating_mul(2));
        let state = self.state.clone();
        loop {
            self.stream.check(found.load(Ordering::Relaxed), name)?;
            // Doubling the size means that the start of a long unit is scanned only a few times.
            let wanted = target.max(2 * bytes.len()).max(1);
            let end = self.stream.fill(bytes, wanted);
            let length = self.reader.frame(&mut self.state, bytes, end);
            let is_last = end == TextEnd::Last && length == bytes.len();
            let is_block = length > 0 || is_last && self.owes_last;
            if is_block {
                self.stream.take_back(&bytes[length..]);
                bytes.truncate(length);
                self.owes_last = !is_last;
            }
            if is_block || end != TextEnd::More {
                return Ok(is_block.then_some((state, is_last)));
            }
        }
    }
}
