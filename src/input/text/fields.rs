//! Splits a text table into rows, and rows into fields.
//!
//! A row ends at a line end outside quotes. A quote opens only at the start of a field, and is doubled inside quotes. A
//! quote that is never closed would swallow the rows after it, so the closing quote must follow within [`MAX_LINE`]
//! bytes. If it is on a later line, it must also be at the end of a field; otherwise the row ends with the line of the
//! opening quote. If it is on the same line but not at the end of a field, both quotes are part of the field's text.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};

use crate::input::MAX_LINE;
use crate::input::reader::TextEnd;

/// A row as written in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::input) struct Row {
    /// The length of the row in bytes, including the line end.
    pub length: usize,
    /// The number of lines that the row covers.
    pub lines: u64,
    /// The offset of a quote that was opened but not closed.
    pub unclosed: Option<usize>,
}

/// The place of a field in its row, without the quotes. The type is kept small because a row can have a million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::input) struct Field {
    start: usize,
    /// The length of the field in bytes; it hardly ever exceeds the length of a line.
    length: u32,
    /// Whether the field is in quotes.
    pub is_quoted: bool,
}

/// A quote that has a matching closing quote.
struct Quote {
    /// The offset of the closing quote.
    at: usize,
    /// The number of line ends between the quotes.
    lines: u64,
    /// Whether the closing quote is at the end of the field. If not, both quotes are part of the field's text.
    closes: bool,
}

/// A splitter that splits one row after another.
#[derive(Clone, Debug)]
pub(in crate::input) struct Splitter {
    separator: u8,
    fields: Vec<Field>,
    /// How many fields of a row are kept; `further` is the number of additional fields in the latest row.
    most: usize,
    further: usize,
}

impl Splitter {
    /// Makes a splitter for rows with this separator.
    pub const fn new(separator: u8) -> Self {
        Self { separator, fields: Vec::new(), most: usize::MAX, further: 0 }
    }

    /// Keeps only the first `most` fields of a row and counts the rest, because a line can have a million of them.
    pub fn keeping(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Returns the number of fields in the latest row.
    pub const fn count(&self) -> usize {
        self.fields.len() + self.further
    }

    /// Returns the kept fields of the latest row; some are missing if a quote was not closed.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the texts of the kept fields.
    pub fn texts(&self, row: &[u8]) -> Vec<Vec<u8>> {
        self.fields.iter().map(|field| field.text(row).into_owned()).collect()
    }

    /// Splits the row at the start of a text; `None` if the text does not contain the end of the row.
    #[inline]
    pub fn split(&mut self, rest: &[u8], end: TextEnd) -> Option<Row> {
        self.fields.clear();
        self.further = 0;
        let (mut at, mut lines) = (0, 1);
        if rest.is_empty() {
            return None;
        }
        loop {
            let mut field = Field::new(at, at, false);
            if rest.get(at) == Some(&b'"') {
                match self.quote(rest, at, end)? {
                    Ok(quote) => {
                        if quote.closes {
                            field = Field::new(at + 1, quote.at, true);
                        }
                        (at, lines) = (quote.at + 1, lines + quote.lines);
                    }
                    Err(length) => return Some(Row { length, lines, unclosed: Some(at) }),
                }
            }
            let stop = end_of_field(rest, at, self.separator);
            if stop.is_none() && end != TextEnd::Last {
                return None;
            }
            let stop_at = stop.unwrap_or(rest.len());
            let is_last = rest.get(stop_at) != Some(&self.separator);
            if !field.is_quoted {
                let is_return = is_last && stop_at > field.start && rest[stop_at - 1] == b'\r';
                field = Field::new(field.start, stop_at - usize::from(is_return), false);
            }
            if self.fields.len() < self.most {
                self.fields.push(field);
            } else {
                self.further += 1;
            }
            at = stop_at + 1;
            if is_last {
                return Some(Row { length: at.min(rest.len()), lines, unclosed: None });
            }
        }
    }

    /// Finds the quote that closes the one at `open`; if there is none, returns the length of the row as an error.
    /// Returns `None` if more text is needed to decide.
    #[inline(never)]
    fn quote(&self, rest: &[u8], open: usize, end: TextEnd) -> Option<Result<Quote, usize>> {
        let (mut at, mut lines, mut line_end) = (open + 1, 0, None);
        loop {
            let next = memchr2(b'"', b'\n', &rest[at..]).map(|next| at + next);
            if let Some(length) = line_end
                && next.unwrap_or(rest.len()) > MAX_LINE
            {
                return Some(Err(length));
            }
            let Some(next) = next else {
                return (end == TextEnd::Last).then_some(Err(line_end.unwrap_or(rest.len())));
            };
            at = next + 1;
            if rest[next] == b'\n' {
                lines += 1;
                line_end.get_or_insert(at);
                continue;
            }
            let closes = match &rest[at..] {
                [b'"', ..] => {
                    at += 1;
                    continue;
                }
                [] | [b'\r'] if end != TextEnd::Last => return None,
                [] | [b'\r'] | [b'\n', ..] | [b'\r', b'\n', ..] => true,
                [byte, ..] => *byte == self.separator,
            };
            return Some(match line_end {
                Some(length) if !closes => Err(length),
                _ => Ok(Quote { at: next, lines, closes }),
            });
        }
    }
}

impl Field {
    #[inline]
    fn new(start: usize, end: usize, is_quoted: bool) -> Self {
        Self { start, length: u32::try_from(end - start).unwrap_or(u32::MAX), is_quoted }
    }

    /// Returns the text of the field, without the quotes around it.
    #[inline]
    pub fn text(self, row: &[u8]) -> Cow<'_, [u8]> {
        let raw = &row[self.start..self.start + self.length as usize];
        if self.is_quoted && memchr(b'"', raw).is_some() {
            Cow::Owned(once_quoted(raw))
        } else {
            Cow::Borrowed(raw)
        }
    }

    /// Returns the offset in the row of the byte at `index` in the field's text.
    pub fn offset(self, row: &[u8], index: usize) -> usize {
        self.start + if self.is_quoted { doubled(&self.text(row), index) } else { index }
    }
}

/// Finds the next separator or line end.
#[inline]
pub(in crate::input) fn end_of_field(rest: &[u8], at: usize, separator: u8) -> Option<usize> {
    let ends = |byte: &u8| *byte == separator || *byte == b'\n';
    // In tables of 81 columns, a field is a single cell, so checking two bytes directly is faster than starting a
    // search.
    match rest[at..] {
        [first, ..] if ends(&first) => Some(at),
        [_, second, ..] if ends(&second) => Some(at + 1),
        _ => memchr2(separator, b'\n', &rest[at..]).map(|end| at + end),
    }
}

/// Replaces each doubled quote in a text with a single one.
fn once_quoted(doubled: &[u8]) -> Vec<u8> {
    let mut is_second = false;
    let is_kept = |byte: &u8| {
        is_second = *byte == b'"' && !is_second;
        *byte != b'"' || is_second
    };
    doubled.iter().copied().filter(is_kept).collect()
}

/// Returns the offset of the byte at `index` in a text once the quotes in the text have been doubled.
pub(in crate::input) fn doubled(text: &[u8], index: usize) -> usize {
    index + memchr_iter(b'"', &text[..index.min(text.len())]).count()
}

/// Returns the text of a row without its line end.
pub(in crate::input) fn without_line_end(row: &[u8]) -> &[u8] {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    row.strip_suffix(b"\r").unwrap_or(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Splits a text into rows. Each consists of its number of lines and its fields, or the offset of an unclosed
    /// quote.
    fn rows(text: &str, end: TextEnd) -> Vec<(u64, Result<Vec<String>, usize>)> {
        let mut splitter = Splitter::new(b',');
        let (mut rest, mut rows) = (text.as_bytes(), Vec::new());
        while let Some(row) = splitter.split(rest, end) {
            let text = |field: &Field| String::from_utf8(field.text(rest).into_owned()).unwrap();
            let fields = splitter.fields().iter().map(text).collect();
            rows.push((row.lines, row.unclosed.map_or(Ok(fields), Err)));
            rest = &rest[row.length..];
        }
        rows
    }

    #[test]
    fn rows_end_outside_quotes_and_quotes_are_closed_or_cost_one_row() {
        let all = |text: &str| {
            let shown = |row: (u64, Result<Vec<String>, usize>)| match row {
                (lines, Ok(fields)) => format!("{lines}:{}", fields.join("|")),
                (lines, Err(at)) => format!("{lines}!{at}"),
            };
            rows(text, TextEnd::Last).into_iter().map(shown).collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("", ""),
            ("a,b\n,\n\nc", "1:a|b 1:| 1: 1:c"),
            ("a,b\r\nc,\r\n\"d\"\r\n", "1:a|b 1:c| 1:d"),
            ("\"a,\"\"b\"\"\",\"\",\"\"\"\"\n", "1:a,\"b\"||\""),
            ("\"a\nb\",\"c\n\nd\"\ne", "4:a\nb|c\n\nd 1:e"),
            ("a\"b\",c\"\n", "1:a\"b\"|c\""),
            ("\"a\"b,c\n", "1:\"a\"b|c"),
            ("\"a,\"b\"\n", "1:\"a,\"b\""),
            ("a,\"b,c\nd,e\n", "1!2 1:d|e"),
            ("a,\"b,c\nd,\"e\nf,\"g\"\n", "1!2 1!2 1:f|g"),
            ("\"a\nb\",\"c\nd", "2!6 1:d"),
        ] {
            assert_eq!(all(text), expected, "{text:?}");
        }
        let long = format!("a,\"b\n{}", "c\n".repeat(MAX_LINE));
        assert_eq!(rows(&long, TextEnd::More).len(), MAX_LINE + 1);
        assert_eq!(rows(&long[..MAX_LINE], TextEnd::More), []);
    }

    proptest! {
        /// Rows written by the csv crate are read back; part of the text yields part of the rows; and offsets lead to
        /// the right bytes.
        #[test]
        fn any_fields_come_back(
            table in prop::collection::vec(prop::collection::vec("(?s).{0,8}|[\",\r\n ]{1,5}", 2..5), 1..8),
            cut in 0..200_usize,
        ) {
            let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
            for row in &table {
                writer.write_record(row).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let found: Vec<_> = rows(&text, TextEnd::Last).into_iter().map(|(_, fields)| fields.unwrap()).collect();
            prop_assert_eq!(&found, &table);
            if let Some(part) = text.get(..cut) {
                let part = rows(part, TextEnd::More);
                prop_assert!(part.iter().map(|(_, fields)| fields.as_ref().unwrap()).eq(&found[..part.len()]));
            }
            let mut splitter = Splitter::new(b',');
            let row = splitter.split(text.as_bytes(), TextEnd::Last).unwrap();
            for field in splitter.fields() {
                for (index, byte) in field.text(text.as_bytes()).iter().enumerate() {
                    let at = field.offset(text.as_bytes(), index);
                    prop_assert!(at < row.length && text.as_bytes()[at] == *byte);
                }
            }
        }
    }
}
