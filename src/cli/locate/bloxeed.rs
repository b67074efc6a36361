//! Bloxeed: seed and state of the pieces, the main generator, and the address of the current piece.

use super::arguments::Arguments;
use super::fields::{found_field, print_fields, print_written, with_fields, write};
use super::ram::{Tracked, in_dump, in_motion};
use crate::cli::arguments::Global;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::console::Snapshot;
use crate::games::bloxeed::live::{Observation, Prediction, Tracker};
use crate::json::Kind;
use crate::profile::{FieldKind, NewField, Profile};
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct Located<'a> {
    profile: &'a str,
    game: &'static str,
    found: bool,
    piece_seed: Option<String>,
    piece_state: Option<String>,
    rng_state: Option<String>,
    /// The address of a drawn piece, and how many draws it is behind.
    piece: Option<String>,
    piece_behind: Option<usize>,
    seed: Option<String>,
    state: Option<String>,
    main: Option<String>,
    pieces_dealt: Option<u32>,
    table: Option<&'static str>,
    table_certain: bool,
    written: Option<String>,
}

pub fn run(global: &Global, arguments: &Arguments, profile: &Arc<Profile>) -> anyhow::Result<Exit> {
    let mut tracked = Tracked::<Tracker>::NONE;
    if let Some(path) = arguments.static_dump() {
        let mut search = |snapshot: &Snapshot| {
            let mut tracker = Tracker::default();
            let samples = (0..3).map(|frame| Tracked::update(&mut tracker, snapshot, profile, frame));
            samples.last().filter(|tracked| tracked.forecast.is_some())
        };
        tracked = in_dump(arguments, path, profile, &mut search)?.unwrap_or(Tracked::NONE);
    } else {
        let mut tracker = Tracker::default();
        in_motion(arguments, profile, |snapshot, frame| {
            tracked = Tracked::update(&mut tracker, snapshot, profile, frame);
            let values = tracked.observation.as_ref().and_then(|seen| seen.values);
            values.is_some_and(|values| values.piece.is_some())
        })?;
    }
    let found = tracked.forecast.is_some();
    let observation = tracked.observation.as_deref().filter(|_| found);
    if let (Some(path), Some(observation)) = (&arguments.write, observation) {
        write(path, &with_fields(profile, &fields(observation))?, arguments.force)?;
    }
    print(global, arguments, profile, observation, tracked.forecast.as_deref())?;
    Ok(Exit::from_answer(found))
}

fn fields(observation: &Observation) -> Vec<NewField> {
    let Some(found) = observation.found else { return Vec::new() };
    let long = |name, address, note: &str| found_field(name, address, FieldKind::U32, note);
    let mut fields = vec![
        long("piece_seed", found.seed, "the seed of the game's pieces"),
        long("piece_state", found.state, "as many calls after the seed as pieces were dealt"),
    ];
    if let Some(main) = found.main {
        fields.push(long("rng_state", main, "one call of it returned the seed"));
    }
    if let Some(piece) = observation.piece {
        let (name, note) = match piece.behind {
            0 => ("drawn_piece", "contained the code of every piece when it was drawn"),
            _ => ("current_piece", "contained the code of the piece before the last one"),
        };
        fields.push(found_field(name, piece.address, FieldKind::U8, note));
    }
    fields
}

fn print(
    global: &Global,
    arguments: &Arguments,
    profile: &Profile,
    observation: Option<&Observation>,
    forecast: Option<&Prediction>,
) -> anyhow::Result<()> {
    let found = observation.and_then(|seen| seen.found);
    let values = observation.and_then(|seen| seen.values);
    let piece = observation.and_then(|seen| seen.piece);
    let located = Located {
        profile: &profile.id,
        game: profile.game.id(),
        found: observation.is_some(),
        piece_seed: found.map(|found| found.seed.to_string()),
        piece_state: found.map(|found| found.state.to_string()),
        rng_state: found.and_then(|found| found.main).map(|at| at.to_string()),
        piece: piece.map(|piece| piece.address.to_string()),
        piece_behind: piece.map(|piece| piece.behind),
        seed: values.map(|values| values.seed.to_string()),
        state: values.map(|values| values.state.to_string()),
        main: values.and_then(|values| values.main).map(|main| main.to_string()),
        pieces_dealt: forecast.and_then(|forecast| forecast.dealt),
        table: forecast.map(|forecast| forecast.table.id()),
        table_certain: forecast.is_some_and(|forecast| forecast.decided),
        written: arguments.write.as_ref().filter(|_| found.is_some()).map(|path| path.display().to_string()),
    };
    if global.json {
        return output::object(Kind::ProfileLocate, &located);
    }
    let (Some(observation), Some(forecast)) = (observation, forecast) else {
        return output::line(
            "No generator states found. A game must be in progress, and a dump must contain the full RAM. The first game after clearing the battery RAM works best",
        );
    };
    let piece = if located.piece_behind == Some(1) { "current_piece" } else { "drawn_piece" };
    print_fields([
        ("piece_seed", located.piece_seed, located.seed),
        ("piece_state", located.piece_state, located.state),
        ("rng_state", located.rng_state, located.main),
        (piece, located.piece, None),
    ])?;
    forecast.text(observation).iter().take(4).try_for_each(output::line)?;
    located.written.map_or(Ok(()), |path| print_written(&path))
}
