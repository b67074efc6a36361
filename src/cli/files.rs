//! Files on the command line: what is written and read by a path that was given.

use super::Failure;
use crate::file::{self, Overwrite, ReadError, WriteError};
use std::path::Path;

/// What `--force` says.
pub fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Replace } else { Overwrite::Refuse }
}

/// Refuses what [`write`] would refuse, before there is anything to write.
pub fn check(path: &Path, force: bool) -> Result<(), Failure> {
    file::check(path, overwrite(force)).map_err(|error| not_written(path, &error))
}

/// Writes a file; one that exists is replaced with `--force` only.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    file::write(path, bytes, overwrite(force)).map_err(|error| not_written(path, &error))
}

/// Why a file was not written, with what to do about it.
pub fn not_written(path: &Path, error: &WriteError) -> Failure {
    let remedy = match error {
        WriteError::Exists => " (use --force to overwrite)",
        WriteError::NotRegular(_) => "; name another file",
        WriteError::Io(_) => "",
    };
    Failure::BadInput(format!("{}: {error}{remedy}", path.display()))
}

/// The bytes of a file that has no more than `limit` of them.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    file::read_limited(path, limit).map_err(|error| not_read(path, &error))
}

/// The text of a file; `-` is standard input.
pub fn text(path: &Path) -> Result<String, Failure> {
    if path.as_os_str() == "-" {
        return standard_input();
    }
    file::read_text(path, file::TEXT_LIMIT).map_err(|error| not_read(path, &error))
}

/// The text on standard input.
pub fn standard_input() -> Result<String, Failure> {
    let read = file::read_from(std::io::stdin().lock(), file::TEXT_LIMIT);
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|_| ReadError::NotText));
    text.map_err(|error| Failure::BadInput(format!("cannot read standard input: {error}")))
}

fn not_read(path: &Path, error: &ReadError) -> Failure {
    Failure::BadInput(format!("cannot read {}: {error}", path.display()))
}
