//! Tests `batchdoku sample` as a user sees it.

use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use predicates::str::contains;

use crate::place::{Place, data, fed, gzip};
use crate::puzzles::{ANSWER, UNIQUE, grid, unsolvable};

/// Returns a table whose ids number the rows.
fn table(rows: usize) -> String {
    (0..rows).fold("id,puzzle,solution\n".to_owned(), |text, id| format!("{text}{id},{UNIQUE},{ANSWER}\n"))
}

#[test]
fn rows_are_written_in_their_order_below_their_header() {
    let place = Place::new();
    let text = table(1000);
    place.write("a.csv", &text);
    let sample = place.printed("sample a.csv -n 50 --seed 3");
    let (all, rows): (Vec<_>, Vec<_>) = (text.lines().collect(), sample.lines().collect());
    assert_eq!((rows.len(), rows[0]), (51, all[0]));
    let ids: Vec<usize> =
        rows[1..].iter().map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(
        ids.is_sorted_by(|a, b| a < b) && rows[1..].iter().zip(&ids).all(|(row, &id)| *row == all[id + 1])
    );
    // The sample is the same through a pipe, compressed or in shards.
    assert_eq!(fed(place.start("sample -n 50 --seed 3"), &text).1, sample);
    place.write("a.csv.gz", gzip(&text));
    assert_eq!(place.printed("sample a.csv.gz -n 50 --seed 3 -o out.csv"), "");
    assert_eq!(place.read("out.csv"), sample);
    place.printed("sample a.csv -n 50 --seed 3 -o out.csv.zst");
    let unpacked = zstd::decode_all(&*fs::read(place.path("out.csv.zst")).unwrap()).unwrap();
    assert_eq!(String::from_utf8(unpacked).unwrap(), sample);
    for (name, rows) in [("s-10.csv", &all[601..]), ("s-2.csv", &all[1..601])] {
        place.write(name, format!("{}\n{}", all[0], rows.join("\n")));
    }
    assert_eq!(place.printed("sample s-*.csv -n 50 --seed 3"), sample);
    assert_ne!(place.printed("sample a.csv -n 50 --seed 4"), sample);
}

/// Samples of every layout can be read again.
#[test]
fn samples_are_inputs() {
    let spaced = |row: &str| row.split("").collect::<Vec<_>>()[1..10].join(" ") + "\n";
    let spaced: String = grid(UNIQUE).lines().map(spaced).collect();
    let framed: String = spaced
        .lines()
        .enumerate()
        .map(|(row, line)| {
            let border = if row % 3 == 0 { "+-------+-------+-------+\n" } else { "" };
            format!("{border}| {} | {} | {} |\n", &line[..5], &line[6..11], &line[12..])
        })
        .collect::<String>()
        + "+-------+-------+-------+\n";
    let cases = fs::read_to_string(data("judge/boj4574.in")).unwrap();
    let count = |place: &Place, name: &str| {
        place.printed(&format!("solve {name} -O jsonl --lenient")).lines().count()
    };
    for (text, all) in [
        (format!("3\n{}", format!("{UNIQUE} x\r\n").repeat(3)), 3),
        (grid(UNIQUE).repeat(4), 4),
        (format!("Grid 01\n{}", spaced).repeat(4), 4),
        (format!("{framed}\n").repeat(4), 4),
        (cases, 2),
    ] {
        let place = Place::with("a", &text);
        for taken in [1, all - 1, all] {
            place.printed(&format!("sample a -n {taken} -o b"));
            assert_eq!(count(&place, "b"), taken, "{}", place.read("b"));
            let statuses = place.printed("solve b -O jsonl --lenient");
            assert!(!statuses.contains("\"invalid\""), "{statuses}{}", place.read("b"));
        }
    }
}

/// The rows are the same as those from CSV, including the invalid ones.
#[test]
fn rows_of_binary_tables_are_rows_of_csv() {
    let place = Place::new();
    let rows = (0..300).map(|id| match id % 3 {
        0 => format!("{id:03},{UNIQUE},\"a,b\"\n"),
        1 => format!("{id:03},{},\n", unsolvable()),
        _ => format!("{id:03},{},x\n", &UNIQUE[1..]),
    });
    let text = format!("id,puzzle,note\n{}", rows.collect::<String>());
    place.write("a.csv", &text);
    let [mut parquet, mut arrow] =
        ["a.parquet", "a.arrow"].map(|name| fs::File::create(place.path(name)).unwrap());
    let columns = ["id", "puzzle", "note"].into_iter().enumerate().map(|(at, name)| {
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let texts = rows.records().map(|row| row.unwrap()[at].to_owned());
        (name, Arc::new(texts.collect::<Vec<_>>().into_iter().map(Some).collect::<StringArray>()) as ArrayRef)
    });
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(&mut parquet, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let mut writer = FileWriter::try_new(&mut arrow, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    for flags in ["-n 40", "-n 40 --by clues", "-n 40 --by status -j 2"] {
        let expected = place.printed(&format!("sample a.csv {flags}"));
        assert_eq!(expected.lines().count(), 41);
        for name in ["a.parquet", "a.arrow"] {
            assert_eq!(place.printed(&format!("sample {name} {flags}")), expected, "{name} {flags}");
        }
    }
    place.refuses("sample a.csv a.arrow -n 1", "a different format");
}

#[test]
fn strata_have_equal_shares() {
    let place = Place::new();
    let (invalid, unsolvable) = (&UNIQUE[1..], unsolvable());
    let kinds = [UNIQUE, UNIQUE, UNIQUE, UNIQUE, invalid, UNIQUE, UNIQUE, &unsolvable];
    let list: String = (0..100).map(|_| kinds.map(|line| format!("{line}\n")).concat()).collect();
    place.write("a", &list);
    let sample = place.printed("sample a -n 30 --by status");
    for line in [UNIQUE, invalid, &unsolvable] {
        assert_eq!(sample.lines().filter(|found| *found == line).count(), 10);
    }
    for by in ["clues", "guesses"] {
        let sample = place.printed(&format!("sample a -n 30 --by {by} -j 2"));
        assert_eq!(
            sample.lines().filter(|found| *found == invalid).count(),
            if by == "clues" { 10 } else { 15 },
            "{by}"
        );
    }
}

/// The input has a column that contradicts the computed values, and each value in it is sampled equally often.
#[test]
fn a_column_of_the_input_counts_before_what_is_computed() {
    let place = Place::new();
    let rows = (0..90).map(|id| format!("{id},{UNIQUE},{}\n", if id < 10 { "rare" } else { "common" }));
    let rows: String = rows.collect();
    for by in ["status", "clues", "guesses"] {
        place.write("a.csv", format!("id,puzzle,{by}\n{rows}"));
        let note = format!("note: --by: {by} is the column of that name in the input, and is not computed");
        for line in ["sample a.csv -n 20 -o b.csv", "split a.csv --same text --parts b=1,c=1"] {
            place.run(&format!("{line} --by {by}")).assert().code(0).stderr(contains(&note));
        }
        let sample = place.printed(&format!("sample a.csv -n 20 --by {by}"));
        assert_eq!(sample.matches(",rare\n").count(), 10, "{by}");
    }
}

/// The time runs from the start of the command to its end, not just through the last pass.
#[test]
fn the_summary_has_the_time_of_the_command() {
    let place = Place::with("a.csv", table(3));
    for line in ["sample - -n 2", "dedupe a.csv --against -", "verify a.csv --answers -"] {
        let words = format!("{line} -o out.csv --summary s.json");
        let child = place.start(&words);
        std::thread::sleep(std::time::Duration::from_millis(400));
        fed(child, &table(3));
        let seconds = place.json("s.json")["wall_seconds"].as_f64().unwrap();
        assert!(seconds > 0.3, "{line}: {seconds}");
    }
}

/// An extension of a different format asks for that format, and all outputs are then converted.
#[test]
fn a_name_with_the_extension_of_another_format_converts() {
    let place = Place::with("list.txt", format!("{UNIQUE}\n").repeat(3) + &UNIQUE[1..] + "\n");
    place.write("a.jsonl", format!("{{\"puzzle\":\"{UNIQUE}\",\"rating\":\"7\"}}\n").repeat(2));
    place.write("a.json", format!("[{{\"puzzle\":\"{UNIQUE}\",\"rating\":\"7\"}}]"));
    place.write("t.tsv", format!("puzzle\trating\n{UNIQUE}\t7\n"));
    let row = |text: &str| text.replace('P', UNIQUE);
    let table = row("puzzle,rating\nP,7\n");
    for (line, code, rows) in [
        ("list.txt -o out.csv", 1, row("puzzle\nP\n")),
        ("list.txt -o out.txt", 1, row("P\n") + &UNIQUE[1..] + "\n"),
        ("a.jsonl -o out.csv", 0, table.clone()),
        ("a.jsonl -o out.json", 0, row("{\"puzzle\":\"P\",\"rating\":\"7\"}\n")),
        ("a.json -o out.csv", 0, table.clone()),
        ("a.json -o out.jsonl", 0, row("{\"puzzle\":\"P\",\"rating\":\"7\"}\n")),
        ("a.json -o out.txt", 0, row("P\n")),
        ("t.tsv -o out.tsv", 0, table.replace(',', "\t")),
        ("t.tsv -o out.csv", 0, table.clone()),
    ] {
        place.run(&format!("dedupe {line} -q")).assert().code(code);
        let name = line.split(' ').next_back().unwrap();
        assert_eq!(place.read(name), rows, "{line}");
    }
    for format in ["csv", "jsonl"] {
        let expected = place.run(&format!("convert a.json -q -O {format}")).output().unwrap().stdout;
        place.run(&format!("dedupe a.json -q -O {format}")).assert().code(0).stdout(expected);
    }
    let refused = place.run("sample a.json -n 1").assert().code(2);
    refused.stderr(contains(
        "cannot be copied out of json\n  hint: write to a file that ends in .csv or .jsonl",
    ));
    // A record that cannot be read is in neither output.
    place.run("sample list.txt -n 2 --by status -o s.csv --rest r.jsonl -q").assert().code(1);
    let (sample, rest) = (place.read("s.csv"), place.read("r.jsonl"));
    assert_eq!((sample.lines().next(), sample.matches(UNIQUE).count()), (Some("puzzle"), 1));
    assert_eq!(rest, row("{\"puzzle\":\"P\"}\n").repeat(2));
    place.run("split list.txt --parts a.csv=9,b=1 -q").assert().code(1);
    assert_eq!(place.read("a.csv") + &place.read("b.txt"), row("puzzle\nP\nP\nP\n"));
}

#[test]
fn a_sample_larger_than_the_input_is_all_of_it_with_a_note() {
    let place = Place::with("a", format!("{UNIQUE}\n{UNIQUE}"));
    let run = place.run("sample a -n 7").assert().code(0).stdout(format!("{UNIQUE}\n{UNIQUE}\n"));
    run.stderr(contains("note: fewer than 7 records: all 2 are taken"));
}

#[test]
fn what_cannot_be_sampled_is_refused_and_leaves_no_file() {
    let place = Place::new();
    let packed = gzip((0..3000).map(|number| format!("{}{number:04}\n", &UNIQUE[..77])).collect::<String>());
    place.write("cut.gz", &packed[..packed.len() / 2]);
    place.write("a.csv", table(3));
    place.write("b.txt", format!("{UNIQUE}\n"));
    for (line, said) in [
        ("sample cut.gz -n 5 -o out", "damaged gzip data"),
        ("sample a.csv b.txt -n 5 -o out", "b.txt: has a different format from a.csv"),
        ("sample a.csv -n 5 -o a.csv", "would overwrite the input"),
        ("sample x-*.csv -n 5 -o out", "x-*.csv: no file matches the pattern"),
        ("sample a.csv -n 0", "invalid value"),
        ("sample a.csv -n 1 -o out.tsv", "out.tsv: .tsv cannot be written"),
        ("sample b.txt -n 1 -o out.xlsx", "out.xlsx: .xlsx cannot be written"),
    ] {
        place.refuses(line, said);
        assert!(!place.path("out").exists() && !place.path("out.partial").exists(), "{line}");
    }
}

/// Each record is in exactly one of the two files, in order, whether the input is a pipe or a file.
#[test]
fn the_rest_is_all_that_is_not_taken() {
    let place = Place::new();
    let text = table(3000);
    place.write("a.csv", &text);
    let run = |line: &str, input: &str| {
        place.run(line).write_stdin(input.to_owned()).assert().success();
        let ids = |name: &str| -> Vec<usize> {
            let text = place.read(name);
            assert_eq!(text.lines().next(), Some("id,puzzle,solution"));
            text.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect()
        };
        (ids("s.csv"), ids("r.csv"))
    };
    let (sample, rest) = run("sample a.csv -n 100 -o s.csv --rest r.csv --chunk-size 5000", "");
    assert_eq!((sample.len(), rest.len()), (100, 2900));
    assert!(sample.is_sorted() && rest.is_sorted());
    let mut all: Vec<_> = sample.iter().chain(&rest).copied().collect();
    all.sort_unstable();
    assert_eq!(all, (0..3000).collect::<Vec<_>>());
    assert_eq!(run("sample - -n 100 -o s.csv --rest r.csv -j 3", &text), (sample, rest));
    let same = "sample a.csv -n 100 -o s.csv --rest ./s.csv";
    place.command(same.split(' ')).assert().code(2).stderr(contains("--rest"));
}

/// Grids are separated by a blank line, also in the rest, and none follows the last grid.
#[test]
fn grids_of_the_rest_are_grids() {
    let place = Place::new();
    let grid = |digit: char| format!("{digit}........\n{}", "123456789\n".repeat(8));
    let grids: Vec<_> = "123456789".chars().map(grid).collect();
    place.write("a.txt", grids.join("\n"));
    place.run("sample a.txt -n 4 -q -o s.txt --rest r.txt.zst").assert().success();
    let rest = zstd::decode_all(&*fs::read(place.path("r.txt.zst")).unwrap()).unwrap();
    let (sample, rest) = (place.read("s.txt"), String::from_utf8(rest).unwrap());
    let blocks = |text: &str| text.split("\n\n").map(|block| block.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!((blocks(&sample).len(), blocks(&rest).len()), (4, 5));
    let mut all = [blocks(&sample), blocks(&rest)].concat();
    all.sort();
    assert_eq!(all, grids.iter().map(|grid| grid.trim_end().to_owned()).collect::<Vec<_>>());
}

/// Inputs that can be opened only once are copied first.
#[cfg(unix)]
#[test]
fn pipes_with_a_name_are_read_twice_as_well() {
    let place = Place::new();
    let text = table(300);
    place.write("a.csv", &text);
    let sample = place.printed("sample a.csv -n 20 --seed 3");
    assert_eq!(fed(place.start("sample /dev/stdin -n 20 --seed 3 -q"), &text).1, sample);
    crate::place::mkfifo(&place.path("pipe"));
    let pipe = place.path("pipe");
    let writer = std::thread::spawn(move || fs::write(pipe, text).unwrap());
    assert_eq!(place.printed("sample pipe -n 20 --seed 3"), sample);
    writer.join().unwrap();
}

/// A failure of either output counts.
#[cfg(target_os = "linux")]
#[test]
fn a_rest_that_cannot_be_written_is_trouble() {
    let place = Place::with("a.csv", table(3000));
    let run = |line: &str| place.run(line).assert().code(2);
    run("sample a.csv -n 3 -o s.csv --rest /dev/full --summary s.json").stderr(contains("/dev/full: "));
    let summary = place.json("s.json");
    assert_eq!((&summary["ending"], &summary["exit_code"]), (&"unwritten".into(), &2.into()));
    run("sample a.csv -n 3 -o s.csv --rest -").stderr(contains("--rest needs a file"));
}
