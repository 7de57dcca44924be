//! What users of other engines complain of, and what keeps it from arising here. `README.md` is
//! the map.

mod access;
mod commands;
mod forks;
mod handles;
mod limits;
