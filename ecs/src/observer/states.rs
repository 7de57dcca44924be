//! What observers keep between their runs on one world: the states of their parameters.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::function::ParamState;
use super::list::ObserverId;

/// States that are not in use. An observer that runs inside itself has one for each level.
///
/// Only looked up, never iterated. The mutex is never locked: it lets a world be shared between
/// threads although a state may not.
#[derive(Default)]
pub(super) struct States(FxHashMap<ObserverId, Vec<Mutex<ParamState>>>);

impl States {
    pub(super) fn take(&mut self, id: ObserverId) -> Option<ParamState> {
        let state = self.0.get_mut(&id)?.pop()?;
        Some(state.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn put(&mut self, id: ObserverId, state: ParamState) {
        self.0.entry(id).or_default().push(Mutex::new(state));
    }

    pub(super) fn forget(&mut self, id: ObserverId) {
        self.0.remove(&id);
    }
}
