//! Names for systems that belong together, and systems as names of themselves.

use std::any::{TypeId, type_name};
use std::fmt::Debug;

use orrery_ecs::IntoSystem;

/// A name for systems that belong together: for ordering them, and for giving them conditions.
///
/// Two names are the same if their types are and they print the same, so an enum has a set for
/// each of its variants.
///
/// ```
/// use orrery::schedule::SystemSet;
/// #[derive(Debug)]
/// enum Phase {
///     Think,
///     Act,
/// }
/// impl SystemSet for Phase {}
/// ```
pub trait SystemSet: Debug + 'static {}

/// A string is a name too.
impl SystemSet for &'static str {}

/// A set, without its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetId {
    kind: TypeId,
    name: String,
}

impl SetId {
    fn of_label(label: &impl SystemSet) -> Self {
        Self {
            kind: of_type(label),
            name: format!("{label:?}"),
        }
    }

    /// The set of all systems made of one function; `S` is what the function becomes.
    pub(super) fn of_system<S: 'static>(function: &str) -> Self {
        Self {
            kind: TypeId::of::<S>(),
            name: function.to_owned(),
        }
    }

    /// Its name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}

fn of_type<T: 'static>(_: &T) -> TypeId {
    TypeId::of::<T>()
}

/// What systems can be ordered against: a [`SystemSet`], or a function, which stands for all
/// systems made of it.
///
/// `Marker` tells the kinds apart and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a set of systems nor a system",
    label = "not a set of systems",
    note = "write `impl SystemSet for {Self} {{}}`, or give a string or the function of a system"
)]
pub trait IntoSet<Marker> {
    /// The set.
    fn into_set(self) -> SetId;
}

/// Marks names.
pub struct Label;

impl<S: SystemSet> IntoSet<Label> for S {
    fn into_set(self) -> SetId {
        SetId::of_label(&self)
    }
}

/// Marks functions.
pub struct OfFunction;

impl<S: IntoSystem<M>, M> IntoSet<(OfFunction, M)> for S {
    fn into_set(self) -> SetId {
        SetId::of_system::<S::System>(type_name::<S>())
    }
}
