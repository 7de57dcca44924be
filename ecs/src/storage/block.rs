//! One block: up to 4,096 rows of one component, counted by reference.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::lock::lock;
use super::pool::{Memory, Pool};
use super::shared::Shared;

/// Memory of a block together with the pool it goes back to.
///
/// Dropping it gives the bytes back; the values in it are the column's business.
pub(crate) struct BlockMemory {
    memory: Memory,
    pool: Arc<Pool>,
    digest: Mutex<Option<(u32, u128)>>,
    digest_valid: AtomicBool,
}

impl BlockMemory {
    pub(crate) fn new(pool: &Arc<Pool>, size_bytes: usize, align: usize) -> Shared<Self> {
        Shared::new(Self {
            memory: pool.take(size_bytes, align),
            pool: Arc::clone(pool),
            digest: Mutex::new(None),
            digest_valid: AtomicBool::new(false),
        })
    }

    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.memory.data
    }

    /// Forgets the hash of the contents; whoever writes to the block calls this first.
    #[inline]
    pub(crate) fn touch(&self) {
        // Relaxed is enough: writing needs exclusive access to the block, hashing a shared borrow
        // of the world, and what hands one over to the other orders them.
        self.digest_valid.store(false, Ordering::Relaxed);
    }

    /// Hash of the first `rows` rows, computed at most once for the same contents.
    pub(crate) fn digest(&self, rows: u32, compute: impl FnOnce() -> u128) -> u128 {
        let mut digest = lock(&self.digest);
        if self.digest_valid.load(Ordering::Relaxed)
            && let Some((hashed_rows, value)) = *digest
            && hashed_rows == rows
        {
            return value;
        }
        let value = compute();
        *digest = Some((rows, value));
        self.digest_valid.store(true, Ordering::Relaxed);
        value
    }
}

impl Drop for BlockMemory {
    fn drop(&mut self) {
        // SAFETY: `new` took it from this pool, and the last owner of the block is dropping it.
        unsafe { self.pool.give_back(self.memory) };
    }
}

// SAFETY: the bytes belong to whoever may access the column; `ComponentInfo` is only ever made
// for components that are Send and Sync.
unsafe impl Send for BlockMemory {}
// SAFETY: as above; the digest is behind a mutex.
unsafe impl Sync for BlockMemory {}
