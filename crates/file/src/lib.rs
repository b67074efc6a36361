//! Files that users name: every read and write of such a path goes through this module.
//!
//! Reads have a size limit, so that an endless device cannot exhaust memory. Writes follow symbolic links, replace only regular
//! files and only on request, and are atomic: a reader gets the old content or the new one. Devices, FIFOs, sockets and directories
//! are refused and not changed.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Size limit of RAM dumps, save states and ROMs: several times the largest save states.
pub const DUMP_LIMIT: u64 = 256 << 20;
/// Size limit of texts: boards, scripts, lists of pools.
pub const TEXT_LIMIT: u64 = 16 << 20;
/// The limit of Linux, see path_resolution(7).
const MAX_LINKS: usize = 40;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system reports an error.
    #[error("{0}")]
    Io(io::Error),
    /// The file exceeds the size limit.
    #[error("larger than {}{what}", size(*limit))]
    TooLarge {
        /// The kind of file, such as " (a device)"; empty for a regular file.
        what: &'static str,
        /// The size limit in bytes.
        limit: u64,
    },
    /// Not a regular file.
    #[error("a {0}, not a regular file")]
    NotRegular(&'static str),
    /// Not UTF-8.
    #[error("not UTF-8 text")]
    NotText,
}

impl ReadError {
    /// Whether the file does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == ErrorKind::NotFound)
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::TooLarge { .. } => Self::new(ErrorKind::FileTooLarge, error.to_string()),
            ReadError::NotRegular(_) => Self::other(error.to_string()),
            ReadError::NotText => Self::new(ErrorKind::InvalidData, error.to_string()),
        }
    }
}

/// Reads a file of at most `limit` bytes. FIFOs and devices are read up to the limit.
///
/// # Errors
/// [`ReadError::Io`], [`ReadError::TooLarge`].
pub fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path).map_err(ReadError::Io)?;
    let about = file.metadata().map_err(ReadError::Io)?;
    let what = match special(&about) {
        None => "",
        Some("directory") => return Err(ReadError::Io(ErrorKind::IsADirectory.into())),
        Some("device") => " (a device)",
        Some(_) => " (no regular file)",
    };
    if what.is_empty() && about.len() > limit {
        return Err(ReadError::TooLarge { what: "", limit });
    }
    // Allocated at once, like std::fs::read: growing would copy the bytes several times.
    let capacity = usize::try_from(about.len().min(limit)).unwrap_or(0);
    read_into(Vec::with_capacity(capacity), file, limit).map_err(|error| match error {
        ReadError::TooLarge { limit, .. } => ReadError::TooLarge { what, limit },
        error => error,
    })
}

/// Reads a regular file of at most `limit` bytes. For threads that must not block, as a read of a FIFO would.
///
/// # Errors
/// [`ReadError::Io`], [`ReadError::TooLarge`], [`ReadError::NotRegular`].
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    match special(&std::fs::metadata(path).map_err(ReadError::Io)?) {
        Some(what) => Err(ReadError::NotRegular(what)),
        None => read_limited(path, limit),
    }
}

/// Reads a text file of at most `limit` bytes.
///
/// # Errors
/// See [`ReadError`].
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    String::from_utf8(read_limited(path, limit)?).map_err(|_| ReadError::NotText)
}

/// Reads a stream of at most `limit` bytes to its end.
///
/// # Errors
/// [`ReadError::Io`], [`ReadError::TooLarge`].
pub fn read_from(from: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    read_into(Vec::new(), from, limit)
}

fn read_into(mut bytes: Vec<u8>, from: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { what: "", limit });
    }
    Ok(bytes)
}

fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} bytes"),
    }
}

/// Whether an existing file may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// An existing file is an error.
    #[default]
    Refuse,
    /// A regular file is replaced.
    Replace,
}

/// Why a file was not written. An existing file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file exists and may not be replaced.
    #[error("file exists")]
    Exists,
    /// The path leads to something that is never replaced.
    #[error("it is a {0}, not a regular file")]
    NotRegular(&'static str),
    /// The system does not write it.
    #[error("it cannot be written: {0}")]
    Io(io::Error),
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => error,
            WriteError::Exists => Self::new(ErrorKind::AlreadyExists, error.to_string()),
            WriteError::NotRegular(_) => Self::other(error.to_string()),
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::AlreadyExists { Self::Exists } else { Self::Io(error) }
    }
}

/// Writes a file atomically.
///
/// # Errors
/// See [`WriteError`].
pub fn write(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<(), WriteError> {
    let mut output = Output::create(path, overwrite)?;
    output.write_all(bytes).map_err(WriteError::Io)?;
    output.finish()
}

/// Writes a new file that only its owner may read (on Unix).
///
/// # Errors
/// See [`WriteError`].
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let mut output = Output::open(path, Overwrite::Refuse, true)?;
    output.write_all(bytes).map_err(WriteError::Io)?;
    output.finish()
}

/// Fails where [`write()`] would fail, as far as that is known in advance; for a check before long work.
///
/// # Errors
/// See [`WriteError`].
pub fn check(path: &Path, overwrite: Overwrite) -> Result<(), WriteError> {
    let target = Target::of(path, overwrite)?;
    std::fs::metadata(target.folder()).map_err(WriteError::Io)?;
    Ok(())
}

/// A file that is being written, under a temporary name until [`Self::commit`] or [`Self::finish`] renames it. Dropping it before
/// that deletes it.
#[derive(Debug)]
pub struct Output {
    file: File,
    temporary: PathBuf,
    target: Target,
    overwrite: Overwrite,
    committed: bool,
}

impl Output {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// See [`WriteError`].
    pub fn create(path: &Path, overwrite: Overwrite) -> Result<Self, WriteError> {
        Self::open(path, overwrite, false)
    }

    fn open(path: &Path, overwrite: Overwrite, private: bool) -> Result<Self, WriteError> {
        let target = Target::of(path, overwrite)?;
        let (file, temporary) = new_file(target.folder(), private).map_err(WriteError::Io)?;
        let output = Self { file, temporary, target, overwrite, committed: false };
        if let Some(old) = &output.target.old {
            // Keeps the owner where permitted: only a superuser may change it.
            #[cfg(unix)]
            let _ = {
                use std::os::unix::fs::MetadataExt;
                std::os::unix::fs::fchown(&output.file, Some(old.uid()), Some(old.gid()))
            };
            output.file.set_permissions(old.permissions()).map_err(WriteError::Io)?;
        }
        Ok(output)
    }

    /// Renames the file to its final name, replacing an existing file if that is allowed; later writes go to the same file.
    ///
    /// # Errors
    /// [`WriteError::Exists`] if a file of that name was created meanwhile, [`WriteError::NotRegular`], [`WriteError::Io`].
    pub fn commit(&mut self) -> Result<(), WriteError> {
        if self.committed {
            return Ok(());
        }
        // It may have been created in the meantime.
        let at = &self.target.path;
        match std::fs::symlink_metadata(at) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(WriteError::Io(error)),
            Ok(about) => {
                check_replaceable(&about, self.overwrite)?;
            }
        }
        match self.overwrite {
            Overwrite::Replace => std::fs::rename(&self.temporary, at).map_err(WriteError::Io)?,
            // A hard link fails if the name exists; a rename would replace a file created since the check above.
            Overwrite::Refuse => match std::fs::hard_link(&self.temporary, at) {
                Ok(()) => _ = std::fs::remove_file(&self.temporary),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(WriteError::Exists),
                // Not every file system has hard links.
                Err(_) => std::fs::rename(&self.temporary, at).map_err(WriteError::Io)?,
            },
        }
        self.committed = true;
        Ok(())
    }

    /// Flushes the file to disk and commits it.
    ///
    /// # Errors
    /// See [`Self::commit`].
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.file.sync_all().map_err(WriteError::Io)?;
        self.commit()
    }

    /// The current length in bytes.
    ///
    /// # Errors
    /// The error of the system.
    pub fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.committed {
            let _ = std::fs::remove_file(&self.temporary); // no one knows its name
        }
    }
}

#[derive(Debug)]
struct Target {
    path: PathBuf,
    /// The existing regular file.
    old: Option<Metadata>,
}

impl Target {
    fn of(path: &Path, overwrite: Overwrite) -> Result<Self, WriteError> {
        match std::fs::metadata(path) {
            Ok(about) => {
                let old = check_replaceable(&about, overwrite)?;
                let path = path.canonicalize().map_err(WriteError::Io)?;
                Ok(Self { path, old: Some(old) })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let path = follow_links(path).map_err(WriteError::Io)?;
                if path.file_name().is_none() {
                    return Err(WriteError::Io(io::Error::new(
                        ErrorKind::InvalidInput,
                        "the path has no file name",
                    )));
                }
                Ok(Self { path, old: None })
            }
            Err(error) => Err(WriteError::Io(error)),
        }
    }

    fn folder(&self) -> &Path {
        folder(&self.path)
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != OsStr::new("")).unwrap_or(Path::new("."))
}

/// Fails if the existing file may not be replaced.
fn check_replaceable(about: &Metadata, overwrite: Overwrite) -> Result<Metadata, WriteError> {
    match special(about) {
        Some(what) => Err(WriteError::NotRegular(what)),
        None if overwrite == Overwrite::Refuse => Err(WriteError::Exists),
        None => Ok(about.clone()),
    }
}

/// The file that a write to a dangling link creates; the path itself if it is not a link.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            // Nothing, or created meanwhile.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The kind of a file that is not regular.
fn special(about: &Metadata) -> Option<&'static str> {
    let kind = about.file_type();
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some("directory");
    }
    if kind.is_symlink() {
        return Some("symbolic link");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("FIFO");
        }
        if kind.is_socket() {
            return Some("socket");
        }
    }
    Some("device")
}

/// A new hidden file in the same folder, without an extension that would make it look like a finished file.
fn new_file(folder: &Path, private: bool) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".nextscope-{}-{number}", std::process::id()));
        match options.open(&path) {
            // Left by a killed process with the same pid.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return Ok((opened?, path)),
        }
    }
}

/// Serializes a path as text; replaces what is not UTF-8.
///
/// # Errors
/// The serializer's own.
pub fn as_text<S: serde::Serializer>(path: &impl AsRef<Path>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.as_ref().display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_only_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        check(&path, Overwrite::Refuse).unwrap();
        write(&path, b"one", Overwrite::Refuse).unwrap();
        assert!(matches!(check(&path, Overwrite::Refuse), Err(WriteError::Exists)));
        assert!(matches!(write(&path, b"two", Overwrite::Refuse), Err(WriteError::Exists)));
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        write(&path, b"two", Overwrite::Replace).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert!(matches!(
            write(folder.path(), b"", Overwrite::Replace),
            Err(WriteError::NotRegular("directory"))
        ));
        let nowhere = folder.path().join("none/a");
        assert!(matches!(write(&nowhere, b"", Overwrite::Refuse), Err(WriteError::Io(_))));
        assert!(matches!(check(&nowhere, Overwrite::Refuse), Err(WriteError::Io(_))));
        assert!(write(Path::new(""), b"", Overwrite::Replace).is_err());
        assert_eq!(names(folder.path()), ["a"], "no temporary file is left");
    }

    #[test]
    fn an_unfinished_file_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path, Overwrite::Replace).unwrap();
        output.write_all(b"half").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        drop(output);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        // After the commit, writes go to the final file.
        let mut output = Output::create(&path, Overwrite::Replace).unwrap();
        output.write_all(b"one").unwrap();
        output.commit().unwrap();
        output.write_all(b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"onetwo");
        drop(output);
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_file_created_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let output = Output::create(&path, Overwrite::Refuse).unwrap();
        std::fs::write(&path, "theirs").unwrap();
        assert!(matches!(output.finish(), Err(WriteError::Exists)));
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_not_replaced() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("target"), "old").unwrap();
        std::fs::set_permissions(at("target"), std::fs::Permissions::from_mode(0o604)).unwrap();
        symlink("target", at("one")).unwrap();
        symlink("one", at("two")).unwrap();
        symlink("made", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        assert!(matches!(write(&at("two"), b"new", Overwrite::Refuse), Err(WriteError::Exists)));
        write(&at("two"), b"new", Overwrite::Replace).unwrap();
        assert_eq!(std::fs::read(at("target")).unwrap(), b"new");
        assert_eq!(std::fs::metadata(at("target")).unwrap().permissions().mode() & 0o777, 0o604);
        write(&at("dangling"), b"made", Overwrite::Refuse).unwrap();
        assert_eq!(std::fs::read(at("made")).unwrap(), b"made");
        assert!(write(&at("loop"), b"", Overwrite::Replace).is_err());
        for link in ["one", "two", "dangling", "loop"] {
            assert!(std::fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
        }
        assert_eq!(names(folder.path()).len(), 6);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_fifo_and_a_socket_are_refused() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let (fifo, socket) = (folder.path().join("fifo"), folder.path().join("socket"));
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for overwrite in [Overwrite::Refuse, Overwrite::Replace] {
            assert!(matches!(write(&fifo, b"", overwrite), Err(WriteError::NotRegular("FIFO"))));
            assert!(matches!(write(&socket, b"", overwrite), Err(WriteError::NotRegular("socket"))));
        }
        assert!(std::fs::metadata(&fifo).unwrap().file_type().is_fifo());
        assert!(std::fs::metadata(&socket).unwrap().file_type().is_socket());
        assert!(matches!(read_regular(&fifo, 9), Err(ReadError::NotRegular("FIFO"))));
    }

    #[test]
    fn reads_stop_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, [b'x'; 1024]).unwrap();
        assert_eq!(read_limited(&path, 1024).unwrap().len(), 1024);
        let why = |path: &Path, limit| read_limited(path, limit).unwrap_err().to_string();
        assert_eq!(why(&path, 1023), "larger than 1023 bytes");
        assert_eq!(read_text(&path, 1024).unwrap().len(), 1024);
        std::fs::write(&path, [0xFF]).unwrap();
        assert!(matches!(read_text(&path, 1024), Err(ReadError::NotText)));
        assert!(read_limited(&folder.path().join("none"), 1).unwrap_err().is_missing());
        assert!(!read_limited(folder.path(), 1).unwrap_err().is_missing());
        #[cfg(target_os = "linux")]
        assert_eq!(why(Path::new("/dev/zero"), 1 << 20), "larger than 1 MiB (a device)");
        assert_eq!(read_from(&[1, 2, 3][..], 3).unwrap(), [1, 2, 3]);
        assert!(matches!(read_from(&[1, 2, 3][..], 2), Err(ReadError::TooLarge { limit: 2, .. })));
    }
}
