//! Rows of a table of text, and their fields.
//!
//! A row ends at a line end outside quotes; a quote opens only at the start of a field. A quote that is never closed would
//! swallow the rows behind it: when it is followed by none that closes, or by one that cannot, the row ends with the line
//! on which the quote opened. Rows without quotes, that is nearly all, are cut at their separators; the others go through
//! csv-core.

use csv_core::{ReaderBuilder, Terminator};
use memchr::{memchr, memchr_iter, memchr2};

use super::MAX_LINE;
use super::batch::TextEnd;

/// Where a row ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowLength {
    pub length: usize,
    pub lines: u64,
    /// The quote that was opened and not closed.
    pub unclosed: Option<usize>,
}

/// Finds the end of the row at the start of `rest`; `None` if it is not there yet.
pub(super) fn row_length(rest: &[u8], separator: u8, end: TextEnd) -> Option<RowLength> {
    let mut at = 0;
    let mut lines = 0;
    loop {
        // Outside quotes.
        let Some(found) = memchr2(b'"', b'\n', &rest[at..]).map(|found| at + found) else {
            let whole = end == TextEnd::Last && !rest.is_empty();
            return whole.then_some(RowLength { length: rest.len(), lines: lines + 1, unclosed: None });
        };
        at = found + 1;
        if rest[found] == b'\n' {
            return Some(RowLength { length: at, lines: lines + 1, unclosed: None });
        }
        if found > 0 && rest[found - 1] != separator {
            continue;
        }
        // Inside quotes: until the quote closes, or it shows that it will not. Then the row ends with
        // the line on which it opened.
        let lines_before = lines;
        let mut opening_line_end = None;
        let broken = |opening_line_end: Option<usize>| {
            let length = opening_line_end.unwrap_or(rest.len());
            Some(RowLength { length, lines: lines_before + 1, unclosed: Some(found) })
        };
        loop {
            let next = memchr2(b'"', b'\n', &rest[at..]).map(|next| at + next);
            if opening_line_end.is_some() && next.unwrap_or(rest.len()) > MAX_LINE {
                return broken(opening_line_end);
            }
            let Some(next) = next else {
                return if end == TextEnd::Last { broken(opening_line_end) } else { None };
            };
            at = next + 1;
            if rest[next] == b'\n' {
                lines += 1;
                opening_line_end.get_or_insert(at);
                continue;
            }
            let closes = match rest[at..] {
                [b'"', ..] => {
                    at += 1;
                    continue;
                }
                [b'\n', ..] | [b'\r', b'\n', ..] => true,
                [] if end != TextEnd::Last => return None,
                [] | [b'\r'] => true,
                [byte, ..] => byte == separator,
            };
            if closes || opening_line_end.is_none() {
                break;
            }
            return broken(opening_line_end);
        }
    }
}

/// The fields of one row, unquoted.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    text: Vec<u8>,
    /// End of each field in `text`.
    ends: Vec<usize>,
}

impl Fields {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, field: usize) -> Option<&[u8]> {
        let start = if field == 0 { 0 } else { *self.ends.get(field - 1)? };
        Some(&self.text[start..*self.ends.get(field)?])
    }

    /// Adds a field behind the last.
    pub fn push(&mut self, field: &[u8]) {
        self.text.extend_from_slice(field);
        self.ends.push(self.text.len());
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|field| self.get(field))
    }

    /// Whether there are so many, or one more that is empty.
    pub fn are_whole(&self, columns: usize) -> bool {
        self.len() == columns
            || self.len() == columns + 1
                && self.get(columns).is_some_and(|field| field.trim_ascii().is_empty())
    }
}

/// Splits rows into fields. csv-core builds a table of states before its first row, which takes longer
/// than reading a row: one serves a whole chunk, and is made only if there is a row for it.
pub(super) struct Unquoter {
    separator: u8,
    reader: Option<csv_core::Reader>,
}

impl Unquoter {
    pub fn new(separator: u8) -> Self {
        Self { separator, reader: None }
    }

    /// The fields of a row without its line end; the offset of the quote if one is not closed.
    pub fn fields(&mut self, row: &[u8]) -> Result<Fields, usize> {
        let separator = self.separator;
        if memchr(b'"', row).is_some()
            && let Some(RowLength { unclosed: Some(at), .. }) = row_length(row, separator, TextEnd::Last)
        {
            return Err(at);
        }
        let reader = self.reader.get_or_insert_with(|| {
            ReaderBuilder::new().delimiter(separator).terminator(Terminator::Any(b'\n')).build()
        });
        reader.reset();
        let mut text = vec![0; row.len() + 1];
        let mut ends = vec![0; memchr_iter(separator, row).count() + 2];
        let (_, _, written, found) = reader.read_record(row, &mut text, &mut ends);
        // The row has no line end of its own: that nothing follows ends it.
        let (_, _, _, last) = reader.read_record(&[], &mut text[written..], &mut ends[found..]);
        ends.truncate(found + last);
        Ok(Fields { text, ends })
    }

    /// Calls back with the fields of a row without its line end, unquoted; with `None` if a quote is not closed. `fields`
    /// is only there to be used again.
    pub fn split<'a>(
        &mut self,
        row: &'a [u8],
        fields: &mut Vec<&'a [u8]>,
        each: impl FnOnce(Option<&[&[u8]]>),
    ) {
        if memchr(b'"', row).is_some() {
            let unquoted = self.fields(row).ok();
            let fields: Option<Vec<&[u8]>> = unquoted.as_ref().map(|fields| fields.iter().collect());
            return each(fields.as_deref());
        }
        fields.clear();
        let mut start = 0;
        for at in memchr_iter(self.separator, row) {
            fields.push(&row[start..at]);
            start = at + 1;
        }
        fields.push(&row[start..]);
        each(Some(fields));
    }
}

/// The offset in a row of byte `index` of an unquoted field; the end of the row if it has no such field.
pub(super) fn offset_in(row: &[u8], separator: u8, field: usize, index: usize) -> usize {
    let mut at = 0;
    for number in 0.. {
        let quoted = row.get(at) == Some(&b'"');
        at += usize::from(quoted);
        let mut inside = quoted;
        let mut seen = 0;
        loop {
            if number == field && seen == index {
                return at.min(row.len());
            }
            match row[at..] {
                [] => return row.len(),
                [b'"', b'"', ..] if inside => at += 1,
                [b'"', ..] if inside => {
                    inside = false;
                    at += 1;
                    continue;
                }
                [byte, ..] if byte == separator && !inside => break,
                _ => {}
            }
            at += 1;
            seen += 1;
        }
        if number == field {
            return at;
        }
        at += 1;
    }
    row.len()
}

/// A field of a row without quotes.
pub(super) fn plain_field(row: &[u8], separator: u8, column: usize) -> Option<&[u8]> {
    let mut separators = memchr_iter(separator, row);
    let start = if column == 0 { 0 } else { separators.nth(column - 1)? + 1 };
    Some(&row[start..separators.next().unwrap_or(row.len())])
}

/// A text between quotes whose own quotes are doubled.
pub(super) fn once_quoted(inner: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        text.push(byte);
        if byte == b'"' {
            bytes.next_if_eq(&b'"');
        }
    }
    text
}
