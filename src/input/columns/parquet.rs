//! Parquet: the rows of a table in columns, group by group.
//!
//! The index at the end of a file says where each group of rows lies, so only files can be read, and only the columns
//! that are needed are. Texts are read as bytes where they lie in their page, whether they are UTF-8 or not: what is
//! none costs its row alone. Groups are decompressed and decoded ahead, several at a time, on threads of their own, and
//! long groups in slices if no column has lists; they are handed out in order, a few thousand rows at a time, and making
//! grids of them is left to those who answer. What is damaged ends the file, with the rows before it read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::basic::{ConvertedType, Type as Physical};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ParquetMetaDataOptions, ParquetMetaDataReader};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::schema::types::{SchemaDescriptor, Type};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use bytes::Bytes as PageBytes;

use super::opened::{BinaryInput, BinaryRows, Bytes};
use super::table::{self, RecordBatches};
use super::watched::{Behind, Watched};
use crate::input::names::ROWS_LOOKED_AT;
use crate::input::{Framing, InputError, isolated};

/// Rows that are decoded at once.
const PIECE: usize = 16 << 10;

/// Rows of a slice of a group: so many that what a group has in common, a page of all its values, is little beside.
const SLICE: u64 = 8 * PIECE as u64;

/// Groups or slices that are decoded ahead; each takes the memory of a few pieces and of a page a column.
const MOST_AHEAD: usize = 8;

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
    type T = BufReader<Behind>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(Behind { file: Arc::clone(&self.file), offset: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<PageBytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.size) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} of a file of {}", self.size)));
        }
        let mut bytes = vec![0; length];
        Behind { file: Arc::clone(&self.file), offset: start }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// What the index of a file says, with texts as bytes.
fn index_of(pages: &Pages) -> ParquetResult<ArrowReaderMetadata> {
    let index = ParquetMetaDataReader::new().parse_and_finish(pages)?;
    let schema = index.file_metadata().schema_descr().root_schema();
    let fields = schema.get_fields().iter().map(|field| {
        let is_bytes = field.is_primitive() && field.get_physical_type() == Physical::BYTE_ARRAY;
        let is_text = is_bytes && field.get_basic_info().converted_type() != ConvertedType::DECIMAL;
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
    let (name, options) = (input.name, input.options);
    let groups = groups(input)?;
    let schema = Arc::clone(groups.table.index.schema());
    table::open(name, Framing::Parquet, &schema, options, groups)
}

/// The row groups of a file, as its index has them.
fn groups(input: BinaryInput<'_>) -> Result<Groups, InputError> {
    let BinaryInput { name, bytes, options, hash } = input;
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
    let watched = Watched::new(file, hash, options.hash).map_err(failed)?;
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
    let table = Table { pages, index, columns: Vec::new() };
    let threads = options.threads.or_else(|| thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get).min(MOST_AHEAD);
    let all = sizes.iter().fold(0_u64, |all, &rows| all.saturating_add(rows));
    let (name, next, ahead) = (name.to_owned(), (0, 0), VecDeque::new());
    Ok(Groups { name, watched, table, threads, sizes, all, next, ahead, done: 0 })
}

/// What the reader of Parquet says, on one line.
fn reason(error: &ParquetError) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What it takes to read rows of a file.
#[derive(Clone)]
struct Table {
    pages: Pages,
    index: ArrowReaderMetadata,
    /// The columns that are read.
    columns: Vec<usize>,
}

impl Table {
    /// Reads rows of a group, so many at a time.
    fn reader(&self, rows: &GroupRows, at_once: usize) -> ParquetResult<ParquetRecordBatchReader> {
        let pages = self.pages.clone();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(pages, self.index.clone());
        let columns = ProjectionMask::roots(self.index.parquet_schema(), self.columns.iter().copied());
        let length = |rows| usize::try_from(rows).unwrap_or(usize::MAX);
        builder
            .with_projection(columns)
            .with_row_groups(vec![rows.group])
            .with_batch_size(at_once)
            .with_offset(length(rows.from))
            .with_limit(length(rows.count))
            .build()
    }

    /// Whether rows in the middle of a group can be read without those before them: no column has lists.
    fn is_flat(&self) -> bool {
        let schema = self.index.parquet_schema();
        let mut leaves = (0..schema.num_columns())
            .filter(|&leaf| self.columns.contains(&schema.get_column_root_idx(leaf)));
        leaves.all(|leaf| schema.column(leaf).max_rep_level() == 0)
    }
}

/// Some rows of a group.
#[derive(Clone, Copy, Debug)]
struct GroupRows {
    group: usize,
    /// Rows of the group before them.
    from: u64,
    count: u64,
}

/// Rows that are decoded piece by piece. Where a piece is damaged, its rows are tried one by one up to the damage.
struct Pieces {
    table: Table,
    /// What is still to be read.
    rows: GroupRows,
    reader: Option<ParquetRecordBatchReader>,
    /// How many of them are decoded at once.
    at_once: usize,
}

impl Pieces {
    /// Rows that nobody read yet.
    const fn new(table: Table, rows: GroupRows) -> Self {
        Self { table, rows, reader: None, at_once: PIECE }
    }
}

impl Iterator for Pieces {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.rows.count > 0 {
            let (table, rows, reader) = (&self.table, &self.rows, &mut self.reader);
            let read = isolated(|| {
                let reader = match reader {
                    Some(reader) => reader,
                    None => reader.insert(table.reader(rows, self.at_once).map_err(|error| reason(&error))?),
                };
                let batch = reader.next().transpose().map_err(|error| error.to_string())?;
                batch.ok_or_else(|| format!("it has {} rows less than the index promises", rows.count))
            });
            match read.unwrap_or_else(|panicked| Err(panicked.message)) {
                Ok(batch) => {
                    let read = (batch.num_rows() as u64).min(self.rows.count);
                    self.rows =
                        GroupRows { from: self.rows.from + read, count: self.rows.count - read, ..self.rows };
                    return Some(Ok(batch));
                }
                Err(_) if self.at_once > 1 => (self.at_once, self.reader) = (1, None),
                Err(reason) => {
                    self.rows.count = 0;
                    return Some(Err(reason));
                }
            }
        }
        None
    }
}

/// Pieces as they come, decoded here or on a thread.
type Coming = Box<dyn Iterator<Item = Result<RecordBatch, String>> + Send>;

/// The row groups of a file, in order.
struct Groups {
    name: String,
    watched: Watched,
    table: Table,
    /// Threads that decode ahead; one is that which reads.
    threads: usize,
    /// Rows of each group.
    sizes: Vec<u64>,
    /// Rows of all of them.
    all: u64,
    /// Where the rows start that are not taken up yet: their group, and the rows of it before them.
    next: (usize, u64),
    /// The rows that are being decoded, with their group.
    ahead: VecDeque<(usize, Coming)>,
    /// Rows that were read.
    done: u64,
}

impl Groups {
    /// Starts to decode rows until there are enough ahead.
    fn run_ahead(&mut self) {
        let slice = if self.table.is_flat() { SLICE } else { u64::MAX };
        while self.ahead.len() < self.threads
            && let (group, from) = self.next
            && let Some(&size) = self.sizes.get(group)
        {
            let count = (size - from).min(slice);
            self.next = if from + count < size { (group, from + count) } else { (group + 1, 0) };
            let rows = GroupRows { group, from, count };
            let pieces = || Pieces::new(self.table.clone(), rows);
            let (sender, receiver) = sync_channel(1);
            let mut decoded = pieces();
            // Whoever takes no more ends it. A short file is read at once, and any by one thread if there is no more.
            let work = move || _ = decoded.try_for_each(|piece| sender.send(piece));
            let is_started = self.threads > 1
                && self.all > PIECE as u64
                && thread::Builder::new().name("parquet".to_owned()).spawn(work).is_ok();
            let coming: Coming = if is_started { Box::new(receiver.into_iter()) } else { Box::new(pieces()) };
            self.ahead.push_back((group, coming));
        }
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
        let share = u128::from(self.watched.size) * u128::from(self.done) / u128::from(self.all.max(1));
        let offset =
            if self.done >= self.all { self.watched.size } else { u64::try_from(share).unwrap_or(u64::MAX) };
        let failed = |source| InputError::Read { name: self.name.clone(), offset, source };
        self.watched.see_to(offset).map_err(failed)
    }
}

impl RecordBatches for Groups {
    fn look(&mut self, columns: &[usize]) -> Result<Vec<ArrayRef>, InputError> {
        let Some(group) = self.sizes.iter().position(|&rows| rows > 0).filter(|_| !columns.is_empty()) else {
            return Ok(Vec::new());
        };
        let table = Table { columns: columns.to_vec(), ..self.table.clone() };
        let count = self.sizes[group].min(ROWS_LOOKED_AT as u64);
        let rows = GroupRows { group, from: 0, count };
        // What is damaged behind the first rows shows when they are read.
        match Pieces::new(table, rows).next() {
            Some(Ok(batch)) => Ok(batch.columns().to_vec()),
            Some(Err(reason)) => Err(self.damaged_group(group, &reason)),
            None => Ok(Vec::new()),
        }
    }

    fn choose(&mut self, columns: Vec<usize>) {
        self.table.columns = columns;
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, InputError> {
        loop {
            self.run_ahead();
            let Some((group, pieces)) = self.ahead.front_mut() else {
                self.see()?;
                return Ok(None);
            };
            match pieces.next() {
                Some(Ok(batch)) => {
                    self.done += batch.num_rows() as u64;
                    self.see()?;
                    return Ok(Some(batch));
                }
                Some(Err(reason)) => {
                    let group = *group;
                    return Err(self.damaged_group(group, &reason));
                }
                None => _ = self.ahead.pop_front(),
            }
        }
    }

    fn damaged(&mut self, reason: String) -> InputError {
        self.damaged_group(self.ahead.front().map_or(0, |&(group, _)| group), &reason)
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
    use ::parquet::data_type::ByteArrayType;
    use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
    use ::parquet::file::writer::SerializedFileWriter;
    use arrow_array::{Int64Array, StringArray};

    use super::super::testing::arrow::{CLAIMS, PUZZLES, batch_of, expected, texts};
    use super::super::testing::{Reading, drain, open_file, read_file, read_pipe};
    use super::*;
    use crate::input::{Hash, ReadOptions};

    fn write(path: &Path, batch: &RecordBatch, properties: WriterPropertiesBuilder) {
        let file = File::create(path).expect("a temporary file");
        let mut writer =
            ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).expect("a schema it knows");
        writer.write(batch).expect("the disk takes it");
        writer.close().expect("the disk takes it");
    }

    fn temporary() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.parquet");
        (directory, path)
    }

    /// Reads a file in blocks of several sizes.
    fn read(path: &Path) -> Reading {
        let options = ReadOptions { hash: true, ..ReadOptions::default() };
        let whole = read_file(path, &options, 1 << 20).expect("a column of puzzles");
        let size = std::fs::metadata(path).expect("it is there").len();
        assert!(whole.error.is_some() || whole.seen == (size, true));
        for target in [1, 7 * 81] {
            assert_eq!(read_file(path, &options, target).expect("it opened before"), whole);
        }
        whole
    }

    fn open_error(path: &Path, bytes: &[u8]) -> String {
        std::fs::write(path, bytes).expect("a temporary file");
        read_file(path, &ReadOptions::default(), 1).expect_err("no index")
    }

    #[test]
    fn every_compression_encoding_and_size_of_groups_gives_the_same_rows() {
        let (_directory, path) = temporary();
        let batch = batch_of(&[
            ("id", Arc::new(Int64Array::from_iter_values(0..50))),
            ("puzzle", texts(PUZZLES, 50)),
            ("solution", texts(CLAIMS, 50)),
        ]);
        let check = |properties: WriterPropertiesBuilder, what: &str| {
            write(&path, &batch, properties);
            let reading = read(&path);
            assert_eq!(
                (reading.puzzles, reading.claims, reading.error),
                {
                    let (puzzles, claims) = expected(50);
                    (puzzles, claims, None)
                },
                "{what}"
            );
        };
        let plain = || WriterProperties::builder().set_dictionary_enabled(false);
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::BROTLI(BrotliLevel::default()),
            Compression::LZ4,
            Compression::LZ4_RAW,
            Compression::ZSTD(ZstdLevel::default()),
        ] {
            for (group, dictionary, version) in [
                (7, true, WriterVersion::PARQUET_1_0),
                (50, false, WriterVersion::PARQUET_2_0),
                (1, false, WriterVersion::PARQUET_1_0),
            ] {
                let properties = plain().set_compression(compression).set_dictionary_enabled(dictionary);
                let properties =
                    properties.set_max_row_group_row_count(Some(group)).set_writer_version(version);
                let properties = properties.set_data_page_row_count_limit(5).set_write_batch_size(5);
                check(properties, &format!("{compression:?} {group}"));
            }
        }
        for encoding in [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
            check(plain().set_column_encoding("puzzle".into(), encoding), &encoding.to_string());
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
        let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).expect("a file");
        let mut group = writer.next_row_group().expect("a group");
        let mut column = group.next_column().expect("no error").expect("a column");
        let values: Vec<_> = rows.iter().map(|&row| row.to_vec().into()).collect();
        column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("written");
        column.close().expect("closed");
        group.close().expect("closed");
        writer.close().expect("closed");
        let puzzles = read(&path).puzzles;
        assert_eq!(puzzles[1], "2:3: invalid byte '\\xff' (expected 1-9, 0 or .)");
        assert_eq!((puzzles.len(), &puzzles[0]), (3, &puzzles[2]));
    }

    #[test]
    fn damage_is_named_and_costs_no_group_and_no_page_before_it() {
        let (_directory, path) = temporary();
        let batch = batch_of(&[("puzzle", texts(PUZZLES, 40))]);
        let properties = || WriterProperties::builder().set_compression(Compression::SNAPPY);
        let damage = |group: usize, part: u64| {
            let mut bytes = std::fs::read(&path).expect("it was written");
            let file = Arc::new(File::open(&path).expect("it is there"));
            let index = index_of(&Pages { file, size: bytes.len() as u64 }).expect("an index");
            let (start, length) = index.metadata().row_group(group).column(0).byte_range();
            let start = usize::try_from(start + length * part / 2).expect("a short file");
            bytes[start..start + 40].fill(0xff);
            std::fs::write(&path, bytes).expect("a temporary file");
            read(&path)
        };
        write(&path, &batch, properties().set_max_row_group_row_count(Some(10)));
        let whole = std::fs::read(&path).expect("it was written");
        let reading = damage(2, 0);
        assert_eq!(reading.puzzles, expected(20).0);
        assert!(reading.error.expect("damage").contains("damaged Parquet: row group 3 of 4: "));
        let pages = properties().set_data_page_row_count_limit(5).set_write_batch_size(5);
        write(&path, &batch, pages.set_dictionary_enabled(false));
        let reading = damage(0, 1);
        let rows = reading.puzzles.len();
        assert!((10..=25).contains(&rows) && rows.is_multiple_of(5), "{rows}");
        assert_eq!(reading.puzzles, expected(rows).0);
        assert!(reading.error.expect("damage").contains("row group 1 of 1: "));
        for cut in [4, 8, 11, 12, 100, whole.len() - 1] {
            assert!(open_error(&path, &whole[..cut]).contains("cut off or not finished?"), "{cut}");
        }
        assert!(open_error(&path, b"PARE1234").contains("encrypted"));
        let packed = zstd::encode_all(&*whole, 1).expect("memory takes it");
        assert!(
            read_pipe(&packed, 1).expect_err("packed").contains("in compressed data; decompress it first")
        );
        assert!(read_pipe(&whole, 1).expect_err("a pipe").contains("save it to a file"));
    }

    #[test]
    fn long_groups_are_read_in_slices_and_in_order_on_any_number_of_threads() {
        let (_directory, path) = temporary();
        let rows = usize::try_from(SLICE).expect("not many") + 3;
        let text = |row: usize| format!("{row:081}");
        let puzzles: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(text)));
        let batch = batch_of(&[("puzzle", puzzles)]);
        for (group, dictionary, threads) in [(rows, true, 1), (50_000, false, 3)] {
            let properties = WriterProperties::builder().set_dictionary_enabled(dictionary);
            write(&path, &batch, properties.set_max_row_group_row_count(Some(group)));
            let options = ReadOptions { threads: NonZeroUsize::new(threads), ..ReadOptions::default() };
            let (bytes, hash) = (Bytes::File(File::open(&path).expect("it is there")), Hash::new(false));
            let input = BinaryInput { name: "t", bytes, options: &options, hash: &hash };
            let mut groups = groups(input).expect("a file");
            groups.choose(vec![0]);
            groups.run_ahead();
            assert_eq!(groups.ahead.len(), threads);
            let mut row = 0;
            while let Some(batch) = groups.next().expect("whole") {
                let texts = arrow_array::cast::AsArray::as_binary_view(batch.column(0));
                texts.iter().for_each(|found| {
                    assert_eq!(found, Some(text(row).as_bytes()));
                    row += 1;
                });
            }
            assert_eq!(row, rows);
        }
    }

    /// No byte of a file makes the program fail.
    #[test]
    fn changed_bytes_end_in_an_error_or_in_rows() {
        let (_directory, path) = temporary();
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let properties = properties.set_max_row_group_row_count(Some(5));
        write(&path, &batch_of(&[("puzzle", texts(PUZZLES, 9))]), properties);
        let whole = std::fs::read(&path).expect("it was written");
        for at in (4..whole.len()).step_by(7) {
            for byte in [0, 0x7f, 0xff] {
                let (mut bytes, hash) = (whole.clone(), Hash::new(false));
                bytes[at] = byte;
                std::fs::write(&path, bytes).expect("a temporary file");
                if let Ok(opened) = open_file(&path, &ReadOptions::default(), &hash) {
                    drain(opened, 5000, &[Some(0)], &hash);
                }
            }
        }
    }
}
