//! What is wrong with a text that has none of the shapes.

use super::signs::{Kind, Token, character, is_border};
use super::{Miss, Notation};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, SIDE};

/// The cells of a text as they are counted where it has none of the shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// How many.
    pub count: usize,
    /// Where the first stands that is too much, or where the last one ends.
    at: usize,
    /// The first character within them that is none.
    odd: Option<usize>,
}

impl Notation {
    /// What is wrong with a text that is no `n` cells.
    #[cold]
    pub(super) fn miss(self, text: &[u8], n: usize) -> Miss {
        let bad = |at, fault| Miss::Bad { fault, at };
        let has_words = self.words(text) > 0;
        if n == 1 {
            // Several cells without a word.
            let is_other = has_words || self.tokens(text).next().is_none();
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
        if let Some(at) = tally.odd {
            return bad(at, character_fault(text, at));
        }
        if tally.count == n {
            let other = self.signs(text).find(|(kind, _)| *kind == Kind::Other);
            return match other {
                Some((_, at)) => bad(at, character_fault(text, at)),
                None => bad(self.first_uneven(text), Fault::new(FaultKind::CellGroups, None)),
            };
        }
        let kind = match tally.count {
            // Nine candidates for each cell.
            count if count == CELLS * SIDE => FaultKind::Sukaku,
            _ if n == SIDE => FaultKind::RowCellCount,
            _ => FaultKind::CellCount,
        };
        bad(tally.at, Fault::new(kind, None).number(tally.count))
    }

    /// Counts the cells of a text: those of the first token that has half of them and is no `n`, if words are beside it
    /// or all are too many; else all, beside words those of tokens of up to nine that have nothing
    /// else.
    pub(super) fn tally(self, text: &[u8], n: usize) -> Tally {
        let has_words = self.words(text) > 0;
        let weighed = || self.tokens(text).map(|token| (self.weight(text, &token, n, has_words), token));
        let is_long =
            |(weight, token): &(usize, Token)| *weight >= n.div_ceil(2) && (*weight != n || !token.is_pure);
        let all: usize = weighed().map(|(weight, _)| weight).sum();
        let alone = weighed().find(is_long).filter(|_| has_words || all > n).map(|(_, token)| token);
        let mut tally = Tally::default();
        for (weight, token) in weighed().filter(|(weight, _)| *weight > 0) {
            if alone.map_or(!has_words || token.is_pure && weight <= SIDE, |alone| alone == token) {
                self.count_in(text, &token, weight, n, &mut tally);
            }
        }
        tally
    }

    /// Adds the cells of a token.
    fn count_in(self, text: &[u8], token: &Token, weight: usize, n: usize, tally: &mut Tally) {
        let before = tally.count;
        tally.count += weight;
        if before <= n {
            let places = self.signs(token.of(text)).filter(|(kind, _)| matches!(kind, Kind::Cell(_)));
            let beyond = places.map(|(_, at)| token.start + at).nth(n - before);
            tally.at = beyond.filter(|_| tally.count > n).unwrap_or(token.end);
        }
        if !token.is_pure && self.value(text, token).is_none() {
            let odd = self.signs(token.of(text)).find(|(kind, _)| *kind == Kind::Other);
            tally.odd = tally.odd.or(odd.map(|(_, at)| token.start + at));
        }
    }

    /// How many cells a token counts for. One with other characters has those cells that stand together as those of a
    /// row do in 81, and of a box in nine; a date has none, and beside words a number has none.
    fn weight(self, text: &[u8], token: &Token, n: usize, has_words: bool) -> usize {
        let shown = token.of(text);
        if !token.is_pure {
            if self.value(text, token).is_some() {
                return 1;
            }
            let enough = if n == CELLS { SIDE } else { SIDE / 3 };
            let is_cell = |(kind, _)| matches!(kind, Kind::Cell(_));
            let signs: Vec<bool> = self.signs(shown).map(is_cell).collect();
            let runs = signs.split(|is_cell| !is_cell).map(<[bool]>::len);
            return runs.filter(|run| *run >= enough).sum();
        }
        let mut parts = shown.split(|&byte| byte == b'.');
        let is_number = (2..=CELLS / 2).contains(&shown.len())
            && shown.len() != n
            && parts.clone().count() <= 2
            && parts.all(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
        if is_date(shown) || is_number && has_words { 0 } else { token.cells }
    }

    /// The first of `n` tokens that is no cell, if most are.
    fn odd_one(self, text: &[u8], n: usize) -> Option<Token> {
        let (mut tokens, mut odd, mut first) = (0, 0, None);
        for token in self.tokens(text) {
            tokens += 1;
            if self.value(text, &token).is_none() {
                odd += 1;
                first = first.or(Some(token));
            }
        }
        first.filter(|_| tokens == n && 2 * odd < n)
    }

    /// Says that a token is no cell.
    fn token_fault(self, text: &[u8], token: &Token) -> Fault {
        let shown = token.of(text);
        if token.is_pure {
            return Fault::new(FaultKind::CellNumber, None).text(String::from_utf8_lossy(shown));
        }
        let odd = self.signs(shown).find(|(kind, _)| *kind == Kind::Other);
        character_fault(shown, odd.map_or(0, |(_, at)| at))
    }

    /// Where the first token begins that has another length than the first one.
    fn first_uneven(self, text: &[u8]) -> usize {
        let first = self.tokens(text).next().map_or(0, |token| token.cells);
        self.tokens(text).find(|token| token.cells != first).map_or(0, |token| token.start)
    }
}

/// Whether a word is a date (year, month and day or the other way) or a time of day.
fn is_date(word: &[u8]) -> bool {
    let is_time = word.get(2) == Some(&b':');
    let mut numbers = word.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len);
    match [numbers.next(), numbers.next(), numbers.next(), numbers.next()] {
        [Some(4), Some(2), Some(2), None] | [Some(2), Some(2), Some(4), None] => true,
        [Some(2), Some(2), Some(2) | None, None] => is_time,
        _ => false,
    }
}

/// Says that the character at `at` is no cell: as itself if it can be shown, as a byte if it is a control or none.
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
