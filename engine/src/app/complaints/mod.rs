//! What users of other engines complained of in time, order, events and idling. `README.md` is the
//! map; here stands what no test of one subsystem says by itself.

mod clock;
mod idle;
mod order;
