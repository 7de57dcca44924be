//! Events: a post office. `cargo run -p orrery-examples --example events`
//!
//! Shows a writer, readers at their own rates, a queue that is full and hands letters back, a
//! system that runs only where something was sent, a pause, somebody who only looks on, and a
//! signal beside the queues.
//!
//! ```text
//! town --Letter--> box of 20, Block --+--> sorter, every tick
//!                                     +--> van, every eighth tick
//! sorter --Parcel--> DropOldest ------+--> porch, in frames: a viewer
//! ```

use std::error::Error;
use std::time::Duration;

use orrery::ecs::On;
use orrery::event::{SendError, on_event};
use orrery::prelude::*;
use orrery::schedule::every_n_runs;
use orrery::time::Step;

/// A letter is an event with state of its own: a fork clones it, and the state hash reads it.
#[derive(Clone, Debug, PartialEq, Event, StateHash)]
struct Letter(u32);

/// Every tenth letter is one.
#[derive(Clone, Debug, PartialEq, Event, StateHash)]
struct Parcel(u32);

/// A signal: it is over when those who listen have heard it.
#[derive(Event)]
struct Bell;

/// What the town has written, and what it still holds because the box was full.
#[derive(Clone, Default, Resource)]
struct Town {
    written: u32,
    held: Vec<Letter>,
}

/// Who has seen which letters.
#[derive(Clone, Default, Resource)]
struct Office {
    sorted: Vec<u32>,
    loaded: Vec<u32>,
    bells: u32,
    loads: u32,
}

/// What is seen from the street. It shows the simulation and is no part of it.
#[derive(Clone, Default, Resource)]
#[resource(not_state)]
struct Porch(Vec<u32>);

/// Two letters a tick, five before a holiday. What the box refuses is put in first the next time.
fn write(mut letters: EventWriter<Letter>, mut town: ResMut<Town>, time: Res<Time>) {
    let count = if time.tick() % 24 < 8 { 5 } else { 2 };
    for _ in 0..count {
        let letter = Letter(town.written);
        town.held.push(letter);
        town.written += 1;
    }
    let mut refused = Vec::new();
    for letter in std::mem::take(&mut town.held) {
        if let Err(SendError { event, .. }) = letters.try_send(letter) {
            refused.push(event);
        }
    }
    town.held = refused;
}

/// Runs every tick.
fn sort(
    mut letters: EventReader<Letter>,
    mut parcels: EventWriter<Parcel>,
    mut office: ResMut<Office>,
) {
    for &Letter(number) in letters.read() {
        office.sorted.push(number);
        if number % 10 == 9 {
            parcels.send(Parcel(number));
        }
    }
}

/// Runs every eighth tick, and finds all letters since the last time.
fn load(mut letters: EventReader<Letter>, mut office: ResMut<Office>) {
    office.loads += 1;
    office.loaded.extend(letters.read().map(|letter| letter.0));
}

/// Runs where a parcel came.
fn ring(mut commands: Commands) {
    commands.trigger(Bell);
}

/// Looks on as often as the screen likes. It could miss parcels; nobody waits for it.
fn watch(mut parcels: EventViewer<Parcel>, mut porch: ResMut<Porch>) {
    porch.0.extend(parcels.read().map(|parcel| parcel.0));
}

/// The office, with a box for so many letters.
fn build(capacity: usize) -> Result<App, Box<dyn Error>> {
    let mut app = App::new();
    app.set_step(Step::from_hz(10)?);
    let world = app.world_mut();
    world.init_resource::<Town>();
    world.init_resource::<Office>();
    world.init_resource::<Porch>();
    world.add_observer(|_: On<Bell>, mut office: ResMut<Office>| office.bells += 1);
    app.add_event(Events::<Letter>::with_capacity(capacity, Overflow::Block));
    app.add_systems(
        FixedUpdate,
        (
            write,
            sort,
            load.run_if(every_n_runs(8)),
            ring.run_if(on_event::<Parcel>),
        ),
    );
    app.add_systems(Update, watch);
    Ok(app)
}

/// What the office looks like now.
fn show(app: &App, line: &str, text: &mut String) {
    let world = app.world();
    let (town, office) = (world.resource::<Town>(), world.resource::<Office>());
    let (letters, porch) = (
        world.resource::<Events<Letter>>(),
        world.resource::<Porch>(),
    );
    let (counters, waiting) = (letters.counters(), letters.readers());
    *text += &format!("\n{line}\n");
    *text += &format!(
        "  the town wrote {} and holds {}; the box took {}, refused {} times, held {} at most\n",
        town.written,
        town.held.len(),
        counters.sent,
        counters.refused,
        counters.high_water,
    );
    for reader in waiting {
        let name = reader.name.rsplit("::").next().unwrap_or(reader.name);
        *text += &format!("  {} letters wait for `{name}`\n", reader.unread);
    }
    *text += &format!(
        "  {} letters sorted, {} loaded in {} loads; {} bells; {} parcels seen from the street\n",
        office.sorted.len(),
        office.loaded.len(),
        office.loads,
        office.bells,
        porch.0.len(),
    );
}

fn story() -> Result<String, Box<dyn Error>> {
    let (mut app, mut text) = (build(20)?, String::new());
    let frame = |app: &mut App, ms| app.frame(Duration::from_millis(ms));
    for _ in 0..20 {
        frame(&mut app, 100)?;
    }
    let line = "Twenty ticks, one a frame. The box is full until the van comes.";
    show(&app, line, &mut text);

    app.clock_mut().pause();
    for _ in 0..1000 {
        frame(&mut app, 10)?;
    }
    show(&app, "A pause of a thousand frames.", &mut text);

    app.clock_mut().resume();
    let fork = app.world().fork()?;
    for _ in 0..30 {
        frame(&mut app, 300)?;
    }
    show(&app, "Ninety ticks, three a frame.", &mut text);
    let straight = app.world().state_hash();

    app.replace_world(fork);
    for _ in 0..180 {
        frame(&mut app, 50)?;
    }
    show(
        &app,
        "Back to the pause, and again with half a tick a frame.",
        &mut text,
    );
    let again = app.world().state_hash();
    text += &format!("\nstate {straight}\nagain {again}\n");
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", story()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    //! No letter is lost or seen twice, whatever the box can hold.

    use super::*;

    #[test]
    fn the_story_is_the_same_every_time_and_both_ways_end_alike() {
        let text = story().expect("nothing fails");
        assert_eq!(story().expect("nothing fails"), text);
        let hash = |word: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(word));
            line.expect("the story ends with both").to_owned()
        };
        assert_eq!(hash("state "), hash("again "));
    }

    #[test]
    fn each_letter_is_sorted_and_loaded_once_and_in_order() {
        for capacity in [1, 5, 20, 1000] {
            let mut app = build(capacity).expect("a valid rate");
            app.run(Runner::Ticks(240)).expect("nothing fails");
            let world = app.world();
            let (town, office) = (world.resource::<Town>(), world.resource::<Office>());
            let letters = world.resource::<Events<Letter>>();
            let counted = |end: usize| (0..end as u32).collect::<Vec<u32>>();
            let sent = town.written as usize - town.held.len();
            assert_eq!(letters.counters().sent as usize, sent, "{capacity}");
            assert_eq!(letters.counters().dropped, 0);
            assert!(letters.counters().high_water <= capacity);
            for seen in [&office.sorted, &office.loaded] {
                assert_eq!(seen, &counted(seen.len()));
                assert!(sent - seen.len() <= capacity);
            }
        }
    }

    #[test]
    fn bells_ring_for_parcels_and_the_street_sees_each_once() {
        let mut app = build(1000).expect("a valid rate");
        app.run(Runner::Ticks(240)).expect("nothing fails");
        let (office, porch) = (
            app.world().resource::<Office>(),
            app.world().resource::<Porch>(),
        );
        let parcels = office.sorted.iter().filter(|&&number| number % 10 == 9);
        assert!(parcels.eq(&porch.0));
        assert!(office.bells > 10 && office.bells as usize <= porch.0.len());
    }
}
