//! Orders: given, found, impossible and missing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use orrery_ecs::{Commands, Query, Res, ResMut, Serial, World};

use super::super::{AmbiguityReason, IntoSystems, Schedule, ScheduleError, SystemSet};
use super::{A, B, Log, note, noted, world};
use crate::workers::Workers;

#[derive(Debug)]
enum Phase {
    Early,
    Late,
}

impl SystemSet for Phase {}

/// Counts who is inside, and keeps the most that were there at once.
#[derive(Clone, Default)]
struct Inside(Arc<(AtomicUsize, AtomicUsize)>);

impl Inside {
    fn visit(&self, work: impl FnOnce()) {
        let now = self.0.0.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.1.fetch_max(now, Ordering::SeqCst);
        work();
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }

    fn most(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }
}

#[test]
fn conflicting_systems_never_overlap_and_others_do() {
    let workers = Workers::new(2).expect("two threads can be had");
    let spin = || (0..20_000).for_each(|_| std::hint::spin_loop());
    let (apart, together) = (Inside::default(), Inside::default());
    let mut schedule = Schedule::new("test");
    for _ in 0..4 {
        let inside = apart.clone();
        schedule.add_systems(move |_: ResMut<Log>| inside.visit(spin));
    }
    let mut other = Schedule::new("other");
    let (first, second) = (together.clone(), together.clone());
    other.add_systems(move |_: Query<&mut A>| first.visit(spin));
    other.add_systems(move |_: Query<&mut B>| second.visit(spin));
    let mut world = world();
    for _ in 0..200 {
        schedule
            .run(&mut world, &workers)
            .expect("nothing is missing");
        other.run(&mut world, &workers).expect("nothing is missing");
    }
    assert_eq!(apart.most(), 1);
    assert_eq!(together.most(), 2);
}

#[test]
fn before_after_and_chain_are_kept_and_a_cycle_is_reported_with_names() {
    let mut schedule = Schedule::new("test");
    schedule.add_systems(note::<1>.after(note::<2>));
    schedule.add_systems(
        (note::<3>, (note::<4>, note::<5>), note::<6>)
            .chain()
            .before(note::<2>),
    );
    schedule.add_systems(note::<2>);
    schedule.add_systems(note::<7>.in_set(Phase::Early));
    schedule.configure_set(Phase::Early).before(Phase::Late);
    schedule.configure_set("all").in_set(Phase::Late);
    schedule.add_systems(note::<8>.in_set("all").before(note::<3>));
    assert_eq!(noted(&mut schedule, &mut world()), [7, 8, 3, 4, 5, 6, 2, 1]);

    schedule.add_systems(note::<9>.after(note::<1>).before(note::<4>));
    let error = schedule
        .run(&mut world(), &Serial)
        .expect_err("it goes round");
    let ScheduleError::Cycle { systems, .. } = &error else {
        panic!("{error}");
    };
    let numbers = ["<9>", "<4>", "<2>", "<1>"];
    assert!(
        numbers
            .iter()
            .all(|number| { systems.iter().any(|system| system.contains(&number[1..2])) })
    );
    assert!(error.to_string().contains("note"), "{error}");
    assert_eq!(schedule.remove_systems(note::<9>).len(), 1);
    assert_eq!(noted(&mut schedule, &mut world()), [7, 8, 3, 4, 5, 6, 2, 1]);
}

#[test]
fn without_a_word_the_order_is_that_of_adding() {
    let mut schedule = Schedule::new("test");
    schedule.add_systems((note::<2>, note::<1>));
    schedule.add_systems(note::<3>);
    assert_eq!(noted(&mut schedule, &mut world()), [2, 1, 3]);
}

#[test]
fn a_set_inside_itself_is_an_error_that_names_it() {
    let mut schedule = Schedule::new("test");
    schedule.configure_set("inner").in_set("outer");
    schedule.configure_set("outer").in_set("inner");
    let error = schedule
        .run(&mut world(), &Serial)
        .expect_err("it goes round");
    let text = error.to_string();
    assert!(text.contains("inner") && text.contains("outer"), "{text}");
}

#[test]
fn ambiguous_pairs_are_reported() {
    fn reads(_: Res<Log>) {}
    fn writes(_: ResMut<Log>) {}
    fn moves(_: Query<&mut A>) {}
    fn spawns(mut commands: Commands) {
        commands.spawn(());
    }
    let found = |schedule: &mut Schedule| {
        let found = schedule
            .ambiguities(&mut world())
            .expect("nothing conflicts");
        let short = |name: &'static str| name.rsplit("::").next().unwrap_or(name);
        let pair = |one: &super::super::Ambiguity| (short(one.first), short(one.second));
        found.iter().map(pair).collect::<Vec<_>>()
    };
    let mut schedule = Schedule::new("test");
    schedule.add_systems((reads, writes, moves));
    assert_eq!(found(&mut schedule), [("reads", "writes")]);
    let error = schedule.deny_ambiguities().run(&mut world(), &Serial);
    let text = error.expect_err("it is denied").to_string();
    assert!(text.contains("reads") && text.contains("Log"), "{text}");

    let mut schedule = Schedule::new("test");
    // Over another one, too.
    schedule.add_systems((reads, moves, writes).chain());
    assert_eq!(found(&mut schedule), []);

    let mut schedule = Schedule::new("test");
    schedule.add_systems((reads, writes.ambiguous_with(reads)));
    schedule.add_systems(note::<1>.ambiguous_with_all());
    assert_eq!(found(&mut schedule), []);

    // What a condition reads counts as well.
    let mut schedule = Schedule::new("test");
    let is_empty = |log: Res<Log>| log.0.is_empty();
    schedule.add_systems((moves.run_if(is_empty), writes));
    assert_eq!(found(&mut schedule), [("moves", "writes")]);

    let mut schedule = Schedule::new("test");
    schedule.add_systems((spawns, moves, spawns));
    let reasons: Vec<_> = schedule
        .ambiguities(&mut World::new())
        .expect("nothing conflicts")
        .into_iter()
        .map(|one| one.reason)
        .collect();
    assert_eq!(
        reasons,
        [
            AmbiguityReason::Commands,
            AmbiguityReason::Handles,
            AmbiguityReason::Commands
        ]
    );
}

#[test]
fn orders_that_constraints_permit_are_compared() {
    let mut schedule = Schedule::new("test");
    let add = |mut all: Query<&mut A>| all.for_each(|a| a.0 += 3);
    let double = |mut all: Query<&mut A>| all.for_each(|a| a.0 *= 2);
    let other = |mut all: Query<&mut B>| all.for_each(|b| b.0 += 1);
    schedule.add_systems((add, other, double));
    let mut world = world();
    world.spawn_batch((0..10).map(|n| (A(n), B(n))));
    let error = schedule.compare_orders(&world, &Serial, 20, 3);
    let text = error.expect_err("it matters").to_string();
    assert!(text.contains("after run 1"), "{text}");

    let mut schedule = Schedule::new("test");
    schedule.add_systems(((add, double).chain(), other));
    let hash = schedule.compare_orders(&world, &Serial, 20, 3);
    for _ in 0..3 {
        schedule
            .run(&mut world, &Serial)
            .expect("nothing is missing");
    }
    assert_eq!(hash, Ok(world.state_hash()));
}

#[test]
fn systems_come_and_go_between_ticks() {
    let mut schedule = Schedule::new("test");
    schedule.add_systems((note::<1>, note::<2>).chain());
    let mut world = world();
    assert_eq!(noted(&mut schedule, &mut world), [1, 2]);
    schedule.add_systems(note::<3>.before(note::<2>));
    assert_eq!(noted(&mut schedule, &mut world), [1, 3, 2]);
    let removed = schedule.remove_systems(note::<1>);
    assert_eq!(noted(&mut schedule, &mut world), [3, 2]);
    assert!(world.forget_system(&*removed[0]));
    for system in removed {
        schedule.add_systems(system);
    }
    assert_eq!(noted(&mut schedule, &mut world), [3, 2, 1]);
}
