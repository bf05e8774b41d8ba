//! Generate: makes new puzzles, each from a seed and a number.
//!
//! The records are just numbers: record `n` becomes puzzle `n` of the seed, made by [`Generator`]. Batches are started
//! in parallel. If a puzzle in a batch is not found quickly, the batch waits until all earlier rows have been written.
//! Then all threads in the pool try grids for its puzzles, starting with the first puzzle. From then on, new puzzles
//! are written once every `PART`.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use super::measures::{self, Condition, Measure, Measured, exact, with_measures};
use super::{Choice, INTERNAL_ERROR, Job, JobEntry, ReadBatch, Then};
use crate::generate::{AT_ONCE, Generated, Generator, OpenPuzzles, PatternSymmetry, PuzzleSpec, Try};
use crate::input::{Value, Values};
use crate::output::Encode;
use crate::record::{Fault, FaultKind, Field, Label, Role, Schema, Severity, Table, Type};
use crate::solver::{Answers, Backend, BatchSolver, Limits, Wanted};
use crate::sudoku::{CELLS, Grid, verifier};

statuses! {
    Generated = Label::unsearched("generated", "the puzzle is as requested", Severity::Answered),
    NotFound = Label::unsearched(
        "not-found",
        "none of the grids tried contained such a puzzle (--tries)",
        Severity::Unanswered,
    ),
    NotTried = Label::unsearched(
        "not-tried",
        "not attempted, because the first puzzle was not found",
        Severity::Unanswered,
    ),
    InternalError = INTERNAL_ERROR,
}

/// Whether rows with each status are written.
pub const WRITTEN: [bool; STATUSES.len()] = [true, false, false, false];

const ID: Field = Field { about: "puzzle number, from 1", ..Field::ID };

const GUESSES: Field =
    Field::result("guesses", Type::Number, "branch nodes opened to prove that there is only one solution");

const WEIGHT: Field = Field::result(
    "weight",
    Type::Decimal,
    "how many minimal puzzles of a grid this one represents (--weights); weighted means estimate those over all \
     minimal puzzles",
);

const SOLUTION: Field =
    Field::result("solution", Type::Grid, "the solution: 81 digits, verified").with_role(Role::Solution);

/// The columns; a run has only those that it needs.
const FIELDS: &[Field] = &with_measures::<{ 3 + measures::FIELDS.len() + 3 }>(
    &[ID, Field::CLUES, GUESSES],
    &[WEIGHT, Field::PUZZLE, SOLUTION],
);

/// The job's entry in the list of jobs.
pub const ENTRY: JobEntry =
    JobEntry { name: "generate", has_origin: false, fields: FIELDS, statuses: STATUSES };

/// The names of the pattern symmetries, and what they mean.
pub const SYMMETRIES: [Choice<PatternSymmetry>; 8] = [
    ("none", "Any pattern", PatternSymmetry::None),
    ("rotate180", "Unchanged by a half turn", PatternSymmetry::Rotate180),
    ("rotate90", "Unchanged by a quarter turn", PatternSymmetry::Rotate90),
    ("mirror", "Left and right mirror each other", PatternSymmetry::Mirror),
    ("flip", "Top and bottom mirror each other", PatternSymmetry::Flip),
    ("diagonal", "Mirrored across the diagonal from A1 to I9", PatternSymmetry::Diagonal),
    ("antidiagonal", "Mirrored across the diagonal from A9 to I1", PatternSymmetry::Antidiagonal),
    ("full", "All of these symmetries", PatternSymmetry::Full),
];

/// The reason why no puzzle can meet the options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// Weights were requested, but these puzzles have none.
    #[error("only minimal puzzles that are not near others have weights")]
    Weightless,
    /// The number of grids to try is 0.
    #[error("no grid is to be tried")]
    Untried,
    /// Too few cells are allowed to hold clues.
    #[error(
        "pattern and symmetry leave {0} cells for clues, and a puzzle with one solution has at least {FEWEST_CLUES}"
    )]
    FewCells(u32),
    /// No puzzle has any of these numbers of clues.
    #[error("no puzzle has {0} clues: {1}")]
    Clues(String, String),
    /// No puzzle meets the condition.
    #[error("{0}")]
    Condition(String),
}

/// The minimum number of clues in a puzzle with one solution (McGuire, Tugemann and Civario, 2012).
const FEWEST_CLUES: u32 = 17;

/// The numbers of clues found in at least 1 in 10,000 minimal puzzles.
const USUAL_CLUES: RangeInclusive<u32> = 21..=29;

/// Returns a bit set of the numbers of clues that a puzzle can have. Fails if it is empty.
fn possible_clues(spec: &PuzzleSpec) -> Result<u128, Impossible> {
    let sums = spec.sums();
    let most = sums.ilog2();
    if most < FEWEST_CLUES {
        return Err(Impossible::FewCells(most));
    }
    let (start, end) = (*spec.clues.start(), (*spec.clues.end()).min(CELLS as u32));
    let clues = (start.max(FEWEST_CLUES)..=end).fold(0, |clues, number| clues | sums & 1 << number);
    if clues != 0 {
        return Ok(clues);
    }
    let why = if end < FEWEST_CLUES {
        format!("one solution needs at least {FEWEST_CLUES}")
    } else if start > most {
        format!("only {most} cells can have some")
    } else {
        "the symmetry makes groups of cells that do not add up to that".to_owned()
    };
    let asked = if start == end { start.to_string() } else { format!("{start} to {end}") };
    Err(Impossible::Clues(asked, why))
}

/// The maximum number of puzzles made in parallel: as many as the lanes work on.
pub const MOST_ROWS: usize = 1 << 10;

/// The maximum number of puzzles made in parallel if each takes a long time because many grids yield none.
pub const MOST_RARE_ROWS: usize = 1 << 6;

/// The maximum number of puzzles made in parallel if they are also rated.
pub const MOST_RATED_ROWS: usize = 1 << 4;

/// Returns the number of puzzles to make in parallel: at most `most`, and few enough to keep all threads busy.
#[must_use]
pub fn batch_rows(count: usize, threads: NonZeroUsize, most: usize) -> usize {
    (count / (8 * threads.get())).clamp(1, most)
}

/// The number of failed tries for the first puzzle after which all other puzzles are abandoned.
const FRUITLESS: u64 = 1_000_000;

/// The time after which a batch returns the puzzles it has so far.
const PART: Duration = Duration::from_millis(100);

/// The number of grids that a thread tries at once if puzzles are rated, since rating takes longer than generating.
const RATED_AT_ONCE: usize = 1 << 5;

/// The number of puzzles to make, presented as records that have no content.
#[derive(Debug)]
pub struct Count(pub usize);

impl Values for Count {
    fn len(&self) -> usize {
        self.0
    }

    fn get(&self, _: usize) -> Value<'_> {
        Value::Cells(Ok(Grid::EMPTY))
    }
}

/// Whether a column is present only in some runs.
fn is_optional(field: &Field) -> bool {
    Measure::is_column(field) || [GUESSES.name, WEIGHT.name].contains(&field.name)
}

/// The job that generates puzzles.
#[derive(Debug)]
pub struct Generate {
    seed: u64,
    spec: PuzzleSpec,
    condition: Condition,
    /// A bit set of the numbers of clues that the puzzles can have.
    clues: u128,
    /// The names of the requested columns.
    asked: Vec<&'static str>,
    backend: Backend,
    schema: Schema,
    grids_tried: AtomicU64,
    /// Whether the first puzzle was found, once this is known; true if it does not matter.
    has_first: Arc<OnceLock<bool>>,
}

impl Generate {
    /// Creates a job that generates puzzles that meet the condition, from this seed. Its columns are the given
    /// measures and those used in the condition. Fails if the options cannot be met.
    pub fn new(
        seed: u64,
        spec: PuzzleSpec,
        condition: Condition,
        measures: &[Measure],
        backend: Backend,
    ) -> Result<Self, Impossible> {
        if spec.weighted && (!spec.minimal || spec.near.is_some()) {
            return Err(Impossible::Weightless);
        }
        if spec.tries == 0 {
            return Err(Impossible::Untried);
        }
        let clues = possible_clues(&spec)?;
        condition.check(clues).map_err(Impossible::Condition)?;
        let clues = condition.clues(clues);
        let weight = spec.weighted.then_some(WEIGHT.name);
        let asked: Vec<_> = measures.iter().map(|measure| measure.name()).chain(weight).collect();
        let is_needed = |field: &Field| {
            let measure = Measure::named(field.name);
            asked.contains(&field.name) || measure.is_some_and(|measure| condition.needs(measure))
        };
        let fields = FIELDS[1..].iter().copied().filter(|field| !is_optional(field) || is_needed(field));
        let mut schema = Schema::without_answers(fields, STATUSES);
        schema.fields[0] = ID;
        let has_first = if spec.tries < FRUITLESS { OnceLock::from(true) } else { OnceLock::new() };
        Ok(Self {
            seed,
            spec,
            condition,
            clues,
            asked,
            backend,
            schema,
            grids_tried: AtomicU64::new(0),
            has_first: Arc::new(has_first),
        })
    }

    /// Returns the cell that records whether the first puzzle was found, once this is known and affects the other
    /// puzzles.
    #[must_use]
    pub fn has_first(&self) -> Arc<OnceLock<bool>> {
        Arc::clone(&self.has_first)
    }

    /// Whether the requested puzzles are very rare among random ones, judging by their numbers of clues.
    #[must_use]
    pub fn is_rare(&self) -> bool {
        let has_usual = USUAL_CLUES.into_iter().any(|number| self.clues >> number & 1 != 0);
        let is_random = self.spec.near.is_none() && self.spec.symmetry == PatternSymmetry::None;
        is_random && !has_usual && (self.spec.minimal || self.clues >> USUAL_CLUES.start() == 0)
    }

    /// Removes the solution column.
    #[must_use]
    pub fn without_solutions(mut self) -> Self {
        self.schema.fields.retain(|field| field.role != Role::Solution);
        self
    }
}

/// The state of one thread.
pub struct GenerateWorker {
    maker: Maker,
    /// The puzzles of the batch that have not been written yet.
    search: Option<OpenPuzzles>,
    stop: Arc<AtomicBool>,
}

/// The tools for making puzzles and counting their guesses.
struct Maker {
    generator: Generator,
    solver: Box<dyn BatchSolver>,
    puzzles: Vec<Grid>,
    answers: Answers,
}

impl Maker {
    /// Returns the number of guesses that a search makes for each puzzle.
    fn guesses<'a>(&mut self, puzzles: impl Iterator<Item = &'a Grid>) -> &[u64] {
        self.puzzles.clear();
        self.puzzles.extend(puzzles);
        self.answers.clear();
        self.solver.solve(&self.puzzles, &Limits::default().with_wanted(Wanted::Any), &mut self.answers);
        self.answers.guesses()
    }
}

impl Generate {
    fn maker(&self, stop: &Arc<AtomicBool>) -> Maker {
        let mut generator = Generator::new(self.seed, self.spec.clone(), self.backend);
        generator.stop_on(Arc::clone(stop));
        // This search only takes milliseconds, so it does not need to be stoppable.
        let solver = self.backend.solver();
        Maker { generator, solver, puzzles: Vec::new(), answers: Answers::default() }
    }

    /// Tries the next grids, using all threads in the pool if `by_all`. Returns whether there were any grids to try.
    fn try_some(&self, worker: &mut GenerateWorker, search: &mut OpenPuzzles, by_all: bool) -> bool {
        let GenerateWorker { maker, stop, .. } = worker;
        let at_once = if self.condition.is_quick() { AT_ONCE } else { RATED_AT_ONCE };
        let threads = if by_all { rayon::current_num_threads() } else { 1 };
        // Each thread gets several parts, so all threads finish at about the same time.
        let tries = search.tries(if threads > 1 { 2 * threads * at_once } else { at_once });
        let accepted = Mutex::default();
        let found = if threads > 1 && tries.len() > at_once {
            let parts = tries.par_chunks(at_once);
            let found =
                parts.map_init(|| self.maker(stop), |maker, part| self.found(maker, part, &accepted, stop));
            found.collect::<Vec<_>>().concat()
        } else {
            self.found(maker, &tries, &accepted, stop)
        };
        // The results of a stopped search are not valid.
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        self.grids_tried.fetch_add(tries.len() as u64, Ordering::Relaxed);
        search.take(&tries, found);
        !tries.is_empty()
    }

    /// Returns the puzzles from these grids that meet the condition, unless an earlier grid already gives one.
    /// `accepted` holds those found so far.
    fn found(
        &self,
        maker: &mut Maker,
        tries: &[Try],
        accepted: &Mutex<Vec<Try>>,
        stop: &AtomicBool,
    ) -> Vec<(Try, Generated)> {
        let mut made = maker.generator.make(tries);
        if self.condition.is_empty() {
            return made;
        }
        let counted = if self.condition.needs(Measure::Guesses) {
            maker.guesses(made.iter().map(|(_, made)| &made.puzzle))
        } else {
            &[]
        };
        let (most, mut counted) = (self.condition.exact(), counted.iter().copied());
        let is_late = |one: &Try| {
            let accepted = accepted.lock().unwrap_or_else(PoisonError::into_inner);
            accepted.iter().any(|other| other.number == one.number && other.grid < one.grid)
        };
        made.retain(|(of, Generated { puzzle, solution, .. })| {
            let guesses = counted.next().unwrap_or_default();
            let holds = !stop.load(Ordering::Relaxed)
                && !is_late(of)
                && self.condition.holds(&Measured::new(puzzle, solution, guesses, most));
            if holds {
                accepted.lock().unwrap_or_else(PoisonError::into_inner).push(*of);
            }
            holds
        });
        made
    }

    /// Returns the first puzzles of a search, up to the first one that is still undecided.
    fn settled(&self, search: &mut OpenPuzzles, rows: usize) -> Vec<Option<Generated>> {
        let mut settled = Vec::new();
        if search.first() == 1
            && let Some(first) = search.next()
        {
            let _ = self.has_first.set(first.is_some());
            settled.push(first);
        }
        match self.has_first.get() {
            Some(true) => settled.extend(std::iter::from_fn(|| search.next())),
            // The search for all other puzzles is abandoned.
            Some(false) => settled.resize(rows, None),
            None => {}
        }
        settled
    }

    /// Adds the row for a puzzle.
    fn push(&self, number: u64, made: Option<&Generated>, guesses: u64, table: &mut Table) {
        let Some(Generated { puzzle, solution, weight }) = made else {
            let is_tried = number == 1 || self.has_first.get() != Some(&false);
            let status = if is_tried { Status::NotFound } else { Status::NotTried };
            table.row(status).no_puzzle();
            return;
        };
        if !verifier::sudoku(puzzle, solution) {
            table.row(Status::InternalError).no_puzzle().error(Fault::new(FaultKind::FailedCheck, None));
            return;
        }
        let mut row = table.row(Status::Generated);
        row.number(&Field::CLUES, puzzle.clues().into()).number(&GUESSES, guesses);
        Measured::new(puzzle, solution, guesses, exact(&self.schema)).set(&mut row);
        row.decimal(&WEIGHT, weight.unwrap_or_default());
        row.grid(&Field::PUZZLE, Some(puzzle)).grid(&SOLUTION, Some(solution));
    }

    /// Searches for the first puzzle again, in a run that resumes after that puzzle.
    fn find_first(&self, worker: &mut GenerateWorker) {
        let mut search = OpenPuzzles::new(1..2, &self.spec);
        while self.has_first.get().is_none() && self.try_some(worker, &mut search, true) {
            if let Some(found) = search.next() {
                let _ = self.has_first.set(found.is_some());
            }
        }
    }
}

impl Job for Generate {
    type Worker = GenerateWorker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fit(&mut self, _: &mut Vec<String>, _: bool, encoders: &[&dyn Encode]) -> Vec<String> {
        let mut left_out = Vec::new();
        if encoders.iter().any(|encoder| encoder.fits_one_more(&self.schema).is_err()) {
            let dropped = self.schema.fields.extract_if(.., |field| is_optional(field));
            // Columns that were not asked for are only there for a condition.
            let is_asked = |field: &Field| self.asked.contains(&field.name);
            left_out.extend(dropped.filter(is_asked).map(|field| field.name.to_owned()));
            self.spec.weighted = false;
        }
        if encoders.iter().any(|encoder| encoder.fits(&self.schema).is_err()) {
            self.schema.fields.retain(|field| field.role != Role::Solution);
        }
        left_out
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> GenerateWorker {
        GenerateWorker { maker: self.maker(&stop), search: None, stop }
    }

    fn answer(&self, worker: &mut GenerateWorker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let ReadBatch { batch, records } = read;
        let begun = Instant::now();
        let numbers = batch.first_id..batch.first_id + records.len() as u64;
        // A batch that is continued is the next one to be written.
        let continued = worker.search.take().filter(|search| search.first() == numbers.start);
        let is_next = continued.is_some();
        let mut search = continued.unwrap_or_else(|| OpenPuzzles::new(numbers, &self.spec));
        if is_next && batch.first_id > 1 {
            self.find_first(worker);
        }
        while self.has_first.get() != Some(&false)
            && self.try_some(worker, &mut search, is_next)
            && begun.elapsed() < PART
        {}
        let made = self.settled(&mut search, records.len());
        let has_guesses = self.schema.fields.iter().any(|field| field.name == GUESSES.name);
        let puzzles = made.iter().flatten().map(|made| &made.puzzle);
        let counted = if has_guesses { worker.maker.guesses(puzzles) } else { &[] };
        let mut counted = counted.iter().copied();
        for (number, made) in (batch.first_id..).zip(&made) {
            let guesses = made.and_then(|_| counted.next()).unwrap_or_default();
            self.push(number, made.as_ref(), guesses, table);
        }
        // If the run was stopped, puzzles that are still undecided get no row, because they may exist.
        if made.len() == records.len() || worker.stop.load(Ordering::Relaxed) {
            return Then::after(made.len(), records);
        }
        worker.search = Some(search);
        Then::Later
    }

    fn grids_tried(&self) -> Option<u64> {
        Some(self.grids_tried.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;
    use crate::record::Records;

    /// Returns the answers that a job's first call gives to a batch of puzzles.
    fn answered(
        job: &Generate,
        worker: &mut GenerateWorker,
        first_id: u64,
        rows: usize,
    ) -> (Then, Vec<Status>) {
        let mut source = Source::of_values("t", Arc::new(Count(rows)), None);
        let mut batch = source.next_batch(Vec::new(), CELLS * rows).unwrap().unwrap();
        let (mut records, mut table) = (Records::default(), Table::new(job.schema()));
        batch.read(job.want(), &mut records);
        batch.first_id = first_id;
        let then = job.answer(worker, ReadBatch { batch: &batch, records: &records }, &mut table);
        (then, table.statuses_mut().iter().map(|&status| status.into()).collect())
    }

    /// If the first puzzle is not found, no others are returned, even those that could be found.
    #[test]
    fn the_first_puzzle_decides_whether_others_are_looked_for() {
        let spec = PuzzleSpec { clues: 24..=24, tries: 2, ..PuzzleSpec::default() };
        let is_found = |seed, number| {
            Generator::new(seed, spec.clone(), Backend::best()).puzzles(number..number + 1)[0].is_some()
        };
        for first_is_found in [false, true] {
            let seed = (0..).find(|&seed| is_found(seed, 1) == first_is_found && is_found(seed, 2));
            let job = Generate::new(seed.unwrap(), spec.clone(), Condition::default(), &[], Backend::best());
            // This mimics the state after a million tries.
            let job = Generate { has_first: Arc::default(), ..job.unwrap() };
            let [mut one, mut two] = [(); 2].map(|()| job.worker(Arc::default()));
            assert_eq!(answered(&job, &mut two, 2, 1), (Then::Later, vec![]));
            let statuses =
                if first_is_found { [Status::Generated; 2] } else { [Status::NotFound, Status::NotTried] };
            assert_eq!(answered(&job, &mut one, 1, 1), (Then::Done, vec![statuses[0]]));
            assert_eq!(answered(&job, &mut two, 2, 1), (Then::Done, vec![statuses[1]]));
            // A resumed run has no result for the first puzzle.
            let job = Generate { has_first: Arc::default(), ..job };
            let mut worker = job.worker(Arc::default());
            assert_eq!(answered(&job, &mut worker, 2, 1), (Then::Later, vec![]));
            assert_eq!(answered(&job, &mut worker, 2, 1), (Then::Done, vec![statuses[1]]));
        }
    }

    /// A half turn swaps 40 pairs of cells, and a quarter turn moves 20 groups of four cells. Both leave one cell in
    /// place.
    #[test]
    fn clues_are_sums_of_what_belongs_together() {
        let clues = |symmetry, clues| {
            possible_clues(&PuzzleSpec { symmetry, clues, ..PuzzleSpec::default() }).map(u128::count_ones)
        };
        assert_eq!(clues(PatternSymmetry::None, 0..=81), Ok(65));
        assert_eq!(clues(PatternSymmetry::Rotate180, 0..=81), Ok(65));
        assert_eq!(clues(PatternSymmetry::Rotate90, 17..=25), Ok(5));
        for (symmetry, range) in [(PatternSymmetry::Rotate90, 22..=23), (PatternSymmetry::None, 0..=16)] {
            assert!(matches!(clues(symmetry, range), Err(Impossible::Clues(..))));
        }
        let corner = PuzzleSpec {
            pattern: (0..20).collect(),
            symmetry: PatternSymmetry::Rotate180,
            ..PuzzleSpec::default()
        };
        assert_eq!(possible_clues(&corner), Err(Impossible::FewCells(0)));
    }
}
