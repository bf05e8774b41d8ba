//! Texts and the cases in them.

use super::*;
use crate::input::ReadOptions;
use crate::input::testing::{Reading, read, read_in};

/// The first case of the example of BOJ 4574.
const CASE: &str = "10\n6 B2 1 B3\n2 C4 9 C3\n6 D3 8 E3\n7 E1 4 F1\n8 B7 4 B8\n3 F5 2 F6\n7 F7 6 F8\n5 G4 9 G5\n\
                    7 I8 8 I9\n7 C9 2 B9\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n";

/// What a good case shows.
const GOOD: &str = "10 dominoes";

fn show(text: &str) -> Reading {
    read(&Cases, text)
}

/// The same, of a text so long that blocks of one size must do.
fn in_blocks(text: &str) -> Reading {
    read_in(&Cases, text.as_bytes(), 1 << 16)
}

/// Whether a text is taken for cases where nobody said what it is.
fn is_proposed(text: &str) -> bool {
    let options = ReadOptions::default();
    let sample = Sample { name: "test", bytes: text.as_bytes(), is_whole: true, options: &options };
    !candidates(&sample, None).is_empty()
}

#[test]
fn the_example_is_found_and_read() {
    let text = format!("{CASE}{CASE}0\n");
    let reading = show(&text);
    assert_eq!((reading.puzzles(), reading.records[1].line), (vec![GOOD; 2], 13));
    assert!(is_proposed(&text) && !is_proposed("A1\nB2\n") && !is_proposed("see A1 and B2\n"));
    // 6 B2 1 B3 is the first domino, and the single 1 stands on C5.
    let case = case(CASE.as_bytes()).unwrap();
    assert_eq!(case.dominoes[0], Domino { cells: [10, 11], digits: [6, 1] });
    assert_eq!(case.singles, [22, 2, 35, 75, 8, 40, 1, 23, 72]);
}

#[test]
fn golden_inputs_have_the_cases_of_the_judge() {
    let plain = include_bytes!("../../../../tests/golden/09-cases.txt");
    let spread =
        include_bytes!("../../../../tests/golden/09-cases-bom-crlf.txt").strip_prefix(b"\xef\xbb\xbf");
    for (text, lines) in [(&plain[..], [1, 13]), (spread.unwrap(), [3, 5])] {
        let reading = read(&Cases, text);
        assert!(reading.records.iter().map(|record| record.line).eq(lines));
        let mut dominoes = reading.puzzles();
        dominoes.sort_unstable();
        assert_eq!(dominoes, [GOOD, "11 dominoes"]);
    }
}

#[test]
fn words_count_and_lines_do_not() {
    let (head, rest) = CASE.split_once('\n').unwrap();
    for text in [
        format!("{head}\n{}\n", rest.replace('\n', " ")),
        format!("{head}\n{}\n", rest.replace(' ', "\t").replace('\n', " # remark\n")),
        CASE.replace("C4 9", "C4\n\n   9").replace("A3 D9", "A3\t\n\tD9").replace('\n', "\r\n"),
        format!("# cases\n\n{}", CASE.replace("C3\n", "C3 # remark\n")),
    ] {
        assert_eq!(show(&format!("{text}{CASE}0")).puzzles(), [GOOD; 2], "{text}");
        assert!(is_proposed(&text), "{text}");
    }
}

#[test]
fn what_is_damaged_costs_its_own_case() {
    for (text, bad) in [
        ("1O\n", "13:1: invalid number of dominoes '1O' (expected 1 to 36)"),
        ("-10\n", "13:1: invalid number of dominoes '-10' (expected 1 to 36)"),
        ("10 x\n", "13:1: no line with the number of dominoes (found '10')"),
        ("", "13:1: no line with the number of dominoes (found '6')"),
    ] {
        let text = format!("{CASE}{}{CASE}0", CASE.replacen("10\n", text, 1));
        assert_eq!(show(&text).puzzles(), [GOOD, bad, GOOD]);
    }
    // A number alone inside of a case is no head.
    let text = format!("{}{CASE}0", CASE.replacen("6 B2 1 B3", "6", 1));
    assert_eq!(show(&text).puzzles(), ["3:1: invalid location '2' (expected A1 to I9)", GOOD]);
    let text = format!("6 B2 1 B3\nhello\n{CASE}0");
    assert_eq!(show(&text).puzzles(), ["1:1: no line with the number of dominoes (found '6')", GOOD]);
}

#[test]
fn every_kind_of_bad_case_is_one_record() {
    let long = "x".repeat(25);
    let table = [
        ("B3\n", "B3 X\n", "14:11: invalid number 'X' (expected 1 to 9)"),
        ("6 B2", "0 B2", "14:1: invalid number '0' (expected 1 to 9)"),
        ("6 B2", "10 B2", "14:1: invalid number '10' (expected 1 to 9)"),
        ("6 B2", "6 J2", "14:3: invalid location 'J2' (expected A1 to I9)"),
        ("6 B2", "6 b2", "14:3: invalid location 'b2' (expected A1 to I9)"),
        ("6 B2", "6 \u{7}B2", "14:3: invalid location '\\x07B2' (expected A1 to I9)"),
        ("B3", &long[1..], "14:8: invalid location 'xxxxxxxxxxxxxxxxxxxxxxxx' (expected A1 to I9)"),
        ("B3", &long, "14:8: invalid location 'xxxxxxxxxxxxxxxxxxxxxxxx...' (expected A1 to I9)"),
        ("6 B2 1 B3", "6 B2 1 B4", "14:8: domino on B2 and B4, which are not adjacent"),
        ("6 B2 1 B3", "6 B2 1 B2", "14:8: domino on B2 and B2, which are not adjacent"),
        ("6 B2 1 B3", "6 B9 1 C1", "14:8: domino on B9 and C1, which are not adjacent"),
        ("6 B2 1 B3", "6 B2 6 B3", "14:6: domino 6-6 (expected two different digits)"),
        ("2 C4 9 C3", "1 C4 6 C3", "15:1: domino 1-6 used twice"),
        ("2 C4 9 C3", "2 C3 9 B3", "15:8: location B3 used twice"),
        ("C5 A3", "C5 B2", "24:4: location B2 used twice"),
        ("2 C4 9 C3", "2 C4 6 C3", "15:8: 6 twice in a box: at B2 and at C3"),
        ("6 D3 8 E3", "9 D3 8 E3", "16:3: 9 twice in a column: at C3 and at D3"),
        ("7 C9 2 B9", "7 C9 1 B9", "23:8: 1 twice in a row: at B3 and at B9"),
        ("7 C9 2 B9\n", "7 C9 2 B9 5\n", "23:11: invalid location '5' (expected A1 to I9)"),
        ("A2 C6 I1\n", "A2 C6\n", "24:24: cut-off case: 8 locations of single numbers (expected 9)"),
        ("I1\n", "I1 I2\n", "24:28: 'I2' after the nine single numbers (expected a new case or 0)"),
        ("10\n", "9\n", "23:1: invalid location '7' (expected A1 to I9)"),
        ("10\n", "37\n", "13:1: invalid number of dominoes '37' (expected 1 to 36)"),
    ];
    for (from, to, expected) in table {
        assert!(CASE.contains(from));
        let text = format!("{CASE}{}{CASE}0\n", CASE.replacen(from, to, 1));
        assert_eq!(show(&text).puzzles(), [GOOD, expected, GOOD], "{to}");
    }
    for (cut, fault) in [
        ("10", "13:3: cut-off case: 0 whole dominoes (expected 10)"),
        ("10\n6 B2 1", "14:7: cut-off case: 0 whole dominoes (expected 10)"),
        ("10\n6 B2 1 B3\n", "14:10: cut-off case: 1 whole dominoes (expected 10)"),
    ] {
        assert_eq!(show(&format!("{CASE}{cut}")).puzzles(), [GOOD, fault]);
    }
}

#[test]
fn what_is_behind_the_end_is_passed_over_and_told() {
    for (rest, lines, first) in [
        ("", 0, None),
        ("\n \r\n\t\n", 0, None),
        (CASE, 12, Some((14, "10"))),
        ("\n# a\n0\nhello", 2, Some((16, "0"))),
    ] {
        let reading = show(&format!("{CASE}0\n{rest}"));
        assert_eq!((reading.puzzles(), reading.read.passed.lines), (vec![GOOD], lines), "{rest}");
        assert_eq!(reading.read.passed.first, first.map(|(line, text)| (line, text.to_owned())));
    }
    let mut state = State::default();
    assert!(!Cases.may_be_empty(&state));
    assert_eq!(Cases.frame(&mut state, b"0\nab", TextEnd::More), 2);
    assert!(Cases.may_be_empty(&state));
}

#[test]
fn a_case_of_megabytes_is_one_record_and_the_next_is_read() {
    let many = format!("11\n{}", "6 B2 1 B3\n".repeat(MAX_LINE / 10 + 1));
    let long = format!("11\n{}\n", "x".repeat(MAX_LINE + 1));
    for bad in [many, long] {
        let reading = in_blocks(&format!("{CASE}{bad}{CASE}0"));
        assert_eq!(reading.puzzles(), [GOOD, "13:1: case longer than 1 MiB", GOOD]);
        assert_eq!(reading.records[2].line, 13 + bad.lines().count() as u64);
    }
    // The longest that is read.
    let (head, rest) = CASE.split_at(3);
    let long = |bytes: usize| format!("{head}#{}\n{rest}0\n", "x".repeat(bytes - CASE.len() - 2));
    assert_eq!(in_blocks(&long(MAX_LINE)).puzzles(), [GOOD]);
    assert_eq!(in_blocks(&long(MAX_LINE + 1)).puzzles(), ["1:1: case longer than 1 MiB"]);
}

#[test]
fn a_complete_case_before_damage_is_kept() {
    let frame = |text: &str, end| Cases.frame(&mut State::default(), text.as_bytes(), end);
    // With its last word a case is complete, whatever follows.
    let text = format!("{CASE}{CASE}1");
    assert_eq!([TextEnd::More, TextEnd::Damaged].map(|end| frame(&text, end)), [2 * CASE.len(); 2]);
    assert_eq!(frame(&text[..text.len() - 5], TextEnd::Damaged), CASE.len());
}
