//! What both matrix types share, written once.

/// Implements constructors, comparisons and operators for one type: its vector, the number of its
/// scalars, and its columns in order.
macro_rules! matrix {
    ($matrix:ident, $vector:ident, $count:literal, $($axis:ident),+) => {
        const _: () = assert!(size_of::<$matrix>() == 4 * $count);

        impl Default for $matrix {
            fn default() -> Self {
                Self::IDENTITY
            }
        }

        impl $matrix {
            /// All zeros.
            pub const ZERO: Self = Self { $($axis: $vector::ZERO),+ };

            /// Makes a matrix from its columns.
            #[inline]
            #[must_use]
            pub const fn from_cols($($axis: $vector),+) -> Self {
                Self { $($axis),+ }
            }

            /// Makes a matrix from its values, column after column.
            #[inline]
            #[must_use]
            pub fn from_cols_array(values: &[f32; $count]) -> Self {
                bytemuck::must_cast(*values)
            }

            /// Returns the values, column after column.
            #[inline]
            #[must_use]
            pub fn to_cols_array(self) -> [f32; $count] {
                bytemuck::must_cast(self)
            }

            /// Returns the column with this index.
            ///
            /// # Panics
            ///
            /// If `index` is not below the dimension.
            #[inline]
            #[must_use]
            #[track_caller]
            pub const fn col(&self, index: usize) -> $vector {
                [$(self.$axis),+][index]
            }

            /// Returns the row with this index.
            ///
            /// # Panics
            ///
            /// If `index` is not below the dimension.
            #[inline]
            #[must_use]
            #[track_caller]
            pub fn row(&self, index: usize) -> $vector {
                $vector::new($(self.$axis[index]),+)
            }

            /// Returns whether no value is infinite or NaN.
            #[inline]
            #[must_use]
            pub const fn is_finite(&self) -> bool {
                $(self.$axis.is_finite())&&+
            }

            /// Returns whether any value is NaN.
            #[inline]
            #[must_use]
            pub const fn is_nan(&self) -> bool {
                $(self.$axis.is_nan())||+
            }

            /// Returns whether no value differs by more than `max_abs_diff`.
            #[inline]
            #[must_use]
            pub fn abs_diff_eq(&self, rhs: Self, max_abs_diff: f32) -> bool {
                $(self.$axis.abs_diff_eq(rhs.$axis, max_abs_diff))&&+
            }

            /// Returns the inverse, or `None` when the determinant is zero or not finite in `f32`
            /// or a value of the inverse is not finite.
            ///
            /// Only an exactly zero determinant counts as singular: of a matrix that is singular
            /// up to rounding the result is finite but meaningless.
            #[must_use]
            pub fn try_inverse(&self) -> Option<Self> {
                // An infinite determinant has to be asked for: its reciprocal is a finite zero.
                let inverse = self.inverse();
                (self.determinant().is_finite() && inverse.is_finite()).then_some(inverse)
            }
        }

        impl AsRef<[f32; $count]> for $matrix {
            #[inline]
            fn as_ref(&self) -> &[f32; $count] {
                bytemuck::must_cast_ref(self)
            }
        }

        impl AsMut<[f32; $count]> for $matrix {
            #[inline]
            fn as_mut(&mut self) -> &mut [f32; $count] {
                bytemuck::must_cast_mut(self)
            }
        }

        impl std::ops::Mul for $matrix {
            type Output = Self;

            /// Combines transformations: `rhs` first, then `self`.
            #[inline]
            fn mul(self, rhs: Self) -> Self {
                Self { $($axis: self * rhs.$axis),+ }
            }
        }

        impl std::ops::MulAssign for $matrix {
            #[inline]
            fn mul_assign(&mut self, rhs: Self) {
                *self = *self * rhs;
            }
        }

        impl std::ops::Mul<f32> for $matrix {
            type Output = Self;

            #[inline]
            fn mul(self, rhs: f32) -> Self {
                Self { $($axis: self.$axis * rhs),+ }
            }
        }

        impl std::ops::Mul<$matrix> for f32 {
            type Output = $matrix;

            #[inline]
            fn mul(self, rhs: $matrix) -> $matrix {
                rhs * self
            }
        }

        impl std::ops::Add for $matrix {
            type Output = Self;

            #[inline]
            fn add(self, rhs: Self) -> Self {
                Self { $($axis: self.$axis + rhs.$axis),+ }
            }
        }

        impl std::ops::Sub for $matrix {
            type Output = Self;

            #[inline]
            fn sub(self, rhs: Self) -> Self {
                Self { $($axis: self.$axis - rhs.$axis),+ }
            }
        }

        impl std::ops::Neg for $matrix {
            type Output = Self;

            #[inline]
            fn neg(self) -> Self {
                Self { $($axis: -self.$axis),+ }
            }
        }
    };
}

pub(crate) use matrix;
