//! Canon: the canonical form of every puzzle, the same for all its isomorphs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::search::{Searcher, refused_case};
use super::solve::{MULTIPLE, Solve, SolveAnswers};
use super::{Answered, INTERNAL_ERROR, INVALID, Job, JobEntry, SearchOptions};
use crate::analysis::canon::{Canonical, Canonizer, Form};
use crate::input::Batch;
use crate::record::{Column, Fault, Field, Records, Role, Schema, Sparse, Texts, Type, Weight, Word};
use crate::solver::{Backend, Limits, Wanted};
use crate::sudoku::Grid;

/// The words of the column `status`, in the order in which summaries list them.
const STATUSES: &[Word] = &[
    Word::unsearched("canonical", "the canonical form was found", Weight::Answered),
    Word::unsearched(
        MULTIPLE,
        "several solutions, so that there is no form by the solution (--form grid)",
        Weight::Unanswered,
    ),
    Word::unsearched(
        "unsolvable",
        "there is no solution, and no form by it (--form grid)",
        Weight::Unanswered,
    ),
    INVALID,
    INTERNAL_ERROR,
];

/// The columns after those of the origin.
const FIELDS: &[Field] = &[
    Field::STATUS,
    Field::result("canonical", Type::Grid, "the canonical form: 81 characters, . for a blank")
        .with_role(Role::Solution),
    Field::result(
        "automorphisms",
        Type::Number,
        "how many of the 3,359,232 symmetries of cells map the puzzle to itself, each with some relabelling of digits; \
         0 without a form",
    ),
    Field::result(
        SYMMETRY,
        Type::Text,
        "a symmetry that makes the form of the puzzle (--with-symmetry): rows and columns in their new order, what the \
         digits 1 to 9 become, and t if the grid is transposed first",
    ),
    Field::result("form", Type::Text, "the form, with the version of its definition"),
    Field::ERROR,
];

/// The name of the column that is written if it is wanted.
const SYMMETRY: &str = "symmetry";

/// The entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "canon", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// Finds the canonical form of every puzzle.
#[derive(Debug)]
pub struct Canon {
    form: Form,
    /// What finds solutions, if the form needs them.
    solve: Option<Solve>,
    with_symmetry: bool,
    schema: Schema,
}

impl Canon {
    /// A job for this form, with or without the column of symmetries. The backend finds solutions, if the form needs
    /// them.
    #[must_use]
    pub fn new(form: Form, backend: Backend, with_symmetry: bool) -> Self {
        let search = SearchOptions { backend, limits: Limits::default().with_wanted(Wanted::Any) };
        let solve = (form == Form::Grid).then(|| Solve::new(search, false));
        let mut schema = Schema::new(FIELDS, STATUSES, false);
        schema.fields.retain(|field| with_symmetry || field.name != SYMMETRY);
        Self { form, solve, with_symmetry, schema }
    }

    /// The form of a record, or its status and what is wrong with it.
    fn form_of(
        &self,
        canonizer: &mut Canonizer,
        records: &Records,
        row: usize,
        solved: &SolveAnswers,
    ) -> Result<Canonical, (&'static str, Option<Fault>)> {
        if let Some(fault) = records.faults().get(row) {
            return Err((INVALID.name, Some(fault.clone())));
        }
        if let Some(fault) = refused_case(records, row, "for which no canonical form is defined") {
            return Err((INVALID.name, Some(fault)));
        }
        let puzzle = &records.puzzles()[row];
        match self.form {
            Form::Minlex => Ok(canonizer.minlex(puzzle)),
            Form::List17 => Ok(canonizer.list17(puzzle)),
            Form::Grid => solved.only_solution(row).map(|solution| canonizer.grid(puzzle, solution)),
        }
    }
}

/// The state of a thread.
pub struct CanonWorker {
    canonizer: Canonizer,
    searcher: Option<Searcher>,
    stop: Arc<AtomicBool>,
}

/// The columns besides those of the records.
#[derive(Debug, Default)]
pub struct CanonAnswers {
    solved: SolveAnswers,
    statuses: Vec<u8>,
    forms: Vec<Option<Grid>>,
    automorphisms: Vec<u64>,
    symmetries: Texts,
    faults: Sparse<Fault>,
}

impl CanonAnswers {
    fn clear(&mut self) {
        self.statuses.clear();
        self.forms.clear();
        self.automorphisms.clear();
        self.symmetries.clear();
        self.faults.clear();
    }

    fn push(&mut self, found: Result<Canonical, (&'static str, Option<Fault>)>, with_symmetry: bool) {
        let row = self.statuses.len();
        let (status, canonical) = match found {
            Ok(canonical) => (STATUSES[0].name, Some(canonical)),
            Err((status, fault)) => {
                fault.into_iter().for_each(|fault| self.faults.push(row, fault));
                (status, None)
            }
        };
        let status = STATUSES.iter().position(|word| word.name == status);
        self.statuses.push(status.expect("a search without bounds says no other") as u8);
        self.forms.push(canonical.map(|canonical| canonical.grid));
        self.automorphisms.push(canonical.map_or(0, |canonical| canonical.automorphisms.into()));
        if with_symmetry {
            let symmetry = canonical.map(|canonical| canonical.symmetry.to_string());
            self.symmetries.push(symmetry.as_deref().map(str::as_bytes));
        }
    }
}

impl Job for Canon {
    type Worker = CanonWorker;
    type Answers = CanonAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> CanonWorker {
        let searcher = self.solve.as_ref().map(|solve| solve.worker(Arc::clone(&stop)));
        CanonWorker { canonizer: Canonizer::default(), searcher, stop }
    }

    fn answer(
        &self,
        worker: &mut CanonWorker,
        batch: &Batch,
        records: &Records,
        answers: &mut CanonAnswers,
    ) -> Answered {
        answers.clear();
        let rows = match (&self.solve, &mut worker.searcher) {
            (Some(solve), Some(searcher)) => solve.answer(searcher, batch, records, &mut answers.solved).rows,
            _ => records.len(),
        };
        for row in 0..rows {
            if worker.stop.load(Ordering::Relaxed) {
                return Answered::a_row_each(row, records);
            }
            let found = self.form_of(&mut worker.canonizer, records, row, &answers.solved);
            answers.push(found, self.with_symmetry);
        }
        Answered::a_row_each(rows, records)
    }

    fn corrected<'a>(&self, answers: &'a CanonAnswers) -> Option<&'a Sparse<Fault>> {
        self.solve.as_ref()?.corrected(&answers.solved)
    }

    fn columns<'a>(&self, _: &'a Records, answers: &'a CanonAnswers) -> Vec<Column<'a>> {
        let mut columns = vec![
            Column::Words(&answers.statuses, STATUSES),
            Column::SomeGrids(&answers.forms),
            Column::Numbers(&answers.automorphisms),
        ];
        if self.with_symmetry {
            columns.push(Column::Texts(&answers.symmetries));
        }
        columns.extend([Column::Same(self.form.word()), Column::Faults(&answers.faults)]);
        columns
    }
}
