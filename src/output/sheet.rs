//! Printable pages of puzzles: a single HTML file that needs no network, scripts or fonts.
//!
//! Each side holds a fixed number of puzzles and fits on both A4 and US Letter, whichever the browser prints on. Text
//! that is too long for its place is cut off. Puzzles are written as they arrive; only the solutions are kept in
//! memory, and they follow after the last side.

use std::io;
use std::num::NonZeroUsize;

use super::encode::{Append, Encode, Output, Piece, Unfit, Value, Values, kept_rows, needs};
use super::stream::escaped;
use crate::record::{Page, Role, Schema};
use crate::sudoku::{CELLS, Grid};

/// The maximum number of characters in a title, and in the name or text of a carried column.
const TITLE: usize = 150;
const TEXT: usize = 60;

/// The number of solutions on a side.
const SOLUTIONS: usize = 20;

/// The number of bytes that precede each puzzle in a piece: the record number and the solution (all zeros if it is not
/// printed).
const HEAD: usize = size_of::<u64>() + CELLS;

/// The style, except for the cell size and the number of columns and rows per side.
const STYLE: &str = include_str!("sheet.css");

/// Pages of puzzles.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The title, as HTML.
    title: String,
    per_side: u8,
    with_solutions: bool,
}

impl Sheet {
    /// Returns the format for this title (which can be empty) and 1 to 9 puzzles per side, with or without solutions.
    #[must_use]
    pub fn new(title: &str, per_side: u8, with_solutions: bool) -> Self {
        Self { title: text(title.as_bytes(), TITLE), per_side, with_solutions }
    }

    /// Appends the HTML that precedes the first side.
    fn push_head(&self, out: &mut Vec<u8>) {
        let (columns, rows, cell) = match self.per_side {
            1 => (1, 1, "18mm"),
            2 => (1, 2, "12mm"),
            3 | 4 => (2, 2, "9.6mm"),
            5 | 6 => (2, 3, "7.6mm"),
            _ => (3, 3, "6.4mm"),
        };
        let title = if self.title.is_empty() { "Sudoku" } else { &self.title };
        let head = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{title}</title>\n<style>\n{STYLE}\
             .side {{ --cell: {cell}; --columns: {columns}; --rows: {rows}; }}\n</style>\n"
        );
        out.extend_from_slice(head.as_bytes());
    }
}

impl Encode for Sheet {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        let needed = [(Role::Puzzle, "puzzle"), (Role::Solution, "solution"), (Role::Status, "status")];
        needs(schema, "sheet", &needed)
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        let [Some(puzzles), Some(solutions)] = [Role::Puzzle, Role::Solution].map(|role| page.grids(role))
        else {
            return;
        };
        let Some(mut statuses) = page.column(Role::Status).map(|column| Values::new(&column)) else { return };
        let carried = page.schema.carried.iter().zip(&page.columns[page.schema.fields.len()..]);
        let mut carried: Vec<_> =
            carried.map(|(name, column)| (text(name.as_bytes(), TEXT), Values::new(column))).collect();
        for row in kept_rows(page) {
            let Some(puzzle) = puzzles.get(row) else { continue };
            let Value::Word(status) = statuses.at(row) else { continue };
            let solution = solutions.get(row).filter(|_| status == "unique");
            let number = page.origin(row).0;
            out.extend_from_slice(&number.to_le_bytes());
            out.extend_from_slice(solution.unwrap_or(&Grid::EMPTY).cells());
            let word = match status {
                "unique" => "",
                "multiple" => " several solutions",
                "unsolvable" => " no solution",
                _ => " not solved",
            };
            let mut caption = format!("<b>{number}</b>{word}");
            for (name, texts) in &mut carried {
                if let Value::Bytes(bytes @ [_, ..]) = texts.at(row) {
                    caption += &format!(" &middot; <bdi>{name}</bdi>: <bdi>{}</bdi>", text(bytes, TEXT));
                }
            }
            push_table(&caption, puzzle.cells(), out);
        }
    }

    fn writer(&self, _: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
        let (html, solutions) = (Vec::new(), Vec::new());
        Ok(Box::new(Sides { sheet: self.clone(), html, puzzles: 0, sides: 0, solutions }))
    }
}

/// Appends an HTML table with a caption, then ends the line. In HTML, rows and cells do not need end tags.
fn push_table(caption: &str, cells: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"<table><caption><div>");
    out.extend_from_slice(caption.as_bytes());
    out.extend_from_slice(b"</div></caption>");
    for row in cells.chunks(9) {
        out.extend_from_slice(b"<tr>");
        for &digit in row {
            out.extend_from_slice(b"<td>");
            if digit > 0 {
                out.push(b'0' + digit);
            }
        }
    }
    out.extend_from_slice(b"</table>\n");
}

/// Converts text from the user or an input to HTML. The result has no markup, line breaks or control characters, and
/// is at most `most` characters long.
fn text(bytes: &[u8], most: usize) -> String {
    let shown = escaped(bytes);
    let shown = String::from_utf8_lossy(&shown);
    let mut rest = shown.trim().chars();
    let mut html = String::new();
    for character in rest.by_ref().take(most) {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '\n' | '\t' => html.push(' '),
            _ => html.push(character),
        }
    }
    if rest.next().is_some() {
        html.push('\u{2026}');
    }
    html
}

/// A writer that arranges puzzles on sides and keeps their solutions for the end.
struct Sides {
    sheet: Sheet,
    /// The HTML to be written next.
    html: Vec<u8>,
    puzzles: u64,
    sides: u64,
    /// The heads of the puzzles whose solutions are printed.
    solutions: Vec<u8>,
}

impl Sides {
    /// Ends the current side, if any, and starts a new one with this class and with this word at the top.
    fn turn(&mut self, class: &str, word: &str) {
        let out = &mut self.html;
        if self.sides == 0 {
            self.sheet.push_head(out);
        } else {
            out.extend_from_slice(b"</div></section>\n");
        }
        self.sides += 1;
        let title = &self.sheet.title;
        let title = if title.is_empty() { String::new() } else { format!("<h1>{title}</h1>") };
        let start =
            format!("<section><header>{title}<p>{word}{}</p></header><div class=\"{class}\">\n", self.sides);
        out.extend_from_slice(start.as_bytes());
    }

    fn write(&mut self, out: &mut dyn Output) -> io::Result<()> {
        out.write_all(&self.html)?;
        self.html.clear();
        Ok(())
    }
}

impl Append for Sides {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        let mut rest = &*piece.bytes;
        while let Some((head, tables)) = rest.split_at_checked(HEAD) {
            let end = memchr::memchr(b'\n', tables).map_or(tables.len(), |end| end + 1);
            let table;
            (table, rest) = tables.split_at(end);
            if self.puzzles.is_multiple_of(self.sheet.per_side.into()) {
                self.turn("side", "");
            }
            self.puzzles += 1;
            self.html.extend_from_slice(table);
            if self.sheet.with_solutions && head[HEAD - 1] > 0 {
                self.solutions.extend_from_slice(head);
            }
        }
        // The file of an earlier run remains until the first puzzle is written.
        if self.html.is_empty() { Ok(()) } else { self.write(out) }
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        let solutions = std::mem::take(&mut self.solutions);
        for side in solutions.chunks(SOLUTIONS * HEAD) {
            self.turn("side solutions", "Solutions &middot; ");
            for (number, cells) in side.chunks_exact(HEAD).filter_map(<[u8]>::split_first_chunk) {
                let caption = format!("<b>{}</b>", u64::from_le_bytes(*number));
                push_table(&caption, cells, &mut self.html);
            }
            self.write(out)?;
        }
        if self.sides == 0 {
            self.sheet.push_head(&mut self.html);
            self.html.extend_from_slice(b"<p>No puzzles.</p>\n");
        } else {
            self.html.extend_from_slice(b"</div></section>\n");
        }
        self.write(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, Row, SOLUTION, grid, push_row, schema, unique_row};
    use super::*;

    fn sheet() -> Sheet {
        Sheet::new("", 2, true)
    }

    /// Returns the encoded rows of some puzzles.
    fn pieces(count: u64) -> Vec<Piece> {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let piece = |id| {
            let mut piece = Piece::default();
            let row = Row { id, ..unique_row(&puzzle, &solution) };
            push_row(&sheet(), &schema(false), &row, &mut piece.bytes);
            piece
        };
        (1..=count).map(piece).collect()
    }

    fn written(pieces: &mut [Piece]) -> String {
        let mut out = Vec::new();
        let mut writer = sheet().writer(&schema(false), NonZeroUsize::MIN).unwrap();
        for piece in pieces {
            writer.append(piece, &mut out).unwrap();
        }
        writer.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// A record number can contain any byte, even that of a line break.
    #[test]
    fn sides_do_not_depend_on_where_pieces_are_cut() {
        let mut apart = pieces(25);
        let bytes: Vec<_> = apart.iter().flat_map(|piece| piece.bytes.clone()).collect();
        let html = written(&mut apart);
        assert_eq!(html, written(&mut [Piece { bytes, ..Piece::default() }]));
        assert_eq!(html.matches("<section>").count(), 13 + 2);
        for number in 1..=25 {
            assert_eq!(html.matches(&format!("<b>{number}</b>")).count(), 2, "{number}");
        }
    }

    /// The file of an earlier run remains until there is a puzzle.
    #[test]
    fn nothing_is_written_before_the_first_puzzle() {
        let mut out = Vec::new();
        let mut writer = sheet().writer(&schema(false), NonZeroUsize::MIN).unwrap();
        writer.append(&mut Piece::default(), &mut out).unwrap();
        assert!(out.is_empty());
        writer.append(&mut pieces(1)[0], &mut out).unwrap();
        assert!(out.ends_with(b"</table>\n"));
    }
}
