//! Who runs because of whom: the chain of observers that are running now.

use super::error::{OBSERVER_DEPTH_MAX, ObserverChain, ObserverError, ObserverStep};

/// Observers that are running, outermost first, and what went wrong.
#[derive(Default)]
pub(crate) struct RunningChain {
    steps: Vec<ObserverStep>,
    /// The chain came to the limit: nothing of it runs any more until its first observer has
    /// ended.
    cut: bool,
    /// Whether `error` is about the chain that is running now.
    counting: bool,
    /// The first error that nobody has taken yet.
    error: Option<ObserverError>,
    error_count: u64,
}

impl RunningChain {
    #[inline]
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(super) fn depth(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn error_count(&self) -> u64 {
        self.error_count
    }

    pub(crate) fn take_error(&mut self) -> Option<ObserverError> {
        self.counting = false;
        self.error.take()
    }

    /// Keeps an error, if it is the first.
    pub(super) fn report(&mut self, error: ObserverError) {
        self.error_count += 1;
        self.error.get_or_insert(error);
    }

    /// Goes one step deeper and says whether that is allowed.
    pub(super) fn enter(&mut self, step: ObserverStep) -> bool {
        if self.steps.len() < OBSERVER_DEPTH_MAX {
            self.steps.push(step);
            return true;
        }
        let mut steps = self.steps.clone();
        steps.push(step);
        self.cut = true;
        self.counting = self.error.is_none();
        let chain = ObserverChain {
            steps,
            ..ObserverChain::default()
        };
        self.report(ObserverError::TooDeep(Box::new(chain)));
        self.count(|chain| chain.dropped_events += 1);
        false
    }

    /// Comes back to a depth, at the end of a step or of a panic.
    pub(super) fn leave(&mut self, depth: usize) {
        self.steps.truncate(depth);
        if depth == 0 {
            self.cut = false;
            self.counting = false;
        }
    }

    /// Counts a command of a chain that was cut.
    pub(crate) fn drop_command(&mut self) {
        self.count(|chain| chain.dropped_commands += 1);
    }

    /// Counts calls of a chain that was cut.
    pub(super) fn drop_events(&mut self, count: usize) {
        self.count(|chain| chain.dropped_events += count as u64);
    }

    fn count(&mut self, add: impl FnOnce(&mut ObserverChain)) {
        if let Some(ObserverError::TooDeep(chain)) = &mut self.error
            && self.counting
        {
            add(chain);
        }
    }
}
