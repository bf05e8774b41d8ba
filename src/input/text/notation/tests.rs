use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::sudoku::SIDE;

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// What a text gives: the cells, `CELLS > rest` where something is behind them, `AT: reason`, or nothing.
fn shown(notation: Notation, text: &[u8], n: usize) -> String {
    let offsets = notation.offsets(text, n);
    match notation.cells(text, n) {
        Ok(Cells { values, start, end }) => {
            assert_eq!(offsets.len(), n);
            assert_eq!((offsets[0], values[n..].iter().max().copied().unwrap_or(0)), (start, 0));
            assert!(offsets.is_sorted() && offsets[n - 1] <= end);
            let mut slowly = Found::new(n);
            assert_eq!(
                (notation.find(text, &mut slowly), slowly.offsets[0], slowly.values),
                (Some(end), start, values)
            );
            for (&value, &at) in values.iter().zip(&offsets) {
                let is_there = text.get(at) == Some(&(b'0' + value));
                assert!(value == 0 || is_there, "{value} at {at} of {}", text.escape_ascii());
            }
            let cells: String = values[..n]
                .iter()
                .map(|value| ".123456789".as_bytes()[usize::from(*value)] as char)
                .collect();
            let rest = String::from_utf8_lossy(&text[end..]).into_owned();
            if rest.is_empty() { cells } else { format!("{cells} > {rest}") }
        }
        Err(Miss::Bad { fault, at }) => {
            assert!(at <= text.len() && offsets.is_empty());
            format!("{}: {}", at, fault.reason())
        }
        Err(Miss::Other) => String::new(),
    }
}

/// Asserts what texts give, each in a line of a table behind ` -> `.
fn assert_table(notation: Notation, n: usize, table: &str) {
    for line in table.trim_matches('\n').lines() {
        let (text, expected) =
            line.split_once(" -> ").unwrap_or_else(|| (line.strip_suffix(" ->").unwrap(), ""));
        let text = text.replace("{P}", PUZZLE).replace("\\t", "\t");
        assert_eq!(shown(notation, text.as_bytes(), n), expected.replace("{P}", PUZZLE), "{text}");
    }
}

#[test]
fn rows_of_nine() {
    assert_table(
        Notation::default(),
        SIDE,
        r#"
53..7.... -> 53..7....
530070000 -> 53..7....
53xX7-*?_ -> 53..7....
 53..7....  -> 53..7....
"53..7....", -> 53..7....
['5','3','.','.','7','.','.','.','.'], -> 53..7....
5 3 0 0 7 0 0 0 0 -> 53..7....
5\t3\t.\t.\t7\t.\t.\t.\t. -> 53..7....
5,3,0,0,7,0,0,0,0 -> 53..7....
5,3,0,0,7,0,0,0,0, -> 53..7....
    { 5, 3, 0, 0, 7, 0, 0, 0, 0 }, -> 53..7....
start = [| 5, 3, 0, 0, 7, 0, 0, 0, 0| -> 53..7....
     8, 0, 4, 0, 0, 0, 1, 0, 7 |]; -> 8.4...1.7
      - [5, 3, 0, 0, 7, 0, 0, 0, 0] -> 53..7....
5 & 3 & & & 7 & & & & \\ -> 53..7....
53. .7. ... -> 53..7....
|53.|.7.|...| -> 53..7....
| 5 3 . | . 7 . | . . . | -> 53..7....
|| 5 3 . || . 7 . || . . . || -> 53..7....
! 5 3 . ! . 7 . ! . . . ! -> 53..7....
53+4+67+8+9+1+2 -> 53..7....
5,3,,,7,,,, -> 53..7....
5,3,,,7,,,,, -> 53..7....
{,3,,,7,,,,} -> .3..7....
5;3;;;7;;;;8 -> 53..7...8
5\t3\t\t\t7\t\t\t\t -> 53..7....
5\t3\t\t\t7\t\t\t\t\t -> 53..7....
|5|3| | |7| | | | | -> 53..7....
| 5 | 3 |   |   | 7 |   |   |   | 9 | -> 53..7...9
5 3 -1 -1 7 -1 -1 -1 -1 -> 53..7....
[5, null, None, nil, NaN, NULL, 1, -1, 3] -> 5.....1.3
[5. 3. 0. 0. 7. 0. 0. 0. 0.] -> 53..7....
5.0,3.0,,,7.0,,,, -> 53..7....
5.000e+00 3.000e+00 0.000e+00 0.0 7.0 0.0 0.0 0.0 -0.0 -> 53..7....
┃ 5   3 ┃       ┃ 6   9 ┃ -> 5.3...6.9
│ 5 3   │   7   │       │ -> 53..7....
|       |       |       | -> .........
|53 | 7 |   | -> 53..7....
| 1   3 |   2   | 5   9 | -> 1.3.2.5.9
 1   3 |       | 5 -> 1.3...5..
| 5  3    |    7    |         | -> 53..7....
53  7   1 -> 53..7...1
    5 3 1 -> ....5.3.1
5 3     7       1 -> 53..7...1
 5 3     7       1 -> 53..7...1
5  3        7           1 -> 53..7...1
row1 53..7.... -> 53..7....
r1: 53..7.... -> 53..7....
1 | 5 3 . | . 7 . | . . . | -> 53..7....
1: 5 3 . . 7 . . . . -> 53..7....
1 │ 5 3   │   7   │       │ -> 53..7....
A 5 3 . | . 7 . | . . . -> 53..7....
A | 5 3   |   7   |       | -> 53..7....
row1,5,3,,,7,,,, -> 53..7....
Row 1: 5 3 . . 7 . . . . -> 53..7....
12 53..7.... -> 53..7....
 ->
          ->
53.. ->
Grid 01 ->
Puzzle 12345, rating 7.8 ->
2 rows in set (0.00 sec) ->
2021-02-11 ->
11/02/2021 12:30:59 ->
on 2021/02/11, 12:30 ->
2024-01-01 12:30:11 started ->
I x: two puzzles, (1) of 2021 and ->
an example of Exxon, and more... ->
[Puzzle] ->
+-------+-------+ ->
53..7 -> 5: 5 cells (expected 9)
53..7... -> 8: 8 cells (expected 9)
53..7....1 -> 9: 10 cells (expected 9)
1 5 3 . . 7 . . . . -> 18: 10 cells (expected 9)
1,5,3,0,0,7,0,0,0,0 -> 18: 10 cells (expected 9)
103000509 002109400 -> 10: 18 cells (expected 9)
53..a.... -> 4: invalid character 'a' (expected 1-9, 0 or .)
5 3 . . a . . . . -> 8: invalid character 'a' (expected 1-9, 0 or .)
5 3 . . 12 . . . . -> 8: number '12' (expected a digit 1-9, 0 or .)
row1 53..7... -> 13: 8 cells (expected 9)
12:30:11.50 -> 6: cells in uneven groups (expected 9 alone, 3 groups of 3 or 1 of 9)
5 3 . . é . . . . -> 8: invalid character 'é' (expected 1-9, 0 or .)
--------- -> .........
"#,
    );
}

#[test]
fn lists_of_81() {
    let spaced = |between: &str| {
        let cells: Vec<_> = PUZZLE.chars().map(String::from).collect();
        cells.join(between)
    };
    let groups = |length: usize, between: &str| {
        let groups: Vec<_> =
            PUZZLE.as_bytes().chunks(length).map(|group| str::from_utf8(group).unwrap()).collect();
        groups.join(between)
    };
    let empty = spaced(",").replace('.', "");
    for text in [
        spaced(" "),
        spaced(", "),
        spaced("\t"),
        spaced(" | "),
        empty.clone(),
        format!("[{empty}],"),
        format!("{{{empty}}}"),
        spaced(" ").replace('.', "None"),
        spaced(" ").replace('.', "-1"),
        spaced(", ").replace('.', "0.0"),
        groups(9, " "),
        groups(9, "|"),
        groups(9, ", "),
        groups(9, "/"),
        groups(9, "-"),
        groups(3, " "),
        groups(27, ";"),
        format!("[[{}]]", groups(9, "], [")),
        PUZZLE.replace('.', " "),
        format!("p1 = {}", groups(9, " ")),
        format!("12: {}", spaced(" ")),
    ] {
        assert_eq!(shown(Notation::default(), text.as_bytes(), CELLS), PUZZLE, "{text}");
    }
    assert_table(
        Notation::default(),
        CELLS,
        &r#"
{P} -> {P}
{P} 7.8 a name -> {P} >  7.8 a name
{P},rating -> {P} > ,rating
{P}\t2.3 -> {P} > \t2.3
{P}#1 easy -> {P} > #1 easy
{P}:1:12 -> {P} > :1:12
  {P}   -> {P} >   
easy one: "{P}" -> {P} > "
12. {P} -> {P}
12) {P} 9.5 -> {P} >  9.5
Puzzle 12: {P} -> {P}
key={P} -> {P}
grid("{P}"); -> {P} > ");
0000183b305c {P}  1.2 -> {P} >   1.2
3fa85f64-5717-4562-b3fc-2c963f66afa6\t{P} -> {P}
:0000:1:{P}:811 515:193:: -> {P} > :811 515:193::
7,{P},{P},27 -> {P} > ,{P},27
easy {P}  {P} -> {P} >   {P}
  (1, '{P}', 'x'), -> {P} > ', 'x'),
53..7.... ->
Some words and 12345 numbers - and x, too. ->
{P}a -> 81: invalid character 'a' (expected 1-9, 0 or .)
{P}1 -> 81: 82 cells (expected 81)
a{P} -> 0: invalid character 'a' (expected 1-9, 0 or .)
"#
        .replace("\\t", "\t"),
    );
    let sukaku = PUZZLE.repeat(9);
    for (text, expected) in [
        (&PUZZLE[1..], "80: 80 cells (expected 81)".to_owned()),
        (&PUZZLE[..40], String::new()),
        (&PUZZLE[..41], "41: 41 cells (expected 81)".to_owned()),
        (&sukaku, "81: 729 cells: a sukaku, which is not supported yet (expected 81)".to_owned()),
        (&format!("{} 7.8 a name", &PUZZLE[1..]), "80: 80 cells (expected 81)".to_owned()),
        (&format!("12,{},{PUZZLE}", &PUZZLE[1..]), "83: 80 cells (expected 81)".to_owned()),
        (&PUZZLE.replacen('7', "q", 1), "4: invalid character 'q' (expected 1-9, 0 or .)".to_owned()),
        (
            &format!("{} {}", &PUZZLE[..40], &PUZZLE[40..]),
            "41: cells in uneven groups (expected 9 alone, 3 groups of 3 or 1 of 9)".to_owned(),
        ),
    ] {
        assert_eq!(shown(Notation::default(), text.as_bytes(), CELLS), expected, "{text}");
    }
}

#[test]
fn one_cell() {
    let table = "
5 -> 5
 .  -> .
| 7 | -> 7
\"\" -> .
 -> .
-1 -> .
null -> .
5.0 -> 5
12 -> 0: number '12' (expected a digit 1-9, 0 or .)
5 3 -> 0: number '5 3' (expected a digit 1-9, 0 or .)
Puzzle 5 ->
example ->
";
    assert_table(Notation::default(), 1, table);
}

#[test]
fn an_odd_blank_counts_in_each_shape() {
    for blank in [':', 'z', ',', '．', '·', ' '] {
        let notation = Notation { blank: Some(blank) };
        let odd = |text: &str| text.replace('.', &blank.to_string());
        let row = &PUZZLE[..SIDE];
        assert_eq!(shown(notation, odd(row).as_bytes(), SIDE), row);
        assert_eq!(shown(notation, odd(PUZZLE).as_bytes(), CELLS), PUZZLE);
        if blank != ' ' {
            let label = format!("x {} 7.1", odd(PUZZLE));
            assert_eq!(shown(notation, label.as_bytes(), CELLS), format!("{PUZZLE} >  7.1"));
            for text in ["5 3 . . 7 . . . .", "|53.|.7.|...|", "r1 | 5 3 . | . 7 . | . . . |"] {
                assert_eq!(shown(notation, odd(text).as_bytes(), SIDE), row, "{blank} {text}");
            }
        }
    }
    let spaces = Notation { blank: Some(' ') };
    for (text, row) in [("  21 94", "..21.94.."), ("   7", "...7....."), (" 6     5 ", ".6.....5.")] {
        assert_eq!(shown(spaces, text.as_bytes(), SIDE), row);
    }
}

#[test]
fn borders_and_comments() {
    for line in [
        "+---+---+",
        "|---+---|",
        "*-----------*",
        "------+-------+------",
        "  ++===++ ",
        "├───┼───┤",
        "---------",
        "═══",
    ] {
        assert!(is_border(line.as_bytes()), "{line}");
        let has_cells = !shown(Notation::default(), line.as_bytes(), SIDE).is_empty();
        assert_eq!(has_cells, line == "---------");
    }
    for line in ["", "   ", "| | |", "│   │   │", "-.-", "...", "--- a", "[", ",,,", "-\u{e9}-"] {
        assert!(!is_border(line.as_bytes()), "{line}");
    }
    let lines = ["# a", " // b", "#", "a # b", "", "/ 5"];
    assert_eq!(lines.map(|line| is_comment(line.as_bytes())), [true, true, true, false, false, false]);
}

/// The folder of the program.
fn root() -> PathBuf {
    Path::new(file!()).ancestors().nth(5).unwrap().to_owned()
}

/// Each record of a golden text stands on its line, or its rows from there on.
#[test]
fn golden_texts() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap().replace('\u{feff}', "");
    let puzzle = |name: &str| {
        read(&format!("data/judge/{name}.in")).replace(char::is_whitespace, "").replace('0', ".")
    };
    let puzzles = BTreeMap::from(["boj2239", "boj2580"].map(|name| (name, puzzle(name))));
    let mut count = 0;
    for record in read("tests/golden.csv").lines().skip(1) {
        let [name, line, puzzle, layout] = record.split(',').collect::<Vec<_>>().try_into().unwrap();
        let is_text = name < "09" || name.starts_with('1') || name.starts_with("csv-r");
        let is_table = ["csv-results.csv", "csv-rows-in-quotes.csv"];
        if !is_text || is_table.contains(&name) || name.starts_with("12") {
            continue;
        }
        let blank = match name {
            name if name.contains("odd-blank") => Some(':'),
            name if name.contains("wide") && name.starts_with("03") => Some('．'),
            name if name.contains("spaces") => Some(' '),
            _ => None,
        };
        let notation = Notation { blank };
        let text = read(&format!("tests/golden/{name}"));
        let lines = text.lines().skip(line.parse::<usize>().unwrap() - 1);
        let n = if layout == "line" { CELLS } else { SIDE };
        let rows = lines.map(|line| line.trim_end_matches('\r')).filter(|line| !is_border(line.as_bytes()));
        let cells = rows.filter_map(|row| notation.cells(row.as_bytes(), n).ok()).take(CELLS / n);
        let cells: String =
            cells.flat_map(|cells| cells.values.into_iter().take(n)).map(|value| value.to_string()).collect();
        assert_eq!(cells.replace('0', "."), puzzles[puzzle], "{record}");
        count += 1;
    }
    assert!(count > 150, "{count}");
}

proptest! {
    /// Nothing panics, and what is found stands where it is said to.
    #[test]
    fn any_text(text in "[1-9.0x|,; \t+a-\u{ff}\u{2502}-]{0,120}", blank in proptest::option::of(any::<char>())) {
        for n in [1, SIDE, CELLS] {
            shown(Notation::default(), text.as_bytes(), n);
            let _ = Notation { blank }.cells(text.as_bytes(), n);
            let _ = Notation { blank }.offsets(text.as_bytes(), n);
        }
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        for n in [1, SIDE, CELLS] {
            let _ = shown(Notation::default(), &bytes, n);
        }
    }

    /// A row comes back from each notation.
    #[test]
    fn any_row(values in proptest::array::uniform9(0..10_u8), blank in proptest::sample::select(b".0*_-?xX".to_vec())) {
        let digit = |value: u8, blank: &str| if value == 0 { blank.to_owned() } else { value.to_string() };
        let signs = |blank: &str| values.map(|value| digit(value, blank));
        let row = signs(".").concat();
        let own = signs(char::from(blank).to_string().as_str());
        let spaces = signs(" ");
        let framed = |cells: &[String; 9], between: &str| {
            let parts: Vec<_> = cells.chunks(3).map(|part| part.join(between)).collect();
            format!("|{between}{}{between}|", parts.join(&format!("{between}|{between}")))
        };
        for text in [own.concat(), own.join(" "), own.join(","), framed(&own, " "), framed(&own, ""), signs("").join(","),
            framed(&spaces, " "), framed(&spaces, ""), signs("None").join(" "), signs("-1").join("\t"), signs("0.0").join(" "),
            format!("row1: {}", own.concat()), format!("A {}", own.join(" ")), format!("1 {}", framed(&own, " "))] {
            prop_assert_eq!(shown(Notation::default(), text.as_bytes(), SIDE), row.clone(), "{}", text);
        }
    }
}

/// Where a mark is a blank, it is none beside.
#[test]
fn an_odd_blank_separates_nothing() {
    let notation = Notation { blank: Some(':') };
    let puzzle = PUZZLE.replace('.', ":");
    for (text, n) in
        [("5:3:4:::5:9:1:2:3", SIDE), (&*format!(":{puzzle}"), CELLS), (&*format!("{puzzle}:"), CELLS)]
    {
        assert!(shown(notation, text.as_bytes(), n).ends_with(&format!("cells (expected {n})")), "{text}");
    }
}
