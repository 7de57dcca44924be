//! What threads are made of: std's, or loom's models of it, which try every order of events.

#[cfg(loom)]
pub(super) use loom::{
    hint,
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

#[cfg(not(loom))]
pub(super) use std::{
    hint,
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};
