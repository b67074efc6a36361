//! `serve`: the live state for overlays and bots on this machine.

use super::arguments::Global;
use super::exit::{Exit, Failure};
use super::output;
use super::session::{Session, Source};
use crate::json::Kind;
use crate::live::{Connection, Order, ReplayOrder};
use crate::serve::{CLIENTS, Options, PAIRS, PORT, RATE, Route, Server, Token};
use clap::Args;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Listen on this address; nothing but a loopback address is taken
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Listen on this port; 0 takes a free one
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Keep the token in this file, so that addresses stay the same; it is made when it is not there
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Clients that may listen at the same time
    #[arg(long, value_name = "N", default_value_t = CLIENTS)]
    clients: usize,
    /// Messages a second to each of them at most
    #[arg(long, value_name = "HZ", default_value_t = RATE)]
    messages: f64,
    /// Coming pairs or pieces to tell of each player
    #[arg(long, default_value_t = PAIRS, value_parser = pairs)]
    pairs: usize,
}

/// What is told once the server is ready.
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
    number.ok_or_else(|| "wants 1 to 128".to_owned())
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let wrong = |what: &str| Failure::BadInput(what.to_owned());
    if arguments.source.dump.is_some() {
        return Err(wrong("serve wants a running game; `watch --dump` shows what a dump holds").into());
    }
    if !(1..=1000).contains(&arguments.clients) || !(0.1..=1000.0).contains(&arguments.messages) {
        return Err(wrong("--clients wants 1 to 1000, and --messages 0.1 to 1000 a second").into());
    }
    let token = arguments.token_file.as_deref().map_or_else(Token::random, Token::kept)?;
    let options = Options {
        address: arguments.address,
        port: arguments.port,
        token,
        clients: arguments.clients,
        rate: arguments.messages,
        pairs: arguments.pairs,
    };
    let mut session = Session::start(global, &arguments.source, None)?;
    if arguments.source.replay.is_some() {
        session.sampler.order(Order::Replay(ReplayOrder::Speed(arguments.source.speed)));
        session.sampler.order(Order::Replay(ReplayOrder::Play));
    } else {
        session.watch_profiles(global);
    }
    let server = Server::start(&options, session.sampler.view())?;
    told(global, arguments, &server)?;
    let mut views = session.sampler.view();
    let mut seen_live = false;
    let mut before = views.get().connection.word();
    while !session.is_over() {
        let Some(view) = views.next(Duration::from_millis(200)) else { continue };
        session.check_timeout(&view)?;
        seen_live |= matches!(view.connection, Connection::Live | Connection::Replaying { .. });
        let word = view.connection.word();
        if word != std::mem::replace(&mut before, word) {
            tracing::info!("serve: {word}");
        }
    }
    Ok(Exit::from_answer(seen_live))
}

fn told(global: &Global, arguments: &Arguments, server: &Server) -> anyhow::Result<()> {
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
    output::line(format!("Page for OBS or a browser   {}", ready.page))?;
    output::line(format!("State as JSON, once         {}", ready.state))?;
    output::line(format!("State as JSON, as it moves  {}", ready.events))?;
    let lasts = match &arguments.token_file {
        Some(path) => format!("The token is kept in {}", path.display()),
        None => {
            "The token is new with every start; --token-file FILE keeps it, so that an overlay keeps its address"
                .to_owned()
        }
    };
    output::line(lasts)?;
    output::line("Only this machine can reach it. Ctrl+C ends")
}
