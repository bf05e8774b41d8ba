//! Refuses an input that has no puzzles, and says what was tried, what came closest, why it failed, and what the text
//! looks like.
//!
//! A binary file is refused because of its first bytes (`magic`). A text is refused if no candidate finds a valid
//! record and `--format` is not given. Files found in a directory are skipped instead, before a resumable run fixes its
//! list of inputs.

use super::error::MANGLED;
use super::names::is_mangled;
use super::reader::Sample;
use super::score::Attempt;
use super::{Framing, InputError, Passed, magic};
use crate::sudoku::SIDE;

/// The sizes of other common sudokus, largest first, because a row of 16 cells might also be a complete 4 x 4 sudoku.
const SIDES: [usize; 7] = [25, 16, 12, 10, 8, 6, 4];

/// Returns the error for a text in which no format finds a record; `attempts` must be sorted, best first.
pub(super) fn refusal(sample: &Sample<'_>, attempts: &[Attempt]) -> InputError {
    let mut tried: Vec<_> = attempts.iter().map(|attempt| attempt.framing).collect();
    tried.sort_unstable();
    tried.dedup();
    let words: Vec<_> = tried.into_iter().map(Framing::word).collect();
    let damage = |attempt: &&Attempt| if attempt.is_something_else() { 0 } else { attempt.damaged };
    // In a tie, the first attempt is taken.
    let nearest = attempts.iter().rev().max_by_key(damage);
    InputError::NoPuzzles {
        name: sample.name.to_owned(),
        tried: if words.is_empty() { Framing::text_words(", ") } else { words.join(", ") },
        nearest: said(sample, nearest),
        advice: advice(sample),
        damaged: nearest.filter(|it| damage(it) > 0).map(|attempt| Box::new(attempt.reader.dialect())),
    }
}

/// Describes the result of the nearest attempt, or the start of the text if there was no attempt.
fn said(sample: &Sample<'_>, nearest: Option<&Attempt>) -> String {
    if let Some(Attempt { reader, score, fault: Some(fault), .. }) = nearest {
        let dialect = reader.dialect();
        let s = if score.bad == 1 { "" } else { "s" };
        return format!("; as {dialect} {} invalid record{s} and no good one, the first: {fault}", score.bad);
    }
    let mut begin = Passed::default();
    let is_blank = |line: &[u8]| line.trim_ascii().is_empty();
    if let Some((text, line)) = sample.lines().zip(1..).find(|(line, _)| !is_blank(line)) {
        begin.count(line, text);
    }
    let first = nearest.and_then(|attempt| attempt.passed.first.as_ref()).or(begin.first.as_ref());
    first.map(|(line, text)| format!("; line {line} is not part of a puzzle: '{text}'")).unwrap_or_default()
}

/// Says what a text looks like and what to do about it, if known.
fn advice(sample: &Sample<'_>) -> Option<String> {
    let lines = lines(sample);
    let most =
        |is_such: fn(&[&[u8]]) -> bool| 2 * lines.iter().filter(|line| is_such(line)).count() > lines.len();
    let looks_like = |what: &str, advice: &str| Some(format!("it looks like {what}: {advice}"));
    if let Some((what, advice)) = magic::look(sample.name, sample.bytes) {
        looks_like(what, &advice)
    } else if most(|words| words.iter().any(|word| is_mangled(word))) {
        looks_like(MANGLED.0, MANGLED.1)
    } else if most(has_candidates) {
        looks_like("candidates (a sukaku)", "give only the clues, with blanks for all other cells")
    } else {
        let others = format!("sudokus of {0} x {0} cells", side(&lines)?);
        looks_like(&others, "only sudokus of 9 x 9 cells and Sudominoku cases are solved")
    }
}

/// Splits the first lines into words: the texts between blanks, frames, separators, brackets and quotes. Empty lines
/// and borders are dropped.
fn lines<'a>(sample: &Sample<'a>) -> Vec<Vec<&'a [u8]>> {
    let is_between = |&byte: &u8| byte <= b' ' || !byte.is_ascii() || b"|!,;[]{}()\"':#=".contains(&byte);
    let is_border = |word: &&[u8]| word.iter().all(|byte| matches!(byte, b'-' | b'+' | b'='));
    let words = |line: &'a [u8]| line.split(is_between).filter(|word| !word.is_empty()).collect();
    let lines = sample.start().lines().map(words);
    lines.filter(|words: &Vec<_>| !words.iter().all(is_border)).collect()
}

/// Returns the size of the sudoku for which most lines are either one row or all the cells.
fn side(lines: &[Vec<&[u8]>]) -> Option<usize> {
    // A cell is either a word, or a character of a word that is long or the only one on its line.
    let is_cell = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'.' | b'-' | b'_' | b'*');
    let cells_in = |words: &Vec<&[u8]>| {
        let cells: Vec<_> =
            words.iter().filter(|word| word.iter().all(is_cell)).map(|word| word.len()).collect();
        match (cells.len(), cells.into_iter().max().unwrap_or(0)) {
            (1, longest) | (_, longest @ 16..) => longest,
            (words, ..3) => words,
            _ => 0,
        }
    };
    let counts: Vec<usize> = lines.iter().map(cells_in).collect();
    let of = |cells| counts.iter().filter(|&&count| count == cells).count();
    let are_most = |cells| 2 * of(cells) > counts.len();
    SIDES.into_iter().find(|&side| are_most(side) && of(side) >= side || are_most(side * side))
}

/// Returns whether the words are a row of candidates: digits in ascending order, with several in some cell.
fn has_candidates(words: &[&[u8]]) -> bool {
    let are_ascending = |word: &&[u8]| word.iter().all(u8::is_ascii_digit) && word.is_sorted();
    words.len() == SIDE && words.iter().all(are_ascending) && words.iter().any(|word| word.len() > 1)
}
