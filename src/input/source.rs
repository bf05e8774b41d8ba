//! One input, from its name to chunks of whole records.
//!
//! Opening looks at the first records, so that a file that is missing, or is no puzzle file at all,
//! is known before any work starts. A regular file is closed after that look and opened again at its
//! turn: thousands of inputs need no more than one descriptor. What can be read only once (standard
//! input, a pipe) stays open, and what was looked at is kept.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use memchr::memchr;

use super::chunk::{Cursor, Cut, End, Format, Position};
use super::detect::{self, Sample};
use super::stream::Stream;
use super::{Batch, InputError, ReadOptions, SourceInfo};

/// Bytes of text that are looked at to find the format.
const LOOK: usize = 64 << 10;

/// One input, opened and looked at, from which chunks of whole records are read.
pub struct Source {
    info: Arc<SourceInfo>,
    format: Arc<dyn Format>,
    text: Text,
    /// The start of a record whose end is not read yet.
    carry: Vec<u8>,
    cursor: Cursor,
    /// Line on which `carry` starts.
    line: u64,
    records: u64,
    notes: Vec<String>,
}

/// Where the text of a source is.
enum Text {
    /// In a file that was looked at and closed.
    Closed(PathBuf),
    /// In a stream.
    Open(Box<Stream>),
    /// Nowhere any more; what remains is the raw position.
    Ended(u64),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("info", &self.info)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file, or standard input for `-`, and finds out what is in it.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or read, is a directory, is UTF-16, or is nothing that looks like
    /// puzzles; see [`InputError`].
    pub fn open(name: &str, options: &ReadOptions) -> Result<Self, InputError> {
        if name == "-" {
            let (reader, size) = standard_input();
            return Self::start(
                SourceInfo { name: name.to_owned(), size, compressed: false },
                reader,
                None,
                options,
            );
        }
        let failed = |source| InputError::Open { name: name.to_owned(), source };
        let path = PathBuf::from(name);
        let file = File::open(&path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(InputError::Directory { name: name.to_owned() });
        }
        let size = metadata.is_file().then_some(metadata.len());
        let again = metadata.is_file().then_some(path);
        Self::start(
            SourceInfo { name: name.to_owned(), size, compressed: false },
            Box::new(file),
            again,
            options,
        )
    }

    /// Reads from anything that gives bytes; `name` is what results and messages call it.
    ///
    /// # Errors
    ///
    /// As [`Source::open`].
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        let info = SourceInfo { name: name.to_owned(), size: None, compressed: false };
        Self::start(info, Box::new(reader), None, options)
    }

    fn start(
        mut info: SourceInfo,
        reader: Box<dyn Read + Send>,
        again: Option<PathBuf>,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        let mut stream = Stream::new(reader).map_err(|source| InputError::Read {
            name: info.name.clone(),
            offset: 0,
            source,
        })?;
        info.compressed = stream.is_compressed();
        // An over-long first line says little: look past it.
        let mut length = LOOK;
        let (mut bytes, mut whole) = stream.look(length);
        if !whole && memchr(b'\n', bytes).is_none() {
            length += super::MAX_LINE + LOOK;
            (bytes, whole) = stream.look(length);
        }
        let sample =
            Sample { name: &info.name, bytes, whole, puzzle_column: options.puzzle_column.as_deref() };
        let format = detect::detect(&sample, options.format);
        if (bytes.is_empty() || format.is_err())
            && let Some(error) = stream.take_failure(&info.name)
        {
            return Err(error);
        }
        Ok(Self {
            format: format?,
            info: Arc::new(info),
            text: again.map_or_else(|| Text::Open(Box::new(stream)), Text::Closed),
            carry: Vec::new(),
            cursor: Cursor::START,
            line: 1,
            records: 0,
            notes: Vec::new(),
        })
    }

    /// Name and size.
    #[must_use]
    pub fn info(&self) -> &Arc<SourceInfo> {
        &self.info
    }

    /// Reads the next chunk of whole records, about `target` bytes; `None` at the end.
    ///
    /// A chunk is larger only if its first record is. `buffer` is used again, whatever is in it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened again, cannot be read on, or is damaged. The records before
    /// that were handed out; the next call gives `None`.
    pub fn next_batch(&mut self, mut buffer: Vec<u8>, target: usize) -> Result<Option<Batch>, InputError> {
        buffer.clear();
        buffer.shrink_to(target.saturating_mul(2));
        if let Text::Closed(path) = &self.text {
            let opened = File::open(path).and_then(|file| Stream::new(Box::new(file)));
            match opened {
                Ok(stream) => self.text = Text::Open(Box::new(stream)),
                Err(source) => {
                    self.text = Text::Ended(0);
                    return Err(InputError::Open { name: self.info.name.clone(), source });
                }
            }
        }
        let Text::Open(stream) = &mut self.text else { return Ok(None) };
        buffer.append(&mut self.carry);
        self.carry.shrink_to(target.saturating_mul(2));
        loop {
            // Doubling looks at the start of a long record only so many times.
            let wanted = target.max(2 * buffer.len()).max(1);
            let end = stream.fill(&mut buffer, wanted);
            let before = self.cursor;
            let Cut { length, lines, records } = self.format.cut(&mut self.cursor, &buffer, end);
            let (first_line, first_record) = (self.line, self.records);
            self.line += lines;
            self.records += records;
            if records > 0 {
                self.carry.extend_from_slice(&buffer[length..]);
                buffer.truncate(length);
                return Ok(Some(Batch {
                    source: Arc::clone(&self.info),
                    bytes: buffer,
                    position: Position { offset: 0, line: first_line, records: first_record, cursor: before },
                    records,
                    format: Arc::clone(&self.format),
                }));
            }
            buffer.drain(..length);
            if end != End::More {
                let failure = stream.take_failure(&self.info.name);
                self.text = Text::Ended(stream.raw_position());
                if end == End::Last
                    && let Some(note) = self.format.note(&self.cursor, self.records)
                {
                    self.notes.push(format!("{}: {note}", self.info.name));
                }
                return failure.map_or(Ok(None), Err);
            }
        }
    }

    /// Bytes of the file or stream taken in so far, compressed if it is.
    #[must_use]
    pub fn raw_position(&self) -> u64 {
        match &self.text {
            Text::Closed(_) => 0,
            Text::Open(stream) => stream.raw_position(),
            Text::Ended(position) => *position,
        }
    }

    /// What is worth a warning; complete after the end was reached.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Standard input, and its size if it is a file.
#[cfg(unix)]
fn standard_input() -> (Box<dyn Read + Send>, Option<u64>) {
    use std::os::fd::AsFd;
    // The descriptor itself: `Stdin` would read through a buffer of its own and hide the file's size.
    match io::stdin().as_fd().try_clone_to_owned().map(File::from) {
        Ok(file) => {
            let metadata = file.metadata().ok();
            let size = metadata.filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
            (Box::new(file), size)
        }
        Err(_) => (Box::new(io::stdin()), None),
    }
}

/// Standard input; its size is not asked for.
#[cfg(not(unix))]
fn standard_input() -> (Box<dyn Read + Send>, Option<u64>) {
    (Box::new(io::stdin()), None)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::input::testing::{PUZZLE, Reading, dotted, drain, open};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        // With a checksum, as the zstd program writes it.
        let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).expect("level 1 exists");
        encoder.include_checksum(true).expect("a checksum can be had");
        encoder.write_all(text).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    }

    /// Puzzles that differ, so that they do not compress to nothing, and end in their number.
    fn puzzles(count: usize) -> String {
        let mut state = 12345_u64;
        let mut list = String::new();
        for number in 0..count {
            for _ in 0..81 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                list.push(char::from(b'0' + (state >> 33) as u8 % 10));
            }
            list += &format!(" {number:06}\n");
        }
        list
    }

    fn read(bytes: &[u8]) -> Reading {
        drain(open(bytes, &ReadOptions::default()).expect("the format is found"), 100 << 10)
    }

    fn texts(reading: &Reading) -> String {
        reading.records.iter().map(|record| String::from_utf8_lossy(&record.text).into_owned()).collect()
    }

    fn write(directory: &tempfile::TempDir, name: &str, bytes: &[u8]) -> String {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).expect("a temporary file can be written");
        path.into_os_string().into_string().expect("the path is UTF-8")
    }

    #[test]
    fn all_members_and_frames_are_read() {
        let text = puzzles(3000);
        // The border is in the middle of a line.
        let (first, second) = text.split_at(text.len() / 2 + 40);
        for compress in [gzip, zstd] {
            let parts = [compress(first.as_bytes()), compress(b""), compress(second.as_bytes())].concat();
            for bytes in [compress(text.as_bytes()), parts] {
                let reading = read(&bytes);
                assert!(reading.error.is_none());
                assert_eq!(texts(&reading), text);
                assert_eq!(reading.records.last().expect("3000 records").line, 3000);
            }
        }
        let skippable = [b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(text.as_bytes())].concat();
        assert_eq!(texts(&read(&skippable)), text);
        let marked = gzip(format!("\u{feff}{PUZZLE}").as_bytes());
        assert_eq!(read(&marked).show(), [dotted()]);
    }

    #[test]
    fn truncated_data_keeps_the_rows_before_the_end_and_names_the_offset() {
        let text = puzzles(3000);
        for (compress, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            let bytes = compress(text.as_bytes());
            for cut in (10..bytes.len()).step_by(bytes.len() / 37).chain([bytes.len() - 1, bytes.len() - 5]) {
                let (got, error) = match open(&bytes[..cut], &ReadOptions::default()) {
                    Ok(source) => {
                        let reading = drain(source, 100 << 10);
                        assert!(reading.notes.is_empty());
                        (texts(&reading), reading.error)
                    }
                    Err(error) => (String::new(), Some(error)),
                };
                assert!(text.starts_with(&got));
                assert!(got.is_empty() || got.ends_with('\n'), "only whole rows");
                // Most of what was there came out; a zstd block holds up to 128 KiB of text.
                let there = text.len() * cut / bytes.len();
                assert!(got.len() + (140 << 10) > there, "{name}: {} of {there}", got.len());
                let Some(InputError::Damaged { name: input, compression, offset, decompressed, reason }) =
                    error
                else {
                    panic!("{name} cut at {cut}")
                };
                assert_eq!((input.as_str(), compression), ("test", name));
                assert!(offset <= cut as u64 && offset + 16 >= cut as u64, "{offset} of {cut}");
                assert!(decompressed >= got.len() as u64 && decompressed <= text.len() as u64);
                assert!(reason.contains("too early"), "{reason}");
            }
        }
    }

    /// Once the cut header was all that was talked of.
    #[test]
    fn damage_before_the_first_whole_row_is_named() {
        let table = format!("id,remark,puzzle\n{}", format!("1,a,{PUZZLE}\n").repeat(100));
        let packed = gzip(table.as_bytes());
        let error = open(&packed[..14], &ReadOptions::default()).expect_err("nothing can be read");
        assert!(matches!(error, InputError::Damaged { .. }), "{error}");
    }

    #[test]
    fn truncated_gzip_loses_no_more_than_the_last_row() {
        let text = puzzles(3000);
        let bytes = gzip(text.as_bytes());
        let reading = read(&bytes[..bytes.len() / 2]);
        let Some(InputError::Damaged { decompressed, .. }) = reading.error else { panic!("damaged") };
        assert_eq!(texts(&reading).len(), decompressed as usize / 89 * 89);
        assert!(decompressed as usize > text.len() / 2 - (16 << 10));
    }

    #[test]
    fn damage_in_the_middle_keeps_the_rows_before_it() {
        let text = puzzles(3000);
        for (compress, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            // The second member is no longer what it was; the first stays readable.
            let first = compress(text.as_bytes());
            let mut second = compress(text.as_bytes());
            let middle = second.len() / 2;
            second[middle..middle + 64].fill(0xff);
            let reading = read(&[first.clone(), second].concat());
            let got = texts(&reading);
            assert!(got.starts_with(&text), "{name}");
            let Some(InputError::Damaged { offset, .. }) = reading.error else { panic!("{name}: damaged") };
            assert!(offset as usize > first.len());
        }
    }

    #[test]
    fn a_wrong_checksum_is_damage_behind_all_rows() {
        let text = puzzles(100);
        let mut bytes = gzip(text.as_bytes());
        let at = bytes.len() - 8;
        bytes[at] ^= 1;
        let reading = read(&bytes);
        assert_eq!(texts(&reading), text);
        assert!(matches!(reading.error, Some(InputError::Damaged { compression: "gzip", .. })));
    }

    #[test]
    fn garbage_behind_gzip_data_is_said_to_be_that() {
        let text = puzzles(2000);
        let bytes = gzip(text.as_bytes());
        let reading = read(&[&bytes[..], b"this is no gzip member"].concat());
        assert_eq!(texts(&reading), text);
        let Some(InputError::Damaged { reason, offset, .. }) = reading.error else { panic!("damaged") };
        assert!(reason.contains("trailing garbage"), "{reason}");
        assert!(offset as usize >= bytes.len() && offset as usize <= bytes.len() + 10, "{offset}");
    }

    #[test]
    fn damage_while_looking_costs_no_row() {
        // Twenty rows are less than is looked at to find the format.
        let text = puzzles(20);
        let reading = read(&[gzip(text.as_bytes()), b"\x1f\x8b\x08garbage".to_vec()].concat());
        assert_eq!(texts(&reading), text);
        assert!(reading.error.is_some());
        // Where nothing at all can be read, that shows when it is opened.
        let error = open(&gzip(text.as_bytes())[..15], &ReadOptions::default()).expect_err("no text");
        assert!(matches!(error, InputError::Damaged { decompressed: 0, .. }));
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = ReadOptions::default();
        let missing = directory.path().join("missing.txt").into_os_string().into_string().expect("UTF-8");
        let error = Source::open(&missing, &options).expect_err("missing");
        assert!(
            matches!(&error, InputError::Open { source, .. } if source.kind() == io::ErrorKind::NotFound)
        );
        assert!(error.to_string().starts_with(&format!("{missing}: cannot open: ")));
        let name = directory.path().to_str().expect("UTF-8");
        assert!(matches!(Source::open(name, &options), Err(InputError::Directory { .. })));
    }

    #[test]
    fn utf_16_is_refused_with_a_hint() {
        let wide = |mark: Option<u16>, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.into_iter().chain(format!("{PUZZLE}\r\n").encode_utf16()).flat_map(bytes).collect()
        };
        for mark in [Some(0xfeff), None] {
            for bytes in [wide(mark, u16::to_le_bytes), wide(mark, u16::to_be_bytes)] {
                for bytes in [gzip(&bytes), bytes] {
                    let error = open(&bytes, &ReadOptions::default()).expect_err("UTF-16");
                    assert!(matches!(error, InputError::Utf16 { .. }));
                    assert!(error.to_string().contains("iconv -f UTF-16"));
                }
            }
        }
        // NUL bytes alone make no UTF-16.
        let nul = format!("\0\0\0\0\0\0\0\0\n{PUZZLE}\n");
        assert_eq!(read(nul.as_bytes()).show()[1], dotted());
    }

    #[test]
    fn a_file_is_closed_until_its_turn_and_its_position_ends_at_its_size() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let text = puzzles(5000);
        for (name, bytes) in [("a.txt", text.clone().into_bytes()), ("a.gz", gzip(text.as_bytes()))] {
            let path = write(&directory, name, &bytes);
            let mut source = Source::open(&path, &ReadOptions::default()).expect("puzzles");
            assert_eq!(source.info().size, Some(bytes.len() as u64));
            assert_eq!((source.info().name.as_str(), source.raw_position()), (path.as_str(), 0));
            let chunk = source.next_batch(Vec::new(), 1000).expect("readable").expect("records");
            assert!(chunk.bytes.len() <= 1000 && chunk.records == chunk.bytes.len() as u64 / 89);
            let mut buffer = Vec::new();
            let mut last = source.raw_position();
            while let Some(chunk) = source.next_batch(buffer, 50_000).expect("readable") {
                assert!(source.raw_position() >= last);
                last = source.raw_position();
                buffer = chunk.bytes;
            }
            assert_eq!(source.raw_position(), bytes.len() as u64);
            assert!(source.next_batch(Vec::new(), 1000).expect("still at the end").is_none());

            let mut source = Source::open(&path, &ReadOptions::default()).expect("puzzles");
            std::fs::remove_file(&path).expect("it was there");
            assert!(matches!(source.next_batch(Vec::new(), 1000), Err(InputError::Open { .. })));
            assert!(source.next_batch(Vec::new(), 1000).expect("an error comes once").is_none());
        }
    }

    /// A reader that gives a byte at a time, and an error in the end.
    struct Dripping(io::Cursor<Vec<u8>>, bool);

    impl Read for Dripping {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match self.0.read(&mut buffer[..1])? {
                0 => Err(io::Error::from_raw_os_error(5)),
                n => Ok(n),
            }
        }
    }

    #[test]
    fn a_failing_read_keeps_the_rows_before_it() {
        let text = puzzles(30);
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes()), zstd(text.as_bytes())] {
            let length = bytes.len() as u64;
            let reader = Dripping(io::Cursor::new([&bytes[..], &bytes[..20]].concat()), false);
            let source = Source::from_reader("drip", reader, &ReadOptions::default()).expect("puzzles");
            let reading = drain(source, 500);
            assert_eq!(texts(&reading), text);
            let Some(InputError::Read { offset, .. }) = reading.error else { panic!("{:?}", reading.error) };
            assert_eq!(offset, length + 20);
        }
        let nothing = Dripping(io::Cursor::new(Vec::new()), false);
        let error = Source::from_reader("drip", nothing, &ReadOptions::default()).expect_err("an error");
        assert!(matches!(error, InputError::Read { offset: 0, .. }));
    }

    #[test]
    fn memory_is_bounded_whatever_the_input() {
        for unit in
            ["1", "\0", "\"", "#", " ", "1,\"\n", "2\n", "# x\n", "[State]\n", "\n", "x y\n", "6 B2 1 B3\n"]
        {
            let text = format!("{}\n", unit.repeat((4 << 20) / unit.len()));
            for format in super::super::FormatChoice::ALL {
                let options = ReadOptions { format: Some(format), puzzle_column: Some("1".to_owned()) };
                // As a table, nothing but a quote has no columns.
                let Ok(mut source) = open(text.as_bytes(), &options) else { continue };
                let mut buffer = Vec::new();
                while let Some(chunk) = source.next_batch(buffer, 10_000).expect("readable") {
                    assert!(chunk.bytes.len() <= 2 << 20, "{unit:?} as {format:?}");
                    assert!(source.carry.len() <= 3 << 20, "{unit:?} as {format:?}");
                    buffer = chunk.bytes;
                }
            }
        }
    }
}
