//! Commands in one growing buffer, without an allocation for each.
//!
//! A record is a header (what to do with the payload, and its size) and the payload, a closure,
//! moved in by bytes. Payloads are read out unaligned, so records follow each other directly.

use std::mem::{ManuallyDrop, MaybeUninit};

use crate::world::World;

/// Reads the payload out of the record and runs it, or drops it if there is no world.
type Consume = unsafe fn(payload: *const u8, world: Option<(&mut World, &mut u64)>);

#[derive(Clone, Copy)]
struct Header {
    consume: Consume,
    payload_bytes: usize,
}

const HEADER: usize = size_of::<Header>();

/// Commands waiting to be applied, in order.
///
/// Dropping a queue drops what was not applied.
#[derive(Default)]
pub struct CommandQueue {
    bytes: Vec<MaybeUninit<u8>>,
    /// Start of the first record that was not consumed.
    next: usize,
    missed: u64,
}

// SAFETY: every payload is Send, by the bound of `push`.
unsafe impl Send for CommandQueue {}
// SAFETY: a shared queue gives access to no payload.
unsafe impl Sync for CommandQueue {}

impl CommandQueue {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.next == self.bytes.len()
    }

    /// Commands so far whose entity was dead when they were applied.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    pub(crate) fn push<C>(&mut self, command: C)
    where
        C: FnOnce(&mut World, &mut u64) + Send + 'static,
    {
        let header = Header {
            consume: consume::<C>,
            payload_bytes: size_of::<C>(),
        };
        let command = ManuallyDrop::new(command);
        self.append((&raw const header).cast(), HEADER);
        self.append((&raw const command).cast(), size_of::<C>());
    }

    fn append(&mut self, from: *const MaybeUninit<u8>, count: usize) {
        // SAFETY: `push` gives the start and size of a local value; `MaybeUninit` bytes may be
        // padding.
        let bytes = unsafe { std::slice::from_raw_parts(from, count) };
        self.bytes.extend_from_slice(bytes);
    }

    /// Does everything that was asked for, in order, and keeps the memory for the next time.
    /// Observers of each command run before the next command is done.
    ///
    /// In a chain of observers that came to its limit commands are dropped and counted; see
    /// [`World::take_observer_error`].
    ///
    /// If a command panics, the ones after it stay in the queue.
    pub fn apply(&mut self, world: &mut World) {
        world.flush_reserved();
        let mut missed = self.missed;
        // The count survives a panic as far as it was complete.
        while let Some((consume, payload)) = self.take_next() {
            if world.observers.chain.is_cut() {
                world.observers.chain.drop_command();
                // SAFETY: as below; without a world it is dropped.
                unsafe { consume(payload, None) };
                continue;
            }
            // SAFETY: `take_next` gives each payload once, with the function made for its type.
            unsafe { consume(payload, Some((world, &mut missed))) };
            self.missed = missed;
        }
        self.bytes.clear();
        self.next = 0;
        world.flush_reserved();
    }

    fn take_next(&mut self) -> Option<(Consume, *const u8)> {
        if self.is_empty() {
            return None;
        }
        let record = self.bytes[self.next..].as_ptr();
        // SAFETY: `next` is the start of a record, which begins with a header.
        let header = unsafe { record.cast::<Header>().read_unaligned() };
        self.next += HEADER + header.payload_bytes;
        // SAFETY: the payload follows the header inside the same record.
        Some((header.consume, unsafe { record.add(HEADER) }.cast()))
    }
}

/// # Safety
/// `payload` points to the bytes of a `C` that is not used afterwards.
unsafe fn consume<C>(payload: *const u8, world: Option<(&mut World, &mut u64)>)
where
    C: FnOnce(&mut World, &mut u64),
{
    // SAFETY: guaranteed by the caller.
    let command = unsafe { payload.cast::<C>().read_unaligned() };
    if let Some((world, missed)) = world {
        command(world, missed);
    }
}

impl Drop for CommandQueue {
    fn drop(&mut self) {
        while let Some((consume, payload)) = self.take_next() {
            // SAFETY: `take_next` gives each payload once; without a world it is dropped.
            unsafe { consume(payload, None) };
        }
    }
}
