//! What those who stand before the library call its options.
//!
//! An error or a note that says what to do names options, and the command and Python call them differently.

/// The names of options in hints and notes.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionNames {
    /// The option that says which column holds the puzzles.
    pub puzzle_column: &'static str,
    /// The option that says which column holds the claimed solutions.
    pub solution_column: &'static str,
    /// The option that says how an input is to be read.
    pub format: &'static str,
    /// What is said where compressed data may take any memory and time.
    pub trust_compressed: &'static str,
    /// The option that says in which format rows are written.
    pub output_format: &'static str,
    /// What is said behind CSV for spreadsheets, to which no formula is to be left.
    pub escape_formulas: &'static str,
    /// What stands before and behind the value of an option.
    pub around_value: [&'static str; 2],
    /// How a command of a shell hands on what is to be read.
    pub pipe: &'static str,
}

impl OptionNames {
    /// The names that the library itself has for them.
    pub const LIBRARY: Self = Self {
        puzzle_column: "puzzle_column",
        solution_column: "solution_column",
        format: "format",
        trust_compressed: "trust_compressed",
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
