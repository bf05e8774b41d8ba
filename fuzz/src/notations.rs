//! Checks that any grids, written in any common notation, are read correctly. The format can be detected or given, and
//! the text can be plain or compressed, in chunks of any size.

use std::fmt::Write;

use batchdoku::input::{Dialect, ReadOptions};
use batchdoku::sudoku::{CELLS, Case, Domino, Grid};

use super::draw::Draw;
use super::read::{Compression, records};

const MOST_PUZZLES: usize = 6;

/// The example cases from the contest problem.
const CASES: &str = include_str!("../../data/judge/boj4574.in");

/// A text, the family of formats that it belongs to, and what it contains.
struct Written {
    text: String,
    format: &'static str,
    grids: Vec<Grid>,
    cases: Vec<Case>,
}

/// Writes grids and reads them back.
pub fn run(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let notation = draw.one_of(&[lines, rows, rows, framed, framed, sections, table, table, cases]);
    let (crlf, bom, is_given) = (draw.coin(), draw.coin(), draw.coin());
    let target = draw.one_of(&[1, 2, 80, 82, 200, 1 << 16]);
    let compression = draw.one_of(&[None, None, Some(Compression::Gzip), Some(Compression::Zstd)]);
    let ends_early = draw.coin();
    let Written { mut text, format, grids, cases } = notation(&mut draw);
    if grids.is_empty() && cases.is_empty() {
        return;
    }
    if ends_early && text.ends_with('\n') {
        text.pop();
    }
    if crlf {
        text = text.replace('\n', "\r\n");
    }
    if bom {
        text.insert(0, '\u{feff}');
    }
    let format = is_given.then(|| format.parse::<Dialect>().expect("a word of a framing"));
    let options = ReadOptions { format, ..ReadOptions::default() };
    let compressed = compression.map(|compression| compression.of(text.as_bytes()));
    let (read, error) = records(compressed.as_deref().unwrap_or(text.as_bytes()), &options, target)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(error, None, "{text}");
    let fault = read.iter().find_map(|record| record.fault.as_ref());
    assert!(fault.is_none(), "{}\n{text}", fault.map_or(String::new(), ToString::to_string));
    if cases.is_empty() {
        assert_eq!(read.iter().map(|record| record.puzzle).collect::<Vec<_>>(), grids, "{text}");
    } else {
        let read: Vec<_> = read.into_iter().filter_map(|record| record.case).collect();
        let written: Vec<_> = cases.iter().map(ToString::to_string).collect();
        assert_eq!(read, written, "{text}");
    }
}

/// Writes a puzzle, with `blank` for each blank cell.
fn cells(grid: &Grid, blank: char) -> String {
    grid.cells().iter().map(|&digit| if digit == 0 { blank } else { (b'0' + digit) as char }).collect()
}

/// Draws puzzles that each have a blank, because solved grids are not puzzles.
fn puzzles(draw: &mut Draw<'_>) -> Vec<Grid> {
    draw.puzzles(MOST_PUZZLES).into_iter().filter(|grid| (grid.clues() as usize) < CELLS).collect()
}

fn lines(draw: &mut Draw<'_>) -> Written {
    let blank = draw.one_of(&['.', '0', '*', '_', '-', '?', 'x', 'X']);
    let after =
        draw.one_of(&["", "", " ", "\t2.3", ",a name", ";x", "#1", " # remark", ":1:rest", " 9.5 8", "  "]);
    let between = draw.one_of(&["", "", "\n", "# remark\n", "  \n"]);
    let (is_counted, is_bank) = (draw.one_of(&[0, 0, 1]) == 1, draw.one_of(&[0, 0, 1]) == 1);
    let mut grids = puzzles(draw);
    if is_bank || !after.trim().is_empty() || !".0".contains(blank) {
        // 81 blanks next to words are taken for a banner, and 81 other characters for a rule.
        grids.retain(|grid| grid.clues() > 0);
    }
    let mut text = String::new();
    if is_counted {
        writeln!(text, "{}", grids.len()).expect("memory takes everything");
    }
    for (number, grid) in grids.iter().enumerate() {
        if is_bank {
            write!(text, "{:012x} ", 0x1830_5ca0 + number).expect("memory takes everything");
        }
        text += &format!("{}{after}\n{between}", cells(grid, blank));
    }
    Written { text, format: "line", grids, cases: Vec::new() }
}

fn rows(draw: &mut Draw<'_>) -> Written {
    let blank = draw.one_of(&['.', '0', '*', '_', '-', '?', 'x']);
    let (within, between_boxes) =
        draw.one_of(&[("", ""), ("", ""), (" ", " "), ("\t", "\t"), (",", ","), ("", " ")]);
    let head = draw.one_of(&["", "", "Grid 01\n", "Puzzle 3:\n", "\n", "# remark\n"]);
    let is_counted = head.is_empty() && draw.one_of(&[0, 0, 1]) == 1;
    let mut grids = puzzles(draw);
    if "-*_".contains(blank) {
        // Rows that consist only of these characters are taken for borders, unless rows with digits rule that out.
        grids.retain(|grid| grid.clues() > 0);
    }
    let mut text = String::new();
    if is_counted {
        writeln!(text, "{}", grids.len()).expect("memory takes everything");
    }
    for grid in &grids {
        text += head;
        for row in cells(grid, blank).as_bytes().chunks(9) {
            let boxes =
                row.chunks(3).map(|part| part.iter().map(|&cell| (cell as char).to_string()).collect());
            let boxes: Vec<_> = boxes.map(|cells: Vec<_>| cells.join(within)).collect();
            text += &(boxes.join(between_boxes) + "\n");
        }
    }
    Written { text, format: "grid", grids, cases: Vec::new() }
}

fn framed(draw: &mut Draw<'_>) -> Written {
    /// The text above, between bands and below; before a row, between boxes and after the row; and between cells.
    const FRAMES: [[&str; 7]; 6] = [
        ["+---+---+---+\n", "+---+---+---+\n", "+---+---+---+\n", "|", "|", "|\n", ""],
        ["", "------+-------+------\n", "", "", " | ", "\n", " "],
        ["", "-------|-------|-------\n", "", " ", " | ", " \n", " "],
        ["*-----------*\n", "|---+---+---|\n", "*-----------*\n", "|", "|", "|\n", ""],
        [
            "+-------+-------+-------+\n",
            "+-------+-------+-------+\n",
            "+-------+-------+-------+\n",
            "| ",
            " | ",
            " |\n",
            " ",
        ],
        [
            "┌───────┬───────┬───────┐\n",
            "├───────┼───────┼───────┤\n",
            "└───────┴───────┴───────┘\n",
            "│ ",
            " │ ",
            " │\n",
            " ",
        ],
    ];
    let [above, between_bands, below, before, between_boxes, behind, within] = draw.one_of(&FRAMES);
    let blank = draw.one_of(&['.', '0', 'x', '*', '_']);
    let apart = draw.one_of(&["", "\n"]);
    let mut grids = puzzles(draw);
    if "*_".contains(blank) {
        // Rows that consist only of these characters are taken for borders, unless there is a row with a digit nearby.
        grids.retain(|grid| grid.clues() > 0);
    }
    let mut text = String::new();
    for grid in &grids {
        text += above;
        for (number, row) in cells(grid, blank).as_bytes().chunks(9).enumerate() {
            if number == 3 || number == 6 {
                text += between_bands;
            }
            let boxes =
                row.chunks(3).map(|part| part.iter().map(|&cell| (cell as char).to_string()).collect());
            let boxes: Vec<_> = boxes.map(|cells: Vec<_>| cells.join(within)).collect();
            text += &format!("{before}{}{behind}", boxes.join(between_boxes));
        }
        text += below;
        text += apart;
    }
    Written { text, format: "grid", grids, cases: Vec::new() }
}

/// Writes `.sdk` files, one after another.
fn sections(draw: &mut Draw<'_>) -> Written {
    let has_state = draw.coin();
    let mut grids = puzzles(draw);
    let mut text = String::new();
    for grid in &grids {
        text += "#A An author\n#L 3\n[Puzzle]\n";
        let rows: Vec<String> = cells(grid, '.')
            .as_bytes()
            .chunks(9)
            .map(|row| row.iter().map(|&cell| cell as char).collect())
            .collect();
        text += &(rows.join("\n") + "\n");
        if has_state {
            text += &format!("[State]\n{}\n", rows.join("\n"));
        }
    }
    if has_state {
        // A state that is not a solution is a grid like any other.
        grids = grids.into_iter().flat_map(|grid| [grid; 2]).collect();
    }
    Written { text, format: "grid", grids, cases: Vec::new() }
}

fn table(draw: &mut Draw<'_>) -> Written {
    let separator = draw.one_of(&[",", ";", "\t"]);
    let name = draw.one_of(&["puzzle", "Puzzle", "quizzes", "question"]);
    let blank = draw.one_of(&['.', '0', '*', 'x']);
    let quote = draw.one_of(&["", "\""]);
    let (before, behind) = (draw.byte() % 3, draw.byte() % 3);
    let filler = draw.one_of(&["1", "", "a name", "\"a, \"\"b\"\"; c\td\"", "4.5"]);
    let grids = puzzles(draw);
    let fields = |field: &dyn Fn(usize) -> String, middle: &str| {
        let before = (0..before).map(|number| field(number.into()));
        let behind = (0..behind).map(|number| field(usize::from(number) + 5));
        let fields: Vec<String> = before.chain([middle.to_owned()]).chain(behind).collect();
        fields.join(separator) + "\n"
    };
    let mut text = fields(&|number| format!("c{number}"), name);
    for grid in &grids {
        text += &fields(&|_| filler.to_owned(), &format!("{quote}{}{quote}", cells(grid, blank)));
    }
    Written { text, format: "csv", grids, cases: Vec::new() }
}

fn cases(draw: &mut Draw<'_>) -> Written {
    let mut known = Vec::new();
    let mut lines = CASES.lines();
    while let Some(count) =
        lines.next().and_then(|line| line.trim().parse::<usize>().ok()).filter(|&count| count > 0)
    {
        let dominoes = lines.by_ref().take(count).map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            Domino { cells: [cell(words[1]), cell(words[3])], digits: [digit(words[0]), digit(words[2])] }
        });
        let dominoes = dominoes.collect();
        let singles: Vec<_> = lines.next().expect("singles").split_whitespace().map(cell).collect();
        known.push(Case { dominoes, singles: singles.try_into().expect("there are nine") });
    }
    let (mut text, mut cases) = (String::new(), Vec::new());
    let (within, behind) =
        (draw.one_of(&[" ", "  ", "\t", "\n"]), draw.one_of(&["\n", "\n\n", " ", "\n# remark\n"]));
    while cases.is_empty() || !draw.is_over() && cases.len() < MOST_PUZZLES {
        let mut case = known[draw.below(known.len())].clone();
        // Removes some dominoes, and reverses and reorders others.
        while case.dominoes.len() > 1 && !draw.byte().is_multiple_of(8) && !draw.is_over() {
            let at = draw.below(case.dominoes.len());
            let mut domino = case.dominoes.remove(at);
            domino.cells.reverse();
            domino.digits.reverse();
            if draw.coin() {
                case.dominoes.push(domino);
            }
        }
        text += &format!("{}\n", case.dominoes.len());
        for Domino { cells, digits } in &case.dominoes {
            let [first, second] = cells.map(|cell| batchdoku::sudoku::cell_name(cell.into()));
            text += &[&digits[0].to_string(), &first, &digits[1].to_string(), &second]
                .map(String::as_str)
                .join(within);
            text += behind;
        }
        text += &(case.singles.map(|cell| batchdoku::sudoku::cell_name(cell.into())).join(" ") + "\n");
        cases.push(case);
    }
    text += "0\n";
    Written { text, format: "cases", grids: Vec::new(), cases }
}

/// Returns the cell that a name such as `B3` stands for.
fn cell(name: &str) -> u8 {
    let [row, column] = name.as_bytes() else { panic!("{name}") };
    (row - b'A') * 9 + column - b'1'
}

fn digit(word: &str) -> u8 {
    word.parse().expect("a digit")
}
