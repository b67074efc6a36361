//! Printing for people and for programs.

use crate::json::{Envelope, Kind};
use serde::Serialize;
use std::io::Write;

/// Prints a line on standard output.
pub fn line(text: impl std::fmt::Display) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints an object of that kind as one line of JSON.
pub fn object(kind: Kind, body: impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string(&Envelope::new(kind, body))?)
}

/// Says something besides the answer on standard error; that nobody reads it there is no failure.
pub fn note(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "note: {text}");
}

/// Prints an object as one line of JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string(value)?)
}

/// Standard output for many lines: they are written when the buffer is full and at `flush`.
pub fn buffered() -> std::io::BufWriter<std::io::StdoutLock<'static>> {
    std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock())
}

/// Prints what `--help` and `--version` ask for, in colours where the terminal has them.
pub fn help(help: &clap::Error) -> anyhow::Result<()> {
    help.print()?;
    Ok(std::io::stdout().flush()?)
}

/// An error with what caused it, nothing of it twice: many errors have the words of their cause in their own.
pub fn error(error: &anyhow::Error) -> String {
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
    kind == Some(std::io::ErrorKind::BrokenPipe)
}

/// Prints text that ends its own lines.
pub fn text(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// A table with aligned columns; the last column is not padded.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> anyhow::Result<()> {
    text(&crate::seeds::text::table(head, rows))
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
