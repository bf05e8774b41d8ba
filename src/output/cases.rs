//! `generate --kind`: puzzles other than sudokus, written as text.

use std::io;
use std::num::NonZeroUsize;

use super::encode::{Append, Between, Encode, Piece, Value, Values, kept_rows};
use crate::record::{Page, Role, Schema};

/// The format for cases, which ends with the line `0`.
#[derive(Clone, Copy, Debug)]
pub struct Cases;

impl Encode for Cases {
    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let Some(column) = page.column(Role::Case) else { return };
        let mut cases = Values::new(&column);
        for row in kept_rows(page) {
            if let Value::Bytes(text) = cases.at(row) {
                out.bytes.extend_from_slice(text);
            }
        }
    }

    fn writer(&self, _: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        Ok(Box::new(Between::new("", "0\n")))
    }
}
