//! Parquet: the rows of a table in columns, group by group.
//!
//! The index at the end of a file says where each group of rows lies, so only files can be read, and only the columns
//! that are needed are. Texts are read as bytes where they lie in their page, whether they are UTF-8 or not: what is
//! none costs its row alone. Groups are decompressed and decoded ahead, several at a time, on threads of their own, and
//! long groups in slices if no column has lists; they are handed out in order, a few thousand rows at a time, and making
//! grids of them is left to those who answer. What is damaged ends the file, with the rows before it read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::arrow::{ProjectionMask, parquet_to_arrow_schema};
use ::parquet::basic::{ConvertedType, Type as Physical};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ParquetMetaDataOptions, ParquetMetaDataReader};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::schema::types::{SchemaDescriptor, Type};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use arrow_select::concat::concat_batches;
use bytes::Bytes as PageBytes;

use super::arrow_table::{RecordBatches, find_columns, opened};
use super::binary::{BinaryInput, BinaryRows, Bytes, Watched, read_at, read_exact_at};
use super::chosen::ROWS_LOOKED_AT;
use super::{InputError, isolated};

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
    // Of the types that are Arrow's alone, numbers that are durations have another text.
    let file = index.file_metadata();
    let arrow = parquet_to_arrow_schema(file.schema_descr(), file.key_value_metadata()).ok();
    let views = types.schema().fields().iter().enumerate().map(|(at, field)| {
        let of_arrow = arrow.as_ref().and_then(|schema| Some(schema.fields().get(at)?.data_type()));
        let kind = match (field.data_type(), of_arrow) {
            (DataType::Binary, _) => DataType::BinaryView,
            (DataType::Int64, Some(duration @ DataType::Duration(_))) => duration.clone(),
            _ => return Arc::clone(field),
        };
        Arc::new(field.as_ref().clone().with_data_type(kind))
    });
    let views = Arc::new(Schema::new(views.collect::<Vec<_>>()));
    ArrowReaderMetadata::try_new(index, ArrowReaderOptions::new().with_schema(views))
}

/// Opens a file and finds its columns.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let BinaryInput { name, from, options, .. } = input;
    let mut groups = groups(input)?;
    let schema = Arc::clone(groups.table.index.schema());
    let chosen = find_columns(name, &schema, options, from, |columns| groups.look(columns))?;
    if !groups.skip_to(from.records) {
        return Err(InputError::Shorter { name: name.to_owned(), offset: from.offset });
    }
    Ok(opened(name, groups, &schema, chosen, from, from.records))
}

/// The row groups of a file, as its index has them.
fn groups(input: BinaryInput<'_>) -> Result<Groups, InputError> {
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
    let table = Table { pages, index, columns: Vec::new() };
    let threads = options.threads.or_else(|| thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get).min(MOST_AHEAD);
    let (name, next, ahead) = (name.to_owned(), (0, 0), VecDeque::new());
    Ok(Groups { name, watched, table, threads, sizes, next, ahead, done: 0 })
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
    /// What is wrong with the piece that starts there.
    damage: Option<String>,
}

impl Iterator for Pieces {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.rows.count > 0 {
            let at_once = if self.damage.is_none() { PIECE } else { 1 };
            let reader = &mut self.reader;
            let (table, rows) = (&self.table, &self.rows);
            let read = isolated(|| {
                let reader = match reader {
                    Some(reader) => reader,
                    None => reader.insert(table.reader(rows, at_once).map_err(|error| reason(&error))?),
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
                Err(reason) if self.damage.is_none() => (self.damage, self.reader) = (Some(reason), None),
                Err(reason) => {
                    self.rows.count = 0;
                    return Some(Err(reason));
                }
            }
        }
        None
    }
}

/// Pieces as they come.
enum Coming {
    /// Decoded here.
    Here(Pieces),
    /// Decoded on a thread.
    Ahead(Receiver<Result<RecordBatch, String>>),
}

impl Iterator for Coming {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Here(pieces) => pieces.next(),
            Self::Ahead(pieces) => pieces.recv().ok(),
        }
    }
}

/// The row groups of a file, in order.
struct Groups {
    name: String,
    watched: Watched,
    table: Table,
    /// Threads that decode ahead; one is that which reads.
    threads: usize,
    /// Rows of each group.
    sizes: Vec<u64>,
    /// Where the rows start that are not taken up yet: their group, and the rows of it before them.
    next: (usize, u64),
    /// The rows that are being decoded, with their group.
    ahead: VecDeque<(usize, Coming)>,
    /// Rows that were read, or left out.
    done: u64,
}

impl Groups {
    /// The first rows of some columns.
    fn look(&self, columns: &[usize]) -> Result<Vec<ArrayRef>, InputError> {
        let Some(group) = self.sizes.iter().position(|&rows| rows > 0).filter(|_| !columns.is_empty()) else {
            return Ok(Vec::new());
        };
        let table = Table { columns: columns.to_vec(), ..self.table.clone() };
        let count = self.sizes[group].min(ROWS_LOOKED_AT as u64);
        let rows = GroupRows { group, from: 0, count };
        let pieces: Vec<_> = Pieces { table, rows, reader: None, damage: None }.collect();
        // What is damaged behind the first rows shows when they are read.
        let batches: Vec<_> = pieces.iter().flatten().collect();
        match (batches.first(), pieces.last()) {
            (Some(first), _) => match concat_batches(&first.schema(), batches) {
                Ok(batch) => Ok(batch.columns().to_vec()),
                Err(error) => Err(self.damaged_group(group, &error.to_string())),
            },
            (None, Some(Err(reason))) => Err(self.damaged_group(group, reason)),
            (None, _) => Ok(Vec::new()),
        }
    }

    /// Leaves out the rows before one of them; whether there are so many.
    fn skip_to(&mut self, row: u64) -> bool {
        let mut before = 0_u64;
        for (group, &rows) in self.sizes.iter().enumerate() {
            let end = before.saturating_add(rows);
            if row < end {
                self.next = (group, row - before);
                self.done = row;
                return true;
            }
            before = end;
        }
        (self.next, self.done) = ((self.sizes.len(), 0), row);
        before == row
    }

    /// Starts to decode rows until there are enough ahead.
    fn run_ahead(&mut self) {
        let all = self.sizes.iter().fold(0_u64, |all, &rows| all.saturating_add(rows));
        let slice = if self.table.is_flat() { SLICE } else { u64::MAX };
        while self.ahead.len() < self.threads
            && let (group, from) = self.next
            && let Some(&size) = self.sizes.get(group)
        {
            let count = (size - from).min(slice);
            self.next = if from + count < size { (group, from + count) } else { (group + 1, 0) };
            let rows = GroupRows { group, from, count };
            let pieces = || Pieces { table: self.table.clone(), rows, reader: None, damage: None };
            let (sender, receiver) = sync_channel(1);
            let mut decoded = pieces();
            // Whoever takes no more ends it. A short file is read at once, and any by one thread if there is no more.
            let work = move || _ = decoded.try_for_each(|piece| sender.send(piece));
            let is_started = self.threads > 1
                && all > PIECE as u64
                && thread::Builder::new().name("parquet".to_owned()).spawn(work).is_ok();
            let coming = if is_started { Coming::Ahead(receiver) } else { Coming::Here(pieces()) };
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
        let all = self.sizes.iter().fold(0_u64, |all, &rows| all.saturating_add(rows));
        let share = u128::from(self.watched.size) * u128::from(self.done) / u128::from(all.max(1));
        let offset = if self.done >= all { self.watched.size } else { share as u64 };
        let failed = |source| InputError::Read { name: self.name.clone(), offset, source };
        self.watched.see_to(offset).map_err(failed)
    }
}

impl RecordBatches for Groups {
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
    use ::parquet::file::properties::{WriterProperties, WriterVersion};
    use arrow_array::builder::{
        FixedSizeListBuilder, Float64Builder, Int64Builder, ListBuilder, PrimitiveBuilder, StringBuilder,
        UInt8Builder,
    };
    use arrow_array::types::Float16Type;
    use arrow_array::{
        ArrowPrimitiveType, BinaryArray, DurationMicrosecondArray, Int64Array, LargeStringArray, StringArray,
        StringViewArray,
    };

    use super::super::{Position, ReadOptions, Source};
    use super::*;
    use crate::input::arrow_table::testing::{CLAIMS, PUZZLES, batch_of, expected, texts};
    use crate::input::testing::{Reading, drain, drain_on};
    use crate::input::values::CarriedColumn;
    use crate::record::{Records, Want};

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
        let mut minus = ListBuilder::new(Int64Builder::new());
        let mut floats = ListBuilder::new(Float64Builder::new());
        let mut characters = ListBuilder::new(StringBuilder::new());
        let mut rows = ListBuilder::new(StringBuilder::new());
        let mut halves = ListBuilder::new(PrimitiveBuilder::<Float16Type>::new());
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
            // Other ways to write a blank: -1, NaN, a character.
            for digit in digits.into_iter().flatten().map(|digit| digit - b'0') {
                minus.values().append_value(if digit == 0 { -1 } else { i64::from(digit) });
                floats.values().append_value(if digit == 0 { f64::NAN } else { f64::from(digit) });
                halves.values().append_value(<Float16Type as ArrowPrimitiveType>::Native::from(digit));
                characters.values().append_value(if digit == 0 { ".".to_owned() } else { digit.to_string() });
            }
            minus.append(digits.is_some());
            floats.append(digits.is_some());
            characters.append(digits.is_some());
            halves.append(digits.is_some());
            for row in digits.iter().flat_map(|digits| digits.chunks(9)) {
                rows.values().append_value(row.escape_ascii().to_string());
            }
            rows.append(digits.is_some());
        }
        let columns: [(&str, ArrayRef); 11] = [
            ("text", texts(PUZZLES, 20)),
            ("large", Arc::new(LargeStringArray::from_iter(all()))),
            ("view", Arc::new(StringViewArray::from_iter(all()))),
            ("bytes", Arc::new(BinaryArray::from_iter(all()))),
            ("nested", Arc::new(nested.finish())),
            ("fixed", Arc::new(fixed.finish())),
            ("minus", Arc::new(minus.finish())),
            ("floats", Arc::new(floats.finish())),
            ("characters", Arc::new(characters.finish())),
            ("rows", Arc::new(rows.finish())),
            ("halves", Arc::new(halves.finish())),
        ];
        // Half a number is no digit, nor is 0 one where -1 is a blank.
        for (mut cells, expected) in
            [(vec![0.0; 81], "1:41: number '0.5'"), (vec![-1.0; 81], "1:1: number '-1'")]
        {
            cells[40] = (cells[0] + 1.0) / 2.0;
            let mut odd = ListBuilder::new(Float64Builder::new());
            odd.values().append_slice(&cells);
            odd.append(true);
            let batch = batch_of(&[("puzzle", Arc::new(odd.finish()))]);
            write(&path, &batch, WriterProperties::builder().build());
            let shown = read(&path, &ReadOptions::default()).show();
            assert!(shown[0].starts_with(expected), "{shown:?}");
        }
        for (name, array) in columns {
            write(&path, &batch_of(&[("grid", array)]), WriterProperties::builder().build());
            let reading = read(&path, &ReadOptions::default());
            let (mut shown, _) = expected(20);
            if !matches!(name, "text" | "large" | "view" | "bytes") {
                for (row, show) in shown.iter_mut().enumerate().filter(|(_, show)| show.contains(':')) {
                    *show = format!("{}:1: 0 cells (expected 81)", row + 1);
                }
            }
            assert_eq!(reading.show(), shown, "{name}");
        }
    }

    /// What was taken for numbers is lost, and the solutions beside it are no puzzles.
    #[test]
    fn puzzles_that_were_taken_for_numbers_are_named_and_solutions_are_not_solved() {
        let (_directory, path) = temporary();
        for number in [
            Arc::new(arrow_array::Float64Array::from(vec![4.3e78, 1e80])) as ArrayRef,
            Arc::new(Int64Array::from(vec![1, 2])),
        ] {
            let kind = number.data_type().to_string();
            let batch = batch_of(&[("quizzes", number), ("solutions", texts(CLAIMS, 2))]);
            write(&path, &batch, WriterProperties::default());
            for claims in [false, true] {
                let options = ReadOptions { claims, ..ReadOptions::default() };
                let error = Source::open(&path, &options).expect_err("numbers").to_string();
                assert!(error.contains("column 'quizzes': ") && error.contains(&kind), "{error}");
            }
        }
    }

    /// Parquet has no such type; Arrow's stands beside it.
    #[test]
    fn a_duration_has_its_unit_as_in_arrow() {
        let (_directory, path) = temporary();
        let took: ArrayRef = Arc::new(DurationMicrosecondArray::from(vec![Some(1), None]));
        let batch = batch_of(&[("puzzle", texts(PUZZLES, 2)), ("took", Arc::clone(&took))]);
        write(&path, &batch, WriterProperties::default());
        let mut source = Source::open(&path, &ReadOptions::default()).expect("a column of puzzles");
        source.carry(&[Some(1)]);
        let mut records = Records::default();
        let batch = source.next_batch(Vec::new(), 1 << 20).expect("whole").expect("two rows");
        batch.read(Want::default(), &mut records);
        let texts = |row| records.carried[0].get(row);
        assert_eq!([texts(0), texts(1)], [Some("1\u{b5}s".as_bytes()), None]);
        assert_eq!(took.text(0, &mut String::new()), texts(0));
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

    #[test]
    fn damage_in_a_group_costs_no_page_before_it() {
        let (_directory, path) = temporary();
        let batch = batch_of(&[("puzzle", texts(PUZZLES, 40))]);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let properties = properties.set_data_page_row_count_limit(5).set_write_batch_size(5);
        write(&path, &batch, properties.set_dictionary_enabled(false).build());
        let mut bytes = std::fs::read(&path).expect("it was written");
        let pages =
            Pages { file: Arc::new(File::open(&path).expect("it is there")), size: bytes.len() as u64 };
        let (start, length) =
            index_of(&pages).expect("an index").metadata().row_group(0).column(0).byte_range();
        let middle = (start + length / 2) as usize;
        bytes[middle..middle + 60].fill(0xff);
        std::fs::write(&path, bytes).expect("a temporary file");
        let reading = drain(Source::open(&path, &ReadOptions::default()).expect("its index is whole"), 500);
        let rows = reading.records.len();
        assert!((10..=25).contains(&rows) && rows.is_multiple_of(5), "{rows}");
        assert_eq!(reading.show(), expected(rows).0);
        assert!(reading.error.is_some_and(|error| error.to_string().contains("row group 1 of 1: ")));
    }

    #[test]
    fn long_groups_are_read_in_slices_and_in_order() {
        let (_directory, path) = temporary();
        let rows = SLICE as usize + 3 * PIECE + 5;
        let text = |row: usize| format!("{row:081}");
        let puzzles: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(text)));
        for (group, dictionary) in [(rows, true), (50_000, false)] {
            let properties = WriterProperties::builder().set_dictionary_enabled(dictionary);
            let properties = properties.set_max_row_group_row_count(Some(group));
            write(&path, &batch_of(&[("puzzle", Arc::clone(&puzzles))]), properties.build());
            for before in [0, SLICE as usize - 7] {
                let at = Position { records: before as u64, ..Position::START };
                let mut source = Source::open_at(&path, &ReadOptions::default(), at).expect("puzzles");
                let (mut records, mut row) = (Records::default(), before);
                while let Some(batch) = source.next_batch(Vec::new(), 1 << 20).expect("whole") {
                    batch.read(Want::default(), &mut records);
                    for grid in records.puzzles() {
                        assert_eq!(grid.to_string().replace('.', "0"), text(row));
                        row += 1;
                    }
                }
                assert_eq!(row, rows);
            }
        }
    }

    #[test]
    fn one_thread_starts_no_others_and_several_give_the_same_rows() {
        let (_directory, path) = temporary();
        let rows = 3 * PIECE;
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(PIECE));
        write(&path, &batch_of(&[("puzzle", texts(PUZZLES, rows))]), properties.build());
        let reading = |threads: usize| {
            let options = ReadOptions { threads: NonZeroUsize::new(threads), ..ReadOptions::default() };
            let file = File::open(&path).expect("it is there");
            let hash = crate::input::Hash::new(false);
            let input = BinaryInput {
                name: "t",
                bytes: Bytes::File(file),
                from: Position::START,
                options: &options,
                hash: &hash,
            };
            let mut groups = groups(input).expect("a file");
            groups.choose(vec![0]);
            groups.run_ahead();
            let ahead = groups.ahead.iter().map(|(_, coming)| matches!(coming, Coming::Ahead(_)));
            let source = Source::open(&path, &options).expect("it is there");
            (ahead.collect::<Vec<_>>(), drain(source, 1 << 20).records)
        };
        let (one, three) = (reading(1), reading(3));
        assert_eq!((one.0, three.0), (vec![false], vec![true; 3]));
        assert!(one.1 == three.1 && one.1.len() == rows);
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
                    if let Ok(mut source) = Source::open(&path, &ReadOptions::default()) {
                        source.carry(&[Some(0)]);
                        drain(source, 5000);
                    }
                }
            }
        }
    }
}
