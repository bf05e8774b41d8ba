//! Trees: puzzles anywhere in a JSON or XML document, or in the JSON value on each line. Keys say which values are
//! puzzles.

mod document;
mod finder;
mod json;
mod jsonl;
mod node;
mod reader;
mod shape;
mod syntax;
mod unit;
mod walk;
mod xml;

#[cfg(test)]
mod tests;

pub(in crate::input) use reader::{json_candidates, xml_candidates};
