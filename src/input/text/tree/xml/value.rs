//! What stands in an attribute or between two tags: its text, and where in the document its pieces stand.

use std::ops::Range;

use memchr::memchr;
use quick_xml::escape::unescape;

use crate::input::text::notation::{Miss, Notation, is_border};
use crate::record::Fault;
use crate::sudoku::{CELLS, SIDE};

/// A text without its markup, with references replaced.
#[derive(Default)]
pub(super) struct Value {
    text: String,
    /// Where in the text each piece begins, and where in the document.
    pieces: Vec<(usize, usize)>,
}

/// Cells, and where in the document they stand if that is wanted.
pub(super) struct Cells {
    /// The first 81 or nine count; 0 is a blank.
    pub values: [u8; CELLS],
    pub offsets: Vec<usize>,
}

/// Some cells, or what is wrong with them and where in the document.
pub(super) type Read = Result<Cells, (usize, Fault)>;

/// A line of a value that is a grid or a row of one, or should be.
pub(super) struct Line {
    /// Whether it is a row.
    pub is_row: bool,
    pub cells: Read,
    /// Where in the document it stands.
    pub range: Range<usize>,
}

/// How the games begin that `OpenSudoku` keeps once they are begun.
const GAME: &str = "version: ";

impl Value {
    /// Makes it empty.
    pub fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
    }

    /// Adds what stands at a place of the document as it is.
    pub fn push(&mut self, piece: &str, at: usize) {
        self.pieces.push((self.text.len(), at));
        self.text.push_str(piece);
    }

    /// The same with references replaced.
    pub fn push_escaped(&mut self, raw: &str, mut at: usize) {
        for piece in raw.split_inclusive(';') {
            let start = memchr(b'&', piece.as_bytes()).unwrap_or(piece.len());
            let (plain, reference) = piece.split_at(start);
            self.push(plain, at);
            self.push(&unescape(reference).unwrap_or(reference.into()), at + start);
            at += piece.len();
        }
    }

    /// Its text.
    pub fn text(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Where in the document a byte of the text stands.
    fn origin(&self, at: usize) -> usize {
        let piece = self.pieces.partition_point(|(start, _)| *start <= at).checked_sub(1);
        piece.map_or(0, |piece| self.pieces[piece].1 + at - self.pieces[piece].0)
    }

    /// Its lines that are grids or rows, or should be, in order.
    pub fn lines(&self, with_offsets: bool) -> Vec<Line> {
        if let Some(fields) = self.text.strip_prefix(GAME) {
            return self.clues(fields).lines(with_offsets);
        }
        let (mut lines, mut end) = (Vec::new(), 0);
        for line in self.text().split(|&byte| byte == b'\n') {
            let start = end + line.len() - line.trim_ascii_start().len();
            end += line.len() + 1;
            let line = line.trim_ascii();
            // Nothing shorter is half a row.
            if line.len() <= SIDE / 2 {
                continue;
            }
            let found =
                [CELLS, SIDE].into_iter().find_map(|n| Some((n, self.cells(line, start, n, with_offsets)?)));
            if let Some((n, cells)) = found {
                let range = self.origin(start)..self.origin(start + line.len() - 1) + 1;
                lines.push(Line { is_row: n == SIDE, cells, range });
            }
        }
        lines
    }

    /// The `n` cells of a line that begins at `start`, if it is that many, or at least half.
    fn cells(&self, line: &[u8], start: usize, n: usize, with_offsets: bool) -> Option<Read> {
        let notation = Notation::default();
        match notation.cells(line, n) {
            Ok(cells) => {
                let offsets = if with_offsets { notation.offsets(line, n) } else { Vec::new() };
                let offsets = offsets.into_iter().map(|at| self.origin(start + at)).collect();
                Some(Ok(Cells { values: cells.values, offsets }))
            }
            Err(Miss::Bad { .. }) if n == SIDE && is_border(line) => None,
            Err(Miss::Bad { fault, at }) => Some(Err((self.origin(start + at), fault))),
            Err(Miss::Other) => None,
        }
    }

    /// The clues of a game that was begun, from these fields with a bar behind each: for each cell its digit, notes, and
    /// 0 where the digit is a clue.
    fn clues(&self, fields: &str) -> Self {
        let mut clues = Self::default();
        let mut at = self.text.len()
            - fields.trim_start_matches(|sign: char| sign.is_ascii_digit()).trim_start().len();
        // Notes are one field in the oldest version and two in the newest.
        let fields: Vec<&str> = self.text[at..].split_terminator('|').collect();
        for cell in fields.chunks((fields.len() / CELLS).max(3)) {
            let is_clue = cell.last() == Some(&"0");
            clues.push(if is_clue { cell[0] } else { "." }, self.origin(at));
            clues.push(" ", self.origin(at));
            at += cell.iter().map(|field| field.len() + 1).sum::<usize>();
        }
        clues
    }
}
