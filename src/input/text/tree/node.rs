//! A value with its contents, and the cells in it: a text, a list of 81 cells, or nine rows.

use std::borrow::Cow;
use std::ops::Range;

use crate::input::text::notation::{Miss, Notation};
use crate::record::{Fault, FaultKind};
use crate::sudoku::{CELLS, Grid, SIDE};

/// Half the cells of a puzzle; a value with fewer cells is something else.
pub(super) const HALF: usize = CELLS.div_ceil(2);

/// Half the cells of a row, and half the rows of a grid.
pub(super) const HALF_ROW: usize = SIDE.div_ceil(2);

/// A JSON value, or an attribute, an element or a text in XML.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// The place of the key or name, without quotes.
    pub key: Option<Range<usize>>,
    /// The place of the node, including quotes, brackets and tags.
    pub range: Range<usize>,
    pub value: Value<'a>,
    /// Whether the end of the node was found before any broken syntax.
    pub is_whole: bool,
}

/// The value of a node.
#[derive(Debug)]
pub(super) enum Value<'a> {
    /// A number or word.
    Bare,
    /// A text: where it starts, and the characters that may be cells. The text is exactly as long as in the input.
    Text(usize, Cow<'a, [u8]>),
    List(Vec<Node<'a>>),
    /// An object, which as a whole is one record if it holds a single puzzle.
    Object(Vec<Node<'a>>),
}

/// A fault in the cells, and its byte offset.
pub(super) type Wrong = (usize, Fault);

impl<'a> Node<'a> {
    /// Returns the nodes inside a list or object.
    pub fn children(&self) -> &[Self] {
        match &self.value {
            Value::List(children) | Value::Object(children) => children,
            Value::Bare | Value::Text(..) => &[],
        }
    }

    /// Finds the innermost node that contains a range.
    pub fn within(&self, range: &Range<usize>) -> &Self {
        let mut node = self;
        while node.range.start < range.start || node.range.end > range.end {
            let mut children = node.children().iter();
            let Some(child) = children.find(|child| child.range.contains(&range.start)) else { break };
            node = child;
        }
        node
    }

    /// Reads the grid if the node has the shape of one; returns the fault and its byte offset if the grid is damaged.
    pub fn grid(&self, bytes: &[u8]) -> Option<Result<Grid, Wrong>> {
        let may_be = match &self.value {
            Value::Text(_, cells) => cells.len() >= HALF,
            // A list with more cells than two puzzles is not a damaged puzzle but a list of numbers.
            Value::List(cells) if self.is_list_of_cells() => (HALF..=2 * CELLS).contains(&cells.len()),
            Value::List(rows) if self.is_whole => return self.grid_of_rows(bytes, rows),
            _ => false,
        };
        let cells = if may_be { self.cells(bytes, CELLS).transpose() } else { None };
        cells.map(|cells| cells.map(Grid::from_digits))
    }

    /// Returns the offset of each of the 81 cells; empty if they are not a puzzle.
    pub fn offsets(&self, bytes: &[u8]) -> Vec<usize> {
        let of = |node: &Self, n| {
            let text = node.text(bytes).unwrap_or_default();
            let offsets = Notation::default().offsets(&text.1, n);
            offsets.into_iter().map(move |at| text.0 + at)
        };
        match &self.value {
            Value::List(rows) if !self.is_list_of_cells() => {
                rows.iter().flat_map(|row| of(row, SIDE)).collect()
            }
            _ => of(self, CELLS).collect(),
        }
    }

    /// Returns whether the node is a list of values that could be single cells.
    fn is_list_of_cells(&self) -> bool {
        let is_cell = |child: &Self| match &child.value {
            Value::Bare => true,
            Value::Text(_, cells) => cells.len() < HALF_ROW,
            _ => false,
        };
        matches!(&self.value, Value::List(children) if children.iter().all(is_cell)) && self.is_whole
    }

    /// Returns the text that contains the cells, as a single line, and where it starts.
    fn text<'b>(&'b self, bytes: &'b [u8]) -> Option<(usize, Cow<'b, [u8]>)> {
        match &self.value {
            Value::Text(start, cells) => Some((*start, Cow::Borrowed(cells))),
            Value::List(_) if self.is_list_of_cells() => {
                Some((self.range.start, on_one_line(&bytes[self.range.clone()])))
            }
            _ => None,
        }
    }

    /// Reads the `n` cells of the node, if it contains nothing else.
    fn cells(&self, bytes: &[u8], n: usize) -> Result<Option<[u8; CELLS]>, Wrong> {
        let Some((start, text)) = self.text(bytes) else { return Ok(None) };
        match Notation::default().cells(&text, n) {
            Ok(cells) => Ok(Some(cells.values)),
            Err(Miss::Other) => Ok(None),
            Err(Miss::Bad { fault, at }) => Err((start + at, fault)),
        }
    }

    /// Reads a grid from nine rows. If at least half of the nodes are rows, the list is a grid, though perhaps a
    /// damaged one.
    fn grid_of_rows(&self, bytes: &[u8], rows: &[Self]) -> Option<Result<Grid, Wrong>> {
        let may_be_row = |row: &Self| match &row.value {
            Value::Text(_, cells) => cells.len() < HALF,
            _ => row.children().len() < HALF && (row.is_list_of_cells() || matches!(row.value, Value::Bare)),
        };
        if !rows.iter().all(may_be_row) {
            return None;
        }
        let (mut grid, mut good, mut wrong) = ([0; CELLS], 0, None);
        for (at, row) in rows.iter().enumerate() {
            let cells = row.cells(bytes, SIDE);
            good += usize::from(!matches!(cells, Ok(None)));
            match (cells, grid.chunks_exact_mut(SIDE).nth(at)) {
                (Ok(Some(cells)), Some(place)) => place.copy_from_slice(&cells[..SIDE]),
                (Ok(Some(_)), None) => {}
                (Ok(None), _) => {
                    let fault = Fault::new(FaultKind::RowCellCount, None).number(0_usize);
                    wrong = wrong.or(Some((row.range.start, fault)));
                }
                (Err(fault), _) => wrong = wrong.or(Some(fault)),
            }
        }
        let kind = if rows.len() < SIDE { FaultKind::CutOffGrid } else { FaultKind::RowCount };
        match wrong {
            _ if good < HALF_ROW => None,
            _ if rows.len() != SIDE => {
                Some(Err((self.range.end - 1, Fault::new(kind, None).number(rows.len()))))
            }
            Some(wrong) => Some(Err(wrong)),
            None => Some(Ok(Grid::from_digits(grid))),
        }
    }
}

/// Replaces the line ends in a text with spaces.
pub(super) fn on_one_line(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'\n', b'\r', text).is_none() {
        return Cow::Borrowed(text);
    }
    text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }).collect()
}

/// Returns whether a key says that a list of nine consists of parts of a grid other than rows.
pub(super) fn is_other_order(key: &[u8]) -> bool {
    ["columns", "boxes", "column", "box", "cols", "col"]
        .iter()
        .any(|order| key.eq_ignore_ascii_case(order.as_bytes()))
}
