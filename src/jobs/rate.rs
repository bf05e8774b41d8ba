//! Rate: measures how hard every puzzle with one solution is. Apart from the guesses, no measure depends on a solver.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::measures::{self, GRADE, Measure, Measured, SE, exact, with_measures};
use super::search::SearchOptions;
use super::solve::{self, Solve, SolveWorker};
use super::{INTERNAL_ERROR, INVALID, Job, JobEntry, ReadBatch, Then, UNFINISHED, grid_hash};
use crate::analysis::rating::{Rating, explain};
use crate::record::{Class, Field, Label, Role, Schema, Severity, Table, Type};
use crate::solver::{Answers, Verdict, Wanted};
use crate::sudoku::random::spread;
use crate::sudoku::{Grid, Symmetry};

statuses! {
    Rated = Label::new("rated", "exactly one solution; the puzzle was rated", Severity::Answered),
    Multiple = Label::new("multiple", "several solutions, so the puzzle was not rated", Severity::Unanswered),
    Unsolvable = Label::new("unsolvable", "no solution, so the puzzle was not rated", Severity::Unanswered),
    Unfinished = UNFINISHED,
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

statuses_of_search!(Multiple, Unsolvable, Unfinished, Invalid);

const MEAN: Field = Field::result(
    "guesses_mean",
    Type::Decimal,
    "mean number of guesses over random isomorphs (--isomorphs)",
);
const DEVIATION: Field = Field::result("guesses_sd", Type::Decimal, "standard deviation of those guesses");

/// The columns before and after the measures.
const BEFORE: &[Field] = &[
    Field::STATUS,
    Field::CLUES,
    Field::GUESSES,
    MEAN,
    DEVIATION,
    // These columns describe only the search and are used by summaries.
    Field::TIME.with_class(Class::Internal),
];
const AFTER: &[Field] = &[Field::PUZZLE, Field::ERROR];

/// The columns after those of the origin.
const FIELDS: &[Field] =
    &with_measures::<{ BEFORE.len() + measures::FIELDS.len() + AFTER.len() }>(BEFORE, AFTER);

/// The solution steps, for human readers only.
const STEPS: Field =
    Field::result("steps", Type::Text, "the puzzle and its rating, followed by one step per line")
        .with_role(Role::Steps)
        .with_class(Class::Internal);

/// The job's entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "rate", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// Random isomorphs of a puzzle, which depend only on the puzzle and the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isomorphs {
    /// The number of isomorphs; at least 2.
    pub count: usize,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Isomorphs {
    fn of(self, puzzle: &Grid) -> impl Iterator<Item = Grid> {
        let seed = spread(self.seed).wrapping_add(grid_hash(puzzle));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..self.count).map(move |_| Symmetry::random(&mut rng).apply(puzzle))
    }
}

/// The job that rates every puzzle.
#[derive(Debug)]
pub struct Rate {
    solve: Solve,
    isomorphs: Option<Isomorphs>,
    /// The highest rating, in tenths, that is determined exactly.
    most_exact: u8,
    with_steps: bool,
    schema: Schema,
}

impl Rate {
    /// Creates a job with columns for these measures (all if none are given), and for the isomorphs' guesses if
    /// isomorphs are searched. Puzzles are searched with the given options; for `recheck`, see [`Solve`].
    #[must_use]
    pub fn new(
        mut search: SearchOptions,
        recheck: bool,
        measures: &[Measure],
        isomorphs: Option<Isomorphs>,
    ) -> Self {
        search.limits = search.limits.with_wanted(Wanted::Any);
        let mut schema = Schema::new(FIELDS, STATUSES, false);
        let is_chosen = |field: &Field| measures.iter().any(|measure| measure.name() == field.name);
        schema.fields.retain(|field| measures.is_empty() || !Measure::is_column(field) || is_chosen(field));
        let is_spread = |field: &Field| [MEAN.name, DEVIATION.name].contains(&field.name);
        schema.fields.retain(|field| isomorphs.is_some() || !is_spread(field));
        let solve = Solve::new(search, false)
            .with_recheck(recheck)
            .sudokus_only(|_| "for which no rating is defined".to_owned());
        Self { solve, isomorphs, most_exact: exact(&schema), with_steps: false, schema }
    }

    /// Sets the highest rating to determine, in tenths (at least 60). Harder puzzles are only reported as harder than
    /// that.
    #[must_use]
    pub fn with_ratings_up_to(self, tenths: u8) -> Self {
        Self { most_exact: self.most_exact.min(tenths), ..self }
    }

    /// Makes the job also find the steps that [`Steps`](crate::output::Steps) shows.
    #[must_use]
    pub fn with_steps(mut self) -> Self {
        self.with_steps = true;
        // The summary shows these columns; all other measures are hidden.
        let is_shown = |field: &Field| [SE.name, GRADE.name].contains(&field.name);
        self.schema.fields.retain(|field| !Measure::is_column(field) || is_shown(field));
        self.schema.fields.push(STEPS);
        self
    }
}

/// The state of one thread.
pub struct RateWorker {
    solve: SolveWorker,
    /// The isomorphs of a puzzle, and the results of searching them.
    isomorphs: Vec<Grid>,
    searched: Answers,
}

impl RateWorker {
    /// Returns the mean and standard deviation of the isomorphs' guess counts, rounded to two decimal places. Returns
    /// `None` if a search is stopped.
    fn guesses_of(&mut self, isomorphs: Isomorphs, puzzle: &Grid) -> Option<[f64; 2]> {
        self.isomorphs.clear();
        self.isomorphs.extend(isomorphs.of(puzzle));
        self.searched.clear();
        self.solve.searcher.grids(&self.isomorphs, &mut self.searched);
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

/// Returns a puzzle's rating and a text that shows the puzzle and the rating, followed by the steps.
fn path_of(puzzle: &Grid) -> (Rating, String) {
    let (rating, steps) = explain(puzzle);
    let text = steps.iter().fold(format!("{puzzle} {rating}"), |text, step| format!("{text}\n  {step}"));
    (rating, text)
}

impl Job for Rate {
    type Worker = RateWorker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> RateWorker {
        RateWorker { solve: self.solve.worker(stop), isomorphs: Vec::new(), searched: Answers::default() }
    }

    fn answer(&self, worker: &mut RateWorker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let records = read.records;
        let solved = self.solve.search(&mut worker.solve, read, table);
        for row in 0..solved {
            let (puzzle, found) = (&records.puzzles()[row], worker.solve.solved.only_solution(row).copied());
            let isomorphs = self.isomorphs.filter(|_| found.is_ok());
            let spread = isomorphs.and_then(|isomorphs| worker.guesses_of(isomorphs, puzzle));
            // The last search may have been stopped.
            if worker.solve.searcher.flag().load(Ordering::Relaxed) {
                return Then::after(row, records);
            }
            let status = found.as_ref().map_or_else(|why| why.0.into(), |_| Status::Rated);
            let mut rated = table.row(status);
            let answers = &worker.solve.solved.found;
            let guesses = answers.guesses()[row];
            rated.number(&Field::GUESSES, guesses).number(&Field::TIME, answers.times_ns()[row]);
            if let Some([mean, deviation]) = spread {
                rated.decimal(&MEAN, mean).decimal(&DEVIATION, deviation);
            }
            match found {
                Ok(solution) => {
                    let mut measured = Measured::new(puzzle, &solution, guesses, self.most_exact);
                    if self.with_steps {
                        let (rating, path) = path_of(puzzle);
                        measured = measured.with_rating(rating);
                        rated.text(&STEPS, path.as_bytes());
                    }
                    measured.set(&mut rated);
                }
                Err((_, fault)) => {
                    rated.error(fault);
                }
            }
        }
        Then::after(solved, records)
    }
}
