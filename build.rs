//! Tells a release build of the program which git revision it is built from, if there is one.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Each commit would build the library and all tests anew.
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    println!("cargo:rerun-if-changed=src");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    // An archive of the project may lie inside somebody else's checkout.
    if !Path::new(&root).join(".git").exists() {
        return;
    }
    if let Some(directory) = git(&["rev-parse", "--absolute-git-dir"]) {
        // The log grows with every commit; HEAD changes with the branch.
        println!("cargo:rerun-if-changed={directory}/HEAD");
        if Path::new(&directory).join("logs/HEAD").exists() {
            println!("cargo:rerun-if-changed={directory}/logs/HEAD");
        }
    }
    if let Some(revision) = git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]) {
        println!("cargo:rustc-env=BATCHDOKU_REVISION={revision}");
    }
}

/// What git prints, or nothing if it fails or is not there.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
