//! Random operations on a wheel and on a sorted map that does the obvious.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use orrery_ecs::World;

use super::super::tests::next_random;
use super::{TimerId, Timers};

/// What is due, by tick and then by order of arming.
#[derive(Default)]
struct Model {
    now: u64,
    armed: u64,
    timers: BTreeMap<(u64, u64), (TimerId, u64, u32)>,
}

impl Model {
    fn arm(&mut self, id: TimerId, tick: u64, period: u32, value: u64) {
        let due = tick.max(self.now);
        self.armed += 1;
        self.timers.insert((due, self.armed), (id, value, period));
    }

    fn key(&self, id: TimerId) -> Option<(u64, u64)> {
        let found = self.timers.iter().find(|(_, timer)| timer.0 == id);
        found.map(|(&key, _)| key)
    }

    fn cancel(&mut self, id: TimerId) -> Option<u64> {
        let key = self.key(id)?;
        self.timers.remove(&key).map(|(_, value, _)| value)
    }

    fn rearm(&mut self, id: TimerId, tick: u64) -> bool {
        let Some((_, value, period)) = self.key(id).and_then(|key| self.timers.remove(&key)) else {
            return false;
        };
        self.arm(id, tick, period, value);
        true
    }

    fn expire_next(&mut self, tick: u64) -> Option<(TimerId, u64, u64)> {
        let first = self.timers.first_entry();
        let Some(entry) = first.filter(|entry| entry.key().0 <= tick) else {
            self.now = self.now.max(tick);
            return None;
        };
        let ((due, _), (id, value, period)) = entry.remove_entry();
        self.now = due;
        if let (1.., Some(next)) = (period, due.checked_add(u64::from(period))) {
            self.arm(id, next, period, value);
        }
        Some((id, due, value))
    }
}

/// A number of any magnitude below 2^bits.
fn any_size(seed: &mut u64, bits: u64) -> u64 {
    next_random(seed) >> (64 - bits) >> (next_random(seed) % bits)
}

/// One wheel, the model, and every id that there was.
struct Pair {
    wheel: Timers<u64>,
    model: Model,
    ids: Vec<TimerId>,
    values: u64,
}

impl Pair {
    fn new() -> Self {
        Self {
            wheel: Timers::new(),
            model: Model::default(),
            ids: Vec::new(),
            values: 0,
        }
    }

    fn arm(&mut self, seed: &mut u64, bits: u64) {
        self.values += 1;
        let (now, value) = (self.wheel.now(), self.values);
        let after = any_size(seed, bits);
        let (tick, period, id) = match next_random(seed) % 8 {
            // In the past, too.
            0 => {
                let tick = any_size(seed, bits);
                (tick, 0, self.wheel.arm_at(tick, value))
            }
            1 => {
                // Not so short that a step over all bits gives it out millions of times.
                let period = NonZeroU32::MIN | any_size(seed, bits.min(32)) as u32;
                let first = now.saturating_add(after);
                let id = self.wheel.arm_periodic(first, period, value);
                (first, period.get(), id)
            }
            _ => {
                let id = self.wheel.arm_after(after, value);
                (now.saturating_add(after), 0, id)
            }
        };
        assert!(!self.ids.contains(&id), "{id:?} was given twice");
        self.ids.push(id);
        self.model.arm(id, tick, period, value);
    }

    fn step(&mut self, seed: &mut u64, bits: u64) {
        let id = |seed: &mut u64, ids: &[TimerId]| {
            let index = next_random(seed) as usize % ids.len().max(1);
            ids.get(index).copied()
        };
        match next_random(seed) % 16 {
            0..8 => self.arm(seed, bits),
            8..11 => {
                if let Some(id) = id(seed, &self.ids) {
                    assert_eq!(self.wheel.cancel(id), self.model.cancel(id));
                    assert_eq!(self.wheel.cancel(id), None);
                }
            }
            11 => {
                if let Some(id) = id(seed, &self.ids) {
                    let tick = self.wheel.now().saturating_add(any_size(seed, bits));
                    assert_eq!(self.wheel.rearm_at(id, tick), self.model.rearm(id, tick));
                }
            }
            _ => {
                let tick = self.wheel.now().saturating_add(any_size(seed, bits));
                // Left early now and then, also because a short period fills a long step.
                let most = 1 + next_random(seed) % 200;
                for _ in 0..most {
                    let found = self.wheel.expire_next(tick);
                    let found = found.map(|expired| (expired.id, expired.due, expired.value));
                    assert_eq!(found, self.model.expire_next(tick));
                    if found.is_none() {
                        break;
                    }
                    if next_random(seed).is_multiple_of(4) {
                        self.arm(seed, bits);
                    }
                }
            }
        }
        self.compare(seed);
    }

    fn compare(&self, seed: &mut u64) {
        let (wheel, model) = (&self.wheel, &self.model);
        assert_eq!((wheel.now(), wheel.len()), (model.now, model.timers.len()));
        let first = model.timers.first_key_value().map(|(key, _)| key.0);
        assert_eq!(wheel.next_due(), first);
        if !self.ids.is_empty() {
            let id = self.ids[next_random(seed) as usize % self.ids.len()];
            let key = model.key(id);
            assert_eq!(wheel.contains(id), key.is_some());
            assert_eq!(wheel.due(id), key.map(|key| key.0));
            assert_eq!(
                wheel.get(id),
                key.and_then(|key| model.timers.get(&key))
                    .map(|timer| &timer.1)
            );
        }
    }
}

#[test]
fn a_wheel_does_what_a_sorted_map_does() {
    for run in 0..64 {
        let mut seed = run;
        // From a few ticks, where many timers share one, to all that a u64 has.
        let bits = 1 + run % 64;
        let mut pair = Pair::new();
        for _ in 0..600 {
            pair.step(&mut seed, bits);
        }
    }
}

fn hash(timers: &Timers<u64>) -> String {
    let mut world = World::new();
    world.insert_resource(timers.clone());
    world.state_hash().to_string()
}

#[test]
fn a_clone_has_the_hash_and_the_future_of_its_original() {
    for run in 0..16 {
        let (mut seed, bits) = (run, 4 + run * 4 % 60);
        let mut pair = Pair::new();
        (0..300).for_each(|_| pair.step(&mut seed, bits));
        let mut clone = pair.wheel.clone();
        let original = &mut pair.wheel;
        for _ in 0..100 {
            assert_eq!(hash(original), hash(&clone));
            let after = any_size(&mut seed, bits);
            assert_eq!(original.arm_after(after, run), clone.arm_after(after, run));
            let tick = original.now().saturating_add(any_size(&mut seed, bits));
            let taken: Vec<_> = original.expire(tick).take(50).collect();
            assert_eq!(taken, clone.expire(tick).take(50).collect::<Vec<_>>());
        }
    }
}

#[test]
fn one_step_over_many_ticks_leaves_the_state_of_one_by_one() {
    for run in 0..16 {
        let mut seed = run;
        let mut pair = Pair::new();
        (0..300).for_each(|_| pair.step(&mut seed, 9));
        let (mut whole, mut single) = (pair.wheel.clone(), pair.wheel);
        let (from, to) = (whole.now(), whole.now() + 5_000);
        let at_once: Vec<_> = whole.expire(to).collect();
        let mut one_by_one = Vec::new();
        (from..=to).for_each(|tick| one_by_one.extend(single.expire(tick)));
        assert_eq!(at_once, one_by_one);
        assert_eq!(hash(&whole), hash(&single));
    }
}
