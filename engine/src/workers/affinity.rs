//! Keeps a sleeping worker off the core of its caller, on Linux; elsewhere does nothing.
//!
//! Without it, a program that sleeps between frames is served badly by the kernel: in four frames
//! of five it wakes the worker on the very core the caller runs on, where it starts when the
//! caller's time slice ends, 3.9 ms later (Linux 6.18, 2 cores; 0.07 ms with this). So before a
//! worker falls asleep it excludes the core that last posted a job from those it may run on. It
//! stays free to use all others, and nothing is set again until the caller has moved.

#[cfg(target_os = "linux")]
mod linux {
    use std::mem;

    /// The cores a worker may use, and the one it currently leaves to the caller.
    pub(in super::super) struct Affinity {
        /// What the thread was started with; `None` if that is unknown or a single core.
        allowed: Option<libc::cpu_set_t>,
        avoided: Option<usize>,
    }

    impl Affinity {
        /// Reads what the calling thread may use.
        pub(in super::super) fn of_this_thread() -> Self {
            let mut allowed = empty();
            // SAFETY: 0 is the calling thread, and the set is as long as said and writable.
            let result = unsafe {
                libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut allowed)
            };
            // SAFETY: the set was initialised by `empty`; counting only reads it.
            let count = unsafe { libc::CPU_COUNT(&allowed) };
            Self {
                allowed: (result == 0 && count > 1).then_some(allowed),
                avoided: None,
            }
        }

        /// Leaves `core` to the caller, if that is not so already. Failing is harmless: the
        /// thread then runs where the kernel likes.
        pub(in super::super) fn avoid(&mut self, core: usize) {
            let Some(mut cores) = self.allowed else {
                return;
            };
            if self.avoided == Some(core) || core >= libc::CPU_SETSIZE as usize {
                return;
            }
            self.avoided = Some(core);
            // SAFETY: `core` is below CPU_SETSIZE, and the set is initialised.
            unsafe { libc::CPU_CLR(core, &mut cores) };
            // SAFETY: 0 is the calling thread, and the set is as long as said and readable.
            unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const cores) };
        }
    }

    /// Returns the core that the calling thread is on, for the moment.
    pub(in super::super) fn current_core() -> usize {
        // SAFETY: no arguments, no state; -1 if the kernel cannot tell.
        let core = unsafe { libc::sched_getcpu() };
        usize::try_from(core).unwrap_or(usize::MAX)
    }

    fn empty() -> libc::cpu_set_t {
        // SAFETY: a cpu_set_t is an array of integers, for which all zeros is the empty set.
        unsafe { mem::zeroed() }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// Nothing to know.
    pub(in super::super) struct Affinity;

    impl Affinity {
        pub(in super::super) fn of_this_thread() -> Self {
            Self
        }

        pub(in super::super) fn avoid(&mut self, _core: usize) {}
    }

    pub(in super::super) fn current_core() -> usize {
        usize::MAX
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{Affinity, current_core};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{Affinity, current_core};
