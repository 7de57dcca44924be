//! Memory stays as it is, however long a world lives and however many there were.

use std::time::Instant;

use super::memory::{held_bytes, resident_bytes};
use super::town::{PERIOD, Told, Town};

/// Periods after which every list and pool has the size that it needs.
const WARM_UP: u64 = 12;

/// Pages that the allocator does not return at once and what the system keeps for the process. An
/// hour has 216,000 ticks, so 40 bytes that are lost in each of them show.
const RESIDENT_GROWTH_MAX: u64 = 8 << 20;

/// Ticks of the soak, if somebody wants other ones than every run does.
fn ticks_asked_for() -> Option<u64> {
    let text = std::env::var("ORRERY_SOAK_TICKS").ok()?;
    Some(text.parse().expect("ORRERY_SOAK_TICKS is a number"))
}

/// Heap of this thread and blocks of the world.
fn memory(town: &Town) -> (i64, usize) {
    (held_bytes(), town.world.pool_usage().reserved_bytes)
}

#[test]
fn memory_is_the_same_to_the_byte_after_every_period() {
    let begin = Instant::now();
    let asked_for = ticks_asked_for();
    let periods = (asked_for.unwrap_or(16 * PERIOD) / PERIOD).max(WARM_UP + 1);
    let mut town = Town::new();
    for _ in 0..WARM_UP {
        town.period();
    }
    let (warm, resident) = (memory(&town), resident_bytes());
    let mut resident_max = resident;
    for period in WARM_UP..periods {
        town.period();
        assert_eq!(memory(&town), warm, "after period {period}");
        resident_max = resident_max.max(resident_bytes());
    }
    let told = *town.world.resource::<Told>();
    let least = periods * PERIOD;
    assert!(told.observers > least && told.hooks > least && told.changed > least);
    assert!(told.removed > least, "{told:?}");
    if asked_for.is_some()
        && let (Some(before), Some(most)) = (resident, resident_max)
    {
        let growth = most - before;
        println!(
            "{} ticks in {:.1} s; heap {} and blocks {} bytes at each end; resident {most} bytes \
             at most, {growth} more than after the warm-up; {told:?}",
            periods * PERIOD,
            begin.elapsed().as_secs_f64(),
            warm.0,
            warm.1
        );
        assert!(growth <= RESIDENT_GROWTH_MAX, "{growth} bytes");
    }
}

/// Each with observers, forks, relationships and all that a town has.
#[test]
fn a_thousand_worlds_that_came_and_went_leave_nothing() {
    let life = || {
        let mut town = Town::new();
        for _ in 0..20 {
            town.step();
        }
        town.world.len()
    };
    // So many until the allocator has the pages that it goes on with.
    let count = (0..100).map(|_| life()).sum::<usize>() / 100;
    let (before, resident) = (held_bytes(), resident_bytes());
    for number in 0..1000 {
        assert_eq!(life(), count);
        assert_eq!(held_bytes(), before, "after world {number}");
    }
    if ticks_asked_for().is_some()
        && let (Some(before), Some(after)) = (resident, resident_bytes())
    {
        let growth = after.saturating_sub(before);
        println!("1000 worlds; resident {after} bytes, {growth} more than after the first hundred");
        assert!(growth <= RESIDENT_GROWTH_MAX, "{growth} bytes");
    }
}
