//! Grids, Sudominoku cases, houses and the independent verifier: plain data that every other room passes around.
//!
//! Nothing here solves. A *house* is a row, a column or a box.

mod case;
mod grid;
mod houses;
pub mod verifier;

pub use case::{Case, Domino};
pub use grid::{Grid, ParseGridError, digit_of};
#[cfg(feature = "io")]
pub(crate) use houses::SIDE;
pub use houses::{CELLS, House, are_peers, box_of, cell_name, column_of, row_of};
