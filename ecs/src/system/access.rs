//! What the parameters of a system touch, and whether two of them exclude each other.
//!
//! A system's access is a list of claims, one or more for each parameter. Whether two claims
//! exclude each other does not depend on which came first, and a claim is checked against every
//! other one, so the order of parameters decides nothing but the order in which an error names
//! them. The members of a `ParamSet` are used one at a time: they are checked against everything
//! outside the set and not against each other.

use std::borrow::Cow;

use super::local::LocalValue;
use super::states::LocalInfo;
use crate::error::AccessConflict;
use crate::names::short;
use crate::query::{FilteredAccess, Touched};
use crate::resource::{NonSendId, ResourceId};
use crate::world::World;

/// What one parameter touches.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Query(FilteredAccess),
    Resource {
        id: ResourceId,
        write: bool,
    },
    /// Reads a resource while the system runs, and writes it when all is done that was put off.
    Late(ResourceId),
    NonSend {
        id: NonSendId,
        write: bool,
    },
    /// Reads anything: `&World`.
    World,
    /// Reserves handles of entities, which `&World` can see.
    Commands,
    /// The locals of a system, which a hash or fork through `&World` would miss.
    Locals,
    /// Writes anything: `&mut World`.
    Exclusive,
}

/// What two claims both touch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shared {
    Components(Touched),
    Resource(ResourceId),
    NonSend(NonSendId),
    World,
}

impl Target {
    /// What both touch, if they exclude each other inside one system.
    fn clash(&self, other: &Self) -> Option<Shared> {
        match (self, other) {
            (Self::Query(a), Self::Query(b)) => a.conflict(b).map(Shared::Components),
            (
                Self::Resource { id, write },
                Self::Resource {
                    id: other,
                    write: other_write,
                },
            ) => (id == other && (*write || *other_write)).then_some(Shared::Resource(*id)),
            (Self::Late(id), Self::Resource { id: other, write })
            | (Self::Resource { id: other, write }, Self::Late(id)) => {
                (id == other && *write).then_some(Shared::Resource(*id))
            }
            (
                Self::NonSend { id, write },
                Self::NonSend {
                    id: other,
                    write: other_write,
                },
            ) => (id == other && (*write || *other_write)).then_some(Shared::NonSend(*id)),
            (Self::World, other) | (other, Self::World) => other.first_write(),
            (Self::Exclusive, _) | (_, Self::Exclusive) => Some(Shared::World),
            _ => None,
        }
    }

    /// As `clash`, for claims of two systems that run at the same time: neither may see how far
    /// the other has come.
    fn clash_between_systems(&self, other: &Self) -> Option<Shared> {
        match (self, other) {
            (Self::World, Self::Commands | Self::Locals | Self::Late(_))
            | (Self::Commands | Self::Locals | Self::Late(_), Self::World) => Some(Shared::World),
            (Self::Late(id), Self::Resource { id: other, .. })
            | (Self::Resource { id: other, .. }, Self::Late(id)) => {
                (id == other).then_some(Shared::Resource(*id))
            }
            _ => self.clash(other),
        }
    }

    /// Something that it writes and that a shared `&World` would see.
    fn first_write(&self) -> Option<Shared> {
        match self {
            Self::Query(access) => access.first_write().map(Shared::Components),
            Self::Resource { id, write } => write.then_some(Shared::Resource(*id)),
            Self::NonSend { id, write } => write.then_some(Shared::NonSend(*id)),
            Self::World | Self::Commands | Self::Locals | Self::Late(_) => None,
            Self::Exclusive => Some(Shared::World),
        }
    }
}

#[derive(Clone, Debug)]
struct Claim {
    target: Target,
    /// Type of the parameter.
    param: &'static str,
}

/// Everything that one system touches: what a schedule needs to know before it runs two systems
/// at the same time.
///
/// ```
/// use orrery_ecs::{Component, IntoSystem, Query, System, With, Without, World};
/// #[derive(Clone, Copy, Component)]
/// struct Health(u32);
/// #[derive(Clone, Copy, Component)]
/// struct Shield;
/// let mut world = World::new();
/// let mut heal = (|_: Query<&mut Health, Without<Shield>>| ()).into_system();
/// let mut count = (|_: Query<&Health>| ()).into_system();
/// let mut polish = (|_: Query<&mut Health, With<Shield>>| ()).into_system();
/// heal.initialize(&mut world)?;
/// count.initialize(&mut world)?;
/// polish.initialize(&mut world)?;
/// let (heal, count, polish) = (heal.access(), count.access(), polish.access());
/// let (heal, count, polish) = (heal.unwrap(), count.unwrap(), polish.unwrap());
/// assert!(heal.is_compatible(polish) && !heal.is_compatible(count));
/// # Ok::<(), orrery_ecs::SystemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SystemAccess {
    claims: Vec<Claim>,
    /// Whether it can see what commands do.
    sees_commands: bool,
}

impl SystemAccess {
    pub(crate) fn exclusive() -> Self {
        let (target, param) = (Target::Exclusive, "&mut World");
        Self {
            claims: vec![Claim { target, param }],
            sees_commands: true,
        }
    }

    pub(crate) fn seeing_commands(self, sees_commands: bool) -> Self {
        Self {
            sees_commands,
            ..self
        }
    }

    /// Whether it asks for commands, so that something may have to be done after it.
    pub fn has_commands(&self) -> bool {
        self.has(|target| matches!(target, Target::Commands))
    }

    /// Whether it can see what commands do: components, resources or handles. What was put off
    /// must be done before such a system runs.
    pub fn sees_commands(&self) -> bool {
        self.sees_commands
    }

    /// Whether it writes to resources when all is done that was put off.
    fn writes_late(&self) -> bool {
        self.has(|target| matches!(target, Target::Late(_)))
    }

    /// Whether something may have to be done after it.
    pub fn puts_off(&self) -> bool {
        self.has_commands() || self.writes_late()
    }

    /// Whether what another one has put off must be done before this one runs, since it could see
    /// whether it was.
    pub fn must_follow(&self, earlier: &Self) -> bool {
        if earlier.has_commands() && self.sees_commands {
            return true;
        }
        earlier.writes_late()
            && self
                .pairs(earlier)
                .any(|pair| match (&pair.0.target, &pair.1.target) {
                    (Target::Resource { id, .. }, Target::Late(late)) => id == late,
                    _ => false,
                })
    }

    /// Whether it has the whole world, for reading or writing: nobody can be between the first and
    /// the last part of a run while it runs.
    pub fn has_whole_world(&self) -> bool {
        self.has(|target| matches!(target, Target::World | Target::Exclusive))
    }

    fn has(&self, is: impl Fn(&Target) -> bool) -> bool {
        self.claims.iter().any(|claim| is(&claim.target))
    }

    /// Whether both touch a component of an archetype that may match both.
    pub(crate) fn shares_components(&self, other: &Self) -> bool {
        self.pairs(other)
            .any(|(a, b)| match (&a.target, &b.target) {
                (Target::Query(a), Target::Query(b)) => a.shares(b),
                _ => false,
            })
    }

    /// The error of a chunk system that asks for commands twice: both would give out the same
    /// lanes of handles.
    pub(crate) fn commands_twice(&self, system: &str) -> Option<AccessConflict> {
        let mut claims = self.claims.iter();
        let mut next = || claims.find(|claim| matches!(claim.target, Target::Commands));
        let (first, second) = (next()?, next()?);
        Some(AccessConflict {
            user: format!("system {system}"),
            first: first.param,
            second: second.param,
            data: "the handles of new entities",
            advice: "ask for Commands once".into(),
        })
    }

    /// Whether two systems may run at the same time and give what they give one by one.
    ///
    /// # Cost
    /// One test for each pair of parameters.
    pub fn is_compatible(&self, other: &Self) -> bool {
        let mut pairs = self.pairs(other);
        pairs.all(|(a, b)| a.target.clash_between_systems(&b.target).is_none())
    }

    /// Whether it reads the whole world and writes too, one at a time. Such a system could fork
    /// the world and then write to what the fork shares, for only a run's begin unshares it.
    pub(crate) fn writes_beside_world(&self) -> bool {
        let mut targets = self.claims.iter().map(|claim| &claim.target);
        let reads_world = targets
            .clone()
            .any(|target| matches!(target, Target::World));
        reads_world && targets.any(|target| target.first_write().is_some())
    }

    /// The first reason why two systems may not run at the same time: parameters of both that
    /// exclude each other. `user` says whose they are, in the error.
    ///
    /// # Panics
    /// When the systems were initialised for another world, and this one lacks a type of theirs.
    pub fn conflict(&self, other: &Self, user: &str, world: &World) -> Option<AccessConflict> {
        let mut pairs = self.pairs(other);
        pairs.find_map(|(a, b)| {
            let shared = a.target.clash_between_systems(&b.target)?;
            Some(describe(user, (a, b), shared, world))
        })
    }

    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Claim, &'a Claim)> {
        let beside = |claim| other.claims.iter().map(move |other| (claim, other));
        self.claims.iter().flat_map(beside)
    }
}

/// What a system's parameters say about it when they are made.
#[derive(Debug, Default)]
pub struct SystemMeta {
    /// `system` or `observer`, in messages.
    kind: &'static str,
    name: &'static str,
    access: SystemAccess,
    locals: Vec<LocalInfo>,
    /// Readers of removed components.
    readers: u32,
    /// Parameters that reserve handles.
    commands: usize,
}

impl SystemMeta {
    pub(crate) fn new(kind: &'static str, name: &'static str) -> Self {
        Self {
            kind,
            name,
            ..Self::default()
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn into_parts(self) -> (SystemAccess, Vec<LocalInfo>, usize) {
        (self.access, self.locals, self.commands)
    }

    /// Adds what a parameter touches.
    pub(crate) fn claim<P>(&mut self, target: Target, world: &World) -> Result<(), AccessConflict> {
        self.claim_as(std::any::type_name::<P>(), target, world)
    }

    /// Adds what a parameter touches that users know by a name of its own.
    pub(crate) fn claim_as(
        &mut self,
        param: &'static str,
        target: Target,
        world: &World,
    ) -> Result<(), AccessConflict> {
        let claim = Claim { target, param };
        for other in &self.access.claims {
            if let Some(shared) = other.target.clash(&claim.target) {
                let user = format!("{} {}", self.kind, self.name);
                return Err(describe(&user, (other, &claim), shared, world));
            }
        }
        self.access.claims.push(claim);
        Ok(())
    }

    /// Number of a new local among those of the system.
    pub(crate) fn add_local<T: LocalValue>(&mut self) -> usize {
        if self.locals.is_empty() {
            let (target, param) = (Target::Locals, "Local<..>");
            self.access.claims.push(Claim { target, param });
        }
        self.locals.push(LocalInfo::of::<T>());
        self.locals.len() - 1
    }

    /// Number of a new reader of removed components among those of the system.
    pub(crate) fn add_reader(&mut self) -> u32 {
        self.readers += 1;
        self.readers - 1
    }

    /// Number of a new parameter that reserves handles among those of the system.
    pub(crate) fn add_commands(&mut self) -> usize {
        self.commands += 1;
        self.commands - 1
    }

    /// Begins a set whose members are used one at a time.
    pub(crate) fn open_set(&self) -> OpenSet {
        OpenSet {
            outside: self.access.claims.len(),
            members: Vec::new(),
        }
    }
}

/// The members of a set so far.
pub(crate) struct OpenSet {
    outside: usize,
    members: Vec<Claim>,
}

impl OpenSet {
    /// Ends a member: what it claimed no longer hinders the next one.
    pub(crate) fn end_member(&mut self, meta: &mut SystemMeta) {
        let claims = meta.access.claims.drain(self.outside..);
        self.members.extend(claims);
    }

    /// Ends the set: what its members claimed hinders everything that comes after it.
    pub(crate) fn close(self, meta: &mut SystemMeta) {
        meta.access.claims.extend(self.members);
    }
}

fn describe(
    user: &str,
    (first, second): (&Claim, &Claim),
    shared: Shared,
    world: &World,
) -> AccessConflict {
    let data = match shared {
        Shared::Components(touched) => touched.name(&world.registry),
        Shared::Resource(id) => world.resources.name(id),
        Shared::NonSend(id) => world.non_send.name(id),
        Shared::World => "the whole world",
    };
    AccessConflict {
        user: String::from(user),
        first: first.param,
        second: second.param,
        data,
        advice: advice(&first.target, &second.target, world),
    }
}

/// The smallest change that ends a conflict.
fn advice(first: &Target, second: &Target, world: &World) -> Cow<'static, str> {
    match (first, second) {
        (Target::Query(first), Target::Query(second)) => {
            let required = (
                first.required_only_here(second),
                second.required_only_here(first),
            );
            let (position, with) = match required {
                (Some(with), _) => ("second", with),
                (None, Some(with)) => ("first", with),
                (None, None) => {
                    return "ask for it once, put both into a ParamSet, or add With and Without \
                            filters that keep them apart"
                        .into();
                }
            };
            let with = short(world.component_name(with));
            format!(
                "add Without<{with}> to the {position} if no entity is meant for both, or put \
                 both into a ParamSet"
            )
            .into()
        }
        (Target::World, _) | (_, Target::World) => {
            "put both into a ParamSet, or ask for what is read by Query and Res instead of &World"
                .into()
        }
        (Target::NonSend { .. }, _) => {
            "ask for it once, as NonSendMut, or put both into a ParamSet".into()
        }
        _ => "ask for it once, as ResMut, or put both into a ParamSet".into(),
    }
}
