//! Systems on their way into a schedule, with what was said about them.

use std::any::type_name;
use std::ops::Range;

use orrery_ecs::{Condition, IntoCondition, IntoSystem, System};

use super::set::{IntoSet, SetId};

/// A system and what is known of it alone.
pub(super) struct Config {
    pub(super) system: Box<dyn System>,
    /// The sets that it is in; the first one is that of its function.
    pub(super) sets: Vec<SetId>,
    pub(super) before: Vec<SetId>,
    pub(super) after: Vec<SetId>,
    /// Sets whose order with it is no matter, and `None` for any.
    pub(super) ambiguous_with: Vec<Option<SetId>>,
}

/// Systems with constraints; see [`IntoSystems`] for what can be said of them.
pub struct SystemConfigs {
    pub(super) systems: Vec<Config>,
    /// Conditions, each with the systems that it is for.
    pub(super) conditions: Vec<(Box<dyn Condition>, Range<usize>)>,
    /// Systems of the first before those of the second.
    pub(super) chained: Vec<(Range<usize>, Range<usize>)>,
    /// Systems that share a sync point.
    pub(super) sharing: Vec<Range<usize>>,
    /// What `chain` puts in a row.
    parts: Vec<Range<usize>>,
}

impl SystemConfigs {
    fn new() -> Self {
        Self {
            systems: Vec::new(),
            conditions: Vec::new(),
            chained: Vec::new(),
            sharing: Vec::new(),
            parts: Vec::new(),
        }
    }

    fn one(system: Box<dyn System>, of_function: SetId) -> Self {
        let config = Config {
            system,
            sets: vec![of_function],
            before: Vec::new(),
            after: Vec::new(),
            ambiguous_with: Vec::new(),
        };
        Self {
            systems: vec![config],
            parts: std::iter::once(0..1).collect(),
            ..Self::new()
        }
    }

    /// Puts others behind, as one part.
    fn push(&mut self, other: Self) {
        let by = self.systems.len();
        let moved = |range: Range<usize>| range.start + by..range.end + by;
        self.systems.extend(other.systems);
        self.parts.push(by..self.systems.len());
        let conditions = other.conditions.into_iter();
        self.conditions
            .extend(conditions.map(|(condition, range)| (condition, moved(range))));
        let chained = other.chained.into_iter();
        self.chained
            .extend(chained.map(|(first, second)| (moved(first), moved(second))));
        self.sharing.extend(other.sharing.into_iter().map(moved));
    }

    fn each(mut self, change: impl Fn(&mut Config)) -> Self {
        self.systems.iter_mut().for_each(change);
        self
    }
}

/// A system or a tuple of up to 12 systems and tuples, and what can be said of them.
///
/// Without a word systems run in the order in which they were added wherever that can be told:
/// see the [module](crate::schedule).
///
/// `Marker` tells the kinds of function apart and is always inferred.
///
/// ```
/// use orrery::ecs::{Res, ResMut, Resource, Serial, World};
/// use orrery::schedule::{IntoSystems, Schedule};
/// #[derive(Clone, Default, Resource)]
/// struct Log(Vec<&'static str>);
/// fn move_all(mut log: ResMut<Log>) {
///     log.0.push("move");
/// }
/// fn collide(mut log: ResMut<Log>) {
///     log.0.push("collide");
/// }
/// fn think(mut log: ResMut<Log>) {
///     log.0.push("think");
/// }
/// let mut world = World::new();
/// world.init_resource::<Log>();
/// let mut schedule = Schedule::new("example");
/// schedule.add_systems((move_all, collide).chain().in_set("physics"));
/// schedule.add_systems(think.before("physics").run_if(|log: Res<Log>| log.0.is_empty()));
/// schedule.run(&mut world, &Serial)?;
/// schedule.run(&mut world, &Serial)?;
/// assert_eq!(world.resource::<Log>().0, ["think", "move", "collide", "move", "collide"]);
/// # Ok::<(), orrery::schedule::ScheduleError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a system nor a tuple of systems",
    label = "not a system",
    note = "write `#[orrery::ecs::check_system]` above the function to see which parameter is \
            wrong",
    note = "a system is a function whose parameters are Query, Single, Res, ResMut, Option of \
            these, Local, Commands, ParamSet, NonSend, NonSendMut, RemovedComponents, Related, \
            &World or tuples of these; or a Chunk first and then Res and Commands; or only \
            `&mut World`",
    note = "it returns nothing or `Result<(), E>`"
)]
pub trait IntoSystems<Marker>: Sized {
    /// The systems with what was said of them.
    fn into_configs(self) -> SystemConfigs;

    /// Each part of a tuple after the one before it. A part is a system or a tuple.
    fn chain(self) -> SystemConfigs {
        let mut configs = self.into_configs();
        let pairs = configs.parts.windows(2);
        let chained: Vec<_> = pairs
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect();
        configs.chained.extend(chained);
        configs
    }

    /// Before all systems of a set, or all that are made of a function.
    fn before<M>(self, set: impl IntoSet<M>) -> SystemConfigs {
        let set = set.into_set();
        self.into_configs()
            .each(|config| config.before.push(set.clone()))
    }

    /// After all systems of a set, or all that are made of a function.
    fn after<M>(self, set: impl IntoSet<M>) -> SystemConfigs {
        let set = set.into_set();
        self.into_configs()
            .each(|config| config.after.push(set.clone()))
    }

    /// Makes them members of a set.
    fn in_set<M>(self, set: impl IntoSet<M>) -> SystemConfigs {
        let set = set.into_set();
        self.into_configs()
            .each(|config| config.sets.push(set.clone()))
    }

    /// Runs them only if a condition says so. It is evaluated once in each run of the schedule,
    /// right before the first of them, and its answer holds for all of them.
    ///
    /// A system with several conditions runs if all say so; all are evaluated, whatever the first
    /// says. One that does not run does not hold up those that come after it, and what is new to
    /// it stays new.
    fn run_if<M>(self, condition: impl IntoCondition<M>) -> SystemConfigs {
        let mut configs = self.into_configs();
        let all = 0..configs.systems.len();
        configs
            .conditions
            .push((Box::new(condition.into_condition()), all));
        configs
    }

    /// What their commands ask for is done behind the last of them, in their order: none sees what
    /// the commands of the others do. So they may run at the same time, where a system that sees
    /// what commands do would wait for the ones before it.
    fn share_sync_point(self) -> SystemConfigs {
        let mut configs = self.into_configs();
        configs.sharing.push(0..configs.systems.len());
        configs
    }

    /// Says that the order with the systems of a set is no matter, so that
    /// [`Schedule::ambiguities`](super::Schedule::ambiguities) does not list them.
    fn ambiguous_with<M>(self, set: impl IntoSet<M>) -> SystemConfigs {
        let set = set.into_set();
        self.into_configs()
            .each(|config| config.ambiguous_with.push(Some(set.clone())))
    }

    /// Says that their order is no matter with any other system.
    fn ambiguous_with_all(self) -> SystemConfigs {
        self.into_configs()
            .each(|config| config.ambiguous_with.push(None))
    }
}

impl IntoSystems<()> for SystemConfigs {
    fn into_configs(self) -> SystemConfigs {
        self
    }
}

/// Marks systems that were made already.
pub struct Made;

impl IntoSystems<Made> for Box<dyn System> {
    fn into_configs(self) -> SystemConfigs {
        let of_function = SetId::of_system::<Self>(self.name());
        SystemConfigs::one(self, of_function)
    }
}

/// Marks single systems.
pub struct One;

impl<S, M> IntoSystems<(One, M)> for S
where
    S: IntoSystem<M>,
{
    fn into_configs(self) -> SystemConfigs {
        let of_function = SetId::of_system::<S::System>(type_name::<S>());
        SystemConfigs::one(Box::new(self.into_system()), of_function)
    }
}

/// Marks tuples.
pub struct Many;

macro_rules! tuples {
    ($($name:ident $marker:ident)*) => {
        impl<$($name, $marker),*> IntoSystems<(Many, $($marker,)*)> for ($($name,)*)
        where
            $($name: IntoSystems<$marker>),*
        {
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            fn into_configs(self) -> SystemConfigs {
                let ($($name,)*) = self;
                let mut configs = SystemConfigs::new();
                $(configs.push($name.into_configs());)*
                configs
            }
        }
    };
}

tuples!(A MA);
tuples!(A MA B MB);
tuples!(A MA B MB C MC);
tuples!(A MA B MB C MC D MD);
tuples!(A MA B MB C MC D MD E ME);
tuples!(A MA B MB C MC D MD E ME F MF);
tuples!(A MA B MB C MC D MD E ME F MF G MG);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH I MI);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH I MI J MJ);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH I MI J MJ K MK);
tuples!(A MA B MB C MC D MD E ME F MF G MG H MH I MI J MJ K MK L ML);
