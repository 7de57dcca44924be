//! Bundles: sets of components that are spawned, inserted and removed together.

use std::any::TypeId;
use std::mem::{ManuallyDrop, MaybeUninit};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::archetype::ArchetypeId;
use crate::component::info::ComponentId;
use crate::component::required::{Requirement, brought_along};
use crate::component::{Component, Registry, Storage};
use crate::recent::Recent;

/// Number of a bundle type in one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BundleId(u32);

impl BundleId {
    #[inline(always)]
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

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
    label = "not a component, or holds something that is none",
    note = "write `#[derive(Clone, Component)]` above the definition of each part, or \
            `#[derive(Bundle)]` above that of a struct of components; a tuple holds up to 12 parts"
)]
pub unsafe trait Bundle: Sized + Send + Sync + 'static {
    /// Whether it is one component that lies in a sparse set.
    #[doc(hidden)]
    const SPARSE: bool = false;

    /// Calls `add` for each component of the bundle, in order.
    #[doc(hidden)]
    fn components(add: &mut impl BundleComponents);

    /// Gives a pointer to each component and its size in bytes, in the same order. The value
    /// behind it is the receiver's; `self` is forgotten. The size is a constant where this is
    /// inlined, so copies of it need no call.
    #[doc(hidden)]
    fn visit(self, receive: &mut impl FnMut(*mut u8, usize));

    /// Gives the address of each component where it lies, in the same order.
    ///
    /// # Safety
    /// `this` points to a bundle.
    #[doc(hidden)]
    unsafe fn pointers(this: *mut Self, receive: &mut impl FnMut(*mut u8));

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
    const SPARSE: bool = <C::Storage as Storage>::SPARSE;

    fn components(add: &mut impl BundleComponents) {
        add.add::<C>();
    }

    #[inline]
    fn visit(self, receive: &mut impl FnMut(*mut u8, usize)) {
        let mut value = ManuallyDrop::new(self);
        receive((&raw mut value).cast(), size_of::<C>());
    }

    unsafe fn pointers(this: *mut Self, receive: &mut impl FnMut(*mut u8)) {
        receive(this.cast());
    }

    unsafe fn assemble(give: &mut impl FnMut(*mut u8)) -> Self {
        let mut value = MaybeUninit::<C>::uninit();
        give(value.as_mut_ptr().cast());
        // SAFETY: `give` wrote a value of the component, by the caller.
        unsafe { value.assume_init() }
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt)*) => {
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

            #[allow(unused_variables, reason = "the empty tuple has nothing to give")]
            #[allow(clippy::multiple_unsafe_ops_per_block, reason = "one for each element")]
            unsafe fn pointers(this: *mut Self, receive: &mut impl FnMut(*mut u8)) {
                // SAFETY: passed on from the caller, element by element.
                $(unsafe { $name::pointers(&raw mut (*this).$index, receive) };)*
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
tuples!(A 0);
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);
tuples!(A 0 B 1 C 2 D 3 E 4);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);

/// What a world knows of a bundle type.
#[derive(Clone)]
pub(crate) struct BundleInfo {
    /// In the bundle's own order.
    pub(crate) components: SmallVec<[ComponentId; 8]>,
    /// Those that lie in tables, in increasing order.
    pub(crate) sorted: Box<[ComponentId]>,
    /// Those that lie in sparse sets.
    pub(crate) sparse: Box<[ComponentId]>,
    /// What its components bring along.
    pub(crate) required: Box<[Requirement]>,
    /// Whether a component of it, or one that is brought along, lies in a sparse set.
    has_sparse: bool,
    /// Where a fresh entity with this bundle goes.
    pub(crate) spawn: Option<SpawnTarget>,
}

/// Where a fresh entity with a bundle goes.
#[derive(Clone)]
pub(crate) struct SpawnTarget {
    pub(crate) archetype: ArchetypeId,
    /// Columns of the bundle's components, in its order.
    pub(crate) columns: SmallVec<[u32; 8]>,
    /// What is brought along.
    pub(crate) required: Box<[RequiredColumn]>,
}

/// A required component, seen from the archetype that gets it.
#[derive(Clone, Debug)]
pub(crate) struct RequiredColumn {
    pub(crate) column: u32,
    pub(crate) requirement: Requirement,
}

impl RequiredColumn {
    pub(crate) fn new(requirement: &Requirement, column: Option<usize>) -> Self {
        Self {
            column: column.map_or(IN_SPARSE_SET, |index| index as u32),
            requirement: requirement.clone(),
        }
    }

    pub(crate) fn is_sparse(&self) -> bool {
        self.column == IN_SPARSE_SET
    }
}

/// In place of a column: the component lies in a sparse set.
pub(crate) const IN_SPARSE_SET: u32 = u32::MAX;

impl BundleInfo {
    /// Whether all components lie in tables, those that are brought along as well.
    #[inline]
    pub(crate) fn is_in_tables(&self) -> bool {
        !self.has_sparse
    }

    /// Numbers of the components that a fresh entity has in its archetype, in increasing order.
    pub(crate) fn spawned(&self, registry: &Registry) -> Vec<ComponentId> {
        let required = self
            .required
            .iter()
            .map(|requirement| requirement.component);
        let in_tables = required.filter(|&id| !registry.info(id).sparse);
        let mut all: Vec<ComponentId> = self.sorted.iter().copied().chain(in_tables).collect();
        all.sort_unstable();
        all
    }

    /// Where a fresh entity goes, if one was spawned before.
    #[inline]
    pub(crate) fn spawn_archetype(&self) -> Option<ArchetypeId> {
        self.spawn.as_ref().map(|target| target.archetype)
    }

    /// How fresh entities are laid out.
    ///
    /// # Panics
    /// When none was spawned before.
    #[inline]
    pub(crate) fn spawn_target(&self) -> &SpawnTarget {
        self.spawn
            .as_ref()
            .expect("a spawn target was found before")
    }
}

#[derive(Clone, Default)]
pub(crate) struct Bundles {
    infos: Vec<BundleInfo>,
    by_type: FxHashMap<TypeId, BundleId>,
    /// Bundles of one component, for those who name it by its number.
    singles: FxHashMap<ComponentId, BundleId>,
}

/// Bundles that were asked for last: a look here costs a quarter of one in the map.
pub(crate) type RecentBundles = Recent<BundleId, 16>;

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
        let id = self.add(components, registry);
        self.by_type.insert(TypeId::of::<B>(), id);
        id
    }

    /// The bundle of one component.
    pub(crate) fn single(&mut self, component: ComponentId, registry: &Registry) -> BundleId {
        if let Some(&id) = self.singles.get(&component) {
            return id;
        }
        let id = self.add([component].into_iter().collect(), registry);
        self.singles.insert(component, id);
        id
    }

    fn add(&mut self, components: SmallVec<[ComponentId; 8]>, registry: &Registry) -> BundleId {
        let mut sorted = components.to_vec();
        sorted.sort_unstable();
        let (sparse, sorted) = sorted
            .into_iter()
            .partition::<Vec<_>, _>(|&component| registry.info(component).sparse);
        let id = BundleId(u32::try_from(self.infos.len()).expect("fewer than 2^32 bundles"));
        let required = brought_along(registry, &components);
        let brings_sparse = required
            .iter()
            .any(|one| registry.info(one.component).sparse);
        self.infos.push(BundleInfo {
            has_sparse: !sparse.is_empty() || brings_sparse,
            required: required.into(),
            components,
            sorted: sorted.into(),
            sparse: sparse.into(),
            spawn: None,
        });
        id
    }

    #[inline]
    pub(crate) fn info(&self, id: BundleId) -> &BundleInfo {
        &self.infos[id.0 as usize]
    }

    /// Forgets where fresh entities go, where that is one of some archetypes.
    pub(crate) fn forget_targets(&mut self, forgotten: impl Fn(ArchetypeId) -> bool) {
        for info in &mut self.infos {
            info.spawn.take_if(|target| forgotten(target.archetype));
        }
    }

    pub(crate) fn info_mut(&mut self, id: BundleId) -> &mut BundleInfo {
        &mut self.infos[id.0 as usize]
    }
}
