//! The machine that processes a bounded number of batches at a time and keeps them in order.
//!
//! One thread reads, others do the work, and the calling thread takes the results in reading order. The machine knows
//! nothing about puzzles or files: it is given three functions and passes values between them. A panic in any of them
//! ends the run. Everything read before the panic is still taken, nothing after it is taken, and no thread waits
//! forever. If the system provides fewer threads than requested, the run makes do with those.
//!
//! Tasks are detached. A scope would wait for all of them, and a reader that is blocked on a pipe cannot be
//! interrupted. After Ctrl-C, a closed pipe or a panic, work that is no longer needed is abandoned.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::input::message_of;

/// The time that batches in flight have to finish on their own after a stop.
const GRACE: Duration = Duration::from_millis(500);

/// The number of attempts to start even one thread before giving up.
const LAST_ATTEMPTS: usize = 5;

/// How often the stop flag is checked while nothing else happens.
const STOP_POLL: Duration = Duration::from_millis(20);

/// The worker threads.
#[derive(Debug)]
pub(super) struct Threads {
    most: NonZeroUsize,
    /// If the system provided fewer threads than requested: how many started, and a note that says why.
    pub(super) shortage: Option<(usize, String)>,
}

impl Threads {
    /// Allows up to this many threads.
    pub(super) const fn up_to(most: NonZeroUsize) -> Self {
        Self { most, shortage: None }
    }

    /// Starts a thread pool. If the system refuses, tries half as many threads, and so on.
    fn pool(&mut self) -> Result<ThreadPool, String> {
        let most = self.most.get();
        let (mut count, mut last_attempts, mut refusal) = (most, LAST_ATTEMPTS, String::new());
        loop {
            match ThreadPoolBuilder::new().num_threads(count).build() {
                Ok(pool) => {
                    let note = || format!("only {count} of {most} threads could be started: {refusal}");
                    self.shortage = (count < most).then(|| (count, note()));
                    return Ok(pool);
                }
                Err(error) if count == 1 && last_attempts == 0 => return Err(error.to_string()),
                Err(error) => refusal = error.to_string(),
            }
            last_attempts -= usize::from(count == 1);
            count = (count / 2).max(1);
            // Threads that did start need some time to exit.
            thread::sleep(STOP_POLL);
        }
    }
}

/// Memory that tasks leave for later tasks to reuse. It is handed out last in, first out, so it is still in the caches,
/// and no more is touched than the threads need.
pub(super) struct Spares<T>(Mutex<Vec<T>>);

impl<T> Spares<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(super) fn take(&self) -> Option<T> {
        // A panic cannot leave a push or a pop half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub(super) fn put(&self, spare: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(spare);
    }
}

/// The way in which a run ended without failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Everything was read, processed and taken.
    Complete,
    /// The stop flag was raised, and the batches in flight were finished and taken.
    Stopped,
    /// The sink did not want any more.
    Refused,
}

/// The reason why a run failed.
#[derive(Debug)]
pub(super) enum Failure<E> {
    /// No thread could be started.
    Threads(String),
    /// A function panicked with this message; every batch before it was taken.
    Panic(String),
    /// The sink failed.
    Sink(E),
}

/// Events for the calling thread.
enum Event<B, D> {
    /// A batch, `None` after the last batch, or the message of a panic.
    Read(Result<Option<B>, String>),
    Done {
        number: u64,
        worked: Result<Worked<B, D>, String>,
    },
}

/// A result for the sink, and the rest of the batch if there is more to do.
type Worked<B, D> = (D, Option<B>);

/// Reads batches, processes them on a pool of `threads`, and passes the results to `sink` in reading order.
///
/// `read` receives a spare from an earlier batch, whose memory it can reuse, and returns `None` at the end. It never
/// gets more than `under_way` batches ahead of `sink`. `work` returns a result for `sink`, and the rest of the batch if
/// there is more to do. Work on the rest starts once that result is the next to be taken, so only one result of each
/// batch is held in memory. `sink` returns a spare, which is kept if the batch is complete, or breaks if it does not
/// want any more.
///
/// `stop` can be raised at any time: batches in flight are then finished and taken. After half a second, `hurry` is
/// raised, and `work` should return what it has. If the reader is blocked at that point, it is abandoned on its thread.
/// `hurry` is also raised when work is abandoned because it is no longer needed.
///
/// Fails if a function panics, the sink fails, or no thread can be started.
pub(super) fn ordered<S, B, D, E>(
    threads: &mut Threads,
    under_way: usize,
    read: impl FnMut(S) -> Option<B> + Send + 'static,
    work: impl Fn(B) -> Worked<B, D> + Send + Sync + 'static,
    mut sink: impl FnMut(D) -> Result<ControlFlow<(), S>, E>,
    stop: &AtomicBool,
    hurry: &Arc<AtomicBool>,
) -> Result<End, Failure<E>>
where
    S: Default + Send + 'static,
    B: Send + 'static,
    D: Send + 'static,
{
    let (event_sender, events) = channel();
    let spares = Arc::new(Spares::new());
    let permits = start_reader(read, under_way, &spares, &event_sender)?;
    // The pool comes second, because a run is impossible without the reader's thread.
    let pool = threads.pool().map_err(Failure::Threads)?;
    let workers = Workers::new(pool, work, event_sender, Arc::clone(hurry));
    // The number of batches handed out, the number taken, and the results that must wait for earlier batches.
    let (mut handed_out, mut taken, mut waiting) = (0, 0, BTreeMap::new());
    let mut halt = Halt { stop, hurry, asked_at: None };
    // The reason why reading stopped; only the first reason is kept.
    let mut end = None;
    while end.is_none() || taken < handed_out {
        if halt.is_new() {
            end.get_or_insert(Ok(End::Stopped));
        }
        match events.recv_timeout(STOP_POLL) {
            Ok(Event::Read(Ok(Some(batch)))) if end.is_none() => {
                workers.hand_out(handed_out, batch);
                handed_out += 1;
            }
            Ok(Event::Read(Ok(Some(_)))) | Err(RecvTimeoutError::Timeout) => {}
            Ok(Event::Read(Ok(None))) => {
                end.get_or_insert(Ok(End::Complete));
            }
            Ok(Event::Read(Err(message))) => {
                end.get_or_insert(Err(Failure::Panic(message)));
            }
            Ok(Event::Done { number, worked }) => {
                if worked.is_err() {
                    // Nothing that comes after the panic is needed.
                    end.get_or_insert(Ok(End::Complete));
                }
                waiting.insert(number, worked);
            }
            Err(RecvTimeoutError::Disconnected) => unreachable!("`workers` has a sender"),
        }
        while let Some(worked) = waiting.remove(&taken) {
            let (done, rest) = worked.map_err(Failure::Panic)?;
            let has_rest = rest.map(|rest| workers.hand_out(taken, rest)).is_some();
            let answer = caught(|| sink(done)).map_err(Failure::Panic)?.map_err(Failure::Sink)?;
            let ControlFlow::Continue(spare) = answer else { return Ok(End::Refused) };
            if has_rest {
                continue;
            }
            spares.put(spare);
            // The reader may have exited already.
            let _ = permits.send(());
            taken += 1;
        }
    }
    end.unwrap_or(Ok(End::Complete))
}

/// A watch on the stop flag, which also hurries work that takes too long after a stop.
struct Halt<'a> {
    stop: &'a AtomicBool,
    hurry: &'a AtomicBool,
    asked_at: Option<Instant>,
}

impl Halt<'_> {
    /// Whether the stop flag has been raised since the last check.
    fn is_new(&mut self) -> bool {
        let is_new = self.asked_at.is_none() && self.stop.load(Ordering::Relaxed);
        if is_new {
            self.asked_at = Some(Instant::now());
        }
        if self.asked_at.is_some_and(|at| at.elapsed() >= GRACE) {
            self.hurry.store(true, Ordering::Relaxed);
        }
        is_new
    }
}

/// The threads that do the work. Dropping this value abandons the work: tasks that have not started never will, and the
/// running ones are hurried.
struct Workers<B, D, W> {
    abandoned: Arc<AtomicBool>,
    hurry: Arc<AtomicBool>,
    pool: ThreadPool,
    work: Arc<W>,
    events: Sender<Event<B, D>>,
}

impl<B: Send + 'static, D: Send + 'static, W: Fn(B) -> Worked<B, D> + Send + Sync + 'static>
    Workers<B, D, W>
{
    fn new(pool: ThreadPool, work: W, events: Sender<Event<B, D>>, hurry: Arc<AtomicBool>) -> Self {
        Self { abandoned: Arc::default(), hurry, pool, work: Arc::new(work), events }
    }

    /// Starts work on the batch with this number.
    fn hand_out(&self, number: u64, batch: B) {
        let (work, events) = (Arc::clone(&self.work), self.events.clone());
        let abandoned = Arc::clone(&self.abandoned);
        self.pool.spawn(move || {
            if abandoned.load(Ordering::Relaxed) {
                return;
            }
            let worked = caught(|| work(batch));
            // The receiver no longer exists once the run has ended.
            let _ = events.send(Event::Done { number, worked });
        });
    }
}

impl<B, D, W> Drop for Workers<B, D, W> {
    fn drop(&mut self) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.hurry.store(true, Ordering::Relaxed);
    }
}

/// Calls a function, and returns the message if it panics.
pub(super) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(message_of)
}

/// Starts the thread that reads until the input or the run has ended. It can read `under_way` batches, plus one more
/// for each message sent to the returned sender.
fn start_reader<S: Default + Send + 'static, B: Send + 'static, D: Send + 'static, E>(
    mut read: impl FnMut(S) -> Option<B> + Send + 'static,
    under_way: usize,
    spares: &Arc<Spares<S>>,
    events: &Sender<Event<B, D>>,
) -> Result<Sender<()>, Failure<E>> {
    let (permits, permitted) = channel();
    for _ in 0..under_way.max(1) {
        // The receiver exists, so this cannot fail.
        let _ = permits.send(());
    }
    let (spares, events) = (Arc::clone(spares), events.clone());
    let read_all = move || {
        while permitted.recv() == Ok(()) {
            let spare = spares.take().unwrap_or_default();
            let found = caught(|| read(spare));
            let goes_on = matches!(found, Ok(Some(_)));
            if events.send(Event::Read(found)).is_err() || !goes_on {
                return;
            }
        }
    };
    let thread = thread::Builder::new().name("reader".to_owned()).spawn(read_all);
    thread.map(|_| permits).map_err(|error| Failure::Threads(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::mpsc;

    const THREADS: NonZeroUsize = NonZeroUsize::new(3).unwrap();
    const UNDER_WAY: usize = 8;

    /// The value that a sink returns if it wants more.
    const MORE: Result<ControlFlow<(), ()>, Infallible> = Ok(ControlFlow::Continue(()));

    /// The flag that stops the machine, and the flag that it raises to hurry its work.
    #[derive(Clone, Default)]
    struct Flags {
        stop: Arc<AtomicBool>,
        hurry: Arc<AtomicBool>,
    }

    /// Runs the machine, and returns how it ended and what the sink accepted. A deadlock fails the test.
    fn run<B: Send + 'static, D: Send + 'static, E: Send + 'static>(
        flags: &Flags,
        mut read: impl FnMut() -> Option<B> + Send + 'static,
        work: impl Fn(B) -> Worked<B, D> + Send + Sync + 'static,
        mut sink: impl FnMut(&D) -> Result<ControlFlow<(), ()>, E> + Send + 'static,
    ) -> (Result<End, Failure<E>>, Vec<D>) {
        let (ended, outcome) = mpsc::channel();
        let Flags { stop, hurry } = flags.clone();
        thread::spawn(move || {
            let mut taken = Vec::new();
            let sink = |done: D| {
                let answer = sink(&done)?;
                taken.push(done);
                Ok(answer)
            };
            let mut threads = Threads::up_to(THREADS);
            let end = ordered(&mut threads, UNDER_WAY, move |()| read(), work, sink, &stop, &hurry);
            ended.send((end, taken))
        });
        outcome.recv_timeout(Duration::from_secs(20)).expect("the machine comes to an end")
    }

    #[test]
    fn what_is_done_is_taken_in_the_order_of_reading() {
        for count in [0, 1000] {
            let mut numbers = 0..count;
            let double = |number| (2 * number, None);
            let (end, taken) = run(&Flags::default(), move || numbers.next(), double, |_: &u64| MORE);
            assert_eq!((end.unwrap(), taken), (End::Complete, (0..count).map(|n| 2 * n).collect()));
        }
    }

    /// Batch `n` yields the numbers from 1 to `n`, one at a time. All its results except the last have a rest.
    #[test]
    fn the_parts_of_a_batch_are_taken_one_after_another_and_one_is_held_of_each() {
        let [read, worked_on] = [(); 2].map(|()| Arc::new(Mutex::new(0_usize)));
        let [reads, works] = [&read, &worked_on].map(Arc::clone);
        let (mut batches, mut parts) = (1..=40_u64, 0);
        let (end, taken) = run(
            &Flags::default(),
            move || {
                *reads.lock().unwrap() += 1;
                batches.next().map(|batch| (batch, 1))
            },
            move |(batch, part)| {
                *works.lock().unwrap() += 1;
                ((batch, part), (part < batch).then_some((batch, part + 1)))
            },
            move |&(batch, _)| {
                parts += 1;
                // Beyond the parts taken, at most one part of each batch in flight has been worked on.
                assert!(*worked_on.lock().unwrap() <= parts + UNDER_WAY);
                // `batch` is also the number of batches from which at least one part has been taken.
                assert!(*read.lock().unwrap() <= batch as usize + UNDER_WAY);
                MORE
            },
        );
        assert!(matches!(end, Ok(End::Complete)));
        let expected = (1..=40).flat_map(|batch| (1..=batch).map(move |part| (batch, part)));
        assert_eq!(taken, expected.collect::<Vec<_>>());
    }

    /// Each of the three functions panics when it reaches its own number. The run ends at the lowest of these numbers,
    /// even if another panic happens earlier.
    /// PROMISE: panic-elsewhere
    #[test]
    fn a_panic_anywhere_ends_the_run_after_everything_before_it() {
        const NEVER: u64 = u64::MAX;
        let alone = |at| [[at, NEVER, NEVER], [NEVER, at, NEVER], [NEVER, NEVER, at]];
        for panics in [0, 1, 7, 100, 999].into_iter().flat_map(alone).chain([[60, 20, 40]]) {
            let ([read_at, work_at, sink_at], mut numbers) = (panics, 0..1000);
            let (end, taken) = run(
                &Flags::default(),
                move || {
                    let next = numbers.next();
                    assert_ne!(next, Some(read_at));
                    next
                },
                move |number| {
                    assert_ne!(number, work_at);
                    (number, None)
                },
                move |&number| {
                    assert_ne!(number, sink_at);
                    MORE
                },
            );
            let first = read_at.min(work_at).min(sink_at);
            let Err(Failure::Panic(message)) = end else { panic!("{panics:?}") };
            assert_eq!(taken, (0..first).collect::<Vec<_>>());
            assert!(message.contains(&first.to_string()), "{message}");
        }
    }

    /// The reader is blocked forever, as if it were reading an open pipe that has no data.
    #[test]
    fn a_stop_does_not_wait_for_the_reader() {
        let (flags, (_open, blocked), mut numbers) = (Flags::default(), mpsc::channel::<()>(), 0..5);
        let stop = Arc::clone(&flags.stop);
        let read = move || {
            numbers.next().or_else(|| {
                stop.store(true, Ordering::Relaxed);
                let _ = blocked.recv();
                None
            })
        };
        let (end, taken) = run(&flags, read, |number| (number, None), |_| MORE);
        assert!(matches!(end, Ok(End::Stopped)));
        // Batches that were read but not handed out before the stop are dropped.
        assert!([0, 1, 2, 3, 4].starts_with(&taken), "{taken:?}");
    }

    /// Work that would never end is hurried, and its result is taken.
    #[test]
    fn a_stop_makes_long_work_hurry() {
        let (flags, mut numbers) = (Flags::default(), 0..2);
        let Flags { stop, hurry } = flags.clone();
        let work = move |number| {
            stop.store(true, Ordering::Relaxed);
            while !hurry.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            (number, None)
        };
        let (end, taken) = run(&flags, move || numbers.next(), work, |_| MORE);
        // The reader may have finished before the stop was noticed.
        assert!(matches!(end, Ok(End::Stopped | End::Complete)));
        assert_eq!(taken.first(), Some(&0), "{taken:?}");
    }

    /// Endless work must not hold up a sink that does not want any more.
    #[test]
    fn a_sink_that_breaks_or_fails_does_not_wait() {
        for fails in [false, true] {
            let ((_open, blocked), mut numbers) = (mpsc::channel::<()>(), 0..100);
            let blocked = Mutex::new(blocked);
            let work = move |number| {
                if number > 2 {
                    let _ = blocked.lock().unwrap().recv();
                }
                (number, None)
            };
            let sink = move |&number: &u64| match number {
                2 if fails => Err("full"),
                2 => Ok(ControlFlow::Break(())),
                _ => Ok(ControlFlow::Continue(())),
            };
            match run(&Flags::default(), move || numbers.next(), work, sink).0 {
                Ok(end) => assert!(!fails && end == End::Refused),
                Err(failure) => assert!(fails && matches!(failure, Failure::Sink("full"))),
            }
        }
    }
}
