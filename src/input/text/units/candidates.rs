//! Which lists, grids and single cells a sample may be.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::claims::is_solution;
use super::{Lines, Units};
use crate::input::reader::{Block, Candidates, Reader as _, Sample, State, TextEnd, TextReader as _};
use crate::input::{Dialect, Framing};
use crate::record::{Detail, FaultKind, Records, Want};
use crate::sudoku::{Grid, SIDE, digit_of};

/// Signs that may stand for blanks besides those that always do: files use one. The second is there since what is
/// commonest may be a separator.
const ODD_BLANKS: usize = 2;

/// What a reader finds in a sample.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    readable: usize,
    /// Of these the ones with a blank.
    open: usize,
    invalid: usize,
    /// Lines that are passed over.
    passed: usize,
    /// Complete grids right behind a puzzle whose clues they have.
    pairs: usize,
    /// Stretches of three rows.
    bands: usize,
}

/// Bytes of a sample that are looked at first: what is found in them is reason enough.
const FIRST: usize = 16 << 10;

/// The readers that find a puzzle at the start of a sample; if none does, those that find what should be one. Where a
/// framing is told, its reader needs neither.
pub(in crate::input) fn candidates(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    let start = sample.bytes.get(..FIRST).filter(|_| told.is_none()).map(|bytes| Sample {
        bytes,
        is_whole: false,
        ..*sample
    });
    let (units, others) = start.map_or_else(Default::default, |start| proposals(&start, told));
    let (units, others) = if units.is_empty() { proposals(sample, told) } else { (units, others) };
    let units = if units.is_empty() { others } else { units };
    units.into_iter().map(|units| Ok(Arc::new(units.with_columns(sample)) as _)).collect()
}

/// The readers that find a puzzle in a sample, and those that find what should be one.
fn proposals(sample: &Sample<'_>, told: Option<&Dialect>) -> (Vec<Units>, Vec<Units>) {
    let (mut units, mut others) = (Vec::new(), Vec::new());
    for framing in [Framing::Line, Framing::Grid, Framing::Cell] {
        let open = match told {
            Some(told) if told.framing != framing => continue,
            told => Units::new(told.cloned().unwrap_or_else(|| Dialect::of(framing))),
        };
        let seen = open.look(sample);
        if told.is_some() || seen.readable + seen.bands > 0 {
            open.clone().vary(sample, seen, &mut units);
        } else if seen.invalid > 0 && framing != Framing::Cell {
            // A single cell that cannot be read is any number.
            others.push(open.clone());
        }
        // Nine lines that are passed over may be one grid more.
        let is_clear = seen.readable as u64 >= Sample::ENOUGH
            && seen.invalid == 0
            && seen.passed < SIDE * seen.readable / 2;
        if is_clear {
            break;
        }
        open.vary_blank(sample, seen, &mut units);
    }
    (units, others)
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
            // A sign that the file uses is in most of its puzzles; a few more could be made up with any.
            if odd_seen.open > 2 * seen.open || odd_seen.bands > 2 * seen.bands {
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
        let read = self.read(&block, Want { claims: true }, &mut records);
        seen.passed = usize::try_from(read.passed.lines).unwrap_or(usize::MAX);
        let puzzles = records.puzzles();
        for (row, &is_readable) in records.readable().iter().enumerate() {
            let is_solved = |next: &Grid| {
                puzzles[row].cells().contains(&0) && is_solution(puzzles[row].cells(), next.cells())
            };
            let fault = records.faults().get(row);
            seen.readable += usize::from(is_readable);
            seen.open += usize::from(is_readable && puzzles[row].cells().contains(&0));
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
                let odd = Self::new(Dialect { blank: Some(blank), ..self.dialect.clone() });
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
        let is_cell = |sign: char| u8::try_from(sign).is_ok_and(|byte| digit_of(byte).is_some());
        let mut signs: BTreeMap<char, usize> = BTreeMap::new();
        for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
            *signs.entry(sign).or_default() += 1;
        }
        let all: usize = signs.values().sum();
        let cells: usize = signs.extract_if(.., |sign, _| is_cell(*sign)).map(|(_, count)| count).sum();
        // A line of another kind has more words than cells.
        let is_enough = |&(_, count): &(char, usize)| cells + count >= n && 2 * (cells + count) >= all;
        let signs = signs.into_iter().filter(is_enough).map(|(sign, _)| sign);
        let is_numbers = n == SIDE
            && cells > 0
            && text.contains(' ')
            && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_digit());
        let signs: Vec<_> = signs.chain(is_numbers.then_some(' ')).collect();
        let is_open = !signs.is_empty() && self.notation.cells(text.as_bytes(), n).is_err();
        if is_open { signs } else { Vec::new() }
    }
}
