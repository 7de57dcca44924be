//! Distances of each body to the two answers at day 360.

use super::SolarError;
use super::system::{AU_KM, BODIES, State, de421_answer, newtonian_answer};

/// Largest distance to the Newtonian answer that passes, in km.
pub const LIMIT_KM: f64 = 50.0;

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRow {
    /// The body.
    pub name: &'static str,
    /// Distance to the exact motion of Newtonian point masses, in km.
    pub newtonian_km: f64,
    /// Distance to JPL's ephemeris, in km; what point masses without relativity cannot reach.
    pub de421_km: f64,
    /// Largest Newtonian distance allowed, in km.
    pub limit_km: f64,
}

impl CheckRow {
    /// Returns whether the body is where Newton's law puts it.
    pub fn passed(&self) -> bool {
        self.newtonian_km <= self.limit_km
    }
}

/// Compares positions at day 360 (JD 2451905.0), in AU, with both answers; one row a body. A
/// body without a position is infinitely far away.
///
/// # Errors
/// [`SolarError::Data`] if a reference file is damaged.
pub fn check(positions: &[[f64; 3]]) -> Result<Vec<CheckRow>, SolarError> {
    let (newtonian, de421) = (newtonian_answer()?, de421_answer()?);
    let distance_km = |answer: &State, body: usize| {
        positions.get(body).map_or(f64::INFINITY, |&[x, y, z]| {
            let [a, b, c] = answer.positions[body];
            let (dx, dy, dz) = (x - a, y - b, z - c);
            ((dx * dx + dy * dy) + dz * dz).sqrt() * AU_KM
        })
    };
    Ok((0..BODIES.len())
        .map(|body| CheckRow {
            name: BODIES[body],
            newtonian_km: distance_km(&newtonian, body),
            de421_km: distance_km(&de421, body),
            limit_km: LIMIT_KM,
        })
        .collect())
}
