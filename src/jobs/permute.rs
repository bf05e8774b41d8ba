//! Permute: seeded random isomorphs of every puzzle, with its claimed solution carried along.
//!
//! The isomorphs of a record depend on the seed and its number alone, so threads and batches do not matter. They differ
//! from the puzzle and from each other as long as it has as many: a draw that came up before is drawn again, and when
//! luck runs out, the group is walked through.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rapidhash::fast::RapidHasher;

use super::convert::{self, Claims, Convert};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, Then, grid_hash};
use crate::input::{Batch, Source};
use crate::output::Encode;
use crate::record::{Column, Fault, Field, Records, Schema, Sparse, Texts, Type, Want, Weight, Word};
use crate::sudoku::random::spread;
use crate::sudoku::{Grid, Subgroup, Symmetry};

/// Most rows of a page.
const MOST_ROWS: usize = 1 << 14;

/// Draws that may come up again one after another before the group is walked through.
const MOST_REPEATS: usize = 64;

/// Largest group that is walked through completely: digits and bands. More isomorphs of a puzzle than there may be rows.
const WALKED_ORDER: u64 = 2_177_280;

/// Further draws from a larger group, and for each isomorph that came up: these find all of them, but for one in e^32.
const LEAST_DRAWS: u64 = 1 << 14;
const DRAWS_EACH: u64 = 32;

/// The symmetry of a row.
const SYMMETRY: Field = Field::result(
    "symmetry",
    Type::Text,
    "how it was made, as --by reads it: rows, columns and digits; t if transposed first",
);

/// The words of the column `status`, which is not written; those of [`Convert`], at the same places.
const STATUSES: &[Word] =
    &[Word::unsearched("permuted", "its isomorphs are written", Weight::Answered), INVALID, INTERNAL_ERROR];

/// The entry in the list of jobs; the columns of the input come after these.
pub const ENTRY: JobEntry = JobEntry {
    name: "permute",
    has_origin: false,
    fields: &[Field::PUZZLE, convert::SOLUTION, SYMMETRY],
    statuses: STATUSES,
};

/// Which symmetries are applied.
#[derive(Clone, Copy, Debug)]
pub enum Symmetries {
    /// Random ones for each record.
    Random {
        /// How many.
        count: u64,
        /// Whether the first of them is the identity.
        from_original: bool,
        /// Seed of the random numbers.
        seed: u64,
        /// Where they are drawn from.
        from: Subgroup,
    },
    /// The same one for all records.
    One(Symmetry),
}

impl Symmetries {
    /// Random ones; any numbers are good seeds, even consecutive ones.
    #[must_use]
    pub fn random(count: u64, from_original: bool, seed: u64, from: Subgroup) -> Self {
        let seed = spread(seed);
        Self::Random { count, from_original, seed, from }
    }
}

/// Makes isomorphs of every record that can be read.
#[derive(Debug)]
pub struct Permute {
    symmetries: Symmetries,
    with_symmetry: bool,
    /// Which records can be written.
    convert: Convert,
    schema: Schema,
}

impl Permute {
    /// A job with or without the column of symmetries, which expects no claims.
    #[must_use]
    pub fn new(symmetries: Symmetries, with_symmetry: bool) -> Self {
        Self::of(Convert::new(Claims::Unexpected), symmetries, with_symmetry)
    }

    /// A job that refuses records without a right solution.
    #[must_use]
    pub fn with_solutions(symmetries: Symmetries) -> Self {
        Self::of(Convert::new(Claims::Needed), symmetries, false)
    }

    fn of(convert: Convert, symmetries: Symmetries, with_symmetry: bool) -> Self {
        let mut schema = Schema { statuses: STATUSES, ..convert.schema().clone() };
        schema.fields.extend(with_symmetry.then_some(SYMMETRY));
        Self { symmetries, with_symmetry, convert, schema }
    }

    /// The same job, except for claims.
    #[must_use]
    pub fn with_claims(self, claims: Claims) -> Self {
        Self::of(self.convert.with_claims(claims), self.symmetries, self.with_symmetry)
    }

    /// Drops the columns that one of the output formats cannot hold; returns their names.
    #[must_use]
    pub fn fitted(mut self, sources: &[&Source], encoders: &[&dyn Encode]) -> (Self, Vec<String>) {
        self.convert.schema_mut().carried = std::mem::take(&mut self.schema.carried);
        let (convert, mut left_out) = self.convert.fitted(sources, encoders);
        let mut with_symmetry = self.with_symmetry;
        if with_symmetry && encoders.iter().any(|encoder| encoder.fits_one_more(convert.schema()).is_err()) {
            left_out.push(SYMMETRY.name.to_owned());
            with_symmetry = false;
        }
        (Self::of(convert, self.symmetries, with_symmetry), left_out)
    }

    /// Makes the next page.
    fn permute(
        &self,
        stop: &AtomicBool,
        batch: &Batch,
        records: &Records,
        answers: &mut PermuteAnswers,
    ) -> Answered {
        let PermuteAnswers { converted, next, orbit, rows } = answers;
        rows.clear();
        while let Some(&status) = converted.0.get(*next) {
            if rows.of.len() == MOST_ROWS {
                let then = if stop.load(Ordering::Relaxed) { Then::Stopped } else { Then::More };
                return Answered { rows: rows.of.len(), then };
            }
            let record = *next;
            if status != 0 {
                rows.push_fault(record, status, converted.1.get(record));
                *next += 1;
                continue;
            }
            let puzzle = &records.puzzles()[record];
            let (claims, given) = records.claims.grids();
            let claim = given.get(record).is_some_and(|given| *given).then(|| &claims[record]);
            let (symmetry, isomorph, is_last) = match self.symmetries {
                Symmetries::One(symmetry) => (symmetry, symmetry.apply(puzzle), true),
                Symmetries::Random { count, from_original, seed, from } => {
                    if orbit.drawn == 0 {
                        orbit.begin(puzzle, seed.wrapping_add(batch.first_id + record as u64));
                    }
                    let (symmetry, isomorph) = if from_original && orbit.drawn == 0 {
                        orbit.drawn = 1;
                        (Symmetry::IDENTITY, *puzzle)
                    } else {
                        orbit.draw(puzzle, from)
                    };
                    (symmetry, isomorph, orbit.drawn == count)
                }
            };
            rows.push(record, 0, Some(isomorph), claim.map(|claim| symmetry.apply(claim)));
            if self.with_symmetry {
                rows.symmetries.push(Some(symmetry.to_string().as_bytes()));
            }
            if is_last {
                orbit.drawn = 0;
                *next += 1;
            }
        }
        Answered { rows: rows.of.len(), then: Then::Done }
    }
}

/// The isomorphs of a puzzle that are drawn.
struct Orbit {
    rng: Xoshiro256PlusPlus,
    /// Hashes of the puzzle and of its isomorphs so far. One that has the hash of another is not drawn, which costs
    /// nothing: there are enough.
    seen: HashSet<u64, BuildHasherDefault<RapidHasher<'static>>>,
    drawn: u64,
    /// Steps of the walk through the group; in a small one, what lies before has come up.
    walked: u64,
    /// Whether all have come up, as far as was found.
    is_exhausted: bool,
}

impl Default for Orbit {
    fn default() -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(0);
        Self { rng, seen: HashSet::default(), drawn: 0, walked: 0, is_exhausted: false }
    }
}

impl Orbit {
    /// Begins with a puzzle.
    fn begin(&mut self, puzzle: &Grid, seed: u64) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.seen.clear();
        self.seen.insert(grid_hash(puzzle));
        (self.drawn, self.walked, self.is_exhausted) = (0, 0, false);
    }

    /// Draws a symmetry that leads to an isomorph which did not come up before, if there is one.
    fn draw(&mut self, puzzle: &Grid, from: Subgroup) -> (Symmetry, Grid) {
        self.drawn += 1;
        for _ in 0..MOST_REPEATS {
            let symmetry = from.random(&mut self.rng);
            let isomorph = symmetry.apply(puzzle);
            if self.is_exhausted || self.seen.insert(grid_hash(&isomorph)) {
                return (symmetry, isomorph);
            }
        }
        self.walk(puzzle, from).unwrap_or_else(|| {
            self.is_exhausted = true;
            let symmetry = from.random(&mut self.rng);
            (symmetry, symmetry.apply(puzzle))
        })
    }

    /// Goes on through the group, by chance if it is large.
    #[cold]
    fn walk(&mut self, puzzle: &Grid, from: Subgroup) -> Option<(Symmetry, Grid)> {
        let is_small = from.order() <= WALKED_ORDER;
        let most = if is_small { from.order() } else { LEAST_DRAWS + DRAWS_EACH * self.seen.len() as u64 };
        while self.walked < most {
            let symmetry = if is_small { from.nth(self.walked) } else { from.random(&mut self.rng) };
            let isomorph = symmetry.apply(puzzle);
            self.walked += 1;
            if self.seen.insert(grid_hash(&isomorph)) {
                return Some((symmetry, isomorph));
            }
        }
        None
    }
}

/// The answers to a batch, and the rows of a page.
#[derive(Default)]
pub struct PermuteAnswers {
    /// Which records can be written.
    converted: <Convert as Job>::Answers,
    /// The next record, and what is drawn of it.
    next: usize,
    orbit: Orbit,
    rows: Rows,
}

/// The rows of a page, in columns.
#[derive(Default)]
struct Rows {
    of: Vec<u32>,
    statuses: Vec<u8>,
    faults: Sparse<Fault>,
    puzzles: Vec<Grid>,
    readable: Vec<bool>,
    solutions: Vec<Grid>,
    claimed: Vec<bool>,
    symmetries: Texts,
}

impl Rows {
    fn clear(&mut self) {
        self.of.clear();
        self.statuses.clear();
        self.faults.clear();
        self.puzzles.clear();
        self.readable.clear();
        self.solutions.clear();
        self.claimed.clear();
        self.symmetries.clear();
    }

    /// Adds a row, of an isomorph or of a record that has none.
    fn push(&mut self, record: usize, status: u8, isomorph: Option<Grid>, solution: Option<Grid>) {
        self.of.push(record as u32);
        self.statuses.push(status);
        self.readable.push(isomorph.is_some());
        self.puzzles.push(isomorph.unwrap_or(Grid::EMPTY));
        self.claimed.push(solution.is_some());
        self.solutions.push(solution.unwrap_or(Grid::EMPTY));
    }

    /// Adds the row of a record that has no isomorph.
    #[cold]
    fn push_fault(&mut self, record: usize, status: u8, fault: Option<&Fault>) {
        fault.into_iter().for_each(|fault| self.faults.push(self.of.len(), fault.clone()));
        self.push(record, status, None, None);
        self.symmetries.push(None);
    }
}

impl Job for Permute {
    type Worker = Arc<AtomicBool>;
    type Answers = PermuteAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn want(&self) -> Want {
        self.convert.want()
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> Arc<AtomicBool> {
        stop
    }

    fn answer(
        &self,
        stop: &mut Arc<AtomicBool>,
        batch: &Batch,
        records: &Records,
        answers: &mut PermuteAnswers,
    ) -> Answered {
        self.convert.answer(&mut (), batch, records, &mut answers.converted);
        (answers.next, answers.orbit.drawn) = (0, 0);
        self.permute(stop, batch, records, answers)
    }

    fn go_on(
        &self,
        stop: &mut Arc<AtomicBool>,
        batch: &Batch,
        records: &Records,
        answers: &mut PermuteAnswers,
    ) -> Answered {
        self.permute(stop, batch, records, answers)
    }

    fn of<'a>(&self, answers: &'a PermuteAnswers) -> Option<&'a [u32]> {
        Some(&answers.rows.of)
    }

    fn columns<'a>(&self, _: &'a Records, answers: &'a PermuteAnswers) -> Vec<Column<'a>> {
        let rows = &answers.rows;
        let mut columns = vec![
            Column::Words(&rows.statuses, STATUSES),
            Column::Faults(&rows.faults),
            Column::Grids(&rows.puzzles, &rows.readable),
        ];
        if self.convert.has_claims() {
            columns.push(Column::Grids(&rows.solutions, &rows.claimed));
        }
        if self.with_symmetry {
            columns.push(Column::Texts(&rows.symmetries));
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::puzzles::{Generator, Wish};
    use crate::solver::scalar::Scalar;
    use crate::solver::{Backend, Limits, Verdict};

    fn drawn(puzzle: &Grid, count: usize, from: Subgroup) -> HashSet<Grid> {
        let mut orbit = Orbit::default();
        orbit.begin(puzzle, 1);
        (0..count).map(|_| orbit.draw(puzzle, from).1).collect()
    }

    #[test]
    fn the_solution_of_the_isomorph_is_the_isomorph_of_the_solution() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let solve = |puzzle: &Grid| Scalar::new().solve_one(puzzle, &Limits::default());
        let made = Generator::new(1, Wish::default(), Backend::best()).puzzles(0..30);
        for puzzle in made.into_iter().flatten().map(|made| made.puzzle) {
            let symmetry = Symmetry::random(&mut rng);
            let (before, after) = (solve(&puzzle), solve(&symmetry.apply(&puzzle)));
            assert_eq!(after.verdict, Verdict::Unique);
            assert_eq!(after.solution, before.solution.map(|solution| symmetry.apply(&solution)));
        }
    }

    /// The sizes of orbits are known: what has no clue looks the same everywhere, one clue can be any digit anywhere.
    #[test]
    fn an_orbit_is_drawn_completely_before_anything_comes_again() {
        let only = |set: fn(&mut Subgroup)| {
            let mut subgroup = Subgroup::IDENTITY;
            set(&mut subgroup);
            subgroup
        };
        let full: Grid = "123456789456789123789123456231674895875912364694538217317265948542897631968341572"
            .parse()
            .unwrap();
        let mut one = Grid::EMPTY;
        one.set(40, 5);
        for (puzzle, from, orbit) in [
            (Grid::EMPTY, Subgroup::FULL, 1),
            (one, Subgroup::FULL, 729),
            (one, only(|group| group.digits = true), 9),
            (full, only(|group| group.bands = true), 6),
            (full, only(|group| group.rows = true), 216),
            (full, only(|group| group.transpose = true), 2),
            (full, only(|group| (group.rows, group.bands) = (true, true)), 1296),
        ] {
            let found = drawn(&puzzle, orbit - 1, from);
            assert_eq!(found.len(), orbit - 1, "{from:?}");
            assert!(!found.contains(&puzzle));
            // One more is not refused.
            assert_eq!(drawn(&puzzle, orbit, from).union(&HashSet::from([puzzle])).count(), orbit);
        }
        assert_eq!(drawn(&full, 5000, Subgroup::FULL).len(), 5000);
    }
}
