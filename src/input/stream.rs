//! The bytes of an input as text: decompressed, without a byte-order mark, without the rest of
//! over-long lines.
//!
//! gzip and zstd are told by their magic bytes and read through all members and frames. Of a line
//! longer than [`MAX_LINE`] exactly `MAX_LINE + 1` bytes come out, so that a reader can tell it was
//! too long and nobody has to keep it. Damage ends the stream after the bytes before it.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use memchr::{memchr, memrchr};

use super::chunk::End;
use super::{InputError, MAX_LINE};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes asked of a plain or zstd input at once; at most `MAX_LINE`, see [`Stream::shorten`].
const BLOCK: usize = 64 << 10;

/// Bytes of the buffer between the input and a decoder; less than a block, so that blocks of a plain
/// input pass by it.
const BUFFER: usize = 16 << 10;

/// Bytes asked of a gzip input at once. The decoder drops what it wrote in the call in which it meets
/// damage, so a call is kept short.
const GZIP_BLOCK: usize = 4 << 10;

/// Bytes of over-long lines dropped by one [`Stream::fill`] before it returns with what it has.
const DROPPED_AT_ONCE: usize = 4 * MAX_LINE;

type Raw = BufReader<Chain<Cursor<Vec<u8>>, Counted>>;

/// A reader that counts what is read through it.
struct Counted {
    reader: Box<dyn Read + Send>,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

enum Decoder {
    Plain(Raw),
    Gzip(MultiGzDecoder<Raw>),
    Zstd(zstd::Decoder<'static, Raw>),
}

impl Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(buffer),
            Self::Gzip(decoder) => decoder.read(buffer),
            Self::Zstd(decoder) => decoder.read(buffer),
        }
    }

    fn raw(&self) -> &Raw {
        match self {
            Self::Plain(reader) => reader,
            Self::Gzip(decoder) => decoder.get_ref(),
            Self::Zstd(decoder) => decoder.get_ref(),
        }
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
    count: Arc<AtomicU64>,
    /// Text that was looked at and is still to be handed out.
    ahead: Cursor<Vec<u8>>,
    /// Bytes that came out of the decoder.
    decompressed: u64,
    /// Bytes of the line in progress.
    line_length: usize,
    end: End,
    failure: Option<io::Error>,
}

impl Stream {
    /// Starts to read; fails only if not even the first bytes can be read.
    pub fn new(mut reader: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut magic = Vec::new();
        (&mut *reader).take(4).read_to_end(&mut magic)?;
        let count = Arc::new(AtomicU64::new(magic.len() as u64));
        let is_gzip = magic.starts_with(b"\x1f\x8b");
        let is_zstd = matches!(magic[..], [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18]);
        let counted = Counted { reader, count: Arc::clone(&count) };
        let raw = BufReader::with_capacity(BUFFER, Cursor::new(magic).chain(counted));
        let decoder = if is_gzip {
            Decoder::Gzip(MultiGzDecoder::new(raw))
        } else if is_zstd {
            Decoder::Zstd(zstd::Decoder::with_buffer(raw)?)
        } else {
            Decoder::Plain(raw)
        };
        let mut stream = Self {
            decoder,
            count,
            ahead: Cursor::default(),
            decompressed: 0,
            line_length: 0,
            end: End::More,
            failure: None,
        };
        stream.look(BYTE_ORDER_MARK.len());
        if stream.ahead.get_ref().starts_with(BYTE_ORDER_MARK) {
            stream.ahead.get_mut().drain(..BYTE_ORDER_MARK.len());
        }
        Ok(stream)
    }

    /// Shows about `length` bytes of text that stay to be read, fewer if the text ends before, and
    /// whether that is all there is.
    pub fn look(&mut self, length: usize) -> (&[u8], bool) {
        let mut ahead = std::mem::take(self.ahead.get_mut());
        self.fill_from_decoder(&mut ahead, length);
        *self.ahead.get_mut() = ahead;
        (self.ahead.get_ref(), self.end != End::More)
    }

    /// Appends text until `buffer` holds `length` bytes or the text ends; less if a line of many
    /// megabytes is being dropped. Says what follows.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, length: usize) -> End {
        let wanted = length.saturating_sub(buffer.len());
        let rest = self.ahead.fill_buf().expect("a cursor over memory does not fail");
        let n = wanted.min(rest.len());
        buffer.extend_from_slice(&rest[..n]);
        if n < rest.len() {
            self.ahead.consume(n);
            return End::More;
        }
        self.ahead = Cursor::default();
        self.fill_from_decoder(buffer, length);
        self.end
    }

    fn fill_from_decoder(&mut self, buffer: &mut Vec<u8>, length: usize) {
        let block = if matches!(self.decoder, Decoder::Gzip(_)) { GZIP_BLOCK } else { BLOCK };
        let mut dropped = 0;
        while buffer.len() < length && self.end == End::More && dropped < DROPPED_AT_ONCE {
            let start = buffer.len();
            buffer.resize(start + block.min(length - start), 0);
            match self.decoder.read(&mut buffer[start..]) {
                Ok(n) => {
                    buffer.truncate(start + n);
                    self.decompressed += n as u64;
                    self.shorten(buffer, start);
                    dropped += start + n - buffer.len();
                    if n == 0 {
                        self.end = End::Last;
                    }
                }
                Err(error) => {
                    buffer.truncate(start);
                    if error.kind() != io::ErrorKind::Interrupted {
                        self.end = End::Damaged;
                        self.failure = Some(error);
                    }
                }
            }
        }
    }

    /// Drops what makes the line in progress longer than `MAX_LINE + 1` bytes from the text appended
    /// at `start`. Since that is no more than a block, no line after the first can be too long.
    fn shorten(&mut self, buffer: &mut Vec<u8>, start: usize) {
        let new = &buffer[start..];
        let first = memchr(b'\n', new).unwrap_or(new.len());
        let kept = first.min((MAX_LINE + 1).saturating_sub(self.line_length));
        buffer.drain(start + kept..start + first);
        let new = &buffer[start..];
        self.line_length = match memrchr(b'\n', new) {
            Some(last) => new.len() - last - 1,
            None => self.line_length + new.len(),
        };
    }

    /// Whether what is read is decompressed.
    pub const fn is_compressed(&self) -> bool {
        self.decoder.compression().is_some()
    }

    /// Bytes of the raw input taken in so far.
    pub fn raw_position(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The failure that ended the stream, once.
    pub fn take_failure(&mut self, name: &str) -> Option<InputError> {
        let source = self.failure.take()?;
        let name = name.to_owned();
        let offset = self.raw_position() - self.decoder.raw().buffer().len() as u64;
        // The decoders make their errors up; only the system's own have a number.
        let Some(compression) = self.decoder.compression().filter(|_| source.raw_os_error().is_none()) else {
            return Some(InputError::Read { name, offset, source });
        };
        let reason = match source.kind() {
            io::ErrorKind::UnexpectedEof => "the data ends too early (truncated file?)".to_owned(),
            _ if source.to_string() == "invalid gzip header" && self.decompressed > 0 => {
                "what follows the end of a gzip member is no gzip data (trailing garbage?)".to_owned()
            }
            _ => source.to_string(),
        };
        Some(InputError::Damaged { name, compression, offset, decompressed: self.decompressed, reason })
    }
}
