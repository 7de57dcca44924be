//! 26 archetypes of 20 entities each: what a query costs where there is little to do.
//!
//! Every run doubles all values or halves them again, in turn, so that they stay finite.

use bytemuck::{Pod, Zeroable};
use orrery_ecs::{Component, QueryState, World};

use super::SEED;
use super::population::{DIGEST_START, digest};
use crate::harness::{Case, Expected, Goal, Work};

/// Entities of each archetype.
pub const ENTITIES: usize = 20;

/// The 26 archetypes together: the size of the case.
const ROWS: usize = 26 * ENTITIES;

const EXPECTED: Expected = Expected {
    smoke: 0x4799_5ed2_cffc_7cf8,
    full: 0x4799_5ed2_cffc_7cf8,
};

/// The value that all entities have.
#[derive(Clone, Copy, Debug, PartialEq, Component, Pod, Zeroable)]
#[repr(C)]
pub struct Data(pub f32);

impl Data {
    /// Of one entity; all differ.
    #[must_use]
    pub fn of(entity: usize) -> Self {
        Self(1.0 + entity as f32)
    }
}

/// What is done in a run, and in the next one.
#[derive(Clone, Copy, Debug)]
pub struct Factor(f32);

impl Default for Factor {
    fn default() -> Self {
        Self(2.0)
    }
}

impl Factor {
    /// The factor of this run; the next one undoes it.
    pub fn take(&mut self) -> f32 {
        let now = self.0;
        self.0 = 1.0 / now;
        now
    }
}

/// Calls a macro with the names of the 26 components that tell the archetypes apart.
#[macro_export]
macro_rules! letters {
    ($call:ident) => {
        $call!(A B C D E F G H I J K L M N O P Q R S T U V W X Y Z);
    };
}

/// Components of our worlds and of hecs'; they hold a lane, as in the well-known suite.
pub mod letter {
    use orrery_ecs::Component;

    macro_rules! components {
        ($($name:ident)*) => {$(
            /// Tells an archetype from the others.
            #[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
            pub struct $name(pub f32);
        )*};
    }

    letters!(components);
}

/// Digest of the values in whichever order an engine visits archetypes.
#[must_use]
pub fn unordered(values: impl Iterator<Item = f32>) -> u64 {
    let digests = values.map(|value| digest(&[value], DIGEST_START));
    digests.fold(0, u64::wrapping_add)
}

pub(super) fn cases() -> Vec<Case> {
    let ours = Case {
        name: "archetypes_26x20",
        reference: Some("archetypes_26x20_reference"),
        smoke: ROWS,
        full: ROWS,
        seed: SEED,
        bytes_each: 0,
        goal: Goal::NanosMax(110.0),
        expected: EXPECTED,
        prepare: |_, _| fragmented(),
    };
    vec![
        Case {
            name: "archetypes_26x20_reference",
            reference: None,
            goal: Goal::Open,
            prepare: |_, _| by_hand(),
            ..ours
        },
        ours,
    ]
}

struct Fragmented {
    world: World,
    query: QueryState<&'static mut Data>,
    factor: Factor,
}

fn fragmented() -> Box<dyn Work> {
    let mut world = World::new();
    let mut entity = 0;
    macro_rules! spawn {
        ($($name:ident)*) => {$(
            for _ in 0..ENTITIES {
                world.spawn((letter::$name(0.0), Data::of(entity)));
                entity += 1;
            }
        )*};
    }
    letters!(spawn);
    assert_eq!(entity, ROWS, "every archetype has its entities");
    let query = world.query();
    Box::new(Fragmented {
        world,
        query,
        factor: Factor::default(),
    })
}

impl Work for Fragmented {
    fn run(&mut self) {
        let factor = self.factor.take();
        self.query.view_mut(&mut self.world).for_each_chunk(|data| {
            for data in data {
                data.0 *= factor;
            }
        });
    }

    fn result(&mut self) -> u64 {
        unordered(self.query.iter(&self.world).map(|data| data.0))
    }
}

/// R: 26 lists and two loops.
struct ByHand {
    lists: Vec<Vec<f32>>,
    factor: Factor,
}

fn by_hand() -> Box<dyn Work> {
    let list = |at: usize| (0..ENTITIES).map(move |row| Data::of(at * ENTITIES + row).0);
    Box::new(ByHand {
        lists: (0..26).map(|at| list(at).collect()).collect(),
        factor: Factor::default(),
    })
}

impl Work for ByHand {
    fn run(&mut self) {
        let factor = self.factor.take();
        for list in &mut self.lists {
            for value in list {
                *value *= factor;
            }
        }
    }

    fn result(&mut self) -> u64 {
        unordered(self.lists.iter().flatten().copied())
    }
}
