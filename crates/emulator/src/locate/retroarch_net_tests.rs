use super::*;
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A fake RetroArch with the faults that a test requests.
struct Server {
    port: u16,
    quit: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// `reply` returns the datagrams for a request and its number.
    fn start(reply: impl Fn(&str, usize) -> Vec<String> + Send + 'static) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
        let port = socket.local_addr().unwrap().port();
        let quit = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&quit);
        let count = AtomicUsize::new(0);
        let thread = std::thread::spawn(move || {
            let mut buf = [0; 1024];
            while !stop.load(Ordering::Relaxed) {
                let Ok((len, from)) = socket.recv_from(&mut buf) else { continue };
                let request = String::from_utf8_lossy(&buf[..len]).into_owned();
                for datagram in reply(request.trim_end(), count.fetch_add(1, Ordering::Relaxed)) {
                    socket.send_to(datagram.as_bytes(), from).unwrap();
                }
            }
        });
        Self { port, quit, thread: Some(thread) }
    }

    fn network(&self) -> Network {
        Network::new(Pid(1), self.port, 0x1_0000).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.quit.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn ram_byte(at: usize) -> u8 {
    (at * 31 + (at >> 8)).to_le_bytes()[0]
}

/// RetroArch's reply to a request for RAM; like RetroArch it does not check the end of RAM.
fn fake_reply(request: &str) -> String {
    let mut words = request.split(' ').skip(1);
    let at = words.next().unwrap();
    let start = usize::from_str_radix(at, 16).unwrap();
    let len: usize = words.next().unwrap().parse().unwrap();
    // Without a string for each byte: the reply is awaited, also where nothing is optimised.
    let mut reply = format!("READ_CORE_RAM {at}");
    (start..start + len).for_each(|at| write!(reply, " {:02X}", ram_byte(at)).unwrap());
    reply + "\n"
}

fn read_all(network: &Network) -> Result<Vec<u8>, ReadError> {
    let mut ram = vec![0xEE; 0x1_0000];
    network.read_exact(HostAddr(0), &mut ram).map(|()| ram)
}

#[test]
fn all_of_ram_is_read_in_chunks_that_fit_a_datagram() {
    let server = Server::start(|request, _| {
        let len: usize = request.rsplit(' ').next().unwrap().parse().unwrap();
        if len > 20_000 { vec![] } else { vec![fake_reply(request)] } // longer replies are lost
    });
    let ram = read_all(&server.network()).unwrap();
    assert!(ram.iter().enumerate().all(|(at, byte)| *byte == ram_byte(at)));
    let mut some = [0; 3];
    server.network().read_exact(HostAddr(0xFFFD), &mut some).unwrap();
    assert_eq!(some, [ram_byte(0xFFFD), ram_byte(0xFFFE), ram_byte(0xFFFF)]);
}

#[test]
fn lost_replies_are_requested_again() {
    let server =
        Server::start(|request, number| if number % 3 == 1 { vec![] } else { vec![fake_reply(request)] });
    let ram = read_all(&server.network()).unwrap();
    assert!(ram.iter().enumerate().all(|(at, byte)| *byte == ram_byte(at)));
}

#[test]
fn a_reply_to_another_request_is_ignored() {
    let server = Server::start(|request, _| {
        let other = [
            "GET_STATUS PLAYING x,y,crc32=0",
            "READ_CORE_RAM 10 FF FF",
            "READ_CORE_RAM 0 FF",
            "noise",
            "\u{fffd}",
        ];
        let mut replies: Vec<String> = other.map(str::to_owned).to_vec();
        replies.push(fake_reply(request));
        replies
    });
    let mut some = [0; 4];
    server.network().read_exact(HostAddr(0), &mut some).unwrap();
    assert_eq!(some, [ram_byte(0), ram_byte(1), ram_byte(2), ram_byte(3)]);
}

#[test]
fn a_late_reply_is_not_used_for_the_next_request() {
    // The first reply comes after the timeout, with old bytes.
    let server = Server::start(|request, number| {
        if number == 0 {
            std::thread::sleep(REPLY_TIMEOUT + Duration::from_millis(60));
            return vec!["READ_CORE_RAM 0 FF FF\n".into()];
        }
        vec![fake_reply(request)]
    });
    let mut some = [0; 2];
    server.network().read_exact(HostAddr(0), &mut some).unwrap();
    assert_eq!(some, [ram_byte(0), ram_byte(1)]);
}

#[test]
fn refusals_timeouts_and_the_end_of_ram_are_errors_and_leave_no_old_bytes() {
    let server = Server::start(|request, _| {
        if request.starts_with("READ_CORE_RAM") { vec!["READ_CORE_RAM 0 -1\n".into()] } else { vec![] }
    });
    let mut some = [0xEE; 4];
    let error = server.network().read_exact(HostAddr(0), &mut some).unwrap_err().to_string();
    assert!(error.contains("cannot read this core's RAM"), "{error}");
    assert_eq!(some, [0; 4]);
    assert!(matches!(
        server.network().read_exact(HostAddr(0xFFFE), &mut some),
        Err(ReadError::NotMapped { .. })
    ));
    let error = server.network().status().unwrap_err();
    assert!(error.contains("did not reply"), "{error}");
    // A port on which nobody listens.
    let unused = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let error = Network::new(Pid(1), unused, 16).unwrap().status().unwrap_err();
    assert!(error.contains("nothing listens") || error.contains("did not reply"), "{error}");
}

#[test]
fn the_status_names_core_and_game() {
    let playing = status("GET_STATUS PLAYING Genesis Plus GX,tsu,crc32=34b61d2e\n").unwrap();
    assert_eq!(
        playing,
        NetworkStatus { playing: true, core: Some("Genesis Plus GX".into()), content: Some("tsu".into()) }
    );
    assert!(!status("GET_STATUS PAUSED Genesis Plus GX,tsu,crc32=0").unwrap().playing);
    let nothing = status("GET_STATUS CONTENTLESS").unwrap();
    assert_eq!(nothing, NetworkStatus { playing: false, core: None, content: None });
    assert_eq!(status("VERSION 1"), None);
}

#[test]
fn the_port_comes_from_the_configuration_with_precedence() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let main = file("main.cfg", "network_cmd_enable = \"true\"\nnetwork_cmd_port = \"5000\"\n");
    let more = file("more.cfg", "network_cmd_port=\"6000\"\n");
    let bare = file("bare.cfg", "video_driver = \"null\"\n");
    let of = |words: &[&str]| {
        port(&ProcessInfo {
            pid: Pid(1),
            name: "retroarch".into(),
            exe: None,
            command: words.iter().map(|word| (*word).to_owned()).collect(),
            started: 0,
            user: None,
            parent: None,
        })
    };
    assert_eq!(of(&["retroarch", "-c", &main]), 5000);
    assert_eq!(of(&["retroarch", "--config", &main, "--appendconfig", &format!("{bare}|{more}")]), 6000);
    assert_eq!(of(&["retroarch", &format!("--config={main}"), &format!("--appendconfig={bare}")]), 5000);
    assert_eq!(of(&["retroarch", "--config", &bare]), PORT);
    assert_eq!(of(&["retroarch", "--config"]), of(&["retroarch"]));
}

#[test]
fn the_owner_of_a_port_is_determined() {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = socket.local_addr().unwrap().port();
    let ours = owns_port(Pid(std::process::id()), port);
    drop(socket);
    if let Some(ours) = ours {
        assert!(ours);
        assert_eq!(owns_port(Pid(std::process::id()), port), Some(false));
    }
}

proptest! {
    #[test]
    fn no_reply_causes_a_panic(reply in "\\PC{0,80}", tail in "[0-9A-F -]{0,40}") {
        let _ = (ram_reply(&reply), status(&reply));
        let _ = (ram_reply(&format!("READ_CORE_RAM {tail}")), status(&format!("GET_STATUS {tail}")));
    }
}

#[test]
fn distant_parts_are_requested_at_once() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = Server::start(move |request, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        vec![fake_reply(request)]
    });
    let network = Network::new(Pid(1), server.port, 0x40_0000).unwrap();
    let (mut one, mut two, mut three) = ([0; 4], [0; 352], [0; 4]);
    network
        .read_each(&mut [
            (HostAddr(0), &mut one),
            (HostAddr(0x3F_FE00), &mut two),
            (HostAddr(0x3F_FFFC), &mut three),
        ])
        .unwrap();
    assert!((0..4).all(|at| one[at] == ram_byte(at) && three[at] == ram_byte(0x3F_FFFC + at)));
    assert!((0..352).all(|at| two[at] == ram_byte(0x3F_FE00 + at)));
    assert_eq!(count.load(Ordering::Relaxed), 3);
    let past = network.read_each(&mut [(HostAddr(0), &mut one), (HostAddr(0x3F_FFFD), &mut three)]);
    assert!(matches!(past, Err(ReadError::NotMapped { .. })));
    assert_eq!((one, three), ([0; 4], [0; 4]));
}

#[test]
fn more_is_read_than_the_socket_buffer_can_take_at_once() {
    let server = Server::start(|request, _| vec![fake_reply(request)]);
    let network = Network::new(Pid(1), server.port, 0x8_0000).unwrap();
    let mut ram = vec![0; 0x8_0000];
    network.read_exact(HostAddr(0), &mut ram).unwrap();
    assert!(ram.iter().enumerate().all(|(at, byte)| *byte == ram_byte(at)));
}
