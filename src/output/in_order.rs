//! Work done on several threads, with results in the order in which the work was started.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The number of pieces of work per thread: one in progress and one waiting.
const PER_THREAD: usize = 2;

/// The work in progress, oldest first.
pub struct InOrder<T> {
    threads: NonZeroUsize,
    /// The threads, which are started along with the first piece of work. If the system cannot start any, the calling
    /// thread does the work.
    pool: Option<Option<ThreadPool>>,
    in_progress: VecDeque<Receiver<thread::Result<T>>>,
}

impl<T: Send + 'static> InOrder<T> {
    /// Prepares to work on this many threads.
    pub const fn new(threads: NonZeroUsize) -> Self {
        Self { threads, pool: None, in_progress: VecDeque::new() }
    }

    /// Starts a piece of work.
    pub fn start(&mut self, work: impl FnOnce() -> T + Send + 'static) {
        let (sender, receiver) = channel();
        self.in_progress.push_back(receiver);
        let task = move || {
            // The receiver may no longer exist.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        };
        let threads = self.threads.get();
        match self.pool.get_or_insert_with(|| ThreadPoolBuilder::new().num_threads(threads).build().ok()) {
            Some(pool) => pool.spawn(task),
            None => task(),
        }
    }

    /// Returns the next result, or `None` if no work is in progress. Also returns `None` if the result is not ready,
    /// unless `waits` is set or too much work is in progress.
    pub fn next(&mut self, waits: bool) -> Option<T> {
        let waits = waits || self.in_progress.len() > PER_THREAD * self.threads.get();
        let next = self.in_progress.front()?;
        let result = if waits { next.recv().map_err(TryRecvError::from) } else { next.try_recv() };
        let result = match result {
            Ok(result) => result,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => unreachable!("the work sends its result"),
        };
        self.in_progress.pop_front();
        Some(result.unwrap_or_else(|payload| resume_unwind(payload)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_work() {
        let mut work = InOrder::new(NonZeroUsize::new(3).unwrap());
        let mut results = Vec::new();
        for number in 0..100_u64 {
            work.start(move || {
                thread::sleep(Duration::from_micros(number * 7 % 5 * 200));
                number
            });
            assert!(work.in_progress.len() <= 3 * PER_THREAD + 1);
            while let Some(done) = work.next(false) {
                results.push(done);
            }
        }
        while let Some(done) = work.next(true) {
            results.push(done);
        }
        assert_eq!(results, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let mut work = InOrder::<()>::new(NonZeroUsize::MIN);
        work.start(|| panic!("a trap"));
        assert!(catch_unwind(AssertUnwindSafe(|| work.next(true))).is_err());
    }
}
