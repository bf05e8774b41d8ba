use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::input::reader::TextEnd;
use crate::input::testing::{Drained, drain};
use crate::input::{Dialect, MAX_LINE};
use crate::record::{Records, Want};

/// The example from BOJ 2239.
const PUZZLE: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107";

fn open(bytes: &[u8]) -> Result<Source, InputError> {
    Source::from_reader("test", Cursor::new(bytes.to_vec()), &ReadOptions::default())
}

fn read(bytes: &[u8]) -> Drained {
    drain(&mut open(bytes).expect("puzzles"), 100 << 10)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    // The zstd program also writes a checksum, so this does too.
    let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).expect("level 1 exists");
    encoder.include_checksum(true).expect("a checksum can be had");
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

type Compress = fn(&[u8]) -> Vec<u8>;

const COMPRESSIONS: [Compress; 2] = [gzip, zstd];

/// Returns different puzzles, so they do not compress to almost nothing. Each is the example with its digits renumbered
/// and fewer clues, and ends in its own number.
fn puzzles(count: usize) -> String {
    let mut state = 12345_u64;
    let mut list = String::new();
    for number in 0..count {
        for cell in PUZZLE.bytes() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let is_clue = cell != b'0' && state >> 61 > 0;
            let digit = (usize::from(cell) + number) % 9 + 1;
            list += &if is_clue { digit.to_string() } else { ".".to_owned() };
        }
        writeln!(list, " {number:06}").expect("memory takes it");
    }
    list
}

#[test]
fn all_members_and_frames_are_read() {
    let text = puzzles(1000);
    // The boundary is in the middle of a line.
    let (first, second) = text.split_at(text.len() / 2 + 40);
    for compress in COMPRESSIONS {
        let parts = [compress(first.as_bytes()), compress(b""), compress(second.as_bytes())].concat();
        for bytes in [compress(text.as_bytes()), parts] {
            let all = read(&bytes);
            assert!(all.error.is_none() && all.text == text);
            assert_eq!(all.reading.records.len(), 1000);
        }
    }
    let skippable = [b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(text.as_bytes())].concat();
    assert_eq!(read(&skippable).text, text);
}

/// Returns the offset of the damage, the number of bytes of text before it, and the message.
fn damage(error: Option<InputError>) -> (usize, usize, String) {
    let Some(InputError::Damaged { what, .. }) = error else { panic!("{error:?}") };
    let numbers: Vec<_> = what.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    (numbers[0], numbers[1], what)
}

#[test]
fn truncated_data_keeps_the_rows_before_the_end_and_names_the_offset() {
    let text = puzzles(1500);
    // Most of the text before the cut was handed out; a zstd block holds up to 128 KiB of text.
    for (compress, least) in COMPRESSIONS.into_iter().zip([16 << 10, 140 << 10]) {
        let bytes = compress(text.as_bytes());
        for cut in (10..bytes.len()).step_by(bytes.len() / 5).chain([bytes.len() - 1, bytes.len() - 5]) {
            let (got, error) = match open(&bytes[..cut]).map(|mut source| drain(&mut source, 100 << 10)) {
                Ok(all) => (all.text, all.error),
                Err(error) => (String::new(), Some(error)),
            };
            assert!(text.starts_with(&got) && (got.is_empty() || got.ends_with('\n')), "only whole rows");
            assert!(got.len() + least > text.len() * cut / bytes.len(), "{} of {cut}", got.len());
            let (offset, decompressed, reason) = damage(error);
            assert!(offset <= cut && offset + 16 >= cut, "{offset} of {cut}");
            assert!(decompressed >= got.len() && decompressed <= text.len());
            assert!(reason.contains("too early"), "{reason}");
        }
    }
}

#[test]
fn damage_costs_no_row_before_it_and_is_named() {
    let text = puzzles(800);
    let bytes = gzip(text.as_bytes());
    for compress in COMPRESSIONS {
        // The second member is damaged; the first is still readable.
        let (first, mut second) = (compress(text.as_bytes()), compress(text.as_bytes()));
        let middle = second.len() / 2;
        second[middle..middle + 64].fill(0xff);
        let all = read(&[&first[..], &second].concat());
        assert!(all.text.starts_with(&text));
        assert!(damage(all.error).0 > first.len());
    }
    // Three cases: garbage after a member, a wrong checksum, and damage in the part that is examined.
    let mut checksum = bytes.clone();
    checksum[bytes.len() - 8] ^= 1;
    let few = puzzles(20);
    for (bytes, text, why) in [
        ([&bytes[..], b"this is no gzip member"].concat(), &text, "trailing garbage"),
        ([&bytes[..], b"x"].concat(), &text, "trailing garbage"),
        (checksum, &text, ""),
        ([&gzip(few.as_bytes())[..], b"\x1f\x8b\x08garbage"].concat(), &few, ""),
    ] {
        let all = read(&bytes);
        assert_eq!(&all.text, text);
        let reason = damage(all.error).2;
        assert!(reason.contains(why), "{reason}");
    }
    // If nothing at all can be read, opening fails.
    assert_eq!(damage(open(&bytes[..15]).err()).1, 0);
}

/// Returns the text in UTF-16 in both byte orders, with a byte-order mark.
fn encodings(text: &str) -> [Vec<u8>; 2] {
    let wide =
        |bytes: fn(u16) -> [u8; 2]| [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(bytes).collect();
    [wide(u16::to_le_bytes), wide(u16::to_be_bytes)]
}

/// PROMISE: encodings
#[test]
fn every_encoding_and_line_end_gives_the_same_records() {
    let text = format!("# é\n{PUZZLE}\n\n{PUZZLE} │ 2\n{}\u{1f600}\n{PUZZLE}", &PUZZLE[..80]);
    let shown =
        |all: Drained| all.reading.records.into_iter().map(|it| (it.line, it.puzzle)).collect::<Vec<_>>();
    let expected = shown(read(text.as_bytes()));
    assert!(expected.iter().map(|&(line, _)| line).eq([2, 4, 5, 6]));
    let macintosh = text.replace('\n', "\r");
    let mut kinds: Vec<Vec<u8>> = vec![
        macintosh.clone().into_bytes(),
        format!("\u{feff}{macintosh}\r").into_bytes(),
        text.replace('\n', "\r\n").into_bytes(),
    ];
    kinds.extend(encodings(&text));
    kinds.extend(encodings(&format!("{macintosh}\r")));
    kinds.extend(encodings(&text).map(|bytes| bytes[2..].to_vec()));
    for kind in kinds {
        for bytes in [gzip(&kind), zstd(&kind), kind] {
            for target in [1, 100, 10_000] {
                let all = drain(&mut open(&bytes).expect("puzzles"), target);
                assert_eq!(shown(all), expected, "{}", bytes.escape_ascii());
            }
        }
    }
}

#[test]
fn what_is_too_long_is_cut_to_a_byte_more_than_the_longest() {
    for (line_end, size) in [("\n", 1000), ("\r\n", 4 << 20), ("\r", 1 << 20)] {
        let text = format!("a{line_end}{}{line_end}b", "1".repeat(3 * MAX_LINE));
        for keep in [false, true] {
            let raw = Raw::of(Cursor::new(text.clone()));
            let mut stream = Stream::new(raw, &Hash::new(false)).expect("memory does not fail");
            stream.look(Sample::FIRST);
            if !keep {
                stream.cut_long_lines();
            }
            let (mut read, mut wanted) = (Vec::new(), size);
            while stream.fill(&mut read, wanted) == TextEnd::More {
                wanted = read.len() + size;
            }
            let lines: Vec<usize> = str::from_utf8(&read).expect("ASCII").lines().map(str::len).collect();
            let long = if keep { 3 * MAX_LINE } else { MAX_LINE + 1 };
            assert_eq!(lines, [1, long, 1]);
        }
    }
}

/// A header that names the puzzles declares the format, no matter how long the first row is.
#[test]
fn a_first_row_longer_than_the_look_costs_itself_alone() {
    for quote in ["", "\""] {
        let note = format!("{quote}{}{quote}", "x".repeat(2 * MAX_LINE));
        let text = format!("note,puzzle\n{note},{PUZZLE}\na,{PUZZLE}\nb,{PUZZLE}\n");
        let all = read(text.as_bytes());
        assert!(all.error.is_none() && all.without_records.is_none());
        let puzzle = PUZZLE.replace('0', ".");
        assert_eq!(all.reading.puzzles().iter().rev().take(2).collect::<Vec<_>>(), [&puzzle, &puzzle]);
        assert_eq!(all.reading.puzzles().iter().filter(|text| **text == puzzle).count(), 2);
    }
}

/// Changes to a file before its turn are tested in `tests/it/inputs.rs`.
#[test]
fn a_file_that_shrinks_while_it_is_read_is_not_read_on_in_silence() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("a.txt");
    fs::write(&path, puzzles(3000)).expect("a temporary file can be written");
    let mut source = Source::open(&path, &ReadOptions::default()).expect("puzzles");
    source.next_batch(Vec::new(), 1000).expect("readable").expect("records");
    let file = fs::OpenOptions::new().write(true).open(path).expect("it is there");
    file.set_len(1000).expect("it can be cut");
    let message = drain(&mut source, 1 << 20).error.expect("something is said").to_string();
    assert!(message.contains("bytes while it was read; the records before that were read"), "{message}");
}

#[test]
fn a_file_is_closed_until_its_turn_and_what_is_read_is_counted_and_hashed_on_the_way() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (text, path) = (puzzles(5000), directory.path().join("a.txt"));
    for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
        fs::write(&path, &bytes).expect("a temporary file can be written");
        let hash = Hash::new(true);
        io::copy(&mut hash.watch(&bytes[..]), &mut io::sink()).expect("memory does not fail");
        for (wanted, is_file) in [(true, true), (false, true), (true, false), (false, false)] {
            let options = ReadOptions { hash: wanted, ..ReadOptions::default() };
            let stream = || Source::from_reader("stream", Cursor::new(bytes.clone()), &options);
            let opened = if is_file { Source::open(&path, &options) } else { stream() };
            let mut source = opened.expect("puzzles");
            let seen = source.hash();
            if is_file {
                assert_eq!((source.info().size, source.raw_position()), (Some(bytes.len() as u64), 0));
                assert_eq!(source.info().name, shown_name(&path));
            }
            let (mut buffer, mut last, mut all) = (vec![7; 100], 0, Vec::new());
            while let Some(batch) = source.next_batch(buffer, 50_000).expect("readable") {
                assert!(batch.bytes.len() <= 50_000 && source.raw_position() >= last);
                assert!(batch.is_last || seen.sha256().is_none(), "before the end");
                last = source.raw_position();
                all.extend_from_slice(&batch.bytes);
                buffer = batch.bytes;
            }
            assert_eq!((all, source.raw_position()), (text.clone().into_bytes(), bytes.len() as u64));
            assert_eq!((seen.bytes(), seen.sha256()), (bytes.len() as u64, hash.sha256().filter(|_| wanted)));
            assert!(source.next_batch(Vec::new(), 1000).expect("still at the end").is_none());
        }
    }
}

/// An input must have a record, unless it is a table whose header names the puzzles.
/// PROMISE: no-silent-input
#[test]
fn an_input_without_a_record_is_wrong() {
    let (list, any) = (Some(Dialect::of(Framing::Line)), None);
    let open = |text: &'static str, format: &Option<Dialect>| {
        let options = ReadOptions { format: format.clone(), ..ReadOptions::default() };
        Source::from_reader("test", text.as_bytes(), &options)
    };
    let none = drain(&mut open("# x\n", &list).expect("a list"), 1 << 20).without_records;
    let expected = "test: no records (read as line: a line of 81 cells)";
    assert_eq!(none.map(|error| error.to_string()).as_deref(), Some(expected));
    for text in ["", " \r\n\n", "\u{feff}", "\t"] {
        assert_eq!(open(text, &list).expect_err(text).to_string(), "test: is empty", "{text:?}");
    }
    for text in
        ["puzzle\n", "puzzle,solution\n", "id;quizzes;solutions", "id,source,line,kind,status,puzzle,error\n"]
    {
        let all = drain(&mut open(text, &any).expect("a table"), 1 << 20);
        assert!(all.without_records.is_none() && all.error.is_none(), "{text}");
    }
    for text in ["id,name\n", "puzzle,solution\nx,y\n"] {
        assert!(open(text, &any).is_err_and(|error| error.holds_no_puzzles()), "{text}");
    }
}

/// Opens the reading end of a pipe in the same way as the command line does.
#[cfg(unix)]
fn open_pipe(reader: io::PipeReader) -> Result<Source, InputError> {
    let file = File::from(std::os::fd::OwnedFd::from(reader));
    let metadata = file.metadata().ok();
    let opened = OpenedInput::of(file, metadata, std::path::PathBuf::new());
    assert!(opened.size.is_none() && opened.again.is_none());
    Source::start("pipe", opened, &ReadOptions::default())
}

/// Returns the number of records in the next batch.
#[cfg(unix)]
fn next(source: &mut Source) -> Option<usize> {
    let batch = source.next_batch(Vec::new(), 1 << 20).expect("readable")?;
    let mut records = Records::default();
    batch.read(Want::default(), &mut records);
    Some(records.len())
}

/// These tests would hang if a batch waited for more than has been written.
#[test]
#[cfg(unix)]
fn a_pause_hands_out_what_is_there() {
    let (reader, mut writer) = io::pipe().expect("a pipe");
    let mut send = |text: &str| writer.write_all(text.as_bytes()).expect("the pipe takes it");
    send(&format!("{}{}", puzzles(25), &PUZZLE[..40]));
    let mut source = open_pipe(reader).expect("puzzles");
    assert_eq!(next(&mut source), Some(25));
    send(&format!("{}\n", &PUZZLE[40..]));
    assert_eq!(next(&mut source), Some(1));
    send(&PUZZLE[..60]);
    drop(writer);
    assert_eq!((next(&mut source), next(&mut source)), (Some(1), None));
}

#[test]
#[cfg(unix)]
fn a_look_at_little_waits_for_more() {
    let (reader, mut writer) = io::pipe().expect("a pipe");
    writer.write_all(b"4,5,6\n").expect("the pipe takes it");
    let opening = std::thread::spawn(move || open_pipe(reader));
    std::thread::sleep(std::time::Duration::from_millis(50));
    writer.write_all(puzzles(20).as_bytes()).expect("the pipe takes it");
    let mut source = opening.join().expect("no panic").expect("puzzles");
    assert_eq!(next(&mut source), Some(20));
}

#[test]
#[cfg(unix)]
fn a_pause_is_seen_through_compression() {
    let (reader, writer) = io::pipe().expect("a pipe");
    let mut encoder = ::zstd::Encoder::new(writer, 1).expect("level 1 exists");
    let mut send = |puzzles: &str| {
        encoder.write_all(puzzles.as_bytes()).expect("the pipe takes it");
        encoder.flush().expect("the pipe takes it");
    };
    send(&puzzles(20));
    let mut source = open_pipe(reader).expect("puzzles");
    let mut read = 0;
    let mut read_to = |records: usize| {
        while read < records {
            read += next(&mut source).expect("records");
        }
        assert_eq!(read, records);
    };
    read_to(20);
    // This is more than the decoder outputs at once, whether it is compressed to few bytes or to many.
    send(&format!("{PUZZLE}\n").repeat(700));
    read_to(720);
    send(&puzzles(300));
    read_to(1020);
}

/// A reader that returns one byte at a time, and finally an error.
struct Dripping(Cursor<Vec<u8>>, bool);

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
        let reader = Dripping(Cursor::new([&bytes[..], &bytes[..20]].concat()), false);
        let mut source = Source::from_reader("drip", reader, &ReadOptions::default()).expect("puzzles");
        let all = drain(&mut source, 500);
        assert_eq!(all.text, text);
        assert!(matches!(all.error, Some(InputError::Read { offset, .. }) if offset == length + 20));
    }
    let nothing = Dripping(Cursor::new(Vec::new()), false);
    let error = Source::from_reader("drip", nothing, &ReadOptions::default()).expect_err("an error");
    assert!(matches!(error, InputError::Read { offset: 0, .. }));
}

#[test]
fn what_is_told_and_what_the_first_bytes_say_must_be_one() {
    for (start, given, expected) in [
        (&b"PAR1"[..], Framing::Npy, "starts like parquet, not like npy"),
        (b"1.3\n", Framing::Parquet, "does not start like parquet"),
    ] {
        let options = ReadOptions { format: Some(Dialect::of(given)), ..ReadOptions::default() };
        let error = Source::from_reader("test", Cursor::new(start.to_vec()), &options).expect_err("refused");
        assert_eq!(error.to_string(), format!("test: {expected}"));
    }
}
