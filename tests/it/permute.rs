//! Tests `batchdoku permute` as a user sees it, against symmetries applied by hand.

use std::collections::BTreeSet;
use std::fs;

use batchdoku::sudoku::{Grid, Symmetry};

use crate::place::{Place, data, ended, list};
use crate::puzzles::{ANSWER, UNIQUE};

/// Returns the rows of a table, without the header.
fn rows(table: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Applies a symmetry, written in the notation, to a grid digit by digit.
pub fn by_hand(symmetry: &str, grid: &str) -> String {
    let cells: Vec<char> = grid.chars().collect();
    let (transposed, parts) = symmetry.strip_prefix('t').map_or((false, symmetry), |rest| (true, rest));
    let number = |part: usize, at: usize| usize::from(parts.as_bytes()[10 * part + 1 + at] - b'1');
    let cell = |row: usize, column: usize| {
        let (row, column) = if transposed { (column, row) } else { (row, column) };
        match cells[9 * row + column].to_digit(10) {
            None | Some(0) => '.',
            Some(digit) => char::from(parts.as_bytes()[20 + digit as usize]),
        }
    };
    (0..81).map(|at| cell(number(0, at / 9), number(1, at % 9))).collect()
}

#[test]
fn a_row_is_what_its_symmetry_makes_of_puzzle_and_solution_with_its_columns() {
    let place = Place::with(
        "set.csv",
        format!("source,question,answer,rating\na,{UNIQUE},{ANSWER},7\nb,{UNIQUE},,3\n"),
    );
    let table = place.printed("permute set.csv -k 20 --with-symmetry");
    assert!(table.starts_with("puzzle,solution,symmetry,source,rating\n"), "{table}");
    let rows = rows(&table);
    assert_eq!(rows.len(), 40);
    for (at, row) in rows.iter().enumerate() {
        let [puzzle, solution, symmetry, source, rating] = &row[..] else { panic!("{row:?}") };
        assert_eq!(*puzzle, by_hand(symmetry, UNIQUE));
        let claim = if at < 20 { by_hand(symmetry, ANSWER) } else { String::new() };
        assert_eq!((solution, &**source, &**rating), (&claim, ["a", "b"][at / 20], ["7", "3"][at / 20]));
        // The symmetry in the column can be applied again.
        place.write("one.txt", UNIQUE);
        if at % 13 == 0 {
            assert_eq!(
                place.printed(&format!("permute one.txt --by {symmetry} -O lines")),
                format!("{puzzle}\n")
            );
        }
    }
    let distinct: BTreeSet<_> = rows.iter().map(|row| &row[2]).collect();
    assert_eq!(distinct.len(), 40, "each record has symmetries of its own");
}

/// PROMISE: same-rows
#[test]
fn the_same_seed_gives_the_same_rows_whatever_the_threads() {
    let place = Place::new();
    fs::copy(data("easy.txt"), place.path("list.txt")).unwrap();
    let one = place.printed("permute list.txt -k 30 --seed 5 -j 1");
    assert_eq!(one.lines().count(), 60_001);
    for flags in ["-j 2", "-j 3 --chunk-size 1000", "-j 2 --chunk-size 100000000"] {
        assert!(place.printed(&format!("permute list.txt -k 30 --seed 5 {flags}")) == one, "{flags}");
    }
    assert_ne!(place.printed("permute list.txt -k 30 --seed 6"), one);
}

#[test]
fn parts_that_are_not_named_stay_as_they_are() {
    let place = Place::with("one.txt", UNIQUE);
    for (part, orbit, fixed) in [
        ("digits", 362_880, "r123456789c123456789d"),
        ("bands", 6, "c123456789d123456789"),
        ("stacks", 6, "r123456789c"),
        ("rows", 216, "c123456789d123456789"),
        ("columns", 216, "d123456789"),
        ("transpose", 2, "r123456789c123456789d123456789"),
    ] {
        let line = format!("permute one.txt -k 300 --only {part} --with-symmetry");
        let rows = rows(&place.printed(&line));
        assert_eq!(rows.len(), 300);
        assert!(rows.iter().all(|row| row[1].contains(fixed)), "{part}");
        // Each isomorph occurs once before any of them recurs; the puzzle itself comes last.
        let first: BTreeSet<_> = rows.iter().take(orbit - 1).map(|row| &row[0]).collect();
        assert_eq!(first.len(), 300.min(orbit - 1), "{part}");
        assert!(!first.contains(&UNIQUE.to_owned()), "{part}");
    }
    place.run("permute one.txt --only boxes").assert().code(2);
    place.run("permute one.txt -k 0").assert().code(2);
    place.run("permute one.txt --by r123456789 -k 2").assert().code(2);
}

#[test]
fn a_bad_record_costs_itself() {
    let place = Place::with("list.txt", format!("{UNIQUE}\n{}\n{UNIQUE}\n", &UNIQUE[1..]));
    for flags in ["", " -j 2 --chunk-size 1"] {
        let (code, grids, message) = place.ran(&format!("permute list.txt -k 2 -O lines{flags}"));
        let grids: Vec<Grid> = grids.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!((grids.len(), code), (4, 1));
        assert!(message.contains("list.txt:2:81: 80 cells (expected 81)"), "{message}");
    }
    // The solutions of the isomorphs are isomorphs of the one solution, so the symmetry applies to the grid as well.
    let table = place.printed("permute list.txt -k 1 --with-symmetry --lenient");
    let row = &rows(&table)[0];
    let symmetry: Symmetry = row[1].parse().unwrap();
    place.write("isomorph.txt", &row[0]);
    let solved = place.printed("solve isomorph.txt -O lines");
    let expected = symmetry.apply(&ANSWER.parse().unwrap());
    assert_eq!(solved, format!("{},{expected}\n", row[0]));
}

/// `--layout hrm`, read as the loaders of HRM and TRM do: `np.load` on five arrays, using the facts in `dataset.json`.
mod hrm {
    use super::*;
    use serde_json::json;

    /// Returns the items of an array with this type and shape; the header must conform to NEP 1.
    fn items<const BYTES: usize>(place: &Place, name: &str, descr: &str, row: &str) -> Vec<[u8; BYTES]> {
        let file = fs::read(place.path(name)).unwrap();
        assert_eq!(file[..10], *b"\x93NUMPY\x01\x00\x76\x00", "{name}");
        let (items, rest) = file[128..].as_chunks();
        let shape = format!("({},{row})", items.len());
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        assert_eq!(std::str::from_utf8(&file[10..128]).unwrap().trim_end(), header, "{name}");
        assert!(rest.is_empty(), "{name}");
        items.to_vec()
    }

    fn numbers(place: &Place, name: &str) -> Vec<usize> {
        let items = items(place, name, "<i4", "").into_iter();
        items.map(|bytes| usize::try_from(i32::from_le_bytes(bytes)).unwrap()).collect()
    }

    /// Returns the groups in a part: puzzles with their solutions, in the symbols used in lists.
    fn groups(place: &Place, part: &str) -> Vec<Vec<(String, String)>> {
        let grids = |name: &str, blank: char| -> Vec<String> {
            let sign = |token: u8| if token == 1 { blank } else { char::from(b'0' + token - 1) };
            let rows = items::<81>(place, &format!("{part}/all__{name}.npy"), "|u1", " 81").into_iter();
            rows.map(|row| row.into_iter().map(sign).collect()).collect()
        };
        let (inputs, labels) = (grids("inputs", '.'), grids("labels", '?'));
        let rows: Vec<_> = inputs.into_iter().zip(labels).collect();
        let [identifiers, puzzles, groups] = ["puzzle_identifiers", "puzzle_indices", "group_indices"]
            .map(|name| numbers(place, &format!("{part}/all__{name}.npy")));
        assert_eq!(identifiers, vec![0; rows.len()]);
        assert_eq!(puzzles, (0..=rows.len()).collect::<Vec<_>>());
        assert_eq!((groups[0], groups[groups.len() - 1]), (0, rows.len()));
        let facts = json!({
            "pad_id": 0, "ignore_label_id": 0, "blank_identifier_id": 0, "vocab_size": 11, "seq_len": 81,
            "num_puzzle_identifiers": 1, "total_groups": groups.len() - 1, "mean_puzzle_examples": 1.0,
            "total_puzzles": rows.len(), "sets": ["all"],
        });
        assert_eq!(place.json(&format!("{part}/dataset.json")), facts);
        assert_eq!(place.json(&format!("{part}/../identifiers.json")), json!(["<blank>"]));
        groups.windows(2).map(|pair| rows[pair[0]..pair[1]].to_vec()).collect()
    }

    fn files(place: &Place, directory: &str) -> BTreeSet<String> {
        let entries = fs::read_dir(place.path(directory)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Writes a table of records from the easy list with their solutions.
    fn solved(place: &Place, records: usize) {
        place.write("list.txt", list("easy.txt", records).join("\n"));
        place.run("solve list.txt -q -o set.csv").assert().success();
    }

    /// Compares with what the other formats write for the same seed, with the puzzle itself before its isomorphs.
    /// PROMISE: same-bytes
    #[test]
    fn a_group_is_the_puzzle_and_then_its_isomorphs() {
        let place = Place::new();
        solved(&place, 1500);
        let pairs = |line: &str| -> Vec<_> {
            let rows = rows(&place.printed(line)).into_iter();
            rows.map(|row| (row[0].clone(), row[1].clone())).collect()
        };
        let originals = pairs("convert set.csv");
        let isomorphs = pairs("permute set.csv -k 12 --seed 5 --only digits,bands");
        for flags in ["-j 1", "-j 3 --chunk-size 1000", "-j 2 --chunk-size 100000000"] {
            let line = format!("permute set.csv -k 12 --seed 5 --only digits,bands -q {flags}");
            place.run(&format!("{line} --layout hrm -o data/sudoku/train")).assert().success();
            let groups = groups(&place, "data/sudoku/train");
            assert_eq!(groups.len(), 1500);
            for (at, group) in groups.iter().enumerate() {
                assert_eq!(group[0], originals[at]);
                assert_eq!(group[1..], isomorphs[12 * at..12 * (at + 1)]);
            }
        }
        assert_eq!(files(&place, "data/sudoku/train").len(), 6);
        // A test part contains only the puzzles.
        place.run("permute set.csv -k 0 -q --layout hrm -o data/sudoku/test").assert().success();
        assert_eq!(groups(&place, "data/sudoku/test").concat(), originals);
        assert_eq!(files(&place, "data/sudoku").len(), 3);
    }

    #[test]
    fn a_record_without_a_right_solution_costs_itself() {
        let place = Place::new();
        let wrong = ANSWER.replace("382", "328");
        let rows = ["a", ANSWER, "b", "", "c", &wrong, "d", &ANSWER[1..], "e", ANSWER];
        let rows = rows.chunks(2).map(|row| format!("{},{UNIQUE},{}\n", row[0], row[1]));
        place.write("set.csv", format!("id,puzzle,solution\n{}", rows.collect::<String>()));
        let (code, _, message) = place.ran("permute set.csv -k 2 --layout hrm -o part");
        assert_eq!(code, 1);
        for expected in [
            "set.csv:3:1: no claimed solution (expected one)",
            "set.csv:4:85: claimed solution: not one of this puzzle",
            "set.csv:5:165: claimed solution: 80 cells (expected 81)",
        ] {
            assert!(message.contains(expected), "{expected}: {message}");
        }
        let groups = groups(&place, "part");
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
        assert_eq!(groups[1][0], (UNIQUE.to_owned(), ANSWER.to_owned()));
        // An input without solutions is refused, and no files are left.
        place.write("list.txt", UNIQUE);
        let why = "list.txt: has no solutions to write\n  hint: `batchdoku solve";
        place.refuses("permute list.txt --layout hrm -o new/train", why);
        assert!(!place.path("new").exists());
        for flags in ["-o -", "-o new --resume", "-o new --with-symmetry", "-o new -O csv", ""] {
            place.run(format!("permute set.csv --layout hrm {flags}").trim_end()).assert().code(2);
        }
    }

    /// An older part stays as it is until the new one is complete.
    /// PROMISE: whole-files, signals
    #[cfg(unix)]
    #[test]
    fn a_part_that_is_not_complete_has_no_name() {
        use crate::place::send;

        let place = Place::new();
        solved(&place, 300);
        let is_unfinished = |name: &String| name.ends_with(".partial");
        for has_older in [false, true] {
            if has_older {
                place.run("permute set.csv -k 3 -q --layout hrm -o part").assert().success();
            }
            let older = || has_older.then(|| groups(&place, "part"));
            let before = older();
            let full = "ulimit -f 500; batchdoku permute set.csv -k 1000 --layout hrm -o part";
            place.shell(full).assert().code(2);
            assert_eq!(files(&place, "part").iter().any(|name| !is_unfinished(name)), has_older);
            assert_eq!(older(), before);

            // This is a single batch with far too many rows to wait for.
            let run = place.start("permute set.csv -k 1000000 --layout hrm -o part");
            place.wait_for_bytes("part/all__labels.npy.partial", 81 << 14);
            // No other run can write the part in the meantime.
            place.run("permute set.csv --layout hrm -o part -q").assert().code(2);
            send(&run, "-INT");
            let (code, _, message) = ended(run.wait_with_output().unwrap());
            assert_eq!(code, 130);
            assert!(message.contains("rows so far are in part/all__inputs.npy.partial"), "{message}");
            assert_eq!(older(), before);
        }
        // The next run replaces the leftovers.
        place.run("permute set.csv -k 1 -q --layout hrm -o part").assert().success();
        assert_eq!(groups(&place, "part").len(), 300);
        assert!(!files(&place, "part").iter().any(is_unfinished));
    }
}
