//! Random scripts, and a model that keeps their order in a sorted set.
//!
//! The model knows nothing of lists, wheels, heaps or slots: each script is a program counter and
//! what it waits for, and whose turn it is is the smallest of (due, number).

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use orrery_ecs::{Entity, Event, World};

use super::super::{Either, Script, Task, WorldTasks, race};
use super::{Log, next_random};

/// What a script does, one after the other.
#[derive(Clone, Copy, Debug)]
enum Step {
    Sleep(u64),
    /// Sleeps for the first or the second, whichever is shorter.
    Race(u64, u64),
    Wait(u32),
    Trigger(u32),
    /// Spawns a script of another program and lets it go.
    Spawn(usize),
    /// Spawns one and waits for its end.
    Call(usize),
    /// Despawns the entity of a script, if it is there.
    Kill(usize),
}

type Programs = Arc<Vec<Vec<Step>>>;

const ENTITIES: usize = 4;

fn programs(seed: &mut u64) -> Programs {
    let count = 6;
    let mut programs = Vec::new();
    for program in 0..count {
        let steps = (0..1 + next_random(seed) % 8).map(|_| {
            let number = next_random(seed);
            // Only later programs, so that every script ends.
            let later = program + 1 + (number >> 8) as usize % (count - program);
            match number % 12 {
                0..4 => Step::Sleep((number >> 8) % 4),
                4 => Step::Race(1 + (number >> 8) % 3, (number >> 16) % 100),
                5 | 6 => Step::Wait((number >> 8) as u32 % 2),
                7 | 8 => Step::Trigger((number >> 8) as u32 % 2),
                9 if later < count => Step::Spawn(later),
                10 if later < count => Step::Call(later),
                11 => Step::Kill((number >> 8) as usize % (8 * ENTITIES)),
                _ => Step::Sleep(70),
            }
        });
        programs.push(steps.collect());
    }
    Arc::new(programs)
}

/// Tick, script, and the step that begins; `None` when it is dropped.
type Entry = (u64, u64, Option<usize>);

#[derive(Clone, Event)]
struct Signal(u32);

/// What all scripts share. Numbers are given in the order of spawning.
#[derive(Clone)]
struct Stage {
    programs: Programs,
    log: Log<Entry>,
    spawned: Log<()>,
    entities: Arc<Vec<Entity>>,
    now: Log<u64>,
}

impl Stage {
    fn next_number(&self) -> u64 {
        self.spawned.push(());
        self.spawned.all().len() as u64
    }

    fn now(&self) -> u64 {
        self.now.all().last().copied().unwrap_or(0)
    }
}

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Guard(Stage, u64);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.log.push((self.0.now(), self.1, None));
    }
}

/// Boxed, because scripts spawn scripts of the same kind.
fn play(script: Script, stage: Stage, number: u64, program: usize) -> Boxed {
    let guard = Guard(stage.clone(), number);
    Box::pin(async move {
        let _guard = guard;
        for (at, step) in stage.programs[program].iter().enumerate() {
            stage.log.push((script.tick(), number, Some(at)));
            match *step {
                Step::Sleep(ticks) => script.sleep(ticks).await,
                Step::Race(first, second) => {
                    let won = race(script.sleep(first), script.sleep(second)).await;
                    // A jump over both lets the first win as well.
                    assert!(won == Either::Left(()) || first > second);
                }
                Step::Wait(kind) => {
                    let mut signals = script.events::<Signal>();
                    while signals.next().await.0 != kind {}
                }
                Step::Trigger(kind) => script.with(|world| world.trigger(Signal(kind))),
                Step::Spawn(program) => spawn_from(script, &stage, program).detach(),
                Step::Call(program) => _ = spawn_from(script, &stage, program).await,
                Step::Kill(which) => script.with(|world| {
                    if let Some(&entity) = stage.entities.get(which) {
                        let _ = world.despawn(entity);
                    }
                }),
            }
        }
    })
}

fn spawn_from(script: Script, stage: &Stage, program: usize) -> Task<()> {
    let (number, stage) = (stage.next_number(), stage.clone());
    script.spawn(move |script| play(script, stage, number, program))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Ready(u64),
    Sleeping(u64),
    /// For a signal of a kind.
    Waiting(u32),
    /// For the end of a script.
    Calling(u64),
}

struct Actor {
    program: usize,
    at: usize,
    state: State,
    entity: Option<usize>,
    /// Who waits for its end.
    caller: Option<u64>,
    /// Whether its present step has begun.
    has_begun: bool,
}

#[derive(Default)]
struct Model {
    actors: BTreeMap<u64, Actor>,
    spawned: u64,
    dead: [bool; ENTITIES],
    cancelled: Vec<u64>,
    log: Vec<Entry>,
    tick: u64,
}

impl Model {
    fn spawn(&mut self, program: usize, entity: Option<usize>, caller: Option<u64>) {
        self.spawned += 1;
        let actor = Actor {
            program,
            at: 0,
            state: State::Ready(self.tick),
            entity,
            caller,
            has_begun: false,
        };
        self.actors.insert(self.spawned, actor);
    }

    fn trigger(&mut self, kind: u32) {
        let tick = self.tick;
        for actor in self.actors.values_mut() {
            if actor.state == State::Waiting(kind) {
                actor.state = State::Ready(tick);
            }
        }
    }

    /// Who belongs to an entity, in order of spawning; they end when `sweep` is called.
    fn kill(&mut self, entity: usize) {
        if entity < ENTITIES && !std::mem::replace(&mut self.dead[entity], true) {
            let scripts = self.actors.iter();
            let doomed = scripts.filter(|(_, actor)| actor.entity == Some(entity));
            self.cancelled.extend(doomed.map(|(&number, _)| number));
        }
    }

    fn sweep(&mut self) {
        let mut cancelled = std::mem::take(&mut self.cancelled);
        while !cancelled.is_empty() {
            let number = cancelled.remove(0);
            let Some(actor) = self.actors.remove(&number) else {
                continue;
            };
            self.log.push((self.tick, number, None));
            // Its handle of the script that it waits for is dropped with it.
            if let State::Calling(child) = actor.state {
                cancelled.push(child);
            }
            self.wake_caller(&actor);
        }
    }

    fn wake_caller(&mut self, actor: &Actor) {
        let tick = self.tick;
        if let Some(caller) = actor.caller.and_then(|caller| self.actors.get_mut(&caller)) {
            caller.state = State::Ready(tick);
        }
    }

    fn run(&mut self, tick: u64, programs: &Programs) {
        let before = self.tick;
        self.tick = self.tick.max(tick);
        for actor in self.actors.values_mut() {
            match actor.state {
                // Between two runs all are due when the next one begins.
                State::Ready(_) => actor.state = State::Ready(self.tick),
                State::Sleeping(due) if due <= self.tick => actor.state = State::Ready(due),
                _ => {}
            }
        }
        assert!(before <= self.tick);
        loop {
            let ready = self
                .actors
                .iter()
                .filter_map(|(&number, actor)| match actor.state {
                    State::Ready(due) => Some((due, number)),
                    _ => None,
                });
            let Some((_, number)) = ready.min() else {
                break;
            };
            self.turn(number, programs);
            self.sweep();
        }
    }

    /// Steps until one that waits.
    fn turn(&mut self, number: u64, programs: &Programs) {
        loop {
            let tick = self.tick;
            let actor = self.actors.get_mut(&number).expect("its turn");
            if std::mem::take(&mut actor.has_begun) {
                actor.at += 1;
            }
            let Some(&step) = programs[actor.program].get(actor.at) else {
                self.log.push((tick, number, None));
                let actor = self.actors.remove(&number).expect("it was there");
                self.wake_caller(&actor);
                return;
            };
            self.log.push((tick, number, Some(actor.at)));
            actor.has_begun = true;
            let state = match step {
                Step::Sleep(ticks) => (ticks > 0).then_some(State::Sleeping(tick + ticks)),
                Step::Race(first, second) => {
                    let ticks = first.min(second);
                    (ticks > 0).then_some(State::Sleeping(tick + ticks))
                }
                Step::Wait(kind) => Some(State::Waiting(kind)),
                Step::Call(program) => {
                    let child = self.spawned + 1;
                    self.spawn(program, None, Some(number));
                    Some(State::Calling(child))
                }
                Step::Spawn(program) => {
                    self.spawn(program, None, None);
                    None
                }
                Step::Trigger(kind) => {
                    self.trigger(kind);
                    None
                }
                Step::Kill(entity) => {
                    self.kill(entity);
                    None
                }
            };
            if let Some(state) = state {
                self.actors.get_mut(&number).expect("it waits").state = state;
                return;
            }
        }
    }
}

/// A world and the model do the same for some ticks.
fn compare(run: u64) {
    let seed = &mut run.clone();
    let programs = programs(seed);
    let mut world = World::new();
    let entities: Vec<Entity> = (0..ENTITIES).map(|_| world.spawn(()).id()).collect();
    let stage = Stage {
        programs: Arc::clone(&programs),
        log: Log::new(),
        spawned: Log::new(),
        entities: Arc::new(entities),
        now: Log::new(),
    };
    let mut model = Model::default();
    let mut tick = 0;
    for _ in 0..60 {
        // What systems do between two runs.
        for _ in 0..next_random(seed) % 4 {
            let number = next_random(seed);
            match number % 8 {
                0..5 => {
                    let program = (number >> 8) as usize % programs.len();
                    let owner = (number >> 16) as usize % (3 * ENTITIES);
                    let entity = stage.entities.get(owner).copied();
                    let is_dead = entity.is_some_and(|entity| !world.contains(entity));
                    if !is_dead {
                        let (its, number) = (stage.clone(), stage.next_number());
                        let play = move |script| play(script, its, number, program);
                        match entity {
                            Some(entity) => {
                                world
                                    .spawn_task_for(entity, play)
                                    .expect("it lives")
                                    .detach();
                            }
                            None => world.spawn_task(play).detach(),
                        }
                        model.spawn(program, entity.map(|_| owner), None);
                    }
                }
                5 | 6 => {
                    let kind = (number >> 8) as u32 % 2;
                    world.trigger(Signal(kind));
                    model.trigger(kind);
                }
                _ => {
                    let entity = (number >> 8) as usize % (4 * ENTITIES);
                    if let Some(&handle) = stage.entities.get(entity) {
                        let _ = world.despawn(handle);
                    }
                    model.kill(entity);
                    model.sweep();
                }
            }
        }
        // Now and then over some ticks, or none.
        tick += [1, 1, 1, 1, 0, 3][next_random(seed) as usize % 6];
        stage.now.push(tick);
        world.run_tasks(tick);
        model.run(tick, &programs);
        assert_eq!(stage.log.all(), model.log, "seed {run}, tick {tick}");
    }
    let living = world.get_resource::<super::super::Scripts>();
    let living = living.map_or(0, super::super::Scripts::len);
    assert_eq!(living, model.actors.len(), "seed {run}");
}

#[test]
fn random_scripts_run_in_the_order_of_the_model() {
    (0..300).for_each(compare);
}
