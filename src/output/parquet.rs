//! `-O parquet`: Apache Parquet, compressed.
//!
//! A row group holds 65,536 rows, or fewer if these reach 32 MiB of memory first. Each row group is encoded on its own
//! thread. The file metadata holds the version of the program and the version of the results layout. It also holds the
//! Arrow schema, with each column's unit and description.

use std::io;
use std::mem;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaDataPtr,
};
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterPropertiesPtr,
};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

use super::columns::ArrowColumns;
use super::encode::{Append, FileEnd, Output, Piece};
use super::in_order::InOrder;
use super::units::{Entries, Units, locked};
use crate::record::{Class, Field, Schema, Type};

/// The description of the format for the help text.
pub const ABOUT: &str = "Apache Parquet with the CSV columns";

/// The compression level. For grids, level 3 takes twice as long and even produces more bytes.
const ZSTD_LEVEL: i32 = 1;

/// Creates the writer for a file.
pub fn writer(schema: &Schema, threads: NonZeroUsize) -> io::Result<Box<dyn Append>> {
    Ok(Box::new(RowGroups::new(schema, threads).map_err(io_error)?))
}

/// A file written one row group at a time.
struct RowGroups {
    units: Units,
    file: SerializedFileWriter<Vec<u8>>,
    started: usize,
    encoded: InOrder<Result<Vec<ArrowColumnChunk>>>,
    groups: Entries<RowGroupMetaDataPtr>,
    /// Whether the start of the file has been written.
    is_begun: bool,
}

/// Adds the properties for a column. If values rarely repeat, a dictionary would not help.
fn with_values_of(field: &Field, properties: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
    let column = ColumnPath::from(field.name);
    match (field.holds, field.class) {
        // Storing all lengths before all cells takes fewer bytes than storing a length before each grid. A minimum
        // grid is useless as a statistic.
        (Type::Grid, _) => properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column.clone(), EnabledStatistics::None)
            .set_column_encoding(column, Encoding::DELTA_LENGTH_BYTE_ARRAY),
        (Type::Number, Class::Origin | Class::Measured) => properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED),
        _ => properties,
    }
}

impl RowGroups {
    fn new(rows: &Schema, threads: NonZeroUsize) -> Result<Self> {
        let schema = Arc::clone(ArrowColumns::of_files(rows).schema());
        let about = schema.metadata().iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("batchdoku version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(about.collect()))
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?));
        for (_, field) in rows.written() {
            properties = with_values_of(field, properties);
        }
        let mut properties = properties.build();
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        let root = ArrowSchemaConverter::new().convert(&schema)?.root_schema_ptr();
        let file = SerializedFileWriter::new(Vec::new(), root, Arc::new(properties))?;
        let (units, encoded, groups) = (Units::new(schema), InOrder::new(threads), Entries::default());
        Ok(Self { units, file, started: 0, encoded, groups, is_begun: false })
    }

    fn start(&mut self, rows: RecordBatch) {
        let (properties, group) = (Arc::clone(self.file.properties()), self.started);
        self.started += 1;
        self.encoded.start(move || encoded(rows, group, &properties));
    }

    /// Writes the row groups that are ready, or waits for all of them.
    fn write(&mut self, waits: bool, out: &mut dyn Output) -> io::Result<()> {
        while let Some(columns) = self.encoded.next(waits) {
            let write = || {
                let mut group = self.file.next_row_group()?;
                for column in columns? {
                    column.append_to_row_group(&mut group)?;
                }
                group.close()
            };
            let group = write().map_err(io_error)?;
            locked(&self.groups).push(group);
            self.pass_on(out)?;
        }
        Ok(())
    }

    /// Returns the function that ends the file early; unlike a complete file, the result has no page index.
    fn ending(&self) -> FileEnd {
        let schema = SchemaDescriptor::new(self.file.schema_descr().root_schema_ptr());
        let (schema, about) = (Arc::new(schema), Arc::clone(self.file.properties()));
        let groups = Arc::clone(&self.groups);
        Box::new(move |units| {
            let groups = locked(&groups)[..units].to_vec();
            let rows = groups.iter().map(|group| group.num_rows()).sum();
            let (version, by) = (about.writer_version().as_num(), about.created_by().to_owned());
            let more = about.key_value_metadata().cloned();
            let file = FileMetaData::new(version, rows, Some(by), more, Arc::clone(&schema), None);
            let groups = groups.into_iter().map(Arc::unwrap_or_clone).collect();
            let (file, mut end) = (ParquetMetaData::new(file, groups), Vec::new());
            ParquetMetaDataWriter::new(&mut end, &file).finish().map_err(io_error)?;
            Ok(end)
        })
    }

    /// Writes the bytes that the library is holding in memory.
    fn pass_on(&mut self, out: &mut dyn Output) -> io::Result<()> {
        self.file.flush()?;
        out.write_all(self.file.inner())?;
        self.file.inner_mut().clear();
        Ok(())
    }
}

/// Encodes the columns of a row group, none of which are nested, one after another. Encoding them all at once would
/// take more memory, because a compressor takes more memory than the values of a short column.
fn encoded(
    rows: RecordBatch,
    group: usize,
    properties: &WriterPropertiesPtr,
) -> Result<Vec<ArrowColumnChunk>> {
    let (schema, columns, _) = rows.into_parts();
    let encoded = columns.into_iter().enumerate().map(|(at, values)| {
        let alone = Arc::new(schema.project(&[at])?);
        let root = ArrowSchemaConverter::new().convert(&alone)?.root_schema_ptr();
        let file = SerializedFileWriter::new(io::sink(), root, Arc::clone(properties))?;
        let mut column =
            ArrowRowGroupWriterFactory::new(&file, alone).create_column_writers(group)?.remove(0);
        for leaf in compute_leaves(schema.field(at), &values)? {
            column.write(&leaf)?;
        }
        column.close()
    });
    encoded.collect()
}

impl Append for RowGroups {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        if !mem::replace(&mut self.is_begun, true) {
            out.set_file_end(Some(self.ending()));
            self.pass_on(out)?;
        }
        for batch in piece.batches.drain(..) {
            for rows in self.units.push(batch)? {
                self.start(rows);
            }
        }
        self.write(false, out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        if let Some(rows) = self.units.rest()? {
            self.start(rows);
        }
        self.write(true, out)?;
        self.file.finish().map_err(io_error)?;
        self.pass_on(out)?;
        out.set_file_end(None);
        Ok(())
    }
}

fn io_error(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
