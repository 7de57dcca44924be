//! Running where something was sent.

use super::{EventReader, QueuedEvent};

/// Whether events were sent since it was asked last: a run condition. It counts them as read for
/// itself, and for nobody else.
///
/// ```
/// use orrery::event::on_event;
/// use orrery::prelude::*;
/// #[derive(Clone, Event, StateHash)]
/// struct Door;
/// #[derive(Clone, Default, Resource)]
/// struct Alarms(Vec<u64>);
/// fn open(mut doors: EventWriter<Door>, time: Res<Time>) {
///     if time.tick() % 3 == 1 {
///         doors.send(Door);
///     }
/// }
/// fn alarm(mut alarms: ResMut<Alarms>, time: Res<Time>) {
///     alarms.0.push(time.tick());
/// }
/// let mut app = App::new();
/// app.world_mut().init_resource::<Alarms>();
/// app.add_systems(FixedUpdate, (open, alarm.run_if(on_event::<Door>)));
/// app.run(Runner::Ticks(9))?;
/// assert_eq!(app.world().resource::<Alarms>().0, [1, 4, 7]);
/// # Ok::<(), orrery::app::AppError>(())
/// ```
pub fn on_event<E: QueuedEvent>(mut events: EventReader<E>) -> bool {
    let any = !events.is_empty();
    events.clear();
    any
}
