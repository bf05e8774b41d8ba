//! Texts known by how they begin, however many cells of them can be read.

use memchr::memmem;

use super::{
    ANOTHER_FORM, CAGES, FORMULA, Foreign, LINES_LOOKED_AT, NINE_ONLY, NO_PUZZLES, READ_OFF, SAVE_PAGE,
};
use crate::input::family::Sample;
use crate::input::{InputError, cells};
use crate::sudoku::{CELLS, SIDE};

/// Texts known by the start of their first line, in small letters.
const HEADS: &[(&str, &str, &str)] = &[
    ("<!doctype html", "an HTML page", SAVE_PAGE),
    ("<html", "an HTML page", SAVE_PAGE),
    ("<svg", "an SVG image", READ_OFF),
    ("version https://git-lfs", "a pointer of Git LFS, not the file itself", "get the file: git lfs pull"),
    ("<table border=\"1\" class=\"dataframe\"", "an HTML table of pandas", "save it as CSV: to_csv"),
    ("msgid ", "a gettext catalogue", NO_PUZZLES),
    ("p cnf ", FORMULA.0, FORMULA.1),
    ("p edge ", "a graph (DIMACS)", ANOTHER_FORM),
    ("p col ", "a graph (DIMACS)", ANOTHER_FORM),
    ("sumocuev1", "killer sudokus (SumoCue)", NINE_ONLY),
    ("3x3:", "a sudoku variant (JSudoku)", NINE_ONLY),
];

/// What a title of few other words says that the puzzles are, in small letters.
const NAMES: &[(&str, &str)] = &[
    ("killer sudoku", "killer sudokus"),
    ("samurai sudoku", "samurai sudokus"),
    ("jigsaw sudoku", "jigsaw sudokus"),
    ("irregular sudoku", "jigsaw sudokus"),
    ("diagonal sudoku", "diagonal sudokus (X)"),
    ("sudoku diagonal", "diagonal sudokus (X)"),
    ("x-sudoku", "diagonal sudokus (X)"),
    ("sudoku x", "diagonal sudokus (X)"),
    ("sudoku-x", "diagonal sudokus (X)"),
    ("hyper sudoku", "hyper sudokus (Windoku)"),
    ("windoku", "hyper sudokus (Windoku)"),
    ("kakuro", "kakuros"),
    ("futoshiki", "futoshikis"),
    ("kenken", "KenKens"),
];

/// Letters of such a title that are not the name.
const OTHER_LETTERS: usize = 16;

/// The refusal of text that is foreign by how it begins, however many cells of it can be read.
pub(in crate::input) fn by_head(sample: &Sample<'_>) -> Option<InputError> {
    let mut lines = sample.record_lines().take(LINES_LOOKED_AT).peekable();
    // Comments of DIMACS, and what may stand before the root of XML.
    let is_before = |line: &&[u8]| {
        line.starts_with(b"c ")
            || line.trim_ascii() == b"c"
            || line.starts_with(b"<?")
            || line.starts_with(b"<!--")
    };
    while lines.next_if(|line| is_before(line)).is_some() {}
    let first = lines.next()?.trim_ascii_start();
    let starts_with =
        |head: &str| first.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head.as_bytes()));
    let head = HEADS.iter().find(|(head, ..)| starts_with(head));
    let cages = || has_cages(sample.bytes).then(|| Foreign::new(CAGES, NINE_ONLY));
    let variant = || variant(sample.bytes).map(|what| Foreign::new(what, NINE_ONLY));
    let tour = || is_tour(sample).then(|| Foreign::new("a problem of TSPLIB", NO_PUZZLES));
    let sections = || sdq(sample).map(|what| Foreign::new(what, NINE_ONLY));
    let found = head
        .map(|&(_, what, advice)| Foreign::new(what, advice))
        .or_else(cages)
        .or_else(variant)
        .or_else(sections)
        .or_else(tour)
        .or_else(|| named(sample))
        .or_else(|| counts_from_zero(sample));
    Some(found?.error(sample.name))
}

/// The variant that a section of an `.sdq` file is for: `{Killer:`, whatever grids stand in others.
fn sdq(sample: &Sample<'_>) -> Option<&'static str> {
    const SECTIONS: [(&[u8], &str); 2] =
        [(b"{Killer:", CAGES), (b"{Tower:", "skyscraper sudokus (towers seen from the sides)")];
    let section =
        |line: &[u8]| SECTIONS.iter().find(|(name, _)| line.starts_with(name)).map(|&(_, what)| what);
    sample.lines().take(LINES_LOOKED_AT).find_map(section)
}

/// Whether a section is for places and ways between them, as TSPLIB has it.
fn is_tour(sample: &Sample<'_>) -> bool {
    /// Lines before the first section.
    const MOST: usize = 20;
    const SECTIONS: [&[u8]; 3] = [b"EDGE_WEIGHT_SECTION", b"NODE_COORD_SECTION", b"TOUR_SECTION"];
    sample.record_lines().take(MOST).any(|line| SECTIONS.contains(&line.trim_ascii()))
}

/// Whether JSON has a member that is called cages and holds some, whatever puzzle stands beside it.
fn has_cages(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"ages\"";
    let is_json = matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]);
    let holds_some = |at: usize| {
        let value = bytes[at + NAME.len()..].trim_ascii_start().strip_prefix(b":");
        let value = value.map_or(&b""[..], <[u8]>::trim_ascii_start);
        matches!(bytes[..at], [.., b'"', b'c' | b'C'])
            && matches!(value, [b'[' | b'{', inside @ ..]
                if !matches!(inside.trim_ascii_start(), [] | [b']' | b'}', ..]))
    };
    is_json && memmem::find_iter(bytes, NAME).any(holds_some)
}

/// The variant that a member of JSON says a puzzle is of, whatever others are: `"XSudoku": true`, `"type": "jigsaw"`.
fn variant(bytes: &[u8]) -> Option<&'static str> {
    const DIAGONAL: &str = "diagonal sudokus (X)";
    /// Names of members, and what their values are called, in small letters and without what is between words.
    const VARIANTS: [(&str, &str); 16] = [
        ("xsudoku", DIAGONAL),
        ("sudokux", DIAGONAL),
        ("diagonal", DIAGONAL),
        ("diagonals", DIAGONAL),
        ("killer", "killer sudokus"),
        ("jigsaw", "jigsaw sudokus"),
        ("irregular", "jigsaw sudokus"),
        ("samurai", "samurai sudokus"),
        ("windoku", "hyper sudokus (Windoku)"),
        ("hyper", "hyper sudokus (Windoku)"),
        ("thermo", "thermo sudokus"),
        ("sandwich", "sandwich sudokus"),
        ("kropki", "kropki sudokus"),
        ("antiknight", "anti-knight sudokus"),
        ("antiking", "anti-king sudokus"),
        ("nonconsecutive", "nonconsecutive sudokus"),
    ];
    const KINDS: [&str; 3] = ["variant", "type", "variants"];
    /// Longest name of a member, and of a variant.
    const LONGEST: usize = 24;
    if !matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
        return None;
    }
    let word = |text: &[u8]| -> String {
        text.iter()
            .filter(|byte| byte.is_ascii_alphabetic())
            .map(|byte| char::from(byte.to_ascii_lowercase()))
            .collect()
    };
    let known = |word: &str| {
        let is_it = |name: &str| {
            word == name || word.strip_suffix("sudoku").or(word.strip_suffix("sudokus")) == Some(name)
        };
        VARIANTS.iter().find(|(name, _)| is_it(name)).map(|&(_, what)| what)
    };
    memchr::memchr_iter(b':', bytes).find_map(|at| {
        let name = bytes[..at].trim_ascii_end().strip_suffix(b"\"")?;
        let name = &name[name.len().saturating_sub(LONGEST)..];
        let name = word(&name[memchr::memrchr(b'"', name)? + 1..]);
        let value = bytes[at + 1..].trim_ascii_start();
        if value.starts_with(b"true") {
            return known(name.strip_prefix("is").unwrap_or(&name));
        }
        let value = value.strip_prefix(b"[").unwrap_or(value).trim_ascii_start().strip_prefix(b"\"")?;
        let value = &value[..memchr::memchr(b'"', &value[..value.len().min(LONGEST)])?];
        KINDS.contains(&&*name).then(|| known(&word(value)))?
    })
}

/// What a title says before the first line with cells.
fn named(sample: &Sample<'_>) -> Option<Foreign> {
    /// Lines before the first puzzle that may be titles.
    const MOST: usize = 20;
    /// Longest line that may be one.
    const LONGEST: usize = 120;
    let titles = sample.lines().take_while(|line| !has_row(line)).filter(|line| line.len() <= LONGEST);
    for line in titles.take(MOST) {
        let title = String::from_utf8_lossy(line).to_lowercase();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
        // In a comment it may be a mere word, but not the first.
        let is_comment =
            matches!(line.trim_ascii_start(), [b'#' | b';' | b'%', ..] | [b'/', b'/', ..] | [b'-', b'-', ..]);
        let is_named = |name: &str| {
            let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let is_word = |(at, _): (usize, &str)| {
                ends(title[..at].chars().next_back())
                    && ends(title[at + name.len()..].chars().next())
                    && !(is_comment && title[..at].contains(char::is_alphanumeric))
            };
            letters(&title) <= letters(name) + OTHER_LETTERS && title.match_indices(name).any(is_word)
        };
        if let Some((_, what)) = NAMES.iter().find(|(name, _)| is_named(name)) {
            return Some(Foreign::new(what, NINE_ONLY));
        }
    }
    None
}

/// Whether there are nine cells in a row somewhere on a line.
fn has_row(line: &[u8]) -> bool {
    line.split(|&byte| !cells::is_cell(byte)).any(|run| run.len() >= 9)
}

/// Rows and lines of cells with dots or -1 for blanks in which zeros are digits: there are several, never two in a row,
/// and no nine.
fn counts_from_zero(sample: &Sample<'_>) -> Option<Foreign> {
    let is_between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'|' | b',');
    let is_cell = |byte: &u8| matches!(byte, b'.' | b'0'..=b'9');
    let (mut zeros, mut blanks) = (0, false);
    for line in sample.record_lines() {
        let words = line.trim_ascii().split(is_between).filter(|word| !word.is_empty());
        let cells: Vec<u8> =
            words.flat_map(|word| if word == b"-1" { b"." } else { word }).copied().collect();
        if cells.len() != SIDE && cells.len() != CELLS || !cells.iter().all(is_cell) {
            continue;
        }
        blanks |= cells.contains(&b'.');
        for row in cells.chunks(SIDE) {
            let of_row = row.iter().filter(|&&cell| cell == b'0').count();
            if of_row > 1 || row.contains(&b'9') {
                return None;
            }
            zeros += of_row;
        }
    }
    (blanks && zeros > 1)
        .then(|| Foreign::new("puzzles with the digits 0 to 8", "write each digit greater by one"))
}
