//! Permute: makes seeded random isomorphs of every puzzle and carries its claimed solution along.
//!
//! A record's isomorphs depend only on the seed and the record's number, not on threads or batches. They differ from
//! the puzzle and from each other as long as there are enough of them. If a draw repeats an earlier isomorph, another
//! is drawn. After too many repeats, the group is searched step by step.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rapidhash::fast::RapidHasher;

use super::convert::{self, Claims, Convert};
use super::{Choice, INTERNAL_ERROR, INVALID, Job, JobEntry, ReadBatch, Then, grid_hash};
use crate::output::Encode;
use crate::record::{Field, Label, Schema, Severity, Table, Type, Want};
use crate::sudoku::random::spread;
use crate::sudoku::{Grid, Subgroup, Symmetry};

/// The maximum number of rows on a page.
const MOST_ROWS: usize = 1 << 14;

/// The maximum number of consecutive repeats before the group is searched step by step.
const MOST_REPEATS: usize = 64;

/// The order of the largest group that is searched completely: digits and bands. No puzzle is given that many rows.
const WALKED_ORDER: u64 = 2_177_280;

/// The minimum number of draws from a larger group, and the number added for each isomorph found so far. With that many
/// draws, a remaining isomorph is missed only once in e^32 cases.
const LEAST_DRAWS: u64 = 1 << 14;
const DRAWS_EACH: u64 = 32;

/// The symmetry that produced a row.
const SYMMETRY: Field = Field::result(
    "symmetry",
    Type::Text,
    "the symmetry applied, in --by notation: rows, columns and digits; t if transposed first",
);

// The statuses are in the same positions as in `Convert`, so the same rows are written.
statuses! {
    Permuted = Label::unsearched("permuted", "isomorphs of the puzzle were written", Severity::Answered),
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

/// The job's entry in the list of jobs; the input's own columns follow the job's columns.
pub const ENTRY: JobEntry = JobEntry {
    name: "permute",
    has_origin: false,
    fields: &[Field::PUZZLE, convert::SOLUTION, SYMMETRY],
    statuses: STATUSES,
};

/// A part of a grid that can be permuted, represented by its flag in a symmetry group.
pub type Part = fn(&mut Subgroup) -> &mut bool;

/// The names of the parts of a grid that can be permuted.
pub const PARTS: [Choice<Part>; 6] = [
    ("digits", "Relabel the digits", |group| &mut group.digits),
    ("rows", "Permute the rows within each band", |group| &mut group.rows),
    ("columns", "Permute the columns within each stack", |group| &mut group.columns),
    ("bands", "Permute the bands", |group| &mut group.bands),
    ("stacks", "Permute the stacks", |group| &mut group.stacks),
    ("transpose", "Transpose the grid, or leave it as it is", |group| &mut group.transpose),
];

/// Returns the group of symmetries that change these parts, or all symmetries if no parts are given.
#[must_use]
pub fn subgroup(parts: &[Part]) -> Subgroup {
    let mut group = if parts.is_empty() { Subgroup::FULL } else { Subgroup::IDENTITY };
    parts.iter().for_each(|part| *part(&mut group) = true);
    group
}

/// The symmetries to apply.
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
        /// The group that the symmetries are drawn from.
        from: Subgroup,
    },
    /// One symmetry for all records.
    One(Symmetry),
}

impl Symmetries {
    /// Returns random symmetries. Any number is a good seed, even if seeds are consecutive.
    #[must_use]
    pub fn random(count: u64, from_original: bool, seed: u64, from: Subgroup) -> Self {
        let seed = spread(seed);
        Self::Random { count, from_original, seed, from }
    }
}

/// The job that makes isomorphs of every readable record.
#[derive(Debug)]
pub struct Permute {
    symmetries: Symmetries,
    with_symmetry: bool,
    /// The job that decides which records can be written.
    convert: Convert,
    schema: Schema,
}

impl Permute {
    /// Creates a job that expects no claims, with or without the symmetry column.
    #[must_use]
    pub fn new(symmetries: Symmetries, with_symmetry: bool) -> Self {
        Self::of(Convert::new(Claims::Unexpected), symmetries, with_symmetry)
    }

    /// Creates a job that rejects records without a correct solution.
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

/// The state of one thread.
pub struct PermuteWorker {
    stop: Arc<AtomicBool>,
    /// The next record, and the isomorphs already drawn for it.
    next: usize,
    orbit: Orbit,
}

/// The isomorphs already drawn from a puzzle.
struct Orbit {
    rng: Xoshiro256PlusPlus,
    /// Hashes of the puzzle and of the isomorphs drawn so far. An isomorph whose hash is already in the set is not
    /// drawn; there are enough other isomorphs.
    seen: HashSet<u64, BuildHasherDefault<RapidHasher<'static>>>,
    drawn: u64,
    /// The number of search steps so far. In a small group, the isomorphs at these steps have all been drawn.
    walked: u64,
    /// Whether all isomorphs have been drawn, as far as the search can tell.
    is_exhausted: bool,
}

impl Default for Orbit {
    fn default() -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(0);
        Self { rng, seen: HashSet::default(), drawn: 0, walked: 0, is_exhausted: false }
    }
}

impl Orbit {
    /// Starts over with this puzzle.
    fn begin(&mut self, puzzle: &Grid, seed: u64) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.seen.clear();
        self.seen.insert(grid_hash(puzzle));
        (self.drawn, self.walked, self.is_exhausted) = (0, 0, false);
    }

    /// Draws a symmetry that gives a new isomorph, if one is left.
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

    /// Continues the search of the group, using random symmetries if it is large.
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

    fn fit(&mut self, carried: &mut Vec<String>, has_claims: bool, encoders: &[&dyn Encode]) -> Vec<String> {
        let mut convert = self.convert.clone();
        let mut left_out = convert.fit(carried, has_claims, encoders);
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

    fn begin(&self, worker: &mut PermuteWorker, _: ReadBatch<'_>, _: &mut Table) {
        (worker.next, worker.orbit.drawn) = (0, 0);
    }

    fn answer(&self, worker: &mut PermuteWorker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let ReadBatch { batch, records } = read;
        let PermuteWorker { stop, next, orbit } = worker;
        let (claims, claimed) = records.claims.grids();
        while *next < records.len() {
            if table.len() == MOST_ROWS {
                return if stop.load(Ordering::Relaxed) { Then::Stopped } else { Then::More };
            }
            let record = *next;
            if orbit.drawn == 0
                && let Some(fault) = self.convert.refusal(read, record)
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
        Then::Done
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

    /// The sizes of these orbits are known: an empty grid has one isomorph, and a single clue can be any digit in any
    /// cell.
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
            // One extra isomorph is allowed.
            assert_eq!(drawn(&puzzle, orbit, from).union(&HashSet::from([puzzle])).count(), orbit);
        }
        assert_eq!(drawn(&full, 5000, Subgroup::FULL).len(), 5000);
    }
}
