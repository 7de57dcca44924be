//! Lists of sources follow the sources.

use orrery_ecs::{
    Changed, ChildOf, Children, CommandQueue, Commands, Entity, Related, Sources, With, Without,
    World,
};

use super::{HeldBy, Likes, Sees, spawn_many};
use crate::support::Num;

#[test]
fn sources_stand_in_the_list_in_the_order_in_which_they_came() {
    let mut world = World::new();
    let tops = spawn_many(&mut world, 2);
    let a = world.spawn(ChildOf(tops[0])).id();
    let b = world.spawn((Num(1), ChildOf(tops[0]))).id();
    let c = world.spawn(Num(2)).insert(ChildOf(tops[0])).id();
    assert_eq!(world.children(tops[0]), [a, b, c]);
    assert_eq!(world.parent(b), Some(tops[0]));
    // To another parent and back: it comes last.
    world.entity_mut(a).insert(ChildOf(tops[1]));
    assert_eq!(
        (world.children(tops[0]), world.children(tops[1])),
        (&[b, c][..], &[a][..])
    );
    world.entity_mut(a).insert(ChildOf(tops[0]));
    assert_eq!(world.children(tops[0]), [b, c, a]);
    // The same again changes nothing.
    world.entity_mut(b).insert(ChildOf(tops[0]));
    assert_eq!(world.children(tops[0]), [b, c, a]);
    assert!(world.get::<Children>(tops[1]).is_none());
}

#[test]
fn a_removed_relationship_leaves_the_list_and_an_empty_list_is_gone() {
    let mut world = World::new();
    let top = world.spawn(()).id();
    let all: Vec<Entity> = world.spawn_batch([Likes(top); 3]).collect();
    assert_eq!(world.entity_mut(all[1]).take::<Likes>(), Ok(Likes(top)));
    assert_eq!(world.sources::<Likes>(top), [all[0], all[2]]);
    world.despawn(all[0]).expect("it lives");
    assert_eq!(world.remove_where::<With<Likes>, Likes>(), 1);
    assert!(world.get::<Sources<Likes>>(top).is_none());
    assert_eq!(world.sources::<Likes>(top), []);
    assert_eq!(
        world
            .query_filtered::<Entity, With<Sources<Likes>>>()
            .iter(&world)
            .count(),
        0
    );
}

#[test]
fn becoming_a_target_moves_no_entity() {
    let mut world = World::new();
    let top = world.spawn(Num(1)).id();
    let before = world.archetypes().len();
    world.spawn_batch((0..10_000).map(|_| ChildOf(top)));
    assert_eq!(world.children(top).len(), 10_000);
    // One more for all the children, and none for their parent.
    assert_eq!(world.archetypes().len(), before + 1);
}

#[test]
fn roots_leaves_and_changed_lists_are_found_by_queries() {
    let mut world = World::new();
    let tops = spawn_many(&mut world, 3);
    let child = world.spawn(ChildOf(tops[1])).id();
    let mut roots = world.query_filtered::<Entity, Without<ChildOf>>();
    assert!(roots.iter(&world).eq(tops.clone()));
    let mut leaves = world.query_filtered::<Entity, Without<Children>>();
    assert!(leaves.iter(&world).eq([tops[0], tops[2], child]));
    let mut seen = Vec::new();
    let mut look = |world: &mut World| {
        let since = |lists: orrery_ecs::Query<Entity, Changed<Children>>| lists.iter().collect();
        let found: Vec<Entity> = world.run_system_once(since).expect("no conflict");
        seen.push(found);
    };
    look(&mut world);
    assert_eq!(seen, [vec![tops[1]]]);
}

#[test]
fn children_spawned_before_their_parent_arrives_keep_it() {
    let mut world = World::new();
    let mut first = CommandQueue::default();
    let mut second = CommandQueue::default();
    let parent = Commands::new(&mut second, &world).spawn(Num(7)).id();
    let child = Commands::new(&mut first, &world)
        .spawn(ChildOf(parent))
        .id();
    first.apply(&mut world);
    second.apply(&mut world);
    assert_eq!(world.children(parent), [child]);
    assert_eq!(world.get::<Num>(parent), Some(&Num(7)));
    assert_eq!((first.missed(), second.missed()), (0, 0));
}

#[test]
fn a_fork_and_its_origin_go_apart() {
    let mut world = World::new();
    let top = world.spawn(()).id();
    let a = world.spawn(HeldBy(top)).id();
    let mut fork = world.fork().expect("all can be cloned");
    assert_eq!(fork.state_hash(), world.state_hash());
    let b = fork.spawn(HeldBy(top)).id();
    assert_ne!(fork.state_hash(), world.state_hash());
    assert_eq!(fork.sources::<HeldBy>(top), [a, b]);
    assert_eq!(world.sources::<HeldBy>(top), [a]);
    assert_eq!(world.spawn(HeldBy(top)).id(), b);
    assert_eq!(fork.state_hash(), world.state_hash());
    // The order of a list is state.
    assert!(fork.move_source::<HeldBy>(b, 0));
    assert_ne!(fork.state_hash(), world.state_hash());
    assert_eq!(fork.sources::<HeldBy>(top), [b, a]);
}

#[test]
fn lists_can_be_sorted_and_keep_equals_in_order() {
    let mut world = World::new();
    let top = world.spawn(()).id();
    let numbers = [3, 1, 2, 1];
    let all: Vec<Entity> = world
        .spawn_batch(numbers.map(|number| (Num(number), Likes(top))))
        .collect();
    world.sort_sources_by::<Likes>(top, |world, a, b| {
        let number = |entity| world.get::<Num>(entity).map(|num| num.0);
        number(a).cmp(&number(b))
    });
    assert_eq!(
        world.sources::<Likes>(top),
        [all[1], all[3], all[2], all[0]]
    );
    assert!(world.move_source::<Likes>(all[1], 99));
    assert_eq!(
        world.sources::<Likes>(top),
        [all[3], all[2], all[0], all[1]]
    );
    assert!(!world.move_source::<Likes>(top, 0));
}

#[test]
fn a_merged_world_brings_its_trees_along() {
    let mut world = World::new();
    spawn_many(&mut world, 5);
    let mut level = World::new();
    let top = level.spawn(Num(1)).id();
    let child = level.spawn((ChildOf(top), Likes(top))).id();
    let grandchild = level.spawn(ChildOf(child)).id();
    let map = world.merge(level).expect("the same program's");
    let (top, child) = (map.map(top), map.map(child));
    assert_eq!(world.children(top), [child]);
    assert_eq!(world.sources::<Likes>(top), [child]);
    assert!(
        world
            .descendants::<ChildOf>(top)
            .eq([child, map.map(grandchild)])
    );
    world.despawn(top).expect("it lives");
    assert_eq!(world.len(), 5);
    assert!(world.take_observer_error().is_none());
}

#[test]
fn walking_goes_up_to_the_root_and_down_in_order() {
    let mut world = World::new();
    let top = world.spawn(()).id();
    let [a, b] = [0, 1].map(|_| world.spawn(ChildOf(top)).id());
    let [aa, ab] = [0, 1].map(|_| world.spawn(ChildOf(a)).id());
    let ba = world.spawn(ChildOf(b)).id();
    let expected = [a, aa, ab, b, ba];
    assert!(world.descendants::<ChildOf>(top).eq(expected));
    assert!(world.ancestors::<ChildOf>(ba).eq([b, top]));
    assert_eq!(
        (world.root::<ChildOf>(ab), world.root::<ChildOf>(top)),
        (top, top)
    );
    let walk = move |tree: Related<ChildOf>| {
        assert!(tree.descendants(top).eq(expected));
        assert!(tree.ancestors(ab).eq([a, top]));
        (tree.root(ba), tree.target(aa), tree.sources(b).to_vec())
    };
    assert_eq!(world.run_system_once(walk), Ok((top, Some(a), vec![ba])));
}

#[test]
fn a_relationship_may_have_a_value_of_its_own() {
    let mut world = World::new();
    let tower = world.spawn(()).id();
    let sees = |far: u8| Sees {
        from: vec![far; 3],
        of: tower,
    };
    let guard = world.spawn(sees(1)).id();
    world.entity_mut(guard).insert(sees(2));
    assert_eq!(world.sources::<Sees>(tower), [guard]);
    assert_eq!(world.get::<Sees>(guard), Some(&sees(2)));
}

#[test]
fn helpers_spawn_and_take_in_children() {
    let mut world = World::new();
    let stray = world.spawn(Num(9)).id();
    let mut parent = world.spawn(());
    parent.with_child(Num(1)).with_source::<Likes>(Num(2));
    parent.add_child(stray).expect("both live");
    let parent = parent.id();
    assert_eq!(world.children(parent).len(), 2);
    assert_eq!(world.children(parent)[1], stray);
    let mut queue = CommandQueue::default();
    let other = Commands::new(&mut queue, &world)
        .spawn(())
        .add_child(stray)
        .id();
    queue.apply(&mut world);
    assert_eq!(world.children(other), [stray]);
}
