//! Change ticks by block: what counts as a write, and what does not.

use orrery_ecs::{Entity, Fields, World};

use crate::support::{Num, Parts, Pos};

type Changed = Vec<(usize, usize)>;

fn world_of(count: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let pos = Pos {
        x: 0.0,
        y: 0.0,
        z: 0.0,
    };
    let parts = Parts {
        a: 0.0,
        b: 0.0,
        c: 0,
    };
    let all = world.spawn_batch((0..count).map(|i| (Num(i), pos, parts)));
    let all = all.collect();
    (world, all)
}

fn changed<T: orrery_ecs::TableComponent>(world: &World, tick: u64) -> Changed {
    let blocks = world.changed_since::<T>(tick);
    blocks
        .map(|(archetype, block)| (archetype.index(), block))
        .collect()
}

#[test]
fn every_door_that_writes_marks_just_the_blocks_it_writes() {
    let (mut world, all) = world_of(10_000);
    let mut nums = world.query::<&mut Num>();
    let mut rows = world.query::<(&mut Num, &Pos)>();
    let mut fields = world.query::<Fields<&mut Parts>>();
    let seen = world.change_tick();
    world.advance_change_tick();
    assert_eq!(changed::<Num>(&world, seen), []);
    world.get_mut::<Num>(all[5000]).expect("it lives").0 = 1;
    assert_eq!(changed::<Num>(&world, seen), [(1, 1)]);
    assert_eq!(changed::<Pos>(&world, seen), []);
    nums.view_mut(&mut world)
        .get_mut(all[0])
        .expect("it matches")
        .0 = 1;
    assert_eq!(changed::<Num>(&world, seen), [(1, 0), (1, 1)]);
    world
        .write(
            all[9999],
            Parts {
                a: 1.0,
                b: 1.0,
                c: 1,
            },
        )
        .expect("it lives");
    assert_eq!(changed::<Parts>(&world, seen), [(1, 2)]);

    let seen = world.change_tick();
    world.advance_change_tick();
    assert_eq!(rows.iter_mut(&mut world).take(4097).count(), 4097);
    assert_eq!(changed::<Num>(&world, seen), [(1, 0), (1, 1)]);
    assert_eq!(changed::<Pos>(&world, seen), []);
    fields.view_mut(&mut world).for_each_chunk(|_| ());
    assert_eq!(changed::<Parts>(&world, seen).len(), 3);
}

#[test]
fn reading_marks_nothing() {
    let (mut world, all) = world_of(5000);
    let mut write = world.query::<(Entity, &mut Num, Option<&mut Pos>)>();
    let seen = world.change_tick();
    world.advance_change_tick();
    assert_eq!(write.iter(&world).count(), 5000);
    write.view(&world).for_each_chunk(|_| ());
    assert!(write.view_mut(&mut world).get(all[0]).is_ok());
    let _ = (
        world.get::<Num>(all[1]),
        world.read::<Parts>(all[1]),
        world.state_hash(),
    );
    let fork = world.fork().expect("it can be cloned");
    for world in [&world, &fork] {
        assert_eq!(changed::<Num>(world, seen), []);
        assert_eq!(changed::<Pos>(world, seen), []);
    }
}

#[test]
fn structural_changes_mark_the_rows_they_touch() {
    let (mut world, all) = world_of(10_000);
    let seen = world.change_tick();
    world.advance_change_tick();
    world.despawn(all[0]).expect("it lives");
    assert_eq!(changed::<Num>(&world, seen), [(1, 0), (1, 2)]);
    let seen = world.change_tick();
    world.advance_change_tick();
    world.remove::<Pos>(all[5000]).expect("it lives");
    let moved = [(1, 1), (1, 2), (2, 0)];
    assert_eq!(changed::<Num>(&world, seen), moved);
    assert_eq!(changed::<Pos>(&world, seen), moved[..2]);
}

#[test]
fn a_change_made_later_is_seen_the_next_time_and_once() {
    let (mut world, all) = world_of(100);
    let mut seen = world.change_tick();
    world.advance_change_tick();
    for round in 0..5 {
        assert_eq!(changed::<Num>(&world, seen), [], "round {round}");
        world.get_mut::<Num>(all[3]).expect("it lives").0 += 1;
        assert_eq!(changed::<Num>(&world, seen), [(1, 0)], "round {round}");
        seen = world.change_tick();
        world.advance_change_tick();
    }
}

#[test]
fn the_ticks_of_a_fork_go_their_own_way() {
    let (mut world, all) = world_of(100);
    let seen = world.change_tick();
    let mut fork = world.fork().expect("it can be cloned");
    assert_eq!(fork.change_tick(), seen);
    fork.advance_change_tick();
    world.advance_change_tick();
    fork.get_mut::<Num>(all[3]).expect("it lives").0 += 1;
    assert_eq!(changed::<Num>(&fork, seen), [(1, 0)]);
    assert_eq!(changed::<Num>(&world, seen), []);
}
