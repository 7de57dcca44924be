//! The pool's one word of state: which job is on offer, who is in it, who sleeps.
//!
//! ```text
//! bit 63 .. 36   35        34        33     32     31 .. 16   15 .. 0
//!     epoch      SHUTDOWN  WAITING   OPEN   BUSY   sleeping   entered
//! ```
//!
//! - `epoch` counts the jobs, so that a worker does not enter the same job twice. It wraps after
//!   2^28 jobs; a worker that slept through exactly that many misses one job, which is allowed.
//! - `BUSY` is the lock of the callers: who sets it owns the job slot until it is cleared.
//! - `OPEN` lets workers enter. It is set only while `entered == 0`.
//! - `WAITING` says that the caller sleeps until `entered` is 0.
//! - `sleeping` counts the workers that must be woken.

/// Workers inside the open or closing job.
pub(super) const ENTERED_ONE: u64 = 1;
/// Mask of the count of workers inside.
pub(super) const ENTERED_MASK: u64 = 0xFFFF;
/// One sleeping worker.
pub(super) const SLEEPING_ONE: u64 = 1 << 16;
/// Mask of the count of sleeping workers.
pub(super) const SLEEPING_MASK: u64 = 0xFFFF << 16;
/// A caller owns the job slot.
pub(super) const BUSY: u64 = 1 << 32;
/// Workers may enter the job.
pub(super) const OPEN: u64 = 1 << 33;
/// The caller sleeps until the last worker has left.
pub(super) const WAITING: u64 = 1 << 34;
/// The workers shall end.
pub(super) const SHUTDOWN: u64 = 1 << 35;
/// One job; adding it wraps in the highest bits and touches nothing else.
pub(super) const EPOCH_ONE: u64 = 1 << 36;
/// Mask of the count of jobs.
pub(super) const EPOCH_MASK: u64 = !(EPOCH_ONE - 1);

const _: () = assert!(ENTERED_MASK & SLEEPING_MASK == 0 && SLEEPING_MASK < BUSY);
const _: () = assert!(ENTERED_MASK + 1 == SLEEPING_ONE);

/// Says whether `state` offers a job that is not the one of epoch `seen`.
pub(super) fn offers_job(state: u64, seen: u64) -> bool {
    state & OPEN != 0 && state & EPOCH_MASK != seen
}
