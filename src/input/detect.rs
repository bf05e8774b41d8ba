//! Finding out what is in an input, and the registry of the families of formats.
//!
//! Each family counts the cells that it could read in a sample from the start of the input; the one
//! that reads most is taken. So a file that begins with a broken record is still known by those after
//! it, and a file is refused only if nothing in the sample can be read at all.

use std::sync::Arc;

use super::chunk::{End, Format, line_length};
use super::{FormatChoice, InputError, cases, csv, grid, line};

/// A family of formats, as the registry knows it.
pub(super) struct Family {
    pub choice: FormatChoice,
    /// Cells of the sample that the family can read; `u64::MAX` if there is no doubt.
    pub evidence: fn(&Sample<'_>) -> u64,
    /// Reads an input that starts with the sample.
    pub open: fn(&Sample<'_>) -> Result<Arc<dyn Format>, InputError>,
}

/// Every family; of several that can read as much the first is taken.
const FAMILIES: [Family; 4] = [line::FAMILY, grid::FAMILY, cases::FAMILY, csv::FAMILY];

/// The start of an input.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    /// Name of the input.
    pub name: &'a str,
    /// Its first bytes.
    pub bytes: &'a [u8],
    /// Whether they are all.
    pub whole: bool,
    /// The column asked for with `--puzzle-column`.
    pub puzzle_column: Option<&'a str>,
}

impl<'a> Sample<'a> {
    /// How the sample ends.
    pub fn end(&self) -> End {
        if self.whole { End::Last } else { End::More }
    }

    /// Its whole lines, line ends included; if not even one is whole, what there is of it.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.bytes;
        let end = if rest.contains(&b'\n') { self.end() } else { End::Last };
        std::iter::from_fn(move || {
            let (line, after) = rest.split_at(line_length(rest, end)?);
            rest = after;
            Some(line)
        })
    }

    /// Its lines that are neither blank nor a `#` comment.
    pub fn record_lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.lines().filter(|line| !matches!(line.trim_ascii_start(), [] | [b'#', ..]))
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
    let family = |choice| {
        FAMILIES.iter().find(|family| family.choice == choice).expect("every choice is in the registry")
    };
    if let Some(choice) = choice {
        return (family(choice).open)(sample);
    }
    let mut best = (0, family(FormatChoice::Line));
    for family in &FAMILIES {
        let evidence = (family.evidence)(sample);
        if evidence > best.0 {
            best = (evidence, family);
        }
    }
    if sample.puzzle_column.is_some()
        && best.1.choice == FormatChoice::Line
        && let Some(error) = csv::no_puzzle_column(sample)
    {
        return Err(error);
    }
    match best {
        (0, _) if sample.record_lines().next().is_some() => Err(csv::no_puzzle_column(sample)
            .unwrap_or_else(|| InputError::UnknownFormat { name: sample.name.to_owned() })),
        (_, family) => (family.open)(sample),
    }
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
    use crate::input::testing::{PUZZLE, dotted, open, read, rows};
    use crate::input::{Layout, ReadOptions};

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
    fn what_is_no_puzzle_file_is_refused_with_what_to_do() {
        let prose = "It was the best of times,\nit was the worst of times\n";
        for text in [&b"hello\n"[..], prose.as_bytes(), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &[0; 100_000]] {
            let error = open(text, &ReadOptions::default()).expect_err("no puzzles");
            assert!(matches!(error, InputError::UnknownFormat { .. }), "{error}");
            assert!(error.to_string().contains("--format"));
        }
    }

    #[test]
    fn a_format_that_is_given_is_not_doubted() {
        for choice in [FormatChoice::Line, FormatChoice::Grid, FormatChoice::Cases] {
            let options = ReadOptions { format: Some(choice), puzzle_column: None };
            let source = open(b"hello\n", &options).expect("given");
            assert_eq!(
                crate::input::testing::drain(source, 100).records.len(),
                usize::from(choice != FormatChoice::Grid)
            );
        }
    }

    #[test]
    fn every_choice_is_in_the_registry() {
        for choice in FormatChoice::ALL {
            assert_eq!(FAMILIES.iter().filter(|family| family.choice == choice).count(), 1);
        }
    }
}
