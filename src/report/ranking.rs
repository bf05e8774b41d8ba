//! The highest-ranked puzzles, each listed once.

/// A ranked row and the hash of its puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ranked<T> {
    pub rank: u64,
    pub hash: u64,
    pub what: T,
}

/// The highest-ranked puzzles, each represented by the first of its rows that have its highest rank. Among equal ranks,
/// the earliest row comes first.
///
/// If the rankings of the pages are offered in order, entry by entry, the result is therefore the ranking of all rows.
#[derive(Clone, Debug)]
pub(super) struct Ranking<T> {
    most: usize,
    pub entries: Vec<Ranked<T>>,
}

impl<T> Ranking<T> {
    pub const fn new(most: usize) -> Self {
        Self { most, entries: Vec::new() }
    }

    /// Returns the lowest rank that can still enter the list. Rows with a lower rank need not be offered.
    pub fn least(&self) -> u64 {
        match self.entries.last() {
            _ if self.entries.len() < self.most => 0,
            Some(last) => last.rank.saturating_add(1),
            None => u64::MAX,
        }
    }

    /// Adds a row if its rank is high enough.
    pub fn offer(&mut self, rank: u64, hash: u64, what: T) {
        if self.entries.len() >= self.most && self.entries.last().is_none_or(|last| rank <= last.rank) {
            return;
        }
        if let Some(at) = self.entries.iter().position(|entry| entry.hash == hash) {
            if self.entries[at].rank >= rank {
                return;
            }
            self.entries.remove(at);
        }
        let at = self.entries.partition_point(|entry| entry.rank >= rank);
        self.entries.insert(at, Ranked { rank, hash, what });
        self.entries.truncate(self.most);
    }

    /// Removes and returns the entries, highest rank first.
    pub fn drain(&mut self) -> impl Iterator<Item = Ranked<T>> {
        self.entries.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Computes the ranking by sorting all rows.
    fn sorted(rows: &[(u64, u64)], most: usize) -> Vec<Ranked<usize>> {
        let mut best: BTreeMap<u64, (u64, usize)> = BTreeMap::new();
        for (row, &(rank, hash)) in rows.iter().enumerate() {
            let entry = best.entry(hash).or_insert((rank, row));
            if rank > entry.0 {
                *entry = (rank, row);
            }
        }
        let mut all: Vec<_> =
            best.into_iter().map(|(hash, (rank, what))| Ranked { rank, hash, what }).collect();
        all.sort_by_key(|entry| (u64::MAX - entry.rank, entry.what));
        all.truncate(most);
        all
    }

    proptest! {
        #[test]
        fn rankings_of_pages_add_up_to_that_of_all_rows(
            rows in prop::collection::vec((0..6_u64, 0..12_u64), 0..60),
            most in 0..6_usize,
            page in 1..20_usize,
        ) {
            let mut whole = Ranking::new(most);
            for (number, rows) in rows.chunks(page).enumerate() {
                let mut of_page = Ranking::new(most);
                for (row, &(rank, hash)) in rows.iter().enumerate() {
                    of_page.offer(rank, hash, number * page + row);
                }
                for Ranked { rank, hash, what } in of_page.drain() {
                    whole.offer(rank, hash, what);
                }
            }
            prop_assert_eq!(whole.entries, sorted(&rows, most));
        }
    }
}
