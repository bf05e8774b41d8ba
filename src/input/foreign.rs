//! Files of other kinds, which are refused by name.
//!
//! Binary files but those that `binary` reads are known by their first bytes ([`MAGIC`]), texts by how they begin
//! ([`HEADS`]) or by what most of their lines are ([`CONTENTS`]). A kind says how many cells of a sample it explains, as
//! families do; a file is foreign only if that is more than what the best family can read, so that some foreign lines
//! among puzzles are bad records, and no more.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::Value;

use super::family::Sample;
use super::{InputError, cells, json};
use crate::sudoku::{CELLS, SIDE};

/// Bytes at certain places, by which files are known, what they are, and what to do.
type Magic = (&'static [(usize, &'static [u8])], &'static str, &'static str);

/// Files that are no text. `{}` is the name of the file.
const MAGIC: &[Magic] = &[
    (&[(0, b"PK\x03\x04")], "a zip archive", "unpack it: unzip -p {} | batchdoku ... -"),
    (&[(0, b"PK\x05\x06")], "an empty zip archive", "there is nothing in it"),
    (&[(0, b"7z\xbc\xaf\x27\x1c")], "a 7z archive", "unpack it: 7z x -so {} | batchdoku ... -"),
    (&[(0, b"Rar!\x1a\x07")], "a rar archive", "unpack it: unrar p -inul {} | batchdoku ... -"),
    (&[(257, b"ustar")], "a tar archive", "unpack it: tar -xOf {} | batchdoku ... -"),
    (&[(0, b"\xfd7zXZ\0")], "xz data", "decompress it: xz -dc {} | batchdoku ... -"),
    (&[(0, b"BZh"), (4, b"1AY&SY")], "bzip2 data", "decompress it: bzip2 -dc {} | batchdoku ... -"),
    (&[(0, b"\x04\x22\x4d\x18")], "lz4 data", "decompress it: lz4 -dc {} | batchdoku ... -"),
    (&[(0, b"LZIP")], "lzip data", "decompress it: lzip -dc {} | batchdoku ... -"),
    (&[(0, b"\x5d\0\0")], "lzma data", "decompress it: xz -dc {} | batchdoku ... -"),
    (&[(0, b"\x1f\x9d")], "data of compress (.Z)", "decompress it: gzip -dc {} | batchdoku ... -"),
    (&[(0, b"\x1f\x8b")], "gzip data in compressed data", "decompress it twice"),
    (&[(0, b"\x28\xb5\x2f\xfd")], "zstd data in compressed data", "decompress it twice"),
    (&[(0, b"x\x9c")], "zlib data", "decompress it: pigz -dc < {} | batchdoku ... -"),
    (&[(0, b"x\xda")], "zlib data", "decompress it: pigz -dc < {} | batchdoku ... -"),
    (&[(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")], "an old Office file (.xls, .doc)", SAVE_SHEET),
    (&[(0, b"%PDF-")], "a PDF document", "take the text out: pdftotext -layout {} - | batchdoku ... -"),
    (&[(0, b"%!PS")], "a PostScript document", "take the text out: ps2ascii {} | batchdoku ... -"),
    (&[(0, b"{\\rtf")], "an RTF document", SAVE_TEXT),
    (&[(0, b"\x89PNG")], "a PNG image", READ_OFF),
    (&[(0, b"\xff\xd8\xff")], "a JPEG image", READ_OFF),
    (&[(0, b"GIF8")], "a GIF image", READ_OFF),
    (&[(0, b"RIFF"), (8, b"WEBP")], "a WebP image", READ_OFF),
    (&[(0, b"BM"), (6, b"\0\0\0\0")], "a BMP image", READ_OFF),
    (&[(0, b"II*\0")], "a TIFF image", READ_OFF),
    (&[(0, b"MM\0*")], "a TIFF image", READ_OFF),
    (&[(4, b"ftyp")], "a film or an HEIC image", READ_OFF),
    (
        &[(0, b"SQLite format 3\0")],
        "an SQLite database",
        "export the table: sqlite3 -header -csv {} \
        'SELECT * FROM ...' | batchdoku ... -",
    ),
    (&[(0, b"\x89HDF")], "an HDF5 file", "export the data set as CSV or text"),
    (&[(0, b"Obj\x01")], "an Avro file", "export it as CSV"),
    (&[(4, b"\0\0\0\0{\"")], "a safetensors file", "export the tensor as text"),
    (&[(0, b"MATLAB 5.0 MAT-file")], "a MATLAB file", "export the array as text"),
    (&[(0, b"\x80\x02")], "a Python pickle", UNPICKLE),
    (&[(0, b"\x80\x03")], "a Python pickle", UNPICKLE),
    (&[(0, b"\x80\x04")], "a Python pickle", UNPICKLE),
    (&[(0, b"\x80\x05")], "a Python pickle", UNPICKLE),
    (&[(0, b"(lp0\n")], "a Python pickle", UNPICKLE),
    (&[(0, b"(dp0\n")], "a Python pickle", UNPICKLE),
    (&[(0, b"]q\0(")], "a Python pickle", UNPICKLE),
    (&[(0, b"}q\0(")], "a Python pickle", UNPICKLE),
    (&[(0, b"RDX2\n")], "a file of R", "export the data as CSV"),
    (&[(0, b"RDX3\n")], "a file of R", "export the data as CSV"),
    (&[(0, b"\x7fELF")], "a program", NO_PUZZLES),
    (&[(0, b"MZ"), (0x28, b"\0\0\0\0\0\0\0\0")], "a program", NO_PUZZLES),
    (&[(0, b"\xcf\xfa\xed\xfe")], "a program", NO_PUZZLES),
    (&[(0, b"\xce\xfa\xed\xfe")], "a program", NO_PUZZLES),
    (&[(0, b"\xca\xfe\xba\xbe")], "a Java class", NO_PUZZLES),
    (&[(0, b"\0asm")], "a WebAssembly program", NO_PUZZLES),
    (&[(0, b"\xde\x12\x04\x95")], "a gettext catalogue", NO_PUZZLES),
    (&[(0, b"\x95\x04\x12\xde")], "a gettext catalogue", NO_PUZZLES),
];

const SAVE_SHEET: &str = "save the sheet as CSV, with the puzzles as text and not as numbers";
const SAVE_TEXT: &str = "save it as plain text";
const READ_OFF: &str = "the digits must be read off it first";
const UNPICKLE: &str = "export what is in it as text (loading a pickle runs its code)";
const WRITE_OUT: &str = "write the grid out, as nine rows or as 81 characters on a line";
const WRITE_OUT_OF: &str = "write what puzzles it holds out, as nine rows or as 81 characters on a line";
const NO_PUZZLES: &str = "there is nothing to solve in it";
const CAGES: &str = "killer sudokus (cages with their sums)";
const NINE_ONLY: &str = "sudokus of 9 x 9 cells and Sudominoku cases are all that is solved";

/// What a zip archive is by a name in it.
const ZIPPED: &[(&str, &str, &str)] = &[
    ("xl/", "an Excel workbook (.xlsx)", SAVE_SHEET),
    ("word/", "a Word document (.docx)", SAVE_TEXT),
    ("ppt/", "a presentation (.pptx)", SAVE_TEXT),
    ("mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "an OpenDocument sheet (.ods)", SAVE_SHEET),
    ("mimetypeapplication/vnd.oasis.opendocument.", "an OpenDocument text (.odt)", SAVE_TEXT),
    ("mimetypeapplication/epub", "an e-book (.epub)", SAVE_TEXT),
    ("data.pkl", "a PyTorch file", UNPICKLE),
    (".npy", "numpy arrays (.npz)", "take one array out: unzip -p {} NAME.npy > NAME.npy"),
    ("META-INF/", "a Java archive (.jar)", NO_PUZZLES),
];

/// Texts known by the start of their first line, in small letters.
const HEADS: &[(&str, &str, &str)] = &[
    ("<!doctype html", "an HTML page", SAVE_PAGE),
    ("<html", "an HTML page", SAVE_PAGE),
    ("<svg", "an SVG image", READ_OFF),
    ("version https://git-lfs", "a pointer of Git LFS, not the file itself", "get the file: git lfs pull"),
    ("<table border=\"1\" class=\"dataframe\"", "an HTML table of pandas", "save it as CSV: to_csv"),
    ("msgid ", "a gettext catalogue", NO_PUZZLES),
    ("p cnf ", FORMULA.0, FORMULA.1),
    ("sumocuev1", "killer sudokus (SumoCue)", NINE_ONLY),
    ("3x3:", "a sudoku variant (JSudoku)", NINE_ONLY),
];

const FORMULA: (&str, &str) = ("a DIMACS formula", "give the puzzle that it was made of");
const SAVE_PAGE: &str = "save it as plain text: lynx -dump -nolist {} | batchdoku ... -";

/// What a title of few other words says that the puzzles are, in small letters.
const NAMES: &[(&str, &str)] = &[
    ("killer sudoku", "killer sudokus"),
    ("samurai sudoku", "samurai sudokus"),
    ("jigsaw sudoku", "jigsaw sudokus"),
    ("irregular sudoku", "jigsaw sudokus"),
    ("diagonal sudoku", "diagonal sudokus (X)"),
    ("sudoku diagonal", "diagonal sudokus (X)"),
    ("x-sudoku", "diagonal sudokus (X)"),
    ("sudoku x", "diagonal sudokus (X)"),
    ("sudoku-x", "diagonal sudokus (X)"),
    ("hyper sudoku", "hyper sudokus (Windoku)"),
    ("windoku", "hyper sudokus (Windoku)"),
    ("kakuro", "kakuros"),
    ("futoshiki", "futoshikis"),
    ("kenken", "KenKens"),
];

/// Letters of such a title that are not the name.
const OTHER_LETTERS: usize = 16;

/// Lines of a sample that are looked at.
const LINES_LOOKED_AT: usize = 4000;

/// Longest line that is looked at.
const LONGEST_LINE: usize = 4 << 10;

/// Sides of squares that are no sudokus of 9 x 9.
const SIDES: std::ops::RangeInclusive<usize> = 4..=36;

/// What a file is, and what to do with it.
#[derive(Debug, PartialEq, Eq)]
struct Foreign {
    what: Cow<'static, str>,
    advice: &'static str,
}

impl Foreign {
    const fn new(what: &'static str, advice: &'static str) -> Self {
        Self { what: Cow::Borrowed(what), advice }
    }

    fn error(self, name: &str) -> InputError {
        InputError::Foreign {
            name: name.to_owned(),
            what: self.what.into_owned(),
            advice: self.advice.replace("{}", &typed(name)),
        }
    }
}

/// A kind of content: how many cells of the lines it explains.
type Content = fn(&[Line<'_>]) -> Option<(u64, Foreign)>;

/// A line without the blanks around it.
struct Line<'a> {
    text: &'a [u8],
    words: Vec<&'a [u8]>,
}

/// Every kind; of several that explain as much the first is taken.
const CONTENTS: &[Content] =
    &[numbered_cages, killer, candidates, jigsaw, samurai, squares, clauses, letters];

/// The refusal of what is foreign beyond doubt by its first bytes, whatever it is said to be.
pub(super) fn by_magic(name: &str, bytes: &[u8]) -> Option<InputError> {
    let has = |&(at, part): &(usize, &[u8])| bytes.get(at..).is_some_and(|rest| rest.starts_with(part));
    let &(_, what, advice) = MAGIC.iter().find(|(parts, ..)| parts.iter().all(has))?;
    let zipped = || {
        let is_in =
            |name: &str| zip_starts(bytes).any(|start| memmem::find(start, name.as_bytes()).is_some());
        ZIPPED.iter().find(|(name, ..)| is_in(name))
    };
    let zipped = if bytes.starts_with(b"PK\x03\x04") { zipped() } else { None };
    let (what, advice) = zipped.map_or((what, advice), |&(_, what, advice)| (what, advice));
    Some(Foreign::new(what, advice).error(name))
}

/// The names of the files in the start of a zip archive, each with what follows it.
fn zip_starts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    /// Where the name stands in the header of a file, and bytes from there that are enough to tell a kind.
    const NAME: usize = 30;
    const ENOUGH: usize = 80;
    memmem::find_iter(bytes, b"PK\x03\x04").map(move |at| {
        let start = bytes.get(at + NAME..).unwrap_or_default();
        &start[..start.len().min(ENOUGH)]
    })
}

/// The refusal of text that is foreign by how it begins, however many cells of it can be read.
pub(super) fn by_head(sample: &Sample<'_>) -> Option<InputError> {
    let mut lines = sample.record_lines().take(LINES_LOOKED_AT).peekable();
    // Comments of DIMACS, and what may stand before the root of XML.
    let is_before = |line: &&[u8]| {
        line.starts_with(b"c ")
            || line.trim_ascii() == b"c"
            || line.starts_with(b"<?")
            || line.starts_with(b"<!--")
    };
    while lines.next_if(|line| is_before(line)).is_some() {}
    let first = lines.next()?.trim_ascii_start();
    let starts_with =
        |head: &str| first.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head.as_bytes()));
    let head = HEADS.iter().find(|(head, ..)| starts_with(head));
    let cages = || has_cages(sample.bytes).then(|| Foreign::new(CAGES, NINE_ONLY));
    let sections = || sdq(sample).map(|what| Foreign::new(what, NINE_ONLY));
    let found = head
        .map(|&(_, what, advice)| Foreign::new(what, advice))
        .or_else(cages)
        .or_else(sections)
        .or_else(|| named(sample))
        .or_else(|| counts_from_zero(sample));
    Some(found?.error(sample.name))
}

/// The variant that a section of an `.sdq` file is for: `{Killer:`, whatever grids stand in others.
fn sdq(sample: &Sample<'_>) -> Option<&'static str> {
    const SECTIONS: [(&[u8], &str); 2] =
        [(b"{Killer:", CAGES), (b"{Tower:", "skyscraper sudokus (towers seen from the sides)")];
    let section =
        |line: &[u8]| SECTIONS.iter().find(|(name, _)| line.starts_with(name)).map(|&(_, what)| what);
    sample.lines().take(LINES_LOOKED_AT).find_map(section)
}

/// Rows and lines of cells with dots for blanks in which zeros are digits: there are several, never two in a row, and no nine.
fn counts_from_zero(sample: &Sample<'_>) -> Option<Foreign> {
    let is_between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'|' | b',');
    let is_cell = |byte: &u8| matches!(byte, b'.' | b'0'..=b'9');
    let (mut zeros, mut dots) = (0, false);
    for line in sample.record_lines() {
        let cells: Vec<u8> = line.trim_ascii().iter().copied().filter(|byte| !is_between(byte)).collect();
        if cells.len() != SIDE && cells.len() != CELLS || !cells.iter().all(is_cell) {
            continue;
        }
        dots |= cells.contains(&b'.');
        for row in cells.chunks(SIDE) {
            let of_row = row.iter().filter(|&&cell| cell == b'0').count();
            if of_row > 1 || row.contains(&b'9') {
                return None;
            }
            zeros += of_row;
        }
    }
    (dots && zeros > 1)
        .then(|| Foreign::new("puzzles with the digits 0 to 8", "write each digit greater by one"))
}

/// Whether JSON has a member that is called cages and holds some, whatever puzzle stands beside it.
fn has_cages(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"ages\"";
    let is_json = matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]);
    let holds_some = |at: usize| {
        let value = bytes[at + NAME.len()..].trim_ascii_start().strip_prefix(b":");
        let value = value.map_or(&b""[..], <[u8]>::trim_ascii_start);
        matches!(bytes[..at], [.., b'"', b'c' | b'C'])
            && matches!(value, [b'[' | b'{', inside @ ..] if !matches!(inside.trim_ascii_start(), [] | [b']' | b'}', ..]))
    };
    is_json && memmem::find_iter(bytes, NAME).any(holds_some)
}

/// Lists of lists in JSON that are boxes by their name, in which cells have another order than in rows.
fn boxes(bytes: &[u8]) -> Option<(u64, Foreign)> {
    const NAMES: [&[u8]; 4] = [b"\"boxes\"", b"\"blocks\"", b"\"box\"", b"\"block\""];
    if !matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
        return None;
    }
    let lists =
        NAMES.iter().flat_map(|name| memmem::find_iter(bytes, name).map(|at| &bytes[at + name.len()..]));
    let cells_of = |behind: &[u8]| {
        let list = behind.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"[")?;
        let list = &list[..memchr::memchr(b'"', list).unwrap_or(list.len())];
        list.trim_ascii_start()
            .starts_with(b"[")
            .then(|| list.iter().filter(|&&byte| cells::is_cell(byte)).count())
    };
    let explained: usize = lists.filter_map(cells_of).map(|cells| cells + 1).sum();
    let foreign = Foreign::new("sudokus as lists of their boxes", WRITE_OUT);
    (explained > CELLS).then_some((explained as u64, foreign))
}

/// Rows of objects for cells in JSON: a solution beside them is no puzzle.
fn objects(bytes: &[u8]) -> Option<(u64, Foreign)> {
    const WORDS: [&[u8]; 3] = [b"puzzle", b"board", b"grid"];
    if !matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
        return None;
    }
    let is_grid = |&at: &usize| {
        let start = memchr::memrchr(b'"', &bytes[..at]).map_or(at, |quote| quote + 1);
        let name = bytes[start..at].to_ascii_lowercase();
        let opened = bytes[at + 2..].iter().filter(|byte| !byte.is_ascii_whitespace()).take(3);
        opened.eq(b"[[{") && WORDS.iter().any(|word| memmem::find(&name, word).is_some())
    };
    let found = memmem::find_iter(bytes, b"\":").filter(is_grid).count();
    let foreign = Foreign::new("sudokus with an object for each cell", WRITE_OUT);
    (found > 0).then_some(((found * (CELLS + 1)) as u64, foreign))
}

/// What a title says before the first line with cells.
fn named(sample: &Sample<'_>) -> Option<Foreign> {
    /// Lines before the first puzzle that may be titles.
    const MOST: usize = 20;
    /// Longest line that may be one.
    const LONGEST: usize = 120;
    let titles = sample.lines().take_while(|line| !has_row(line)).filter(|line| line.len() <= LONGEST);
    for line in titles.take(MOST) {
        let title = String::from_utf8_lossy(line).to_lowercase();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
        // In a comment it may be a mere word, but not the first.
        let is_comment =
            matches!(line.trim_ascii_start(), [b'#' | b';' | b'%', ..] | [b'/', b'/', ..] | [b'-', b'-', ..]);
        let is_named = |name: &str| {
            let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let is_word = |(at, _): (usize, &str)| {
                ends(title[..at].chars().next_back())
                    && ends(title[at + name.len()..].chars().next())
                    && !(is_comment && title[..at].contains(char::is_alphanumeric))
            };
            letters(&title) <= letters(name) + OTHER_LETTERS && title.match_indices(name).any(is_word)
        };
        if let Some((_, what)) = NAMES.iter().find(|(name, _)| is_named(name)) {
            return Some(Foreign::new(what, NINE_ONLY));
        }
    }
    None
}

/// Whether there are nine cells in a row somewhere on a line.
fn has_row(line: &[u8]) -> bool {
    line.split(|&byte| !cells::is_cell(byte)).any(|run| run.len() >= 9)
}

/// The refusal of text by what most of its lines are, and how many cells that explains.
pub(super) fn by_content(sample: &Sample<'_>) -> Option<(u64, InputError)> {
    let lines: Vec<_> = lines_of(sample).into_iter().map(|text| Line { text, words: words(text) }).collect();
    let mut best = None;
    for (explained, foreign) in CONTENTS
        .iter()
        .filter_map(|content| content(&lines))
        .chain(boxes(sample.bytes))
        .chain(objects(sample.bytes))
        .chain(numbers(sample))
    {
        if best.as_ref().is_none_or(|(most, _)| explained > *most) {
            best = Some((explained, foreign));
        }
    }
    best.map(|(explained, foreign)| (explained, foreign.error(sample.name)))
}

/// The refusal of text of which nothing can be read, by what it looks like.
pub(super) fn by_looks(sample: &Sample<'_>) -> Option<InputError> {
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
        Foreign::new("XML of no kind that is known", "export the puzzles as text")
    } else if are_facts(&lines) {
        Foreign::new("cells one by one, as facts of a program", WRITE_OUT)
    } else if is_source_code(&lines) {
        Foreign::new("the source code of a program", WRITE_OUT_OF)
    } else if let Some(what) = model(&lines) {
        Foreign::new(what, FORMULA.1)
    } else if is_assignment(&lines) {
        Foreign::new("the answer of a SAT solver", WRITE_OUT)
    } else {
        return None;
    };
    Some(foreign.error(sample.name))
}

/// The same of the code of a program, in which nothing can be read.
pub(super) fn code(sample: &Sample<'_>) -> Option<InputError> {
    if is_source_code(&lines_of(sample)) { by_looks(sample) } else { None }
}

/// The lines of a sample that are looked at, without the blanks around them.
fn lines_of<'a>(sample: &Sample<'a>) -> Vec<&'a [u8]> {
    let lines = sample.record_lines().filter(|line| line.len() <= LONGEST_LINE);
    lines.take(LINES_LOOKED_AT).map(<[u8]>::trim_ascii).collect()
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
        None => Foreign::new(
            "JSON without puzzles",
            "they are looked for in strings and lists of 81 cells and in lists of nine rows",
        ),
    })
}

/// The side of the first square of another size in JSON.
fn side_in_json(value: &Value) -> Option<usize> {
    match value {
        Value::Array(values) => {
            let side = values.len();
            let is_row = |row: &Value| match row {
                Value::Array(cells) => {
                    cells.len() == side && !cells.iter().any(|cell| cell.is_array() || cell.is_object())
                }
                Value::String(cells) => cells.chars().count() == side,
                _ => false,
            };
            let is_square = side != 9 && SIDES.contains(&side) && values.iter().all(is_row);
            if is_square { Some(side) } else { values.iter().find_map(side_in_json) }
        }
        Value::Object(members) => members.values().find_map(side_in_json),
        Value::String(cells) => side_of_square(&words(cells.as_bytes())),
        _ => None,
    }
}

/// Grids with the number of the cage of each cell behind them: `9682.../0-0-1-2-2-3-...`.
fn numbered_cages(lines: &[Line<'_>]) -> Option<(u64, Foreign)> {
    let slashes = |line: &Line<'_>| {
        let is_map = |&at: &usize| at >= CELLS && numbers_cages(&line.text[at..]);
        let maps = memchr::memchr_iter(b'/', line.text).filter(is_map);
        maps.filter(|&at| cells::are_all(&line.text[at - CELLS..at])).count()
    };
    let found: usize = lines.iter().map(slashes).sum();
    (found > 0).then(|| ((found * (CELLS + 1)) as u64, Foreign::new(CAGES, NINE_ONLY)))
}

/// Whether what follows a grid says of each cell in which cage it is: `/0-0-1-2-2-3-...`.
pub(super) fn numbers_cages(text: &[u8]) -> bool {
    let Some(map) = text.strip_prefix(b"/") else { return false };
    let map =
        &map[..map.iter().position(|&byte| byte != b'-' && !byte.is_ascii_digit()).unwrap_or(map.len())];
    map.len() > 2 * SIDE
        && map.contains(&b'-')
        && map.split(|&byte| byte == b'-').all(|number| (1..=2).contains(&number.len()))
}

/// Cages: a sum and the cells that it is for, `A1+A2=5`, `r1c1 r1c2 : 12`, `3 0,0 0,1` or `3,0,0,0,1`.
fn killer(lines: &[Line<'_>]) -> Option<(u64, Foreign)> {
    /// Lines that leave no doubt.
    const ENOUGH: usize = 3;
    let is_cell = |word: &[u8]| {
        matches!(
            word,
            [b'A'..=b'I' | b'a'..=b'i', b'1'..=b'9'] | [b'r' | b'R', b'1'..=b'9', b'c' | b'C', b'1'..=b'9']
        )
    };
    let is_sum = |word: &[u8]| word.len() <= 2 && word.iter().all(u8::is_ascii_digit);
    let is_pair = |word: &[u8]| matches!(word, [b'0'..=b'9', b',', b'0'..=b'9']);
    let cage_of_pairs = |line: &Line<'_>| {
        let mut words = line.text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
        let has_sum = words.next().is_some_and(is_sum);
        let cells = words.map(|word| is_pair(word).then_some(1)).sum::<Option<u64>>()?;
        (has_sum && cells > 1).then_some(cells)
    };
    let cage = |line: &Line<'_>| {
        let (mut cells, mut sums) = (0, 0);
        for word in line.text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            match word {
                word if is_cell(word) => cells += 1,
                word if is_sum(word) => sums += 1,
                _ => return None,
            }
        }
        (sums == 1 && cells > 1).then_some(cells)
    };
    let cage_of_fields = |line: &Line<'_>| {
        let number = |field: &[u8]| std::str::from_utf8(field.trim_ascii()).ok()?.parse::<u8>().ok();
        let fields: Vec<_> = line.text.split(|&byte| byte == b',').map(number).collect::<Option<_>>()?;
        let [sum, places @ ..] = &*fields else { return None };
        let (cells, rest) = places.as_chunks::<2>();
        let count = u8::try_from(cells.len()).ok().filter(|count| (2..=9).contains(count))?;
        let mut distinct = cells.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let is_cage = rest.is_empty()
            && places.iter().all(|&place| place <= 9)
            && distinct.len() == cells.len()
            && (count * (count + 1) / 2..=count * (19 - count) / 2).contains(sum);
        is_cage.then_some(count.into())
    };
    let cage = |line| cage(line).or_else(|| cage_of_pairs(line)).or_else(|| cage_of_fields(line));
    let cages: Vec<u64> = lines.iter().filter_map(cage).collect();
    let foreign = Foreign::new(CAGES, NINE_ONLY);
    (cages.len() >= ENOUGH).then(|| (cages.iter().sum(), foreign))
}

/// Clauses of a formula without its header: signed numbers, and a 0 at the end if none has three digits.
fn clauses(lines: &[Line<'_>]) -> Option<(u64, Foreign)> {
    /// Lines that leave no doubt.
    const ENOUGH: usize = 3;
    let is_literal = |word: &[u8]| {
        let number = word.strip_prefix(b"-").unwrap_or(word);
        !matches!(number, [] | [b'0', ..]) && number.iter().all(u8::is_ascii_digit)
    };
    let literals = |line: &Line<'_>| {
        let closed = line.text.strip_suffix(b"0").filter(|rest| rest.ends_with(b" "));
        let literals = closed.map_or(line.text, <[u8]>::trim_ascii_end);
        let literals = literals.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        literals.map(|word| is_literal(word).then_some(1)).sum::<Option<u64>>()
    };
    let clauses: Vec<u64> = lines.iter().filter_map(literals).collect();
    // A row of a grid may end with 0, too, but has no negative numbers then.
    let is_signed = lines.iter().any(|line| line.text.starts_with(b"-") && literals(line).is_some());
    let is_large = |word: &&[u8]| word.strip_prefix(b"-").unwrap_or(word).len() > 2;
    let is_closed = |line: &Line<'_>| line.text.ends_with(b" 0") || line.words.iter().any(is_large);
    let is_signed = is_signed && lines.iter().any(is_closed);
    let is_formula = is_signed && clauses.len() >= ENOUGH && 2 * clauses.len() > lines.len();
    is_formula.then(|| (clauses.iter().sum(), Foreign::new(FORMULA.0, FORMULA.1)))
}

/// Grids on a line that have letters for digits.
fn letters(lines: &[Line<'_>]) -> Option<(u64, Foreign)> {
    const FEWEST: usize = 17;
    let is_grid = |line: &&Line<'_>| {
        let word = line.text.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';')).next();
        let letters = |word: &[u8]| word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let is_cell =
            |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'0' | b'.' | b'-' | b'_' | b'*');
        word.is_some_and(|word| word.len() == CELLS && word.iter().all(is_cell) && letters(word) >= FEWEST)
    };
    let found = lines.iter().filter(is_grid).count();
    let foreign = Foreign::new(
        "sudokus with letters for digits",
        "exchange them first: tr ABCDEFGHI 123456789 < {} | batchdoku ... -",
    );
    (found > 0).then_some(((found * CELLS) as u64, foreign))
}

/// Numbers with decimal places, one a line, as the weights of a neural net are kept.
fn numbers(sample: &Sample<'_>) -> Option<(u64, Foreign)> {
    /// Fewer may be ratings.
    const MANY: usize = 81;
    let is_number = |line: &[u8]| {
        let digits = line.strip_prefix(b"-").unwrap_or(line);
        let point = digits.iter().position(|&byte| byte == b'.');
        point.is_some_and(|at| {
            let (whole, places) = (&digits[..at], &digits[at + 1..]);
            (1..SIDE).contains(&digits.len())
                && [whole, places].iter().all(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
        })
    };
    let (mut found, mut all) = (0, 0);
    for line in sample.record_lines() {
        all += 1;
        found += usize::from(is_number(line.trim_ascii()));
    }
    (found >= MANY && found * 10 >= all * 9).then(|| {
        (SIDE as u64 * found as u64 + 1, Foreign::new("a list of numbers", "export the puzzles as text"))
    })
}

/// Sukakus: 729 candidates on a line; or grids of the candidates that are left.
fn candidates(lines: &[Line<'_>]) -> Option<(u64, Foreign)> {
    /// Characters of a sukaku: 81 cells with 9 candidates each.
    const SUKAKU: usize = 729;
    let sukakus = lines.iter().filter(|line| cells::run(line.text) == SUKAKU).count();
    let rises =
        |word: &[u8]| word.is_sorted_by(|a, b| a < b) && word.iter().all(|byte| matches!(byte, b'1'..=b'9'));
    let is_row = |line: &&Line<'_>| {
        let words = &line.words;
        words.len() == 9 && words.iter().any(|word| word.len() > 1) && words.iter().all(|word| rises(word))
    };
    let rows = lines.iter().filter(is_row).count();
    let found = (sukakus * CELLS).max(rows * 9) as u64;
    let what = if sukakus > 0 { "sukakus (729 candidates each)" } else { "grids of candidates" };
    (sukakus > 0 || rows >= 9)
        .then_some((found, Foreign::new(what, "only puzzles given by their clues are solved")))
}

/// Grids with a map of their regions, on one line or on nine.
fn jigsaw(lines: &[Line<'_>]) -> Option<(u64, Foreign)> {
    let mut maps = 0;
    let mut rows: Vec<u8> = Vec::new();
    for Line { words, .. } in lines {
        if length_of(words) == 9 {
            rows.extend(words.concat());
            if rows.len() == CELLS {
                maps += usize::from(is_region_map(&rows));
                rows.clear();
            }
            continue;
        }
        rows.clear();
        let is_map = |text: &[u8]| text.as_array::<CELLS>().is_some_and(|text| is_region_map(text));
        maps += usize::from(match words[..] {
            [both] if both.len() == 2 * CELLS => is_map(&both[CELLS..]) || is_map(&both[..CELLS]),
            _ => words.iter().any(|word| is_map(word)),
        });
    }
    // A map and its grid weigh more than the two grids that their digits may be.
    let found = (maps * CELLS * 3) as u64;
    (maps > 0)
        .then_some((found, Foreign::new("jigsaw sudokus (grids with a map of their regions)", NINE_ONLY)))
}

/// Whether 81 characters are nine regions of nine cells, each in one piece, and
/// others than those of every sudoku.
fn is_region_map(map: &[u8]) -> bool {
    let mut sizes = [0_usize; 256];
    map.iter().for_each(|&region| sizes[usize::from(region)] += 1);
    if map.iter().any(|&region| sizes[usize::from(region)] != 9) || is_usual_map(map) {
        return false;
    }
    let mut seen = [false; CELLS];
    let mut open = Vec::new();
    (0..CELLS).all(|start| {
        if seen[start] {
            return true;
        }
        open.push(start);
        let mut size = 0;
        while let Some(cell) = open.pop() {
            if std::mem::replace(&mut seen[cell], true) {
                continue;
            }
            size += 1;
            let (row, column) = (cell / 9, cell % 9);
            let near = [
                (row > 0).then(|| cell - 9),
                (row < 8).then(|| cell + 9),
                (column > 0).then(|| cell - 1),
                (column < 8).then(|| cell + 1),
            ];
            open.extend(near.into_iter().flatten().filter(|&other| map[other] == map[cell]));
        }
        size == 9
    })
}

/// Whether the regions are those that every sudoku has: its boxes, rows or columns.
fn is_usual_map(map: &[u8]) -> bool {
    let is_map_of = |first: fn(usize) -> usize| (0..map.len()).all(|cell| map[cell] == map[first(cell)]);
    is_map_of(|cell| cell / 27 * 27 + cell % 9 / 3 * 3)
        || is_map_of(|cell| cell / 9 * 9)
        || is_map_of(|cell| cell % 9)
}

/// Five grids that overlap: lines with the cells of one, of two and of two with what joins them.
fn samurai(lines: &[Line<'_>]) -> Option<(u64, Foreign)> {
    const CELLS_OF_LINES: [usize; 21] = {
        let mut cells = [18; 21];
        let mut line = 6;
        while line < 15 {
            cells[line] = if line < 9 || line > 11 { 21 } else { 9 };
            line += 1;
        }
        cells
    };
    let counts: Vec<usize> = lines.iter().map(|line| length_of(&line.words)).collect();
    let found = counts.windows(CELLS_OF_LINES.len()).filter(|counts| *counts == CELLS_OF_LINES).count();
    let foreign = Foreign::new("samurai sudokus (five grids that overlap)", NINE_ONLY);
    (found > 0).then_some(((found * 5 * CELLS) as u64, foreign))
}

/// Sudokus of another size: as many lines as each has cells, or all cells on a line.
fn squares(lines: &[Line<'_>]) -> Option<(u64, Foreign)> {
    /// One line in so many at least is part of them.
    const SHARE: usize = 8;
    let mut seen = [0_u64; *SIDES.end() + 1];
    let mut covered = 0;
    let mut rows = 0;
    let mut side = 0;
    // Whether no cell is more than 9.
    let mut usual = true;
    for line in lines {
        if let Some(side) = side_of_square(&line.words) {
            seen[side] += 1;
            covered += 1;
        }
        match side_of_row(&line.words) {
            // A row of blanks, more likely.
            Some(Row::Border(signs)) if signs == side => rows += usize::from(rows > 0),
            Some(Row::Border(_)) => {}
            Some(Row::Cells(cells)) => {
                usual &= line.words.len() != cells || line.words.iter().all(|word| word.len() == 1);
                usual &= line.words.iter().copied().flatten().all(|&byte| cells::is_cell(byte));
                rows = if cells == side { rows + 1 } else { 1 };
                side = cells;
            }
            None => rows = 0,
        }
        if rows > 0 && rows == side {
            seen[side] += 1;
            covered += side;
            rows = 0;
        }
    }
    // Sudokus of the usual size are no square of another one.
    seen[9] = 0;
    // Those of a prime side have no boxes: more likely these are numbers of so many digits.
    for side in [5, 7, 11, 13, 17, 19, 23, 29, 31] {
        seen[side] = 0;
    }
    let (side, &count) = seen.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let of_side = || if usual && matches!(side, 18 | 27) { beside(side) } else { of_side(side) };
    (count > 0 && SHARE * covered >= lines.len()).then(|| (count * CELLS as u64, of_side()))
}

/// Rows of two or three grids on a line, or three rows of one.
fn beside(cells: usize) -> Foreign {
    let what = Cow::Owned(format!("grids side by side, or with rows joined: {cells} cells a line"));
    Foreign { what, advice: "give each row of nine cells, or all 81, a line of its own" }
}

fn of_side(side: usize) -> Foreign {
    let what = match side {
        21 => Cow::Borrowed("samurai sudokus (21 x 21)"),
        18 | 27 => Cow::Owned(format!("grids side by side, or sudokus of {side} x {side} cells")),
        _ => Cow::Owned(format!("sudokus of {side} x {side} cells")),
    };
    Foreign { what, advice: NINE_ONLY }
}

/// What a line of a square is.
enum Row {
    /// Of so many signs.
    Border(usize),
    Cells(usize),
}

fn side_of_row(words: &[&[u8]]) -> Option<Row> {
    if words.iter().all(|word| word.iter().all(|byte| matches!(byte, b'-' | b'=' | b'+' | b'_' | b'*'))) {
        return Some(Row::Border(length_of(words)));
    }
    // Numbers or letters with something between them, or characters without.
    let apart = words.len();
    if SIDES.contains(&apart) && words.iter().all(|word| is_value(word, apart)) {
        return Some(Row::Cells(apart));
    }
    let joined = length_of(words);
    // Groups are alike, but for those of a samurai sudoku.
    let alike = words.iter().all(|word| word.len() == words[0].len())
        || joined == 21 && words.iter().all(|word| word.len().is_multiple_of(3));
    let fits = alike
        && SIDES.contains(&joined)
        && words.iter().copied().flatten().all(|&byte| is_cell_of(byte, joined));
    fits.then_some(Row::Cells(joined))
}

/// The side of the square whose cells are on a line: as one word, or a word each. Those of 9 x 9 are none.
fn side_of_square(words: &[&[u8]]) -> Option<usize> {
    let is_blank = |word: &&[u8]| matches!(word, [b'.' | b'0' | b'*' | b'_' | b'-' | b'?']);
    let side_of = |cells: &[&[u8]]| {
        let side = cells.len().isqrt();
        let fits = side * side == cells.len()
            && side != 9
            && SIDES.contains(&side)
            && cells.iter().any(is_blank)
            && !cells.iter().all(is_blank)
            && cells.iter().all(|cell| is_value(cell, side));
        fits.then_some(side)
    };
    let cells = |word: &&[u8]| side_of(&word.chunks(1).collect::<Vec<_>>());
    words.iter().filter(|word| word.len() != CELLS).find_map(cells).or_else(|| side_of(words))
}

/// Whether a word can be a cell of a square.
fn is_value(word: &[u8], side: usize) -> bool {
    match *word {
        [byte] => is_cell_of(byte, side),
        [tens @ b'0'..=b'3', ones @ b'0'..=b'9'] => {
            usize::from(tens - b'0') * 10 + usize::from(ones - b'0') <= side
        }
        _ => false,
    }
}

/// Whether a character can be a cell of a square: a blank, a digit, or a letter.
const fn is_cell_of(byte: u8, side: usize) -> bool {
    match byte {
        b'.' | b'*' | b'_' | b'-' | b'?' => true,
        b'0'..=b'9' => side > 9 || (byte - b'0') as usize <= side,
        // Letters may come behind the digits.
        b'a'..=b'z' | b'A'..=b'Z' => {
            (byte.to_ascii_uppercase() - b'A') as usize + (side < 9) as usize <= side
        }
        _ => false,
    }
}

/// Whether a line begins with a tag that pages have.
fn is_of_page(line: &[u8]) -> bool {
    const TAGS: [&str; 8] = ["body", "div", "p", "table", "tr", "td", "span", "ul"];
    let name = line.strip_prefix(b"<").unwrap_or_default();
    let name = &name[..name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len())];
    TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag.as_bytes()))
}

/// Whether text is code, prose or an object of JSON, in which cells may stand without being a puzzle.
pub(super) fn is_other_text(sample: &Sample<'_>) -> bool {
    let lines = lines_of(sample);
    let is_words = |line: &&&[u8]| {
        let cells = line.iter().filter(|&&byte| cells::is_cell(byte)).count();
        line.iter().filter(|byte| byte.is_ascii_alphabetic()).count() > cells
    };
    let is_object = matches!(lines[..], [[b'{', ..], ..]);
    is_object || is_source_code(&lines) || 2 * lines.iter().filter(is_words).count() > lines.len()
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

/// Whether text is a program or a notebook, in which a few puzzles may stand.
pub(super) fn is_program(sample: &Sample<'_>) -> bool {
    let is_notebook = || {
        sample.bytes.trim_ascii_start().starts_with(b"{")
            && memmem::find(sample.bytes, b"\"cell_type\"").is_some()
    };
    is_source_code(&lines_of(sample)) || is_notebook()
}

/// Whether text is a dump of a database.
pub(super) fn is_sql(sample: &Sample<'_>) -> bool {
    const STARTS: [&[u8]; 2] = [b"INSERT INTO ", b"CREATE TABLE "];
    let is_start = |line: &[u8], start: &[u8]| {
        line.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    sample.record_lines().any(|line| STARTS.iter().any(|start| is_start(line, start)))
}

/// Whether text is code of a program.
fn is_source_code(lines: &[&[u8]]) -> bool {
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
    };
    lines.iter().filter(is_code).count() >= ENOUGH
}

/// The stretches of a line between blanks, bars, commas, brackets and quotes.
fn words(line: &[u8]) -> Vec<&[u8]> {
    let is_between = |byte: &u8| {
        matches!(
            byte,
            b'|' | b'!' | b',' | b';' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'"' | b'\'' | b':' | b'#'
        ) || *byte <= b' '
            || !byte.is_ascii()
    };
    line.split(is_between).filter(|word| !word.is_empty()).collect()
}

/// The characters of words.
fn length_of(words: &[&[u8]]) -> usize {
    words.iter().map(|word| word.len()).sum()
}

/// A name of a file as it is typed in a shell.
fn typed(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._/+-@%,:=".contains(c);
    match name {
        "-" => "FILE".to_owned(),
        _ if name.chars().all(is_plain) => name.to_owned(),
        _ => format!("'{}'", name.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{PUZZLE, drain, open, rows};
    use crate::input::{FormatChoice, ReadOptions};

    const REGIONS: &str = "111122333111222333112222333444555666444555666444555666777888999777888999777888999";

    fn refusal(bytes: &[u8]) -> String {
        match open(bytes, &ReadOptions::default()) {
            Err(InputError::Foreign { what, .. }) => what,
            Err(InputError::UnknownFormat { .. } | InputError::NoPuzzleColumn { .. }) => String::new(),
            other => panic!("{}: {other:?}", bytes[..bytes.len().min(60)].escape_ascii()),
        }
    }

    /// A square of that side whose cells are written by `cell`, every third blank.
    fn square(side: usize, between: &str, cell: impl Fn(usize) -> String) -> String {
        let value = |at: usize| if at.is_multiple_of(3) { ".".to_owned() } else { cell(at % side) };
        let row =
            |row: usize| (0..side).map(|column| value(row * side + column)).collect::<Vec<_>>().join(between);
        (0..side).map(|at| row(at) + "\n").collect()
    }

    /// As it is and without its lines.
    fn square_and_line(side: usize, cell: impl Fn(usize) -> String) -> [String; 2] {
        let square = square(side, "", cell);
        [square.repeat(3), format!("{}\n", square.replace('\n', ""))]
    }

    #[test]
    fn binary_files_are_named_whatever_they_are_said_to_be() {
        // Most kinds are in `tests/refusals.rs`.
        let zip = |name: &str| [b"PK\x03\x04", &[0; 26][..], name.as_bytes(), b"..."].concat();
        let table: Vec<(Vec<u8>, &str)> = vec![
            ([zip("[Content_Types].xml"), zip("xl/workbook.xml")].concat(), "an Excel workbook (.xlsx)"),
            (zip("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), "an OpenDocument sheet (.ods)"),
            (zip("arr_0.npy"), "numpy arrays (.npz)"),
            (b"RIFF\x10\0\0\0WEBPVP8 ".to_vec(), "a WebP image"),
            (b"\x7fELF\x02\x01".to_vec(), "a program"),
            (b"\x89HDF\r\n\x1a\n".to_vec(), "an HDF5 file"),
        ];
        for (bytes, what) in table {
            assert_eq!(refusal(&bytes), what);
            let options = ReadOptions { format: FormatChoice::named("line"), ..ReadOptions::default() };
            assert!(matches!(open(&bytes, &options), Err(InputError::Foreign { .. })), "{what}");
        }
        for bytes in [&[0; 100_000][..], b"\x01\x02\0\x05 abc \n \0\0\xff"] {
            assert_eq!(refusal(bytes), "binary data");
        }
    }

    #[test]
    fn texts_of_other_kinds_are_named() {
        let digit = |at: usize| (at + 1).to_string();
        let letter = |at: usize| char::from(b'A' + at as u8).to_string();
        let hexadecimal = |at: usize| format!("{at:X}");
        let jigsaw = format!(
            "{}\n{}",
            rows(),
            REGIONS.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>()
        );
        let wing = "1........2...3....\n".repeat(6);
        let body = "1........2...3.......\n".repeat(3);
        let samurai = format!("{wing}{body}{}{body}{wing}", "...1.....\n".repeat(3));
        let mut table: Vec<(String, &str)> = vec![
            ("\n<!DOCTYPE HTML>\n<html><pre>\n".to_owned() + &rows(), "an HTML page"),
            ("<?xml version=\"1.0\"?>\n<svg>\n".to_owned(), "an SVG image"),
            ("<?xml version=\"1.0\"?>\n<books>\n".to_owned(), "XML of no kind that is known"),
            ("c a comment\nc\np cnf 729 8829\n1 -2 0\n".to_owned(), "a DIMACS formula"),
            (
                "version https://git-lfs.github.com/spec/v1\noid sha256:12\n".to_owned(),
                "a pointer of Git LFS, not the file itself",
            ),
            (
                "import java.util.*;\n\npublic class Sudoku {\n  private int x;\n}\n".to_owned(),
                "the source code of a program",
            ),
            ("12 A1 A2\n7 B1 C1\n15 A3 B3 C3\n".to_owned(), "killer sudokus (cages with their sums)"),
            (
                "3 0,0 0,1\n15 0,2 0,3 0,4\n25 1,0 1,1 2,0 2,1\n".to_owned(),
                "killer sudokus (cages with their sums)",
            ),
            (
                "{\"cages\": [{\"sum\": 3, \"cells\": [[0, 0], [0, 1]]}]}\n".to_owned(),
                "killer sudokus (cages with their sums)",
            ),
            (
                format!("[{{\"puzzle\": \"{}\", \"cages\": [{{\"sum\": 3}}]}}]\n", ".".repeat(81)),
                "killer sudokus (cages with their sums)",
            ),
            (
                "18,0,0,0,1,1,0,1,1\n12,2,0,3,0\n23,7,0,7,1,7,2\n".to_owned(),
                "killer sudokus (cages with their sums)",
            ),
            ("r1c1+r1c2=9\nr2c1+r2c2=11\nr3c3+r3c4=4\n".to_owned(), "killer sudokus (cages with their sums)"),
            (
                "% clues\n\ninitial(1,3,5).\n".to_owned() + &"initial(2, 3, 3).\n".repeat(20),
                "cells one by one, as facts of a program",
            ),
            (
                format!("% hard\nrules(standard).\nplaced({}).\n", "3,1,9; 8,1,4; ".repeat(10)),
                "cells one by one, as facts of a program",
            ),
            ("let given[1,1,8] := 1;\n".repeat(17), "cells one by one, as facts of a program"),
            (
                format!("SAT\n{} 0\n", (1..730).map(|at| format!("-{at}")).collect::<Vec<_>>().join(" ")),
                "the answer of a SAT solver",
            ),
            (format!("{}\n", "Project A,M1,Contractor B\n".repeat(30)), ""),
            ("18.1354939938\n".repeat(20), ""),
            ("5...2....".repeat(81) + "\n", "sukakus (729 candidates each)"),
            ("12 3 4 5 6 7 8 9 12\n".repeat(9), "grids of candidates"),
            (jigsaw, "jigsaw sudokus (grids with a map of their regions)"),
            (format!("{PUZZLE} {REGIONS}\n"), "jigsaw sudokus (grids with a map of their regions)"),
            (format!("{PUZZLE}{REGIONS}\n"), "jigsaw sudokus (grids with a map of their regions)"),
            (samurai, "samurai sudokus (five grids that overlap)"),
            (format!("# Samurai Sudoku 12\n{}", rows()), "samurai sudokus"),
            (format!("Sudoku X\n\n{}", rows()), "diagonal sudokus (X)"),
            (format!("X-Sudoku\n{PUZZLE}\n"), "diagonal sudokus (X)"),
            (format!("# X-Sudoku, hard\n{PUZZLE}\n"), "diagonal sudokus (X)"),
            (
                format!(
                    "{{\"name\": \"x\", \"cages\": {{\"a1a2\": 3}}, \"puzzle\": \"{}\"}}\n",
                    ".".repeat(81)
                ),
                "killer sudokus (cages with their sums)",
            ),
            (square(4, " ", digit), "sudokus of 4 x 4 cells"),
            ("1 .|. 4\n. 3|. .\n---+---\n. .|3 .\n2 .|. 1\n".to_owned(), "sudokus of 4 x 4 cells"),
            (square(12, " ", digit), "sudokus of 12 x 12 cells"),
            (square(16, ",", digit), "sudokus of 16 x 16 cells"),
        ];
        for (side, what) in
            [(4, "sudokus of 4 x 4 cells"), (6, "sudokus of 6 x 6 cells"), (8, "sudokus of 8 x 8 cells")]
        {
            table.extend(square_and_line(side, digit).map(|text| (text, what)));
        }
        table.extend(square_and_line(16, letter).map(|text| (text, "sudokus of 16 x 16 cells")));
        table.extend(square_and_line(16, hexadecimal).map(|text| (text, "sudokus of 16 x 16 cells")));
        table.extend(square_and_line(25, letter).map(|text| (text, "sudokus of 25 x 25 cells")));
        for (text, what) in table {
            assert_eq!(refusal(text.as_bytes()), what, "{text}");
        }
    }

    #[test]
    fn zeros_beside_dots_are_digits_where_no_row_has_two_and_no_cell_is_nine() {
        let from_zero: String = PUZZLE
            .chars()
            .map(|cell| match cell {
                '1'..='9' => char::from_u32(cell as u32 - 1).expect("a digit"),
                _ => '.',
            })
            .collect();
        let grid = |cells: &str| {
            cells.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>()
        };
        let with_nine = from_zero.replace('8', "9");
        for text in [format!("{from_zero}\n"), grid(&from_zero), format!("{} rated\n", grid(&from_zero))] {
            assert_eq!(refusal(text.as_bytes()), "puzzles with the digits 0 to 8", "{text}");
        }
        for text in [with_nine, from_zero.replace('.', "0"), from_zero.replace('0', ".")] {
            assert_eq!(
                drain(open(grid(&text).as_bytes(), &ReadOptions::default()).expect(&text), 100).records.len(),
                1
            );
        }
    }

    /// Each is read, whatever else it looks like.
    #[test]
    fn puzzles_stay_puzzles() {
        let list = format!("{PUZZLE}\n").repeat(3);
        let grids = rows() + "\n" + &rows() + "\n" + &rows();
        let small = square(4, "", |at| (at + 1).to_string());
        let same: String = (1..=9).map(|row| row.to_string().repeat(9) + "\n").collect();
        let boxes: String =
            ["111222333\n", "444555666\n", "777888999\n"].iter().map(|row| row.repeat(3)).collect();
        for text in [
            format!("{list}{small}"),
            format!("{small}\n{list}"),
            format!("{list}5...2....{}\n", "5...2....".repeat(80)),
            format!("# from the forum of killer sudoku players, but these are none of that kind\n{list}"),
            format!("# sudoku xtreme\n{list}"),
            format!("# solved with X-Sudoku 2\n{list}"),
            format!("{{\"cages\": [], \"puzzles\": [{0}, {0}, {0}]}}", format!("\"{PUZZLE}\"")),
            format!("{list}{PUZZLE} {REGIONS}"),
            // The boxes, rows and columns of every sudoku, as programs have them, say nothing of those beside them.
            format!("{grids}\n{boxes}\n{}\n{same}", "123456789\n".repeat(9)),
            format!("{grids}\n12 A1 A2\n7 B1 C1\n15 A3 B3 C3\n"),
            format!("BM\n{list}"),
            format!("{PUZZLE},4.3E+78\n{list}"),
            "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n".repeat(4),
        ] {
            let source = open(text.as_bytes(), &ReadOptions::default()).expect(&text);
            let readable = drain(source, 1000).show().iter().filter(|shown| !shown.contains(": ")).count();
            assert!(readable >= 3, "{readable}: {text}");
        }
    }

    #[test]
    fn a_refusal_is_one_line_that_says_what_to_do() {
        let error = |name| by_magic(name, b"\xfd7zXZ\0").expect("known").to_string();
        let expected = |file| {
            format!(
                "xz data (expected puzzles or results as text); decompress it: xz -dc {file} | batchdoku ... -"
            )
        };
        assert_eq!(error("a/b-1.xz"), format!("a/b-1.xz: {}", expected("a/b-1.xz")));
        assert_eq!(error("my list.xz"), format!("my list.xz: {}", expected("'my list.xz'")));
        assert_eq!(error("it's"), format!("it's: {}", expected(r"'it'\''s'")));
        assert_eq!(error("-"), format!("-: {}", expected("FILE")));
    }
}
