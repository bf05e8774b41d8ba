//! Documents whose values stand within each other.

pub(in crate::input) mod xml;
