//! The definition of the neighbour filter.

use crate::melt::cells::Run;

pub(super) fn filter(
    [x, y, z]: [&[f32]; 3],
    center: [f32; 3],
    radius_squared: f32,
    runs: &[Run],
    out: &mut [u32],
) -> usize {
    let mut count = 0;
    for &[first, end] in runs {
        for index in first..end {
            let point = index as usize;
            let dx = center[0] - x[point];
            let dy = center[1] - y[point];
            let dz = center[2] - z[point];
            if (dx * dx + dy * dy) + dz * dz < radius_squared {
                out[count] = index;
                count += 1;
            }
        }
    }
    count
}
