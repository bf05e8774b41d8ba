//! Exit codes.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::pipeline::{Ended, Ending, RunError, Tally};
use crate::record::Severity;
use crate::report::ReportError;
use crate::survey::PassError;

/// The signal that ended the run, or 0 if there was none.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// Records the signal that ends the run.
pub fn note_signal(signal: u8) {
    SIGNAL.store(signal, Ordering::SeqCst);
}

/// Returns the exit code for a run that was ended by a signal: 128 plus the signal number.
pub fn code_of_signal() -> u8 {
    const SIGINT: u8 = 2;
    match SIGNAL.load(Ordering::SeqCst) {
        0 => 128 + SIGINT,
        signal => 128 + signal,
    }
}

/// The ways in which the program can exit, in order of severity. The help for each subcommand lists the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Every record has an answer.
    Answered,
    /// Some records are invalid, unsolvable or unfinished, or `--strict` stopped the run.
    Unanswered,
    /// A contender in a benchmark failed.
    BenchFailed,
    /// A signal ended the run.
    Interrupted,
    /// A usage error, or an input or output that could not be opened, read or written.
    Trouble,
    /// An answer failed the check, or the program panicked.
    InternalError,
}

impl Exit {
    /// Returns the exit for a run. The most severe reason wins: a wrong answer is a defect that nothing else should
    /// hide.
    pub fn of_run(ended: &Ended, tally: &Tally, lenient: bool) -> Self {
        let unanswered = tally.count(Severity::Unanswered) + tally.count(Severity::BadRecord);
        if tally.count(Severity::Defect) > 0 || ended.defects.corrected > 0 {
            Self::InternalError
        } else if ended.ending == Ending::BrokenPipe {
            Self::Answered
        } else if ended.ending == Ending::Interrupted {
            Self::Interrupted
        } else if !ended.input_errors.is_empty() || ended.ending == Ending::Unwritten {
            Self::Trouble
        } else if ended.ending == Ending::Strict || (unanswered > 0 && !lenient) {
            Self::Unanswered
        } else {
            Self::Answered
        }
    }

    /// Returns the exit for a run that failed.
    pub const fn of_error(error: &RunError) -> Self {
        match error {
            RunError::Panic { .. } => Self::InternalError,
            RunError::Threads(_) => Self::Trouble,
        }
    }

    /// Returns the exit for a command that failed.
    pub fn of_failure(error: &anyhow::Error) -> Self {
        match (error.downcast_ref(), error.downcast_ref()) {
            (Some(PassError::Run(error)), _) | (_, Some(ReportError::Run(_, error))) => Self::of_error(error),
            (Some(PassError::Interrupted), _) | (_, Some(ReportError::Interrupted)) => Self::Interrupted,
            _ => Self::Trouble,
        }
    }

    /// Returns the exit code for the shell.
    pub fn code(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::Unanswered | Self::BenchFailed => 1,
            Self::Trouble => 2,
            Self::InternalError => 3,
            Self::Interrupted => code_of_signal(),
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
    use crate::jobs::solve::STATUSES;
    use crate::pipeline::testing::tally_of;
    use crate::pipeline::{Defects, RunOptions};
    use std::num::NonZeroUsize;

    /// Returns the code for a run with these statuses and this number of corrected answers.
    fn code(statuses: &[&str], ending: Ending, corrected: u64, lenient: bool) -> u8 {
        let rows: Vec<_> = statuses.iter().map(|&status| (status, 0, 0)).collect();
        let defects = Defects { corrected, ..Defects::default() };
        let ended = Ended { ending, defects, ..Ended::new(&RunOptions::new(NonZeroUsize::MIN)) };
        Exit::of_run(&ended, &tally_of(STATUSES, &rows), lenient).code()
    }

    #[test]
    fn the_code_of_each_status() {
        // An input with no records is not a failure.
        assert_eq!(code(&[], Ending::Complete, 0, false), 0);
        for (status, strict, lenient) in [
            ("unique", 0, 0),
            ("multiple", 0, 0),
            ("solved", 0, 0),
            ("unsolvable", 1, 0),
            ("unfinished", 1, 0),
            ("invalid", 1, 0),
            ("internal-error", 3, 3),
        ] {
            assert_eq!(code(&["unique", status], Ending::Complete, 0, false), strict, "{status}");
            assert_eq!(code(&["unique", status], Ending::Complete, 0, true), lenient, "{status}");
        }
    }

    #[test]
    fn the_most_severe_reason_wins() {
        assert_eq!(code(&["invalid", "internal-error"], Ending::Interrupted, 0, false), 3);
        assert_eq!(code(&["invalid"], Ending::Interrupted, 0, true), 130);
        assert_eq!(code(&["invalid"], Ending::Strict, 0, false), 1);
        // A defect still counts if no row was lost.
        assert_eq!(code(&["unique"], Ending::Complete, 1, true), 3);
        let error = RunError::Panic { first_id: 1, message: "a trap".to_owned() };
        let panic = ReportError::Run("r.csv".to_owned(), error);
        assert_eq!(Exit::of_failure(&panic.into()).code(), 3);
        assert_eq!(Exit::of_failure(&ReportError::TooManyFiles(257).into()).code(), 2);
    }
}
