//! Results files put together by hand, for the report tests.
#![allow(dead_code, reason = "not every test file needs all of it")]

/// The columns that `solve -O csv` writes.
pub const HEADER: &str = "id,source,line,kind,status,solutions,clues,guesses,time_ns,puzzle,solution,error\n";
/// The published solution of Project Euler 96, grid 01.
pub const SOLUTION: &str =
    "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

/// Returns a puzzle with this many clues, taken from the first cells of a solution.
pub fn puzzle(clues: usize) -> String {
    format!("{}{}", &SOLUTION[..clues], ".".repeat(81 - clues))
}

/// Returns a row of results. The row of an invalid record says that it has `clues` cells.
pub fn row(id: usize, source: &str, status: &str, clues: usize, guesses: u64, time_ns: u64) -> String {
    if status == "invalid" {
        let error = format!("\"line {id}, column 3: {clues} cells (expected 81)\"");
        return format!("{id},{source},{id},sudoku,invalid,0,,0,0,,,{error}\n");
    }
    let (solutions, solution) = match status {
        "unsolvable" | "unfinished" => (0, ""),
        "multiple" => (2, SOLUTION),
        _ => (1, SOLUTION),
    };
    format!(
        "{id},{source},{id},sudoku,{status},{solutions},{clues},{guesses},{time_ns},{},{solution},\n",
        puzzle(clues)
    )
}

/// Returns rows of every kind, from several inputs, with times and guesses that span several decades.
pub fn rows(count: usize) -> String {
    let mut text = HEADER.to_owned();
    for id in 1..=count {
        let status =
            ["unique", "unique", "multiple", "invalid", "unsolvable", "unfinished", "unique"][id % 7];
        let guesses = if id % 3 == 0 { 0 } else { (id * id % 97) as u64 * (1 + (id % 41 == 0) as u64 * 100) };
        let time = 40 + (id * 7919 % 1009) as u64 * (1 + (id % 13) as u64 * (id % 17) as u64);
        text += &row(id, &format!("list-{}.txt", id * 6 / (count + 1)), status, 17 + id % 20, guesses, time);
    }
    text
}

/// A name or reason that would turn into markup if it were not escaped.
pub const EVIL: &str =
    "<script>document.title='owned'</script><img src=/evil.png onerror=alert(2)>\"'`|</style>";

/// Returns results whose texts are as nasty as possible: markup, quotes, line breaks, a very long name, invalid UTF-8.
pub fn hostile() -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(HEADER.as_bytes().to_vec());
    let error = format!("line 1, column 2: {EVIL}\n\u{202e}{EVIL}");
    let (puzzle, long) = (puzzle(30), "n".repeat(5000));
    for fields in [
        ["1", EVIL, "1", "sudoku", "invalid", "0", "", "0", "0", "", "", &error],
        ["2", EVIL, "2", "sudoku", "unique", "1", "30", "9", "9", &puzzle, SOLUTION, ""],
        ["3", &long, "2", "sudoku", "unique", "1", "30", "9", "9", &puzzle, SOLUTION, ""],
    ] {
        writer.write_record(fields).expect("memory takes it");
    }
    let mut text = writer.into_inner().expect("memory takes it");
    let mut not_utf8 = row(4, "@", "unique", 31, 1, 1).into_bytes();
    not_utf8[2] = 0xff;
    text.extend(not_utf8);
    text
}
