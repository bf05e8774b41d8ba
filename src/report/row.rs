//! Rows of a results file: which column is which, and what a row says.
//!
//! Columns are found by the names that `solve -O csv` gives them, in any order and among any others. A row
//! that is not as it should be is told as such and costs no other row.

use super::note::{self, Note};
use crate::grid::CELLS;
use crate::input::Kind;
use crate::output::Status;

/// Columns without which there is no report.
const NEEDED: [&str; 8] = ["source", "line", "status", "clues", "guesses", "puzzle", "solution", "error"];

/// Where the columns of one file stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Fields of a row.
    count: usize,
    /// Places of [`NEEDED`].
    needed: [usize; NEEDED.len()],
    kind: Option<usize>,
    time_ns: Option<usize>,
}

impl Columns {
    /// Finds them in a header; otherwise the names of those that are missing.
    pub fn find(header: &[String]) -> Result<Self, Vec<&'static str>> {
        let place = |name: &str| header.iter().position(|column| column == name);
        let missing: Vec<_> = NEEDED.into_iter().filter(|name| place(name).is_none()).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let needed = NEEDED.map(|name| place(name).expect("none is missing"));
        Ok(Self { count: header.len(), needed, kind: place("kind"), time_ns: place("time_ns") })
    }

    /// What a row says; otherwise what is wrong with it. `fields` is `None` if a quote is not closed.
    pub fn read<'a>(&self, fields: Option<&[&'a [u8]]>) -> Result<Note<'a>, String> {
        let fields = fields.ok_or("a quote that is not closed")?;
        if fields.len() != self.count {
            return Err(format!("{} fields (expected {})", fields.len(), self.count));
        }
        let [source, line, status, clues, guesses, puzzle, solution, error] =
            self.needed.map(|place| fields[place]);
        let status = Status::ALL
            .into_iter()
            .find(|known| known.as_str().as_bytes() == status)
            .ok_or_else(|| format!("unknown status '{}'", shown(status)))?;
        let kind = match self.kind.map(|place| fields[place]) {
            None | Some(b"sudoku") => Kind::Sudoku,
            Some(b"sudominoku") => Kind::Sudominoku,
            Some(other) => return Err(format!("unknown kind '{}'", shown(other))),
        };
        let puzzle = grid(puzzle, "puzzle")?;
        let clues = match clues {
            b"" => None,
            text => match number(text, "clues")? {
                count @ 0..=81 => u8::try_from(count).ok(),
                count => return Err(format!("{count} clues (expected at most 81)")),
            },
        };
        Ok(Note {
            source,
            line: number(line, "line")?,
            kind,
            status,
            clues,
            guesses: number(guesses, "guesses")?,
            time_ns: self.time_ns.map(|place| number(fields[place], "time_ns")).transpose()?,
            hash: puzzle.map_or(0, |puzzle| note::hash(kind, puzzle)),
            puzzle,
            solution: grid(solution, "solution")?,
            error,
        })
    }
}

fn number(text: &[u8], column: &str) -> Result<u64, String> {
    let parsed = text.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    });
    parsed
        .filter(|_| !text.is_empty())
        .ok_or_else(|| format!("'{}' in column {column} (expected a whole number)", shown(text)))
}

/// The 81 characters of a grid, `None` for an empty field.
fn grid<'a>(text: &'a [u8], column: &str) -> Result<Option<&'a [u8; CELLS]>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let cells = text.as_array::<CELLS>().filter(|cells| {
        // A fold without an early end becomes vector code.
        cells.iter().fold(true, |all, byte| all & matches!(byte, b'.' | b'0'..=b'9'))
    });
    let wrong = || format!("'{}' in column {column} (expected 81 digits and dots)", shown(text));
    cells.map(Some).ok_or_else(wrong)
}

/// The start of a field, to be shown in a message.
fn shown(text: &[u8]) -> String {
    const MOST: usize = 24;
    let start = String::from_utf8_lossy(&text[..text.len().min(MOST)]);
    format!("{}{}", start.escape_debug(), if text.len() > MOST { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    fn header(names: &str) -> Vec<String> {
        names.split(',').map(str::to_owned).collect()
    }

    fn fields(row: &str) -> Vec<&[u8]> {
        row.split(',').map(str::as_bytes).collect()
    }

    #[test]
    fn columns_in_any_order_among_others() {
        let names = "extra,error,solution,puzzle,guesses,clues,status,line,source";
        let columns = Columns::find(&header(names)).unwrap();
        let row = format!("x,,,{PUZZLE},7,32,unique,4,a.txt");
        let fields = fields(&row);
        let note = columns.read(Some(&fields)).unwrap();
        assert_eq!((note.source, note.line, note.status), (&b"a.txt"[..], 4, Status::Unique));
        assert_eq!((note.clues, note.guesses, note.time_ns, note.solution), (Some(32), 7, None, None));
        assert_eq!(note.puzzle.unwrap(), PUZZLE.as_bytes());
    }

    #[test]
    fn missing_columns_are_named() {
        let missing = Columns::find(&header("id,puzzle,solution,status,kind")).unwrap_err();
        assert_eq!(missing, ["source", "line", "clues", "guesses", "error"]);
    }

    #[test]
    fn what_is_wrong_with_a_row() {
        let columns =
            Columns::find(&header("source,line,kind,status,clues,guesses,time_ns,puzzle,solution,error"))
                .unwrap();
        let good = format!("a,1,sudoku,unique,32,0,5,{PUZZLE},,");
        assert!(columns.read(Some(&fields(&good))).is_ok());
        for (from, to, expected) in [
            (",,", ",", "9 fields (expected 10)"),
            ("unique", "uniqe", "unknown status 'uniqe'"),
            ("sudoku", "kakuro", "unknown kind 'kakuro'"),
            ("32", "82", "82 clues (expected at most 81)"),
            (",0,5", ",-1,5", "'-1' in column guesses (expected a whole number)"),
            (",0,5", ",,5", "'' in column guesses (expected a whole number)"),
            (
                ",0,5",
                ",0,18446744073709551616",
                "'18446744073709551616' in column time_ns (expected a whole number)",
            ),
            ("..3.2", "..3", "'..3.6..9..3.5..1..18.64....' in column puzzle (expected 81 digits and dots)"),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_eq!(columns.read(Some(&fields(&bad))).unwrap_err(), expected);
        }
        assert_eq!(columns.read(None).unwrap_err(), "a quote that is not closed");
    }
}
