//! What is known at a place of a document of what is before it.

/// The names of the open elements, the outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::input) struct Open {
    names: String,
    /// Where each ends in `names`.
    ends: Vec<usize>,
    /// Whether something on the line at hand was passed over.
    pub(super) has_told: bool,
}

impl Open {
    /// How many there are.
    pub(super) const fn depth(&self) -> usize {
        self.ends.len()
    }

    /// The name of the element at a depth, from 1; nothing if there is none.
    pub(super) fn name(&self, depth: usize) -> &str {
        let end = |depth: usize| depth.checked_sub(1).and_then(|at| self.ends.get(at)).copied();
        let start = depth.checked_sub(1).and_then(end).unwrap_or(0);
        end(depth).map_or("", |end| &self.names[start..end])
    }

    /// Opens an element within the others.
    pub(super) fn push(&mut self, name: &str) {
        self.names.push_str(name);
        self.ends.push(self.names.len());
    }

    /// Closes the innermost.
    pub(super) fn pop(&mut self) {
        self.ends.pop();
        self.names.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Becomes the same as another.
    pub(super) fn take(&mut self, other: &Self) {
        self.names.clone_from(&other.names);
        self.ends.clone_from(&other.ends);
    }
}
