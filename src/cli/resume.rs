//! Resumes a run that was cut off, for `--resume`.
//!
//! Next to `FILE.partial` is `FILE.partial.checkpoint`. It says how many records were answered, how many bytes of the
//! output belong to them, and what the rows depend on. A resumed run reads its inputs from the start, whatever their
//! format, and skips the records that were answered. It must read the same data as the earlier run. Once a second,
//! between two batches, a new checkpoint is written and renamed to replace the old one. Its rows are flushed to disk
//! first, so the checkpoint remains true even after a power failure. A checkpoint that does not match its partial file
//! is refused.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::figures::grouped;
use super::flags::OutputArguments;
use super::message::Context;
use crate::input::shown_name;
use crate::output::file::OutputFile;
use crate::output::names::partial_of;
use crate::output::partial::{checkpoint_names, is_checkpoint, named, remove_checkpoints, sync_directory};
use crate::output::{Form, Output};
use crate::pipeline::{EarlierRun, RowSink, Tally};
use crate::provenance;
use crate::record::Schema;

/// The time between two checkpoints.
const INTERVAL: Duration = Duration::from_secs(1);

/// The minimum time to the next checkpoint, as a multiple of the time that the last one took. This limits checkpoints
/// to 2 % of a run's time.
const TIMES_OF_COST: u32 = 50;

/// The number of bytes at the start of an input that must be unchanged.
const START_BYTES: u64 = 64 << 10;

/// The number of bytes at the end of the output that a checkpoint uses to recognize its partial file.
const END_BYTES: u64 = 256;

/// The flags that rows depend on, and their values.
pub type Settings = BTreeMap<String, String>;

/// The content of a checkpoint file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Checkpoint {
    settings: Settings,
    inputs: Vec<InputIdentity>,
    resume_point: ResumePoint,
    /// The SHA-256 of the last [`END_BYTES`] of the output before the resume point.
    end: String,
}

impl Checkpoint {
    /// Reads the checkpoint of a partial file. Fails with the reason if there is none.
    fn of(partial: &Path) -> Result<Self> {
        let [name, _] = checkpoint_names(partial);
        if is_checkpoint(&name)? != Some(true) {
            bail!("there is no checkpoint beside it");
        }
        let bytes = fs::read(&name).map_err(|error| named(&name, error))?;
        serde_json::from_slice(&bytes)
            .map_err(|_| anyhow!("its checkpoint is damaged, or from another version"))
    }
}

/// The name, size, time and first bytes that identify an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputIdentity {
    name: String,
    bytes: u64,
    /// The time when it was last modified, in nanoseconds since 1970.
    modified: Option<u128>,
    /// The SHA-256 of its first bytes.
    start: String,
}

/// The progress of a run between two batches: everything needed to resume it from there. The default is the start of
/// the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumePoint {
    /// The facts that a resuming run needs to know about the earlier run.
    pub before: EarlierRun,
    /// The number of rows written for the records of the earlier run.
    written: u64,
    /// The number of records that the earlier run answered, by status.
    statuses: BTreeMap<String, u64>,
    /// The number of output bytes up to here, including the header.
    bytes: u64,
}

impl ResumePoint {
    fn new(before: EarlierRun, tally: &Tally, rows: &OutputFile) -> Self {
        Self {
            before,
            written: tally.written,
            statuses: tally.statuses().map(|(word, count)| (word.name.to_owned(), count)).collect(),
            bytes: rows.written(),
        }
    }

    /// Adds the records before this point to the tally of the resumed run.
    pub fn add_to(&self, tally: &mut Tally) {
        tally.add_earlier(self.before.records, self.written, &self.statuses);
    }
}

/// Returns the SHA-256 of the last [`END_BYTES`] before position `bytes` in a file.
fn end_of(file: &Path, bytes: u64) -> io::Result<String> {
    let start = bytes.saturating_sub(END_BYTES);
    let mut file = File::open(file)?;
    file.seek(SeekFrom::Start(start))?;
    provenance::sha256(file.take(bytes - start))
}

/// Returns the value that a flag had in the earlier run that wrote an output, if there is one to resume.
pub fn earlier_value(output: &Path, flag: &str) -> Option<String> {
    Checkpoint::of(&partial_of(output)?).ok()?.settings.remove(flag)
}

/// Returns the command line as typed, with a flag inserted after the subcommand, as a shell command. Returns `None` if
/// a shell would read it differently.
pub fn command_with(flag: Option<&str>) -> Option<String> {
    let mut words = env::args_os().map(OsString::into_string).collect::<Result<Vec<_>, _>>().ok()?;
    words.splice(2..2, flag.map(str::to_owned));
    let command = shlex::try_join(words.iter().map(String::as_str)).ok()?;
    (!command.contains(char::is_control)).then_some(command)
}

impl InputIdentity {
    /// Returns the identity of an input. Fails unless it is a regular file, which can be read a second time.
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

    /// Returns whether the file at this path has been replaced or has changed.
    pub fn has_changed(&self, path: &Path) -> bool {
        Self::of(path).map_or(true, |now| now.change_since(self).is_some())
    }

    /// Describes the change since an earlier run, if there is one.
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

/// The checkpoints of a run that can be resumed.
pub struct Checkpoints {
    partial: PathBuf,
    /// The last checkpoint that was saved or, until there is one, the one that this run starts from.
    checkpoint: Checkpoint,
    /// The last batch boundary, along with the progress up to there.
    last: Option<ResumePoint>,
    /// The time between two checkpoints, if it was given.
    interval: Option<Duration>,
    /// The time when the last checkpoint was saved, and the minimum time from then to the next one.
    saved: Instant,
    pause: Duration,
    /// The reason why the last checkpoint could not be written, if it failed.
    trouble: Option<String>,
}

impl Checkpoints {
    /// Makes a run resumable if its inputs and output are regular files and the output is uncompressed text. With
    /// `--resume`, the run continues an earlier one. Fails if it should continue, but the inputs, output or settings
    /// have changed or do not allow this.
    pub fn new(
        inputs: &[PathBuf],
        schema: &Schema,
        mut settings: Settings,
        arguments: &OutputArguments,
        form: Form,
        output: &mut OutputFile,
    ) -> Result<Option<Self>> {
        let &OutputArguments { resume, checkpoint_every: interval, .. } = arguments;
        let inputs = match resumable_inputs(inputs, form, output) {
            Ok(inputs) => inputs,
            Err(why) if resume => return Err(why),
            Err(_) => return Ok(None),
        };
        let Some(partial) = output.partial() else { return Ok(None) };
        for name in checkpoint_names(&partial) {
            let is_one = is_checkpoint(&name);
            if is_one.with_context(|| format!("{}: cannot be read", shown_name(&name)))? == Some(false) {
                bail!("{}: is in the way of the checkpoint of {}", shown_name(&name), shown_name(&partial));
            }
        }
        // A run that resumes this one must use the same settings, since rows depend on them.
        let columns: Vec<_> = schema.written().map(|(_, field)| field.name).collect();
        settings.insert("columns".to_owned(), columns.join(","));
        let resume_point = ResumePoint::default();
        let mut checkpoint = Checkpoint { settings, inputs, resume_point, end: String::new() };
        if resume {
            checkpoint.resume_point = resume_point_of_earlier_run(&checkpoint, output)?;
        }
        let (saved, pause) = (Instant::now(), interval.unwrap_or(INTERVAL));
        Ok(Some(Self { partial, checkpoint, last: None, interval, saved, pause, trouble: None }))
    }

    /// Returns the last resume point that was saved or, before the first one, the point where this run starts.
    pub const fn resume_point(&self) -> &ResumePoint {
        &self.checkpoint.resume_point
    }

    /// Begins to write rows. Fails if files from an earlier run cannot be replaced.
    pub fn begin(&mut self, rows: &OutputFile) -> io::Result<()> {
        if self.resume_point().before.records == 0 {
            rows.begin()?;
            // Until the first batch is written, the run can only be resumed from its start.
            self.save(ResumePoint::default());
        }
        Ok(())
    }

    /// Records a batch boundary, and saves it if the last checkpoint is old enough. Fails if the rows cannot be flushed
    /// to disk.
    fn note(&mut self, point: ResumePoint, rows: &OutputFile) -> io::Result<()> {
        if self.saved.elapsed() >= self.pause {
            let begun = Instant::now();
            rows.sync()?;
            self.save(point.clone());
            self.saved = Instant::now();
            self.pause = self.interval.unwrap_or_else(|| INTERVAL.max(TIMES_OF_COST * begun.elapsed()));
        }
        self.last = Some(point);
        Ok(())
    }

    /// Saves a checkpoint whose rows have been flushed to disk. If that fails, the run continues without a checkpoint.
    fn save(&mut self, point: ResumePoint) {
        self.checkpoint.resume_point = point;
        self.trouble = self.replace().err().map(|error| error.to_string());
    }

    /// Replaces the earlier checkpoint.
    fn replace(&mut self) -> io::Result<()> {
        let [path, new] = checkpoint_names(&self.partial);
        let mut replaced = || {
            self.checkpoint.end = end_of(&self.partial, self.checkpoint.resume_point.bytes)?;
            let _ = fs::remove_file(&new);
            let mut file = File::create_new(&new)?;
            // Only users who can read the rows may read the input names.
            let _ = file.set_permissions(fs::metadata(&self.partial)?.permissions());
            file.write_all(&serde_json::to_vec(&self.checkpoint)?)?;
            // A checkpoint that covers no records is as good as none.
            let has_records = self.checkpoint.resume_point.before.records > 0;
            if has_records {
                file.sync_all()?;
            }
            fs::rename(&new, &path)?;
            if has_records {
                sync_directory(&path);
            }
            Ok(())
        };
        replaced().map_err(|error| {
            // On a full disk, the new file can be empty or incomplete.
            let _ = fs::remove_file(&new);
            named(&path, error)
        })
    }

    /// Saves the last batch boundary of a run that ended early, so that little has to be repeated.
    pub fn keep(&mut self, rows: &OutputFile) {
        // If this fails, the previous checkpoint, which is about a second old, is still there.
        if let Some(last) = self.last.take()
            && rows.sync().is_ok()
        {
            self.save(last);
        }
    }

    /// Returns whether there is a checkpoint to continue from, with rows from this run or the one that it resumed.
    pub fn can_continue(&self) -> bool {
        self.resume_point().before.records > 0 && self.trouble().is_none()
    }

    /// Returns the reason why there is no checkpoint to resume from, if there is none.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref().filter(|_| Checkpoint::of(&self.partial).is_err())
    }

    /// Removes the checkpoint if the partial file is gone. If the file could not be renamed, the run can still be
    /// resumed.
    pub fn end(self) {
        if !self.partial.exists() {
            // A checkpoint file that remains has no partial file next to it, and the next run replaces it.
            let _ = remove_checkpoints(&self.partial);
        }
    }
}

/// Returns the identities of the inputs of a run. Fails if the run cannot be resumed.
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

/// Finds the point from which to resume an earlier run, and truncates the output to that point.
fn resume_point_of_earlier_run(now: &Checkpoint, output: &mut OutputFile) -> Result<ResumePoint> {
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
    let found = Checkpoint::of(&partial).map_err(|why| refused(why.to_string()))?;
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
    if end_of(&partial, point.bytes).with_context(|| format!("{name}: cannot be read"))? != found.end {
        return Err(refused("it was changed, or written by another run, since its checkpoint".to_owned()));
    }
    output.continue_at(point.bytes).with_context(|| format!("{name}: cannot be truncated"))?;
    Ok(point)
}

/// The sink that writes the rows of a run to a file, along with its checkpoints if there are any.
pub struct ResumableRows<'a> {
    pub rows: &'a mut OutputFile,
    /// The outputs after the first.
    pub rest: &'a mut [OutputFile],
    pub checkpoints: Option<&'a mut Checkpoints>,
}

impl<C> RowSink<(Tally, C)> for ResumableRows<'_> {
    fn output(&mut self, n: usize) -> &mut dyn Output {
        match n.checked_sub(1) {
            None => self.rows,
            Some(n) => &mut self.rest[n],
        }
    }

    fn boundary(&mut self, before: EarlierRun, (tally, _): &(Tally, C)) -> io::Result<()> {
        match &mut self.checkpoints {
            Some(checkpoints) => checkpoints.note(ResumePoint::new(before, tally, self.rows), self.rows),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
