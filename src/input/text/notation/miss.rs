//! The fault of a text that matches none of the shapes.

use super::signs::{Kind, Token, character, is_border};
use super::{Miss, Notation};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE};

/// The result of counting the cells in a text that matches none of the shapes.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// The number of cells.
    count: usize,
    /// The offset of the first surplus cell, or of the end of the last cell.
    at: usize,
    /// The first character among the cells that is not a cell.
    odd: Option<usize>,
}

impl Notation {
    /// Returns the fault of a text that is not `n` cells.
    #[cold]
    pub(super) fn miss(self, text: &[u8], n: usize) -> Miss {
        let bad = |at, fault| Miss::Bad { fault, at };
        if n == 1 {
            // Several cells without a word among them count as a fault; anything else is not a cell at all.
            let is_other = self.words(text) > 0 || self.tokens(text).next().is_none();
            let number =
                || Fault::new(FaultKind::CellNumber, None).text(String::from_utf8_lossy(text.trim_ascii()));
            return if is_other { Miss::Other } else { bad(0, number()) };
        }
        if let Some(token) = self.odd_one(text, n) {
            return bad(token.start, self.token_fault(text, &token));
        }
        let tally = self.tally(text, n);
        let mut words = text.trim_ascii().split(u8::is_ascii_whitespace);
        if tally.count < n.div_ceil(2) || is_border(text) || words.all(is_date) {
            return Miss::Other;
        }
        let other = || self.signs(text).find(|(kind, _)| *kind == Kind::Other).map(|(_, at)| at);
        let odd = tally.odd.or_else(|| other().filter(|_| tally.count == n));
        if let Some(at) = odd {
            return bad(at, character_fault(text, at));
        }
        let kind = match tally.count {
            count if count == n => {
                return bad(self.first_uneven(text), Fault::new(FaultKind::CellGroups, None));
            }
            // Each cell lists its nine candidates.
            count if count == CELLS * SIDE => FaultKind::Sukaku,
            _ if n == SIDE => FaultKind::RowCellCount,
            _ => FaultKind::CellCount,
        };
        bad(tally.at, Fault::new(kind, None).number(tally.count))
    }

    /// Returns whether a text can be a label for `n` cells, which means that it has fewer than half as many cells.
    pub(super) fn is_label(self, text: &[u8], n: usize) -> bool {
        text.len() < n.div_ceil(2) || self.tally(text, n).count < n.div_ceil(2)
    }

    /// Counts the cells of a text. If there are words or too many cells, only one token counts: the first with at least
    /// half of the cells, but not exactly `n`. If there is no such token, all tokens count, except that beside words
    /// only short tokens of pure cells do.
    fn tally(self, text: &[u8], n: usize) -> Tally {
        let has_words = self.words(text) > 0 && !self.are_even(text);
        let weighed = || {
            let weighed = self.tokens(text).map(|token| (self.weight(text, &token, n, has_words), token));
            weighed.filter(|(weight, _)| *weight > 0)
        };
        let all: usize = weighed().map(|(weight, _)| weight).sum();
        let is_most =
            |(weight, token): &(usize, Token)| *weight >= n.div_ceil(2) && (*weight != n || !token.is_pure);
        let alone = weighed().find(is_most).filter(|_| has_words || all > n);
        let mut tally = Tally::default();
        for (weight, token) in weighed() {
            let counts = !has_words || token.is_pure && weight <= SIDE;
            if alone.map_or(counts, |(_, alone)| alone == token) {
                let signs = || self.signs(token.of(text)).map(|(kind, at)| (kind, token.start + at));
                if tally.count <= n {
                    let mut cells = signs().filter(|(kind, _)| matches!(kind, Kind::Cell(_)));
                    let beyond = cells.nth(n - tally.count).filter(|_| tally.count + weight > n);
                    tally.at = beyond.map_or(token.end, |(_, at)| at);
                }
                tally.count += weight;
                if self.value(text, &token).is_none() {
                    let odd = signs().find(|(kind, _)| *kind == Kind::Other);
                    tally.odd = tally.odd.or(odd.map(|(_, at)| at));
                }
            }
        }
        tally
    }

    /// Returns how many cells a token counts for. In a token with other characters, only runs as long as a row (for 81
    /// cells) or a minirow (for nine) count. Dates never count. Beside words, numbers, borders, and short tokens whose
    /// length does not divide `n` do not count either.
    fn weight(self, text: &[u8], token: &Token, n: usize, has_words: bool) -> usize {
        let shown = token.of(text);
        let enough = if n == CELLS { SIDE } else { SIDE / 3 };
        let is_number = || {
            let number = str::from_utf8(shown).unwrap_or_default().parse::<f64>();
            let is_row = shown.len() == n || shown.len() == SIDE && n == CELLS;
            (2..=CELLS / 2).contains(&shown.len()) && !is_row && number.is_ok()
        };
        let is_no_part = || token.cells < n.div_ceil(2) && !n.is_multiple_of(token.cells);
        match self.value(text, token) {
            Some(_) => 1,
            None if !token.is_pure => {
                let signs = self.signs(shown).map(|(kind, _)| matches!(kind, Kind::Cell(_)));
                let runs = signs.collect::<Vec<_>>();
                runs.split(|is_cell| !is_cell).map(<[bool]>::len).filter(|run| *run >= enough).sum()
            }
            None if is_date(shown) || has_words && (is_number() || is_border(shown) || is_no_part()) => 0,
            None => token.cells,
        }
    }

    /// Returns whether there are at least three tokens, all of the same length, which is a multiple of three. If so, a
    /// token that looks like a word is really a damaged token.
    fn are_even(self, text: &[u8]) -> bool {
        let lengths = || self.tokens(text).map(|token| token.end - token.start);
        lengths().count() >= SIDE / 3
            && lengths().all(|length| length % 3 == 0 && Some(length) == lengths().next())
    }

    /// Returns the first token that is not a cell, if there are `n` tokens and most of them are cells.
    fn odd_one(self, text: &[u8], n: usize) -> Option<Token> {
        let odd = || self.tokens(text).filter(|token| self.value(text, token).is_none());
        odd().next().filter(|_| self.tokens(text).count() == n && 2 * odd().count() < n)
    }

    /// Makes the fault of a token that is not a cell.
    fn token_fault(self, text: &[u8], token: &Token) -> Fault {
        let shown = token.of(text);
        match self.signs(shown).find(|(kind, _)| *kind == Kind::Other) {
            Some((_, at)) => character_fault(shown, at),
            None => Fault::new(FaultKind::CellNumber, None).text(String::from_utf8_lossy(shown)),
        }
    }

    /// Returns the start of the first token whose length differs from that of the first token in the text.
    fn first_uneven(self, text: &[u8]) -> usize {
        let first = self.tokens(text).next().map_or(0, |token| token.cells);
        self.tokens(text).find(|token| token.cells != first).map_or(0, |token| token.start)
    }
}

/// Returns whether a word is a date (year, month and day, or the reverse) or a time of day.
fn is_date(word: &[u8]) -> bool {
    let numbers: Vec<usize> = word.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len).collect();
    match numbers[..] {
        [4, 2, 2] | [2, 2, 4] => true,
        [2, 2] | [2, 2, 2] => word.contains(&b':'),
        _ => false,
    }
}

/// Makes the fault of a character that is not a cell. Control characters and invalid bytes are shown as bytes.
pub(in crate::input) fn character_fault(text: &[u8], at: usize) -> Fault {
    let byte = text.get(at).copied().unwrap_or_default();
    let (kind, name) = match character(text, at.min(text.len())) {
        None => (FaultKind::Byte, format!("\\x{byte:02x}")),
        Some('\'') => (FaultKind::Character, "'".to_owned()),
        Some(control) if control.is_ascii_control() => (FaultKind::Character, format!("\\x{byte:02x}")),
        Some(shown) => (FaultKind::Character, shown.escape_debug().to_string()),
    };
    Fault::new(kind, None).text(name)
}
