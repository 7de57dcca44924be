//! Rounds: how old an event is, without a clock.
//!
//! A round ends when a system that has run in it comes again. Which systems have, their last runs
//! tell, which the world keeps anyway: one that ran since the round began has a last run that is no
//! older than its beginning. So nothing is kept for each system, and nobody has to say that a tick
//! is over.

use orrery_ecs::Ticks;

#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    /// Number of the first event of the round before the present one.
    previous: u64,
    /// Number of the first event of the present round.
    current: u64,
    /// Change tick of the run that began the present round.
    begun_at: u64,
}

impl Rounds {
    /// Whether a system that runs now has run in the present round already.
    #[inline]
    pub(super) fn is_over(&self, run: Ticks) -> bool {
        run.last_run >= self.begun_at
    }

    /// Begins a round with the event of number `next`.
    pub(super) fn begin(&mut self, run: Ticks, next: u64) {
        self.previous = self.current;
        self.current = next;
        self.begun_at = run.this_run;
    }

    /// Number of the first event that is not older than the round before the present one.
    pub(super) fn recent(&self) -> u64 {
        self.previous
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of a schedule of so many systems, one tick after the other.
    fn begun(systems: usize, ticks: u64, runs: impl Fn(usize, u64) -> bool) -> Vec<u64> {
        let (mut rounds, mut now, mut begun) = (Rounds::default(), 0, Vec::new());
        let mut last_runs = vec![0; systems];
        for tick in 0..ticks {
            for (system, last_run) in last_runs.iter_mut().enumerate() {
                if !runs(system, tick) {
                    continue;
                }
                now += 1;
                let run = Ticks {
                    last_run: *last_run,
                    this_run: now,
                };
                if rounds.is_over(run) {
                    rounds.begin(run, tick);
                    begun.push(tick);
                }
                *last_run = now;
            }
        }
        begun
    }

    #[test]
    fn a_round_is_a_tick_where_each_system_runs_once_in_it() {
        for systems in 1..5 {
            let expected: Vec<u64> = (0..20).collect();
            assert_eq!(begun(systems, 20, |_, _| true), expected, "{systems}");
        }
    }

    #[test]
    fn systems_that_run_now_and_then_end_no_round_early() {
        let every = [1, 8, 3];
        let begun = begun(3, 40, |system, tick| tick.is_multiple_of(every[system]));
        assert_eq!(begun, (0..40).collect::<Vec<u64>>());
        let alone = self::begun(2, 40, |system, tick| tick.is_multiple_of([8, 16][system]));
        assert_eq!(alone, [0, 8, 16, 24, 32]);
    }
}
