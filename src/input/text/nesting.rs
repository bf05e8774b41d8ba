//! Where in a document a place is: which values are open around it.

use std::fmt::Write as _;

/// What may come next in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::input) enum Next {
    /// A value.
    #[default]
    Value,
    /// The first element or key of what was opened, or its end.
    First,
    /// Another key.
    Key,
    /// What follows a value.
    Behind,
}

/// A list or an object that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::input) struct Open {
    pub is_object: bool,
    /// Elements or members before the one at hand.
    pub index: u64,
    /// Where the key of the member at hand begins in the keys; it ends where that of the next open value begins.
    key: usize,
    /// Whether values in it are claims by the keys around it, and not puzzles, if these say so.
    pub are_claims: Option<bool>,
}

/// The values that are open at a place of a document of JSON.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::input) struct Nesting {
    pub opens: Vec<Open>,
    /// The keys of the members at hand, one behind the other, as they are written.
    keys: Vec<u8>,
    pub next: Next,
}

impl Clone for Nesting {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    /// Without new memory, since a copy is kept of each place where a block may end.
    fn clone_from(&mut self, source: &Self) {
        self.opens.clone_from(&source.opens);
        self.keys.clone_from(&source.keys);
        self.next = source.next;
    }
}

impl Nesting {
    /// Goes into a list or an object.
    pub fn enter(&mut self, is_object: bool, are_claims: Option<bool>) {
        self.opens.push(Open { is_object, index: 0, key: self.keys.len(), are_claims });
        self.next = Next::First;
    }

    /// Leaves all but the outermost ones.
    pub fn leave(&mut self, depth: usize) {
        if let Some(open) = self.opens.get(depth) {
            self.keys.truncate(open.key);
        }
        self.opens.truncate(depth);
        self.next = if depth == 0 { Next::Value } else { Next::Behind };
    }

    /// Takes a key, without its quotes.
    pub fn set_key(&mut self, key: &[u8]) {
        if let Some(open) = self.opens.last() {
            self.keys.truncate(open.key);
            self.keys.extend_from_slice(key);
        }
        self.next = Next::Value;
    }

    /// Appends the path of the value at hand, such as `$.problems[17]`.
    pub fn write_path(&self, path: &mut String) {
        path.push('$');
        for (at, open) in self.opens.iter().enumerate() {
            if open.is_object {
                let end = self.opens.get(at + 1).map_or(self.keys.len(), |next| next.key);
                write_key(&self.keys[open.key..end], path);
            } else {
                write_index(open.index, path);
            }
        }
    }
}

/// Appends the place of an element to a path.
pub(in crate::input) fn write_index(index: u64, path: &mut String) {
    path.push('[');
    path.push_str(itoa::Buffer::new().format(index));
    path.push(']');
}

/// Appends a key, which is given as it is written, to a path.
pub(in crate::input) fn write_key(key: &[u8], path: &mut String) {
    let key = String::from_utf8_lossy(key);
    let is_name = |key: &str| key.chars().all(|letter| letter == '_' || letter.is_alphanumeric());
    let written =
        if !key.is_empty() && is_name(&key) { write!(path, ".{key}") } else { write!(path, "[\"{key}\"]") };
    written.expect("a string takes all");
}
