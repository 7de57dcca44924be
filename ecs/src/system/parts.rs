//! A run cut in parts, so that several systems can be between the first and the last at once.

use super::SystemError;
use super::param::TakenLanes;
use crate::archetype::ArchetypeId;
use crate::entity::Lane;
use crate::query::BlockRunner;
use crate::world::World;

/// The lane in which a system reserves handles, if others may do so at the same time.
#[derive(Clone, Copy, Debug)]
pub struct OwnLane(pub(crate) Option<Lane>);

/// The parts of a run, in their order. The structure of the world does not change from `open` to
/// `close`; any number of systems may be opened, and be executed at the same time where their
/// accesses allow it.
///
/// # Safety
/// `execute` touches nothing of the world but what the system's access says.
#[doc(hidden)]
pub unsafe trait SystemParts: Send {
    /// Readies a run of an initialised system. With a lane, other systems may reserve handles
    /// before this one is closed.
    ///
    /// # Panics
    /// When a value that a fork shares cannot be cloned; it is not opened then.
    fn open(&mut self, world: &mut World, lane: OwnLane);

    /// Runs the function. An error or a panic leaves what it wrote until then.
    ///
    /// # Safety
    /// `open` was called for this world, nobody had it for writing since, and nobody uses what the
    /// access excludes while this goes on.
    unsafe fn execute(
        &mut self,
        world: &World,
        runner: &dyn BlockRunner,
    ) -> Result<(), SystemError>;

    /// Ends the run; one that does not count forgets its commands. Does nothing unless opened.
    fn close(&mut self, world: &mut World, counts: bool);

    /// Hands over which handles were reserved in the lane that `open` was given.
    fn take_lanes(&mut self, lanes: &mut TakenLanes);

    /// Does what was put off by a run that counts.
    fn apply(&mut self, world: &mut World) -> Result<(), SystemError>;

    /// Forgets what was put off.
    fn forget(&mut self);

    /// A chunk system's blocks.
    fn as_blocks(&mut self) -> Option<&mut dyn BlockParts>;
}

/// A system whose execution is a call for each of some blocks, which it sees nothing beyond.
///
/// # Safety
/// A visit to a block touches only that block's rows of what the access says, and shared
/// parameters.
pub unsafe trait BlockParts: SystemParts {
    /// Opens the blocks and gives them to `then`, once.
    ///
    /// # Safety
    /// As `execute`, until `then` returns.
    unsafe fn open_blocks(
        &mut self,
        world: &World,
        then: &mut dyn FnMut(&dyn OpenBlocks),
    ) -> Result<(), SystemError>;
}

/// The blocks that a system visits in one run, archetype by archetype in order of creation.
pub trait OpenBlocks: Sync {
    /// How many blocks there are.
    fn count(&self) -> usize;

    /// How many archetypes match.
    fn archetype_count(&self) -> usize;

    /// Which archetype it is that matches at this place.
    fn archetype(&self, at: usize) -> ArchetypeId;

    /// How many blocks an archetype at a place has.
    fn block_count(&self, at: usize) -> usize;

    /// Calls the function for a block of the archetype at a place.
    ///
    /// # Safety
    /// Each block is visited once, and what the system excludes leaves the block alone meanwhile.
    unsafe fn visit(&self, at: usize, block: usize);
}
