//! Text: one notation for cells, and a reader for each framing of units.

pub(super) mod cases;
pub(super) mod fields;
pub(super) mod keyed;
pub(super) mod nesting;
pub(super) mod notation;
pub(super) mod table;
pub(super) mod tree;
pub(super) mod units;
