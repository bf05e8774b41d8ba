//! Rate: how hard every puzzle with one solution is; but for guesses, by definitions that depend on no solver.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::measures::{COLUMNS, Measure, MeasureColumns, Measured, exact};
use super::search::{SearchOptions, Searcher};
use super::solve::{MULTIPLE, Solve, SolveAnswers};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, UNFINISHED, grid_hash};
use crate::analysis::rating::{Rating, explain};
use crate::input::Batch;
use crate::record::{
    Class as FieldClass, Column, Fault, Field, Records, Role, Schema, Sparse, Texts, Type, Weight, Word,
};
use crate::solver::{Answers, Verdict, Wanted};
use crate::sudoku::random::spread;
use crate::sudoku::{Grid, Symmetry};

/// The words of the column `status`, in the order in which summaries list them.
const STATUSES: &[Word] = &[
    Word::new("rated", "exactly one solution, and rated", Weight::Answered),
    Word::new(MULTIPLE, "several solutions, so that nothing is rated", Weight::Unanswered),
    Word::new("unsolvable", "no solution, so that nothing is rated", Weight::Unanswered),
    UNFINISHED,
    INVALID,
    INTERNAL_ERROR,
];

/// The columns of isomorphs.
const SPREAD: [&str; 2] = ["guesses_mean", "guesses_sd"];

/// The columns after those of the origin.
const FIELDS: &[Field] = &[
    Field::STATUS,
    Field::CLUES,
    Field::GUESSES,
    Field::result(SPREAD[0], Type::Decimal, "the mean of the guesses of random isomorphs (--isomorphs)"),
    Field::result(SPREAD[1], Type::Decimal, "their standard deviation"),
    // Of the search alone, for summaries.
    Field::TIME.with_class(FieldClass::Internal),
    COLUMNS[0].1,
    COLUMNS[1].1,
    COLUMNS[2].1,
    COLUMNS[3].1,
    COLUMNS[4].1,
    Field::PUZZLE,
    Field::ERROR,
];

/// The steps of a solution, for people alone.
const STEPS: Field = Field::result("steps", Type::Text, "the puzzle, its rating, and a step on each line")
    .with_role(Role::Steps)
    .with_class(FieldClass::Internal);

/// The entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "rate", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// Random isomorphs of a puzzle, which depend on it and the seed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isomorphs {
    /// How many, at least 2.
    pub count: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Isomorphs {
    fn of(self, puzzle: &Grid) -> impl Iterator<Item = Grid> {
        let seed = spread(self.seed).wrapping_add(grid_hash(puzzle));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..self.count).map(move |_| Symmetry::random(&mut rng).apply(puzzle))
    }
}

/// Rates every puzzle.
#[derive(Debug)]
pub struct Rate {
    solve: Solve,
    isomorphs: Option<Isomorphs>,
    /// The measures that have a column.
    measures: Vec<Measure>,
    /// The highest rating that is exact, in tenths.
    most_exact: u8,
    with_steps: bool,
    schema: Schema,
}

impl Rate {
    /// A job with these of the measures in [`COLUMNS`], all if there are none, and with the guesses of isomorphs, if any
    /// are searched.
    /// Puzzles are searched with these options, as `recheck` of [`Solve`] says.
    #[must_use]
    pub fn new(
        mut search: SearchOptions,
        recheck: bool,
        measures: &[Measure],
        isomorphs: Option<Isomorphs>,
    ) -> Self {
        search.limits = search.limits.with_wanted(Wanted::Any);
        let all = COLUMNS.iter().map(|(measure, _)| *measure);
        let measures: Vec<_> =
            all.filter(|measure| measures.is_empty() || measures.contains(measure)).collect();
        let mut schema = Schema::new(FIELDS, STATUSES, false);
        schema.fields.retain(|field| {
            COLUMNS.iter().all(|(measure, column)| column.name != field.name || measures.contains(measure))
        });
        schema.fields.retain(|field| isomorphs.is_some() || !SPREAD.contains(&field.name));
        let solve =
            Solve::new(search, false).with_recheck(recheck).without_cases("for which no rating is defined");
        let most_exact = exact(&measures);
        Self { solve, isomorphs, measures, most_exact, with_steps: false, schema }
    }

    /// The same job, which says of harder puzzles only that they are harder than these tenths, 60 at least.
    #[must_use]
    pub fn with_ratings_up_to(self, tenths: u8) -> Self {
        Self { most_exact: self.most_exact.min(tenths), ..self }
    }

    /// The same job, which finds the steps for [`Steps`](crate::output::Steps) as well.
    #[must_use]
    pub fn with_steps(mut self) -> Self {
        self.with_steps = true;
        // The summary shows these; others are not seen.
        self.measures.retain(|measure| matches!(measure, Measure::Se | Measure::Grade));
        self.schema.fields.retain(|field| {
            COLUMNS
                .iter()
                .all(|(measure, column)| column.name != field.name || self.measures.contains(measure))
        });
        self.schema.fields.push(STEPS);
        self
    }
}

/// The columns besides those of the records.
#[derive(Debug, Default)]
pub struct RateAnswers {
    solved: SolveAnswers,
    statuses: Vec<u8>,
    /// Those of sudokus; 0 for what is never rated.
    guesses: Vec<u64>,
    /// The isomorphs of a puzzle, and what is found of them.
    isomorphs: Vec<Grid>,
    searched: Answers,
    means: Vec<f64>,
    deviations: Vec<f64>,
    /// Which rows have those two.
    spread: Vec<bool>,
    measures: MeasureColumns,
    steps: Texts,
    faults: Sparse<Fault>,
}

impl RateAnswers {
    fn clear(&mut self) {
        self.statuses.clear();
        self.guesses.clear();
        self.means.clear();
        self.deviations.clear();
        self.spread.clear();
        self.measures.clear();
        self.steps.clear();
        self.faults.clear();
    }

    /// Mean and standard deviation of the guesses of isomorphs, with two decimals; `None` if a search did not end.
    fn guesses_of(
        &mut self,
        isomorphs: Isomorphs,
        puzzle: &Grid,
        searcher: &mut Searcher,
    ) -> Option<[f64; 2]> {
        self.isomorphs.clear();
        self.isomorphs.extend(isomorphs.of(puzzle));
        self.searched.clear();
        searcher.grids(&self.isomorphs, &mut self.searched);
        if self.searched.verdicts().iter().any(|&verdict| verdict != Verdict::Unique) {
            return None;
        }
        let guesses = self.searched.guesses();
        let count = guesses.len() as f64;
        let mean = guesses.iter().sum::<u64>() as f64 / count;
        let squares: f64 = guesses.iter().map(|&guesses| (guesses as f64 - mean).powi(2)).sum();
        Some([mean, (squares / (count - 1.0)).sqrt()].map(|number| (number * 100.0).round() / 100.0))
    }
}

/// The rating of a puzzle, and a text: the puzzle, the rating, and the steps below them.
fn path_of(puzzle: &Grid) -> (Rating, String) {
    let (rating, steps) = explain(puzzle);
    let text = steps.iter().fold(format!("{puzzle} {rating}"), |text, step| format!("{text}\n  {step}"));
    (rating, text)
}

impl Job for Rate {
    type Worker = Searcher;
    type Answers = RateAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> Searcher {
        self.solve.worker(stop)
    }

    fn answer(
        &self,
        worker: &mut Searcher,
        batch: &Batch,
        records: &Records,
        answers: &mut RateAnswers,
    ) -> Answered {
        answers.clear();
        let solved = self.solve.answer(worker, batch, records, &mut answers.solved).rows;
        for row in 0..solved {
            let (puzzle, found) = (&records.puzzles()[row], answers.solved.only_solution(row).copied());
            let isomorphs = self.isomorphs.filter(|_| found.is_ok());
            let spread = isomorphs.and_then(|isomorphs| answers.guesses_of(isomorphs, puzzle, worker));
            // What was searched last may have been stopped.
            if worker.flag().load(Ordering::Relaxed) {
                return Answered::a_row_each(row, records);
            }
            let [mean, deviation] = spread.unwrap_or_default();
            answers.means.push(mean);
            answers.deviations.push(deviation);
            answers.spread.push(spread.is_some());
            let (status, fault) = found.as_ref().map_or_else(Clone::clone, |_| (STATUSES[0].name, None));
            let status = STATUSES.iter().position(|word| word.name == status);
            answers.statuses.push(status.expect("a search for two solutions says no other") as u8);
            fault.into_iter().for_each(|fault| answers.faults.push(row, fault));
            let guesses = answers.solved.found().guesses()[row];
            answers.guesses.push(guesses);
            let path = found.as_ref().ok().filter(|_| self.with_steps).map(|_| path_of(puzzle));
            let measured = found.as_ref().ok().map(|solution| {
                let measured = Measured::new(puzzle, solution, guesses, self.most_exact);
                match &path {
                    Some((rating, _)) => measured.with_rating(*rating),
                    None => measured,
                }
            });
            answers.measures.push(&self.measures, measured.as_ref());
            if self.with_steps {
                answers.steps.push(path.as_ref().map(|(_, text)| text.as_bytes()));
            }
        }
        Answered::a_row_each(solved, records)
    }

    fn corrected<'a>(&self, answers: &'a RateAnswers) -> Option<&'a Sparse<Fault>> {
        self.solve.corrected(&answers.solved)
    }

    fn columns<'a>(&self, records: &'a Records, answers: &'a RateAnswers) -> Vec<Column<'a>> {
        let mut columns = vec![
            Column::Words(&answers.statuses, STATUSES),
            Column::SmallNumbers(answers.solved.clues(), records.readable()),
            Column::Numbers(&answers.guesses),
        ];
        if self.isomorphs.is_some() {
            columns.push(Column::Decimals(&answers.means, &answers.spread));
            columns.push(Column::Decimals(&answers.deviations, &answers.spread));
        }
        columns.push(Column::Numbers(answers.solved.found().times_ns()));
        columns.extend(answers.measures.columns(&self.measures));
        columns
            .extend([Column::Grids(records.puzzles(), records.readable()), Column::Faults(&answers.faults)]);
        if self.with_steps {
            columns.push(Column::Texts(&answers.steps));
        }
        columns
    }
}
