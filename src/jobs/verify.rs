//! Verify: checks whether the solution that a record claims is correct and unique.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::claims::ClaimList;
use super::search::{SearchOptions, Searcher, Settled, clash, fault_of, rows_answered};
use super::solutions;
#[cfg(feature = "report")]
use super::solve::{self, Solved};
use super::{INTERNAL_ERROR, INVALID, Job, JobEntry, ReadBatch, Then, UNFINISHED};
use crate::record::{
    Claim, Claims, Fault, FaultKind, Field, Label, Role, Schema, Severity, Table, Type, Variant, Want,
};
use crate::solver::{Answers, Verdict};
use crate::sudoku::verifier::{self, Clash, Refusal};
use crate::sudoku::{CELLS, Grid};

statuses! {
    Correct = Label::new("correct", "the claim is the only solution (with --trust-unique: any solution)", Severity::Answered),
    Wrong = Label::new("wrong", "the claim is not a solution; `error` gives the first reason", Severity::Unanswered),
    NotUnique = Label::new("not-unique", "the claim is one of several solutions; `other` is another", Severity::Unanswered),
    Unsolvable = Label::new("unsolvable", "the puzzle was proven to have no solution", Severity::Unanswered),
    Missing = Label::new("missing", "the record has no claim", Severity::Unanswered),
    Unfinished = UNFINISHED,
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

const CLAIM: Field =
    Field::result("solution", Type::Grid, "the claimed solution, if it has 81 cells").with_role(Role::Claim);
const OTHER: Field = Field::result("other", Type::Grid, "another solution, verified");

/// The columns that follow the origin columns. A row that was not searched has neither guesses nor a time.
const FIELDS: &[Field] =
    &[Field::STATUS, Field::CLUES, Field::GUESSES, Field::TIME, Field::PUZZLE, CLAIM, OTHER, Field::ERROR];

/// The job's entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "verify", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// The job that checks the claimed solution of every record.
#[derive(Debug)]
pub struct Verify {
    /// The options of the search that proves uniqueness; `None` if uniqueness is not to be proven.
    search: Option<SearchOptions>,
    recheck: bool,
    /// The list of claims, if they do not come from the records.
    beside: Option<Arc<ClaimList>>,
    schema: Schema,
}

impl Verify {
    /// Creates a job with or without the proof of uniqueness, and with or without the time column.
    #[must_use]
    pub fn new(search: Option<SearchOptions>, times: bool) -> Self {
        Self { search, recheck: false, beside: None, schema: Schema::new(FIELDS, STATUSES, times) }
    }

    /// Sets whether the scalar solver recounts the solutions of unique and unsolvable puzzles.
    #[must_use]
    pub fn with_recheck(self, recheck: bool) -> Self {
        Self { recheck, ..self }
    }

    /// Takes the claims from a list rather than from the records.
    #[must_use]
    pub fn with_claims_of(self, beside: Option<Arc<ClaimList>>) -> Self {
        Self { beside, ..self }
    }
}

/// The state of one thread.
pub struct VerifyWorker {
    /// The solvers; `None` if uniqueness is not to be proven.
    searcher: Option<Searcher>,
    memory: Memory,
    /// The claims for the batch, if they do not come from the records.
    beside: Claims,
}

impl VerifyWorker {
    /// Creates the state of a thread that uses this searcher.
    pub(super) fn new(searcher: Option<Searcher>) -> Self {
        Self { searcher, memory: Memory::default(), beside: Claims::default() }
    }
}

/// Results for a batch's records that are not part of the rows.
#[derive(Default)]
struct Memory {
    /// The answer to each record, which is blank if the record was not searched.
    found: Answers,
    /// Whether each row was searched.
    searched: Vec<bool>,
    /// The rows whose claim is the smallest of several solutions, so another solution still has to be found.
    rows_to_find_other: Vec<usize>,
}

impl Job for Verify {
    type Worker = VerifyWorker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn want(&self) -> Want {
        Want { claims: self.beside.is_none() }
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> VerifyWorker {
        VerifyWorker::new(self.search.map(|search| Searcher::new(search, self.recheck, stop)))
    }

    fn answer(&self, worker: &mut VerifyWorker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let ReadBatch { batch, records } = read;
        let VerifyWorker { searcher, memory, beside } = worker;
        memory.found.clear();
        memory.searched.clear();
        memory.rows_to_find_other.clear();
        match searcher {
            Some(searcher) => searcher.sudokus(records, &mut memory.found),
            None => memory.found.push_blank(records.len(), Verdict::Unfinished),
        }
        let claims = match &self.beside {
            Some(list) => {
                list.copy(batch.first_id..batch.first_id + records.len() as u64, beside);
                &*beside
            }
            None => &records.claims,
        };
        let judge = Judge { read, claims, beside: self.beside.as_deref() };
        for row in 0..records.len() {
            if let Some(fault) = records.faults().get(row) {
                memory.searched.push(false);
                table.row(Status::Invalid).error(fault.clone());
            } else {
                push(&judge, row, searcher.as_mut(), memory, table);
            }
        }
        if let Some(searcher) = searcher
            && !memory.rows_to_find_other.is_empty()
        {
            find_others(searcher, &judge, memory, table);
        }
        let rows = rows_answered(&memory.found);
        let found = &mut memory.found;
        table.take_numbers(&Field::GUESSES, &mut found.guesses, Some(&memory.searched));
        table.take_numbers(&Field::TIME, &mut found.times_ns, Some(&memory.searched));
        if self.beside.is_some() {
            let (claims, claimed) = claims.grids();
            for row in 0..records.len() {
                table.row_at(row).grid(&CLAIM, claimed[row].then(|| &claims[row]));
            }
        }
        table.truncate(rows);
        Then::after(rows, records)
    }
}

/// Returns the status of a solved record's claim, and the fault if the claim is wrong. A correct claim counts as
/// unfinished if the search for its puzzle was not completed.
#[cfg(feature = "report")]
#[must_use]
pub(crate) fn status_of(read: ReadBatch<'_>, row: usize, solved: &Solved) -> (Status, Option<Fault>) {
    let judge = Judge { read, claims: &read.records.claims, beside: None };
    match solved.status(row) {
        solve::Status::Invalid => (Status::Invalid, None),
        _ if !read.records.is_sudoku(row) => (Status::Missing, None),
        solved => match (judge.judge(row, None), solved) {
            (Judgement::Missing, _) => (Status::Missing, None),
            (Judgement::Right(_), solve::Status::Unique) => (Status::Correct, None),
            (Judgement::Right(_), solve::Status::Multiple) => (Status::NotUnique, None),
            (Judgement::Right(_), _) => (Status::Unfinished, None),
            (Judgement::Wrong(_), solve::Status::Unsolvable) => (Status::Unsolvable, None),
            (Judgement::Wrong(reason), _) => (Status::Wrong, Some(reason)),
        },
    }
}

/// The verifier's verdict on a claim.
enum Judgement<'a> {
    Missing,
    Right(&'a Grid),
    Wrong(Fault),
}

/// A judge of a batch's claims.
struct Judge<'a> {
    read: ReadBatch<'a>,
    claims: &'a Claims,
    /// The list that the claims come from, if they do not come from the records.
    beside: Option<&'a ClaimList>,
}

impl<'a> Judge<'a> {
    /// Checks a record's claimed solution. If `variant` is given, the puzzle is not a plain sudoku. The fault gives the
    /// first reason found and its place.
    fn judge(&self, row: usize, variant: Option<&Arc<dyn Variant>>) -> Judgement<'a> {
        match self.claims.get(row) {
            Claim::Missing => Judgement::Missing,
            Claim::Faulty(fault) => Judgement::Wrong(match self.beside {
                None => fault.clone(),
                Some(list) => fault.clone().in_path(Some(list.place(self.id(row)).1)),
            }),
            Claim::Grid(claimed) => {
                let of_kind = || Some(self.fault(variant?.refusal(claimed)?, row, 0));
                let refusal = self.refusal(row, claimed).or_else(of_kind);
                refusal.map_or(Judgement::Right(claimed), Judgement::Wrong)
            }
        }
    }

    /// Returns the reason why a grid does not solve the clues in a row, if it does not.
    fn refusal(&self, row: usize, claimed: &Grid) -> Option<Fault> {
        let puzzle = &self.read.records.puzzles()[row];
        let fault = |kind, cell| self.fault(kind, row, cell);
        Some(match verifier::refusal(puzzle, claimed)? {
            Refusal::Blank { cell } => fault(FaultKind::ClaimBlank, cell).cell(cell),
            Refusal::Clue { cell } => {
                let fault = fault(FaultKind::ClaimClue, cell).number(claimed.get(cell)).cell(cell);
                fault.number(puzzle.get(cell))
            }
            Refusal::Repeat(Clash { digit, cells: [first, second], house, .. }) => {
                let fault = fault(FaultKind::ClaimRepeat, second).number(digit).text(house.name());
                fault.number(house.number(second) as u64).cell(first).cell(second)
            }
        })
    }

    /// Returns a fault whose place is a cell of a claim or, if the claim is in a separate file, the start of the
    /// claim.
    fn fault(&self, kind: FaultKind, row: usize, cell: usize) -> Fault {
        let (place, path) = match self.beside {
            Some(list) => {
                let (place, path) = list.place(self.id(row));
                (place, Some(path))
            }
            None => (self.read.batch.claim_place(self.read.records, row, cell), None),
        };
        Fault::new(kind, Some(place)).in_path(path)
    }

    /// Returns the number of the record in this row.
    const fn id(&self, row: usize) -> u64 {
        self.read.batch.first_id + row as u64
    }
}

/// Returns the fault of an answer that contradicts a correct claim.
fn contradiction(claim: &Judgement<'_>, verdict: Verdict, solution: Option<&Grid>) -> Option<Fault> {
    let Judgement::Right(claimed) = claim else { return None };
    let contradicts = match verdict {
        Verdict::Unfinished | Verdict::Stopped | Verdict::Multiple => false,
        Verdict::Unsolvable => true,
        Verdict::Unique | Verdict::Solved | Verdict::InternalError => solution != Some(*claimed),
    };
    contradicts.then(|| Fault::new(FaultKind::ContradictedClaim, None))
}

/// Adds the row for a readable record, and searches its puzzle if there is a searcher.
fn push(
    judge: &Judge<'_>,
    row: usize,
    searcher: Option<&mut Searcher>,
    memory: &mut Memory,
    table: &mut Table,
) {
    let records = judge.read.records;
    let variant = records.variants().get(row);
    let claim = judge.judge(row, variant);
    let puzzle = &records.puzzles()[row];
    // Sudokus have already been searched together. A variant is worth searching only if it has a claim.
    let mut searcher = searcher.filter(|_| variant.is_none() || !matches!(claim, Judgement::Missing));
    let mut verdict = None;
    memory.searched.push(searcher.is_some());
    if let Some(searcher) = &mut searcher {
        let settled = match variant {
            None => searcher.settle(puzzle, row, &mut memory.found, |found| {
                defect(found, row, &claim, |solution| verifier::sudoku(puzzle, solution))
            }),
            Some(puzzle) => searcher.settle_variant(&**puzzle, row, &mut memory.found, |found| {
                defect(found, row, &claim, |solution| puzzle.refusal(solution).is_none())
            }),
        };
        match settled {
            Settled::Accepted => {}
            Settled::Corrected(fault) => table.corrected.push(row, fault),
            Settled::Refused(fault) => {
                table.row(Status::InternalError).error(fault);
                return;
            }
        }
        verdict = Some(memory.found.verdicts()[row]);
    }
    // A correct claim keeps every clue, so the clues cannot clash.
    let may_clash = match verdict {
        Some(verdict) => verdict == Verdict::Unsolvable,
        None => !matches!(claim, Judgement::Right(_)),
    };
    if may_clash && let Some(fault) = clash(judge.read, row) {
        // The row no longer counts as searched.
        memory.searched[row] = false;
        table.row(Status::Invalid).error(fault);
        return;
    }
    if let Some(claimed) = push_judged(claim, verdict, table)
        && !push_other(row, claimed, &memory.found, table)
    {
        match variant.zip(searcher) {
            None => memory.rows_to_find_other.push(row),
            Some((puzzle, searcher)) => {
                let mut solutions = solutions::of_variant(Arc::clone(puzzle), searcher.flag()).flatten();
                let other = solutions.find(|solution| solution != claimed);
                table.row_at(row).grid(&OTHER, other.as_ref());
            }
        }
    }
}

/// Returns the fault of the answer in a row, if its solution is rejected or it contradicts a correct claim.
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

/// Adds a row whose claim has been checked and whose search, if any, has finished. Returns the claim if it is one of
/// several solutions.
fn push_judged<'a>(claim: Judgement<'a>, verdict: Option<Verdict>, table: &mut Table) -> Option<&'a Grid> {
    let mut one_of_several = None;
    match (claim, verdict) {
        (Judgement::Right(_), Some(Verdict::Unfinished | Verdict::Stopped)) => table.row(Status::Unfinished),
        (_, Some(Verdict::Unsolvable)) => table.row(Status::Unsolvable),
        (Judgement::Missing, _) => table.row(Status::Missing),
        (Judgement::Wrong(fault), _) => {
            let mut row = table.row(Status::Wrong);
            row.error(fault);
            row
        }
        (Judgement::Right(claimed), Some(Verdict::Multiple)) => {
            one_of_several = Some(claimed);
            table.row(Status::NotUnique)
        }
        (Judgement::Right(_), _) => table.row(Status::Correct),
    };
    one_of_several
}

/// Sets the solution that was found, unless it equals the claim. Returns whether it was set.
fn push_other(row: usize, claimed: &Grid, found: &Answers, table: &mut Table) -> bool {
    let other = found.solutions()[row].as_ref().filter(|found| *found != claimed);
    table.row_at(row).grid(&OTHER, other);
    other.is_some()
}

/// If the claim is the smallest solution, finds the largest one as another solution.
///
/// A search finds the smallest of several solutions, on every backend. Replacing each digit `d` with `10 - d` turns the
/// largest solution into the smallest. The largest and smallest solutions differ because there are several solutions.
fn find_others(searcher: &mut Searcher, judge: &Judge<'_>, memory: &mut Memory, table: &mut Table) {
    let puzzles = judge.read.records.puzzles();
    let Memory { found: first, rows_to_find_other: rows, .. } = memory;
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
        // `guesses` still counts only the first search, which does not depend on the claim.
        first.times_ns[row] += found.times_ns()[at];
        match settled {
            Settled::Accepted => {}
            Settled::Corrected(fault) => {
                // The first answer may have been rejected as well.
                if table.corrected.get(row).is_none() {
                    table.corrected.insert(row, fault);
                }
            }
            Settled::Refused(fault) => {
                table.row_at(row).status(Status::InternalError).error(fault);
                continue;
            }
        }
        let mut judged = table.row_at(row);
        judged.grid(&OTHER, found.solutions()[at].as_ref().map(mirror).as_ref());
        match found.verdicts()[at] {
            // Another solution exists, but `--max-guesses` stopped the search before it was found.
            Verdict::Unfinished => {
                judged.status(Status::Unfinished);
            }
            Verdict::Stopped => {
                first.verdicts[row] = Verdict::Stopped;
                judged.status(Status::Unfinished);
            }
            _ => {}
        }
    }
}

/// Replaces every digit `d` in a grid with `10 - d`.
fn mirror(grid: &Grid) -> Grid {
    let mut cells = [0; CELLS];
    for (mirrored, &digit) in cells.iter_mut().zip(grid.cells()) {
        *mirrored = if digit == 0 { 0 } else { 10 - digit };
    }
    Grid::from_digits(cells)
}
