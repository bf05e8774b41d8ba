//! Minimize: drops redundant clues of every puzzle that has one solution, or finds which are redundant.
//!
//! [`Solve`] finds the puzzles of a batch with one solution, and the clues of all of them are tried side by side. Which
//! clues are dropped depends on the seed and the puzzle alone. All minimal puzzles within a puzzle are found as they are
//! written, so that a full grid, which has some 10^15, needs no more memory than any other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::search::Searcher;
use super::solve::{MULTIPLE, Solve, SolveAnswers};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, SearchOptions, Then, grid_hash};
use crate::generate::reduce::{AllMinimal, CellSet, Reducer, cells_of, clue_cells};
use crate::input::Batch;
use crate::record::{Column, Fault, Field, Records, Role, Schema, Sparse, Texts, Type, Weight, Word};
use crate::solver::{Backend, Limits, Wanted};
use crate::sudoku::random::spread;
use crate::sudoku::{Grid, cell_name};

/// Most rows of a page: few, since each takes some searches.
const MOST_ROWS: usize = 1 << 10;

/// The words of the column `status`, in the order in which summaries list them.
const STATUSES: &[Word] = &[
    Word::unsearched("minimal", "no clue of the puzzle can be left out", Weight::Answered),
    Word::unsearched("minimized", "clues were dropped; the row has a minimal puzzle", Weight::Answered),
    Word::unsearched("redundant", "some clues can be left out (--check)", Weight::Unanswered),
    Word::unsearched(MULTIPLE, "several solutions, so that no clue can be dropped", Weight::Unanswered),
    Word::unsearched(
        "unsolvable",
        "there is no solution, so that no clue can be dropped",
        Weight::Unanswered,
    ),
    INVALID,
    INTERNAL_ERROR,
];

const NUMBER: &str = "n";
const MINIMAL: &str = "minimal";
const DROPPED: &str = "dropped";
const REDUNDANT: &str = "redundant";

/// The columns after those of the origin; each [`Goal`] has some of them.
const FIELDS: &[Field] = &[
    Field::STATUS,
    // `-O lines` has the minimal puzzles alone.
    Field { role: Role::Other, ..Field::PUZZLE },
    Field::result(
        NUMBER,
        Type::Number,
        "number of the minimal puzzle among those of the record, from 1 (--all); 0 if there is none",
    ),
    Field::result(MINIMAL, Type::Grid, "a minimal puzzle within the puzzle: 81 characters, . for a blank")
        .with_role(Role::Solution),
    Field::result(
        "clues",
        Type::Number,
        "number of clues of the minimal puzzle; of the puzzle if there is none",
    ),
    Field::result(DROPPED, Type::Text, "the cells whose clues were dropped, as in A1 D7"),
    Field::result(
        REDUNDANT,
        Type::Text,
        "the cells whose clues are redundant (--check): each can be left out, if all others stay",
    ),
    Field::ERROR,
];

/// The entry in the list of jobs.
pub const ENTRY: JobEntry =
    JobEntry { name: "minimize", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// What is found of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A minimal puzzle within, drawn by a seed.
    One {
        /// The seed.
        seed: u64,
    },
    /// The minimal puzzles within, up to a number.
    All {
        /// The number.
        limit: u64,
    },
    /// The redundant clues.
    Check,
}

impl Goal {
    /// Whether its rows have a column.
    fn has(self, name: &str) -> bool {
        match name {
            NUMBER => matches!(self, Self::All { .. }),
            MINIMAL | DROPPED => self != Self::Check,
            REDUNDANT => self == Self::Check,
            _ => true,
        }
    }
}

/// Drops redundant clues of every puzzle, or finds them.
#[derive(Debug)]
pub struct Minimize {
    goal: Goal,
    backend: Backend,
    solve: Solve,
    schema: Schema,
}

impl Minimize {
    /// A job with this goal, which searches with the backend.
    #[must_use]
    pub fn new(goal: Goal, backend: Backend) -> Self {
        let search = SearchOptions { backend, limits: Limits::default().with_wanted(Wanted::Any) };
        let mut schema = Schema::new(FIELDS, STATUSES, false);
        schema.fields.retain(|field| goal.has(field.name));
        let solve = Solve::new(search, false).without_cases("which cannot be minimized");
        Self { goal, backend, solve, schema }
    }

    /// Drops or finds redundant clues of all records, side by side.
    fn answer_together(
        &self,
        worker: &mut MinimizeWorker,
        records: &Records,
        answers: &mut MinimizeAnswers,
    ) -> Answered {
        let MinimizeAnswers { solved, solved_rows, rows, .. } = answers;
        let puzzles = &records.puzzles()[..*solved_rows];
        let found: Vec<_> = (0..*solved_rows).map(|record| solved.only_solution(record)).collect();
        let solutions: Vec<_> = found.iter().map(|found| found.as_ref().ok().map(|grid| **grid)).collect();
        let (minimal, redundant) = if let Goal::One { seed } = self.goal {
            let seed = spread(seed);
            let mut minimal = puzzles.to_vec();
            let rng_of =
                |record| Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(grid_hash(&puzzles[record])));
            worker.reducer.minimize(&mut minimal, &solutions, rng_of);
            (minimal, Vec::new())
        } else {
            (Vec::new(), worker.reducer.redundant(puzzles, &solutions))
        };
        // What a search found after that means nothing.
        if worker.stop.load(Ordering::Relaxed) {
            return Answered::a_row_each(0, records);
        }
        for (record, found) in found.into_iter().enumerate() {
            match (found, minimal.get(record)) {
                (Err(why), _) => rows.push_unsolved(records, record, why),
                (Ok(_), Some(minimal)) => rows.push_minimal(records, record, 0, *minimal),
                (Ok(_), None) => rows.push_redundant(records, record, redundant[record].unwrap_or(0)),
            }
        }
        Answered::a_row_each(*solved_rows, records)
    }

    /// Lists the next page of minimal puzzles.
    fn list(
        &self,
        limit: u64,
        worker: &mut MinimizeWorker,
        records: &Records,
        answers: &mut MinimizeAnswers,
    ) -> Answered {
        let MinimizeAnswers { solved, solved_rows, next, open, rows } = answers;
        while *next < *solved_rows {
            if rows.statuses.len() == MOST_ROWS {
                return Answered { rows: MOST_ROWS, then: Then::More };
            }
            let solution = match solved.only_solution(*next) {
                Ok(solution) => solution,
                Err(why) => {
                    rows.push_unsolved(records, *next, why);
                    *next += 1;
                    continue;
                }
            };
            let (all, number) =
                open.get_or_insert_with(|| (AllMinimal::new(&records.puzzles()[*next], solution), 0));
            let minimal = if *number < limit { all.next(&mut worker.reducer) } else { None };
            // What a search found after that means nothing.
            if worker.stop.load(Ordering::Relaxed) {
                return Answered { rows: rows.statuses.len(), then: Then::Stopped };
            }
            if let Some(minimal) = minimal {
                *number += 1;
                rows.push_minimal(records, *next, *number, minimal);
            } else {
                (*next, *open) = (*next + 1, None);
            }
        }
        let then = if *solved_rows < records.len() { Then::Stopped } else { Then::Done };
        Answered { rows: rows.statuses.len(), then }
    }
}

/// The state of a thread.
pub struct MinimizeWorker {
    searcher: Searcher,
    reducer: Reducer,
    stop: Arc<AtomicBool>,
}

/// The answers to a batch, and the rows of a page.
#[derive(Debug, Default)]
pub struct MinimizeAnswers {
    solved: SolveAnswers,
    /// Number of records before the first that was stopped.
    solved_rows: usize,
    /// The next record to list, and the rest of its minimal puzzles, with how many were listed, if it was begun.
    next: usize,
    open: Option<(AllMinimal, u64)>,
    rows: Rows,
}

/// The rows of a page, in columns.
#[derive(Debug, Default)]
struct Rows {
    of: Vec<u32>,
    statuses: Vec<u8>,
    puzzles: Vec<Grid>,
    readable: Vec<bool>,
    numbers: Vec<u64>,
    minimal: Vec<Option<Grid>>,
    clues: Vec<u8>,
    /// Those dropped, or redundant.
    cells: Texts,
    faults: Sparse<Fault>,
}

impl Rows {
    fn clear(&mut self) {
        self.of.clear();
        self.statuses.clear();
        self.puzzles.clear();
        self.readable.clear();
        self.numbers.clear();
        self.minimal.clear();
        self.clues.clear();
        self.cells.clear();
        self.faults.clear();
    }

    /// Adds the row of a minimal puzzle within a record.
    fn push_minimal(&mut self, records: &Records, record: usize, number: u64, minimal: Grid) {
        let dropped = clue_cells(&records.puzzles()[record]) & !clue_cells(&minimal);
        let status = if dropped == 0 { MINIMAL } else { "minimized" };
        self.push(records, record, status, number, Some(minimal));
        self.push_cells(dropped);
    }

    /// Adds the row of a record with these redundant clues.
    fn push_redundant(&mut self, records: &Records, record: usize, redundant: CellSet) {
        let status = if redundant == 0 { MINIMAL } else { REDUNDANT };
        self.push(records, record, status, 0, None);
        self.push_cells(redundant);
    }

    /// Adds the row of a record without one solution.
    #[cold]
    fn push_unsolved(
        &mut self,
        records: &Records,
        record: usize,
        (status, fault): (&'static str, Option<Fault>),
    ) {
        let row = self.statuses.len();
        fault.into_iter().for_each(|fault| self.faults.push(row, fault));
        self.push(records, record, status, 0, None);
        self.cells.push(None);
    }

    fn push(&mut self, records: &Records, record: usize, status: &str, number: u64, minimal: Option<Grid>) {
        let status = STATUSES.iter().position(|word| word.name == status);
        let puzzle = records.puzzles()[record];
        self.of.push(u32::try_from(record).expect("a batch has fewer than 4 billion records"));
        self.statuses.push(status.expect("a search without bounds says no other") as u8);
        self.puzzles.push(puzzle);
        self.readable.push(records.readable()[record]);
        self.numbers.push(number);
        self.minimal.push(minimal);
        self.clues.push(minimal.unwrap_or(puzzle).clues() as u8);
    }

    fn push_cells(&mut self, cells: CellSet) {
        self.cells.push_with(|text| {
            for (i, cell) in cells_of(cells).enumerate() {
                text.extend((i > 0).then_some(b' '));
                text.extend_from_slice(cell_name(cell).as_bytes());
            }
        });
    }
}

impl Job for Minimize {
    type Worker = MinimizeWorker;
    type Answers = MinimizeAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> MinimizeWorker {
        let mut reducer = Reducer::new(self.backend);
        reducer.stop_on(Arc::clone(&stop));
        MinimizeWorker { searcher: self.solve.worker(Arc::clone(&stop)), reducer, stop }
    }

    fn answer(
        &self,
        worker: &mut MinimizeWorker,
        batch: &Batch,
        records: &Records,
        answers: &mut MinimizeAnswers,
    ) -> Answered {
        let solved = self.solve.answer(&mut worker.searcher, batch, records, &mut answers.solved);
        (answers.solved_rows, answers.next, answers.open) = (solved.rows, 0, None);
        self.go_on(worker, batch, records, answers)
    }

    fn go_on(
        &self,
        worker: &mut MinimizeWorker,
        _: &Batch,
        records: &Records,
        answers: &mut MinimizeAnswers,
    ) -> Answered {
        answers.rows.clear();
        match self.goal {
            Goal::All { limit } => self.list(limit, worker, records, answers),
            Goal::One { .. } | Goal::Check => self.answer_together(worker, records, answers),
        }
    }

    fn of<'a>(&self, answers: &'a MinimizeAnswers) -> Option<&'a [u32]> {
        matches!(self.goal, Goal::All { .. }).then_some(&answers.rows.of)
    }

    fn corrected<'a>(&self, answers: &'a MinimizeAnswers) -> Option<&'a Sparse<Fault>> {
        self.solve.corrected(&answers.solved)
    }

    fn columns<'a>(&self, _: &'a Records, answers: &'a MinimizeAnswers) -> Vec<Column<'a>> {
        let rows = &answers.rows;
        let columns = [
            Column::Words(&rows.statuses, STATUSES),
            Column::Grids(&rows.puzzles, &rows.readable),
            Column::Numbers(&rows.numbers),
            Column::SomeGrids(&rows.minimal),
            Column::SmallNumbers(&rows.clues, &rows.readable),
            Column::Texts(&rows.cells),
            Column::Texts(&rows.cells),
            Column::Faults(&rows.faults),
        ];
        let all = FIELDS.iter().zip(columns);
        all.filter(|(field, _)| self.goal.has(field.name)).map(|(_, column)| column).collect()
    }
}
