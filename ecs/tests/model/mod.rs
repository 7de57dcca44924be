//! Random operations, each done to a world, to a twin that is never forked, and to a model of
//! plain maps; every few thousand of them everything is compared.

mod operations;
mod plain;
mod shapes;
pub(crate) mod soak;
