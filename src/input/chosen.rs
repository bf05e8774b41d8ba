//! Which columns of a table hold the puzzles and the solutions that they claim: the same in tables of every format.
//!
//! A column is found by its name, as the known datasets call it, if what it holds agrees, else by its content.

use super::error::listed;
use super::fields::Fields;
use super::lost_zeros::{self, have_lost_zeros};
use super::order::{Order, READING, order_of};
use super::{InputError, OptionNames, ReadOptions, cells, field};
use crate::sudoku::{CELLS, Grid, verifier};

/// Names under which the known datasets keep their puzzles.
const PUZZLE_NAMES: [&str; 3] = ["quizzes", "puzzle", "question"];

/// Names that others give to them; they count only where the column holds puzzles.
pub(super) const OTHER_PUZZLE_NAMES: [&str; 16] = [
    "puzzles",
    "quiz",
    "questions",
    "sudoku",
    "sudokus",
    "problem",
    "problems",
    "grid",
    "board",
    "unsolved",
    "initial",
    "start",
    "input",
    "inputs",
    "givens",
    "clues",
];

/// Names under which they keep the solutions.
const SOLUTION_NAMES: [&str; 3] = ["solution", "answer", "solutions"];

/// Of these names those that are never said of how many there are.
const SURE_SOLUTIONS: usize = 2;

/// Names that others give to them; they count only where the column holds complete grids.
pub(super) const OTHER_SOLUTION_NAMES: [&str; 7] =
    ["answers", "solved", "label", "labels", "target", "targets", "output"];

/// Columns by which this program's own results are known.
pub(super) const RESULT_NAMES: [&str; 6] = ["id", "source", "line", "kind", "status", "puzzle"];

/// Whether columns of these names are those of this program's own results.
pub(super) fn are_results(names: &[String]) -> bool {
    RESULT_NAMES.iter().all(|result| names.iter().any(|name| name == result))
}

/// Most rows of a table that are looked at.
pub(super) const ROWS_LOOKED_AT: usize = 200;

/// Which columns the user asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    /// The column of the puzzles.
    pub puzzle: Option<&'a str>,
    /// The column of the claimed solutions.
    pub claim: Option<&'a str>,
    /// Whether claimed solutions are wanted.
    pub claims: bool,
    /// Whether the table is looked at, to say what it is.
    pub look: bool,
    /// What the options are called.
    pub option_names: &'static OptionNames,
}

impl<'a> From<&'a ReadOptions> for Asked<'a> {
    fn from(options: &'a ReadOptions) -> Self {
        let (puzzle, claim) = (options.puzzle_column.as_deref(), options.solution_column.as_deref());
        let ReadOptions { claims, look, option_names, .. } = *options;
        Self { puzzle, claim, claims, look, option_names }
    }
}

/// Where in a row the cells of a grid stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    /// In a column with this index.
    Column(usize),
    /// In 81 columns, of which this is the first, and in this order.
    Each(usize, Order),
}

impl Cells {
    pub const fn first(self) -> usize {
        match self {
            Self::Column(column) | Self::Each(column, _) => column,
        }
    }

    /// The columns in which they are.
    pub const fn columns(self) -> std::ops::Range<usize> {
        match self {
            Self::Column(column) => column..column + 1,
            Self::Each(first, _) => first..first + CELLS,
        }
    }

    /// The grid of a row, if it has one.
    fn grid(self, row: &Fields) -> Option<Grid> {
        match self {
            Self::Column(column) => field::grid(row.get(column)?, &cells::PUZZLE).ok(),
            Self::Each(first, order) => field::grid_of_cells(cells_in(row, first, &order)).ok(),
        }
    }
}

/// The fields of the cells of a grid, the first of which stand in column `first`.
pub(super) fn cells_in<'a>(
    row: &'a Fields,
    first: usize,
    order: &'a Order,
) -> impl Iterator<Item = &'a [u8]> {
    order.iter().map(move |&at| row.get(first + usize::from(at)).unwrap_or_default())
}

/// Which columns of a table are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub puzzle: Cells,
    pub claim: Option<Cells>,
    /// In this program's own results: what each row is.
    pub kind: Option<usize>,
    /// Whether the puzzles were taken for numbers and lost their leading zeros.
    pub lost_zeros: bool,
}

impl Chosen {
    /// The columns that are read.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        let claim = self.claim.into_iter().flat_map(Cells::columns);
        self.puzzle.columns().chain(claim).chain(self.kind)
    }
}

/// Whether a word is what puzzles are called.
pub(super) fn is_puzzle_name(word: &[u8]) -> bool {
    let word = folded(word);
    PUZZLE_NAMES.iter().chain(&OTHER_PUZZLE_NAMES).any(|name| *name == word)
}

/// Whether a word is what solutions are called.
#[cfg(feature = "arrow")]
pub(super) fn is_solution_name(word: &[u8]) -> bool {
    let word = folded(word);
    SOLUTION_NAMES.iter().chain(&OTHER_SOLUTION_NAMES).any(|name| *name == word)
}

/// The name of a column as names are compared.
pub(super) fn folded(name: &[u8]) -> String {
    String::from_utf8_lossy(name.trim_ascii()).to_lowercase()
}

/// The first rows of a table, without its header.
pub(super) struct FirstRows<'a> {
    /// Names of the columns as they are compared; none without a header.
    names: Vec<String>,
    columns: usize,
    rows: &'a [Fields],
    /// Of each column whether its type can hold no grids; empty if there are no types.
    without_grids: Vec<bool>,
}

impl<'a> FirstRows<'a> {
    pub fn new<'n>(names: impl Iterator<Item = &'n [u8]>, columns: usize, rows: &'a [Fields]) -> Self {
        Self { names: names.map(folded).collect(), columns, rows, without_grids: Vec::new() }
    }

    /// The same in a table whose columns have types, of which these can hold no grids.
    #[cfg(feature = "parquet")]
    pub fn with_types(self, without_grids: Vec<bool>) -> Self {
        Self { without_grids, ..self }
    }

    /// The column of this name.
    pub fn named(&self, wanted: &str) -> Option<usize> {
        let wanted = folded(wanted.as_bytes());
        self.names.iter().position(|name| *name == wanted)
    }

    /// The column of this name or number.
    pub fn asked_for(&self, wanted: &str) -> Option<usize> {
        let number = || wanted.trim().parse::<usize>().ok()?.checked_sub(1);
        self.named(wanted).or_else(|| number().filter(|&column| column < self.columns))
    }

    /// The columns of these names that can hold grids, in the order of the names.
    fn of_names<'n>(&self, names: &'n [&str]) -> impl Iterator<Item = usize> + use<'_, 'n> {
        let is_possible = |column: &usize| self.without_grids.get(*column) != Some(&true);
        names.iter().filter_map(|name| self.named(name)).filter(is_possible)
    }

    /// Rows with a grid of some kind.
    fn count(&self, cells: Cells, is_such: impl Fn(&Grid) -> bool) -> usize {
        let rows = self.rows.iter().filter(|row| row.are_whole(self.columns));
        rows.filter(|row| cells.grid(row).is_some_and(|grid| is_such(&grid))).count()
    }

    /// Rows in which a grid has at least one blank.
    pub fn puzzles_in(&self, cells: Cells) -> usize {
        self.count(cells, |grid| (grid.clues() as usize) < CELLS)
    }

    /// Whether most rows have a complete grid.
    fn holds_solutions(&self, cells: Cells) -> bool {
        self.is_most(self.solutions_in(cells))
    }

    fn solutions_in(&self, cells: Cells) -> usize {
        self.count(cells, |grid| grid.clues() as usize == CELLS)
    }

    const fn is_most(&self, count: usize) -> bool {
        2 * count > self.rows.len()
    }

    /// Whether there is a grid in some row.
    pub fn holds_grids(&self, cells: Cells) -> bool {
        self.rows.iter().any(|row| cells.grid(row).is_some())
    }

    /// Whether nothing that stands in a column is a grid or a damaged one: numbers, ids, paths. Words for nothing leave that
    /// open.
    pub fn holds_others(&self, column: usize) -> bool {
        let texts = self.rows.iter().filter_map(|row| row.get(column)).map(<[u8]>::trim_ascii);
        let is_nothing = |text: &&[u8]| matches!(*text, [] | br"\N") || cells::is_null(text);
        let mut texts = texts.filter(|text| !is_nothing(text)).peekable();
        let is_like_grid = |text: &[u8]| {
            cells::run(text) > CELLS / 2
                || cells::may_hold_puzzle(text)
                || is_scientific(text)
                || field::grid(text, &cells::CLAIM).is_ok()
        };
        texts.peek().is_some() && !texts.any(is_like_grid)
    }

    /// Whether all that stands in a column is a 0, as where a model gave no answer.
    fn holds_zeros(&self, column: usize) -> bool {
        let mut texts = self.rows.iter().filter_map(|row| row.get(column)).peekable();
        texts.peek().is_some() && texts.all(|text| text.trim_ascii() == b"0")
    }

    /// The column that is called solutions, and holds none.
    fn solutions_by_name_alone(&self) -> Option<usize> {
        let is_typed = |column| self.without_grids.get(column) == Some(&true);
        let mut named = SOLUTION_NAMES.iter().filter_map(|name| self.named(name));
        named.find(|&column| is_typed(column) || self.holds_others(column))
    }

    /// The columns by their names alone, where these leave nothing open: to look at rows can take as long as to read
    /// many of them.
    #[cfg(feature = "parquet")]
    pub fn by_names_alone(&self, asked: Asked<'_>) -> Option<Chosen> {
        let puzzle = match asked.puzzle {
            Some(wanted) => self.asked_for(wanted),
            None => {
                let mut named = self.of_names(&PUZZLE_NAMES).chain(self.of_names(&OTHER_PUZZLE_NAMES));
                named.next().filter(|_| named.next().is_none())
            }
        }?;
        let is_known = asked.puzzle.is_some() || self.of_names(&PUZZLE_NAMES).next().is_some();
        let has_claim = asked.claim.is_some() || self.of_names(&SOLUTION_NAMES).any(|claim| claim != puzzle);
        (is_known && has_claim).then(|| self.chosen(asked, Cells::Column(puzzle)))
    }

    /// The column of the puzzles by its name.
    pub fn puzzle_by_name(&self) -> Option<usize> {
        let holds_puzzles = |column: &usize| self.puzzles_in(Cells::Column(*column)) > 0;
        let known = || self.of_names(&PUZZLE_NAMES);
        let others = || self.of_names(&OTHER_PUZZLE_NAMES);
        // A known name whose column holds no grid is still the best guess, if no other column holds puzzles.
        let guess = || known().next().filter(|_| !(0..self.columns).any(|column| holds_puzzles(&column)));
        known()
            .find(|&column| self.holds_grids(Cells::Column(column)))
            .or_else(|| others().find(holds_puzzles))
            .or_else(guess)
            .or_else(|| self.beside_solutions())
    }

    /// The column of 81 characters that are no cells beside one that is called solutions and holds them: puzzles that
    /// cannot be read. The solutions are not to be taken for them.
    fn beside_solutions(&self) -> Option<usize> {
        let mut named = self.of_names(&SOLUTION_NAMES).chain(self.of_names(&OTHER_SOLUTION_NAMES));
        self.beside(named.find(|&column| self.holds_solutions(Cells::Column(column)))?)
    }

    /// The same where no name says what are solutions: beside the first column that holds complete grids.
    pub fn beside_complete(&self) -> Option<usize> {
        self.beside((0..self.columns).find(|&column| self.holds_solutions(Cells::Column(column)))?)
    }

    /// The column of 81 characters that are no cells beside that of solutions, in a table without puzzles.
    fn beside(&self, claim: usize) -> Option<usize> {
        let has_81 = |column: usize| {
            let texts = self.rows.iter().filter_map(|row| row.get(column)).map(<[u8]>::trim_ascii);
            texts.filter(|text| String::from_utf8_lossy(text).chars().count() == CELLS).count()
        };
        let holds_puzzles = (0..self.columns).any(|column| self.puzzles_in(Cells::Column(column)) > 0);
        let mut others = (0..self.columns).filter(|&column| column != claim && !holds_puzzles);
        others.find(|&column| self.is_most(has_81(column)))
    }

    /// The column, or the 81 columns, of the puzzles by what stands there, and in how many rows.
    pub fn puzzle_by_content(&self) -> Option<(Cells, usize)> {
        let counts =
            (0..self.columns).map(|column| (Cells::Column(column), self.puzzles_in(Cells::Column(column))));
        // Of equals the first: `max_by_key` takes the last.
        let best = counts.rev().max_by_key(|&(_, count)| count).filter(|&(_, count)| count > 0);
        best.or_else(|| self.each_cell()).or_else(|| self.lone_solutions())
    }

    /// How many rows have a puzzle in a column.
    pub fn in_column(&self, column: usize) -> (Cells, usize) {
        (Cells::Column(column), self.puzzles_in(Cells::Column(column)))
    }

    /// The 81 columns of a cell each that hold puzzles in most rows, and in how many. Where others would do as well it is
    /// those beside which their solutions stand, else nobody knows which are meant. Digits that clash are no puzzle: there
    /// are tables full of digits.
    fn each_cell(&self) -> Option<(Cells, usize)> {
        let is_puzzle =
            |grid: &Grid| (1..CELLS as u32).contains(&grid.clues()) && verifier::clash(grid).is_none();
        let firsts = 0..=self.columns.checked_sub(CELLS)?;
        let named = firsts.clone().filter_map(|first| self.each_from(first));
        let mut windows: Vec<_> = named.map(|cells| (cells, self.count(cells, is_puzzle))).collect();
        windows.retain(|&(_, count)| self.is_most(count));
        if windows.is_empty() {
            // In an order that nobody knows they may clash.
            let is_puzzle = |grid: &Grid| (cells::FEWEST_CLUES..CELLS).contains(&(grid.clues() as usize));
            let mut unnamed = firsts.filter(|&first| self.order(first).is_err()).map(|first| {
                let cells = Cells::Each(first, READING);
                (cells, self.count(cells, is_puzzle))
            });
            return unnamed.find(|&(_, count)| self.is_most(count));
        }
        let is_solved = |&&(puzzle, _): &&(Cells, usize)| {
            self.next_to(puzzle).any(|solution| {
                let is_solved = |row: &&Fields| match (puzzle.grid(row), solution.grid(row)) {
                    (Some(puzzle), Some(solution)) => verifier::sudoku(&puzzle, &solution),
                    _ => false,
                };
                let whole = self.rows.iter().filter(|row| row.are_whole(self.columns));
                self.is_most(whole.filter(is_solved).count())
            })
        };
        let is_best = |&&(_, count): &&(Cells, usize)| windows.iter().all(|&(_, other)| other <= count);
        let mut best = windows.iter().filter(is_best);
        let only_best = || best.next().filter(|_| best.next().is_none());
        windows.iter().find(is_solved).or_else(only_best).copied()
    }

    /// The order of the cells in 81 columns from one on, or what is wrong with their names.
    fn order(&self, first: usize) -> Result<Order, String> {
        let names = self.names.get(first..first + CELLS).unwrap_or_default();
        order_of(names).map(|order| order.unwrap_or(READING))
    }

    /// The 81 columns from one on, if their names do not contradict it.
    fn each_from(&self, first: usize) -> Option<Cells> {
        self.order(first).ok().map(|order| Cells::Each(first, order))
    }

    /// Whether the names are those of 81 cells, in some order that they say.
    pub fn name_cells(&self) -> bool {
        self.names.windows(CELLS).any(|names| matches!(order_of(names), Ok(Some(_))))
    }

    /// The 81 columns behind others, and those before them, if there are such.
    fn next_to(&self, cells: Cells) -> impl Iterator<Item = Cells> {
        let range = cells.columns();
        let behind = Some(range.end).filter(|end| end + CELLS <= self.columns);
        let firsts = behind.into_iter().chain(range.start.checked_sub(CELLS));
        firsts.filter_map(|first| self.each_from(first))
    }

    /// The column of solutions of a table that has no other grids, as that of an enumeration, and how many there are: then
    /// these are what is read.
    fn lone_solutions(&self) -> Option<(Cells, usize)> {
        let column = self.of_names(&SOLUTION_NAMES).next()?;
        let count = self.solutions_in(Cells::Column(column));
        let is_short = |(at, field): (usize, &[u8])| at == column || field.len() < CELLS / 2;
        let is_lone = self.rows.iter().all(|row| row.iter().enumerate().all(is_short));
        (is_lone && self.is_most(count)).then_some((Cells::Column(column), count))
    }

    /// The columns that are read beside those of the puzzles.
    pub fn chosen(&self, asked: Asked<'_>, puzzle: Cells) -> Chosen {
        let is_results = are_results(&self.names);
        let kind = if is_results { self.named("kind") } else { None };
        let claim = match asked.claim {
            Some(wanted) => self.asked_for(wanted).map(Cells::Column),
            None => self.claim(puzzle),
        };
        let lost_zeros = match puzzle {
            Cells::Column(column) => have_lost_zeros(self.rows.iter().filter_map(|row| row.get(column))),
            Cells::Each(..) => false,
        };
        Chosen { puzzle, claim, kind, lost_zeros }
    }

    /// The columns of the claimed solutions: one with a known name, or what holds complete grids in most rows.
    fn claim(&self, puzzle: Cells) -> Option<Cells> {
        let is_free = |column: &usize| !puzzle.columns().contains(column);
        let known = self.of_names(&SOLUTION_NAMES).filter(is_free).find(|&column| !self.holds_others(column));
        let others = || {
            let columns = self.of_names(&OTHER_SOLUTION_NAMES).filter(is_free).map(Cells::Column);
            columns.into_iter().find(|&cells| self.holds_solutions(cells))
        };
        let apart = || {
            let is_apart = matches!(puzzle, Cells::Each(..));
            self.next_to(puzzle).find(|&cells| is_apart && self.holds_solutions(cells))
        };
        let by_content = || {
            let columns = (0..self.columns).rev().filter(is_free).map(Cells::Column);
            let counts = columns.map(|cells| (cells, self.solutions_in(cells)));
            let best = counts.max_by_key(|&(_, count)| count);
            best.filter(|&(_, count)| self.is_most(count)).map(|(cells, _)| cells)
        };
        let zeros = || {
            let mut named = self.of_names(&SOLUTION_NAMES[..SURE_SOLUTIONS]).filter(is_free);
            named.find(|&column| self.holds_zeros(column)).map(Cells::Column)
        };
        known.map(Cells::Column).or_else(others).or_else(apart).or_else(by_content).or_else(zeros)
    }

    /// What is worth a warning: that puzzles lost their zeros, and what there is about the columns, whose names as they are
    /// shown are `names`.
    ///
    /// # Errors
    ///
    /// When the column of the claims that was asked for is not there, or names of 81 columns contradict each other.
    pub fn note(
        &self,
        input: &str,
        names: &[String],
        asked: Asked<'_>,
        chosen: &Chosen,
    ) -> Result<Option<String>, InputError> {
        let zeros = chosen.lost_zeros.then(|| lost_zeros::NOTE.to_owned());
        let columns = self.note_on_columns(input, names, asked, chosen)?;
        let notes: Vec<_> = zeros.into_iter().chain(columns).collect();
        Ok((!notes.is_empty()).then(|| notes.join("; ")))
    }

    /// What is worth a warning: that claims are wanted and not found, or that there are puzzles in a second column.
    /// `names` are those of the columns as they are shown.
    ///
    /// # Errors
    ///
    /// When the column of the claims that was asked for is not there, or names of 81 columns contradict each other.
    fn note_on_columns(
        &self,
        input: &str,
        names: &[String],
        asked: Asked<'_>,
        chosen: &Chosen,
    ) -> Result<Option<String>, InputError> {
        if let Cells::Each(first, _) = chosen.puzzle
            && let Err(trouble) = self.order(first)
        {
            let what =
                format!("of 81 columns of a cell each {trouble}: mend their names, or have them say nothing");
            return Err(InputError::Unreadable { name: input.to_owned(), what });
        }
        let option_names = asked.option_names;
        let by_name = self.solutions_by_name_alone().and_then(|column| names.get(column));
        match (chosen.claim, asked.claim) {
            (None, Some(wanted)) => Err(InputError::NoSolutionColumn {
                name: input.to_owned(),
                columns: names.to_vec(),
                wanted: wanted.to_owned(),
            }),
            (None, None) if asked.claims || asked.look && by_name.is_some() => {
                let columns = listed(names);
                let found = match by_name {
                    Some(name) => format!("'{name}' holds no grids, so no column of solutions was found"),
                    None => "no column of solutions found".to_owned(),
                };
                let option = option_names.with_value(option_names.solution_column, "NAME");
                Ok(Some(format!("{found}; name it with {option} (columns seen: {columns})")))
            }
            (Some(Cells::Column(claim)), _)
                if (asked.claims || asked.look)
                    && asked.claim.is_none_or(|wanted| wanted.parse::<usize>().is_err())
                    && let Some(other) = self.namesake(claim) =>
            {
                let (name, read, other) = (&names[claim], claim + 1, other + 1);
                let option = option_names.with_value(option_names.solution_column, &other.to_string());
                Ok(Some(format!(
                    "columns {read} and {other} are both called '{name}'; the claims are those of column {read} \
                     ({option} takes the others)"
                )))
            }
            _ if asked.puzzle.is_none() => {
                let option = option_names.with_value(option_names.puzzle_column, "NAME");
                let note = self.other_puzzles(names, chosen);
                Ok(note.map(|note| format!("{note} ({option} says which)")))
            }
            _ => Ok(None),
        }
    }

    /// Another column of the same name.
    fn namesake(&self, column: usize) -> Option<usize> {
        let name = self.names.get(column).filter(|name| !name.is_empty())?;
        (0..self.names.len()).find(|&other| other != column && self.names[other] == *name)
    }

    /// What is said of a second column of puzzles.
    pub fn other_puzzles(&self, names: &[String], chosen: &Chosen) -> Option<String> {
        let Cells::Column(puzzle) = chosen.puzzle else { return None };
        let is_other = |column: &usize| chosen.columns().all(|read| read != *column);
        let others = (0..self.columns).filter(is_other);
        let other =
            others.into_iter().find(|&column| self.is_most(self.puzzles_in(Cells::Column(column))))?;
        let (puzzle, other) = (names.get(puzzle)?, names.get(other)?);
        Some(format!("'{other}' holds puzzles, too; those of '{puzzle}' are read"))
    }

    /// Whether there is a column of what a spreadsheet makes of puzzles when it takes them for numbers.
    pub fn is_mangled(&self) -> bool {
        (0..self.columns).any(|column| self.all_mangled(column))
    }

    /// Whether all that stands in a column are numbers in scientific notation.
    pub fn all_mangled(&self, column: usize) -> bool {
        let texts = self.rows.iter().filter_map(|row| row.get(column)).map(<[u8]>::trim_ascii);
        let mut texts = texts.filter(|text| !text.is_empty()).peekable();
        texts.peek().is_some() && texts.all(is_scientific)
    }
}

/// Whether a text is a number of more than 50 digits as spreadsheets show it: `4.3E+78`.
pub(super) fn is_scientific(text: &[u8]) -> bool {
    let Some(at) = text.iter().position(|byte| matches!(byte, b'e' | b'E')) else { return false };
    let (number, exponent) = (&text[..at], &text[at + 1..]);
    let exponent = exponent.strip_prefix(b"+").unwrap_or(exponent);
    let is_mantissa = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    at > 0 && number.iter().all(is_mantissa) && matches!(exponent, [b'5'..=b'8', b'0'..=b'9'])
}
