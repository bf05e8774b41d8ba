//! The bytes that fuzzing has found worth keeping (`fuzz/corpus`), through the bodies of the fuzz targets: backends agree,
//! notations are read as what they are, claims are judged and results read back.
#![cfg(feature = "cli")]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Runs a target over its part of the corpus.
fn run(name: &str) {
    let (_, target) = targets::TARGETS.into_iter().find(|target| target.0 == name).expect("a target");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let files =
        fs::read_dir(&folder).expect("a folder of the corpus").map(|file| file.expect("a file").path());
    let mut count = 0;
    for file in files {
        let bytes = fs::read(&file).expect("a file");
        let ended = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
        assert!(ended.is_ok(), "{} fails, see above", file.display());
        count += 1;
    }
    assert!(count > 0, "{} is empty", folder.display());
}

#[test]
fn notations() {
    run("notations");
}

#[test]
fn pipeline() {
    run("pipeline");
}

#[test]
fn read() {
    run("read");
}

#[test]
fn results() {
    run("results");
}

#[test]
fn solve() {
    run("solve");
}

#[test]
fn verify() {
    run("verify");
}
