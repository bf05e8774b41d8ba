//! Rows in every file format: every reader gets the same values as from CSV, and every writer gives the same bytes.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::place::{Place, list};
use crate::puzzles::{ANSWER, UNIQUE};

/// Returns text compressed with gzip or zstd, in any number of parts.
fn decompressed(path: &Path) -> Vec<u8> {
    let (file, mut text) = (File::open(path).unwrap(), Vec::new());
    if path.extension().unwrap() == "gz" {
        flate2::read::MultiGzDecoder::new(file).read_to_end(&mut text).unwrap();
    } else {
        zstd::stream::read::Decoder::new(file).unwrap().read_to_end(&mut text).unwrap();
    }
    text
}

pub fn batches(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap();
    if path.extension().unwrap() == "parquet" {
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build();
        reader.unwrap().map(Result::unwrap).collect()
    } else {
        FileReader::try_new_buffered(file, None).unwrap().map(Result::unwrap).collect()
    }
}

/// Returns the names of the columns, followed by the values of each row; a missing value is an empty text.
fn rows(batches: &[RecordBatch]) -> Vec<Vec<String>> {
    let names = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut rows = vec![names];
    for batch in batches {
        let text = |column: &dyn Array, row| match column.as_string_opt::<i32>() {
            _ if column.is_null(row) => String::new(),
            Some(texts) => texts.value(row).to_owned(),
            None => column.as_primitive::<Int64Type>().value(row).to_string(),
        };
        let row = |row| batch.columns().iter().map(|column| text(column, row)).collect();
        rows.extend((0..batch.num_rows()).map(row));
    }
    rows
}

fn rows_of_csv(text: &[u8]) -> Vec<Vec<String>> {
    let records = csv::ReaderBuilder::new().has_headers(false).from_reader(text).into_records();
    records.map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Returns the digits of each row after the header of an array, which must state the number of rows.
fn rows_of_npy(bytes: &[u8]) -> Vec<&[u8]> {
    let (header, rows) = bytes.split_at(128);
    assert_eq!(&header[..10], b"\x93NUMPY\x01\x00\x76\x00");
    let shape = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, 81), }}", rows.len() / 81);
    assert_eq!(String::from_utf8_lossy(&header[10..]).trim_end(), shape);
    rows.chunks(81).collect()
}

/// Writes good puzzles, other puzzles and a record that is not a puzzle, followed by this many clashing records, which
/// take no time.
fn inputs(place: &Place, clashes: usize) {
    let lists = ["easy.txt", "several.txt", "unsolvable.txt"].map(|name| list(name, 60).join("\n") + "\n");
    let clashes = format!("11{}\n", ".".repeat(79)).repeat(clashes);
    place.write("list.txt", format!("{}{}q\n{clashes}", lists.concat(), &UNIQUE[..80]));
    let table = format!(
        "id,puzzle,solution,note\n007,{UNIQUE},{ANSWER},\"a,\"\"b\"\"\"\n8,{UNIQUE},{},\n9,no,no,é\n",
        ANSWER.replace('1', "2")
    );
    place.write("table.csv", table);
}

/// There are more rows than are decoded at once.
#[test]
fn columns_go_through_every_table_as_they_are() {
    let place = Place::new();
    let mut expected = "puzzle,solution,id,rating\n".to_owned();
    let mut json = String::new();
    for row in 0..20_000 {
        let rating = if row % 3 == 0 { String::new() } else { format!("{row}.50") };
        expected += &format!("{UNIQUE},{ANSWER},{row:07},{rating}\n");
        let rating = if rating.is_empty() { "null" } else { &rating };
        json += &format!(
            "{{\"id\":\"{row:07}\",\"puzzle\":\"{UNIQUE}\",\"rating\":{rating},\"solution\":\"{ANSWER}\"}}\n"
        );
    }
    place.write("a.jsonl", json);
    let tables = ["a.jsonl", "a.csv", "a.parquet", "b.arrow", "b.parquet", "b.jsonl", "b.csv"];
    for threads in ["1", "3"] {
        for pair in tables.windows(2) {
            place.command(["convert", pair[0], "-o", pair[1], "-q", "-j", threads]).assert().success();
        }
        assert!(place.read("a.csv") == expected && place.read("b.csv") == expected, "{threads} threads");
        assert!(fs::read(place.path("a.parquet")).unwrap() == fs::read(place.path("b.parquet")).unwrap());
        place.run("verify b.arrow --keep RATING,1 --trust-unique -q -o v.csv").assert().success();
        let kept = rows_of_csv(&fs::read(place.path("v.csv")).unwrap());
        assert!(kept[0].ends_with(&["rating".to_owned(), "input_puzzle".to_owned()]), "{:?}", kept[0]);
        assert!(kept[2].ends_with(&["1.50".to_owned(), UNIQUE.to_owned()]), "{:?}", kept[2]);
    }
}

#[test]
fn tables_have_the_rows_of_csv() {
    let place = Place::new();
    inputs(&place, 0);
    for line in [
        "solve list.txt --no-time",
        "solve list.txt --no-time --only invalid,multiple",
        "solve list.txt table.csv --limit 1 --no-time --keep",
        "verify table.csv --no-time --keep note",
        "verify table.csv --no-time --only missing",
    ] {
        let words = format!("{line} -q --lenient");
        let words: Vec<_> = words.split(' ').collect();
        let csv = rows_of_csv(&place.command(&words).output().unwrap().stdout);
        for name in ["r.parquet", "r.arrow"] {
            place.command([&words[..], &["-o", name]].concat()).assert().success();
            let found = batches(&place.path(name));
            if csv.len() == 1 {
                assert!(found.is_empty(), "{line} {name}");
            } else {
                assert_eq!(rows(&found), csv, "{line} {name}");
            }
        }
        let piped = place.command([&words[..], &["-O", "parquet"]].concat()).output().unwrap().stdout;
        assert_eq!(piped, fs::read(place.path("r.parquet")).unwrap(), "{line}");
    }
}

#[test]
fn arrays_have_the_solutions_and_zeros_where_there_is_none() {
    let place = Place::new();
    inputs(&place, 0);
    for only in ["", " --only multiple,invalid", " --only unfinished"] {
        let line = format!("solve list.txt -q --lenient{only}");
        let csv = rows_of_csv(&place.run(&line).output().unwrap().stdout);
        place.run(&format!("{line} -o r.npy")).assert().success();
        let bytes = fs::read(place.path("r.npy")).unwrap();
        let digits = |row: &Vec<String>| match row[10].bytes().map(|digit| digit - b'0').collect::<Vec<_>>() {
            solution if solution.is_empty() => vec![0; 81],
            solution => solution,
        };
        assert_eq!(rows_of_npy(&bytes), csv[1..].iter().map(digits).collect::<Vec<_>>(), "{only}");
    }
}

#[test]
fn a_table_says_what_its_columns_are() {
    let place = Place::new();
    inputs(&place, 0);
    place.run("solve list.txt -q --lenient -o r.parquet").assert().success();
    let file =
        ParquetRecordBatchReaderBuilder::try_new(File::open(place.path("r.parquet")).unwrap()).unwrap();
    let field = file.schema().field_with_name("time_ns").unwrap().clone();
    assert_eq!(field.metadata().get("unit").map(String::as_str), Some("ns"));
    for field in file.schema().fields() {
        assert!(field.metadata().get("description").is_some_and(|about| !about.is_empty()), "{field}");
    }
    let about = file.metadata().file_metadata();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(about.created_by(), Some(&*format!("batchdoku version {version}")));
    let keys = about.key_value_metadata().unwrap().iter();
    let keys: Vec<_> = keys.map(|pair| (&*pair.key, pair.value.as_deref())).collect();
    for pair in [("batchdoku.version", Some(version)), ("batchdoku.results_version", Some("1"))] {
        assert!(keys.contains(&pair), "{keys:?}");
    }
}

/// There is more text than fits into one gzip member.
/// PROMISE: same-bytes
#[test]
fn threads_and_chunk_sizes_change_no_byte_of_a_file() {
    let place = Place::new();
    inputs(&place, 8000);
    let line = "solve list.txt -q --no-time --lenient";
    place.run(&format!("{line} -j 1 -o r.csv")).assert().success();
    let csv = fs::read(place.path("r.csv")).unwrap();
    assert!(csv.len() > 5 << 18, "{}", csv.len());
    for name in ["r.csv.gz", "r.csv.zst", "r.parquet", "r.arrow", "r.npy"] {
        let path = place.path(name);
        let mut expected = None;
        for flags in ["-j 1", "-j 2 --chunk-size 9999", "-j 7"] {
            place.run(&format!("{line} {flags} -o {name}")).assert().success();
            let bytes = fs::read(&path).unwrap();
            let expected = expected.get_or_insert_with(|| bytes.clone());
            // This is not assert_eq, because a message of several megabytes is useless.
            assert!(bytes == *expected, "{name} {flags}");
        }
        match name {
            "r.npy" => assert_eq!(rows_of_npy(&expected.unwrap()).len(), 8181),
            "r.csv.gz" | "r.csv.zst" => assert!(decompressed(&path) == csv, "{name}"),
            _ => {
                assert!(rows(&batches(&path)) == rows_of_csv(&csv), "{name}");
            }
        }
    }
}

#[test]
fn what_is_compressed_is_read_back() {
    let place = Place::new();
    inputs(&place, 8000);
    for name in ["r.csv", "r.csv.gz", "r.csv.zst"] {
        place.command(["solve", "list.txt", "-q", "--no-time", "--lenient", "-o", name]).assert().success();
    }
    let rows = |name| place.printed(&format!("verify {name} --no-time --lenient"));
    let plain = rows("r.csv");
    for name in ["r.csv.gz", "r.csv.zst"] {
        assert!(rows(name).replace(name, "r.csv") == plain, "{name}");
        let report = place.printed(&format!("report {name}"));
        assert!(report.contains("8\u{202f}181 rows from 1 file of results"), "{name}");
    }
}

#[test]
fn a_place_or_a_name_that_does_not_go_with_the_format_is_refused_before_any_work() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    for (line, said) in [
        ("-O npy", "standard output: this format begins with the number of rows"),
        ("-O npy -o /dev/null", "/dev/null: this format begins with the number of rows"),
        ("-o r.npy.gz", "r.npy.gz: npy files are not compressed as a whole"),
        ("-o r.parquet.zst", "r.parquet.zst: parquet files are not compressed as a whole"),
        (
            "-O csv -o r.parquet",
            "r.parquet: has the extension of parquet, but the format is csv\n  hint: leave out -O, or",
        ),
        ("-O arrow -o r.parquet", "r.parquet: has the extension of parquet, but the format is arrow"),
        ("-O parquet -o r.csv", "r.csv: has the extension of csv, but the format is parquet"),
        (
            "-o r.xlsx",
            "r.xlsx: .xlsx cannot be written\n  hint: write .csv, which spreadsheets open, with --escape-formulas\n",
        ),
        ("-o r.csv.gz --resume", "r.csv.gz: cannot be resumed"),
        ("-o r.parquet --resume", "r.parquet: cannot be resumed"),
        ("-o r.npy --keep", "npy has no place for columns of the input"),
        ("-o r.parquet --escape-formulas", "formulas can be escaped in CSV only, not in parquet"),
    ] {
        place.refuses(&format!("solve a.txt {line}"), said);
    }
    assert_eq!(place.names(), ["a.txt"]);
    place.run("solve a.txt -q -O parquet -o r").assert().success();
    fs::rename(place.path("r"), place.path("r.parquet")).unwrap();
    assert_eq!(batches(&place.path("r.parquet"))[0].num_rows(), 1);
}

/// The header or the columns show that the table is meant to hold puzzles.
#[test]
fn a_table_may_have_no_row() {
    let place = Place::with("a.txt", UNIQUE);
    for name in ["r.csv", "r.parquet", "r.arrow"] {
        let line = format!("solve a.txt --only unsolvable -q -o {name}");
        place.run(&line).assert().success();
        place.command(["solve", name, "-q", "-O", "lines"]).assert().success().stdout("");
    }
    let schema = Arc::new(Schema::new(vec![Field::new("puzzle", DataType::Utf8, true)]));
    let file = File::create(place.path("e.parquet")).unwrap();
    ArrowWriter::try_new(file, Arc::clone(&schema), None).unwrap().close().unwrap();
    let file = File::create(place.path("e.arrow")).unwrap();
    FileWriter::try_new(file, &schema).unwrap().finish().unwrap();
    place.write("e.csv", "puzzle,solution\n");
    let header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (0, 81), }\n";
    place.write("e.npy", [&b"\x93NUMPY\x01\x00"[..], &[header.len() as u8, 0], header].concat());
    for name in ["e.csv", "e.parquet", "e.arrow", "e.npy"] {
        place.command(["solve", name, "-q", "-O", "lines"]).assert().success().stdout("");
    }
}
