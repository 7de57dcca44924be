//! The melt as a model: atoms are entities, the force code works on their columns.

use orrery::cli::{self, Setup, SetupError, Verdict};
use orrery::ecs::{QueryState, StateHasher};
use orrery::math::simd::Level;
use orrery::prelude::*;

use super::{
    CUTOFF, Check, Detail, Forces, MeltError, REFERENCE_CELLS, SKIN, START_TEMPERATURE, TIME_STEP,
    Thermo, Totals, box_length, cells_for_atoms, drift, half_kick, lattice, reference_velocities,
    velocities,
};

/// In sigma, inside the box.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Position([f64; 3]);

/// In sigma per unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Velocity([f64; 3]);

/// In epsilon per sigma.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Force([f64; 3]);

/// Where the atom was when the neighbour lists were last built. It decides the order in which
/// forces are summed, so it is state: a fork that rebuilds its lists from it goes on with the
/// same bits.
#[derive(Clone, Copy, Debug, PartialEq, Component, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Anchor([f64; 3]);

/// The box, and when energies are wanted.
#[derive(Clone, Resource)]
struct Bounds {
    length: f64,
    every: u64,
}

impl Bounds {
    fn is_measured(&self, step: u64) -> bool {
        step.is_multiple_of(self.every)
    }
}

/// Temperature, energies and pressure at the last tick that asked for them.
#[derive(Clone, Resource)]
#[resource(not_state)]
struct Measured(Thermo);

/// Neighbour lists and other caches of the force code. A fork starts with empty ones and fills
/// them from the anchors.
struct Cache {
    forces: Forces,
    level: Level,
    atoms: usize,
    length: f64,
    cutoff: f64,
}

impl Cache {
    fn new(level: Level, atoms: usize, length: f64, cutoff: f64) -> Result<Self, MeltError> {
        let forces = Forces::new(level, atoms, length, cutoff, SKIN)?;
        Ok(Self {
            forces,
            level,
            atoms,
            length,
            cutoff,
        })
    }
}

impl Resource for Cache {
    const NAME: &'static str = concat!(module_path!(), "::Cache");
    const STATE: bool = false;
    const CLONE: bool = true;

    fn duplicate(&self) -> Option<Self> {
        // The same values made this one.
        Self::new(self.level, self.atoms, self.length, self.cutoff).ok()
    }

    fn hash_fields(&self, _: &mut StateHasher) {}
}

/// Builds the model.
///
/// # Errors
/// When a setting is not what it should be, or the reference data is damaged.
pub fn build(setup: &mut Setup<'_>) -> Result<(), SetupError> {
    build_with(setup, CUTOFF)
}

/// Builds the model with another cut-off; tests plant a wrong one.
pub(super) fn build_with(setup: &mut Setup<'_>, cutoff: f64) -> Result<(), SetupError> {
    let about = "how many atoms: 4 n^3; 4000 start as LAMMPS's do";
    let atoms = setup.integer("atoms", 4_000, 4..=256_000, about)? as usize;
    let every = setup.integer("every", 10, 1..=1_000_000, "ticks between measurements")?;
    let cells = cells_for_atoms(atoms).map_err(|error| setup.refuse("atoms", error))?;
    if setup.check_wanted() && (cells != REFERENCE_CELLS || every != 10) {
        let message = "--check knows LAMMPS's answer for atoms=4000 and every=10 only";
        return Err(SetupError::new(message));
    }
    let start = if cells == REFERENCE_CELLS {
        reference_velocities().map_err(SetupError::new)?
    } else {
        let random = setup.random();
        velocities(atoms, START_TEMPERATURE, |atom, axis| {
            random.at(0, atom as u64, axis as u32).normal_f64()
        })
    };
    let length = box_length(cells);
    let cache = Cache::new(Level::current(), atoms, length, cutoff).map_err(SetupError::new)?;
    let app = setup.app();
    app.set_step(step());
    let world = app.world_mut();
    world.insert_resource(cache);
    world.insert_resource(Bounds { length, every });
    world.spawn_batch(
        lattice(cells)
            .into_iter()
            .zip(start)
            .map(|(position, velocity)| {
                (
                    Position(position),
                    Velocity(velocity),
                    Force([0.0; 3]),
                    Anchor(position),
                )
            }),
    );
    app.add_systems(Startup, (forces_at_start, measure_at_start).chain());
    let tick = (kick_and_drift, forces_now, kick, measure);
    app.add_systems(FixedUpdate, tick.chain());
    report(setup, every)
}

/// The benchmark's time step of 0.005, read as seconds.
fn step() -> orrery::time::Step {
    let step = std::time::Duration::from_secs_f64(TIME_STEP);
    orrery::time::Step::from_duration(step).expect("5 ms is a step")
}

fn report(setup: &mut Setup<'_>, every: u64) -> Result<(), SetupError> {
    setup.set_ticks(200);
    setup.report_every(every);
    measured(setup, "temperature", |thermo| thermo.temperature);
    measured(setup, "e_pair/atom", |thermo| thermo.potential);
    measured(setup, "e_total/atom", |thermo| thermo.total);
    measured(setup, "pressure", |thermo| thermo.pressure);
    if setup.check_wanted() {
        let check = Check::new().map_err(SetupError::new)?;
        let positions = setup.app().world_mut().query::<&Position>();
        setup.check(Comparison { check, positions });
    }
    Ok(())
}

fn measured(setup: &mut Setup<'_>, name: &'static str, value: fn(&Thermo) -> f64) {
    setup.column(name, move |world| value(&world.resource::<Measured>().0));
}

fn kick_and_drift(chunk: Chunk<(&mut Position, &mut Velocity, &Force)>, bounds: Res<Bounds>) {
    let (positions, velocities, forces) = chunk.slices();
    let velocities = bytemuck::cast_slice_mut(velocities);
    half_kick(velocities, bytemuck::cast_slice(forces), TIME_STEP);
    drift(
        bytemuck::cast_slice_mut(positions),
        velocities,
        TIME_STEP,
        bounds.length,
    );
}

fn kick(chunk: Chunk<(&mut Velocity, &Force)>) {
    let (velocities, forces) = chunk.slices();
    half_kick(
        bytemuck::cast_slice_mut(velocities),
        bytemuck::cast_slice(forces),
        TIME_STEP,
    );
}

/// Energies are part of a step's forces only where somebody will look at them.
fn forces_now(
    atoms: Query<(&Position, &mut Force, &mut Anchor)>,
    cache: ResMut<Cache>,
    workers: Res<Workers>,
    bounds: Res<Bounds>,
    time: Res<Time>,
    mut exit: ResMut<Exit>,
) {
    let detail = if bounds.is_measured(time.tick() + 1) {
        Detail::All
    } else {
        Detail::Forces
    };
    let computed = compute(atoms, &mut cache.into_inner().forces, &workers, detail);
    computed.unwrap_or_else(|error| exit.fail(error));
}

fn forces_at_start(
    atoms: Query<(&Position, &mut Force, &mut Anchor)>,
    cache: ResMut<Cache>,
    workers: Res<Workers>,
    mut exit: ResMut<Exit>,
) {
    let forces = &mut cache.into_inner().forces;
    let computed = compute(atoms, forces, &workers, Detail::All);
    computed.unwrap_or_else(|error| exit.fail(error));
}

/// Rows are atoms in order, so a running count tells where a block begins.
fn compute(
    mut atoms: Query<(&Position, &mut Force, &mut Anchor)>,
    forces: &mut Forces,
    workers: &Workers,
    detail: Detail,
) -> Result<(), MeltError> {
    let is_new = forces.anchors().is_empty();
    let (mut first, mut anchors) = (0, Vec::new());
    atoms
        .as_read_only()
        .for_each_chunk(|(positions, _, block)| {
            forces.load(first, bytemuck::cast_slice(positions));
            first += positions.len();
            if is_new {
                anchors.extend_from_slice(bytemuck::cast_slice(block));
            }
        });
    if is_new {
        forces.restore_anchors(workers, &anchors)?;
    }
    // An atom outside the box or a crowd means that the run has blown up.
    let rebuilt = forces.compute(workers, detail)?;
    let mut first = 0;
    atoms.for_each_chunk(|(_, block, anchors)| {
        forces.store_forces(first, bytemuck::cast_slice_mut(block));
        if rebuilt {
            let now = &forces.anchors()[first..first + block.len()];
            anchors.copy_from_slice(bytemuck::cast_slice(now));
        }
        first += block.len();
    });
    Ok(())
}

fn measure(
    velocities: Query<&Velocity>,
    cache: Res<Cache>,
    bounds: Res<Bounds>,
    time: Res<Time>,
    measured: ResMut<Measured>,
) {
    if bounds.is_measured(time.tick() + 1) {
        *measured.into_inner() = Measured(thermo(velocities, &cache.forces, bounds.length));
    }
}

fn measure_at_start(
    velocities: Query<&Velocity>,
    cache: Res<Cache>,
    bounds: Res<Bounds>,
    mut commands: Commands,
) {
    commands.insert_resource(Measured(thermo(velocities, &cache.forces, bounds.length)));
}

fn thermo(mut velocities: Query<&Velocity>, forces: &Forces, length: f64) -> Thermo {
    let (mut totals, mut first) = (Totals::default(), 0);
    let (mut energies, mut virials) = (Vec::new(), Vec::new());
    velocities.for_each_chunk(|block| {
        energies.resize(block.len(), 0.0);
        virials.resize(block.len(), 0.0);
        forces.store_energies(first, &mut energies, &mut virials);
        totals.add(bytemuck::cast_slice(block), &energies, &virials);
        first += block.len();
    });
    totals.thermo(length)
}

/// `--check`: LAMMPS's answers beside ours.
struct Comparison {
    check: Check,
    positions: QueryState<&'static Position>,
}

impl cli::Check for Comparison {
    fn ticks(&self) -> u64 {
        self.check.last_step()
    }

    fn observe(&mut self, tick: u64, world: &World) {
        let wants = self.check.wants(tick);
        if wants.thermo {
            self.check.thermo(tick, &world.resource::<Measured>().0);
        }
        if wants.positions {
            let found = self.positions.iter(world).map(|position| position.0);
            self.check.positions(tick, &found.collect::<Vec<_>>());
        }
    }

    fn verdicts(&self) -> Vec<Verdict> {
        let rows = self.check.rows().iter();
        let verdicts = rows.map(|row| {
            // A state that was never shown fails, whatever the others said.
            let found = if row.compared == row.expected {
                row.worst
            } else {
                f64::NAN
            };
            Verdict {
                what: row.name.clone(),
                found,
                limit: Some(row.limit),
                tick: row.at_step,
            }
        });
        verdicts.collect()
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
