//! What a model's build function works with.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::Canvas;
use super::check::Check;
use super::error::{SetupError, nearest};
use super::report::{Column, Report};
use crate::app::App;
use crate::ecs::World;
use crate::math::Random;

/// Draws a model's world; `run` shows it where standard output is a terminal.
pub trait View {
    /// Adds what there is to see.
    fn draw(&mut self, world: &World, canvas: &mut Canvas);
}

/// A setting that a model declared, for its help.
pub(super) struct Declared {
    pub(super) key: &'static str,
    pub(super) wanted: String,
    pub(super) default: String,
    pub(super) about: &'static str,
}

/// Builds one run of a model: reads settings, fills the app, takes what is reported.
///
/// ```
/// use orrery::cli::{Setup, SetupError, run_with};
/// use orrery::prelude::*;
///
/// #[derive(Clone, Copy, Component)]
/// struct Height(f64);
///
/// fn build(setup: &mut Setup) -> Result<(), SetupError> {
///     let count = setup.integer("count", 10, 1..=1_000_000, "how many fall")?;
///     setup.app().world_mut().spawn_batch((0..count).map(|i| Height(i as f64)));
///     setup.app().add_systems(FixedUpdate, |mut heights: Query<&mut Height>| {
///         heights.for_each(|height| height.0 -= 0.5);
///     });
///     setup.set_ticks(100);
///     let mut heights = setup.app().world_mut().query::<&Height>();
///     setup.column("total", move |world| heights.iter(world).map(|height| height.0).sum());
///     Ok(())
/// }
///
/// let arguments = ["run", "fall", "--set", "count=3", "--ticks", "4"].map(Into::into);
/// assert!(run_with(|models| models.add("fall", "things fall", build), arguments)?);
/// # Ok::<(), orrery::cli::CliError>(())
/// ```
pub struct Setup<'a> {
    app: &'a mut App,
    seed: u64,
    check_wanted: bool,
    given: &'a [(String, String)],
    pub(super) declared: Vec<Declared>,
    pub(super) ticks: u64,
    pub(super) report: Report,
    pub(super) check: Option<Box<dyn Check>>,
    pub(super) view: Option<Box<dyn View>>,
}

impl<'a> Setup<'a> {
    pub(super) fn new(
        app: &'a mut App,
        seed: u64,
        check_wanted: bool,
        given: &'a [(String, String)],
    ) -> Self {
        Self {
            app,
            seed,
            check_wanted,
            given,
            declared: Vec::new(),
            ticks: 1000,
            report: Report::default(),
            check: None,
            view: None,
        }
    }

    /// The app to fill.
    pub fn app(&mut self) -> &mut App {
        self.app
    }

    /// The run's seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Random numbers of the run: a function of seed, tick, id and purpose.
    pub fn random(&self) -> Random {
        Random::new(self.seed)
    }

    /// Whether `--check` was given.
    pub fn check_wanted(&self) -> bool {
        self.check_wanted
    }

    /// A whole number that the user may set.
    ///
    /// # Errors
    /// When what was given is not a whole number of the range.
    pub fn integer(
        &mut self,
        key: &'static str,
        default: u64,
        range: RangeInclusive<u64>,
        about: &'static str,
    ) -> Result<u64, SetupError> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        let read = |text: &str| text.parse().ok().filter(|value| range.contains(value));
        self.setting(key, default, wanted, about, read)
    }

    /// A number that the user may set.
    ///
    /// # Errors
    /// When what was given is not a number of the range.
    pub fn number(
        &mut self,
        key: &'static str,
        default: f64,
        range: RangeInclusive<f64>,
        about: &'static str,
    ) -> Result<f64, SetupError> {
        let wanted = format!("a number from {} to {}", range.start(), range.end());
        let read = |text: &str| text.parse().ok().filter(|value| range.contains(value));
        self.setting(key, default, wanted, about, read)
    }

    /// One of several names that the user may set.
    ///
    /// # Errors
    /// When what was given is none of the names.
    pub fn choice(
        &mut self,
        key: &'static str,
        default: &'static str,
        names: &[&'static str],
        about: &'static str,
    ) -> Result<&'static str, SetupError> {
        let wanted = format!("one of {}", names.join(", "));
        let read = |text: &str| names.iter().copied().find(|name| *name == text);
        self.setting(key, default, wanted, about, read)
    }

    fn setting<T: Display>(
        &mut self,
        key: &'static str,
        default: T,
        wanted: String,
        about: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, SetupError> {
        let shown = default.to_string();
        self.declared.push(Declared {
            key,
            wanted: wanted.clone(),
            default: shown,
            about,
        });
        // The last one counts, as with other programs.
        let given = self.given.iter().rev().find(|(given, _)| given == key);
        let Some((_, value)) = given else {
            return Ok(default);
        };
        read(value).ok_or(SetupError::BadSetting {
            key,
            wanted,
            value: value.clone(),
        })
    }

    /// Refuses a setting that a general rule let through; the reason names the value and what
    /// would do.
    pub fn refuse(&self, key: &'static str, reason: impl Display) -> SetupError {
        SetupError::Refused {
            key,
            reason: reason.to_string(),
        }
    }

    /// How many ticks a run has where the user does not say; 1,000 if this is not called.
    pub fn set_ticks(&mut self, ticks: u64) {
        self.ticks = ticks;
    }

    /// A number to report: printed in the run's table and written by `--record`.
    pub fn column(&mut self, name: &'static str, value: impl FnMut(&World) -> f64 + 'static) {
        self.report.columns.push(Column {
            name,
            value: Box::new(value),
        });
    }

    /// Ticks between two rows of the report; 100 if this is not called.
    ///
    /// # Panics
    /// When it is zero.
    pub fn report_every(&mut self, ticks: u64) {
        assert!(ticks > 0, "a report has at least one tick between its rows");
        self.report.every = ticks;
    }

    /// What `--check` compares the run with.
    pub fn check(&mut self, check: impl Check + 'static) {
        self.check = Some(Box::new(check));
    }

    /// What a terminal shows. A model with a view prints no table.
    pub fn view(&mut self, view: impl View + 'static) {
        self.view = Some(Box::new(view));
    }

    /// Refuses settings that nobody declared.
    pub(super) fn finish(&self) -> Result<(), SetupError> {
        let known = || self.declared.iter().map(|declared| declared.key);
        let unknown = self
            .given
            .iter()
            .find(|(key, _)| known().all(|known| known != key));
        unknown.map_or(Ok(()), |(key, _)| {
            let all = known().collect::<Vec<_>>().join(", ");
            let known_text = if all.is_empty() {
                "none".to_owned()
            } else {
                all
            };
            Err(SetupError::UnknownSetting {
                key: key.clone(),
                nearest: nearest(key, known()),
                known: known_text,
            })
        })
    }
}
