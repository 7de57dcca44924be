//! What scripts reach while they run: the executor that runs them, and its world.
//!
//! ```text
//! enter(world)    world is exchanged for an empty one and lies in WORLD, its executor in RUNNING
//!   poll          leaves speak to RUNNING; Script::with takes the world out of WORLD, calls the
//!                 closure with it and puts it back
//! leave           world and executor go back to their places, also after a panic
//! ```
//!
//! Moving the world by value is what makes this safe code: nothing points into it meanwhile, and no
//! lifetime has to be promised to a future. It costs three copies of its few hundred bytes a tick.
//! Worlds can be run inside one another (a closure of a script may tick another app); what was
//! there is put aside and comes back.

use std::cell::{Cell, RefCell};
use std::mem;

use orrery_ecs::{ResMut, World, WorldId};

use super::executor::Executor;
use super::scripts::{Scripts, settle};

thread_local! {
    /// The world of `RUNNING`, while no closure has it.
    static WORLD: Cell<Option<Box<World>>> = const { Cell::new(None) };
    /// Who runs scripts on this thread. Never borrowed while code of users runs, but for cloning
    /// and dropping wakers, which find nobody here meanwhile.
    static RUNNING: RefCell<Option<Box<Executor>>> = const { RefCell::new(None) };
}

/// Calls a function with the executor that runs on this thread, if it is the one of this number.
#[inline]
pub(super) fn running<R>(executor: u64, call: impl FnOnce(&mut Executor) -> R) -> Option<R> {
    running_if(|it| it.id == executor, call)
}

/// Calls a function with the executor that runs the scripts of a world on this thread.
#[inline]
pub(super) fn running_in<R>(world: WorldId, call: impl FnOnce(&mut Executor) -> R) -> Option<R> {
    running_if(|it| it.home == Some(world), call)
}

#[inline]
fn running_if<R>(
    is_meant: impl FnOnce(&Executor) -> bool,
    call: impl FnOnce(&mut Executor) -> R,
) -> Option<R> {
    // Both fail only where a destructor runs so late that there is nothing left to speak to.
    let found = RUNNING.try_with(|cell| {
        let mut there = cell.try_borrow_mut().ok()?;
        let executor = there.as_mut()?;
        is_meant(executor).then(|| call(executor))
    });
    found.ok().flatten()
}

/// Puts the world back when the closure that had it has ended.
struct Lent(Option<Box<World>>);

impl Drop for Lent {
    fn drop(&mut self) {
        WORLD.set(self.0.take());
    }
}

/// Calls a function with the world whose scripts run on this thread. Gives the function back if no
/// scripts run, or another closure has the world.
#[inline]
pub(super) fn lend<R, F: FnOnce(&mut World) -> R>(call: F) -> Result<R, F> {
    let mut lent = Lent(WORLD.take());
    match &mut lent.0 {
        Some(world) => Ok(call(world)),
        None => Err(call),
    }
}

/// Whether a closure has the world whose scripts run on this thread.
pub(super) fn is_lent() -> bool {
    // Put back at once.
    Lent(WORLD.take()).0.is_none()
}

/// A world whose scripts run; leaves when dropped.
struct Entered<'a> {
    world: &'a mut World,
    scripts: &'a mut Scripts,
    outer: Option<Box<Executor>>,
    outer_world: Option<Box<World>>,
}

impl<'a> Entered<'a> {
    fn new(world: &'a mut World, scripts: &'a mut Scripts) -> Option<Self> {
        let mut executor = scripts.take()?;
        executor.home = Some(world.id());
        let mut moved = executor.spare.take().unwrap_or_default();
        mem::swap(world, &mut *moved);
        Some(Self {
            world,
            scripts,
            outer: RUNNING.replace(Some(executor)),
            outer_world: WORLD.replace(Some(moved)),
        })
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let executor = RUNNING.replace(self.outer.take());
        let moved = WORLD.replace(self.outer_world.take());
        let (Some(mut executor), Some(mut moved)) = (executor, moved) else {
            unreachable!("whoever takes one of them puts it back");
        };
        mem::swap(self.world, &mut *moved);
        executor.spare = Some(moved);
        self.scripts.put(executor);
    }
}

/// Calls a function while scripts of a world can run. Says whether the world has scripts and they
/// are not running already.
pub(super) fn enter(world: &mut World, call: impl FnOnce(u64)) -> bool {
    let entered = world.try_resource_scope(|world, mut scripts: ResMut<Scripts>| {
        let Some(id) = scripts.id() else { return };
        let entered = Entered::new(world, &mut scripts);
        call(id);
        drop(entered);
    });
    if entered.is_some() {
        settle(world);
    }
    entered.is_some()
}
