//! Observers and hooks that put another world in the place of the one that is changing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use orrery_ecs::{
    Add, ChildOf, Commands, Component, Despawn, Entity, Event, HookContext, Insert, On, Remove,
    Resource, With, World,
};

#[derive(Clone, Debug, PartialEq, Component)]
struct Text(String);
#[derive(Clone, Copy, Debug, PartialEq, Component)]
struct Numbers([usize; 3]);
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse)]
struct Mark(u64);
#[derive(Clone, Copy, Component)]
struct Wide([u64; 512]);
#[derive(Clone, Event)]
struct Load;
#[derive(Clone, Copy, Default, Resource)]
struct Heard(u32);

/// Its numbers of components mean other types than in `old`.
fn new() -> World {
    let mut world = World::new();
    world.init_resource::<Heard>();
    world.register_component::<Wide>();
    for number in 0..20 {
        let text = Text(number.to_string());
        world.spawn((Wide([number; 512]), text, Mark(number)));
    }
    world.spawn_batch((0..40).map(|number| (Numbers([number; 3]), Text("other".into()))));
    world
}

fn old() -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register_component::<Numbers>();
    let parent = world.spawn(Text("parent".into())).id();
    let child = |number: usize| {
        let text = Text(format!("child {number}"));
        (Numbers([number; 3]), text, Mark(7), ChildOf(parent))
    };
    let mut all = vec![parent];
    all.extend(world.spawn_batch((0..9).map(child)));
    (world, all)
}

fn replace(mut commands: Commands) {
    commands.queue(|world: &mut World| *world = new());
}

fn observe(world: &mut World, kind: usize) {
    match kind {
        0 => world.add_observer(|_: On<Add, Text>, commands: Commands| replace(commands)),
        1 => world.add_observer(|_: On<Insert, Numbers>, commands: Commands| replace(commands)),
        2 => world.add_observer(|_: On<Remove, Numbers>, commands: Commands| replace(commands)),
        3 => world.add_observer(|_: On<Despawn>, commands: Commands| replace(commands)),
        4 => world.add_observer(|_: On<Remove, Mark>, commands: Commands| replace(commands)),
        5 => world.add_observer(|_: On<Remove, ChildOf>, commands: Commands| replace(commands)),
        _ => world.add_observer(|_: On<Insert, Mark>, commands: Commands| replace(commands)),
    };
}

fn change(world: &mut World, all: &[Entity], kind: usize) {
    let bundle = || (Numbers([1; 3]), Text("new".into()), Mark(3));
    match kind {
        0 => drop(world.spawn(bundle()).id()),
        1 => drop(world.spawn_batch((0..5).map(|_| bundle()))),
        2 => all
            .iter()
            .for_each(|&entity| _ = world.insert(entity, bundle())),
        3 => _ = world.insert_where::<With<Numbers>, _>(bundle_of_rows()),
        4 => _ = world.remove_where::<With<Numbers>, (Numbers, Text)>(),
        5 => _ = world.take::<(Numbers, Text)>(all[2]),
        6 => _ = world.remove::<(Mark, Numbers)>(all[3]),
        7 => _ = world.despawn(all[0]),
        8 => _ = world.despawn_where::<With<Numbers>>(),
        9 => world.clear(),
        10 => _ = world.remove_where::<With<Numbers>, Mark>(),
        _ => _ = world.merge(old().0),
    }
}

fn bundle_of_rows() -> (Numbers, Text) {
    (Numbers([2; 3]), Text("row".into()))
}

#[test]
fn a_change_whose_world_an_observer_replaces_ends_by_a_panic_and_the_new_world_is_whole() {
    let expected = new().state_hash();
    let mut replaced = 0;
    for (kind, by) in (0..12).flat_map(|kind| (0..7).map(move |by| (kind, by))) {
        let (mut world, all) = old();
        observe(&mut world, by);
        observe(&mut world, (by + 1) % 7);
        let id = world.id();
        let changed = catch_unwind(AssertUnwindSafe(|| change(&mut world, &all, kind)));
        if world.id() == id {
            assert!(changed.is_ok(), "{kind} {by}");
            continue;
        }
        replaced += 1;
        let panic = changed.expect_err("its world has gone");
        let text = panic.downcast_ref::<&str>().copied();
        assert!(
            text.is_some_and(|text| text.contains("put another world in the place")),
            "{kind} {by}: {text:?}"
        );
        assert_eq!(world.state_hash(), expected, "{kind} {by}");
        let last = world.spawn((Numbers([9; 3]), Text("last".into()))).id();
        assert_eq!(world.get::<Text>(last), Some(&Text("last".into())));
    }
    assert!(replaced > 40, "{replaced}");
}

#[test]
fn a_hook_that_replaces_the_world_ends_the_change_too() {
    #[derive(Clone, Component)]
    #[component(on_add = go)]
    struct Fatal;
    fn go(mut context: HookContext<'_>) {
        context.commands().queue(|world: &mut World| *world = new());
    }
    let mut world = World::new();
    let spawned = catch_unwind(AssertUnwindSafe(|| {
        world.spawn((Fatal, Text("x".into()))).id()
    }));
    assert!(spawned.is_err());
    assert_eq!(world.state_hash(), new().state_hash());
}

#[test]
fn an_observer_of_an_event_may_replace_the_world_and_those_of_the_old_one_run_no_more() {
    let mut world = World::new();
    world.init_resource::<Heard>();
    world.add_observer(|_: On<Load>, commands: Commands| replace(commands));
    world.add_observer(|_: On<Load>, mut heard: orrery_ecs::ResMut<Heard>| heard.0 += 1);
    world.trigger(Load);
    assert_eq!(world.resource::<Heard>().0, 0);
    assert_eq!(world.state_hash(), new().state_hash());
}
