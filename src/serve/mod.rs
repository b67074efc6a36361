//! The live state for other programs on this machine: HTTP and WebSocket on loopback, for overlays and bots.
//!
//! The server only binds a loopback address. A request needs the token, one of the server's own names in `Host`
//! (against DNS rebinding) and, from a browser page, this server as its origin. Clients, connections, request size, time
//! and message rate are limited. Only the newest state is sent: a slow client misses states, and a client that reads
//! nothing is disconnected.

mod broadcaster;
mod connection;
mod players_file;
mod reply;
mod request;
mod token;

pub use players_file::{PlayersFile, players_text, write_companion};
pub use request::{Guard, Refused, Request, Route};
pub use token::{Token, TokenError};

use crate::live::{Subscriber, View, line};
use connection::{Shared, serve};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The default port; no service is registered for it.
pub const PORT: u16 = 17_800;
/// The default limit for clients of `/events`.
pub const CLIENTS: usize = 16;
/// The default limit for messages per second.
pub const RATE: f64 = 30.0;
/// The default number of upcoming pairs or pieces of each player.
pub const PAIRS: usize = 12;

/// The most connections that have not sent the token yet.
const MAX_PENDING: usize = 32;
/// The most authenticated connections that are not clients of `/events`.
const MAX_REQUESTS: usize = 32;
/// How long a new connection waits for another to end when there are too many.
const ENDING: Duration = Duration::from_millis(200);
/// The stack size of a connection's thread, which needs little.
const STACK: usize = 256 << 10;

/// The server's settings.
#[derive(Debug, Clone)]
pub struct Options {
    /// A loopback address.
    pub address: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// The token that requests must contain.
    pub token: Token,
    /// Maximum clients of `/events`.
    pub clients: usize,
    /// Maximum messages per second for each client.
    pub rate: f64,
    /// Upcoming pairs or pieces of each player.
    pub pairs: usize,
}

impl Options {
    /// The default limits on 127.0.0.1.
    pub fn new(token: Token) -> Self {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Self { address, port: PORT, token, clients: CLIENTS, rate: RATE, pairs: PAIRS }
    }
}

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ServeError {
    #[error("{0} is not a loopback address; Nextscope only serves this machine: use 127.0.0.1 or ::1")]
    NotLoopback(IpAddr),
    #[error("cannot listen on {address}: {error}; choose another port (0 for any free port)")]
    Bind { address: SocketAddr, error: std::io::Error },
    #[error("could not start the server thread: {0}")]
    Thread(std::io::Error),
}

/// A running server. Dropping it disconnects all clients and frees the port.
pub struct Server {
    address: SocketAddr,
    token: Token,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Starts serving the published views.
    pub fn start(options: &Options, views: Subscriber<View>) -> Result<Self, ServeError> {
        if !options.address.is_loopback() {
            return Err(ServeError::NotLoopback(options.address));
        }
        let requested = SocketAddr::new(options.address, options.port);
        let bind = |error| ServeError::Bind { address: requested, error };
        let listener = TcpListener::bind(requested).map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let token = options.token.clone();
        let (publisher, states) = crate::live::latest(Arc::from(""));
        let guard = Guard::new(address, token.clone());
        let shared = Arc::new(Shared::new(guard, views.clone(), states, options));
        let mut server = Self { address, token, shared: Arc::clone(&shared), threads: Vec::new() };
        // From here on, dropping `server` ends the threads.
        let broadcast_shared = Arc::clone(&shared);
        let broadcast = move || broadcaster::run(&broadcast_shared, views, &publisher);
        server.threads.push(spawn("serve state", broadcast).map_err(ServeError::Thread)?);
        let accept = move || accept(&listener, &shared);
        server.threads.push(spawn("serve", accept).map_err(ServeError::Thread)?);
        Ok(server)
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The token that requests must contain.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// The URL of a route, with the token.
    pub fn url(&self, route: Route) -> String {
        let scheme = if route == Route::Events { "ws" } else { "http" };
        format!("{scheme}://{}{}?token={}", self.address, route.path(), self.token.text())
    }

    /// Clients of `/events` now.
    pub fn clients(&self) -> usize {
        self.shared.clients.load(Ordering::Relaxed)
    }

    /// Connections now, clients included; each has a thread.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..).rev() {
            while !thread.is_finished() {
                // Wakes the thread that accepts connections.
                drop(TcpStream::connect_timeout(&self.address, Duration::from_millis(100)));
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = thread.join(); // it returns nothing
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
                // Too many open files, or the connection ended before it was accepted.
                tracing::debug!("serve: {error}");
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
        };
        threads.retain(|thread| !thread.is_finished());
        let pending = match shared.pending(&stream, MAX_PENDING) {
            Ok(pending) => pending,
            Err(error) => {
                tracing::debug!("serve: {peer}: {error}");
                continue;
            }
        };
        // Rejected connections end soon, but on their own threads.
        let until = Instant::now() + ENDING;
        let slot = loop {
            match shared.connection(shared.most_clients + MAX_PENDING + MAX_REQUESTS) {
                None if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
                slot => break slot,
            }
        };
        let Some(slot) = slot else {
            reply::reject(&stream);
            continue;
        };
        let shared = Arc::clone(shared);
        let work = move || {
            let _slot = slot;
            if let Err(error) = serve(stream, pending, &shared) {
                tracing::debug!("serve: {peer}: {error}");
            }
        };
        match std::thread::Builder::new().name("serve client".into()).stack_size(STACK).spawn(work) {
            Ok(thread) => threads.push(thread),
            Err(error) => tracing::warn!("serve: could not start a thread for a connection: {error}"),
        }
    }
    for thread in threads {
        let _ = thread.join(); // it returns nothing
    }
}

/// The state that `/state` and `/events` send: the object of `watch --json`, with the last mismatch.
pub fn state(view: &View, pairs: usize) -> String {
    line(view, pairs, view.mismatches.last()).text()
}
