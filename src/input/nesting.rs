//! Where in a document a reader is: the way from its root, as far as it fits into a few bytes that are copied and kept.

use serde::{Deserialize, Serialize};

/// Levels whose keys and numbers are kept.
const LEVELS: usize = 6;

/// Bytes of a key that are kept: with them a level takes 40 bytes, all of which are copied often.
const KEY: usize = 29;

/// The lists and objects around a place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Nesting {
    /// How many there are.
    pub depth: u32,
    /// Of how many it is known that they hold solutions, the innermost included; 0 outside of such.
    pub solutions: u32,
    levels: [Level; LEVELS],
}

/// The member of an object or the value of a list at which a reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Level {
    /// Number in a list, counted from 0.
    index: u64,
    key: [u8; KEY],
    /// Bytes of the key, and one more: 0 where there is none, as in lists; 255 where it did not fit.
    key_length: u8,
    /// Whether a record was found in the list, or within a value of it.
    has_records: bool,
    /// Whether it was marked, and in JSON no record was found in it since.
    marked: bool,
}

const CUT_OFF: u8 = u8::MAX;

impl Level {
    const FIRST: Self = Self { index: 0, key: [0; KEY], key_length: 0, has_records: false, marked: false };
}

impl Nesting {
    /// Outside of everything.
    pub const OUTSIDE: Self = Self { depth: 0, solutions: 0, levels: [Level::FIRST; LEVELS] };

    fn innermost(&mut self) -> Option<&mut Level> {
        let level = self.depth.checked_sub(1)?;
        self.levels.get_mut(level as usize)
    }

    /// A record was found here: the innermost list holds records, and nothing around is marked any more.
    pub fn found_record(&mut self) {
        let known = (self.depth as usize).min(LEVELS);
        self.levels[..known].iter_mut().for_each(|level| level.marked = false);
        let levels = self.levels.get_mut(..self.depth as usize).unwrap_or_default();
        if let Some(list) = levels.iter_mut().rfind(|level| level.key_length == 0) {
            list.has_records = true;
        }
    }

    /// In the list that was gone into just now there are records.
    pub fn holds_records(&mut self) {
        self.innermost().into_iter().for_each(|list| list.has_records = true);
    }

    /// Whether a value that follows is one of a list in which records were found before, or are known to be.
    pub fn is_in_records(&self) -> bool {
        let level = self.depth.checked_sub(1).and_then(|level| self.levels.get(level as usize));
        level.is_some_and(|level| level.key_length == 0 && level.has_records)
    }

    /// Marks what is so many levels around the innermost list or object, as long as it is not left: in JSON an object
    /// that must have a record, in XML an element whose cells were looked at.
    pub fn mark(&mut self, outwards: u32) {
        let level =
            self.depth.checked_sub(outwards + 1).and_then(|level| self.levels.get_mut(level as usize));
        level.into_iter().for_each(|level| level.marked = true);
    }

    /// Whether it is marked.
    pub fn is_marked(&self, outwards: u32) -> bool {
        let level = self.depth.checked_sub(outwards + 1).and_then(|level| self.levels.get(level as usize));
        level.is_some_and(|level| level.marked)
    }

    /// Whether a value that follows is the member of this name, whatever the case of its letters, or is within it.
    pub fn is_within(&self, name: &str) -> bool {
        let known = (self.depth as usize).min(LEVELS);
        let is_named =
            |level: &Level| level.key_length > 0 && level.key().eq_ignore_ascii_case(name.as_bytes());
        self.levels[..known].iter().any(is_named)
    }

    /// Of a value in a list or an object that is a member itself: the path around that member, its name, and which value
    /// it is; `None` if that is not known.
    pub fn in_member(&self) -> Option<[String; 3]> {
        let [around @ .., member, value] = self.levels.get(..self.depth as usize)? else { return None };
        if member.key_length == 0 || member.key_length == CUT_OFF || value.key_length == CUT_OFF {
            return None;
        }
        let written = |levels: &[Level]| {
            let mut out = String::new();
            levels.iter().for_each(|level| level.write(&mut out));
            out
        };
        Some([written(around), written(std::slice::from_ref(member)), written(std::slice::from_ref(value))])
    }

    /// The innermost list in which that is, if it is known; with all that is within its values, which is not compared.
    pub fn list(&self) -> Option<Self> {
        let levels = self.levels.get(..self.depth as usize)?;
        let depth = levels.iter().rposition(|level| level.key_length == 0)? + 1;
        Some(Self { depth: depth as u32, ..*self })
    }

    /// Whether a value that follows is one of a list, or of another one of the same keys.
    pub fn is_in(&self, list: &Self) -> bool {
        let mut levels = self.levels.iter().zip(&list.levels).take(list.depth as usize);
        self.depth == list.depth && levels.all(|(a, b)| a.key_length == b.key_length && a.key() == b.key())
    }

    /// Goes into a list or an object; `solutions` if what is in there are no puzzles.
    pub fn enter(&mut self, solutions: bool) {
        self.depth = self.depth.saturating_add(1);
        if solutions || self.solutions > 0 {
            self.solutions = self.solutions.saturating_add(1);
        }
        if let Some(level) = self.innermost() {
            *level = Level::FIRST;
        }
    }

    /// Leaves it.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.solutions = self.solutions.saturating_sub(1);
    }

    /// Goes on to the next value.
    pub fn next(&mut self) {
        if let Some(level) = self.innermost() {
            level.index = level.index.saturating_add(1);
            level.key_length = 0;
        }
    }

    /// The value that follows is the member of this name.
    pub fn set_key(&mut self, key: &[u8]) {
        if let Some(level) = self.innermost() {
            let kept = key.len().min(KEY);
            level.key[..kept].copy_from_slice(&key[..kept]);
            level.key_length = if kept == key.len() { kept as u8 + 1 } else { CUT_OFF };
        }
    }

    /// The name of the member whose value follows; empty in lists.
    pub fn key(&self) -> &[u8] {
        let level = self.depth.checked_sub(1).and_then(|level| self.levels.get(level as usize));
        level.map_or(&[], Level::key)
    }

    /// A record was found here: all that is around holds one.
    pub fn found_in_element(&mut self) {
        let known = (self.depth as usize).min(LEVELS);
        self.levels[..known].iter_mut().for_each(|level| level.has_records = true);
    }

    /// Whether a record was found in the innermost element, or that is not known.
    pub fn is_element_of_records(&self) -> bool {
        let level = self.depth.checked_sub(1).and_then(|level| self.levels.get(level as usize));
        level.is_none_or(|level| level.has_records)
    }

    /// Whether the outermost level has that key.
    pub fn is_outermost(&self, key: &[u8]) -> bool {
        let kept = &key[..key.len().min(KEY)];
        self.depth > 0 && self.levels[0].key_length > 0 && self.levels[0].key() == kept
    }

    /// The name of the member whose value follows, or of the nearest one around it.
    pub fn nearest_key(&self) -> &[u8] {
        let known = (self.depth as usize).min(LEVELS);
        self.levels[..known].iter().rfind(|level| level.key_length > 0).map_or(&[], Level::key)
    }

    /// Appends the path of the value that follows: `$.problems[17]`. What does not fit is an ellipsis.
    pub fn write(&self, out: &mut String) {
        out.push('$');
        let depth = self.depth as usize;
        for level in &self.levels[..depth.min(LEVELS)] {
            level.write(out);
        }
        if depth > LEVELS {
            out.push('\u{2026}');
        }
    }
}

impl Level {
    fn key(&self) -> &[u8] {
        match self.key_length {
            0 => &[],
            CUT_OFF => &self.key,
            length => &self.key[..usize::from(length - 1).min(KEY)],
        }
    }

    fn write(&self, out: &mut String) {
        if self.key_length == 0 {
            out.push('[');
            out.push_str(itoa::Buffer::new().format(self.index));
            out.push(']');
            return;
        }
        let key = self.key();
        let is_plain = self.key_length != CUT_OFF
            && key.first().is_some_and(|byte| !byte.is_ascii_digit())
            && key.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_plain {
            out.push('.');
            out.push_str(&String::from_utf8_lossy(key));
            return;
        }
        out.push_str("[\"");
        // What could end the quotes or the line is not written, nor are escapes.
        let hidden = |character: char| character.is_control() || matches!(character, '"' | '\\');
        out.extend(String::from_utf8_lossy(key).chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }));
        out.push_str(if self.key_length == CUT_OFF { "\u{2026}\"]" } else { "\"]" });
    }
}
