//! A resource out of the world while somebody works on both.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::table::Lent;
use super::{ResMut, Resource};
use crate::component::Ticks;
use crate::world::World;
use crate::world::access::missing;

impl World {
    /// Calls a function with a resource taken out of the world, so that it can write to both, and
    /// puts the resource back, also after a panic of the function.
    ///
    /// Meanwhile the world does not have the resource: reading and removing it give `None`, a
    /// system that needs it is refused, inserting another one panics, and [`World::fork`] refuses
    /// by name. The state hash leaves it out.
    ///
    /// # Panics
    /// When the world does not have the resource, or the function puts another world in the place
    /// of this one: the resource has nowhere to go then.
    ///
    /// ```
    /// use orrery_ecs::{Component, ResMut, Resource, World};
    /// #[derive(Clone, Copy, Component)]
    /// struct Egg;
    /// #[derive(Clone, Resource)]
    /// struct Nest(u32);
    /// let mut world = World::new();
    /// world.insert_resource(Nest(2));
    /// world.resource_scope(|world, mut nest: ResMut<Nest>| {
    ///     world.spawn_batch((0..nest.0).map(|_| Egg));
    ///     nest.0 = 0;
    /// });
    /// assert_eq!((world.len(), world.resource::<Nest>().0), (2, 0));
    /// ```
    #[track_caller]
    pub fn resource_scope<R: Resource, T>(
        &mut self,
        scope: impl FnOnce(&mut World, ResMut<'_, R>) -> T,
    ) -> T {
        match self.try_resource_scope(scope) {
            Some(result) => result,
            None => missing(R::NAME),
        }
    }

    /// As [`resource_scope`](World::resource_scope), or `None`, without calling the function, if
    /// the world does not have the resource.
    ///
    /// # Panics
    /// When the function puts another world in the place of this one.
    pub fn try_resource_scope<R: Resource, T>(
        &mut self,
        scope: impl FnOnce(&mut World, ResMut<'_, R>) -> T,
    ) -> Option<T> {
        let id = self.resources.id::<R>()?;
        let mut lent = self.resources.lend(id)?;
        let (home, tick) = (self.id(), self.change_tick());
        let now = Ticks {
            last_run: 0,
            this_run: tick,
        };
        let result = catch_unwind(AssertUnwindSafe(|| scope(self, lent.resource(now))));
        let stayed = self.id() == home;
        if stayed {
            // Systems that ran inside have seen ticks up to now, and must find this write newer.
            let changed = lent.changed.get_mut();
            if *changed == tick {
                *changed = self.change_tick();
            }
            self.resources.put_back(id, lent);
        }
        let result = result.unwrap_or_else(|panic| resume_unwind(panic));
        assert!(
            stayed,
            "the world was replaced inside World::resource_scope of {}, which is lost with it; \
             replace it outside",
            R::NAME
        );
        Some(result)
    }
}

impl Lent {
    fn resource<R: Resource>(&mut self, now: Ticks) -> ResMut<'_, R> {
        let value = Arc::get_mut(&mut self.value).expect("`lend` made it ours alone");
        let value = (value as &mut dyn Any).downcast_mut::<R>();
        ResMut {
            value: value.expect("it came from the slot of its type"),
            added: self.added,
            changed: &self.changed,
            now,
        }
    }
}
