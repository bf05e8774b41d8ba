//! `batchdoku canon`: all isomorphs of a puzzle have the same form, and the symmetry maps the puzzle to it.

use std::collections::BTreeSet;

use batchdoku::sudoku::{Grid, Symmetry};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::permute::by_hand;
use crate::place::Place;
use crate::puzzles::{ANSWER, UNIQUE, case, double, of_every_status, unsolvable};

/// Returns the rows without the header, split into fields.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|row| row.split(',').collect()).collect()
}

/// Derived by hand: clues go to the last cells, and an additional clue makes the number larger.
#[test]
fn the_form_is_the_smallest_isomorph() {
    let place = Place::new();
    let blanks = |count: usize| ".".repeat(count);
    let puzzles = [
        // With one clue, 3,359,232 / 81 symmetries keep its cell in place.
        (format!("7{}", blanks(80)), blanks(80) + "1", "41472"),
        // Two clues in a minicolumn move to the last minirow. Such a pair has 81 * 4 / 2 possible positions.
        (format!("7{}3{}", blanks(8), blanks(71)), blanks(79) + "12", "20736"),
        // Two equal clues give a smaller number.
        (format!("7{}7{}", blanks(8), blanks(71)), blanks(79) + "11", "20736"),
        (blanks(81), blanks(81), "3359232"),
    ];
    place.write("a.txt", puzzles.iter().map(|(puzzle, ..)| format!("{puzzle}\n")).collect::<String>());
    for form in ["minlex", "list17"] {
        let (code, printed) = place.quiet(&format!("canon a.txt --form {form}"));
        assert_eq!(code, 0);
        let expected = puzzles.iter().zip(1..).map(|((_, canonical, automorphisms), id)| {
            format!("{id},a.txt,{id},sudoku,canonical,{canonical},{automorphisms},{form}-1,\n")
        });
        let header = "id,source,line,kind,status,canonical,automorphisms,form,error\n";
        assert_eq!(printed, header.to_owned() + &expected.collect::<String>());
    }
}

#[test]
fn isomorphs_have_one_form_and_the_symmetry_leads_there() {
    let place = Place::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (several, _) = double();
    let puzzles = [UNIQUE, ANSWER, &several, &unsolvable()];
    let mut isomorphs = Vec::new();
    for _ in 0..300 {
        let drawn = puzzles.map(|puzzle| Symmetry::random(&mut rng).apply(&puzzle.parse::<Grid>().unwrap()));
        isomorphs.extend(drawn.map(|puzzle| puzzle.to_string()));
    }
    // The second column prevents a grid from being taken for the claimed solution of the puzzle before it.
    place.write("a.csv", format!("n,puzzle\n0,{}\n", isomorphs.join("\n0,")));
    for (form, classes) in [("minlex", 4), ("list17", 4), ("grid", 2)] {
        let line = format!("canon a.csv --form {form} --only canonical --lenient");
        let (code, printed) = place.quiet(&format!("{line} --with-symmetry -j 1"));
        let rows = rows(&printed);
        assert_eq!((code, rows.len()), (0, 300 * classes), "{form}");
        for row in &rows {
            let puzzle = &isomorphs[row[0].parse::<usize>().unwrap() - 1];
            assert_eq!(by_hand(row[7], puzzle), row[5], "{form} {puzzle}");
            assert_eq!(
                row[7].parse::<Symmetry>().unwrap().apply(&puzzle.parse().unwrap()).to_string(),
                row[5]
            );
        }
        // The output is only the forms, regardless of the number of threads, and each form is its own canonical form.
        let forms: String = rows.iter().map(|row| format!("{}\n", row[5])).collect();
        assert_eq!(place.quiet(&format!("{line} -O lines -j 3")), (0, forms.clone()));
        assert_eq!(forms.lines().collect::<BTreeSet<_>>().len(), classes);
        let table = forms.lines().map(|form| format!("0,{form}\n")).collect::<String>();
        place.write("forms.csv", format!("n,puzzle\n{table}"));
        assert_eq!(place.quiet(&format!("canon forms.csv --form {form} -O lines")), (0, forms));
    }
}

/// This is the grid with the most automorphisms: 648 symmetries lead to its canonical form.
#[test]
fn a_grid_has_up_to_648_automorphisms() {
    let place = Place::new();
    let most = "123456789456789123789123456231564897564897231897231564312645978645978312978312645";
    place.file("a.txt", &[most]);
    let (code, printed) = place.quiet("canon a.txt --form grid");
    assert_eq!(code, 0);
    assert!(printed.ends_with(",648,grid-1,\n"), "{printed}");
}

#[test]
fn what_has_no_form_says_why() {
    let place = Place::with("a.csv", of_every_status());
    let statuses = |form: &str| {
        let (code, printed) = place.quiet(&format!("canon a.csv --keep x --form {form}"));
        let rows = rows(&printed);
        let found = rows.iter().map(|row| format!("{} {} {}", row[4], row[6] != "0", row.last().unwrap()));
        (code, found.collect::<Vec<_>>())
    };
    let any =
        ["canonical true a", "canonical true b", "canonical true c", "canonical true d", "invalid false e"];
    assert_eq!(statuses("minlex"), (1, any.map(str::to_owned).to_vec()));
    assert_eq!(statuses("list17"), (1, any.map(str::to_owned).to_vec()));
    let by_solution =
        ["canonical true a", "multiple false b", "unsolvable false c", "invalid false d", "invalid false e"];
    assert_eq!(statuses("grid"), (1, by_solution.map(str::to_owned).to_vec()));

    place.write("cases", format!("1\n{}\n", case()));
    for form in ["minlex", "grid"] {
        let (code, printed) = place.quiet(&format!("canon cases --format cases --form {form}"));
        let expected = "sudominoku,invalid,,0,FORM-1,";
        assert_eq!(code, 1);
        assert!(printed.contains(&expected.replace("FORM", form)), "{printed}");
        assert!(printed.contains("a sudominoku, for which no canonical form is defined"), "{printed}");
    }
}
