//! Verify: whether the solution that a record claims is right, and the only one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::claims::ClaimList;
use super::search::{SearchOptions, Searcher, Settled, clash, fault_of, rows_answered};
use super::solutions;
#[cfg(feature = "report")]
use super::solve::{self, Solved};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, UNFINISHED};
use crate::input::Batch;
use crate::record::{
    Claim, Claims, Fault, FaultKind, Field, Label, Records, Role, Schema, Severity, Table, Type, Variant,
    Want,
};
use crate::solver::{Answers, Verdict};
use crate::sudoku::verifier::{self, Clash, Refusal};
use crate::sudoku::{CELLS, Grid};

statuses! {
    Correct = Label::new("correct", "the claim is the only solution; with --trust-unique: a solution", Severity::Answered),
    Wrong = Label::new("wrong", "the claim is not a solution; `error` has the first reason", Severity::Unanswered),
    NotUnique = Label::new("not-unique", "the claim is one of several solutions; `other` is another", Severity::Unanswered),
    Unsolvable = Label::new("unsolvable", "the puzzle has no solution, proven", Severity::Unanswered),
    Missing = Label::new("missing", "the record has no claim", Severity::Unanswered),
    Unfinished = UNFINISHED,
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

const CLAIM: Field =
    Field::result("solution", Type::Grid, "the claimed solution, if it has 81 cells").with_role(Role::Claim);
const OTHER: Field = Field::result("other", Type::Grid, "another solution, checked");

/// The columns after those of the origin. A row without a search has neither guesses nor a time.
const FIELDS: &[Field] =
    &[Field::STATUS, Field::CLUES, Field::GUESSES, Field::TIME, Field::PUZZLE, CLAIM, OTHER, Field::ERROR];

/// The entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "verify", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// The job that checks the claimed solution of every record.
#[derive(Debug)]
pub struct Verify {
    /// The options of the search that proves uniqueness; `None` if uniqueness is not proven.
    search: Option<SearchOptions>,
    recheck: bool,
    /// The claims, if they do not come from the records.
    beside: Option<Arc<ClaimList>>,
    schema: Schema,
}

impl Verify {
    /// Makes a job with or without a proof of uniqueness, with or without the column of times.
    #[must_use]
    pub fn new(search: Option<SearchOptions>, times: bool) -> Self {
        Self { search, recheck: false, beside: None, schema: Schema::new(FIELDS, STATUSES, times) }
    }

    /// Sets whether the scalar solver recounts the solutions of unique or unsolvable puzzles.
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

/// The state of a thread.
pub struct VerifyWorker {
    /// The solvers; `None` if uniqueness is not proven.
    searcher: Option<Searcher>,
    memory: Memory,
    /// The claims of the batch, if they do not come from the records.
    beside: Claims,
}

impl VerifyWorker {
    /// Makes the state of a thread that searches in this way.
    pub(super) fn new(searcher: Option<Searcher>) -> Self {
        Self { searcher, memory: Memory::default(), beside: Claims::default() }
    }
}

/// The results for the records of a batch that are not in the rows.
#[derive(Default)]
struct Memory {
    /// The answer to each record; blank if the record was not searched.
    found: Answers,
    /// Whether each row was searched.
    searched: Vec<bool>,
    /// The rows whose claim is the smallest of several solutions; another solution must still be found.
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

    fn answer(
        &self,
        worker: &mut VerifyWorker,
        batch: &Batch,
        records: &Records,
        table: &mut Table,
    ) -> Answered {
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
        let judge = Judge { batch, records, claims, beside: self.beside.as_deref() };
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
        Answered::a_row_each(rows, records)
    }
}

/// Returns the status of the claim of a solved record, and the fault of a wrong claim. A right claim is unfinished if
/// the search of its puzzle was not finished.
#[cfg(feature = "report")]
#[must_use]
pub(crate) fn status_of(
    batch: &Batch,
    records: &Records,
    row: usize,
    solved: &Solved,
) -> (Status, Option<Fault>) {
    let judge = Judge { batch, records, claims: &records.claims, beside: None };
    match solved.status(row) {
        solve::Status::Invalid => (Status::Invalid, None),
        _ if !records.is_sudoku(row) => (Status::Missing, None),
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

/// The verifier's judgement of a claim.
enum Judgement<'a> {
    Missing,
    Right(&'a Grid),
    Wrong(Fault),
}

/// A judge of the claims of a batch.
struct Judge<'a> {
    batch: &'a Batch,
    records: &'a Records,
    claims: &'a Claims,
    /// The source of the claims, if not the records.
    beside: Option<&'a ClaimList>,
}

impl<'a> Judge<'a> {
    /// Checks the claimed solution of a record, which has a puzzle of another kind than sudoku if `variant` is given. The
    /// fault is the first reason, with its place.
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

    /// Returns the reason why a grid does not solve the clues in a row.
    fn refusal(&self, row: usize, claimed: &Grid) -> Option<Fault> {
        let puzzle = &self.records.puzzles()[row];
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

    /// Makes a fault at a cell of a claim; if the claim is in another file, at its start.
    fn fault(&self, kind: FaultKind, row: usize, cell: usize) -> Fault {
        let (place, path) = match self.beside {
            Some(list) => {
                let (place, path) = list.place(self.id(row));
                (place, Some(path))
            }
            None => (self.batch.claim_place(self.records, row, cell), None),
        };
        Fault::new(kind, Some(place)).in_path(path)
    }

    /// Returns the number of the record in a row.
    const fn id(&self, row: usize) -> u64 {
        self.batch.first_id + row as u64
    }
}

/// Returns the fault of an answer that contradicts a right claim.
fn contradiction(claim: &Judgement<'_>, verdict: Verdict, solution: Option<&Grid>) -> Option<Fault> {
    let Judgement::Right(claimed) = claim else { return None };
    let contradicts = match verdict {
        Verdict::Unfinished | Verdict::Stopped | Verdict::Multiple => false,
        Verdict::Unsolvable => true,
        Verdict::Unique | Verdict::Solved | Verdict::InternalError => solution != Some(*claimed),
    };
    contradicts.then(|| Fault::new(FaultKind::ContradictedClaim, None))
}

/// Adds the row of a record that could be read. It is searched if there is a searcher.
fn push(
    judge: &Judge<'_>,
    row: usize,
    searcher: Option<&mut Searcher>,
    memory: &mut Memory,
    table: &mut Table,
) {
    let variant = judge.records.variants().get(row);
    let claim = judge.judge(row, variant);
    let puzzle = &judge.records.puzzles()[row];
    // Sudokus were searched together. For a puzzle of another kind, only a claim is worth a search.
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
    // A right claim keeps every clue, so no clues clash.
    let may_clash = match verdict {
        Some(verdict) => verdict == Verdict::Unsolvable,
        None => !matches!(claim, Judgement::Right(_)),
    };
    if may_clash && let Some(fault) = clash(judge.batch, judge.records, row) {
        // The row counts as not searched.
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

/// Returns the fault of the answer in a row: its solution is refused, or it contradicts a right claim.
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

/// Adds a row after its claim is judged and its search, if any, is settled. Returns a claim that is one of several
/// solutions.
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

/// Sets the solution that was found, unless it is the claimed one; then returns false.
fn push_other(row: usize, claimed: &Grid, found: &Answers, table: &mut Table) -> bool {
    let other = found.solutions()[row].as_ref().filter(|found| *found != claimed);
    table.row_at(row).grid(&OTHER, other);
    other.is_some()
}

/// Finds another solution if the claim is the smallest one: the largest.
///
/// The search finds the smallest of several solutions, the same on every backend. When `10 - d` replaces every digit
/// `d`, the smallest becomes the largest. The two differ since there are several solutions.
fn find_others(searcher: &mut Searcher, judge: &Judge<'_>, memory: &mut Memory, table: &mut Table) {
    let puzzles = judge.records.puzzles();
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
        // `guesses` remain those of the first search, which does not depend on the claim.
        first.times_ns[row] += found.times_ns()[at];
        match settled {
            Settled::Accepted => {}
            Settled::Corrected(fault) => {
                // The first answer may also have been refused.
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
            // Another solution exists, but `--max-guesses` kept it from being found.
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

/// Replaces every digit `d` of a grid with `10 - d`.
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
    use crate::record::Column;
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

    /// Returns the statuses of a right claim and a wrong one, and the number of corrected rows. The solver returns
    /// `outcome`; `second` checks its answers.
    fn answered(outcome: Outcome, second: Option<Box<dyn BatchSolver>>) -> ([Status; 2], usize) {
        let text = format!("{PUZZLE},{SOLUTION}\n{PUZZLE},9{}\n", &SOLUTION[1..]);
        let options = ReadOptions::default();
        let mut source = Source::from_reader("a", Cursor::new(text), &options).unwrap();
        let batch = source.next_batch(Vec::new(), 1000).unwrap().unwrap();
        let mut records = Records::default();
        batch.read(Want { claims: true }, &mut records);
        let search = SearchOptions { backend: Backend::SCALAR, limits: Limits::default() };
        let searcher = Searcher::new(search, false, Arc::default());
        let mut worker = VerifyWorker::new(Some(searcher.with_solvers(Box::new(Says(outcome)), second)));
        let job = Verify::new(Some(search), false);
        let mut table = Table::new(job.schema());
        assert_eq!(job.answer(&mut worker, &batch, &records, &mut table).rows, 2);
        table.finish(&records);
        let [.., Column::Grids(_, [false, false]), Column::Faults(_)] = table.columns(&records)[..] else {
            panic!("there is no other solution")
        };
        let corrected = table.corrected.len();
        ([0, 1].map(|row| table.statuses_mut()[row].into()), corrected)
    }

    fn outcome(verdict: Verdict, solution: Option<&str>) -> Outcome {
        let solution = solution.map(|digits| digits.parse().unwrap());
        Outcome { verdict, solutions: 1, guesses: 0, time_ns: 0, solution }
    }

    /// Returns the statuses if both solvers have this outcome.
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
