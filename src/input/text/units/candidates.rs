//! Which lists, grids and single cells a sample may be.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::claims::is_solution;
use super::{Lines, Units};
use crate::input::reader::{Block, Candidates, Reader as _, Sample, State, TextEnd, TextReader as _};
use crate::input::{Dialect, Framing};
use crate::record::{Detail, FaultKind, Records, Want};
use crate::sudoku::{SIDE, digit_of};

/// Signs that may stand for blanks besides those that always do: files use one. The second is there since what is
/// commonest may be a separator.
const ODD_BLANKS: usize = 2;

/// What a reader finds in a sample.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    readable: usize,
    invalid: usize,
    /// Complete grids right behind a puzzle whose clues they have.
    pairs: usize,
    /// Stretches of three rows.
    bands: usize,
}

/// The readers that find a puzzle in a sample; if none does, those that find what should be one. Where a framing is
/// told, its reader needs neither.
pub(in crate::input) fn candidates(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    let (mut units, mut others) = (Vec::new(), Vec::new());
    for framing in [Framing::Line, Framing::Grid, Framing::Cell] {
        let open = match told {
            Some(told) if told.framing != framing => continue,
            told => Units::new(told.cloned().unwrap_or(Dialect::of(framing))),
        };
        let seen = open.look(sample);
        if told.is_some() || seen.readable + seen.bands > 0 {
            open.clone().vary(sample, seen, &mut units);
        } else if seen.invalid > 0 && framing != Framing::Cell {
            // A single cell that cannot be read is any number.
            others.push(open.clone());
        }
        open.vary_blank(sample, seen, &mut units);
    }
    if units.is_empty() {
        units.append(&mut others);
    }
    units.into_iter().map(|units| Ok(Arc::new(units) as _)).collect()
}

impl Units {
    /// Adds the readers with another blank, if one is open.
    fn vary_blank(&self, sample: &Sample<'_>, seen: Seen, units: &mut Vec<Self>) {
        if self.dialect.blank.is_some() {
            return;
        }
        for blank in self.odd_blanks(sample) {
            let odd = Self::new(Dialect { blank: Some(blank), ..self.dialect.clone() });
            let odd_seen = odd.look(sample);
            if odd_seen.readable > seen.readable || odd_seen.bands > seen.bands {
                odd.vary(sample, odd_seen, units);
            }
        }
    }

    /// Adds it, and the readers that differ in what stands between and below grids.
    fn vary(self, sample: &Sample<'_>, seen: Seen, units: &mut Vec<Self>) {
        let Dialect { framing, solution_below, bands, .. } = self.dialect;
        let with = |dialect| Self::new(dialect);
        if bands.is_none() && framing == Framing::Grid && seen.bands > 0 {
            let banded = with(Dialect { bands: Some(true), ..self.dialect.clone() });
            let banded_seen = banded.look(sample);
            if banded_seen.readable > seen.readable {
                banded.vary(sample, banded_seen, units);
            }
        }
        if solution_below.is_none() && framing != Framing::Cell && seen.pairs > 0 {
            units.push(with(Dialect { solution_below: Some(true), ..self.dialect.clone() }));
        }
        units.push(self);
    }

    /// Reads a sample. What its end cuts is left out.
    fn look(&self, sample: &Sample<'_>) -> Seen {
        let end = if sample.is_whole { TextEnd::Last } else { TextEnd::Damaged };
        let length = self.frame(&mut State::default(), sample.bytes, end);
        let (mut records, mut seen) = (Records::default(), Seen::default());
        let block =
            Block { bytes: &sample.bytes[..length], state: &State::default(), is_last: sample.is_whole };
        self.read(&block, Want { claims: true }, &mut records);
        let puzzles = records.puzzles();
        for (row, &is_readable) in records.readable().iter().enumerate() {
            let is_solved = |next: &crate::sudoku::Grid| {
                puzzles[row].cells().contains(&0) && is_solution(puzzles[row].cells(), next.cells())
            };
            let fault = records.faults().get(row);
            seen.readable += usize::from(is_readable);
            seen.invalid += usize::from(!is_readable);
            seen.pairs += usize::from(is_readable && puzzles.get(row + 1).is_some_and(is_solved));
            seen.bands += usize::from(fault.is_some_and(|fault| {
                fault.kind == FaultKind::CutOffGrid && fault.found == [Detail::Number(SIDE as u64 / 3)]
            }));
        }
        seen
    }

    /// The signs with which most lines are cells that are none without.
    fn odd_blanks(&self, sample: &Sample<'_>) -> Vec<char> {
        let mut lines: BTreeMap<char, usize> = BTreeMap::new();
        for line in Lines::new(sample.bytes) {
            for blank in self.odd_signs(line.text) {
                let odd = Units::new(Dialect { blank: Some(blank), ..self.dialect.clone() });
                if odd.notation.cells(line.text, self.cells_a_line).is_ok() {
                    *lines.entry(blank).or_default() += 1;
                }
            }
        }
        let mut lines: Vec<_> = lines.into_iter().collect();
        lines.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        lines.into_iter().take(ODD_BLANKS).map(|(blank, _)| blank).collect()
    }

    /// The signs of a line that is no cells, with which it would have enough of them and not much else.
    fn odd_signs(&self, text: &[u8]) -> Vec<char> {
        let n = self.cells_a_line;
        let Ok(text) = str::from_utf8(text) else { return Vec::new() };
        if self.notation.cells(text.as_bytes(), n).is_ok() {
            return Vec::new();
        }
        // A line of another kind has more words than cells.
        let digits = text.bytes().filter(|byte| digit_of(*byte).is_some()).count();
        let is_numbers = n == SIDE
            && digits > 0
            && text.contains(' ')
            && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_digit());
        let mut counts: BTreeMap<char, usize> = BTreeMap::new();
        for sign in text.chars().filter(|sign| !sign.is_whitespace() && !sign.is_control()) {
            *counts.entry(sign).or_default() += 1;
        }
        let all: usize = counts.values().sum();
        counts.retain(|sign, count| {
            let is_free = !u8::try_from(*sign).is_ok_and(|byte| digit_of(byte).is_some());
            is_free && digits + *count >= n && 2 * (digits + *count) >= all
        });
        counts.into_keys().chain(is_numbers.then_some(' ')).collect()
    }
}
