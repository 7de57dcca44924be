//! What is immutable is written to in its place: by a query, by a chunk, through the world.

use orrery_ecs::{ChildOf, Chunk, Component, EntityMut, Query, World};

#[derive(Clone, Copy, Component)]
#[component(immutable)]
struct Faction(u32);

fn in_rows(_: Query<&mut Faction>) {}
fn in_chunks(_: Chunk<&mut Faction>) {}
fn whole(mut entity: EntityMut) {
    let _ = entity.get_mut::<ChildOf>();
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Faction(3)).id();
    let _ = world.get_mut::<Faction>(entity);
    let _ = world.write(entity, Faction(4));
}
