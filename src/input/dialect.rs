//! Dialects: how an input is read, as one value that can be printed and typed.
//!
//! A dialect is a framing, which defines where units of cells begin and end, and its settings. The sniffer finds a
//! dialect with all its settings; a user may give only some of them.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::sudoku::CELLS;

/// How a file is cut into units of cells: the word before the first comma of a dialect. A tie is decided in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framing {
    /// 81 cells on a line.
    #[default]
    Line,
    /// Rows of fields.
    Csv,
    /// Nine lines of nine cells.
    Grid,
    /// 81 lines of one cell.
    Cell,
    /// One document of JSON.
    Json,
    /// A value of JSON on each line.
    Jsonl,
    /// One document of XML.
    Xml,
    /// Sudominoku cases.
    Cases,
    /// Parquet.
    Parquet,
    /// Arrow's files and streams.
    Arrow,
    /// An array of numpy.
    Npy,
}

/// Which columns of a table hold grids, counted from 1: one, or 81 of a cell each.
pub type Holders = RangeInclusive<usize>;

/// A framing and its settings; `None` where a setting is to be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Where units begin and end.
    pub framing: Framing,
    /// The sign that stands for a blank instead of the usual ones (`line`, `grid`, `cell`, `csv`); of the usual ones, the one
    /// of which rows are made and not borders (`grid`).
    pub blank: Option<char>,
    /// Whether a puzzle's solution stands below it (`line`, `grid`).
    pub solution_below: Option<bool>,
    /// Whether blank lines stand between the bands of a grid, so that they set no grids apart (`grid`).
    pub bands: Option<bool>,
    /// What stands between fields (`csv`); in a sheet, of what the lines are made that set its grids apart (`grid`).
    pub separator: Option<char>,
    /// Lines above the first row of the table, its header among them (`csv`).
    pub above: Option<usize>,
    /// The columns of the puzzle (`csv`).
    pub puzzle: Option<Holders>,
    /// The columns of the claimed solution (`csv`).
    pub solution: Option<Holders>,
    /// Whether the puzzles lost their leading zeros, as numbers do (`csv`); printed `zeros=lost`.
    pub zeros: Option<bool>,
}

impl Framing {
    /// All, in their order.
    pub const ALL: [Self; 11] = [
        Self::Line,
        Self::Csv,
        Self::Grid,
        Self::Cell,
        Self::Json,
        Self::Jsonl,
        Self::Xml,
        Self::Cases,
        Self::Parquet,
        Self::Arrow,
        Self::Npy,
    ];

    /// The word that stands for it, what a puzzle is in it, and the settings that it has.
    const fn known(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Self::Line => ("line", "a line of 81 cells", &["blank", "solution"]),
            Self::Csv => (
                "csv",
                "a row with a puzzle in one column or in 81",
                &["sep", "above", "puzzle", "solution", "blank", "zeros"],
            ),
            Self::Grid => ("grid", "nine lines of nine cells", &["blank", "sep", "bands", "solution"]),
            Self::Cell => ("cell", "81 lines of one cell", &["blank"]),
            Self::Json => ("json", "a value in a document of JSON", &[]),
            Self::Jsonl => ("jsonl", "a value of JSON on a line", &[]),
            Self::Xml => ("xml", "an attribute, a text or nine elements of XML", &[]),
            Self::Cases => ("cases", "a Sudominoku case (BOJ 4574)", &[]),
            Self::Parquet => ("parquet", "a row of a Parquet file", &[]),
            Self::Arrow => ("arrow", "a row of an Arrow file or stream", &[]),
            Self::Npy => ("npy", "a row of a numpy array", &[]),
        }
    }

    /// The word that stands for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.known().0
    }

    /// What a puzzle is in it, for help texts and errors.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.known().1
    }

    /// The settings that it has, by the names that a dialect has for them.
    #[must_use]
    pub const fn settings(self) -> &'static [&'static str] {
        self.known().2
    }

    /// The words of those that are text, with something between them.
    pub(super) fn text_words(between: &str) -> String {
        let texts = Self::ALL.iter().filter(|framing| !framing.is_binary());
        texts.map(|framing| framing.word()).collect::<Vec<_>>().join(between)
    }

    /// Whether its records have columns or keys that options can name.
    #[must_use]
    pub const fn has_columns(self) -> bool {
        matches!(self, Self::Csv | Self::Jsonl | Self::Json | Self::Parquet | Self::Arrow)
    }

    /// Whether records begin where lines do. Then a line of more than [`MAX_LINE`](super::MAX_LINE) bytes is cut short
    /// behind one byte more; else lines may be of any length, and the reader keeps the column.
    pub(super) const fn begins_lines(self) -> bool {
        !matches!(self, Self::Json | Self::Xml)
    }

    /// Whether it is read by a library from bytes that are no text.
    #[must_use]
    pub const fn is_binary(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow | Self::Npy)
    }
}

impl Dialect {
    /// A framing of which every setting is to be found.
    #[must_use]
    pub fn of(framing: Framing) -> Self {
        Self { framing, ..Self::default() }
    }

    /// How records are copied as they stand; `None` if they mean nothing without the text around them.
    pub(super) fn excerpt(&self) -> Option<Excerpt> {
        let (between, end) = match self.framing {
            Framing::Line | Framing::Csv | Framing::Jsonl => ("", ""),
            Framing::Grid if self.bands == Some(true) => ("\n\n", ""),
            Framing::Grid | Framing::Cell => ("\n", ""),
            Framing::Cases => ("", "0\n"),
            _ => return None,
        };
        Some(Excerpt { between, end })
    }

    /// How many settings are fixed.
    pub(super) fn fixed(&self) -> usize {
        self.framing.settings().iter().filter(|setting| self.value(setting).is_some()).count()
    }

    /// A setting as it is printed; `None` if it is to be found.
    fn value(&self, setting: &str) -> Option<String> {
        let holders = |holders: &Holders| match (holders.start(), holders.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        match (setting, self.framing) {
            ("blank", _) => self.blank.map(shown_sign),
            ("sep", _) => self.separator.map(shown_sign),
            ("above", _) => self.above.map(|above| above.to_string()),
            ("puzzle", _) => self.puzzle.as_ref().map(holders),
            ("solution", Framing::Csv) => self.solution.as_ref().map(holders),
            ("solution", _) => self.solution_below.map(|below| word_of(below, "below")),
            ("bands", _) => self.bands.map(|blank| word_of(blank, "blank")),
            ("zeros", _) => self.zeros.map(|lost| word_of(lost, "lost")),
            _ => None,
        }
    }

    /// Fixes a setting to a value as it was typed.
    ///
    /// # Errors
    ///
    /// When it is none of the setting: what is expected.
    fn fix(&mut self, setting: &str, value: &str) -> Result<(), &'static str> {
        const COLUMNS: &str = "the number of a column from 1, or the first and last of 81 as in 3-83";
        const SIGN: &str = "one character, or comma, tab, space or U+ and a code point";
        match (setting, self.framing) {
            ("blank", _) => {
                let is_free = |&sign: &char| sign != ',' && !matches!(sign, '1'..='9');
                self.blank =
                    Some(sign_of(value).filter(is_free).ok_or("one character other than 1-9 and comma")?);
            }
            ("sep", _) => self.separator = Some(sign_of(value).filter(char::is_ascii).ok_or(SIGN)?),
            ("above", _) => self.above = Some(value.parse().map_err(|_| "a number of lines")?),
            ("puzzle", _) => self.puzzle = Some(holders_of(value).ok_or(COLUMNS)?),
            ("solution", Framing::Csv) => self.solution = Some(holders_of(value).ok_or(COLUMNS)?),
            ("solution", _) => self.solution_below = Some(is_word(value, "below").ok_or("below or no")?),
            ("bands", _) => self.bands = Some(is_word(value, "blank").ok_or("blank or no")?),
            (_, _) => self.zeros = Some(is_word(value, "lost").ok_or("lost or no")?),
        }
        Ok(())
    }
}

/// The text that must stand between two records that are copied as they stand, and after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text between two of them.
    pub between: &'static str,
    /// The text after the last.
    pub end: &'static str,
}

/// Signs that would be taken for something else where a dialect is typed, and the words for them.
const WORDS: [(char, &str); 3] = [(',', "comma"), ('\t', "tab"), (' ', "space")];

/// A sign as a dialect shows it.
fn shown_sign(sign: char) -> String {
    match WORDS.iter().find(|(known, _)| *known == sign) {
        Some((_, word)) => (*word).to_owned(),
        None if sign.is_whitespace() || sign.is_control() => format!("U+{:04X}", u32::from(sign)),
        None => sign.to_string(),
    }
}

/// The sign that a text in a dialect is.
fn sign_of(text: &str) -> Option<char> {
    let mut signs = text.chars();
    match (signs.next(), signs.next()) {
        (Some(sign), None) => Some(sign),
        _ => match WORDS.iter().find(|(_, word)| *word == text) {
            Some(&(sign, _)) => Some(sign),
            None => char::from_u32(u32::from_str_radix(text.strip_prefix("U+")?, 16).ok()?),
        },
    }
}

/// The word for a setting that holds, or `no`.
fn word_of(holds: bool, word: &str) -> String {
    if holds { word } else { "no" }.to_owned()
}

/// Whether a setting holds for which there is one word.
fn is_word(value: &str, word: &str) -> Option<bool> {
    if value == word { Some(true) } else { (value == "no").then_some(false) }
}

/// The columns that a text names: one, or 81.
fn holders_of(text: &str) -> Option<Holders> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number > 0);
    match text.split_once('-') {
        None => number(text).map(|column| column..=column),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            (last.checked_sub(first) == Some(CELLS - 1)).then_some(first..=last)
        }
    }
}

impl fmt::Display for Dialect {
    /// Writes the word of the framing, and each setting that is fixed: `csv,sep=;,above=1,puzzle=3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.framing.word())?;
        for setting in self.framing.settings() {
            if let Some(value) = self.value(setting) {
                write!(f, ",{setting}={value}")?;
            }
        }
        Ok(())
    }
}

/// A text that is no dialect: what is wrong with it, and what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DialectError(String);

impl FromStr for Dialect {
    type Err = DialectError;

    fn from_str(text: &str) -> Result<Self, DialectError> {
        let mut parts = text.split(',');
        let word = parts.next().unwrap_or_default().trim();
        let framing = Framing::ALL.into_iter().find(|framing| framing.word() == word).ok_or_else(|| {
            let words: Vec<_> = Framing::ALL.iter().map(|framing| framing.word()).collect();
            DialectError(format!("no format '{word}' (expected {})", words.join(", ")))
        })?;
        let mut dialect = Self::of(framing);
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, settings) = (name.trim(), framing.settings());
            if !settings.contains(&name) {
                let expected = match settings {
                    [] => "none".to_owned(),
                    settings => settings.iter().map(|it| format!("{it}=")).collect::<Vec<_>>().join(", "),
                };
                return Err(DialectError(format!("{word} has no setting '{name}' (expected {expected})")));
            }
            if dialect.value(name).is_some() {
                return Err(DialectError(format!("{name} is set twice")));
            }
            dialect.fix(name, value).map_err(|expected| {
                DialectError(format!("{name}={value} is invalid (expected {expected})"))
            })?;
        }
        Ok(dialect)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dialects_are_printed_as_they_are_typed() {
        for text in [
            "line",
            "line,blank=:",
            "line,blank==",
            "line,solution=below",
            "grid,blank=space,bands=blank,solution=no",
            "cell,blank=\u{e9}",
            "csv,sep=;,above=1,puzzle=3,solution=4",
            "csv,sep=comma,above=0,puzzle=3-83,blank=U+00A0",
            "csv,sep=tab,zeros=lost",
            "csv,sep=|",
            "jsonl",
            "json",
            "xml",
            "cases",
            "parquet",
            "arrow",
            "npy",
        ] {
            assert_eq!(text.parse::<Dialect>().expect(text).to_string(), text);
        }
        assert_eq!("csv,sep=U+002C".parse::<Dialect>(), "csv, sep=comma".parse());
    }

    #[test]
    fn what_is_no_dialect_is_told() {
        for (text, wrong) in [
            (
                "",
                "no format '' (expected line, csv, grid, cell, json, jsonl, xml, cases, parquet, arrow, npy)",
            ),
            ("tsv", "no format 'tsv' (expected "),
            ("line,sep=;", "line has no setting 'sep' (expected blank=, solution=)"),
            ("json,blank=:", "json has no setting 'blank' (expected none)"),
            ("csv,", "csv has no setting '' (expected sep=, above=, puzzle=, solution=, blank=, zeros=)"),
            ("csv,sep=,", "sep= is invalid (expected one character, or comma, tab, "),
            ("csv,sep=;;", "sep=;; is invalid"),
            ("csv,sep=\u{e9}", "sep=\u{e9} is invalid"),
            ("csv,sep=;,sep=|", "sep is set twice"),
            ("csv,above=-1", "above=-1 is invalid (expected a number of lines)"),
            ("csv,puzzle=0", "puzzle=0 is invalid (expected the number of a column"),
            ("csv,puzzle=3-80", "puzzle=3-80 is invalid"),
            ("csv,solution=below", "solution=below is invalid"),
            ("line,solution=3", "solution=3 is invalid (expected below or no)"),
            ("line,blank=comma", "blank=comma is invalid (expected one character other than 1-9 and comma)"),
            ("grid,blank=5", "blank=5 is invalid"),
            ("grid,bands", "bands= is invalid (expected blank or no)"),
        ] {
            let error = text.parse::<Dialect>().expect_err(text).to_string();
            assert!(error.starts_with(wrong), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_typed_is_a_dialect_that_is_printed_as_such_or_none(
            word in "line|grid|cell|csv",
            settings in prop::collection::vec("(sep|blank|puzzle|solution|above|bands|zeros)=(no|[0-9]{1,3}|U\\+[0-9A-F]{1,5}|.)", 0..4),
        ) {
            let text = [&[word][..], &settings].concat().join(",");
            if let Ok(dialect) = text.parse::<Dialect>() {
                prop_assert_eq!(dialect.fixed(), settings.len());
                prop_assert_eq!(dialect.to_string().parse::<Dialect>(), Ok(dialect));
            }
        }
    }
}
