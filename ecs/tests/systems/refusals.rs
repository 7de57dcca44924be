//! Conflicts between parameters: found before anything runs, and said so that they can be mended.

use orrery_ecs::{
    Chunk, Commands, Component, IntoSystem, NonSendMut, Query, Res, ResMut, Resource, Serial,
    Single, System, SystemError, With, World,
};

use crate::support::{Num, Pos};

#[derive(Clone, Copy, Component)]
struct Tag;

#[derive(Clone, Default, Resource)]
struct Value(u32);

#[derive(Clone, Default, Resource)]
struct Other(u32);

struct Window;

fn boxed<M>(system: impl IntoSystem<M>) -> Box<dyn System> {
    Box::new(system.into_system())
}

fn write_both(_: Query<&mut Num>, _: Query<(&Pos, &mut Num)>) {}
fn write_tagged(_: Query<&mut Num, With<Tag>>, _: Query<&Num>) {}
fn write_alike(_: Query<&mut Num>, _: Query<&Num>) {}
fn write_twice(_: Query<(&mut Num, Option<&Num>)>) {}
fn chunk_and_world(_: Query<&mut Pos>, _: &World) {}
fn world_and_resource(_: &World, _: Option<ResMut<Value>>) {}
fn world_and_window(_: &World, _: Commands, _: NonSendMut<Window>) {}
fn resource_twice(_: ResMut<Value>, _: Option<Res<Value>>) {}
fn single_and_query(_: Single<&Num>, _: Query<&mut Num>) {}

type Case = (Box<dyn System>, &'static [&'static str]);

/// Systems with the parts of their message.
fn query_cases() -> [Case; 4] {
    [
        (
            boxed(write_both),
            &[
                "::write_both",
                "Query<&mut Num> and",
                "Query<(&Pos, &mut Num)> both",
                "access main::support::Num",
                "add Without<Pos> to the first",
            ],
        ),
        (
            boxed(write_tagged),
            &[
                "::write_tagged",
                "Query<&mut Num, With<Tag>>",
                "add Without<Tag> to the second",
                "ParamSet",
            ],
        ),
        (
            boxed(write_alike),
            &["::write_alike", "ask for it once", "ParamSet"],
        ),
        (
            boxed(write_twice),
            &[
                "::write_twice",
                "(&mut Num, Option<&Num>) accesses main::support::Num twice",
                "ask for it once",
            ],
        ),
    ]
}

fn other_cases() -> [Case; 5] {
    [
        (
            boxed(chunk_and_world),
            &["::chunk_and_world", "&World", "support::Pos", "ParamSet"],
        ),
        (
            boxed(world_and_resource),
            &[
                "::world_and_resource",
                "ResMut<",
                "refusals::Value",
                "instead of &World",
            ],
        ),
        (
            boxed(world_and_window),
            &[
                "::world_and_window",
                "NonSendMut<",
                "refusals::Window",
                "instead of &World",
            ],
        ),
        (
            boxed(resource_twice),
            &[
                "::resource_twice",
                "ResMut<",
                "Option<",
                "refusals::Value",
                "as ResMut",
            ],
        ),
        (
            boxed(single_and_query),
            &["::single_and_query", "Single<&Num>", "Query<&mut Num>"],
        ),
    ]
}

#[test]
fn a_conflict_names_system_parameters_data_and_the_smallest_fix() {
    let cases = query_cases().into_iter().chain(other_cases());
    for (mut system, parts) in cases {
        let mut world = World::new();
        let error = system.initialize(&mut world).expect_err(parts[0]);
        assert!(matches!(error, SystemError::Conflict(_)));
        let message = error.to_string();
        for part in parts {
            assert!(message.contains(part), "{part} in {message}");
        }
        assert_eq!(system.run(&mut world, &Serial), Err(error));
        assert_eq!((world.systems().len(), world.change_tick()), (0, 1));
    }
}

/// Users of another engine learned of one such system at a time, by a panic in the first frame.
#[test]
fn the_conflicts_of_all_systems_are_found_before_any_of_them_runs() {
    let mut systems = [
        boxed(write_both),
        boxed(|mut value: ResMut<Value>| value.0 = 1),
        boxed(resource_twice),
        boxed(|_: Chunk<&mut Num>, _: Res<Value>| ()),
        boxed(world_and_resource),
        boxed(|_: &mut World| panic!("nothing is run")),
    ];
    let mut world = World::new();
    world.insert_resource(Value(7));
    let before = world.state_hash();
    let errors = systems
        .iter_mut()
        .map(|system| system.initialize(&mut world).err());
    let errors: Vec<_> = errors.flatten().map(|error| error.to_string()).collect();
    assert_eq!(errors.len(), 3);
    for (message, name) in errors
        .iter()
        .zip(["write_both", "resource_twice", "world_and_res"])
    {
        assert!(message.contains(name), "{name} in {message}");
    }
    assert_eq!(world.state_hash(), before);
}

#[test]
fn systems_that_would_see_each_other_at_work_are_not_compatible() {
    let mut world = World::new();
    let mut systems = [
        boxed(|_: Query<&mut Num>| ()),
        boxed(|_: Query<&Num>, _: Res<Value>| ()),
        boxed(|_: Query<&Pos>, _: ResMut<Other>| ()),
        boxed(|_: Chunk<(&mut Pos, &Num)>, _: Res<Value>| ()),
        boxed(|_: &World| ()),
        boxed(|_: Commands| ()),
        boxed(|_: &mut World| ()),
    ];
    assert!(systems[0].access().is_none(), "it was not initialized");
    for system in &mut systems {
        system.initialize(&mut world).expect("no conflict");
    }
    let access = |index: usize| systems[index].access().expect("initialized");
    let apart = [
        (0, 2),
        (1, 2),
        (1, 3),
        (1, 4),
        (0, 5),
        (2, 5),
        (3, 5),
        (1, 5),
    ];
    for first in 0..systems.len() {
        for second in first + 1..systems.len() {
            let expected = apart.contains(&(first, second));
            assert_eq!(
                access(first).is_compatible(access(second)),
                expected,
                "{first} {second}"
            );
        }
    }
    let conflict = access(2).conflict(access(3), "systems a and b", &world);
    let message = conflict.expect("Pos is written").to_string();
    for part in ["systems a and b", "Query<&Pos>", "Chunk<", "support::Pos"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert!(access(0).conflict(access(2), "", &world).is_none());
}

/// Numbers of components and resources are a world's own: a system that kept those of another
/// world would touch the wrong ones.
#[test]
fn a_system_used_with_another_world_looks_at_that_one_anew() {
    let mut first = World::new();
    let mut second = World::new();
    first.insert_resource(Value(1));
    first.spawn((Num(1), Tag));
    second.insert_resource(Other(2));
    second.spawn(Tag);
    second.spawn((Tag, Num(5)));
    second.insert_resource(Value(10));
    let system = |mut nums: Query<&mut Num>, mut value: ResMut<Value>| {
        nums.for_each(|num| num.0 += 1);
        value.0 += nums.len() as u32;
    };
    let mut system = system.into_system();
    for _ in 0..3 {
        system.run(&mut first, &Serial).expect("all there");
        system.run(&mut second, &Serial).expect("all there");
    }
    let nums = |world: &mut World| world.query::<&Num>().iter(world).map(|n| n.0).sum::<u32>();
    assert_eq!((nums(&mut first), first.resource::<Value>().0), (4, 4));
    assert_eq!((nums(&mut second), second.resource::<Value>().0), (8, 13));
    assert_eq!(second.resource::<Other>().0, 2);
    assert_eq!((first.systems().len(), second.systems().len()), (1, 1));
}
