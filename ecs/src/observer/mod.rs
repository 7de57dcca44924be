//! Observers and hooks: functions that run when components come and go, or an event is triggered.
//!
//! ```text
//! structural change (complete: no row is half moved, handles and places are right)
//!   -> events, from what changed and not from what was asked for
//!        arrival:  Add (was missing), Insert (was given)
//!        removal:  Remove
//!        despawn:  Despawn, Remove
//!      for each event
//!        hooks of its components, in the order of the components
//!        observers, in order of registration, each once
//!          each with its commands, and the events of those, before the next one runs
//! values that left are dropped
//! ```
//!
//! Rules:
//! - Depth first: what an observer's commands cause is over before the next observer runs. An
//!   event goes to those observers that are registered when its hooks have run, as far as they
//!   still are when their own turn comes, even if its entity has died meanwhile. Who is added by
//!   an observer of an event does not hear of that event.
//! - Bulk operations (batches, columns, changes by filter, `clear`) are one change; the events of
//!   each entity follow when it is complete, in the order of the rows.
//! - Values that leave are moved out of their rows, lent to hooks and observers, and dropped
//!   exactly once when these have run.
//! - Chains end at [`OBSERVER_DEPTH_MAX`]: nothing more of the chain runs, its commands are dropped
//!   and counted, and the error is kept ([`World::take_observer_error`](crate::World)); a system
//!   whose commands began the chain returns it.
//! - An observer that panics: what it asked for is dropped; the observers after it do not run, nor
//!   does what the observers that caused it still had to do; values that left are dropped; then
//!   the panic goes on. Commands that stand in the outermost queue stay there.
//! - Dropping a world runs nobody.
//! - Observers are `Fn` and shared by forks, as code is; what they remember must be resources or
//!   components, which forks copy. They are not part of the state hash, nor are the logs of
//!   removed components: both belong to who looks at the state.
//!
//! A change tests one byte of the world ([`watch::Watch`]), and of its archetype if anything is
//! watched at all; the rest is out of line. The only generic code is in `function`.

mod chain;
mod commands;
mod deliver;
mod error;
mod event;
mod function;
mod hook;
mod list;
mod on;
mod removed;
mod signal;
mod states;
mod values;
mod watch;
mod world;

use crate::storage::shared::Shared;
use chain::RunningChain;
use deliver::Queues;
use list::ObserverList;
use removed::RemovalLogs;
use signal::Signals;
use states::States;

pub use error::{OBSERVER_DEPTH_MAX, ObserverChain, ObserverError, ObserverStep};
pub use event::{
    Add, DepartureEvent, Despawn, Event, Insert, LifecycleEvent, ObserverEvent, Remove,
};
pub(crate) use event::{Lent, Lifecycle};
pub use function::ObserverFunction;
pub use hook::{ComponentHook, HookContext, Hooks};
pub use list::ObserverId;
pub use on::On;
pub use removed::{REMOVED_MAX, RemovedComponents, RemovedReader};
pub(crate) use values::{Rows, Values, Wanted};
pub(crate) use watch::Watch;

/// Everything that a world knows of observers.
#[derive(Default)]
pub(crate) struct Observers {
    list: Shared<ObserverList>,
    logs: RemovalLogs,
    /// What is waited for of any component that an archetype or a set holds: all that changes ask
    /// in a world without observers.
    pub(crate) watch: Watch,
    /// What is waited for of any sparse component: it is not to be seen from the archetype.
    pub(crate) sparse: Watch,
    /// The short ways of events of users.
    signals: Signals,
    states: States,
    pub(crate) chain: RunningChain,
    queues: Queues,
}

impl Observers {
    /// The same observers for a fork. What they keep between runs is made anew, and nothing of
    /// theirs is running there.
    pub(crate) fn share(&self) -> Self {
        Self {
            list: self.list.clone(),
            logs: self.logs.clone(),
            watch: self.watch,
            sparse: self.sparse,
            signals: self.signals.share(),
            ..Self::default()
        }
    }
}
