//! Work that blocks: reading files, asking a network, compressing a save.
//!
//! ```text
//! tick 4    request a, request b ----> queue -> threads      a takes long, b is quick
//! tick 5    run_tasks: waits for a, delivers a, then b       Delivery::AfterTicks(1)
//!           run_tasks: a is not done, so nothing yet         Delivery::WhenDone
//! tick 7    run_tasks: delivers a, then b                    Delivery::WhenDone
//! ```
//!
//! Results come in the order of the requests, never in that of the disk, and only where scripts
//! run: at the beginning of a tick. Under [`Delivery::AfterTicks`], the default, the tick is fixed
//! as well: it waits for work that is not done, so a run whose inputs are the same is the same
//! however long they took to read. Under [`Delivery::WhenDone`] no tick waits, and in which of them
//! a result comes depends on the machine.
//!
//! What the work gives is an input of the run, as what a player does is. Nothing here records it:
//! a run that is replayed does the work again, and is the same if that gives the same, under
//! `WhenDone` only if it also comes in the same ticks. Who cannot see to that writes the results
//! down with the other inputs.
//!
//! Requests that are not delivered are no state and have no clone, so a fork is refused by the name
//! of [`Requests`]. The pool itself is shared by forks.

mod deliver;
mod error;
mod pool;
mod request;

pub use deliver::{CommandBlocking, Requests, WorldBlocking};
pub(super) use deliver::{deliver, try_spawn};
pub use error::BlockingError;
pub use pool::{Blocking, Delivery};
pub use request::Request;
