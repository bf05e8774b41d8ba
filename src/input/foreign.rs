//! Files of other kinds, which are refused by name.
//!
//! Binary files but those that `binary` reads are known by their first bytes (`magic`), texts by how they begin
//! (`heads`) or by what most of their lines are (`contents`, with `squares` and `variants`). A kind of content says how
//! many cells of a sample it explains, as families do; a file is foreign only if that is more than what the best family
//! can read, so that some foreign lines among puzzles are bad records, and no more. What else there is of which nothing
//! can be read is named by `looks`.

mod contents;
mod heads;
mod looks;
mod magic;
mod squares;
#[cfg(test)]
mod tests;
mod variants;

use std::borrow::Cow;

use memchr::memmem;

use self::contents::CONTENTS;
pub(super) use self::heads::by_head;
use self::looks::is_source_code;
pub(super) use self::looks::{begins_program, by_looks, code};
pub(super) use self::magic::by_magic;
pub(super) use self::variants::numbers_cages;
use super::family::Sample;
use super::{InputError, cells};

const SAVE_SHEET: &str = "save the sheet as CSV, with the puzzles as text and not as numbers";
const SAVE_TEXT: &str = "save it as plain text";
const READ_OFF: &str = "the digits must be read off it first";
const WRITE_OUT: &str = "write the grid out, as nine rows or as 81 characters on a line";
const WRITE_OUT_OF: &str = "write what puzzles it holds out, as nine rows or as 81 characters on a line";
const NO_PUZZLES: &str = "there is nothing to solve in it";
const CAGES: &str = "killer sudokus (cages with their sums)";
const NINE_ONLY: &str = "sudokus of 9 x 9 cells and Sudominoku cases are all that is solved";
const ANOTHER_FORM: &str = "give the puzzle that it was made of";
const FORMULA: (&str, &str) = ("a DIMACS formula", ANOTHER_FORM);
const EDGES: Foreign = Foreign::new("pairs of numbers, like the edges of a graph", ANOTHER_FORM);
const EXPORT: &str = "export the puzzles as text";
const LOOKED_FOR: &str = "they are looked for in strings and lists of 81 cells and in lists of nine rows";
const SAVE_PAGE: &str = "save it as plain text: lynx -dump -nolist {} {pipe}";

/// What is said of files that have nothing to do with puzzles, or whose puzzles have another form altogether.
const UNRELATED: [&str; 6] = [ANOTHER_FORM, EXPORT, LOOKED_FOR, NO_PUZZLES, SAVE_PAGE, WRITE_OUT_OF];

/// Lines of a sample that are looked at.
const LINES_LOOKED_AT: usize = 4000;

/// Longest line that is looked at.
const LONGEST_LINE: usize = 4 << 10;

/// What a file is, and what to do with it.
#[derive(Debug, PartialEq, Eq)]
struct Foreign {
    what: Cow<'static, str>,
    advice: Cow<'static, str>,
}

impl Foreign {
    const fn new(what: &'static str, advice: &'static str) -> Self {
        Self { what: Cow::Borrowed(what), advice: Cow::Borrowed(advice) }
    }

    fn error(self, name: &str) -> InputError {
        InputError::Foreign {
            name: name.to_owned(),
            unrelated: UNRELATED.contains(&&*self.advice),
            what: self.what.into_owned(),
            advice: self.advice.replace("{}", &typed(name)),
        }
    }
}

/// Text that is looked at.
struct Text<'a> {
    sample: &'a Sample<'a>,
    lines: Vec<Line<'a>>,
}

/// A line without the blanks around it.
struct Line<'a> {
    text: &'a [u8],
    words: Vec<&'a [u8]>,
}

impl<'a> Line<'a> {
    /// The cells of a row of a square of that side: a word each, or a character.
    fn cells(&self, side: usize) -> Vec<&'a [u8]> {
        if self.words.len() == side {
            self.words.clone()
        } else {
            self.words.iter().flat_map(|word| word.chunks(1)).collect()
        }
    }
}

/// The refusal of text by what most of its lines are, and how many cells that explains.
pub(super) fn by_content(sample: &Sample<'_>) -> Option<(u64, InputError)> {
    let lines = lines_of(sample).into_iter().map(|text| Line { text, words: words(text) }).collect();
    let text = Text { sample, lines };
    let mut best = None;
    for (explained, foreign) in CONTENTS.iter().filter_map(|content| content(&text)) {
        if best.as_ref().is_none_or(|(most, _)| explained > *most) {
            best = Some((explained, foreign));
        }
    }
    best.map(|(explained, foreign)| (explained, foreign.error(sample.name)))
}

/// Whether text is a program or a notebook, in which a few puzzles may stand.
pub(super) fn is_program(sample: &Sample<'_>) -> bool {
    let is_notebook = || {
        sample.bytes.trim_ascii_start().starts_with(b"{")
            && memmem::find(sample.bytes, b"\"cell_type\"").is_some()
    };
    is_source_code(&lines_of(sample)) || is_notebook()
}

/// Whether text is a dump of a database.
pub(super) fn is_sql(sample: &Sample<'_>) -> bool {
    const STARTS: [&[u8]; 2] = [b"INSERT INTO ", b"CREATE TABLE "];
    let is_start = |line: &[u8], start: &[u8]| {
        line.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    sample.record_lines().any(|line| STARTS.iter().any(|start| is_start(line, start)))
}

/// Whether text is code, prose or an object of JSON, in which cells may stand without being a puzzle.
pub(super) fn is_other_text(sample: &Sample<'_>) -> bool {
    let lines = lines_of(sample);
    let is_words = |line: &&&[u8]| {
        let cells = line.iter().filter(|&&byte| cells::is_cell(byte)).count();
        line.iter().filter(|byte| byte.is_ascii_alphabetic()).count() > cells
    };
    let is_object = matches!(lines[..], [[b'{', ..], ..]);
    is_object || is_source_code(&lines) || 2 * lines.iter().filter(is_words).count() > lines.len()
}

/// The lines of a sample that are looked at, without the blanks around them.
fn lines_of<'a>(sample: &Sample<'a>) -> Vec<&'a [u8]> {
    let lines = sample.record_lines().filter(|line| line.len() <= LONGEST_LINE);
    lines.take(LINES_LOOKED_AT).map(<[u8]>::trim_ascii).collect()
}

/// The stretches of a line between blanks, bars, commas, brackets and quotes.
fn words(line: &[u8]) -> Vec<&[u8]> {
    let is_between = |byte: &u8| {
        matches!(
            byte,
            b'|' | b'!' | b',' | b';' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'"' | b'\'' | b':' | b'#'
        ) || *byte <= b' '
            || !byte.is_ascii()
    };
    line.split(is_between).filter(|word| !word.is_empty()).collect()
}

/// The characters of words.
fn length_of(words: &[&[u8]]) -> usize {
    words.iter().map(|word| word.len()).sum()
}

/// A name of a file as it is typed in a shell.
fn typed(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._/+-@%,:=".contains(c);
    match name {
        "-" => "FILE".to_owned(),
        _ if name.chars().all(is_plain) => name.to_owned(),
        _ => format!("'{}'", name.replace('\'', r"'\''")),
    }
}
