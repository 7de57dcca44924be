//! The operators that all vector types share, written once.

/// `+ - * /` with vectors and scalars on either side, negation, assign forms and sums.
macro_rules! vector_operators {
    ($vector:ident, $scalar:ident, $($c:ident),+) => {
        $crate::vec::operators::vector_operator!(
            $vector, $scalar, Add, add, AddAssign, add_assign, +, $($c),+);
        $crate::vec::operators::vector_operator!(
            $vector, $scalar, Sub, sub, SubAssign, sub_assign, -, $($c),+);
        $crate::vec::operators::vector_operator!(
            $vector, $scalar, Mul, mul, MulAssign, mul_assign, *, $($c),+);
        $crate::vec::operators::vector_operator!(
            $vector, $scalar, Div, div, DivAssign, div_assign, /, $($c),+);

        impl std::ops::Neg for $vector {
            type Output = Self;

            #[inline]
            fn neg(self) -> Self {
                Self { $($c: -self.$c),+ }
            }
        }

        impl std::iter::Sum for $vector {
            /// Adds in the order of the iterator, starting from zero.
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, |sum, vector| sum + vector)
            }
        }

        impl<'a> std::iter::Sum<&'a Self> for $vector {
            /// Adds in the order of the iterator, starting from zero.
            fn sum<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, |sum, vector| sum + *vector)
            }
        }
    };
}

/// One binary operator, component by component.
macro_rules! vector_operator {
    ($vector:ident, $scalar:ident, $trait:ident, $method:ident, $trait_assign:ident,
     $method_assign:ident, $op:tt, $($c:ident),+) => {
        impl std::ops::$trait for $vector {
            type Output = Self;

            #[inline]
            fn $method(self, rhs: Self) -> Self {
                Self { $($c: self.$c $op rhs.$c),+ }
            }
        }

        impl std::ops::$trait<$scalar> for $vector {
            type Output = Self;

            #[inline]
            fn $method(self, rhs: $scalar) -> Self {
                Self { $($c: self.$c $op rhs),+ }
            }
        }

        impl std::ops::$trait<$vector> for $scalar {
            type Output = $vector;

            #[inline]
            fn $method(self, rhs: $vector) -> $vector {
                $vector { $($c: self $op rhs.$c),+ }
            }
        }

        impl std::ops::$trait_assign for $vector {
            #[inline]
            fn $method_assign(&mut self, rhs: Self) {
                *self = *self $op rhs;
            }
        }

        impl std::ops::$trait_assign<$scalar> for $vector {
            #[inline]
            fn $method_assign(&mut self, rhs: $scalar) {
                *self = *self $op rhs;
            }
        }
    };
}

pub(crate) use {vector_operator, vector_operators};
