//! Writes a route to a file in the format selected by the file extension.

use super::script::route_lua;
use super::{
    ExportError, LeadIn, Listing, Movie, chainsim_link, puyop_link, refuse_garbage, route_apng, route_png,
    route_svg, route_svg_animated,
};
use crate::{FrameTable, Route};
use nextscope_games::profile::Profile;
use std::path::Path;

/// The supported file extensions.
pub const FILE_FORMS: &str = ".json, .csv, .url, .svg, .png, .apng, .lua, .bk2, .log, .gmv, .mcm, .inp, .dsm, or .txt for the embedded console";

/// Options for writing a route.
#[derive(Clone, Debug, Default)]
pub struct FileOptions<'a> {
    /// The profile with the frame table and the addresses; required for movies and scripts.
    pub profile: Option<&'a Profile>,
    /// Whether images are animated.
    pub moving: bool,
    /// The frames of a movie before the first pair can be moved.
    pub lead_in: LeadIn,
    /// The player (0 or 1) whose board a script watches.
    pub player: usize,
}

/// Why a route cannot be written to a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Unknown extension.
    #[error("unknown file extension: use {FILE_FORMS}")]
    Form,
    /// No frame table.
    #[error("movies need a profile with a frame table, and {0}")]
    NoTable(String),
    /// No profile.
    #[error("scripts need the addresses of a profile, and this game has none")]
    NoProfile,
    /// The format cannot represent this route.
    #[error(transparent)]
    Export(#[from] ExportError),
}

/// Whether a file with this extension contains buttons frame by frame.
pub fn is_movie(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    matches!(ending.as_deref(), Some("bk2" | "log" | "gmv" | "mcm" | "inp" | "dsm"))
}

/// The file's content.
pub fn route_file(path: &Path, route: &Route, options: FileOptions<'_>) -> Result<Vec<u8>, FileError> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let table = options.profile.and_then(FrameTable::of);
    let listing = || Listing::of(route, table.as_ref());
    let movie = || {
        refuse_garbage(route, "a movie")?;
        let missing = || match options.profile {
            Some(profile) => format!("the profile {} has none", profile.id),
            None => "this game has no such profile".into(),
        };
        let (profile, table) =
            options.profile.zip(table.as_ref()).ok_or_else(|| FileError::NoTable(missing()))?;
        let movie = Movie::after(route, table, options.lead_in).map_err(ExportError::from)?;
        Ok::<_, FileError>((movie, profile))
    };
    Ok(match ending.as_deref() {
        Some("json") => listing()?.json()?.into_bytes(),
        Some("csv") => listing()?.csv()?.into_bytes(),
        Some("url") => links(route)?.into_bytes(),
        Some("svg") if options.moving => route_svg_animated(route).into_bytes(),
        Some("svg") => route_svg(route).into_bytes(),
        Some("png") if options.moving => route_apng(route)?,
        Some("png") => route_png(route)?,
        Some("apng") => route_apng(route)?,
        Some("lua") => {
            let profile = options.profile.ok_or(FileError::NoProfile)?;
            route_lua(route, profile, options.player)?.into_bytes()
        }
        Some("bk2") => movie().and_then(|(movie, profile)| Ok(movie.bk2(profile)?))?,
        Some("log") => movie().and_then(|(movie, profile)| Ok(movie.input_log(profile)?))?.into_bytes(),
        Some("gmv") => movie().and_then(|(movie, profile)| Ok(movie.gmv(profile)?))?,
        Some("mcm") => movie().and_then(|(movie, profile)| Ok(movie.mcm(profile)?))?,
        Some("inp") => movie().and_then(|(movie, profile)| Ok(movie.inp(profile)?))?,
        Some("dsm") => movie().and_then(|(movie, profile)| Ok(movie.dsm(profile)?))?.into_bytes(),
        Some("txt") => movie()?.0.console_script().into_bytes(),
        _ => return Err(FileError::Form),
    })
}

fn links(route: &Route) -> Result<String, ExportError> {
    let mut text = format!("{}\n", puyop_link(route)?);
    if let Some(step) = route.longest() {
        text += &format!("{}\n", chainsim_link(&step.landed)?);
    }
    Ok(text)
}
