//! The definition, one lane after the other.

use std::ops::Range;

use super::{Eye, LANES, Others, Sums};

/// The shorter way round an edge.
fn around(way: f32, edge: f32) -> f32 {
    let half = 0.5 * edge;
    let way = if way > half { way - edge } else { way };
    if way < -half { way + edge } else { way }
}

pub(super) fn look(eye: &Eye, others: Others<'_>, runs: &[Range<usize>]) -> Sums {
    let mut lanes = [[0.0; LANES]; LANES];
    for run in runs {
        add(&mut lanes, eye, others.run(run), run.len());
    }
    lanes.map(|[a, b, c, d, e, f, g, h]| ((a + e) + (b + f)) + ((c + g) + (d + h)))
}

fn add(lanes: &mut [[f32; LANES]; LANES], eye: &Eye, others: Others<'_>, length: usize) {
    for i in 0..others.x.len() {
        let x = around(others.x[i] - eye.place[0], eye.size[0]);
        let y = around(others.y[i] - eye.place[1], eye.size[1]);
        let distance_squared = x * x + y * y;
        let seen = i < length && distance_squared <= eye.sight_squared;
        let only = |value: f32| if seen { value } else { 0.0 };
        let (x, y) = (only(x), only(y));
        let nearness = 1.0 - distance_squared * eye.space_inverse;
        let nearness = if nearness > 0.0 { nearness } else { 0.0 };
        let (u, v) = (only(others.u[i]), only(others.v[i]));
        let values = [only(1.0), x, y, u, v, x * nearness, y * nearness];
        for (lane, value) in lanes.iter_mut().zip(values) {
            lane[i % LANES] += value;
        }
    }
}
