//! Canon: finds the canonical form of every puzzle, which is the same for all isomorphs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::search::refused_variant;
use super::solve::{self, Solve, SolveWorker};
use super::{Choice, INTERNAL_ERROR, INVALID, Job, JobEntry, ReadBatch, SearchOptions, Then};
use crate::analysis::canon::{Canonical, Canonizer, Form};
use crate::record::{Fault, Field, Label, Records, Role, Schema, Severity, Table, Type};
use crate::solver::{Backend, Limits, Wanted};

statuses! {
    Canonical = Label::unsearched("canonical", "the canonical form was found", Severity::Answered),
    Multiple = Label::unsearched(
        "multiple",
        "several solutions, so --form grid defines no form",
        Severity::Unanswered,
    ),
    Unsolvable = Label::unsearched(
        "unsolvable",
        "no solution, so --form grid defines no form",
        Severity::Unanswered,
    ),
    Invalid = INVALID,
    InternalError = INTERNAL_ERROR,
}

statuses_of_search!(Multiple, Unsolvable, Invalid);

const CANONICAL: Field =
    Field::result("canonical", Type::Grid, "the canonical form: 81 characters, . for a blank")
        .with_role(Role::Solution);
const AUTOMORPHISMS: Field = Field::result(
    "automorphisms",
    Type::Number,
    "how many of the 3,359,232 cell symmetries map the puzzle to itself, up to relabelling of the digits; \
     0 if there is no form",
);
const SYMMETRY: Field = Field::result(
    "symmetry",
    Type::Text,
    "a symmetry that turns the puzzle into its form (--with-symmetry): rows and columns in their new order, the \
     digits that replace 1 to 9, and t if the grid is transposed first",
);
const FORM: Field = Field::result("form", Type::Text, "the name and version of the form, such as minlex-1");

/// The columns that follow the origin columns.
const FIELDS: &[Field] = &[Field::STATUS, CANONICAL, AUTOMORPHISMS, SYMMETRY, FORM, Field::ERROR];

/// The job's entry in the list of jobs.
pub const ENTRY: JobEntry = JobEntry { name: "canon", has_origin: true, fields: FIELDS, statuses: STATUSES };

/// The names of the forms, and what they mean.
pub const FORMS: [Choice<Form>; 3] = [
    ("minlex", "The isomorph that is the smallest 81-digit number, with 0 for blanks", Form::Minlex),
    (
        "grid",
        "The smallest isomorph among those with the smallest solution; only for puzzles with one solution",
        Form::Grid,
    ),
    (
        "list17",
        "The form used by the public list of 17-clue puzzles: the isomorph with the smallest clue counts in the \
         minirows of the top band, in reading order; ties are broken as in `minlex`",
        Form::List17,
    ),
];

/// The job that finds the canonical form of every puzzle.
#[derive(Debug)]
pub struct Canon {
    form: Form,
    /// The job that finds the solutions, if the form needs them.
    solve: Solve,
    schema: Schema,
}

impl Canon {
    /// Creates a job for this form, with or without the symmetry column. The backend finds the solutions if the form
    /// needs them.
    #[must_use]
    pub fn new(form: Form, backend: Backend, with_symmetry: bool) -> Self {
        let search = SearchOptions { backend, limits: Limits::default().with_wanted(Wanted::Any) };
        let solve = Solve::new(search, false);
        let mut schema = Schema::new(FIELDS, STATUSES, false);
        schema.fields.retain(|field| with_symmetry || field.name != SYMMETRY.name);
        Self { form, solve, schema }
    }

    /// Returns the canonical form of a record, or its status and fault.
    fn form_of(
        &self,
        worker: &mut CanonWorker,
        records: &Records,
        row: usize,
    ) -> Result<Canonical, (Status, Option<Fault>)> {
        let fault = records.faults().get(row).cloned();
        if let Some(fault) = fault.or_else(|| {
            refused_variant(records, row, |_| "for which no canonical form is defined".to_owned())
        }) {
            return Err((Status::Invalid, Some(fault)));
        }
        let CanonWorker { canonizer, solve, .. } = worker;
        let puzzle = &records.puzzles()[row];
        match self.form {
            Form::Minlex => Ok(canonizer.minlex(puzzle)),
            Form::List17 => Ok(canonizer.list17(puzzle)),
            Form::Grid => match solve.solved.only_solution(row) {
                Ok(solution) => Ok(canonizer.grid(puzzle, solution)),
                Err((status, fault)) => Err((status.into(), fault)),
            },
        }
    }
}

/// The state of one thread.
pub struct CanonWorker {
    canonizer: Canonizer,
    solve: SolveWorker,
    stop: Arc<AtomicBool>,
}

impl Job for Canon {
    type Worker = CanonWorker;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> CanonWorker {
        CanonWorker { canonizer: Canonizer::default(), solve: self.solve.worker(Arc::clone(&stop)), stop }
    }

    fn answer(&self, worker: &mut CanonWorker, read: ReadBatch<'_>, table: &mut Table) -> Then {
        let records = read.records;
        let rows = match self.form {
            Form::Grid => self.solve.search(&mut worker.solve, read, table),
            Form::Minlex | Form::List17 => records.len(),
        };
        table.set_all(&FORM, self.form.word());
        for row in 0..rows {
            if worker.stop.load(Ordering::Relaxed) {
                return Then::after(row, records);
            }
            match self.form_of(worker, records, row) {
                Ok(Canonical { grid, automorphisms, symmetry }) => {
                    let mut row = table.row(Status::Canonical);
                    row.grid(&CANONICAL, Some(&grid)).number(&AUTOMORPHISMS, automorphisms.into());
                    row.text_with(&SYMMETRY, |text| text.extend_from_slice(symmetry.to_string().as_bytes()));
                }
                Err((status, fault)) => {
                    table.row(status).number(&AUTOMORPHISMS, 0).error(fault);
                }
            }
        }
        Then::after(rows, records)
    }
}
