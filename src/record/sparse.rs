//! Values that only a few rows have.

use super::Rows;

/// The values of the rows that have one, in row order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sparse<T> {
    entries: Vec<(u32, T)>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T> Sparse<T> {
    /// Adds a value for a row that comes after all rows that have a value.
    pub fn push(&mut self, row: usize, value: T) {
        let row = u32::try_from(row).expect("a batch has fewer than 4 billion rows");
        debug_assert!(self.entries.last().is_none_or(|(last, _)| *last < row), "rows come in order");
        self.entries.push((row, value));
    }

    /// Sets the value of a row that does not have one yet.
    pub fn insert(&mut self, row: usize, value: T) {
        let row = u32::try_from(row).expect("a batch has fewer than 4 billion rows");
        let at = self.entries.partition_point(|&(other, _)| other < row);
        self.entries.insert(at, (row, value));
    }

    /// Returns the value of a row, if any, using binary search.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&T> {
        let row = u32::try_from(row).ok()?;
        let at = self.entries.binary_search_by_key(&row, |&(row, _)| row).ok()?;
        Some(&self.entries[at].1)
    }

    /// Returns the rows that have a value, in ascending order, along with their values.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.entries.iter().map(|(row, value)| (*row as usize, value))
    }

    /// Returns the values as mutable references.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no row has a value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

impl<T> Rows for Sparse<T> {
    fn skip(&mut self, rows: usize) {
        let gone = self.entries.partition_point(|&(row, _)| (row as usize) < rows);
        self.entries.drain(..gone);
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        self.entries.iter_mut().for_each(|(row, _)| *row = row.saturating_sub(rows));
    }

    fn truncate(&mut self, rows: usize) {
        let kept = self.entries.partition_point(|&(row, _)| (row as usize) < rows);
        self.entries.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_with_a_value_have_one() {
        let mut sparse = Sparse::default();
        for row in [2, 3, 900] {
            sparse.push(row, row * 10);
        }
        assert_eq!((0..1000).filter_map(|row| sparse.get(row).copied()).collect::<Vec<_>>(), [20, 30, 9000]);
        sparse.truncate(3);
        assert_eq!(sparse.iter().collect::<Vec<_>>(), [(2, &20)]);
    }

    #[test]
    fn a_value_is_set_wherever_its_row_lies() {
        let mut sparse = Sparse::default();
        for row in [5, 1, 900, 3] {
            sparse.insert(row, row * 10);
        }
        assert_eq!(sparse.iter().collect::<Vec<_>>(), [(1, &10), (3, &30), (5, &50), (900, &9000)]);
        assert_eq!(
            (sparse.get(3), sparse.get(4), sparse.len(), sparse.is_empty()),
            (Some(&30), None, 4, false)
        );
        sparse.clear();
        assert_eq!((sparse.get(3), sparse.len(), sparse.is_empty()), (None, 0, true));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "rows come in order")]
    fn no_row_has_two_values() {
        let mut sparse = Sparse::default();
        sparse.push(2, ());
        sparse.push(2, ());
    }
}
