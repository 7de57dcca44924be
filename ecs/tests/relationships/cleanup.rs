//! What becomes of sources when their target goes.

use orrery_ecs::{
    ChildOf, CommandQueue, Commands, Despawn, Entity, On, RelationshipError, ResMut, Resource,
    With, World,
};

use super::{HeldBy, Likes, spawn_many};
use crate::support::Num;

#[test]
fn sources_go_with_their_target_or_lose_it_as_the_relationship_says() {
    let mut world = World::new();
    let top = world.spawn(()).id();
    let child = world.spawn((ChildOf(top), Num(1))).id();
    let held = world.spawn(HeldBy(child)).id();
    let fan = world.spawn((Likes(child), Num(2))).id();
    world.despawn(top).expect("it lives");
    assert!(!world.contains(child) && !world.contains(held));
    assert_eq!(world.get::<Num>(fan), Some(&Num(2)));
    assert!(world.get::<Likes>(fan).is_none());
    assert_eq!(world.len(), 1);
}

#[derive(Clone, Default, Resource)]
struct Order(Vec<Entity>);

#[test]
fn a_tree_goes_from_the_top_each_branch_after_the_other() {
    let mut world = World::new();
    world.init_resource::<Order>();
    world.add_observer(|on: On<Despawn>, mut order: ResMut<Order>| order.0.push(on.entity()));
    let top = world.spawn(()).id();
    let [a, b] = [0, 1].map(|_| world.spawn(ChildOf(top)).id());
    let [aa, ab] = [0, 1].map(|_| world.spawn(ChildOf(a)).id());
    let ba = world.spawn(ChildOf(b)).id();
    world.despawn(top).expect("it lives");
    assert_eq!(world.resource::<Order>().0, [top, a, aa, ab, b, ba]);
    assert!(world.is_empty());
}

#[test]
fn a_tree_may_be_deeper_than_any_stack() {
    const DEPTH: usize = 100_000;
    let build = || {
        let mut world = World::new();
        let mut at = world.spawn(()).id();
        let top = at;
        for _ in 1..DEPTH {
            at = world.spawn(ChildOf(at)).id();
        }
        (world, top, at)
    };
    let run = move || {
        let (mut world, top, bottom) = build();
        assert_eq!(world.root::<ChildOf>(bottom), top);
        assert_eq!(world.descendants::<ChildOf>(top).count(), DEPTH - 1);
        assert!(world.relate(top, ChildOf(bottom)).is_err());
        world.despawn(top).expect("it lives");
        assert!(world.is_empty());
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    thread
        .spawn(run)
        .expect("a thread")
        .join()
        .expect("no overflow");
}

#[test]
fn removing_the_list_sets_the_sources_free() {
    let mut world = World::new();
    let top = world.spawn(()).id();
    let all: Vec<Entity> = world.spawn_batch([ChildOf(top); 3]).collect();
    world.entity_mut(top).remove::<orrery_ecs::Children>();
    assert!(all.iter().all(|&child| world.parent(child).is_none()));
    assert_eq!(world.len(), 4);
}

#[test]
fn everything_may_go_at_once() {
    let mut world = World::new();
    let tops = spawn_many(&mut world, 100);
    for &top in &tops {
        world.spawn_batch([(ChildOf(top), Num(1)); 10]);
        world.spawn_batch([(Likes(top), Num(2)); 3]);
    }
    let mut fork = world.fork().expect("all can be cloned");
    fork.clear();
    assert!(fork.is_empty());
    // Parents go with all that have no number; their children follow.
    assert_eq!(world.despawn_where::<orrery_ecs::Without<Num>>(), 100);
    assert_eq!(world.len(), 300);
    assert_eq!(
        world
            .query_filtered::<Entity, With<Likes>>()
            .iter(&world)
            .count(),
        0
    );
}

#[test]
fn whether_a_command_comes_before_or_after_its_target_has_gone_makes_no_difference() {
    let run = |late: bool| {
        let mut world = World::new();
        let target = world.spawn(()).id();
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        if late {
            commands.entity(target).despawn();
        }
        commands.spawn((Num(1), ChildOf(target)));
        commands.spawn((Num(2), Likes(target)));
        if !late {
            commands.entity(target).despawn();
        }
        queue.apply(&mut world);
        let numbers: Vec<u32> = world
            .query::<&Num>()
            .iter(&world)
            .map(|num| num.0)
            .collect();
        (
            numbers,
            world.query::<&Likes>().iter(&world).count(),
            world.observer_error_count(),
        )
    };
    assert_eq!(run(false), (vec![2], 0, 0));
    assert_eq!(run(true), (vec![2], 0, 2));
}

#[test]
fn a_dead_target_takes_an_old_one_away() {
    let mut world = World::new();
    let (old, dead) = (world.spawn(()).id(), world.spawn(()).id());
    world.despawn(dead).expect("it lives");
    let one = world.spawn(Likes(old)).id();
    let error = world.relate(one, Likes(dead));
    assert!(matches!(error, Err(RelationshipError::DeadTarget { .. })));
    assert_eq!(world.sources::<Likes>(old), [one]);
    world.entity_mut(one).insert(Likes(dead));
    assert_eq!(world.sources::<Likes>(old), []);
    assert!(world.get::<Likes>(one).is_none());
    let text = world
        .take_observer_error()
        .expect("it was dead")
        .to_string();
    assert!(
        text.contains("Likes") && text.contains("does not live"),
        "{text}"
    );
    let gone = world.relate(dead, Likes(old));
    assert!(matches!(gone, Err(RelationshipError::NoSuchSource { .. })));
}

#[test]
fn an_observer_may_save_a_child_from_its_parent_s_end() {
    #[derive(Clone, Copy, Resource)]
    struct Home(Entity);
    let mut world = World::new();
    let home = world.spawn(()).id();
    world.insert_resource(Home(home));
    let top = world.spawn(Num(1)).id();
    let children: Vec<Entity> = world.spawn_batch([ChildOf(top); 3]).collect();
    let saved = children[1];
    world.add_observer(
        move |_: On<Despawn, Num>, home: orrery_ecs::Res<Home>, mut commands: Commands| {
            commands.entity(saved).insert(ChildOf(home.0));
        },
    );
    world.despawn(top).expect("it lives");
    assert_eq!(world.children(home), [saved]);
    assert_eq!(world.len(), 2);
}

#[test]
fn a_panic_in_the_middle_of_a_tree_leaves_no_child_without_its_parent() {
    let mut world = World::new();
    let top = world.spawn(()).id();
    let a = world.spawn((ChildOf(top), Num(1))).id();
    world.spawn_batch([ChildOf(a); 5]);
    world.spawn_batch([ChildOf(top); 5]);
    world.add_observer(|_: On<Despawn, Num>| panic!("an observer fails"));
    let text = crate::support::panic_of(|| {
        let _ = world.despawn(top);
    });
    assert_eq!(text.as_deref(), Some("an observer fails"));
    assert!(world.is_empty());
}

#[test]
fn an_index_taken_by_spawn_at_ends_the_old_one_s_relationships() {
    let mut world = World::new();
    let top = world.spawn(()).id();
    let child = world.spawn(ChildOf(top)).id();
    let later = Entity::from_bits(top.to_bits() + (1 << 32)).expect("a higher generation");
    let spawned = world.spawn_at(later, Num(3)).map(|entity| entity.id());
    assert_eq!(spawned, Ok(later));
    assert!(!world.contains(child));
    assert_eq!(world.children(later), []);
}
