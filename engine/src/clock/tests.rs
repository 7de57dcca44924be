//! Moments, zones with their summers, and that nothing of it is state.

use std::time::{Duration, UNIX_EPOCH};

use orrery_ecs::World;

use super::{ClockError, DateTime, WallClock, WallTime, Zone};

fn moment(text: &str) -> WallTime {
    text.parse().expect("a moment")
}

fn zone(name: &str) -> Zone {
    Zone::named(name).expect("a zone of the database")
}

#[test]
fn the_systems_clock_agrees_with_the_standard_library() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the wall clock is what is compared"
    )]
    let now = || std::time::SystemTime::now();
    let before = now();
    let found = WallClock::system().now().unix_ns();
    let after = now();
    let ns = |time: std::time::SystemTime| {
        time.duration_since(UNIX_EPOCH)
            .expect("it is after 1970")
            .as_nanos() as i128
    };
    assert!(ns(before) <= found && found <= ns(after));
}

#[test]
fn a_fake_stands_until_it_is_set() {
    let start = moment("2024-12-31T23:59:59.5Z");
    let mut clock = WallClock::fake(start);
    assert_eq!((clock.now(), clock.now()), (start, start));
    clock.set(start.plus(Duration::from_millis(500)).expect("in range"));
    assert_eq!(clock.now().to_string(), "2025-01-01T00:00:00Z");
    clock.set(WallTime::EPOCH);
    assert_eq!(clock.now().unix_ns(), 0, "clocks are set back, too");
}

#[test]
fn a_clock_never_enters_the_state_hash() {
    let mut world = World::new();
    let hash = |world: &World| world.state_hash();
    world.insert_resource(WallClock::fake(WallTime::EPOCH));
    let before = hash(&world);
    world
        .resource_mut::<WallClock>()
        .set(moment("2024-07-11T01:14:00Z"));
    assert_eq!(hash(&world), before);
    world.insert_resource(WallClock::system());
    assert_eq!(hash(&world), before);
}

#[test]
fn an_hour_is_left_out_in_spring_and_comes_twice_in_autumn() {
    let berlin = zone("Europe/Berlin");
    let at = |text| moment(text).in_zone(&berlin).to_string();
    assert_eq!(
        at("2024-03-31T00:59:59Z"),
        "2024-03-31T01:59:59+01:00[Europe/Berlin]"
    );
    assert_eq!(
        at("2024-03-31T01:00:00Z"),
        "2024-03-31T03:00:00+02:00[Europe/Berlin]"
    );
    assert_eq!(
        at("2024-10-27T00:30:00Z"),
        "2024-10-27T02:30:00+02:00[Europe/Berlin]"
    );
    assert_eq!(
        at("2024-10-27T01:30:00Z"),
        "2024-10-27T02:30:00+01:00[Europe/Berlin]"
    );
}

#[test]
fn parts_are_those_of_the_zone() {
    let there = moment("2024-02-29T18:20:30.000000007Z").in_zone(&zone("Asia/Kathmandu"));
    assert_eq!(
        there.parts(),
        DateTime {
            year: 2024,
            month: 3,
            day: 1,
            weekday: 5,
            hour: 0,
            minute: 5,
            second: 30,
            nanosecond: 7,
            offset_seconds: 20_700,
        }
    );
    assert_eq!(zone("asia/kathmandu").name(), "Asia/Kathmandu");
    let here = moment("1999-12-31T23:00:00Z").in_zone(&Zone::utc());
    assert_eq!((here.parts().hour, Zone::utc().name()), (23, "UTC"));
}

#[test]
fn what_is_wrong_is_named() {
    let unknown = Zone::named("Mars/Olympus").expect_err("not yet");
    assert!(
        unknown.to_string().contains("\"Mars/Olympus\""),
        "{unknown}"
    );
    let bad = "2024-02-30T00:00:00Z"
        .parse::<WallTime>()
        .expect_err("no such day");
    assert!(bad.to_string().contains("2024-02-30"), "{bad}");
    assert!(
        "2024-02-03T00:00:00".parse::<WallTime>().is_err(),
        "no offset, no moment"
    );
    let pattern = WallTime::EPOCH.in_zone(&Zone::utc()).format("%Y %!");
    assert!(
        matches!(pattern, Err(ClockError::BadPattern { .. })),
        "{pattern:?}"
    );
}

#[test]
fn moments_outside_the_calendar_are_refused() {
    for ns in [
        i128::MIN,
        -400_000_000_000_000_000_000,
        260_000_000_000_000_000_000,
        i128::MAX,
    ] {
        assert_eq!(
            WallTime::from_unix_ns(ns),
            Err(ClockError::OutOfRange { ns })
        );
    }
    let last = moment("9999-12-30T00:00:00Z");
    assert!(last.plus(Duration::MAX).is_err());
    assert_eq!(WallTime::from_unix_ns(last.unix_ns()), Ok(last));
}
