//! Printing for people and for programs. Nothing else in the program writes to standard output or standard error.
//!
//! A terminal can be closed and a reader can go away at any time. On standard output that ends the command; on standard error, where
//! only messages go, it is ignored. Neither is a panic.

pub use crate::plain::{plain, printable};

use super::{Exit, stop};
use crate::json::{Envelope, Failure, Kind};
use crate::plain::acts;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

/// The system's number for an input or output error: what a terminal gives that was closed.
#[cfg(unix)]
const CLOSED_TERMINAL: Option<i32> = Some(5);
#[cfg(not(unix))]
const CLOSED_TERMINAL: Option<i32> = None;

/// What standard output and standard error were connected to when the program began.
#[derive(Clone, Copy)]
struct Terminals {
    output: bool,
    errors: bool,
}

/// A closed terminal is no terminal any more, so this is asked once, at the beginning.
fn terminals() -> Terminals {
    static TERMINALS: OnceLock<Terminals> = OnceLock::new();
    *TERMINALS.get_or_init(|| Terminals {
        output: std::io::stdout().is_terminal(),
        errors: std::io::stderr().is_terminal(),
    })
}

/// Notes what the program writes to. Called before anything is written.
pub fn begin() {
    terminals();
}

/// Whether standard output is a terminal.
pub fn on_terminal() -> bool {
    terminals().output
}

/// Whether standard error is a terminal, so that progress is shown on it.
pub fn errors_on_terminal() -> bool {
    terminals().errors
}

/// Standard output. A terminal that was closed is reported as a broken pipe: nobody reads any more.
struct Output(std::io::StdoutLock<'static>);

impl Output {
    fn new() -> Self {
        Self(std::io::stdout().lock())
    }
}

/// See [`Output`].
fn closed(error: std::io::Error) -> std::io::Error {
    let closed = terminals().output && CLOSED_TERMINAL.is_some() && error.raw_os_error() == CLOSED_TERMINAL;
    if closed { std::io::Error::new(ErrorKind::BrokenPipe, error) } else { error }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes).map_err(closed)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush().map_err(closed)
    }
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = Output::new();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a line on standard output.
pub fn line(text: impl Display) -> anyhow::Result<()> {
    print(&format!("{}\n", printable(&text.to_string())))
}

/// Prints text that ends its own lines.
pub fn text(text: &str) -> anyhow::Result<()> {
    print(&printable(text))
}

/// Prints text with escape sequences of our own; names from outside must be [`plain`] in it.
pub fn styled(text: &str) -> anyhow::Result<()> {
    print(text)
}

/// Prints an object of that kind as one line of JSON.
pub fn object(kind: Kind, body: impl Serialize) -> anyhow::Result<()> {
    json(&Envelope::new(kind, body))
}

/// Says that there is nothing to answer with: an error of status 1 for programs, a line for people.
pub fn nothing(as_json: bool, message: impl Display) -> anyhow::Result<Exit> {
    if as_json {
        object(Kind::Error, Failure { status: 1, message: message.to_string(), hint: None })?;
    } else {
        line(message)?;
    }
    Ok(Exit::No)
}

/// Prints an object as one line of JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", escaped(&serde_json::to_string(value)?)))
}

/// Standard output for many lines: they are written when the buffer is full and at `flush`.
pub fn buffered() -> std::io::BufWriter<impl Write> {
    std::io::BufWriter::with_capacity(1 << 16, Output::new())
}

/// A table with aligned columns; the last column is not padded.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> anyhow::Result<()> {
    let cell = |cell: &String| plain(cell).into_owned();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    print(&crate::seeds::text::table(head, &rows))
}

/// Prints what `--help` and `--version` ask for, in colours where the terminal has them.
pub fn help(help: &clap::Error) -> anyhow::Result<()> {
    help.print()?;
    Ok(std::io::stdout().flush()?)
}

/// An error with what caused it, nothing of it twice: many errors have the words of their cause in their own.
pub fn causes(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if told.is_empty() {
            told = cause;
        } else if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

/// Whether the reader of our output has gone, which is no failure of ours.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    // serde_json keeps the kind of a write error, but wraps it.
    let of_json = error.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind).or(of_json);
    kind == Some(ErrorKind::BrokenPipe)
}

/// Writes to standard error. What cannot be written there nobody can be told.
fn message(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// A line on standard error.
pub fn say(text: impl Display) {
    message(&format!("{}\n", printable(&text.to_string())));
}

/// A line on standard error with escape sequences of our own; names from outside must be [`plain`] in it.
pub fn say_styled(text: impl Display) {
    message(&format!("{text}\n"));
}

/// What is worth knowing, on standard error.
pub fn note(text: impl Display) {
    say(format_args!("note: {text}"));
}

/// What may be wrong, on standard error.
pub fn warning(text: impl Display) {
    say(format_args!("warning: {text}"));
}

/// Why a command failed, on standard error, in the form in which wrong arguments are reported: the message, and below it what to do.
pub fn error(text: &str, hint: Option<&str>) {
    let hint = hint.map(|hint| format!("\n\n  {}", hint.replace('\n', "\n  ")));
    let text = printable(text);
    let hint = printable(hint.as_deref().unwrap_or_default()).into_owned();
    if errors_on_terminal() && std::env::var_os("NO_COLOR").is_none() {
        message(&format!("\x1b[1;31merror:\x1b[0m {text}{hint}\n"));
    } else {
        message(&format!("error: {text}{hint}\n"));
    }
}

/// Part of a line of progress. A terminal that takes none any more was closed, which is a request to stop.
pub fn progress(text: &str) {
    let mut errors = std::io::stderr().lock();
    if errors.write_all(text.as_bytes()).and_then(|()| errors.flush()).is_err() {
        stop::request();
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// JSON in which characters that a terminal acts on are escapes: to a program they are the same.
fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(acts) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if acts(c) {
            text += &format!("\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

/// A number of things: "1 round", "2 rounds", "2 mismatches".
pub fn count(number: u64, thing: &str) -> String {
    let plural = if thing.ends_with(['s', 'x', 'h']) { "es" } else { "s" };
    format!("{number} {thing}{}", if number == 1 { "" } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_the_same_text_to_a_program() {
        let name = "a\u{9b}31m\u{202e}\x1b\n";
        let json = serde_json::to_string(name).expect("text");
        let safe = escaped(&json);
        assert!(safe.is_ascii(), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).expect("JSON"), name);
    }

    #[test]
    fn things_are_counted_in_words() {
        let all = [0, 1, 2].map(|number| count(number, "round"));
        assert_eq!(all, ["0 rounds", "1 round", "2 rounds"]);
        assert_eq!([1, 3].map(|number| count(number, "mismatch")), ["1 mismatch", "3 mismatches"]);
    }
}
