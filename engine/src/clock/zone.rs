//! Time zones, and moments as they are called there.

use std::fmt;

use jiff::ZonedDateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use super::ClockError;

/// A time zone of the IANA database. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(pub(super) TimeZone);

impl Zone {
    /// The world's time, which no zone shifts.
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// The zone of a name, upper or lower case.
    ///
    /// # Errors
    /// [`ClockError::UnknownZone`].
    ///
    /// # Cost
    /// Reads the zone's rules at the first call for it; keep the zone where it is asked for often.
    pub fn named(name: &str) -> Result<Self, ClockError> {
        let zone = TimeZone::get(name);
        zone.map(Self).map_err(|_| ClockError::UnknownZone {
            name: name.to_owned(),
        })
    }

    /// Its name in the database.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }
}

/// Date and time of day in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    /// Year of the Gregorian calendar, -9999 to 9999.
    pub year: i16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day of the month, 1 to 31.
    pub day: u8,
    /// Day of the week, from Monday, 1, to Sunday, 7.
    pub weekday: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, 0 to 59: leap seconds are not shown.
    pub second: u8,
    /// Nanosecond of the second.
    pub nanosecond: u32,
    /// Seconds that the zone is ahead of UTC at that moment.
    pub offset_seconds: i32,
}

/// A moment as it is called in a zone.
///
/// Prints as RFC 9557: RFC 3339 and the name of the zone in brackets.
///
/// # Examples
/// ```
/// use orrery::clock::{WallTime, Zone};
///
/// let moment: WallTime = "2024-07-11T01:14:00Z".parse()?;
/// let there = moment.in_zone(&Zone::named("America/New_York")?);
/// assert_eq!(there.to_string(), "2024-07-10T21:14:00-04:00[America/New_York]");
/// assert_eq!(there.format("%d %b %Y, %H:%M %Z")?, "10 Jul 2024, 21:14 EDT");
/// assert_eq!((there.parts().day, there.parts().weekday), (10, 3));
/// # Ok::<(), orrery::clock::ClockError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZonedTime(pub(super) ZonedDateTime);

impl ZonedTime {
    /// Writes the moment by a pattern of `strftime`: `%Y-%m-%d %H:%M:%S`.
    ///
    /// # Errors
    /// [`ClockError::BadPattern`] where the pattern names something that there is not.
    pub fn format(&self, pattern: &str) -> Result<String, ClockError> {
        strtime::format(pattern, &self.0).map_err(|error| ClockError::BadPattern {
            pattern: pattern.to_owned(),
            reason: error.to_string(),
        })
    }

    /// Date, time of day and offset as numbers.
    pub fn parts(&self) -> DateTime {
        let zoned = &self.0;
        // The library promises the ranges that stand at the fields, so none is negative.
        DateTime {
            year: zoned.year(),
            month: zoned.month().unsigned_abs(),
            day: zoned.day().unsigned_abs(),
            weekday: zoned.weekday().to_monday_one_offset().unsigned_abs(),
            hour: zoned.hour().unsigned_abs(),
            minute: zoned.minute().unsigned_abs(),
            second: zoned.second().unsigned_abs(),
            nanosecond: zoned.subsec_nanosecond().unsigned_abs(),
            offset_seconds: zoned.offset().seconds(),
        }
    }
}

impl fmt::Display for ZonedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
