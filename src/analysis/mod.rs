//! What can be said of a puzzle besides its solution.

pub mod canon;
