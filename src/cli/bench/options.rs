//! The options that the `bench` flags stand for.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, anyhow};

use super::args::BenchArguments;
use super::page::Form;
use crate::bench::contender::name_of;
use crate::bench::program::Program;
use crate::bench::result::YARDSTICK;
use crate::cli::inputs;
use crate::cli::message::Context;
use crate::cli::options::{self, backend, read_options, with_forms};
use crate::input::ReadOptions;
use crate::solver::{Backend, Limits, Wanted};

/// The dialect in which this program reads the puzzles when it is measured as a whole process. In this dialect, a
/// solved grid never counts as the solution of the puzzle above it.
const PUZZLES: &str = "line,blank=.,solution=no";

/// The options for `bench`.
#[derive(Debug)]
pub struct BenchOptions {
    /// The flags as typed.
    pub typed: BenchArguments,
    /// The input names in order, at least one; `-` is standard input, and occurs at most once.
    pub inputs: Vec<PathBuf>,
    /// The options for reading the inputs.
    pub read: ReadOptions,
    /// The limits for each search.
    pub limits: Limits,
    /// The in-process contenders: every backend with every thread count, at least one, without duplicates.
    pub contenders: Vec<(Backend, NonZeroUsize)>,
    /// The thread counts, at least one, without duplicates.
    pub threads: Vec<NonZeroUsize>,
    /// The whole programs to measure, this one first; empty if no other programs are given.
    pub programs: Vec<Program>,
    /// The `--output` files and their formats.
    pub outputs: Vec<(Form, PathBuf)>,
}

impl BenchOptions {
    /// Returns the options that the flags stand for. Fails if flags contradict each other in a way that clap does not
    /// check, or if an `--against` command is invalid.
    pub fn new(typed: BenchArguments) -> Result<Self> {
        let mut backends = typed.backend.iter().map(|name| backend(name)).collect::<Result<Vec<_>>>()?;
        let names = backends.iter().map(|backend| backend.name().to_owned());
        check_unique(names, |name| {
            format!("--backend names {name} twice (`auto` stands for the fastest of them)")
        })?;
        let threads = typed.threads.iter().map(|&threads| options::threads(Some(threads)));
        let threads: Vec<_> = threads.collect();
        check_unique(threads.iter().map(ToString::to_string), |count| {
            format!("--threads names {count} twice")
        })?;
        let outputs = with_forms(typed.output.clone(), Form::of_name, |name| {
            format!(
                "--output {name}: {}\n  hint: leave it out to have only the printed tables",
                Form::EXPECTED
            )
        })?;
        if outputs.iter().any(|(form, _)| *form == Form::Json) && !backends.contains(&YARDSTICK) {
            backends.push(YARDSTICK);
        }
        let on_threads = |&backend| threads.iter().map(move |&threads| (backend, threads));
        let contenders: Vec<_> = backends.iter().flat_map(on_threads).collect();
        let limits = Limits { max_guesses: typed.max_guesses, ..Limits::default() };
        let limits = typed.answers.limits(limits)?;
        let read = ReadOptions { hash: true, ..read_options(typed.read.clone())? };
        let inputs = inputs::expanded(typed.inputs.clone(), outputs.iter().map(|(_, path)| path))?;
        Ok(Self {
            inputs,
            read,
            programs: programs(&typed.against, &contenders, &limits)?,
            limits,
            contenders,
            threads,
            outputs,
            typed,
        })
    }
}

/// Returns the programs to measure: this one, once for each contender, and those in `against`.
fn programs(
    against: &[String],
    contenders: &[(Backend, NonZeroUsize)],
    limits: &Limits,
) -> Result<Vec<Program>> {
    if against.is_empty() {
        return Ok(Vec::new());
    }
    let this = env::current_exe().context("cannot find the file of this program")?;
    let mut programs: Vec<_> = contenders
        .iter()
        .map(|&(backend, threads)| ours(this.clone().into(), backend, threads, limits))
        .collect();
    for text in against {
        programs.push(theirs(text)?);
    }
    let names = programs.iter().map(|program| program.name.clone());
    check_unique(names, |name| format!("--against: the name {name} is taken"))?;
    Ok(programs)
}

/// Returns this program with a given backend, as a whole program to measure.
fn ours(this: OsString, backend: Backend, threads: NonZeroUsize, limits: &Limits) -> Program {
    let mut words = vec![this];
    let max_guesses = limits.max_guesses.map_or_else(String::new, |most| format!(" --max-guesses {most}"));
    let solution = if limits.wanted == Wanted::Any { " --solution any" } else { "" };
    let arguments = format!(
        "solve -j {threads} --backend {} --limit {}{solution}{max_guesses} -O lines --lenient --quiet --format {PUZZLES} {{in}} -o {{out}}",
        backend.name(),
        limits.solutions
    );
    words.extend(arguments.split(' ').map(OsString::from));
    Program {
        name: format!("batchdoku {}", name_of(backend, threads)),
        backend: Some(backend),
        words,
        threads: Some(threads.get()),
        may_give_up: limits.max_guesses.is_some(),
    }
}

/// Parses a program given with `--against`.
fn theirs(text: &str) -> Result<Program> {
    let refusal = |why: &str| {
        anyhow!(
            "--against '{text}': {why}\n  hint: write it as 'NAME=COMMAND', such as 'mine=./mine {{in}} {{out}}'"
        )
    };
    let (name, command) = text.split_once('=').ok_or_else(|| refusal("it has no ="))?;
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_control) {
        return Err(refusal("it has no name before the ="));
    }
    let words = shlex::split(command).ok_or_else(|| refusal("a quotation in the command is not closed"))?;
    if words.first().is_none_or(String::is_empty) {
        return Err(refusal("it has no command after the ="));
    }
    // Hardly any program takes such arguments, but they mean something to a shell.
    let is_of_shell = |word: &&String| word.contains(['<', '>', '|', ';', '&', '`']) || word.contains("$(");
    let has_shell = words.get(1).is_some_and(|word| word == "-c");
    if let Some(word) = words.iter().find(is_of_shell).filter(|_| !has_shell) {
        return Err(refusal(&format!(
            "the command runs without a shell, and '{word}' needs one: write {name}=sh -c \"...\""
        )));
    }
    let words = words.into_iter().map(OsString::from).collect();
    Ok(Program { name: name.to_owned(), words, ..Program::default() })
}

/// Fails with `refusal` if a name occurs twice.
fn check_unique(names: impl IntoIterator<Item = String>, refusal: impl Fn(&str) -> String) -> Result<()> {
    let mut seen = BTreeSet::new();
    let twice = names.into_iter().find(|name| !seen.insert(name.clone()));
    twice.map_or(Ok(()), |name| Err(anyhow!(refusal(&name))))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Arguments, Command};

    fn typed(words: &[&str]) -> Result<BenchArguments, clap::Error> {
        let arguments = Arguments::try_parse_from(["batchdoku", "bench"].iter().chain(words))?;
        match arguments.command {
            Command::Bench(typed) => Ok(*typed),
            other => panic!("{other:?} is not what was typed"),
        }
    }

    fn options(words: &[&str]) -> Result<BenchOptions> {
        BenchOptions::new(typed(words).unwrap())
    }

    fn refusal(words: &[&str]) -> String {
        options(words).unwrap_err().to_string()
    }

    #[test]
    fn defaults_with_only_a_file() {
        let options = options(&["a.txt"]).unwrap();
        assert_eq!(options.inputs, [std::path::Path::new("a.txt")]);
        assert_eq!(options.contenders, [(Backend::best(), NonZeroUsize::MIN)]);
        assert_eq!((&options.threads[..], options.limits), (&[NonZeroUsize::MIN][..], Limits::default()));
        assert_eq!(options.typed.seconds.as_secs(), 5);
        assert!(options.programs.is_empty() && options.outputs.is_empty());
    }

    #[test]
    fn a_command_is_split_as_a_shell_does_it() {
        let options =
            options(&["--against", "my solver=./run 'a b' --in={in} \"{out}\"", "-j3", "--limit=1"]);
        let [ours, theirs] = &options.unwrap().programs[..] else { panic!("there are two programs") };
        assert_eq!(theirs.name, "my solver");
        assert_eq!(theirs.words, ["./run", "a b", "--in={in}", "{out}"]);
        assert_eq!(ours.name, format!("batchdoku {} -j 3", Backend::best().name()));
        let words: Vec<_> = ours.words[1..].iter().map(|word| word.to_str().unwrap()).collect();
        let words = words.join(" ");
        assert!(words.starts_with(&format!("solve -j 3 --backend {} --limit 1", Backend::best().name())));
        assert!(words.ends_with(" {in} -o {out}"));
    }

    #[test]
    fn invalid_commands_are_refused() {
        for (text, why) in [
            ("./mine {in}", "it has no ="),
            ("=./mine", "no name"),
            (" =./mine", "no name"),
            ("mine=", "no command"),
            ("mine=  ", "no command"),
            ("mine=''", "no command"),
            ("mine=./mine 'a", "quotation"),
            ("mine=./mine <{in} >{out}", "'<{in}'"),
            ("mine=./mine {in} {out}|cat", "'{out}|cat'"),
            ("mine=./mine $(cat list) {out}", "'$(cat'"),
        ] {
            let refusal = refusal(&["--against", text]);
            assert!(refusal.contains(why) && refusal.contains("hint"), "{text}: {refusal}");
        }
    }
}
