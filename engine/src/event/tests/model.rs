//! Queues against a list of all that was ever sent, over random runs of writers and readers.

use orrery_ecs::Res;

use super::super::EventId;
use super::*;

/// SplitMix64, enough to choose what happens next.
struct Chooser(u64);

impl Chooser {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }
}

/// How much the next run does, and whether it counts.
#[derive(Clone, Default, Resource)]
struct Plan {
    count: u64,
    fails: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Reference {
    sent: u64,
    dropped: u64,
    refused: u64,
    /// Next event of each reader, and what it has missed.
    readers: [(u64, u64); 3],
}

impl Reference {
    fn held(&self) -> u64 {
        let places = self.readers.iter().map(|&(next, _)| next);
        places.min().unwrap_or(self.sent)
    }

    fn send(&mut self, capacity: u64, overflow: Overflow) -> bool {
        if self.sent - self.held() == capacity {
            if overflow != Overflow::DropOldest {
                self.refused += 1;
                return false;
            }
            self.dropped += 1;
            let oldest = self.held();
            for (next, missed) in &mut self.readers {
                if *next == oldest {
                    (*next, *missed) = (*next + 1, *missed + 1);
                }
            }
        }
        self.sent += 1;
        true
    }
}

fn write(mut nums: EventWriter<Num>, plan: Res<Plan>, mut next: ResMut<Seen<0>>) {
    for _ in 0..plan.count {
        // The value is the number of the event, if it is taken.
        let number = next.0.len() as u64;
        if nums.send(Num(number)) == Some(EventId::from_number(number)) {
            next.0.push(number);
        }
    }
}

/// Reads some and checks that they are the next ones.
fn read_some<const READER: usize>(
    mut nums: EventReader<Num>,
    plan: Res<Plan>,
    mut log: ResMut<Seen<1>>,
) -> Result<(), &'static str> {
    let (before, count) = (nums.len(), plan.count as usize);
    let found: Vec<(u64, u64)> = nums
        .read_with_id()
        .take(count)
        .map(|(id, num)| (id.number(), num.0))
        .collect();
    assert_eq!(nums.len(), before - found.len());
    assert!(found.iter().all(|(id, number)| id == number));
    let after = |pair: &[(u64, u64)]| pair[0].0 + 1 == pair[1].0;
    assert!(found.windows(2).all(after));
    log.0 = vec![before as u64, nums.missed()];
    log.0.extend(found.iter().map(|(id, _)| id));
    if plan.fails { Err("planned") } else { Ok(()) }
}

fn lives(seed: u64, capacity: u64, overflow: Overflow) {
    let mut choose = Chooser(seed);
    let mut world = limited(capacity as usize, overflow);
    world.init_resource::<Plan>();
    let mut writer = made(&mut world, write);
    let mut readers: [Box<dyn System>; 3] = [
        Box::new(made(&mut world, read_some::<0>)),
        Box::new(made(&mut world, read_some::<1>)),
        Box::new(made(&mut world, read_some::<2>)),
    ];
    let mut reference = Reference::default();
    let mut saved = (
        world.fork().expect("everything is Clone"),
        reference.clone(),
    );
    for step in 0..3000 {
        let context = format!("seed {seed}, {overflow:?} of {capacity}, step {step}");
        let reader = choose.below(3) as usize;
        let plan = world.resource_mut::<Plan>();
        plan.count = choose.below(capacity + 3);
        plan.fails = choose.below(10) == 0;
        let plan = plan.clone();
        match choose.below(20) {
            0 => {
                saved = (
                    world.fork().expect("everything is Clone"),
                    reference.clone(),
                )
            }
            1 => {
                world = saved.0.fork().expect("everything is Clone");
                reference = saved.1.clone();
            }
            2..9 => {
                run(&mut writer, &mut world);
                for _ in 0..plan.count {
                    reference.send(capacity, overflow);
                }
            }
            _ => {
                let ran = readers[reader].run(&mut world, &Serial);
                assert_eq!(ran.is_err(), plan.fails, "{context}");
                let (next, missed) = &mut reference.readers[reader];
                let unread = reference.sent - *next;
                let count = plan.count.min(unread);
                let mut expected = vec![unread, *missed];
                expected.extend(*next..*next + count);
                assert_eq!(seen::<1>(&world), expected, "{context}");
                *next += if plan.fails { 0 } else { count };
            }
        }
        check(&world, &reference, &context);
    }
}

fn check(world: &World, reference: &Reference, context: &str) {
    let (queue, counters) = (queue(world), queue(world).counters());
    let found = (counters.sent, counters.dropped, counters.refused);
    let expected = (reference.sent, reference.dropped, reference.refused);
    assert_eq!(found, expected, "{context}");
    let places = queue
        .readers()
        .map(|reader| (reference.sent - reader.unread, reader.missed));
    assert!(places.eq(reference.readers), "{context}");
    assert!(queue.len() <= queue.capacity(), "{context}");
    assert!(
        queue.len() as u64 >= reference.sent - reference.held(),
        "{context}"
    );
}

#[test]
fn random_runs_agree_with_a_list_of_all_that_was_sent() {
    for seed in 0..4 {
        for capacity in [1, 2, 7, 40] {
            lives(seed, capacity, Overflow::DropOldest);
            lives(seed + 100, capacity, Overflow::Block);
        }
    }
}
