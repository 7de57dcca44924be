//! What is measured: a piece of work, its sizes, its seed and what must come out.

use super::{Comparison, Goal, Samples};

/// Something that can be timed again and again.
///
/// `run` is timed, all else is not. A work without a reset is one whose `run` may follow itself
/// at once, so that short ones are timed many at a time.
pub trait Work {
    /// What is timed.
    fn run(&mut self);

    /// A digest of what exactly one `run` of a newly prepared work has done.
    fn result(&mut self) -> u64;

    /// Whether `reset` has to stand before each `run`.
    fn needs_reset(&self) -> bool {
        false
    }

    /// Brings back the state that `run` starts from.
    fn reset(&mut self) {}
}

/// Digests after one run, for each of the two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// At the smoke size.
    pub smoke: u64,
    /// At the full size.
    pub full: u64,
}

impl Expected {
    /// The same digest at either size.
    #[must_use]
    pub const fn both(digest: u64) -> Self {
        Self {
            smoke: digest,
            full: digest,
        }
    }
}

/// A benchmark.
#[derive(Clone, Copy)]
pub struct Case {
    /// Group, operation, size and manner: `walk_1m_chunks_axpy`.
    pub name: &'static str,
    /// Name of the case that runs in turn with it.
    pub reference: Option<&'static str>,
    /// Elements in `cargo test`.
    pub smoke: usize,
    /// Elements in `cargo bench`.
    pub full: usize,
    /// Start of all random numbers.
    pub seed: u64,
    /// Bytes that an element moves, for a figure in GB/s; 0 where that says nothing.
    pub bytes_each: usize,
    /// What the full size should reach.
    pub goal: Goal,
    /// What must come out.
    pub expected: Expected,
    /// Builds the work, warm, for a number of elements and a seed.
    pub prepare: fn(usize, u64) -> Box<dyn Work>,
}

impl Case {
    /// Prepares the case at its smoke size, runs it once and returns the digest.
    #[must_use]
    pub fn smoke_result(&self) -> u64 {
        let mut work = (self.prepare)(self.smoke, self.seed);
        run_once(work.as_mut())
    }

    /// Prepares the case at its full size, checked by one run and ready to be measured.
    ///
    /// # Panics
    /// When the run gives something else than is expected: its time would mean nothing.
    #[must_use]
    pub fn prepare_full(&self) -> Box<dyn Work> {
        let mut work = (self.prepare)(self.full, self.seed);
        let digest = run_once(work.as_mut());
        assert!(
            digest == self.expected.full,
            "{} gave {digest:#018x} at its full size, expected {:#018x}",
            self.name,
            self.expected.full
        );
        work
    }

    /// Whether the goal was met; `None` where there is none, or where it does not apply.
    #[must_use]
    pub fn reached(&self, samples: &Samples, against: Option<&Comparison>) -> Option<bool> {
        let bytes = self.bytes_each as f64 * self.full as f64;
        self.goal.reached(samples, against, self.full as f64, bytes)
    }
}

fn run_once(work: &mut dyn Work) -> u64 {
    work.reset();
    work.run();
    work.result()
}
