//! Imports point in one direction: a layer uses only the layers before it.

use std::path::{Path, PathBuf};

use crate::english::files;

/// The layers from the bottom up, as described in `src/lib.rs`.
const LAYERS: [&str; 15] = [
    "sudoku",
    "solver",
    "generate",
    "analysis",
    "record",
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

/// Returns the code of a file without its comments and its tests.
fn code_of(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut code = String::new();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            code += line;
            code.push('\n');
        } else if lines.next().is_some_and(|item| item.ends_with('{')) {
            // The module ends at the first line that is not indented.
            lines.find(|line| *line == "}");
        }
    }
    code
}

#[test]
fn code_ends_at_no_test_module() {
    let text = "//! About.\n#[cfg(test)]\nmod tests;\n\nuse super::a;\n\n#[cfg(test)]\npub(crate) mod testing {\n    \
                use super::b;\n}\n\nfn c() {}\n";
    assert_eq!(code_of(text), "\nuse super::a;\n\n\nfn c() {}\n");
}

/// Returns the layers named after `crate::` in `text`. Files for one kind of puzzle are named after their layer.
fn used_layers(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| {
        line.match_indices("crate::").map(|(at, path)| {
            let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            let mut names =
                line[at + path.len()..].split("::").map(|name| name.split(is_other).next().unwrap());
            let first = names.next().unwrap();
            if first == "kinds" { names.nth(1).unwrap_or(first) } else { first }
        })
    })
}

/// Returns the files in a folder of the repository.
fn sources(folder: &str) -> Vec<PathBuf> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "rs")
}

/// Returns the name of a file relative to `src`.
fn inside(file: &Path) -> &Path {
    file.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap()
}

#[test]
fn no_layer_uses_one_above_it() {
    let files = sources("src");
    let mut seen = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let inside = inside(&file);
        let mut parts = inside.iter().map(|part| part.to_str().unwrap());
        let mut first = parts.next().unwrap();
        if first == "kinds" {
            first = parts.nth(1).unwrap_or("mod.rs");
            let is_whole = first.ends_with(".rs");
            assert!(
                !is_whole || !code_of(&text).contains("super::"),
                "{}: a path from super",
                inside.display()
            );
        }
        let layer = first.strip_suffix(".rs").unwrap_or(first);
        if ["lib", "main", "mod"].contains(&layer) {
            continue;
        }
        let place = LAYERS.iter().position(|&known| known == layer);
        let place = place.unwrap_or_else(|| panic!("{} is in no layer", inside.display()));
        for used in used_layers(&text) {
            let Some(other) = LAYERS.iter().position(|&known| known == used) else {
                panic!("{} uses crate::{used}, which is no layer (write paths in full)", inside.display())
            };
            assert!(other <= place, "{} uses crate::{used}, which lies above it", inside.display());
            seen += 1;
        }
    }
    assert!(seen > 10, "only {seen} imports seen: the test looks in the wrong place");
}

/// Returns the file that a module path, starting at the crate root, leads to, as far as the path names modules.
fn file_of(files: &[PathBuf], path: &[&str]) -> Option<usize> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let candidates = |length: usize| {
        let base = path[..length].iter().fold(root.clone(), |base, part| base.join(part));
        [base.with_extension("rs"), base.join("mod.rs")]
    };
    let known = |file: PathBuf| files.iter().position(|known| *known == file);
    (1..=path.len()).rev().find_map(|length| candidates(length).into_iter().find_map(known))
}

/// Returns the paths in a file's code that start with `crate` or `super`, relative to the crate root; groups in braces
/// are expanded.
fn paths(code: &str, module: &[&str]) -> Vec<Vec<String>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = ["crate::", "super::"].into_iter().flat_map(|start| code.match_indices(start));
    let starts = starts.filter(|(at, _)| !code[..*at].ends_with(|c| is_name(c) || c == ':'));
    let mut found = Vec::new();
    for (at, _) in starts {
        let rest = &code[at..];
        let prefix = &rest[..rest.find(|c| !is_name(c) && c != ':').unwrap_or(rest.len())];
        let group = rest[prefix.len()..].strip_prefix('{').and_then(|group| group.split(';').next());
        for item in group.map_or_else(|| vec![""], |group| group.split([',', '{']).map(str::trim).collect()) {
            let path = format!("{prefix}{item}");
            let mut parts: Vec<String> = Vec::new();
            let mut above = module.len();
            for part in path.split("::").map(str::trim).filter(|part| !part.is_empty() && *part != "self") {
                match part {
                    "crate" => above = 0,
                    "super" => above = above.saturating_sub(1),
                    part => parts.push(part.split([' ', '}']).next().unwrap().to_owned()),
                }
            }
            found.push(module[..above].iter().map(|&part| part.to_owned()).chain(parts).collect());
        }
    }
    found
}

/// Files in the same layer that import each other, directly or indirectly, could only be understood together. Imports
/// between a module and its own submodules do not count: they are one module in several files.
#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    let files = sources("src");
    let modules: Vec<Vec<String>> = files
        .iter()
        .map(|file| {
            let inside = inside(file).with_extension("");
            let parts: Vec<_> = inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            if parts.last().is_some_and(|last| last == "mod") {
                parts[..parts.len() - 1].to_vec()
            } else {
                parts
            }
        })
        .collect();
    let imported = |at: usize| -> Vec<usize> {
        let module: Vec<_> = modules[at].iter().map(String::as_str).collect();
        let text = std::fs::read_to_string(&files[at]).unwrap();
        let code = code_of(&text);
        let is_import =
            |line: &&str| line.starts_with("use ") || line.starts_with("pub") && line.contains(") use ");
        let count = |text: &str| text.lines().filter(is_import).count();
        assert_eq!(count(&code), count(&text), "imports of {} are not examined", files[at].display());
        let paths = paths(&code, &module);
        let paths = paths.iter().map(|path| path.iter().map(String::as_str).collect::<Vec<_>>());
        let found = paths.filter_map(|path| file_of(&files, &path));
        // Only files in the same layer count, and neither parents nor children of this module.
        let is_beside = |&other: &usize| {
            modules[other].first() == modules[at].first()
                && !modules[other].starts_with(&modules[at])
                && !modules[at].starts_with(&modules[other])
        };
        found.filter(is_beside).collect()
    };
    let edges: Vec<_> = (0..files.len()).map(imported).collect();
    let seen = edges.iter().map(Vec::len).sum::<usize>();
    println!("{seen} paths from file to file of a room, in {} files", files.len());
    assert!(seen > 800, "only {seen} paths from file to file: the test looks in the wrong place");
    let reached = |from: usize| {
        let (mut seen, mut waiting) = (vec![false; files.len()], edges[from].clone());
        while let Some(at) = waiting.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                waiting.extend(&edges[at]);
            }
        }
        seen
    };
    let reached: Vec<_> = (0..files.len()).map(reached).collect();
    for (at, from_here) in reached.iter().enumerate() {
        let is_around = |&other: &usize| from_here[other] && reached[other][at];
        let circle = (0..files.len()).filter(is_around);
        let names: Vec<_> = circle.map(|at| inside(&files[at]).display().to_string()).collect();
        assert!(names.is_empty(), "a circle: {}", names.join(", "));
    }
}

/// Advice goes into a hint beside the error text, worded for the command or for Python.
/// PROMISE: plain-errors
#[test]
fn no_text_of_an_error_below_the_command_line_has_a_line_end_or_names_a_flag() {
    let files = sources("src");
    let mut seen = 0;
    for file in files.iter().filter(|file| !inside(file).starts_with("cli")) {
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

/// If an error has a source, its text includes the source's text, so the text is complete.
#[test]
fn an_error_names_its_cause() {
    let files = sources("src");
    let mut seen = 0;
    for file in files {
        let code = code_of(&std::fs::read_to_string(&file).unwrap());
        for error in code.split("#[error(").skip(1) {
            let (text, item) = error.split_once(")]\n").unwrap();
            // Takes everything up to the next variant or the end.
            let item = item.split("#[error(").next().unwrap().split("\n}").next().unwrap();
            if item.contains("#[from]") || item.contains("#[source]") || item.contains("source: ") {
                let is_named = ["transparent", "{0}", "{source}", ", .1", ", .2"];
                assert!(is_named.iter().any(|name| text.contains(name)), "{}: {text}", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "only {seen} errors with a cause seen: the test looks in the wrong place");
}

#[test]
fn only_the_command_line_sees_the_terminal() {
    let files = sources("src");
    let shown = |file: &Path| {
        inside(file).starts_with("cli") || file.ends_with("main.rs") || file.ends_with("tests.rs")
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
    let mut files = sources("src");
    files.retain(|file| file.iter().any(|part| part == "solver"));
    assert!(files.len() > 5);
    for file in files {
        let code = code_of(&std::fs::read_to_string(&file).unwrap());
        // This file is not a solver: it checks what the solvers report.
        if !file.ends_with("tests.rs") && !file.ends_with("parallel.rs") {
            assert!(!code.contains("verifier"), "{} uses the verifier", file.display());
        }
    }
}
