//! Writes records unchanged; rows of binary tables become CSV rows with all columns.

use std::io;
use std::num::NonZeroUsize;

use super::pass::PassError;
use crate::input::{Excerpt, Look, Source};
use crate::output::{Append, Between, Encode, Piece, push_csv_row};
use crate::record::{Column, Page, Schema};

/// An encoder that writes records unchanged, so that the output is again a valid input.
#[derive(Clone, Debug)]
pub struct Verbatim {
    header: Vec<u8>,
    excerpt: Excerpt,
}

impl Verbatim {
    /// Returns an encoder for the records of some sources. Fails if the sources cannot be combined, or if their records
    /// cannot be copied individually.
    pub fn of(sources: &[Source]) -> Result<Self, PassError> {
        let (header, excerpt) = format_of(sources)?;
        Ok(Self { header, excerpt })
    }

    /// Makes binary tables carry all their columns. This must be called before their records are read.
    pub fn carry(sources: &mut [Source]) {
        for source in sources.iter_mut().filter(|source| is_table_without_text(source)) {
            let columns: Vec<_> = (0..source.columns().names.len()).map(Some).collect();
            source.carry(&columns);
        }
    }
}

impl Encode for Verbatim {
    fn header(&self, _: &Schema, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        let carried = page.columns[page.schema.fields.len()..].iter();
        let carried: Vec<_> = carried
            .filter_map(|column| match column {
                Column::Texts(texts) => Some(*texts),
                _ => None,
            })
            .collect();
        for row in (0..page.rows).filter(|&row| page.keeps(row)) {
            if carried.is_empty() {
                out.extend_from_slice(page.text_of(row));
                end_line(out);
            } else {
                push_csv_row(carried.iter().map(|texts| texts.get(row)), out);
            }
            out.extend_from_slice(self.excerpt.between.as_bytes());
        }
    }

    fn writer(&self, _: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        let Excerpt { between, end } = self.excerpt;
        Ok(Box::new(Between::new(between, end)))
    }
}

/// Ends the last line of a text, unless the text is empty.
fn end_line(text: &mut Vec<u8>) {
    if text.last().is_some_and(|&byte| byte != b'\n') {
        text.push(b'\n');
    }
}

/// Returns whether an input is a binary table.
fn is_table_without_text(source: &Source) -> bool {
    let framing = source.look().dialect.framing;
    framing.is_binary() && framing.has_columns()
}

/// Returns the format in which an input is read or, for a binary table, the format of the CSV written from it.
fn look(source: &Source) -> Look {
    let mut look = source.look().clone();
    if is_table_without_text(source) {
        look.header.clear();
        push_csv_row(look.columns.names.iter().map(|name| Some(name.as_bytes())), &mut look.header);
        look.excerpt = Some(Excerpt { between: "", end: "" });
    }
    look
}

/// Returns the format that all records share: the header before them, and the text between and after them.
fn format_of(sources: &[Source]) -> Result<(Vec<u8>, Excerpt), PassError> {
    let name = |source: &Source| source.info().name.clone();
    let mut format: Option<(String, Look)> = None;
    for source in sources {
        let found = look(source);
        if found.excerpt.is_none() {
            return Err(PassError::NoExcerpt(name(source), found.dialect.framing.word()));
        }
        let Some((first, known)) = &format else {
            format = Some((name(source), found));
            continue;
        };
        let header = |look: &Look| {
            let columns = if look.header.is_empty() { 0 } else { look.columns.names.len() };
            (columns, look.dialect.separator, look.header.trim_ascii_end().to_vec())
        };
        let what = match () {
            () if known.dialect.framing != found.dialect.framing => "a different format",
            () if header(known) != header(&found) => "different columns",
            () => continue,
        };
        return Err(PassError::Unlike { name: name(source), first: first.clone(), what });
    }
    let look = format.map(|(_, look)| look).unwrap_or_default();
    let mut header = look.header;
    end_line(&mut header);
    if look.has_mark {
        // Excel needs this mark to recognize the text as UTF-8.
        header.splice(..0, "\u{feff}".bytes());
    }
    Ok((header, look.excerpt.unwrap_or(Excerpt { between: "", end: "" })))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    #[test]
    fn inputs_that_are_not_alike_are_refused() {
        let refused =
            |texts: [&str; 2]| Verbatim::of(&texts.map(source)).err().map(|error| error.to_string());
        let (line, table) = (format!("{PUZZLE}\n"), format!("puzzle,rating\n{PUZZLE},7\n"));
        let grid: String = (0..9).map(|row| format!("{}\n", &PUZZLE[row * 9..row * 9 + 9])).collect();
        assert_eq!(refused([&line, &line]), None);
        assert_eq!(refused([&table, &table.replace('\n', "\r\n")]), None);
        assert!(refused([&line, &grid]).unwrap().starts_with("a: has a different format from a"));
        assert!(refused([&table, &table.replace("rating", "level")]).unwrap().contains("different columns"));
    }
}
