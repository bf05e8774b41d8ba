//! The scalar solver.
