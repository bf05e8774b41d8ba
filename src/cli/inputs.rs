//! Finds the files that the inputs on the command line stand for, by expanding patterns and directories.
//!
//! A name that belongs to an existing file always means that file, even if it looks like a pattern. A pattern that the
//! shell did not expand (because it is quoted, or on Windows) stands for the files that match it. A directory stands
//! for all data files in it. Files found in either way are read in natural order (`train-2` before `train-10`). Files
//! that the run itself writes are omitted. A note lists the omitted files.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, bail};
use glob::{MatchOptions, Pattern};

use super::figures::count_of;
use super::message::{self, Context};
use super::spool::{STANDARD_INPUT, Spool};
use crate::input::{InputError, ReadOptions, Source, shown_name};
use crate::output::partial::is_unfinished;

/// The extensions of puzzle and array files. A file that has such an extension but holds no puzzle counts as broken.
const DATA_ENDINGS: [&str; 13] = [
    "arrow",
    "arrows",
    "feather",
    "ipc",
    "npy",
    "opensudoku",
    "parquet",
    "pq",
    "sdk",
    "sdm",
    "ss",
    "sud",
    "sudoku",
];

/// The extensions of files that can hold either puzzles or something else.
const OPEN_ENDINGS: [&str; 9] = ["csv", "dat", "in", "json", "jsonl", "ndjson", "tsv", "txt", "xml"];

/// The maximum number of omitted files that a note names.
const MOST_SHOWN: usize = 5;

/// Returns the files that `typed` stands for, or standard input if it is empty. `outputs` are the files that the run
/// writes. Fails if standard input is named twice, a pattern matches nothing, or a directory cannot be read or holds no
/// data.
pub fn expanded<'a>(
    typed: Vec<PathBuf>,
    outputs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<Vec<PathBuf>> {
    let outputs: Vec<_> = outputs.into_iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for path in typed {
        let mut found = Expanded { outputs: &outputs, files: Vec::new(), left_out: Vec::new() };
        let is_pattern = match found.add(path.clone()) {
            Ok(is_pattern) => is_pattern,
            Err(error) => {
                problems.push(message::explained(error.as_ref()));
                continue;
            }
        };
        let left_out = listed(&found.left_out);
        if found.files.is_empty() {
            let what = if is_pattern { "no file matches the pattern" } else { "no files in the directory" };
            let but = left_out.map(|names| format!(" (left out: {names})")).unwrap_or_default();
            problems.push(format!("{}: {what}{but}", shown_name(&path)));
        } else if let Some(names) = left_out {
            message::note(format_args!("{}: left out: {names}", shown_name(&path)));
        }
        files.append(&mut found.files);
    }
    if !problems.is_empty() {
        // Nothing will be opened after this, so report all other inputs that cannot be opened as well.
        let missing = files.iter().filter(|&path| path != Path::new(STANDARD_INPUT));
        let missing = missing.filter_map(|path| Some((path, fs::metadata(path).err()?)));
        problems.extend(missing.map(|(path, error)| format!("{}: cannot open: {error}", shown_name(path))));
        bail!(problems.join("\nerror: "));
    }
    if files.is_empty() {
        files.push(STANDARD_INPUT.into());
    }
    check_standard_input(&files)?;
    Ok(files)
}

/// Fails if standard input is named twice.
pub fn check_standard_input(files: &[PathBuf]) -> Result<()> {
    if files.iter().filter(|&path| path == Path::new(STANDARD_INPUT)).count() > 1 {
        bail!("standard input (-) is named twice\n  hint: it can be read only once");
    }
    Ok(())
}

/// A filter that opens inputs one by one, and skips files without puzzles if they were found in directories or through
/// patterns. With `strict`, such files are errors.
#[derive(Default)]
pub struct InputFilter<'a> {
    typed: HashSet<&'a Path>,
    strict: bool,
    /// Whether result files in directories are skipped, too, because their puzzles have been solved before.
    pub without_results: bool,
    /// Whether an error from opening a file that was not typed is reported when the file's turn comes, not at once.
    pub fails_late: bool,
    /// If inputs are read several times, the copies of those that can be read only once.
    pub spool: Option<&'a Spool>,
    reasons: Vec<InputError>,
    results: Vec<PathBuf>,
}

impl<'a> InputFilter<'a> {
    /// Returns a filter for the inputs that were typed. It does not skip result files.
    pub fn new(typed: &'a [PathBuf], strict: bool) -> Self {
        Self { typed: typed.iter().map(PathBuf::as_path).collect(), strict, ..Self::default() }
    }

    /// Opens an input, or returns `None` if it is skipped. Fails if the input cannot be opened and either was typed or
    /// is broken.
    pub fn open(&mut self, path: &Path, read: &ReadOptions) -> Result<Option<Source>, InputError> {
        let is_typed = self.typed.contains(path);
        let copy = self.spool.and_then(|spool| spool.source(path, read));
        match copy.unwrap_or_else(|| Source::open(path, read)) {
            Ok(source) if self.without_results && !is_typed && self.are_results(path, &source) => {
                self.results.push(path.to_owned());
                Ok(None)
            }
            Ok(source) => Ok(Some(source)),
            // A pipe is never skipped.
            Err(error) if !self.strict && !is_typed && path.is_file() && is_foreign(path, &error) => {
                self.reasons.push(error);
                Ok(None)
            }
            Err(error) if self.fails_late && !self.strict && !is_typed => {
                Ok(Some(Source::failing(path, error)))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether a file that was found rather than typed is skipped, for callers that open inputs themselves.
    /// Other inputs are not opened here, since a pipe can be read only once.
    pub fn leaves_out(&mut self, path: &Path, read: &ReadOptions) -> bool {
        let is_found = path != Path::new(STANDARD_INPUT) && !self.typed.contains(path);
        is_found && path.is_file() && matches!(self.open(path, read), Ok(None))
    }

    fn are_results(&self, path: &Path, source: &Source) -> bool {
        let is_typed = |directory: &Path| self.typed.contains(directory) && directory.is_dir();
        source.columns().are_results() && path.ancestors().any(is_typed)
    }

    /// Prints which files were skipped. Fails if no input is left.
    pub fn finish(mut self, is_any_left: bool) -> Result<()> {
        let results = listed(&self.results);
        let more = self.reasons.len().saturating_sub(MOST_SHOWN);
        self.reasons.truncate(MOST_SHOWN);
        let more = (more > 0)
            .then(|| format!("and {} without puzzles", count_of(more as u64, "more file", "more files")));
        if !is_any_left {
            if let Some(names) = results {
                bail!(
                    "nothing but results of batchdoku: {names}\n  hint: name a file of results to solve its puzzles again"
                );
            }
            let reasons = self.reasons.iter().map(|reason| message::explained(reason));
            bail!(reasons.chain(more).collect::<Vec<_>>().join("\nerror: "));
        }
        for line in self.reasons.iter().map(ToString::to_string).chain(more) {
            message::note(format_args!("left out: {line}"));
        }
        if let Some(names) = results {
            message::note(format_args!("left out as results of batchdoku: {names}"));
        }
        Ok(())
    }
}

/// Returns whether a file that was not named holds no puzzles and is not meant to hold any.
fn is_foreign(path: &Path, error: &InputError) -> bool {
    let is_meant = ending(path).is_some_and(|ending| DATA_ENDINGS.contains(&&*ending));
    // A table of other data is not a broken puzzle file, nor is an empty file, which can be another program's shard.
    let is_whole =
        matches!(error, InputError::NoColumn { .. } | InputError::Foreign { .. } | InputError::Empty { .. });
    error.holds_no_puzzles() && (!is_meant || is_whole)
}

/// Opens inputs through an [`InputFilter`], and returns those that are left, along with their names. Fails if an input
/// cannot be opened or none is left.
pub fn open(
    mut filter: InputFilter<'_>,
    found: &[PathBuf],
    read: &ReadOptions,
) -> Result<(Vec<PathBuf>, Vec<Source>)> {
    let (mut names, mut sources, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_any_left = false;
    for path in found {
        match filter.open(path, read) {
            Ok(None) => {}
            Ok(Some(source)) => {
                is_any_left |= !source.is_failing();
                names.push(path.clone());
                sources.push(source);
            }
            Err(error) => problems.push(message::explained(&error)),
        }
    }
    if !is_any_left {
        let failures =
            sources.iter_mut().filter_map(|source: &mut Source| source.next_batch(Vec::new(), 1).err());
        problems.extend(failures.map(|error| message::explained(&error)));
    }
    if !problems.is_empty() {
        bail!(problems.join("\nerror: "));
    }
    filter.finish(is_any_left)?;
    Ok((names, sources))
}

/// Returns the extension of a name, not counting a compression extension.
fn ending(path: &Path) -> Option<String> {
    let ending = path.extension()?.to_string_lossy().to_lowercase();
    if matches!(&*ending, "gz" | "zst") { self::ending(&path.with_extension("")) } else { Some(ending) }
}

/// Returns whether a file in a directory is named like a data file. Names without an extension qualify, unless they are
/// in capitals (`LICENSE`, `SHA256SUMS`) or begin with `_` (like the `_metadata` files that Spark and Dask write).
fn is_called_data(path: &Path) -> bool {
    if let Some(ending) = ending(path) {
        return DATA_ENDINGS.iter().chain(&OPEN_ENDINGS).any(|known| *known == ending);
    }
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let is_in_capitals = name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase);
    !is_in_capitals && !begins(path, b"_")
}

/// Returns text that lists the first few names and counts the remaining files, or `None` if there are no files.
fn listed(paths: &[PathBuf]) -> Option<String> {
    let shown: Vec<_> = paths.iter().take(MOST_SHOWN).map(|path| shown_name(path)).collect();
    let more = paths.len() - shown.len();
    let names = shown.join(", ");
    (!paths.is_empty()).then(|| if more > 0 { format!("{names} and {more} more") } else { names })
}

/// Adds the paths below a directory (empty for the current one) that match the parts of a pattern. `**` does not follow
/// links.
fn matching(directory: PathBuf, parts: &[Component<'_>], found: &mut Vec<PathBuf>) -> Result<()> {
    // As in a shell, `*` does not match hidden files.
    const OPTIONS: MatchOptions = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let Some((part, rest)) = parts.split_first() else {
        found.extend(fs::symlink_metadata(&directory).is_ok().then_some(directory));
        return Ok(());
    };
    let text = part.as_os_str().to_string_lossy();
    if !text.contains(['*', '?', '[']) {
        return matching(directory.join(part), rest, found);
    }
    let is_any_depth = text == "**";
    let pattern = Pattern::new(&text)?;
    let place = if directory.as_os_str().is_empty() { Path::new(".") } else { &directory };
    if is_any_depth {
        let place = if rest.is_empty() { place.to_owned() } else { directory.clone() };
        matching(place, rest, found)?;
        if rest.is_empty() {
            // A directory stands for all files below it.
            return Ok(());
        }
    }
    if !place.is_dir() {
        return Ok(());
    }
    let cannot = || format!("{}: cannot be read", shown_name(place));
    for entry in fs::read_dir(place).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let name = entry.file_name();
        if !pattern.matches_with(&name.to_string_lossy(), OPTIONS) {
            continue;
        }
        let path = directory.join(&name);
        if !is_any_depth {
            matching(path, rest, found)?;
        } else if entry.file_type().with_context(cannot)?.is_dir() {
            matching(path, parts, found)?;
        }
    }
    Ok(())
}

/// The files that a name stands for.
struct Expanded<'a> {
    /// The canonical names of the files that the run writes.
    outputs: &'a [PathBuf],
    files: Vec<PathBuf>,
    left_out: Vec<PathBuf>,
}

impl Expanded<'_> {
    /// Adds an input, and returns whether it is a pattern.
    fn add(&mut self, path: PathBuf) -> Result<bool> {
        if path.is_dir() {
            self.add_directory(&path)?;
            return Ok(false);
        }
        let pattern = path.to_str().filter(|text| text.contains(['*', '?', '[']));
        let Some(pattern) = pattern.filter(|_| fs::symlink_metadata(&path).is_err()) else {
            self.files.push(path);
            return Ok(false);
        };
        let mut matches = Vec::new();
        let parts: Vec<_> = Path::new(pattern).components().collect();
        matching(PathBuf::new(), &parts, &mut matches).with_context(|| shown_name(&path))?;
        if pattern.ends_with('/') {
            matches.retain(|found| found.is_dir());
        }
        matches.sort_by_cached_key(|path| natural(path));
        matches.dedup();
        for found in matches {
            if found.is_dir() {
                self.add_directory(&found)?;
            } else if self.is_of_a_run(&found) || fs::metadata(&found).is_ok_and(|found| !found.is_file()) {
                self.left_out.push(found);
            } else {
                self.files.push(found);
            }
        }
        Ok(true)
    }

    /// Adds the files in a directory and its subdirectories.
    fn add_directory(&mut self, directory: &Path) -> Result<()> {
        let entries = fs::read_dir(directory).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries = entries.with_context(|| format!("{}: cannot be read", shown_name(directory)))?;
        entries.sort_by_cached_key(|entry| natural(Path::new(&entry.file_name())));
        for entry in entries {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            // Errors are reported when the file is opened.
            let found = fs::metadata(&path).ok();
            let is_directory = found.as_ref().is_some_and(fs::Metadata::is_dir);
            let is_other = found.is_some_and(|found| !found.is_dir() && !found.is_file());
            let is_beside = is_beside_inputs(&path);
            if is_beside && path.ends_with("all__labels.npy") {
                // This file is read together with `all__inputs.npy`.
                continue;
            }
            let is_wanted = if is_directory { !is_link } else { is_called_data(&path) && !is_beside };
            if !is_wanted || begins(&path, b".") || is_other || self.is_of_a_run(&path) {
                self.left_out.push(path);
            } else if is_directory {
                self.add_directory(&path)?;
            } else {
                self.files.push(path);
            }
        }
        Ok(())
    }

    /// Returns whether a file is an output of this run or a partial file.
    fn is_of_a_run(&self, path: &Path) -> bool {
        let is_output = |path: &Path| fs::canonicalize(path).is_ok_and(|path| self.outputs.contains(&path));
        is_unfinished(path) || !self.outputs.is_empty() && is_output(path)
    }
}

/// Returns whether the name of a file or directory begins with `start`.
fn begins(path: &Path, start: &[u8]) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(start))
}

/// Returns whether a file belongs to an HRM training set but is not its input file.
fn is_beside_inputs(path: &Path) -> bool {
    let inputs = path.with_file_name("all__inputs.npy");
    begins(path, b"all__") && path != inputs && inputs.exists()
}

/// Returns the sort key of a path: its components, with digits compared as numbers, and equal numbers compared by
/// leading zeros.
fn natural(path: &Path) -> Vec<(Vec<Token>, Vec<u8>)> {
    let token = |run: &[u8]| match run[0] {
        b'0'..=b'9' => {
            let number: Vec<_> = run.iter().copied().skip_while(|&digit| digit == b'0').collect();
            (b'0', number.len(), number)
        }
        byte => (byte, 0, Vec::new()),
    };
    let part = |part: &OsStr| {
        let bytes = part.as_encoded_bytes();
        let runs = bytes.chunk_by(|byte, next| byte.is_ascii_digit() && next.is_ascii_digit());
        (runs.map(token).collect(), bytes.to_vec())
    };
    path.iter().map(part).collect()
}

/// A byte of a name, or a number: the byte `0`, the count of its digits, and the digits.
type Token = (u8, usize, Vec<u8>);

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// A linear search through all names for each name would take a minute or more.
    #[test]
    fn so_many_names_are_typed_that_each_must_be_found_at_once() {
        let typed: Vec<_> = (0..100_000).map(|number| PathBuf::from(format!("shard/{number}"))).collect();
        let started = Instant::now();
        let mut filter = InputFilter::new(&typed, false);
        assert!(!typed.iter().any(|name| filter.leaves_out(name, &ReadOptions::default())));
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    }

    /// Creates a directory with empty files of these names.
    fn directory(names: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for name in names {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        directory
    }

    /// Returns the files that these names in a directory stand for, or the error if there are none.
    fn meant(directory: &tempfile::TempDir, typed: &[&str], outputs: &[&str]) -> Result<String, String> {
        let inside = |name: &&str| directory.path().join(name);
        let outputs: Vec<_> = outputs.iter().map(inside).collect();
        let found = expanded(typed.iter().map(inside).collect(), &outputs);
        let prefix = format!("{}/", shown_name(directory.path()));
        match found {
            Ok(found) => {
                let names = found.iter().map(|path| shown_name(path).replace(&prefix, ""));
                Ok(names.collect::<Vec<_>>().join(" "))
            }
            Err(error) => Err(error.to_string().replace(&prefix, "")),
        }
    }

    #[test]
    fn labels_that_are_read_as_claims_are_not_left_out() {
        let place = directory(&["all__inputs.npy", "all__labels.npy", "all__group_indices.npy"]);
        let mut found = Expanded { outputs: &[], files: Vec::new(), left_out: Vec::new() };
        found.add(place.path().to_owned()).unwrap();
        assert_eq!(found.files, [place.path().join("all__inputs.npy")]);
        assert_eq!(found.left_out, [place.path().join("all__group_indices.npy")]);
    }

    #[test]
    fn patterns_are_the_files_that_they_match_in_natural_order() {
        let place = directory(&["t-10.csv", "t-2.csv", "t-02.csv", ".t-1.csv", "a/t-1.csv", "b/c/t-7.txt"]);
        let meant = |typed: &[&str]| meant(&place, typed, &[]);
        assert_eq!(meant(&["t-*.csv"]).unwrap(), "t-02.csv t-2.csv t-10.csv");
        assert_eq!(meant(&["t-?.csv"]).unwrap(), "t-2.csv");
        assert_eq!(meant(&["t-[!0-1].csv", "t-1[0-9].csv"]).unwrap(), "t-2.csv t-10.csv");
        assert_eq!(meant(&["*/t-*"]).unwrap(), "a/t-1.csv");
        assert_eq!(meant(&["**/t-*.txt"]).unwrap(), "b/c/t-7.txt");
        // A pattern that matches a directory stands for its contents.
        assert_eq!(meant(&["[ab]"]).unwrap(), "a/t-1.csv b/c/t-7.txt");
        assert_eq!(meant(&["x-*.csv"]).unwrap_err(), "x-*.csv: no file matches the pattern");
        assert!(meant(&["t-[.csv"]).unwrap_err().starts_with("t-[.csv"));
    }

    #[cfg(unix)]
    #[test]
    fn patterns_match_any_name_and_follow_no_links_to_anywhere() {
        use std::os::unix::{ffi::OsStrExt, fs::symlink};

        let place = directory(&["a/p.txt", "b/p.txt"]);
        symlink(".", place.path().join("a/loop")).unwrap();
        let odd = Path::new("b").join(OsStr::from_bytes(b"q\xff.txt"));
        fs::write(place.path().join(&odd), "").unwrap();
        let all = format!("a/p.txt b/p.txt {}", shown_name(&odd));
        assert_eq!(meant(&place, &["**/p.txt"], &[]).unwrap(), "a/p.txt b/p.txt");
        for typed in [&["*/*.txt"][..], &["**"], &["a", "b"]] {
            assert_eq!(meant(&place, typed, &[]).unwrap(), all, "{typed:?}");
        }
        // `.` is the current directory.
        let mut found = Vec::new();
        matching(PathBuf::new(), &[Component::Normal("**".as_ref())], &mut found).unwrap();
        assert_eq!(found, [Path::new(".")]);
    }

    #[test]
    fn a_file_with_the_name_of_a_pattern_is_meant_itself() {
        let place = directory(&["a[1].txt", "a1.txt", "none"]);
        assert_eq!(meant(&place, &["a[1].txt"], &[]).unwrap(), "a[1].txt");
        fs::remove_file(place.path().join("a[1].txt")).unwrap();
        assert_eq!(meant(&place, &["a[1].txt"], &[]).unwrap(), "a1.txt");
        // A missing file is reported when it is opened.
        assert_eq!(meant(&place, &["missing.txt"], &[]).unwrap(), "missing.txt");
    }

    #[test]
    fn a_directory_is_the_files_in_it_and_below_that_are_called_as_data_are() {
        let data =
            ["d/b.TXT", "d/c.Csv.gz", "d/e/Fg/17", "d/h.gz.zst", "d/train.py/p-9.npy", "d/train.py/p-10.npy"];
        let other = [
            "d/.a.txt",
            "d/.b/c.txt",
            "d/_c",
            "d/AB12-C",
            "d/i.tar.gz",
            "d/j.odt",
            "d/k.partial",
            "d/l.md.zst",
            "m/n.md",
        ];
        let place = directory(&[&data[..], &other].concat());
        assert_eq!(meant(&place, &["d"], &[]).unwrap(), data.join(" "));
        let written = meant(&place, &["d/train.py"], &["d/train.py/p-9.npy"]).unwrap();
        assert_eq!(written, "d/train.py/p-10.npy");
        assert_eq!(
            meant(&place, &["d/*.gz"], &["d/c.Csv.gz", "d/i.tar.gz"]).unwrap_err(),
            "d/*.gz: no file matches the pattern (left out: d/c.Csv.gz, d/i.tar.gz)"
        );
        assert_eq!(
            meant(&place, &["d/*.od?", "m/n.md"], &[]).unwrap(),
            "d/j.odt m/n.md",
            "what is named is meant"
        );
        assert_eq!(
            meant(&place, &["m"], &[]).unwrap_err(),
            "m: no files in the directory (left out: m/n.md)"
        );
    }

    const PUZZLE: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107";

    /// Returns the first letters of the files that remain when these names in a directory are expanded and filtered.
    fn left(
        place: &tempfile::TempDir,
        typed: &[&str],
        [strict, without_results]: [bool; 2],
    ) -> Result<String> {
        let typed: Vec<_> = typed.iter().map(|name| place.path().join(name)).collect();
        let mut filter = InputFilter { without_results, ..InputFilter::new(&typed, strict) };
        let mut names = String::new();
        for path in expanded(typed.clone(), &[]).unwrap() {
            // A skipped file is neither an error nor a source.
            if !matches!(filter.open(&path, &ReadOptions::default()), Ok(None)) {
                names.extend(path.file_name().unwrap().to_str().unwrap().chars().next());
            }
        }
        filter.finish(!names.is_empty()).map(|()| names)
    }

    #[test]
    fn what_holds_no_puzzles_is_left_out_where_it_was_not_named() {
        let place = directory(&[]);
        for (name, text) in [
            ("a.txt", format!("{PUZZLE}\n")),
            ("b.in", "12:30 started\n12:31 ended\n".to_owned()),
            ("c.json", "{\"name\": \"x\"}\n".to_owned()),
            ("d.csv", "id,name\n1,x\n2,y\n".to_owned()),
            ("e.dat", "7\t1\n".repeat(200)),
            // A broken data file is kept, and is an error.
            ("f.txt", "12 A1 A2\n7 B1 C1\n15 A3 B3 C3\n".to_owned()),
            ("g.csv", format!("puzzle\n{}", "4.3E+78\n".repeat(9))),
            ("h.txt", "PK\u{3}\u{4}".to_owned()),
            ("i.csv", String::new()),
            ("j.csv", "<html><body>404</body></html>\n".to_owned()),
            ("k.parquet", "PAR\n".to_owned()),
        ] {
            fs::write(place.path().join(name), text).unwrap();
        }
        let left = |typed: &[&str], strict| left(&place, typed, [strict, false]);
        assert_eq!(left(&["."], false).unwrap(), "afgk");
        assert_eq!(left(&["."], true).unwrap(), "abcdefghijk");
        assert_eq!(left(&["*.txt", "b.in", "*.dat"], false).unwrap(), "afb");
        let error = left(&["[b-e].*"], false).unwrap_err().to_string();
        assert_eq!(error.matches("\n  hint: ").count(), 4, "{error}");
        assert_eq!(error.matches("\nerror: ").count(), 3, "{error}");
    }

    #[test]
    fn results_in_a_directory_are_no_puzzles() {
        let place = directory(&["r/x"]);
        let row = format!("1,a,1,sudoku,unique,1,30,0,{PUZZLE},,");
        let names = "id,source,line,kind,status,solutions,clues,guesses,puzzle,solution,error";
        let object = format!(
            "{{\"id\":1,\"source\":\"a\",\"line\":1,\"kind\":\"sudoku\",\"status\":\"unique\",\"puzzle\":\"{PUZZLE}\"}}\n"
        );
        for (name, text) in [
            ("a.csv", format!("id,puzzle\n1,{PUZZLE}\n")),
            ("b.csv", format!("{names}\n{row}\n")),
            ("c.jsonl", object.clone()),
            ("d.txt", format!("{PUZZLE}\n")),
            ("e", "no puzzles".to_owned()),
            ("r/x", object),
        ] {
            fs::write(place.path().join(name), text).unwrap();
        }
        let left = |typed: &[&str], strict| left(&place, typed, [strict, true]);
        // An unreadable file is reported when it is opened.
        assert_eq!(left(&[""], true).unwrap(), "ade");
        // A named file is always read.
        assert_eq!(left(&["b.csv"], true).unwrap(), "b");
        assert_eq!(left(&["*.csv"], true).unwrap(), "ab");
        let error = left(&["r"], false).unwrap_err().to_string();
        assert!(error.starts_with("nothing but results of batchdoku: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_are_followed_and_loops_are_not() {
        use std::os::unix::fs::symlink;
        let place = directory(&["d/a.txt", "blobs/1"]);
        symlink("../blobs/1", place.path().join("d/b.txt")).unwrap();
        symlink(".", place.path().join("d/loop")).unwrap();
        symlink("nowhere", place.path().join("d/c.txt")).unwrap();
        symlink("d", place.path().join("link")).unwrap();
        assert_eq!(meant(&place, &["d"], &[]).unwrap(), "d/a.txt d/b.txt d/c.txt");
        assert_eq!(meant(&place, &["link"], &[]).unwrap(), "link/a.txt link/b.txt link/c.txt");
    }

    #[test]
    fn digits_are_numbers_and_the_order_is_total() {
        let sorted = ["", "a", "a/b", "a1", "a01b", "a1b", "a2", "a10", "a18446744073709551616", "b"];
        for (at, first) in sorted.iter().enumerate() {
            for (other, second) in sorted.iter().enumerate() {
                let order = natural(Path::new(first)).cmp(&natural(Path::new(second)));
                assert_eq!(order, at.cmp(&other), "{first} {second}");
            }
        }
    }
}
