//! Reading as a parameter of systems.

use std::any::type_name;
use std::marker::PhantomData;

use orrery_ecs::{Keep, Kept, Late, ParamOwner, SystemId, SystemParam, Ticks, World};

use super::{EventIter, EventWithIdIter, Events, QueuedEvent};

/// Which reader the parameter is, and how far the present run has come.
struct Place<E, const VIEWS: bool> {
    owner: ParamOwner,
    /// Where the queue had it last.
    hint: usize,
    /// The present run; `None` when there is none to be noted.
    run: Option<Ticks>,
    /// Numbers of the first event that the run could read, and of the next one.
    progress: Option<(u64, u64)>,
    event: PhantomData<fn() -> E>,
}

impl<E: QueuedEvent, const VIEWS: bool> Place<E, VIEWS> {
    #[inline]
    fn next(&self, events: &Events<E>) -> u64 {
        let begun = self.progress.map(|(_, next)| next);
        begun.unwrap_or_else(|| events.place(self.owner, self.hint))
    }

    #[inline]
    fn next_mut(&mut self, events: &Events<E>) -> &mut u64 {
        let next = self.next(events);
        let (_, next) = self.progress.get_or_insert((next, next));
        next
    }

    /// Whether the run begins a round. One that only looks on does not, nor does one that leaves
    /// nothing behind.
    fn begins_round(&self, events: &Events<E>, run: Ticks) -> bool {
        !VIEWS && self.owner.system.is_some() && events.has_old_round(run)
    }
}

impl<E: QueuedEvent, const VIEWS: bool> Keep for Place<E, VIEWS> {
    type Resource = Events<E>;

    fn name() -> &'static str {
        match VIEWS {
            true => type_name::<EventViewer<'static, 'static, E>>(),
            false => type_name::<EventReader<'static, 'static, E>>(),
        }
    }

    fn attach(world: &mut World, owner: ParamOwner) -> Self {
        world.init_resource::<Events<E>>();
        let mut events = world.resource::<Events<E>>();
        // Only if it must: a queue that a fork shares is copied.
        if events.find(owner, 0).is_none() && owner.system.is_some() {
            let unshared = world.resource_mut::<Events<E>>();
            unshared.register(owner, VIEWS);
            events = unshared;
        }
        Self {
            owner,
            hint: events.find(owner, 0).unwrap_or(0),
            run: None,
            progress: None,
            event: PhantomData,
        }
    }

    fn validate(&self, events: &Events<E>) -> Result<(), String> {
        events.validate()
    }

    fn begin(&mut self, run: Ticks) {
        self.run = Some(run);
    }

    fn finish(&mut self, mut events: Late<'_, Events<E>>) {
        let (run, progress) = (self.run.take(), self.progress.take());
        let found = events.get().find(self.owner, self.hint);
        let is_strange = found.is_none() && self.owner.system.is_some();
        let begins_round = run.filter(|&run| self.begins_round(events.get(), run));
        let (from, to) = progress.unwrap_or((0, 0));
        // Only if it must: a queue that a fork shares is copied.
        if from == to && begins_round.is_none() && !is_strange {
            return;
        }
        let events = events.get_mut();
        if is_strange {
            // Somebody put another queue in the place of the one that knew it.
            events.register(self.owner, VIEWS);
        }
        let found = events.find(self.owner, self.hint);
        self.hint = found.unwrap_or(0);
        events.advance(found, from, to);
        if let Some(run) = begins_round {
            events.begin_run(run);
        }
    }

    fn discard(&mut self) {
        (self.run, self.progress) = (None, None);
    }

    fn forget(mut events: Late<'_, Events<E>>, system: SystemId) {
        if events.get().readers().any(|reader| reader.system == system) {
            events.get_mut().remove_reader(system);
        }
    }
}

macro_rules! reader {
    ($(#[$doc:meta])* $name:ident $views:literal) => {
        $(#[$doc])*
        #[derive(SystemParam)]
        pub struct $name<'w, 's, E: QueuedEvent> {
            events: Kept<'w, 's, Place<E, $views>>,
        }

        impl<E: QueuedEvent> $name<'_, '_, E> {
            /// What was not read yet, in the order of sending. An event counts as read when it
            /// comes out of the iterator; what stays in it is there for the next call or run.
            #[inline]
            pub fn read(&mut self) -> EventIter<'_, E> {
                EventIter(self.read_with_id())
            }

            /// As [`read`](Self::read), each event with its id.
            #[inline]
            pub fn read_with_id(&mut self) -> EventWithIdIter<'_, E> {
                let (events, place) = self.events.split();
                let next = place.next_mut(events);
                EventWithIdIter {
                    unread: events.iter_from(*next),
                    next,
                }
            }

            /// How many events are still to be read.
            pub fn len(&self) -> usize {
                let events = self.events.resource();
                events.len_from(self.events.kept().next(events))
            }

            /// Whether there is nothing to read.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Counts all that is there as read.
            pub fn clear(&mut self) {
                let (events, place) = self.events.split();
                *place.next_mut(events) = events.next_id().number();
            }

            /// How many events it has never seen and will not, because the queue was full or was
            /// cleared.
            pub fn missed(&self) -> u64 {
                let place = self.events.kept();
                self.events.resource().missed(place.owner, place.hint)
            }
        }
    };
}

reader! {
    /// Reads the events of type `E`, each exactly once, in the order of sending. A system
    /// parameter.
    ///
    /// From the moment its system is initialised the queue keeps what it has not read, however
    /// seldom the system runs and whatever it leaves unread; it begins with the events of the
    /// present round and the one before (see [the module](super)). A run that fails or panics has
    /// read nothing.
    ///
    /// Its place is state: it is forked, hashed, and a queue with the policy `Block` or `Error`
    /// waits for it. A system of `Update`, which runs as often as the screen likes, takes an
    /// [`EventViewer`], unless it is to hold up the simulation.
    ///
    /// In a function that runs once it reads what a reader would that is made now, and leaves it
    /// there for the next one.
    ///
    /// ```
    /// use orrery::prelude::*;
    /// #[derive(Clone, Event, StateHash)]
    /// struct Hit(u32);
    /// #[derive(Clone, Default, Resource)]
    /// struct Damage(u32);
    /// fn shoot(mut hits: EventWriter<Hit>, time: Res<Time>) {
    ///     hits.send(Hit(time.tick() as u32));
    /// }
    /// // Once in four ticks: nothing is lost, and nothing seen twice.
    /// fn suffer(mut hits: EventReader<Hit>, mut damage: ResMut<Damage>, time: Res<Time>) {
    ///     if time.tick() % 4 == 3 {
    ///         damage.0 += hits.read().map(|hit| hit.0).sum::<u32>();
    ///     }
    /// }
    /// let mut app = App::new();
    /// app.world_mut().init_resource::<Damage>();
    /// app.add_systems(FixedUpdate, (shoot, suffer));
    /// app.run(Runner::Ticks(10))?;
    /// assert_eq!(app.world().resource::<Damage>().0, (0..8).sum::<u32>());
    /// # Ok::<(), orrery::app::AppError>(())
    /// ```
    EventReader false
}

reader! {
    /// As [`EventReader`], for who only looks on: sound, screen, logs. A system parameter.
    ///
    /// Its place is no part of the state hash, and the queue does not wait for it. Where it comes
    /// so late that the queue has had to make room, it counts what it has [missed](Self::missed);
    /// nobody else loses anything by it. So two runs of a simulation have the same state whatever
    /// looks on, and however often.
    ///
    /// ```
    /// use orrery::prelude::*;
    /// #[derive(Clone, Event, StateHash)]
    /// struct Hit(u32);
    /// fn shoot(mut hits: EventWriter<Hit>) {
    ///     hits.send(Hit(1));
    /// }
    /// fn play(mut hits: EventViewer<Hit>) {
    ///     hits.read().for_each(|hit| println!("bang {}", hit.0));
    /// }
    /// let app = |looks_on| {
    ///     let mut app = App::new();
    ///     app.add_systems(FixedUpdate, shoot);
    ///     if looks_on {
    ///         app.add_systems(Update, play);
    ///     }
    ///     app.run(Runner::Ticks(10)).map(|()| app.world().state_hash())
    /// };
    /// assert_eq!(app(true)?, app(false)?);
    /// # Ok::<(), orrery::app::AppError>(())
    /// ```
    EventViewer true
}
