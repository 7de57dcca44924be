//! Bundles: sets of components that are spawned, inserted and removed together.

use std::any::TypeId;
use std::mem::{ManuallyDrop, MaybeUninit};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::archetype::ArchetypeId;
use crate::component::info::ComponentId;
use crate::component::{Component, Registry};

/// Number of a bundle type in one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BundleId(u32);

/// Components that are spawned, inserted and removed together: a component, a tuple of up to 12
/// bundles, or a struct of bundles with `#[derive(Bundle)]`.
///
/// A component may stand in a bundle once; a world panics with its name the first time it sees
/// a bundle that has it twice.
///
/// ```
/// use orrery_ecs::{Bundle, Component, World};
/// #[derive(Clone, Copy, Component)]
/// struct Position(f32, f32);
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// #[derive(Bundle)]
/// struct Animal {
///     position: Position,
///     health: Health,
/// }
/// let mut world = World::new();
/// let cat = Animal { position: Position(1.0, 2.0), health: Health(9) };
/// let entity = world.spawn(cat).id();
/// assert_eq!(world.get::<Health>(entity).map(|health| health.0), Some(9));
/// ```
///
/// # Safety
/// `visit` gives exactly the components that `components` lists, in the same order.
/// The derive macro guarantees it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a component nor a bundle",
    note = "derive `Component` or `Bundle` for it; tuples hold up to 12 of them"
)]
pub unsafe trait Bundle: Sized + Send + Sync + 'static {
    /// Calls `add` for each component of the bundle, in order.
    #[doc(hidden)]
    fn components(add: &mut impl BundleComponents);

    /// Gives a pointer to each component and its size in bytes, in the same order. The value
    /// behind it is the receiver's; `self` is forgotten. The size is a constant where this is
    /// inlined, so copies of it need no call.
    #[doc(hidden)]
    fn visit(self, receive: &mut impl FnMut(*mut u8, usize));

    /// Puts a bundle together from its components, in the same order.
    ///
    /// # Safety
    /// `give` writes an initialised value of the component that is next in order.
    #[doc(hidden)]
    unsafe fn assemble(give: &mut impl FnMut(*mut u8)) -> Self;
}

/// Receives the component types of a bundle.
#[doc(hidden)]
pub trait BundleComponents {
    fn add<C: Component>(&mut self);
}

// SAFETY: one component, visited once.
unsafe impl<C: Component> Bundle for C {
    fn components(add: &mut impl BundleComponents) {
        add.add::<C>();
    }

    #[inline]
    fn visit(self, receive: &mut impl FnMut(*mut u8, usize)) {
        let mut value = ManuallyDrop::new(self);
        receive((&raw mut value).cast(), size_of::<C>());
    }

    unsafe fn assemble(give: &mut impl FnMut(*mut u8)) -> Self {
        let mut value = MaybeUninit::<C>::uninit();
        give(value.as_mut_ptr().cast());
        // SAFETY: `give` wrote a value of the component, by the caller.
        unsafe { value.assume_init() }
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        // SAFETY: the elements keep the contract, and are taken in the same order each time.
        unsafe impl<$($name: Bundle),*> Bundle for ($($name,)*) {
            #[allow(unused_variables, reason = "the empty tuple adds nothing")]
            fn components(add: &mut impl BundleComponents) {
                $($name::components(add);)*
            }

            #[inline]
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            #[allow(unused_variables, reason = "the empty tuple has nothing to give")]
            fn visit(self, receive: &mut impl FnMut(*mut u8, usize)) {
                let ($($name,)*) = self;
                $($name.visit(receive);)*
            }

            #[allow(unused_variables, reason = "the empty tuple takes nothing")]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn assemble(give: &mut impl FnMut(*mut u8)) -> Self {
                // SAFETY: passed on from the caller, element by element.
                ($(unsafe { $name::assemble(give) },)*)
            }
        }
    };
}

tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);

/// What a world knows of a bundle type.
#[derive(Clone)]
pub(crate) struct BundleInfo {
    /// In the bundle's own order.
    pub(crate) components: SmallVec<[ComponentId; 8]>,
    /// Those that lie in tables, in increasing order.
    pub(crate) sorted: Box<[ComponentId]>,
    /// Those that lie in sparse sets.
    pub(crate) sparse: Box<[ComponentId]>,
    /// Where a fresh entity with this bundle goes, with the columns in the bundle's order.
    pub(crate) spawn: Option<(ArchetypeId, SmallVec<[u32; 8]>)>,
}

/// In place of a column: the component lies in a sparse set.
pub(crate) const IN_SPARSE_SET: u32 = u32::MAX;

impl BundleInfo {
    /// Whether all components lie in tables.
    #[inline]
    pub(crate) fn is_in_tables(&self) -> bool {
        self.sparse.is_empty()
    }

    /// Where a fresh entity goes, if one was spawned before.
    #[inline]
    pub(crate) fn spawn_archetype(&self) -> Option<ArchetypeId> {
        self.spawn.as_ref().map(|(archetype, _)| *archetype)
    }

    /// Columns of the bundle's components in the archetype that fresh entities go to.
    #[inline]
    pub(crate) fn spawn_columns(&self) -> &[u32] {
        let (_, columns) = self
            .spawn
            .as_ref()
            .expect("a spawn target was found before");
        columns
    }
}

#[derive(Clone, Default)]
pub(crate) struct Bundles {
    infos: Vec<BundleInfo>,
    by_type: FxHashMap<TypeId, BundleId>,
}

struct Collect<'a>(&'a mut Registry, SmallVec<[ComponentId; 8]>);

impl BundleComponents for Collect<'_> {
    fn add<C: Component>(&mut self) {
        let id = self.0.register::<C>();
        self.1.push(id);
    }
}

impl Bundles {
    /// Number of bundle `B`, if this world has seen it.
    #[inline]
    pub(crate) fn id<B: Bundle>(&self) -> Option<BundleId> {
        self.by_type.get(&TypeId::of::<B>()).copied()
    }

    /// Works out a bundle that is new.
    ///
    /// # Panics
    /// When a component stands in it twice.
    #[cold]
    pub(crate) fn register<B: Bundle>(&mut self, registry: &mut Registry) -> BundleId {
        let mut collect = Collect(registry, SmallVec::new());
        B::components(&mut collect);
        let components = collect.1;
        let mut sorted = components.to_vec();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let (bundle, name) = (std::any::type_name::<B>(), registry.name(twice[0]));
            panic!("the bundle {bundle} has the component {name} twice; take one of them out");
        }
        let (sparse, sorted) = sorted
            .into_iter()
            .partition::<Vec<_>, _>(|&component| registry.info(component).sparse);
        let id = BundleId(u32::try_from(self.infos.len()).expect("fewer than 2^32 bundles"));
        self.infos.push(BundleInfo {
            components,
            sorted: sorted.into(),
            sparse: sparse.into(),
            spawn: None,
        });
        self.by_type.insert(TypeId::of::<B>(), id);
        id
    }

    #[inline]
    pub(crate) fn info(&self, id: BundleId) -> &BundleInfo {
        &self.infos[id.0 as usize]
    }

    pub(crate) fn info_mut(&mut self, id: BundleId) -> &mut BundleInfo {
        &mut self.infos[id.0 as usize]
    }
}
