//! Records that are values in memory: a column that another program hands over.
//!
//! A fault of such a record names its row as the line, and the cell as the column of its place.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::batch::{BatchSource, Cursor, Format, MOST_RECORDS, Position};
use super::cells::{self, CLAIM, Kinds, PUZZLE};
#[cfg(feature = "arrow")]
use super::chosen::ROWS_LOOKED_AT;
use super::csv::is_case;
use super::{Batch, InputError, SourceInfo, field, lost_zeros};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Texts, Want};
use crate::sudoku::{CELLS, Grid};

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// None.
    Missing,
    /// Text, which should be 81 cells; blanks around it do not count.
    Text(&'a [u8]),
    /// What the column has as numbers, or what is wrong with them: their count, or a number at a column of the place.
    Cells(Result<Grid, Fault>),
}

/// A column of puzzles or of claimed solutions.
pub trait Values: fmt::Debug + Send + Sync {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value in a row.
    fn get(&self, row: usize) -> Value<'_>;
}

/// Puzzles that were taken for numbers, with the leading zeros that they lost.
#[derive(Debug)]
struct WithZeros(Arc<dyn Values>);

impl Values for WithZeros {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, row: usize) -> Value<'_> {
        let value = self.0.get(row);
        match &value {
            Value::Text(text) => match lost_zeros::with_zeros(text.trim_ascii()) {
                Some(grid) => Value::Cells(Ok(grid)),
                None => value,
            },
            Value::Missing | Value::Cells(_) => value,
        }
    }
}

/// Such puzzles with the zeros that they lost.
pub(super) fn with_lost_zeros(puzzles: Arc<dyn Values>) -> Arc<dyn Values> {
    Arc::new(WithZeros(puzzles))
}

/// Gives columns of puzzles the leading zeros back that they lost where they were taken for numbers, and says so. What
/// lost them the first texts show.
#[cfg(feature = "arrow")]
pub(crate) fn restore_zeros<'a>(
    columns: impl Iterator<Item = &'a mut Arc<dyn Values>>,
) -> Option<&'static str> {
    let columns: Vec<_> = columns.collect();
    let values = columns.iter().flat_map(|column| (0..column.len()).map(|row| column.get(row)));
    let texts: Option<Vec<_>> = values
        .take(ROWS_LOOKED_AT)
        .map(|value| match value {
            Value::Text(text) => Some(text),
            Value::Missing => Some(&[][..]),
            Value::Cells(_) => None,
        })
        .collect();
    let lost = texts.is_some_and(|texts| lost_zeros::are_lost(texts.into_iter()));
    lost.then(|| {
        columns.into_iter().for_each(|column| *column = with_lost_zeros(Arc::clone(column)));
        lost_zeros::NOTE
    })
}

/// A column that is carried along.
pub(super) trait CarriedColumn: fmt::Debug + Send + Sync {
    /// The value in a row as text, `None` if there is none; `buffer` takes what is no text as it lies.
    fn text<'a>(&'a self, row: usize, buffer: &'a mut String) -> Option<&'a [u8]>;

    /// How long that is, if it can be long, as numbers cannot.
    fn length(&self, row: usize, buffer: &mut String) -> usize;
}

/// A column of puzzles, with what they claim if they claim anything; cut into batches, row by row.
#[derive(Clone, Debug)]
pub(super) struct ValueRecords {
    puzzles: Arc<dyn Values>,
    claims: Option<Arc<dyn Values>>,
    /// In this program's own results: what each row is.
    kinds: Option<Arc<dyn Values>>,
    /// The columns that are carried along, each with its index.
    carried: Vec<(usize, Arc<dyn CarriedColumn>)>,
    /// Rows of the source before these columns.
    before: u64,
    /// The rows that are still to be handed out, or those of one batch.
    rows: Range<usize>,
}

impl ValueRecords {
    /// All rows of a column, and of the column of claims beside it, which has as many.
    pub fn new(puzzles: Arc<dyn Values>, claims: Option<Arc<dyn Values>>) -> Self {
        let rows = 0..puzzles.len();
        Self { puzzles, claims, kinds: None, carried: Vec::new(), before: 0, rows }
    }

    /// The same rows as a part of a source that has so many before them; what they are may stand in a third column, and
    /// others are carried along.
    #[cfg(feature = "parquet")]
    pub fn within(
        self,
        before: u64,
        kinds: Option<Arc<dyn Values>>,
        carried: Vec<(usize, Arc<dyn CarriedColumn>)>,
    ) -> Self {
        Self { kinds, carried, before, ..self }
    }

    /// Leaves out the next rows, as many as that or all.
    #[cfg(feature = "parquet")]
    pub fn leave_out(&mut self, rows: usize) {
        self.rows.start = self.rows.start.saturating_add(rows).min(self.rows.end);
    }

    /// Takes the next rows, at most so many bytes' worth; `None` behind the last.
    pub fn take(&mut self, source: &Arc<SourceInfo>, bytes: Vec<u8>, target: usize) -> Option<Batch> {
        let most = usize::try_from(MOST_RECORDS).unwrap_or(usize::MAX);
        let most = self.rows.len().min((target / CELLS).clamp(1, most));
        let count = if self.carried.is_empty() { most } else { self.fitting(most, target) };
        let first = self.rows.start;
        let rows = first..first + count;
        self.rows.start = rows.end;
        let records = self.before + first as u64;
        (count > 0).then(|| Batch {
            source: Arc::clone(source),
            bytes,
            position: Position { line: records + 1, records, offset: bytes_of(records), ..Position::START },
            records: count as u64,
            ahead: 0,
            format: Arc::new(Self { rows, ..self.clone() }),
            carried: Arc::default(),
        })
    }

    /// How many of the next rows, one at least, have so many bytes with all that is carried along.
    fn fitting(&self, most: usize, target: usize) -> usize {
        let (mut bytes, mut buffer) = (0, String::new());
        let mut fits = |&row: &usize| {
            let lengths = self.carried.iter().map(|(_, column)| column.length(row, &mut buffer));
            bytes += CELLS + lengths.sum::<usize>();
            bytes <= target
        };
        self.rows.clone().take(most).take_while(|row| fits(row)).count().max(most.min(1))
    }

    /// What stands for the bytes of all rows.
    pub fn bytes(&self) -> u64 {
        bytes_of(self.puzzles.len() as u64)
    }

    /// Whether a row of results is a Sudominoku case, whose dominoes are not there.
    fn is_case(&self, row: usize) -> bool {
        let kind = self.kinds.as_ref().map(|kinds| kinds.get(row));
        matches!(kind, Some(Value::Text(kind)) if is_case(kind))
    }
}

/// What stands for the bytes of so many rows.
pub(super) const fn bytes_of(rows: u64) -> u64 {
    rows.saturating_mul(CELLS as u64)
}

impl BatchSource for ValueRecords {
    fn next_batch(
        &mut self,
        source: &Arc<SourceInfo>,
        buffer: Vec<u8>,
        target: usize,
    ) -> Result<Option<Batch>, InputError> {
        Ok(self.take(source, buffer, target))
    }

    fn raw_position(&self) -> u64 {
        bytes_of(self.rows.start as u64)
    }
}

impl Format for ValueRecords {
    fn read(&self, _: Cursor, _: &[u8], line: u64, want: Want, out: &mut Records) {
        for (row, line) in self.rows.clone().zip(line..) {
            let puzzle = if self.is_case(row) {
                Err(Fault::new(FaultKind::CaseInResults, Some(Place { line, column: 1 })))
            } else {
                grid_of(&self.puzzles.get(row), line, &PUZZLE)
            };
            if want.claims {
                // Of what is no puzzle, no format reads the claim.
                let claims = self.claims.as_ref().filter(|_| puzzle.is_ok());
                let claim = claims.map_or(Value::Missing, |claims| claims.get(row));
                let is_missing = match &claim {
                    Value::Missing => true,
                    Value::Text(text) => text.trim_ascii().is_empty() || cells::is_null(text.trim_ascii()),
                    Value::Cells(_) => false,
                };
                out.claims.push((!is_missing).then(|| grid_of(&claim, line, &CLAIM)));
            }
            out.push_puzzle(line, Span::default(), Layout::Line, puzzle);
        }
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        self.place_of(line, text, cell)
    }

    fn carry(&self, _: &Records, _: &[u8], wanted: &[Option<usize>], out: &mut [Texts]) {
        let mut buffer = String::new();
        for (texts, wanted) in out.iter_mut().zip(wanted) {
            let column = self.carried.iter().find(|&&(at, _)| Some(at) == *wanted);
            for row in self.rows.clone() {
                texts.push(column.and_then(|(_, column)| column.text(row, &mut buffer)));
            }
        }
    }
}

/// The grid of a value in that row.
#[inline]
fn grid_of(value: &Value<'_>, line: u64, kinds: &Kinds) -> Result<Grid, Fault> {
    let text = match value {
        Value::Text(text) => text.trim_ascii(),
        Value::Missing => &[],
        Value::Cells(cells) => {
            return cells.clone().map_err(|fault| {
                let column = fault.place.map_or(1, |place| place.column);
                let kind = if fault.kind == FaultKind::CellCount { kinds.count } else { kinds.number };
                Fault { kind, ..fault }.at(Place { line, column })
            });
        }
    };
    field::grid(text, kinds).map_err(|(at, fault)| fault.at(Place { line, column: at as u64 + 1 }))
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    /// Texts as a column; `None` is a missing one.
    #[derive(Debug)]
    struct Texts(Vec<Option<&'static str>>);

    impl Values for Texts {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn get(&self, row: usize) -> Value<'_> {
            self.0[row].map_or(Value::Missing, |text| Value::Text(text.as_bytes()))
        }
    }

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    fn read(source: &mut Source, target: usize) -> Vec<(u64, Grid, Option<String>)> {
        let (mut read, mut records) = (Vec::new(), Records::default());
        while let Some(batch) = source.next_batch(Vec::new(), target).unwrap() {
            assert_eq!(batch.position.records, read.len() as u64);
            batch.read(Want { claims: true }, &mut records);
            assert_eq!(records.len() as u64, batch.records);
            for row in 0..records.len() {
                let fault = records.faults().get(row).map(ToString::to_string);
                read.push((records.lines()[row], records.puzzles()[row], fault));
            }
        }
        read
    }

    #[test]
    fn every_value_is_a_record_whatever_the_batches() {
        let texts = vec![Some(PUZZLE), Some(" 12\n"), None, Some(""), Some(PUZZLE), Some("q")];
        let grid: Grid = PUZZLE.parse().unwrap();
        let fault = |text: &str| Some(text.to_owned());
        let expected = [
            (1, grid, None),
            (2, Grid::EMPTY, fault("line 2, column 3: 2 cells (expected 81)")),
            (3, Grid::EMPTY, fault("line 3, column 1: 0 cells (expected 81)")),
            (4, Grid::EMPTY, fault("line 4, column 1: 0 cells (expected 81)")),
            (5, grid, None),
            (6, Grid::EMPTY, fault("line 6, column 1: invalid character 'q' (expected 1-9, 0 or .)")),
        ];
        for target in [0, 1, 162, 1 << 20] {
            let mut source = Source::of_values("df", Arc::new(Texts(texts.clone())), None);
            assert_eq!(source.info().size, Some(6 * 81));
            assert_eq!(read(&mut source, target), expected);
            assert_eq!(source.raw_position(), 6 * 81);
        }
        assert!(read(&mut Source::of_values("df", Arc::new(Texts(Vec::new())), None), 1).is_empty());
    }

    #[test]
    fn claims_stand_beside_their_puzzles() {
        let (puzzles, claims) =
            (Texts(vec![Some(PUZZLE); 4]), Texts(vec![Some("x"), None, Some(" "), Some(PUZZLE)]));
        let mut source = Source::of_values("df", Arc::new(puzzles), Some(Arc::new(claims)));
        let batch = source.next_batch(Vec::new(), 1 << 20).unwrap().unwrap();
        let mut records = Records::default();
        batch.read(Want { claims: true }, &mut records);
        use crate::record::Claim::{Faulty, Grid, Missing};
        assert!(
            matches!(records.claims.get(0), Faulty(fault) if fault.place == Some(Place { line: 1, column: 2 }))
        );
        assert!(matches!(records.claims.get(1), Missing) && matches!(records.claims.get(2), Missing));
        assert!(matches!(records.claims.get(3), Grid(grid) if grid.to_string() == PUZZLE));
        assert_eq!(batch.place(&records, 2, 80), Place { line: 3, column: 81 });
    }
}
