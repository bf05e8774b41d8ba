//! Number of records and lines before each batch.
//!
//! Tasks find the records, on any thread. Each publishes its counts as soon as it has read its batch, and waits for
//! those before it: they began earlier, so the wait is short.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What lies before a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// Records of all sources.
    pub records: u64,
    /// Records of its source.
    pub of_source: u64,
    /// Lines of its source.
    pub lines: u64,
}

/// The counts known so far.
#[derive(Debug, Default)]
struct Known {
    /// The batch before which all batches are counted.
    next: u64,
    before: Before,
    /// The first batch that will never be counted, if there is one.
    given_up: Option<u64>,
}

/// The counts, shared with the tasks that wait for them.
#[derive(Debug, Default)]
struct Sums {
    known: Mutex<Known>,
    changed: Condvar,
}

impl Sums {
    fn known(&self) -> MutexGuard<'_, Known> {
        // No holder panics with a half-done change.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands out tickets in the order of the batches.
#[derive(Debug, Default)]
pub struct Numbering {
    sums: Arc<Sums>,
    handed_out: u64,
}

impl Numbering {
    /// The ticket of the next batch; `is_first` if it is the first of its source.
    pub fn ticket(&mut self, is_first: bool) -> Ticket {
        let number = self.handed_out;
        self.handed_out += 1;
        Ticket { sums: Arc::clone(&self.sums), number, is_first, is_counted: false }
    }
}

/// The place of a batch among the others.
#[derive(Debug)]
pub struct Ticket {
    sums: Arc<Sums>,
    number: u64,
    is_first: bool,
    is_counted: bool,
}

impl Ticket {
    /// Publishes how many records and lines the batch has, and returns what lies before it.
    ///
    /// If a batch before it was never counted, since its task failed or never ran, the result is meaningless: the run
    /// ends there, and nothing after it is used.
    pub fn count(mut self, records: u64, lines: u64) -> Before {
        self.is_counted = true;
        // Later batches do not matter.
        let is_lost = |known: &Known| known.given_up.is_some_and(|given_up| given_up < self.number);
        let is_to_wait = |known: &mut Known| known.next != self.number && !is_lost(known);
        let waited = self.sums.changed.wait_while(self.sums.known(), is_to_wait);
        let mut known = waited.unwrap_or_else(PoisonError::into_inner);
        if self.is_first {
            (known.before.of_source, known.before.lines) = (0, 0);
        }
        let before = known.before;
        known.before.records += records;
        known.before.of_source += records;
        known.before.lines += lines;
        known.next += 1;
        self.sums.changed.notify_all();
        before
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.is_counted {
            let mut known = self.sums.known();
            known.given_up = Some(known.given_up.map_or(self.number, |before| before.min(self.number)));
            self.sums.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn sums_are_those_of_the_order_whoever_counts_first() {
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
    fn a_batch_that_was_given_up_changes_nothing_for_those_before_it() {
        let mut numbering = Numbering::default();
        let [first, second, third] = [true, false, false].map(|is_first| numbering.ticket(is_first));
        drop(third);
        let waiting = thread::spawn(move || second.count(1, 1));
        thread::sleep(Duration::from_millis(20));
        first.count(3, 4);
        assert_eq!(waiting.join().unwrap(), Before { records: 3, of_source: 3, lines: 4 });
    }

    #[test]
    fn nobody_waits_for_a_batch_that_was_given_up() {
        let mut numbering = Numbering::default();
        let (first, second) = (numbering.ticket(true), numbering.ticket(false));
        let waiting = thread::spawn(move || second.count(1, 1));
        drop(first);
        waiting.join().unwrap();
    }
}
