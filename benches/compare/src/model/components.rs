//! The components of the model test, and the ledger that counts their drops.

use std::cell::RefCell;

/// Numbers of the components in rows and masks.
pub(crate) const NUM: usize = 0;
pub(crate) const POS: usize = 1;
pub(crate) const NAMED: usize = 2;
pub(crate) const SPIRIT: usize = 3;
pub(crate) const WIDE: usize = 4;
pub(crate) const RARE: usize = 5;
/// Number of components.
pub(crate) const KINDS: usize = 6;

/// The components of an entity, each as the number it was made from.
pub(crate) type Row = [Option<u32>; KINDS];

/// Plain data.
#[derive(Clone, Copy, Debug, orrery_ecs::Component, bevy_ecs::component::Component)]
pub(crate) struct Num(pub(crate) u32);

/// Plain data of several lanes.
#[derive(Clone, Copy, Debug, orrery_ecs::Component, bevy_ecs::component::Component)]
pub(crate) struct Pos {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
}

/// Data that must be dropped, each value with a number of its own in the ledger.
#[derive(Debug, orrery_ecs::Component, bevy_ecs::component::Component)]
pub(crate) struct Named {
    id: usize,
    pub(crate) text: String,
}

/// Without size, but with a drop.
#[derive(Debug, orrery_ecs::Component, bevy_ecs::component::Component)]
pub(crate) struct Spirit(());

/// Over-aligned.
#[derive(Clone, Copy, Debug, orrery_ecs::Component, bevy_ecs::component::Component)]
#[repr(align(64))]
pub(crate) struct Wide(pub(crate) [u32; 24]);

/// Stored apart from archetypes where an engine can do that; counted among the named.
#[derive(Clone, Debug, orrery_ecs::Component)]
#[component(sparse, not_state)]
pub(crate) struct Rare(pub(crate) Named);

// By hand, for the derives of both engines would read one attribute.
impl bevy_ecs::component::Component for Rare {
    const STORAGE_TYPE: bevy_ecs::component::StorageType =
        bevy_ecs::component::StorageType::SparseSet;
    type Mutability = bevy_ecs::component::Mutable;
}

/// What became of the values made on this thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alive {
    pub(crate) named: i64,
    pub(crate) spirits: i64,
    /// Values that were dropped again.
    pub(crate) dropped_twice: i64,
}

#[derive(Default)]
struct Ledger {
    alive: Alive,
    /// Whether a value of a number was dropped.
    dropped: Vec<bool>,
}

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
}

/// The counts of this thread.
pub(crate) fn alive() -> Alive {
    LEDGER.with_borrow(|ledger| ledger.alive)
}

impl Named {
    pub(crate) fn new(value: u32) -> Self {
        let id = LEDGER.with_borrow_mut(|ledger| {
            ledger.alive.named += 1;
            ledger.dropped.push(false);
            ledger.dropped.len() - 1
        });
        Self {
            id,
            text: value.to_string(),
        }
    }

    /// Another value under the same number, as a second copy of the bytes would be.
    #[cfg(test)]
    pub(crate) fn same_number(&self) -> Self {
        Self {
            id: self.id,
            text: String::new(),
        }
    }

    pub(crate) fn value(&self) -> u32 {
        self.text.parse().expect("a number was written into it")
    }
}

impl Clone for Named {
    fn clone(&self) -> Self {
        Self::new(self.value())
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        LEDGER.with_borrow_mut(|ledger| {
            ledger.alive.named -= 1;
            let again = std::mem::replace(&mut ledger.dropped[self.id], true);
            ledger.alive.dropped_twice += i64::from(again);
        });
    }
}

impl Spirit {
    pub(crate) fn new() -> Self {
        LEDGER.with_borrow_mut(|ledger| ledger.alive.spirits += 1);
        Self(())
    }
}

impl Clone for Spirit {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl Drop for Spirit {
    fn drop(&mut self) {
        LEDGER.with_borrow_mut(|ledger| ledger.alive.spirits -= 1);
    }
}
