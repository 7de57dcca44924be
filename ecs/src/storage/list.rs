//! A list shared between forks until one of them changes it, with its items one step away.
//!
//! A `Shared<Vec<T>>` asks for the count, then the vector, then the item. Structural changes and
//! random look-ups go that way several times for each row; here the start and the length of the
//! items lie beside the owner.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use super::shared::Shared;

/// How often the items of any list have come to lie elsewhere.
///
/// Relaxed: whoever changed a list has handed it on, and the count with it.
static MOVES: AtomicU64 = AtomicU64::new(0);

/// A count that changes whenever the items of some list come to lie elsewhere, for those who keep
/// the address of items.
#[inline]
pub(crate) fn moves() -> u64 {
    MOVES.load(Ordering::Relaxed)
}

/// A `Vec` shared between forks of a world until one of them writes to it.
pub(crate) struct SharedList<T> {
    owner: Shared<Vec<T>>,
    start: NonNull<T>,
    len: usize,
}

// SAFETY: it owns its items together with the other owners, as an `Arc<Vec<T>>` does.
unsafe impl<T: Send + Sync> Send for SharedList<T> {}
// SAFETY: as above; only `&mut` writes.
unsafe impl<T: Send + Sync> Sync for SharedList<T> {}

impl<T> SharedList<T> {
    /// Where the items lie, until `moves` changes.
    #[inline]
    pub(crate) fn start(&self) -> NonNull<T> {
        self.start
    }

    /// The items of the last owner.
    pub(crate) fn into_inner(self) -> Option<Vec<T>> {
        self.owner.into_inner()
    }

    /// A list over a vector that changes only through `self`.
    fn of(mut items: Vec<T>) -> Self {
        // It may stand in the place of another list, whose items are elsewhere then.
        MOVES.fetch_add(1, Ordering::Relaxed);
        let start = start_of(&mut items);
        let len = items.len();
        Self {
            owner: Shared::new(items),
            start,
            len,
        }
    }
}

fn start_of<T>(items: &mut Vec<T>) -> NonNull<T> {
    NonNull::new(items.as_mut_ptr()).expect("a vector's start is never null")
}

impl<T: Clone> SharedList<T> {
    /// The items for writing; clones them first if there is another owner.
    #[inline(always)]
    pub(crate) fn make_mut(&mut self) -> &mut [T] {
        if !self.owner.is_unique() {
            self.change(|_| ());
        }
        // SAFETY: the vector is ours alone, and has `len` items from `start` on; `&mut self` keeps
        // anybody from sharing it while the borrow lives.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Adds an item at the end.
    pub(crate) fn push(&mut self, item: T) {
        self.change(|items| items.push(item));
    }

    /// Drops the items from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.change(|items| items.truncate(len));
    }

    /// Adds items at the end, up to a number of them.
    pub(crate) fn grow(&mut self, len: usize, item: impl FnMut() -> T) {
        if self.len < len {
            self.change(|items| items.resize_with(len, item));
        }
    }

    /// Changes the vector itself, which is cloned first if there is another owner.
    #[inline(never)]
    fn change(&mut self, change: impl FnOnce(&mut Vec<T>)) {
        let changed = Changing {
            items: self.owner.make_mut(),
            start: &mut self.start,
            len: &mut self.len,
        };
        change(changed.items);
    }
}

/// A vector that is being changed; whoever looks at it afterwards, after a panic as well, finds
/// the items where they are then.
struct Changing<'a, T> {
    items: &'a mut Vec<T>,
    start: &'a mut NonNull<T>,
    len: &'a mut usize,
}

impl<T> Drop for Changing<'_, T> {
    fn drop(&mut self) {
        let start = start_of(self.items);
        if std::mem::replace(self.start, start) != start {
            MOVES.fetch_add(1, Ordering::Relaxed);
        }
        *self.len = self.items.len();
    }
}

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl<T> Clone for SharedList<T> {
    /// Shares the items.
    fn clone(&self) -> Self {
        Self {
            owner: self.owner.clone(),
            ..*self
        }
    }
}

impl<T> Deref for SharedList<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the owner's vector has `len` items from `start` on, and changes only through
        // `change`, by its only owner.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_shared_until_one_of_its_owners_changes_it() {
        let mut a = SharedList::default();
        (0..100).for_each(|item| a.push(item.to_string()));
        let mut b = a.clone();
        b.make_mut()[3] = "b".to_owned();
        a.push("a".to_owned());
        assert_eq!((a.len(), b.len()), (101, 100));
        assert_eq!((&*a[3], &*b[3]), ("3", "b"));
        let c = b.clone();
        b.truncate(1);
        b.grow(3, || "new".to_owned());
        assert_eq!(*b, ["0", "new", "new"]);
        assert_eq!((c.len(), &*c[3]), (100, "b"));
        drop(c.clone());
        assert_eq!(c.into_inner().map(|items| items.len()), Some(100));
        let (d, e) = (a.clone(), a);
        assert!(d.into_inner().is_none() && e.into_inner().is_some());
    }

    #[test]
    fn every_move_of_the_items_is_counted() {
        let mut a = SharedList::default();
        let mut last = (a.start(), moves());
        let mut moved = |list: &SharedList<u32>| {
            let (before, now) = (last, (list.start(), moves()));
            last = now;
            assert!(before.0 == now.0 || before.1 != now.1, "moved unseen");
            before.0 != now.0
        };
        let grown = (0..100).filter(|&item| {
            a.push(item);
            moved(&a)
        });
        // The allocator may grow a vector where it lies; the first item has to go somewhere.
        assert!(grown.count() > 0);
        let b = a.clone();
        a.make_mut()[0] = 7;
        assert!(moved(&a), "a copy was made");
        drop(b);
        a.make_mut()[0] = 8;
        assert!(!moved(&a));
        drop(std::mem::take(&mut a));
        assert!(moved(&a));
    }

    #[test]
    fn a_panic_of_a_clone_leaves_the_list_as_it_was() {
        #[derive(Debug)]
        struct Fragile(u32);
        impl Clone for Fragile {
            fn clone(&self) -> Self {
                assert!(self.0 != 2, "it breaks");
                Self(self.0)
            }
        }
        let mut a = SharedList::default();
        (0..3).for_each(|item| a.push(Fragile(item)));
        let b = a.clone();
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| a.truncate(1)));
        assert!(broken.is_err());
        assert_eq!((a.len(), b.len(), a[2].0), (3, 3, 2));
    }

    #[test]
    fn a_panic_while_growing_leaves_what_has_come() {
        let mut a = SharedList::default();
        a.push(vec![0_u8]);
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut next = 0;
            a.grow(1000, || {
                next += 1;
                assert!(next < 900, "no more");
                vec![next as u8]
            });
        }));
        assert!(broken.is_err());
        assert!(a.len() > 1 && a[1] == [1]);
    }
}
