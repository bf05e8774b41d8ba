//! Texts of which nothing can be read, by what they look like.

use memchr::memmem;
use serde_json::Value;

use super::squares::{matrix, of_side, side_in_json};
use super::{
    ANOTHER_FORM, EDGES, EXPORT, Foreign, LOOKED_FOR, NO_PUZZLES, SAVE_PAGE, WRITE_OUT, WRITE_OUT_OF,
    lines_of, words,
};
use crate::input::family::Sample;
use crate::input::{InputError, json};
use crate::sudoku::CELLS;

/// The refusal of text of which nothing can be read, by what it looks like.
pub(in crate::input) fn by_looks(sample: &Sample<'_>) -> Option<InputError> {
    let lines = lines_of(sample);
    let first = lines.first().copied().unwrap_or_default();
    let is_tag =
        matches!(first, [b'<', byte, ..] if byte.is_ascii_alphabetic() || matches!(byte, b'?' | b'!'));
    let foreign = if sample.bytes.contains(&0) {
        Foreign::new("binary data", "export the puzzles as text")
    } else if let Some(without_puzzles) = json_without_puzzles(sample) {
        without_puzzles
    } else if json::lacks_start(sample) {
        Foreign::new("JSON whose beginning is missing", "put its first brackets back")
    } else if is_tag && is_of_page(first) {
        Foreign::new("an HTML page", SAVE_PAGE)
    } else if is_tag && memmem::find(sample.bytes, b"<fieldmap").is_some() {
        Foreign::new("cells one by one, as SudoQ keeps them", WRITE_OUT)
    } else if is_tag {
        Foreign::new("XML of no kind that is known", EXPORT)
    } else if is_yaml(&lines) {
        Foreign::new("lists of numbers in YAML", NO_PUZZLES)
    } else if let Some(numbers) = numbers_alone(&lines) {
        numbers
    } else if are_facts(&lines) {
        Foreign::new("cells one by one, as facts of a program", WRITE_OUT)
    } else if is_code(&lines) {
        CODE
    } else if let Some(what) = model(&lines) {
        Foreign::new(what, ANOTHER_FORM)
    } else if is_assignment(&lines) {
        Foreign::new("the answer of a SAT solver", WRITE_OUT)
    } else {
        return None;
    };
    Some(foreign.error(sample.name))
}

/// The refusal of the code of a program alone.
pub(in crate::input) fn code(sample: &Sample<'_>) -> Option<InputError> {
    is_code(&lines_of(sample)).then(|| CODE.error(sample.name))
}

const CODE: Foreign = Foreign::new("the source code of a program", WRITE_OUT_OF);

fn is_code(lines: &[&[u8]]) -> bool {
    is_source_code(lines) || are_statements(lines)
}

/// What JSON is in which there are no puzzles of the usual size.
fn json_without_puzzles(sample: &Sample<'_>) -> Option<Foreign> {
    /// Bytes of JSON that are looked at.
    const MOST: usize = 4 << 20;
    let is_json = matches!(sample.bytes.trim_ascii_start(), [b'{' | b'[' | b'"' | b'n', ..]);
    if !is_json || !sample.whole || sample.bytes.len() > MOST {
        return None;
    }
    let values = serde_json::Deserializer::from_slice(sample.bytes).into_iter::<Value>();
    let mut side = None;
    for value in values {
        side = side.or(side_in_json(&value.ok()?));
    }
    Some(match side {
        Some(side) => of_side(side),
        None => Foreign::new("JSON without puzzles", LOOKED_FOR),
    })
}

/// Whether a line begins with a tag that pages have.
fn is_of_page(line: &[u8]) -> bool {
    const TAGS: [&str; 8] = ["body", "div", "p", "table", "tr", "td", "span", "ul"];
    let name = line.strip_prefix(b"<").unwrap_or_default();
    let name = &name[..name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len())];
    TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag.as_bytes()))
}

/// What lines are that hold as many numbers each, and nothing else.
fn numbers_alone(lines: &[&[u8]]) -> Option<Foreign> {
    /// Lines that leave no doubt.
    const FEWEST: usize = 9;
    let is_number = |word: &[u8]| {
        let number = word.strip_prefix(b"-").unwrap_or(word);
        let digits = number.iter().filter(|byte| byte.is_ascii_digit()).count();
        let points = number.iter().filter(|&&byte| byte == b'.').count();
        (1..CELLS / 4).contains(&digits) && points <= 1 && digits + points == number.len()
    };
    // Those of a line; the edges of DIMACS begin with a letter.
    let rows = lines.iter().map(|line| words(line.strip_prefix(b"e ").unwrap_or(line)));
    let rows: Vec<_> = rows.filter(|row| row.iter().all(|word| is_number(word))).collect();
    let mut lengths: Vec<usize> = rows.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    let length = *lengths.get(lengths.len() / 2)?;
    let found = lengths.iter().filter(|&&other| other == length).count();
    if found < FEWEST || 10 * found < 9 * lines.len() {
        return None;
    }
    let is_small = |row: &Vec<&[u8]>| row.iter().all(|word| matches!(word, [b'0'..=b'9']));
    match length {
        0 | 1 => None,
        2 => Some(EDGES),
        3 if rows.iter().filter(|row| row.len() == length).all(is_small) => {
            Some(Foreign::new("cells one by one: row, column, value", WRITE_OUT))
        }
        length => Some(matrix(length)),
    }
}

/// Whether lines are items of lists in YAML that begin with a number or a bracket, and the names above them.
fn is_yaml(lines: &[&[u8]]) -> bool {
    const FEWEST: usize = CELLS / 2;
    let is_item = |line: &&&[u8]| {
        let mut rest = **line;
        while let Some(item) = rest.strip_prefix(b"- ") {
            rest = item.trim_ascii_start();
        }
        rest.len() < line.len() && matches!(rest, [b'0'..=b'9' | b'[', ..])
    };
    let items = lines.iter().filter(is_item).count();
    let names = lines.iter().filter(|line| line.ends_with(b":")).count();
    items >= FEWEST && 10 * (items + names) >= 9 * lines.len()
}

/// Whether most lines are statements of Assembler, Basic, COBOL or Fortran, behind a number or a label.
fn are_statements(lines: &[&[u8]]) -> bool {
    const FEWEST: usize = 6;
    const WORDS: &str = ".byte .data .globl .text DATA DIM DISPLAY END END-PERFORM FILLER FOR GOSUB GOTO \
        IDENTIFICATION IF LET MOVE NEXT PERFORM PIC PRINT PROCEDURE PROGRAM-ID. READ REM STOP add call cmp continue \
        data db do end global inc int integer je jmp jne lea mov pop program push resb ret section sub subroutine \
        syscall xor";
    let is_statement = |line: &&&[u8]| {
        let mut words = line.split(|&byte| byte == b' ' || byte == b'\t').filter(|word| !word.is_empty());
        let is_before = |word: &&[u8]| word.ends_with(b":") || word.iter().all(u8::is_ascii_digit);
        let first = words.find(|word| !is_before(word)).unwrap_or_default();
        WORDS.split(' ').any(|known| known.as_bytes() == first)
    };
    let found = lines.iter().filter(is_statement).count();
    found >= FEWEST && 2 * found > lines.len()
}

/// Whether most of text is facts with three small numbers: `initial(2,3,3).`, `let given[1,1,8] := 1;`.
fn are_facts(lines: &[&[u8]]) -> bool {
    /// Clues that no puzzle has fewer of.
    const ENOUGH: usize = 9;
    let is_small = |word: &[u8]| matches!(word.trim_ascii(), [b'0'..=b'9']);
    let facts = |line: &[u8]| {
        let groups = line.split(|byte| matches!(byte, b'(' | b'[' | b';' | b')' | b']'));
        groups
            .filter(|group| group.split(|&byte| byte == b',').filter(|word| is_small(word)).count() == 3)
            .count()
    };
    let (mut count, mut bytes) = (0, 0);
    for line in lines {
        let facts = facts(line);
        count += facts;
        bytes += if facts > 0 { line.len() } else { 0 };
    }
    count >= ENOUGH && 2 * bytes >= lines.iter().map(|line| line.len()).sum()
}

/// What text of constraints for another solver is.
fn model(lines: &[&[u8]]) -> Option<&'static str> {
    let is_smt = |line: &&[u8]| line.starts_with(b"(declare-") || line.starts_with(b"(assert ");
    let is_program = |line: &&[u8]| line.eq_ignore_ascii_case(b"subject to");
    if lines.iter().any(is_smt) {
        Some("an SMT formula")
    } else if lines.iter().any(is_program) {
        Some("a linear program")
    } else {
        None
    }
}

/// Whether a line is the numbers of all variables, one after the other, with a minus where they are false.
fn is_assignment(lines: &[&[u8]]) -> bool {
    let is_such = |line: &&[u8]| {
        let numbers = line.split(|&byte| byte == b' ').filter(|word| !matches!(**word, [] | [b'v']));
        let first = numbers
            .take(CELLS)
            .zip(1_usize..)
            .map(|(word, number)| word.strip_prefix(b"-").unwrap_or(word) == number.to_string().as_bytes());
        let first: Vec<bool> = first.collect();
        first.len() == CELLS && !first.contains(&false)
    };
    lines.iter().any(is_such)
}

/// Whether the first line of text, behind comments, is that of a program: `package a.b;`.
pub(in crate::input) fn begins_program(sample: &Sample<'_>) -> bool {
    const WORDS: [&[u8]; 5] = [b"import", b"module", b"namespace", b"package", b"using"];
    let is_comment = |line: &&[u8]| matches!(line, [b'/', b'/' | b'*', ..] | [b'*', ..]);
    let lines = lines_of(sample);
    let first = lines.iter().find(|line| !is_comment(line)).copied().unwrap_or_default();
    let words: Vec<_> = first.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).collect();
    words.len() > 1 && WORDS.contains(&words[0]) && (words.len() == 2 || first.ends_with(b";"))
}

/// Whether text is code of a program.
pub(super) fn is_source_code(lines: &[&[u8]]) -> bool {
    const STARTS: &[&str] = &[
        "import ",
        "from ",
        "package ",
        "using ",
        "namespace ",
        "public ",
        "private ",
        "class ",
        "def ",
        "fn ",
        "func ",
        "function ",
        "let ",
        "const ",
        "var ",
        "int ",
        "void ",
        "static ",
        "return ",
        "return;",
        "if (",
        "for (",
        "while (",
        "use ",
        "my ",
        "#include",
    ];
    const ENOUGH: usize = 3;
    let is_code = |line: &&&[u8]| {
        STARTS.iter().any(|start| line.starts_with(start.as_bytes()))
            && (line.starts_with(b"import ")
                || line.ends_with(b";")
                || line.ends_with(b"{")
                || line.ends_with(b":"))
            // A rule of Prolog or ASP.
            || line.starts_with(b":- ")
            || line.ends_with(b":-")
            || memmem::find(line, b" :- ").is_some()
    };
    lines.iter().filter(is_code).count() >= ENOUGH
}
