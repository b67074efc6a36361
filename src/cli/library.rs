//! The profiles: built-in ones and the user's.

use super::arguments::Global;
use super::exit::{Failure, bail_input};
use super::output;
use crate::profile::{Library, Origin, Profile, check_file};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

/// Loads all profiles; problems with the user's are printed to standard error.
pub fn load(global: &Global) -> anyhow::Result<Library> {
    if let Some(folder) = &global.profiles
        && !folder.is_dir()
    {
        bail_input!("{}: --profiles must name a folder with .toml files", folder.display());
    }
    let library = Library::load(global.profiles.as_deref());
    let colored = std::io::stderr().is_terminal();
    for file in library.diagnostics() {
        output::stderr_styled(file.render(colored));
    }
    Ok(library)
}

pub fn profiles(global: &Global) -> anyhow::Result<Vec<Arc<Profile>>> {
    Ok(load(global)?.profiles().to_vec())
}

/// The profiles in the folder of `--profiles`; they replace those stored in a recording.
pub fn replacements(global: &Global) -> anyhow::Result<Vec<Arc<Profile>>> {
    if global.profiles.is_none() {
        return Ok(Vec::new());
    }
    let library = load(global)?;
    let given = library.profiles().iter().filter(|profile| matches!(profile.origin, Origin::File(_)));
    Ok(given.cloned().collect())
}

/// The profile in a `.toml` file, or the known one of that id.
pub fn known_or_file(global: &Global, name: &str) -> anyhow::Result<Arc<Profile>> {
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Ok(Arc::clone(load(global)?.by_id(name).ok_or_else(|| unknown_profile(name))?));
    }
    std::fs::metadata(path)
        .map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", path.display())))?;
    let (profile, file) = check_file(path);
    let colored = std::io::stderr().is_terminal();
    if !file.diagnostics.is_empty() && profile.is_none() {
        output::stderr_styled(file.render(colored));
    }
    let invalid = || Failure::BadInput(format!("{}: the profile has errors, see above", path.display()));
    Ok(Arc::new(profile.ok_or_else(invalid)?))
}

pub fn unknown_profile(id: &str) -> Failure {
    Failure::BadInput(format!("unknown profile {id:?}; run `nextscope profile list` for the available ones"))
}
