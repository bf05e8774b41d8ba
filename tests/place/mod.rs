//! A directory to work in, and the program running there.
#![allow(dead_code, reason = "not every test file needs all of it")]

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ExitStatus, Output, Stdio};
#[cfg(unix)]
use std::sync::{Arc, Once, atomic::AtomicBool};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use assert_cmd::cargo::{cargo_bin, cargo_bin_cmd};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use tempfile::TempDir;

/// The longest time that a test waits for anything; on an idle machine, everything is much faster.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A directory that is removed when the test ends.
pub struct Place {
    pub directory: TempDir,
}

impl Place {
    pub fn new() -> Self {
        #[cfg(unix)]
        hear_signals();
        Self { directory: TempDir::new().unwrap() }
    }

    /// Returns a place with one file.
    pub fn with(name: &str, text: impl AsRef<[u8]>) -> Self {
        let place = Self::new();
        place.write(name, text);
        place
    }

    /// Returns a place with a file that contains these lines.
    pub fn with_lines(name: &str, lines: &[&str]) -> Self {
        Self::with(name, lines.join("\n") + "\n")
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

    /// Writes a file that contains these lines.
    pub fn file(&self, name: &str, lines: &[&str]) {
        self.write(name, lines.join("\n") + "\n");
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Returns the names of all files here, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.directory).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns the program with the words in a line as its arguments.
    pub fn run(&self, line: &str) -> Command {
        self.command(line.split_whitespace())
    }

    /// Returns the program with these arguments; it is killed if it takes too long.
    pub fn command(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = cargo_bin_cmd!("batchdoku");
        command.current_dir(&self.directory).args(words).timeout(PATIENCE);
        command
    }

    /// Runs a line and waits for it to end.
    pub fn ran(&self, line: &str) -> Ended {
        ended(self.run(line).output().unwrap())
    }

    /// Runs a line and returns its exit code and output, ignoring messages.
    pub fn quiet(&self, line: &str) -> (i32, String) {
        let (code, printed, _) = self.ran(&format!("{line} -q"));
        (code, printed)
    }

    /// Returns the output of a line that must succeed without any messages.
    #[track_caller]
    pub fn printed(&self, line: &str) -> String {
        let (code, printed, said) = self.ran(&format!("{line} -q"));
        assert_eq!((code, &*said), (0, ""), "{line}");
        printed
    }

    /// Runs a line that must fail with exit code 2 and this message, with nothing on standard output.
    #[track_caller]
    pub fn refuses(&self, line: &str, why: &str) {
        let (code, printed, said) = self.ran(line);
        let is_refused = code == 2 && printed.is_empty() && said.contains(why);
        assert!(is_refused, "{line}: {code}, expected {why:?}\n{printed}{said}");
    }

    /// Returns the program with the words of a line as arguments, to be started or redirected.
    pub fn program(&self, line: &str) -> process::Command {
        let mut program = process::Command::new(cargo_bin!("batchdoku"));
        program.args(line.split_whitespace()).current_dir(&self.directory);
        program
    }

    /// Returns a shell that runs a line in which `batchdoku` means the program.
    pub fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        let program = cargo_bin!("batchdoku").display().to_string();
        command.args(["-c", &format!("batchdoku() {{ exec '{program}' \"$@\"; }}; {line}")]);
        command.current_dir(&self.directory).timeout(PATIENCE);
        command
    }

    /// Starts a line with pipes for all three streams.
    pub fn start(&self, line: &str) -> Child {
        piped(&mut self.program(line))
    }

    /// Waits until a file has at least this many bytes.
    #[track_caller]
    pub fn wait_for_bytes(&self, name: &str, bytes: u64) {
        wait_for(|| fs::metadata(self.path(name)).is_ok_and(|found| found.len() >= bytes));
    }

    /// Starts a line that writes to `output`, and kills it once this many bytes have been written. If the run ends
    /// before it can be killed, it is started again.
    pub fn cut_off(&self, line: &str, output: &str, bytes: u64) {
        let partial = self.path(&format!("{output}.partial"));
        for _ in 0..50 {
            let mut child = self.program(line).stderr(Stdio::null()).spawn().unwrap();
            let is_long = || fs::metadata(&partial).is_ok_and(|found| found.len() >= bytes);
            wait_for(|| is_long() || child.try_wait().unwrap().is_some());
            child.kill().unwrap();
            if child.wait().unwrap().code().is_none() {
                return;
            }
            fs::remove_file(self.path(output)).unwrap();
        }
        panic!("{line} ends before it is killed");
    }
}

/// How a run ended: its exit code, its output and its messages.
pub type Ended = (i32, String, String);

pub fn ended(output: Output) -> Ended {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("it is not killed"), text(output.stdout), text(output.stderr))
}

/// Returns the given columns of a CSV table, row by row.
pub fn columns<const N: usize>(table: &str, names: &[&str; N]) -> Vec<[String; N]> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let at = names.map(|name| header.iter().position(|own| own == name).unwrap());
    reader.records().map(|row| row.unwrap()).map(|row| at.map(|at| row[at].to_owned())).collect()
}

/// Sends a child the rest of its input, and returns how it ended.
pub fn fed(mut child: Child, text: &str) -> Ended {
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    ended(child.wait_with_output().unwrap())
}

/// Starts a program with pipes for all three streams.
pub fn piped(program: &mut process::Command) -> Child {
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends a signal, given as in `-INT`.
pub fn send(child: &Child, signal: &str) {
    let sent = process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Returns how the child ended; it is killed if it takes too long.
#[track_caller]
pub fn end(child: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    panic!("it does not end");
}

/// Returns the messages of a child.
pub fn errors(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[cfg(unix)]
pub fn mkfifo(path: &Path) {
    assert!(process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Returns the path of a file in `data/`.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// Returns the first lines of a file in `data/`.
pub fn list(name: &str, most: usize) -> Vec<String> {
    let text = fs::read_to_string(data(name)).unwrap();
    text.lines().take(most).map(str::to_owned).collect()
}

pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Waits until a condition holds.
#[track_caller]
pub fn wait_for(mut what: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !what() {
        assert!(Instant::now() < deadline, "it does not come");
        sleep(Duration::from_millis(2));
    }
}

/// Makes sure that programs started here receive signals, even if the tests were started by a shell in the background
/// or with `nohup`. In that case SIGINT or SIGHUP is ignored, and child processes inherit this. A caught signal, by
/// contrast, is reset to its default when a program is started. So each signal is caught here by a handler that ends
/// the tests, as the signal does by default.
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
