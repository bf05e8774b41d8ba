//! `generate --kind sudominoku`: cases in the format of BOJ 4574.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use super::compress::{Compression, text_writer};
use super::encode::{Append, Encode, Form, Output, Piece, Unfit, Value, Values, kept_rows};
use crate::record::{Page, Role, Schema};
use crate::sudoku::{Case, Domino, cell_name};

/// The format of cases, which ends with a line `0`.
#[derive(Clone, Copy, Debug)]
pub struct Cases {
    /// How the text is compressed, if it is.
    pub compression: Option<Compression>,
}

/// Writes a case in the format of BOJ 4574: the number of dominoes, a line for each, the singles.
///
/// # Errors
///
/// When `out` cannot be written.
pub fn write_case(case: &Case, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", case.dominoes.len())?;
    for Domino { cells, digits } in &case.dominoes {
        let [first, second] = cells.map(|cell| cell_name(usize::from(cell)));
        writeln!(out, "{} {first} {} {second}", digits[0], digits[1])?;
    }
    writeln!(out, "{}", case.singles.map(|cell| cell_name(usize::from(cell))).join(" "))
}

impl Encode for Cases {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        let has_cases = schema.find(Role::Case).is_some();
        if has_cases { Ok(()) } else { Err(Unfit::Missing { format: "cases", missing: "cases" }) }
    }

    fn form(&self) -> Form {
        if self.compression.is_some() { Form::Binary } else { Form::Text }
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let Some(column) = page.column(Role::Case) else { return };
        let mut cases = Values::new(&column);
        for row in kept_rows(page) {
            if let Value::Bytes(text) = cases.at(row) {
                out.bytes.extend_from_slice(text);
            }
        }
    }

    fn writer(&self, _: &Schema, threads: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        Ok(Box::new(List { writer: text_writer(self.compression, threads) }))
    }
}

/// The writer of a list of cases.
struct List {
    writer: Box<dyn Append>,
}

impl Append for List {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        self.writer.append(piece, out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        let mut end = Piece::default();
        end.bytes.extend_from_slice(b"0\n");
        self.writer.append(&mut end, out)?;
        self.writer.finish(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_written_in_the_format_of_the_judge() {
        let dominoes =
            vec![Domino { cells: [10, 11], digits: [6, 1] }, Domino { cells: [54, 45], digits: [4, 7] }];
        let case = Case { dominoes, singles: [22, 2, 35, 75, 8, 40, 1, 23, 72] };
        let mut text = Vec::new();
        write_case(&case, &mut text).unwrap();
        assert_eq!(text, b"2\n6 B2 1 B3\n4 G1 7 F1\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n");
    }
}
