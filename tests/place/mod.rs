//! A directory to work in, and the program that runs there.
#![allow(dead_code, reason = "not every test file needs all of it")]

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
#[cfg(unix)]
use std::sync::{Arc, Once, atomic::AtomicBool};
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
        #[cfg(unix)]
        hear_signals();
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

/// Sees to it that what is started here hears signals, even if a shell started the tests in the background or `nohup`
/// did: they ignore SIGINT or SIGHUP then, and what is ignored stays so in a child. What is caught becomes the default
/// again when a program is started, so each is caught, and ends the tests as it does by default.
#[cfg(unix)]
fn hear_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGHUP, SIGTERM] {
            let always = Arc::new(AtomicBool::new(true));
            signal_hook::flag::register_conditional_default(signal, always).unwrap();
        }
    });
}
