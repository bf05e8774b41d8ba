//! Trees: puzzles anywhere in a document, with keys that say what they are.

pub(in crate::input) mod json;
pub(in crate::input) mod xml;

mod finder;
mod lexer;
#[cfg(test)]
mod tests;
mod value;
