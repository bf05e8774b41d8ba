//! How an input is to be read: the one value that fixes it, which can be printed and typed.
//!
//! A dialect is a framing, which says where units of cells begin and end, and the few settings that a framing has. What
//! the sniffer finds is a dialect with all its settings; what a user types may leave some open, and then those are found.

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
    /// One more sign that stands for a blank (`line`, `grid`, `cell`, `csv`).
    pub blank: Option<char>,
    /// Whether a puzzle's solution stands below it (`line`, `grid`).
    pub solution_below: Option<bool>,
    /// Whether blank lines stand between the bands of a grid, so that they set no grids apart (`grid`).
    pub bands: Option<bool>,
    /// What stands between fields (`csv`).
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

    /// The word that stands for it, and what a puzzle is in it.
    const fn known(self) -> (&'static str, &'static str) {
        match self {
            Self::Line => ("line", "a line of 81 cells"),
            Self::Csv => ("csv", "a row with a puzzle in one column or in 81"),
            Self::Grid => ("grid", "nine lines of nine cells"),
            Self::Cell => ("cell", "81 lines of one cell"),
            Self::Json => ("json", "a value in a document of JSON"),
            Self::Jsonl => ("jsonl", "a value of JSON on a line"),
            Self::Xml => ("xml", "an attribute, a text or nine elements of XML"),
            Self::Cases => ("cases", "a Sudominoku case (BOJ 4574)"),
            Self::Parquet => ("parquet", "a row of a Parquet file"),
            Self::Arrow => ("arrow", "a row of an Arrow file or stream"),
            Self::Npy => ("npy", "a row of a numpy array"),
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

    /// The settings that it has.
    fn settings(self) -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(move |setting| setting.of.contains(&self))
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

    /// Whether a text has it by its syntax, and not only by its cells.
    pub(super) const fn has_syntax(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl | Self::Xml | Self::Cases)
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

    /// How many settings are fixed.
    pub(super) fn fixed(&self) -> usize {
        self.framing.settings().filter(|setting| (setting.shown)(self).is_some()).count()
    }
}

/// A setting of a dialect.
struct Setting {
    name: &'static str,
    /// Those that have it.
    of: &'static [Framing],
    /// What its values are.
    expected: &'static str,
    /// It as it is printed; `None` if it is to be found.
    shown: fn(&Dialect) -> Option<String>,
    /// Fixes it to a value as it was typed; whether it is one.
    fix: fn(&mut Dialect, &str) -> bool,
}

const COLUMNS: &str = "the number of a column from 1 on, or the first and last of 81: 3-83";

/// All settings, in the order in which they are printed.
const SETTINGS: [Setting; 8] = [
    Setting {
        name: "sep",
        of: &[Framing::Csv],
        expected: "one sign, or comma, tab, space or U+ and the number of a character",
        shown: |it| it.separator.map(shown_sign),
        fix: |it, text| fixed(&mut it.separator, sign_of(text).filter(char::is_ascii)),
    },
    Setting {
        name: "above",
        of: &[Framing::Csv],
        expected: "a number of lines",
        shown: |it| it.above.map(|above| above.to_string()),
        fix: |it, text| fixed(&mut it.above, text.parse().ok()),
    },
    Setting {
        name: "puzzle",
        of: &[Framing::Csv],
        expected: COLUMNS,
        shown: |it| it.puzzle.as_ref().map(shown_holders),
        fix: |it, text| fixed(&mut it.puzzle, holders_of(text)),
    },
    Setting {
        name: "solution",
        of: &[Framing::Csv],
        expected: COLUMNS,
        shown: |it| it.solution.as_ref().map(shown_holders),
        fix: |it, text| fixed(&mut it.solution, holders_of(text)),
    },
    Setting {
        name: "blank",
        of: &[Framing::Line, Framing::Grid, Framing::Cell, Framing::Csv],
        expected: "a sign that is no digit and no comma",
        shown: |it| it.blank.map(shown_sign),
        fix: |it, text| {
            let is_free = |&sign: &char| sign != ',' && !matches!(sign, '1'..='9');
            fixed(&mut it.blank, sign_of(text).filter(is_free))
        },
    },
    Setting {
        name: "bands",
        of: &[Framing::Grid],
        expected: "blank or no",
        shown: |it| it.bands.map(|holds| word_of(holds, "blank")),
        fix: |it, text| fixed(&mut it.bands, is_word(text, "blank")),
    },
    Setting {
        name: "zeros",
        of: &[Framing::Csv],
        expected: "lost or no",
        shown: |it| it.zeros.map(|holds| word_of(holds, "lost")),
        fix: |it, text| fixed(&mut it.zeros, is_word(text, "lost")),
    },
    Setting {
        name: "solution",
        of: &[Framing::Line, Framing::Grid],
        expected: "below or no",
        shown: |it| it.solution_below.map(|holds| word_of(holds, "below")),
        fix: |it, text| fixed(&mut it.solution_below, is_word(text, "below")),
    },
];

/// Fixes a setting; whether there is a value for it.
fn fixed<T>(setting: &mut Option<T>, value: Option<T>) -> bool {
    *setting = value;
    setting.is_some()
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

/// Columns as a dialect shows them.
fn shown_holders(holders: &Holders) -> String {
    match (holders.start(), holders.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
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
            if let Some(value) = (setting.shown)(self) {
                write!(f, ",{}={value}", setting.name)?;
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
            let name = name.trim();
            let Some(setting) = framing.settings().find(|setting| setting.name == name) else {
                let names: Vec<_> = framing.settings().map(|setting| format!("{}=", setting.name)).collect();
                let expected = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(DialectError(format!("{word} has no setting '{name}' (expected {expected})")));
            };
            if (setting.shown)(&dialect).is_some() {
                return Err(DialectError(format!("{name} is set twice")));
            }
            if !(setting.fix)(&mut dialect, value) {
                let expected = setting.expected;
                return Err(DialectError(format!("{name}={value} says nothing (expected {expected})")));
            }
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
            ("csv,sep=,", "sep= says nothing (expected one sign, or comma, tab, "),
            ("csv,sep=;;", "sep=;; says nothing"),
            ("csv,sep=\u{e9}", "sep=\u{e9} says nothing"),
            ("csv,sep=;,sep=|", "sep is set twice"),
            ("csv,above=-1", "above=-1 says nothing (expected a number of lines)"),
            ("csv,puzzle=0", "puzzle=0 says nothing (expected the number of a column"),
            ("csv,puzzle=3-80", "puzzle=3-80 says nothing"),
            ("csv,solution=below", "solution=below says nothing"),
            ("line,solution=3", "solution=3 says nothing (expected below or no)"),
            ("line,blank=comma", "blank=comma says nothing (expected a sign that is no digit and no comma)"),
            ("grid,blank=5", "blank=5 says nothing"),
            ("grid,bands", "bands= says nothing (expected blank or no)"),
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
