use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::input::ReadOptions;
use crate::input::columns::testing::{PUZZLE, Reading, SOLUTION, dotted, read_file, read_pipe};

/// An array as numpy writes it.
fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let length = u32::try_from(text.len()).expect("a short header").to_le_bytes();
    let length = if version == 1 { &length[..2] } else { &length[..] };
    [MAGIC, &[version, 0], length, text.as_bytes(), data].concat()
}

/// The puzzle with another number in front, so that rows differ.
fn rows(count: i64) -> Vec<Vec<i64>> {
    let cells: Vec<i64> = PUZZLE.bytes().map(|byte| i64::from(byte - b'0')).collect();
    (0..count).map(|row| [&[row % 10], &cells[1..]].concat()).collect()
}

fn shown(rows: &[Vec<i64>]) -> Vec<String> {
    let digit = |&cell: &i64| if cell == 0 { ".".to_owned() } else { cell.to_string() };
    rows.iter().map(|row| row.iter().map(digit).collect()).collect()
}

/// Numbers as an array has them.
fn bytes_of(descr: &str, numbers: impl Iterator<Item = i64>) -> Vec<u8> {
    let one = |number: i64| {
        let small = i16::try_from(number).expect("a small number");
        match &descr[1..] {
            "f8" => f64::from(small).to_le_bytes().to_vec(),
            "f4" => f32::from(small).to_le_bytes().to_vec(),
            _ => number.to_le_bytes()[..descr[2..].parse().expect("a size")].to_vec(),
        }
    };
    numbers.flat_map(one).collect()
}

fn read(bytes: &[u8]) -> Vec<String> {
    let reading = read_pipe(bytes, 5000).expect("an array");
    assert_eq!(reading.error, None);
    reading.puzzles
}

/// Writes a file and reads it in blocks of several sizes.
fn read_written(path: &Path, bytes: &[u8]) -> Reading {
    std::fs::write(path, bytes).expect("a temporary file");
    let options = ReadOptions { hash: true, ..ReadOptions::default() };
    let reading = read_file(path, &options, 5000).expect("an array");
    assert_eq!(reading.seen, (bytes.len() as u64, true));
    assert_eq!(read_file(path, &options, 1).expect("an array"), reading);
    reading
}

fn error(bytes: &[u8]) -> String {
    read_pipe(bytes, 1).expect_err("no puzzles")
}

#[test]
fn every_type_and_version_gives_the_same_grids() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.npy");
    let rows = rows(30);
    for descr in ["|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"] {
        let data = bytes_of(descr, rows.iter().flatten().copied());
        for (version, shape) in [(1, "(30, 81)"), (3, "(30, 9, 9, 1)"), (2, "(30L, 1, 81L)")] {
            let bytes = npy(version, descr, false, shape, &data);
            assert_eq!(read(&bytes), shown(&rows), "{descr} {shape}");
            assert_eq!(read_written(&path, &bytes).puzzles, shown(&rows), "{descr} {shape}");
        }
    }
    for shape in ["(81,)", "(9, 9)", "(1, 81)"] {
        let bytes = npy(1, "|u1", false, shape, &bytes_of("|u1", rows[1].iter().copied()));
        assert_eq!(read(&bytes), shown(&rows[1..2]), "{shape}");
    }
    // More rows than are looked at come in further blocks.
    let rows = self::rows(2500);
    let bytes = npy(1, "|u1", false, "(2500, 81)", &bytes_of("|u1", rows.iter().flatten().copied()));
    assert_eq!((read_written(&path, &bytes).puzzles, read(&bytes)), (shown(&rows), shown(&rows)));
}

#[test]
fn texts_are_puzzles_too() {
    let texts = [PUZZLE.to_owned(), dotted(), "12".to_owned(), format!(" {PUZZLE} ")];
    let filled = |text: &String| text.clone().into_bytes().into_iter().chain([0; 84]).take(84).collect();
    let bytes: Vec<Vec<u8>> = texts.iter().map(filled).collect();
    let wide = bytes.iter().flatten().flat_map(|&byte| u32::from(byte).to_le_bytes()).collect();
    let data: [(&str, Vec<u8>); 2] = [("<U84", wide), ("|S84", bytes.concat())];
    for (descr, data) in data {
        let expected = [&dotted(), &dotted(), "3:3: 2 cells (expected 81)", &dotted()];
        assert_eq!(read(&npy(1, descr, false, "(4,)", &data)), expected, "{descr}");
    }
    for (descr, shape) in [("|S1", "(1, 81)"), ("|S1", "(1, 9, 9)"), ("|S9", "(1, 9)"), ("|S1", "(81,)")] {
        assert_eq!(read(&npy(1, descr, false, shape, PUZZLE.as_bytes())), [dotted()], "{descr} {shape}");
    }
}

#[test]
fn a_fault_names_its_row_and_cell_and_minus_ones_and_no_numbers_are_blanks() {
    let number = |line: usize, cell: usize, number: &str| {
        format!("{line}:{cell}: number '{number}' (expected a digit 1-9, 0 or .)")
    };
    let mut rows = rows(4);
    (rows[1][7], rows[3][80]) = (10, -1);
    for descr in ["|i1", "<i8", "<i4", "<f8", "<f4"] {
        let found = read(&npy(1, descr, false, "(4, 81)", &bytes_of(descr, rows.iter().flatten().copied())));
        let [one, other] = [&rows[0..1], &rows[2..3]].map(shown);
        assert_eq!(
            found,
            [one, vec![number(2, 8, "10")], other, vec![number(4, 81, "-1")]].concat(),
            "{descr}"
        );
        rows[0].iter_mut().for_each(|cell| *cell = if *cell < 1 { -1 } else { *cell });
        let minus = read(&npy(1, descr, false, "(81,)", &bytes_of(descr, rows[0].iter().copied())));
        assert_eq!(minus, [dotted()], "{descr}");
        rows[0].iter_mut().for_each(|cell| *cell = (*cell).max(0));
    }
    let floats = |cell: fn(u8) -> f64| {
        let data: Vec<u8> = PUZZLE.bytes().flat_map(|byte| cell(byte - b'0').to_le_bytes()).collect();
        read(&npy(1, "<f8", false, "(9, 9)", &data))
    };
    assert_eq!(floats(|digit| if digit == 0 { f64::NAN } else { digit.into() }), [dotted()]);
    assert_eq!(floats(|digit| if digit == 3 { 0.5 } else { digit.into() }), [number(1, 3, "0.5")]);
    assert_eq!(floats(|digit| if digit == 3 { f64::INFINITY } else { 1.0 }), [number(1, 3, "inf")]);
    // Neither a byte without a sign nor a number whose lowest byte is one is a blank.
    assert_eq!(read(&npy(1, "|u1", false, "(1, 81)", &[255; 81])), [number(1, 1, "255")]);
    let large = [&[0, 1, 0, 0, 0, 0, 0, 0][..], &[0; 640]].concat();
    assert_eq!(read(&npy(1, "<u8", false, "(1, 81)", &large)), [number(1, 1, "256")]);
}

#[test]
fn tokens_are_digits_and_one_more_and_claim_what_lies_beside_them() {
    let directory = tempfile::tempdir().expect("a directory");
    let [inputs, labels] = TOKEN_FILES.map(|name| directory.path().join(name));
    let tokens = |text: &str| bytes_of("<i8", text.bytes().map(|byte| i64::from(byte - b'0') + 1));
    let array = |text: &str| npy(1, "<i8", false, &format!("({}, 81)", text.len() / 81), &tokens(text));
    let alone = read_written(&inputs, &array(&PUZZLE.repeat(40)));
    assert_eq!(
        (&alone.puzzles, alone.claims.concat(), alone.notes.len()),
        (&vec![dotted(); 40], String::new(), 1)
    );
    assert!(alone.notes[0].contains("read as tokens"), "{:?}", alone.notes);
    // A padding in a label, a blank in another.
    let mut claims = tokens(&SOLUTION.repeat(40));
    (claims[81 * 8], claims[2 * 81 * 8]) = (0, 1);
    std::fs::write(&labels, npy(1, "<i8", false, "(40, 81)", &claims)).expect("a temporary file");
    let both = read_written(&inputs, &array(&PUZZLE.repeat(40)));
    let fault = "claimed solution: number '0' (expected a digit 1-9)";
    assert_eq!(both.claims[..3], [SOLUTION, fault, &SOLUTION.replacen('4', ".", 1)]);
    std::fs::write(&labels, array(SOLUTION)).expect("a temporary file");
    let short = read_written(&inputs, &array(&PUZZLE.repeat(40)));
    assert!(short.notes[1].contains("(1, 81), and cannot be what 40 puzzles claim"), "{:?}", short.notes);
    // A set of complete grids has neither a 0 nor a 10.
    let digits = bytes_of("|u1", SOLUTION.bytes().map(|byte| i64::from(byte - b'0')));
    assert_eq!(read(&npy(1, "|u1", false, "(1, 81)", &digits)), [SOLUTION]);
}

#[test]
fn moves_are_clues_and_what_they_claim() {
    let cells = |text: &str| -> Vec<i64> { text.bytes().map(|byte| i64::from(byte - b'0')).collect() };
    let (puzzle, solution) = (cells(PUZZLE), cells(SOLUTION));
    let mut order: Vec<usize> = (0..81).rev().collect();
    order.sort_by_key(|&cell| puzzle[cell] == 0);
    let number = |number: usize| i64::try_from(number).expect("a small number");
    let clues = number(puzzle.iter().filter(|&&digit| digit > 0).count());
    let moves = order.iter().flat_map(|&cell| [number(cell / 9), number(cell % 9), solution[cell], 3]);
    let row: Vec<i64> = std::iter::once(clues).chain(moves).collect();
    let changed = |at: usize, number: i64| [&row[..at], &[number], &row[at + 1..]].concat();
    // Too many clues, a column that is none, a cell given twice, no value.
    let bad = [changed(0, 82), changed(6, 9), [&row[..5], &row[1..3], &row[7..]].concat(), changed(3, 0)];
    let all = row.iter().copied().chain(bad.concat());
    let reading = read_pipe(&npy(1, "<i4", false, "(5, 325)", &bytes_of("<i4", all)), 1).expect("moves");
    assert_eq!((&*reading.puzzles[0], &*reading.claims[0]), (&*dotted(), SOLUTION));
    let places: Vec<_> = reading.puzzles[1..].iter().map(|show| show.split(" out").next()).collect();
    assert_eq!(
        places,
        ["2:1: number '82'", "3:7: number '9'", "4:6: number '8'", "5:4: number '0'"].map(Some)
    );
}

#[test]
fn what_is_cut_off_keeps_its_whole_rows_and_what_is_behind_is_a_record() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.npy");
    let rows = rows(30);
    let bytes = npy(1, "|u1", false, "(30, 81)", &bytes_of("|u1", rows.iter().flatten().copied()));
    let start = bytes.len() - 30 * 81;
    for whole in [0, 1, 12, 29] {
        let cut = &bytes[..start + whole * 81 + 80];
        std::fs::write(&path, cut).expect("a temporary file");
        for reading in [read_pipe(cut, 500), read_file(&path, &ReadOptions::default(), 500)] {
            let reading = reading.expect("an array");
            assert_eq!(reading.puzzles, shown(&rows[..whole]));
            let error = reading.error.expect("it is cut off");
            assert!(error.contains(&format!("row {} of 30: the data ends there", whole + 1)), "{error}");
        }
    }
    for cut in 9..start {
        assert!(error(&bytes[..cut]).contains("it ends within its header"));
    }
    let longer = [&bytes[..], b"abc"].concat();
    std::fs::write(&path, &longer).expect("a temporary file");
    for reading in [read_pipe(&longer, 500), read_file(&path, &ReadOptions::default(), 500)] {
        let reading = reading.expect("an array");
        assert_eq!(reading.puzzles, shown(&rows));
        assert!(reading.error.expect("more").contains("3 bytes behind the array, which are not read"));
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes).expect("memory takes it");
    let packed = encoder.finish().expect("memory takes it");
    assert_eq!(read(&packed), shown(&rows));
    let damaged = read_pipe(&packed[..packed.len() - 12], 500).expect("an array");
    assert!(damaged.error.expect("it is cut off").contains("damaged gzip data"));
}

#[test]
fn what_is_no_array_of_puzzles_is_refused_by_name() {
    for (descr, shape) in [
        ("|b1", "(2, 81)"),
        ("<M8[D]", "(2, 81)"),
        ("|O", "(2,)"),
        ("<i3", "(2, 81)"),
        ("<f2", "(2, 81)"),
        ("<i8", "(1001,)"),
        ("<i8", "(2, 80)"),
        ("<i8", "(2, 9, 9, 10)"),
        ("<i8", "()"),
        ("é8", "(2, 81)"),
        ("|S99999999999", "(2,)"),
        ("<U0", "(2,)"),
        ("", "(2,)"),
    ] {
        let error = error(&npy(1, descr, false, shape, &[0; 2000]));
        assert!(error.contains("holds no puzzles"), "{descr} {shape}: {error}");
    }
    let huge = read_pipe(&npy(1, "<i8", false, "(18446744073709551615, 81)", &[]), 1).expect("an array");
    assert!(
        huge.error.expect("it is cut off").contains("row 1 of 18446744073709551615: the data ends there")
    );
    assert!(error(&npy(1, "<i8", true, "(2, 81)", &[])).contains("(2, 81) in Fortran order; write it in C"));
    assert!(error(&npy(1, "<i8", false, "(0, 81)", &[])).contains("has no rows"));
    for (header, reason) in [
        ("[]", "no dictionary"),
        ("{'descr': '<i8'", "no dictionary"),
        ("{'descr': [('a', '<i8')]}", "with fields"),
        ("{'shape': (99999999999999999999, 81)}", "no dictionary"),
        ("{'descr': '<i8', 'shape': (2, 81)}", "no dictionary"),
    ] {
        let bytes =
            [MAGIC, &[1, 0, u8::try_from(header.len()).expect("short"), 0], header.as_bytes()].concat();
        assert!(error(&bytes).contains(reason), "{header}: {}", error(&bytes));
    }
    assert!(error(b"\x93NUMPY\x04\0\x10\0").contains("version is 4"));
    assert!(error(b"\x93NUMPY\x02\0\xff\xff\xff\xff").contains("4294967295 bytes (expected at most 65536)"));
}
