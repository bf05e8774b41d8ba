//! A directory to work in, and the program that runs there.
#![allow(dead_code, reason = "not every test file needs all of it")]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
#[cfg(unix)]
use std::sync::{Arc, Once, atomic::AtomicBool};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
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

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A file of those lines.
    pub fn file(&self, name: &str, lines: &[&str]) {
        self.write(name, lines.join("\n") + "\n");
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The program with the words of a line.
    pub fn run(&self, line: &str) -> Command {
        self.command(line.split(' '))
    }

    /// The program with those arguments; it is killed after a minute.
    pub fn command(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = cargo_bin_cmd!("batchdoku");
        command.current_dir(&self.directory).args(words).timeout(Duration::from_secs(60));
        command
    }
}

pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Waits until it is so; half a minute at most.
#[track_caller]
pub fn wait_for(mut what: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !what() {
        assert!(Instant::now() < deadline, "it does not come");
        sleep(Duration::from_millis(2));
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
