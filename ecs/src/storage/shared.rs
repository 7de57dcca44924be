//! A reference-counted value that is copied by the first of its owners that changes it.
//!
//! `Arc::make_mut` does the same with two atomic read-modify-writes, because a `Weak` could come
//! back to life at any time, and dropping the last `Arc` takes two as well. Here are no weak
//! references: one load tells whether we are alone, and structural changes ask this several times
//! for each row. The count is our own and orders by loads where `Arc` orders by fences, which
//! ThreadSanitizer does not know, so it can follow worlds on several threads as they are
//! (`engine/tests/worlds_race.rs`).

use std::marker::PhantomData;
use std::ops::Deref;
use std::process::abort;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More owners than there can be, unless somebody forgets them in a loop; `Arc` has the same limit.
const OWNERS_MAX: usize = isize::MAX as usize;

struct Counted<T> {
    owners: AtomicUsize,
    value: T,
}

/// A value shared between forks of a world until one of them writes to it.
pub(crate) struct Shared<T> {
    /// From a `Box`, and alive as long as any owner is.
    counted: NonNull<Counted<T>>,
    owns: PhantomData<Counted<T>>,
}

// SAFETY: an owner may read the value, and drop it as the last one, on any thread.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above; a shared `Shared` gives out shared borrows and further owners.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        let owners = AtomicUsize::new(1);
        Self {
            counted: NonNull::from(Box::leak(Box::new(Counted { owners, value }))),
            owns: PhantomData,
        }
    }

    #[inline]
    fn counted(&self) -> &Counted<T> {
        // SAFETY: we are one of its owners, so it is alive; `&mut` to it is only made by `make_mut`
        // and by the last owner, and neither can be at work while we are borrowed.
        unsafe { self.counted.as_ref() }
    }

    /// Whether no other owner exists.
    #[inline]
    pub(crate) fn is_unique(&self) -> bool {
        // Pairs with the release decrement in `give_up` of another owner: what it read of the
        // value happened before what we write to it.
        self.counted().owners.load(Ordering::Acquire) == 1
    }

    /// Takes us off the count, and says whether we were the last.
    #[inline]
    fn give_up(&self) -> bool {
        let owners = &self.counted().owners;
        // Release: see `is_unique` and the load below.
        if owners.fetch_sub(1, Ordering::Release) != 1 {
            return false;
        }
        // Pairs with the decrements of all other owners: they have done with the value. They stand
        // in one release sequence, for nobody writes to the count otherwise than by changing it.
        owners.load(Ordering::Acquire);
        true
    }

    /// The value itself if this was its last owner.
    pub(crate) fn into_inner(self) -> Option<T> {
        let (counted, last) = (self.counted, self.give_up());
        std::mem::forget(self);
        last.then(|| {
            // SAFETY: `new` leaked this box, and its last owner has just given it up.
            let counted = unsafe { Box::from_raw(counted.as_ptr()) };
            counted.value
        })
    }
}

impl<T: Clone> Shared<T> {
    /// The value for writing; clones it first if it has another owner.
    #[inline]
    pub(crate) fn make_mut(&mut self) -> &mut T {
        if !self.is_unique() {
            self.copy();
        }
        // SAFETY: `is_unique` saw one owner, or `copy` has just made the value; that owner is us,
        // and `&mut self` keeps anybody from using us while the borrow lives.
        let counted = unsafe { self.counted.as_mut() };
        &mut counted.value
    }

    /// Out of line: the copy would keep every caller's check from being inlined.
    #[cold]
    #[inline(never)]
    fn copy(&mut self) {
        *self = Self::new(T::clone(self));
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Clone for Shared<T> {
    #[inline]
    fn clone(&self) -> Self {
        // Relaxed: whoever gets the new owner gets it from us, by what orders the two anyway.
        if self.counted().owners.fetch_add(1, Ordering::Relaxed) > OWNERS_MAX {
            abort();
        }
        Self {
            counted: self.counted,
            owns: PhantomData,
        }
    }
}

impl<T> Drop for Shared<T> {
    #[inline]
    fn drop(&mut self) {
        if self.give_up() {
            // SAFETY: `new` leaked this box, and its last owner has just given it up.
            drop(unsafe { Box::from_raw(self.counted.as_ptr()) });
        }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.counted().value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_dropped_once_by_its_last_owner_or_given_to_it() {
        let token = std::rc::Rc::new(());
        let a = Shared::new(token.clone());
        let (b, c) = (a.clone(), a.clone());
        drop(b);
        assert!(a.into_inner().is_none());
        assert_eq!(std::rc::Rc::strong_count(&token), 2);
        let value = c.into_inner();
        assert_eq!(
            (value.is_some(), std::rc::Rc::strong_count(&token)),
            (true, 2)
        );
        drop(value);
        drop(Shared::new(token.clone()).clone());
        assert_eq!(std::rc::Rc::strong_count(&token), 1);
    }

    #[test]
    fn owners_on_threads_leave_one_that_may_write() {
        for round in 0..200 {
            let mut mine = Shared::new(vec![round; 8]);
            std::thread::scope(|scope| {
                for number in 0..3 {
                    let mut other = mine.clone();
                    scope.spawn(move || {
                        assert_eq!(other[7], round);
                        other.make_mut()[7] = number;
                    });
                }
                mine.make_mut()[0] += 1;
            });
            assert!(mine.is_unique() && mine[0] == round + 1 && mine[7] == round);
        }
    }

    #[test]
    fn the_first_writer_copies_and_the_other_keeps_the_old_value() {
        let mut a = Shared::new(vec![1]);
        let b = a.clone();
        assert!(!a.is_unique());
        a.make_mut().push(2);
        assert_eq!((&*a, &*b), (&vec![1, 2], &vec![1]));
        assert!(a.is_unique() && b.is_unique());
    }

    #[test]
    fn a_lone_owner_writes_in_place() {
        let mut a = Shared::new(7_u32);
        let before = std::ptr::from_ref::<u32>(&a);
        *a.make_mut() = 8;
        assert_eq!(std::ptr::from_ref::<u32>(&a), before);
        assert_eq!(a.into_inner(), Some(8));
    }
}
