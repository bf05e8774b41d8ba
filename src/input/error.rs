//! Errors of an input as a whole, after which it has no more records. An unreadable record is not an error here. Each
//! message names the input and what was found, and [`InputError::hint`] says what to do.

use std::io;

use super::{Dialect, Framing, OptionNames};

/// The error for an input that cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file is missing or may not be opened.
    #[error("{name}: cannot open: {source}")]
    Open {
        /// Name of the input.
        name: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The input has no bytes, or only blanks.
    #[error("{name}: is empty")]
    Empty {
        /// Name of the input.
        name: String,
    },
    /// The input is something else: binary data, or puzzles of another kind.
    #[error("{name}: {what} (expected puzzles or results as text)")]
    Foreign {
        /// Name of the input.
        name: String,
        /// The kind of input that was found.
        what: String,
        /// The advice for the user.
        advice: String,
        /// Whether the input holds puzzles, though unreadable ones.
        is_puzzles: bool,
    },
    /// No format that was tried gives a puzzle.
    #[error("{name}: no puzzle found (tried {tried}){nearest}")]
    NoPuzzles {
        /// Name of the input.
        name: String,
        /// The formats that were tried.
        tried: String,
        /// The closest thing to a puzzle, after a separator; empty if there was none.
        nearest: String,
        /// A guess at the content, and advice on what to do or how to read it.
        advice: Option<String>,
        /// The format in which records were found, though none is readable.
        damaged: Option<Box<Dialect>>,
    },
    /// The format is known or was given, but there is no record.
    #[error("{name}: no records (read as {}: {})", format.word(), format.about())]
    NoRecords {
        /// Name of the input.
        name: String,
        /// The format that was used.
        format: Framing,
    },
    /// The table has no column of puzzles, or lacks a column that was asked for.
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
        /// Names of the columns, or their numbers if there is no header.
        columns: Vec<String>,
        /// The column asked for, if one was.
        wanted: Option<String>,
        /// Whether the missing column is that of the solutions.
        of_solutions: bool,
    },
    /// No input has a column that was to be carried.
    #[error(
        "no input has a column '{wanted}' ({})",
        if columns.is_empty() { "no input is a table".to_owned() } else { format!("columns seen: {}", listed(columns)) }
    )]
    NoKeptColumn {
        /// Names of the columns of all inputs.
        columns: Vec<String>,
        /// The column asked for.
        wanted: String,
    },
    /// Compressed data needs more memory or time than allowed; the records before it were handed out.
    #[error("{name}: {what}; the records before it were read")]
    Untrusted {
        /// Name of the input.
        name: String,
        /// The reason.
        what: String,
    },
    /// Reading failed; the records before `offset` were handed out.
    #[error("{name}: cannot read past byte {offset}: {source}")]
    Read {
        /// Name of the input.
        name: String,
        /// Bytes of the input that were read.
        offset: u64,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Compressed data or a table is cut off or damaged; the records before the damage were handed out.
    #[error("{name}: damaged {what}; the records before it were read")]
    Damaged {
        /// Name of the input.
        name: String,
        /// The compression or the format, the place of the damage, and the fault.
        what: String,
    },
    /// The input is of an unsupported kind, or has changed since it was opened.
    #[error("{name}: {what}")]
    Unreadable {
        /// Name of the input.
        name: String,
        /// The reason.
        what: String,
    },
    /// This build was made without support for the format.
    #[error("{name}: is {format}, which this build does not read")]
    MissingFeature {
        /// Name of the input.
        name: String,
        /// The format.
        format: &'static str,
        /// The feature that reads it.
        feature: &'static str,
    },
}

/// The description of puzzles that became numbers, and the advice for them.
pub(super) const MANGLED: (&str, &str) = (
    "numbers like 4.3E+78: puzzles that a spreadsheet cut to 15 digits",
    "go back to the original file and import the column as text",
);

impl InputError {
    /// Returns the refusal of a table whose puzzles became numbers.
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

    /// Whether the input holds no puzzles and nothing meant as one: among files of puzzles it may be skipped.
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

/// Returns the advice for a build that lacks a feature.
pub(crate) fn lacking(feature: &str) -> String {
    format!("it needs the feature `{feature}`, which the default build of the program has")
}

/// Lists the first names of columns for a message.
#[must_use]
pub fn listed(columns: &[String]) -> String {
    const MOST: usize = 30;
    let (shown, more) = columns.split_at(columns.len().min(MOST));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{more}", shown.join(", "))
}
