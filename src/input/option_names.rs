//! The option names that appear in hints, which differ between the command line and Python.

/// The option names to use in hints and notes.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionNames {
    /// The option that says which column holds the puzzles.
    pub puzzle_column: &'static str,
    /// The option that says which column holds the claimed solutions.
    pub solution_column: &'static str,
    /// The option that sets the format of an input.
    pub format: &'static str,
    /// The option that sets the format of the output rows.
    pub output_format: &'static str,
    /// The text after `CSV` in a hint about formulas in spreadsheets.
    pub escape_formulas: &'static str,
    /// The texts before and after an option's value.
    pub around_value: [&'static str; 2],
    /// The text after a shell command whose output should be read as input.
    pub pipe: &'static str,
}

impl OptionNames {
    /// The option names of the library.
    pub const LIBRARY: Self = Self {
        puzzle_column: "puzzle_column",
        solution_column: "solution_column",
        format: "format",
        output_format: "the format",
        escape_formulas: "",
        around_value: [" ", ""],
        pipe: "> FILE",
    };

    /// Returns an option with its value.
    #[must_use]
    pub fn with_value(&self, option: &str, value: &str) -> String {
        let [before, after] = self.around_value;
        format!("{option}{before}{value}{after}")
    }
}

impl Default for &OptionNames {
    fn default() -> Self {
        &OptionNames::LIBRARY
    }
}
