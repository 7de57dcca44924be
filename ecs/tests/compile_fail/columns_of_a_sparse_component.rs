//! Slices, blocks and lengths of a component that has no columns.

use orrery_ecs::{Chunk, Component, DynamicChunk, Fields, World};

#[derive(Clone, Copy, Component)]
#[component(sparse)]
struct Rare(u32);

fn in_blocks(_: Chunk<&mut Rare>) {}

fn by_type(chunk: DynamicChunk) {
    let _ = chunk.slice::<Rare>();
}

fn main() {
    let mut world = World::new();
    let _ = world.changed_since::<Rare>(0);
    let _ = world.query::<&Rare>().view(&world).len();
    world.query::<&mut Rare>().view_mut(&mut world).for_each_chunk(|_| ());
    let _ = world.spawn_columns(1, (vec![Rare(1)],));
    let _ = world.query::<Fields<&Rare>>();
}
