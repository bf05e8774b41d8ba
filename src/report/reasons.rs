//! Why rows have no answer: faults grouped by kind and status.

use std::collections::HashMap;

use super::shortened;
use crate::record::{Fault, FaultKind};

/// Most places listed for a reason.
const PLACES: usize = 3;
/// Longest reason, in characters.
const LONGEST_REASON: usize = 200;

/// What the faults of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ReasonKey {
    /// Their kind.
    Kind(FaultKind),
    /// Their text, if it has no kind.
    Text(String),
    /// Nothing: there was no room for further groups.
    Rest,
}

impl ReasonKey {
    fn of(fault: &Fault) -> Self {
        match fault.kind {
            FaultKind::Other => Self::Text(shortened(&fault.reason(), LONGEST_REASON)),
            kind => Self::Kind(kind),
        }
    }

    /// The reason without the parts that differ between records; `None` for [`ReasonKey::Rest`].
    pub fn pattern(&self) -> Option<String> {
        match self {
            Self::Kind(kind) => kind.pattern(),
            Self::Text(text) => Some(text.clone()),
            Self::Rest => None,
        }
    }
}

/// Rows with the same status and reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReasonRows {
    /// Their status.
    pub status: &'static str,
    pub key: ReasonKey,
    pub count: u64,
    /// The first places.
    pub places: Vec<String>,
}

/// Reasons in the order of their first rows.
#[derive(Debug)]
pub(super) struct Reasons {
    most: usize,
    numbers: HashMap<(&'static str, ReasonKey), usize>,
    groups: Vec<ReasonRows>,
}

impl Default for Reasons {
    fn default() -> Self {
        Self::at_most(usize::MAX)
    }
}

impl Reasons {
    /// Up to `most` groups; the rows of further reasons are counted together for each status.
    pub fn at_most(most: usize) -> Self {
        Self { most, numbers: HashMap::new(), groups: Vec::new() }
    }

    /// Adds a row; `place` is only called if the place is listed.
    pub fn add(&mut self, status: &'static str, fault: &Fault, place: impl FnOnce() -> String) {
        let group = self.group(status, ReasonKey::of(fault));
        group.count += 1;
        if group.places.len() < PLACES {
            group.places.push(place());
        }
    }

    /// Adds a group of later rows.
    pub fn add_rows(&mut self, rows: ReasonRows) {
        let group = self.group(rows.status, rows.key);
        group.count += rows.count;
        let room = PLACES.saturating_sub(group.places.len());
        group.places.extend(rows.places.into_iter().take(room));
    }

    fn group(&mut self, status: &'static str, key: ReasonKey) -> &mut ReasonRows {
        let mut key = (status, key);
        if self.groups.len() >= self.most && !self.numbers.contains_key(&key) {
            key.1 = ReasonKey::Rest;
        }
        let groups = &mut self.groups;
        let number = *self.numbers.entry(key).or_insert_with_key(|(_, key)| {
            groups.push(ReasonRows { status, key: key.clone(), count: 0, places: Vec::new() });
            groups.len() - 1
        });
        &mut self.groups[number]
    }

    pub fn groups(&self) -> &[ReasonRows] {
        &self.groups
    }

    /// Removes and returns all groups.
    pub fn drain(&mut self) -> impl Iterator<Item = ReasonRows> {
        self.numbers.clear();
        self.groups.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(reasons: &mut Reasons, status: &'static str, text: &str, place: &str) {
        reasons.add(status, &Fault::parse(text), || place.to_owned());
    }

    #[test]
    fn reasons_are_grouped_by_kind_and_others_by_their_text() {
        let mut reasons = Reasons::default();
        for (place, text) in [
            ("a", "line 1, column 7: invalid character 'q' (expected 1-9, 0 or .)"),
            ("b", "line 2, column 1: 80 cells (expected 81)"),
            ("c", "line 3, column 9: invalid character '\u{e9}' (expected 1-9, 0 or .)"),
            ("d", "line 4, column 2: clue 5 repeats that of line 4, column 1 in the same row"),
            ("e", "no place at all"),
            ("f", "line 6, column 2: clue 1 repeats that of line 6, column 1 in the same box"),
            ("g", "no place at all"),
            ("h", "no place at all, 7"),
        ] {
            add(&mut reasons, "a", text, place);
        }
        let groups: Vec<_> = reasons
            .groups()
            .iter()
            .map(|group| (group.key.pattern().unwrap(), group.count, group.places.join(" ")))
            .collect();
        let expected = [
            ("invalid character '...' (expected 1-9, 0 or .)", 2, "a c"),
            ("N cells (expected 81)", 1, "b"),
            ("clue N repeats that of line N, column N in the same ...", 2, "d f"),
            ("no place at all", 2, "e g"),
            ("no place at all, 7", 1, "h"),
        ];
        assert_eq!(groups, expected.map(|(text, count, places)| (text.to_owned(), count, places.to_owned())));
    }

    #[test]
    fn reasons_without_room_are_counted_together_for_each_status() {
        let mut reasons = Reasons::at_most(2);
        for (status, text) in
            [("a", "one"), ("a", "two"), ("a", "three"), ("b", "one"), ("a", "two"), ("a", "four")]
        {
            add(&mut reasons, status, text, text);
        }
        let groups: Vec<_> =
            reasons.groups().iter().map(|group| (group.status, group.key.pattern(), group.count)).collect();
        assert_eq!(
            groups,
            [
                ("a", Some("one".to_owned()), 1),
                ("a", Some("two".to_owned()), 2),
                ("a", None, 2),
                ("b", None, 1)
            ]
        );
    }

    /// Groups of pages give the same as their rows one by one, even without room for all reasons.
    #[test]
    fn groups_of_pages_add_up() {
        let texts = ["one", "two", "one", "three", "four", "two", "one", "three", "one"];
        let mut whole = Reasons::at_most(3);
        let mut by_page = Reasons::at_most(3);
        for page in texts.chunks(4) {
            let mut of_page = Reasons::default();
            for text in page {
                add(&mut whole, "a", text, text);
                add(&mut of_page, "a", text, text);
            }
            of_page.drain().for_each(|rows| by_page.add_rows(rows));
            assert!(of_page.groups().is_empty());
        }
        assert_eq!(by_page.groups(), whole.groups());
        assert_eq!(whole.groups()[0].places, ["one"; 3]);
    }
}
