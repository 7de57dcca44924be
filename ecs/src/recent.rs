//! Numbers of types that were asked for before, a few instructions away.

use std::any::TypeId;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// Up to `N` types with what is known of them. Where two want the same place, the one that was
/// remembered last has it; who finds nothing looks it up elsewhere.
#[derive(Clone)]
pub(crate) struct Recent<I, const N: usize>([Option<(TypeId, I)>; N]);

impl<I: Copy, const N: usize> Default for Recent<I, N> {
    fn default() -> Self {
        Self([None; N])
    }
}

impl<I: Copy, const N: usize> Recent<I, N> {
    /// Where a type may stand; a constant of the type.
    #[inline(always)]
    fn place(of: TypeId) -> usize {
        let mut hasher = FxHasher::default();
        of.hash(&mut hasher);
        hasher.finish() as usize % N
    }

    #[inline(always)]
    pub(crate) fn get<T: 'static>(&self) -> Option<I> {
        let of = TypeId::of::<T>();
        match self.0[Self::place(of)] {
            Some((found, id)) if found == of => Some(id),
            _ => None,
        }
    }

    pub(crate) fn remember<T: 'static>(&mut self, id: I) {
        let of = TypeId::of::<T>();
        self.0[Self::place(of)] = Some((of, id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_found_until_another_takes_its_place() {
        let mut recent = Recent::<u32, 1>::default();
        assert_eq!(recent.get::<u8>(), None);
        recent.remember::<u8>(1);
        assert_eq!((recent.get::<u8>(), recent.get::<u16>()), (Some(1), None));
        recent.remember::<u16>(2);
        assert_eq!((recent.get::<u8>(), recent.get::<u16>()), (None, Some(2)));
    }
}
