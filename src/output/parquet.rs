//! `-O parquet`: Apache Parquet, every figure in a column, compressed, with a sentence about each column.
//!
//! A row group has 65,536 rows and is encoded on a thread of its own. In the metadata of the file are the version of the
//! program and of the results, and Arrow's schema, with unit and description of each column.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use super::columns::ArrowColumns;
use super::encode::{Append, Output, Piece};
use super::in_order::InOrder;
use super::units::Units;
use crate::record::{Schema, Type};

/// What the format gives, for the help text.
pub const ABOUT: &str = "Apache Parquet, with the columns of CSV";

/// What writes a file.
pub fn writer(schema: &Schema, threads: NonZeroUsize) -> io::Result<Box<dyn Append>> {
    Ok(Box::new(RowGroups::new(schema, threads).map_err(io_error)?))
}

/// A file that is written row group by row group.
struct RowGroups {
    units: Units,
    groups: Groups,
}

struct Groups {
    file: SerializedFileWriter<Vec<u8>>,
    columns: ArrowRowGroupWriterFactory,
    started: usize,
    encoded: InOrder<Result<Vec<ArrowColumnChunk>>>,
}

impl RowGroups {
    fn new(rows: &Schema, threads: NonZeroUsize) -> Result<Self> {
        let schema = Arc::clone(ArrowColumns::of_files(rows).schema());
        let about = schema.metadata().iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("batchdoku version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(about.collect()))
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?));
        // Hardly two grids are the same.
        for (_, field) in rows.written().filter(|(_, field)| field.holds == Type::Grid) {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(field.name), false);
        }
        let mut properties = properties.build();
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        let root = ArrowSchemaConverter::new().convert(&schema)?.root_schema_ptr();
        let file = SerializedFileWriter::new(Vec::new(), root, Arc::new(properties))?;
        let columns = ArrowRowGroupWriterFactory::new(&file, Arc::clone(&schema));
        let groups = Groups { file, columns, started: 0, encoded: InOrder::new(threads) };
        Ok(Self { units: Units::new(schema), groups })
    }
}

impl Groups {
    fn start(&mut self, rows: RecordBatch) -> Result<()> {
        let columns = self.columns.create_column_writers(self.started)?;
        self.started += 1;
        self.encoded.start(move || encoded(&rows, columns));
        Ok(())
    }

    fn write(&mut self, columns: Vec<ArrowColumnChunk>, out: &mut dyn Output) -> io::Result<()> {
        let write = || {
            let mut group = self.file.next_row_group()?;
            for column in columns {
                column.append_to_row_group(&mut group)?;
            }
            group.close().map(|_| ())
        };
        write().map_err(io_error)?;
        self.pass_on(out)
    }

    /// Passes on what was written in memory.
    fn pass_on(&mut self, out: &mut dyn Output) -> io::Result<()> {
        self.file.flush()?;
        let bytes = self.file.inner_mut();
        out.write_all(bytes)?;
        bytes.clear();
        Ok(())
    }
}

/// The columns of a row group.
fn encoded(rows: &RecordBatch, columns: Vec<ArrowColumnWriter>) -> Result<Vec<ArrowColumnChunk>> {
    let schema = rows.schema();
    let encoded = columns.into_iter().zip(schema.fields()).zip(rows.columns());
    let encoded = encoded.map(|((mut column, field), values)| {
        for leaf in compute_leaves(field, values)? {
            column.write(&leaf)?;
        }
        column.close()
    });
    encoded.collect()
}

impl Append for RowGroups {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        let Self { units, groups } = self;
        for batch in piece.batches.drain(..) {
            units.push(batch, |rows| groups.start(rows).map_err(io_error))?;
        }
        while let Some(columns) = groups.encoded.done() {
            groups.write(columns.map_err(io_error)?, out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        let Self { units, groups } = self;
        if let Some(rows) = units.rest()? {
            groups.start(rows).map_err(io_error)?;
        }
        while let Some(columns) = groups.encoded.wait() {
            groups.write(columns.map_err(io_error)?, out)?;
        }
        groups.file.finish().map_err(io_error)?;
        groups.pass_on(out)
    }
}

fn io_error(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
