//! For each record, finds the first record with the same key, exactly and in bounded memory.
//!
//! Records are spread over partitions by the hash of their keys, so equal keys end up in the same partition, in order.
//! When all records are in, each partition is run through a table of the keys seen so far; keys with equal hashes are
//! compared in full. A full table accepts no more keys. Records whose keys are not in it move to smaller partitions,
//! chosen by further hash bits (grace hashing). Each pass removes as many keys as fit in a table, so the search ends
//! even if the hashes are bad. A key that is repeated a million times takes only one entry. The pairs found are put in
//! order by ranges of record numbers, which are stored in partitions as well.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rapidhash::fast::RapidHasher;

use super::key::{Key, Record};
use super::partitions::{Blocks, MakeFile, Partitions, Store};
use crate::jobs::pick::NumberSet;

/// The base-2 logarithm of the number of partitions: its maximum, and its minimum, which is also used to subdivide a
/// partition that is too large.
const MOST_BITS: u32 = 8;
const LEAST_BITS: u32 = 4;
/// The memory per partition.
const MEMORY_PER_PARTITION: usize = 1 << 20;
/// The maximum number of bytes that a key takes up in a table, including its share of empty slots.
const ENTRY_BYTES: usize = 132;
/// The smallest number of keys that a table must hold.
const LEAST_ENTRIES: usize = 64;

/// Limits for a comparison of records.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of memory for records; records that do not fit go to a file.
    pub memory: usize,
    /// Creates that file, which has no name.
    pub make_file: MakeFile,
    /// Number of threads.
    pub threads: NonZeroUsize,
}

/// Takes in records and finds those that are the same.
pub struct Finder {
    bounds: Bounds,
    store: Arc<Store>,
    records: Partitions<{ Record::WORDS }>,
    bits: u32,
    hash: fn(&Key) -> u64,
    /// The highest record number added so far.
    last: u64,
}

impl Finder {
    /// Returns a finder with no records yet.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        Self::with_hash(bounds, Key::hash)
    }

    fn with_hash(bounds: Bounds, hash: fn(&Key) -> u64) -> Self {
        let store = Arc::new(Store::new(bounds.memory / 4 * 3, bounds.make_file));
        let bits = (bounds.memory / MEMORY_PER_PARTITION).max(1).ilog2().clamp(LEAST_BITS, MOST_BITS);
        Self { bounds, records: Partitions::new(&store, 1 << bits), store, bits, hash, last: 0 }
    }

    /// Adds the next record; record numbers must be in ascending order. Fails if the file cannot be written.
    pub fn push(&mut self, record: Record) -> io::Result<()> {
        debug_assert!(record.number() > self.last, "numbers ascend");
        self.last = record.number();
        let hash = (self.hash)(&record.key());
        self.records.push((hash >> (64 - self.bits)) as usize, record.0)
    }

    /// Finds the records that have the same key as an earlier one. If `known` is given, finds the records after that
    /// number whose key matches a record up to that number. If the flag is raised, stops early with the records found
    /// so far. Fails if the file cannot be read or written.
    pub fn finish(self, known: Option<u64>, stop: &AtomicBool) -> io::Result<Found> {
        let Self { bounds, store, records, bits, hash, last } = self;
        let Bounds { memory, threads, .. } = bounds;
        let span = (memory / 4 / size_of::<[u64; Pair::WORDS]>()).max(1) as u64;
        let ranges = usize::try_from(last / span + 1).unwrap_or(usize::MAX);
        let pairs = Pairs { span, ranges: Partitions::new(&store, ranges) };
        let search = Search {
            store: &store,
            hash,
            known,
            most: (memory / 4 / threads / ENTRY_BYTES).max(LEAST_ENTRIES),
            stop,
            work: Mutex::new(records.into_blocks().map(|blocks| (blocks, bits)).collect()),
            found: Mutex::new(Found { numbers: NumberSet::default(), pairs }),
            trouble: Mutex::new(Ok(())),
        };
        thread::scope(|scope| {
            for _ in 1..threads.get() {
                // If fewer threads start, the search only takes longer.
                let _ = thread::Builder::new().spawn_scoped(scope, || search.work());
            }
            search.work();
        });
        search.trouble.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        Ok(search.found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A record and the first record it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Number and line of the record.
    pub record: (u64, u64),
    /// Number and line of the first matching record.
    pub first: (u64, u64),
}

impl Pair {
    const WORDS: usize = 4;
}

/// The records that have the same key as an earlier one.
pub struct Found {
    /// The numbers of these records.
    pub numbers: NumberSet,
    /// Each of these records, paired with the first record it matches.
    pub pairs: Pairs,
}

impl Found {
    fn add(&mut self, pair: [u64; Pair::WORDS]) -> io::Result<()> {
        self.numbers.add(pair[0]);
        self.pairs.ranges.push((pair[0] / self.pairs.span) as usize, pair)
    }
}

/// The pairs, grouped by ranges of record numbers.
pub struct Pairs {
    /// How many numbers each range covers.
    span: u64,
    ranges: Partitions<{ Pair::WORDS }>,
}

impl Pairs {
    /// Returns the pairs in order of record number, one range at a time. Yields an error if the file cannot be read.
    pub fn in_order(self) -> impl Iterator<Item = io::Result<Vec<Pair>>> {
        let pair = |[number, line, first, first_line]: [u64; Pair::WORDS]| Pair {
            record: (number, line),
            first: (first, first_line),
        };
        self.ranges.into_blocks().map(move |blocks| {
            let mut pairs = blocks.collect::<io::Result<Vec<_>>>()?.concat();
            pairs.sort_unstable();
            Ok(pairs.into_iter().map(pair).collect())
        })
    }
}

/// The number and line of the first record for each key.
type Table = HashMap<Key, (u64, u64), BuildHasherDefault<RapidHasher<'static>>>;

/// A partition, and the number of hash bits that all its keys share.
type Task = (Blocks<{ Record::WORDS }>, u32);

/// The search, shared by all threads.
struct Search<'a> {
    store: &'a Arc<Store>,
    hash: fn(&Key) -> u64,
    known: Option<u64>,
    /// The largest number of keys in a table.
    most: usize,
    stop: &'a AtomicBool,
    work: Mutex<Vec<Task>>,
    found: Mutex<Found>,
    trouble: Mutex<io::Result<()>>,
}

impl Search<'_> {
    /// Searches partitions until none is left, an error occurs, or the flag is raised.
    fn work(&self) {
        let (mut table, mut own) = (Table::default(), Vec::new());
        loop {
            let next = own.pop().or_else(|| self.work.lock().ok()?.pop());
            let Some(task) = next.filter(|_| !self.stop.load(Ordering::Relaxed)) else { return };
            if let Err(error) = self.search(task, &mut table, &mut own) {
                // The other threads stop after their current task.
                self.work.lock().map(|mut work| work.clear()).unwrap_or_default();
                self.trouble.lock().map(|mut trouble| *trouble = Err(error)).unwrap_or_default();
                return;
            }
        }
    }

    /// Searches a partition; records whose keys do not fit in the table go to smaller partitions.
    fn search(&self, (blocks, bits): Task, table: &mut Table, rest: &mut Vec<Task>) -> io::Result<()> {
        table.clear();
        // There is always room for one more key, so the table never grows.
        table.reserve(blocks.records().min(self.most) + 1);
        let mut smaller: Option<Partitions<_>> = None;
        let mut pairs = Vec::new();
        for block in blocks {
            for record in block?.into_iter().map(Record) {
                let is_full = table.len() >= self.most;
                match table.entry(record.key()) {
                    Entry::Occupied(first) => {
                        let &(first, first_line) = first.get();
                        let is_wanted = |known| record.number() > known && first <= known;
                        if self.known.is_none_or(is_wanted) {
                            pairs.push([record.number(), record.line(), first, first_line]);
                        }
                    }
                    Entry::Vacant(free) if !is_full => {
                        free.insert((record.number(), record.line()));
                    }
                    Entry::Vacant(_) => {
                        let smaller =
                            smaller.get_or_insert_with(|| Partitions::new(self.store, 1 << LEAST_BITS));
                        let left = (self.hash)(&record.key()).checked_shl(bits).unwrap_or(0);
                        smaller.push((left >> (64 - LEAST_BITS)) as usize, record.0)?;
                    }
                }
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            pairs.drain(..).try_for_each(|pair| found.add(pair))?;
        }
        let smaller = smaller.into_iter().flat_map(Partitions::into_blocks);
        rest.extend(smaller.map(|blocks| (blocks, bits + LEAST_BITS)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fs::File;

    use proptest::prelude::*;

    use super::*;
    use crate::sudoku::Grid;

    /// Returns grid number n; any two of these grids differ in at least one of five cells.
    fn grid(n: u64) -> Grid {
        let mut grid = Grid::EMPTY;
        for (place, cell) in [0, 8, 40, 72, 80].into_iter().enumerate() {
            grid.set(cell, (n / 10_u64.pow(place as u32) % 10) as u8);
        }
        grid
    }

    fn bounds(memory: usize, threads: usize) -> Bounds {
        Bounds { memory, make_file: tempfile::tempfile, threads: NonZeroUsize::new(threads).unwrap() }
    }

    /// Returns the pairs that a finder finds among grids. Record n = 1, 2, ... is on line 3 n.
    fn found(grids: &[u64], bounds: Bounds, hash: fn(&Key) -> u64, known: Option<u64>) -> Vec<Pair> {
        let mut finder = Finder::with_hash(bounds, hash);
        for (number, &n) in (1..).zip(grids) {
            finder.push(Record::new(Key::of(&grid(n)), number, 3 * number)).unwrap();
        }
        let Found { numbers, pairs } = finder.finish(known, &AtomicBool::new(false)).unwrap();
        let pairs: Vec<_> = pairs.in_order().flat_map(Result::unwrap).collect();
        let listed: Vec<_> = pairs.iter().map(|pair| pair.record.0).collect();
        assert!((0..grids.len() as u64 + 200).filter(|&number| numbers.has(number)).eq(listed));
        pairs
    }

    /// Returns the same pairs, found by a straightforward method.
    fn expected(grids: &[u64], known: Option<u64>) -> Vec<Pair> {
        let (mut firsts, mut pairs) = (HashMap::new(), Vec::new());
        for (number, n) in (1..).zip(grids) {
            let first = *firsts.entry(n).or_insert(number);
            if first < number && known.is_none_or(|known| first <= known && number > known) {
                pairs.push(Pair { record: (number, 3 * number), first: (first, 3 * first) });
            }
        }
        pairs
    }

    /// Good and bad hashes.
    const HASHES: [fn(&Key) -> u64; 4] =
        [Key::hash, |_| 0, |_| u64::MAX, |key| key.hash() & 0x8000_0001_0000_0001];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// PROMISE: exact-duplicates
        #[test]
        fn what_is_found_is_what_the_plain_way_finds(
            grids in (1_u64..3000).prop_flat_map(|most| proptest::collection::vec(0..most, 0..3000)),
            memory in prop_oneof![Just(0), 1_usize..100_000, Just(64 << 20)],
            threads in 1_usize..4,
            hash in 0_usize..HASHES.len(),
            known in proptest::option::of(0_u64..3000),
        ) {
            let found = found(&grids, bounds(memory, threads), HASHES[hash], known);
            prop_assert_eq!(found, expected(&grids, known));
        }

        #[test]
        fn keys_are_equal_if_and_only_if_grids_are(
            cells in proptest::collection::vec(0_u8..=9, 81), at in 0_usize..81, other in 0_u8..=9,
            number in 0..=Record::MOST,
        ) {
            let grid = Grid::try_from(&cells[..]).unwrap();
            let mut changed = grid;
            changed.set(at, other);
            let [key, changed_key] = [grid, changed].map(|grid| Record::new(Key::of(&grid), number, u64::MAX).key());
            prop_assert_eq!(key == changed_key, grid == changed);
            prop_assert_eq!(key, Key::of(&grid));
            prop_assert_eq!(Record::new(key, number, 7).number(), number);
        }
    }

    #[test]
    fn one_key_alone_and_no_key_twice_take_no_memory_beyond_the_bound() {
        let (same, distinct): (Vec<_>, Vec<_>) = (vec![7; 50_000], (0..50_000).collect());
        for hash in [HASHES[0], HASHES[3]] {
            assert_eq!(found(&same, bounds(10_000, 2), hash, None), expected(&same, None));
            assert_eq!(found(&distinct, bounds(100_000, 2), hash, None), []);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_is_full_is_an_error_at_once_or_at_the_end() {
        let full = || File::options().read(true).write(true).open("/dev/full");
        for memory in [0, 1 << 20] {
            let mut finder = Finder::new(Bounds { make_file: full, ..bounds(memory, 2) });
            let mut push = |n| finder.push(Record::new(Key::of(&grid(n)), n, n));
            let pushed = (1..20_000).try_for_each(&mut push);
            let error = pushed.and_then(|()| finder.finish(None, &AtomicBool::new(false)).map(|_| ()));
            assert_eq!(error.unwrap_err().kind(), io::ErrorKind::StorageFull, "{memory}");
        }
    }

    #[test]
    fn a_search_that_is_stopped_ends() {
        let mut finder = Finder::new(bounds(0, 2));
        (1..5000).for_each(|n| finder.push(Record::new(Key::of(&grid(7)), n, n)).unwrap());
        let found = finder.finish(None, &AtomicBool::new(true)).unwrap();
        assert!(!found.numbers.has(4999));
    }
}
