//! Reading and writing files that the command line names.

use super::exit::Failure;
use crate::file::{self, Overwrite, ReadError, WriteError};
use std::path::Path;

pub fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Replace } else { Overwrite::Refuse }
}

/// Fails where [`write`](fn@write) would fail; for a check before long work.
pub fn check(path: &Path, force: bool) -> Result<(), Failure> {
    file::check(path, overwrite(force)).map_err(|error| write_failure(path, &error))
}

/// Writes a file; replaces an existing one only with `--force`.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    file::write(path, bytes, overwrite(force)).map_err(|error| write_failure(path, &error))
}

/// The failure of a file, with its name.
pub fn failure(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::BadInput(format!("{}: {error}", path.display()))
}

/// The failure of a file that was not written, with the remedy.
pub fn write_failure(path: &Path, error: &WriteError) -> Failure {
    let remedy = match error {
        WriteError::Exists => " (use --force to overwrite)",
        WriteError::NotRegular(_) => "; choose another file",
        WriteError::Io(_) => "",
    };
    failure(path, format_args!("{error}{remedy}"))
}

pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    file::read_limited(path, limit).map_err(|error| read_failure(path, &error))
}

/// Reads a text file; `-` is standard input.
pub fn text(path: &Path) -> Result<String, Failure> {
    if path.as_os_str() == "-" {
        return standard_input();
    }
    file::read_text(path, file::TEXT_LIMIT).map_err(|error| read_failure(path, &error))
}

pub fn standard_input() -> Result<String, Failure> {
    let read = file::read_from(std::io::stdin().lock(), file::TEXT_LIMIT);
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|_| ReadError::NotText));
    text.map_err(|error| Failure::BadInput(format!("cannot read standard input: {error}")))
}

fn read_failure(path: &Path, error: &ReadError) -> Failure {
    Failure::BadInput(format!("cannot read {}: {error}", path.display()))
}
