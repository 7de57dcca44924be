//! How the world keeps both sides of a relationship in agreement. All of it works on erased values:
//! every list of sources is one and the same type.

use std::mem::ManuallyDrop;

use smallvec::SmallVec;

use super::RelationshipError;
use super::RelationshipInfo;
use super::sources::{erased_list, erased_list_mut};
use crate::component::info::ComponentId;
use crate::entity::{Entity, Place};
use crate::observer::{Lent, Lifecycle, ObserverError, Values};
use crate::world::{Arriving, Components, World};

/// What is left to do for the relationships of a change when those who watch have been told.
#[derive(Default)]
#[must_use]
pub(crate) struct Aftermath {
    /// Lists that came to be, of which nobody has been told.
    began: SmallVec<[(Entity, ComponentId); 1]>,
    /// Lists that are gone.
    ended: SmallVec<[(Entity, ComponentId); 1]>,
    /// Relationships of the entity whose target is dead.
    dangling: SmallVec<[ComponentId; 1]>,
    /// Sources whose target has gone.
    orphans: Vec<Orphan>,
}

/// A source whose target has gone.
#[derive(Clone, Copy)]
pub(crate) struct Orphan {
    source: Entity,
    relationship: ComponentId,
    target: Entity,
    /// Whether it goes as well.
    despawn: bool,
}

impl Aftermath {
    fn is_empty(&self) -> bool {
        self.began.is_empty()
            && self.ended.is_empty()
            && self.dangling.is_empty()
            && self.orphans.is_empty()
    }
}

impl World {
    /// The target of an entity's relationship.
    pub(super) fn target_by_id(&self, entity: Entity, relationship: ComponentId) -> Option<Entity> {
        let value = self.get_by_id(entity, relationship)?;
        let info = self.registry.info(relationship).relationship?;
        // SAFETY: the value is of this component.
        Some(unsafe { info.target(value.as_ptr()) })
    }

    pub(super) fn list_mut(
        &mut self,
        target: Entity,
        list: ComponentId,
    ) -> Option<&mut Vec<Entity>> {
        let value = self.value_mut(target, list)?;
        // SAFETY: the component is a list, and the borrow of the world keeps everybody else out.
        Some(unsafe { erased_list_mut(value.as_ptr()) })
    }

    /// Brings lists up to date when components have come to an entity, before anybody is told.
    /// Those that are refused are taken out of what is to be told.
    pub(crate) fn relate_arrived(
        &mut self,
        entity: Entity,
        added: &mut Components,
        inserted: &mut Components,
        replaced: (&mut Values, usize),
    ) -> Aftermath {
        let mut after = Aftermath::default();
        let is_related = |&id: &ComponentId| self.registry.info(id).is_related();
        let related: Components = inserted.iter().copied().filter(is_related).collect();
        let (values, row) = replaced;
        for id in related {
            let old = values.address_of(id, row);
            if let Err(error) = self.accept(entity, id, old, &mut after) {
                self.report_relationship(error);
                if !matches!(error, RelationshipError::DeadTarget { .. }) {
                    self.put_back(entity, id, old);
                    added.retain(|other| *other != id);
                    inserted.retain(|other| *other != id);
                }
            }
        }
        after
    }

    /// Enters a relationship that has arrived in the list of its target; `old` is the value that it
    /// replaced.
    fn accept(
        &mut self,
        entity: Entity,
        id: ComponentId,
        old: Option<*mut u8>,
        after: &mut Aftermath,
    ) -> Result<(), RelationshipError> {
        let Some(info) = self.registry.info(id).relationship else {
            let sources = self.registry.name(id);
            return Err(RelationshipError::ListInserted { sources, entity });
        };
        let Some(target) = self.target_by_id(entity, id) else {
            return Ok(());
        };
        self.check_circle(entity, target, id, info)?;
        // SAFETY: what was replaced is of the same component.
        let old = old.map(|value| unsafe { info.target(value) });
        if old == Some(target) {
            return Ok(());
        }
        let list = (info.sources)(self);
        if let Some(old) = old {
            self.leave_list(old, entity, list, after);
        }
        if self.contains(target) {
            self.enter_list(target, entity, list, after);
            return Ok(());
        }
        after.dangling.push(id);
        Err(RelationshipError::DeadTarget {
            relationship: self.registry.name(id),
            entity,
            target,
        })
    }

    /// Whether an entity may have a target.
    pub(super) fn check_circle(
        &mut self,
        entity: Entity,
        target: Entity,
        id: ComponentId,
        info: RelationshipInfo,
    ) -> Result<(), RelationshipError> {
        let relationship = self.registry.name(id);
        if target == entity {
            return Err(RelationshipError::ToItself {
                relationship,
                entity,
            });
        }
        // Nobody's target is nobody's ancestor.
        let list = (info.sources)(self);
        if info.cyclic || !self.contains_by_id(entity, list) {
            return Ok(());
        }
        match self.is_ancestor(entity, target, id) {
            false => Ok(()),
            true => Err(RelationshipError::Cycle {
                relationship,
                entity,
                target,
            }),
        }
    }

    /// Whether one comes to an entity by going up from another one.
    ///
    /// Entities of one batch may point at each other by handles that were foreseen, in a circle
    /// that is not refused yet: it is told by coming to the same entity again (R. P. Brent, An
    /// improved Monte Carlo factorization algorithm, BIT 20, 1980).
    fn is_ancestor(&self, entity: Entity, from: Entity, id: ComponentId) -> bool {
        let (mut at, mut mark, mut steps, mut next_mark) = (from, from, 0_u64, 1_u64);
        while at != entity {
            let Some(above) = self.target_by_id(at, id).filter(|&above| above != mark) else {
                return false;
            };
            at = above;
            steps += 1;
            if steps == next_mark {
                mark = at;
                next_mark *= 2;
            }
        }
        true
    }

    /// Gives an entity back what a refused value replaced, or takes that away.
    fn put_back(&mut self, entity: Entity, id: ComponentId, old: Option<*mut u8>) {
        let Some(old) = old else {
            // SAFETY: nothing arrives.
            unsafe { self.restructure(entity, &[], &[id], &[]) };
            return;
        };
        let size_bytes = self.registry.info(id).layout.size();
        if let Some(value) = self.value_mut(entity, id) {
            // SAFETY: two values of one component in different places, each of which nobody else
            // uses: one in the world, one in the buffer, which drops what it holds at the end.
            unsafe { std::ptr::swap_nonoverlapping(value.as_ptr(), old, size_bytes) };
        }
    }

    fn enter_list(
        &mut self,
        target: Entity,
        entity: Entity,
        list: ComponentId,
        after: &mut Aftermath,
    ) {
        if let Some(sources) = self.list_mut(target, list) {
            sources.push(entity);
            return;
        }
        if self.entities.get(target) == Some(Place::Reserved) {
            self.spawn_reserved(target, ());
        }
        self.watch_sparse_component(list);
        let mut sources = ManuallyDrop::new(vec![entity]);
        let value = (&raw mut sources).cast();
        let component = list;
        // SAFETY: every list of sources is a `Vec<Entity>`; this one belongs to the world now.
        unsafe { self.restructure(target, &[Arriving { component, value }], &[], &[]) };
        after.began.push((target, list));
    }

    fn leave_list(
        &mut self,
        target: Entity,
        entity: Entity,
        list: ComponentId,
        after: &mut Aftermath,
    ) {
        let Some(sources) = self.list_mut(target, list) else {
            return;
        };
        if let Some(at) = sources.iter().position(|&source| source == entity) {
            sources.remove(at);
        }
        if sources.is_empty() {
            // SAFETY: nothing arrives.
            unsafe { self.restructure(target, &[], &[list], &[]) };
            self.log_removed(list, [target]);
            after.ended.push((target, list));
        }
    }

    /// Brings lists up to date when components have left an entity, before anybody is told.
    pub(crate) fn relate_departed(
        &mut self,
        entity: Entity,
        components: &[ComponentId],
        (values, row): (&Values, usize),
        is_despawn: bool,
    ) -> Aftermath {
        let mut after = Aftermath::default();
        for &id in components {
            if !self.registry.info(id).is_related() {
                continue;
            }
            let Some(value) = values.address_of(id, row) else {
                continue;
            };
            let info = self.registry.info(id);
            if let Some(relationship) = info.relationship {
                // SAFETY: the value is of this component.
                let target = unsafe { relationship.target(value) };
                let list = (relationship.sources)(self);
                self.leave_list(target, entity, list, &mut after);
            } else if let Some(of_list) = info.sources {
                let relationship = (of_list.relationship)(self);
                let info = self.registry.info(relationship).relationship;
                let despawn = is_despawn && info.is_some_and(|info| info.despawn);
                // SAFETY: the value is a list, and lies in the buffer.
                let sources = unsafe { erased_list(value) };
                let orphans = sources.iter().map(|&source| Orphan {
                    source,
                    relationship,
                    target: entity,
                    despawn,
                });
                after.orphans.extend(orphans);
            }
        }
        after
    }

    /// Does what is left when those who watch have been told of a change. Gives the sources that
    /// have to go after their target to `pending`.
    pub(crate) fn end_relationships(
        &mut self,
        entity: Entity,
        after: Aftermath,
        pending: &mut Vec<Orphan>,
    ) {
        if after.is_empty() {
            return;
        }
        let values = Values::default();
        let left = Lent {
            values: &values,
            row: 0,
        };
        for (target, list) in after.began {
            self.deliver_change(Lifecycle::Add, target, &[list], left);
            self.deliver_change(Lifecycle::Insert, target, &[list], left);
        }
        for (target, list) in after.ended {
            self.deliver_change(Lifecycle::Remove, target, &[list], left);
        }
        for relationship in after.dangling {
            if let Some(target) = self.target_by_id(entity, relationship)
                && !self.contains(target)
            {
                let info = self.registry.info(relationship).relationship;
                let orphan = Orphan {
                    source: entity,
                    relationship,
                    target,
                    despawn: info.is_some_and(|info| info.despawn),
                };
                self.end_orphan(orphan, pending);
            }
        }
        for orphan in after.orphans {
            self.end_orphan(orphan, pending);
        }
    }

    fn end_orphan(&mut self, orphan: Orphan, pending: &mut Vec<Orphan>) {
        if orphan.despawn {
            pending.push(orphan);
        } else if self.is_orphan(&orphan) {
            // It lives, so there is nothing to report.
            let _ = self.remove_by_id(orphan.source, orphan.relationship);
        }
    }

    /// Whether a source still points at the target that has gone: an observer may have given it
    /// another one.
    pub(crate) fn is_orphan(&self, orphan: &Orphan) -> bool {
        self.target_by_id(orphan.source, orphan.relationship) == Some(orphan.target)
    }

    fn report_relationship(&mut self, error: RelationshipError) {
        self.observers
            .chain
            .report(ObserverError::Relationship(error));
    }
}

impl Orphan {
    pub(crate) fn source(&self) -> Entity {
        self.source
    }
}
