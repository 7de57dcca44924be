//! Components come to an entity and leave it in one move, whichever they are.

use super::World;
use super::structure::pair;
use crate::archetype::{ArchetypeId, Leaving};
use crate::bundle::{BundleId, RequiredColumn};
use crate::component::info::ComponentId;
use crate::component::required::{Requirement, brought_along};
use crate::entity::{Entity, Location, Place};
use crate::panics::FirstPanic;
use crate::sparse::MadeAside;
use crate::storage::column::Writer;

/// A value on its way to an entity.
pub(crate) struct Arriving {
    pub(crate) component: ComponentId,
    /// Aligned, and owned by whoever holds this.
    pub(crate) value: *mut u8,
}

/// A change of one entity's components.
struct Change<'a> {
    entity: Entity,
    arriving: &'a [Arriving],
    leaving: &'a [ComponentId],
    /// What those that arrive bring along and the entity lacks, none of which arrives.
    required: &'a [Requirement],
}

impl Change<'_> {
    fn arrives(&self, id: ComponentId) -> bool {
        self.arriving.iter().any(|new| new.component == id)
    }

    /// Whether a component that arrives left before, so that it counts as new.
    fn is_renewed(&self, id: ComponentId) -> bool {
        self.leaving.contains(&id)
    }
}

impl World {
    /// Components of a bundle, in its order.
    pub(crate) fn bundle_components(&self, bundle: BundleId) -> &[ComponentId] {
        &self.bundles.info(bundle).components
    }

    /// What a bundle brings along.
    pub(crate) fn bundle_requirements(&self, bundle: BundleId) -> &[Requirement] {
        &self.bundles.info(bundle).required
    }

    /// What a component brings along to an entity that lacks it.
    pub(crate) fn missing_requirements(&self, entity: Entity, id: ComponentId) -> Vec<Requirement> {
        let mut required = brought_along(&self.registry, &[id]);
        required.retain(|one| !self.contains_by_id(entity, one.component));
        required
    }

    /// Drops a value that arrives nowhere.
    ///
    /// # Safety
    /// The value is not used again.
    pub(crate) unsafe fn drop_arriving(&self, arriving: &Arriving) {
        if let Some(drop) = self.registry.info(arriving.component).drop {
            // SAFETY: the value is of this component; the rest is passed on from the caller.
            unsafe { drop(arriving.value, 1) };
        }
    }

    /// Lets components leave a living entity, and then others come to it. Those that come replace
    /// what is there; `required` are made where they are.
    ///
    /// Where it panics before anything has changed (a `clone`), the values that were to come are
    /// dropped.
    ///
    /// # Safety
    /// The values are of their components, each component stands in the list once, and nobody
    /// uses them again.
    pub(crate) unsafe fn restructure(
        &mut self,
        entity: Entity,
        arriving: &[Arriving],
        leaving: &[ComponentId],
        required: &[Requirement],
    ) {
        let change = Change {
            entity,
            arriving,
            leaving,
            required,
        };
        let mut panicked = FirstPanic::default();
        let mut plan = None;
        panicked.catch(|| plan = Some(self.ready_change(&change)));
        let Some((from, target, made)) = plan else {
            for value in arriving {
                // SAFETY: passed on from the caller.
                panicked.catch(|| unsafe { self.drop_arriving(value) });
            }
            return panicked.resume();
        };
        match from {
            // SAFETY: readied above; the rest is passed on from the caller.
            Some(from) => unsafe { self.change(&change, from, target, &mut panicked) },
            // SAFETY: as above.
            None => unsafe { self.change_reserved(&change, target, &mut panicked) },
        }
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        made.insert(entity, &mut self.sparse, to);
        panicked.resume();
    }

    /// Where the entity is and where it goes; readies what may panic without having changed
    /// anything.
    fn ready_change(&mut self, change: &Change<'_>) -> (Option<Location>, ArchetypeId, MadeAside) {
        let from = match self.entities.get(change.entity) {
            Some(Place::At(from)) => Some(from),
            _ => None,
        };
        let target = self.target_of(change, from);
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        for new in change.arriving {
            if self.registry.info(new.component).sparse {
                let set = self
                    .sparse
                    .make(new.component, &self.registry, &self.entity_info);
                set.ready_insert(change.entity, to);
            }
        }
        for &component in change.leaving {
            if let Some(set) = self.sparse.get_mut(component) {
                set.ready_remove(change.entity, to);
            }
        }
        match from {
            Some(from) if from.archetype == target.0 => {
                let archetype = &mut self.archetypes[target.index()];
                let in_table = |new: &Arriving| archetype.set().contains(new.component);
                if change.arriving.iter().any(in_table) {
                    archetype.ready_row(from.row as usize, to);
                }
            }
            Some(from) => {
                let (source, target) = pair(&mut self.archetypes, from, target);
                source.ready_move(from.row as usize, target, to);
            }
            None => self.archetypes[target.index()].ready_push(to),
        }
        let archetype = &mut self.archetypes[target.index()];
        let columns = change.required.iter().map(|one| {
            let column = archetype.column_index(one.component);
            RequiredColumn::new(one, column)
        });
        let columns: Vec<RequiredColumn> = columns.collect();
        let entity = change.entity;
        let made = MadeAside::readied(
            &columns,
            entity,
            &mut self.sparse,
            &self.registry,
            &self.entity_info,
            to,
        );
        // The last that may panic: what it makes belongs to a row that comes next.
        archetype.make_next(&columns, to);
        (from, target, made)
    }

    fn target_of(&mut self, change: &Change<'_>, from: Option<Location>) -> ArchetypeId {
        let here = from.map_or(&[][..], |from| {
            self.archetypes[from.archetype as usize].components()
        });
        let stays = |&id: &ComponentId| !change.leaving.contains(&id) || change.arrives(id);
        let mut after: Vec<ComponentId> = here.iter().copied().filter(stays).collect();
        let new = change.arriving.iter().map(|new| new.component);
        let new = new.chain(change.required.iter().map(|one| one.component));
        after.extend(new.filter(|&id| !self.registry.info(id).sparse));
        after.sort_unstable();
        after.dedup();
        let target = self.archetype_of(&after);
        if let Some(from) = from
            && from.archetype != target.0
        {
            self.find_direct_edge(ArchetypeId(from.archetype), target);
        }
        target
    }

    /// # Safety
    /// `ready_change` was called since the last change; the values are as `restructure` asks for.
    unsafe fn change(
        &mut self,
        change: &Change<'_>,
        from: Location,
        target: ArchetypeId,
        panicked: &mut FirstPanic,
    ) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let old = self.archetypes[from.archetype as usize].set().clone();
        let (mut row, mut moved) = (from.row as usize, None);
        if from.archetype != target.0 {
            let edge = self.graph.direct_edge(ArchetypeId(from.archetype), target);
            let (source, target) = pair(&mut self.archetypes, from, target);
            // SAFETY: readied by the caller; what only the target has is written below, before
            // anything else.
            moved = Some(unsafe { source.move_row(row, target, edge, to, Leaving::Dropped) });
            row = target.len() - 1;
        }
        let archetype = &mut self.archetypes[target.index()];
        // What is new first: until it is written the row is not whole, and replacing drops.
        let table = |new: &&Arriving| archetype.column_index(new.component).is_some();
        let (fresh, replaced): (Vec<&Arriving>, Vec<&Arriving>) = change
            .arriving
            .iter()
            .filter(table)
            .partition(|new| !old.contains(new.component));
        for new in fresh {
            let column = archetype
                .column_index(new.component)
                .expect("filtered above");
            // SAFETY: the row is new and last; the value is of this component.
            unsafe { archetype.put_last(column, new.value, to.tick) };
        }
        for new in replaced {
            let column = archetype
                .column_index(new.component)
                .expect("filtered above");
            // SAFETY: the row has this component, and the value is of it.
            unsafe { archetype.replace(column, row, new.value, to, panicked) };
            if change.is_renewed(new.component) {
                archetype.mark_added(column, row, to);
            }
        }
        // SAFETY: readied by the caller.
        unsafe { self.change_sparse(change, panicked) };
        if let Some(moved) = moved {
            self.entities.set(change.entity, target.location(row));
            if let Some(entity) = moved.filled_by {
                self.entities.set(entity, from);
            }
            panicked.merge(moved.panicked);
        }
    }

    /// # Safety
    /// As `change`, for a handle without a row.
    unsafe fn change_reserved(
        &mut self,
        change: &Change<'_>,
        target: ArchetypeId,
        panicked: &mut FirstPanic,
    ) {
        let archetype = &mut self.archetypes[target.index()];
        self.entities.set(change.entity, archetype.next_location());
        // SAFETY: readied by the caller; every component is written below.
        unsafe { archetype.push_handle(change.entity) };
        for new in change.arriving {
            if let Some(column) = archetype.column_index(new.component) {
                // SAFETY: the row is new; the value is of this component.
                unsafe { archetype.put_last(column, new.value, self.tick) };
            }
        }
        // SAFETY: passed on from the caller.
        unsafe { self.change_sparse(change, panicked) };
    }

    /// The part of a change that concerns sparse sets.
    ///
    /// # Safety
    /// As `change`.
    unsafe fn change_sparse(&mut self, change: &Change<'_>, panicked: &mut FirstPanic) {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        for &component in change.leaving {
            if let Some(set) = self.sparse.get_mut(component)
                && !change.arrives(component)
            {
                set.remove(change.entity, to, panicked);
            }
        }
        for new in change.arriving {
            if self.registry.info(new.component).sparse {
                let set = self.sparse.get_mut(new.component).expect("readied before");
                // SAFETY: readied by the caller; the value is of this component.
                unsafe { set.insert(change.entity, new.value, to, panicked) };
                if change.is_renewed(new.component) {
                    set.mark_added(change.entity, to);
                }
            }
        }
    }
}
