//! Interleaved measurement: all works in turn, round after round, in one process.
//!
//! Neighbours on the machine, clock frequency and page placement change within seconds. Works
//! that take turns see the same changes, so their ratio repeats where their times do not. Each
//! round starts with another work, lest one always find the caches as the same other left them.

use std::time::{Duration, Instant};

use super::Work;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// At least so many rounds, however long they take.
    pub rounds_min: usize,
    /// No more rounds than this.
    pub rounds_max: usize,
    /// No further round once all have taken so long together.
    pub budget: Duration,
    /// Short works are repeated until one time reading covers this.
    pub reading: Duration,
}

impl Plan {
    /// For figures that are written down.
    #[must_use]
    pub const fn full() -> Self {
        Self {
            rounds_min: 15,
            rounds_max: 2_000,
            budget: Duration::from_millis(1_500),
            // A reading of the clock costs 27 ns twice: below one part in a thousand.
            reading: Duration::from_micros(60),
        }
    }

    /// For tests of the harness itself.
    #[must_use]
    pub const fn smoke() -> Self {
        Self {
            rounds_min: 3,
            rounds_max: 3,
            budget: Duration::ZERO,
            reading: Duration::ZERO,
        }
    }
}

/// Times of one work in nanoseconds a run, in increasing order; never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Sorts the readings.
    ///
    /// # Panics
    /// When there are none.
    #[must_use]
    pub fn new(mut nanos: Vec<f64>) -> Self {
        assert!(!nanos.is_empty(), "a measurement without a reading");
        nanos.sort_by(f64::total_cmp);
        Self(nanos)
    }

    /// The least: what the work costs when nobody interferes.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.0[0]
    }

    /// The middle one: what it costs on this machine at this time.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    /// Nine tenths of the readings were no slower, as a multiple of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        self.0[self.0.len() * 9 / 10] / self.median()
    }

    /// Number of readings.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// Two works measured in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The work in question.
    pub subject: Samples,
    /// What it is held against.
    pub reference: Samples,
}

impl Comparison {
    /// Subject over reference, best time of each.
    #[must_use]
    pub fn ratio_of_minima(&self) -> f64 {
        self.subject.min() / self.reference.min()
    }

    /// Subject over reference, middle time of each.
    #[must_use]
    pub fn ratio_of_medians(&self) -> f64 {
        self.subject.median() / self.reference.median()
    }

    /// The lower of the two.
    #[must_use]
    pub fn better_ratio(&self) -> f64 {
        self.ratio_of_minima().min(self.ratio_of_medians())
    }
}

/// Measures two works in turn.
///
/// # Panics
/// When the plan has no round.
pub fn ratio(subject: &mut dyn Work, reference: &mut dyn Work, plan: &Plan) -> Comparison {
    let mut samples = interleave(&mut [subject, reference], plan).into_iter();
    let mut next = || samples.next().expect("one list of readings for each work");
    Comparison {
        subject: next(),
        reference: next(),
    }
}

/// Measures works in turn and returns the readings of each, in the same order.
///
/// # Panics
/// When the plan has no round.
pub fn interleave(works: &mut [&mut dyn Work], plan: &Plan) -> Vec<Samples> {
    let repeats: Vec<u32> = works.iter_mut().map(|work| repeat(*work, plan)).collect();
    let mut readings = vec![Vec::new(); works.len()];
    let start = Instant::now();
    for round in 0..plan.rounds_max {
        if round >= plan.rounds_min && start.elapsed() >= plan.budget {
            break;
        }
        for turn in 0..works.len() {
            let index = (round + turn) % works.len();
            let nanos = reading(works[index], repeats[index]);
            readings[index].push(nanos);
        }
    }
    readings.into_iter().map(Samples::new).collect()
}

/// Nanoseconds a run, over `repeat` runs in a row.
fn reading(work: &mut dyn Work, repeat: u32) -> f64 {
    work.reset();
    let start = Instant::now();
    for _ in 0..repeat {
        work.run();
    }
    start.elapsed().as_nanos() as f64 / f64::from(repeat)
}

/// How many runs make a reading long enough. Runs the work, which warms it.
fn repeat(work: &mut dyn Work, plan: &Plan) -> u32 {
    /// Beyond this a work does nothing that could be timed.
    const REPEAT_MAX: f64 = 100_000.0;
    let first = reading(work, 1);
    let second = reading(work, 1);
    if work.needs_reset() {
        return 1;
    }
    let needed = plan.reading.as_nanos() as f64 / first.min(second).max(1.0);
    needed.clamp(1.0, REPEAT_MAX) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count {
        runs: u64,
        resets: u64,
        needs_reset: bool,
    }

    impl Work for Count {
        fn run(&mut self) {
            self.runs += 1;
        }

        fn result(&mut self) -> u64 {
            self.runs
        }

        fn needs_reset(&self) -> bool {
            self.needs_reset
        }

        fn reset(&mut self) {
            self.resets += 1;
        }
    }

    fn count(needs_reset: bool) -> Count {
        Count {
            runs: 0,
            resets: 0,
            needs_reset,
        }
    }

    #[test]
    fn works_take_turns_and_each_reading_is_kept() {
        let (mut a, mut b) = (count(true), count(true));
        let samples = interleave(&mut [&mut a, &mut b], &Plan::smoke());
        assert_eq!(
            samples.iter().map(Samples::count).collect::<Vec<_>>(),
            [3, 3]
        );
        // Two to warm up, three rounds; a reset before each run.
        assert_eq!((a.runs, a.resets), (5, 5));
        assert_eq!((b.runs, b.resets), (5, 5));
    }

    #[test]
    fn short_works_are_repeated_within_a_reading() {
        let mut short = count(false);
        let plan = Plan {
            reading: Duration::from_micros(1),
            ..Plan::smoke()
        };
        let repeats = repeat(&mut short, &plan);
        assert!((1..=1_000).contains(&repeats), "{repeats}");
    }

    #[test]
    fn minimum_median_and_spread_come_from_the_sorted_readings() {
        let samples = Samples::new(vec![5.0, 1.0, 2.0, 4.0, 3.0, 6.0, 7.0, 8.0, 9.0, 12.0]);
        assert_eq!((samples.min(), samples.median()), (1.0, 6.0));
        assert_eq!(samples.spread(), 2.0);
        let comparison = Comparison {
            subject: samples,
            reference: Samples::new(vec![3.0, 2.0, 4.0]),
        };
        assert_eq!(comparison.ratio_of_minima(), 0.5);
        assert_eq!(comparison.ratio_of_medians(), 2.0);
    }
}
