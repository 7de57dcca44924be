//! Where the values of a component lie.

use crate::query::Source;

mod sealed {
    pub trait Sealed {}
}

/// Where a component's values lie: [`InTable`] or [`InSparseSet`].
pub trait Storage: sealed::Sealed + Source + 'static {
    #[doc(hidden)]
    const SPARSE: bool;
}

/// In columns of the entity's archetype: fastest to walk over, and the default.
#[derive(Debug)]
pub struct InTable(());

impl sealed::Sealed for InTable {}

impl Storage for InTable {
    const SPARSE: bool = false;
}

/// In a set of its own beside the archetypes: fastest to come and go.
#[derive(Debug)]
pub struct InSparseSet(());

impl sealed::Sealed for InSparseSet {}

impl Storage for InSparseSet {
    const SPARSE: bool = true;
}
