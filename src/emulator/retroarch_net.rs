//! RetroArch's network commands: a second way to the core's RAM when the process may not be read.
//!
//! UDP, text, off by default, loopback only here. `READ_CORE_RAM <hex offset> <decimal length>` answers
//! `READ_CORE_RAM <hex offset> AA BB ...`, in the core's own byte order, or `-1` without a reason. Measured traps: an answer above some
//! 21,800 bytes is lost without a word; the length is not checked against the end of RAM; answers come once a
//! frame, may be lost, and may be late, so that one for an earlier request arrives in place of the one awaited.

use crate::console::Memory;
use crate::file::read_regular;
use crate::process::{HostAddr, Pid, ProcessInfo, ReadError};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// RetroArch's default port.
const PORT: u16 = 55355;
/// Bytes asked for in one request: a safe part of what one answer can carry.
const REQUEST_MOST: usize = 16 * 1024;
/// Bytes asked for at once: Linux keeps 208 KiB of answers for a socket by default (`net.core.rmem_default`), and each byte takes
/// three characters.
const AT_ONCE_MOST: usize = 4 * REQUEST_MOST;
/// Bytes of a configuration file at most; RetroArch's own has some 130,000.
const CONFIG_LIMIT: u64 = 4 << 20;
/// Requests sent at once.
const REQUESTS_MOST: usize = 64;
/// How long an answer is waited for. RetroArch looks for requests once a frame, also while paused.
const ANSWER_WITHIN: Duration = Duration::from_millis(120);
/// Times a request is sent.
const TRIES: usize = 3;
/// Three characters a byte and the words in front.
const ANSWER_MOST: usize = REQUEST_MOST * 3 + 64;

/// What RetroArch runs, by its own account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Status {
    /// Whether the game runs, and is not paused.
    pub playing: bool,
    /// "Genesis Plus GX"; None when no game is loaded.
    pub core: Option<String>,
    /// The game file's name without folder and ending.
    pub content: Option<String>,
}

/// What RetroArch answers, one datagram of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// To `READ_CORE_RAM`.
    Ram {
        /// The offset that was asked for.
        at: u64,
        /// The bytes; None when RetroArch says -1.
        bytes: Option<Vec<u8>>,
    },
    /// To `GET_STATUS`.
    Status(Status),
}

impl Answer {
    /// Reads a datagram; None when it is no answer of these.
    #[must_use]
    pub fn read(datagram: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(datagram).ok()?;
        let ram = || ram_answer(text).map(|(at, bytes)| Self::Ram { at, bytes });
        status(text).map(Self::Status).or_else(ram)
    }
}

/// The core's main RAM as RetroArch gives it; address 0 is its first byte.
#[derive(Debug)]
pub(super) struct Network {
    pid: Pid,
    port: u16,
    len: u64,
    socket: Mutex<UdpSocket>,
}

impl Network {
    /// Gets ready to ask for the first `len` bytes of the core's RAM. Sends nothing.
    pub fn new(pid: Pid, port: u16, len: u32) -> Result<Self, String> {
        let socket = fresh(port).map_err(|error| format!("no socket: {error}"))?;
        Ok(Self { pid, port, len: len.into(), socket: Mutex::new(socket) })
    }

    /// What runs.
    pub fn status(&self) -> Result<Status, String> {
        let answers = self.ask(&["GET_STATUS".to_owned()], |answer| match answer {
            Answer::Status(status) => Some((0, status)),
            Answer::Ram { .. } => None,
        })?;
        answers.into_iter().flatten().next().ok_or_else(|| "no answer to GET_STATUS".into())
    }

    /// Sends the requests and waits until each has its answer. `understand` gives the number of the request that
    /// an answer belongs to, or None when it belongs to none.
    fn ask<T>(
        &self,
        requests: &[String],
        understand: impl Fn(Answer) -> Option<(usize, T)>,
    ) -> Result<Vec<Option<T>>, String> {
        let mut socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let mut answers: Vec<Option<T>> = requests.iter().map(|_| None).collect();
        let mut buf = vec![0; ANSWER_MOST];
        for attempt in 0..TRIES {
            if attempt > 0 {
                // Late answers go to the old socket's port and cannot be taken for those to come.
                *socket = fresh(self.port).map_err(|error| format!("no socket: {error}"))?;
            }
            for (request, _) in requests.iter().zip(&answers).filter(|(_, answer)| answer.is_none()) {
                socket.send(request.as_bytes()).map_err(|error| silent(self.port, &error))?;
            }
            let deadline = Instant::now() + ANSWER_WITHIN;
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
                    Err(error) => return Err(silent(self.port, &error)),
                };
                if let Some((number, value)) = Answer::read(&buf[..len]).and_then(&understand)
                    && let Some(slot) = answers.get_mut(number)
                {
                    *slot = Some(value);
                }
                if answers.iter().all(Option::is_some) {
                    return Ok(answers);
                }
            }
        }
        Err(format!("RetroArch did not answer on UDP port {} (are its network commands on?)", self.port))
    }

    /// Reads all parts, several in one frame as far as their answers fit.
    fn read(&self, parts: &mut [(HostAddr, &mut [u8])]) -> Result<(), String> {
        let mut pieces: Vec<(u64, &mut [u8])> = Vec::new();
        for (addr, buf) in parts {
            let offsets = (addr.0..).step_by(REQUEST_MOST);
            pieces.extend(offsets.zip(buf.chunks_mut(REQUEST_MOST)));
        }
        let mut rest = &mut pieces[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|(_, piece)| {
                bytes += piece.len();
                bytes <= AT_ONCE_MOST
            });
            let count = fits.take(REQUESTS_MOST).count().max(1);
            let (now, later) = rest.split_at_mut(count);
            self.read_pieces(now)?;
            rest = later;
        }
        Ok(())
    }

    fn read_pieces(&self, pieces: &mut [(u64, &mut [u8])]) -> Result<(), String> {
        let requests: Vec<String> =
            pieces.iter().map(|(at, piece)| format!("READ_CORE_RAM {at:x} {}\n", piece.len())).collect();
        let answers = self.ask(&requests, |answer| {
            let Answer::Ram { at, bytes } = answer else { return None };
            let number = pieces.iter().position(|(from, piece)| {
                *from == at && bytes.as_ref().is_none_or(|bytes| bytes.len() == piece.len())
            })?;
            Some((number, bytes))
        })?;
        for ((at, piece), answer) in pieces.iter_mut().zip(answers) {
            let bytes = answer.flatten().ok_or_else(|| {
                format!(
                    "RetroArch has no RAM to show for this core at {at:#x}, or was built without achievements, which \
                     READ_CORE_RAM needs"
                )
            })?;
            piece.copy_from_slice(&bytes);
        }
        Ok(())
    }
}

impl Memory for Network {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        self.read_each(&mut [(addr, buf)])
    }

    /// All parts in one frame, as a rule: answers come once a frame.
    fn read_each(&self, parts: &mut [(HostAddr, &mut [u8])]) -> Result<(), ReadError> {
        // RetroArch gives whatever stands behind its RAM; the end is ours to mind.
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

fn fresh(port: u16) -> std::io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.connect((Ipv4Addr::LOCALHOST, port))?; // answers of others are not received
    Ok(socket)
}

fn silent(port: u16, error: &std::io::Error) -> String {
    if error.kind() == ErrorKind::ConnectionRefused {
        format!(
            "nothing listens on UDP port {port}; switch on Settings > Network > Network Commands in RetroArch \
             (network_cmd_enable = \"true\")"
        )
    } else {
        format!("UDP port {port}: {error}")
    }
}

/// The offset and bytes of an answer to `READ_CORE_RAM`; no bytes when RetroArch says -1.
fn ram_answer(answer: &str) -> Option<(u64, Option<Vec<u8>>)> {
    let mut words = answer.strip_prefix("READ_CORE_RAM ")?.split_ascii_whitespace();
    let at = u64::from_str_radix(words.next()?, 16).ok()?;
    let rest: Vec<&str> = words.collect();
    if rest.first() == Some(&"-1") {
        return Some((at, None));
    }
    let byte = |word: &&str| (word.len() == 2).then(|| u8::from_str_radix(word, 16).ok()).flatten();
    Some((at, Some(rest.iter().map(byte).collect::<Option<_>>()?)))
}

/// `GET_STATUS PLAYING Genesis Plus GX,game,crc32=34b61d2e`, `GET_STATUS PAUSED ...` or `GET_STATUS CONTENTLESS`.
fn status(answer: &str) -> Option<Status> {
    let rest = answer.strip_prefix("GET_STATUS ")?.trim_end();
    let (state, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut parts = rest.split(',').map(str::to_owned).filter(|part| !part.is_empty());
    Some(Status { playing: state == "PLAYING", core: parts.next(), content: parts.next() })
}

/// The port on which a RetroArch listens: from the configuration files that its command line names, from the
/// user's own, or the default.
pub(super) fn port(info: &ProcessInfo) -> u16 {
    let configured = configs(&info.command).into_iter().find_map(|path| {
        let text = String::from_utf8(read_regular(&path, CONFIG_LIMIT).ok()?).ok()?;
        setting(&text, "network_cmd_port")?.parse().ok()
    });
    configured.unwrap_or(PORT)
}

/// Configuration files, the one that counts first: `--appendconfig` is read on top of `--config`, and that in place
/// of the user's own.
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

/// Whether the process itself holds the UDP port on this machine, where the system tells: two RetroArch may run,
/// and only one of them has the port. `/proc/net/udp` lists ports with the numbers of their sockets, `/proc/PID/fd`
/// the sockets of a process (proc(5)).
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
