//! Rows of results as pages: the columns are found by name, in any order and among any others.
//!
//! Rows come as carried texts, whatever the format. A row that is malformed or contradicts itself is counted apart and
//! affects no other row.

use std::cmp::Reverse;

use super::Detail;
use super::collect::MOST_BAD_ROWS;
use super::digest::{ReportDigest, ReportPart};
use crate::jobs::JOBS;
use crate::pipeline::Digest;
use crate::record::{
    Column, Fault, FaultKind, Field, Label, Page, PuzzleKind, Role, Schema, Severity, Texts, Type,
};
use crate::sudoku::{CELLS, Grid, verifier};

/// The solution, whose role depends on the job.
const SOLUTION: Field = Field::result("solution", Type::Grid, "the solution, found or claimed");

/// The columns that are read.
const FIELDS: [Field; 10] = [
    Field::SOURCE,
    Field::LINE,
    Field::KIND,
    Field::STATUS,
    Field::CLUES,
    Field::GUESSES,
    Field::TIME,
    Field::PUZZLE,
    SOLUTION,
    Field::ERROR,
];

/// The columns without which rows are no results. Without another column, only the figures from it are missing.
const NEEDED: [Field; 5] = [Field::SOURCE, Field::LINE, Field::STATUS, Field::GUESSES, Field::PUZZLE];

/// The longest time: no run measures more, since a puzzle takes less than a week. Histograms hold no larger numbers.
const LONGEST_NS: u64 = 7 * 24 * 3_600_000_000_000;
const MOST_GUESSES: u64 = 1_000_000_000_000;

/// The faults of a row as such; the others are faults of its puzzle, which `error` explains.
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

/// The digest that condenses rows of results as if they were the original pages.
pub(super) struct ResultsDigest {
    report: ReportDigest,
    schema: Schema,
    /// Whether a good answer has a solution.
    has_solutions: bool,
}

/// A condensed page.
#[derive(Default)]
pub(super) struct ResultsPart {
    pub report: ReportPart,
    /// Number of bad rows, with lines and reasons of the first bad rows.
    pub bad: u64,
    pub first_bad: Vec<(u64, String)>,
}

/// A row of results.
struct Row<'a> {
    source: &'a [u8],
    line: u64,
    kind: u8,
    status: u8,
    clues: Option<u8>,
    guesses: Option<u64>,
    time_ns: Option<u64>,
    puzzle: Option<Grid>,
    solution: Option<Grid>,
    error: &'a [u8],
}

impl ResultsDigest {
    /// Returns a digest for results with columns of these names, and the place of each column to be carried along.
    /// Fails with the names of the columns that are missing and needed.
    pub fn of(names: &[String], detail: Detail) -> Result<(Self, Vec<Option<usize>>), Vec<&'static str>> {
        let place = |field: &Field| names.iter().position(|name| name == field.name);
        let missing: Vec<_> =
            NEEDED.iter().filter(|field| place(field).is_none()).map(|it| it.name).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        // The job is the one with most of the columns, the first among equals.
        let found = |fields: &[Field]| fields.iter().filter(|field| place(field).is_some()).count();
        let job = JOBS.iter().min_by_key(|job| Reverse(found(job.fields)));
        let (own, statuses) = job.map_or((&[][..], &[][..]), |job| (job.fields, job.statuses));
        let solution = own.iter().find(|field| field.name == SOLUTION.name);
        let fields = FIELDS.map(|field| match solution {
            Some(solution) if field.name == solution.name => *solution,
            _ => field,
        });
        let schema = Schema { fields: fields.to_vec(), carried: Vec::new(), measured: true, statuses };
        let has_solutions = solution.and_then(place).is_some();
        Ok((
            Self { report: ReportDigest::new(detail), schema, has_solutions },
            FIELDS.iter().map(place).collect(),
        ))
    }

    /// Returns the words of the statuses.
    pub const fn statuses(&self) -> &'static [Label] {
        self.schema.statuses
    }

    /// Returns the row with these texts in the columns that are read, or the error in the texts.
    fn row<'a>(&self, texts: [Option<&'a [u8]>; FIELDS.len()]) -> Result<Row<'a>, String> {
        let [source, line, kind, status, clues, guesses, time, puzzle, solution, error] =
            texts.map(Option::unwrap_or_default);
        let word = self.statuses().iter().position(|word| word.name.as_bytes() == status);
        let status = word.ok_or_else(|| format!("unknown status '{}'", shown(status)))?;
        let kind = match kind {
            b"" => PuzzleKind::Sudoku,
            kind => PuzzleKind::from_word(kind).ok_or_else(|| format!("unknown kind '{}'", shown(kind)))?,
        };
        let (puzzle, solution) = (grid(puzzle, "puzzle")?, grid(solution, "solution")?);
        let row = Row {
            source,
            line: number(line, "line", u64::MAX)?.unwrap_or(0),
            kind: kind as u8,
            status: status as u8,
            clues: clues_of(puzzle.as_ref(), clues)?,
            guesses: number(guesses, "guesses", MOST_GUESSES)?,
            time_ns: number(time, "time_ns", LONGEST_NS)?,
            puzzle,
            solution,
            error,
        };
        let Label { name, severity, .. } = self.statuses()[status];
        match (&row.puzzle, &row.solution) {
            _ if !self.has_solutions || severity != Severity::Answered => Ok(row),
            (Some(puzzle), Some(solution)) if verifier::sudoku(puzzle, solution) => Ok(row),
            (_, Some(_)) => Err(format!("status {name} with a solution that does not solve the puzzle")),
            (_, None) => Err(format!("status {name} without a solution")),
        }
    }

    /// Condenses good rows.
    fn digest_rows(&self, rows: &[Row<'_>], part: &mut ReportPart) {
        let (mut sources, mut names) = (Vec::new(), Vec::<String>::new());
        let mut errors = Texts::default();
        for (at, row) in rows.iter().enumerate() {
            if at == 0 || rows[at - 1].source != row.source {
                names.push(String::from_utf8_lossy(row.source).into_owned());
            }
            sources.push(names.len() as u32 - 1);
            errors.push(Some(row.error));
        }
        let lines: Vec<_> = rows.iter().map(|row| row.line).collect();
        let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
        let statuses: Vec<_> = rows.iter().map(|row| row.status).collect();
        let (clues, has_clues) = given(rows.iter().map(|row| row.clues), 0);
        let (guesses, has_guesses) = given(rows.iter().map(|row| row.guesses), 0);
        let (times, has_times) = given(rows.iter().map(|row| row.time_ns), 0);
        let (puzzles, has_puzzle) = given(rows.iter().map(|row| row.puzzle), Grid::EMPTY);
        let solutions: Vec<_> = rows.iter().map(|row| row.solution).collect();
        let columns = vec![
            Column::Names(&sources, &names),
            Column::Numbers(&lines),
            Column::Words(&kinds, &PuzzleKind::WORDS),
            Column::Words(&statuses, self.statuses()),
            Column::SmallNumbers(&clues, &has_clues),
            Column::SomeNumbers(&guesses, &has_guesses),
            Column::SomeNumbers(&times, &has_times),
            Column::Grids(&puzzles, &has_puzzle),
            Column::SomeGrids(&solutions),
            Column::Texts(&errors),
        ];
        self.report.digest(&Page::new(&self.schema, columns, rows.len()), part);
    }
}

impl Digest for ResultsDigest {
    type Part = ResultsPart;

    /// Condenses a page that carries the columns of results along.
    fn digest(&self, page: &Page<'_>, part: &mut ResultsPart) {
        let faults = match page.column(Role::Error) {
            Some(Column::Faults(faults)) => Some(faults),
            _ => None,
        };
        let carried = &page.columns[page.schema.fields.len()..];
        let lines = page.numbers(Role::Line);
        let mut rows = Vec::with_capacity(page.rows);
        (part.bad, part.first_bad) = (0, Vec::new());
        for at in 0..page.rows {
            let text = |column: usize| match carried.get(column) {
                Some(Column::Texts(texts)) => texts.get(at),
                _ => None,
            };
            let fault = faults.and_then(|faults| faults.get(at)).filter(|it| UNREADABLE.contains(&it.kind));
            match fault.map_or_else(|| self.row(std::array::from_fn(text)), |fault| Err(Fault::reason(fault)))
            {
                Ok(row) => rows.push(row),
                Err(reason) => {
                    part.bad += 1;
                    if part.first_bad.len() < MOST_BAD_ROWS {
                        part.first_bad.push((lines.get(at).unwrap_or(0), reason));
                    }
                }
            }
        }
        self.digest_rows(&rows, &mut part.report);
    }
}

/// Returns values, with `none` for the missing ones, and whether each is there.
fn given<T: Copy>(values: impl Iterator<Item = Option<T>>, none: T) -> (Vec<T>, Vec<bool>) {
    values.map(|value| (value.unwrap_or(none), value.is_some())).unzip()
}

/// Returns the whole number in a field, `None` for an empty field.
fn number(text: &[u8], column: &str, most: u64) -> Result<Option<u64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let digits = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    match digits.and_then(|digits| digits.parse().ok()) {
        None => Err(format!("'{}' in column {column} (expected a whole number)", shown(text))),
        Some(value) if value > most => Err(format!("{value} in column {column} (expected at most {most})")),
        value => Ok(value),
    }
}

/// Returns the number of clues: that of the row, which must be right, or else that of the puzzle.
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

/// Returns the grid that 81 digits and dots spell, `None` for an empty field.
fn grid(text: &[u8], column: &str) -> Result<Option<Grid>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let cells = text.as_array::<CELLS>().filter(|cells| {
        // The compiler turns a fold without an early end into vector code.
        cells.iter().fold(true, |all, byte| all & matches!(byte, b'.' | b'0'..=b'9'))
    });
    let wrong = || format!("'{}' in column {column} (expected 81 digits and dots)", shown(text));
    cells.and_then(Grid::from_text).map(Some).ok_or_else(wrong)
}

/// Returns the start of a field, to be shown in a message.
fn shown(text: &[u8]) -> String {
    const MOST: usize = 24;
    let start = String::from_utf8_lossy(&text[..text.len().min(MOST)]);
    format!("{}{}", start.escape_debug(), if text.len() > MOST { "..." } else { "" })
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::input::{ReadOptions, Source};
    use crate::record::{Records, Want};

    /// Returns the rows of results of a text, condensed as one page.
    pub fn condensed(text: &str, detail: Detail) -> ResultsPart {
        let options = ReadOptions { results: true, ..ReadOptions::default() };
        let text = std::io::Cursor::new(text.to_owned());
        let mut source = Source::from_reader("r.csv", text, &options).unwrap();
        let (digest, carried) = ResultsDigest::of(&source.columns().names, detail).unwrap();
        source.carry(&carried);
        let batch = source.next_batch(Vec::new(), usize::MAX >> 2).unwrap().unwrap();
        let (mut records, mut part) = (Records::default(), ResultsPart::default());
        batch.read(Want::default(), &mut records);
        let mut columns = vec![
            Column::Counting(1),
            Column::Same("r.csv"),
            Column::Numbers(records.lines()),
            Column::Words(records.kinds(), &PuzzleKind::WORDS),
            Column::Faults(records.faults()),
        ];
        columns.extend(records.carried.iter().map(Column::Texts));
        let schema = Schema::new(&[Field::ERROR], &[], false);
        digest.digest(&Page::new(&schema, columns, records.len()), &mut part);
        part
    }
}

#[cfg(test)]
mod tests {
    use super::testing::condensed;
    use super::*;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// Returns the lines of bad rows, each with the error.
    fn wrong(columns: &str, rows: &str) -> Vec<(u64, String)> {
        condensed(&format!("{columns}\n{rows}\n"), Detail::default()).first_bad
    }

    #[test]
    fn columns_in_any_order_among_others() {
        let text = format!(
            "extra,error,solution,puzzle,guesses,clues,status,line,source\n\
             x,line 4: why,{SOLUTION},{PUZZLE},7,32,unique,4,a.txt\n"
        );
        let ResultsPart { report, bad, .. } = condensed(&text, Detail { top: 1, isomorphs: false });
        assert_eq!((report.rows, bad, &*report.runs[0].name, report.classes[0].clues), (1, 0, "a.txt", 32));
        let listed = &report.listed[0][0];
        let puzzle = &listed.what;
        assert_eq!((listed.rank, puzzle.line, puzzle.status), (7, 4, "unique"));
        assert_eq!((puzzle.puzzle.as_deref(), puzzle.solution.as_deref()), (Some(PUZZLE), Some(SOLUTION)));
        assert_eq!(report.reasons.groups()[0].reason.as_deref(), Some("line N: why"));
        // Only the needed columns are there.
        let text = format!("source,line,status,guesses,puzzle\na,1,unique,0,{PUZZLE}\na,2,invalid,,\n");
        let ResultsPart { report, bad, .. } = condensed(&text, Detail::default());
        assert_eq!((report.rows, bad, report.classes[0].clues), (2, 0, 32));
    }

    #[test]
    fn a_bad_row_costs_no_other() {
        let good = format!("a,1,unsolvable,32,0,{PUZZLE},,\n");
        let text = format!(
            "source,line,status,clues,guesses,puzzle,solution,error\n{good}b,1,unsolvable,32,x,,,why\n{good}"
        );
        let ResultsPart { report, bad, first_bad } = condensed(&text, Detail::default());
        assert_eq!((report.rows, bad, report.runs.len(), report.reasons.groups().len()), (2, 1, 1, 0));
        assert_eq!(first_bad, [(3, "'x' in column guesses (expected a whole number)".to_owned())]);
    }

    #[test]
    fn the_columns_show_the_job_and_what_is_missing() {
        for (name, first) in [("solve", "unique"), ("verify", "correct"), ("rate", "rated")] {
            let job = JOBS.iter().find(|job| job.name == name).unwrap();
            let mut names: Vec<_> = job.columns().iter().map(|field| field.name.to_owned()).collect();
            for _ in 0..2 {
                let (digest, carried) = ResultsDigest::of(&names, Detail::default()).unwrap();
                assert_eq!(digest.statuses()[0].name, first);
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
        assert_eq!(wrong(columns, &good), []);
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
            // Elsewhere `*` is a blank, but never in results.
            (
                "..3.2",
                "*.3.2",
                "'*.3.2.6..9..3.5..1..18.6...' in column puzzle (expected 81 digits and dots)",
            ),
            ("a,", "\"a,", "quote that is not closed (expected a closing \")"),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_eq!(wrong(columns, &format!("{good}\n{good}\n{bad}")), [(4, expected.to_owned())]);
        }
    }

    /// PROMISE: results-consistent
    #[test]
    fn a_row_that_contradicts_its_puzzle_is_bad() {
        let other = SOLUTION.replacen("483", "843", 1);
        let contradiction = "with a solution that does not solve the puzzle";
        for (columns, words) in
            [("solutions", &["unique", "multiple", "solved"][..]), ("other", &["correct"])]
        {
            let columns = format!("source,line,status,{columns},clues,guesses,puzzle,solution,error");
            for word in words {
                for (clues, puzzle, solution, expected) in [
                    ("32", PUZZLE, SOLUTION, None),
                    ("", PUZZLE, SOLUTION, None),
                    ("31", PUZZLE, SOLUTION, Some("31 in column clues of a puzzle of 32".to_owned())),
                    ("82", PUZZLE, SOLUTION, Some("82 in column clues (expected at most 81)".to_owned())),
                    ("32", PUZZLE, "", Some(format!("status {word} without a solution"))),
                    ("32", PUZZLE, PUZZLE, Some(format!("status {word} {contradiction}"))),
                    ("32", PUZZLE, &*other, Some(format!("status {word} {contradiction}"))),
                ] {
                    let found = wrong(&columns, &format!("a,1,{word},,{clues},0,{puzzle},{solution},"));
                    assert_eq!(found.into_iter().map(|(_, reason)| reason).next(), expected, "{word}");
                }
            }
        }
        // A claim may be wrong.
        let columns = "source,line,status,other,clues,guesses,puzzle,solution,error";
        assert_eq!(wrong(columns, &format!("a,1,wrong,,32,0,{PUZZLE},{other},why")), []);
    }
}
