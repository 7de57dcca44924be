//! Events that scripts wait for: those that are triggered in their world.

use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::task::{Poll, Waker};

use orrery_ecs::{Commands, Entity, Event, On, Resource, World};
use rustc_hash::FxHashMap;

use super::executor::Executor;
use super::running::{running, running_in};
use super::scripts::Scripts;
use super::turns::wake_all;

/// Events that a listener holds; when one more comes, the oldest goes and is counted.
pub const LISTENER_EVENTS_MAX: usize = 1 << 16;

/// Types of events that the world has an observer for. Forks share observers, and this with them.
#[derive(Clone, Default, Resource)]
#[resource(not_state)]
struct Observed(Vec<TypeId>);

/// The events of a type since it was made, each once; made by
/// [`Script::events`](super::Script::events).
#[derive(Debug)]
#[must_use = "it hears only as long as it is kept"]
pub struct Listener<E: Event + Clone> {
    executor: u64,
    ear: usize,
    marker: PhantomData<fn() -> E>,
}

impl<E: Event + Clone> Listener<E> {
    /// Waits for the next event and returns a clone of it.
    ///
    /// # Panics
    /// When it is awaited by anything but a script of its world.
    pub async fn next(&mut self) -> E {
        poll_fn(|cx| {
            let heard = running(self.executor, |it| it.listeners.take(self.ear, cx.waker()));
            heard.expect("a script awaits what came from its own handle")
        })
        .await
    }

    /// Takes the next event if there is one already.
    pub fn try_next(&mut self) -> Option<E> {
        let waker = Waker::noop();
        let heard = running(self.executor, |it| it.listeners.take(self.ear, waker))?;
        match heard {
            Poll::Ready(event) => Some(event),
            Poll::Pending => None,
        }
    }
}

impl<E: Event + Clone> Drop for Listener<E> {
    fn drop(&mut self) {
        // The events are dropped when nothing is borrowed any more.
        drop(running(self.executor, |it| {
            it.listeners.remove::<E>(self.ear)
        }));
    }
}

/// What one listener has not taken yet.
struct Ear<E> {
    events: VecDeque<E>,
    target: Option<Entity>,
    waker: Option<Waker>,
}

impl<E> Ear<E> {
    fn hears(&self, target: Option<Entity>) -> bool {
        self.target.is_none() || self.target == target
    }
}

/// The listeners of one type of event.
struct Hall<E> {
    ears: Vec<Option<Ear<E>>>,
    free: Vec<usize>,
}

/// The listeners of all types of events.
#[derive(Default)]
pub(super) struct Listeners(FxHashMap<TypeId, Box<dyn Any + Send>>);

impl Listeners {
    fn hall<E: Event + Clone>(&mut self) -> Option<&mut Hall<E>> {
        self.0.get_mut(&TypeId::of::<E>())?.downcast_mut()
    }

    fn add<E: Event + Clone>(&mut self, target: Option<Entity>) -> usize {
        let hall = self.0.entry(TypeId::of::<E>()).or_insert_with(|| {
            let (ears, free) = (Vec::new(), Vec::new());
            Box::new(Hall::<E> { ears, free })
        });
        let hall: &mut Hall<E> = hall.downcast_mut().expect("it is found by its type");
        let ear = hall.free.pop().unwrap_or(hall.ears.len());
        if ear == hall.ears.len() {
            hall.ears.push(None);
        }
        hall.ears[ear] = Some(Ear {
            events: VecDeque::new(),
            target,
            waker: None,
        });
        ear
    }

    fn remove<E: Event + Clone>(&mut self, ear: usize) -> Option<Ear<E>> {
        let hall = self.hall::<E>()?;
        hall.free.push(ear);
        hall.ears[ear].take()
    }

    fn take<E: Event + Clone>(&mut self, ear: usize, waker: &Waker) -> Poll<E> {
        let ear = self.hall::<E>().and_then(|hall| hall.ears[ear].as_mut());
        let ear = ear.expect("it is there as long as its listener");
        match ear.events.pop_front() {
            Some(event) => Poll::Ready(event),
            None => {
                match &mut ear.waker {
                    Some(there) => there.clone_from(waker),
                    none => *none = Some(waker.clone()),
                }
                Poll::Pending
            }
        }
    }
}

/// Events on their way to listeners.
struct Delivery<E> {
    target: Option<Entity>,
    clones: Vec<E>,
    /// Of listeners that were full.
    lost: Vec<E>,
    wakers: Vec<Waker>,
}

impl<E: Event + Clone> Delivery<E> {
    fn count(&self, executor: &mut Executor) -> usize {
        let hall = executor.listeners.hall::<E>();
        let ears = hall.into_iter().flat_map(|hall| hall.ears.iter().flatten());
        ears.filter(|ear| ear.hears(self.target)).count()
    }

    fn hand_out(&mut self, executor: &mut Executor) {
        let hall = executor.listeners.hall::<E>();
        let ears = hall
            .into_iter()
            .flat_map(|hall| hall.ears.iter_mut().flatten());
        for ear in ears.filter(|ear| ear.hears(self.target)) {
            let Some(event) = self.clones.pop() else {
                break;
            };
            if ear.events.len() == LISTENER_EVENTS_MAX {
                self.lost.extend(ear.events.pop_front());
            }
            ear.events.push_back(event);
            self.wakers.extend(ear.waker.take());
        }
        executor.counters.events_lost += self.lost.len() as u64;
    }
}

/// Calls a function with the executor of a world, running or not, if there is one.
fn executor_of<R>(world: &mut World, mut call: impl FnMut(&mut Executor) -> R) -> Option<R> {
    if let Some(result) = running_in(world.id(), &mut call) {
        return Some(result);
    }
    let scripts = world.get_resource_mut::<Scripts>()?;
    scripts.executor().map(call)
}

/// Gives an event to all who listen. Clones are made while nothing is borrowed.
fn deliver<E: Event + Clone>(world: &mut World, target: Option<Entity>, event: &E) {
    let mut delivery = Delivery {
        target,
        clones: Vec::new(),
        lost: Vec::new(),
        wakers: Vec::new(),
    };
    let count = executor_of(world, |executor| delivery.count(executor));
    delivery.clones = (0..count.unwrap_or(0)).map(|_| event.clone()).collect();
    executor_of(world, |executor| delivery.hand_out(executor));
    wake_in_run(world, delivery.wakers);
}

/// Wakes: at once in a run, or else in the next one. Wakers of combinators are code of others, and
/// have their effect only in a run. In a world without scripts they are those of another one, where
/// this is a wake from outside.
pub(super) fn wake_in_run(world: &mut World, mut wakers: Vec<Waker>) {
    if let Some(executor) = running_in(world.id(), |executor| executor.id) {
        wake_all(executor, wakers);
    } else if executor_of(world, |executor| executor.wakers.append(&mut wakers)).is_none() {
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// Makes a listener, and sees to it that the world has an observer for it.
pub(super) fn listen<E: Event + Clone>(
    world: &mut World,
    executor: u64,
    target: Option<Entity>,
) -> Listener<E> {
    let observed = &mut world.get_resource_or_init::<Observed>().0;
    if !observed.contains(&TypeId::of::<E>()) {
        observed.push(TypeId::of::<E>());
        world.add_observer(|on: On<E>, mut commands: Commands| {
            let (target, event) = (on.target(), on.event().clone());
            commands.queue(move |world| deliver(world, target, &event));
        });
    }
    let ear = running(executor, |it| it.listeners.add::<E>(target));
    Listener {
        executor,
        ear: ear.expect("a script makes it, so it runs"),
        marker: PhantomData,
    }
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listeners")
            .field("types", &self.0.len())
            .finish()
    }
}
