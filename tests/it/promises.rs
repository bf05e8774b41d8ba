//! Every line of PROMISES.md names tests, and they are there.

use std::fs;
use std::path::Path;

/// What stands in backquotes in a text, in order.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_promise_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("PROMISES.md")).unwrap();
    let rows: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| promise |"))
        .map(|line| line.trim_end_matches(" |").rsplit_once(" | ").unwrap())
        .collect();
    assert!(rows.len() > 20, "{} promises", rows.len());
    for (promise, tests) in rows {
        let mut file = None;
        let mut named = 0;
        for name in quoted(tests) {
            if name.ends_with(".rs") || name.ends_with(".py") {
                let path = root.join(name);
                file = Some(fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}")));
                continue;
            }
            let file = file.as_ref().unwrap_or_else(|| panic!("no file: {promise}"));
            let definition =
                file.find(&format!("fn {name}(")).or_else(|| file.find(&format!("\ndef {name}(")));
            let definition = definition.unwrap_or_else(|| panic!("no test {name}: {promise}"));
            let is_python = file[definition..].starts_with("\ndef test_");
            let before = file[..definition].trim_end();
            assert!(is_python || before.ends_with("#[test]"), "{name} is no test: {promise}");
            named += 1;
        }
        assert!(named > 0, "no test: {promise}");
    }
}
