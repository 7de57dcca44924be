//! Orders that nobody gave.

use orrery_ecs::{Component, Query, ResMut, Resource};

use super::super::ScheduleLabel::{self, FixedUpdate};
use super::super::{App, Runner};
use crate::schedule::{IntoSystems, any_with_component, resource_changed};

#[derive(Clone, Copy, Component)]
struct Door;

#[derive(Clone, Default, Resource)]
struct Open(bool);

fn open(mut open: ResMut<Open>) {
    open.0 = true;
}

fn rest() {}

// bevyengine/bevy#24438: what a condition reads was no access of the system that it decides over.
#[test]
fn a_condition_that_races_with_a_system_is_reported_and_denied() {
    let race = |app: &mut App| {
        app.world_mut().init_resource::<Open>();
        app.add_systems(FixedUpdate, (open, rest.run_if(resource_changed::<Open>)));
    };
    let mut app = App::new();
    race(&mut app);
    let found = app.ambiguities().expect("nothing is denied");
    assert_eq!(found.len(), 1, "{found:?}");
    let (label, pair) = &found[0];
    assert!(*label == FixedUpdate && pair.first.ends_with("open") && pair.second.ends_with("rest"));

    let mut app = App::new();
    race(&mut app);
    app.schedule_mut(FixedUpdate).deny_ambiguities();
    let text = app
        .run(Runner::Ticks(1))
        .expect_err("it is denied")
        .to_string();
    assert!(text.contains("rest") && text.contains("Open"), "{text}");

    // Two that only read, one by its condition, have no order to give.
    let mut app = App::new();
    app.add_systems(
        FixedUpdate,
        (
            |_: Query<&Door>| (),
            rest.run_if(any_with_component::<Door>),
        ),
    );
    assert!(app.ambiguities().expect("nothing is denied").is_empty());
}

// bevyengine/bevy#9511: 108 pairs of the engine's own in PostUpdate.
#[test]
fn an_app_has_no_systems_but_those_that_were_given_to_it() {
    let app = App::new();
    for label in ScheduleLabel::ALL {
        assert_eq!(app.schedule(label).systems().len(), 0, "{}", label.name());
    }
    assert_eq!(app.world().observer_count(), 0);
}
