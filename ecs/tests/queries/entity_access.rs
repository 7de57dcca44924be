//! What may stand beside whole entities in a system, and handles that lead nowhere.

use orrery_ecs::{
    Added, Changed, Commands, Component, Entity, EntityMut, EntityRef, Has, IntoSystem, Local, Mut,
    ParamSet, Query, QueryError, Res, ResMut, Resource, Serial, System, SystemAccess, With,
    Without, World,
};

use super::{Health, Tag};
use crate::support::Num;

#[derive(Clone, Copy, Component)]
#[component(sparse)]
struct Rare(u32);

#[derive(Clone, Default, Resource)]
struct Clock(u32);

/// The error of a system, or nothing.
fn refusal<M>(system: impl IntoSystem<M>) -> Option<String> {
    let error = system.into_system().initialize(&mut World::new()).err()?;
    Some(error.to_string())
}

#[test]
fn whole_entities_stand_beside_everything_that_is_no_component_of_theirs() {
    let beside = [
        refusal(|_: Query<EntityMut>, _: ResMut<Clock>, _: Commands, _: Local<u32>| ()),
        refusal(|_: Query<EntityMut>, _: Query<(Entity, Has<Num>)>| ()),
        refusal(|_: Query<EntityMut, With<Num>>, _: Query<EntityMut, Without<Num>>| ()),
        refusal(|_: Query<EntityMut, Without<Num>>, _: Query<(&mut Num, &Health)>| ()),
        refusal(|_: Query<EntityMut, With<Num>>, _: Query<&mut Rare, Without<Num>>| ()),
        refusal(|_: Query<EntityMut, Changed<Health>>, _: Query<Entity>| ()),
        refusal(|_: ParamSet<(Query<EntityMut>, Query<&mut Num>, Query<EntityRef>)>| ()),
        refusal(|_: Query<EntityRef>, _: Query<(&Num, EntityRef)>, _: &World| ()),
        refusal(|_: Query<EntityRef, Added<Health>>, _: Query<&mut Num, Without<Health>>| ()),
        refusal(|_: Query<(EntityMut, Entity, Has<Num>)>, _: Res<Clock>| ()),
    ];
    assert_eq!(beside, [const { None }; 10]);
}

#[test]
fn whole_entities_exclude_every_component_that_an_entity_may_share() {
    let refused = [
        (
            refusal(|_: Query<EntityMut>, _: Query<&Num>| ()),
            "access main::support::Num",
        ),
        (
            refusal(|_: Query<&mut Rare>, _: Query<EntityRef>| ()),
            "entity_access::Rare",
        ),
        (
            refusal(|_: Query<EntityMut, With<Num>>, _: Query<&mut Rare>| ()),
            "Rare",
        ),
        (
            refusal(|_: Query<EntityMut>, _: Query<EntityRef>| ()),
            "access every component",
        ),
        (
            refusal(|_: Query<EntityMut, With<Num>>, _: Query<EntityMut, With<Health>>| ()),
            "every",
        ),
        (
            refusal(|_: Query<EntityMut>, _: Query<Entity, Changed<Health>>| ()),
            "Health",
        ),
        (
            refusal(|_: Query<EntityMut>, _: &World| ()),
            "access every component",
        ),
        (refusal(|_: Query<(EntityMut, &Num)>| ()), "Num twice"),
        (
            refusal(|_: Query<(EntityRef, Mut<Health>)>| ()),
            "Health twice",
        ),
        (
            refusal(|_: Query<(EntityMut, Option<EntityRef>)>| ()),
            "every component twice",
        ),
    ];
    for (number, (error, part)) in refused.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("system {number} was accepted"));
        assert!(error.contains(part), "{error}\nlacks: {part}");
    }
}

fn access<M>(world: &mut World, system: impl IntoSystem<M>) -> SystemAccess {
    let mut system = system.into_system();
    system
        .initialize(world)
        .expect("it has no conflict of its own");
    system.access().expect("it was initialized").clone()
}

#[test]
fn systems_of_whole_entities_run_beside_those_that_cannot_meet_them() {
    let world = &mut World::new();
    let write_all = access(world, |_: Query<EntityMut>| ());
    let write_some = access(world, |_: Query<EntityMut, With<Num>>| ());
    let read_all = access(world, |_: Query<EntityRef>| ());
    let read_others = access(world, |_: Query<(&Health, &mut Rare), Without<Num>>| ());
    let clock = access(world, |_: ResMut<Clock>| ());
    let read_world = access(world, |_: &World| ());
    // Registered after the others were made: "every" means it too.
    let late = access(world, |_: Query<&Tag<9>>| ());
    let apart = [
        (&write_all, &clock),
        (&write_some, &read_others),
        (&read_all, &read_world),
        (&read_all, &late),
    ];
    for (number, (one, other)) in apart.into_iter().enumerate() {
        assert!(
            one.is_compatible(other) && other.is_compatible(one),
            "pair {number}"
        );
    }
    let meet = [
        (&write_all, &late),
        (&write_all, &write_some),
        (&write_some, &read_all),
        (&write_all, &read_world),
        (&read_all, &read_others),
    ];
    for (number, (one, other)) in meet.into_iter().enumerate() {
        assert!(
            !one.is_compatible(other) && !other.is_compatible(one),
            "pair {number}"
        );
    }
}

#[test]
fn a_system_that_may_write_entities_does_not_fork_the_world_that_it_reads() {
    let mut world = World::new();
    world.spawn(Num(1));
    let forks = |mut set: ParamSet<(&World, Query<EntityMut>)>| set.p0().fork().is_ok();
    assert_eq!(world.run_system_once(forks), Ok(false));
    let forks = |mut set: ParamSet<(&World, Query<EntityRef>)>| set.p0().fork().is_ok();
    assert_eq!(world.run_system_once(forks), Ok(true));
}

#[test]
fn handles_of_dead_and_other_entities_are_told_apart() {
    let mut world = World::new();
    let (dead, health) = (world.spawn(Num(1)).id(), world.spawn(Health(2)).id());
    world.despawn(dead).expect("it lives");
    let heir = world.spawn(Num(3)).id();
    assert_eq!(dead.index(), heir.index());
    let mut all = world.query::<EntityMut>();
    let mut some = world.query_filtered::<EntityRef, With<Num>>();
    assert!(matches!(
        some.view(&world).get(dead),
        Err(QueryError::NoSuchEntity(_))
    ));
    assert!(matches!(
        some.view(&world).get(health),
        Err(QueryError::NoMatch { .. })
    ));
    let mut view = all.view_mut(&mut world);
    assert!(matches!(
        view.get_mut(dead),
        Err(QueryError::NoSuchEntity(_))
    ));
    assert!(matches!(
        view.get_many_mut([heir, dead]),
        Err(QueryError::NoSuchEntity(_))
    ));
    assert!(matches!(
        view.get_many_mut([heir, heir]),
        Err(QueryError::Repeated { .. })
    ));
    assert_eq!(
        view.get(heir).expect("it lives").get::<Num>(),
        Some(&Num(3))
    );
}

#[test]
fn entities_of_archetypes_and_components_that_came_later_are_found() {
    let mut world = World::new();
    let old = world.spawn(Num(1)).id();
    let add = |mut all: Query<EntityMut>| {
        all.for_each(|mut entity| {
            if let Some(tag) = entity.get_mut::<Tag<5>>() {
                tag.0 += 1;
            }
            if let Some(rare) = entity.get_mut::<Rare>() {
                rare.0 += 1;
            }
        });
    };
    let mut system = add.into_system();
    system.run(&mut world, &Serial).expect("nothing is missing");
    let late = world.spawn((Tag::<5>(0), Num(2))).id();
    world.insert(old, Rare(0)).expect("it lives");
    let fork = world.fork().expect("everything can be cloned");
    system.run(&mut world, &Serial).expect("nothing is missing");
    let values = |world: &World| {
        let rare = world.get::<Rare>(old).map(|rare| rare.0);
        (world.get::<Tag<5>>(late).map(|tag| tag.0), rare)
    };
    assert_eq!(
        (values(&world), values(&fork)),
        ((Some(1), Some(1)), (Some(0), Some(0)))
    );
}
