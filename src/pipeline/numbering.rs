//! Counts the records and lines that precede each batch.
//!
//! Tasks find the records, on any thread. Once a task has read its batch, it waits for the totals of the batches before
//! it. It adds its own counts and passes the sum on through a channel of its own. Earlier batches were started earlier,
//! so the wait is short.

use std::mem;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The numbers of records and lines that precede a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Before {
    /// The number of records from all sources.
    pub(super) records: u64,
    /// The number of records from the current source.
    pub(super) of_source: u64,
    /// The number of lines from the current source.
    pub(super) lines: u64,
}

/// The issuer of tickets, in batch order.
#[derive(Debug)]
pub(super) struct Numbering {
    /// Receives the counts that precede the next batch.
    next: Receiver<Before>,
}

impl Default for Numbering {
    fn default() -> Self {
        let (first, next) = channel();
        // The receiver exists, so this cannot fail.
        let _ = first.send(Before::default());
        Self { next }
    }
}

impl Numbering {
    /// Returns the ticket for the next batch; `is_first` says whether this is the first batch of its source.
    pub(super) fn ticket(&mut self, is_first: bool) -> Ticket {
        let (after, next) = channel();
        Ticket { before: mem::replace(&mut self.next, next), after, is_first }
    }
}

/// The position of a batch in the sequence.
#[derive(Debug)]
pub(super) struct Ticket {
    before: Receiver<Before>,
    after: Sender<Before>,
    is_first: bool,
}

impl Ticket {
    /// Returns the numbers of records and lines that precede the batch, and passes on the totals that include it.
    ///
    /// If an earlier batch was never counted because its task failed or never ran, the result is meaningless. This is
    /// harmless, because the run ends at that batch and uses nothing after it.
    pub(super) fn count(self, records: u64, lines: u64) -> Before {
        let mut before = self.before.recv().unwrap_or_default();
        if self.is_first {
            (before.of_source, before.lines) = (0, 0);
        }
        // If this is the last batch, there is no receiver.
        let _ = self.after.send(Before {
            records: before.records + records,
            of_source: before.of_source + records,
            lines: before.lines + lines,
        });
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn sums_do_not_depend_on_who_counts_first() {
        let mut numbering = Numbering::default();
        let tickets: Vec<_> = [true, false, true, false].map(|first| numbering.ticket(first)).into();
        let counts = [(3, 4), (0, 1), (5, 5), (7, 8)];
        let threads: Vec<_> = tickets
            .into_iter()
            .zip(counts)
            .rev()
            .map(|(ticket, (records, lines))| thread::spawn(move || ticket.count(records, lines)))
            .collect();
        let before = |records, of_source, lines| Before { records, of_source, lines };
        let expected = [before(0, 0, 0), before(3, 3, 4), before(3, 0, 0), before(8, 5, 5)];
        let found: Vec<_> = threads.into_iter().rev().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_batch_that_was_given_up_is_not_waited_for() {
        let mut numbering = Numbering::default();
        let [first, second, third] = [true, false, false].map(|is_first| numbering.ticket(is_first));
        drop((first, third));
        // This call would never return if it waited for the first batch.
        second.count(1, 1);
    }
}
