use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::input::ReadOptions;
use crate::input::reader::Sample;
use crate::input::testing::{Reading, read};

const PUZZLE: &str = "1.3...5.9..21.94.....7.4...3..5.2..6.6.....5.7..8.3..4...4.1.....92.58..8.4...1.7";
const OTHER: &str = ".354692787821.56.9.6.278135321.468978.49135.659682.413917652.8.6.37.195225839476.";
const SOLVED: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// The readers that a text is proposed, or the error.
fn readers(text: &str, told: Option<&Dialect>) -> Vec<Result<Arc<dyn TextReader>, String>> {
    let options = ReadOptions::default();
    let sample = Sample { name: "t", bytes: text.as_bytes(), is_whole: true, options: &options };
    candidates(&sample, told).into_iter().map(|reader| reader.map_err(|error| error.to_string())).collect()
}

/// What the first reader that is proposed gives. The dialect that it shows gives the same.
fn reading(text: &str) -> Reading {
    let reader = readers(text, None).remove(0).unwrap_or_else(|error| panic!("{error}: {text}"));
    let reading = read(&*reader, text);
    let again = readers(text, Some(&reader.dialect())).remove(0).unwrap();
    assert_eq!(again.dialect(), reader.dialect());
    assert_eq!(read(&*again, text), reading, "{:?}", reader.dialect());
    assert_places(&*reader, text);
    reading
}

/// Asserts that each cell of each record stands where the reader says.
fn assert_places(reader: &dyn TextReader, text: &str) {
    let mut records = Records::default();
    let block = Block { bytes: text.as_bytes(), state: &State::default(), is_last: true };
    reader.read(&block, Want { claims: true }, &mut records);
    let lines: Vec<_> = text.split('\n').collect();
    for row in (0..records.len()).filter(|&row| records.readable()[row]) {
        let record = records.spans()[row].of(block.bytes);
        for cell in 0..CELLS {
            let place = reader.place(records.lines()[row], record, cell, Which::Puzzle);
            let line = lines[usize::try_from(place.line).unwrap() - 1].as_bytes();
            let digit = records.puzzles()[row].get(cell);
            let shown = line.get(usize::try_from(place.column).unwrap() - 1).copied();
            if digit > 0 {
                assert_eq!(shown, Some(b'0' + digit), "cell {cell} at {place:?} of {text}");
            }
        }
    }
}

/// A puzzle, solution or other text, shortened for tables of tests.
fn short(text: &str) -> String {
    let known = [(PUZZLE, "P"), (OTHER, "Q"), (SOLVED, "S")];
    let zeros = known.map(|(text, name)| (text.replace('.', "0"), name));
    let mut text = text.to_owned();
    for (long, name) in &zeros {
        text = text.replace(long, name);
    }
    for (long, name) in known {
        text = text.replace(long, name);
    }
    text
}

/// The text that a shortened one stands for.
fn long(text: &str) -> String {
    let letters = text.chars().map(|letter| match letter {
        'P' => PUZZLE.to_owned(),
        'Q' => OTHER.to_owned(),
        'S' => SOLVED.to_owned(),
        'Z' => PUZZLE.replace('.', "0"),
        other => other.to_string(),
    });
    letters.collect()
}

/// The records of a shortened text, as `line puzzle claim`, and the lines that were passed over.
fn records(text: &str) -> String {
    let reading = reading(&long(text));
    let mut shown: Vec<_> = reading
        .records
        .iter()
        .map(|it| format!("{} {} {}", it.line, short(&it.puzzle), short(&it.claim)).trim_end().to_owned())
        .collect();
    if reading.read.passed.lines > 0 {
        shown.push(format!("+{}", reading.read.passed.lines));
    }
    shown.join("; ")
}

#[test]
fn tables_of_every_look_are_read() {
    for (text, expected) in [
        ("puzzle,solution\nP,S\nQ,\n", "2 P S; 3 Q"),
        ("puzzle,solution\r\nP,S\r\nQ,NULL", "2 P S; 3 Q"),
        ("P,S\nQ,S\n", "1 P S; 2 Q S"),
        ("solution\tid\tpuzzle\nS\t1\tP\nS\t2\tQ\n", "2 P S; 3 Q S"),
        ("sep=;\nnr;quiz;answers\n1;P;S\n", "3 P S"),
        ("My list\nof, 2021\n\nid,puzzle,solution\n1,P,S\n", "5 P S; +2"),
        ("id,puzzle\n1,P,\n2,Q,\n", "2 P; 3 Q"),
        ("id,puzzle,note\n1,P,\n2,Q,\n", "2 P; 3 Q"),
        ("\"id,puzzle\"\n\"1,P\"\n\"2,Q\"\n", "2 P; 3 Q"),
        ("id,note,puzzle\n1,\"a, \"\"b\"\"\nc\",\"P\"\n2,d,Q\n", "2 P; 4 Q"),
        ("| id | puzzle |\n|----|--------|\n| 1 | P |\n| 2 | Q |\n", "3 P; 4 Q"),
        (
            "# made by hand\nid,puzzle\n\n1,P\n,\n# two\n2,Q\n",
            "3 P; 6 Q".replace("3 P", "4 P").replace("6 Q", "7 Q").as_str(),
        ),
        ("id,puzzle,solution\n\"1,P,S\"\n\"2,\"\"Q\"\",S\"\n", "2 P S; 3 Q S"),
        ("\"the puzzles\nof 2021\"\r\nid;puzzle;solution\r\n7;P;S\r\n", "4 P S; +2"),
        ("nr,puzzle\n#1,P\n#2,Q\n", "2 P; 3 Q"),
        ("id,puzzle\n--,------\n1,P\n# a, b\n//,no\n--,---\n2,Q\n", "3 P; 7 Q"),
        // A column by its content, and beside its solution.
        ("a,b,c\n1,P,S\n2,Q,S\n", "2 P S; 3 Q S"),
        ("a,b,c\n1,S,S\n2,S,S\n", "2 S S; 3 S S"),
        // Claims of no digit are none.
        (
            "puzzle,solution\nP,\\N\nP,nan\nP,S\nP,0\nP,.................................................................................\n",
            "2 P; 3 P; 4 P S; 5 P; 6 P",
        ),
    ] {
        assert_eq!(records(text), expected, "{text}");
    }
}

#[test]
fn cells_are_written_in_any_way_within_a_field() {
    let nine = |text: &str, between: &str| {
        let rows = text.as_bytes().chunks(9).map(|row| String::from_utf8(row.to_vec()).unwrap());
        rows.collect::<Vec<_>>().join(between)
    };
    let apart = |text: &str, between: &str| text.chars().map(String::from).collect::<Vec<_>>().join(between);
    let nested = |text: &str, between: &str, rows: &str| {
        let lists =
            nine(text, "|").split('|').map(|row| format!("[{}]", apart(row, between))).collect::<Vec<_>>();
        format!("[{}]", lists.join(rows))
    };
    let ways: [&dyn Fn(&str) -> String; 9] = [
        &|text| apart(text, ","),
        &|text| apart(text, " "),
        &|text| format!("[{}]", apart(text, ", ")),
        &|text| format!("({})", apart(text, ",")),
        &|text| format!("array([{}])", apart(text, ", ")),
        &|text| nine(text, "\n"),
        &|text| nine(text, " "),
        &|text| nested(text, ", ", ", "),
        &|text| nested(text, " ", "\n "),
    ];
    for (way, header) in ways.iter().flat_map(|way| [(way, "id,puzzle,solution\n"), (way, "")]) {
        let row = |text: &str| format!("7,\"{}\",\"{}\"\n", way(&text.replace('.', "0")), way(SOLVED));
        let text = format!("{header}{}{}", row(PUZZLE), row(OTHER));
        let found = reading(&text);
        assert_eq!((found.puzzles(), found.claims()), (vec![PUZZLE, OTHER], vec![SOLVED; 2]), "{text}");
    }
}

#[test]
fn what_is_wrong_costs_its_row() {
    let cut = &PUZZLE[1..];
    let odd = format!("{}x{}q{}", &PUZZLE[..1], &PUZZLE[2..40], &PUZZLE[41..]);
    for (row, expected) in [
        ("1,P".to_owned(), "3:84: 2 fields (expected 3)"),
        ("1,P,S,2".to_owned(), "3:167: 4 fields (expected 3)"),
        (format!("1,{cut},S"), "3:83: 80 cells (expected 81)"),
        (format!("1,{odd},S"), "3:43: invalid character 'q' (expected 1-9, 0 or .)"),
        ("1,,S".to_owned(), "3:3: 0 cells (expected 81)"),
        ("1,53,S".to_owned(), "3:5: 2 cells (expected 81)"),
        ("1,none,S".to_owned(), "3:3: invalid character 'n' (expected 1-9, 0 or .)"),
        ("1,4.3E+78,S".to_owned(), "3:3: number '4.3E+78', which a spreadsheet made of a puzzle"),
        ("1,\"P,S".to_owned(), "3:3: quote that is not closed"),
        ("P".to_owned(), "3:82: 1 field (expected 3)"),
        (format!("1,P,{}", &SOLVED[1..]), "P claimed solution: 80 cells (expected 81)"),
        (
            format!("1,P,{}", SOLVED.replace('9', "a")),
            "P claimed solution: invalid character 'a' (expected 1-9)",
        ),
        ("1,P,\u{e9}".to_owned(), "P claimed solution: invalid character '\u{e9}' (expected 1-9)"),
        ("1,P,5".to_owned(), "P claimed solution: 1 cell (expected 81)"),
    ] {
        let found = records(&format!("id,puzzle,solution\n1,P,S\n{row}\n2,Q,S\n"));
        let rest = found.strip_prefix("2 P S; 3 ").and_then(|rest| rest.strip_suffix("; 4 Q S"));
        assert!(rest.is_some_and(|rest| rest.starts_with(expected)), "{row}: {found}");
    }
    assert_eq!(records("id,puzzle\n1,P\n(2 rows)\n2,Q\n"), "2 P; 4 Q; +1");
}

#[test]
fn eighty_one_columns_are_a_puzzle() {
    let fields = |text: &str, blank: &str| {
        text.chars()
            .map(|sign| if sign == '.' { blank.to_owned() } else { sign.to_string() })
            .collect::<Vec<_>>()
    };
    for (blank, separator) in [("0", ","), ("", ";"), ("-1", ","), ("", "\t"), (".", "|")] {
        let row = |text| fields(text, blank).join(separator);
        let text = format!("{}\n{}\n", row(PUZZLE), row(OTHER));
        assert_eq!(records(&text), "1 P; 2 Q", "{text}");
        let both = [PUZZLE, OTHER].map(|puzzle| format!("{}{separator}{}\n", row(puzzle), row(SOLVED)));
        assert_eq!(records(&both.concat()), "1 P S; 2 Q S", "{both:?}");
        let surplus = text.replace('\n', &format!("{separator}\n"));
        assert_eq!(records(&surplus), "1 P; 2 Q", "{surplus}");
        let damaged = format!("{text}{}\n", row(PUZZLE).replacen('3', "q", 1));
        let column = damaged.lines().next_back().unwrap().find('q').unwrap() + 1;
        let fault = format!("; 3 3:{column}: invalid character 'q' (expected 1-9, 0 or .)");
        assert_eq!(records(&damaged), format!("1 P; 2 Q{fault}"));
    }
}

#[test]
fn an_odd_blank_and_lost_zeros_are_settings_of_the_dialect() {
    let odd = format!("p,s\n{},S\n{},S\n", PUZZLE.replace('.', "e"), OTHER.replace('.', "e"));
    assert_eq!(records(&odd), "2 P S; 3 Q S");
    let odd = readers(&long(&odd), None).remove(0).unwrap().dialect();
    assert_eq!(
        odd,
        Dialect {
            separator: Some(','),
            above: Some(1),
            puzzle: Some(1..=1),
            solution: Some(2..=2),
            blank: Some('e'),
            ..Dialect::of(Framing::Csv)
        }
    );
    let number = OTHER.replace('.', "0").trim_start_matches('0').to_owned();
    assert_eq!(records(&format!("puzzle,id\nZ,1\n{number},2\n")), "2 P; 3 Q");
    assert_eq!(records(&format!("puzzle,id\nZ,1\n{},2\n0{number},3\n", &number[1..])).split(';').count(), 3);
}

#[test]
fn what_has_no_column_of_puzzles_says_which_it_has() {
    let error = |text: &str| match readers(text, None).as_slice() {
        [Err(error)] => error.clone(),
        other => format!("{} readers", other.len()),
    };
    assert_eq!(error("a,b\n1,2\n3,4\n"), "t: no column of puzzles found (columns seen: a, b)");
    assert_eq!(error("Dear all,\nthis is a text, or not.\nBye\n"), "0 readers");
    assert_eq!(error(""), "0 readers");
    assert!(error("id,puzzle\n1,4.3E+78\n2,1.03E+80\n").contains("15 digits"));
    assert_eq!(error("id,source,line,kind,status,puzzle,solution\n"), "1 readers");
}

#[test]
fn columns_are_carried_by_their_names() {
    let text = long("id,puzzle,note\n1,P,\"a \"\"b\"\"\"\n2,Q\n3,,x\n4,Q,,\n");
    let reader = readers(&text, None).remove(0).unwrap();
    let columns = reader.columns();
    assert_eq!(
        (columns.names.join(" "), columns.puzzle, columns.claim),
        ("id puzzle note".into(), Some(1..2), None)
    );
    let mut records = Records::default();
    let block = Block { bytes: text.as_bytes(), state: &State::default(), is_last: true };
    reader.read(&block, Want::default(), &mut records);
    let mut texts = vec![Texts::default(); 3];
    reader.carry(text.as_bytes(), &records, &[Some(2), None, Some(0)], &mut texts);
    let all = |texts: &Texts| {
        let text = |row| texts.get(row).map(|text| String::from_utf8_lossy(text).into_owned());
        (0..texts.len()).map(|row| text(row).unwrap_or("-".to_owned())).collect::<Vec<_>>().join("|")
    };
    assert_eq!([all(&texts[0]), all(&texts[1]), all(&texts[2])], ["a \"b\"|-|x|", "-|-|-|-", "1|-|3|4"]);
    let claims = long("puzzle,solution\nP,S\n");
    let reader = readers(&claims, None).remove(0).unwrap();
    assert_eq!(reader.claim_text(long("P,\"a\"\"c\"\n").as_bytes()), Some(b"a\"c".to_vec()));
}

#[test]
fn results_are_read_again_but_for_their_cases() {
    let header = "id,source,line,kind,status,solutions,puzzle,solution,error\n";
    let text = format!("{header}1,a,1,sudoku,unique,1,P,S,\n2,a,2,sudominoku,unique,1,P,S,\n");
    let found = records(&text);
    assert!(found.starts_with("2 P S; 3 3:7: a sudominoku, whose dominoes"), "{found}");
    let reader = readers(header, None).remove(0).unwrap();
    let mut state = State::default();
    assert_eq!(reader.frame(&mut state, header.as_bytes(), TextEnd::Last), header.len());
    assert!(reader.may_be_empty(&state) && reader.says_what_it_is());
    let told = Dialect::of(Framing::Csv);
    assert_eq!(read(&**readers("", Some(&told))[0].as_ref().unwrap(), ""), Reading::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever stands in a table, it is read alike in blocks of all sizes and with the dialect that is shown, and each
    /// line counts once.
    #[test]
    fn any_rows_are_read_alike(
        header in prop::sample::select(vec!["", "id,puzzle,solution\n", "a title\n\n1,2,3\n", "puzzle;x;y\n"]),
        parts in prop::collection::vec(prop::sample::select(vec![
            "1,P,S\n", "2,Q,\n", "x;P;S\r\n", "\"3\",\"P\",S\n", "4,\"P,S\n", "\"5,P,S\"\n", "6,P\n", ",,\n", "\n", "7,", "\"",
            "words\n", "8,P,\"a\nb\"\n", "9,12,S\n", "S\n", "# 1,P,S\n", "|--|--|\n", "'",
        ]), 1..12),
    ) {
        let text = long(&format!("{header}1,P,S\n{}", parts.concat()));
        for reader in readers(&text, None).into_iter().flatten() {
            let found = read(&*reader, &text);
            prop_assert_eq!(found.read.lines, text.lines().count() as u64);
            let again = readers(&text, Some(&reader.dialect())).remove(0).unwrap();
            prop_assert_eq!(read(&*again, &text), found);
            assert_places(&*reader, &text);
        }
    }
}

/// A file of the repository, found from this one.
fn repository(path: &str) -> PathBuf {
    let source = Path::new(file!()).ancestors().find(|path| path.ends_with("src")).unwrap();
    source.parent().unwrap().join(path)
}

#[test]
fn golden_tables_give_the_published_puzzles() {
    let digits = |name: &str| {
        let text = std::fs::read_to_string(repository(&format!("data/judge/{name}.in"))).unwrap();
        text.chars().filter(char::is_ascii_digit).collect::<String>().replace('0', ".")
    };
    let golden = std::fs::read_to_string(repository("tests/golden.csv")).unwrap();
    let golden: Vec<Vec<&str>> = golden.lines().map(|line| line.split(',').collect()).collect();
    for group in golden.chunk_by(|one, other| one[0] == other[0]) {
        let name = group[0][0];
        if !name.starts_with("csv-") && !name.starts_with("tsv") {
            continue;
        }
        let text = std::fs::read_to_string(repository(&format!("tests/golden/{name}"))).unwrap();
        let reading = reading(text.trim_start_matches('\u{feff}'));
        let found: Vec<_> =
            reading.records.iter().map(|record| (record.line.to_string(), record.puzzle.clone())).collect();
        let expected: Vec<_> = group.iter().map(|row| (row[1].to_owned(), digits(row[2]))).collect();
        assert_eq!(found, expected, "{name}: {:?}", reading.read.passed);
    }
}
