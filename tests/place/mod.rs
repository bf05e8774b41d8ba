//! A directory to work in; what runs there, each test file adds.

use std::fs;
use std::path::PathBuf;

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
}
