//! Which events of a component somebody waits for, as bits that structural changes test.

use std::ops::BitOr;

/// A set of events. Archetypes carry the union over their components, so a change tests one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watch(u8);

impl Watch {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const ADD: Self = Self(1);
    pub(crate) const INSERT: Self = Self(1 << 1);
    pub(crate) const REMOVE: Self = Self(1 << 2);
    pub(crate) const DESPAWN: Self = Self(1 << 3);
    /// A reader of removed components.
    pub(crate) const LOG: Self = Self(1 << 4);
    /// Some entity has observers of its own, which go with it.
    pub(crate) const OWN: Self = Self(1 << 5);

    /// What matters when components come.
    pub(crate) const ARRIVAL: Self = Self(Self::ADD.0 | Self::INSERT.0);
    /// What matters when components are removed.
    pub(crate) const REMOVAL: Self = Self(Self::REMOVE.0 | Self::LOG.0);
    /// What matters when an entity is despawned.
    pub(crate) const DEPARTURE: Self = Self(Self::REMOVAL.0 | Self::DESPAWN.0 | Self::OWN.0);
    /// Who is called when an entity is despawned, and must see its values.
    pub(crate) const FAREWELL: Self = Self(Self::REMOVE.0 | Self::DESPAWN.0);

    #[inline]
    pub(crate) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Watch {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
