//! The names of options in hints, which differ between the command and Python.

/// The names of options in hints and notes.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionNames {
    /// The option that says which column holds the puzzles.
    pub puzzle_column: &'static str,
    /// The option that says which column holds the claimed solutions.
    pub solution_column: &'static str,
    /// The option that says how an input is to be read.
    pub format: &'static str,
    /// The option for the format of rows.
    pub output_format: &'static str,
    /// What follows `CSV` in a hint on formulas in spreadsheets.
    pub escape_formulas: &'static str,
    /// What comes before and after the value of an option.
    pub around_value: [&'static str; 2],
    /// How the output of a shell command is passed on to be read.
    pub pipe: &'static str,
}

impl OptionNames {
    /// The names in the library.
    pub const LIBRARY: Self = Self {
        puzzle_column: "puzzle_column",
        solution_column: "solution_column",
        format: "format",
        output_format: "the format",
        escape_formulas: "",
        around_value: [" ", ""],
        pipe: "> FILE",
    };

    /// An option with its value.
    #[must_use]
    pub fn with_value(&self, option: &str, value: &str) -> String {
        let [before, behind] = self.around_value;
        format!("{option}{before}{value}{behind}")
    }
}

impl Default for &OptionNames {
    fn default() -> Self {
        &OptionNames::LIBRARY
    }
}
