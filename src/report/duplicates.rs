//! The table of puzzles seen so far and the inputs they came from: exact up to about 13 million distinct puzzles.
//!
//! An open-addressing table keeps one word per distinct puzzle. The word holds 52 bits of the hash and a set number,
//! which stands for the set of groups (inputs) in which the puzzle occurred. Only a few different sets occur, so each
//! is stored once, and puzzles are counted by set. These counts and the number of rows give everything else, such as
//! repeats and the puzzles that two groups share.
//!
//! The table grows up to a limit. When it is full, it keeps only the puzzles whose hash ends in one zero bit, then two,
//! and so on. From then on, the counts are estimated from a sample that does not depend on the row order (Gibbons,
//! "Distinct sampling", 2001).

use std::collections::HashMap;

/// The largest number of groups.
pub(super) const MOST_GROUPS: usize = 512;
/// The number of words in the largest table, which takes 128 MiB, and in a new one. Both are powers of four.
const MOST_SLOTS: usize = 1 << 24;
const LEAST_SLOTS: usize = 1 << 12;
/// The number of bits for the set number, at the end of a word; the bits before them are the end of the hash.
const SET_BITS: u32 = 12;
/// The word of a slot that was never used. No puzzle has this word, because every puzzle is in at least one group.
const EMPTY: u64 = 0;
/// The number of the set that contains no group.
const NO_GROUP: u16 = 0;
/// The largest number of multi-group sets that are counted separately. The other set numbers are for single groups.
const MOST_JOINED_SETS: usize = (1 << SET_BITS) - 1 - MOST_GROUPS;

/// A set of groups.
#[derive(Default)]
struct Set {
    /// The groups, ascending.
    groups: Vec<u16>,
    /// The number of the set that results from adding each group, or [`NO_GROUP`] if that is not known yet.
    with: Vec<u16>,
}

/// Counts distinct puzzles by the groups in which they occur.
pub(super) struct PuzzleTable {
    /// The words; their number is a power of two.
    slots: Vec<u64>,
    /// The largest number of slots.
    most: usize,
    /// Number of distinct puzzles in the sample.
    live: usize,
    /// Number of zero bits at the end of every hash in the sample.
    sample_bits: u32,
    /// The sets by number, in the order in which they first occurred.
    sets: Vec<Set>,
    numbers: HashMap<Vec<u16>, u16>,
    /// Whether the set numbers ran out; if so, some puzzles are missing from some groups.
    sets_overflowed: bool,
}

impl PuzzleTable {
    /// Returns an empty table.
    pub fn new() -> Self {
        Self::at_most(MOST_SLOTS)
    }

    fn at_most(most: usize) -> Self {
        Self {
            slots: vec![EMPTY; LEAST_SLOTS],
            most,
            live: 0,
            sample_bits: 0,
            sets: vec![Set::default()],
            numbers: HashMap::new(),
            sets_overflowed: false,
        }
    }

    /// Brings the slots that [`PuzzleTable::add`] will read into the cache. A large table is limited by memory latency,
    /// and memory can serve many requests at the same time.
    pub fn fetch(&self, hashes: impl Iterator<Item = u64>) {
        let words = hashes.map(|hash| self.slots[self.home(word_of(hash, NO_GROUP))]);
        std::hint::black_box(words.fold(0, |all, word| all ^ word));
    }

    /// Returns the slot where a word goes unless another puzzle already occupies it.
    fn home(&self, word: u64) -> usize {
        usize::try_from(word >> (64 - self.slots.len().ilog2())).expect("a slot number is small")
    }

    /// Adds a puzzle from a group, whose number must be below [`MOST_GROUPS`].
    pub fn add(&mut self, hash: u64, group: u16) {
        let word = word_of(hash, NO_GROUP);
        if !self.is_sampled(word) {
            return;
        }
        let (at, before) = self.find(word);
        let after = match self.sets[usize::from(before)].with.get(usize::from(group)) {
            Some(&after) if after != NO_GROUP => after,
            _ => self.join(before, group),
        };
        self.slots[at] = word_of(hash, after);
        self.live += usize::from(before == NO_GROUP);
        while self.live > self.room() {
            self.make_room();
        }
    }

    /// Returns the largest number of puzzles for the current number of slots. To keep searches short, half of the slots
    /// stay free, or a fifth once the table cannot grow.
    const fn room(&self) -> usize {
        if self.slots.len() < self.most { self.slots.len() / 2 } else { self.slots.len() / 5 * 4 }
    }

    /// Returns the slot for a word and the number of the set that its puzzle is in so far.
    fn find(&self, word: u64) -> (usize, u16) {
        let mut at = self.home(word);
        loop {
            match self.slots[at] {
                EMPTY => return (at, NO_GROUP),
                other if other >> SET_BITS == word >> SET_BITS => return (at, set_of(other)),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Returns whether a word's puzzle is in the sample.
    const fn is_sampled(&self, word: u64) -> bool {
        word >> SET_BITS & ((1 << self.sample_bits) - 1) == 0
    }

    /// Quadruples the number of slots or, if that is not possible, drops about half of the puzzles from the sample.
    fn make_room(&mut self) {
        let mut words = std::mem::take(&mut self.slots);
        if words.len() < self.most {
            self.slots = vec![EMPTY; 4 * words.len()];
        } else {
            self.slots = vec![EMPTY; words.len()];
            self.sample_bits += 1;
        }
        words.retain(|&word| word != EMPTY && self.is_sampled(word));
        self.live = words.len();
        for word in words {
            let (at, _) = self.find(word);
            self.slots[at] = word;
        }
    }

    /// Finds the number of the set that results from adding a group to a set.
    #[cold]
    fn join(&mut self, before: u16, group: u16) -> u16 {
        let mut groups = self.sets[usize::from(before)].groups.clone();
        if let Err(place) = groups.binary_search(&group) {
            groups.insert(place, group);
        }
        let after = match self.numbers.get(&groups) {
            Some(&known) => known,
            None if before != NO_GROUP && self.sets.len() > MOST_JOINED_SETS => {
                self.sets_overflowed = true;
                before
            }
            None => {
                let number = u16::try_from(self.sets.len()).expect("the number of sets is bounded");
                self.numbers.insert(groups.clone(), number);
                self.sets.push(Set { groups, with: Vec::new() });
                number
            }
        };
        let Set { with, .. } = &mut self.sets[usize::from(before)];
        with.resize(with.len().max(usize::from(group) + 1), NO_GROUP);
        with[usize::from(group)] = after;
        after
    }

    /// Returns the number of puzzles that each puzzle in the sample stands for.
    pub const fn scale(&self) -> u64 {
        1 << self.sample_bits
    }

    /// Returns whether some puzzles were not recorded in all of their groups.
    pub const fn sets_overflowed(&self) -> bool {
        self.sets_overflowed
    }

    /// Returns the number of distinct puzzles in the sample for each set of groups.
    pub fn sets(&self) -> impl Iterator<Item = (&[u16], u64)> {
        let mut counts = vec![0; self.sets.len()];
        self.slots.iter().for_each(|&word| counts[usize::from(set_of(word))] += 1);
        self.sets.iter().map(|set| &set.groups[..]).zip(counts).skip(1).filter(|&(_, count)| count > 0)
    }
}

/// Returns the word of a puzzle that is in a set of groups.
const fn word_of(hash: u64, set: u16) -> u64 {
    hash << SET_BITS | set as u64
}

/// Returns the number of the set in a word.
const fn set_of(word: u64) -> u16 {
    (word & ((1 << SET_BITS) - 1)) as u16
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Counts distinct puzzles by set of groups, using a straightforward method.
    fn counted(rows: &[(u64, u16)]) -> BTreeMap<Vec<u16>, u64> {
        let mut groups: BTreeMap<u64, BTreeSet<u16>> = BTreeMap::new();
        for &(hash, group) in rows {
            groups.entry(hash).or_default().insert(group);
        }
        let mut sets = BTreeMap::new();
        for set in groups.into_values() {
            *sets.entry(set.into_iter().collect()).or_default() += 1;
        }
        sets
    }

    fn rows(count: usize, distinct: u64, seed: u64) -> Vec<(u64, u16)> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let hashes: Vec<u64> = (0..distinct).map(|_| rng.next_u64()).collect();
        (0..count)
            .map(|_| (hashes[(rng.next_u64() % distinct) as usize], (rng.next_u64() % 3) as u16))
            .collect()
    }

    /// Returns the scale of a table of these rows and its counts by set.
    fn scale_and_sets<'a>(
        mut table: PuzzleTable,
        rows: impl Iterator<Item = &'a (u64, u16)>,
    ) -> (u64, BTreeMap<Vec<u16>, u64>) {
        rows.for_each(|&(hash, group)| table.add(hash, group));
        (table.scale(), table.sets().map(|(set, count)| (set.to_vec(), count)).collect())
    }

    #[test]
    fn counts_by_set_are_those_of_the_plain_way() {
        // These include hashes that differ only in one bit, and hashes that look like an unused slot.
        let few = [(7, 4), (7, 2), (7, 2), (7 | 1 << 51, 2), (0, 0), (0, 0), (u64::MAX, 0), (u64::MAX, 0)];
        for rows in [rows(60_000, 25_000, 1), few.to_vec()] {
            assert_eq!(scale_and_sets(PuzzleTable::new(), rows.iter()), (1, counted(&rows)));
        }
    }

    #[test]
    fn a_full_table_estimates_and_the_sample_does_not_depend_on_the_order() {
        let rows = rows(600_000, 200_000, 2);
        let small = || PuzzleTable::at_most(LEAST_SLOTS);
        let (scale, sets) = scale_and_sets(small(), rows.iter());
        assert!(scale >= 64);
        let total: u64 = counted(&rows).values().sum();
        let estimate = scale * sets.values().sum::<u64>();
        // The sample holds about 1,600 to 3,200 puzzles, so three standard errors are less than 8 %.
        assert!((estimate as f64 / total as f64 - 1.0).abs() < 0.08, "{estimate} for {total}");
        assert_eq!(scale_and_sets(small(), rows.iter().rev()), (scale, sets));
    }
}
