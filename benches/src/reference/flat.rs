//! A flat array of `f32` on huge pages, without unsafe.
//!
//! `Vec` would do but for its pages: the first touch of each 4 KiB costs microseconds, and the
//! walk of 12 MB then misses the TLB 3,000 times where huge pages miss it 6 times.

use std::fmt;

use memmap2::{Advice, MmapMut};

const HUGE_PAGE: usize = 2 << 20;

/// Lanes in one piece, aligned to a huge page.
pub struct Flat {
    map: MmapMut,
    /// Bytes of the map before the first lane.
    start: usize,
    len: usize,
}

impl Flat {
    /// An array of `len` lanes, each made from its index.
    ///
    /// # Panics
    /// When the system gives no memory.
    #[must_use]
    pub fn from_fn(len: usize, lane: impl FnMut(usize) -> f32) -> Self {
        let size_bytes = (len * size_of::<f32>())
            .next_multiple_of(HUGE_PAGE)
            .max(HUGE_PAGE);
        let map = MmapMut::map_anon(size_bytes + HUGE_PAGE)
            .unwrap_or_else(|error| panic!("no {size_bytes} bytes for a reference: {error}"));
        // A hint: where the kernel refuses, pages stay small and the figures say so.
        let _ = map.advise(Advice::HugePage);
        let start = map.as_ptr().align_offset(HUGE_PAGE);
        let mut flat = Self { map, start, len };
        let mut indices = 0..len;
        let lanes = flat.lanes_mut();
        indices
            .by_ref()
            .map(lane)
            .zip(lanes)
            .for_each(|(value, lane)| *lane = value);
        flat
    }

    /// The lanes.
    #[must_use]
    pub fn lanes(&self) -> &[f32] {
        let end = self.start + self.len * size_of::<f32>();
        bytemuck::cast_slice(&self.map[self.start..end])
    }

    /// The lanes, for writing.
    pub fn lanes_mut(&mut self) -> &mut [f32] {
        let end = self.start + self.len * size_of::<f32>();
        bytemuck::cast_slice_mut(&mut self.map[self.start..end])
    }
}

impl fmt::Debug for Flat {
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
            let mut flat = Flat::from_fn(len, |index| index as f32);
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
