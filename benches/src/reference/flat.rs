//! A flat array on huge pages, without unsafe.
//!
//! `Vec` would do but for its pages: the first touch of each 4 KiB costs microseconds, and the
//! walk of 12 MB then misses the TLB 3,000 times where huge pages miss it 6 times.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::Pod;
use memmap2::{Advice, MmapMut};

const HUGE_PAGE: usize = 2 << 20;

/// Plain values in one piece, aligned to a huge page; lanes where nothing else is said.
pub struct Flat<T = f32> {
    map: MmapMut,
    /// Bytes of the map before the first value.
    start: usize,
    len: usize,
    values: PhantomData<T>,
}

impl<T: Pod> Flat<T> {
    /// An array of zeros, whose pages nobody has touched.
    ///
    /// # Panics
    /// When the system gives no memory.
    #[must_use]
    pub fn zeroed(len: usize) -> Self {
        let size_bytes = (len * size_of::<T>())
            .next_multiple_of(HUGE_PAGE)
            .max(HUGE_PAGE);
        let map = MmapMut::map_anon(size_bytes + HUGE_PAGE)
            .unwrap_or_else(|error| panic!("no {size_bytes} bytes for a reference: {error}"));
        // A hint: where the kernel refuses, pages stay small and the figures say so.
        let _ = map.advise(Advice::HugePage);
        Self {
            start: map.as_ptr().align_offset(HUGE_PAGE),
            map,
            len,
            values: PhantomData,
        }
    }

    /// An array of `len` values, each made from its index.
    ///
    /// # Panics
    /// When the system gives no memory.
    #[must_use]
    pub fn from_fn(len: usize, mut value: impl FnMut(usize) -> T) -> Self {
        let mut flat = Self::zeroed(len);
        for (index, place) in flat.values_mut().iter_mut().enumerate() {
            *place = value(index);
        }
        flat
    }

    /// The values.
    #[must_use]
    #[inline]
    pub fn values(&self) -> &[T] {
        let end = self.start + self.len * size_of::<T>();
        bytemuck::cast_slice(&self.map[self.start..end])
    }

    /// The values, for writing.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [T] {
        let end = self.start + self.len * size_of::<T>();
        bytemuck::cast_slice_mut(&mut self.map[self.start..end])
    }

    /// The values as lanes.
    ///
    /// # Panics
    /// When they are not made of lanes of four bytes.
    #[must_use]
    #[inline]
    pub fn lanes(&self) -> &[f32] {
        bytemuck::cast_slice(self.values())
    }

    /// The values as lanes, for writing.
    ///
    /// # Panics
    /// When they are not made of lanes of four bytes.
    #[inline]
    pub fn lanes_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(self.values_mut())
    }
}

impl<T> fmt::Debug for Flat<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flat")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_start_at_a_huge_page_and_hold_what_was_given() {
        for len in [0, 1, 7, 4096, HUGE_PAGE / 4 + 1] {
            let mut flat: Flat = Flat::from_fn(len, |index| index as f32);
            assert_eq!(flat.lanes().len(), len);
            assert!(flat.lanes().as_ptr().addr().is_multiple_of(HUGE_PAGE));
            flat.lanes_mut().iter_mut().for_each(|lane| *lane += 1.0);
            assert!(
                flat.lanes()
                    .iter()
                    .enumerate()
                    .all(|(i, &lane)| lane == i as f32 + 1.0)
            );
        }
    }
}
