//! Files, folders and documents that other programs of the desktop show.

use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(not(windows))]
use std::process::Stdio;
use std::sync::{Arc, OnceLock};

/// The label of buttons that show a file in its folder.
pub const SHOW_IN_FOLDER: &str = "Show in folder";

/// What another program shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// The folder of a file, with the file selected where the file manager can do that; or a folder itself.
    Folder(PathBuf),
    /// A document.
    Document(PathBuf),
}

impl Outside {
    /// The file or folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Folder(path) | Self::Document(path) => path,
        }
    }
}

/// Opens something in another program; may take seconds. An error is a sentence.
pub type OpenOutside = Arc<dyn Fn(&Outside) -> Result<(), String> + Send + Sync>;

/// Opens something in the program that the desktop has for it.
///
/// # Errors
/// A sentence with the path, which the user can open by hand.
pub fn open_outside(what: &Outside) -> Result<(), String> {
    let path = what.path();
    if !path.exists() {
        return Err(format!("{} does not exist any more", path.display()));
    }
    match what {
        Outside::Folder(folder) if folder.is_dir() => open(folder),
        Outside::Folder(file) => reveal(file),
        // A desktop may have no program for documents, but it has one for folders.
        Outside::Document(document) => open(document).or_else(|_| reveal(document)),
    }
}

/// The folder that a file is in.
#[cfg(not(any(windows, target_os = "macos")))]
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(file)
}

#[cfg(target_os = "macos")]
fn open(path: &Path) -> Result<(), String> {
    run(Command::new("open").arg(path), path)
}

#[cfg(target_os = "macos")]
fn reveal(file: &Path) -> Result<(), String> {
    run(Command::new("open").arg("-R").arg(file), file)
}

// Explorer reports failure also when it has succeeded, so that it is only started.
#[cfg(windows)]
fn open(path: &Path) -> Result<(), String> {
    Command::new("explorer").arg(path).spawn().map(drop).map_err(|error| failed(path, &error.to_string()))
}

#[cfg(windows)]
fn reveal(file: &Path) -> Result<(), String> {
    use std::os::windows::process::CommandExt;
    let select = format!("/select,\"{}\"", file.display());
    let explorer = Command::new("explorer").raw_arg(select).spawn();
    explorer.map(drop).map_err(|error| failed(file, &error.to_string()))
}

#[cfg(not(any(windows, target_os = "macos")))]
fn open(path: &Path) -> Result<(), String> {
    run(Command::new("xdg-open").arg(path), path)
}

#[cfg(not(any(windows, target_os = "macos")))]
fn reveal(file: &Path) -> Result<(), String> {
    #[cfg(target_os = "linux")]
    if select_in_file_manager(file).is_ok() {
        return Ok(());
    }
    open(folder_of(file))
}

/// Asks the file manager on the session's D-Bus to select a file; `xdg-open` can only open its folder.
#[cfg(target_os = "linux")]
fn select_in_file_manager(file: &Path) -> zbus::Result<()> {
    pollster::block_on(async {
        let session = zbus::Connection::session().await?;
        let files = [file_uri(file)];
        session
            .call_method(
                Some("org.freedesktop.FileManager1"),
                "/org/freedesktop/FileManager1",
                Some("org.freedesktop.FileManager1"),
                "ShowItems",
                &(&files[..], ""),
            )
            .await
            .map(drop)
    })
}

/// The URI of a file (RFC 8089): all but unreserved characters and slashes are escaped.
#[cfg(target_os = "linux")]
fn file_uri(file: &Path) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt;
    let mut uri = "file://".to_owned();
    for byte in file.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(not(windows))]
fn run(command: &mut Command, path: &Path) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(path, &format!("{program}: {status}"))),
        Err(error) => Err(failed(path, &format!("{program}: {error}"))),
    }
}

fn failed(path: &Path, why: &str) -> String {
    format!("Could not open {} ({why})", path.display())
}

/// The documents that ship with the program: beside it (as in the archive for Windows), below `share` (as in the other
/// packages), or in the folder that it was built in.
pub fn documents() -> Option<&'static Path> {
    static INDEX: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let program = std::env::current_exe().ok()?;
        documents_of(&std::fs::canonicalize(&program).unwrap_or(program))
    };
    INDEX.get_or_init(find).as_deref()
}

fn documents_of(program: &Path) -> Option<PathBuf> {
    let places = program.ancestors().skip(1).take(4);
    let found = places.flat_map(|folder| [folder.join("docs"), folder.join("share/doc/nextscope/docs")]);
    found.map(|docs| docs.join("README.md")).find(|index| index.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_gone_is_reported_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone.csv");
        let why = open_outside(&Outside::Folder(gone.clone())).unwrap_err();
        assert_eq!(why, format!("{} does not exist any more", gone.display()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn uris_have_no_reserved_characters() {
        let uri = file_uri(Path::new("/home/a b/Übung #1.csv"));
        assert_eq!(uri, "file:///home/a%20b/%C3%9Cbung%20%231.csv");
    }

    #[test]
    fn the_documents_are_found_from_the_program() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let installed = put("usr/share/doc/nextscope/docs/README.md");
        assert_eq!(documents_of(&root.path().join("usr/bin/nextscope")), Some(installed));
        let beside = put("zip/docs/README.md");
        assert_eq!(documents_of(&root.path().join("zip/nextscope.exe")), Some(beside));
        let built = put("source/docs/README.md");
        assert_eq!(documents_of(&root.path().join("source/target/debug/nextscope")), Some(built));
        assert_eq!(documents_of(&root.path().join("elsewhere/bin/nextscope")), None);
    }
}
