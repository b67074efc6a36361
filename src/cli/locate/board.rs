//! The address of a board that the user copied from the screen.

use super::arguments::Arguments;
use super::fields::{print_written, write};
use crate::cli::arguments::{Global, parse_address};
use crate::cli::exit::{Exit, Failure, bail_input};
use crate::cli::{files, output, session};
use crate::console::{ConsoleAddr, StorageOrder};
use crate::emulator::LocateRamError;
use crate::file::{Overwrite, TEXT_LIMIT, read_text, write as write_file};
use crate::json::Kind;
use crate::pochi::{Color, Field};
use crate::process::{HostAddr, Pid};
use crate::profile::{Addition, BOARD_COLORS, BoardLayout, Library, Profile, text_of, with_board};
use crate::research::{
    FieldLocation, FieldRam, FieldSearchError, chosen_by_hand, field_from_screen, field_rams, merged_layout,
    next_locations, only_location,
};
use crate::task::Progress;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

const SOURCE: &str = "found by the field on the screen (nextscope profile locate)";
const CANDIDATES_SHOWN: usize = 20;

#[derive(Serialize)]
struct Located<'a> {
    profile: &'a str,
    game: &'static str,
    found: bool,
    places: Vec<Candidate>,
    /// Colours whose codes are unknown.
    open: Vec<&'static str>,
    written: Option<String>,
}

#[derive(Serialize)]
struct Candidate {
    address: String,
    column_stride: i32,
    row_stride: i32,
    mask: String,
    codes: Vec<ColorCode>,
    stored: StorageOrder,
    /// The address of the RAM in the process.
    ram: Option<String>,
}

/// The code of a colour or of an empty cell.
#[derive(Serialize)]
struct ColorCode {
    color: &'static str,
    code: String,
}

pub fn run(
    global: &Global,
    arguments: &Arguments,
    library: &Library,
    profile: &Arc<Profile>,
) -> anyhow::Result<Exit> {
    let Some(board) = &arguments.board else {
        bail_input!(
            "profile {} needs --board FILE: a file with the field on the screen, lines of R G B Y and dots",
            profile.id
        );
    };
    let field = field_from_screen(&files::text(board)?).map_err(failure)?;
    let rams = rams(arguments, profile)?;
    let player = usize::from(arguments.player.saturating_sub(1));
    let earlier = arguments.candidates.as_deref().map(read_candidates).transpose()?.flatten();
    let places = places(arguments, profile, &rams, &field, earlier.as_deref(), player)?;
    if let (Some(path), false) = (&arguments.candidates, places.is_empty()) {
        let text = serde_json::to_string_pretty(&places)?;
        // An existing file was read as candidates above, so replacing it loses nothing.
        write_file(path, text.as_bytes(), Overwrite::Replace)
            .map_err(|error| files::write_failure(path, &error))?;
    }
    let one = only_location(&places);
    let mut written = None;
    if let Some(place) = one {
        let layout = merged_layout(profile.board.as_ref(), place, player, arguments.replace, SOURCE);
        let layout = layout.map_err(|error| Failure::BadInput(error.to_string()))?;
        let layout = if arguments.address.is_some() { chosen_by_hand(layout) } else { layout };
        written = save(arguments, library, profile, &layout)?;
    }
    let located = Located {
        profile: &profile.id,
        game: profile.game.id(),
        found: one.is_some(),
        open: one.map_or_else(Vec::new, |place| place.open().map(Color::name).collect()),
        places: places.iter().map(candidate).collect(),
        written,
    };
    if global.json {
        output::object(Kind::ProfileLocate, &located)?;
    } else {
        print(arguments, &located, earlier.map(|earlier| earlier.len()), rams.len())?;
    }
    Ok(Exit::from_answer(located.found))
}

fn failure(error: FieldSearchError) -> Failure {
    match error {
        FieldSearchError::Ram(LocateRamError::Read(_) | LocateRamError::Nowhere { .. }) => {
            Failure::Unreachable(error.to_string())
        }
        error => Failure::BadInput(error.to_string()),
    }
}

fn rams(arguments: &Arguments, profile: &Arc<Profile>) -> anyhow::Result<Vec<FieldRam>> {
    let at = arguments.ram_address.as_deref();
    let query = session::ram_query(profile.console, at, arguments.swapped, arguments.unswapped)?;
    if let Some(path) = &arguments.dump {
        let rams = super::ram::rams(path, arguments.frame, profile, query.order)?;
        return Ok(rams.into_iter().map(|(order, ram)| FieldRam::of_file(order, ram)).collect());
    }
    let pid = arguments.pid.unwrap_or_default();
    if crate::process::process_info(Pid(pid)).is_none() {
        return Err(session::no_process(pid).into());
    }
    Ok(field_rams(Pid(pid), query).map_err(failure)?)
}

/// The candidates of earlier calls, if the file exists.
fn read_candidates(path: &Path) -> anyhow::Result<Option<Vec<FieldLocation>>> {
    match read_text(path, TEXT_LIMIT) {
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| {
            Failure::BadInput(format!("{}: not a file of candidates: {error}", path.display())).into()
        }),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(Failure::BadInput(format!("cannot read {}: {error}", path.display())).into()),
    }
}

fn places(
    arguments: &Arguments,
    profile: &Profile,
    rams: &[FieldRam],
    field: &Field,
    earlier: Option<&[FieldLocation]>,
    player: usize,
) -> anyhow::Result<Vec<FieldLocation>> {
    let mut places =
        next_locations(profile.board.as_ref(), earlier, rams, field, player, &Progress::default())
            .map_err(failure)?;
    if let Some(text) = &arguments.address {
        let chosen = u32::try_from(parse_address(text)?).ok().map(ConsoleAddr);
        let known: Vec<String> = places.iter().map(|place| place.address.to_string()).collect();
        places.retain(|place| Some(place.address) == chosen);
        if places.is_empty() && !known.is_empty() {
            bail_input!("the field is not at {text}; candidates are {}", known.join(", "));
        }
    }
    Ok(places)
}

/// Writes the profile to the file of --write or to the user's folder; returns the path.
fn save(
    arguments: &Arguments,
    library: &Library,
    profile: &Profile,
    layout: &BoardLayout,
) -> anyhow::Result<Option<String>> {
    if let Some(path) = &arguments.write {
        let edited = with_board(&text_of(profile)?, layout);
        let edited = edited.map_err(|error| Failure::BadInput(error.to_string()))?;
        write(path, &edited.text, arguments.force)?;
        return Ok(Some(path.display().to_string()));
    }
    if !arguments.save {
        return Ok(None);
    }
    let addition = Addition::board(library.folder(), profile, layout)
        .map_err(|error| Failure::BadInput(error.to_string()))?;
    if addition.edited.changes.is_empty() {
        return Ok(None);
    }
    addition.write().map_err(|error| Failure::BadInput(error.to_string()))?;
    Ok(Some(addition.path.display().to_string()))
}

fn candidate(place: &FieldLocation) -> Candidate {
    let code = |code: u8| format!("0x{code:02X}");
    let colors = BOARD_COLORS.into_iter().zip(place.codes);
    let known = colors.filter_map(|(color, known)| Some(ColorCode { color, code: code(known?) }));
    Candidate {
        address: place.address.to_string(),
        column_stride: place.column_stride,
        row_stride: place.row_stride,
        mask: code(place.mask),
        codes: std::iter::once(ColorCode { color: "empty", code: code(place.empty) }).chain(known).collect(),
        stored: place.order,
        ram: place.base.map(|base| HostAddr(base).to_string()),
    }
}

fn print(
    arguments: &Arguments,
    located: &Located<'_>,
    earlier: Option<usize>,
    searched: usize,
) -> anyhow::Result<()> {
    if located.places.is_empty() {
        return output::line(match earlier {
            Some(count) => format!(
                "The field is at none of the {count} candidates. Check that it matches the screen, without the falling pair. The file was not changed"
            ),
            None => format!(
                "Field not found in RAM ({searched} regions and byte orders searched). Check that it matches the screen, without the falling pair"
            ),
        });
    }
    let rows = located.places.iter().take(CANDIDATES_SHOWN).map(|place| {
        let codes: Vec<String> =
            place.codes.iter().map(|one| format!("{} {}", one.color, one.code)).collect();
        vec![
            place.address.clone(),
            format!("{} right, {} down", place.column_stride, place.row_stride),
            codes.join(", "),
            place.mask.clone(),
            place.stored.to_string(),
            place.ram.clone().unwrap_or_else(|| "-".into()),
        ]
    });
    output::table(&["field", "strides", "codes", "mask", "stored", "RAM at"], rows)?;
    if !located.found {
        let rest = located.places.len().saturating_sub(CANDIDATES_SHOWN);
        if rest > 0 {
            output::line(format!("... and {rest} more"))?;
        }
        let again = match &arguments.candidates {
            Some(path) => format!("--candidates {}", path.display()),
            None => "--candidates FILE, now and then".to_owned(),
        };
        return output::line(format!(
            "{} candidates. Run this again with another field ({again}), or choose one with --address ADDRESS",
            located.places.len()
        ));
    }
    if !located.open.is_empty() {
        output::line(format!(
            "The field has no block of {}: its code is unknown until you run this with a field that has one",
            located.open.join(" or ")
        ))?;
    }
    match &located.written {
        Some(path) => print_written(path),
        None if arguments.save => output::line("The profile already has this address"),
        None => output::line("To use this address from now on, add --save"),
    }
}
