//! Schemas: a job's columns and its status labels.

/// The version of the results layout, bumped by any change that breaks readers. Results written by version 0.1.0 carry
/// no version number and are read as version 1.
pub const RESULTS_VERSION: u32 = 1;

/// The label of a status, or of a value in another column that has only a few possible values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text of the label.
    pub name: &'static str,
    /// The meaning of the label, for the help text.
    pub about: &'static str,
    /// How a row with this label affects the run.
    pub severity: Severity,
    /// Whether a row with this label may have been searched. If not, its time and guesses are meaningless.
    pub searched: bool,
}

impl Label {
    /// Returns a label for rows that may have been searched.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static str, severity: Severity) -> Self {
        Self { name, about, severity, searched: true }
    }

    /// Returns a label for rows that are never searched.
    #[must_use]
    pub const fn unsearched(name: &'static str, about: &'static str, severity: Severity) -> Self {
        Self { name, about, severity, searched: false }
    }
}

/// How a row affects the whole run, depending on its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// A good answer: exit code 0.
    Answered,
    /// Not a good answer: exit code 1.
    Unanswered,
    /// The record itself is bad: exit code 1, and a strict run stops at this record.
    BadRecord,
    /// A defect of the program: exit code 3.
    Defect,
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer.
    Number,
    /// A number with two decimals.
    Decimal,
    /// One of a few possible words.
    Word,
    /// Any text.
    Text,
    /// A grid of 81 cells.
    Grid,
    /// The reason why there is no answer.
    Fault,
}

/// The kind of data that a column depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Where the record is in the inputs.
    Origin,
    /// Only the record: the command and Python give the same values on every machine.
    Result,
    /// Something measured in this run; omitted with `--no-time`.
    Measured,
    /// Data for digests only, which is never written.
    Internal,
}

/// The meaning of a column, independent of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The number of the record, counted across all inputs.
    Id,
    /// The name of the input.
    Source,
    /// The line on which the record starts.
    Line,
    /// The kind of puzzle.
    Kind,
    /// The status.
    Status,
    /// The puzzle.
    Puzzle,
    /// The number of clues of the puzzle.
    Clues,
    /// The number of branch nodes that the solver opened.
    Guesses,
    /// The solver's time in nanoseconds.
    Time,
    /// The grid that the job found or made.
    Solution,
    /// The solution that the record claims.
    Claim,
    /// The reason why there is no answer.
    Error,
    /// A number that rates the puzzle's difficulty; missing in rows that have no answer.
    Measure,
    /// A word for the puzzle's difficulty, counted in reports; missing in rows that have no answer.
    Category,
    /// The steps by which a human solves the puzzle.
    Steps,
    /// A puzzle as text, in the format of its kind.
    Case,
    /// A meaning that only the job knows.
    Other,
}

/// One column of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the column, which is the same in every format.
    pub name: &'static str,
    /// The type of the values.
    pub holds: Type,
    /// The unit of the values, if any.
    pub unit: Option<&'static str>,
    /// A one-sentence description of the column.
    pub about: &'static str,
    /// The kind of data that the values depend on.
    pub class: Class,
    /// The meaning of the column, independent of the job.
    pub role: Role,
}

impl Field {
    /// Returns a result field that has no role.
    #[must_use]
    pub const fn result(name: &'static str, holds: Type, about: &'static str) -> Self {
        Self { name, holds, unit: None, about, class: Class::Result, role: Role::Other }
    }

    /// Returns a copy of the field with this role.
    #[must_use]
    pub const fn with_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// Returns a copy of the field in this class.
    #[must_use]
    pub const fn with_class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    const fn origin(name: &'static str, holds: Type, about: &'static str, role: Role) -> Self {
        Self::result(name, holds, about).with_role(role).with_class(Class::Origin)
    }

    /// The number of the record.
    pub const ID: Self =
        Self::origin("id", Type::Number, "record number across all inputs, from 1", Role::Id);
    /// The name of the input.
    pub const SOURCE: Self =
        Self::origin("source", Type::Text, "name of the input, or - for standard input", Role::Source);
    /// The line of the record.
    pub const LINE: Self =
        Self::origin("line", Type::Number, "input line on which the record starts", Role::Line);
    /// The kind of puzzle.
    pub const KIND: Self = Self::result("kind", Type::Word, "sudoku or sudominoku").with_role(Role::Kind);
    /// The origin of a record: the first columns in the rows of every job.
    pub const ORIGIN: [Self; 4] = [Self::ID, Self::SOURCE, Self::LINE, Self::KIND];
    /// The status.
    pub const STATUS: Self =
        Self::result("status", Type::Word, "the outcome in one word").with_role(Role::Status);
    /// The puzzle.
    pub const PUZZLE: Self = Self::result(
        "puzzle",
        Type::Grid,
        "81 characters, . for a blank; for Sudominoku, the clues of the case",
    )
    .with_role(Role::Puzzle);
    /// The number of clues of the puzzle.
    pub const CLUES: Self = Self::result("clues", Type::Number, "number of clues").with_role(Role::Clues);
    /// The number of branch nodes.
    pub const GUESSES: Self =
        Self::result("guesses", Type::Number, "branch nodes opened: a reproducible measure of effort")
            .with_role(Role::Guesses);
    /// The solver's time.
    pub const TIME: Self = Self {
        unit: Some("ns"),
        class: Class::Measured,
        ..Self::result("time_ns", Type::Number, "time the solver spent on this puzzle").with_role(Role::Time)
    };
    /// The reason why there is no answer.
    pub const ERROR: Self =
        Self::result("error", Type::Fault, "why there is no answer, and where the problem is")
            .with_role(Role::Error);
}

/// The columns of a job, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// All columns of the job, in the order in which they are written.
    pub fields: Vec<Field>,
    /// The names of the carried columns: texts that can be missing, written after the fields.
    pub carried: Vec<String>,
    /// Whether measured columns are written. Digests always see them.
    pub measured: bool,
    /// The labels of the status column.
    pub statuses: &'static [Label],
}

impl Schema {
    /// Returns a schema with the origin columns followed by the job's own columns.
    #[must_use]
    pub fn new(fields: &[Field], statuses: &'static [Label], measured: bool) -> Self {
        let fields = Field::ORIGIN.iter().chain(fields).copied().collect();
        Self { fields, carried: Vec::new(), measured, statuses }
    }

    /// Returns a schema in which only these columns are written. The origin, status and error columns are included for
    /// digests.
    #[must_use]
    pub fn without_answers(fields: impl IntoIterator<Item = Field>, statuses: &'static [Label]) -> Self {
        let unwritten = Field::ORIGIN.into_iter().chain([Field::STATUS, Field::ERROR]);
        let unwritten = unwritten.map(|field| field.with_class(Class::Internal));
        let fields = unwritten.chain(fields).collect();
        Self { fields, carried: Vec::new(), measured: false, statuses }
    }

    /// Returns the index of the column with this role, if any.
    #[must_use]
    pub fn find(&self, role: Role) -> Option<usize> {
        self.fields.iter().position(|field| field.role == role)
    }

    /// Whether a field's column is written.
    #[must_use]
    pub fn writes(&self, field: &Field) -> bool {
        match field.class {
            Class::Origin | Class::Result => true,
            Class::Measured => self.measured,
            Class::Internal => false,
        }
    }

    /// Returns the fields whose columns are written, with their indices.
    pub fn written(&self) -> impl Iterator<Item = (usize, &Field)> {
        self.fields.iter().enumerate().filter(|(_, field)| self.writes(field))
    }

    /// Whether rows have answers, rather than only puzzles.
    #[must_use]
    pub fn has_answers(&self) -> bool {
        self.written().any(|(_, field)| field.role == Role::Status)
    }

    /// Returns the names of all written columns, with their indices.
    pub fn written_names(&self) -> impl Iterator<Item = (usize, &str)> {
        let carried = (self.fields.len()..).zip(self.carried.iter().map(String::as_str));
        self.written().map(|(at, field)| (at, field.name)).chain(carried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Label = Label::new("seen", "", Severity::Answered);
    const UNSEEN: Label = Label::unsearched("unseen", "", Severity::BadRecord);

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
