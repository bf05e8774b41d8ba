//! Going on where an earlier run was cut off: `--resume`.
//!
//! Beside `FILE.partial` lies `FILE.partial.checkpoint`: how many records were answered, how many bytes of the output
//! belong to them, and what all this depends on. The run that goes on reads its inputs from the start, whatever their
//! format, and passes over that many records; what it reads on the way must be what the earlier run read. It is replaced as a whole, once a second,
//! between two batches. Every thirty seconds the output is first brought to the disk, and then another such file,
//! `FILE.partial.checkpoint.synced`, which a loss of power leaves true. Which of the two counts is told by the start of
//! the system that the first was written in. Each is sealed by its hash, so that what was changed is not believed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::figures::grouped;
use crate::input::shown_name;
use crate::output::file::OutputFile;
use crate::output::partial::{CHECKPOINT_BEGINNING, checkpoint_names, sync_directory};
use crate::output::{FileEnd, Form, Output};
use crate::pipeline::{Boundary, Defects, EarlierRun, RowSink, Tally, TextRead};
use crate::provenance;

/// Time between two checkpoints that outlive the process.
const INTERVAL: Duration = Duration::from_secs(1);

/// Bytes at the start of an input that must be the same.
const START_BYTES: u64 = 64 << 10;

/// Flags that rows depend on, and their values.
pub type Settings = BTreeMap<String, String>;

/// What a checkpoint file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Checkpoint {
    settings: Settings,
    inputs: Vec<InputIdentity>,
    /// Which start of the system wrote it, if that is known.
    boot: Option<String>,
    resume_point: ResumePoint,
    /// SHA-256 of all this with an empty seal.
    seal: String,
}

/// Bytes of a checkpoint at most: those of a million inputs.
const MOST_BYTES: u64 = 256 << 20;

impl Checkpoint {
    /// The bytes of the file, sealed.
    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let unsealed = Self { seal: String::new(), ..self.clone() };
        let seal = provenance::sha256(&*serde_json::to_vec(&unsealed)?)?;
        Ok(serde_json::to_vec(&Self { seal, ..unsealed })?)
    }

    /// Reads one; `Ok(None)` if there is none.
    ///
    /// # Errors
    ///
    /// When it is not as it was written, or was written by another version.
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

    /// The checkpoint of which those are the bytes.
    fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let found: Self = serde_json::from_slice(bytes)?;
        if found.to_bytes()? != bytes {
            return Err(io::Error::other("the seal is broken"));
        }
        Ok(found)
    }
}

/// What makes an input the one that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct InputIdentity {
    name: String,
    bytes: u64,
    /// Nanoseconds since 1970 of its last change.
    modified: Option<u128>,
    /// SHA-256 of its first bytes.
    start: String,
}

/// How far a run had come at some time, between two batches: all that a run needs that is resumed from there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumePoint {
    /// Number of the input that was being read, from 0.
    source: usize,
    /// Bytes of its text that were read.
    text_bytes: u64,
    /// Their fingerprint.
    fingerprint: u64,
    /// Records before it, over all inputs.
    pub records: u64,
    /// Rows written for them.
    written: u64,
    /// Those records by status.
    statuses: BTreeMap<String, u64>,
    /// Of those records, the answers that were refused and found again; the rows do not say.
    corrected: u64,
    /// Batches before it that panicked, though none of their records did alone.
    batch_panics: u64,
    /// Bytes of the output that these rows take, the header among them.
    pub bytes: u64,
    /// The last of these bytes: whoever wrote others has written the file since.
    tail: Vec<u8>,
}

impl ResumePoint {
    /// That of a run from the start.
    pub const START: Self = Self {
        source: 0,
        text_bytes: 0,
        fingerprint: 0,
        records: 0,
        written: 0,
        statuses: BTreeMap::new(),
        corrected: 0,
        batch_panics: 0,
        bytes: 0,
        tail: Vec::new(),
    };

    fn new(boundary: &Boundary, tally: &Tally, defects: &Defects, rows: &OutputFile) -> Self {
        Self {
            source: boundary.read.source,
            text_bytes: boundary.read.bytes,
            fingerprint: boundary.read.fingerprint,
            records: boundary.first_id - 1,
            written: tally.written,
            statuses: tally.statuses().map(|(word, count)| (word.name.to_owned(), count)).collect(),
            corrected: defects.corrected,
            batch_panics: defects.batch_panics,
            bytes: rows.written(),
            tail: rows.tail(),
        }
    }

    /// Whether the partial file has what was written before this point.
    fn is_in(&self, partial: &Path) -> io::Result<bool> {
        let mut file = File::open(partial)?;
        file.seek(SeekFrom::Start(self.bytes.saturating_sub(self.tail.len() as u64)))?;
        let mut found = vec![0; self.tail.len()];
        file.read_exact(&mut found)?;
        Ok(found == self.tail)
    }

    /// What the run that is resumed from it has behind itself.
    pub fn earlier_run(&self) -> EarlierRun {
        let &Self { source, text_bytes, fingerprint, records, corrected, batch_panics, .. } = self;
        EarlierRun {
            records,
            read: TextRead { source, bytes: text_bytes, fingerprint },
            defects: Defects { corrected, batch_panics, first: Vec::new() },
        }
    }

    /// Adds the records before it to the figures of a run that is resumed from it.
    pub fn add_to(&self, tally: &mut Tally) {
        tally.add_earlier(self.records, self.written, &self.statuses);
    }
}

/// The paths of the checkpoints of a partial file.
struct CheckpointPaths {
    partial: PathBuf,
    /// The last one.
    latest: PathBuf,
    /// The last one before which everything was brought to the disk.
    synced: PathBuf,
    /// What is about to replace one of them.
    new: PathBuf,
}

impl CheckpointPaths {
    /// Those beside a partial file.
    ///
    /// # Errors
    ///
    /// When something else has one of them.
    fn beside(partial: &Path) -> Result<Self> {
        let paths = checkpoint_names(partial);
        for name in &paths {
            let Ok(found) = fs::symlink_metadata(name) else { continue };
            let mut start = Vec::new();
            // What is no file is not even opened.
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

    /// Removes the checkpoints.
    ///
    /// # Errors
    ///
    /// When one stays that could be taken for that of another run.
    fn remove(&self) -> io::Result<()> {
        let _ = fs::remove_file(&self.new);
        for name in [&self.latest, &self.synced] {
            match fs::remove_file(name) {
                Err(error)
                    if error.kind() != ErrorKind::NotFound
                        && matches!(Checkpoint::read(name), Ok(Some(_))) =>
                {
                    return Err(named(name, error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The error with the name of its file.
fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", shown_name(path)))
}

/// Which start of the system this is.
fn boot() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

impl InputIdentity {
    /// That of a regular file; `None` for what cannot be read once more.
    fn of(path: &Path) -> io::Result<Option<Self>> {
        if path == Path::new("-") || !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Some(Self {
            name: shown_name(path),
            bytes: metadata.len(),
            modified: modified.map(|time| time.as_nanos()),
            start: provenance::sha256(file.take(START_BYTES))?,
        }))
    }

    /// What has changed since an earlier run, if something has.
    fn change_since(&self, earlier: &Self) -> Option<String> {
        let name = &self.name;
        if earlier.name != *name {
            Some(format!("its input was {}, and not {name}", earlier.name))
        } else if earlier.bytes != self.bytes {
            Some(format!("{name} had {} bytes, and not {}", grouped(earlier.bytes), grouped(self.bytes)))
        } else if earlier.start != self.start {
            Some(format!("{name} began otherwise"))
        } else if earlier.modified != self.modified {
            Some(format!("{name} was changed since"))
        } else {
            None
        }
    }
}

/// The checkpoints of a run: where it begins, and how far it has come.
pub struct Checkpoints {
    /// Where checkpoints lie, of this run or an earlier one; `None` without a partial file.
    paths: Option<CheckpointPaths>,
    /// `None` if the run cannot be resumed.
    writer: Option<CheckpointWriter>,
    /// Where this run begins; the start unless an earlier one is continued.
    pub from: ResumePoint,
}

/// Writes down how far a run has come.
struct CheckpointWriter {
    /// Of the last boundary that was saved.
    checkpoint: Checkpoint,
    interval: Duration,
    /// The last boundary, with what was written before it.
    last: Option<ResumePoint>,
    saved: Instant,
    /// Why the last checkpoint could not be written.
    trouble: Option<String>,
}

impl Checkpoints {
    /// Makes a run one that can be resumed, if its inputs and its output are files, the output of one of the formats of
    /// text. With `wanted` it goes on where an earlier one ended; `interval` is the time between two checkpoints, if it
    /// is not the usual.
    ///
    /// # Errors
    ///
    /// When it is to go on and cannot: the inputs, the output or the settings do not allow it, or are others.
    pub fn new(
        wanted: bool,
        inputs: &[PathBuf],
        settings: Settings,
        interval: Option<Duration>,
        form: Form,
        output: &mut OutputFile,
    ) -> Result<Self> {
        let Some(partial) = output.partial() else {
            if wanted {
                bail!(
                    "{}: cannot be resumed: --resume takes --output FILE, a file and no stream",
                    shown_name(output.name())
                );
            }
            return Ok(Self { paths: None, writer: None, from: ResumePoint::START });
        };
        let paths = CheckpointPaths::beside(&partial)?;
        if form != Form::Text {
            if wanted {
                bail!(
                    "{}: cannot be resumed: what is neither CSV nor other text as it is cannot be written on from its middle",
                    shown_name(output.name())
                );
            }
            return Ok(Self { paths: Some(paths), writer: None, from: ResumePoint::START });
        }
        let mut identities = Vec::new();
        for input in inputs {
            match InputIdentity::of(input) {
                Ok(Some(identity)) => identities.push(identity),
                // It will be said when it is opened.
                Err(_) => return Ok(Self { paths: Some(paths), writer: None, from: ResumePoint::START }),
                Ok(None) if wanted => {
                    bail!("{}: cannot be read once more, so that --resume takes files", shown_name(input))
                }
                Ok(None) => return Ok(Self { paths: Some(paths), writer: None, from: ResumePoint::START }),
            }
        }
        let mut checkpoint = Checkpoint {
            settings,
            inputs: identities,
            boot: boot(),
            resume_point: ResumePoint::START,
            seal: String::new(),
        };
        if wanted {
            checkpoint.resume_point = resume_point_of_earlier_run(&paths, &checkpoint, output)?;
        }
        let from = checkpoint.resume_point.clone();
        let interval = interval.unwrap_or(INTERVAL);
        let writer =
            CheckpointWriter { checkpoint, interval, last: None, saved: Instant::now(), trouble: None };
        Ok(Self { paths: Some(paths), writer: Some(writer), from })
    }

    /// Those of a run that cannot be resumed: what an earlier one left stays until rows of this one replace its rows.
    ///
    /// # Errors
    ///
    /// When something else has the name of one.
    pub fn of_earlier_run(output: &OutputFile) -> Result<Self> {
        let paths = output.partial().map(|partial| CheckpointPaths::beside(&partial)).transpose()?;
        Ok(Self { paths, writer: None, from: ResumePoint::START })
    }

    /// Whether there are any.
    pub const fn are_written(&self) -> bool {
        self.writer.is_some()
    }

    /// The sink of a run's rows that keeps the checkpoint.
    pub fn sink<'a>(&'a mut self, rows: &'a mut OutputFile) -> ResumableRows<'a> {
        let is_begun = self.from.records > 0;
        ResumableRows { rows, paths: self.paths.as_ref(), writer: self.writer.as_mut(), is_begun }
    }

    /// Notes the last boundary of a run that ended early, so that the next one has little to do again.
    pub fn keep(&mut self, rows: &OutputFile) {
        if let (Some(paths), Some(writer)) = (&self.paths, &mut self.writer)
            && rows.earlier().is_none()
            && let Some(last) = writer.last.take()
        {
            // The one of a second ago will do if this cannot be written.
            writer.save(last, paths, false);
        }
    }

    /// Why there is no checkpoint to resume from, if there is no earlier one either.
    pub fn trouble(&self) -> Option<&str> {
        let trouble = self.writer.as_ref()?.trouble.as_deref()?;
        let latest = &self.paths.as_ref()?.latest;
        (!matches!(Checkpoint::read(latest), Ok(Some(_)))).then_some(trouble)
    }

    /// Removes the checkpoints of a run whose output has its name.
    pub fn end(self) {
        if let Some(paths) = self.paths {
            // What stays is found beside no partial file, and replaced by the next run.
            let _ = paths.remove();
        }
    }
}

/// From where an earlier run is resumed; the output is cut back to what belongs to that.
fn resume_point_of_earlier_run(
    paths: &CheckpointPaths,
    now: &Checkpoint,
    output: &mut OutputFile,
) -> Result<ResumePoint> {
    let name = shown_name(output.name());
    let Some((partial, bytes)) = output.earlier() else {
        if fs::exists(output.name()).unwrap_or(false) {
            bail!(
                "{name}: is complete: there is nothing to resume\n  hint: without --resume it is written anew"
            );
        }
        return Ok(ResumePoint::START);
    };
    let refused = |what: String| {
        anyhow!(
            "{}: cannot be resumed: {what}\n  hint: without --resume everything is done again",
            shown_name(&partial)
        )
    };
    let found = match (Checkpoint::read(&paths.latest), Checkpoint::read(&paths.synced)) {
        (Ok(Some(latest)), _) if latest.boot.is_some() && latest.boot == now.boot => latest,
        // The system was started anew meanwhile, or the last one was cut off.
        (_, Ok(Some(synced))) => synced,
        (Ok(Some(latest)), Ok(None)) => Checkpoint { resume_point: ResumePoint::START, ..latest },
        (Ok(None), Ok(None)) => return Err(refused("there is no checkpoint beside it".to_owned())),
        (Err(_), _) | (_, Err(_)) => {
            return Err(refused("its checkpoint was changed, or is of another version".to_owned()));
        }
    };
    let flags: BTreeSet<_> = now.settings.keys().chain(found.settings.keys()).map(String::as_str).collect();
    for flag in ["version", "command"].into_iter().chain(flags) {
        let [before, now] = [&found, now].map(|checkpoint| checkpoint.settings.get(flag));
        if before != now {
            let [before, now] = [before, now].map(|value| value.map_or("not given", String::as_str));
            return Err(refused(format!("{flag} was {before}, and is {now} now")));
        }
    }
    let [before, after] = [&found, now].map(|checkpoint| &checkpoint.inputs);
    if before.len() != after.len() {
        let [before_names, names] = [before, after].map(|inputs| inputs.iter().map(|input| &input.name));
        let is_new = |name: &&String| !before_names.clone().any(|before| before == *name);
        let new = names.clone().find(is_new).map(|name| format!(" ({name} is new)")).unwrap_or_default();
        return Err(refused(format!("it had {} inputs, and not {}{new}", before.len(), after.len())));
    }
    let mut pairs = after.iter().zip(before);
    if let Some(change) = pairs.find_map(|(after, before)| after.change_since(before)) {
        return Err(refused(change));
    }
    let point = found.resume_point;
    if point.records == 0 {
        return Ok(ResumePoint::START);
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
    output.continue_at(point.bytes, &point.tail).with_context(|| format!("{name}: cannot be cut back"))?;
    Ok(point)
}

impl CheckpointWriter {
    /// Takes a boundary; saves it if the last one is old.
    fn note(&mut self, point: ResumePoint, paths: &CheckpointPaths, rows: &mut OutputFile) -> io::Result<()> {
        if rows.earlier().is_some() {
            // Neither those bytes nor their checkpoint are ours yet, and ours may be held back.
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

    /// Saves a checkpoint. A run goes on without a checkpoint if there cannot be one.
    fn save(&mut self, point: ResumePoint, paths: &CheckpointPaths, is_synced: bool) {
        self.checkpoint.resume_point = point;
        let mut saved = self.replace(&paths.latest, paths, false);
        if is_synced {
            saved = saved.and_then(|()| self.replace(&paths.synced, paths, true));
        }
        self.trouble = saved.err().map(|error| error.to_string());
    }

    /// Puts the checkpoint in the place of an earlier one.
    fn replace(&self, path: &Path, paths: &CheckpointPaths, sync: bool) -> io::Result<()> {
        let replaced = || {
            let _ = fs::remove_file(&paths.new);
            let mut file = File::create_new(&paths.new)?;
            // It has some of the rows.
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
            // On a full disk it is empty, or cut off.
            let _ = fs::remove_file(&paths.new);
            named(path, error)
        })
    }
}

/// The rows of a run on their way to a file, with a checkpoint if there is one.
pub struct ResumableRows<'a> {
    rows: &'a mut OutputFile,
    paths: Option<&'a CheckpointPaths>,
    writer: Option<&'a mut CheckpointWriter>,
    /// Whether the checkpoints, if there are any, are those of this run.
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
}

impl Write for ResumableRows<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.write_all(buffer).map(|()| buffer.len())
    }

    fn write_all(&mut self, buffer: &[u8]) -> io::Result<()> {
        // Before anything of this run takes the place of what an earlier one left: the header alone does not.
        if !self.is_begun && !buffer.is_empty() && !self.rows.would_hold_back(buffer) {
            self.is_begun = true;
            if let Some(paths) = self.paths {
                paths.remove()?;
                if let Some(writer) = &mut self.writer {
                    // From here on there is only the start to resume from, until the first batch is written.
                    writer.save(ResumePoint::START, paths, false);
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
                source: 1,
                records: 90,
                written: 10,
                statuses: [("unique".to_owned(), 89), ("invalid".to_owned(), 1)].into(),
                bytes: 1_640,
                tail: b",x\n\0\xff".to_vec(),
                ..ResumePoint::START
            },
            seal: String::new(),
        }
    }

    /// Each byte exchanged for every other, left out or doubled, and every cut: all are refused, and none panics.
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
