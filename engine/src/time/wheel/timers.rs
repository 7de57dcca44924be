//! The resource: what systems arm, cancel and ask.

use std::fmt;
use std::num::NonZeroU32;

use orrery_ecs::Resource;

use super::rings::Wheel;

/// Handle of one timer: 8 bytes, and never valid again once the timer is over.
///
/// It may stand in components; which handle a timer gets is a function of the operations before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId {
    pub(super) index: u32,
    /// Odd.
    pub(super) generation: NonZeroU32,
}

const _: () = assert!(size_of::<Option<TimerId>>() == 8);

impl TimerId {
    /// The handle as a number, for files and logs.
    pub fn to_bits(self) -> u64 {
        u64::from(self.index) | u64::from(self.generation.get()) << 32
    }

    /// The handle that [`to_bits`](Self::to_bits) gave; `None` for a number that it never gives.
    pub fn from_bits(bits: u64) -> Option<Self> {
        let generation = NonZeroU32::new((bits >> 32) as u32)?;
        (generation.get() % 2 == 1).then_some(Self {
            index: bits as u32,
            generation,
        })
    }
}

impl fmt::Debug for TimerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "timer {}v{}", self.index, self.generation)
    }
}

/// Timers on ticks, each with a value that is given out when it is due.
///
/// The clock of a wheel is the tick of the last [`expire`](Self::expire): call that once a tick, in
/// one system, and what is armed `after` so many ticks counts from that tick. Timers of one tick
/// are given out in the order in which they were armed.
///
/// The value is what the system needs to know: an entity, an event, a small enum. A timer whose
/// entity is gone is given out all the same; ask the world, or cancel it.
///
/// # Cost
/// Arming and cancelling are O(1) and do not allocate once as many timers were armed before; a
/// timer takes 24 bytes and the value. `time::timer_arm_1m` and `timer_cancel_1m` in the benches
/// show both with a million active. A fork shares the wheel; the first to write copies it whole.
///
/// # Examples
/// ```
/// use orrery::prelude::*;
/// use orrery::time::{TimerId, Timers};
///
/// #[derive(Clone, Component)]
/// struct Bomb {
///     fuse: TimerId,
/// }
///
/// fn light(mut timers: ResMut<Timers<Entity>>, mut commands: Commands) {
///     let bomb = commands.spawn(()).id();
///     let fuse = timers.arm_after(30, bomb);
///     commands.entity(bomb).insert(Bomb { fuse });
/// }
///
/// fn explode(mut timers: ResMut<Timers<Entity>>, time: Res<Time>, mut commands: Commands) {
///     for expired in timers.expire(time.tick()) {
///         commands.entity(expired.value).despawn();
///     }
/// }
///
/// let mut app = App::new();
/// app.world_mut().insert_resource(Timers::<Entity>::new());
/// app.add_systems(Startup, light);
/// app.add_systems(FixedUpdate, explode);
/// app.run(Runner::Ticks(30))?; // ticks 0 to 29
/// assert_eq!(app.world().len(), 1);
/// app.run(Runner::Ticks(1))?;
/// assert_eq!(app.world().len(), 0);
/// # Ok::<(), orrery::app::AppError>(())
/// ```
#[derive(Clone, Debug, Resource)]
pub struct Timers<T> {
    pub(super) wheel: Wheel<T>,
}

impl<T> Default for Timers<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Timers<T> {
    /// A wheel without timers at tick 0.
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// A wheel with room for so many timers.
    pub fn with_capacity(timers: usize) -> Self {
        Self {
            wheel: Wheel::with_capacity(timers),
        }
    }

    /// Arms a timer for a tick. One that is over counts as the present one, [`now`](Self::now):
    /// the next `expire` gives the timer out.
    ///
    /// # Panics
    /// When 2^32 timers are pending, which takes 128 GiB.
    #[inline]
    pub fn arm_at(&mut self, tick: u64, value: T) -> TimerId {
        self.wheel.insert(tick, 0, value)
    }

    /// Arms a timer for `after` ticks from [`now`](Self::now), at most for the last tick of a
    /// `u64`. After 0 ticks is now: a loop that gives timers out and arms such ones never ends.
    ///
    /// # Panics
    /// As [`arm_at`](Self::arm_at).
    #[inline]
    pub fn arm_after(&mut self, after: u64, value: T) -> TimerId {
        self.arm_at(self.wheel.now.saturating_add(after), value)
    }

    /// Arms a timer that is given out at `first` and then every `period` ticks until it is
    /// cancelled, under the same id, with a clone of the value each time.
    ///
    /// It is armed for its next time in the moment in which it is given out: behind everything
    /// that was armed for that tick before, in front of what is armed by whoever takes it. After
    /// a step over several periods it is given out once for each. It ends when its next tick
    /// would not fit a `u64`.
    ///
    /// # Panics
    /// As [`arm_at`](Self::arm_at).
    ///
    /// # Examples
    /// ```
    /// use std::num::NonZeroU32;
    /// use orrery::time::Timers;
    ///
    /// let mut timers = Timers::new();
    /// let pulse = timers.arm_periodic(5, const { NonZeroU32::new(10).unwrap() }, "pulse");
    /// let dues: Vec<u64> = timers.expire(30).map(|expired| expired.due).collect();
    /// assert_eq!(dues, [5, 15, 25]);
    /// assert_eq!((timers.due(pulse), timers.cancel(pulse)), (Some(35), Some("pulse")));
    /// ```
    pub fn arm_periodic(&mut self, first: u64, period: NonZeroU32, value: T) -> TimerId {
        self.wheel.insert(first, period.get(), value)
    }

    /// Takes a timer back and returns its value; `None` if it is over.
    #[inline]
    pub fn cancel(&mut self, id: TimerId) -> Option<T> {
        self.wheel.remove(id)
    }

    /// Moves a timer to another tick, as if it were armed anew, and says whether it was pending.
    /// Its id stays valid and its period the same.
    pub fn rearm_at(&mut self, id: TimerId, tick: u64) -> bool {
        let pending = self.wheel.node(id).is_some();
        if pending {
            self.wheel.relink(id.index, tick);
        }
        pending
    }

    /// Moves a timer to `after` ticks from now, at most to the last tick of a `u64`.
    pub fn rearm_after(&mut self, id: TimerId, after: u64) -> bool {
        self.rearm_at(id, self.wheel.now.saturating_add(after))
    }

    /// Takes all timers back; their ids are over.
    pub fn clear(&mut self) {
        for index in 0..self.wheel.nodes.len() {
            let generation = NonZeroU32::new(self.wheel.nodes[index].generation);
            if let Some(generation) = generation {
                let index = index as u32; // below 2^32, as every index
                // A free node has no value that could be taken.
                self.wheel.remove(TimerId { index, generation });
            }
        }
    }

    /// Whether a timer is pending.
    pub fn contains(&self, id: TimerId) -> bool {
        self.wheel.node(id).is_some()
    }

    /// The value of a pending timer.
    pub fn get(&self, id: TimerId) -> Option<&T> {
        self.wheel.node(id)?.value.as_ref()
    }

    /// The value of a pending timer, for changes.
    pub fn get_mut(&mut self, id: TimerId) -> Option<&mut T> {
        self.wheel.node(id)?;
        self.wheel.nodes[id.index as usize].value.as_mut()
    }

    /// The tick at which a pending timer is given out next.
    pub fn due(&self, id: TimerId) -> Option<u64> {
        Some(self.wheel.node(id)?.due)
    }

    /// The tick of the first timer: until then nothing is to be done.
    ///
    /// # Cost
    /// Looks at the timers of one slot, which may be many where the next one is far away.
    pub fn next_due(&self) -> Option<u64> {
        self.wheel.next_due()
    }

    /// The clock of the wheel: the tick of the last [`expire`](Self::expire), or of the timer that
    /// it gave out last where its loop was left early.
    pub fn now(&self) -> u64 {
        self.wheel.now
    }

    /// Number of pending timers.
    pub fn len(&self) -> usize {
        self.wheel.len as usize
    }

    /// Whether no timer is pending.
    pub fn is_empty(&self) -> bool {
        self.wheel.len == 0
    }
}
