//! What columns and keys are called: which holds the puzzle, which the claimed solution. One list for all formats.
//!
//! A name counts unless what the column holds speaks against it; where no name helps, the content decides.

use std::cmp::Reverse;
use std::ops::Range;

use super::reader::Which;
use super::text::notation::{Cells, Miss, Notation};
use super::{Dialect, Framing, Holders, InputError, ReadOptions};
use crate::sudoku::{CELLS, SIDE};

/// Rows of a table that are looked at to choose its columns: enough for what is rare among them, soon read.
pub(super) const ROWS_LOOKED_AT: usize = 200;

/// Words for puzzles, the likeliest first, without the s of a plural.
pub const PUZZLES: [&str; 15] = [
    "puzzle", "quiz", "quizze", "question", "sudoku", "problem", "mission", "grid", "board", "unsolved",
    "initial", "start", "input", "given", "clue",
];

/// Words for solutions, without the s of a plural. Beside another word they are what counts: `solution_grid`.
pub const SOLUTIONS: [&str; 7] = ["solution", "answer", "solved", "label", "target", "output", "completion"];

/// Those of them that nobody calls anything else, as numbers of solutions are called `solutions`.
const SURE: [&str; 2] = ["solution", "answer"];

/// Columns by which this program's own results are known.
const RESULTS: [&str; 6] = ["id", "source", "line", "kind", "status", "puzzle"];

/// What a column or key of that name holds, if one of its words says it.
pub(super) fn meaning(name: &str) -> Option<Which> {
    let words = words(name);
    let has = |known: &[&str]| rank(&words, known).is_some();
    if has(&SOLUTIONS) { Some(Which::Claim) } else { has(&PUZZLES).then_some(Which::Puzzle) }
}

/// The place in a list of the first word that is one of these, in the plural or not.
fn rank(words: &[String], known: &[&str]) -> Option<usize> {
    let is_there = |known: &&str| words.iter().any(|word| word.strip_suffix('s').unwrap_or(word) == *known);
    known.iter().position(is_there)
}

/// The words of a name in lower case: what other characters set apart, or a capital letter behind a small one.
fn words(name: &str) -> Vec<String> {
    let mut was_small = false;
    let spaced: String = name
        .chars()
        .flat_map(|letter| {
            let begins = was_small && letter.is_uppercase();
            was_small = letter.is_lowercase();
            let letter = if letter.is_alphanumeric() { letter } else { ' ' };
            begins.then_some(' ').into_iter().chain(letter.to_lowercase())
        })
        .collect();
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Whether columns of these names are those of this program's own results.
pub(super) fn are_results(names: &[String]) -> bool {
    RESULTS.iter().all(|result| names.iter().any(|name| name == result))
}

/// The column with just that name, or else with it but for the case of letters, or else with a number, counted from 1.
pub(super) fn find(names: &[String], wanted: &str) -> Option<usize> {
    let exact = names.iter().position(|name| name.trim() == wanted.trim());
    let in_any_case = || names.iter().position(|name| folded(name) == folded(wanted));
    let number = || wanted.trim().parse::<usize>().ok()?.checked_sub(1);
    exact.or_else(in_any_case).or_else(|| number().filter(|&number| number < names.len()))
}

/// A name as it is compared.
pub(super) fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// What the first values of a column show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnLook {
    /// Values in which there is something.
    pub seen: usize,
    /// Values in which there is nothing.
    pub missing: usize,
    /// Of those seen the ones that are 81 cells.
    pub grids: usize,
    /// Of these the ones without a blank.
    pub complete: usize,
    /// Of those seen the ones that are not 81 cells, but half of them or more: damaged grids.
    pub damaged: usize,
    /// Of those seen the ones that are one cell.
    pub cells: usize,
    /// Of these the blanks.
    pub blanks: usize,
    /// Of those seen the numbers like `4.3E+78`, which a spreadsheet made of puzzles.
    pub mangled: usize,
    /// Whether their type can hold no grids, but cells at most.
    pub without_grids: bool,
}

impl ColumnLook {
    /// Takes one more value into account, as text.
    pub fn add_text(&mut self, text: &[u8], notation: Notation) {
        let text = text.trim_ascii();
        if text.is_empty() {
            self.missing += 1;
            return;
        }
        match grid_cells(text, notation) {
            Ok(cells) => return self.add_grid(cells.values.iter().all(|&cell| cell > 0)),
            Err(Miss::Bad { .. }) => self.damaged += 1,
            Err(Miss::Other) => {
                if let Ok(cells) = notation.cells(text, 1) {
                    return self.add_cell(cells.values[0] == 0);
                }
            }
        }
        self.seen += 1;
        self.mangled += usize::from(is_mangled(text));
    }

    /// Takes one more value into account that is a grid.
    pub const fn add_grid(&mut self, is_complete: bool) {
        self.seen += 1;
        self.grids += 1;
        self.complete += is_complete as usize;
    }

    /// Takes one more value into account that is a cell.
    pub const fn add_cell(&mut self, is_blank: bool) {
        self.seen += 1;
        self.cells += 1;
        self.blanks += is_blank as usize;
    }

    /// Grids with a blank.
    const fn puzzles(&self) -> usize {
        self.grids - self.complete
    }

    /// Whether it holds something or can hold no grids, and nothing that is a grid or a damaged one.
    const fn is_other(&self) -> bool {
        (self.seen > 0 || self.without_grids) && self.grids + self.damaged == 0
    }

    /// Whether most of what it holds are complete grids.
    const fn is_solved(&self) -> bool {
        2 * self.complete > self.seen
    }

    /// Whether most of its values are a cell, which may be blank by being missing.
    const fn is_cells(&self) -> bool {
        2 * (self.cells + self.missing) > self.seen + self.missing
    }

    /// Whether all that it holds are numbers that a spreadsheet made of puzzles.
    const fn is_mangled(&self) -> bool {
        self.seen > 0 && self.mangled == self.seen
    }
}

/// The 81 cells of a text. Half of them take half as many bytes: what is shorter is soon done with.
pub(super) fn grid_cells(text: &[u8], notation: Notation) -> Result<Cells, Miss> {
    if text.len() <= CELLS / 2 { Err(Miss::Other) } else { notation.cells(text, CELLS) }
}

/// Whether a text is a number of more than 50 digits as spreadsheets show it: `4.3E+78`.
pub(super) fn is_mangled(text: &[u8]) -> bool {
    let Some(at) = text.iter().position(|byte| matches!(byte, b'e' | b'E')) else { return false };
    let (number, exponent) = (&text[..at], &text[at + 1..]);
    let exponent = exponent.strip_prefix(b"+").unwrap_or(exponent);
    let is_mantissa = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    at > 0 && number.iter().all(is_mantissa) && matches!(exponent, [b'5'..=b'8', b'0'..=b'9'])
}

/// Which columns of a table are read: one, or 81 consecutive ones of a cell each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub puzzle: Range<usize>,
    pub claim: Option<Range<usize>>,
}

/// Chooses the columns of a table, one for each of `looks`; `names` are theirs, or their numbers from 1 where it has no
/// header. What the options ask for counts, by name, by number or in a dialect. `input` is the name of the input.
///
/// # Errors
///
/// When there is no such column as was asked for, none of puzzles at all, only mangled ones, or 81 in another order.
pub(super) fn choose(
    input: &str,
    names: &[String],
    options: &ReadOptions,
    looks: &[ColumnLook],
) -> Result<Chosen, InputError> {
    let table = Table { names, looks };
    let name = || input.to_owned();
    let columns = || names.to_vec();
    let told = options.format.as_ref().filter(|told| told.framing == Framing::Csv);
    let said = |column: &Option<String>, holders: fn(&Dialect) -> Option<&Holders>| {
        let holders = || told.and_then(holders);
        column
            .as_ref()
            .map(|wanted| table.named(wanted))
            .or_else(|| holders().map(|holders| table.held(holders)))
    };
    let puzzle = match said(&options.puzzle_column, |told| told.puzzle.as_ref()) {
        Some(said) => said.map_err(|wanted| InputError::NoPuzzleColumn {
            name: name(),
            columns: columns(),
            wanted: Some(wanted),
        })?,
        None => table.puzzle().ok_or_else(|| {
            if looks.iter().any(ColumnLook::is_mangled) {
                return InputError::mangled(name());
            }
            InputError::NoPuzzleColumn { name: name(), columns: columns(), wanted: None }
        })?,
    };
    if puzzle.len() == 1 && looks[puzzle.start].is_mangled() {
        return Err(InputError::mangled(name()));
    }
    let claim = match said(&options.solution_column, |told| told.solution.as_ref()) {
        Some(said) => Some(said.map_err(|wanted| InputError::NoSolutionColumn {
            name: name(),
            columns: columns(),
            wanted,
        })?),
        None => table.claim(&puzzle),
    };
    for range in [Some(&puzzle), claim.as_ref()].into_iter().flatten() {
        if table.is_in_order(range) == Some(false) {
            let (first, second) = (&names[range.start], &names[range.start + 1]);
            let what = format!(
                "the 81 columns from '{first}', '{second}' on are not in reading order (expected row by row): put \
                 them in that order, or have their names say none"
            );
            return Err(InputError::Unreadable { name: name(), what });
        }
    }
    Ok(Chosen { puzzle, claim })
}

/// The columns of a table.
struct Table<'a> {
    names: &'a [String],
    looks: &'a [ColumnLook],
}

impl Table<'_> {
    /// The column of such a name or number, which stands for all 81 if it is the first of them; else the name.
    fn named(&self, wanted: &str) -> Result<Range<usize>, String> {
        let first = find(self.names, wanted).filter(|&first| first < self.looks.len());
        let first = first.ok_or_else(|| wanted.to_owned())?;
        let of_cells = self.windows().into_iter().find(|window| window.start == first);
        Ok(of_cells.unwrap_or(first..first + 1))
    }

    /// The columns of such numbers, one or 81; else the numbers.
    fn held(&self, holders: &Holders) -> Result<Range<usize>, String> {
        let (first, last) = (*holders.start(), *holders.end());
        let range = first.saturating_sub(1)..last;
        let is_there = first > 0 && matches!(range.len(), 1 | CELLS) && last <= self.looks.len();
        let shown = || if first == last { first.to_string() } else { format!("{first}-{last}") };
        if is_there { Ok(range) } else { Err(shown()) }
    }

    /// The column, or the 81 columns, of the puzzles: of the likeliest kind the one with most, of equals the first.
    fn puzzle(&self) -> Option<Range<usize>> {
        let columns = (0..self.looks.len()).map(|column| column..column + 1).chain(self.windows());
        let likely = columns.filter_map(|columns| Some((self.likelihood(&columns)?, columns)));
        let best =
            likely.max_by_key(|((kind, count), columns)| (Reverse(*kind), *count, Reverse(columns.start)));
        best.map(|(_, columns)| columns)
    }

    /// Of the kinds that a column of puzzles can be, from the likeliest on, the first that this one is, and how much speaks
    /// for it.
    fn likelihood(&self, columns: &Range<usize>) -> Option<(usize, usize)> {
        let is_window = columns.len() == CELLS;
        let look = if is_window { ColumnLook::default() } else { self.looks[columns.start] };
        let name = Some(&self.names[columns.start]).filter(|_| !is_window);
        let name = name.filter(|name| meaning(name) == Some(Which::Puzzle));
        let rank = name.and_then(|name| rank(&words(name), &PUZZLES));
        let if_named = |count: usize| if rank.is_some() { count } else { 0 };
        let is_empty = look.seen == 0 && !look.without_grids;
        let counts = [
            if_named(look.puzzles()),
            // Beside complete grids damaged ones are the puzzles.
            if_named(look.damaged),
            look.puzzles(),
            usize::from(is_window && self.blanks(columns) > 0),
            if look.grids == 0 { look.damaged } else { 0 },
            if_named(look.grids),
            look.grids,
            rank.filter(|_| is_empty).map_or(0, |rank| PUZZLES.len() - rank),
        ];
        counts.iter().copied().enumerate().find(|&(_, count)| count > 0)
    }

    /// The column of the claims, or the 81 columns, beside that of the puzzles.
    fn claim(&self, puzzle: &Range<usize>) -> Option<Range<usize>> {
        let is_free = |column: usize| !puzzle.contains(&column);
        let is_named = |column: usize| {
            let (name, look) = (&self.names[column], &self.looks[column]);
            let is_sure = || SURE.contains(&&*folded(name)) && !look.without_grids;
            is_free(column) && meaning(name) == Some(Which::Claim) && (!look.is_other() || is_sure())
        };
        // Of columns of that name the one with most solutions, even if that is none; of equals the first.
        let named = (0..self.looks.len()).rev().filter(|&column| is_named(column));
        let named = named.max_by_key(|&column| self.looks[column].complete).map(|column| column..column + 1);
        let of_cells = || {
            let mut windows = self.windows().into_iter();
            windows
                .find(|window| window != puzzle && self.blanks(window) == 0)
                .filter(|_| puzzle.len() == CELLS)
        };
        let only_other = || {
            let has_grids = |&column: &usize| is_free(column) && self.looks[column].grids > 0;
            let mut others = (0..self.looks.len()).filter(has_grids);
            let only = others.next().filter(|_| others.next().is_none())?;
            self.looks[only].is_solved().then_some(only..only + 1)
        };
        named.or_else(of_cells).or_else(only_other)
    }

    /// Blanks in some columns.
    fn blanks(&self, columns: &Range<usize>) -> usize {
        self.looks[columns.clone()].iter().map(|look| look.blanks + look.missing).sum()
    }

    /// All 81 columns of a cell each. A longer run of such columns is several of them one behind the other; where it does
    /// not come out even, those whose names count places.
    fn windows(&self) -> Vec<Range<usize>> {
        let mut windows = Vec::new();
        let mut end = 0;
        for run in self.looks.chunk_by(|one, other| one.is_cells() == other.is_cells()) {
            let start = end;
            end += run.len();
            if !run[0].is_cells() {
                continue;
            }
            let mut run = run;
            while let Some((ColumnLook { seen: 0, .. }, before)) = run.split_last()
                && !run.len().is_multiple_of(CELLS)
            {
                // Nothing stands in what a row ends with.
                run = before;
            }
            let end = start + run.len();
            let step = if run.len().is_multiple_of(CELLS) { CELLS } else { 1 };
            let firsts = (start..end).step_by(step).take_while(|first| first + CELLS <= end);
            let of_cells = firsts.map(|first| first..first + CELLS);
            windows.extend(of_cells.filter(|window| step > 1 || self.is_in_order(window).is_some()));
        }
        windows
    }

    /// Whether 81 columns are in the order of the cells, if their names say it.
    fn is_in_order(&self, columns: &Range<usize>) -> Option<bool> {
        let is_number = |column: usize| self.names[column] == (column + 1).to_string();
        if columns.len() != CELLS || columns.clone().all(is_number) {
            return None;
        }
        are_in_order(&self.names[columns.clone()])
    }
}

/// Whether 81 of these names one behind the other are those of the cells of a grid, in any order.
pub(super) fn say_places(names: &[String]) -> bool {
    names.windows(CELLS).any(|names| are_in_order(names).is_some())
}

/// Whether the names of 81 columns say row by row (`r1c1`, `x0y0`, `cell_0_0`, `A1`, `c81`), if they say an order.
///
/// `x` and what comes with `c` say the column, `y` and what comes with `r` the row; of two bare numbers the first says the
/// row. Names that begin `A1,A2` and such that begin `A1,B1` can both be meant row by row.
fn are_in_order(names: &[String]) -> Option<bool> {
    let parts: Vec<_> = names.iter().map(|name| words_and_numbers(name)).collect();
    let (words, _) = &parts[0];
    let is_lettered = parts.iter().any(|(others, _)| others != words);
    let place = |(words, numbers): &(Vec<String>, Vec<usize>)| {
        let row = if is_lettered {
            let [letter @ b'a'..=b'i'] = words.last()?.as_bytes() else { return None };
            usize::from(letter - b'a')
        } else {
            numbers.iter().rev().nth(1).copied().unwrap_or(0)
        };
        Some((row, *numbers.last()?))
    };
    let places: Vec<_> = parts.iter().map(place).collect::<Option<_>>()?;
    let mut sorted = places.clone();
    sorted.sort_unstable();
    let (row, column) = sorted[0];
    let is_count = sorted.iter().copied().eq((0..names.len()).map(|at| (row, column + at)));
    let is_square = sorted.iter().copied().eq((0..CELLS).map(|at| (row + at / SIDE, column + at % SIDE)));
    if column > 1 || !is_count && (!is_square || row > 1) {
        return None;
    }
    let by_columns = places.is_sorted_by_key(|&(row, column)| (column, row));
    let by_rows = places == sorted;
    let first_word = words.iter().rev().nth(1).map_or("", String::as_str);
    Some(match first_word {
        _ if is_count => by_rows,
        _ if is_lettered => by_rows || by_columns,
        "b" | "box" | "block" => false,
        "c" | "col" | "column" | "x" | "j" => by_columns,
        _ => by_rows,
    })
}

/// The words of a name, in lower case, and its numbers, each in their order.
fn words_and_numbers(name: &str) -> (Vec<String>, Vec<usize>) {
    let name = name.to_lowercase();
    let split = |is_such: fn(char) -> bool| name.split(move |c| !is_such(c)).filter(|part| !part.is_empty());
    let words = split(char::is_alphabetic).map(str::to_owned).collect();
    (words, split(|c| c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of 10 rows: so many puzzles, complete grids, damaged ones and other texts; the rest is missing.
    fn look(puzzles: usize, complete: usize, damaged: usize, others: usize) -> ColumnLook {
        let seen = puzzles + complete + damaged + others;
        let grids = puzzles + complete;
        ColumnLook { seen, missing: 10 - seen, grids, complete, damaged, ..ColumnLook::default() }
    }

    /// A column of 10 cells.
    fn cells(blanks: usize) -> ColumnLook {
        ColumnLook { seen: 10, cells: 10, blanks, ..ColumnLook::default() }
    }

    fn names(names: &str) -> Vec<String> {
        names.split(',').map(str::to_owned).collect()
    }

    /// The columns that are chosen, as `puzzle claim`, from 0 and as `first-last` if they are 81; or the error.
    fn chosen(names: &[String], looks: &[ColumnLook], options: &ReadOptions) -> String {
        let shown = |range: Range<usize>| match range.len() {
            1 => range.start.to_string(),
            _ => format!("{}-{}", range.start, range.end - 1),
        };
        match choose("t", names, options, looks) {
            Ok(Chosen { puzzle, claim }) => {
                format!("{} {}", shown(puzzle), claim.map_or_else(|| "-".to_owned(), shown))
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_word_of_a_name_says_what_it_is() {
        let puzzles = "puzzle,Quizzes, QUESTION ,inputs,puzzle_text,initialGrid,the board,sudoku2 clues";
        let claims =
            "solution,Answers,solved,puzzle_solution,solutionGrid,labels,Solution Count,sudoku-solution";
        let neither = "id,rating,difficulty,dissolution,cell,,\u{e9}t\u{e9},solutio";
        let all = |list: &str, meant| {
            for name in names(list) {
                assert_eq!(meaning(&name), meant, "{name}");
            }
        };
        all(puzzles, Some(Which::Puzzle));
        all(claims, Some(Which::Claim));
        all(neither, None);
        assert!(are_results(&names("id,source,line,kind,status,clues,puzzle,error")));
        assert!(!are_results(&names("id,puzzle,status")));
    }

    #[test]
    fn columns_are_chosen_by_name_if_their_content_agrees_else_by_content() {
        let (puzzle, solved, damaged, other, empty) =
            (look(10, 0, 0, 0), look(0, 10, 0, 0), look(0, 0, 10, 0), look(0, 0, 0, 10), look(0, 0, 0, 0));
        let few = look(2, 1, 7, 0);
        let cases: &[(&str, &[ColumnLook], &str)] = &[
            ("id,puzzle,solution", &[other, puzzle, solved], "1 2"),
            ("solution,puzzle", &[solved, puzzle], "1 0"),
            ("a,b,c", &[other, solved, puzzle], "2 1"),
            ("a,b,c", &[solved, puzzle, solved], "1 -"),
            ("a,b", &[puzzle, puzzle], "0 -"),
            // Puzzles with clues of their own and solutions of which only their number is known.
            ("clues,grid,solutions", &[other, puzzle, other], "1 -"),
            ("clues,grid,solutions,full", &[other, puzzle, other, solved], "1 3"),
            // What cannot be read is still what its name says.
            ("puzzle,solution", &[few, damaged], "0 1"),
            ("puzzle,solution", &[damaged, solved], "0 1"),
            ("a,b", &[solved, damaged], "1 0"),
            ("puzzle,solution", &[empty, empty], "0 1"),
            ("clues,puzzle,note", &[empty, empty, empty], "1 -"),
            // One name says what it is, whatever stands there; another may be that of a number.
            ("puzzle,solutions,Answer", &[puzzle, other, other], "0 2"),
            ("puzzle,target", &[puzzle, other], "0 -"),
            // Solutions alone are read as puzzles.
            ("id,solution", &[other, solved], "1 -"),
            ("puzzle,full", &[solved, solved], "0 1"),
            ("a,b", &[other, other], "t: no column of puzzles found (columns seen: a, b)"),
        ];
        for (list, looks, expected) in cases {
            assert_eq!(chosen(&names(list), looks, &ReadOptions::default()), *expected, "{list} {looks:?}");
        }
    }

    #[test]
    fn what_is_asked_for_counts() {
        let looks = [look(10, 0, 0, 0), look(0, 10, 0, 0), look(0, 0, 0, 10)];
        let names = names("puzzle,solution,Note");
        let with = |puzzle: &str, claim: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let (puzzle_column, solution_column) = (some(puzzle), some(claim));
            chosen(&names, &looks, &ReadOptions { puzzle_column, solution_column, ..ReadOptions::default() })
        };
        assert_eq!([with("note", ""), with("2", "3"), with("", "NOTE")], ["2 1", "1 2", "0 2"]);
        assert_eq!(with("4", ""), "t: no column '4' (columns seen: puzzle, solution, Note)");
        assert_eq!(with("", "x"), "t: no column 'x' (columns seen: puzzle, solution, Note)");
        let mangled = [ColumnLook { mangled: 10, ..look(0, 0, 0, 10) }, look(0, 10, 0, 0)];
        let error = chosen(&["a".to_owned(), "b".to_owned()], &mangled[..1], &ReadOptions::default());
        assert!(error.contains("4.3E+78"), "{error}");
    }

    #[test]
    fn eighty_one_columns_of_a_cell_are_a_puzzle_in_reading_order() {
        let of = |count: usize, name: fn(usize) -> String| (0..count).map(name).collect::<Vec<_>>();
        let numbers = |count| of(count, |at| (at + 1).to_string());
        let none = ReadOptions::default();
        let (open, full, other) = (cells(6), cells(0), look(0, 0, 0, 10));
        let row = |parts: &[(usize, ColumnLook)]| {
            parts.iter().flat_map(|&(count, look)| vec![look; count]).collect::<Vec<_>>()
        };
        let both = row(&[(1, other), (81, open), (81, full)]);
        assert_eq!(chosen(&numbers(163), &both, &none), "1-81 82-162");
        assert_eq!(chosen(&numbers(163), &row(&[(81, full), (1, other), (81, open)]), &none), "82-162 0-80");
        // A number of one digit before them: only names tell where they begin.
        let many = row(&[(1, full), (81, open)]);
        assert!(chosen(&numbers(82), &many, &none).contains("no column of puzzles"));
        assert!(chosen(&of(82, |at| format!("v{}", at + 5)), &many, &none).contains("no column of puzzles"));
        for name in [
            |at| format!("c{at}"),
            |at| format!("r{}c{}", (at + 80) % 81 / 9, (at + 80) % 9),
            |at| format!("cell_{}_{}", (at + 80) % 81 / 9 + 1, (at + 80) % 9 + 1),
            |at| format!("x{}y{}", (at + 80) % 9, (at + 80) % 81 / 9),
            |at| format!("{}{}", char::from(b"ABCDEFGHI"[(at + 80) % 9]), (at + 80) % 81 / 9 + 1),
            |at| format!("{}{}", char::from(b"ABCDEFGHI"[(at + 80) % 81 / 9]), (at + 80) % 9 + 1),
        ] as [fn(usize) -> String; 6]
        {
            let mut list = of(82, name);
            list[0] = "id".to_owned();
            assert_eq!(chosen(&list, &many, &none), "1-81 -", "{}", list[2]);
            list.swap(30, 40);
            let error = chosen(&list, &many, &none);
            assert!(error.contains("not in reading order"), "{}: {error}", list[2]);
        }
        for name in [
            |at| format!("c{}r{}", at / 9, at % 9),
            |at| format!("r{}c{}", at % 9, at / 9),
            |at| format!("box{}_cell{}", at / 9, at % 9),
        ] as [fn(usize) -> String; 3]
        {
            assert_eq!(are_in_order(&of(81, name)), Some(false), "{}", name(1));
        }
        assert_eq!(are_in_order(&of(81, |at| format!("c{at}"))), Some(true));
    }
}
