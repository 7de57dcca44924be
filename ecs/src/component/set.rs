//! Sets of component numbers as growing bit masks: exact, however many types there are.

use smallvec::SmallVec;

use super::info::ComponentId;

/// A set of components.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ComponentSet(SmallVec<[u64; 4]>);

impl ComponentSet {
    pub(crate) fn insert(&mut self, id: ComponentId) {
        let word = id.index() / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (id.index() % 64);
    }

    #[inline]
    pub(crate) fn contains(&self, id: ComponentId) -> bool {
        self.0
            .get(id.index() / 64)
            .is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    pub(crate) fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub(crate) fn union_with(&mut self, other: &Self) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// Members in increasing order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ComponentId> {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            let member = move |bit| ComponentId((word * 64) as u32 + bit);
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(member)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_types_stay_apart() {
        let mut set = ComponentSet::default();
        let members: Vec<ComponentId> = (0..10_000).step_by(7).map(ComponentId).collect();
        members.iter().for_each(|&id| set.insert(id));
        assert_eq!(set.iter().collect::<Vec<_>>(), members);
        assert!((0..10_000).all(|id| set.contains(ComponentId(id)) == (id % 7 == 0)));
        assert!(!set.contains(ComponentId(1_000_000)));
    }

    #[test]
    fn sets_of_different_lengths_meet_where_both_have_members() {
        let (mut short, mut long) = (ComponentSet::default(), ComponentSet::default());
        short.insert(ComponentId(3));
        long.insert(ComponentId(500));
        assert!(!short.intersects(&long) && !long.intersects(&short));
        short.union_with(&long);
        assert!(short.intersects(&long));
        assert_eq!(
            short.intersection(&long).iter().collect::<Vec<_>>(),
            [ComponentId(500)]
        );
    }
}
