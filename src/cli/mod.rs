//! The command line: the only layer that knows terminals, signals and exit codes.
//!
//! `args` is what was typed, `flags` the part of it that subcommands share, and `options` what it means. `solve`
//! opens everything before it starts anything. Results go to standard output or a file, everything else to
//! standard error.

mod args;
mod bench;
mod exit;
mod figures;
mod flags;
mod generate;
mod interrupt;
mod man;
mod message;
mod options;
mod progress;
mod report;
mod solve;
mod summary;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{CommandFactory, Parser};

use args::{Arguments, Command};
use bench::options::BenchOptions;
use exit::Exit;
use options::{SolveOptions, Terminals};

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => {
            // Help and version are answers too, with code 0. Nobody may be reading them.
            let _ = answer.print();
            return ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(Exit::Trouble.code()));
        }
    };
    match run(arguments.command) {
        Ok(exit) => exit.into(),
        Err(error) => {
            message::error(message::chain(&error));
            Exit::Trouble.into()
        }
    }
}

fn run(command: Command) -> Result<Exit> {
    match command {
        Command::Solve(typed) => solve::solve(&SolveOptions::new(*typed, Terminals::of_this_process())?),
        Command::Bench(typed) => bench::bench(&BenchOptions::new(*typed, Terminals::of_this_process())?),
        Command::Report(typed) => report::report(typed, Terminals::of_this_process()),
        Command::Generate(arguments) => printed(generate::generate(&arguments, &mut io::stdout().lock())),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "batchdoku", &mut script);
            print(&script)
        }
        Command::Man => print(&man::page().context("cannot make the man page")?),
    }
}

fn print(text: &[u8]) -> Result<Exit> {
    let mut out = io::stdout().lock();
    printed(out.write_all(text).and_then(|()| out.flush()))
}

/// What came of printing to standard output; a reader who has seen enough is no error.
fn printed(result: io::Result<()>) -> Result<Exit> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(Exit::Answered),
    }
}
