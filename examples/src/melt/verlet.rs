//! Velocity Verlet: half kick, drift, (forces), half kick. Reduced units, mass 1.
//!
//! Each function works on the atoms of one slice and on nothing else, so slices may be done in
//! any order and by any thread.

/// Time step of the benchmark, in reduced time.
pub const TIME_STEP: f64 = 0.005;

/// Advances velocities by half a step under the given forces.
///
/// `v += (dt / 2) f` with `dt / 2` rounded once, as LAMMPS does it. Extra items of the longer
/// slice are left alone.
pub fn half_kick(velocities: &mut [[f64; 3]], forces: &[[f64; 3]], time_step: f64) {
    let half = 0.5 * time_step;
    for (velocity, force) in velocities.iter_mut().zip(forces) {
        for axis in 0..3 {
            velocity[axis] += half * force[axis];
        }
    }
}

/// Advances positions by one step and wraps them into `0 .. box_length`.
///
/// An atom is moved by one box edge when it left the box, as LAMMPS does it; an atom that
/// crosses a whole box in one step stays outside, and [`super::Forces::compute`] reports it.
pub fn drift(positions: &mut [[f64; 3]], velocities: &[[f64; 3]], time_step: f64, box_length: f64) {
    for (position, velocity) in positions.iter_mut().zip(velocities) {
        for axis in 0..3 {
            position[axis] = wrap(position[axis] + time_step * velocity[axis], box_length);
        }
    }
}

/// Moves a coordinate that left `0 .. box_length` by one edge.
pub fn wrap(value: f64, box_length: f64) -> f64 {
    if value < 0.0 {
        let moved = value + box_length;
        // A tiny negative value rounds up to the edge itself, which is outside.
        if moved < box_length { moved } else { 0.0 }
    } else if value >= box_length {
        value - box_length
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_coordinates_lie_in_the_box() {
        let length = 16.795961913825074;
        for (value, expected) in [
            (0.0, 0.0),
            (-0.0, 0.0),
            (-1e-300, 0.0),
            (-1e-17, 0.0),
            (-1.0, length - 1.0),
            (length, 0.0),
            (length + 1.0, length + 1.0 - length),
            (5.0, 5.0),
        ] {
            assert_eq!(wrap(value, length), expected, "{value}");
            assert!((0.0..length).contains(&wrap(value, length)), "{value}");
        }
    }
}
