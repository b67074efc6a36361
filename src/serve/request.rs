//! What is asked for, and whether it may be: a request's head, from bytes to a route or a refusal.

use super::Token;
use std::net::SocketAddr;

/// Bytes of a request's head at most. A browser sends a few hundred.
pub const MOST_BYTES: usize = 8 << 10;
/// Header lines at most.
const MOST_HEADERS: usize = 64;
/// The version of the WebSocket protocol that there is (RFC 6455, 4.1).
const WEBSOCKET: &str = "13";
/// Characters of `Sec-WebSocket-Key`: 16 bytes in base64 (RFC 6455, 4.1).
const KEY_LENGTH: usize = 24;

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The page that draws what is to come.
    Page,
    /// The state, once.
    State,
    /// The state whenever it changes, by WebSocket.
    Events,
    /// Whether the server is there.
    Health,
}

impl Route {
    /// Its path.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Page => "/",
            Self::State => "/state",
            Self::Events => "/events",
            Self::Health => "/healthz",
        }
    }
}

/// A request that is not granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The status of HTTP.
    pub status: u16,
    /// Why, for who asked.
    pub why: &'static str,
}

/// What is of interest in a request's head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Whether only the head of the answer is wanted.
    pub head_only: bool,
    /// The method is GET or HEAD.
    known_method: bool,
    /// The path without its query.
    path: String,
    /// The token in the query, or as a bearer's.
    token: Option<String>,
    /// The lines `Host`.
    hosts: Vec<String>,
    /// The lines `Origin`.
    origins: Vec<String>,
    /// A body follows.
    body: bool,
    /// It asks for the WebSocket protocol, in its version.
    upgrade: bool,
    version: Option<String>,
    key: Option<String>,
}

impl Request {
    /// Reads a head; None when more of it is to come.
    ///
    /// # Errors
    /// 400 for what is no request, 431 for one that is too long.
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, Refused> {
        let too_long = Refused { status: 431, why: "the request's head is too long" };
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) if bytes.len() < MOST_BYTES => return Ok(None),
            Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => return Err(too_long),
            Err(_) => return Err(Refused { status: 400, why: "this is no HTTP request" }),
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

    /// What a client of the WebSocket protocol says that its server must answer.
    ///
    /// # Errors
    /// 426 and 400 for what is none.
    pub fn websocket_key(&self) -> Result<&str, Refused> {
        let current = self.version.as_deref() == Some(WEBSOCKET);
        if !self.upgrade || !current || self.head_only {
            return Err(Refused { status: 426, why: "this route speaks WebSocket, version 13" });
        }
        let key = self.key.as_deref().filter(|key| key.len() == KEY_LENGTH);
        key.ok_or(Refused { status: 400, why: "Sec-WebSocket-Key is missing or no key" })
    }
}

/// Who may ask: it knows the names of this server, and its token.
#[derive(Debug)]
pub struct Guard {
    names: Vec<String>,
    token: Token,
}

impl Guard {
    /// For a server at this address.
    #[must_use]
    pub fn new(address: SocketAddr, token: Token) -> Self {
        let port = address.port();
        let mut names = vec![format!("localhost:{port}"), address.to_string()];
        if port == 80 {
            // HTTP's own port is left out of names (RFC 9110, 4.2.3).
            names.extend(names.clone().iter().map(|name| name.trim_end_matches(":80").to_owned()));
        }
        Self { names, token }
    }

    /// The route, when everything is right with the request.
    ///
    /// # Errors
    /// The first thing that is not.
    pub fn route(&self, request: &Request) -> Result<Route, Refused> {
        let refuse = |status, why| Err(Refused { status, why });
        let ours = |host: &str| self.names.iter().any(|name| name.eq_ignore_ascii_case(host.trim()));
        if !matches!(request.hosts.as_slice(), [host] if ours(host)) {
            return refuse(403, "this server is asked for by another name than its own");
        }
        let from_here = |origin: &String| origin.strip_prefix("http://").is_some_and(ours);
        if !request.origins.iter().all(from_here) {
            return refuse(403, "a page from elsewhere asks");
        }
        if !request.known_method {
            return refuse(405, "only GET and HEAD are answered");
        }
        if request.body {
            return refuse(413, "no body is taken");
        }
        let routes = [Route::Page, Route::State, Route::Events, Route::Health];
        let Some(route) = routes.into_iter().find(|route| route.path() == request.path) else {
            return refuse(404, "there are /, /state, /events and /healthz");
        };
        // That the server is there is no secret.
        let known = request.token.as_deref().is_some_and(|token| self.token.is(token));
        if route != Route::Health && !known {
            return refuse(
                403,
                "the token is missing or wrong: it stands in the address that was told at the start",
            );
        }
        Ok(route)
    }

    /// The names under which this server may be asked for.
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

    fn asked(first: &str, headers: &str) -> Result<Route, u16> {
        let head = format!("{first}\r\n{headers}\r\n\r\n");
        let request = Request::parse(head.as_bytes()).map_err(|refused| refused.status)?;
        guard().route(&request.expect("whole")).map_err(|refused| refused.status)
    }

    #[test]
    fn who_asks_by_the_right_name_with_the_token_gets_what_there_is() {
        let host = "Host: 127.0.0.1:17800";
        for (path, route) in [
            ("/", Route::Page),
            ("/state", Route::State),
            ("/events", Route::Events),
            ("/healthz", Route::Health),
        ] {
            assert_eq!(asked(&format!("GET {path}?token={TOKEN} HTTP/1.1"), host), Ok(route));
            assert_eq!(
                asked(
                    &format!("GET {path}?player=1&token={TOKEN}&pairs=3 HTTP/1.1"),
                    "host: LOCALHOST:17800"
                ),
                Ok(route)
            );
            let bearer = format!("{host}\r\nAuthorization: Bearer {TOKEN}");
            assert_eq!(asked(&format!("HEAD {path} HTTP/1.1"), &bearer), Ok(route));
        }
        assert_eq!(asked("GET /healthz HTTP/1.1", host), Ok(Route::Health));
    }

    #[test]
    fn everything_else_is_refused() {
        let host = "Host: 127.0.0.1:17800";
        let right = format!("GET /state?token={TOKEN} HTTP/1.1");
        for (first, headers, status) in [
            // Names that a foreign site can give to this machine, and none at all.
            (right.as_str(), "Host: evil.example:17800", 403),
            (&right, "Host: 127.0.0.1", 403),
            (&right, "Host: 127.0.0.1:17801", 403),
            (&right, "Host: 127.0.0.1:17800\r\nHost: evil.example", 403),
            (&right, "Accept: */*", 403),
            // Pages from elsewhere.
            (&right, "Host: 127.0.0.1:17800\r\nOrigin: https://evil.example", 403),
            (&right, "Host: 127.0.0.1:17800\r\nOrigin: null", 403),
            (&right, "Host: 127.0.0.1:17800\r\nOrigin: http://127.0.0.1:17801", 403),
            (&right, "Host: 127.0.0.1:17800\r\nOrigin: https://127.0.0.1:17800", 403),
            // Tokens.
            ("GET /state HTTP/1.1", host, 403),
            ("GET /state?token= HTTP/1.1", host, 403),
            ("GET /state?token=00112233445566778899aabbccddeefe HTTP/1.1", host, 403),
            ("GET /?xtoken=00112233445566778899aabbccddeeff HTTP/1.1", host, 403),
            // What there is not.
            (&format!("GET /states?token={TOKEN} HTTP/1.1"), host, 404),
            (&format!("GET http://127.0.0.1:17800/state?token={TOKEN} HTTP/1.1"), host, 404),
            (&format!("POST /state?token={TOKEN} HTTP/1.1"), host, 405),
            (&right, "Host: 127.0.0.1:17800\r\nContent-Length: 5", 413),
            (&right, "Host: 127.0.0.1:17800\r\nTransfer-Encoding: chunked", 413),
            ("GET", host, 400),
            ("GET /state HTTP/9.9", host, 400),
        ] {
            assert_eq!(asked(first, headers), Err(status), "{first} {headers}");
        }
        let many: String = (0..65).map(|n| format!("X-{n}: y\r\n")).collect();
        assert_eq!(asked(&right, &many), Err(431));
    }

    #[test]
    fn a_head_that_never_ends_is_refused_when_it_is_too_long() {
        let mut bytes = b"GET /state HTTP/1.1\r\nX: ".to_vec();
        assert_eq!(Request::parse(&bytes), Ok(None));
        bytes.resize(MOST_BYTES, b'y');
        assert_eq!(Request::parse(&bytes).map_err(|refused| refused.status), Err(431));
    }

    #[test]
    fn websocket_is_asked_for_by_its_own_words() {
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
