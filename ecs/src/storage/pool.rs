//! Block memory: recycled, 64-byte aligned, on huge pages.
//!
//! Blocks come from slabs. The first slab of a pool is small, so that a world of ten entities
//! costs little; later ones are 2 MiB on huge pages, since the first touch of a 4 KiB page costs
//! 2.5 us and a recycled block nothing. A block that comes back goes to the free list of its size
//! class and is handed out last in, first out.
//!
//! Size classes are powers of two and the three quarter steps between them, from 64 bytes up, so
//! at most a fifth of a block is lost and blocks of 12-, 16-, 20-, 24-, 28- and 32-byte
//! components fit exactly.
//!
//! Slab memory starts zeroed. A recycled block keeps its old bytes: rows beyond a column's
//! length are never read as values.
//!
//! A slab goes back to the system only when it is asked for (`release`), and all its blocks are
//! free. Left out on purpose: thread-local caches. A pool belongs to one world and its forks, and
//! is asked once for 4,096 rows.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};

use super::BLOCK_ALIGN;
use super::lock::lock;
use super::slab::{HUGE_PAGE, Slab, allocate, free};

/// Slab sizes of a young pool; from then on one huge page each.
const FIRST_SLABS: [usize; 3] = [64 << 10, 256 << 10, 1 << 20];

/// Larger blocks get memory of their own: carving them from a slab would waste up to half of it.
const LARGEST_CARVED: usize = HUGE_PAGE / 2;

/// Size classes: 4 for each doubling from 64 bytes to 2^47.
const CLASSES: usize = (47 - 6) * 4 + 1;

/// Memory of one block. Goes back to the pool by `Pool::give_back`, not by drop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) data: NonNull<u8>,
    /// Usable bytes, at least what was asked for.
    pub(crate) size_bytes: usize,
    origin: Origin,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    /// No bytes at all: blocks of zero-sized components.
    Nothing,
    /// Carved from a slab.
    Class(u8),
    /// An allocation of its own.
    Own(Layout),
}

/// What a pool holds, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolUsage {
    /// Taken from the operating system.
    pub reserved_bytes: usize,
    /// In blocks that columns hold now.
    pub used_bytes: usize,
}

#[derive(Default)]
struct Inner {
    free: Vec<Vec<NonNull<u8>>>,
    /// Freed with the pool, when every block is back: a block holds its pool alive.
    slabs: Vec<Slab>,
    /// Rest of the newest slab: next free byte and how many are left.
    rest: Option<(NonNull<u8>, usize)>,
    usage: PoolUsage,
}

/// The block memory of a world and of all its forks.
pub(crate) struct Pool(Mutex<Inner>);

// SAFETY: the pointers in `Inner` are owned by the pool and only touched under its mutex.
unsafe impl Send for Pool {}
// SAFETY: as above, every access goes through the mutex.
unsafe impl Sync for Pool {}

/// Class whose size is the smallest that holds `size_bytes`.
fn class_of(size_bytes: usize) -> usize {
    let size = size_bytes.max(BLOCK_ALIGN);
    // Quarter steps below 256 bytes would not be multiples of a cache line.
    let size = if size < 256 {
        size.next_multiple_of(64)
    } else {
        size
    };
    let log = (size - 1).checked_ilog2().unwrap_or(0).max(6) as usize;
    let base = 1_usize << log;
    if size <= base {
        return (log - 6) * 4;
    }
    (log - 6) * 4 + (size - base).div_ceil(base / 4)
}

fn class_size(class: usize) -> usize {
    let base = 1_usize << (class / 4 + 6);
    base + (class % 4) * (base / 4)
}

impl Pool {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Inner {
            free: vec![Vec::new(); CLASSES],
            ..Inner::default()
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing inside the critical sections runs user code, so a poisoned pool is whole.
        lock(&self.0)
    }

    /// Memory of at least `size_bytes`, aligned to `align` and to 64 bytes.
    ///
    /// # Panics
    /// When the size overflows the address space.
    pub(crate) fn take(&self, size_bytes: usize, align: usize) -> Memory {
        if size_bytes == 0 {
            let data = NonNull::without_provenance(
                align
                    .max(BLOCK_ALIGN)
                    .try_into()
                    .expect("an alignment is not zero"),
            );
            return Memory {
                data,
                size_bytes: 0,
                origin: Origin::Nothing,
            };
        }
        assert!(
            size_bytes <= 1 << 46,
            "a block of {size_bytes} bytes does not fit in memory"
        );
        // Over-aligned blocks and large ones are rare; under AddressSanitizer every block is an
        // allocation of its own, so that it sees a use after free.
        let class = class_of(size_bytes);
        let padded = class_size(class);
        let mut inner = self.lock();
        inner.usage.used_bytes += padded;
        if align > BLOCK_ALIGN || padded > LARGEST_CARVED || cfg!(orrery_asan) {
            let align = if padded >= HUGE_PAGE {
                align.max(HUGE_PAGE)
            } else {
                align
            };
            return self.take_own(&mut inner, padded, align.max(BLOCK_ALIGN), class);
        }
        let data = match inner.free[class].pop() {
            Some(data) => data,
            None => inner.carve(padded),
        };
        Memory {
            data,
            size_bytes: padded,
            origin: Origin::Class(class as u8),
        }
    }

    fn take_own(&self, inner: &mut Inner, size: usize, align: usize, class: usize) -> Memory {
        let layout = Layout::from_size_align(size, align).expect("size was bounded by the caller");
        let pooled = align <= HUGE_PAGE && size >= HUGE_PAGE && !cfg!(orrery_asan);
        if pooled && let Some(data) = inner.free[class].pop() {
            return Memory {
                data,
                size_bytes: size,
                origin: Origin::Class(class as u8),
            };
        }
        inner.usage.reserved_bytes += size;
        if pooled {
            let slab = Slab::new(layout);
            let data = slab.data();
            inner.slabs.push(slab);
            return Memory {
                data,
                size_bytes: size,
                origin: Origin::Class(class as u8),
            };
        }
        Memory {
            data: allocate(layout),
            size_bytes: size,
            origin: Origin::Own(layout),
        }
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// - `memory` came from `take` of this pool and is given back once;
    /// - nobody reads or writes it afterwards.
    pub(crate) unsafe fn give_back(&self, memory: Memory) {
        let mut inner = self.lock();
        inner.usage.used_bytes -= memory.size_bytes;
        match memory.origin {
            Origin::Nothing => {}
            Origin::Class(class) => inner.free[class as usize].push(memory.data),
            Origin::Own(layout) => {
                inner.usage.reserved_bytes -= layout.size();
                // SAFETY: `allocate(layout)` made it in `take_own`; the caller gives it back once.
                unsafe { free(memory.data, layout) };
            }
        }
    }

    /// Gives slabs whose blocks are all free back to the system, at most so many, and says how
    /// many bytes they had and whether there are more.
    ///
    /// # Cost
    /// Looks at every free block.
    pub(crate) fn release(&self, slabs_max: usize) -> (usize, bool) {
        let mut inner = self.lock();
        let mut bytes = 0;
        let empty = inner.empty_slabs();
        for &start in empty.iter().take(slabs_max) {
            bytes += inner.release_slab(start);
        }
        (bytes, empty.len() > slabs_max)
    }

    pub(crate) fn usage(&self) -> PoolUsage {
        self.lock().usage
    }
}

impl Inner {
    fn carve(&mut self, size: usize) -> NonNull<u8> {
        let (start, left) = match self.rest.take() {
            Some((start, left)) if left >= size => (start, left),
            rest => {
                self.keep_rest(rest);
                self.new_slab(size)
            }
        };
        if left > size {
            // SAFETY: `left > size`, so the address is inside the slab that `start` points into.
            self.rest = Some((unsafe { start.add(size) }, left - size));
        }
        start
    }

    /// Puts what is left of a slab into the free lists, largest pieces first.
    fn keep_rest(&mut self, rest: Option<(NonNull<u8>, usize)>) {
        let Some((mut start, mut left)) = rest else {
            return;
        };
        while left >= BLOCK_ALIGN {
            let mut class = class_of(left);
            if class_size(class) > left {
                class -= 1;
            }
            while !class_size(class).is_multiple_of(BLOCK_ALIGN) {
                class -= 1;
            }
            self.free[class].push(start);
            left -= class_size(class);
            // SAFETY: the piece just kept lay inside what was left.
            start = unsafe { start.add(class_size(class)) };
        }
    }

    fn new_slab(&mut self, size: usize) -> (NonNull<u8>, usize) {
        let planned = FIRST_SLABS
            .get(self.slabs.len())
            .copied()
            .unwrap_or(HUGE_PAGE);
        let slab = if planned >= size { planned } else { HUGE_PAGE };
        let align = if slab == HUGE_PAGE { HUGE_PAGE } else { 4096 };
        let layout = Layout::from_size_align(slab, align).expect("slab sizes are constants");
        let slab = Slab::new(layout);
        let (data, size_bytes) = (slab.data(), slab.size_bytes());
        self.usage.reserved_bytes += size_bytes;
        self.slabs.push(slab);
        (data, size_bytes)
    }
}

/// Slabs by address, for finding out which one a block was carved from.
struct Range {
    start: usize,
    end: usize,
    free: usize,
}

impl Inner {
    /// Starts of the slabs of which nothing is in use, in order of address.
    fn empty_slabs(&self) -> Vec<usize> {
        let mut ranges: Vec<Range> = self.slabs.iter().map(slab_range).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        let mut add = |address: usize, bytes: usize| {
            let after = ranges.partition_point(|range| range.start <= address);
            let range = &mut ranges[after - 1];
            debug_assert!(address < range.end, "every block lies in a slab");
            range.free += bytes;
        };
        for (class, blocks) in self.free.iter().enumerate() {
            blocks
                .iter()
                .for_each(|block| add(block.addr().get(), class_size(class)));
        }
        if let Some((start, left)) = self.rest {
            add(start.addr().get(), left);
        }
        let empty = ranges
            .iter()
            .filter(|range| range.free == range.end - range.start);
        empty.map(|range| range.start).collect()
    }

    /// Gives a slab of which nothing is in use back to the system.
    fn release_slab(&mut self, start: usize) -> usize {
        let found = self
            .slabs
            .iter()
            .position(|slab| slab_range(slab).start == start);
        let Some(index) = found else {
            return 0;
        };
        let range = slab_range(&self.slabs[index]);
        let inside = |block: &NonNull<u8>| (range.start..range.end).contains(&block.addr().get());
        for blocks in &mut self.free {
            blocks.retain(|block| !inside(block));
        }
        self.rest = self.rest.filter(|(start, _)| !inside(start));
        self.usage.reserved_bytes -= range.end - range.start;
        self.slabs.remove(index);
        range.end - range.start
    }
}

fn slab_range(slab: &Slab) -> Range {
    let start = slab.data().addr().get();
    Range {
        start,
        end: start + slab.size_bytes(),
        free: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slab_goes_back_when_all_its_blocks_are_free() {
        let pool = Pool::new();
        let taken: Vec<Memory> = (0..2_000)
            .map(|i| pool.take(4_000 + i % 50_000, 8))
            .collect();
        let large = pool.take(5 << 20, 8);
        let reserved = pool.usage().reserved_bytes;
        assert_eq!(pool.release(usize::MAX), (0, false), "everything is in use");
        let (kept, given) = taken.split_at(1);
        for &memory in given {
            // SAFETY: each was taken once above, and is not used afterwards.
            unsafe { pool.give_back(memory) };
        }
        // Under AddressSanitizer every block is an allocation of its own, and went back at once.
        if !cfg!(orrery_asan) {
            let (bytes, more) = pool.release(2);
            assert!(bytes > 0 && more);
            let (rest, more) = pool.release(usize::MAX);
            assert!(!more && bytes + rest < reserved);
            assert_eq!(pool.usage().reserved_bytes, reserved - bytes - rest);
        }
        let again = pool.take(4_000, 8);
        for memory in [kept[0], large, again] {
            // SAFETY: as above.
            unsafe { pool.give_back(memory) };
        }
        pool.release(usize::MAX);
        assert_eq!(pool.usage(), PoolUsage::default());
    }

    #[test]
    fn every_class_holds_what_it_was_chosen_for_and_wastes_little() {
        for size in (1..70_000).chain([96 << 10, 100 * 4096, (1 << 20) + 1, 5 << 20]) {
            let got = class_size(class_of(size));
            assert!(
                got >= size && got.is_multiple_of(BLOCK_ALIGN),
                "{size} got {got}"
            );
            assert!(size < 512 || got <= size + size / 4, "{size} got {got}");
        }
        for row in [4_usize, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64] {
            assert_eq!(class_size(class_of(row * 4096)), row * 4096);
        }
    }

    #[test]
    fn a_block_that_came_back_is_handed_out_again() {
        let pool = Pool::new();
        let a = pool.take(48 << 10, 4);
        let before = pool.usage();
        // SAFETY: taken above, not used afterwards.
        unsafe { pool.give_back(a) };
        let b = pool.take(48 << 10, 4);
        assert_eq!(pool.usage(), before);
        if !cfg!(orrery_asan) {
            assert_eq!(a.data, b.data);
        }
        // SAFETY: taken above, not used afterwards.
        unsafe { pool.give_back(b) };
        assert_eq!(pool.usage().used_bytes, 0);
    }

    #[test]
    fn blocks_are_aligned_zeroed_and_apart() {
        let pool = Pool::new();
        let mut taken: Vec<Memory> = Vec::new();
        for round in 0..400_usize {
            let size = 1 + (round * 7919) % 300_000;
            let align = [1, 64, 128, 4096][round % 4];
            let memory = pool.take(size, align);
            let start = memory.data.as_ptr() as usize;
            assert!(start.is_multiple_of(align.max(BLOCK_ALIGN)));
            for other in &taken {
                let theirs = other.data.as_ptr() as usize;
                assert!(start + memory.size_bytes <= theirs || theirs + other.size_bytes <= start);
            }
            // SAFETY: the block has `size` bytes and is initialised by the pool.
            let bytes = unsafe { std::slice::from_raw_parts_mut(memory.data.as_ptr(), size) };
            assert!(bytes.iter().all(|&byte| byte == 0));
            taken.push(memory);
        }
        for memory in taken {
            // SAFETY: each was taken once above.
            unsafe { pool.give_back(memory) };
        }
        assert_eq!(pool.usage().used_bytes, 0);
    }

    #[test]
    fn a_block_beyond_a_huge_page_works_and_is_recycled() {
        let pool = Pool::new();
        let a = pool.take(5 << 20, 8);
        // SAFETY: the last byte lies inside the block.
        let last = unsafe { a.data.add((5 << 20) - 1) };
        // SAFETY: as above.
        unsafe { last.write(1) };
        // SAFETY: taken above, not used afterwards.
        unsafe { pool.give_back(a) };
        let reserved = pool.usage().reserved_bytes;
        let b = pool.take(5 << 20, 8);
        if !cfg!(orrery_asan) {
            assert_eq!(pool.usage().reserved_bytes, reserved);
        }
        // SAFETY: taken above, not used afterwards.
        unsafe { pool.give_back(b) };
    }
}
