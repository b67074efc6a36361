//! The profiles: built-in ones and the user's.

use super::arguments::Global;
use super::exit::{Failure, bail_input};
use super::output;
use crate::profile::{Library, Origin, Profile};
use std::io::IsTerminal;
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

pub fn unknown_profile(id: &str) -> Failure {
    Failure::BadInput(format!("unknown profile {id:?}; run `nextscope profile list` for the available ones"))
}
