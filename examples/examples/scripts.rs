//! Scripts: a night at an inn. `cargo run -p orrery-examples --example scripts`
//!
//! Shows scripts that wait for ticks, for events of one entity and for each other, a race against
//! time, work on another thread, a fibre, and a guest whose script ends with him.
//!
//! ```text
//! tick 0   each guest knocks, is let in or gives up; the innkeeper reads his book meanwhile
//! tick n   what happens follows from ticks and events, never from how long the reading took
//! ```

use std::error::Error;

use orrery::fibres::{Fibre, WorldFibres};
use orrery::prelude::*;
use orrery::task::{Either, Tasks, join, race};

/// A guest outside or inside.
#[derive(Clone, Copy, Component)]
struct Guest {
    name: &'static str,
    patience: u64,
}

/// Concerns one guest.
#[derive(Clone, Event)]
struct LetIn;

/// Concerns whoever opens doors.
#[derive(Clone, Event)]
struct Knock(Entity);

/// What is to be told.
#[derive(Clone, Default, Resource)]
struct Log(Vec<String>);

fn tell(script: Script, line: impl Into<String>) {
    let line = format!("{:>3}  {}", script.tick(), line.into());
    script.with(|world| world.resource_mut::<Log>().0.push(line));
}

/// Belongs to its guest: whatever ends him, ends it.
async fn visit(script: Script) {
    let me = script.entity().expect("it belongs to a guest");
    let Guest { name, patience } = script.with(|world| *world.get(me).expect("he lives"));
    script.with(|world| world.trigger(Knock(me)));
    tell(script, format!("{name} knocks"));
    match race(script.event_for::<LetIn>(me), script.sleep(patience)).await {
        Either::Left(LetIn) => tell(script, format!("{name} is let in")),
        Either::Right(()) => {
            tell(script, format!("{name} has waited long enough"));
            // Its next wait is its last.
            script.with(|world| _ = world.despawn(me));
            script.next_tick().await;
            unreachable!("he is gone");
        }
    }
    loop {
        script.sleep(12).await;
        tell(script, format!("{name} snores"));
    }
}

/// Opens to one guest after the other, four ticks to the door and back.
async fn open_doors(script: Script) {
    let mut knocks = script.events::<Knock>();
    loop {
        let Knock(guest) = knocks.next().await;
        script.sleep(4).await;
        if script
            .with(|world| world.trigger_for(guest, LetIn))
            .is_err()
        {
            tell(script, "nobody is at the door");
        }
    }
}

/// Reads the book on another thread, and takes the count when it comes.
async fn keep_the_book(script: Script) -> usize {
    let book = || "a bed, a bed and breakfast, a bed".split(',').count();
    let entries = script.blocking(book).await.expect("reading does not panic");
    tell(script, format!("the book has {entries} entries"));
    entries
}

/// Counts the stars by halves, at any depth of ordinary calls: for this a fibre has a stack.
fn count_stars(fibre: &Fibre<'_>, stars: u32) -> u32 {
    if stars <= 250 {
        fibre.next_tick();
        return stars;
    }
    count_stars(fibre, stars / 2) + count_stars(fibre, stars - stars / 2)
}

fn build() -> Result<App, Box<dyn Error>> {
    let mut app = App::new();
    let world = app.world_mut();
    world.init_resource::<Log>();
    world.spawn_task(open_doors).detach();
    for (name, patience) in [("Ada", 30), ("Bo", 6), ("Cy", 30)] {
        let guest = world.spawn(Guest { name, patience }).id();
        world.spawn_task_for(guest, visit)?.detach();
    }
    let stars = world.spawn_fibre(|fibre| count_stars(fibre, 1_000));
    let night = async move |script: Script| {
        let (entries, stars) = join(script.spawn(keep_the_book), stars).await;
        let (entries, stars) = (entries.expect("it ends"), stars.expect("it ends"));
        let stars = stars.expect("there is a stack");
        tell(
            script,
            format!("{entries} entries, {stars} stars, and so to bed"),
        );
    };
    world.spawn_task(night).detach();
    world.spawn_task(async |_| panic!("a bad dream")).detach();
    Ok(app)
}

fn story() -> Result<String, Box<dyn Error>> {
    let mut app = build()?;
    app.run(Runner::Ticks(25))?;
    let mut text = app.world().resource::<Log>().0.join("\n");
    for error in app.world_mut().resource_mut::<Tasks>().take_errors() {
        let place = error.to_string();
        let what = place.rsplit_once(": ").map_or(&*place, |(_, what)| what);
        text += &format!("\none script ended by a panic, and no other: {what}");
    }
    match app.world().fork() {
        Ok(_) => text += "\nno script lives",
        Err(error) => text += &format!("\n{error}"),
    }
    Ok(text + "\n")
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", story()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    //! The night goes as it is told, however the threads are.

    use super::*;

    #[test]
    fn the_night_is_the_same_every_time() {
        let text = story().expect("nothing fails");
        for _ in 0..5 {
            assert_eq!(story().expect("nothing fails"), text);
        }
        let told: Vec<&str> = text.lines().collect();
        for line in [
            "  0  Ada knocks",
            "  1  the book has 3 entries",
            "  4  Ada is let in",
            "  4  3 entries, 1000 stars, and so to bed",
            "  6  Bo has waited long enough",
            "  8  nobody is at the door",
            " 12  Cy is let in",
            " 16  Ada snores",
            "one script ended by a panic, and no other: a bad dream",
        ] {
            assert!(told.contains(&line), "{line:?} is not in\n{text}");
        }
    }

    #[test]
    fn the_guest_who_left_takes_his_script_along() {
        let mut app = build().expect("nothing fails");
        app.run(Runner::Ticks(10)).expect("nothing fails");
        let mut guests = app.world_mut().query::<&Guest>();
        let names: Vec<_> = guests.iter(app.world()).map(|guest| guest.name).collect();
        assert_eq!(names, ["Ada", "Cy"]);
        let tasks = app.world().resource::<Tasks>().counters();
        assert_eq!((tasks.cancelled, tasks.panicked), (1, 1));
    }
}
