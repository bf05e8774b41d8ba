//! The table of puzzles seen so far and the inputs they came from: exact up to about 13 million distinct puzzles.
//!
//! An open-addressing table keeps one word per distinct puzzle. The word holds 48 bits of the hash and the number of
//! the set of groups (inputs) in which the puzzle occurred. The word's position gives most of the remaining hash bits.
//! Only a few different sets occur, so each is stored once, and puzzles are counted by set. These counts and the number
//! of rows give everything else, such as repeats and the puzzles that two groups share.
//!
//! When the table is full, it keeps only the puzzles whose hash ends in one zero bit, then two, and so on. The words of
//! all other puzzles can be overwritten. From then on, the counts are estimates from a sample that does not depend on
//! the row order (Gibbons, "Distinct sampling", 2001). The table never grows. Its size is derived from the input size,
//! so memory is bounded and nothing has to be moved.

use std::collections::HashMap;

/// The base-2 logarithm of the number of words in the largest table, which takes 128 MiB.
const MOST_SLOT_BITS: u32 = 24;
const LEAST_SLOT_BITS: u32 = 12;
/// The number of hash bits in a word; the remaining bits hold the set.
const HASH_BITS: u32 = 48;
const HASH_MASK: u64 = (1 << HASH_BITS) - 1;
/// The word of a slot that was never used. No puzzle has this word, because it is in at least one group.
const EMPTY: u64 = 0;
/// The number of the set that contains no group.
const NO_GROUP: u16 = 0;
/// The largest number of multi-group sets that are counted separately.
const MOST_JOINED_SETS: usize = 4096;

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
    slots: Vec<u64>,
    slot_bits: u32,
    /// Number of distinct puzzles in the sample.
    live: usize,
    /// Number of zero bits at the end of every hash in the sample.
    sample_bits: u32,
    /// The sets by number, in the order in which they first occurred.
    sets: Vec<Set>,
    numbers: HashMap<Vec<u16>, u16>,
    /// Whether the numbers for sets ran out; some puzzles are then missing from some groups.
    sets_overflowed: bool,
}

impl PuzzleTable {
    /// Returns an empty table with room for this many distinct puzzles, within limits. If memory is short, the table is
    /// smaller and starts sampling earlier.
    pub fn with_room_for(puzzles: u64) -> Self {
        let slots = puzzles.saturating_add(puzzles / 2).checked_next_power_of_two();
        let bits = slots.map_or(MOST_SLOT_BITS, u64::ilog2);
        let mut slot_bits = bits.clamp(LEAST_SLOT_BITS, MOST_SLOT_BITS);
        while slot_bits > LEAST_SLOT_BITS && Vec::<u64>::new().try_reserve_exact(1 << slot_bits).is_err() {
            slot_bits -= 1;
        }
        let (slots, sets) = (vec![EMPTY; 1 << slot_bits], vec![Set::default()]);
        let numbers = HashMap::new();
        Self { slots, slot_bits, live: 0, sample_bits: 0, sets, numbers, sets_overflowed: false }
    }

    /// Brings the slots that [`PuzzleTable::add`] will read into the cache. A large table is limited by memory latency,
    /// and memory can serve many requests in the time of one.
    pub fn fetch(&self, hashes: impl Iterator<Item = u64>) {
        let words = hashes.map(|hash| self.slots[self.home(hash)]);
        std::hint::black_box(words.fold(0, |all, word| all ^ word));
    }

    /// Returns the slot where a puzzle goes unless another puzzle already occupies it.
    fn home(&self, hash: u64) -> usize {
        usize::try_from(hash >> (64 - self.slot_bits)).expect("a slot number is small")
    }

    /// Adds a puzzle from a group.
    pub fn add(&mut self, hash: u64, group: u16) {
        if !self.is_sampled(hash) {
            return;
        }
        let mut at = self.home(hash);
        let mut free = None;
        // The loop can visit every slot only if no slot is empty any more.
        for _ in 0..self.slots.len() {
            match self.slots[at] {
                EMPTY => {
                    free.get_or_insert(at);
                    break;
                }
                word if !self.is_sampled(word) => {
                    free.get_or_insert(at);
                }
                word if word & HASH_MASK == hash & HASH_MASK => {
                    return self.put(at, hash, set_of(word), group);
                }
                _ => {}
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.put(free.expect("a fifth of the slots is free"), hash, NO_GROUP, group);
        self.live += 1;
        while self.live > self.slots.len() / 5 * 4 && self.sample_bits < HASH_BITS {
            self.sample_bits += 1;
            self.live = self.sampled_words().count();
        }
    }

    /// Returns whether a puzzle is in the sample, given its hash or its word.
    const fn is_sampled(&self, hash: u64) -> bool {
        hash & ((1 << self.sample_bits) - 1) == 0
    }

    fn sampled_words(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().copied().filter(|&word| word != EMPTY && self.is_sampled(word))
    }

    /// Writes the word of a puzzle that was in a set of groups and now also is in another group.
    fn put(&mut self, at: usize, hash: u64, before: u16, group: u16) {
        let after = match self.sets[usize::from(before)].with.get(usize::from(group)) {
            Some(&after) if after != NO_GROUP => after,
            _ => self.join(before, group),
        };
        self.slots[at] = u64::from(after) << HASH_BITS | hash & HASH_MASK;
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
        self.sampled_words().for_each(|word| counts[usize::from(set_of(word))] += 1);
        self.sets.iter().map(|set| &set.groups[..]).zip(counts).filter(|&(_, count)| count > 0)
    }
}

/// Returns the number of the set in a word.
fn set_of(word: u64) -> u16 {
    u16::try_from(word >> HASH_BITS).expect("16 bits are left")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Counts distinct puzzles by set of groups, in the obvious way.
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
        room: u64,
        rows: impl Iterator<Item = &'a (u64, u16)>,
    ) -> (u64, BTreeMap<Vec<u16>, u64>) {
        let mut table = PuzzleTable::with_room_for(room);
        rows.for_each(|&(hash, group)| table.add(hash, group));
        (table.scale(), table.sets().map(|(set, count)| (set.to_vec(), count)).collect())
    }

    #[test]
    fn counts_by_set_are_those_of_the_plain_way() {
        // These include hashes that differ only in their first bit, and hashes that look like an unused slot.
        let few = [(7, 4), (7, 2), (7, 2), (7 | 1 << 63, 2), (0, 0), (0, 0), (u64::MAX, 0), (u64::MAX, 0)];
        for rows in [rows(6000, 2500, 1), few.to_vec()] {
            assert_eq!(scale_and_sets(3000, rows.iter()), (1, counted(&rows)));
        }
    }

    #[test]
    fn a_full_table_estimates_and_the_sample_does_not_depend_on_the_order() {
        let rows = rows(600_000, 200_000, 2);
        let (scale, sets) = scale_and_sets(0, rows.iter());
        assert!(scale >= 64);
        let total: u64 = counted(&rows).values().sum();
        let estimate = scale * sets.values().sum::<u64>();
        // The sample holds about 1,600 to 3,200 puzzles, so three standard errors are less than 8 %.
        assert!((estimate as f64 / total as f64 - 1.0).abs() < 0.08, "{estimate} for {total}");
        assert_eq!(scale_and_sets(0, rows.iter().rev()), (scale, sets));
    }

    #[test]
    fn the_largest_table_is_within_its_bound() {
        for (room, bits) in [(0, LEAST_SLOT_BITS), (1 << 20, 21), (u64::MAX, MOST_SLOT_BITS)] {
            assert_eq!(PuzzleTable::with_room_for(room).slots.len(), 1 << bits);
        }
    }
}
