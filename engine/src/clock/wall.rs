//! The clock and the moments that it gives.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;
use orrery_ecs::Resource;

use super::{ClockError, Zone, ZonedTime};

/// A moment of the world's time (UTC), to the nanosecond, in the years -9999 to 9999.
///
/// Prints as RFC 3339 and reads it. It is no state:
///
/// ```compile_fail,E0277
/// use orrery::prelude::*;
/// #[derive(Clone, Component)]
/// struct Born(orrery::clock::WallTime);
/// ```
///
/// # Examples
/// ```
/// use orrery::clock::WallTime;
///
/// let moment = WallTime::from_unix_ns(1_720_660_440_000_000_000)?;
/// assert_eq!(moment.to_string(), "2024-07-11T01:14:00Z");
/// assert_eq!("2024-07-11T03:14:00+02:00".parse(), Ok(moment));
/// # Ok::<(), orrery::clock::ClockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WallTime(pub(super) Timestamp);

impl WallTime {
    /// Midnight of 1 January 1970.
    pub const EPOCH: Self = Self(Timestamp::UNIX_EPOCH);

    /// The moment so many nanoseconds after 1970, leap seconds not counted.
    ///
    /// # Errors
    /// [`ClockError::OutOfRange`] outside the years -9999 to 9999.
    pub fn from_unix_ns(ns: i128) -> Result<Self, ClockError> {
        let moment = Timestamp::from_nanosecond(ns);
        moment.map(Self).map_err(|_| ClockError::OutOfRange { ns })
    }

    /// Nanoseconds since 1970, leap seconds not counted.
    pub fn unix_ns(self) -> i128 {
        self.0.as_nanosecond()
    }

    /// The moment `after` this one.
    ///
    /// # Errors
    /// [`ClockError::OutOfRange`] after the year 9999.
    pub fn plus(self, after: Duration) -> Result<Self, ClockError> {
        // A duration is below 2^94 ns, and so is their sum below the limits of the type.
        Self::from_unix_ns(self.unix_ns() + after.as_nanos() as i128)
    }

    /// The moment as it is called in a zone.
    pub fn in_zone(self, zone: &Zone) -> ZonedTime {
        ZonedTime(self.0.to_zoned_datetime(zone.0.clone()))
    }
}

impl fmt::Display for WallTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for WallTime {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        let moment = text.parse().map(Self);
        moment.map_err(|error: jiff::Error| ClockError::BadMoment {
            text: text.to_owned(),
            reason: error.to_string(),
        })
    }
}

/// Where the date and the time of day come from: the system, or for tests a fake that stands still.
///
/// A resource outside the state, so neither hash nor replay sees it.
///
/// # Examples
/// ```
/// use orrery::clock::{WallClock, Zone};
/// use orrery::prelude::*;
///
/// fn title(clock: Res<WallClock>) {
///     let berlin = Zone::named("Europe/Berlin").expect("it has been there since 1893");
///     let now = clock.now().in_zone(&berlin).format("%A, %H:%M").expect("a good pattern");
///     assert_eq!(now, "Thursday, 03:14");
/// }
///
/// let mut app = App::new();
/// app.world_mut().insert_resource(WallClock::fake("2024-07-11T01:14:00Z".parse()?));
/// app.add_systems(Update, title);
/// app.run(Runner::Ticks(1))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Resource)]
#[resource(not_state)]
pub struct WallClock {
    fake: Option<WallTime>,
}

impl WallClock {
    /// The clock of the system.
    pub fn system() -> Self {
        Self { fake: None }
    }

    /// A clock that stands at a moment until it is set.
    pub fn fake(now: WallTime) -> Self {
        Self { fake: Some(now) }
    }

    /// Sets a clock to a moment, at which it then stands; that of the system becomes a fake.
    pub fn set(&mut self, now: WallTime) {
        self.fake = Some(now);
    }

    /// The present moment. It may be before the last one: people set clocks.
    pub fn now(&self) -> WallTime {
        self.fake.unwrap_or_else(|| WallTime(Timestamp::now()))
    }
}
