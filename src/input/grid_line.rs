//! What a line of a file of grids is: a row, or one of the many things that stand between rows.
//!
//! What only a look at several lines can tell (is `---|---|---` a border or a row of blanks? do blank lines
//! set bands apart? does a line stand above each grid?) is settled once per file, see [`Style`].

use super::batch::{has_inner_carriage_return, lone_number, trim, without_line_end};
use super::blank::OddBlank;
use super::cells;
use super::family::Sample;
use super::foreign;
use super::row::{
    Cell, RowStyle, box_drawing, is_plain, is_row, is_separator, puzzle_in, row_number, row_of, sole_puzzle,
};
use super::solved::Solutions;
use crate::sudoku::{CELLS, SIDE};

/// Most digits that a count line has; with more it is a row that is too short.
const COUNT_DIGITS: usize = 6;

/// What the lines of one file mean, where that differs from file to file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub row: RowStyle,
    /// The ASCII characters that stand for blank cells: nine of another one are a border.
    pub blanks: cells::Characters,
    /// A line that is no row stands above most grids: words, a number, a date, a size.
    pub headed: bool,
    /// A blank line stands after rows 3 and 6.
    pub bands_apart: bool,
    /// A blank line stands after every row.
    pub rows_apart: bool,
    /// Borders stand after every row, not only after rows 3 and 6.
    pub borders_anywhere: bool,
    /// Which grids below puzzles are their solutions.
    pub solutions: Solutions,
    /// Puzzles stand on lines of their own, too.
    pub lists: bool,
    /// It is a program or the like with a few grids in it.
    pub program: bool,
    /// The first line counts the columns from 0 to 8, and is the only one that does.
    pub counted: bool,
}

impl Style {
    /// Whether blank lines stand within grids.
    pub fn has_blank_lines(&self) -> bool {
        self.bands_apart || self.rows_apart
    }
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    /// A remark, or a line of source text without cells: `# x`, `// x`, `],`, `===`.
    Comment,
    /// `[Puzzle]` and the like.
    Section,
    Border,
    /// A word and a number, or a word that announces a puzzle.
    Title,
    /// Words, which are a title where one can stand and a bad row elsewhere.
    Words,
    /// 81 cells or more in a row, in a file that has lists of these, too.
    Puzzle,
    /// A row, unless it cannot be read as one.
    Row,
}

/// The number on a line that can be a count of grids.
pub(super) fn count(line: &[u8]) -> Option<u64> {
    lone_number(line, COUNT_DIGITS).filter(|_| trim(line)[0] != b'0')
}

/// What a line is; most lines are nine cells, and that is seen at once.
pub(super) fn kind_of(line: &[u8], style: &Style) -> LineKind {
    let text = trim(line);
    match text {
        [] if style.row.width == Some(without_line_end(line).len()) => return LineKind::Row,
        [] => return LineKind::Blank,
        // A vector in Lisp.
        [b'#', b'(', ..] if is_row(line, style.row) => return LineKind::Row,
        [b'#', ..] if !has_inner_carriage_return(text) => return LineKind::Comment,
        _ if style.row.numbers && numbers_columns(text) => return LineKind::Comment,
        _ if style.counted && counts_columns(text) => return LineKind::Comment,
        _ if is_plain(text) && !is_equal_line(text, style) => return LineKind::Row,
        _ => {}
    }
    if has_inner_carriage_return(text) {
        return LineKind::Row;
    }
    let reads = || {
        let row = row_of(line, style.row)?;
        Some(if is_ruled(line, &row, style) { LineKind::Border } else { LineKind::Row })
    };
    if holds_run(text) {
        return if style.lists { LineKind::Puzzle } else { LineKind::Row };
    }
    if is_list(text) || is_in_tags(text) {
        return LineKind::Row;
    }
    let is_source = |byte: &u8| matches!(byte, b'[' | b'{' | b'(' | b'"' | b'\'');
    if style.row != RowStyle::default()
        && let Some(kind) = reads()
    {
        kind
    } else if is_border(text, style) {
        LineKind::Border
    } else if is_title(text) && !text.iter().any(is_source) {
        // What is looked for in brackets and quotes takes longer.
        LineKind::Title
    } else if let Some(kind) = reads() {
        kind
    } else if is_section(text) {
        LineKind::Section
    } else if is_title(text) || is_marked_number(text, style) {
        LineKind::Title
    } else if is_comment(text) || is_nothing(text) {
        LineKind::Comment
    } else if has_word(text) {
        LineKind::Words
    } else if std::str::from_utf8(text).is_ok_and(|text| text.trim().is_empty()) {
        LineKind::Blank
    } else {
        LineKind::Row
    }
}

/// Whether what reads as a row is a border beside a label or in quotes: a character again and again that stands for no
/// blank in this file.
fn is_ruled(line: &[u8], row: &[Cell; SIDE], style: &Style) -> bool {
    let is_rule =
        |byte: &u8| cells::is_cell(*byte) && !byte.is_ascii_digit() && !style.blanks.contains(*byte);
    row.iter().all(|&(digit, at)| digit == 0 && line.get(at).is_some_and(is_rule))
}

/// Whether a line that is no comment holds 81 cells in a row or more: it is no title, whatever stands beside them.
fn holds_run(line: &[u8]) -> bool {
    puzzle_in(line).is_some() && !is_comment(trim(line))
}

/// Whether a line that is no comment is a grid with something between its cells: no row, and no title either.
pub(super) fn is_list(line: &[u8]) -> bool {
    line.len() > CELLS + CELLS / 2 && cells::may_hold_puzzle(line) && !is_comment(trim(line))
}

/// Whether a line is the nine cells of an element of XML: a row of another kind of file, and no title.
fn is_in_tags(line: &[u8]) -> bool {
    let Some(inner) = line.strip_prefix(b"<").and_then(|line| line.strip_suffix(b">")) else { return false };
    let mut parts = inner.split(|&byte| matches!(byte, b'<' | b'>'));
    let (Some(name), Some(cells), Some(end)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    cells.len() == SIDE && cells::run(cells) == SIDE && end.strip_prefix(b"/") == Some(name)
}

/// Whether a line only says how the columns are called, where the rows have numbers.
fn numbers_columns(line: &[u8]) -> bool {
    const NAMES: [&[u8]; 4] = [b"123456789", b"012345678", b"ABCDEFGHI", b"abcdefghi"];
    let names = || line.iter().copied().filter(u8::is_ascii_alphanumeric);
    NAMES.iter().any(|known| names().eq(known.iter().copied()))
}

/// Whether puzzles stand on so many lines that these are no damage: on some, or on as many as there are grids.
fn has_lists(sample: &Sample<'_>, style: RowStyle) -> bool {
    const FEWEST: usize = 3;
    let rows = || sample.record_lines().filter(|line| is_row(line, style)).take(SIDE * FEWEST).count();
    match sample.record_lines().filter(|line| sole_puzzle(line).is_some()).take(FEWEST).count() {
        0 => false,
        count => count == FEWEST || count >= rows() / SIDE,
    }
}

/// Whether a line is a title in brackets.
fn is_section(text: &[u8]) -> bool {
    let [b'[', name @ .., b']'] = text else { return false };
    name.iter().any(u8::is_ascii_alphabetic) && !name.iter().any(|byte| matches!(byte, b'[' | b']' | b','))
}

/// Whether a section of an `.sdk` file holds something else than a puzzle.
pub(super) fn holds_no_puzzle(line: &[u8]) -> bool {
    const OTHERS: [&[u8]; 4] = [b"[state]", b"[solution]", b"[pencilmarks]", b"[candidates]"];
    OTHERS.iter().any(|name| trim(line).eq_ignore_ascii_case(name))
}

/// `Grid 01`, `Puzzle 3:`, `Sudoku`: a word that announces a puzzle, or any word and a number.
fn is_title(line: &[u8]) -> bool {
    const ANNOUNCING: [&[u8]; 9] =
        [b"grid", b"puzzle", b"sudoku", b"game", b"board", b"case", b"problem", b"level", b"no"];
    let letters = line.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(line.len());
    let (word, after) = line.split_at(letters);
    if ANNOUNCING.iter().any(|known| word.eq_ignore_ascii_case(known)) {
        return true;
    }
    let number = trim(after);
    let number = number.strip_prefix(b"#").unwrap_or(number);
    let number = number.strip_suffix(b":").unwrap_or(number);
    let apart = after.first().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'#'));
    has_word(word) && apart && !number.is_empty() && number.iter().all(u8::is_ascii_digit)
}

/// `(2)`, `--- 2 ---`, `== 17 ==`, `[3]`: a number that marks on both sides set apart.
fn is_marked_number(line: &[u8], style: &Style) -> bool {
    let is_mark = |byte: &u8| {
        matches!(byte, b'(' | b')' | b'[' | b']' | b'<' | b'>' | b'=' | b'#' | b'~' | b'+' | b' ')
            || matches!(byte, b'-' | b'*') && !style.blanks.contains(*byte)
    };
    let before = line.iter().take_while(|byte| is_mark(byte)).count();
    let after = line.iter().rev().take_while(|byte| is_mark(byte)).count();
    let number = line.get(before..line.len() - after).unwrap_or_default();
    let dashes = line.iter().filter(|byte| **byte == b'-').count();
    (1..=COUNT_DIGITS).contains(&number.len())
        && number.iter().all(u8::is_ascii_digit)
        && before > 0
        && after > 0
        && dashes != 1
}

/// Whether a line is a remark of some language or other.
pub(super) fn is_comment(line: &[u8]) -> bool {
    const LEADERS: [&[u8]; 9] = [b"//", b"/*", b"*/", b"<!--", b"-->", b"'''", b"\"\"\"", b"```", b"(*"];
    let is_remark =
        |leader: u8| line[0] == leader && line.get(1).is_none_or(|byte| !byte.is_ascii_punctuation());
    let is_command = matches!(line, [b'\\', letter, ..] if letter.is_ascii_alphabetic());
    LEADERS.iter().any(|leader| line.starts_with(leader))
        || is_command
        || is_remark(b';') && !line[1..].contains(&b';')
        || is_remark(b'%')
        || is_remark(b'>')
        || line.starts_with(b"--") && has_word(line)
}

/// Whether a line is the word that ends a list, or has neither letters nor digits nor cells.
fn is_nothing(line: &[u8]) -> bool {
    let nothing =
        |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_punctuation() && !cells::is_cell(*byte);
    line.eq_ignore_ascii_case(b"end") || line.iter().all(nothing)
}

/// Whether there are three letters in a row, blanks like `xxx` apart, or two that are not ASCII.
fn has_word(line: &[u8]) -> bool {
    line.split(|byte| !byte.is_ascii_alphabetic())
        .any(|word| word.len() >= 3 && word.iter().any(|&byte| !cells::is_cell(byte)))
        || std::str::from_utf8(line).is_ok_and(|text| {
            text.chars().filter(|character| !character.is_ascii() && character.is_alphabetic()).count() >= 2
        })
}

/// Whether a line is one character again and again that stands for no blank in this file.
fn is_equal_line(line: &[u8], style: &Style) -> bool {
    let first = line[0];
    !matches!(first, b'1'..=b'9')
        && !style.blanks.contains(first)
        && line.iter().all(|&byte| byte == first || byte == b' ')
        && line.iter().filter(|&&byte| byte == first).count() >= 3
}

/// Whether a line only sets boxes apart: `+---+---+---+`, `------+-------+------`, `*-----------*`,
/// `|-----+-----|`, `-------|-------|-------`, `*********`, or the like in box-drawing characters. A row of nine
/// blanks is none.
fn is_border(line: &[u8], style: &Style) -> bool {
    if cells::is_cell(line[0]) && is_equal_line(line, style) {
        return true;
    }
    let Some(Signs { horizontals, joints, bars, joins, adjacent_joints }) = Signs::of(line) else {
        return false;
    };
    let dash_is_blank = style.blanks.contains(b'-') || style.blanks.contains(b'_');
    if horizontals == 0 {
        false
    } else if joins {
        true
    } else if horizontals + joints == SIDE {
        bars > 0 && joints == 0 && !dash_is_blank
    } else if dash_is_blank && bars == 0 && horizontals + joints <= SIDE + 1 {
        // A row of blanks that is too short or too long.
        false
    } else {
        horizontals > joints && horizontals >= 3 && !adjacent_joints
    }
}

/// The signs of a line that has no others than borders have.
#[derive(Default)]
struct Signs {
    horizontals: usize,
    /// Those that may be blanks.
    joints: usize,
    bars: usize,
    /// Whether there are signs that stand for no blank: joints or double lines.
    joins: bool,
    adjacent_joints: bool,
}

impl Signs {
    fn of(line: &[u8]) -> Option<Self> {
        let mut signs = Self::default();
        let mut rest = line;
        let mut after_joint = false;
        while let Some(&byte) = rest.first() {
            let mut length = 1;
            let mut joint = false;
            match byte {
                b' ' | b'\t' => {}
                b'-' | b'_' => signs.horizontals += 1,
                b'=' => {
                    signs.horizontals += 1;
                    signs.joins = true;
                }
                b'+' | b':' | b'\'' | b'`' => {
                    joint = true;
                    signs.joins = true;
                }
                b'.' | b'*' => {
                    joint = true;
                    signs.joints += 1;
                }
                b'|' | b'!' | b'I' => signs.bars += 1,
                _ => {
                    length = 3;
                    if box_drawing(rest)? {
                        signs.bars += 1;
                    } else {
                        signs.horizontals += 1;
                        signs.joins = true;
                    }
                }
            }
            signs.adjacent_joints |= joint && after_joint;
            after_joint = joint;
            rest = &rest[length..];
        }
        Some(signs)
    }
}

/// Finds out what the lines of a file mean whose rows are of a style.
pub(super) fn style(sample: &Sample<'_>, row: RowStyle) -> Style {
    let mut style = Style { row, counted: has_counted_columns(sample, row), ..Style::default() };
    style.blanks = blanks(sample, style.row);
    style.lists = has_lists(sample, style.row);

    let (mut rows, mut all_rows, mut words) = (0, 0, 0);
    let mut bands = Vec::new();
    // The rows of each band below the last title, and the titles below which three bands of three stand.
    let (mut below, mut titled) = (Vec::new(), 0);
    let mut borders = [false; SIDE];
    // The last two lines, and how many rows stand below another one, or below a blank line below one.
    let (mut above, mut adjacent, mut apart) = ([LineKind::Comment; 2], 0, 0);
    for line in sample.lines() {
        let kind = kind_of(line, &style);
        if kind == LineKind::Row {
            adjacent += usize::from(above[1] == LineKind::Row);
            apart += usize::from(above == [LineKind::Row, LineKind::Blank]);
        }
        match kind {
            LineKind::Row => match (below.last_mut(), above) {
                (Some(band), [_, LineKind::Row]) => *band += 1,
                (None, _) | (_, [LineKind::Row, LineKind::Blank]) => below.push(1),
                // Set apart by something else.
                _ => below.push(SIDE),
            },
            LineKind::Words | LineKind::Title => {
                titled += usize::from(below == [3, 3, 3]);
                below.clear();
            }
            _ => {}
        }
        above = [above[1], kind];
        // The third band ends before whatever sets grids apart.
        if bands.len() == 2 && rows > 0 && kind != LineKind::Row {
            bands.push(rows);
            rows = 0;
        }
        match kind {
            LineKind::Title | LineKind::Section | LineKind::Puzzle => {}
            LineKind::Words => words += 1,
            LineKind::Row if rows == 0 && bands.is_empty() && !is_row(line, style.row) => {}
            LineKind::Row => (rows, all_rows) = (rows + 1, all_rows + 1),
            LineKind::Border if rows < SIDE && bands.is_empty() => borders[rows] = true,
            LineKind::Blank if rows > 0 => {
                bands.push(rows);
                rows = 0;
            }
            LineKind::Blank | LineKind::Comment | LineKind::Border => {}
        }
    }
    style.borders_anywhere = borders[1] && borders[2];
    bands.push(rows);
    style.bands_apart = bands.starts_with(&[3, 3, 3]) || titled > 1;
    style.rows_apart = apart >= SIDE - 1 && SIDE * adjacent < apart;
    style.program = words > all_rows && foreign::is_program(sample);
    style.headed = is_headed(sample, &style);
    if sample.lines().any(cells::says_solution) {
        style.solutions = Solutions::Named;
    }
    style
}

/// What the rows of a file have that those of others have not.
pub(super) fn row_style(sample: &Sample<'_>) -> RowStyle {
    let style = RowStyle::default();
    /// Lines that are looked at for ways that are not usual.
    const MOST: usize = 1 << 16;
    let reads = is_row;
    let mut usual = 0;
    let mut unread = Vec::new();
    for line in sample.record_lines() {
        if reads(line, style) {
            usual += 1;
        } else if unread.len() < MOST && may_have_cells(line) {
            unread.push(line);
        }
    }
    let floats = unread.iter().filter(|line| has_floats(line)).count() >= 2;
    let style = RowStyle { floats, ..style };
    let has_gaps = |line: &[u8]| {
        let line = without_line_end(line);
        let is_separator = |byte: u8| matches!(byte, b',' | b';' | b'\t');
        is_separator(line.first().copied().unwrap_or(0))
            || line.windows(2).any(|pair| pair[0] == pair[1] && is_separator(pair[0]))
    };
    let fields = RowStyle { empty_fields: true, ..style };
    let count = |style| unread.iter().filter(|line| has_gaps(line) && reads(line, style)).count();
    let better = |other: &RowStyle| {
        let more = unread.iter().filter(|line| reads(line, *other)).count();
        more > usual && more >= 3
    };
    let numbered = RowStyle { numbers: true, ..style };
    let numbered =
        RowStyle { empty_fields: count(RowStyle { empty_fields: true, ..numbered }) >= 2, ..numbered };
    if are_numbered(unread.iter().copied().filter(|line| reads(line, numbered))) && better(&numbered) {
        return numbered;
    }
    if count(fields) >= 2 {
        return fields;
    }
    let cells = |line: &[u8]| -> Vec<u8> {
        line.iter().copied().filter(|byte| *byte > b' ' && !b"|,;\"'`[]{}()".contains(byte)).collect()
    };
    let has_digit = |line: &&&[u8]| line.len() < 200 && line.iter().any(u8::is_ascii_digit);
    let stretches: Vec<Vec<u8>> = unread.iter().filter(has_digit).map(|line| cells(line)).collect();
    let odd = OddBlank::learn(stretches.iter().map(Vec::as_slice), SIDE);
    let candidates = [
        style,
        RowStyle { odd, ..style },
        RowStyle { labels: true, ..style },
        RowStyle { labels: true, odd, ..style },
    ];
    if let Some(found) = candidates.into_iter().find(better) {
        return found;
    }
    RowStyle { width: fixed_width(sample), ..RowStyle::default() }
}

/// Whether fields of a line are numbers with a point.
fn has_floats(line: &[u8]) -> bool {
    let fields = || line.split(|&byte| is_separator(byte) || b"|[](){}\r\n".contains(&byte));
    let is_float = |field: &&[u8]| field.len() > 2 && cells::float(field).is_some();
    match fields().filter(is_float).count() {
        0 => false,
        1 => fields().count() >= SIDE,
        _ => true,
    }
}

/// Whether a line has a field for each digit from 0 to 8 in turn.
fn counts_columns(line: &[u8]) -> bool {
    const COUNT: &[u8] = b"012345678";
    line.len() > COUNT.len() && line.iter().filter(|byte| byte.is_ascii_alphanumeric()).eq(COUNT)
}

/// Whether a first line above rows counts the columns, as programs do that have no names for them: it is written in
/// another way than the rows, or else there are nine of these to each grid without it.
fn has_counted_columns(sample: &Sample<'_>, style: RowStyle) -> bool {
    let mut lines = sample.record_lines();
    if !lines.next().is_some_and(|first| counts_columns(trim(first))) {
        return false;
    }
    let mut rows = 0;
    let mut are_rows = || {
        lines.all(|line| {
            rows += 1;
            is_row(line, style) && !counts_columns(trim(line))
        })
    };
    style.floats || style.empty_fields || sample.whole && are_rows() && rows > 0 && rows % SIDE == 0
}

/// Whether a line has a digit, or separators of empty fields.
fn may_have_cells(line: &[u8]) -> bool {
    line.iter().any(|byte| byte.is_ascii_digit() || !byte.is_ascii() || matches!(byte, b',' | b';' | b'\t'))
}

/// Whether the numbers before the cells of rows count from 1 to 9 or from 0 to 8, again and again.
fn are_numbered<'a>(rows: impl Iterator<Item = &'a [u8]>) -> bool {
    let numbers: Vec<u8> = rows.filter_map(|row| Some(row_number(row)?.0)).collect();
    let first = numbers.first().copied().unwrap_or(0);
    let follows = |pair: &[u8]| pair[1] == pair[0] + 1 || pair[0] == first + 8 && pair[1] == first;
    first <= 1 && numbers.len() >= SIDE && numbers.windows(2).all(follows)
}

/// The number of characters of rows in which a space is a blank: some have as many, none has more, and they are no
/// usual rows.
fn fixed_width(sample: &Sample<'_>) -> Option<usize> {
    /// Rows that show it.
    const ENOUGH: usize = 5;
    let is_cells = |line: &&[u8]| line.iter().all(|&byte| byte == b' ' || cells::is_cell(byte));
    let lines = || sample.lines().map(without_line_end).filter(|line| line.iter().any(u8::is_ascii_digit));
    // Where most lines are a cell alone, each is just that, and no row of it and blanks.
    let is_lone = |line: &&[u8]| line.trim_ascii().len() == 1;
    if !lines().any(|line| line.contains(&b' ') && is_cells(&line))
        || 2 * lines().filter(is_lone).count() > lines().count()
    {
        return None;
    }
    let sparse = |line: &&[u8]| !is_row(line, RowStyle::default());
    for width in [SIDE, 2 * SIDE - 1] {
        let style = RowStyle { width: Some(width), ..RowStyle::default() };
        let fits = |line: &&[u8]| is_cells(line) && is_row(line, style);
        let full = lines().filter(|line| fits(line) && line.trim_ascii_end().len() == width).count();
        let gaps = lines().filter(|line| fits(line) && line.contains(&b' ') && sparse(line)).count();
        let others = lines().filter(|line| is_cells(line) && !fits(line)).count();
        let together = |line: &[u8]| line.windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit));
        let told = width > SIDE || lines().any(|line| fits(&line) && together(line));
        if full > 0 && gaps >= ENOUGH && others * ENOUGH < gaps && told {
            return Some(width);
        }
    }
    None
}

/// What may be a blank.
const BLANKS: [u8; 8] = *b"0.*_-?Xx";

/// The characters that rows with digits use for blanks; all that can be if there is no such row.
fn blanks(sample: &Sample<'_>, style: RowStyle) -> cells::Characters {
    let mut counts = [0_usize; 128];
    let mut rows = 0;
    for line in sample.record_lines() {
        let has_digit = line.iter().any(|byte| matches!(byte, b'1'..=b'9'));
        if !has_digit || !is_row(line, style) {
            continue;
        }
        rows += 1;
        for byte in BLANKS {
            counts[usize::from(byte)] += usize::from(line.contains(&byte));
        }
    }
    let mut found = cells::Characters::default();
    let most = counts.iter().copied().max().unwrap_or(0);
    for byte in BLANKS {
        let count = counts[usize::from(byte)];
        // One that a few rows have among many others is no blank of this file; 0 can be nothing else.
        if rows == 0 || count > 0 && (8 * count >= most || byte == b'0') {
            found.insert(byte);
        }
    }
    found
}

/// Whether a line that is no row stands above most grids. Above the only one it may also be a count, or a damaged row.
fn is_headed(sample: &Sample<'_>, style: &Style) -> bool {
    let (mut grids, mut headed, mut unsure) = (0, 0, 0);
    let (mut heading, mut rows, mut all_rows) = (None, 0, 0);
    for line in sample.lines().chain([&b"\n"[..]]) {
        let kind = kind_of(line, style);
        match kind {
            LineKind::Row if is_row(line, style.row) => {
                rows += 1;
                all_rows += 1;
                continue;
            }
            LineKind::Comment | LineKind::Border => continue,
            LineKind::Blank if style.has_blank_lines() && rows % SIDE != 0 => continue,
            _ => {}
        }
        if rows == SIDE {
            grids += 1;
            headed += usize::from(heading.is_some());
            let is_count = |line| count(line).is_some_and(|number| number != 9 && number != 3);
            unsure += usize::from(heading.is_some_and(|line| is_count(line) || is_nearly_row(line)));
        }
        rows = 0;
        heading = matches!(kind, LineKind::Row | LineKind::Words).then_some(line);
    }
    // Damaged rows may stand nine rows apart by chance, but not above most grids.
    let all = if unsure > 0 { (all_rows + SIDE / 2) / SIDE } else { 0 };
    2 * headed > grids.max(all) && (headed > 1 || unsure == 0)
}

/// Whether a line that cannot be read is text: far from a row, and more than cells and what stands between them.
pub(super) fn is_text(line: &[u8]) -> bool {
    !is_nearly_row(line) && !cells::are_all(line)
}

/// Whether a line that cannot be read is nearly a row: most of it is cells.
pub(super) fn is_nearly_row(line: &[u8]) -> bool {
    let line = &line[..line.len().min(1 << 10)];
    let shown = line.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let cells = line.iter().filter(|&&byte| cells::is_cell(byte)).count();
    (5..=3 * SIDE).contains(&cells) && 2 * cells >= shown
}
