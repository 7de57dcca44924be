//! A world in which everything happens all the time, and which comes back to where it began.
//!
//! A period does the same random operations as every other one and leaves nobody alive, so memory
//! at its end must be the same to the byte: whatever is still held is held by nobody's wish.

use std::collections::VecDeque;

use orrery_ecs::{
    Added, Changed, ChildOf, CommandQueue, Commands, Component, Despawn, Entity, Event,
    HookContext, Insert, IntoSystem, Local, On, Query, QueryState, RemovedComponents,
    RemovedReader, ResMut, Resource, Serial, System, With, Without, World,
};

use crate::support::{Burden, Frozen, Ledger, Named, Num, Parts, Random, Wide};

/// Ticks of a period: five seconds at 60 Hz.
pub(super) const PERIOD: u64 = 300;

/// Forks that are kept; one in four takes the place of the world.
const FORKS: usize = 3;

/// Ticks that an entity has still to live.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(track)]
struct Left(u32);

#[derive(Clone, Copy, Debug, Component)]
#[component(on_add = hooked, on_remove = hooked)]
struct Hooked;

/// Nobody ever has one.
#[derive(Clone, Copy, Debug, Component)]
struct Never;

#[derive(Clone, Copy, Debug, Component)]
#[relationship]
struct Likes(Entity);

#[derive(Event)]
struct Ping;

#[derive(Clone, Copy, Debug, Default, PartialEq, Resource)]
pub(super) struct Told {
    pub(super) observers: u64,
    pub(super) hooks: u64,
    pub(super) removed: u64,
    pub(super) changed: u64,
}

fn hooked(mut context: HookContext<'_>) {
    context
        .commands()
        .queue(|world| world.resource_mut::<Told>().hooks += 1);
}

fn age(mut query: Query<(Entity, &mut Left)>, mut commands: Commands) {
    for (entity, mut left) in &mut query {
        left.0 -= 1;
        if left.0 == 0 {
            commands.despawn(entity);
        }
    }
}

/// Every tenth of those that are new gets something, every fifth loses it again at once.
fn dress(new: Query<Entity, Added<Left>>, mut runs: Local<u32>, mut commands: Commands) {
    for entity in &new {
        *runs += 1;
        if *runs % 10 < 3 {
            commands.entity(entity).insert((Num(*runs), Frozen(*runs)));
        }
        if *runs % 10 < 2 {
            commands.entity(entity).remove::<Frozen>().insert(Hooked);
        }
    }
}

fn watch(
    changed: Query<Entity, Changed<Left>>,
    mut gone: RemovedComponents<Left>,
    mut told: ResMut<Told>,
) {
    told.changed += changed.iter().count() as u64;
    told.removed += gone.read().count() as u64;
}

pub(super) struct Town {
    pub(super) world: World,
    random: Random,
    ledger: Ledger,
    systems: Vec<Box<dyn System>>,
    reader: RemovedReader<Burden>,
    numbers: QueryState<(Entity, &'static Num), Without<Hooked>>,
    forks: VecDeque<World>,
    tick: u64,
}

impl Town {
    pub(super) fn new() -> Self {
        let mut world = World::new();
        world.init_resource::<Told>();
        world.add_observer(|_: On<Insert, Left>, mut told: ResMut<Told>| told.observers += 1);
        world.add_observer(|on: On<Despawn, Named>, mut commands: Commands| {
            let number = on.removed::<Named>().expect("it has just left").number();
            commands.spawn((Num(number), Left(2)));
        });
        world.add_observer(|_: On<Ping>, mut told: ResMut<Told>| told.observers += 1);
        Self {
            reader: world.removed_reader(),
            numbers: world.query_filtered(),
            systems: vec![
                Box::new(age.into_system()),
                Box::new(dress.into_system()),
                Box::new(watch.into_system()),
            ],
            world,
            random: Random::new(0),
            ledger: Ledger::default(),
            forks: VecDeque::new(),
            tick: 0,
        }
    }

    /// Values with a counted life.
    pub(super) fn alive(&self) -> i64 {
        self.ledger.alive()
    }

    pub(super) fn period(&mut self) {
        (self.random, self.tick) = (Random::new(0x10e), 0);
        for _ in 0..PERIOD {
            self.step();
        }
        self.forks.clear();
        while !self.world.is_empty() {
            // Observers of the end of some spawn others.
            self.world.despawn_where::<()>();
        }
        self.reader.read(&mut self.world);
        for system in &mut self.systems {
            system.run(&mut self.world, &Serial).expect("Told is there");
        }
        self.world.compact(usize::MAX);
        assert_eq!((self.world.len(), self.alive()), (0, 0));
        assert_eq!(self.world.observer_error_count(), 0);
    }

    pub(super) fn step(&mut self) {
        self.tick += 1;
        self.spawn();
        for system in &mut self.systems {
            system.run(&mut self.world, &Serial).expect("Told is there");
        }
        self.relate();
        self.come_and_go();
        if self.tick.is_multiple_of(7) {
            self.fork();
        }
        if self.tick.is_multiple_of(50) {
            self.merge();
        }
        if self.tick.is_multiple_of(100) {
            self.world.state_hash();
            self.world.compact(1);
        }
    }

    fn spawn(&mut self) {
        let (random, world, ledger) = (&mut self.random, &mut self.world, &self.ledger);
        let left = Left(1 + random.below(40) as u32);
        let number = random.below(1000) as u32;
        world.spawn((left, Named::new(number, ledger)));
        world.spawn((left, Burden::new(number, ledger), Frozen(number)));
        world.spawn((left, Hooked, Named::new(number, ledger), Num(number)));
        world.spawn_batch((0..random.below(6)).map(|i| (Left(1 + i as u32), Num(number))));
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, world);
        // One of them in a box, for its alignment.
        commands.spawn((left, Wide(1))).insert(Wide(2));
        let parts = Parts {
            a: 1.0,
            b: 2.0,
            c: 3,
        };
        commands
            .spawn((left, parts))
            .with_child((left, Burden::new(1, ledger)));
        queue.apply(world);
    }

    /// Trees grow, change and go; some like others.
    fn relate(&mut self) {
        let living: Vec<Entity> = self
            .numbers
            .view(&self.world)
            .iter()
            .map(|(id, _)| id)
            .collect();
        for _ in 0..living.len().min(3) {
            let [one, other] = [0, 1].map(|_| living[self.random.below(living.len())]);
            let _cycle = self.world.relate(one, ChildOf(other));
            let _itself = self.world.relate(other, Likes(one));
        }
        if let Some(&entity) = living.first() {
            self.world.entity_mut(entity).remove::<Likes>();
        }
        if self.random.one_in(8) && !living.is_empty() {
            let top = self
                .world
                .root::<ChildOf>(living[self.random.below(living.len())]);
            self.world.despawn(top).expect("it lives");
        }
    }

    /// Observers, readers, queries and systems that are there for a moment.
    fn come_and_go(&mut self) {
        let world = &mut self.world;
        let pinged = world.spawn(Left(3)).id();
        world
            .entity_mut(pinged)
            .observe(|_: On<Ping>, mut told: ResMut<Told>| told.observers += 1);
        let observer = world.add_observer(|_: On<Insert, Num>| ());
        world.trigger_for(pinged, Ping).expect("it lives");
        world.insert(pinged, Num(1)).expect("it lives");
        assert!(world.remove_observer(observer));
        drop((
            world.removed_reader::<Never>(),
            world.removed_reader::<Left>(),
        ));
        let count = world
            .run_system_once(|mut gone: RemovedComponents<Never>| gone.read().count())
            .expect("nothing is missing");
        assert_eq!(count, 0);
        if self.tick.is_multiple_of(10) {
            world.insert_where::<With<Num>, _>(Frozen(1));
            world.remove_where::<With<Frozen>, Frozen>();
            world.insert_resource(Shown(vec![pinged; 10]));
        } else {
            world.remove_resource::<Shown>();
        }
        if self.tick.is_multiple_of(3) {
            self.reader.read(world);
        }
    }

    fn fork(&mut self) {
        let mut fork = self.world.fork().expect("everything can be cloned");
        if self.random.one_in(4) {
            std::mem::swap(&mut self.world, &mut fork);
            self.numbers = self.world.query_filtered();
        }
        self.forks.push_back(fork);
        if self.forks.len() > FORKS {
            self.forks.pop_front();
        }
        // Old ones go their own way a little.
        let old = &mut self.forks[0];
        old.despawn_where::<With<Burden>>();
        old.spawn((Left(1), Named::new(1, &self.ledger)));
    }

    fn merge(&mut self) {
        let mut other = World::new();
        let top = other.spawn((Left(5), Named::new(5, &self.ledger))).id();
        other.spawn_batch([(Left(5), Num(5), ChildOf(top)); 3]);
        self.world
            .merge(other)
            .expect("no component is defined at run time");
    }
}

#[derive(Clone, Debug, Resource)]
struct Shown(Vec<Entity>);
