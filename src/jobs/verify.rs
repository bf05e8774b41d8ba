//! Verify: is the solution that a record claims right, and the only one?

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::claims::ClaimList;
use super::search::{SearchOptions, Searcher, Settled, clash, fault_of, rows_answered};
use super::solutions;
use super::solve::{MULTIPLE, SolveAnswers};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, UNFINISHED};
use crate::input::Batch;
use crate::record::{
    Claim, Claims, Column, Fault, FaultKind, Field, Records, Role, Schema, Sparse, Type, Want, Weight, Word,
};
use crate::solver::{Answers, Verdict};
use crate::sudoku::verifier::{self, Refusal};
use crate::sudoku::{CELLS, Case, Grid};

statuses! {
    Correct = Word::new("correct", "the claim is the only solution; with --trust-unique: a solution", Weight::Answered),
    Wrong = Word::new("wrong", "the claim is not a solution; `error` has the first reason", Weight::Unanswered),
    NotUnique = Word::new("not-unique", "the claim is one of several solutions; `other` is another", Weight::Unanswered),
    Unsolvable = Word::new("unsolvable", "the puzzle has no solution, proven", Weight::Unanswered),
    Missing = Word::new("missing", "the record has no claim", Weight::Unanswered),
    Unfinished = UNFINISHED,
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

/// The columns after those of the origin. A row without a search has neither guesses nor a time.
const FIELDS: &[Field] = &[
    Field::STATUS,
    Field::CLUES,
    Field::GUESSES,
    Field::TIME,
    Field::PUZZLE,
    Field::result("solution", Type::Grid, "the claimed solution, if it has 81 cells").with_role(Role::Claim),
    Field::result("other", Type::Grid, "another solution, checked"),
    Field::ERROR,
];

/// The entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "verify", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// Checks the claimed solution of every record.
#[derive(Debug)]
pub struct Verify {
    /// How to prove uniqueness; `None` if it is not proven.
    search: Option<SearchOptions>,
    recheck: bool,
    /// The claims, if they are not those of the records.
    beside: Option<Arc<ClaimList>>,
    schema: Schema,
}

impl Verify {
    /// A job with or without a proof of uniqueness, with or without the column of times.
    #[must_use]
    pub fn new(search: Option<SearchOptions>, times: bool) -> Self {
        Self { search, recheck: false, beside: None, schema: Schema::new(FIELDS, STATUSES, times) }
    }

    /// Sets whether the scalar solver counts again what is unique or unsolvable.
    #[must_use]
    pub fn with_recheck(self, recheck: bool) -> Self {
        Self { recheck, ..self }
    }

    /// Takes the claims from a list instead of the records.
    #[must_use]
    pub fn with_claims_of(self, beside: Option<Arc<ClaimList>>) -> Self {
        Self { beside, ..self }
    }
}

/// The columns besides those of the records.
#[derive(Debug, Default)]
pub struct VerifyAnswers {
    statuses: Vec<u8>,
    clues: Vec<u8>,
    /// A row for each record; blank if it was not searched.
    found: Answers,
    searched: Vec<bool>,
    others: Vec<Option<Grid>>,
    faults: Sparse<Fault>,
    /// What was wrong with answers that the scalar solver replaced.
    corrected: Sparse<Fault>,
    /// Rows whose claim is the smallest of several solutions, for which another is still to be found.
    rows_to_find_other: Vec<usize>,
    /// The claims of the batch, if they are not those of the records.
    beside: Option<Claims>,
}

impl VerifyAnswers {
    fn clear(&mut self) {
        self.statuses.clear();
        self.clues.clear();
        self.found.clear();
        self.searched.clear();
        self.others.clear();
        self.faults.clear();
        self.corrected.clear();
        self.rows_to_find_other.clear();
    }

    /// The claims of the batch.
    fn claims<'a>(&'a self, records: &'a Records) -> &'a Claims {
        self.beside.as_ref().unwrap_or(&records.claims)
    }

    /// Adds a row.
    fn push(&mut self, status: Status, fault: Option<Fault>, searched: bool) {
        if let Some(fault) = fault {
            self.faults.push(self.statuses.len(), fault);
        }
        self.statuses.push(status as u8);
        self.searched.push(searched);
        self.others.push(None);
    }
}

impl Job for Verify {
    type Worker = Option<Searcher>;
    type Answers = VerifyAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn want(&self) -> Want {
        Want { claims: self.beside.is_none() }
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> Option<Searcher> {
        self.search.map(|search| Searcher::new(search, self.recheck, stop))
    }

    fn answer(
        &self,
        worker: &mut Option<Searcher>,
        batch: &Batch,
        records: &Records,
        answers: &mut VerifyAnswers,
    ) -> Answered {
        answers.clear();
        answers.clues.extend(records.puzzles().iter().map(|puzzle| puzzle.clues() as u8));
        match worker {
            Some(searcher) => searcher.sudokus(records, &mut answers.found),
            None => answers.found.push_blank(records.len(), Verdict::Unfinished),
        }
        if let Some(list) = &self.beside {
            let ids = batch.first_id..batch.first_id + records.len() as u64;
            list.copy(ids, answers.beside.get_or_insert_default());
        }
        let beside = answers.beside.take();
        let claims = beside.as_ref().unwrap_or(&records.claims);
        let judge = Judge { batch, records, claims, beside: self.beside.as_deref() };
        for row in 0..records.len() {
            if let Some(fault) = records.faults().get(row) {
                answers.push(Status::Invalid, Some(fault.clone()), false);
            } else if let Some(case) = records.cases().get(row) {
                push_case(&judge, case, row, worker.as_mut(), answers);
            } else {
                push_sudoku(&judge, row, worker.as_mut(), answers);
            }
        }
        if let Some(searcher) = worker
            && !answers.rows_to_find_other.is_empty()
        {
            find_others(searcher, &judge, answers);
        }
        answers.beside = beside;
        Answered::a_row_each(rows_answered(&answers.found), records)
    }

    fn corrected<'a>(&self, answers: &'a VerifyAnswers) -> Option<&'a Sparse<Fault>> {
        Some(&answers.corrected)
    }

    fn columns<'a>(&self, records: &'a Records, answers: &'a VerifyAnswers) -> Vec<Column<'a>> {
        let (claims, claimed) = answers.claims(records).grids();
        vec![
            Column::Words(&answers.statuses, STATUSES),
            Column::SmallNumbers(&answers.clues, records.readable()),
            Column::SomeNumbers(answers.found.guesses(), &answers.searched),
            Column::SomeNumbers(answers.found.times_ns(), &answers.searched),
            Column::Grids(records.puzzles(), records.readable()),
            Column::Grids(claims, claimed),
            Column::SomeGrids(&answers.others),
            Column::Faults(&answers.faults),
        ]
    }
}

/// The status of the claim of a record that was solved already, and what is wrong with a wrong claim. A right claim of a
/// puzzle whose search was not finished is unfinished.
#[must_use]
pub fn status_of(batch: &Batch, records: &Records, row: usize, solved: &SolveAnswers) -> (u8, Option<Fault>) {
    let mut fault = None;
    let solved = solved.status(row).name;
    let status = match solved {
        _ if solved == INVALID.name => Status::Invalid,
        _ if !records.is_sudoku(row) => Status::Missing,
        _ => match (Judge::of(batch, records).sudoku(row), solved) {
            (Judgement::Missing, _) => Status::Missing,
            (Judgement::Right(_), "unique") => Status::Correct,
            (Judgement::Right(_), MULTIPLE) => Status::NotUnique,
            (Judgement::Right(_), _) => Status::Unfinished,
            (Judgement::Wrong(_), "unsolvable") => Status::Unsolvable,
            (Judgement::Wrong(reason), _) => {
                fault = Some(reason);
                Status::Wrong
            }
        },
    };
    (status as u8, fault)
}

/// What the verifier says of a claim.
enum Judgement<'a> {
    Missing,
    Right(&'a Grid),
    Wrong(Fault),
}

/// Checks the claims of a batch.
struct Judge<'a> {
    batch: &'a Batch,
    records: &'a Records,
    claims: &'a Claims,
    /// Where the claims are from, if not from the records.
    beside: Option<&'a ClaimList>,
}

impl<'a> Judge<'a> {
    /// A judge of the claims of the records.
    const fn of(batch: &'a Batch, records: &'a Records) -> Self {
        Self { batch, records, claims: &records.claims, beside: None }
    }

    /// Checks the claimed solution of a sudoku; the fault is the first reason, with its place.
    fn sudoku(&self, row: usize) -> Judgement<'a> {
        self.claim(row, |claimed| self.refusal(row, claimed))
    }

    /// Checks the claimed solution of a Sudominoku case.
    fn case(&self, case: &Case, row: usize) -> Judgement<'a> {
        self.claim(row, |claimed| {
            if verifier::sudominoku(case, claimed) {
                return None;
            }
            Some(self.refusal(row, claimed).unwrap_or_else(|| self.fault(FaultKind::ClaimDominoes, row, 0)))
        })
    }

    fn claim(&self, row: usize, refusal: impl Fn(&Grid) -> Option<Fault>) -> Judgement<'a> {
        match self.claims.get(row) {
            Claim::Missing => Judgement::Missing,
            Claim::Faulty(fault) => Judgement::Wrong(match self.beside {
                None => fault.clone(),
                Some(list) => fault.clone().in_path(Some(list.place(self.id(row)).1)),
            }),
            Claim::Grid(claimed) => refusal(claimed).map_or(Judgement::Right(claimed), Judgement::Wrong),
        }
    }

    /// Why a grid is no solution of the clues in a row.
    fn refusal(&self, row: usize, claimed: &Grid) -> Option<Fault> {
        let puzzle = &self.records.puzzles()[row];
        let fault = |kind, cell| self.fault(kind, row, cell);
        Some(match verifier::refusal(puzzle, claimed)? {
            Refusal::Blank { cell } => fault(FaultKind::ClaimBlank, cell).cell(cell),
            Refusal::Clue { cell } => {
                let fault = fault(FaultKind::ClaimClue, cell).number(claimed.get(cell)).cell(cell);
                fault.number(puzzle.get(cell))
            }
            Refusal::Repeat { digit, cells: [first, second], house, number } => {
                let fault = fault(FaultKind::ClaimRepeat, second).number(digit);
                fault.text(house.name()).number(number as u64).cell(first).cell(second)
            }
        })
    }

    /// A fault at a cell of a claim; of one that lies in another file, at its start.
    fn fault(&self, kind: FaultKind, row: usize, cell: usize) -> Fault {
        let (place, path) = match self.beside {
            Some(list) => {
                let (place, path) = list.place(self.id(row));
                (place, Some(path))
            }
            None => (self.batch.claim_place(self.records, row, cell), self.records.path(row)),
        };
        Fault::new(kind, Some(place)).in_path(path)
    }

    /// The number of the record in a row.
    const fn id(&self, row: usize) -> u64 {
        self.batch.first_id + row as u64
    }
}

/// The fault of an answer that contradicts a right claim.
fn contradiction(claim: &Judgement<'_>, verdict: Verdict, solution: Option<&Grid>) -> Option<Fault> {
    let Judgement::Right(claimed) = claim else { return None };
    let contradicts = match verdict {
        Verdict::Unfinished | Verdict::Stopped | Verdict::Multiple => false,
        Verdict::Unsolvable => true,
        Verdict::Unique | Verdict::Solved | Verdict::InternalError => solution != Some(*claimed),
    };
    contradicts.then(|| Fault::new(FaultKind::ContradictedClaim, None))
}

/// Adds the row of a sudoku, which was searched if there is a searcher.
fn push_sudoku(judge: &Judge<'_>, row: usize, searcher: Option<&mut Searcher>, answers: &mut VerifyAnswers) {
    let claim = judge.sudoku(row);
    let puzzle = &judge.records.puzzles()[row];
    let mut verdict = None;
    if let Some(searcher) = searcher {
        let settled = searcher.settle(puzzle, row, &mut answers.found, |found| {
            defect(found, row, &claim, |solution| verifier::sudoku(puzzle, solution))
        });
        match settled {
            Settled::Accepted => {}
            Settled::Corrected(fault) => answers.corrected.push(row, fault),
            Settled::Refused(fault) => return answers.push(Status::InternalError, Some(fault), true),
        }
        verdict = Some(answers.found.verdicts()[row]);
    }
    // A right claim keeps every clue, so none clash.
    let may_clash = match verdict {
        Some(verdict) => verdict == Verdict::Unsolvable,
        None => !matches!(claim, Judgement::Right(_)),
    };
    if may_clash && let Some(fault) = clash(judge.batch, judge.records, row) {
        // The row counts as not searched.
        return answers.push(Status::Invalid, Some(fault), false);
    }
    push_judged(row, claim, verdict, answers, |_, answers| {
        answers.rows_to_find_other.push(row);
        None
    });
}

/// Adds the row of a Sudominoku case, which is searched if there is a searcher.
fn push_case(
    judge: &Judge<'_>,
    case: &Case,
    row: usize,
    searcher: Option<&mut Searcher>,
    answers: &mut VerifyAnswers,
) {
    let claim = judge.case(case, row);
    // Nothing is said of a case without a claim.
    let Some(searcher) = searcher.filter(|_| !matches!(claim, Judgement::Missing)) else {
        return push_judged(row, claim, None, answers, |_, _| None);
    };
    answers.found.set(row, searcher.case(case));
    let is_right = |solution: &Grid| verifier::sudominoku(case, solution);
    if let Some(fault) = defect(&mut answers.found, row, &claim, is_right) {
        return answers.push(Status::InternalError, Some(fault), true);
    }
    let verdict = answers.found.verdicts()[row];
    push_judged(row, claim, Some(verdict), answers, |claimed, _| {
        let solutions = solutions::of_case(case.clone(), searcher.flag());
        solutions.flatten().find(|solution| solution != claimed)
    });
}

/// What is wrong with the answer in a row: by the check of its solution, or since it contradicts a right claim.
fn defect(
    found: &mut Answers,
    row: usize,
    claim: &Judgement<'_>,
    is_right: impl Fn(&Grid) -> bool,
) -> Option<Fault> {
    let verdict = found.verdicts()[row];
    match found.check(row, is_right) {
        Ok(solution) => contradiction(claim, verdict, solution),
        Err(defect) => Some(fault_of(defect)),
    }
}

/// Adds a row whose claim is judged and whose search, if there was one, is settled. `find_other` finds a solution other
/// than a claim that is the smallest of several, now or later.
fn push_judged(
    row: usize,
    claim: Judgement<'_>,
    verdict: Option<Verdict>,
    answers: &mut VerifyAnswers,
    find_other: impl FnOnce(&Grid, &mut VerifyAnswers) -> Option<Grid>,
) {
    let mut other = None;
    let (status, fault) = match (claim, verdict) {
        (Judgement::Right(_), Some(Verdict::Unfinished | Verdict::Stopped)) => (Status::Unfinished, None),
        (_, Some(Verdict::Unsolvable)) => (Status::Unsolvable, None),
        (Judgement::Missing, _) => (Status::Missing, None),
        (Judgement::Wrong(fault), _) => (Status::Wrong, Some(fault)),
        (Judgement::Right(claimed), Some(Verdict::Multiple)) => {
            other = answers.found.solutions()[row].filter(|found| found != claimed);
            if other.is_none() {
                other = find_other(claimed, answers);
            }
            (Status::NotUnique, None)
        }
        (Judgement::Right(_), _) => (Status::Correct, None),
    };
    answers.push(status, fault, verdict.is_some());
    answers.others[row] = other;
}

/// Finds another solution where the claim is the smallest one: the largest.
///
/// The search gives the smallest of several solutions, the same on every backend. With every digit `d` replaced by `10
/// - d` the smallest becomes the largest, which differs since there are at least two.
fn find_others(searcher: &mut Searcher, judge: &Judge<'_>, answers: &mut VerifyAnswers) {
    let puzzles = judge.records.puzzles();
    let rows = std::mem::take(&mut answers.rows_to_find_other);
    let mirrored: Vec<_> = rows.iter().map(|&row| mirror(&puzzles[row])).collect();
    let mut found = Answers::default();
    searcher.grids(&mirrored, &mut found);
    let claims = judge.claims.grids().0;
    for (at, &row) in rows.iter().enumerate() {
        let settled = searcher.settle(&mirrored[at], at, &mut found, |found| {
            let verdict = found.verdicts()[at];
            let is_right = |solution: &Grid| verifier::sudoku(&puzzles[row], &mirror(solution));
            match found.check(at, is_right) {
                Err(defect) => Some(fault_of(defect)),
                Ok(None) if matches!(verdict, Verdict::Unfinished | Verdict::Stopped) => None,
                Ok(Some(solution)) if mirror(solution) != claims[row] => None,
                Ok(_) => Some(Fault::new(FaultKind::ContradictedClaim, None)),
            }
        });
        // `guesses` remain those of the first search, which does not depend on the claim.
        answers.found.add_time(row, found.times_ns()[at]);
        answers.others[row] = found.solutions()[at].as_ref().map(mirror);
        match settled {
            Settled::Accepted => {}
            Settled::Corrected(fault) => {
                // The first answer may have been refused, too.
                if answers.corrected.get(row).is_none() {
                    answers.corrected.insert(row, fault);
                }
            }
            Settled::Refused(fault) => {
                answers.faults.insert(row, fault);
                answers.others[row] = None;
                answers.statuses[row] = Status::InternalError as u8;
                continue;
            }
        }
        match found.verdicts()[at] {
            // Another solution exists, but `--max-guesses` kept it from being found.
            Verdict::Unfinished => answers.statuses[row] = Status::Unfinished as u8,
            Verdict::Stopped => {
                answers.found.stop(row);
                answers.statuses[row] = Status::Unfinished as u8;
            }
            _ => {}
        }
    }
    answers.rows_to_find_other = rows;
}

/// The grid with every digit `d` replaced by `10 - d`.
fn mirror(grid: &Grid) -> Grid {
    let mut cells = [0; CELLS];
    for (mirrored, &digit) in cells.iter_mut().zip(grid.cells()) {
        *mirrored = if digit == 0 { 0 } else { 10 - digit };
    }
    Grid::from_digits(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{ReadOptions, Source};
    use crate::solver::{Backend, BatchSolver, Limits, Outcome};
    use std::io::Cursor;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// A solver with the same outcome for every puzzle.
    struct Says(Outcome);

    impl BatchSolver for Says {
        fn solve(&mut self, puzzles: &[Grid], _: &Limits, answers: &mut Answers) {
            puzzles.iter().for_each(|_| answers.push(self.0));
        }
    }

    /// The statuses of a right claim and a wrong one if the solver gives the first outcome, and `second` when asked
    /// again.
    fn answered(outcome: Outcome, second: Option<Box<dyn BatchSolver>>) -> ([Status; 2], usize) {
        let text = format!("{PUZZLE},{SOLUTION}\n{PUZZLE},9{}\n", &SOLUTION[1..]);
        let options = ReadOptions::default();
        let mut source = Source::from_reader("a", Cursor::new(text), &options).unwrap();
        let batch = source.next_batch(Vec::new(), 1000).unwrap().unwrap();
        let mut records = Records::default();
        batch.read(Want { claims: true }, &mut records);
        let mut answers = VerifyAnswers::default();
        let search = SearchOptions { backend: Backend::SCALAR, limits: Limits::default() };
        let searcher = Searcher::new(search, false, Arc::default());
        let mut worker = Some(searcher.with_solvers(Box::new(Says(outcome)), second));
        let rows = Verify::new(Some(search), false).answer(&mut worker, &batch, &records, &mut answers);
        assert_eq!((rows.rows, answers.others), (2, vec![None; 2]));
        let statuses =
            [Status::Correct, Status::Wrong, Status::Unsolvable, Status::Unfinished, Status::InternalError];
        let status = |row: usize| {
            let is_it = |status: &Status| *status as u8 == answers.statuses[row];
            statuses.into_iter().find(is_it).unwrap()
        };
        ([0, 1].map(status), answers.corrected.len())
    }

    fn outcome(verdict: Verdict, solution: Option<&str>) -> Outcome {
        let solution = solution.map(|digits| digits.parse().unwrap());
        Outcome { verdict, solutions: 1, guesses: 0, time_ns: 0, solution }
    }

    /// The statuses if both solvers give this outcome.
    fn statuses(verdict: Verdict, solution: Option<&str>) -> [Status; 2] {
        let outcome = outcome(verdict, solution);
        let (statuses, corrected) = answered(outcome, Some(Box::new(Says(outcome))));
        assert_eq!(corrected, 0);
        statuses
    }

    #[test]
    fn a_solver_that_is_right_is_believed() {
        assert_eq!(statuses(Verdict::Unique, Some(SOLUTION)), [Status::Correct, Status::Wrong]);
        assert_eq!(statuses(Verdict::Unfinished, None), [Status::Unfinished, Status::Wrong]);
    }

    /// A solution that passed the verifier is a proof that a solver cannot contradict.
    /// PROMISE: no-contradiction
    #[test]
    fn a_solver_that_contradicts_a_right_claim_or_itself_is_not_believed() {
        let wrong = SOLUTION.replacen("48", "84", 1);
        assert_eq!(statuses(Verdict::Unsolvable, None), [Status::InternalError, Status::Unsolvable]);
        for (verdict, solution) in [
            (Verdict::Unique, Some(&*wrong)),
            (Verdict::Multiple, Some(&wrong)),
            (Verdict::Unique, None),
            (Verdict::Unsolvable, Some(SOLUTION)),
            (Verdict::InternalError, None),
        ] {
            assert_eq!(statuses(verdict, solution), [Status::InternalError; 2], "{verdict:?} {solution:?}");
            let (statuses, corrected) = answered(outcome(verdict, solution), None);
            assert_eq!(
                (statuses, corrected),
                ([Status::Correct, Status::Wrong], 2),
                "{verdict:?} {solution:?}"
            );
        }
        let (statuses, corrected) = answered(outcome(Verdict::Unsolvable, None), None);
        // Only the claim contradicts the first answer.
        assert_eq!((statuses, corrected), ([Status::Correct, Status::Unsolvable], 1));
    }
}
