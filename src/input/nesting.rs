//! Where in a document a reader is: the way from its root, as far as it fits into a few bytes that are copied and kept.

use serde::{Deserialize, Serialize};

/// Levels whose keys and numbers are kept.
const LEVELS: usize = 6;

/// Bytes of a key that are kept.
const KEY: usize = 30;

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
}

const CUT_OFF: u8 = u8::MAX;

impl Level {
    const FIRST: Self = Self { index: 0, key: [0; KEY], key_length: 0 };
}

impl Nesting {
    /// Outside of everything.
    pub const OUTSIDE: Self = Self { depth: 0, solutions: 0, levels: [Level::FIRST; LEVELS] };

    fn innermost(&mut self) -> Option<&mut Level> {
        let level = self.depth.checked_sub(1)?;
        self.levels.get_mut(level as usize)
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
