//! `-o FILE.gz` and `-o FILE.zst`: text is compressed on several threads, but their number does not affect the bytes.
//!
//! Each mebibyte of text becomes a separate gzip member or Zstandard frame, and readers concatenate their contents.
//! Each member or frame ends at a line break, so if a run is killed, the file still holds complete rows.

use std::io::{self, Write};
use std::mem;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::encode::{Append, Encode, Form, Output, Piece, Unfit};
use super::in_order::InOrder;
use crate::record::{Page, Schema};

/// The maximum size of the text in a member or frame, unless a single line is longer.
const MEMBER_BYTES: usize = 1 << 20;

/// The format of compressed files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstandard,
}

impl Compression {
    /// Returns the extension of compressed files, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Zstandard => "zst",
        }
    }

    /// Compresses text to a single member or frame that includes a checksum.
    fn member(self, text: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(text)?;
                encoder.finish()
            }
            Self::Zstandard => {
                let mut compressor = zstd::bulk::Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL)?;
                compressor.include_checksum(true)?;
                compressor.compress(text)
            }
        }
    }
}

/// Wraps the encoder of a text format so that its output is compressed, if a compression is given.
pub fn compressed(encoder: Arc<dyn Encode>, compression: Option<Compression>) -> Arc<dyn Encode> {
    match compression {
        Some(compression) => Arc::new(Compressed { encoder, compression }),
        None => encoder,
    }
}

/// A text format whose output is compressed.
struct Compressed {
    encoder: Arc<dyn Encode>,
    compression: Compression,
}

impl Encode for Compressed {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        self.encoder.fits(schema)
    }

    fn keeps_bytes(&self) -> bool {
        self.encoder.keeps_bytes()
    }

    fn form(&self) -> Form {
        Form::Binary
    }

    fn header(&self, schema: &Schema, out: &mut Vec<u8>) {
        self.encoder.header(schema, out);
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        self.encoder.encode(page, out);
    }

    fn writer(&self, schema: &Schema, threads: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        let (compression, writer) = (self.compression, self.encoder.writer(schema, threads)?);
        let compressed = InOrder::new(threads);
        Ok(Box::new(Members { compression, writer, text: Vec::new(), begun: false, compressed }))
    }
}

/// A writer that divides text into members or frames.
struct Members {
    compression: Compression,
    /// The writer for the uncompressed text.
    writer: Box<dyn Append>,
    /// The text for the next members.
    text: Vec<u8>,
    begun: bool,
    compressed: InOrder<io::Result<Vec<u8>>>,
}

impl Members {
    /// Returns the end of the next member, if it is known: after the last line that fits or, if none fits, after the
    /// first line.
    fn end(&self) -> Option<usize> {
        let (start, rest) = self.text.split_at_checked(MEMBER_BYTES)?;
        let end = memchr::memrchr(b'\n', start);
        let end = end.or_else(|| memchr::memchr(b'\n', rest).map(|at| MEMBER_BYTES + at));
        end.map(|end| end + 1)
    }

    fn start(&mut self, text: Vec<u8>) {
        self.begun = true;
        let compression = self.compression;
        self.compressed.start(move || compression.member(&text));
    }

    /// Starts compressing every member whose end is known.
    fn start_whole(&mut self) {
        while let Some(end) = self.end() {
            let rest = self.text.split_off(end);
            let text = mem::replace(&mut self.text, rest);
            self.start(text);
        }
    }

    /// Writes the members that are ready, or waits for all of them.
    fn write(&mut self, waits: bool, out: &mut dyn Output) -> io::Result<()> {
        while let Some(member) = self.compressed.next(waits) {
            out.write_all(&member?)?;
        }
        Ok(())
    }
}

impl Append for Members {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        self.writer.append(piece, &mut self.text)?;
        self.start_whole();
        self.write(false, out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        self.writer.finish(&mut self.text)?;
        self.start_whole();
        // An empty file is not a valid gzip file.
        if !self.begun || !self.text.is_empty() {
            let text = mem::take(&mut self.text);
            self.start(text);
        }
        self.write(true, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// Returns the output when the text arrives in pieces of these sizes; the list of sizes repeats as needed.
    fn written(compression: Compression, text: &[u8], threads: usize, sizes: &[usize]) -> Vec<u8> {
        let encoder = compressed(Arc::new(super::super::lines::Lines), Some(compression));
        let schema = super::super::tests::schema(false);
        let mut writer = encoder.writer(&schema, NonZeroUsize::new(threads).unwrap()).unwrap();
        let (mut rest, mut out) = (text, Vec::new());
        for &size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let bytes;
            (bytes, rest) = rest.split_at(size.min(rest.len()));
            writer.append(&mut Piece { bytes: bytes.to_vec(), ..Piece::default() }, &mut out).unwrap();
        }
        writer.finish(&mut out).unwrap();
        out
    }

    /// Makes lines of digits with little repetition.
    fn text(bytes: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let mut text = Vec::new();
        while text.len() < bytes {
            writeln!(text, "{:0>1$}", next(), (next() % 160) as usize).unwrap();
        }
        text
    }

    /// PROMISE: same-bytes
    #[test]
    fn neither_threads_nor_pieces_change_a_byte() {
        let (gzip, zstandard, large) = (Compression::Gzip, Compression::Zstandard, text(9 << 20));
        for (compression, text) in [(gzip, &*large), (gzip, b""), (zstandard, &large), (zstandard, b"")] {
            let expected = written(compression, text, 1, &[text.len().max(1)]);
            for (threads, sizes) in
                [(1, &[500_000][..]), (2, &[1, 1 << 20, 300_000]), (7, &[(1 << 20) - 1, 70_001, 3 << 20])]
            {
                let found = written(compression, text, threads, sizes);
                assert!(found == expected, "{compression:?} {threads} {sizes:?}");
            }
            assert!(!expected.is_empty(), "an empty text is a complete file");
            let mut read = Vec::new();
            match compression {
                Compression::Gzip => flate2::read::MultiGzDecoder::new(&*expected).read_to_end(&mut read),
                Compression::Zstandard => {
                    zstd::stream::read::Decoder::new(&*expected).unwrap().read_to_end(&mut read)
                }
            }
            .unwrap();
            assert!(read == text, "{compression:?}");
        }
    }

    #[test]
    fn members_end_with_lines() {
        let mut text = text(3 << 20);
        // This line is longer than a member.
        text.extend_from_slice(&[b'5'; 2 * MEMBER_BYTES]);
        text.extend_from_slice(b"\nlast");
        let compressed = written(Compression::Gzip, &text, 2, &[100_000]);
        let (mut rest, mut members) = (&*compressed, Vec::new());
        while !rest.is_empty() {
            let mut decoder = flate2::bufread::GzDecoder::new(rest);
            let mut member = Vec::new();
            decoder.read_to_end(&mut member).unwrap();
            members.push(member);
            rest = decoder.into_inner();
        }
        assert!(members.concat() == text);
        let (last, others) = members.split_last().unwrap();
        assert!(others.len() >= 4 && others.iter().all(|member| member.ends_with(b"\n")), "{}", others.len());
        assert_eq!((others.last().unwrap().len(), &**last), (2 * MEMBER_BYTES + 1, &b"last"[..]));
    }
}
