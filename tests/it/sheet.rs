//! Tests `batchdoku sheet` as a user sees it: the contents of the pages, read back from their HTML.

use std::fs;
use std::io::Read;

use batchdoku::sudoku::Grid;
use flate2::read::MultiGzDecoder;
use predicates::prelude::*;
use predicates::str::contains;

use crate::oracle;
use crate::place::{Place, ended, list};
use crate::puzzles::{ANSWER, UNIQUE, case, double, unsolvable};

/// One printed side: its heading, the word beside the heading, and the caption and cells of each grid.
#[derive(Debug, PartialEq, Eq)]
struct Side {
    heading: String,
    word: String,
    grids: Vec<(String, String)>,
}

/// Returns the text between two tags.
fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    html.split_once(start).unwrap().1.split_once(end).unwrap().0
}

/// Returns an HTML text as it is displayed.
fn shown(html: &str) -> String {
    let tags = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text =
        tags.collect::<String>().replace("&lt;", "<").replace("&gt;", ">").replace("&middot;", "\u{b7}");
    text.replace("&amp;", "&")
}

fn sides(html: &str) -> Vec<Side> {
    let grid = |table: &str| {
        let cells = table.split("<td>").skip(1);
        let digit = |cell: &str| cell.chars().next().filter(char::is_ascii_digit).unwrap_or('.');
        assert_eq!(table.matches("<tr>").count(), 9, "{table}");
        (shown(between(table, "<caption>", "</caption>")), cells.map(digit).collect())
    };
    let side = |section: &str| Side {
        heading: shown(between(section, "<header>", "<p>")),
        word: shown(between(section, "<p>", "</p>")),
        grids: section.split("<table>").skip(1).map(grid).collect(),
    };
    html.split("<section>").skip(1).map(side).collect()
}

/// Returns the exit code and the sides of the printed page.
fn ran(place: &Place, line: &str) -> (i32, Vec<Side>) {
    let (code, page) = place.quiet(line);
    (code, sides(&page))
}

/// Every puzzle occurs once, in order, and so does its solution, labelled with the record number.
#[test]
fn puzzles_fill_sides_and_their_solutions_follow() {
    let place = Place::new();
    for (count, per_page) in [(1, 1), (4, 1), (10, 9), (9, 9), (45, 6), (21, 2)] {
        let puzzles = list("easy.txt", count);
        place.write("a.txt", puzzles.join("\n"));
        let (code, sides) = ran(&place, &format!("sheet a.txt --per-page {per_page}"));
        let of_puzzles = count.div_ceil(per_page);
        let most: Vec<_> = sides.iter().map(|side| side.grids.len()).collect();
        assert_eq!((code, sides.len()), (0, of_puzzles + count.div_ceil(20)), "{count} {per_page}");
        assert!(most[..of_puzzles - 1].iter().all(|&grids| grids == per_page), "{most:?}");
        assert!(most[of_puzzles..sides.len() - 1].iter().all(|&grids| grids == 20), "{most:?}");
        for (at, side) in sides.iter().enumerate() {
            let word = if at < of_puzzles { "" } else { "Solutions \u{b7} " };
            assert_eq!((&*side.heading, &*side.word), ("Sudoku", &*format!("{word}{}", at + 1)));
        }
        let grids: Vec<_> = sides.iter().flat_map(|side| &side.grids).collect();
        assert_eq!(grids.len(), 2 * count);
        for (at, puzzle) in puzzles.iter().enumerate() {
            let number = (at + 1).to_string();
            let solution = oracle::sudoku(&puzzle.parse::<Grid>().unwrap(), 2);
            let [solution] = &solution[..] else { panic!("{puzzle} has one solution") };
            let solution: String = solution.iter().map(ToString::to_string).collect();
            assert_eq!(grids[at], &(number.clone(), puzzle.clone()));
            assert_eq!(grids[count + at], &(number, solution));
        }
    }
    let (_, alone) = ran(&place, "sheet a.txt --solutions none");
    assert_eq!((alone.len(), alone.iter().map(|side| side.grids.len()).sum::<usize>()), (6, 21));
}

#[test]
fn what_has_no_single_solution_says_so_and_what_is_invalid_is_left_out() {
    let place = Place::new();
    let (several, _) = double();
    let clash = format!("11{}", ".".repeat(79));
    place.file("a.txt", &[&several, &UNIQUE[..60], UNIQUE, &clash, &unsolvable()]);
    let (code, sides) = ran(&place, "sheet a.txt");
    let printed = [("1 several solutions", &*several), ("3", UNIQUE), ("5 no solution", &unsolvable())];
    let printed = printed.map(|(caption, cells)| (caption.to_owned(), cells.to_owned()));
    assert_eq!((code, &sides[0].grids[..]), (1, &printed[..]));
    assert_eq!((sides.len(), &sides[1].grids[..]), (2, &[("3".to_owned(), ANSWER.to_owned())][..]));
    assert_eq!(ran(&place, "sheet a.txt --lenient"), (0, sides));
    let summary = contains("rows written").and(contains("a.txt:4:2: clue 1 repeats that"));
    place.run("sheet a.txt -o a.html").assert().code(1).stderr(summary);

    place.write("cases", format!("1\n{}\n", case()));
    let refused = place.run("sheet cases --format cases").assert().code(1);
    let refused = refused.stderr(contains("a sudominoku, whose dominoes no page shows (expected a sudoku)"));
    refused.stdout(contains("<p>No puzzles.</p>").and(contains("<section>").not()));
    place.write("none.csv", "puzzle,name\n");
    place.run("sheet none.csv").assert().code(0).stdout(contains("<p>No puzzles.</p>"));
}

/// Titles and input texts are shown as plain text, no matter what they contain.
#[test]
fn no_text_becomes_markup() {
    let place = Place::new();
    let script = "</caption><script>alert(\"1\")</script>&lt;";
    let long = "x".repeat(100_000);
    let mut table = b"\xef\xbb\xbfpuzzle,<i>,note\n".to_vec();
    for text in [script, "a\0\u{7}b\u{202e}c\u{2069}", "\"two\nlines\"", &long, ""] {
        let text = text.replace("\"1\"", "'1'");
        table.extend_from_slice(format!("{UNIQUE},{text},").as_bytes());
        table.extend_from_slice(b"\xffn\n");
    }
    place.write("a.csv", table);
    let title = format!("<b>&amp;\u{9b}'\"</title></h1>{long}");
    let line = ["sheet", "a.csv", "-q", "--keep", "note,<I>", "--title", &title];
    let (_, html, _) = ended(place.command(line).output().unwrap());
    assert!(["<script", "<b>&", "<i>"].iter().all(|markup| !html.contains(markup)));
    assert!(
        !html.contains(|it: char| it.is_control() && it != '\n' || ('\u{202a}'..'\u{2070}').contains(&it))
    );
    assert!(html.len() < 20_000, "{} bytes", html.len());
    let sides = sides(&html);
    assert!(sides[0].heading.starts_with("<b>&amp;\\x9b'\"</title></h1>xxx"), "{}", sides[0].heading);
    assert!(sides[0].heading.ends_with("x\u{2026}") && sides[0].heading.chars().count() == 151);
    let captions: Vec<_> = sides.iter().flat_map(|side| &side.grids).map(|(caption, _)| &**caption).collect();
    let of_text = |number: u8, text: &str| format!("{number} \u{b7} note: \u{fffd}n \u{b7} <i>: {text}");
    assert_eq!(captions[0], of_text(1, "</caption><script>alert('1')</script>&lt;"));
    assert_eq!(captions[1], of_text(2, "a\\x00\\x07b\\u202ec\\u2069"));
    assert_eq!(captions[2], of_text(3, "two lines"));
    assert_eq!(captions[3], of_text(4, &format!("{}\u{2026}", "x".repeat(60))));
    assert_eq!(captions[4], "5 \u{b7} note: \u{fffd}n");
}

/// The page loads nothing else, and its bytes depend only on the records.
#[test]
fn a_page_is_one_small_file() {
    let place = Place::with("a.txt", list("easy.txt", 500).join("\n"));
    place.run("sheet a.txt --per-page 9 -q -j 1 -o a.html").assert().code(0);
    let html = place.read("a.html");
    assert_eq!(sides(&html).len(), 56 + 25);
    assert!(html.len() < 500_000, "{} bytes", html.len());
    assert!(html.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    for asks in ["http:", "https:", "url(", "src=", "href=", "@import", "<script", "<link"] {
        assert!(!html.contains(asks), "{asks}");
    }
    for more in ["-j 3 --chunk-size 500", "--title Sudoku -o -"] {
        let output = place.run(&format!("sheet a.txt --per-page 9 -q {more}")).output().unwrap();
        assert!(output.stdout == html.as_bytes(), "{more}");
    }
    place.run("sheet a.txt --per-page 9 -q -o a.HTM.gz").assert().code(0);
    let mut unpacked = String::new();
    let packed = fs::File::open(place.path("a.HTM.gz")).unwrap();
    MultiGzDecoder::new(packed).read_to_string(&mut unpacked).unwrap();
    assert!(unpacked == html);
    let (_, untitled) = ran(&place, "sheet a.txt --title=");
    assert_eq!(untitled[0].heading, "");
}

#[test]
fn what_is_no_page_is_refused_before_any_work() {
    let place = Place::with_lines("a.txt", &[UNIQUE]);
    for (flags, why) in [
        ("--per-page 0", "0 is not in 1..=9"),
        ("--per-page 10", "10 is not in 1..=9"),
        ("--solutions below", "possible values: end, none"),
        ("-o a.pdf", "a.pdf: is not the name of a page (.html)\n  hint: write .html"),
        ("-o a.csv.gz", "a.csv.gz: is not the name of a page"),
        ("-o a.parquet", "a.parquet: has the extension of parquet"),
        ("-o a.html --resume", "unexpected argument '--resume'"),
        ("--keep grade", "grade"),
    ] {
        place.refuses(&format!("sheet a.txt {flags}"), why);
    }
    assert_eq!(place.names(), ["a.txt"]);
}
