//! Documents and lines, and what they give.

use std::sync::Arc;

use super::json;
use crate::input::reader::{Sample, TextReader, Which};
use crate::input::testing::{Reading, read, read_in};
use crate::input::{Dialect, Framing, InputError, MAX_LINE, ReadOptions};
use crate::record::{Place, Records, Texts, Want};

pub(super) const PUZZLE: &str =
    "103000509002109400000704000300502006060000050700803004000401000009205800804000107";
pub(super) const SOLUTION: &str =
    "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// The reader that a text gets if it is told to be JSON or JSON Lines.
pub(super) fn reader(
    text: &str,
    framing: Framing,
    options: &ReadOptions,
) -> Result<Arc<dyn TextReader>, InputError> {
    let sample = Sample { name: "test", bytes: text.as_bytes(), is_whole: true, options };
    let told = Dialect::of(framing);
    json::candidates(&sample, Some(&told)).pop().expect("it is told")
}

pub(super) fn read_as(text: &str, framing: Framing) -> Reading {
    read(&*reader(text, framing, &ReadOptions::default()).expect("there are no columns to miss"), text)
}

fn document(text: &str) -> Reading {
    read_as(text, Framing::Json)
}

pub(super) fn dotted() -> String {
    PUZZLE.replace('0', ".")
}

/// The example as nine lists.
fn lists(blank: &str) -> String {
    let row = |row: &[u8]| {
        let cell = |&cell: &u8| if cell == b'0' { blank.to_owned() } else { char::from(cell).to_string() };
        format!("[{}]", row.iter().map(cell).collect::<Vec<_>>().join(", "))
    };
    format!("[{}]", PUZZLE.as_bytes().chunks(9).map(row).collect::<Vec<_>>().join(",\n"))
}

/// The rows of the example, joined.
fn rows(join: &str) -> String {
    let rows = PUZZLE.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row).into_owned());
    rows.collect::<Vec<_>>().join(join)
}

/// A text with the puzzle for `P`, the solution for `S` and lists for `L`, where they stand in quotes or alone.
fn filled(text: &str) -> String {
    let text = text.replace("\"P\"", &format!("\"{PUZZLE}\"")).replace("\"S\"", &format!("\"{SOLUTION}\""));
    text.replace("\"L\"", &lists("0")).replace("\"Q\"", &format!("\"{}\"", PUZZLE.replacen('3', "0", 1)))
}

/// What is read, in short: `P`, `S` and `Q` for those, `P=S` with a claim, else the fault.
fn short(reading: &Reading) -> Vec<String> {
    let other = dotted().replacen('3', ".", 1);
    let name = |grid: &str| match grid {
        grid if grid == dotted() => "P".to_owned(),
        grid if grid == SOLUTION => "S".to_owned(),
        grid if grid == other => "Q".to_owned(),
        grid => grid.to_owned(),
    };
    let shown = reading.records.iter().map(|record| match &*record.claim {
        "" => name(&record.puzzle),
        claim => format!("{}={}", name(&record.puzzle), name(claim)),
    });
    shown.collect()
}

#[test]
fn a_puzzle_in_every_shape() {
    let flat = |blank: &str| format!("[{}]", lists(blank).replace(['[', ']'], ""));
    let strings = format!("[\"{}\"]", rows("\",\n\""));
    let shapes = [
        format!("\"{PUZZLE}\""),
        format!("\"{}\"", PUZZLE.replace('0', "-")),
        format!("\"{}\"", PUZZLE.replace('0', " ")),
        format!("\"{}\"", rows("\\n")),
        format!("\"{}\\n\"", rows("\\r\\n")),
        format!("\"Solve this:\\n{}\"", rows("\\n")),
        format!("\"{}\"", rows(" ")),
        format!("\" {PUZZLE} # easy\""),
        lists("0"),
        lists("null"),
        lists("\"\""),
        lists("\".\""),
        lists("-1"),
        lists("0.0"),
        flat("0"),
        flat("null"),
        flat("\"\""),
        strings,
    ];
    for shape in shapes {
        for (text, count) in [
            (format!("[{shape},\n{shape}]"), 2),
            (format!("{{\"a\": {{\"x\": [{shape}, {shape}]}}}}\n"), 2),
            (format!("[{{\"puzzle\": {shape}, \"n\": 5}}, {{\"name\": \"a b\", \"other\": {shape}}}]"), 2),
            (format!("{{\"1\": {shape}, \"2\": {shape}}}"), 2),
            (format!("{{\"puzzle\": {shape}}}\n{{\"puzzle\" : {shape}}}\n"), 2),
            (format!(" [\r\n  [{shape}],\r\n  {shape},{shape}\r\n]\r\n"), 3),
            (shape.clone(), 1),
        ] {
            let reading = document(&text);
            assert_eq!(reading.puzzles(), vec![dotted(); count], "{text}");
            assert_eq!(reading.read.passed.lines, 0, "{text}");
        }
        let line = format!("{{\"a\": [{}]}}\n", shape.replace('\n', " "));
        assert_eq!(read_as(&line.repeat(2), Framing::Jsonl).puzzles(), [dotted(), dotted()], "{line}");
    }
}

/// Each text, the records in it and how many lines are passed over.
#[test]
fn keys_and_places_say_what_a_grid_is() {
    let table: &[(&str, &[&str], u64)] = &[
        // An object with one puzzle is a record, with the claim before or behind it.
        (r#"{"puzzle":"P","solution":"S"}"#, &["P=S"], 0),
        (r#"[{"solution":"S","meta":{"a":[1]},"puzzle":"P"}]"#, &["P=S"], 0),
        (r#"{"question":"P","answer":"S","solutions":1}"#, &["P=S"], 0),
        (r#"{"grid":"L","solution":"L"}"#, &["P=P"], 0),
        (r#"{"puzzle":"P","solution":null}"#, &["P"], 0),
        (r#"{"puzzle":"P","solution":""}"#, &["P"], 0),
        (r#"{"puzzle":"P","label":"easy"}"#, &["P"], 0),
        (r#"{"puzzle":"P","solution":"12"}"#, &["P=claimed solution: 2 cells (expected 81)"], 0),
        (
            r#"{"newboard":{"grids":[{"value":"L","solution":"S","difficulty":"Easy"}],"results":1}}"#,
            &["P=S"],
            0,
        ),
        (r#"{"rows":[{"row_idx":0,"row":{"question":"P","answer":"S","rating":3}}]}"#, &["P=S"], 0),
        // What no key names.
        (r#"{"x":"P","y":"S"}"#, &["P=S"], 0),
        (r#"[["P","S"],["Q","S"],["S"]]"#, &["P=S", "Q=S", "S"], 0),
        (r#"["P","S","Q","S"]"#, &["P", "S", "Q", "S"], 0),
        (r#"["P","Q"]"#, &["P", "Q"], 0),
        (r#"{"columns":["puzzle","solution"],"index":[0],"data":[["P","S"]]}"#, &["P=S"], 0),
        (r#"{"a":"P","b":"Q","c":{"d":"P"}}"#, &["P", "Q", "P"], 0),
        // A name counts before none; deeper ones belong to a record that has one.
        (r#"{"x":"Q","puzzle":"P","y":"Q"}"#, &["P"], 0),
        (r#"{"puzzle":"P","grid":"L"}"#, &["P"], 0),
        (r#"{"puzzle":"P","grid":"Q"}"#, &["P", "Q"], 0),
        (r#"{"puzzle":"P","states":["Q",{"puzzle":"Q"}],"solution":"S"}"#, &["P=S"], 0),
        (r#"{"states":["Q","P"],"id":3,"puzzle":"P","solution":"S"}"#, &["P=S"], 0),
        (r#"{"example":"P","list":["Q","P"]}"#, &["P", "Q", "P"], 0),
        // A puzzle that is a key, with what is no solution of it and with one.
        (r#"{"P": 1}"#, &["P"], 0),
        (r#"{"a":{"P":"S","Q":"S"}}"#, &["P=S", "Q=S"], 0),
        // Solutions apart from the puzzles are told.
        ("{\"puzzles\":[\"P\",\"Q\"],\n\"solutions\":[\"S\",\n\"S\"]}", &["P", "Q"], 1),
        ("{\"solutions\":[\"S\", \"S\"],\n\"puzzles\":[\"P\",\"Q\"]}", &["P", "Q"], 1),
        (r#"{"puzzle":{"0":"P","1":"Q"},"solution":{"0":"S","1":"S"}}"#, &["P", "Q"], 1),
        (r#"{"puzzle":{"grid":"L"},"solution":{"grid":"L"}}"#, &["P"], 1),
        (r#"{"solutions":[{"puzzle":"P","solution":"S"}]}"#, &["P=S"], 0),
        ("[\"P\",\n{\"solution\":\"S\"},\n\"Q\"]", &["P", "Q"], 1),
        // What is no grid is nothing, but where a key says that there is one.
        (r#"["P","17","easy",5,null,true,[],{},{"id":1,"size":[9,9]}]"#, &["P"], 0),
        (r#"[{"puzzle":"P","moves":[[0,1,5],[0,2,6],[0,3,7]],"tags":["a"]}]"#, &["P"], 0),
        (r#"[{"puzzle":null},{"id":5}]"#, &["1:12: no puzzle in this object (expected 81 cells)"], 0),
        (r#"[{"id":1,"board":[1,2]}]"#, &["1:18: no puzzle in this object (expected 81 cells)"], 0),
        (r#"{"puzzle":"easy ones","list":["P"]}"#, &["P"], 0),
        (r#"{"rows":"L","columns":"L","boxes":"L"}"#, &["P"], 0),
        (
            r#"{"columns":["100000000","200000000","300000000","400000000","500000000","600000000","700000000","800000000","900000000"]}"#,
            &["1:12: a grid by columns or boxes (expected its rows)"],
            0,
        ),
        ("", &[], 0),
        (" \n ", &[], 0),
        ("[]", &[], 0),
        ("{\"puzzles\"\n:\n[]}\n", &[], 0),
    ];
    for (text, records, passed) in table {
        let text = filled(text);
        let reading = document(&text);
        assert_eq!(
            (short(&reading), reading.read.passed.lines),
            (records.iter().map(|&record| record.to_owned()).collect(), *passed),
            "{text}"
        );
        // The same within a longer document.
        let text = format!("{{\"n\": [\"{PUZZLE}\",\n {}],\n\"end\": 1}}", text.trim());
        if records.len() > 1 || text.ends_with("}],\n\"end\": 1}") {
            let shown = short(&document(&text));
            let inner: Vec<_> =
                records.iter().filter(|record| !record.contains(':') || record.contains('=')).collect();
            if inner.len() == records.len() {
                assert_eq!(shown[1..], records[..], "{text}");
            }
        }
    }
}

#[test]
fn what_cannot_be_read_is_a_record_with_its_place() {
    let short_one = &PUZZLE[1..];
    let table = [
        (format!("\"{short_one}\""), "2:83: 80 cells (expected 81)"),
        (format!("\"q{short_one}\""), "2:3: invalid character 'q' (expected 1-9, 0 or .)"),
        (format!("{{\"puzzle\":\"{short_one}\"}}"), "2:93: 80 cells (expected 81)"),
        ("{\"puzzle\":null}".to_owned(), "2:12: no puzzle in this object (expected 81 cells)"),
        (lists("0").replacen("0, ", "", 1), "2:26: 8 cells (expected 9)"),
        (lists("0").replacen('0', "10", 1), "2:7: number '10' (expected a digit 1-9, 0 or .)"),
        (lists("0").replacen('0', "true", 1), "2:7: invalid character 't' (expected 1-9, 0 or .)"),
        (
            lists("0").replacen("[1, 0, 3, 0, 0, 0, 5, 0, 9],", "", 1),
            "10:28: cut-off grid: 8 rows (expected 9)",
        ),
        (format!("[{}]", vec!["1"; 80].join(",")), "2:162: 80 cells (expected 81)"),
        (
            format!("\"{}\"", ".23456789".repeat(81)),
            "2:84: 729 cells: a sukaku, which is not supported yet (expected 81)",
        ),
    ];
    for (inner, fault) in table {
        let text = filled(&format!("[{{\"puzzle\":\"P\"}},\n {inner},\n {{\"puzzle\":\"P\"}}]"));
        assert_eq!(short(&document(&text)), ["P", fault, "P"], "{text}");
    }
}

#[test]
fn what_is_broken_costs_the_object_or_list_around_it() {
    let table: &[(&str, &[&str], u64)] = &[
        (
            "[\"P\",\n,\"P\"]\nx y\nz\n",
            &["P", "2:1: ',' in JSON (expected a value)", "3:1: 'x' in JSON (expected a value)"],
            1,
        ),
        ("[{\"puzzle\":\"P\"},\n// x\n{\"puzzle\":\"P\"}]", &["P", "2:1: '/' in JSON (expected a value)"], 0),
        // The lists and objects around that one go on.
        (
            "[{\"puzzle\":\"P\",\"rating\":NaN},{\"puzzle\":\"P\"},{\"puzzle\":\"P\" \"x\":1},\"Q\"]",
            &[
                "1:105: 'N' in JSON (expected a value)",
                "P",
                "1:299: '\"' in JSON (expected a comma or the end of the object)",
                "Q",
            ],
            0,
        ),
        ("[\"P\",]", &["P", "1:86: ']' in JSON (expected a value)"], 0),
        ("{\"a\":\"P\",}", &["1:90: '}' in JSON (expected a key in quotes)"], 0),
        ("[\"P\", NaN]", &["P", "1:87: 'N' in JSON (expected a value)"], 0),
        ("[\"P\"}", &["P", "1:85: '}' in JSON (expected a comma or the end of the list)"], 0),
        (
            "{\"puzzle\":\"P\" \"solution\":1}",
            &["1:95: '\"' in JSON (expected a comma or the end of the object)"],
            0,
        ),
        ("{\"puzzle\" \"P\"}", &["1:11: '\"' in JSON (expected a colon)"], 0),
        ("[\"P\"]\n]\n\n[\"P\"]\n", &["P", "2:1: ']' in JSON (expected a value)"], 1),
        ("{'puzzle': 1}", &["1:2: ''' in JSON (expected a key in quotes)"], 0),
        (
            "[\"P\",\n\"P",
            &["P", "2:1: the end within 1 lists or objects that are not closed (truncated file?)"],
            0,
        ),
        (
            "{\"a\":[{\"puzzle\":\"P\",\n",
            &["2:1: the end within 3 lists or objects that are not closed (truncated file?)"],
            0,
        ),
        ("[01]", &["1:2: '0' in JSON (expected a value)"], 0),
        ("[\"\\x\"]", &["1:2: '\"' in JSON (expected a valid string)"], 0),
        ("[\"a\tb\"]", &["1:2: '\"' in JSON (expected a valid string)"], 0),
        ("[\"a\nb\"]", &["1:4: '\\n' in JSON (expected a string without line ends)"], 1),
    ];
    for (text, records, passed) in table {
        let text = filled(text);
        let reading = document(&text);
        assert_eq!(
            (short(&reading), reading.read.passed.lines),
            (records.iter().map(|&record| record.to_owned()).collect(), *passed),
            "{text}"
        );
    }
    let deep = format!("{}\"{PUZZLE}\"", "[".repeat(1000));
    assert_eq!(
        document(&deep).puzzles(),
        ["1:129: '[' in JSON (expected no more than 128 lists and objects within each other)"]
    );
}

#[test]
fn cut_off_anywhere_a_document_gives_what_is_whole() {
    let object = filled("{\"puzzle\":\"P\",\"solution\":\"S\"}");
    let text = format!("[{object},\n{object}]");
    for length in 1..text.len() {
        let records = document(&text[..length]).records;
        let whole = usize::from(length > object.len()) + usize::from(length > 2 * object.len() + 2);
        assert_eq!(records.iter().filter(|record| record.puzzle == dotted()).count(), whole, "{length}");
        assert_eq!(records.len(), whole + 1, "{length}");
    }
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }

    /// A value with grids in it.
    fn value(&mut self, depth: usize) -> String {
        let kind = self.below(if depth == 0 { 7 } else { 12 });
        let count = self.below(5);
        match kind {
            0..=3 => ["\"P\"", "\"S\"", "\"Q\"", "\"L\""][kind].to_owned(),
            4 => format!("\"{}\"", &SOLUTION[1..]),
            5 | 6 => ["5", "\"x\"", "null", "[1,2,\n3]", "[]"][count].to_owned(),
            7..=9 => {
                let keys = ["puzzle", "solution", "id", "a", "b", "grid"];
                let member = |random: &mut Self| {
                    format!("\"{}\":\n{}", keys[random.below(6)], random.value(depth - 1))
                };
                format!("{{{}}}", (0..count).map(|_| member(self)).collect::<Vec<_>>().join(","))
            }
            _ => format!("[{}]", (0..count).map(|_| self.value(depth - 1)).collect::<Vec<_>>().join(", ")),
        }
    }
}

#[test]
fn any_document_gives_the_same_in_blocks_of_all_sizes() {
    let mut random = Random(5);
    for _ in 0..150 {
        document(&filled(&random.value(3)));
    }
}

#[test]
fn the_parser_of_the_library_takes_the_same_texts() {
    let pieces =
        ["[", "]", "{", "}", ",", ":", "\"a\"", "1", "-", "null", " ", "\"", "\\", "\n", "{\"b\":2}", "[3]"];
    let mut random = Random(1);
    for _ in 0..2_000 {
        let text: String = (0..random.below(9)).map(|_| pieces[random.below(pieces.len())]).collect();
        let mut stream = serde_json::Deserializer::from_str(&text).into_iter::<serde::de::IgnoredAny>();
        let is_json = stream.all(|value| value.is_ok());
        let is_read = document(&text).records.is_empty();
        assert_eq!(is_read, is_json, "{text:?}");
    }
}

#[test]
fn records_have_paths_lines_and_places() {
    let text = filled("{\"a b\": [\n {\"puzzle\": \"L\"},\n  \"Q\"], \"x\": {\"1\": \"P\", \"2\": \"P\"}}");
    let reader = reader(&text, Framing::Json, &ReadOptions::default()).expect("there are no columns to miss");
    let mut records = Records::default();
    let block = crate::input::reader::Block {
        bytes: text.as_bytes(),
        state: &crate::input::reader::State::default(),
        is_last: true,
    };
    reader.read(&block, Want::default(), &mut records);
    let paths: Vec<_> = (0..records.len()).map(|row| records.paths.get(row).unwrap_or_default()).collect();
    assert_eq!(paths, ["$[\"a b\"][0]", "$[\"a b\"][1]", "$.x.1", "$.x.2"]);
    assert_eq!(records.lines(), [2, 11, 11, 11]);
    let list = records.spans()[0].of(text.as_bytes());
    for (cell, line, column) in [(0, 2, 14), (8, 2, 38), (9, 3, 2), (80, 10, 26)] {
        assert_eq!(reader.place(2, list, cell, Which::Puzzle), Place { line, column }, "{cell}");
    }
    let claims = filled(r#"{"puzzle":"P","solution":"1\u0032"}"#);
    assert_eq!(reader.claim_text(claims.as_bytes()).as_deref(), Some(&b"12"[..]));
    let string = records.spans()[1].of(text.as_bytes());
    assert_eq!(reader.place(11, string, 80, Which::Puzzle), Place { line: 11, column: 82 });
}

#[test]
fn cells_are_found_in_every_shape() {
    let surrogates = format!("\"\\ud83d\\ude00 \\u00e9:\\n{}\"", rows("\\n"));
    for value in [
        format!("\"{PUZZLE}\""),
        format!("\"{}\"", rows("\\n")),
        surrogates,
        format!("[\"{}\"]", rows("\", \"")),
        lists("\"\"").replace('\n', " "),
        format!("[{}]", lists("null").replace(['[', ']', '\n'], "")),
    ] {
        let record = format!("{{\"puzzle\":{value}}}");
        let reader =
            reader(&record, Framing::Json, &ReadOptions::default()).expect("there are no columns to miss");
        for (cell, digit) in [(0, '1'), (80, '7')] {
            let at =
                if cell == 0 { record.find(digit) } else { record.rfind(digit) }.expect("it is there") + 1;
            let place = reader.place(1, record.as_bytes(), cell, Which::Puzzle);
            assert_eq!(place, Place { line: 1, column: at as u64 }, "{value}");
        }
    }
}

#[test]
fn a_key_that_is_said_chooses_the_puzzles() {
    let named = |text: &str, puzzle: Option<&str>, solution: Option<&str>| {
        let [puzzle_column, solution_column] = [puzzle, solution].map(|name| name.map(str::to_owned));
        let options = ReadOptions { puzzle_column, solution_column, ..ReadOptions::default() };
        let framing = if text.starts_with('[') { Framing::Json } else { Framing::Jsonl };
        let reader = reader(text, framing, &options).map_err(|error| error.to_string())?;
        Ok::<_, String>(short(&read(&*reader, text)))
    };
    let object = filled(r#"{"a": "P", "B": "Q", "s": "S", "solution": "S", "t": "P"}"#);
    let found = |record: &str| Ok(vec![record.to_owned(); 2]);
    for text in [format!("[{object},\n {object}]"), format!("{object}\n{object}\n")] {
        assert_eq!(named(&text, Some("a"), None), found("P=S"), "{text}");
        assert_eq!(named(&text, Some("b"), None), found("Q=S"), "{text}");
        assert_eq!(named(&text, Some("b"), Some("T")), found("Q=P"), "{text}");
        let seen = "(columns seen: a, B, s, solution, t)";
        assert_eq!(named(&text, Some("c"), None), Err(format!("test: no column 'c' {seen}")));
        assert_eq!(named(&text, Some("a"), Some("c")), Err(format!("test: no column 'c' {seen}")));
    }
    let lists = filled(r#"[{"easy": ["P", "P"], "hard": ["Q"], "solutions": ["S"]}]"#);
    assert_eq!(named(&lists, Some("hard"), None), Ok(vec!["Q".to_owned()]));
    assert_eq!(named(&lists, Some("solutions"), None), Ok(vec!["S".to_owned()]));
}

#[test]
fn members_are_carried() {
    let text = filled(
        "{\"id\": 1, \"puzzle\": \"P\", \"name\": \"a \\\"b\\\"\", \"x\": null}\n{\"puzzle\": \"P\", \"id\": [2], \"n\\u0061me\": \"c\", \"solution\":\"S\"}\n",
    );
    for (framing, text) in
        [(Framing::Jsonl, text.clone()), (Framing::Json, format!("[{}]", text.trim().replace('\n', ",\n")))]
    {
        let reader = reader(&text, framing, &ReadOptions::default()).expect("there are no columns to miss");
        let columns = reader.columns();
        assert_eq!(columns.names, ["id", "puzzle", "name", "x", "solution"]);
        assert_eq!((columns.puzzle, columns.claim), (Some(1..2), Some(4..5)));
        let mut records = Records::default();
        let state = crate::input::reader::State::default();
        let block = crate::input::reader::Block { bytes: text.as_bytes(), state: &state, is_last: true };
        reader.read(&block, Want::default(), &mut records);
        let mut out = vec![Texts::default(); 4];
        reader.carry(text.as_bytes(), &records, &[Some(0), Some(2), None, Some(3)], &mut out);
        let shown = |texts: &Texts| {
            [0, 1].map(|row| texts.get(row).map(|text| String::from_utf8_lossy(text).into_owned()))
        };
        let shown: Vec<_> = out.iter().map(shown).collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            shown,
            [[text("1"), text("[2]")], [text("a \"b\""), text("c")], [None, None], [None, None]]
        );
    }
}

/// Lines, and what each gives: those of one shape and others among them.
#[test]
fn each_line_is_a_record() {
    let table: &[(&str, &str)] = &[
        (r#"{"puzzle":"P","solution":"S","id":3}"#, "P=S"),
        (r#"{"puzzle":"Q","solution":"S","id":30}"#, "Q=S"),
        (r#"{"puzzle":"Q","solution":"S","id":1e5}"#, "Q=S"),
        (r#"{"puzzle":"Q","solution":"S","id":03}"#, "35: '0' in JSON (expected a value)"),
        (r#"{"puzzle":"Q","solution":"S","id":3.}"#, "35: '3' in JSON (expected a value)"),
        (r#"{"puzzle":"Q","solution":"S","id":3.25}"#, "Q=S"),
        (r#"{"puzzle":"Q","solution":"","id":3}"#, "Q"),
        (r#"{"puzzle":"Q","solution":"12","id":3}"#, "Q=claimed solution: 2 cells (expected 81)"),
        (r#"{"puzzle":"P","solution":"12","id":3}"#, "P=claimed solution: 2 cells (expected 81)"),
        (r#"{"puzzle":"Q","solution":"S","id":"a"}"#, "Q=S"),
        (r#"{"puzzle":"Q","solution":"S","id":"b\"c"}"#, "Q=S"),
        (
            r#"{"puzzle":"Q","solution":"S","id":"c","#,
            "39: object that is not closed (expected a closing '}')",
        ),
        (r#"{"puzzle":"Q","solution":"S","id":"d"}}"#, "39: '}' in JSON (expected the end of the line)"),
        (r#" {"puzzle":"Q", "more":{"a":[1]}, "id":4} "#, "Q"),
        (r#" {"puzzle":"P", "more":{"a":[1]}, "id":5}"#, "P"),
        (r#"  "P""#, "P"),
        (r#"["P","S"]"#, "P=S"),
        (r#"["P","Q"]"#, "1: 2 puzzles on one line (expected 1; the format json reads them all)"),
        (r#"{"a":["P","Q"],"puzzle":"P"}"#, "P"),
        (r#"{"id":5}"#, "1: no puzzle in this line (expected 81 cells)"),
        (r#"{"solution":"S"}"#, "1: no puzzle in this line (expected 81 cells)"),
        (r#"{"puzzle":"P","#, "15: object that is not closed (expected a closing '}')"),
        (r#"{"puzzle":"Q"}"#, "Q"),
        ("puzzle,solution", "1: no JSON on this line (expected an object, a list or a string)"),
        ("{\"puzzle\":\"Q\"}\r", "Q"),
    ];
    let lines: Vec<_> = table.iter().map(|(line, _)| filled(line) + "\n\n").collect();
    let text = lines.concat();
    let reading = read_as(&text, Framing::Jsonl);
    assert_eq!((reading.read.lines, reading.read.passed.lines), (2 * table.len() as u64, 0));
    for (at, (record, (line, expected))) in reading.records.iter().zip(table).enumerate() {
        assert_eq!(record.line, 2 * at as u64 + 1);
        let shown = short(&Reading { records: vec![record.clone()], ..Reading::default() }).remove(0);
        // Columns of the table count each grid as one letter in quotes.
        let grids =
            line.matches("\"S\"").count() + line.matches("\"P\"").count() + line.matches("\"Q\"").count();
        let moved = |column: &str| {
            column.parse::<usize>().map(|column| if column > 3 { column + 80 * grids } else { column })
        };
        let expected = match expected.split_once(": ").map(|(column, fault)| (moved(column), fault)) {
            Some((Ok(column), fault)) => format!("{}:{column}: {fault}", record.line),
            _ => (*expected).to_owned(),
        };
        assert_eq!(shown, expected, "{line}");
    }
    assert_eq!(reading.records.len(), table.len());
}

#[test]
fn a_long_object_is_no_record_but_what_is_in_it() {
    let long = format!("{}7", " ".repeat(MAX_LINE));
    let table = [
        (format!("[{{\"puzzle\":\"P\",\"x\":[\"a\",{long}],\"solution\":\"S\"}},\"Q\"]"), &["P", "Q"][..]),
        (format!("{{\"n\":[1,{long}],\"puzzle\":\"P\",\"solution\":\"S\"}}"), &["P"]),
    ];
    for (text, expected) in table {
        let text = filled(&text);
        let reader =
            reader(&text, Framing::Json, &ReadOptions::default()).expect("there are no columns to miss");
        for target in [100_000, 4 * MAX_LINE] {
            assert_eq!(short(&read_in(&*reader, text.as_bytes(), target)), expected);
        }
    }
    let text = format!("{{\"a\":{long}}}\n");
    assert_eq!(
        read_in(
            &*reader(&text, Framing::Jsonl, &ReadOptions::default()).expect("there are no columns to miss"),
            text.as_bytes(),
            4 * MAX_LINE
        )
        .puzzles(),
        ["1:1: line longer than 1 MiB"]
    );
}

#[test]
fn what_is_broken_in_a_long_list_costs_the_same_in_all_blocks() {
    let good = filled("{\"puzzle\":\"P\"},\n").repeat(1000);
    let texts = [
        (format!("[{good}{{\"puzzle\":NaN}},\n{good}1]"), 2000, 1, 0),
        (format!("{{\"a\":[{good},\n{good}1]}}"), 1000, 1, 1001),
        (format!("{{\"a\":[{good}[}},\n{good}1]}}"), 1000, 1, 1001),
        (format!("[{{\"a\":[{good}\"x\n\",\n{good}1]}}]"), 1000, 1, 1002),
    ];
    for (text, good, bad, passed) in texts {
        let reader =
            reader(&text, Framing::Json, &ReadOptions::default()).expect("there are no columns to miss");
        let whole = read_in(&*reader, text.as_bytes(), text.len());
        let count = whole.puzzles().iter().filter(|&&puzzle| puzzle == dotted()).count();
        assert_eq!((count, whole.records.len() - count, whole.read.passed.lines), (good, bad, passed));
        for target in [1000, 50_000, 70_000] {
            assert_eq!(read_in(&*reader, text.as_bytes(), target), whole, "{target}");
        }
    }
}

/// The framings that are proposed for a text.
fn proposed(text: &str) -> Vec<Framing> {
    let options = ReadOptions::default();
    let sample = Sample { name: "test", bytes: text.as_bytes(), is_whole: true, options: &options };
    let candidates = json::candidates(&sample, None).into_iter();
    candidates.map(|reader| reader.expect("there are no columns to miss").dialect().framing).collect()
}

#[test]
fn a_value_on_the_first_of_several_lines_makes_lines() {
    use Framing::{Json, Jsonl};
    let table: &[(&str, &[Framing])] = &[
        ("", &[]),
        ("53..7....\n", &[]),
        ("\n {\"a\":1}\n\n{\"a\":2}\n", &[Jsonl]),
        ("{\"a\":1}\n", &[Json, Jsonl]),
        ("[[1,2],\n[3,4]]", &[Json]),
        ("{\n\"a\":1}\n{\n\"a\":1}\n", &[Json]),
        ("\"a\"\n\"b\"\n", &[Jsonl]),
        ("\"a\",\n\"b\"\n", &[]),
        ("{a: 1}\n", &[Json]),
        ("[\n1]\n", &[Json]),
        ("[INFO] 1\n[INFO] 2\n", &[]),
    ];
    for (text, framings) in table {
        assert_eq!(proposed(text), *framings, "{text}");
    }
}
