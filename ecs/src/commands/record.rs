//! What a command is in the queue: a header that says what to do, and the bytes it needs.

use std::mem::MaybeUninit;

use crate::bundle::{Bundle, BundleId};
use crate::entity::Entity;
use crate::world::World;

/// What to do with a record.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// Done already, or dropped.
    Nothing,
    /// Gives a reserved handle its first components.
    Spawn(&'static BundleActions),
    /// Adds components.
    Insert(&'static BundleActions),
    /// Removes components.
    Remove(&'static RemoveActions),
    /// Despawns the entity.
    Despawn,
    /// Anything else, on the whole world.
    Call {
        /// Runs the payload, which is used up; says whether what it is for lives.
        call: unsafe fn(*mut u8, &mut World) -> bool,
        /// Drops the payload.
        drop: unsafe fn(*mut u8),
    },
}

/// Does away with a payload.
pub(super) type Free = unsafe fn(*mut u8);

/// What is done with a bundle that is the payload of a record.
pub(super) struct BundleActions {
    /// Its number in a world.
    pub(super) bundle: fn(&mut World) -> BundleId,
    /// Gives the address of each component, in the bundle's order.
    pub(super) pointers: unsafe fn(*mut u8, &mut dyn FnMut(*mut u8)),
    /// Spawns it for a reserved handle; says whether that lives.
    pub(super) spawn: unsafe fn(*mut u8, &mut World, Entity) -> bool,
    /// Inserts it; says whether the entity lives.
    pub(super) insert: unsafe fn(*mut u8, &mut World, Entity) -> bool,
    /// Drops it.
    pub(super) drop: unsafe fn(*mut u8),
    /// Frees the box that held it, once its values have gone by `pointers`; `None` if it lay in the
    /// queue itself.
    pub(super) free: Option<Free>,
}

/// What is done with components that are named by a bundle type.
pub(super) struct RemoveActions {
    /// Its number in a world.
    pub(super) bundle: fn(&mut World) -> BundleId,
    /// Removes them; says whether the entity lives.
    pub(super) remove: fn(&mut World, Entity) -> bool,
}

/// Payloads up to this alignment lie in the queue itself, others in a box.
pub(super) const ALIGN: usize = 16;

const fn is_boxed<T>() -> bool {
    align_of::<T>() > ALIGN
}

/// Bytes of a payload in the queue.
pub(super) const fn size_in_queue<T>() -> usize {
    if is_boxed::<T>() {
        size_of::<Box<T>>()
    } else {
        size_of::<T>()
    }
}

/// Moves a payload into the queue.
///
/// # Safety
/// `place` is writable for `size_in_queue::<T>()` bytes and aligned to `ALIGN`.
pub(super) unsafe fn write<T>(value: T, place: *mut u8) {
    if is_boxed::<T>() {
        // SAFETY: passed on from the caller; a box is less aligned.
        unsafe { place.cast::<Box<T>>().write(Box::new(value)) };
    } else {
        // SAFETY: passed on from the caller; `T` is no more aligned than `ALIGN`.
        unsafe { place.cast::<T>().write(value) };
    }
}

/// Moves a payload out of the queue.
///
/// # Safety
/// `place` holds a `T` that `write` put there and nobody uses again.
unsafe fn read<T>(place: *mut u8) -> T {
    if is_boxed::<T>() {
        // SAFETY: passed on from the caller.
        *unsafe { place.cast::<Box<T>>().read() }
    } else {
        // SAFETY: passed on from the caller.
        unsafe { place.cast::<T>().read() }
    }
}

/// # Safety
/// As `read`.
unsafe fn drop_payload<T>(place: *mut u8) {
    // SAFETY: passed on from the caller.
    drop(unsafe { read::<T>(place) });
}

/// # Safety
/// `place` holds a boxed `T` that `write` put there, nobody uses it again, and its value was moved
/// out.
unsafe fn free_box<T>(place: *mut u8) {
    // SAFETY: passed on from the caller; a `MaybeUninit` drops nothing and has the same layout.
    drop(unsafe { place.cast::<Box<MaybeUninit<T>>>().read() });
}

struct For<T>(std::marker::PhantomData<T>);

impl<B: Bundle> For<B> {
    const BUNDLE: BundleActions = BundleActions {
        bundle: World::bundle_id::<B>,
        pointers: |place, receive| {
            let bundle = if is_boxed::<B>() {
                // SAFETY: the record holds the box.
                let boxed = unsafe { &mut *place.cast::<Box<B>>() };
                std::ptr::from_mut::<B>(boxed)
            } else {
                place.cast::<B>()
            };
            // SAFETY: the record holds the bundle.
            unsafe { B::pointers(bundle, &mut |value| receive(value)) };
        },
        spawn: |place, world, entity| {
            // SAFETY: the record holds the bundle and is done with it.
            world.spawn_reserved(entity, unsafe { read::<B>(place) })
        },
        insert: |place, world, entity| {
            // SAFETY: the record holds the bundle and is done with it.
            world.insert(entity, unsafe { read::<B>(place) }).is_ok()
        },
        drop: drop_payload::<B>,
        free: if is_boxed::<B>() {
            Some(free_box::<B>)
        } else {
            None
        },
    };

    const REMOVE: RemoveActions = RemoveActions {
        bundle: World::bundle_id::<B>,
        remove: |world, entity| world.remove::<B>(entity).is_ok(),
    };
}

/// Actions for a bundle as payload.
pub(super) const fn of_bundle<B: Bundle>() -> &'static BundleActions {
    &For::<B>::BUNDLE
}

/// Actions for the removal of what a bundle names.
pub(super) const fn of_removal<B: Bundle>() -> &'static RemoveActions {
    &For::<B>::REMOVE
}

/// The action of a closure as payload.
pub(super) fn of_closure<C>() -> Action
where
    C: FnOnce(&mut World) -> bool + Send + 'static,
{
    Action::Call {
        // SAFETY: the record holds the closure and is done with it.
        call: |place, world| unsafe { read::<C>(place) }(world),
        drop: drop_payload::<C>,
    }
}
