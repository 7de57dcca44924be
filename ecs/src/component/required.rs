//! Components that bring others with them.

use std::fmt;
use std::sync::Arc;

use super::info::ComponentId;
use super::{Component, Registry};

/// Makes a value at an address that is aligned for it and holds none.
pub(crate) type Make = Arc<dyn Fn(*mut u8) + Send + Sync>;

/// A component that another one brings along where it is missing.
#[derive(Clone)]
pub(crate) struct Requirement {
    pub(crate) component: ComponentId,
    pub(crate) make: Make,
}

impl fmt::Debug for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Requirement").field(&self.component).finish()
    }
}

/// What a required component must be if nothing says how it is made.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is required, and nothing says how it is made",
    label = "not `Default`",
    note = "write `#[derive(Default)]` above the definition of `{Self}`, or say how it is made: \
            `#[require({Self} = ..)]`"
)]
pub trait MadeByDefault: Sized {
    fn make() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> MadeByDefault for T {
    fn make() -> Self {
        Self::default()
    }
}

/// Collects what a component requires; the derive macro fills it.
#[doc(hidden)]
pub struct Requirements<'a> {
    pub(super) registry: &'a mut Registry,
    pub(super) of: ComponentId,
}

impl Requirements<'_> {
    /// The component comes with an `R`, made by a function where it is missing.
    pub fn add<R: Component>(&mut self, make: impl Fn() -> R + Send + Sync + 'static) {
        let component = self.registry.register::<R>();
        // SAFETY: whoever calls it gives an address that is aligned for an `R` and holds none, as
        // `Make` says.
        let make: Make = Arc::new(move |place| unsafe { place.cast::<R>().write(make()) });
        self.registry
            .require(self.of, Requirement { component, make });
    }
}

/// All that some components bring along: what they require, what that requires, and so on, without
/// themselves. What is nearer goes before what is further, and what was named first before the
/// rest, so where two ask for one component in different ways the nearer is heard.
pub(crate) fn brought_along(registry: &Registry, components: &[ComponentId]) -> Vec<Requirement> {
    let mut all: Vec<Requirement> = Vec::new();
    let mut wave: Vec<ComponentId> = components.to_vec();
    while !wave.is_empty() {
        let mut next = Vec::new();
        for requirement in wave.iter().flat_map(|&id| registry.requirements(id)) {
            let id = requirement.component;
            let known = components.contains(&id) || all.iter().any(|other| other.component == id);
            if !known {
                all.push(requirement.clone());
                next.push(id);
            }
        }
        wave = next;
    }
    all
}
