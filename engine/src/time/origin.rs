//! The machine's monotonic clock, one that sees suspends where the system has it.

#[cfg(not(target_os = "linux"))]
pub(super) use instant::Origin;
#[cfg(target_os = "linux")]
pub(super) use linux::Origin;

#[cfg(target_os = "linux")]
mod linux {
    use rustix::time::{ClockId, clock_gettime};

    use crate::time::step::NS_PER_SECOND;

    /// A moment to count from.
    #[derive(Clone, Debug)]
    pub(in super::super) struct Origin {
        ns: u64,
    }

    impl Origin {
        pub(in super::super) fn now() -> Self {
            Self { ns: boot_ns() }
        }

        pub(in super::super) fn elapsed_ns(&self) -> u64 {
            boot_ns().saturating_sub(self.ns)
        }
    }

    /// Nanoseconds since the machine started, suspends included; steered as `CLOCK_MONOTONIC` is.
    fn boot_ns() -> u64 {
        let now = clock_gettime(ClockId::Boottime);
        // Neither is negative after the start of the machine.
        now.tv_sec.unsigned_abs() * NS_PER_SECOND + now.tv_nsec.unsigned_abs()
    }
}

#[cfg(not(target_os = "linux"))]
mod instant {
    use std::time::Instant;

    use crate::time::step::ns_of;

    /// A moment to count from.
    #[derive(Clone, Debug)]
    pub(in super::super) struct Origin {
        instant: Instant,
    }

    impl Origin {
        pub(in super::super) fn now() -> Self {
            Self {
                instant: Instant::now(),
            }
        }

        pub(in super::super) fn elapsed_ns(&self) -> u64 {
            ns_of(self.instant.elapsed())
        }
    }
}
