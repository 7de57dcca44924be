//! Fibres: scripts with a stack of their own, which wait without `await`.
//!
//! ```text
//! script -> future FibreRun --poll--> switch to the fibre's stack
//!                                       fibre.next_tick() polls a future; is it pending,
//!           pending  <----------------- switch back
//! table of the thread: fibres that wait, stacks that are free
//! ```
//!
//! A fibre is a script of [`task`](crate::task) whose future runs a function on another stack, so
//! it has its turn, its order, its errors and its end as every script has; only the code that waits
//! may stand at any depth of ordinary calls: an interpreter, a recursive walk, a library that calls
//! back. Where `async` will do, take it: its futures are smaller, move between threads and cost no
//! stack.
//!
//! ```
//! use orrery::ecs::{Entity, Resource, World};
//! use orrery::fibres::{Fibre, WorldFibres};
//! use orrery::task::WorldTasks;
//!
//! #[derive(Clone, Default, Resource)]
//! struct Moves(Vec<(u8, u8)>);
//!
//! /// One disk a tick, at any depth of the recursion.
//! fn hanoi(fibre: &Fibre<'_>, disks: u32, from: u8, to: u8, over: u8) {
//!     if disks > 0 {
//!         hanoi(fibre, disks - 1, from, over, to);
//!         fibre.with(|world| world.resource_mut::<Moves>().0.push((from, to)));
//!         fibre.next_tick();
//!         hanoi(fibre, disks - 1, over, to, from);
//!     }
//! }
//!
//! let mut world = World::new();
//! world.init_resource::<Moves>();
//! world.spawn_fibre(|fibre| hanoi(fibre, 3, 0, 2, 1)).detach();
//! (1..=8).for_each(|tick| world.run_tasks(tick));
//! assert_eq!(world.resource::<Moves>().0.len(), 7);
//! ```
//!
//! - **A fibre never leaves its thread.** Code on its stack may keep the address of a thread's
//!   local value, so it stays where it began: in a table of that thread. A world that goes to
//!   another thread with a fibre that waits gets [`FibreError::OtherThread`] when its turn comes;
//!   the fibre is unwound at home, when a fibre begins there next or the thread ends.
//! - **A fibre that is cancelled is unwound**: its destructors run on its stack. They must not
//!   wait, and code that catches panics must let this one go on.
//! - **Stacks are pooled**: [`STACK_BYTES`] of addresses each, of which only touched pages take
//!   memory, and a guard page below. A fibre that grows beyond ends the process by a fault, as an
//!   overflow of a thread does, and never runs into other memory.
//!
//! The switch is corosensei's: about 2 ns each way. A stack out of the pool costs some 15 ns, a new
//! one 10 us.

mod error;
mod fibre;
mod run;
mod table;
#[cfg(test)]
mod tests;
mod world;

pub use error::FibreError;
pub use fibre::Fibre;
pub use run::FibreRun;
pub use table::{STACK_BYTES, STACKS_KEPT_MAX};
pub use world::{ScriptFibres, WorldFibres};
