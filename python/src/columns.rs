//! Finds the puzzle and claim columns, and the columns to carry along.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrow_select::concat::concat;
use batchdoku::arrow::{Chunk, ColumnError, column};
use batchdoku::input::{PUZZLE_NAMES, SOLUTION_NAMES};
use batchdoku::jobs::Job;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::data::{Data, READ_AS_TEXT};
use crate::options::Options;

/// The input of a job.
#[derive(Default)]
pub struct Work {
    /// The puzzles and the claims.
    pub chunks: Vec<Chunk>,
    /// The number of rows in each chunk, and the chunk's carried columns.
    pub carried: Vec<(usize, Vec<ArrayRef>)>,
    /// The fields of the carried columns.
    pub fields: Fields,
    /// The indices of the data's puzzle and claim columns.
    own: Vec<usize>,
}

impl Work {
    /// Makes the input of a job from chunks of a single column.
    pub fn of_chunks(chunks: Vec<Chunk>) -> Self {
        Self { chunks, ..Self::default() }
    }

    /// Finds the puzzle column by the given name, or else by usual names and types. If the job wants claims and they
    /// are not `beside` the data, finds the claim column in the same way. If a puzzle can have many rows, the puzzles
    /// are carried along even if the data is a single column.
    ///
    /// Fails if there is no puzzle column, if it cannot hold puzzles, or if the numbers of claims and puzzles differ.
    pub fn new<J: Job>(job: &J, data: &Data, beside: Option<&Data>, options: &Options<'_>) -> PyResult<Self> {
        let (name, claim_name): (Option<String>, Option<String>) =
            (options.get("column")?, options.get("solution")?);
        let are_claims_inside = job.want().claims && beside.is_none();
        let (puzzle_at, claim_at, fields) = match data.fields() {
            Some(fields) => {
                let find = || found(fields, ("solution", claim_name), ("solution", &SOLUTION_NAMES), None);
                let claim_at = are_claims_inside.then(find).transpose()?;
                let only = only_text(fields, claim_at);
                let puzzle_at = found(fields, ("column", name), ("puzzle", &PUZZLE_NAMES), only)?;
                (puzzle_at, claim_at, fields.clone())
            }
            None => {
                if let Some(name) = name {
                    let message = format!("column={name:?} needs a table, and data is a single column");
                    return Err(PyValueError::new_err(message));
                }
                if are_claims_inside {
                    return Err(PyValueError::new_err(
                        "data is a single column without solutions: give them as solution=, as many as there are puzzles",
                    ));
                }
                let alone = Field::new("puzzle", data.field().data_type().clone(), true);
                let has_many_rows = job.has_many_rows();
                (0, None, has_many_rows.then_some(alone).into_iter().collect())
            }
        };
        let own: Vec<_> = [Some(puzzle_at), claim_at].into_iter().flatten().collect();
        for &at in &own {
            check(data.fields().map_or(data.field(), |fields| &fields[at]))?;
        }
        let rows = data.pieces().map(|(rows, _)| rows).sum();
        let beside = beside.map(|claims| claims_beside(claims, rows)).transpose()?;
        let mut work = Self { chunks: Vec::new(), carried: Vec::new(), fields, own };
        let mut start = 0;
        for (rows, columns) in data.pieces() {
            let claims = match &beside {
                Some(beside) => Some(beside.slice(start, rows)),
                None => claim_at.map(|at| Arc::clone(&columns[at])),
            };
            work.chunks.push(Chunk {
                puzzles: readable(Arc::clone(&columns[puzzle_at]))?,
                claims: claims.map(readable).transpose()?,
            });
            let carried = if work.fields.is_empty() { Vec::new() } else { columns.to_vec() };
            work.carried.push((rows, carried));
            start += rows;
        }
        Ok(work)
    }

    /// Returns the number of rows in the data.
    pub fn rows(&self) -> usize {
        self.carried.iter().map(|(rows, _)| rows).sum()
    }

    /// Removes the puzzles and the claims from the carried columns.
    pub fn drop_own(&mut self) {
        let kept: Vec<_> = (0..self.fields.len()).filter(|at| !self.own.contains(at)).collect();
        self.fields = kept.iter().map(|&at| Arc::clone(&self.fields[at])).collect();
        for (_, columns) in &mut self.carried {
            *columns = kept.iter().map(|&at| Arc::clone(&columns[at])).collect();
        }
    }

    /// Carries an additional column, which holds a number for each row.
    pub fn carry(&mut self, name: &str, numbers: Vec<Option<i64>>) {
        let numbers = Int64Array::from(numbers);
        let field = Field::new(unused(name, &self.fields), DataType::Int64, true);
        self.fields = self.fields.iter().map(Arc::clone).chain([field.into()]).collect();
        let mut start = 0;
        for (rows, columns) in &mut self.carried {
            columns.push(Arc::new(numbers.slice(start, *rows)));
            start += *rows;
        }
    }
}

/// Returns whether the data contains solutions, either in the column that an option names or in one with a usual name.
pub fn has_solutions(data: &Data, options: &Options<'_>) -> PyResult<bool> {
    let is_named = options.get::<String>("solution")?.is_some();
    Ok(is_named || data.fields().is_some_and(|fields| called(fields, &SOLUTION_NAMES).is_some()))
}

/// Returns the name, or a variant of it if a field already uses that name.
pub fn unused(name: &str, fields: &Fields) -> String {
    let mut name = name.to_owned();
    while fields.iter().any(|field| *field.name() == name) {
        name.insert_str(0, "batchdoku_");
    }
    name
}

fn readable(array: ArrayRef) -> PyResult<Arc<dyn batchdoku::input::Values>> {
    column(array).map_err(|error: ColumnError| PyTypeError::new_err(error.to_string()))
}

/// Returns the type of a numeric column that cannot hold puzzles, or `None` for other types.
fn number_type(field: &FieldRef) -> Option<String> {
    // DuckDB exports 128-bit integers and integers of any length as bytes in its own format.
    if let Some(name @ "arrow.opaque") = field.extension_type_name() {
        let described = field.extension_type_metadata().unwrap_or_default();
        return Some(format!("{name} {described}").trim_end().to_owned());
    }
    let kind = field.data_type();
    (kind.is_numeric() || matches!(kind, DataType::FixedSizeBinary(16))).then(|| kind.to_string())
}

/// Fails if a column cannot hold grids, even if the column is empty.
fn check(field: &FieldRef) -> PyResult<()> {
    let Some(found) = number_type(field) else {
        return readable(arrow_array::new_empty_array(field.data_type())).map(|_| ());
    };
    let name = field.name();
    let what = if name.is_empty() { "a column".to_owned() } else { format!("the column {name:?}") };
    Err(PyTypeError::new_err(format!("{what} is of type {found}; {READ_AS_TEXT}")))
}

/// Returns whether a column can hold grids, or numbers that could be puzzles that another program read as numbers.
fn is_readable(field: &FieldRef) -> bool {
    // 64-bit integers are counts, for example of solutions.
    let is_count = field.data_type().is_integer();
    column(arrow_array::new_empty_array(field.data_type())).is_ok()
        || number_type(field).is_some() && !is_count
}

fn is_text(field: &FieldRef) -> bool {
    match field.data_type() {
        DataType::Dictionary(_, value) => value.is_string(),
        kind => kind.is_string(),
    }
}

/// Returns whether a column has the given name, ignoring case and a plural ending.
fn is_called(field: &FieldRef, name: &str) -> bool {
    let found = field.name().to_lowercase();
    found.strip_suffix('s').unwrap_or(&found) == name
}

/// Returns the first column, in the order of the names, that matches one of them and can hold grids.
fn called(fields: &Fields, names: &[&str]) -> Option<usize> {
    let at = |name: &&str| fields.iter().position(|field| is_called(field, name) && is_readable(field));
    names.iter().find_map(at)
}

fn list(fields: &Fields) -> String {
    let names: Vec<_> = fields.iter().map(|field| format!("{:?}", field.name())).collect();
    format!("its columns are {}", names.join(", "))
}

/// Returns the column with the given name. If no name is given, returns the first one that has one of `names` and can
/// hold grids, or else `only`.
fn found(
    fields: &Fields,
    (option, name): (&str, Option<String>),
    (what, names): (&str, &[&str]),
    only: Option<usize>,
) -> PyResult<usize> {
    if let Some(name) = name {
        let at = fields.iter().position(|field| *field.name() == name);
        let why = || format!("there is no column {name:?} in data ({})", list(fields));
        return at.ok_or_else(|| PyValueError::new_err(why()));
    }
    called(fields, names).or(only).ok_or_else(|| {
        // If a column has such a name, its type cannot hold grids.
        if let Some(field) = fields.iter().find(|field| names.iter().any(|name| is_called(field, name))) {
            let (name, kind) = (field.name(), field.data_type());
            return PyTypeError::new_err(format!("the column {name:?} is of type {kind}; {READ_AS_TEXT}"));
        }
        PyValueError::new_err(format!(
            "data has no column of {what}s ({what:?} or the like): name one with {option}=; {}",
            list(fields)
        ))
    })
}

/// Returns the only text column besides the claims.
fn only_text(fields: &Fields, claim_at: Option<usize>) -> Option<usize> {
    let mut texts = (0..fields.len()).filter(|&at| is_text(&fields[at]) && Some(at) != claim_at);
    texts.next().filter(|_| texts.next().is_none())
}

/// Returns the claims for the given number of `puzzles`, in one piece.
fn claims_beside(claims: &Data, puzzles: usize) -> PyResult<ArrayRef> {
    if claims.fields().is_some() {
        return Err(PyTypeError::new_err(
            "solution is a table (expected the name of a column of data, or a single column)",
        ));
    }
    check(claims.field())?;
    let pieces: Vec<_> = claims.pieces().map(|(_, columns)| &*columns[0]).collect();
    let none = || Ok(arrow_array::new_empty_array(claims.field().data_type()));
    let claims = if pieces.is_empty() { none() } else { concat(&pieces) };
    let claims = claims.map_err(|error| PyValueError::new_err(error.to_string()))?;
    match claims.len().cmp(&puzzles) {
        Ordering::Less => Err(PyValueError::new_err("there are fewer solutions than puzzles")),
        Ordering::Equal => Ok(claims),
        Ordering::Greater => Err(PyValueError::new_err("there are more solutions than puzzles")),
    }
}
