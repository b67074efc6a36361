//! Files that people name: all that is read and written by a path of theirs goes through here.
//!
//! Reading has a limit, whatever the path leads to: a device that never ends costs no more memory than a large file. Writing
//! follows symbolic links, replaces nothing but a regular file, only when that is asked for, and all at once: whoever reads it
//! has the old file or the new one. What is no regular file (a device, a FIFO, a socket, a directory) is refused and left as it
//! is.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes that a RAM dump, a save state or a ROM may have: several times the largest save states.
pub const DUMP_LIMIT: u64 = 256 << 20;
/// Bytes that a text of a person may have: a board, a script, a list of pools.
pub const TEXT_LIMIT: u64 = 16 << 20;
/// Links that are followed, as Linux does (path_resolution(7)).
const LINKS_MOST: usize = 40;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system does not read it.
    #[error("{0}")]
    Io(io::Error),
    /// There is more in it than its reader takes.
    #[error("it is larger than {}{what}", size(*limit))]
    TooLarge {
        /// What it is, where that explains it: empty for a regular file.
        what: &'static str,
        /// The most bytes that it may have.
        limit: u64,
    },
    /// It is no regular file, and only those are read.
    #[error("it is a {0}, not a regular file")]
    NotRegular(&'static str),
    /// The bytes are no text.
    #[error("it is not UTF-8 text")]
    NotText,
}

impl ReadError {
    /// Whether there is no such file.
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

/// The bytes of a file that has no more than `limit` of them. FIFOs and devices are read as far as that too.
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
    // Room for all of it at once, as std::fs::read makes: growing would copy it several times.
    let room = usize::try_from(about.len().min(limit)).unwrap_or(0);
    read_into(Vec::with_capacity(room), file, limit).map_err(|error| match error {
        ReadError::TooLarge { limit, .. } => ReadError::TooLarge { what, limit },
        error => error,
    })
}

/// The bytes of a regular file that has no more than `limit` of them: for threads that must not wait, as they would for a FIFO.
///
/// # Errors
/// [`ReadError::Io`], [`ReadError::TooLarge`], [`ReadError::NotRegular`].
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    match special(&std::fs::metadata(path).map_err(ReadError::Io)?) {
        Some(what) => Err(ReadError::NotRegular(what)),
        None => read_limited(path, limit),
    }
}

/// The text of a file that has no more than `limit` bytes.
///
/// # Errors
/// See [`ReadError`].
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    String::from_utf8(read_limited(path, limit)?).map_err(|_| ReadError::NotText)
}

/// All that a stream gives, when that is no more than `limit` bytes.
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

/// Whether a file that exists may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// It is left as it is, and nothing is written.
    #[default]
    Refuse,
    /// A regular file is replaced.
    Replace,
}

/// Why a file was not written. What was there before is there still.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// There is such a file, and it was not to be replaced.
    #[error("file exists")]
    Exists,
    /// What the path leads to is never replaced.
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

/// Writes a file, whole or not at all.
///
/// # Errors
/// See [`WriteError`].
pub fn write(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<(), WriteError> {
    let mut output = Output::create(path, overwrite)?;
    output.write_all(bytes).map_err(WriteError::Io)?;
    output.finish()
}

/// Writes a new file that only its owner may read, where the system knows owners.
///
/// # Errors
/// See [`WriteError`].
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let mut output = Output::open(path, Overwrite::Refuse, true)?;
    output.write_all(bytes).map_err(WriteError::Io)?;
    output.finish()
}

/// Whether [`write`] would be allowed to, as far as that can be seen before: asked before long work whose result is written.
///
/// # Errors
/// See [`WriteError`].
pub fn check(path: &Path, overwrite: Overwrite) -> Result<(), WriteError> {
    let target = Target::of(path, overwrite)?;
    std::fs::metadata(target.folder()).map_err(WriteError::Io)?;
    Ok(())
}

/// A file that is being written. It has a name of its own until [`Self::place`] or [`Self::finish`] gives it the one that was
/// asked for; dropped before that, it is gone.
#[derive(Debug)]
pub struct Output {
    file: File,
    aside: PathBuf,
    target: Target,
    overwrite: Overwrite,
    placed: bool,
}

impl Output {
    /// Begins a file.
    ///
    /// # Errors
    /// See [`WriteError`].
    pub fn create(path: &Path, overwrite: Overwrite) -> Result<Self, WriteError> {
        Self::open(path, overwrite, false)
    }

    fn open(path: &Path, overwrite: Overwrite, private: bool) -> Result<Self, WriteError> {
        let target = Target::of(path, overwrite)?;
        let (file, aside) = new_file(target.folder(), private).map_err(WriteError::Io)?;
        let output = Self { file, aside, target, overwrite, placed: false };
        if let Some(old) = &output.target.old {
            // Only a superuser may give a file away; whose file it becomes otherwise is no reason to fail.
            #[cfg(unix)]
            let _ = {
                use std::os::unix::fs::MetadataExt;
                std::os::unix::fs::fchown(&output.file, Some(old.uid()), Some(old.gid()))
            };
            output.file.set_permissions(old.permissions()).map_err(WriteError::Io)?;
        }
        Ok(output)
    }

    /// Gives the file its name now, in the place of one that may be replaced; what is written later goes into it.
    ///
    /// # Errors
    /// [`WriteError::Exists`] when there is a file of that name by now, [`WriteError::NotRegular`], [`WriteError::Io`].
    pub fn place(&mut self) -> Result<(), WriteError> {
        if self.placed {
            return Ok(());
        }
        // It may have come while this was written.
        let at = &self.target.path;
        match std::fs::symlink_metadata(at) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(WriteError::Io(error)),
            Ok(about) => {
                allowed(&about, self.overwrite)?;
            }
        }
        match self.overwrite {
            Overwrite::Replace => std::fs::rename(&self.aside, at).map_err(WriteError::Io)?,
            // A second name is refused where the name is taken; renaming would replace what came in this moment.
            Overwrite::Refuse => match std::fs::hard_link(&self.aside, at) {
                Ok(()) => _ = std::fs::remove_file(&self.aside),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(WriteError::Exists),
                // Not every file system gives second names.
                Err(_) => std::fs::rename(&self.aside, at).map_err(WriteError::Io)?,
            },
        }
        self.placed = true;
        Ok(())
    }

    /// Ends the file: all of it is on the disk, under its name.
    ///
    /// # Errors
    /// See [`Self::place`].
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.file.sync_all().map_err(WriteError::Io)?;
        self.place()
    }

    /// Its length so far, in bytes.
    ///
    /// # Errors
    /// What the system says.
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
        if !self.placed {
            let _ = std::fs::remove_file(&self.aside); // nobody has its name
        }
    }
}

/// Where a path leads.
#[derive(Debug)]
struct Target {
    path: PathBuf,
    /// The regular file that is there.
    old: Option<Metadata>,
}

impl Target {
    fn of(path: &Path, overwrite: Overwrite) -> Result<Self, WriteError> {
        match std::fs::metadata(path) {
            Ok(about) => {
                let old = allowed(&about, overwrite)?;
                let path = path.canonicalize().map_err(WriteError::Io)?;
                Ok(Self { path, old: Some(old) })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let path = followed(path).map_err(WriteError::Io)?;
                if path.file_name().is_none() {
                    return Err(WriteError::Io(io::Error::new(ErrorKind::InvalidInput, "no file is named")));
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

/// What is there, when it may be replaced.
fn allowed(about: &Metadata, overwrite: Overwrite) -> Result<Metadata, WriteError> {
    match special(about) {
        Some(what) => Err(WriteError::NotRegular(what)),
        None if overwrite == Overwrite::Refuse => Err(WriteError::Exists),
        None => Ok(about.clone()),
    }
}

/// The file that is made by writing to a link that leads to none yet; the path itself when it is no link.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MOST {
        match std::fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            // There is nothing, or something that came meanwhile.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// What a file is that is no regular one.
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

/// A new file beside the one that is to be written: hidden, and without an ending by which anybody would take it for one.
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
            // Of an earlier process with our number, which was killed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return Ok((opened?, path)),
        }
    }
}

/// A path as text for JSON, which has no other: what is not UTF-8 in it is replaced.
///
/// # Errors
/// The serializer's own.
pub fn as_text<S: serde::Serializer>(path: &impl AsRef<Path>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.as_ref().display())
}

/// The same of a path that may be missing.
///
/// # Errors
/// The serializer's own.
pub fn as_text_if_any<S: serde::Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => to.serialize_some(&path.to_string_lossy()),
        None => to.serialize_none(),
    }
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
    fn a_file_is_replaced_only_when_that_is_asked_for() {
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
        assert_eq!(names(folder.path()), ["a"], "nothing is left beside it");
    }

    #[test]
    fn what_is_begun_and_not_ended_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path, Overwrite::Replace).unwrap();
        output.write_all(b"half").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        drop(output);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        // From when it has its name, all that is written is there.
        let mut output = Output::create(&path, Overwrite::Replace).unwrap();
        output.write_all(b"one").unwrap();
        output.place().unwrap();
        output.write_all(b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"onetwo");
        drop(output);
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_file_that_came_meanwhile_is_not_replaced() {
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
    fn links_are_followed_and_stay() {
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
    fn a_fifo_and_a_socket_are_refused_and_stay() {
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
    fn no_more_is_read_than_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, [b'x'; 1024]).unwrap();
        assert_eq!(read_limited(&path, 1024).unwrap().len(), 1024);
        let why = |path: &Path, limit| read_limited(path, limit).unwrap_err().to_string();
        assert_eq!(why(&path, 1023), "it is larger than 1023 bytes");
        assert_eq!(read_text(&path, 1024).unwrap().len(), 1024);
        std::fs::write(&path, [0xFF]).unwrap();
        assert!(matches!(read_text(&path, 1024), Err(ReadError::NotText)));
        assert!(read_limited(&folder.path().join("none"), 1).unwrap_err().is_missing());
        assert!(!read_limited(folder.path(), 1).unwrap_err().is_missing());
        #[cfg(target_os = "linux")]
        assert_eq!(why(Path::new("/dev/zero"), 1 << 20), "it is larger than 1 MiB (a device)");
        assert_eq!(read_from(&[1, 2, 3][..], 3).unwrap(), [1, 2, 3]);
        assert!(matches!(read_from(&[1, 2, 3][..], 2), Err(ReadError::TooLarge { limit: 2, .. })));
    }
}
