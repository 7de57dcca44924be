//! The same bits: the models under everything that must not show in their state.
//! `cargo run --release -p orrery-examples --example same_bits`
//!
//! One row for each way to run a model: workers, vector instructions, fusion of chunk systems, and
//! other orders of systems that the constraints permit. One column a model, with the hash of its
//! state after the last tick. The last line says in how many places a row differs from the first.

use std::error::Error;

use orrery::app::AppError;
use orrery::cli::{SetupError, build_into};
use orrery::ecs::WorldHash;
use orrery::math::simd::Level;
use orrery::prelude::*;
use orrery_examples::{melt, solar, swarm};

/// A model, its settings, and how many ticks it runs.
struct Model {
    name: &'static str,
    build: fn(&mut orrery::cli::Setup<'_>) -> Result<(), SetupError>,
    settings: &'static [(&'static str, &'static str)],
    ticks: u64,
}

const MODELS: [Model; 3] = [
    Model {
        name: "melt",
        build: melt::build,
        settings: &[("atoms", "4000")],
        ticks: 60,
    },
    Model {
        name: "solar",
        build: solar::build,
        settings: &[],
        ticks: 720,
    },
    Model {
        name: "swarm",
        build: swarm::build,
        settings: &[("boids", "20000")],
        ticks: 60,
    },
];

/// One way to run a model.
#[derive(Clone, Copy)]
struct Way {
    threads: usize,
    level: Level,
    fused: bool,
    /// Chooses another order of systems.
    order: Option<u64>,
}

fn ways() -> Vec<Way> {
    let mut ways = Vec::new();
    for level in Level::available() {
        for threads in [1, 2, 8] {
            for fused in [true, false] {
                ways.push(Way {
                    threads,
                    level,
                    fused,
                    order: None,
                });
            }
        }
    }
    let first = ways[0];
    ways.extend((1..=20).map(|seed| Way {
        threads: 2,
        order: Some(seed),
        ..first
    }));
    ways
}

/// The model ready to run, with orders denied that nobody gave.
fn app(model: &Model, way: Way) -> Result<App, Box<dyn Error>> {
    Level::set_current(way.level);
    let mut app = App::new();
    app.set_workers(Workers::new(way.threads)?);
    let settings = model.settings.iter();
    let settings: Vec<_> = settings
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    build_into(&mut app, 7, &settings, model.build)?;
    for label in orrery::app::ScheduleLabel::ALL {
        let schedule = app.schedule_mut(label);
        schedule.deny_ambiguities().set_fusing(way.fused);
        schedule.set_shuffled(way.order);
    }
    Ok(app)
}

fn hash(model: &Model, way: Way, ticks: u64) -> Result<WorldHash, Box<dyn Error>> {
    let mut app = app(model, way)?;
    app.run(Runner::Ticks(ticks))
        .map_err(|error: AppError| format!("{}: {error}", model.name))?;
    Ok(app.world().state_hash())
}

fn main() -> Result<(), Box<dyn Error>> {
    let level = Level::current();
    print!("workers  simd    fused  order    ");
    for model in &MODELS {
        print!("{:34}", format!("{} ({} ticks)", model.name, model.ticks));
    }
    println!();
    let mut expected: Vec<WorldHash> = Vec::new();
    let mut differences = 0;
    for way in ways() {
        let fused = if way.fused { "yes" } else { "no" };
        let order = way
            .order
            .map_or("given".to_owned(), |seed| format!("no. {seed}"));
        print!(
            "{:7}  {:6}  {fused:5}  {order:7}",
            way.threads,
            way.level.name()
        );
        for (number, model) in MODELS.iter().enumerate() {
            let hash = hash(model, way, model.ticks)?;
            if expected.len() == number {
                expected.push(hash);
            }
            differences += usize::from(hash != expected[number]);
            print!("  {hash}");
        }
        println!();
    }
    Level::set_current(level);
    println!("{} ways, {differences} differences", ways().len());
    match differences {
        0 => Ok(()),
        _ => Err("what must not show in the state does".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_gives_the_same_bits() {
        for model in &MODELS {
            let all = ways().into_iter().step_by(3);
            let hashes: Vec<_> = all
                .map(|way| hash(model, way, 4).expect("the model runs").to_string())
                .collect();
            let first = &hashes[0];
            assert!(
                hashes.iter().all(|one| one == first),
                "{}: {hashes:?}",
                model.name
            );
        }
    }

    #[test]
    fn no_model_leaves_an_order_to_chance() {
        for model in &MODELS {
            let mut app = app(model, ways()[0]).expect("the settings are valid");
            let found = app.ambiguities().expect("nothing is denied");
            assert!(found.is_empty(), "{}: {found:?}", model.name);
        }
    }
}
