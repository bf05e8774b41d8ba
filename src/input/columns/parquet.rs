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

use super::binary::{BinaryInput, BinaryRows, Bytes};
use super::table::{self, RecordBatches};
use super::watched::{Watched, read_at, read_exact_at};
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
    /// Rows that were read.
    done: u64,
}

impl Groups {
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
    fn look(&mut self, columns: &[usize]) -> Result<Vec<ArrayRef>, InputError> {
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
