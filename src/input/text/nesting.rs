//! The nesting of a place in a document: the values that are open around it.

use std::io::Write as _;

/// A list, an object or an element that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    pub is_object: bool,
    /// The number of values in the list, object or element that have begun.
    pub count: u64,
    /// Whether the keys around the values say that they are claims rather than puzzles; `None` if they say neither.
    pub are_claims: Option<bool>,
    /// The start of the last step in the path.
    step: usize,
}

/// The values that are open at a place of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nesting {
    pub opens: Vec<Open>,
    /// The steps to the innermost value.
    path: Vec<u8>,
}

impl Nesting {
    /// Enters a list or an object with this key.
    pub fn enter(&mut self, key: Option<&[u8]>, is_object: bool, are_claims: Option<bool>) {
        let step = self.path.len();
        let index = self.opens.last().map_or(0, |open| open.count - 1);
        if !self.opens.is_empty() {
            write_step(key, index, &mut self.path);
        }
        self.opens.push(Open { is_object, count: 0, are_claims, step });
    }

    /// Enters an element with this name.
    pub fn enter_element(&mut self, name: &str, are_claims: Option<bool>) {
        let step = self.path.len();
        self.path.extend_from_slice(name.as_bytes());
        self.opens.push(Open { is_object: false, count: 0, are_claims, step });
    }

    /// Leaves the innermost value.
    pub fn leave(&mut self) {
        if let Some(open) = self.opens.pop() {
            self.path.truncate(open.step);
        }
    }

    /// Returns the name of the innermost element, if one is open.
    pub fn name(&self) -> Option<&[u8]> {
        self.opens.last().map(|open| &self.path[open.step..])
    }

    /// Whether values here are claims by the keys around them.
    pub fn are_claims(&self) -> Option<bool> {
        self.opens.last().and_then(|open| open.are_claims)
    }

    /// Appends the path of the current value, which has this key, such as `$.problems[17]`.
    pub fn write_path(&self, key: Option<&[u8]>, path: &mut Vec<u8>) {
        path.push(b'$');
        path.extend_from_slice(&self.path);
        if let Some(open) = self.opens.last() {
            write_step(key, open.count.saturating_sub(1), path);
        }
    }
}

/// Appends a step of a path: the key as it is written, or else the number of an element.
pub(in crate::input) fn write_step(key: Option<&[u8]>, index: u64, path: &mut Vec<u8>) {
    let is_name =
        |key: &str| !key.is_empty() && key.chars().all(|letter| letter == '_' || letter.is_alphanumeric());
    match key.map(String::from_utf8_lossy) {
        Some(key) if is_name(&key) => write!(path, ".{key}"),
        Some(key) => write!(path, "[\"{key}\"]"),
        None => {
            path.push(b'[');
            path.extend_from_slice(itoa::Buffer::new().format(index).as_bytes());
            path.write_all(b"]")
        }
    }
    .expect("memory takes all");
}
