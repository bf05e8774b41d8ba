//! Permute: seeded random isomorphs of every puzzle, with its claimed solution carried along.
//!
//! The isomorphs of a record depend on the seed and its number alone, so threads and batches do not matter. They differ
//! from the puzzle and from each other as long as there are enough. A draw that repeats an earlier one is repeated;
//! after too many repeats, the group is searched step by step.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rapidhash::fast::RapidHasher;

use super::convert::{self, Claims, Convert};
use super::{Answered, Choice, INTERNAL_ERROR, INVALID, Job, JobEntry, Then, grid_hash};
use crate::input::{Batch, Source};
use crate::output::Encode;
use crate::record::{Field, Label, Records, Schema, Severity, Table, Type, Want};
use crate::sudoku::random::spread;
use crate::sudoku::{Grid, Subgroup, Symmetry};

/// The most rows of a page.
const MOST_ROWS: usize = 1 << 14;

/// The most repeats in a row before the group is searched step by step.
const MOST_REPEATS: usize = 64;

/// The order of the largest group that is searched completely: digits and bands. No puzzle has as many rows.
const WALKED_ORDER: u64 = 2_177_280;

/// The least number of draws from a larger group, and more for each earlier isomorph. They find all but one in e^32.
const LEAST_DRAWS: u64 = 1 << 14;
const DRAWS_EACH: u64 = 32;

/// The symmetry that made a row.
const SYMMETRY: Field = Field::result(
    "symmetry",
    Type::Text,
    "how it was made, as --by reads it: rows, columns and digits; t if transposed first",
);

// The places are those of `Convert`, so that the same rows are written.
statuses! {
    Permuted = Label::unsearched("permuted", "its isomorphs are written", Severity::Answered),
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

/// The entry in the list of jobs; the columns of the input come after its own.
pub const ENTRY: JobEntry = JobEntry {
    name: "permute",
    has_origin: false,
    fields: &[Field::PUZZLE, convert::SOLUTION, SYMMETRY],
    statuses: STATUSES,
};

/// A part of a grid: its place in a group of symmetries.
pub type Part = fn(&mut Subgroup) -> &mut bool;

/// The names of the parts of a grid that can be permuted.
pub const PARTS: [Choice<Part>; 6] = [
    ("digits", "Relabel the digits", |group| &mut group.digits),
    ("rows", "Permute the rows of each band", |group| &mut group.rows),
    ("columns", "Permute the columns of each stack", |group| &mut group.columns),
    ("bands", "Permute the bands", |group| &mut group.bands),
    ("stacks", "Permute the stacks", |group| &mut group.stacks),
    ("transpose", "Transpose, or not", |group| &mut group.transpose),
];

/// Returns the symmetries that change these parts; all symmetries if there are none.
#[must_use]
pub fn subgroup(parts: &[Part]) -> Subgroup {
    let mut group = if parts.is_empty() { Subgroup::FULL } else { Subgroup::IDENTITY };
    parts.iter().for_each(|part| *part(&mut group) = true);
    group
}

/// The symmetries that are applied.
#[derive(Clone, Copy, Debug)]
pub enum Symmetries {
    /// Random symmetries for each record.
    Random {
        /// The number of symmetries.
        count: u64,
        /// Whether the first symmetry is the identity.
        from_original: bool,
        /// The seed of the random numbers.
        seed: u64,
        /// The group from which the symmetries are drawn.
        from: Subgroup,
    },
    /// The same symmetry for all records.
    One(Symmetry),
}

impl Symmetries {
    /// Makes random symmetries; any numbers are good seeds, even consecutive ones.
    #[must_use]
    pub fn random(count: u64, from_original: bool, seed: u64, from: Subgroup) -> Self {
        let seed = spread(seed);
        Self::Random { count, from_original, seed, from }
    }
}

/// The job that makes isomorphs of every record that can be read.
#[derive(Debug)]
pub struct Permute {
    symmetries: Symmetries,
    with_symmetry: bool,
    /// The job that decides which records can be written.
    convert: Convert,
    schema: Schema,
}

impl Permute {
    /// Makes a job with or without the column of symmetries, which expects no claims.
    #[must_use]
    pub fn new(symmetries: Symmetries, with_symmetry: bool) -> Self {
        Self::of(Convert::new(Claims::Unexpected), symmetries, with_symmetry)
    }

    /// Makes a job that refuses records without a right solution.
    #[must_use]
    pub fn with_solutions(symmetries: Symmetries) -> Self {
        Self::of(Convert::new(Claims::Needed), symmetries, false)
    }

    fn of(convert: Convert, symmetries: Symmetries, with_symmetry: bool) -> Self {
        let mut schema = Schema { statuses: STATUSES, ..convert.schema().clone() };
        schema.fields.extend(with_symmetry.then_some(SYMMETRY));
        Self { symmetries, with_symmetry, convert, schema }
    }

    /// Sets how claims are handled.
    #[must_use]
    pub fn with_claims(self, claims: Claims) -> Self {
        Self::of(Convert::new(claims), self.symmetries, self.with_symmetry)
    }
}

/// The state of a thread.
pub struct PermuteWorker {
    stop: Arc<AtomicBool>,
    /// The next record, and the isomorphs drawn from it.
    next: usize,
    orbit: Orbit,
}

/// The isomorphs drawn from a puzzle.
struct Orbit {
    rng: Xoshiro256PlusPlus,
    /// Hashes of the puzzle and of its isomorphs so far. An isomorph with the hash of another is not drawn; there are
    /// enough others.
    seen: HashSet<u64, BuildHasherDefault<RapidHasher<'static>>>,
    drawn: u64,
    /// The steps of the search so far; in a small group, all isomorphs of these steps were drawn.
    walked: u64,
    /// Whether all isomorphs were drawn, as far as the search can say.
    is_exhausted: bool,
}

impl Default for Orbit {
    fn default() -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(0);
        Self { rng, seen: HashSet::default(), drawn: 0, walked: 0, is_exhausted: false }
    }
}

impl Orbit {
    /// Starts with a puzzle.
    fn begin(&mut self, puzzle: &Grid, seed: u64) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.seen.clear();
        self.seen.insert(grid_hash(puzzle));
        (self.drawn, self.walked, self.is_exhausted) = (0, 0, false);
    }

    /// Draws a symmetry that leads to a new isomorph, if there is one.
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

    /// Continues the search of the group, with random symmetries if it is large.
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

impl Job for Permute {
    type Worker = PermuteWorker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fit(
        &mut self,
        carried: &mut Vec<String>,
        sources: &[Source],
        encoders: &[&dyn Encode],
    ) -> Vec<String> {
        let mut convert = self.convert.clone();
        let mut left_out = convert.fit(carried, sources, encoders);
        let mut with_symmetry = self.with_symmetry;
        if with_symmetry && encoders.iter().any(|encoder| encoder.fits_one_more(convert.schema()).is_err()) {
            left_out.push(SYMMETRY.name.to_owned());
            with_symmetry = false;
        }
        *self = Self::of(convert, self.symmetries, with_symmetry);
        left_out
    }

    fn want(&self) -> Want {
        self.convert.want()
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> PermuteWorker {
        PermuteWorker { stop, next: 0, orbit: Orbit::default() }
    }

    fn begin(&self, worker: &mut PermuteWorker, _: &Batch, _: &Records, _: &mut Table) {
        (worker.next, worker.orbit.drawn) = (0, 0);
    }

    fn answer(
        &self,
        worker: &mut PermuteWorker,
        batch: &Batch,
        records: &Records,
        table: &mut Table,
    ) -> Answered {
        let PermuteWorker { stop, next, orbit } = worker;
        let (claims, claimed) = records.claims.grids();
        while *next < records.len() {
            if table.len() == MOST_ROWS {
                let then = if stop.load(Ordering::Relaxed) { Then::Stopped } else { Then::More };
                return Answered { rows: table.len(), then };
            }
            let record = *next;
            if orbit.drawn == 0
                && let Some(fault) = self.convert.refusal(batch, records, record)
            {
                table.row_of(record, Status::Invalid).error(fault);
                *next += 1;
                continue;
            }
            let puzzle = &records.puzzles()[record];
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
            let mut row = table.row_of(record, Status::Permuted);
            row.grid(&Field::PUZZLE, Some(&isomorph));
            if claimed.get(record).is_some_and(|claimed| *claimed) {
                row.grid(&convert::SOLUTION, Some(&symmetry.apply(&claims[record])));
            }
            row.text_with(&SYMMETRY, |text| text.extend_from_slice(symmetry.to_string().as_bytes()));
            if is_last {
                orbit.drawn = 0;
                *next += 1;
            }
        }
        Answered { rows: table.len(), then: Then::Done }
    }

    fn has_many_rows(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Generator, PuzzleSpec};
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
        let made = Generator::new(1, PuzzleSpec::default(), Backend::best()).puzzles(0..30);
        for puzzle in made.into_iter().flatten().map(|made| made.puzzle) {
            let symmetry = Symmetry::random(&mut rng);
            let (before, after) = (solve(&puzzle), solve(&symmetry.apply(&puzzle)));
            assert_eq!(after.verdict, Verdict::Unique);
            assert_eq!(after.solution, before.solution.map(|solution| symmetry.apply(&solution)));
        }
    }

    /// The sizes of orbits are known: a grid without clues has one isomorph, and one clue can be any digit anywhere.
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
            // One more is accepted.
            assert_eq!(drawn(&puzzle, orbit, from).union(&HashSet::from([puzzle])).count(), orbit);
        }
        assert_eq!(drawn(&full, 5000, Subgroup::FULL).len(), 5000);
    }
}
