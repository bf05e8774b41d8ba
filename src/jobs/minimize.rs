//! Minimize: drops redundant clues from every puzzle with one solution, or just finds them.
//!
//! First, [`Solve`] finds the puzzles in a batch that have one solution. The clues of all these puzzles are then tried
//! in parallel. Only the seed and the puzzle decide which clues are dropped. With `--all`, the minimal puzzles within
//! a puzzle are written as they are found. So even a full grid, which contains about 10^15 of them, needs no extra
//! memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::solve::{self, Solve, SolveWorker, Unsolved};
use super::{INTERNAL_ERROR, INVALID, Job, JobEntry, ReadBatch, SearchOptions, Then, grid_hash};
use crate::generate::{AllMinimal, Reducer};
use crate::record::{Field, Label, Records, Role, Row, Schema, Severity, Table, Type};
use crate::solver::{Backend, Limits, Wanted};
use crate::sudoku::random::spread;
use crate::sudoku::{CellSet, Grid, cell_name};

/// The maximum number of rows on a page, kept low because each row takes several searches.
const MOST_ROWS: usize = 1 << 10;

statuses! {
    Minimal = Label::unsearched("minimal", "no clue can be removed", Severity::Answered),
    Minimized =
        Label::unsearched("minimized", "clues were removed; the row gives a minimal puzzle", Severity::Answered),
    Redundant = Label::unsearched("redundant", "some clues can be removed (--check)", Severity::Unanswered),
    Multiple =
        Label::unsearched("multiple", "several solutions, so no clue can be removed", Severity::Unanswered),
    Unsolvable = Label::unsearched(
        "unsolvable",
        "no solution, so no clue can be removed",
        Severity::Unanswered,
    ),
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

statuses_of_search!(Multiple, Unsolvable, Invalid);

// `-O lines` writes only the minimal puzzles.
const PUZZLE: Field = Field { role: Role::Other, ..Field::PUZZLE };
const NUMBER: Field = Field::result(
    "n",
    Type::Number,
    "number of the minimal puzzle within the record, from 1 (--all); 0 if there is none",
);
const MINIMAL: Field = Field::result(
    "minimal",
    Type::Grid,
    "a minimal puzzle contained in the puzzle: 81 characters, . for a blank",
)
.with_role(Role::Solution);
const CLUES: Field = Field::result(
    "clues",
    Type::Number,
    "number of clues in the minimal puzzle, or in the puzzle if there is none",
);
const DROPPED: Field =
    Field::result("dropped", Type::Text, "the cells whose clues were removed, such as A1 D7");
const REDUNDANT: Field = Field::result(
    "redundant",
    Type::Text,
    "the cells with redundant clues (--check): any one of these clues can be removed if all other clues stay",
);

/// The columns that follow the origin columns; each [`Goal`] uses some of them.
const FIELDS: &[Field] = &[Field::STATUS, PUZZLE, NUMBER, MINIMAL, CLUES, DROPPED, REDUNDANT, Field::ERROR];

/// The job's entry in the list of jobs.
pub const ENTRY: JobEntry =
    JobEntry { name: "minimize", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// The result to find for each puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// One minimal puzzle within the puzzle, drawn using a seed.
    One {
        /// The seed.
        seed: u64,
    },
    /// The minimal puzzles within the puzzle, up to a limit.
    All {
        /// The maximum number of puzzles.
        limit: u64,
    },
    /// The redundant clues.
    Check,
}

impl Goal {
    /// Whether the rows have this column.
    fn has(self, name: &str) -> bool {
        match name {
            _ if name == NUMBER.name => matches!(self, Self::All { .. }),
            _ if name == MINIMAL.name || name == DROPPED.name => self != Self::Check,
            _ if name == REDUNDANT.name => self == Self::Check,
            _ => true,
        }
    }
}

/// The job that drops or finds the redundant clues in every puzzle.
#[derive(Debug)]
pub struct Minimize {
    goal: Goal,
    backend: Backend,
    solve: Solve,
    schema: Schema,
}

impl Minimize {
    /// Creates a job that pursues this goal and searches with this backend.
    #[must_use]
    pub fn new(goal: Goal, backend: Backend) -> Self {
        let search = SearchOptions { backend, limits: Limits::default().with_wanted(Wanted::Any) };
        let mut schema = Schema::new(FIELDS, STATUSES, false);
        schema.fields.retain(|field| goal.has(field.name));
        let solve = Solve::new(search, false).sudokus_only(|_| "which cannot be minimized".to_owned());
        Self { goal, backend, solve, schema }
    }

    /// Drops or finds the redundant clues of all records in parallel.
    fn answer_together(&self, worker: &mut MinimizeWorker, records: &Records, table: &mut Table) -> Then {
        let MinimizeWorker { solve, reducer, stop, solved_rows, .. } = worker;
        let puzzles = &records.puzzles()[..*solved_rows];
        let found: Vec<_> = (0..*solved_rows).map(|record| solve.solved.only_solution(record)).collect();
        let solutions: Vec<_> = found.iter().map(|found| found.as_ref().ok().map(|grid| **grid)).collect();
        let (minimal, redundant) = if let Goal::One { seed } = self.goal {
            let seed = spread(seed);
            let mut minimal = puzzles.to_vec();
            let rng_of =
                |record| Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(grid_hash(&puzzles[record])));
            reducer.minimize(&mut minimal, &solutions, rng_of);
            (minimal, Vec::new())
        } else {
            (Vec::new(), reducer.redundant(puzzles, &solutions))
        };
        // The results of a stopped search are not valid.
        if stop.load(Ordering::Relaxed) {
            return Then::after(0, records);
        }
        for (record, found) in found.into_iter().enumerate() {
            match (found, minimal.get(record)) {
                (Err(why), _) => self.push_unsolved(table, records, record, why),
                (Ok(_), Some(minimal)) => self.push_minimal(table, records, record, 0, minimal),
                (Ok(_), None) => {
                    let redundant = redundant[record].unwrap_or_default();
                    let status = if redundant.is_empty() { Status::Minimal } else { Status::Redundant };
                    let mut row = self.row(table, records, record, status);
                    row.text_with(&REDUNDANT, |text| push_cells(redundant, text));
                }
            }
        }
        Then::after(*solved_rows, records)
    }

    /// Lists the next page of minimal puzzles.
    fn list(&self, limit: u64, worker: &mut MinimizeWorker, records: &Records, table: &mut Table) -> Then {
        let MinimizeWorker { solve, reducer, stop, solved_rows, next, open } = worker;
        while *next < *solved_rows {
            if table.len() == MOST_ROWS {
                return Then::More;
            }
            let solution = match solve.solved.only_solution(*next) {
                Ok(solution) => solution,
                Err(why) => {
                    self.push_unsolved(table, records, *next, why);
                    *next += 1;
                    continue;
                }
            };
            let (all, number) =
                open.get_or_insert_with(|| (AllMinimal::new(&records.puzzles()[*next], solution), 0));
            let minimal = if *number < limit { all.next(reducer) } else { None };
            // The results of a stopped search are not valid.
            if stop.load(Ordering::Relaxed) {
                return Then::Stopped;
            }
            if let Some(minimal) = minimal {
                *number += 1;
                self.push_minimal(table, records, *next, *number, &minimal);
            } else {
                (*next, *open) = (*next + 1, None);
            }
        }
        Then::after(*solved_rows, records)
    }

    /// Adds the row for a minimal puzzle within a record.
    fn push_minimal(&self, table: &mut Table, records: &Records, record: usize, number: u64, minimal: &Grid) {
        let dropped = records.puzzles()[record].clue_cells() & !minimal.clue_cells();
        let status = if dropped.is_empty() { Status::Minimal } else { Status::Minimized };
        let mut row = self.row(table, records, record, status);
        row.number(&NUMBER, number).grid(&MINIMAL, Some(minimal)).number(&CLUES, minimal.clues().into());
        row.text_with(&DROPPED, |text| push_cells(dropped, text));
    }

    /// Adds the row for a record that does not have exactly one solution.
    #[cold]
    fn push_unsolved(&self, table: &mut Table, records: &Records, record: usize, (status, fault): Unsolved) {
        self.row(table, records, record, status.into()).number(&NUMBER, 0).error(fault);
    }

    /// Adds a row for a record, with its puzzle and the number of clues.
    fn row<'a>(&self, table: &'a mut Table, records: &Records, record: usize, status: Status) -> Row<'a> {
        let mut row = if self.has_many_rows() { table.row_of(record, status) } else { table.row(status) };
        if let Some(puzzle) = records.puzzle(record) {
            row.number(&CLUES, puzzle.clues().into());
        }
        row.grid(&PUZZLE, records.puzzle(record));
        row
    }
}

/// Appends the names of these cells to the text.
fn push_cells(cells: CellSet, text: &mut Vec<u8>) {
    for (i, cell) in cells.iter().enumerate() {
        text.extend((i > 0).then_some(b' '));
        text.extend_from_slice(cell_name(cell).as_bytes());
    }
}

/// The state of one thread.
pub struct MinimizeWorker {
    solve: SolveWorker,
    reducer: Reducer,
    stop: Arc<AtomicBool>,
    /// The number of records that precede the first one whose search was stopped.
    solved_rows: usize,
    /// The next record to list. If listing has started, also its remaining minimal puzzles and the number listed so
    /// far.
    next: usize,
    open: Option<(AllMinimal, u64)>,
}

impl Job for Minimize {
    type Worker = MinimizeWorker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> MinimizeWorker {
        let mut reducer = Reducer::new(self.backend);
        reducer.stop_on(Arc::clone(&stop));
        let solve = self.solve.worker(Arc::clone(&stop));
        MinimizeWorker { solve, reducer, stop, solved_rows: 0, next: 0, open: None }
    }

    fn begin(&self, worker: &mut MinimizeWorker, read: ReadBatch<'_>, table: &mut Table) {
        worker.solved_rows = self.solve.search(&mut worker.solve, read, table);
        (worker.next, worker.open) = (0, None);
    }

    fn answer(&self, worker: &mut MinimizeWorker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        match self.goal {
            Goal::All { limit } => self.list(limit, worker, read.records, table),
            Goal::One { .. } | Goal::Check => self.answer_together(worker, read.records, table),
        }
    }

    fn has_many_rows(&self) -> bool {
        matches!(self.goal, Goal::All { .. })
    }
}
