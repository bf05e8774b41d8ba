//! The canonical form and the difficulty of a puzzle.
//!
//! ```
//! use batchdoku::analysis::canon::Canonizer;
//! use batchdoku::analysis::rating::explain;
//! use batchdoku::sudoku::{Grid, Symmetry};
//!
//! let puzzle: Grid = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..".parse()?;
//! let isomorph = "tr987654321c123645978d312456789".parse::<Symmetry>()?.apply(&puzzle);
//! let mut canonizer = Canonizer::default();
//! let canonical = canonizer.minlex(&puzzle);
//! assert_eq!(canonical.symmetry.apply(&puzzle), canonical.grid);
//! assert_eq!(canonizer.minlex(&isomorph).grid, canonical.grid);
//!
//! let (rating, steps) = explain(&puzzle);
//! assert_eq!((rating.to_string(), steps.len()), ("1.2".to_owned(), 49));
//! println!("{}", steps[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod canon;
pub mod rating;
