//! Structural changes of all entities that match a filter: columns move, not entities.

use super::World;
use super::fresh::Fresh;
use super::watched::Batches;
use crate::archetype::graph::Direction;
use crate::archetype::{Archetype, ArchetypeId, LeftColumn};
use crate::bundle::{Bundle, BundleId, RequiredColumn};
use crate::entity::Entity;
use crate::observer::{Lifecycle, Watch};
use crate::panics::FirstPanic;
use crate::query::QueryFilter;
use crate::storage::BLOCK_ROWS;
use crate::storage::column::Writer;

impl World {
    /// Adds clones of a bundle to every entity that matches a filter, replaces what they have of
    /// it, and says how many there were.
    ///
    /// Entities keep their order; those of one archetype come after the ones that the archetype
    /// they go to has already. Observers run when all have changed, for one entity after the
    /// other.
    ///
    /// # Panics
    /// When a component stands in the bundle twice. A panic of a `clone` comes before anything of
    /// that archetype has changed.
    ///
    /// # Cost
    /// For each entity one clone and one entry of the entity table, or an insertion of its own if a
    /// component is sparse. Columns that stay with the
    /// entity are not touched where the archetype it goes to is empty, else copied block by block.
    ///
    /// ```
    /// use orrery_ecs::{Component, With, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Name(u32);
    /// #[derive(Clone, Copy, Component)]
    /// struct Frozen;
    /// let mut world = World::new();
    /// world.spawn_batch((0..1000).map(Name));
    /// assert_eq!(world.insert_where::<With<Name>, _>(Frozen), 1000);
    /// assert_eq!(world.remove_where::<With<Frozen>, Frozen>(), 1000);
    /// assert_eq!(world.despawn_where::<With<Name>>(), 1000);
    /// ```
    pub fn insert_where<F: QueryFilter, B: Bundle + Clone>(&mut self, bundle: B) -> usize {
        self.flush_reserved();
        let bundle_id = self.bundle_id::<B>();
        let matching = self.matching::<F>();
        let watched = self.is_bundle_arrival_watched(bundle_id);
        // Whether a relationship is refused may hang on what became of the one before.
        let one_by_one = F::BY_ROW || self.is_bundle_related(bundle_id);
        if one_by_one || !self.bundles.info(bundle_id).is_in_tables() {
            let entities = self.matching_entities::<F>();
            if watched {
                self.insert_each_watched(&entities, bundle_id, &bundle);
                return entities.len();
            }
            for &entity in &entities {
                // It lives, so there is nothing to report.
                let _ = self.insert(entity, bundle.clone());
            }
            return entities.len();
        }
        let mut batches = Batches::new(watched);
        let mut count = 0;
        // Those that have it all first: others come to them.
        let mut moving = Vec::new();
        for at in matching {
            count += self.archetypes[at.index()].len();
            self.find_edge(Direction::Insert, at.location(0), bundle_id);
            let edge = self
                .graph
                .known_edge(Direction::Insert, at.location(0), bundle_id);
            if edge.target != at {
                moving.push(at);
                continue;
            }
            let entities = self.entities_for(watched, at);
            let left = batches.make(|| {
                let fresh = self.fresh_columns(at, at, bundle_id, &[], &bundle);
                self.replace_all(at, fresh, watched)
            });
            let Some(left) = left else {
                return self.deliver_arrivals(batches, bundle_id, count);
            };
            // SAFETY: `replace_all` readied them if somebody watches.
            unsafe { self.note(&mut batches, at, entities, left) };
        }
        for at in moving {
            let edge = self
                .graph
                .known_edge(Direction::Insert, at.location(0), bundle_id);
            let target = edge.target;
            let entities = self.entities_for(watched, at);
            let left = batches.make(|| {
                let edge = self
                    .graph
                    .known_edge(Direction::Insert, at.location(0), bundle_id);
                let fresh = self.fresh_columns(at, target, bundle_id, &edge.required, &bundle);
                self.move_all(Direction::Insert, at, bundle_id, fresh)
            });
            let Some(left) = left else {
                break;
            };
            // SAFETY: `move_all` readied them.
            unsafe { self.note(&mut batches, at, entities, left) };
        }
        self.deliver_arrivals(batches, bundle_id, count)
    }

    /// Removes components of a bundle from every entity that matches a filter, drops them, and
    /// says how many entities had any.
    ///
    /// # Panics
    /// When a component stands in the bundle twice.
    ///
    /// # Cost
    /// As [`insert_where`](World::insert_where), without clones.
    ///
    /// ```
    /// use orrery_ecs::{Component, With, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Name(u32);
    /// #[derive(Clone, Copy, Component)]
    /// struct Frozen;
    /// let mut world = World::new();
    /// world.spawn_batch((0..10).map(|i| (Name(i), Frozen)));
    /// world.spawn(Name(10));
    /// assert_eq!(world.remove_where::<With<Name>, Frozen>(), 10);
    /// ```
    pub fn remove_where<F: QueryFilter, B: Bundle>(&mut self) -> usize {
        self.flush_reserved();
        let bundle_id = self.bundle_id::<B>();
        let matching = self.matching::<F>();
        let watched = self.is_bundle_watched(bundle_id, Watch::REMOVAL);
        if F::BY_ROW || !self.bundles.info(bundle_id).is_in_tables() {
            let entities = self.matching_entities::<F>();
            if watched {
                return self.remove_each_watched(&entities, bundle_id);
            }
            let removed = |&&entity: &&Entity| self.remove::<B>(entity) == Ok(true);
            return entities.iter().filter(removed).count();
        }
        let mut batches = Batches::new(self.is_bundle_watched(bundle_id, Watch::REMOVE));
        let mut count = 0;
        for at in matching {
            self.find_edge(Direction::Remove, at.location(0), bundle_id);
            let edge = self
                .graph
                .known_edge(Direction::Remove, at.location(0), bundle_id);
            if edge.target != at {
                let entities = self.entities_for(watched, at);
                let rows = self.archetypes[at.index()].len();
                let fresh = Fresh::none();
                let left = batches.make(|| self.move_all(Direction::Remove, at, bundle_id, fresh));
                let Some(left) = left else {
                    break;
                };
                count += rows;
                for column in &left {
                    self.log_removed(column.component, entities.iter().copied());
                }
                // SAFETY: `move_all` readied them.
                unsafe { self.note(&mut batches, at, entities, left) };
            }
        }
        self.deliver_departures(batches, &[Lifecycle::Remove]);
        count
    }

    /// Despawns every entity that matches a filter and says how many there were.
    ///
    /// # Cost
    /// For each entity one entry of the entity table, and the drops that its components need.
    ///
    /// ```
    /// use orrery_ecs::{Component, With, Without, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Name(u32);
    /// #[derive(Clone, Copy, Component)]
    /// struct Frozen;
    /// let mut world = World::new();
    /// world.spawn_batch((0..10).map(|i| (Name(i), Frozen)));
    /// world.spawn(Name(10));
    /// assert_eq!(world.despawn_where::<(With<Name>, Without<Frozen>)>(), 1);
    /// assert_eq!(world.len(), 10);
    /// ```
    pub fn despawn_where<F: QueryFilter>(&mut self) -> usize {
        self.flush_reserved();
        let matching = self.matching::<F>();
        if F::BY_ROW {
            let entities = self.matching_entities::<F>();
            return self.despawn_each(&matching, &entities);
        }
        if self.is_departure_watched_in(&matching) {
            return self.despawn_all_watched(&matching);
        }
        let mut panicked = FirstPanic::default();
        let mut count = 0;
        for at in matching {
            let archetype = &mut self.archetypes[at.index()];
            count += archetype.len();
            let to = Writer {
                pool: &self.pool,
                tick: self.tick,
            };
            for block in 0..archetype.block_count() {
                for &entity in archetype.handles(block) {
                    if !self.sparse.is_empty() {
                        self.sparse.ready_remove_entity(entity, to);
                        self.sparse.remove_entity(entity, to, &mut panicked);
                    }
                    self.entities.free(entity);
                }
            }
            panicked.catch(|| archetype.clear());
        }
        panicked.resume();
        count
    }

    /// Archetypes with entities that match a filter, in order of creation.
    fn matching<F: QueryFilter>(&mut self) -> Vec<ArchetypeId> {
        let filter = F::init(self);
        let matches = |archetype: &&Archetype| {
            !archetype.is_empty() && F::columns(&filter, archetype).is_some()
        };
        let matching = self.archetypes.iter().filter(matches);
        matching.map(Archetype::id).collect()
    }

    /// Entities that match a filter, in order.
    fn matching_entities<F: QueryFilter>(&mut self) -> Vec<Entity> {
        let mut query = self.query_filtered::<Entity, F>();
        query.iter(self).collect()
    }

    /// Handles of all entities of some archetypes, in order.
    pub(super) fn entities_in(&self, archetypes: &[ArchetypeId]) -> Vec<Entity> {
        let archetypes = archetypes.iter().map(|at| &self.archetypes[at.index()]);
        let blocks = archetypes.flat_map(|archetype| {
            (0..archetype.block_count()).map(move |block| archetype.handles(block))
        });
        blocks.flatten().copied().collect()
    }

    /// Columns of clones of a bundle for all rows of an archetype.
    fn fresh_columns<B: Bundle + Clone>(
        &self,
        at: ArchetypeId,
        target: ArchetypeId,
        bundle_id: BundleId,
        required: &[RequiredColumn],
        bundle: &B,
    ) -> Fresh {
        let components = &self.bundles.info(bundle_id).components;
        let target = &self.archetypes[target.index()];
        let mut fresh = Fresh::new(components, required, target, &self.registry);
        let archetype = &self.archetypes[at.index()];
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        fresh.fill(archetype.len(), archetype.room(), bundle, to);
        fresh.make_required(archetype.len(), archetype.room(), to);
        fresh
    }

    /// Puts fresh columns in the place of those of the same components, and gives these.
    fn replace_all(&mut self, at: ArchetypeId, fresh: Fresh, ready: bool) -> Vec<LeftColumn> {
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        let archetype = &mut self.archetypes[at.index()];
        if ready {
            archetype.ready_all(to);
        }
        let mut left = Vec::new();
        // SAFETY: made for this archetype, with its rows and room.
        unsafe { archetype.replace_all(fresh.finish(), to, &mut left) };
        left
    }

    /// Moves all rows of an archetype along an edge that is known; gives the columns that do not
    /// go along.
    fn move_all(
        &mut self,
        direction: Direction,
        at: ArchetypeId,
        bundle_id: BundleId,
        fresh: Fresh,
    ) -> Vec<LeftColumn> {
        let edge = self.graph.known_edge(direction, at.location(0), bundle_id);
        let both = [at.index(), edge.target.index()];
        let both = self.archetypes.get_disjoint_mut(both);
        let [source, target] = both.expect("two different archetypes of this world");
        let to = Writer {
            pool: &self.pool,
            tick: self.tick,
        };
        source.ready_all(to);
        let mut left = Vec::new();
        // SAFETY: readied a line above; the fresh columns were made for this edge, with the rows
        // and the room of the source.
        let first = unsafe { source.move_all(target, edge, fresh.finish(), to, &mut left) };
        let mut row = first;
        for block in first / BLOCK_ROWS..target.block_count() {
            let handles = &target.handles(block)[row % BLOCK_ROWS..];
            self.entities.set_many(handles, target.id().location(row));
            row += handles.len();
        }
        left
    }
}
