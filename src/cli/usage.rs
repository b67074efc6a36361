//! Parsing the arguments, and the errors for wrong ones.

use super::output;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use std::error::Error as _;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::process::ExitCode;

/// The parsed arguments and whether `--json` was given; the exit status if the arguments are wrong or ask for help.
pub fn parse<C: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<(C, bool), ExitCode> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Not from the parsed arguments: an error is JSON as well.
    let json = arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let cli = C::try_parse_from(&arguments).map_err(|error| {
        let error = plainer::<C>(error);
        if !error.use_stderr() {
            return help(&error);
        }
        // Fails if the terminal was closed.
        let _ = error.print();
        let text = error.render().to_string();
        let (message, hint) = split(&text);
        output::error_object(json, 2, &message, hint.as_deref())
    })?;
    Ok((cli, json))
}

/// Prints help or the version.
fn help(error: &clap::Error) -> ExitCode {
    match output::help(error) {
        Err(error) if !output::is_broken_pipe(&error) => {
            output::report_error(false, 2, &error.to_string(), None)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The message of an error, and its hints.
fn split(text: &str) -> (String, Option<String>) {
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message).trim_end().to_owned();
    let hints: Vec<&str> = rest
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("tip: ") || line.starts_with("Usage: "))
        .collect();
    (message, (!hints.is_empty()).then(|| hints.join("\n")))
}

/// What is wrong with a value that should be a number.
fn number_error(error: &clap::Error) -> Option<&'static str> {
    let source = error.source()?;
    if let Some(error) = source.downcast_ref::<ParseIntError>() {
        return Some(match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "the number is too large",
            _ => "expected a whole number",
        });
    }
    source.downcast_ref::<ParseFloatError>().map(|_| "expected a number")
}

/// Replaces clap's "invalid digit found in string".
fn plainer<C: CommandFactory>(error: clap::Error) -> clap::Error {
    let (Some(expected), Some(ContextValue::String(value)), Some(ContextValue::String(argument))) =
        (number_error(&error), error.get(ContextKind::InvalidValue), error.get(ContextKind::InvalidArg))
    else {
        return error;
    };
    let text = format!("invalid value '{value}' for '{argument}': {expected}\n");
    clap::Error::raw(ErrorKind::ValueValidation, text).format(&mut C::command())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn an_error_is_split_into_message_and_hints() {
        let error = Cli::try_parse_from(["nextscope", "lisst"]).expect_err("a mistake");
        let (message, hint) = split(&error.render().to_string());
        assert_eq!(message, "unrecognized subcommand 'lisst'");
        assert!(hint.is_some_and(|hint| hint.contains("'list'")));
    }

    #[test]
    fn a_value_that_is_not_a_number_gets_a_plain_message() {
        for (arguments, says) in [
            (
                "generate tgm2 --seed 7 --count abc",
                "invalid value 'abc' for '--count <N>': expected a whole number",
            ),
            ("stats tgm2 --count 99999999999999999999", "the number is too large"),
            ("watch --seconds soon", "invalid value 'soon' for '--seconds <N>': expected a number"),
        ] {
            let words = std::iter::once("nextscope").chain(arguments.split(' '));
            let error = plainer::<Cli>(Cli::try_parse_from(words).expect_err("a mistake"));
            let text = error.render().to_string();
            assert!(text.starts_with("error: ") && text.contains(says), "{text}");
        }
    }
}
