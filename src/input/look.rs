//! What the start of an input shows, for who asks what it is or cuts pieces out of it.

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
    /// Its columns, if it is a table.
    pub table: Option<TableLook>,
    /// How its records can be written one behind the other, if they can.
    pub excerpt: Option<Excerpt>,
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLook {
    /// Their names, or their numbers where there is no header.
    pub columns: Vec<String>,
    /// The header as it stands, line end included; empty if there is none.
    pub header: Vec<u8>,
    /// What stands between two fields.
    pub separator: char,
    /// Index of the column of the puzzles.
    pub puzzle: usize,
    /// Index of the column of the claimed solutions.
    pub solution: Option<usize>,
}

/// How records stand one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// What must stand between two of them.
    pub between: &'static str,
    /// What must stand behind the last.
    pub end: &'static str,
}
