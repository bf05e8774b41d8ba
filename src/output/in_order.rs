//! Work on several threads, the results of which come in the order in which it was handed out.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Pieces of work under way for each thread: one in work, another that waits.
const PER_THREAD: usize = 2;

/// Work under way, the oldest first.
pub struct InOrder<T> {
    threads: NonZeroUsize,
    /// Made for the first piece of work; where there are no threads, the one that calls does it.
    pool: Option<Option<ThreadPool>>,
    under_way: VecDeque<Receiver<thread::Result<T>>>,
}

impl<T: Send + 'static> InOrder<T> {
    /// On so many threads.
    pub const fn new(threads: NonZeroUsize) -> Self {
        Self { threads, pool: None, under_way: VecDeque::new() }
    }

    /// Hands out a piece of work.
    pub fn start(&mut self, work: impl FnOnce() -> T + Send + 'static) {
        let (sender, receiver) = channel();
        self.under_way.push_back(receiver);
        let task = move || {
            // Nobody may wait for it any more.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        };
        let threads = self.threads.get();
        match self.pool.get_or_insert_with(|| ThreadPoolBuilder::new().num_threads(threads).build().ok()) {
            Some(pool) => pool.spawn(task),
            None => task(),
        }
    }

    /// The next result if it is there, and in any case while too much is under way.
    pub fn done(&mut self) -> Option<T> {
        if self.under_way.len() > PER_THREAD * self.threads.get() {
            return self.wait();
        }
        let result = match self.under_way.front()?.try_recv() {
            Ok(result) => result,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => unreachable!("the work sends its result"),
        };
        self.under_way.pop_front();
        Some(result.unwrap_or_else(|payload| resume_unwind(payload)))
    }

    /// The next result, waited for; `None` when nothing is under way.
    pub fn wait(&mut self) -> Option<T> {
        let result = self.under_way.pop_front()?.recv().expect("the work sends its result");
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
            assert!(work.under_way.len() <= 3 * PER_THREAD + 1);
            while let Some(done) = work.done() {
                results.push(done);
            }
        }
        while let Some(done) = work.wait() {
            results.push(done);
        }
        assert_eq!(results, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_is_that_of_who_asks_for_the_result() {
        let mut work = InOrder::<()>::new(NonZeroUsize::MIN);
        work.start(|| panic!("a trap"));
        assert!(catch_unwind(AssertUnwindSafe(|| work.wait())).is_err());
    }
}
