//! Checks the English of comments, messages and documents against those rules in CONTRIBUTING.md that a test can
//! enforce.

use std::fs;
use std::path::{Path, PathBuf};

/// Words and phrases that should be replaced by better ones, in lower case.
const RULED_OUT: [&str; 10] = [
    "behind",
    "told",
    "so many",
    "nobody",
    "whoever",
    "anew",
    "of any kind",
    "what came of it",
    "gives orders",
    "twins",
];

/// First words that turn the definition in a doc comment into a riddle.
const RIDDLES: [&str; 5] = ["What", "Of", "At", "To", "Why"];

/// The maximum number of words per sentence; text in parentheses does not count, and a semicolon ends a sentence.
const LONGEST: usize = 25;

/// A paragraph and the line where it starts.
type Paragraph = (usize, String);

/// Returns the files in `folder` and its subfolders that have this extension.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|its| its == extension) {
            found.push(path);
        }
    }
    found
}

/// Returns whether a line starts a list item.
fn begins_item(line: &str) -> bool {
    let mark = line.split_once(' ').map_or("", |(mark, _)| mark);
    ["-", "*"].contains(&mark) || mark.strip_suffix('.').is_some_and(|number| number.parse::<u8>().is_ok())
}

/// Returns the number of words in the longest part of a sentence; semicolons separate the parts, and text in
/// parentheses does not count.
fn words(sentence: &str) -> usize {
    let mut depth = 0_usize;
    let outside = sentence.chars().filter(|&c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    let outside: String = outside.collect();
    outside.split(';').map(|part| part.split_whitespace().count()).max().unwrap_or(0)
}

/// Returns the paragraphs of a text, without code blocks, tables, headings and links. Each list item is a paragraph of
/// its own.
fn paragraphs<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let (mut in_code, mut is_new) = (false, true);
    for (number, line) in lines {
        let line = line.trim();
        if line.starts_with("```") {
            (in_code, is_new) = (!in_code, true);
        } else if in_code || line.is_empty() || line.starts_with(['|', '#', '<', '[']) {
            is_new = true;
        } else if is_new || begins_item(line) {
            paragraphs.push((number, line.to_owned()));
            is_new = false;
        } else if let Some((_, paragraph)) = paragraphs.last_mut() {
            *paragraph += " ";
            *paragraph += line;
        }
    }
    paragraphs
}

/// Returns the sentences of a paragraph; a sentence ends at a full stop that is followed by a capital letter.
fn sentences(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, _) in paragraph.match_indices(['.', '?', '!']) {
        let rest = &paragraph[at + 1..];
        if rest.starts_with(' ') && rest[1..].starts_with(|next: char| next.is_uppercase() || next == '`') {
            sentences.push(&paragraph[start..=at]);
            start = at + 2;
        }
    }
    sentences.push(&paragraph[start..]);
    sentences
}

/// Returns the blocks of comments with this mark, each as numbered lines.
fn comments<'a>(text: &'a str, mark: &str) -> Vec<Vec<(usize, &'a str)>> {
    let mut runs: Vec<Vec<(usize, &str)>> = Vec::new();
    let mut last = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(words) = line.trim_start().strip_prefix(mark) else { continue };
        if !words.is_empty() && !words.starts_with(' ') {
            continue;
        }
        match runs.last_mut() {
            Some(run) if last + 1 == number => run.push((number, words)),
            _ => runs.push(vec![(number, words)]),
        }
        last = number;
    }
    runs
}

/// Returns the sentences in paragraphs that are too long.
fn long_sentences(paragraphs: &[Paragraph]) -> impl Iterator<Item = (usize, String)> {
    paragraphs.iter().flat_map(|(number, paragraph)| {
        let long = sentences(paragraph).into_iter().filter(|sentence| words(sentence) > LONGEST);
        long.map(|words| (*number, format!("a sentence of more than {LONGEST} words: {words}")))
    })
}

/// Returns the forbidden words in a text, ignoring code.
fn ruled_out(text: &str) -> impl Iterator<Item = &'static str> {
    // This is the name of a carried column.
    let text = text.replace("\"behind\"", "").split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let spaced = format!(" {} ", words.map(str::to_lowercase).collect::<Vec<_>>().join(" "));
    RULED_OUT.into_iter().filter(move |phrase| spaced.contains(&format!(" {phrase} ")))
}

#[test]
fn a_sentence_ends_before_a_capital_letter() {
    let text = "- One of 1.5 (e.g. this). Another\n  goes on.\n\n| a table |\n```\ncode\n```\nThe last: `x`. `y` is next.";
    let paragraphs = paragraphs((1..).zip(text.lines()));
    let found: Vec<_> = paragraphs.iter().flat_map(|(_, paragraph)| sentences(paragraph)).collect();
    assert_eq!(found, ["- One of 1.5 (e.g. this).", "Another goes on.", "The last: `x`.", "`y` is next."]);
    assert_eq!(words("One; then two (and (an) aside)."), 3);
    assert_eq!(ruled_out("Told, so\nmany untold").collect::<Vec<_>>(), ["told", "so many"]);
}

#[test]
fn comments_messages_and_documents_are_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = ["src", "python/src"].map(|folder| files(&root.join(folder), "rs")).concat();
    let mut documents = files(&root.join("docs"), "md");
    documents
        .extend(["README.md", "DESIGN.md", "PROMISES.md", "python/README.md"].map(|name| root.join(name)));
    let mut wrong = Vec::new();
    let mut examined = 0;
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        let mut report = |number: usize, what: String| {
            wrong.push(format!("{}:{number}: {what}", path.strip_prefix(root).unwrap().display()));
        };
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim_start().starts_with("//") || line.contains('"') {
                ruled_out(line).for_each(|word| report(number, format!("the word {word:?}")));
            }
        }
        for mark in ["//", "///", "//!"] {
            for run in comments(&text, mark) {
                let (number, first) = run[0];
                let first = first.split_whitespace().next().unwrap_or_default();
                if mark != "//" && RIDDLES.contains(&first) {
                    report(number, format!("a doc comment that begins with {first:?}"));
                }
                let paragraphs = paragraphs(run.into_iter());
                examined += paragraphs.len();
                long_sentences(&paragraphs).for_each(|(number, what)| report(number, what));
            }
        }
    }
    for path in documents {
        let text = fs::read_to_string(&path).unwrap();
        let paragraphs = paragraphs((1..).zip(text.lines()));
        examined += paragraphs.len();
        let words = paragraphs.iter().flat_map(|(number, paragraph)| {
            ruled_out(paragraph).map(|word| (*number, format!("the word {word:?}")))
        });
        let name = path.strip_prefix(root).unwrap().display();
        wrong.extend(
            words.chain(long_sentences(&paragraphs)).map(|(number, what)| format!("{name}:{number}: {what}")),
        );
    }
    assert!(examined > 5_000, "{examined} paragraphs");
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}
