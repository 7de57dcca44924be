//! Hooks: functions that belong to a component type.

use orrery_ecs::{Add, Component, Entity, HookContext, On, ResMut, Resource, World};

use super::{Log, Red, take_log, world_with_log};
use crate::support::{Ledger, Num, Token, ignore, panic_of};

fn note(mut context: HookContext<'_>, what: &str) {
    let line = format!("{} {what}", context.entity());
    context.commands().queue(move |world| {
        if let Some(log) = world.get_resource_mut::<Log>() {
            log.0.push(line);
        }
    });
}

#[derive(Clone, Debug, Component)]
#[component(on_add = added, on_insert = Self::inserted, on_remove = removed)]
#[component(on_despawn = despawned)]
struct Hooked {
    number: u32,
    token: Token,
}

impl Hooked {
    fn new(number: u32, ledger: &Ledger) -> Self {
        let token = ledger.token();
        Self { number, token }
    }

    fn inserted(context: HookContext<'_>) {
        let new = context
            .world()
            .get::<Self>(context.entity())
            .map(|hooked| hooked.number);
        let old = context.removed::<Self>().map(|hooked| hooked.number);
        note(context, &format!("={new:?} was {old:?}"));
    }
}

fn added(context: HookContext<'_>) {
    let name = context.world().component_name(context.component_id());
    assert!(name.ends_with("Hooked"), "{name}");
    note(context, "+");
}

fn removed(context: HookContext<'_>) {
    assert!(context.world().get::<Hooked>(context.entity()).is_none());
    let old = context
        .removed::<Hooked>()
        .expect("it has just left")
        .number;
    note(context, &format!("-{old}"));
}

fn despawned(context: HookContext<'_>) {
    assert!(!context.world().contains(context.entity()));
    let old = context
        .removed::<Hooked>()
        .expect("it has just left")
        .number;
    let other = context.removed::<Num>().map(|num| num.0);
    note(context, &format!("x{old} {other:?}"));
}

#[test]
fn hooks_run_without_any_observer_from_the_first_entity_on() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    let entity = world.spawn((Hooked::new(1, &ledger), Num(5))).id();
    world
        .insert(entity, Hooked::new(2, &ledger))
        .expect("it lives");
    world.remove::<Hooked>(entity).expect("it lives");
    world
        .insert(entity, Hooked::new(3, &ledger))
        .expect("it lives");
    world.despawn(entity).expect("it lives");
    let expected = [
        "+",
        "=Some(1) was None",
        "=Some(2) was Some(1)",
        "-2",
        "+",
        "=Some(3) was None",
        "x3 Some(5)",
        "-3",
    ];
    assert_eq!(take_log(&mut world), super::lines(entity, &expected));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn hooks_run_before_observers_even_if_these_were_there_first() {
    let (ledger, mut world) = (Ledger::default(), world_with_log());
    world.add_observer(|_: On<Add, Hooked>, mut log: ResMut<Log>| {
        log.0.push(String::from("observer"));
    });
    let entity = world.spawn(Hooked::new(1, &ledger)).id();
    let expected = [format!("{entity} +"), String::from("observer")];
    assert_eq!(take_log(&mut world)[..2], expected);
}

/// Lives in a sparse set and is alone on its entity.
#[derive(Clone, Copy, Debug, Component)]
#[component(sparse, on_insert = alone, on_remove = despawn_it)]
struct Alone;

#[derive(Clone, Default, Resource)]
struct Seat(Option<Entity>);

/// Takes the component away from the one that had it before.
fn alone(mut context: HookContext<'_>) {
    let entity = context.entity();
    let before = context.world().resource::<Seat>().0;
    if let Some(before) = before.filter(|&before| before != entity) {
        context.commands().remove::<Alone>(before);
    }
    context
        .commands()
        .queue(move |world| world.resource_mut::<Seat>().0 = Some(entity));
}

fn despawn_it(mut context: HookContext<'_>) {
    let entity = context.entity();
    context.commands().despawn(entity);
}

#[test]
fn a_hook_of_a_sparse_component_may_change_others_and_despawn_its_own_entity() {
    let mut world = World::new();
    world.init_resource::<Seat>();
    let all: Vec<Entity> = (0..5).map(|i| world.spawn((Num(i), Alone)).id()).collect();
    assert_eq!((world.len(), world.contains(all[4])), (1, true));
    let other = world.spawn(Num(9)).id();
    world.insert(other, Alone).expect("it lives");
    assert_eq!((world.len(), world.contains(other)), (1, true));
    world.despawn(other).expect("it lives");
    assert!(world.is_empty());
}

#[derive(Clone, Copy, Debug, Component)]
#[component(on_add = explode)]
struct Mine;

fn explode(mut context: HookContext<'_>) {
    context.commands().spawn(Num(1));
    panic!("planned panic in a hook");
}

#[test]
fn a_hook_that_panics_leaves_a_whole_world_and_none_of_its_commands() {
    let mut world = World::new();
    let panic = panic_of(|| ignore(world.spawn((Mine, Red)).id()));
    assert_eq!(panic.as_deref(), Some("planned panic in a hook"));
    assert_eq!(
        (
            world.len(),
            world.query::<(&Mine, &Red)>().view(&world).len()
        ),
        (1, 1)
    );
    let entity = world.spawn(Num(2)).id();
    assert_eq!((world.get::<Num>(entity), world.len()), (Some(&Num(2)), 2));
}

#[derive(Clone, Copy, Debug, Component)]
#[component(on_insert = again)]
struct Endless;

fn again(mut context: HookContext<'_>) {
    let entity = context.entity();
    context.commands().insert(entity, Endless);
}

#[test]
fn a_hook_without_end_is_cut_and_named() {
    let mut world = World::new();
    world.spawn(Endless);
    let text = world
        .take_observer_error()
        .expect("it has no end")
        .to_string();
    assert!(
        text.contains("hook on_insert") && text.contains("Endless"),
        "{text}"
    );
}
