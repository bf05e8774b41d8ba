use super::*;
use crate::input::reader::Sample;
use crate::input::testing::{Reading, read, read_in};
use crate::input::{MAX_LINE, ReadOptions};
use crate::record::Layout;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Two puzzles and their solutions.
const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
const HARD: &str = "1.3...5.9..21.94.....7.4...3..5.2..6.6.....5.7..8.3..4...4.1.....92.58..8.4...1.7";
const DONE: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// The reader for a dialect as it is typed.
fn units(dialect: &str) -> Units {
    let mut parts = dialect.split(',');
    let word = parts.next().unwrap();
    let framing = *Framing::ALL.iter().find(|framing| framing.word() == word).unwrap();
    let mut dialect = Dialect::of(framing);
    for part in parts {
        match part.split_once('=').unwrap() {
            ("blank", "space") => dialect.blank = Some(' '),
            ("blank", sign) => dialect.blank = sign.chars().next(),
            ("solution", _) => dialect.solution_below = Some(true),
            _ => dialect.bands = Some(true),
        }
    }
    Units::new(dialect)
}

/// A dialect as it is typed.
fn typed(dialect: &Dialect) -> String {
    let mut text = dialect.framing.word().to_owned();
    match dialect.blank {
        Some(' ') => text.push_str(",blank=space"),
        Some(blank) => text.extend([",blank=", &blank.to_string()]),
        None => {}
    }
    if dialect.bands == Some(true) {
        text.push_str(",bands=blank");
    }
    if dialect.solution_below == Some(true) {
        text.push_str(",solution=below");
    }
    text
}

/// A puzzle by its name in the tests.
fn named(text: &str) -> String {
    let names = [(EASY, "E"), (SOLVED, "S"), (HARD, "H"), (DONE, "D")];
    names
        .iter()
        .find(|(grid, _)| *grid == text)
        .map_or_else(|| text.to_owned(), |(_, name)| (*name).to_owned())
}

/// What a text gives: `LINE PUZZLE`, and `> CLAIM` if there is one, for each record; and at the end how many lines are
/// passed over.
fn shown(reading: &Reading) -> String {
    let mut lines: Vec<_> = reading
        .records
        .iter()
        .map(|record| {
            let claim =
                if record.claim.is_empty() { String::new() } else { format!(" > {}", named(&record.claim)) };
            format!("{} {}{claim}", record.line, named(&record.puzzle))
        })
        .collect();
    if reading.read.passed.lines > 0 {
        lines.push(format!("+{}", reading.read.passed.lines));
    }
    lines.join("; ")
}

/// A text in which `{X}` stands for the 81 characters of a grid, `[X]` for its nine lines, `[X2-5]` for some of them, and
/// `<X>` for 81 lines.
fn text_of(pattern: &str) -> String {
    let mut text = pattern.to_owned();
    for (name, grid) in [("E", EASY), ("S", SOLVED), ("H", HARD), ("D", DONE)] {
        let rows: Vec<_> = (0..9).map(|row| &grid[9 * row..9 * row + 9]).collect();
        text = text.replace(&format!("{{{name}}}"), grid).replace(&format!("[{name}]"), &rows.join("\n"));
        let cells: Vec<_> = grid.chars().map(String::from).collect();
        text = text.replace(&format!("<{name}>"), &cells.join("\n"));
        for first in 1..=9 {
            for last in first..=9 {
                text = text.replace(&format!("[{name}{first}-{last}]"), &rows[first - 1..last].join("\n"));
            }
        }
    }
    text
}

/// Asserts what texts give in a dialect; `|` stands for a line end.
fn assert_table(table: &[(&str, &str, &str)]) {
    let mut failed = Vec::new();
    for (dialect, pattern, expected) in table {
        let reader = units(dialect);
        for end in ["\n", "\r\n"] {
            let text = text_of(&pattern.replace('|', "\n")).replace('\n', end);
            let got = shown(&read(&reader, &text));
            if got != *expected {
                failed.push(format!("{dialect}: {pattern}\n  got {got}\n  not {expected}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn lists() {
    assert_table(&[
        ("line", "{E}|{H}", "1 E; 2 H"),
        ("line", "# a||{E}|---|{H}|", "3 E; 5 H"),
        ("line", "Puzzles|{E}||12345678|{H}|", "2 E; 5 H; +2"),
        ("line", "{E},{S},7.1|7;{H};x;{D}|", "1 E > S; 2 H > D"),
        ("line", "{E},{D}|{H} {E}|{H}{D}|", "1 E; 2 H; 3 3:82: 162 cells (expected 81); +1"),
        ("line", "{E}|{S}|{H}|{D}|", "1 E; 2 S; 3 H; 4 D"),
        (
            "line",
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..7|{E}",
            "1 1:81: 80 cells (expected 81); 2 E",
        ),
        ("line", "[H1-9]|{E}|", "10 E; +9"),
        ("line,solution=below", "{E}|{S}|{H}|{D}|{D}|", "1 E > S; 3 H > D; 5 D"),
        ("line,solution=below", "{E}||answer|{S}||{S}|{H}|{E}|{D}", "1 E > S; 6 S; 7 H; 8 E; 9 D; +1"),
        (
            "line,solution=below",
            "{E},{S}|{S}|{H}|12345678.12345678.12345678.12345678.12345678.|{D}|",
            "1 E > S; 2 S; 3 H; 4 4:46: 45 cells (expected 81); 5 D",
        ),
        ("line,solution=below", "{E}|", "1 E"),
    ]);
}

#[test]
fn grids() {
    assert_table(&[
        ("grid", "[E]|[H]|", "1 E; 10 H"),
        ("grid", "[E]||[H]||[S]", "1 E; 11 H; 21 S"),
        ("grid", "1|[E]|2|[H]|3|", "2 E; 12 H; +3"),
        ("grid", "# one|[E1-3]|# inside|[E4-9]|# two|[H]", "2 E; 13 H"),
        ("grid", "[E1-3]|---+---+---|[E4-6]|---+---+---|[E7-9]||[H]|", "1 E; 13 H"),
        ("grid", "=====|[E]|=====|[H]|=====|[S]|", "2 E; 12 H; 22 S"),
        ("grid", "+---+|[E1-3]|+---+|[E4-6]|+---+|[E7-9]|+---+|+---+|[H]|+---+", "2 E; 15 H"),
        ("grid", "---------|[E1-3]|---------|[E4-6]|---------|[E7-9]|---------", "2 E"),
        ("grid", "boards = [[|[E]|], [|[H]|]]|", "2 E; 12 H; +1"),
        ("grid", "Puzzle 1,,,,,,,,|[E]|,,,,,,,,|Puzzle 2,,,,,,,,|[H]|,,,,,,,,|", "2 E; 13 H; +2"),
        ("grid", "[E]|,,,,,,,,|[H]|,,,,,,,,|,,,,,,,,|[S]|,,,,,,,,|", "1 E; 11 H; 22 S"),
        ("grid", ",,,,,,,,|[E]|,,,,,,,,|[H]", "2 E; 12 H"),
        // A lost row costs its grid alone where something sets grids apart.
        ("grid", "[E]||[H1-8]||[S]|", "1 E; 11 11:1: cut-off grid: 8 rows (expected 9); 20 S"),
        ("grid", "[E]|x|[H1-8]|x|[S]|", "1 E; 11 11:1: cut-off grid: 8 rows (expected 9); 20 S; +2"),
        ("grid", "=====|[E1-8]|=====|[H]|=====|[S]|", "2 2:1: cut-off grid: 8 rows (expected 9); 11 H; 21 S"),
        // A ragged row costs its grid.
        ("grid", "[E]|[H1-8]|8.4...1.|[S]|", "1 E; 10 18:9: 8 cells (expected 9); 19 S"),
        // Nobody knows where grids begin.
        (
            "grid",
            "[E]|[H1-8]|[S]||[D]|",
            "1 1:1: 26 rows from here to line 26, column 1 (expected 9 for each puzzle: a blank line between grids helps); 28 D",
        ),
        ("grid", "53..7...||[E]", "1 1:9: 8 cells (expected 9); 3 E"),
        (
            "grid",
            "[E1-3]||[E4-6]||[E7-9]||[H]|",
            "1 1:1: cut-off grid: 3 rows (expected 9); 5 5:1: cut-off grid: 3 rows (expected 9); 9 9:1: cut-off grid: 3 rows (expected 9); 13 H",
        ),
        ("grid,bands=blank", "[E1-3]||[E4-6]||[E7-9]||[H1-3]||[H4-6]||[H7-9]|", "1 E; 13 H"),
        (
            "grid,bands=blank",
            "[E1-3]||[E4-6]||[E7-9]|||[H1-3]||[H4-6]||[H7-8]|||[D]",
            "1 E; 14 14:1: cut-off grid: 8 rows (expected 9); 26 D",
        ),
        ("grid,bands=blank", "t|[E1-3]||[E4-6]||[E7-9]||t|[H1-3]||[H4-6]||[H7-9]|", "2 E; 15 H; +2"),
        ("grid,solution=below", "[E]|[S]|[H]||[D]||[D]|", "1 E > S; 19 H > D; 39 D"),
        ("grid,solution=below", "[E]||solution|[S]|[H]||[E]||[E]", "1 E > S; 21 H; 31 E; 41 E; +1"),
        (
            "grid,solution=below",
            "[E]||[S]|[H1-8]||[H]|",
            "1 E; 11 11:1: 17 rows from here to line 27, column 1 (expected 9 for each puzzle: a blank line between grids helps); 29 H",
        ),
        (
            "grid",
            "    1 2 3   4 5 6   7 8 9|  +---+|[E1-3]|  +---+|[E4-6]|  +---+|[E7-9]|  +---+||[H]",
            "3 E; 16 H",
        ),
    ]);
}

#[test]
fn single_cells() {
    assert_table(&[
        ("cell", "<E>|<H>|", "1 E; 82 H"),
        ("cell", "# one|<E>||two|<H>", "2 E; 85 H; +1"),
        ("cell", "1|2|||<E>|", "1 1:1: 2 cells (expected 81); 5 E"),
        ("cell", "[|<E>|]|[|<H>|]", "2 E; 85 H"),
    ]);
}

#[test]
fn a_border_after_each_row_is_part_of_the_frame() {
    let line = "+---+---+---+---+---+---+---+---+---+";
    let framed = |grid: &str| {
        let rows = grid.as_bytes().chunks(9).map(|row| {
            let cells: Vec<_> =
                row.iter().map(|&cell| char::from(cell).to_string().replace('.', " ")).collect();
            format!("| {} |\n{line}\n", cells.join(" | "))
        });
        format!("{line}\n{}", rows.collect::<String>())
    };
    for between in ["", "\n", "Puzzle\n"] {
        let text = [EASY, HARD, SOLVED].map(framed).join(between);
        assert_eq!(read(&units("grid"), &text).puzzles(), [EASY, HARD, SOLVED]);
    }
}

#[test]
fn dashes_are_blanks_among_dashes_and_a_border_among_dots() {
    let puzzle = EASY.replacen("6..195...", ".........", 1);
    let rows = |blank: &str| {
        let rows: Vec<_> = (0..9).map(|row| puzzle[9 * row..9 * row + 9].replace('.', blank)).collect();
        rows.join("\n") + "\n"
    };
    assert_eq!(read(&units("grid"), rows("-")).puzzles(), [&puzzle]);
    let between = format!("{}---------\n{}", rows("."), rows("0"));
    assert_eq!(read(&units("grid"), between).puzzles(), [&puzzle, &puzzle]);
}

#[test]
fn rows_of_blanks_are_rows_in_any_frame() {
    let empty = ".".repeat(81);
    let one_row = format!("{}..3.5....{}", &empty[..36], &empty[..36]);
    let full_rows = format!("123456789{}456789123{}", &empty[..36], &empty[..27]);
    let grids = [&empty, &one_row, EASY, &full_rows, &empty, SOLVED];
    for (border, before, cell, between, behind) in [
        ("---+---+---", "", " ", "| ", ""),
        ("______|_______|______", "", " ", "| ", ""),
        ("+---+---+---+", "|", "", "|", "|"),
        ("___________", "", "", "|", ""),
        ("*-----------*", "|", "", "|", "|"),
    ] {
        for blank in ["_", "*"] {
            for apart in ["\n", "Puzzle\n"] {
                let framed = |grid: &&str| {
                    let rows = grid.as_bytes().chunks(9).enumerate().map(|(number, row)| {
                        let boxes: Vec<_> = row
                            .chunks(3)
                            .map(|part| {
                                part.iter().fold(String::new(), |text, &it| {
                                    text + &char::from(it).to_string() + cell
                                })
                            })
                            .collect();
                        let border = if number % 3 == 0 { format!("{border}\n") } else { String::new() };
                        format!("{border}{before}{}{behind}\n", boxes.join(between).replace('.', blank))
                    });
                    rows.collect::<String>()
                };
                let text = grids.iter().map(framed).collect::<Vec<_>>().join(apart);
                assert_eq!(read(&units("grid"), &text).puzzles(), grids, "{text}");
            }
        }
    }
    // Bare, and beside each other.
    for blank in ["_", "*", "-"] {
        let rows = grids.map(|grid| {
            grid.as_bytes()
                .chunks(9)
                .fold(String::new(), |text, row| text + &String::from_utf8_lossy(row) + "\n")
        });
        assert_eq!(read(&units("grid"), rows.join("\n").replace('.', blank)).puzzles(), grids);
    }
    let lined = "[S1-3]\n---------\n[S4-6]\n---------\n[S7-9]\n\nPuzzle 12\n---------\n\n[E]";
    assert_eq!(shown(&read(&units("grid"), text_of(lined))), "1 S; 16 E; +1");
}

#[test]
fn an_odd_blank_is_one_in_each_framing() {
    assert_table(&[
        (
            "line,blank=:",
            "53::7::::6::195::::98::::6:8:::6:::34::8:3::17:::2:::6:6::::28::::419::5::::8::79|",
            "1 E",
        ),
        (
            "grid,blank=space",
            "53  7|6  195| 98    6|8   6   3|4  8 3  1|7   2   6| 6    28|   419  5|    8  79||[S]|",
            "1 E; 11 S",
        ),
    ]);
}

#[test]
fn a_line_that_is_too_long_is_a_record() {
    let text = format!("{}\n{EASY}\n", "x".repeat(MAX_LINE + 1));
    let expected = format!("1 1:{}: line longer than 1 MiB; 2 E", MAX_LINE + 1);
    let block = Block { bytes: text.as_bytes(), state: &State::default(), is_last: true };
    let mut records = Records::default();
    units("line").read(&block, Want::default(), &mut records);
    let fault = records.faults().get(0).unwrap();
    assert_eq!(
        format!(
            "1 1:{}: {}; 2 {}",
            fault.place.unwrap().column,
            fault.reason(),
            named(&records.puzzles()[1].to_string())
        ),
        expected
    );
}

#[test]
fn each_cell_has_its_place() {
    for (dialect, pattern) in [
        ("line", "x {E},{S}"),
        ("line,solution=below", "{E}||{S}"),
        ("grid", "[E]"),
        ("grid,solution=below", "[E1-3]|---+---|[E4-9]|solution|[S]"),
        ("grid,bands=blank", "[E1-3]||[E4-6]||[E7-9]"),
        ("cell", "<E>"),
    ] {
        let (reader, text) = (units(dialect), text_of(&pattern.replace('|', "\n")));
        let reading = read(&reader, &text);
        let [record] = &*reading.records else { panic!("{dialect}: one record") };
        let lines: Vec<_> = text.lines().collect();
        for (which, grid) in [(Which::Puzzle, EASY), (Which::Claim, &*record.claim)] {
            for (cell, sign) in grid.bytes().enumerate() {
                let place = reader.place(record.line, record.text.as_bytes(), cell, which);
                let (line, column) =
                    (usize::try_from(place.line).unwrap(), usize::try_from(place.column).unwrap());
                assert_eq!(lines[line - 1].as_bytes()[column - 1], sign, "{dialect} {which:?} {cell}");
            }
        }
        let claim = reader.claim_text(record.text.as_bytes());
        assert_eq!(claim.unwrap_or_default(), record.claim.as_bytes(), "{dialect}");
    }
}

#[test]
fn a_stretch_too_long_to_hold_is_read_as_it_comes() {
    let grids = |count: usize, grid: &str| format!("{}|", text_of(grid)).repeat(count).replace('|', "\n");
    for (dialect, puzzle) in
        [("grid", "[E]"), ("grid,bands=blank", "[E1-3]||[E4-6]||[E7-9]|"), ("cell", "<E>")]
    {
        let rest = text_of(puzzle).lines().next().unwrap().to_owned();
        let text = format!("title\n{}{rest}\n\n\ntitle\n{}", grids(60, puzzle), grids(3, puzzle));
        let reading = read(&units(dialect), &text);
        assert_eq!(reading.records.len(), 64, "{dialect}");
        for (row, record) in reading.records.iter().enumerate() {
            if row == 60 {
                assert!(record.puzzle.ends_with("1 row left of those that nothing sets apart: the grids above are in doubt (expected a blank line between grids)"), "{}", record.puzzle);
            } else {
                assert_eq!(record.puzzle, EASY);
            }
        }
    }
    let text = grids(40, "[E]|[S]");
    assert_eq!(read(&units("grid,solution=below"), &text).claims(), [SOLVED; 40]);
}

/// Whatever line is lost or doubled: no grid is given that does not stand in the file, and where something sets grids
/// apart, all others are given.
#[test]
fn a_damage_makes_up_no_grid() {
    let framed = "+---+|[1-3]|+---+|[4-6]|+---+|[7-9]|+---+|";
    for (dialect, grid, apart) in [
        ("line", "{}|", true),
        ("grid", "[1-9]||", true),
        ("grid", "Puzzle|[1-9]|", true),
        ("grid", "[|[1-9]|],|", true),
        ("grid", "# 7|[1-9]|", true),
        ("grid", framed, true),
        (
            "grid",
            &framed.replace("|+---+|[1", "|[1").replace("+---+|[1", "[1").replace("9]|+---+|", "9]||"),
            true,
        ),
        ("grid", "=====|[1-9]|", true),
        ("grid", "[1-9]|", false),
        ("grid,bands=blank", "[1-3]||[4-6]||[7-9]||", false),
        ("grid,bands=blank", "[1-3]||[4-6]||[7-9]|||", true),
        ("grid,solution=below", "[1-9]||", true),
    ] {
        let grids = [("E", EASY), ("H", HARD), ("S", SOLVED), ("H", HARD), ("D", DONE), ("E", EASY)];
        let text: String = grids
            .iter()
            .map(|(name, _)| {
                text_of(&grid.replace('[', &format!("[{name}")).replace("{}", &format!("{{{name}}}")))
            })
            .collect();
        let text = text.replace("[E|", "[|").replace("[H|", "[|").replace("[S|", "[|").replace("[D|", "[|");
        let text = text.replace('|', "\n");
        let lines: Vec<_> = text.lines().collect();
        let reader = units(dialect);
        for (damaged, copies) in (0..lines.len()).flat_map(|line| [(line, 0), (line, 2)]) {
            let lines = lines.iter().enumerate();
            let left: Vec<_> =
                lines.flat_map(|(at, line)| vec![*line; if at == damaged { copies } else { 1 }]).collect();
            let text = left.join("\n");
            let reading = read_in(&reader, text.as_bytes(), text.len());
            let found = |grid: &str| {
                reading.records.iter().filter(|record| record.puzzle == grid || record.claim == grid).count()
            };
            let good = reading.records.iter().filter(|record| !record.puzzle.contains(':'));
            for record in good {
                assert!(
                    grids.iter().any(|(_, grid)| record.puzzle == *grid),
                    "{dialect} {grid}: line {damaged}"
                );
            }
            let all: usize = [EASY, HARD, SOLVED, DONE].iter().map(|grid| found(grid)).sum();
            assert!(!apart || all >= 4, "{dialect} {grid}: {all} with line {damaged} {copies} times\n{text}");
        }
    }
}

#[test]
fn layouts() {
    for (text, layout) in [
        ("53..7....", Layout::Rows),
        ("5 3 . . 7 . . . .", Layout::SpacedRows),
        ("5,3,,,7,,,,", Layout::SpacedRows),
        ("{ 5, 3, 0, 0, 7, 0, 0, 0, 0 },", Layout::SpacedRows),
        ("5 3 -1 -1 7 -1 -1 -1 -1", Layout::SpacedRows),
        ("5 3 . | . 7 . | . . .", Layout::Rows),
        ("|53.|.7.|...|", Layout::Rows),
        ("\"53..7....\",", Layout::Rows),
    ] {
        assert_eq!(units("grid").layout(text.as_bytes()), layout, "{text}");
    }
}

#[test]
fn a_sample_gives_reasons_for_candidates() {
    for (pattern, expected) in [
        ("{E}|{H}", "line"),
        ("{E}|{S}|{H}|{D}", "line,solution=below line"),
        ("[H]||{E}|[H]", "line grid"),
        ("12345", "grid"),
        ("[E]||[H]", "grid"),
        ("[E]||[S]", "grid,solution=below grid"),
        ("[E1-3]||[E4-6]||[E7-9]||[H1-3]||[H4-6]||[H7-9]", "grid,bands=blank grid"),
        ("<E>|<H>", "cell"),
        ("53::7::::6::195::::98::::6:8:::6:::34::8:3::17:::2:::6:6::::28::::419::5::::8::79", "line,blank=:"),
        (
            "53::7::::|6::195:::|:98::::6:|8:::6:::3|4::8:3::1|7:::2:::6|:6::::28:|:::419::5|::::8::79|",
            "grid,blank=:",
        ),
        (
            "53  7|6  195| 98    6|8   6   3|4  8 3  1|7   2   6| 6    28|   419  5|    8  79",
            "grid grid,blank=space",
        ),
        ("Some words, 12 of them|and more", ""),
    ] {
        let text = text_of(&pattern.replace('|', "\n"));
        let options = ReadOptions::default();
        let sample = Sample { name: "x", bytes: text.as_bytes(), is_whole: true, options: &options };
        let found = |told: Option<&Dialect>| {
            candidates(&sample, told).into_iter().map(|it| typed(&it.unwrap().dialect())).collect::<Vec<_>>()
        };
        assert_eq!(found(None).join(" "), expected, "{pattern}");
        let told = Dialect::of(Framing::Line);
        assert!(found(Some(&told)).contains(&"line".to_owned()));
    }
}

/// The folder of the program.
fn root() -> PathBuf {
    Path::new(file!()).ancestors().nth(5).expect("it is there").to_owned()
}

/// Each record of a golden text is that of the table.
#[test]
fn golden_texts() {
    let file = |name: &str| std::fs::read_to_string(root().join(name)).unwrap().replace('\u{feff}', "");
    let puzzle_of = |name: &str| {
        file(&format!("data/judge/{name}.in")).replace(char::is_whitespace, "").replace('0', ".")
    };
    let puzzles = BTreeMap::from(["boj2239", "boj2580"].map(|name| (name, puzzle_of(name))));
    let table = file("tests/golden.csv");
    let mut golden = BTreeMap::<&str, Vec<Vec<&str>>>::new();
    for record in table.lines().skip(1).filter(|record| *record < "09" || *record > "1" && *record < "13") {
        let fields: Vec<_> = record.split(',').collect();
        golden.entry(fields[0]).or_default().push(fields[1..].to_vec());
    }
    for (name, expected) in golden {
        let dialect = match &name[..name.find('.').unwrap()] {
            "01-line-odd-blank" => "line,blank=:",
            "01-line-pairs" | "01-line-fields" | "01-line-mysql" | "01-line-psql" => "line,solution=below",
            "03-grid-odd-blank" => "grid,blank=:",
            "03-grid-wide" => "grid,blank=．",
            "03-grid-spaces" => "grid,blank=space",
            "03-grid-pairs" | "08-sdk" => "grid,solution=below",
            "12-cells-on-lines" => "cell",
            name if !("03".."09").contains(&name) => "line",
            _ => "grid",
        };
        let (reader, text) = (units(dialect), file(&format!("tests/golden/{name}")));
        let reading = read(&reader, &text);
        let got: Vec<_> = reading.records.iter().map(|it| format!("{} {}", it.line, it.puzzle)).collect();
        let wanted: Vec<_> = expected.iter().map(|it| format!("{} {}", it[0], puzzles[it[1]])).collect();
        assert_eq!(got, wanted, "{name}");
        let mut records = Records::default();
        let block = Block { bytes: text.as_bytes(), state: &State::default(), is_last: true };
        reader.read(&block, Want::default(), &mut records);
        for (record, layout) in expected.iter().zip(records.layouts()) {
            let word = match layout {
                Layout::Rows => "grid",
                Layout::SpacedRows => "spaced",
                _ => "line",
            };
            assert_eq!(word, record[2], "{name}:{}", record[0]);
        }
        // The dialect is one of those that the text gives a reason for.
        let sample =
            Sample { name, bytes: text.as_bytes(), is_whole: true, options: &ReadOptions::default() };
        let found: Vec<_> =
            candidates(&sample, None).into_iter().map(|it| typed(&it.unwrap().dialect())).collect();
        assert!(found.contains(&dialect.to_owned()) && found.len() < 9, "{name}: {found:?}");
    }
}

/// Wherever a line of a frame with numbers of rows and columns is cut, no grid is given that does not stand in the file.
#[test]
fn a_cut_line_of_a_frame_with_numbers_makes_up_no_grid() {
    let text = std::fs::read_to_string(root().join("tests/golden/07-frame-numbers.txt")).unwrap();
    let reader = units("grid");
    let whole = read_in(&reader, text.as_bytes(), text.len());
    let lines: Vec<_> = text.lines().collect();
    let mut wrong = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for cut in 0..line.len() {
            let mut damaged = lines.clone();
            damaged[at] = &line[..cut];
            let damaged = damaged.join("\n");
            let reading = read_in(&reader, damaged.as_bytes(), damaged.len());
            let is_made_up = |puzzle: &&str| puzzle.len() == 81 && !whole.puzzles().contains(puzzle);
            if let Some(puzzle) = reading.puzzles().into_iter().find(is_made_up) {
                wrong.push(format!("{}:{cut} {puzzle} {}", at + 1, shown(&reading)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
