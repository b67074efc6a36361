//! `serve`: the live state for overlays and bots on this machine.

use super::arguments::Global;
use super::exit::{Exit, Failure};
use super::session::{Session, Source};
use super::{files, output};
use crate::file::WriteError;
use crate::json::Kind;
use crate::live::{Connection, ReplayCommand, SamplerCommand};
use crate::serve::{CLIENTS, Options, PAIRS, PORT, PlayersFile, RATE, Route, Server, Token, write_companion};
use clap::Args;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Loopback address to listen on
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Port to listen on; 0 selects a free one
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Store the token in this file, so that the addresses stay the same; created if missing
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Maximum number of connected clients
    #[arg(long = "max-clients", alias = "clients", value_name = "N", default_value_t = CLIENTS)]
    clients: usize,
    /// Maximum number of messages per second to each client
    #[arg(long = "message-rate", alias = "messages", value_name = "HZ", default_value_t = RATE)]
    messages: f64,
    /// Number of coming pairs or pieces to send for each player
    #[arg(long, default_value_t = PAIRS, value_parser = pairs)]
    pairs: usize,
    /// Write the coming pairs or pieces to this text file, for OBS text sources and for the companion script
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write a Lua script that draws the text file on the screen of FCEUX, BizHawk, Mesen 2 or DeSmuME for Windows
    #[arg(long, value_name = "FILE", requires = "file")]
    companion: Option<PathBuf>,
}

#[derive(Serialize)]
struct Ready {
    page: String,
    state: String,
    events: String,
    address: IpAddr,
    port: u16,
    token: String,
}

fn pairs(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=128).contains(number));
    number.ok_or_else(|| "expected 1 to 128".to_owned())
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let wrong = |what: &str| Failure::BadInput(what.to_owned());
    if arguments.source.dump.is_some() {
        return Err(wrong(
            "`serve` needs a running game or a recording; `nextscope watch --dump` shows a dump",
        )
        .into());
    }
    if !(1..=1000).contains(&arguments.clients) || !(0.1..=1000.0).contains(&arguments.messages) {
        return Err(
            wrong("--max-clients must be 1 to 1000, and --message-rate 0.1 to 1000 per second").into()
        );
    }
    let token = arguments.token_file.as_deref().map_or_else(Token::random, Token::load_or_create)?;
    let options = Options {
        address: arguments.address,
        port: arguments.port,
        token,
        clients: arguments.clients,
        rate: arguments.messages,
        pairs: arguments.pairs,
    };
    let mut players = arguments.file.as_deref().map(players_file).transpose()?;
    if let (Some(companion), Some(file)) = (&arguments.companion, &arguments.file) {
        write_companion(companion, file).map_err(|error| not_own(companion, &error))?;
    }
    let mut session = Session::start(global, &arguments.source, None)?;
    if arguments.source.replay.is_some() {
        session.sampler.send(SamplerCommand::Replay(ReplayCommand::Speed(arguments.source.speed)));
        session.sampler.send(SamplerCommand::Replay(ReplayCommand::Play));
    } else {
        session.watch_profiles(global);
    }
    let server = Server::start(&options, session.sampler.view())?;
    print_addresses(global, arguments, &server)?;
    let mut views = session.sampler.view();
    let mut was_live = false;
    let mut view = views.get();
    let mut before = view.connection.word();
    while !session.is_over() {
        let newer = views.next(Duration::from_millis(200));
        let changed = newer.is_some();
        view = newer.unwrap_or(view);
        if let Some(players) = &mut players {
            players.update(&view, arguments.pairs);
        }
        if !changed {
            continue;
        }
        session.check_timeout(&view)?;
        was_live |= matches!(view.connection, Connection::Live | Connection::Replaying { .. });
        let state = view.connection.word();
        if state != std::mem::replace(&mut before, state) {
            tracing::info!("serve: {state}");
        }
    }
    Ok(Exit::from_answer(was_live))
}

fn players_file(path: &Path) -> Result<PlayersFile, Failure> {
    PlayersFile::create(path).map_err(|error| not_own(path, &error))
}

/// The failure of a file that is written again with every start, so that only one that Nextscope did not write is in the way.
fn not_own(path: &Path, error: &WriteError) -> Failure {
    match error {
        WriteError::Exists => Failure::BadInput(format!(
            "{}: file exists, and Nextscope did not write it; choose another name",
            path.display()
        )),
        _ => files::write_failure(path, error),
    }
}

fn print_addresses(global: &Global, arguments: &Arguments, server: &Server) -> anyhow::Result<()> {
    let ready = Ready {
        page: server.url(Route::Page),
        state: server.url(Route::State),
        events: server.url(Route::Events),
        address: server.address().ip(),
        port: server.address().port(),
        token: server.token().text().to_owned(),
    };
    if global.json {
        return output::object(Kind::Serve, &ready);
    }
    let row = |name: &str, url: &str| vec![name.to_owned(), url.to_owned()];
    let rows = [
        row("Page for OBS or a browser", &ready.page),
        row("State as JSON", &ready.state),
        row("State as JSON, WebSocket", &ready.events),
    ];
    output::table(&[], rows)?;
    let token = match &arguments.token_file {
        Some(path) => format!("The token is stored in {}", path.display()),
        None => "The token changes with every start; use --token-file FILE to keep the addresses".to_owned(),
    };
    output::line(token)?;
    output::line("Listening on this machine only. Press Ctrl+C to stop")
}
