//! Mistakes that types cannot tell: each is an error of a type of its own, found before anything is
//! read or written, whose words say what is wrong and what to do.

use orrery_ecs::{
    Commands, Component, Entity, EntityMut, EntityRef, IntoSystem, Mut, Query, Res, ResMut,
    Resource, Serial, Single, System, SystemError, With, World,
};

use crate::support::{ignore, panic_of};

#[derive(Clone, Copy, Component)]
#[component(track)]
struct Health(u32);

#[derive(Clone, Copy, Component)]
struct Armour(u32);

#[derive(Component)]
#[component(no_clone)]
struct Mesh(u32);

#[derive(Clone, Resource)]
struct Clock(u32);

/// The words of an error, with the path of these tests left out.
fn words(error: impl ToString) -> String {
    error.to_string().replace("main::messages::run_time::", "")
}

/// What is said of a system, before it has run.
fn refusal<M>(system: impl IntoSystem<M>) -> String {
    let mut system = system.into_system();
    let error = system.initialize(&mut World::new());
    words(error.expect_err("its parameters exclude each other"))
}

/// What is said of a system that is run.
fn failure<M>(world: &mut World, system: impl IntoSystem<M>) -> String {
    let error = system.into_system().run(world, &Serial);
    words(error.expect_err("something is missing"))
}

#[test]
fn a_component_that_a_query_asks_for_twice() {
    let world = &mut World::new();
    let twice = world.try_query::<(&mut Health, &mut Health), ()>().err();
    assert_eq!(
        twice.map(words).as_deref(),
        Some(
            "query: (&mut Health, &mut Health) accesses Health twice, and writes; ask for it \
             once, as `&mut T`, which can be read too"
        )
    );
    let read = world.try_query::<(&Health, Mut<Health>), ()>().err();
    assert_eq!(
        read.map(words).as_deref(),
        Some(
            "query: (&Health, Mut<Health>) accesses Health twice, and \
             writes; ask for it once, as `&mut T`, which can be read too"
        )
    );
    let entity = world.try_query::<(EntityMut, &Health), ()>().err();
    assert_eq!(
        entity.map(words).as_deref(),
        Some(
            "query: (EntityMut, &Health) accesses Health twice, and writes; \
             ask for EntityMut alone, and call `get` and `get_mut` on it"
        )
    );
    let panic = panic_of(|| drop(world.query::<(&mut Armour, &Armour)>()));
    assert_eq!(
        panic.map(words).as_deref(),
        Some(
            "query: (&mut Armour, &Armour) accesses Armour twice, and writes; ask for it once, as \
             `&mut T`, which can be read too"
        )
    );
}

fn attack(_: Query<&mut Health>, _: Query<(&Health, &Armour)>) {}
fn heal(_: Query<(&mut Health, &Health)>) {}
fn watch(_: Query<&mut Health>, _: Query<EntityRef>) {}
fn edit(_: Query<EntityMut>, _: Query<EntityMut, With<Armour>>) {}
fn tick(_: Res<Clock>, _: ResMut<Clock>) {}
fn look(_: &World, _: Query<&mut Health>) {}

#[test]
fn parameters_of_a_system_that_exclude_each_other() {
    assert_eq!(
        refusal(attack),
        "system attack: Query<&mut Health> and Query<(&Health, \
         &Armour)> both access Health, and at least one of them writes; add Without<Armour> to the \
         first if no entity is meant for both, or put both into a ParamSet"
    );
    assert_eq!(
        refusal(heal),
        "system heal: (&mut Health, &Health) accesses Health twice, and writes; ask for it once, \
         as `&mut T`, which can be read too"
    );
    assert_eq!(
        refusal(watch),
        "system watch: Query<&mut Health> and Query<\
         EntityRef> both access Health, and at least one of them writes; add \
         Without<Health> to the second if no entity is meant for both, or put both into a ParamSet"
    );
    assert_eq!(
        refusal(edit),
        "system edit: Query<EntityMut> and Query<\
         EntityMut, With<Armour>> both access every component, and at \
         least one of them writes; add Without<Armour> to the first if no entity is meant for \
         both, or put both into a ParamSet"
    );
    assert_eq!(
        refusal(tick),
        "system tick: Res<Clock> and ResMut<Clock> \
         both access Clock, and at least one of them writes; ask for it once, as ResMut, or put \
         both into a ParamSet"
    );
    assert_eq!(
        refusal(look),
        "system look: &World and Query<&mut Health> both access Health, and \
         at least one of them writes; put both into a ParamSet, or ask for what is read by Query \
         and Res instead of &World"
    );
}

fn needs_clock(_: Res<Clock>) {}
fn needs_one(_: Single<&Health>) {}
fn fails(mut commands: Commands) -> Result<(), String> {
    commands.spawn(Health(1));
    Err(String::from("out of paint"))
}

#[test]
fn what_a_system_needs_and_the_world_lacks() {
    let world = &mut World::new();
    assert_eq!(
        failure(world, needs_clock),
        "system needs_clock needs the resource Clock, which is not in the world; insert it with \
         World::insert_resource, or ask for Option<Res<..>>"
    );
    assert_eq!(
        failure(world, needs_one),
        "system needs_one: no entity matches the query (&Health, ()), and exactly one was asked \
         for; ask for a Query, or Option<Single<..>> if none may match"
    );
    assert_eq!(failure(world, fails), "system fails failed: out of paint");
    assert!(world.is_empty());
    let error = fails.into_system().run(world, &Serial);
    assert!(matches!(error, Err(SystemError::Failed { .. })));
}

#[test]
fn a_world_that_cannot_be_forked() {
    let mut world = World::new();
    let entity = world.spawn((Mesh(3), Health(1))).id();
    assert_eq!(
        world.fork().err().map(words).as_deref(),
        Some(
            "the world cannot be forked: Mesh opted out of Clone (`no_clone` or `NoClone`); remove \
             it first"
        )
    );
    let mesh = world.take::<Mesh>(entity).expect("it has one");
    assert!(world.fork().is_ok() && mesh.0 == 3);
}

#[test]
fn a_bundle_with_a_component_twice() {
    let mut world = World::new();
    let panic = panic_of(|| ignore(world.spawn((Health(1), (Armour(2), Health(3)))).id()));
    assert_eq!(
        panic.map(words).as_deref(),
        Some(
            "the bundle (Health, (Armour, Health)) has the component Health twice; take one of \
             them out"
        )
    );
}

#[test]
fn handles_that_lead_nowhere() {
    let mut world = World::new();
    let (dead, bare) = (world.spawn(Health(1)).id(), world.spawn(Armour(2)).id());
    world.despawn(dead).expect("it lives");
    let gone =
        format!("entity {dead} does not exist in this world (despawned, or of another world)");
    assert_eq!(world.get_entity(dead).err().map(words), Some(gone.clone()));
    let mut query = world.query::<(Entity, &Health)>();
    assert_eq!(query.view(&world).get(dead).err().map(words), Some(gone));
    let other = format!("entity {bare} does not match the query (Entity, &Health)");
    assert_eq!(query.view(&world).get(bare).err().map(words), Some(other));
}
