//! The live state for other programs on this machine: HTTP and WebSocket on loopback, for overlays and bots.
//!
//! Nothing is served to another machine: the server binds a loopback address and no other. Whoever asks must know the
//! token, must have asked for this server by its own name (so that a foreign site cannot lead a browser here by a name of
//! its own), and, if it is a page in a browser, must come from this server. Everything has a limit: clients, connections,
//! bytes of a request, time, messages a second. The newest state wins: a client that does not keep up misses states,
//! and one that takes nothing is dropped; nobody is waited for.

mod connection;
mod reply;
mod request;
mod teller;
mod token;

pub use request::{Guard, Refused, Request, Route};
pub use token::{Token, TokenError};

use crate::live::{Latest, View, line};
use connection::{Shared, serve};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The port when none is named; no service is registered for it.
pub const PORT: u16 = 17_800;
/// Clients of `/events` at most, when nothing else is said.
pub const CLIENTS: usize = 16;
/// Messages a second at most, when nothing else is said: twice what an eye tells apart.
pub const RATE: f64 = 30.0;
/// Coming pairs or pieces of each player, when nothing else is said.
pub const PAIRS: usize = 12;

/// Connections that have not shown the token.
const ASKING: usize = 32;
/// Connections that have, and ask once.
const ANSWERED: usize = 32;
/// How long is waited for a connection to end when there are too many.
const ENDING: Duration = Duration::from_millis(200);
/// A connection needs little: it hands bytes on.
const STACK: usize = 256 << 10;

/// What to serve, and to how many.
#[derive(Debug, Clone)]
pub struct Options {
    /// A loopback address.
    pub address: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// What who asks must know.
    pub token: Token,
    /// Clients of `/events` at most.
    pub clients: usize,
    /// Messages a second and client at most.
    pub rate: f64,
    /// Coming pairs or pieces of each player.
    pub pairs: usize,
}

impl Options {
    /// The usual limits on 127.0.0.1.
    #[must_use]
    pub fn new(token: Token) -> Self {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Self { address, port: PORT, token, clients: CLIENTS, rate: RATE, pairs: PAIRS }
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is reachable from other machines.
    #[error("{0} is no loopback address; nothing is served to other machines: use 127.0.0.1 or ::1")]
    NotLoopback(IpAddr),
    /// The port is taken, or may not be bound.
    #[error("{address} cannot be served: {error}; choose another port, 0 takes a free one")]
    Bind {
        /// What was to be bound.
        address: SocketAddr,
        /// What the system said.
        error: std::io::Error,
    },
    /// The system gives no thread.
    #[error("no thread to serve with: {0}")]
    Thread(std::io::Error),
}

/// A running server. Dropping it says good-bye to all clients and frees the port.
pub struct Server {
    address: SocketAddr,
    token: Token,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Starts serving what is published.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub fn start(options: &Options, views: Latest<View>) -> Result<Self, ServeError> {
        if !options.address.is_loopback() {
            return Err(ServeError::NotLoopback(options.address));
        }
        let wanted = SocketAddr::new(options.address, options.port);
        let bind = |error| ServeError::Bind { address: wanted, error };
        let listener = TcpListener::bind(wanted).map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let token = options.token.clone();
        let (publisher, told) = crate::live::latest(Arc::from(""));
        let guard = Guard::new(address, token.clone());
        let shared = Arc::new(Shared::new(guard, views.clone(), told, options));
        let mut server = Self { address, token, shared: Arc::clone(&shared), threads: Vec::new() };
        // From here on every way out ends the threads.
        let telling = Arc::clone(&shared);
        let tell = move || teller::run(&telling, views, &publisher);
        server.threads.push(spawn("serve state", tell).map_err(ServeError::Thread)?);
        let accept = move || accept(&listener, &shared);
        server.threads.push(spawn("serve", accept).map_err(ServeError::Thread)?);
        Ok(server)
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What who asks must know.
    #[must_use]
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// The address of a route, with the token.
    #[must_use]
    pub fn url(&self, route: Route) -> String {
        let scheme = if route == Route::Events { "ws" } else { "http" };
        format!("{scheme}://{}{}?token={}", self.address, route.path(), self.token.text())
    }

    /// Clients of `/events` now.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.shared.clients.load(Ordering::Relaxed)
    }

    /// Connections now, clients included; each has a thread.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..).rev() {
            while !thread.is_finished() {
                // Wakes the one that waits for connections.
                drop(TcpStream::connect_timeout(&self.address, Duration::from_millis(100)));
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = thread.join(); // it has nothing to hand back
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.into()).spawn(work)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    while !shared.quit.load(Ordering::Relaxed) {
        let (stream, peer) = match listener.accept() {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of files, or a connection that ended before it was taken.
                tracing::debug!("serve: {error}");
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
        };
        threads.retain(|thread| !thread.is_finished());
        let asking = match shared.asking(&stream, ASKING) {
            Ok(asking) => asking,
            Err(error) => {
                tracing::debug!("serve: {peer}: {error}");
                continue;
            }
        };
        // Those that were turned away end at once, but on threads of their own.
        let until = Instant::now() + ENDING;
        let place = loop {
            match shared.connection(shared.most_clients + ASKING + ANSWERED) {
                None if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
                place => break place,
            }
        };
        let Some(place) = place else {
            reply::turn_away(&stream);
            continue;
        };
        let theirs = Arc::clone(shared);
        let work = move || {
            let _place = place;
            if let Err(error) = serve(stream, asking, &theirs) {
                tracing::debug!("serve: {peer}: {error}");
            }
        };
        match std::thread::Builder::new().name("serve client".into()).stack_size(STACK).spawn(work) {
            Ok(thread) => threads.push(thread),
            Err(error) => tracing::warn!("serve: no thread for a connection: {error}"),
        }
    }
    for thread in threads {
        let _ = thread.join(); // it has nothing to hand back
    }
}

/// The state as `/state` and `/events` tell it: the object that `watch --json` prints, with the last mismatch.
#[must_use]
pub fn state(view: &View, pairs: usize) -> String {
    line(view, pairs, view.mismatches.last()).text()
}
