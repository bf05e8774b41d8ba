//! What the start of an input shows, for who asks what it is or cuts pieces out of it.

use super::Columns;

/// The cells of a sample that a family could read; `u64::MAX` if it has no doubt.
pub type Evidence = (&'static str, u64);

/// What was seen of an input when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputLook {
    /// Name of the family of formats that reads it.
    pub format: &'static str,
    /// What each family could read of the start.
    pub evidence: Vec<Evidence>,
    /// How it is compressed, if it is.
    pub compression: Option<&'static str>,
    /// How its text is encoded, if that was made UTF-8.
    pub encoding: Option<&'static str>,
    /// Its columns, if it is a table.
    pub columns: Columns,
    /// How they stand in a table of text.
    pub table: Option<TableLook>,
    /// How its records can be written one behind the other, if they can.
    pub excerpt: Option<Excerpt>,
}

/// How the columns of a table of text stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLook {
    /// The header as it stands, line end included; empty if there is none.
    pub header: Vec<u8>,
    /// What stands between two fields.
    pub separator: char,
}

/// How records stand one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// What must stand between two of them.
    pub between: &'static str,
    /// What must stand behind the last.
    pub end: &'static str,
}
