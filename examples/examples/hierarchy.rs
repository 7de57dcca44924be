//! Hierarchy: a crane on a quay. `cargo run -p orrery-examples --example hierarchy`
//!
//! Shows children and their order, places pushed down a tree, a new parent, a circle that is
//! refused, a relationship of one's own, and what goes when a subtree is despawned.
//!
//! ```text
//! crane <- arm <- hook <- crate        ChildOf: despawned with the parent
//! truck <- wheel
//! truck <- Anna                        Drives: outlives the truck
//! ```

use std::error::Error;

use orrery::ecs::{ChildOf, Related};
use orrery::prelude::*;

/// What a part is called.
#[derive(Clone, Copy, Component)]
struct Name(&'static str);

/// Where a part is as seen from its parent: metres east and north, and quarter turns to the left.
#[derive(Clone, Copy, Component)]
#[require(Place)]
struct Offset {
    x: i32,
    y: i32,
    turns: i32,
}

/// Where a part is as seen from the quay: it follows from the offsets of all that is above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
struct Place {
    x: i32,
    y: i32,
    turns: i32,
}

/// Who drives what. Without `#[relationship(despawn)]` a driver outlives the truck.
#[derive(Clone, Copy, Component)]
#[relationship]
struct Drives(Entity);

impl Offset {
    fn at(x: i32, y: i32) -> Self {
        Self { x, y, turns: 0 }
    }
}

impl Place {
    /// The place of what is `offset` from here.
    fn then(self, offset: Offset) -> Self {
        let (x, y) = match self.turns.rem_euclid(4) {
            0 => (offset.x, offset.y),
            1 => (-offset.y, offset.x),
            2 => (-offset.x, -offset.y),
            _ => (offset.y, -offset.x),
        };
        Self {
            x: self.x + x,
            y: self.y + y,
            turns: self.turns + offset.turns,
        }
    }

    fn facing(self) -> &'static str {
        ["east", "north", "west", "south"][self.turns.rem_euclid(4) as usize]
    }
}

/// Pushes places down: `descendants` gives each part after its parent, so one pass is enough.
fn push_down(
    tree: Related<ChildOf>,
    roots: Query<Entity, (With<Offset>, Without<ChildOf>)>,
    offsets: Query<&Offset>,
    mut places: Query<&mut Place>,
) {
    for root in &roots {
        for part in [root].into_iter().chain(tree.descendants(root)) {
            let parent = tree.target(part);
            let above = parent.and_then(|parent| places.get(parent).ok().copied());
            if let (Ok(offset), Ok(place)) = (offsets.get(part), places.get_mut(part)) {
                *place = above.unwrap_or_default().then(*offset);
            }
        }
    }
}

/// What the story speaks of.
struct Quay {
    crane: Entity,
    arm: Entity,
    hook: Entity,
    cargo: Entity,
    truck: Entity,
    driver: Entity,
}

fn build(world: &mut World) -> Quay {
    let mut part = |name, offset, parent: Option<Entity>| {
        let part = world.spawn((Name(name), offset)).id();
        if let Some(parent) = parent {
            world.entity_mut(part).insert(ChildOf(parent));
        }
        part
    };
    let crane = part("crane", Offset::at(0, 0), None);
    let arm = part("arm", Offset::at(0, 2), Some(crane));
    let hook = part("hook", Offset::at(8, 0), Some(arm));
    let cargo = part("crate", Offset::at(1, 0), Some(hook));
    let truck = part("truck", Offset::at(0, 20), None);
    part("wheel", Offset::at(-3, 0), Some(truck));
    let driver = world.spawn((Name("Anna"), Drives(truck))).id();
    Quay {
        crane,
        arm,
        hook,
        cargo,
        truck,
        driver,
    }
}

fn name(world: &World, entity: Entity) -> &'static str {
    world.get::<Name>(entity).map_or("?", |name| name.0)
}

/// Draws every tree of the quay under a line of the story.
fn show(world: &mut World, line: &str, text: &mut String) -> Result<(), Box<dyn Error>> {
    world.run_system_once(push_down)?;
    *text += &format!("\n{line}\n");
    let mut roots = world.query_filtered::<Entity, (With<Offset>, Without<ChildOf>)>();
    for root in roots.iter(world) {
        for part in [root].into_iter().chain(world.descendants::<ChildOf>(root)) {
            let depth = world.ancestors::<ChildOf>(part).count();
            let label = format!("{:indent$}{}", "", name(world, part), indent = 2 * depth);
            let place = world.get::<Place>(part).copied().unwrap_or_default();
            let Place { x, y, .. } = place;
            *text += &format!(
                "  {label:<12} at ({x:>3}, {y:>3}) to the {}",
                place.facing()
            );
            for &driver in world.sources::<Drives>(part) {
                *text += &format!(", driven by {}", name(world, driver));
            }
            text.push('\n');
        }
    }
    Ok(())
}

/// Who carries a part, up to the ground.
fn carriers(world: &World, part: Entity) -> String {
    let above: Vec<_> = world
        .ancestors::<ChildOf>(part)
        .map(|above| name(world, above))
        .collect();
    format!("{} hangs on {}\n", name(world, part), above.join(", "))
}

fn story() -> Result<String, Box<dyn Error>> {
    let mut world = World::new();
    let quay = build(&mut world);
    let mut text = String::new();
    show(&mut world, "A crane has picked up a crate.", &mut text)?;
    text += &carriers(&world, quay.cargo);

    let mut arm = world.get_mut::<Offset>(quay.arm);
    arm.as_mut().ok_or("the crane has an arm")?.turns += 1;
    show(
        &mut world,
        "Its arm turns, and all that it holds.",
        &mut text,
    )?;

    world.relate(quay.cargo, ChildOf(quay.truck))?;
    world.insert(quay.cargo, Offset::at(2, 0))?;
    world.move_source::<ChildOf>(quay.cargo, 0);
    let line = "The crate is put on the truck, as its first child.";
    show(&mut world, line, &mut text)?;

    // A command or `insert` would be refused as well, and report it; `relate` says so at once.
    if let Err(error) = world.relate(quay.crane, ChildOf(quay.hook)) {
        text += &format!("\nNobody hangs on what hangs on it:\n  {error}\n");
    }

    world.despawn(quay.truck)?;
    show(&mut world, "The truck drives off the quay.", &mut text)?;
    let driven = world.target::<Drives>(quay.driver);
    text += &format!("Anna is alive and drives {driven:?}\n");
    text += &format!("state {}\n", world.state_hash());
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", story()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    //! The story comes out as it is told.

    use super::*;

    #[test]
    fn the_story_is_the_same_every_time() {
        let text = story().expect("nothing fails");
        assert_eq!(story().expect("nothing fails"), text);
        for line in [
            "      crate  at (  9,   2) to the east",
            "      crate  at (  0,  11) to the north",
            "  truck        at (  0,  20) to the east, driven by Anna",
            "crate hangs on hook, arm, crane",
            "Anna is alive and drives None",
        ] {
            assert!(text.contains(line), "{line:?} is not in\n{text}");
        }
        assert!(text.contains("one of its own descendants"), "{text}");
    }

    #[test]
    fn what_is_below_the_truck_goes_with_it_and_nothing_else() {
        let mut world = World::new();
        let quay = build(&mut world);
        let crane_parts = 1 + world.descendants::<ChildOf>(quay.crane).count();
        world.despawn(quay.truck).expect("it lives");
        assert_eq!(world.len(), crane_parts + 1);
        assert!(world.contains(quay.driver));
        assert!(world.get::<Drives>(quay.driver).is_none());
    }

    #[test]
    fn four_quarter_turns_are_none() {
        let mut world = World::new();
        let quay = build(&mut world);
        let mut seen = Vec::new();
        for _ in 0..=4 {
            world.run_system_once(push_down).expect("nothing fails");
            let place = world.get::<Place>(quay.cargo).expect("it has one");
            seen.push((place.x, place.y));
            let mut arm = world.get_mut::<Offset>(quay.arm);
            arm.as_mut().expect("it has one").turns += 1;
        }
        assert_eq!(seen, [(9, 2), (0, 11), (-9, 2), (0, -7), (9, 2)]);
    }
}
