//! Finding out what is in an input, and the registry of the families of formats.
//!
//! Each family counts the cells that it could read in a sample from the start of the input; the one
//! that reads most is taken. So a file that begins with a broken record is still known by those after
//! it, and a file is refused only if nothing in the sample can be read at all.

use std::fmt;
use std::sync::Arc;

use super::batch::Format;
use super::family::{Family, Sample};
use super::look::Evidence;
use super::{InputError, cases, csv, grid, line};

/// Every family; of several that can read as much the first is taken.
const FAMILIES: &[Family] = &[line::FAMILY, grid::FAMILY, cases::FAMILY, csv::FAMILY];

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
) -> Result<Arc<dyn Format>, InputError> {
    if is_utf16(sample.bytes) {
        return Err(InputError::Utf16 { name: sample.name.to_owned() });
    }
    if let Some(choice) = choice {
        return (FAMILIES[choice.0].open)(sample);
    }
    let (evidence, family) = best(sample);
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
    if evidence == 0 && sample.record_lines().next().is_some() {
        return Err(csv::no_puzzle_column(sample).unwrap_or_else(|| InputError::UnknownFormat {
            name: sample.name.to_owned(),
            formats: FormatChoice::ALL.map(FormatChoice::name).join("|"),
        }));
    }
    (family.open)(sample)
}

/// Whether the start of an input that pauses there leaves no doubt of its format.
pub(super) fn is_certain(sample: &Sample<'_>, choice: Option<FormatChoice>) -> bool {
    let (evidence, family) = match choice {
        Some(choice) => ((FAMILIES[choice.0].evidence)(sample), &FAMILIES[choice.0]),
        None => best(sample),
    };
    let claims_found = || (family.open)(sample).is_ok_and(|format| !format.lacks_claims());
    evidence >= family.enough && sample.bytes.contains(&b'\n') && (!sample.claims || claims_found())
}

/// The family that can read most of a sample, and how much.
fn best(sample: &Sample<'_>) -> (u64, &'static Family) {
    let mut best = (0, &FAMILIES[0]);
    for family in FAMILIES {
        let evidence = (family.evidence)(sample);
        if evidence > best.0 {
            best = (evidence, family);
        }
    }
    best
}

/// The name of the family that reads a sample, and the cells that each could read of it.
pub(super) fn families(sample: &Sample<'_>, choice: Option<FormatChoice>) -> (&'static str, Vec<Evidence>) {
    let found = choice.map_or_else(|| best(sample).1.name, FormatChoice::name);
    (found, FAMILIES.iter().map(|family| (family.name, (family.evidence)(sample))).collect())
}

/// Whether text is UTF-16: by its byte-order mark, or because every other byte is NUL.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    /// Bytes that are looked at, and the fewest that say something.
    const LOOKED_AT: usize = 64;
    const ENOUGH: usize = 8;
    let start = &bytes[..bytes.len().min(LOOKED_AT) / 2 * 2];
    let nul = |at: usize| start.iter().skip(at).step_by(2).all(|&byte| byte == 0);
    let text = |at: usize| start.iter().skip(at).step_by(2).all(|&byte| byte != 0);
    bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff")
        || start.len() >= ENOUGH && (nul(0) && text(1) || nul(1) && text(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadOptions;
    use crate::input::testing::{PUZZLE, dotted, open, read, rows};
    use crate::record::Layout;

    const CASE: &str = "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n";

    #[test]
    fn an_input_without_records_is_fine() {
        for text in ["", "\n", "# only a remark\n\n", "\u{feff}", "0\n", " \r\n"] {
            let reading = read(text.as_bytes());
            assert!(
                reading.records.is_empty() && reading.error.is_none() && reading.notes.is_empty(),
                "{text:?}"
            );
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
    fn a_lone_number_is_a_count_without_its_lines() {
        let reading = read(b"# a list\n12\n");
        assert!(reading.records.is_empty());
        assert_eq!(reading.notes, ["test: the count line promises 12 records, 0 came"]);
    }

    #[test]
    fn what_is_no_puzzle_file_is_refused_with_what_to_do() {
        let prose = "It was the best of times,\nit was the worst of times\n";
        for text in [
            &b"hello\n"[..],
            b"hello, you\n",
            prose.as_bytes(),
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            &[0; 100_000],
        ] {
            let error = open(text, &ReadOptions::default()).expect_err("no puzzles");
            assert!(matches!(error, InputError::UnknownFormat { .. }), "{error}");
            assert!(error.to_string().contains("--format"));
        }
    }

    #[test]
    fn a_format_that_is_given_is_not_doubted() {
        for choice in FormatChoice::ALL.into_iter().filter(|choice| !choice.has_columns()) {
            let options = ReadOptions { format: Some(choice), ..ReadOptions::default() };
            let source = open(b"hello\n", &options).expect("given");
            assert_eq!(
                crate::input::testing::drain(source, 100).records.len(),
                usize::from(choice.name() != "grid")
            );
        }
    }

    #[test]
    fn a_family_is_known_by_its_name() {
        assert_eq!(FormatChoice::ALL.map(FormatChoice::name), ["line", "grid", "cases", "csv"]);
        for choice in FormatChoice::ALL {
            assert_eq!(FormatChoice::named(choice.name()), Some(choice));
        }
        let abouts: std::collections::BTreeSet<_> = FormatChoice::ALL.map(FormatChoice::about).into();
        assert!(abouts.len() == 4 && !abouts.contains(""));
        assert_eq!(FormatChoice::named("Line"), None);
        let error = open(b"hello\n", &ReadOptions::default()).expect_err("no puzzles");
        assert!(error.to_string().ends_with("say what it is with --format line|grid|cases|csv"), "{error}");
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

    #[test]
    fn utf_16_is_known_by_its_mark_or_by_every_other_byte() {
        let words: Vec<u16> = "1.3...5.9\n".encode_utf16().collect();
        let little: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let big: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        for text in [&b"\xff\xfe1\0"[..], b"\xfe\xff\x001", &little, &big, &little[..8], &big[..9]] {
            assert!(is_utf16(text), "{}", text.escape_ascii());
        }
        // Too short to say, zeros alone, and a zero elsewhere.
        let elsewhere = [&little[..], b"11"].concat();
        for text in [&b"1.3...5.9"[..], b"\xff1\0", &little[..7], &big[..6], &[0; 64], &elsewhere] {
            assert!(!is_utf16(text), "{}", text.escape_ascii());
        }
    }
}
