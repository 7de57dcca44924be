//! Ticks in systems: each has its own last run, and what conflicts is found out.

use orrery_ecs::{
    Added, AnyOf, Changed, Commands, Entity, Has, IntoSystem, Mut, Or, Query, Ref, System, With,
    Without, World,
};

use super::{Health, Tag};
use crate::support::{Num, Seen, panic_of, run, take};

#[test]
fn what_a_systems_commands_do_is_new_to_its_next_run() {
    let mut world = World::new();
    let seen = Seen::default();
    let (list, mut rounds) = (seen.clone(), 0);
    let system = move |query: Query<Entity, Added<Health>>, mut commands: Commands| {
        list.lock().expect("no panic inside").extend(query.iter());
        rounds += 1;
        if rounds == 1 {
            commands.spawn(Health(1));
        }
    };
    let mut system = system.into_system();
    run(&mut world, &mut system);
    assert_eq!(take(&seen), []);
    run(&mut world, &mut system);
    assert_eq!(take(&seen).len(), 1);
    run(&mut world, &mut system);
    assert_eq!(take(&seen), []);
}

#[test]
fn a_run_that_panics_has_seen_nothing() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    let seen = Seen::default();
    let (list, mut fail) = (seen.clone(), true);
    let system = move |query: Query<Entity, Changed<Health>>| {
        assert!(!std::mem::take(&mut fail), "planned");
        list.lock().expect("no panic inside").extend(query.iter());
    };
    let mut system = system.into_system();
    assert!(panic_of(|| run(&mut world, &mut system)).is_some());
    run(&mut world, &mut system);
    assert_eq!(take(&seen), [entity]);
}

#[test]
fn ref_and_mut_know_the_systems_last_run() {
    let mut world = World::new();
    let all: Vec<Entity> = world
        .spawn_batch((0..3).map(|i| (Health(i), Num(i))))
        .collect();
    let mut round = 0;
    let system = move |health: Query<(Ref<Health>, &Num)>| {
        for (health, num) in &health {
            assert_eq!(
                (health.is_added(), health.is_changed()),
                (round == 0, round == 0 || num.0 == 1)
            );
        }
        round += 1;
    };
    let mut reads = system.into_system();
    run(&mut world, &mut reads);
    world.get_mut::<Health>(all[1]).expect("it lives").0 = 7;
    run(&mut world, &mut reads);
    let writes = |mut health: Query<Mut<Health>>| {
        for mut health in &mut health {
            assert!(health.is_changed() && health.is_added());
            health.set_changed();
        }
    };
    run(&mut world, &mut writes.into_system());
}

fn conflict<M>(system: impl IntoSystem<M>) -> Option<String> {
    let mut world = World::new();
    let error = system.into_system().initialize(&mut world).err()?;
    Some(error.to_string())
}

#[test]
fn parameters_conflict_unless_every_branch_keeps_them_apart() {
    type T<const N: usize> = Tag<N>;
    type Either = Or<(With<T<0>>, With<T<1>>)>;
    type AddedOr = Or<(Added<Health>, With<Num>)>;
    let branches = |_: Query<&mut Num, Either>, _: Query<&mut Num, Without<T<0>>>| ();
    let message = conflict(branches).expect("the second branch meets it");
    for part in ["&mut ", "Num", "queries::systems"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let apart = |_: Query<&mut Num, Either>, _: Query<&mut Num, (Without<T<0>>, Without<T<1>>)>| ();
    assert_eq!(conflict(apart), None);
    let any = |_: Query<AnyOf<(&mut Num, &T<0>)>>, _: Query<&Num>| ();
    assert!(conflict(any).is_some());
    let filter = |_: Query<Entity, Changed<Health>>, _: Query<&mut Health>| ();
    assert!(
        conflict(filter)
            .expect("it looks at ticks")
            .contains("Health")
    );
    let filter = |_: Query<&mut Health>, _: Query<Entity, AddedOr>| ();
    assert!(conflict(filter).is_some());
    let has = |_: Query<&mut Num>, _: Query<(Has<Num>, &T<0>), With<Num>>| ();
    assert_eq!(conflict(has), None);
    let own = |_: Query<&mut Health, (Changed<Health>, With<Num>)>, _: Query<&Num>| ();
    assert_eq!(conflict(own), None);
}
