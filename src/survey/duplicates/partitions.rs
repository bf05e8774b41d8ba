//! Stores records in partitions: in memory up to a limit, then in a file.
//!
//! A partition is a list of blocks in the order in which they were filled. Full blocks stay in memory while there is
//! room. Later blocks are appended to a single file, which has no name and therefore disappears however the program
//! ends.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::vec;

/// A function that creates an unnamed file.
pub type MakeFile = fn() -> io::Result<File>;

/// The largest size of a block in bytes.
const MOST_BLOCK_BYTES: usize = 64 << 10;
/// All blocks being filled take up at most the available memory divided by this number.
const MEMORY_PER_BLOCK: usize = 16;

/// The memory for full blocks, and the file for blocks that do not fit there.
pub struct Store {
    memory: usize,
    make_file: MakeFile,
    state: Mutex<State>,
}

struct State {
    /// How many bytes of blocks can still be kept in memory.
    room: usize,
    /// The file and its length.
    file: Option<File>,
    length: u64,
}

impl Store {
    /// Returns a store with this many bytes of memory for full blocks.
    pub fn new(memory: usize, make_file: MakeFile) -> Self {
        Self { memory, make_file, state: Mutex::new(State { room: memory, file: None, length: 0 }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the lock")
    }

    /// Stores a full block.
    fn keep<const W: usize>(&self, records: Vec<[u64; W]>) -> io::Result<Block<W>> {
        let mut state = self.lock();
        if let Some(room) = state.room.checked_sub(size_of_val(&*records)) {
            state.room = room;
            return Ok(Block::Memory(records));
        }
        let mut bytes = vec![0; size_of_val(&*records)];
        let words = bytes.as_chunks_mut().0.iter_mut().zip(records.as_flattened());
        words.for_each(|(bytes, word)| *bytes = word.to_le_bytes());
        let from = state.length;
        let file = match &mut state.file {
            Some(file) => file,
            none => none.insert((self.make_file)()?),
        };
        file.seek(SeekFrom::Start(from))?;
        file.write_all(&bytes)?;
        state.length += bytes.len() as u64;
        Ok(Block::File { from, records: records.len() })
    }

    /// Returns a stored block's records.
    fn take<const W: usize>(&self, block: Block<W>) -> io::Result<Vec<[u64; W]>> {
        let mut state = self.lock();
        let (from, records) = match block {
            Block::Memory(records) => {
                state.room += size_of_val(&*records);
                return Ok(records);
            }
            Block::File { from, records } => (from, records),
        };
        let mut bytes = vec![0; records * size_of::<[u64; W]>()];
        let file = state.file.as_mut().expect("the block was written to it");
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        drop(state);
        let record = |words: &[[u8; 8]]| std::array::from_fn(|at| u64::from_le_bytes(words[at]));
        Ok(bytes.as_chunks().0.chunks_exact(W).map(record).collect())
    }
}

/// A block: some of the records of a partition.
enum Block<const W: usize> {
    Memory(Vec<[u64; W]>),
    /// A block at a position in the file.
    File {
        from: u64,
        records: usize,
    },
}

/// Partitions for records of W words.
pub struct Partitions<const W: usize> {
    store: Arc<Store>,
    /// The largest number of records in a block.
    most: usize,
    parts: Vec<Part<W>>,
}

/// A partition.
struct Part<const W: usize> {
    full: Vec<Block<W>>,
    /// The block being filled.
    last: Vec<[u64; W]>,
}

impl<const W: usize> Partitions<W> {
    /// Returns empty partitions.
    pub fn new(store: &Arc<Store>, count: usize) -> Self {
        let bytes = (store.memory / MEMORY_PER_BLOCK / count).min(MOST_BLOCK_BYTES);
        let most = (bytes / size_of::<[u64; W]>()).max(1);
        let empty = || Part { full: Vec::new(), last: Vec::new() };
        Self { store: Arc::clone(store), most, parts: std::iter::repeat_with(empty).take(count).collect() }
    }

    /// Adds a record to a partition. Fails if it cannot be written to the file.
    pub fn push(&mut self, partition: usize, record: [u64; W]) -> io::Result<()> {
        let part = &mut self.parts[partition];
        if part.last.len() == self.most {
            part.full.push(self.store.keep(std::mem::take(&mut part.last))?);
        }
        if part.last.is_empty() {
            part.last.reserve_exact(self.most);
        }
        part.last.push(record);
        Ok(())
    }

    /// Returns the blocks of each partition, in order.
    pub fn into_blocks(self) -> impl Iterator<Item = Blocks<W>> {
        let Self { store, parts, .. } = self;
        let blocks =
            move |Part { full, last }| Blocks { store: Arc::clone(&store), full: full.into_iter(), last };
        parts.into_iter().map(blocks)
    }
}

/// The blocks of a partition, in record order. Yields an error if the file cannot be read.
pub struct Blocks<const W: usize> {
    store: Arc<Store>,
    full: vec::IntoIter<Block<W>>,
    last: Vec<[u64; W]>,
}

impl<const W: usize> Blocks<W> {
    /// Returns the number of records that are left.
    pub fn records(&self) -> usize {
        let of = |block: &Block<W>| match block {
            Block::Memory(records) => records.len(),
            Block::File { records, .. } => *records,
        };
        self.full.as_slice().iter().map(of).sum::<usize>() + self.last.len()
    }
}

impl<const W: usize> Iterator for Blocks<W> {
    type Item = io::Result<Vec<[u64; W]>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.full.next() {
            Some(block) => Some(self.store.take(block)),
            None => Some(std::mem::take(&mut self.last)).filter(|last| !last.is_empty()).map(Ok),
        }
    }
}
