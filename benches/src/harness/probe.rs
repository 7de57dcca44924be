//! What the memory gives at this minute: the figure beside every memory-bound one.

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use orrery_math::simd::Level;

use crate::reference::{Flat, axpy};

/// Bytes a nanosecond, which is GB/s, of a plain loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth {
    /// Bytes of the two arrays together.
    pub size_bytes: usize,
    /// The best of the passes.
    pub best: f64,
    /// The middle one.
    pub median: f64,
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = self.size_bytes >> 20;
        write!(
            f,
            "a += b over {mib} MiB: {:.1} GB/s at best, median {:.1} (3 streams counted)",
            self.best, self.median
        )
    }
}

/// Adds one array to another in place, `passes` times, and takes the time of each.
///
/// Three streams count: both arrays are read, one is written.
///
/// # Panics
/// When the system gives no memory, or `passes` is 0.
#[must_use]
pub fn in_place_bandwidth(size_bytes: usize, passes: usize) -> Bandwidth {
    assert!(passes > 0, "a probe without a pass");
    let lanes = size_bytes / 2 / size_of::<f32>();
    let mut a = Flat::from_fn(lanes, |index| index as f32);
    let b: Flat = Flat::from_fn(lanes, |_| 0.5);
    let moved_bytes = (3 * lanes * size_of::<f32>()) as f64;
    let pass = |_| {
        let start = Instant::now();
        axpy(Level::detect(), a.lanes_mut(), black_box(b.lanes()), 1.0);
        moved_bytes / start.elapsed().as_nanos().max(1) as f64
    };
    let mut rates: Vec<f64> = (0..passes).map(pass).collect();
    rates.sort_by(f64::total_cmp);
    Bandwidth {
        size_bytes,
        best: rates[passes - 1],
        median: rates[passes / 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_reads_something_above_nothing() {
        let bandwidth = in_place_bandwidth(64 << 10, 3);
        assert!(bandwidth.best >= bandwidth.median && bandwidth.median > 0.0);
        assert!(bandwidth.to_string().contains("GB/s"));
    }
}
