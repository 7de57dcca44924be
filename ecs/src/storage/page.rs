//! A page of plain values by entity index, shared between forks until one of them writes.

use std::ptr::NonNull;
use std::sync::Arc;

use super::block::BlockMemory;
use super::pool::Pool;
use super::shared::Shared;

/// Values of one page.
pub(crate) const PAGE: usize = 1024;

/// `PAGE` values in block memory, on huge pages like the columns: a random look-up costs one miss
/// of the address cache less.
pub(crate) struct Page<T> {
    values: NonNull<T>,
    memory: Shared<BlockMemory>,
}

// SAFETY: the page owns the memory it points to, together with its other owners.
unsafe impl<T: Send + Sync> Send for Page<T> {}
// SAFETY: as above; only `&mut` writes.
unsafe impl<T: Send + Sync> Sync for Page<T> {}

impl<T> Clone for Page<T> {
    /// Shares the values.
    fn clone(&self) -> Self {
        Self {
            values: self.values,
            memory: self.memory.clone(),
        }
    }
}

impl<T: Copy> Page<T> {
    /// Takes memory for the values without initialising them.
    fn uninit(pool: &Arc<Pool>) -> Self {
        let memory = BlockMemory::new(pool, size_of::<[T; PAGE]>(), align_of::<T>());
        Self {
            values: memory.data().cast(),
            memory,
        }
    }

    /// A page of the same value everywhere.
    pub(crate) fn filled(value: T, pool: &Arc<Pool>) -> Self {
        let page = Self::uninit(pool);
        for index in 0..PAGE {
            // SAFETY: the memory has room for `PAGE` values.
            let place = unsafe { page.values.add(index) };
            // SAFETY: as above, and nobody else has it yet.
            unsafe { place.write(value) };
        }
        page
    }

    #[inline]
    pub(crate) fn values(&self) -> &[T; PAGE] {
        // SAFETY: `filled` and `own` initialise every value, and only `values_mut` writes.
        unsafe { self.values.cast().as_ref() }
    }

    /// The values for writing; copies them if another owner has them too.
    #[inline]
    pub(crate) fn values_mut(&mut self, pool: &Arc<Pool>) -> &mut [T; PAGE] {
        if !self.memory.is_unique() {
            self.own(pool);
        }
        // SAFETY: initialised as above; the memory is ours alone, and so is `self`.
        unsafe { self.values.cast().as_mut() }
    }

    #[cold]
    #[inline(never)]
    fn own(&mut self, pool: &Arc<Pool>) {
        let copy = Self::uninit(pool);
        // SAFETY: `PAGE` plain values on both sides, in two different blocks.
        unsafe { self.values.copy_to_nonoverlapping(copy.values, PAGE) };
        *self = copy;
    }

    /// As `values_mut`, and forgets the digest.
    #[inline]
    pub(crate) fn values_touched(&mut self, pool: &Arc<Pool>) -> &mut [T; PAGE] {
        if !self.memory.is_unique() {
            self.own(pool);
        }
        self.memory.touch();
        // SAFETY: as `values_mut`.
        unsafe { self.values.cast().as_mut() }
    }

    /// A hash of the values, computed at most once until `values_touched`.
    pub(crate) fn digest(&self, compute: impl FnOnce() -> u128) -> u128 {
        self.memory.digest(PAGE as u32, compute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_shared_until_one_of_its_owners_writes() {
        let pool = Arc::new(Pool::new());
        let mut a = Page::filled(7_u32, &pool);
        let b = a.clone();
        assert_eq!(a.values().as_ptr(), b.values().as_ptr());
        a.values_mut(&pool)[PAGE - 1] = 8;
        assert_ne!(a.values().as_ptr(), b.values().as_ptr());
        assert_eq!((a.values()[0], a.values()[PAGE - 1]), (7, 8));
        assert_eq!(*b.values(), [7; PAGE]);
        let (before, _) = (a.values().as_ptr(), a.values_mut(&pool)[0] = 9);
        assert_eq!(a.values().as_ptr(), before, "it was alone");
    }

    #[test]
    fn a_digest_holds_until_it_is_forgotten() {
        let pool = Arc::new(Pool::new());
        let mut page = Page::filled(1_u8, &pool);
        assert_eq!((page.digest(|| 5), page.digest(|| 6)), (5, 5));
        let other = page.clone();
        page.values_touched(&pool)[0] = 2;
        assert_eq!((page.digest(|| 6), other.digest(|| 7)), (6, 5));
    }
}
