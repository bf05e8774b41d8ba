//! How an input is to be read: the one value that fixes it, which can be printed and typed.
//!
//! A dialect is a framing, which says where units of cells begin and end, and the few settings that a framing has. What
//! the sniffer finds is a dialect with all its settings; what a user types may leave some open, and then those are found.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// How a file is cut into units of cells: the word before the first comma of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framing {
    /// 81 cells on a line.
    Line,
    /// Nine lines of nine cells.
    Grid,
    /// 81 lines of one cell.
    Cell,
    /// Rows of fields.
    Csv,
    /// A value of JSON on each line.
    Jsonl,
    /// One document of JSON.
    Json,
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// All, in the order in which a tie between them is decided.
    pub const ALL: [Self; 11] = [
        Self::Parquet,
        Self::Arrow,
        Self::Npy,
        Self::Cases,
        Self::Xml,
        Self::Json,
        Self::Jsonl,
        Self::Line,
        Self::Csv,
        Self::Grid,
        Self::Cell,
    ];

    /// The word that stands for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Grid => "grid",
            Self::Cell => "cell",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Json => "json",
            Self::Xml => "xml",
            Self::Cases => "cases",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Npy => "npy",
        }
    }

    /// What a puzzle is in it, for help texts and errors.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Line => "a line of 81 cells",
            Self::Grid => "nine lines of nine cells",
            Self::Cell => "81 lines of one cell",
            Self::Csv => "a row with a puzzle in one column or in 81",
            Self::Jsonl => "a value of JSON on a line",
            Self::Json => "a value in a document of JSON",
            Self::Xml => "an attribute, a text or nine elements of XML",
            Self::Cases => "a Sudominoku case (BOJ 4574)",
            Self::Parquet => "a row of a Parquet file",
            Self::Arrow => "a row of an Arrow file or stream",
            Self::Npy => "a row of a numpy array",
        }
    }

    /// Whether its records have columns or keys that options can name.
    #[must_use]
    pub const fn has_columns(self) -> bool {
        matches!(self, Self::Csv | Self::Jsonl | Self::Json | Self::Parquet | Self::Arrow)
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
    pub const fn of(framing: Framing) -> Self {
        Self {
            framing,
            blank: None,
            solution_below: None,
            bands: None,
            separator: None,
            above: None,
            puzzle: None,
            solution: None,
            zeros: None,
        }
    }
}
