//! Forking: a second world that shares every block until one of the two writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{RecentSparse, World, WorldId};
use crate::archetype::Archetype;
use crate::archetype::graph::RecentEdges;
use crate::bundle::RecentBundles;
use crate::component::info::CloneBehavior;
use crate::error::ForkError;
use crate::resource::NonSends;

impl World {
    /// A world with the same entities, handles, components, resources and order.
    ///
    /// Nothing is copied but lists of archetypes: blocks, entity pages and resources are shared,
    /// and whoever writes to one first gets a copy. Both worlds give the same handles and the
    /// same hashes from here on if the same operations are done to them. Observers and readers of
    /// removed components are the same in both.
    ///
    /// # Errors
    /// When a component, resource or local that is present opted out of `Clone` or is non-send,
    /// or a running system or resource scope has something out of the world; all are named.
    ///
    /// # Cost
    /// A few reference counts for each archetype and its columns, whatever the number of
    /// entities.
    ///
    /// ```
    /// use orrery_ecs::{Component, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Health(u32);
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut what_if = world.fork()?;
    /// what_if.get_mut::<Health>(entity).expect("it lives there too").0 = 0;
    /// assert_eq!(world.get::<Health>(entity).map(|health| health.0), Some(3));
    /// # Ok::<(), orrery_ecs::ForkError>(())
    /// ```
    pub fn fork(&self) -> Result<Self, ForkError> {
        let refusing = ForkError {
            names: self.refusing_fork(),
            locals: self.systems.refusing_clone().collect(),
            non_send: self.non_send.present().collect(),
            in_use: self
                .resources
                .lent()
                .chain(self.systems.running())
                .collect(),
        };
        if !refusing.is_empty() {
            return Err(refusing);
        }
        self.forks.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            id: WorldId::next(),
            tick: self.tick,
            forks: AtomicU64::new(0),
            entities: self.entities.share(),
            registry: self.registry.clone(),
            bundles: self.bundles.clone(),
            recent: RecentBundles::default(),
            recent_sparse: RecentSparse::default(),
            recent_edges: RecentEdges::default(),
            graph: self.graph.clone(),
            archetypes: self.archetypes.iter().map(Archetype::share).collect(),
            vacant: self.vacant.clone(),
            renumbered: self.renumbered,
            sparse: self.sparse.share(),
            resources: self.resources.clone(),
            non_send: NonSends::default(),
            systems: self.systems.clone(),
            observers: self.observers.share(),
            pool: Arc::clone(&self.pool),
            entity_info: Arc::clone(&self.entity_info),
        })
    }

    fn refusing_fork(&self) -> Vec<&'static str> {
        let mut components = Vec::new();
        let sets = self.sparse.iter().map(|(_, set)| set.rows());
        for archetype in self
            .archetypes
            .iter()
            .chain(sets)
            .filter(|archetype| !archetype.is_empty())
        {
            for (column, &id) in archetype.columns().iter().zip(archetype.components()) {
                if matches!(column.info().clone, CloneBehavior::Refuse) {
                    components.push(id);
                }
            }
        }
        components.sort_unstable();
        components.dedup();
        let named = components.into_iter().map(|id| self.registry.name(id));
        named.chain(self.resources.refusing_clone()).collect()
    }
}
