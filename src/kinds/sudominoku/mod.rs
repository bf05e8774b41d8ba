//! Sudominoku (BOJ 4574): a sudoku whose grid is covered by 36 dominoes and nine single numbers.

pub mod generate;
#[cfg(feature = "io")]
pub(crate) mod input;
pub(crate) mod record;
pub mod solver;
pub mod sudoku;
