//! Change detection: what is new to whom, and for how long. Sentences 38 to 43.

use orrery_ecs::{
    Added, Changed, Chunk, Entity, IntoSystem, Query, REMOVED_MAX, RemovedComponents, System, With,
    World,
};

use crate::queries::{Health, OnChange, Tag, found, from_now, healths};
use crate::support::{Num, Seen, run, take, watch};

#[test]
fn added_and_changed_are_true_once_per_system_run_and_not_twice() {
    let mut world = World::new();
    let (added, mut on_added) = watch!(Added<Health>);
    let (changed, mut on_changed) = watch!(Changed<Health>);
    let all: Vec<Entity> = world.spawn_batch((0..5).map(Health)).collect();
    for round in 0..4 {
        run(&mut world, &mut on_added);
        run(&mut world, &mut on_changed);
        let expected = match round {
            0 => (all.clone(), all.clone()),
            2 => (vec![], vec![all[3]]),
            _ => (vec![], vec![]),
        };
        assert_eq!((take(&added), take(&changed)), expected, "round {round}");
        if round == 1 {
            // Without a new tick of its own: systems see to it that it is newer than their runs.
            world.get_mut::<Health>(all[3]).expect("it lives").0 = 9;
        }
    }
    let late = world.spawn(Health(0)).id();
    run(&mut world, &mut on_added);
    run(&mut world, &mut on_changed);
    assert_eq!((take(&added), take(&changed)), (vec![late], vec![late]));
}

#[test]
fn old_changes_stay_old_after_more_than_2_to_the_31_ticks() {
    const FAR: u64 = 1 << 33;
    let (mut world, all) = healths(3);
    let mut changed: OnChange = from_now(&mut world);
    world.get_mut::<Health>(all[1]).expect("it lives").0 = 0;
    let written = world.change_tick();
    assert_eq!(found(&mut changed, &world), [all[1]]);
    // No tick between is ever taken for the write's own, whatever its low 32 bits are.
    for last_run in [
        written,
        written + (1 << 31) + 1,
        written + (1 << 32) - 1,
        FAR,
        u64::MAX,
    ] {
        changed.set_last_run(last_run);
        assert_eq!(found(&mut changed, &world), [], "looked last at {last_run}");
    }
    changed.set_last_run(written - 1);
    assert_eq!(found(&mut changed, &world), [all[1]]);
}

#[test]
fn a_deref_without_a_write_is_no_change_and_neither_is_set_if_neq_of_an_equal() {
    let (mut world, all) = healths(10_000);
    let mut changed: OnChange = from_now(&mut world);
    let mut health = world.query::<&mut Health>();
    health.set_last_run(changed.last_run());
    for health in health.iter_mut(&mut world) {
        assert!(!health.is_changed() && !health.is_added() && health.0 < 10_000);
    }
    assert_eq!(found(&mut changed, &world), []);
    let mut view = health.view_mut(&mut world);
    let mut one = view.get_mut(all[5000]).expect("it matches");
    assert!(!one.set_if_neq(Health(5000)) && !one.is_changed());
    one.bypass_change_detection().0 += 1;
    assert!(!one.is_changed());
    assert_eq!(found(&mut changed, &world), []);
    let now = world.change_tick();
    let mut view = health.view_mut(&mut world);
    let mut one = view.get_mut(all[5000]).expect("it matches");
    assert!(one.set_if_neq(Health(7)) && one.is_changed() && one.last_changed() == now);
    view.get_mut(all[77]).expect("it matches").set_changed();
    view.get_mut(all[9999]).expect("it matches").into_inner().0 = 3;
    view.get_mut(all[0]).expect("it matches").0 += 1;
    assert_eq!(
        found(&mut changed, &world),
        [all[0], all[77], all[5000], all[9999]]
    );
}

#[test]
fn a_change_made_by_a_later_system_is_seen_in_the_next_run() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..5).map(Health)).collect();
    let (seen, mut watch) = watch!(Changed<Health>);
    let own = Seen::default();
    let list = own.clone();
    let write = move |mut query: Query<(Entity, &mut Health), Changed<Health>>| {
        for (entity, mut health) in &mut query {
            health.0 += 1;
            list.lock().expect("no panic inside").push(entity);
        }
    };
    let mut write = write.into_system();
    run(&mut world, &mut watch);
    assert_eq!(take(&seen), all);
    run(&mut world, &mut write);
    run(&mut world, &mut write);
    assert_eq!(take(&own), all, "its own writes are not new to it");
    run(&mut world, &mut watch);
    assert_eq!(take(&seen), all);
    let mut chunks =
        (|chunk: Chunk<&mut Health>| assert!(!chunk.slices().is_empty())).into_system();
    run(&mut world, &mut watch);
    assert_eq!(take(&seen), []);
    run(&mut world, &mut chunks);
    run(&mut world, &mut watch);
    assert_eq!(
        take(&seen),
        all,
        "a chunk system marks what it takes for writing"
    );
    run(&mut world, &mut write);
    assert_eq!(take(&own), all);
}

/// Whichever way the component goes, whoever reads, and however late; what nobody comes to read
/// makes room some day and is counted.
#[test]
fn removals_reach_every_reader_once_and_expire() {
    let (mut world, all) = healths(8);
    let (mut often, mut seldom) = (
        world.removed_reader::<Health>(),
        world.removed_reader::<Health>(),
    );
    let seen = Seen::default();
    let list = seen.clone();
    let system = move |mut removed: RemovedComponents<Health>| {
        list.lock().expect("no panic inside").extend(removed.read());
        assert_eq!(removed.missed(), 0);
    };
    let mut system = system.into_system();
    system.initialize(&mut world).expect("no conflict");
    let ways: [fn(&mut World, Entity); 4] = [
        |world, entity| world.despawn(entity).expect("it lives"),
        |world, entity| assert_eq!(world.remove::<Health>(entity), Ok(true)),
        |world, entity| assert!(world.take::<Health>(entity).is_ok()),
        |world, entity| {
            let mut entity = world.entity_mut(entity);
            entity.remove::<(Health, Num)>();
            entity.despawn();
        },
    ];
    for (way, &entity) in ways.into_iter().zip(&all) {
        way(&mut world, entity);
        assert_eq!(often.read(&mut world), [entity]);
        run(&mut world, &mut system);
        run(&mut world, &mut system);
        assert_eq!(take(&seen), [entity]);
    }
    world.clear();
    // In order of rows, which the removals have changed.
    let rest = often.read(&mut world);
    let mut sorted = rest.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, all[4..]);
    assert_eq!(seldom.read(&mut world), [&all[..4], &rest].concat());
    run(&mut world, &mut system);
    assert_eq!(take(&seen), rest);
    assert_eq!(
        (often.read(&mut world), seldom.read(&mut world)),
        (vec![], vec![])
    );
    // A reader that comes when all is read finds nothing old.
    assert_eq!(world.removed_reader::<Health>().read(&mut world), []);
    world.spawn_batch((0..REMOVED_MAX as u32).map(Health));
    let last = world.spawn(Health(0)).id();
    world.despawn_where::<With<Health>>();
    let kept = seldom.read(&mut world);
    assert_eq!((kept.len(), kept.last()), (REMOVED_MAX, Some(&last)));
    assert_eq!(
        (seldom.missed(&world), seldom.read(&mut world)),
        (1, vec![])
    );
}

#[test]
fn moving_to_another_archetype_keeps_the_ticks() {
    let (mut world, all) = healths(100);
    let mut changed: OnChange = from_now(&mut world);
    world.get_mut::<Health>(all[50]).expect("it lives").0 = 0;
    world.advance_change_tick();
    // The changed row goes to another archetype, then others do; the last row fills a gap.
    world.insert(all[50], Tag::<1>(0)).expect("it lives");
    world.remove::<Num>(all[3]).expect("it lives");
    world.despawn(all[7]).expect("it lives");
    assert_eq!(found(&mut changed, &world), [all[50]]);
    let mut old = world.query_filtered::<Entity, Added<Health>>();
    old.set_last_run(changed.last_run());
    assert_eq!(found(&mut old, &world), []);
}
