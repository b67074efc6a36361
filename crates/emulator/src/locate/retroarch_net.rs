//! RetroArch's network commands: a second way to read the core's RAM if the process may not be read.
//!
//! A text protocol over UDP, off by default; used on loopback only. The reply to `READ_CORE_RAM <hex offset> <decimal length>` is
//! `READ_CORE_RAM <hex offset> AA BB ...`, in the core's own byte order, or `-1` without a reason. Measured pitfalls: a reply above some
//! 21,800 bytes is lost silently; the length is not checked against the end of RAM; replies come once a frame, may be lost, and may be
//! late, so that the reply to an earlier request arrives instead of the expected one.

use crate::process::{HostAddr, Memory, Pid, ProcessInfo, ReadError};
use nextscope_file::read_regular;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const PORT: u16 = 55355;
/// The most bytes per request, safely below the limit of a reply.
const MAX_REQUEST: usize = 16 * 1024;
/// The most bytes requested at once: Linux buffers 208 KiB per socket by default (`net.core.rmem_default`), and each byte takes three
/// characters.
const MAX_BATCH_BYTES: usize = 4 * MAX_REQUEST;
/// The longest configuration file; RetroArch's own has some 130,000 bytes.
const CONFIG_LIMIT: u64 = 4 << 20;
/// The most requests sent at once.
const MAX_BATCH_REQUESTS: usize = 64;
/// The timeout for replies. RetroArch processes requests once a frame, even while paused.
const REPLY_TIMEOUT: Duration = Duration::from_millis(120);
const TRIES: usize = 3;
/// The longest reply: three characters per byte and the command.
const MAX_REPLY: usize = MAX_REQUEST * 3 + 64;

/// What RetroArch reports about the running game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkStatus {
    /// Whether the game is running and not paused.
    pub playing: bool,
    /// "Genesis Plus GX"; None if no game is loaded.
    pub core: Option<String>,
    /// The game file's name without folder and extension.
    pub content: Option<String>,
}

/// One reply datagram of RetroArch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetworkReply {
    /// To `READ_CORE_RAM`.
    Ram {
        /// The requested offset.
        at: u64,
        /// The bytes; None if RetroArch replied -1.
        bytes: Option<Vec<u8>>,
    },
    /// To `GET_STATUS`.
    NetworkStatus(NetworkStatus),
}

impl NetworkReply {
    /// Parses a datagram; None if it is no known reply.
    pub fn parse(datagram: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(datagram).ok()?;
        let ram = || ram_reply(text).map(|(at, bytes)| Self::Ram { at, bytes });
        status(text).map(Self::NetworkStatus).or_else(ram)
    }
}

/// The core's main RAM as RetroArch returns it; address 0 is its first byte.
#[derive(Debug)]
pub(super) struct Network {
    pid: Pid,
    port: u16,
    len: u64,
    socket: Mutex<UdpSocket>,
}

impl Network {
    /// Opens a socket to read the first `len` bytes of the core's RAM. Sends nothing.
    pub fn new(pid: Pid, port: u16, len: u32) -> Result<Self, String> {
        let socket = connect(port).map_err(|error| format!("no socket: {error}"))?;
        Ok(Self { pid, port, len: len.into(), socket: Mutex::new(socket) })
    }

    /// Queries what is running.
    pub fn status(&self) -> Result<NetworkStatus, String> {
        let replies = self.request(&["GET_STATUS".to_owned()], |reply| match reply {
            NetworkReply::NetworkStatus(status) => Some((0, status)),
            NetworkReply::Ram { .. } => None,
        })?;
        replies.into_iter().flatten().next().ok_or_else(|| "no reply to GET_STATUS".into())
    }

    /// Sends the requests and waits for all replies. `match_reply` returns the index of the request that a reply belongs to, if any.
    fn request<T>(
        &self,
        requests: &[String],
        match_reply: impl Fn(NetworkReply) -> Option<(usize, T)>,
    ) -> Result<Vec<Option<T>>, String> {
        let mut socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let mut replies: Vec<Option<T>> = requests.iter().map(|_| None).collect();
        let mut buf = vec![0; MAX_REPLY];
        for attempt in 0..TRIES {
            if attempt > 0 {
                // Late replies go to the old socket's port and cannot be mistaken for new ones.
                *socket = connect(self.port).map_err(|error| format!("no socket: {error}"))?;
            }
            for (request, _) in requests.iter().zip(&replies).filter(|(_, reply)| reply.is_none()) {
                socket.send(request.as_bytes()).map_err(|error| send_error(self.port, &error))?;
            }
            let deadline = Instant::now() + REPLY_TIMEOUT;
            while let Some(left) =
                deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
            {
                socket.set_read_timeout(Some(left)).map_err(|error| error.to_string())?;
                let len = match socket.recv(&mut buf) {
                    Ok(len) => len,
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                        break;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => return Err(send_error(self.port, &error)),
                };
                if let Some((number, value)) = NetworkReply::parse(&buf[..len]).and_then(&match_reply)
                    && let Some(slot) = replies.get_mut(number)
                {
                    *slot = Some(value);
                }
                if replies.iter().all(Option::is_some) {
                    return Ok(replies);
                }
            }
        }
        Err(format!("RetroArch did not reply on UDP port {} (are its network commands on?)", self.port))
    }

    /// Reads all parts, as many per frame as the socket's buffer can take.
    fn read(&self, parts: &mut [(HostAddr, &mut [u8])]) -> Result<(), String> {
        let mut chunks: Vec<(u64, &mut [u8])> = Vec::new();
        for (addr, buf) in parts {
            let offsets = (addr.0..).step_by(MAX_REQUEST);
            chunks.extend(offsets.zip(buf.chunks_mut(MAX_REQUEST)));
        }
        let mut rest = &mut chunks[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|(_, chunk)| {
                bytes += chunk.len();
                bytes <= MAX_BATCH_BYTES
            });
            let count = fits.take(MAX_BATCH_REQUESTS).count().max(1);
            let (now, later) = rest.split_at_mut(count);
            self.read_chunks(now)?;
            rest = later;
        }
        Ok(())
    }

    fn read_chunks(&self, chunks: &mut [(u64, &mut [u8])]) -> Result<(), String> {
        let requests: Vec<String> =
            chunks.iter().map(|(at, chunk)| format!("READ_CORE_RAM {at:x} {}\n", chunk.len())).collect();
        let replies = self.request(&requests, |reply| {
            let NetworkReply::Ram { at, bytes } = reply else { return None };
            let number = chunks.iter().position(|(from, chunk)| {
                *from == at && bytes.as_ref().is_none_or(|bytes| bytes.len() == chunk.len())
            })?;
            Some((number, bytes))
        })?;
        for ((at, chunk), reply) in chunks.iter_mut().zip(replies) {
            let bytes = reply.flatten().ok_or_else(|| {
                format!(
                    "RetroArch cannot read this core's RAM at {at:#x}, or was built without achievements, which READ_CORE_RAM \
                     needs"
                )
            })?;
            chunk.copy_from_slice(&bytes);
        }
        Ok(())
    }
}

impl Memory for Network {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        self.read_each(&mut [(addr, buf)])
    }

    /// Usually reads all parts in one frame: replies come once a frame.
    fn read_each(&self, parts: &mut [(HostAddr, &mut [u8])]) -> Result<(), ReadError> {
        // RetroArch does not check the end of RAM.
        let fits = |addr: HostAddr, len| addr.0.checked_add(len).is_some_and(|end| end <= self.len);
        let outside = parts.iter().find(|(addr, buf)| !fits(*addr, buf.len() as u64));
        let result = match outside {
            Some(&(addr, _)) => Err(ReadError::NotMapped { pid: self.pid, addr }),
            None => self.read(parts).map_err(|message| ReadError::System { pid: self.pid, message }),
        };
        if result.is_err() {
            parts.iter_mut().for_each(|(_, buf)| buf.fill(0));
        }
        result
    }
}

fn connect(port: u16) -> std::io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.connect((Ipv4Addr::LOCALHOST, port))?; // receives datagrams from this port only
    Ok(socket)
}

fn send_error(port: u16, error: &std::io::Error) -> String {
    if error.kind() == ErrorKind::ConnectionRefused {
        format!(
            "nothing listens on UDP port {port}; turn on Settings > Network > Network Commands in RetroArch \
             (network_cmd_enable = \"true\")"
        )
    } else {
        format!("UDP port {port}: {error}")
    }
}

/// The offset and bytes of a reply to `READ_CORE_RAM`; no bytes if RetroArch replied -1.
fn ram_reply(reply: &str) -> Option<(u64, Option<Vec<u8>>)> {
    let mut words = reply.strip_prefix("READ_CORE_RAM ")?.split_ascii_whitespace();
    let at = u64::from_str_radix(words.next()?, 16).ok()?;
    let rest: Vec<&str> = words.collect();
    if rest.first() == Some(&"-1") {
        return Some((at, None));
    }
    let byte = |word: &&str| (word.len() == 2).then(|| u8::from_str_radix(word, 16).ok()).flatten();
    Some((at, Some(rest.iter().map(byte).collect::<Option<_>>()?)))
}

/// `GET_STATUS PLAYING Genesis Plus GX,game,crc32=34b61d2e`, `GET_STATUS PAUSED ...` or `GET_STATUS CONTENTLESS`.
fn status(reply: &str) -> Option<NetworkStatus> {
    let rest = reply.strip_prefix("GET_STATUS ")?.trim_end();
    let (state, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut parts = rest.split(',').map(str::to_owned).filter(|part| !part.is_empty());
    Some(NetworkStatus { playing: state == "PLAYING", core: parts.next(), content: parts.next() })
}

/// The port that a RetroArch listens on: from the configuration files on its command line, from the user's own, or the default.
pub(super) fn port(info: &ProcessInfo) -> u16 {
    let configured = configs(&info.command).into_iter().find_map(|path| {
        let text = String::from_utf8(read_regular(&path, CONFIG_LIMIT).ok()?).ok()?;
        setting(&text, "network_cmd_port")?.parse().ok()
    });
    configured.unwrap_or(PORT)
}

/// The configuration files by precedence: `--appendconfig` overrides `--config`, which replaces the user's own.
fn configs(command: &[String]) -> Vec<PathBuf> {
    let value_of = |long: &str, short: Option<&str>| {
        command.iter().enumerate().find_map(|(at, word)| {
            let joined = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
            let alone = word == long || short.is_some_and(|short| word == short);
            joined.or_else(|| alone.then(|| command.get(at + 1).map(String::as_str)).flatten())
        })
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    if let Some(appended) = value_of("--appendconfig", None) {
        paths.extend(appended.split('|').rev().map(PathBuf::from));
    }
    if let Some(config) = value_of("--config", Some("-c")) {
        paths.push(config.into());
    } else if let Some(dirs) = directories::BaseDirs::new() {
        paths.push(dirs.config_dir().join("retroarch/retroarch.cfg"));
        paths.push(dirs.home_dir().join(".retroarch.cfg"));
        let flatpak = ".var/app/org.libretro.RetroArch/config/retroarch/retroarch.cfg";
        paths.push(dirs.home_dir().join(flatpak));
    }
    paths
}

/// The value of `name = "value"`.
fn setting<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches('"'))
    })
}

/// Whether the process owns the UDP port, if the system reveals it: of two running RetroArch only one has the port. `/proc/net/udp` lists
/// ports with their socket numbers, `/proc/PID/fd` the sockets of a process (proc(5)).
pub(super) fn owns_port(pid: Pid, port: u16) -> Option<bool> {
    let mut sockets = Vec::new();
    for table in ["udp", "udp6"] {
        let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/net/{table}")) else { continue };
        for line in text.lines().skip(1) {
            let mut words = line.split_ascii_whitespace();
            let local = words.nth(1).and_then(|local| local.rsplit_once(':'));
            let local = local.and_then(|(_, port)| u16::from_str_radix(port, 16).ok());
            if local == Some(port)
                && let Some(inode) = words.nth(7)
            {
                sockets.push(format!("socket:[{inode}]"));
            }
        }
    }
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let mut links = files.filter_map(Result::ok).filter_map(|entry| std::fs::read_link(entry.path()).ok());
    Some(links.any(|link| sockets.iter().any(|socket| link.as_os_str() == socket.as_str())))
}

#[cfg(test)]
#[path = "retroarch_net_tests.rs"]
mod tests;
