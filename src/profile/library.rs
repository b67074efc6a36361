//! The built-in profiles and those of the user.

use nextscope_games::profile::{
    Code, Diagnostic, MAX_FILE_BYTES, Origin, Profile, Severity, built_in_files, parse, parse_bytes,
};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The diagnostics of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiagnostics {
    /// The file; the folder when that could not be read.
    pub path: PathBuf,
    /// Its text, to show the diagnostics in; empty when it could not be read as text.
    pub source: Arc<str>,
    /// In the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl FileDiagnostics {
    /// Whether the file cannot be used.
    pub fn failed(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// All of them as compilers show them; see [`Diagnostic::render`].
    pub fn render(&self, colored: bool) -> String {
        let rendered = self.diagnostics.iter().map(|diagnostic| diagnostic.render(&self.source, colored));
        rendered.collect::<Vec<_>>().join("\n\n")
    }
}

/// The valid profiles, and the diagnostics of the user's files.
///
/// A user's profile replaces the built-in one of the same id. An invalid file never hides a valid profile: not the built-in
/// one, and after a reload not its own last valid version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Library {
    folder: Option<PathBuf>,
    /// Whether the user set the folder and expects it to exist.
    folder_is_given: bool,
    profiles: Vec<Arc<Profile>>,
    diagnostics: Vec<FileDiagnostics>,
    /// The profile of each file of the folder.
    files: BTreeMap<PathBuf, Arc<Profile>>,
}

impl Library {
    /// The built-in profiles alone.
    pub fn built_in() -> Self {
        let mut library = Self::default();
        for &(path, text) in built_in_files() {
            let (profile, diagnostics) = parse(text, path);
            library
                .profiles
                .extend(profile.map(|profile| Arc::new(Profile { origin: Origin::BuiltIn, ..profile })));
            library.add_diagnostics(path.into(), text.into(), diagnostics);
        }
        library
    }

    /// The built-in profiles and those of `user_dir`, or of [`Self::default_folder`] when it is None.
    /// A given folder that does not exist is reported; the default folder may be missing.
    pub fn load(user_dir: Option<&Path>) -> Self {
        let folder = user_dir.map(Path::to_owned).or_else(Self::default_folder);
        Self::load_folder(folder, user_dir.is_some(), &Self::default())
    }

    /// Reads the folder again. Where a file is invalid now, its last valid version stays in use, and the diagnostics
    /// say so. A removed file removes its profile.
    pub fn reload(&self) -> Self {
        Self::load_folder(self.folder.clone(), self.folder_is_given, self)
    }

    /// The default folder of the user's profiles: `profiles` in the configuration folder of nextscope. None
    /// when the system has no configuration folder.
    pub fn default_folder() -> Option<PathBuf> {
        let directories = directories::ProjectDirs::from("", "", "nextscope")?;
        Some(directories.config_dir().join("profiles"))
    }

    /// The folder of the user's profiles; None for the built-in profiles alone.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// All valid profiles, the built-in ones (or their replacements) first.
    pub fn profiles(&self) -> &[Arc<Profile>] {
        &self.profiles
    }

    /// The profile of that id.
    pub fn by_id(&self, id: &str) -> Option<&Arc<Profile>> {
        self.profiles.iter().find(|profile| profile.id == id)
    }

    /// The diagnostics of each file that has some.
    pub fn diagnostics(&self) -> &[FileDiagnostics] {
        &self.diagnostics
    }

    fn add_diagnostics(&mut self, path: PathBuf, source: Arc<str>, diagnostics: Vec<Diagnostic>) {
        if !diagnostics.is_empty() {
            self.diagnostics.push(FileDiagnostics { path, source, diagnostics });
        }
    }

    fn load_folder(folder: Option<PathBuf>, folder_is_given: bool, before: &Self) -> Self {
        let mut library = Self { folder: folder.clone(), folder_is_given, ..Self::built_in() };
        let Some(folder) = folder else { return library };
        let paths = match toml_files(&folder) {
            Ok(paths) => paths,
            Err(error) => {
                if folder_is_given || error.kind() != std::io::ErrorKind::NotFound {
                    let text = format!("the folder of profiles cannot be read: {error}");
                    let name = folder.display().to_string();
                    let help = "create it or set another; until then the built-in profiles are used";
                    let found =
                        Diagnostic::of_file(&name, Severity::Error, Code::Unreadable, text, Some(help));
                    library.add_diagnostics(folder, "".into(), vec![found]);
                }
                return library;
            }
        };
        for path in paths {
            library.add_file(path, before);
        }
        library
    }

    fn add_file(&mut self, path: PathBuf, before: &Self) {
        let name = path.display().to_string();
        let (profile, FileDiagnostics { source, mut diagnostics, .. }) = check_file(&path);
        if diagnostics.iter().any(|diagnostic| diagnostic.code == Code::Unreadable) && !path.exists() {
            return; // removed since the folder was listed, as editors do when they save
        }
        let profile = profile.map(Arc::new);
        let mut found = Vec::new();
        let profile = profile.or_else(|| {
            let last = before.files.get(&path)?;
            let text = format!("the last valid version of `{}` stays in use", last.id);
            found.push(Diagnostic::of_file(&name, Severity::Note, Code::Doubtful, text, None));
            Some(Arc::clone(last))
        });
        if let Some(profile) = profile {
            let taken = self.files.iter().find(|(_, other)| other.id == profile.id);
            if let Some((other, _)) = taken {
                let text = format!("`{}` is also the id of {}, which is used", profile.id, other.display());
                let help = Some("give one of them another id");
                found.push(Diagnostic::of_file(&name, Severity::Error, Code::Duplicate, text, help));
            } else {
                match self.profiles.iter_mut().find(|other| other.id == profile.id) {
                    Some(built_in) => *built_in = Arc::clone(&profile),
                    None => self.profiles.push(Arc::clone(&profile)),
                }
                self.files.insert(path.clone(), profile);
            }
        }
        diagnostics.extend(found);
        self.add_diagnostics(path, source, diagnostics);
    }
}

/// Reads and checks one file, whatever its content.
pub fn check_file(path: &Path) -> (Option<Profile>, FileDiagnostics) {
    let name = path.display().to_string();
    let (profile, source, diagnostics) = match read_capped(path) {
        Ok(bytes) => {
            let (profile, diagnostics) = parse_bytes(&bytes, &name);
            // Up to the first invalid byte, the offsets are the same; of a huge file nothing is shown.
            let shown =
                if bytes.len() > MAX_FILE_BYTES { "".into() } else { String::from_utf8_lossy(&bytes) };
            (profile, Arc::from(&*shown), diagnostics)
        }
        Err(error) => {
            let text = format!("the file cannot be read: {error}");
            (None, "".into(), vec![Diagnostic::of_file(&name, Severity::Error, Code::Unreadable, text, None)])
        }
    };
    (profile, FileDiagnostics { path: path.to_owned(), source, diagnostics })
}

/// The profiles of a folder in the order of their names; editors create hidden files, which are skipped.
fn toml_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.extension().is_some_and(|extension| extension == "toml") && !path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The bytes of a file, at most one more than a profile may have: enough to reject a longer one.
fn read_capped(path: &Path) -> std::io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file")); // a pipe would block forever
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}
