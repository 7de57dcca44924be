//! What the tests share: a seeded generator, components, and counters of values made and dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytemuck::{Pod, Zeroable};
use orrery_ecs::{
    BlockRunner, Component, Entity, MapEntities, Serial, StateHash, StateHasher, System, World,
};

/// SplitMix64 (Steele, Lea, Flood 2014): one addition and two multiplications a number.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// Prints the seed of a random test if it fails.
pub(crate) struct SeedOnFailure(pub(crate) u64);

impl Drop for SeedOnFailure {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the seed of the failed test is {}", self.0);
        }
    }
}

/// Values of one test that were made and are not dropped yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    alive: AtomicI64,
    made: AtomicU64,
    /// Clones or drops until one panics; zero and below: never.
    clone_fuse: AtomicI64,
    drop_fuse: AtomicI64,
}

impl Ledger {
    pub(crate) fn token(&self) -> Token {
        self.0.alive.fetch_add(1, Ordering::Relaxed);
        self.0.made.fetch_add(1, Ordering::Relaxed);
        Token(self.clone())
    }

    pub(crate) fn alive(&self) -> i64 {
        self.0.alive.load(Ordering::Relaxed)
    }

    pub(crate) fn made(&self) -> u64 {
        self.0.made.load(Ordering::Relaxed)
    }

    /// The clone with this number from now on panics, counted from 1.
    pub(crate) fn panic_in_clone(&self, number: i64) {
        self.0.clone_fuse.store(number, Ordering::Relaxed);
    }

    /// The drop with this number from now on panics, counted from 1.
    pub(crate) fn panic_in_drop(&self, number: i64) {
        self.0.drop_fuse.store(number, Ordering::Relaxed);
    }
}

/// Counts itself in a ledger for as long as it lives. Not part of any state.
#[derive(Debug)]
pub(crate) struct Token(Ledger);

impl Clone for Token {
    fn clone(&self) -> Self {
        let fuse = self.0.0.clone_fuse.fetch_sub(1, Ordering::Relaxed);
        assert!(fuse != 1, "planned panic in a clone");
        self.0.token()
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        let before = self.0.0.alive.fetch_sub(1, Ordering::Relaxed);
        assert!(before > 0, "more values dropped than made");
        let fuse = self.0.0.drop_fuse.fetch_sub(1, Ordering::Relaxed);
        assert!(fuse != 1, "planned panic in a drop");
    }
}

impl MapEntities for Token {
    const MAPS: bool = false;

    fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
}

impl StateHash for Token {
    fn hash_state(&self, _: &mut StateHasher) {}
}

#[derive(Clone, Copy, Debug, PartialEq, Component)]
pub(crate) struct Num(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Component, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Pos {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
}

pub(crate) fn pos(x: f32) -> Pos {
    Pos { x, y: 0.0, z: 0.0 }
}

/// Heap data and a counted life.
#[derive(Clone, Debug, Component)]
pub(crate) struct Named {
    pub(crate) text: String,
    pub(crate) token: Token,
}

impl Named {
    pub(crate) fn new(number: u32, ledger: &Ledger) -> Self {
        Self {
            text: number.to_string(),
            token: ledger.token(),
        }
    }

    pub(crate) fn number(&self) -> u32 {
        assert!(self.token.0.alive() > 0, "a value that lives is counted");
        self.text.parse().expect("tests write numbers")
    }
}

/// Fields in columns of their own, of different sizes.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(split)]
pub(crate) struct Parts {
    pub(crate) a: f32,
    pub(crate) b: f64,
    pub(crate) c: u16,
}

/// Aligned to a page.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[repr(align(4096))]
pub(crate) struct Wide(pub(crate) u64);

/// In a sparse set.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
#[component(sparse)]
pub(crate) struct Frozen(pub(crate) u32);

/// In a sparse set, with a counted life.
#[derive(Clone, Debug, Component)]
#[component(sparse)]
pub(crate) struct Burden {
    pub(crate) number: u32,
    pub(crate) token: Token,
}

impl Burden {
    pub(crate) fn new(number: u32, ledger: &Ledger) -> Self {
        let token = ledger.token();
        Self { number, token }
    }
}

pub(crate) fn burden(world: &World, entity: Entity) -> Option<u32> {
    world.get::<Burden>(entity).map(|burden| burden.number)
}

/// Refers to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
pub(crate) struct Likes(pub(crate) Entity);

/// A world that holds one is not forked.
#[derive(Debug, Component)]
#[component(no_clone)]
pub(crate) struct Lonely(pub(crate) u32);

/// Without a byte, but with a drop that counts; each test has a number of its own.
#[derive(Debug, Component)]
pub(crate) struct Ghost<const TEST: usize>(());

static GHOSTS: [AtomicI64; 16] = [const { AtomicI64::new(0) }; 16];

impl<const TEST: usize> Ghost<TEST> {
    pub(crate) fn new() -> Self {
        GHOSTS[TEST].fetch_add(1, Ordering::Relaxed);
        Self(())
    }

    pub(crate) fn alive() -> i64 {
        GHOSTS[TEST].load(Ordering::Relaxed)
    }
}

impl<const TEST: usize> Clone for Ghost<TEST> {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl<const TEST: usize> Drop for Ghost<TEST> {
    fn drop(&mut self) {
        let before = GHOSTS[TEST].fetch_sub(1, Ordering::Relaxed);
        assert!(before > 0, "more ghosts dropped than made");
    }
}

/// Runs blocks on threads of its own, interleaved.
pub(crate) struct Threads(pub(crate) usize);

impl BlockRunner for Threads {
    fn for_each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for first in 0..self.0 {
                scope.spawn(move || (first..count).step_by(self.0).for_each(body));
            }
        });
    }
}

/// Says that a result does not matter.
pub(crate) fn ignore<T>(_: T) {}

/// Whether the code panics, and with which message.
pub(crate) fn panic_of(code: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(code)).err()?;
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    Some(text.unwrap_or_default())
}

/// Whole state of the named components of a world, in order of iteration.
pub(crate) fn names(world: &mut World) -> Vec<(Entity, u32)> {
    let mut query = world.query::<(Entity, &Named)>();
    query
        .iter(world)
        .map(|(entity, named)| (entity, named.number()))
        .collect()
}

/// A world with `count` names, each beside a number.
pub(crate) fn named(count: u32, ledger: &Ledger) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = world.spawn_batch((0..count).map(|i| (Num(i), Named::new(i, ledger))));
    let all = all.collect();
    (world, all)
}

/// The world gives what it should, in every column, and goes on working.
pub(crate) fn whole(world: &mut World, ledger: &Ledger, expected: usize) {
    let mut query = world.query::<(Entity, &Num, &Named)>();
    let rows: Vec<(Entity, u32, u32)> = query
        .iter(world)
        .map(|(e, num, named)| (e, num.0, named.number()))
        .collect();
    assert_eq!(rows.len(), expected);
    for (entity, num, name) in rows {
        assert_eq!(num, name);
        assert_eq!(world.get::<Num>(entity), Some(&Num(num)));
    }
    let entity = world.spawn((Num(7), Named::new(7, ledger))).id();
    world.remove::<Named>(entity).expect("it lives");
    world.despawn(entity).expect("it lives");
}

/// Entities that a system has noted.
pub(crate) type Seen = Arc<Mutex<Vec<Entity>>>;

pub(crate) fn take(seen: &Seen) -> Vec<Entity> {
    std::mem::take(&mut seen.lock().expect("no panic inside"))
}

pub(crate) fn run(world: &mut World, system: &mut dyn System) {
    system.run(world, &Serial).expect("no resources");
}

/// A system that notes what a query of handles finds.
macro_rules! watch {
    ($filter:ty) => {{
        let seen = Seen::default();
        let list = seen.clone();
        let system = move |query: Query<Entity, $filter>| {
            list.lock().expect("no panic inside").extend(query.iter());
        };
        (seen, system.into_system())
    }};
}
pub(crate) use watch;
