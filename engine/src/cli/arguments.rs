//! Reads the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use super::error::{CliError, nearest};

/// What the command line asks for.
pub(super) enum Command {
    Help,
    Version,
    List,
    RunHelp(String),
    Run(Box<RunOptions>),
}

/// The options of `run`.
#[derive(Default)]
pub(super) struct RunOptions {
    pub(super) model: String,
    pub(super) ticks: Option<u64>,
    pub(super) seed: u64,
    pub(super) settings: Vec<(String, String)>,
    pub(super) threads: Option<usize>,
    pub(super) simd: Option<String>,
    pub(super) hash_every: Option<u64>,
    pub(super) record: Option<PathBuf>,
    pub(super) check: bool,
    pub(super) quiet: bool,
}

const COMMANDS: [&str; 3] = ["help", "list", "run"];

const OPTIONS: [&str; 10] = [
    "--ticks",
    "--seed",
    "--set",
    "--threads",
    "--simd",
    "--hash-every",
    "--record",
    "--check",
    "--quiet",
    "--help",
];

pub(super) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, CliError> {
    let mut parser = Parser::from_args(arguments);
    let command = match parser.next().map_err(wrong)? {
        None | Some(Arg::Long("help") | Arg::Short('h')) => return Ok(Command::Help),
        Some(Arg::Long("version") | Arg::Short('V')) => return Ok(Command::Version),
        Some(Arg::Value(command)) => command.to_string_lossy().into_owned(),
        Some(other) => return Err(unknown_option(&other)),
    };
    match command.as_str() {
        "help" => match parser.next().map_err(wrong)? {
            None => Ok(Command::Help),
            Some(other) => Err(unexpected(other, "help")),
        },
        "list" => match parser.next().map_err(wrong)? {
            None => Ok(Command::List),
            Some(Arg::Long("help") | Arg::Short('h')) => Ok(Command::Help),
            Some(Arg::Value(value)) => Err(unexpected(Arg::Value(value), "list")),
            Some(_) => Err(CliError::Arguments("list takes no options".to_owned())),
        },
        "run" => run(&mut parser),
        _ => Err(CliError::UnknownCommand {
            nearest: nearest(&command, COMMANDS),
            name: command,
        }),
    }
}

fn run(parser: &mut Parser) -> Result<Command, CliError> {
    let mut options = RunOptions::default();
    let mut help = false;
    while let Some(argument) = parser.next().map_err(wrong)? {
        match argument {
            Arg::Value(model) if model.is_empty() => {
                return Err(CliError::Arguments(
                    "a model's name is not empty".to_owned(),
                ));
            }
            Arg::Value(model) if options.model.is_empty() => {
                options.model = model.to_string_lossy().into_owned();
            }
            Arg::Long("ticks") => options.ticks = Some(number(parser, "--ticks", COUNT)?),
            Arg::Long("seed") => options.seed = number(parser, "--seed", COUNT)?,
            Arg::Long("threads") => {
                options.threads = Some(number(parser, "--threads", "a number of threads from 1")?);
            }
            Arg::Long("hash-every") => {
                let every = number(parser, "--hash-every", "a number of ticks from 1")?;
                if every == 0 {
                    let (option, wanted) = ("--hash-every", "a number of ticks from 1");
                    return Err(CliError::BadValue {
                        option,
                        wanted,
                        value: "0".to_owned(),
                    });
                }
                options.hash_every = Some(every);
            }
            Arg::Long("set") => options.settings.push(setting(parser)?),
            Arg::Long("simd") => options.simd = Some(text(parser)?),
            Arg::Long("record") => {
                options.record = Some(PathBuf::from(parser.value().map_err(wrong)?));
            }
            Arg::Long("check") => options.check = true,
            Arg::Long("quiet") | Arg::Short('q') => options.quiet = true,
            Arg::Long("help") | Arg::Short('h') => help = true,
            Arg::Value(value) => return Err(unexpected(Arg::Value(value), "run")),
            other => return Err(unknown_option(&other)),
        }
    }
    if options.model.is_empty() {
        if help {
            return Ok(Command::Help);
        }
        let message = "run needs a model, which `list` shows";
        return Err(CliError::Arguments(message.to_owned()));
    }
    if help {
        return Ok(Command::RunHelp(options.model));
    }
    Ok(Command::Run(Box::new(options)))
}

const COUNT: &str = "a whole number from 0 to 2^64 - 1";

fn wrong(error: lexopt::Error) -> CliError {
    CliError::Arguments(error.to_string())
}

fn text(parser: &mut Parser) -> Result<String, CliError> {
    Ok(parser
        .value()
        .map_err(wrong)?
        .to_string_lossy()
        .into_owned())
}

fn number<T: std::str::FromStr>(
    parser: &mut Parser,
    option: &'static str,
    wanted: &'static str,
) -> Result<T, CliError> {
    let value = parser.value().map_err(wrong)?;
    let parsed = value
        .clone()
        .string()
        .ok()
        .and_then(|text| text.parse().ok());
    let value = value.to_string_lossy().into_owned();
    parsed.ok_or(CliError::BadValue {
        option,
        wanted,
        value,
    })
}

fn setting(parser: &mut Parser) -> Result<(String, String), CliError> {
    let value = text(parser)?;
    match value.split_once('=') {
        Some((key, setting)) if !key.is_empty() => Ok((key.to_owned(), setting.to_owned())),
        _ => Err(CliError::BadValue {
            option: "--set",
            wanted: "key=value",
            value,
        }),
    }
}

fn unknown_option(argument: &Arg<'_>) -> CliError {
    let name = match argument {
        Arg::Short(letter) => format!("-{letter}"),
        Arg::Long(name) => format!("--{name}"),
        Arg::Value(value) => value.to_string_lossy().into_owned(),
    };
    CliError::UnknownOption {
        nearest: nearest(&name, OPTIONS),
        name,
    }
}

fn unexpected(argument: Arg<'_>, command: &str) -> CliError {
    match argument {
        Arg::Value(value) => {
            let value = value.to_string_lossy();
            CliError::Arguments(format!("{command} does not know what to do with `{value}`"))
        }
        option => unknown_option(&option),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, CliError> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn message(line: &str) -> String {
        match parsed(line) {
            Ok(_) => panic!("`{line}` was taken"),
            Err(error) => {
                assert_eq!(error.exit_status(), 2, "{error}");
                assert!(!error.to_string().contains('\n'), "{error}");
                error.to_string()
            }
        }
    }

    #[test]
    fn every_option_of_run_is_read() {
        let line = "run melt --ticks 7 --seed=9 --set a=1 --set b=x=y --threads 3 --simd avx2 \
                    --hash-every 5 --record out.csv --check --quiet";
        let Ok(Command::Run(options)) = parsed(line) else {
            panic!("it is a run")
        };
        assert_eq!(
            (options.model.as_str(), options.ticks, options.seed),
            ("melt", Some(7), 9)
        );
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(options.settings, [pair("a", "1"), pair("b", "x=y")]);
        assert_eq!((options.threads, options.hash_every), (Some(3), Some(5)));
        assert_eq!(options.record, Some(PathBuf::from("out.csv")));
        assert!(options.check && options.quiet);
    }

    #[test]
    fn a_wrong_name_offers_the_nearest() {
        assert!(message("rnu melt").contains("did you mean `run`?"));
        assert!(message("run melt --tick 5").contains("did you mean `--ticks`?"));
        assert!(message("run melt --hash_every 5").contains("did you mean `--hash-every`?"));
    }

    #[test]
    fn a_value_of_the_wrong_type_names_option_and_value() {
        for (line, words) in [
            ("run melt --ticks many", ["--ticks", "many"]),
            ("run melt --ticks -1", ["--ticks", "-1"]),
            ("run melt --seed 1.5", ["--seed", "1.5"]),
            ("run melt --threads two", ["--threads", "two"]),
            ("run melt --hash-every 0", ["--hash-every", "0"]),
            ("run melt --set atoms", ["--set", "atoms"]),
            ("run melt --set =3", ["--set", "=3"]),
            ("run melt other", ["run", "other"]),
            ("list all", ["list", "all"]),
        ] {
            let message = message(line);
            assert!(
                words.iter().all(|word| message.contains(word)),
                "{line}: {message}"
            );
        }
        assert!(message("run melt --ticks").contains("--ticks"));
        assert!(message("run").contains("needs a model"));
    }
}
