//! Conditions ready for use.

use orrery_ecs::{Component, Local, Query, Res, Resource, With};

/// Whether a resource is in the world.
///
/// ```
/// use orrery::ecs::{Resource, World};
/// use orrery::schedule::{IntoSystems, Schedule, resource_exists};
/// #[derive(Clone, Resource)]
/// struct Map;
/// let mut schedule = Schedule::new("example");
/// schedule.add_systems((|| panic!("no map")).run_if(resource_exists::<Map>));
/// schedule.run(&mut World::new(), &orrery::ecs::Serial)?;
/// # Ok::<(), orrery::schedule::ScheduleError>(())
/// ```
pub fn resource_exists<R: Resource>(resource: Option<Res<R>>) -> bool {
    resource.is_some()
}

/// Whether a resource is there and was written since the condition was asked last.
pub fn resource_changed<R: Resource>(resource: Option<Res<R>>) -> bool {
    resource.is_some_and(|resource| resource.is_changed())
}

/// Whether a resource is there and equals a value.
///
/// ```
/// use orrery::ecs::{ResMut, Resource, World};
/// use orrery::schedule::{IntoSystems, Schedule, resource_equals};
/// #[derive(Clone, PartialEq, Resource)]
/// struct Level(u32);
/// let mut world = World::new();
/// world.insert_resource(Level(1));
/// let mut schedule = Schedule::new("example");
/// let rise = |mut level: ResMut<Level>| level.0 += 1;
/// schedule.add_systems(rise.run_if(resource_equals(Level(1))));
/// schedule.run(&mut world, &orrery::ecs::Serial)?;
/// schedule.run(&mut world, &orrery::ecs::Serial)?;
/// assert_eq!(world.resource::<Level>().0, 2);
/// # Ok::<(), orrery::schedule::ScheduleError>(())
/// ```
pub fn resource_equals<R: Resource + PartialEq>(
    value: R,
) -> impl FnMut(Option<Res<R>>) -> bool + Send + 'static {
    move |resource| resource.is_some_and(|resource| *resource == value)
}

/// Whether it is asked for the first time.
pub fn run_once(mut asked: Local<bool>) -> bool {
    !std::mem::replace(&mut *asked, true)
}

/// Whether it is asked for the `n`-th time, the `2n`-th, and so on; with 0 never.
///
/// ```
/// use orrery::ecs::{ResMut, Resource, Serial, World};
/// use orrery::schedule::{IntoSystems, Schedule, every_n_runs};
/// #[derive(Clone, Default, Resource)]
/// struct Count(u32);
/// let mut world = World::new();
/// world.init_resource::<Count>();
/// let mut schedule = Schedule::new("example");
/// schedule.add_systems((|mut count: ResMut<Count>| count.0 += 1).run_if(every_n_runs(8)));
/// for _ in 0..80 {
///     schedule.run(&mut world, &Serial)?;
/// }
/// assert_eq!(world.resource::<Count>().0, 10);
/// # Ok::<(), orrery::schedule::ScheduleError>(())
/// ```
pub fn every_n_runs(n: u64) -> impl FnMut(Local<u64>) -> bool + Send + 'static {
    move |mut asked| {
        *asked += 1;
        let is_due = n != 0 && *asked >= n;
        if is_due {
            *asked = 0;
        }
        is_due
    }
}

/// Whether some entity has a component.
pub fn any_with_component<C: Component>(all: Query<(), With<C>>) -> bool {
    !all.is_empty()
}
