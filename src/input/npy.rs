//! Arrays of NumPy: N x 81 or N x 9 x 9 whole numbers, or N texts of 81 cells; a puzzle a row.
//!
//! The header is a literal of Python and is read by hand. Rows are read in the order in which they lie, from pipes and
//! compressed files, too; where columns lie together (Fortran order), from plain files only. Two kinds of datasets are
//! known by their looks. Where cells are 1 to 10, with a 10 and without a 0, they are tokens: the digit and one more,
//! as HRM is trained on, and `all__labels.npy` beside `all__inputs.npy` is what these claim. And 325 numbers a row are
//! the clues' count and 81 times row, column, value and strategy: clues first, then the solution.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::batch::{BadEnd, BatchSource, Cursor, Format, MOST_RECORDS, Position};
use super::binary::{BinaryInput, BinaryRows, Bytes, Known, NO_ROWS, Watched, read_exact_at};
use super::cells::{CLAIM, Kinds, PUZZLE};
use super::field;
use super::hash::Hash;
use super::stream::Stream;
use super::{Batch, Columns, InputError, SourceInfo};
use crate::record::{Fault, FaultKind, Layout, Place, Records, Span, Want};
use crate::sudoku::{CELLS, Grid};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header that is read; NumPy itself stops at 10,000 bytes.
const LONGEST_HEADER: usize = 64 << 10;

/// Rows that are looked at to see what the numbers are.
const ROWS_LOOKED_AT: usize = 1000;

/// Numbers of a row that has moves instead of cells: how many are clues, and row, column, value and strategy of each.
const MOVES: usize = 1 + 4 * CELLS;

/// The file of the puzzles in a set that HRM is trained on, and that of their solutions beside it.
const TOKEN_FILES: [&str; 2] = ["all__inputs.npy", "all__labels.npy"];

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
    /// Characters of four bytes.
    Unicode,
    Bytes,
}

/// The type of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Element {
    kind: Kind,
    /// Bytes of a number, or of a character.
    size: usize,
    big_endian: bool,
}

/// What the header of an array says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Header {
    /// The type as it is written there.
    descr: String,
    fortran: bool,
    shape: Vec<u64>,
}

/// What a row of an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    element: Element,
    /// Bytes of an element as the array has it: a number, or a text of some characters.
    element_bytes: usize,
    /// Elements along the two axes of a row; 1 for one that is not there.
    axes: [usize; 2],
}

impl Row {
    const fn elements(self) -> usize {
        self.axes[0] * self.axes[1]
    }

    const fn bytes(self) -> usize {
        self.elements() * self.element_bytes
    }
}

/// A value as an array's header has it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Literal {
    Text(String),
    Flag(bool),
    Numbers(Vec<u64>),
    /// A list, as the types of records with fields are written.
    List,
}

/// Reads literals of Python, as far as headers have them.
struct Literals<'a>(&'a [u8]);

impl Literals<'_> {
    /// Takes a byte behind blanks, if it comes.
    fn take(&mut self, byte: u8) -> bool {
        self.0 = self.0.trim_ascii_start();
        match self.0.split_first() {
            Some((&first, rest)) if first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn text(&mut self) -> Option<String> {
        let quote = if self.take(b'\'') {
            b'\''
        } else if self.take(b'"') {
            b'"'
        } else {
            return None;
        };
        let end = self.0.iter().position(|&byte| byte == quote)?;
        let (text, rest) = self.0.split_at(end);
        self.0 = &rest[1..];
        Some(String::from_utf8_lossy(text).into_owned())
    }

    fn word(&mut self, word: &str) -> bool {
        self.0 = self.0.trim_ascii_start();
        let rest = self.0.strip_prefix(word.as_bytes());
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn number(&mut self) -> Option<u64> {
        self.0 = self.0.trim_ascii_start();
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        // Python 2 ends long numbers in an L.
        self.take(b'L');
        std::str::from_utf8(number).ok()?.parse().ok()
    }

    fn numbers(&mut self) -> Option<Vec<u64>> {
        let mut numbers = Vec::new();
        while !self.take(b')') {
            numbers.push(self.number()?);
            if !self.take(b',') {
                return self.take(b')').then_some(numbers);
            }
        }
        Some(numbers)
    }

    fn value(&mut self) -> Option<Literal> {
        if self.word("True") {
            Some(Literal::Flag(true))
        } else if self.word("False") {
            Some(Literal::Flag(false))
        } else if self.take(b'(') {
            self.numbers().map(Literal::Numbers)
        } else if self.take(b'[') {
            // What is in it does not matter: nobody reads on.
            self.0 = &[];
            Some(Literal::List)
        } else {
            self.text().map(Literal::Text)
        }
    }
}

impl Header {
    /// Reads what stands behind the length of a header: a dictionary of three.
    fn parse(text: &[u8]) -> Result<Self, &'static str> {
        const BROKEN: &str = "its header is no dictionary of descr, fortran_order and shape";
        let mut literals = Literals(text);
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        if !literals.take(b'{') {
            return Err(BROKEN);
        }
        while !literals.take(b'}') {
            let key = literals.text().filter(|_| literals.take(b':')).ok_or(BROKEN)?;
            match (key.as_str(), literals.value().ok_or(BROKEN)?) {
                ("descr", Literal::Text(text)) => descr = Some(text),
                ("descr", Literal::List) => return Err("it is an array of records with fields"),
                ("fortran_order", Literal::Flag(flag)) => fortran = Some(flag),
                ("shape", Literal::Numbers(numbers)) => shape = Some(numbers),
                _ => return Err(BROKEN),
            }
            literals.take(b',');
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Self { descr, fortran, shape }),
            _ => Err(BROKEN),
        }
    }

    /// How many rows there are and what each of them is; `None` if they are no puzzles.
    fn rows(&self) -> Option<(u64, Row)> {
        let (order, rest) = self.descr.split_at_checked(1)?;
        let (kind, size) = rest.split_at_checked(1)?;
        let size: usize = size.parse().ok()?;
        let big_endian = match order {
            "<" | "|" => false,
            ">" => true,
            _ => return None,
        };
        let (kind, size, characters) = match (kind, size) {
            ("i", 1 | 2 | 4 | 8) => (Kind::Signed, size, 1),
            ("u", 1 | 2 | 4 | 8) => (Kind::Unsigned, size, 1),
            ("f", 2 | 4 | 8) => (Kind::Float, size, 1),
            ("U", 1..=super::MAX_LINE) => (Kind::Unicode, 4, size),
            ("S", 1..=super::MAX_LINE) => (Kind::Bytes, 1, size),
            _ => return None,
        };
        let is_text = matches!(kind, Kind::Unicode | Kind::Bytes);
        // Axes of one element each say nothing, but for the first.
        let [first, rest @ ..] = &*self.shape else { return None };
        let rest: Vec<u64> = rest.iter().copied().filter(|&length| length != 1).collect();
        let (rows, axes) = match (*first, &*rest) {
            (rows, [81]) => (rows, [81, 1]),
            (rows, [9, 9]) => (rows, [9, 9]),
            (rows, [325]) if !is_text => (rows, [MOVES, 1]),
            // Texts of a puzzle each, or of a row.
            (rows, []) if characters > 1 => (rows, [1, 1]),
            (rows, [9]) if characters > 1 => (rows, [9, 1]),
            // One puzzle alone.
            (81, []) => (1, [81, 1]),
            (9, [9]) => (1, [9, 9]),
            (325, []) if !is_text => (1, [MOVES, 1]),
            _ => return None,
        };
        let element = Element { kind, size, big_endian };
        let row = Row { element, element_bytes: size * characters, axes };
        (row.bytes() <= super::MAX_LINE).then_some((rows, row))
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape: Vec<_> = self.shape.iter().map(ToString::to_string).collect();
        write!(f, "an array of {} with the shape ({})", self.descr, shape.join(", "))
    }
}

impl Element {
    /// A number if it is a whole one from 0 to 100; something larger if not.
    #[inline]
    fn small(self, bytes: &[u8]) -> u8 {
        if self.kind == Kind::Float {
            return match self.float(bytes) {
                number @ 0.0..=100.0 if number.fract() == 0.0 => number as u8,
                _ => u8::MAX,
            };
        }
        // One that is negative has its highest bit set, and so is large.
        u64::from_le_bytes(self.word(bytes)).min(u8::MAX.into()) as u8
    }

    /// The lowest eight bytes of a number, in order from the lowest.
    fn word(self, bytes: &[u8]) -> [u8; 8] {
        let mut word = [0; 8];
        for (i, to) in word.iter_mut().enumerate().take(self.size) {
            *to = bytes[if self.big_endian { self.size - 1 - i } else { i }];
        }
        word
    }

    fn float(self, bytes: &[u8]) -> f64 {
        let word = u64::from_le_bytes(self.word(bytes));
        match self.size {
            8 => f64::from_bits(word),
            4 => f32::from_bits(word as u32).into(),
            _ => {
                let (sign, exponent, fraction) = (word >> 15 & 1, word >> 10 & 0x1f, (word & 0x3ff) as f64);
                let size = match exponent {
                    0 => fraction * 2_f64.powi(-24),
                    0x1f if fraction == 0.0 => f64::INFINITY,
                    0x1f => f64::NAN,
                    _ => (fraction + 1024.0) * 2_f64.powi(exponent as i32 - 25),
                };
                if sign == 1 { -size } else { size }
            }
        }
    }

    /// A number as people write it.
    fn shown(self, bytes: &[u8]) -> String {
        let word = u64::from_le_bytes(self.word(bytes));
        match self.kind {
            Kind::Float => self.float(bytes).to_string(),
            Kind::Signed => {
                let above = 64 - 8 * self.size as u32;
                ((word << above) as i64 >> above).to_string()
            }
            _ => word.to_string(),
        }
    }
}

/// Where the rows of an array come from.
enum RowBytes {
    /// A file that can be read anywhere.
    File(Watched),
    /// One after the other; some were read when they were looked at.
    Stream { stream: Box<Stream>, ahead: Vec<u8> },
}

/// An array of which the header was read.
struct Array {
    header: Header,
    bytes: RowBytes,
    /// Bytes before the first row.
    start: u64,
    rows: u64,
    row: Row,
    /// Rows that were read.
    done: u64,
}

/// Reads the start of an array up to its first row, and says how many bytes that are.
fn read_header(reader: &mut impl Read) -> Result<(Header, u64), String> {
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
    if length > LONGEST_HEADER {
        return Err(format!("its header has {length} bytes (expected at most {LONGEST_HEADER})"));
    }
    let header = Header::parse(&take(length)?)?;
    Ok((header, (MAGIC.len() + 2 + size + length) as u64))
}

impl Array {
    /// Reads a header. A file is seen by `hash` from the row on from which it is read, and wholly if that is the first.
    fn open(name: &str, bytes: Bytes, hash: &Hash, wants_hash: bool, from: u64) -> Result<Self, InputError> {
        let unreadable = |what: String| InputError::Unreadable { name: name.to_owned(), what };
        let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
        let no_array = |reason: String| unreadable(format!("is no array that can be read: {reason}"));
        let (header, start, bytes) = match bytes {
            Bytes::File(mut file) => {
                let (header, start) = read_header(&mut file).map_err(no_array)?;
                let file = Watched::new(file, hash, wants_hash, from).map_err(failed)?;
                (header, start, RowBytes::File(file))
            }
            Bytes::Stream(mut stream) => {
                let header = read_header(&mut stream);
                let failure = |reason| stream.take_failure(name).unwrap_or_else(|| no_array(reason));
                let (header, start) = header.map_err(failure)?;
                (header, start, RowBytes::Stream { stream, ahead: Vec::new() })
            }
        };
        let Some((rows, row)) = header.rows() else {
            return Err(unreadable(format!(
                "is {header}, which holds no puzzles (expected N x 81 or N x 9 x 9 whole numbers, N x 325 of moves, or \
                 N texts of 81 cells)"
            )));
        };
        let array = Self { header, bytes, start, rows, row, done: 0 };
        let size = rows.checked_mul(row.bytes() as u64).and_then(|bytes| bytes.checked_add(start));
        match (&array.bytes, size) {
            (_, None) => Err(unreadable(format!("is {}, more than any file holds", array.header))),
            (RowBytes::Stream { .. }, _) if array.is_transposed() => Err(unreadable(format!(
                "is {} in Fortran order, which can be read from a plain file only, neither from a pipe nor \
                 compressed: save it to one, or write it in C order",
                array.header
            ))),
            (RowBytes::File(file), Some(size)) if array.is_transposed() && file.size < size => {
                let what = format!(
                    "is cut off: {} of {size} bytes, and in Fortran order no row is whole",
                    file.size
                );
                Err(unreadable(what))
            }
            _ => Ok(array),
        }
    }

    /// Whether the elements of a row do not lie together.
    fn is_transposed(&self) -> bool {
        let [one, other] = self.row.axes;
        self.header.fortran && (one > 1 && (self.rows > 1 || other > 1))
    }

    /// The first rows, which stay to be read.
    fn look(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read(ROWS_LOOKED_AT, &mut bytes)?;
        self.done = 0;
        if let RowBytes::Stream { ahead, .. } = &mut self.bytes {
            ahead.clone_from(&bytes);
        }
        Ok(bytes)
    }

    /// Leaves out the rows before one of them.
    fn skip_to(&mut self, row: u64) -> io::Result<()> {
        if let RowBytes::File(_) = self.bytes {
            self.done = row.min(self.rows);
            return Ok(());
        }
        let mut bytes = Vec::new();
        while self.done < row {
            bytes.clear();
            let most = usize::try_from(row - self.done).unwrap_or(ROWS_LOOKED_AT).min(ROWS_LOOKED_AT);
            if self.read(most, &mut bytes)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Appends the next rows, fewer if there are no more that are whole; says how many.
    fn read(&mut self, most: usize, out: &mut Vec<u8>) -> io::Result<usize> {
        let row_bytes = self.row.bytes();
        let left = usize::try_from(self.rows - self.done).unwrap_or(most);
        let (before, count) = (out.len(), most.min(left));
        let is_transposed = self.is_transposed();
        let count = match &mut self.bytes {
            RowBytes::File(file) if is_transposed => {
                out.resize(before + count * row_bytes, 0);
                let (element, [one, other]) = (self.row.element_bytes, self.row.axes);
                let mut column = vec![0; count * element];
                for place in 0..one * other {
                    // In C order, which runs along the last axis.
                    let in_file = (place / other + place % other * one) as u64;
                    let offset = (in_file * self.rows + self.done) * element as u64;
                    read_exact_at(&file.file, &mut column, self.start + offset)?;
                    let rows = out[before..].chunks_exact_mut(row_bytes);
                    for (row, value) in rows.zip(column.chunks_exact(element)) {
                        row[place * element..(place + 1) * element].copy_from_slice(value);
                    }
                }
                count
            }
            RowBytes::File(file) => {
                let offset = self.start + self.done * row_bytes as u64;
                let whole = file.size.saturating_sub(offset) / row_bytes as u64;
                let count = usize::try_from(whole).unwrap_or(count).min(count);
                out.resize(before + count * row_bytes, 0);
                read_exact_at(&file.file, &mut out[before..], offset)?;
                count
            }
            RowBytes::Stream { stream, ahead } => {
                let from_ahead = ahead.len().min(count * row_bytes);
                out.extend(ahead.drain(..from_ahead));
                let missing = (count * row_bytes - from_ahead) as u64;
                // What came before an error is read, and the error comes again as the end of the stream.
                let failure = stream.by_ref().take(missing).read_to_end(out).err();
                let count = (out.len() - before) / row_bytes;
                out.truncate(before + count * row_bytes);
                if let Some(error) = failure.filter(|_| count == 0) {
                    return Err(error);
                }
                count
            }
        };
        self.done += count as u64;
        if let RowBytes::File(file) = &mut self.bytes {
            file.see_to(self.start + self.done * row_bytes as u64)?;
        }
        Ok(count)
    }

    /// Bytes behind the rows once no more come.
    fn end(&mut self, name: &str) -> Result<u64, InputError> {
        let failure = match &mut self.bytes {
            RowBytes::Stream { stream, .. } => stream.take_failure(name),
            RowBytes::File(_) => None,
        };
        if let Some(failure) = failure {
            return Err(failure);
        }
        if self.done < self.rows {
            let place = format!("row {} of {}", self.done + 1, self.rows);
            let reason = "the data ends there (truncated file?)".to_owned();
            return Err(InputError::DamagedTable { name: name.to_owned(), format: "npy", place, reason });
        }
        let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
        Ok(match &mut self.bytes {
            RowBytes::Stream { stream, .. } => io::copy(stream, &mut io::sink()).map_err(failed)?,
            RowBytes::File(file) => {
                let end = self.start + self.rows * self.row.bytes() as u64;
                file.see_to(file.size).map_err(failed)?;
                file.size.saturating_sub(end)
            }
        })
    }
}

/// Opens an array, and what it claims.
pub(super) fn open(input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
    let BinaryInput { name, bytes, from, options, hash } = input;
    let is_file = matches!(bytes, Bytes::File(_));
    let (offset, from) = (from.offset, from.records);
    let failed = |source| InputError::Read { name: name.to_owned(), offset: 0, source };
    let mut puzzles = Array::open(name, bytes, hash, options.hash, from)?;
    if puzzles.rows == 0 {
        return Err(InputError::Unreadable { name: name.to_owned(), what: NO_ROWS.to_owned() });
    }
    // What is behind the rows was a record itself.
    let is_told = from == puzzles.rows + 1;
    let from = from - u64::from(is_told);
    let looked_at = puzzles.look().map_err(failed)?;
    let has_moves = puzzles.row.axes == [MOVES, 1];
    let is_tokens = !has_moves && puzzles.row.holds_tokens(&looked_at);
    let mut claims = None;
    if is_file && is_tokens {
        claims = match labels_beside(name, &puzzles) {
            Err(error) if options.claims => return Err(error),
            labels => labels.ok().flatten(),
        };
    }
    for array in std::iter::once(&mut puzzles).chain(&mut claims) {
        array.skip_to(from).map_err(failed)?;
        if array.done < from {
            return Err(InputError::Shorter { name: name.to_owned(), offset });
        }
    }
    let mut notes = Vec::new();
    if is_tokens {
        notes.push(format!(
            "{name}: cells are 1 to 10: read as tokens, 1 for a blank and the digit and one more"
        ));
    }
    let has_claims = has_moves || claims.is_some();
    let rows = ArrayRows { puzzle: puzzles.row, claim: claims.as_ref().map(|claims| claims.row), is_tokens };
    let missing = (options.claims && !has_claims).then(|| {
        "no claimed solutions (expected rows of 325 numbers, or all__labels.npy beside all__inputs.npy)"
            .to_owned()
    });
    let arrays = Arrays { name: name.to_owned(), puzzles, claims, rows: Arc::new(rows), missing, is_told };
    Ok(BinaryRows {
        batches: Box::new(arrays),
        known: Known { columns: Columns::default(), has_claims },
        notes,
    })
}

/// The solutions beside a set of tokens.
fn labels_beside(name: &str, puzzles: &Array) -> Result<Option<Array>, InputError> {
    let path = Path::new(name);
    let [inputs, labels] = TOKEN_FILES;
    if path.file_name().is_none_or(|name| name != inputs) {
        return Ok(None);
    }
    let path = path.with_file_name(labels);
    let Ok(file) = File::open(&path) else { return Ok(None) };
    let name = path.to_string_lossy();
    let labels = Array::open(&name, Bytes::File(file), &Hash::new(false), false, 0)?;
    if labels.rows != puzzles.rows || labels.row.axes == [MOVES, 1] {
        let what = format!("is {}, and cannot be what {} puzzles claim", labels.header, puzzles.rows);
        return Err(InputError::Unreadable { name: name.into_owned(), what });
    }
    Ok(Some(labels))
}

/// An array of puzzles, and one of what they claim.
struct Arrays {
    name: String,
    puzzles: Array,
    claims: Option<Array>,
    rows: Arc<ArrayRows>,
    /// What there is to say of claims that are wanted and not there.
    missing: Option<String>,
    /// Whether it was told that there is more behind.
    is_told: bool,
}

impl BatchSource for Arrays {
    fn next_batch(
        &mut self,
        source: &Arc<SourceInfo>,
        mut buffer: Vec<u8>,
        target: usize,
    ) -> Result<Option<Batch>, InputError> {
        buffer.clear();
        let before = self.puzzles.done;
        let most = usize::try_from(MOST_RECORDS).unwrap_or(usize::MAX);
        let wanted = (target / self.rows.bytes()).clamp(1, most);
        let failed = |source| InputError::Read { name: self.name.clone(), offset: before, source };
        let count = match self.puzzles.read(wanted, &mut buffer) {
            Ok(count) => count,
            // A stream tells at its end what it failed by.
            Err(source)
                if matches!(self.puzzles.bytes, RowBytes::File(_))
                    && source.kind() != io::ErrorKind::UnexpectedEof =>
            {
                return Err(failed(source));
            }
            Err(_) => 0,
        };
        if count == 0 {
            let behind = self.puzzles.end(&self.name)?;
            let is_new = behind > 0 && !std::mem::replace(&mut self.is_told, true);
            let position = Position {
                offset: self.puzzles.start + before * self.puzzles.row.bytes() as u64,
                line: before + 1,
                records: before,
                ..Position::START
            };
            let fault = Fault::new(FaultKind::BehindArray, None).number(behind);
            return Ok(is_new.then(|| BadEnd(fault).batch(source, position)));
        }
        if let Some(claims) = &mut self.claims
            && claims.read(count, &mut buffer).map_err(failed)? < count
        {
            let (place, reason) =
                (format!("row {}", claims.done + 1), format!("{} ends there", TOKEN_FILES[1]));
            return Err(InputError::DamagedTable { name: self.name.clone(), format: "npy", place, reason });
        }
        let offset = self.puzzles.start + before * self.puzzles.row.bytes() as u64;
        Ok(Some(Batch {
            source: Arc::clone(source),
            bytes: buffer,
            position: Position { offset, line: before + 1, records: before, ..Position::START },
            records: count as u64,
            ahead: 0,
            format: Arc::clone(&self.rows) as Arc<dyn Format>,
            carried: Arc::default(),
        }))
    }

    fn raw_position(&self) -> u64 {
        match &self.puzzles.bytes {
            RowBytes::File(file) => file.seen(),
            RowBytes::Stream { stream, .. } => stream.raw_position(),
        }
    }

    fn note(&self) -> Option<String> {
        self.missing.clone().filter(|_| self.puzzles.done > 0)
    }
}

/// How the rows of an array are read: first those of a batch's puzzles, then what they claim.
#[derive(Clone, Copy, Debug)]
struct ArrayRows {
    puzzle: Row,
    claim: Option<Row>,
    is_tokens: bool,
}

impl ArrayRows {
    /// Bytes of a record.
    fn bytes(&self) -> usize {
        self.puzzle.bytes() + self.claim.map_or(0, Row::bytes)
    }
}

impl Format for ArrayRows {
    fn read(&self, _: Cursor, bytes: &[u8], line: u64, want: Want, out: &mut Records) {
        let records = bytes.len() / self.bytes();
        let (puzzles, claims) = bytes.split_at(records * self.puzzle.bytes());
        let claim_bytes = self.claim.map_or(0, Row::bytes);
        for (row, (text, line)) in puzzles.chunks_exact(self.puzzle.bytes()).zip(line..).enumerate() {
            let (puzzle, claim) = if self.puzzle.axes == [MOVES, 1] {
                self.puzzle
                    .moves(text, line)
                    .map_or_else(|fault| (Err(fault), None), |[puzzle, claim]| (Ok(puzzle), Some(Ok(claim))))
            } else {
                let claim = || {
                    let text = &claims[row * claim_bytes..(row + 1) * claim_bytes];
                    self.claim.map(|claim| claim.grid(text, self.is_tokens, line, &CLAIM))
                };
                let puzzle = self.puzzle.grid(text, self.is_tokens, line, &PUZZLE);
                // Of what is no puzzle, no format reads the claim.
                let claim = if want.claims && puzzle.is_ok() { claim() } else { None };
                (puzzle, claim)
            };
            if want.claims {
                out.claims.push(claim);
            }
            out.push_puzzle(line, Span::default(), Layout::Line, puzzle);
        }
    }

    fn claim_place(&self, line: u64, text: &[u8], cell: usize) -> Place {
        self.place_of(line, text, cell)
    }
}

impl Row {
    /// Whether cells are tokens: none is 0, and one is 10, the token of a 9.
    fn holds_tokens(self, rows: &[u8]) -> bool {
        let numbers = rows.chunks_exact(self.element_bytes);
        let is_number = !matches!(self.element.kind, Kind::Unicode | Kind::Bytes);
        let mut largest = 0;
        is_number
            && numbers.map(|number| self.element.small(number)).all(|number| {
                largest = largest.max(number);
                (1..=10).contains(&number)
            })
            && largest == 10
    }

    /// The grid in a row of that number.
    fn grid(self, row: &[u8], is_tokens: bool, line: u64, kinds: &Kinds) -> Result<Grid, Fault> {
        let place = |at: usize| Place { line, column: at as u64 + 1 };
        let element = self.element;
        if matches!(element.kind, Kind::Unicode | Kind::Bytes) {
            let text = element.text(row);
            return field::grid(&text, kinds).map_err(|(at, fault)| fault.at(place(at)));
        }
        let mut digits = [0; CELLS];
        let smallest = u8::from(is_tokens);
        for (digit, number) in digits.iter_mut().zip(row.chunks_exact(element.size)) {
            *digit = element.small(number).wrapping_sub(smallest);
        }
        let grid =
            Grid::new(digits).or_else(|| if is_tokens { None } else { self.with_other_blanks(row, digits) });
        grid.ok_or_else(|| {
            let at = digits.iter().position(|&digit| digit > 9).unwrap_or(0);
            let number = element.shown(&row[at * element.size..(at + 1) * element.size]);
            Fault::new(kinds.number, Some(place(at))).text(number)
        })
    }

    /// The grid of such digits in which -1 or NaN is a blank. Where -1 is one, 0 is a digit of nine that begin with it.
    #[cold]
    fn with_other_blanks(self, row: &[u8], mut digits: [u8; CELLS]) -> Option<Grid> {
        let (mut has_minus_one, has_zero) = (false, digits.contains(&0));
        for (digit, number) in digits.iter_mut().zip(row.chunks_exact(self.element.size)) {
            if *digit > 9 {
                let shown = self.element.shown(number);
                has_minus_one |= shown == "-1";
                *digit = if matches!(&*shown, "-1" | "NaN") { 0 } else { *digit };
            }
        }
        Grid::new(digits).filter(|_| !(has_minus_one && has_zero))
    }

    /// The puzzle and its solution in a row of moves: how many are clues, then row, column, value and strategy of each.
    fn moves(self, row: &[u8], line: u64) -> Result<[Grid; 2], Fault> {
        let size = self.element.size;
        let fault = |at: usize| {
            let number = self.element.shown(&row[at * size..(at + 1) * size]);
            let place = Place { line, column: at as u64 + 1 };
            Fault::new(FaultKind::Move, Some(place)).text(number)
        };
        let mut numbers = [0; MOVES];
        for (to, number) in numbers.iter_mut().zip(row.chunks_exact(size)) {
            *to = self.element.small(number);
        }
        let [clues, moves @ ..] = numbers;
        if usize::from(clues) > CELLS {
            return Err(fault(0));
        }
        let (mut puzzle, mut solution) = ([0; CELLS], [0; CELLS]);
        for (i, &[row, column, value, _]) in moves.as_chunks::<4>().0.iter().enumerate() {
            let first = 1 + 4 * i;
            if row > 8 || column > 8 {
                return Err(fault(first + usize::from(row <= 8)));
            }
            let cell = usize::from(9 * row + column);
            if !(1..=9).contains(&value) || solution[cell] != 0 {
                return Err(fault(first + if solution[cell] == 0 { 2 } else { 0 }));
            }
            solution[cell] = value;
            if i < usize::from(clues) {
                puzzle[cell] = value;
            }
        }
        match (Grid::new(puzzle), Grid::new(solution)) {
            (Some(puzzle), Some(solution)) => Ok([puzzle, solution]),
            _ => Err(fault(0)),
        }
    }
}

impl Element {
    /// A text without the zeros behind it.
    fn text(self, row: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(row.len() / self.size);
        for character in row.chunks_exact(self.size) {
            let code = u64::from_le_bytes(self.word(character)) as u32;
            match self.kind {
                Kind::Bytes => text.push(code as u8),
                // What is no character stays one that is no cell.
                _ => {
                    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        text.truncate(end);
        text
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::{Cursor as Reader, Write};

    use super::super::{ReadOptions, Source};
    use super::*;
    use crate::input::testing::{PUZZLE, Reading, dotted, drain, drain_on};

    const SOLUTION: &str =
        "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    /// An array as NumPy writes it.
    fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut bytes = [MAGIC, &[version, 0]].concat();
        match version {
            1 => bytes.extend((text.len() as u16).to_le_bytes()),
            _ => bytes.extend((text.len() as u32).to_le_bytes()),
        }
        bytes.extend(text.as_bytes());
        bytes.extend(data);
        bytes
    }

    /// The puzzle with another number in front, so that rows differ.
    fn rows(count: usize) -> Vec<Vec<i64>> {
        let cells: Vec<i64> = PUZZLE.bytes().map(|byte| i64::from(byte - b'0')).collect();
        (0..count).map(|row| [&[(row % 10) as i64], &cells[1..]].concat()).collect()
    }

    fn shown(rows: &[Vec<i64>]) -> Vec<String> {
        let digit = |&cell: &i64| if cell == 0 { ".".to_owned() } else { cell.to_string() };
        rows.iter().map(|row| row.iter().map(digit).collect()).collect()
    }

    /// Numbers as an array has them.
    fn bytes_of(descr: &str, numbers: impl Iterator<Item = i64>) -> Vec<u8> {
        let big = descr.starts_with('>');
        let one = |number: i64| {
            let mut bytes = match &descr[1..] {
                "f8" => (number as f64).to_le_bytes().to_vec(),
                "f4" => (number as f32).to_le_bytes().to_vec(),
                // As IEEE 754 has these few.
                "f2" => [0x0000_u16, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880]
                    [number as usize]
                    .to_le_bytes()
                    .to_vec(),
                _ => number.to_le_bytes()[..descr[2..].parse().expect("a size")].to_vec(),
            };
            if big {
                bytes.reverse();
            }
            bytes
        };
        numbers.flat_map(one).collect()
    }

    fn open(bytes: &[u8]) -> Result<Source, InputError> {
        Source::from_reader("test", Reader::new(bytes.to_vec()), &ReadOptions::default())
    }

    fn read(bytes: &[u8]) -> Reading {
        let reading = drain(open(bytes).expect("an array"), 5000);
        assert!(reading.error.is_none(), "{:?}", reading.error);
        reading
    }

    fn read_file(path: &Path, bytes: &[u8], options: &ReadOptions) -> Reading {
        std::fs::write(path, bytes).expect("a temporary file");
        let size = bytes.len() as u64;
        let reading = drain(Source::open(path, options).expect("an array"), 5000);
        let mut source = Source::open(path, options).expect("an array");
        let mut before = 0;
        // Every batch is a place from which it can be read on.
        while let Some(batch) = source.next_batch(Vec::new(), 3000).expect("whole") {
            let rest = Source::open_at(path, options, batch.position).expect("an array");
            assert_eq!(drain_on(rest, 100_000, batch.position.records).records, reading.records[before..]);
            before += batch.records as usize;
        }
        assert_eq!((source.raw_position(), source.hash().bytes()), (size, size));
        assert_eq!(source.hash().sha256().is_some(), options.hash);
        reading
    }

    fn error(bytes: &[u8]) -> String {
        open(bytes).expect_err("no puzzles").to_string()
    }

    #[test]
    fn every_type_order_and_version_gives_the_same_grids() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.npy");
        let rows = rows(30);
        let numbers = || rows.iter().flatten().copied();
        // The first axis runs first, then the second and the third.
        let columns = || (0..81).flat_map(|cell| rows.iter().map(move |row| row[cell]));
        let columns_3 = || (0..81).flat_map(|at| rows.iter().map(move |row| row[at % 9 * 9 + at / 9]));
        let hash = ReadOptions { hash: true, ..ReadOptions::default() };
        for descr in
            ["|i1", "|u1", "<i2", ">i2", "<u2", "<i4", ">u4", "<i8", ">i8", "<u8", "<f2", ">f4", "<f8"]
        {
            for (version, shape) in
                [(1, "(30, 81)"), (2, "(30,9,9)"), (3, "(30, 9, 9, 1)"), (1, "(30L, 1, 81L)")]
            {
                let bytes = npy(version, descr, false, shape, &bytes_of(descr, numbers()));
                assert_eq!(read(&bytes).show(), shown(&rows), "{descr} {shape}");
                assert_eq!(read_file(&path, &bytes, &hash).show(), shown(&rows), "{descr} {shape}");
                let flat = matches!(shape, "(30, 81)" | "(30L, 1, 81L)");
                let columns: Vec<i64> = if flat { columns().collect() } else { columns_3().collect() };
                let bytes = npy(version, descr, true, shape, &bytes_of(descr, columns.into_iter()));
                assert_eq!(read_file(&path, &bytes, &hash).show(), shown(&rows), "{descr} {shape}, Fortran");
                assert!(error(&bytes).contains("in Fortran order, which can be read from a plain file only"));
            }
        }
        for shape in ["(81,)", "(9, 9)", "(1, 81)"] {
            let bytes = npy(1, "|u1", false, shape, &bytes_of("|u1", rows[1].iter().copied()));
            assert_eq!(read(&bytes).show(), shown(&rows[1..2]), "{shape}");
        }
        let transposed = (0..81).map(|at| rows[1][at % 9 * 9 + at / 9]);
        let bytes = npy(1, "|u1", true, "(9, 9)", &bytes_of("|u1", transposed));
        assert_eq!(read_file(&path, &bytes, &ReadOptions::default()).show(), shown(&rows[1..2]));
    }

    #[test]
    fn texts_are_puzzles_too() {
        let odd = PUZZLE.replace('0', ":");
        let texts = [PUZZLE.to_owned(), dotted(), "12".to_owned(), format!(" {PUZZLE} "), odd];
        let wide = |text: &String, big: bool| {
            let unit =
                |byte: u8| if big { u32::from(byte).to_be_bytes() } else { u32::from(byte).to_le_bytes() };
            text.bytes().chain(std::iter::repeat(0)).take(84).flat_map(unit).collect::<Vec<_>>()
        };
        let narrow = |text: &String| text.bytes().chain(std::iter::repeat(0)).take(84).collect::<Vec<_>>();
        let expected = [dotted(), dotted(), "3:3: 2 cells (expected 81)".to_owned(), dotted(), dotted()];
        for (descr, data) in [
            ("<U84", texts.iter().flat_map(|text| wide(text, false)).collect::<Vec<_>>()),
            (">U84", texts.iter().flat_map(|text| wide(text, true)).collect()),
            ("|S84", texts.iter().flat_map(narrow).collect()),
        ] {
            assert_eq!(read(&npy(1, descr, false, "(5,)", &data)).show(), expected, "{descr}");
            // Of one axis there is but one order.
            assert_eq!(read(&npy(1, descr, true, "(5,)", &data)).show(), expected, "{descr}");
        }
        for (descr, shape) in [("|S1", "(1, 81)"), ("|S1", "(1, 9, 9)"), ("|S9", "(1, 9)"), ("|S1", "(81,)")]
        {
            assert_eq!(
                read(&npy(1, descr, false, shape, PUZZLE.as_bytes())).show(),
                [dotted()],
                "{descr} {shape}"
            );
        }
    }

    #[test]
    fn a_fault_names_its_row_and_cell_and_costs_no_other() {
        let mut rows = rows(5);
        (rows[1][7], rows[3][80]) = (10, -1);
        let expected = |at: [usize; 2], numbers: [&str; 2]| {
            let mut expected = shown(&rows);
            for (row, number) in at.into_iter().zip(numbers) {
                let cell = if row == 1 { 8 } else { 81 };
                let number = format!("{}:{cell}: number '{number}' (expected a digit 1-9, 0 or .)", row + 1);
                expected[row] = number;
            }
            expected
        };
        for descr in ["|i1", "<i8", ">i4", "<f8", "<f4"] {
            let bytes = npy(1, descr, false, "(5, 81)", &bytes_of(descr, rows.iter().flatten().copied()));
            assert_eq!(read(&bytes).show(), expected([1, 3], ["10", "-1"]), "{descr}");
        }
        let mut data = bytes_of("<f8", rows.iter().flatten().copied());
        data[(81 + 7) * 8..(81 + 8) * 8].copy_from_slice(&0.5_f64.to_le_bytes());
        data[(3 * 81 + 80) * 8..][..8].copy_from_slice(&f64::INFINITY.to_le_bytes());
        assert_eq!(read(&npy(1, "<f8", false, "(5, 81)", &data)).show(), expected([1, 3], ["0.5", "inf"]));
        let large = npy(1, "<u8", false, "(1, 81)", &[&[0, 1, 0, 0, 0, 0, 0, 0][..], &[0; 640]].concat());
        assert_eq!(read(&large).show(), ["1:1: number '256' (expected a digit 1-9, 0 or .)"]);
    }

    #[test]
    fn minus_ones_and_what_is_no_number_are_blanks() {
        let mut rows = rows(2);
        rows.iter_mut().flatten().filter(|cell| **cell == 0).for_each(|cell| *cell = -1);
        for descr in ["|i1", "<i2", ">i4", "<i8", "<f4", ">f8"] {
            let bytes = npy(1, descr, false, "(2, 81)", &bytes_of(descr, rows.iter().flatten().copied()));
            let blank = |row: &Vec<i64>| row.iter().map(|&cell| cell.max(0)).collect();
            assert_eq!(read(&bytes).show(), shown(&rows.iter().map(blank).collect::<Vec<_>>()), "{descr}");
        }
        let cells = PUZZLE.bytes().map(|byte| if byte == b'0' { f64::NAN } else { f64::from(byte - b'0') });
        let data: Vec<u8> = cells.flat_map(f64::to_le_bytes).collect();
        assert_eq!(read(&npy(1, "<f8", false, "(9, 9)", &data)).show(), [dotted()]);
        // A byte without a sign is 255, and no blank.
        let data = bytes_of("|i1", rows[0].iter().copied());
        let shown = read(&npy(1, "|u1", false, "(1, 81)", &data)).show();
        assert!(shown[0].contains("number '255'"), "{shown:?}");
    }

    #[test]
    fn tokens_are_digits_and_one_more_and_claim_what_lies_beside_them() {
        let directory = tempfile::tempdir().expect("a directory");
        let [inputs, labels] = TOKEN_FILES.map(|name| directory.path().join(name));
        let tokens = |text: &str| bytes_of("<i8", text.bytes().map(|byte| i64::from(byte - b'0') + 1));
        let array = |text: &str| npy(1, "<i8", false, &format!("({}, 81)", text.len() / 81), &tokens(text));
        let options = ReadOptions { claims: true, ..ReadOptions::default() };
        let alone = read_file(&inputs, &array(&PUZZLE.repeat(40)), &options);
        assert_eq!(alone.show(), vec![dotted(); 40]);
        assert_eq!((alone.claims()[0].as_str(), alone.notes.len()), ("missing", 2));
        // A padding in a label, a blank in another.
        let mut claims = tokens(&SOLUTION.repeat(40));
        (claims[81 * 8], claims[2 * 81 * 8]) = (0, 1);
        std::fs::write(&labels, npy(1, "<i8", false, "(40, 81)", &claims)).expect("a temporary file");
        let both = read_file(&inputs, &array(&PUZZLE.repeat(40)), &options);
        let fault = "line 2, column 1: claimed solution: number '0' (expected a digit 1-9)";
        assert_eq!(
            both.claims()[..3],
            [SOLUTION.to_owned(), fault.to_owned(), SOLUTION.replacen('1', ".", 1)]
        );
        assert!(both.notes.len() == 1 && both.notes[0].contains("read as tokens"), "{:?}", both.notes);
        std::fs::write(&labels, array(SOLUTION)).expect("a temporary file");
        let error = Source::open(&inputs, &options).expect_err("too few").to_string();
        assert!(error.contains("(1, 81), and cannot be what 40 puzzles claim"), "{error}");
        // A set of complete grids has neither a 0 nor a 10.
        assert_eq!(
            read(&npy(1, "|u1", false, "(1, 81)", &SOLUTION.bytes().map(|b| b - b'0').collect::<Vec<_>>()))
                .show(),
            [SOLUTION]
        );
    }

    #[test]
    fn moves_are_clues_and_what_they_claim() {
        let cells = |text: &str| -> Vec<i64> { text.bytes().map(|byte| i64::from(byte - b'0')).collect() };
        let (puzzle, solution) = (cells(PUZZLE), cells(SOLUTION));
        let mut order: Vec<usize> = (0..81).rev().collect();
        order.sort_by_key(|&cell| puzzle[cell] == 0);
        let clues = puzzle.iter().filter(|&&digit| digit > 0).count() as i64;
        let moves = order.iter().flat_map(|&cell| [cell as i64 / 9, cell as i64 % 9, solution[cell], 3]);
        let row: Vec<i64> = std::iter::once(clues).chain(moves).collect();
        let changed = |at: usize, number: i64| {
            let mut row = row.clone();
            row[at] = number;
            row
        };
        // Too many clues, a column that is none, a cell given twice, no value.
        let bad = [changed(0, 82), changed(6, 9), [&row[..5], &row[1..3], &row[7..]].concat(), changed(3, 0)];
        let all: Vec<i64> = row.iter().copied().chain(bad.concat()).collect();
        let reading = read(&npy(1, "<i4", false, "(5, 325)", &bytes_of("<i4", all.into_iter())));
        assert_eq!(reading.show()[0], dotted());
        assert_eq!(reading.claims()[0], SOLUTION);
        let places: Vec<_> =
            reading.show()[1..].iter().map(|show| show.split(" out").next().map(str::to_owned)).collect();
        let expected = ["2:1: number '82'", "3:7: number '9'", "4:6: number '8'", "5:4: number '0'"];
        assert_eq!(places, expected.map(|text| Some(text.to_owned())));
    }

    #[test]
    fn what_is_cut_off_keeps_its_whole_rows() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.npy");
        let rows = rows(30);
        let bytes = npy(1, "|u1", false, "(30, 81)", &bytes_of("|u1", rows.iter().flatten().copied()));
        let start = bytes.len() - 30 * 81;
        for whole in [0, 1, 12, 29] {
            let cut = &bytes[..start + whole * 81 + 80];
            std::fs::write(&path, cut).expect("a temporary file");
            for source in [open(cut), Source::open(&path, &ReadOptions::default())] {
                let reading = drain(source.expect("an array"), 500);
                assert_eq!(reading.show(), shown(&rows[..whole]));
                let error = reading.error.expect("it is cut off").to_string();
                assert!(error.contains(&format!("row {} of 30: the data ends there", whole + 1)), "{error}");
            }
        }
        for cut in 9..start {
            assert!(error(&bytes[..cut]).contains("it ends within its header"));
        }
        let longer = [&bytes[..], b"abc"].concat();
        let fault = "31:1: 3 bytes behind the array, which are not read (expected the end)".to_owned();
        let more = [shown(&rows), vec![fault]].concat();
        assert_eq!(read(&longer).show(), more);
        let hashed = ReadOptions { hash: true, ..ReadOptions::default() };
        assert_eq!(read_file(&path, &longer, &hashed).show(), more);
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&bytes).expect("memory takes it");
        let packed = encoder.finish().expect("memory takes it");
        assert_eq!(read(&packed).show(), shown(&rows));
        assert_eq!(drain(open(&packed).expect("an array"), 1).show(), shown(&rows));
        let reading = drain(open(&packed[..packed.len() - 12]).expect("an array"), 500);
        assert!(
            matches!(reading.error, Some(InputError::Damaged { compression: "gzip", .. })),
            "{:?}",
            reading.error
        );
    }

    #[test]
    fn what_is_no_array_of_puzzles_is_refused_by_name() {
        for (descr, shape) in [
            ("|b1", "(2, 81)"),
            ("<c8", "(2, 81)"),
            ("<M8[D]", "(2, 81)"),
            ("|O", "(2,)"),
            ("<i3", "(2, 81)"),
            ("<i8", "(1001,)"),
            ("<i8", "(2, 80)"),
            ("<i8", "(2, 9, 9, 10)"),
            ("<i8", "()"),
            ("é8", "(2, 81)"),
            ("|S99999999999", "(2,)"),
            ("<U0", "(2,)"),
            ("", "(2,)"),
        ] {
            let error = error(&npy(1, descr, false, shape, &[0; 2000]));
            assert!(error.contains("holds no puzzles"), "{descr} {shape}: {error}");
        }
        let huge = error(&npy(1, "<i8", false, "(18446744073709551615, 81)", &[]));
        assert!(huge.contains("more than any file holds"), "{huge}");
        for (header, reason) in [
            ("[]", "no dictionary"),
            ("{'descr': '<i8'", "no dictionary"),
            ("{'descr': [('a', '<i8')]}", "with fields"),
            ("{'shape': (99999999999999999999, 81)}", "no dictionary"),
            ("{'descr': '<i8', 'shape': (2, 81)}", "no dictionary"),
        ] {
            let bytes = [MAGIC, &[1, 0, header.len() as u8, 0], header.as_bytes()].concat();
            assert!(error(&bytes).contains(reason), "{header}: {}", error(&bytes));
        }
        assert!(error(b"\x93NUMPY\x04\0\x10\0").contains("version is 4"));
        assert!(
            error(b"\x93NUMPY\x02\0\xff\xff\xff\xff").contains("4294967295 bytes (expected at most 65536)")
        );
        let forced =
            ReadOptions { format: super::super::FormatChoice::named("npy"), ..ReadOptions::default() };
        let error = Source::from_reader("test", Reader::new(PUZZLE), &forced).expect_err("no array");
        assert_eq!(error.to_string(), "test: is no array of NumPy (expected \\x93NUMPY at its start)");
    }
}
