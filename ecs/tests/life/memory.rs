//! How much memory a thread holds: an allocator that counts, for all tests of this program.
//!
//! Tests run beside each other, so bytes are counted by the thread that takes and returns them; a
//! test that does all of its work on its own thread sees exactly its own.

#![expect(
    unsafe_code,
    reason = "an allocator that counts cannot be had otherwise"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // A thread that ends frees memory after its locals have gone; nobody asks it any more.
    let _ = HELD.try_with(|held| held.set(held.get() + bytes));
}

// SAFETY: everything is passed on to the system's allocator as it is; counting neither allocates
// nor panics, for the local has a constant start and no drop.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: passed on from the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: passed on from the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: passed on from the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: passed on from the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that this thread has taken and not returned.
pub(super) fn held_bytes() -> i64 {
    HELD.with(Cell::get)
}

/// Resident memory of the process, if the system tells: what blocks take is mapped, and passes the
/// allocator by.
pub(super) fn resident_bytes() -> Option<u64> {
    // In pages, of 4 KiB on the machines that we build on.
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[test]
fn memory_is_counted_until_it_is_returned() {
    let before = held_bytes();
    let mut list = vec![0_u64; 1000];
    assert_eq!(held_bytes() - before, 8000);
    list.reserve_exact(1000);
    assert_eq!(held_bytes() - before, 16_000);
    drop(list);
    assert_eq!(held_bytes(), before);
}
