//! Formats that write record batches in units of a fixed number of rows, regardless of the batch sizes they receive. A
//! unit is a Parquet row group or an Arrow record batch.

use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::filter::filter_record_batch;

use super::columns::ArrowColumns;
use super::encode::{Append, Encode, Form, Piece};
use crate::record::{Page, Schema};

/// The maximum number of rows in a unit.
const ROWS: usize = 64 << 10;

/// The size in bytes at which a unit ends early, to limit memory use: a whole unit is held in memory.
const BYTES: usize = 32 << 20;

/// A format that consists of record batches.
#[derive(Clone, Copy, Debug)]
pub struct ArrowFile {
    /// Creates the writer for a file. It accepts rows with this schema and uses up to this many threads.
    pub writer: fn(&Schema, NonZeroUsize) -> io::Result<Box<dyn Append>>,
}

impl Encode for ArrowFile {
    fn keeps_bytes(&self) -> bool {
        false
    }

    fn form(&self) -> Form {
        Form::Binary
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let batch = ArrowColumns::of_files(page.schema).batch(page);
        out.batches.push(match page.kept {
            None => batch,
            Some(kept) => {
                let kept = BooleanArray::from(kept[..page.rows].to_vec());
                filter_record_batch(&batch, &kept).expect("there is a flag for each row")
            }
        });
    }

    fn writer(&self, schema: &Schema, threads: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        (self.writer)(schema, threads)
    }
}

/// A buffer that groups rows into units.
pub struct Units {
    pub schema: SchemaRef,
    /// The rows of the next unit. For a wide table, the overhead of keeping them as batches would exceed the size of
    /// the values.
    columns: Vec<Building>,
    rows: usize,
    bytes: usize,
}

/// A column that is being built.
enum Building {
    Numbers(Int64Builder),
    Decimals(Float64Builder),
    Texts(StringBuilder),
}

impl Building {
    fn of(kind: &DataType) -> Self {
        match kind {
            DataType::Int64 => Self::Numbers(Int64Builder::with_capacity(0)),
            DataType::Float64 => Self::Decimals(Float64Builder::with_capacity(0)),
            _ => Self::Texts(StringBuilder::with_capacity(0, 0)),
        }
    }

    fn append(&mut self, column: &dyn Array) -> Result<(), ArrowError> {
        match self {
            Self::Numbers(numbers) => numbers.append_array(column.as_primitive()),
            Self::Decimals(numbers) => numbers.append_array(column.as_primitive()),
            Self::Texts(texts) => texts.append_array(column.as_string())?,
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Numbers(numbers) => Arc::new(numbers.finish()),
            Self::Decimals(numbers) => Arc::new(numbers.finish()),
            Self::Texts(texts) => Arc::new(texts.finish()),
        }
    }
}

impl Units {
    /// Prepares to collect batches with this schema.
    pub fn new(schema: SchemaRef) -> Self {
        let columns = schema.fields().iter().map(|field| Building::of(field.data_type())).collect();
        Self { schema, columns, rows: 0, bytes: 0 }
    }

    /// Adds a batch and returns the units that are complete as a result.
    pub fn push(&mut self, mut batch: RecordBatch) -> io::Result<Vec<RecordBatch>> {
        let mut complete = Vec::new();
        while batch.num_rows() > 0 {
            let (taken, bytes) = self.room(&batch);
            let rows = batch.slice(0, taken);
            for (column, values) in self.columns.iter_mut().zip(rows.columns()) {
                column.append(values).map_err(arrow_error)?;
            }
            (self.rows, self.bytes) = (self.rows + taken, self.bytes + bytes);
            batch = batch.slice(taken, batch.num_rows() - taken);
            if self.rows == ROWS || self.bytes >= BYTES {
                complete.push(self.unit()?);
            }
        }
        Ok(complete)
    }

    /// Returns the remaining rows as the last unit; `None` if there are none.
    pub fn rest(&mut self) -> io::Result<Option<RecordBatch>> {
        if self.rows == 0 { Ok(None) } else { self.unit().map(Some) }
    }

    fn unit(&mut self) -> io::Result<RecordBatch> {
        (self.rows, self.bytes) = (0, 0);
        let columns = self.columns.iter_mut().map(Building::finish).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(arrow_error)
    }

    /// Returns how many rows of a batch fit in this unit, and their size in bytes.
    fn room(&self, batch: &RecordBatch) -> (usize, usize) {
        let most = batch.num_rows().min(ROWS - self.rows);
        let bytes = |rows| bytes_of(batch, rows);
        let all = bytes(most);
        if self.bytes + all < BYTES {
            return (most, all);
        }
        let rows: Vec<_> = (1..most).collect();
        let enough = 1 + rows.partition_point(|&rows| self.bytes + bytes(rows) < BYTES);
        (enough, bytes(enough))
    }
}

/// Returns the size in bytes of the first rows: numbers, or strings along with their offsets.
fn bytes_of(batch: &RecordBatch, rows: usize) -> usize {
    let bytes = batch.columns().iter().map(|column| match column.as_string_opt::<i32>() {
        Some(texts) => {
            let ends = texts.value_offsets();
            (ends[rows] - ends[0]) as usize + rows * size_of::<i32>()
        }
        None => rows * size_of::<i64>(),
    });
    bytes.sum()
}

/// The entries for the written units in the file's ending, shared with the function that ends the file early.
pub type Entries<T> = Arc<Mutex<Vec<T>>>;

/// Locks the entries.
pub fn locked<T>(entries: &Entries<T>) -> MutexGuard<'_, Vec<T>> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Converts an Arrow error to an I/O error.
pub fn arrow_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, Instant};

    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use arrow_array::types::Int64Type;
    use arrow_array::{Int64Array, StringArray};
    use arrow_ipc::reader::FileReader;
    use arrow_select::concat::concat_batches;

    use crate::output::file::{Leftover, OutputFile};
    use crate::output::{ipc, parquet};
    use crate::record::{Column, Field};

    fn batch(texts: impl Iterator<Item = String>) -> RecordBatch {
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        RecordBatch::try_from_iter([("text", column)]).unwrap()
    }

    /// Returns the units when rows arrive in batches of these sizes; the list of sizes repeats as needed.
    fn units(all: &RecordBatch, sizes: &[usize]) -> Vec<RecordBatch> {
        let mut units = Vec::new();
        let mut cutter = Units::new(all.schema());
        let (mut from, mut sizes) = (0, sizes.iter().cycle());
        while from < all.num_rows() {
            let rows = (*sizes.next().unwrap()).min(all.num_rows() - from);
            units.extend(cutter.push(all.slice(from, rows)).unwrap());
            from += rows;
        }
        units.extend(cutter.rest().unwrap());
        units
    }

    #[test]
    fn units_do_not_depend_on_batches() {
        let rows = 2 * ROWS + 5;
        let small = batch((0..rows).map(|row| row.to_string()));
        // Strings of 1 MiB are mixed with short ones.
        let large = batch((0..500).map(|row| "x".repeat(if row % 3 == 0 { 1 << 20 } else { row })));
        // This table has many columns: 8-byte numbers, and 1-byte strings with 4-byte offsets.
        let [numbers, texts]: [ArrayRef; 2] = [
            Arc::new((0..3000).map(|row| (row % 7 > 0).then_some(row)).collect::<Int64Array>()),
            Arc::new((0..3000).map(|row| (row % 5 > 0).then_some("x")).collect::<StringArray>()),
        ];
        let wide =
            (0..2000).flat_map(|at| [&numbers, &texts].map(|column| (at.to_string(), Arc::clone(column))));
        let wide = RecordBatch::try_from_iter(wide).unwrap();
        // The size of rows with 2,000 numbers and 2,000 strings, a fifth of which are missing.
        let taken = |rows: usize| 2000 * (8 * rows + 4 * rows + rows - rows.div_ceil(5));
        let first = (1..).find(|&rows| taken(rows) >= BYTES).unwrap();
        let second = (1..).find(|&rows| taken(first + rows) - taken(first) >= BYTES).unwrap();
        let wide_units = [first, second, 3000 - first - second];
        // The 32nd long string is in row 93; counting from row 96, the next 32nd one is in row 189, and so on.
        for (all, expected) in
            [(&small, &[ROWS, ROWS, 5][..]), (&large, &[94, 96, 96, 96, 96, 22]), (&wide, &wide_units)]
        {
            for sizes in [&[all.num_rows()][..], &[1, 0, 700], &[ROWS - 1, 3]] {
                let found = units(all, sizes);
                let rows: Vec<_> = found.iter().map(RecordBatch::num_rows).collect();
                assert_eq!(rows, expected, "{sizes:?}");
                assert!(concat_batches(&all.schema(), &found).unwrap() == *all);
            }
        }
    }

    /// Encodes a page of `rows` rows, numbered starting from `first`.
    fn piece(encoder: &ArrowFile, schema: &Schema, first: usize, rows: usize) -> Piece {
        let page = Page::new(schema, vec![Column::Counting(first as u64)], rows);
        let mut piece = Piece::default();
        encoder.encode(&page, &mut piece);
        piece
    }

    /// An incomplete file is cut back to its last unit, and the ending makes it a complete file.
    #[test]
    fn a_file_can_be_ended_after_any_unit() {
        let schema = Schema { fields: vec![Field::CLUES], ..super::super::tests::schema(false) };
        let rows_in = |name: &str, file: &[u8]| {
            let file = file.to_vec();
            let batches: Vec<_> = if name == "parquet" {
                let file = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(file)).unwrap();
                file.build().unwrap().map(Result::unwrap).collect()
            } else {
                FileReader::try_new(io::Cursor::new(file), None).unwrap().map(Result::unwrap).collect()
            };
            let values =
                batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values());
            values.enumerate().map(|(row, value)| assert_eq!(row as i64, *value)).count()
        };
        let directory = tempfile::tempdir().unwrap();
        let (path, partial) = (directory.path().join("file"), directory.path().join("file.partial"));
        for (name, encoder) in
            [("parquet", ArrowFile { writer: parquet::writer }), ("arrow", ArrowFile { writer: ipc::writer })]
        {
            for units in 0..3 {
                let mut writer = encoder.writer(&schema, NonZeroUsize::MIN).unwrap();
                let mut out = OutputFile::create(&path).unwrap();
                writer.append(&mut Piece::default(), &mut out).unwrap();
                for unit in 0..units {
                    let before = out.written();
                    writer.append(&mut piece(&encoder, &schema, unit * ROWS, ROWS), &mut out).unwrap();
                    // The unit may be encoded on another thread.
                    let deadline = Instant::now() + Duration::from_secs(60);
                    while out.written() == before {
                        assert!(Instant::now() < deadline, "{name}: no unit is written");
                        writer.append(&mut Piece::default(), &mut out).unwrap();
                    }
                }
                writer.append(&mut piece(&encoder, &schema, units * ROWS, 7), &mut out).unwrap();
                assert!(matches!(out.keep(), Some(Leftover::Whole(_))));
                let kept = fs::read(&partial).unwrap();
                assert_eq!(rows_in(name, &kept), units * ROWS, "{name}");

                let mut writer = encoder.writer(&schema, NonZeroUsize::MIN).unwrap();
                let mut complete = Vec::new();
                writer.append(&mut piece(&encoder, &schema, 0, units * ROWS), &mut complete).unwrap();
                writer.finish(&mut complete).unwrap();
                assert_eq!(rows_in(name, &complete), units * ROWS, "{name}");
                assert!(name == "parquet" || kept == complete, "it ends as the library ends it");
            }
        }
    }

    /// PROMISE: same-bytes
    #[test]
    fn neither_threads_nor_pages_change_a_byte() {
        let schema = Schema { fields: vec![Field::CLUES], ..super::super::tests::schema(false) };
        let rows = 2 * ROWS + 5;
        for encoder in [ArrowFile { writer: parquet::writer }, ArrowFile { writer: ipc::writer }] {
            let written = |threads, sizes: &[usize]| {
                let mut writer = encoder.writer(&schema, NonZeroUsize::new(threads).unwrap()).unwrap();
                let (mut from, mut sizes, mut out) = (0, sizes.iter().cycle(), Vec::new());
                while from < rows {
                    let page_rows = (*sizes.next().unwrap()).min(rows - from);
                    writer.append(&mut piece(&encoder, &schema, from, page_rows), &mut out).unwrap();
                    from += page_rows;
                }
                writer.finish(&mut out).unwrap();
                out
            };
            let expected = written(1, &[rows]);
            for (threads, sizes) in [(2, &[1000, 1, 0, 30_000][..]), (7, &[ROWS, 7])] {
                assert!(written(threads, sizes) == expected, "{threads} {sizes:?}");
            }
        }
    }
}
