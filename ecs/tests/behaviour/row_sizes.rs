//! Rows that are bytes are copied by the sizes of their values: whichever sizes stand together, all
//! values of a row stay together where it fills a gap and where it goes to another archetype.

use orrery_ecs::{Bundle, Component, Entity, World};

use crate::support::Random;

/// A value of so many bytes, all made of a seed.
#[derive(Clone, Copy, PartialEq, Debug, Component)]
struct Bytes<const SIZE: usize>([u8; SIZE]);

fn bytes<const SIZE: usize>(seed: u64) -> Bytes<SIZE> {
    let byte = |index| (seed.wrapping_mul(0x9e37_79b9 + index as u64) >> 16) as u8;
    Bytes(std::array::from_fn(byte))
}

#[derive(Clone, Copy, Component)]
struct Tag;

/// The values that a seed stands for, and whether an entity has them.
trait Row: Bundle {
    fn of(seed: u64) -> Self;
    fn is_of(world: &World, entity: Entity, seed: u64) -> bool;
}

macro_rules! rows {
    ($($name:ident: $($size:literal)*;)*) => {$(
        struct $name;
        impl $name {
            fn check() {
                goes_and_comes::<($(Bytes<$size>,)*)>(stringify!($name));
            }
        }
        impl Row for ($(Bytes<$size>,)*) {
            fn of(seed: u64) -> Self {
                ($(bytes::<$size>(seed),)*)
            }
            fn is_of(world: &World, entity: Entity, seed: u64) -> bool {
                $(world.get::<Bytes<$size>>(entity) == Some(&bytes(seed)))&&*
            }
        }
    )*};
}

rows! {
    OnlyFour: 4;
    OnlyEight: 8;
    OnlyTwelve: 12;
    OnlySixteen: 16;
    OnlySixtyFour: 64;
    OnlyNothing: 0;
    OnlyOdd: 37;
    Known: 64 12 4 16 8;
    Neighbours: 3 5 7 9 11 13 15 17 63 65;
    Mixed: 100 4 0 12 1 64 24 8 32 16 48 200;
}

/// Of the random choice of rows.
const SEED: u64 = 7;

/// Seeds of the entities that live, in no order.
type Living = Vec<(Entity, u64)>;

fn goes_and_comes<R: Row>(name: &str) {
    let (mut world, mut random) = (World::new(), Random::new(SEED));
    let mut living: Living = Living::new();
    for seed in 1..=9_000 {
        living.push((world.spawn(R::of(seed)).id(), seed));
    }
    // Rows leave three blocks from anywhere, and others go to another archetype and back.
    for round in 0..6_000 {
        let (entity, _) = living[random.below(living.len())];
        match round % 3 {
            0 => {
                let at = random.below(living.len());
                let (gone, _) = living.swap_remove(at);
                world.despawn(gone).expect("it lives");
            }
            1 => world.insert(entity, Tag).expect("it lives"),
            _ => drop(world.remove::<Tag>(entity).expect("it lives")),
        }
    }
    for &(entity, seed) in &living {
        assert!(
            R::is_of(&world, entity, seed),
            "{name}: {entity:?} of {seed}"
        );
    }
    assert_eq!(world.len(), living.len());
}

#[test]
fn rows_of_one_size_stay_whole() {
    OnlyFour::check();
    OnlyEight::check();
    OnlyTwelve::check();
    OnlySixteen::check();
    OnlySixtyFour::check();
    OnlyNothing::check();
    OnlyOdd::check();
}

#[test]
fn rows_of_many_sizes_stay_whole() {
    Known::check();
    Neighbours::check();
    Mixed::check();
}
