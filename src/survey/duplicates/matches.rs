//! A table of the duplicates, each with the first record it matches.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use super::finder::{Pair, Pairs};
use super::{PassError, Same};
use crate::output::{Encode, Output, Piece};
use crate::record::{Column, Field, Page, Schema, Type};

/// The number of rows per page.
const ROWS: usize = 16 << 10;

/// The columns of the table.
const FIELDS: [Field; 7] = [
    Field::ID,
    Field::SOURCE,
    Field::LINE,
    Field::result("first_id", Type::Number, "number of the first record that is the same"),
    Field::result("first_source", Type::Text, "name of the input with that record"),
    Field::result("first_line", Type::Number, "line on which that record starts"),
    Field::result("kind", Type::Word, "what the two records have in common: a value of --same"),
];

/// The duplicates, each with the first record it matches.
pub struct Matches {
    pub(super) same: Same,
    pub(super) pairs: Pairs,
    /// The number of each input's first record, and the input's name.
    pub(super) inputs: Vec<(u64, String)>,
}

impl Matches {
    /// Returns the columns of the table.
    #[must_use]
    pub fn schema() -> Schema {
        Schema { fields: FIELDS.to_vec(), carried: Vec::new(), measured: false, statuses: &[] }
    }

    /// Returns, in order, the number of each duplicate and of the first record it matches. Fails if records that did
    /// not fit into memory cannot be read.
    pub fn numbers(self) -> Result<Vec<(u64, u64)>, PassError> {
        let mut numbers = Vec::new();
        for pairs in self.pairs.in_order() {
            let pairs = pairs.map_err(PassError::Spill)?;
            numbers.extend(pairs.into_iter().map(|pair| (pair.record.0, pair.first.0)));
        }
        Ok(numbers)
    }

    /// Writes the table to the output with this name, in the order of the duplicates. Fails if the output cannot be
    /// written, if records that did not fit into memory cannot be read, or if the flag is raised.
    pub fn write(
        self,
        encoder: &dyn Encode,
        (name, out): (&str, &mut dyn Output),
        threads: NonZeroUsize,
        stop: &AtomicBool,
    ) -> Result<(), PassError> {
        let unwritten = |error| PassError::Unwritten(name.to_owned(), error);
        let Self { same, pairs, inputs } = self;
        let (firsts, names): (Vec<_>, Vec<_>) = inputs.into_iter().unzip();
        let (schema, mut piece) = (Self::schema(), Piece::default());
        encoder.header(&schema, &mut piece.bytes);
        let mut writer = encoder.writer(&schema, threads).map_err(unwritten)?;
        writer.append(&mut piece, out).map_err(unwritten)?;
        for pairs in pairs.in_order() {
            for pairs in pairs.map_err(PassError::Spill)?.chunks(ROWS) {
                if stop.load(Ordering::Relaxed) {
                    return Err(PassError::Interrupted);
                }
                piece.clear();
                encode(pairs, same, (&firsts, &names), encoder, &mut piece);
                writer.append(&mut piece, out).map_err(unwritten)?;
            }
        }
        writer.finish(out).map_err(unwritten)
    }
}

/// Encodes some rows; `firsts` and `names` give each input's first record number and name.
fn encode(
    pairs: &[Pair],
    same: Same,
    (firsts, names): (&[u64], &[String]),
    encoder: &dyn Encode,
    piece: &mut Piece,
) {
    let numbers = |of: fn(&Pair) -> u64| pairs.iter().map(of).collect::<Vec<_>>();
    let sources = |numbers: &[u64]| -> Vec<u32> {
        let source = |number: &u64| firsts.partition_point(|first| first <= number) as u32 - 1;
        numbers.iter().map(source).collect()
    };
    let (ids, lines) = (numbers(|pair| pair.record.0), numbers(|pair| pair.record.1));
    let (first_ids, first_lines) = (numbers(|pair| pair.first.0), numbers(|pair| pair.first.1));
    let (sources, first_sources) = (sources(&ids), sources(&first_ids));
    let kinds = vec![same as u8; pairs.len()];
    let columns = vec![
        Column::Numbers(&ids),
        Column::Names(&sources, names),
        Column::Numbers(&lines),
        Column::Numbers(&first_ids),
        Column::Names(&first_sources, names),
        Column::Numbers(&first_lines),
        Column::Words(&kinds, &Same::WORDS),
    ];
    encoder.encode(&Page::new(&Matches::schema(), columns, pairs.len()), piece);
}
