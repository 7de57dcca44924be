//! A reference-counted value that is copied by the first of its owners that changes it.
//!
//! `Arc::make_mut` does the same with two atomic read-modify-writes, because a `Weak` could come
//! back to life at any time. No `Weak` to our values is ever made, so one load tells whether we
//! are alone; structural changes ask this several times for each row.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

/// A value shared between forks of a world until one of them writes to it.
pub(crate) struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// Whether no other owner exists.
    #[inline]
    pub(crate) fn is_unique(&self) -> bool {
        if Arc::strong_count(&self.0) != 1 {
            return false;
        }
        // Pairs with the release decrement in the other owner's drop: what it read of the value
        // happened before what we write to it.
        fence(Ordering::Acquire);
        true
    }

    /// The value itself if this was its last owner.
    pub(crate) fn into_inner(self) -> Option<T> {
        Arc::into_inner(self.0)
    }
}

impl<T: Clone> Shared<T> {
    /// The value for writing; clones it first if it has another owner.
    #[inline]
    pub(crate) fn make_mut(&mut self) -> &mut T {
        if !self.is_unique() {
            self.copy();
        }
        let pointer = Arc::as_ptr(&self.0).cast_mut();
        // SAFETY: `is_unique` saw a strong count of one, or the Arc was made a line above; no
        // Weak exists because the field is private and never downgraded; and `&mut self` keeps
        // anybody from cloning it while the borrow lives.
        unsafe { &mut *pointer }
    }

    /// Out of line: the copy would keep every caller's check from being inlined.
    #[cold]
    #[inline(never)]
    fn copy(&mut self) {
        self.0 = Arc::new(T::clone(&self.0));
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
