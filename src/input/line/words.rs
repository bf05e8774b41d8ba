//! What is written on a line besides cells.

use super::super::{cells, spread};
use super::Style;

/// What is written on a line.
pub(super) struct Words {
    pub letters: usize,
    /// Cells, borders apart.
    pub cells: usize,
    /// Most cells in a row that are not all alike.
    pub longest: usize,
    /// Whether three letters stand in a row, or one that is a word.
    pub has_word: bool,
}

impl Words {
    pub fn of(line: &[u8], style: &Style) -> Self {
        let mut words = Self { letters: 0, cells: 0, longest: 0, has_word: false };
        // Where a word began, letters of it, and cells in a row, and of those at its start that are alike.
        let (mut start, mut letters, mut run, mut alike) = (0, 0, 0, 0);
        let mut at = 0;
        loop {
            let rest = &line[at.min(line.len())..];
            let letter = spread::first_character(rest).filter(|character| character.is_alphabetic());
            // An x may be a blank or a letter: it breaks no word and begins none.
            let cell = style.blank.cell(rest).filter(|_| letters == 0 || letter.is_none());
            if let (None, Some(letter)) = (cell, letter) {
                if letters == 0 {
                    start = at;
                }
                letters += 1;
                run = 0;
                words.has_word |= letter >= '\u{2e80}';
                at += letter.len_utf8();
                continue;
            }
            if letters > 0 && !cells::is_null(&line[start..at]) {
                words.letters += letters;
                words.has_word |= letters >= 3;
            }
            letters = 0;
            let Some(&byte) = rest.first() else { break };
            alike = if run == 0 || alike == run && line[at - 1] == byte { run + 1 } else { alike };
            run = if cell.is_some() { run + 1 } else { 0 };
            words.longest = if alike < run { words.longest.max(run) } else { words.longest };
            words.cells += usize::from(cell.is_some() && !style.borders.contains(byte));
            at += cell.map_or(1, |(_, length)| length);
        }
        words
    }
}
