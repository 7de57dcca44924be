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
    pub(crate) fn get(&self, of: TypeId) -> Option<I> {
        match self.0[Self::place(of)] {
            Some((found, id)) if found == of => Some(id),
            _ => None,
        }
    }

    pub(crate) fn remember(&mut self, of: TypeId, id: I) {
        self.0[Self::place(of)] = Some((of, id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
