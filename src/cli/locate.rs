//! `profile locate`: finds in the console's RAM what no document says where it is, and writes it into a profile.

mod bloxeed;
mod pochi_nyaa;

use super::{Exit, Failure, Global, files, output, source};
use crate::console::{ConsoleAddr, ConsoleId, Snapshot, StorageOrder};
use crate::emulator::{Outcome, find};
use crate::file::DUMP_LIMIT;
use crate::game::GameId;
use crate::game::piece::letters;
use crate::game::sega_buffer::locate;
use crate::json::Kind;
use crate::live::sega::{Forecast, Observation, Tracker};
use crate::live::{Look, Totals};
use crate::process::Pid;
use crate::profile::{Anchor, FieldKind, NewField, Profile, parse, text_of, with_field};
use crate::recording::{Cursor, is_recording};
use crate::research::{Dump, SaveState};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Pieces of the game that are told.
const TOLD: usize = 40;
/// Looks per second at a running game.
const LOOK_EVERY: Duration = Duration::from_millis(14);

#[derive(Debug, Args)]
pub struct Arguments {
    /// The profile with the recipe
    #[arg(long, default_value = "sega-tetris")]
    profile: String,
    /// Look into this emulator while the game is played
    #[arg(long, required_unless_present = "dump", conflicts_with = "dump")]
    pid: Option<u32>,
    /// Look into a dump of the console's whole RAM, or a recording; into a save state if the profile has an anchor at an address
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    /// Of a recording: only at this frame, instead of through all of it
    #[arg(long, value_name = "FRAME", requires = "dump")]
    frame: Option<u64>,
    /// Watch a running game for so long for the cell that counts its pieces, or holds the one drawn
    #[arg(long, value_name = "N", default_value_t = 60.0)]
    seconds: f64,
    /// Write a profile with the addresses found into this file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Overwrite a profile that exists
    #[arg(long, requires = "write")]
    force: bool,
    /// Pochi & Nyaa: the field as it stands on the screen, lines of R G B Y and dots, the top row first; - for standard input
    #[arg(long, value_name = "FILE")]
    board: Option<PathBuf>,
    /// With --board: whose field it is
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2), requires = "board")]
    player: u8,
    /// With --board: keep the places in this file and, when it is there, look only at those that it holds
    #[arg(long, value_name = "FILE", requires = "board")]
    places: Option<PathBuf>,
    /// With --board: of several places, it is this one
    #[arg(long, value_name = "ADDRESS", requires = "board")]
    take: Option<String>,
    /// With --board: keep the place in your own copy of the profile, by which it is read from now on
    #[arg(long, requires = "board", conflicts_with = "write")]
    remember: bool,
    /// With --board: also when the profile has the field elsewhere
    #[arg(long, requires = "board")]
    replace: bool,
    /// With --board: RAM begins here in the emulator's memory, where that is not known
    #[arg(long, value_name = "ADDRESS", requires_all = ["board", "pid"])]
    at: Option<String>,
    /// With --board: RAM has the bytes of each word swapped; otherwise both orders are tried
    #[arg(long, requires = "board")]
    swapped: bool,
    /// With --board: RAM has its bytes as the console has them
    #[arg(long, requires = "board", conflicts_with = "swapped")]
    unswapped: bool,
}

impl Arguments {
    /// The file whose RAM does not move.
    fn still(&self) -> Option<&Path> {
        self.dump.as_deref().filter(|path| self.frame.is_some() || !is_recording(path))
    }
}

/// The body for a game of Sega's with a buffer.
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

/// What was seen last.
#[derive(Default)]
struct Seen {
    observation: Option<Arc<Observation>>,
    forecast: Option<Arc<Forecast>>,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let library = source::library(global)?;
    let profile = library.by_id(&arguments.profile).ok_or_else(|| {
        Failure::BadInput(format!(
            "there is no profile {:?}; see `nextscope profile list`",
            arguments.profile
        ))
    })?;
    if profile.game == GameId::Bloxeed {
        return bloxeed::run(global, arguments, profile);
    }
    if profile.game == GameId::PochiNyaa {
        return pochi_nyaa::run(global, arguments, &library, profile);
    }
    if arguments.board.is_some() {
        let what = format!("profile {} is not located by a field on the screen", profile.id);
        return Err(Failure::BadInput(what).into());
    }
    if !matches!(profile.game, GameId::SegaTetris | GameId::FlashPoint) {
        let what = format!("profile {} has nothing to be located: its addresses are known", profile.id);
        return Err(Failure::BadInput(what).into());
    }
    let mut seen = Seen::default();
    if let Some(path) = arguments.still() {
        let mut still = |snapshot: &Snapshot| {
            locate(snapshot.all())?;
            let mut tracker = Tracker::default();
            // Content that does not move is shown for as long as a game's must stand.
            (0..3).map(|frame| look(&mut tracker, snapshot, profile, frame)).last()
        };
        seen = in_dump(arguments, path, profile, &mut still)?.unwrap_or_default();
    } else {
        let mut tracker = Tracker::default();
        in_motion(arguments, profile, |snapshot, frame| {
            seen = look(&mut tracker, snapshot, profile, frame);
            let index = seen.observation.as_ref().is_some_and(|seen| seen.found_index.is_some());
            index && seen.forecast.is_some()
        })?;
    }
    let buffer = seen.observation.as_ref().and_then(|seen| seen.buffer.as_ref());
    let found = buffer.is_some() && seen.forecast.is_some();
    if let (Some(path), true, Some(observation)) = (&arguments.write, found, &seen.observation) {
        write(path, &with_fields(profile, &fields(observation))?, arguments.force)?;
    }
    tell(global, arguments, profile, &seen, found)?;
    Ok(if found { Exit::Yes } else { Exit::No.unless_stopped() })
}

/// What a tracker makes of RAM that stands.
fn look(tracker: &mut Tracker, snapshot: &Snapshot, profile: &Profile, frame: u64) -> Seen {
    let step = tracker.look(&Look { snapshot, profile, frame }, &mut Totals::default());
    Seen { observation: step.observation.ok(), forecast: step.forecast }
}

/// What is made of a file in the first order of bytes in which it holds something.
fn in_dump<T>(
    arguments: &Arguments,
    path: &Path,
    profile: &Arc<Profile>,
    still: &mut dyn FnMut(&Snapshot) -> Option<T>,
) -> anyhow::Result<Option<T>> {
    let rams = rams(path, arguments.frame, profile, None)?;
    Ok(rams.iter().find_map(|(_, snapshot)| still(snapshot)))
}

/// The whole RAM in a file, and how it was stored: of a dump in each order that it may have, or in the one that is asked for; of a
/// save state; of a frame in a recording, the first when none is named.
fn rams(
    path: &Path,
    frame: Option<u64>,
    profile: &Arc<Profile>,
    asked: Option<StorageOrder>,
) -> anyhow::Result<Vec<(StorageOrder, Snapshot)>> {
    let domain = profile.console.domain();
    if is_recording(path) {
        let recording = source::recording(path)?;
        let (index, sample) = source::sample(path, &recording, frame)?;
        let order = recording.sections()[recording.section_of(index)].header.order;
        return Ok(vec![(order, whole(path, profile, sample.snapshot)?)]);
    }
    if frame.is_some() {
        return Err(source::no_frames(path).into());
    }
    let bytes = files::read(path, DUMP_LIMIT)?;
    if bytes.len() == domain.len as usize {
        let orders = domain.orders.iter().filter(|order| asked.is_none_or(|asked| asked == **order));
        let stored =
            |order: &StorageOrder| Ok((*order, Snapshot::from_stored(domain, *order, bytes.clone())?));
        return orders.map(stored).collect();
    }
    let opened = Dump::open_with_state(bytes, Some(profile.console), false, std::slice::from_ref(profile));
    match opened.map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))? {
        (Dump::Console(snapshot), Some(SaveState { found: Some(found), .. })) => {
            source::tell_caution(path, found.caution);
            Ok(vec![(found.order, snapshot)])
        }
        _ => Ok(Vec::new()),
    }
}

/// RAM of a recording, when it is that of the profile's console, and all of it.
fn whole(path: &Path, profile: &Profile, snapshot: Snapshot) -> Result<Snapshot, Failure> {
    let (domain, wanted) = (snapshot.domain(), profile.console.domain());
    let what = if domain != wanted {
        let console = ConsoleId::ALL.iter().find(|console| console.domain() == domain);
        let name = console.map_or(domain.name, |console| console.name());
        format!(
            "it is a recording of the {name}, and profile {} is for the {}",
            profile.id,
            profile.console.name()
        )
    } else if snapshot.all().is_empty() {
        "only parts of RAM are recorded in it".to_owned()
    } else {
        return Ok(snapshot);
    };
    Err(Failure::BadInput(format!("{}: {what}", path.display())))
}

/// Shows RAM that moves to `look`, of a recording or of a running game, until that says that it is enough.
fn in_motion(
    arguments: &Arguments,
    profile: &Arc<Profile>,
    mut look: impl FnMut(&Snapshot, u64) -> bool,
) -> anyhow::Result<()> {
    let Some(path) = &arguments.dump else {
        return in_process(Pid(arguments.pid.unwrap_or_default()), profile, arguments.seconds, look);
    };
    let recording = source::recording(path)?;
    let stop = source::stop_flag();
    let mut cursor = Cursor::default();
    for index in (0..recording.len()).take_while(|_| !stop.load(Ordering::Relaxed)) {
        // What is damaged was named when it was opened.
        let Ok(sample) = cursor.sample(&recording, index) else { continue };
        if look(&whole(path, profile, sample.snapshot)?, sample.frame) {
            break;
        }
    }
    Ok(())
}

/// Shows the RAM of a running game to `look` with the number of the look, until that says that it is enough.
fn in_process(
    pid: Pid,
    profile: &Arc<Profile>,
    seconds: f64,
    mut look: impl FnMut(&Snapshot, u64) -> bool,
) -> anyhow::Result<()> {
    let length = Duration::try_from_secs_f64(seconds)
        .map_err(|_| Failure::BadInput("--seconds wants a number that is not negative".into()))?;
    if crate::process::process_info(pid).is_none() {
        return Err(source::no_process(pid.0).into());
    }
    // Who asks for the game by its name knows that it is played there, be it the first one or not.
    let mut wanted = profile.as_ref().clone();
    for anchor in &mut wanted.anchors {
        if let Anchor::States { later_games, .. } = anchor {
            *later_games = true;
        }
    }
    let found = match find(pid, &[Arc::new(wanted)]).outcome {
        Outcome::Found(found) | Outcome::Paused(found) => found,
        Outcome::Unreadable(error) => return Err(Failure::Unreachable(error.to_string()).into()),
        _ => return Ok(()),
    };
    let stop = source::stop_flag();
    let started = Instant::now();
    let mut frame = 0;
    while started.elapsed() < length && !stop.load(Ordering::Relaxed) {
        let snapshot =
            found.ram.sample(&profile.plan()).map_err(|error| Failure::Unreachable(error.to_string()))?;
        if look(&snapshot, frame) {
            break;
        }
        frame += 1;
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

/// The profile's own text and, behind it, the fields that were found.
fn with_fields(profile: &Profile, fields: &[NewField]) -> anyhow::Result<String> {
    let mut text = text_of(profile)?;
    for field in fields.iter().filter(|field| profile.field(&field.name).is_none()) {
        text = with_field(&text, field, false)?.text;
    }
    Ok(text)
}

/// A field that was found.
fn found_field(name: &str, address: ConsoleAddr, kind: FieldKind, note: impl Into<String>) -> NewField {
    NewField {
        name: name.to_owned(),
        address,
        kind,
        source: "found by content in a running game (nextscope profile locate)".to_owned(),
        note: Some(note.into()),
        confirmed: false,
    }
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
        found_field("rng_state", address, FieldKind::U32, "held the state after the last code")
    });
    let index = observation.found_index.map(|index| {
        let note = format!("went up by one with every piece; {} held the piece it points to", index.piece_at);
        found_field("index", index.address, FieldKind::U16, note)
    });
    [buffer, state, index].into_iter().flatten().collect()
}

/// Writes a profile that is good.
fn write(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    if let (None, told) = parse(text, &path.display().to_string()) {
        let told: Vec<String> = told.iter().map(|told| told.message.clone()).collect();
        anyhow::bail!("the profile would not be good: {}", told.join("; "));
    }
    Ok(files::write(path, text.as_bytes(), force)?)
}

/// That a profile was written, for people.
fn tell_written(path: &str) -> anyhow::Result<()> {
    output::line(format!("{path} is written; nextscope profile check {path} has nothing to say against it"))
}

fn tell(
    global: &Global,
    arguments: &Arguments,
    profile: &Profile,
    seen: &Seen,
    found: bool,
) -> anyhow::Result<()> {
    let observation = seen.observation.as_deref().filter(|_| found);
    let buffer = observation.and_then(|seen| seen.buffer.as_ref());
    let forecast = seen.forecast.as_ref().filter(|_| found);
    let wrong = buffer.zip(forecast).map(|(buffer, forecast)| {
        let drawn = forecast.pieces.iter().map(|piece| crate::game::sega_tetris::code(*piece));
        drawn.zip(buffer.codes.iter()).filter(|(drawn, code)| drawn != *code).count()
    });
    let told = Located {
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
        return output::object(Kind::ProfileLocate, &told);
    }
    if !found {
        return output::line(
            "No buffer of piece codes was found: a game must be under way, in RAM that was found or dumped whole",
        );
    }
    let unknown = || "not found".to_owned();
    let rows = [
        ("sequence", told.sequence.unwrap_or_else(unknown), told.cells.unwrap_or_default().to_owned()),
        ("rng_state", told.rng_state.unwrap_or_else(unknown), told.state.unwrap_or_default()),
        ("index", told.index.unwrap_or_else(unknown), String::new()),
    ];
    let rows: Vec<Vec<String>> =
        rows.into_iter().map(|(name, address, value)| vec![name.to_owned(), address, value]).collect();
    output::table(&["field", "address", "holds"], &rows)?;
    if let Some(forecast) = forecast {
        describe(forecast).iter().try_for_each(output::line)?;
    }
    if let Some(path) = told.written {
        tell_written(&path)?;
    }
    Ok(())
}

/// The game that was found, in lines.
fn describe(forecast: &Forecast) -> [String; 3] {
    let coming = letters(&forecast.coming()[..TOLD.min(forecast.pieces.len())]);
    let kind = if forecast.power_on { "the power-on pattern" } else { "a game" };
    let [skipped, shown] = forecast.next_games.each_ref().map(|pieces| letters(pieces));
    [
        match forecast.index {
            Some(index) => format!("Piece {} of 1000 is next: {coming} ...", index + 1),
            None => format!("The game from its first piece on (which is next is not known): {coming} ..."),
        },
        format!("{kind}, drawn from a state that ends in {:06X} (22 bits)", forecast.before),
        format!("Next game when the monkey is skipped: {skipped} ...; when it is shown: {shown} ..."),
    ]
}
