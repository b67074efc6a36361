//! `watch`: the coming pairs, the state and the verdicts, live.

mod replay;
mod screen;

use super::output::count;
use super::source::{self, Session, Source};
use super::{Exit, Global, output};
use crate::console::Snapshot;
use crate::game::piece::Piece;
use crate::game::puyo::{Color, Pair};
use crate::live::{
    Board, Check, CheckId, Connection, Data, EmulatorRow, Mismatch, Observation, ObservedBoard, PieceChances,
    PiecePlayer, Player, SampleContext, Shown, Status, Target, Totals, Tracker, Verdict, View, line, line_of,
};
use crate::profile::Profile;
use crate::puyo::{COLUMNS, Cell, ROWS};
use anyhow::Context;
use clap::Args;
use screen::Screen;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    /// Coming pairs to show of each player
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(1..=128))]
    pub pairs: u8,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(path) = &arguments.source.dump {
        return watch_dump(global, path, arguments);
    }
    if let Some(path) = &arguments.source.replay {
        return replay::watch(global, path, arguments);
    }
    let mut session = Session::start(global, &arguments.source, None)?;
    session.follow_profiles(global);
    let mut views = session.sampler.view();
    let mut teller = Teller::new(global, arguments.pairs.into());
    let mut seen_live = false;
    while !session.over() {
        let Some(view) = views.next(Duration::from_millis(100)) else { continue };
        session.still_patient(&view)?;
        seen_live |= matches!(view.connection, Connection::Live);
        match teller.show(&view, &session.waiting_for(&view)) {
            // Nobody looks any more.
            Err(error) if output::is_broken_pipe(&error) => return Ok(Exit::Yes),
            shown => shown?,
        }
    }
    drop(teller);
    Ok(if seen_live { Exit::Yes } else { Exit::No })
}

/// Shows one view after another: on a screen of its own, or a line for each change.
struct Teller {
    json: bool,
    pairs: usize,
    screen: Option<Screen>,
    told: Option<Key>,
    mismatches: u64,
    /// What those mismatches are of.
    target: Option<Arc<Target>>,
    drawn: Instant,
}

impl Teller {
    fn new(global: &Global, pairs: usize) -> Self {
        Self {
            json: global.json,
            pairs,
            screen: (!global.json && output::on_terminal()).then(Screen::enter),
            told: None,
            mismatches: 0,
            target: None,
            drawn: Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now),
        }
    }

    /// `waiting` is what is waited for while nothing is attached.
    fn show(&mut self, view: &View, waiting: &str) -> anyhow::Result<()> {
        if let Some(screen) = &mut self.screen {
            if self.drawn.elapsed() >= Duration::from_millis(100) {
                self.drawn = Instant::now();
                screen.draw(view, waiting, self.pairs)?;
            }
            return Ok(());
        }
        let same = |target: &Arc<Target>| view.target.as_ref().is_some_and(|now| now.is_same_game(target));
        if !self.target.as_ref().is_some_and(same) {
            self.mismatches = 0; // counted anew with another game
        }
        self.target.clone_from(&view.target);
        let new_mismatches = view.totals.mismatches.saturating_sub(self.mismatches);
        self.mismatches = view.totals.mismatches;
        let key = Key::of(view);
        if self.told.as_ref() == Some(&key) && new_mismatches == 0 {
            return Ok(());
        }
        if self.json {
            let count = usize::try_from(new_mismatches).unwrap_or(usize::MAX).min(view.mismatches.len());
            let fresh = &view.mismatches[view.mismatches.len() - count..];
            for mismatch in fresh.iter().map(Some).chain(fresh.is_empty().then_some(None)) {
                output::json(&line(view, self.pairs, mismatch))?;
            }
        } else {
            let lines = match (&self.told, &view.data) {
                (Some(before), Some(data)) if before.same_but_for_pairs(&key) && new_mismatches == 0 => {
                    describe_players(data, self.pairs)
                }
                _ => describe(view, waiting, self.pairs),
            };
            lines.iter().try_for_each(output::line)?;
        }
        self.told = Some(key);
        Ok(())
    }
}

/// What makes a new line: everything that a player would call a change.
#[derive(PartialEq)]
struct Key {
    connection: &'static str,
    pid: Option<u32>,
    players: Vec<(Vec<String>, Option<u16>)>,
    chains: Vec<Option<(usize, u32)>>,
    pieces: Vec<(Option<u32>, Vec<Piece>, Option<PieceChances>)>,
    colors: Vec<u8>,
    checks: Vec<(CheckId, Status)>,
    round: u64,
}

impl Key {
    fn same_but_for_pairs(&self, other: &Self) -> bool {
        (self.connection, self.pid, self.round) == (other.connection, other.pid, other.round)
            && self.checks == other.checks
    }

    fn of(view: &View) -> Self {
        let data = view.data.as_ref();
        let seen = data.and_then(|data| data.observation.as_ref().ok());
        let checks =
            data.map(|data| data.verdict.checks.iter().map(|check| (check.id, check.status)).collect());
        let shown = data.and_then(Data::view).cloned().unwrap_or_default();
        let chain = |player: &Player| {
            let board = player.board.as_ref()?.as_ref().ok()?;
            board.chain.map(|chain| (chain.steps, chain.points))
        };
        Self {
            connection: view.connection.word(),
            pid: view.target.as_ref().map(|target| target.pid.0),
            chains: shown.players.iter().map(chain).collect(),
            players: shown.players.into_iter().map(|player| (player.captions, player.dealt)).collect(),
            pieces: shown
                .pieces
                .into_iter()
                .map(|player| (player.dealt, player.pieces, player.chances))
                .collect(),
            colors: seen.map_or_else(Vec::new, Observation::round_key),
            checks: checks.unwrap_or_default(),
            round: view.totals.rounds,
        }
    }
}

/// The boards of a game for which nothing is predicted, a line for each.
fn boards(seen: &Observation) -> Vec<String> {
    let line = |board: ObservedBoard| {
        let rows = board.rows.map_or_else(|why| why, |rows| rows.join("/"));
        format!("{}   field at {}   {rows}", board.title, board.address)
    };
    seen.boards().into_iter().map(line).collect()
}

/// The view in lines, of any width.
fn describe(view: &View, waiting: &str, pairs: usize) -> Vec<String> {
    let mut lines = vec![headline(view)];
    match (&view.connection, &view.data) {
        (Connection::Live | Connection::Paused { .. } | Connection::Replaying { .. }, Some(data)) => {
            let locate = view.target.as_ref().map_or_else(String::new, |target| {
                Shown::locate(&target.profile.id, &format!("--pid {}", target.pid))
            });
            lines.extend(describe_data(data, pairs, &locate));
        }
        _ => lines.extend(describe_connection(view, waiting)),
    }
    if let Some(mismatch) = view.mismatches.last() {
        lines.push(format!("last mismatch: {mismatch}"));
        lines.push(format!("  expected {}  actual {}", mismatch.expected, mismatch.actual));
    }
    lines
}

/// How it stands without data.
fn describe_connection(view: &View, waiting: &str) -> Vec<String> {
    match &view.connection {
        Connection::Replaying { .. } => vec!["Nothing was sampled in this recording".into()],
        Connection::Choosing => {
            let candidates =
                view.emulators.iter().filter(|r| matches!(r.state, crate::live::RowState::Candidate));
            let row = |row: &EmulatorRow| format!("  {}  {}", row.pid, output::plain(&row.identity.name));
            std::iter::once("Several emulators run a known game; choose one with --pid:".to_owned())
                .chain(candidates.map(row))
                .collect()
        }
        Connection::Lost { why, .. } => vec![format!("Lost: {why}. Looking for it again ...")],
        _ => vec![waiting.to_owned()],
    }
}

fn headline(view: &View) -> String {
    let mut parts = vec![view.connection.word().to_owned()];
    if let Some(target) = &view.target {
        parts.push(format!("{} ({})", output::plain(&target.identity.name), target.pid));
        parts.push(target.profile.name.clone());
    }
    if let (Connection::Live, Some(data)) = (&view.connection, &view.data) {
        parts.push(format!("{:.1} frames/s", data.frames_per_second));
        parts.push(format!("{} ms old", data.taken.elapsed().as_millis()));
    }
    if let Some(replay) = &view.replay {
        let (now, all) = (replay.elapsed.as_secs_f64(), replay.length.as_secs_f64());
        parts.push(format!("frame {}, {now:.1} of {all:.1} s", replay.frame));
    }
    let Totals { rounds, pairs_verified, mismatches, .. } = view.totals;
    if view.target.as_ref().is_some_and(|target| !target.profile.game.has_predictor()) {
        parts.push("no randomizer known: nothing to forecast".to_owned());
        return parts.join("   ");
    }
    let pieces = count(pairs_verified, unit(view).trim_end_matches('s'));
    let (rounds, mismatches) = (count(rounds, "round"), count(mismatches, "mismatch"));
    parts.push(format!("{rounds}, {pieces} as forecast, {mismatches}"));
    parts.join("   ")
}

/// What the game deals.
pub fn unit(view: &View) -> &'static str {
    view.target.as_ref().map_or("pairs", |target| target.profile.game.unit().plural())
}

/// `locate` is the command that keeps what was found by content.
fn describe_data(data: &Data, pairs: usize, locate: &str) -> Vec<String> {
    let mut lines = describe_players(data, pairs);
    let shown = data.view();
    if let Some(found) = shown.and_then(|shown| shown.found.as_ref()) {
        lines.push(format!("{found}. To keep it in a profile: {locate}"));
    }
    lines.extend(shown.map(|shown| describe_start(shown, pairs, false)).unwrap_or_default());
    lines.extend(describe_verdict(&data.verdict));
    lines
}

/// What would be dealt if a round began now.
fn describe_start(shown: &Shown, pairs: usize, coloured: bool) -> Vec<String> {
    let Some(start) = &shown.start else { return Vec::new() };
    let mut lines = vec![format!("If a round began now ({}):", start.caption)];
    for (pool, first) in &start.pools {
        let first: Vec<String> = first.iter().take(pairs.min(8)).map(|pair| drawn(*pair, coloured)).collect();
        lines.push(format!("  {pool:14} {}", first.join(" ")));
    }
    lines
}

fn describe_players(data: &Data, pairs: usize) -> Vec<String> {
    let observation = match &data.observation {
        Ok(observation) => observation,
        Err(error) => return vec![error.clone()],
    };
    let Some(shown) = data.view() else {
        let boards = boards(observation);
        let why = observation.without_prediction();
        let why = if boards.is_empty() { format!("No round yet. {why}") } else { why };
        return std::iter::once(why).chain(boards).collect();
    };
    let line = |player: &Player| {
        let coming: Vec<String> = player.pairs.iter().take(pairs).map(|pair| drawn(*pair, false)).collect();
        let captions = player.captions.join(", ");
        let Some(dealt) = player.dealt else {
            return format!("{}   {captions}   {}", player.title, coming.join(" "));
        };
        let (next, then) = coming.split_at(coming.len().min(2));
        format!(
            "{}   {captions}, pair {dealt:3}   now {}   next {}   then {}",
            player.title,
            player.current.map_or_else(|| "--".into(), |pair| drawn(pair, false)),
            next.join(" "),
            then.join(" ")
        )
    };
    let pieces = shown.pieces.iter().flat_map(|player| describe_pieces(player, pairs, false));
    let left = |player: &Player| shown.colors_left_caption(player).map(|left| format!("  {left}"));
    let players = shown.players.iter().flat_map(|player| std::iter::once(line(player)).chain(left(player)));
    let known = shown.players.iter().filter_map(|player| Some((player, player.board.as_ref()?)));
    let boards = known.map(|(player, board)| board_line(&player.title, board));
    shown.note.iter().cloned().chain(players).chain(boards).chain(pieces).collect()
}

/// The players' boards as they stand, side by side, and a line for what goes off.
fn draw_boards(shown: &Shown) -> Vec<String> {
    let known = shown.players.iter().filter_map(|player| Some((player, player.board.as_ref()?)));
    let boards: Vec<&Board> = known.clone().filter_map(|(_, board)| board.as_ref().ok()).collect();
    let lines = known.filter(|(_, board)| board.as_ref().map_or(true, |board| board.chain.is_some()));
    let lines = lines.map(|(player, board)| board_line(&player.title, board)).collect::<Vec<String>>();
    let drawn = |board: &&Board, row: usize| -> String {
        (0..COLUMNS).map(|column| painted_cell(board.field.get(column, row))).collect()
    };
    // The fourteenth row is empty but for a moment now and then.
    let rows = (0..ROWS - 1).rev().map(|row| {
        let cells: Vec<String> = boards.iter().map(|board| drawn(board, row)).collect();
        format!("  {}", cells.join("    "))
    });
    if boards.is_empty() { lines } else { rows.chain(lines).collect() }
}

/// A board in one line: its rows from the top, its code, what goes off.
fn board_line(title: &str, board: &Result<Board, String>) -> String {
    let board = match board {
        Ok(board) => board,
        Err(why) => return format!("{title}   {why}"),
    };
    let code = board.code().filter(|code| !code.is_empty()).map(|code| format!("   code {code}"));
    let chain = board.caption().map(|caption| format!("   {caption}"));
    let rows = board.rows().join("/");
    format!("{title}   board {rows}{}{}", code.unwrap_or_default(), chain.unwrap_or_default())
}

/// A player of a game of single pieces: what is certain, and what depends on when.
fn describe_pieces(player: &PiecePlayer, most: usize, coloured: bool) -> Vec<String> {
    let drawn = |piece: &Piece| if coloured { painted_piece(*piece) } else { piece.to_string() };
    let row = |pieces: &[Piece]| pieces.iter().map(drawn).collect::<Vec<String>>().join(" ");
    let certain = &player.pieces[..player.pieces.len().min(most)];
    let current = player.current.map_or_else(|| "-".into(), |piece| drawn(&piece));
    let mut lines = vec![
        format!(
            "{}   {}   now {current}   {} {}",
            player.title,
            player.captions.join(", "),
            player.names.first().unwrap_or(&"next"),
            row(certain)
        ),
        format!("  {}", player.position),
    ];
    if let Some(chances) = &player.chances {
        let likeliest = chances.likeliest().into_iter();
        let each = likeliest.map(|(piece, chance)| format!("{} {:.1} %", drawn(&piece), 100.0 * chance));
        lines.push(format!("  {}: {}", chances.caption, each.collect::<Vec<String>>().join("   ")));
    }
    for later in &player.later {
        lines.push(format!("  {}: {}", later.caption, row(&later.pieces[..later.pieces.len().min(most)])));
    }
    if let Some(waits) = &player.waits {
        lines.push(format!("  {}:", waits.caption));
        for (row_number, frames) in waits.frames.chunks(20).enumerate() {
            lines.push(format!("  {:3}  {}", row_number * 20 + 1, row(frames)));
        }
        let wait = |(piece, frames): (Piece, &Option<usize>)| match frames {
            Some(frames) => format!("{} {frames}", drawn(&piece)),
            None => format!("{} -", drawn(&piece)),
        };
        let shortest = Piece::ALL.into_iter().zip(&waits.shortest).map(wait).collect::<Vec<String>>();
        lines.push(format!("  frames to wait for  {}", shortest.join("   ")));
    }
    lines
}

/// The letter on the background of a colour: those of the window, as near as 256 colours come.
fn painted_piece(piece: Piece) -> String {
    let (ink, background) = match piece {
        Piece::I => (16, 74),
        Piece::J => (231, 25),
        Piece::L => (16, 172),
        Piece::O => (16, 227),
        Piece::S => (16, 36),
        Piece::T => (16, 175),
        Piece::Z => (231, 166),
    };
    format!("\x1b[1;38;5;{ink};48;5;{background}m{piece}\x1b[0m")
}

fn drawn(pair: Pair, coloured: bool) -> String {
    if coloured { painted(pair) } else { pair.letters() }
}

/// One line for each check.
pub fn describe_verdict(verdict: &Verdict) -> Vec<String> {
    let mark = |status| match status {
        Status::Holds => "holds",
        Status::Mismatch => "MISMATCH",
        Status::NotVerified => "not verified",
        Status::Nothing => "-",
    };
    let line = |check: &Check| format!("  {:18} {:13} {}", check.id.name(), mark(check.status), check.detail);
    verdict.checks.iter().map(line).collect()
}

/// Letters on the background of their colour.
fn painted(pair: Pair) -> String {
    format!("{}{}", painted_puyo(pair.axis), painted_puyo(pair.child))
}

fn painted_puyo(color: Color) -> String {
    let background = match color.0 {
        0 => 160,
        1 => 220,
        2 | 3 => 34,
        4 => 91,
        5 => 27,
        _ => 244,
    };
    let ink = if color.0 == 1 { 16 } else { 231 };
    format!("\x1b[1;38;5;{ink};48;5;{background}m{}\x1b[0m", color.letter())
}

fn painted_cell(cell: Cell) -> String {
    match cell {
        Cell::Empty => ".".into(),
        Cell::Puyo(color) => painted_puyo(color),
        Cell::Ojama | Cell::Hard => format!("\x1b[1;38;5;231;48;5;244m{}\x1b[0m", cell.letter()),
    }
}

fn watch_dump(global: &Global, path: &Path, arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some((snapshot, profile)) = source::dump(global, path, arguments.source.frame)? else {
        let what = format!("{}: no anchor of any profile stands in this RAM", path.display());
        return output::nothing(global.json, what);
    };
    let mut totals = Totals::default();
    let data = judge_still(&snapshot, &profile, &mut totals)?.data;
    if global.json {
        let connection = Connection::Paused { since: Instant::now() };
        let view = View { connection, data: Some(data), totals, ..View::default() };
        output::json(&line_of(&view, Some(&profile), arguments.pairs.into(), None))?;
    } else {
        let name = source::possible_games(global, path, &snapshot, &profile)?;
        output::line(format!("{}: {name}", path.display()))?;
        let locate = Shown::locate(&profile.id, &format!("--dump {}", path.display()));
        describe_data(&data, arguments.pairs.into(), &locate).iter().try_for_each(output::line)?;
    }
    Ok(Exit::Yes)
}

/// What was found out about RAM that does not move.
pub struct Still {
    pub tracker: Tracker,
    pub data: Data,
    pub mismatches: Vec<Mismatch>,
}

/// Judges RAM that does not move. It is shown to the model three times, as three frames: what a dump holds is complete.
pub fn judge_still(snapshot: &Snapshot, profile: &Profile, totals: &mut Totals) -> anyhow::Result<Still> {
    let mut tracker = Tracker::new(profile.game);
    tracker.set_synchronous();
    let mut mismatches = Vec::new();
    let mut last = None;
    for frame in 0..3 {
        let update = tracker.update(&SampleContext { snapshot, profile, frame }, totals);
        mismatches.extend(update.mismatches);
        last = Some((update.observation.map_err(anyhow::Error::msg)?, update.prediction));
    }
    let (observation, mut prediction) = last.context("nothing was looked at")?;
    if tracker.prediction().is_some() {
        // What is to come depends on the long work.
        let found = tracker.finish(0, totals, &AtomicBool::new(false), |_| {});
        mismatches.extend(found.into_iter().flatten());
        prediction = tracker.prediction();
    }
    let data = Data {
        snapshot: snapshot.clone(),
        taken: Instant::now(),
        frame: 0,
        frames_per_second: 0.0,
        observation: Ok(observation),
        prediction,
        verdict: Arc::new(tracker.verdict()),
    };
    Ok(Still { tracker, data, mismatches })
}
