//! Runs a program on a pseudo-terminal, so its output is what a person would see.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// The longest time that a program can go without writing anything.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

/// Opens a terminal, and returns the user's end and the name of the programs' end.
fn pair() -> (File, String) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    fcntl_setfd(&ours, FdFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    (ours.into(), name)
}

/// Opens the programs' end with these additional `flags`.
fn open(name: &str, flags: OFlags) -> File {
    let flags = i32::try_from((flags | OFlags::NOCTTY).bits()).unwrap();
    File::options().read(true).write(true).custom_flags(flags).open(name).unwrap()
}

/// Returns both ends of a terminal that is not being read and is so full that not one more byte can be written.
pub fn full() -> (File, File) {
    let (ours, name) = pair();
    let theirs = open(&name, OFlags::empty());
    let mut filling = open(&name, OFlags::NONBLOCK);
    // The system moves some bytes on to the other end, which makes room for more.
    for _ in 0..10 {
        while filling.write(b"x").is_ok() {}
        sleep(Duration::from_millis(5));
    }
    (ours, theirs)
}

/// A running program and what it has written so far; the program is killed on drop if it is still running.
pub struct Terminal {
    program: Child,
    written: File,
    seen: Vec<u8>,
}

impl Terminal {
    /// Starts a program with a terminal as its standard streams.
    pub fn start(mut command: Command) -> Self {
        let (written, name) = pair();
        let theirs = open(&name, OFlags::empty());
        let [input, output] = [(); 2].map(|()| theirs.try_clone().unwrap());
        let program = command.stdin(input).stdout(output).stderr(theirs).spawn().unwrap();
        // Apart from the program itself, only `command` still holds copies of the programs' end; they are dropped here.
        Self { program, written, seen: Vec::new() }
    }

    /// Returns the process ID.
    pub fn id(&self) -> u32 {
        self.program.id()
    }

    /// Waits until the program has written this text.
    pub fn read_until(&mut self, text: &str) {
        while !self.text().contains(text) {
            assert!(self.read(), "it ended without '{text}': {}", self.text());
        }
    }

    /// Waits for the program to end, and returns everything it wrote and how it ended.
    pub fn end(mut self) -> (String, ExitStatus) {
        while self.read() {}
        (self.text(), self.program.wait().unwrap())
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Reads what the program writes next; returns whether it wrote anything before closing the terminal.
    fn read(&mut self) -> bool {
        let ready = poll(&mut [PollFd::new(&self.written, PollFlags::IN)], Some(&PATIENCE)).unwrap();
        assert!(ready > 0, "it has written nothing for a minute: {}", self.text());
        let mut bytes = [0; 4096];
        // On Linux, reading from a terminal that no process has open any more is an error.
        let length = self.written.read(&mut bytes).unwrap_or(0);
        self.seen.extend_from_slice(&bytes[..length]);
        length > 0
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}
