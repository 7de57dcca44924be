//! A model on a terminal: one picture a frame, in real time.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::output::Output;
use super::{Canvas, CliError, View};
use crate::app::{App, AppError};
use crate::time::{Pacer, Step, SystemTimer};

/// Frames a second.
const FRAME_HZ: u32 = 60;

/// Shows the app until `ticks` have run, a system requests the end, or the user interrupts.
pub(super) fn show(
    app: &mut App,
    view: &mut dyn View,
    name: &str,
    ticks: Option<u64>,
    stop: &Arc<AtomicBool>,
    output: &mut Output,
) -> Result<(), CliError> {
    let last = ticks.map_or(u64::MAX, |ticks| app.time().tick().saturating_add(ticks));
    let frame = Step::from_hz(FRAME_HZ).map_err(AppError::from)?;
    let mut pacer = Pacer::new(frame, SystemTimer::new());
    let mut screen = Screen::new(output.has_color());
    let _restore = AlternateScreen::enter(output)?;
    while app.time().tick() < last && !stop.load(Ordering::Relaxed) && !app.exit_requested() {
        let wake = pacer.wait();
        let start = Instant::now();
        ticks_of_frame(app, wake.elapsed, last, stop)?;
        let busy = start.elapsed();
        output.raw(screen.draw(app, view, name, busy))?;
    }
    Ok(())
}

/// The terminal's other screen, without a cursor that would flicker. Dropping it puts the
/// terminal back, whatever happened: an error or a panic of a view too.
struct AlternateScreen;

impl AlternateScreen {
    fn enter(output: &mut Output) -> Result<Self, CliError> {
        output.raw("\x1b[?1049h\x1b[?25l\x1b[2J")?;
        Ok(Self)
    }
}

impl Drop for AlternateScreen {
    fn drop(&mut self) {
        let mut out = std::io::stdout();
        // A terminal that went away needs nothing.
        let _ = out
            .write_all(b"\x1b[?25h\x1b[?1049l")
            .and_then(|()| out.flush());
    }
}

fn ticks_of_frame(
    app: &mut App,
    elapsed: Duration,
    last: u64,
    stop: &AtomicBool,
) -> Result<(), CliError> {
    let steps = app.advance_clocks(elapsed)?;
    app.begin_frame()?;
    for _ in 0..steps.count {
        if app.time().tick() >= last || stop.load(Ordering::Relaxed) {
            break;
        }
        app.tick()?;
    }
    Ok(app.update()?)
}

struct Screen {
    canvas: Canvas,
    size: (usize, usize),
    color: bool,
    text: String,
    /// Smoothed, so that the digits can be read.
    busy_ms: f64,
}

impl Screen {
    fn new(color: bool) -> Self {
        let canvas = Canvas::new(0, 0, color);
        Self {
            canvas,
            size: (0, 0),
            color,
            text: String::new(),
            busy_ms: 0.0,
        }
    }

    fn draw(&mut self, app: &App, view: &mut dyn View, name: &str, busy: Duration) -> &str {
        let size = terminal_size::terminal_size().map_or((80, 24), |(width, height)| {
            (usize::from(width.0), usize::from(height.0))
        });
        if size != self.size {
            self.size = size;
            self.canvas = Canvas::new(size.0.max(1), size.1.saturating_sub(2).max(1), self.color);
        }
        self.busy_ms += 0.1 * (busy.as_secs_f64() * 1e3 - self.busy_ms);
        self.canvas.clear();
        view.draw(app.world(), &mut self.canvas);
        self.text.clear();
        self.text.push_str("\x1b[H");
        self.canvas.render(&mut self.text);
        let (entities, tick) = (app.world().len(), app.time().tick());
        let status = format!(
            "{name}: {entities} entities, tick {tick}, {:.1} ms a frame of 16.7 (Ctrl-C ends)",
            self.busy_ms
        );
        // Writing to a String does not fail.
        let _ = write!(
            self.text,
            "{status:.width$}\x1b[K",
            width = size.0.saturating_sub(1)
        );
        &self.text
    }
}
