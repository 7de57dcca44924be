//! Component values outside of any column: on their way into a world, or lent to observers after
//! they have left it.

use std::any::TypeId;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::component::info::{ComponentId, ComponentInfo};
use crate::panics::FirstPanic;
use crate::storage::block::BlockMemory;
use crate::storage::pool::Pool;
use crate::storage::shared::Shared;

/// Values of some components, of one entity or of many; whatever is not moved out is dropped.
///
/// ```text
/// memory: | A of row 0 | A of row 1 | .. | B of row 0 | ..   in one piece from the pool
/// ```
#[derive(Default)]
pub(crate) struct Values {
    memory: Option<Shared<BlockMemory>>,
    parts: SmallVec<[Part; 4]>,
}

/// Values of one component.
struct Part {
    component: ComponentId,
    info: Arc<ComponentInfo>,
    /// Bytes from the start of the memory.
    start: usize,
    /// Values that there is room for.
    room: usize,
    /// Values that are there.
    filled: usize,
    rows: Rows,
}

/// Which entities the values of a part belong to.
pub(crate) enum Rows {
    /// One value for each.
    All,
    /// Only these have one, in increasing order.
    Some(Vec<u32>),
}

impl Part {
    /// Position of an entity's value.
    fn index(&self, row: usize) -> Option<usize> {
        let index = match &self.rows {
            Rows::All => row,
            Rows::Some(rows) => rows.binary_search(&u32::try_from(row).ok()?).ok()?,
        };
        (index < self.filled).then_some(index)
    }
}

/// What there shall be room for.
pub(crate) struct Wanted {
    pub(crate) component: ComponentId,
    pub(crate) info: Arc<ComponentInfo>,
    pub(crate) count: usize,
    pub(crate) rows: Rows,
}

impl Values {
    /// Room for values, each part in the order in which it is wanted.
    pub(crate) fn with_room(pool: &Arc<Pool>, wanted: impl Iterator<Item = Wanted>) -> Self {
        let (mut end, mut align, mut parts) = (0_usize, 1, SmallVec::new());
        for wanted in wanted {
            let layout = wanted.info.layout;
            let start = end.next_multiple_of(layout.align());
            end = start + layout.size() * wanted.count;
            align = align.max(layout.align());
            parts.push(Part {
                component: wanted.component,
                info: wanted.info,
                start,
                room: wanted.count,
                filled: 0,
                rows: wanted.rows,
            });
        }
        let memory = (!parts.is_empty()).then(|| BlockMemory::new(pool, end.max(1), align));
        Self { memory, parts }
    }

    /// Which part holds a component.
    pub(crate) fn part_of(&self, component: ComponentId) -> Option<usize> {
        self.parts
            .iter()
            .position(|part| part.component == component)
    }

    /// Components that an entity has a value of, in the order of the parts.
    pub(crate) fn components_at(&self, row: usize) -> impl Iterator<Item = ComponentId> {
        let there = move |part: &&Part| part.index(row).is_some();
        self.parts.iter().filter(there).map(|part| part.component)
    }

    /// Adds a value to a part: `write` moves it to the address that it is given.
    ///
    /// # Safety
    /// `write` writes a value of the part's component.
    ///
    /// # Panics
    /// When there is no such part, or no room left in it.
    pub(crate) unsafe fn push(&mut self, part: usize, write: impl FnOnce(*mut u8)) {
        let at = self.parts[part].filled;
        assert!(
            at < self.parts[part].room,
            "room for each value was asked for"
        );
        write(self.address(part, at));
        self.parts[part].filled = at + 1;
    }

    /// Takes the last value of a part out; the caller moves it from where it lies.
    ///
    /// # Panics
    /// When there is none.
    pub(crate) fn pop(&mut self, part: usize) -> *mut u8 {
        let filled = self.parts[part].filled;
        assert!(filled > 0, "a value that was moved in");
        self.parts[part].filled = filled - 1;
        self.address(part, filled - 1)
    }

    /// Address of the last value of a part, for exchanging it with another one.
    ///
    /// # Panics
    /// When there is none.
    pub(crate) fn last(&mut self, part: usize) -> *mut u8 {
        let filled = self.parts[part].filled;
        assert!(filled > 0, "a value that was moved in");
        self.address(part, filled - 1)
    }

    /// Address of an entity's value of a component.
    pub(crate) fn address_of(&self, component: ComponentId, row: usize) -> Option<*mut u8> {
        let part = self.part_of(component)?;
        let index = self.parts[part].index(row)?;
        Some(self.address(part, index))
    }

    fn address(&self, part: usize, index: usize) -> *mut u8 {
        let part = &self.parts[part];
        debug_assert!(index < part.room, "value {index} of {}", part.room);
        let memory = self.memory.as_ref().expect("it has a part");
        let offset = part.start + part.info.layout.size() * index;
        // SAFETY: `with_room` took memory up to the end of the last value of every part.
        unsafe { memory.data().add(offset) }.as_ptr()
    }

    /// The value of type `T` of an entity.
    pub(crate) fn get<T: 'static>(&self, row: usize) -> Option<&T> {
        let is_of = |part: &Part| part.info.type_id == Some(TypeId::of::<T>());
        let at = self.parts.iter().position(is_of)?;
        let index = self.parts[at].index(row)?;
        // SAFETY: the value was moved in and the part is of `T`; it lies aligned, and stays until
        // it is taken out by `&mut self`.
        Some(unsafe { &*self.address(at, index).cast::<T>() })
    }

    /// Drops what is left; the first panic is kept.
    pub(crate) fn discard(&mut self, panicked: &mut FirstPanic) {
        for at in 0..self.parts.len() {
            let filled = std::mem::take(&mut self.parts[at].filled);
            if let Some(drop) = self.parts[at].info.drop
                && filled > 0
            {
                let first = self.address(at, 0);
                // SAFETY: `filled` values lie there in a row, and count as gone from here on.
                panicked.catch(|| unsafe { drop(first, filled) });
            }
        }
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        let mut panicked = FirstPanic::default();
        self.discard(&mut panicked);
        panicked.resume_from_drop();
    }
}
