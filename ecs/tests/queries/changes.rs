//! Ticks of rows as queries see them: `Added`, `Changed`, `Ref`, `Mut`.

use orrery_ecs::{Added, Changed, Entity, Mut, Or, QueryState, Ref, With, World};

use super::{Health, OnChange, Tag, Title, found, from_now, healths};
use crate::support::Num;

#[test]
fn a_new_query_takes_everything_as_new_until_it_is_told_when_it_looked_last() {
    let (mut world, all) = healths(20);
    let mut added = world.query_filtered::<Entity, Added<Health>>();
    let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    assert_eq!(
        (added.last_run(), found(&mut added, &world)),
        (0, all.clone())
    );
    assert_eq!(found(&mut changed, &world), all);
    added.set_last_run(world.change_tick());
    changed.set_last_run(world.change_tick());
    assert_eq!(found(&mut added, &world), []);
    assert_eq!(found(&mut changed, &world), []);
}

#[test]
fn a_block_is_marked_by_a_visit_and_a_row_by_a_write() {
    let (mut world, all) = healths(10_000);
    let mut changed: OnChange = from_now(&mut world);
    let seen = changed.last_run();
    let blocks = |world: &World| -> Vec<usize> {
        let blocks = world.changed_since::<Health>(seen);
        blocks.map(|(_, block)| block).collect()
    };
    let mut health = world.query::<&mut Health>();
    let _ = health
        .view_mut(&mut world)
        .get_mut(all[4096])
        .expect("it matches")
        .0;
    assert_eq!(
        (blocks(&world), found(&mut changed, &world)),
        (vec![1], vec![])
    );
    // Of a query that writes only blocks with a row that matches are marked.
    let mut some = world.query_filtered::<&mut Num, Changed<Health>>();
    some.set_last_run(seen);
    assert_eq!(some.iter_mut(&mut world).count(), 0);
    assert_eq!(world.changed_since::<Num>(seen).count(), 0);
    health
        .view_mut(&mut world)
        .get_mut(all[9000])
        .expect("it matches")
        .0 = 0;
    assert_eq!(some.iter_mut(&mut world).count(), 1);
    assert!(
        world
            .changed_since::<Num>(seen)
            .map(|(_, block)| block)
            .eq([2])
    );
}

#[test]
fn every_door_that_gives_a_row_for_writing_marks_it() {
    let (mut world, all) = healths(5000);
    let (mut health, mut muts) = (world.query::<&mut Health>(), world.query::<Mut<Health>>());
    let mut numbered = world.query::<(&mut Health, &Num)>();
    let mut changed: OnChange = from_now(&mut world);
    world.get_mut::<Health>(all[1]).expect("it lives").0 = 0;
    muts.view_mut(&mut world)
        .get_mut(all[2])
        .expect("it matches")
        .0 = 0;
    let list = [all[4998], all[3]];
    let mut view = health.view_mut(&mut world);
    let mut many = view.iter_many_mut(&list);
    while let Some(mut health) = many.fetch_next() {
        health.0 = 0;
    }
    let [mut one, mut other] = view.get_many_mut([all[6], all[5]]).expect("they match");
    (one.0, other.0) = (1, 2);
    let mut pairs = view.iter_combinations_mut();
    let [_, mut second] = pairs.fetch_next().expect("there are two");
    second.0 += 1;
    world.write::<Health>(all[8], Health(1)).expect("it lives");
    world.insert(all[7], Health(1)).expect("it lives");
    let rows = [1, 2, 3, 5, 6, 7, 8, 4998].map(|row| all[row]);
    assert_eq!(found(&mut changed, &world), rows);
    // Slices for writing mark all rows of their block, and only those.
    let mut changed: OnChange = from_now(&mut world);
    let mut first = true;
    numbered.view_mut(&mut world).for_each_chunk(|(health, _)| {
        assert!(first || health.len() == 5000 - 4096);
        first = false;
    });
    assert_eq!(found(&mut changed, &world), all);
}

#[test]
fn ref_tells_what_is_new_of_a_row_and_the_value() {
    let (mut world, all) = healths(10);
    let mut query: QueryState<(Entity, Ref<Health>)> = from_now(&mut world);
    let late = world.spawn((Health(100), Num(0))).id();
    world.get_mut::<Health>(all[4]).expect("it lives").0 = 44;
    let now = world.change_tick();
    for (entity, health) in query.iter(&world) {
        assert_eq!(health.is_added(), entity == late);
        assert_eq!(health.is_changed(), entity == late || entity == all[4]);
        assert_eq!(health.last_changed() == now, health.is_changed());
        assert_eq!(Some(health.into_inner()), world.get::<Health>(entity));
    }
    assert_eq!(
        format!("{:?}", query.iter(&world).nth(4).map(|x| x.1)),
        "Some(Health(44))"
    );
}

#[test]
fn added_is_the_coming_of_a_component_and_not_an_overwrite() {
    let (mut world, all) = healths(10);
    let bare = world.spawn(Num(0)).id();
    let mut added = from_now::<Entity, Added<Health>>(&mut world);
    world.get_mut::<Health>(all[2]).expect("it lives").0 = 9;
    assert_eq!(found(&mut added, &world), []);
    world.insert(bare, Health(5)).expect("it lives");
    world.remove::<Health>(all[4]).expect("it lives");
    world.insert(all[4], Health(4)).expect("it lives");
    let mut expected = vec![all[4], bare];
    expected.sort();
    let mut rows = found(&mut added, &world);
    rows.sort();
    assert_eq!(rows, expected);
}

#[test]
fn filters_on_ticks_combine_with_others() {
    let mut world = World::new();
    let rows = world.spawn_batch((0..6000).map(|i| (Health(i), Title(i.to_string()))));
    let rows: Vec<Entity> = rows.collect();
    let bare: Vec<Entity> = world.spawn_batch((0..10).map(Health)).collect();
    let tick = world.change_tick();
    world.advance_change_tick();
    world.get_mut::<Health>(rows[4500]).expect("it lives").0 = 0;
    world
        .get_mut::<Title>(rows[4501])
        .expect("it lives")
        .0
        .push('x');
    world
        .get_mut::<Title>(rows[4500])
        .expect("it lives")
        .0
        .push('x');
    world.get_mut::<Health>(bare[3]).expect("it lives").0 = 0;
    type Either = Or<(Changed<Health>, Changed<Title>)>;
    let mut either = world.query_filtered::<Entity, Either>();
    let mut both = world.query_filtered::<Entity, (Changed<Health>, Changed<Title>)>();
    let mut titled = world.query_filtered::<Entity, (With<Title>, Changed<Health>)>();
    let mut mixed =
        world.query_filtered::<Entity, Or<(With<Tag<1>>, (Changed<Health>, Added<Title>))>>();
    either.set_last_run(tick);
    both.set_last_run(tick);
    titled.set_last_run(tick);
    mixed.set_last_run(tick);
    assert_eq!(
        found(&mut either, &world),
        [rows[4500], rows[4501], bare[3]]
    );
    assert_eq!(found(&mut both, &world), [rows[4500]]);
    assert_eq!(found(&mut titled, &world), [rows[4500]]);
    assert_eq!(found(&mut mixed, &world), []);
    let tagged = world.spawn(Tag::<1>(0)).id();
    assert_eq!(found(&mut mixed, &world), [tagged]);
}

#[test]
fn a_write_after_a_fork_marks_only_the_writers_row() {
    let mut world = World::new();
    let all: Vec<Entity> = world
        .spawn_batch((0..5000).map(|i| (Health(i), Title(i.to_string()))))
        .collect();
    let tick = world.change_tick();
    let mut fork = world.fork().expect("it can be cloned");
    fork.advance_change_tick();
    world.advance_change_tick();
    type Both = (&'static mut Health, &'static mut Title);
    let look = |world: &mut World| {
        let mut query = world
            .query_filtered::<(Entity, &Health, &Title), Or<(Changed<Health>, Changed<Title>)>>();
        query.set_last_run(tick);
        let rows = query.iter(world).map(|(e, h, t)| (e, h.0, t.0.clone()));
        rows.collect::<Vec<_>>()
    };
    let mut query = fork.query_filtered::<Both, Changed<Health>>();
    // Every row matches, the first of each block copies it, and the filter must look at the copy.
    for (mut health, mut title) in query.iter_mut(&mut fork) {
        if health.0 == 4097 {
            health.0 = 1;
            title.0.push('!');
        }
    }
    assert_eq!(look(&mut world), []);
    assert_eq!(look(&mut fork), [(all[4097], 1, String::from("4097!"))]);
    assert_eq!(world.get::<Health>(all[4097]), Some(&Health(4097)));
    world.get_mut::<Health>(all[0]).expect("it lives").0 = 5;
    assert_eq!(look(&mut world).len(), 1);
    assert_eq!(look(&mut fork).len(), 1);
}

/// The copy of a block that a write makes may leave the old one without an owner, and its memory
/// to somebody else; a filter that went on reading it would see that one's ticks.
#[test]
fn a_filter_looks_at_the_copy_that_a_write_has_made() {
    let (mut world, all) = healths(100);
    let tick = world.change_tick();
    let mut other = world.fork().expect("it can be cloned");
    other.clear();
    world.advance_change_tick();
    for &entity in &all {
        world.get_mut::<Health>(entity).expect("it lives").0 += 1;
    }
    let mut fork = world.fork().expect("it can be cloned");
    let mut changed = fork.query_filtered::<&mut Health, Changed<Health>>();
    changed.set_last_run(tick);
    let (mut original, mut rows) = (Some(world), 0);
    for mut health in changed.iter_mut(&mut fork) {
        health.0 += 1;
        rows += 1;
        if original.take().is_some() {
            other.spawn_batch((0..100).map(|i| (Health(i), Num(i))));
        }
    }
    assert_eq!(rows, 100);
}

#[test]
fn a_query_that_wrote_before_a_fork_copies_after_it() {
    let (mut world, _) = healths(5000);
    let mut query = world.query::<(&mut Health, &mut Num)>();
    let mut write = |world: &mut World| {
        for (mut health, num) in query.iter_mut(world) {
            (health.0, num.0) = (health.0 + 1, num.0 + 1);
        }
    };
    write(&mut world);
    for _ in 0..3 {
        let fork = world.fork().expect("it can be cloned");
        let before = fork.state_hash();
        assert_eq!(world.state_hash(), before);
        write(&mut world);
        assert!(fork.state_hash() == before && world.state_hash() != before);
    }
}
