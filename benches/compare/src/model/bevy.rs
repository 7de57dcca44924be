//! The adapter of bevy_ecs.

use bevy_ecs::prelude::{Commands, Entity, With, Without, World};
use bevy_ecs::world::CommandQueue;

use super::components::{Named, Num, Pos, Rare, Row, Spirit, Wide};
use super::engine::{Bulk, Command, Engine, wrap};
use super::shapes::{Kind, Shape, for_each_kind, with_shape};

pub(crate) struct Bevy {
    world: World,
    /// Entities of bevy_ecs' own: it keeps resources in entities.
    own: u32,
}

impl Default for Bevy {
    fn default() -> Self {
        let world = World::new();
        let own = world.entities().count_spawned();
        Self { world, own }
    }
}

fn handle(bits: u64) -> Entity {
    Entity::from_bits(bits)
}

fn fill<T: Kind>(row: &mut Row, value: Option<&T>) {
    row[T::NUMBER] = value.map(T::value);
}

/// Collects a query, whose items are turned into rows.
macro_rules! visit {
    ($world:expr, $data:ty, $filter:ty, $($name:ident)*; $($maybe:ident)*) => {{
        let mut query = $world.query_filtered::<$data, $filter>();
        let rows = query.iter(&$world);
        rows.map(|(entity, $($name,)* $($maybe,)*)| {
            let mut row = Row::default();
            $(fill(&mut row, Some($name));)*
            $(fill(&mut row, $maybe);)*
            (entity.to_bits(), row)
        })
        .collect()
    }};
}

impl Engine for Bevy {
    fn name(&self) -> &'static str {
        "bevy_ecs"
    }

    fn len(&self) -> usize {
        (self.world.entities().count_spawned() - self.own) as usize
    }

    fn spawn(&mut self, shape: usize, value: u32) -> u64 {
        with_shape!(shape, B => self.world.spawn(B::make(value)).id().to_bits())
    }

    fn spawn_batch(&mut self, shape: usize, values: &[u32]) -> Vec<u64> {
        with_shape!(shape, B => {
            let bundles = values.iter().map(|&value| B::make(value)).collect::<Vec<_>>();
            self.world.spawn_batch(bundles).map(Entity::to_bits).collect()
        })
    }

    fn despawn(&mut self, entity: u64) -> bool {
        self.world.try_despawn(handle(entity)).is_ok()
    }

    fn insert(&mut self, entity: u64, shape: usize, value: u32) -> bool {
        let Ok(mut entity) = self.world.get_entity_mut(handle(entity)) else {
            return false;
        };
        with_shape!(shape, B => entity.insert(B::make(value)));
        true
    }

    fn remove(&mut self, entity: u64, shape: usize) -> bool {
        let Ok(mut entity) = self.world.get_entity_mut(handle(entity)) else {
            return false;
        };
        let before = entity.archetype().component_count();
        with_shape!(shape, B => entity.remove::<B>());
        entity.archetype().component_count() < before
    }

    fn take(&mut self, entity: u64, shape: usize) -> Option<Row> {
        let mut entity = self.world.get_entity_mut(handle(entity)).ok()?;
        let mut row = Row::default();
        with_shape!(shape, B => entity.take::<B>()?.read(&mut row));
        Some(row)
    }

    fn read(&self, entity: u64) -> Option<Row> {
        let entity = self.world.get_entity(handle(entity)).ok()?;
        let mut row = Row::default();
        for_each_kind!(T => fill(&mut row, entity.get::<T>()));
        Some(row)
    }

    fn write(&mut self, entity: u64, value: u32) -> bool {
        let (entity, mut any) = (handle(entity), false);
        if let Some(mut num) = self.world.get_mut::<Num>(entity) {
            num.0 = value;
            any = true;
        }
        if let Some(mut pos) = self.world.get_mut::<Pos>(entity) {
            *pos = Pos::make(value);
            any = true;
        }
        if let Some(mut named) = self.world.get_mut::<Named>(entity) {
            named.text = value.to_string();
            any = true;
        }
        any
    }

    fn add(&mut self, more: u32) {
        let mut query = self
            .world
            .query_filtered::<(&mut Num, Option<&mut Named>), With<Pos>>();
        for (mut num, named) in query.iter_mut(&mut self.world) {
            num.0 = wrap(num.0 + more);
            if let Some(mut named) = named {
                named.text = wrap(named.value() + more).to_string();
            }
        }
    }

    fn visit(&mut self, query: usize) -> Vec<(u64, Row)> {
        match query {
            0 => visit!(self.world, (Entity, &Num), (), num;),
            1 => visit!(self.world, (Entity, &Num, &Pos), Without<Named>, num pos;),
            2 => visit!(self.world, (Entity, &Num, Option<&Named>), With<Pos>, num; named),
            3 => visit!(self.world, (Entity, &Named, Option<&Pos>), Without<Spirit>, named; pos),
            4 => visit!(self.world, (Entity, &Wide, &Spirit, Option<&Num>), (), wide spirit; num),
            5 => visit!(self.world, (Entity, &Rare, Option<&Num>), Without<Pos>, rare; num),
            _ => visit!(self.world, (Entity, &Num, Option<&Rare>), With<Rare>, num; rare),
        }
    }

    /// Row by row: bevy_ecs has no columns from outside.
    fn spawn_columns(&mut self, values: &[u32]) -> Vec<u64> {
        self.spawn_batch(1, values)
    }

    /// Found by a query, then one after the other.
    fn bulk(&mut self, change: Bulk, value: u32) {
        let world = &mut self.world;
        match change {
            Bulk::Insert => {
                let mut query = world.query_filtered::<Entity, (With<Pos>, Without<Spirit>)>();
                let all: Vec<Entity> = query.iter(world).collect();
                let make = |entity| (entity, <(Named, Wide)>::make(value));
                world.insert_batch(all.into_iter().map(make).collect::<Vec<_>>());
            }
            Bulk::Remove => {
                let mut query = world.query_filtered::<Entity, With<Wide>>();
                for entity in query.iter(world).collect::<Vec<_>>() {
                    world.entity_mut(entity).remove::<(Pos, Named)>();
                }
            }
            Bulk::Despawn => {
                let mut query = world.query_filtered::<Entity, (With<Spirit>, With<Rare>)>();
                for entity in query.iter(world).collect::<Vec<_>>() {
                    assert!(world.despawn(entity), "it lives");
                }
            }
        }
    }

    fn clear(&mut self) {
        self.world.clear_entities();
        self.own = self.world.entities().count_spawned();
    }

    fn clear_ends_handles(&self) -> bool {
        false
    }

    fn commands(&mut self, list: &[Command]) -> Vec<u64> {
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &self.world);
        let mut spawned = Vec::new();
        for &command in list {
            match command {
                Command::Spawn { shape, value } => spawned
                    .push(with_shape!(shape, B => commands.spawn(B::make(value)).id().to_bits())),
                Command::Insert {
                    entity,
                    shape,
                    value,
                } => with_shape!(shape, B => {
                    commands.entity(handle(entity)).try_insert(B::make(value));
                }),
                Command::Remove { entity, shape } => {
                    with_shape!(shape, B => {
                        commands.entity(handle(entity)).try_remove::<B>();
                    });
                }
                Command::Despawn { entity } => commands.entity(handle(entity)).try_despawn(),
            }
        }
        queue.apply(&mut self.world);
        spawned
    }
}
