//! Solar: the Sun, the planets and Pluto for 360 days, checked to the kilometre.
//!
//! Ten Newtonian point masses start from JPL's ephemeris DE421 at JD 2451545.0 (the Moon and the
//! Earth are one mass at their barycentre). [`check()`] compares day 360 with two answers that
//! others computed: the exact motion of point masses, and DE421 itself, which also knows
//! relativity and asteroids and is therefore up to 97 km away.
//!
//! ```text
//! start(), gravity_parameters()          per step, for each stage of an Integrator:
//!      |                                     advance(velocities), advance(positions)
//!      v                                     accelerations(positions)
//! positions, velocities: AU, AU/day      then advance(velocities)
//! ```
//!
//! Invariants: f64 throughout (f32 would put Pluto off by 450 km); every sum in the order of the
//! bodies; no step-size control, so a run is a function of the step alone. Rounding moves a body
//! by some centimetres in 360 days, far below the limit, hence no compensated sums.
//!
//! Left out on purpose: relativity, the Moon, asteroids, oblateness.

mod check;
mod error;
mod gravity;
mod integrator;
mod model;
mod system;
#[cfg(test)]
mod tests;

pub use check::{CheckRow, LIMIT_KM, check};
pub use error::SolarError;
pub use gravity::{accelerations, energy};
pub use integrator::{Integrator, STEP_DAYS, Stage, advance, step_count};
pub use model::build;
pub use system::{
    AU_KM, BODIES, BODY_COUNT, SPAN_DAYS, State, de421_answer, gravity_parameters,
    newtonian_answer, start,
};
