//! Names of columns and keys that hold puzzles or claimed solutions: one list for all formats.
//!
//! A name counts unless the contents of the column contradict it. If no name is recognized, the contents decide.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use super::reader::Which;
use super::text::notation::{Cells, Miss, Notation};
use super::{Framing, InputError, ReadOptions};
use crate::record::{Fault, Place, PuzzleKind};
use crate::sudoku::CELLS;

/// The number of table rows that are examined to choose the columns: enough to include rare values, yet quick to read.
pub(super) const ROWS_LOOKED_AT: usize = 200;

/// Words for puzzles in the singular, most likely first.
pub const PUZZLES: [&str; 15] = [
    "puzzle", "quiz", "quizze", "question", "sudoku", "problem", "mission", "grid", "board", "unsolved",
    "initial", "start", "input", "given", "clue",
];

/// Words for solutions in the singular. The first two have no other meaning. If a name also has a word for puzzles, the
/// word for solutions wins, as in `solution_grid`.
pub const SOLUTIONS: [&str; 7] = ["solution", "answer", "solved", "label", "target", "output", "completion"];

/// Column names that identify this program's own output.
const RESULTS: [&str; 6] = ["id", "source", "line", "kind", "status", "puzzle"];

/// Returns what a column or key holds, if a word in its name says so.
pub(super) fn meaning(name: &str) -> Option<Which> {
    let words = words(name);
    let has = |known: &[&str]| rank(&words, known).is_some();
    if has(&SOLUTIONS) { Some(Which::Claim) } else { has(&PUZZLES).then_some(Which::Puzzle) }
}

/// Returns the position in `known` of the first entry that occurs in `words`, in the singular or plural.
fn rank(words: &[String], known: &[&str]) -> Option<usize> {
    let is_there = |known: &&str| words.iter().any(|word| word.strip_suffix('s').unwrap_or(word) == *known);
    known.iter().position(is_there)
}

/// Returns the words of a name in lower case. The name is split at non-alphanumeric characters, and wherever a capital
/// follows a lower-case letter.
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

/// Returns the column that gives the kind of each row, if the columns are those of this program's own output.
pub(super) fn kind_of_results(names: &[String]) -> Option<usize> {
    names.iter().position(|name| name == "kind").filter(|_| are_results(names))
}

/// Makes the fault for a puzzle in this program's output whose kind is not sudoku.
pub(super) fn variant_in_results(word: &[u8], place: Option<Place>) -> Option<Fault> {
    let is_named = |kind: &PuzzleKind| word.eq_ignore_ascii_case(kind.as_str().as_bytes());
    let kind = PuzzleKind::ALL.into_iter().filter(|&kind| kind != PuzzleKind::Sudoku).find(is_named)?;
    Some(kind.refused(place, |parts| format!("whose {parts} are not in a file of results")))
}

/// Returns whether these are the column names of this program's own output.
pub(super) fn are_results(names: &[String]) -> bool {
    RESULTS.iter().all(|result| names.iter().any(|name| name == result))
}

/// Returns the column with exactly that name, or else with that name in another case, or else with that 1-based number.
pub(super) fn find(names: &[String], wanted: &str) -> Option<usize> {
    let exact = names.iter().position(|name| name.trim() == wanted.trim());
    let in_any_case = || names.iter().position(|name| folded(name) == folded(wanted));
    let number = || wanted.trim().parse::<usize>().ok()?.checked_sub(1);
    exact.or_else(in_any_case).or_else(|| number().filter(|&number| number < names.len()))
}

/// Returns a name in the form in which names are compared.
pub(super) fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The contents of a value: nothing, a grid with or without blanks, a damaged grid (at least half of 81 cells), or a
/// single cell. It can also be a number like `4.3E+78` that a spreadsheet made out of a puzzle, or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Nothing,
    Puzzle,
    Solution,
    Damaged,
    Blank,
    Digit,
    Mangled,
    Other,
}

impl Shows {
    /// Classifies a text.
    pub fn of_text(text: &[u8], notation: Notation) -> Self {
        let text = text.trim_ascii();
        match grid_cells(text, notation) {
            _ if text.is_empty() => Self::Nothing,
            Ok(cells) => Self::of_cells(&cells.values),
            Err(_) if is_mangled(text) => Self::Mangled,
            Err(Miss::Bad { .. }) => Self::Damaged,
            Err(Miss::Other) => match notation.cells(text, 1) {
                Ok(cell) if cell.values[0] == 0 => Self::Blank,
                Ok(_) => Self::Digit,
                Err(_) => Self::Other,
            },
        }
    }

    /// Classifies 81 cells.
    pub fn of_cells(cells: &[u8; CELLS]) -> Self {
        if cells.contains(&0) { Self::Puzzle } else { Self::Solution }
    }
}

/// The number of values of each kind among the first values of a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ColumnLook {
    counts: [usize; 8],
    /// Whether the column's type rules out grids: it can hold single cells at most.
    pub without_grids: bool,
}

impl FromIterator<Shows> for ColumnLook {
    fn from_iter<I: IntoIterator<Item = Shows>>(values: I) -> Self {
        let mut look = Self::default();
        values.into_iter().for_each(|value| look.counts[value as usize] += 1);
        look
    }
}

impl ColumnLook {
    const fn of(&self, kind: Shows) -> usize {
        self.counts[kind as usize]
    }

    /// Counts the nonempty values.
    fn seen(&self) -> usize {
        self.counts.iter().sum::<usize>() - self.of(Shows::Nothing)
    }

    const fn grids(&self) -> usize {
        self.of(Shows::Puzzle) + self.of(Shows::Solution)
    }

    /// Counts the values that could be blank cells.
    const fn blanks(&self) -> usize {
        self.of(Shows::Blank) + self.of(Shows::Nothing)
    }

    /// Returns whether the column holds something other than grids. That means that no value is a grid, not even a
    /// damaged one, and that there are values or the type rules out grids.
    fn is_other(&self) -> bool {
        (self.seen() > 0 || self.without_grids) && self.grids() + self.of(Shows::Damaged) == 0
    }

    /// Returns whether most values are single cells; a missing value counts as a blank cell.
    fn is_cells(&self) -> bool {
        2 * (self.blanks() + self.of(Shows::Digit)) > self.counts.iter().sum()
    }

    /// Returns whether all values are numbers that a spreadsheet made from puzzles.
    fn is_mangled(&self) -> bool {
        self.seen() > 0 && self.of(Shows::Mangled) == self.seen()
    }
}

/// Returns the 81 cells of a text. Even half of them take 41 bytes, so anything shorter is rejected quickly.
pub(super) fn grid_cells(text: &[u8], notation: Notation) -> Result<Cells, Miss> {
    if text.len() <= CELLS / 2 { Err(Miss::Other) } else { notation.cells(text, CELLS) }
}

/// Returns whether a text is a number of more than 50 digits as spreadsheets write it: `4.3E+78`.
pub(super) fn is_mangled(text: &[u8]) -> bool {
    let Some(at) = text.iter().position(|byte| matches!(byte, b'e' | b'E')) else { return false };
    let (number, exponent) = (&text[..at], &text[at + 1..]);
    let exponent = exponent.strip_prefix(b"+").unwrap_or(exponent);
    let is_mantissa = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    at > 0 && number.iter().all(is_mantissa) && matches!(exponent, [b'5'..=b'8', b'0'..=b'9'])
}

/// The table columns that are read: one, or 81 consecutive ones with one cell each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    pub puzzle: Range<usize>,
    pub claim: Option<Range<usize>>,
}

/// Chooses the columns of a table from one look per column. `names` holds the column names, or numbers from 1 if there
/// is no header. A name, number or dialect in the options takes precedence. Errors call the table `input`.
///
/// # Errors
///
/// If a requested column is missing, no column has puzzles, all puzzles are mangled, or 81 columns are not in row
/// order.
pub(super) fn choose(
    input: &str,
    names: &[String],
    options: &ReadOptions,
    looks: &[ColumnLook],
) -> Result<Chosen, InputError> {
    let table = Table { names, looks };
    let (name, columns) = (|| input.to_owned(), || names.to_vec());
    let no_column = |wanted, of_solutions| InputError::NoColumn {
        name: name(),
        columns: columns(),
        wanted,
        of_solutions,
    };
    let said = table.said(options, Which::Puzzle).map_err(|wanted| no_column(Some(wanted), false))?;
    // The first rows of an answer file may all lack an answer.
    let answers = || table.claim(&(0..0)).filter(|_| options.answers);
    let puzzle = said.or_else(|| table.puzzle()).or_else(answers);
    if looks[puzzle.clone().unwrap_or(0..looks.len())].iter().any(ColumnLook::is_mangled) {
        return Err(InputError::mangled(name()));
    }
    let puzzle = puzzle.ok_or_else(|| no_column(None, false))?;
    let said = table.said(options, Which::Claim).map_err(|wanted| no_column(Some(wanted), true))?;
    let claim = said.or_else(|| table.claim(&puzzle));
    for range in [Some(&puzzle), claim.as_ref()].into_iter().flatten() {
        if range.len() == CELLS && !are_in_order(&names[range.clone()]) {
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

/// The columns of a table, to choose from.
struct Table<'a> {
    names: &'a [String],
    looks: &'a [ColumnLook],
}

impl Table<'_> {
    /// Returns the columns that the options or the dialect ask for, or the request as an error if they do not exist.
    /// Naming the first of 81 columns of cells selects all 81.
    fn said(&self, options: &ReadOptions, which: Which) -> Result<Option<Range<usize>>, String> {
        let given = options.format.as_ref().filter(|given| given.framing == Framing::Csv);
        let (wanted, holders) = match which {
            Which::Puzzle => (&options.puzzle_column, given.and_then(|given| given.puzzle.as_ref())),
            Which::Claim => (&options.solution_column, given.and_then(|given| given.solution.as_ref())),
        };
        if let Some(wanted) = wanted {
            let first = find(self.names, wanted).ok_or_else(|| wanted.clone())?;
            let are_cells = |looks: &&[ColumnLook; CELLS]| looks.iter().all(ColumnLook::is_cells);
            let all = self.looks[first..].first_chunk().filter(are_cells);
            return Ok(Some(first..first + all.map_or(1, |all| all.len())));
        }
        let Some((&first, &last)) = holders.map(|holders| (holders.start(), holders.end())) else {
            return Ok(None);
        };
        let range = first.saturating_sub(1)..last;
        if first > 0 && matches!(range.len(), 1 | CELLS) && last <= self.looks.len() {
            return Ok(Some(range));
        }
        Err(if first == last { first.to_string() } else { format!("{first}-{last}") })
    }

    /// Returns the column, or the 81 columns, most likely to hold puzzles; the first if there is a tie.
    fn puzzle(&self) -> Option<Range<usize>> {
        let columns = (0..self.looks.len()).map(|column| column..column + 1).chain(self.windows());
        let likely = columns.map(|columns| (self.evidence(&columns), columns));
        let likely = likely.filter(|(evidence, _)| evidence.iter().any(|&count| count > 0));
        let best = likely.max_by_key(|(evidence, columns)| (*evidence, Reverse(columns.start)));
        best.map(|(_, columns)| columns)
    }

    /// Returns the evidence that a column holds puzzles, strongest first. A set of 81 columns counts as one puzzle.
    fn evidence(&self, columns: &Range<usize>) -> [usize; 6] {
        let look = match columns.len() {
            1 => self.looks[columns.start],
            _ => (self.blanks(columns) > 0).then_some(Shows::Puzzle).into_iter().collect(),
        };
        let [puzzles, damaged] = [Shows::Puzzle, Shows::Damaged].map(|kind| look.of(kind));
        let name = Some(&self.names[columns.start]).filter(|_| columns.len() == 1 && !look.is_other());
        let name = name.filter(|name| meaning(name) == Some(Which::Puzzle));
        let rank = name.and_then(|name| rank(&words(name), &PUZZLES)).map_or(0, |rank| PUZZLES.len() - rank);
        let if_named = |count: usize| if rank > 0 { count.min(1) } else { 0 };
        [
            if_named(puzzles + damaged),
            puzzles,
            // If the column also has complete grids, the damaged values were probably complete grids too.
            if look.grids() == 0 { damaged } else { 0 },
            if_named(look.grids()),
            look.grids(),
            rank,
        ]
    }

    /// Returns the column, or the 81 columns, with the claims for these puzzle columns.
    fn claim(&self, puzzle: &Range<usize>) -> Option<Range<usize>> {
        let free = || (0..self.looks.len()).filter(|column| !puzzle.contains(column));
        // `solution` and `answer` have no other meaning, whereas `solutions` may be a number of solutions.
        let is_sure = |column: usize| {
            SOLUTIONS[..2].contains(&&*folded(&self.names[column])) && !self.looks[column].without_grids
        };
        let is_named = |&column: &usize| {
            let may_be = || !self.looks[column].is_other() || is_sure(column);
            meaning(&self.names[column]) == Some(Which::Claim) && may_be()
        };
        // Of the named columns, take the one with the most solutions (even 0); in a tie, prefer a sure one, then the
        // first.
        let most = |&column: &usize| (self.looks[column].of(Shows::Solution), is_sure(column));
        let named = free().rev().filter(is_named).max_by_key(most).map(|column| column..column + 1);
        let of_cells = || {
            let is_other = |window: &Range<usize>| window != puzzle && self.blanks(window) == 0;
            self.windows().into_iter().find(is_other).filter(|_| puzzle.len() == CELLS)
        };
        let only_other = || {
            let mut others = free().filter(|&column| self.looks[column].grids() > 0);
            let only = others.next().filter(|_| others.next().is_none())?;
            let look = self.looks[only];
            (2 * look.of(Shows::Solution) > look.seen()).then_some(only..only + 1)
        };
        named.or_else(of_cells).or_else(only_other)
    }

    /// Counts the blanks in a range of columns.
    fn blanks(&self, columns: &Range<usize>) -> usize {
        self.looks[columns.clone()].iter().map(ColumnLook::blanks).sum()
    }

    /// Returns all groups of 81 columns with one cell each. A run of such columns can be several consecutive groups. If
    /// its length is not a multiple of 81, it is split where the pattern of the names changes.
    fn windows(&self) -> Vec<Range<usize>> {
        let (mut windows, mut start) = (Vec::new(), 0);
        for run in self.looks.chunk_by(|one, next| one.is_cells() == next.is_cells()) {
            let is_even = run.len().is_multiple_of(CELLS);
            let are_alike = |one: &String, next: &String| is_even || shape(one) == shape(next);
            for part in self.names[start..start + run.len()].chunk_by(are_alike) {
                let end = start + part.len();
                if run[0].is_cells() && part.len().is_multiple_of(CELLS) {
                    windows.extend((start..end).step_by(CELLS).map(|first| first..first + CELLS));
                }
                start = end;
            }
        }
        windows
    }
}

/// Returns the pattern of a name: letters become `a`, digits become `0`, and repeated characters are merged.
fn shape(name: &str) -> Vec<char> {
    let kind = |sign: char| match sign {
        _ if sign.is_alphabetic() => 'a',
        _ if sign.is_numeric() => '0',
        _ => sign,
    };
    let mut shape: Vec<char> = name.trim().chars().map(kind).collect();
    shape.dedup();
    shape
}

/// Returns whether the names of 81 columns number the cells row by row (`r1c1`, `x0y0`, `cell_0_0`, `c81`) or not at
/// all.
///
/// The number after `x` or `c` is the column; the number after `y` or `r` is the row; of two bare numbers, the first is
/// the row. Names that begin with `A1,A2` or with `A1,B1` can be meant row by row, so both are accepted.
fn are_in_order(names: &[String]) -> bool {
    let letters = |name: &String| name.to_lowercase().replace(|sign: char| !sign.is_alphabetic(), "");
    let numbers = |name: &String| {
        let numbers = name.split(|sign: char| !sign.is_ascii_digit());
        numbers.filter_map(|number| number.parse().ok()).collect::<Vec<usize>>()
    };
    let word = letters(&names[0]);
    let places: Vec<_> = names.iter().map(numbers).collect();
    let are_places = places.iter().collect::<HashSet<_>>().len() == names.len();
    if !are_places || names.iter().any(|name| letters(name) != word) {
        return true;
    }
    let by_columns = || places.is_sorted_by_key(|place| place.iter().rev().collect::<Vec<_>>());
    let is_swapped = ["cr", "xy", "ji", "colrow", "columnrow"].iter().any(|end| word.ends_with(end));
    let is_of_boxes = places[0].len() > 1 && (word.contains("box") || word.contains("block"));
    !is_of_boxes && if is_swapped { by_columns() } else { places.is_sorted() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &str) -> Vec<String> {
        names.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn a_word_of_a_name_says_what_it_is() {
        let puzzles = "puzzle,Quizzes, QUESTION ,inputs,puzzle_text,initialGrid,the board,sudoku2 clues";
        let claims =
            "solution,Answers,solved,puzzle_solution,solutionGrid,labels,Solution Count,sudoku-solution";
        let neither = "id,rating,difficulty,dissolution,cell,,\u{e9}t\u{e9},solutio";
        for (list, meant) in [(puzzles, Some(Which::Puzzle)), (claims, Some(Which::Claim)), (neither, None)] {
            for name in names(list) {
                assert_eq!(meaning(&name), meant, "{name}");
            }
        }
        assert!(are_results(&names("id,source,line,kind,status,clues,puzzle,error")));
        assert!(!are_results(&names("id,puzzle,status")));
    }

    #[test]
    fn what_is_asked_for_counts() {
        let looks =
            [Shows::Puzzle, Shows::Solution, Shows::Other].map(|kind| [kind; 10].into_iter().collect());
        let chosen = |puzzle: &str, claim: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let (puzzle_column, solution_column) = (some(puzzle), some(claim));
            let options = ReadOptions { puzzle_column, solution_column, ..ReadOptions::default() };
            let chosen = choose("t", &names("puzzle,solution,Note"), &options, &looks);
            chosen.map(|it| (it.puzzle.start, it.claim.map(|claim| claim.start))).map_err(|it| it.to_string())
        };
        assert_eq!(chosen("note", ""), Ok((2, Some(1))));
        assert_eq!(chosen("2", "3"), Ok((1, Some(2))));
        assert_eq!(chosen("", "NOTE"), Ok((0, Some(2))));
        let error = |wanted| Err(format!("t: no column '{wanted}' (columns seen: puzzle, solution, Note)"));
        assert_eq!([chosen("4", ""), chosen("", "x")], [error("4"), error("x")]);
        // Naming the first of 81 columns of cells selects all of them.
        let numbers: Vec<_> = (1..83).map(|at| at.to_string()).collect();
        let looks = vec![[Shows::Digit].into_iter().collect(); 82];
        let options = ReadOptions { puzzle_column: Some("2".to_owned()), ..ReadOptions::default() };
        assert_eq!(choose("t", &numbers, &options, &looks).unwrap().puzzle, 1..82);
    }

    #[test]
    fn names_of_81_columns_say_their_order() {
        let name = |pattern: &str, at: usize| {
            let [row, column] = [at / 9, at % 9].map(|number| number.to_string());
            let letter = &"ABCDEFGHI"[at % 9..=at % 9];
            pattern
                .replace('#', &at.to_string())
                .replace('R', &row)
                .replace('C', &column)
                .replace('L', letter)
        };
        for (patterns, is_in_order) in [("c# rRcC cell_R_C xCyR LR R", true), ("cRrC rCcR boxR_cellC", false)]
        {
            for pattern in patterns.split(' ') {
                let names: Vec<_> = (0..81).map(|at| name(pattern, at)).collect();
                assert_eq!(are_in_order(&names), is_in_order, "{pattern}");
            }
        }
        let mut names: Vec<_> = (0..81).map(|at| format!("c{at}")).collect();
        names.swap(30, 40);
        assert!(!are_in_order(&names));
    }
}
