//! `watch`: the coming pairs, the state and the verdicts, live.

use super::source::{self, Session, Source};
use super::{Exit, Global, output};
use crate::game::puyo_tsu::{Color, Pair, PoolId};
use crate::live::{
    Check, CheckId, Connection, Data, Forecast, Mismatch, PlayerForecast, Status, Totals, Verdict, Verifier,
    View, forecast, observe,
};
use clap::Args;
use serde::Serialize;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    /// Coming pairs to show of each player
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(1..=128))]
    pub pairs: u8,
}

/// One line of `watch --json`: printed when anything in it but frame, age and counts has changed.
#[derive(Serialize, PartialEq)]
struct Line<'a> {
    connection: &'static str,
    reason: Option<&'a str>,
    pid: Option<u32>,
    emulator: Option<&'a str>,
    profile: Option<&'a str>,
    frame: u64,
    state: Option<String>,
    color_set: Option<String>,
    players: Vec<Player>,
    if_now: Option<IfNow>,
    checks: &'a [Check],
    totals: Totals,
    mismatch: Option<&'a Mismatch>,
}

#[derive(Serialize, PartialEq)]
struct Player {
    level: u8,
    pool: Option<PoolId>,
    pairs_dealt: u16,
    pool_pair: usize,
    current: Option<String>,
    pairs: Vec<String>,
}

/// The round that would begin if the generator ran now.
#[derive(Serialize, PartialEq)]
struct IfNow {
    color_set: String,
    state_after: String,
    pairs: Vec<String>,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(path) = &arguments.source.dump {
        return watch_dump(global, path, arguments);
    }
    let mut session = Session::start(global, &arguments.source, None)?;
    let mut views = session.sampler.view();
    let screen = (!global.json && std::io::stdout().is_terminal()).then(Screen::enter);
    let mut told: Option<Key> = None;
    let mut mismatches = 0;
    let mut drawn = Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now);
    let mut seen_live = false;
    while !session.over() {
        let Some(view) = views.next(Duration::from_millis(100)) else { continue };
        session.still_patient(&view)?;
        seen_live |= matches!(view.connection, Connection::Live);
        if screen.is_some() {
            if drawn.elapsed() >= Duration::from_millis(100) {
                drawn = Instant::now();
                Screen::draw(&describe(&view, arguments.pairs.into(), true))?;
            }
            continue;
        }
        let new_mismatches = view.totals.mismatches.saturating_sub(mismatches);
        mismatches = view.totals.mismatches;
        let key = Key::of(&view);
        if told.as_ref() == Some(&key) && new_mismatches == 0 {
            continue;
        }
        if global.json {
            let count = usize::try_from(new_mismatches).unwrap_or(usize::MAX).min(view.mismatches.len());
            let fresh = &view.mismatches[view.mismatches.len() - count..];
            for mismatch in fresh.iter().map(Some).chain(fresh.is_empty().then_some(None)) {
                output::json(&line(&view, arguments.pairs.into(), mismatch))?;
            }
        } else {
            let lines = match (&told, &view.data) {
                (Some(before), Some(data)) if before.same_but_for_pairs(&key) && new_mismatches == 0 => {
                    describe_players(data, arguments.pairs.into(), false)
                }
                _ => describe(&view, arguments.pairs.into(), false),
            };
            lines.iter().try_for_each(output::line)?;
        }
        told = Some(key);
    }
    drop(screen);
    Ok(if seen_live { Exit::Yes } else { Exit::No })
}

/// What makes a new line: everything that a player would call a change.
#[derive(PartialEq)]
struct Key {
    connection: &'static str,
    pid: Option<u32>,
    players: Vec<(u8, u16)>,
    color_set: Option<[u8; 8]>,
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
        Self {
            connection: word(&view.connection),
            pid: view.target.as_ref().map(|target| target.pid.0),
            players: seen.map_or_else(Vec::new, |seen| {
                seen.players.iter().map(|player| (player.level.0, player.pairs_dealt)).collect()
            }),
            color_set: seen.map(|seen| seen.color_set),
            checks: checks.unwrap_or_default(),
            round: view.totals.rounds,
        }
    }
}

pub fn word(connection: &Connection) -> &'static str {
    match connection {
        Connection::Searching => "searching",
        Connection::Choosing => "choosing",
        Connection::Live => "live",
        Connection::Paused { .. } => "paused",
        Connection::Lost { .. } => "lost",
    }
}

fn line<'a>(view: &'a View, pairs: usize, mismatch: Option<&'a Mismatch>) -> Line<'a> {
    let current = matches!(view.connection, Connection::Live | Connection::Paused { .. });
    let data = view.data.as_ref().filter(|_| current);
    let seen = data.and_then(|data| data.observation.as_ref().ok());
    let forecast = data.and_then(|data| data.forecast.as_deref());
    Line {
        connection: word(&view.connection),
        reason: match &view.connection {
            Connection::Lost { why, .. } => Some(why),
            _ => None,
        },
        pid: view.target.as_ref().map(|target| target.pid.0),
        emulator: view.target.as_ref().map(|target| target.identity.name.as_str()),
        profile: view.target.as_ref().map(|target| target.profile.id.as_str()),
        frame: data.map_or(0, |data| data.frame),
        state: seen.map(|seen| seen.state.to_string()),
        color_set: seen.map(|seen| output::hex(&seen.color_set)),
        players: forecast.map_or_else(Vec::new, |f| f.players.iter().map(|p| player(p, pairs)).collect()),
        if_now: forecast.map(|forecast| if_now(forecast, pairs)),
        checks: data.map_or(&[], |data| &data.verdict.checks),
        totals: view.totals,
        mismatch,
    }
}

fn player(forecast: &PlayerForecast, pairs: usize) -> Player {
    Player {
        level: forecast.level.0 + 1,
        pool: forecast.pool,
        pairs_dealt: forecast.pairs_dealt,
        pool_pair: forecast.pool_pair(0),
        current: forecast.current.map(Pair::codes),
        pairs: forecast.pairs.iter().take(pairs).map(|pair| pair.codes()).collect(),
    }
}

/// The round's beginning, from the pool that everybody's first pairs come from.
fn if_now(forecast: &Forecast, pairs: usize) -> IfNow {
    let round = &forecast.if_now;
    let pairs = first_pairs(forecast).take(pairs).map(Pair::codes).collect();
    IfNow { color_set: output::hex(&round.color_set), state_after: round.after.to_string(), pairs }
}

/// The view in lines for a terminal.
fn describe(view: &View, pairs: usize, coloured: bool) -> Vec<String> {
    let mut lines = vec![headline(view)];
    match (&view.connection, &view.data) {
        (Connection::Live | Connection::Paused { .. }, Some(data)) => {
            lines.extend(describe_data(data, pairs, coloured));
        }
        (Connection::Choosing, _) => {
            lines.push("Several emulators run a known game; choose one with --pid:".into());
            let candidates =
                view.emulators.iter().filter(|r| matches!(r.state, crate::live::RowState::Candidate));
            lines.extend(candidates.map(|row| format!("  {}  {}", row.pid, row.identity.name)));
        }
        (Connection::Lost { why, .. }, _) => lines.push(format!("Lost: {why}. Looking for it again ...")),
        _ => lines
            .push("Start an emulator with the game; it is found by itself. Or try: nextscope demo".into()),
    }
    if let Some(mismatch) = view.mismatches.last() {
        lines.push(format!("last mismatch: {mismatch}"));
        lines.push(format!("  expected {}  actual {}", mismatch.expected, mismatch.actual));
    }
    lines
}

fn headline(view: &View) -> String {
    let mut parts = vec![word(&view.connection).to_owned()];
    if let Some(target) = &view.target {
        parts.push(format!("{} ({})", target.identity.name, target.pid));
        parts.push(target.profile.name.clone());
    }
    if let (Connection::Live, Some(data)) = (&view.connection, &view.data) {
        parts.push(format!("{:.1} frames/s", data.frames_per_second));
        parts.push(format!("{} ms old", data.taken.elapsed().as_millis()));
    }
    let Totals { rounds, pairs_verified, mismatches, .. } = view.totals;
    parts.push(format!("{rounds} rounds, {pairs_verified} pairs as forecast, {mismatches} mismatches"));
    parts.join("   ")
}

fn describe_data(data: &Data, pairs: usize, coloured: bool) -> Vec<String> {
    let mut lines = describe_players(data, pairs, coloured);
    if let Some(forecast) = &data.forecast {
        let round = &forecast.if_now;
        let set: String = round.color_set[..5].iter().map(|&byte| Color(byte).letter()).collect();
        let first: Vec<String> =
            first_pairs(forecast).take(pairs.min(8)).map(|pair| drawn(pair, coloured)).collect();
        lines.push(format!(
            "If a round began now ({}): colours {set}, pool {}",
            round.before,
            first.join(" ")
        ));
    }
    lines.extend(describe_verdict(&data.verdict));
    lines
}

fn describe_players(data: &Data, pairs: usize, coloured: bool) -> Vec<String> {
    if let Err(error) = &data.observation {
        return vec![error.clone()];
    }
    let Some(forecast) = &data.forecast else { return vec!["No round yet: the pools are empty".into()] };
    let line = |(number, player): (usize, &PlayerForecast)| {
        let pool = player.pool.map_or_else(|| "not modelled".into(), |pool| pool.to_string());
        let coming: Vec<String> =
            player.pairs.iter().take(pairs).map(|pair| drawn(*pair, coloured)).collect();
        let (next, then) = coming.split_at(coming.len().min(2));
        format!(
            "Player {}   level {}, {pool}, pair {:3}   now {}   next {}   then {}",
            number + 1,
            player.level.0 + 1,
            player.pairs_dealt,
            player.current.map_or_else(|| "--".into(), |pair| drawn(pair, coloured)),
            next.join(" "),
            then.join(" ")
        )
    };
    forecast.players.iter().enumerate().map(line).collect()
}

fn drawn(pair: Pair, coloured: bool) -> String {
    if coloured { painted(pair) } else { pair.letters() }
}

/// The first pairs of the pool that every round begins with, if a round began now.
fn first_pairs(forecast: &Forecast) -> impl Iterator<Item = Pair> {
    let pool = forecast.if_now.pool(PoolId::Three).map_or(&[][..], |pool| &pool[..]);
    pool.chunks_exact(2).map(|bytes| Pair::from_bytes(bytes[0], bytes[1]))
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
    let one = |color: Color| {
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
    };
    format!("{}{}", one(pair.axis), one(pair.child))
}

/// The terminal's second screen, left again when dropped.
struct Screen;

impl Screen {
    fn enter() -> Self {
        print!("\x1b[?1049h\x1b[?25l");
        Self
    }

    fn draw(lines: &[String]) -> anyhow::Result<()> {
        let text: String = lines.iter().map(|line| format!("{line}\x1b[K\r\n")).collect();
        output::line(format!("\x1b[H{text}\r\nCtrl+C ends\x1b[J"))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that has gone needs no tidying.
        let _ = output::line("\x1b[?25h\x1b[?1049l");
    }
}

fn watch_dump(global: &Global, path: &Path, arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some((snapshot, profile)) = source::dump(global, path)? else {
        output::line(format!("{}: no anchor of any profile stands in this RAM", path.display()))?;
        return Ok(Exit::No);
    };
    let mut totals = Totals::default();
    let (verifier, _) = judge_still(&snapshot, &profile, &mut totals)?;
    let observation = observe(&snapshot, &profile)?;
    let forecast =
        (!observation.no_round_yet()).then(|| Arc::new(forecast(&observation, verifier.pools_setup(), None)));
    let data = Data {
        snapshot,
        taken: Instant::now(),
        frame: 0,
        frames_per_second: 0.0,
        observation: Ok(Arc::new(observation)),
        forecast,
        verdict: Arc::new(verifier.verdict()),
    };
    if global.json {
        let connection = Connection::Paused { since: Instant::now() };
        let view = View { connection, data: Some(data), totals, ..View::default() };
        output::json(&line(&view, arguments.pairs.into(), None))?;
    } else {
        output::line(format!("{}: {}", path.display(), profile.name))?;
        describe_data(&data, arguments.pairs.into(), false).iter().try_for_each(output::line)?;
    }
    Ok(Exit::Yes)
}

/// Judges RAM that does not move. It is shown to the verifier twice, as two frames: what a dump holds is complete.
pub fn judge_still(
    snapshot: &crate::console::Snapshot,
    profile: &crate::profile::Profile,
    totals: &mut Totals,
) -> anyhow::Result<(Verifier, Vec<Mismatch>)> {
    let observation = Arc::new(observe(snapshot, profile)?);
    let mut verifier = Verifier::default();
    let mut found = Vec::new();
    for frame in 0..3 {
        found.extend(verifier.step(&observation, frame, None, totals));
    }
    Ok((verifier, found))
}
