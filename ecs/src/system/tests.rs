//! The order of parameters decides nothing: every set of them is checked in every order.

use super::access::{SystemAccess, SystemMeta};
use super::{Local, NotState, ParamSet, Single, SystemParam};
use crate::error::AccessConflict;
use crate::{
    Commands, Component, Entity, NonSend, NonSendMut, Query, Res, ResMut, Resource, With, Without,
    World,
};

#[derive(Clone, Copy, Component)]
struct A(#[allow(dead_code, reason = "only its type is asked for")] u32);
#[derive(Clone, Copy, Component)]
struct B(#[allow(dead_code, reason = "only its type is asked for")] u32);
#[derive(Clone, Copy, Component)]
struct Tag;
#[derive(Clone, Resource)]
struct R(#[allow(dead_code, reason = "only its type is asked for")] u32);
struct Window;

/// What one use of the world touches, by hand: the oracle that the engine's sets are held against.
#[derive(Clone, Copy)]
struct Use {
    reads: &'static [&'static str],
    writes: &'static [&'static str],
    /// `Some(true)` with `Tag` only, `Some(false)` without it only.
    tag: Option<bool>,
    whole_world: bool,
}

const fn uses(reads: &'static [&'static str], writes: &'static [&'static str]) -> Use {
    Use {
        reads,
        writes,
        tag: None,
        whole_world: false,
    }
}

const fn tagged(tag: bool, of: Use) -> Use {
    Use {
        tag: Some(tag),
        ..of
    }
}

const WORLD: Use = Use {
    whole_world: true,
    ..uses(&[], &[])
};

impl Use {
    fn excludes(&self, other: &Self) -> bool {
        let apart = |what: &str| {
            let components = what == "A" || what == "B";
            components && matches!((self.tag, other.tag), (Some(a), Some(b)) if a != b)
        };
        let meets = |one: &Self, other: &Self| {
            let touches = |what: &&&str| other.reads.contains(what) || other.writes.contains(what);
            let mut shared = one.writes.iter().filter(touches);
            shared.any(|what| !apart(what)) || (other.whole_world && !one.writes.is_empty())
        };
        meets(self, other) || meets(other, self)
    }
}

type Init = fn(&mut World, &mut SystemMeta) -> Result<(), AccessConflict>;

fn init<P: SystemParam>(world: &mut World, meta: &mut SystemMeta) -> Result<(), AccessConflict> {
    P::init(world, meta).map(drop)
}

/// A parameter, and what its members use. More than one member: used one at a time.
type Param = (&'static str, Init, Vec<Use>);

fn params() -> Vec<Param> {
    macro_rules! param {
        ($param:ty, $($member:expr),+) => {
            (stringify!($param), init::<$param> as Init, vec![$($member),+])
        };
    }
    vec![
        param!(Query<&A>, uses(&["A"], &[])),
        param!(Query<&mut A>, uses(&[], &["A"])),
        param!(Query<(&mut A, &B)>, uses(&["B"], &["A"])),
        param!(Query<(Entity, Option<&mut B>)>, uses(&[], &["B"])),
        param!(Query<&mut A, With<Tag>>, tagged(true, uses(&[], &["A"]))),
        param!(Query<&mut A, Without<Tag>>, tagged(false, uses(&[], &["A"]))),
        param!(Single<&B, With<Tag>>, tagged(true, uses(&["B"], &[]))),
        param!(Option<Single<&mut B>>, uses(&[], &["B"])),
        param!(Query<Entity>, uses(&[], &[])),
        param!(Res<R>, uses(&["R"], &[])),
        param!(Option<ResMut<R>>, uses(&[], &["R"])),
        param!(NonSend<Window>, uses(&["Window"], &[])),
        param!(NonSendMut<Window>, uses(&[], &["Window"])),
        param!(Commands, uses(&[], &[])),
        param!(Local<u32>, uses(&[], &[])),
        param!(Local<NotState<u32>>, uses(&[], &[])),
        param!(&World, WORLD),
        param!((Query<&B>, Res<R>), uses(&["B", "R"], &[])),
        param!(ParamSet<(Query<&mut A>, &World)>, uses(&[], &["A"]), WORLD),
        param!(
            ParamSet<(Query<&mut A>, Query<&A>, ResMut<R>)>,
            uses(&[], &["A"]),
            uses(&["A"], &[]),
            uses(&[], &["R"])
        ),
        param!(
            ParamSet<(ParamSet<(Query<&mut B>, Query<&B>)>, Query<(&B, &mut A)>)>,
            uses(&[], &["B"]),
            uses(&["B"], &["A"])
        ),
    ]
}

fn expected(chosen: &[&Param]) -> bool {
    chosen.iter().enumerate().any(|(index, (_, _, first))| {
        let mut others = chosen[..index].iter().flat_map(|(_, _, second)| second);
        others.any(|second| first.iter().any(|first| first.excludes(second)))
    })
}

fn conflicts(world: &mut World, order: &[&Param]) -> bool {
    let mut meta = SystemMeta::new("system", "test");
    let mut inits = order.iter().map(|(_, init, _)| init);
    inits.any(|init| init(world, &mut meta).is_err())
}

/// Calls `each` with every order of a list (Heap's algorithm).
fn orders<T>(list: &mut [T], count: usize, each: &mut impl FnMut(&[T])) {
    if count <= 1 {
        return each(list);
    }
    for index in 0..count {
        orders(list, count - 1, each);
        let other = if count.is_multiple_of(2) { index } else { 0 };
        list.swap(other, count - 1);
    }
}

/// Calls `each` with every choice of `count` of the parameters, repetitions included.
fn choices<'a>(
    all: &'a [Param],
    chosen: &mut Vec<&'a Param>,
    count: usize,
    each: &mut impl FnMut(&[&'a Param]),
) {
    if count == 0 {
        return each(chosen);
    }
    for (index, param) in all.iter().enumerate() {
        chosen.push(param);
        choices(&all[index..], chosen, count - 1, each);
        chosen.pop();
    }
}

/// A system of another engine handed out two `&mut` to the same data or not, depending on the
/// order of its parameters.
#[test]
fn the_order_of_parameters_never_changes_whether_they_conflict() {
    let (all, mut world) = (params(), World::new());
    let (mut apart, mut excluding) = (0, 0);
    for count in 1..=4 {
        choices(&all, &mut Vec::new(), count, &mut |chosen| {
            let expected = expected(chosen);
            let names: Vec<_> = chosen.iter().map(|(name, ..)| name).collect();
            let mut order = chosen.to_vec();
            orders(&mut order, count, &mut |order| {
                assert_eq!(conflicts(&mut world, order), expected, "{names:?}");
            });
            *(if expected { &mut excluding } else { &mut apart }) += 1;
        });
    }
    assert!(apart > 500 && excluding > 500, "{apart} {excluding}");
}

fn access_of(world: &mut World, param: &Param) -> SystemAccess {
    let mut meta = SystemMeta::new("system", "test");
    param.1(world, &mut meta).expect("no parameter excludes itself");
    meta.into_parts().0
}

#[test]
fn two_systems_exclude_each_other_where_their_parameters_do_and_in_both_directions() {
    let (all, mut world) = (params(), World::new());
    for first in &all {
        for second in &all {
            let between = [first.0, second.0];
            let pair = [first, second].map(|param| access_of(&mut world, param));
            // Between systems, how far the other one has come must not show either.
            let seen = ["Commands", "Local<u32>", "Local<NotState<u32>>"];
            let sees = |a: &Param, b: &Param| {
                seen.contains(&a.0) && b.2.iter().any(|member| member.whole_world)
            };
            let expected = expected(&[first, second]) || sees(first, second) || sees(second, first);
            assert_eq!(pair[0].is_compatible(&pair[1]), !expected, "{between:?}");
            assert_eq!(pair[1].is_compatible(&pair[0]), !expected, "{between:?}");
            let conflict = pair[0].conflict(&pair[1], "systems a and b", &world);
            assert_eq!(conflict.is_some(), expected, "{between:?}");
            assert!(!SystemAccess::exclusive().is_compatible(&pair[0]));
            assert!(!pair[1].is_compatible(&SystemAccess::exclusive()));
        }
    }
}
