//! Memory that is easily held after its use.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orrery_ecs::{CommandQueue, Commands, Component, RemovedComponents, World};

use super::memory::held_bytes;
use crate::support::{Num, Wide, panic_of};

/// Panics once when it is dropped, if it is armed. `resume_unwind` prints nothing: what is printed
/// would be kept by the test harness, on this thread.
#[derive(Clone, Component)]
#[component(not_state)]
struct Fuse(Arc<AtomicBool>);

impl Drop for Fuse {
    fn drop(&mut self) {
        if self.0.swap(false, Ordering::Relaxed) {
            resume_unwind(Box::new("planned"));
        }
    }
}

/// Bundles aligned above 16 bytes do not lie in the queue but in boxes. What is asked of one entity
/// is put together, which takes the values out of them: the boxes must go as well, also when a
/// panic comes between.
#[test]
fn commands_return_the_boxes_of_over_aligned_bundles() {
    let armed = Arc::new(AtomicBool::new(false));
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    let mut ask = |panics: bool| {
        let fuse = || Fuse(armed.clone());
        let mut commands = Commands::new(&mut queue, &world);
        let mut entity = commands.spawn((Wide(1), Num(1)));
        entity
            .insert((Wide(2), fuse()))
            .insert(fuse())
            .insert(Wide(4))
            .remove::<Num>();
        let entity = entity.id();
        commands.spawn((Wide(5), Num(5)));
        commands.entity(entity).despawn();
        armed.store(panics, Ordering::Relaxed);
        let panic = panic_of(|| queue.apply(&mut world));
        assert_eq!(panic.is_some(), panics);
        queue.apply(&mut world);
        world.clear();
        assert_eq!(Arc::strong_count(&armed), 1);
    };
    for panics in [false, true] {
        ask(panics);
        ask(panics);
        let before = held_bytes();
        (0..10).for_each(|_| ask(panics));
        assert_eq!(held_bytes(), before, "with a panic: {panics}");
    }
}

#[test]
fn readers_of_what_is_never_removed_come_and_go_without_a_trace() {
    let mut world = World::new();
    let come = |world: &mut World| {
        for _ in 0..50 {
            drop(world.removed_reader::<Num>());
            world
                .run_system_once(|mut gone: RemovedComponents<Num>| gone.read().count())
                .expect("nothing is missing");
        }
    };
    come(&mut world);
    let before = held_bytes();
    come(&mut world);
    assert_eq!(held_bytes(), before);
}
