//! How a case is described, measured and reported.

mod case;
mod goal;
mod machine;
mod measure;
mod probe;
mod report;

pub use case::{Case, Expected, Work};
pub use goal::Goal;
pub use machine::Machine;
pub use measure::{Comparison, Plan, Samples, interleave, ratio};
pub use probe::{Bandwidth, in_place_bandwidth};
pub use report::{compare, duration, select, verdict};
