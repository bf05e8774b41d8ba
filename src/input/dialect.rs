//! Dialects: how to read an input, as a single value that can be printed and typed.
//!
//! A dialect consists of a framing, which defines where units of cells begin and end, and its settings. The sniffer
//! determines all the settings; a user can give just some of them.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::sudoku::CELLS;

/// The way a file is divided into units of cells; its word comes first in a dialect. In a tie, the first listed wins.
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
    /// One JSON document.
    Json,
    /// One JSON value per line.
    Jsonl,
    /// One XML document.
    Xml,
    /// Sudominoku cases.
    Cases,
    /// Parquet.
    Parquet,
    /// Arrow files and streams.
    Arrow,
    /// A NumPy array.
    Npy,
}

/// The table columns that hold a grid, counted from 1: one column, or 81 with one cell each.
pub type Holders = RangeInclusive<usize>;

/// A framing and its settings; a setting is `None` if it should be detected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// The framing, which defines where units begin and end.
    pub framing: Framing,
    /// The sign for a blank, instead of the usual ones (`line`, `grid`, `cell`, `csv`). A `grid` can also name one of
    /// the usual signs, which then always means a blank and never a border.
    pub blank: Option<char>,
    /// Whether the solution of a puzzle is on the lines below it (`line`, `grid`).
    pub solution_below: Option<bool>,
    /// Whether blank lines separate the bands within a grid instead of whole grids (`grid`).
    pub bands: Option<bool>,
    /// The field separator (`csv`); in a `grid` exported from a spreadsheet, the sign that fills the lines between
    /// grids.
    pub separator: Option<char>,
    /// The number of lines above the first row of the table, including the header (`csv`).
    pub above: Option<usize>,
    /// The columns that hold the puzzle (`csv`).
    pub puzzle: Option<Holders>,
    /// The columns that hold the claimed solution (`csv`).
    pub solution: Option<Holders>,
    /// Whether the puzzles lost their leading zeros because they were stored as numbers (`csv`); printed as
    /// `zeros=lost`.
    pub zeros: Option<bool>,
}

impl Framing {
    /// All framings, in order.
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

    /// Returns the framing's word, a description of its puzzles, and its settings.
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

    /// Returns the word that stands for the framing.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.known().0
    }

    /// Returns a description of a puzzle in this framing, for errors.
    pub(super) const fn about(self) -> &'static str {
        self.known().1
    }

    /// Returns the names of the framing's settings, as written in a dialect.
    const fn settings(self) -> &'static [&'static str] {
        self.known().2
    }

    /// Returns the words of the text framings, separated by `between`.
    pub(super) fn text_words(between: &str) -> String {
        let texts = Self::ALL.iter().filter(|framing| !framing.is_binary());
        texts.map(|framing| framing.word()).collect::<Vec<_>>().join(between)
    }

    /// Returns whether the records have columns or keys that options can name.
    #[must_use]
    pub const fn has_columns(self) -> bool {
        matches!(self, Self::Csv | Self::Jsonl | Self::Json | Self::Parquet | Self::Arrow)
    }

    /// Returns whether every record begins at the start of a line. If so, longer lines are cut to
    /// [`MAX_LINE`](super::MAX_LINE) + 1 bytes. Otherwise lines can have any length, and the reader keeps track of the
    /// column.
    pub(super) const fn begins_lines(self) -> bool {
        !matches!(self, Self::Json | Self::Xml)
    }

    /// Returns whether the input is binary and read by a library.
    #[must_use]
    pub const fn is_binary(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow | Self::Npy)
    }
}

impl Dialect {
    /// Returns a dialect with this framing, in which all settings are to be detected.
    #[must_use]
    pub fn of(framing: Framing) -> Self {
        Self { framing, ..Self::default() }
    }

    /// Returns the rules for copying records unchanged; `None` if records mean nothing without the text around them.
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

    /// Returns the printed value of a setting; `None` if it should be detected.
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

    /// Sets a setting to a value that the user typed.
    ///
    /// # Errors
    ///
    /// If the value is invalid; the error says what is expected.
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

/// The texts to insert between records that are copied unchanged, and after the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text to insert between two records.
    pub between: &'static str,
    /// The text to append after the last record.
    pub end: &'static str,
}

/// Signs with a special meaning in a dialect, and the words to write instead.
const WORDS: [(char, &str); 3] = [(',', "comma"), ('\t', "tab"), (' ', "space")];

/// Returns a sign as it is written in a dialect.
fn shown_sign(sign: char) -> String {
    match WORDS.iter().find(|(known, _)| *known == sign) {
        Some((_, word)) => (*word).to_owned(),
        None if sign.is_whitespace() || sign.is_control() => format!("U+{:04X}", u32::from(sign)),
        None => sign.to_string(),
    }
}

/// Returns the sign that a text in a dialect stands for.
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

/// Returns the setting's word if the setting is on, otherwise `no`.
fn word_of(holds: bool, word: &str) -> String {
    if holds { word } else { "no" }.to_owned()
}

/// Parses a setting whose value is its word or `no`.
fn is_word(value: &str, word: &str) -> Option<bool> {
    if value == word { Some(true) } else { (value == "no").then_some(false) }
}

/// Parses the number of a column, or a range of 81 columns.
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
    /// Writes the framing's word and each setting that is not `None`: `csv,sep=;,above=1,puzzle=3`.
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

/// The error for an invalid dialect, which names the fault and says what is expected.
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
                prop_assert_eq!(dialect.to_string().matches(',').count(), settings.len());
                prop_assert_eq!(dialect.to_string().parse::<Dialect>(), Ok(dialect));
            }
        }
    }
}
