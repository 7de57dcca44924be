//! Numbers of types that were asked for before, a few instructions away.

use std::any::TypeId;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// Up to `N` types with what is known of them. A type has two places; where more want the same
/// ones, the last that was remembered has the second. Who finds nothing looks it up elsewhere.
#[derive(Clone)]
pub(crate) struct Recent<I, const N: usize>([Option<(TypeId, I)>; N]);

impl<I: Copy, const N: usize> Default for Recent<I, N> {
    fn default() -> Self {
        Self([None; N])
    }
}

/// Which of `count` places a type has; a constant of the type.
#[inline(always)]
pub(crate) fn place(of: TypeId, count: usize) -> usize {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish() as usize % count
}

impl<I: Copy, const N: usize> Recent<I, N> {
    #[inline(always)]
    pub(crate) fn get(&self, of: TypeId) -> Option<I> {
        let first = place(of, N);
        self.at(first, of).or_else(|| self.at((first + 1) % N, of))
    }

    #[inline(always)]
    fn at(&self, place: usize, of: TypeId) -> Option<I> {
        match self.0[place] {
            Some((found, id)) if found == of => Some(id),
            _ => None,
        }
    }

    pub(crate) fn remember(&mut self, of: TypeId, id: I) {
        let first = place(of, N);
        let is_free = self.0[first].is_none_or(|(found, _)| found == of);
        let place = if is_free { first } else { (first + 1) % N };
        self.0[place] = Some((of, id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_types_of_one_place_are_both_found_and_a_third_takes_that_of_the_second() {
        let mut recent = Recent::<u32, 2>::default();
        let types = [TypeId::of::<u8>(), TypeId::of::<u16>(), TypeId::of::<u32>()];
        for (id, of) in (0..).zip(types) {
            recent.remember(of, id);
            recent.remember(of, id + 10);
        }
        let found = types.map(|of| recent.get(of));
        assert_eq!(found.iter().flatten().count(), 2, "{found:?}");
        assert_eq!(found[2], Some(12));
    }

    #[test]
    fn a_type_is_found_until_another_takes_its_place() {
        let mut recent = Recent::<u32, 1>::default();
        let (a, b) = (TypeId::of::<u8>(), TypeId::of::<u16>());
        assert_eq!(recent.get(a), None);
        recent.remember(a, 1);
        assert_eq!((recent.get(a), recent.get(b)), (Some(1), None));
        recent.remember(b, 2);
        assert_eq!((recent.get(a), recent.get(b)), (None, Some(2)));
    }
}
