//! `generate --kind sudominoku`: cases in the format of BOJ 4574.

use std::io;
use std::num::NonZeroUsize;

use super::encode::{Append, Between, Encode, Piece, Unfit, Value, Values, kept_rows, needs};
use crate::record::{Page, Role, Schema};

/// The format of cases, which ends with a line `0`.
#[derive(Clone, Copy, Debug)]
pub struct Cases;

impl Encode for Cases {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        needs(schema, "cases", &[(Role::Case, "cases")])
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

    fn writer(&self, _: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        Ok(Box::new(Between::new("", "0\n")))
    }
}
