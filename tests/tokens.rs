//! Checks that the compiler refuses to make a vector of the lane engine without the token that only detection can
//! provide.
//!
//! The engine's files are compiled unchanged, together with a line of code in a separate module, where the rest of the
//! engine lives too. The line must fail for the stated reason; if it has a token, it must compile.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// The vectors that need particular processors: architecture, file and type.
const VECTORS: [(&str, &str, &str); 3] =
    [("x86_64", "avx512.rs", "Avx512"), ("x86_64", "avx2.rs", "Avx2"), ("aarch64", "neon.rs", "Neon")];

/// All ways of getting a vector, given a token.
const ALLOWED: &str = "
    V::splat(token, 7);
    V::from_words(token, &[7; 16]);
    V::ranks(token, 5);
    V::members(token, 5);
    V::splat_bytes(token, &[7; 16]);
    V::load_columns(token, &[&[7; 81]; 16], 0);
    V::splat(V::splat(token, 7).token(), 7);
    if let Some(token) = V::detect() { V::splat(token, 7); }";

/// Ways of getting a vector without a token, and the compiler's error codes.
const REFUSED: [(&str, &str); 12] = [
    // The token is missing.
    ("V::splat(7);", "E0061"),
    ("V::from_words(&[7; 16]);", "E0061"),
    ("V::ranks(5);", "E0061"),
    ("V::members(5);", "E0061"),
    ("V::splat_bytes(&[7; 16]);", "E0061"),
    ("V::load_columns(&[&[7; 81]; 16], 0);", "E0061"),
    // Something else is passed in its place.
    ("V::splat((), 7);", "E0308"),
    ("V::splat(Default::default(), 7);", "E0277"),
    // The token's field is private, and so is the vector's.
    ("V::splat(file::Token(()), 7);", "E0603"),
    ("file::VECTOR(unsafe { std::mem::zeroed() });", "E0603"),
    // The result of detection is an option, not a token.
    ("V::splat(V::detect(), 7);", "E0308"),
    ("V::default();", "E0599"),
];

/// Returns the compiler that built these tests.
fn compiler() -> Command {
    Command::new(option_env!("RUSTC").unwrap_or("rustc"))
}

/// Returns the error codes for a function that contains these lines and is given a token.
fn errors(file: &str, vector: &str, lines: &str) -> Vec<String> {
    let lanes = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/solver/lanes");
    let module = |name: &str, path: &str| format!("#[path = {:?}]\nmod {name};\n", lanes.join(path));
    let source = [
        "#![allow(dead_code, unused)]\n".to_owned(),
        module("token", "token.rs"),
        module("vector", "vector.rs"),
        module("codec", "codec.rs"),
        module("pass", "pass.rs"),
        module("shuffles", "shuffles.rs"),
        "mod sudoku { pub const CELLS: usize = 81; }\n".to_owned(),
        module("file", file),
        format!("use file::{vector} as V;\nuse shuffles::Shuffles;\nuse vector::Lanes;\n"),
        format!("fn lines(token: <V as Lanes>::Token) {{ {} }}\n", lines.replace("VECTOR", vector)),
    ]
    .concat();
    let place = TempDir::new().unwrap();
    let path = place.path().join("lines.rs");
    fs::write(&path, source).unwrap();
    let output = compiler()
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"])
        .args([place.path(), &path])
        .output()
        .expect("the compiler that built this test can be run");
    let messages = String::from_utf8_lossy(&output.stderr);
    let codes: Vec<String> = messages
        .lines()
        .filter_map(|message| message.strip_prefix("error[")?.split_once(']'))
        .map(|(code, _)| code.to_owned())
        .collect();
    assert_eq!(output.status.success(), codes.is_empty(), "{lines}\n{messages}");
    codes
}

#[test]
fn no_vector_is_made_without_a_token() {
    let settings = compiler().args(["--print", "cfg"]).output().unwrap().stdout;
    let settings = String::from_utf8(settings).unwrap();
    let here = |architecture: &str| settings.contains(&format!("target_arch=\"{architecture}\""));
    for (_, file, vector) in VECTORS.into_iter().filter(|(architecture, ..)| here(architecture)) {
        assert_eq!(errors(file, vector, ALLOWED), [""; 0], "{vector}");
        for (line, code) in REFUSED {
            assert_eq!(errors(file, vector, line), [code], "{vector}: {line}");
        }
        println!("{vector}: the compiler refuses {} lines", REFUSED.len());
    }
}
