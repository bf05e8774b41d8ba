//! Which columns are worked on, and which are carried along.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, FieldRef, Fields};
use batchdoku::arrow::{Chunk, ColumnError, column};
use batchdoku::input::{PUZZLE_NAMES, SOLUTION_NAMES};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::data::{Data, READ_AS_TEXT};

/// Where the claims are that are verified.
pub enum Claims<'a> {
    /// In the column of that name, or in the one that is called as claims are.
    Column(Option<&'a str>),
    /// In a column beside the data, row by row.
    Beside(&'a Data),
}

/// What a job works on.
pub struct Work {
    /// The puzzles, and what they claim.
    pub chunks: Vec<Chunk>,
    /// The rows of each chunk, and the columns that are carried along with them.
    pub carried: Vec<(usize, Vec<ArrayRef>)>,
    /// Their fields.
    pub fields: Fields,
}

impl Work {
    /// Finds the column of puzzles by its name, or by what it is called and holds; likewise the claims, if wanted.
    ///
    /// # Errors
    ///
    /// When there is none, when it holds no puzzles, and when the claims are more or fewer than the puzzles.
    pub fn new(data: &Data, name: Option<&str>, claims: Option<&Claims<'_>>) -> PyResult<Self> {
        let (puzzle_at, claim_at, fields) = match data.fields() {
            Some(fields) => {
                let claim_at = match claims {
                    Some(Claims::Column(name)) => Some(claim_column(fields, *name)?),
                    Some(Claims::Beside(_)) | None => None,
                };
                (puzzle_column(fields, name, claim_at)?, claim_at, fields.clone())
            }
            None => {
                if let Some(name) = name {
                    let message = format!("column={name:?} is for tables, and data is a single column");
                    return Err(PyValueError::new_err(message));
                }
                if let Some(Claims::Column(_)) = claims {
                    return Err(PyValueError::new_err(
                        "data is a single column without solutions: give them as solution=, as many as there are puzzles",
                    ));
                }
                (0, None, Fields::empty())
            }
        };
        for at in [Some(puzzle_at), claim_at].into_iter().flatten() {
            if let Some(field) = fields.get(at) {
                check(field)?;
            }
        }
        if data.fields().is_none() {
            check(data.field())?;
        }
        if let Some(Claims::Beside(claims)) = claims {
            check(claims.field())?;
        }
        let mut work = Self { chunks: Vec::new(), carried: Vec::new(), fields };
        let mut beside = match claims {
            Some(Claims::Beside(claims)) => Some(Pieces::new(claims)?),
            _ => None,
        };
        for (rows, columns) in data.pieces() {
            let mut start = 0;
            while start < rows {
                let puzzles = &columns[puzzle_at];
                let (count, claims) = match (&mut beside, claim_at) {
                    (Some(beside), _) => {
                        let claims = beside.next(rows - start)?;
                        (claims.len(), Some(claims))
                    }
                    (None, Some(at)) => (rows, Some(Arc::clone(&columns[at]))),
                    (None, None) => (rows, None),
                };
                work.chunks.push(Chunk {
                    puzzles: readable(puzzles.slice(start, count))?,
                    claims: claims.map(readable).transpose()?,
                });
                let carried = if work.fields.is_empty() { &[] } else { columns };
                let carried = carried.iter().map(|column| column.slice(start, count)).collect();
                work.carried.push((count, carried));
                start += count;
            }
        }
        if let Some(beside) = beside {
            beside.end()?;
        }
        // A column without rows is of some type, too.
        let puzzle_type = work.fields.get(puzzle_at).map_or(data.data_type(), |field| field.data_type());
        let claim_type = match claims {
            Some(Claims::Beside(claims)) => Some(claims.data_type()),
            _ => claim_at.map(|at| work.fields[at].data_type()),
        };
        for kind in [Some(puzzle_type), claim_type].into_iter().flatten() {
            readable(arrow_array::new_empty_array(kind))?;
        }
        Ok(work)
    }
}

fn readable(array: ArrayRef) -> PyResult<Arc<dyn batchdoku::input::Values>> {
    column(array).map_err(|error: ColumnError| PyTypeError::new_err(error.to_string()))
}

/// What the type of a column is called that cannot hold puzzles because it was taken for numbers, before any row is looked at.
fn number_type(field: &FieldRef) -> Option<String> {
    // DuckDB hands over whole numbers of any length, and of 128 bits, as bytes that only it understands.
    if field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.opaque") {
        let described = field.metadata().get("ARROW:extension:metadata");
        return Some(
            described.map_or_else(|| "arrow.opaque".to_owned(), |text| format!("arrow.opaque {text}")),
        );
    }
    let kind = field.data_type();
    (kind.is_numeric() || matches!(kind, DataType::FixedSizeBinary(16))).then(|| kind.to_string())
}

fn check(field: &FieldRef) -> PyResult<()> {
    let Some(found) = number_type(field) else { return Ok(()) };
    let name = field.name();
    let what = if name.is_empty() { "a column".to_owned() } else { format!("the column {name:?}") };
    Err(PyTypeError::new_err(format!("{what} is of type {found}; {READ_AS_TEXT}")))
}

/// Whether a column can hold grids, or could if it had not been taken for numbers too long for most.
fn is_readable(field: &FieldRef) -> bool {
    // Whole numbers of 64 bits are counts, say of solutions.
    let is_count = field.data_type().is_integer();
    column(arrow_array::new_empty_array(field.data_type())).is_ok()
        || number_type(field).is_some() && !is_count
}

fn is_text(field: &FieldRef) -> bool {
    let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match field.data_type() {
        DataType::Dictionary(_, value) => is_text(value),
        kind => is_text(kind),
    }
}

/// Whether a column has that name, in whatever case and as a plural, too.
fn is_called(field: &FieldRef, name: &str) -> bool {
    let found = field.name().to_lowercase();
    found.strip_suffix('s').unwrap_or(&found) == name
}

/// The first column, in the order of the names, that is called so and can hold grids.
fn called(fields: &Fields, names: &[&str]) -> Option<usize> {
    let at = |name: &&str| fields.iter().position(|field| is_called(field, name) && is_readable(field));
    names.iter().find_map(at)
}

fn named(fields: &Fields, name: &str) -> PyResult<usize> {
    let at = fields.iter().position(|field| field.name() == name);
    at.ok_or_else(|| PyValueError::new_err(format!("there is no column {name:?} in data ({})", list(fields))))
}

/// Why there is no column with such names: it has a type that holds no grids, or `why`.
fn missing(fields: &Fields, names: &[&str], why: &str) -> PyErr {
    match fields.iter().find(|field| names.iter().any(|name| is_called(field, name))) {
        Some(field) => {
            let (name, kind) = (field.name(), field.data_type());
            PyTypeError::new_err(format!("the column {name:?} is of type {kind}; {READ_AS_TEXT}"))
        }
        None => PyValueError::new_err(format!("{why}; {}", list(fields))),
    }
}

fn list(fields: &Fields) -> String {
    let names: Vec<_> = fields.iter().map(|field| format!("{:?}", field.name())).collect();
    format!("its columns are {}", names.join(", "))
}

fn puzzle_column(fields: &Fields, name: Option<&str>, claim_at: Option<usize>) -> PyResult<usize> {
    if let Some(name) = name {
        return named(fields, name);
    }
    let texts: Vec<_> =
        (0..fields.len()).filter(|&at| is_text(&fields[at]) && Some(at) != claim_at).collect();
    let only = if let [at] = texts[..] { Some(at) } else { None };
    called(fields, &PUZZLE_NAMES).or(only).ok_or_else(|| {
        let why = "no column of data is called as puzzles are (puzzle or the like): name one with column=";
        missing(fields, &PUZZLE_NAMES, why)
    })
}

fn claim_column(fields: &Fields, name: Option<&str>) -> PyResult<usize> {
    if let Some(name) = name {
        return named(fields, name);
    }
    called(fields, &SOLUTION_NAMES).ok_or_else(|| {
        let why =
            "no column of data is called as solutions are (solution or the like): name one with solution=";
        missing(fields, &SOLUTION_NAMES, why)
    })
}

/// The pieces of a column, to be taken bit by bit.
struct Pieces<'a> {
    pieces: Vec<&'a ArrayRef>,
    /// The piece that is next, and the row in it.
    at: (usize, usize),
}

impl<'a> Pieces<'a> {
    fn new(data: &'a Data) -> PyResult<Self> {
        if data.fields().is_some() {
            return Err(PyTypeError::new_err(
                "solution is a table (expected the name of a column of data, or a single column)",
            ));
        }
        let pieces = data.pieces().filter(|&(rows, _)| rows > 0).map(|(_, columns)| &columns[0]);
        Ok(Self { pieces: pieces.collect(), at: (0, 0) })
    }

    /// The next rows, as many as the piece still has but no more than that.
    fn next(&mut self, most: usize) -> PyResult<ArrayRef> {
        let (piece, start) = self.at;
        let Some(array) = self.pieces.get(piece) else {
            return Err(PyValueError::new_err("there are fewer solutions than puzzles"));
        };
        let count = most.min(array.len() - start);
        self.at = if start + count < array.len() { (piece, start + count) } else { (piece + 1, 0) };
        Ok(array.slice(start, count))
    }

    fn end(self) -> PyResult<()> {
        if self.at.0 < self.pieces.len() {
            return Err(PyValueError::new_err("there are more solutions than puzzles"));
        }
        Ok(())
    }
}
