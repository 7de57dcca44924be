//! [`EntityRef`].

use std::fmt;
use std::ptr::NonNull;

use super::EntityRow;
use crate::archetype::Archetype;
use crate::component::info::ComponentId;
use crate::component::{Component, Ref, TrackedComponent};
use crate::entity::Entity;
use crate::query::Look;

/// One entity, all of whose components can be read: what a `Query<EntityRef>` gives, and
/// [`World::entity`](crate::World::entity).
///
/// Such a query visits every entity that its filters let through, and reads every component of
/// those. Beside it a system may write only what its filters exclude:
///
/// ```
/// use orrery_ecs::{Component, EntityRef, Query, With, Without, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// #[derive(Clone, Copy, Component)]
/// struct Frozen;
/// let mut world = World::new();
/// let cold = world.spawn((Health(3), Frozen)).id();
/// world.spawn(Health(5));
/// type Cold<'w, 's> = Query<'w, 's, EntityRef<'static>, With<Frozen>>;
/// type Warm<'w, 's> = Query<'w, 's, &'static mut Health, Without<Frozen>>;
/// let found: Vec<_> = world.run_system_once(|cold: Cold, mut warm: Warm| {
///     warm.for_each(|health| health.0 += 1);
///     let health = |entity: EntityRef| entity.get::<Health>().map(|health| health.0);
///     cold.iter().map(|entity| (entity.id(), health(entity))).collect()
/// })?;
/// assert_eq!(found, [(cold, Some(3))]);
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
///
/// # Cost
/// Each access looks the component up: its number by a hash of the type, then its column by a
/// search in the archetype, or its row in the sparse set. Where the components are known,
/// `Query<(&A, &B)>` does that once for each archetype.
#[derive(Clone, Copy)]
pub struct EntityRef<'w>(EntityRow<'w>);

impl<'w> EntityRef<'w> {
    /// # Safety
    /// Nobody writes a component of the entity for `'w`.
    pub(crate) unsafe fn new(look: Look<'w>, entity: Entity) -> Self {
        Self(EntityRow::of(look, entity))
    }

    /// # Safety
    /// As `new`.
    #[inline]
    pub(super) unsafe fn of_row(row: EntityRow<'w>) -> Self {
        Self(row)
    }

    /// Its handle.
    pub fn id(self) -> Entity {
        self.0.entity
    }

    /// Its archetype; `None` if it has no row: a handle that commands reserved, or an entity that
    /// its own observers have despawned.
    pub fn archetype(self) -> Option<&'w Archetype> {
        self.0.archetype()
    }

    /// Whether it has a component.
    pub fn contains<T: Component>(self) -> bool {
        self.0.find::<T>().is_some()
    }

    /// Whether it has a component, by its number.
    pub fn contains_by_id(self, id: ComponentId) -> bool {
        self.0.find_by_id(id).is_some()
    }

    /// A component, if it has one.
    ///
    /// A split component lies in several columns and does not compile here; see
    /// [`read`](Self::read).
    #[inline]
    pub fn get<T: Component>(self) -> Option<&'w T> {
        // SAFETY: nobody writes it, by `new`.
        unsafe { self.0.get() }
    }

    /// A tracked component with the ticks of its row, if it has one.
    ///
    /// "Since the last run" is that of the system or query that gave the entity; of one that the
    /// world gave everything is new.
    pub fn get_ref<T: TrackedComponent>(self) -> Option<Ref<'w, T>> {
        // SAFETY: nobody writes it, by `new`.
        unsafe { self.0.get_ref() }
    }

    /// A copy of a component, put together from its columns if it is split.
    pub fn read<T: Component + Copy>(self) -> Option<T> {
        // SAFETY: nobody writes it, by `new`.
        unsafe { self.0.read() }
    }

    /// Bytes of a component, if it has one that is plain; see
    /// [`World::get_bytes`](crate::World::get_bytes).
    ///
    /// ```
    /// use orrery_ecs::{ComponentDescriptor, EntityRef, World};
    /// let mut world = World::new();
    /// let heat = world.register_dynamic(ComponentDescriptor::plain("mod::Heat", 1, 1))?;
    /// let entity = world.spawn(()).id();
    /// world.insert_bytes(entity, heat, &[7])?;
    /// let mut all = world.query::<EntityRef>();
    /// assert!(all.iter(&world).all(|entity| entity.get_bytes(heat) == Some(&[7])));
    /// # Ok::<(), orrery_ecs::DynamicError>(())
    /// ```
    pub fn get_bytes(self, id: ComponentId) -> Option<&'w [u8]> {
        // SAFETY: nobody writes it, by `new`.
        unsafe { self.0.get_bytes(id) }
    }

    /// Address of a component by its number, for reading, valid for `'w`; `None` if it has none or
    /// the component is split.
    pub fn get_by_id(self, id: ComponentId) -> Option<NonNull<u8>> {
        self.0.get_by_id(id)
    }
}

impl fmt::Debug for EntityRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EntityRef").field(&self.id()).finish()
    }
}
