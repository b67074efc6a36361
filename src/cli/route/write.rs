//! A route into a file, in the form that the file's ending names.

use super::super::Failure;
use super::Arguments;
use crate::profile::{Profile, write_whole};
use crate::route::export::{
    Listing, Movie, chainsim_link, puyop_link, route_apng, route_png, route_svg, route_svg_animated,
};
use crate::route::{FrameTable, Route};
use std::path::Path;

pub fn write(
    file: &Path,
    route: &Route,
    table: Option<&FrameTable>,
    profile: Option<&Profile>,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let timed = || {
        let missing = || Failure::BadInput("movies need a profile with a frame table: give --profile".into());
        let (table, profile) = table.zip(profile).ok_or_else(missing)?;
        anyhow::Ok((Movie::of(route, table, arguments.lead_in)?, profile))
    };
    let bytes = match ending.as_str() {
        "csv" => Listing::of(route, table)?.csv()?.into_bytes(),
        "json" => serde_json::to_vec_pretty(&Listing::of(route, table)?)?,
        "url" => links(route)?.into_bytes(),
        "svg" if arguments.animated => route_svg_animated(route).into_bytes(),
        "svg" => route_svg(route).into_bytes(),
        "png" if arguments.animated => route_apng(route)?,
        "png" => route_png(route)?,
        "apng" => route_apng(route)?,
        "bk2" => timed().and_then(|(movie, profile)| Ok(movie.bk2(profile)?))?,
        "log" => timed().and_then(|(movie, profile)| Ok(movie.input_log(profile)?))?.into_bytes(),
        "gmv" => timed().and_then(|(movie, profile)| Ok(movie.gmv(profile)?))?,
        "dsm" => timed().and_then(|(movie, profile)| Ok(movie.dsm(profile)?))?.into_bytes(),
        "txt" => timed().map(|(movie, _)| movie.console_script())?.into_bytes(),
        _ => {
            let what = format!(
                "{}: what form? The ending decides: .csv .json .url .svg .png .apng .bk2 .log .gmv .dsm .txt",
                file.display()
            );
            return Err(Failure::BadInput(what).into());
        }
    };
    write_whole(file, &bytes)
        .map_err(|error| anyhow::anyhow!("{} cannot be written: {error}", file.display()))?;
    eprintln!("wrote {}", file.display());
    Ok(())
}

/// The links that a route has.
fn links(route: &Route) -> anyhow::Result<String> {
    let mut text = format!("{}\n", puyop_link(route)?);
    if let Some(step) = route.longest() {
        text += &format!("{}\n", chainsim_link(&step.landed)?);
    }
    Ok(text)
}
