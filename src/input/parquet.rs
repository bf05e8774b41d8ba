//! Parquet: the rows of a table in columns, group by group.
//!
//! The index at the end of a file says where each group of rows lies, so only files can be read, and only the columns
//! that are needed are. Texts are read as bytes where they lie in their page, whether they are UTF-8 or not: what is
//! none costs its row alone. Pages are decompressed and decoded by the reader, a few thousand rows at a time; making
//! grids of them is left to the threads that answer. What is damaged ends the file, with the rows before it read.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::basic::Type as Physical;
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ParquetMetaDataOptions, ParquetMetaDataReader};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::schema::types::{SchemaDescriptor, Type};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use bytes::Bytes as PageBytes;

use super::InputError;
use super::arrow_table::{ArrowRows, Chosen, ROWS_LOOKED_AT, RecordBatches};
use super::batch::MOST_RECORDS;
use super::binary::{BinaryInput, BinaryRows, Bytes, Known, Watched, read_at, read_exact_at};

/// A file read here and there.
#[derive(Clone, Debug)]
struct Pages {
    file: Arc<File>,
    size: u64,
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Pages {
    type T = BufReader<PagesFrom>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(PagesFrom { pages: self.clone(), offset: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<PageBytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.size) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} of a file of {}", self.size)));
        }
        let mut bytes = vec![0; length];
        read_exact_at(&self.file, &mut bytes, start)?;
        Ok(bytes.into())
    }
}

/// What of a file is behind an offset.
struct PagesFrom {
    pages: Pages,
    offset: u64,
}

impl Read for PagesFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.pages.file, buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// What the index of a file says, with texts as bytes.
fn index_of(pages: &Pages) -> ParquetResult<ArrowReaderMetadata> {
    let index = ParquetMetaDataReader::new().parse_and_finish(pages)?;
    let schema = index.file_metadata().schema_descr().root_schema();
    let fields = schema.get_fields().iter().map(|field| {
        let is_text = field.is_primitive() && field.get_physical_type() == Physical::BYTE_ARRAY;
        if !is_text {
            return Ok(Arc::clone(field));
        }
        let bytes = Type::primitive_type_builder(field.name(), Physical::BYTE_ARRAY)
            .with_repetition(field.get_basic_info().repetition())
            .build()?;
        Ok(Arc::new(bytes))
    });
    let fields = fields.collect::<ParquetResult<_>>()?;
    let schema = Type::group_type_builder(schema.name()).with_fields(fields).build()?;
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
    let options = ParquetMetaDataOptions::new().with_schema(schema);
    let reader = ParquetMetaDataReader::new().with_metadata_options(Some(options));
    let index = Arc::new(reader.parse_and_finish(pages)?);
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let types = ArrowReaderMetadata::try_new(Arc::clone(&index), plain)?;
    let views = types.schema().fields().iter().map(|field| match field.data_type() {
        DataType::Binary => Arc::new(field.as_ref().clone().with_data_type(DataType::BinaryView)),
        _ => Arc::clone(field),
    });
    let views = Arc::new(Schema::new(views.collect::<Vec<_>>()));
    ArrowReaderMetadata::try_new(index, ArrowReaderOptions::new().with_schema(views))
}

/// Opens a file and finds its columns.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let BinaryInput { name, bytes, from, options, hash } = input;
    let unreadable = |what: String| InputError::Unreadable { name: name.to_owned(), what };
    let file = match bytes {
        Bytes::File(file) => file,
        Bytes::Stream(stream) if stream.is_compressed() => {
            return Err(unreadable("is Parquet in compressed data; decompress it first".to_owned()));
        }
        Bytes::Stream(_) => {
            return Err(unreadable(
                "is Parquet, whose index is at its end: it cannot be read from a pipe or standard input; save it to a \
                 file and name that"
                    .to_owned(),
            ));
        }
    };
    let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
    let watched = Watched::new(file, hash, options.hash, from.records).map_err(failed)?;
    let pages = Pages { file: Arc::clone(&watched.file), size: watched.size };
    let index = index_of(&pages).map_err(|error| {
        unreadable(format!(
            "is no Parquet file that can be read: {} (cut off or not finished?)",
            reason(&error)
        ))
    })?;
    let mut sizes = Vec::new();
    for group in index.metadata().row_groups() {
        let rows = u64::try_from(group.num_rows());
        sizes.push(rows.map_err(|_| unreadable("has a row group of less than no rows".to_owned()))?);
    }
    let mut groups = Groups {
        name: name.to_owned(),
        watched,
        pages,
        index,
        sizes,
        columns: Vec::new(),
        group: 0,
        open: None,
        done: 0,
    };
    let schema = Arc::clone(groups.index.schema());
    let chosen = Chosen::find(name, &schema, options, |columns| groups.look(columns))?;
    groups.columns = chosen.all();
    let has_claims = chosen.claim.is_some();
    if !groups.skip_to(from.records) {
        return Err(InputError::Shorter { name: name.to_owned(), offset: from.offset });
    }
    Ok(BinaryRows {
        batches: Box::new(ArrowRows::new(groups, chosen, from.records)),
        known: Known { has_columns: true, has_claims: has_claims },
        notes: Vec::new(),
    })
}

/// What the reader of Parquet says, on one line.
fn reason(error: &ParquetError) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The row groups of a file, in order.
struct Groups {
    name: String,
    watched: Watched,
    pages: Pages,
    index: ArrowReaderMetadata,
    /// Rows of each group.
    sizes: Vec<u64>,
    /// The columns that are read.
    columns: Vec<usize>,
    /// The group that is read next, or is being read.
    group: usize,
    /// The reader of that group and the rows that it has still to give.
    open: Option<(ParquetRecordBatchReader, u64)>,
    /// Rows that were read, or left out.
    done: u64,
}

impl Groups {
    /// Reads some columns of a group, from a row of it on.
    fn reader(&self, group: usize, columns: &[usize], from: u64) -> ParquetResult<ParquetRecordBatchReader> {
        let schema = self.index.parquet_schema();
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.pages.clone(), self.index.clone());
        builder
            .with_projection(ProjectionMask::roots(schema, columns.iter().copied()))
            .with_row_groups(vec![group])
            .with_batch_size(usize::try_from(MOST_RECORDS).unwrap_or(ROWS_LOOKED_AT))
            .with_offset(usize::try_from(from).unwrap_or(usize::MAX))
            .build()
    }

    /// The first rows of some columns.
    fn look(&self, columns: &[usize]) -> Result<Vec<ArrayRef>, InputError> {
        let Some(group) = self.sizes.iter().position(|&rows| rows > 0).filter(|_| !columns.is_empty()) else {
            return Ok(Vec::new());
        };
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.pages.clone(), self.index.clone());
        let reader = builder
            .with_projection(ProjectionMask::roots(self.index.parquet_schema(), columns.iter().copied()))
            .with_row_groups(vec![group])
            .with_batch_size(ROWS_LOOKED_AT)
            .with_limit(ROWS_LOOKED_AT)
            .build();
        let damaged = |reason: String| self.damaged_group(group, &reason);
        let mut reader = reader.map_err(|error| damaged(reason(&error)))?;
        match reader.next() {
            Some(Ok(batch)) => Ok(batch.columns().to_vec()),
            Some(Err(error)) => Err(damaged(error.to_string())),
            None => Err(damaged("it has no rows".to_owned())),
        }
    }

    /// Leaves out the rows before one of them; whether there are so many.
    fn skip_to(&mut self, row: u64) -> bool {
        while let Some(&rows) = self.sizes.get(self.group)
            && self.done + rows <= row
        {
            self.done += rows;
            self.group += 1;
        }
        // Within a group it is opened there.
        let is_there = self.done == row || self.group < self.sizes.len();
        self.done = row;
        is_there
    }

    fn damaged_group(&self, group: usize, reason: &str) -> InputError {
        InputError::DamagedTable {
            name: self.name.clone(),
            format: "Parquet",
            place: format!("row group {} of {}", group + 1, self.sizes.len()),
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    /// Notes how far the file was read, in the measure of its rows.
    fn see(&mut self) -> Result<(), InputError> {
        let all: u64 = self.sizes.iter().sum();
        let share = u128::from(self.watched.size) * u128::from(self.done) / u128::from(all.max(1));
        let offset = if self.done >= all { self.watched.size } else { share as u64 };
        let failed = |source| InputError::Read { name: self.name.clone(), offset, source };
        self.watched.see_to(offset).map_err(failed)
    }
}

impl RecordBatches for Groups {
    fn next(&mut self) -> Result<Option<RecordBatch>, InputError> {
        loop {
            let Some(&rows) = self.sizes.get(self.group) else {
                self.see()?;
                return Ok(None);
            };
            let (mut reader, left) = match self.open.take() {
                Some(open) => open,
                None => {
                    let before: u64 = self.sizes[..self.group].iter().sum();
                    let from = self.done - before;
                    let reader = self.reader(self.group, &self.columns, from);
                    (reader.map_err(|error| self.damaged_group(self.group, &reason(&error)))?, rows - from)
                }
            };
            match reader.next() {
                Some(Ok(batch)) if batch.num_rows() as u64 <= left => {
                    self.done += batch.num_rows() as u64;
                    self.open = Some((reader, left - batch.num_rows() as u64));
                    self.see()?;
                    return Ok(Some(batch));
                }
                Some(Err(error)) => return Err(self.damaged_group(self.group, &error.to_string())),
                None if left == 0 => self.group += 1,
                _ => {
                    let reason = format!("it has other than the {rows} rows that the index promises");
                    return Err(self.damaged_group(self.group, &reason));
                }
            }
        }
    }

    fn damaged(&mut self, reason: String) -> InputError {
        self.damaged_group(self.group, &reason)
    }

    fn raw_position(&self) -> u64 {
        self.watched.seen()
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use ::parquet::arrow::ArrowWriter;
    use ::parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
    use ::parquet::file::properties::{WriterProperties, WriterVersion};
    use arrow_array::builder::{FixedSizeListBuilder, Int64Builder, ListBuilder, UInt8Builder};
    use arrow_array::{BinaryArray, Int64Array, LargeStringArray, StringViewArray};

    use super::super::{ReadOptions, Source};
    use super::*;
    use crate::input::arrow_table::testing::{CLAIMS, PUZZLES, batch_of, expected, texts};
    use crate::input::testing::{Reading, drain, drain_on};

    fn write(path: &Path, batch: &RecordBatch, properties: WriterProperties) {
        let file = File::create(path).expect("a temporary file");
        let mut writer =
            ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a schema it knows");
        writer.write(batch).expect("the disk takes it");
        writer.close().expect("the disk takes it");
    }

    fn temporary() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.parquet");
        (directory, path)
    }

    /// Reads a file in batches of several sizes, and on from each of them.
    fn read(path: &Path, options: &ReadOptions) -> Reading {
        let whole = drain(Source::open(path, options).expect("a column of puzzles"), 1 << 20);
        for target in [1, 7 * 81, 100 * 81] {
            let mut source = Source::open(path, options).expect("it opened before");
            let mut before = 0;
            while let Some(batch) = source.next_batch(Vec::new(), target).expect("whole") {
                if target > 1 {
                    let rest = Source::open_at(path, options, batch.position).expect("it opened before");
                    let rest = drain_on(rest, 1 << 20, batch.position.records);
                    assert_eq!((&*rest.records, rest.error.is_none()), (&whole.records[before..], true));
                }
                before += batch.records as usize;
            }
            assert_eq!(before, whole.records.len());
            let size = std::fs::metadata(path).expect("it is there").len();
            assert_eq!((source.raw_position(), source.hash().bytes()), (size, size));
            assert_eq!(source.hash().sha256().is_some(), options.hash);
        }
        whole
    }

    #[test]
    fn every_compression_encoding_and_size_of_groups_gives_the_same_rows() {
        let (_directory, path) = temporary();
        let batch = batch_of(&[
            ("id", Arc::new(Int64Array::from_iter_values(0..50))),
            ("puzzle", texts(PUZZLES, 50)),
            ("solution", texts(CLAIMS, 50)),
        ]);
        let compressions = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::BROTLI(BrotliLevel::default()),
            Compression::LZ4,
            Compression::LZ4_RAW,
            Compression::ZSTD(ZstdLevel::default()),
        ];
        for compression in compressions {
            for (group, dictionary, version) in [
                (7, true, WriterVersion::PARQUET_1_0),
                (50, false, WriterVersion::PARQUET_2_0),
                (1, false, WriterVersion::PARQUET_1_0),
            ] {
                let properties = WriterProperties::builder()
                    .set_compression(compression)
                    .set_max_row_group_row_count(Some(group))
                    .set_data_page_row_count_limit(5)
                    .set_write_batch_size(5)
                    .set_dictionary_enabled(dictionary)
                    .set_writer_version(version);
                write(&path, &batch, properties.build());
                let reading = read(&path, &ReadOptions { hash: group == 7, ..ReadOptions::default() });
                assert_eq!((reading.show(), reading.claims()), expected(50), "{compression:?} {group}");
            }
        }
        for encoding in [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
            let properties = WriterProperties::builder()
                .set_dictionary_enabled(false)
                .set_column_encoding("puzzle".into(), encoding);
            write(&path, &batch, properties.build());
            let reading = read(&path, &ReadOptions::default());
            assert_eq!((reading.show(), reading.claims()), expected(50), "{encoding}");
        }
    }

    #[test]
    fn texts_bytes_and_lists_of_any_type_are_puzzles() {
        let (_directory, path) = temporary();
        let text = |row: usize| PUZZLES[row % PUZZLES.len()];
        let all = || (0..20).map(text);
        let mut nested = ListBuilder::new(ListBuilder::new(Int64Builder::new()));
        let mut fixed = FixedSizeListBuilder::new(UInt8Builder::new(), 81);
        for text in all() {
            // What is no list of 81 numbers has no value.
            let digits = text.filter(|text| text.len() == 81 && !text.contains('q')).map(str::as_bytes);
            for row in digits.iter().flat_map(|digits| digits.chunks(9)) {
                row.iter().for_each(|digit| nested.values().values().append_value(i64::from(digit - b'0')));
                nested.values().append(true);
            }
            nested.append(digits.is_some());
            for at in 0..81 {
                fixed.values().append_option(digits.map(|digits| digits[at] - b'0'));
            }
            fixed.append(digits.is_some());
        }
        let columns: [(&str, ArrayRef); 6] = [
            ("text", texts(PUZZLES, 20)),
            ("large", Arc::new(LargeStringArray::from_iter(all()))),
            ("view", Arc::new(StringViewArray::from_iter(all()))),
            ("bytes", Arc::new(BinaryArray::from_iter(all()))),
            ("nested", Arc::new(nested.finish())),
            ("fixed", Arc::new(fixed.finish())),
        ];
        for (name, array) in columns {
            write(&path, &batch_of(&[("grid", array)]), WriterProperties::builder().build());
            let reading = read(&path, &ReadOptions::default());
            let (mut shown, _) = expected(20);
            if matches!(name, "nested" | "fixed") {
                for (row, show) in shown.iter_mut().enumerate().filter(|(_, show)| show.contains(':')) {
                    *show = format!("{}:1: 0 cells (expected 81)", row + 1);
                }
            }
            assert_eq!(reading.show(), shown, "{name}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_cost_their_row_alone() {
        let (_directory, path) = temporary();
        let mut rows: Vec<&[u8]> = vec![PUZZLES[0].expect("a puzzle").as_bytes(); 3];
        rows[1] = b"12\xff";
        // Written as text by somebody who did not look.
        let schema = "message m { required binary puzzle (STRING); }";
        let schema = Arc::new(::parquet::schema::parser::parse_message_type(schema).expect("a schema"));
        let file = File::create(&path).expect("a temporary file");
        let mut writer =
            ::parquet::file::writer::SerializedFileWriter::new(file, schema, Arc::default()).expect("a file");
        let mut group = writer.next_row_group().expect("a group");
        let mut column = group.next_column().expect("no error").expect("a column");
        let values: Vec<_> = rows.iter().map(|&row| row.to_vec().into()).collect();
        column
            .typed::<::parquet::data_type::ByteArrayType>()
            .write_batch(&values, None, None)
            .expect("written");
        column.close().expect("closed");
        group.close().expect("closed");
        writer.close().expect("closed");
        let show = read(&path, &ReadOptions::default()).show();
        assert_eq!(show[1], "2:3: invalid byte '\\xff' (expected 1-9, 0 or .)");
        assert_eq!((show.len(), &show[0]), (3, &show[2]));
    }

    #[test]
    fn damage_is_named_and_costs_no_row_before_it() {
        let (directory, path) = temporary();
        let batch = batch_of(&[("puzzle", texts(PUZZLES, 40))]);
        let properties = || {
            WriterProperties::builder()
                .set_max_row_group_row_count(Some(10))
                .set_compression(Compression::SNAPPY)
        };
        write(&path, &batch, properties().build());
        let whole = std::fs::read(&path).expect("it was written");
        let index = index_of(&Pages {
            file: Arc::new(File::open(&path).expect("it is there")),
            size: whole.len() as u64,
        });
        let start = index.expect("an index").metadata().row_group(2).column(0).byte_range().0 as usize;
        let damaged = [&whole[..start], &[0xff; 40], &whole[start + 40..]].concat();
        std::fs::write(&path, damaged).expect("a temporary file");
        let reading = drain(Source::open(&path, &ReadOptions::default()).expect("its index is whole"), 500);
        assert_eq!(reading.show(), expected(20).0);
        let error = reading.error.expect("it is damaged").to_string();
        assert!(error.contains("damaged Parquet: row group 3 of 4: "), "{error}");

        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("a temporary file");
            Source::open(&path, &ReadOptions::default()).expect_err("no index").to_string()
        };
        for cut in [4, 8, 11, 12, 100, whole.len() - 1] {
            assert!(error(&whole[..cut]).contains("cut off or not finished?"), "{cut}");
        }
        assert!(error(b"PARE1234").contains("encrypted"));
        let packed = zstd::encode_all(&*whole, 1).expect("memory takes it");
        assert!(error(&packed).contains("in compressed data; decompress it first"));
        let piped =
            Source::from_reader("-", io::Cursor::new(whole), &ReadOptions::default()).expect_err("a pipe");
        assert!(piped.to_string().contains("save it to a file"), "{piped}");
        drop(directory);
    }

    /// No byte of a file makes the program fail.
    #[test]
    fn changed_bytes_end_in_an_error_or_in_rows() {
        let (_directory, path) = temporary();
        let batch = batch_of(&[("puzzle", texts(PUZZLES, 9))]);
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
            let properties = WriterProperties::builder().set_compression(compression);
            write(&path, &batch, properties.set_max_row_group_row_count(Some(5)).build());
            let whole = std::fs::read(&path).expect("it was written");
            for at in (0..whole.len()).step_by(3) {
                for byte in [0, 0x7f, 0xff] {
                    let mut bytes = whole.clone();
                    bytes[at] = byte;
                    std::fs::write(&path, bytes).expect("a temporary file");
                    if let Ok(source) = Source::open(&path, &ReadOptions::default()) {
                        drain(source, 5000);
                    }
                }
            }
        }
    }
}
