//! Who conflicts with whom, all terms with all terms, against a plain model; and queries of a
//! component that decides row by row, as those in sparse sets do.
//!
//! The model knows nothing of alternatives: it tries every archetype of three components.

use super::*;
use crate::entity::Entity;
use crate::world::World;
use crate::{ByBlock, ByRow, Component, Mut, Ref, Tracking};

#[derive(Clone, Copy, Component)]
#[component(track)]
struct A;
#[derive(Clone, Copy, Component)]
#[component(track)]
struct B;
#[derive(Clone, Copy, Component)]
#[component(track)]
struct C;

/// Sets of components as bits: A 1, B 2, C 4, all others 8.
type Set = u8;

/// What whole entities are made of.
const ALL: Set = 15;

/// A query, and what is true of it.
struct Term {
    text: &'static str,
    access: FilteredAccess,
    reads: Set,
    writes: Set,
    matches: fn(Set) -> bool,
}

fn term<D: QueryData, F: QueryFilter>(
    world: &mut World,
    text: &'static str,
    (reads, writes): (Set, Set),
    matches: fn(Set) -> bool,
) -> Term {
    let state = QueryState::<D, F>::new(world).expect("it has no conflict of its own");
    Term {
        text,
        access: state.access().clone(),
        reads,
        writes,
        matches,
    }
}

macro_rules! terms {
    ($world:ident: $($data:ty, $filter:ty => ($reads:expr, $writes:expr), $matches:expr;)*) => {
        vec![$(term::<$data, $filter>(
            $world,
            stringify!($data, $filter),
            ($reads, $writes),
            $matches,
        )),*]
    };
}

fn all_terms(world: &mut World) -> Vec<Term> {
    terms! { world:
        &A, () => (1, 0), |s| s & 1 != 0;
        &mut A, () => (0, 1), |s| s & 1 != 0;
        &mut B, () => (0, 2), |s| s & 2 != 0;
        Ref<A>, () => (1, 0), |s| s & 1 != 0;
        Mut<A>, () => (0, 1), |s| s & 1 != 0;
        Option<&A>, () => (1, 0), |_| true;
        Option<&mut A>, () => (0, 1), |_| true;
        (Option<&mut A>, &B), () => (2, 1), |s| s & 2 != 0;
        Has<A>, () => (0, 0), |_| true;
        (Has<B>, &mut A), () => (0, 1), |s| s & 1 != 0;
        Entity, () => (0, 0), |_| true;
        AnyOf<(&A, &B)>, () => (3, 0), |s| s & 3 != 0;
        AnyOf<(&mut A, &B)>, () => (2, 1), |s| s & 3 != 0;
        AnyOf<(&mut A, (&mut B, &C))>, () => (4, 3), |s| s & 1 != 0 || s & 6 == 6;
        AnyOf<(Option<&mut A>, &B)>, () => (2, 1), |_| true;
        Option<AnyOf<(&mut A, &B)>>, () => (2, 1), |_| true;
        &mut A, With<B> => (0, 1), |s| s & 3 == 3;
        &mut A, Without<B> => (0, 1), |s| s & 3 == 1;
        &mut C, (Without<A>, Without<B>) => (0, 4), |s| s & 7 == 4;
        &mut A, Or<(With<B>, With<C>)> => (0, 1), |s| s & 1 != 0 && s & 6 != 0;
        &mut A, Or<(Without<B>, Without<C>)> => (0, 1), |s| s & 1 != 0 && s & 6 != 6;
        &mut A, (Without<B>, Without<C>) => (0, 1), |s| s & 7 == 1;
        &mut A, Or<(With<B>, Without<B>)> => (0, 1), |s| s & 1 != 0;
        &mut A, Or<((With<B>, With<C>), (With<B>, Without<C>))> => (0, 1), |s| s & 3 == 3;
        &mut A, Or<(Or<(With<B>,)>, (Without<C>, With<B>))> => (0, 1), |s| s & 3 == 3;
        &mut A, (Or<(With<B>, With<C>)>, Or<(Without<B>, Without<C>)>) => (0, 1),
            |s| s & 1 != 0 && (s & 6 == 2 || s & 6 == 4);
        &mut B, (With<A>, Without<A>) => (0, 2), |_| false;
        &A, Changed<B> => (3, 0), |s| s & 3 == 3;
        &mut A, Added<A> => (1, 1), |s| s & 1 != 0;
        Entity, Changed<A> => (1, 0), |s| s & 1 != 0;
        &mut C, Or<(Changed<A>, Without<B>)> => (1, 4),
            |s| s & 4 != 0 && (s & 1 != 0 || s & 2 == 0);
        (), With<C> => (0, 0), |s| s & 4 != 0;
        EntityRef, () => (ALL, 0), |_| true;
        EntityMut, () => (0, ALL), |_| true;
        EntityMut, With<B> => (0, ALL), |s| s & 2 != 0;
        EntityMut, (Without<A>, Without<C>) => (0, ALL), |s| s & 5 == 0;
        Option<EntityMut>, () => (0, ALL), |_| true;
        (EntityRef, &A), Without<B> => (ALL, 0), |s| s & 3 == 1;
        EntityRef, Changed<A> => (ALL, 0), |s| s & 1 != 0;
        EntityMut, Added<C> => (4, ALL), |s| s & 4 != 0;
    }
}

#[test]
fn two_queries_conflict_just_where_an_archetype_has_both_and_one_writes() {
    let world = &mut World::new();
    let terms = all_terms(world);
    let (mut conflicts, mut apart) = (0, 0);
    for one in &terms {
        for other in &terms {
            let touches = |term: &Term| term.reads | term.writes;
            let common = one.writes & touches(other) | other.writes & touches(one);
            let meet = (0..8).any(|set| (one.matches)(set) && (other.matches)(set));
            let found = one.access.conflict(&other.access);
            assert_eq!(
                found.is_some(),
                common != 0 && meet,
                "{} beside {}",
                one.text,
                other.text
            );
            assert!(found.is_none_or(|touched| match touched {
                Touched::One(id) => common & 1 << id.index() != 0,
                Touched::All => common == ALL,
            }));
            conflicts += usize::from(found.is_some());
            apart += usize::from(common != 0 && found.is_none());
        }
    }
    assert!(
        conflicts > 600 && apart > 40,
        "{conflicts} conflicts, {apart} apart"
    );
}

macro_rules! pairs {
    ($world:ident: $($name:ident = $data:ty, $reads:expr, $writes:expr;)*) => {
        $(type $name = $data;)*
        let all = [$((stringify!($data), $reads, $writes)),*];
        let mut number = 0;
        pairs!(@rows $world all number [$($name)*] [$($name)*]);
        assert_eq!(number, all.len() * all.len());
    };
    (@rows $world:ident $all:ident $number:ident [$($one:ident)*] $names:tt) => {
        $(pairs!(@row $world $all $number $one $names);)*
    };
    (@row $world:ident $all:ident $number:ident $one:ident [$($other:ident)*]) => {$(
        let (one, other) = ($all[$number / $all.len()], $all[$number % $all.len()]);
        $number += 1;
        let common: Set = one.2 & (other.1 | other.2) | other.2 & (one.1 | one.2);
        let refused = [
            $world.try_query::<($one, $other), ()>().is_err(),
            $world.try_query::<AnyOf<($one, $other)>, ()>().is_err(),
            $world.try_query::<(Option<$one>, ((), ($other,))), Without<A>>().is_err(),
        ];
        assert_eq!(refused, [common != 0; 3], "{} and {}", one.0, other.0);
    )*};
}

#[test]
fn a_query_that_asks_twice_for_what_it_writes_is_refused_however_it_is_put_together() {
    let world = &mut World::new();
    pairs! { world:
        ReadA = &'static A, 1, 0;
        WriteA = &'static mut A, 0, 1;
        ReadB = &'static B, 2, 0;
        WriteB = &'static mut B, 0, 2;
        RefA = Ref<'static, A>, 1, 0;
        MutA = Mut<'static, A>, 0, 1;
        MaybeA = Option<&'static A>, 1, 0;
        MaybeMutA = Option<&'static mut A>, 0, 1;
        AnyAB = AnyOf<(&'static A, &'static B)>, 3, 0;
        AnyMutAB = AnyOf<(&'static mut A, &'static B)>, 2, 1;
        HasA = Has<A>, 0, 0;
        Handle = Entity, 0, 0;
        Shared = EntityRef<'static>, ALL, 0;
        Whole = EntityMut<'static>, 0, ALL;
        AnyShared = AnyOf<(EntityRef<'static>, &'static B)>, ALL, 0;
    }
    assert!(world.try_query::<AnyOf<(&mut A, &mut A)>, ()>().is_err());
    assert!(
        world
            .try_query::<AnyOf<(&B, &mut A, Option<&A>)>, ()>()
            .is_err()
    );
    assert!(world.try_query::<&mut A, (Changed<A>, Added<A>)>().is_ok());
}

/// A sparse component; the second one's rows carry ticks.
#[derive(Clone, Component)]
#[component(sparse)]
struct Untracked(u32);

#[derive(Clone, Component)]
#[component(sparse, track)]
struct Tracked(u32);

fn by_row<D: QueryData, F: QueryFilter>() -> bool {
    D::BY_ROW || F::BY_ROW
}

#[test]
fn a_component_that_is_asked_row_by_row_can_be_queried_in_every_way() {
    const { assert!(<ByRow as Tracking>::ROWS && !<ByBlock as Tracking>::ROWS) };
    let mut world = World::new();
    let rare = world.spawn((A, Untracked(1), Tracked(10))).id();
    let plain = world.spawn(A).id();
    let mut all = world.query::<(Entity, Option<&Untracked>, Has<Tracked>)>();
    let found: Vec<_> = all
        .iter(&world)
        .map(|(e, r, h)| (e, r.map(|r| r.0), h))
        .collect();
    assert_eq!(found, [(rare, Some(1), true), (plain, None, false)]);
    let mut some = world.query_filtered::<&mut Tracked, (With<Untracked>, Changed<Tracked>)>();
    assert_eq!(some.iter_mut(&mut world).size_hint(), (0, Some(2)));
    some.iter_mut(&mut world).for_each(|mut rare| rare.0 += 1);
    assert_eq!(some.view(&world).single_inner().map(|rare| rare.0), Ok(11));
    assert_eq!(some.view(&world).count(), 1);
    let mut without = world.query_filtered::<Entity, (With<A>, Without<Untracked>)>();
    assert_eq!(without.view(&world).single_inner(), Ok(plain));
    let mut either = world.query::<AnyOf<(&Untracked, &Tracked)>>();
    assert!(either.view(&world).contains(rare) && !either.view(&world).contains(plain));
    assert!(by_row::<&Untracked, ()>() && by_row::<(Entity, (&A, &mut Tracked)), ()>());
    assert!(by_row::<AnyOf<(&A, &Untracked)>, ()>() && by_row::<&A, Without<Untracked>>());
    assert!(!by_row::<
        (Option<&Untracked>, Has<Tracked>),
        Or<(With<A>, Without<B>)>,
    >());
}
