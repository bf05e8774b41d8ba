//! The table of puzzles seen so far and the inputs they came from: exact up to about 13 million distinct puzzles.
//!
//! An open-addressing table keeps one word per distinct puzzle. The word holds 48 bits of the hash and the number of
//! the set of groups (inputs) in which the puzzle occurred. The word's position gives most of the remaining hash bits.
//! Only a few different sets occur, so each is stored once, and puzzles are counted by set. These counts and the number
//! of rows give everything else, such as repeats and the puzzles that two groups share.
//!
//! When the table is full, it keeps only the puzzles whose hash ends in one zero bit, then two, and so on. From then
//! on, the counts are estimates from a sample that does not depend on the row order (Gibbons, "Distinct sampling",
//! 2001). The table never grows. Its size is derived from the input size, so memory is bounded and nothing has to be
//! moved.

use std::collections::HashMap;

/// The base-2 logarithm of the number of words in the largest table, which takes 128 MiB.
const MOST_SLOT_BITS: u32 = 24;
const LEAST_SLOT_BITS: u32 = 12;
/// The number of hash bits in a word; the remaining bits hold the set.
const HASH_BITS: u32 = 48;
const HASH_MASK: u64 = (1 << HASH_BITS) - 1;
/// The words that mark a slot that was never used and a slot whose puzzle left the sample. Set numbers start at 1, and
/// the highest number is not used for a set.
const EMPTY: u64 = 0;
const DELETED: u64 = u64::MAX;
const MOST_SETS: usize = 0xfffe;
/// The largest number of multi-group sets that are counted separately.
const MOST_JOINED_SETS: usize = 4096;

/// A set of groups, as ascending numbers.
type Set = Vec<u16>;

/// Counts distinct puzzles by the groups in which they occur.
pub(super) struct PuzzleTable {
    slots: Vec<u64>,
    slot_bits: u32,
    /// Number of distinct puzzles in the sample.
    live: usize,
    /// Number of zero bits at the end of every hash in the sample.
    sample_bits: u32,
    /// The sets, in the order in which they first occurred; the number `n` in a word stands for `sets[n - 1]`.
    sets: Vec<Set>,
    numbers: HashMap<Set, u16>,
    /// The set that results from adding a group to a set.
    joined: HashMap<(u16, u16), u16>,
    /// Number of distinct puzzles in the sample that have each set of groups.
    counts: Vec<u64>,
    /// Whether the numbers for sets ran out; some puzzles are then missing from some groups.
    sets_overflowed: bool,
}

impl PuzzleTable {
    /// Returns an empty table with room for this many distinct puzzles, within limits. If memory is short, the table is
    /// smaller and starts sampling earlier.
    pub fn with_room_for(puzzles: u64) -> Self {
        let slots = puzzles.saturating_add(puzzles / 2).checked_next_power_of_two();
        let bits = slots.map_or(MOST_SLOT_BITS, u64::ilog2);
        let mut bits = bits.clamp(LEAST_SLOT_BITS, MOST_SLOT_BITS);
        while bits > LEAST_SLOT_BITS && Vec::<u64>::new().try_reserve_exact(1 << bits).is_err() {
            bits -= 1;
        }
        Self::with_slot_bits(bits)
    }

    fn with_slot_bits(slot_bits: u32) -> Self {
        Self {
            slots: vec![EMPTY; 1 << slot_bits],
            slot_bits,
            live: 0,
            sample_bits: 0,
            sets: Vec::new(),
            numbers: HashMap::new(),
            joined: HashMap::new(),
            counts: Vec::new(),
            sets_overflowed: false,
        }
    }

    /// Returns the number of distinct puzzles the table holds before it starts sampling: four fifths of its slots.
    const fn room(&self) -> usize {
        self.slots.len() / 5 * 4
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

    /// Adds a puzzle from a group; `alone` is the number of the [set](Self::alone) that contains only this group.
    pub fn add(&mut self, hash: u64, group: u16, alone: u16) {
        if !self.is_sampled(hash) {
            return;
        }
        let wanted = hash & HASH_MASK;
        let mask = self.slots.len() - 1;
        let mut at = self.home(hash);
        let mut free = None;
        // The loop can visit every slot only if deleted slots have replaced all the empty ones.
        for _ in 0..self.slots.len() {
            match self.slots[at] {
                EMPTY => {
                    free.get_or_insert(at);
                    break;
                }
                DELETED => {
                    free.get_or_insert(at);
                }
                word if word & HASH_MASK == wanted => return self.join(at, group),
                _ => {}
            }
            at = (at + 1) & mask;
        }
        self.slots[free.expect("a fifth of the slots is free")] = u64::from(alone) << HASH_BITS | wanted;
        self.counts[usize::from(alone) - 1] += 1;
        self.live += 1;
        while self.live > self.room() && self.shrink() {}
    }

    const fn is_sampled(&self, hash: u64) -> bool {
        hash & ((1 << self.sample_bits) - 1) == 0
    }

    /// Adds a group to the set of the puzzle in the given slot.
    fn join(&mut self, at: usize, group: u16) {
        let before = u16::try_from(self.slots[at] >> HASH_BITS).expect("16 bits are left");
        let index = usize::from(before) - 1;
        if !self.sets[index].contains(&group) {
            let after = match self.joined.get(&(before, group)) {
                Some(&after) => after,
                None => self.join_sets(before, group),
            };
            self.counts[index] -= 1;
            self.counts[usize::from(after) - 1] += 1;
            self.slots[at] = u64::from(after) << HASH_BITS | self.slots[at] & HASH_MASK;
        }
    }

    fn join_sets(&mut self, before: u16, group: u16) -> u16 {
        let mut set = self.sets[usize::from(before) - 1].clone();
        set.push(group);
        set.sort_unstable();
        let after = if self.sets.len() < MOST_JOINED_SETS || self.numbers.contains_key(&set) {
            self.number_of(&set)
        } else {
            self.sets_overflowed = true;
            before
        };
        self.joined.insert((before, group), after);
        after
    }

    /// Returns the number of the set that contains only this group. Most puzzles have such a set.
    pub fn alone(&mut self, group: u16) -> u16 {
        self.number_of(&[group])
    }

    fn number_of(&mut self, set: &[u16]) -> u16 {
        if let Some(&number) = self.numbers.get(set) {
            return number;
        }
        self.sets.push(set.to_vec());
        self.counts.push(0);
        // This is more than enough for the joined sets plus one set per group.
        let number = self.sets.len().min(MOST_SETS) as u16;
        self.numbers.insert(set.to_vec(), number);
        number
    }

    /// Drops about half of the puzzles and returns whether the table can shrink further.
    fn shrink(&mut self) -> bool {
        if self.sample_bits >= HASH_BITS {
            return false;
        }
        self.sample_bits += 1;
        let mask = (1 << self.sample_bits) - 1;
        for slot in &mut self.slots {
            if *slot != EMPTY && *slot != DELETED && *slot & mask != 0 {
                self.counts[usize::try_from(*slot >> HASH_BITS).expect("16 bits are left") - 1] -= 1;
                *slot = DELETED;
            }
        }
        // Deleted slots are reused for other puzzles, so the table has room again.
        self.live = self.counts.iter().sum::<u64>() as usize;
        true
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
        self.sets.iter().map(Vec::as_slice).zip(self.counts.iter().copied()).filter(|&(_, count)| count > 0)
    }
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

    fn add<'a>(table: &mut PuzzleTable, rows: impl Iterator<Item = &'a (u64, u16)>) {
        for &(hash, group) in rows {
            let alone = table.alone(group);
            table.add(hash, group, alone);
        }
    }

    /// Returns the scale of a table and its counts by set.
    fn scale_and_sets(table: &PuzzleTable) -> (u64, BTreeMap<Vec<u16>, u64>) {
        (table.scale(), table.sets().map(|(set, count)| (set.to_vec(), count)).collect())
    }

    #[test]
    fn counts_by_set_are_those_of_the_plain_way() {
        // These include hashes that differ only in their first bit, and hashes that look like an unused slot.
        let few = [(7, 4), (7, 2), (7, 2), (7 | 1 << 63, 2), (0, 0), (0, 0), (u64::MAX, 0), (u64::MAX, 0)];
        for rows in [rows(6000, 2500, 1), few.to_vec()] {
            let mut table = PuzzleTable::with_room_for(3000);
            add(&mut table, rows.iter());
            assert_eq!(scale_and_sets(&table), (1, counted(&rows)));
        }
    }

    #[test]
    fn a_full_table_estimates() {
        let distinct = 200_000;
        let rows = rows(600_000, distinct, 2);
        let mut table = PuzzleTable::with_slot_bits(LEAST_SLOT_BITS);
        add(&mut table, rows.iter());
        let (scale, sets) = scale_and_sets(&table);
        assert!(scale >= 64);
        let total: u64 = counted(&rows).values().sum();
        let estimate = scale * sets.values().sum::<u64>();
        // The sample holds about 1,600 to 3,200 puzzles, so three standard errors are less than 8 %.
        assert!((estimate as f64 / total as f64 - 1.0).abs() < 0.08, "{estimate} for {total}");
    }

    #[test]
    fn the_sample_does_not_depend_on_the_order() {
        let rows = rows(30_000, 20_000, 3);
        let sets = |rows: &mut dyn Iterator<Item = &(u64, u16)>| {
            let mut table = PuzzleTable::with_slot_bits(LEAST_SLOT_BITS);
            add(&mut table, rows);
            scale_and_sets(&table)
        };
        assert_eq!(sets(&mut rows.iter()), sets(&mut rows.iter().rev()));
    }

    #[test]
    fn the_largest_table_is_within_its_bound() {
        assert_eq!(PuzzleTable::with_room_for(0).slots.len(), 1 << LEAST_SLOT_BITS);
        assert_eq!(PuzzleTable::with_room_for(1 << 20).slots.len(), 1 << 21);
        assert_eq!(PuzzleTable::with_room_for(u64::MAX).slot_bits, MOST_SLOT_BITS);
    }
}
