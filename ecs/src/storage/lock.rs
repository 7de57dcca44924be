//! Taking a lock whose holders leave nothing half done when they panic.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The lock, poisoned or not.
///
/// ThreadSanitizer follows the quick way of a lock, which is compiled with us. The way of who has
/// to wait came compiled with std and orders nothing that it can see, so under it nobody waits.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    while cfg!(orrery_tsan) {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
