//! The nesting at some point in a document: the values that are open there.

use std::io::Write as _;

/// A list, object or element that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    pub is_object: bool,
    /// The number of values inside it that have begun.
    pub count: u64,
    /// Whether the keys around the values mark them as claims (true) or puzzles (false); `None` if the keys say
    /// neither.
    pub are_claims: Option<bool>,
    /// The offset at which the last step of the path starts.
    step: usize,
}

/// The values that are open at some point in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nesting {
    pub opens: Vec<Open>,
    /// The steps of the path to the innermost value.
    path: Vec<u8>,
}

impl Nesting {
    /// Enters a list or object that has this key.
    pub fn enter(&mut self, key: Option<&[u8]>, is_object: bool, are_claims: Option<bool>) {
        let step = self.path.len();
        let index = self.opens.last().map_or(0, |open| open.count - 1);
        if !self.opens.is_empty() {
            write_step(key, index, &mut self.path);
        }
        self.opens.push(Open { is_object, count: 0, are_claims, step });
    }

    /// Enters an element that has this name.
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

    /// Returns the name of the innermost open element, if any.
    pub fn name(&self) -> Option<&[u8]> {
        self.opens.last().map(|open| &self.path[open.step..])
    }

    /// Returns whether the keys around this point mark its values as claims (true) or puzzles (false); `None` if they
    /// say neither.
    pub fn are_claims(&self) -> Option<bool> {
        self.opens.last().and_then(|open| open.are_claims)
    }

    /// Appends the path of the current value, such as `$.problems[17]`; `key` is the key of that value.
    pub fn write_path(&self, key: Option<&[u8]>, path: &mut Vec<u8>) {
        path.push(b'$');
        path.extend_from_slice(&self.path);
        if let Some(open) = self.opens.last() {
            write_step(key, open.count.saturating_sub(1), path);
        }
    }
}

/// Appends a step to a path: the key as written, or else the index of an element.
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
