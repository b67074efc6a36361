//! One connection: reads what is asked for, answers, or speaks WebSocket until it ends.

use super::request::{MOST_BYTES, Refused, Request};
use super::{Guard, Options, Route, reply, state};
use crate::live::{Latest, View};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// How long a request's head may take to come.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a connection has at least to show the token, however many others come.
const MOMENT: Duration = Duration::from_millis(50);
/// How long a read waits before it looks whether to go on.
const LOOK_UP: Duration = Duration::from_millis(100);
/// How long a client may take nothing before it is dropped.
const STUCK: Duration = Duration::from_secs(5);
/// How often a client that has taken only a part is offered the rest.
const OFFER: Duration = Duration::from_millis(20);
/// Bytes that a client may send in one message; nothing that it says is wanted.
const MOST_SAID: usize = 4 << 10;
/// Messages that a client may send in a second.
const MOST_MESSAGES: u32 = 100;

/// What all connections share.
pub struct Shared {
    guard: Guard,
    views: Latest<View>,
    told: Latest<Arc<str>>,
    pub pairs: usize,
    /// The shortest time between two messages.
    pub interval: Duration,
    pub most_clients: usize,
    pub clients: AtomicUsize,
    pub connections: AtomicUsize,
    /// Connections that have not shown the token yet, the oldest first.
    asking: Mutex<VecDeque<Waiting>>,
    numbers: AtomicU64,
    pub quit: AtomicBool,
}

/// A connection that has not shown the token yet.
struct Waiting {
    number: u64,
    since: Instant,
    stream: TcpStream,
}

/// A place among those that have not shown the token yet, until it is dropped.
pub struct Asking {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.shared.waiting().retain(|waiting| waiting.number != self.number);
    }
}

/// A place among a limited number of them, until it is dropped.
pub struct Place {
    shared: Arc<Shared>,
    count: fn(&Shared) -> &AtomicUsize,
}

impl Drop for Place {
    fn drop(&mut self) {
        (self.count)(&self.shared).fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    pub fn new(guard: Guard, views: Latest<View>, told: Latest<Arc<str>>, options: &Options) -> Self {
        let rate = options.rate.clamp(0.1, 1000.0);
        Self {
            guard,
            views,
            told,
            pairs: options.pairs,
            interval: Duration::from_secs_f64(1.0 / rate),
            most_clients: options.clients,
            clients: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            asking: Mutex::default(),
            numbers: AtomicU64::new(0),
            quit: AtomicBool::new(false),
        }
    }

    fn place(self: &Arc<Self>, count: fn(&Self) -> &AtomicUsize, most: usize) -> Option<Place> {
        let more = |now| (now < most).then_some(now + 1);
        count(self).fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Place { shared: Arc::clone(self), count })
    }

    /// A place among so many connections.
    pub fn connection(self: &Arc<Self>, most: usize) -> Option<Place> {
        self.place(|shared| &shared.connections, most)
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection. There is always one: where all are taken, the oldest that has not shown the token is turned
    /// away, so that nobody without it keeps out those who have it. Each is given a moment to ask.
    pub fn asking(self: &Arc<Self>, stream: &TcpStream, most: usize) -> io::Result<Asking> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let stream = stream.try_clone()?;
        loop {
            let mut waiting = self.waiting();
            if waiting.len() < most {
                waiting.push_back(Waiting { number, since: Instant::now(), stream });
                return Ok(Asking { shared: Arc::clone(self), number });
            }
            let young = waiting.front().and_then(|oldest| MOMENT.checked_sub(oldest.since.elapsed()));
            match young {
                None => {
                    if let Some(oldest) = waiting.pop_front() {
                        reply::turn_away(&oldest.stream);
                        let _ = oldest.stream.shutdown(Shutdown::Both); // its thread sees the end
                    }
                }
                Some(_) => {
                    drop(waiting);
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }

    fn client(self: &Arc<Self>) -> Option<Place> {
        self.place(|shared| &shared.clients, self.most_clients)
    }

    fn state(&self) -> String {
        state(&self.views.clone().get(), self.pairs)
    }

    fn over(&self) -> bool {
        self.quit.load(Ordering::Relaxed)
    }
}

/// Serves a connection until it ends.
pub fn serve(mut stream: TcpStream, asking: Asking, shared: &Arc<Shared>) -> io::Result<()> {
    stream.set_read_timeout(Some(LOOK_UP))?;
    stream.set_write_timeout(Some(STUCK))?;
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
        drop(asking);
    }
    match route {
        Err(refused) => refuse(stream, refused),
        Ok(Route::Page) => reply::send(stream, &reply::page(&shared.guard, head_only)),
        Ok(Route::State) => reply::send(stream, &reply::state(&shared.state(), head_only)),
        Ok(Route::Health) => reply::send(stream, &reply::healthy(head_only)),
        Ok(Route::Events) => match (request.websocket_key(), shared.client()) {
            (Err(refused), _) => refuse(stream, refused),
            (Ok(_), None) => refuse(stream, Refused { status: 503, why: "too many clients" }),
            (Ok(key), Some(_place)) => {
                stream.write_all(reply::upgrade(key).as_bytes())?;
                match events(stream, shared) {
                    Ok(()) | Err(Error::ConnectionClosed | Error::AlreadyClosed) => Ok(()),
                    Err(error) => Err(io::Error::other(error)),
                }
            }
        },
    }
}

/// The head of a request, or why it is none; nothing when the connection ended before.
fn read_head(stream: &mut TcpStream, shared: &Shared) -> io::Result<Option<Result<Request, Refused>>> {
    let until = Instant::now() + PATIENCE;
    let mut head = Vec::with_capacity(1024);
    let mut buffer = [0; 1024];
    while !shared.over() {
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

/// Whether everything went out; what did not, goes out with the next offer.
fn gone_out(sent: Result<(), Error>) -> Result<bool, Error> {
    match sent {
        Ok(()) => Ok(true),
        Err(Error::Io(error)) if would_block(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Sends the state whenever it changes. The newest one wins: while a client has not taken all of one, no other is begun.
fn events(stream: TcpStream, shared: &Arc<Shared>) -> Result<(), Error> {
    stream.set_nonblocking(true)?;
    let config = WebSocketConfig::default()
        .read_buffer_size(MOST_SAID)
        .write_buffer_size(0)
        .max_message_size(Some(MOST_SAID))
        .max_frame_size(Some(MOST_SAID));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    let mut told = shared.told.clone();
    let _ = told.get(); // what was told before this client came is old
    let mut stuck_since: Option<Instant> = None;
    let mut said = (Instant::now(), 0);
    let mut next = Some(shared.state());
    while !shared.over() {
        if stuck_since.is_none()
            && let Some(text) = next.take()
            && !gone_out(socket.send(Message::text(text)))?
        {
            stuck_since = Some(Instant::now());
        }
        if let Some(since) = stuck_since {
            if gone_out(socket.flush())? {
                stuck_since = None;
            } else if since.elapsed() > STUCK {
                tracing::info!("serve: a client took nothing for {} s and was dropped", STUCK.as_secs());
                return Ok(());
            }
        }
        listen(&mut socket, &mut said)?;
        if stuck_since.is_some() {
            std::thread::sleep(OFFER);
        } else {
            next = told.next(LOOK_UP).map(|text| text.to_string());
        }
    }
    let _ = socket.close(None).and_then(|()| socket.flush()); // it is told, and not waited for
    Ok(())
}

/// Takes what a client says: that it leaves, or that it is still there. The rest is not wanted.
fn listen(socket: &mut WebSocket<TcpStream>, said: &mut (Instant, u32)) -> Result<(), Error> {
    if said.0.elapsed() > Duration::from_secs(1) {
        *said = (Instant::now(), 0);
    }
    loop {
        match socket.read() {
            Ok(_) => said.1 += 1,
            Err(Error::Io(error)) if would_block(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
        if said.1 > MOST_MESSAGES {
            return Err(Error::Io(io::Error::other("a client says too much")));
        }
    }
}
