//! Any bytes are read without a panic, and cut into the same records whatever the size of the chunks.
#![no_main]

use std::io::Cursor;

use batchdoku::input::{FormatChoice, ReadOptions, Source};
use batchdoku::record::{Fault, Records, Want};
use libfuzzer_sys::fuzz_target;

/// A record: line, text, the digits of its puzzle, what is wrong with it.
type Seen = (u64, Vec<u8>, [u8; 81], Option<Fault>);

/// The records of a text, read in chunks of about `target` bytes, and the error at its end.
fn records(text: &[u8], options: &ReadOptions, target: usize) -> Result<(Vec<Seen>, Option<String>), String> {
    let reader = Cursor::new(text.to_vec());
    let mut source = Source::from_reader("fuzz", reader, options).map_err(|error| error.to_string())?;
    let mut records = Vec::new();
    let mut columns = Records::default();
    let mut buffer = Vec::new();
    loop {
        let chunk = match source.next_batch(buffer, target) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) => {
                assert!(matches!(source.next_batch(Vec::new(), target), Ok(None)), "an error ends a source");
                return Ok((records, Some(error.to_string())));
            }
        };
        assert_eq!(chunk.position.records, records.len() as u64);
        chunk.read(Want { claims: true }, &mut columns);
        for row in 0..columns.len() {
            let (line, text) = (columns.lines()[row], columns.spans()[row].of(&chunk.bytes));
            let (grid, fault) = (&columns.puzzles()[row], columns.faults().get(row));
            assert!(line >= chunk.position.line);
            if let Some(fault) = fault {
                let place = fault.place.expect("a fault of an input has a place");
                assert!(place.line >= line && place.column >= 1 && !fault.reason().is_empty());
            }
            for cell in 0..81 {
                let place = chunk.place(&columns, row, cell);
                assert!(place.line >= line && place.column >= 1);
                if columns.is_sudoku(row) && grid.get(cell) != 0 {
                    let line = text.split(|&byte| byte == b'\n').nth((place.line - line) as usize);
                    let found = line.and_then(|line| line.get(place.column as usize - 1)).copied();
                    assert_eq!(found, Some(b'0' + grid.get(cell)), "cell {cell} does not stand at {place:?}");
                }
            }
            records.push((line, text.to_vec(), *grid.cells(), fault.cloned()));
        }
        assert!(chunk.records > 0, "a chunk holds a record");
        assert_eq!(chunk.position.records + chunk.records, records.len() as u64, "counted and read differ");
        buffer = chunk.bytes;
    }
    Ok((records, None))
}

fuzz_target!(|input: (u8, u16, &[u8])| {
    let (choice, target, text) = input;
    // Half of the time the format is found.
    let format = FormatChoice::ALL.get(usize::from(choice) % (2 * FormatChoice::ALL.len())).copied();
    let options = ReadOptions { format, ..ReadOptions::default() };
    let small = records(text, &options, usize::from(target).max(1));
    let large = records(text, &options, 1 << 20);
    assert!(small == large, "{small:?}\nin one chunk: {large:?}");
});
