//! Recall: rows of results read back, whatever format they are in.
//!
//! The columns are found by the names that the jobs give them, in any order and among any others, and come as texts that are
//! carried along. A row that is not as it should be, or contradicts itself, is told as such and costs no other row.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Answered, JOBS, Job, JobEntry, ReadRow};
use crate::input::Batch;
use crate::record::{
    Class, Fault, FaultKind, Field, Place, PuzzleKind, Records, Role, Schema, Sparse, Table, Texts, Type,
    Word,
};
use crate::sudoku::{CELLS, Grid};

/// Columns without which rows are no results.
const NEEDED: [&str; 8] = ["source", "line", "status", "clues", "guesses", "puzzle", "solution", "error"];

/// Columns that results may have besides.
const OTHERS: [&str; 4] = ["kind", "solutions", "other", "time_ns"];

/// What takes longer or more guesses was not measured but made up: nobody waits longer than a week for a puzzle.
/// It also keeps the histograms within what they can tell apart.
const LONGEST_NS: u64 = 7 * 24 * 3_600_000_000_000;
const MOST_GUESSES: u64 = 1_000_000_000_000;

/// What is wrong with a row as such; any other fault is one of its puzzle, which is read here.
const UNREADABLE: [FaultKind; 7] = [
    FaultKind::LineTooLong,
    FaultKind::OpenQuote,
    FaultKind::FieldCount,
    FaultKind::NoJson,
    FaultKind::BrokenJson,
    FaultKind::OpenBracket,
    FaultKind::CutOffDocument,
];

/// Reads back the rows of one file of results.
///
/// The rows that are good come first, in order. Behind them there is one for each that could not be read, and why is said
/// in a last column of faults, from its start.
#[derive(Debug)]
pub struct Recall {
    job: &'static JobEntry,
    /// Which of [`OTHERS`] there are.
    others: [bool; OTHERS.len()],
    schema: Schema,
}

/// The job that wrote columns of those names: that of whose columns the fewest are missing, the first among equals. Jobs
/// without the columns that are needed are none of those in question.
fn job_of(names: &[String]) -> &'static JobEntry {
    let missing = |job: &&JobEntry| {
        job.fields.iter().filter(|field| names.iter().all(|column| column != field.name)).count()
    };
    let is_read = |job: &&JobEntry| {
        let has = |name: &str| Field::ORIGIN.iter().chain(job.fields).any(|field| field.name == name);
        job.check_row.is_some() && NEEDED.into_iter().all(has)
    };
    JOBS.iter().filter(is_read).min_by_key(missing).expect("there is solve")
}

/// The texts of the columns of a row: first those of [`NEEDED`], then those of [`OTHERS`].
type RowTexts<'a> = [&'a [u8]; NEEDED.len() + OTHERS.len()];

impl Recall {
    /// The job for results with columns of those names, and which of them are to be carried along; otherwise those that
    /// are missing.
    ///
    /// # Errors
    ///
    /// When a column is missing without which rows are no results.
    pub fn find(names: &[String]) -> Result<(Self, Vec<Option<usize>>), Vec<&'static str>> {
        let place = |name: &str| names.iter().position(|column| column == name);
        let missing: Vec<_> = NEEDED.into_iter().filter(|name| place(name).is_none()).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let job = job_of(names);
        let others = OTHERS.map(|name| place(name).is_some());
        let [.., has_times] = others;
        let carried = NEEDED.into_iter().chain(OTHERS).map(place).collect();
        Ok((Self { job, others, schema: schema(job, has_times) }, carried))
    }

    /// The words of the statuses.
    #[must_use]
    pub const fn statuses(&self) -> &'static [Word] {
        self.job.statuses
    }

    /// Takes what a row says; otherwise what is wrong with it.
    fn read(&self, texts: &RowTexts<'_>, rows: &mut ResultsRows) -> Result<(), String> {
        let [source, line, status, clues, guesses, puzzle, solution, error, kind, solutions, other, time] =
            *texts;
        let [has_kind, has_solutions, _, has_times] = self.others;
        let status = self
            .statuses()
            .iter()
            .position(|known| known.name.as_bytes() == status)
            .ok_or_else(|| self.unknown_status(status))?;
        let kind = if has_kind {
            PuzzleKind::from_word(kind).ok_or_else(|| format!("unknown kind '{}'", shown(kind)))?
        } else {
            PuzzleKind::Sudoku
        };
        let puzzle = grid(puzzle, "puzzle")?;
        let solution = grid(solution, "solution")?;
        let solutions = has_solutions.then(|| number(solutions, "solutions")).transpose()?;
        let other = grid(other, "other")?;
        let line = number(line, "line")?;
        let clues = clues_of(puzzle.as_ref(), clues)?;
        // A row that no search was made for has neither guesses nor a time.
        let searched = !guesses.is_empty();
        let guesses = if searched { at_most(MOST_GUESSES, guesses, "guesses")? } else { 0 };
        let time_ns = match time {
            _ if !has_times => None,
            b"" if !searched => Some(0),
            _ if !searched => {
                return Err(format!("status {} with a time and no guesses", self.statuses()[status].name));
            }
            time => Some(at_most(LONGEST_NS, time, "time_ns")?),
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
        rows.clues.push(clues.unwrap_or(0));
        rows.has_clues.push(clues.is_some());
        rows.guesses.push(guesses);
        rows.searched.push(searched);
        rows.times.extend(time_ns);
        rows.puzzles.push(puzzle.unwrap_or(Grid::EMPTY));
        rows.has_puzzle.push(puzzle.is_some());
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
}

impl Job for Recall {
    type Worker = ResultsRows;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, _: Arc<AtomicBool>) -> ResultsRows {
        ResultsRows::default()
    }

    fn answer(&self, rows: &mut ResultsRows, _: &Batch, records: &Records, table: &mut Table) -> Answered {
        rows.clear();
        let columns: &[Texts; NEEDED.len() + OTHERS.len()] =
            records.carried.as_array().expect("all columns were asked for");
        for row in 0..records.len() {
            let fault = records.faults().get(row).filter(|fault| UNREADABLE.contains(&fault.kind));
            let bad = match fault {
                Some(fault) => Err(Fault { place: None, ..fault.clone() }),
                None => {
                    let texts = std::array::from_fn(|at| columns[at].get(row).unwrap_or_default());
                    self.read(&texts, rows).map_err(|reason| Fault::parse(&reason))
                }
            };
            if let Err(fault) = bad {
                rows.bad.push(rows.bad.len(), fault.at(Place { line: records.lines()[row], column: 1 }));
            }
        }
        rows.pad(records.len());
        rows.copy_to(table);
        Answered::a_row_each(records.len(), records)
    }
}

const SOLUTION: Field = Field::result("solution", Type::Grid, "the solution, found or claimed");
const BAD: Field = Field::result("bad", Type::Fault, "why the row could not be read");

/// What is read of the results of a job: of its columns those whose roles are known. Where in the file a row stands is
/// nobody's business.
fn schema(job: &JobEntry, measured: bool) -> Schema {
    let is_read = |field: &&Field| match field.role {
        Role::Other => false,
        Role::Time => measured,
        _ => true,
    };
    let unseen = |field: Field| match field.role {
        Role::Id => field,
        _ => field.with_role(Role::Other).with_class(Class::Internal),
    };
    let read = [Field::SOURCE, Field::LINE, Field::KIND].into_iter();
    let read = read.chain(job.fields.iter().filter(is_read).copied());
    let fields = Field::ORIGIN.map(unseen).into_iter().chain(read).chain([BAD]).collect();
    Schema { fields, carried: Vec::new(), measured, statuses: job.statuses }
}

/// The rows of a batch in columns.
#[derive(Debug, Default)]
pub struct ResultsRows {
    sources: Vec<u32>,
    /// Names of the sources, in the order in which they came up.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    lines: Vec<u64>,
    kinds: Vec<u8>,
    statuses: Vec<u8>,
    clues: Vec<u8>,
    has_clues: Vec<bool>,
    guesses: Vec<u64>,
    searched: Vec<bool>,
    times: Vec<u64>,
    puzzles: Vec<Grid>,
    has_puzzle: Vec<bool>,
    solutions: Vec<Option<Grid>>,
    faults: Sparse<Fault>,
    /// What is wrong with those that could not be read, at the start of theirs.
    bad: Sparse<Fault>,
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
                        let number = u32::try_from(self.names.len()).expect("a batch has fewer rows");
                        self.numbers.insert(name.clone().into_owned(), number);
                        self.names.push(name.into_owned());
                        number
                    }
                }
            }
        };
        self.sources.push(number);
    }

    fn copy_to(&self, table: &mut Table) {
        table.rows(self.statuses.iter().copied());
        table.set_names(&Field::SOURCE, &self.sources, &self.names);
        table.take_numbers(&Field::LINE, &mut self.lines.clone(), None);
        table.take_numbers(&Field::GUESSES, &mut self.guesses.clone(), Some(&self.searched));
        table.take_numbers(&Field::TIME, &mut self.times.clone(), Some(&self.searched));
        table.take_grids(&SOLUTION, &mut self.solutions.clone());
        for at in 0..self.statuses.len() {
            let mut row = table.row_at(at);
            row.word(&Field::KIND, self.kinds[at], &PuzzleKind::WORDS);
            if self.has_clues[at] {
                row.small(&Field::CLUES, self.clues[at]);
            }
            row.grid(&Field::PUZZLE, self.has_puzzle[at].then(|| &self.puzzles[at]));
            row.error(self.faults.get(at).cloned()).fault(&BAD, self.bad.get(at).cloned());
        }
    }

    /// Forgets all rows.
    fn clear(&mut self) {
        self.names.clear();
        self.numbers.clear();
        self.faults.clear();
        self.bad.clear();
        self.pad(0);
    }

    /// Makes them so many rows: those that are added say nothing.
    fn pad(&mut self, rows: usize) {
        self.sources.resize(rows, 0);
        self.lines.resize(rows, 0);
        self.kinds.resize(rows, 0);
        self.statuses.resize(rows, 0);
        self.clues.resize(rows, 0);
        self.has_clues.resize(rows, false);
        self.guesses.resize(rows, 0);
        self.searched.resize(rows, false);
        self.times.resize(rows, 0);
        self.puzzles.resize(rows, Grid::EMPTY);
        self.has_puzzle.resize(rows, false);
        self.solutions.resize(rows, None);
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

/// The number of clues: that of the row, which must be right, or else that of the puzzle.
fn clues_of(puzzle: Option<&Grid>, text: &[u8]) -> Result<Option<u8>, String> {
    let counted = puzzle.map(|puzzle| puzzle.clues() as u64);
    let clues = if text.is_empty() { counted } else { Some(number(text, "clues")?) };
    match (clues, counted) {
        (Some(clues), Some(counted)) if clues != counted => {
            Err(format!("{clues} in column clues of a puzzle of {counted}"))
        }
        (Some(clues @ 82..), None) => Err(format!("{clues} in column clues (expected at most 81)")),
        (clues, _) => Ok(clues.map(|clues| clues as u8)),
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
pub(crate) mod testing {
    use super::*;
    use crate::input::{ReadOptions, Source};
    use crate::jobs::solve;
    use crate::record::{Column, Page, Want};

    /// What panics on every row that is unfinished.
    static TRAP: JobEntry = JobEntry {
        check_row: Some(|row| {
            assert!(solve::STATUSES[usize::from(row.status)].name != "unfinished", "a trap");
            (solve::ENTRY.check_row.expect("it is read back"))(row)
        }),
        ..solve::ENTRY
    };

    impl Recall {
        /// The same job, which panics on every row that is unfinished.
        pub(crate) fn with_trap(self) -> Self {
            Self { job: &TRAP, ..self }
        }
    }

    /// Shows the rows of results of a text, all in one page.
    pub(crate) fn with_page<T>(text: &str, see: impl FnOnce(&Page<'_>, &ResultsRows) -> T) -> T {
        let options = ReadOptions { results: true, ..ReadOptions::default() };
        let text = std::io::Cursor::new(text.to_owned());
        let mut source = Source::from_reader("r.csv", text, &options).unwrap();
        let (recall, carried) = Recall::find(&source.columns().names).unwrap();
        source.carry(&carried);
        let batch = source.next_batch(Vec::new(), usize::MAX >> 2).unwrap().unwrap();
        let (mut records, mut rows) = (Records::default(), ResultsRows::default());
        let mut table = Table::new(&recall.schema);
        batch.read(Want::default(), &mut records);
        assert_eq!(recall.answer(&mut rows, &batch, &records, &mut table).rows, records.len());
        table.finish(&records);
        let mut columns = vec![
            Column::Counting(1),
            Column::Same("r.csv"),
            Column::Numbers(records.lines()),
            Column::Words(records.kinds(), &PuzzleKind::WORDS),
        ];
        columns.extend(table.columns(&records));
        let page = Page::new(&recall.schema, columns, records.len());
        see(&page, &rows)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::with_page;
    use super::*;
    use crate::jobs::solve;
    use crate::record::Column;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    fn names(names: &str) -> Vec<String> {
        names.split(',').map(str::to_owned).collect()
    }

    /// What `see` sees of a row; or else what is wrong with it.
    fn read<T>(names: &str, row: &str, see: impl FnOnce(&ResultsRows) -> T) -> Result<T, String> {
        with_page(&format!("{names}\n{row}\n"), |_, rows| match rows.bad.get(0) {
            Some(fault) => {
                assert_eq!(fault.place, Some(Place { line: 2, column: 1 }));
                Err(Fault { place: None, ..fault.clone() }.to_string())
            }
            None => Ok(see(rows)),
        })
    }

    #[test]
    fn columns_in_any_order_among_others() {
        let text = format!(
            "extra,error,solution,puzzle,guesses,clues,status,line,source\n\
             x,line 4: why,{SOLUTION},{PUZZLE},7,32,unique,4,a.txt"
        );
        with_page(&text, |page, _| {
            assert_eq!((page.rows, page.statuses()), (1, &[0][..]));
            assert_eq!(page.schema.statuses[0].name, "unique");
            assert!(matches!(page.column(Role::Source), Some(Column::Names([0], [name])) if name == "a.txt"));
            assert!(matches!(page.column(Role::Line), Some(Column::Numbers([4]))));
            assert!(matches!(page.column(Role::Clues), Some(Column::SmallNumbers([32], [true]))));
            assert_eq!(page.numbers(Role::Guesses).get(0), Some(7));
            assert!(page.column(Role::Time).is_none());
            let Some(Column::Grids([puzzle], [true])) = page.column(Role::Puzzle) else { panic!("none") };
            let Some(Column::SomeGrids([Some(solution)])) = page.column(Role::Solution) else {
                panic!("none")
            };
            assert_eq!((puzzle.to_string().as_str(), solution.to_string().as_str()), (PUZZLE, SOLUTION));
            let Some(Column::Faults(faults)) = page.column(Role::Error) else { panic!("no faults") };
            assert_eq!(faults.get(0).map(ToString::to_string).as_deref(), Some("line 4: why"));
        });
    }

    #[test]
    fn a_bad_row_leaves_nothing_behind() {
        let good = format!("a,1,unsolvable,32,0,{PUZZLE},,\n");
        let text = format!(
            "source,line,status,clues,guesses,puzzle,solution,error\n{good}b,1,unsolvable,32,x,,,why\n{good}"
        );
        with_page(&text, |page, rows| {
            assert_eq!((page.rows, rows.bad.len()), (3, 1));
            assert!(
                matches!(page.column(Role::Source), Some(Column::Names([0, 0, _], [name])) if name == "a")
            );
            assert!(matches!(page.column(Role::Line), Some(Column::Numbers([1, 1, _]))));
            assert!(matches!(page.column(Role::Clues), Some(Column::SmallNumbers([32, 32, _], _))));
            assert!(matches!(page.column(Role::Guesses), Some(Column::SomeNumbers(_, [true, true, _]))));
            assert!(matches!(page.column(Role::Error), Some(Column::Faults(faults)) if faults.is_empty()));
        });
    }

    #[test]
    fn a_header_tells_the_job() {
        for job in JOBS.iter().filter(|job| job.check_row.is_some()) {
            let fields = Field::ORIGIN.iter().chain(job.fields);
            let mut names: Vec<_> = fields.map(|field| field.name.to_owned()).collect();
            assert_eq!(job_of(&names).name, job.name);
            names.retain(|name| name != Field::TIME.name);
            assert_eq!(job_of(&names).name, job.name, "without times");
        }
        assert_eq!(job_of(&[]).name, JOBS[0].name);
    }

    #[test]
    fn missing_columns_are_named() {
        let missing = Recall::find(&names("id,puzzle,solution,status,kind")).unwrap_err();
        assert_eq!(missing, ["source", "line", "clues", "guesses", "error"]);
    }

    #[test]
    fn what_is_wrong_with_a_row() {
        let columns = "source,line,kind,status,clues,guesses,time_ns,puzzle,solution,error";
        let good = format!("a,1,sudoku,unique,32,0,5,{PUZZLE},{SOLUTION},");
        assert!(read(columns, &good, |_| ()).is_ok());
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
            assert_eq!(read(columns, &bad, |_| ()).unwrap_err(), expected);
        }
        let unclosed = format!("\"{good}");
        let expected = "quote that is not closed (expected a closing \")";
        assert_eq!(read(columns, &unclosed, |_| ()).unwrap_err(), expected);
    }

    /// PROMISE: results-consistent
    #[test]
    fn clues_are_those_of_the_puzzle() {
        let columns = "source,line,status,clues,guesses,puzzle,solution,error";
        let clues = |row: &str| read(columns, row, |rows| rows.has_clues[0].then_some(rows.clues[0]));
        for (text, expected) in [
            ("32", Ok(Some(32))),
            ("", Ok(Some(32))),
            ("31", Err("31 in column clues of a puzzle of 32")),
            ("200", Err("200 in column clues of a puzzle of 32")),
        ] {
            let found = clues(&format!("a,1,unsolvable,{text},0,{PUZZLE},,"));
            assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|error| *error));
        }
        assert_eq!(clues("a,1,unsolvable,17,0,,,"), Ok(Some(17)));
        assert_eq!(clues("a,1,invalid,,0,,,"), Ok(None));
        assert_eq!(
            clues("a,1,unsolvable,82,0,,,"),
            Err("82 in column clues (expected at most 81)".to_owned())
        );
    }

    /// A grid like `SOLUTION`, with two digits exchanged in a row: no solution of anything.
    fn wrong_solution() -> String {
        SOLUTION.replacen("483", "843", 1)
    }

    /// PROMISE: results-consistent
    #[test]
    fn an_answer_has_what_its_status_promises() {
        let columns = "source,line,status,solutions,clues,guesses,puzzle,solution,error";
        let status = |status: &str, solutions: u64, puzzle: &str, solution: &str| {
            let row = format!("a,1,{status},{solutions},32,0,{puzzle},{solution},");
            read(columns, &row, |rows| solve::STATUSES[usize::from(rows.statuses[0])].name)
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
        let columns = "source,line,status,clues,guesses,time_ns,puzzle,solution,other,error";
        // Without clues, so that two grids solve it.
        let open = ".".repeat(81);
        let renamed: String = SOLUTION
            .chars()
            .map(|digit| if digit == '9' { '1' } else { char::from(digit as u8 + 1) })
            .collect();
        let wrong = wrong_solution();
        let check = |status: &str, costs: &str, solution: &str, other: &str, error: &str| {
            read(columns, &format!("a,1,{status},0,{costs},{open},{solution},{other},{error}"), |_| ())
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
        let columns = "source,line,status,clues,guesses,puzzle,solution,error";
        let reason = read(columns, &format!("a,1,correct,32,0,{PUZZLE},{SOLUTION},"), |_| ()).unwrap_err();
        assert_eq!(reason, "status 'correct' of verify (expected its columns: other)");
    }

    #[test]
    fn numbers_that_nobody_can_have_measured_are_refused() {
        let columns = "source,line,status,clues,guesses,time_ns,puzzle,solution,error";
        let guesses = |guesses: u64, time: u64| {
            read(columns, &format!("a,1,unsolvable,,{guesses},{time},,,"), |rows| rows.guesses[0])
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
