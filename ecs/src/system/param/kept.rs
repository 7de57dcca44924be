//! What parameters of other crates are built on: a resource, and what the system keeps beside it.
//!
//! ```text
//! Kept      reads the resource while systems run; `finish` writes to it at the sync point
//! KeptMut   writes to the resource while the system runs
//! ```
//!
//! A parameter that writes at the sync point alone lets others of its kind run at the same time.
//! Who could see what it writes there waits for that point (`SystemAccess::must_follow`), so the
//! result is that of one by one.

use std::any::{TypeId, type_name};
use std::marker::PhantomData;

use super::{Run, SystemParam};
use crate::component::Ticks;
use crate::error::AccessConflict;
use crate::resource::{Res, ResMut, Resource, ResourceId};
use crate::system::access::{SystemMeta, Target};
use crate::system::error::ParamError;
use crate::system::states::SystemId;
use crate::world::World;

/// Which parameter of which system a [`Kept`] or [`KeptMut`] is. What it leaves in the world is
/// found again by this: a fork knows the same systems, and [`World::release_systems`] hands their
/// numbers on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParamOwner {
    /// The system; `None` for one that is run once and leaves nothing behind.
    pub system: Option<SystemId>,
    /// Name of the system's function.
    pub name: &'static str,
    /// Tells the parameters of one system apart.
    pub number: u32,
}

/// What a [`Kept`] or [`KeptMut`] keeps beside its resource, and what is done with it in the life
/// of its system.
pub trait Keep: Send + 'static {
    /// The resource that the parameter is about.
    type Resource: Resource;

    /// The parameter's name for users, in messages.
    fn name() -> &'static str {
        type_name::<Self>()
    }

    /// Makes it, when the system is initialised for a world. What the parameter needs in the world
    /// is put there now.
    fn attach(world: &mut World, owner: ParamOwner) -> Self;

    /// Looks whether the system may run, and changes nothing.
    ///
    /// # Errors
    /// The reason why it may not; the system is not run then.
    fn validate(&self, _: &Self::Resource) -> Result<(), String> {
        Ok(())
    }

    /// A run begins, or asks a [`ParamSet`](crate::ParamSet) for the parameter once more.
    fn begin(&mut self, _: Ticks) {}

    /// A run with a [`Kept`] has ended well: what was put off is done, with the system's commands
    /// and in the order of the parameters. Not called if the resource is gone.
    fn finish(&mut self, _: Late<'_, Self::Resource>) {}

    /// A run with a [`Kept`] failed or panicked, and does not count; or the resource is gone.
    fn discard(&mut self) {}

    /// The world forgets a system ([`World::forget_system`]), which need not be one that had the
    /// parameter. What was left in the resource for it goes.
    fn forget(_: Late<'_, Self::Resource>, _: SystemId) {}
}

/// As [`Keep`], for a parameter that writes.
pub trait KeepMut: Keep {
    /// After `begin`, before the system sees the resource. It is not marked as changed.
    fn begin_mut(&mut self, _: &mut Self::Resource) {}
}

/// A resource at the sync point, where a [`Kept`] may write to it.
pub struct Late<'a, R: Resource> {
    world: &'a mut World,
    id: ResourceId,
    resource: PhantomData<R>,
}

impl<'a, R: Resource> Late<'a, R> {
    /// Unless the world does not have it.
    fn of(world: &'a mut World) -> Option<Self> {
        let id = world.resources.id::<R>()?;
        world.resources.contains(id).then_some(Self {
            world,
            id,
            resource: PhantomData,
        })
    }

    /// The resource.
    pub fn get(&self) -> &R {
        // SAFETY: `init` gave this number to `R`, and the borrow of the world keeps writers out.
        let resource = unsafe { self.world.resources.get::<R>(self.id) };
        resource.unwrap_or_else(|| unreachable!("`of` found it"))
    }

    /// The resource for writing. It is marked as changed.
    ///
    /// # Cost
    /// A clone of the resource if a fork shares it.
    pub fn get_mut(&mut self) -> &mut R {
        let tick = self.world.change_tick();
        self.world.resources.unshare(self.id);
        self.world.resources.mark(self.id, tick);
        // SAFETY: as for `get`; it was just unshared, and the borrow of the world keeps everybody
        // else out.
        let resource = unsafe { self.world.resources.get_mut::<R>(self.id) };
        resource.unwrap_or_else(|| unreachable!("`of` found it"))
    }
}

/// A resource for reading, and what the parameter keeps in its system, for crates that make
/// parameters of their own. A system parameter.
///
/// It stands in a struct with `#[derive(SystemParam)]`. What it keeps is no state, and no fork
/// takes it along, unlike a [`Local`](crate::Local): it is made anew for each world, so it holds
/// only what can be found again. The rest lies in the resource, which [`Keep::attach`] may make and
/// [`Keep::finish`] writes to. Several systems with one may run at the same time; one that has the
/// resource itself waits until what they put off is done.
///
/// ```
/// use orrery_ecs::{
///     IntoSystem, Keep, Kept, Late, ParamOwner, Resource, Serial, System, SystemParam, World,
/// };
/// /// How often anybody has asked.
/// #[derive(Clone, Default, Resource)]
/// struct Asked(u32);
/// #[derive(SystemParam)]
/// struct Question<'w, 's> {
///     kept: Kept<'w, 's, Now>,
/// }
/// impl Question<'_, '_> {
///     fn ask(&mut self) -> u32 {
///         let (asked, now) = self.kept.split();
///         now.0 += 1;
///         asked.0 + now.0
///     }
/// }
/// struct Now(u32);
/// impl Keep for Now {
///     type Resource = Asked;
///     fn attach(world: &mut World, _: ParamOwner) -> Self {
///         world.init_resource::<Asked>();
///         Self(0)
///     }
///     fn finish(&mut self, mut asked: Late<'_, Asked>) {
///         asked.get_mut().0 += std::mem::take(&mut self.0);
///     }
///     fn discard(&mut self) {
///         self.0 = 0;
///     }
/// }
/// let mut world = World::new();
/// let mut system = (|mut question: Question| _ = question.ask()).into_system();
/// system.run(&mut world, &Serial)?;
/// system.run(&mut world, &Serial)?;
/// assert_eq!(world.resource::<Asked>().0, 2);
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
pub struct Kept<'w, 's, T: Keep> {
    resource: Res<'w, T::Resource>,
    kept: &'s mut T,
}

impl<'w, T: Keep> Kept<'w, '_, T> {
    /// The resource.
    pub fn resource(&self) -> &'w T::Resource {
        self.resource.into_inner()
    }

    /// What is kept.
    pub fn kept(&self) -> &T {
        self.kept
    }

    /// Both at once.
    pub fn split(&mut self) -> (&'w T::Resource, &mut T) {
        (self.resource.into_inner(), self.kept)
    }
}

/// As [`Kept`], with the resource for writing while the system runs. A system parameter.
///
/// Nothing is put off: of [`Keep`] it calls `attach`, `validate` and `begin`.
///
/// ```
/// use orrery_ecs::{Keep, KeepMut, KeptMut, ParamOwner, Resource, SystemParam, World};
/// /// Who has run, in order.
/// #[derive(Clone, Default, Resource)]
/// struct Ran(Vec<&'static str>);
/// #[derive(SystemParam)]
/// struct Notes<'w, 's>(KeptMut<'w, 's, Name>);
/// struct Name(&'static str);
/// impl Keep for Name {
///     type Resource = Ran;
///     fn attach(world: &mut World, owner: ParamOwner) -> Self {
///         world.init_resource::<Ran>();
///         Self(owner.name)
///     }
/// }
/// impl KeepMut for Name {
///     fn begin_mut(&mut self, ran: &mut Ran) {
///         ran.0.push(self.0);
///     }
/// }
/// let mut world = World::new();
/// fn first(_: Notes) {}
/// world.run_system_once(first)?;
/// assert!(world.resource::<Ran>().0[0].ends_with("first"));
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
pub struct KeptMut<'w, 's, T: KeepMut> {
    resource: ResMut<'w, T::Resource>,
    kept: &'s mut T,
}

impl<T: KeepMut> KeptMut<'_, '_, T> {
    /// The resource.
    pub fn resource(&self) -> &T::Resource {
        &self.resource
    }

    /// The resource for writing. It is marked as changed.
    pub fn resource_mut(&mut self) -> &mut T::Resource {
        &mut self.resource
    }

    /// What is kept.
    pub fn kept(&self) -> &T {
        self.kept
    }

    /// Both at once. The resource is marked as changed.
    pub fn split(&mut self) -> (&mut T::Resource, &mut T) {
        (&mut self.resource, self.kept)
    }
}

#[doc(hidden)]
pub struct KeptState<T> {
    resource: ResourceId,
    name: &'static str,
    number: u32,
    /// `None` before `attach`.
    value: Option<T>,
}

impl<T: Keep> KeptState<T> {
    fn init(
        world: &mut World,
        meta: &mut SystemMeta,
        target: impl FnOnce(ResourceId) -> Target,
    ) -> Result<Self, AccessConflict> {
        let id = world.resources.register::<T::Resource>();
        meta.claim_as(T::name(), target(id), world)?;
        Ok(Self {
            resource: id,
            name: meta.name(),
            number: meta.add_reader(),
            value: None,
        })
    }

    fn attach(&mut self, world: &mut World, system: SystemId) {
        let owner = ParamOwner {
            system: Some(system).filter(|&system| system != SystemId::ONCE),
            name: self.name,
            number: self.number,
        };
        let home = world.id();
        world.systems.add_forgetter(TypeId::of::<T>(), forget::<T>);
        self.value = Some(T::attach(world, owner));
        // The other parameters were made for it, and would find strangers' numbers in another.
        assert!(
            world.id() == home,
            "a parameter of system {} replaced the world that the system is initialised for",
            self.name
        );
    }

    fn value(&mut self) -> &mut T {
        self.value.as_mut().expect("`attach` made it")
    }

    /// Reads the resource, which the system has claimed, and nothing else.
    fn validate(&mut self, world: &World) -> Result<(), ParamError> {
        // SAFETY: `init` gave this number to the resource's type; whoever validates either has the
        // world to itself or runs when nobody does who conflicts with the system's claims.
        let resource = unsafe { world.resources.get::<T::Resource>(self.resource) };
        let missing = ParamError::MissingResource(T::Resource::NAME);
        let resource = resource.ok_or(missing)?;
        let valid = self.value().validate(resource);
        valid.map_err(ParamError::Refused)
    }
}

fn forget<T: Keep>(world: &mut World, system: SystemId) {
    if let Some(late) = Late::of(world) {
        T::forget(late, system);
    }
}

// SAFETY: the resource is claimed for reading, and what is kept is the system's own.
unsafe impl<T: Keep> SystemParam for Kept<'_, '_, T> {
    type State = KeptState<T>;
    type Item<'w, 's> = Kept<'w, 's, T>;
    const HOLDS: bool = false;

    fn init(world: &mut World, meta: &mut SystemMeta) -> Result<KeptState<T>, AccessConflict> {
        KeptState::init(world, meta, Target::Late)
    }

    fn attach(state: &mut KeptState<T>, world: &mut World, system: SystemId) {
        state.attach(world, system);
    }

    fn validate(state: &mut KeptState<T>, world: &World, _: Run) -> Result<(), ParamError> {
        state.validate(world)
    }

    unsafe fn get<'w, 's>(
        state: &'s mut KeptState<T>,
        world: &'w World,
        ticks: Ticks,
    ) -> Self::Item<'w, 's> {
        // SAFETY: `init` gave this number to the resource's type; who else may use it, the caller
        // guarantees.
        let resource = unsafe { world.resources.res::<T::Resource>(state.resource, ticks) };
        let kept = state.value();
        kept.begin(ticks);
        Kept {
            resource: resource.expect("`validate` found it"),
            kept,
        }
    }

    fn apply(state: &mut KeptState<T>, world: &mut World) {
        match Late::of(world) {
            Some(late) => state.value().finish(late),
            None => state.value().discard(),
        }
    }

    fn discard(state: &mut KeptState<T>) {
        state.value().discard();
    }
}

// SAFETY: the resource is claimed for writing, and what is kept is the system's own.
unsafe impl<T: KeepMut> SystemParam for KeptMut<'_, '_, T> {
    type State = KeptState<T>;
    type Item<'w, 's> = KeptMut<'w, 's, T>;
    const DEFERS: bool = false;
    const HOLDS: bool = false;

    fn init(world: &mut World, meta: &mut SystemMeta) -> Result<KeptState<T>, AccessConflict> {
        KeptState::init(world, meta, |id| Target::Resource { id, write: true })
    }

    fn attach(state: &mut KeptState<T>, world: &mut World, system: SystemId) {
        state.attach(world, system);
    }

    fn validate(state: &mut KeptState<T>, world: &World, _: Run) -> Result<(), ParamError> {
        state.validate(world)
    }

    fn prepare(state: &mut KeptState<T>, world: &mut World, _: Run) {
        world.resources.unshare(state.resource);
    }

    unsafe fn get<'w, 's>(
        state: &'s mut KeptState<T>,
        world: &'w World,
        ticks: Ticks,
    ) -> Self::Item<'w, 's> {
        // SAFETY: `init` gave this number to the resource's type, `prepare` unshared it, and who
        // else may use it, the caller guarantees.
        let resource = unsafe {
            world
                .resources
                .res_mut::<T::Resource>(state.resource, ticks)
        };
        let mut resource = resource.expect("`validate` found it");
        let kept = state.value();
        kept.begin(ticks);
        kept.begin_mut(resource.bypass_change_detection());
        KeptMut { resource, kept }
    }
}
