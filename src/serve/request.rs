//! Parses a request's head and maps it to a route or a refusal.

use super::Token;
use std::net::SocketAddr;

/// The size limit of a request's head, in bytes. A browser sends a few hundred.
pub const MOST_BYTES: usize = 8 << 10;
const MAX_HEADERS: usize = 64;
/// The only version of the WebSocket protocol (RFC 6455, 4.1).
const WEBSOCKET: &str = "13";
/// Characters of `Sec-WebSocket-Key`: 16 bytes in base64 (RFC 6455, 4.1).
const KEY_LENGTH: usize = 24;

/// A path that the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The page that draws the upcoming pairs and pieces.
    Page,
    /// The state, once.
    State,
    /// Each new state, by WebSocket.
    Events,
    /// A health check.
    Health,
}

impl Route {
    /// Its path.
    pub fn path(self) -> &'static str {
        match self {
            Self::Page => "/",
            Self::State => "/state",
            Self::Events => "/events",
            Self::Health => "/healthz",
        }
    }
}

/// A refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// The reason, for the client.
    pub why: &'static str,
}

/// The relevant parts of a request's head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Whether the method is HEAD.
    pub head_only: bool,
    /// Whether the method is GET or HEAD.
    known_method: bool,
    /// The path without its query.
    path: String,
    /// The token from the query or the `Authorization` header.
    token: Option<String>,
    /// The `Host` lines.
    hosts: Vec<String>,
    /// The `Origin` lines.
    origins: Vec<String>,
    /// Whether a body follows.
    body: bool,
    /// Whether it requests the WebSocket protocol.
    upgrade: bool,
    version: Option<String>,
    key: Option<String>,
}

impl Request {
    /// Parses a head; None when it is incomplete.
    ///
    /// # Errors
    /// 400 for an invalid request, 431 for one that is too long.
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, Refused> {
        let too_long = Refused { status: 431, why: "the request head is too long" };
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) if bytes.len() < MOST_BYTES => return Ok(None),
            Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => return Err(too_long),
            Err(_) => return Err(Refused { status: 400, why: "not an HTTP request" }),
        }
        let (path, query) = parsed.path.map_or(("", ""), |path| path.split_once('?').unwrap_or((path, "")));
        let mut request = Self {
            head_only: parsed.method == Some("HEAD"),
            known_method: matches!(parsed.method, Some("GET" | "HEAD")),
            path: path.to_owned(),
            token: query.split('&').find_map(|pair| pair.strip_prefix("token=")).map(str::to_owned),
            ..Self::default()
        };
        let mut upgrade = (false, false);
        for header in parsed.headers.iter() {
            let value = String::from_utf8_lossy(header.value).into_owned();
            let lists = |word: &str| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word));
            match header.name.to_ascii_lowercase().as_str() {
                "host" => request.hosts.push(value),
                "origin" => request.origins.push(value),
                "authorization" => {
                    request.token = request.token.or_else(|| Some(value.strip_prefix("Bearer ")?.to_owned()));
                }
                "transfer-encoding" => request.body = true,
                "content-length" => request.body |= value.trim() != "0",
                "upgrade" => upgrade.0 |= lists("websocket"),
                "connection" => upgrade.1 |= lists("upgrade"),
                "sec-websocket-version" => request.version = Some(value),
                "sec-websocket-key" => request.key = Some(value),
                _ => {}
            }
        }
        request.upgrade = upgrade == (true, true);
        Ok(Some(request))
    }

    /// The client's WebSocket key, which the server must confirm.
    ///
    /// # Errors
    /// 426 without a WebSocket upgrade, 400 without a valid key.
    pub fn websocket_key(&self) -> Result<&str, Refused> {
        let current = self.version.as_deref() == Some(WEBSOCKET);
        if !self.upgrade || !current || self.head_only {
            return Err(Refused { status: 426, why: "this route requires WebSocket, version 13" });
        }
        let key = self.key.as_deref().filter(|key| key.len() == KEY_LENGTH);
        key.ok_or(Refused { status: 400, why: "Sec-WebSocket-Key is missing or invalid" })
    }
}

/// Checks requests by the names of this server and its token.
#[derive(Debug)]
pub struct Guard {
    names: Vec<String>,
    token: Token,
}

impl Guard {
    /// The guard of a server at this address.
    pub fn new(address: SocketAddr, token: Token) -> Self {
        let port = address.port();
        let mut names = vec![format!("localhost:{port}"), address.to_string()];
        if port == 80 {
            // The default port may be omitted (RFC 9110, 4.2.3).
            names.extend(names.clone().iter().map(|name| name.trim_end_matches(":80").to_owned()));
        }
        Self { names, token }
    }

    /// The route of a valid request.
    ///
    /// # Errors
    /// The first problem of the request.
    pub fn route(&self, request: &Request) -> Result<Route, Refused> {
        let refuse = |status, why| Err(Refused { status, why });
        let ours = |host: &str| self.names.iter().any(|name| name.eq_ignore_ascii_case(host.trim()));
        if !matches!(request.hosts.as_slice(), [host] if ours(host)) {
            return refuse(403, "the Host header does not name this server");
        }
        let from_here = |origin: &String| origin.strip_prefix("http://").is_some_and(ours);
        if !request.origins.iter().all(from_here) {
            return refuse(403, "requests from other origins are not allowed");
        }
        if !request.known_method {
            return refuse(405, "only GET and HEAD are supported");
        }
        if request.body {
            return refuse(413, "a request body is not supported");
        }
        let routes = [Route::Page, Route::State, Route::Events, Route::Health];
        let Some(route) = routes.into_iter().find(|route| route.path() == request.path) else {
            return refuse(404, "not found; use /, /state, /events or /healthz");
        };
        // The health check needs no token.
        let known = request.token.as_deref().is_some_and(|token| self.token.is(token));
        if route != Route::Health && !known {
            return refuse(403, "the token is missing or wrong; use the URL that was printed at the start");
        }
        Ok(route)
    }

    /// The names of this server that a `Host` header may contain.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "00112233445566778899aabbccddeeff";

    fn guard() -> Guard {
        Guard::new("127.0.0.1:17800".parse().unwrap(), Token::from_text(TOKEN).unwrap())
    }

    fn route_of(first: &str, headers: &str) -> Result<Route, u16> {
        let head = format!("{first}\r\n{headers}\r\n\r\n");
        let request = Request::parse(head.as_bytes()).map_err(|refused| refused.status)?;
        guard().route(&request.expect("a complete head")).map_err(|refused| refused.status)
    }

    #[test]
    fn a_request_with_a_server_name_and_the_token_gets_its_route() {
        let host = "Host: 127.0.0.1:17800";
        for (path, route) in [
            ("/", Route::Page),
            ("/state", Route::State),
            ("/events", Route::Events),
            ("/healthz", Route::Health),
        ] {
            assert_eq!(route_of(&format!("GET {path}?token={TOKEN} HTTP/1.1"), host), Ok(route));
            assert_eq!(
                route_of(
                    &format!("GET {path}?player=1&token={TOKEN}&pairs=3 HTTP/1.1"),
                    "host: LOCALHOST:17800"
                ),
                Ok(route)
            );
            let bearer = format!("{host}\r\nAuthorization: Bearer {TOKEN}");
            assert_eq!(route_of(&format!("HEAD {path} HTTP/1.1"), &bearer), Ok(route));
        }
        assert_eq!(route_of("GET /healthz HTTP/1.1", host), Ok(Route::Health));
    }

    #[test]
    fn all_other_requests_are_refused() {
        let host = "Host: 127.0.0.1:17800";
        let right = format!("GET /state?token={TOKEN} HTTP/1.1");
        for (first, headers, status) in [
            // Names that a foreign site can point to this machine, and a missing name.
            (right.as_str(), "Host: evil.example:17800", 403),
            (&right, "Host: 127.0.0.1", 403),
            (&right, "Host: 127.0.0.1:17801", 403),
            (&right, "Host: 127.0.0.1:17800\r\nHost: evil.example", 403),
            (&right, "Accept: */*", 403),
            // Pages of other origins.
            (&right, "Host: 127.0.0.1:17800\r\nOrigin: https://evil.example", 403),
            (&right, "Host: 127.0.0.1:17800\r\nOrigin: null", 403),
            (&right, "Host: 127.0.0.1:17800\r\nOrigin: http://127.0.0.1:17801", 403),
            (&right, "Host: 127.0.0.1:17800\r\nOrigin: https://127.0.0.1:17800", 403),
            // Tokens.
            ("GET /state HTTP/1.1", host, 403),
            ("GET /state?token= HTTP/1.1", host, 403),
            ("GET /state?token=00112233445566778899aabbccddeefe HTTP/1.1", host, 403),
            ("GET /?xtoken=00112233445566778899aabbccddeeff HTTP/1.1", host, 403),
            // Unsupported requests.
            (&format!("GET /states?token={TOKEN} HTTP/1.1"), host, 404),
            (&format!("GET http://127.0.0.1:17800/state?token={TOKEN} HTTP/1.1"), host, 404),
            (&format!("POST /state?token={TOKEN} HTTP/1.1"), host, 405),
            (&right, "Host: 127.0.0.1:17800\r\nContent-Length: 5", 413),
            (&right, "Host: 127.0.0.1:17800\r\nTransfer-Encoding: chunked", 413),
            ("GET", host, 400),
            ("GET /state HTTP/9.9", host, 400),
        ] {
            assert_eq!(route_of(first, headers), Err(status), "{first} {headers}");
        }
        let many: String = (0..65).map(|n| format!("X-{n}: y\r\n")).collect();
        assert_eq!(route_of(&right, &many), Err(431));
    }

    #[test]
    fn an_endless_head_is_refused_at_the_size_limit() {
        let mut bytes = b"GET /state HTTP/1.1\r\nX: ".to_vec();
        assert_eq!(Request::parse(&bytes), Ok(None));
        bytes.resize(MOST_BYTES, b'y');
        assert_eq!(Request::parse(&bytes).map_err(|refused| refused.status), Err(431));
    }

    #[test]
    fn a_websocket_request_needs_upgrade_version_and_key() {
        let head = |headers: &str| {
            let head = format!("GET /events HTTP/1.1\r\n{headers}\r\n\r\n");
            let request = Request::parse(head.as_bytes()).unwrap().unwrap();
            request.websocket_key().map(str::to_owned).map_err(|refused| refused.status)
        };
        // The example of RFC 6455, 1.2.
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13";
        let asks = format!("Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n{key}");
        assert_eq!(head(&asks).as_deref(), Ok("dGhlIHNhbXBsZSBub25jZQ=="));
        assert_eq!(head(key), Err(426));
        assert_eq!(head(&asks.replace("13", "8")), Err(426));
        assert_eq!(head(&asks.replace("b25jZQ==", "")), Err(400));
    }
}
