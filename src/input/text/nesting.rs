//! The nesting of a place in a document: the values that are open around it, the innermost last.

/// A list, an object or an element that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::input) struct Open {
    pub is_object: bool,
    /// Whether a value in the list, object or element has begun.
    pub has_values: bool,
    /// Whether the keys around the values say that they are claims rather than puzzles; `None` if they say neither.
    pub are_claims: Option<bool>,
    /// The name of an element; empty for a list or an object.
    pub name: String,
}
