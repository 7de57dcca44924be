//! Values that stay on the thread that made them.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;

use orrery_ecs::{
    IntoSystem, NonSend, NonSendError, NonSendMut, Query, Res, ResMut, Resource, System,
    SystemError, World,
};

use crate::support::{Ledger, Num, Token};

/// Neither `Send` nor `Sync`.
pub(crate) struct Window(pub(crate) Rc<Cell<u32>>);

/// Keeps its thread, and counts its life.
struct Kept(
    #[allow(dead_code, reason = "its drop counts")] Token,
    *const u8,
);

#[derive(Clone, Resource)]
struct Value(u32);

pub(crate) fn world() -> (World, Rc<Cell<u32>>) {
    let (mut world, cell) = (World::new(), Rc::new(Cell::new(0)));
    let old = world.insert_non_send(Window(cell.clone()));
    assert!(old.is_ok_and(|old| old.is_none()));
    (world, cell)
}

pub(crate) fn count(window: NonSend<Window>, nums: Query<&Num>) {
    window.0.set(window.0.get() + 1 + nums.len() as u32);
}

pub(crate) fn replace(mut window: NonSendMut<Window>) {
    window.0 = Rc::new(Cell::new(100));
}

#[test]
fn a_non_send_resource_is_read_and_written_on_its_thread() {
    let (mut world, cell) = world();
    world.spawn(Num(1));
    world.run_system_once(count).expect("this is its thread");
    assert_eq!(cell.get(), 2);
    world.run_system_once(replace).expect("this is its thread");
    assert_eq!(
        world.get_non_send::<Window>().map(|window| window.0.get()),
        Ok(100)
    );
    world.get_non_send_mut::<Window>().expect("it is there").0 = cell.clone();
    let old = world.insert_non_send(Window(Rc::new(Cell::new(3))));
    assert!(old.is_ok_and(|old| old.is_some_and(|old| Rc::ptr_eq(&old.0, &cell))));
    assert_eq!(
        world
            .remove_non_send::<Window>()
            .map(|window| window.0.get()),
        Ok(3)
    );
    let missing = world.get_non_send::<Window>().err();
    assert!(matches!(missing, Some(NonSendError::Missing { .. })));
}

#[test]
fn a_non_send_resource_is_dropped_at_home_and_leaked_and_counted_elsewhere() {
    let ledger = Ledger::default();
    let make = |ledger: &Ledger| {
        let mut world = World::new();
        let kept = Kept(ledger.token(), std::ptr::null());
        assert!(kept.1.is_null());
        assert!(world.insert_non_send(kept).is_ok_and(|old| old.is_none()));
        world
    };
    let world = make(&ledger);
    let before = World::leaked_non_send_count();
    let world = thread::spawn(move || world).join().expect("it only moves");
    drop(world);
    assert_eq!(
        (ledger.alive(), World::leaked_non_send_count()),
        (0, before)
    );
    if cfg!(orrery_asan) {
        // The sanitizer would report the leak that is meant here.
        return;
    }
    let world = make(&ledger);
    thread::spawn(move || drop(world)).join().expect("it leaks");
    assert_eq!(
        (ledger.alive(), World::leaked_non_send_count()),
        (1, before + 1)
    );
}

#[test]
fn a_missing_one_is_an_error_that_names_system_and_type() {
    let mut world = World::new();
    let error = world.run_system_once(count).expect_err("no window");
    let message = error.to_string();
    for part in ["::count", "non_send::Window", "World::insert_non_send"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let option = |read: Option<NonSend<Window>>| assert!(read.is_none());
    world.run_system_once(option).expect("none is fine");
    let option = |write: Option<NonSendMut<Window>>| assert!(write.is_none());
    world.run_system_once(option).expect("none is fine");
}

#[test]
fn a_world_with_one_is_not_forked_and_says_why() {
    let (mut world, _cell) = world();
    let error = world.fork().err().expect("a window");
    assert_eq!(error.non_send.len(), 1);
    assert!(error.to_string().contains("non_send::Window"), "{error}");
    assert!(world.remove_non_send::<Window>().is_ok());
    let mut fork = world.fork().expect("nothing is left");
    let refused = fork.run_system_once(count);
    assert!(matches!(refused, Err(SystemError::NonSend { .. })));
}

#[test]
fn it_is_no_part_of_the_state() {
    let (world, _cell) = world();
    assert_eq!(world.state_hash(), World::new().state_hash());
}

#[test]
fn a_system_says_whether_it_may_leave_the_thread() {
    fn plain(_: Query<&Num>, _: Option<Res<Value>>) {}
    fn nested(_: (Query<&Num>, (Option<NonSendMut<Window>>,))) {}
    fn exclusive(_: &mut World) {}
    assert!(plain.into_system().is_send());
    assert!(!count.into_system().is_send());
    assert!(!nested.into_system().is_send());
    assert!(!exclusive.into_system().is_send());
}

#[test]
fn two_accesses_to_one_exclude_each_other_if_one_writes() {
    let (mut world, _cell) = world();
    world.insert_resource(Value(1));
    let reads = |a: NonSend<Window>, b: NonSend<Window>| assert_eq!(a.0.get(), b.0.get());
    world.run_system_once(reads).expect("both only read");
    let writes = |_: NonSend<Window>, _: ResMut<Value>, _: NonSendMut<Window>| ();
    let error = world.run_system_once(writes).expect_err("a conflict");
    let message = error.to_string();
    for part in ["NonSend<", "NonSendMut<", "non_send::Window", "ParamSet"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert_eq!(world.resource::<Value>().0, 1);
}
