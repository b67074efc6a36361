//! One connection: reads the request and responds, or sends states by WebSocket until it ends.

use super::request::{MOST_BYTES, Refused, Request};
use super::{Guard, Options, Route, reply, state};
use crate::live::{Subscriber, View};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// The timeout for a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// The minimum time for a connection to send the token, however many others wait.
const MIN_PENDING: Duration = Duration::from_millis(50);
/// How long a read waits before it checks for the end of the server.
const CHECK_EVERY: Duration = Duration::from_millis(100);
/// How long a client may read nothing before it is disconnected.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);
/// How often the rest of a partly sent message is tried again.
const RETRY_EVERY: Duration = Duration::from_millis(20);
/// The size limit of a client's message, in bytes; messages are ignored.
const MAX_MESSAGE: usize = 4 << 10;
const MAX_MESSAGES: u32 = 100;

/// The state shared by all connections.
pub struct Shared {
    guard: Guard,
    views: Subscriber<View>,
    states: Subscriber<Arc<str>>,
    pub pairs: usize,
    /// The shortest time between two messages.
    pub interval: Duration,
    pub most_clients: usize,
    pub clients: AtomicUsize,
    pub connections: AtomicUsize,
    /// Connections that have not sent the token yet, oldest first.
    pending: Mutex<VecDeque<Waiting>>,
    numbers: AtomicU64,
    pub quit: AtomicBool,
}

/// A connection that has not sent the token yet.
struct Waiting {
    number: u64,
    since: Instant,
    stream: TcpStream,
}

/// Removes a connection from the pending ones when dropped.
pub struct Pending {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.shared.waiting().retain(|waiting| waiting.number != self.number);
    }
}

/// A slot among a limited number; freed when dropped.
pub struct Slot {
    shared: Arc<Shared>,
    count: fn(&Shared) -> &AtomicUsize,
}

impl Drop for Slot {
    fn drop(&mut self) {
        (self.count)(&self.shared).fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    pub fn new(
        guard: Guard,
        views: Subscriber<View>,
        states: Subscriber<Arc<str>>,
        options: &Options,
    ) -> Self {
        let rate = options.rate.clamp(0.1, 1000.0);
        Self {
            guard,
            views,
            states,
            pairs: options.pairs,
            interval: Duration::from_secs_f64(1.0 / rate),
            most_clients: options.clients,
            clients: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            pending: Mutex::default(),
            numbers: AtomicU64::new(0),
            quit: AtomicBool::new(false),
        }
    }

    fn slot(self: &Arc<Self>, count: fn(&Self) -> &AtomicUsize, most: usize) -> Option<Slot> {
        let more = |now| (now < most).then_some(now + 1);
        count(self).fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Slot { shared: Arc::clone(self), count })
    }

    /// A slot among at most `most` connections.
    pub fn connection(self: &Arc<Self>, most: usize) -> Option<Slot> {
        self.slot(|shared| &shared.connections, most)
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a new connection to the pending ones. When there are too many, the oldest is rejected, so that connections without
    /// the token cannot lock out others. Each has a minimum time to send the token.
    pub fn pending(self: &Arc<Self>, stream: &TcpStream, most: usize) -> io::Result<Pending> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let stream = stream.try_clone()?;
        loop {
            let mut waiting = self.waiting();
            if waiting.len() < most {
                waiting.push_back(Waiting { number, since: Instant::now(), stream });
                return Ok(Pending { shared: Arc::clone(self), number });
            }
            let young = waiting.front().and_then(|oldest| MIN_PENDING.checked_sub(oldest.since.elapsed()));
            match young {
                None => {
                    if let Some(oldest) = waiting.pop_front() {
                        reply::reject(&oldest.stream);
                        let _ = oldest.stream.shutdown(Shutdown::Both); // its thread ends on the next read
                    }
                }
                Some(_) => {
                    drop(waiting);
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }

    fn client(self: &Arc<Self>) -> Option<Slot> {
        self.slot(|shared| &shared.clients, self.most_clients)
    }

    fn state(&self) -> String {
        state(&self.views.clone().get(), self.pairs)
    }

    fn is_ended(&self) -> bool {
        self.quit.load(Ordering::Relaxed)
    }
}

/// Serves a connection until it ends.
pub fn serve(mut stream: TcpStream, pending: Pending, shared: &Arc<Shared>) -> io::Result<()> {
    stream.set_read_timeout(Some(CHECK_EVERY))?;
    stream.set_write_timeout(Some(STALL_TIMEOUT))?;
    stream.set_nodelay(true)?;
    let request = match read_head(&mut stream, shared)? {
        Some(Ok(request)) => request,
        Some(Err(refused)) => return reply::send(stream, &reply::refusal(refused, false)),
        None => return Ok(()),
    };
    let head_only = request.head_only;
    let refuse = |stream, refused| reply::send(stream, &reply::refusal(refused, head_only));
    let route = shared.guard.route(&request);
    if route.is_ok_and(|route| route != Route::Health) {
        drop(pending);
    }
    match route {
        Err(refused) => refuse(stream, refused),
        Ok(Route::Page) => reply::send(stream, &reply::page(&shared.guard, head_only)),
        Ok(Route::State) => reply::send(stream, &reply::state(&shared.state(), head_only)),
        Ok(Route::Health) => reply::send(stream, &reply::healthy(head_only)),
        Ok(Route::Events) => match (request.websocket_key(), shared.client()) {
            (Err(refused), _) => refuse(stream, refused),
            (Ok(_), None) => refuse(stream, Refused { status: 503, why: "too many clients" }),
            (Ok(key), Some(_slot)) => {
                stream.write_all(reply::upgrade(key).as_bytes())?;
                match events(stream, shared) {
                    Ok(()) | Err(Error::ConnectionClosed | Error::AlreadyClosed) => Ok(()),
                    Err(error) => Err(io::Error::other(error)),
                }
            }
        },
    }
}

/// Reads the head of a request, or why it is refused; None when the connection ended.
fn read_head(stream: &mut TcpStream, shared: &Shared) -> io::Result<Option<Result<Request, Refused>>> {
    let until = Instant::now() + HEAD_TIMEOUT;
    let mut head = Vec::with_capacity(1024);
    let mut buffer = [0; 1024];
    while !shared.is_ended() {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(count) => head.extend_from_slice(&buffer[..count.min(MOST_BYTES - head.len())]),
            Err(error) if would_block(&error) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        match Request::parse(&head) {
            Ok(Some(request)) => return Ok(Some(Ok(request))),
            Ok(None) => {}
            Err(refused) => return Ok(Some(Err(refused))),
        }
        if Instant::now() >= until {
            return Ok(Some(Err(Refused { status: 408, why: "the request took too long" })));
        }
    }
    Ok(None)
}

fn would_block(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Whether everything was sent; the rest is sent with the next flush.
fn is_sent(sent: Result<(), Error>) -> Result<bool, Error> {
    match sent {
        Ok(()) => Ok(true),
        Err(Error::Io(error)) if would_block(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Sends the state when it changes. While a message is partly sent, no other is started; then only the newest state is sent.
fn events(stream: TcpStream, shared: &Arc<Shared>) -> Result<(), Error> {
    stream.set_nonblocking(true)?;
    let config = WebSocketConfig::default()
        .read_buffer_size(MAX_MESSAGE)
        .write_buffer_size(0)
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    let mut states = shared.states.clone();
    let _ = states.get(); // skip states from before this client
    let mut stalled_since: Option<Instant> = None;
    let mut received = (Instant::now(), 0);
    let mut next = Some(shared.state());
    while !shared.is_ended() {
        if stalled_since.is_none()
            && let Some(text) = next.take()
            && !is_sent(socket.send(Message::text(text)))?
        {
            stalled_since = Some(Instant::now());
        }
        if let Some(since) = stalled_since {
            if is_sent(socket.flush())? {
                stalled_since = None;
            } else if since.elapsed() > STALL_TIMEOUT {
                tracing::info!(
                    "serve: disconnected a client that read nothing for {} s",
                    STALL_TIMEOUT.as_secs()
                );
                return Ok(());
            }
        }
        read_messages(&mut socket, &mut received)?;
        if stalled_since.is_some() {
            std::thread::sleep(RETRY_EVERY);
        } else {
            next = states.next(CHECK_EVERY).map(|text| text.to_string());
        }
    }
    let _ = socket.close(None).and_then(|()| socket.flush()); // does not wait for the client
    Ok(())
}

/// Reads a client's messages: close and pong are handled, all others are ignored.
fn read_messages(socket: &mut WebSocket<TcpStream>, received: &mut (Instant, u32)) -> Result<(), Error> {
    if received.0.elapsed() > Duration::from_secs(1) {
        *received = (Instant::now(), 0);
    }
    loop {
        match socket.read() {
            Ok(_) => received.1 += 1,
            Err(Error::Io(error)) if would_block(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
        if received.1 > MAX_MESSAGES {
            return Err(Error::Io(io::Error::other("a client sends too many messages")));
        }
    }
}
