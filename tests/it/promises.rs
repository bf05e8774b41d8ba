//! Every promise in PROMISES.md has a test, and every test that names a promise (`PROMISE: name`) names an existing
//! one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::english::files;

/// Returns the names in the first column of the tables.
fn promised(text: &str) -> BTreeSet<&str> {
    let rows: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let names: BTreeSet<_> = rows.iter().copied().collect();
    assert_eq!(names.len(), rows.len(), "a name stands there twice: {rows:?}");
    names
}

/// Returns whether `lines`, which follow a mark, start with a test: attributes and comments, then its definition.
fn begins_with_a_test<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut is_test = false;
    for line in lines.map(str::trim_start) {
        match line {
            "#[test]" => is_test = true,
            _ if line.starts_with(['#', '/', '@']) => {}
            _ => return line.starts_with("def test_") || is_test && line.starts_with("fn "),
        }
    }
    false
}

/// Adds the promises named by the tests in a file.
fn read_marks(path: &Path, tested: &mut BTreeSet<String>) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        let mark = line.strip_prefix("/// PROMISE: ").or_else(|| line.strip_prefix("# PROMISE: "));
        if let Some(names) = mark {
            assert!(begins_with_a_test(lines.clone()), "{}: no test follows {line:?}", path.display());
            tested.extend(names.split(", ").map(str::to_owned));
        }
    }
}

#[test]
fn every_promise_has_a_test_and_every_mark_a_promise() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("PROMISES.md")).unwrap();
    let promised = promised(&text);
    assert!(promised.len() > 20, "{} promises", promised.len());
    let mut tested = BTreeSet::new();
    for (folder, extension) in [("src", "rs"), ("tests", "rs"), ("python/tests", "py")] {
        files(&root.join(folder), extension).iter().for_each(|path| read_marks(path, &mut tested));
    }
    let tested: BTreeSet<_> = tested.iter().map(String::as_str).collect();
    let without: Vec<_> = promised.difference(&tested).collect();
    assert!(without.is_empty(), "promises without a test: {without:?}");
    let unknown: Vec<_> = tested.difference(&promised).collect();
    assert!(unknown.is_empty(), "tests of what PROMISES.md does not promise: {unknown:?}");
}

#[test]
fn a_mark_stands_on_a_test() {
    for (behind, expected) in [
        ("#[test]\nfn works() {}", true),
        ("/// Also this.\n#[cfg(unix)]\n#[test]\nfn works() {}", true),
        ("fn works() {}", false),
        ("@pytest.mark.parametrize(\"a\", [1])\ndef test_works(a): ...", true),
        ("def works(): ...", false),
        ("#[test]", false),
    ] {
        assert_eq!(begins_with_a_test(behind.lines()), expected, "{behind}");
    }
}
