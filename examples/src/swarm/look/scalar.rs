//! The definition, one lane after the other.

use super::{Eye, LANES, Lanes, Others};

/// The shorter way round an edge.
fn around(way: f32, edge: f32) -> f32 {
    let half = 0.5 * edge;
    let way = if way > half { way - edge } else { way };
    if way < -half { way + edge } else { way }
}

pub(super) fn add(sums: &mut Lanes, eye: &Eye, others: Others<'_>, length: usize) {
    for i in 0..others.x.len() {
        let lane = i % LANES;
        let x = around(others.x[i] - eye.place[0], eye.size[0]);
        let y = around(others.y[i] - eye.place[1], eye.size[1]);
        let distance_squared = x * x + y * y;
        let seen = i < length && distance_squared <= eye.sight_squared;
        let only = |value: f32| if seen { value } else { 0.0 };
        let (x, y) = (only(x), only(y));
        let nearness = 1.0 - distance_squared * eye.space_inverse;
        let nearness = if nearness > 0.0 { nearness } else { 0.0 };
        sums.count[lane] += only(1.0);
        sums.way[0][lane] += x;
        sums.way[1][lane] += y;
        sums.velocity[0][lane] += only(others.u[i]);
        sums.velocity[1][lane] += only(others.v[i]);
        sums.crowding[0][lane] += x * nearness;
        sums.crowding[1][lane] += y * nearness;
    }
}
