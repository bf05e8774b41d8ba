//! Solvers' answers, stored in columns.

use super::{Outcome, Verdict};
use crate::sudoku::Grid;

/// The outcomes of puzzles, stored by column, in the order of the puzzles.
///
/// ```
/// use batchdoku::sudoku::Grid;
/// use batchdoku::solver::{Options, Verdict, solve};
///
/// let answers = solve(&[Grid::EMPTY; 3], &Options::default());
/// assert_eq!(answers.verdicts(), [Verdict::Multiple; 3]);
/// assert_eq!(answers.counts(), [2; 3]);
/// let smallest = answers.solutions()[0].expect("an empty grid can be solved");
/// assert!(smallest.to_string().starts_with("123456789"));
/// assert_eq!(answers.iter().len(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) solutions: Vec<Option<Grid>>,
    pub(crate) counts: Vec<u64>,
    pub(crate) guesses: Vec<u64>,
    pub(crate) times_ns: Vec<u64>,
}

/// A solver defect that an answer reveals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    /// The verifier rejects the solution.
    FailedCheck,
    /// There is a solution, but the verdict says that there is none.
    DeniedSolution,
    /// The verdict says that there is a solution, but none was returned.
    MissingSolution,
}

impl Answers {
    /// Returns the number of puzzles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Returns whether there are no puzzles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// Returns the verdict on each puzzle.
    #[must_use]
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// Returns the solutions; see [`Outcome::solution`].
    #[must_use]
    pub fn solutions(&self) -> &[Option<Grid>] {
        &self.solutions
    }

    /// Returns the number of solutions found for each puzzle, at most the limit.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the number of branch nodes opened for each puzzle; see [`Outcome::guesses`].
    #[must_use]
    pub fn guesses(&self) -> &[u64] {
        &self.guesses
    }

    /// Returns the thread time spent on each puzzle, in nanoseconds.
    #[must_use]
    pub fn times_ns(&self) -> &[u64] {
        &self.times_ns
    }

    /// Returns the outcome in a row, or `None` if there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Outcome> {
        Some(Outcome {
            verdict: *self.verdicts.get(row)?,
            solutions: *self.counts.get(row)?,
            guesses: *self.guesses.get(row)?,
            time_ns: *self.times_ns.get(row)?,
            solution: *self.solutions.get(row)?,
        })
    }

    /// Returns the outcome of each puzzle, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Outcome> {
        (0..self.len()).map(|row| self.get(row).expect("columns are as long as each other"))
    }

    /// Adds an outcome.
    pub fn push(&mut self, outcome: Outcome) {
        self.push_blank(1, outcome.verdict);
        self.set(self.len() - 1, outcome);
    }

    /// Removes all rows but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.verdicts.clear();
        self.solutions.clear();
        self.counts.clear();
        self.guesses.clear();
        self.times_ns.clear();
    }

    /// Adds rows that contain only a verdict.
    pub(crate) fn push_blank(&mut self, rows: usize, verdict: Verdict) {
        let length = self.len() + rows;
        self.verdicts.resize(length, verdict);
        self.solutions.resize(length, None);
        self.counts.resize(length, 0);
        self.guesses.resize(length, 0);
        self.times_ns.resize(length, 0);
    }

    /// Replaces the outcome in a row.
    pub(crate) fn set(&mut self, row: usize, outcome: Outcome) {
        self.verdicts[row] = outcome.verdict;
        self.solutions[row] = outcome.solution;
        self.counts[row] = outcome.solutions;
        self.guesses[row] = outcome.guesses;
        self.times_ns[row] = outcome.time_ns;
    }

    /// Returns the solution in a row if `is_right` accepts it, or `None` if the verdict calls for no solution.
    ///
    /// Fails if the verdict contradicts the solution, or if `is_right` rejects it. In that case it removes the solution
    /// and sets the verdict to [`Verdict::InternalError`].
    #[inline]
    pub(crate) fn check(
        &mut self,
        row: usize,
        is_right: impl FnOnce(&Grid) -> bool,
    ) -> Result<Option<&Grid>, Defect> {
        let defect = match (self.verdicts[row], &self.solutions[row]) {
            (Verdict::Unsolvable | Verdict::Unfinished | Verdict::Stopped, None) => return Ok(None),
            (Verdict::Unsolvable | Verdict::Unfinished | Verdict::Stopped, Some(_)) => Defect::DeniedSolution,
            (Verdict::Unique | Verdict::Multiple | Verdict::Solved, None) => Defect::MissingSolution,
            (Verdict::Unique | Verdict::Multiple | Verdict::Solved, Some(solution)) => {
                if is_right(solution) {
                    return Ok(self.solutions[row].as_ref());
                }
                Defect::FailedCheck
            }
            (Verdict::InternalError, _) => Defect::FailedCheck,
        };
        self.verdicts[row] = Verdict::InternalError;
        self.solutions[row] = None;
        Err(defect)
    }

    /// Returns the rows from `start` onwards.
    pub(super) fn rows_from(&mut self, start: usize) -> AnswerRows<'_> {
        AnswerRows {
            verdicts: &mut self.verdicts[start..],
            solutions: &mut self.solutions[start..],
            counts: &mut self.counts[start..],
            guesses: &mut self.guesses[start..],
            times_ns: &mut self.times_ns[start..],
        }
    }

    /// Splits the columns into slices of `size` rows.
    pub(super) fn slices(&mut self, size: usize) -> impl Iterator<Item = AnswerRows<'_>> {
        let columns = self.verdicts.chunks_mut(size).zip(self.solutions.chunks_mut(size));
        let columns = columns.zip(self.counts.chunks_mut(size).zip(self.guesses.chunks_mut(size)));
        columns.zip(self.times_ns.chunks_mut(size)).map(
            |(((verdicts, solutions), (counts, guesses)), times_ns)| AnswerRows {
                verdicts,
                solutions,
                counts,
                guesses,
                times_ns,
            },
        )
    }
}

/// Some rows of [`Answers`], to be filled.
pub(super) struct AnswerRows<'a> {
    pub verdicts: &'a mut [Verdict],
    pub solutions: &'a mut [Option<Grid>],
    pub counts: &'a mut [u64],
    pub guesses: &'a mut [u64],
    pub times_ns: &'a mut [u64],
}

impl AnswerRows<'_> {
    /// Copies answers into the first rows.
    pub fn copy(&mut self, answers: &Answers) {
        let rows = answers.len().min(self.verdicts.len());
        self.verdicts[..rows].copy_from_slice(&answers.verdicts[..rows]);
        self.solutions[..rows].copy_from_slice(&answers.solutions[..rows]);
        self.counts[..rows].copy_from_slice(&answers.counts[..rows]);
        self.guesses[..rows].copy_from_slice(&answers.guesses[..rows]);
        self.times_ns[..rows].copy_from_slice(&answers.times_ns[..rows]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PROMISE: checked-solutions
    #[test]
    fn a_solution_is_kept_only_if_it_is_right_and_fits_the_verdict() {
        let found = [Verdict::Unique, Verdict::Multiple, Verdict::Solved];
        let not_found = [Verdict::Unsolvable, Verdict::Unfinished, Verdict::Stopped];
        let grid = Some(Grid::EMPTY);
        for (verdicts, solution, is_right, expected) in [
            (&found[..], grid, true, Ok(true)),
            (&found, grid, false, Err(Defect::FailedCheck)),
            (&found, None, true, Err(Defect::MissingSolution)),
            (&not_found, None, true, Ok(false)),
            (&not_found, grid, true, Err(Defect::DeniedSolution)),
            (&[Verdict::InternalError], grid, true, Err(Defect::FailedCheck)),
            (&[Verdict::InternalError], grid, false, Err(Defect::FailedCheck)),
        ] {
            for &verdict in verdicts {
                let mut answers = Answers::default();
                answers.push(Outcome { verdict, solutions: 1, guesses: 7, time_ns: 9, solution });
                let checked = answers.check(0, |_| is_right).map(|solution| solution.is_some());
                assert_eq!(checked, expected, "{verdict:?}");
                let left =
                    if expected.is_ok() { (verdict, solution) } else { (Verdict::InternalError, None) };
                assert_eq!((answers.verdicts()[0], answers.solutions()[0]), left);
            }
        }
    }
}
