//! The arguments, and what is said of wrong ones.

use super::{Cli, output, report_error, report_object};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use std::error::Error as _;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::process::ExitCode;

/// The command line's arguments, and whether errors are to be JSON too; or how the program ends, when the arguments are wrong or ask
/// for help.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<(Cli, bool), ExitCode> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Also where what stands before it is not understood.
    let json = arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let cli = Cli::try_parse_from(&arguments).map_err(|error| {
        let error = clearer(error);
        if !error.use_stderr() {
            return help(&error);
        }
        // A closed terminal takes no message.
        let _ = error.print();
        let text = error.render().to_string();
        let (message, hint) = parts(&text);
        report_object(json, 2, &message, hint.as_deref())
    })?;
    Ok((cli, json))
}

/// Prints help or the version.
fn help(error: &clap::Error) -> ExitCode {
    match output::help(error) {
        Err(error) if !output::is_broken_pipe(&error) => report_error(false, 2, &error.to_string(), None),
        _ => ExitCode::SUCCESS,
    }
}

/// The message of an error, and its hints.
fn parts(text: &str) -> (String, Option<String>) {
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message).trim_end().to_owned();
    let hints: Vec<&str> = rest
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("tip: ") || line.starts_with("Usage: "))
        .collect();
    (message, (!hints.is_empty()).then(|| hints.join("\n")))
}

/// What is expected instead of what is no number.
fn expected(error: &clap::Error) -> Option<&'static str> {
    let source = error.source()?;
    if let Some(error) = source.downcast_ref::<ParseIntError>() {
        return Some(match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "the number is too large",
            _ => "expected a whole number",
        });
    }
    source.downcast_ref::<ParseFloatError>().map(|_| "expected a number")
}

/// Says of what is no number that a number is expected.
fn clearer(error: clap::Error) -> clap::Error {
    let (Some(expected), Some(ContextValue::String(value)), Some(ContextValue::String(argument))) =
        (expected(&error), error.get(ContextKind::InvalidValue), error.get(ContextKind::InvalidArg))
    else {
        return error;
    };
    let text = format!("invalid value '{value}' for '{argument}': {expected}\n");
    clap::Error::raw(ErrorKind::ValueValidation, text).format(&mut Cli::command())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_and_hints_of_an_error_are_told_apart() {
        let error = Cli::try_parse_from(["nextscope", "lisst"]).expect_err("a mistake");
        let (message, hint) = parts(&error.render().to_string());
        assert_eq!(message, "unrecognized subcommand 'lisst'");
        assert!(hint.is_some_and(|hint| hint.contains("'list'")));
    }

    #[test]
    fn what_is_no_number_is_answered_in_plain_words() {
        for (arguments, says) in [
            (
                "generate tgm2 --seed 7 --count abc",
                "invalid value 'abc' for '--count <N>': expected a whole number",
            ),
            ("stats tgm2 --count 99999999999999999999", "the number is too large"),
            ("watch --seconds soon", "invalid value 'soon' for '--seconds <N>': expected a number"),
        ] {
            let words = std::iter::once("nextscope").chain(arguments.split(' '));
            let error = clearer(Cli::try_parse_from(words).expect_err("a mistake"));
            let text = error.render().to_string();
            assert!(text.starts_with("error: ") && text.contains(says), "{text}");
        }
    }
}
