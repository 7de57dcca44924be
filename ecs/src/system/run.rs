//! One run of a system, from the first look at the world to the last command.
//!
//! ```text
//! begin   initialize, validate (the world is untouched if this fails), flush, prepare, new tick
//! get     the parameters; the function runs
//! finish  locals back, last run noted, new tick, commands applied; or
//! abort   locals back, commands forgotten: the run does not count
//! ```
//!
//! Where systems run at the same time, the runs of all of them lie between the same two sync
//! points, and each is cut in parts (`parts.rs`): all are opened, then looked at the world by any
//! threads, then all are closed; at last their commands are applied.

use std::any::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::access::{SystemAccess, SystemMeta};
use super::error::observers_ended_well;
use super::states::{SystemId, SystemShape, SystemToken};
use super::{ParamError, Run, SystemError, SystemParam, TakenLanes};
use crate::component::Ticks;
use crate::entity::Lane;
use crate::error::AccessConflict;
use crate::world::{World, WorldId};

/// What a system object knows of the world that it last ran on.
///
/// What a light run reads lies at the front: of many small systems each line of cache counts.
#[repr(C)]
pub(crate) struct SystemState<P: SystemParam> {
    /// The world that it was initialized for, if a run there leaves nothing behind when it fails.
    light_in: Option<WorldId>,
    ready: Option<Ready<P::State>>,
    name: &'static str,
    function: TypeId,
    /// `None` for a system that runs once and leaves nothing behind.
    token: Option<SystemToken>,
    /// `system` or `observer`, in messages.
    kind: &'static str,
    /// The slot that it had in the world where it was first used.
    hint: Option<SystemId>,
    /// The run that was opened and not closed.
    opened: Option<Run>,
}

#[repr(C)]
struct Ready<S> {
    id: SystemId,
    world: WorldId,
    access: SystemAccess,
    /// Parameters that reserve handles.
    reserving: usize,
    /// Whether it could fork the world and then write to what the fork shares.
    is_unforkable: bool,
    params: S,
}

impl<P: SystemParam> SystemState<P> {
    /// A state for a function of type `F`.
    pub(super) fn new<F: 'static>(name: &'static str) -> Self {
        Self {
            name,
            function: TypeId::of::<F>(),
            token: Some(SystemToken::next()),
            kind: "system",
            hint: None,
            ready: None,
            light_in: None,
            opened: None,
        }
    }

    /// A state for an observer, which has its slot already unless it is new.
    pub(crate) fn of_observer<F: 'static>(
        name: &'static str,
        token: SystemToken,
        slot: Option<SystemId>,
    ) -> Self {
        Self {
            token: Some(token),
            kind: "observer",
            hint: slot,
            ..Self::once::<F>(name)
        }
    }

    /// A state that keeps nothing in the world.
    pub(super) fn once<F: 'static>(name: &'static str) -> Self {
        Self {
            token: None,
            ..Self::new::<F>(name)
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn id(&self) -> Option<SystemId> {
        self.ready.as_ref().map(|ready| ready.id)
    }

    pub(super) fn access(&self) -> Option<&SystemAccess> {
        self.ready.as_ref().map(|ready| &ready.access)
    }

    pub(super) fn is_owner_in(&self, world: &World, id: SystemId) -> bool {
        let owns = |token| world.systems.is_owner(id, token);
        self.token.is_some_and(owns)
    }

    fn is_ready(&self, world: &World) -> bool {
        let ready = self
            .ready
            .as_ref()
            .filter(|ready| ready.world == world.id());
        // `World::release_systems` may have given the slot to another one.
        let owns = |ready: &Ready<_>| {
            let token = self.token;
            token.is_none_or(|token| world.systems.is_owner(ready.id, token))
        };
        ready.is_some_and(owns)
    }

    /// Finds out what the parameters touch of a world, unless that is known.
    pub(crate) fn initialize(&mut self, world: &mut World) -> Result<(), AccessConflict> {
        if self.is_ready(world) {
            return Ok(());
        }
        let mut meta = SystemMeta::new(self.kind, self.name);
        let mut params = P::init(world, &mut meta)?;
        let (access, locals, reserving) = meta.into_parts();
        let shape = SystemShape {
            name: self.name,
            function: self.function,
            locals: &locals,
        };
        let id = match self.token {
            Some(token) => world.systems.claim(token, self.id().or(self.hint), &shape),
            None => SystemId::ONCE,
        };
        P::attach(&mut params, world, id);
        let is_unforkable = access.writes_beside_world();
        let is_light = !P::HOLDS && !P::DEFERS && !is_unforkable;
        self.light_in = is_light.then_some(world.id());
        self.ready = Some(Ready {
            world: world.id(),
            id,
            access: access.seeing_commands(P::SEES),
            reserving,
            is_unforkable,
            params,
        });
        Ok(())
    }

    fn parts(&mut self) -> (SystemId, &mut P::State) {
        let ready = self.ready.as_mut().expect("`begin` initialized it");
        (ready.id, &mut ready.params)
    }

    /// Readies a run. An error leaves the world as it was.
    pub(super) fn begin(&mut self, world: &mut World) -> Result<Run, SystemError> {
        self.initialize(world)?;
        let name = self.name;
        self.start(world).map_err(|error| error.of_system(name))
    }

    /// Readies a run of an initialized state. An error leaves the world as it was.
    pub(crate) fn start(&mut self, world: &mut World) -> Result<Run, ParamError> {
        let run = self.next_run(world, None);
        let (_, params) = self.parts();
        P::validate(params, world, run)?;
        world.flush_reserved();
        self.prepare(world, run);
        Ok(run)
    }

    #[inline]
    fn next_run(&mut self, world: &World, lane: Option<Lane>) -> Run {
        let ready = self.ready.as_ref().expect("it was initialized before");
        Run {
            system: ready.id,
            ticks: world.next_run(ready.id),
            lanes: lane.map(|lane| (lane, ready.reserving)),
        }
    }

    /// Readies what the parameters touch, and begins the run's tick.
    #[inline]
    fn prepare(&mut self, world: &mut World, run: Run) {
        let name = self.name;
        let ready = self.ready.as_mut().expect("it was initialized before");
        let params = &mut ready.params;
        let prepared = catch_unwind(AssertUnwindSafe(|| P::prepare(params, world, run)));
        if let Err(panic) = prepared {
            // A resource or local that a fork shares could not be cloned.
            P::release(params, world, run);
            resume_unwind(panic);
        }
        world.advance_change_tick();
        if ready.is_unforkable {
            world.systems.unforkable = Some(name);
        }
    }

    /// The parameters.
    ///
    /// # Safety
    /// `begin` gave the run for this world, which is unchanged since, and nobody else uses what
    /// the parameters touch for `'w`.
    pub(crate) unsafe fn get<'w, 's>(&'s mut self, world: &'w World, run: Run) -> P::Item<'w, 's> {
        let (_, params) = self.parts();
        // SAFETY: `init` found no conflict between the parameters; the rest is passed on.
        unsafe { P::get(params, world, run.ticks) }
    }

    /// Ends a whole run: what was put off is done. The error is one of observers.
    pub(super) fn finish(&mut self, world: &mut World, run: Run) -> Result<(), SystemError> {
        let errors = world.observer_error_count();
        self.end(world, run);
        observers_ended_well(self.name, errors, world)
    }

    /// Ends a whole run: what was put off is done.
    pub(crate) fn end(&mut self, world: &mut World, run: Run) {
        let (_, params) = self.parts();
        P::release(params, world, run);
        world.systems.unforkable = None;
        world.finish_run(run.system, run.ticks);
        P::apply(params, world);
    }

    /// Whether a run on the world that it was initialized for, when it fails or panics, leaves
    /// nothing to put back or to forget.
    #[inline]
    pub(crate) fn leaves_nothing(&self) -> bool {
        self.light_in.is_some()
    }

    /// Whether `begin_lightly` may begin a run on this world.
    #[inline]
    pub(super) fn is_light_in(&self, world: &World) -> bool {
        // By number, which is one comparison where that of an `Option` is two.
        let light_in = self.light_in.map_or(0, WorldId::number);
        !P::HOLDS && !P::DEFERS && light_in == world.id().number()
    }

    /// Readies a run of a state that is light in this world.
    #[inline]
    pub(super) fn begin_lightly(&mut self, world: &mut World) -> Result<Run, SystemError> {
        let name = self.name;
        let run = self.next_run(world, None);
        let (_, params) = self.parts();
        P::validate(params, world, run).map_err(|error| error.of_system(name))?;
        // If a value that a fork shares cannot be cloned, there is nothing to put back either.
        P::prepare(params, world, run);
        world.advance_change_tick();
        Ok(run)
    }

    /// A whole run after a change tick of an initialised state that leaves nothing. Gives the tick
    /// that comes next; an error leaves the world as it was.
    ///
    /// Without parameters there is nothing to be told apart by ticks, and none begins.
    ///
    /// The tick comes and goes in a register; that of the world would be stored and loaded twice a
    /// run, which is much of what a short run takes.
    ///
    /// # Safety
    /// Nobody else uses what the parameters touch.
    #[inline]
    pub(crate) unsafe fn run_lightly(
        &mut self,
        world: &mut World,
        tick: u64,
        call: impl FnOnce(P::Item<'_, '_>),
    ) -> Result<u64, ParamError> {
        debug_assert!(self.leaves_nothing() && self.is_of(world) && tick == world.change_tick());
        let this_run = tick + 1;
        let ready = self.ready.as_mut().expect("it was initialized before");
        let ticks = Ticks {
            last_run: world.last_run(ready.id),
            this_run,
        };
        let run = Run {
            system: ready.id,
            ticks,
            lanes: None,
        };
        P::validate(&mut ready.params, world, run)?;
        P::prepare(&mut ready.params, world, run);
        if P::TOUCHES {
            world.set_change_tick(this_run);
        }
        // SAFETY: readied for this world, which is unchanged since; `init` found no conflict
        // between the parameters, and the rest is passed on from the caller.
        call(unsafe { P::get(&mut ready.params, world, ticks) });
        if !P::TOUCHES {
            return Ok(tick);
        }
        world.note_run(ready.id, ticks);
        world.set_change_tick(this_run + 1);
        Ok(this_run + 1)
    }

    /// Whether it was initialized for this world, whoever has its slot there by now.
    #[inline]
    pub(super) fn is_of(&self, world: &World) -> bool {
        let ready = self.ready.as_ref();
        ready.is_some_and(|ready| ready.world == world.id())
    }

    /// As `SystemParts::open`.
    #[inline]
    pub(super) fn open(&mut self, world: &mut World, lane: Option<Lane>) {
        // The numbers that `init` found mean something else in any other world.
        assert!(self.is_of(world), "initialized for another world");
        let run = self.next_run(world, lane);
        self.prepare(world, run);
        self.opened = Some(run);
    }

    /// The parameters of an opened run, if all is there that they need.
    ///
    /// # Safety
    /// As `SystemParts::execute`.
    #[inline]
    pub(super) unsafe fn look<'w, 's>(
        &'s mut self,
        world: &'w World,
    ) -> Result<P::Item<'w, 's>, SystemError> {
        let name = self.name;
        let run = self.opened.expect("`open` came before");
        let (_, params) = self.parts();
        P::validate(params, world, run).map_err(|error| error.of_system(name))?;
        // SAFETY: passed on from the caller; `open` gave the run.
        Ok(unsafe { self.get(world, run) })
    }

    /// As `SystemParts::close`.
    #[inline]
    pub(super) fn close(&mut self, world: &mut World, counts: bool) {
        let Some(run) = self.opened else {
            return;
        };
        self.opened = None;
        if !counts {
            return self.abort(world, run);
        }
        let (_, params) = self.parts();
        P::release(params, world, run);
        world.systems.unforkable = None;
        world.finish_run(run.system, run.ticks);
    }

    /// As `SystemParts::take_lanes`.
    pub(super) fn take_lanes(&mut self, lanes: &mut TakenLanes) {
        let (_, params) = self.parts();
        P::take_lanes(params, lanes);
    }

    /// As `SystemParts::apply`.
    #[inline]
    pub(super) fn apply(&mut self, world: &mut World) -> Result<(), SystemError> {
        if !P::DEFERS {
            return Ok(());
        }
        let (name, errors) = (self.name, world.observer_error_count());
        let (_, params) = self.parts();
        P::apply(params, world);
        observers_ended_well(name, errors, world)
    }

    /// As `SystemParts::forget`.
    pub(super) fn forget(&mut self) {
        let (_, params) = self.parts();
        P::discard(params);
    }

    /// Ends a run that panicked or failed: half of what a system wanted is not what it wanted.
    pub(crate) fn abort(&mut self, world: &mut World, run: Run) {
        let (_, params) = self.parts();
        P::release(params, world, run);
        world.systems.unforkable = None;
        P::discard(params);
        if run.lanes.is_none() && self.ready.as_ref().is_some_and(|ready| ready.reserving > 0) {
            world.entities.cancel_reservations();
        }
    }
}
