//! The search that jobs share: it searches a batch's sudokus side by side, and variants one by one.
//!
//! If the verifier rejects the backend's answer to a sudoku, the scalar solver, which shares no code with the lane
//! engine, answers instead. With `--recheck`, it also recounts the solutions of every unique or unsolvable puzzle.

use std::num::NonZeroU64;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::ReadBatch;
use crate::record::{Fault, FaultKind, Place, Records, Variant};
use crate::solver::{Answers, Backend, BatchSolver, Defect, Limits, Outcome, Verdict};
use crate::sudoku::{Grid, verifier};

/// The name that selects the fastest backend.
pub const AUTO: &str = "auto";

/// Returns the backend with this name. If it fails, the error lists the backends that this processor can run.
pub fn backend(name: &str) -> Result<Backend, Vec<&'static str>> {
    let named = if name == AUTO { Some(Backend::best()) } else { Backend::named(name) };
    named.ok_or_else(|| Backend::available().into_iter().map(Backend::name).collect())
}

/// The search options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// The engine used for sudokus.
    pub backend: Backend,
    /// The limits of each search.
    pub limits: Limits,
}

/// A thread's solver and memory.
pub struct Searcher {
    solver: Box<dyn BatchSolver>,
    /// The scalar solver, once it has been used.
    second: Option<Box<dyn BatchSolver>>,
    flag: Arc<AtomicBool>,
    limits: Limits,
    recheck: bool,
    /// The sudokus among the records, and the answers to them; unused if all records are sudokus.
    gathered: Vec<Grid>,
    scattered: Answers,
}

impl Searcher {
    /// Creates a searcher for one thread; its searches end once the flag is raised. With `recheck`, it recounts the
    /// solutions of unique and unsolvable puzzles.
    pub fn new(options: SearchOptions, recheck: bool, flag: Arc<AtomicBool>) -> Self {
        let mut solver = options.backend.solver();
        solver.stop_on(Arc::clone(&flag));
        Self {
            solver,
            second: None,
            flag,
            limits: options.limits,
            recheck,
            gathered: Vec::new(),
            scattered: Answers::default(),
        }
    }

    /// Replaces both solvers: the one that searches and the one that checks.
    #[cfg(test)]
    pub fn with_solvers(self, solver: Box<dyn BatchSolver>, second: Box<dyn BatchSolver>) -> Self {
        Self { solver, second: Some(second), ..self }
    }

    /// Searches all sudokus in a batch. `answers` gets a row for each record, which is blank if the record is not a
    /// sudoku.
    pub fn sudokus(&mut self, records: &Records, answers: &mut Answers) {
        answers.clear();
        if records.all_sudokus() {
            return self.grids(records.puzzles(), answers);
        }
        let rows = (0..records.len()).filter(|&row| records.is_sudoku(row));
        self.gathered.clear();
        self.gathered.extend(rows.clone().map(|row| records.puzzles()[row]));
        self.scattered.clear();
        self.solver.solve(&self.gathered, &self.limits, &mut self.scattered);
        answers.push_blank(records.len(), Verdict::Unsolvable);
        for (row, outcome) in rows.zip(self.scattered.iter()) {
            answers.set(row, outcome);
        }
    }

    /// Searches these grids.
    pub fn grids(&mut self, grids: &[Grid], answers: &mut Answers) {
        self.solver.solve(grids, &self.limits, answers);
    }

    /// Returns the flag that ends the searches.
    pub const fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }
}

/// The result of checking the answer in a row.
#[derive(Debug)]
pub enum Settled {
    /// The answer was accepted.
    Accepted,
    /// The answer was rejected because of this fault and replaced by the scalar solver's answer.
    Corrected(Fault),
    /// The answer was rejected because of this fault, and there is no other answer.
    Refused(Fault),
}

impl Searcher {
    /// Accepts the answer to the sudoku in a row or, failing that, the scalar solver's answer. `refuse` returns the
    /// fault of the row's answer, if any.
    #[inline]
    pub fn settle(
        &mut self,
        puzzle: &Grid,
        row: usize,
        found: &mut Answers,
        refuse: impl Fn(&mut Answers) -> Option<Fault>,
    ) -> Settled {
        match refuse(found) {
            None if self.recheck => self.recount(puzzle, row, found),
            None => Settled::Accepted,
            Some(fault) => {
                let time_ns = found.times_ns()[row];
                let limits = self.limits;
                found.set(row, self.ask_again(puzzle, &limits));
                found.times_ns[row] += time_ns;
                if refuse(found).is_none() { Settled::Corrected(fault) } else { Settled::Refused(fault) }
            }
        }
    }

    /// Searches a variant and accepts the answer unless `refuse` returns a fault. No other solver can solve such a
    /// puzzle.
    pub fn settle_variant(
        &self,
        puzzle: &dyn Variant,
        row: usize,
        found: &mut Answers,
        refuse: impl Fn(&mut Answers) -> Option<Fault>,
    ) -> Settled {
        let before = Instant::now();
        let outcome = puzzle.solve(&self.limits, &self.flag);
        let time_ns = u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX);
        found.set(row, Outcome { time_ns, ..outcome });
        refuse(found).map_or(Settled::Accepted, Settled::Refused)
    }

    /// Recounts the solutions of a unique or unsolvable puzzle.
    #[cold]
    fn recount(&mut self, puzzle: &Grid, row: usize, found: &mut Answers) -> Settled {
        /// The number of solutions to search for: enough to distinguish one from several.
        const TWO: NonZeroU64 = NonZeroU64::MIN.saturating_add(1);
        let first = found.get(row).expect("the row was searched");
        if !matches!(first.verdict, Verdict::Unique | Verdict::Unsolvable) {
            return Settled::Accepted;
        }
        // The scalar solver makes different guesses, so `--max-guesses` does not limit it here.
        let second = self.ask_again(puzzle, &Limits::default().with_solutions(TWO));
        if second.verdict == Verdict::Stopped {
            found.verdicts[row] = Verdict::Stopped;
            return Settled::Accepted;
        }
        if (second.verdict, second.solution) == (first.verdict, first.solution) {
            return Settled::Accepted;
        }
        found.set(row, Outcome { verdict: Verdict::InternalError, solution: None, ..first });
        let said = match second.verdict {
            Verdict::Unique if first.verdict == Verdict::Unique => "unique, with another solution",
            Verdict::Unique => "unique",
            Verdict::Multiple => "multiple",
            Verdict::Unsolvable => "unsolvable",
            _ => "nothing",
        };
        let expected = if first.verdict == Verdict::Unique { "unique" } else { "unsolvable" };
        Settled::Refused(Fault::new(FaultKind::Recount, None).text(said).text(expected))
    }

    /// Returns the scalar solver's answer to a sudoku.
    #[cold]
    fn ask_again(&mut self, puzzle: &Grid, limits: &Limits) -> Outcome {
        let solver = self.second.get_or_insert_with(|| {
            let mut solver = Backend::SCALAR.solver();
            solver.stop_on(Arc::clone(&self.flag));
            solver
        });
        let mut answers = Answers::default();
        solver.solve(slice::from_ref(puzzle), limits, &mut answers);
        answers.get(0).expect("a solver answers every puzzle")
    }
}

/// Returns the number of rows that precede the first one whose search was stopped, or all rows if none was stopped.
pub fn rows_answered(answers: &Answers) -> usize {
    let stopped = answers.verdicts().iter().position(|&verdict| verdict == Verdict::Stopped);
    stopped.unwrap_or(answers.len())
}

/// Returns the fault that reports a solver defect.
pub const fn fault_of(defect: Defect) -> Fault {
    let kind = match defect {
        Defect::FailedCheck => FaultKind::FailedCheck,
        Defect::DeniedSolution => FaultKind::DeniedSolution,
        Defect::MissingSolution => FaultKind::MissingSolution,
    };
    Fault::new(kind, None)
}

/// Returns the reason why a sudoku-only job rejects a record, if the record's puzzle is a variant.
pub fn refused_variant(records: &Records, row: usize, why: fn(&str) -> String) -> Option<Fault> {
    let place = Place { line: records.lines()[row], column: 1 };
    Some(records.variants().get(row)?.kind().refused(Some(place), why))
}

/// Returns the fault of a sudoku that has no solution because two of its clues clash.
///
/// Only unsolvable puzzles can have a clash, so this check is run after the search and on those puzzles only.
#[cold]
pub fn clash(ReadBatch { batch, records }: ReadBatch<'_>, row: usize) -> Option<Fault> {
    let clash = verifier::clash(&records.puzzles()[row])?;
    let [first, second] = clash.cells.map(|cell| batch.place(records, row, cell));
    Some(Fault::clash(clash.digit, first, second, clash.house))
}
