//! What can be had twice, and what looking at a world does to it.

use std::any::type_name;
use std::marker::PhantomData;
use std::sync::Barrier;

use orrery_ecs::{
    Chunk, CommandQueue, Commands, Component, DynamicChunk, Entity, EntityCommands, EntityMut,
    EntityRef, EntityWorldMut, Has, Local, Mut, NonSend, NonSendMut, ParamSet, Query,
    QueryCombinations, QueryIter, QueryManyIter, QueryState, Ref, Res, ResMut, Resource, Single,
    World,
};

use crate::queries::Health;
use crate::support::{Burden, Num, Pos, pos};

#[derive(Clone, Resource)]
struct Value(#[allow(dead_code, reason = "only its type is asked for")] u32);

/// Asks whether a type is `Clone` without asking that it be: the constant of the type itself is
/// found before that of the trait.
struct Ask<T>(PhantomData<T>);

trait Otherwise {
    const CLONE: bool = false;
}

impl<T> Otherwise for Ask<T> {}

impl<T: Clone> Ask<T> {
    const CLONE: bool = true;
}

macro_rules! clone {
    ($($type:ty),* $(,)?) => {
        [$((type_name::<$type>(), Ask::<$type>::CLONE)),*]
    };
}

type Write = &'static mut Num;
type Read = &'static Num;

#[test]
fn nothing_that_writes_can_be_cloned() {
    let writers = clone![
        Write,
        Mut<'static, Health>,
        ResMut<'static, Value>,
        NonSendMut<'static, Value>,
        EntityMut<'static>,
        EntityWorldMut<'static>,
        Query<'static, 'static, Write>,
        Query<'static, 'static, (Entity, Option<Write>)>,
        QueryIter<'static, 'static, Write, ()>,
        QueryIter<'static, 'static, Mut<'static, Health>, ()>,
        QueryManyIter<'static, 'static, 'static, Write, ()>,
        QueryCombinations<'static, 'static, Write, (), 2>,
        QueryState<Write>,
        Chunk<'static, Write>,
        DynamicChunk<'static>,
        Single<'static, Write>,
        Local<'static, u32>,
        ParamSet<'static, 'static, (Query<'static, 'static, Write>,)>,
        Commands<'static, 'static>,
        EntityCommands<'static, 'static, 'static>,
        CommandQueue,
        World,
    ];
    for (name, clone) in writers {
        assert!(!clone, "{name} could be cloned");
    }
    // The question does find what can be cloned.
    let readers = clone![
        Read,
        Ref<'static, Health>,
        Res<'static, Value>,
        NonSend<'static, Value>,
        EntityRef<'static>,
        QueryIter<'static, 'static, Read, ()>,
        Entity,
    ];
    for (name, clone) in readers {
        assert!(clone, "{name} only reads");
    }
}

#[derive(Clone, Copy, Component)]
struct Unseen<const NUMBER: usize>(#[allow(dead_code, reason = "never looked at")] u32);

#[derive(Clone, Copy, Component)]
#[component(sparse)]
struct UnseenAside(#[allow(dead_code, reason = "never looked at")] u32);

#[test]
fn looking_for_what_a_world_has_never_seen_makes_nothing_on_any_thread() {
    let mut world = World::new();
    let entity = world.spawn((Num(1), pos(1.0))).id();
    let (before, archetypes) = (world.state_hash(), world.archetypes().len());
    let bytes = world.pool_usage().used_bytes;
    let barrier = Barrier::new(4);
    let look = || {
        barrier.wait();
        for _ in 0..200 {
            assert!(world.get::<Unseen<1>>(entity).is_none());
            assert!(world.read::<Unseen<2>>(entity).is_none());
            assert!(world.get::<UnseenAside>(entity).is_none());
            assert!(!world.entity(entity).contains::<Unseen<3>>());
            assert_eq!(world.component_id::<Unseen<4>>(), None);
            assert!(world.get_resource::<Value>().is_none());
            assert_eq!(world.changed_since::<Unseen<5>>(0).count(), 0);
            assert_eq!(world.get::<Num>(entity), Some(&Num(1)));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(look);
        }
    });
    assert_eq!(
        (world.state_hash(), world.archetypes().len()),
        (before, archetypes)
    );
    assert_eq!(world.pool_usage().used_bytes, bytes);
    let next = world.register_component::<Unseen<9>>();
    assert_eq!(next.index(), 2, "no other type was registered");
}

/// Each world numbers the types as it meets them, whatever other worlds do at the same time.
#[test]
fn the_number_of_a_type_is_the_worlds_own_and_not_the_programs() {
    let barrier = Barrier::new(2);
    let numbers = |first_health: bool| {
        barrier.wait();
        let mut world = World::new();
        let mut numbers = Vec::new();
        for _ in 0..2 {
            if first_health {
                numbers.push(world.register_component::<Health>().index());
            }
            numbers.push(world.register_component::<Num>().index());
            numbers.push(world.register_component::<Burden>().index());
            numbers.push(world.register_component::<Health>().index());
            world.query::<(Has<Pos>, Option<&Num>)>();
            numbers.push(
                world
                    .component_id::<Pos>()
                    .expect("asked for above")
                    .index(),
            );
        }
        numbers
    };
    for _ in 0..50 {
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(|| numbers(false));
            let other = scope.spawn(|| numbers(true));
            (
                one.join().expect("no panic"),
                other.join().expect("no panic"),
            )
        });
        assert_eq!(one, [0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(other, [0, 1, 2, 0, 3, 0, 1, 2, 0, 3]);
    }
}
