//! Resources out of the world for a while, and made on demand.

use orrery_ecs::{ForkError, Res, ResMut, Resource, SystemError, World};

use crate::support::{ignore, panic_of};

#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct Value(u32);

#[derive(Clone, Default, Resource)]
struct Other(u32);

#[derive(Resource)]
#[resource(no_clone)]
struct Handle(u32);

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Value(1));
    world.insert_resource(Other(2));
    world
}

#[test]
fn a_scope_puts_the_resource_back_after_a_panic() {
    let mut world = world();
    world.insert_resource(Handle(1));
    let message = panic_of(|| {
        world.resource_scope(|_, mut handle: ResMut<Handle>| {
            handle.0 = 2;
            panic!("planned");
        })
    });
    assert_eq!(message.as_deref(), Some("planned"));
    assert_eq!(world.resource::<Handle>().0, 2);
    world.insert_resource(Handle(3));
    assert_eq!(
        world.remove_resource::<Handle>().map(|handle| handle.0),
        Some(3)
    );
    assert!(world.fork().is_ok());
}

#[test]
fn a_scope_of_what_is_not_there_panics_with_its_name_or_gives_none() {
    let mut world = World::new();
    let message = panic_of(|| world.resource_scope(|_, _: ResMut<Value>| ()));
    assert!(message.is_some_and(|text| text.contains("resources::Value")));
    assert_eq!(world.try_resource_scope(|_, _: ResMut<Value>| 1), None);
    world.insert_resource(Value(1));
    assert_eq!(
        world.try_resource_scope(|_, value: ResMut<Value>| value.0),
        Some(1)
    );
}

#[test]
fn in_a_scope_the_world_does_not_have_the_resource_and_takes_no_other() {
    let mut world = world();
    world.resource_scope(|world, _: ResMut<Value>| {
        assert_eq!(world.get_resource::<Value>(), None);
        assert_eq!(world.get_resource_mut::<Value>(), None);
        assert_eq!(world.remove_resource::<Value>(), None);
        assert_eq!(world.try_resource_scope(|_, _: ResMut<Value>| ()), None);
        let refused = world.run_system_once(|_: Res<Value>| ());
        assert!(matches!(refused, Err(SystemError::MissingResource { .. })));
        for message in [
            panic_of(|| ignore(world.insert_resource(Value(9)))),
            panic_of(|| world.init_resource::<Value>()),
            panic_of(|| world.get_resource_or_init::<Value>().0 = 9),
        ] {
            let message = message.expect("one of the two would be lost");
            for part in ["resources::Value", "resource_scope"] {
                assert!(message.contains(part), "{part} in {message}");
            }
        }
    });
    assert_eq!(world.resource::<Value>(), &Value(1));
    assert_eq!(world.insert_resource(Value(2)), Some(Value(1)));
}

#[test]
fn a_fork_inside_a_scope_is_refused_by_name() {
    let mut world = world();
    let in_use = |error: ForkError| error.in_use.len();
    world.resource_scope(|world, _: ResMut<Value>| {
        let error = world.fork().err().expect("Value is out");
        assert!(error.to_string().contains("resources::Value"), "{error}");
        assert_eq!(in_use(error), 1);
    });
    assert!(world.fork().is_ok());
}

#[test]
fn a_scope_whose_world_was_replaced_says_so() {
    let mut world = world();
    let message = panic_of(|| {
        world.resource_scope(|world, _: ResMut<Value>| *world = World::new());
    });
    let message = message.expect("there is nowhere to put it");
    for part in ["resources::Value", "replaced"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert!(!world.contains_resource::<Value>());
    world.insert_resource(Value(1));
}

#[test]
fn a_scope_writes_its_own_copy_where_a_fork_shares_the_resource() {
    let mut world = world();
    let fork = world.fork().expect("everything is Clone");
    world.resource_scope(|_, mut value: ResMut<Value>| value.0 = 7);
    assert_eq!(
        (world.resource::<Value>().0, fork.resource::<Value>().0),
        (7, 1)
    );
}

#[test]
fn what_a_scope_wrote_is_new_to_systems_that_ran_inside_it() {
    let mut world = world();
    let since = world.resource_scope(|world, mut value: ResMut<Value>| {
        value.0 = 2;
        world.advance_change_tick()
    });
    let changed = move |value: Res<Value>| value.last_changed() >= since;
    assert_eq!(world.run_system_once(changed), Ok(true));
    let since = world.resource_scope(|world, value: ResMut<Value>| {
        assert_eq!(value.0, 2);
        world.advance_change_tick();
        world.advance_change_tick()
    });
    let changed = move |value: Res<Value>| value.last_changed() >= since;
    assert_eq!(
        world.run_system_once(changed),
        Ok(false),
        "it was only read"
    );
}

#[test]
fn a_resource_is_made_on_demand_and_only_once() {
    let mut world = World::new();
    assert!(!world.contains_resource::<Value>());
    world.get_resource_or_init::<Value>().0 += 1;
    world.get_resource_or_init::<Value>().0 += 1;
    assert!(world.contains_resource::<Value>());
    assert_eq!(world.resource::<Value>().0, 2);
}

#[test]
fn a_resource_that_cannot_be_cloned_when_it_is_removed_stays() {
    #[derive(Resource)]
    #[resource(not_state)]
    struct Fragile(u32);
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            panic!("planned panic in a clone")
        }
    }
    let mut world = World::new();
    world.insert_resource(Fragile(1));
    let mut fork = world.fork().expect("it says it can be cloned");
    assert!(panic_of(|| ignore(fork.remove_resource::<Fragile>())).is_some());
    assert_eq!(fork.resource::<Fragile>().0, 1);
}
