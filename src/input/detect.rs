//! Finding out what is in an input, and the registry of the families of formats.
//!
//! Each family counts the cells that it could read in a sample from the start of the input; the one
//! that reads most is taken. So a file that begins with a broken record is still known by those after
//! it, and a file is refused only if nothing in the sample can be read at all. Once one reads
//! all there is no other is asked, and what it learned of the sample serves to read the input.

use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

use super::batch::{Cursor, Cut, Format, Step, TextEnd};
use super::family::{Family, Sample, Seen};
use super::look::Evidence;
use super::{InputError, binary, cases, cell, csv, foreign, grid, json, line, rhythm, xml};
use crate::record::{Fault, Records, Want};
use crate::sudoku::verifier;

/// Every family; of several that can read as much the first is taken. What takes longer comes later among the families
/// of lines, which are asked after the others, since these can be told by their first bytes.
const FAMILIES: &[Family] = &[
    line::FAMILY,
    csv::FAMILY,
    grid::FAMILY,
    cell::FAMILY,
    cases::FAMILY,
    json::LINES_FAMILY,
    json::FAMILY,
    xml::FAMILY,
    binary::PARQUET,
    binary::ARROW,
    binary::NPY,
];

/// How many of them are families of lines.
const LINE_FAMILIES: usize = 5;

/// A family of formats, as `--format` names it: a row of the registry.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FormatChoice(usize);

impl FormatChoice {
    /// Every family, in the order in which `--help` lists them.
    pub const ALL: [Self; FAMILIES.len()] = {
        let mut all = [Self(0); FAMILIES.len()];
        let mut row = 0;
        while row < all.len() {
            all[row] = Self(row);
            row += 1;
        }
        all
    };

    /// The family that a word names, `None` if it names none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// The word that `--format` takes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        FAMILIES[self.0].name
    }

    /// What it is, for a help text.
    #[must_use]
    pub const fn about(self) -> &'static str {
        FAMILIES[self.0].about
    }

    /// Whether its records have columns, so that [`ReadOptions`](super::ReadOptions) can name some.
    #[must_use]
    pub const fn has_columns(self) -> bool {
        FAMILIES[self.0].has_columns
    }

    /// Reads an input that starts with the sample.
    fn read(self, sample: &Sample<'_>) -> Result<Arc<dyn Format>, InputError> {
        ((FAMILIES[self.0].look)(sample).open)(sample)
    }

    /// The error for an input without a record.
    pub(super) fn no_records(self, name: &str) -> InputError {
        InputError::NoRecords { name: name.to_owned(), format: self.name(), about: self.about() }
    }
}

impl fmt::Debug for FormatChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FormatChoice").field(&self.name()).finish()
    }
}

/// What the start of an input shows, from one look at it.
pub(super) struct Finding {
    /// The family that was said, or can read most.
    choice: FormatChoice,
    /// Whether it was said.
    is_told: bool,
    /// The cells that it can read.
    cells: u64,
    /// What all families saw that were asked.
    seen: Vec<(FormatChoice, Seen)>,
    /// What the input is, if it is foreign beyond doubt.
    foreign: Option<InputError>,
    /// What reading the sample as the family gives, once that was asked for.
    trial: OnceCell<Trial>,
}

/// What reading a sample gives.
struct Trial {
    /// The format, unless the family refuses the input.
    format: Option<Arc<dyn Format>>,
    /// How many records there are, and what is wrong with the first, if none can be read.
    bad: Option<(usize, Option<Fault>)>,
}

impl Finding {
    /// Looks at a sample; `told` leaves only the details to find.
    pub fn of(sample: &Sample<'_>, told: Option<FormatChoice>) -> Self {
        let mut found = Self {
            choice: told.unwrap_or(FormatChoice::ALL[0]),
            is_told: told.is_some(),
            cells: 0,
            seen: Vec::new(),
            foreign: foreign::by_magic(sample.name, sample.bytes, sample.compression),
            trial: OnceCell::new(),
        };
        if found.foreign.is_some() {
            return found;
        }
        let (of_lines, others) = FormatChoice::ALL.split_at(LINE_FAMILIES);
        for &choice in others.iter().chain(of_lines).filter(|&&choice| told.is_none_or(|told| told == choice))
        {
            let seen = (FAMILIES[choice.0].look)(sample);
            let (cells, is_all) = (seen.cells, seen.is_all);
            found.seen.push((choice, seen));
            if cells > found.cells || cells == found.cells && choice.0 < found.choice.0 {
                (found.choice, found.cells) = (choice, cells);
            }
            if is_all {
                break;
            }
        }
        if !found.is_told && !found.seen().is_some_and(Seen::is_beyond_doubt) {
            if found.is_scant(sample) {
                found.choose_what_reads(sample);
            }
            let by_content = || {
                let (explained, error) = foreign::by_content(sample)?;
                (explained > found.cells || !found.reads_any(sample)).then_some(error)
            };
            // Where nothing looks like a record it is asked for later.
            let is_in_doubt = || found.cells > 0 && sample.whole && found.has_no_puzzle(sample);
            let code = || if is_in_doubt() { foreign::code(sample) } else { None };
            found.foreign = foreign::by_head(sample).or_else(by_content).or_else(code);
        }
        found
    }

    fn family(&self) -> &'static Family {
        &FAMILIES[self.choice.0]
    }

    /// What the family saw, if it was asked.
    fn seen(&self) -> Option<&Seen> {
        self.seen.iter().find(|(choice, _)| *choice == self.choice).map(|(_, seen)| seen)
    }

    /// Reads an input that starts with the sample.
    fn read(&self, sample: &Sample<'_>) -> Result<Arc<dyn Format>, InputError> {
        match self.seen() {
            Some(seen) => (seen.open)(sample),
            None => self.choice.read(sample),
        }
    }

    /// Whether what can be read is so little that it may be there by chance.
    fn is_scant(&self, sample: &Sample<'_>) -> bool {
        /// Bytes that most lists of puzzles take for a cell, or fewer.
        const DENSE: u64 = 4;
        /// Lines for each cell among which some look like records in any text.
        const LINES: u64 = 16;
        let bytes = sample.bytes.len() as u64;
        let most = self.cells.saturating_add(1).saturating_mul(LINES);
        self.cells > 0
            && (bytes > most && sample.record_lines().count() as u64 > most
                || self.cells < bytes / DENSE && foreign::is_other_text(sample))
    }

    /// Chooses, of the families that can read something, the first that reads a record.
    fn choose_what_reads(&mut self, sample: &Sample<'_>) {
        let mut found: Vec<(u64, FormatChoice)> =
            self.seen.iter().map(|&(choice, ref seen)| (seen.cells, choice)).collect();
        // Of equals the first.
        found.sort_by_key(|&(cells, choice)| (std::cmp::Reverse(cells), choice.0));
        for (cells, choice) in found.into_iter().filter(|&(cells, _)| cells > 0) {
            (self.cells, self.choice, self.trial) = (cells, choice, OnceCell::new());
            if self.reads_any(sample) {
                return;
            }
        }
        self.cells = 0;
    }

    /// What reading the sample as the family gives.
    fn trial(&self, sample: &Sample<'_>) -> &Trial {
        self.trial.get_or_init(|| {
            let format = self.read(sample).ok();
            let bad = format.as_deref().and_then(|format| bad_records(format, sample, |_, _| true));
            Trial { format, bad }
        })
    }

    /// Whether a record of the sample can be read.
    fn reads_any(&self, sample: &Sample<'_>) -> bool {
        self.trial(sample).bad.is_none()
    }

    /// The same where nine rows that are anything but a sudoku are as bad as what cannot be read.
    fn bad_records(&self, format: &dyn Format, sample: &Sample<'_>) -> Option<(usize, Option<Fault>)> {
        let is_puzzle = |records: &Records, row: usize| {
            !records.is_sudoku(row) || !rhythm::is_jumble(records.puzzles()[row].cells())
        };
        self.trial(sample).bad.clone().or_else(|| bad_records(format, sample, is_puzzle))
    }

    /// Whether no record of the sample is a puzzle.
    fn has_no_puzzle(&self, sample: &Sample<'_>) -> bool {
        let format = self.trial(sample).format.as_deref();
        format.is_some_and(|format| self.bad_records(format, sample).is_some())
    }

    /// The error for a file of which so many records are bad, and none is good, that it holds no puzzles. (Lists of lines
    /// and tables are what is taken where nothing is sure, and a line that is a puzzle but for some cells is no foreign
    /// one, unless it stands in a program.)
    fn no_good_records(&self, format: &dyn Format, sample: &Sample<'_>) -> Option<InputError> {
        /// More than a file of puzzles has before the first good one.
        const MANY: usize = 40;
        let is_of_lines = format.has_columns() || self.family().name == line::FAMILY.name;
        if !format.begins_lines() || is_of_lines && !foreign::begins_program(sample) {
            return None;
        }
        let (records, fault) = self.bad_records(format, sample).filter(|(records, _)| *records >= MANY)?;
        let (name, fault) = (sample.name.to_owned(), Box::new(fault?));
        Some(InputError::NoGoodRecords { name, records, format: self.choice.name(), fault })
    }

    /// Whether the sample was enough to know the format of the input, or that it has none.
    pub fn is_enough(&self) -> bool {
        let wants_more = self.seen().is_some_and(|seen| seen.wants_more);
        self.cells >= self.family().enough && !wants_more || self.foreign.is_some()
    }

    /// Whether there is no doubt of the format of an input that pauses behind the sample.
    pub fn is_certain(&self, sample: &Sample<'_>) -> bool {
        let family = self.family();
        let claims_found =
            || self.read(sample).is_ok_and(|format| !format.has_columns() || format.has_claims());
        self.cells >= family.enough && sample.bytes.contains(&b'\n') && (!sample.claims || claims_found())
    }

    /// The format of the input, or why it is refused.
    pub fn open(mut self, sample: &Sample<'_>) -> Result<Detected, InputError> {
        let format = self.format(sample)?;
        if sample.whole && !is_blank(sample.bytes) {
            let (mut cursor, mut rest) = (Cursor::START, sample.bytes);
            let has_record = loop {
                match format.step(&mut cursor, rest, TextEnd::Last) {
                    Step::Skip { length, .. } => rest = &rest[length..],
                    Step::Record { .. } => break true,
                    Step::Incomplete => break false,
                }
            };
            if !has_record && !format.may_be_empty(&cursor) {
                return Err(self.choice.no_records(sample.name));
            }
        }
        let evidence = self.seen.iter().map(|(choice, seen)| (choice.name(), seen.cells)).collect();
        Ok(Detected { choice: self.choice, format, evidence })
    }

    fn format(&mut self, sample: &Sample<'_>) -> Result<Arc<dyn Format>, InputError> {
        if let Some(error) = self.foreign.take() {
            return Err(error);
        }
        if self.is_told {
            return self.read(sample);
        }
        // A list of lines is none of the files in which a column is meant, unless it looks like a table.
        let missing = if self.family().name != line::FAMILY.name {
            None
        } else if sample.puzzle_column.is_some() {
            csv::no_puzzle_column(sample)
        } else if sample.solution_column.is_some() {
            csv::no_solution_column(sample)
        } else {
            None
        };
        if let Some(error) = missing {
            return Err(error);
        }
        let has_something = sample.record_lines().next().is_some() || sample.whole && !is_blank(sample.bytes);
        if self.cells == 0 && has_something {
            let known = foreign::by_looks(sample).or_else(|| csv::mangled_column(sample));
            let known = known.or_else(|| csv::no_puzzle_column(sample));
            return Err(known.unwrap_or_else(|| InputError::UnknownFormat {
                name: sample.name.to_owned(),
                formats: FormatChoice::ALL.map(FormatChoice::name).join("|"),
            }));
        }
        let format = match self.trial.get().and_then(|trial| trial.format.clone()) {
            Some(format) => format,
            None => self.read(sample)?,
        };
        self.no_good_records(&*format, sample).map_or(Ok(format), Err)
    }
}

/// How many records of the sample there are, and what is wrong with the first, if none can be read that is a puzzle, as
/// `is_puzzle` says of records and a row.
fn bad_records(
    format: &dyn Format,
    sample: &Sample<'_>,
    is_puzzle: impl Fn(&Records, usize) -> bool,
) -> Option<(usize, Option<Fault>)> {
    let mut records = Records::default();
    let (mut cursor, mut rest) = (Cursor::START, sample.bytes);
    let (mut count, mut line, mut first) = (0, 1, None);
    // Little at a time, since the first record is good as a rule.
    let mut piece = 1 << 10;
    while !rest.is_empty() {
        let is_all = rest.len() <= piece;
        let (text, end) = if is_all { (rest, TextEnd::Last) } else { (&rest[..piece], TextEnd::More) };
        let before = cursor;
        let Cut { length, ahead, lines, .. } = format.cut(&mut cursor, text, end);
        if length == 0 {
            if is_all {
                break;
            }
            cursor = before;
            piece *= 2;
            continue;
        }
        records.clear();
        format.read_with(before, &rest[..length + ahead], ahead, line, Want::default(), &mut records);
        if (0..records.len()).any(|row| records.readable()[row] && is_puzzle(&records, row)) {
            return None;
        }
        count += records.len();
        first = first.or_else(|| first_fault(format, &records, rest));
        line += lines;
        rest = &rest[length..];
    }
    Some((count, first))
}

/// What is wrong with the first of some records, which stand at the start of the text.
fn first_fault(format: &dyn Format, records: &Records, text: &[u8]) -> Option<Fault> {
    if !*records.readable().first()? {
        return records.faults().get(0).cloned();
    }
    let clash = verifier::clash(&records.puzzles()[0])?;
    let place = |cell| format.place_of(records.lines()[0], records.spans()[0].of(text), cell);
    let [first, second] = clash.cells.map(place);
    Some(Fault::clash(clash.digit, first, second, clash.house))
}

/// What is known of an input once its start was looked at.
pub(super) struct Detected {
    pub choice: FormatChoice,
    pub format: Arc<dyn Format>,
    /// The cells of the start that each family could read, of those that were asked.
    pub evidence: Vec<Evidence>,
}

/// Whether text is nothing at all, or white space.
pub(super) fn is_blank(text: &[u8]) -> bool {
    text.trim_ascii().is_empty()
}

/// Whether the text is a document or a dump of a database, whose first line may be all of it.
pub(super) fn is_document(sample: &Sample<'_>, choice: Option<FormatChoice>) -> bool {
    match choice {
        Some(choice) => choice.read(sample).is_ok_and(|format| !format.begins_lines()),
        None => json::is_document(sample) || xml::is_document(sample) || line::is_dump(sample),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadOptions;
    use crate::input::testing::{Body, PUZZLE, Reading, dotted, drain, open, read, rows, told};
    use crate::record::Layout;

    const CASE: &str = "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n";

    #[test]
    fn an_input_that_is_blank_or_says_that_it_has_no_records_is_fine() {
        let names = "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error\n";
        for text in ["", "\n", "\u{feff}", "0\n", "# none\n0\n", " \r\n", "\u{1a}", "\r\r", names] {
            let reading = read(text.as_bytes());
            assert!(
                reading.records.is_empty() && reading.error.is_none() && reading.notes.is_empty(),
                "{text:?}"
            );
        }
        let cases = ReadOptions { format: FormatChoice::named("cases"), ..ReadOptions::default() };
        let reading = drain(open(b"0\n", &cases).expect("the mark of the end"), 100);
        assert!(reading.records.is_empty() && reading.error.is_none());
    }

    #[test]
    fn many_records_and_not_one_puzzle_are_no_file_of_puzzles() {
        let weights = |behind: [&str; 4]| -> String {
            let weight = |number: usize| {
                let sign = if number.is_multiple_of(3) { "" } else { "-" };
                format!("{sign}0.{:06}{}\n", 7919 * number * number % 1_000_000, behind[number % 4])
            };
            (0..2000).map(weight).collect()
        };
        let refusal = |text: &str| told(&open(text.as_bytes(), &ReadOptions::default()).expect_err(text));
        assert!(refusal(&weights([""; 4])).contains("a list of numbers"));
        let text = format!("9\n{}", weights(["", "", "", " w"]));
        let error = refusal(&text);
        let (_, format) = error.split_once("; format ").expect(&error);
        let format = FormatChoice::named(format.split(' ').next().expect("a name"));
        let good = |reading: &Reading| {
            reading.records.iter().filter(|record| matches!(record.body, Body::Sudoku(_))).count()
        };
        assert!(error.contains("not one puzzle among the first"), "{error}");
        let told = ReadOptions { format, ..ReadOptions::default() };
        let reading = drain(open(text.as_bytes(), &told).expect("it was told"), 100);
        assert!(reading.records.len() >= 40 && good(&reading) == 0);

        let found = read(format!("{text}\n{}", rows()).as_bytes());
        assert_eq!(good(&found), 1);

        // Nine rows that are anything but a sudoku are no better; in a program neither are lines of digits.
        let random = |number: usize| number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let lines = |line: &dyn Fn(usize) -> String| (0..1000).map(|at| line(at) + "\n").collect::<String>();
        let digits = |at: usize| format!("{at} {:020}{:020}{:010}", random(at), random(2 * at), at);
        let code = |lines: String| format!("package x.y;\n\n{lines}");
        for text in [
            "123456789\n".repeat(1000),
            "[1,2,3,4,5,6,7,8,9],\n".repeat(1000),
            lines(&|at| format!("{:09}", random(at) % 1_000_000_000)),
            lines(&|at| format!("{:03} {:03} {:03}", random(at) % 1000, random(at + 1) % 1000, at % 1000)),
            code(lines(&|at| format!("\"{}\",", random(at) % 1_000_000_000))),
            code(lines(&digits)),
        ] {
            assert!(refusal(&text).contains("not one puzzle among the first"), "{}", &text[..60]);
            let found = read(format!("{text}\n{}\n{PUZZLE}\n{text}", rows()).as_bytes());
            assert!(good(&found) > 0, "{}", &text[..60]);
        }
        // Puzzles with some wrong digits each are puzzles, as are lines of digits where no program stands.
        let wrong = rows().replacen("103000509", "123333519", 1) + "\n";
        assert!(read(wrong.repeat(100).as_bytes()).records.len() >= 100);
        assert_eq!(read(lines(&digits).as_bytes()).records.len(), 1000);
    }

    #[test]
    fn what_is_not_blank_and_yields_no_record_is_an_error() {
        let nothing = ["# only a remark\n\n", "# a list\n12\n", "12\n", "puzzle,solution\n", "id;quizzes"];
        for text in nothing {
            let error = open(text.as_bytes(), &ReadOptions::default()).expect_err(text);
            let told = told(&error);
            assert!(told.starts_with("test: ") && told.contains("with format"), "{told}");
        }
        // What is no text is refused by its first bytes.
        let is_text = |choice: &FormatChoice| !["parquet", "arrow", "npy"].contains(&choice.name());
        for choice in FormatChoice::ALL.into_iter().filter(is_text) {
            let options = ReadOptions { format: Some(choice), ..ReadOptions::default() };
            for text in ["# only a remark\n\n", "#\r#"] {
                let error = open(text.as_bytes(), &options).expect_err(text).to_string();
                let expected = format!("test: not one record in it (read as {}: ", choice.name());
                assert!(error.starts_with(&expected), "{error}");
            }
        }
        // Longer than what is looked at: it shows at the end.
        for name in ["line", "grid"] {
            let options = ReadOptions { format: FormatChoice::named(name), ..ReadOptions::default() };
            for (unit, is_fine) in [("#", false), (" ", true)] {
                let long = format!("{}\n", unit.repeat(500_000)).repeat(40);
                let reading = drain(open(long.as_bytes(), &options).expect("there may be more"), 1 << 20);
                assert_eq!(reading.error.is_none(), is_fine, "{:?}", reading.error);
                assert!(reading.records.is_empty());
            }
        }
    }

    #[test]
    fn what_comes_after_a_bad_start_decides() {
        let puzzle = format!("{PUZZLE}\n");
        let table = [
            ("junk\n", puzzle.as_str(), Layout::Line),
            (&puzzle[1..], &puzzle, Layout::Line),
            ("\0\0\0\n", &puzzle, Layout::Line),
            ("123456789\n", &puzzle, Layout::Line),
            ("junk, more\n", &puzzle, Layout::Line),
            ("1 2\n\n", &(rows() + "\n"), Layout::Rows),
            ("6 B2\n", CASE, Layout::Case),
        ];
        for (start, good, layout) in table {
            let reading = read(format!("{start}{good}{good}{good}").as_bytes());
            let last = reading.records.last().expect("records");
            assert_eq!(last.layout, layout, "{start:?}");
            assert!(!last.show().contains(':'), "{}", last.show());
        }
        let long = format!("{}\n{puzzle}", "a".repeat(3 << 20));
        assert_eq!(read(long.as_bytes()).show()[1..], [dotted()]);
    }

    #[test]
    fn one_bad_record_alone_is_still_a_record() {
        for text in [&PUZZLE[1..], "12345678901234567890123456789012345678901234567890"] {
            assert_eq!(read(text.as_bytes()).records.len(), 1);
        }
        assert_eq!(read("1".repeat(2 << 20).as_bytes()).records.len(), 1);
    }

    #[test]
    fn what_is_no_puzzle_file_is_refused_with_what_to_do() {
        let prose = "It was the best of times,\nit was the worst of times\n";
        for text in [&b"hello\n"[..], b"hello, you\n", prose.as_bytes()] {
            let error = open(text, &ReadOptions::default()).expect_err("no puzzles");
            assert!(matches!(error, InputError::UnknownFormat { .. }), "{error}");
            assert!(told(&error).contains("say what it is with format"));
        }
    }

    /// Once every few lines of it were an invalid record: numbers in a text are no puzzles.
    #[test]
    fn a_text_with_numbers_in_it_is_one_refusal() {
        let report = "step 1:\n    functions:\n        count_numbers()\n        find_numbers()\n\n    results:\n        Easy 93.40% - 934/1000\n\
                      000 000 000\nthree rows of a grid are mentioned here:\n123456789\n456789123\n789123456\n";
        let code = "public class Sudoku {\n  int[] row = {\n    1,2,3,4,5,6,7,8,9\n  };\n  private int x;\n}\nimport a.b;\n";
        let points =
            "{\n  \"points\": {\n    \"123456789\": \"x\",\n    \"name of the point\": [1.5, 2.5]\n  }\n}\n";
        for text in [report, code, points] {
            let long = text.repeat(9);
            let error = open(long.as_bytes(), &ReadOptions::default()).expect_err(text);
            assert!(
                matches!(error, InputError::UnknownFormat { .. } | InputError::Foreign { .. }),
                "{error}"
            );
            // With a puzzle in it, it is read, wherever that stands.
            for puzzle in [PUZZLE.to_owned(), rows()] {
                let shown = read(format!("{long}\n{puzzle}\n{long}").as_bytes()).show();
                assert!(shown.contains(&dotted()), "{text}");
            }
        }
    }

    #[test]
    fn a_format_that_is_given_is_not_doubted() {
        let options = ReadOptions { format: FormatChoice::named("cases"), ..ReadOptions::default() };
        assert_eq!(drain(open(b"hello\n", &options).expect("given"), 100).records.len(), 1);
    }

    #[test]
    fn a_family_is_known_by_its_name() {
        let names =
            ["line", "csv", "grid", "cell", "cases", "jsonl", "json", "xml", "parquet", "arrow", "npy"];
        assert_eq!(FormatChoice::ALL.map(FormatChoice::name), names);
        assert_eq!(FAMILIES[LINE_FAMILIES].name, "jsonl", "the first that is none of lines");
        for choice in FormatChoice::ALL {
            assert_eq!(FormatChoice::named(choice.name()), Some(choice));
        }
        let abouts: std::collections::BTreeSet<_> = FormatChoice::ALL.map(FormatChoice::about).into();
        assert!(abouts.len() == FormatChoice::ALL.len() && !abouts.contains(""));
        assert_eq!(FormatChoice::named("Line"), None);
        let error = open(b"hello\n", &ReadOptions::default()).expect_err("no puzzles");
        assert!(
            told(&error).contains("say what it is with format line|csv|grid|cell|cases|jsonl|json|xml"),
            "{error}"
        );
    }

    #[test]
    fn a_pause_before_the_first_claim_leaves_a_table_in_doubt_and_nothing_else() {
        let certain = |text: &str, claims| {
            let sample = Sample {
                name: "test",
                bytes: text.as_bytes(),
                whole: false,
                puzzle_column: None,
                solution_column: None,
                claims,
                look: false,
                option_names: &crate::input::OptionNames::LIBRARY,
                compression: None,
            };
            Finding::of(&sample, None).is_certain(&sample)
        };
        let table = format!("{PUZZLE},x\n");
        for text in [format!("{PUZZLE}\n"), format!("{}\n{}\n", rows(), rows()), CASE.to_owned()] {
            assert!(certain(&text, true) && certain(&text, false), "{text}");
        }
        let header = format!("id,puzzle\n1,{table}");
        assert!(certain(&header, false) && !certain(&header, true));
        assert!(certain(&format!("puzzle,solution\n{PUZZLE},{PUZZLE}\n"), true));
        assert!(!certain(&PUZZLE[..80], false), "a line that may go on");
    }

    #[test]
    fn columns_that_are_named_say_nothing_where_there_are_none() {
        let named = |text: &str, format: &str| {
            let options = ReadOptions {
                format: FormatChoice::named(format),
                puzzle_column: Some("1".to_owned()),
                solution_column: Some("2".to_owned()),
                ..ReadOptions::default()
            };
            open(text.as_bytes(), &options).expect("it is given").notes().len()
        };
        assert_eq!(named(&format!("{PUZZLE}\n"), "line"), 2);
        assert_eq!(named(&rows(), "grid"), 2);
        assert_eq!(named(CASE, "cases"), 2);
        assert_eq!(named(&format!("{PUZZLE},x\n"), "csv"), 0);
    }
}
