//! The script of `serve --companion` in the real FCEUX: what it draws in each frame is what it read, and the console then deals it.

use crate::emulators::session::{STARTED, present};
use crate::emulators::{Kind, NesConfig, Running};
use crate::waiting::{PATIENCE, within};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A `serve` that is killed when the test fails.
struct Serve(Child);

impl Serve {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_nextscope"))
            .current_dir(folder)
            .args(["serve", "--port", "0", "--file", "players.txt", "--companion", "companion.lua"])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }

    /// Ctrl+C.
    fn interrupt(mut self) {
        let pid = nix::unistd::Pid::from_raw(self.0.id().cast_signed());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A frame of the log (see `companion.lua`).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Frame {
    number: u64,
    /// The time of the script's clock.
    second: u64,
    /// Pieces that came into play so far.
    dealt: u64,
    current: Option<char>,
    /// What the script read last; empty without a file.
    content: String,
    drawn: Vec<String>,
}

/// The piece of an orientation in which pieces spawn.
fn piece(orientation: &str) -> Option<char> {
    let pieces = [(0x02, 'T'), (0x07, 'J'), (0x08, 'Z'), (0x0A, 'O'), (0x0B, 'S'), (0x0E, 'L'), (0x12, 'I')];
    let orientation: u8 = orientation.parse().unwrap();
    pieces.iter().find(|(spawned, _)| *spawned == orientation).map(|(_, piece)| *piece)
}

impl Frame {
    fn parse(line: &str) -> Self {
        let [number, second, dealt, current, content, drawn] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line:?}")
        };
        Self {
            number: number.parse().unwrap(),
            second: second.parse().unwrap(),
            dealt: dealt.parse().unwrap(),
            current: piece(current),
            content: content.replace('|', "\n"),
            drawn: drawn.split(';').filter(|it| !it.is_empty()).map(str::to_owned).collect(),
        }
    }

    /// The state that is drawn in words; `live` is not.
    fn status(&self) -> &str {
        let status = self.drawn.first().and_then(|it| it.strip_prefix("text 3 10 Nextscope: "));
        status.map_or("live", |it| it.strip_suffix(" #FFFFFF #000000").expect("white on black"))
    }

    fn word(&self) -> Option<&str> {
        Some(self.content.strip_prefix("Nextscope: ")?.lines().next()?.trim_end())
    }

    /// The current piece and the coming ones of the only player.
    fn player(&self) -> Option<(&str, Vec<&str>)> {
        let (current, coming) = self.content.lines().nth(1)?.split_once(": ")?.1.split_once(" > ")?;
        Some((current, coming.split(' ').filter(|item| *item != "-").collect()))
    }

    /// Asserts that what is drawn is what the script read, and grey where it is not current.
    fn verify(&self) {
        let status = self.status();
        let has_players = match status {
            "live" | "paused" | "replaying" => {
                assert_eq!(Some(status), self.word(), "{self:?}");
                true
            }
            "waiting" | "stopped" => false,
            "no file players.txt" => {
                assert_eq!(self.content, "", "{self:?}");
                false
            }
            other => {
                assert_eq!(Some(other), self.word(), "{self:?}");
                false
            }
        };
        let mut expected = Vec::new();
        for (line, x) in self.content.lines().skip(1).zip([3, 242]).filter(|_| has_players) {
            let mut y = 24;
            for item in line.split_once(" > ").unwrap().1.split(' ').filter(|item| *item != "-").take(6) {
                for letter in item.chars().rev() {
                    let fill = if status == "live" { color(letter) } else { "#808080" };
                    expected.push(format!("box {x} {y} {} {} {fill} #000000", x + 10, y + 10));
                    expected.push(format!("text {} {} {letter} #000000 clear", x + 3, y + 2));
                    y += 11;
                }
                y += 4;
            }
        }
        let pieces = &self.drawn[usize::from(status != "live")..];
        assert_eq!(pieces, expected, "{self:?}");
    }
}

fn color(letter: char) -> &'static str {
    match letter {
        'R' | 'Z' => "#D55E00",
        'Y' | 'O' => "#F0E442",
        'G' | 'S' => "#009E73",
        'P' | 'T' => "#CC79A7",
        'B' | 'J' => "#0072B2",
        'I' => "#56B4E9",
        'L' => "#E69F00",
        other => panic!("{other}"),
    }
}

/// FCEUX with the companion script, and the frames that it logged so far.
struct Screen {
    folder: tempfile::TempDir,
    emulator: Running,
    log: File,
    /// The beginning of a line that is not complete.
    rest: String,
    frames: Vec<Frame>,
}

impl Screen {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let constant = |name, path: &Path| format!("local {name} = {:?}\n", path.to_str().unwrap());
        let constants = constant("COMPANION", &path("companion.lua")) + &constant("LOG", &path("log.txt"));
        std::fs::write(path("log.lua"), constants + include_str!("companion.lua")).unwrap();
        std::fs::write(path("log.txt"), "").unwrap();
        let log = File::open(path("log.txt")).unwrap();
        let config = NesConfig { frames_per_deal: 30, pieces_per_game: 5000, ..NesConfig::default() };
        let script = path("log.lua");
        let emulator = Kind::Fceux.start_with(&config.rom(), &[OsStr::new("--loadlua"), script.as_os_str()]);
        Self { folder, emulator, log, rest: String::new(), frames: Vec::new() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// The last frame so far.
    fn update(&mut self) -> Option<&Frame> {
        self.log.read_to_string(&mut self.rest).unwrap();
        let complete = self.rest.rfind('\n').map_or(0, |end| end + 1);
        self.frames.extend(self.rest.drain(..complete).collect::<String>().lines().map(Frame::parse));
        self.frames.last()
    }

    fn wait(&mut self, what: &str, limit: Duration, holds: impl Fn(&Frame) -> bool) {
        let found = within(limit, || self.update().is_some_and(&holds).then_some(()));
        assert!(found.is_some(), "{what}: not within {limit:?}: {:?}", self.frames.last());
    }

    fn shows(&mut self, status: &str) {
        self.wait(status, PATIENCE, |frame| frame.status() == status);
    }
}

/// How many pieces late a drawn piece may be: on a busy machine `serve` may not run for a while, and after five seconds the script notices.
const MOST_LATE: u64 = 10;

/// The number of frames with the piece that the console deals next, and of the pieces that these were.
fn verify_predictions(frames: &[Frame]) -> (usize, usize) {
    let mut dealt = BTreeMap::new();
    for frame in frames {
        dealt.entry(frame.dealt).or_insert(frame.current);
    }
    let last = frames.last().unwrap().dealt;
    let (mut exact, mut late) = (Vec::new(), 0);
    for frame in frames.iter().filter(|frame| frame.status() == "live" && frame.dealt < last) {
        let Some((current, coming)) = frame.player() else { continue };
        let [next] = coming[..] else { continue };
        let follows = |number: u64| {
            [(number, current), (number + 1, next)].iter().all(|(number, shown)| {
                dealt.get(number).copied().flatten().is_some_and(|it| it.to_string() == *shown)
            })
        };
        if follows(frame.dealt) {
            exact.push(frame.dealt);
        } else {
            let mut before = (frame.dealt.saturating_sub(MOST_LATE)..frame.dealt).rev();
            assert!(before.any(follows), "not what was dealt: {frame:?}");
            late += 1;
        }
    }
    let count = exact.len();
    exact.dedup();
    println!("{count} frames showed the next piece of {}, {late} an earlier one", exact.len());
    (count, exact.len())
}

#[test]
fn the_companion_draws_in_fceux_what_the_console_then_deals() {
    if present(&[Kind::Fceux]).is_empty() {
        return;
    }
    let mut screen = Screen::start();

    // The pieces of the game that runs in it.
    let pid = screen.emulator.pid().to_string();
    let serve = Serve::start(&screen.path(), &["--pid", &pid]);
    screen.wait("pieces", STARTED, |frame| frame.status() == "live" && frame.drawn.len() == 2);
    let first = screen.frames.last().unwrap().number;
    screen.wait("many pieces", STARTED, |frame| frame.number >= first + 600);
    serve.interrupt();
    screen.shows("stopped");
    let (exact, pieces) = verify_predictions(&screen.frames);
    assert!(exact >= 300 && pieces >= 10, "{exact} frames, {pieces} pieces");

    // Pairs of two players, of a `serve` that is killed: the file does not change any more.
    let serve = Serve::start(&screen.path(), &["--demo"]);
    screen
        .wait("pairs of both players", PATIENCE, |frame| frame.status() == "live" && frame.drawn.len() == 48);
    drop(serve);
    screen.shows("stopped");
    let stopped = screen.frames.last().unwrap();
    assert_eq!((stopped.word(), stopped.drawn.len()), (Some("live"), 1), "{stopped:?}");
    let changed = screen.frames.iter().rev().find(|frame| frame.content != stopped.content).unwrap();
    let seconds = stopped.second - changed.second;
    assert!((5..=10).contains(&seconds), "{seconds} seconds after the last change");

    // A recording is grey.
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/samples/sample.nsrec");
    let serve = Serve::start(&screen.path(), &["--replay", recording.to_str().unwrap()]);
    screen.wait("the recording", PATIENCE, |frame| frame.status() == "replaying" && frame.drawn.len() > 20);
    serve.interrupt();
    screen.shows("stopped");
    std::fs::remove_file(screen.path().join("players.txt")).unwrap();
    screen.shows("no file players.txt");

    for frame in &screen.frames {
        frame.verify();
    }
    // The script runs twice in the frame in which the console is switched on.
    let on = screen.frames.iter().take_while(|frame| frame.number == 0).count();
    let gap = screen.frames[on..].windows(2).find(|two| two[1].number != two[0].number + 1);
    assert!(gap.is_none(), "not in every frame: {gap:?}");
    println!("{} frames showed what the script read", screen.frames.len());
}
