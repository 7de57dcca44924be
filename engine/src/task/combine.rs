//! Waiting for several things at once.
//!
//! All of them poll in the written order, so it never depends on what was woken first who is heard
//! first. They work with any futures, not only with those of this module.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// Which of two was first, and what it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The one that was named first.
    Left(A),
    /// The one that was named second.
    Right(B),
}

/// A future, or what it gave.
enum Part<F: Future> {
    Open,
    Done(Option<F::Output>),
}

impl<F: Future> Part<F> {
    /// Says whether it is done.
    fn poll(&mut self, future: Pin<&mut F>, cx: &mut Context<'_>) -> bool {
        if matches!(self, Self::Open)
            && let Poll::Ready(value) = future.poll(cx)
        {
            *self = Self::Done(Some(value));
        }
        matches!(self, Self::Done(_))
    }

    fn take(&mut self) -> F::Output {
        match self {
            Self::Done(value) => value.take().expect("it is taken once"),
            Self::Open => unreachable!("it is taken when it is done"),
        }
    }
}

/// Waits for both.
///
/// ```
/// use orrery::ecs::World;
/// use orrery::task::{WorldTasks, join};
/// let mut world = World::new();
/// let mut both = world.spawn_task(async |script| {
///     let slow = async {
///         script.sleep(3).await;
///         script.tick()
///     };
///     join(slow, async { 7 }).await
/// });
/// (1..=4).for_each(|tick| world.run_tasks(tick));
/// assert_eq!(both.take(), Some(Ok((4, 7))));
/// ```
pub async fn join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut first, mut second) = (Part::<A>::Open, Part::<B>::Open);
    poll_fn(|cx| {
        let is_done = [first.poll(a.as_mut(), cx), second.poll(b.as_mut(), cx)];
        match is_done {
            [true, true] => Poll::Ready((first.take(), second.take())),
            _ => Poll::Pending,
        }
    })
    .await
}

/// Waits for all, and returns what they gave in their order.
///
/// # Cost
/// An allocation for each, and a poll of each that is open whenever one is woken.
///
/// ```
/// use orrery::ecs::World;
/// use orrery::task::{WorldTasks, join_all};
/// let mut world = World::new();
/// let mut all = world.spawn_task(async |script| {
///     let one = async |ticks| {
///         script.sleep(ticks).await;
///         ticks
///     };
///     join_all([3, 1, 2].map(one)).await
/// });
/// (1..=4).for_each(|tick| world.run_tasks(tick));
/// assert_eq!(all.take(), Some(Ok(vec![3, 1, 2])));
/// ```
pub async fn join_all<F: Future>(all: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut all: Vec<_> = all
        .into_iter()
        .map(|future| (Box::pin(future), Part::<F>::Open))
        .collect();
    poll_fn(|cx| {
        let open = all.iter_mut().filter_map(|(future, part)| {
            let is_done = part.poll(future.as_mut(), cx);
            (!is_done).then_some(())
        });
        match open.count() {
            0 => Poll::Ready(all.iter_mut().map(|(_, part)| part.take()).collect()),
            _ => Poll::Pending,
        }
    })
    .await
}

/// Waits for the first of two; the other is dropped. If both are ready, the first one named is.
///
/// ```
/// use orrery::ecs::World;
/// use orrery::task::{Either, WorldTasks, race};
/// let mut world = World::new();
/// let mut winner = world.spawn_task(async |script| {
///     race(script.sleep(9), script.sleep(2)).await
/// });
/// (1..=3).for_each(|tick| world.run_tasks(tick));
/// assert_eq!(winner.take(), Some(Ok(Either::Right(()))));
/// ```
pub async fn race<A: Future, B: Future>(a: A, b: B) -> Either<A::Output, B::Output> {
    let (mut a, mut b) = (pin!(a), pin!(b));
    poll_fn(|cx| {
        if let Poll::Ready(value) = a.as_mut().poll(cx) {
            return Poll::Ready(Either::Left(value));
        }
        b.as_mut().poll(cx).map(Either::Right)
    })
    .await
}

/// Waits for the first of many, and returns which it was and what it gave; the others are dropped.
/// Of several that are ready it is the one that comes first. Of none it never ends.
///
/// # Cost
/// As [`join_all`].
pub async fn race_all<F: Future>(all: impl IntoIterator<Item = F>) -> (usize, F::Output) {
    let mut all: Vec<_> = all.into_iter().map(Box::pin).collect();
    poll_fn(|cx| {
        for (index, future) in all.iter_mut().enumerate() {
            if let Poll::Ready(value) = future.as_mut().poll(cx) {
                return Poll::Ready((index, value));
            }
        }
        Poll::Pending
    })
    .await
}
