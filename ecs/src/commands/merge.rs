//! Commands put together by entity.
//!
//! An entity that is spawned, given two components and relieved of one would go through three
//! archetypes if each command were done by itself. Between two closures, which may look at
//! anything, nobody can see those in between; so what is asked of one entity is first put together:
//! which components come (the last value of each), which leave, whether it is despawned. What
//! somebody watches is done by itself, in its place.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::queue::{CommandQueue, Record};
use super::record::{Action, BundleActions, Free};
use crate::bundle::BundleId;
use crate::component::info::ComponentId;
use crate::component::required::Requirement;
use crate::entity::Entity;
use crate::observer::Watch;
use crate::panics::FirstPanic;
use crate::world::{Arriving, World};

/// End of a list.
const NONE: u32 = u32::MAX;

/// Records up to the next closure, by entity. Kept between uses for its memory.
#[derive(Default)]
pub(super) struct Merge {
    records: Vec<Listed>,
    /// In the order in which the entities were first spoken of.
    groups: Vec<Group>,
    /// Only looked up, never iterated.
    group_of: FxHashMap<Entity, u32>,
}

struct Listed {
    record: Record,
    /// The next record of the same entity.
    next: u32,
}

struct Group {
    entity: Entity,
    first: u32,
    last: u32,
}

// SAFETY: the pointers in records are into the queue that owns this, and only used while it is
// applied; payloads are Send.
unsafe impl Send for Merge {}
// SAFETY: a shared one gives access to nothing.
unsafe impl Sync for Merge {}

/// What the commands for one entity come to.
#[derive(Default)]
struct Outcome {
    /// Last value of each component that comes, in the order of the first.
    arriving: SmallVec<[Arriving; 8]>,
    leaving: SmallVec<[ComponentId; 8]>,
    /// What those that come bring along and the entity lacks.
    required: SmallVec<[Requirement; 4]>,
    /// Values that another one replaced before they arrived.
    dropped: SmallVec<[Arriving; 4]>,
    boxes: Boxes,
    /// Whether it was given a bundle, be it an empty one.
    is_given: bool,
    despawned: bool,
    missed: u64,
}

/// Boxes whose values were given away. They hold them until these have arrived, and are freed then,
/// also when a panic comes between.
#[derive(Default)]
struct Boxes(SmallVec<[(Free, *mut u8); 2]>);

impl Drop for Boxes {
    fn drop(&mut self) {
        for &(free, payload) in &self.0 {
            // SAFETY: the record has given the values away, and `take_values` lists it once.
            unsafe { free(payload) };
        }
    }
}

impl Merge {
    /// Sorts the waiting records by entity up to the next one that has to be done by itself, and
    /// gives the end of them.
    pub(super) fn collect(&mut self, queue: &mut CommandQueue, world: &mut World) -> usize {
        self.records.clear();
        self.groups.clear();
        self.group_of.clear();
        let waiting = queue.waiting();
        let (mut at, mut unwatched) = (waiting.start, None);
        while at < waiting.end {
            let record = queue.record(at);
            match record.action {
                Action::Nothing => {}
                _ if is_alone(&record, &mut unwatched, world) => break,
                _ => self.add(record),
            }
            at = queue.after(at);
        }
        at
    }

    fn add(&mut self, record: Record) {
        let (entity, number) = (record.entity, self.records.len() as u32);
        self.records.push(Listed { record, next: NONE });
        let newest = self.groups.len() as u32;
        let group = match self.groups.last() {
            Some(last) if last.entity == entity => newest - 1,
            _ => *self.group_of.entry(entity).or_insert(newest),
        };
        if group == newest {
            self.groups.push(Group {
                entity,
                first: number,
                last: number,
            });
            return;
        }
        let group = &mut self.groups[group as usize];
        self.records[group.last as usize].next = number;
        group.last = number;
    }

    /// Does what was collected.
    pub(super) fn apply(&mut self, queue: &mut CommandQueue, world: &mut World) {
        for group in &self.groups {
            if group.first == group.last {
                let record = &self.records[group.first as usize].record;
                queue.mark_done(record);
                // SAFETY: the record is marked as done.
                let lives = unsafe { apply_one(record, world) };
                queue.count_missed(!lives);
            } else {
                self.apply_group(group, queue, world);
            }
        }
    }

    fn apply_group(&self, group: &Group, queue: &mut CommandQueue, world: &mut World) {
        let mut outcome = Outcome::default();
        let mut next = group.first;
        while next != NONE {
            let listed = &self.records[next as usize];
            outcome.add(&listed.record, world);
            queue.mark_done(&listed.record);
            next = listed.next;
        }
        (0..outcome.missed).for_each(|_| queue.count_missed(true));
        outcome.apply(group.entity, world);
    }
}

/// Whether user code may see what the command changes as soon as it is done: a closure, and what
/// somebody watches. A component that is watched in any way never waits for later commands, so that
/// the entity shows what its despawn has to tell.
///
/// `unwatched` remembers the last bundle that nobody watches: mostly it is the next one too.
fn is_alone(
    record: &Record,
    unwatched: &mut Option<&'static BundleActions>,
    world: &mut World,
) -> bool {
    match record.action {
        Action::Spawn(bundle) | Action::Insert(bundle) => {
            if unwatched.is_some_and(|last| std::ptr::eq(last, bundle)) {
                return false;
            }
            let id = (bundle.bundle)(world);
            let required = world.bundle_requirements(id).iter();
            let components = world.bundle_components(id).iter().copied();
            let mut all = components.chain(required.map(|one| one.component));
            let watched = all.any(|component| world.watch_of(component) != Watch::NONE);
            if !watched {
                *unwatched = Some(bundle);
            }
            watched
        }
        Action::Remove(bundle) => {
            let id = (bundle.bundle)(world);
            world.is_watched(world.bundle_components(id), Watch::REMOVAL)
        }
        Action::Despawn => world.is_departure_watched(record.entity),
        Action::Call { .. } => true,
        Action::Nothing => false,
    }
}

/// A command by itself; says whether its entity lives.
///
/// # Safety
/// The record was passed or marked as done, so that nobody uses its payload again.
pub(super) unsafe fn apply_one(record: &Record, world: &mut World) -> bool {
    let (entity, payload) = (record.entity, record.payload);
    match record.action {
        // SAFETY: the payload is the bundle's; the rest is passed on from the caller.
        Action::Spawn(bundle) => unsafe { (bundle.spawn)(payload, world, entity) },
        // SAFETY: as above.
        Action::Insert(bundle) => unsafe { (bundle.insert)(payload, world, entity) },
        Action::Remove(bundle) => (bundle.remove)(world, entity),
        Action::Despawn => world.despawn(entity).is_ok(),
        // SAFETY: the payload is the closure's; the rest is passed on from the caller.
        Action::Call { call, .. } => unsafe { call(payload, world) },
        Action::Nothing => true,
    }
}

impl Outcome {
    fn add(&mut self, record: &Record, world: &mut World) {
        let gone = world.entities.get(record.entity).is_none() || self.despawned;
        match record.action {
            Action::Spawn(bundle) => {
                // What was given components before is no fresh handle any more.
                let fresh = world.is_unspawned(record.entity) && !self.is_given;
                let id = (bundle.bundle)(world);
                // SAFETY: the record holds the bundle and is done with it.
                unsafe { self.take_values(id, bundle, record, gone || !fresh, world) };
                self.missed += u64::from(!gone && !fresh);
            }
            Action::Insert(bundle) => {
                let id = (bundle.bundle)(world);
                // SAFETY: as above.
                unsafe { self.take_values(id, bundle, record, gone, world) };
            }
            Action::Remove(bundle) => {
                let id = (bundle.bundle)(world);
                if !gone {
                    self.remove(id, world);
                }
            }
            Action::Despawn => {
                if !gone {
                    self.dropped.extend(self.arriving.drain(..));
                    self.despawned = true;
                }
            }
            Action::Call { .. } | Action::Nothing => return,
        }
        self.missed += u64::from(gone);
    }

    /// # Safety
    /// The record holds the bundle that `actions` are of, and gives its values away.
    unsafe fn take_values(
        &mut self,
        bundle: BundleId,
        actions: &BundleActions,
        record: &Record,
        refused: bool,
        world: &World,
    ) {
        self.is_given |= !refused;
        if !refused {
            self.require(record.entity, bundle, world);
        }
        let mut next = world.bundle_components(bundle).iter();
        let mut receive = |value: *mut u8| {
            let component = *next.next().expect("as many components as the bundle lists");
            let new = Arriving { component, value };
            let old = self
                .arriving
                .iter_mut()
                .find(|old| old.component == component);
            match old {
                _ if refused => self.dropped.push(new),
                Some(old) => self.dropped.push(std::mem::replace(old, new)),
                None => {
                    self.required.retain(|one| one.component != component);
                    self.arriving.push(new);
                }
            }
        };
        // SAFETY: passed on from the caller.
        unsafe { (actions.pointers)(record.payload, &mut receive) };
        let free = actions.free.map(|free| (free, record.payload));
        self.boxes.0.extend(free);
    }

    /// Notes what a bundle brings along to an entity that lacks it by now.
    fn require(&mut self, entity: Entity, bundle: BundleId, world: &World) {
        for one in world.bundle_requirements(bundle) {
            let id = one.component;
            let comes = self.arriving.iter().any(|new| new.component == id)
                || self.required.iter().any(|other| other.component == id);
            let stays = world.contains_by_id(entity, id) && !self.leaving.contains(&id);
            if !comes && !stays {
                self.required.push(one.clone());
            }
        }
    }

    fn remove(&mut self, bundle: BundleId, world: &World) {
        for &component in world.bundle_components(bundle) {
            self.required.retain(|one| one.component != component);
            let arriving = self
                .arriving
                .iter()
                .position(|new| new.component == component);
            if let Some(index) = arriving {
                self.dropped.push(self.arriving.remove(index));
            }
            if !self.leaving.contains(&component) {
                self.leaving.push(component);
            }
        }
    }

    fn apply(self, entity: Entity, world: &mut World) {
        let mut panicked = FirstPanic::default();
        for value in &self.dropped {
            // SAFETY: the value was given away by its record, and is in no list but this.
            panicked.catch(|| unsafe { world.drop_arriving(value) });
        }
        if self.despawned {
            panicked.catch(|| {
                // It lived a moment ago, so there is nothing to report.
                let _ = world.despawn(entity);
            });
        } else if self.is_given || !self.leaving.is_empty() {
            // SAFETY: the values were given away by their records, each component once.
            panicked.catch(|| unsafe {
                world.restructure(entity, &self.arriving, &self.leaving, &self.required);
            });
        }
        panicked.resume();
    }
}
