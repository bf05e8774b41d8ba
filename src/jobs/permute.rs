//! Permute: seeded random isomorphs of every puzzle, with its claimed solution carried along.
//!
//! The isomorphs of a record depend on the seed and its number alone, so threads and batches do not matter. They differ
//! from the puzzle and from each other as long as it has as many: a draw that came up before is drawn again, and when
//! luck runs out, the group is walked through.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_inline};

use super::convert::{self, Claims, Convert};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, Then};
use crate::input::{Batch, Source};
use crate::output::Encode;
use crate::record::{Column, Fault, Field, Records, Schema, Sparse, Texts, Type, Want, Weight, Word};
use crate::sudoku::{Grid, Subgroup, Symmetry};

/// Most rows of a page.
const MOST_ROWS: usize = 1 << 14;

/// Draws that may come up again one after another before the group is walked through.
const MOST_REPEATS: usize = 64;

/// Most steps of such a walk; groups that have more are left by even strides.
const MOST_STEPS: u64 = 1 << 20;

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
    check_row: None,
};

/// Which symmetries are applied.
#[derive(Clone, Copy, Debug)]
pub enum Symmetries {
    /// Random ones for each record.
    Random {
        /// How many.
        count: u64,
        /// Seed of the random numbers.
        seed: u64,
        /// Where they are drawn from.
        from: Subgroup,
    },
    /// The same one for all records.
    One(Symmetry),
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

    fn of(convert: Convert, symmetries: Symmetries, with_symmetry: bool) -> Self {
        let mut schema = Schema { statuses: STATUSES, ..convert.schema().clone() };
        schema.fields.extend(with_symmetry.then_some(SYMMETRY));
        Self { symmetries, with_symmetry, convert, schema }
    }

    /// Drops the columns that the output format cannot hold; returns their names.
    #[must_use]
    pub fn fitted(mut self, sources: &[&Source], encoder: &dyn Encode) -> (Self, Vec<String>) {
        self.convert.schema_mut().carried = std::mem::take(&mut self.schema.carried);
        let (convert, left_out) = self.convert.fitted(sources, encoder);
        (Self::of(convert, self.symmetries, self.with_symmetry), left_out)
    }

    /// Makes the next page.
    fn permute(&self, batch: &Batch, records: &Records, answers: &mut PermuteAnswers) -> Answered {
        let PermuteAnswers { converted, next, open, rows } = answers;
        rows.clear();
        while let Some(&status) = converted.0.get(*next) {
            if rows.of.len() == MOST_ROWS {
                return Answered { rows: rows.of.len(), then: Then::More };
            }
            let record = *next;
            if status != 0 {
                rows.push_fault(record, status, converted.1.get(record));
                *next += 1;
                continue;
            }
            let puzzle = &records.puzzles()[record];
            let symmetry = match self.symmetries {
                Symmetries::One(symmetry) => symmetry,
                Symmetries::Random { seed, from, .. } => {
                    let id = batch.first_id + record as u64;
                    open.get_or_insert_with(|| Orbit::new(puzzle, seed.wrapping_add(id), from)).draw(puzzle)
                }
            };
            let (claims, given) = records.claims.grids();
            let claim = given.get(record).is_some_and(|given| *given).then(|| &claims[record]);
            rows.push(record, symmetry, puzzle, claim, self.with_symmetry);
            let count = if let Symmetries::Random { count, .. } = self.symmetries { count } else { 1 };
            if open.as_ref().is_none_or(|orbit| orbit.drawn == count) {
                *open = None;
                *next += 1;
            }
        }
        Answered { rows: rows.of.len(), then: Then::Done }
    }
}

/// The isomorphs of a puzzle that are drawn.
struct Orbit {
    rng: Xoshiro256PlusPlus,
    from: Subgroup,
    /// Hashes of the puzzle and of its isomorphs so far. One that has the hash of another is not drawn, which costs
    /// nothing: there are enough.
    seen: HashSet<u64>,
    drawn: u64,
    /// Whether all have come up, as far as was found.
    is_exhausted: bool,
}

impl Orbit {
    fn new(puzzle: &Grid, seed: u64, from: Subgroup) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { rng, from, seen: HashSet::from([hash(puzzle)]), drawn: 0, is_exhausted: false }
    }

    /// Draws a symmetry that leads to an isomorph which did not come up before, if there is one.
    fn draw(&mut self, puzzle: &Grid) -> Symmetry {
        self.drawn += 1;
        for _ in 0..MOST_REPEATS {
            let symmetry = self.from.random(&mut self.rng);
            if self.is_exhausted || self.seen.insert(hash(&symmetry.apply(puzzle))) {
                return symmetry;
            }
        }
        self.walk(puzzle).unwrap_or_else(|| {
            self.is_exhausted = true;
            self.from.random(&mut self.rng)
        })
    }

    /// Looks through the group, in even strides if it is large.
    #[cold]
    fn walk(&mut self, puzzle: &Grid) -> Option<Symmetry> {
        let order = self.from.order();
        let stride = order.div_ceil(MOST_STEPS);
        let mut symmetries = (0..order).step_by(stride as usize).map(|number| self.from.nth(number));
        symmetries.find(|symmetry| self.seen.insert(hash(&symmetry.apply(puzzle))))
    }
}

fn hash(grid: &Grid) -> u64 {
    rapidhash_v3_inline::<true, false, false>(grid.cells(), &DEFAULT_RAPID_SECRETS)
}

/// The answers to a batch, and the rows of a page.
#[derive(Default)]
pub struct PermuteAnswers {
    /// Which records can be written.
    converted: <Convert as Job>::Answers,
    /// The next record, and its orbit if it was begun.
    next: usize,
    open: Option<Orbit>,
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

    /// Adds the row of an isomorph.
    fn push(&mut self, record: usize, symmetry: Symmetry, puzzle: &Grid, claim: Option<&Grid>, named: bool) {
        self.of.push(record as u32);
        self.statuses.push(0);
        self.puzzles.push(symmetry.apply(puzzle));
        self.readable.push(true);
        self.solutions.push(claim.map_or(Grid::EMPTY, |claim| symmetry.apply(claim)));
        self.claimed.push(claim.is_some());
        if named {
            self.symmetries.push(Some(symmetry.to_string().as_bytes()));
        }
    }

    /// Adds the row of a record that has no isomorph.
    #[cold]
    fn push_fault(&mut self, record: usize, status: u8, fault: Option<&Fault>) {
        fault.into_iter().for_each(|fault| self.faults.push(self.of.len(), fault.clone()));
        self.of.push(record as u32);
        self.statuses.push(status);
        self.puzzles.push(Grid::EMPTY);
        self.readable.push(false);
        self.solutions.push(Grid::EMPTY);
        self.claimed.push(false);
        self.symmetries.push(None);
    }
}

impl Job for Permute {
    type Worker = ();
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

    fn worker(&self, _: Arc<AtomicBool>) {}

    fn answer(
        &self,
        worker: &mut (),
        batch: &Batch,
        records: &Records,
        answers: &mut PermuteAnswers,
    ) -> Answered {
        self.convert.answer(worker, batch, records, &mut answers.converted);
        (answers.next, answers.open) = (0, None);
        self.permute(batch, records, answers)
    }

    fn go_on(&self, (): &mut (), batch: &Batch, records: &Records, answers: &mut PermuteAnswers) -> Answered {
        self.permute(batch, records, answers)
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
    use crate::generate::sudoku::{Recipe, generate};
    use crate::solver::scalar::Scalar;
    use crate::solver::{Limits, Verdict};

    fn drawn(puzzle: &Grid, count: usize, from: Subgroup) -> HashSet<Grid> {
        let mut orbit = Orbit::new(puzzle, 1, from);
        (0..count).map(|_| orbit.draw(puzzle).apply(puzzle)).collect()
    }

    #[test]
    fn the_solution_of_the_isomorph_is_the_isomorph_of_the_solution() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let solve = |puzzle: &Grid| Scalar::new().solve_one(puzzle, &Limits::default());
        for _ in 0..30 {
            let puzzle = generate(Recipe::Minimal, &mut rng);
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
