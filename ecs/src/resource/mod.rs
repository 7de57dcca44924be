//! Resources: values of which a world has one of each type.
//!
//! ```text
//! Resources      one slot for each type: value (shared by forks), tick added, tick changed
//! NonSends       one slot for each type: value and the thread that it must stay on
//! ```
//!
//! - `table`: ordinary resources with their types erased;
//! - `access`: [`Res`] and [`ResMut`], what systems get;
//! - `scope`: a resource out of the world while its owner works on the world;
//! - `non_send`: values that stay on the thread that made them.

mod access;
mod non_send;
mod scope;
mod table;

use crate::hash::StateHasher;

pub use access::{Res, ResMut};
pub use non_send::{NonSend, NonSendError, NonSendMut};
pub(crate) use non_send::{NonSendId, NonSends};
pub(crate) use table::{ResourceId, Resources};

/// A type of which a world holds at most one value. Derive it.
///
/// As with components, a resource is `Clone` (for forks) and enters the state hash field by
/// field; `#[resource(no_clone)]` and `#[resource(not_state)]` opt out. A fork shares a resource
/// until one of the two worlds writes to it.
///
/// ```
/// use orrery_ecs::{Resource, World};
/// #[derive(Clone, Resource)]
/// struct Gravity(f32);
/// let mut world = World::new();
/// world.insert_resource(Gravity(9.81));
/// world.resource_mut::<Gravity>().0 *= 2.0;
/// assert_eq!(world.resource::<Gravity>().0, 19.62);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "write `#[derive(Clone, Resource)]` above the definition of `{Self}`"
)]
pub trait Resource: Sized + Send + Sync + 'static {
    /// Name with its module path, for messages.
    #[doc(hidden)]
    const NAME: &'static str;
    /// Whether it enters the state hash.
    #[doc(hidden)]
    const STATE: bool;
    /// Whether a world that holds it can be forked.
    #[doc(hidden)]
    const CLONE: bool;
    /// A clone, where `CLONE` says so.
    #[doc(hidden)]
    fn duplicate(&self) -> Option<Self>;
    /// Adds every field to a hash.
    #[doc(hidden)]
    fn hash_fields(&self, hasher: &mut StateHasher);
}
