//! What an entity component system has to keep, one sentence a test. `README.md` is the map.

mod changes;
mod commands;
mod components;
mod entities;
mod hierarchy;
mod iteration;
mod queries;
mod world;
