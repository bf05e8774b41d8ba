//! Rows of a results file: which column is which, what a row says, and its rows as a page.
//!
//! Columns are found by the names that the jobs give them, in any order and among any others. A row that is not as it
//! should be, or contradicts itself, is told as such and costs no other row.

use std::collections::HashMap;

use crate::jobs::{JOBS, JobEntry, ReadRow};
use crate::record::{Column, Fault, Field, Page, PuzzleKind, Role, Schema, Sparse, Word};
use crate::sudoku::{CELLS, Grid};

/// Columns without which there is no report.
const NEEDED: [&str; 8] = ["source", "line", "status", "clues", "guesses", "puzzle", "solution", "error"];

/// What takes longer or more guesses was not measured but made up: nobody waits longer than a week for a puzzle.
/// It also keeps the histograms within what they can tell apart.
const LONGEST_NS: u64 = 7 * 24 * 3_600_000_000_000;
const MOST_GUESSES: u64 = 1_000_000_000_000;

/// Where the columns of one file stand, and whose they are.
#[derive(Clone, Debug)]
pub(super) struct ResultsColumns {
    /// Fields of a row.
    count: usize,
    /// Places of [`NEEDED`].
    needed: [usize; NEEDED.len()],
    kind: Option<usize>,
    solutions: Option<usize>,
    other: Option<usize>,
    time_ns: Option<usize>,
    job: &'static JobEntry,
    schema: Schema,
}

/// The job that wrote a header: that of whose columns the fewest are missing, the first among equals. Jobs without the
/// columns that a report needs are none of those in question.
fn job_of(header: &[String]) -> &'static JobEntry {
    let missing = |job: &&JobEntry| {
        job.fields.iter().filter(|field| header.iter().all(|column| column != field.name)).count()
    };
    let is_reported = |job: &&JobEntry| {
        let is_read = job.check_row.is_some();
        let has = |name: &str| Field::ORIGIN.iter().chain(job.fields).any(|field| field.name == name);
        is_read && NEEDED.into_iter().all(has)
    };
    JOBS.iter().filter(is_reported).min_by_key(missing).expect("there is solve")
}

impl ResultsColumns {
    /// Finds them in a header; otherwise the names of those that are missing.
    pub fn find(header: &[String]) -> Result<Self, Vec<&'static str>> {
        let place = |name: &str| header.iter().position(|column| column == name);
        let missing: Vec<_> = NEEDED.into_iter().filter(|name| place(name).is_none()).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let needed = NEEDED.map(|name| place(name).expect("none is missing"));
        let time_ns = place("time_ns");
        let job = job_of(header);
        Ok(Self {
            count: header.len(),
            needed,
            kind: place("kind"),
            solutions: place("solutions"),
            other: place("other"),
            time_ns,
            job,
            schema: schema(job, time_ns.is_some()),
        })
    }

    /// The words of the statuses.
    pub const fn statuses(&self) -> &'static [Word] {
        self.job.statuses
    }

    /// Takes what a row of so many fields says; otherwise what is wrong with it. `fields` is `None` if a quote is not
    /// closed.
    pub fn read(&self, fields: Option<&[&[u8]]>, count: usize, rows: &mut ResultsRows) -> Result<(), String> {
        let fields = fields.ok_or("a quote that is not closed")?;
        if count != self.count {
            return Err(format!("{count} fields (expected {})", self.count));
        }
        let [source, line, status, clues, guesses, puzzle, solution, error] =
            self.needed.map(|place| fields[place]);
        let status = self
            .statuses()
            .iter()
            .position(|known| known.name.as_bytes() == status)
            .ok_or_else(|| self.unknown_status(status))?;
        let kind = match self.kind.map(|place| fields[place]) {
            None => PuzzleKind::Sudoku,
            Some(word) => {
                PuzzleKind::from_word(word).ok_or_else(|| format!("unknown kind '{}'", shown(word)))?
            }
        };
        let puzzle = grid(puzzle, "puzzle")?;
        let solution = grid(solution, "solution")?;
        let solutions = self.solutions.map(|place| number(fields[place], "solutions")).transpose()?;
        let other = self.other.map_or(Ok(None), |place| grid(fields[place], "other"))?;
        let line = number(line, "line")?;
        let clues = clues_of(puzzle.as_ref(), clues)?;
        // A row that no search was made for has neither guesses nor a time.
        let searched = !guesses.is_empty();
        let guesses = if searched { at_most(MOST_GUESSES, guesses, "guesses")? } else { 0 };
        let time_ns = match self.time_ns.map(|place| fields[place]) {
            None => None,
            Some(b"") if !searched => Some(0),
            Some(_) if !searched => {
                return Err(format!("status {} with a time and no guesses", self.statuses()[status].name));
            }
            Some(time) => Some(at_most(LONGEST_NS, time, "time_ns")?),
        };
        let read = ReadRow {
            status: status as u8,
            puzzle: puzzle.as_ref(),
            solution: solution.as_ref(),
            other: other.as_ref(),
            solutions,
            searched,
            has_error: !error.is_empty(),
        };
        let word = self.statuses()[status].name;
        (self.job.check_row.expect("it is read back"))(&read)
            .map_err(|reason| format!("status {word} {reason}"))?;

        rows.push_source(source);
        if !error.is_empty() {
            rows.faults.push(rows.lines.len(), Fault::parse(&String::from_utf8_lossy(error)));
        }
        rows.lines.push(line);
        rows.kinds.push(kind as u8);
        rows.statuses.push(status as u8);
        rows.clues.push(clues);
        rows.guesses.push(guesses);
        rows.searched.push(searched);
        rows.times.extend(time_ns);
        rows.puzzles.push(puzzle);
        rows.solutions.push(solution);
        Ok(())
    }

    /// What to say of a word that is no status of the job: if it is one of another job, what that has and the file lacks.
    fn unknown_status(&self, word: &[u8]) -> String {
        let other = JOBS.iter().find(|job| job.statuses.iter().any(|known| known.name.as_bytes() == word));
        let missing = |field: &&Field| self.job.fields.iter().all(|own| own.name != field.name);
        match other {
            Some(other) => format!(
                "status '{}' of {} (expected its columns: {})",
                shown(word),
                other.name,
                other.fields.iter().filter(missing).map(|field| field.name).collect::<Vec<_>>().join(", ")
            ),
            None => format!("unknown status '{}'", shown(word)),
        }
    }

    /// The rows that were read, as a page.
    pub fn page<'a>(&'a self, rows: &'a ResultsRows) -> Page<'a> {
        let columns = self.schema.fields.iter().map(|field| match field.role {
            Role::Source => Column::Names(&rows.sources, &rows.names),
            Role::Line => Column::Numbers(&rows.lines),
            Role::Kind => Column::Words(&rows.kinds, &PuzzleKind::WORDS),
            Role::Status => Column::Words(&rows.statuses, self.schema.statuses),
            Role::Clues => Column::SmallNumbers(&rows.clues.values, &rows.clues.given),
            Role::Guesses => Column::SomeNumbers(&rows.guesses, &rows.searched),
            Role::Time => Column::SomeNumbers(&rows.times, &rows.searched),
            Role::Puzzle => Column::Grids(&rows.puzzles.values, &rows.puzzles.given),
            Role::Solution | Role::Claim => Column::Grids(&rows.solutions.values, &rows.solutions.given),
            Role::Error => Column::Faults(&rows.faults),
            Role::Id | Role::Other => Column::Counting(1),
        });
        Page {
            schema: &self.schema,
            columns: columns.collect(),
            rows: rows.lines.len(),
            kept: None,
            of: None,
            layouts: &[],
            text: (&[], &[]),
            first_number: 1,
        }
    }
}

/// What is read of the results of a job: of its columns those whose roles are known.
fn schema(job: &JobEntry, times: bool) -> Schema {
    let is_read = |field: &&Field| match field.role {
        Role::Other => false,
        Role::Time => times,
        _ => true,
    };
    let mut fields = vec![Field::SOURCE, Field::LINE, Field::KIND];
    fields.extend(job.fields.iter().filter(is_read));
    Schema { fields, carried: Vec::new(), measured: times, statuses: job.statuses }
}

/// Values that some rows do not have.
#[derive(Debug)]
struct Optional<T> {
    values: Vec<T>,
    given: Vec<bool>,
}

/// The rows of a chunk in columns, used again from chunk to chunk.
#[derive(Debug, Default)]
pub(super) struct ResultsRows {
    sources: Vec<u32>,
    /// Names of the sources, in the order in which they came up.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    lines: Vec<u64>,
    kinds: Vec<u8>,
    statuses: Vec<u8>,
    clues: Optional<u8>,
    guesses: Vec<u64>,
    searched: Vec<bool>,
    times: Vec<u64>,
    puzzles: Optional<Grid>,
    solutions: Optional<Grid>,
    faults: Sparse<Fault>,
}

impl<T> Default for Optional<T> {
    fn default() -> Self {
        Self { values: Vec::new(), given: Vec::new() }
    }
}

impl Optional<u8> {
    fn push(&mut self, value: Option<u8>) {
        self.values.push(value.unwrap_or(0));
        self.given.push(value.is_some());
    }
}

impl Optional<Grid> {
    fn push(&mut self, value: Option<Grid>) {
        self.values.push(value.unwrap_or(Grid::EMPTY));
        self.given.push(value.is_some());
    }
}

impl<T> Optional<T> {
    fn clear(&mut self) {
        self.values.clear();
        self.given.clear();
    }
}

impl ResultsRows {
    fn push_source(&mut self, name: &[u8]) {
        // The source of a row is nearly always that of the row before.
        let number = match self.sources.last() {
            Some(&last) if self.names[last as usize].as_bytes() == name => last,
            _ => {
                let name = String::from_utf8_lossy(name);
                match self.numbers.get(&*name) {
                    Some(&number) => number,
                    None => {
                        let number = u32::try_from(self.names.len()).expect("a chunk has fewer rows");
                        self.numbers.insert(name.clone().into_owned(), number);
                        self.names.push(name.into_owned());
                        number
                    }
                }
            }
        };
        self.sources.push(number);
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.sources.clear();
        self.names.clear();
        self.numbers.clear();
        self.lines.clear();
        self.kinds.clear();
        self.statuses.clear();
        self.clues.clear();
        self.guesses.clear();
        self.searched.clear();
        self.times.clear();
        self.puzzles.clear();
        self.solutions.clear();
        self.faults.clear();
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
fn clues_of(puzzle: Option<&Grid>, said: &[u8]) -> Result<Option<u8>, String> {
    if let Some(puzzle) = puzzle {
        return Ok(u8::try_from(puzzle.clues()).ok());
    }
    match said {
        b"" => Ok(None),
        text => match number(text, "clues")? {
            count @ 0..=81 => Ok(u8::try_from(count).ok()),
            count => Err(format!("{count} clues (expected at most 81)")),
        },
    }
}

/// The grid that 81 digits and dots spell, `None` for an empty field.
fn grid(text: &[u8], column: &str) -> Result<Option<Grid>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let cells = text.as_array::<CELLS>().filter(|cells| {
        // A fold without an early end becomes vector code.
        cells.iter().fold(true, |all, byte| all & matches!(byte, b'.' | b'0'..=b'9'))
    });
    let wrong = || format!("'{}' in column {column} (expected 81 digits and dots)", shown(text));
    cells.and_then(Grid::from_text).map(Some).ok_or_else(wrong)
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

    fn columns(names: &str) -> ResultsColumns {
        ResultsColumns::find(&header(names)).unwrap()
    }

    fn fields(row: &str) -> Vec<&[u8]> {
        row.split(',').map(str::as_bytes).collect()
    }

    /// The rows of one row.
    fn read(columns: &ResultsColumns, row: &str) -> Result<ResultsRows, String> {
        let mut rows = ResultsRows::default();
        columns.read(Some(&fields(row)), fields(row).len(), &mut rows)?;
        Ok(rows)
    }

    #[test]
    fn columns_in_any_order_among_others() {
        let columns = columns("extra,error,solution,puzzle,guesses,clues,status,line,source");
        let rows = read(&columns, &format!("x,line 4: why,{SOLUTION},{PUZZLE},7,99,unique,4,a.txt")).unwrap();
        let page = columns.page(&rows);
        assert_eq!((page.rows, page.statuses()), (1, &[0][..]));
        assert_eq!(page.schema.statuses[0].name, "unique");
        assert!(matches!(page.column(Role::Source), Some(Column::Names([0], [name])) if name == "a.txt"));
        assert!(matches!(page.column(Role::Line), Some(Column::Numbers([4]))));
        assert!(matches!(page.column(Role::Clues), Some(Column::SmallNumbers([32], [true]))));
        assert!(matches!(page.column(Role::Guesses), Some(Column::SomeNumbers([7], [true]))));
        assert!(page.column(Role::Time).is_none());
        let Some(Column::Grids([puzzle], [true])) = page.column(Role::Puzzle) else { panic!("no puzzle") };
        let Some(Column::Grids([solution], [true])) = page.column(Role::Solution) else { panic!("none") };
        assert_eq!((puzzle.to_string().as_str(), solution.to_string().as_str()), (PUZZLE, SOLUTION));
        let Some(Column::Faults(faults)) = page.column(Role::Error) else { panic!("no faults") };
        assert_eq!(faults.get(0).map(ToString::to_string).as_deref(), Some("line 4: why"));
    }

    #[test]
    fn a_bad_row_leaves_nothing_behind() {
        let columns = columns("source,line,status,clues,guesses,puzzle,solution,error");
        let mut rows = ResultsRows::default();
        let good = format!("a,1,unsolvable,32,0,{PUZZLE},,");
        for row in [&good, "b,1,unsolvable,32,x,,,why", &good] {
            let _ = columns.read(Some(&fields(row)), fields(row).len(), &mut rows);
        }
        let page = columns.page(&rows);
        assert_eq!(page.rows, 2);
        for column in &page.columns {
            let length = match *column {
                Column::Numbers(values) => values.len(),
                Column::SomeNumbers(values, given) => values.len().max(given.len()),
                Column::Words(values, _) => values.len(),
                Column::Names(values, names) => {
                    assert_eq!(names, ["a"]);
                    values.len()
                }
                Column::SmallNumbers(values, given) => values.len().max(given.len()),
                Column::Texts(texts) => texts.len(),
                Column::Grids(values, given) => values.len().max(given.len()),
                Column::SomeGrids(values) => values.len(),
                Column::Faults(faults) => faults.len() + 2,
                Column::Counting(_) | Column::Same(_) => 2,
            };
            assert_eq!(length, 2, "{column:?}");
        }
    }

    #[test]
    fn a_header_tells_the_job() {
        for job in JOBS.iter().filter(|job| job.check_row.is_some()) {
            let names: Vec<_> = Field::ORIGIN.iter().chain(job.fields).map(|field| field.name).collect();
            assert_eq!(job_of(&header(&names.join(","))).name, job.name);
            let names: Vec<_> = names.into_iter().filter(|&name| name != Field::TIME.name).collect();
            assert_eq!(job_of(&header(&names.join(","))).name, job.name, "without times");
        }
        assert_eq!(job_of(&[]).name, JOBS[0].name);
    }

    #[test]
    fn missing_columns_are_named() {
        let missing = ResultsColumns::find(&header("id,puzzle,solution,status,kind")).unwrap_err();
        assert_eq!(missing, ["source", "line", "clues", "guesses", "error"]);
    }

    #[test]
    fn what_is_wrong_with_a_row() {
        let columns = columns("source,line,kind,status,clues,guesses,time_ns,puzzle,solution,error");
        let good = format!("a,1,sudoku,unique,32,0,5,{PUZZLE},{SOLUTION},");
        assert!(read(&columns, &good).is_ok());
        for (from, to, expected) in [
            ("a,", "", "9 fields (expected 10)"),
            ("unique", "uniqe", "unknown status 'uniqe'"),
            ("sudoku", "kakuro", "unknown kind 'kakuro'"),
            (",0,5", ",-1,5", "'-1' in column guesses (expected a whole number)"),
            (",0,5", ",,", "status unique without guesses"),
            (",0,5", ",0,", "'' in column time_ns (expected a whole number)"),
            (
                ",0,5",
                ",0,18446744073709551616",
                "'18446744073709551616' in column time_ns (expected a whole number)",
            ),
            ("..3.2", "..3", "'..3.6..9..3.5..1..18.64....' in column puzzle (expected 81 digits and dots)"),
            // Elsewhere a blank, but never in results.
            (
                "..3.2",
                "*.3.2",
                "'*.3.2.6..9..3.5..1..18.6...' in column puzzle (expected 81 digits and dots)",
            ),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_eq!(read(&columns, &bad).unwrap_err(), expected);
        }
        let unclosed = columns.read(None, 0, &mut ResultsRows::default());
        assert_eq!(unclosed.unwrap_err(), "a quote that is not closed");
    }

    #[test]
    fn clues_are_those_of_the_puzzle() {
        let columns = columns("source,line,status,clues,guesses,puzzle,solution,error");
        let clues = |row: &str| {
            let rows = read(&columns, row)?;
            Ok::<_, String>(rows.clues.given[0].then_some(rows.clues.values[0]))
        };
        assert_eq!(clues(&format!("a,1,unsolvable,17,0,{PUZZLE},,")), Ok(Some(32)));
        assert_eq!(clues("a,1,unsolvable,17,0,,,"), Ok(Some(17)));
        assert_eq!(clues("a,1,invalid,,0,,,"), Ok(None));
        assert_eq!(clues("a,1,unsolvable,82,0,,,"), Err("82 clues (expected at most 81)".to_owned()));
    }

    /// A grid like `SOLUTION`, with two digits exchanged in a row: no solution of anything.
    fn wrong_solution() -> String {
        SOLUTION.replacen("483", "843", 1)
    }

    /// PROMISE: results-consistent
    #[test]
    fn an_answer_has_what_its_status_promises() {
        let columns = columns("source,line,status,solutions,clues,guesses,puzzle,solution,error");
        let status = |status: &str, solutions: u64, puzzle: &str, solution: &str| {
            let rows = read(&columns, &format!("a,1,{status},{solutions},32,0,{puzzle},{solution},"))?;
            Ok::<_, String>(columns.statuses()[usize::from(rows.statuses[0])].name)
        };
        for (name, solutions) in [("unique", 1), ("multiple", 2), ("solved", 1)] {
            assert_eq!(status(name, solutions, PUZZLE, SOLUTION), Ok(name));
            for (puzzle, solution, expected) in [
                ("", SOLUTION, "without a puzzle"),
                (PUZZLE, "", "without a solution"),
                (PUZZLE, PUZZLE, "with blanks in a solution"),
                (PUZZLE, &*wrong_solution(), "with a solution that does not solve the puzzle"),
            ] {
                let reason = status(name, solutions, puzzle, solution).unwrap_err();
                assert_eq!(reason, format!("status {name} {expected}"));
            }
        }
        for (name, solutions) in [("unique", 2), ("multiple", 1), ("solved", 0)] {
            let reason = status(name, solutions, PUZZLE, SOLUTION).unwrap_err();
            assert_eq!(reason, format!("status {name} with {solutions} in column solutions"));
        }
        for name in ["unsolvable", "unfinished", "invalid"] {
            assert!(status(name, 0, PUZZLE, "").is_ok(), "{name}");
            let reason = status(name, 0, PUZZLE, SOLUTION).unwrap_err();
            assert_eq!(reason, format!("status {name} with a solution"));
        }
        assert!(status("unfinished", 1, PUZZLE, "").is_ok(), "one was found, and the others not looked for");
        for name in ["unsolvable", "invalid"] {
            let reason = status(name, 1, PUZZLE, "").unwrap_err();
            assert_eq!(reason, format!("status {name} with 1 in column solutions"));
        }
    }

    /// PROMISE: results-consistent
    #[test]
    fn a_verified_row_has_what_its_status_promises() {
        let columns = columns("source,line,status,clues,guesses,time_ns,puzzle,solution,other,error");
        // Without clues, so that two grids solve it.
        let open = ".".repeat(81);
        let renamed: String = SOLUTION
            .chars()
            .map(|digit| if digit == '9' { '1' } else { char::from(digit as u8 + 1) })
            .collect();
        let wrong = wrong_solution();
        let check = |status: &str, costs: &str, solution: &str, other: &str, error: &str| {
            read(&columns, &format!("a,1,{status},0,{costs},{open},{solution},{other},{error}")).map(|_| ())
        };
        for (status, costs, solution, other, error) in [
            ("correct", "0,5", SOLUTION, "", ""),
            ("correct", ",", SOLUTION, "", ""),
            ("not-unique", "0,5", SOLUTION, &*renamed, ""),
            ("wrong", "0,5", &*wrong, "", "why"),
            ("wrong", ",", "", "", "why"),
            ("missing", ",", "", "", ""),
            ("unsolvable", "0,5", &*wrong, "", ""),
            ("unfinished", "0,5", SOLUTION, "", ""),
            ("invalid", ",", SOLUTION, "", "why"),
        ] {
            assert_eq!(check(status, costs, solution, other, error), Ok(()), "{status}");
        }
        for (status, costs, solution, other, error, expected) in [
            ("correct", "0,5", "", "", "", "without a solution"),
            ("correct", "0,5", &*open, "", "", "with blanks in a solution"),
            ("correct", "0,5", &*wrong, "", "", "with a solution that does not solve the puzzle"),
            ("correct", "0,5", SOLUTION, &*renamed, "", "with another solution"),
            ("correct", "0,5", SOLUTION, "", "why", "with a reason against it"),
            ("correct", ",5", SOLUTION, "", "", "with a time and no guesses"),
            ("wrong", "0,5", &*wrong, &*renamed, "why", "with another solution"),
            ("wrong", "0,5", &*wrong, "", "", "without a reason"),
            ("missing", ",", SOLUTION, "", "", "with a solution"),
            ("not-unique", "0,5", SOLUTION, "", "", "without another solution"),
            ("not-unique", "0,5", SOLUTION, SOLUTION, "", "with the same solution twice"),
            ("not-unique", "0,5", SOLUTION, &*open, "", "with blanks in another solution"),
            ("not-unique", ",", SOLUTION, &*renamed, "", "without a search"),
            ("unsolvable", ",", SOLUTION, "", "", "without a search"),
            ("unfinished", "0,5", "", "", "", "without a solution"),
        ] {
            let reason = check(status, costs, solution, other, error).unwrap_err();
            assert_eq!(reason, format!("status {status} {expected}"));
        }
    }

    #[test]
    fn a_status_of_another_job_says_what_is_missing() {
        let columns = columns("source,line,status,clues,guesses,puzzle,solution,error");
        let reason = read(&columns, &format!("a,1,correct,32,0,{PUZZLE},{SOLUTION},")).unwrap_err();
        assert_eq!(reason, "status 'correct' of verify (expected its columns: other)");
    }

    #[test]
    fn numbers_that_nobody_can_have_measured_are_refused() {
        let columns = columns("source,line,status,clues,guesses,time_ns,puzzle,solution,error");
        let guesses = |guesses: u64, time: u64| {
            read(&columns, &format!("a,1,unsolvable,,{guesses},{time},,,")).map(|rows| rows.guesses[0])
        };
        assert_eq!(guesses(MOST_GUESSES, LONGEST_NS), Ok(MOST_GUESSES));
        assert_eq!(
            guesses(u64::MAX, 1).unwrap_err(),
            "18446744073709551615 in column guesses (expected at most 1000000000000)"
        );
        assert_eq!(
            guesses(1, LONGEST_NS + 1).unwrap_err(),
            "604800000000001 in column time_ns (expected at most 604800000000000)"
        );
    }
}
