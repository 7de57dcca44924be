//! Giving out what is due.

use std::iter::FusedIterator;
use std::num::NonZeroU32;

use super::{TimerId, Timers};

/// A timer that was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expired<T> {
    /// Its handle, which only a periodic timer keeps.
    pub id: TimerId,
    /// The tick that it was armed for.
    pub due: u64,
    /// Its value.
    pub value: T,
}

/// Gives out timers; see [`Timers::expire`].
#[derive(Debug)]
pub struct Expire<'a, T> {
    timers: &'a mut Timers<T>,
    tick: u64,
}

impl<T: Clone> Timers<T> {
    /// Goes on to `tick` and gives out what is due by then: by tick, and those of one tick in the
    /// order in which they were armed. A step over many ticks gives what one by one would give.
    ///
    /// A loop that is left early leaves the others pending, for the next call. A tick in the past
    /// gives nothing out, and the clock stays.
    ///
    /// # Cost
    /// A few nanoseconds if nothing is due, however far the tick is and however many are pending.
    ///
    /// # Examples
    /// ```
    /// use orrery::time::Timers;
    ///
    /// let mut timers = Timers::new();
    /// timers.arm_at(u64::MAX, "last");
    /// timers.arm_at(7, "second");
    /// timers.arm_at(7, "third");
    /// timers.arm_at(6, "first");
    /// let values = |timers: &mut Timers<_>, tick| -> Vec<_> {
    ///     timers.expire(tick).map(|expired| expired.value).collect()
    /// };
    /// assert_eq!(values(&mut timers, 1_000), ["first", "second", "third"]);
    /// assert_eq!(values(&mut timers, u64::MAX), ["last"]);
    /// ```
    pub fn expire(&mut self, tick: u64) -> Expire<'_, T> {
        Expire { timers: self, tick }
    }

    /// Gives out the next timer that is due by `tick`, as [`expire`](Self::expire) does, for loops
    /// that arm or cancel in between. While it gives out the timers of a tick, [`now`](Self::now)
    /// is that tick.
    ///
    /// # Examples
    /// ```
    /// use orrery::time::Timers;
    ///
    /// let mut timers = Timers::new();
    /// timers.arm_at(10, 3);
    /// let mut dues = Vec::new();
    /// while let Some(expired) = timers.expire_next(100) {
    ///     dues.push(expired.due);
    ///     if expired.value > 1 {
    ///         timers.arm_after(20, expired.value - 1);
    ///     }
    /// }
    /// assert_eq!((dues, timers.now()), (vec![10, 30, 50], 100));
    /// ```
    pub fn expire_next(&mut self, tick: u64) -> Option<Expired<T>> {
        let index = self.wheel.seek(tick)?;
        let node = &self.wheel.nodes[index as usize];
        let due = node.due;
        let id = TimerId {
            index,
            generation: NonZeroU32::MIN | node.generation,
        };
        let again = NonZeroU32::new(node.period)
            .and_then(|period| due.checked_add(u64::from(period.get())));
        let value = match (again, &node.value) {
            (Some(next), Some(value)) => {
                // First, so that a clone that panics leaves the timer where it is.
                let value = value.clone();
                self.wheel.relink(index, next);
                value
            }
            _ => self.wheel.remove(id)?,
        };
        Some(Expired { id, due, value })
    }
}

impl<T: Clone> Iterator for Expire<'_, T> {
    type Item = Expired<T>;

    fn next(&mut self) -> Option<Expired<T>> {
        self.timers.expire_next(self.tick)
    }
}

impl<T: Clone> FusedIterator for Expire<'_, T> {}
