//! Going on where an earlier run was cut off: `--resume`.
//!
//! Beside `FILE.partial` lies `FILE.partial.checkpoint`: from where in the inputs the rest is to be read, how many bytes
//! of the output belong to what comes before, and what all this depends on. It is replaced as a whole, once a second,
//! between two batches; every thirty seconds the output is first brought to the disk, so that there is a mark that a
//! loss of power leaves true. Which of the two marks counts is told by the boot that wrote it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::figures::grouped;
use super::job::Collected;
use crate::input::{Position, shown_name};
use crate::output::file::OutputFile;
use crate::output::partial::{checkpoint_names, sync_directory};
use crate::pipeline::{Boundary, Defects, EarlierRun, RowSink, Tally};
use crate::provenance;

/// Time between two marks that outlive the process.
const INTERVAL: Duration = Duration::from_secs(1);

/// Bytes at the start of an input that must be the same.
const START_BYTES: u64 = 64 << 10;

/// Flags that rows depend on, and their values.
pub type Settings = BTreeMap<String, String>;

/// What a checkpoint file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    settings: Settings,
    inputs: Vec<InputIdentity>,
    /// Which start of the system wrote it, if that is known.
    boot: Option<String>,
    latest: Mark,
    /// The last one before which everything was brought to the disk.
    synced: Mark,
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

/// How far a run had come at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Number of the input that is read on, from 0.
    pub source: usize,
    /// Where in that input.
    pub position: Position,
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

impl Mark {
    /// That of a run from the start.
    pub const START: Self = Self {
        source: 0,
        position: Position::START,
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
            source: boundary.source,
            position: boundary.position,
            records: boundary.first_id - 1,
            written: tally.written,
            statuses: tally.statuses().map(|(word, count)| (word.name.to_owned(), count)).collect(),
            corrected: defects.corrected,
            batch_panics: defects.batch_panics,
            bytes: rows.written(),
            tail: rows.tail(),
        }
    }

    /// Whether it can be that of a run over so many inputs.
    fn is_sound(&self, inputs: usize) -> bool {
        const MOST: u64 = 1 << 60;
        let statuses = self.statuses.values().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        let Position { offset, line, records, .. } = self.position;
        self.source < inputs
            && records <= self.records
            && self.written <= self.records
            && self.corrected <= self.records
            && self.batch_panics <= self.records
            && statuses.is_some_and(|sum| sum == self.records)
            && [offset, line, self.records, self.bytes].into_iter().all(|number| number < MOST)
    }

    /// Whether the partial file has what was written before the mark.
    fn is_in(&self, partial: &Path) -> io::Result<bool> {
        let mut file = File::open(partial)?;
        file.seek(SeekFrom::Start(self.bytes.saturating_sub(self.tail.len() as u64)))?;
        let mut found = vec![0; self.tail.len()];
        file.read_exact(&mut found)?;
        Ok(found == self.tail)
    }

    /// What the run that goes on from it has behind itself.
    pub fn earlier_run(&self) -> EarlierRun {
        let &Self { source, records, corrected, batch_panics, .. } = self;
        EarlierRun {
            sources: source,
            records,
            defects: Defects { corrected, batch_panics, first: Vec::new() },
        }
    }

    /// Adds the records before the mark to the figures of a run that goes on from it.
    pub fn add_to(&self, tally: &mut Tally) {
        tally.add_earlier(self.records, self.written, &self.statuses);
    }
}

/// Bytes of a checkpoint at most.
const MOST_BYTES: u64 = 1 << 20;

/// The names of the checkpoint of a partial file, and of what is about to replace it.
///
/// # Errors
///
/// When something else has one of them.
fn names_beside(partial: &Path) -> Result<[PathBuf; 2]> {
    let names = checkpoint_names(partial);
    for name in &names {
        let Ok(found) = fs::symlink_metadata(name) else { continue };
        let begins_as_ours = || fs::read(name).is_ok_and(|text| text.starts_with(b"{\"settings\":"));
        // What is larger is not even read.
        let is_ours = found.is_file() && found.len() <= MOST_BYTES && (found.len() == 0 || begins_as_ours());
        if !is_ours {
            bail!("{}: is in the way of the checkpoint of {}", shown_name(name), shown_name(partial));
        }
    }
    Ok(names)
}

/// Which start of the system this is.
fn boot() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

impl InputIdentity {
    /// That of a regular file; `None` for what cannot be read from the middle on.
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

/// Notes how far a run has come, and from where it goes on.
pub struct Resuming {
    /// Where the checkpoint lies, or one of an earlier run; `None` without a partial file.
    path: Option<PathBuf>,
    /// The checkpoint file, if the run can be gone on from.
    file: Option<CheckpointFile>,
    /// Where this run begins; the start unless an earlier one is continued.
    pub from: Mark,
}

struct CheckpointFile {
    /// Its name, and that of what is about to replace it.
    names: [PathBuf; 2],
    interval: Duration,
    checkpoint: Checkpoint,
    /// The last boundary, with what was written before it.
    last: Option<Mark>,
    saved: Instant,
}

impl Resuming {
    /// Makes a run one that can be gone on from, if its inputs and its output are files. With `wanted` it goes on where
    /// an earlier one ended; `interval` is the time between two marks, if it is not the usual.
    ///
    /// # Errors
    ///
    /// When it is to go on and cannot: the inputs, the output or the settings do not allow it, or are others.
    pub fn new(
        wanted: bool,
        inputs: &[PathBuf],
        settings: Settings,
        interval: Option<Duration>,
        output: &mut OutputFile,
    ) -> Result<Self> {
        let Some(partial) = output.partial() else {
            if wanted {
                bail!(
                    "{}: cannot be resumed: --resume takes --output FILE, a file and no stream",
                    shown_name(output.name())
                );
            }
            return Ok(Self { path: None, file: None, from: Mark::START });
        };
        let names = names_beside(&partial)?;
        let path = Some(names[0].clone());
        let mut identities = Vec::new();
        for input in inputs {
            match InputIdentity::of(input) {
                Ok(Some(identity)) => identities.push(identity),
                // It will be said when it is opened.
                Err(_) => return Ok(Self { path, file: None, from: Mark::START }),
                Ok(None) if wanted => {
                    bail!(
                        "{}: cannot be read from its middle on, so that --resume takes files",
                        shown_name(input)
                    )
                }
                Ok(None) => return Ok(Self { path, file: None, from: Mark::START }),
            }
        }
        let (from, synced) = if wanted {
            earlier(&names[0], &identities, &settings, output)?
        } else {
            (Mark::START, Mark::START)
        };
        let checkpoint =
            Checkpoint { settings, inputs: identities, boot: boot(), latest: from.clone(), synced };
        let interval = interval.unwrap_or(INTERVAL);
        let file = CheckpointFile { names, interval, checkpoint, last: None, saved: Instant::now() };
        Ok(Self { path, file: Some(file), from })
    }

    /// The sink of a run's rows that keeps the checkpoint.
    pub fn sink<'a>(&'a mut self, rows: &'a mut OutputFile) -> ResumableRows<'a> {
        let is_begun = self.from.records > 0;
        ResumableRows { rows, path: self.path.as_deref(), file: self.file.as_mut(), is_begun }
    }

    /// Notes the last boundary of a run that ended early, so that the next one has little to do again.
    pub fn keep(&mut self, rows: &OutputFile) {
        if let Some(file) = &mut self.file
            && rows.earlier().is_none()
            && let Some(last) = file.last.take()
        {
            file.checkpoint.latest = last;
            // The one of a second ago will do.
            let _ = file.save(false);
        }
    }

    /// Removes the checkpoint of a run whose output has its name.
    pub fn end(self) {
        if let Some(path) = self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// Where an earlier run is gone on from; the output is cut back to what belongs to that.
fn earlier(
    path: &Path,
    inputs: &[InputIdentity],
    settings: &Settings,
    output: &mut OutputFile,
) -> Result<(Mark, Mark)> {
    let name = shown_name(output.name());
    let Some((partial, bytes)) = output.earlier() else {
        if fs::exists(output.name()).unwrap_or(false) {
            bail!(
                "{name}: is complete: there is nothing to resume\n  hint: without --resume it is written anew"
            );
        }
        return Ok((Mark::START, Mark::START));
    };
    let refused = |what: String| {
        anyhow!(
            "{}: cannot be resumed: {what}\n  hint: without --resume everything is done again",
            shown_name(&partial)
        )
    };
    let text = fs::read(path).map_err(|_| refused("there is no checkpoint beside it".to_owned()))?;
    let found: Checkpoint = serde_json::from_slice(&text)
        .map_err(|_| refused("its checkpoint is of another version".to_owned()))?;
    let flags: Vec<_> = settings.keys().chain(found.settings.keys()).collect();
    for flag in flags {
        let (before, now) = (found.settings.get(flag), settings.get(flag));
        if before != now {
            let [before, now] = [before, now].map(|value| value.map_or("not given", String::as_str));
            return Err(refused(format!("{flag} was {before}, and is {now} now")));
        }
    }
    if found.inputs.len() != inputs.len() {
        return Err(refused(format!("it had {} inputs, and not {}", found.inputs.len(), inputs.len())));
    }
    if let Some(change) = inputs.iter().zip(&found.inputs).find_map(|(now, before)| now.change_since(before))
    {
        return Err(refused(change));
    }
    let same_boot = found.boot.is_some() && found.boot == boot();
    let (mark, synced) =
        if same_boot { (found.latest, found.synced) } else { (found.synced.clone(), found.synced) };
    if mark.records == 0 {
        return Ok((Mark::START, Mark::START));
    }
    if !mark.is_sound(inputs.len()) {
        return Err(refused("its checkpoint was changed".to_owned()));
    }
    if mark.bytes > bytes {
        return Err(refused(format!(
            "it has {} bytes and should have {}",
            grouped(bytes),
            grouped(mark.bytes)
        )));
    }
    if !mark.is_in(&partial).with_context(|| format!("{name}: cannot be read"))? {
        return Err(refused("it was changed, or written by another run, since its checkpoint".to_owned()));
    }
    output.continue_at(mark.bytes).with_context(|| format!("{name}: cannot be cut back"))?;
    Ok((mark, synced))
}

impl CheckpointFile {
    /// Takes the boundary; saves it if the last one is old.
    fn note(&mut self, mark: Mark, rows: &mut OutputFile) -> io::Result<()> {
        let is_first = self.last.is_none();
        if rows.earlier().is_some() {
            // Neither those bytes nor their checkpoint are ours yet.
        } else if is_first || self.saved.elapsed() >= self.interval {
            let sync = rows.sync_if_due()?;
            if sync {
                self.checkpoint.synced = mark.clone();
            }
            self.checkpoint.latest = mark.clone();
            self.save(sync)?;
            self.saved = Instant::now();
        }
        self.last = Some(mark);
        Ok(())
    }

    /// Puts the checkpoint in the place of the last one.
    fn save(&self, sync: bool) -> io::Result<()> {
        let [path, new] = &self.names;
        let _ = fs::remove_file(new);
        let mut file = File::create_new(new)?;
        file.write_all(&serde_json::to_vec(&self.checkpoint)?)?;
        if sync {
            file.sync_all()?;
        }
        fs::rename(new, path)?;
        if sync {
            sync_directory(path);
        }
        Ok(())
    }
}

/// The rows of a run on their way to a file, with a checkpoint if there is one.
pub struct ResumableRows<'a> {
    rows: &'a mut OutputFile,
    path: Option<&'a Path>,
    /// Whether the checkpoint, if there is one, is that of this run.
    is_begun: bool,
    file: Option<&'a mut CheckpointFile>,
}

impl RowSink<Collected> for ResumableRows<'_> {
    fn boundary(&mut self, boundary: &Boundary, (tally, _): &Collected, defects: &Defects) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.note(Mark::new(boundary, tally, defects, self.rows), self.rows),
            None => Ok(()),
        }
    }
}

impl Write for ResumableRows<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.rows.write(buffer)
    }

    fn write_all(&mut self, buffer: &[u8]) -> io::Result<()> {
        // Before anything of this run takes the place of what an earlier one left: the header alone does not.
        if !self.is_begun && !buffer.is_empty() && !self.rows.holds(buffer) {
            self.is_begun = true;
            match (&self.file, self.path) {
                // Nothing is noted yet: from here on there is only the start to go on from.
                (Some(file), _) => file.save(false)?,
                (None, Some(path)) => {
                    let _ = fs::remove_file(path);
                }
                (None, None) => {}
            }
        }
        self.rows.write_all(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.rows.flush()
    }
}
