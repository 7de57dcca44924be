//! Queries: what matches, what is refused, single entities. Sentences 25 to 29, 33 and 36.

use std::collections::{BTreeMap, BTreeSet};

use orrery_ecs::{
    Added, Changed, Entity, Fields, Has, IntoSystem, Or, Query, QueryData, QueryError, QueryFilter,
    Ref, Serial, System, With, Without, World,
};

use crate::queries::{Health, Tag};
use crate::support::{Num, Parts, Pos, Wide, ignore, panic_of, pos};

type T<const N: usize> = Tag<N>;

/// What a row of the world of sentence 25 has; its number tells.
#[derive(Clone, Copy)]
struct Row {
    num: bool,
    tag: bool,
    health: bool,
    added: bool,
    changed: bool,
}

/// Every combination of a number, a tag and a health that is missing, old, written or new; three
/// of each. Gives the tick after which the last two are new.
fn world_of_rows() -> (World, BTreeMap<Entity, Row>, u64) {
    let (mut world, mut rows) = (World::new(), BTreeMap::new());
    let mut give = |world: &mut World, states: std::ops::Range<u32>| {
        for number in (0..48).filter(|number| states.contains(&(number / 12))) {
            let state = number / 12;
            let row = Row {
                num: number & 1 != 0,
                tag: number & 2 != 0,
                health: state > 0,
                added: state == 3,
                changed: state >= 2,
            };
            let mut entity = world.spawn(());
            if row.num {
                entity.insert(Num(number));
            }
            if row.tag {
                entity.insert(Tag::<0>(number));
            }
            if row.health {
                entity.insert(Health(number));
            }
            rows.insert(entity.id(), row);
        }
    };
    give(&mut world, 0..3);
    let tick = world.change_tick();
    world.advance_change_tick();
    give(&mut world, 3..4);
    for (&entity, row) in &rows {
        if row.changed && !row.added {
            world.get_mut::<Health>(entity).expect("it is there").0 += 0;
        }
    }
    (world, rows, tick)
}

fn found_by<D: QueryData, F: QueryFilter>(world: &mut World, tick: u64) -> BTreeSet<Entity> {
    let mut query = world.query_filtered::<(Entity, D), F>();
    query.set_last_run(tick);
    let read: BTreeSet<Entity> = query.iter(world).map(|(entity, _)| entity).collect();
    let written: BTreeSet<Entity> = query.view_mut(world).iter().map(|row| row.0).collect();
    assert_eq!(read, written);
    read
}

macro_rules! agree {
    ($($data:ty, $filter:ty => $expected:expr;)*) => {
        let (mut world, rows, tick) = world_of_rows();
        $(
            let expected: fn(&Row) -> bool = $expected;
            let expected = rows.iter().filter(|(_, row)| expected(row)).map(|(&entity, _)| entity);
            let found = found_by::<$data, $filter>(&mut world, tick);
            assert_eq!(found, expected.collect(), stringify!($data, $filter));
        )*
    };
}

#[test]
fn references_option_with_without_or_changed_and_added_combine_right() {
    agree! {
        (), () => |_| true;
        &Num, () => |r| r.num;
        &mut Num, () => |r| r.num;
        (&Num, &mut T<0>), () => |r| r.num && r.tag;
        (&Num, Option<&mut T<0>>), () => |r| r.num;
        Option<(&Num, &T<0>)>, () => |_| true;
        (Option<&Num>, &T<0>), Without<Num> => |r| r.tag && !r.num;
        (), (With<Num>, Without<T<0>>) => |r| r.num && !r.tag;
        (), Or<(With<Num>, With<T<0>>)> => |r| r.num || r.tag;
        (), Or<(Without<Num>, (With<T<0>>, With<Health>))> => |r| !r.num || r.tag && r.health;
        (), Changed<Health> => |r| r.changed;
        (), Added<Health> => |r| r.added;
        &mut Num, Changed<Health> => |r| r.num && r.changed;
        Option<&Num>, (Changed<Health>, Without<T<0>>) => |r| r.changed && !r.tag;
        (), Or<(Added<Health>, With<T<0>>)> => |r| r.added || r.tag;
        &T<0>, Or<(Without<Num>, Changed<Health>)> => |r| r.tag && (!r.num || r.changed);
        (), (Or<(Added<Health>, Without<Health>)>, With<Num>) =>
            |r| r.num && (r.added || !r.health);
        (), (Changed<Health>, Or<(Added<Health>, With<Num>)>) =>
            |r| r.changed && (r.added || r.num);
        (), (With<Num>, Without<Num>) => |_| false;
    }
}

#[test]
fn what_a_combined_query_gives_belongs_to_its_entity() {
    let (mut world, rows, tick) = world_of_rows();
    type Data = (
        Entity,
        Option<&'static Num>,
        Has<T<0>>,
        Option<Ref<'static, Health>>,
    );
    let mut query = world.query::<(Data, Option<&mut Tag<0>>)>();
    query.set_last_run(tick);
    let mut visited = 0;
    for ((entity, num, has, health), tag) in query.iter_mut(&mut world) {
        let row = rows[&entity];
        assert_eq!(
            (num.is_some(), has, tag.is_some()),
            (row.num, row.tag, row.tag)
        );
        assert_eq!(
            health.as_ref().map(Ref::is_added),
            row.health.then_some(row.added)
        );
        assert_eq!(
            health.as_ref().map(Ref::is_changed),
            row.health.then_some(row.changed)
        );
        let numbers = [
            num.map(|num| num.0),
            tag.map(|tag| tag.0),
            health.map(|health| health.0),
        ];
        let mut numbers = numbers.into_iter().flatten();
        let first = numbers.next();
        assert!(numbers.all(|number| Some(number) == first));
        visited += 1;
    }
    assert_eq!(visited, rows.len());
}

#[test]
fn a_new_archetype_is_seen_by_an_existing_cached_query() {
    let mut world = World::new();
    let mut query = world.query::<&mut Num>();
    assert_eq!(query.view(&world).len(), 0);
    world.spawn(Num(1));
    assert_eq!(query.view(&world).len(), 1);
    world.spawn((Num(2), pos(0.0)));
    query.iter_mut(&mut world).for_each(|num| num.0 += 10);
    let entity = world.spawn((pos(0.0), Wide(1))).id();
    assert_eq!(query.view(&world).len(), 2);
    world.insert(entity, Num(3)).expect("it lives");
    let found: Vec<u32> = query.iter(&world).map(|num| num.0).collect();
    assert_eq!(found, [11, 12, 3]);
}

#[test]
fn writing_a_component_twice_or_beside_a_read_is_refused_at_build_time() {
    let mut world = World::new();
    let refused = [
        world.try_query::<(&mut Num, &mut Num), ()>().err(),
        world.try_query::<(&Num, &mut Num), ()>().err(),
        world.try_query::<(&mut Num, &Num), ()>().err(),
        world.try_query::<(&mut Num, Option<&Num>), ()>().err(),
        world
            .try_query::<(Option<&mut Num>, (&Pos, Option<&mut Num>)), ()>()
            .err(),
        world.try_query::<(&mut Num, &Num), Without<Num>>().err(),
    ];
    for error in refused {
        let error = error.expect("a conflict");
        assert_eq!(error.data, std::any::type_name::<Num>());
    }
    let fields = world
        .try_query::<(Fields<&mut Parts>, Fields<&Parts>), ()>()
        .err();
    assert!(fields.expect("a conflict").to_string().contains("Parts"));
    let message = panic_of(|| drop(world.query::<(&mut Num, &Num)>())).expect("a panic");
    assert!(message.contains("support::Num"), "{message}");
    assert!(world.try_query::<(&Num, &Num, Option<&Num>), ()>().is_ok());
}

#[test]
fn disjoint_filters_allow_two_mutable_queries() {
    let mut world = World::new();
    world.spawn_batch((0..1000).map(Num));
    world.spawn_batch((0..500).map(|i| (Num(i), Tag::<0>(i))));
    let system = |mut a: Query<&mut Num, With<T<0>>>, mut b: Query<&mut Num, Without<T<0>>>| {
        for (a, b) in a.iter_mut().zip(b.iter_mut()) {
            std::mem::swap(a, b);
            a.0 += 10_000;
        }
    };
    let mut system = system.into_system();
    assert_eq!(system.run(&mut world, &Serial), Ok(()));
    let mut tagged = world.query::<(&Num, &Tag<0>)>();
    let mut rows = tagged.iter(&world);
    assert!(rows.all(|(num, tag)| num.0 == 10_000 + tag.0));
    // With a row in common they are refused, as `systems/kinds.rs` shows for more of them.
    let shared = |_: Query<&mut Num, With<T<0>>>, _: Query<&mut Num, Without<T<1>>>| ();
    assert!(shared.into_system().initialize(&mut world).is_err());
}

#[test]
fn get_many_mut_with_the_same_id_twice_is_an_error() {
    let mut world = World::new();
    let rows = world.spawn_batch((0..100).map(|i| (Num(i), Tag::<0>(i))));
    let all: Vec<Entity> = rows.collect();
    world.remove::<Tag<0>>(all[1]).expect("it lives");
    let dead = world.spawn(Tag::<0>(0)).id();
    world.despawn(dead).expect("it lives");
    let mut query = world.query::<&mut Tag<0>>();
    let mut view = query.view_mut(&mut world);
    let got = view
        .get_many([all[7], all[3], all[7]])
        .expect("reading one twice is fine");
    assert_eq!(got.map(|tag| tag.0), [7, 3, 7]);
    let [a, b, c] = view
        .get_many_mut([all[7], all[3], all[98]])
        .expect("they differ");
    std::mem::swap(a, b);
    c.0 = 1;
    assert_eq!(
        view.get_many([all[7], all[3], all[98]]),
        Ok([&Tag(3), &Tag(7), &Tag(1)])
    );
    assert!(view.get_many_mut([]).is_ok());
    let error = view
        .get_many_mut([all[2], all[1], all[3], all[2]])
        .expect_err("one is there twice");
    assert!(
        matches!(error, QueryError::Repeated { entity, .. } if entity == all[2]),
        "{error}"
    );
    assert!(error.to_string().contains(&all[2].to_string()), "{error}");
    let error = view
        .get_many_mut([all[2], all[1], dead])
        .expect_err("the second has none");
    assert!(
        matches!(error, QueryError::NoMatch { entity, .. } if entity == all[1]),
        "{error}"
    );
}

#[test]
fn a_query_used_with_another_world_panics() {
    let mut world = World::new();
    let entity = world.spawn(Num(1)).id();
    let mut query = world.query::<&mut Num>();
    let mut other = World::new();
    let mut fork = world.fork().expect("it can be cloned");
    for strange in [&mut other, &mut fork] {
        let read = panic_of(|| ignore(query.view(strange).len())).expect("a panic");
        let write = panic_of(|| ignore(query.view_mut(strange).len())).expect("a panic");
        assert!(
            read.contains("made for another world") && read.contains("Num"),
            "{read}"
        );
        assert_eq!(read, write);
        let lookup = panic_of(|| ignore(query.view(strange).contains(entity)));
        let iteration = panic_of(|| query.iter_mut(strange).for_each(|num| num.0 += 1));
        assert_eq!([lookup, iteration], [Some(read.clone()), Some(read)]);
    }
    assert!(query.iter(&world).eq([&Num(1)]));
}

#[test]
fn single_is_an_error_on_none_and_on_two() {
    let mut world = World::new();
    let mut query = world.query_filtered::<&mut Num, With<Pos>>();
    let none = query.view(&world).single_inner();
    assert!(matches!(none, Err(QueryError::NoneMatch { query }) if query.contains("Num")));
    let pos = Pos {
        x: 0.0,
        y: 0.0,
        z: 0.0,
    };
    let first = world.spawn((Num(1), pos)).id();
    query
        .view_mut(&mut world)
        .single_inner()
        .expect("there is one")
        .0 = 5;
    assert_eq!(query.view(&world).single(), Ok(&Num(5)));
    let second = world.spawn((Num(2), pos, Tag::<0>(0))).id();
    assert!(matches!(
        query.view_mut(&mut world).single_mut(),
        Err(QueryError::ManyMatch { .. })
    ));
    world.despawn(first).expect("it lives");
    assert_eq!(query.view(&world).single(), Ok(&Num(2)));
    world.despawn(second).expect("it lives");
    assert!(matches!(
        query.view(&world).single(),
        Err(QueryError::NoneMatch { .. })
    ));
}
