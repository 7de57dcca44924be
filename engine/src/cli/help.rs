//! `help`, `list`, and the settings of a model.

use super::output::Output;
use super::setup::Setup;
use super::{CliError, Model, Models};
use crate::app::App;

const TEXT: &str = "\
usage: orrery list                        the models
       orrery run MODEL [options]         run one
       orrery run MODEL --help            its settings

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

example: orrery run melt --check

exit status: 0 all is well, 1 a check or a system failed, 2 wrong arguments";

pub(super) fn general(models: &Models) -> Result<(), CliError> {
    let mut output = Output::new();
    output.line(TEXT)?;
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
    output.line(format_args!(
        "example: orrery run {} --ticks 100 --seed 7",
        model.name
    ))?;
    output.flush()
}
