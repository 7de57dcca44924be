//! The state hash: an ordered, length-prefixed, domain-separated tree.
//!
//! ```text
//! world = H(archetypes in order of creation, sparse sets by name, entity table,
//!           state resources by name, locals of systems by the systems' names)
//!   archetype = H(length, handles, each column with its component's name, by name)
//!     column = H(block hashes in order)
//!       block = XXH3-128 of its values, cached in the block until somebody writes to it
//! ```
//!
//! Every node starts with its kind and the count of what follows, so no two different worlds
//! feed the same bytes. Equal hashes mean equal entities, handles, generations, components,
//! free list, order, and resources and locals that are state; a NaN counts as one canonical NaN,
//! `0.0` and `-0.0` differ. Change ticks and last runs are no state (see `system::states`).
//!
//! Hashes are compared within one build: names of types enter them.
//!
//! XXH3 is no cryptographic hash. It finds divergence and faults, not an adversary.

mod leaf;
mod value;

use std::fmt;
use std::marker::PhantomData;

pub(crate) use leaf::hash_lanes;
pub use value::StateHash;
#[doc(hidden)]
pub use value::probe;

/// What a plain value is made of, where it is one kind throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Integers, of any width: bytes as they are.
    Bytes,
    /// `f32`; NaN is made canonical.
    F32,
    /// `f64`; NaN is made canonical.
    F64,
}

/// A promise that `T` is made of lanes, which lets the state hash read its bytes: every one is
/// initialised and belongs to a lane, and size and alignment are whole numbers of lanes.
///
/// Only this module makes one, for numbers and arrays of them. It is bound to its type, so that
/// no other type can borrow it.
#[derive(Debug)]
pub struct PlainLane<T: ?Sized>(Lane, PhantomData<fn(&T)>);

impl<T: ?Sized> PlainLane<T> {
    const fn new(lane: Lane) -> Self {
        Self(lane, PhantomData)
    }

    /// The kind of lane.
    pub const fn lane(&self) -> Lane {
        self.0
    }
}

/// Hash of a whole world at one moment, 128 bits. Prints as 32 hexadecimal digits.
///
/// ```
/// use orrery_ecs::World;
/// assert_eq!(World::new().state_hash(), World::new().state_hash());
/// assert_eq!(World::new().state_hash().to_string().len(), 32);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldHash(pub u128);

impl fmt::Display for WorldHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for WorldHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Kinds of node; the first byte that each feeds.
#[derive(Clone, Copy)]
pub(crate) enum Node {
    World = 1,
    Archetype = 2,
    Column = 3,
    Block = 4,
    Entities = 5,
    Resource = 6,
    EntityPage = 7,
    FreeList = 8,
    SparseSets = 9,
    Vacant = 10,
    System = 16,
}

/// Collects the canonical bytes of values, little-endian, and hashes them.
///
/// ```
/// use orrery_ecs::{Component, MapEntities, StateHash, StateHasher, World};
/// /// Degrees, of which 360 are none.
/// #[derive(Clone, Copy)]
/// struct Degrees(u32);
/// impl StateHash for Degrees {
///     fn hash_state(&self, hasher: &mut StateHasher) {
///         hasher.u32(self.0 % 360);
///     }
/// }
/// # impl MapEntities for Degrees {
/// #     const MAPS: bool = false;
/// #     fn map_entities(&mut self, _: &mut dyn FnMut(orrery_ecs::Entity) -> orrery_ecs::Entity) {}
/// # }
/// #[derive(Clone, Copy, Component)]
/// struct Heading(Degrees);
/// let hash = |degrees| {
///     let mut world = World::new();
///     world.spawn(Heading(Degrees(degrees)));
///     world.state_hash()
/// };
/// assert_eq!(hash(10), hash(370));
/// assert_ne!(hash(10), hash(20));
/// ```
#[derive(Debug, Default)]
pub struct StateHasher {
    bytes: Vec<u8>,
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        /// Adds an integer, little-endian.
        #[inline]
        pub fn $name(&mut self, value: $name) {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    )*};
}

impl StateHasher {
    pub(crate) fn node(kind: Node, count: usize) -> Self {
        let mut hasher = Self::default();
        hasher.u8(kind as u8);
        hasher.len(count);
        hasher
    }

    integers!(u8 u16 u32 u64 u128);

    /// Adds a length or index, as 64 bits on every machine.
    pub fn len(&mut self, len: usize) {
        self.u64(len as u64);
    }

    /// Adds a float; every NaN counts as the same one.
    #[inline]
    pub fn f32(&mut self, value: f32) {
        self.u32(if value.is_nan() {
            leaf::NAN_32
        } else {
            value.to_bits()
        });
    }

    /// Adds a float; every NaN counts as the same one.
    #[inline]
    pub fn f64(&mut self, value: f64) {
        self.u64(if value.is_nan() {
            leaf::NAN_64
        } else {
            value.to_bits()
        });
    }

    /// Adds bytes with their length before them.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn finish(&self) -> u128 {
        leaf::xxh3(&self.bytes)
    }
}
