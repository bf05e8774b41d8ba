//! The output of `pipe`: for each line the key that was read, a tab, and the columns of the job.

use super::encode::{BLANK, Encode, Piece, Value, Values, kept_rows, push_decimal, push_number};
use crate::input::KeyedLine;
use crate::record::{Class, Page};

/// Lines of a key and the columns of a job, separated by tabs, without a header. The columns of the origin are left
/// out, since the key identifies a row; a fault names the cell. Every record has one line, and every line the same
/// number of tabs after the key, whatever a field holds.
#[derive(Clone, Copy, Debug)]
pub struct Keyed;

impl Encode for Keyed {
    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        let own = page.schema.written().filter(|(_, field)| field.class != Class::Origin);
        let mut columns: Vec<_> = own.map(|(at, _)| Values::new(&page.columns[at])).collect();
        for row in kept_rows(page) {
            let line = KeyedLine::new(page.text_of(row));
            out.extend_from_slice(line.key);
            for column in &mut columns {
                out.push(b'\t');
                match column.at(row) {
                    Value::Missing => {}
                    Value::Number(number) => push_number(number, out),
                    Value::Decimal(number) => push_decimal(number, out),
                    Value::Word(word) => out.extend_from_slice(word.as_bytes()),
                    Value::Text(text) => push_text(text.as_bytes(), out),
                    Value::Bytes(text) => push_text(text, out),
                    Value::Grid(grid) => out.extend_from_slice(&grid.to_text(BLANK)),
                    Value::Fault(fault) => {
                        let text = match line.puzzle {
                            Some(_) => fault.clone().from_column(line.start).in_value().to_string(),
                            None => fault.reason(),
                        };
                        push_text(text.as_bytes(), out);
                    }
                }
            }
            out.push(b'\n');
        }
    }
}

/// Appends a text with its control characters as spaces, so that it ends neither field nor line.
fn push_text(text: &[u8], out: &mut Vec<u8>) {
    out.extend(text.iter().map(|&byte| if byte.is_ascii_control() { b' ' } else { byte }));
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PUZZLE, SOLUTION, fault, grid, invalid_row, push_row_of, schema, unique_row};
    use super::*;
    use crate::record::{Fault, Place};
    use crate::sudoku::House;

    #[test]
    fn each_row_begins_with_the_key_of_its_line() {
        let (puzzle, solution) = (grid(PUZZLE), grid(SOLUTION));
        let unique = unique_row(&puzzle, &solution);
        let mut out = Vec::new();
        push_row_of(&Keyed, &schema(true), &unique, format!("7\t{PUZZLE}\n").as_bytes(), &mut out);
        push_row_of(&Keyed, &schema(false), &unique, b" \xff a \t. \r\n", &mut out);
        push_row_of(
            &Keyed,
            &schema(false),
            &invalid_row(&fault("a\nb\tc").at(Place { line: 5, column: 5 })),
            b"b\t .",
            &mut out,
        );
        push_row_of(&Keyed, &schema(false), &invalid_row(&fault("so")), b"no tab", &mut out);
        push_row_of(&Keyed, &schema(false), &unique, b"", &mut out);
        let unique = format!("sudoku\tunique\t1\t32\t2\t{PUZZLE}\t{SOLUTION}\t\n");
        let expected = [
            format!("7\tsudoku\tunique\t1\t32\t2\t3456\t{PUZZLE}\t{SOLUTION}\t\n").into_bytes(),
            [&b" \xff a \t"[..], unique.as_bytes()].concat(),
            b"b\tsudoku\tinvalid\t0\t\t0\t\t\tcell 2: a b c\n".to_vec(),
            b"no tab\tsudoku\tinvalid\t0\t\t0\t\t\tso\n".to_vec(),
            [&b"\t"[..], unique.as_bytes()].concat(),
        ];
        assert_eq!(out.escape_ascii().to_string(), expected.concat().escape_ascii().to_string());
    }

    #[test]
    fn both_places_of_a_clash_are_cells() {
        let mut out = Vec::new();
        let [first, second] = [4, 9].map(|column| Place { line: 3, column });
        let error = Fault::clash(5, first, second, House::Row);
        push_row_of(&Keyed, &schema(false), &invalid_row(&error), b"ab\t", &mut out);
        assert!(
            String::from_utf8(out)
                .unwrap()
                .ends_with("\tcell 6: clue 5 repeats that of cell 1 in the same row\n")
        );
    }
}
