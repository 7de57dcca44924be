//! The adapter of hecs.

use hecs::{ColumnBatchType, CommandBuffer, Entity, With, Without, World};

use super::components::{Named, Num, Pos, Rare, Row, Spirit, Wide};
use super::engine::{Bulk, Command, Engine, wrap};
use super::shapes::{Kind, MASKS, Shape, for_each_kind, with_shape};

#[derive(Default)]
pub(crate) struct Hecs(World);

fn handle(bits: u64) -> Entity {
    Entity::from_bits(bits).expect("the bits came from a handle")
}

fn bits(entity: Entity) -> u64 {
    entity.to_bits().get()
}

fn fill<T: Kind>(row: &mut Row, value: Option<&T>) {
    row[T::NUMBER] = value.map(T::value);
}

/// Collects a query, whose items are turned into rows.
macro_rules! visit {
    ($world:expr, $query:ty, $($name:ident)*; $($maybe:ident)*) => {{
        let rows = $world.query_mut::<$query>().into_iter();
        rows.map(|(entity, $($name,)* $($maybe,)*)| {
            let mut row = Row::default();
            $(fill(&mut row, Some($name));)*
            $(fill(&mut row, $maybe);)*
            (bits(entity), row)
        })
        .collect()
    }};
}

impl Engine for Hecs {
    fn name(&self) -> &'static str {
        "hecs"
    }

    fn len(&self) -> usize {
        self.0.len() as usize
    }

    fn spawn(&mut self, shape: usize, value: u32) -> u64 {
        with_shape!(shape, B => bits(self.0.spawn(B::make(value))))
    }

    fn spawn_batch(&mut self, shape: usize, values: &[u32]) -> Vec<u64> {
        with_shape!(shape, B => {
            let bundles = values.iter().map(|&value| B::make(value));
            self.0.spawn_batch(bundles).map(bits).collect()
        })
    }

    fn despawn(&mut self, entity: u64) -> bool {
        self.0.despawn(handle(entity)).is_ok()
    }

    fn insert(&mut self, entity: u64, shape: usize, value: u32) -> bool {
        with_shape!(shape, B => self.0.insert(handle(entity), B::make(value)).is_ok())
    }

    /// One component after the other: hecs removes a bundle only if all of it is there.
    fn remove(&mut self, entity: u64, shape: usize) -> bool {
        let mut any = false;
        for_each_kind!(T => if MASKS[shape] >> T::NUMBER & 1 == 1 {
            any |= self.0.remove_one::<T>(handle(entity)).is_ok();
        });
        any
    }

    fn take(&mut self, entity: u64, shape: usize) -> Option<Row> {
        let mut row = Row::default();
        with_shape!(shape, B => self.0.remove::<B>(handle(entity)).ok()?.read(&mut row));
        Some(row)
    }

    fn read(&self, entity: u64) -> Option<Row> {
        let entity = self.0.entity(handle(entity)).ok()?;
        let mut row = Row::default();
        for_each_kind!(T => fill(&mut row, entity.get::<&T>().as_deref()));
        Some(row)
    }

    fn write(&mut self, entity: u64, value: u32) -> bool {
        let (entity, mut any) = (handle(entity), false);
        if let Ok(mut num) = self.0.get::<&mut Num>(entity) {
            num.0 = value;
            any = true;
        }
        if let Ok(mut pos) = self.0.get::<&mut Pos>(entity) {
            *pos = Pos::make(value);
            any = true;
        }
        if let Ok(mut named) = self.0.get::<&mut Named>(entity) {
            named.text = value.to_string();
            any = true;
        }
        any
    }

    fn add(&mut self, more: u32) {
        type Numbers<'a> = With<(&'a mut Num, Option<&'a mut Named>), &'a Pos>;
        for (num, named) in self.0.query_mut::<Numbers>() {
            num.0 = wrap(num.0 + more);
            if let Some(named) = named {
                named.text = wrap(named.value() + more).to_string();
            }
        }
    }

    fn visit(&mut self, query: usize) -> Vec<(u64, Row)> {
        match query {
            0 => visit!(self.0, (Entity, &Num), num;),
            1 => visit!(self.0, Without<(Entity, &Num, &Pos), &Named>, num pos;),
            2 => visit!(self.0, With<(Entity, &Num, Option<&Named>), &Pos>, num; named),
            3 => visit!(self.0, Without<(Entity, &Named, Option<&Pos>), &Spirit>, named; pos),
            4 => visit!(self.0, (Entity, &Wide, &Spirit, Option<&Num>), wide spirit; num),
            5 => visit!(self.0, Without<(Entity, &Rare, Option<&Num>), &Pos>, rare; num),
            _ => visit!(self.0, With<(Entity, &Num, Option<&Rare>), &Rare>, num; rare),
        }
    }

    fn spawn_columns(&mut self, values: &[u32]) -> Vec<u64> {
        let mut columns = ColumnBatchType::new();
        columns.add_bundle::<(Pos, Num)>();
        let builder = columns.into_batch(u32::try_from(values.len()).expect("there are few"));
        {
            let mut positions = builder.writer::<Pos>().expect("it was added");
            let mut numbers = builder.writer::<Num>().expect("it was added");
            for &value in values {
                assert!(positions.push(Pos::make(value)).is_ok(), "there is room");
                assert!(numbers.push(Num::make(value)).is_ok(), "there is room");
            }
        }
        let batch = builder.build().expect("both columns are full");
        self.0.spawn_column_batch(batch).map(bits).collect()
    }

    /// One entity after the other: hecs has no changes of all.
    fn bulk(&mut self, change: Bulk, value: u32) {
        type Changed<'a> = Without<With<Entity, &'a Pos>, &'a Spirit>;
        let world = &mut self.0;
        match change {
            Bulk::Insert => {
                let all: Vec<Entity> = world.query_mut::<Changed>().into_iter().collect();
                for entity in all {
                    let bundle = <(Named, Wide)>::make(value);
                    world.insert(entity, bundle).expect("it lives");
                }
            }
            Bulk::Remove => {
                let all = world.query_mut::<With<Entity, &Wide>>().into_iter();
                for entity in all.collect::<Vec<_>>() {
                    // Whatever of the two it has.
                    let _ = world.remove_one::<Pos>(entity);
                    let _ = world.remove_one::<Named>(entity);
                }
            }
            Bulk::Despawn => {
                let all = world.query_mut::<With<Entity, (&Spirit, &Rare)>>();
                for entity in all.into_iter().collect::<Vec<_>>() {
                    world.despawn(entity).expect("it lives");
                }
            }
        }
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn clear_ends_handles(&self) -> bool {
        false
    }

    fn commands(&mut self, list: &[Command]) -> Vec<u64> {
        let mut buffer = CommandBuffer::new();
        let mut spawned = Vec::new();
        for &command in list {
            match command {
                // Its own `spawn` tells no handle; reserving one is hecs' way to have it.
                Command::Spawn { shape, value } => {
                    let entity = self.0.reserve_entity();
                    with_shape!(shape, B => buffer.insert(entity, B::make(value)));
                    spawned.push(bits(entity));
                }
                Command::Insert {
                    entity,
                    shape,
                    value,
                } => with_shape!(shape, B => buffer.insert(handle(entity), B::make(value))),
                Command::Remove { entity, shape } => {
                    for_each_kind!(T => if MASKS[shape] >> T::NUMBER & 1 == 1 {
                        buffer.remove_one::<T>(handle(entity));
                    });
                }
                Command::Despawn { entity } => buffer.despawn(handle(entity)),
            }
        }
        buffer.run_on(&mut self.0);
        spawned
    }
}
