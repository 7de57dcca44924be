//! `help`, `list`, and the settings of a model.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::output::Output;
use super::setup::Setup;
use super::{CliError, Model, Models};
use crate::app::App;

const TEXT: &str = "\
usage: PROGRAM list                        the models
       PROGRAM run MODEL [options]         run one
       PROGRAM run MODEL --help            its settings

options of run:
  --ticks N           how many ticks; without it what the model finds right
  --seed S            seed of the run's random numbers (0)
  --set KEY=VALUE     a setting of the model; may be repeated
  --threads N         threads (all cores); the result does not depend on them
  --simd LEVEL        auto, scalar or avx2 (auto); nor on this
  --hash-every N      print the state hash every N ticks
  --record FILE.csv   write the report to a file
  --check             compare with the right answer; exit status 1 if it differs
  --quiet, -q         print the final state hash in hexadecimal and nothing else

exit status: 0 all is well, 1 a check or a system failed, 2 wrong arguments, 130 interrupted";

/// Name that the program was called by; a user's own is not called `orrery`.
pub(super) fn program() -> String {
    let called = std::env::args_os().next().map(PathBuf::from);
    let name = called
        .as_deref()
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy());
    name.map_or_else(|| "orrery".to_owned(), Cow::into_owned)
}

pub(super) fn general(models: &Models) -> Result<(), CliError> {
    let mut output = Output::new();
    output.line(TEXT.replace("PROGRAM", &program()))?;
    output.line("\nmodels:")?;
    lines(models, &mut output)
}

pub(super) fn version() -> Result<(), CliError> {
    let mut output = Output::new();
    output.line(concat!("orrery ", env!("CARGO_PKG_VERSION")))?;
    output.flush()
}

pub(super) fn list(models: &Models) -> Result<(), CliError> {
    lines(models, &mut Output::new())
}

fn lines(models: &Models, output: &mut Output) -> Result<(), CliError> {
    let width = models
        .0
        .iter()
        .map(|model| model.name.len())
        .max()
        .unwrap_or(0);
    for model in &models.0 {
        output.line(format_args!("  {:width$}  {}", model.name, model.about))?;
    }
    output.flush()
}

/// Settings are declared by building the model, so this builds it with the defaults.
pub(super) fn model(model: &Model) -> Result<(), CliError> {
    let mut app = App::new();
    let mut setup = Setup::new(&mut app, 0, false, &[]);
    (model.build)(&mut setup).map_err(|source| CliError::Setup {
        model: model.name,
        source,
    })?;
    let mut output = Output::new();
    output.line(format_args!("{}: {}", model.name, model.about))?;
    output.line(format_args!("ticks without --ticks: {}", setup.ticks))?;
    output.line("settings:")?;
    for declared in &setup.declared {
        output.line(format_args!(
            "  --set {}={}  {} ({})",
            declared.key, declared.default, declared.about, declared.wanted
        ))?;
    }
    let (program, name) = (program(), model.name);
    output.line(format_args!(
        "example: {program} run {name} --ticks 100 --seed 7"
    ))?;
    output.flush()
}
