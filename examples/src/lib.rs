//! The models of the program `orrery`: each with an answer that a stranger can check, or see.

pub mod melt;
pub mod solar;
pub mod swarm;

use orrery::cli::Models;

/// Adds all models to a program.
pub fn register(models: &mut Models) {
    models.add(
        "melt",
        "Lennard-Jones atoms melt; --check compares with LAMMPS",
        melt::build,
    );
    models.add(
        "solar",
        "the Sun and its planets; --check compares with JPL DE421",
        solar::build,
    );
    models.add(
        "swarm",
        "100,000 boids, drawn in the terminal",
        swarm::build,
    );
}
