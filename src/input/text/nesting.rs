//! Where in a document a place is: which values are open around it.

/// The values that are open at a place of a document of JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::input) struct Nesting {}
