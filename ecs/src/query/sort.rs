//! Rows in another order than that of the archetypes.

use std::cmp::Ordering;
use std::vec::IntoIter;

use super::{QueryData, QueryFilter, QueryIter};

/// Rows that are left, collected once and sorted by what was borrowed of them.
///
/// # Cost
/// Of all: one list of the items, and the sort.
impl<'w, D: QueryData, F: QueryFilter> QueryIter<'w, '_, D, F> {
    /// The rows that are left in the order of a comparison; equal ones keep their order.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Depth(f32);
    /// let mut world = World::new();
    /// world.spawn_batch([2.0, 3.0, 1.0].map(Depth));
    /// let mut query = world.query::<&Depth>();
    /// let sorted = query.iter(&world).sort_by(|a, b| a.0.total_cmp(&b.0));
    /// assert!(sorted.map(|depth| depth.0).eq([1.0, 2.0, 3.0]));
    /// ```
    pub fn sort_by(
        self,
        mut compare: impl FnMut(&D::Item<'w>, &D::Item<'w>) -> Ordering,
    ) -> IntoIter<D::Item<'w>> {
        let mut items: Vec<D::Item<'w>> = self.collect();
        items.sort_by(|one, other| compare(one, other));
        items.into_iter()
    }

    /// The rows that are left in the order of a key; equal ones keep their order.
    pub fn sort_by_key<K: Ord>(
        self,
        mut key: impl FnMut(&D::Item<'w>) -> K,
    ) -> IntoIter<D::Item<'w>> {
        let mut items: Vec<D::Item<'w>> = self.collect();
        items.sort_by_key(|item| key(item));
        items.into_iter()
    }

    /// As [`sort_by_key`](Self::sort_by_key), in place and faster, but equal ones come in an order
    /// that only the standard library's version decides: give each row a key of its own where the
    /// result enters the state.
    pub fn sort_unstable_by_key<K: Ord>(
        self,
        mut key: impl FnMut(&D::Item<'w>) -> K,
    ) -> IntoIter<D::Item<'w>> {
        let mut items: Vec<D::Item<'w>> = self.collect();
        items.sort_unstable_by_key(|item| key(item));
        items.into_iter()
    }
}
