//! Runs the inputs that fuzzing found worth keeping (`fuzz/corpus`) through the fuzz targets. The targets check that
//! backends agree, notations are read as intended, claims are judged correctly, and results can be read back.
#![cfg(feature = "cli")]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;

/// Returns the contents of a folder in `fuzz`.
fn paths(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(folder);
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

/// Returns the names in a folder in `fuzz`, without extensions.
fn names(folder: &str) -> BTreeSet<String> {
    paths(folder)
        .iter()
        .map(|path| path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned())
        .collect()
}

#[test]
fn every_target_has_a_body_a_program_and_a_corpus() {
    let bodies: BTreeSet<_> = targets::TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(bodies, names("fuzz_targets"), "bodies and programs");
    assert_eq!(bodies, names("corpus"), "bodies and folders of the corpus");
    for name in &bodies {
        assert!(!paths(&format!("corpus/{name}")).is_empty(), "the corpus of {name} is empty");
    }
}

/// PROMISE: backends-agree
#[test]
fn the_corpus_of_every_target_passes() {
    let run = |(name, target): targets::Target| {
        for file in paths(&format!("corpus/{name}")) {
            let bytes = fs::read(&file).expect("a file");
            let ended = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            assert!(ended.is_ok(), "{} fails, see above", file.display());
        }
    };
    thread::scope(|scope| {
        let threads = targets::TARGETS.map(|target| scope.spawn(move || run(target)));
        let failed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
        assert_eq!(failed, 0, "targets fail, see above");
    });
}
