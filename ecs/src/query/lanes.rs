//! Slices of plain components read as their lanes.

use bytemuck::Pod;

/// A slice of plain components as one flat slice of lanes.
///
/// For work that treats every field alike this is as fast as a column for each field.
///
/// ```
/// use bytemuck::{Pod, Zeroable};
/// use orrery_ecs::{Component, Lanes, World};
/// #[derive(Clone, Copy, Component, Pod, Zeroable)]
/// #[repr(C)]
/// struct Position {
///     x: f32,
///     y: f32,
///     z: f32,
/// }
/// let mut world = World::new();
/// world.spawn_batch((0..5).map(|_| Position { x: 1.0, y: 2.0, z: 3.0 }));
/// world.query::<&mut Position>().view_mut(&mut world).for_each_chunk(|positions| {
///     let lanes: &mut [f32] = positions.lanes_mut();
///     assert_eq!(lanes.len(), 15);
///     lanes.iter_mut().for_each(|lane| *lane *= 2.0);
/// });
/// ```
pub trait Lanes {
    /// The same memory as lanes.
    ///
    /// # Panics
    /// When a component is not a whole number of lanes, or less aligned than one.
    fn lanes<L: Pod>(&self) -> &[L];

    /// The same memory as lanes, for writing.
    ///
    /// # Panics
    /// When a component is not a whole number of lanes, or less aligned than one.
    fn lanes_mut<L: Pod>(&mut self) -> &mut [L];
}

impl<T: Pod> Lanes for [T] {
    #[inline]
    fn lanes<L: Pod>(&self) -> &[L] {
        bytemuck::cast_slice(self)
    }

    #[inline]
    fn lanes_mut<L: Pod>(&mut self) -> &mut [L] {
        bytemuck::cast_slice_mut(self)
    }
}
