//! What the derive macros find out about a type. Each test here failed once: see its comment.

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};
use orrery_ecs::{
    Component, Entity, Fields, MapEntities, Resource, StateHash, StateHasher, World, WorldHash,
};

use crate::support::{Num, Parts};

fn hash_of<C: Component>(component: C) -> WorldHash {
    let mut world = World::new();
    world.spawn(component);
    world.state_hash()
}

/// `Copy` was not found out, so a shared block of a split component was cloned as if whole values
/// lay in it, and all fields but the first were lost.
#[test]
fn a_split_component_keeps_every_field_when_a_fork_writes_or_grows() {
    for count in [3_u32, 15, 16, 17, 100, 4096, 5000] {
        let parts = |i: u32| Parts {
            a: i as f32,
            b: f64::from(i),
            c: i as u16,
        };
        let mut world = World::new();
        let all: Vec<Entity> = world.spawn_batch((0..count).map(parts)).collect();
        let mut fork = world.fork().expect("it can be cloned");
        fork.spawn(parts(count));
        let mut other = world.fork().expect("it can be cloned");
        other.write(all[1], parts(1)).expect("it lives");
        other
            .query::<Fields<&mut Parts>>()
            .iter_mut(&mut other)
            .for_each(|_| ());
        assert_eq!(other.state_hash(), world.state_hash());
        for (number, &entity) in all.iter().enumerate() {
            assert_eq!(fork.read::<Parts>(entity), Some(parts(number as u32)));
            assert_eq!(other.read::<Parts>(entity), Some(parts(number as u32)));
        }
    }
}

/// A `Copy` type is copied as bytes, whatever its `Clone` would do.
#[test]
fn a_copy_component_is_not_cloned_value_by_value() {
    #[derive(Copy, Component)]
    struct Loud(u32);
    #[allow(
        clippy::expl_impl_clone_on_copy,
        reason = "to see whether it is called"
    )]
    #[allow(
        clippy::non_canonical_clone_impl,
        reason = "to see whether it is called"
    )]
    impl Clone for Loud {
        fn clone(&self) -> Self {
            panic!("cloned {}", self.0)
        }
    }
    let mut world = World::new();
    let entity = world.spawn(Loud(1)).id();
    let mut fork = world.fork().expect("it can be cloned");
    fork.get_mut::<Loud>(entity).expect("it lives").0 = 2;
    assert_eq!(world.get::<Loud>(entity).map(|loud| loud.0), Some(1));
}

#[derive(Clone, Copy)]
#[repr(align(256))]
struct Far(u8);

impl MapEntities for Far {
    const MAPS: bool = false;

    fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
}

impl StateHash for Far {
    fn hash_state(&self, hasher: &mut StateHasher) {
        hasher.u8(self.0);
    }
}

#[derive(Clone, Copy, Component)]
#[component(split)]
struct Apart {
    near: u8,
    far: Far,
    maybe: Option<u32>,
}

/// Runs of a split component started at multiples of 64 bytes, whatever a field needs.
#[test]
fn an_over_aligned_field_of_a_split_component_is_aligned() {
    let mut world = World::new();
    for number in 0..40 {
        world.spawn(Apart {
            near: number,
            far: Far(number),
            maybe: None,
        });
        let mut query = world.query::<Fields<&mut Apart>>();
        query.view_mut(&mut world).for_each_chunk(|apart| {
            assert_eq!(apart.far.as_ptr().addr() % 256, 0);
            assert!(
                apart
                    .near
                    .iter()
                    .zip(&*apart.far)
                    .all(|(near, far)| *near == far.0)
            );
        });
    }
}

/// Fields that are no plain lanes were hashed as bytes, padding and unused halves of enums too.
#[test]
fn a_split_component_with_fields_that_are_not_plain_is_hashed_by_value() {
    let apart = |maybe| Apart {
        near: 1,
        far: Far(2),
        maybe,
    };
    assert_ne!(hash_of(apart(None)), hash_of(apart(Some(0))));
    assert_ne!(hash_of(apart(Some(1))), hash_of(apart(Some(0))));
    // The same value with another past: the bytes behind `None` differ.
    let mut world = World::new();
    let entity = world.spawn(apart(Some(u32::MAX))).id();
    world
        .query::<Fields<&mut Apart>>()
        .iter_mut(&mut world)
        .for_each(|apart| {
            *apart.maybe = None;
        });
    assert_eq!(
        world.read::<Apart>(entity).map(|apart| apart.maybe),
        Some(None)
    );
    assert_eq!(world.state_hash(), hash_of(apart(None)));
}

/// `AsRef` was taken as proof that a value's own bytes are those numbers.
#[test]
fn a_field_that_only_refers_to_numbers_is_hashed_through_the_reference() {
    #[derive(Clone, Copy, PartialEq)]
    struct Elsewhere(&'static [f32; 2]);
    impl AsRef<[f32; 2]> for Elsewhere {
        fn as_ref(&self) -> &[f32; 2] {
            self.0
        }
    }
    #[derive(Clone, Copy, Component)]
    struct Holder(Elsewhere);
    static ONE: [f32; 2] = [1.0, 2.0];
    static SAME: [f32; 2] = [1.0, 2.0];
    static OTHER: [f32; 2] = [1.0, 3.0];
    let hash = |numbers| hash_of(Holder(Elsewhere(numbers)));
    assert_eq!(hash(&ONE), hash(&SAME));
    assert_ne!(hash(&ONE), hash(&OTHER));
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Vec3([f32; 3]);

impl AsRef<[f32; 3]> for Vec3 {
    fn as_ref(&self) -> &[f32; 3] {
        &self.0
    }
}

#[test]
fn a_plain_vector_by_as_ref_is_lanes_with_one_nan() {
    #[derive(Clone, Copy, Component)]
    struct Place(Vec3);
    let place = |x: f32| Place(Vec3([x, 1.0, 2.0]));
    let mut world = World::new();
    let id = world.register_component::<Place>();
    assert_eq!(
        world.component_fields(id)[0].lane,
        Some(orrery_ecs::Lane::F32)
    );
    assert_eq!(hash_of(place(f32::NAN)), hash_of(place(-f32::NAN)));
    assert_ne!(hash_of(place(0.0)), hash_of(place(-0.0)));
    assert_ne!(hash_of(place(1.0)), hash_of(place(1.5)));
}

/// A type that has both was hashed by `AsRef`, against what the documentation says.
#[test]
fn a_hash_of_its_own_goes_before_as_ref() {
    #[derive(Clone, Copy, Pod, Zeroable)]
    #[repr(C)]
    struct Angle(f32);
    impl AsRef<[f32; 1]> for Angle {
        fn as_ref(&self) -> &[f32; 1] {
            std::array::from_ref(&self.0)
        }
    }
    impl MapEntities for Angle {
        const MAPS: bool = false;

        fn map_entities(&mut self, _: &mut dyn FnMut(Entity) -> Entity) {}
    }

    impl StateHash for Angle {
        fn hash_state(&self, hasher: &mut StateHasher) {
            hasher.f32(self.0 % 360.0);
        }
    }
    #[derive(Clone, Copy, Component)]
    struct Heading(Angle);
    assert_eq!(
        hash_of(Heading(Angle(10.0))),
        hash_of(Heading(Angle(370.0)))
    );
}

/// Names lacked type parameters, so these hashed alike.
#[test]
fn generic_components_and_resources_hash_by_their_parameters() {
    #[derive(Clone, Copy, StateHash)]
    struct Red;
    #[derive(Clone, Copy, StateHash)]
    struct Blue;
    #[derive(Clone, Copy, Component)]
    struct Marker<T>(PhantomData<T>);
    #[derive(Clone, Resource)]
    struct Count<T>(u32, PhantomData<T>);
    assert_ne!(
        hash_of(Marker::<Red>(PhantomData)),
        hash_of(Marker::<Blue>(PhantomData))
    );
    let with = |red: u32, blue: u32, red_first: bool| {
        let mut world = World::new();
        if red_first {
            world.insert_resource(Count::<Red>(red, PhantomData));
        }
        world.insert_resource(Count::<Blue>(blue, PhantomData));
        if !red_first {
            world.insert_resource(Count::<Red>(red, PhantomData));
        }
        world.state_hash()
    };
    assert_ne!(with(1, 2, true), with(2, 1, true));
    assert_eq!(with(1, 2, true), with(1, 2, false));
}

#[test]
fn components_without_state_leave_no_value_in_the_hash() {
    #[derive(Clone, Component)]
    #[component(not_state)]
    struct Cache(Vec<u32>);
    assert_eq!(hash_of(Cache(vec![1])), hash_of(Cache(vec![2, 3])));
    assert_ne!(hash_of((Cache(Vec::new())).into_num()), hash_of(Num(2)));
    impl Cache {
        fn into_num(self) -> Num {
            Num(self.0.len() as u32)
        }
    }
}
