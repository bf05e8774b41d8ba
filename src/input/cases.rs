//! Sudominoku cases, as the contest problem BOJ 4574 gives them.
//!
//! A line that holds nothing but an integer starts a case; the case is everything before the next such
//! line, read token by token: so many dominoes `U LU V LV`, then the nine locations of the single
//! numbers. A line `0` ends the input. A case that is wrong in any way is one invalid record, and the
//! next starts at the next lone integer whatever came before.

use std::sync::Arc;

use super::MAX_LINE;
use super::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, lone_integer, trim, walk};
use super::family::{Family, Sample, Seen};
use super::look::Excerpt;
use crate::record::{Fault, FaultKind, Layout, Place, Records, Want};
use crate::sudoku::{Case, Domino, box_of, column_of, row_of};

pub(super) const FAMILY: Family = Family {
    name: "cases",
    about: "Sudominoku cases (BOJ 4574)",
    has_columns: false,
    look: |sample| Seen::new(evidence(sample), |_| Ok(Arc::new(Cases))),
    // A domino and the nine single numbers.
    enough: 2 + 9,
};

/// Dominoes of a solved grid, one for each pair of different digits: no case can give more. The judge
/// promises 10 to 35; a case with fewer or with all is read as well.
const DOMINOES: usize = 36;

/// Most bytes of a word of the input that a message repeats.
const SHOWN: usize = 24;

#[derive(Debug)]
struct Cases;

impl Format for Cases {
    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "", end: "0\n" })
    }

    fn passes_lines(&self) -> bool {
        false
    }

    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        if cursor.phase == Phase::Trailing {
            return match rest.len() {
                0 => Step::Incomplete,
                length => Step::Skip { length, lines: memchr::memchr_iter(b'\n', rest).count() as u64 },
            };
        }
        let Some(length) = line_length(rest, end) else { return Step::Incomplete };
        let line = &rest[..length];
        let skip = Step::Skip { length, lines: 1 };
        if length <= MAX_LINE && matches!(trim(line), [] | [b'#', ..]) {
            return skip;
        }
        match (cursor.phase, lone_integer(line)) {
            (Phase::Closed, _) => {
                cursor.phase = Phase::Trailing;
                Step::Record { length, lines: 1 }
            }
            (Phase::Overflow, None) => skip,
            (_, Some(number)) if is_zero(number) => {
                cursor.phase = Phase::Closed;
                skip
            }
            _ => match case_length(rest, end) {
                Some((length, lines)) => {
                    cursor.phase = if length > MAX_LINE { Phase::Overflow } else { Phase::Records };
                    Step::Record { length, lines }
                }
                None => Step::Incomplete,
            },
        }
    }

    fn read(&self, cursor: Cursor, bytes: &[u8], line: u64, _: Want, out: &mut Records) {
        walk(self, cursor, bytes, line, |phase, line, span| {
            let fault = |kind| Err(Fault::new(kind, Some(Place { line, column: 1 })));
            let case = if phase == Phase::Closed {
                fault(FaultKind::AfterTheEnd)
            } else if span.length > MAX_LINE {
                fault(FaultKind::CaseTooLong)
            } else {
                read_case(line, span.of(bytes))
            };
            match case {
                Ok(case) => out.push_case(line, span, case),
                Err(fault) => out.push_fault(line, span, Layout::Case, fault),
            }
        });
    }

    fn place_of(&self, line: u64, _: &[u8], _: usize) -> Place {
        Place { line, column: 1 }
    }

    fn note(&self, cursor: &Cursor, _: u64) -> Option<String> {
        let open = matches!(cursor.phase, Phase::Records | Phase::Overflow);
        open.then(|| "the closing 0 is missing".to_owned())
    }
}

fn is_zero(digits: &[u8]) -> bool {
    digits.iter().all(|&digit| digit == b'0')
}

/// Length and lines of the case that starts at the start of `rest`: up to the line with which it has all its
/// words, to the next line that can only start a case or end them, to the end, or to the line that makes
/// it too long.
fn case_length(rest: &[u8], end: TextEnd) -> Option<(usize, u64)> {
    let mut at = 0;
    let mut lines = 0;
    let mut words = 0;
    let mut expected = None;
    loop {
        if at > MAX_LINE {
            return Some((at, lines));
        }
        let Some(length) = line_length(&rest[at..], end) else {
            // Before damage nobody can know whether a case goes on, but a complete one is worth having.
            let whole = end == TextEnd::Last || end == TextEnd::Damaged && read_case(1, &rest[..at]).is_ok();
            return whole.then_some((at, lines));
        };
        let line = &rest[at..at + length];
        if at == 0 {
            let dominoes = lone_integer(line).and_then(number).filter(|count| (1..=DOMINOES).contains(count));
            expected = dominoes.map(|count| 1 + 4 * count + 9);
        } else if let Some(digits) = lone_integer(line) {
            // One digit inside a case that is not complete is rather what is left of a damaged domino.
            if expected.is_none_or(|expected| words >= expected) || digits.len() > 1 || is_zero(digits) {
                return Some((at, lines));
            }
        }
        at += length;
        lines += 1;
        let before_remark = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        words += before_remark.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        if Some(words) == expected {
            return Some((at, lines));
        }
    }
}

/// A word of the input and where it stands.
#[derive(Clone, Copy)]
struct CaseToken<'a> {
    text: &'a [u8],
    place: Place,
}

impl CaseToken<'_> {
    fn show(&self) -> String {
        let shown = self.text[..self.text.len().min(SHOWN)].escape_ascii();
        let more = if self.text.len() > SHOWN { "..." } else { "" };
        format!("{shown}{more}")
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault::new(kind, Some(self.place))
    }
}

/// The words of a case, in order, and the place behind the last one.
struct Tokens<'a> {
    rest: &'a [u8],
    place: Place,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = CaseToken<'a>;

    fn next(&mut self) -> Option<CaseToken<'a>> {
        let mut ahead = self.place;
        let mut rest = self.rest;
        loop {
            match *rest.first()? {
                b'\n' => ahead = Place { line: ahead.line + 1, column: 1 },
                b'#' => {
                    rest = &rest[memchr::memchr(b'\n', rest)?..];
                    continue;
                }
                byte if byte.is_ascii_whitespace() => ahead.column += 1,
                _ => break,
            }
            rest = &rest[1..];
        }
        let length = rest.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let (text, after) = rest.split_at(length);
        self.rest = after;
        self.place = Place { line: ahead.line, column: ahead.column + length as u64 };
        Some(CaseToken { text, place: ahead })
    }
}

/// What the numbers given so far forbid.
#[derive(Default)]
struct Given {
    digit_at: [[Option<u8>; 9]; 27],
    cells: u128,
}

impl Given {
    /// Puts a digit on a cell, which must be free and see no other cell with it.
    fn put(&mut self, digit: u8, cell: u8, token: &CaseToken<'_>) -> Result<(), Fault> {
        if self.cells >> cell & 1 == 1 {
            return Err(token.fault(FaultKind::RepeatedLocation).cell(cell.into()));
        }
        self.cells |= 1 << cell;
        let cell_index = usize::from(cell);
        let houses = [
            (row_of(cell_index), "row"),
            (9 + column_of(cell_index), "column"),
            (18 + box_of(cell_index), "box"),
        ];
        for (house, name) in houses {
            if let Some(other) = self.digit_at[house][usize::from(digit) - 1].replace(cell) {
                let fault = token.fault(FaultKind::CaseClash).number(digit).text(name);
                return Err(fault.cell(other.into()).cell(cell_index));
            }
        }
        Ok(())
    }
}

/// Reads the text of one case alone, as [`Page::text_of`](crate::record::Page::text_of) has it.
///
/// # Errors
///
/// When that is no case; the places of the fault are within the text.
pub fn case(text: &[u8]) -> Result<Case, Fault> {
    read_case(1, text)
}

fn read_case(first_line: u64, text: &[u8]) -> Result<Case, Fault> {
    let mut tokens = Tokens { rest: text, place: Place { line: first_line, column: 1 } };
    let cut_off = |tokens: &Tokens<'_>, kind| Fault::new(kind, Some(tokens.place));
    let head = tokens.next().ok_or_else(|| cut_off(&tokens, FaultKind::NoDominoCount))?;
    let count = number(head.text)
        .filter(|count| (1..=DOMINOES).contains(count))
        .ok_or_else(|| head.fault(FaultKind::DominoCount).text(head.show()))?;
    let first_line_end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    if lone_integer(&text[..first_line_end]).is_none() {
        return Err(head.fault(FaultKind::DominoCountLine).text(head.show()));
    }

    let mut given = Given::default();
    let mut pairs = [[false; 10]; 10];
    let mut dominoes = Vec::with_capacity(count);
    for seen in 0..count {
        let mut cells = [0; 2];
        let mut digits = [0; 2];
        let mut halves = [head; 2];
        for half in 0..2 {
            let missing =
                |tokens: &Tokens<'_>| cut_off(tokens, FaultKind::CutOffDominoes).number(seen).number(count);
            let token = tokens.next().ok_or_else(|| missing(&tokens))?;
            digits[half] = digit(&token)?;
            halves[half] = token;
            let token = tokens.next().ok_or_else(|| missing(&tokens))?;
            cells[half] = location(&token)?;
            if half == 1 {
                check_domino(cells, digits, halves, token, &mut pairs)?;
            }
            given.put(digits[half], cells[half], &token)?;
        }
        dominoes.push(Domino { cells, digits });
    }
    let mut singles = [0; 9];
    for (digit, single) in (1..).zip(&mut singles) {
        let token =
            tokens.next().ok_or_else(|| cut_off(&tokens, FaultKind::CutOffSingles).number(digit - 1))?;
        *single = location(&token)?;
        given.put(digit, *single, &token)?;
    }
    match tokens.next() {
        Some(token) => Err(token.fault(FaultKind::AfterSingles).text(token.show())),
        None => Ok(Case { dominoes, singles }),
    }
}

/// Two different digits on adjacent cells, and a pair not seen before.
fn check_domino(
    cells: [u8; 2],
    digits: [u8; 2],
    halves: [CaseToken<'_>; 2],
    location: CaseToken<'_>,
    pairs: &mut [[bool; 10]; 10],
) -> Result<(), Fault> {
    let [low, high] = [digits[0].min(digits[1]), digits[0].max(digits[1])].map(usize::from);
    if low == high {
        return Err(halves[1].fault(FaultKind::EqualDomino).number(low).number(high));
    }
    if std::mem::replace(&mut pairs[low][high], true) {
        return Err(halves[0].fault(FaultKind::RepeatedDomino).number(digits[0]).number(digits[1]));
    }
    let [a, b] = cells.map(usize::from);
    if row_of(a).abs_diff(row_of(b)) + column_of(a).abs_diff(column_of(b)) != 1 {
        return Err(location.fault(FaultKind::BrokenDomino).cell(a).cell(b));
    }
    Ok(())
}

fn number(text: &[u8]) -> Option<usize> {
    text.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}

fn digit(token: &CaseToken<'_>) -> Result<u8, Fault> {
    match token.text {
        [byte @ b'1'..=b'9'] => Ok(byte - b'0'),
        _ => Err(token.fault(FaultKind::DominoDigit).text(token.show())),
    }
}

fn location(token: &CaseToken<'_>) -> Result<u8, Fault> {
    match token.text {
        [row @ b'A'..=b'I', column @ b'1'..=b'9'] => Ok((row - b'A') * 9 + column - b'1'),
        _ => Err(token.fault(FaultKind::Location).text(token.show())),
    }
}

/// Counts the cells of lines that hold nothing but digits and locations, two of these at least: dominoes and single
/// numbers, however many to a line.
fn evidence(sample: &Sample<'_>) -> u64 {
    let cells = |line: &[u8]| {
        let before_remark = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut locations = 0;
        for word in before_remark.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            match word {
                [b'A'..=b'I', b'1'..=b'9'] => locations += 1,
                [b'1'..=b'9'] => {}
                _ => return 0,
            }
        }
        if locations >= 2 { locations } else { 0 }
    };
    sample.record_lines().map(cells).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadOptions;
    use crate::input::testing::{Body, open, read, read_as};

    /// The first case of the example of BOJ 4574.
    const CASE: &str = "10\n6 B2 1 B3\n2 C4 9 C3\n6 D3 8 E3\n7 E1 4 F1\n8 B7 4 B8\n3 F5 2 F6\n7 F7 6 F8\n5 G4 9 G5\n\
                        7 I8 8 I9\n7 C9 2 B9\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n";

    /// What reading `text` as cases shows.
    fn show(text: &str) -> Vec<String> {
        read_as(text.as_bytes(), "cases").show()
    }

    fn good() -> String {
        "10 dominoes".to_owned()
    }

    #[test]
    fn the_example_is_found_and_read() {
        let reading = read(format!("{CASE}{CASE}0\n").as_bytes());
        assert_eq!((reading.show(), reading.notes.len()), (vec![good(); 2], 0));
        assert_eq!(reading.records[1].line, 13);
        assert!(reading.records.iter().all(|record| record.layout == Layout::Case));
        let Body::Sudominoku(case) = &reading.records[0].body else { panic!("a case") };
        // 6 B2 1 B3 is the first domino, and the single 1 stands on C5.
        assert_eq!(case.dominoes[0], Domino { cells: [10, 11], digits: [6, 1] });
        assert_eq!(case.singles, [22, 2, 35, 75, 8, 40, 1, 23, 72]);
    }

    #[test]
    fn words_count_and_lines_do_not() {
        let one_line = CASE.replacen("10\n", "10!", 1).replace('\n', " ").replace('!', "\n");
        let spread = CASE.replace("C4 9", "C4\n\n   9").replace("A3 D9", "A3\t\n\tD9").replace('\n', "\r\n");
        let remarks = format!("# cases\n\n{}", CASE.replace("C3\n", "C3 # remark\n"));
        let one_line = one_line + "\n";
        for text in [&one_line, &spread, &remarks] {
            assert_eq!(show(&format!("{text}{CASE}0")), vec![good(); 2], "{text}");
        }
    }

    /// Once a case that was not spread over lines was only found if it was said what it is.
    #[test]
    fn a_case_on_a_line_or_two_is_found() {
        let (_, rest) = CASE.split_once('\n').expect("a head");
        let (dominoes, singles) = rest.trim_end().rsplit_once('\n').expect("the single numbers");
        for (within, behind, before_singles) in [
            (" ", " ", " "),
            ("\t", " ", " "),
            (" ", "  ", "\n"),
            (" ", " # remark\n", " "),
            ("\t", "\t", "\t"),
        ] {
            let dominoes = dominoes.replace(' ', within).replace('\n', behind);
            let text = format!("10\n{dominoes}{before_singles}{singles}\n0\n");
            assert_eq!(read(text.as_bytes()).show(), [good()], "{text}");
        }
        // Names of cells alone are none, nor is what has other words.
        for text in ["A1\nB2\n", "see A1 and B2\n", "A1,B2\n"] {
            assert!(open(text.as_bytes(), &ReadOptions::default()).is_err(), "{text}");
        }
    }

    /// Once a damaged head made the case before it invalid and swallowed its own.
    #[test]
    fn a_damaged_head_never_costs_the_case_before_it() {
        for head in ["1O\n", "-10\n", "10 x\n", ""] {
            let damaged = CASE.replacen("10\n", head, 1);
            let shown = show(&format!("{CASE}{damaged}{CASE}0"));
            assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &good(), &good()), "{head:?}: {shown:?}");
            assert!(shown[1].starts_with("13:"), "{head:?}: {shown:?}");
        }
    }

    /// Once a domino cut down to its first number became the head of a case of its own.
    #[test]
    fn a_lone_small_number_inside_a_case_is_no_head() {
        let shown = show(&format!("{}{CASE}0", CASE.replacen("6 B2 1 B3", "6", 1)));
        assert_eq!((shown.len(), &shown[1]), (2, &good()), "{shown:?}");
    }

    #[test]
    fn every_kind_of_bad_case_is_one_record() {
        let table = [
            ("B3\n", "B3 X\n", "14:11: invalid number 'X' (expected 1 to 9)"),
            ("6 B2", "0 B2", "14:1: invalid number '0' (expected 1 to 9)"),
            ("6 B2", "10 B2", "14:1: invalid number '10' (expected 1 to 9)"),
            ("6 B2", "6 J2", "14:3: invalid location 'J2' (expected A1 to I9)"),
            ("6 B2", "6 B0", "14:3: invalid location 'B0' (expected A1 to I9)"),
            ("6 B2", "6 b2", "14:3: invalid location 'b2' (expected A1 to I9)"),
            ("6 B2", "6 \u{7}B2", "14:3: invalid location '\\x07B2' (expected A1 to I9)"),
            ("6 B2", "6 \0", "14:3: invalid location '\\x00' (expected A1 to I9)"),
            ("6 B2 1 B3", "6 B2 1 B4", "14:8: domino on B2 and B4, which are not adjacent"),
            ("6 B2 1 B3", "6 B2 1 B2", "14:8: domino on B2 and B2, which are not adjacent"),
            ("6 B2 1 B3", "6 B9 1 C1", "14:8: domino on B9 and C1, which are not adjacent"),
            ("6 B2 1 B3", "6 B2 6 B3", "14:6: domino 6-6 (expected two different digits)"),
            ("2 C4 9 C3", "1 C4 6 C3", "15:1: domino 1-6 used twice"),
            ("2 C4 9 C3", "2 C3 9 B3", "15:8: location B3 used twice"),
            ("C5 A3", "C5 B2", "24:4: location B2 used twice"),
            ("C5 A3", "C5 C5", "24:4: location C5 used twice"),
            ("2 C4 9 C3", "2 C4 6 C3", "15:8: 6 twice in a box: at B2 and at C3"),
            ("6 D3 8 E3", "9 D3 8 E3", "16:3: 9 twice in a column: at C3 and at D3"),
            ("7 C9 2 B9", "7 C9 1 B9", "23:8: 1 twice in a row: at B3 and at B9"),
            ("C5 A3", "C2 A3", "24:1: 1 twice in a box: at B3 and at C2"),
            ("7 C9 2 B9\n", "7 C9 2 B9 5\n", "23:11: invalid location '5' (expected A1 to I9)"),
            ("A2 C6 I1\n", "A2 C6\n", "24:24: cut-off case: 8 locations of single numbers (expected 9)"),
            (
                "A2 C6 I1\n",
                "A2 C6 I1 I2\n",
                "24:28: 'I2' after the nine single numbers (expected a new case or 0)",
            ),
            (
                "7 C9 2 B9\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n",
                "7 C9 2\n",
                "23:7: cut-off case: 9 whole dominoes (expected 10)",
            ),
            ("10\n", "9\n", "23:1: invalid location '7' (expected A1 to I9)"),
            ("10\n", "37\n", "13:1: invalid number of dominoes '37' (expected 1 to 36)"),
            (
                "10\n",
                "99999999999999999999999\n",
                "13:1: invalid number of dominoes '99999999999999999999999' (expected 1 to 36)",
            ),
        ];
        for (from, to, expected) in table {
            assert!(CASE.contains(from));
            let bad = CASE.replacen(from, to, 1);
            let shown = show(&format!("{CASE}{bad}{CASE}0\n"));
            assert_eq!(shown, [good(), expected.to_owned(), good()], "{to}");
        }
    }

    #[test]
    fn a_case_cut_off_by_the_end() {
        for cut in ["10", "10\n6 B2 1", "10\n6 B2 1 B3\n"] {
            let reading = read(format!("{CASE}{cut}").as_bytes());
            assert_eq!(reading.show().len(), 2);
            assert!(reading.show()[1].contains("cut-off case: "), "{:?}", reading.show());
            assert_eq!(reading.notes, ["test: the closing 0 is missing"]);
        }
    }

    #[test]
    fn text_in_front_of_the_first_case_costs_no_case() {
        let reading = read(format!("6 B2 1 B3\nhello\n{CASE}0").as_bytes());
        assert_eq!(
            reading.show(),
            ["1:1: no line with the number of dominoes (found '6')".to_owned(), good()]
        );
    }

    #[test]
    fn text_after_the_closing_0_is_one_invalid_record() {
        for white in ["", "\n", " \r\n\n\t"] {
            let reading = read(format!("{CASE}0\n{white}").as_bytes());
            assert_eq!((reading.show(), reading.notes.len()), (vec![good()], 0));
        }
        let endless = "x\n".repeat(1 << 20);
        for rest in [CASE, "0\n", "hello", &endless] {
            let reading = read(format!("{CASE}0\n\n{rest}").as_bytes());
            assert_eq!(
                reading.show(),
                [good(), "15:1: text after the closing 0 (expected nothing)".to_owned()]
            );
            assert!(reading.records[1].text.len() < 100);
        }
    }

    #[test]
    fn a_case_of_megabytes_is_one_record_and_the_next_is_read() {
        for line in ["6 B2 1 B3\n".to_owned(), "x".repeat(3 << 20) + "\n"] {
            let long = format!("11\n{}", line.repeat((3 << 20) / line.len() + 1));
            let reading = read(format!("{CASE}{long}{CASE}0").as_bytes());
            assert_eq!(reading.show(), [good(), "13:1: case longer than 1 MiB".to_owned(), good()]);
            assert!(reading.records[1].text.len() <= MAX_LINE + 16);
            assert_eq!(reading.records[2].line, 13 + long.lines().count() as u64);
        }
    }

    #[test]
    fn the_longest_case_allowed_is_read() {
        let (count, rest) = CASE.split_at(3);
        let long = |bytes: usize| format!("{count}#{}\n{rest}0\n", "x".repeat(bytes - CASE.len() - 2));
        assert_eq!(show(&long(MAX_LINE)), [good()]);
        assert_eq!(show(&long(MAX_LINE + 1)), ["1:1: case longer than 1 MiB"]);
    }

    #[test]
    fn a_long_word_is_not_repeated_whole() {
        let word = "x".repeat(SHOWN);
        for (bad, more) in [(word.clone(), ""), (word.clone() + "y", "...")] {
            let shown = show(&CASE.replacen("B3", &bad, 1));
            assert_eq!(shown, [format!("2:8: invalid location '{word}{more}' (expected A1 to I9)")]);
        }
    }

    #[test]
    fn a_complete_case_before_damage_is_kept() {
        let cut = |text: &str, end| Cases.cut(&mut Cursor::START.clone(), text.as_bytes(), end);
        // With its last word a case is complete, whatever follows.
        let text = format!("{CASE}{CASE}1");
        assert_eq!(cut(&text, TextEnd::Damaged).records, 2);
        assert_eq!(cut(&text, TextEnd::Damaged).length, 2 * CASE.len());
        assert_eq!(cut(&text, TextEnd::More).records, 2);
        assert_eq!(cut(&text[..text.len() - 5], TextEnd::Damaged).records, 1);
    }
}
