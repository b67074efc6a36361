//! Answers of HTTP. Each ends its connection.

use super::Guard;
use super::request::Refused;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::handshake::derive_accept_key;

/// The page: markup, style and script in one, with nothing from elsewhere.
const PAGE: &str = include_str!("page.html");
/// How long what a client still sends is read away, so that it gets to read the answer, and how many bytes.
const FAREWELL: Duration = Duration::from_millis(300);
const FAREWELL_BYTES: usize = 64 << 10;

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        426 => "Upgrade Required",
        431 => "Request Header Fields Too Large",
        _ => "Service Unavailable",
    }
}

fn answer(status: u16, kind: &str, more: &str, body: &str, head_only: bool) -> String {
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         {more}Connection: close\r\n\r\n",
        reason(status),
        body.len()
    );
    if head_only { head } else { head + body }
}

/// The page. Whatever stands in it may reach this server and nothing else.
pub fn page(guard: &Guard, head_only: bool) -> String {
    let here: String = guard.names().map(|name| format!(" ws://{name}")).collect();
    let policy = format!(
        "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
         connect-src 'self'{here}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    );
    answer(200, "text/html; charset=utf-8", &policy, PAGE, head_only)
}

/// The state.
pub fn state(json: &str, head_only: bool) -> String {
    answer(200, "application/json", "", json, head_only)
}

/// That the server is there.
pub fn healthy(head_only: bool) -> String {
    answer(200, "text/plain; charset=utf-8", "", "ok\n", head_only)
}

/// Why not.
pub fn refusal(refused: Refused, head_only: bool) -> String {
    let more = match refused.status {
        405 => "Allow: GET, HEAD\r\n",
        426 => "Upgrade: websocket\r\n",
        503 => "Retry-After: 1\r\n",
        _ => "",
    };
    answer(refused.status, "text/plain; charset=utf-8", more, &format!("{}\n", refused.why), head_only)
}

/// From here on WebSocket is spoken (RFC 6455, 4.2.2).
pub fn upgrade(key: &str) -> String {
    let accept = derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )
}

/// Sends an answer and ends the connection.
pub fn send(mut stream: TcpStream, answer: &str) -> io::Result<()> {
    stream.write_all(answer.as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    // What is closed with bytes unread is reset, and the answer may be lost with it.
    let until = Instant::now() + FAREWELL;
    let mut buffer = [0; 4096];
    let mut taken = 0;
    while taken < FAREWELL_BYTES && Instant::now() < until {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => taken += count,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    Ok(())
}

/// Tells a connection that there are too many of them, without waiting for anything.
pub fn turn_away(mut stream: &TcpStream) {
    let answer = refusal(Refused { status: 503, why: "too many connections" }, false);
    if stream.set_nonblocking(true).is_ok() {
        let _ = stream.write(answer.as_bytes()); // there is no time for those who cannot take it
    }
}
