//! What a world knows of a component type: layout, drop, clone, fields and how to hash it.

use std::alloc::Layout;
use std::any::TypeId;
use std::mem::MaybeUninit;

use crate::entity::Entity;
use crate::hash::{Lane, StateHasher};
use crate::observer::{Hooks, Watch};
use crate::relationship::{Relationship, RelationshipInfo, SourcesInfo};
use crate::storage::BLOCK_ALIGN;

/// Number of a component type in one world, in order of registration.
///
/// ```
/// use orrery_ecs::{Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// let mut world = World::new();
/// let id = world.register_component::<Health>();
/// let entity = world.spawn(Health(3)).id();
/// assert!(world.contains_by_id(entity, id));
/// let archetype = world.entity(entity).archetype().expect("it has components");
/// assert_eq!(archetype.components(), [id]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(pub(crate) u32);

impl ComponentId {
    /// Position in the order of registration, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a block of a component is copied when a fork writes to it first.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub enum CloneBehavior {
    /// The type is `Copy`: bytes.
    Bytes,
    /// Clones `count` values from the first pointer to the second.
    Values(unsafe fn(*const u8, *mut u8, usize)),
    /// The type opted out; its world says so by name when asked to fork.
    Refuse,
}

/// Hashes the value that the first argument writes to the address it is given.
pub(crate) type Gather = unsafe fn(&dyn Fn(*mut u8), &mut StateHasher);

/// How the values of a component enter the state hash.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub enum HashBehavior {
    /// The whole value is lanes of one kind without padding, so columns are hashed as slices.
    Lanes(Lane),
    /// Field by field of a split component, each a column of plain lanes.
    Fields,
    /// Value by value.
    Values(unsafe fn(*const u8, &mut StateHasher)),
    /// Value by value of a split component with a field that is not plain lanes; the function
    /// gets a value put together by the first argument.
    Gathered(Gather),
    /// Not part of the state.
    Skip,
}

/// Exchanges the handles in the value at an address.
pub(crate) type MapHandles = unsafe fn(*mut u8, &mut dyn FnMut(Entity) -> Entity);

/// A field of a component as the derive macro found it.
///
/// ```
/// use orrery_ecs::{Component, Lane, World};
/// #[derive(Clone, Copy, Component)]
/// struct Position {
///     x: f32,
///     y: f32,
/// }
/// let mut world = World::new();
/// let id = world.register_component::<Position>();
/// let y = world.component_fields(id)[1];
/// assert_eq!((y.name, y.type_name, y.size_bytes, y.lane), ("y", "f32", 4, Some(Lane::F32)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Name as in the source; tuple fields are `0`, `1`, ...
    pub name: &'static str,
    /// Type as in the source.
    pub type_name: &'static str,
    /// Distance from the start of the value, in bytes.
    pub offset_bytes: usize,
    /// Size in bytes.
    pub size_bytes: usize,
    /// What the field is made of, where it is plain lanes of one kind.
    pub lane: Option<Lane>,
}

/// Everything about a component type that storage needs, with the type erased.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct ComponentInfo {
    pub name: &'static str,
    /// The Rust type; none for a component that was defined at run time.
    pub type_id: Option<TypeId>,
    pub layout: Layout,
    /// Drops `count` values in a row.
    pub drop: Option<unsafe fn(*mut u8, usize)>,
    pub clone: CloneBehavior,
    pub hash: HashBehavior,
    /// Exchanges the handles in one value, where there can be any.
    pub map: Option<MapHandles>,
    pub fields: Vec<FieldInfo>,
    /// Pieces of a row that lie in separate runs of a block: one for a plain component, one for
    /// each field of a split one; behind them the two ticks of a tracked one.
    pub parts: Vec<Part>,
    /// How many of the parts make up the value.
    pub value_parts: usize,
    /// Whether every byte of a value may be read and written as such.
    pub plain: bool,
    /// Whether rows carry ticks.
    pub tracked: bool,
    /// Whether values lie in a sparse set instead of the archetypes.
    pub sparse: bool,
    pub hooks: Hooks,
    /// Whether values are only ever replaced as a whole, by insertions.
    pub immutable: bool,
    pub relationship: Option<RelationshipInfo>,
    /// Of the list of those that have a relationship with the entity.
    pub sources: Option<SourcesInfo>,
}

/// Where the values of a component lie, and what lies beside them.
#[derive(Clone, Copy, Debug, Default)]
#[doc(hidden)]
pub struct Placement {
    pub split: bool,
    pub tracked: bool,
    pub sparse: bool,
}

/// One run of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Part {
    pub offset_bytes: usize,
    pub size_bytes: usize,
    /// Each run starts at a multiple of this: a cache line, or what the type needs beyond one.
    pub run_align: usize,
}

impl ComponentInfo {
    /// Size of a row in bytes if it is one piece, neither split nor tracked.
    #[inline]
    pub(crate) fn piece(&self) -> Option<usize> {
        (self.parts.len() == 1).then_some(self.layout.size())
    }

    /// The parts that make up a value.
    pub(crate) fn value_parts(&self) -> &[Part] {
        &self.parts[..self.value_parts]
    }

    /// Describes `T`; called by the code that the derive macro writes. That `T` may go to other
    /// threads is asked by `Component` alone, so that a mistake is told once.
    ///
    /// # Panics
    /// When a split component is not copied as bytes; the derive macro asks for `Copy`.
    pub fn new<T: 'static>(
        name: &'static str,
        clone: CloneBehavior,
        hash: HashBehavior,
        fields: Vec<FieldInfo>,
        placement: Placement,
    ) -> Self {
        Self {
            type_id: Some(TypeId::of::<T>()),
            drop: std::mem::needs_drop::<T>().then_some(drop_values::<T> as _),
            ..Self::of_layout(name, Layout::new::<T>(), clone, hash, fields, placement)
        }
    }

    /// Describes values of a layout that need no drop.
    ///
    /// # Panics
    /// As `new`.
    pub(crate) fn of_layout(
        name: &'static str,
        layout: Layout,
        clone: CloneBehavior,
        hash: HashBehavior,
        fields: Vec<FieldInfo>,
        placement: Placement,
    ) -> Self {
        let Placement {
            split,
            tracked,
            sparse,
        } = placement;
        assert!(
            !split || matches!(clone, CloneBehavior::Bytes),
            "the split component {name} is copied field by field, so it must be Copy"
        );
        let part = |offset_bytes, size_bytes| Part {
            offset_bytes,
            size_bytes,
            run_align: layout.align().max(BLOCK_ALIGN),
        };
        let mut parts: Vec<Part> = if split {
            let of_field = |field: &FieldInfo| part(field.offset_bytes, field.size_bytes);
            fields.iter().map(of_field).collect()
        } else {
            vec![part(0, layout.size())]
        };
        let value_parts = parts.len();
        if tracked {
            // Added, then changed; `Column::tick_runs` finds them by this order.
            parts.extend([part(0, size_of::<u64>()), part(0, size_of::<u64>())]);
        }
        Self {
            name,
            type_id: None,
            layout,
            drop: None,
            clone,
            hash,
            map: None,
            fields,
            parts,
            value_parts,
            plain: false,
            tracked,
            sparse,
            hooks: Hooks::default(),
            immutable: false,
            relationship: None,
            sources: None,
        }
    }

    /// The same with hooks.
    #[must_use]
    pub fn with_hooks(self, hooks: Hooks) -> Self {
        Self { hooks, ..self }
    }

    /// The same, never written to.
    #[must_use]
    pub fn immutable(self) -> Self {
        Self {
            immutable: true,
            ..self
        }
    }

    /// The same as a relationship.
    #[must_use]
    pub fn with_relationship<R: Relationship>(self) -> Self {
        Self {
            relationship: Some(RelationshipInfo::of::<R>()),
            ..self
        }
    }

    /// The same as a list of sources.
    pub(crate) fn with_sources(self, sources: SourcesInfo) -> Self {
        Self {
            sources: Some(sources),
            immutable: true,
            ..self
        }
    }

    /// Whether it is one of the two sides of a relationship.
    pub(crate) fn is_related(&self) -> bool {
        self.relationship.is_some() || self.sources.is_some()
    }

    /// What is waited for by its own hooks, and by the other side of a relationship.
    pub(crate) fn watch(&self) -> Watch {
        let related = if self.is_related() {
            Watch::INSERT | Watch::REMOVE
        } else {
            Watch::NONE
        };
        self.hooks.watch() | related
    }
}

impl ComponentInfo {
    /// Says that values can hold handles.
    pub fn with_handles<T: super::Component>(self) -> Self {
        Self {
            map: Some(map_value::<T>),
            ..self
        }
    }
}

/// # Safety
/// `value` points to an initialised value of `T` that nobody else uses meanwhile.
unsafe fn map_value<T: super::Component>(value: *mut u8, map: &mut dyn FnMut(Entity) -> Entity) {
    // SAFETY: guaranteed by the caller.
    unsafe { &mut *value.cast::<T>() }.map_fields(map);
}

/// # Safety
/// `data` points to `count` initialised values of `T` that nobody uses afterwards.
unsafe fn drop_values<T>(data: *mut u8, count: usize) {
    let values = std::ptr::slice_from_raw_parts_mut(data.cast::<T>(), count);
    // SAFETY: guaranteed by the caller.
    unsafe { std::ptr::drop_in_place(values) };
}

/// Clones values one after the other; if one panics, those already made are dropped.
///
/// # Safety
/// - `from` points to `count` initialised values of `T`;
/// - `to` points to memory for as many, aligned, that holds none.
unsafe fn clone_values<T: Clone>(from: *const u8, to: *mut u8, count: usize) {
    struct Made<T>(*mut T, usize);
    impl<T> Drop for Made<T> {
        fn drop(&mut self) {
            let values = std::ptr::slice_from_raw_parts_mut(self.0, self.1);
            // SAFETY: the first `self.1` values were written by the loop below.
            unsafe { std::ptr::drop_in_place(values) };
        }
    }
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    let mut made = Made(to, 0);
    for row in 0..count {
        // SAFETY: `row < count` values lie at `from`, by the caller.
        let source = unsafe { from.add(row) };
        // SAFETY: as above; nobody writes to it meanwhile.
        let value = unsafe { &*source }.clone();
        // SAFETY: the caller gives room for `count` values at `to`.
        let target = unsafe { to.add(row) };
        // SAFETY: as above, and nothing lies there yet.
        unsafe { target.write(value) };
        made.1 += 1;
    }
    std::mem::forget(made);
}

/// # Safety
/// `value` points to an initialised value of `T`.
pub(crate) unsafe fn hash_value<T: super::Component>(value: *const u8, hasher: &mut StateHasher) {
    // SAFETY: guaranteed by the caller.
    unsafe { &*value.cast::<T>() }.hash_fields(hasher);
}

/// # Safety
/// `fill` writes every field of a `T` to the address it gets.
pub(crate) unsafe fn hash_gathered<T: super::Component>(
    fill: &dyn Fn(*mut u8),
    hasher: &mut StateHasher,
) {
    let mut value = MaybeUninit::<T>::uninit();
    fill(value.as_mut_ptr().cast());
    // SAFETY: `fill` wrote every field, by the caller.
    unsafe { value.assume_init_ref() }.hash_fields(hasher);
}

/// The clone behaviour of a `Clone` type that is not known to be `Copy`.
pub fn clone_behavior<T: Clone>() -> CloneBehavior {
    CloneBehavior::Values(clone_values::<T>)
}
