//! Errors that affect an input as a whole and end it; unreadable records are not among them. Each message names the
//! input and what was found; [`InputError::hint`] says what to do about it.

use std::io;

use super::{Dialect, Framing, OptionNames};

/// The reason why an input, or the rest of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file does not exist or cannot be opened.
    #[error("{name}: cannot open: {source}")]
    Open {
        /// Name of the input.
        name: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The input is empty or all white space.
    #[error("{name}: is empty")]
    Empty {
        /// Name of the input.
        name: String,
    },
    /// The input is something else: binary data, or a different kind of puzzle.
    #[error("{name}: {what} (expected puzzles or results as text)")]
    Foreign {
        /// Name of the input.
        name: String,
        /// The kind of input that was found.
        what: String,
        /// Advice for the user.
        advice: String,
        /// Whether the input does hold puzzles, but unreadable ones.
        is_puzzles: bool,
    },
    /// None of the formats that were tried found a puzzle.
    #[error("{name}: no puzzle found (tried {tried}){nearest}")]
    NoPuzzles {
        /// Name of the input.
        name: String,
        /// The formats that were tried.
        tried: String,
        /// The closest thing to a puzzle, preceded by a separator; empty if there was none.
        nearest: String,
        /// A guess at what the input is, with advice on what to do or how to read it.
        advice: Option<String>,
        /// The format that finds records, even though none of them is readable.
        damaged: Option<Box<Dialect>>,
    },
    /// The format is known or was given, but the input has no records.
    #[error("{name}: no records (read as {}: {})", format.word(), format.about())]
    NoRecords {
        /// Name of the input.
        name: String,
        /// The format that was used.
        format: Framing,
    },
    /// The table has no puzzle column, or lacks a column that the user asked for.
    #[error(
        "{name}: {} (columns seen: {})",
        match wanted {
            Some(wanted) => format!("no column '{wanted}'"),
            None => "no column of puzzles found".to_owned(),
        },
        listed(columns)
    )]
    NoColumn {
        /// Name of the input.
        name: String,
        /// The column names, or the column numbers if there is no header.
        columns: Vec<String>,
        /// The column that the user asked for, if any.
        wanted: Option<String>,
        /// Whether the missing column is the solution column.
        of_solutions: bool,
    },
    /// A column that should be carried does not exist in any input.
    #[error(
        "no input has a column '{wanted}' ({})",
        if columns.is_empty() { "no input is a table".to_owned() } else { format!("columns seen: {}", listed(columns)) }
    )]
    NoKeptColumn {
        /// The column names of all inputs.
        columns: Vec<String>,
        /// The column that the user asked for.
        wanted: String,
    },
    /// Compressed data needs more memory or time than allowed; the records before it have been handed out.
    #[error("{name}: {what}; the records before it were read")]
    Untrusted {
        /// Name of the input.
        name: String,
        /// The reason.
        what: String,
    },
    /// Reading failed; the records before `offset` have been handed out.
    #[error("{name}: cannot read past byte {offset}: {source}")]
    Read {
        /// Name of the input.
        name: String,
        /// The number of bytes read from the input.
        offset: u64,
        /// The operating system's error.
        source: io::Error,
    },
    /// Compressed data or a table is cut off or damaged; the records before the damage have been handed out.
    #[error("{name}: damaged {what}; the records before it were read")]
    Damaged {
        /// Name of the input.
        name: String,
        /// The compression or format, where the damage is, and the fault.
        what: String,
    },
    /// This kind of input is not supported, or the input has changed since it was opened.
    #[error("{name}: {what}")]
    Unreadable {
        /// Name of the input.
        name: String,
        /// The reason.
        what: String,
    },
    /// This build does not support the format.
    #[error("{name}: is {format}, which this build does not read")]
    MissingFeature {
        /// Name of the input.
        name: String,
        /// The format.
        format: &'static str,
        /// The feature that adds support for it.
        feature: &'static str,
    },
}

/// The description of puzzles that were turned into numbers, and advice for the user.
pub(super) const MANGLED: (&str, &str) = (
    "numbers like 4.3E+78: puzzles that a spreadsheet cut to 15 digits",
    "go back to the original file and import the column as text",
);

impl InputError {
    /// Returns the error for a table whose puzzles were turned into numbers.
    pub(super) fn mangled(name: String) -> Self {
        Self::Foreign { name, what: MANGLED.0.to_owned(), advice: MANGLED.1.to_owned(), is_puzzles: true }
    }

    /// Returns advice for the user.
    #[must_use]
    pub fn hint(&self, names: &OptionNames) -> Option<String> {
        let name_column =
            |option, what| format!("name the column of the {what} with {}", names.with_value(option, "NAME"));
        Some(match self {
            Self::Foreign { advice, .. } | Self::NoPuzzles { advice: Some(advice), .. } => {
                advice.replace("{pipe}", names.pipe)
            }
            Self::NoPuzzles { damaged: Some(dialect), .. } => {
                format!(
                    "{} shows what is wrong with each record",
                    names.with_value(names.format, &dialect.to_string())
                )
            }
            Self::NoPuzzles { .. } => format!(
                "a puzzle is 81 cells on a line, nine lines of nine, or a value in a table or document; say what it is \
                 with {}",
                names.with_value(names.format, &Framing::text_words("|"))
            ),
            Self::NoRecords { .. } => format!("if it is in another format, name it with {}", names.format),
            Self::NoColumn { of_solutions: true, .. } => name_column(names.solution_column, "solutions"),
            Self::NoColumn { .. } => name_column(names.puzzle_column, "puzzles"),
            Self::Untrusted { .. } => "decompress it first (zstd -d, gzip -d)".to_owned(),
            Self::MissingFeature { feature, .. } => lacking(feature),
            _ => return None,
        })
    }

    /// Returns whether the input holds neither puzzles nor anything meant to be one, so it may be skipped among puzzle
    /// files.
    #[must_use]
    pub const fn holds_no_puzzles(&self) -> bool {
        match self {
            Self::NoColumn { wanted, .. } => wanted.is_none(),
            Self::NoPuzzles { damaged, .. } => damaged.is_none(),
            Self::Foreign { is_puzzles, .. } => !*is_puzzles,
            Self::NoRecords { .. } | Self::Empty { .. } => true,
            _ => false,
        }
    }
}

/// Returns the advice to give if this build lacks a feature.
pub(crate) fn lacking(feature: &str) -> String {
    format!("it needs the feature `{feature}`, which the default build of the program has")
}

/// Lists the first few column names for a message.
#[must_use]
pub fn listed(columns: &[String]) -> String {
    const MOST: usize = 30;
    let (shown, more) = columns.split_at(columns.len().min(MOST));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{more}", shown.join(", "))
}
