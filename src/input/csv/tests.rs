use super::*;
use crate::input::chosen::{OTHER_PUZZLE_NAMES, OTHER_SOLUTION_NAMES};
use crate::input::testing::{PUZZLE, Reading, dotted, drain, open, places, read, read_as, told};
use crate::input::{FormatChoice, ReadOptions};

const SOLUTION: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

fn read_column(text: &str, column: &str) -> Result<Reading, String> {
    let options = ReadOptions { puzzle_column: Some(column.to_owned()), ..ReadOptions::default() };
    open(text.as_bytes(), &options).map(|source| drain(source, 1 << 16)).map_err(|error| told(&error))
}

#[test]
fn the_known_datasets() {
    let table = [
        ("quizzes,solutions", "P,S"),
        ("id,puzzle,solution,clues,difficulty", "1,P,S,27,2.2"),
        ("puzzle,solution", "P,S"),
        ("source,question,answer,rating", "puzzles2_17_clue,D,S,0"),
        ("puzzle,solution,missing,difficulty,set,solving_time", "P,S,50,1.2,train,0.01"),
        ("Puzzle,Solution,Solution Count,Time (milliseconds),Givens,Singles", "D,S,1,0.2,27,10"),
        (
            "id,source,line,kind,status,solutions,clues,guesses,time_ns,puzzle,solution,error",
            "1,a b.txt,1,sudoku,unique,1,27,0,812,D,S,",
        ),
    ];
    for (header, row) in table {
        let row = row.replace('P', PUZZLE).replace('D', &dotted()).replace('S', SOLUTION);
        for separator in [",", ";", "\t"] {
            for line_end in ["\n", "\r\n"] {
                for quote in ["", "\""] {
                    let quoted = |row: &str| {
                        let fields: Vec<_> =
                            row.split(',').map(|field| format!("{quote}{field}{quote}")).collect();
                        fields.join(separator) + line_end
                    };
                    let text = format!("\u{feff}{}{}{}", quoted(header), quoted(&row), quoted(&row));
                    let reading = read(text.as_bytes());
                    assert_eq!(reading.show(), vec![dotted(); 2], "{text}");
                    assert_eq!(reading.records[1].line, 3);
                    assert_eq!(reading.records[1].layout, Layout::Line);
                }
            }
        }
    }
}

#[test]
fn a_column_is_found_by_its_content() {
    // Neither the solution nor the number is the puzzle, whatever the order.
    for header in ["", "nr,a,b\n", ",a,b\n"] {
        for row in ["1,P,S", "1,S,P", "S,1,P", "P,1,S"] {
            let row = row.replace('P', PUZZLE).replace('S', SOLUTION);
            let text = format!("{header}{row}\n{row}\n");
            assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2], "{text}");
        }
    }
    let text = format!("\"{PUZZLE}\",\"{SOLUTION}\"\n").repeat(2);
    assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
}

#[test]
fn a_headerless_list_of_puzzles_and_solutions_is_the_line_format() {
    let text = format!("{PUZZLE}\n{PUZZLE},{SOLUTION}\nx{PUZZLE},{SOLUTION}\n");
    let shown = read(text.as_bytes()).show();
    assert_eq!(shown[..2], vec![dotted(); 2]);
    assert_eq!(shown[2], "3:82: 82 cells (expected 81)");
}

/// A grid as 81 fields, or as rows of nine with something between.
fn apart(grid: &str, between: &str) -> String {
    grid.chars().map(String::from).collect::<Vec<_>>().join(between)
}

fn in_rows(grid: &str, between: &str) -> String {
    (0..9).map(|row| grid[9 * row..9 * row + 9].to_owned()).collect::<Vec<_>>().join(between)
}

/// Every kind of table: a header or none, and a row of the puzzle `P` and the solution `S`.
fn kinds() -> Vec<(String, String)> {
    let owned = |header: &str, row: &str| (header.to_owned(), row.to_owned());
    let cells = |grid: &str| apart(grid, ",");
    let columns = |count: usize, name: &str| {
        (0..count).map(|column| format!("{name}{column}")).collect::<Vec<_>>().join(",")
    };
    let nested = |grid: &str| {
        format!(
            "[[{}]]",
            in_rows(&apart(grid, ""), "|")
                .chars()
                .map(String::from)
                .collect::<Vec<_>>()
                .join(", ")
                .replace(", |, ", "], [")
        )
    };
    let numpy = |grid: &str| {
        format!(
            "[[{}]]",
            in_rows(grid, "|")
                .chars()
                .map(String::from)
                .collect::<Vec<_>>()
                .join(" ")
                .replace(" | ", "]\n [")
        )
    };
    let mut kinds = vec![
        owned("Puzzle,Solution,Givens", "P,S,27,"),
        owned("Puzzle,Solution,", "P,S,"),
        owned("id|puzzle|solution", "1|P|S"),
        owned("sep=;\nid;puzzle;solution", "1;P;S"),
        owned("\"id\",\"puzzle\",\"solution\"", "1,P,S"),
        owned("\"id,puzzle,solution\"", "\"1,P,S\""),
        owned("", "\"1,P,S\""),
        owned("id,puzzle,solution", "\"1,P,S\""),
        owned("", "\"1,\"\"P\"\",\"\"S\"\"\""),
    ];
    for name in OTHER_PUZZLE_NAMES {
        kinds.push(owned(&format!("id,other,{name},solved"), &format!("1,{},P,S", "8".repeat(9))));
    }
    for name in OTHER_SOLUTION_NAMES {
        kinds.push(owned(&format!("quizzes,{name},rest"), "P,S,x"));
    }
    for (header, wrap) in [("puzzle,solution", "\"G\",\"T\""), ("", "1,\"G\",\"T\"")] {
        for write in [
            &cells as &dyn Fn(&str) -> String,
            &|grid| apart(grid, " "),
            &|grid| format!("[{}]", apart(grid, ", ")),
            &|grid| format!("({})", apart(grid, ",")),
            &|grid| in_rows(grid, "\n"),
            &|grid| in_rows(&apart(grid, ""), "\r\n"),
            &|grid| in_rows(grid, " "),
            &|grid| format!("array([{}])", apart(grid, ", ")),
            &nested,
            &numpy,
        ] {
            let row = wrap.replace('G', &write(PUZZLE)).replace('T', &write(SOLUTION));
            kinds.push((header.to_owned(), row));
        }
    }
    for blank in ["0", ""] {
        let puzzle = cells(PUZZLE).replace('0', blank);
        let (puzzle, solution) = (puzzle.as_str(), cells(SOLUTION));
        kinds.extend([
            (columns(162, "c"), format!("{puzzle},{solution}")),
            (columns(162, ""), format!("{puzzle},{solution}")),
            (String::new(), format!("{puzzle},{solution}")),
            (String::new(), format!("{solution},{puzzle}")),
            (format!("id,{},solution", columns(81, "c")), format!("712,{puzzle},S")),
            (String::new(), format!("712,{puzzle},S").replace(',', ";")),
            (columns(81, "r") + "," + &columns(81, "s") + ",level", format!("{puzzle},{solution},easy,")),
        ]);
    }
    kinds.iter_mut().for_each(|(_, row)| *row = row.replace('P', PUZZLE).replace('S', SOLUTION));
    kinds
}

#[test]
fn every_kind_of_table() {
    for (header, row) in kinds() {
        let line_end = if header.len() % 2 == 0 { "\n" } else { "\r\n" };
        {
            let header = if header.is_empty() { String::new() } else { header.clone() + line_end };
            let text = format!("{header}{row}{line_end}{row}{line_end}{row}{line_end}");
            let reading = claims(&text, None);
            assert_eq!(reading.show(), vec![dotted(); 3], "{text}");
            assert_eq!(reading.claims(), vec![SOLUTION; 3], "{text}");
            assert!(reading.notes.is_empty(), "{text}");
            assert_eq!(
                drain(open(text.as_bytes(), &ReadOptions::default()).unwrap(), 1).show(),
                vec![dotted(); 3]
            );
            for (place, digit) in places(text.as_bytes())[1].iter().zip(PUZZLE.chars()) {
                let line = text.split('\n').nth(place.line as usize - 1).unwrap();
                let found = line[place.column as usize - 1..].chars().next();
                assert!(digit == '0' || found == Some(digit), "{text}");
            }
        }
    }
}

#[test]
fn a_table_of_more_rows_than_are_looked_at_is_the_same_table() {
    let cells = apart(PUZZLE, ",");
    let names = (1..=CELLS).map(|number| format!("c{number},")).collect::<String>() + "level\n";
    for (header, row, puzzle) in [
        (String::new(), format!("{cells},1.5\n"), 0..81),
        (names, format!("{cells},1.5\n"), 0..81),
        ("a,b\n".to_owned(), format!("{PUZZLE},{SOLUTION}\n"), 0..1),
    ] {
        for rows in [9, 300] {
            let text = header.clone() + &row.repeat(rows);
            let source = open(text.as_bytes(), &ReadOptions::default()).expect("a table");
            assert_eq!(source.columns().puzzle, Some(puzzle.clone()), "{rows} of {row}");
            assert_eq!(drain(source, 1 << 16).show(), vec![dotted(); rows], "{rows} of {row}");
        }
    }
}

/// A cell lost or doubled, a field more or less: the row is lost and no other, and no other puzzle comes of it.
#[test]
fn a_damaged_row_of_any_kind_costs_itself_alone() {
    for (header, row) in kinds() {
        let good = format!("{row}\n").repeat(3);
        let start = if header.is_empty() { good.clone() } else { format!("{header}\n{good}") };
        let is_lost = |shown: &[String]| {
            let untouched = || shown[..3].iter().chain(&shown[shown.len().max(3) - 3..]);
            let made_up = shown.iter().any(|row| row.len() == CELLS && *row != dotted());
            shown.len() >= 6 && untouched().all(|row| *row == dotted()) && !made_up
        };
        let has_empty = row.contains(",,") || row.contains(";;");
        for at in [3] {
            let Some(at) =
                row[at..].find(|byte: char| byte.is_ascii_digit() && !has_empty).map(|found| at + found)
            else {
                continue;
            };
            let digit = &row[at..=at];
            for bad in ["", &format!("{digit},{digit}")] {
                let text = format!("{start}{}{bad}{}\n{good}", &row[..at], &row[at + 1..]);
                let shown = read(text.as_bytes()).show();
                assert!(is_lost(&shown), "{text}\n{shown:?}");
            }
        }
        for stray in ["1,2", "\"", "# a remark"] {
            let shown = read(format!("{start}{stray}\n{good}").as_bytes()).show();
            assert!(is_lost(&shown), "{header} {row} {stray}\n{shown:?}");
        }
    }
}

/// What stands above a header with known names, and below the rows of a dump, is no row of the table.
#[test]
fn tables_below_titles_and_in_dumps() {
    let row = |separator: &str| ["7", PUZZLE, SOLUTION].join(separator) + "\n";
    let dump = "--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\n\nCOPY public.p (id, puzzle, solution) FROM stdin;\n";
    let tail = "\\.\n\n--\n-- Name: p\n--\n\nALTER TABLE ONLY p ADD CONSTRAINT p_pkey PRIMARY KEY (id);\n";
    for (head, separator, tail) in [
        ("Sudoku export 2021\n\nid,puzzle,solution\n", ",", ""),
        ("Sudoku export\nby me, in 2021\n,,\nnr;x;y\nid,Puzzle,Solution\n", ",", ""),
        ("\"the puzzles\nof 2021\"\r\nid;puzzle;solution\r\n", ";", ""),
        ("COPY p (id, puzzle, solution) FROM stdin;\n", "\t", "\\.\n"),
        (dump, "\t", tail),
        (&format!("{}id,puzzle,solution\n", "Prose, a lot of it.\n".repeat(300)), ",", ""),
        ("Prose, a lot of it.\n", ",", ""),
        ("Prose, a lot of it.\nMore, much, more.\n\n", ",", ""),
        ("Prose; a lot of it.\nid;the puzzle;x\n", ";", ""),
        (&"Prose, a lot of it.\nMore, much, more of it, always.\n".repeat(300), ",", ""),
    ] {
        let text = format!("{head}{}{tail}", row(separator).repeat(3));
        let reading = claims(&text, None);
        assert_eq!(reading.show(), vec![dotted(); 3], "{text}");
        assert_eq!(reading.claims(), vec![SOLUTION; 3], "{text}");
        for target in [1, 100] {
            let source = open(text.as_bytes(), &ReadOptions::default()).expect("a table");
            assert_eq!(drain(source, target).show(), vec![dotted(); 3], "{text}");
        }
    }
    // What is not there is no claim; and a puzzle above the header or behind the end is none that nobody sees.
    let text = format!("COPY p (puzzle, solution) FROM stdin;\n{PUZZLE}\t\\N\n\\.\n{PUZZLE}\t{SOLUTION}\n");
    let reading = claims(&text, None);
    assert_eq!(
        (reading.show(), reading.claims()),
        (vec![dotted(); 2], vec!["missing".to_owned(), SOLUTION.to_owned()])
    );
    // What lost cells behind the end is told, too.
    let cut = text.replace(&format!("{PUZZLE}\t{SOLUTION}"), &PUZZLE[..40]);
    assert_eq!(read(cut.as_bytes()).records.len(), 2);
    let text = format!("7,{PUZZLE},{SOLUTION}\nid,puzzle,solution\n{}", row(","));
    assert_eq!(read(text.as_bytes()).records.len(), 3);
}

/// Rows of SQL and of source code are no rows of a table: their brackets and quotes stand within fields.
#[test]
fn tuples_of_source_code() {
    let tuple = format!("(7, '{PUZZLE}', '{SOLUTION}')");
    for text in [
        format!(
            "CREATE TABLE p (id int, puzzle char(81), solution char(81));\nINSERT INTO p VALUES\n{tuple},\n{tuple},\n{tuple};\n"
        ),
        format!("INSERT INTO `p` (`id`, `puzzle`, `solution`) VALUES\n{tuple},\n{tuple},\n{tuple};\n"),
        format!("INSERT INTO p (id, puzzle, solution) VALUES\n{tuple},\n{tuple},\n{tuple};\n"),
        format!("INSERT INTO p VALUES {tuple};\n").repeat(3),
        format!("data = [\n    {tuple},\n    {tuple},\n    {tuple},\n]\n"),
    ] {
        let reading = claims(&text, None);
        assert_eq!(reading.show(), vec![dotted(); 3], "{text}");
        assert_eq!(reading.claims(), vec![SOLUTION; 3], "{text}");
    }
}

#[test]
fn a_name_counts_only_if_the_values_agree() {
    let rows = |header: &str, row: &str| {
        let row = row.replace('P', PUZZLE).replace('S', SOLUTION);
        claims(&format!("{header}\n{row}\n{row}\n"), None)
    };
    for (header, row) in [
        ("puzzle,board,solved", "17,P,S"),
        ("clues,puzzles,label", "27,P,S"),
        ("input,target,a,b", "3,7,P,S"),
        ("quiz,grid,sudoku,answers", "x,,P,S"),
        ("question,quiz,solution", "how?,P,S"),
    ] {
        let reading = rows(header, row);
        assert_eq!(reading.show(), vec![dotted(); 2], "{header}");
        assert_eq!(reading.claims(), [SOLUTION; 2], "{header}");
    }
    // Where no column holds puzzles the known names still say which should.
    assert!(rows("id,puzzle", "1,22").show()[0].ends_with("2 cells (expected 81)"));
}

/// Digits everywhere make no grid: which 81 are meant must be clear, and they must not clash.
#[test]
fn tables_full_of_digits_hold_no_puzzles() {
    let ones = format!("{}\n", ["0", "1"].repeat(50).join(",")).repeat(9);
    let zeros = format!("{}\n", ["0"; 90].join(",")).repeat(9);
    for text in [ones, zeros] {
        assert!(open(text.as_bytes(), &ReadOptions::default()).is_err(), "{text}");
    }
}

#[test]
fn what_a_spreadsheet_made_of_puzzles_is_named() {
    let mangled = "4.30001E+78";
    let text = format!("id,puzzle\n1,{PUZZLE}\n2,{mangled}\n3,{PUZZLE}\n");
    assert_eq!(
        read(text.as_bytes()).show()[1],
        "3:3: number '4.30001E+78', which a spreadsheet made of a puzzle (expected 81 cells, imported as text)"
    );
    for text in [
        format!("puzzle,solution\n{mangled},1.43629E+80\n{mangled},1.43629E+80\n"),
        format!("puzzle\n{mangled}\n\"4,3E+79\"\n"),
        format!("id;x\n1;{mangled}\n2;4,3E+78\n"),
        format!("1,{mangled}\n2,5E+77\n"),
    ] {
        let error = open(text.as_bytes(), &ReadOptions::default()).expect_err("numbers").to_string();
        assert!(error.starts_with("test: the puzzles are numbers like 4.3E+78"), "{text}: {error}");
    }
}

#[test]
fn puzzles_that_lost_their_leading_zeros_get_them_back() {
    let zeros = |text: &str, count: usize| format!("{}{}", "0".repeat(count), &text[count..]);
    let puzzles: Vec<_> = (0..8).map(|row| zeros(PUZZLE, if row % 2 == 0 { 0 } else { row })).collect();
    let table = |puzzles: &[&str]| {
        let rows = puzzles.iter().map(|puzzle| format!("7;{puzzle};{SOLUTION}\n"));
        read(format!("id;quizzes;solutions\n{}", rows.collect::<String>()).as_bytes())
    };
    let whole: Vec<_> = puzzles.iter().map(String::as_str).collect();
    let short: Vec<_> = whole.iter().map(|text| text.trim_start_matches('0')).collect();
    let (read_whole, read_short) = (table(&whole), table(&short));
    assert_eq!(read_short.show(), read_whole.show());
    assert!(read_whole.notes.is_empty());
    assert_eq!(read_short.notes, [format!("test: {}", lost_zeros::NOTE)]);
    // What is no such number is an invalid record as ever, and so is all if some value is none from the start on.
    let last = [&short[..], &["12", "1q", whole[1]]].concat();
    let rows = [&short.repeat(30), &last[..]].concat();
    let errors = ["250:5: 2 cells (expected 81)", "251:4: invalid character 'q' (expected 1-9, 0 or .)"];
    assert_eq!(table(&rows).show()[248..250], errors);
    assert_eq!(table(&rows).show()[250], read_whole.show()[1]);
    assert!(table(&last).show()[1].ends_with(": 79 cells (expected 81)"));
}

#[test]
fn the_cells_of_a_puzzle_that_lost_zeros_are_where_its_digits_stand() {
    let short = PUZZLE[1..].trim_start_matches('0');
    let whole = format!("{}{short}", &SOLUTION[..81 - short.len()]);
    let text = format!("puzzle,nr\n {short},1\n{whole},2\n");
    for cell in 2..81 {
        assert_eq!(places(text.as_bytes())[0][cell], Place { line: 2, column: cell as u64 });
    }
}

#[test]
fn a_broken_first_row_is_no_header() {
    let text = format!("1,{},{SOLUTION}\n2,{PUZZLE},{SOLUTION}\n", &PUZZLE[1..]);
    assert_eq!(read(text.as_bytes()).show(), ["1:83: 80 cells (expected 81)".to_owned(), dotted()]);
}

#[test]
fn the_column_asked_for() {
    let text = format!("nr,First,second\n1,{PUZZLE},{SOLUTION}\n");
    assert_eq!(read_column(&text, "FIRST").expect("known").show(), [dotted()]);
    assert_eq!(read_column(&text, "second").expect("known").show(), [SOLUTION]);
    assert_eq!(read_column(&text, "3").expect("known").show(), [SOLUTION]);
    let error = read_column(&text, "third").expect_err("unknown");
    assert_eq!(
        error,
        "test: no column 'third' (columns seen: nr, First, second); \
         name the column of the puzzles with puzzle_column NAME"
    );
    assert!(read_column(&text, "4").is_err() && read_column(&text, "0").is_err());
    let headerless = format!("{SOLUTION},{PUZZLE}\n");
    assert_eq!(read_column(&headerless, "2").expect("known").show(), [dotted()]);
    assert_eq!(read_column(&headerless, "1").expect("known").show(), [SOLUTION]);
    // A header need not be words alone.
    let numbered = format!("puzzle,0\n{PUZZLE},7\n");
    assert_eq!(read_column(&numbered, "1").expect("known").show(), [dotted()]);
    // Files of other formats beside it are not meant.
    assert_eq!(read_column(&format!("{PUZZLE}\n"), "first").expect("lines").show(), [dotted()]);
}

#[test]
fn no_column_of_puzzles_is_an_error_that_says_what_to_do() {
    let error = open(b"name,value\na,1\nb,2\n", &ReadOptions::default()).expect_err("no puzzles");
    assert_eq!(
        told(&error),
        "test: no column of puzzles found (columns seen: name, value); \
         name the column of the puzzles with puzzle_column NAME"
    );
    let options = ReadOptions { format: FormatChoice::named("csv"), ..ReadOptions::default() };
    // Numbers are no names; where two separators do as well, it is the comma.
    for (text, seen) in [("7;8;9\n", &["1", "2", "3"][..]), ("a;b,c\nd;e,f\n", &["a;b", "c"])] {
        assert!(matches!(open(text.as_bytes(), &options), Err(InputError::NoPuzzleColumn { columns, .. })
            if columns == seen));
    }
    // What ends every line sets no columns apart.
    let data = open(b"flour = 4000;\nbanana = 6;\nsugar = 2000;\n", &ReadOptions::default());
    assert!(matches!(data, Err(InputError::UnknownFormat { .. })), "{data:?}");
    // Nor is anything wrong where nothing is.
    assert_eq!(read_as(b"", "csv").show(), [""; 0]);
}

/// The offset of each byte is known from writing the row.
#[test]
fn every_byte_of_a_field_is_found_in_its_row() {
    let fields = ["a", "b\"c,d", "", "x,y\nz", "é"];
    for always_quoted in [false, true] {
        let (mut row, mut expected) = (Vec::new(), Vec::new());
        for (number, field) in fields.into_iter().enumerate() {
            if number > 0 {
                row.push(b',');
            }
            let quoted = always_quoted || field.contains(['"', ',']);
            row.extend(quoted.then_some(b'"'));
            for (index, byte) in field.bytes().enumerate() {
                expected.push((number, index, row.len()));
                row.push(byte);
                row.extend((byte == b'"').then_some(b'"'));
            }
            expected.push((number, field.len(), row.len()));
            row.extend(quoted.then_some(b'"'));
        }
        expected.push((fields.len(), 0, row.len()));
        for (number, index, at) in expected {
            assert_eq!(offset_in(&row, b',', number, index), at, "byte {index} of field {number}");
        }
    }
    assert_eq!(offset_in(b"\"ab\"cd,e", b',', 0, 3), 5, "behind quotes that are followed by more");
}

/// Reads for the claims and shows them.
fn claims(text: &str, solution_column: Option<&str>) -> Reading {
    let solution_column = solution_column.map(str::to_owned);
    let options = ReadOptions { solution_column, claims: true, ..ReadOptions::default() };
    drain(open(text.as_bytes(), &options).expect("a table"), 1 << 16)
}

#[test]
fn the_known_datasets_have_claims() {
    let table = [
        ("quizzes,solutions", "P,S"),
        ("id,puzzle,solution,clues,difficulty", "1,P,S,27,2.2"),
        ("puzzle,solution", "P,S"),
        ("source,question,answer,rating", "puzzles2_17_clue,D,S,0"),
        ("puzzle,solution,missing,difficulty,set,solving_time", "P,S,50,1.2,train,0.01"),
        ("puzzle,solution,difficulty,source", "P,S,easy,x"),
        (
            "quizzes,solutions,source,dataset,official_rating,rating_type,difficulty_bucket,clues,split",
            "P,S,a,b,1.2,c,d,27,test",
        ),
        ("Puzzle,Solution,Solution Count,Time (milliseconds),Givens,Singles", "D,S,1,0.2,27,10"),
        (
            "id,source,line,kind,status,solutions,clues,guesses,time_ns,puzzle,solution,error",
            "1,a b.txt,1,sudoku,unique,1,27,0,812,D,S,",
        ),
        (
            "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error",
            "1,a b.txt,1,sudoku,unique,1,27,0,D,S,",
        ),
    ];
    for (header, row) in table {
        let full = row.replace('P', PUZZLE).replace('D', &dotted()).replace('S', SOLUTION);
        let none = row.replace('P', PUZZLE).replace('D', &dotted()).replace('S', "");
        let text = format!("{header}\n{full}\n{none}\n{full}\n");
        let reading = claims(&text, None);
        assert_eq!(reading.claims(), [SOLUTION, "missing", SOLUTION], "{header}");
        assert_eq!((reading.show(), reading.notes.len()), (vec![dotted(); 3], 0));
    }
}

#[test]
fn a_column_of_claims_is_found_by_its_content_or_by_a_flag() {
    for header in ["", "nr,a,b\n"] {
        for row in ["1,P,S", "1,S,P", "S,1,P", "P,1,S"] {
            let row = row.replace('P', PUZZLE).replace('S', SOLUTION);
            let reading = claims(&format!("{header}{row}\n{row}\n"), None);
            assert_eq!(reading.show(), vec![dotted(); 2]);
            assert_eq!(reading.claims(), [SOLUTION; 2]);
        }
    }
    // A column that is rarely complete is none, unless somebody says that it is.
    let text = format!("puzzle,mine,rating\n{PUZZLE},{SOLUTION},1\n{PUZZLE},{PUZZLE},2\n{PUZZLE},,3\n");
    let reading = claims(&text, None);
    assert_eq!(reading.claims(), ["missing"; 3]);
    assert_eq!(
        reading.notes,
        [
            "test: no column of solutions found; name it with solution_column NAME (columns seen: puzzle, mine, rating)"
        ]
    );
    // A column that is called so holds solutions unless all that it holds is something else.
    for (claim, expected) in [
        ("none", "missing"),
        (&SOLUTION[1..], "claimed solution: 80 cells (expected 81)"),
        ("1", "missing"),
        ("123", "missing"),
        ("sol/00017.txt", "missing"),
    ] {
        for name in ["solutions", "Solution", "answer"] {
            let reading = claims(&format!("puzzle,{name}\n{PUZZLE},{claim}\n"), None);
            assert!(reading.claims()[0].ends_with(expected), "{name} {claim}");
            let holds_others =
                reading.notes.iter().any(|note| note.contains(&format!("'{name}' holds no grids")));
            assert_eq!(holds_others, expected == "missing" && claim != "none", "{name} {claim}");
        }
    }
    // One grid is enough.
    let few = format!("puzzle,solution\n{PUZZLE},1\n{PUZZLE},{SOLUTION}\n");
    let bad = "line 2, column 84: claimed solution: 1 cell (expected 81)";
    assert_eq!(claims(&few, None).claims(), [bad, SOLUTION]);
    // A table without rows lacks no claims.
    assert_eq!(claims("id,source,line,kind,status,puzzle\n", None).notes, [""; 0]);
    for column in ["mine", "MINE", "2"] {
        let reading = claims(&text, Some(column));
        assert_eq!(reading.claims(), [SOLUTION.to_owned(), dotted(), "missing".to_owned()]);
        assert!(reading.notes.is_empty());
    }
    let headerless = format!("{PUZZLE},{SOLUTION}\n");
    assert_eq!(claims(&headerless, Some("2")).claims(), [SOLUTION]);
    // Who wants no claims hears nothing of them, but who looks at a table does, if a name promises them.
    assert!(read(text.as_bytes()).notes.is_empty());
    let options = ReadOptions { look: true, ..ReadOptions::default() };
    for (text, note) in [
        (text, None),
        (
            format!("puzzle,Solution\n{PUZZLE},1\n"),
            Some(
                "test: 'Solution' holds no grids, so no column of solutions was found; \
                 name it with solution_column NAME (columns seen: puzzle, Solution)",
            ),
        ),
        (
            format!("puzzle,solution,Solution\n{PUZZLE},{SOLUTION},{SOLUTION}\n"),
            Some(
                "test: columns 2 and 3 are both called 'solution'; the claims are those of column 2 \
                 (solution_column 3 takes the others)",
            ),
        ),
    ] {
        let looked = drain(open(text.as_bytes(), &options).expect("a table"), 1 << 16).notes;
        assert_eq!(looked.first().map(String::as_str), note);
        let wanted = claims(&text, None).notes;
        assert!(note.is_none_or(|note| wanted == [note]), "{wanted:?}");
    }
}

#[test]
fn no_such_column_of_solutions_is_an_error_that_says_what_to_do() {
    for text in [
        format!("puzzle,solution\n{PUZZLE},{SOLUTION}\n"),
        format!("{PUZZLE},{SOLUTION}\n{PUZZLE},{SOLUTION}\n"),
    ] {
        let options = ReadOptions { solution_column: Some("third".to_owned()), ..ReadOptions::default() };
        let error = open(text.as_bytes(), &options).expect_err("no such column");
        let seen = if text.starts_with("puzzle") { "puzzle, solution" } else { "1, 2" };
        assert_eq!(
            told(&error),
            format!(
                "test: no column 'third' (columns seen: {seen}); \
                 name the column of the solutions with solution_column NAME"
            )
        );
        // Files of other formats beside it are not meant.
        assert!(open(format!("{PUZZLE}\n").as_bytes(), &options).is_ok());
    }
}

#[test]
fn a_bad_claim_has_place_and_reason() {
    let short = &SOLUTION[1..];
    let table = [
        (short.to_owned(), "line 3, column 165: claimed solution: 80 cells (expected 81)"),
        (format!("{SOLUTION}1"), "line 3, column 166: claimed solution: 82 cells (expected 81)"),
        (format!(" {short}q"), "line 3, column 166: claimed solution: invalid character 'q' (expected 1-9)"),
        (
            format!("\"{short}q\""),
            "line 3, column 166: claimed solution: invalid character 'q' (expected 1-9)",
        ),
        ("none".to_owned(), "missing"),
        ("  ".to_owned(), "missing"),
    ];
    for (bad, expected) in table {
        let text = format!("nr,puzzle,solution\n0,{PUZZLE},{SOLUTION}\n1,{PUZZLE},{bad}\n2,12,{SOLUTION}\n");
        assert_eq!(claims(&text, None).claims(), [SOLUTION, expected, "missing"], "{text}");
    }
    let text = format!("puzzle,solution\n{PUZZLE},{SOLUTION}\n{PUZZLE},").into_bytes();
    let text = [&text[..], b"\xff\n"].concat();
    let reading = drain(open(&text, &ReadOptions::default()).expect("a table"), 100);
    assert_eq!(
        reading.claims(),
        [SOLUTION, "line 3, column 83: claimed solution: invalid byte '\\xff' (expected 1-9)"]
    );
}

/// These columns of each record, as they are carried along.
fn carried(text: &[u8], wanted: &[Option<usize>], target: usize) -> Vec<Vec<Option<String>>> {
    let mut source = open(text, &ReadOptions::default()).expect("a table");
    source.carry(wanted);
    let (mut rows, mut records) = (Vec::new(), Records::default());
    while let Some(batch) = source.next_batch(Vec::new(), target).expect("readable") {
        batch.read(Want::default(), &mut records);
        let shown = |field: &[u8]| field.escape_ascii().to_string();
        rows.extend(
            (0..records.len())
                .map(|row| records.carried.iter().map(|texts| texts.get(row).map(shown)).collect::<Vec<_>>()),
        );
    }
    rows
}

#[test]
fn columns_are_carried_as_they_are() {
    let text = format!(
        "nr,puzzle,,remark\r\n007,{PUZZLE}, x,\"a\r\n\"\"b\"\"\"\r\n,\"{PUZZLE}\",\"1,5\",ÿ\n\n12,bad,\"\",é\n13,{PUZZLE}\n14,{PUZZLE},\"\n"
    )
    .into_bytes();
    let source = open(&text, &ReadOptions::default()).expect("a table");
    let names = ["nr", "puzzle", "column_3", "remark"].map(str::to_owned).to_vec();
    assert_eq!(source.columns(), Columns { names, puzzle: Some(1..2), claim: None });
    let some = |texts: [&'static str; 3]| [Some(texts[0]), None, Some(texts[1]), Some(texts[2])];
    let expected = [
        some(["007", " x", "a\\r\\n\\\"b\\\""]),
        some(["", "1,5", "\\xc3\\xbf"]),
        some(["12", "", "\\xc3\\xa9"]),
        // Nobody knows which fields of a ragged row are which.
        [None; 4],
        [None; 4],
    ];
    let expected = expected.map(|row| row.map(|field| field.map(str::to_owned)).to_vec());
    for target in [1, 100, 300, 1 << 16] {
        assert_eq!(carried(&text, &[Some(0), None, Some(2), Some(3)], target), expected, "{target}");
    }
    // Without a header columns have numbers; bytes need not be UTF-8.
    let text = [format!("a;{PUZZLE};").as_bytes(), b"\xff\"\n"].concat().repeat(2);
    assert_eq!(open(&text, &ReadOptions::default()).expect("a table").columns().names[2], "column_3");
    assert_eq!(carried(&text, &[Some(2)], 1), vec![vec![Some("\\xff\\\"".to_owned())]; 2]);
}

#[test]
fn quoted_fields() {
    let text = format!(
        "name,puzzle\n\"a, b\",{PUZZLE}\n\"a\n\"\"b\"\"\n\",\"{PUZZLE}\"\n\"\",\" {PUZZLE} \"\na\"b,{PUZZLE}\n\
         \"a\"b,{PUZZLE}\n\"x\r\ny\",{PUZZLE}"
    );
    let reading = read(text.as_bytes());
    assert_eq!(reading.show(), vec![dotted(); 6]);
    let lines: Vec<u64> = reading.records.iter().map(|record| record.line).collect();
    assert_eq!(lines, [2, 3, 6, 7, 8, 9]);
    assert_eq!(reading.records[1].text, format!("\"a\n\"\"b\"\"\n\",\"{PUZZLE}\"\n").as_bytes());
}

#[test]
fn a_bad_row_is_one_invalid_record_with_place_and_reason() {
    let short = &PUZZLE[1..];
    let table = [
        (PUZZLE.to_owned(), "3:82: 1 field (expected 3)"),
        (format!("1,{PUZZLE}"), "3:84: 2 fields (expected 3)"),
        (format!("1,{PUZZLE},a,b,c"), "3:87: 5 fields (expected 3)"),
        (format!("1,\"{PUZZLE}\",\"a,b\",b"), "3:93: 4 fields (expected 3)"),
        (format!("1,{short},a"), "3:83: 80 cells (expected 81)"),
        (format!("1,{PUZZLE}1,a"), "3:84: 82 cells (expected 81)"),
        ("1,,a".to_owned(), "3:3: 0 cells (expected 81)"),
        ("1,\"\",a".to_owned(), "3:4: 0 cells (expected 81)"),
        (format!("1,{short}q,a"), "3:83: invalid character 'q' (expected 1-9, 0 or .)"),
        (format!("1, \u{7}{short},a"), "3:4: invalid character '\\x07' (expected 1-9, 0 or .)"),
        (format!("\"1\"\"\",\"{short}q\",a"), "3:88: invalid character 'q' (expected 1-9, 0 or .)"),
        (format!("\"1\n2\",{short}q,a"), "4:84: invalid character 'q' (expected 1-9, 0 or .)"),
        (format!("1,\"{PUZZLE},a"), "3:3: quote that is not closed (expected a closing \")"),
        (format!("1,{PUZZLE},\""), "3:85: quote that is not closed (expected a closing \")"),
        ("\0".to_owned(), "3:2: 1 field (expected 3)"),
        ("1,\0,a".to_owned(), "3:3: invalid character '\\x00' (expected 1-9, 0 or .)"),
    ];
    for (bad, expected) in table {
        for quote in ["", "\""] {
            for line_end in ["\n", "\r\n"] {
                let good = format!("0,{quote}{PUZZLE}{quote},z{line_end}");
                let text = format!("nr,puzzle,remark{line_end}{good}{bad}{line_end}{good}");
                let shown = read(text.as_bytes()).show();
                assert_eq!(shown, [dotted(), expected.to_owned(), dotted()], "{text}");
            }
        }
        let text = format!("nr,puzzle,remark\n0,{PUZZLE},z\n{bad}");
        assert_eq!(read(text.as_bytes()).show(), [dotted(), expected.to_owned()], "{text}");
    }
}

#[test]
fn an_unclosed_quote_costs_no_other_row_however_long_the_file_is() {
    let good = format!("1,{PUZZLE},z\n");
    let text = format!("nr,puzzle,remark\n{good}\"2,{PUZZLE},z\n{}", good.repeat(40_000));
    let shown = read(text.as_bytes()).show();
    assert_eq!(shown.len(), 40_002);
    assert_eq!(shown[1], "3:1: quote that is not closed (expected a closing \")");
    assert!(shown[2..].iter().all(|row| *row == dotted()));
}

#[test]
fn where_a_chunk_is_cut_changes_nothing() {
    let text = format!("puzzle,name\r\n{PUZZLE},\"a\r\nb\"\r\n{PUZZLE},\"\"\"\"\r\n{PUZZLE},\"x\"\r\n");
    for target in 1..text.len() {
        let source = open(text.as_bytes(), &ReadOptions::default()).expect("a table");
        assert_eq!(drain(source, target).show(), vec![dotted(); 3], "chunks of {target} bytes");
    }
}

#[test]
fn a_quote_that_closes_too_far_away_does_not_close() {
    // The same whether the closing quote is already there or not, and without keeping all between.
    let good = format!("1,{PUZZLE},z\n");
    let text = format!("nr,puzzle,remark\n\"2,{PUZZLE},z\n{}1,{PUZZLE},z\"\n", good.repeat(40_000));
    for target in [50_000, 8 << 20] {
        let mut source = open(text.as_bytes(), &ReadOptions::default()).expect("a table");
        let first = source.next_batch(Vec::new(), target).expect("readable").expect("records");
        assert!(first.bytes.len() <= target.max(2 << 20));
        let mut shown = Vec::new();
        let mut records = Records::default();
        first.read(Want::default(), &mut records);
        shown.extend(records.lines().iter().copied().zip(records.readable().iter().copied()));
        assert_eq!(shown[..3], [(2, false), (3, true), (4, true)]);
        let rest = std::iter::from_fn(|| source.next_batch(Vec::new(), target).expect("readable"));
        assert_eq!(first.records + rest.map(|chunk| chunk.records).sum::<u64>(), 40_002);
    }
}

/// The line is long behind its quotes: within them the row would end where they open.
#[test]
fn a_row_of_megabytes_on_several_lines_is_one_record() {
    let good = format!("1,{PUZZLE},z,\n");
    let text = format!("nr,puzzle,remark,more\n{good}1,{PUZZLE},\"a\nb\",{}\n{good}", "x".repeat(MAX_LINE));
    assert_eq!(read(text.as_bytes()).show(), [dotted(), "3:1: row longer than 1 MiB".to_owned(), dotted()]);
}

#[test]
fn a_line_of_megabytes_is_one_record() {
    let good = format!("1,{PUZZLE},z\n");
    for start in ["1,", "1,\"", "\""] {
        let text = format!("nr,puzzle,remark\n{good}{start}{}\",z\n{good}", "x".repeat(3 << 20));
        let shown = read(text.as_bytes()).show();
        assert_eq!(
            shown,
            [dotted(), format!("3:{}: line longer than 1 MiB", MAX_LINE + 1), dotted()],
            "{start}"
        );
    }
}

#[test]
fn a_sudominoku_among_results_is_not_solved_as_a_sudoku() {
    let header = "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error";
    let row = |kind: &str, puzzle: &str| format!("1,x,1,{kind},unique,1,27,0,{puzzle},{SOLUTION},");
    let text = [
        header,
        &row("sudoku", PUZZLE),
        &row("sudominoku", PUZZLE),
        &row("sudoku", ""),
        &row("sudoku", PUZZLE),
    ]
    .join("\n");
    assert_eq!(
        read(text.as_bytes()).show(),
        [
            dotted(),
            "3:7: a sudominoku, whose dominoes are not in a file of results (expected a sudoku)".to_owned(),
            "4:28: 0 cells (expected 81)".to_owned(),
            dotted(),
        ]
    );
}

#[test]
fn comments_and_blank_lines_are_no_rows() {
    let text = format!(
        "# made, by hand\n\npuzzle,solution\n{PUZZLE},{SOLUTION}\n# remark\n  \n{PUZZLE},{SOLUTION}\n"
    );
    assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
    // A number that starts with # is part of a row.
    let text = format!("nr,puzzle\n#1,{PUZZLE}\n#2,{PUZZLE}\n");
    assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2]);
    // With too few or too many fields it is a ragged row, not a comment.
    let text = format!("id,puzzle,x\n1,{PUZZLE},a\n#2,{PUZZLE}\n3,{PUZZLE},b\n");
    let shown = read(text.as_bytes()).show();
    assert_eq!((shown.len(), &shown[0], &shown[2]), (3, &dotted(), &dotted()), "{shown:?}");
    assert!(shown[1].starts_with("3:") && shown[1].ends_with("2 fields (expected 3)"), "{shown:?}");
    // And empty fields between tabs are fields.
    let shown = read_as(format!("puzzle\trating\n{PUZZLE}\t1\n\t\n").as_bytes(), "csv").show();
    assert_eq!(shown, [dotted(), "3:1: 0 cells (expected 81)".to_owned()]);
}

#[test]
fn clues_are_found_again() {
    let text = format!("name,puzzle\na,{PUZZLE}\n\"x\ny\",\" {PUZZLE}\"\n");
    let places = places(text.as_bytes());
    assert_eq!([places[0][0], places[0][80]], [Place { line: 2, column: 3 }, Place { line: 2, column: 83 }]);
    assert_eq!([places[1][0], places[1][80]], [Place { line: 4, column: 6 }, Place { line: 4, column: 86 }]);
}

#[test]
fn rows_end_where_the_csv_crate_says_they_end() {
    let text = "a,\"b\"\"\n,\"\r\nc\",d\n\"\",\"e\"\n,\n\"f\n\",\"\"\"\"\n";
    let mut theirs =
        ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let theirs: Vec<Vec<Vec<u8>>> = theirs
        .byte_records()
        .map(|row| row.expect("good text").iter().map(<[u8]>::to_vec).collect())
        .collect();
    let mut ours = Vec::new();
    let mut rest = text.as_bytes();
    while let Some(row) = row_length(rest, b',', TextEnd::Last) {
        let fields = Unquoter::new(b',').fields(without_line_end(&rest[..row.length])).expect("quotes close");
        ours.push(fields.iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
        rest = &rest[row.length..];
    }
    assert_eq!(ours, theirs);
}

/// Such as `solve --enumerate` writes: once it was a list with one bad line.
#[test]
fn solutions_alone_are_read_as_puzzles() {
    let rows = format!("1,1,{SOLUTION}\n1,2,{SOLUTION}\n");
    assert_eq!(read(format!("id,n,solution\n{rows}").as_bytes()).show(), [SOLUTION; 2]);
    assert_eq!(read(format!("solution\n{SOLUTION}\n{SOLUTION}\n").as_bytes()).show(), [SOLUTION; 2]);
    // They are not where there is what may be puzzles, though with letters for blanks, or for digits, they cannot be read.
    for (header, blank) in
        [("start,solution", "Z"), ("begin,solved", "o"), ("puzzle,solution", "n"), ("a,b", "o")]
    {
        let letters = PUZZLE.replace('0', blank);
        let text = format!("{header}\n{letters},{SOLUTION}\n{letters},{SOLUTION}\n");
        let column = PUZZLE.find('0').expect("a blank") + 1;
        let at = |line: usize| format!("{line}:{column}: invalid character '{blank}' (expected 1-9, 0 or .)");
        assert_eq!(read(text.as_bytes()).show(), [at(2), at(3)], "{text}");
        let (_, rows) = text.split_once('\n').expect("a header");
        assert_eq!(read(rows.as_bytes()).show(), [at(1), at(2)], "{rows}");
    }
}

#[test]
fn names_of_81_columns_say_which_cells_they_are() {
    type Name = fn(usize, usize) -> String;
    let letter = |at: usize| char::from(b'A' + at as u8);
    let names: [Name; 15] = [
        |row, column| format!("r{}c{}", row + 1, column + 1),
        |row, column| format!("R{}C{}", row + 1, column + 1),
        |row, column| format!("r{row}_c{column}"),
        |row, column| format!("p_r{row}c{column}"),
        |row, column| format!("col{}row{}", column + 1, row + 1),
        |row, column| format!("row {} column {}", row + 1, column + 1),
        |row, column| format!("x{column}y{row}"),
        |row, column| format!("cell_{row}_{column}"),
        |row, column| format!("\"({row}, {column})\""),
        |row, column| format!("{}{}", row + 1, column + 1),
        |row, column| format!("box{}_{}", row / 3 * 3 + column / 3, row % 3 * 3 + column % 3),
        |row, column| format!("{}", row * 9 + column),
        |row, column| format!("c{}", row * 9 + column),
        |row, column| format!("cell{}", row * 9 + column + 1),
        |row, column| format!("Unnamed: {}", row * 9 + column),
    ];
    let in_letters = |row: usize, column: usize| format!("{}{}", letter(row), column + 1);
    let of_spreadsheet = |row: usize, column: usize| format!("{}{}", letter(column), row + 1);
    let names = names.iter().map(|name| name as &dyn Fn(usize, usize) -> String);
    // Reading order, down the columns, backwards, and any other.
    let orders: [fn(usize) -> usize; 4] = [|at| at, |at| at % 9 * 9 + at / 9, |at| 80 - at, |at| at * 7 % 81];
    let all = names.map(|name| (name, &orders[..]));
    let letters: [(&dyn Fn(usize, usize) -> String, _); 3] =
        [(&in_letters, &orders[..1]), (&in_letters, &orders[2..]), (&of_spreadsheet, &orders[..1])];
    for (name, orders) in all.chain(letters) {
        for order in orders {
            let cells = || (0..81).map(order);
            let list = |of: &dyn Fn(usize) -> String| cells().map(of).collect::<Vec<_>>().join(",");
            let header = list(&|cell| name(cell / 9, cell % 9));
            let row = |grid: &str| list(&|cell| grid[cell..=cell].to_owned());
            for (header, row) in [
                (header.clone(), row(PUZZLE)),
                (format!("id,{header},solution"), format!("7,{},{SOLUTION}", row(PUZZLE))),
            ] {
                let text = format!("{header}\n{row}\n{row}\n");
                assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2], "{text}");
                for (place, digit) in places(text.as_bytes())[1].iter().zip(PUZZLE.chars()) {
                    let found = row[place.column as usize - 1..].chars().next();
                    assert_eq!((place.line, found), (3, Some(digit)), "{text}");
                }
            }
            let others = list(&|cell| format!("s_{}_{}", cell / 9, cell % 9));
            let text =
                format!("{header},{others}\n{}", format!("{},{}\n", row(PUZZLE), row(SOLUTION)).repeat(2));
            assert_eq!(claims(&text, None).claims(), vec![SOLUTION; 2], "{text}");
        }
    }
    // What contradicts itself is refused, in whatever order the cells are.
    for (order, from, to, what) in [
        (orders[1], "r2c1", "R1C1", "'r1c1' and 'r1c1' say the same place in the grid"),
        (orders[3], "r9c9", "age", "'age' says no place in the grid, as 'r1c1' does"),
        (orders[0], "r9c9", "r9c0", "'r1c1' to 'r9c0' are not the 81 places of a grid"),
    ] {
        let cells: Vec<usize> = (0..81).map(order).collect();
        let name = |cell: &usize| format!("r{}c{}", cell / 9 + 1, cell % 9 + 1);
        let header = cells.iter().map(name).collect::<Vec<_>>().join(",").replace(from, to);
        let row = cells.iter().map(|&cell| PUZZLE[cell..=cell].to_owned()).collect::<Vec<_>>().join(",");
        let error = open(format!("{header}\n{row}\n{row}\n").as_bytes(), &ReadOptions::default());
        assert_eq!(
            error.expect_err(what).to_string(),
            format!("test: of 81 columns of a cell each {what}: mend their names, or have them say nothing")
        );
    }
}

/// Once a last cell that is blank in all rows was taken for what rows end with.
#[test]
fn a_last_column_of_blanks_is_a_cell_where_81_are_needed() {
    let cells = apart(PUZZLE, ",").replace('0', "");
    let cells = format!("{},", &cells[..cells.rfind(',').expect("a separator")]);
    let expected = dotted()[..80].to_owned() + ".";
    for (text, rows) in [
        (format!("{cells}\n").repeat(3), 3),
        (format!("{cells},\n").repeat(3), 3),
        ((10..13).map(|id| format!("{id},{cells}\n")).collect(), 3),
    ] {
        assert_eq!(read(text.as_bytes()).show(), vec![expected.clone(); rows], "{text}");
    }
}

#[test]
fn a_second_column_of_puzzles_is_named() {
    let other = PUZZLE.replace('1', "0");
    for (header, note) in [
        ("quiz,x,puzzle\n", "test: 'quiz' holds puzzles, too; those of 'puzzle' are read"),
        ("", "test: '3' holds puzzles, too; those of '1' are read"),
    ] {
        let text = format!("{header}{}", format!("{other},1,{PUZZLE}\n").repeat(3));
        let reading = read_as(text.as_bytes(), "csv");
        assert!(reading.notes[0].starts_with(note) && reading.notes.len() == 1, "{:?}", reading.notes);
    }
    let one = format!("quiz,solution\n{PUZZLE},{SOLUTION}\n");
    assert!(read(one.as_bytes()).notes.is_empty());
}

#[test]
fn rows_of_a_grid_above_the_header_are_one_invalid_record() {
    let grid = crate::input::testing::rows();
    let text = format!("Set 1\n{grid}\n\n{grid}\npuzzle,rating\n{PUZZLE},5\n");
    for target in [1, 100, 1 << 16] {
        let reading = drain(open(text.as_bytes(), &ReadOptions::default()).unwrap(), target);
        let lines: Vec<u64> = reading.records.iter().map(|record| record.line).collect();
        assert_eq!(lines, [2, 13, 24], "batches of {target} bytes");
        assert!(reading.show()[..2].iter().all(|shown| shown.contains("1 field (expected 2)")));
        assert_eq!(reading.show()[2], dotted());
    }
    // In whatever way it is written.
    let list: Vec<String> = grid.lines().map(|row| row.replace("", ",")[1..18].to_owned()).collect();
    for above in [
        format!("grid = [[{}]]\n", list.join("],[")),
        format!("grid = [\n  [{}]\n]\n", list.join("],\n  [")),
        format!("35\n{}", "7 E5 9 E6\n".repeat(35)),
        list.join("\n").replace('0', "") + "\n",
    ] {
        let text = format!("Set 1 of 2021\n\n{above}puzzle,rating\n{PUZZLE},5\n");
        for target in [1, 100, 1 << 16] {
            let reading = drain(open(text.as_bytes(), &ReadOptions::default()).unwrap(), target);
            let lines: Vec<u64> = reading.records.iter().map(|record| record.line).collect();
            let last = text.lines().count() as u64;
            assert_eq!((lines, &*reading.show()[1]), (vec![3, last], &*dotted()), "{text}");
        }
    }
}

#[test]
fn borders_between_the_rows_of_a_table_are_nothing() {
    for border in ["|----|:-----:|", "+----+------+", "----+------", "|----+------|"] {
        for tick in ["", "`"] {
            let row = format!("| 1 | {tick}{PUZZLE}{tick} |\n");
            let text = format!("| id | puzzle |\n{border}\n{row}{row}{border}\n(2 rows)\n");
            assert_eq!(read(text.as_bytes()).show(), vec![dotted(); 2], "{text}");
        }
    }
}

#[test]
fn a_word_for_nothing_claims_no_solution() {
    let options = ReadOptions { claims: true, ..ReadOptions::default() };
    let text = format!("puzzle,solution\n{PUZZLE},NULL\n{PUZZLE},nan\n{PUZZLE},None\n{PUZZLE},{SOLUTION}\n");
    let claims = drain(open(text.as_bytes(), &options).unwrap(), 1 << 16).claims();
    assert_eq!(claims, ["missing", "missing", "missing", SOLUTION]);
}

#[test]
fn a_row_whose_puzzle_and_solution_are_swapped_is_an_invalid_record() {
    let fault = "3:3: a solution, and its puzzle where the solution is claimed (expected the puzzle)";
    for quote in ["", "\""] {
        let row = |one: &str, other: &str| format!("7,{quote}{one}{quote},{other}\n");
        let (good, swapped) = (row(PUZZLE, SOLUTION), row(SOLUTION, PUZZLE));
        let shown = read(format!("id,puzzle,solution\n{good}{swapped}{good}").as_bytes()).show();
        let place = |fault: &str| fault.replacen("3:3", if quote.is_empty() { "3:3" } else { "3:4" }, 1);
        assert_eq!(shown, [dotted(), place(fault), dotted()]);
        // What claims itself, or what does not fit, is as it says.
        let (other, cut) = (PUZZLE.replacen('3', "4", 1), SOLUTION.replacen('3', "0", 1));
        for kept in [row(SOLUTION, SOLUTION), row(SOLUTION, &other), row(SOLUTION, &cut), row(SOLUTION, "")] {
            let shown = read(format!("id,puzzle,solution\n{good}{kept}{good}").as_bytes()).show();
            assert_eq!(shown, [&*dotted(), SOLUTION, &*dotted()], "{kept}");
        }
    }
}

#[test]
fn lines_with_their_solutions_below_them_are_no_table() {
    let options = ReadOptions { claims: true, ..ReadOptions::default() };
    let text = format!("Puzzle\n{PUZZLE}\nAnswer\n{SOLUTION}\n").repeat(2);
    let reading = drain(open(text.as_bytes(), &options).unwrap(), 1 << 16);
    assert_eq!((reading.show(), reading.claims()), (vec![dotted(); 2], vec![SOLUTION.to_owned(); 2]));
}

#[test]
fn a_stray_brace_above_rows_makes_no_json_of_them() {
    let options = ReadOptions { claims: true, ..ReadOptions::default() };
    let text = format!("{{\n{}", format!("{PUZZLE},{SOLUTION}\n").repeat(2));
    let reading = drain(open(text.as_bytes(), &options).unwrap(), 1 << 16);
    // The brace alone is no puzzle.
    assert_eq!((reading.show(), reading.claims()), (vec![dotted(); 2], vec![SOLUTION.to_owned(); 2]));
}
