//! What a query or system touches, and whether two of them exclude each other.
//!
//! Which entities a query is limited to is kept as alternatives, of which an entity meets at least
//! one: each is a set of components that it has and a set that it lacks. A query without `Or` has
//! one alternative. Two queries are apart if no alternative of one can be met together with any
//! of the other. Every composite term adds its parts through [`FilteredAccess::any_of`].
//!
//! What gives whole entities touches every component that an entity has, those included that are
//! registered later: that is a mark beside the sets, and no set.

use crate::component::info::ComponentId;
use crate::component::{ComponentSet, Registry};

/// Alternatives kept for one query. Several `Or` multiply them; a query with more is taken as
/// limited only to what all have in common, which may see a conflict where there is none but
/// never misses one.
const ALTERNATIVES_MAX: usize = 64;

/// What two accesses both touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Touched {
    One(ComponentId),
    /// Every component, because both give whole entities.
    All,
}

/// Components read and written.
#[derive(Clone, Debug, Default)]
struct Access {
    reads: ComponentSet,
    writes: ComponentSet,
    /// Reads every component that an entity has.
    reads_all: bool,
    /// Writes every component that an entity has.
    writes_all: bool,
}

impl Access {
    fn touched(&self) -> ComponentSet {
        let mut touched = self.reads.clone();
        touched.union_with(&self.writes);
        touched
    }

    fn touches_all(&self) -> bool {
        self.reads_all || self.writes_all
    }

    /// Components that are written here and touched there; one of the two names single ones.
    fn written_and_touched(&self, there: &Self) -> ComponentSet {
        match (self.writes_all, there.touches_all()) {
            (true, _) => there.touched(),
            (false, true) => self.writes.clone(),
            (false, false) => self.writes.intersection(&there.touched()),
        }
    }

    /// The first that both touch and at least one writes.
    fn conflict(&self, other: &Self) -> Option<Touched> {
        let one_writes_all = self.writes_all || other.writes_all;
        if one_writes_all && self.touches_all() && other.touches_all() {
            return Some(Touched::All);
        }
        let mut both = self.written_and_touched(other);
        both.union_with(&other.written_and_touched(self));
        both.iter().next().map(Touched::One)
    }
}

/// Components that an archetype must have, and those that it must lack.
#[derive(Clone, Debug, Default)]
struct Alternative {
    with: ComponentSet,
    without: ComponentSet,
}

impl Alternative {
    /// Whether no archetype meets both.
    fn excludes(&self, other: &Self) -> bool {
        let both = self.and(other);
        both.with.intersects(&both.without)
    }

    /// What an archetype meets that meets both.
    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.with.union_with(&other.with);
        both.without.union_with(&other.without);
        both
    }

    /// Whether every archetype that meets this one meets the other as well.
    fn implies(&self, other: &Self) -> bool {
        let includes = |set: &ComponentSet, part: &ComponentSet| {
            part.iter().all(|component| set.contains(component))
        };
        includes(&self.with, &other.with) && includes(&self.without, &other.without)
    }

    fn common(&self, other: &Self) -> Self {
        Self {
            with: self.with.intersection(&other.with),
            without: self.without.intersection(&other.without),
        }
    }
}

/// The access of one query together with the archetypes it is limited to.
#[derive(Clone, Debug)]
pub struct FilteredAccess {
    access: Access,
    alternatives: Vec<Alternative>,
    /// What the query itself reads and writes, or writes twice.
    own_conflict: Option<Touched>,
}

impl Default for FilteredAccess {
    fn default() -> Self {
        Self {
            access: Access::default(),
            alternatives: vec![Alternative::default()],
            own_conflict: None,
        }
    }
}

impl FilteredAccess {
    /// The query gives references to a component.
    pub(crate) fn read(&mut self, id: ComponentId) {
        let mut access = Access::default();
        access.reads.insert(id);
        self.give(access);
    }

    /// The query gives mutable references to a component.
    pub(crate) fn write(&mut self, id: ComponentId) {
        let mut access = Access::default();
        access.writes.insert(id);
        self.give(access);
    }

    /// The query gives references to whatever an entity has.
    pub(crate) fn read_all(&mut self) {
        self.give(Access {
            reads_all: true,
            ..Access::default()
        });
    }

    /// The query gives mutable references to whatever an entity has.
    pub(crate) fn write_all(&mut self) {
        self.give(Access {
            writes_all: true,
            ..Access::default()
        });
    }

    fn give(&mut self, access: Access) {
        self.own_conflict = self.own_conflict.or(self.access.conflict(&access));
        self.access.reads.union_with(&access.reads);
        self.access.writes.union_with(&access.writes);
        self.access.reads_all |= access.reads_all;
        self.access.writes_all |= access.writes_all;
    }

    /// A filter looks at a component. The query itself may write it: a row is looked at before
    /// it is given out.
    pub(crate) fn look(&mut self, id: ComponentId) {
        self.access.reads.insert(id);
    }

    /// Limits the query to archetypes that have a component.
    pub(crate) fn with(&mut self, id: ComponentId) {
        let all = self.alternatives.iter_mut();
        all.for_each(|alternative| alternative.with.insert(id));
    }

    /// Limits the query to archetypes that lack a component.
    pub(crate) fn without(&mut self, id: ComponentId) {
        let all = self.alternatives.iter_mut();
        all.for_each(|alternative| alternative.without.insert(id));
    }

    /// Adds parts of which an entity has at least one: the accesses of all, the limits of any.
    pub(crate) fn any_of(&mut self, parts: &[&dyn Fn(&mut Self)]) {
        let before = std::mem::take(&mut self.alternatives);
        let mut any = Vec::new();
        for part in parts {
            self.alternatives = vec![Alternative::default()];
            part(self);
            any.append(&mut self.alternatives);
        }
        let both = before
            .iter()
            .flat_map(|one| any.iter().map(|other| one.and(other)));
        self.alternatives = simplified(both.collect());
    }

    /// Whether no archetype can match both.
    fn is_disjoint(&self, other: &Self) -> bool {
        let mut mine = self.alternatives.iter();
        mine.all(|one| other.alternatives.iter().all(|two| one.excludes(two)))
    }

    /// First component that both touch in a common archetype and at least one writes.
    pub(crate) fn conflict(&self, other: &Self) -> Option<Touched> {
        if self.is_disjoint(other) {
            return None;
        }
        self.access.conflict(&other.access)
    }

    /// Whether some archetype can match both, and both touch one of its components.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.access.touched(), other.access.touched());
        !self.is_disjoint(other) && mine.intersects(&theirs)
    }

    /// First component that is written.
    pub(crate) fn first_write(&self) -> Option<Touched> {
        if self.access.writes_all {
            return Some(Touched::All);
        }
        self.access.writes.iter().next().map(Touched::One)
    }

    /// Whether the query gives whole entities.
    pub(crate) fn touches_all(&self) -> bool {
        self.access.touches_all()
    }

    /// A component that every entity of this query has, and that the other one neither asks for
    /// nor touches, unless it does so because it gives whole entities.
    pub(crate) fn required_only_here(&self, other: &Self) -> Option<ComponentId> {
        let (mine, theirs) = (self.required(), other.required());
        mine.iter().find(|&id| {
            let reads = other.access.reads.contains(id);
            !reads && !other.access.writes.contains(id) && !theirs.contains(id)
        })
    }

    /// Components that every entity of the query has.
    fn required(&self) -> ComponentSet {
        let all = self.alternatives.iter().map(|one| one.with.clone());
        let common = all.reduce(|one, other| one.intersection(&other));
        common.unwrap_or_default()
    }

    /// What the query touches twice, and at least once for writing.
    pub(crate) fn own_conflict(&self) -> Option<Touched> {
        self.own_conflict
    }
}

impl Touched {
    pub(crate) fn name(self, registry: &Registry) -> &'static str {
        match self {
            Self::One(id) => registry.name(id),
            Self::All => "every component",
        }
    }
}

/// The same alternatives without those that another covers.
fn simplified(all: Vec<Alternative>) -> Vec<Alternative> {
    let mut kept: Vec<Alternative> = Vec::new();
    for one in all {
        if !kept.iter().any(|other| one.implies(other)) {
            kept.retain(|other| !other.implies(&one));
            kept.push(one);
        }
    }
    if kept.len() > ALTERNATIVES_MAX {
        let common = kept.into_iter().reduce(|one, other| one.common(&other));
        kept = common.into_iter().collect();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(terms: &[&dyn Fn(&mut FilteredAccess)]) -> FilteredAccess {
        let mut access = FilteredAccess::default();
        terms.iter().for_each(|term| term(&mut access));
        access
    }

    #[test]
    fn alternatives_beyond_the_limit_are_taken_as_limited_to_what_they_share() {
        // 2^7 alternatives: each of seven pairs of components, and component 0 in all.
        let pairs = |access: &mut FilteredAccess| {
            access.with(ComponentId(0));
            for pair in 0..7 {
                let (first, second) = (ComponentId(1 + 2 * pair), ComponentId(2 + 2 * pair));
                access.any_of(&[&|a| a.with(first), &|a| a.with(second)]);
            }
            access.write(ComponentId(99));
        };
        let many = access(&[&pairs]);
        assert_eq!(many.alternatives.len(), 1);
        let lacks = |id| {
            access(&[&|a| a.write(ComponentId(99)), &|a| {
                a.without(ComponentId(id))
            }])
        };
        assert_eq!(many.conflict(&lacks(0)), None);
        assert_eq!(
            many.conflict(&lacks(1)),
            Some(Touched::One(ComponentId(99)))
        );
    }

    #[test]
    fn an_alternative_that_another_covers_is_dropped() {
        let either: &dyn Fn(&mut FilteredAccess) = &|access| {
            access.any_of(&[
                &|a| a.with(ComponentId(1)),
                &|a| {
                    a.with(ComponentId(1));
                    a.with(ComponentId(2));
                },
                &|a| a.without(ComponentId(3)),
            ]);
        };
        assert_eq!(access(&[either]).alternatives.len(), 2);
        let anything = access(&[&|access| access.any_of(&[either, &|_| ()])]);
        assert_eq!(anything.alternatives.len(), 1);
    }
}
