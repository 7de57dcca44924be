//! What all vector types share, written once: constructors, component-wise operations, lengths
//! and conversions; the operators are in the file beside.
//!
//! Straight-line definitions: sums run over the components in order, `min` and `max` are one
//! comparison each (so they return the second operand when one of them is NaN), and nothing is
//! fused. Each file of this folder adds what belongs to its dimension only.

/// Implements the shared part for one type: its scalar, its dimension, its components in order
/// with their indices, and the module of [`crate::ops`] that serves the scalar.
macro_rules! vector {
    ($vector:ident, $scalar:ident, $count:literal, $($c:ident: $i:literal),+) => {
        $crate::vec::macros::vector_values!($vector, $scalar, $count, $($c: $i),+);
        $crate::vec::macros::vector_lengths!($vector, $scalar, $($c),+);
        $crate::vec::macros::vector_conversions!($vector, $scalar, $count, $($c: $i),+);
        $crate::vec::operators::vector_operators!($vector, $scalar, $($c),+);
    };
}

/// Constants, constructors and component-wise operations.
macro_rules! vector_values {
    ($vector:ident, $scalar:ident, $count:literal, $($c:ident: $i:literal),+) => {
        const _: () = assert!(size_of::<$vector>() == $count * size_of::<$scalar>());

        impl $vector {
            /// All zeros.
            pub const ZERO: Self = Self::splat(0.0);
            /// All ones.
            pub const ONE: Self = Self::splat(1.0);
            /// All minus ones.
            pub const NEG_ONE: Self = Self::splat(-1.0);
            /// All infinity: the start of a running minimum.
            pub const INFINITY: Self = Self::splat($scalar::INFINITY);
            /// All minus infinity: the start of a running maximum.
            pub const NEG_INFINITY: Self = Self::splat($scalar::NEG_INFINITY);
            /// All NaN.
            pub const NAN: Self = Self::splat($scalar::NAN);

            /// Makes a vector from its components.
            #[inline]
            #[must_use]
            pub const fn new($($c: $scalar),+) -> Self {
                Self { $($c),+ }
            }

            /// Makes a vector whose components all are `value`.
            #[inline]
            #[must_use]
            pub const fn splat(value: $scalar) -> Self {
                Self { $($c: value),+ }
            }

            /// Makes a vector from an array.
            #[inline]
            #[must_use]
            pub const fn from_array(array: [$scalar; $count]) -> Self {
                Self { $($c: array[$i]),+ }
            }

            /// Returns the components as an array.
            #[inline]
            #[must_use]
            pub const fn to_array(self) -> [$scalar; $count] {
                [$(self.$c),+]
            }

            /// Makes a vector from the first components of a slice.
            ///
            /// # Panics
            ///
            /// If the slice is shorter than the vector.
            #[inline]
            #[must_use]
            #[track_caller]
            pub const fn from_slice(slice: &[$scalar]) -> Self {
                Self { $($c: slice[$i]),+ }
            }

            /// Returns the smaller of each pair of components, `rhs`'s where either is NaN.
            #[inline]
            #[must_use]
            pub fn min(self, rhs: Self) -> Self {
                Self { $($c: if self.$c < rhs.$c { self.$c } else { rhs.$c }),+ }
            }

            /// Returns the larger of each pair of components, `rhs`'s where either is NaN.
            #[inline]
            #[must_use]
            pub fn max(self, rhs: Self) -> Self {
                Self { $($c: if self.$c > rhs.$c { self.$c } else { rhs.$c }),+ }
            }

            /// Holds each component between those of `min` and `max`: `self.max(min).min(max)`.
            ///
            /// Where `min` is above `max`, `max` wins.
            #[inline]
            #[must_use]
            pub fn clamp(self, min: Self, max: Self) -> Self {
                self.max(min).min(max)
            }

            /// Returns the smallest component.
            #[inline]
            #[must_use]
            pub fn min_element(self) -> $scalar {
                let mut least = self.x;
                $(least = if least < self.$c { least } else { self.$c };)+
                least
            }

            /// Returns the largest component.
            #[inline]
            #[must_use]
            pub fn max_element(self) -> $scalar {
                let mut most = self.x;
                $(most = if most > self.$c { most } else { self.$c };)+
                most
            }

            /// Returns the absolute value of each component.
            #[inline]
            #[must_use]
            pub const fn abs(self) -> Self {
                Self { $($c: self.$c.abs()),+ }
            }

            /// Returns 1 or -1 with the sign of each component; zeros have a sign, NaN stays.
            #[inline]
            #[must_use]
            pub const fn signum(self) -> Self {
                Self { $($c: self.$c.signum()),+ }
            }

            /// Rounds each component down to a whole number.
            #[inline]
            #[must_use]
            pub const fn floor(self) -> Self {
                Self { $($c: self.$c.floor()),+ }
            }

            /// Rounds each component up to a whole number.
            #[inline]
            #[must_use]
            pub const fn ceil(self) -> Self {
                Self { $($c: self.$c.ceil()),+ }
            }

            /// Rounds each component to the nearest whole number, halves away from zero.
            #[inline]
            #[must_use]
            pub const fn round(self) -> Self {
                Self { $($c: self.$c.round()),+ }
            }

            /// Returns whether no component is infinite or NaN.
            #[inline]
            #[must_use]
            pub const fn is_finite(self) -> bool {
                $(self.$c.is_finite())&&+
            }

            /// Returns whether any component is NaN.
            #[inline]
            #[must_use]
            pub const fn is_nan(self) -> bool {
                $(self.$c.is_nan())||+
            }

            /// Returns whether no component differs by more than `max_abs_diff`.
            #[inline]
            #[must_use]
            pub fn abs_diff_eq(self, rhs: Self, max_abs_diff: $scalar) -> bool {
                $((self.$c - rhs.$c).abs() <= max_abs_diff)&&+
            }
        }
    };
}

/// Products, lengths, angles and what is built on them.
macro_rules! vector_lengths {
    ($vector:ident, $scalar:ident, $first:ident $(, $c:ident)+) => {
        impl $vector {
            /// Returns the dot product, summed in the order of the components.
            #[inline]
            #[must_use]
            pub const fn dot(self, rhs: Self) -> $scalar {
                self.$first * rhs.$first $(+ self.$c * rhs.$c)+
            }

            /// Returns the length. Overflows to infinity where the squares do.
            #[inline]
            #[must_use]
            pub fn length(self) -> $scalar {
                self.dot(self).sqrt()
            }

            /// Returns the square of the length, which spares a root where lengths are compared.
            #[inline]
            #[must_use]
            pub const fn length_squared(self) -> $scalar {
                self.dot(self)
            }

            /// Returns the distance to a point.
            #[inline]
            #[must_use]
            pub fn distance(self, rhs: Self) -> $scalar {
                (self - rhs).length()
            }

            /// Returns the square of the distance to a point.
            #[inline]
            #[must_use]
            pub fn distance_squared(self, rhs: Self) -> $scalar {
                (self - rhs).length_squared()
            }

            /// Returns the vector of length 1 in the same direction, by dividing each component.
            ///
            /// Not finite when the length is zero, infinite or NaN; see
            /// [`Self::try_normalize`] and [`Self::normalize_or_zero`].
            #[inline]
            #[must_use]
            pub fn normalize(self) -> Self {
                self / self.length()
            }

            /// Returns [`Self::normalize`], or `None` unless the length is finite and above zero.
            #[inline]
            #[must_use]
            pub fn try_normalize(self) -> Option<Self> {
                let length = self.length();
                (length > 0.0 && length.is_finite()).then(|| self / length)
            }

            /// Returns [`Self::normalize`], or zero unless the length is finite and above zero.
            #[inline]
            #[must_use]
            pub fn normalize_or_zero(self) -> Self {
                self.try_normalize().unwrap_or(Self::ZERO)
            }

            /// Returns whether the squared length is within 2e-4 of 1.
            #[inline]
            #[must_use]
            pub const fn is_normalized(self) -> bool {
                (self.length_squared() - 1.0).abs() <= 2e-4
            }

            /// Shortens the vector to `max` where it is longer.
            #[inline]
            #[must_use]
            pub fn clamp_length_max(self, max: $scalar) -> Self {
                let length_squared = self.length_squared();
                if length_squared > max * max { self / length_squared.sqrt() * max } else { self }
            }

            /// Moves from `self` (`s` = 0) to `rhs` (`s` = 1) on a line, exact at both ends.
            ///
            /// Outside `[0, 1]` the line goes on.
            #[inline]
            #[must_use]
            pub fn lerp(self, rhs: Self, s: $scalar) -> Self {
                self * (1.0 - s) + rhs * s
            }

            /// Returns the mirror image in the plane through the origin with this unit normal.
            #[inline]
            #[must_use]
            pub fn reflect(self, normal: Self) -> Self {
                self - normal * (2.0 * self.dot(normal))
            }

            /// Returns the part of `self` along `rhs`, which need not be a unit vector.
            ///
            /// Not finite when `rhs` has length zero.
            #[inline]
            #[must_use]
            pub fn project_onto(self, rhs: Self) -> Self {
                rhs * (self.dot(rhs) / rhs.dot(rhs))
            }

            /// Returns the part of `self` perpendicular to `rhs`.
            ///
            /// Not finite when `rhs` has length zero.
            #[inline]
            #[must_use]
            pub fn reject_from(self, rhs: Self) -> Self {
                self - self.project_onto(rhs)
            }

            /// Returns the angle between two vectors of any length, in radians in `[0, pi]`.
            ///
            /// Zero when either is zero. By Kahan's formula ("How futile are mindless
            /// assessments of roundoff", section 12), which keeps full precision near 0 and pi
            /// where an arc cosine loses half of the digits.
            #[must_use]
            pub fn angle_between(self, rhs: Self) -> $scalar {
                let (a, b) = (self * rhs.length(), rhs * self.length());
                2.0 * $crate::ops::$scalar::atan2((a - b).length(), (a + b).length())
            }
        }
    };
}

/// Arrays, slices, text and indices.
macro_rules! vector_conversions {
    ($vector:ident, $scalar:ident, $count:literal, $($c:ident: $i:literal),+) => {
        impl From<[$scalar; $count]> for $vector {
            #[inline]
            fn from(array: [$scalar; $count]) -> Self {
                Self::from_array(array)
            }
        }

        impl From<$vector> for [$scalar; $count] {
            #[inline]
            fn from(vector: $vector) -> Self {
                vector.to_array()
            }
        }

        impl AsRef<[$scalar; $count]> for $vector {
            #[inline]
            fn as_ref(&self) -> &[$scalar; $count] {
                bytemuck::must_cast_ref(self)
            }
        }

        impl AsMut<[$scalar; $count]> for $vector {
            #[inline]
            fn as_mut(&mut self) -> &mut [$scalar; $count] {
                bytemuck::must_cast_mut(self)
            }
        }

        impl std::ops::Index<usize> for $vector {
            type Output = $scalar;

            /// # Panics
            ///
            /// If `index` is not below the dimension.
            #[inline]
            #[track_caller]
            fn index(&self, index: usize) -> &$scalar {
                &self.as_ref()[index]
            }
        }

        impl std::ops::IndexMut<usize> for $vector {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, index: usize) -> &mut $scalar {
                &mut self.as_mut()[index]
            }
        }

        impl std::fmt::Display for $vector {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_list()$(.entry(&format_args!("{}", self.$c)))+.finish()
            }
        }
    };
}

pub(crate) use {vector, vector_conversions, vector_lengths, vector_values};
