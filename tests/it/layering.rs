//! Imports point one way: a layer uses only those before it.

use std::path::Path;

/// The layers from the bottom up, as `src/lib.rs` describes them.
const LAYERS: [&str; 14] = [
    "sudoku",
    "record",
    "solver",
    "generate",
    "input",
    "output",
    "jobs",
    "pipeline",
    "arrow",
    "provenance",
    "bench",
    "report",
    "survey",
    "cli",
];

/// The layers named in `text` behind `crate::`.
fn used_layers(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| {
        line.match_indices("crate::").map(|(at, path)| {
            let rest = &line[at + path.len()..];
            &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
        })
    })
}

fn source_files(path: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn no_layer_uses_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let mut seen = 0;
    for file in files {
        let inside = file.strip_prefix(&root).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let layer = first.strip_suffix(".rs").unwrap_or(first);
        if layer == "lib" || layer == "main" {
            continue;
        }
        let place = LAYERS.iter().position(|&known| known == layer);
        let place = place.unwrap_or_else(|| panic!("{} is in no layer", inside.display()));
        for used in used_layers(&std::fs::read_to_string(&file).unwrap()) {
            let Some(other) = LAYERS.iter().position(|&known| known == used) else {
                panic!("{} uses crate::{used}, which is no layer (write paths in full)", inside.display())
            };
            assert!(other <= place, "{} uses crate::{used}, which lies above it", inside.display());
            seen += 1;
        }
    }
    assert!(seen > 10, "only {seen} imports seen: the test looks in the wrong place");
}

/// What is to be done is a hint beside the text of an error, in the words of the command or of Python.
/// PROMISE: plain-errors
#[test]
fn no_text_of_an_error_below_the_command_line_has_a_line_end_or_names_a_flag() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let mut seen = 0;
    for file in files.iter().filter(|file| !file.starts_with(root.join("cli"))) {
        let source = std::fs::read_to_string(file).unwrap();
        for text in source.split("#[error(").skip(1).map(|rest| rest.split(")]\n").next().unwrap()) {
            let names_flag = text.split([' ', '"', '`']).any(|word| {
                word.strip_prefix('-')
                    .is_some_and(|flag| flag.starts_with(|c: char| c == '-' || c.is_alphabetic()))
            });
            assert!(!text.contains(r"\n") && !names_flag, "{}: {text}", file.display());
            seen += 1;
        }
    }
    assert!(seen > 30, "only {seen} errors seen: the test looks in the wrong place");
}

#[test]
fn only_the_command_line_sees_the_terminal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let shown = |file: &Path| {
        file.starts_with(root.join("cli")) || file.ends_with("main.rs") || file.ends_with("tests.rs")
    };
    for file in files.iter().filter(|file| !shown(file)) {
        let text = std::fs::read_to_string(file).unwrap();
        for name in ["clap", "indicatif", "anyhow", "ctrlc", "eprintln!", "println!"] {
            let used = text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(name));
            assert!(!used, "{} mentions {name}", file.display());
        }
    }
}

#[test]
fn the_solvers_do_not_see_their_verifier() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/solver");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    assert!(files.len() > 5);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        // That one is no solver: it checks what they say.
        if !file.ends_with("tests.rs") && !file.ends_with("parallel.rs") {
            let mut lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            assert!(lines.all(|line| !line.contains("verifier")), "{} uses the verifier", file.display());
        }
    }
}
