//! A directory to work in, and the program that runs there.
#![allow(dead_code, reason = "not every test file needs all of it")]

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;

/// A directory that is gone with the test.
pub struct Place {
    pub directory: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with those arguments; it is killed after a minute.
    pub fn command(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = cargo_bin_cmd!("batchdoku");
        command.current_dir(&self.directory).args(words).timeout(Duration::from_secs(60));
        command
    }
}
