//! Memory from the operating system, on huge pages where it is large enough.
//!
//! Large slabs are mapped, not allocated: the allocator would zero memory that asks for a large
//! alignment, and so touch every small page before the kernel hears of huge ones. Measured: a
//! world of 237 MiB had no huge page that way and has 208 MiB of them this way, which makes a
//! walk over a million entities a fifth faster.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Size and alignment of a huge page.
pub(super) const HUGE_PAGE: usize = 2 << 20;

/// Zeroed memory that is given back when it is dropped.
pub(super) struct Slab {
    data: NonNull<u8>,
    layout: Layout,
    mapped: bool,
}

// SAFETY: a slab owns its memory and gives out nothing but its address.
unsafe impl Send for Slab {}

impl Slab {
    /// # Panics
    /// When the layout has no size.
    pub(super) fn new(layout: Layout) -> Self {
        // AddressSanitizer sees only what its allocator hands out.
        let large = layout.size() >= HUGE_PAGE && layout.align() == HUGE_PAGE;
        if large
            && !cfg!(orrery_asan)
            && let Some(data) = map_huge(layout.size())
        {
            return Self {
                data,
                layout,
                mapped: true,
            };
        }
        Self {
            data: allocate(layout),
            layout,
            mapped: false,
        }
    }

    pub(super) fn data(&self) -> NonNull<u8> {
        self.data
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        if self.mapped {
            // SAFETY: `map_huge` mapped this range, and its owner has no block left in it.
            unsafe { unmap(self.data, self.layout.size()) };
        } else {
            // SAFETY: `allocate(self.layout)` made it; its owner has no block left in it.
            unsafe { free(self.data, self.layout) };
        }
    }
}

/// Zeroed memory from the allocator.
///
/// # Panics
/// When the layout has no size.
pub(super) fn allocate(layout: Layout) -> NonNull<u8> {
    assert!(
        layout.size() > 0,
        "blocks without bytes never ask for memory"
    );
    // SAFETY: the layout has a size, as asserted.
    let data = unsafe { alloc_zeroed(layout) };
    NonNull::new(data).unwrap_or_else(|| handle_alloc_error(layout))
}

/// # Safety
/// `allocate(layout)` gave the memory, and nobody uses it afterwards.
pub(super) unsafe fn free(data: NonNull<u8>, layout: Layout) {
    // SAFETY: guaranteed by the caller.
    unsafe { dealloc(data.as_ptr(), layout) };
}

/// A fresh mapping of `size` bytes, aligned to a huge page; `None` where the system has none.
#[cfg(target_os = "linux")]
fn map_huge(size: usize) -> Option<NonNull<u8>> {
    // One huge page more, so that an aligned range of the wanted size lies inside.
    let whole = size.checked_add(HUGE_PAGE)?;
    let (protection, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a new anonymous mapping, where the kernel likes; it overlaps nothing of ours.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), whole, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let start = NonNull::new(start.cast::<u8>())?;
    let before = start.as_ptr().align_offset(HUGE_PAGE);
    // SAFETY: `before < HUGE_PAGE`, so the address is inside the mapping.
    let data = unsafe { start.add(before) };
    if before > 0 {
        // SAFETY: the part of our mapping before the aligned range, which nobody uses.
        unsafe { unmap(start, before) };
    }
    let after = HUGE_PAGE - before;
    // SAFETY: `before + size + after` is the whole mapping.
    let end = unsafe { data.add(size) };
    if after > 0 {
        // SAFETY: the part of our mapping behind the aligned range, which nobody uses.
        unsafe { unmap(end, after) };
    }
    // SAFETY: the range is ours and page aligned; a hint that changes no contents. Where the
    // kernel refuses, pages stay small and nothing else changes.
    unsafe { libc::madvise(data.as_ptr().cast(), size, libc::MADV_HUGEPAGE) };
    Some(data)
}

/// # Safety
/// The range was mapped by `map_huge` and is not used afterwards.
#[cfg(target_os = "linux")]
unsafe fn unmap(data: NonNull<u8>, size: usize) {
    // SAFETY: guaranteed by the caller. It cannot fail for a range of our own.
    unsafe { libc::munmap(data.as_ptr().cast(), size) };
}

#[cfg(not(target_os = "linux"))]
fn map_huge(_: usize) -> Option<NonNull<u8>> {
    None
}

/// # Safety
/// Never called: `map_huge` maps nothing here.
#[cfg(not(target_os = "linux"))]
unsafe fn unmap(_: NonNull<u8>, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_are_aligned_zeroed_and_writable_to_the_last_byte() {
        for (size, align) in [
            (64 << 10, 4096),
            (HUGE_PAGE, HUGE_PAGE),
            (5 << 20, HUGE_PAGE),
        ] {
            let layout = Layout::from_size_align(size, align).expect("a valid layout");
            let slabs: Vec<Slab> = (0..3).map(|_| Slab::new(layout)).collect();
            for slab in &slabs {
                assert!((slab.data().as_ptr() as usize).is_multiple_of(align));
                // SAFETY: the slab has `size` zeroed bytes, and nobody else uses them.
                let bytes = unsafe { std::slice::from_raw_parts_mut(slab.data().as_ptr(), size) };
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(7);
            }
        }
    }
}
