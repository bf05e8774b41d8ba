//! The reasons why rows have no answer, stripped of the details that vary between records and grouped by status.

use std::collections::HashMap;

use super::{ReasonFigures, shortened};

/// The largest number of places listed per reason.
const PLACES: usize = 3;
/// The maximum length of a reason, in characters.
const LONGEST_REASON: usize = 200;

/// The reasons, in the order in which they first occurred.
#[derive(Debug)]
pub(super) struct Reasons {
    most: usize,
    numbers: HashMap<(&'static str, Option<String>), usize>,
    groups: Vec<ReasonFigures>,
}

impl Default for Reasons {
    fn default() -> Self {
        Self::at_most(usize::MAX)
    }
}

impl Reasons {
    /// Returns an empty list that holds up to `most` groups; rows with any further reason are counted together by
    /// status.
    pub fn at_most(most: usize) -> Self {
        Self { most, numbers: HashMap::new(), groups: Vec::new() }
    }

    /// Adds a row with the text of its fault. `place` is called only if the place will be listed. It receives the line
    /// and column if the text starts with them.
    pub fn add(
        &mut self,
        status: &'static str,
        text: &str,
        place: impl FnOnce(Option<(u64, u64)>) -> String,
    ) {
        let (at, reason) = place_of(text).map_or((None, text), |(at, reason)| (Some(at), reason));
        let group = self.group(status, Some(shortened(&pattern(reason), LONGEST_REASON)));
        group.rows += 1;
        if group.places.len() < PLACES {
            group.places.push(place(at));
        }
    }

    /// Adds a group of rows that come later.
    pub fn add_rows(&mut self, more: ReasonFigures) {
        let group = self.group(more.status, more.reason);
        group.rows += more.rows;
        let room = PLACES.saturating_sub(group.places.len());
        group.places.extend(more.places.into_iter().take(room));
    }

    fn group(&mut self, status: &'static str, reason: Option<String>) -> &mut ReasonFigures {
        let mut key = (status, reason);
        if self.groups.len() >= self.most && !self.numbers.contains_key(&key) {
            key.1 = None;
        }
        let groups = &mut self.groups;
        let number = *self.numbers.entry(key).or_insert_with_key(|(_, reason)| {
            groups.push(ReasonFigures { status, reason: reason.clone(), rows: 0, places: Vec::new() });
            groups.len() - 1
        });
        &mut self.groups[number]
    }

    pub fn groups(&self) -> &[ReasonFigures] {
        &self.groups
    }

    /// Removes and returns all groups.
    pub fn drain(&mut self) -> impl Iterator<Item = ReasonFigures> {
        self.numbers.clear();
        self.groups.drain(..)
    }
}

/// Splits `line L, column C: reason` into the position and the reason. A path in brackets may follow the column.
fn place_of(text: &str) -> Option<((u64, u64), &str)> {
    let (line, rest) = text.strip_prefix("line ")?.split_once(", column ")?;
    let (column, reason) = rest.split_once(": ")?;
    let column = column.split_once(" (").map_or(column, |(column, _)| column);
    Some(((line.parse().ok()?, column.parse().ok()?), reason))
}

/// Returns a reason with the details that vary between records replaced: `N` for numbers, `...` for cell names and
/// `'...'` for quoted text. The expectation stays, because it is the same for every record.
fn pattern(reason: &str) -> String {
    let (found, expected) = reason.split_at(reason.rfind(" (expected ").unwrap_or(reason.len()));
    let (before, after) = match (found.find('\''), found.rfind('\'')) {
        (Some(first), Some(last)) if first < last => (&found[..=first], &found[last..]),
        _ => (found, ""),
    };
    let mut pattern = without_numbers(before);
    if !after.is_empty() {
        pattern.push_str("...");
        pattern.push_str(&without_numbers(after));
    }
    // All wrong claims share one reason, regardless of which clue they contradict.
    let is_clue = expected.starts_with(" (expected the clue ");
    pattern + &if is_clue { without_numbers(expected) } else { expected.to_owned() }
}

/// Returns a text with `N` in place of each number and `...` in place of every other word that contains a digit.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let is_end = |sign: char| !sign.is_ascii_alphanumeric();
    for part in text.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        out.push_str(match word {
            "" => "",
            _ if word.bytes().all(|byte| byte.is_ascii_digit()) => "N",
            _ if word.bytes().any(|byte| byte.is_ascii_digit()) => "...",
            _ => word,
        });
        out.push_str(&part[word.len()..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(reasons: &mut Reasons, status: &'static str, text: &str, place: &str) {
        reasons.add(status, text, |_| place.to_owned());
    }

    #[test]
    fn reasons_are_grouped_by_their_text_without_what_differs() {
        let mut reasons = Reasons::default();
        for (place, text) in [
            ("a", "line 1, column 7: invalid character 'q' (expected 1-9, 0 or .)"),
            ("b", "line 2, column 1: 80 cells (expected 81)"),
            ("c", "line 3, column 9: invalid character ''' (expected 1-9, 0 or .)"),
            ("d", "line 4, column 2: clue 5 repeats that of line 4, column 1 in the same row"),
            ("e", "no place at all"),
            ("f", "line 6, column 2 ($[7].puzzle): clue 1 repeats that of line 6, column 1 in the same row"),
            ("g", "no place at all"),
            ("h", "claimed solution: 5 at B3 (expected the clue 7)"),
            ("i", "line 9, column 1: claimed solution: 4 at A1 (expected the clue 9)"),
        ] {
            add(&mut reasons, "a", text, place);
        }
        let groups: Vec<_> = reasons
            .groups()
            .iter()
            .map(|group| (group.reason.clone().unwrap(), group.rows, group.places.join(" ")))
            .collect();
        let expected = [
            ("invalid character '...' (expected 1-9, 0 or .)", 2, "a c"),
            ("N cells (expected 81)", 1, "b"),
            ("clue N repeats that of line N, column N in the same row", 2, "d f"),
            ("no place at all", 2, "e g"),
            ("claimed solution: N at ... (expected the clue N)", 2, "h i"),
        ];
        assert_eq!(groups, expected.map(|(text, count, places)| (text.to_owned(), count, places.to_owned())));
    }

    #[test]
    fn a_place_is_read_from_the_start_of_a_text() {
        assert_eq!(place_of("line 3, column 4: why: so"), Some(((3, 4), "why: so")));
        assert_eq!(place_of("line 3, column 4 ($.a[1]): why"), Some(((3, 4), "why")));
        for text in ["why", "line 3: why", "line 3, column x: why", "line 3; column 4: why"] {
            assert_eq!(place_of(text), None, "{text}");
        }
    }

    /// Once the list is full, rows with any further reason are counted together for each status. Merging groups page by
    /// page gives the same result as adding the rows one by one.
    #[test]
    fn groups_of_pages_add_up_even_without_room_for_all_reasons() {
        let rows = [("a", "one"), ("a", "two"), ("a", "three"), ("b", "one"), ("a", "two"), ("a", "four")];
        let (mut whole, mut by_page) = (Reasons::at_most(2), Reasons::at_most(2));
        for page in rows.chunks(4) {
            let mut of_page = Reasons::default();
            for (status, text) in page {
                add(&mut whole, status, text, text);
                add(&mut of_page, status, text, text);
            }
            of_page.drain().for_each(|rows| by_page.add_rows(rows));
            assert!(of_page.groups().is_empty());
        }
        assert_eq!(by_page.groups(), whole.groups());
        let group =
            |group: &ReasonFigures| (group.status, group.reason.clone(), group.rows, group.places.join(" "));
        let found: Vec<_> = whole.groups().iter().map(group).collect();
        let expected = [
            ("a", Some("one"), 1, "one"),
            ("a", Some("two"), 2, "two two"),
            ("a", None, 2, "three four"),
            ("b", None, 1, "one"),
        ];
        let owned = |(status, reason, rows, places): (_, Option<&str>, _, &str)| {
            (status, reason.map(str::to_owned), rows, places.to_owned())
        };
        assert_eq!(found, expected.map(owned));
    }
}
