//! Embeds the git revision, if there is one, in release builds of the program.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // In other builds, each commit would cause the library and all tests to be rebuilt.
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    println!("cargo:rerun-if-changed=src");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    // An unpacked archive of the project could lie inside some other project's checkout.
    if !Path::new(&root).join(".git").exists() {
        return;
    }
    if let Some(directory) = git(&["rev-parse", "--absolute-git-dir"]) {
        // The log grows with every commit; HEAD changes when another branch is checked out.
        println!("cargo:rerun-if-changed={directory}/HEAD");
        if Path::new(&directory).join("logs/HEAD").exists() {
            println!("cargo:rerun-if-changed={directory}/logs/HEAD");
        }
    }
    if let Some(revision) = git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]) {
        println!("cargo:rustc-env=BATCHDOKU_REVISION={revision}");
    }
}

/// Returns the output of git, or `None` if git fails, prints nothing or is not installed.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
