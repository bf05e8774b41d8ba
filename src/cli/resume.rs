//! Resuming a run that was cut off: `--resume`.
//!
//! Beside `FILE.partial` lies `FILE.partial.checkpoint`: how many records were answered, how many bytes of the output
//! belong to them, and what these depend on. A resumed run reads its inputs from the start, whatever their format, and
//! passes over that many records; what it reads must be what the earlier run read. The checkpoint is replaced as a
//! whole, once a second, between two batches. Every thirty seconds the output is first synced to the disk, and then a
//! second checkpoint, `FILE.partial.checkpoint.synced`, is written, which stays true after a loss of power. The first
//! counts if the system has not been restarted since, else the second. Each is sealed by its hash, so that a changed
//! one is refused.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::figures::grouped;
use super::message::Context;
use crate::input::shown_name;
use crate::output::file::OutputFile;
use crate::output::names::partial_of;
use crate::output::partial::{CHECKPOINT_BEGINNING, checkpoint_names, remove_checkpoints, sync_directory};
use crate::output::{FileEnd, Form, Output};
use crate::pipeline::{Boundary, Defects, EarlierRun, RowSink, Tally};
use crate::provenance;

/// Time between two checkpoints.
const INTERVAL: Duration = Duration::from_secs(1);

/// Bytes at the start of an input that must be the same.
const START_BYTES: u64 = 64 << 10;

/// Flags that rows depend on, and their values.
pub type Settings = BTreeMap<String, String>;

/// The content of a checkpoint file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Checkpoint {
    settings: Settings,
    inputs: Vec<InputIdentity>,
    /// The boot of the system in which it was written, if known.
    boot: Option<String>,
    resume_point: ResumePoint,
    /// SHA-256 of this checkpoint with an empty seal.
    seal: String,
}

/// Most bytes of a checkpoint: enough for a million inputs.
const MOST_BYTES: u64 = 256 << 20;

impl Checkpoint {
    /// The bytes of the file, sealed.
    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let unsealed = Self { seal: String::new(), ..self.clone() };
        let seal = provenance::sha256(&*serde_json::to_vec(&unsealed)?)?;
        Ok(serde_json::to_vec(&Self { seal, ..unsealed })?)
    }

    /// Reads a checkpoint; `Ok(None)` if there is none. Fails if it was changed, or written by another version.
    fn read(path: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes).map(Some)
    }

    /// Parses a checkpoint and checks its seal.
    fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let found: Self = serde_json::from_slice(bytes)?;
        if found.to_bytes()? != bytes {
            return Err(io::Error::other("the seal is broken"));
        }
        Ok(found)
    }
}

/// What identifies an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputIdentity {
    name: String,
    bytes: u64,
    /// Time of its last change, in nanoseconds since 1970.
    modified: Option<u128>,
    /// SHA-256 of its first bytes.
    start: String,
}

/// How far a run has come, between two batches: all that is needed to resume it from there. The default is its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumePoint {
    /// What the run that continues from here must know of the one before.
    pub before: EarlierRun,
    /// Rows written for its records.
    written: u64,
    /// Its records by status.
    statuses: BTreeMap<String, u64>,
    /// Bytes of the output up to here, header included.
    bytes: u64,
    /// The last of these bytes: if they differ, another run has written the file since.
    tail: Vec<u8>,
}

impl ResumePoint {
    fn new(boundary: &Boundary, tally: &Tally, defects: &Defects, rows: &OutputFile) -> Self {
        let (records, read) = (boundary.first_id - 1, boundary.read);
        Self {
            before: EarlierRun { records, read, defects: defects.clone() },
            written: tally.written,
            statuses: tally.statuses().map(|(word, count)| (word.name.to_owned(), count)).collect(),
            bytes: rows.written(),
            tail: rows.tail(),
        }
    }

    /// Whether the partial file contains what was written before this point.
    fn is_in(&self, partial: &Path) -> io::Result<bool> {
        let mut file = File::open(partial)?;
        file.seek(SeekFrom::Start(self.bytes.saturating_sub(self.tail.len() as u64)))?;
        let mut found = vec![0; self.tail.len()];
        file.read_exact(&mut found)?;
        Ok(found == self.tail)
    }

    /// Adds the records before this point to the figures of the resumed run.
    pub fn add_to(&self, tally: &mut Tally) {
        tally.add_earlier(self.before.records, self.written, &self.statuses);
    }
}

/// The paths of the checkpoints of a partial file.
struct CheckpointPaths {
    partial: PathBuf,
    latest: PathBuf,
    /// The last checkpoint before which the output was synced.
    synced: PathBuf,
    /// A new checkpoint, about to replace one of them.
    new: PathBuf,
}

impl CheckpointPaths {
    /// The paths beside a partial file. Fails if something else has one of these names.
    fn beside(partial: &Path) -> Result<Self> {
        let paths = checkpoint_names(partial);
        for name in &paths {
            let Ok(found) = fs::symlink_metadata(name) else { continue };
            let mut start = Vec::new();
            // Only regular files are opened.
            if found.is_file() {
                let read = File::open(name)
                    .and_then(|file| file.take(CHECKPOINT_BEGINNING.len() as u64).read_to_end(&mut start));
                read.with_context(|| format!("{}: cannot be read", shown_name(name)))?;
            }
            // A full disk may have cut one off.
            if !found.is_file() || !CHECKPOINT_BEGINNING.starts_with(&start) {
                bail!("{}: is in the way of the checkpoint of {}", shown_name(name), shown_name(partial));
            }
        }
        let [latest, synced, new] = paths;
        Ok(Self { partial: partial.to_owned(), latest, synced, new })
    }

    /// The checkpoint that counts, given the current boot. Fails with the reason if there is none, or it cannot be read.
    fn newest(&self, boot: Option<&str>) -> Result<Checkpoint, &'static str> {
        match (Checkpoint::read(&self.latest), Checkpoint::read(&self.synced)) {
            (Ok(Some(latest)), _) if latest.boot.is_some() && latest.boot.as_deref() == boot => Ok(latest),
            // The system was restarted since, or the latest one was cut off.
            (_, Ok(Some(synced))) => Ok(synced),
            (Ok(Some(latest)), Ok(None)) => Ok(Checkpoint { resume_point: ResumePoint::default(), ..latest }),
            (Ok(None), Ok(None)) => Err("there is no checkpoint beside it"),
            (Err(_), _) | (_, Err(_)) => Err("its checkpoint was changed, or is from another version"),
        }
    }
}

/// The value that a flag had in the earlier run of an output, if there is one to resume.
pub fn earlier_value(output: &Path, flag: &str) -> Option<String> {
    let paths = CheckpointPaths::beside(&partial_of(output)?).ok()?;
    paths.newest(boot().as_deref()).ok()?.settings.remove(flag)
}

/// The error with the name of its file.
fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", shown_name(path)))
}

/// The words that were typed, with a flag after the subcommand, as a command for a shell; `None` if a shell would read
/// them otherwise.
pub fn command_with(flag: Option<&str>) -> Option<String> {
    let mut words = env::args_os().map(OsString::into_string).collect::<Result<Vec<_>, _>>().ok()?;
    words.splice(2..2, flag.map(str::to_owned));
    let command = shlex::try_join(words.iter().map(String::as_str)).ok()?;
    (!command.contains(char::is_control)).then_some(command)
}

/// The current boot of the system.
fn boot() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

impl InputIdentity {
    /// The identity of an input. Fails if it is no regular file, which could be read a second time.
    pub fn of(path: &Path) -> Result<Self> {
        if path == Path::new("-") || !fs::metadata(path)?.is_file() {
            bail!("{}: cannot be read a second time: --resume needs regular files", shown_name(path));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Self {
            name: shown_name(path),
            bytes: metadata.len(),
            modified: modified.map(|time| time.as_nanos()),
            start: provenance::sha256(file.take(START_BYTES))?,
        })
    }

    /// Whether the file at that path is another by now, or has changed.
    pub fn has_changed(&self, path: &Path) -> bool {
        Self::of(path).map_or(true, |now| now.change_since(self).is_some())
    }

    /// What has changed since an earlier run, if anything.
    fn change_since(&self, earlier: &Self) -> Option<String> {
        let name = &self.name;
        if earlier.name != *name {
            Some(format!("its input was {}, not {name}", earlier.name))
        } else if earlier.bytes != self.bytes {
            Some(format!("{name} had {} bytes and now has {}", grouped(earlier.bytes), grouped(self.bytes)))
        } else if earlier.start != self.start {
            Some(format!("{name} began differently"))
        } else if earlier.modified != self.modified {
            Some(format!("{name} has changed since"))
        } else {
            None
        }
    }
}

/// The checkpoints of a run: where it begins, and how far it has come.
pub struct Checkpoints {
    /// Where the checkpoints of this run or an earlier one are; `None` without a partial file.
    paths: Option<CheckpointPaths>,
    /// `None` if the run cannot be resumed.
    writer: Option<CheckpointWriter>,
    /// Where this run begins.
    pub from: ResumePoint,
}

/// Writes the checkpoints of a run.
struct CheckpointWriter {
    /// The checkpoint of the last boundary that was saved.
    checkpoint: Checkpoint,
    interval: Duration,
    /// The last boundary, with what was written before it.
    last: Option<ResumePoint>,
    saved: Instant,
    /// Why the last checkpoint could not be written.
    trouble: Option<String>,
}

impl Checkpoints {
    /// Makes a run resumable if its inputs and its output are regular files, and the output is uncompressed text. With
    /// `wanted` the run continues an earlier one; `interval` is the time between two checkpoints, if not the default.
    /// Fails if the run should continue and cannot, because the inputs, the output or the settings do not allow it or
    /// have changed.
    pub fn new(
        wanted: bool,
        inputs: &[PathBuf],
        settings: Settings,
        interval: Option<Duration>,
        form: Form,
        output: &mut OutputFile,
    ) -> Result<Self> {
        let mut checkpoints = Self::of_earlier_run(output)?;
        let inputs = match resumable_inputs(inputs, form, output) {
            Ok(inputs) => inputs,
            Err(why) if wanted => return Err(why),
            Err(_) => return Ok(checkpoints),
        };
        let Some(paths) = &checkpoints.paths else { return Ok(checkpoints) };
        let resume_point = ResumePoint::default();
        let mut checkpoint = Checkpoint { settings, inputs, boot: boot(), resume_point, seal: String::new() };
        if wanted {
            checkpoint.resume_point = resume_point_of_earlier_run(paths, &checkpoint, output)?;
        }
        checkpoints.from = checkpoint.resume_point.clone();
        let interval = interval.unwrap_or(INTERVAL);
        checkpoints.writer =
            Some(CheckpointWriter { checkpoint, interval, last: None, saved: Instant::now(), trouble: None });
        Ok(checkpoints)
    }

    /// The checkpoints of a run that cannot be resumed: those of an earlier run stay until its rows are replaced. Fails
    /// if something else has the name of one.
    pub fn of_earlier_run(output: &OutputFile) -> Result<Self> {
        let paths = output.partial().map(|partial| CheckpointPaths::beside(&partial)).transpose()?;
        Ok(Self { paths, writer: None, from: ResumePoint::default() })
    }

    /// Whether this run writes checkpoints.
    pub const fn are_written(&self) -> bool {
        self.writer.is_some()
    }

    /// The sink for the rows of a run, which keeps the checkpoint up to date.
    pub fn sink<'a>(&'a mut self, rows: &'a mut OutputFile) -> ResumableRows<'a> {
        let is_begun = self.from.before.records > 0;
        ResumableRows { rows, paths: self.paths.as_ref(), writer: self.writer.as_mut(), is_begun }
    }

    /// Saves the last boundary of a run that ended early, so that little has to be done again.
    pub fn keep(&mut self, rows: &OutputFile) {
        if let (Some(paths), Some(writer)) = (&self.paths, &mut self.writer)
            && rows.earlier().is_none()
            && let Some(last) = writer.last.take()
        {
            // If this cannot be written, the checkpoint of a second ago will do.
            writer.save(last, paths, false);
        }
    }

    /// Whether there is a checkpoint to continue from, with rows of this run or of the one that it resumed.
    pub fn can_continue(&self, rows: &OutputFile) -> bool {
        let has_records = |writer: &CheckpointWriter| writer.checkpoint.resume_point.before.records > 0;
        self.writer.as_ref().is_some_and(has_records) && rows.earlier().is_none() && self.trouble().is_none()
    }

    /// Why there is no checkpoint to resume from.
    pub fn trouble(&self) -> Option<&str> {
        let trouble = self.writer.as_ref()?.trouble.as_deref()?;
        let latest = &self.paths.as_ref()?.latest;
        (!matches!(Checkpoint::read(latest), Ok(Some(_)))).then_some(trouble)
    }

    /// Removes the checkpoints of a run whose output has its final name.
    pub fn end(self) {
        if let Some(paths) = self.paths {
            // What remains lies beside no partial file, and the next run replaces it.
            let _ = remove_checkpoints(&paths.partial);
        }
    }
}

/// The inputs of a run that can be resumed. Fails if it cannot.
fn resumable_inputs(inputs: &[PathBuf], form: Form, output: &OutputFile) -> Result<Vec<InputIdentity>> {
    let name = shown_name(output.name());
    if output.partial().is_none() {
        bail!("{name}: cannot be resumed: --resume needs --output FILE, a regular file");
    }
    if form != Form::Text {
        bail!("{name}: cannot be resumed: only uncompressed text can be continued");
    }
    inputs.iter().map(|input| InputIdentity::of(input)).collect()
}

/// Where to resume an earlier run; truncates the output to that point.
fn resume_point_of_earlier_run(
    paths: &CheckpointPaths,
    now: &Checkpoint,
    output: &mut OutputFile,
) -> Result<ResumePoint> {
    let name = shown_name(output.name());
    let Some((partial, bytes)) = output.earlier() else {
        if fs::exists(output.name()).unwrap_or(false) {
            bail!(
                "{name}: is complete: there is nothing to resume\n  hint: without --resume it is written again"
            );
        }
        return Ok(ResumePoint::default());
    };
    let refused = |what: String| {
        anyhow!(
            "{}: cannot be resumed: {what}\n  hint: without --resume the run starts over",
            shown_name(&partial)
        )
    };
    let found = paths.newest(now.boot.as_deref()).map_err(|why| refused(why.to_owned()))?;
    let flags: BTreeSet<_> = now.settings.keys().chain(found.settings.keys()).map(String::as_str).collect();
    for flag in ["version", "command"].into_iter().chain(flags) {
        let [before, now] = [&found, now].map(|checkpoint| checkpoint.settings.get(flag));
        if before != now {
            let [before, now] = [before, now].map(|value| value.map_or("not given", String::as_str));
            return Err(refused(format!("{flag} was {before} and is now {now}")));
        }
    }
    let [before, after] = [&found, now].map(|checkpoint| &checkpoint.inputs);
    if before.len() != after.len() {
        let [before_names, names] = [before, after].map(|inputs| inputs.iter().map(|input| &input.name));
        let before_names: HashSet<_> = before_names.collect();
        let new = names
            .clone()
            .find(|name| !before_names.contains(name))
            .map(|name| format!(" ({name} is new)"))
            .unwrap_or_default();
        return Err(refused(format!("it had {} inputs, not {}{new}", before.len(), after.len())));
    }
    let mut pairs = after.iter().zip(before);
    if let Some(change) = pairs.find_map(|(after, before)| after.change_since(before)) {
        return Err(refused(change));
    }
    let point = found.resume_point;
    if point.before.records == 0 {
        return Ok(ResumePoint::default());
    }
    if point.bytes > bytes {
        return Err(refused(format!(
            "it has {} bytes and should have {}",
            grouped(bytes),
            grouped(point.bytes)
        )));
    }
    if !point.is_in(&partial).with_context(|| format!("{name}: cannot be read"))? {
        return Err(refused("it was changed, or written by another run, since its checkpoint".to_owned()));
    }
    output.continue_at(point.bytes, &point.tail).with_context(|| format!("{name}: cannot be truncated"))?;
    Ok(point)
}

impl CheckpointWriter {
    /// Notes a boundary, and saves it if the last checkpoint is old.
    fn note(&mut self, point: ResumePoint, paths: &CheckpointPaths, rows: &mut OutputFile) -> io::Result<()> {
        if rows.earlier().is_some() {
            // The file and its checkpoint are still those of an earlier run.
            return Ok(());
        }
        if self.last.is_none() || self.saved.elapsed() >= self.interval {
            let is_synced = rows.sync_if_due()?;
            self.save(point.clone(), paths, is_synced);
            self.saved = Instant::now();
        }
        self.last = Some(point);
        Ok(())
    }

    /// Saves a checkpoint. If that fails, the run continues without one.
    fn save(&mut self, point: ResumePoint, paths: &CheckpointPaths, is_synced: bool) {
        self.checkpoint.resume_point = point;
        let mut saved = self.replace(&paths.latest, paths, false);
        if is_synced {
            saved = saved.and_then(|()| self.replace(&paths.synced, paths, true));
        }
        self.trouble = saved.err().map(|error| error.to_string());
    }

    /// Replaces an earlier checkpoint.
    fn replace(&self, path: &Path, paths: &CheckpointPaths, sync: bool) -> io::Result<()> {
        let replaced = || {
            let _ = fs::remove_file(&paths.new);
            let mut file = File::create_new(&paths.new)?;
            // It contains some of the rows.
            let _ = file.set_permissions(fs::metadata(&paths.partial)?.permissions());
            file.write_all(&self.checkpoint.to_bytes()?)?;
            if sync {
                file.sync_all()?;
            }
            fs::rename(&paths.new, path)?;
            if sync {
                sync_directory(path);
            }
            Ok(())
        };
        replaced().map_err(|error| {
            // On a full disk it may be empty or cut off.
            let _ = fs::remove_file(&paths.new);
            named(path, error)
        })
    }
}

/// Writes the rows of a run to a file, and its checkpoints if there are any.
pub struct ResumableRows<'a> {
    rows: &'a mut OutputFile,
    paths: Option<&'a CheckpointPaths>,
    writer: Option<&'a mut CheckpointWriter>,
    /// Whether the checkpoints are those of this run.
    is_begun: bool,
}

impl<C> RowSink<(Tally, C)> for ResumableRows<'_> {
    fn boundary(
        &mut self,
        boundary: &Boundary,
        (tally, _): &(Tally, C),
        defects: &Defects,
    ) -> io::Result<()> {
        match (&mut self.writer, self.paths) {
            (Some(writer), Some(paths)) => {
                writer.note(ResumePoint::new(boundary, tally, defects, self.rows), paths, self.rows)
            }
            _ => Ok(()),
        }
    }
}

impl Output for ResumableRows<'_> {
    fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.rows.overwrite_start(bytes)
    }

    fn set_file_end(&mut self, ending: Option<FileEnd>) {
        self.rows.set_file_end(ending);
    }

    fn beside(&mut self, n: usize) -> Option<&mut dyn Output> {
        self.rows.beside(n)
    }
}

impl Write for ResumableRows<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.write_all(buffer).map(|()| buffer.len())
    }

    fn write_all(&mut self, buffer: &[u8]) -> io::Result<()> {
        // Before anything of this run replaces what an earlier one left; the header alone does not.
        if !self.is_begun && !buffer.is_empty() && !self.rows.would_hold_back(buffer) {
            self.is_begun = true;
            if let Some(paths) = self.paths {
                remove_checkpoints(&paths.partial)?;
                if let Some(writer) = &mut self.writer {
                    // Until the first batch is written, the run can only be resumed from its start.
                    writer.save(ResumePoint::default(), paths, false);
                }
            }
        }
        self.rows.write_all(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.rows.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let input = |name: &str, modified| InputIdentity {
            name: name.to_owned(),
            bytes: 8_200,
            modified,
            start: "0".repeat(64),
        };
        Checkpoint {
            settings: [("--limit", "2"), ("version", "0")]
                .map(|(name, value)| (name.into(), value.into()))
                .into(),
            inputs: vec![input("a \"b\"", Some(1_795_305_600_123_456_789)), input("-1.csv", None)],
            boot: Some("a".to_owned()),
            resume_point: ResumePoint {
                before: EarlierRun { records: 90, ..EarlierRun::default() },
                written: 10,
                statuses: [("unique".to_owned(), 89), ("invalid".to_owned(), 1)].into(),
                bytes: 1_640,
                tail: b",x\n\0\xff".to_vec(),
            },
            seal: String::new(),
        }
    }

    /// PROMISE: changed-input
    #[test]
    fn a_file_that_was_written_or_replaced_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "1\n").unwrap();
        let before = InputIdentity::of(&path("a")).unwrap();
        assert!(!before.has_changed(&path("a")));
        fs::write(path("b"), "2\n").unwrap();
        fs::rename(path("b"), path("a")).unwrap();
        assert!(before.has_changed(&path("a")));
        fs::remove_file(path("a")).unwrap();
        assert!(before.has_changed(&path("a")));
    }

    /// Every change of a byte, every byte left out or doubled, and every cut is refused without a panic.
    /// PROMISE: checkpoint-sealed
    #[test]
    fn a_checkpoint_is_believed_as_it_was_written_alone() {
        let written = checkpoint().to_bytes().unwrap();
        let read = Checkpoint::from_bytes(&written).unwrap();
        assert_eq!(Checkpoint { seal: String::new(), ..read }, checkpoint());
        let refused = |bytes: &[u8]| {
            assert!(Checkpoint::from_bytes(bytes).is_err(), "{}", bytes.escape_ascii());
        };
        for at in 0..written.len() {
            refused(&written[..at]);
            refused(&[&written[..at], &written[at + 1..]].concat());
            refused(&[&written[..=at], &written[at..]].concat());
            let mut changed = written.clone();
            for byte in (0..=u8::MAX).filter(|&byte| byte != written[at]) {
                changed[at] = byte;
                refused(&changed);
            }
        }
        refused(&[&written[..], b"\n"].concat());
        refused(&[&written[..], &written].concat());
    }
}
