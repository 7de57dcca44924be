//! Hash of one block of plain values.

use bytemuck::Pod;
use twox_hash::XxHash3_128;

use super::Lane;

/// The one NaN that every NaN counts as: quiet, positive, no payload.
pub(crate) const NAN_32: u32 = 0x7fc0_0000;
pub(crate) const NAN_64: u64 = 0x7ff8_0000_0000_0000;

pub(crate) fn xxh3(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// Hashes lanes as they lie in memory, NaNs made canonical.
pub(crate) fn hash_lanes(lane: Lane, bytes: &[u8]) -> u128 {
    match lane {
        Lane::Bytes => xxh3(bytes),
        Lane::F32 => hash_floats(
            bytes,
            |lane: &f32| lane.is_nan(),
            |lane: &f32| {
                if lane.is_nan() {
                    NAN_32
                } else {
                    lane.to_bits()
                }
            },
        ),
        Lane::F64 => hash_floats(
            bytes,
            |lane: &f64| lane.is_nan(),
            |lane: &f64| {
                if lane.is_nan() {
                    NAN_64
                } else {
                    lane.to_bits()
                }
            },
        ),
    }
}

/// Bytes that are looked through for NaNs and then hashed while they are in the first cache.
const PIECE_BYTES: usize = 4096;

/// A NaN is rare, so a piece is copied only if it holds one.
fn hash_floats<F: Pod, I: Pod>(
    bytes: &[u8],
    is_nan: impl Fn(&F) -> bool,
    canonical: impl Fn(&F) -> I,
) -> u128 {
    let mut hasher = XxHash3_128::new();
    for piece in bytes.chunks(PIECE_BYTES) {
        let lanes: &[F] = bytemuck::cast_slice(piece);
        // Without a branch for each lane, so that it is vectorized.
        if lanes.iter().fold(false, |any, lane| any | is_nan(lane)) {
            let lanes: Vec<I> = lanes.iter().map(&canonical).collect();
            hasher.write(bytemuck::cast_slice(&lanes));
        } else {
            hasher.write(piece);
        }
    }
    hasher.finish_128()
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
