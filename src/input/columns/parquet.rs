//! Parquet: the rows of a table, stored by column in row groups.
//!
//! The index at the end of a file gives the position of each row group, so only files can be read, not pipes. Only the
//! columns that are needed are read. Several groups at a time are decoded ahead on other threads; long groups are split
//! into slices if no column has lists. The rows are handed out in order, a few thousand at a time, and tasks turn them
//! into grids. If the data is damaged, the input ends after the last good piece.
//!
//! The libraries panic on damaged data, so they are isolated in the same way as jobs. Because a file is not read in
//! sequence, it is read a second time, in parallel, to compute its hash.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::{iter, thread};

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::RowGroupMetaData;
use ::parquet::file::reader::{ChunkReader, Length};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use bytes::Bytes as PageBytes;

use super::table::{self, Reason, RecordBatches, unless_it_panics};
use super::{BinaryInput, BinaryRows, Bytes};
use crate::input::hash::Hash;
use crate::input::names::ROWS_LOOKED_AT;
use crate::input::{Framing, InputError};

/// The number of rows to decode at a time.
const PIECE: usize = 16 << 10;

/// The number of rows in a slice of a group. It is large because decoding a slice has a fixed cost: a whole page of
/// values.
const SLICE: usize = 8 * PIECE;

/// The most groups or slices to decode ahead. Each takes memory for a few pieces, plus one page per column.
const MOST_AHEAD: usize = 8;

/// A file that can be read at any position, or from an offset onwards, even by several readers at once.
#[derive(Clone, Debug)]
struct Pages {
    file: Arc<File>,
    size: u64,
    offset: u64,
}

impl Pages {
    /// Returns a reader that starts at an offset.
    fn behind(&self, offset: u64) -> Self {
        Self { offset, ..self.clone() }
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Pages {
    type T = BufReader<Self>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(self.behind(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<PageBytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.size) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} of a file of {}", self.size)));
        }
        let mut bytes = vec![0; length];
        self.behind(start).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

impl Read for Pages {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&*self.file, buffer, self.offset)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// Reads the index of a file. Strings and bytes are requested as views, so they are read directly from their page.
fn index_of(pages: &Pages) -> ParquetResult<ArrowReaderMetadata> {
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let index = ArrowReaderMetadata::load(pages, plain)?;
    let views = index.schema().fields().iter().map(|field| {
        let view = match field.data_type() {
            DataType::Utf8 => DataType::Utf8View,
            DataType::Binary => DataType::BinaryView,
            other => other.clone(),
        };
        field.as_ref().clone().with_data_type(view)
    });
    let views = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(views.collect::<Vec<_>>())));
    ArrowReaderMetadata::try_new(Arc::clone(index.metadata()), views)
}

/// Opens a file and finds its columns.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let (name, options) = (input.name, input.options);
    let groups = groups(input)?;
    let schema = Arc::clone(groups.table.index.schema());
    table::open(name, Framing::Parquet, &schema, options, groups, |groups| {
        let table = groups.table.clone();
        let columns: Vec<usize> = (0..schema.fields().len()).collect();
        let Some(first) = table.slices(&columns).next() else { return Ok(None) };
        // Damage after the first rows will be noticed when those rows are read.
        let first = Slice { count: first.count.min(ROWS_LOOKED_AT), ..first };
        table.pieces(columns, first).next().transpose()
    })
}

/// Returns the row groups listed in the index of a file.
fn groups(input: BinaryInput<'_>) -> Result<Groups, InputError> {
    let BinaryInput { name, bytes, options, hash } = input;
    let unreadable = |what: String| InputError::Unreadable { name: name.to_owned(), what };
    let file = match bytes {
        Bytes::File(file) => file,
        Bytes::Stream(stream) => {
            let what = if stream.compression().is_some() {
                "is compressed Parquet; decompress it first"
            } else {
                "is Parquet, whose index is at its end: it cannot be read from a pipe or standard input; save it to a \
                 file and name that"
            };
            return Err(unreadable(what.to_owned()));
        }
    };
    let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
    let size = file.metadata().map_err(failed)?.len();
    let pages = Pages { file: Arc::new(file), size, offset: 0 };
    let index = index_of(&pages).map_err(|error| {
        let Reason(reason) = error.into();
        unreadable(format!("is not a readable Parquet file: {reason} (cut off or not finished?)"))
    })?;
    let table = Table { pages, index };
    let threads = options.threads.or_else(|| thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get).min(MOST_AHEAD);
    let all = table.groups().fold(0, usize::saturating_add);
    let (hash, is_hashed) = (hash.clone(), options.hash);
    Ok(Groups { table, hash, is_hashed, threads, slices: None, ahead: VecDeque::new(), done: 0, all })
}

/// A range of rows within a group.
#[derive(Clone, Copy, Debug)]
struct Slice {
    group: usize,
    /// The number of rows in the group before this slice.
    from: usize,
    count: usize,
}

/// A file and its index, which are both needed to read rows.
#[derive(Clone)]
struct Table {
    pages: Pages,
    index: ArrowReaderMetadata,
}

impl Table {
    /// Returns the number of rows in each group.
    fn groups(&self) -> impl Iterator<Item = usize> {
        // A negative number is replaced with one that is never reached.
        let rows = |group: &RowGroupMetaData| usize::try_from(group.num_rows()).unwrap_or(usize::MAX);
        self.index.metadata().row_groups().iter().map(rows)
    }

    /// Returns slices that cover all rows. Groups are divided only if no column has lists, because then a slice does
    /// not depend on the rows before it.
    fn slices(&self, columns: &[usize]) -> impl Iterator<Item = Slice> + use<> {
        let schema = self.index.parquet_schema();
        let mut leaves =
            (0..schema.num_columns()).filter(|&leaf| columns.contains(&schema.get_column_root_idx(leaf)));
        let is_flat = leaves.all(|leaf| schema.column(leaf).max_rep_level() == 0);
        let most = if is_flat { SLICE } else { usize::MAX };
        let groups: Vec<usize> = self.groups().collect();
        groups.into_iter().enumerate().flat_map(move |(group, rows)| {
            let starts = (0..rows).step_by(most);
            starts.map(move |from| Slice { group, from, count: most.min(rows - from) })
        })
    }

    /// Decodes the rows of a slice piece by piece.
    fn pieces(
        self,
        columns: Vec<usize>,
        slice: Slice,
    ) -> impl Iterator<Item = Result<RecordBatch, Reason>> + Send {
        let (mut reader, mut left) = (None, slice.count);
        iter::from_fn(move || {
            let read = (left > 0).then(|| {
                unless_it_panics(|| {
                    let reader = match &mut reader {
                        Some(reader) => reader,
                        None => reader.insert(self.reader(&columns, slice)?),
                    };
                    let batch = reader.next().transpose()?;
                    Ok(batch.ok_or_else(|| format!("it has {left} rows fewer than the index says"))?)
                })
            })?;
            left = read.as_ref().map_or(0, |batch| left.saturating_sub(batch.num_rows()));
            Some(read)
        })
    }

    fn reader(&self, columns: &[usize], slice: Slice) -> ParquetResult<ParquetRecordBatchReader> {
        let columns = ProjectionMask::roots(self.index.parquet_schema(), columns.iter().copied());
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.pages.clone(), self.index.clone())
            .with_projection(columns)
            .with_row_groups(vec![slice.group])
            .with_batch_size(PIECE)
            .with_offset(slice.from)
            .with_limit(slice.count)
            .build()
    }
}

/// The pieces of a slice in order, decoded here or on another thread.
type Coming = Box<dyn Iterator<Item = Result<RecordBatch, Reason>> + Send>;

/// The row groups of a file, decoded in order.
struct Groups {
    table: Table,
    /// The hash that all bytes pass through; if they need not be hashed, it only counts them.
    hash: Hash,
    is_hashed: bool,
    /// The number of threads that decode, including the one that reads.
    threads: usize,
    /// The slices whose decoding has not started.
    slices: Option<Box<dyn Iterator<Item = Slice> + Send>>,
    /// The slices being decoded, each with the number of its group.
    ahead: VecDeque<(usize, Coming)>,
    /// The number of rows read so far; `all` is the total.
    done: usize,
    all: usize,
}

impl Groups {
    /// Starts decoding slices until enough are under way.
    fn run_ahead(&mut self, columns: &[usize]) {
        let slices = self.slices.get_or_insert_with(|| Box::new(self.table.slices(columns)));
        while self.ahead.len() < self.threads
            && let Some(slice) = slices.next()
        {
            let pieces = || self.table.clone().pieces(columns.to_vec(), slice);
            let (sender, receiver) = sync_channel(1);
            let mut decoded = pieces();
            // The work ends when the receiver is dropped.
            let work = move || _ = decoded.try_for_each(|piece| sender.send(piece));
            let is_started =
                self.threads > 1 && thread::Builder::new().name("parquet".to_owned()).spawn(work).is_ok();
            let coming: Coming = if is_started { Box::new(receiver.into_iter()) } else { Box::new(pieces()) };
            self.ahead.push_back((slice.group, coming));
        }
    }

    /// Marks the bytes before an offset as read. If they must be hashed, they are read a second time here.
    fn see_to(&self, offset: u64) -> io::Result<()> {
        let seen = self.hash.bytes();
        if !self.is_hashed {
            self.hash.leave_out(offset.saturating_sub(seen));
            return Ok(());
        }
        // At the end, ask for more bytes than expected, because the file may have grown.
        let most = if offset < self.table.pages.size { offset.saturating_sub(seen) } else { u64::MAX };
        let behind = self.hash.watch(self.table.pages.behind(seen)).take(most);
        io::copy(&mut BufReader::with_capacity(64 << 10, behind), &mut io::sink()).map(drop)
    }
}

impl RecordBatches for Groups {
    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, Reason> {
        let size = self.table.pages.size;
        loop {
            self.run_ahead(columns);
            let Some((_, pieces)) = self.ahead.front_mut() else {
                self.see_to(size)?;
                return Ok(None);
            };
            let Some(batch) = pieces.next().transpose()? else {
                self.ahead.pop_front();
                continue;
            };
            self.done += batch.num_rows();
            let share = u128::from(size) * self.done as u128 / self.all.max(1) as u128;
            self.see_to(u64::try_from(share).map_or(size, |share| share.min(size)))?;
            return Ok(Some(batch));
        }
    }

    fn place(&self) -> (&'static str, String) {
        let group = self.ahead.front().map_or(1, |(group, _)| group + 1);
        ("Parquet", format!("row group {group} of {}", self.table.groups().count()))
    }

    fn raw_position(&self) -> u64 {
        self.hash.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use ::parquet::arrow::ArrowWriter;
    use ::parquet::basic::{BrotliLevel, Compression};
    use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
    use arrow_array::StringArray;

    use super::super::testing::*;
    use super::*;
    use crate::input::{ReadOptions, Source};

    fn write(path: &Path, batch: &RecordBatch, properties: WriterPropertiesBuilder) {
        let file = File::create(path).expect("a temporary file");
        let mut writer =
            ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).expect("a schema");
        writer.write(batch).expect("the disk takes it");
        writer.close().expect("the disk takes it");
    }

    #[test]
    fn every_compression_gives_the_same_rows() {
        let (_directory, path) = temporary();
        let batch = batch_of(&[("puzzle", texts(PUZZLES, 50)), ("solution", texts(CLAIMS, 50))]);
        // Other programs use the remaining compressions.
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::BROTLI(BrotliLevel::default()),
            Compression::LZ4,
            Compression::LZ4_RAW,
        ] {
            let properties = WriterProperties::builder().set_compression(compression);
            write(&path, &batch, properties.set_max_row_group_row_count(Some(7)));
            assert_eq!(read_file(&path), expected(50), "{compression:?}");
        }
    }

    #[test]
    fn damage_is_named_and_costs_no_group_before_it() {
        let (_directory, path) = temporary();
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let properties = properties.set_max_row_group_row_count(Some(12));
        write(
            &path,
            &batch_of(&[("puzzle", texts(PUZZLES, 40)), ("solution", texts(CLAIMS, 40))]),
            properties,
        );
        let whole = fs::read(&path).expect("it was written");
        let file = Arc::new(File::open(&path).expect("it is there"));
        let index = index_of(&Pages { file, size: whole.len() as u64, offset: 0 }).expect("an index");
        let start = usize::try_from(index.metadata().row_group(2).column(0).byte_range().0).expect("short");
        let mut bytes = whole.clone();
        bytes[start..start + 40].fill(0xff);
        fs::write(&path, bytes).expect("a temporary file");
        let lines = read_file(&path);
        assert_eq!((&lines[..24], lines.len()), (&*expected(24), 25));
        assert!(lines[24].starts_with("error: t: damaged Parquet: row group 3 of 4: "), "{}", lines[24]);
        let refused = |bytes: &[u8], why: &str| {
            fs::write(&path, bytes).expect("a temporary file");
            let lines = drain(Source::open(&path, &hashing()), 1);
            assert!(lines[0].starts_with("refused: ") && lines[0].contains(why), "{lines:?}");
        };
        for cut in [4, 8, 11, 12, 100, whole.len() - 1] {
            refused(&whole[..cut], "cut off or not finished?");
        }
        refused(&zstd::encode_all(&*whole, 1).expect("memory"), "is compressed Parquet; decompress it first");
        let piped = Source::from_reader("t", io::Cursor::new(whole), &ReadOptions::default());
        assert!(piped.expect_err("a pipe").to_string().contains("save it to a file"));
    }

    #[test]
    fn long_groups_are_read_in_slices_and_in_order_on_any_number_of_threads() {
        let (_directory, path) = temporary();
        let rows = SLICE + 3;
        let puzzles = StringArray::from_iter_values((0..rows).map(|row| format!("{row:081}")));
        let batch = batch_of(&[("puzzle", Arc::new(puzzles))]);
        for (group, dictionary, threads) in [(rows, true, 1), (50_000, false, 3)] {
            let properties = WriterProperties::builder().set_dictionary_enabled(dictionary);
            write(&path, &batch, properties.set_max_row_group_row_count(Some(group)));
            let options = ReadOptions { threads: NonZeroUsize::new(threads), ..hashing() };
            let lines = drain(Source::open(&path, &options), 1 << 20);
            let is_row = |(row, line): (usize, &String)| *line == format!("{row:081}").replace('0', ".");
            assert!(lines.len() == rows && lines.iter().enumerate().all(is_row));
        }
    }
}
