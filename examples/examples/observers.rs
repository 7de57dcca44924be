//! Observers: a spark in a cellar. `cargo run -p orrery-examples --example observers`
//!
//! Shows a hook, observers that keep an index right, events of one's own, an observer of one
//! entity, an event handed on from child to parent, and a system that reads what was removed.
//!
//! ```text
//! Blast -> shake -> despawn of a barrel -> its hook -> Blast -> ...    each to its end, depth
//!                -> despawn of the next                                first, before the next
//! ```

use std::collections::BTreeMap;
use std::error::Error;

use orrery::ecs::{
    ChildOf, Despawn, Event, HookContext, Insert, IntoSystem, On, Remove, RemovedComponents,
    Serial, System,
};
use orrery::prelude::*;

/// Where something stands. It is immutable, changes by insertions alone, and so no change is missed
/// by the observers below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Component)]
#[component(immutable)]
struct Cell {
    y: i32,
    x: i32,
}

/// Full of powder: whatever ends it, it bursts.
#[derive(Clone, Copy, Component)]
#[component(on_despawn = burst)]
struct Barrel;

/// Blasts that something still stands.
#[derive(Clone, Copy, Component)]
struct Strength(u32);

/// Who lives where.
#[derive(Clone, Copy, Component)]
struct Name(&'static str);

/// Who stands where. It says only what the cells say, and so is no state of its own.
#[derive(Clone, Default, Resource)]
#[resource(not_state)]
struct Index(BTreeMap<Cell, Entity>);

/// What is to be told.
#[derive(Clone, Default, Resource)]
struct Log(Vec<String>);

/// Concerns whoever stands near.
#[derive(Event)]
struct Blast(Cell);

/// Concerns one entity, and then those above it.
#[derive(Event)]
struct Noise;

/// The hook belongs to the type: no world has barrels that do not burst. The barrel is gone by now,
/// and its values are lent until all who watch have run.
fn burst(mut hook: HookContext<'_>) {
    if let Some(&cell) = hook.removed::<Cell>() {
        hook.commands().trigger(Blast(cell));
    }
}

/// Enters into the index who comes, and who goes from one cell to another.
fn enter(on: On<Insert, Cell>, cells: Query<&Cell>, mut index: ResMut<Index>) {
    if let Some(old) = on.replaced::<Cell>() {
        index.0.remove(old);
    }
    if let Ok(&cell) = cells.get(on.entity()) {
        index.0.insert(cell, on.entity());
    }
}

/// Strikes out who goes.
fn leave(on: On<Remove, Cell>, mut index: ResMut<Index>) {
    if let Some(cell) = on.removed::<Cell>() {
        index.0.remove(cell);
    }
}

/// Weakens what stands within a step of a blast.
fn shake(
    on: On<Blast>,
    index: Res<Index>,
    mut strengths: Query<&mut Strength>,
    mut log: ResMut<Log>,
    mut commands: Commands,
) {
    let Cell { x, y } = on.event().0;
    log.0.push(format!("a blast at ({x}, {y})"));
    for (dy, dx) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))) {
        let near = Cell {
            y: y + dy,
            x: x + dx,
        };
        let found = index.0.get(&near).copied();
        // Barrels that have burst stay in the index until the blast is over, and are dead.
        let Some((entity, strength)) = found.zip(found.and_then(|it| strengths.get_mut(it).ok()))
        else {
            continue;
        };
        strength.0 = strength.0.saturating_sub(1);
        if strength.0 == 0 {
            commands.despawn(entity);
        }
    }
}

/// Events go to one entity. Who wants them to rise hands them on.
fn hear(
    on: On<Noise>,
    names: Query<(&Name, Option<&ChildOf>)>,
    mut log: ResMut<Log>,
    mut commands: Commands,
) {
    if let Some(Ok((name, parent))) = on.target().map(|entity| names.get(entity)) {
        log.0.push(format!("{} hears it", name.0));
        if let Some(parent) = parent {
            commands.trigger_for(parent.0, Noise);
        }
    }
}

/// Runs when it likes, and misses none that has gone since it ran last.
fn count(mut lost: RemovedComponents<Barrel>, mut log: ResMut<Log>) {
    log.0
        .push(format!("{} barrels were lost", lost.read().count()));
}

const CELLAR: [&str; 5] = [
    "##########",
    "#o..o...o#",
    "#.oo.#.oK#",
    "#...o#...#",
    "##########",
];

/// A cellar with its observers, and the king's keg.
fn build() -> (World, Entity) {
    let mut world = World::new();
    world.init_resource::<Index>();
    world.init_resource::<Log>();
    world.add_observer(enter);
    world.add_observer(leave);
    world.add_observer(shake);
    world.add_observer(hear);
    let mut keg = Entity::NONE;
    for (y, row) in (0..).zip(CELLAR) {
        for (x, what) in (0..).zip(row.chars()) {
            let cell = Cell { y, x };
            match what {
                '#' => _ = world.spawn((cell, Strength(2))),
                'o' => _ = world.spawn((cell, Strength(1), Barrel)),
                'K' => keg = world.spawn((cell, Strength(1), Barrel)).id(),
                _ => {}
            }
        }
    }
    world
        .entity_mut(keg)
        .observe(|_: On<Despawn>, mut log: ResMut<Log>| {
            log.0.push(String::from("that was the king's keg"));
        });
    (world, keg)
}

/// Adds what was logged and the cellar as the index has it.
fn show(world: &mut World, line: &str, text: &mut String) {
    *text += &format!("\n{line}\n");
    for line in std::mem::take(&mut world.resource_mut::<Log>().0) {
        *text += &format!("  {line}\n");
    }
    let index = &world.resource::<Index>().0;
    for (y, row) in (0..).zip(CELLAR) {
        let there = (0..).zip(row.chars()).map(|(x, _)| {
            let entity = index
                .get(&Cell { y, x })
                .map(|&entity| world.entity(entity));
            match entity {
                None => '.',
                Some(it) if it.contains::<Barrel>() => 'o',
                Some(it) if it.get::<Strength>().is_some_and(|left| left.0 < 2) => '%',
                Some(_) => '#',
            }
        });
        *text += &format!("    {}\n", there.collect::<String>());
    }
}

fn story() -> Result<String, Box<dyn Error>> {
    let (mut world, keg) = build();
    let mut text = String::new();
    let mut count = count.into_system();
    // Its log of removals begins here.
    count.initialize(&mut world)?;
    show(&mut world, "A cellar of powder.", &mut text);

    world.trigger(Blast(Cell { y: 1, x: 1 }));
    count.run(&mut world, &Serial)?;
    let line = "A spark in the corner; one thing leads to another. % is cracked.";
    show(&mut world, line, &mut text);

    world.insert(keg, Cell { y: 3, x: 1 })?;
    show(
        &mut world,
        "The king's keg is rolled to where nothing is left to burst.",
        &mut text,
    );

    let town = world.spawn(Name("the town")).id();
    let house = world.spawn((Name("the house"), ChildOf(town))).id();
    let cellar = world.spawn((Name("the cellar"), ChildOf(house))).id();
    world.trigger_for(cellar, Noise)?;
    world.trigger(Blast(Cell { y: 1, x: 8 }));
    count.run(&mut world, &Serial)?;
    show(&mut world, "A second spark.", &mut text);

    world.despawn(keg)?;
    count.run(&mut world, &Serial)?;
    show(&mut world, "Somebody opens the keg.", &mut text);
    if let Some(error) = world.take_observer_error() {
        return Err(error.into());
    }
    text += &format!("state {}\n", world.state_hash());
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", story()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    //! The story comes out as it is told, and the index is right after every step of it.

    use super::*;

    fn assert_index_is_right(world: &mut World) {
        let mut cells = world.query::<(Entity, &Cell)>();
        let expected: BTreeMap<Cell, Entity> = cells
            .iter(world)
            .map(|(entity, &cell)| (cell, entity))
            .collect();
        assert_eq!(world.resource::<Index>().0, expected);
    }

    #[test]
    fn the_story_is_the_same_every_time() {
        let text = story().expect("nothing fails");
        assert_eq!(story().expect("nothing fails"), text);
        for line in [
            "the cellar hears it\n  the house hears it\n  the town hears it",
            "that was the king's keg",
        ] {
            assert!(text.contains(line), "{line:?} is not in\n{text}");
        }
        let lost: Vec<_> = text.lines().filter(|line| line.ends_with("lost")).collect();
        let expected = [5, 2, 1].map(|count| format!("  {count} barrels were lost"));
        assert_eq!(lost, expected);
    }

    #[test]
    fn the_index_follows_arrivals_moves_and_departures() {
        let (mut world, keg) = build();
        assert_index_is_right(&mut world);
        world.insert(keg, Cell { y: 3, x: 6 }).expect("it lives");
        assert_index_is_right(&mut world);
        world.trigger(Blast(Cell { y: 1, x: 1 }));
        assert_index_is_right(&mut world);
        world.clear();
        assert!(world.resource::<Index>().0.is_empty());
    }

    #[test]
    fn a_fork_is_watched_by_the_same_observers() {
        let (mut world, _) = build();
        let mut fork = world.fork().expect("everything is Clone");
        world.trigger(Blast(Cell { y: 1, x: 1 }));
        assert_ne!(world.state_hash(), fork.state_hash());
        fork.trigger(Blast(Cell { y: 1, x: 1 }));
        assert_eq!(world.state_hash(), fork.state_hash());
        assert!(world.take_observer_error().is_none());
    }
}
