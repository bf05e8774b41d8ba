//! Grids, Sudominoku cases, houses (rows, columns and boxes), symmetries and the independent verifier, but no solvers.
//!
//! ```
//! use batchdoku::sudoku::{Grid, Symmetry, cell_name, verifier};
//!
//! let puzzle: Grid = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..".parse()?;
//! let solution: Grid = "483921657967345821251876493548132976729564138136798245372689514814253769695417382".parse()?;
//! assert!(verifier::sudoku(&puzzle, &solution));
//! let turn: Symmetry = "tr987654321c123456789d123456789".parse()?;
//! assert!(verifier::sudoku(&turn.apply(&puzzle), &turn.apply(&solution)));
//! assert_eq!(puzzle.clue_cells().iter().next().map(cell_name).as_deref(), Some("A3"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod grid;
mod houses;
pub(crate) mod random;
mod sets;
mod symmetry;
pub mod verifier;

pub use crate::kinds::sudominoku::sudoku::{Case, Domino};
pub use grid::{Grid, ParseGridError, digit_of};
#[cfg(feature = "io")]
pub(crate) use houses::SIDE;
pub use houses::{CELLS, House, are_peers, box_of, cell_name, column_of, row_of};
pub use sets::CellSet;
pub(crate) use sets::Numbers;
pub use symmetry::{ParseSymmetryError, Subgroup, Symmetry};
