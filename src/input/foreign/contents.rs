//! Texts known by what most of their lines are: how many cells each kind of content explains.

use std::borrow::Cow;

use memchr::memmem;

use super::squares::{matrix, squares};
use super::variants::{candidates, jigsaw, killer, letters, listed_cages, numbered_cages, samurai};
use super::{ANOTHER_FORM, EDGES, EXPORT, FORMULA, Foreign, Line, NO_PUZZLES, Text, WRITE_OUT, words};
use crate::input::cells;
use crate::sudoku::{CELLS, SIDE};

/// A kind of content: how many cells of the lines it explains.
pub(super) type Content = fn(&Text<'_>) -> Option<(u64, Foreign)>;

/// Every kind; of several that explain as much the first is taken.
pub(super) const CONTENTS: &[Content] = &[
    numbered_cages,
    listed_cages,
    killer,
    candidates,
    jigsaw,
    samurai,
    squares,
    clauses,
    letters,
    boxes,
    objects,
    numbers,
    bits,
    nines,
    long_numbers,
    ascending,
    edges,
];

/// Clauses of a formula without its header: signed numbers, and a 0 at the end if none has three digits.
fn clauses(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Lines that leave no doubt.
    const ENOUGH: usize = 3;
    let is_literal = |word: &[u8]| {
        let number = word.strip_prefix(b"-").unwrap_or(word);
        !matches!(number, [] | [b'0', ..]) && number.iter().all(u8::is_ascii_digit)
    };
    let literals = |line: &Line<'_>| {
        let closed = line.text.strip_suffix(b"0").filter(|rest| rest.ends_with(b" "));
        let literals = closed.map_or(line.text, <[u8]>::trim_ascii_end);
        let literals = literals.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        literals.map(|word| is_literal(word).then_some(1)).sum::<Option<u64>>()
    };
    // Rows and lines of cells may have -1 for their blanks.
    let is_cell = |word: &&[u8]| matches!(**word, [b'1'..=b'9'] | [b'-', b'1']);
    let is_row = |line: &Line<'_>| matches!(line.words.len(), SIDE | CELLS) && line.words.iter().all(is_cell);
    let clauses: Vec<u64> = lines.iter().filter(|line| !is_row(line)).filter_map(literals).collect();
    // A row of a grid may end with 0, too, but has no negative numbers then, or none but -1.
    let is_negative = |word: &&[u8]| word.starts_with(b"-") && **word != *b"-1";
    let is_signed = lines.iter().any(|line| line.words.iter().any(is_negative) && literals(line).is_some());
    let is_large = |word: &&[u8]| word.strip_prefix(b"-").unwrap_or(word).len() > 2;
    let is_closed = |line: &Line<'_>| line.text.ends_with(b" 0") || line.words.iter().any(is_large);
    let is_signed = is_signed && lines.iter().any(is_closed);
    let is_formula = is_signed && clauses.len() >= ENOUGH && 2 * clauses.len() > lines.len();
    is_formula.then(|| (clauses.iter().sum(), Foreign::new(FORMULA.0, FORMULA.1)))
}

/// Numbers with decimal places, one a line, as the weights of a neural net are kept.
fn numbers(text: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Fewer may be ratings.
    const MANY: usize = 81;
    let is_number = |line: &[u8]| {
        let digits = line.strip_prefix(b"-").unwrap_or(line);
        let point = digits.iter().position(|&byte| byte == b'.');
        point.is_some_and(|at| {
            let (whole, places) = (&digits[..at], &digits[at + 1..]);
            (1..SIDE).contains(&digits.len())
                && [whole, places].iter().all(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
        })
    };
    let (mut found, mut all) = (0, 0);
    for line in text.sample.record_lines() {
        all += 1;
        found += usize::from(is_number(line.trim_ascii()));
    }
    (found >= MANY && found * 10 >= all * 9)
        .then(|| (SIDE as u64 * found as u64 + 1, Foreign::new("a list of numbers", EXPORT)))
}

/// Zeros and ones: a matrix, or a vector for each cell (one-hot).
fn bits(text: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Those of a puzzle; fewer may be a grid, or a number.
    const MANY: usize = SIDE * CELLS;
    let bits_of = |line: &[u8]| {
        let (mut zeros, mut ones) = (0, 0);
        for word in words(line) {
            match word {
                b"0.0" => zeros += 1,
                b"1.0" => ones += 1,
                _ if word.iter().all(|byte| matches!(byte, b'0' | b'1')) => {
                    let found = word.iter().filter(|&&byte| byte == b'1').count();
                    (zeros, ones) = (zeros + word.len() - found, ones + found);
                }
                _ => return None,
            }
        }
        (zeros + ones >= SIDE).then_some((zeros + ones, ones))
    };
    let (mut lines, mut bits, mut ones, mut longest) = (0, 0, 0, 0);
    for line in text.sample.record_lines() {
        lines += 1;
        // Names of columns may stand above.
        match bits_of(line) {
            Some((of_line, ones_of_line)) => {
                (bits, ones, longest) = (bits + of_line, ones + ones_of_line, longest.max(of_line));
            }
            None if lines == 1 => {}
            None => return None,
        }
    }
    // Puzzles with nothing but ones for clues have nine of these at most.
    let may_be_puzzles = longest == CELLS && SIDE * ones <= bits;
    let foreign = Foreign::new("zeros and ones: a matrix, or a vector for each cell", ANOTHER_FORM);
    let has_both = ones.min(bits - ones) > SIDE;
    (bits >= MANY && has_both && !may_be_puzzles).then_some((bits as u64 + 1, foreign))
}

/// Nine numbers a line, of which most lines have some that are no digits. Where a grid of others can be read, it is.
fn nines(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Fewer may be a puzzle.
    const MANY: usize = 2 * SIDE;
    let is_number = |word: &&[u8]| word.iter().all(u8::is_ascii_digit);
    let has_large = |line: &&Line<'_>| {
        let words = &line.words;
        words.len() == SIDE && words.iter().all(is_number) && words.iter().any(|word| word.len() > 1)
    };
    let found = lines.iter().filter(has_large).count();
    (found > MANY && 2 * found > lines.len()).then(|| (1, matrix(SIDE)))
}

/// Lists of lists in JSON that are boxes by their name, in which cells have another order than in rows.
fn boxes(text: &Text<'_>) -> Option<(u64, Foreign)> {
    const NAMES: [&[u8]; 7] = [
        b"\"boxes\"",
        b"\"blocks\"",
        b"\"box\"",
        b"\"block\"",
        b"\"regions\"",
        b"\"nonets\"",
        b"\"squares\"",
    ];
    let bytes = text.sample.bytes;
    if !matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
        return None;
    }
    /// Those that may also name maps, whose places are more numbers than a puzzle has cells.
    const MAPS: usize = 4;
    let lists = NAMES.iter().enumerate().flat_map(|(rank, name)| {
        memmem::find_iter(bytes, name).map(move |at| (rank, &bytes[at + name.len()..]))
    });
    let cells_of = |(rank, behind): (usize, &[u8])| {
        let list = behind.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"[")?;
        let list = &list[..memchr::memchr(b'"', list).unwrap_or(list.len())];
        let count = list.iter().filter(|&&byte| cells::is_cell(byte)).count();
        let is_list = list.trim_ascii_start().starts_with(b"[") && (rank < MAPS || count <= CELLS);
        is_list.then_some(count)
    };
    let explained: usize = lists.filter_map(cells_of).map(|cells| cells + 1).sum();
    let foreign = Foreign::new("sudokus as lists of their boxes", WRITE_OUT);
    (explained > CELLS).then_some((explained as u64, foreign))
}

/// Rows of objects for cells in JSON: a solution beside them is no puzzle.
fn objects(text: &Text<'_>) -> Option<(u64, Foreign)> {
    const WORDS: [&[u8]; 3] = [b"puzzle", b"board", b"grid"];
    let bytes = text.sample.bytes;
    if !matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
        return None;
    }
    let is_grid = |&at: &usize| {
        let start = memchr::memrchr(b'"', &bytes[..at]).map_or(at, |quote| quote + 1);
        let name = bytes[start..at].to_ascii_lowercase();
        let opened = bytes[at + 2..].iter().filter(|byte| !byte.is_ascii_whitespace()).take(3);
        opened.eq(b"[[{") && WORDS.iter().any(|word| memmem::find(&name, word).is_some())
    };
    let found = memmem::find_iter(bytes, b"\":").filter(is_grid).count();
    let foreign = Foreign::new("sudokus with an object for each cell", WRITE_OUT);
    (found > 0).then_some(((found * (CELLS + 1)) as u64, foreign))
}

/// Numbers of as many digits each, one a line, that are far from being puzzles.
fn long_numbers(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Fewer may be ids.
    const MANY: usize = 20;
    /// Digits that a puzzle may lack, or have too many.
    const NEAR: usize = SIDE;
    let digits = |line: &Line<'_>| line.text.iter().all(u8::is_ascii_digit).then_some(line.text.len());
    let mut lengths: Vec<usize> = lines.iter().filter_map(digits).collect();
    lengths.sort_unstable();
    let length = *lengths.get(lengths.len() / 2)?;
    // One puzzle or several, or three rows or two.
    let is_near = length < CELLS / 2 || (length + NEAR) % CELLS <= 2 * NEAR;
    let found = lengths.iter().filter(|&&other| other == length).count();
    (found >= MANY && 10 * found >= 9 * lines.len() && !is_near).then(|| {
        let what = Cow::Owned(format!("numbers of {length} digits each"));
        ((found * length) as u64 + 1, Foreign { what, advice: Cow::Borrowed(NO_PUZZLES) })
    })
}

/// Numbers of nine digits, one a line and each greater than the last, as ids are: no rows of grids ascend for long.
fn ascending(text: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Fewer may be the rows of some grids.
    const MANY: usize = 4 * SIDE;
    let (mut found, mut last) = (0, &b""[..]);
    for line in text.sample.record_lines().map(<[u8]>::trim_ascii) {
        if line.len() != SIDE || line <= last || !line.iter().all(u8::is_ascii_digit) {
            return None;
        }
        (found, last) = (found + 1, line);
    }
    let foreign = Foreign::new("numbers in ascending order, like ids", NO_PUZZLES);
    (found > MANY).then_some(((SIDE * found) as u64 + 1, foreign))
}

/// Pairs of numbers and little else, whatever puzzle stands beside them.
fn edges(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Fewer may be part of something else.
    const MANY: usize = CELLS;
    /// Digits of the largest number of a vertex; rows in two parts have more.
    const MOST_DIGITS: usize = 4;
    let is_vertex = |word: &&[u8]| word.len() <= MOST_DIGITS && word.iter().all(u8::is_ascii_digit);
    let is_edge = |line: &&Line<'_>| line.words.len() == 2 && line.words.iter().all(is_vertex);
    let found = lines.iter().filter(is_edge).count();
    (found >= MANY && 10 * found >= 9 * lines.len()).then_some((2 * found as u64 + 1, EDGES))
}
