//! What a full run should reach, how that is written and when it is met.

use std::fmt;

use super::{Comparison, Samples};

/// What a full run should reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Measured to be known, not to be met.
    Open,
    /// At most so many times the reference.
    RatioMax(f64),
    /// At most this part more than the reference.
    OverheadMax(f64),
    /// At least so many times as fast as the reference, by the best time of each: two threads
    /// stand still together when one is taken away, and only the best times saw neither.
    SpeedupMin(f64),
    /// At least this part of the rate of the reference, which moves the same number of bytes.
    ProbeShareMin(f64),
    /// This part of the reference was touched, and the time is to follow with a tenth to spare.
    InProportion(f64),
    /// At most so many nanoseconds for each element.
    NanosEachMax(f64),
    /// At most so many nanoseconds for the run.
    NanosMax(f64),
    /// At most so many nanoseconds for the run, where the reference, which moves the same number
    /// of bytes, moves so many of them a nanosecond.
    NanosMaxWhere {
        /// Nanoseconds for the run.
        most: f64,
        /// Bytes a nanosecond, which is GB/s, of the reference.
        rate: f64,
    },
    /// At least so many bytes a nanosecond, which is GB/s.
    BytesPerNanoMin(f64),
}

impl Goal {
    /// Whether samples of a run over `elements` and `bytes` meet the goal; `None` where there is
    /// none, where it does not apply, or where it needs a reference and there is none.
    ///
    /// Ratios are judged by the better of their two forms: a disturbance that hits one side alone
    /// moves the medians, one lucky reading moves the minima, and neither says anything of the
    /// code. Absolute figures are judged by the median.
    #[must_use]
    pub fn reached(
        self,
        samples: &Samples,
        against: Option<&Comparison>,
        elements: f64,
        bytes: f64,
    ) -> Option<bool> {
        let median = samples.median();
        let ratio = against.map(Comparison::better_ratio);
        match self {
            Self::Open => None,
            Self::RatioMax(most) => Some(ratio? <= most),
            Self::OverheadMax(most) => Some(ratio? <= 1.0 + most),
            Self::SpeedupMin(least) => Some(1.0 / against?.ratio_of_minima() >= least),
            Self::ProbeShareMin(least) => Some(1.0 / ratio? >= least),
            Self::InProportion(part) => Some(ratio? <= part * 1.1),
            Self::NanosEachMax(most) => Some(median / elements <= most),
            Self::NanosMax(most) => Some(median <= most),
            Self::NanosMaxWhere { most, rate } => {
                let probe = bytes / against?.reference.median();
                (probe >= rate).then_some(median <= most)
            }
            Self::BytesPerNanoMin(least) => Some(bytes / median >= least),
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Open => f.write_str("-"),
            Self::RatioMax(most) => write!(f, "<= {most} R"),
            Self::OverheadMax(most) => write!(f, "<= {} % over R", most * 100.0),
            Self::SpeedupMin(least) => write!(f, ">= {least}x R"),
            Self::ProbeShareMin(least) => write!(f, ">= {} % of R's rate", least * 100.0),
            Self::InProportion(part) => write!(f, "in proportion: {part} R"),
            Self::NanosEachMax(most) => write!(f, "<= {most} ns each"),
            Self::NanosMax(most) => write!(f, "<= {}", round(most)),
            Self::NanosMaxWhere { most, rate } => {
                write!(f, "<= {} where R >= {rate} GB/s", round(most))
            }
            Self::BytesPerNanoMin(least) => write!(f, ">= {least} GB/s"),
        }
    }
}

/// Nanoseconds in the largest unit of which there is one; goals are round numbers.
fn round(nanos: f64) -> String {
    match nanos {
        n if n >= 1e6 => format!("{} ms", n / 1e6),
        n if n >= 1e3 => format!("{} us", n / 1e3),
        n => format!("{n} ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(goal: Goal, ours: f64, reference: f64) -> Option<bool> {
        let samples = Samples::new(vec![ours]);
        let against = Comparison {
            subject: samples.clone(),
            reference: Samples::new(vec![reference]),
        };
        goal.reached(&samples, Some(&against), 1_000.0, 16_000.0)
    }

    #[test]
    fn a_goal_is_judged_in_its_own_unit() {
        for (goal, met, missed) in [
            (Goal::RatioMax(2.0), 2_000.0, 2_100.0),
            (Goal::OverheadMax(0.02), 1_020.0, 1_021.0),
            (Goal::SpeedupMin(1.25), 800.0, 801.0),
            (Goal::ProbeShareMin(0.5), 2_000.0, 2_001.0),
            (Goal::InProportion(0.1), 109.0, 111.0),
            (Goal::NanosEachMax(2.0), 2_000.0, 2_001.0),
            (Goal::NanosMax(1_999.0), 1_999.0, 2_000.0),
            (Goal::BytesPerNanoMin(8.0), 2_000.0, 2_001.0),
        ] {
            assert_eq!(judged(goal, met, 1_000.0), Some(true), "{goal}");
            assert_eq!(judged(goal, missed, 1_000.0), Some(false), "{goal}");
        }
        assert_eq!(judged(Goal::Open, 1.0, 1.0), None);
    }

    #[test]
    fn goals_are_written_in_round_numbers() {
        let text = |nanos| Goal::NanosMax(nanos).to_string();
        assert_eq!(
            [text(110.0), text(5_000.0), text(1e6)],
            ["<= 110 ns", "<= 5 us", "<= 1 ms"]
        );
    }

    #[test]
    fn a_condition_on_the_reference_decides_whether_a_goal_applies() {
        let goal = Goal::NanosMaxWhere {
            most: 500.0,
            rate: 16.0,
        };
        assert_eq!(judged(goal, 500.0, 1_000.0), Some(true));
        assert_eq!(judged(goal, 501.0, 1_000.0), Some(false));
        assert_eq!(judged(goal, 500.0, 1_001.0), None);
    }

    #[test]
    fn a_goal_against_a_reference_is_not_judged_without_one() {
        let samples = Samples::new(vec![1.0]);
        for goal in [Goal::RatioMax(1.0), Goal::SpeedupMin(1.0)] {
            assert_eq!(goal.reached(&samples, None, 1.0, 1.0), None);
        }
    }
}
