//! Sharing a mutable slice out by chunks: the safe face of the pool.

use std::marker::PhantomData;
use std::slice;

use super::Workers;

/// A mutable slice that several threads take disjoint chunks of.
struct SharedSlice<'a, T> {
    start: *mut T,
    len: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: a shared reference gives access only through `chunk`, whose caller guarantees that no
// chunk is taken twice; so this sends `&mut T` to other threads, which `T: Send` allows.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    fn new(slice: &'a mut [T]) -> Self {
        Self {
            start: slice.as_mut_ptr(),
            len: slice.len(),
            owner: PhantomData,
        }
    }

    /// Returns the elements of chunk `index`, shorter at the end of the slice.
    ///
    /// # Safety
    /// - `index * chunk_len` is below the length of the slice.
    /// - No chunk is taken twice, and `chunk_len` is the same in every call.
    unsafe fn chunk(&self, index: usize, chunk_len: usize) -> &'a mut [T] {
        let offset = index * chunk_len;
        debug_assert!(
            offset < self.len,
            "chunk {index} of {chunk_len} is behind {}",
            self.len
        );
        let len = chunk_len.min(self.len - offset);
        // SAFETY: the caller guarantees that `offset` lies inside the slice this was made from.
        let start = unsafe { self.start.add(offset) };
        // SAFETY: `offset + len <= self.len`, so these are initialised elements of that slice,
        // which is borrowed mutably for 'a; the caller guarantees that no other call returns any
        // of them.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }
}

impl Workers {
    /// Cuts `slice` into chunks of `chunk_len` elements (the last may be shorter) and runs
    /// `body(chunk index, chunk)` once for each, on the caller and the workers.
    ///
    /// # Panics
    /// If `chunk_len` is 0, and as [`Workers::for_each`].
    ///
    /// # Cost
    /// That of [`Workers::for_each`]; nothing is allocated.
    pub fn chunks_mut<T: Send>(
        &self,
        slice: &mut [T],
        chunk_len: usize,
        body: &(dyn Fn(usize, &mut [T]) + Sync),
    ) {
        assert!(
            chunk_len > 0,
            "a slice cannot be cut into chunks of 0 elements"
        );
        let chunk_count = slice.len().div_ceil(chunk_len);
        let shared = SharedSlice::new(slice);
        self.for_each(chunk_count, &|index| {
            // SAFETY: `for_each` passes every index below `chunk_count` exactly once, so the offset
            // is inside the slice and no chunk is taken twice; `chunk_len` does not change.
            let chunk = unsafe { shared.chunk(index, chunk_len) };
            body(index, chunk);
        });
    }
}
