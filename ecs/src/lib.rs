//! Archetype ECS on reference-counted, 64-byte-aligned blocks.
//!
//! Goals, in order of importance:
//!
//! 1. *The same result every time.* Handles, iteration order and [`World::state_hash`] are a
//!    function of the operations done, on any number of threads.
//! 2. *Slices.* A query hands out whole blocks, `(&mut [Position], &[Velocity])`, that a plain
//!    loop or a SIMD kernel runs over.
//! 3. *A world is a value.* [`World::fork`] shares all blocks; whoever writes first copies one.
//! 4. *Familiar words.* Who knows Bevy's ECS knows these names.
//!
//! ```
//! use orrery_ecs::{Component, World};
//!
//! #[derive(Clone, Copy, Component)]
//! struct Position(f32);
//! #[derive(Clone, Copy, Component)]
//! struct Velocity(f32);
//!
//! let mut world = World::new();
//! world.spawn_batch((0..1000).map(|i| (Position(i as f32), Velocity(0.5))));
//! let mut moving = world.query::<(&mut Position, &Velocity)>();
//! for (position, velocity) in moving.iter_mut(&mut world) {
//!     position.0 += velocity.0;
//! }
//! assert_eq!(world.query::<&Position>().iter(&world).map(|p| p.0).sum::<f32>(), 500_000.0);
//! ```
//!
//! `unsafe` stands in `storage`, and where typed values meet erased bytes: `archetype`,
//! `bundle`, `commands`, `component`, `entity`, `observer`, `query`, `relationship`, `resource`,
//! `sparse`, `system` and `world`.
//!
//! Left out: which systems run when. That is the engine's schedule; here a [`Stage`] runs some of
//! them, at the same time where nothing forbids it.
//!
#![doc = include_str!("guide.md")]
#![expect(
    unsafe_code,
    reason = "storage works on erased bytes; each block says who guarantees it"
)]

extern crate self as orrery_ecs;

mod archetype;
mod bundle;
mod commands;
mod component;
mod entity;
mod error;
mod hash;
mod names;
mod observer;
mod panics;
mod query;
mod recent;
mod relationship;
mod resource;
mod sparse;
mod storage;
mod system;
mod world;

pub use archetype::{Archetype, ArchetypeId};
pub use bundle::Bundle;
pub use commands::{CommandQueue, Commands, EntityCommands};
pub use component::{
    ByBlock, ByRow, Component, ComponentDescriptor, ComponentId, FieldInfo, InSparseSet, InTable,
    Mut, MutOf, MutableComponent, Ref, SplitComponent, Storage, TableComponent, Ticks,
    TrackedComponent, Tracking,
};
pub use entity::{Entity, EntityMap, MapEntities};
pub use error::{
    AccessConflict, ColumnLengthError, ComponentError, DynamicError, ForkError, MergeError,
    NoSuchEntity, QueryError, SpawnAtError,
};
pub use hash::{Lane, PlainLane, StateHash, StateHasher, WorldHash};
pub use observer::{
    Add, ComponentHook, DepartureEvent, Despawn, Event, HookContext, Insert, LifecycleEvent,
    OBSERVER_DEPTH_MAX, ObserverChain, ObserverError, ObserverEvent, ObserverFunction, ObserverId,
    ObserverStep, On, REMOVED_MAX, Remove, RemovedComponents, RemovedReader,
};
pub use orrery_ecs_derive::{
    Bundle, Component, Event, Resource, StateHash, SystemParam, check_system,
};
#[doc(hidden)]
pub use panics::drop_quietly;
pub use query::{
    Added, AnyOf, ArchetypeFilter, ArchetypeQueryData, BlockRunner, Changed, Chunk, ChunkQueryData,
    DynamicChunk, DynamicQuery, EntityMut, EntityRef, Fields, Has, Lanes, Or, Query,
    QueryCombinations, QueryData, QueryFilter, QueryIter, QueryManyIter, QueryState,
    ReadOnlyQueryData, Serial, With, Without,
};
pub use relationship::{
    AcyclicRelationship, Ancestors, ChildOf, Children, Descendants, Related, RelatedSpawner,
    Relationship, RelationshipError, Sources,
};
pub use resource::{NonSend, NonSendError, NonSendMut, Res, ResMut, Resource};
pub use storage::pool::PoolUsage;
pub use storage::{BLOCK_ALIGN, BLOCK_ROWS};
pub use system::{
    Answers, Condition, ExclusiveMarker, In, IntoCondition, IntoSystem, Keep, KeepMut, Kept,
    KeptMut, Late, Local, LocalValue, NoClone, NotState, ParamOwner, ParamSet, Pipe, RunOnce,
    SharedParam, Single, Stage, StageError, StagePart, StageUnit, System, SystemAccess,
    SystemError, SystemFailure, SystemId, SystemOutput, SystemParam, SystemParamFunction,
};
pub use world::{
    ColumnSource, ColumnSources, Compaction, EntityWorldMut, IntoColumnSource, SpawnBatch, World,
    WorldId,
};

/// The README's code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What the derive macros refer to; not for users.
#[doc(hidden)]
pub mod macros {
    pub use crate::bundle::BundleComponents;
    pub use crate::component::{MadeByDefault, Requirements, describe, duplicate};
    pub use crate::entity::map_probe;
    pub use crate::hash::probe;
    pub use crate::system::{ParamError, Run, SystemMeta, TakenLanes};
}
