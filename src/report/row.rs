//! Rows of a results file: which column is which, and what a row says.
//!
//! Columns are found by the names that `solve -O csv` gives them, in any order and among any others. A row
//! that is not as it should be, or contradicts itself, is told as such and costs no other row.

use super::note::{self, Note};
use crate::grid::CELLS;
use crate::input::Kind;
use crate::output::Status;

/// Columns without which there is no report.
const NEEDED: [&str; 8] = ["source", "line", "status", "clues", "guesses", "puzzle", "solution", "error"];

/// What takes longer or more guesses was not measured but made up: nobody waits longer than a week for a puzzle.
/// It also keeps the histograms within what they can tell apart.
const LONGEST_NS: u64 = 7 * 24 * 3_600_000_000_000;
const MOST_GUESSES: u64 = 1_000_000_000_000;

/// Where the columns of one file stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Fields of a row.
    count: usize,
    /// Places of [`NEEDED`].
    needed: [usize; NEEDED.len()],
    kind: Option<usize>,
    solutions: Option<usize>,
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
        Ok(Self {
            count: header.len(),
            needed,
            kind: place("kind"),
            solutions: place("solutions"),
            time_ns: place("time_ns"),
        })
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
        let solution = grid(solution, "solution")?;
        let solutions = self.solutions.map(|place| number(fields[place], "solutions")).transpose()?;
        check_answer(status, puzzle, solution, solutions)?;
        Ok(Note {
            source,
            line: number(line, "line")?,
            kind,
            status,
            clues: clues_of(puzzle, clues)?,
            guesses: at_most(MOST_GUESSES, guesses, "guesses")?,
            time_ns: self.time_ns.map(|place| at_most(LONGEST_NS, fields[place], "time_ns")).transpose()?,
            hash: puzzle.map_or(0, |puzzle| note::hash(kind, puzzle)),
            puzzle,
            solution,
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

fn at_most(most: u64, text: &[u8], column: &str) -> Result<u64, String> {
    match number(text, column)? {
        value if value > most => Err(format!("{value} in column {column} (expected at most {most})")),
        value => Ok(value),
    }
}

/// The clues of the puzzle; what the row says of them counts only where there is no puzzle.
fn clues_of(puzzle: Option<&[u8; CELLS]>, said: &[u8]) -> Result<Option<u8>, String> {
    if let Some(puzzle) = puzzle {
        return Ok(Some(puzzle.iter().map(|cell| u8::from(matches!(cell, b'1'..=b'9'))).sum()));
    }
    match said {
        b"" => Ok(None),
        text => match number(text, "clues")? {
            count @ 0..=81 => Ok(u8::try_from(count).ok()),
            count => Err(format!("{count} clues (expected at most 81)")),
        },
    }
}

/// What a status promises must be in the row.
fn check_answer(
    status: Status,
    puzzle: Option<&[u8; CELLS]>,
    solution: Option<&[u8; CELLS]>,
    solutions: Option<u64>,
) -> Result<(), String> {
    let (least, most) = match status {
        Status::Unique => (1, 1),
        Status::Multiple => (2, u64::MAX),
        Status::Solved => (1, u64::MAX),
        _ => return Ok(()),
    };
    let name = status.as_str();
    if puzzle.is_none() {
        return Err(format!("status {name} without a puzzle"));
    }
    let Some(solution) = solution else { return Err(format!("status {name} without a solution")) };
    if solution.iter().any(|cell| matches!(cell, b'.' | b'0')) {
        return Err(format!("status {name} with blanks in the solution"));
    }
    match solutions {
        Some(count) if count < least || count > most => {
            Err(format!("status {name} with {count} in column solutions"))
        }
        _ => Ok(()),
    }
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

    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

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
        let row = format!("x,,{SOLUTION},{PUZZLE},7,99,unique,4,a.txt");
        let fields = fields(&row);
        let note = columns.read(Some(&fields)).unwrap();
        assert_eq!((note.source, note.line, note.status), (&b"a.txt"[..], 4, Status::Unique));
        assert_eq!((note.clues, note.guesses, note.time_ns), (Some(32), 7, None));
        assert_eq!(note.puzzle.unwrap(), PUZZLE.as_bytes());
        assert_eq!(note.solution.unwrap(), SOLUTION.as_bytes());
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
        let good = format!("a,1,sudoku,unique,32,0,5,{PUZZLE},{SOLUTION},");
        assert!(columns.read(Some(&fields(&good))).is_ok());
        for (from, to, expected) in [
            ("a,", "", "9 fields (expected 10)"),
            ("unique", "uniqe", "unknown status 'uniqe'"),
            ("sudoku", "kakuro", "unknown kind 'kakuro'"),
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

    #[test]
    fn clues_are_those_of_the_puzzle() {
        let columns =
            Columns::find(&header("source,line,status,clues,guesses,puzzle,solution,error")).unwrap();
        let clues = |row: &str| columns.read(Some(&fields(row))).map(|note| note.clues);
        assert_eq!(clues(&format!("a,1,unsolvable,17,0,{PUZZLE},,")), Ok(Some(32)));
        assert_eq!(clues("a,1,unsolvable,17,0,,,"), Ok(Some(17)));
        assert_eq!(clues("a,1,invalid,,0,,,"), Ok(None));
        assert_eq!(clues("a,1,unsolvable,82,0,,,"), Err("82 clues (expected at most 81)".to_owned()));
    }

    #[test]
    fn an_answer_has_what_its_status_promises() {
        let columns =
            Columns::find(&header("source,line,status,solutions,clues,guesses,puzzle,solution,error"))
                .unwrap();
        let read = |status: &str, solutions: u64, puzzle: &str, solution: &str| {
            let row = format!("a,1,{status},{solutions},32,0,{puzzle},{solution},");
            columns.read(Some(&fields(&row))).map(|note| note.status).map_err(|reason| reason.to_string())
        };
        for (status, solutions) in [("unique", 1), ("multiple", 2), ("solved", 1)] {
            assert_eq!(read(status, solutions, PUZZLE, SOLUTION).unwrap().as_str(), status);
            for (puzzle, solution, expected) in [
                ("", SOLUTION, "without a puzzle"),
                (PUZZLE, "", "without a solution"),
                (PUZZLE, PUZZLE, "with blanks in the solution"),
            ] {
                let reason = read(status, solutions, puzzle, solution).unwrap_err();
                assert_eq!(reason, format!("status {status} {expected}"));
            }
        }
        for (status, solutions) in [("unique", 2), ("multiple", 1), ("solved", 0)] {
            let reason = read(status, solutions, PUZZLE, SOLUTION).unwrap_err();
            assert_eq!(reason, format!("status {status} with {solutions} in column solutions"));
        }
        for status in ["unsolvable", "unfinished", "invalid"] {
            assert!(read(status, 0, PUZZLE, "").is_ok(), "{status}");
        }
    }

    #[test]
    fn numbers_that_nobody_can_have_measured_are_refused() {
        let columns =
            Columns::find(&header("source,line,status,clues,guesses,time_ns,puzzle,solution,error")).unwrap();
        let read = |guesses: u64, time: u64| {
            columns
                .read(Some(&fields(&format!("a,1,unsolvable,,{guesses},{time},,,"))))
                .map(|note| note.guesses)
        };
        assert_eq!(read(MOST_GUESSES, LONGEST_NS), Ok(MOST_GUESSES));
        assert_eq!(
            read(u64::MAX, 1).unwrap_err(),
            "18446744073709551615 in column guesses (expected at most 1000000000000)"
        );
        assert_eq!(
            read(1, LONGEST_NS + 1).unwrap_err(),
            "604800000000001 in column time_ns (expected at most 604800000000000)"
        );
    }
}
