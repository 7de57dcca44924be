//! Hash of one block of plain values.

use twox_hash::XxHash3_128;

use super::Lane;

/// The one NaN that every NaN counts as: quiet, positive, no payload.
pub(crate) const NAN_32: u32 = 0x7fc0_0000;
pub(crate) const NAN_64: u64 = 0x7ff8_0000_0000_0000;

pub(crate) fn xxh3(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// Hashes lanes as they lie in memory. A NaN is rare, so the block is copied only if it holds one.
pub(crate) fn hash_lanes(lane: Lane, bytes: &[u8]) -> u128 {
    match lane {
        Lane::Bytes => xxh3(bytes),
        Lane::F32 => {
            let lanes: &[f32] = bytemuck::cast_slice(bytes);
            if !lanes
                .chunks(LANES_AT_ONCE)
                .any(|lanes| any_nan(lanes.iter().map(|x| x.is_nan())))
            {
                return xxh3(bytes);
            }
            let canonical = |x: &f32| if x.is_nan() { NAN_32 } else { x.to_bits() };
            xxh3(bytemuck::cast_slice(
                &lanes.iter().map(canonical).collect::<Vec<u32>>(),
            ))
        }
        Lane::F64 => {
            let lanes: &[f64] = bytemuck::cast_slice(bytes);
            if !lanes
                .chunks(LANES_AT_ONCE)
                .any(|lanes| any_nan(lanes.iter().map(|x| x.is_nan())))
            {
                return xxh3(bytes);
            }
            let canonical = |x: &f64| if x.is_nan() { NAN_64 } else { x.to_bits() };
            xxh3(bytemuck::cast_slice(
                &lanes.iter().map(canonical).collect::<Vec<u64>>(),
            ))
        }
    }
}

/// Long enough to be vectorized, short enough to stop early.
const LANES_AT_ONCE: usize = 1024;

/// Whether any test holds, without a branch for each.
fn any_nan(tests: impl Iterator<Item = bool>) -> bool {
    tests.fold(false, |any, nan| any | nan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nan_hashes_alike_and_zeros_differ() {
        let plain = [1.0_f32, f32::NAN, -2.0];
        let other = [1.0_f32, f32::from_bits(0xffc0_1234), -2.0];
        let bytes = |lanes: &[f32]| hash_lanes(Lane::F32, bytemuck::cast_slice(lanes));
        assert_eq!(bytes(&plain), bytes(&other));
        assert_ne!(bytes(&[0.0]), bytes(&[-0.0]));
        let wide = |x: f64| hash_lanes(Lane::F64, bytemuck::cast_slice(&[1.0, x]));
        assert_eq!(wide(f64::NAN), wide(-f64::NAN));
        assert_ne!(wide(0.0), wide(-0.0));
    }

    #[test]
    fn integers_that_look_like_nan_keep_their_bits() {
        let bytes = |x: u32| hash_lanes(Lane::Bytes, bytemuck::cast_slice(&[x]));
        assert_ne!(bytes(0x7fc0_0001), bytes(0x7fc0_0002));
    }

    #[test]
    fn one_flipped_bit_anywhere_in_a_block_changes_the_hash() {
        let mut lanes = vec![0.5_f32; 4096 * 3];
        let before = hash_lanes(Lane::F32, bytemuck::cast_slice(&lanes));
        for index in (0..lanes.len()).step_by(997) {
            lanes[index] = f32::from_bits(lanes[index].to_bits() ^ 1);
            assert_ne!(hash_lanes(Lane::F32, bytemuck::cast_slice(&lanes)), before);
            lanes[index] = 0.5;
        }
    }
}
