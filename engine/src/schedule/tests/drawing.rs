//! Schedules as text and as pictures.

use orrery_ecs::{Chunk, Commands, Query, Res, ResMut, Serial};

use super::super::{IntoSystems, Schedule};
use super::{A, B, Log, note, world};

fn think(_: Query<&A>, _: ResMut<Log>) {}
fn drift(chunk: Chunk<(&mut A, &B)>) {
    let (a, b) = chunk.slices();
    a.iter_mut().zip(b).for_each(|(a, b)| a.0 += b.0);
}
fn fall(chunk: Chunk<&mut A>) {
    chunk.slices().iter_mut().for_each(|a| a.0 += 1);
}
fn births(_: Query<&A>, mut commands: Commands) {
    commands.spawn(A(0));
}
fn show(_: Query<&A>) {}

fn schedule() -> Schedule {
    let mut schedule = Schedule::new("Example <1>");
    let rare = |log: Res<Log>| log.0.len() > 3;
    schedule.add_systems((drift, fall, think, births.run_if(rare), show));
    schedule
}

#[test]
fn text_shows_stages_fusion_waits_and_the_longest_way() {
    let text = schedule().to_text(&mut world()).expect("nothing conflicts");
    let expected = "\
schedule Example <1>: 5 systems in 2 stages
stage 1
 *  1  drift + fall
 *  2  think  after 1
 *  3  schedule{closure}?  after 2
 *  4  births  after 1, 3
stage 2
 *  1  show
* on the longest way; + block by block together; ? a condition
";
    assert_eq!(text, expected);
}

#[test]
fn without_fusion_the_text_shows_each_system_alone() {
    let mut schedule = schedule();
    schedule.set_fusing(false);
    let text = schedule.to_text(&mut world()).expect("nothing conflicts");
    assert!(
        text.contains(" 1  drift\n") && text.contains(" 2  fall  after 1\n"),
        "{text}"
    );
}

#[test]
fn a_measured_schedule_shows_times() {
    let mut schedule = schedule();
    let mut world = world();
    schedule.set_measured(true);
    schedule
        .run(&mut world, &Serial)
        .expect("nothing is missing");
    let text = schedule.to_text(&mut world).expect("nothing conflicts");
    assert_eq!(
        text.matches(" ns").count() + text.matches(" us").count(),
        5,
        "{text}"
    );
}

#[test]
fn a_picture_has_a_box_for_each_unit_and_escapes_names() {
    let mut schedule = schedule();
    schedule.add_systems(note::<1>);
    let svg = schedule.to_svg(&mut world()).expect("nothing conflicts");
    assert_eq!(svg.matches("<rect").count(), 1 + 6, "{svg}");
    assert!(
        svg.contains("Example &lt;1&gt;") && svg.contains("births"),
        "{svg}"
    );
    assert_eq!(svg.matches('<').count(), svg.matches('>').count());
}
