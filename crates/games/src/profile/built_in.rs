//! The profiles that are part of the program.

use super::{Origin, Profile, parse};
use crate::games::GAMES;
use std::sync::LazyLock;

/// The built-in profiles of all games, as file name and text.
pub fn built_in_files() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        GAMES.iter().filter_map(|game| game.live.as_ref()).flat_map(|live| live.profiles).copied().collect()
    });
    &ALL
}

/// The built-in profiles, parsed.
pub fn built_in_profiles() -> Vec<Profile> {
    let parsed = built_in_files().iter().filter_map(|(path, text)| parse(text, path).0);
    parsed.map(|profile| Profile { origin: Origin::BuiltIn, ..profile }).collect()
}
