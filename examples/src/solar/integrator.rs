//! Symplectic integrators: leapfrog, and compositions of it of higher order.
//!
//! A symmetric sequence of leapfrog steps of lengths `w_1 h, w_2 h, ..., w_1 h` cancels error
//! terms that one step of length `h` leaves. The step is written as kicks and drifts:
//!
//! ```text
//! kick w_1/2 | drift w_1 | kick (w_1+w_2)/2 | drift w_2 | ... | drift w_1 | kick w_1/2
//! ```
//! so that a caller who keeps positions, velocities and accelerations elsewhere (as components)
//! can run [`Integrator::stages`] itself; [`Integrator::step`] does it over slices.

use super::SolarError;
use super::gravity::accelerations;
use super::system::{SPAN_DAYS, State};

/// Default step of the eighth-order integrator, in days: all bodies within a few metres of the
/// exact answer after 360 days.
pub const STEP_DAYS: f64 = 1.0;

/// Most steps over the whole span: half an hour of leapfrog.
const STEPS_MAX: f64 = 1e7;

/// Weights of the composition of order 8 with 17 leapfrog steps, first half and middle:
/// Kahan and Li, "Composition constants for raising the orders of unconventional schemes for
/// ordinary differential equations", Math. Comp. 66 (1997), s17odr8a.
const WEIGHTS_8: [f64; 9] = [
    0.130_202_483_088_890_08,
    0.561_162_981_775_108_4,
    -0.389_474_962_644_847_3,
    0.158_841_906_555_155_6,
    -0.395_903_894_133_237_57,
    0.184_539_640_978_315_7,
    0.258_374_387_686_322_04,
    0.295_011_723_609_310_3,
    -0.605_508_533_830_034_5,
];

/// How to advance in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// Kick, drift, kick: order 2, one evaluation of the forces a step.
    Leapfrog,
    /// Kahan and Li's composition: order 8, 17 evaluations a step.
    Order8,
}

/// Part of a step: a kick of `kick` steps under the current accelerations, then a drift of
/// `drift` steps, after which the accelerations must be computed anew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Part of the step by which velocities advance first.
    pub kick: f64,
    /// Part of the step by which positions advance then.
    pub drift: f64,
}

impl Integrator {
    /// Returns the stages of a step, and the kick that ends it.
    pub fn stages(self) -> (impl Iterator<Item = Stage>, f64) {
        let half: &[f64] = match self {
            Self::Leapfrog => &[1.0],
            Self::Order8 => &WEIGHTS_8,
        };
        let weights = half.iter().chain(half.iter().rev().skip(1));
        let stages = weights.scan(0.0, |last, &weight| {
            let kick = 0.5 * (*last + weight);
            *last = weight;
            Some(Stage {
                kick,
                drift: weight,
            })
        });
        (stages, 0.5 * half[0])
    }

    /// Advances bodies by one step of `step_days`. `acting` holds the accelerations at the start,
    /// from [`accelerations`], and at return those at the end.
    pub fn step(
        self,
        positions: &mut [[f64; 3]],
        velocities: &mut [[f64; 3]],
        acting: &mut [[f64; 3]],
        gm: &[f64],
        step_days: f64,
    ) {
        let (stages, last_kick) = self.stages();
        for stage in stages {
            advance(velocities, acting, stage.kick * step_days);
            advance(positions, velocities, stage.drift * step_days);
            accelerations(positions, gm, acting);
        }
        advance(velocities, acting, last_kick * step_days);
    }

    /// Advances `state` by `steps` steps of `step_days`.
    pub fn run(self, state: &mut State, gm: &[f64], step_days: f64, steps: u64) {
        let mut acting = vec![[0.0; 3]; state.positions.len()];
        accelerations(&state.positions, gm, &mut acting);
        for _ in 0..steps {
            let (positions, velocities) = (&mut state.positions, &mut state.velocities);
            self.step(positions, velocities, &mut acting, gm, step_days);
        }
    }
}

/// Adds `rates * days` to `values`: a kick or a drift.
pub fn advance(values: &mut [[f64; 3]], rates: &[[f64; 3]], days: f64) {
    for (value, rate) in values.iter_mut().zip(rates) {
        for axis in 0..3 {
            value[axis] += rate[axis] * days;
        }
    }
}

/// Returns how many steps of `step_days` make 360 days.
///
/// # Errors
/// [`SolarError::Step`] if that is not a whole number from 1 to 10,000,000. A step such as 0.1
/// that no f64 holds exactly divides if it is the f64 nearest to 360 / n.
pub fn step_count(step_days: f64) -> Result<u64, SolarError> {
    let steps = (SPAN_DAYS / step_days).round();
    if (1.0..=STEPS_MAX).contains(&steps) && SPAN_DAYS / steps == step_days {
        Ok(steps as u64)
    } else {
        Err(SolarError::Step { step_days })
    }
}
