//! Parents and children. Sentence 61.

use orrery_ecs::{ChildOf, Children, Entity, RelationshipError, World};

use crate::support::Num;

fn spawn(world: &mut World, parent: Option<Entity>, number: u32) -> Entity {
    let entity = world.spawn(Num(number)).id();
    if let Some(parent) = parent {
        world.relate(entity, ChildOf(parent)).expect("both live");
    }
    entity
}

/// Both sides agree, for every entity.
fn agree(world: &World, all: &[Entity]) {
    for &entity in all.iter().filter(|&&entity| world.contains(entity)) {
        let of_list = |&&parent: &&Entity| world.children(parent).contains(&entity);
        let parents: Vec<Entity> = all.iter().filter(of_list).copied().collect();
        assert_eq!(parents, Vec::from_iter(world.parent(entity)));
        let listed = world.get::<Children>(entity).map(|list| list.len());
        assert_eq!(listed.unwrap_or(0), world.children(entity).len());
        assert_ne!(listed, Some(0), "an empty list is gone");
    }
}

#[test]
fn a_new_parent_takes_the_child_along_with_all_below_it() {
    let mut world = World::new();
    let (old, new) = (spawn(&mut world, None, 0), spawn(&mut world, None, 1));
    let child = spawn(&mut world, Some(old), 2);
    let below = spawn(&mut world, Some(child), 3);
    let other = spawn(&mut world, Some(old), 4);
    world.relate(child, ChildOf(new)).expect("both live");
    assert_eq!(world.children(old), [other]);
    assert!(world.descendants::<ChildOf>(new).eq([child, below]));
    assert_eq!(world.root::<ChildOf>(below), new);
    world.remove::<ChildOf>(child).expect("it lives");
    assert_eq!((world.parent(child), world.children(new)), (None, &[][..]));
    agree(&world, &[old, new, child, below, other]);
}

#[test]
fn despawning_a_tree_takes_all_below_it_and_nobody_else() {
    let mut world = World::new();
    let top = spawn(&mut world, None, 0);
    let all: Vec<Entity> = (1..100).fold(vec![top], |mut all, number| {
        let parent = all[(number as usize - 1) / 3];
        all.push(spawn(&mut world, Some(parent), number));
        all
    });
    let gone: Vec<Entity> = world.descendants::<ChildOf>(all[1]).collect();
    world.despawn(all[1]).expect("it lives");
    let is_gone = |entity: &Entity| *entity == all[1] || gone.contains(entity);
    assert!(
        gone.len() > 20
            && all
                .iter()
                .all(|entity| world.contains(*entity) != is_gone(entity))
    );
    assert_eq!(world.children(top), &all[2..4]);
    agree(&world, &all);
    world.despawn(top).expect("it lives");
    assert!(world.is_empty());
}

#[test]
fn a_cycle_is_refused_and_nothing_has_changed() {
    let mut world = World::new();
    let mut all = vec![spawn(&mut world, None, 0)];
    for number in 1..6 {
        all.push(spawn(&mut world, all.last().copied(), number));
    }
    let before = world.state_hash();
    for (above, &entity) in all.iter().enumerate() {
        for &below in &all[above..] {
            let error = world.relate(entity, ChildOf(below)).expect_err("a cycle");
            let to_itself = matches!(error, RelationshipError::ToItself { .. });
            assert_eq!(to_itself, entity == below, "{error}");
        }
    }
    assert_eq!(world.state_hash(), before);
    agree(&world, &all);
}

#[test]
fn children_stand_in_the_order_in_which_they_came_until_somebody_sorts_them() {
    let mut world = World::new();
    let top = spawn(&mut world, None, 0);
    let all = [3, 1, 4, 1, 5].map(|number| spawn(&mut world, Some(top), number));
    assert_eq!(world.children(top), all);
    // One that moves between archetypes, and rows that take the place of others, change nothing.
    world.remove::<Num>(all[2]).expect("it lives");
    world.insert(all[2], Num(4)).expect("it lives");
    assert_eq!(world.children(top), all);
    world.despawn(all[1]).expect("it lives");
    assert_eq!(world.children(top), [all[0], all[2], all[3], all[4]]);
    world.relate(all[0], ChildOf(all[4])).expect("no cycle");
    world.relate(all[0], ChildOf(top)).expect("both live");
    assert_eq!(world.children(top), [all[2], all[3], all[4], all[0]]);
    let number = |world: &World, entity| world.get::<Num>(entity).map(|num| num.0);
    world.sort_sources_by::<ChildOf>(top, |world, a, b| number(world, a).cmp(&number(world, b)));
    assert_eq!(world.children(top), [all[3], all[0], all[2], all[4]]);
    assert!(world.move_source::<ChildOf>(all[4], 1));
    assert_eq!(world.children(top), [all[3], all[4], all[0], all[2]]);
}
