//! Grids, Sudominoku cases, houses (rows, columns and boxes), symmetries and the independent verifier, but no solvers.

mod grid;
mod houses;
pub(crate) mod random;
mod symmetry;
pub mod verifier;

pub use crate::kinds::sudominoku::sudoku::{Case, Domino};
pub use grid::{Grid, ParseGridError, digit_of};
#[cfg(feature = "io")]
pub(crate) use houses::SIDE;
pub use houses::{CELLS, House, are_peers, box_of, cell_name, column_of, row_of};
pub use symmetry::{ParseSymmetryError, Subgroup, Symmetry};
