//! `orrery run`: builds a model, drives it, and says what came out.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::arguments::RunOptions;
use super::check::Check;
use super::output::Output;
use super::report::{Record, Report};
use super::setup::Setup;
use super::{CliError, Model, view};
use crate::app::App;
use crate::math::simd::{Level, LevelError};
use crate::workers::Workers;

/// Runs a model; says whether its check, if asked for, passed.
pub(super) fn run(model: &Model, options: RunOptions) -> Result<bool, CliError> {
    let level = level(options.simd.as_deref())?;
    Level::set_current(level);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let mut app = App::new();
    app.set_workers(Workers::new(options.threads.unwrap_or_else(cores))?);
    let mut setup = Setup::new(&mut app, options.seed, options.check, &options.settings);
    let built = (model.build)(&mut setup).and_then(|()| setup.finish());
    built.map_err(|source| CliError::Setup {
        model: model.name,
        source,
    })?;
    let (default_ticks, mut report) = (setup.ticks, std::mem::take(&mut setup.report));
    let (check, view) = (setup.check.take(), setup.view.take());
    let check = check.filter(|_| options.check);
    if options.check && check.is_none() {
        return Err(CliError::NoCheck { model: model.name });
    }
    let ticks = wanted_ticks(model, &options, check.as_deref(), default_ticks)?;
    let record = options
        .record
        .as_deref()
        .map(|path| Record::create(path, &report))
        .transpose()?;
    let mut output = Output::new();
    let shown = output.is_terminal()
        && !options.quiet
        && record.is_none()
        && check.is_none()
        && options.hash_every.is_none();
    let stop = interrupted(view.is_none() || !shown);
    app.start()?;
    if let Some(mut view) = view {
        if shown {
            view::show(
                &mut app,
                &mut *view,
                model.name,
                options.ticks,
                &stop,
                &mut output,
            )?;
            output.line(app.world().state_hash())?;
            output.flush()?;
            return Ok(true);
        }
        // What moves on a terminal has nothing to say elsewhere but where it ended.
        report.columns.retain(|_| record.is_some());
    }
    let quiet = options.quiet || report.columns.is_empty();
    let mut run = Run {
        app,
        report,
        record,
        check,
        output,
        quiet,
        options,
        ticks,
    };
    if !quiet {
        run.print_manifest(model, level)?;
    }
    let done = run.drive(&stop)?;
    let passed = run.finish()?;
    match done {
        Some(tick) => Err(CliError::Interrupted { tick, ticks }),
        None => Ok(passed),
    }
}

fn level(name: Option<&str>) -> Result<Level, LevelError> {
    match name {
        None | Some("auto") => Ok(Level::detect()),
        Some(name) => name.parse(),
    }
}

fn wanted_ticks(
    model: &Model,
    options: &RunOptions,
    check: Option<&dyn Check>,
    default: u64,
) -> Result<u64, CliError> {
    let needed = check.map_or(0, Check::ticks);
    match options.ticks {
        Some(ticks) if ticks < needed => Err(CliError::TooFewTicks {
            model: model.name,
            needed,
            ticks,
        }),
        Some(ticks) => Ok(ticks),
        None if needed > 0 => Ok(needed),
        None => Ok(default),
    }
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once, but not while a picture is
/// on the terminal, which must be put back.
fn interrupted(at_once: bool) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without the handlers Ctrl-C ends the program as it always does.
        if at_once {
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, stop.clone());
        }
        let _ = signal_hook::flag::register(signal, stop.clone());
    }
    stop
}

struct Run {
    app: App,
    report: Report,
    record: Option<Record>,
    check: Option<Box<dyn Check>>,
    output: Output,
    quiet: bool,
    options: RunOptions,
    ticks: u64,
}

impl Run {
    fn print_manifest(&mut self, model: &Model, level: Level) -> Result<(), CliError> {
        let (entities, threads) = (self.app.world().len(), self.app.workers().thread_count());
        let seed = self.options.seed;
        self.output.line(format_args!(
            "{}: {entities} entities, seed {seed}, threads {threads}, simd {level}",
            model.name
        ))?;
        self.report.print_head(&mut self.output)
    }

    /// Runs all ticks; gives the number of those done if it was interrupted before.
    fn drive(&mut self, stop: &AtomicBool) -> Result<Option<u64>, CliError> {
        let mut progress = Progress::new(self.ticks, self.options.quiet);
        self.observe(0)?;
        for tick in 1..=self.ticks {
            self.app.tick()?;
            self.app.update()?;
            if self.prints_after(tick) {
                progress.clear();
            }
            self.observe(tick)?;
            progress.show(tick);
            if stop.load(Ordering::Relaxed) && tick < self.ticks {
                progress.clear();
                return Ok(Some(tick));
            }
            if self.app.exit_requested() {
                break;
            }
        }
        progress.clear();
        Ok(None)
    }

    /// Whether `observe` will print, so that the line of progress must go first.
    fn prints_after(&self, tick: u64) -> bool {
        let hashes = self
            .options
            .hash_every
            .is_some_and(|every| tick.is_multiple_of(every));
        !self.quiet && self.report.is_due(tick) || !self.options.quiet && hashes
    }

    fn observe(&mut self, tick: u64) -> Result<(), CliError> {
        let world = self.app.world();
        if let Some(check) = &mut self.check {
            check.observe(tick, world);
        }
        if self.report.is_due(tick) && (self.record.is_some() || !self.quiet) {
            let row = self.report.row(world);
            if let Some(record) = &mut self.record {
                record.row(tick, &row)?;
            }
            if !self.quiet {
                self.report.print_row(tick, &row, &mut self.output)?;
            }
        }
        let every = self.options.hash_every.filter(|_| !self.options.quiet);
        if every.is_some_and(|every| tick.is_multiple_of(every)) {
            self.output
                .line(format_args!("tick {tick} state {}", world.state_hash()))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<bool, CliError> {
        if let Some(record) = self.record.take() {
            record.finish()?;
        }
        let hash = self.app.world().state_hash();
        let mut passed = true;
        if self.options.quiet {
            self.output.line(hash)?;
            passed = self.check.as_ref().is_none_or(|check| all_passed(&**check));
        } else {
            if let Some(check) = self.check.take() {
                passed = self.print_verdicts(&*check)?;
            }
            let lead = if self.quiet { "" } else { "state " };
            self.output.line(format_args!("{lead}{hash}"))?;
        }
        self.output.flush()?;
        Ok(passed)
    }

    fn print_verdicts(&mut self, check: &dyn Check) -> Result<bool, CliError> {
        let verdicts = check.verdicts();
        let width = verdicts
            .iter()
            .map(|verdict| verdict.what.len())
            .max()
            .unwrap_or(0);
        self.output.line("check: largest differences")?;
        for verdict in &verdicts {
            let passed = verdict.passed();
            let limit = verdict.limit.map_or_else(String::new, |limit| {
                let word = self
                    .output
                    .judged(if passed { "ok" } else { "FAILED" }, passed);
                format!("  limit {limit:<9e} {word}")
            });
            let (what, found, tick) = (&verdict.what, verdict.found, verdict.tick);
            let line = format!("  {what:width$}  {found:>10.3e} at tick {tick:<6}{limit}");
            self.output.line(line.trim_end())?;
        }
        let passed = all_passed(check);
        let word = if passed {
            "check passed"
        } else {
            "check FAILED"
        };
        self.output.line(self.output.judged(word, passed))?;
        Ok(passed)
    }
}

/// A check that compared nothing has not passed.
fn all_passed(check: &dyn Check) -> bool {
    let verdicts = check.verdicts();
    !verdicts.is_empty() && verdicts.iter().all(super::Verdict::passed)
}

/// A line on standard error that tells how far a long run is, on a terminal only.
struct Progress {
    total: u64,
    start: Instant,
    last: Instant,
    shown: bool,
    on: bool,
}

/// Short runs need no progress, and nobody reads faster than this.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

impl Progress {
    fn new(total: u64, quiet: bool) -> Self {
        let now = Instant::now();
        let on = !quiet && std::io::stderr().is_terminal();
        Self {
            total,
            start: now,
            last: now,
            shown: false,
            on,
        }
    }

    fn show(&mut self, tick: u64) {
        if !self.on || self.last.elapsed() < PROGRESS_EVERY {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let rate = tick as f64 / self.start.elapsed().as_secs_f64();
        let left = (self.total - tick) as f64 / rate;
        let total = self.total;
        let mut err = std::io::stderr();
        let line = format!("\rtick {tick} of {total}, {rate:.0} ticks/s, {left:.0} s left\x1b[K");
        // Nobody is told less for want of a line of progress.
        let _ = err.write_all(line.as_bytes()).and_then(|()| err.flush());
    }

    fn clear(&mut self) {
        if self.shown {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
            self.shown = false;
        }
    }
}
