use super::*;
use crate::input::testing::{Body, PUZZLE, Reading, dotted, drain, open, read, read_as, rows, told};
use crate::input::{FormatChoice, ReadOptions};

const SOLUTION: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// Reads a document whole and in batches of several sizes; all must give the same.
fn read_in_parts(text: &[u8], format: &str) -> Reading {
    let format = FormatChoice::named(format);
    let options = ReadOptions { format, claims: true, ..ReadOptions::default() };
    let Ok(source) = open(text, &options) else {
        return Reading { records: Vec::new(), notes: Vec::new(), error: None, begins_lines: true };
    };
    let whole = drain(source, 1 << 20);
    for target in [1, 7, 100, 1000] {
        let parts = drain(open(text, &options).expect("it opened before"), target);
        assert_eq!(parts.records, whole.records, "in batches of {target} bytes");
        assert_eq!(parts.notes, whole.notes);
    }
    whole
}

/// What a document gives, found without being told the format.
fn show(text: &str) -> Vec<String> {
    let found = read(text.as_bytes()).show();
    for format in ["json", "jsonl"] {
        let parts = read_in_parts(text.as_bytes(), format).show();
        assert!(format == "jsonl" || parts == found, "{text}");
    }
    found
}

/// The example as nine lists.
fn lists(blank: &str) -> String {
    let row = |row: &str| {
        let cells: Vec<_> =
            row.chars().map(|c| if c == '0' { blank.to_owned() } else { c.to_string() }).collect();
        format!("[{}]", cells.join(","))
    };
    format!("[{}]", rows().lines().map(row).collect::<Vec<_>>().join(","))
}

#[test]
fn a_puzzle_in_every_shape() {
    let flat =
        |cell: fn(char) -> String| format!("[{}]", PUZZLE.chars().map(cell).collect::<Vec<_>>().join(", "));
    let strings =
        format!("[{}]", rows().lines().map(|row| format!("{row:?}")).collect::<Vec<_>>().join(",\n"));
    let shapes = [
        format!("\"{PUZZLE}\""),
        format!("\"{}\"", dotted()),
        format!("\"{}\"", PUZZLE.replace('0', " ")),
        format!("\"{}\"", PUZZLE.replace('0', "~")),
        format!("\"{}\"", PUZZLE.replace('0', "\\u0030")),
        format!("{:?}", rows()),
        format!("\" {PUZZLE} # easy\""),
        format!("'{PUZZLE}'"),
        PUZZLE.to_owned(),
        lists("0"),
        lists("null"),
        lists("\"\""),
        lists("\".\""),
        lists("-1"),
        lists("None"),
        lists("0.0"),
        flat(|c| c.to_string()),
        flat(|c| format!("{c:?}")),
        flat(|c| if c == '0' { "null".to_owned() } else { format!("\"{c}\"") }),
        strings,
    ];
    for shape in shapes {
        for text in [
            format!("[{shape},\n{shape}]"),
            format!("{{\"a\": {{\"x\": [{shape}, {shape}]}}}}\n"),
            format!("[{{\"puzzle\": {shape}, \"n\": 5}}, {{\"name\": \"a b\", \"other\": {shape}}}]"),
            format!("{{\"1\": {shape}, \"2\": {shape}}}"),
            format!("{{\"puzzle\": {shape}}}\n{{\"puzzle\": {shape}}}\n"),
            format!("\u{feff}[\r\n  {shape},\r\n  {shape},\r\n]\r\n"),
        ] {
            assert_eq!(show(&text), vec![dotted(); 2], "{text}");
        }
        assert_eq!(read_as(shape.as_bytes(), "json").show(), [dotted()], "{shape}");
    }
}

#[test]
fn known_interfaces() {
    let (board, solved) = (lists("0"), lists("0").replace('0', "1"));
    let table = [
        (
            format!(
                r#"{{"newboard":{{"grids":[{{"value":{board},"solution":{solved},"difficulty":"Easy"}}],"results":1,"message":"All Ok"}}}}"#
            ),
            1,
        ),
        (format!(r#"{{"board":{board}}}"#), 1),
        (format!(r#"{{"puzzles":[{{"puzzle":"{PUZZLE}","solution":"{SOLUTION}"}}]}}"#), 1),
        (format!(r#"{{"easy":["{PUZZLE}","{PUZZLE}"],"hard":["{PUZZLE}"],"solutions":["{SOLUTION}"]}}"#), 3),
        (format!(r#"[{{"mission":"{PUZZLE}","solution":"{SOLUTION}","win_rate":0.5}}]"#), 1),
        // What pandas writes, by columns and by rows.
        (
            format!(
                r#"{{"puzzle":{{"0":"{PUZZLE}","1":"{PUZZLE}"}},"solution":{{"0":"{SOLUTION}","1":"{SOLUTION}"}}}}"#
            ),
            2,
        ),
        (format!(r#"{{"columns":["puzzle","solution"],"index":[0],"data":[["{PUZZLE}","{SOLUTION}"]]}}"#), 1),
        (
            format!(
                r#"{{"rows":[{{"row_idx":0,"row":{{"question":"{PUZZLE}","answer":"{SOLUTION}","rating":3}}}}]}}"#
            ),
            1,
        ),
    ];
    for (text, count) in table {
        assert_eq!(show(&text), vec![dotted(); count], "{text}");
    }
}

#[test]
fn the_claimed_solution_is_found_by_its_key_or_its_content() {
    let full = format!("\"{SOLUTION}\"");
    for (object, claim) in [
        (format!(r#"{{"puzzle":"{PUZZLE}","solution":{full}}}"#), SOLUTION),
        (format!(r#"{{"solution":{full},"meta":{{"a":[1]}},"puzzle":"{PUZZLE}"}}"#), SOLUTION),
        (format!(r#"{{"question":"{PUZZLE}","answer":{full},"solutions":1}}"#), SOLUTION),
        (format!(r#"{{"x":"{PUZZLE}","y":{full}}}"#), SOLUTION),
        (format!(r#"["{PUZZLE}",{full}]"#), SOLUTION),
        (format!(r#"{{"puzzle":"{PUZZLE}","solutions":[{full}]}}"#), SOLUTION),
        (format!(r#"{{"grid":{},"solution":{}}}"#, lists("0"), lists("0")), &dotted()),
        (format!(r#"{{"puzzle":"{PUZZLE}","solution":null}}"#), "missing"),
        (format!(r#"{{"puzzle":"{PUZZLE}","solution":""}}"#), "missing"),
        (
            format!(r#"{{"puzzle":"{PUZZLE}","solution":"12"}}"#),
            "line 1, column 109: claimed solution: 2 cells (expected 81)",
        ),
    ] {
        for format in ["json", "jsonl"] {
            let reading = read_in_parts(object.as_bytes(), format);
            assert_eq!(
                (reading.show(), reading.claims()),
                (vec![dotted()], vec![claim.to_owned()]),
                "{object}"
            );
        }
    }
}

#[test]
fn what_cannot_be_read_is_a_record_with_its_place() {
    let object =
        |inner: &str| format!("[{{\"puzzle\":\"{PUZZLE}\"}},\n {inner},\n {{\"puzzle\":\"{PUZZLE}\"}}]");
    let short = &PUZZLE[1..];
    let table = [
        (format!("\"{short}\""), "2:83: 80 cells (expected 81)"),
        (format!("\"q{short}\""), "2:3: invalid character 'q' (expected 1-9, 0 or .)"),
        (format!("{{\"puzzle\":\"{short}\"}}"), "2:93: 80 cells (expected 81)"),
        ("{\"puzzle\":null}".to_owned(), "2:12: 0 cells (expected 81)"),
        ("{\"board\":[[1,2],[3,4]],\"puzzle\":\"\"}".to_owned(), "2:35: 0 cells (expected 81)"),
        (lists("0").replacen("0,", "", 1), "2:19: 8 cells (expected 9)"),
        (lists("0").replacen('0', "10", 1), "2:6: number '10' (expected a digit 1-9, 0 or .)"),
        (lists("0").replacen("[1,0,3,0,0,0,5,0,9],", "", 1), "2:162: cut-off grid: 8 rows (expected 9)"),
        (
            format!("\"{}\"", ".23456789".repeat(81)),
            "2:732: 729 cells: a sukaku, which is not supported yet (expected 81)",
        ),
        (
            format!("[{}]", vec!["[1,2,3]"; 81].join(",")),
            "2:2: 243 cells: a sukaku, which is not supported yet (expected 81)",
        ),
    ];
    for (inner, fault) in table {
        let text = object(&inner);
        assert_eq!(show(&text), [dotted(), fault.to_owned(), dotted()], "{text}");
        let fault = match &read(text.as_bytes()).records[1].body {
            Body::Invalid(fault) => fault.to_string(),
            body => panic!("{body:?}"),
        };
        assert!(fault.contains(" ($[1]): "), "{fault}");
        assert_eq!(crate::record::Fault::parse(&fault).to_string(), fault);
    }
}

#[test]
fn broken_json_costs_the_record_that_it_is_in() {
    let good = format!("{{\"puzzle\":\"{PUZZLE}\",\"solution\":\"{SOLUTION}\"}}");
    let document = |middle: &str| format!("[{good},{middle}{good}]");
    let invalid = |text: &str| {
        let shown = show(text);
        assert_eq!((shown.first(), shown.last()), (Some(&dotted()), Some(&dotted())), "{text}\n{shown:?}");
        shown.len() - 2
    };
    for (middle, count) in [
        (String::new(), 0),
        (",,".to_owned(), 0),
        ("// a remark\n".to_owned(), 0),
        ("/* \"81\" { [ */".to_owned(), 0),
        ("NaN, Infinity, 1e999, -, \u{0}, \\, \"\\ud800\",".to_owned(), 0),
        (format!("{},", good.replace('"', "'")), 1),
        (format!("{{\"puzzle\":\"{PUZZLE}\","), 1),
        (format!("{{\"puzzle\":\"{PUZZLE}],"), 1),
        (format!("{{\"puzzle\":\"{PUZZLE},\"solution\":\"{SOLUTION}\"}},"), 1),
        (format!("{{\"puzzle\":{PUZZLE}\",\"solution\":\"{SOLUTION}\"}},"), 1),
        (format!("{{\"puzzle\":\"{PUZZLE}\n\"}},"), 1),
        ("]}]}".to_owned(), 0),
        (format!("]\n{good}\u{feff}{{}}\n["), 1),
        (format!("{},", "9".repeat(400)), 1),
    ] {
        assert_eq!(invalid(&document(&middle)), count, "{middle}");
    }
    // Cut off anywhere: what is whole is read, and the last is one invalid record or none.
    let text = document("");
    for length in 1..text.len() {
        let shown = read_in_parts(&text.as_bytes()[..length], "json").show();
        let whole = usize::from(length > good.len()) + usize::from(length > 2 * good.len() + 1);
        assert_eq!(shown.iter().filter(|shown| **shown == dotted()).count(), whole, "{length}");
        assert!(shown.len() <= whole + 1, "{length}: {shown:?}");
        // Before the first cell of the second puzzle there is nothing to lose.
        let cut_off = length - whole * (good.len() + 1);
        assert!(shown.len() > whole || cut_off <= "[{\"puzzle\":\"".len(), "{length}: {shown:?}");
    }
}

/// The lines between two boards, of which one is lost, or another one stands in a board.
#[test]
fn a_board_that_lost_a_bracket_is_an_invalid_record() {
    let board = lists("0").replace("],", "],\n");
    let object = format!("{{\"id\":1,\"board\":[\n{}\n]}}", &board[1..board.len() - 1]);
    let text = format!("{{\"puzzles\":[\n{object},\n{object},\n{object}\n]}}\n");
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let changed = |at: usize, line: &str, rest: usize| {
        [&lines[..at].concat(), line, &lines[at + rest..].concat()].concat()
    };
    for at in [11, 12, 22, 23] {
        assert!(!lines[at].starts_with("[0"), "{}", lines[at]);
        let shown = show(&changed(at, "", 1));
        let good = shown.iter().filter(|shown| **shown == dotted()).count();
        assert_eq!((shown.len(), good), (3, 2), "without line {at}: {shown:?}");
    }
    for at in 14..21 {
        let shown = show(&changed(at, "{\n", 0));
        assert_eq!((&shown[0], shown.last()), (&dotted(), Some(&dotted())), "{{ before line {at}");
        assert!(shown.len() >= 3 && shown[1] != dotted(), "{{ before line {at}: {shown:?}");
    }
}

/// As in a text editor: lists of rows, one a line, with something wrong in the middle one of three.
#[test]
fn a_broken_grid_is_one_record() {
    let row = |at: usize| lists("0")[1..].split_inclusive("],").nth(at).expect("a row").to_owned();
    let strings = rows().lines().map(|row| format!("{row:?},\n")).collect::<String>();
    let (good, strings) =
        (lists("0").replace("],", "],\n"), format!("[{}]", strings.trim_end_matches(",\n")));
    for (grid, from, to) in [
        (&good, row(3), format!("* * *\n{}", row(3))),
        (&good, row(3), row(3).replace("0,0,6],", "")),
        (&good, row(3), row(3).replace("],", "")),
        (&good, row(3), row(3)[9..].to_owned()),
        (&good, row(1), row(1)[1..].to_owned()),
        (&good, row(7), row(7).replace("0", "zero")),
        (&strings, "700803004".to_owned(), "7008q3004".to_owned()),
        (&strings, "700803004".to_owned(), "not a row at all".to_owned()),
    ] {
        let broken = grid.replacen(from.trim_end_matches(','), to.trim_end_matches(','), 1);
        assert_ne!(&broken, grid, "{from}");
        let shown = show(&format!("{{\"puzzles\": [{grid},\n{broken},\n{grid}]}}"));
        assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &dotted(), &dotted()), "{broken}: {shown:?}");
        assert!(shown[1].contains(": "), "{shown:?}");
    }
}

#[test]
fn a_document_without_its_beginning_gives_no_solution_for_a_puzzle() {
    let (board, full) = (lists("0"), lists("0").replace('0', "1"));
    let (puzzle, solution) = (format!("\"{PUZZLE}\""), format!("\"{SOLUTION}\""));
    let object = format!("{{\"puzzle\": {puzzle}, \"solution\": {solution}}}");
    let boards = format!("{{\"puzzle\": {board}, \"solution\": {full}}}");
    // Of each text what follows its first bytes, which are lost, and whether the first puzzle can be read.
    for (text, is_whole) in [
        (
            &format!("{{\"puzzles\": [{puzzle}, {puzzle}], \"solutions\": [{solution}, {solution}]}}")[1..],
            true,
        ),
        (&format!("{{\"puzzles\": [{board}, {board}], \"solutions\": [{full}, {full}]}}")[1..], true),
        (&format!("[{puzzle},\n{puzzle}],\n\"solutions\": [{solution}, {solution}]}}")[1..], true),
        (&format!("[{puzzle},\n{puzzle}],\n\"solutions\": [{solution}, {solution}]}}")[9..], false),
        (&format!("[{object}, {object}]")[1..], true),
        (&format!("[{boards}, {boards}]")[1..], true),
        (&format!("[{boards}, {boards}]")[2..], true),
        (&format!("[{object},\n{object}]")[2..], true),
        (&format!("[{board}, {board}]")[1..], true),
    ] {
        let shown = show(text);
        assert_eq!(
            (shown.len(), &shown[1], shown[0] == dotted()),
            (2, &dotted(), is_whole),
            "{text}: {shown:?}"
        );
    }
    // A board that lacks its own bracket is not lost.
    let flat = format!("[{}]", lists("0").replace(['[', ']'], ""));
    let shown = show(&format!("{{\"a\": [{flat},\n{},\n{flat}]}}", &flat[1..]));
    assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &dotted(), &dotted()), "{shown:?}");
    // Without its first brackets, row by row.
    let text = &format!("[{board}, {board}]")[2..];
    let error = open(text.as_bytes(), &ReadOptions::default()).expect_err(text).to_string();
    assert!(error.contains("JSON whose beginning is missing"), "{error}");
    let toml = format!("[[puzzles]]\nname = \"a\"\npuzzle = {puzzle}\nsolution = {solution}\n").repeat(2);
    assert_eq!(read(toml.as_bytes()).show(), vec![dotted(); 2]);
}

#[test]
fn rows_that_are_too_few_are_one_record() {
    for count in 3..=8 {
        let few = format!("{}]", &lists("0")[..20 * count]);
        let fault = format!("{count} rows (expected 9)");
        for (text, rows) in [
            (few.clone(), "x"),
            (format!("[{few}, {}]", lists("0")), "xg"),
            (format!("[{}, {few}]", lists("0")), "gx"),
            (format!("[{{\"mine\": {few}}}, {{\"mine\": {}}}]", lists("0")), "xg"),
            (format!("{{\"puzzle\": {}}}\n{{\"puzzle\": {few}}}", lists("0")), "gx"),
        ] {
            let shown = read(text.as_bytes()).show();
            let kinds = shown.iter().map(|row| match row {
                row if *row == dotted() => 'g',
                row if row.contains(&fault) => 'x',
                _ => '?',
            });
            assert_eq!(kinds.collect::<String>(), rows, "{text}: {shown:?}");
        }
    }
    // A row too many makes no grid of the others.
    let many =
        format!("{{\"puzzle\": {},[1,0,0,0,0,0,0,0,0]]}}", lists("0").strip_suffix(']').expect("a list"));
    assert!(open(many.as_bytes(), &ReadOptions::default()).is_err());
}

#[test]
fn the_name_of_a_member_can_be_the_puzzle() {
    let other = PUZZLE.replacen("103", "143", 1);
    for text in [
        format!("{{\"{PUZZLE}\": \"{SOLUTION}\",\n \"{other}\": \"{SOLUTION}\"}}"),
        format!("{{\"a\": [{{\"{PUZZLE}\": {}, \"{other}\": \"{SOLUTION}\"}}]}}", lists("0")),
    ] {
        assert_eq!(show(&text), [dotted(), other.replace('0', ".")], "{text}");
        let claims = read_in_parts(text.as_bytes(), "json").claims();
        assert_eq!(claims[1], SOLUTION, "{text}");
        assert_ne!(claims[0], "missing", "{text}");
    }
    assert_eq!(show(&format!("{{\"{PUZZLE}\": 5, \"{other}\": null}}")).len(), 2);
}

#[test]
fn what_holds_puzzles_in_another_way_makes_up_none() {
    let (boxes, full) = (lists("0"), format!("\"{SOLUTION}\""));
    let state =
        format!("[{{\"state\": 1, \"puzzleState\": [[{{\"entry\": 5}}]], \"puzzleSolution\": {full}}}]");
    for text in [
        format!("[{{\"boxes\": {boxes}}}, {{\"blocks\": {boxes}}}]"),
        format!("{{\"boxes\": [{boxes}, {boxes}]}}"),
        state,
    ] {
        assert!(open(text.as_bytes(), &ReadOptions::default()).is_err(), "{text}");
    }
    assert_eq!(show(&format!("[{{\"boxes\": {boxes}, \"n\": \"{PUZZLE}\"}}]")), [dotted()]);
    let shown = show(&format!("[{{\"n\": \"{PUZZLE}\"}}, {{\"boxes\": {boxes}}}, {{\"n\": \"{PUZZLE}\"}}]"));
    assert_eq!(shown, [dotted(), "1:94: no puzzle in this object (expected 81 cells)".to_owned(), dotted()]);
    // A string of several puzzles.
    let shown = show(&format!("[\"{PUZZLE}\", \"{PUZZLE} a\\n{PUZZLE} b\"]"));
    assert_eq!(shown, [dotted(), "1:256: 162 cells (expected 81)".to_owned()]);
}

#[test]
fn a_document_that_is_cut_off_is_an_invalid_record_at_its_end() {
    for (end, fault) in [
        (",", "1:91: the end within 2 lists or objects that are not closed (truncated file?)"),
        ("\n", "2:1: the end within 2 lists or objects that are not closed (truncated file?)"),
        (",\"12..", "1:91: quote that is not closed (expected a closing \")"),
    ] {
        let reading = read_in_parts(format!("{{\"a\":[\"{PUZZLE}\"{end}").as_bytes(), "json");
        assert_eq!(reading.show(), [dotted(), fault.to_owned()], "{end:?}");
    }
}

#[test]
fn a_solution_is_no_puzzle_where_that_is_in_a_form_that_is_not_read() {
    let given = |(at, digit): (usize, char)| match digit {
        '0' => None,
        _ => Some(format!("\"{}{}\":\"{digit}\"", char::from(b'A' + (at / 9) as u8), at % 9 + 1)),
    };
    let places = PUZZLE.chars().enumerate().filter_map(given).collect::<Vec<_>>().join(",");
    let odd = PUZZLE.replace('0', "o");
    for (puzzle, reason) in [
        (format!("\"puzzle\":{{{places}}}"), "in a form that is not read"),
        (format!("\"p\":{{{places}}}"), "in a form that is not read"),
        (format!("\"p\":\"{odd}\""), "in a form that is not read"),
        (format!("\"puzzle\":\"{odd}\""), "invalid character 'o'"),
        ("\"puzzle\":null".to_owned(), "0 cells"),
    ] {
        let object = format!("{{\"id\":7,{puzzle},\"solution\":\"{SOLUTION}\"}}\n");
        for text in [object.repeat(3), format!("[\n{object},{object},\n{object}]")] {
            let shown = show(&text);
            assert!(
                shown.len() == 3 && shown.iter().all(|shown| shown.contains(reason)),
                "{text}: {shown:?}"
            );
        }
        // Beside one that can be read they are as before.
        let shown = show(&format!("[{object}, {{\"puzzle\":\"{PUZZLE}\"}}]"));
        assert!(shown.len() == 2 && shown[1] == dotted(), "{shown:?}");
    }
    // A number or two more make no puzzle.
    let alone = format!("[{{\"id\":7,\"l\":[1,2],\"solution\":\"{SOLUTION}\"}}]");
    assert_eq!(show(&alone), [SOLUTION]);
}

#[test]
fn lists_of_columns_are_put_in_order_and_no_second_puzzle() {
    let list = |place: fn(usize) -> usize| {
        let mut cells = [""; 81];
        (0..81).for_each(|cell| cells[place(cell)] = &PUZZLE[cell..=cell]);
        let row = |row: &[&str]| format!("[{}]", row.join(","));
        format!("[{}]", cells.chunks(9).map(row).collect::<Vec<_>>().join(","))
    };
    let (rows, columns) = (list(|cell| cell), list(|cell| cell % 9 * 9 + cell / 9));
    let boxes = list(|cell| cell / 27 * 27 + cell % 9 / 3 * 9 + cell / 9 % 3 * 3 + cell % 3);
    for members in [
        format!("\"columns\":{columns}"),
        format!("\"cols\":{columns},\"solution\":\"{SOLUTION}\""),
        format!("\"rows\":{rows},\"columns\":{columns},\"boxes\":{boxes}"),
        format!("\"nonets\":{boxes},\"columns\":{columns},\"grid\":{rows}"),
    ] {
        assert_eq!(show(&format!("[{{{members}}}]")), [dotted()], "{members}");
    }
    for name in ["regions", "nonets", "squares"] {
        let text = format!("[{{\"{name}\":{boxes}}}]");
        assert!(open(text.as_bytes(), &ReadOptions::default()).is_err(), "{text}");
    }
    // A map of places is none.
    let map = format!("[{}]", "[0,1],".repeat(80) + "[0,1]");
    let object = format!("{{\"grid\":{rows},\"regions\":{map}}}");
    assert_eq!(show(&format!("[{object},{object}]")), vec![dotted(); 2]);
    let text = format!("[{{\"columns\":{columns}}}]");
    let places = &crate::input::testing::places(text.as_bytes())[0];
    // The third cell of the first column.
    assert_eq!((places[0].column, places[18].column, places[1].column), (15, 19, 35));
}

#[test]
fn texts_may_have_any_blank_also_as_escapes_and_in_rows() {
    for blank in [":", "$", "·", "\\u00b7", "\\u25a1"] {
        let text = PUZZLE.replace('0', blank);
        let rows: Vec<String> =
            (0..9).map(|row| format!("\"{}\"", PUZZLE[9 * row..9 * row + 9].replace('0', blank))).collect();
        let rows = rows.join(",");
        assert_eq!(show(&format!("[\"{text}\",\"{text}\"]")), vec![dotted(); 2], "{blank}");
        assert_eq!(show(&format!("[[{rows}],[{rows}]]")), vec![dotted(); 2], "{blank}");
    }
}

#[test]
fn a_line_of_json_is_a_record_whatever_is_in_it() {
    let text = format!(
        "{{\"puzzle\":\"{PUZZLE}\"}}\r\n\n{{\"a\":{{\"b\":[\"{PUZZLE}\"]}}}}\n{{}}\nnull\n[\"{PUZZLE}\",\"{PUZZLE}\"]\n\
         {{\"puzzle\":\"{PUZZLE}\n\"{PUZZLE}\""
    );
    let reading = read_in_parts(text.as_bytes(), "jsonl");
    let expected = [
        dotted(),
        dotted(),
        "4:1: no puzzle in this line (expected 81 cells)".to_owned(),
        "5:1: no puzzle in this line (expected 81 cells)".to_owned(),
        "6:2: 2 puzzles on one line (expected 1; the format json reads them all)".to_owned(),
        "7:1: object that is not closed (expected a closing '}')".to_owned(),
        dotted(),
    ];
    assert_eq!(reading.show(), expected);
}

#[test]
fn a_clash_has_its_place_and_its_path() {
    let clashing = PUZZLE.replacen("103", "113", 1);
    for (text, shown, path) in [
        (
            format!("{{\"problems\": [\n  \"{PUZZLE}\", \"{clashing}\"]}}"),
            [(2, 89), (2, 90)],
            Some("$.problems[1]"),
        ),
        (format!("[{{\"a\":[5],\"puzzle\":\n\"{clashing}\"}}]"), [(2, 2), (2, 3)], Some("$[0]")),
        (format!("{{\"puzzle\":\"{clashing}\"}}\n"), [(1, 12), (1, 13)], None),
    ] {
        let mut source = open(text.as_bytes(), &ReadOptions::default()).expect("JSON");
        let batch = source.next_batch(Vec::new(), 1 << 20).expect("readable").expect("records");
        let mut records = Records::default();
        batch.read(Want::default(), &mut records);
        let last = records.len() - 1;
        let places = [0, 1].map(|cell| batch.place(&records, last, cell)).map(|at| (at.line, at.column));
        assert_eq!(places, shown, "{text}");
        assert_eq!(records.paths.get(last), path, "{text}");
    }
}

#[test]
fn own_results_are_read_and_cases_among_them_refused() {
    let row = |kind: &str, puzzle: &str, solution: &str| {
        format!(
            "{{\"id\":1,\"source\":\"a\",\"line\":1,\"kind\":\"{kind}\",\"status\":\"unique\",\"solutions\":1,\
             \"clues\":30,\"guesses\":0,\"time_ns\":9,\"puzzle\":{puzzle},\"solution\":{solution},\"error\":null}}\n"
        )
    };
    let (puzzle, solution) = (format!("{PUZZLE:?}"), format!("{SOLUTION:?}"));
    let text = [
        row("sudoku", &puzzle, &solution),
        row("sudominoku", &puzzle, &solution),
        row("sudoku", "null", "null"),
    ]
    .concat();
    let reading = read(text.as_bytes());
    let case = "a sudominoku, whose dominoes are not in a file of results (expected a sudoku)";
    assert_eq!(
        reading.show(),
        [
            dotted(),
            format!("2:38: {case}"),
            format!("3:{}: 0 cells (expected 81)", row("sudoku", "", "").find(",\"solution\"").unwrap() + 1)
        ]
    );
    assert_eq!(reading.claims(), [SOLUTION, "missing", "missing"]);
}

#[test]
fn json_without_puzzles_is_refused() {
    for text in [
        r#"{"type":"FeatureCollection","features":[{"geometry":{"coordinates":[[[30,10],[40,40],[20,40]]]}}]}"#,
        r#"{"question":"What is 2+2?","answer":"4"}"#,
        "[1,2,3]",
        "[]",
        "{}",
        "[[1,2],[3,4]]",
    ] {
        assert!(open(text.as_bytes(), &ReadOptions::default()).is_err(), "{text}");
    }
}

#[test]
fn hostile_documents_take_little_time_and_memory() {
    let many = 1 << 20;
    let good = format!("\"{PUZZLE}\"");
    for (start, records) in [
        ("[".repeat(many), 1),
        ("{\"a\":".repeat(many / 4), 0),
        ("[{\"a\":[".repeat(many / 4), 1),
        ("]".repeat(many), 1),
        (format!("[\"{}\",", "x\\\"".repeat(many)), 1),
        (format!("[\"{}\",", "1".repeat(3 * many)), 1),
        (format!("[{},", "1".repeat(3 * many)), 1),
        (format!("[{}", " ".repeat(3 * many)), 1),
        (format!("[{}", "1,".repeat(many)), 1),
        (format!("{{\"a\":[{}],\"b\":", "{},".repeat(many)), 1),
        (format!("/* {}", "*".repeat(2 * many)), 1),
        (format!("{{\"list\":[{}],\"c\":", format!("{good},").repeat(many / 64)), 1 + many / 64),
    ] {
        let options = ReadOptions { format: FormatChoice::named("json"), ..ReadOptions::default() };
        let text = format!("{start}\n{good}\n");
        let mut source = open(text.as_bytes(), &options).expect("given");
        let (mut found, mut readable, mut buffer) = (0, 0, Vec::new());
        while let Some(batch) = source.next_batch(buffer, 100_000).expect("readable") {
            assert!(batch.bytes.len() <= 3 << 20);
            let mut columns = Records::default();
            batch.read(Want::default(), &mut columns);
            assert_eq!(columns.len() as u64, batch.records);
            found += columns.len();
            readable += columns.readable().iter().filter(|readable| **readable).count();
            buffer = batch.bytes;
        }
        assert!(readable == records && found <= records + 1, "{}: {readable} of {found}", &start[..10]);
    }
}

#[test]
fn a_list_of_megabytes_on_a_line_is_read_in_bounded_batches() {
    let text =
        format!("{{\"count\":20000,\"puzzles\":[{}]}}", vec![format!("\"{PUZZLE}\""); 20_000].join(","));
    let mut source = open(text.as_bytes(), &ReadOptions::default()).expect("JSON");
    let (mut records, mut columns, mut buffer) = (0, Records::default(), Vec::new());
    while let Some(batch) = source.next_batch(buffer, 64 << 10).expect("readable") {
        assert!(batch.bytes.len() <= 2 << 20);
        batch.read(Want::default(), &mut columns);
        records += columns.len();
        assert_eq!(columns.faults().iter().next(), None);
        buffer = batch.bytes;
    }
    assert_eq!(records, 20_000);
}

/// Once such an object gave no row at all.
#[test]
fn an_object_without_a_puzzle_is_a_record_where_others_have_one() {
    let good = format!("{{\"puzzle\": \"{PUZZLE}\"}}");
    // Of each text the rows: `x` is an object without a puzzle.
    let table = [
        (format!("[{good}, {{\"name\": \"x\"}},\n {{}}, {good}, {good}]"), "gxxgg"),
        // Other lists and objects have nothing that could be lost.
        (
            format!(
                "{{\"by\": [{{\"a\": 1}}], \"all\": [{good}, {{\"p\": [1, {{}}]}}, {good}], \"end\": {{}}}}"
            ),
            "gxg",
        ),
        // The puzzle is deeper within the object.
        (format!("[{{\"a\": {good}}}, {{\"a\": {{}}}}, {{\"a\": {{\"b\": {good}}}}}]"), "gxg"),
        // Few have one.
        (format!("[{{\"a\": 1}}, {{\"a\": 2}}, {good}, {{\"a\": 3}}]"), "xxgx"),
        // Of every list in which one has, though it begins far behind.
        (
            format!("{{\"easy\": [{good}, {{}}], \"hard\": [{good}, {{\"a\": [{{}}]}}], \"c\": [{{}}]}}"),
            "gxgx",
        ),
        // Before the first, in a list that comes behind others.
        (format!("{{\"a\": [{good}], \"b\": [{{\"n\": 1}}, {{}}, {good}], \"c\": [{{}}, {{}}]}}"), "gxxg"),
        // Longer than any record.
        (format!("[{good}, {{\"a\": [{}]}}, {good}]", "[7],".repeat(500_000)), "gxg"),
        (format!("[{good}, {{\"a\": [{}], \"b\": {good}}}, {{}}]", "[7],".repeat(500_000)), "ggx"),
    ];
    for (text, rows) in table {
        let kind = |row: &String| match row {
            row if *row == dotted() => 'g',
            row if row.ends_with(": no puzzle in this object (expected 81 cells)") => 'x',
            _ => '?',
        };
        assert_eq!(show(&text).iter().map(kind).collect::<String>(), rows, "{text}");
    }
}

/// The claims of a document, found without being told the format, and what is noted.
fn claims(text: &str) -> (Vec<String>, Vec<String>) {
    let reading = read_in_parts(text.as_bytes(), "json");
    assert_eq!(read(text.as_bytes()).show(), reading.show(), "{text}");
    assert!(reading.show().iter().all(|row| *row == dotted()), "{text}: {:?}", reading.show());
    (reading.claims(), reading.notes)
}

#[test]
fn solutions_alone_are_puzzles() {
    let full = format!("\"{SOLUTION}\"");
    let object = format!("{{\"solution\": {full}}}");
    for text in [
        format!("[{object}, {object}]"),
        format!("{{\"a\": [{{\"n\": 1, \"answer\": {full}}}, {object}]}}"),
        format!("{{\"solutions\": [{full}, {full}]}}"),
        format!("{object}\n{object}\n"),
        format!("[{full}, {full}]"),
    ] {
        assert_eq!(read(text.as_bytes()).show(), vec![SOLUTION.to_owned(); 2], "{text}");
    }
    // What has none is one of them.
    let text = format!("[{object}, {{\"solution\": \"12\"}}, {object}]");
    assert_eq!(show(&text).len(), 3, "{text}");
    // Where there are puzzles, they are none, in whatever order.
    let text = format!("{{\"solutions\": [{}], \"n\": [\"{PUZZLE}\"]}}", vec![&*full; 2000].join(","));
    assert_eq!(show(&text), [dotted()]);
}

#[test]
fn solutions_beside_the_list_of_puzzles_are_claims() {
    let (puzzle, full) = (format!("\"{PUZZLE}\""), format!("\"{SOLUTION}\""));
    let both = vec![SOLUTION.to_owned(); 2];
    for text in [
        format!("{{\"puzzles\": [{puzzle}, {puzzle}], \"solutions\": [{full}, {full}]}}"),
        format!("{{\"solutions\": [{full},\n{full}],\n\"quizzes\": [\n{puzzle}, {puzzle}]}}"),
        format!(
            "[{{\"n\": 1, \"a\": [{puzzle}], \"solved\": [{full}, 1]}}, {{\"a\": [{puzzle}], \"solved\": [{full}]}}]"
        ),
        format!(
            "{{\"puzzle\": {{\"0\": {puzzle}, \"1\": {puzzle}}}, \"solution\": {{\"1\": {full}, \"0\": {full}}}}}"
        ),
        format!(
            "{{\"p\": [{{\"grid\": {puzzle}}}, {{\"grid\": {puzzle}}}], \"solutions\": [{full}, {full}]}}"
        ),
    ] {
        assert_eq!(claims(&text), (both.clone(), Vec::new()), "{text}");
    }
    let many = |text: &str| vec![text; 2000].join(",");
    let text = format!("{{\"puzzles\": [{}], \"solutions\": [{}]}}", many(&puzzle), many(&full));
    assert_eq!(claims(&text), (vec![SOLUTION.to_owned(); 2000], Vec::new()), "longer than the first look");
    // Nobody can tell whose these are.
    let other: String = full.chars().rev().collect();
    for text in [
        format!("{{\"puzzles\": [{puzzle}, {puzzle}], \"solutions\": [{full}]}}"),
        format!("[{{\"puzzle\": {puzzle}, \"solution\": {full}, \"puzzle\": {puzzle}}}]"),
        format!(
            "[{{\"puzzle\": {puzzle}, \"solution\": {full}, \"solution\": {other}}}, {{\"puzzle\": {puzzle}}}]"
        ),
        format!("{{\"a\": [{puzzle}], \"b\": [{puzzle}], \"solutions\": [{full}, {full}]}}"),
        format!(
            "{{\"a\": {{\"puzzles\": [{puzzle}, {puzzle}]}}, \"b\": {{\"solutions\": [{full}, {full}]}}}}"
        ),
    ] {
        let notes = vec![format!("test: {APART}")];
        assert_eq!(claims(&text), (vec!["missing".to_owned(); 2], notes), "{text}");
    }
    // Faults have the place of the solution.
    let short = &SOLUTION[1..];
    let text = format!("{{\"puzzles\":[{puzzle},{puzzle}],\n\"solutions\":[{full},\"{short}\"]}}");
    let fault = "line 2, column 179 ($.puzzles[1]): claimed solution: 80 cells (expected 81)";
    assert_eq!(claims(&text).0, [SOLUTION, fault]);
    let mut source = open(text.as_bytes(), &ReadOptions::default()).expect("JSON");
    let batch = source.next_batch(Vec::new(), 1 << 20).expect("readable").expect("records");
    let mut records = Records::default();
    batch.read(Want { claims: true }, &mut records);
    let place = |cell| batch.claim_place(&records, 0, cell);
    assert_eq!((place(0), place(80)), (Place { line: 2, column: 15 }, Place { line: 2, column: 95 }));
    assert_eq!(batch.claim_text(&records, 1).as_deref(), Some(short.as_bytes()));
}

#[test]
fn a_key_that_is_said_chooses_the_puzzles() {
    let other = PUZZLE.replacen('1', "2", 1).replace('0', ".");
    let named = |text: &str, puzzle: Option<&str>, solution: Option<&str>| {
        let [puzzle_column, solution_column] = [puzzle, solution].map(|name| name.map(str::to_owned));
        let options = ReadOptions { puzzle_column, solution_column, claims: true, ..ReadOptions::default() };
        let reading = drain(open(text.as_bytes(), &options).map_err(|error| told(&error))?, 1000);
        assert!(reading.notes.is_empty(), "{text}");
        Ok::<_, String>((reading.show(), reading.claims()))
    };
    let object = format!(
        "{{\"a\": \"{PUZZLE}\", \"B\": \"{other}\", \"s\": \"{SOLUTION}\", \"t\": \"{}\"}}",
        dotted()
    );
    let found = |puzzle: &str, claim: &str| Ok((vec![puzzle.to_owned(); 2], vec![claim.to_owned(); 2]));
    for text in [format!("[{object},\n {object}]"), format!("{object}\n{object}\n")] {
        assert_eq!(named(&text, Some("a"), None), found(&dotted(), SOLUTION), "{text}");
        assert_eq!(named(&text, Some("b"), None), found(&other, SOLUTION), "{text}");
        assert_eq!(named(&text, Some("b"), Some("T")), found(&other, &dotted()), "{text}");
        let seen = "(columns seen: a, B, s, t)";
        let error =
            format!("test: no column 'c' {seen}; name the column of the puzzles with puzzle_column NAME");
        assert_eq!(named(&text, Some("c"), None), Err(error));
        let error =
            format!("test: no column 'c' {seen}; name the column of the solutions with solution_column NAME");
        assert_eq!(named(&text, Some("a"), Some("c")), Err(error));
    }
    let lists = format!(
        "{{\"easy\": [\"{PUZZLE}\", \"{PUZZLE}\"], \"hard\": [\"{other}\"], \"solutions\": [\"{SOLUTION}\"]}}"
    );
    let options = ReadOptions { puzzle_column: Some("hard".to_owned()), ..ReadOptions::default() };
    assert_eq!(drain(open(lists.as_bytes(), &options).expect("it has them"), 100).show(), [&*other]);
    let options = ReadOptions { puzzle_column: Some("solutions".to_owned()), ..ReadOptions::default() };
    assert_eq!(drain(open(lists.as_bytes(), &options).expect("it has them"), 100).show(), [SOLUTION]);
}

/// Once the fields of such lines were values of a document.
#[test]
fn rows_of_a_table_among_lines_of_json_are_one_record_each() {
    let object = format!("{{\"puzzle\": \"{PUZZLE}\"}}\n");
    let text = format!(
        "{object}{object}{object}puzzle,solution\n{PUZZLE},{SOLUTION}\n{PUZZLE}\n{object}{{\"a\n{object}"
    );
    let reading = read(text.as_bytes());
    let none = |line: u64| format!("{line}:1: no JSON on this line (expected an object, a list or a string)");
    let good = dotted();
    let rest = [
        none(4),
        none(5),
        good.clone(),
        good.clone(),
        "8:1: no puzzle in this line (expected 81 cells)".to_owned(),
        good.clone(),
    ];
    assert_eq!(reading.show(), [vec![good; 3], rest.to_vec()].concat());
    // Where a document goes before, too, and where there are few lines of JSON.
    let document = format!("[\n{{\"puzzle\":\n\"{PUZZLE}\"}}\n]\n{PUZZLE},{SOLUTION}\n{PUZZLE}\n");
    assert_eq!(show(&document), [dotted(), none(5), dotted()]);
    let few = format!("{object}{PUZZLE},{SOLUTION}\n{PUZZLE}\n");
    assert_eq!(read(few.as_bytes()).show(), [dotted(), none(2), dotted()]);
}

#[test]
fn a_grid_outside_of_every_value_is_one_invalid_record() {
    let value = format!("{{\"puzzle\":\"{PUZZLE}\"}}\n");
    let text = format!("{value}{}\n\n{}\n{value}", rows(), rows());
    let reading = read_in_parts(text.as_bytes(), "json");
    let lines: Vec<u64> = reading.records.iter().map(|record| record.line).collect();
    assert_eq!(lines, [1, 2, 13, 23]);
    let shown = show(&text);
    assert_eq!((&shown[0], &shown[3]), (&dotted(), &dotted()));
    assert!(shown[1..3].iter().all(|shown| shown.contains("no JSON")), "{shown:?}");
    // So is the rest of a list or of a string that lost its beginning.
    let strings = format!("  \"{}\"\n ]", rows().trim_end().replace('\n', "\",\n  \""));
    let list = format!("[\n [\n{strings},\n [\n{strings}\n]\n");
    for (cut, line) in [(8, "1:"), (9, "2:"), (13, "2:"), (25, "2:")] {
        let shown = show(&list[cut..]);
        assert!(shown[0].starts_with(line) && shown.last() == Some(&dotted()), "{cut}: {shown:?}");
    }
    let strings = format!("[\"{PUZZLE}\", \"{PUZZLE}\"]\n");
    let none = "1:1: no JSON on this line (expected an object, a list or a string)".to_owned();
    assert_eq!(read_as(&strings.as_bytes()[40..], "json").show(), [none, dotted()]);
    // So are dominoes, and cells on lines of their own; other lines are nothing.
    let cells: String = PUZZLE.chars().flat_map(|cell| [cell, '\n']).collect();
    let elements = rows().lines().map(|row| format!("<row>{row}</row>\n")).collect();
    for lost in [format!("35\n{}", "7 E5 9 E6\n".repeat(35)), cells, elements] {
        let text = format!("{value}# 1\n3 4 x\n\n{lost}{value}");
        for target in [1, 100, 1 << 16] {
            let options = ReadOptions::default();
            let shown = drain(open(text.as_bytes(), &options).expect("it has puzzles"), target).show();
            assert!(shown.len() == 3 && shown[1].contains("no JSON"), "{lost}: {shown:?}");
        }
    }
}

#[test]
fn a_short_string_in_a_list_of_puzzles_is_an_invalid_record() {
    for length in [9, 50, 80] {
        let text = format!("[\"{PUZZLE}\",\n\"{}\",\n\"{PUZZLE}\"]", &PUZZLE[..length]);
        let shown = show(&text);
        assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &dotted(), &dotted()));
        assert!(shown[1].ends_with(&format!("{length} cells (expected 81)")), "{shown:?}");
    }
    // What else stands there.
    assert_eq!(show(&format!("[\"{PUZZLE}\", \"17\", \"easy\"]")), [dotted()]);
}

#[test]
fn a_puzzle_within_other_members_has_the_solution_beside_these() {
    let other = PUZZLE.replacen('3', "0", 1);
    let within = |a: &str, b: &str| {
        format!(
            "{{\"identity\":{{\"one\":\"{a}\",\"n\":[1]}},\"origin\":{{\"two\":\"{b}\"}},\"solution\":\"{SOLUTION}\"}}\n"
        )
    };
    let list = format!("{{\"states\":[\"{PUZZLE}\"],\"solution\":\"{SOLUTION}\"}}\n");
    for text in [within(PUZZLE, PUZZLE), list] {
        for text in [text.clone(), text.repeat(3), format!("[{text}]")] {
            let reading = read_in_parts(text.as_bytes(), "json");
            let count = text.matches("solution").count();
            assert_eq!(reading.show(), vec![dotted(); count], "{text}");
            assert_eq!(reading.claims(), vec![SOLUTION; count]);
        }
    }
    assert_eq!(show(&within(PUZZLE, &other)), [dotted(), other.replace('0', ".")]);
}

#[test]
fn a_title_above_lists_is_no_member() {
    let list = lists("0").replace("],", "],\n");
    let text = format!("{list}\n\nvery hard:\n\n {list}\n\neasy:\n{list}\n");
    assert_eq!(show(&text), vec![dotted(); 3]);
}

#[test]
fn a_second_puzzle_of_an_object_is_noted() {
    let object = |other: &str| format!("{{\"puzzle\":\"{PUZZLE}\",\"board\":\"{other}\"}}");
    let other = PUZZLE.replacen('3', "0", 1);
    for (other, is_noted) in [(other.as_str(), true), (PUZZLE, false), (SOLUTION, false), ("", false)] {
        for text in [object(other), format!("{0}\n{0}\n", object(other))] {
            let reading = read(text.as_bytes());
            let notes = reading.notes.iter().filter(|note| note.contains("hold puzzles, too")).count();
            assert_eq!((&reading.show()[0], notes > 0), (&dotted(), is_noted), "{text}");
        }
    }
}

#[test]
fn words_may_stand_before_a_grid() {
    let spaced = |cells: &str| {
        let row =
            |row: &[u8]| row.iter().map(|&cell| char::from(cell).to_string()).collect::<Vec<_>>().join(" ");
        cells.as_bytes().chunks(9).map(row).collect::<Vec<_>>().join("\\n")
    };
    let text = format!(
        "{{\"prompt\":\"Solve this sudoku:\\n{}\",\"completion\":\"{}\"}}\n",
        spaced(PUZZLE),
        spaced(SOLUTION)
    );
    let reading = read_in_parts(text.as_bytes(), "json");
    assert_eq!((reading.show(), reading.claims()), (vec![dotted()], vec![SOLUTION.to_owned()]));
}
