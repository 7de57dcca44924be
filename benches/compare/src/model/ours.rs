//! The adapter of orrery_ecs.

use orrery_ecs::{CommandQueue, Commands, Entity, With, Without, World};

use super::components::{Named, Num, Pos, Rare, Row, Spirit, Wide};
use super::engine::{Bulk, Command, Engine, wrap};
use super::shapes::{Kind, Shape, for_each_kind, with_shape};

#[derive(Default)]
pub(crate) struct Ours(World);

fn handle(bits: u64) -> Entity {
    Entity::from_bits(bits).expect("the bits came from a handle")
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

impl Engine for Ours {
    fn name(&self) -> &'static str {
        "orrery_ecs"
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn spawn(&mut self, shape: usize, value: u32) -> u64 {
        with_shape!(shape, B => self.0.spawn(B::make(value)).id().to_bits())
    }

    fn spawn_batch(&mut self, shape: usize, values: &[u32]) -> Vec<u64> {
        with_shape!(shape, B => {
            let bundles = values.iter().map(|&value| B::make(value));
            self.0.spawn_batch(bundles).map(Entity::to_bits).collect()
        })
    }

    fn despawn(&mut self, entity: u64) -> bool {
        self.0.despawn(handle(entity)).is_ok()
    }

    fn insert(&mut self, entity: u64, shape: usize, value: u32) -> bool {
        with_shape!(shape, B => self.0.insert(handle(entity), B::make(value)).is_ok())
    }

    fn remove(&mut self, entity: u64, shape: usize) -> bool {
        with_shape!(shape, B => self.0.remove::<B>(handle(entity))) == Ok(true)
    }

    fn take(&mut self, entity: u64, shape: usize) -> Option<Row> {
        let mut row = Row::default();
        with_shape!(shape, B => self.0.take::<B>(handle(entity)).ok()?.read(&mut row));
        Some(row)
    }

    fn read(&self, entity: u64) -> Option<Row> {
        let entity = self.0.get_entity(handle(entity)).ok()?;
        let mut row = Row::default();
        for_each_kind!(T => fill(&mut row, entity.get::<T>()));
        Some(row)
    }

    fn write(&mut self, entity: u64, value: u32) -> bool {
        let (entity, mut any) = (handle(entity), false);
        if let Some(num) = self.0.get_mut::<Num>(entity) {
            num.0 = value;
            any = true;
        }
        if let Some(pos) = self.0.get_mut::<Pos>(entity) {
            *pos = Pos::make(value);
            any = true;
        }
        if let Some(named) = self.0.get_mut::<Named>(entity) {
            named.text = value.to_string();
            any = true;
        }
        any
    }

    fn add(&mut self, more: u32) {
        let mut query = self
            .0
            .query_filtered::<(&mut Num, Option<&mut Named>), With<Pos>>();
        for (num, named) in query.iter_mut(&mut self.0) {
            num.0 = wrap(num.0 + more);
            if let Some(named) = named {
                named.text = wrap(named.value() + more).to_string();
            }
        }
    }

    fn visit(&mut self, query: usize) -> Vec<(u64, Row)> {
        match query {
            0 => visit!(self.0, (Entity, &Num), (), num;),
            1 => visit!(self.0, (Entity, &Num, &Pos), Without<Named>, num pos;),
            2 => visit!(self.0, (Entity, &Num, Option<&Named>), With<Pos>, num; named),
            3 => visit!(self.0, (Entity, &Named, Option<&Pos>), Without<Spirit>, named; pos),
            4 => visit!(self.0, (Entity, &Wide, &Spirit, Option<&Num>), (), wide spirit; num),
            5 => visit!(self.0, (Entity, &Rare, Option<&Num>), Without<Pos>, rare; num),
            _ => visit!(self.0, (Entity, &Num, Option<&Rare>), With<Rare>, num; rare),
        }
    }

    fn spawn_columns(&mut self, values: &[u32]) -> Vec<u64> {
        let positions: Vec<Pos> = values.iter().map(|&value| Pos::make(value)).collect();
        let numbers = |row: usize| Num::make(values[row]);
        let spawned = self.0.spawn_columns(values.len(), (positions, numbers));
        let spawned = spawned.expect("both have as many values");
        spawned.map(Entity::to_bits).collect()
    }

    fn bulk(&mut self, change: Bulk, value: u32) {
        match change {
            Bulk::Insert => self
                .0
                .insert_where::<(With<Pos>, Without<Spirit>), _>(<(Named, Wide)>::make(value)),
            Bulk::Remove => self.0.remove_where::<With<Wide>, (Pos, Named)>(),
            Bulk::Despawn => self.0.despawn_where::<(With<Spirit>, With<Rare>)>(),
        };
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn clear_ends_handles(&self) -> bool {
        true
    }

    fn commands(&mut self, list: &[Command]) -> Vec<u64> {
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &self.0);
        let mut spawned = Vec::new();
        for &command in list {
            match command {
                Command::Spawn { shape, value } => spawned
                    .push(with_shape!(shape, B => commands.spawn(B::make(value)).id().to_bits())),
                Command::Insert {
                    entity,
                    shape,
                    value,
                } => with_shape!(shape, B => commands.insert(handle(entity), B::make(value))),
                Command::Remove { entity, shape } => {
                    with_shape!(shape, B => commands.remove::<B>(handle(entity)));
                }
                Command::Despawn { entity } => commands.despawn(handle(entity)),
            }
        }
        queue.apply(&mut self.0);
        spawned
    }
}
