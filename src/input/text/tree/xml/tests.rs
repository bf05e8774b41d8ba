//! Documents and what is in them.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::input::ReadOptions;
use crate::input::testing::{Reading, read, read_in};
use crate::record::Texts;

/// The puzzle of BOJ 2239, and its solution.
const CLUES: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107";
const SOLUTION: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// The puzzle as it is shown.
fn dotted() -> String {
    CLUES.replace('0', ".")
}

/// The puzzle in elements, one for each row.
fn rows(cells: &str) -> String {
    let rows: Vec<_> = cells.as_bytes().chunks(9).map(String::from_utf8_lossy).collect();
    format!("<r>{}</r>\n", rows.join("</r>\n<r>"))
}

/// The sample that a text is.
fn reader_of(text: &str, told: Option<Framing>) -> Option<Arc<dyn TextReader>> {
    let options = ReadOptions::default();
    let sample = Sample { name: "test", bytes: text.as_bytes(), is_whole: true, options: &options };
    let told = told.map(Dialect::of);
    candidates(&sample, told.as_ref())
        .into_iter()
        .next()
        .map(|reader| reader.expect("it has no columns to ask for"))
}

fn show(text: &str) -> Reading {
    read(&*reader_of(text, Some(Framing::Xml)).expect("it was told"), text)
}

/// Puzzles, claims and lines that are passed over.
type Shown = (Vec<String>, Vec<String>, u64);

fn shown(text: &str) -> Shown {
    let reading = show(text);
    let own = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    (own(reading.puzzles()), own(reading.claims()), reading.read.passed.lines)
}

/// What shows `count` of the puzzle, with claims or not.
fn good(count: usize, claims: bool) -> Shown {
    (vec![dotted(); count], vec![if claims { SOLUTION } else { "" }.to_owned(); count], 0)
}

/// A game as `OpenSudoku` keeps it: the givens of the puzzle, and all other cells filled in.
fn game(version: &str, notes: &str, line_end: &str) -> String {
    let cells = CLUES.chars().zip(SOLUTION.chars()).map(|(given, digit)| match given {
        '0' => format!("{digit}|{notes}1|"),
        _ => format!("{given}|{notes}0|"),
    });
    format!("version: {version}{line_end}{}", cells.collect::<String>())
}

#[test]
fn golden_inputs_have_the_puzzles_of_the_judge() {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>().replace('0', ".");
    let one = digits(include_str!("../../../../../data/judge/boj2239.in"));
    let two = digits(include_str!("../../../../../data/judge/boj2580.in"));
    for (text, lines) in [
        (include_str!("../../../../../tests/golden/xml-opensudoku.opensudoku"), [4, 5, 6]),
        (include_str!("../../../../../tests/golden/xml-rows.xml"), [3, 14, 25]),
        (include_str!("../../../../../tests/golden/xml-texts.xml"), [1, 1, 1]),
    ] {
        assert!(reader_of(text, None).is_some());
        let reading = show(text);
        assert_eq!(reading.puzzles(), [&one, &two, &one], "{text}");
        assert!(reading.records.iter().map(|record| record.line).eq(lines), "{text}");
        assert_eq!(reading.read.passed, Passed::default(), "{text}");
    }
}

#[test]
fn puzzles_stand_in_attributes_texts_and_rows() {
    let escaped = format!("&#49;{}", &CLUES[1..]);
    for puzzle in [
        format!("<game data=\"{CLUES}\" />"),
        format!("<game created='1' data='{}' time=\"0\"></game>", dotted()),
        format!("<game data=\"{escaped}\"/>"),
        format!("<game state=\"1\" data=\"{}\"/>", game("1", "1,2,|", "&#10;")),
        format!("<game data=\"{}\"/>", game("2", "0|", "\n")),
        format!("<game data=\"{}\"/>", game("4", "0|12|", "&#xA;")),
        format!("<puzzle id=\"5\">{CLUES}</puzzle>"),
        format!("<p>\n  {CLUES}\n</p>"),
        format!("<p>{escaped}</p>"),
        format!("<p><!-- 1 --><![CDATA[{CLUES}]]></p>"),
        format!("<p><![CDATA[\n{}]]></p>", rows(CLUES).replace("<r>", "").replace("</r>", "")),
        format!("<grid>\n{}</grid>", rows(CLUES)),
        format!("<x:grid xmlns:x=\"y\">{}</x:grid>", rows(CLUES).replace("<r>", "<r n='1'><!-- a -->")),
        format!("<grid>{}</grid>", rows(CLUES).replace("<r>", "<r v=\"").replace("</r>", "\"/>")),
        format!("<grid>{}</grid>", rows(CLUES).replace("</r>", "</r><level>3</level>")),
    ] {
        let text = format!(
            "<?xml version=\"1.0\"?>\r\n<!-- <game data=\"1\"> -->\n<opensudoku version=\"2\">\n<name>a 12</name>\n\
             <folder name=\"x\">{puzzle}\n{puzzle}</folder></opensudoku>\n"
        );
        assert_eq!(shown(&text), good(2, false), "{text}");
        // Behind a document another may follow.
        assert_eq!(shown(&format!("{text}{text}")), good(4, false), "{text}");
    }
}

#[test]
fn a_claim_is_known_by_its_name_and_stands_within_the_same_element() {
    let (p, s) = (CLUES, SOLUTION);
    for text in [
        format!("<e><p>{p}</p>\n<solution>{s}</solution></e>"),
        format!("<e><p>{p}</p><level>3</level><solution>{s}</solution></e>"),
        format!("<e solution=\"{s}\" data=\"{p}\"/>"),
        format!("<e puzzle=\"{p}\"><answer>{s}</answer></e>"),
        format!("<puzzle>{p}</puzzle><solution>{s}</solution>"),
        format!("<e><puzzle>{}</puzzle><solution>{}</solution></e>", rows(p), rows(s)),
        format!("<e>{}<solution>{s}</solution></e>", rows(p)),
    ] {
        let list = format!("<puzzles>\n{}\n</puzzles>\n", text.repeat(3));
        assert_eq!(shown(&list), good(3, true), "{list}");
    }
    let claims = |text: String| shown(&format!("<a>\n{text}</a>"));
    let other = |puzzles: usize, claims: &[&str], passed: u64| {
        (vec![dotted(); puzzles], claims.iter().map(|&claim| claim.to_owned()).collect::<Vec<_>>(), passed)
    };
    // A puzzle without a claim takes none of another element.
    let apart = format!("<e><p>{p}</p></e>\n<e><solution>{s}</solution>\n<p>{p}</p></e>\n");
    assert_eq!(claims(apart), other(2, &["", ""], 1));
    // Each solution without a puzzle before it is told.
    let lists = format!("<p>{p}</p>\n<p>{p}</p>\n<solutions>\n<s>{s}</s>\n<s>{s}</s></solutions>\n");
    assert_eq!(claims(format!("<list>{lists}</list>")), other(2, &["", s], 1));
    assert_eq!(
        claims(format!("<list><p>{p}</p></list><solutions><s>{s}</s></solutions>")),
        other(1, &[""], 1)
    );
    let alone = format!("<s>{s}</s>").repeat(5);
    assert_eq!(
        claims(format!("<p>{p}</p><solutions>{alone}</solutions><answers>{alone}</answers>")),
        other(1, &[s], 9)
    );
    let short = claims(format!("<e><p>{p}</p><solution>{}</solution></e>", &s[1..]));
    assert_eq!(short.1, ["claimed solution: 80 cells (expected 81)"]);
}

#[test]
fn what_cannot_be_read_is_an_invalid_record_at_its_place() {
    let good = format!("<game data=\"{CLUES}\"/>\n");
    let (short, odd) = (&CLUES[..50], CLUES.replace('5', "q"));
    for (bad, fault) in [
        (format!("<game data=\"{short}\"/>\n"), "3:63: 50 cells (expected 81)"),
        (format!("<p>{short}</p>"), "3:54: 50 cells (expected 81)"),
        (format!("<p>\n {odd}</p>\n"), "4:8: invalid character 'q' (expected 1-9, 0 or .)"),
        (format!("<g>{}</g>", rows(&CLUES[..72])), "10:13: cut-off grid: 8 rows (expected 9)"),
        (format!("<g>{}</g>", rows(&CLUES.repeat(2)[..90])), "12:13: 10 rows (expected 9)"),
        (format!("<g>{}</g>", rows(CLUES).replacen("<r>1", "<r>", 1)), "3:15: 8 cells (expected 9)"),
        (format!("<game data=\"{}\"/>\n", &game("1", "0|", " ")[..311]), "3:318: 50 cells (expected 81)"),
        (
            rows(CLUES).replace("<r>", "<Column>").replace("</r>", "</Column>"),
            "3:9: a grid by columns or boxes (expected its rows)",
        ),
        (
            format!("<game data=\"{}\"/>", game("1", "0|", " ").replacen(" 1|", " 12|", 1)),
            "3:24: number '12' (expected a digit 1-9, 0 or .)",
        ),
    ] {
        let text = format!("<a>\n{good}{bad}{good}</a>");
        assert_eq!(show(&text).puzzles(), [&dotted(), fault, &dotted()], "{text}");
    }
}

#[test]
fn what_is_no_xml_ends_the_document() {
    let good = format!("<game data=\"{CLUES}\"/>\n");
    let tag = "tag that is not closed (expected a closing '>')";
    let attribute = "no XML from here on: an attribute that is not name=\"value\"";
    let cut_off =
        |elements| format!("the end within {elements} elements that are not closed (truncated file?)");
    for (bad, fault, passed) in [
        (format!("<b>\n<game data=\"{CLUES}/>\n{good}</b></a>"), format!("4:1: {tag}"), 2),
        (format!("<game data={CLUES}/>\n{good}\n</a>"), format!("3:1: {attribute}"), 2),
        (
            format!("<b>\n</c>\n{good}</a>"),
            "4:1: element that is not closed (expected a closing '</b>')".into(),
            2,
        ),
        (format!("</a>\n</b>\n{good}"), "4:1: no XML from here on: an end tag without its start".into(), 1),
        (format!("<game data=\"{}", &CLUES[..40]), format!("3:1: {tag}"), 0),
        ("<!-- a".to_owned(), format!("3:1: {tag}"), 0),
        (String::new(), format!("2:97: {}", cut_off(1)), 0),
        ("<b>\n<c><d>1</d>\n".to_owned(), format!("4:12: {}", cut_off(3)), 0),
    ] {
        let text = format!("<a>\n{good}{bad}");
        let (puzzles, _, over) = shown(&text);
        assert_eq!((puzzles, over), (vec![dotted(), fault], passed), "{text}");
    }
    let deep = format!("{}{good}", "<a>".repeat(129));
    assert!(show(&deep).puzzles()[0].ends_with("more than 128 elements within each other"));
    let long = format!("<a>\n{good}<b>{}</b>\n{good}</a>", "x".repeat(MAX_LINE));
    let reading = read_in(&*reader_of(&long, None).unwrap(), long.as_bytes(), 1 << 16);
    assert_eq!(reading.puzzles(), [&dotted(), "3:4: no XML from here on: more than 1 MiB without a tag"]);
    assert_eq!(reading.read.passed.lines, 2);
}

#[test]
fn a_long_list_is_read_in_small_blocks() {
    let record = format!("<p>{CLUES}</p>{}", "<x>1</x>".repeat(300));
    let text = format!("<a><b>{}", record.repeat(3));
    let reader = reader_of(&text, None).unwrap();
    let mut state = State::default();
    // A puzzle is held back until it is clear that no claim follows.
    let length = reader.frame(&mut state, text.as_bytes(), TextEnd::More);
    assert_eq!((length, &*state.open), (6 + 2 * record.len(), "a b "));
    let damaged = reader.frame(&mut State::default(), text.as_bytes(), TextEnd::Damaged);
    assert_eq!(damaged, text.len());
    // But not for ever.
    let text = format!("<a><p>{CLUES}</p>{}", "<x>1</x>".repeat(MAX_LINE / 8 + 1000));
    let length = reader.frame(&mut State::default(), text.as_bytes(), TextEnd::More);
    assert!(length > MAX_LINE);
}

#[test]
fn the_cells_of_a_record_are_found_again() {
    let escaped = CLUES.replacen('3', "&#51;", 1);
    for (text, puzzle, claim) in [
        (format!("<game id=\"1\" data=\"{CLUES}\"/>"), (7, 23), (7, 1)),
        (format!("<e data=\"{escaped}\" solution='{SOLUTION}'/>"), (7, 17), (7, 110)),
        (format!("<p>\n{CLUES}</p>\n<solution>{SOLUTION}</solution>"), (8, 4), (9, 14)),
        (format!("{}</puzzle><solution>{}", rows(CLUES), rows(SOLUTION)), (7, 7), (16, 26)),
        (format!("<g d=\"{}\"/>", game("1", "0|", " ")), (7, 36), (7, 1)),
    ] {
        let reader = reader_of(&text, Some(Framing::Xml)).unwrap();
        let place = |which| reader.place(7, text.as_bytes(), 3, which);
        let at = |(line, column)| Place { line, column };
        assert_eq!((place(Which::Puzzle), place(Which::Claim)), (at(puzzle), at(claim)), "{text}");
        let claim = reader.claim_text(text.as_bytes()).map(|claim| String::from_utf8(claim).unwrap());
        let digits = claim.map(|claim| claim.chars().filter(char::is_ascii_digit).collect::<String>());
        assert_eq!(digits, text.contains("solution").then(|| SOLUTION.to_owned()), "{text}");
    }
}

#[test]
fn attributes_beside_a_puzzle_are_carried() {
    let text = format!(
        "<a v=\"1\"><game id=\"5\" data=\"{CLUES}\" name=\"a &amp; b\"/><p level=\"&#46;x\">{CLUES}</p>\
         <game data=\"{CLUES}\" id=''/></a>"
    );
    let reader = reader_of(&text, None).unwrap();
    assert_eq!(reader.columns().names, ["id", "name", "level"]);
    let state = State::default();
    let block = Block { bytes: text.as_bytes(), state: &state, is_last: true };
    let mut records = Records::default();
    reader.read(&block, Want::default(), &mut records);
    let mut out = [Texts::default(), Texts::default(), Texts::default(), Texts::default()];
    reader.carry(text.as_bytes(), &records, &[Some(2), Some(1), Some(0), None], &mut out);
    let shown = out.map(|texts| (0..3).map(|row| texts.get(row).map(<[u8]>::to_vec)).collect::<Vec<_>>());
    let some = |text: &str| Some(text.as_bytes().to_vec());
    assert_eq!(shown[0], [None, some(".x"), None]);
    assert_eq!(shown[1], [some("a & b"), None, None]);
    assert_eq!((&shown[2][..], &shown[3][..]), (&[some("5"), None, some("")][..], &[None, None, None][..]));
}

#[test]
fn bytes_of_another_encoding_cost_nothing() {
    let mut text = format!("<a n=\"?\"><game n=\"?\" data=\"{CLUES}\"/>?<p>{CLUES}</p></a>").into_bytes();
    text.iter_mut().filter(|byte| **byte == b'?').for_each(|byte| *byte = 0xE4);
    let reader = reader_of("<a/>", None).unwrap();
    assert_eq!(read(&*reader, text).puzzles(), vec![dotted(); 2]);
}

#[test]
fn a_document_begins_with_a_tag_and_is_no_page() {
    for (text, expected) in [
        ("<?xml version=\"1.0\"?><a/>", true),
        ("\n\n <!-- a --><a/>", true),
        ("<sudokus>", true),
        ("<html><p>1</p>", false),
        ("<!DOCTYPE HTML>\n<p>", false),
        ("< 1 2 3", false),
        ("1 < 2", false),
        ("", false),
    ] {
        assert_eq!(reader_of(text, None).is_some(), expected, "{text}");
        assert!(
            reader_of(text, Some(Framing::Line)).is_none() && reader_of(text, Some(Framing::Xml)).is_some()
        );
    }
}

/// A piece of a document.
fn piece() -> impl Strategy<Value = String> {
    let row = &CLUES[..9];
    let pieces = [
        "<a>".to_owned(),
        "<puzzle>".to_owned(),
        "<solution>".to_owned(),
        "\n".to_owned(),
        " x ".to_owned(),
        "<!-- < -->".to_owned(),
        "&amp;".to_owned(),
        CLUES.to_owned(),
        format!("\n{row}\n{row}"),
        format!("<p>{CLUES}</p>"),
        format!("<solution>{SOLUTION}</solution>"),
        format!("<g data='{CLUES}'/>"),
        format!("<g solution='{SOLUTION}' data='{CLUES}' n='a\nb'/>"),
        format!("<r>{row}</r>"),
        rows(CLUES),
        format!("<solution>{}</solution>\n", rows(SOLUTION)),
    ];
    let broken = ["</", "<b n=1>", "<c"].map(str::to_owned);
    prop_oneof![100 => select(pieces.to_vec()), 1 => select(broken.to_vec())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever stands in a document, the blocks in which it is read change nothing; and no grid is made up.
    #[test]
    fn blocks_change_nothing_and_digits_are_in_their_places(pieces in proptest::collection::vec((piece(), any::<bool>()), 0..30)) {
        let mut text = String::new();
        let mut open: Vec<&str> = Vec::new();
        for (piece, closes) in &pieces {
            text.push_str(piece);
            match &**piece {
                "<a>" | "<puzzle>" | "<solution>" => open.push(&piece[1..]),
                _ => {}
            }
            if *closes && let Some(name) = open.pop() {
                text.push_str("</");
                text.push_str(name);
            }
        }
        let reader = reader_of(&text, Some(Framing::Xml)).expect("it was told");
        for record in read(&*reader, &text).records {
            // Each digit stands where it is said to stand.
            for (grid, which) in [(&record.puzzle, Which::Puzzle), (&record.claim, Which::Claim)] {
                let lines: Vec<&str> = record.text.split('\n').collect();
                for (cell, digit) in grid.bytes().enumerate().filter(|_| grid.len() == 81 && !grid.contains(' ')) {
                    let Place { line, column } = reader.place(0, record.text.as_bytes(), cell, which);
                    let at = |number: u64| usize::try_from(number).unwrap();
                    let found = lines[at(line)].as_bytes()[at(column) - 1];
                    prop_assert_eq!(if found == b'0' { b'.' } else { found }, digit, "{}: {:?}", text, record);
                }
            }
        }
    }
}
