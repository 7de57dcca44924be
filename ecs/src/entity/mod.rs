//! Entities: 8-byte handles that are never reused.

mod free;
mod lane;
mod mapping;
mod page;
mod table;

use std::fmt;
use std::num::NonZeroU32;

pub(crate) use lane::Lane;
#[doc(hidden)]
pub use mapping::map_probe;
pub use mapping::{EntityMap, MapEntities};
pub(crate) use table::{EntityTable, Location, Place};

/// A handle of one entity: an index and the generation of its use.
///
/// Handles order by index, then generation, which is not the order in which they were spawned: an
/// index that comes back stands before older entities. Where that order matters, a component with a
/// number of its own keeps it. A despawned handle never becomes valid again: an
/// index comes back with a higher generation, and one whose 2^32 - 1 generations are used up is
/// retired. Which handle a spawn gives is a function of the operations before it.
///
/// ```
/// use orrery_ecs::Entity;
/// assert_eq!(size_of::<Entity>(), 8);
/// assert_eq!(size_of::<Option<Entity>>(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)]
pub struct Entity {
    index: u32,
    generation: NonZeroU32,
}

const _: () = assert!(size_of::<Entity>() == 8);
const _: () = assert!(size_of::<Option<Entity>>() == 8);

impl Entity {
    /// A handle of no entity in any world: its index is never given out.
    ///
    /// ```
    /// use orrery_ecs::{Entity, World};
    /// assert!(!World::new().contains(Entity::NONE));
    /// ```
    pub const NONE: Self = Self {
        index: u32::MAX,
        generation: NonZeroU32::MIN,
    };

    /// Position in the world's entity table.
    pub fn index(self) -> u32 {
        self.index
    }

    /// How often the index has been used, from 1.
    pub fn generation(self) -> u32 {
        self.generation.get()
    }

    /// Index in the low half, generation in the high one; for files and logs.
    pub fn to_bits(self) -> u64 {
        u64::from(self.index) | u64::from(self.generation.get()) << 32
    }

    /// The handle that `to_bits` gave; `None` where the generation is zero.
    ///
    /// ```
    /// use orrery_ecs::{Entity, World};
    /// let entity = World::new().spawn(()).id();
    /// assert_eq!(Entity::from_bits(entity.to_bits()), Some(entity));
    /// assert_eq!(Entity::from_bits(7), None);
    /// ```
    pub fn from_bits(bits: u64) -> Option<Self> {
        let generation = NonZeroU32::new((bits >> 32) as u32)?;
        Some(Self {
            index: bits as u32,
            generation,
        })
    }
}

impl fmt::Debug for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation)
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
