//! Comparing a run with an answer that is known.

use crate::ecs::World;

/// Compares a run, as it goes, with right answers of others.
pub trait Check {
    /// Ticks that the comparison needs.
    fn ticks(&self) -> u64;

    /// Looks at the world after so many ticks; called at 0, before the first one, and after each.
    fn observe(&mut self, tick: u64, world: &World);

    /// What was compared, and how it went.
    fn verdicts(&self) -> Vec<Verdict>;
}

/// One quantity of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was compared, with its unit.
    pub what: String,
    /// Largest difference found; NaN if it could not be compared.
    pub found: f64,
    /// Largest difference allowed; `None` for what is shown but not judged.
    pub limit: Option<f64>,
    /// Tick of the largest difference.
    pub tick: u64,
}

impl Verdict {
    /// Whether the difference is within its limit. A NaN never is.
    pub fn passed(&self) -> bool {
        self.limit.is_none_or(|limit| self.found <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_that_is_no_number_never_passes() {
        let verdict = |found, limit| Verdict {
            what: String::new(),
            found,
            limit,
            tick: 0,
        };
        assert!(verdict(1.0, Some(1.0)).passed() && verdict(9.0, None).passed());
        assert!(!verdict(1.1, Some(1.0)).passed());
        assert!(!verdict(f64::NAN, Some(1.0)).passed());
    }
}
