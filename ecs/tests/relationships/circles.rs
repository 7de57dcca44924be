//! Circles are refused, and nothing changes.

use orrery_ecs::{
    ChildOf, Children, CommandQueue, Commands, Entity, IntoSystem, ObserverError,
    RelationshipError, Serial, System, SystemError, World,
};

use super::{Likes, Sees, spawn_many};
use crate::support::Num;

fn refused(world: &mut World) -> RelationshipError {
    match world.take_observer_error() {
        Some(ObserverError::Relationship(error)) => error,
        other => panic!("a relationship was refused: {other:?}"),
    }
}

/// A chain of entities, each the parent of the next.
fn chain(world: &mut World, length: usize) -> Vec<Entity> {
    let all = spawn_many(world, length);
    for pair in all.windows(2) {
        world.entity_mut(pair[1]).insert(ChildOf(pair[0]));
    }
    all
}

#[test]
fn nobody_becomes_its_own_ancestor() {
    let mut world = World::new();
    let all = chain(&mut world, 10);
    let other = world.spawn(()).id();
    let before = world.state_hash();
    for &below in &all[1..] {
        let error = world.relate(all[0], ChildOf(below));
        assert!(matches!(error, Err(RelationshipError::Cycle { .. })));
    }
    assert_eq!(world.state_hash(), before);
    assert!(world.take_observer_error().is_none());
    // By insertion: it is put back as it was.
    world.entity_mut(all[0]).insert((ChildOf(all[9]), Num(1)));
    assert!(matches!(
        refused(&mut world),
        RelationshipError::Cycle { .. }
    ));
    assert!(world.get::<ChildOf>(all[0]).is_none());
    assert_eq!(world.get::<Num>(all[0]), Some(&Num(1)));
    world.entity_mut(all[0]).insert(ChildOf(other));
    world.entity_mut(all[0]).insert(ChildOf(all[5]));
    assert!(matches!(
        refused(&mut world),
        RelationshipError::Cycle { .. }
    ));
    assert_eq!(world.get::<ChildOf>(all[0]), Some(&ChildOf(other)));
    assert_eq!(world.children(other), [all[0]]);
    assert_eq!(world.children(all[5]), [all[6]]);
}

#[test]
fn nobody_is_related_to_itself_even_where_circles_are_allowed() {
    let mut world = World::new();
    let one = world.spawn(()).id();
    world.entity_mut(one).insert(Likes(one));
    assert!(matches!(
        refused(&mut world),
        RelationshipError::ToItself { .. }
    ));
    world.entity_mut(one).insert(Sees {
        from: vec![],
        of: one,
    });
    assert!(matches!(
        refused(&mut world),
        RelationshipError::ToItself { .. }
    ));
    assert!(world.get::<Likes>(one).is_none() && world.get::<Sees>(one).is_none());
    let error = world.relate(one, ChildOf(one));
    assert!(matches!(error, Err(RelationshipError::ToItself { .. })));
}

#[test]
fn relationships_that_say_so_run_in_circles() {
    let mut world = World::new();
    let all = spawn_many(&mut world, 3);
    for (index, &entity) in all.iter().enumerate() {
        let of = all[(index + 1) % 3];
        world.entity_mut(entity).insert(Sees { from: vec![], of });
    }
    assert!(world.take_observer_error().is_none());
    assert_eq!(world.sources::<Sees>(all[0]), [all[2]]);
    world.despawn(all[1]).expect("it lives");
    assert!(world.get::<Sees>(all[0]).is_none());
    assert_eq!(world.target::<Sees>(all[2]), Some(all[0]));
}

#[test]
fn a_circle_by_a_change_of_all_entities_is_refused_for_those_alone() {
    let mut world = World::new();
    let all = chain(&mut world, 4);
    let stray = world.spawn(()).id();
    // Everybody below the third: itself and those above it cannot.
    assert_eq!(world.insert_where::<(), _>(ChildOf(all[2])), 5);
    assert_eq!(world.children(all[2]), [all[3], stray]);
    assert_eq!(world.parent(all[2]), Some(all[1]));
    assert_eq!(world.parent(all[1]), Some(all[0]));
    assert_eq!(world.parent(all[0]), None);
    assert_eq!(world.observer_error_count(), 3);
}

#[test]
fn the_system_whose_commands_made_a_circle_says_so() {
    let mut world = World::new();
    let all = chain(&mut world, 3);
    let (top, bottom) = (all[0], all[2]);
    let mut system = (move |mut commands: Commands| {
        commands.entity(top).insert(ChildOf(bottom));
    })
    .into_system();
    let error = system.run(&mut world, &Serial).expect_err("a circle");
    let SystemError::Observer { source, .. } = &error else {
        panic!("{error}");
    };
    assert!(matches!(
        source,
        ObserverError::Relationship(RelationshipError::Cycle { .. })
    ));
    assert!(
        error.to_string().contains("one of its own descendants"),
        "{error}"
    );
}

#[test]
fn a_list_cannot_be_brought_by_anybody() {
    let mut world = World::new();
    let all = chain(&mut world, 3);
    let other = world.spawn(()).id();
    let stolen = world
        .entity_mut(all[0])
        .take::<Children>()
        .expect("it has children");
    assert!(world.get::<ChildOf>(all[1]).is_none());
    world.entity_mut(other).insert(stolen);
    assert!(matches!(
        refused(&mut world),
        RelationshipError::ListInserted { .. }
    ));
    assert_eq!(world.children(other), []);
    let stolen = world
        .entity_mut(all[1])
        .take::<Children>()
        .expect("it has children");
    world.relate(all[1], ChildOf(other)).expect("both live");
    world.entity_mut(other).insert(stolen);
    assert!(matches!(
        refused(&mut world),
        RelationshipError::ListInserted { .. }
    ));
    assert_eq!(world.children(other), [all[1]]);
}

#[test]
fn a_reserved_handle_with_children_may_not_come_below_them() {
    let mut world = World::new();
    let (mut late, mut early) = (CommandQueue::default(), CommandQueue::default());
    let mut commands = Commands::new(&mut early, &world);
    let child = commands.spawn(()).id();
    let parent = Commands::new(&mut late, &world).spawn(ChildOf(child)).id();
    Commands::new(&mut early, &world)
        .entity(child)
        .insert(ChildOf(parent));
    early.apply(&mut world);
    late.apply(&mut world);
    assert!(matches!(
        refused(&mut world),
        RelationshipError::Cycle { .. }
    ));
    assert_eq!(
        (world.parent(child), world.parent(parent)),
        (Some(parent), None)
    );
}
