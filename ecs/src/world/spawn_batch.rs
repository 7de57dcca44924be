//! The handles of a batch that was spawned.

use std::ops::Range;

use crate::archetype::Archetype;
use crate::entity::Entity;

/// The handles of a batch, in order; see [`World::spawn_batch`](crate::World::spawn_batch).
pub struct SpawnBatch<'w>(Handles<'w>);

enum Handles<'w> {
    Rows(&'w Archetype, Range<usize>),
    /// As they were before observers could move them.
    List(std::vec::IntoIter<Entity>),
}

impl<'w> SpawnBatch<'w> {
    /// The entities of an archetype from a row on.
    pub(super) fn new(archetype: &'w Archetype, first: usize) -> Self {
        Self(Handles::Rows(archetype, first..archetype.len()))
    }

    pub(super) fn of(entities: Vec<Entity>) -> Self {
        Self(Handles::List(entities.into_iter()))
    }
}

impl Iterator for SpawnBatch<'_> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        match &mut self.0 {
            Handles::Rows(archetype, rows) => rows.next().map(|row| archetype.entity(row)),
            Handles::List(entities) => entities.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Handles::Rows(_, rows) => rows.size_hint(),
            Handles::List(entities) => entities.size_hint(),
        }
    }
}

impl ExactSizeIterator for SpawnBatch<'_> {}
impl std::iter::FusedIterator for SpawnBatch<'_> {}
