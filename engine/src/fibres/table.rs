//! The fibres of a thread that wait, and its free stacks.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use orrery_ecs::drop_quietly;

use super::error::FibreError;

/// Bytes of a stack, without its guard page. Only pages that were touched take memory.
pub const STACK_BYTES: usize = 256 << 10;

/// Free stacks that a thread keeps. As many fibres as waited at once would hold the memory that
/// they touched for ever.
pub const STACKS_KEPT_MAX: usize = 1_024;

/// What goes in is a waker, where it is not that of the last time.
type Routine = Coroutine<Option<Waker>, (), (), DefaultStack>;
pub(super) type Suspend = Yielder<Option<Waker>, ()>;

#[derive(Default)]
struct Table {
    routines: Vec<Option<Routine>>,
    free: Vec<usize>,
    stacks: Vec<DefaultStack>,
    /// Fibres whose future was dropped on another thread.
    orphans: Arc<Mutex<Vec<usize>>>,
}

thread_local! {
    /// Never borrowed while a fibre runs or unwinds.
    static TABLE: RefCell<Table> = RefCell::default();
}

/// Where a fibre lies in the table of its thread.
pub(super) struct Seat {
    index: usize,
    /// The list of its thread, which also tells whether this is its thread.
    orphans: Arc<Mutex<Vec<usize>>>,
}

impl Seat {
    /// Gives a function a stack. It does not run yet.
    pub(super) fn new(
        function: impl FnOnce(&Suspend, Option<Waker>) + 'static,
    ) -> Result<Self, FibreError> {
        unwind_orphans();
        let stack = TABLE.with_borrow_mut(|table| table.stacks.pop());
        let stack = match stack {
            Some(stack) => stack,
            None => DefaultStack::new(STACK_BYTES).map_err(|error| {
                let kind = error.kind();
                FibreError::NoStack { kind }
            })?,
        };
        let routine = Coroutine::with_stack(stack, function);
        Ok(TABLE.with_borrow_mut(|table| {
            let index = table.free.pop().unwrap_or(table.routines.len());
            if index == table.routines.len() {
                table.routines.push(None);
            }
            table.routines[index] = Some(routine);
            let orphans = Arc::clone(&table.orphans);
            Self { index, orphans }
        }))
    }

    /// Switches to the fibre until it waits or ends; says whether it has ended. A panic of the
    /// fibre goes on here, and has ended it.
    pub(super) fn resume(&self, waker: Option<Waker>) -> Result<bool, FibreError> {
        let Some(mut routine) = self.take() else {
            return Err(FibreError::OtherThread);
        };
        let resumed = catch_unwind(AssertUnwindSafe(|| routine.resume(waker)));
        match resumed {
            Ok(CoroutineResult::Yield(())) => {
                TABLE.with_borrow_mut(|table| table.routines[self.index] = Some(routine));
                Ok(false)
            }
            Ok(CoroutineResult::Return(())) => {
                give_back(self.index, routine);
                Ok(true)
            }
            Err(panic) => {
                give_back(self.index, routine);
                resume_unwind(panic)
            }
        }
    }

    /// The fibre, if this is its thread.
    fn take(&self) -> Option<Routine> {
        let taken = TABLE.try_with(|table| {
            let mut table = table.borrow_mut();
            let is_home = Arc::ptr_eq(&self.orphans, &table.orphans);
            is_home.then(|| table.routines[self.index].take())
        });
        taken.ok().flatten().flatten()
    }

    /// Ends a fibre that may not have ended: unwinds it, here or at home.
    pub(super) fn leave(&self) {
        match self.take() {
            Some(routine) => unwind(self.index, routine),
            None => {
                let orphans = self.orphans.lock();
                let mut orphans = orphans.unwrap_or_else(PoisonError::into_inner);
                orphans.push(self.index);
            }
        }
    }
}

fn unwind(index: usize, mut routine: Routine) {
    let unwound = catch_unwind(AssertUnwindSafe(|| routine.force_unwind()));
    give_back(index, routine);
    unwound.unwrap_or_else(|panic| resume_unwind(panic));
}

/// Takes the stack of a fibre that has ended.
fn give_back(index: usize, routine: Routine) {
    if !routine.done() {
        // It swallowed the unwinding and waits again; its place is not given out any more.
        std::mem::forget(routine);
        return;
    }
    let stack = routine.into_stack();
    TABLE.with_borrow_mut(|table| {
        table.free.push(index);
        if table.stacks.len() < STACKS_KEPT_MAX {
            table.stacks.push(stack);
        }
    });
}

fn unwind_orphans() {
    let orphans = TABLE.with_borrow(|table| {
        let orphans = table.orphans.lock();
        std::mem::take(&mut *orphans.unwrap_or_else(PoisonError::into_inner))
    });
    for index in orphans {
        if let Some(routine) = TABLE.with_borrow_mut(|table| table.routines[index].take()) {
            // Its script has ended elsewhere, so there is nobody to tell.
            let unwound = catch_unwind(AssertUnwindSafe(|| unwind(index, routine)));
            unwound.unwrap_or_else(drop_quietly);
        }
    }
}

/// Free stacks of this thread.
#[cfg(test)]
pub(super) fn free_stacks() -> usize {
    TABLE.with_borrow(|table| table.stacks.len())
}
