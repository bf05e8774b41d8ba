//! The characters of cells, and how a byte that is none is called.
//!
//! Every format reads its cells by [`digit_of`], so that a blank is the same set of characters everywhere.

use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, SIDE, digit_of};

/// What [`digit`] says of a byte that is no cell.
pub(super) const NO_CELL: u8 = 0xff;

/// Digit of each byte, 0 for a blank.
const DIGIT: [u8; 256] = {
    let mut table = [NO_CELL; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(digit) = digit_of(byte as u8) {
            table[byte] = digit;
        }
        byte += 1;
    }
    table
};

/// Digit of a byte, 0 for a blank, [`NO_CELL`] if the byte is no cell.
#[inline]
pub(super) fn digit(byte: u8) -> u8 {
    DIGIT[usize::from(byte)]
}

/// Whether a byte is a digit or a blank.
#[inline]
pub(super) fn is_cell(byte: u8) -> bool {
    digit(byte) != NO_CELL
}

/// Whether a line is nothing but cells and what stands between them.
pub(super) fn are_all(line: &[u8]) -> bool {
    line.iter().all(|&byte| is_cell(byte) || byte.is_ascii_whitespace() || b",;|+".contains(&byte))
}

/// Clues that a puzzle with one solution has at least.
pub(super) const FEWEST_CLUES: usize = 17;

/// Whether a text that is no record may hold a puzzle all the same: as many cells as one nearly has, as many clues as one
/// has at least, and not much besides.
pub(super) fn may_hold_puzzle(text: &[u8]) -> bool {
    const FEWEST: usize = CELLS - SIDE;
    if text.len() < FEWEST {
        return false;
    }
    let count = |is_it: fn(&u8) -> bool| text.iter().filter(|byte| is_it(byte)).count();
    let found = count(|byte| is_cell(*byte));
    found >= FEWEST
        && count(|byte| matches!(byte, b'1'..=b'9')) >= FEWEST_CLUES
        && 4 * found >= count(|byte| !byte.is_ascii_whitespace())
}

/// Whether these are nine cells, as [`digit`] gives them, and no digit is there twice.
pub(super) fn is_row_of_sudoku(mut digits: impl Iterator<Item = u8>) -> bool {
    let (mut seen, mut count) = (0_u16, 0);
    let mut is_new = |digit: u8| {
        count += 1;
        let bit = if digit > 0 { 1_u16.checked_shl(digit.into()) } else { Some(0) };
        let is_new = bit.is_some_and(|bit| seen & bit == 0);
        seen |= bit.unwrap_or_default();
        is_new
    };
    let all_new = digits.all(&mut is_new);
    all_new && count == SIDE
}

/// Whether a line of another kind of file holds a puzzle or a row of one.
pub(super) fn holds_row(line: &[u8]) -> bool {
    let is_row = |run: &[u8]| {
        is_row_of_sudoku(run.iter().map(|&byte| digit(byte)))
            && run.iter().any(|&byte| digit(byte) == 0)
            && run.iter().any(|&byte| digit(byte) > 0)
    };
    may_hold_puzzle(line) || line.split(|&byte| !is_cell(byte)).any(is_row)
}

/// A set of ASCII characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Characters([u64; 2]);

impl Characters {
    #[inline]
    pub fn contains(self, byte: u8) -> bool {
        byte.is_ascii() && self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
    }

    /// Adds an ASCII character.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6 & 1)] |= 1 << (byte & 63);
    }
}

impl FromIterator<u8> for Characters {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::default();
        bytes.into_iter().for_each(|byte| set.insert(byte));
        set
    }
}

/// Whether a word says that there is nothing, as programs write it for a blank cell.
pub(super) fn is_null(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 6] = [b"null", b"none", b"nan", b"na", b"nil", b"undefined"];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether words above or before a grid say that it is a solution.
pub(super) fn says_solution(words: &[u8]) -> bool {
    const STEMS: [&str; 7] =
        ["solution", "solucion", "soluci\u{f3}n", "soluzione", "loesung", "l\u{f6}sung", "answer"];
    /// `solved`, and as results of a neural network call it: solution and prediction.
    const NAMES: [&str; 4] = ["solved", "sol", "sn", "pd"];
    /// More bytes than a title has.
    const LONGEST: usize = 100;
    if words.len() > LONGEST || !words.iter().any(u8::is_ascii_alphabetic) {
        return false;
    }
    // `A:` and `S:` below `P:` or `Q:`.
    if let [b'A' | b'a' | b'S' | b's', b':' | b'=', rest @ ..] = words.trim_ascii() {
        return rest.is_empty();
    }
    let Ok(words) = std::str::from_utf8(words) else { return false };
    let words = words.to_lowercase();
    STEMS.iter().any(|stem| words.contains(stem))
        || words.split(|letter: char| !letter.is_alphabetic()).any(|word| NAMES.contains(&word))
}

/// Whether a grid is complete and has every clue of a puzzle that is not.
pub(super) fn is_solution_of(puzzle: &Grid, grid: &Grid) -> bool {
    let agrees = |(&clue, &digit): (&u8, &u8)| digit != 0 && (clue == 0 || clue == digit);
    (puzzle.clues() as usize) < CELLS && puzzle.cells().iter().zip(grid.cells()).all(agrees)
}

/// The digit of a number with a point: `5.`, `5.0`, `5.000e+00`.
pub(super) fn float(word: &[u8]) -> Option<u8> {
    let &[first @ b'0'..=b'9', b'.', ref rest @ ..] = word else { return None };
    let zeros = rest.iter().take_while(|&&byte| byte == b'0').count();
    let exponent = match &rest[zeros..] {
        [] => b"0",
        [b'e' | b'E', b'+' | b'-', digits @ ..] | [b'e' | b'E', digits @ ..] => digits,
        _ => return None,
    };
    (!exponent.is_empty() && exponent.iter().all(|&byte| byte == b'0')).then_some(first - b'0')
}

/// How the blanks of one grid are written: where -1 is a blank, 0 is a digit of nine that begin with it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Blanks {
    zero: bool,
    minus_one: bool,
}

impl Blanks {
    /// Takes note of a cell, given by its text; says what is wrong with it beside those before it: that 0 and -1 are both
    /// there.
    pub fn see(&mut self, cell: &[u8]) -> Option<Fault> {
        self.zero |= cell == b"0";
        self.minus_one |= cell == b"-1";
        let shown = || String::from_utf8_lossy(cell).into_owned();
        (self.zero && self.minus_one).then(|| Fault::new(FaultKind::CellNumber, None).text(shown()))
    }
}

/// Number of cells at the start of `bytes`.
pub(super) fn run(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| !is_cell(byte)).unwrap_or(bytes.len())
}

/// The kinds of fault that a field of 81 cells can have.
pub(super) struct Kinds {
    pub count: FaultKind,
    pub character: FaultKind,
    pub byte: FaultKind,
    /// A number that is no digit, where cells are numbers.
    pub number: FaultKind,
}

/// Those of a puzzle.
pub(super) const PUZZLE: Kinds = Kinds {
    count: FaultKind::CellCount,
    character: FaultKind::Character,
    byte: FaultKind::Byte,
    number: FaultKind::CellNumber,
};

/// Those of a claimed solution.
pub(super) const CLAIM: Kinds = Kinds {
    count: FaultKind::ClaimCellCount,
    character: FaultKind::ClaimCharacter,
    byte: FaultKind::ClaimByte,
    number: FaultKind::ClaimNumber,
};

/// Reads a field that is 81 cells and nothing else; otherwise says at which offset the trouble is, and what it is.
#[inline]
pub(super) fn grid(field: &[u8], kinds: &Kinds) -> Result<Grid, (usize, Fault)> {
    match field.as_array::<CELLS>().and_then(Grid::from_text) {
        Some(grid) => Ok(grid),
        None => Err(explain(field, kinds)),
    }
}

#[cold]
fn explain(field: &[u8], kinds: &Kinds) -> (usize, Fault) {
    let count = run(field);
    if count < field.len() {
        let (is_character, name) = character(field, count);
        let kind = if is_character { kinds.character } else { kinds.byte };
        return (count, Fault::new(kind, None).text(name));
    }
    (count.min(CELLS), Fault::new(kinds.count, None).number(count))
}

/// Says that the character at `at` is no cell, by name: as itself when it can be shown, as a byte
/// when it is a control or broken UTF-8.
pub(super) fn invalid_character(bytes: &[u8], at: usize) -> Fault {
    let (is_character, name) = character(bytes, at);
    let kind = if is_character { FaultKind::Character } else { FaultKind::Byte };
    Fault::new(kind, None).text(name)
}

/// The name of the character at `at`, or of the byte if that is no character.
fn character(bytes: &[u8], at: usize) -> (bool, String) {
    let byte = bytes[at];
    if byte.is_ascii_control() && byte != b'\t' {
        return (true, format!("\\x{byte:02x}"));
    }
    let longest = bytes.len().min(at + 4);
    match (at + 1..=longest).find_map(|end| std::str::from_utf8(&bytes[at..end]).ok()) {
        Some("'") => (true, "'".to_owned()),
        Some(character) => (true, character.escape_debug().to_string()),
        None => (false, format!("\\x{byte:02x}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blanks_are_those_documented_and_no_others() {
        let cells: Vec<u8> = (0..=255).filter(|&byte| is_cell(byte)).collect();
        assert_eq!(cells, b"*-.0123456789?X_x");
        assert_eq!(digit(b'x'), 0);
        assert_eq!(digit(b'7'), 7);
    }

    #[test]
    fn a_float_is_a_cell_if_it_is_whole() {
        for word in ["5.", "5.0", "5.000", "5.0e0", "5.000000000000000000e+00", "5.E-00"] {
            assert_eq!(float(word.as_bytes()), Some(5), "{word}");
        }
        for word in ["", "5", ".0", "5.1", "5.0e", "5.0e+", "5.0e+01", "15.0", "5.0 ", "5.0.0", "5,0"] {
            assert_eq!(float(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn a_bad_character_is_named_so_that_it_can_be_seen() {
        let name = |bytes: &[u8]| invalid_character(bytes, 0).reason();
        assert_eq!(name(b"\x07"), "invalid character '\\x07' (expected 1-9, 0 or .)");
        assert_eq!(name(b"\0"), "invalid character '\\x00' (expected 1-9, 0 or .)");
        assert_eq!(name(b"q1"), "invalid character 'q' (expected 1-9, 0 or .)");
        assert_eq!(name("é1".as_bytes()), "invalid character 'é' (expected 1-9, 0 or .)");
        assert_eq!(name("\u{200b}".as_bytes()), "invalid character '\\u{200b}' (expected 1-9, 0 or .)");
        assert_eq!(name(b"\xff1"), "invalid byte '\\xff' (expected 1-9, 0 or .)");
        assert_eq!(name(b"\xc3"), "invalid byte '\\xc3' (expected 1-9, 0 or .)");
        assert_eq!(name(b"'"), "invalid character ''' (expected 1-9, 0 or .)");
        assert_eq!(name(b"\t"), "invalid character '\\t' (expected 1-9, 0 or .)");
    }
}
