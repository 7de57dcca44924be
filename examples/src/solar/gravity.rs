//! Newton's law for a handful of point masses.

/// Computes the acceleration of each body, in AU per day^2, from positions in AU and GM in AU^3
/// per day^2.
///
/// Each body sums the pull of the others in the order of the slices, so it is a function of the
/// positions alone. The three slices are of one length; what is beyond the shortest is ignored.
pub fn accelerations(positions: &[[f64; 3]], gm: &[f64], out: &mut [[f64; 3]]) {
    for (body, out) in out.iter_mut().enumerate().take(positions.len()) {
        let here = positions[body];
        let mut sum = [0.0; 3];
        for (other, (there, gm)) in positions.iter().zip(gm).enumerate() {
            if other == body {
                continue;
            }
            let way: [f64; 3] = std::array::from_fn(|axis| there[axis] - here[axis]);
            let square = (way[0] * way[0] + way[1] * way[1]) + way[2] * way[2];
            let factor = gm / (square * square.sqrt());
            for axis in 0..3 {
                sum[axis] += way[axis] * factor;
            }
        }
        *out = sum;
    }
}

/// Returns the energy times the constant of gravity, in AU^5 per day^4: kinetic plus potential.
/// The exact motion conserves it.
pub fn energy(positions: &[[f64; 3]], velocities: &[[f64; 3]], gm: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (body, (velocity, mass)) in velocities.iter().zip(gm).enumerate() {
        let [x, y, z] = *velocity;
        sum += 0.5 * mass * ((x * x + y * y) + z * z);
        for (there, other_mass) in positions.iter().zip(gm).take(body) {
            let way: [f64; 3] = std::array::from_fn(|axis| there[axis] - positions[body][axis]);
            let square = (way[0] * way[0] + way[1] * way[1]) + way[2] * way[2];
            sum -= mass * other_mass / square.sqrt();
        }
    }
    sum
}
