//! What the header of an array says: the type of its elements, their order and its shape.

use std::fmt;
use std::io::Read;

use crate::input::MAX_LINE;
use crate::sudoku::{CELLS, SIDE};

/// The first bytes of an array.
pub(in crate::input::columns) const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header that is read; numpy itself stops at 10,000 bytes.
const LONGEST: usize = 64 << 10;

/// Numbers of a row that has moves instead of cells: how many are clues, and row, column, value and strategy of each.
pub(super) const MOVES: usize = 1 + 4 * CELLS;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Signed,
    Unsigned,
    Float,
    /// Characters of four bytes.
    Unicode,
    Bytes,
}

/// The type of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub kind: Kind,
    /// Bytes of a number, or of a character.
    pub size: usize,
    /// Whether the highest of these bytes comes first.
    pub is_big_endian: bool,
}

/// What a row of an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub element: Element,
    /// Bytes of an element as the array has it: a number, or a text of some characters.
    pub element_bytes: usize,
    /// How many there are.
    pub elements: usize,
}

impl Row {
    pub const fn bytes(self) -> usize {
        self.elements * self.element_bytes
    }

    pub const fn has_moves(self) -> bool {
        self.elements == MOVES
    }
}

/// What the header of an array says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The type as it is written there.
    descr: String,
    pub fortran: bool,
    shape: Vec<u64>,
}

impl Header {
    /// Reads the start of an array up to its first row.
    pub fn read(reader: &mut impl Read) -> Result<Self, String> {
        let mut take = |length: usize| {
            let mut bytes = vec![0; length];
            reader.read_exact(&mut bytes).map_err(|_| "it ends within its header".to_owned())?;
            Ok::<_, String>(bytes)
        };
        let version = take(MAGIC.len() + 2)?[MAGIC.len()];
        if !(1..=3).contains(&version) {
            return Err(format!("its version is {version} (expected 1, 2 or 3)"));
        }
        let size = if version == 1 { 2 } else { 4 };
        let length = take(size)?.iter().rev().fold(0, |all, &byte| all << 8 | usize::from(byte));
        if length > LONGEST {
            return Err(format!("its header has {length} bytes (expected at most {LONGEST})"));
        }
        Ok(Self::parse(&String::from_utf8_lossy(&take(length)?))?)
    }

    /// Reads what stands behind the length of a header: a literal of Python, a dictionary of three.
    fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.replace('"', "'");
        let value = |key: &str| Some(text.split_once(key)?.1.trim_start().strip_prefix(':')?.trim_start());
        let within = |key, open, close| Some(value(key)?.strip_prefix(open)?.split_once(close)?.0);
        if value("'descr'").is_some_and(|descr| descr.starts_with('[')) {
            return Err("it is an array of records with fields");
        }
        let descr = || within("'descr'", '\'', '\'').map(str::to_owned);
        let fortran = || match value("'fortran_order'")? {
            order if order.starts_with("True") => Some(true),
            order => order.starts_with("False").then_some(false),
        };
        let shape = || {
            let lengths = within("'shape'", '(', ')')?.split(',').map(str::trim);
            // Python 2 ends long numbers in an L.
            let lengths =
                lengths.filter(|length| !length.is_empty()).map(|length| length.trim_end_matches('L'));
            lengths.map(|length| length.parse().ok()).collect::<Option<Vec<u64>>>()
        };
        let header = || Some(Self { descr: descr()?, fortran: fortran()?, shape: shape()? });
        header().ok_or("its header is no dictionary of descr, fortran_order and shape")
    }

    /// How many rows there are and what each of them is; `None` if they are no puzzles.
    pub fn rows(&self) -> Option<(u64, Row)> {
        let (element, characters) = self.element()?;
        let is_text = matches!(element.kind, Kind::Unicode | Kind::Bytes);
        // Axes of one element each say nothing, but for the first.
        let [first, rest @ ..] = &*self.shape else { return None };
        let rest: Vec<u64> = rest.iter().copied().filter(|&length| length != 1).collect();
        let (rows, elements) = match (*first, &*rest) {
            (rows, [81] | [9, 9]) => (rows, CELLS),
            (rows, [325]) if !is_text => (rows, MOVES),
            // Texts of a puzzle each, or of a row.
            (rows, []) if characters > 1 => (rows, 1),
            (rows, [9]) if characters > 1 => (rows, SIDE),
            // One puzzle alone.
            (81, []) | (9, [9]) => (1, CELLS),
            _ => return None,
        };
        let row = Row { element, element_bytes: element.size * characters, elements };
        (row.bytes() <= MAX_LINE).then_some((rows, row))
    }

    /// The type of the elements, and how many characters each has if they are texts.
    fn element(&self) -> Option<(Element, usize)> {
        let (order, rest) = self.descr.split_at_checked(1)?;
        let (kind, size) = rest.split_at_checked(1).filter(|_| matches!(order, "<" | ">" | "|"))?;
        let size: usize = size.parse().ok()?;
        let (kind, size, characters) = match (kind, size) {
            ("i", 1 | 2 | 4 | 8) => (Kind::Signed, size, 1),
            ("u", 1 | 2 | 4 | 8) => (Kind::Unsigned, size, 1),
            ("f", 4 | 8) => (Kind::Float, size, 1),
            ("U", 1..=MAX_LINE) => (Kind::Unicode, 4, size),
            ("S", 1..=MAX_LINE) => (Kind::Bytes, 1, size),
            _ => return None,
        };
        Some((Element { kind, size, is_big_endian: order == ">" }, characters))
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape: Vec<_> = self.shape.iter().map(ToString::to_string).collect();
        write!(f, "an array of {} with the shape ({})", self.descr, shape.join(", "))
    }
}
