//! `batchdoku convert` and `--keep`: which parts of the input appear in other formats and rows.

use std::fs;

use proptest::prelude::*;

use crate::place::Place;
use crate::puzzles::{ANSWER, UNIQUE, double, grid};

/// Returns the rows of a table, header first.
fn rows(table: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(table);
    reader.byte_records().map(|row| row.unwrap().iter().map(<[u8]>::to_vec).collect()).collect()
}

mod formats {
    use super::*;

    #[test]
    fn every_format_becomes_every_other() {
        let place = Place::new();
        let (other, _) = double();
        let lines = format!("{UNIQUE}\n{other}\n");
        place.write("lines", &lines);
        place.write("zeros", lines.replace('.', "0"));
        place.write("grids", format!("{}\n{}", grid(UNIQUE), grid(&other)));
        place.write("csv", format!("puzzle\n{lines}"));
        place.write("headerless", format!("a,{UNIQUE}\nb,{other}\n"));
        let json = format!("{{\"puzzle\":\"{UNIQUE}\"}}\n{{\"puzzle\":\"{other}\"}}\n");
        for input in ["lines", "zeros", "grids", "csv"] {
            for (format, expected) in [
                ("lines", lines.clone()),
                ("csv", format!("puzzle\n{lines}")),
                ("jsonl", json.clone()),
                ("text", format!("{}\n{}\n", grid(UNIQUE), grid(&other))),
            ] {
                let printed = place.printed(&format!("convert {input} -O {format}"));
                assert_eq!(printed, expected, "{input} {format}");
            }
        }
        let both = format!("puzzle,1\n{UNIQUE},\n{other},\n{UNIQUE},a\n{other},b\n");
        assert_eq!(place.printed("convert lines headerless --format csv"), both);
        // The extension determines the format; an array holds the digits of the puzzles, with 0 for a blank.
        assert_eq!(place.ran("convert grids -o g.txt").0, 0);
        assert_eq!(place.read("g.txt"), lines);
        assert_eq!(place.ran("convert grids -o g.npy").0, 0);
        let digits = lines.replace('\n', "").replace('.', "0");
        let digits: Vec<u8> = digits.bytes().map(|byte| byte - b'0').collect();
        assert!(fs::read(place.path("g.npy")).unwrap().ends_with(&digits));
        // The output can be read again.
        assert_eq!(place.ran("convert lines headerless --format csv -o both.csv").0, 0);
        assert_eq!(place.printed("convert both.csv"), both);
        assert_eq!(place.ran("convert grids -O text -o again").0, 0);
        assert_eq!(place.printed("convert again -O lines"), lines);
    }

    #[test]
    fn claims_are_converted_and_nothing_is_judged() {
        let place = Place::new();
        let clash = format!("11{}", ".".repeat(79));
        let lines = format!("{UNIQUE},{ANSWER}\n{clash},{ANSWER}\n{UNIQUE},\n{UNIQUE},{UNIQUE}\n");
        place.write("lines", &lines);
        assert_eq!(place.printed("convert lines"), format!("puzzle,solution\n{lines}"));
        place.write("table", format!("answer;x;question\n{ANSWER};1;{UNIQUE}\n;2;{clash}\n"));
        let expected = format!("puzzle,solution,x\n{UNIQUE},{ANSWER},1\n{clash},,2\n");
        assert_eq!(place.printed("convert table"), expected);
        // A second column with the same name gets another name, and meaningless words do not count as claims.
        place.write("twice", format!("puzzle,solution,solution\n{UNIQUE},{ANSWER},a\n{UNIQUE},NULL,b\n"));
        let expected = format!("puzzle,solution,solution_2\n{UNIQUE},{ANSWER},a\n{UNIQUE},,b\n");
        assert_eq!(place.printed("convert twice"), expected);
        place.write("other", format!("puzzle,solution,answer\n{UNIQUE},x-wing,{ANSWER}\n"));
        let expected = format!("puzzle,solution,input_solution\n{UNIQUE},{ANSWER},x-wing\n");
        assert_eq!(place.printed("convert other"), expected);
        let game = format!("<game data=\"{UNIQUE}\" solution=\"{ANSWER}\" level=\"2\"/>\n");
        place.write("xml", format!("<games>\n{game}{game}</games>\n"));
        let row = format!("{UNIQUE},{ANSWER},2\n");
        assert_eq!(place.printed("convert xml"), format!("puzzle,solution,level\n{row}{row}"));
        assert_eq!(
            place.printed("convert table -O jsonl").lines().last(),
            Some(&*format!("{{\"puzzle\":\"{clash}\",\"solution\":null,\"x\":\"2\"}}"))
        );
    }

    /// PROMISE: carried-columns
    #[test]
    fn what_cannot_be_read_is_not_written_and_named() {
        let place = Place::new();
        let (bad_claim, short) = (format!("{UNIQUE},nine,b"), format!("{},{ANSWER},c", &UNIQUE[1..]));
        let good = format!("{UNIQUE},{ANSWER},a");
        place.write("a", format!("puzzle,solution,x\n{good}\n{bad_claim}\n{short}\n{UNIQUE}\n{good}\n"));
        let (code, printed, said) = place.ran("convert a");
        assert_eq!((code, &*printed), (1, &*format!("puzzle,solution,x\n{good}\n{good}\n")), "{said}");
        for part in [
            "  converted                   2\n",
            "  invalid                     3\n",
            "a:3:83: claimed solution: invalid character 'n' (expected 1-9)",
            "a:4:81: 80 cells (expected 81)",
            "a:5:82: 1 field (expected 3)",
        ] {
            assert!(said.contains(part), "{part} is missing in\n{said}");
        }
        assert!(!said.contains("backend") && !said.contains("guess"), "{said}");
        assert_eq!(place.ran("convert a --lenient").0, 0);
        let (code, printed, _) = place.ran("convert a --strict");
        assert_eq!((code, printed), (1, format!("puzzle,solution,x\n{good}\n")));
        // A claim that comes too late to get its own column is not lost silently.
        place.write("late", format!("{}{UNIQUE},{ANSWER}\n", format!("{UNIQUE}\n").repeat(2000)));
        let (code, printed, said) = place.ran("convert late -O lines");
        assert_eq!((code, printed.lines().count()), (1, 2000));
        let late = "late:2001:83: a claimed solution, while the first records have none (expected none)";
        assert!(said.contains(late), "{said}");
    }

    /// PROMISE: carried-columns
    #[test]
    fn what_a_format_has_no_place_for_is_named() {
        let place = Place::with("a", format!("id,puzzle,solution,x y\n7,{UNIQUE},{ANSWER},\n"));
        for (format, expected, left_out) in [
            ("lines", format!("{UNIQUE},{ANSWER}\n"), "id, x y"),
            ("text", format!("{}\n", grid(UNIQUE)), "solution, id, x y"),
        ] {
            let (code, printed, said) = place.ran(&format!("convert a -O {format}"));
            assert_eq!((code, printed), (0, expected));
            let warning =
                format!("warning: columns that this format has no place for are left out: {left_out}\n");
            assert!(said.contains(&warning), "{said}");
        }
        place.write("cases", "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1\n0\n");
        let (code, printed, said) = place.ran("convert cases -O lines");
        assert_eq!((code, &*printed), (1, ""));
        assert!(said.contains("cases:1:1: a sudominoku, whose dominoes no output format holds"), "{said}");
    }

    /// Covers the columns other than the puzzle, and the message about skipped lines.
    #[test]
    fn what_stands_beside_the_puzzle_is_carried_passed_over_or_left_out() {
        let (other, _) = double();
        let grids = [grid(UNIQUE), grid(&other)];
        let row = |text: &[u8]| {
            let cells = text.chunks(9).map(|row| format!("<r>{}</r>", str::from_utf8(row).unwrap()));
            cells.collect::<String>()
        };
        let late = format!("{UNIQUE}\n").repeat(300);
        let game = format!("<game data=\"{UNIQUE}\" level=\"a&amp;b\"/>");
        let second = format!("<game id=\"2\" data=\"{other}\"/>");
        for (input, header, first, passed) in [
            // Lists.
            (format!("{UNIQUE} 7.1 # x\n{other} 8\n"), "behind", "7.1 # x", ""),
            (format!("qz: \"{UNIQUE}\"\nz: \"{other}\"\n"), "before", "qz", ""),
            (format!("0123456789ab {UNIQUE} 1.2\n"), "before,behind", "0123456789ab,1.2", ""),
            (format!("{UNIQUE},{ANSWER},hard\n"), "solution,behind", &format!("{ANSWER},hard"), ""),
            (format!("{UNIQUE}:1:{ANSWER}\n"), "solution", ANSWER, ""),
            (format!("1. {UNIQUE}\n2. {other}\n"), "before", "1", ""),
            (format!("p = {UNIQUE}\np = {other}\n"), "before", "p", ""),
            (format!("{late}y {UNIQUE} 9.9\n"), "before,behind", ",", ""),
            (
                format!("Very easy\n{UNIQUE}\n\n# x\nEasy\n{other}\n"),
                "",
                "",
                "2  lines, the first: a:1: Very easy",
            ),
            // Grids.
            (
                format!("Grid 01\n{}Grid 02\n{}", grids[0], grids[1]),
                "",
                "",
                "2  lines, the first: a:1: Grid 01",
            ),
            (format!("2\n\n{}---------\n{}", grids[0], grids[1]), "", "", "1  line: a:1: 2"),
            (
                format!("{}\nEvil 7 of 2021-02-11\n{}", grids[0], grids[1]),
                "",
                "",
                "1  line: a:11: Evil 7 of 2021-02-11",
            ),
            // Tables.
            (format!("My puzzles\npuzzle,x\n{UNIQUE},1\n"), "x", "1", "1  line: a:1: My puzzles"),
            // XML.
            (format!("<l>\n<name>Hard</name>\n{game}\n{second}</l>"), "level,id", "a&b,", ""),
            (format!("<l><s d=\"2\">{}</s></l>", row(UNIQUE.as_bytes())), "", "", ""),
            // JSON.
            (
                format!("{{\"title\":\"T\",\n\"puzzles\":[{{\"puzzle\":\"{UNIQUE}\",\"x\":1}}]}}"),
                "x",
                "1",
                "",
            ),
            (format!("{{\"easy\":[\"{UNIQUE}\"],\n\"hard\":[\"{other}\"]}}"), "", "", ""),
            (
                format!("[{{\"a\":{{\"puzzle\":\"{UNIQUE}\"}}}},{{\"a\":{{\"puzzle\":\"{other}\"}}}}]"),
                "",
                "",
                "",
            ),
            (format!("{{\"id\":1,\"data\":{{\"puzzle\":\"{UNIQUE}\",\"rating\":2}}}}\n"), "rating", "2", ""),
            (format!("[\"n1\",\"{UNIQUE}\"]\n[\"n2\",\"{other}\"]\n"), "", "", ""),
        ] {
            let place = Place::with("a", &input);
            let (code, printed, said) = place.ran("convert a");
            let found: Vec<_> = printed.lines().take(2).collect();
            let expected = [("puzzle", header), (UNIQUE, first)]
                .map(|(own, more)| if header.is_empty() { own.to_owned() } else { format!("{own},{more}") });
            assert_eq!((code, found), (0, expected.iter().map(String::as_str).collect()), "{input}\n{said}");
            assert!(!said.contains("warning"), "{said}");
            let told = said.lines().find_map(|line| line.trim_start().strip_prefix("passed over"));
            assert_eq!(told.unwrap_or_default().trim_start(), passed, "{input}\n{said}");
            assert!(place.ran("convert a -q").2.is_empty());
        }
        // If a list is read as a table, it has columns.
        let place = Place::with("a", format!("{UNIQUE},7.1 # x\n{other},8\n"));
        let expected = format!("puzzle,2\n{UNIQUE},7.1 # x\n{other},8\n");
        assert_eq!(place.printed("convert a --format csv"), expected);
        // If the format has no place for columns, a message names them as usual; other commands skip the same lines.
        place.write("a", format!("<l><game level=\"7.1\" data=\"{UNIQUE}\"/></l>\n"));
        let warning = "warning: columns that this format has no place for are left out: level\n";
        assert!(place.ran("convert a -O lines").2.starts_with(warning));
        assert!(place.printed("solve a --keep --no-time").lines().next().unwrap().ends_with(",error,level"));
        place.write("a", format!("Evil\n{}", grids[0]));
        assert!(place.ran("solve a").2.contains("1  line: a:1: Evil\n"));
    }

    #[test]
    fn it_takes_no_option_that_only_a_search_has_and_the_same_of_a_column() {
        let place = Place::with("a", format!("p,q,mine\n{UNIQUE},{ANSWER},{UNIQUE}\n"));
        for option in ["--backend scalar", "--limit 2", "--recheck", "--only invalid", "--keep", "--no-time"]
        {
            assert_eq!(place.ran(&format!("convert a {option}")).0, 2, "{option}");
        }
        let (code, _, said) = place.ran("convert a --solution-column none");
        assert!(code == 2 && said.contains("(columns seen: p, q, mine)"), "{said}");
        let expected = format!("puzzle,solution,q\n{UNIQUE},{UNIQUE},{ANSWER}\n");
        assert_eq!(place.printed("convert a --puzzle-column 1 --solution-column mine -j 1"), expected);
    }

    /// The program's own results keep their column names, because no other columns could have the same names.
    #[test]
    fn results_are_a_table_as_any() {
        let place = Place::with("a", format!("{UNIQUE}\n"));
        place.ran("solve a --no-time -o r.csv");
        let expected = format!(
            "puzzle,solution,id,source,line,kind,status,solutions,clues,guesses,error\n\
                 {UNIQUE},{ANSWER},1,a,1,sudoku,unique,1,32,0,\n"
        );
        assert_eq!(place.printed("convert r.csv"), expected);
    }
}

/// Returns texts that file formats tend to mangle: leading zeros and blanks, separators, quotes, line breaks, anything.
fn hostile() -> impl Strategy<Value = String> {
    let known = [
        "007", " x ", "1e5", "", "\"", "\"\"", "a,b", "a;b", "\t", "\n", "a\r\nb", "é", "NULL", "#", "'",
        "\\n",
    ];
    prop_oneof![
        3 => prop::sample::select(known.map(str::to_owned).to_vec()),
        1 => any::<String>().prop_map(|text| text.replace('\0', "0")),
        1 => "[,;\"\r\n\t a#]{1,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Arbitrary fields pass unchanged through every format with columns, for any number of threads and batches.
    /// PROMISE: carried-columns
    #[test]
    fn fields_stay_the_text_that_they_were(
        table in prop::collection::vec(prop::array::uniform2(hostile()), 1..12),
        separator in prop::sample::select(vec![b',', b';', b'\t']),
    ) {
        let place = Place::new();
        let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(Vec::new());
        writer.write_record(["a", "puzzle", "b \"c\"", "solution"]).unwrap();
        for [a, b] in &table {
            writer.write_record([a, UNIQUE, b, ANSWER]).unwrap();
        }
        place.write("in", writer.into_inner().unwrap());
        let csv = place.printed("convert in");
        let expected: Vec<Vec<Vec<u8>>> = table
            .iter()
            .map(|[a, b]| [UNIQUE, ANSWER, a, b].map(|text| text.as_bytes().to_vec()).to_vec())
            .collect();
        prop_assert_eq!(&rows(csv.as_bytes())[1..], &expected);
        place.write("again", &csv);
        prop_assert_eq!(&place.printed("convert again"), &csv);
        prop_assert_eq!(&place.printed("convert in -j 2 --chunk-size 1"), &csv);
        let json = place.printed("convert in -O jsonl");
        prop_assert_eq!(json.lines().count(), table.len());
        place.write("json", &json);
        prop_assert_eq!(&place.printed("convert json --chunk-size 1"), &csv);
        for name in ["t.parquet", "t.arrow"] {
            prop_assert_eq!(&place.printed(&format!("convert in --chunk-size 1 -o {name}")), "");
            prop_assert_eq!(&place.printed(&format!("convert {name} --chunk-size 1")), &csv);
        }
        for (line, [a, b]) in json.lines().zip(&table) {
            let found: serde_json::Value = serde_json::from_str(line).unwrap();
            prop_assert_eq!((found["a"].as_str(), found["b \"c\""].as_str()), (Some(&**a), Some(&**b)));
        }
        let kept = rows(place.printed("solve in --keep a,3 -j 2 --chunk-size 1").as_bytes());
        for (row, [a, b]) in kept[1..].iter().zip(&table) {
            prop_assert_eq!(&row[row.len() - 2..], [a.as_bytes(), b.as_bytes()]);
        }
    }
}

mod keep {
    use super::*;

    /// Returns the columns after `error`.
    fn kept(printed: &str) -> Vec<String> {
        let rows = rows(printed.as_bytes());
        let behind = rows[0].iter().position(|name| name == b"error").unwrap() + 1;
        rows.iter().map(|row| row[behind..].join(&b'|')).map(|row| String::from_utf8(row).unwrap()).collect()
    }

    #[test]
    fn all_columns_or_those_named_are_carried_along() {
        let place = Place::with(
            "a",
            format!("id,puzzle,solution,rating\n007,{UNIQUE},{ANSWER}, 1.50\n8,{UNIQUE},{ANSWER},\n"),
        );
        place.write("b", format!("Rating\tquizzes\n2\t{UNIQUE}\n"));
        place.write("lines", format!("{UNIQUE}\n"));
        for (line, expected) in [
            ("verify a --keep", vec!["input_id|rating", "007| 1.50", "8|"]),
            // `solve` does not read claims.
            (
                "solve a --keep",
                vec![
                    "input_id|input_solution|rating",
                    &format!("007|{ANSWER}| 1.50"),
                    &format!("8|{ANSWER}|"),
                ],
            ),
            ("verify a --keep RATING,1,rating", vec!["rating|input_id", " 1.50|007", "|8"]),
            ("verify a --keep puzzle", vec!["input_puzzle", UNIQUE, UNIQUE]),
            ("verify --lenient lines b a --keep", vec!["Rating|input_id", "|", "2|", " 1.50|007", "|8"]),
            ("verify --lenient a b --keep id", vec!["input_id", "007", "8", ""]),
        ] {
            assert_eq!(kept(&place.printed(line)), expected, "{line}");
        }
        let (code, _, said) = place.ran("solve lines a --keep");
        assert!(code == 0 && said.contains("warning: lines: not a table: it has no columns to keep\n"));
        // If the input is a results table, every column name clashes, and the first alternative name clashes too.
        place.ran("solve a --keep --no-time -o r.csv");
        let names = &kept(&place.printed("solve r.csv --keep --no-time"))[0];
        let expected = "input_id|input_source|input_line|input_kind|input_status|input_solutions|input_clues|input_guesses|\
                        input_solution|input_error|input_input_id|input_input_solution|rating";
        assert_eq!(names, expected);
        let json = place.printed("solve lines b --keep rating -O jsonl");
        assert!(json.lines().next().unwrap().ends_with(",\"Rating\":null}"), "{json}");
        assert!(json.ends_with(",\"Rating\":\"2\"}\n"), "{json}");
    }

    #[test]
    fn members_of_json_are_columns() {
        let place = Place::with(
            "l",
            format!(
                "{{\"id\":\"007\",\"puzzle\":\"{UNIQUE}\",\"rating\":1.50,\"tags\":[\"a\", 1],\"t\":\"\\u00e9\\n\"}}\n\
                 {{\"puzzle\":\"{UNIQUE}\",\"solution\":\"{ANSWER}\",\"id\":null,\"t\":true}}\n"
            ),
        );
        let text = place.read("l");
        place.write("d", format!("{{\"all\": [{}]}}", text.trim().replace('\n', ",\n")));
        for input in ["l", "d"] {
            assert_eq!(
                rows(place.printed(&format!("convert {input}")).as_bytes()),
                rows(format!("puzzle,solution,id,rating,tags,t\n{UNIQUE},,007,1.50,\"[\"\"a\"\", 1]\",\"é\n\"\n{UNIQUE},{ANSWER},,,,true\n").as_bytes())
            );
            assert_eq!(
                kept(&place.printed(&format!("solve {input} --keep rating,ID")))[1..],
                ["1.50|007", "|"]
            );
        }
    }

    /// A record that cannot be read still keeps its fields, unless it is unclear which field is which.
    #[test]
    fn bad_records_have_their_fields() {
        let place = Place::new();
        let good: String = (5..12).map(|nr| format!("{nr},{UNIQUE}\n")).collect();
        let short = &UNIQUE[..60];
        place.write("a", format!("nr,puzzle\n1,x\n2,{UNIQUE},x\n{short}\n4,\"{UNIQUE}\n{good}"));
        let good = ["5", "6", "7", "8", "9", "10", "11"];
        let expected = [&["nr", "1", "", "", ""][..], &good].concat();
        assert_eq!(kept(&place.printed("solve a --keep --lenient")), expected);
        assert_eq!(kept(&place.ran("solve a --keep --strict").1), ["nr", "1"]);
        let expected = [&["nr"][..], &good].concat();
        assert_eq!(kept(&place.printed("solve a --keep --lenient --only unique")), expected);
    }

    #[test]
    fn what_cannot_be_carried_is_refused() {
        let place = Place::with("a", format!("id,puzzle\n7,{UNIQUE}\n"));
        place.write("lines", format!("{UNIQUE}\n"));
        for (line, why) in [
            ("solve a --keep rating", "error: no input has a column 'rating' (columns seen: id, puzzle)\n"),
            ("solve a --keep 3", "error: no input has a column '3' (columns seen: id, puzzle)\n"),
            ("solve lines --keep id", "error: no input has a column 'id' (no input is a table)\n"),
            (
                "solve --keep a",
                "error: --keep reads 'a' as the name of a column\n  hint: put the files before --keep\n",
            ),
            (
                "solve a --keep -O lines",
                "error: the output format lines has no place for columns of the input; csv, jsonl, parquet and arrow have\n",
            ),
            (
                "solve a --keep id -O text",
                "error: the output format text has no place for columns of the input; csv, jsonl, parquet and arrow have\n",
            ),
        ] {
            assert_eq!(place.ran(line), (2, String::new(), why.to_owned()), "{line}");
        }
    }

    #[test]
    fn names_of_columns_that_are_no_utf_8_are_told_once() {
        let place = Place::with("a", [b"puzzle,caf\xe9,\xff\n", UNIQUE.as_bytes(), b",x,y\n"].concat());
        for command in ["solve a --keep", "convert a"] {
            let (_, printed, said) = place.ran(command);
            assert!(printed.lines().next().unwrap().ends_with(",caf\u{fffd},\u{fffd}"), "{printed}");
            let warning = "column 'caf\u{fffd}': invalid UTF-8 in its name is written as U+FFFD";
            assert_eq!(said.matches(warning).count(), 1, "{said}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_stay_in_csv_and_are_told_in_json() {
        let place = Place::with("a", [b"puzzle,x\n", UNIQUE.as_bytes(), b",\xff1\n"].concat());
        for command in ["solve a --keep", "convert a"] {
            let output = place.command(command.split(' ')).output().unwrap();
            assert!(output.stdout.ends_with(b",\xff1\n"));
            let (_, printed, said) = place.ran(&format!("{command} -O jsonl"));
            assert!(printed.ends_with(",\"x\":\"\u{fffd}1\"}\n"), "{printed}");
            let warning = "texts with invalid UTF-8, which is written as U+FFFD: 1; -O csv keeps the bytes";
            assert!(
                said.contains(warning) && !String::from_utf8_lossy(&output.stderr).contains(warning),
                "{said}"
            );
        }
    }
}
