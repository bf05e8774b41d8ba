use super::*;
use crate::input::testing::{PUZZLE, dotted, drain, open, places, read, read_as};
use crate::input::{FormatChoice, ReadOptions};

fn place(line: u64, column: u64) -> Place {
    Place { line, column }
}

/// Reads as lines and shows every record.
fn show(text: impl AsRef<[u8]>) -> Vec<String> {
    read_as(text.as_ref(), "line").show()
}

#[test]
fn the_first_81_characters_are_the_puzzle_whatever_follows() {
    let after =
        ["", " 9.5", "\t#1", ",sol", ";x", "#1", "# a remark", ":1:22", "\r", "|", "é", "\0", " \u{7}"];
    for after in after {
        let line = format!("{PUZZLE}{after}\n");
        let reading = read_as(line.as_bytes(), "line");
        assert_eq!(reading.show(), [dotted()], "{after:?}");
        assert_eq!(reading.records[0].text, line.as_bytes(), "line end and all");
    }
}

#[test]
fn a_complete_line_below_each_puzzle_that_fits_is_its_solution() {
    let puzzle = |blank: char| SOLVED.replace(blank, ".");
    let numbered = |number: char, between: &str| format!("{}\n{between}{SOLVED}\n", puzzle(number));
    for between in ["", "\n", "# 3\n\n", "\nThe other grid:\n"] {
        let text: String = "123456".chars().map(|number| numbered(number, between) + "\n").collect();
        for target in [1, 200, 1 << 16] {
            let reading = drain(open(text.as_bytes(), &ReadOptions::default()).expect("lines"), target);
            assert_eq!(reading.show(), "123456".chars().map(puzzle).collect::<Vec<_>>(), "{text}");
            assert_eq!(reading.claims(), vec![SOLVED; 6], "{text}");
        }
    }
    let text: String = "123456".chars().map(|number| numbered(number, "")).collect();
    let lines: Vec<&str> = text.lines().collect();
    for lost in 0..lines.len() {
        let mut left = lines.clone();
        left.remove(lost);
        let reading = read(left.join("\n").as_bytes());
        let claimed = reading.claims().iter().filter(|claim| *claim == SOLVED).count();
        // A solution without its puzzle stays a puzzle, and a puzzle without its solution one without a claim.
        assert_eq!((reading.records.len(), claimed), (6, 5), "without line {lost}");
        let mut twice = lines.clone();
        twice.insert(lost, lines[lost]);
        let reading = read(twice.join("\n").as_bytes());
        let claimed = reading.claims().iter().filter(|claim| *claim == SOLVED).count();
        assert_eq!((reading.records.len(), claimed), (7, 6), "line {lost} twice");
    }
    // Complete grids that are few, or solutions of others, are puzzles.
    let other = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
    let misfits: String = "123456".chars().map(|number| format!("{}\n{other}\n", puzzle(number))).collect();
    let few = format!("{}\n{}\n{SOLVED}\n", puzzle('1'), puzzle('2'));
    for (text, count) in [(misfits, 12), (few, 3), (numbered('1', ""), 2), (format!("{SOLVED}\n"), 1)] {
        let reading = read(text.as_bytes());
        assert_eq!(
            (reading.records.len(), reading.claims()),
            (count, vec!["missing".to_owned(); count]),
            "{text}"
        );
    }
}

#[test]
fn what_carriage_returns_join_is_told() {
    for joined in
        [format!("{PUZZLE}\r{PUZZLE}"), format!("# remark\r{PUZZLE}"), format!("{PUZZLE}\r# remark")]
    {
        let column = joined.find('\r').expect("one") + 1;
        let fault = format!(
            "40002:{column}: carriage return within a line (expected lines that end in \\n or \\r\\n)"
        );
        let text = format!("{PUZZLE}\n{joined}\n{PUZZLE}\n");
        // Behind the start of a file that has none.
        let shown = show(format!("{PUZZLE}\n{}{joined}\n{PUZZLE}\n", "#\n".repeat(40_000)));
        assert_eq!(shown, [dotted(), fault, dotted()], "{joined:?}");
        for target in [1, 100, 1 << 16] {
            let reading = drain(open(text.as_bytes(), &ReadOptions::default()).expect("lines"), target);
            assert_eq!(reading.show(), vec![dotted(); 2 + joined.matches(PUZZLE).count()], "{joined:?}");
            assert_eq!(reading.records.last().expect("one").line, 4);
        }
    }
}

/// Fields one below the other: once each but the first of a puzzle was a record.
#[test]
fn fields_of_a_puzzle_on_lines_of_their_own_are_one_record() {
    let puzzle = |blank: char| SOLVED.replace(blank, ".");
    let forms: [fn(&str, usize) -> String; 5] = [
        |puzzle, _| {
            format!("P: {puzzle}\nA: {SOLVED}\nC: 12\nG: [[114G], [253G], [216G], [561G], [313G], [1G]]\n\n")
        },
        |puzzle, at| format!("Q: {puzzle}\nA: {SOLVED}\nlevel: {at}.5\n"),
        |puzzle, _| format!("P={puzzle}\nS={SOLVED}\n"),
        |puzzle, at| {
            format!(
                "*********** {}. row ***********\n  id: {at}\npuzzle: {puzzle}\nsolution: {SOLVED}\n",
                at + 8
            )
        },
        |puzzle, at| {
            format!("-[ RECORD {at} ]------\nid       | {at}\npuzzle   | {puzzle}\nsolution | {SOLVED}\n")
        },
    ];
    for form in forms {
        let records: Vec<String> =
            "12345".chars().zip(1..).map(|(at, number)| form(&puzzle(at), number)).collect();
        let reading = read(records.concat().as_bytes());
        assert_eq!(reading.show(), "12345".chars().map(puzzle).collect::<Vec<_>>(), "{}", records[0]);
        assert_eq!(reading.claims(), vec![SOLVED; 5], "{}", records[0]);
        // A damaged one is a record, its solution no puzzle and no claim of another.
        let reading = read(records.concat().replacen(&puzzle('3'), "12..5", 1).as_bytes());
        let shown = reading.show();
        assert!(shown.len() == 5 && shown[2].contains(':') && shown[3] == puzzle('4'), "{shown:?}");
        assert_eq!(reading.claims().iter().filter(|claim| *claim == SOLVED).count(), 4);
    }
    // Where no puzzle can be read, the solutions are none.
    let letters = PUZZLE.replace('0', "o");
    let rows: Vec<_> = letters.as_bytes().chunks(9).map(String::from_utf8_lossy).collect();
    for puzzle in [format!(" {letters}"), format!("\n{}", rows.join("\n"))] {
        let text = format!("puzzle:{puzzle}\nsolution: {SOLVED}\n\n").repeat(3);
        let error = open(text.as_bytes(), &ReadOptions::default()).expect_err("no puzzle").to_string();
        assert!(error.starts_with("test: solutions, and none of the puzzles above them"), "{error}");
    }
    let none = format!("P: {PUZZLE}\nA: INVALID! there is no solution\n\n");
    let some = format!("P: {}\nA: {SOLVED}\nC: 12\n\n", puzzle('1'));
    let shown = read(format!("{some}{some}{none}{some}").as_bytes()).show();
    assert_eq!(shown, [puzzle('1'), puzzle('1'), dotted(), puzzle('1')]);
    // Names that are not the same throughout are no fields.
    let shown = read(format!("a: {PUZZLE}\nb: {PUZZLE}\nc: 12\n").as_bytes()).show();
    assert_eq!(shown.len(), 3);
}

#[test]
fn statements_of_a_database_are_no_records_but_rows_are() {
    let head = "-- Host: 127.0.0.1\n--\nSET time_zone = \"+00:00\";\n/*!40101 SET NAMES utf8mb4 */;\n--\n\n\
                CREATE TABLE `levels` (\n  `id` int(11) NOT NULL,\n  `start` varchar(384) NOT NULL\n) ENGINE=InnoDB;\n\
                INSERT INTO `levels` (`id`, `start`) VALUES\n";
    let foot = "--\nALTER TABLE `levels`\n  MODIFY `id` int(11) NOT NULL AUTO_INCREMENT=25;\nCOMMIT;\n";
    let board: Vec<String> = PUZZLE.chars().map(String::from).collect();
    let row = |cells: &[String]| format!("(1, 'x', '[{}]', 5),\n", cells.join(", "));
    let good = row(&board);
    assert_eq!(show(format!("{head}{good}{good}{foot}")), vec![dotted(); 2]);
    for bad in [row(&board[1..]), "(2, 'y', '[]', 5),\n".to_owned()] {
        let shown = show(format!("{head}{good}{bad}{good}{foot}"));
        assert!(shown.len() == 3 && shown[1].contains(':'), "{shown:?}");
    }
}

/// Rows of statements are records wherever they stand; which value is the puzzle is said by names or content.
#[test]
fn rows_of_a_dump_are_records_each() {
    let other = PUZZLE.replace('1', "_").replace('2', "1").replace('_', "2");
    let second = SOLVED.replace('1', "_").replace('2', "1").replace('_', "2");
    let both = [dotted(), other.replace('0', ".")];
    let create = "CREATE TABLE `p` (\n  `solution` char(81),\n  `n` int,\n  `puzzle` char(81),\n  PRIMARY KEY (`n`)\n);\n";
    let users = "INSERT INTO `users` VALUES (1,'a(b)'),(2,'it''s; c');\n";
    for text in [
        format!("INSERT INTO p (id, puzzle) VALUES (1,'{PUZZLE}'), (2,'{other}');\n"),
        format!("BEGIN; insert into p values\n  (1,'{PUZZLE}'),\n(2,'{other}')\nON CONFLICT DO NOTHING;\n"),
        format!("INSERT IGNORE INTO p (state, puzzle) VALUES ('{other}','{PUZZLE}'),('{PUZZLE}','{other}');"),
        format!("{users}REPLACE INTO p VALUES(1,'{PUZZLE}');INSERT INTO p VALUES(2,'{other}');\n{users}"),
        format!("INSERT INTO p VALUES ('{PUZZLE}');\nINSERT INTO q VALUES (7,'{other}',NULL);\n"),
    ] {
        assert_eq!(show(&text), both, "{text}");
    }
    let (first, last) = (format!("('{SOLVED}',1,'{PUZZLE}')"), format!("('{second}',2,'{other}')"));
    for head in ["INSERT INTO p (solution, n, puzzle) VALUES ", &format!("{create}INSERT INTO `p` VALUES ")] {
        let reading = read(format!("{head}{first},{last};\n").as_bytes());
        assert_eq!(reading.show(), both, "{head}");
        assert_eq!(reading.claims(), [SOLVED, &*second], "{head}");
        // Damage costs a row, whatever it is, and makes no puzzle of a solution.
        for bad in [
            first.replace(PUZZLE, &PUZZLE[1..]),
            first.replace(PUZZLE, ""),
            first.replace(&format!("'{PUZZLE}'"), "NULL"),
            first.replacen('\'', "", 1),
            first.replace("')", ")"),
            first.replacen('(', "", 1),
            first.replace("1,'", "1,"),
        ] {
            let shown = show(format!("{head}{first},{bad},{last};\n"));
            assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &both[0], &both[1]), "{bad}");
            assert!(shown[1].contains(':'), "{bad}: {}", shown[1]);
        }
    }
    // Solutions in a table of their own are no puzzles.
    let texts =
        [format!("INSERT INTO p VALUES (1,'{PUZZLE}');"), format!("INSERT INTO s VALUES (1,7,'{SOLVED}');")];
    for (first, second) in [(0, 1), (1, 0)] {
        let shown = show(format!("{}\n{}\n", texts[first], texts[second]));
        assert_eq!((shown.len(), &shown[first]), (2, &both[0]), "{shown:?}");
        assert!(shown[second].contains(':'), "{shown:?}");
    }
    // A line may be as long as it likes, also of what cannot be opened again.
    let rows = format!("INSERT INTO p VALUES {}(3,'{other}');\n", format!("(1,'{PUZZLE}'),").repeat(15_000));
    let reading = read(rows.as_bytes());
    assert_eq!((reading.records.len(), reading.records[15_000].show()), (15_001, both[1].clone()));
    let shown = show(format!("INSERT INTO p (id, puzzle) VALUES (1,'{PUZZLE}'),(2,'a{}');\n", &PUZZLE[1..]));
    assert!(shown[1].starts_with("1:127: "), "{}", shown[1]);
}

#[test]
fn further_puzzles_of_lines_are_told_and_claim_nothing() {
    let other = PUZZLE.replace('1', "_").replace('2', "1").replace('_', "2");
    for between in [" ", ",", "\t", "; "] {
        let reading = read(format!("{PUZZLE}{between}{other}\n").repeat(4).as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 4], "{between}");
        assert_eq!(reading.claims(), ["missing"; 4], "{between}");
        assert!(reading.notes[0].contains("1 more puzzle,"), "{:?}", reading.notes);
        let solved = read(format!("{PUZZLE}{between}{SOLVED}\n").repeat(4).as_bytes());
        assert_eq!(solved.claims(), [SOLVED; 4], "{between}");
        assert!(solved.notes.is_empty(), "{:?}", solved.notes);
    }
}

/// A line of 81 digits and `#` is no comment where others are such puzzles, too.
#[test]
fn hashes_may_be_blanks() {
    let hashes = PUZZLE.replace(['0', '.'], "#");
    let first = format!("#{}", &hashes[1..]);
    let text = format!("# remark\n{hashes}\n{first}\n#{hashes}\n# {}\n{hashes} # 1\n", "1".repeat(80));
    assert_eq!(show(text), [dotted(), first.replace('#', "."), dotted()]);
}

/// Once each line of such a program was an invalid record.
#[test]
fn the_lines_of_a_program_are_no_records_but_for_damaged_puzzles() {
    let code = "import java.util.List;\n\npublic class Test {\n    /* 0 to 9\n     * and more\n     */\n    public int find(int x) {\n        \
                return x == 10 ? 0 : number - 1;\n    }\n    private static final int[] SIZES = { 1, 2, 3 };\n    final String a = \"b\";\n    final String c = \"d\";\n}\n";
    let text = format!("{code}static final String p = \"{PUZZLE}\";\n{code}");
    assert_eq!(read(text.as_bytes()).show(), [dotted()]);
    let text = format!("{text}static final String q = \"{}\";\n{code}", &PUZZLE[1..]);
    let shown = read(text.as_bytes()).show();
    assert!(shown.len() == 2 && shown[1].starts_with("28:"), "{shown:?}");
    // Rows of a list are damaged puzzles, too, above results of tdoku.
    let list = "  [0, 2, 0, 4, 0, 6, 7, 0, 9],\n".repeat(9);
    let shown = show(format!("grid = [\n{list}]\n{}", format!("{PUZZLE}:1:{PUZZLE}\n").repeat(3)));
    assert!(shown.len() == 12 && shown[0].starts_with("2:") && shown[9] == dotted(), "{shown:?}");
}

#[test]
fn another_puzzle_behind_the_first_is_told() {
    let other = dotted().replacen("1.3", "..3", 1);
    let line = |name: &str, behind: &str| format!("{name}{PUZZLE} 7.2 {behind}{other} 5.4\n");
    for (name, behind) in [("", ""), ("id_a ", "id_b "), ("", "00015097c6c3 "), ("00015097c6c3 ", "")] {
        let good = format!("{name}{PUZZLE} 7.2\n");
        let column = line(name, behind).find(&other).expect("the other") + 1;
        let shown = show(format!("{good}{}{good}{good}{good}", line(name, behind)));
        let fault = format!("2:{column}: 162 cells (expected 81)");
        assert_eq!(shown, [dotted(), fault, dotted(), dotted(), dotted()], "{name}{behind}");
    }
    // What fills in more of the same puzzle is none, nor is a column of others.
    let state = dotted().replacen(".", "2", 1);
    assert_eq!(show(format!("{PUZZLE} {state}\n")), [dotted()]);
    assert_eq!(show(line("", "").repeat(5)), vec![dotted(); 5]);
}

/// Banners, forms and boards of other games once were empty puzzles.
#[test]
fn blanks_alone_are_a_puzzle_only_where_that_is_plainly_meant() {
    let empty = ".".repeat(81);
    for sign in [".", "0"] {
        let blanks = format!("{}\n", sign.repeat(81));
        assert_eq!(read(blanks.as_bytes()).show(), std::slice::from_ref(&empty), "{sign}");
        assert_eq!(show(format!("{PUZZLE}\n{blanks}")), [dotted(), empty.clone()], "{sign}");
        assert_eq!(show(format!("id_a {PUZZLE}\nid_b {blanks}")), [dotted(), empty.clone()], "{sign}");
    }
    let dashes = "-".repeat(81);
    assert_eq!(show(format!("{}\n{dashes}\n", PUZZLE.replace('0', "-"))), [dotted(), empty.clone()]);
    let board = "..*".repeat(27);
    for (line, column) in [
        (board.clone(), 1),
        (format!("name {} date", "_".repeat(81)), 6),
        (format!("see page {empty}"), 10),
        ("x".repeat(81), 1),
    ] {
        let reason = "81 blanks that are no puzzle (expected clues, or 81 of one blank that the file uses)";
        let shown = show(format!("{PUZZLE}\n{line}\n{PUZZLE}\n"));
        assert_eq!(shown, [dotted(), format!("2:{column}: {reason}"), dotted()], "{line}");
    }
    let comment = format!("/* Output {} */\n", "*".repeat(81));
    assert_eq!(show(format!("{comment}{PUZZLE}\n")), [dotted()]);
    for text in [board, format!("=====\nTitle\n=====\n\nText\n{empty}\n"), format!("{dashes}\n")] {
        assert!(open(text.as_bytes(), &ReadOptions::default()).is_err(), "{text}");
    }
}

/// Whatever the blanks of the first lines are, and however far behind them it stands.
#[test]
fn a_line_of_81_zeros_behind_a_long_list_with_dots_is_the_empty_grid() {
    let text = format!("{}{}\n", format!("{}\n", dotted()).repeat(5_000), "0".repeat(81));
    assert_eq!(show(text).last(), Some(&".".repeat(81)));
}

const SOLVED: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

#[test]
fn a_line_below_a_puzzle_that_says_so_is_its_solution() {
    let puzzle = SOLVED.replace('1', ".");
    for [before, between, behind] in [
        ["  puzzle: '", "',\n  solution: '", "',\n"],
        ["- puzzle: ", "\n  answer: ", "\n"],
        ["puzzle=", "\nsolution=", "\n"],
        ["qz: ", "\nsn: ", "\n"],
    ] {
        let pair = format!("{before}{puzzle}{between}{SOLVED}{behind}");
        let text = pair.repeat(4);
        for target in [1, 200, 1 << 16] {
            let reading = drain(open(text.as_bytes(), &ReadOptions::default()).expect("lines"), target);
            assert_eq!(reading.show(), vec![puzzle.clone(); 4], "{text}");
            assert_eq!(reading.claims(), vec![SOLVED; 4], "{text}");
        }
        // That of another puzzle is a wrong one.
        let other = pair.replace(SOLVED, &SOLVED.replace('2', "1").replace('3', "2").replace('1', "3"));
        assert_eq!(read(format!("{text}{other}").as_bytes()).records.len(), 5, "{other}");
    }
    // Without a word it may be a puzzle.
    assert_eq!(show(format!("{puzzle}\n{SOLVED}\n")), [puzzle, SOLVED.to_owned()]);
}

#[test]
fn candidates_of_a_library_are_no_claim() {
    let placed = PUZZLE.replace('0', ".").replacen("1", "+1", 1);
    let candidates = ["123"; 27].join(" ");
    let text = format!(":0711-1:6:{placed}:{candidates}:637 695::5\n").repeat(3);
    assert_eq!(read(text.as_bytes()).claims(), ["missing"; 3]);
}

#[test]
fn a_solution_that_is_called_so_claims_its_puzzle_though_it_changes_a_clue() {
    let wrong = SOLVED[1..2].to_owned() + &SOLVED[..1] + &SOLVED[2..];
    let pair = |claim: &str| format!("Puzzle: {}\nSolution: {claim}\n", SOLVED.replace('1', "."));
    let reading = read((pair(SOLVED) + &pair(&wrong) + &pair(SOLVED)).as_bytes());
    assert_eq!(reading.claims(), [SOLVED, &*wrong, SOLVED]);
}

/// Of several puzzles on a line none is taken for all of them, whatever family reads it.
#[test]
fn several_puzzles_on_a_line_are_no_record() {
    let cells = PUZZLE.replace('.', "0").chars().map(String::from).collect::<Vec<_>>().join(", ");
    for text in [
        format!("puzzles = ['{PUZZLE}', '{PUZZLE}', '{PUZZLE}']\n"),
        format!("p = [[{cells}], [{cells}], [{cells}]]\n"),
        format!("a {PUZZLE} b {PUZZLE} c {PUZZLE} d {PUZZLE}\n"),
    ] {
        // Either nothing reads it, or it is said to be none.
        let shown = open(text.as_bytes(), &ReadOptions::default())
            .map_or_else(|_| show(&text), |source| drain(source, 5000).show());
        assert_eq!(shown.len(), 1, "{text}");
        assert!(shown[0].contains("(expected 81)"), "{text} {shown:?}");
    }
    assert_eq!(show(format!("a {PUZZLE} b {PUZZLE}\n")), [dotted()]);
    // Two files were joined without a line end between them.
    let solved = format!("{PUZZLE},{SOLVED}");
    let other = PUZZLE.replace('1', "_").replace('2', "1").replace('_', "2");
    let shown = show(format!("{solved}\n{solved}{other},{SOLVED}\n{solved}\n"));
    assert_eq!((&shown[0], shown.len(), &shown[2]), (&dotted(), 3, &dotted()));
    assert!(shown[1].starts_with("2:"), "{shown:?}");
}

/// Whatever a text says above the first puzzle costs nothing.
#[test]
fn a_text_above_the_first_puzzle_is_no_record() {
    let text =
        "# Puzzles\n\nI x, (1) see 12 of 34:\n- item 1\n\n| a | b |\n|---|---|\nin 1775 there were 2\n";
    for lines in [1, 50] {
        let shown = show(format!("{}{PUZZLE}\n{PUZZLE}\n", text.repeat(lines)));
        assert_eq!(shown, vec![dotted(); 2], "{lines}");
    }
    for prose in
        ["Prose, a lot of it.\nMore, much more.\n", "Prose.\nOne, two, three or more.\nAnd 17, so.\n"]
    {
        let solved = format!("{prose}{PUZZLE},{SOLUTION}\n{PUZZLE},{SOLUTION}\n");
        assert_eq!(read(solved.as_bytes()).show(), vec![dotted(); 2], "{prose}");
        assert_eq!(claims(&solved), [SOLUTION; 2], "{prose}");
    }
    for bad in ["123456", &PUZZLE[..20], &format!("a {}", &PUZZLE[1..])] {
        let shown = show(format!("x y\n{bad}\n{PUZZLE}\n{PUZZLE}\n"));
        let counts = bad == "123456" && shown.len() == 2;
        assert!(counts || shown[0].contains(':') && shown.len() == 3, "{bad}: {shown:?}");
    }
}

/// A count comes before the first record only, however that is written.
#[test]
fn a_number_after_a_puzzle_is_a_record() {
    for puzzle in [PUZZLE.to_owned(), format!("{PUZZLE} "), PUZZLE.replace('0', "x")] {
        let rows = show(format!("{puzzle}\n12\n{puzzle}\n"));
        assert_eq!((&rows[0], rows.len(), &rows[2]), (&dotted(), 3, &dotted()));
        assert!(rows[1].contains("2 cells"), "{}", rows[1]);
    }
}

/// The puzzle with something between its cells, or between groups of them.
fn joined(size: usize, between: &str) -> String {
    let groups: Vec<_> =
        PUZZLE.as_bytes().chunks(size).map(|group| group.escape_ascii().to_string()).collect();
    groups.join(between)
}

/// Every way to write a puzzle on a line: `P` is the puzzle.
fn ways() -> Vec<String> {
    let around = [
        "name: \"P\"",
        "12. P",
        "12) P",
        "qz: P",
        "Puzzle 12: P",
        "easy P",
        "\"P\",",
        "'P',",
        "p1 = \"P\"",
        "grid(\"P\");",
        "key=P",
        "7\tP",
        "  { 'P', 'x' },",
        "P\u{a0}9.5",
        "3fa85f64-5717-4562-b3fc-2c963f66afa6 P",
        "№ 5 – P 27",
        "INSERT INTO sudoku VALUES (3,'P',1.2);",
        "{Name: \"a\", Nr: -1, cells: \"P\"},",
        "[info] P # remark",
        "2021-02-11 P",
        "`P`",
        "“P”",
    ];
    let mut ways: Vec<String> = around.iter().map(|way| way.replace('P', PUZZLE)).collect();
    for size in [1, 3, 9, 27] {
        for between in [" ", "  ", "\t", ",", ", ", ";", "|", " | ", "/", "\u{a0}", "│"] {
            ways.push(joined(size, between));
        }
    }
    let cells = joined(1, ",");
    let nested: Vec<_> = PUZZLE
        .as_bytes()
        .chunks(9)
        .map(|row| format!("{:?}", row.iter().map(|b| b - b'0').collect::<Vec<_>>()))
        .collect();
    ways.extend([
        format!("[{cells}],"),
        format!("{{{cells}}}"),
        format!("int b[81] = {{{cells}}};"),
        format!("12: {cells},"),
        format!("12 [{cells}]"),
        format!("7, ({cells})"),
        format!("'{}'", joined(1, "','")),
        format!("\"{}\",", joined(9, "\",\"")),
        format!("[{}],", nested.join(", ")),
        format!("p = [{}]", nested.join(",").replace(['[', ']'], "")),
        format!("({})", nested.join(",").replace('[', "(").replace(']', ")")),
        format!("\"{}\" # x", joined(1, " ")),
        format!("{} easy", joined(9, " ")),
        joined(9, "-").replace('0', "."),
        joined(9, "."),
        joined(1, " ").replace('0', "-1"),
        cells.replace('0', "null"),
        cells.replace('0', "None"),
        cells.replace('0', ""),
        cells.replace('0', "").replace(',', ", "),
        cells.replace('0', "").replace(',', ";"),
        cells.replace('0', "").replace(',', "\t"),
        format!("[{}],", cells.replace('0', "")),
        format!("hard: {}", cells.replace('0', "")),
        cells.replace('0', "\"\""),
        joined(1, ".0,") + ".0",
        joined(1, ". ") + ".",
        joined(1, ".0,").replace("0.0", "nan") + ".0",
        PUZZLE.replace('0', "$"),
        PUZZLE.replace('0', ":"),
        PUZZLE.replace('0', "·") + " 7.1",
        format!("name: {}", PUZZLE.replace('0', "+")),
        PUZZLE.chars().map(|cell| char::from_u32(cell as u32 - 48 + 0xff10).unwrap()).collect(),
        format!(
            ":0000:1:{}:::",
            PUZZLE.replacen("03000", "+23+6+7.", 1).replace("400", ".+2".replace('.', "4+1").as_str())
        ),
    ]);
    ways
}

#[test]
fn a_puzzle_is_found_in_whatever_way_it_is_written() {
    for way in ways() {
        for line_end in ["\n", "\r\n"] {
            let text = format!("{way}{line_end}").repeat(3);
            let reading = read(text.as_bytes());
            assert_eq!(reading.show(), vec![dotted(); 3], "{way}");
            assert_eq!(reading.records[2].line, 3);
        }
        // Every clue is found again.
        let text = format!("{way}\n");
        for (place, digit) in
            places(text.as_bytes())[0].iter().zip(PUZZLE.chars()).filter(|(_, digit)| *digit != '0')
        {
            let found = text[place.column as usize - 1..].chars().next().unwrap();
            assert!(found == digit || found as u32 == digit as u32 - 48 + 0xff10, "{way}");
        }
    }
}

/// A cell that is lost or doubled, wherever it is, and whatever stands beside: no other puzzle is made of the rest.
#[test]
fn a_line_with_a_cell_too_few_or_too_many_is_no_puzzle() {
    for way in ways() {
        let good = format!("{way}\n").repeat(3);
        // Without a digit an empty field is a blank, which is another puzzle.
        let has_empty = [",,", ", ,", ";;", "\t\t", "\"\""].iter().any(|empty| way.contains(empty));
        let is_victim = |byte: char| if has_empty { ",;\t".contains(byte) } else { byte.is_ascii_digit() };
        for (at, digit) in way.match_indices(is_victim).step_by(17) {
            for bad in [String::new(), digit.repeat(2)] {
                let bad = format!("{}{bad}{}", &way[..at], &way[at + 1..]);
                let shown = read(format!("{good}{bad}\n{good}").as_bytes()).show();
                let untouched = || shown[..3].iter().chain(&shown[shown.len() - 3..]);
                assert!(shown.len() >= 6 && untouched().all(|row| *row == dotted()), "{bad}\n{shown:?}");
                let made_up = |row: &String| row.len() == CELLS && *row != dotted() && !row.contains(':');
                assert!(!shown.iter().any(made_up), "{way}\n{bad}\n{shown:?}");
            }
        }
    }
}

/// Digits from 0 to 8, and -1 for a blank.
#[test]
fn zero_is_no_blank_where_minus_one_is_one() {
    let spaced = |digits: &str| {
        let cells: Vec<_> = digits
            .chars()
            .map(|digit| if digit == '0' { "-1".to_owned() } else { digit.to_string() })
            .collect();
        cells.join(" ")
    };
    assert_eq!(read(format!("{0}\n{0}\n", spaced(PUZZLE)).as_bytes()).show(), vec![dotted(); 2]);
    let from_zero: String = PUZZLE.chars().map(|digit| if digit == '1' { 'z' } else { digit }).collect();
    let text = format!("{0}\n{0}\n", spaced(&from_zero).replace('z', "0"));
    assert!(read_as(text.as_bytes(), "line").show().iter().all(|shown| shown.contains(':')), "{text}");
}

#[test]
fn what_plainly_is_no_record_is_none() {
    let plain = format!("{PUZZLE}\n");
    let named = format!("easy 7: \"{PUZZLE}\"\n");
    let remarks = [
        "// x",
        "//",
        "; x",
        "% 5 of 9",
        "-- x",
        "/* x",
        " * all of them",
        "*/",
        "'''",
        "```",
        "```text",
        "\"\"\"",
        "Hard puzzles, 2021",
        "= Hard =",
        "[Puzzle]",
        "puzzles = [",
        "var list = {",
        "[",
        "[[",
        "({",
        "]",
        "];",
        "],",
        "})",
        "};",
        "-----",
        "- - - -",
        "=====",
        "***",
        "____________________________",
        "end",
        "EOF",
        "Лёгкие",
        "第1题",
        "next:",
        "It was the best of times, it was the worst of times",
    ];
    for good in [plain, named] {
        for remark in remarks {
            // What sets the cells of a file apart is no part of its remarks.
            if good.contains(':') && remark.contains(':') {
                continue;
            }
            let text = format!("{remark}\n{good}{remark}\r\n{good}{remark}");
            let reading = read(text.as_bytes());
            // It may be read as the list that its first line begins, and then has no end.
            let mut shown = reading.show();
            assert!(
                shown.len() == 2 || remark.starts_with(['[', '(']) && shown.split_off(2).len() == 1,
                "{remark}"
            );
            assert_eq!(shown, vec![dotted(); 2], "{remark}");
            let given = read_as(text.as_bytes(), "line");
            assert_eq!((given.show(), given.notes.len()), (vec![dotted(); 2], 0), "{remark}");
        }
    }
}

#[test]
fn what_may_be_a_record_is_never_skipped() {
    let plain = [
        "12",
        "-",
        "53..7",
        "q",
        "a1",
        "..",
        "53..7 h",
        "1.3...5.9..21.94....7 is cut off here",
        "5 3 null",
        "(2)",
        "[]",
        "[],",
        "\0",
        "--53",
        ";;;",
        "......",
        ",",
    ];
    let cases = [
        ("P", &plain[..]),
        ("P,easy", &[",easy", "hard,53..7", ",", "123,easy"]),
        ("easy 7: \"P\"", &["hard 8: \"\"", "hard 8: \"53..7\"", "\"\""]),
        // Blanks of the file are no borders.
        ("B", &["-----", "- - -", "--"]),
    ];
    for (way, lines) in cases {
        let good = way.replace('B', &PUZZLE.replace('0', "-")).replace('P', PUZZLE);
        for line in lines {
            let shown = read(format!("{good}\n{line}\n{good}\n").as_bytes()).show();
            assert_eq!(shown.len(), 3, "{line}: {shown:?}");
            assert_eq!((&shown[0], &shown[2]), (&dotted(), &dotted()), "{line}");
            assert!(shown[1].starts_with("2:"), "{line}: {}", shown[1]);
        }
    }
    // Words where a record should be, and no heading is known.
    let shown = read(
        format!("{PUZZLE}\nno puzzle here\n{PUZZLE}\n\nA heading\n{PUZZLE}\n{PUZZLE}\n{PUZZLE}\n").as_bytes(),
    )
    .show();
    assert_eq!((shown.len(), shown[1].starts_with("2:1: ")), (6, true), "{shown:?}");
    // A line of 81 signs that are blanks nowhere else is a border, and a puzzle where they are.
    for sign in ["-", "_", "*"] {
        let border = sign.repeat(CELLS);
        assert_eq!(read(format!("{PUZZLE}\n{border}\n{PUZZLE}\n").as_bytes()).show(), vec![dotted(); 2]);
        let used = PUZZLE.replace('0', sign);
        let shown = read(format!("{used}\n{border}\n{used}\n").as_bytes()).show();
        assert_eq!(shown, [dotted(), ".".repeat(CELLS), dotted()]);
    }
}

#[test]
fn a_short_line_above_each_puzzle_is_its_title() {
    for title in ["1", "E1", "(2)", "2021-02-11", "--- 2 ---", "No. 7"] {
        let more = "1234567890123456789012345\n12345678901\n";
        let reading = read((format!("{title}\n{PUZZLE}\n\n").repeat(3) + more).as_bytes());
        let shown = reading.show();
        assert_eq!((&shown[..3], reading.notes.len()), (&vec![dotted(); 3][..], 0), "{title}");
        assert_eq!(shown.len(), 5, "{title}: what is longer, or a row, is none");
    }
    let once = format!("{PUZZLE}\n{PUZZLE}\nE1\n{PUZZLE}\n");
    assert_eq!(read(once.as_bytes()).show().len(), 4);
}

#[test]
fn a_lone_0_ends_a_list_and_is_noted_where_it_does_not() {
    for end in ["0", "-1", " 0 \r", "end"] {
        let reading = read(format!("{PUZZLE}\n{PUZZLE}\n{end}\n\n").as_bytes());
        assert_eq!((reading.show(), reading.notes.len()), (vec![dotted(); 2], 0), "{end}");
    }
    for more in [PUZZLE.to_owned(), format!("x: {PUZZLE}")] {
        let reading = read(format!("{PUZZLE}\n0\n{more}\n{PUZZLE}\n").as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 3]);
        assert_eq!(reading.notes, ["test: a lone 0 or -1, which ends a list, stands between puzzles"]);
    }
}

/// `+` marks what was placed by solving; the givens alone are the puzzle.
#[test]
fn a_hodoku_library_holds_givens_and_placed_digits() {
    let placed = |at: usize| at.is_multiple_of(2) || PUZZLE.as_bytes()[at] == b'0';
    let cells: String = (0..CELLS)
        .map(|at| match &SOLUTION[at..=at] {
            _ if at % 3 == 0 && PUZZLE.as_bytes()[at] == b'0' => ".".to_owned(),
            digit if placed(at) => format!("+{digit}"),
            digit => digit.to_owned(),
        })
        .collect();
    let givens: String = (0..CELLS).map(|at| if placed(at) { "." } else { &PUZZLE[at..=at] }).collect();
    let line = format!(":0100-1:1:{cells}:811 515:193 198::");
    assert_eq!(read(format!("# library\n{line}\n{line}\n").as_bytes()).show(), [givens.as_str(); 2]);
    for bad in [line.replacen('+', "++", 1), line.replacen('.', "", 1), line.replace(":811", "4:811")] {
        let shown = read(format!("{line}\n{bad}\n{line}\n").as_bytes()).show();
        assert_eq!((shown.len(), shown[1].starts_with("2:")), (3, true), "{bad}");
    }
}

/// Lines lost, doubled, in other order, with others between: nothing is touched but themselves.
#[test]
fn what_happens_to_a_line_of_a_list_costs_no_other() {
    let ways =
        ["P".to_owned(), "name: \"P\",".to_owned(), "P,easy".to_owned(), "G".to_owned(), "[C],".to_owned()];
    for way in ways {
        let (groups, cells) = (joined(9, " "), joined(1, ", "));
        let line = |first: usize| {
            let with = |cells: &str| cells.replacen('1', &first.to_string(), 1);
            way.replace('C', &with(&cells)).replace('G', &with(&groups)).replace('P', &with(PUZZLE)) + "\n"
        };
        let list: Vec<String> = (1..10).map(line).collect();
        let shown = |order: &[usize]| {
            order.iter().map(|at| format!("{}{}", at + 1, &dotted()[1..])).collect::<Vec<_>>()
        };
        let all: Vec<usize> = (0..9).collect();
        for at in [0, 4, 8] {
            let (mut dropped, mut doubled, mut swapped) = (all.clone(), all.clone(), all.clone());
            dropped.remove(at);
            doubled.insert(at, at);
            swapped.swap(at, (at + 1) % 9);
            for order in [dropped, doubled, swapped] {
                let text: String = order.iter().map(|&at| list[at].as_str()).collect();
                for line_end in ["\n", "\r\n", "\n\n  \n"] {
                    let text = text.replace('\n', line_end);
                    assert_eq!(read(text.as_bytes()).show(), shown(&order), "{text}");
                }
            }
            for (stray, invalid) in
                [("53..7", 1), ("q", 1), ("more of them", 1), ("\nmore of them", 0), ("// x", 0), ("\t", 0)]
            {
                let mut lines = list.clone();
                lines.insert(at + 1, format!("{stray}\n"));
                let (good, bad): (Vec<_>, Vec<_>) =
                    read(lines.concat().as_bytes()).show().into_iter().partition(|row| row.len() == CELLS);
                assert_eq!((good, bad.len()), (shown(&all), invalid), "{way} {stray}");
            }
            // Two lines that became one.
            let mut lines = list.clone();
            lines[at].pop();
            let rows = read(lines.concat().as_bytes()).show();
            let good: Vec<_> = rows.iter().filter(|row| row.len() == CELLS).collect();
            assert!(good.len() >= 7 && good.iter().all(|row| shown(&all).contains(row)), "{way} {rows:?}");
        }
    }
}

#[test]
fn a_claim_is_read_in_the_way_of_its_puzzle() {
    let groups = |text: &str, size: usize, between: &str| {
        text.as_bytes()
            .chunks(size)
            .map(|group| group.escape_ascii().to_string())
            .collect::<Vec<_>>()
            .join(between)
    };
    for (size, between) in [(1, ","), (1, " "), (9, " ")] {
        let puzzle = groups(PUZZLE, size, between);
        let solution = groups(SOLUTION, size, between);
        for way in ["P;S", "P,S", "P S", "x: P, S", "[P],[S]", "[[P], [S]],", "p=[P], s=[S]"] {
            let line = format!("{}\n", way.replace('P', &puzzle).replace('S', &solution));
            assert_eq!(claims(&line.repeat(3)), [SOLUTION; 3], "{line}");
        }
        assert_eq!(claims(&format!("{puzzle}\n").repeat(3)), ["missing"; 3]);
        // One that changes a clue or lacks a digit is wrong; another puzzle is none, even a complete one.
        for (found, written) in [("14", "24"), ("14", "04"), ("6127", "6120"), ("1436", "1431")] {
            let wrong = SOLUTION.replace(found, written);
            let line = format!("{puzzle} {}\n", groups(&wrong, size, between));
            assert_eq!(claims(&line.repeat(3)), vec![wrong.replace('0', "."); 3], "{line}");
        }
        let other = SOLUTION.as_bytes().iter().rev().map(|&byte| char::from(byte)).collect::<String>();
        let shown = show(format!("{puzzle} {}\n", groups(&other, size, between)).repeat(3));
        assert!(shown.iter().all(|row| row.ends_with("162 cells (expected 81)")), "{shown:?}");
    }
    for way in ["x: P,S", "\"P\",\"S\"", "('P', 'S'),"] {
        let line = format!("{}\n", way.replace('P', PUZZLE).replace('S', SOLUTION));
        assert_eq!(claims(&line.repeat(3)), [SOLUTION; 3], "{line}");
        // A claim whose puzzle is lost is no puzzle.
        let lost = format!("{}\n", way.replace('P', "").replace('S', SOLUTION));
        let shown = read(format!("{line}{line}{lost}").as_bytes()).show();
        assert!(!shown.contains(&SOLUTION.to_owned()), "{lost}");
    }
}

#[test]
fn every_blank_character_is_a_blank() {
    for blank in "0.*_-?Xx".chars() {
        let text = PUZZLE.replace('0', &blank.to_string());
        assert_eq!(read(format!("{text}\n").as_bytes()).show(), [dotted()], "{blank}");
    }
}

#[test]
fn what_is_tolerated() {
    let text = format!("\u{feff}# a list\r\n\r\n   \n{PUZZLE}\r\n  # more\n \t{PUZZLE}  \n\n{PUZZLE}");
    let reading = read(text.as_bytes());
    assert_eq!(reading.show(), vec![dotted(); 3]);
    assert_eq!(reading.records.iter().map(|record| record.line).collect::<Vec<_>>(), [4, 6, 8]);
    assert_eq!(reading.records[0].text, format!("{PUZZLE}\r\n").as_bytes());
    assert_eq!(reading.records[2].text, PUZZLE.as_bytes());
    assert!(reading.records.iter().all(|record| record.layout == Layout::Line));
}

#[test]
fn an_exchange_bank_line_has_its_cells_behind_the_identifier() {
    let text = format!("0000183b305c {PUZZLE}  1.2\n12345678901f\t{PUZZLE} 2.0\n");
    assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
    assert_eq!(places(text.as_bytes())[1][0], place(2, 14));
    assert_eq!(places(text.as_bytes())[1][80], place(2, 94));
}

/// Once the digits of hashes were taken for cells.
#[test]
fn a_hash_before_the_cells_holds_none() {
    let sha_256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    for id in ["12345678901234567890123a", sha_256, "01234567-0123-0123-0123-01234567890a"] {
        for (between, behind) in [(" ", ""), (",", ""), (":", " 7.2"), (" ", &format!(" {SOLUTION}"))] {
            let line = format!("{id}{between}{}{behind}\n", dotted());
            assert_eq!(show(line.repeat(3)), vec![dotted(); 3], "{line}");
        }
        // A complete grid may be the solution of what is damaged before it.
        assert!(!show(format!("{id} {SOLUTION}\n")).contains(&SOLUTION.to_owned()));
    }
    for damaged in [PUZZLE.replacen('5', "a", 1), PUZZLE[..38].replacen('5', "a", 1)] {
        let shown = show(format!("{damaged} {SOLUTION}\n{PUZZLE} {SOLUTION}\n"));
        assert!(shown.len() == 2 && shown[0].contains(':'), "{shown:?}");
    }
}

#[test]
fn a_bad_line_is_one_invalid_record_with_place_and_reason() {
    let with = |at: usize, bytes: &[u8]| {
        let mut line = PUZZLE.as_bytes().to_vec();
        line.splice(at..at + 1, bytes.iter().copied());
        line
    };
    let sukaku = "1".repeat(729);
    let table: Vec<(Vec<u8>, &str)> = vec![
        (PUZZLE.as_bytes()[1..].to_vec(), "1:81: 80 cells (expected 81)"),
        ([PUZZLE.as_bytes(), b"1"].concat(), "1:82: 82 cells (expected 81)"),
        ([PUZZLE.as_bytes(), b"-name"].concat(), "1:82: 82 cells (expected 81)"),
        (b"12 34".to_vec(), "1:3: 2 cells (expected 81)"),
        (b"1,2".to_vec(), "1:2: 1 cell (expected 81)"),
        (with(36, b"\x07"), "1:37: invalid character '\\x07' (expected 1-9, 0 or .)"),
        (with(0, b"\0"), "1:1: invalid character '\\x00' (expected 1-9, 0 or .)"),
        (with(80, b"\0"), "1:81: invalid character '\\x00' (expected 1-9, 0 or .)"),
        (with(80, b"\xff"), "1:81: invalid byte '\\xff' (expected 1-9, 0 or .)"),
        (with(3, b"\xc3"), "1:4: invalid byte '\\xc3' (expected 1-9, 0 or .)"),
        (with(3, "é".as_bytes()), "1:4: invalid character 'é' (expected 1-9, 0 or .)"),
        (b"he".to_vec(), "1:1: invalid character 'h' (expected 1-9, 0 or .)"),
        (b"  \t he".to_vec(), "1:5: invalid character 'h' (expected 1-9, 0 or .)"),
        (b",".to_vec(), "1:1: invalid character ',' (expected 1-9, 0 or .)"),
        (format!("0000183b305c {} 1.2", &PUZZLE[1..]).into_bytes(), "1:94: 80 cells (expected 81)"),
        (
            format!("0000183b305c {}a 1.2", &PUZZLE[1..]).into_bytes(),
            "1:94: invalid character 'a' (expected 1-9, 0 or .)",
        ),
        // An identifier alone, and before less or more than half a puzzle.
        (b"0000183b305c".to_vec(), "1:8: invalid character 'b' (expected 1-9, 0 or .)"),
        (
            format!("0000183b305c {}", &PUZZLE[..40]).into_bytes(),
            "1:8: invalid character 'b' (expected 1-9, 0 or .)",
        ),
        (format!("0000183b305c {}", &PUZZLE[..41]).into_bytes(), "1:55: 41 cells (expected 81)"),
        (sukaku.into_bytes(), "1:82: 729 cells: a sukaku, which is not supported yet (expected 81)"),
    ];
    for (line, expected) in table {
        // Alone, in front of a good line, and with a Windows line end.
        let good = PUZZLE.as_bytes();
        for end in [&b"\n"[..], b"\r\n"] {
            let text = [&line, end, good, b"\n"].concat();
            assert_eq!(show(&text), [expected.to_owned(), dotted()], "{}", line.escape_ascii());
        }
        let text = [good, b"\n", &line].concat();
        let expected = expected.replacen("1:", "2:", 1);
        assert_eq!(show(&text), [dotted(), expected], "{}", line.escape_ascii());
    }
}

#[test]
fn the_longest_line_allowed_is_read_and_a_longer_one_is_one_record() {
    for (length, first) in
        [(MAX_LINE, dotted()), (MAX_LINE + 1, format!("1:{}: line longer than 1 MiB", MAX_LINE + 1))]
    {
        for filling in [" ", "1", "a"] {
            let first = if filling == "1" && length == MAX_LINE {
                format!("1:82: {MAX_LINE} cells (expected 81)")
            } else {
                first.clone()
            };
            let text = format!("{PUZZLE}{}\n{PUZZLE}\n", filling.repeat(length - 81));
            assert_eq!(show(text), [first, dotted()], "{length} {filling}");
        }
    }
}

#[test]
fn the_rest_of_an_endless_line_is_not_kept() {
    for filling in ["1", "a", " ", "\0"] {
        let text = format!("{PUZZLE}\n{}\n{PUZZLE}\n", filling.repeat(3 * MAX_LINE));
        let reading = read(text.as_bytes());
        let reason = format!("2:{}: line longer than 1 MiB", MAX_LINE + 1);
        assert_eq!(reading.show(), [dotted(), reason, dotted()], "{filling:?}");
        assert_eq!(reading.records[1].text.len(), MAX_LINE + 2);
        assert_eq!(reading.records[2].line, 3);
    }
}

#[test]
fn a_count_line_counts_only_in_front() {
    let reading = read(format!("# list\n2\n{PUZZLE}\n{PUZZLE}\n").as_bytes());
    assert_eq!(reading.show(), vec![dotted(); 2]);
    assert_eq!(reading.notes, Vec::<String>::new());
    assert_eq!(reading.records[0].line, 3);

    let reading = read(format!("{PUZZLE}\n2\n{PUZZLE}\n").as_bytes());
    assert_eq!(reading.show(), [dotted(), "2:2: 1 cell (expected 81)".to_owned(), dotted()]);

    // Thirteen digits are a short puzzle.
    let reading = read(format!("1234567890123\n{PUZZLE}\n").as_bytes());
    assert_eq!(reading.show(), ["1:14: 13 cells (expected 81)".to_owned(), dotted()]);
}

#[test]
fn a_count_line_that_is_wrong_costs_no_row() {
    for promised in [0, 1, 3, 49151] {
        let reading = read(format!("{promised}\r\n{PUZZLE}\n{PUZZLE}\n").as_bytes());
        assert_eq!(reading.show(), vec![dotted(); 2]);
        assert_eq!(reading.notes, [format!("test: the count line promises {promised} records, 2 came")]);
    }
}

#[test]
fn a_list_without_claims_is_noted_where_they_are_wanted() {
    let notes = |claims: bool, text: &str| {
        let format = FormatChoice::named("line");
        drain(open(text.as_bytes(), &ReadOptions { format, claims, ..ReadOptions::default() }).unwrap(), 1000)
            .notes
    };
    let list = format!("{PUZZLE}\n{PUZZLE}\n");
    let noted = ["test: the first lines have no claimed solutions behind their puzzles"];
    assert_eq!(notes(true, &list), noted);
    assert_eq!(notes(false, &list), [""; 0]);
    assert_eq!(notes(true, "# empty\n0\n"), [""; 0]);
    assert_eq!(notes(true, &format!("{PUZZLE},{SOLUTION}\n")), [""; 0]);
}

const SOLUTION: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

fn claims(text: &str) -> Vec<String> {
    read(text.as_bytes()).claims()
}

#[test]
fn claims_behind_puzzles() {
    for behind in [",S", "\tS", " S", "  S", ";S", ":1:S", ",S # remark", ", S", ",S,1.2", " 7.1 S", ",S\r"] {
        let line = format!("{PUZZLE}{}\n", behind.replace('S', SOLUTION));
        assert_eq!(claims(&line.repeat(2)), [SOLUTION; 2], "{behind}");
        // A puzzle alone has none, and it stays one.
        assert_eq!(claims(&format!("{line}{PUZZLE}\n{line}")), [SOLUTION, "missing", SOLUTION], "{behind}");
    }
    // What this program writes where there is no solution.
    let text = format!("{PUZZLE},\n{PUZZLE},{SOLUTION}\n,\n{PUZZLE},\n");
    let reading = read(text.as_bytes());
    assert_eq!(reading.claims(), ["missing", SOLUTION, "missing", "missing"]);
    assert_eq!(reading.show()[2], "3:1: invalid character ',' (expected 1-9, 0 or .)");
    // tdoku writes nothing behind a count of 0.
    let text = format!("{PUZZLE}:0:\n{PUZZLE}:1:{SOLUTION}\n");
    assert_eq!(claims(&text), ["missing", SOLUTION]);
    let bank = format!("0000183b305c {PUZZLE},{SOLUTION}\n");
    assert_eq!(claims(&bank), [SOLUTION]);
}

#[test]
fn ratings_and_names_are_no_claims() {
    for behind in
        ["", " 9.5", "\t#1", ",sol", ";x", "#1", " # a remark", ":1:", ":1:22", ",12345678", ",-----", "\0"]
    {
        let text = format!("{PUZZLE}{behind}\n").repeat(3);
        assert_eq!(claims(&text), ["missing"; 3], "{behind:?}");
    }
    assert_eq!(claims(&format!("0000183b305c {PUZZLE}  1.2\n")), ["missing"]);
    // Less than half a grid is none, and more is one that is too short.
    let behind = |cells: usize| claims(&format!("{PUZZLE},{}\n", &SOLUTION[..cells]).repeat(3));
    assert_eq!(behind(40), ["missing"; 3]);
    assert_eq!(behind(41)[0], "line 1, column 124: claimed solution: 41 cells (expected 81)");
    // One solution among names does not make claims of them, nor do as many as there are names.
    let text = format!("{PUZZLE},a\n{PUZZLE},b\n{PUZZLE},{SOLUTION}\n");
    assert_eq!(claims(&text), ["missing", "missing", SOLUTION]);
    assert_eq!(claims(&format!("{PUZZLE},a\n{PUZZLE},{SOLUTION}\n")), ["missing", SOLUTION]);
    // Of two fields of cells the first is the claim.
    assert_eq!(claims(&format!("{PUZZLE},{SOLUTION},{}\n", dotted()).repeat(2)), [SOLUTION; 2]);
}

/// Wherever the first lines have theirs, or none at all.
#[test]
fn a_claim_that_comes_late_or_elsewhere_is_found() {
    let late = format!("{}{PUZZLE},{SOLUTION}\n", format!("{PUZZLE},\n").repeat(1000));
    assert_eq!(claims(&late)[999..], ["missing", SOLUTION]);
    let mixed = format!("{PUZZLE},{SOLUTION}\n{PUZZLE} {SOLUTION}\n{PUZZLE};17;{SOLUTION}\n");
    assert_eq!(claims(&mixed), [SOLUTION; 3]);
}

#[test]
fn a_bad_claim_has_place_and_reason() {
    let short = &SOLUTION[1..];
    let table = [
        (short.to_owned(), "line 2, column 163: claimed solution: 80 cells (expected 81)"),
        (format!("{SOLUTION}1"), "line 2, column 164: claimed solution: 82 cells (expected 81)"),
        (format!(" {short}q"), "line 2, column 164: claimed solution: invalid character 'q' (expected 1-9)"),
        ("none".to_owned(), "line 2, column 83: claimed solution: invalid character 'n' (expected 1-9)"),
    ];
    for (bad, expected) in table {
        let good = format!("{PUZZLE},{SOLUTION}\n");
        assert_eq!(claims(&format!("{good}{PUZZLE},{bad}\n{good}")), [SOLUTION, expected, SOLUTION]);
    }
    // Cells too few or blank are a claim all the same, even where no line has a good one.
    assert_eq!(claims(&format!("{PUZZLE},{}\n", dotted())), [dotted()]);
    let shown = claims(&format!("{PUZZLE},{short}\n"));
    assert_eq!(shown, ["line 1, column 163: claimed solution: 80 cells (expected 81)"]);
}

#[test]
fn a_clue_is_found_again() {
    let text = format!("# x\n{PUZZLE}\n  {PUZZLE}");
    assert_eq!(places(text.as_bytes())[0][40], place(2, 41));
    assert_eq!(places(text.as_bytes())[1][0], place(3, 3));
}
