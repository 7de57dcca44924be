//! Components at run time: a mod. `cargo run -p orrery-examples --example run_time_components`
//!
//! The program knows `Height`. A mod, which is a text that it reads, defines components of its own
//! and rules over them; the program has no Rust type for these.
//!
//! ```text
//! mod text -> names, layouts -> World::register_dynamic -> numbers (ComponentId)
//!          -> rules          -> DynamicQuery by number  -> bytes, beside &[Height]
//! ```
//!
//! The mod's components are columns like all others: forked, hashed, and seen by every tool.

use std::collections::BTreeMap;
use std::error::Error;

use orrery::ecs::{ComponentDescriptor, ComponentId, DynamicChunk, DynamicError, DynamicQuery};
use orrery::prelude::*;

/// A component of the program: metres above the sea.
#[derive(Clone, Copy, Component)]
struct Height(f32);

/// What somebody wrote who has no compiler. A number is four bytes, a flag one.
const MOD: &str = "\
number heat = 20
number snow = 0
flag   lit  = 1
rule heat += -0.005 height
rule snow += 0.1 height
rule snow += -2 heat
";

/// `target += factor * source`, for all entities that have both.
#[derive(Debug)]
struct Rule {
    target: ComponentId,
    factor: f32,
    source: ComponentId,
}

/// A mod as this world knows it.
struct Mod {
    /// Components in the order of the text, with the bytes that new entities get.
    parts: Vec<(ComponentId, Vec<u8>)>,
    rules: Vec<Rule>,
}

/// Reads a mod and registers its components.
fn load(world: &mut World, text: &str) -> Result<Mod, Box<dyn Error>> {
    let mut numbers = BTreeMap::from([("height", world.register_component::<Height>())]);
    let (mut parts, mut rules) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let known = |name: &str| {
            let known = numbers.get(name).copied();
            known.ok_or_else(|| format!("`{line}`: there is no {name}"))
        };
        match *words.as_slice() {
            ["number", name, "=", value] => {
                let bytes = value.parse::<f32>()?.to_le_bytes().to_vec();
                let id = define(world, name, &bytes)?;
                numbers.insert(name, id);
                parts.push((id, bytes));
            }
            ["flag", name, "=", value] => {
                let bytes = vec![value.parse::<u8>()?];
                parts.push((define(world, name, &bytes)?, bytes));
            }
            ["rule", target, "+=", factor, source] => rules.push(Rule {
                target: known(target)?,
                factor: factor.parse()?,
                source: known(source)?,
            }),
            _ => return Err(format!("`{line}` is no line of a mod").into()),
        }
    }
    Ok(Mod { parts, rules })
}

/// A component of as many bytes. The name is the mod's own, so that two mods do not meet.
fn define(world: &mut World, name: &str, bytes: &[u8]) -> Result<ComponentId, DynamicError> {
    let size = bytes.len();
    world.register_dynamic(ComponentDescriptor::plain(
        &format!("winter::{name}"),
        size,
        size,
    ))
}

/// The numbers of a component, whoever defined it.
fn numbers(chunk: &DynamicChunk<'_>, id: ComponentId, height: ComponentId) -> Vec<f32> {
    if id == height {
        return chunk
            .slice::<Height>()
            .iter()
            .map(|height| height.0)
            .collect();
    }
    let (bytes, _) = chunk.bytes(id).as_chunks::<4>();
    bytes
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect()
}

/// Does what a rule says, block by block.
fn apply(world: &mut World, rule: &Rule) {
    let height = world.register_component::<Height>();
    // What is asked for writing can be read as well, and is asked for once.
    let mut query = DynamicQuery::new().write(rule.target);
    if rule.source != rule.target {
        query = query.read(rule.source);
    }
    query.for_each_chunk(world, |mut chunk| {
        let sources = numbers(&chunk, rule.source, height);
        let (targets, _) = chunk.bytes_mut(rule.target).as_chunks_mut::<4>();
        for (target, source) in targets.iter_mut().zip(sources) {
            *target = (f32::from_le_bytes(*target) + rule.factor * source).to_le_bytes();
        }
    });
}

/// Prints all components of an entity as a tool would, which knows none of them.
fn inspect(world: &World, entity: Entity) -> String {
    let mut text = format!("entity {entity}\n");
    let it = world.entity(entity);
    let components = it
        .archetype()
        .map_or(&[][..], |archetype| archetype.components());
    for &id in components {
        let (name, size) = (world.component_name(id), world.component_size(id));
        text += &format!("  {name:<28} {size} bytes  ");
        text += &match it.get_bytes(id) {
            Some(&[a, b, c, d]) => format!("{:.1}", f32::from_le_bytes([a, b, c, d])),
            Some(bytes) => format!("{bytes:?}"),
            // A Rust type, whose bytes are its own affair; the derive tells of its fields.
            None => format!("{} field of Rust", world.component_fields(id).len()),
        };
        text.push('\n');
    }
    text
}

/// A hillside of four tiles, with the mod's components on all but the last.
fn build(world: &mut World, winter: &Mod) -> Result<Vec<Entity>, DynamicError> {
    let heights = [0.0, 400.0, 1600.0, 3000.0].map(Height);
    let tiles: Vec<Entity> = world.spawn_batch(heights.map(|height| (height,))).collect();
    for &tile in &tiles[..3] {
        for (id, bytes) in &winter.parts {
            world.insert_bytes(tile, *id, bytes)?;
        }
    }
    Ok(tiles)
}

fn story() -> Result<String, Box<dyn Error>> {
    let mut world = World::new();
    let winter = load(&mut world, MOD)?;
    let tiles = build(&mut world, &winter)?;
    let mut text = String::from("A hillside, before the first snow:\n");
    text += &inspect(&world, tiles[2]);

    let summer = world.fork()?;
    for rule in &winter.rules {
        apply(&mut world, rule);
    }
    text += "\nAfter the rules of the mod:\n";
    for &tile in &tiles {
        text += &inspect(&world, tile);
    }
    text += &format!("\nstate before {}\n", summer.state_hash());
    text += &format!("state after  {}\n", world.state_hash());

    text += "\nWhat goes wrong is said:\n";
    let mut refuse = |error: String| text += &format!("  {error}\n");
    let again = ComponentDescriptor::plain("winter::heat", 8, 8);
    refuse(
        world
            .register_dynamic(again)
            .map_or_else(|error| error.to_string(), |_| "?".into()),
    );
    let (heat, _) = winter.parts[0];
    refuse(
        world
            .insert_bytes(tiles[3], heat, &[1])
            .map_or_else(|e| e.to_string(), |()| "?".into()),
    );
    refuse(load(&mut world, "rule heat += 1 rain").map_or_else(|e| e.to_string(), |_| "?".into()));
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", story()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    //! The story comes out as it is told, and damaged mods are refused.

    use super::*;

    fn number(world: &World, entity: Entity, name: &str) -> Option<f32> {
        let id = world.dynamic_id(&format!("winter::{name}"))?;
        let bytes = world.get_bytes(entity, id)?;
        Some(f32::from_le_bytes(bytes.try_into().ok()?))
    }

    #[test]
    fn the_story_is_the_same_every_time_and_says_what_goes_wrong() {
        let text = story().expect("nothing fails");
        assert_eq!(story().expect("nothing fails"), text);
        for line in [
            "a component named winter::heat is registered already",
            "winter::heat has 4 bytes, and 1 were given",
            "there is no heat",
        ] {
            assert!(text.contains(line), "{line:?} is not in\n{text}");
        }
    }

    #[test]
    fn rules_reach_all_that_have_both_components_and_nobody_else() {
        let mut world = World::new();
        let winter = load(&mut world, MOD).expect("it is well formed");
        let tiles = build(&mut world, &winter).expect("it is known");
        for rule in &winter.rules {
            apply(&mut world, rule);
        }
        let found = tiles.iter().map(|&tile| {
            let (heat, snow) = (number(&world, tile, "heat"), number(&world, tile, "snow"));
            heat.zip(snow)
        });
        let expected = [
            Some((20.0, -40.0)),
            Some((18.0, 4.0)),
            Some((12.0, 136.0)),
            None,
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_no_mod_is_refused() {
        for text in [
            "number heat",
            "number heat = hot",
            "flag lit = 256",
            "rule a += 1 height",
        ] {
            assert!(load(&mut World::new(), text).is_err(), "{text}");
        }
    }
}
