//! One puzzle of 81 cells on a line: plain lists and `.sdm`, counted lists, tdoku results, the
//! exchange bank.
//!
//! A line is a record unless it is blank, a `#` comment, or a lone number before the first record,
//! which is the count of the code-golf corpus. A line whose first 81 characters are cells is a puzzle
//! whatever follows, except another cell. Lists of millions of puzzles come this way, so a line of
//! 81 cells and no more is not searched for its end; everything else goes line by line, and what is no puzzle to the
//! path that explains what is wrong.

use std::sync::Arc;

use super::batch::{Cursor, Format, Phase, Step, TextEnd, line_length, lone_integer, wrong_count_line};
use super::family::{Family, Sample};
use super::look::Excerpt;
use super::{MAX_LINE, cells};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};
use crate::sudoku::{CELLS, Grid};

pub(super) const FAMILY: Family = Family {
    name: "line",
    about: "One puzzle on a line: 81 characters, then anything",
    has_columns: false,
    evidence,
    enough: CELLS as u64,
    open: |sample| Ok(Arc::new(LineFormat { claim: claim_field(sample), claims: sample.claims })),
};

/// What may stand between a puzzle and what follows it, the likeliest first.
const SEPARATORS: [u8; 5] = *b",\t;: ";

/// Lines, and fields of each, that are looked at to find claimed solutions.
const LINES_LOOKED_AT: usize = 200;
const FIELDS_LOOKED_AT: usize = 8;

/// Characters of a sukaku: 81 cells with 9 candidates each.
const SUKAKU: usize = 729;

/// Most digits that a count line has; with more it is a short puzzle.
const COUNT_DIGITS: usize = 12;

/// The exchange bank begins its lines with this many hexadecimal digits and a blank.
const BANK_ID: usize = 12;

#[derive(Debug)]
struct LineFormat {
    /// Where the claimed solutions stand, if there are some.
    claim: Option<ClaimField>,
    /// Whether they are wanted.
    claims: bool,
}

/// A field behind the puzzle of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClaimField {
    separator: u8,
    /// Number of separators before it, one less for blanks, of which several count as one.
    number: usize,
}

impl Format for LineFormat {
    fn excerpt(&self) -> Option<Excerpt> {
        Some(Excerpt { between: "", end: "" })
    }

    fn note(&self, cursor: &Cursor, records: u64) -> Option<String> {
        let promised = cursor.promised.filter(|&promised| promised != records);
        promised.map(|promised| wrong_count_line(promised, records)).or_else(|| {
            let unclaimed = self.claims && self.claim.is_none() && records > 0;
            unclaimed.then(|| "the first lines have no claimed solutions behind their puzzles".to_owned())
        })
    }

    #[inline]
    fn step(&self, cursor: &mut Cursor, rest: &[u8], end: TextEnd) -> Step {
        let Some(length) = line_length(rest, end) else { return Step::Incomplete };
        let line = &rest[..length];
        let first = match line[0] {
            byte if byte > b' ' => Some(byte),
            _ => line.iter().copied().find(|byte| !byte.is_ascii_whitespace()),
        };
        match first {
            None if length <= MAX_LINE => Step::Skip { length, lines: 1 },
            Some(b'#') => Step::Skip { length, lines: 1 },
            _ => {
                if cursor.phase == Phase::Start {
                    cursor.phase = Phase::Records;
                    if let Some(count) = count(line) {
                        cursor.promised = Some(count);
                        return Step::Skip { length, lines: 1 };
                    }
                }
                Step::Record { length, lines: 1 }
            }
        }
    }

    fn read(&self, mut cursor: Cursor, bytes: &[u8], mut line: u64, want: Want, out: &mut Records) {
        let mut start = 0;
        loop {
            let rest = &bytes[start..];
            // A line of 81 cells and no more needs no search for its end.
            if let Some(text) = rest.first_chunk::<{ CELLS + 1 }>()
                && text[CELLS] == b'\n'
                && let Some(grid) = text.first_chunk().and_then(Grid::from_text)
            {
                if want.claims {
                    out.claims.push(None);
                }
                out.push_sudoku(line, Span { start, length: CELLS + 1 }, Layout::Line, grid);
                cursor.phase = Phase::Records;
                start += CELLS + 1;
                line += 1;
                continue;
            }
            let (length, lines) = match self.step(&mut cursor, rest, TextEnd::Last) {
                Step::Skip { length, lines } => (length, lines),
                Step::Record { length, lines } => {
                    let (text, span) = (&rest[..length], Span { start, length });
                    let read = match puzzle_at(text, 0) {
                        Some(grid) if text.len() <= MAX_LINE => Ok((0, grid)),
                        _ => explain(line, text),
                    };
                    if want.claims {
                        let puzzle = read.as_ref().ok();
                        out.claims.push(puzzle.and_then(|&(start, _)| self.read_claim(line, text, start)));
                    }
                    match read {
                        Ok((_, grid)) => out.push_sudoku(line, span, Layout::Line, grid),
                        Err(fault) => out.push_fault(line, span, Layout::Line, fault),
                    }
                    (length, lines)
                }
                Step::Incomplete => return,
            };
            start += length;
            line += lines;
        }
    }

    fn place_of(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let start = start_of_cells(text).map_or(0, |(start, _)| start + cell);
        Place { line, column: start as u64 + 1 }
    }

    fn claim_text(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (start, _) = start_of_cells(text)?;
        self.find_claim(text, start).map(|(_, field)| field.to_vec())
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        let found = start_of_cells(text).and_then(|(start, _)| self.find_claim(text, start));
        Place { line, column: found.map_or(0, |(at, _)| at + cell) as u64 + 1 }
    }
}

impl LineFormat {
    /// The claimed solution on a line whose cells begin at `start`, with its offset: what stands where the first lines
    /// have theirs, else the first field that is cells, more than a rating or a name ever has.
    fn find_claim<'a>(&self, text: &'a [u8], start: usize) -> Option<(usize, &'a [u8])> {
        let behind = start + CELLS;
        self.claim.and_then(|field| field.find(text, start)).or_else(|| {
            let is_likely = |(_, field): &(usize, &[u8])| cells::run(field) > CELLS / 2;
            let likely =
                |separator| fields(&text[behind..], separator).take(FIELDS_LOOKED_AT).find(is_likely);
            SEPARATORS.into_iter().find_map(likely).map(|(at, field)| (behind + at, field))
        })
    }

    /// What a line claims whose cells begin at `start`.
    fn read_claim(&self, line: u64, text: &[u8], start: usize) -> Option<Result<Grid, Fault>> {
        let (field_at, field) = self.find_claim(text, start)?;
        let place = |at| Place { line, column: (field_at + at) as u64 + 1 };
        Some(cells::grid(field, &cells::CLAIM).map_err(|(at, fault)| fault.at(place(at))))
    }
}

impl ClaimField {
    /// The field and its offset in a line whose cells begin at `start`.
    fn find(self, text: &[u8], start: usize) -> Option<(usize, &[u8])> {
        let behind = start + CELLS;
        let (at, field) = fields(&text[behind..], self.separator).nth(self.number)?;
        (!field.is_empty()).then_some((behind + at, field))
    }
}

/// The first words of the fields behind a puzzle, each with its offset.
fn fields(behind: &[u8], separator: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b':' | b'#');
    let mut next = 0;
    behind
        .split(move |&byte| byte == separator)
        .map(move |field| {
            let start = next + field.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
            next += field.len() + 1;
            let word = field.trim_ascii_start();
            (start, &word[..word.iter().position(ends).unwrap_or(word.len())])
        })
        .filter(move |(_, word)| separator != b' ' || !word.is_empty())
}

/// Finds the field that holds claimed solutions: one that is cells wherever it is not empty, more than a rating
/// or a name ever has.
fn claim_field(sample: &Sample<'_>) -> Option<ClaimField> {
    // Lines with something in the field, and those where that is cells.
    let mut seen = [[(0_usize, 0_usize); FIELDS_LOOKED_AT]; SEPARATORS.len()];
    for line in sample.record_lines().take(LINES_LOOKED_AT) {
        let Some((start, _)) = start_of_cells(line) else { continue };
        for (counts, separator) in seen.iter_mut().zip(SEPARATORS) {
            for (count, (_, field)) in counts.iter_mut().zip(fields(&line[start + CELLS..], separator)) {
                count.0 += usize::from(!field.is_empty());
                count.1 += usize::from(cells::run(field) > CELLS / 2);
            }
        }
    }
    let mut best = (0, None);
    for (counts, separator) in seen.iter().zip(SEPARATORS) {
        // What stands before the first separator is no field, unless blanks separate.
        let first = usize::from(separator != b' ');
        for (number, &(some, cells)) in counts.iter().enumerate().skip(first) {
            if cells > best.0 && 2 * cells > some {
                best = (cells, Some(ClaimField { separator, number }));
            }
        }
    }
    best.1
}

/// The puzzle whose cells start at `start`, if there is one.
#[inline]
fn puzzle_at(text: &[u8], start: usize) -> Option<Grid> {
    let bytes = text.get(start..)?;
    let grid = Grid::from_text(bytes.first_chunk::<CELLS>()?)?;
    match bytes.get(CELLS..) {
        // The line end of old Macs: what follows would be further puzzles, not a remark.
        Some([b'\r', after, ..]) if *after != b'\n' => None,
        Some([byte, ..]) if cells::is_cell(*byte) => None,
        _ => Some(grid),
    }
}

/// Where on a line the cells start, and the puzzle they spell.
fn start_of_cells(text: &[u8]) -> Option<(usize, Grid)> {
    let indent = indent(text);
    [indent, bank_start(text, indent)].into_iter().find_map(|start| Some((start, puzzle_at(text, start)?)))
}

fn indent(text: &[u8]) -> usize {
    text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0)
}

/// Where the cells of an exchange bank line start, or `indent` again if it is not one.
fn bank_start(text: &[u8], indent: usize) -> usize {
    let body = &text[indent..];
    let is_bank = body.len() > BANK_ID
        && body[..BANK_ID].iter().all(u8::is_ascii_hexdigit)
        && matches!(body[BANK_ID], b' ' | b'\t');
    if is_bank { indent + BANK_ID + 1 } else { indent }
}

/// Reads a line that is not simply a puzzle at its start: where the cells begin, and the puzzle.
#[cold]
fn explain(line: u64, text: &[u8]) -> Result<(usize, Grid), Fault> {
    let at = |at: usize, fault: Fault| Err(fault.at(Place { line, column: at as u64 + 1 }));
    let fault = |kind| Fault::new(kind, None);
    let bare = text.strip_suffix(b"\n").unwrap_or(text);
    if bare.len() > MAX_LINE {
        return at(MAX_LINE, fault(FaultKind::LineTooLong));
    }
    if let Some(found) = start_of_cells(text) {
        return Ok(found);
    }
    let bare = bare.trim_ascii_end();
    let mut start = indent(bare);
    // Half a puzzle behind what looks like an identifier: the identifier is one.
    let bank = bank_start(bare, start);
    if cells::run(&bare[bank..]) > CELLS / 2 {
        start = bank;
    }
    let count = cells::run(&bare[start..]);
    let stop = start + count;
    match bare.get(stop) {
        _ if count == SUKAKU => at(start + CELLS, fault(FaultKind::Sukaku).number(count)),
        _ if count > CELLS => at(start + CELLS, fault(FaultKind::CellCount).number(count)),
        Some(b'\r') if count == CELLS => at(stop, fault(FaultKind::CarriageReturn)),
        None | Some(b' ' | b'\t' | b',' | b';' | b'#' | b':') if count > 0 => {
            at(stop, fault(FaultKind::CellCount).number(count))
        }
        Some(_) => at(stop, cells::invalid_character(bare, stop)),
        None => at(stop, fault(FaultKind::CellCount).number(0_u64)),
    }
}

/// The number of records that a count line promises.
fn count(line: &[u8]) -> Option<u64> {
    let digits = lone_integer(line).filter(|digits| digits.len() <= COUNT_DIGITS)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Counts the cells of readable lines. A line that is nearly one weighs a little, and so does a solved
/// grid: a table may have its puzzles in another column.
fn evidence(sample: &Sample<'_>) -> u64 {
    let mut seen = 0;
    let mut lines = 0;
    for line in sample.record_lines() {
        lines += 1;
        seen += match start_of_cells(line) {
            Some((_, grid)) if (grid.clues() as usize) < CELLS => CELLS as u64,
            Some(_) => 1,
            None => u64::from(longest_run(line) >= CELLS / 2 || line.len() > MAX_LINE && !line.contains(&0)),
        };
    }
    // A lone number is a count line without its lines.
    if lines == 1 && sample.record_lines().all(|line| count(line).is_some()) { 1 } else { seen }
}

fn longest_run(line: &[u8]) -> usize {
    line.split(|&byte| !cells::is_cell(byte)).map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{PUZZLE, dotted, drain, open, places, read, read_as};
    use crate::input::{FormatChoice, ReadOptions};

    fn place(line: u64, column: u64) -> Place {
        Place { line, column }
    }

    /// Reads as lines and shows every record.
    fn show(text: impl AsRef<[u8]>) -> Vec<String> {
        read_as(text.as_ref(), "line").show()
    }

    #[test]
    fn the_first_81_characters_are_the_puzzle_whatever_follows() {
        let after =
            ["", " 9.5", "\t#1", ",sol", ";x", "#1", "# a remark", ":1:22", "\r", "|", "é", "\0", " \u{7}"];
        for after in after {
            let line = format!("{PUZZLE}{after}\n");
            let reading = read_as(line.as_bytes(), "line");
            assert_eq!(reading.show(), [dotted()], "{after:?}");
            assert_eq!(reading.records[0].text, line.as_bytes(), "line end and all");
        }
    }

    /// A count comes before the first record only, however that is written.
    #[test]
    fn a_number_after_a_puzzle_is_a_record() {
        for puzzle in [PUZZLE.to_owned(), format!("{PUZZLE} "), PUZZLE.replace('0', "x")] {
            let rows = show(format!("{puzzle}\n12\n{puzzle}\n"));
            assert_eq!((&rows[0], rows.len(), &rows[2]), (&dotted(), 3, &dotted()));
            assert!(rows[1].contains("2 cells"), "{}", rows[1]);
        }
    }

    #[test]
    fn every_blank_character_is_a_blank() {
        for blank in "0.*_-?Xx".chars() {
            let text = PUZZLE.replace('0', &blank.to_string());
            assert_eq!(read(format!("{text}\n").as_bytes()).show(), [dotted()], "{blank}");
        }
    }

    #[test]
    fn what_is_tolerated() {
        let text = format!("\u{feff}# a list\r\n\r\n   \n{PUZZLE}\r\n  # more\n \t{PUZZLE}  \n\n{PUZZLE}");
        let reading = read(text.as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 3]);
        assert_eq!(reading.records.iter().map(|record| record.line).collect::<Vec<_>>(), [4, 6, 8]);
        assert_eq!(reading.records[0].text, format!("{PUZZLE}\r\n").as_bytes());
        assert_eq!(reading.records[2].text, PUZZLE.as_bytes());
        assert!(reading.records.iter().all(|record| record.layout == Layout::Line));
    }

    #[test]
    fn an_exchange_bank_line_has_its_cells_behind_the_identifier() {
        let text = format!("0000183b305c {PUZZLE}  1.2\n12345678901f\t{PUZZLE} 2.0\n");
        assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
        assert_eq!(places(text.as_bytes())[1][0], place(2, 14));
        assert_eq!(places(text.as_bytes())[1][80], place(2, 94));
    }

    #[test]
    fn a_bad_line_is_one_invalid_record_with_place_and_reason() {
        let with = |at: usize, bytes: &[u8]| {
            let mut line = PUZZLE.as_bytes().to_vec();
            line.splice(at..at + 1, bytes.iter().copied());
            line
        };
        let sukaku = "1".repeat(729);
        let table: Vec<(Vec<u8>, &str)> = vec![
            (PUZZLE.as_bytes()[1..].to_vec(), "1:81: 80 cells (expected 81)"),
            ([PUZZLE.as_bytes(), b"1"].concat(), "1:82: 82 cells (expected 81)"),
            ([PUZZLE.as_bytes(), b"-name"].concat(), "1:82: 82 cells (expected 81)"),
            (b"12 34".to_vec(), "1:3: 2 cells (expected 81)"),
            (b"1,2".to_vec(), "1:2: 1 cell (expected 81)"),
            (with(36, b"\x07"), "1:37: invalid character '\\x07' (expected 1-9, 0 or .)"),
            (with(0, b"\0"), "1:1: invalid character '\\x00' (expected 1-9, 0 or .)"),
            (with(80, b"\0"), "1:81: invalid character '\\x00' (expected 1-9, 0 or .)"),
            (with(80, b"\xff"), "1:81: invalid byte '\\xff' (expected 1-9, 0 or .)"),
            (with(3, b"\xc3"), "1:4: invalid byte '\\xc3' (expected 1-9, 0 or .)"),
            (with(3, "é".as_bytes()), "1:4: invalid character 'é' (expected 1-9, 0 or .)"),
            (b"hello".to_vec(), "1:1: invalid character 'h' (expected 1-9, 0 or .)"),
            (b"  \t hello".to_vec(), "1:5: invalid character 'h' (expected 1-9, 0 or .)"),
            (b",".to_vec(), "1:1: invalid character ',' (expected 1-9, 0 or .)"),
            (format!("0000183b305c {} 1.2", &PUZZLE[1..]).into_bytes(), "1:94: 80 cells (expected 81)"),
            (
                format!("0000183b305c {}a 1.2", &PUZZLE[1..]).into_bytes(),
                "1:94: invalid character 'a' (expected 1-9, 0 or .)",
            ),
            // An identifier alone, and before less or more than half a puzzle.
            (b"0000183b305c".to_vec(), "1:8: invalid character 'b' (expected 1-9, 0 or .)"),
            (
                format!("0000183b305c {}", &PUZZLE[..40]).into_bytes(),
                "1:8: invalid character 'b' (expected 1-9, 0 or .)",
            ),
            (format!("0000183b305c {}", &PUZZLE[..41]).into_bytes(), "1:55: 41 cells (expected 81)"),
            (sukaku.into_bytes(), "1:82: 729 cells: a sukaku, which is not supported yet (expected 81)"),
            (
                format!("{PUZZLE}\r{PUZZLE}\r").into_bytes(),
                "1:82: carriage return within a line (expected lines that end in \\n or \\r\\n)",
            ),
        ];
        for (line, expected) in table {
            // Alone, in front of a good line, and with a Windows line end.
            let good = PUZZLE.as_bytes();
            for end in [&b"\n"[..], b"\r\n"] {
                let text = [&line, end, good, b"\n"].concat();
                assert_eq!(show(&text), [expected.to_owned(), dotted()], "{}", line.escape_ascii());
            }
            let text = [good, b"\n", &line].concat();
            let expected = expected.replacen("1:", "2:", 1);
            assert_eq!(show(&text), [dotted(), expected], "{}", line.escape_ascii());
        }
    }

    #[test]
    fn the_longest_line_allowed_is_read_and_a_longer_one_is_one_record() {
        for (length, first) in
            [(MAX_LINE, dotted()), (MAX_LINE + 1, format!("1:{}: line longer than 1 MiB", MAX_LINE + 1))]
        {
            for filling in [" ", "1", "a"] {
                let first = if filling == "1" && length == MAX_LINE {
                    format!("1:82: {MAX_LINE} cells (expected 81)")
                } else {
                    first.clone()
                };
                let text = format!("{PUZZLE}{}\n{PUZZLE}\n", filling.repeat(length - 81));
                assert_eq!(show(text), [first, dotted()], "{length} {filling}");
            }
        }
    }

    #[test]
    fn the_rest_of_an_endless_line_is_not_kept() {
        for filling in ["1", "a", " ", "\0"] {
            let text = format!("{PUZZLE}\n{}\n{PUZZLE}\n", filling.repeat(3 * MAX_LINE));
            let reading = read(text.as_bytes());
            let reason = format!("2:{}: line longer than 1 MiB", MAX_LINE + 1);
            assert_eq!(reading.show(), [dotted(), reason, dotted()], "{filling:?}");
            assert_eq!(reading.records[1].text.len(), MAX_LINE + 2);
            assert_eq!(reading.records[2].line, 3);
        }
    }

    #[test]
    fn a_count_line_counts_only_in_front() {
        let reading = read(format!("# list\n2\n{PUZZLE}\n{PUZZLE}\n").as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 2]);
        assert_eq!(reading.notes, Vec::<String>::new());
        assert_eq!(reading.records[0].line, 3);

        let reading = read(format!("{PUZZLE}\n2\n{PUZZLE}\n").as_bytes());
        assert_eq!(reading.show(), [dotted(), "2:2: 1 cell (expected 81)".to_owned(), dotted()]);

        // Thirteen digits are a short puzzle.
        let reading = read(format!("1234567890123\n{PUZZLE}\n").as_bytes());
        assert_eq!(reading.show(), ["1:14: 13 cells (expected 81)".to_owned(), dotted()]);
    }

    #[test]
    fn a_count_line_that_is_wrong_costs_no_row() {
        for promised in [0, 1, 3, 49151] {
            let reading = read(format!("{promised}\r\n{PUZZLE}\n{PUZZLE}\n").as_bytes());
            assert_eq!(reading.show(), vec![dotted(); 2]);
            assert_eq!(reading.notes, [format!("test: the count line promises {promised} records, 2 came")]);
        }
    }

    #[test]
    fn a_list_without_claims_is_noted_where_they_are_wanted() {
        let notes = |claims: bool, text: &str| {
            let format = FormatChoice::named("line");
            drain(
                open(text.as_bytes(), &ReadOptions { format, claims, ..ReadOptions::default() }).unwrap(),
                1000,
            )
            .notes
        };
        let list = format!("{PUZZLE}\n{PUZZLE}\n");
        let noted = ["test: the first lines have no claimed solutions behind their puzzles"];
        assert_eq!(notes(true, &list), noted);
        assert_eq!(notes(false, &list), [""; 0]);
        assert_eq!(notes(true, "# empty\n"), [""; 0]);
        assert_eq!(notes(true, &format!("{PUZZLE},{SOLUTION}\n")), [""; 0]);
    }

    const SOLUTION: &str =
        "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    fn claims(text: &str) -> Vec<String> {
        read(text.as_bytes()).claims()
    }

    #[test]
    fn claims_behind_puzzles() {
        for behind in
            [",S", "\tS", " S", "  S", ";S", ":1:S", ",S # remark", ", S", ",S,1.2", " 7.1 S", ",S\r"]
        {
            let line = format!("{PUZZLE}{}\n", behind.replace('S', SOLUTION));
            assert_eq!(claims(&line.repeat(2)), [SOLUTION; 2], "{behind}");
            // A puzzle alone has none, and it stays one.
            assert_eq!(
                claims(&format!("{line}{PUZZLE}\n{line}")),
                [SOLUTION, "missing", SOLUTION],
                "{behind}"
            );
        }
        // What this program writes where there is no solution.
        let text = format!("{PUZZLE},\n{PUZZLE},{SOLUTION}\n,\n{PUZZLE},\n");
        let reading = read(text.as_bytes());
        assert_eq!(reading.claims(), ["missing", SOLUTION, "missing", "missing"]);
        assert_eq!(reading.show()[2], "3:1: invalid character ',' (expected 1-9, 0 or .)");
        // tdoku writes nothing behind a count of 0.
        let text = format!("{PUZZLE}:0:\n{PUZZLE}:1:{SOLUTION}\n");
        assert_eq!(claims(&text), ["missing", SOLUTION]);
        let bank = format!("0000183b305c {PUZZLE},{SOLUTION}\n");
        assert_eq!(claims(&bank), [SOLUTION]);
    }

    #[test]
    fn ratings_and_names_are_no_claims() {
        for behind in [
            "",
            " 9.5",
            "\t#1",
            ",sol",
            ";x",
            "#1",
            " # a remark",
            ":1:",
            ":1:22",
            ",12345678",
            ",-----",
            "\0",
        ] {
            let text = format!("{PUZZLE}{behind}\n").repeat(3);
            assert_eq!(claims(&text), ["missing"; 3], "{behind:?}");
        }
        assert_eq!(claims(&format!("0000183b305c {PUZZLE}  1.2\n")), ["missing"]);
        // Less than half a grid is none, and more is one that is too short.
        let behind = |cells: usize| claims(&format!("{PUZZLE},{}\n", &SOLUTION[..cells]).repeat(3));
        assert_eq!(behind(40), ["missing"; 3]);
        assert_eq!(behind(41)[0], "line 1, column 124: claimed solution: 41 cells (expected 81)");
        // One solution among names does not make claims of them, nor do as many as there are names.
        let text = format!("{PUZZLE},a\n{PUZZLE},b\n{PUZZLE},{SOLUTION}\n");
        assert_eq!(claims(&text), ["missing", "missing", SOLUTION]);
        assert_eq!(claims(&format!("{PUZZLE},a\n{PUZZLE},{SOLUTION}\n")), ["missing", SOLUTION]);
        // Of two fields of cells the first is the claim.
        assert_eq!(claims(&format!("{PUZZLE},{SOLUTION},{}\n", dotted()).repeat(2)), [SOLUTION; 2]);
    }

    /// Wherever the first lines have theirs, or none at all.
    #[test]
    fn a_claim_that_comes_late_or_elsewhere_is_found() {
        let late = format!("{}{PUZZLE},{SOLUTION}\n", format!("{PUZZLE},\n").repeat(1000));
        assert_eq!(claims(&late)[999..], ["missing", SOLUTION]);
        let mixed = format!("{PUZZLE},{SOLUTION}\n{PUZZLE} {SOLUTION}\n{PUZZLE};17;{SOLUTION}\n");
        assert_eq!(claims(&mixed), [SOLUTION; 3]);
    }

    #[test]
    fn a_bad_claim_has_place_and_reason() {
        let short = &SOLUTION[1..];
        let table = [
            (short.to_owned(), "line 2, column 163: claimed solution: 80 cells (expected 81)"),
            (format!("{SOLUTION}1"), "line 2, column 164: claimed solution: 82 cells (expected 81)"),
            (
                format!(" {short}q"),
                "line 2, column 164: claimed solution: invalid character 'q' (expected 1-9)",
            ),
            ("none".to_owned(), "line 2, column 83: claimed solution: invalid character 'n' (expected 1-9)"),
        ];
        for (bad, expected) in table {
            let good = format!("{PUZZLE},{SOLUTION}\n");
            assert_eq!(claims(&format!("{good}{PUZZLE},{bad}\n{good}")), [SOLUTION, expected, SOLUTION]);
        }
        // Cells too few or blank are a claim all the same, even where no line has a good one.
        assert_eq!(claims(&format!("{PUZZLE},{}\n", dotted())), [dotted()]);
        let shown = claims(&format!("{PUZZLE},{short}\n"));
        assert_eq!(shown, ["line 1, column 163: claimed solution: 80 cells (expected 81)"]);
    }

    #[test]
    fn a_clue_is_found_again() {
        let text = format!("# x\n{PUZZLE}\n  {PUZZLE}");
        assert_eq!(places(text.as_bytes())[0][40], place(2, 41));
        assert_eq!(places(text.as_bytes())[1][0], place(3, 3));
    }
}
