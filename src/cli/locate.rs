//! `profile locate`: finds undocumented addresses by content, and writes them to a profile.

mod arguments;
mod bloxeed;
mod fields;
mod pochi_nyaa;
mod ram;

pub use arguments::Arguments;

use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, bail_input};
use crate::cli::{library, output};
use crate::console::Snapshot;
use crate::games::piece::letters;
use crate::games::sega::buffer::locate;
use crate::games::sega::live::{Observation, Prediction, Tracker};
use crate::json::Kind;
use crate::profile::{FieldKind, NewField, Profile};
use fields::{found_field, print_fields, print_written, with_fields, write};
use ram::{Tracked, in_dump, in_motion};
use serde::Serialize;

const PIECES_SHOWN: usize = 40;

/// JSON for the games of Sega with a piece buffer.
#[derive(Serialize)]
struct Located<'a> {
    profile: &'a str,
    game: &'static str,
    found: bool,
    sequence: Option<String>,
    cells: Option<&'static str>,
    rng_state: Option<String>,
    state: Option<String>,
    index: Option<String>,
    drawn_from: Option<String>,
    power_on: Option<bool>,
    wrong: Option<usize>,
    written: Option<String>,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let library = library::load(global)?;
    let profile =
        library.by_id(&arguments.profile).ok_or_else(|| library::unknown_profile(&arguments.profile))?;
    if profile.game.anchors().states.is_some() {
        return bloxeed::run(global, arguments, profile);
    }
    if profile.game.anchors().board {
        return pochi_nyaa::run(global, arguments, &library, profile);
    }
    if arguments.board.is_some() {
        bail_input!("--board is not for profile {}", profile.id);
    }
    if profile.game.anchors().codes.is_none() {
        bail_input!("profile {} has nothing to locate: all its addresses are known", profile.id);
    }
    let mut tracked = Tracked::<Tracker>::NONE;
    if let Some(path) = arguments.static_dump() {
        let mut still = |snapshot: &Snapshot| {
            locate(snapshot.all())?;
            let mut tracker = Tracker::default();
            // Trackers expect content to be stable for three frames.
            (0..3).map(|frame| Tracked::update(&mut tracker, snapshot, profile, frame)).last()
        };
        tracked = in_dump(arguments, path, profile, &mut still)?.unwrap_or(Tracked::NONE);
    } else {
        let mut tracker = Tracker::default();
        in_motion(arguments, profile, |snapshot, frame| {
            tracked = Tracked::update(&mut tracker, snapshot, profile, frame);
            let index = tracked.observation.as_ref().is_some_and(|seen| seen.found_index.is_some());
            index && tracked.forecast.is_some()
        })?;
    }
    let buffer = tracked.observation.as_ref().and_then(|seen| seen.buffer.as_ref());
    let found = buffer.is_some() && tracked.forecast.is_some();
    if let (Some(path), true, Some(observation)) = (&arguments.write, found, &tracked.observation) {
        write(path, &with_fields(profile, &fields(observation))?, arguments.force)?;
    }
    print(global, arguments, profile, &tracked, found)?;
    Ok(if found { Exit::Success } else { Exit::Negative.unless_interrupted() })
}

/// The fields of a game of Sega's with a buffer.
fn fields(observation: &Observation) -> Vec<NewField> {
    let buffer = observation.buffer.as_ref().map(|buffer| {
        let (name, length) = match buffer.cells.stride() {
            1 => ("sequence", 1000),
            _ => ("sequence_words", 2000),
        };
        found_field(name, buffer.address, FieldKind::Bytes { length }, "the 1000 piece codes of the game")
    });
    let state = observation.state.map(|(address, _)| {
        found_field("rng_state", address, FieldKind::U32, "contained the state after the last code")
    });
    let index = observation.found_index.map(|index| {
        let note =
            format!("incremented with every piece; {} contained the piece it points to", index.piece_at);
        found_field("index", index.address, FieldKind::U16, note)
    });
    [buffer, state, index].into_iter().flatten().collect()
}

fn print(
    global: &Global,
    arguments: &Arguments,
    profile: &Profile,
    tracked: &Tracked<Tracker>,
    found: bool,
) -> anyhow::Result<()> {
    let observation = tracked.observation.as_deref().filter(|_| found);
    let buffer = observation.and_then(|seen| seen.buffer.as_ref());
    let forecast = tracked.forecast.as_ref().filter(|_| found);
    let wrong = buffer.zip(forecast).map(|(buffer, forecast)| {
        let drawn = forecast.pieces.iter().map(|piece| crate::games::sega::sega_tetris::code(*piece));
        drawn.zip(buffer.codes.iter()).filter(|(drawn, code)| drawn != *code).count()
    });
    let located = Located {
        profile: &profile.id,
        game: profile.game.id(),
        found,
        sequence: buffer.map(|buffer| buffer.address.to_string()),
        cells: buffer.map(|buffer| if buffer.cells.stride() == 1 { "bytes" } else { "words" }),
        rng_state: observation.and_then(|seen| seen.state).map(|(address, _)| address.to_string()),
        state: observation.and_then(|seen| seen.state).map(|(_, state)| state.to_string()),
        index: observation.and_then(|seen| seen.found_index).map(|index| index.address.to_string()),
        drawn_from: forecast.map(|forecast| format!("0x{:06X}", forecast.before)),
        power_on: forecast.map(|forecast| forecast.power_on),
        wrong,
        written: arguments.write.as_ref().filter(|_| found).map(|path| path.display().to_string()),
    };
    if global.json {
        return output::object(Kind::ProfileLocate, &located);
    }
    if !found {
        return output::line(
            "No buffer of piece codes found. A game must be in progress, and a dump must contain the full RAM",
        );
    }
    print_fields([
        ("sequence", located.sequence, located.cells.map(str::to_owned)),
        ("rng_state", located.rng_state, located.state),
        ("index", located.index, None),
    ])?;
    if let Some(forecast) = forecast {
        describe(forecast).iter().try_for_each(output::line)?;
    }
    if let Some(path) = located.written {
        print_written(&path)?;
    }
    Ok(())
}

fn describe(forecast: &Prediction) -> [String; 3] {
    let coming = letters(&forecast.coming()[..PIECES_SHOWN.min(forecast.pieces.len())]);
    let kind = if forecast.power_on { "the power-on pattern" } else { "a game" };
    let [skipped, shown] = forecast.next_games.each_ref().map(|pieces| letters(pieces));
    [
        match forecast.index {
            Some(index) => format!("Piece {} of 1000 is next: {coming} ...", index + 1),
            None => format!("The game from its first piece (the current piece is unknown): {coming} ..."),
        },
        format!("{kind}, drawn from a state that ends in {:06X} (22 bits)", forecast.before),
        format!("Next game if the monkey is skipped: {skipped} ...; if it is shown: {shown} ..."),
    ]
}
