//! What the exit code says.

use std::process::ExitCode;

use crate::engine::{Ending, EngineError, Report};
use crate::output::Status;

/// How the program ends; `solve --help` and `bench --help` tell the user the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every record has an answer.
    Answered,
    /// Some records are invalid, unsolvable or unfinished, or `--strict` stopped the run.
    Unanswered,
    /// A contender of a benchmark failed, or got slower than is allowed.
    Outrun,
    /// Wrong usage, or an input or output that cannot be opened, read or written.
    Trouble,
    /// An answer failed the check.
    InternalError,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// What a run that ended in that way amounts to, the gravest first: a wrong answer is a defect
    /// and must not hide behind anything else.
    #[must_use]
    pub fn of_run(report: &Report, lenient: bool) -> Self {
        let count = |status| report.stats.count(status);
        let unanswered = count(Status::Invalid) + count(Status::Unsolvable) + count(Status::Unfinished);
        if count(Status::InternalError) > 0 {
            Self::InternalError
        } else if report.ending == Ending::BrokenPipe {
            Self::Answered
        } else if report.ending == Ending::Interrupted {
            Self::Interrupted
        } else if !report.input_errors.is_empty() {
            Self::Trouble
        } else if report.ending == Ending::Strict || (unanswered > 0 && !lenient) {
            Self::Unanswered
        } else {
            Self::Answered
        }
    }

    /// What a run without a report amounts to.
    #[must_use]
    pub const fn of_error(error: &EngineError) -> Self {
        match error {
            EngineError::Panic { .. } => Self::InternalError,
            EngineError::Write(_) | EngineError::Threads(_) => Self::Trouble,
        }
    }

    /// The number that the shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::Unanswered | Self::Outrun => 1,
            Self::Trouble => 2,
            Self::InternalError => 3,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Kind, Layout};
    use crate::output::Row;
    use crate::solver::Backend;
    use crate::stats::Stats;
    use std::time::Duration;

    fn report(statuses: &[Status], ending: Ending) -> Report {
        let mut stats = Stats::new();
        for (id, &status) in (1..).zip(statuses) {
            stats.add(&Row {
                id,
                source: "a",
                number: id,
                line: id,
                kind: Kind::Sudoku,
                layout: Layout::Line,
                status,
                solutions: 0,
                guesses: 0,
                time_ns: 0,
                puzzle: None,
                solution: None,
                error: None,
            });
        }
        Report {
            stats,
            wall: Duration::ZERO,
            backend: Backend::SCALAR,
            threads: 1,
            ending,
            input_errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_code_of_each_status() {
        for (status, strict, lenient) in [
            (Status::Unique, 0, 0),
            (Status::Multiple, 0, 0),
            (Status::Solved, 0, 0),
            (Status::Unsolvable, 1, 0),
            (Status::Unfinished, 1, 0),
            (Status::Invalid, 1, 0),
            (Status::InternalError, 3, 3),
        ] {
            let report = report(&[Status::Unique, status], Ending::Complete);
            assert_eq!(Exit::of_run(&report, false).code(), strict, "{status:?}");
            assert_eq!(Exit::of_run(&report, true).code(), lenient, "{status:?}");
        }
    }

    #[test]
    fn no_record_at_all_is_no_failure() {
        assert_eq!(Exit::of_run(&report(&[], Ending::Complete), false), Exit::Answered);
    }

    #[test]
    fn the_gravest_wins() {
        let statuses = [Status::Invalid, Status::InternalError];
        assert_eq!(Exit::of_run(&report(&statuses, Ending::Interrupted), false).code(), 3);
        assert_eq!(Exit::of_run(&report(&statuses[..1], Ending::Interrupted), true).code(), 130);
        assert_eq!(Exit::of_run(&report(&statuses[..1], Ending::Strict), false).code(), 1);
    }
}
