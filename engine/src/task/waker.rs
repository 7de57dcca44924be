//! Wakers of scripts, and what handles leave behind while nobody runs scripts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

use super::executor::ScriptId;
use super::running::running;

/// What reaches an executor from elsewhere: it is looked at when scripts run next.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) executor: u64,
    /// Whether there is anything, so that a tick need not lock.
    noted: AtomicBool,
    notes: Mutex<Notes>,
}

/// Notes in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Scripts whose handles were dropped or cancelled.
    pub(super) cancels: Vec<ScriptId>,
    /// Slots that somebody woke from outside a run.
    pub(super) strays: Vec<u32>,
}

impl Link {
    pub(super) fn new(executor: u64) -> Self {
        Self {
            executor,
            noted: AtomicBool::new(false),
            notes: Mutex::default(),
        }
    }

    fn note(&self, note: impl FnOnce(&mut Notes)) {
        note(&mut lock(&self.notes));
        // Release, with the acquire in `take`: who sees it finds the note behind the lock anyway.
        self.noted.store(true, Ordering::Release);
    }

    pub(super) fn cancel(&self, script: ScriptId) {
        self.note(|notes| notes.cancels.push(script));
    }

    pub(super) fn take(&self) -> Option<Notes> {
        if !self.noted.load(Ordering::Acquire) {
            return None;
        }
        let mut notes = lock(&self.notes);
        self.noted.store(false, Ordering::Release);
        Some(std::mem::take(&mut notes))
    }
}

/// Nothing that is locked in this subsystem is ever half changed, so a panic of a holder is no
/// reason to refuse.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes whatever script has a slot. One is made for each slot and lives as long, so a waker that
/// somebody kept too long wakes a script for nothing, which changes nothing.
struct SlotWaker {
    slot: u32,
    link: Arc<Link>,
}

impl Wake for SlotWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if running(self.link.executor, |executor| executor.wake(self.slot)).is_none() {
            self.link.note(|notes| notes.strays.push(self.slot));
        }
    }
}

pub(super) fn slot_waker(slot: u32, link: &Arc<Link>) -> Waker {
    let link = Arc::clone(link);
    Waker::from(Arc::new(SlotWaker { slot, link }))
}
