//! Printing text and JSON. Nothing else in the program writes to standard output or standard error.
//!
//! A terminal or pipe can be closed at any time. On standard output that ends the command; on standard error, which only has messages,
//! it is ignored. Neither panics.

use super::exit::Exit;
use super::interrupt;
use crate::json::{Envelope, Failure, Kind};
use crate::text::{is_terminal_control, sanitize, sanitize_line};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

/// `EIO`: what writing to a closed terminal fails with.
#[cfg(unix)]
const CLOSED_TERMINAL: Option<i32> = Some(5);
#[cfg(not(unix))]
const CLOSED_TERMINAL: Option<i32> = None;

#[derive(Clone, Copy)]
struct Terminals {
    output: bool,
    errors: bool,
}

/// Determined once, at the start: a terminal that is closed later no longer counts as one.
fn terminals() -> Terminals {
    static TERMINALS: OnceLock<Terminals> = OnceLock::new();
    *TERMINALS.get_or_init(|| Terminals {
        output: std::io::stdout().is_terminal(),
        errors: std::io::stderr().is_terminal(),
    })
}

/// Determines what the program writes to. Call it before writing anything.
pub fn init() {
    terminals();
}

/// Whether standard output is a terminal.
pub fn on_terminal() -> bool {
    terminals().output
}

/// Whether standard error is a terminal, and so shows progress.
pub fn errors_on_terminal() -> bool {
    terminals().errors
}

/// Standard output. A closed terminal is reported as a broken pipe: nobody reads the output either way.
struct Stdout(std::io::StdoutLock<'static>);

impl Stdout {
    fn new() -> Self {
        Self(std::io::stdout().lock())
    }
}

fn map_closed(error: std::io::Error) -> std::io::Error {
    let closed = terminals().output && CLOSED_TERMINAL.is_some() && error.raw_os_error() == CLOSED_TERMINAL;
    if closed { std::io::Error::new(ErrorKind::BrokenPipe, error) } else { error }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes).map_err(map_closed)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush().map_err(map_closed)
    }
}

/// Standard output for what draws on a terminal. No lock is held between two writes.
pub struct TerminalOutput;

impl Write for TerminalOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Stdout::new().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Stdout::new().flush()
    }
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = Stdout::new();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

pub fn line(text: impl Display) -> anyhow::Result<()> {
    print(&format!("{}\n", sanitize(&text.to_string())))
}

/// Prints text that contains its own line ends.
pub fn text(text: &str) -> anyhow::Result<()> {
    print(&sanitize(text))
}

/// Prints text that contains escape sequences; the caller applies [`sanitize_line`] to names from outside.
pub fn styled(text: &str) -> anyhow::Result<()> {
    print(text)
}

/// Prints `body` as one line of JSON, in the envelope of that kind.
pub fn object(kind: Kind, body: impl Serialize) -> anyhow::Result<()> {
    json(&Envelope::new(kind, body))
}

/// Prints a value that has its envelope already as one line of JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = Stdout::new();
    write_json(&mut out, value)?;
    Ok(out.flush()?)
}

/// Writes one line of JSON. Everything that prints JSON ends up here.
pub fn write_json(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}", escape(&serde_json::to_string(value)?))?)
}

/// Prints a negative answer: a line, or as JSON an error with status 1.
pub fn negative(as_json: bool, message: impl Display) -> anyhow::Result<Exit> {
    if as_json {
        object(Kind::Error, Failure { status: 1, message: message.to_string(), hint: None })?;
    } else {
        line(message)?;
    }
    Ok(Exit::Negative)
}

/// Buffered standard output, for commands that print many lines.
pub fn buffered() -> std::io::BufWriter<impl Write> {
    std::io::BufWriter::with_capacity(1 << 16, Stdout::new())
}

pub fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> anyhow::Result<()> {
    let cell = |cell: &String| sanitize_line(cell).into_owned();
    let rows: Vec<Vec<String>> = rows.into_iter().map(|row| row.iter().map(cell).collect()).collect();
    print(&crate::text::table(head, &rows))
}

/// Prints help or the version, with colours if the terminal has them.
pub fn help(help: &clap::Error) -> anyhow::Result<()> {
    help.print()?;
    Ok(std::io::stdout().flush()?)
}

/// An error and its causes. Many errors repeat the text of their cause, which is then left out.
pub fn error_chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Whether an error means that the reader of standard output is gone, which is not a failure.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    // serde_json keeps the kind of a write error, but wraps it.
    let of_json = error.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind).or(of_json);
    kind == Some(ErrorKind::BrokenPipe)
}

fn write_stderr(text: &str) {
    crate::log::write_errors(text);
}

pub fn stderr_line(text: impl Display) {
    write_stderr(&format!("{}\n", sanitize(&text.to_string())));
}

/// Prints a line with escape sequences to standard error; see [`styled`].
pub fn stderr_styled(text: impl Display) {
    write_stderr(&format!("{text}\n"));
}

pub fn note(text: impl Display) {
    stderr_line(format_args!("note: {text}"));
}

pub fn warning(text: impl Display) {
    stderr_line(format_args!("warning: {text}"));
}

/// Prints an error to standard error in the format of clap: the message, an empty line, the indented hint.
pub fn error(text: &str, hint: Option<&str>) {
    let hint = hint.map(|hint| format!("\n\n  {}", hint.replace('\n', "\n  ")));
    let text = sanitize(text);
    let hint = sanitize(hint.as_deref().unwrap_or_default()).into_owned();
    if errors_on_terminal() && std::env::var_os("NO_COLOR").is_none() {
        write_stderr(&format!("\x1b[1;31merror:\x1b[0m {text}{hint}\n"));
    } else {
        write_stderr(&format!("error: {text}{hint}\n"));
    }
}

/// Prints part of a progress line. If that fails, the terminal was closed: a request to stop.
pub fn progress(text: &str) {
    let mut errors = std::io::stderr().lock();
    if errors.write_all(text.as_bytes()).and_then(|()| errors.flush()).is_err() {
        interrupt::request();
    }
}

/// Reports a failed command on standard error and, with `--json`, as an object on standard output.
pub fn report_error(json: bool, status: u8, message: &str, hint: Option<&str>) -> ExitCode {
    error(message, hint);
    error_object(json, status, message, hint)
}

/// The part of [`report_error`] for standard output.
pub fn error_object(json: bool, status: u8, message: &str, hint: Option<&str>) -> ExitCode {
    if json {
        // If standard output is closed, standard error still has the message.
        let body = Failure { status, message: message.to_owned(), hint: hint.map(str::to_owned) };
        let _ = object(Kind::Error, body);
    }
    ExitCode::from(status)
}

/// Replaces what a terminal would act on with JSON escapes, which mean the same to a parser.
fn escape(json: &str) -> Cow<'_, str> {
    if !json.contains(is_terminal_control) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_terminal_control(c) {
            text += &format!("\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_the_same_text_to_a_program() {
        let name = "a\u{9b}31m\u{202e}\x1b\n";
        let json = serde_json::to_string(name).expect("text");
        let safe = escape(&json);
        assert!(safe.is_ascii(), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).expect("JSON"), name);
    }
}
