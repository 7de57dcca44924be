//! Rows that are copied as bytes take a short way while nothing has come between. Whether they do
//! must not be seen: each way leads to the same rows, ticks, hashes and archetypes.

use orrery_ecs::{Bundle, Component, Entity, QueryState, With, World, WorldHash};

use crate::support::{
    Burden, Frozen, Ledger, Named, Num, Parts, Pos, Random, SeedOnFailure, Wide, ignore, pos,
};

#[derive(Clone, Copy, Component)]
struct Tag;

/// Without a byte, but aligned.
#[derive(Clone, Copy, Component)]
#[repr(align(4096))]
struct Edge;

#[derive(Clone, Copy, Component)]
#[component(track)]
struct Tracked(u16);

#[derive(Clone, Copy, Component)]
struct Body(u32);

#[derive(Clone, Copy, Component)]
#[require(Body(7))]
struct Mind(u8);

#[derive(Bundle)]
struct Nested {
    inner: ((Tag,), ()),
    mind: (Edge, ((), (Pos,))),
}

/// What is done, to which entity, with which value.
#[derive(Clone, Copy, Debug)]
struct Step(usize, Entity, u32);

/// Those from here on put sparse components into a world.
const SPARSE: usize = 20;
const KINDS: usize = 24;

/// Kinds of steps that are done once in a while.
const RARE: usize = KINDS;
const RARES: usize = 9;

fn insert<B: Bundle>(world: &mut World, entity: Entity, bundle: B) {
    world.insert(entity, bundle).expect("it lives");
}

fn remove<B: Bundle>(world: &mut World, entity: Entity) {
    world.remove::<B>(entity).expect("it lives");
}

/// Does a step, and gives the entities that came.
fn go(world: &mut World, Step(kind, entity, value): Step, ledger: &Ledger) -> Vec<Entity> {
    let x = pos(value as f32);
    let (a, b) = (value as f32, f64::from(value));
    match kind {
        0 => return vec![world.spawn(Num(value)).id()],
        1 => return vec![world.spawn((Num(value), x, Tag)).id()],
        2 => world.despawn(entity).expect("it lives"),
        3 => insert(world, entity, x),
        4 => remove::<Pos>(world, entity),
        5 => insert(world, entity, Tag),
        6 => remove::<Tag>(world, entity),
        7 => insert(world, entity, (Tag, x)),
        8 => remove::<(Pos, Tag)>(world, entity),
        9 => insert(
            world,
            entity,
            Nested {
                inner: ((Tag,), ()),
                mind: (Edge, ((), (x,))),
            },
        ),
        10 => remove::<Nested>(world, entity),
        11 => insert(world, entity, Parts { a, b, c: 7 }),
        12 => remove::<Parts>(world, entity),
        13 => insert(world, entity, Tracked(value as u16)),
        14 => remove::<(Tracked, ())>(world, entity),
        15 => remove::<(Mind, Body, Num)>(world, entity),
        16 => insert(world, entity, Named::new(value, ledger)),
        17 => remove::<Named>(world, entity),
        18 => insert(world, entity, ((), Mind(3))),
        19 => insert(world, entity, Num(value)),
        20 => insert(world, entity, Frozen(value)),
        21 => remove::<Frozen>(world, entity),
        22 => insert(world, entity, (Burden::new(value, ledger), Tag)),
        23 => remove::<Burden>(world, entity),
        24 => ignore(world.compact(usize::MAX)),
        25 => ignore(world.advance_change_tick()),
        26 => ignore(world.insert_where::<With<Tag>, _>((Body(value), Edge))),
        27 => ignore(world.remove_where::<With<Edge>, (Tag, Edge)>()),
        28 => ignore(world.despawn_where::<With<Mind>>()),
        29 => {
            let nums = (0..300).map(Num).collect::<Vec<_>>();
            let tags = |_| Tag;
            return world
                .spawn_columns(300, (nums, tags))
                .expect("as many")
                .collect();
        }
        30 => {
            let mut level = World::new();
            let mut all = level
                .spawn_batch((0..50).map(|i| (Tag, Num(i))))
                .collect::<Vec<_>>();
            all.extend(level.spawn_batch((0..50).map(|i| (Mind(1), pos(i as f32)))));
            let map = world.merge(level).expect("no component of run time");
            return all.into_iter().map(|old| map.map(old)).collect();
        }
        31 if value.is_multiple_of(8) => world.clear(),
        31 => insert(world, entity, Wide(u64::from(value))),
        _ => world
            .query_filtered::<&mut Num, With<Tag>>()
            .iter_mut(world)
            .for_each(|num| {
                num.0 = num.0.wrapping_add(value);
            }),
    }
    Vec::new()
}

type Rows = Vec<(Entity, u32)>;

type Of<T> = QueryState<(Entity, T)>;

/// Queries that are kept whatever becomes of the world.
struct Kept(Of<&'static mut Num>, Of<&'static Body>);

impl Kept {
    fn new(world: &mut World) -> Self {
        Self(world.query(), world.query())
    }

    fn rows(&mut self, world: &World) -> Rows {
        let nums = self.0.iter(world).map(|(entity, num)| (entity, num.0));
        nums.chain(self.1.iter(world).map(|(entity, body)| (entity, body.0)))
            .collect()
    }
}

fn changed(world: &World, since: u64) -> Vec<Vec<(usize, usize)>> {
    fn of<T: orrery_ecs::TableComponent>(world: &World, since: u64) -> Vec<(usize, usize)> {
        world
            .changed_since::<T>(since)
            .map(|(at, block)| (at.index(), block))
            .collect()
    }
    let (nums, tags) = (of::<Num>(world, since), of::<Tag>(world, since));
    let (parts, bodies) = (of::<Parts>(world, since), of::<Body>(world, since));
    vec![nums, tags, parts, bodies, of::<Pos>(world, since)]
}

/// A fork, what it had, and its hash.
type Aside = (World, Rows, WorldHash);

fn aside(world: &World) -> Aside {
    let mut fork = world.fork().expect("all of it can be cloned");
    let rows = Kept::new(&mut fork).rows(&fork);
    let hash = fork.state_hash();
    (fork, rows, hash)
}

fn is_as_it_was((mut fork, rows, hash): Aside) {
    assert_eq!(
        (Kept::new(&mut fork).rows(&fork), fork.state_hash()),
        (rows, hash)
    );
}

/// Steps in bursts, to a world that nothing comes between in, to one that is hashed and forked now
/// and then, and to one where that comes before each step.
fn the_ways_agree(seed: u64, kinds: usize, count: usize, bursts: usize) {
    let _seed = SeedOnFailure(seed);
    let (mut random, ledger) = (Random::new(seed), Ledger::default());
    let mut worlds: [World; 3] = std::array::from_fn(|_| World::new());
    let mut kept = worlds.each_mut().map(Kept::new);
    let mut asides: Vec<Aside> = Vec::new();
    for world in &mut worlds {
        world.spawn_batch((0..count as u32).map(Num));
    }
    let mut seen = 0;
    for _ in 0..bursts {
        let pair = [random.below(kinds), random.below(kinds)];
        let rare = random.one_in(3).then(|| RARE + random.below(RARES));
        // Mostly at one end, where blocks begin.
        let all: Vec<Entity> = worlds[0].query::<Entity>().iter(&worlds[0]).collect();
        let mut left = all.clone();
        for number in 0..random.below(60) {
            let kind = rare
                .filter(|_| number == 20)
                .unwrap_or(pair[random.below(2)]);
            let near = left
                .len()
                .min(if random.one_in(2) { 40 } else { usize::MAX });
            let index = if near == 0 {
                0
            } else {
                left.len() - 1 - random.below(near)
            };
            let entity = left.get(index).copied().unwrap_or(Entity::NONE);
            if left.is_empty() && ![0, 1, 24, 25, 29, 30].contains(&kind) {
                continue;
            }
            if random.one_in(20) {
                asides.push(aside(&worlds[1]));
            }
            let before = aside(&worlds[2]);
            let step = Step(kind, entity, random.below(1000) as u32);
            let [a, b, c] = worlds.each_mut().map(|world| go(world, step, &ledger));
            assert!(a == b && b == c, "{step:?}");
            left.extend(a);
            left.retain(|&entity| worlds[0].contains(entity));
            if random.one_in(8) {
                is_as_it_was(before);
                let rows = [0, 1, 2].map(|i| kept[i].rows(&worlds[i]));
                assert!(rows[0] == rows[1] && rows[1] == rows[2], "{step:?}");
                let ticks = worlds.each_ref().map(|world| changed(world, seen));
                assert!(
                    ticks[0] == ticks[1] && ticks[1] == ticks[2],
                    "{step:?} {ticks:?}"
                );
            }
            if random.one_in(20) {
                assert_eq!(worlds[1].state_hash(), worlds[2].state_hash(), "{step:?}");
            }
        }
        asides.drain(..).for_each(is_as_it_was);
        seen = worlds[0].change_tick() - 1;
    }
    let [never, some, each] = worlds.each_ref().map(World::state_hash);
    assert!(never == some && some == each);
    drop(worlds);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_world_that_is_hashed_and_forked_takes_other_ways_to_the_same_end() {
    for (seed, count) in [(1, 30), (2, 4096), (3, 4100), (4, 8194), (5, 0)] {
        the_ways_agree(seed, SPARSE, count, 60);
    }
}

#[test]
fn so_does_one_with_sparse_components() {
    for (seed, count) in [(11, 30), (12, 4097), (13, 8192)] {
        the_ways_agree(seed, KINDS, count, 60);
    }
}

#[test]
fn few_kinds_of_rows_go_to_and_fro_over_the_borders_of_blocks() {
    for (seed, count) in [(21, 4095), (22, 4096), (23, 4097), (24, 8192), (25, 8193)] {
        the_ways_agree(seed, 8, count, 60);
    }
}

#[test]
fn a_query_goes_on_while_lists_of_other_worlds_grow_on_other_threads() {
    std::thread::scope(|scope| {
        for seed in 0..3 {
            scope.spawn(move || {
                let mut world = World::new();
                let mut all = Vec::new();
                let mut nums = world.query::<(Entity, &mut Num)>();
                for round in 0..12_u32 {
                    all.extend(world.spawn_batch((0..3000).map(|_| Num(round))));
                    let fork = (round % 3 == seed).then(|| world.fork().expect("numbers"));
                    nums.iter_mut(&mut world).for_each(|(_, num)| num.0 += 1);
                    let count = nums
                        .iter(&world)
                        .filter(|(_, num)| num.0 == round + 1)
                        .count();
                    assert_eq!(count, all.len());
                    let old = fork.map(|mut fork| {
                        let mut nums = fork.query::<&Num>();
                        nums.iter(&fork).filter(|num| num.0 == round).count()
                    });
                    assert!(old.is_none_or(|old| old == all.len()));
                    nums.iter_mut(&mut world)
                        .for_each(|(_, num)| num.0 = round + 1);
                }
            });
        }
    });
}
