use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::input::testing::{PUZZLE, dotted, drain, open, places, read, read_as, rows};
use crate::input::{FormatChoice, ReadOptions};

fn show(text: impl AsRef<[u8]>) -> Vec<String> {
    read(text.as_ref()).show()
}

fn row(i: usize) -> &'static str {
    &PUZZLE[i * 9..i * 9 + 9]
}

/// The puzzle with each row written by `write`, and something after each third row.
fn framed(border: &str, write: impl Fn(&str) -> String) -> String {
    let bands = (0..3).map(|band| (0..3).map(|i| write(row(band * 3 + i)) + "\n").collect::<String>());
    let bands: Vec<String> = bands.collect();
    format!("{border}\n{}{border}\n{}{border}\n{}{border}\n", bands[0], bands[1], bands[2])
}

fn boxes(row: &str) -> [&str; 3] {
    [&row[..3], &row[3..6], &row[6..]]
}

fn apart(text: &str) -> String {
    text.chars().map(String::from).collect::<Vec<_>>().join(" ")
}

/// Once such a row was taken for a title or a count, and every grid was read one row too late.
#[test]
fn a_bad_first_row_that_looks_like_a_title_or_a_count_costs_one_grid() {
    for bad in ["hello", "abc456789", "OOO0O0012", "103000"] {
        for grids in [1, 4] {
            let shown = show(rows().repeat(grids).replacen(row(0), bad, 1));
            assert!(shown[0].starts_with("1:"), "{bad}: {shown:?}");
            assert_eq!(shown[1..], vec![dotted(); grids - 1], "{bad}");
        }
        // More rows than are looked at: then it is the clues that tell.
        let solution = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";
        let puzzle = solution.replace('1', ".");
        let grid: String = (0..9).map(|i| format!("{}\n", &puzzle[9 * i..9 * i + 9])).collect();
        let shown = show(grid.repeat(1500).replacen(&puzzle[..9], bad, 1));
        assert!(shown[0].starts_with("1:"), "{bad}: {}", shown[0]);
        assert_eq!(shown[1..], vec![puzzle; 1499], "{bad}");
    }
    // A real title or count keeps its meaning, however many grids follow without a gap.
    for (head, grids) in [("hello", 4), ("103000", 4), ("hello", 1500), ("1500", 1500)] {
        assert_eq!(show(format!("{head}\n{}", rows().repeat(grids))), vec![dotted(); grids], "{head}");
    }
}

/// Once the title was taken for a row, since one more grid was looked at of the reading that was right.
#[test]
fn a_title_stays_one_above_grids_whose_clues_clash() {
    let clashing = rows().replacen("103", "113", 1);
    let shown = show(format!("hello\n{}", clashing.repeat(1500)));
    assert_eq!(shown, vec![dotted().replacen("1.3", "113", 1); 1500]);
}

#[test]
fn bare_and_spaced_grids() {
    let bare = read(rows().as_bytes());
    assert_eq!((bare.show(), bare.records[0].layout), (vec![dotted()], Layout::Rows));
    for separator in [" ", "\t", ",", ", ", ";", "  "] {
        let text: String = (0..9).map(|i| apart(row(i)).replace(' ', separator) + "\r\n").collect();
        let reading = read(text.as_bytes());
        assert_eq!(reading.show(), [dotted()], "{separator:?}");
        assert_eq!(reading.records[0].layout, Layout::SpacedRows);
    }
    let groups: String = (0..9).map(|i| boxes(row(i)).join(" ") + "\n").collect();
    let reading = read(groups.as_bytes());
    assert_eq!((reading.show(), reading.records[0].layout), (vec![dotted()], Layout::Rows));
}

#[test]
fn rows_as_lists_and_programs_write_them() {
    let of = |write: &dyn Fn(&str) -> String| (0..9).map(|i| write(row(i)) + "\n").collect::<String>();
    let bars = of(&|row| format!("|{}|.", apart(row).replace(' ', "|").replace('0', " ")));
    for text in [
        of(&|row| format!("  - {}", row.replace('0', "."))),
        format!("GRID = \"\"\"{}\"\"\"\n", of(&apart).trim_end()),
        format!("=> {}", rows()),
        of(&|row| format!("> {row}")),
        format!("M0 = [{}];\n", of(&|row| apart(row) + "; ...").trim_end_matches("; ...\n")),
        format!(
            "p <- matrix(c(\n{}), 9, 9, byrow=TRUE)\n",
            of(&|row| apart(row).replace(' ', ", ")).replace('0', "NA").trim_end()
        ),
        format!(
            "let p = [|{}|]\n",
            of(&|row| format!("[|{}|];", apart(row).replace(' ', ";"))).trim_end_matches(";\n")
        ),
        format!("\\begin{{sudoku}}\n{bars}\\end{{sudoku}}\n"),
        format!("(setf board\n  #({}))\n", of(&apart).trim_end()),
    ] {
        assert_eq!(show(&text), [dotted()], "{text}");
    }
    // Ten cells are no row with a bullet.
    assert!(!show(rows().replacen(row(4), &format!("- {}", apart(row(4))), 1)).contains(&dotted()));
}

#[test]
fn a_board_of_two_marks_is_no_puzzle() {
    let board = "..*......\n".repeat(9);
    assert!(open(board.as_bytes(), &ReadOptions::default()).is_err());
    let shown = show(format!("{0}\n{board}\n{0}", rows().replacen('0', "*", 1).replacen('0', ".", 1)));
    assert!(shown.len() == 3 && shown[1].starts_with("11:1: 81 blanks"), "{shown:?}");
}

#[test]
fn a_line_of_81_cells_among_grids_is_no_title() {
    for line in [dotted(), format!("NAME = \"{}\";", dotted())] {
        let shown = show(format!("{line}\n{0}\n{0}", rows()));
        let column = line.find(&dotted()).expect("the cells") + 10;
        assert_eq!(shown, [format!("1:{column}: 81 cells (expected 9)"), dotted(), dotted()], "{line}");
    }
    let lists = rows().trim_end().split('\n').map(|row| cells(row, ",", "0")).collect::<Vec<_>>().join("],[");
    for line in [format!("NAME = \"{}\";", &dotted()[1..]), format!("grid = [[{lists}]]")] {
        let shown = show(format!("{line}\n{0}\n{0}{line}\n", rows()));
        assert!(shown.len() == 4 && shown[0].starts_with("1:") && shown[3].starts_with("21:"), "{shown:?}");
        assert_eq!(shown[1..3], vec![dotted(); 2]);
    }
}

#[test]
fn lists_beside_grids_are_read() {
    for line in [dotted(), format!("NAME = \"{}\";", dotted())] {
        let list = format!("{line}\n").repeat(4);
        let column = line.find(&dotted()).expect("the cells") as u64 + 1;
        for (text, at) in [
            (format!("{list}\n{0}\n{0}", rows()), 0),
            (format!("{list}{0}{0}", rows()), 0),
            (format!("{0}{list}\n{0}", rows()), 1),
            (format!("{0}\n{0}\n{list}", rows()), 2),
        ] {
            for target in [1, 200, 1 << 16] {
                let reading = drain(open(text.as_bytes(), &ReadOptions::default()).expect("both"), target);
                assert_eq!(reading.show(), vec![dotted(); 6], "{text}");
                assert_eq!(reading.records[at].layout, Layout::Line);
                let first = places(text.as_bytes())[at][0];
                assert_eq!(first, Place { line: reading.records[at].line, column });
            }
            let shown = show(text.replacen(&dotted(), &dotted()[1..], 1));
            assert_eq!(shown.iter().filter(|shown| **shown == dotted()).count(), 5, "{shown:?}");
            let shown = show(text.replacen(&dotted(), &format!("{0},{0}", dotted()), 1));
            assert_eq!(
                (shown.len(), shown.iter().filter(|shown| **shown == dotted()).count()),
                (6, 5),
                "{shown:?}"
            );
        }
    }
}

#[test]
fn as_many_lines_of_81_cells_as_grids_are_puzzles() {
    for (lines, grids) in [(1, 1), (2, 1), (2, 2)] {
        for between in ["", "\n"] {
            let (lines, grids) =
                (format!("{}\n", dotted()).repeat(lines), format!("{}\n", rows()).repeat(grids));
            for text in [format!("{lines}{between}{grids}"), format!("{grids}{between}{lines}")] {
                let count = text.matches(&dotted()).count() + grids.matches(&rows()).count();
                assert_eq!(show(&text), vec![dotted(); count], "{text}");
            }
        }
    }
}

#[test]
fn what_carriage_returns_join_is_told() {
    let joined = rows().trim_end().replace('\n', "\r");
    for (joined, at) in
        [(joined.clone(), 10), (format!("# A\r{joined}"), 4), (format!("Grid 2\r{joined}"), 7)]
    {
        let text = format!("{0}\n{joined}\n\n{0}", rows());
        // Behind the start of a file that has none.
        let shown = show(format!("{0}{1}\n{joined}\n\n{0}", rows(), "#\n".repeat(40_000)));
        assert!(shown.len() == 3 && shown[0] == dotted() && shown[2] == dotted(), "{shown:?}");
        assert!(shown[1].starts_with("40011:"), "{at}: {}", shown[1]);
        assert_eq!(show(&text), vec![dotted(); 3], "{text:?}");
    }
}

/// Once each line of such a notebook was an invalid record.
#[test]
fn the_lines_of_a_program_are_no_records_but_for_damaged_rows() {
    let code =
        "import sys\n\ndef solve(x, y):\n    for i in range(9):\n        print(x, i)\n    return x\n\n"
            .repeat(5);
    let text = format!("{code}board = [\n{0}]\n{code}board = [\n{0}]\n{code}", rows());
    assert_eq!(show(&text), [dotted(), dotted()]);
    // Nine blank rows are what it begins with.
    let initial = format!("grid = [\n{}]\n{code}", "    [0, 0, 0, 0, 0, 0, 0, 0, 0],\n".repeat(9));
    assert_eq!(show(format!("{code}{initial}board = [\n{}]\n{code}", rows())), [dotted()]);
    assert!(open(format!("{code}{initial}").as_bytes(), &ReadOptions::default()).is_err());
    let shown = show(text.replacen(row(4), &row(4)[1..], 1));
    assert!(shown.len() == 2 && shown[0].starts_with("41:") && shown[1] == dotted(), "{shown:?}");
}

#[test]
fn a_complete_grid_below_each_puzzle_that_fits_is_its_solution() {
    let solved = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";
    let grid = |cells: &str| (0..9).map(|i| format!("{}\n", &cells[9 * i..9 * i + 9])).collect::<String>();
    let puzzle = |blank: char| solved.replace(blank, ".");
    let line = |cells: &str| format!("{cells}\n");
    let pair = |blank: char, between: &str| format!("{}{between}{}", grid(&puzzle(blank)), grid(solved));
    for (between, behind) in
        [("\n", "\n"), ("", ""), ("", "\n"), ("------\n", "======\n"), ("\nThe other\n", "\n")]
    {
        let text: String = "123456".chars().map(|blank| pair(blank, between) + behind).collect();
        for target in [1, 300, 1 << 16] {
            let reading = drain(open(text.as_bytes(), &ReadOptions::default()).expect("grids"), target);
            assert_eq!(reading.show(), "123456".chars().map(puzzle).collect::<Vec<_>>(), "{text}");
            assert_eq!(reading.claims(), vec![solved; 6], "{text}");
        }
    }
    // Of a puzzle as a line, too.
    let text: String = "1234".chars().map(|blank| line(&puzzle(blank)) + &grid(solved) + "\n").collect();
    assert_eq!(read(text.as_bytes()).claims(), vec![solved; 4]);
    // A grid less or twice costs no other pair.
    let text: String = "123456".chars().map(|blank| pair(blank, "\n") + "\n").collect();
    let grids: Vec<&str> = text.split("\n\n").filter(|grid| !grid.is_empty()).collect();
    for lost in 0..grids.len() {
        for grids in
            [[&grids[..lost], &grids[lost + 1..]].concat(), [&grids[..=lost], &grids[lost..]].concat()]
        {
            let reading = read((grids.join("\n\n") + "\n").as_bytes());
            let claimed = reading.claims().iter().filter(|claim| *claim == solved).count();
            let expected = if grids.len() < 12 { (6, 5) } else { (7, 6) };
            assert_eq!((reading.records.len(), claimed), expected, "{lost}");
        }
    }
    let other = solved.replace('1', "x").replace('2', "1").replace('x', "2");
    let text = format!("{}\n{}\n", grid(&puzzle('1')), grid(&other)).repeat(3);
    assert_eq!(read(text.as_bytes()).claims(), vec!["missing"; 6], "solutions of others");
    assert_eq!(read(pair('1', "\n").as_bytes()).claims(), vec!["missing"; 2], "one may be by chance");
}

#[test]
fn a_grid_below_a_puzzle_that_says_so_is_its_solution() {
    let solved = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";
    let puzzle = solved.replace('1', ".");
    let grid = |cells: &str| (0..9).map(|i| format!("{}\n", &cells[9 * i..9 * i + 9])).collect::<String>();
    for [title, between] in
        [["Puzzle 1\n", "\nSolution\n"], ["", "Solution:\n"], ["Quiz:\n", "\n# the answer\n\n"]]
    {
        let text = format!("{title}{}{between}{}\n", grid(&puzzle), grid(solved)).repeat(3);
        for target in [1, 300, 1 << 16] {
            let reading = drain(open(text.as_bytes(), &ReadOptions::default()).expect("grids"), target);
            assert_eq!(reading.show(), vec![puzzle.clone(); 3], "{text}");
            assert_eq!(reading.claims(), vec![solved; 3], "{text}");
        }
    }
    // That of another puzzle is none.
    let other = solved.replace('1', "x").replace('2', "1").replace('x', "2");
    let shown = show(format!("{}\nSolution\n{}", rows(), grid(&other)));
    assert_eq!(shown, [dotted(), other]);
}

#[test]
fn grids_follow_each_other_with_or_without_blank_lines() {
    let rows = rows();
    for between in ["", "\n", "\r\n \n", "# remark\n", "\n\n\n"] {
        let text = format!("{rows}{between}{rows}{between}{}", rows.trim_end());
        let reading = read(text.as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 3], "{between:?}");
        let step = 9 + between.matches('\n').count() as u64;
        let lines: Vec<u64> = reading.records.iter().map(|record| record.line).collect();
        assert_eq!(lines, [1, 1 + step, 1 + 2 * step]);
    }
}

#[test]
fn grids_with_a_blank_line_behind_every_row() {
    let spaced = rows().replace('\n', "\n\n");
    for between in ["", "\n", "\n\n", "// Sudoku 2\n\n", "Grid 02\n", "-----\n\n"] {
        let text = format!("{spaced}{between}{spaced}{between}{spaced}");
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            assert_eq!(show(&text), vec![dotted(); 3], "{text:?}");
        }
        let lost = text.replacen(&format!("{}\n\n", row(4)), "", 1);
        assert!(show(&lost).iter().filter(|shown| **shown == dotted()).count() >= 1, "{lost:?}");
    }
}

#[test]
fn counted_grids() {
    let rows = rows();
    for between in ["", "\n"] {
        let reading = read(format!("2\n{between}{rows}{between}{rows}").as_bytes());
        assert_eq!((reading.show(), reading.notes.len()), (vec![dotted(); 2], 0));
        let reading = read(format!("5\n{rows}{between}{rows}").as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 2]);
        assert_eq!(reading.notes, ["test: the count line promises 5 records, 2 came"]);
        // A row lost below it is none of its own.
        let reading = read(format!("2\n{between}{}{between}{rows}", &rows[10..]).as_bytes());
        let lines: Vec<u64> = reading.records.iter().map(|record| record.line).collect();
        assert_eq!(lines, if between.is_empty() { [2, 10] } else { [3, 12] }, "{:?}", reading.show());
        assert_eq!((&*reading.show()[1], reading.notes.len()), (&*dotted(), 0));
    }
}

#[test]
fn titled_grids() {
    let rows = rows();
    let pairs = [
        ("Grid 01", "Grid 02"),
        ("Puzzle 1:", "Puzzle 2:"),
        ("SUDOKU #1 (easy)", "SUDOKU #2 (hard)"),
        ("No. 5", "No. 6"),
        ("Tough one by Bob", "An easy one"),
        ("Level 3", ""),
    ];
    for (first, second) in pairs {
        let reading = read(format!("{first}\n{rows}{second}\n{rows}").as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 2], "{first}");
        assert_eq!(reading.records[1].line, 12);
    }
}

#[test]
fn framed_grids() {
    let bars = |row: &str| format!("|{}|", boxes(row).join("|"));
    let spaced_bars = |row: &str| format!("| {} |", boxes(row).map(apart).join(" | "));
    let inner = |row: &str| format!(" {}", boxes(row).map(apart).join(" | "));
    let table: Vec<(&str, String)> = vec![
        ("simple", framed("+---+---+---+", bars)),
        ("star", framed("*-----------*", bars)),
        ("star with joints", framed(" *---+---+---*", |row| format!(" {}", bars(row)))),
        ("bar with joints", framed("|---+---+---|", bars)),
        ("dots", framed(".---.---.---.", bars)),
        ("colons", framed(":---+---+---:", bars)),
        ("spaced", framed("+-------+-------+-------+", spaced_bars)),
        ("spaced border", framed("+ - - - + - - - + - - - +", spaced_bars)),
        ("equals", framed("=========================", spaced_bars)),
        ("inner", framed("------+-------+------", inner)),
        ("qqwing", framed("-------|-------|-------", inner)),
        ("dashes", framed("-----------", |row| boxes(row).join("|"))),
        ("bar border", framed("---|---|---", |row| boxes(row).join("|"))),
        ("unicode", framed("├───┼───┼───┤", |row| format!("│{}│", boxes(row).join("│")))),
        (
            "double",
            framed("╠═══════╬═══════╬═══════╣", |row| {
                format!("║ {} ║", boxes(row).map(apart).join(" ║ "))
            }),
        ),
        ("only outer bars", framed("+---------+", |row| format!("|{row}|"))),
        ("every cell", framed("+-+-+-+-+-+-+-+-+-+", |row| format!("|{}|", apart(row).replace(' ', "|")))),
        (
            "every cell, wide",
            framed(
                "╟───┼───┼───╫───┼───┼───╫───┼───┼───╢",
                |row| format!("║ {} ║", apart(row).replace(' ', " │ ")),
            ),
        ),
    ];
    for (name, text) in table {
        let dots = text.replace('0', ".");
        // Inside frames a blank can be a space.
        let spaces = text.replace('0', " ");
        for text in [&text, &dots, &spaces] {
            let twice = format!("{text}{text}\n{text}");
            let reading = read(twice.as_bytes());
            assert_eq!(reading.show(), vec![dotted(); 3], "{name}\n{text}");
            assert!(reading.records.iter().all(|record| record.layout == Layout::Rows), "{name}");
        }
    }
}

#[test]
fn borders_after_every_row() {
    let table: String =
        (0..9).map(|i| format!("| {} |\n+---+---+\n", apart(row(i)).replace(' ', " | "))).collect();
    assert_eq!(show(format!("+---+---+\n{table}\n+---+---+\n{table}")), vec![dotted(); 2]);
}

#[test]
fn nine_dashes_are_a_row_of_blanks() {
    let empty = "---------\n".repeat(9);
    assert_eq!(show(&empty), [".".repeat(81)]);
    let text = rows().replace(row(4), "---------").replace('0', "-");
    let expected = dotted().replace(&row(4).replace('0', "."), ".........");
    assert_eq!(show(text), [expected]);
    // Between bars it depends on what a blank is in the rest of the file.
    let mut lines: Vec<String> = (0..9).map(|i| boxes(row(i)).join("|").replace('0', "-")).collect();
    lines[4] = "---|---|---".to_owned();
    let expected = dotted().replace(&row(4).replace('0', "."), ".........");
    assert_eq!(show(lines.join("\n")), [expected]);
    // Beside labels and in quotes they are a border all the same, if dots are the blanks.
    for (before, after) in [("row7 ", ""), ("> ", ""), ("\"", "\",")] {
        let grid: String = (0..9).map(|i| format!("{before}{}{after}\n", row(i).replace('0', "."))).collect();
        for border in ["---------", "*********", "xxxxxxxxx"] {
            let borders = [format!("{border}\n"), format!("{before}{border}{after}\n")];
            for border in borders {
                assert_eq!(
                    show(format!("{grid}{border}{grid}{border}{grid}")),
                    vec![dotted(); 3],
                    "{border}"
                );
            }
        }
    }
}

/// What is a border elsewhere can be a row: nine blanks in groups, or too few of them to set anything apart.
#[test]
fn a_row_of_blanks_is_no_border() {
    let grouped: Vec<String> = (0..9).map(|i| boxes(row(i)).join(" ")).collect();
    let text = grouped.join("\n").replace(&grouped[4], "--- --- ---");
    assert_eq!(show(&text), ["5:1: border after row 4 (expected after rows 3 and 6)"], "blanks are 0");
    let expected = dotted().replace(&row(4).replace('0', "."), ".........");
    assert_eq!(show(text.replace('0', "-")), [expected]);
    let dashes = rows().replace('0', "-");
    let dashed_row = row(4).replace('0', "-");
    for (text, old, bad) in [
        (rows(), row(4), "--"),
        (rows(), row(4), "---..-"),
        (dashes.clone(), &dashed_row, "--------"),
        (dashes, &dashed_row, "----------"),
    ] {
        let shown = show(format!("{text}{}{text}", text.replace(old, bad)));
        let expected = format!("14:{}: {} cells (expected 9)", bad.len().min(9) + 1, bad.len());
        assert_eq!(shown, [dotted(), expected, dotted()], "{bad}");
    }
}

#[test]
fn sdk_files() {
    let text = format!("#A Somebody\n#D Made up\n[Puzzle]\n{}[State]\n{}", rows(), rows());
    let reading = read(text.as_bytes());
    assert_eq!((reading.show(), reading.records[0].line), (vec![dotted()], 4));
    let text = format!("[Puzzle]\n{}[State]\n{}[Puzzle]\n{}", rows(), rows(), rows());
    assert_eq!(show(text), vec![dotted(); 2]);
}

#[test]
fn blank_lines_between_bands() {
    let banded = framed("", str::to_owned).trim_start().to_owned();
    for between in ["", "\n", "Grid 02\n", "--------------------\n", "--next\n"] {
        let text = format!("{}{between}{}", banded.trim_start(), banded.trim_start());
        assert_eq!(show(&text), vec![dotted(); 2], "{between:?}");
        let text = text.replace(&format!("\n\n{between}"), &format!("\n{between}"));
        assert_eq!(show(&text), vec![dotted(); 2], "{between:?}");
    }
    // The first may have none.
    let titled = |grid: &str| format!("Grid 1\n{grid}\n");
    let text = titled(&rows()).repeat(2) + &titled(banded.trim_end()).repeat(4);
    assert_eq!(show(&text), vec![dotted(); 6]);
}

#[test]
fn a_wrong_band_costs_one_grid() {
    let banded = framed("", str::to_owned).trim_start().to_owned();
    let short = banded.replacen(&format!("{}\n", row(1)), "", 1);
    let long = banded.replacen(&format!("{}\n", row(1)), &format!("{}\n", row(1)).repeat(2), 1);
    assert_eq!(
        show(format!("{banded}{short}{banded}")),
        [dotted(), "23:1: cut-off grid: 8 rows (expected 9)".to_owned(), dotted()]
    );
    assert_eq!(
        show(format!("{banded}{long}{banded}")),
        [dotted(), "13:1: 10 rows (expected 9)".to_owned(), dotted()]
    );
}

/// Once such a row was taken for nine cells, and the program ended.
#[test]
fn a_control_character_within_a_row_costs_one_grid() {
    for control in ["\r", "\x0b", "\x0c"] {
        let bad = rows().replacen(row(6), &format!("{control}{}", &row(6)[1..]), 1);
        let middle = rows().replacen(row(6), &format!("{}{control}{}", &row(6)[..4], &row(6)[5..]), 1);
        for bad in [bad, middle] {
            let shown = show(format!("# \"\n{}{bad}{}", rows(), rows()));
            assert_eq!((&shown[0], &shown[2], shown.len()), (&dotted(), &dotted(), 3), "{control:?}");
            assert!(shown[1].starts_with("17:"), "{}", shown[1]);
        }
    }
}

#[test]
fn a_bad_row_costs_one_grid() {
    let table: [(&[u8], &str); 14] = [
        (b"12345678", "2:9: 8 cells (expected 9)"),
        (b"1", "2:2: 1 cell (expected 9)"),
        (b"1234567891", "2:10: 10 cells (expected 9)"),
        (b"1234\x07678", "2:5: invalid character '\\x07' (expected 1-9, 0 or .)"),
        (b"\x00\x00\x00\x00\x00\x00\x00\x00\x00", "2:1: invalid character '\\x00' (expected 1-9, 0 or .)"),
        (b"\xff\xfe345678", "2:1: invalid byte '\\xff' (expected 1-9, 0 or .)"),
        (b"hello world", "2:1: invalid character 'h' (expected 1-9, 0 or .)"),
        (b"garbage", "2:1: invalid character 'g' (expected 1-9, 0 or .)"),
        (b"  1234q6789", "2:7: invalid character 'q' (expected 1-9, 0 or .)"),
        (b"1 2 3 4 5 6 7 8", "2:16: 8 cells (expected 9)"),
        (b"10 2 3 4 5 6 7 8", "2:1: number '10' (expected a digit 1-9, 0 or .)"),
        (b"12 3456 789", "2:1: cells in uneven groups (expected 9 alone, 3 groups of 3 or 1 of 9)"),
        (b"1,2,3,4,5,6,7,8,9,1", "2:19: 10 cells (expected 9)"),
        (b"|1234|5678|", "2:1: 8 cells (expected 9)"),
    ];
    for (bad, expected) in table {
        for between in ["", "\n"] {
            // Wherever the row stands, the grids around it are untouched.
            for at in 0..9 {
                let lines = rows();
                let mut lines: Vec<&[u8]> = lines.lines().map(str::as_bytes).collect();
                lines[at] = bad;
                let grid = [&lines.join(&b'\n'), &b"\n"[..], between.as_bytes()].concat();
                let good = rows() + between;
                let text = [good.as_bytes(), &grid, good.as_bytes()].concat();
                let line = 10 + at + between.len();
                let shown = show(&text);
                let expected = expected.replacen("2:", &format!("{line}:"), 1);
                if bad.len() == 16 && bad[0] == b'1' || bad.starts_with(b"|") {
                    assert_eq!(shown.len(), 3, "{} at {at}", bad.escape_ascii());
                    assert_eq!([&shown[0], &shown[2]], [&dotted(), &dotted()]);
                    assert!(shown[1].starts_with(&format!("{line}:")), "{}", shown[1]);
                } else {
                    assert_eq!(shown, [dotted(), expected, dotted()], "{} at {at}", bad.escape_ascii());
                }
            }
        }
    }
}

#[test]
fn a_cut_off_grid_ends_at_a_blank_line_a_title_or_the_end() {
    let rows = rows();
    for kept in 1..9 {
        let part: String = rows.lines().take(kept).map(|line| format!("{line}\n")).collect();
        let plural = if kept == 1 { "row" } else { "rows" };
        let cut_off = format!("{}:1: cut-off grid: {kept} {plural} (expected 9)", 11 + kept);
        let blank = show(format!("\n{rows}\n{part}\n{rows}"));
        let expected = format!("{}:1: cut-off grid: {kept} {plural} (expected 9)", 12 + kept);
        assert_eq!(blank, [dotted(), expected, dotted()]);
        let title = show(format!("Grid 01\n{rows}{part}Grid 02\n{rows}"));
        assert_eq!(title, [dotted(), cut_off.clone(), dotted()]);
        let end = show(format!("\n{rows}{}", part.trim_end()));
        assert_eq!(end, [dotted(), cut_off]);
    }
}

/// Once the last rows of one grid and the first of the next were a puzzle that was not in the file.
#[test]
fn a_blank_line_within_a_grid_costs_that_grid() {
    let rows = rows();
    let lines: Vec<&str> = rows.split_inclusive('\n').collect();
    for above in 1..9 {
        let parted = format!("{}\n{}", lines[..above].concat(), lines[above..].concat());
        let plural = if above == 1 { "row" } else { "rows" };
        let bad = format!("{}:1: cut-off grid: {above} {plural} (expected 9)", above + 1);
        for (text, good) in [(format!("{parted}\n{rows}"), 1), (format!("{parted}{rows}{rows}\n{rows}"), 3)] {
            assert_eq!(show(&text), [vec![bad.clone()], vec![dotted(); good]].concat(), "{text}");
        }
    }
}

#[test]
fn a_frame_that_lacks_a_cell_where_blanks_are_written_is_invalid() {
    let text = (0..9).map(|i| boxes(row(i)).join("|").replace('0', ".") + "\n").collect::<String>();
    assert_eq!(show(&text), [dotted()]);
    assert_eq!(show(text.replacen("|4..", "|4.", 1)), ["2:11: 8 cells (expected 9)"]);
    assert_eq!(show(text.replacen("|4..", "|", 1)), ["2:9: 6 cells (expected 9)"]);
}

#[test]
fn a_border_in_the_wrong_place_makes_a_grid_invalid() {
    let good = framed("+---+---+---+", |row| format!("|{}|", boxes(row).join("|")));
    let line = format!("|{}|\n", boxes(row(1)).join("|"));
    let long = good.replacen(&line, &line.repeat(2), 1);
    let short = good.replacen(&line, "", 1);
    assert_eq!(
        show(format!("{good}{short}{good}")),
        [dotted(), "17:1: border after row 2 (expected after rows 3 and 6)".to_owned(), dotted()]
    );
    assert_eq!(
        show(format!("{short}{good}")),
        ["4:1: border after row 2 (expected after rows 3 and 6)".to_owned(), dotted()]
    );
    let shown = show(format!("{good}{long}{good}"));
    assert_eq!([&shown[0], &shown[shown.len() - 1]], [&dotted(), &dotted()]);
    assert_eq!(shown[1], "19:1: border after row 4 (expected after rows 3 and 6)");
    assert!(shown[2..shown.len() - 1].iter().all(|row| row.contains("cut-off")), "{shown:?}");
}

#[test]
fn a_row_of_megabytes_is_one_bad_row() {
    let mut lines: Vec<String> = rows().lines().map(str::to_owned).collect();
    lines[4] = "1".repeat(3 << 20);
    let text = format!("{}{}\n{}", rows(), lines.join("\n"), rows());
    let expected = format!("14:{}: line longer than 1 MiB", (1 << 20) + 1);
    assert_eq!(show(text), [dotted(), expected, dotted()]);
}

#[test]
fn comments_without_end_are_not_collected() {
    let comment = format!("#{}\n", "x".repeat(1 << 16));
    let text = format!("{}\n{}{}", row(0), comment.repeat(40), rows());
    let reading = read(text.as_bytes());
    assert_eq!(reading.show().last(), Some(&dotted()));
    assert!(reading.records.iter().all(|record| record.text.len() < 1 << 20));
    // As many as a line may be long belong to the grid, and no more.
    let comments = |bytes: usize| format!("#{}\n", "x".repeat(bytes / 2 - 2)).repeat(2);
    let (most, rest) = (1 << 20, rows()[10..].to_owned());
    assert_eq!(show(format!("{}\n{}{rest}", row(0), comments(most))), [dotted()]);
    let shown = show(format!("{}\n{}{rest}", row(0), comments(most + 2)));
    assert_eq!(shown[0], "2:1: cut-off grid: 1 row (expected 9)");
}

#[test]
fn clues_are_found_again() {
    let bare = format!("# x\n{}", rows());
    assert_eq!(places(bare.as_bytes())[0][80], Place { line: 10, column: 9 });
    assert_eq!(places(bare.as_bytes())[0][9], Place { line: 3, column: 1 });
    let framed = framed("+---+---+---+", |row| format!("| {} |", boxes(row).map(apart).join(" | ")));
    let places = &places(framed.as_bytes())[0];
    assert_eq!(places[0], Place { line: 2, column: 3 });
    assert_eq!(places[3], Place { line: 2, column: 11 });
    assert_eq!(places[30], Place { line: 6, column: 11 });
    assert_eq!(places[80], Place { line: 12, column: 23 });
}

/// Two grids with each row written by `write`, a blank line between them.
fn two(write: impl Fn(&str) -> String) -> String {
    let grid: String = (0..9).map(|i| write(row(i)) + "\n").collect();
    format!("{grid}\n{grid}")
}

/// A row with something between its cells, and something else for a blank.
fn cells(row: &str, separator: &str, blank: &str) -> String {
    let cells: Vec<String> = row.chars().map(|cell| cell.to_string().replace('0', blank)).collect();
    cells.join(separator)
}

#[test]
fn rows_as_people_and_programs_write_them() {
    type Write = fn(&str) -> String;
    let table: [(&str, Write); 44] = [
        ("colons", |row| cells(row, "", ":")),
        ("dollars", |row| cells(row, "", "$")),
        ("plus signs", |row| cells(row, "", "+")),
        ("equals signs", |row| cells(row, "", "=")),
        ("full width", |row| cells(row, "", "．")),
        ("middle dots apart", |row| cells(row, " ", "·")),
        ("colons in frames", |row| format!("|{}|", boxes(row).map(|part| cells(part, "", ":")).join("|"))),
        ("no-break spaces", |row| cells(row, "\u{a0}", "0")),
        ("digits of full width", |row| {
            row.chars().map(|cell| char::from_u32(cell as u32 - 48 + 0xff10).expect("a digit")).collect()
        }),
        ("minus one", |row| cells(row, " ", "-1")),
        ("minus one, commas", |row| cells(row, ", ", "-1") + ","),
        ("None", |row| format!("    [{}],", cells(row, ", ", "None"))),
        ("null", |row| format!("[{}]", cells(row, ",", "null"))),
        ("empty fields", |row| cells(row, ",", "")),
        ("empty fields, semicolons", |row| cells(row, ";", "")),
        ("empty fields, tabs", |row| cells(row, "\t", "")),
        ("empty fields and one more", |row| cells(row, ",", "") + ","),
        ("empty quotes", |row| format!("\"{}\"", cells(row, "\",\"", ""))),
        ("empty fields in one pair of quotes", |row| format!("\"{}\"", cells(row, ",", ""))),
        ("spaces", |row| cells(row, "", " ")),
        ("spaces lost", |row| cells(row, "", " ").trim_end().to_owned()),
        ("spaces apart", |row| cells(row, " ", " ")),
        ("brackets", |row| format!("  [{}],", cells(row, ", ", "0"))),
        ("braces", |row| format!("{{ {}}},", cells(row, ", ", "0"))),
        ("parentheses", |row| format!("({})", cells(row, " ", "0"))),
        ("more brackets", |row| format!("[[{}]],", cells(row, ",", "0"))),
        ("Go", |row| format!("\t[]int{{{}}},", cells(row, ", ", "0"))),
        ("Java", |row| format!("List.of({}), // nine of 81", cells(row, ", ", "0"))),
        ("Haskell", |row| format!("  , [{}]", cells(row, ",", "0"))),
        ("quoted cells", |row| format!("['{}'],", cells(row, "','", "."))),
        ("quoted spaces", |row| format!("[\"{}\"],", cells(row, "\", \"", " "))),
        ("quoted rows", |row| format!("  \"{row}\",")),
        ("C", |row| format!("\"{row}\\n\"")),
        ("quoted rows with spaces", |row| format!("'{}',", cells(row, "", " "))),
        ("labels", |row| format!("row1 {row}")),
        ("short labels", |row| format!("r1: {}", cells(row, " ", "0"))),
        ("numbers", |row| format!("1) {}", cells(row, "", "."))),
        ("double bars", |row| format!("||{}||", boxes(row).map(apart).join("||"))),
        ("MiniZinc", |row| format!("    {}|", cells(row, ", ", "0"))),
        ("MiniZinc, bars first", |row| format!("  |{}", cells(row, ",", "0"))),
        ("LaTeX", |row| format!("{} \\\\ \\hline", cells(row, " & ", ""))),
        ("LaTeX without blanks", |row| format!("{}\\\\", cells(row, "&", "."))),
        ("Fortran", |row| format!("   {}, &", cells(row, ",", "0"))),
        ("colours", |row| format!("\x1b[1;31m{}\x1b[0m", cells(row, "\x1b[m \x1b[38;5;12m", "."))),
    ];
    for (name, write) in table {
        for text in [two(write), two(write).replace('\n', "\r\n"), two(write) + "\n\n" + &two(write)] {
            let grids = if text.contains("\n\n\n") { 4 } else { 2 };
            assert_eq!(show(&text), vec![dotted(); grids], "{name}\n{text}");
        }
        let places = &places(two(write).as_bytes())[1];
        assert!(places.is_sorted() && places[80].line == 19, "{name}: {places:?}");
    }
    let bars = |bar: &str| {
        framed("+---+", |row| format!("{bar} {} {bar}", boxes(row).map(apart).join(&format!(" {bar} "))))
    };
    for bar in ["!", "I", "/"] {
        assert_eq!(show(bars(bar) + "\n" + &bars(bar)), vec![dotted(); 2], "{bar}");
    }
    let every = two(|row| format!("|| {} ||", boxes(row).map(|part| cells(part, " | ", ".")).join(" || ")));
    assert_eq!(show(every), vec![dotted(); 2]);
}

/// Once that was asked of each row alone: a grid of nine digits from 0 on was read, with a blank for each 0.
#[test]
fn where_minus_one_is_a_blank_zero_is_none() {
    let minus: Vec<String> = (0..9).map(|i| cells(row(i), " ", "-1")).collect();
    let zero = minus[0].replacen("-1", "0", 1);
    for (at, line) in [(0, zero), (8, cells(row(8), " ", "0"))] {
        let mut lines = minus.clone();
        lines[at] = line;
        let shown = show(format!("{}\n\n{}\n", lines.join("\n"), minus.join("\n")));
        assert!(shown[0].contains("(expected a digit 1-9, 0 or .)"), "{shown:?}");
        assert_eq!(shown[1..], [dotted()]);
    }
    // Each grid for itself; and a dash before a 1 is a blank of its own.
    let zeros: Vec<String> = (0..9).map(|i| cells(row(i), " ", "0")).collect();
    let shown = show(format!("{}\n\n{}\n", minus.join("\n"), zeros.join("\n")));
    assert_eq!(shown, vec![dotted(); 2]);
    let mixed = rows().replace("01", "-1");
    assert_eq!(show(mixed), [dotted()]);
}

/// As pandas and numpy write a frame of nine columns. Once groups like `4.0` were read as three cells.
#[test]
fn frames_of_numbers() {
    type Digit = fn(char) -> String;
    let whole: Digit = |cell| cell.to_string();
    let point: Digit = |cell| format!("{cell}.0");
    let nan: Digit = |cell| if cell == '0' { String::new() } else { format!("{cell}.0") };
    let long: Digit = |cell| format!("{cell}.000000000000000000e+00");
    let table = [(",", whole), (",", point), (",", nan), (";", nan), ("\t", point), (" ", long)];
    for (separator, digit) in table {
        let line = |i: usize| row(i).chars().map(digit).collect::<Vec<_>>().join(separator);
        let plain: Vec<String> = (0..9).map(line).collect();
        let numbered: Vec<String> = (0..9).map(|i| format!("{i}{separator}{}", plain[i])).collect();
        let count = ["0", "1", "2", "3", "4", "5", "6", "7", "8"].join(separator);
        let plain_text = plain.join("\n");
        for (text, grids) in [
            (plain_text.clone(), 1),
            (format!("{plain_text}\n\n{plain_text}\n"), 2),
            (format!("{count}\n{plain_text}\n"), 1),
            (format!("{separator}{count}\n{}\n", numbered.join("\n")), 1),
        ] {
            assert_eq!(show(&text), vec![dotted(); grids], "{text}");
            let shorter = plain[4].rsplit_once(separator).expect("cells").0;
            for damage in ["", shorter] {
                let damaged = text.replacen(&plain[4], damage, 1);
                let shown = read_as(damaged.as_bytes(), "grid").show();
                let read = shown.iter().filter(|shown| !shown.contains(':')).count();
                assert_eq!(read, grids - 1, "{damaged}");
            }
        }
    }
}

/// As programs print a board: numbers of the rows, and of the columns above. Once each grid had ten rows.
#[test]
fn rows_with_their_numbers() {
    let spaced = |row: &str| apart(row);
    let bars = |row: &str| format!("| {} |", boxes(row).map(apart).join(" | "));
    let drawn = |row: &str| format!("│ {} │", boxes(row).map(|part| cells(part, "  ", "_")).join(" │ "));
    type Write<'a> = &'a dyn Fn(&str) -> String;
    let table: [(&str, &str, Write<'_>); 4] = [
        ("  1 2 3 4 5 6 7 8 9\n", "", &spaced),
        ("param A: 1 2 3 4 5 6 7 8 9 :=\n", "", &spaced),
        ("    A B C   D E F   G H I\n", "  +-------+-------+-------+\n", &bars),
        ("\n    1  2  3   4  5  6   7  8  9\n", "  ├─────────┼─────────┼─────────┤\n", &drawn),
    ];
    for (head, border, write) in table {
        for first in [0, 1] {
            let line = |i: usize| {
                format!("{}{} {}\n", if i.is_multiple_of(3) { border } else { "" }, i + first, write(row(i)))
            };
            let grid = format!("{head}{}", (0..9).map(line).collect::<String>());
            for text in [grid.clone(), format!("{grid}\n{grid}"), grid.replace('\n', "\r\n")] {
                let count = if text.len() > grid.len() + 20 { 2 } else { 1 };
                assert_eq!(show(&text), vec![dotted(); count], "{text}");
            }
            // A row less is no other grid, and a first cell is not left out where nothing numbers the rows.
            let short = grid.replacen(&line(4), border, 1);
            let shown = read_as(short.as_bytes(), "grid").show();
            assert!(shown.iter().all(|shown| shown.contains(':')), "{short}");
        }
    }
    let ten = "1 2 3 4 5 6 7 8 9 1\n".repeat(9);
    assert!(read_as(ten.as_bytes(), "grid").show().iter().all(|shown| shown.contains(':')));
}

/// One grid within a program: what surrounds it is no record.
#[test]
fn source_text() {
    let list = |open: &str, close: &str| {
        (0..9).map(|i| format!("    {open}{}{close}\n", cells(row(i), ", ", "0"))).collect::<String>()
    };
    let quoted: String = (0..9).map(|i| format!("    \"{}\",\n", row(i))).collect();
    let nested = list("[", "],").replacen("    [", "   [[", 1).replacen("7],\n", "7]]\n", 1);
    for text in [
        format!("board = [\n{}]\n", list("[", "],")),
        format!("import sys\n\ngrid = [\n{}]\n\nsolve(grid)\n", list("[", "],")),
        format!("int grid[9][9] = {{\n{}}};\n", list("{", "},")),
        format!("let puzzle = [\n{quoted}];\n"),
        format!("'''\n{}'''\n", rows()),
        format!("```\n{}```\n", rows()),
        format!("puzzle = \\\n{nested}"),
        format!("S=3;\nstart=[|{}];\n", list("", "|").trim_start().trim_end()),
        format!("board = array2d(1..9, 1..9, [\n{}]);\n", list("", ",")),
        format!(
            "sudokus:\n  - name: one\n    rows:\n{}",
            quoted.replace("    \"", "      - \"").replace(',', "")
        ),
        format!("- \n{}", list("  - [", "]")),
        format!("[puzzle.easy]\nrows = [\n{quoted}]\n"),
    ] {
        assert_eq!(show(&text), [dotted()], "{text}");
    }
}

#[test]
fn headings_whatever_they_say() {
    let rows = rows();
    for [one, other, third] in [
        ["1", "2", "3"],
        ["E1", "E2", "H1"],
        ["2021-02-11", "2021-02-12", "2021-02-13"],
        ["Лёгкая", "Сложная", "Злая"],
        ["Easy:", "Medium:", "Hard:"],
        ["#1", "#2", "#3"],
        ["Grid 01", "Grid 02", "Grid 03"],
        ["9", "9", "9"],
        ["9 9", "9 9", "9 9"],
        ["3", "3", "3"],
        ["9x9", "9x9", "9x9"],
        ["(1)", "(2)", "(3)"],
        ["--- 1 ---", "--- 2 ---", "--- 3 ---"],
        ["12 3 4", "12 3 5", "12 4 4"],
        ["- name: p1\n  grid:", "- name: p2\n  grid:", "- name: p3\n  grid:"],
    ] {
        for between in ["", "\n"] {
            let text = format!("{one}\n{rows}{between}{other}\n{rows}{between}{third}\n{rows}");
            let reading = read(text.as_bytes());
            assert_eq!((reading.show(), reading.notes.len()), (vec![dotted(); 3], 0), "{text}");
            // A row lost or doubled costs its grid.
            let line = format!("{}\n", row(4));
            for new in [String::new(), line.repeat(2)] {
                let damaged = text.replacen(&line, &new, 1);
                let shown = show(&damaged);
                let good = shown.iter().filter(|shown| **shown == dotted()).count();
                assert_eq!((good, shown.len()), (2, 3), "{damaged}: {shown:?}");
            }
        }
    }
}

/// Puzzles of `data/minimal.txt`, 24 clues each.
fn minimal(count: usize) -> Vec<String> {
    include_str!("../../../data/minimal.txt").lines().take(count).map(|line| line[..81].to_owned()).collect()
}

/// The lines of a file of grids, with each row written by `write`, lines above and below each grid, and one above
/// each band.
fn file(puzzles: &[String], [above, below, border]: [&str; 3], write: fn(&str) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    for (i, puzzle) in puzzles.iter().enumerate() {
        lines.extend(above.lines().map(|line| line.replace('N', &(i + 1).to_string())));
        for at in 0..9 {
            if at % 3 == 0 {
                lines.extend(border.lines().map(str::to_owned));
            }
            lines.push(write(&puzzle[9 * at..9 * at + 9]));
        }
        lines.extend(below.lines().map(str::to_owned));
    }
    lines
}

/// Lines that are no rows, as they stand in files.
const STRAY: [&str; 32] = [
    "a remark",
    "'''",
    "*****",
    "// x",
    "; x",
    "% x",
    "# x",
    "{",
    "],",
    "end",
    "0",
    "-1",
    "2021-02-11",
    "--- 2 ---",
    "(2)",
    "17_a",
    "easy",
    "1.2",
    "https://example.org/1",
    "===",
    ">>>",
    "```",
    "---------",
    "_________",
    "*********",
    "Grid 7",
    "Level: 3",
    "x",
    "9 9",
    "1234567",
    "+---+---+---+",
    "1.3...5.9..21.94.....7.4...3..5.2..6.6.....5.7..8.3..4...4.1.....92.58..8.4...1.7",
];

/// Whatever happens to one line, no grid is read that is not in the file, and hardly one is lost.
#[test]
fn damage_costs_what_is_damaged() {
    let puzzles = minimal(24);
    let spaced: fn(&str) -> String = |row| apart(row);
    let barred: fn(&str) -> String = |row| format!("|{}|", boxes(row).join("|"));
    let plain: fn(&str) -> String = str::to_owned;
    // Grids that may be lost with a row: more where nothing sets them apart.
    let layouts = [
        ("bare", file(&puzzles, ["", "", ""], plain), 2),
        ("spaced", file(&puzzles, ["", "", ""], spaced), 2),
        ("blank lines", file(&puzzles, ["", "\n", ""], plain), 1),
        ("spaced, blank lines", file(&puzzles, ["", "\n", ""], spaced), 1),
        ("titles", file(&puzzles, ["Grid N", "", ""], plain), 1),
        ("numbers", file(&puzzles, ["N", "", ""], plain), 1),
        ("titles and blank lines", file(&puzzles, ["Puzzle N", "\n", ""], spaced), 1),
        ("frames", file(&puzzles, ["", "+---+---+---+\n\n", "+---+---+---+"], barred), 1),
    ];
    for (name, lines, bound) in layouts {
        assert_eq!(show(lines.join("\n")), puzzles, "{name}");
        for (step, at) in (0..lines.len()).step_by(31).enumerate() {
            let mut mutants = Vec::new();
            let mut with = |what: &str, from: usize, to: usize, new: &[&str], bound| {
                let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
                lines.splice(from..to, new.iter().copied());
                mutants.push((format!("{name}: {what} at line {}", at + 1), lines.join("\n"), bound));
            };
            with("line lost", at, at + 1, &[], bound);
            with("line doubled", at, at, &[&lines[at]], bound);
            with("line cut", at, at + 1, &[&lines[at][..lines[at].len() / 2]], bound);
            with("blank line", at, at, &[""], 2);
            with(STRAY[step % STRAY.len()], at, at, &[STRAY[step % STRAY.len()]], 2);
            let other = STRAY[(7 * step + 3) % STRAY.len()];
            with(other, at, at + 1, &[other], 2);
            for (what, text, bound) in mutants {
                let text = if step % 2 == 0 { text } else { text.replace('\n', "\r\n") };
                let shown = read_as(text.as_bytes(), "grid").show();
                let (good, bad): (Vec<&String>, Vec<&String>) =
                    shown.iter().partition(|shown| !shown.contains(':'));
                for grid in &good {
                    assert!(puzzles.contains(grid), "{what}: {grid} is made up\n{bad:?}");
                }
                assert!(good.len() + bound >= puzzles.len(), "{what}: {} are left\n{bad:?}", good.len());
                assert!(bad.len() <= 3, "{what}: {bad:?}");
            }
        }
    }
}

/// Two damages to a file without separators, so that neither its end nor its clashes tell where grids begin. Once a
/// lost row and a file that is cut off gave grids of the rows of two, in one file of four.
#[test]
fn damage_on_damage_makes_no_grid_up() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut below = |bound: usize| (rng.next_u64() % bound as u64) as usize;
    let of = |text: &str| -> Vec<String> {
        text.lines().take(20).map(|line| line[..81].replace('0', ".")).collect()
    };
    // Grids that may be lost besides those that are damaged, and that may be made up, in all.
    let kinds = [
        ("one solution", minimal(20), 2, 0),
        ("several solutions", of(include_str!("../../../data/several.txt")), 40, 2),
        ("no solution", of(include_str!("../../../data/unsolvable.txt")), 40, 2),
    ];
    for (kind, puzzles, bound, most) in kinds {
        let file = file(&puzzles, ["", "", ""], str::to_owned);
        assert_eq!(show(file.join("\n")), puzzles, "{kind}");
        let (mut lost, mut made_up) = (0, Vec::new());
        const FILES: usize = 100;
        for _ in 0..FILES {
            let mut lines = file.clone();
            let (first, second) = (below(8), 9 + below(11));
            let mut damaged = Vec::new();
            let last = if below(2) == 0 { 4 } else { below(4) };
            for (grid, damage) in [(second, last), (first + below(2), below(4))] {
                let at = 9 * grid + below(9);
                damaged.push((grid, damage));
                match damage {
                    0 => drop(lines.remove(at)),
                    1 => lines.insert(at, lines[at].clone()),
                    2 => lines[at].truncate(1 + below(8)),
                    3 => lines.insert(at, STRAY[below(STRAY.len())].to_owned()),
                    _ => lines.truncate(at),
                }
            }
            let shown = read_as(lines.join("\n").as_bytes(), "grid").show();
            let good: Vec<&String> = shown.iter().filter(|shown| !shown.contains(':')).collect();
            made_up.extend(good.iter().filter(|grid| !puzzles.contains(grid)).map(|_| damaged.clone()));
            let intact = if last == 4 { second - 1 } else { puzzles.len() - 2 };
            lost += intact.saturating_sub(good.len());
        }
        assert!(made_up.len() <= most, "{kind}: {made_up:?} make grids up");
        assert!(lost <= bound, "{kind}: {lost} are lost");
    }
}

/// What stands between two grids costs nothing but itself, and batches of any size give the same.
#[test]
fn stray_lines_between_grids_cost_no_grid() {
    let puzzles = minimal(12);
    for below in ["", "\n"] {
        let lines = file(&puzzles, ["", below, ""], str::to_owned);
        for stray in STRAY {
            let mut lines = lines.clone();
            lines.insert(6 * (lines.len() / 12), stray.to_owned());
            let text = lines.join("\n");
            let reading = read_as(text.as_bytes(), "grid");
            let good: Vec<String> = reading.show().into_iter().filter(|shown| !shown.contains(':')).collect();
            assert_eq!(good, puzzles, "{stray}");
            assert!(reading.records.len() <= 13, "{stray}: {:?}", reading.show());
            for target in [1, 100, 700] {
                let options = ReadOptions { format: FormatChoice::named("grid"), ..ReadOptions::default() };
                let source = open(text.as_bytes(), &options).expect("the format is given");
                assert_eq!(drain(source, target).records, reading.records, "{stray}");
            }
        }
    }
}

/// Whatever a text says above the first grid costs nothing; behind it a line that is no row is a record.
#[test]
fn a_text_above_the_first_grid_is_none() {
    let text =
        "# Puzzles\n\nI x, (1) see 12 of 34:\n- item 1\n\n| a | b |\n|---|---|\nin 1775 there were 2\n";
    for lines in [1, 50] {
        let head = text.repeat(lines);
        for grids in [rows(), rows().repeat(3), format!("{}\n{}", rows(), rows())] {
            let reading = read_as(format!("{head}{grids}").as_bytes(), "grid");
            assert_eq!(reading.show(), vec![dotted(); reading.records.len()], "{head}{grids}");
        }
    }
    let shown = read_as(format!("{}I x\n{}", rows(), rows()).as_bytes(), "grid").show();
    assert_eq!((shown.len(), shown[1].contains(':')), (3, true), "{shown:?}");
    // Numbers above a heading are no part of the grid below it, and rows in XML behind a grid are no headings.
    let numbers = "- EqualSum: 14, 24, 35, 45, 46, 36, 26, 25\n".repeat(3);
    let shown = show(format!("{numbers}- Knowns:\n{0}- More:\n{0}", rows()));
    assert_eq!(shown.iter().filter(|shown| **shown == dotted()).count(), 2, "{shown:?}");
    let elements: String = (0..9).map(|i| format!("<row>{}</row>\n", row(i))).collect();
    let shown = show(format!("{}\n<puzzle>\n{elements}", rows()));
    assert!(shown.len() > 1 && shown[1..].iter().all(|shown| shown.contains(':')), "{shown:?}");
    // What may be a damaged row stays one.
    for bad in ["1234", "12345678", "1234567a"] {
        let shown = read_as(format!("{bad}\n\n{}\n{}", rows(), rows()).as_bytes(), "grid").show();
        assert!(bad == "1234" || shown[0].contains(':'), "{bad}: {shown:?}");
    }
}

/// Once prose with a line of nine dashes was a file of grids.
#[test]
fn grids_are_found_behind_prose_and_nothing_is_found_in_prose() {
    let prose = "It was the best of times\n---------\n\nit was the worst of times\n*********\n".repeat(50);
    assert!(open(prose.as_bytes(), &ReadOptions::default()).is_err());
    let shown = show(format!("{prose}\n{}\n{prose}", rows()));
    assert!(shown.contains(&dotted()), "{shown:?}");
}
