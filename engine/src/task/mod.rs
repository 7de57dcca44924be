//! Scripts: async functions that run on the tick, in a defined order.
//!
//! ```text
//! tick T    run_tasks: deliver blocking work, then run the scripts that are due:
//!             by the tick for which they are due, then by order of spawning
//!           FixedUpdate: systems; they spawn scripts, trigger events, despawn entities
//! tick T+1  run_tasks ...
//! ```
//!
//! ```
//! use orrery::prelude::*;
//! use orrery::task::{Script, WorldTasks};
//!
//! #[derive(Clone, Copy, Component)]
//! struct Open(bool);
//! #[derive(Clone, Event)]
//! struct Knock;
//!
//! async fn door(script: Script) {
//!     let door = script.entity().expect("it belongs to one");
//!     let set = |open| script.with(|world| _ = world.insert(door, Open(open)));
//!     loop {
//!         script.event_for::<Knock>(door).await;
//!         set(true);
//!         script.sleep(60).await;
//!         set(false);
//!     }
//! }
//!
//! let mut app = App::new();
//! let entity = app.world_mut().spawn(Open(false)).id();
//! app.world_mut().spawn_task_for(entity, door)?.detach();
//! app.run(Runner::Ticks(1))?;
//! app.world_mut().trigger_for(entity, Knock)?;
//! app.run(Runner::Ticks(30))?;
//! assert_eq!(app.world().get::<Open>(entity).map(|open| open.0), Some(true));
//! app.run(Runner::Ticks(60))?;
//! assert_eq!(app.world().get::<Open>(entity).map(|open| open.0), Some(false));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order
//!
//! In a run the script whose turn it is next is the one that has been due longest, and of those
//! that are due since the same tick the one that was spawned first. A script that another one
//! wakes, by an event, its end or a spawn, is due in the tick that runs and has its turn in it. So
//! the order follows from what scripts do and from nothing else; no clock, thread or hash map has a
//! part in it, and what would wake a script from outside is refused and reported
//! ([`TaskError::StrayWake`]). More than [`WAKES_MAX`] such turns in one tick are taken for an
//! endless chain, which goes on in the next tick and is reported.
//!
//! # Ends
//!
//! A script ends by returning, by a panic, when the entity that it belongs to is despawned, when
//! its [`Task`] is dropped, or with its world. A panic ends that script alone, be it in its turn,
//! in a destructor or in a waker; [`Tasks`] has the error with the function's name and the place
//! where it was spawned, and so has who awaits it.
//!
//! # State
//!
//! **What a script remembers is no part of the world's state**: a future can be neither cloned,
//! hashed nor saved. So a world with living scripts refuses to be forked, by the name of
//! [`Scripts`], and a state hash sees of scripts only what they have written, and that an entity
//! has some, because it bears a mark then. For what must be forked, rewound or saved, keep the
//! state in components and let a system go on from them, or let scripts be short and find their way
//! from components:
//!
//! ```
//! use orrery::ecs::{Component, Entity, World};
//! use orrery::task::{Script, WorldTasks};
//! /// Where the patrol is: all that its script needs to begin again in a world that was put back.
//! #[derive(Clone, Copy, Component)]
//! struct Patrol {
//!     leg: u32,
//! }
//! async fn patrol(script: Script) {
//!     let guard = script.entity().expect("it belongs to one");
//!     loop {
//!         script.sleep(10).await;
//!         script.with(|world| world.get_mut::<Patrol>(guard).expect("it lives").leg += 1);
//!     }
//! }
//! /// For a new world as well as for one that was loaded.
//! fn start_patrols(world: &mut World) {
//!     let mut guards = world.query_filtered::<Entity, orrery::ecs::With<Patrol>>();
//!     for guard in guards.iter(world).collect::<Vec<_>>() {
//!         world.spawn_task_for(guard, patrol).expect("it was just found").detach();
//!     }
//! }
//! let mut world = World::new();
//! world.spawn(Patrol { leg: 0 });
//! let mut early = world.fork()?; // no script yet
//! start_patrols(&mut world);
//! start_patrols(&mut early);
//! # Ok::<(), orrery::ecs::ForkError>(())
//! ```
//!
//! # Threads
//!
//! Scripts run on the thread that runs the tick. Their futures are `Send`, so a world may be made
//! on one thread and run on another with all of them. Work that blocks goes to a few threads
//! beside, and its results come in the order of the requests: [`Blocking`]. Fibres, scripts with a
//! stack of their own that wait without `await`, are behind the feature `fibres`.
//!
//! # How it is made
//!
//! - `executor`: slots, spawning, ends; `turns`: a run; `order`: whose turn it is; `body`: futures
//!   in boxes, and slots that are kept by type, so that nothing allocates once warm;
//! - `running`: what a script reaches while it runs, without a promise about lifetimes;
//! - `wait`, `listen`, `sent`, `combine`, `handle`: what can be awaited; `waker`: what wakes;
//! - `owner`: scripts of entities; `scripts`: the resources; `blocking`: the pool.

mod blocking;
mod body;
mod combine;
mod error;
mod executor;
mod handle;
mod listen;
mod order;
mod owner;
mod running;
mod script;
mod scripts;
mod sent;
mod turns;
mod wait;
mod waker;
mod world;

#[cfg(test)]
mod tests;

pub use blocking::{
    Blocking, BlockingError, CommandBlocking, Delivery, Request, Requests, WorldBlocking,
};
pub use combine::{Either, join, join_all, race, race_all};
pub use error::{ScriptName, TaskError};
pub use executor::{ERRORS_MAX, ScriptId, WAKES_MAX};
pub use handle::Task;
pub use listen::{LISTENER_EVENTS_MAX, Listener};
pub use script::Script;
pub use scripts::{Scripts, TaskCounters, Tasks};
pub use sent::SentEvents;
pub use wait::Sleep;
pub use world::{CommandTasks, WorldTasks};
