//! What can be said of a puzzle besides its solution: its canonical form, and how hard it is.

pub mod canon;
pub mod rating;
