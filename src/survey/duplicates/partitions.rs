//! Records in partitions, in memory up to a bound and beyond it in a file.
//!
//! A partition is a list of blocks in the order in which they were filled. Full blocks stay in memory as long as there
//! is room. Later ones go to the end of the one file, which has no name and so is gone however the program ends.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::vec;

/// The function that makes a file without a name.
pub type MakeFile = fn() -> io::Result<File>;

/// The most bytes of a block.
const MOST_BLOCK_BYTES: usize = 64 << 10;
/// The bytes of memory for each block that is being filled.
const MEMORY_PER_BLOCK: usize = 16;

/// The memory for full blocks, and the file for those that have no room there.
pub struct Store {
    memory: usize,
    make_file: MakeFile,
    state: Mutex<State>,
}

struct State {
    /// Bytes of blocks that may still be kept in memory.
    room: usize,
    /// The file, and its length.
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

    /// Keeps a full block.
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

    /// Takes a block back.
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

/// The block of some records of a partition.
enum Block<const W: usize> {
    Memory(Vec<[u64; W]>),
    /// A block at a place in the file.
    File {
        from: u64,
        records: usize,
    },
}

/// The partitions of records of W words.
pub struct Partitions<const W: usize> {
    store: Arc<Store>,
    /// Most records of a block.
    most: usize,
    parts: Vec<Part<W>>,
}

/// A partition.
struct Part<const W: usize> {
    full: Vec<Block<W>>,
    /// The block that is being filled.
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

    /// Returns the partitions, in order.
    pub fn into_blocks(self) -> impl Iterator<Item = Blocks<W>> {
        let Self { store, parts, .. } = self;
        let blocks =
            move |Part { full, last }| Blocks { store: Arc::clone(&store), full: full.into_iter(), last };
        parts.into_iter().map(blocks)
    }
}

/// The blocks of a partition, in the order of the records. Errors are those of reading the file.
pub struct Blocks<const W: usize> {
    store: Arc<Store>,
    full: vec::IntoIter<Block<W>>,
    last: Vec<[u64; W]>,
}

impl<const W: usize> Blocks<W> {
    /// Records that are left.
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
