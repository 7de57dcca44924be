//! The wheel itself: nodes, rings, levels. What it does to times is checked by its callers.

use std::mem;
use std::num::NonZeroU32;

use super::TimerId;

/// Bits of a tick that a level looks at: a word says which of its slots hold timers.
const LEVEL_BITS: u32 = 6;

/// Slots of a level.
const SLOTS: usize = 1 << LEVEL_BITS;

/// Levels that 64 bits need.
const LEVELS: usize = u64::BITS.div_ceil(LEVEL_BITS) as usize;

/// Nodes at the front that are heads of rings and no timers.
pub(super) const HEADS: usize = LEVELS * SLOTS;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// A timer, a free node or the head of a slot's ring.
#[derive(Clone, Debug)]
pub(super) struct Node<T> {
    /// Tick at which the timer is given out; at or after `now`.
    pub(super) due: u64,
    /// Neighbours in the ring. Of a free node `next` is the next free one.
    prev: u32,
    pub(super) next: u32,
    /// Odd for a timer, even for a free node, 0 for a head and for a node that is used up.
    pub(super) generation: u32,
    /// Ticks from one time to the next; 0 for a timer that is given out once.
    pub(super) period: u32,
    /// There for timers alone.
    pub(super) value: Option<T>,
}

// Two to a cache line where the value is a handle.
const _: () = assert!(size_of::<Node<orrery_ecs::Entity>>() == 32);

/// Timers by due tick.
#[derive(Clone, Debug)]
pub(super) struct Wheel<T> {
    pub(super) nodes: Vec<Node<T>>,
    /// Bit s of word l: the ring of slot s of level l is not empty.
    occupied: [u64; LEVELS],
    /// Every timer that was due before is gone.
    pub(super) now: u64,
    /// First free node, the one that became free last.
    pub(super) free: u32,
    pub(super) len: u32,
    /// Halves of the ring that is being spread; empty in between.
    front: Vec<u32>,
    back: Vec<u32>,
}

impl<T> Wheel<T> {
    pub(super) fn with_capacity(timers: usize) -> Self {
        let mut nodes = Vec::with_capacity(HEADS + timers);
        nodes.extend((0..HEADS as u32).map(|head| Node {
            due: 0,
            prev: head,
            next: head,
            generation: 0,
            period: 0,
            value: None,
        }));
        Self {
            nodes,
            occupied: [0; LEVELS],
            now: 0,
            free: NONE,
            len: 0,
            front: Vec::new(),
            back: Vec::new(),
        }
    }

    /// The node of a timer that is pending.
    #[inline]
    pub(super) fn node(&self, id: TimerId) -> Option<&Node<T>> {
        let node = self.nodes.get(id.index as usize)?;
        // Odd on the side of the id, so heads and free nodes never match, whatever the id is of.
        (node.generation == id.generation.get()).then_some(node)
    }

    /// Adds a timer that is due at `due`, or at `now` if that is over.
    ///
    /// # Panics
    /// When there are 2^32 nodes.
    #[inline]
    pub(super) fn insert(&mut self, due: u64, period: u32, value: T) -> TimerId {
        let due = due.max(self.now);
        let index = self.free;
        let Some(node) = self.nodes.get_mut(index as usize) else {
            return self.grow(due, period, value);
        };
        self.free = node.next;
        node.generation += 1; // even before, so it is not the largest number
        node.due = due;
        node.period = period;
        node.value = Some(value);
        let id = TimerId {
            index,
            generation: NonZeroU32::MIN | node.generation,
        };
        self.len += 1;
        self.link(index, due);
        id
    }

    /// Adds a timer in a new node.
    #[cold]
    fn grow(&mut self, due: u64, period: u32, value: T) -> TimerId {
        let index = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        assert!(index != NONE, "a wheel holds fewer than 2^32 timers");
        self.nodes.push(Node {
            due,
            prev: NONE,
            next: NONE,
            generation: 1,
            period,
            value: Some(value),
        });
        self.len += 1;
        self.link(index, due);
        TimerId {
            index,
            generation: NonZeroU32::MIN,
        }
    }

    /// Takes a timer out and frees its node.
    #[inline]
    pub(super) fn remove(&mut self, id: TimerId) -> Option<T> {
        let node = self.nodes.get_mut(id.index as usize)?;
        if node.generation != id.generation.get() {
            return None;
        }
        let value = node.value.take()?;
        let (prev, next) = (node.prev, node.next);
        node.generation = node.generation.wrapping_add(1);
        if node.generation == 0 {
            // Used up: another timer would get the id of the first one.
            node.next = NONE;
        } else {
            node.next = self.free;
            self.free = id.index;
        }
        self.len -= 1;
        self.close(prev, next);
        Some(value)
    }

    /// Moves the timer of a node to another tick, behind those that are armed for it.
    pub(super) fn relink(&mut self, index: u32, due: u64) {
        let due = due.max(self.now);
        let node = &mut self.nodes[index as usize];
        node.due = due;
        let (prev, next) = (node.prev, node.next);
        self.close(prev, next);
        self.link(index, due);
    }

    /// The first timer that is due at or before `limit`. `now` goes on to its tick, or to `limit`
    /// if there is none.
    pub(super) fn seek(&mut self, limit: u64) -> Option<u32> {
        loop {
            let Some((level, slot)) = self.first_slot() else {
                self.now = self.now.max(limit);
                return None;
            };
            let start = slot_start(self.now, level, slot);
            if start > limit {
                // Still before every slot that holds timers, so each is where it belongs.
                self.now = self.now.max(limit);
                return None;
            }
            self.now = start;
            let head = level * SLOTS + slot;
            if level == 0 {
                return Some(self.nodes[head].next);
            }
            self.cascade(head as u32);
        }
    }

    /// The tick of the first timer.
    pub(super) fn next_due(&self) -> Option<u64> {
        let (level, slot) = self.first_slot()?;
        if level == 0 {
            return Some(slot_start(self.now, level, slot));
        }
        let head = (level * SLOTS + slot) as u32;
        let (mut first, mut index) = (u64::MAX, self.nodes[head as usize].next);
        while index != head {
            let node = &self.nodes[index as usize];
            first = first.min(node.due);
            index = node.next;
        }
        Some(first)
    }

    /// Level and slot of the first timers: none of a lower level is due after one of a higher.
    fn first_slot(&self) -> Option<(usize, usize)> {
        let level = self.occupied.iter().position(|&slots| slots != 0)?;
        Some((level, self.occupied[level].trailing_zeros() as usize))
    }

    /// Spreads the ring of a slot that `now` has just reached over lower levels, in its order.
    fn cascade(&mut self, head: u32) {
        // Each step along the ring waits for memory, so it is read from both ends at once.
        let (mut front, mut back) = (mem::take(&mut self.front), mem::take(&mut self.back));
        let ring = &self.nodes[head as usize];
        let (mut first, mut last) = (ring.next, ring.prev);
        loop {
            front.push(first);
            if first == last {
                break;
            }
            back.push(last);
            let next = self.nodes[first as usize].next;
            if next == last {
                break;
            }
            (first, last) = (next, self.nodes[last as usize].prev);
        }
        self.close(head, head);
        for index in front.drain(..).chain(back.drain(..).rev()) {
            let due = self.nodes[index as usize].due;
            self.link(index, due);
        }
        (self.front, self.back) = (front, back);
    }

    /// Puts a node at the end of the ring where `due` belongs.
    #[inline]
    fn link(&mut self, index: u32, due: u64) {
        let (level, slot) = place(self.now, due);
        let head = level * SLOTS + slot;
        self.occupied[level] |= 1 << slot;
        let last = mem::replace(&mut self.nodes[head].prev, index);
        self.nodes[last as usize].next = index;
        let node = &mut self.nodes[index as usize];
        (node.prev, node.next) = (last, head as u32);
    }

    /// Makes two nodes neighbours, over whatever stood between them.
    #[inline]
    fn close(&mut self, prev: u32, next: u32) {
        self.nodes[prev as usize].next = next;
        self.nodes[next as usize].prev = prev;
        if prev == next {
            // Only a head is its own neighbour.
            self.occupied[prev as usize / SLOTS] &= !(1 << (prev as usize % SLOTS));
        }
    }
}

/// Level and slot of a timer: the highest group of bits in which its tick differs from `now`.
#[inline]
fn place(now: u64, due: u64) -> (usize, usize) {
    // With the bits of level 0 set the highest bit is there, and ticks that are equal get level 0.
    let differing = (now ^ due) | (SLOTS as u64 - 1);
    let level = differing.ilog2() / LEVEL_BITS;
    let slot = (due >> (level * LEVEL_BITS)) as usize % SLOTS;
    (level as usize, slot)
}

/// First tick of a slot that is not behind `now`.
fn slot_start(now: u64, level: usize, slot: usize) -> u64 {
    let shift = level as u32 * LEVEL_BITS;
    // In two steps, since the highest level has no bits above it.
    let above = now >> shift >> LEVEL_BITS << LEVEL_BITS;
    (above | slot as u64) << shift
}
