//! The command line, flag by flag, for runs that resume this one and for commands that reproduce a defect.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::flags::affects_rows;
use super::resume::Settings;
use crate::provenance;
use crate::solver::Backend;

/// The `--help` heading for the flags that affect answers.
pub const SOLVING: &str = "Solving";

/// A subcommand and its flags: those that were typed, and those with a default.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    command: String,
    flags: Vec<Flag>,
}

#[derive(Clone, Debug)]
struct Flag {
    name: String,
    /// Empty for a switch.
    values: Vec<String>,
    /// Whether the flag was typed; if not, it has its default value.
    is_typed: bool,
    affects_rows: bool,
    bears_on_answers: bool,
}

impl Typed {
    /// Returns the flags of a parsed subcommand whose definition clap has built.
    pub fn of(definition: &Command, matches: &ArgMatches) -> Self {
        let flags = definition.get_arguments().filter_map(|argument| {
            let id = argument.get_id().as_str();
            // An argument without a long name is identified by its id.
            let name = argument.get_long().unwrap_or(id);
            let is_typed = matches.value_source(id)? == ValueSource::CommandLine;
            let values = matches.get_raw(id).into_iter().flatten();
            let values: Vec<_> = values.map(|value| value.to_string_lossy().into_owned()).collect();
            let is_switch = !argument.get_action().takes_values();
            (is_typed || !is_switch).then(|| Flag {
                name: name.to_owned(),
                values: if is_switch { Vec::new() } else { values },
                is_typed,
                affects_rows: affects_rows(definition, argument),
                bears_on_answers: argument.get_help_heading() == Some(SOLVING),
            })
        });
        Self { command: definition.get_name().to_owned(), flags: flags.collect() }
    }

    /// Returns whether a flag was typed, even if only with its default value.
    pub fn has(&self, name: &str) -> bool {
        self.given().any(|(typed, _)| typed == name)
    }

    /// Returns the flags that were typed, each along with whether it affects the rows.
    pub fn given(&self) -> impl Iterator<Item = (&str, bool)> {
        self.flags.iter().filter(|flag| flag.is_typed).map(|flag| (&*flag.name, flag.affects_rows))
    }

    /// Sets the value of a flag that rows depend on. Even then, [`has`](Self::has) treats the flag as not typed.
    pub fn set(&mut self, name: &str, value: String) {
        self.flags.retain(|flag| flag.name != name);
        let (name, values) = (name.to_owned(), vec![value]);
        self.flags.push(Flag { name, values, is_typed: false, affects_rows: true, bears_on_answers: false });
    }

    /// Returns the settings that rows depend on: the version, the subcommand, and all flags that affect rows.
    pub fn settings(&self) -> Settings {
        let flags = self.flags.iter().filter(|flag| flag.affects_rows);
        let value = |flag: &Flag| match &flag.values[..] {
            [] => "given".to_owned(),
            // All lane backends give the same rows.
            [backend] if flag.name == "backend" && backend != Backend::SCALAR.name() => "lanes".to_owned(),
            values => values.join(","),
        };
        let flags = flags.map(|flag| (format!("--{}", flag.name), value(flag)));
        let fixed = [("version", provenance::version_and_revision()), ("command", self.command.clone())];
        flags.chain(fixed.map(|(name, value)| (name.to_owned(), value))).collect()
    }

    /// Returns the subcommand and the flags that affect answers as a command line, with `backend` in place of `auto`.
    pub fn repeated(&self, backend: Option<&str>) -> String {
        let flags = self.flags.iter().filter(|flag| flag.bears_on_answers);
        flags.fold(self.command.clone(), |line, Flag { name, values, .. }| match backend {
            Some(backend) if name == "backend" => format!("{line} --{name} {backend}"),
            _ if values.is_empty() => format!("{line} --{name}"),
            _ => format!("{line} --{name} {}", values.join(",")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flags::{RUN, with_run_group};
    use clap::{Arg, ArgAction};

    #[test]
    fn what_has_no_long_name_is_a_setting_and_a_flag_that_affects_no_row_is_none() {
        let mut command = with_run_group(Command::new("turn"))
            .arg(Arg::new("kind"))
            .arg(Arg::new("inputs").action(ArgAction::Append).group(RUN))
            .arg(Arg::new("turns").short('k').action(ArgAction::Set))
            .arg(Arg::new("quiet").long("quiet").action(ArgAction::SetTrue).group(RUN));
        command.build();
        let settings = |words: &[&str]| {
            let matches = command.clone().try_get_matches_from(words).unwrap();
            Typed::of(&command, &matches).settings()
        };
        let typed = settings(&["turn", "easy", "a.txt", "-k", "2", "--quiet"]);
        let value = |name: &str| typed.get(name).map(String::as_str);
        assert_eq!((value("--turns"), value("--kind")), (Some("2"), Some("easy")));
        assert_eq!(typed.len(), settings(&["turn"]).len() + 2);
    }
}
