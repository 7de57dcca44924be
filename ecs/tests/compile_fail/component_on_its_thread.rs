//! A component that cannot go to another thread, where systems run.

use std::rc::Rc;

use orrery_ecs::Component;

#[derive(Clone, Component)]
#[component(not_state)]
struct Name(Rc<str>);

fn main() {}
