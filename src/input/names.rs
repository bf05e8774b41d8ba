//! What columns and keys are called: which holds the puzzle, which the claimed solution. One list for all formats.

use super::reader::Which;

/// What a column or key of that name holds, if the name says it.
pub(super) fn meaning(_name: &str) -> Option<Which> {
    todo!()
}
