//! Tests that go beyond the cases in the corpus: long documents, everything that a document can contain, and the
//! columns of records.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{json_candidates, xml_candidates};
use crate::input::reader::{Sample, TextReader};
use crate::input::testing::{assert_places, read, read_in, records_of};
use crate::input::{Dialect, Framing, InputError, MAX_LINE, ReadOptions};
use crate::record::Texts;

const PUZZLE: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107";
const SOLUTION: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// Opens a text in this framing.
fn opened(text: &str, framing: Framing, options: &ReadOptions) -> Result<Arc<dyn TextReader>, InputError> {
    let sample = Sample { name: "test", bytes: text.as_bytes(), is_whole: true, options };
    let dialect = Dialect::of(framing);
    let candidates = if framing == Framing::Xml { xml_candidates } else { json_candidates };
    candidates(&sample, Some(&dialect)).pop().expect("the framing is given")
}

fn reader(text: &str, framing: Framing) -> Arc<dyn TextReader> {
    opened(text, framing, &ReadOptions::default()).expect("there are no keys to miss")
}

/// Replaces `P` in quotes with the puzzle and `S` in quotes with the solution.
fn filled(text: &str) -> String {
    text.replace("\"P\"", &format!("\"{PUZZLE}\"")).replace("\"S\"", &format!("\"{SOLUTION}\""))
}

#[test]
fn a_key_that_is_said_chooses_the_puzzles() {
    let named = |text: &str, puzzle: &str, solution: Option<&str>| {
        let (puzzle_column, solution_column) = (Some(puzzle.to_owned()), solution.map(str::to_owned));
        let options = ReadOptions { puzzle_column, solution_column, ..ReadOptions::default() };
        let framing = if text.starts_with('[') { Framing::Json } else { Framing::Jsonl };
        let reader = opened(text, framing, &options).map_err(|error| error.to_string())?;
        let reading = read(&*reader, text);
        let clues = |grid: &str| grid.bytes().filter(u8::is_ascii_digit).count();
        let both = reading.records.iter().map(|record| (clues(&record.puzzle), clues(&record.claim)));
        Ok::<_, String>(both.collect::<Vec<_>>())
    };
    // The puzzle has 30 clues.
    let object = filled(r#"{"a": "P", "B": "S", "solution": "S", "t": "P"}"#);
    for text in [format!("[{object},\n {object}]"), format!("{object}\n{object}\n")] {
        assert_eq!(named(&text, "a", None), Ok(vec![(30, 81); 2]), "{text}");
        assert_eq!(named(&text, "b", Some("T")), Ok(vec![(81, 30); 2]), "{text}");
        let seen = "(columns seen: a, B, solution, t)";
        assert_eq!(named(&text, "c", None), Err(format!("test: no column 'c' {seen}")));
        assert_eq!(named(&text, "a", Some("c")), Err(format!("test: no column 'c' {seen}")));
    }
    let lists = filled(r#"[{"easy": ["P", "P"], "hard": ["S"], "solutions": ["P", "P"]}]"#);
    assert_eq!(named(&lists, "hard", None), Ok(vec![(81, 0)]));
    assert_eq!(named(&lists, "solutions", None), Ok(vec![(30, 0); 2]));
}

#[test]
fn what_stands_beside_a_puzzle_is_carried() {
    let lines = filled(
        "{\"id\": 1, \"puzzle\": \"P\", \"name\": \"a \\\"b\\\"\", \"x\": null}\n{\"puzzle\": \"P\", \"id\": [2], \
         \"n\\u0061me\": \"c\", \"solution\":\"S\"}\n",
    );
    let list = format!("[{}]", lines.trim().replace('\n', ",\n"));
    let xml = filled(
        "<a v=\"1\"><game id=\"1\" puzzle=\"P\" name='a &quot;b&quot;' />\n<p puzzle=\"P\" solution=\"S\" id=\"[2]\" \
         name=\"&#99;\" x=\"\"/></a>",
    );
    for (framing, text) in [(Framing::Jsonl, lines), (Framing::Json, list), (Framing::Xml, xml)] {
        let reader = reader(&text, framing);
        let columns = reader.columns();
        let index = |name: &str| columns.names.iter().position(|known| known == name);
        let of_grids = [index("puzzle"), index("solution")].map(|at| at.map(|at| at..at + 1));
        assert_eq!([columns.puzzle.clone(), columns.claim.clone()], of_grids, "{text}");
        let mut out = vec![Texts::default(); 3];
        let wanted = [index("id"), index("name"), None];
        reader.carry(text.as_bytes(), &records_of(&*reader, &text), &wanted, &mut out);
        let shown = |texts: &Texts| [0, 1].map(|row| texts.get(row).map(<[u8]>::to_vec));
        let text = |text: &str| Some(text.as_bytes().to_vec());
        let expected = [[text("1"), text("[2]")], [text("a \"b\""), text("c")], [None, None]];
        assert_eq!(out.iter().map(shown).collect::<Vec<_>>(), expected);
    }
    let claims = filled(r#"{"puzzle":"P","solution":"1\u0032"}"#);
    assert_eq!(reader(&claims, Framing::Jsonl).claim_text(claims.as_bytes()).as_deref(), Some(&b"12"[..]));
}

/// Long documents, each with its number of good records, bad records and skipped lines.
#[test]
fn long_documents_are_the_same_in_all_blocks() {
    let object = filled("{\"puzzle\":\"P\"},\n").repeat(1000);
    let game = filled("<g d=\"P\"/>\n").repeat(1000);
    let (spaces, number) = (" ".repeat(MAX_LINE), "7".repeat(MAX_LINE + 1));
    let (deep, deep_xml) = ("[".repeat(100_000), "<a>".repeat(200));
    let puzzle = filled("\"P\"");
    let texts = [
        (Framing::Json, format!("[{object}{{\"puzzle\":NaN}},\n{object}1]"), 2000, 1, 0),
        (Framing::Json, format!("{{\"a\":[{object},\n{object}1]}}"), 1000, 1, 1001),
        (Framing::Json, format!("[{{\"a\":[{object}\"x\n\",\n{object}1]}}]"), 1000, 1, 1002),
        (Framing::Json, format!("[{object}\n[{object}"), 2000, 1, 0),
        // An object that is too long is not a record, but its contents are.
        (Framing::Json, format!("[{{\"puzzle\":{puzzle},\"x\":[1,{spaces}7]}},{puzzle}]"), 2, 0, 0),
        (Framing::Json, format!("{{\"n\":{number},\"puzzle\":{puzzle}}}"), 1, 0, 0),
        (Framing::Json, format!("[{puzzle},\"{number}\",\n{puzzle}]"), 1, 1, 1),
        (Framing::Json, format!("{deep}{puzzle}"), 0, 1, 0),
        (Framing::Jsonl, format!("{{\"a\":{spaces}{puzzle}}}\n{puzzle}"), 1, 1, 0),
        (Framing::Xml, format!("<a>{game}<b c=1/>\n{game}</a>"), 2000, 1, 0),
        (Framing::Xml, format!("<a><b>{game}</c>\n{game}</b></a>"), 1000, 1, 1001),
        (Framing::Xml, format!("<a>{game}<b {puzzle}>\n{game}</b></a>"), 2000, 1, 0),
        (Framing::Xml, format!("<a d={puzzle}>{game}</a>\n{game}"), 2001, 0, 0),
        (Framing::Xml, format!("<a>{game}<b>{game}"), 2000, 1, 0),
        (Framing::Xml, format!("<a>{game}<b>{number}</b>\n{game}</a>"), 1000, 1, 1001),
        (Framing::Xml, format!("{deep_xml}{game}"), 0, 1, 999),
        (Framing::Xml, format!("<a>{game}<g d=\"7/>\n{game}</a>"), 1000, 1, 1000),
    ];
    for (framing, text, good, bad, passed) in texts {
        let reader = reader(&text, framing);
        let whole = read_in(&*reader, text.as_bytes(), text.len());
        let shown = &text[..text.len().min(30)];
        let count = whole.puzzles().iter().filter(|puzzle| puzzle.len() == 81).count();
        let counts = (count, whole.records.len() - count, whole.read.passed.lines);
        assert_eq!(counts, (good, bad, passed), "{framing:?} {shown}: {:?}", whole.records.last());
        for target in [1000, 50_000, 70_000, 300_000] {
            assert!(read_in(&*reader, text.as_bytes(), target) == whole, "{target}: {framing:?} {shown}");
        }
    }
}

/// PROMISE: broken-documents
#[test]
fn cut_off_anywhere_a_document_gives_what_is_whole() {
    let object = filled("{\"puzzle\":\"P\",\"solution\":\"S\"}");
    let text = format!("[{object},\n{object}]");
    for length in 1..text.len() {
        let records = read(&*reader(&text, Framing::Json), &text[..length]).records;
        let whole = usize::from(length > object.len()) + usize::from(length > 2 * object.len() + 2);
        assert_eq!(records.iter().filter(|record| !record.claim.is_empty()).count(), whole, "{length}");
        assert_eq!(records.len(), whole + 1, "{length}");
    }
}

/// Splits a grid into its rows.
fn split(grid: &str) -> Vec<&str> {
    grid.as_bytes().chunks(9).map(|row| str::from_utf8(row).expect("digits")).collect()
}

/// Returns JSON values that contain grids.
fn json() -> impl Strategy<Value = String> {
    let rows = format!("[\"{}\"]", split(PUZZLE).join("\",\n\""));
    let short = format!("\"{}\"", &SOLUTION[1..]);
    let leaves = ["\"P\"", "\"S\"", &rows, &short, "5", "\"x\\\"\"", "null", "[1,2,\n3]", "[]"].map(filled);
    let keys = ["puzzle", "solution", "id", "a", "b", "grid", "easy_puzzle"];
    select(leaves.to_vec()).prop_recursive(3, 64, 5, move |inner| {
        let member = (select(keys.to_vec()), inner.clone()).prop_map(|(key, it)| format!("\"{key}\":\n{it}"));
        prop_oneof![
            vec(member, 5).prop_map(|members| format!("{{{}}}", members.join(","))),
            vec(inner, 4).prop_map(|values| format!("[{}]", values.join(", "))),
        ]
    })
}

/// Returns XML documents that contain grids.
fn xml() -> impl Strategy<Value = String> {
    let rows = |grid| format!("<r>{}</r>\n", split(grid).join("</r>\n<r>"));
    let (puzzle, solution, lines) = (rows(PUZZLE), rows(SOLUTION), split(PUZZLE).join("\n"));
    let texts = [
        PUZZLE,
        SOLUTION,
        &lines,
        "\n",
        " x ",
        "<!-- < -->",
        "&amp;",
        "<r>103000509</r>",
        &puzzle,
        &solution,
    ];
    let games = ["<g d=\"P\"/>", "<g solution=\"S\" data=\"P\" n='a\nb'/>", "<s solution=\"S\"/>"];
    let leaves = prop_oneof![select(texts.map(filled).to_vec()), select(games.map(filled).to_vec())];
    let element = |(name, inside): (&str, Vec<String>)| format!("<{name}>{}</{name}>", inside.concat());
    let names = ["a", "puzzle", "solution"];
    let inside = leaves
        .prop_recursive(4, 64, 3, move |inner| (select(names.to_vec()), vec(inner, 3)).prop_map(element));
    inside.prop_map(|inside| format!("<t>{inside}</t>"))
}

proptest! {
    /// For any document, dividing it into blocks makes no difference, and each digit is at its reported place.
    #[test]
    fn any_document_gives_the_same_in_all_blocks_and_has_its_digits_in_their_places(json in json(), xml in xml()) {
        for (framing, text) in [(Framing::Json, json), (Framing::Xml, xml)] {
            let reader = reader(&text, framing);
            read(&*reader, &text);
            assert_places(&text, &*reader, &text);
        }
    }

    #[test]
    fn the_parser_of_the_library_takes_the_same_texts(
        pieces in vec(select(vec![
            "[", "]", "{", "}", ",", ":", "\"a\"", "1", "-", "null", " ", "\"", "\\", "\n", "{\"b\":2}", "[3]",
        ]), 0..9),
    ) {
        let text = format!("[{}]", pieces.concat());
        let mut stream = serde_json::Deserializer::from_str(&text).into_iter::<serde::de::IgnoredAny>();
        // A document must be a list, an object or a string.
        let is_json = stream.all(|value| value.is_ok()) && !text.contains("]1") && !text.contains("]null");
        let is_read = read(&*reader(&text, Framing::Json), &text).records.is_empty();
        prop_assert_eq!(is_read, is_json);
    }
}
