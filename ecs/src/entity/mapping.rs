//! Finding the handles inside values, so that they can be exchanged when entities move to another
//! world.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::Entity;

/// A value whose handles can be exchanged for others.
///
/// `#[derive(Component)]` and `#[derive(Resource)]` go through every field; types that stand inside
/// them get this by `#[derive(StateHash)]`, together with their hash. Write it by hand only where
/// `StateHash` is written by hand.
///
/// ```
/// use orrery_ecs::{Entity, MapEntities, StateHash};
/// #[derive(Clone, PartialEq, Debug, StateHash)]
/// struct Squad {
///     leader: Option<Entity>,
///     members: Vec<Entity>,
///     morale: f32,
/// }
/// let [a, b] = [1_u64 << 32, 1 << 32 | 7].map(|bits| Entity::from_bits(bits).expect("valid"));
/// let mut squad = Squad { leader: Some(a), members: vec![a, b], morale: 1.0 };
/// squad.map_entities(&mut |entity| if entity == a { b } else { a });
/// assert_eq!(squad, Squad { leader: Some(b), members: vec![b, a], morale: 1.0 });
/// ```
#[diagnostic::on_unimplemented(
    message = "it is not known where `{Self}` holds handles of entities",
    label = "has no `MapEntities`",
    note = "derive `StateHash` for it, which brings `MapEntities`"
)]
pub trait MapEntities {
    /// Whether there can be any.
    const MAPS: bool;

    /// Exchanges every handle for the one that the function gives for it.
    fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity);
}

/// Which handle each entity of a world that was merged has now.
///
/// ```
/// use orrery_ecs::{Entity, World};
/// let (mut world, mut level) = (World::new(), World::new());
/// world.spawn(());
/// let old = level.spawn(()).id();
/// let map = world.merge(level)?;
/// assert!(map.get(old).is_some_and(|new| world.contains(new)));
/// assert_eq!((map.len(), map.map(Entity::NONE)), (1, Entity::NONE));
/// # Ok::<(), orrery_ecs::MergeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct EntityMap(FxHashMap<Entity, Entity>);

impl EntityMap {
    pub(crate) fn insert(&mut self, old: Entity, new: Entity) {
        self.0.insert(old, new);
    }

    /// The new handle of an entity; `None` if it did not live in the other world.
    pub fn get(&self, old: Entity) -> Option<Entity> {
        self.0.get(&old).copied()
    }

    /// The new handle of an entity, or [`Entity::NONE`].
    pub fn map(&self, old: Entity) -> Entity {
        self.get(old).unwrap_or(Entity::NONE)
    }

    /// Entities that were merged.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none were merged.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl MapEntities for Entity {
    const MAPS: bool = true;

    #[inline]
    fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
        *self = map(*self);
    }
}

macro_rules! without {
    ($($name:ty)*) => {$(
        impl MapEntities for $name {
            const MAPS: bool = false;

            fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
        }
    )*};
}

without! {
    () u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char str String Duration
}

impl<T> MapEntities for PhantomData<T> {
    const MAPS: bool = false;

    fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
}

/// What is behind a `&'static` lives longer than any world, so it holds no handle of one.
impl<T: ?Sized> MapEntities for &'static T {
    const MAPS: bool = false;

    fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
}

macro_rules! containers {
    ($($(#[$doc:meta])* [$($bound:tt)*] $name:ty;)*) => {$(
        $(#[$doc])*
        impl<T: MapEntities, $($bound)*> MapEntities for $name {
            const MAPS: bool = T::MAPS;

            fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
                if T::MAPS {
                    self.iter_mut().for_each(|value| value.map_entities(map));
                }
            }
        }
    )*};
}

containers! {
    [const N: usize] [T; N];
    [] [T];
    [] Vec<T>;
    [] VecDeque<T>;
    [] Option<T>;
}

impl<T: MapEntities + ?Sized> MapEntities for Box<T> {
    const MAPS: bool = T::MAPS;

    fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
        (**self).map_entities(map);
    }
}

/// A shared value with handles is cloned first.
impl<T: MapEntities + Clone> MapEntities for Arc<T> {
    const MAPS: bool = T::MAPS;

    fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
        if T::MAPS {
            Self::make_mut(self).map_entities(map);
        }
    }
}

impl MapEntities for Arc<str> {
    const MAPS: bool = false;

    fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
}

impl<K: MapEntities + Ord, V: MapEntities> MapEntities for BTreeMap<K, V> {
    const MAPS: bool = K::MAPS || V::MAPS;

    fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
        if Self::MAPS {
            let old = std::mem::take(self).into_iter();
            self.extend(old.map(|(mut key, mut value)| {
                key.map_entities(map);
                value.map_entities(map);
                (key, value)
            }));
        }
    }
}

impl<T: MapEntities + Ord> MapEntities for BTreeSet<T> {
    const MAPS: bool = T::MAPS;

    fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
        if T::MAPS {
            let old = std::mem::take(self).into_iter();
            self.extend(old.map(|mut value| {
                value.map_entities(map);
                value
            }));
        }
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: MapEntities),*> MapEntities for ($($name,)*) {
            const MAPS: bool = $($name::MAPS)||*;

            #[allow(non_snake_case, reason = "the type's own name stands for its value")]
            fn map_entities(&mut self, map: &mut dyn FnMut(Entity) -> Entity) {
                let ($($name,)*) = self;
                $($name.map_entities(map);)*
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

/// How the derive macros map a field without knowing its type: by [`MapEntities`] if it has that,
/// else it holds no handles. The choice is made by method resolution, as for hashes.
#[doc(hidden)]
pub mod map_probe {
    use std::marker::PhantomData;

    use super::{Entity, MapEntities};

    /// A field type.
    pub struct Field<T>(pub PhantomData<T>);

    /// How the handles of a field of type `T` are exchanged.
    pub struct FieldMap<T> {
        pub maps: bool,
        pub map: fn(&mut T, &mut dyn FnMut(Entity) -> Entity),
    }

    pub trait ByMapEntities<T> {
        fn describe(&self) -> FieldMap<T>;
    }

    impl<T: MapEntities> ByMapEntities<T> for &Field<T> {
        fn describe(&self) -> FieldMap<T> {
            FieldMap {
                maps: T::MAPS,
                map: T::map_entities,
            }
        }
    }

    pub trait WithoutEntities<T> {
        fn describe(&self) -> FieldMap<T>;
    }

    impl<T> WithoutEntities<T> for Field<T> {
        fn describe(&self) -> FieldMap<T> {
            FieldMap {
                maps: false,
                map: |_, _| (),
            }
        }
    }
}
