//! The server with real sockets: which clients are accepted, which are refused, and that it stays up.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod waiting;

use nextscope::live::{Connection, Publisher, Totals, View, latest};
use nextscope::serve::{Options, Route, Server, Token};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket};
use waiting::{PATIENCE, eventually, eventually_ok, eventually_some, within};

/// A server of views that the test publishes.
struct Fixture {
    server: Server,
    publisher: Publisher<View>,
}

fn fixture(change: impl FnOnce(&mut Options)) -> Fixture {
    let mut options = Options { port: 0, ..Options::new(Token::random().unwrap()) };
    change(&mut options);
    let (publisher, views) = latest(view(0));
    Fixture { server: Server::start(&options, views).unwrap(), publisher }
}

fn view(rounds: u64) -> View {
    let totals = Totals { rounds, ..Totals::default() };
    View { connection: Connection::Live, totals, ..View::default() }
}

impl Fixture {
    fn port(&self) -> u16 {
        self.server.address().port()
    }

    fn socket(&self) -> TcpStream {
        let stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends bytes; returns the complete response.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.socket();
        // A server that has already refused may not read the rest.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    fn get(&self, path: &str, headers: &str) -> String {
        let port = self.port();
        self.send(format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n").as_bytes())
    }

    fn with_token(&self, path: &str) -> String {
        format!("{path}?token={}", self.server.token().text())
    }

    fn listen(&self) -> Result<WebSocket<TcpStream>, tungstenite::http::StatusCode> {
        self.listen_as(None)
    }

    fn listen_as(&self, origin: Option<&str>) -> Result<WebSocket<TcpStream>, tungstenite::http::StatusCode> {
        let mut request = self.server.url(Route::Events).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", HeaderValue::from_str(origin).unwrap());
        }
        match tungstenite::client(request, self.socket()) {
            Ok((socket, _)) => Ok(socket),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status())
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// Waits until this many connections are left.
    fn settles_at(&self, connections: usize) {
        eventually("the other connections end", || self.server.connections() == connections);
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").expect("headers and a body").1
}

fn rounds(text: &str) -> u64 {
    let state: serde_json::Value = serde_json::from_str(text).expect("JSON");
    state["totals"]["rounds"].as_u64().expect("a number")
}

/// The next message with text.
fn hear(socket: &mut WebSocket<TcpStream>) -> Option<String> {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => return Some(text.to_string()),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

#[cfg(target_os = "linux")]
fn threads() -> usize {
    let serving = |task: std::io::Result<std::fs::DirEntry>| {
        let name = std::fs::read_to_string(task.ok()?.path().join("comm")).ok()?;
        name.starts_with("serve client").then_some(())
    };
    std::fs::read_dir("/proc/self/task").unwrap().filter_map(serving).count()
}

#[test]
fn routes_answer_with_the_token_and_refuse_without() {
    let fixture = fixture(|_| {});
    for (path, kind, content) in [
        ("/", "text/html", "<title>Nextscope</title>"),
        ("/state", "application/json", "\"connection\":\"live\""),
        ("/healthz", "text/plain", "ok"),
    ] {
        let answer = fixture.get(&fixture.with_token(path), "");
        assert_eq!(status(&answer), 200, "{answer}");
        assert!(
            answer.contains(&format!("Content-Type: {kind}")) && body(&answer).contains(content),
            "{answer}"
        );
        let expected = if path == "/healthz" { 200 } else { 403 };
        assert_eq!(status(&fixture.get(path, "")), expected, "{path}");
        assert_eq!(status(&fixture.get(&format!("{path}?token={}", "0".repeat(32)), "")), expected, "{path}");
    }
    let page = fixture.get(&fixture.with_token("/"), "");
    assert!(page.contains("Content-Security-Policy: default-src 'none'"), "no external resources");
    assert!(!body(&page).contains("https://"), "and no external URLs");
    assert_eq!(status(&fixture.get(&fixture.with_token("/events"), "")), 426);
    assert_eq!(status(&fixture.get(&fixture.with_token("/other"), "")), 404);
    let head = fixture.send(
        format!(
            "HEAD {} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n",
            fixture.with_token("/state"),
            fixture.port()
        )
        .as_bytes(),
    );
    assert_eq!((status(&head), body(&head)), (200, ""));
}

#[test]
fn foreign_hosts_and_foreign_origins_are_refused() {
    let fixture = fixture(|_| {});
    let path = fixture.with_token("/state");
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "[::1]:17800", ""] {
        let answer = fixture.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(status(&answer), 403, "{host}");
        assert!(!answer.contains("connection\":"), "no state is sent");
    }
    for origin in ["https://evil.example", "null", "file://", "http://127.0.0.1:1"] {
        assert_eq!(status(&fixture.get(&path, &format!("Origin: {origin}\r\n"))), 403, "{origin}");
        assert_eq!(fixture.listen_as(Some(origin)).map(|_| ()).unwrap_err(), 403, "{origin}");
    }
    let ours = format!("http://127.0.0.1:{}", fixture.port());
    assert_eq!(status(&fixture.get(&path, &format!("Origin: {ours}\r\n"))), 200);
    assert!(fixture.listen_as(Some(&ours)).is_ok());
}

#[test]
fn only_loopback_is_bound() {
    for address in ["0.0.0.0", "192.0.2.1", "::"] {
        let options =
            Options { address: address.parse().unwrap(), port: 0, ..Options::new(Token::random().unwrap()) };
        let error = Server::start(&options, latest(view(0)).1).err().expect("refused").to_string();
        assert!(error.contains("is not a loopback address"), "{error}");
    }
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let options = Options { port, ..Options::new(Token::random().unwrap()) };
    let error = Server::start(&options, latest(view(0)).1).err().expect("refused").to_string();
    assert!(error.contains("choose another port"), "{error}");
}

#[test]
fn the_newest_state_reaches_every_client_at_no_more_than_the_rate() {
    let fixture = fixture(|options| options.rate = 20.0);
    let mut clients: Vec<_> = (0..3).map(|_| fixture.listen().unwrap()).collect();
    let began = Instant::now();
    // Far more often than the rate, for about half a second.
    for round in 1..=250 {
        fixture.publisher.publish(view(round));
        std::thread::sleep(Duration::from_millis(2)); // the pace of the publisher
    }
    for client in &mut clients {
        let mut heard = vec![0];
        let mut messages = 0;
        while heard.last() != Some(&250) {
            heard.push(rounds(&hear(client).expect("the newest state comes")));
            messages += 1;
        }
        assert!(heard.is_sorted(), "{heard:?}");
        // One immediately, then one each 50 ms for the duration, on a slow machine as well.
        let most = 3 + began.elapsed().as_millis() / 50;
        assert!(messages <= most, "{messages} messages, {most} allowed");
    }
}

#[test]
fn the_number_of_clients_is_limited_and_a_freed_slot_is_reused() {
    let fixture = fixture(|options| options.clients = 2);
    let first = fixture.listen().unwrap();
    let second = fixture.listen().unwrap();
    assert_eq!(fixture.listen().map(|_| ()).unwrap_err(), 503);
    assert_eq!(
        status(&fixture.get(&fixture.with_token("/state"), "")),
        200,
        "a single request is still answered"
    );
    drop(first);
    fixture.settles_at(1);
    let third = fixture.listen().unwrap();
    assert_eq!(fixture.server.clients(), 2);
    drop((second, third));
    fixture.settles_at(0);
}

#[test]
fn garbage_oversize_and_partial_requests_are_refused_and_the_server_stays_up() {
    let fixture = fixture(|_| {});
    assert_eq!(status(&fixture.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")), 400);
    assert_eq!(status(&fixture.send(b"nonsense\r\n\r\n")), 400);
    assert_eq!(status(&fixture.send(&[0; 100_000])), 400);
    assert_eq!(status(&fixture.send(format!("GET /{} HTTP/1.1\r\n", "a".repeat(100_000)).as_bytes())), 431);
    let many: String = (0..200).map(|n| format!("X-{n}: y\r\n")).collect();
    assert_eq!(status(&fixture.get("/state", &many)), 431);
    assert_eq!(status(&fixture.get(&fixture.with_token("/state"), "Content-Length: 1000000\r\n")), 413);
    // A head that arrives byte by byte and never ends: it times out.
    let began = Instant::now();
    let mut slow = fixture.socket();
    let mut answer = [0; 16];
    let dripping = slow.try_clone().unwrap();
    let drip = std::thread::spawn(move || {
        for byte in b"GET /state HTTP/1.1\r\nX: ".iter().chain(std::iter::repeat_n(&b'y', 200)) {
            if (&dripping).write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50)); // the pace of the client
        }
    });
    slow.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408 Req");
    assert!(began.elapsed() >= Duration::from_secs(4));
    let _ = slow.shutdown(Shutdown::Both);
    drip.join().unwrap();
    // Client messages are not accepted: one that is too long, or too many, close the connection.
    let mut loud = fixture.listen().unwrap();
    let _ = loud.send(Message::text("x".repeat(100_000)));
    while hear(&mut loud).is_some() {}
    let mut busy = fixture.listen().unwrap();
    while busy.send(Message::Ping(tungstenite::Bytes::new())).is_ok() {
        let _ = busy.get_ref().set_nonblocking(true);
        let _ = busy.read();
    }
    fixture.settles_at(0);
    assert_eq!(status(&fixture.get(&fixture.with_token("/state"), "")), 200);
}

#[test]
fn clients_without_a_token_keep_no_client_with_one_out() {
    let fixture = fixture(|options| options.clients = 2);
    let idle: Vec<TcpStream> = (0..200)
        .map(|number| {
            let stream = TcpStream::connect(fixture.server.address()).unwrap();
            match number % 3 {
                // A partial request, a complete one without the token whose response is not read, and an
                // empty one.
                0 => drop((&stream).write_all(b"GET /state HTTP/1.1\r\nHost: ")),
                1 => drop((&stream).write_all(b"GET /state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")),
                _ => {}
            }
            stream
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(status(&fixture.get(&fixture.with_token("/state"), "")), 200);
    }
    let client = fixture.listen().unwrap();
    assert!(fixture.server.connections() <= 2 + 32 + 32, "{}", fixture.server.connections());
    drop((idle, client));
    fixture.settles_at(0);
}

#[test]
fn a_thousand_connections_opened_and_dropped_leave_nothing_behind() {
    let fixture = fixture(|_| {});
    for number in 0..1000 {
        let stream = TcpStream::connect(fixture.server.address()).unwrap();
        if number % 3 == 0 {
            let _ = (&stream).write_all(b"GET /state HTTP/1.1\r\nHost: ");
        }
    }
    fixture.settles_at(0);
    #[cfg(target_os = "linux")]
    {
        // Other tests of this file run in parallel, with a few clients each.
        eventually_ok(|| match threads() {
            0..=100 => Ok(()),
            more => Err(format!("{more} threads are left")),
        });
    }
    // The last of them may still wait to be accepted and refused.
    let answer = eventually_ok(|| {
        let answer = fixture.get(&fixture.with_token("/state"), "");
        if status(&answer) == 200 { Ok(answer) } else { Err(answer) }
    });
    assert_eq!(rounds(body(&answer)), 0);
}

#[test]
fn a_client_that_reads_nothing_blocks_no_other_and_is_dropped() {
    let fixture = fixture(|options| {
        options.rate = 1000.0;
        options.pairs = 128;
    });
    let stuck = fixture.listen().unwrap();
    let mut awake = fixture.listen().unwrap();
    // States of some 100 KB each, so that the buffers of the stuck client are full soon.
    let why = "x".repeat(100_000);
    let lost = |round| {
        let connection = Connection::Lost { why: why.clone(), since: Instant::now() };
        View { connection, ..view(round) }
    };
    let mut round = 0;
    eventually("the stuck client is dropped", || {
        round += 1;
        fixture.publisher.publish(lost(round));
        while rounds(&hear(&mut awake).expect("the other one is served")) < round {}
        fixture.server.clients() != 2
    });
    assert!(round > 100, "{round} states went to the other one meanwhile");
    drop(stuck);
}

#[test]
fn clients_are_notified_of_the_end_and_the_port_is_freed() {
    let fixture = fixture(|_| {});
    let port = fixture.port();
    let mut client = fixture.listen().unwrap();
    assert_eq!(hear(&mut client).map(|text| rounds(&text)), Some(0));
    let idle = fixture.socket();
    let began = Instant::now();
    drop(fixture);
    assert!(began.elapsed() < Duration::from_secs(10), "it waits for no client");
    while hear(&mut client).is_some() {}
    drop(idle);
    let again =
        Options { port, address: IpAddr::V4(Ipv4Addr::LOCALHOST), ..Options::new(Token::random().unwrap()) };
    assert!(Server::start(&again, latest(view(0)).1).is_ok(), "the port is free again");
}

/// A headless browser, controlled by its own protocol.
#[cfg(target_os = "linux")]
struct Browser {
    child: std::process::Child,
    page: WebSocket<TcpStream>,
    asked: u64,
    _home: tempfile::TempDir,
}

#[cfg(target_os = "linux")]
impl Browser {
    /// Opens a page; None when no browser is installed and none is required.
    fn open(url: &str) -> Option<Self> {
        use std::process::{Command, Stdio};
        let home = tempfile::tempdir().unwrap();
        let started = Command::new("chromium")
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--remote-debugging-port=0", "--window-size=900,500"])
            .arg(format!("--user-data-dir={}", home.path().display()))
            .arg(url)
            .env("HOME", home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let child = match started {
            Ok(child) => child,
            Err(error) => {
                let must = std::env::var("NEXTSCOPE_TEST_MUST");
                assert!(
                    !must.is_ok_and(|value| ["all", "browser"].contains(&value.as_str())),
                    "chromium: {error}"
                );
                println!("left out: chromium ({error}); tests/install-emulators browser installs it");
                return None;
            }
        };
        let port = eventually_some("the browser starts", || {
            // Its first line is the port, once the browser listens.
            let text = std::fs::read_to_string(home.path().join("DevToolsActivePort")).ok()?;
            text.lines().next()?.parse::<u16>().ok()
        });
        let page = eventually_ok(|| {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
            let ask =
                format!("GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
            stream.write_all(ask.as_bytes()).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            let answer = String::from_utf8_lossy(&answer).into_owned();
            let list: serde_json::Value = serde_json::from_str(body(&answer)).unwrap_or_default();
            let pages = list.as_array().into_iter().flatten();
            let mut urls = pages.filter(|page| page["type"] == "page" && page["url"] == url);
            let found = urls.next().and_then(|page| page["webSocketDebuggerUrl"].as_str());
            found.map(str::to_owned).ok_or_else(|| format!("the browser opens the page: {answer}"))
        });
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let (page, _) = tungstenite::client(page.as_str(), stream).unwrap();
        Some(Self { child, page, asked: 0, _home: home })
    }

    fn tell(&mut self, method: &str, parameters: &serde_json::Value) -> serde_json::Value {
        self.asked += 1;
        let request = serde_json::json!({ "id": self.asked, "method": method, "params": parameters });
        self.page.send(Message::text(request.to_string())).unwrap();
        loop {
            let said = hear(&mut self.page).expect("the browser answers");
            let said: serde_json::Value = serde_json::from_str(&said).unwrap();
            if said["id"] == self.asked {
                return said["result"].clone();
            }
        }
    }

    /// The drawn page: the connection status, whether it is greyed, and each player's current and coming
    /// letters.
    fn drawn(&mut self) -> (String, bool, Vec<Vec<String>>) {
        let script = "JSON.stringify([document.documentElement.dataset.state || '', !!document.querySelector('.stale'),
            [...document.querySelectorAll('.player')].map(p => [...p.querySelectorAll('.item')].map(i =>
            i.dataset.letters + '=' + [...i.querySelectorAll('.letter')].map(t => t.textContent).reverse().join('')))])";
        let said = self
            .tell("Runtime.evaluate", &serde_json::json!({ "expression": script, "returnByValue": true }));
        serde_json::from_str(said["result"]["value"].as_str().unwrap_or("[\"\",false,[]]")).unwrap()
    }
}

#[cfg(target_os = "linux")]
impl Drop for Browser {
    fn drop(&mut self) {
        let ask = serde_json::json!({ "id": 0, "method": "Browser.close" });
        let _ = self.page.send(Message::text(ask.to_string()));
        let _ = within(Duration::from_secs(5), || self.child.try_wait().transpose());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The expected page of a state: the pair in play, and six more of each player; each with the letters on its
/// puyos.
#[cfg(target_os = "linux")]
fn to_draw(state: &str) -> (String, Vec<Vec<String>>) {
    let state: serde_json::Value = serde_json::from_str(state).unwrap();
    let twice = |letters: &serde_json::Value| {
        let letters = letters.as_str().expect("letters");
        format!("{letters}={letters}")
    };
    let player = |player: &serde_json::Value| {
        let now = Some(&player["current"]).filter(|now| now.is_string()).into_iter();
        now.chain(player["next"].as_array().unwrap().iter().take(6)).map(twice).collect()
    };
    let players = state["players"].as_array().unwrap().iter().map(player).collect();
    (state["connection"].as_str().unwrap().to_owned(), players)
}

#[test]
#[cfg(target_os = "linux")]
fn a_browser_draws_the_coming_pairs_of_the_embedded_console() {
    use nextscope::demo::{DemoOptions as Console, spawn_program};
    use nextscope::live::{Options as Sampling, Sampler};
    use nextscope::profile::Library;

    let mut demo = spawn_program(env!("CARGO_BIN_EXE_nextscope").as_ref(), &Console::default()).unwrap();
    let profiles = Library::built_in().profiles().to_vec();
    let sampler =
        Sampler::start(Sampling { pid: Some(demo.pid()), profiles, ..Sampling::default() }).unwrap();
    let options = Options { port: 0, ..Options::new(Token::random().unwrap()) };
    let server = Server::start(&options, sampler.view()).unwrap();
    let port = server.address().port();
    let Some(mut browser) = Browser::open(&server.url(Route::Page)) else { return };
    let state = || nextscope::serve::state(&sampler.view().get(), 12);
    let mut waits = |what: &str, condition: &mut dyn FnMut(&mut Browser) -> bool| {
        let drawn = within(PATIENCE, || condition(&mut browser).then_some(()));
        assert!(drawn.is_some(), "{what}: the page draws {:?}, the state is {}", browser.drawn(), state());
    };
    waits("live", &mut |browser| {
        let (before, drawn) = (to_draw(&state()), browser.drawn());
        let players = &drawn.2;
        drawn.0 == "live" && !drawn.1 && players.len() == 2 && players[0].len() == 7 && *players == before.1
    });
    // Now with everything paused, so that the result is exact.
    demo.send("pause").unwrap();
    waits("paused", &mut |browser| {
        let (expected, drawn) = (to_draw(&state()), browser.drawn());
        expected.0 == "paused" && drawn.0 == "paused" && drawn.1 && drawn.2 == expected.1
    });
    drop(server);
    waits("not connected", &mut |browser| {
        let drawn = browser.drawn();
        drawn.0 == "not connected" && drawn.1 && drawn.2 == to_draw(&state()).1
    });
    let _server = Server::start(&Options { port, ..options }, sampler.view()).unwrap();
    waits("connected again", &mut |browser| browser.drawn().0 == "paused");
    demo.send("resume").unwrap();
    waits("live again", &mut |browser| browser.drawn().0 == "live");
    if let Ok(path) = std::env::var("NEXTSCOPE_TEST_PICTURE") {
        // For people: a screenshot of the page. The image is in base64, which `base64 -d` decodes.
        let picture = browser.tell("Page.captureScreenshot", &serde_json::json!({}));
        std::fs::write(path, picture["data"].as_str().unwrap()).unwrap();
    }
}
