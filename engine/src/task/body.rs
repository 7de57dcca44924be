//! Where futures of scripts lie: boxes that are kept by type and used again.

use std::any::{Any, TypeId};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use rustc_hash::FxHashMap;

use super::error::TaskError;
use super::handle::Shared;
use super::waker::Link;

/// The future of a script with its type erased.
pub(super) trait Body: Send {
    /// Polls the future. When it is ready, it is dropped and its value handed to who waits for it.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()>;

    /// Drops the future, if it is still there.
    fn drop_future(self: Pin<&mut Self>);

    /// Tells who waits for its value that there will be none.
    fn fail(&self, error: TaskError);

    /// Takes the future out of a [`Filling`] of its type.
    fn fill(self: Pin<&mut Self>, filling: &mut dyn Any, link: &Arc<Link>);
}

/// A body in its box, where it stays as long as its executor.
pub(super) type Boxed = Pin<Box<dyn Body>>;

pin_project! {
    /// A place for futures of one type.
    struct Holder<F>
    where
        F: Future,
    {
        // What the handle looks at; kept for the next script if there is no handle.
        shared: Option<Arc<Shared<F::Output>>>,
        #[pin]
        future: Option<F>,
    }
}

/// A future on its way into a body, and what its handle gets. It is handed down by reference,
/// because each move of what was just written waits for the writes.
pub(super) struct Filling<F: Future> {
    future: Option<F>,
    has_handle: bool,
    shared: Option<Arc<Shared<F::Output>>>,
}

impl<F> Filling<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    #[inline]
    pub(super) fn new(future: F, has_handle: bool) -> Self {
        Self {
            future: Some(future),
            has_handle,
            shared: None,
        }
    }

    /// A body for futures of this type, without one.
    #[cold]
    pub(super) fn new_body() -> Boxed {
        let (shared, future) = (None, None);
        Box::pin(Holder::<F> { shared, future })
    }

    /// What the handle looks at, if one was asked for and the body was filled.
    #[inline]
    pub(super) fn into_shared(self) -> Option<Arc<Shared<F::Output>>> {
        self.shared
    }
}

impl<F> Body for Holder<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        let Some(future) = this.future.as_mut().as_pin_mut() else {
            return Poll::Ready(());
        };
        let Poll::Ready(value) = future.poll(cx) else {
            return Poll::Pending;
        };
        this.future.set(None);
        match this.shared {
            Some(shared) if shared.is_open() => shared.settle(Ok(value)),
            _ => drop(value),
        }
        Poll::Ready(())
    }

    fn drop_future(self: Pin<&mut Self>) {
        self.project().future.set(None);
    }

    fn fail(&self, error: TaskError) {
        if let Some(shared) = &self.shared {
            shared.settle(Err(error));
        }
    }

    #[inline]
    fn fill(self: Pin<&mut Self>, filling: &mut dyn Any, link: &Arc<Link>) {
        let filling: &mut Filling<F> = filling.downcast_mut().expect("a pool holds one type");
        let mut this = self.project();
        this.future.set(filling.future.take());
        if filling.has_handle {
            let shared = match this.shared {
                Some(shared) if shared.reopen() => Arc::clone(shared),
                // The handle of the last one is still there.
                shared => Arc::clone(shared.insert(Arc::new(Shared::new(Arc::clone(link))))),
            };
            filling.shared.get_or_insert(shared);
        }
    }
}

/// Free slots whose bodies fit one type of future, and the function that makes such futures.
struct Pool {
    free: Vec<u32>,
    function: &'static str,
}

/// What tells pools apart. Two functions may make futures of one type, as boxed ones are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PoolKey {
    future: TypeId,
    /// Where the name of the function lies. If it lies in two places, there are two pools.
    function: usize,
}

/// All pools of an executor. They are looked up and never walked.
#[derive(Default)]
pub(super) struct Pools {
    pools: Vec<Pool>,
    by_key: FxHashMap<PoolKey, u32>,
    /// The one that was asked for last, as a rule the one that comes next.
    recent: Option<(PoolKey, u32)>,
}

impl Pools {
    /// The pool for futures of a type that a function makes.
    #[inline]
    pub(super) fn of<F: 'static>(&mut self, function: &'static str) -> u32 {
        let key = PoolKey {
            future: TypeId::of::<F>(),
            function: function.as_ptr().addr(),
        };
        match self.recent {
            Some((recent, pool)) if recent == key => pool,
            _ => self.find(key, function),
        }
    }

    #[cold]
    fn find(&mut self, key: PoolKey, function: &'static str) -> u32 {
        let pools = &mut self.pools;
        let pool = *self.by_key.entry(key).or_insert_with(|| {
            let free = Vec::new();
            pools.push(Pool { free, function });
            pools.len() as u32 - 1
        });
        self.recent = Some((key, pool));
        pool
    }

    /// The slot of a pool that became free last.
    #[inline]
    pub(super) fn take(&mut self, pool: u32) -> Option<u32> {
        self.pools[pool as usize].free.pop()
    }

    #[inline]
    pub(super) fn put_back(&mut self, pool: u32, slot: u32) {
        self.pools[pool as usize].free.push(slot);
    }

    /// The name of the function of a pool.
    pub(super) fn function(&self, pool: u32) -> &'static str {
        self.pools[pool as usize].function
    }
}
