//! What the flags of `bench` mean.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};

use super::args::BenchArguments;
use super::page::Form;
use crate::bench::MeasureOptions;
use crate::bench::contender::name_of;
use crate::bench::program::Program;
use crate::bench::result::YARDSTICK;
use crate::cli::forms::with_forms;
use crate::cli::inputs;
use crate::cli::options::{self, backend, read_options};
use crate::input::ReadOptions;
use crate::solver::{Backend, Limits, Wanted};

/// How this program reads what it is given as a whole program: a solved grid is not taken for the solution of the
/// puzzle above it.
const PUZZLES: &str = "line,blank=.,solution=no";

/// What `bench` is to do.
#[derive(Debug)]
pub struct BenchOptions {
    /// What was typed.
    pub typed: BenchArguments,
    /// Names of the inputs in order, `-` for standard input; at least one, and `-` at most once.
    pub inputs: Vec<PathBuf>,
    /// How to read them.
    pub read: ReadOptions,
    /// How to measure.
    pub measure: MeasureOptions,
    /// The contenders in this process: every backend on every number of threads, at least one, none twice.
    pub contenders: Vec<(Backend, NonZeroUsize)>,
    /// Numbers of threads to measure each of them on, at least one, none twice.
    pub threads: Vec<NonZeroUsize>,
    /// Whole programs to measure, ours first; empty if there is no other.
    pub programs: Vec<Program>,
    /// What to write where.
    pub outputs: Vec<(Form, PathBuf)>,
}

impl BenchOptions {
    /// Gives what was typed its meaning. Fails if two flags contradict each other in a way that clap cannot see, or a
    /// command is none.
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
            format!("--output {name}: {}\n  hint: the tables go to standard output, too", Form::EXPECTED)
        })?;
        if typed.compare.is_some() && backends == [YARDSTICK] && typed.against.is_empty() {
            bail!(
                "--compare needs a contender other than {}, by which the others are compared",
                YARDSTICK.name()
            );
        }
        let compares = typed.compare.is_some() || outputs.iter().any(|(form, _)| *form == Form::Json);
        if compares && !backends.contains(&YARDSTICK) {
            backends.push(YARDSTICK);
        }
        let on_threads = |&backend| threads.iter().map(move |&threads| (backend, threads));
        let contenders: Vec<_> = backends.iter().flat_map(on_threads).collect();
        let limits = Limits { max_guesses: typed.max_guesses, ..Limits::default() };
        let limits = typed.answers.limits(limits);
        let read = ReadOptions { hash: true, ..read_options(typed.read.clone())? };
        let inputs = inputs::expanded(typed.inputs.clone(), outputs.iter().map(|(_, path)| path))?;
        Ok(Self {
            inputs,
            read,
            programs: programs(&typed.against, &contenders, &limits)?,
            measure: MeasureOptions { limits, time: typed.seconds, seed: typed.seed, permute: typed.permute },
            contenders,
            threads,
            outputs,
            typed,
        })
    }
}

/// The programs to measure: those of `against`, and before them this one in place of each contender.
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

/// This program with a backend.
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

/// A program as `--against` names it.
fn theirs(text: &str) -> Result<Program> {
    let refusal = |why: &str| {
        anyhow!(
            "--against '{text}': {why}\n  hint: write it as 'NAME=COMMAND', such as 'mine=./mine {{in}} {{out}}'"
        )
    };
    let (name, command) = text.split_once('=').ok_or_else(|| refusal("there is no = in it"))?;
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_control) {
        return Err(refusal("there is no name before the ="));
    }
    let words = shlex::split(command).ok_or_else(|| refusal("a quote in the command does not end"))?;
    if words.first().is_none_or(String::is_empty) {
        return Err(refusal("there is no command behind the ="));
    }
    // Programs hardly ever take these signs, and a command that means them needs a shell, to which they may be given.
    let is_of_shell = |word: &&String| word.contains(['<', '>', '|', ';', '&', '`']) || word.contains("$(");
    let has_shell = words.get(1).is_some_and(|word| word == "-c");
    if let Some(word) = words.iter().find(is_of_shell).filter(|_| !has_shell) {
        return Err(refusal(&format!(
            "no shell runs the command, which would know '{word}'; write {name}=sh -c \"...\""
        )));
    }
    let words = words.into_iter().map(OsString::from).collect();
    Ok(Program { name: name.to_owned(), backend: None, words, threads: None, may_give_up: false })
}

/// Refuses a name that occurs twice, with the words of `refusal`.
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
    fn what_is_meant_when_only_a_file_is_typed() {
        let options = options(&["a.txt"]).unwrap();
        assert_eq!(options.inputs, [std::path::Path::new("a.txt")]);
        assert_eq!(options.contenders, [(Backend::best(), NonZeroUsize::MIN)]);
        assert_eq!(
            (&options.threads[..], options.measure.limits),
            (&[NonZeroUsize::MIN][..], Limits::default())
        );
        assert_eq!(options.measure.time.as_secs(), 5);
        assert!(!options.measure.permute);
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
        assert!(words.starts_with(&[
            "solve",
            "-j",
            "3",
            "--backend",
            Backend::best().name(),
            "--limit",
            "1"
        ]));
        assert!(words.ends_with(&["{in}", "-o", "{out}"]));
    }

    #[test]
    fn commands_that_are_none_are_refused() {
        for (text, why) in [
            ("./mine {in}", "no = in it"),
            ("=./mine", "no name"),
            (" =./mine", "no name"),
            ("mine=", "no command"),
            ("mine=  ", "no command"),
            ("mine=''", "no command"),
            ("mine=./mine 'a", "quote"),
            ("mine=./mine <{in} >{out}", "'<{in}'"),
            ("mine=./mine {in} {out}|cat", "'{out}|cat'"),
            ("mine=./mine $(cat list) {out}", "'$(cat'"),
        ] {
            let refusal = refusal(&["--against", text]);
            assert!(refusal.contains(why) && refusal.contains("hint"), "{text}: {refusal}");
        }
    }

    #[test]
    fn the_ending_of_an_output_says_what_goes_into_it() {
        let options = options(&["-o", "c.CSV", "-o", "a.json", "--output=b.md", "-o", "d.markdown"]).unwrap();
        let forms: Vec<_> = options.outputs.iter().map(|(form, _)| *form).collect();
        assert_eq!(forms, [Form::Csv, Form::Json, Form::Markdown, Form::Markdown]);
        for name in ["a.txt", "json", "-", "a.json.gz"] {
            let refusal = refusal(&["-o", name]);
            assert!(
                refusal.contains(&format!("{name}: does not say")) && refusal.contains(".json, .csv"),
                "{refusal}"
            );
        }
    }

    #[test]
    fn contenders_are_backends_on_numbers_of_threads() {
        let options =
            options(&["--backend", "portable,scalar", "-j", "1,2", "--against", "mine=./mine"]).unwrap();
        let names: Vec<_> =
            options.contenders.iter().map(|&(backend, threads)| name_of(backend, threads)).collect();
        assert_eq!(names, ["portable", "portable -j 2", "scalar", "scalar -j 2"]);
        let programs: Vec<_> = options.programs.iter().map(|program| &*program.name).collect();
        assert_eq!(programs[1..4], ["batchdoku portable -j 2", "batchdoku scalar", "batchdoku scalar -j 2"]);
    }

    /// Whoever compares, now or later, needs the yardstick.
    #[test]
    fn the_yardstick_is_measured_where_runs_are_compared() {
        let backends = |words: &[&str]| {
            options(words).unwrap().contenders.iter().map(|contender| contender.0).collect::<Vec<_>>()
        };
        assert_eq!(backends(&["--backend", "portable", "-o", "a.csv"]).len(), 1);
        for words in [["-o", "a.json"], ["--compare", "a.json"]] {
            assert_eq!(backends(&[&["--backend", "portable"], &words[..]].concat())[1..], [YARDSTICK]);
        }
        assert_eq!(backends(&["--backend", "scalar,portable", "-o", "a.json"]).len(), 2);
        assert!(
            refusal(&["--backend", "scalar", "--compare", "a"]).contains("a contender other than scalar")
        );
    }
}
