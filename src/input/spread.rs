//! The 81 cells of a grid wherever they stand in a text: behind a name, in groups, each apart, in a list as programs
//! write it.
//!
//! A text falls into tokens: stretches of cells, and words. Tokens of one length with nothing but separators between
//! them are a streak, and the first streak of [`LONG`] cells or more is the grid, if it is one of 81 cells: as one
//! stretch, in groups of 27, 9 or 3, or each cell apart. What stands before it must be too little to be a damaged grid.
//! So nothing is left out to make a grid: of 80 or 82 cells in a row there is none.

use super::blank::OddBlank;
use super::cells::{self, Blanks};
use crate::sudoku::{CELLS, Grid, SIDE};

/// Cells in a row that are more than a name, a date or a number has.
pub(super) const LONG: usize = 20;

/// A grid found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub grid: Grid,
    /// Where each cell stands; an empty one where it would.
    pub places: [u32; CELLS],
    /// Behind the last cell.
    pub end: usize,
    /// The solution that follows without a break, and where its cells stand.
    pub solution: Option<(Grid, [u32; CELLS])>,
}

impl Found {
    /// A grid of 81 bytes in a row.
    pub fn in_a_row(grid: Grid, start: usize) -> Self {
        let places = std::array::from_fn(|cell| (start + cell) as u32);
        Self { grid, places, end: start + CELLS, solution: None }
    }
}

/// Why a text has no grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Nothing in it is like a grid.
    Nothing,
    /// The first streak is one of so many cells, in so many tokens; it goes wrong at this offset.
    Count { cells: usize, tokens: usize, at: usize },
}

/// What a character is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Cell(u8),
    Letter,
    /// What may stand between the cells of one grid.
    Separator,
    /// A separator that also sets grids apart.
    Bracket,
    Other,
}

/// The character at the start of a text that is not empty, and its length in bytes.
#[inline]
fn symbol(text: &[u8], blank: OddBlank) -> (Symbol, usize) {
    if let Some((digit, length)) = blank.cell(text) {
        return (Symbol::Cell(digit), length);
    }
    let symbol = match text[0] {
        b' ' | b'\t' | b'\r' | b'\n' | b',' | b';' | b'|' | b'/' | b'"' | b'\'' | b'`' => Symbol::Separator,
        b'[' | b']' | b'{' | b'}' | b'(' | b')' => Symbol::Bracket,
        byte if byte.is_ascii_alphabetic() => Symbol::Letter,
        byte if byte.is_ascii() => Symbol::Other,
        _ => return wide_symbol(text),
    };
    (symbol, 1)
}

/// The same for a character that is not ASCII.
fn wide_symbol(text: &[u8]) -> (Symbol, usize) {
    let Some(character) = first_character(text) else { return (Symbol::Other, 1) };
    let symbol = match character {
        '０'..='９' => Symbol::Cell((character as u32 - '０' as u32) as u8),
        '│' | '┃' | '║' | '｜' | '，' | '、' | '“' | '”' | '‘' | '’' | '\u{feff}' => {
            Symbol::Separator
        }
        _ if character.is_whitespace() => Symbol::Separator,
        _ if character.is_alphabetic() => Symbol::Letter,
        _ => Symbol::Other,
    };
    (symbol, character.len_utf8())
}

/// The character at the start of a text, if that is one.
pub(super) fn first_character(text: &[u8]) -> Option<char> {
    let start = &text[..text.len().min(4)];
    start.utf8_chunks().next()?.valid().chars().next()
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Cells,
    /// A word for a blank cell, or -1.
    Null,
    Word,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
    /// Its cells among those of the text.
    first: usize,
    count: usize,
    /// Most cells in a row.
    longest: usize,
    /// Whether only separators stand between it and the token before.
    joined: bool,
    /// Whether a bracket is among them.
    bracket: bool,
}

/// A cell: its digit, 0 for a blank, and where it stands.
type Cell = (u8, u32);

/// The grid of nine rows that a text begins with, joined by colons or tildes, which are separators nowhere else.
fn in_joined_rows(text: &[u8], blank: OddBlank) -> Option<Found> {
    const LENGTH: usize = SIDE * (SIDE + 1) - 1;
    let start = text.len() - text.trim_ascii_start().len();
    let rows = text.get(start..start + LENGTH)?;
    let between = rows[SIDE];
    let is_cell = |at: usize| blank.cell(&text[at..]).is_some();
    let goes_on =
        text.get(start + LENGTH) == Some(&between) || text.len() > start + LENGTH && is_cell(start + LENGTH);
    if !matches!(between, b':' | b'~') || is_cell(start + SIDE) || goes_on {
        return None;
    }
    let mut digits = [0; CELLS];
    let mut places = [0; CELLS];
    for (cell, (digit, place)) in digits.iter_mut().zip(&mut places).enumerate() {
        let at = start + cell + cell / SIDE;
        *digit = blank.cell(&text[at..]).filter(|&(_, length)| length == 1)?.0;
        *place = at as u32;
    }
    let is_joined = (1..SIDE).all(|row| rows[row * (SIDE + 1) - 1] == between);
    let grid = Grid::new(digits).filter(|_| is_joined)?;
    Some(Found { grid, places, end: start + LENGTH, solution: None })
}

/// Finds the grid in a text.
pub(super) fn find(text: &[u8], blank: OddBlank) -> Result<Found, Missing> {
    if let Some(found) = in_joined_rows(text, blank) {
        return Ok(found);
    }
    let (tokens, cells) = tokens(text, blank);
    let mut blanks = Blanks::default();
    // A number among words is no cell.
    let is_cell = |at: usize| {
        let neighbours = [at.wrapping_sub(1), at + 1].map(|at| tokens.get(at));
        neighbours.into_iter().flatten().any(|token| token.kind != Kind::Word && token.count == 1)
    };
    let is_doubtful = |(at, token): (usize, &Token)| match token.kind {
        Kind::Null if !is_cell(at) => false,
        Kind::Null => blanks.see(&text[token.start..token.end]).is_some(),
        Kind::Cells | Kind::Word => cells[token.first..token.first + token.count]
            .iter()
            .any(|&(_, at)| blanks.see(&text[at as usize..=at as usize]).is_some()),
    };
    if tokens.iter().enumerate().any(is_doubtful) {
        return Err(Missing::Nothing);
    }
    let (mut before, mut behind_id) = (0, false);
    let mut next = 0;
    while let Some(first) = tokens.get(next) {
        if first.kind == Kind::Word {
            if is_id(&text[first.start..first.end]) {
                behind_id = true;
            } else {
                before += first.count;
                if before > CELLS / 2 || first.longest >= LONG {
                    return Err(Missing::Nothing);
                }
            }
            next += 1;
            continue;
        }
        let length = streak(&tokens[next..]);
        let streak = &tokens[next..next + length];
        let count: usize = streak.iter().map(|token| token.count).sum();
        if count >= LONG || length >= LONG {
            let previous = next.checked_sub(1).map(|previous| tokens[previous].end);
            let follower = tokens.get(next + length).map_or(text.len(), |token| token.start);
            let found = Streak { text, tokens: streak, cells: &cells, previous, follower }.read()?;
            // Behind a damaged puzzle stands its solution.
            if behind_id && found.grid.clues() as usize == CELLS {
                return Err(Missing::Nothing);
            }
            return alone(found, &tokens[next + length..], &cells);
        }
        before += count;
        if before > CELLS / 2 {
            return Err(Missing::Nothing);
        }
        next += length;
    }
    Err(Missing::Nothing)
}

/// Whether a word is a hexadecimal number or a UUID of more digits than a name has: an id, and no damaged grid, which has few
/// letters and is longer.
fn is_id(word: &[u8]) -> bool {
    let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    word.len() >= LONG
        && (word.len() <= CELLS / 2 || 8 * letters >= word.len())
        && word.iter().all(|&byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// A grid found in a text of which these tokens follow: there may be one more grid, its solution, but not several.
fn alone(found: Found, mut rest: &[Token], cells: &[Cell]) -> Result<Found, Missing> {
    // Rows in brackets as those of the grid are too many, or another puzzle.
    let behind = &rest[..streak(rest)];
    let is_joined = behind.first().is_some_and(|first| first.joined && first.bracket);
    let are_rows = behind.len().is_multiple_of(SIDE) && behind.iter().all(|token| token.count == 1);
    let has_blank = behind.iter().any(|token| cells.get(token.first).is_some_and(|&(digit, _)| digit == 0));
    if is_joined && are_rows && (behind.len() < CELLS || has_blank) {
        let count = CELLS + behind.len();
        return Err(Missing::Count { cells: count, tokens: count, at: behind[0].start });
    }
    let mut grids = 1 + usize::from(found.solution.is_some());
    while !rest.is_empty() {
        let (streak, behind) = rest.split_at(streak(rest).max(1));
        let count: usize = streak.iter().map(|token| token.count).sum();
        if streak[0].kind != Kind::Word && (count == CELLS || count == 2 * CELLS) {
            grids += count / CELLS;
        }
        if grids > 2 {
            return Err(Missing::Count { cells: grids * CELLS, tokens: grids, at: streak[0].start });
        }
        rest = behind;
    }
    Ok(found)
}

/// Takes a text apart.
fn tokens(text: &[u8], blank: OddBlank) -> (Vec<Token>, Vec<Cell>) {
    let mut tokens: Vec<Token> = Vec::new();
    let mut cells: Vec<Cell> = Vec::new();
    let mut at = 0;
    let (mut joined, mut bracket) = (true, false);
    while at < text.len() {
        let (start, first) = (at, cells.len());
        let (mut run, mut longest, mut letters) = (0, 0, false);
        let mut gap = None;
        while at < text.len() {
            let (symbol, length) = symbol(&text[at..], blank);
            match symbol {
                Symbol::Cell(digit) => {
                    cells.push((digit, at as u32));
                    run += 1;
                    longest = longest.max(run);
                }
                Symbol::Letter => (run, letters) = (0, true),
                Symbol::Separator | Symbol::Bracket | Symbol::Other => {
                    gap = Some((symbol, length));
                    break;
                }
            }
            at += length;
        }
        if at > start {
            let count = cells.len() - first;
            let word = &text[start..at];
            let kind = match word {
                b"-1" => Kind::Null,
                _ if letters && cells::is_null(word) => Kind::Null,
                _ if letters => Kind::Word,
                _ => Kind::Cells,
            };
            let token = Token { kind, start, end: at, first, count, longest, joined, bracket };
            match kind {
                Kind::Null => {
                    cells.truncate(first);
                    cells.push((0, start as u32));
                    tokens.push(Token { count: 1, longest: 1, ..token });
                }
                Kind::Cells if are_rows(&text[start..at], count) => {
                    tokens.extend((0..SIDE).map(|row| {
                        let (first, start) = (first + row * (SIDE + 1), start + row * (SIDE + 1));
                        let end = start + SIDE;
                        let joined = joined || row > 0;
                        Token { kind, start, end, first, count: SIDE, longest: SIDE, joined, bracket }
                    }));
                }
                _ => tokens.push(token),
            }
            (joined, bracket) = (true, false);
        }
        if let Some((symbol, length)) = gap {
            joined &= symbol != Symbol::Other;
            bracket |= symbol == Symbol::Bracket;
            at += length;
        }
    }
    (tokens, cells)
}

/// Whether a stretch of cells is nine rows between which a character stands that could be a blank, like `-`, and is
/// none, since the rows have others.
fn are_rows(text: &[u8], count: usize) -> bool {
    if count != SIDE * SIDE + SIDE - 1 || text.len() != count || text[SIDE].is_ascii_digit() {
        return false;
    }
    text.iter().enumerate().all(|(at, &byte)| (byte == text[SIDE]) == (at % (SIDE + 1) == SIDE))
}

/// Number of tokens of the streak at the start of some.
fn streak(tokens: &[Token]) -> usize {
    let mut width = None;
    let mut count = 0;
    for (number, token) in tokens.iter().enumerate() {
        let ends = number > 0 && (!token.joined || token.bracket && (count % SIDE != 0 || count == CELLS));
        let is_alike = match token.kind {
            Kind::Cells => *width.get_or_insert(token.count) == token.count,
            Kind::Null => true,
            Kind::Word => false,
        };
        // Whatever follows a stretch of 81 cells is another grid.
        if ends || !is_alike || count >= CELLS && width >= Some(CELLS) {
            return number;
        }
        count += token.count;
    }
    tokens.len()
}

/// Tokens that are alike and stand together.
struct Streak<'a> {
    text: &'a [u8],
    tokens: &'a [Token],
    cells: &'a [Cell],
    /// Where the token before it ends, if there is one.
    previous: Option<usize>,
    /// Where the token behind it starts.
    follower: usize,
}

impl Streak<'_> {
    fn read(&self) -> Result<Found, Missing> {
        let width = self.tokens.iter().find(|token| token.kind == Kind::Cells).map_or(1, |token| token.count);
        let is_float = |form: &[u8]| {
            let is_such = |token: &Token| {
                let text = &self.text[token.start..token.end];
                token.kind == Kind::Null
                    || text.len() == form.len() + 1 && text[0].is_ascii_digit() && text.ends_with(form)
            };
            self.tokens.iter().all(is_such)
        };
        let single = width == 1
            || width == 2 && is_float(b".")
            || width == 3 && self.tokens.len() > CELLS / 3 && is_float(b".0");
        let cells = if single { self.single_cells()? } else { self.all_cells().collect() };
        let is_whole = single || matches!(width, 3 | SIDE | 27 | CELLS);
        let wrong = || {
            let at = cells.get(CELLS).map_or_else(|| self.end(), |&(_, at)| at as usize);
            Missing::Count { cells: cells.len(), tokens: self.tokens.len(), at }
        };
        let (puzzle, solution) = match cells.len() {
            CELLS => (&cells[..], None),
            // A puzzle and its solution.
            count if count == 2 * CELLS => (&cells[..CELLS], Some(&cells[CELLS..])),
            _ => return Err(wrong()),
        };
        let (Some((grid, places)), true) = (grid(puzzle), is_whole) else { return Err(wrong()) };
        let solution = match solution.map(|cells| grid_of_solution(cells, &grid)) {
            Some(None) => return Err(wrong()),
            solution => solution.flatten(),
        };
        Ok(Found { grid, places, end: self.end(), solution })
    }

    fn end(&self) -> usize {
        self.tokens.last().map_or(0, |token| token.end)
    }

    fn all_cells(&self) -> impl Iterator<Item = Cell> {
        self.tokens.iter().flat_map(|token| &self.cells[token.first..token.first + token.count]).copied()
    }

    /// One cell a token. Where no cell is written as a blank and there are separators enough, an empty field is one.
    fn single_cells(&self) -> Result<Vec<Cell>, Missing> {
        let cell = |token: &Token| self.cells[token.first];
        let shown: Vec<Cell> = self.tokens.iter().map(cell).collect();
        let Some(separator) = self.separator() else { return Ok(shown) };
        let mut fields = Vec::new();
        let mut behind = self.previous.unwrap_or(0);
        for (number, (token, &cell)) in self.tokens.iter().zip(&shown).enumerate() {
            let gap = &self.text[behind..token.start];
            let places = gap.iter().zip(behind..).filter(|&(&byte, _)| byte == separator).map(|(_, at)| at);
            // Before the first cell each separator has an empty field before it, unless a name stands there.
            let set_apart = usize::from(number > 0 || self.previous.is_some() && token.joined);
            fields.extend(places.skip(set_apart).map(|at| (0, at as u32)));
            fields.push(cell);
            behind = token.end;
        }
        if shown.iter().any(|&(digit, _)| digit == 0) {
            // Blanks are written: an empty field is a lost cell.
            let lost = fields.len() != shown.len();
            let (cells, tokens, at) = (shown.len().min(CELLS - 1), shown.len(), self.end());
            return if lost { Err(Missing::Count { cells, tokens, at }) } else { Ok(shown) };
        }
        let rest = &self.text[behind..self.follower];
        let ends = rest.iter().position(|&byte| !matches!(byte, b' ' | b'"' | b'\'') && byte != separator);
        let trailing = &rest[..ends.unwrap_or(rest.len())];
        let places = trailing.iter().zip(behind..).filter(|&(&byte, _)| byte == separator);
        let only_separator = trailing.iter().filter(|&&byte| byte == separator).count() == 1;
        if !(only_separator && fields.len() == CELLS) {
            fields.extend(places.map(|(_, at)| (0, at as u32)));
        }
        Ok(fields)
    }

    /// The separator of which there are enough for 81 fields.
    fn separator(&self) -> Option<u8> {
        let text = &self.text[self.previous.unwrap_or(0)..self.follower];
        let count = |separator: u8| text.iter().filter(|&&byte| byte == separator).count();
        [b',', b';', b'\t'].into_iter().find(|&separator| count(separator) >= CELLS - 1)
    }
}

fn grid(cells: &[Cell]) -> Option<(Grid, [u32; CELLS])> {
    let cells: &[Cell; CELLS] = cells.try_into().ok()?;
    Some((Grid::new(cells.map(|(digit, _)| digit))?, cells.map(|(_, at)| at)))
}

/// The solution of a puzzle: complete, and with every clue of it. One that changes some clues or lacks some digits is a wrong
/// one; another puzzle agrees with few clues.
fn grid_of_solution(cells: &[Cell], puzzle: &Grid) -> Option<(Grid, [u32; CELLS])> {
    const NEARLY_ALL: usize = CELLS - SIDE;
    let is_solution = |claim: &Grid| {
        let agreeing =
            puzzle.cells().iter().zip(claim.cells()).filter(|&(&clue, digit)| clue != 0 && clue == *digit);
        let (clues, digits) = (puzzle.clues() as usize, claim.clues() as usize);
        clues < digits && digits >= NEARLY_ALL && 4 * agreeing.count() >= 3 * clues
    };
    grid(cells).filter(|(claim, _)| is_solution(claim))
}

/// The puzzle on a line of a `HoDoKu` library, `:technique:candidates:cells:...`: its givens alone. A digit behind a `+`
/// was placed by solving.
pub(super) fn hodoku(text: &[u8]) -> Option<Found> {
    let indent = text.len() - text.trim_ascii_start().len();
    let mut fields = text[indent..].splitn(5, |&byte| byte == b':');
    let (Some(b""), Some(technique), Some(candidates), Some(field), Some(_)) =
        (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return None;
    };
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    if technique.is_empty() || !technique.iter().all(is_word) {
        return None;
    }
    let start = indent + technique.len() + candidates.len() + 3;
    let mut digits = Vec::with_capacity(CELLS);
    let mut placed = false;
    for (&byte, at) in field.iter().zip(start..) {
        match cells::digit(byte) {
            cells::NO_CELL if byte == b'+' && !placed => placed = true,
            cells::NO_CELL => return None,
            digit => {
                digits.push((if placed { 0 } else { digit }, at as u32));
                placed = false;
            }
        }
    }
    let (grid, places) = grid(&digits)?;
    Some(Found { grid, places, end: start + field.len(), solution: None })
}
