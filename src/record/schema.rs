//! Schemas: the columns of a job and the words of its statuses.

/// Version of the layout of results; a change that breaks readers raises it. Results of version 0.1.0 have none and are
/// read as 1.
pub const RESULTS_VERSION: u32 = 1;

/// A word of a column with few different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word itself.
    pub name: &'static str,
    /// What it means, for the help text.
    pub about: &'static str,
    /// What a row with it means for the run.
    pub weight: Weight,
    /// Whether such a row may have been searched; if not, its time and guesses mean nothing.
    pub searched: bool,
}

impl Word {
    /// A word of rows that may have been searched.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static str, weight: Weight) -> Self {
        Self { name, about, weight, searched: true }
    }

    /// A word of rows that are never searched.
    #[must_use]
    pub const fn unsearched(name: &'static str, about: &'static str, weight: Weight) -> Self {
        Self { name, about, weight, searched: false }
    }
}

/// What a row with some status means for the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// A good answer: exit code 0.
    Answered,
    /// No good answer: exit code 1.
    Unanswered,
    /// The record itself is bad: exit code 1, and a strict run ends there.
    BadRecord,
    /// A defect of the program: exit code 3.
    Defect,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A whole number.
    Number,
    /// A number with two decimals.
    Decimal,
    /// One of a few words.
    Word,
    /// Any text.
    Text,
    /// A grid of 81 cells.
    Grid,
    /// Why there is no answer.
    Fault,
}

/// What a column depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The place of the record in the inputs.
    Origin,
    /// The record alone: the same from the command and from Python, on every machine.
    Result,
    /// A measurement of this run, which `--no-time` leaves out.
    Measured,
    /// Only for digests: it is never written.
    Internal,
}

/// The meaning of a column, independent of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Number of the record over all inputs.
    Id,
    /// Name of the input.
    Source,
    /// Line on which the record starts.
    Line,
    /// Kind of puzzle.
    Kind,
    /// The status.
    Status,
    /// The puzzle.
    Puzzle,
    /// The number of clues of the puzzle.
    Clues,
    /// Branch nodes opened.
    Guesses,
    /// Nanoseconds of the solver.
    Time,
    /// The solution found.
    Solution,
    /// The solution that the record claims.
    Claim,
    /// Why there is no answer.
    Error,
    /// A number that says how hard the puzzle is; a row without an answer has none.
    Measure,
    /// A word for how hard the puzzle is, by which reports count; a row without an answer has none.
    Category,
    /// The steps of a solution by hand.
    Steps,
    /// A Sudominoku case as text.
    Case,
    /// Known only to the job.
    Other,
}

/// One column of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in every format.
    pub name: &'static str,
    /// What it holds.
    pub holds: Type,
    /// Its unit, if it has one.
    pub unit: Option<&'static str>,
    /// One sentence about it.
    pub about: &'static str,
    /// What it depends on.
    pub class: Class,
    /// Its meaning to others.
    pub role: Role,
}

impl Field {
    /// A result without a role.
    #[must_use]
    pub const fn result(name: &'static str, holds: Type, about: &'static str) -> Self {
        Self { name, holds, unit: None, about, class: Class::Result, role: Role::Other }
    }

    /// The same field with a role.
    #[must_use]
    pub const fn with_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// The same field in a class.
    #[must_use]
    pub const fn with_class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    const fn origin(name: &'static str, holds: Type, about: &'static str, role: Role) -> Self {
        Self::result(name, holds, about).with_role(role).with_class(Class::Origin)
    }

    /// The number of the record.
    pub const ID: Self =
        Self::origin("id", Type::Number, "number of the record over all inputs, from 1", Role::Id);
    /// Name of the input.
    pub const SOURCE: Self =
        Self::origin("source", Type::Text, "name of the input, - for standard input", Role::Source);
    /// Line of the record.
    pub const LINE: Self =
        Self::origin("line", Type::Number, "line of the input on which the record starts", Role::Line);
    /// Kind of puzzle.
    pub const KIND: Self = Self::result("kind", Type::Word, "sudoku or sudominoku").with_role(Role::Kind);
    /// The origin of a record: the columns with which the rows of every job begin.
    pub const ORIGIN: [Self; 4] = [Self::ID, Self::SOURCE, Self::LINE, Self::KIND];
    /// The status.
    pub const STATUS: Self =
        Self::result("status", Type::Word, "the answer in a word").with_role(Role::Status);
    /// The puzzle.
    pub const PUZZLE: Self = Self::result(
        "puzzle",
        Type::Grid,
        "81 characters, . for a blank; for Sudominoku the clues of the case",
    )
    .with_role(Role::Puzzle);
    /// The number of its clues.
    pub const CLUES: Self = Self::result("clues", Type::Number, "number of clues").with_role(Role::Clues);
    /// Branch nodes.
    pub const GUESSES: Self =
        Self::result("guesses", Type::Number, "branch nodes opened: the reproducible measure of effort")
            .with_role(Role::Guesses);
    /// The solver's time.
    pub const TIME: Self = Self {
        unit: Some("ns"),
        class: Class::Measured,
        ..Self::result("time_ns", Type::Number, "time that the solver spent on this puzzle")
            .with_role(Role::Time)
    };
    /// Why there is no answer.
    pub const ERROR: Self =
        Self::result("error", Type::Fault, "why there is no answer, and where").with_role(Role::Error);
}

/// The columns of a job, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// All columns of the job, in the order of writing.
    pub fields: Vec<Field>,
    /// Names of the carried columns, which are written after those: texts that may be missing.
    pub carried: Vec<String>,
    /// Whether measured columns are written, too; digests see them anyway.
    pub measured: bool,
    /// The words of the status.
    pub statuses: &'static [Word],
}

impl Schema {
    /// A schema with the columns of the origin and those of the job.
    #[must_use]
    pub fn new(fields: &[Field], statuses: &'static [Word], measured: bool) -> Self {
        let fields = Field::ORIGIN.iter().chain(fields).copied().collect();
        Self { fields, carried: Vec::new(), measured, statuses }
    }

    /// A schema of which only these columns are written; the origin, the status and the error are for digests.
    #[must_use]
    pub fn without_answers(fields: impl IntoIterator<Item = Field>, statuses: &'static [Word]) -> Self {
        let unwritten = Field::ORIGIN.into_iter().chain([Field::STATUS, Field::ERROR]);
        let unwritten = unwritten.map(|field| field.with_class(Class::Internal));
        let fields = unwritten.chain(fields).collect();
        Self { fields, carried: Vec::new(), measured: false, statuses }
    }

    /// The index of the column with a role, if any.
    #[must_use]
    pub fn find(&self, role: Role) -> Option<usize> {
        self.fields.iter().position(|field| field.role == role)
    }

    /// Whether the column of a field is written.
    #[must_use]
    pub fn writes(&self, field: &Field) -> bool {
        match field.class {
            Class::Origin | Class::Result => true,
            Class::Measured => self.measured,
            Class::Internal => false,
        }
    }

    /// The fields whose columns are written, with their indices.
    pub fn written(&self) -> impl Iterator<Item = (usize, &Field)> {
        self.fields.iter().enumerate().filter(|(_, field)| self.writes(field))
    }

    /// Whether rows have answers; if not, they are only puzzles.
    #[must_use]
    pub fn has_answers(&self) -> bool {
        self.written().any(|(_, field)| field.role == Role::Status)
    }

    /// The names of all columns that are written, with their indices.
    pub fn written_names(&self) -> impl Iterator<Item = (usize, &str)> {
        let carried = (self.fields.len()..).zip(self.carried.iter().map(String::as_str));
        self.written().map(|(at, field)| (at, field.name)).chain(carried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Word = Word::new("seen", "", Weight::Answered);
    const UNSEEN: Word = Word::unsearched("unseen", "", Weight::BadRecord);

    #[test]
    fn measured_columns_are_written_if_wanted_and_found_in_any_case() {
        assert_eq!([SEEN, UNSEEN].map(|word| word.searched), [true, false]);
        for (measured, expected) in [(false, &[0, 1, 2, 3, 4, 6][..]), (true, &[0, 1, 2, 3, 4, 5, 6])] {
            let schema = Schema::new(&[Field::CLUES, Field::TIME, Field::ERROR], &[SEEN, UNSEEN], measured);
            let written: Vec<_> = schema.written().map(|(at, field)| (at, field.role)).collect();
            let roles =
                [Role::Id, Role::Source, Role::Line, Role::Kind, Role::Clues, Role::Time, Role::Error];
            assert_eq!(written, expected.iter().map(|&at| (at, roles[at])).collect::<Vec<_>>());
            assert_eq!(
                [Role::Id, Role::Time, Role::Claim].map(|role| schema.find(role)),
                [Some(0), Some(5), None]
            );
            let schema = Schema { carried: vec!["x".to_owned()], ..schema };
            assert_eq!(schema.written_names().last(), Some((7, "x")));
        }
    }
}
