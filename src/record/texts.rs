//! A column of texts.

use super::Rows;

/// A column in which each row can have a text made of any bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    bytes: Vec<u8>,
    /// The position in `bytes` where each row's text ends.
    ends: Vec<usize>,
    given: Vec<bool>,
}

impl Texts {
    /// Adds the next row's text, or no text.
    pub fn push(&mut self, text: Option<&[u8]>) {
        self.bytes.extend_from_slice(text.unwrap_or_default());
        self.ends.push(self.bytes.len());
        self.given.push(text.is_some());
    }

    /// Adds the next row's text, which `write` appends.
    #[inline]
    pub fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
        self.given.push(true);
    }

    /// Adds rows without text until there are at least `rows` in total.
    pub fn fill(&mut self, rows: usize) {
        self.ends.resize(rows.max(self.len()), self.bytes.len());
        self.given.resize(self.ends.len(), false);
    }

    /// Returns the text of a row, if any.
    #[must_use]
    #[inline]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let is_given = *self.given.get(row)?;
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        is_given.then(|| &self.bytes[start..self.ends[row]])
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.truncate(0);
    }
}

impl Rows for Texts {
    fn skip(&mut self, rows: usize) {
        let gone = rows.min(self.len()).checked_sub(1).map_or(0, |last| self.ends[last]);
        self.bytes.drain(..gone);
        self.ends.skip(rows);
        self.ends.iter_mut().for_each(|end| *end -= gone);
        self.given.skip(rows);
    }

    fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.given.truncate(rows);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_bytes_or_none() {
        let mut texts = Texts::default();
        let rows = [Some(&b"007"[..]), None, Some(b""), Some(b"\xff,\n")];
        rows.into_iter().for_each(|text| texts.push(text));
        let all = |texts: &Texts| {
            (0..texts.len()).map(|row| texts.get(row).map(<[u8]>::to_vec)).collect::<Vec<_>>()
        };
        let expected = rows.map(|text| text.map(<[u8]>::to_vec));
        assert_eq!(all(&texts), expected);
        texts.fill(5);
        assert_eq!((texts.len(), texts.get(4), texts.get(3)), (5, None, rows[3]));
        for rows in 0..=4 {
            let mut rest = texts.clone();
            rest.skip(rows);
            assert_eq!(all(&rest)[..4 - rows], expected[rows..]);
        }
        texts.truncate(1);
        texts.push(Some(b"x"));
        texts.fill(1);
        assert_eq!(all(&texts), [Some(b"007".to_vec()), Some(b"x".to_vec())]);
        texts.clear();
        assert!(texts.is_empty());
    }
}
