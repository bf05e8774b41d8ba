//! Formats of record batches, which are put together to units of so many rows each, whatever the batches were: row groups
//! of Parquet, record batches of Arrow.

use std::io;
use std::num::NonZeroUsize;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;

use super::columns::ArrowColumns;
use super::encode::{Append, Encode, Form, Piece, Unfit};
use crate::record::{Page, Schema};

/// Rows of a unit.
const ROWS: usize = 64 << 10;

/// A unit ends before that with the row by which its texts have so many bytes: units lie in memory as a whole.
const TEXT_BYTES: usize = 64 << 20;

/// A format of record batches.
#[derive(Clone, Copy, Debug)]
pub struct ArrowFile {
    /// Makes what writes a file of such rows, on so many threads.
    pub writer: fn(&Schema, NonZeroUsize) -> io::Result<Box<dyn Append>>,
}

impl Encode for ArrowFile {
    fn fits(&self, _: &Schema) -> Result<(), Unfit> {
        Ok(())
    }

    fn keeps_bytes(&self) -> bool {
        false
    }

    fn form(&self) -> Form {
        Form::Binary
    }

    fn header(&self, _: &Schema, _: &mut Vec<u8>) {}

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

/// Rows on their way into units.
pub struct Units {
    schema: SchemaRef,
    waiting: Vec<RecordBatch>,
    rows: usize,
    text_bytes: usize,
}

impl Units {
    /// Units of such batches.
    pub const fn new(schema: SchemaRef) -> Self {
        Self { schema, waiting: Vec::new(), rows: 0, text_bytes: 0 }
    }

    /// Adds a batch; `full` takes each unit that is complete with it.
    pub fn push(
        &mut self,
        mut batch: RecordBatch,
        mut full: impl FnMut(RecordBatch) -> io::Result<()>,
    ) -> io::Result<()> {
        while batch.num_rows() > 0 {
            let (taken, bytes) = self.room(&batch);
            self.waiting.push(batch.slice(0, taken));
            (self.rows, self.text_bytes) = (self.rows + taken, self.text_bytes + bytes);
            batch = batch.slice(taken, batch.num_rows() - taken);
            if self.rows == ROWS || self.text_bytes >= TEXT_BYTES {
                full(self.unit()?)?;
            }
        }
        Ok(())
    }

    /// The rows that are in no unit yet, as the last one; `None` if there are none.
    pub fn rest(&mut self) -> io::Result<Option<RecordBatch>> {
        if self.rows == 0 { Ok(None) } else { self.unit().map(Some) }
    }

    fn unit(&mut self) -> io::Result<RecordBatch> {
        let unit = concat_batches(&self.schema, &self.waiting).map_err(arrow_error)?;
        self.waiting.clear();
        (self.rows, self.text_bytes) = (0, 0);
        Ok(unit)
    }

    /// How many rows of a batch still belong to this unit, and the bytes of their texts.
    fn room(&self, batch: &RecordBatch) -> (usize, usize) {
        let most = batch.num_rows().min(ROWS - self.rows);
        let bytes = |rows| text_bytes(batch, rows);
        if self.text_bytes + bytes(most) < TEXT_BYTES {
            return (most, bytes(most));
        }
        // The bytes grow with the rows.
        let (mut below, mut enough) = (0, most);
        while enough - below > 1 {
            let middle = below.midpoint(enough);
            if self.text_bytes + bytes(middle) < TEXT_BYTES {
                below = middle;
            } else {
                enough = middle;
            }
        }
        (enough, bytes(enough))
    }
}

/// Bytes of the texts in the first rows.
fn text_bytes(batch: &RecordBatch, rows: usize) -> usize {
    let texts = batch.columns().iter().filter(|column| *column.data_type() == DataType::Utf8);
    let bytes = texts.map(|column| {
        let offsets = column.as_string::<i32>().value_offsets();
        offsets[rows] as usize - offsets[0] as usize
    });
    bytes.sum()
}

/// An error of Arrow as one of writing.
pub fn arrow_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray};

    use crate::output::{ipc, parquet};
    use crate::record::{Column, Field};

    fn batch(texts: impl Iterator<Item = String>) -> RecordBatch {
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        RecordBatch::try_from_iter([("text", column)]).unwrap()
    }

    /// The rows of each unit, if the rows come in batches of so many, in turn.
    fn units(all: &RecordBatch, sizes: &[usize]) -> Vec<RecordBatch> {
        let mut units = Vec::new();
        let mut cutter = Units::new(all.schema());
        let (mut from, mut sizes) = (0, sizes.iter().cycle());
        while from < all.num_rows() {
            let rows = (*sizes.next().unwrap()).min(all.num_rows() - from);
            let mut take = |unit| {
                units.push(unit);
                Ok(())
            };
            cutter.push(all.slice(from, rows), &mut take).unwrap();
            from += rows;
        }
        units.extend(cutter.rest().unwrap());
        units
    }

    #[test]
    fn units_do_not_depend_on_batches() {
        let rows = 2 * ROWS + 5;
        let small = batch((0..rows).map(|row| row.to_string()));
        // Texts of a mebibyte among short ones.
        let large = batch((0..500).map(|row| "x".repeat(if row % 3 == 0 { 1 << 20 } else { row })));
        // The 64th of the long ones is row 189; of those from row 192 on, row 381.
        for (all, expected) in [(&small, &[ROWS, ROWS, 5][..]), (&large, &[190, 192, 118])] {
            for sizes in [&[all.num_rows()][..], &[1, 0, 700], &[ROWS - 1, 3]] {
                let found = units(all, sizes);
                let rows: Vec<_> = found.iter().map(RecordBatch::num_rows).collect();
                assert_eq!(rows, expected, "{sizes:?}");
                assert!(concat_batches(&all.schema(), &found).unwrap() == *all);
            }
        }
    }

    /// More than one unit, and of the formats that are made of them.
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
                    let page = Page {
                        schema: &schema,
                        columns: vec![Column::Counting(from as u64)],
                        rows: page_rows,
                        kept: None,
                        layouts: &[],
                        text: (&[], &[]),
                        first_number: 1,
                    };
                    let mut piece = Piece::default();
                    encoder.encode(&page, &mut piece);
                    writer.append(&mut piece, &mut out).unwrap();
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
