//! What a family of formats tells the registry of itself, and the start of an input by which it is known.

use std::sync::Arc;

use super::batch::{Format, TextEnd, line_length};
use super::chosen::Asked;
use super::{InputError, OptionNames};

/// A family of formats: one row of the registry.
pub(super) struct Family {
    /// The word that `--format` takes.
    pub name: &'static str,
    /// What it is, for the help text.
    pub about: &'static str,
    /// Whether its records have columns, which flags can name.
    pub has_columns: bool,
    /// Looks at the start of an input.
    pub look: fn(&Sample<'_>) -> Seen,
    /// Cells with which a sample that is only a part of the usual is enough, when the input pauses.
    pub enough: u64,
}

/// What a family sees in a sample.
pub(super) struct Seen {
    /// Cells that it can read; `u64::MAX` if there is no doubt.
    pub cells: u64,
    /// Whether no other family can read more, so that none needs to be asked.
    pub is_all: bool,
    /// Whether what follows the sample may tell how the input is to be read.
    pub wants_more: bool,
    /// Reads an input that starts with that sample.
    pub open: Box<Open>,
}

type Open = dyn Fn(&Sample<'_>) -> Result<Arc<dyn Format>, InputError>;

impl Seen {
    pub fn new(
        cells: u64,
        open: impl Fn(&Sample<'_>) -> Result<Arc<dyn Format>, InputError> + 'static,
    ) -> Self {
        Self { cells, is_all: false, wants_more: false, open: Box::new(open) }
    }

    /// Whether nothing else can be made of the sample.
    pub const fn is_beyond_doubt(&self) -> bool {
        self.is_all && self.cells == u64::MAX
    }
}

/// The start of an input.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    /// Name of the input.
    pub name: &'a str,
    /// Its first bytes.
    pub bytes: &'a [u8],
    /// Whether they are all.
    pub whole: bool,
    /// The column of the puzzles that was asked for.
    pub puzzle_column: Option<&'a str>,
    /// The column of the claimed solutions that was asked for.
    pub solution_column: Option<&'a str>,
    /// Whether claimed solutions are wanted.
    pub claims: bool,
    /// Whether the input is looked at, to say what it is.
    pub look: bool,
    /// What the options are called.
    pub option_names: &'static OptionNames,
    /// How the input was compressed, if it was.
    pub compression: Option<&'a str>,
}

impl<'a> Sample<'a> {
    /// How the sample ends.
    pub fn end(&self) -> TextEnd {
        if self.whole { TextEnd::Last } else { TextEnd::More }
    }

    /// Which columns the user asks for.
    pub fn asked(&self) -> Asked<'a> {
        Asked {
            puzzle: self.puzzle_column,
            claim: self.solution_column,
            claims: self.claims,
            look: self.look,
            option_names: self.option_names,
        }
    }

    /// Its whole lines, line ends included; if not even one is whole, what there is of it.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.bytes;
        let end = if rest.contains(&b'\n') { self.end() } else { TextEnd::Last };
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
