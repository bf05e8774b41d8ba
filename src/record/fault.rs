//! Faults: the reasons why records have no answer, kept as values and turned into text only when shown.
//!
//! Each kind of fault is one line of the table below, with a template for its text.

use std::fmt;

use super::Place;
use crate::sudoku::{House, cell_name};

/// A number or word in the text of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// A number.
    Number(u64),
    /// A word or a quoted text.
    Text(Box<str>),
}

/// The reason why a record cannot be read or has no answer, and where the fault is.
///
/// A fault is shown as `line L, column C: reason`, or as just the reason if it has no place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// The place of the fault; `None` if it is not in an input.
    pub place: Option<Place>,
    /// A second place: in a clash, where the first of the two equal clues is.
    pub other: Option<Place>,
    /// The text `in NAME`, if the place is in another file.
    pub path: Option<Box<str>>,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The values that fill the blanks in the template, in order.
    pub found: Vec<Detail>,
}

/// Defines the kinds of fault from a table of names and templates. A template has blanks: `{n}` for a number; `{w}` for
/// a word; `{q}` for a quoted text; `{p}` for the second place. `{s}` becomes an `s` unless the preceding number is 1.
macro_rules! fault_kinds {
    ($($(#[doc = $about:literal])* $name:ident = $template:literal,)*) => {
        /// The kinds of fault that records, answers and claims can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FaultKind {
            $($(#[doc = $about])* $name,)*
            /// A fault specific to one kind of puzzle, given by its template.
            OfKind(&'static str),
            /// Any text, for testing code that writes faults.
            #[cfg(test)]
            Any,
        }

        impl FaultKind {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name,)*];

            const fn template(self) -> &'static str {
                match self {
                    $(Self::$name => $template,)*
                    Self::OfKind(template) => template,
                    #[cfg(test)]
                    Self::Any => "{w}",
                }
            }
        }
    };
}

fault_kinds! {
    /// An input line that is longer than any record.
    LineTooLong = "line longer than 1 MiB",
    /// A table row that spans several lines and is longer than any record.
    RowTooLong = "row longer than 1 MiB",
    /// A puzzle with candidates.
    Sukaku = "{n} cells: a sukaku, which is not supported yet (expected 81)",
    /// A puzzle that does not have 81 cells.
    CellCount = "{n} cell{s} (expected 81)",
    /// A grid row that does not have nine cells.
    RowCellCount = "{n} cell{s} (expected 9)",
    /// A character that cannot be a cell.
    Character = "invalid character {q} (expected 1-9, 0 or .)",
    /// A byte that is not part of a valid character.
    Byte = "invalid byte {q} (expected 1-9, 0 or .)",
    /// A quoted field without a closing quote.
    OpenQuote = "quote that is not closed (expected a closing \")",
    /// A JSON value without a closing bracket.
    OpenBracket = "{w} that is not closed (expected a closing {q})",
    /// A JSON line or an XML element in which nothing looks like a puzzle.
    NoPuzzle = "no puzzle in this {w} (expected 81 cells)",
    /// Invalid XML in a document.
    BrokenXml = "invalid XML: {w}",
    /// A document that ends in the middle of an element or a value.
    CutOffDocument = "the input ends within {w} that is not closed (truncated file?)",
    /// Invalid JSON, at its first invalid byte.
    BrokenJson = "invalid JSON: {w}",
    /// A list of nine parts whose key shows that they are not rows.
    GridOrder = "a grid by {w} (expected its rows)",
    /// A line that is not JSON in a JSON Lines input.
    NoJson = "no JSON on this line (expected an object, a list or a string)",
    /// A JSON line that holds several puzzles.
    SeveralPuzzles = "{n} puzzles on one line (expected 1; the format json reads them all)",
    /// A table row with too many or too few fields.
    FieldCount = "{n} field{s} (expected {n})",
    /// A puzzle that a spreadsheet turned into a number.
    MangledPuzzle = "number {q}, which a spreadsheet made of a puzzle (expected 81 cells, imported as text)",
    /// A puzzle of another kind where only a sudoku is allowed.
    NoSudoku = "a {w}, {w} (expected a sudoku)",
    /// A claimed solution in an input whose first records had none, so there is no column for it.
    LateClaim = "a claimed solution, while the first records have none (expected none)",
    /// A puzzle without a claimed solution where one is needed.
    MissingClaim = "no claimed solution (expected one)",
    /// A number with several digits where a cell is expected.
    CellNumber = "number {q} (expected a digit 1-9, 0 or .)",
    /// A grid row whose nine cells form groups of different lengths.
    CellGroups = "cells in uneven groups (expected groups of one length)",
    /// A grid that ends before its ninth row.
    CutOffGrid = "cut-off grid: {n} row{s} (expected 9)",
    /// Rows of several grids that are not separated, where a row is missing or extra.
    RowsTogether = "{n} rows from here to {p} (expected {n} for each puzzle: a blank line between grids helps)",
    /// The last rows of such a run, if it was too long to buffer and its earlier rows were already read as grids.
    RowsLeft = "{n} row{s} left over from grids without separators: the grids above are in doubt (expected a blank line between grids)",
    /// A grid with too many rows.
    RowCount = "{n} rows (expected 9)",
    /// Two equal clues in one house.
    Clash = "clue {n} repeats that of {p} in the same {w}",
    /// A solution that the verifier rejected.
    FailedCheck = "the solution failed the independent check",
    /// A verdict that there is no solution, even though one is given.
    DeniedSolution = "the solver denies a solution that it gives",
    /// A verdict that there is a solution, even though none is given.
    MissingSolution = "the solver claims a solution and gives none",
    /// A verdict that contradicts a correct claim: it says that there is no solution, or that a different one is
    /// unique.
    ContradictedClaim = "the solver contradicts a claimed solution that passed the independent check",
    /// A panic in the program while it was processing a batch of records.
    Panic = "the program panicked while it answered {n} record{s}: {w}",
    /// A solution count that differs from the scalar solver's.
    Recount = "the scalar solver says {w} (expected {w})",
    /// A claimed solution that does not have 81 cells.
    ClaimCellCount = "claimed solution: {n} cell{s} (expected 81)",
    /// A claimed solution with a character that cannot be a cell.
    ClaimCharacter = "claimed solution: invalid character {q} (expected 1-9)",
    /// A claimed solution with a byte that is not a character.
    ClaimByte = "claimed solution: invalid byte {q} (expected 1-9)",
    /// A claimed solution with a number that is not a digit.
    ClaimNumber = "claimed solution: number {q} (expected a digit 1-9)",
    /// A claimed solution that is not complete.
    ClaimBlank = "claimed solution: blank at {w} (expected 1-9)",
    /// A claimed solution that contradicts a clue of the puzzle.
    ClaimClue = "claimed solution: {n} at {w} (expected the clue {n})",
    /// A claimed solution that does not solve the puzzle, where only correct ones are allowed.
    WrongClaim = "claimed solution: not one of this puzzle (expected 81 digits that solve it)",
    /// A claimed solution with the same digit twice in a house.
    ClaimRepeat = "claimed solution: {n} twice in {w} {n}, at {w} and at {w}",
}

impl Fault {
    /// Returns a fault without details.
    #[must_use]
    pub const fn new(kind: FaultKind, place: Option<Place>) -> Self {
        Self { place, other: None, path: None, kind, found: Vec::new() }
    }

    /// Sets the place of the fault.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// Moves the places in the fault down by this number of lines.
    pub fn shift_lines(&mut self, lines: u64) {
        for place in [&mut self.place, &mut self.other].into_iter().flatten() {
            place.line += lines;
        }
    }

    /// Converts the fault to the corresponding fault of a claimed solution.
    #[must_use]
    pub fn of_claim(self) -> Self {
        let kind = match self.kind {
            FaultKind::CellCount => FaultKind::ClaimCellCount,
            FaultKind::Character => FaultKind::ClaimCharacter,
            FaultKind::Byte => FaultKind::ClaimByte,
            FaultKind::CellNumber => FaultKind::ClaimNumber,
            other => other,
        };
        Self { kind, ..self }
    }

    /// Names the other file that the place is in.
    #[must_use]
    pub fn in_path(self, path: Option<&str>) -> Self {
        Self { path: path.map(Into::into), ..self }
    }

    /// Adds a number to the details.
    #[must_use]
    pub fn number(mut self, number: impl TryInto<u64>) -> Self {
        self.found.push(Detail::Number(number.try_into().unwrap_or(u64::MAX)));
        self
    }

    /// Adds a word or a quoted text to the details.
    #[must_use]
    pub fn text(mut self, text: impl Into<Box<str>>) -> Self {
        self.found.push(Detail::Text(text.into()));
        self
    }

    /// Adds the name of a cell (0 to 80), such as `B3`, to the details.
    #[must_use]
    pub fn cell(self, cell: usize) -> Self {
        self.text(cell_name(cell))
    }

    /// Returns a clash: the clue `digit` at `second` repeats the one at `first` in the same `house`.
    #[must_use]
    pub fn clash(digit: u8, first: Place, second: Place, house: House) -> Self {
        let fault = Self { other: Some(first), ..Self::new(FaultKind::Clash, Some(second)) };
        fault.number(digit).text(house.name())
    }

    /// Returns the reason without the place.
    #[must_use]
    pub fn reason(&self) -> String {
        fmt::from_fn(|f| self.write_reason(f, |place, f| write!(f, "{place}"))).to_string()
    }

    /// Returns the text as `cell N: reason`, for a record that is a value and has no lines. The cell number is the
    /// column.
    pub fn in_value(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| {
            if let Some(place) = self.place {
                write!(f, "cell {}: ", place.column)?;
            }
            self.write_reason(f, |place, f| write!(f, "cell {}", place.column))
        })
    }

    /// Writes the reason without the place of the fault. `show_place` writes the second place, if the reason has one.
    fn write_reason(
        &self,
        f: &mut fmt::Formatter<'_>,
        show_place: fn(Place, &mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let mut found = self.found.iter();
        let mut last = 0;
        let mut blanks = self.kind.template().split('{');
        f.write_str(blanks.next().unwrap_or_default())?;
        for blank in blanks {
            let (blank, words) = blank.split_once('}').unwrap_or((blank, ""));
            match (blank, self.other) {
                ("s", _) => f.write_str(if last == 1 { "" } else { "s" })?,
                ("p", Some(place)) => show_place(place, f)?,
                ("p", None) => f.write_str("another place")?,
                _ => {
                    let quote = if blank == "q" { "'" } else { "" };
                    match found.next() {
                        Some(Detail::Number(number)) => {
                            last = *number;
                            write!(f, "{quote}{number}{quote}")?;
                        }
                        Some(Detail::Text(text)) => write!(f, "{quote}{text}{quote}")?,
                        None => write!(f, "{quote}?{quote}")?,
                    }
                }
            }
            f.write_str(words)?;
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl fmt::Display for Fault {
    /// Writes `line L, column C: reason`. If the place is in another file, its name follows the column in parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.place, &self.path) {
            (Some(place), Some(path)) => write!(f, "{place} ({path}): ")?,
            (Some(place), None) => write!(f, "{place}: ")?,
            (None, _) => {}
        }
        self.write_reason(f, |place, f| write!(f, "{place}"))
    }
}

#[cfg(feature = "io")]
impl serde::Serialize for Fault {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { line: 12, column: 7 };

    #[test]
    fn texts_are_those_that_people_read() {
        let fault = |kind| Fault::new(kind, Some(PLACE));
        for (fault, text) in [
            (fault(FaultKind::CellCount).number(80_u64), "line 12, column 7: 80 cells (expected 81)"),
            (fault(FaultKind::RowCellCount).number(1_u64), "line 12, column 7: 1 cell (expected 9)"),
            (
                fault(FaultKind::Character).text("q"),
                "line 12, column 7: invalid character 'q' (expected 1-9, 0 or .)",
            ),
            (
                Fault::clash(5, Place { line: 1, column: 2 }, PLACE, House::Row),
                "line 12, column 7: clue 5 repeats that of line 1, column 2 in the same row",
            ),
            (
                fault(FaultKind::CellCount).number(80_u64).in_path(Some("in a.txt")),
                "line 12, column 7 (in a.txt): 80 cells (expected 81)",
            ),
            (
                Fault::new(FaultKind::ClaimClue, None).number(5_u8).cell(11).number(7_u8).at(PLACE),
                "line 12, column 7: claimed solution: 5 at B3 (expected the clue 7)",
            ),
            (Fault::new(FaultKind::FailedCheck, None), "the solution failed the independent check"),
        ] {
            assert_eq!(fault.to_string(), text);
            assert!(text.ends_with(&fault.reason()));
        }
    }

    #[test]
    fn in_a_value_a_place_is_a_cell() {
        let cells = |column| Place { line: 9, column };
        let fault = Fault::clash(5, cells(2), cells(7), House::Row);
        assert_eq!(fault.in_value().to_string(), "cell 7: clue 5 repeats that of cell 2 in the same row");
        let fault = Fault::new(FaultKind::FailedCheck, None);
        assert_eq!(fault.in_value().to_string(), "the solution failed the independent check");
    }

    #[test]
    fn every_kind_has_a_text_of_its_own() {
        let texts: std::collections::BTreeSet<_> =
            FaultKind::ALL.iter().map(|&kind| Fault::new(kind, None).to_string()).collect();
        assert_eq!(texts.len(), FaultKind::ALL.len());
    }
}
