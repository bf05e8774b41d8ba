//! Rows of results files. Columns are found by name, in any order, and other columns may be present.
//!
//! Rows arrive as carried strings, regardless of the file format. A row that is malformed or contradicts itself is
//! counted separately and does not affect other rows.

use std::cmp::Reverse;

use super::Detail;
use super::collect::MOST_BAD_ROWS;
use super::digest::{CountedRow, ReportDigest, ReportPart};
use crate::jobs::JOBS;
use crate::pipeline::Digest;
use crate::record::{Column, Fault, FaultKind, Field, Label, Page, PuzzleKind, Role, Severity};
use crate::sudoku::{CELLS, Grid, verifier};

/// The columns that are read.
pub(super) const COLUMNS: [&str; 10] =
    ["source", "line", "kind", "status", "clues", "guesses", "time_ns", "puzzle", SOLUTION, "error"];
const SOLUTION: &str = "solution";

/// The columns that a results file must have. If any other column is absent, the report only lacks the figures based on
/// it.
const NEEDED: [&str; 5] = ["source", "line", "status", "guesses", "puzzle"];

/// The longest time accepted. No run records a longer one, because a puzzle takes less than a week, and the histograms
/// have no room for larger numbers.
const LONGEST_NS: u64 = 7 * 24 * 3_600_000_000_000;
const MOST_GUESSES: u64 = 1_000_000_000_000;

/// The faults that are in the row itself; all others are in its puzzle and are explained in the `error` column.
const UNREADABLE: [FaultKind; 8] = [
    FaultKind::LineTooLong,
    FaultKind::RowTooLong,
    FaultKind::OpenQuote,
    FaultKind::FieldCount,
    FaultKind::NoJson,
    FaultKind::BrokenJson,
    FaultKind::OpenBracket,
    FaultKind::CutOffDocument,
];

/// A digest that condenses result rows in the same way as the run that produced them.
pub(super) struct ResultsDigest {
    report: ReportDigest,
    /// The status labels.
    pub statuses: &'static [Label],
    /// Whether a good answer comes with a solution.
    has_solutions: bool,
    /// Whether the solution is an answer rather than a claim.
    is_answer: bool,
}

/// A condensed page.
#[derive(Default)]
pub(super) struct ResultsPart {
    pub report: ReportPart,
    /// Number of bad rows, and the line and reason for each of the first few.
    pub bad: u64,
    pub first_bad: Vec<(u64, String)>,
}

impl ResultsDigest {
    /// Returns a digest for results with these column names, and the position of each column to carry along. Fails with
    /// the names of required columns that are missing.
    pub fn of(names: &[String], detail: Detail) -> Result<(Self, Vec<Option<usize>>), Vec<&'static str>> {
        let place = |column: &str| names.iter().position(|name| name == column);
        let missing: Vec<_> = NEEDED.into_iter().filter(|column| place(column).is_none()).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        // The job is taken to be the one that shares the most columns with the file; on a tie, the first job wins.
        let found = |fields: &[Field]| fields.iter().filter(|field| place(field.name).is_some()).count();
        let job = JOBS.iter().min_by_key(|job| Reverse(found(job.fields)));
        let (own, statuses) = job.map_or((&[][..], &[][..]), |job| (job.fields, job.statuses));
        let solution = own.iter().find(|field| field.name == SOLUTION);
        let has_solutions = solution.is_some_and(|field| place(field.name).is_some());
        let is_answer = solution.is_some_and(|field| field.role == Role::Solution);
        let report = ReportDigest::new(detail);
        Ok((Self { report, statuses, has_solutions, is_answer }, COLUMNS.map(place).to_vec()))
    }

    /// Returns the row that holds these texts, one per entry in [`COLUMNS`], or a message that says what is wrong with
    /// them.
    fn row<'a>(&self, texts: [Option<&'a [u8]>; COLUMNS.len()]) -> Result<CountedRow<'a, Grid>, String> {
        let [source, line, kind, status, clues, guesses, time, puzzle, solution, error] =
            texts.map(Option::unwrap_or_default);
        let word = self.statuses.iter().position(|word| word.name.as_bytes() == status);
        let status = word.ok_or_else(|| format!("unknown status '{}'", shown(status)))?;
        let kind = match kind {
            b"" => PuzzleKind::Sudoku,
            kind => PuzzleKind::from_word(kind).ok_or_else(|| format!("unknown kind '{}'", shown(kind)))?,
        };
        let (puzzle, solution) = (grid(puzzle, "puzzle")?, grid(solution, "solution")?);
        let mut row = CountedRow {
            source: String::from_utf8_lossy(source),
            line: number(line, "line", u64::MAX)?.unwrap_or(0),
            kind,
            status: Some(status as u8),
            clues: clues_of(puzzle.as_ref(), clues)?,
            values: [number(guesses, "guesses", MOST_GUESSES)?, number(time, "time_ns", LONGEST_NS)?],
            puzzle,
            solution,
            error,
        };
        let Label { name, severity, .. } = self.statuses[status];
        match (&row.puzzle, &row.solution) {
            _ if !self.has_solutions || severity != Severity::Answered => {}
            (Some(puzzle), Some(solution)) if verifier::sudoku(puzzle, solution) => {}
            (_, Some(_)) => {
                return Err(format!("status {name} with a solution that does not solve the puzzle"));
            }
            (_, None) => return Err(format!("status {name} without a solution")),
        }
        row.solution = row.solution.filter(|_| self.is_answer);
        Ok(row)
    }
}

impl Digest for ResultsDigest {
    type Part = ResultsPart;

    /// Condenses a page that carries the results columns along.
    fn digest(&self, page: &Page<'_>, part: &mut ResultsPart) {
        let faults = match page.column(Role::Error) {
            Some(Column::Faults(faults)) => Some(faults),
            _ => None,
        };
        let carried = &page.columns[page.schema.fields.len()..];
        let lines = page.numbers(Role::Line);
        let ResultsPart { report, bad, first_bad } = part;
        (*bad, *first_bad) = (0, Vec::new());
        let read = |at: usize| {
            let text = |column: usize| match carried.get(column) {
                Some(Column::Texts(texts)) => texts.get(at),
                _ => None,
            };
            let fault = faults.and_then(|faults| faults.get(at)).filter(|it| UNREADABLE.contains(&it.kind));
            fault.map(Fault::reason).map_or_else(|| self.row(std::array::from_fn(text)), Err)
        };
        let good = |at: usize| {
            let wrong = |reason| {
                *bad += 1;
                if first_bad.len() < MOST_BAD_ROWS {
                    first_bad.push((lines.get(at).unwrap_or(0), reason));
                }
            };
            read(at).map_err(wrong).ok()
        };
        self.report.digest_rows(self.statuses, (0..page.rows).filter_map(good), report);
    }
}

/// Returns the integer in a field, or `None` if the field is empty.
fn number(text: &[u8], column: &str, most: u64) -> Result<Option<u64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let add_digit = |value: u64, byte: &u8| {
        let digit = byte.checked_sub(b'0').filter(|&digit| digit <= 9)?;
        value.checked_mul(10)?.checked_add(digit.into())
    };
    match text.iter().try_fold(0, add_digit) {
        None => Err(format!("'{}' in column {column} (expected a whole number)", shown(text))),
        Some(value) if value > most => Err(format!("{value} in column {column} (expected at most {most})")),
        value => Ok(value),
    }
}

/// Returns the number of clues: the one stated in the row, which must be right, or else the puzzle's own count.
fn clues_of(puzzle: Option<&Grid>, text: &[u8]) -> Result<Option<u8>, String> {
    let counted = puzzle.map(|puzzle| puzzle.clues() as u8);
    let clues = number(text, "clues", CELLS as u64)?.map(|clues| clues as u8);
    match (clues, counted) {
        (Some(clues), Some(counted)) if clues != counted => {
            Err(format!("{clues} in column clues of a puzzle of {counted}"))
        }
        _ => Ok(clues.or(counted)),
    }
}

/// Returns the grid spelled by 81 digits and dots, or `None` if the field is empty.
fn grid(text: &[u8], column: &str) -> Result<Option<Grid>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let cells = text.as_array::<CELLS>().filter(|cells| {
        // The compiler can vectorize a fold that never exits early.
        cells.iter().fold(true, |all, byte| all & matches!(byte, b'.' | b'0'..=b'9'))
    });
    let wrong = || format!("'{}' in column {column} (expected 81 digits and dots)", shown(text));
    cells.and_then(Grid::from_text).map(Some).ok_or_else(wrong)
}

/// Returns the start of a field, for a message.
fn shown(text: &[u8]) -> String {
    const MOST: usize = 24;
    let start = String::from_utf8_lossy(&text[..text.len().min(MOST)]);
    format!("{}{}", start.escape_debug(), if text.len() > MOST { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::super::Report;
    use super::super::recall::testing::report;
    use super::*;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// Returns the report on a text.
    fn reported(text: &str) -> Report {
        report(text, 1, 1 << 20)
    }

    /// Returns the places of bad rows, each with its error.
    fn wrong(columns: &str, rows: &str) -> Vec<String> {
        reported(&format!("{columns}\n{rows}\n")).bad_rows.first
    }

    #[test]
    fn columns_in_any_order_among_others() {
        let found = reported(&format!(
            "extra,error,solution,puzzle,guesses,clues,status,line,source\n\
             x,line 4: why,{SOLUTION},{PUZZLE},7,32,unique,4,a.txt\n\
             x,\"line 5, column 7: why\",,,,,invalid,5,a.txt\n"
        ));
        assert_eq!((found.total.rows, found.bad_rows.count, found.clues[0].clues), (2, 0, 32));
        assert_eq!(found.sources[0].name.as_deref(), Some("a.txt"));
        let puzzle = &found.listed[0][0];
        assert_eq!((puzzle.values[0], puzzle.line, puzzle.status), (Some(7), 4, "unique"));
        assert_eq!((puzzle.puzzle.as_deref(), puzzle.solution.as_deref()), (Some(PUZZLE), Some(SOLUTION)));
        let reasons = found.reasons.iter().map(|of| (of.status, of.reason.as_deref(), of.places.join(" ")));
        let expected = [("unique", "line N: why", "a.txt:4"), ("invalid", "why", "a.txt:5:7")];
        assert!(reasons.eq(expected.map(|(status, why, place)| (status, Some(why), place.to_owned()))));
        // Only the required columns are present.
        let text = format!("source,line,status,guesses,puzzle\na,1,unique,0,{PUZZLE}\na,2,invalid,,\n");
        let found = reported(&text);
        assert_eq!((found.total.rows, found.bad_rows.count, found.clues[0].clues), (2, 0, 32));
    }

    #[test]
    fn the_columns_show_the_job_and_what_is_missing() {
        for (name, first) in [("solve", "unique"), ("verify", "correct"), ("rate", "rated")] {
            let job = JOBS.iter().find(|job| job.name == name).unwrap();
            let mut names: Vec<_> = job.columns().iter().map(|field| field.name.to_owned()).collect();
            for _ in 0..2 {
                let (digest, carried) = ResultsDigest::of(&names, Detail::default()).unwrap();
                assert_eq!(digest.statuses[0].name, first);
                assert_eq!(carried[6], names.iter().position(|column| column == "time_ns"));
                names.retain(|name| name != "time_ns");
            }
        }
        let names = ["id", "puzzle", "solution", "kind"].map(str::to_owned);
        let missing = ResultsDigest::of(&names, Detail::default()).err();
        assert_eq!(missing.unwrap(), ["source", "line", "status", "guesses"]);
    }

    #[test]
    fn what_is_wrong_with_a_row() {
        let columns = "source,line,kind,status,clues,guesses,time_ns,puzzle,solution,error";
        let good = format!("a,1,sudoku,unique,32,0,5,{PUZZLE},{SOLUTION},");
        assert!(wrong(columns, &good).is_empty());
        for (from, to, expected) in [
            ("a,", "", "9 fields (expected 10)"),
            ("unique", "uniqe", "unknown status 'uniqe'"),
            ("sudoku", "kakuro", "unknown kind 'kakuro'"),
            (",0,5", ",-1,5", "'-1' in column guesses (expected a whole number)"),
            (
                ",0,5",
                ",0,18446744073709551616",
                "'18446744073709551616' in column time_ns (expected a whole number)",
            ),
            (",0,5", ",1000000000001,5", "1000000000001 in column guesses (expected at most 1000000000000)"),
            (
                ",0,5",
                ",0,604800000000001",
                "604800000000001 in column time_ns (expected at most 604800000000000)",
            ),
            ("..3.2", "..3", "'..3.6..9..3.5..1..18.64....' in column puzzle (expected 81 digits and dots)"),
            // Elsewhere `*` stands for a blank, but not in results files.
            (
                "..3.2",
                "*.3.2",
                "'*.3.2.6..9..3.5..1..18.6...' in column puzzle (expected 81 digits and dots)",
            ),
            ("a,", "\"a,", "quote that is not closed (expected a closing \")"),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_eq!(wrong(columns, &format!("{good}\n{good}\n{bad}")), [format!("r.csv:4: {expected}")]);
        }
    }

    /// PROMISE: results-consistent
    #[test]
    fn a_row_that_contradicts_its_puzzle_is_bad() {
        let other = SOLUTION.replacen("483", "843", 1);
        let contradiction = "status {word} with a solution that does not solve the puzzle";
        for (columns, words) in
            [("solutions", &["unique", "multiple", "solved"][..]), ("other", &["correct"])]
        {
            let columns = format!("source,line,status,{columns},clues,guesses,puzzle,solution,error");
            for word in words {
                for (clues, puzzle, solution, expected) in [
                    ("32", PUZZLE, SOLUTION, None),
                    ("", PUZZLE, SOLUTION, None),
                    ("31", PUZZLE, SOLUTION, Some("31 in column clues of a puzzle of 32")),
                    ("82", PUZZLE, SOLUTION, Some("82 in column clues (expected at most 81)")),
                    ("32", PUZZLE, "", Some("status {word} without a solution")),
                    ("32", PUZZLE, PUZZLE, Some(contradiction)),
                    ("32", PUZZLE, &*other, Some(contradiction)),
                ] {
                    let expected =
                        expected.map(|why: &str| format!("r.csv:2: {}", why.replace("{word}", word)));
                    let found = wrong(&columns, &format!("a,1,{word},,{clues},0,{puzzle},{solution},"));
                    assert_eq!(found, Vec::from_iter(expected), "{word}");
                }
            }
        }
        // A claim may be wrong.
        let columns = "source,line,status,other,clues,guesses,puzzle,solution,error";
        assert!(wrong(columns, &format!("a,1,wrong,,32,0,{PUZZLE},{other},why")).is_empty());
    }
}
