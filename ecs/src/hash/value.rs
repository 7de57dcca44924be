//! How single values enter the state hash.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::time::Duration;

use super::{Lane, PlainLane, StateHasher};
use crate::entity::{Entity, MapEntities};

/// A value that can be part of the state.
///
/// `#[derive(Component)]` and `#[derive(Resource)]` hash field by field; derive this for types
/// that stand inside them. Fields that give a `&[f32; N]` or `&[f64; N]` by `AsRef`, as vectors
/// of maths libraries do, need nothing. There is no implementation for hash maps and sets: their
/// order is not part of their value. The derive writes [`MapEntities`] as well.
///
/// ```
/// use orrery_ecs::{Component, StateHash};
/// #[derive(Clone, Copy, StateHash)]
/// enum Mood {
///     Calm,
///     Angry { since: u64 },
/// }
/// #[derive(Clone, Component)]
/// struct Animal {
///     mood: Mood,
///     name: String,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot enter the state hash",
    label = "has no `StateHash`",
    note = "derive `StateHash` for it; take a BTreeMap for a HashMap, whose order is no state; or \
            leave the whole type out by `#[component(not_state)]` or `#[resource(not_state)]`"
)]
pub trait StateHash: MapEntities {
    /// What the value is made of, if it is plain lanes of one kind without padding. Leave it out;
    /// only what reads memory can promise it.
    const LANE: Option<PlainLane<Self>> = None;

    /// Adds the value to a hash.
    fn hash_state(&self, hasher: &mut StateHasher);
}

macro_rules! plain {
    ($lane:expr; $($name:ident)*) => {$(
        impl StateHash for $name {
            const LANE: Option<PlainLane<Self>> = Some(PlainLane::new($lane));

            #[inline]
            fn hash_state(&self, hasher: &mut StateHasher) {
                hasher.$name(*self);
            }
        }
    )*};
}

plain!(Lane::Bytes; u8 u16 u32 u64 u128);
plain!(Lane::F32; f32);
plain!(Lane::F64; f64);

macro_rules! converted {
    ($($from:ty => $name:ident, $convert:expr;)*) => {$(
        impl StateHash for $from {
            // A number, or a pair of numbers without padding.
            const LANE: Option<PlainLane<Self>> = Some(PlainLane::new(Lane::Bytes));

            #[inline]
            fn hash_state(&self, hasher: &mut StateHasher) {
                let convert: fn($from) -> $name = $convert;
                hasher.$name(convert(*self));
            }
        }
    )*};
}

converted! {
    i8 => u8, i8::cast_unsigned;
    i16 => u16, i16::cast_unsigned;
    i32 => u32, i32::cast_unsigned;
    i64 => u64, i64::cast_unsigned;
    i128 => u128, i128::cast_unsigned;
    isize => u64, |value| value as u64;
    usize => u64, |value| value as u64;
    bool => u8, u8::from;
    char => u32, u32::from;
    Entity => u64, Entity::to_bits;
}

impl StateHash for () {
    fn hash_state(&self, _: &mut StateHasher) {}
}

impl<T> StateHash for PhantomData<T> {
    fn hash_state(&self, _: &mut StateHasher) {}
}

impl StateHash for str {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.bytes(self.as_bytes());
    }
}

impl StateHash for String {
    fn hash_state(&self, hasher: &mut StateHasher) {
        self.as_str().hash_state(hasher);
    }
}

impl StateHash for Duration {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u128(self.as_nanos());
    }
}

impl<T: StateHash, const N: usize> StateHash for [T; N] {
    const LANE: Option<PlainLane<Self>> = match T::LANE {
        // An array is its elements without padding.
        Some(plain) => Some(PlainLane::new(plain.lane())),
        None => None,
    };

    fn hash_state(&self, hasher: &mut StateHasher) {
        for value in self {
            value.hash_state(hasher);
        }
    }
}

impl<T: StateHash> StateHash for [T] {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.len(self.len());
        for value in self {
            value.hash_state(hasher);
        }
    }
}

impl<T: StateHash> StateHash for Vec<T> {
    fn hash_state(&self, hasher: &mut StateHasher) {
        self.as_slice().hash_state(hasher);
    }
}

impl<T: StateHash> StateHash for std::collections::VecDeque<T> {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.len(self.len());
        for value in self {
            value.hash_state(hasher);
        }
    }
}

impl<T: StateHash + ?Sized> StateHash for &'static T {
    fn hash_state(&self, hasher: &mut StateHasher) {
        (**self).hash_state(hasher);
    }
}

impl<T: StateHash + ?Sized> StateHash for Box<T> {
    fn hash_state(&self, hasher: &mut StateHasher) {
        (**self).hash_state(hasher);
    }
}

impl<T: StateHash + ?Sized> StateHash for std::sync::Arc<T>
where
    Self: MapEntities,
{
    fn hash_state(&self, hasher: &mut StateHasher) {
        (**self).hash_state(hasher);
    }
}

impl<T: StateHash> StateHash for Option<T> {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u8(u8::from(self.is_some()));
        if let Some(value) = self {
            value.hash_state(hasher);
        }
    }
}

impl<K: StateHash + Ord, V: StateHash> StateHash for BTreeMap<K, V> {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.len(self.len());
        for (key, value) in self {
            key.hash_state(hasher);
            value.hash_state(hasher);
        }
    }
}

impl<T: StateHash + Ord> StateHash for BTreeSet<T> {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.len(self.len());
        for value in self {
            value.hash_state(hasher);
        }
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: StateHash),*> StateHash for ($($name,)*) {
            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            fn hash_state(&self, hasher: &mut StateHasher) {
                let ($($name,)*) = self;
                $($name.hash_state(hasher);)*
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

/// How the derive macros hash a field without knowing its type: the first of these that fits.
///
/// A field is hashed by `StateHash` if it has it, else as the `[f32; N]` or `[f64; N]` that
/// `AsRef` gives. Where the type is `NoUninit` too, whole columns are read as lanes; `AsRef` alone
/// does not tell what the bytes of a value are. The choice is made by method resolution, which
/// tries fewer references last; the caller takes one reference more than the first trait has.
#[doc(hidden)]
pub mod probe {
    use std::marker::PhantomData;

    use bytemuck::NoUninit;

    use super::{Lane, PlainLane, StateHash, StateHasher};

    /// A field type with the number of `f32` and of `f64` that would fill it.
    pub struct Field<T, const F32: usize, const F64: usize>(pub PhantomData<T>);

    impl<T, const F32: usize, const F64: usize> Clone for Field<T, F32, F64> {
        fn clone(&self) -> Self {
            *self
        }
    }

    impl<T, const F32: usize, const F64: usize> Copy for Field<T, F32, F64> {}

    /// How a field of type `T` is hashed.
    pub struct FieldHash<T> {
        pub lane: Option<Lane>,
        pub hash: fn(&T, &mut StateHasher),
    }

    /// The lane of a type, with the promise checked off.
    pub fn lane_of<T: StateHash>() -> Option<Lane> {
        T::LANE.as_ref().map(PlainLane::lane)
    }

    pub trait ByStateHash<T> {
        fn describe(&self) -> FieldHash<T>;
    }

    impl<T, const F32: usize, const F64: usize> ByStateHash<T> for &&&&Field<T, F32, F64>
    where
        T: StateHash,
    {
        #[inline]
        fn describe(&self) -> FieldHash<T> {
            FieldHash {
                lane: lane_of::<T>(),
                hash: T::hash_state,
            }
        }
    }

    pub trait ByPlainF32<T> {
        fn describe(&self) -> FieldHash<T>;
    }

    impl<T, const F32: usize, const F64: usize> ByPlainF32<T> for &&&Field<T, F32, F64>
    where
        T: AsRef<[f32; F32]> + NoUninit,
    {
        #[inline]
        fn describe(&self) -> FieldHash<T> {
            FieldHash {
                lane: filled::<T, f32>(F32, Lane::F32),
                hash: |value, hasher| value.as_ref().hash_state(hasher),
            }
        }
    }

    pub trait ByPlainF64<T> {
        fn describe(&self) -> FieldHash<T>;
    }

    impl<T, const F32: usize, const F64: usize> ByPlainF64<T> for &&Field<T, F32, F64>
    where
        T: AsRef<[f64; F64]> + NoUninit,
    {
        #[inline]
        fn describe(&self) -> FieldHash<T> {
            FieldHash {
                lane: filled::<T, f64>(F64, Lane::F64),
                hash: |value, hasher| value.as_ref().hash_state(hasher),
            }
        }
    }

    pub trait ByF32<T> {
        fn describe(&self) -> FieldHash<T>;
    }

    impl<T, const F32: usize, const F64: usize> ByF32<T> for &Field<T, F32, F64>
    where
        T: AsRef<[f32; F32]>,
    {
        #[inline]
        fn describe(&self) -> FieldHash<T> {
            FieldHash {
                lane: None,
                hash: |value, hasher| value.as_ref().hash_state(hasher),
            }
        }
    }

    pub trait ByF64<T> {
        fn describe(&self) -> FieldHash<T>;
    }

    impl<T, const F32: usize, const F64: usize> ByF64<T> for Field<T, F32, F64>
    where
        T: AsRef<[f64; F64]>,
    {
        #[inline]
        fn describe(&self) -> FieldHash<T> {
            FieldHash {
                lane: None,
                hash: |value, hasher| value.as_ref().hash_state(hasher),
            }
        }
    }

    /// Takes what is left, so that the error speaks of `StateHash` and not of these traits.
    pub trait ByNothing<T> {
        fn describe(self) -> FieldHash<T>
        where
            T: StateHash;
    }

    impl<T, const F32: usize, const F64: usize> ByNothing<T> for Field<T, F32, F64> {
        fn describe(self) -> FieldHash<T>
        where
            T: StateHash,
        {
            FieldHash {
                lane: None,
                hash: T::hash_state,
            }
        }
    }

    /// The lane, if `count` of them are just as large as a `T` and need no more alignment.
    fn filled<T: NoUninit, L>(count: usize, lane: Lane) -> Option<Lane> {
        let fits = count * size_of::<L>() == size_of::<T>() && align_of::<T>() >= align_of::<L>();
        fits.then_some(lane)
    }
}
