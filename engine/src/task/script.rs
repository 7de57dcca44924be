//! What a script has in its hands.

use std::panic::Location;

use orrery_ecs::{Entity, Event, NoSuchEntity, World};

use super::blocking::{BlockingError, try_spawn};
use super::handle::Task;
use super::listen::{Listener, listen};
use super::running::{is_lent, lend, running};
use super::scripts::{Spawning, handle, spawn, spawn_for};
use super::sent::SentEvents;
use super::wait::Sleep;
use crate::event::QueuedEvent;

/// A script's own handle: what it awaits, and the way to the world.
///
/// Between two awaits a script has the world for the length of a closure, so nothing of the world
/// is borrowed across an await; what it remembers are entities and values of its own. Those are not
/// part of the world's state: see [the module](super#state).
///
/// ```
/// use orrery::ecs::{Component, World};
/// use orrery::task::{Script, WorldTasks};
/// #[derive(Clone, Copy, Component)]
/// struct Fuse(u32);
/// async fn burn(script: Script) {
///     let bomb = script.entity().expect("it belongs to one");
///     while script.with(|world| world.get::<Fuse>(bomb).is_some_and(|fuse| fuse.0 > 0)) {
///         script.next_tick().await;
///         script.with(|world| world.get_mut::<Fuse>(bomb).expect("it lives").0 -= 1);
///     }
/// }
/// let mut world = World::new();
/// let bomb = world.spawn(Fuse(3)).id();
/// let burning = world.spawn_task_for(bomb, burn)?;
/// (0..=3).for_each(|tick| world.run_tasks(tick));
/// assert!(burning.is_finished());
/// # Ok::<(), orrery::ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Script {
    executor: u64,
    entity: Option<Entity>,
}

impl Script {
    pub(super) fn new(executor: u64, entity: Option<Entity>) -> Self {
        Self { executor, entity }
    }

    /// The entity that it belongs to.
    pub fn entity(self) -> Option<Entity> {
        self.entity
    }

    /// The tick that runs: that of the tick that begins.
    ///
    /// # Panics
    /// Where none of its world's scripts runs.
    pub fn tick(self) -> u64 {
        let tick = running(self.executor, |executor| executor.order.tick);
        tick.expect("Script::tick is for a script that runs")
    }

    /// Whether [`with`](Self::with) can give it the world: a script of it runs, and no other `with`
    /// has it.
    pub fn has_world(self) -> bool {
        running(self.executor, |_| ()).is_some() && !is_lent()
    }

    /// Calls a function with the world.
    ///
    /// # Panics
    /// Inside another `with`, where the world is lent already; where no script of its world runs;
    /// and, after the run, when the function put another world in the place of this one. A panic of
    /// a script ends that script alone.
    #[inline]
    pub fn with<R>(self, call: impl FnOnce(&mut World) -> R) -> R {
        assert!(
            running(self.executor, |_| ()).is_some(),
            "Script::with is for a script that runs: call it in the script that got the handle"
        );
        match lend(call) {
            Ok(result) => result,
            Err(_) => panic!(
                "Script::with inside Script::with: the outer closure has the world already; use \
                 its argument"
            ),
        }
    }

    /// Waits for the next tick.
    pub fn next_tick(self) -> Sleep {
        self.sleep(1)
    }

    /// Waits for so many ticks; 0 goes on at once.
    pub fn sleep(self, ticks: u64) -> Sleep {
        Sleep::new(self.executor, ticks)
    }

    /// Waits until a question that is put to the world once a tick has an answer, which may be now.
    ///
    /// ```
    /// use orrery::ecs::{Resource, World};
    /// use orrery::task::WorldTasks;
    /// #[derive(Clone, Resource)]
    /// struct Score(u32);
    /// let mut world = World::new();
    /// let mut win = world.spawn_task(async |script| {
    ///     let has_won = |world: &mut World| {
    ///         world.get_resource::<Score>().map(|score| score.0).filter(|&score| score > 9)
    ///     };
    ///     script.until(has_won).await
    /// });
    /// world.run_tasks(1);
    /// world.insert_resource(Score(12));
    /// world.run_tasks(2);
    /// assert_eq!(win.take(), Some(Ok(12)));
    /// ```
    pub async fn until<R>(self, mut ask: impl FnMut(&mut World) -> Option<R>) -> R {
        loop {
            if let Some(answer) = self.with(&mut ask) {
                return answer;
            }
            self.next_tick().await;
        }
    }

    /// Waits for the next event of a type that is triggered, for an entity or for none, and returns
    /// a clone of it. Events that are sent to a queue are read by [`sent`](Self::sent).
    ///
    /// What is triggered while the script does not wait is not for it; [`events`](Self::events)
    /// misses none. Events that scripts trigger wake in the same tick, those of systems in the
    /// next.
    pub async fn event<E: Event + Clone>(self) -> E {
        self.events::<E>().next().await
    }

    /// Waits for the next event of a type that is triggered for one entity.
    pub async fn event_for<E: Event + Clone>(self, entity: Entity) -> E {
        self.events_for::<E>(entity).next().await
    }

    /// Listens to all events of a type from now on.
    ///
    /// ```
    /// use orrery::ecs::{Event, World};
    /// use orrery::task::WorldTasks;
    /// #[derive(Clone, Event)]
    /// struct Hit(u32);
    /// let mut world = World::new();
    /// let mut sum = world.spawn_task(async |script| {
    ///     let mut hits = script.events::<Hit>();
    ///     hits.next().await.0 + hits.next().await.0
    /// });
    /// world.run_tasks(1);
    /// world.trigger(Hit(2));
    /// world.trigger(Hit(3));
    /// world.run_tasks(2);
    /// assert_eq!(sum.take(), Some(Ok(5)));
    /// ```
    ///
    /// # Panics
    /// As [`with`](Self::with).
    ///
    /// # Cost
    /// From the first listener of a type on, an observer of the world clones each such event, and
    /// once more for each listener.
    pub fn events<E: Event + Clone>(self) -> Listener<E> {
        self.with(|world| listen(world, self.executor, None))
    }

    /// Listens to the events of a type that are triggered for one entity.
    ///
    /// # Panics
    /// As [`with`](Self::with).
    pub fn events_for<E: Event + Clone>(self, entity: Entity) -> Listener<E> {
        self.with(|world| listen(world, self.executor, Some(entity)))
    }

    /// Reads the queue of a type of event from now on: what systems send by
    /// [`EventWriter`](crate::event::EventWriter).
    ///
    /// ```
    /// use orrery::prelude::*;
    /// #[derive(Clone, Event, StateHash)]
    /// struct Order(u64);
    /// let mut app = App::new();
    /// app.add_systems(FixedUpdate, |time: Res<Time>, mut orders: EventWriter<Order>| {
    ///     orders.send(Order(time.tick()));
    /// });
    /// let mut two = app.world_mut().spawn_task(async |script| {
    ///     let mut orders = script.sent::<Order>();
    ///     (orders.next().await.0, orders.next().await.0)
    /// });
    /// app.run(Runner::Ticks(3))?;
    /// assert_eq!(two.take(), Some(Ok((0, 1))));
    /// # Ok::<(), orrery::app::AppError>(())
    /// ```
    ///
    /// # Panics
    /// As [`with`](Self::with).
    pub fn sent<E: QueuedEvent>(self) -> SentEvents<E> {
        SentEvents::new(self)
    }

    /// Spawns a script, whose turn comes in this tick, after all that were there before. It belongs
    /// to no entity.
    ///
    /// # Panics
    /// As [`with`](Self::with).
    #[track_caller]
    pub fn spawn<F, Fut>(self, function: F) -> Task<Fut::Output>
    where
        F: FnOnce(Script) -> Fut,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        let spawning = Spawning::new(function, Location::caller(), true);
        self.with(|world| handle(spawn(world, spawning)))
    }

    /// Spawns a script that belongs to an entity.
    ///
    /// # Errors
    /// When the entity does not live.
    ///
    /// # Panics
    /// As [`with`](Self::with).
    #[track_caller]
    pub fn spawn_for<F, Fut>(
        self,
        entity: Entity,
        function: F,
    ) -> Result<Task<Fut::Output>, NoSuchEntity>
    where
        F: FnOnce(Script) -> Fut,
        Fut: Future + Send + 'static,
        Fut::Output: Send + 'static,
    {
        let spawning = Spawning::new(function, Location::caller(), true);
        let spawned = self.with(|world| spawn_for(world, entity, spawning));
        spawned.map(handle).ok_or(NoSuchEntity { entity })
    }

    /// Does work that blocks on a thread of the pool, and waits for what comes of it; see
    /// [`Blocking`](super::Blocking). While the pool is full, the script waits for room.
    ///
    /// # Errors
    /// When the work panicked, or no thread could be started.
    ///
    /// ```
    /// use orrery::ecs::World;
    /// use orrery::task::WorldTasks;
    /// let mut world = World::new();
    /// let mut length = world.spawn_task(async |script| {
    ///     let read = || std::fs::read("/no/such/file");
    ///     script.blocking(read).await.expect("reading does not panic").is_ok()
    /// });
    /// world.run_tasks(1);
    /// world.run_tasks(2);
    /// assert_eq!(length.take(), Some(Ok(false)));
    /// ```
    pub async fn blocking<T, W>(self, work: W) -> Result<T, BlockingError>
    where
        W: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let mut work = work;
        loop {
            match self.with(|world| try_spawn(world, work)) {
                Ok(request) => return request.await,
                Err((BlockingError::Full { .. }, back)) => work = back,
                Err((error, _)) => return Err(error),
            }
            self.next_tick().await;
        }
    }
}
