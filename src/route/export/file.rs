//! A route as a file, in the form that the end of the file's name asks for.

use super::{
    ExportError, Listing, Movie, chainsim_link, puyop_link, route_apng, route_png, route_svg,
    route_svg_animated,
};
use crate::profile::Profile;
use crate::route::{FrameTable, Route};
use std::path::Path;

/// The ends that a file's name may have.
pub const FILE_FORMS: &str =
    ".json, .csv, .url, .svg, .png, .apng, .bk2, .log, .gmv, .dsm, or .txt for the embedded console";

/// How a route is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileOptions<'a> {
    /// The profile whose frame table times it; movies need one.
    pub profile: Option<&'a Profile>,
    /// Pictures show one board after the other.
    pub moving: bool,
    /// Frames that pass in a movie before the first pair can be moved.
    pub lead_in: u32,
}

/// Why a route is no such file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The end of its name.
    #[error("what form? Give a file whose name ends in {FILE_FORMS}")]
    Form,
    /// Nothing tells how long things take.
    #[error("movies need a profile with a frame table, and {0}")]
    NoTable(String),
    /// The form cannot hold this route.
    #[error(transparent)]
    Export(#[from] ExportError),
}

/// The file's content.
///
/// # Errors
/// [`FileError`].
pub fn route_file(path: &Path, route: &Route, options: FileOptions<'_>) -> Result<Vec<u8>, FileError> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let table = options.profile.and_then(FrameTable::of);
    let listing = || Listing::of(route, table.as_ref());
    let movie = || {
        let missing = || match options.profile {
            Some(profile) => format!("the profile {} has none", profile.id),
            None => "there is none of this game".into(),
        };
        let (profile, table) =
            options.profile.zip(table.as_ref()).ok_or_else(|| FileError::NoTable(missing()))?;
        let movie = Movie::of(route, table, options.lead_in).map_err(ExportError::from)?;
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
        Some("bk2") => movie().and_then(|(movie, profile)| Ok(movie.bk2(profile)?))?,
        Some("log") => movie().and_then(|(movie, profile)| Ok(movie.input_log(profile)?))?.into_bytes(),
        Some("gmv") => movie().and_then(|(movie, profile)| Ok(movie.gmv(profile)?))?,
        Some("dsm") => movie().and_then(|(movie, profile)| Ok(movie.dsm(profile)?))?.into_bytes(),
        Some("txt") => movie()?.0.console_script().into_bytes(),
        _ => return Err(FileError::Form),
    })
}

/// The links that a route has.
fn links(route: &Route) -> Result<String, ExportError> {
    let mut text = format!("{}\n", puyop_link(route)?);
    if let Some(step) = route.longest() {
        text += &format!("{}\n", chainsim_link(&step.landed)?);
    }
    Ok(text)
}
