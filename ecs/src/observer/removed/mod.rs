//! Removed components as a log: who reads it sees each entity once, whenever it comes to read.
//!
//! ```text
//! world -> component -> RemovalLog: entities in order of removal | readers, each with its place
//! reader object -> token, by which the log knows it
//! system parameter -> its number among the readers of a system, whose number forks keep
//! ```
//!
//! The places lie in the world, so a fork copies them and both worlds go on from there. The log is
//! trimmed as far as all readers have come; a reader whose object was dropped counts no more. It
//! holds [`REMOVED_MAX`] entities at most: the oldest then make room and are counted for the
//! readers that had not seen them. Components without readers are not logged.

mod param;
mod reader;

use std::collections::VecDeque;
use std::collections::vec_deque;
use std::sync::{Arc, Weak};

use super::watch::Watch;
use crate::component::info::ComponentId;
use crate::entity::Entity;
use crate::storage::shared::Shared;
use crate::system::SystemId;

pub use param::RemovedComponents;
pub use reader::RemovedReader;

/// Entities that the log of one component holds, at most: 8 MiB of handles.
pub const REMOVED_MAX: usize = 1 << 20;

/// How many entries come between two looks at what could be trimmed.
const TRIM_EVERY: usize = 1024;

/// A reader object as the log knows it: the object and the log share this.
#[derive(Debug, Default)]
pub(super) struct Token(());

/// Who reads.
#[derive(Clone, Debug)]
pub(super) enum ReaderKey {
    /// An object, until it is dropped.
    Object(Arc<Token>),
    /// A parameter, as long as the world knows its system.
    Param(SystemId, u32),
}

/// A `ReaderKey` that keeps no object alive.
#[derive(Clone)]
enum Owner {
    Object(Weak<Token>),
    Param(SystemId, u32),
}

impl Owner {
    fn of(key: &ReaderKey) -> Self {
        match key {
            ReaderKey::Object(token) => Self::Object(Arc::downgrade(token)),
            ReaderKey::Param(system, number) => Self::Param(*system, *number),
        }
    }

    fn is(&self, key: &ReaderKey) -> bool {
        match (self, key) {
            (Self::Object(weak), ReaderKey::Object(token)) => {
                std::ptr::eq(weak.as_ptr(), Arc::as_ptr(token))
            }
            (Self::Param(system, number), ReaderKey::Param(other, index)) => {
                system == other && number == index
            }
            _ => false,
        }
    }

    fn is_gone(&self) -> bool {
        matches!(self, Self::Object(token) if token.strong_count() == 0)
    }
}

#[derive(Clone)]
struct Reader {
    owner: Owner,
    /// Number of the next entry that it has not seen.
    next: u64,
    /// Entries that made room before it came to read them.
    missed: u64,
}

#[derive(Clone, Default)]
struct RemovalLog {
    /// Number of the first entry.
    first: u64,
    entities: VecDeque<Entity>,
    readers: Vec<Reader>,
}

/// The logs of a world by component; forks share each until one writes to it.
#[derive(Clone, Default)]
pub(crate) struct RemovalLogs(Vec<Option<Shared<RemovalLog>>>);

impl RemovalLogs {
    fn get(&self, component: ComponentId) -> Option<&RemovalLog> {
        self.0.get(component.index())?.as_deref()
    }

    fn get_mut(&mut self, component: ComponentId) -> Option<&mut RemovalLog> {
        let log = self.0.get_mut(component.index())?.as_mut()?;
        Some(log.make_mut())
    }

    pub(super) fn watch(&self, component: ComponentId) -> Watch {
        match self.get(component) {
            Some(_) => Watch::LOG,
            None => Watch::NONE,
        }
    }

    /// Notes that a component left some entities. Says whether nobody reads the log any more; it
    /// is gone then.
    pub(crate) fn push(
        &mut self,
        component: ComponentId,
        entities: impl IntoIterator<Item = Entity>,
    ) -> bool {
        let Some(log) = self.get_mut(component) else {
            return false;
        };
        for entity in entities {
            if log.entities.len() == REMOVED_MAX {
                log.entities.pop_front();
                log.first += 1;
            }
            log.entities.push_back(entity);
            if log.entities.len().is_multiple_of(TRIM_EVERY) {
                log.trim();
            }
        }
        let unread = log.readers.is_empty();
        if unread {
            self.0[component.index()] = None;
        }
        unread
    }

    /// Makes a reader known, at the end of the log; says whether it is the first.
    fn register(&mut self, component: ComponentId, key: &ReaderKey) -> bool {
        // A log that a fork shares is copied only if it must.
        if self
            .get(component)
            .is_some_and(|log| log.reader(key).is_some())
        {
            return false;
        }
        if self.0.len() <= component.index() {
            self.0.resize_with(component.index() + 1, || None);
        }
        let place = &mut self.0[component.index()];
        let is_first = place.is_none();
        let log = place
            .get_or_insert_with(|| Shared::new(RemovalLog::default()))
            .make_mut();
        // Else readers that come and go would pile up for as long as nothing is removed.
        log.readers.retain(|reader| !reader.owner.is_gone());
        log.readers.push(Reader {
            owner: Owner::of(key),
            next: log.first + log.entities.len() as u64,
            missed: 0,
        });
        is_first
    }

    /// Forgets the readers of a system that is gone.
    pub(super) fn forget_system(&mut self, system: SystemId) {
        let is_its = |reader: &Reader| matches!(reader.owner, Owner::Param(id, _) if id == system);
        for place in &mut self.0 {
            // A log that a fork shares is copied only if it must.
            if let Some(log) = place
                && log.readers.iter().any(is_its)
            {
                log.make_mut().readers.retain(|reader| !is_its(reader));
            }
        }
    }

    /// Counts what a reader has missed, so that it goes on with what is there.
    fn catch_up(&mut self, component: ComponentId, key: &ReaderKey) {
        // Only if it must: the log is copied if a fork shares it.
        let behind = self.get(component).is_some_and(|log| {
            let reader = log.reader(key);
            reader.is_some_and(|at| log.readers[at].next < log.first)
        });
        if behind && let Some(log) = self.get_mut(component) {
            let first = log.first;
            if let Some(at) = log.reader(key) {
                let reader = &mut log.readers[at];
                reader.missed += first - reader.next;
                reader.next = first;
            }
        }
    }

    /// What a reader has not seen and is still there.
    fn unread(&self, component: ComponentId, key: &ReaderKey) -> vec_deque::Iter<'_, Entity> {
        static NOTHING: VecDeque<Entity> = VecDeque::new();
        let found = self.get(component).and_then(|log| {
            let reader = &log.readers[log.reader(key)?];
            let seen = reader.next.saturating_sub(log.first) as usize;
            Some(log.entities.range(seen..))
        });
        found.unwrap_or_else(|| NOTHING.iter())
    }

    /// Moves a reader on and forgets what all have seen.
    fn advance(&mut self, component: ComponentId, key: &ReaderKey, count: usize) {
        if count == 0 {
            return;
        }
        if let Some(log) = self.get_mut(component)
            && let Some(at) = log.reader(key)
        {
            let end = log.first + log.entities.len() as u64;
            let reader = &mut log.readers[at];
            reader.next = end.min(reader.next + count as u64);
            log.trim();
        }
    }

    /// Entries that a reader has not seen and never will.
    fn missed(&self, component: ComponentId, key: &ReaderKey) -> u64 {
        let found = self.get(component).and_then(|log| {
            let reader = &log.readers[log.reader(key)?];
            Some(reader.missed + log.first.saturating_sub(reader.next))
        });
        found.unwrap_or(0)
    }
}

impl RemovalLog {
    fn reader(&self, key: &ReaderKey) -> Option<usize> {
        self.readers.iter().position(|reader| reader.owner.is(key))
    }

    /// Forgets readers that are gone and entries that all others have seen.
    fn trim(&mut self) {
        self.readers.retain(|reader| !reader.owner.is_gone());
        let end = self.first + self.entities.len() as u64;
        let seen = self.readers.iter().map(|reader| reader.next).min();
        let seen = seen.unwrap_or(end).max(self.first);
        self.entities.drain(..(seen - self.first) as usize);
        self.first = seen;
    }
}
