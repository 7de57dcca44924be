//! Handles: how long they are valid, and in which order they come.

use orrery_ecs::World;

use crate::support::{Ledger, ignore, panic_of};
use crate::support::{Named, Num, names};

#[test]
fn a_batch_is_spawned_at_once_whoever_asks_for_its_handles() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut batch = world.spawn_batch((0..5000).map(|i| Named::new(i, &ledger)));
    assert_eq!((batch.len(), batch.by_ref().take(7).count()), (5000, 7));
    assert_eq!(batch.len(), 4993);
    assert_eq!((world.len(), ledger.alive()), (5000, 5000));
    world.spawn(Named::new(7, &ledger));
    assert_eq!(names(&mut world).len(), 5001);
}

#[test]
fn a_batch_whose_iterator_panics_keeps_what_came_before() {
    for count in [0, 1, 15, 16, 17, 4095, 4096, 4097] {
        let (ledger, mut world) = (Ledger::default(), World::new());
        let bundles = (0..).map(|i| {
            assert!(i < count, "planned panic");
            Named::new(i, &ledger)
        });
        let panic = panic_of(|| ignore(world.spawn_batch(bundles)));
        assert_eq!(panic.as_deref(), Some("planned panic"));
        let found = names(&mut world);
        assert_eq!(found.len() as u32, count);
        assert!(
            found
                .iter()
                .zip(0..)
                .all(|(&(_, number), row)| number == row)
        );
        assert!(found.iter().all(|&(entity, _)| world.contains(entity)));
        assert_eq!(ledger.alive(), i64::from(count));
    }
}

#[test]
fn an_iterator_that_lies_about_its_length_does_no_harm() {
    struct Liar(u32, (usize, Option<usize>));
    impl Iterator for Liar {
        type Item = Num;

        fn next(&mut self) -> Option<Num> {
            self.0 = self.0.checked_sub(1)?;
            Some(Num(self.0))
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            self.1
        }
    }
    let mut world = World::new();
    for hint in [(0, Some(0)), (usize::MAX, None), (5, Some(3))] {
        world.spawn_batch(Liar(100, hint));
    }
    assert_eq!(world.query::<&Num>().view(&world).len(), 300);
}

#[test]
fn an_entity_borrowed_with_its_world_changes_in_place() {
    let mut world = World::new();
    let mut entity = world.spawn(Num(1));
    entity.insert((crate::support::Wide(5),)).remove::<Num>();
    assert!(!entity.contains::<Num>() && entity.contains::<crate::support::Wide>());
    assert!(entity.take::<Num>().is_err());
    let id = entity.id();
    entity.despawn();
    assert!(!world.contains(id));
    let message = panic_of(|| ignore(world.entity(id).id())).expect("a panic");
    assert!(message.contains(&id.to_string()), "{message}");
}
