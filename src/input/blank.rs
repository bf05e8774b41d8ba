//! The character that a file writes for a blank cell where that is none of the usual ones.

use super::cells;
use crate::sudoku::CELLS;

/// A character that stands for a blank cell in one file, besides those that do in every file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OddBlank(Option<char>);

impl OddBlank {
    /// The character that makes cells of most stretches: in a stretch of `length` characters it is the only one that
    /// is no cell. A letter or a bracket is none: more likely it belongs to words.
    pub fn learn<'a>(stretches: impl Iterator<Item = &'a [u8]>, length: usize) -> Self {
        let mut votes: Vec<(char, usize)> = Vec::new();
        for stretch in stretches {
            if let Some(odd) = odd_character(stretch, length) {
                match votes.iter_mut().find(|(known, _)| *known == odd) {
                    Some((_, count)) => *count += 1,
                    None => votes.push((odd, 1)),
                }
            }
        }
        // Of equals the first seen: `max_by_key` takes the last.
        Self(votes.into_iter().rev().max_by_key(|&(_, count)| count).map(|(odd, _)| odd))
    }

    /// The cell at the start of a text: its digit, 0 for a blank, and its length in bytes; `None` if that is no cell.
    #[inline]
    pub fn cell(self, text: &[u8]) -> Option<(u8, usize)> {
        let first = *text.first()?;
        match cells::digit(first) {
            cells::NO_CELL => {}
            digit => return Some((digit, 1)),
        }
        let mut buffer = [0; 4];
        let odd = self.0?.encode_utf8(&mut buffer).as_bytes();
        text.starts_with(odd).then_some((0, odd.len()))
    }
}

/// The only character of a stretch of `length` characters that is no cell.
fn odd_character(stretch: &[u8], length: usize) -> Option<char> {
    let text = std::str::from_utf8(stretch).ok()?;
    let mut odd = None;
    let mut count = 0;
    for character in text.chars() {
        count += 1;
        if u8::try_from(character).is_ok_and(cells::is_cell) {
            continue;
        }
        // Where lines are rows of a grid, `#` begins comments.
        let is_hash = character == '#' && length == CELLS;
        if !can_be_blank(character) && !is_hash || odd.is_some_and(|known| known != character) {
            return None;
        }
        odd = Some(character);
    }
    odd.filter(|_| count == length)
}

/// Whether a character is one that people write for nothing: it can be seen, and it is no part of words, lists or
/// numbers.
fn can_be_blank(character: char) -> bool {
    let is_structure =
        matches!(character, ',' | ';' | '|' | '"' | '\'' | '#' | '[' | ']' | '{' | '}' | '(' | ')' | '\\');
    !is_structure && !character.is_alphanumeric() && !character.is_whitespace() && !character.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_that_fills_the_stretches_is_a_blank() {
        for odd in [':', '$', '+', '．', '·', '~', '□'] {
            let row = format!("1{odd}{odd}4{odd}6{odd}89");
            let blank = OddBlank::learn([row.as_bytes()].into_iter(), 9);
            assert_ne!(blank, OddBlank::default(), "{odd}");
            assert_eq!(blank.cell(&row.as_bytes()[1..]), Some((0, odd.len_utf8())));
            assert_eq!(
                (blank.cell(b"7"), blank.cell(b"."), blank.cell(b"a")),
                (Some((7, 1)), Some((0, 1)), None)
            );
        }
    }

    #[test]
    fn words_lists_and_two_characters_are_none() {
        for row in ["1aa4a6a89", "1,,4,6,89", "1$:4$6$89", "123456789", "1$$4$6$8", "1$$4$6$890", "((((((((("]
        {
            assert_eq!(OddBlank::learn([row.as_bytes()].into_iter(), 9), OddBlank::default(), "{row}");
        }
        let rows = [&b"1$2345678"[..], b"1:2345678", b"1:2345678"];
        assert_eq!(OddBlank::learn(rows.into_iter(), 9), OddBlank(Some(':')));
        assert!(OddBlank::default().cell(b"$").is_none());
    }
}
