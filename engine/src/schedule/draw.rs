//! A schedule as text: what runs when, with whom, and what the rest waits for.

use std::fmt::Write;

use orrery_ecs::World;

use super::build::Built;
use super::{Schedule, ScheduleError};

/// What runs as one, ready to be drawn.
pub(super) struct Drawn {
    /// Names of the systems in it; conditions end with a question mark.
    pub(super) names: Vec<String>,
    /// Boxes of the same stage that wait for it.
    pub(super) next: Vec<usize>,
    pub(super) cost_ns: Option<u64>,
    /// How many boxes come before it at least.
    pub(super) depth: usize,
    /// Whether it is on the longest way through its stage.
    pub(super) is_critical: bool,
}

impl Drawn {
    fn weight(&self) -> u64 {
        self.cost_ns.unwrap_or(1)
    }
}

impl Schedule {
    /// The schedule in words: stages, what runs in them at the same time or block by block
    /// together, what waits for what, and the longest way through each stage, by measured times
    /// after [`set_measured`](Self::set_measured) and else by numbers of systems.
    ///
    /// # Errors
    /// As [`initialize`](Self::initialize).
    ///
    /// ```
    /// use orrery::ecs::{Chunk, Component, World};
    /// use orrery::schedule::Schedule;
    /// #[derive(Clone, Copy, Component)]
    /// struct Speed(f32);
    /// fn brake(chunk: Chunk<&mut Speed>) {
    ///     chunk.slices().iter_mut().for_each(|speed| speed.0 *= 0.5);
    /// }
    /// fn fall(chunk: Chunk<&mut Speed>) {
    ///     chunk.slices().iter_mut().for_each(|speed| speed.0 -= 9.81);
    /// }
    /// let mut schedule = Schedule::new("example");
    /// schedule.add_systems((brake, fall));
    /// let text = schedule.to_text(&mut World::new())?;
    /// assert!(text.contains("brake + fall"), "{text}");
    /// # Ok::<(), orrery::schedule::ScheduleError>(())
    /// ```
    pub fn to_text(&mut self, world: &mut World) -> Result<String, ScheduleError> {
        let stages = self.boxes(world)?;
        let systems = self.entries.len();
        let mut text = format!(
            "schedule {}: {systems} systems in {} stages\n",
            self.name,
            stages.len()
        );
        for (number, stage) in stages.iter().enumerate() {
            let _ = writeln!(text, "stage {}", number + 1);
            for (at, unit) in stage.iter().enumerate() {
                let mark = if unit.is_critical { '*' } else { ' ' };
                let _ = write!(text, " {mark}{:>3}  {}", at + 1, unit.names.join(" + "));
                let waits = stage.iter().enumerate();
                let waits = waits.filter(|(_, before)| before.next.contains(&at));
                let waits: Vec<String> =
                    waits.map(|(before, _)| format!("{}", before + 1)).collect();
                if !waits.is_empty() {
                    let _ = write!(text, "  after {}", waits.join(", "));
                }
                if let Some(cost) = unit.cost_ns {
                    let _ = write!(text, "  {}", time(cost));
                }
                text.push('\n');
            }
        }
        text.push_str("* on the longest way; + block by block together; ? a condition\n");
        Ok(text)
    }

    /// The stages with their boxes.
    pub(super) fn boxes(&mut self, world: &mut World) -> Result<Vec<Vec<Drawn>>, ScheduleError> {
        self.initialize(world)?;
        let mut stages = Vec::new();
        let Some(mut built) = self.built.take() else {
            return Ok(stages);
        };
        for number in 0..built.stages.len() {
            let planned = built.stages[number].initialize(world);
            if let Err(source) = planned {
                let schedule = self.name;
                self.built = Some(built);
                return Err(ScheduleError::System { schedule, source });
            }
            let mut stage = self.boxes_of(&built, number);
            find_longest(&mut stage);
            stages.push(stage);
        }
        self.built = Some(built);
        Ok(stages)
    }

    fn boxes_of(&self, built: &Built, stage: usize) -> Vec<Drawn> {
        let name = |node: usize| {
            let entry = built.places.iter().position(|&at| at == (stage, node));
            match entry {
                Some(entry) => short(self.entries[entry].name).to_owned(),
                None => self.gate_name(built, (stage, node)),
            }
        };
        let units = built.stages[stage].units();
        let boxes = units.map(|unit| Drawn {
            names: unit.nodes.iter().map(|&node| name(node as usize)).collect(),
            next: unit.next.iter().map(|&next| next as usize).collect(),
            cost_ns: unit.cost_ns,
            depth: 0,
            is_critical: false,
        });
        let boxes: Vec<Drawn> = boxes.collect();
        if !boxes.is_empty() {
            return boxes;
        }
        // One that has the whole world.
        let alone = (0..built.stages[stage].len()).map(|node| Drawn {
            names: vec![name(node)],
            next: Vec::new(),
            cost_ns: None,
            depth: 0,
            is_critical: false,
        });
        alone.collect()
    }

    fn gate_name(&self, built: &Built, place: (usize, usize)) -> String {
        let gate = built.gate_places.iter().position(|&at| at == Some(place));
        let name = gate.map_or("", |gate| self.gates[gate].name);
        format!("{}?", short(name))
    }
}

/// Finds depths and the longest way; boxes stand in an order that fits.
fn find_longest(stage: &mut [Drawn]) {
    let mut ends = vec![0; stage.len()];
    let mut from = vec![None; stage.len()];
    for at in 0..stage.len() {
        ends[at] += stage[at].weight();
        for next in stage[at].next.clone() {
            stage[next].depth = stage[next].depth.max(stage[at].depth + 1);
            if ends[at] > ends[next] {
                (ends[next], from[next]) = (ends[at], Some(at));
            }
        }
    }
    let mut last = (0..stage.len()).rev().max_by_key(|&at| ends[at]);
    while let Some(at) = last {
        stage[at].is_critical = true;
        last = from[at];
    }
}

/// A name without the path before it, also of each name inside.
pub(super) fn short(name: &str) -> String {
    let name = name.replace("::{{closure}}", "{closure}");
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut short = String::new();
    let mut rest = &*name;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (path, after) = rest.split_at(end);
        short.push_str(path.rsplit("::").next().unwrap_or(path));
        let mut after = after.chars();
        short.extend(after.next());
        rest = after.as_str();
    }
    short
}

/// A time in the unit that suits it.
pub(super) fn time(ns: u64) -> String {
    match ns {
        0..10_000 => format!("{ns} ns"),
        10_000..10_000_000 => format!("{:.1} us", ns as f64 / 1e3),
        _ => format!("{:.1} ms", ns as f64 / 1e6),
    }
}
