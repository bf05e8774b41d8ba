//! The provenance of a result: program, command, machine, time and input, collected once per run.

pub mod date;

use std::collections::HashMap;
use std::io::{self, BufReader, Read};
use std::time::SystemTime;
use std::{env, fs, ptr, thread};

use serde::Serialize;

use crate::input::SourceInfo;
pub use crate::input::{Hash, Hashing};

/// The provenance of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The version of the program.
    pub version: String,
    /// The Git revision of the build, followed by `-dirty` if there were uncommitted changes; `None` for a build
    /// outside a checkout.
    pub revision: Option<String>,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// The start date and time in RFC 3339 format, in UTC.
    pub started: String,
    /// The computer that the program ran on.
    pub machine: Machine,
}

/// Facts about a computer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// The operating system, such as `linux`.
    pub os: String,
    /// The architecture, such as `x86_64`.
    pub arch: String,
    /// The processor model.
    pub cpu: Option<String>,
    /// The number of logical cores.
    pub logical_cores: Option<usize>,
    /// The processor's vector instruction sets that a solver can use.
    pub features: Vec<String>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputFile {
    /// The name as given; `-` stands for standard input.
    pub name: String,
    /// The number of bytes before decompression.
    pub bytes: Option<u64>,
    /// The SHA-256 in hexadecimal; `None` if the file was not hashed or not read to the end.
    pub sha256: Option<String>,
}

impl InputFile {
    /// Describes an input, as far as it has been read.
    #[must_use]
    pub fn new(info: &SourceInfo, hash: Hash) -> Self {
        Self { name: info.name.clone(), bytes: Some(hash.bytes()), sha256: hash.sha256() }
    }

    /// Returns the name of each file that has the same bytes as an earlier file, along with that earlier file's name.
    #[must_use]
    pub fn copies(files: &[Self]) -> Vec<[&str; 2]> {
        let mut first = HashMap::new();
        let hashed = files.iter().filter_map(|file| Some((file, file.sha256.as_ref()?)));
        let pairs = hashed.map(|(file, hash)| (file, *first.entry(hash).or_insert(file)));
        let copies = pairs.filter(|(file, before)| !ptr::eq(*file, *before));
        copies.map(|(file, before)| [&*file.name, &*before.name]).collect()
    }
}

impl Provenance {
    /// Returns the provenance of a run of this process that started at the given time.
    #[must_use]
    pub fn of_this_process(started: SystemTime) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: revision().map(str::to_owned),
            command: env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            started: date::rfc3339(started),
            machine: Machine::this(),
        }
    }

    /// Returns the program's version and revision, such as `0.1.0 (abcdef123456)`, or only the version.
    #[must_use]
    pub fn version_and_revision(&self) -> String {
        version_and(&self.version, self.revision.as_deref())
    }
}

/// Returns this program's Git revision, in the format of [`Provenance::revision`].
#[must_use]
pub fn revision() -> Option<&'static str> {
    option_env!("BATCHDOKU_REVISION")
}

/// Returns this program's version and revision, in the format of [`Provenance::version_and_revision`].
#[must_use]
pub fn version_and_revision() -> String {
    version_and(env!("CARGO_PKG_VERSION"), revision())
}

fn version_and(version: &str, revision: Option<&str>) -> String {
    revision.map_or_else(|| version.to_owned(), |revision| format!("{version} ({revision})"))
}

impl Machine {
    /// Describes the computer that this process is running on.
    #[must_use]
    pub fn this() -> Self {
        Self {
            os: env::consts::OS.to_owned(),
            arch: env::consts::ARCH.to_owned(),
            cpu: cpu_model(),
            logical_cores: thread::available_parallelism().ok().map(|cores| cores.get()),
            features: features(),
        }
    }
}

/// Reads the processor model, if the system provides it in a file.
fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Returns the processor's vector instruction sets that a solver can use.
fn features() -> Vec<String> {
    #[cfg(target_arch = "x86_64")]
    // The macro accepts only literals.
    macro_rules! present {
        ($($name:tt),*) => { [$((is_x86_feature_detected!($name), $name)),*] };
    }
    #[cfg(target_arch = "x86_64")]
    let found =
        present!["sse4.2", "popcnt", "avx", "avx2", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512vl"];
    #[cfg(target_arch = "aarch64")]
    let found = [(std::arch::is_aarch64_feature_detected!("neon"), "neon")];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let found: [(bool, &str); 0] = [];
    found.into_iter().filter(|(present, _)| *present).map(|(_, name)| name.to_owned()).collect()
}

/// Returns the SHA-256, in hexadecimal, of everything read from `from`. Fails if reading fails.
pub fn sha256(from: impl Read) -> io::Result<String> {
    let hash = Hash::new(true);
    let reader = hash.watch(from);
    io::copy(&mut BufReader::with_capacity(256 << 10, reader), &mut io::sink())?;
    Ok(hash.sha256().expect("it was read to its end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the hash against the examples in FIPS 180-4.
    #[test]
    fn the_hash_is_that_of_the_standard() {
        assert_eq!(
            sha256(&b"abc"[..]).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        let million = vec![b'a'; 1_000_000];
        assert_eq!(
            sha256(&million[..]).unwrap(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }

    #[test]
    fn a_version_without_a_revision_stands_alone() {
        assert_eq!(version_and("1.2.3", Some("abcdef123456")), "1.2.3 (abcdef123456)");
        assert_eq!(version_and("1.2.3", None), "1.2.3");
    }
}
