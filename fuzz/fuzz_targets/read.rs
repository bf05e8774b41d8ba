//! Any bytes are read without a panic, and cut into the same records whatever the size of the chunks.
#![no_main]

use std::io::Cursor;

use batchdoku::input::{Body, FormatChoice, ReadOptions, Source};
use libfuzzer_sys::fuzz_target;

/// A record without its borrow: line, text, body.
type Seen = (u64, Vec<u8>, Body);

/// The records of a text, read in chunks of about `target` bytes, and the error at its end.
fn records(text: &[u8], options: &ReadOptions, target: usize) -> Result<(Vec<Seen>, Option<String>), String> {
    let reader = Cursor::new(text.to_vec());
    let mut source = Source::from_reader("fuzz", reader, options).map_err(|error| error.to_string())?;
    let mut records = Vec::new();
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
        chunk.for_each(|record| {
            assert!(record.line >= chunk.position.line);
            if let Body::Invalid(fault) = &record.body {
                assert!(
                    fault.place.line >= record.line && fault.place.column >= 1 && !fault.reason.is_empty()
                );
            }
            for cell in 0..81 {
                let place = chunk.place_of(&record, cell);
                assert!(place.line >= record.line && place.column >= 1);
                if let Body::Sudoku(grid) = &record.body
                    && grid.get(cell) != 0
                {
                    let line =
                        record.text.split(|&byte| byte == b'\n').nth((place.line - record.line) as usize);
                    let found = line.and_then(|line| line.get(place.column as usize - 1)).copied();
                    assert_eq!(found, Some(b'0' + grid.get(cell)), "cell {cell} does not stand at {place:?}");
                }
            }
            records.push((record.line, record.text.to_vec(), record.body));
        });
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
    let options = ReadOptions { format, puzzle_column: None };
    let small = records(text, &options, usize::from(target).max(1));
    let large = records(text, &options, 1 << 20);
    assert!(small == large, "{small:?}\nin one chunk: {large:?}");
});
