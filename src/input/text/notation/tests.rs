use proptest::prelude::*;

use super::*;
use crate::sudoku::SIDE;

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Describes the result for a text: the cells, `CELLS > rest` if something follows them, `AT: reason`, or an empty
/// string.
fn shown(notation: Notation, text: &[u8], n: usize) -> String {
    let offsets = notation.offsets(text, n);
    match notation.cells(text, n) {
        Ok(Cells { values, start, end }) => {
            assert_eq!((offsets.len(), offsets[0]), (n, start));
            assert!(values[n..] == [0; CELLS][n..] && offsets.is_sorted() && offsets[n - 1] <= end);
            let mut slowly = Found::new(n);
            assert_eq!((notation.find(text, &mut slowly), slowly.values), (Some(end), values));
            for (&value, &at) in values.iter().zip(&offsets) {
                let is_there = text.get(at) == Some(&(b'0' + value));
                assert!(value == 0 || is_there, "{value} at {at} of {}", text.escape_ascii());
            }
            let sign = |&value: &u8| char::from(if value == 0 { b'.' } else { b'0' + value });
            let cells: String = values[..n].iter().map(sign).collect();
            let rest = String::from_utf8_lossy(&text[end..]);
            if rest.is_empty() { cells } else { format!("{cells} > {rest}") }
        }
        Err(Miss::Bad { fault, at }) => {
            assert!(at <= text.len() && offsets.is_empty());
            format!("{}: {}", at, fault.reason())
        }
        Err(Miss::Other) => String::new(),
    }
}

/// Checks the table in `tests/cells.txt`.
#[test]
fn texts_are_the_cells_that_the_table_says() {
    let table = include_str!("../../../../tests/cells.txt").replace("{P}", PUZZLE).replace("\\t", "\t");
    let mut wrong = Vec::new();
    for section in table.split("§ ").skip(1) {
        let (head, lines) = section.split_once('\n').unwrap();
        let (n, blank) = head.split_once(' ').unwrap_or((head, ""));
        let notation = Notation { blank: blank.chars().next() };
        for line in lines.lines() {
            let (text, expected) = line.split_once(" ->").unwrap();
            let text = text.as_bytes();
            let got = match n.parse() {
                Ok(n) => shown(notation, text, n),
                Err(_) if is_border(text) => "border".to_owned(),
                Err(_) => if is_comment(text) { "comment" } else { "" }.to_owned(),
            };
            if got != expected.strip_prefix(' ').unwrap_or_default() {
                wrong.push(format!("{head}: {line}\n  got {got}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A row that is cut short never becomes a different row.
#[test]
fn the_start_of_a_row_is_that_row_or_none() {
    for row in [
        "1 | 1 . 3 | . . . | 5 . 9 |",
        "1 │ 1   3 │   4   │ 5   9 │",
        "| 1 . 3 | . . . | 5 . 9 |",
        "|1|2| |4| | |7|8|9|",
        "| 1   3 |   4   | 5   9 |",
        "|1 3| 4 |5 9|",
        "r1: 1.3...5.9",
    ] {
        let whole = shown(Notation::default(), row.as_bytes(), SIDE);
        assert_eq!(whole.len(), SIDE, "{row}");
        for end in (0..row.len()).filter(|&end| row.is_char_boundary(end)) {
            let cut = shown(Notation::default(), &row.as_bytes()[..end], SIDE);
            assert!(cut.len() != SIDE || cut == whole, "{} is {cut}", &row[..end]);
        }
    }
}

proptest! {
    /// Nothing panics, and every cell is at its reported offset.
    #[test]
    fn any_text(
        text in prop_oneof![
            "[1-9.0x|,; \t+a-\u{ff}\u{2502}-]{0,120}".prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..100),
        ],
        blank in proptest::option::of(any::<char>()),
    ) {
        for n in [1, SIDE, CELLS] {
            shown(Notation::default(), &text, n);
            let _ = Notation { blank }.cells(&text, n);
            let _ = Notation { blank }.offsets(&text, n);
        }
    }

    /// A row written in any of the notations is read back unchanged.
    #[test]
    fn any_row(values in proptest::array::uniform9(0..10_u8), blank in proptest::sample::select(b".0*_-?xX".to_vec())) {
        let signs = |blank: &str| values.map(|value| if value == 0 { blank.to_owned() } else { value.to_string() });
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
