//! The bytes of an input as text: decompressed, in UTF-8, without a byte-order mark, and with over-long lines cut.
//!
//! UTF-16 is converted to UTF-8 (`unicode`); text in any other encoding is left unchanged. If lines end only with
//! carriage returns, these become line feeds.
//!
//! gzip and zstd are recognized by their magic bytes, and all members and frames are read. Zeros between and after gzip
//! members count as padding, as on tapes. Lines longer than [`MAX_LINE`] are cut to exactly `MAX_LINE + 1` bytes, so
//! readers can recognize them without storing them. If the data is damaged, the stream ends after the last good bytes.
//! If an input pauses, a call returns as soon as there is something to hand out. For gzip data, pauses are ignored.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::time::Duration;

use flate2::bufread::GzDecoder;
use memchr::{memchr, memrchr};

use super::hash::{Hash, Hashing};
use super::reader::TextEnd;
use super::unicode::{Utf16, encoding};
use super::{InputError, MAX_LINE};

/// The number of bytes needed to recognize UTF-16 and binary formats.
const FIRST: usize = 8;

/// The number of bytes to request at a time from a plain or zstd input; at most `MAX_LINE`, see [`Stream::shorten`].
const BLOCK: usize = 64 << 10;

/// The size of the buffer between the input and a decoder. It is smaller than a block, so blocks of a plain input
/// bypass the buffer.
const BUFFER: usize = 16 << 10;

/// The number of bytes to request at a time from a gzip input. When the decoder hits damage, it discards the output of
/// the current call, so calls are kept small.
const GZIP_BLOCK: usize = 4 << 10;

/// Compressed data counts as a bomb if its text since the last record is longer than this ...
const BARREN_TEXT: u64 = 1 << 30;

/// ... and more than this many times as long as the data. A list of identical puzzles compresses just as well, but it
/// has records.
const BARREN_RATIO: u64 = 100;

/// How long an input may pause before the text received so far is handed out.
const PAUSE: Duration = Duration::from_millis(30);

/// Waits for a limited time until a read would not block, and returns whether that is now the case.
pub(super) type Ready = Box<dyn Fn(Duration) -> bool + Send>;

/// The bytes of an input, unchanged.
pub(super) struct Raw {
    reader: Box<dyn Read + Send>,
    /// The function that waits until there is input; `None` if the input never blocks.
    ready: Option<Ready>,
    /// How long a read may block; `None` if there is no limit.
    patience: Option<Duration>,
}

impl Raw {
    /// Wraps a reader that is always ready.
    pub fn of(reader: impl Read + Send + 'static) -> Self {
        Self::with_pauses(reader, None)
    }

    /// Wraps a reader that may pause.
    pub fn with_pauses(reader: impl Read + Send + 'static, ready: Option<Ready>) -> Self {
        Self { reader: Box::new(reader), ready, patience: None }
    }
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let (Some(ready), Some(patience)) = (&self.ready, self.patience)
            && !ready(patience)
        {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.reader.read(buffer)
    }
}

/// Returns whether an error is a pause reported by [`Raw`]; operating system errors have a number.
fn is_pause(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock && error.raw_os_error().is_none()
}

/// An input with the bytes that were read earlier, and the buffer between it and its decoder.
type Buffered = BufReader<Chain<Cursor<Vec<u8>>, Hashing<Raw>>>;

/// The decoder's error for bytes that do not begin a member.
const NO_GZIP: &str = "invalid gzip header";

/// The members of a gzip input one after another, possibly with zeros between and after them.
struct GzipMembers(Option<GzDecoder<Buffered>>);

impl GzipMembers {
    fn decoder(&mut self) -> &mut GzDecoder<Buffered> {
        self.0.as_mut().expect("it is away only while `read` changes it")
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let decoder = self.decoder();
            let n = decoder.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            // The member has ended.
            let raw = decoder.get_mut();
            while raw.fill_buf()?.first() == Some(&0) {
                raw.consume(1);
            }
            match raw.fill_buf()?.first() {
                None => return Ok(0),
                Some(0x1f) => self.0 = self.0.take().map(|decoder| GzDecoder::new(decoder.into_inner())),
                // If too few bytes are left, the decoder would take them for a header that is cut off.
                Some(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, NO_GZIP)),
            }
        }
    }
}

enum Decoder {
    Plain(Buffered),
    Gzip(GzipMembers),
    Zstd(zstd::Decoder<'static, Buffered>),
}

impl Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(buffer),
            Self::Gzip(members) => members.read(buffer),
            Self::Zstd(decoder) => decoder.read(buffer),
        }
    }

    fn raw(&mut self) -> &mut Buffered {
        match self {
            Self::Plain(reader) => reader,
            Self::Gzip(members) => members.decoder().get_mut(),
            Self::Zstd(decoder) => decoder.get_mut(),
        }
    }

    /// Sets how long a read may block.
    fn wait(&mut self, patience: Option<Duration>) {
        self.raw().get_mut().get_mut().1.reader.patience = patience;
    }

    const fn compression(&self) -> Option<&'static str> {
        match self {
            Self::Plain(_) => None,
            Self::Gzip(_) => Some("gzip"),
            Self::Zstd(_) => Some("zstd"),
        }
    }
}

/// The text of one input.
pub(super) struct Stream {
    decoder: Decoder,
    hash: Hash,
    /// The converter to UTF-8, if the text has another encoding.
    utf16: Option<Utf16>,
    /// Whether the input began with a byte-order mark, which is not part of the text.
    pub has_mark: bool,
    /// Whether lines end with carriage returns, which are turned into line feeds; `None` until some text has been
    /// examined.
    returns: Option<bool>,
    /// Text that was examined or given back; everything after the first `taken` bytes is still to be handed out.
    ahead: Vec<u8>,
    taken: usize,
    /// Whether the last look ended with a pause.
    paused: bool,
    /// The number of decompressed bytes.
    decompressed: u64,
    /// The number of bytes in the current line; `None` if lines may have any length.
    line_length: Option<usize>,
    end: TextEnd,
    failure: Option<io::Error>,
    /// The number of records at the last check that saw a new one, and how much input and text had been read by then.
    at_record: (u64, u64, u64),
}

/// The amount of text seen when looking ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeenText {
    /// As much as was requested.
    Enough,
    /// The text available so far.
    Pause,
    /// All of the text.
    All,
}

impl Stream {
    /// Starts to read; fails only if not even the first bytes can be read.
    pub fn new(raw: Raw, hash: &Hash) -> io::Result<Self> {
        let mut reader = hash.watch(raw);
        let mut magic = Vec::new();
        (&mut reader).take(4).read_to_end(&mut magic)?;
        let is_gzip = magic.starts_with(b"\x1f\x8b");
        let is_zstd = matches!(magic[..], [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18]);
        if is_gzip {
            // The gzip decoder waits for more input before it hands out everything it has decoded.
            reader.reader.ready = None;
        }
        let raw_bytes = BufReader::with_capacity(BUFFER, Cursor::new(magic).chain(reader));
        let decoder = if is_gzip {
            Decoder::Gzip(GzipMembers(Some(GzDecoder::new(raw_bytes))))
        } else if is_zstd {
            // The decoder accepts windows of up to 128 MiB and refuses larger ones.
            Decoder::Zstd(zstd::Decoder::with_buffer(raw_bytes)?)
        } else {
            Decoder::Plain(raw_bytes)
        };
        let mut stream = Self::of(decoder, hash);
        let (utf16, mark) = encoding(stream.start());
        stream.ahead.drain(..mark);
        stream.has_mark = mark > 0;
        if let Some(mut utf16) = utf16 {
            let bytes = std::mem::take(&mut stream.ahead);
            utf16.decode(&bytes, stream.end != TextEnd::More, &mut stream.ahead);
            stream.utf16 = Some(utf16);
        }
        Ok(stream)
    }

    /// Reads bytes unchanged, whatever they look like.
    #[cfg(feature = "parquet")]
    pub fn plain(raw: Raw, hash: &Hash) -> Self {
        let raw_bytes = BufReader::with_capacity(BUFFER, Cursor::default().chain(hash.watch(raw)));
        Self { returns: Some(false), ..Self::of(Decoder::Plain(raw_bytes), hash) }
    }

    fn of(decoder: Decoder, hash: &Hash) -> Self {
        Self {
            decoder,
            hash: hash.clone(),
            utf16: None,
            has_mark: false,
            returns: None,
            ahead: Vec::new(),
            taken: 0,
            paused: false,
            decompressed: 0,
            line_length: None,
            end: TextEnd::More,
            failure: None,
            at_record: (0, 0, 0),
        }
    }

    /// Returns the first eight bytes, or more if more were examined; fewer if the input is shorter.
    pub fn start(&mut self) -> &[u8] {
        let mut start = std::mem::take(&mut self.ahead);
        while start.len() < FIRST && self.end == TextEnd::More {
            let wanted = FIRST - start.len();
            let read = self.read_text(&mut start, wanted);
            self.note_end(read);
        }
        self.ahead = start;
        &self.ahead
    }

    /// Cuts over-long lines in the text that is still to be handed out.
    pub fn cut_long_lines(&mut self) {
        self.line_length = Some(length_of_line(&self.ahead, 0));
    }

    /// Fails if the text since the last record is a decompression bomb; `found` is the number of records found so far.
    pub fn check(&mut self, found: u64, name: &str) -> Result<(), InputError> {
        let (raw, text) = (self.raw_position(), self.decompressed);
        if found != self.at_record.0 {
            self.at_record = (found, raw, text);
        }
        let (raw, text) = (raw - self.at_record.1, text - self.at_record.2);
        match self.decoder.compression() {
            Some(compression) if text > BARREN_TEXT && text / BARREN_RATIO > raw => {
                let data = format!("{raw} bytes of {compression} data: a decompression bomb?");
                let what = format!("{text} bytes of text without a record, out of {data}");
                Err(InputError::Untrusted { name: name.to_owned(), what })
            }
            _ => Ok(()),
        }
    }

    /// Returns about `length` bytes of text without consuming them; fewer if the text ends or pauses first. Looking
    /// again after a pause waits for more. The first look that is not cut short by a pause detects how lines end.
    pub fn look(&mut self, length: usize) -> (&[u8], SeenText) {
        let mut ahead = std::mem::take(&mut self.ahead);
        let has_some = !self.paused && !ahead.is_empty();
        self.paused = self.fill_from_decoder(&mut ahead, length, has_some);
        let seen = match self.end {
            TextEnd::More if self.paused => SeenText::Pause,
            TextEnd::More => SeenText::Enough,
            TextEnd::Last | TextEnd::Cut => SeenText::All,
        };
        if self.returns.is_none() && (seen != SeenText::Pause || memchr(b'\n', &ahead).is_some()) {
            // A carriage return at the very end may be the first half of a line end.
            let known = ahead.len() - usize::from(seen != SeenText::All && !ahead.is_empty());
            let returns = memchr(b'\n', &ahead).is_none() && memchr(b'\r', &ahead[..known]).is_some();
            self.returns = Some(returns);
            if returns {
                line_feeds(&mut ahead);
            }
        }
        self.ahead = ahead;
        (&self.ahead, seen)
    }

    /// Appends text until the buffer holds `length` bytes or the text ends or pauses. The buffer can hold less if a
    /// line of many megabytes is being dropped. Waits for at least some text. Returns what comes next.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, length: usize) -> TextEnd {
        let rest = &self.ahead[self.taken..];
        let n = length.saturating_sub(buffer.len()).min(rest.len());
        buffer.extend_from_slice(&rest[..n]);
        if n < rest.len() {
            self.taken += n;
            return TextEnd::More;
        }
        self.ahead.clear();
        self.taken = 0;
        self.fill_from_decoder(buffer, length, n > 0);
        self.end
    }

    /// Takes back the end of the text that was handed out last, so that it is handed out again.
    pub fn take_back(&mut self, text: &[u8]) {
        self.ahead.splice(..self.taken, text.iter().copied());
        self.taken = 0;
    }

    /// Fills the buffer and returns whether a pause ended that early. A pause ends it only once some text is available;
    /// `has_some` says whether there was any at the start.
    fn fill_from_decoder(&mut self, buffer: &mut Vec<u8>, length: usize, mut has_some: bool) -> bool {
        let block = if matches!(self.decoder, Decoder::Gzip(_)) { GZIP_BLOCK } else { BLOCK };
        let (mut dropped, mut pauses) = (0, false);
        while buffer.len() < length && self.end == TextEnd::More && dropped < MAX_LINE && !pauses {
            self.decoder.wait(has_some.then_some(PAUSE));
            let start = buffer.len();
            let read = self.read_text(buffer, block.min(length - start));
            has_some |= buffer.len() > start;
            dropped += self.shorten(buffer, start);
            pauses = has_some && read.as_ref().is_err_and(is_pause);
            if !pauses {
                self.note_end(read);
            }
        }
        pauses
    }

    /// Notes whether reading has ended or failed.
    fn note_end(&mut self, read: io::Result<usize>) {
        match read {
            Ok(0) => self.end = TextEnd::Last,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                self.end = TextEnd::Cut;
                self.failure = Some(error);
            }
        }
    }

    /// Reads more bytes and appends them as text, about `most` bytes of it; returns the number of bytes read.
    fn read_text(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<usize> {
        let start = buffer.len();
        let read = if let Some(utf16) = &mut self.utf16 {
            // Two bytes of UTF-16 become at most three bytes of UTF-8.
            let mut bytes = vec![0; (most / 2).max(2)];
            let read = self.decoder.read(&mut bytes);
            if let Ok(n) = read {
                utf16.decode(&bytes[..n], n == 0, buffer);
            }
            read
        } else {
            buffer.resize(start + most, 0);
            let read = self.decoder.read(&mut buffer[start..]);
            buffer.truncate(start + read.as_ref().map_or(0, |&n| n));
            read
        };
        self.decompressed += read.as_ref().map_or(0, |&n| n as u64);
        if self.returns == Some(true) {
            line_feeds(&mut buffer[start..]);
        }
        read
    }

    /// Drops everything from `start` on that would make the current line longer than `MAX_LINE + 1` bytes; returns the
    /// number of bytes dropped. The text is at most one block, so no line after the first can be too long.
    fn shorten(&mut self, buffer: &mut Vec<u8>, start: usize) -> usize {
        let Some(before) = self.line_length else { return 0 };
        let first = memchr(b'\n', &buffer[start..]).unwrap_or(buffer.len() - start);
        let kept = first.min((MAX_LINE + 1).saturating_sub(before));
        buffer.drain(start + kept..start + first);
        self.line_length = Some(length_of_line(&buffer[start..], before));
        first - kept
    }

    /// Returns the name of the text's encoding if it is being converted to UTF-8.
    pub fn encoding(&self) -> Option<&'static str> {
        self.utf16.as_ref().map(Utf16::name)
    }

    /// Returns the name of the compression, if there is one.
    pub const fn compression(&self) -> Option<&'static str> {
        self.decoder.compression()
    }

    /// Returns the number of bytes of the raw input read so far.
    pub fn raw_position(&self) -> u64 {
        self.hash.bytes()
    }

    /// Returns the error that ended the stream, the first time it is called.
    pub fn take_failure(&mut self, name: &str) -> Option<InputError> {
        let source = self.failure.take()?;
        let name = name.to_owned();
        let offset = self.raw_position() - self.decoder.raw().buffer().len() as u64;
        // The decoders make their own errors; only operating system errors have a number.
        let Some(compression) = self.decoder.compression().filter(|_| source.raw_os_error().is_none()) else {
            return Some(InputError::Read { name, offset, source });
        };
        let mut reason = source.to_string();
        if reason.contains("requires too much memory") {
            let what = format!(
                "{compression} data at byte {offset} that needs more than 128 MiB of memory to decompress"
            );
            return Some(InputError::Untrusted { name, what });
        }
        if source.kind() == io::ErrorKind::UnexpectedEof {
            "the data ends too early (truncated file?)".clone_into(&mut reason);
        } else if reason == NO_GZIP && self.decompressed > 0 {
            "what follows the end of a gzip member is not gzip data (trailing garbage?)"
                .clone_into(&mut reason);
        }
        let text = self.decompressed;
        let what = format!("{compression} data at byte {offset}, {text} bytes into the text: {reason}");
        Some(InputError::Damaged { name, what })
    }
}

/// Returns the length of the current line after some text; `before` is its length before that text.
fn length_of_line(text: &[u8], before: usize) -> usize {
    memrchr(b'\n', text).map_or(before + text.len(), |last| text.len() - last - 1)
}

/// Turns carriage returns into line feeds.
fn line_feeds(text: &mut [u8]) {
    text.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
}

/// Reads the bytes unchanged, for binary formats: lines are not cut, and a pause does not end a call.
impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ahead = (&self.ahead[self.taken..]).read(buffer)?;
        self.taken += ahead;
        if ahead > 0 || buffer.is_empty() {
            return Ok(ahead);
        }
        self.decoder.wait(None);
        let read = self.decoder.read(buffer).inspect(|&n| self.decompressed += n as u64);
        read.map_err(|error| {
            // The stream keeps the original error, and the caller gets a copy.
            let copy = io::Error::new(error.kind(), error.to_string());
            if error.kind() != io::ErrorKind::Interrupted {
                self.failure = Some(error);
            }
            copy
        })
    }
}
