//! What matches: `Or`, `AnyOf`, `Has`, nested tuples, long ones; against a plain set of numbers.

use std::collections::BTreeSet;

use orrery_ecs::{AnyOf, Entity, Has, Or, With, Without, World};

use super::{Tag, found};
use crate::support::{Num, Pos};

type T<const N: usize> = Tag<N>;

/// One entity for every set of the first four tags, which it names.
fn world_of_sets() -> World {
    let mut world = World::new();
    for set in 0..16_u32 {
        let mut entity = world.spawn(Num(set));
        if set & 1 != 0 {
            entity.insert(Tag::<0>(set));
        }
        if set & 2 != 0 {
            entity.insert(Tag::<1>(set));
        }
        if set & 4 != 0 {
            entity.insert(Tag::<2>(set));
        }
        if set & 8 != 0 {
            entity.insert(Tag::<3>(set));
        }
    }
    world
}

macro_rules! filter {
    ($filter:ty, $expected:expr) => {{
        let mut world = world_of_sets();
        let mut query = world.query_filtered::<&Num, $filter>();
        let found: BTreeSet<u32> = query.iter(&world).map(|num| num.0).collect();
        let expected: fn(u32) -> bool = $expected;
        let expected: BTreeSet<u32> = (0..16).filter(|&set| expected(set)).collect();
        assert_eq!(found, expected, "{}", stringify!($filter));
        assert_eq!(query.view(&world).len(), expected.len());
        assert_eq!(query.iter(&world).len(), expected.len());
    }};
}

#[test]
fn filters_of_any_depth_match_the_sets_that_they_describe() {
    filter!((), |_| true);
    filter!(Or<(With<T<0>>,)>, |s| s & 1 != 0);
    filter!(Or<(With<T<0>>, With<T<1>>)>, |s| s & 3 != 0);
    filter!(Or<(Without<T<0>>, Without<T<1>>)>, |s| s & 3 != 3);
    filter!((Or<(With<T<0>>, With<T<1>>)>, Without<T<2>>), |s| s & 3
        != 0
        && s & 4 == 0);
    filter!(
        Or<((With<T<0>>, With<T<1>>), (With<T<2>>, With<T<3>>))>,
        |s| s & 3 == 3 || s & 12 == 12
    );
    filter!(
        (
            Or<(With<T<0>>, Or<(With<T<1>>, Without<T<2>>)>)>,
            (((With<T<3>>,),),)
        ),
        |s| s & 8 != 0 && (s & 3 != 0 || s & 4 == 0)
    );
    filter!(
        (Or<(With<T<0>>, With<T<1>>)>, Or<(With<T<2>>, With<T<3>>)>),
        |s| s & 3 != 0 && s & 12 != 0
    );
    filter!((With<T<0>>, Without<T<0>>), |_| false);
}

#[test]
fn any_of_gives_what_there_is_and_leaves_out_who_has_nothing() {
    let mut world = world_of_sets();
    let mut query = world.query::<(&Num, AnyOf<(&T<0>, &mut T<1>, (&T<2>, Has<T<3>>))>)>();
    let mut seen = 0;
    for (num, (zero, one, two)) in query.iter_mut(&mut world) {
        let has = |bit: u32| num.0 >> bit & 1 == 1;
        assert!(num.0 & 7 != 0);
        assert_eq!(
            (zero.is_some(), one.is_some(), two.is_some()),
            (has(0), has(1), has(2))
        );
        assert!(two.is_none_or(|(two, three)| two.0 == num.0 && three == has(3)));
        if let Some(one) = one {
            one.0 += 100;
        }
        seen += 1;
    }
    assert_eq!((seen, query.view(&world).len()), (14, 14));
    let mut ones = world.query::<(&Num, &T<1>)>();
    assert!(ones.iter(&world).all(|(num, one)| one.0 == num.0 + 100));
}

#[test]
fn has_and_option_limit_nothing() {
    let mut world = world_of_sets();
    let mut query = world.query::<(&Num, Has<T<0>>, Option<&T<1>>, Option<(&T<2>, &T<3>)>)>();
    assert_eq!(query.view(&world).len(), 16);
    for (num, zero, one, both) in query.iter(&world) {
        assert_eq!(zero, num.0 & 1 != 0);
        assert_eq!(one.map(|one| one.0), (num.0 & 2 != 0).then_some(num.0));
        assert_eq!(both.is_some(), num.0 & 12 == 12);
    }
    let mut chunks = world.query::<(Has<T<0>>, Option<&mut T<0>>, AnyOf<(&T<1>, Entity)>)>();
    chunks
        .view_mut(&mut world)
        .for_each_chunk(|(has, zero, (one, handles))| {
            let len = handles.expect("all have one").len();
            assert_eq!(
                (has, zero.is_some_and(|zero| zero.len() == len)),
                (has, has)
            );
            assert!(one.is_none_or(|one| one.len() == len));
        });
}

#[test]
fn tuples_hold_sixteen_and_nest() {
    let mut world = World::new();
    let (a, b) = (
        (Num(1), Tag::<0>(0), Tag::<1>(1)),
        (Tag::<2>(2), Tag::<3>(3), Tag::<4>(4)),
    );
    let entity = world.spawn(a).id();
    world.insert(entity, b).expect("it lives");
    #[rustfmt::skip]
    type Sixteen = (
        Entity, &'static Num, &'static T<0>, &'static T<1>, &'static T<2>, &'static T<3>,
        &'static mut T<4>, Has<T<5>>, Option<&'static T<6>>, Option<&'static Pos>, Has<Num>,
        Entity, &'static T<0>, (), (&'static T<1>, ((Entity, &'static T<2>),)), Has<T<7>>,
    );
    #[rustfmt::skip]
    type Filter = (
        With<Num>, With<T<0>>, With<T<1>>, With<T<2>>, With<T<3>>, With<T<4>>, Without<T<5>>,
        Without<T<6>>, Without<T<7>>, Without<T<8>>, Without<Pos>, Or<(With<T<0>>, With<T<9>>)>,
        (), ((With<Num>,), With<Num>), Without<T<10>>, Without<T<11>>,
    );
    let mut query = world.query_filtered::<Sixteen, Filter>();
    let row = query
        .view_mut(&mut world)
        .single_inner()
        .expect("one matches");
    row.6.0 = 44;
    assert_eq!(
        (row.0, row.1.0, row.5.0, row.7, row.10),
        (entity, 1, 3, false, true)
    );
    let (tag, ((handle, two),)) = row.14;
    assert_eq!((tag.0, handle, two.0), (1, entity, 2));
    assert_eq!(world.get::<T<4>>(entity), Some(&Tag(44)));
}

#[test]
fn a_cached_query_with_alternatives_sees_archetypes_that_came_later() {
    let mut world = World::new();
    let mut query = world.query_filtered::<Entity, Or<(With<T<0>>, Without<Num>)>>();
    let mut expected = Vec::new();
    for round in 0..3 {
        assert_eq!(found(&mut query, &world), expected, "round {round}");
        match round {
            0 => expected.push(world.spawn((Num(0), Tag::<0>(0))).id()),
            1 => drop(world.spawn((Num(0), Tag::<1>(0)))),
            _ => expected.push(world.spawn(Tag::<2>(0)).id()),
        }
    }
    assert_eq!(found(&mut query, &world), expected);
}
