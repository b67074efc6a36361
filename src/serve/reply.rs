//! HTTP responses. Each ends its connection.

use super::Guard;
use super::request::Refused;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::handshake::derive_accept_key;

/// The page: markup, style and script in one file, without external resources.
const PAGE: &str = include_str!("page.html");
/// For how long, and for how many bytes, remaining client data is read and discarded, so that the client receives the response.
const DRAIN: Duration = Duration::from_millis(300);
const DRAIN_BYTES: usize = 64 << 10;

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

fn response(status: u16, kind: &str, more: &str, body: &str, head_only: bool) -> String {
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         {more}Connection: close\r\n\r\n",
        reason(status),
        body.len()
    );
    if head_only { head } else { head + body }
}

/// The page. Its policy allows connections to this server only.
pub fn page(guard: &Guard, head_only: bool) -> String {
    let here: String = guard.names().map(|name| format!(" ws://{name}")).collect();
    let policy = format!(
        "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
         connect-src 'self'{here}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    );
    response(200, "text/html; charset=utf-8", &policy, PAGE, head_only)
}

pub fn state(json: &str, head_only: bool) -> String {
    response(200, "application/json", "", json, head_only)
}

pub fn healthy(head_only: bool) -> String {
    response(200, "text/plain; charset=utf-8", "", "ok\n", head_only)
}

pub fn refusal(refused: Refused, head_only: bool) -> String {
    let more = match refused.status {
        405 => "Allow: GET, HEAD\r\n",
        426 => "Upgrade: websocket\r\n",
        503 => "Retry-After: 1\r\n",
        _ => "",
    };
    response(refused.status, "text/plain; charset=utf-8", more, &format!("{}\n", refused.why), head_only)
}

/// The switch to WebSocket (RFC 6455, 4.2.2).
pub fn upgrade(key: &str) -> String {
    let accept = derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )
}

/// Sends a response and ends the connection.
pub fn send(mut stream: TcpStream, response: &str) -> io::Result<()> {
    stream.write_all(response.as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    // Closing a socket with unread bytes resets it, which can discard the response.
    let until = Instant::now() + DRAIN;
    let mut buffer = [0; 4096];
    let mut taken = 0;
    while taken < DRAIN_BYTES && Instant::now() < until {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => taken += count,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    Ok(())
}

/// Rejects a connection because there are too many, without waiting.
pub fn reject(mut stream: &TcpStream) {
    let response = refusal(Refused { status: 503, why: "too many connections" }, false);
    if stream.set_nonblocking(true).is_ok() {
        let _ = stream.write(response.as_bytes()); // a client that cannot receive it gets no response
    }
}
