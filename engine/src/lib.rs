//! A deterministic, data-oriented engine core for simulations and games.
//!
//! One folder and one Cargo feature a subsystem; this file alone knows the features.
//!
//! ```
//! use orrery::prelude::*;
//!
//! #[derive(Clone, Copy, Component)]
//! struct Position(Vec3);
//! #[derive(Clone, Copy, Component)]
//! struct Velocity(Vec3);
//!
//! // A chunk system sees one block of up to 4,096 entities as slices. The engine spreads blocks
//! // over threads; the result has the same bits on one thread and on eight.
//! fn drift(chunk: Chunk<(&mut Position, &Velocity)>, time: Res<Time>) {
//!     let (positions, velocities) = chunk.slices();
//!     for (position, velocity) in positions.iter_mut().zip(velocities) {
//!         position.0 += velocity.0 * time.delta_seconds() as f32;
//!     }
//! }
//!
//! let mut app = App::new();
//! app.add_systems(FixedUpdate, drift);
//! app.world_mut().spawn_batch((0..10_000).map(|i| {
//!     (Position(Vec3::ZERO), Velocity(Vec3::new(i as f32, 0.0, 1.0)))
//! }));
//! app.run(Runner::Ticks(60))?;
//! println!("state {}", app.world().state_hash());
//! # Ok::<(), orrery::app::AppError>(())
//! ```

#[cfg(feature = "app")]
pub mod app;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "clock")]
pub mod clock;
#[cfg(feature = "event")]
pub mod event;
#[cfg(feature = "fibres")]
pub mod fibres;
#[cfg(feature = "schedule")]
pub mod schedule;
#[cfg(feature = "spatial")]
pub mod spatial;
#[cfg(feature = "stamps")]
pub mod stamps;
#[cfg(feature = "task")]
pub mod task;
#[cfg(feature = "time")]
pub mod time;
#[cfg(feature = "workers")]
pub mod workers;

/// Worlds, components, queries and systems.
pub use orrery_ecs as ecs;
/// Vectors, matrices, random numbers and kernels.
pub use orrery_math as math;

/// What most programs use.
pub mod prelude {
    #[cfg(feature = "app")]
    pub use crate::app::ScheduleLabel::{
        First, FixedUpdate, Last, PostUpdate, PreUpdate, Startup, Update,
    };
    #[cfg(feature = "app")]
    pub use crate::app::{App, Exit, Plugin, Runner};
    #[cfg(feature = "event")]
    pub use crate::event::{EventReader, EventViewer, EventWriter, Events, Overflow, WorldEvents};
    #[cfg(feature = "schedule")]
    pub use crate::schedule::{IntoSystems, Schedule, SystemSet};
    #[cfg(feature = "task")]
    pub use crate::task::{CommandTasks, Script, Task, WorldTasks};
    #[cfg(feature = "time")]
    pub use crate::time::{RealTime, Time};
    #[cfg(feature = "workers")]
    pub use crate::workers::Workers;
    pub use orrery_ecs::{
        Bundle, Chunk, Commands, Component, Entity, Event, Fields, In, IntoCondition, Lanes, Local,
        ParamSet, Query, Res, ResMut, Resource, Single, StateHash, SystemParam,
        SystemParamFunction, With, Without, World,
    };
    pub use orrery_math::{DVec3, Mat4, Quat, Random, Vec2, Vec3, Vec4};
}

/// The README's code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
