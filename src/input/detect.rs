//! Finding out what is in an input, and the registry of the families of formats.
//!
//! Each family counts the cells that it could read in a sample from the start of the input; the one
//! that reads most is taken. So a file that begins with a broken record is still known by those after
//! it, and a file is refused only if nothing in the sample can be read at all.

use std::fmt;
use std::sync::Arc;

use super::batch::{Cursor, Format, TextEnd};
use super::family::{Family, Sample};
use super::look::Evidence;
use super::{InputError, binary, cases, csv, foreign, grid, json, line, xml};

/// Every family; of several that can read as much the first is taken.
const FAMILIES: &[Family] = &[
    line::FAMILY,
    grid::FAMILY,
    cases::FAMILY,
    csv::FAMILY,
    json::LINES_FAMILY,
    json::FAMILY,
    xml::FAMILY,
    binary::PARQUET,
    binary::ARROW,
    binary::NPY,
];

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

/// Finds the format of an input from its start; `choice` leaves only the details to find.
pub(super) fn detect(
    sample: &Sample<'_>,
    choice: Option<FormatChoice>,
) -> Result<(FormatChoice, Arc<dyn Format>), InputError> {
    if let Some(error) = foreign::by_magic(sample.name, sample.bytes) {
        return Err(error);
    }
    let (choice, format) = match choice {
        Some(choice) => (choice, (FAMILIES[choice.0].open)(sample)?),
        None => find(sample)?,
    };
    if sample.whole && !is_blank(sample.bytes) {
        let mut cursor = Cursor::START;
        let (mut rest, mut records) = (sample.bytes, 0);
        // In a document what comes before the first record may be cut alone.
        while records == 0 {
            let cut = format.cut(&mut cursor, rest, TextEnd::Last);
            if cut.length == 0 {
                break;
            }
            (rest, records) = (&rest[cut.length..], cut.records);
        }
        if records == 0 && !format.may_be_empty(&cursor) {
            return Err(choice.no_records(sample.name));
        }
    }
    Ok((choice, format))
}

/// Finds the format of an input of which nothing was said.
fn find(sample: &Sample<'_>) -> Result<(FormatChoice, Arc<dyn Format>), InputError> {
    let (evidence, choice) = best(sample);
    if let Some(error) = foreign::by_head(sample).or_else(|| foreign::by_content(sample, evidence)) {
        return Err(error);
    }
    let family = &FAMILIES[choice.0];
    // A list of lines is none of the files in which a column is meant, unless it looks like a table.
    let missing = if family.name != line::FAMILY.name {
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
    if evidence == 0 && has_something {
        let known = foreign::by_looks(sample).or_else(|| csv::no_puzzle_column(sample));
        return Err(known.unwrap_or_else(|| InputError::UnknownFormat {
            name: sample.name.to_owned(),
            formats: FormatChoice::ALL.map(FormatChoice::name).join("|"),
        }));
    }
    Ok((choice, (family.open)(sample)?))
}

/// Whether text is nothing at all, or white space.
pub(super) fn is_blank(text: &[u8]) -> bool {
    text.trim_ascii().is_empty()
}

/// Whether a sample has enough to know the format of the input, or that it has none.
pub(super) fn is_enough(sample: &Sample<'_>, choice: Option<FormatChoice>) -> bool {
    let (evidence, family) = evidence(sample, choice);
    evidence >= family.enough
        || foreign::by_magic(sample.name, sample.bytes).is_some()
        || choice.is_none()
            && foreign::by_head(sample).or_else(|| foreign::by_content(sample, evidence)).is_some()
}

/// Whether the start of an input that pauses there leaves no doubt of its format.
pub(super) fn is_certain(sample: &Sample<'_>, choice: Option<FormatChoice>) -> bool {
    let (evidence, family) = evidence(sample, choice);
    let claims_found =
        || (family.open)(sample).is_ok_and(|format| !format.has_columns() || format.has_claims());
    evidence >= family.enough && sample.bytes.contains(&b'\n') && (!sample.claims || claims_found())
}

/// Whether the text is a document, whose first line may be all of it.
pub(super) fn is_document(sample: &Sample<'_>, choice: Option<FormatChoice>) -> bool {
    match choice {
        Some(choice) => (FAMILIES[choice.0].open)(sample).is_ok_and(|format| !format.begins_lines()),
        None => json::is_document(sample) || xml::is_document(sample),
    }
}

/// The family that was chosen, or can read most of a sample, and how much it can read.
fn evidence(sample: &Sample<'_>, choice: Option<FormatChoice>) -> (u64, &'static Family) {
    let (evidence, choice) = match choice {
        Some(choice) => ((FAMILIES[choice.0].evidence)(sample), choice),
        None => best(sample),
    };
    (evidence, &FAMILIES[choice.0])
}

/// The family that can read most of a sample, and how much.
fn best(sample: &Sample<'_>) -> (u64, FormatChoice) {
    let mut best = (0, FormatChoice::ALL[0]);
    for choice in FormatChoice::ALL {
        let evidence = (FAMILIES[choice.0].evidence)(sample);
        if evidence > best.0 {
            best = (evidence, choice);
        }
    }
    best
}

/// The cells that each family could read of a sample.
pub(super) fn evidence_of_all(sample: &Sample<'_>) -> Vec<Evidence> {
    FAMILIES.iter().map(|family| (family.name, (family.evidence)(sample))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadOptions;
    use crate::input::testing::{PUZZLE, dotted, drain, open, read, rows};
    use crate::record::Layout;

    const CASE: &str = "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n";

    #[test]
    fn an_input_that_is_blank_or_says_that_it_has_no_records_is_fine() {
        let names = "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error\n";
        for text in [
            "",
            "\n",
            "\u{feff}",
            "0\n",
            "# none\n0\n",
            " \r\n",
            "\u{1a}",
            "\r\r",
            "puzzle,solution\n",
            names,
        ] {
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
    fn what_is_not_blank_and_yields_no_record_is_an_error() {
        let nothing = ["# only a remark\n\n", "# a list\n12\n", "12\n"];
        for text in nothing {
            let error = open(text.as_bytes(), &ReadOptions::default()).expect_err(text).to_string();
            assert!(error.starts_with("test: ") && error.contains("--format"), "{error}");
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
            assert!(error.to_string().contains("--format"));
        }
    }

    #[test]
    fn a_format_that_is_given_is_not_doubted() {
        let options = ReadOptions { format: FormatChoice::named("cases"), ..ReadOptions::default() };
        assert_eq!(drain(open(b"hello\n", &options).expect("given"), 100).records.len(), 1);
    }

    #[test]
    fn a_family_is_known_by_its_name() {
        let names = ["line", "grid", "cases", "csv", "jsonl", "json", "xml", "parquet", "arrow", "npy"];
        assert_eq!(FormatChoice::ALL.map(FormatChoice::name), names);
        for choice in FormatChoice::ALL {
            assert_eq!(FormatChoice::named(choice.name()), Some(choice));
        }
        let abouts: std::collections::BTreeSet<_> = FormatChoice::ALL.map(FormatChoice::about).into();
        assert!(abouts.len() == FormatChoice::ALL.len() && !abouts.contains(""));
        assert_eq!(FormatChoice::named("Line"), None);
        let error = open(b"hello\n", &ReadOptions::default()).expect_err("no puzzles");
        assert!(
            error.to_string().contains("say what it is with --format line|grid|cases|csv|jsonl|json|xml"),
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
            };
            is_certain(&sample, None)
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
