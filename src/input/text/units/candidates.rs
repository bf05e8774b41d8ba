//! The readers of lists, grids and single cells that might fit a sample.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Lines, Units};
use crate::input::reader::{Candidates, Sample};
use crate::input::score::{Attempt, Score};
use crate::input::text::notation::{Cells, Notation, SEPARATORS};
use crate::input::{Dialect, Framing};
use crate::sudoku::{CELLS, SIDE, digit_of};

/// The number of additional signs for blanks to try. Files use one such sign; a second one is tried because the most
/// common one may be a separator.
const ODD_BLANKS: usize = 2;

/// A reader, together with its result for a sample.
type Proposal = (Units, Attempt);

/// Returns the readers that find a puzzle at the start of a sample or, failing that, anywhere in it. If none does,
/// readers that find only faulty puzzles are returned. If the framing is given, its reader is always returned.
pub(in crate::input) fn candidates(sample: &Sample<'_>, given: Option<&Dialect>) -> Candidates {
    let has_puzzle = |(_, found): &Proposal| found.score.good + found.score.clashing > 0;
    let start = sample.bytes.get(..Sample::FIRST / 4).filter(|_| given.is_none());
    let start = start.map(|bytes| proposals(&Sample { bytes, is_whole: false, ..*sample }, given));
    let found = start.filter(|found| found.iter().any(has_puzzle));
    let mut found = found.unwrap_or_else(|| proposals(sample, given));
    if given.is_none() && found.iter().any(has_puzzle) {
        found.retain(has_puzzle);
    }
    found.into_iter().map(|(units, _)| Ok(Arc::new(units.with_columns(sample)) as _)).collect()
}

/// Tries all the readers on a sample.
fn proposals(sample: &Sample<'_>, given: Option<&Dialect>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for framing in [Framing::Line, Framing::Grid, Framing::Cell] {
        let mut dialect = match given {
            Some(given) if given.framing != framing => continue,
            given => given.cloned().unwrap_or_else(|| Dialect::of(framing)),
        };
        if framing == Framing::Grid && dialect.blank.is_none() {
            dialect.blank = blank_of_borders(sample);
        }
        let units = Units::new(dialect);
        let first = Attempt::new(Arc::new(units.clone()), sample);
        let (score, passed) = (first.score, first.passed.lines);
        units.vary(first, sample, &mut found);
        // Nine lines that were skipped could be another grid.
        if score.good >= Sample::ENOUGH && score.bad == 0 && 2 * passed < SIDE as u64 * score.good {
            break;
        }
    }
    // A single cell that cannot be read is just some number.
    let is_something = |(units, Attempt { score, .. }): &Proposal| match units.cells_a_line {
        1 => score.good + score.clashing > 0,
        _ => *score != Score::default(),
    };
    found.retain(|proposal| given.is_some() || is_something(proposal));
    found
}

/// Returns the sign for a blank in most rows of a sample, if borders can consist of that sign too.
fn blank_of_borders(sample: &Sample<'_>) -> Option<char> {
    let mut rows: BTreeMap<char, usize> = BTreeMap::new();
    for line in Lines::new(sample.bytes) {
        let Ok(Cells { values, .. }) = Notation::default().cells(line.text, SIDE) else { continue };
        let blank = values[..SIDE].iter().position(|value| *value == 0);
        if let Some(blank) = blank.filter(|_| values != [0; CELLS]) {
            let sign = match line.text[Notation::default().offsets(line.text, SIDE)[blank]..] {
                [b'-', b'1', ..] | [] => ' ',
                [sign, ..] => char::from(sign),
            };
            *rows.entry(sign).or_default() += 1;
        }
    }
    let all: usize = rows.values().sum();
    rows.into_iter()
        .find(|&(sign, count)| matches!(sign, '-' | '*' | '_') && 2 * count > all)
        .map(|(sign, _)| sign)
}

/// Returns the separator that fills an entire line, as in an empty row exported from a spreadsheet.
fn empty_row(sample: &Sample<'_>) -> Option<char> {
    let is_empty = |text: &&[u8]| text.len() >= SIDE - 1 && text.iter().all(|byte| *byte == text[0]);
    let mut empty = Lines::new(sample.bytes).map(|line| line.text).filter(is_empty);
    empty.find(|text| SEPARATORS.contains(&text[0])).map(|text| char::from(text[0]))
}

impl Units {
    /// Adds this reader, along with variants of it that set something it leaves open and read more as a result.
    fn vary(self, own: Attempt, sample: &Sample<'_>, found: &mut Vec<Proposal>) {
        for other in self.others(sample).into_iter().map(Self::new) {
            let more = Attempt::new(Arc::new(other.clone()), sample);
            // A claim is worth as much as the record that it would otherwise be.
            let has_more = more.score.points() > own.score.points() || more.score.claims > own.score.claims;
            // If a file has its own sign for blanks, most of its puzzles use it; any wrong sign could produce a few
            // extra puzzles.
            let has_blanks = other.dialect.blank == self.dialect.blank || more.open > 2 * own.open;
            if has_more && has_blanks && !found.iter().any(|(units, _)| units.dialect == other.dialect) {
                other.vary(more, sample, found);
            }
        }
        found.push((self, own));
    }

    /// Returns the dialects that differ from this one in a single setting that it leaves open. The setting can be
    /// claims below puzzles, blank lines between bands, lines of separators between grids, or another sign for blanks.
    fn others(&self, sample: &Sample<'_>) -> Vec<Dialect> {
        let own = &self.dialect;
        let mut others = Vec::new();
        if own.solution_below.is_none() && own.framing != Framing::Cell {
            others.push(Dialect { solution_below: Some(true), ..own.clone() });
        }
        if own.bands.is_none() && own.framing == Framing::Grid {
            others.push(Dialect { bands: Some(true), ..own.clone() });
        }
        if own.separator.is_none() && own.framing == Framing::Grid {
            let separator = empty_row(sample);
            others.extend(separator.map(|_| Dialect { separator, ..own.clone() }));
        }
        if own.blank.is_none() {
            let blanks = self.odd_blanks(sample).into_iter().map(Some);
            others.extend(blanks.map(|blank| Dialect { blank, ..own.clone() }));
        }
        others
    }

    /// Returns the signs that would turn the largest number of lines into cells, among lines that otherwise are not
    /// cells.
    fn odd_blanks(&self, sample: &Sample<'_>) -> Vec<char> {
        let mut lines: BTreeMap<char, usize> = BTreeMap::new();
        let n = self.cells_a_line;
        let others = Lines::new(sample.bytes).filter(|line| self.notation.cells(line.text, n).is_err());
        for line in others {
            for blank in odd_signs(line.text, n) {
                let odd = Notation { blank: Some(blank) };
                *lines.entry(blank).or_default() += usize::from(odd.cells(line.text, n).is_ok());
            }
        }
        let mut lines: Vec<_> = lines.into_iter().filter(|(_, count)| *count > 0).collect();
        lines.sort_by_key(|&(_, count)| Reverse(count));
        lines.into_iter().take(ODD_BLANKS).map(|(blank, _)| blank).collect()
    }
}

/// Returns the signs that would give a line about `n` cells and leave few other characters.
fn odd_signs(text: &[u8], n: usize) -> Vec<char> {
    let Ok(shown) = str::from_utf8(text) else { return Vec::new() };
    let is_cell = |sign: char| u8::try_from(sign).is_ok_and(|byte| digit_of(byte).is_some());
    let mut signs: BTreeMap<char, usize> = BTreeMap::new();
    for sign in shown.chars().filter(|sign| !sign.is_whitespace()) {
        *signs.entry(sign).or_default() += 1;
    }
    let cells: usize = signs.extract_if(.., |sign, _| is_cell(*sign)).map(|(_, count)| count).sum();
    let letters: usize =
        signs.iter().filter(|(sign, _)| sign.is_alphanumeric()).map(|(_, count)| count).sum();
    // Lines that are not puzzles have more letters than cells.
    let is_enough = |&(_, count): &(char, usize)| cells + count >= n && cells + count >= letters;
    let mut signs: Vec<_> = signs.into_iter().filter(is_enough).map(|(sign, _)| sign).collect();
    let is_number = |byte: u8| byte == b' ' || byte.is_ascii_digit();
    if n == SIDE && cells > 0 && shown.contains(' ') && shown.bytes().all(is_number) {
        signs.push(' ');
    }
    signs
}
