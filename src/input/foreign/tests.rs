use super::*;
use crate::input::testing::{PUZZLE, drain, open, rows};
use crate::input::{FormatChoice, OptionNames, ReadOptions};

const REGIONS: &str = "111122333111222333112222333444555666444555666444555666777888999777888999777888999";

fn refusal(bytes: &[u8]) -> String {
    match open(bytes, &ReadOptions::default()) {
        Err(InputError::Foreign { what, .. }) => what,
        Err(InputError::UnknownFormat { .. } | InputError::NoPuzzleColumn { .. }) => String::new(),
        other => panic!("{}: {other:?}", bytes[..bytes.len().min(60)].escape_ascii()),
    }
}

/// A square of that side whose cells are written by `cell`, every third blank.
fn square(side: usize, between: &str, cell: impl Fn(usize) -> String) -> String {
    let value = |at: usize| if at.is_multiple_of(3) { ".".to_owned() } else { cell(at % side) };
    let row =
        |row: usize| (0..side).map(|column| value(row * side + column)).collect::<Vec<_>>().join(between);
    (0..side).map(|at| row(at) + "\n").collect()
}

/// A square of numbers.
fn matrix(side: usize, number: impl Fn(usize, usize) -> usize) -> String {
    let row =
        |row| (0..side).map(|column| number(row, column).to_string()).collect::<Vec<_>>().join(" ") + "\n";
    (0..side).map(row).collect()
}

/// As it is and without its lines.
fn square_and_line(side: usize, cell: impl Fn(usize) -> String) -> [String; 2] {
    let square = square(side, "", cell);
    [square.repeat(3), format!("{}\n", square.replace('\n', ""))]
}

#[test]
fn binary_files_are_named_whatever_they_are_said_to_be() {
    // Most kinds are in `tests/it/refusals.rs`.
    let zip = |name: &str| [b"PK\x03\x04", &[0; 26][..], name.as_bytes(), b"..."].concat();
    let table: Vec<(Vec<u8>, &str)> = vec![
        ([zip("[Content_Types].xml"), zip("xl/workbook.xml")].concat(), "an Excel workbook (.xlsx)"),
        (zip("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), "an OpenDocument sheet (.ods)"),
        (zip("arr_0.npy"), "numpy arrays (.npz)"),
        (b"RIFF\x10\0\0\0WEBPVP8 ".to_vec(), "a WebP image"),
        (b"\x7fELF\x02\x01".to_vec(), "a program"),
        (b"\x89HDF\r\n\x1a\n".to_vec(), "an HDF5 file"),
        (b"ORC\x13\0\0\x0a\x07".to_vec(), "an ORC file"),
    ];
    for (bytes, what) in table {
        assert_eq!(refusal(&bytes), what);
        let options = ReadOptions { format: FormatChoice::named("line"), ..ReadOptions::default() };
        assert!(matches!(open(&bytes, &options), Err(InputError::Foreign { .. })), "{what}");
    }
    for bytes in [&[0; 100_000][..], b"\x01\x02\0\x05 abc \n \0\0\xff"] {
        assert_eq!(refusal(bytes), "binary data");
    }
}

#[test]
fn texts_of_other_kinds_are_named() {
    let digit = |at: usize| (at + 1).to_string();
    let letter = |at: usize| char::from(b'A' + at as u8).to_string();
    let hexadecimal = |at: usize| format!("{at:X}");
    let jigsaw = format!(
        "{}\n{}",
        rows(),
        REGIONS.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>()
    );
    let wing = "1........2...3....\n".repeat(6);
    let body = "1........2...3.......\n".repeat(3);
    let samurai = format!("{wing}{body}{}{body}{wing}", "...1.....\n".repeat(3));
    let bits = "zeros and ones: a matrix, or a vector for each cell";
    let clues = |between: &str, first: usize| -> String {
        let cells = PUZZLE.chars().enumerate().filter(|&(_, value)| value != '0');
        cells
            .map(|(at, value)| format!("{}{between}{}{between}{value}\n", at / 9 + first, at % 9 + first))
            .collect()
    };
    let edges = |before: &str, between: &str| -> String {
        (1..=200).map(|at| format!("{before}{}{between}{}\n", at % 81 + 1, at * 7 % 80 + 1)).collect()
    };
    let one_hot = |between: &str, cells: &str| {
        let vector = |value: char| {
            ('1'..='9').map(|digit| if digit == value { "1" } else { "0" }).collect::<Vec<_>>().join(between)
        };
        PUZZLE.chars().map(vector).collect::<Vec<_>>().join(cells) + "\n"
    };
    let mut table: Vec<(String, &str)> = vec![
        ("\n<!DOCTYPE HTML>\n<html><pre>\n".to_owned() + &rows(), "an HTML page"),
        ("<?xml version=\"1.0\"?>\n<svg>\n".to_owned(), "an SVG image"),
        ("<?xml version=\"1.0\"?>\n<books>\n".to_owned(), "XML of no kind that is known"),
        ("c a comment\nc\np cnf 729 8829\n1 -2 0\n".to_owned(), "a DIMACS formula"),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:12\n".to_owned(),
            "a pointer of Git LFS, not the file itself",
        ),
        (
            "import java.util.*;\n\npublic class Sudoku {\n  private int x;\n}\n".to_owned(),
            "the source code of a program",
        ),
        ("12 A1 A2\n7 B1 C1\n15 A3 B3 C3\n".to_owned(), "killer sudokus (cages with their sums)"),
        (
            "3 0,0 0,1\n15 0,2 0,3 0,4\n25 1,0 1,1 2,0 2,1\n".to_owned(),
            "killer sudokus (cages with their sums)",
        ),
        (
            "{\"cages\": [{\"sum\": 3, \"cells\": [[0, 0], [0, 1]]}]}\n".to_owned(),
            "killer sudokus (cages with their sums)",
        ),
        (
            format!("[{{\"puzzle\": \"{}\", \"cages\": [{{\"sum\": 3}}]}}]\n", ".".repeat(81)),
            "killer sudokus (cages with their sums)",
        ),
        (
            "18,0,0,0,1,1,0,1,1\n12,2,0,3,0\n23,7,0,7,1,7,2\n".to_owned(),
            "killer sudokus (cages with their sums)",
        ),
        ("r1c1+r1c2=9\nr2c1+r2c2=11\nr3c3+r3c4=4\n".to_owned(), "killer sudokus (cages with their sums)"),
        (
            "% clues\n\ninitial(1,3,5).\n".to_owned() + &"initial(2, 3, 3).\n".repeat(20),
            "cells one by one, as facts of a program",
        ),
        (
            format!("% hard\nrules(standard).\nplaced({}).\n", "3,1,9; 8,1,4; ".repeat(10)),
            "cells one by one, as facts of a program",
        ),
        ("let given[1,1,8] := 1;\n".repeat(17), "cells one by one, as facts of a program"),
        (
            format!("SAT\n{} 0\n", (1..730).map(|at| format!("-{at}")).collect::<Vec<_>>().join(" ")),
            "the answer of a SAT solver",
        ),
        (format!("{}\n", "Project A,M1,Contractor B\n".repeat(30)), ""),
        ("18.1354939938\n".repeat(20), ""),
        ("5...2....".repeat(81) + "\n", "sukakus (729 candidates each)"),
        ("12 3 4 5 6 7 8 9 12\n".repeat(9), "grids of candidates"),
        (jigsaw, "jigsaw sudokus (grids with a map of their regions)"),
        (format!("{PUZZLE} {REGIONS}\n"), "jigsaw sudokus (grids with a map of their regions)"),
        (format!("{PUZZLE}{REGIONS}\n"), "jigsaw sudokus (grids with a map of their regions)"),
        (samurai, "samurai sudokus (five grids that overlap)"),
        (format!("# Samurai Sudoku 12\n{}", rows()), "samurai sudokus"),
        (format!("Sudoku X\n\n{}", rows()), "diagonal sudokus (X)"),
        (format!("X-Sudoku\n{PUZZLE}\n"), "diagonal sudokus (X)"),
        (format!("# X-Sudoku, hard\n{PUZZLE}\n"), "diagonal sudokus (X)"),
        (
            format!("{{\"name\": \"x\", \"cages\": {{\"a1a2\": 3}}, \"puzzle\": \"{}\"}}\n", ".".repeat(81)),
            "killer sudokus (cages with their sums)",
        ),
        (format!("[{{\"p\": \"{PUZZLE}\"}}, {{\"p\": \"{PUZZLE}\", \"XSudoku\": true}}]\n"), "diagonal sudokus (X)"),
        (format!("{{\"p\": \"{PUZZLE}\", \"type\": \"Jigsaw Sudoku\"}}\n"), "jigsaw sudokus"),
        (
            format!(
                "# The output is:\n{}cages = [{}]\n",
                rows(),
                "[15, [[1, 3], [1, 4], (1, 5)]],\n".repeat(27)
            ),
            "killer sudokus (cages with their sums)",
        ),
        (square(4, " ", digit), "sudokus of 4 x 4 cells"),
        ("1 .|. 4\n. 3|. .\n---+---\n. .|3 .\n2 .|. 1\n".to_owned(), "sudokus of 4 x 4 cells"),
        (format!("{{Sudoku:\n{0}}}\n{{Killer:\n{0}}}\n", rows()), "killer sudokus (cages with their sums)"),
        (format!("{{Tower:\n{}}}\n", rows()), "skyscraper sudokus (towers seen from the sides)"),
        (clues(" ", 1), "cells one by one: row, column, value"),
        (clues(",", 0), "cells one by one: row, column, value"),
        (format!("row\tcol\tvalue\n{}", clues("\t", 1)), "cells one by one: row, column, value"),
        (format!("28\n{}", clues(", ", 1)), "cells one by one: row, column, value"),
        (format!("c x\np edge 81 810\n{}", edges("e ", " ")), "a graph (DIMACS)"),
        (edges("e ", " "), "pairs of numbers, like the edges of a graph"),
        (edges("", " ") + PUZZLE + "\n", "pairs of numbers, like the edges of a graph"),
        (format!("{}\n", "7".repeat(50)).repeat(30), "numbers of 50 digits each"),
        ((1..50).map(|at| format!("{at:09}\n")).collect(), "numbers in ascending order, like ids"),
        ("a:\n".to_owned() + &"  - - 1\n    - 2\n".repeat(30), "lists of numbers in YAML"),
        (format!("TYPE: TSP\nNODE_COORD_SECTION\n{}EOF\n", edges("1 ", " ")), "a problem of TSPLIB"),
        (edges("", " "), "pairs of numbers, like the edges of a graph"),
        (edges("", ","), "pairs of numbers, like the edges of a graph"),
        (matrix(21, |row, column| 37 * row * column % 97), "a matrix of numbers, 21 a line"),
        (matrix(21, |row, column| 37 * row * column % 7), "a matrix of numbers, 21 a line"),
        (matrix(9, |row, column| 100 + row * column), "a matrix of numbers, 9 a line"),
        (matrix(12, usize::abs_diff), "a matrix of numbers, 12 a line"),
        (matrix(9, |row, column| row * column).repeat(9), "a matrix of numbers, 9 a line"),
        ("2021-02-11\n2021-03-12\n".repeat(40), ""),
        ("d41d8cd98f00b204e9800998ecf8427e\n".repeat(40), ""),
        (matrix(27, |row, column| row * column % 2), bits),
        (matrix(81, |row, column| row * column % 2).replace(' ', ""), bits),
        (one_hot(",", "\n"), bits),
        (one_hot("", "\n"), bits),
        (one_hot(",", ","), bits),
        (one_hot("", ""), bits),
        (
            "num(1..9).\n:- cell(R,C,N), num(N).\n1 { cell(R,C,N) } 1 :- num(R).\na :- b.\n".to_owned(),
            "the source code of a program",
        ),
        (
            "section .text\nglobal main\nmain:\n    mov rax, 1\nnext: inc rax\n    cmp rax, 9\n    jne next\n    ret\n"
                .to_owned(),
            "the source code of a program",
        ),
        (
            "10 REM SUDOKU\n20 DIM A(9,9)\n30 FOR I=1 TO 9\n40 READ A(I,1)\n50 NEXT I\n60 DATA 1,2\n70 DATA 3,4\n"
                .to_owned(),
            "the source code of a program",
        ),
        (square(12, " ", digit), "sudokus of 12 x 12 cells"),
        (square(16, ",", digit), "sudokus of 16 x 16 cells"),
    ];
    for (side, what) in
        [(4, "sudokus of 4 x 4 cells"), (6, "sudokus of 6 x 6 cells"), (8, "sudokus of 8 x 8 cells")]
    {
        table.extend(square_and_line(side, digit).map(|text| (text, what)));
    }
    table.extend(square_and_line(16, letter).map(|text| (text, "sudokus of 16 x 16 cells")));
    table.extend(square_and_line(16, hexadecimal).map(|text| (text, "sudokus of 16 x 16 cells")));
    table.extend(square_and_line(25, letter).map(|text| (text, "sudokus of 25 x 25 cells")));
    for (text, what) in table {
        assert_eq!(refusal(text.as_bytes()), what, "{text}");
    }
}

#[test]
fn zeros_beside_dots_are_digits_where_no_row_has_two_and_no_cell_is_nine() {
    let from_zero: String = PUZZLE
        .chars()
        .map(|cell| match cell {
            '1'..='9' => char::from_u32(cell as u32 - 1).expect("a digit"),
            _ => '.',
        })
        .collect();
    let grid = |cells: &str| {
        cells.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>()
    };
    let with_nine = from_zero.replace('8', "9");
    let minus_one = |cells: &str| {
        let cells: Vec<_> = cells.split("").filter(|cell| !cell.is_empty()).collect();
        cells.chunks(9).map(|row| row.join(" ").replace('.', "-1") + "\n").collect::<String>()
    };
    let spaced = minus_one(&from_zero);
    for text in [
        format!("{from_zero}\n"),
        grid(&from_zero),
        format!("{} rated\n", grid(&from_zero)),
        format!("order 9\t3\n{spaced}"),
        spaced.trim_end().replace('\n', " "),
    ] {
        assert_eq!(refusal(text.as_bytes()), "puzzles with the digits 0 to 8", "{text}");
    }
    for text in [with_nine, from_zero.replace('.', "0"), from_zero.replace('0', ".")] {
        assert_eq!(
            drain(open(grid(&text).as_bytes(), &ReadOptions::default()).expect(&text), 100).records.len(),
            1
        );
    }
}

/// Each is read, whatever else it looks like.
#[test]
fn puzzles_stay_puzzles() {
    let list = format!("{PUZZLE}\n").repeat(3);
    let grids = rows() + "\n" + &rows() + "\n" + &rows();
    let small = square(4, "", |at| (at + 1).to_string());
    let same: String = (1..=9).map(|row| row.to_string().repeat(9) + "\n").collect();
    let minus_one: String = PUZZLE
        .as_bytes()
        .chunks(9)
        .map(|row| {
            row.iter()
                .map(|&cell| match cell {
                    b'0' => "-1 ".to_owned(),
                    cell => format!("{} ", char::from(cell)),
                })
                .collect::<String>()
                + "\n"
        })
        .collect();
    let boxes: String =
        ["111222333\n", "444555666\n", "777888999\n"].iter().map(|row| row.repeat(3)).collect();
    for text in [
        format!("{list}{small}"),
        format!("{small}\n{list}"),
        format!("{list}5...2....{}\n", "5...2....".repeat(80)),
        format!("# from the forum of killer sudoku players, but these are none of that kind\n{list}"),
        format!("# sudoku xtreme\n{list}"),
        format!("# solved with X-Sudoku 2\n{list}"),
        format!("{{\"cages\": [], \"puzzles\": [{0}, {0}, {0}]}}", format!("\"{PUZZLE}\"")),
        format!("{list}{PUZZLE} {REGIONS}"),
        // The boxes, rows and columns of every sudoku, as programs have them, say nothing of those beside them.
        format!("{grids}\n{boxes}\n{}\n{same}", "123456789\n".repeat(9)),
        format!("{grids}\n12 A1 A2\n7 B1 C1\n15 A3 B3 C3\n"),
        format!("BM\n{list}"),
        format!("ORC\n{list}"),
        format!(
            "[{}]",
            format!("{{\"p\": \"{PUZZLE}\", \"XSudoku\": false, \"type\": \"easy\"}},\n").repeat(3)
        ),
        // One clue each, and it is a 1.
        (0..40).map(|at| format!("{}1{}\n", "0".repeat(at), "0".repeat(80 - at))).collect(),
        format!("{PUZZLE},4.3E+78\n{list}"),
        // A formula has other negative numbers.
        ["100", "2021", "12345"].map(|title| format!("{title}\n{minus_one}")).concat(),
        format!("{minus_one}12345\n{minus_one}\n{minus_one}"),
        "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n".repeat(4),
    ] {
        let source = open(text.as_bytes(), &ReadOptions::default()).expect(&text);
        let readable = drain(source, 1000).show().iter().filter(|shown| !shown.contains(": ")).count();
        assert!(readable >= 3, "{readable}: {text}");
    }
}

#[test]
fn a_refusal_says_what_to_do() {
    let told = |error: InputError| {
        let names = OptionNames { pipe: "| batchdoku ... -", ..OptionNames::LIBRARY };
        format!("{error}; {}", error.hint(&names).expect("advice"))
    };
    let error = |name| told(by_magic(name, b"\xfd7zXZ\0", None).expect("known"));
    let twice = |magic: &[u8]| told(by_magic("a.gz", magic, Some("gzip")).expect("known"));
    assert!(
        twice(b"\xfd7zXZ\0").ends_with("; decompress it twice: gzip -dc a.gz | xz -dc | batchdoku ... -")
    );
    assert!(
        twice(b"\x28\xb5\x2f\xfd")
            .ends_with("; decompress it twice: gzip -dc a.gz | zstd -dc | batchdoku ... -")
    );
    assert!(twice(b"PK\x03\x04").ends_with("; unpack it: unzip -p a.gz | batchdoku ... -"));
    let expected = |file| {
        format!(
            "xz data (expected puzzles or results as text); decompress it: xz -dc {file} | batchdoku ... -"
        )
    };
    assert_eq!(error("a/b-1.xz"), format!("a/b-1.xz: {}", expected("a/b-1.xz")));
    assert_eq!(error("my list.xz"), format!("my list.xz: {}", expected("'my list.xz'")));
    assert_eq!(error("it's"), format!("it's: {}", expected(r"'it'\''s'")));
    assert_eq!(error("-"), format!("-: {}", expected("FILE")));
    let digits = |letters: &[u8; 9]| {
        let letter =
            |digit: u8| if digit > b'0' { char::from(letters[usize::from(digit - b'1')]) } else { '.' };
        PUZZLE.bytes().map(letter).collect::<String>() + "\n"
    };
    for letters in ["ABCDEFGHI", "qrstuvwxy"] {
        let text = digits(letters.as_bytes().as_array().expect("nine"));
        let error = open(text.as_bytes(), &ReadOptions::default()).expect_err("letters");
        let error = told(error);
        assert!(error.contains(&format!("tr {letters} 123456789 <")), "{error}");
    }
}
