//! Pochi & Nyaa: where the field stands that somebody copied from the screen.

use super::{Arguments, tell_written, write};
use crate::cli::{Exit, Failure, Global, files, output, source};
use crate::console::{ConsoleAddr, StorageOrder};
use crate::emulator::TellError;
use crate::file::{Overwrite, TEXT_LIMIT, read_text, write as write_file};
use crate::json::Kind;
use crate::pochi::{Color, Field};
use crate::process::{HostAddr, Pid};
use crate::profile::{Addition, BOARD_COLORS, BoardLayout, Library, Profile, text_of, with_board};
use crate::research::{
    FieldLocation, FieldRam, FieldSearchError, Progress, chosen_by_hand, field_from_screen, field_rams,
    merged_layout, next_locations, only_location,
};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Where the place comes from, in the profile.
const FOUND: &str = "found by the field on the screen (nextscope profile locate)";
/// Places that are told.
const TOLD: usize = 20;

#[derive(Serialize)]
struct Located<'a> {
    profile: &'a str,
    game: &'static str,
    found: bool,
    places: Vec<Told>,
    /// Colours of which no block was seen yet.
    open: Vec<&'static str>,
    written: Option<String>,
}

#[derive(Serialize)]
struct Told {
    address: String,
    column_stride: i32,
    row_stride: i32,
    mask: String,
    codes: Vec<ColorCode>,
    stored: StorageOrder,
    /// Where the RAM begins in the process.
    ram: Option<String>,
}

/// How a cell with a block of a colour is stored, or an empty one.
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
        let what = format!(
            "profile {} is located by a field: write it as it stands on the screen into a file (lines of R G B Y and dots) and give it with --board FILE",
            profile.id
        );
        return Err(Failure::BadInput(what).into());
    };
    let field = field_from_screen(&files::text(board)?).map_err(failed)?;
    let rams = rams(arguments, profile)?;
    let player = usize::from(arguments.player.saturating_sub(1));
    let earlier = arguments.places.as_deref().map(earlier).transpose()?.flatten();
    let places = places(arguments, profile, &rams, &field, earlier.as_deref(), player)?;
    if let (Some(path), false) = (&arguments.places, places.is_empty()) {
        let text = serde_json::to_string_pretty(&places)?;
        // It holds the places of an earlier call, as was seen when they were read.
        write_file(path, text.as_bytes(), Overwrite::Replace)
            .map_err(|error| files::not_written(path, &error))?;
    }
    let one = only_location(&places);
    let mut written = None;
    if let Some(place) = one {
        let keep = merged_layout(profile.board.as_ref(), place, player, arguments.replace, FOUND);
        let keep = keep.map_err(|error| Failure::BadInput(error.to_string()))?;
        let keep = if arguments.take.is_some() { chosen_by_hand(keep) } else { keep };
        written = keep_it(arguments, library, profile, &keep)?;
    }
    let told = Located {
        profile: &profile.id,
        game: profile.game.id(),
        found: one.is_some(),
        open: one.map_or_else(Vec::new, |place| place.open().map(Color::name).collect()),
        places: places.iter().map(told).collect(),
        written,
    };
    if global.json {
        output::object(Kind::ProfileLocate, &told)?;
    } else {
        tell(arguments, &told, earlier.map(|earlier| earlier.len()), rams.len())?;
    }
    Ok(if told.found { Exit::Yes } else { Exit::No })
}

fn failed(error: FieldSearchError) -> Failure {
    match error {
        FieldSearchError::Ram(TellError::Read(_) | TellError::Nowhere { .. }) => {
            Failure::Unreachable(error.to_string())
        }
        error => Failure::BadInput(error.to_string()),
    }
}

fn rams(arguments: &Arguments, profile: &Arc<Profile>) -> anyhow::Result<Vec<FieldRam>> {
    let at = arguments.at.as_deref();
    let asked = source::ram_asked(profile.console, at, arguments.swapped, arguments.unswapped)?;
    if let Some(path) = &arguments.dump {
        let rams = super::rams(path, arguments.frame, profile, asked.order)?;
        return Ok(rams.into_iter().map(|(order, ram)| FieldRam::of_file(order, ram)).collect());
    }
    let pid = arguments.pid.unwrap_or_default();
    if crate::process::process_info(Pid(pid)).is_none() {
        return Err(source::no_process(pid).into());
    }
    Ok(field_rams(Pid(pid), asked).map_err(failed)?)
}

/// The places that earlier calls left, when the file is there.
fn earlier(path: &Path) -> anyhow::Result<Option<Vec<FieldLocation>>> {
    match read_text(path, TEXT_LIMIT) {
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| {
            Failure::BadInput(format!("{} holds no places of an earlier call: {error}", path.display()))
                .into()
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
            .map_err(failed)?;
    if let Some(text) = &arguments.take {
        let wanted = u32::try_from(source::hex_address(text)?).ok().map(ConsoleAddr);
        let known: Vec<String> = places.iter().map(|place| place.address.to_string()).collect();
        places.retain(|place| Some(place.address) == wanted);
        if places.is_empty() && !known.is_empty() {
            let what = format!("the field does not stand at {text}; it stands at {}", known.join(", "));
            return Err(Failure::BadInput(what).into());
        }
    }
    Ok(places)
}

/// Writes the profile where it was asked to be written; the file.
fn keep_it(
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
    if !arguments.remember {
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

fn told(place: &FieldLocation) -> Told {
    let code = |code: u8| format!("0x{code:02X}");
    let colors = BOARD_COLORS.into_iter().zip(place.codes);
    let known = colors.filter_map(|(color, known)| Some(ColorCode { color, code: code(known?) }));
    Told {
        address: place.address.to_string(),
        column_stride: place.column_stride,
        row_stride: place.row_stride,
        mask: code(place.mask),
        codes: std::iter::once(ColorCode { color: "empty", code: code(place.empty) }).chain(known).collect(),
        stored: place.order,
        ram: place.base.map(|base| HostAddr(base).to_string()),
    }
}

fn tell(
    arguments: &Arguments,
    told: &Located<'_>,
    earlier: Option<usize>,
    looks: usize,
) -> anyhow::Result<()> {
    if told.places.is_empty() {
        return output::line(match earlier {
            Some(count) => format!(
                "The field stands at none of the {count} places where the earlier one stood: is it copied as it stands, without the falling pair? They are kept in the file"
            ),
            None => format!(
                "The field stands nowhere in the RAM that was looked at ({looks} places and orders of bytes): is it copied as it stands, without the falling pair?"
            ),
        });
    }
    let rows = told.places.iter().take(TOLD).map(|place| {
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
    output::table(&["field", "strides", "codes", "mask", "stored", "RAM at"], &rows.collect::<Vec<_>>())?;
    if !told.found {
        let rest = told.places.len().saturating_sub(TOLD);
        if rest > 0 {
            output::line(format!("... and {rest} more"))?;
        }
        let again = match &arguments.places {
            Some(path) => format!("--places {}", path.display()),
            None => "--places FILE now and then".to_owned(),
        };
        return output::line(format!(
            "{} places: which one is it? Show it another field later ({again}), with other blocks in it; or say which with --take ADDRESS",
            told.places.len()
        ));
    }
    if !told.open.is_empty() {
        output::line(format!(
            "No block of {} was in the field: its code is open, and a field with one is not read until it was shown",
            told.open.join(" or ")
        ))?;
    }
    match &told.written {
        Some(path) => tell_written(path),
        None if arguments.remember => output::line("The profile says so already"),
        None => output::line("To read it there from now on: the same with --remember"),
    }
}
