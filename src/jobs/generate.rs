//! Generate: puzzles that are asked for, each made from a seed and its number.
//!
//! The records are only counted: record `n` becomes puzzle `n` of the seed, by [`Generator`].

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::measures::{COLUMNS, Condition, Measure, MeasureColumns, Measured, exact};
use super::{Answered, INTERNAL_ERROR, Job, JobEntry};
use crate::generate::puzzles::{Generated, Generator, PatternSymmetry, Wish};
use crate::input::{Batch, Value, Values};
use crate::output::Encode;
use crate::record::{
    Class, Column, Fault, FaultKind, Field, Records, Role, Schema, Sparse, Type, Weight, Word,
};
use crate::solver::{Answers, Backend, BatchSolver, Limits, Wanted};
use crate::sudoku::{Grid, verifier};

const GENERATED: &str = "generated";
const NOT_FOUND: &str = "not-found";

/// The words of the column `status`, which is not written.
const STATUSES: &[Word] = &[
    Word::unsearched(GENERATED, "a puzzle as it is asked for", Weight::Answered),
    Word::unsearched(NOT_FOUND, "none of the grids tried had one (--tries)", Weight::Unanswered),
    INTERNAL_ERROR,
];

/// Whether rows are written, by status.
pub const WRITTEN: [bool; STATUSES.len()] = [true, false, false];

const ID: Field = Field { about: "number of the puzzle, from 1", ..Field::ID };

const GUESSES: Field = Field::result(
    "guesses",
    Type::Number,
    "branch nodes of a search that proves the solution to be the only one",
);

const WEIGHT: Field = Field::result(
    "weight",
    Type::Decimal,
    "how many minimal puzzles of a grid it stands for (--weights): weighted by it, means are those of all",
);

const SOLUTION: Field =
    Field::result("solution", Type::Grid, "its solution: 81 digits, checked").with_role(Role::Solution);

/// The entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry {
    name: "generate",
    has_origin: false,
    fields: &[
        ID,
        Field::CLUES,
        GUESSES,
        COLUMNS[0].1,
        COLUMNS[1].1,
        COLUMNS[2].1,
        COLUMNS[3].1,
        COLUMNS[4].1,
        WEIGHT,
        Field::PUZZLE,
        SOLUTION,
    ],
    statuses: STATUSES,
    check_row: None,
};

/// The symmetries of patterns: name and meaning.
pub const SYMMETRIES: [(&str, &str, PatternSymmetry); 8] = [
    ("none", "any pattern", PatternSymmetry::None),
    ("rotate180", "half a turn", PatternSymmetry::Rotate180),
    ("rotate90", "a quarter turn", PatternSymmetry::Rotate90),
    ("mirror", "left and right are mirrored", PatternSymmetry::Mirror),
    ("flip", "top and bottom are mirrored", PatternSymmetry::Flip),
    ("diagonal", "mirrored at the diagonal from A1 to I9", PatternSymmetry::Diagonal),
    ("antidiagonal", "mirrored at the diagonal from A9 to I1", PatternSymmetry::Antidiagonal),
    ("full", "all of these", PatternSymmetry::Full),
];

/// The symmetry of that name.
#[must_use]
pub fn symmetry(name: &str) -> Option<PatternSymmetry> {
    SYMMETRIES.iter().find(|entry| entry.0 == name).map(|entry| entry.2)
}

/// Weights were asked for of puzzles that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only minimal puzzles that are not near others have weights")]
pub struct Weightless;

/// The fewest clues of a puzzle with one solution (McGuire, Tugemann and Civario, 2012).
pub const FEWEST_CLUES: u32 = 17;

/// How many puzzles are made side by side: as many as the lanes work on, or fewer if each takes long; and so many that
/// all threads have some.
#[must_use]
pub fn batch_rows(count: usize, threads: NonZeroUsize, is_usual: bool) -> usize {
    let most = if is_usual { 1 << 10 } else { 1 << 6 };
    (count / (8 * threads.get())).clamp(1, most)
}

/// Numbers of puzzles, as records: what is in them does not matter.
#[derive(Debug)]
pub struct Numbers(pub usize);

impl Values for Numbers {
    fn len(&self) -> usize {
        self.0
    }

    fn get(&self, _: usize) -> Value<'_> {
        Value::Cells(Ok(Grid::EMPTY))
    }
}

/// Makes puzzles.
#[derive(Debug)]
pub struct Generate {
    seed: u64,
    wish: Wish,
    condition: Condition,
    /// The measures that have a column.
    measures: Vec<Measure>,
    backend: Backend,
    has_solutions: bool,
    schema: Schema,
}

impl Generate {
    /// A job that makes the puzzles of a seed of which the condition holds, with columns of these measures besides
    /// those in the condition. Fails if not all of this can be had.
    pub fn new(
        seed: u64,
        wish: Wish,
        condition: Condition,
        measures: &[Measure],
        backend: Backend,
    ) -> Result<Self, Weightless> {
        if wish.weighted && (!wish.minimal || wish.near.is_some()) {
            return Err(Weightless);
        }
        let measured = COLUMNS.iter().map(|(measure, _)| *measure).chain([Measure::Guesses]);
        let measures: Vec<_> =
            measured.filter(|measure| measures.contains(measure) || condition.needs(*measure)).collect();
        let status = Field::result("status", Type::Word, "whether it was made").with_role(Role::Status);
        let unseen = [Field::SOURCE, Field::LINE, Field::KIND, status, Field::ERROR]
            .map(|field| field.with_class(Class::Internal));
        let is_wanted = |field: &Field| match Measure::named(field.name) {
            Some(measure) => measure == Measure::Clues || measures.contains(&measure),
            None => field.name != WEIGHT.name || wish.weighted,
        };
        let fields = [ID].into_iter().chain(unseen);
        let fields = fields.chain(ENTRY.fields[1..].iter().copied().filter(is_wanted)).collect();
        let schema = Schema { fields, carried: Vec::new(), measured: false, statuses: STATUSES };
        Ok(Self { seed, wish, condition, measures, backend, has_solutions: true, schema })
    }

    /// The same job without what a format cannot hold.
    #[must_use]
    pub fn fitted(self, encoder: &dyn Encode) -> Self {
        if encoder.fits(&self.schema).is_ok() { self } else { self.without_solutions() }
    }

    /// The same job without the column of solutions.
    #[must_use]
    pub fn without_solutions(mut self) -> Self {
        self.has_solutions = false;
        self.schema.fields.retain(|field| field.role != Role::Solution);
        self
    }
}

/// The state of a thread.
pub struct GenerateWorker {
    generator: Generator,
    guesses: GuessCounter,
    stop: Arc<AtomicBool>,
}

/// Searches puzzles for their guesses.
struct GuessCounter {
    solver: Box<dyn BatchSolver>,
    puzzles: Vec<Grid>,
    answers: Answers,
}

impl GuessCounter {
    /// The guesses of each puzzle.
    fn count<'a>(&mut self, puzzles: impl Iterator<Item = &'a Grid>) -> &[u64] {
        self.puzzles.clear();
        self.puzzles.extend(puzzles);
        self.answers.clear();
        self.solver.solve(&self.puzzles, &Limits::default().with_wanted(Wanted::Any), &mut self.answers);
        self.answers.guesses()
    }
}

/// The rows of a batch, in columns.
#[derive(Debug, Default)]
pub struct GenerateAnswers {
    statuses: Vec<u8>,
    puzzles: Vec<Option<Grid>>,
    solutions: Vec<Option<Grid>>,
    clues: Vec<u8>,
    guesses: Vec<u64>,
    weights: Vec<f64>,
    /// Which rows have a puzzle.
    made: Vec<bool>,
    measures: MeasureColumns,
    faults: Sparse<Fault>,
}

impl GenerateAnswers {
    fn clear(&mut self) {
        self.statuses.clear();
        self.puzzles.clear();
        self.solutions.clear();
        self.clues.clear();
        self.guesses.clear();
        self.weights.clear();
        self.made.clear();
        self.measures.clear();
        self.faults.clear();
    }

    fn push(&mut self, made: Option<&Generated>, guesses: u64, measures: &[Measure]) {
        let right = made.filter(|made| verifier::sudoku(&made.puzzle, &made.solution));
        if made.is_some() && right.is_none() {
            self.faults.push(self.statuses.len(), Fault::new(FaultKind::FailedCheck, None));
        }
        let status = match (made, right) {
            (_, Some(_)) => GENERATED,
            (None, _) => NOT_FOUND,
            (Some(_), None) => INTERNAL_ERROR.name,
        };
        let status = STATUSES.iter().position(|word| word.name == status);
        self.statuses.push(status.expect("it is one of these words") as u8);
        self.puzzles.push(right.map(|made| made.puzzle));
        self.solutions.push(right.map(|made| made.solution));
        self.clues.push(right.map_or(0, |made| made.puzzle.clues() as u8));
        self.guesses.push(guesses);
        self.weights.push(right.and_then(|made| made.weight).unwrap_or_default());
        self.made.push(right.is_some());
        let measured =
            right.map(|made| Measured::new(&made.puzzle, &made.solution, guesses, exact(measures)));
        self.measures.push(measures, measured.as_ref());
    }
}

impl Job for Generate {
    type Worker = GenerateWorker;
    type Answers = GenerateAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> GenerateWorker {
        let mut generator = Generator::new(self.seed, self.wish.clone(), self.backend);
        generator.stop_on(&stop);
        // It is done in some milliseconds, so it does not stop.
        let solver = self.backend.solver();
        let guesses = GuessCounter { solver, puzzles: Vec::new(), answers: Answers::default() };
        GenerateWorker { generator, guesses, stop }
    }

    fn answer(
        &self,
        GenerateWorker { generator, guesses, stop }: &mut GenerateWorker,
        batch: &Batch,
        records: &Records,
        answers: &mut GenerateAnswers,
    ) -> Answered {
        answers.clear();
        let numbers = batch.first_id..batch.first_id + records.len() as u64;
        let most = self.condition.exact();
        let made = generator.puzzles_that(numbers, |made| {
            let counted = if self.condition.needs(Measure::Guesses) {
                guesses.count(made.iter().map(|made| &made.puzzle))
            } else {
                &[]
            };
            let holds = made.iter().enumerate().map(|(at, Generated { puzzle, solution, .. })| {
                let guesses = counted.get(at).copied().unwrap_or_default();
                !stop.load(Ordering::Relaxed)
                    && self.condition.holds(&Measured::new(puzzle, solution, guesses, most))
            });
            holds.collect()
        });
        let counted = if self.measures.contains(&Measure::Guesses) {
            guesses.count(made.iter().flatten().map(|made| &made.puzzle))
        } else {
            &[]
        };
        // What was still open when the run was stopped is not known to have none.
        let open = made.iter().position(Option::is_none).filter(|_| stop.load(Ordering::Relaxed));
        let mut counted = counted.iter().copied();
        for made in &made {
            let guesses = made.and_then(|_| counted.next()).unwrap_or_default();
            answers.push(made.as_ref(), guesses, &self.measures);
        }
        Answered::a_row_each(open.unwrap_or(made.len()), records)
    }

    fn columns<'a>(&self, _: &'a Records, answers: &'a GenerateAnswers) -> Vec<Column<'a>> {
        let mut columns = vec![
            Column::Words(&answers.statuses, STATUSES),
            Column::Faults(&answers.faults),
            Column::SmallNumbers(&answers.clues, &answers.made),
        ];
        columns
            .extend(self.measures.contains(&Measure::Guesses).then_some(Column::Numbers(&answers.guesses)));
        columns.extend(answers.measures.columns(&self.measures));
        columns.extend(self.wish.weighted.then_some(Column::Decimals(&answers.weights, &answers.made)));
        columns.push(Column::SomeGrids(&answers.puzzles));
        columns.extend(self.has_solutions.then_some(Column::SomeGrids(&answers.solutions)));
        columns
    }
}
