//! Who watches relationships finds both sides in agreement.

use orrery_ecs::{
    Add, ChildOf, Children, Entity, Insert, On, Related, Remove, RemovedComponents, ResMut,
    Resource, World,
};

use super::spawn_many;
use crate::support::Num;

#[derive(Clone, Default, Debug, PartialEq, Resource)]
struct Log(Vec<String>);

fn watched() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.add_observer(
        |on: On<Insert, ChildOf>, tree: Related<ChildOf>, mut log: ResMut<Log>| {
            let parent = tree.target(on.entity()).expect("it was inserted");
            let place = tree
                .sources(parent)
                .iter()
                .position(|&one| one == on.entity());
            let old = on.replaced().map(|old: &ChildOf| tree.sources(old.0).len());
            log.0.push(format!("insert {place:?} {old:?}"));
        },
    );
    world.add_observer(
        |on: On<Remove, ChildOf>, tree: Related<ChildOf>, mut log: ResMut<Log>| {
            let old = on.removed().map(|old: &ChildOf| tree.sources(old.0).len());
            log.0.push(format!("remove {old:?}"));
        },
    );
    world.add_observer(|_: On<Add, Children>, mut log: ResMut<Log>| log.0.push("began".into()));
    world.add_observer(|_: On<Remove, Children>, mut log: ResMut<Log>| log.0.push("ended".into()));
    world
}

fn take(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[test]
fn observers_of_a_relationship_see_the_list_as_it_is_then() {
    let mut world = watched();
    let tops = spawn_many(&mut world, 2);
    let child = world.spawn(ChildOf(tops[0])).id();
    assert_eq!(take(&mut world), ["insert Some(0) None", "began"]);
    world.spawn_batch([ChildOf(tops[0]); 2]);
    // The whole batch is in the list before the first is told of.
    assert_eq!(
        take(&mut world),
        ["insert Some(1) None", "insert Some(2) None"]
    );
    world.entity_mut(child).insert(ChildOf(tops[1]));
    assert_eq!(take(&mut world), ["insert Some(0) Some(2)", "began"]);
    world.entity_mut(child).remove::<ChildOf>();
    assert_eq!(take(&mut world), ["remove Some(0)", "ended"]);
}

#[test]
fn observers_hear_nothing_of_what_was_refused() {
    let mut world = watched();
    let top = world.spawn(()).id();
    let child = world.spawn(ChildOf(top)).id();
    take(&mut world);
    world.entity_mut(top).insert((ChildOf(child), Num(1)));
    assert_eq!(take(&mut world), Vec::<String>::new());
    assert!(world.get::<ChildOf>(top).is_none());
}

#[test]
fn hooks_of_a_relationship_run_as_those_of_any_component() {
    #[derive(Clone, Copy, orrery_ecs::Component)]
    #[component(on_insert = note)]
    #[relationship]
    struct Orbits(Entity);

    fn note(mut hook: orrery_ecs::HookContext<'_>) {
        let sun = hook
            .world()
            .target::<Orbits>(hook.entity())
            .expect("inserted");
        let count = hook.world().sources::<Orbits>(sun).len() as u32;
        hook.commands().entity(sun).insert(Num(count));
    }
    let mut world = World::new();
    let sun = world.spawn(()).id();
    world.spawn(Orbits(sun));
    world.spawn(Orbits(sun));
    assert_eq!(world.get::<Num>(sun), Some(&Num(2)));
}

#[test]
fn readers_of_removals_see_lists_and_relationships_that_ended() {
    let mut world = World::new();
    let mut lists = world.removed_reader::<Children>();
    let mut children = world.removed_reader::<ChildOf>();
    let top = world.spawn(()).id();
    let all: Vec<Entity> = world.spawn_batch([ChildOf(top); 2]).collect();
    world.entity_mut(all[0]).remove::<ChildOf>();
    assert_eq!(
        (lists.read(&mut world), children.read(&mut world)),
        (vec![], vec![all[0]])
    );
    world.entity_mut(all[1]).remove::<ChildOf>();
    assert_eq!(
        (lists.read(&mut world), children.read(&mut world)),
        (vec![top], vec![all[1]])
    );
    world.spawn(ChildOf(top));
    world.despawn(top).expect("it lives");
    assert_eq!(
        (lists.read(&mut world), children.read(&mut world).len()),
        (vec![top], 1)
    );
    let count = |mut gone: RemovedComponents<ChildOf>| gone.read().count();
    assert_eq!(world.run_system_once(count), Ok(0));
}
