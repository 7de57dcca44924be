//! What is measured: a piece of work, its sizes, its seed and what must come out.

use std::fmt;

use super::report::duration;
use super::{Comparison, Samples};

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

/// What a full run should reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Measured to be known, not to be met.
    Open,
    /// At most so many times the reference.
    RatioMax(f64),
    /// At most so many nanoseconds for each element.
    NanosEachMax(f64),
    /// At most so many nanoseconds for the run.
    NanosMax(f64),
    /// At least so many bytes a nanosecond, which is GB/s.
    BytesPerNanoMin(f64),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Open => f.write_str("-"),
            Self::RatioMax(most) => write!(f, "<= {most} R"),
            Self::NanosEachMax(most) => write!(f, "<= {most} ns each"),
            Self::NanosMax(most) => write!(f, "<= {}", duration(most)),
            Self::BytesPerNanoMin(least) => write!(f, ">= {least} GB/s"),
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

    /// Whether the goal was met; `None` where there is none.
    ///
    /// Ratios are judged by the better of their two forms: a disturbance that hits one side alone
    /// moves the medians, one lucky reading moves the minima, and neither says anything of the
    /// code.
    #[must_use]
    pub fn reached(&self, samples: &Samples, against: Option<&Comparison>) -> Option<bool> {
        let (each, median) = (self.full as f64, samples.median());
        match self.goal {
            Goal::Open => None,
            Goal::RatioMax(most) => {
                let found = against?;
                Some(found.ratio_of_minima().min(found.ratio_of_medians()) <= most)
            }
            Goal::NanosEachMax(most) => Some(median / each <= most),
            Goal::NanosMax(most) => Some(median <= most),
            Goal::BytesPerNanoMin(least) => Some(self.bytes_each as f64 * each / median >= least),
        }
    }
}

fn run_once(work: &mut dyn Work) -> u64 {
    work.reset();
    work.run();
    work.result()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn a_goal_is_judged_in_its_own_unit() {
        let case = |goal| Case {
            goal,
            full: 1_000,
            bytes_each: 16,
            ..cases::ecs()[0]
        };
        let samples = Samples::new(vec![2_000.0]);
        let judged = |goal| case(goal).reached(&samples, None);
        assert_eq!(judged(Goal::Open), None);
        assert_eq!(judged(Goal::NanosEachMax(2.0)), Some(true));
        assert_eq!(judged(Goal::NanosMax(1_999.0)), Some(false));
        assert_eq!(judged(Goal::BytesPerNanoMin(8.0)), Some(true));
        assert_eq!(judged(Goal::BytesPerNanoMin(8.1)), Some(false));
        let comparison = Comparison {
            subject: samples.clone(),
            reference: Samples::new(vec![1_000.0]),
        };
        let ratio = |most| case(Goal::RatioMax(most)).reached(&samples, Some(&comparison));
        assert_eq!((ratio(1.9), ratio(2.0)), (Some(false), Some(true)));
    }
}
