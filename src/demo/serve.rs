//! The embedded console's process: it keeps time, listens to its standard input, and never prints RAM.

use super::DemoError;
use super::console::{CLOCKS_PER_FRAME, Console, MASTER_CLOCK_HZ};
use super::options::{Options, read_rom, speed};
use super::pads::Buttons;
use super::script::Playback;
use crate::console::StorageOrder;
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::{Duration, Instant};

/// How often to look whether the parent still lives, and the longest sleep.
const PARENT_CHECK: Duration = Duration::from_millis(500);

/// How far the console may fall behind its time before what was missed is let go (a machine that slept).
const FORGIVEN: Duration = Duration::from_millis(250);

/// Frames that a change of buttons lasts at least. The cartridge reads its controller once a pass, and one that
/// generates a round takes two to three frames.
const FRAMES_PER_PRESS: u32 = 4;

/// A line of standard input.
#[derive(Debug, Clone, PartialEq)]
enum Command {
    Press(Buttons),
    Reset,
    /// Off and on again, with this ROM or the first one.
    Load(Option<PathBuf>),
    Pause,
    Resume,
    Speed(f64),
    Quit,
}

impl Command {
    fn parse(line: &str) -> Result<Self, String> {
        let (name, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match name {
            "press" => match rest.parse()? {
                Buttons::NONE => Err("press wants a button".into()),
                buttons => Ok(Self::Press(buttons)),
            },
            "release" => Ok(Self::Press(Buttons::NONE)),
            "reset" => Ok(Self::Reset),
            "load" => Ok(Self::Load(Some(rest.trim()).filter(|file| !file.is_empty()).map(PathBuf::from))),
            "pause" => Ok(Self::Pause),
            "resume" => Ok(Self::Resume),
            "speed" => Ok(Self::Speed(speed(rest.trim())?)),
            "quit" => Ok(Self::Quit),
            _ => Err(format!(
                "`{name}` is no command; there are press, release, reset, load, pause, resume, speed, quit"
            )),
        }
    }
}

/// Runs the embedded console until standard input closes, `quit` is read there, or the parent has ended.
///
/// Commands come a line each: `press BUTTON...` (and no others), `release`, `reset`, `load` (off and on again),
/// `load FILE` (the same with another ROM; a plain `load` brings the first one back), `pause`, `resume`,
/// `speed X`, `quit`. While a script from [`Options::input`] is played, presses wait; after a reset and a load it begins again.
/// Standard output gets one line, `ready PID`; what is wrong goes to standard error.
///
/// # Errors
/// A ROM that cannot be run, or a system call that failed before the console ran.
pub fn serve(options: &Options) -> Result<(), DemoError> {
    let mut console = options.console()?;
    let script = options.script()?;
    let begin = || script.as_ref().map(Playback::new);
    let mut played = begin();
    let parent = parent();
    let commands = listen()?;
    {
        let mut out = std::io::stdout().lock();
        writeln!(out, "ready {}", std::process::id())?;
        out.flush()?;
    }
    let mut pace = Pace::new(options.speed);
    let mut presses = Presses::default();
    let mut paused = false;
    let mut other_rom = false;
    let mut halt_said = false;
    let mut checked = Instant::now();
    loop {
        let now = Instant::now();
        if now.duration_since(checked) >= PARENT_CHECK {
            checked = now;
            if self::parent() != parent {
                return Ok(());
            }
        }
        let wait = if paused { PARENT_CHECK } else { pace.until_next(now).min(PARENT_CHECK) };
        let command = if wait.is_zero() {
            commands.try_recv().map_err(|error| error == TryRecvError::Disconnected)
        } else {
            commands.recv_timeout(wait).map_err(|error| error == RecvTimeoutError::Disconnected)
        };
        match command {
            Err(true) | Ok(Command::Quit) => return Ok(()),
            Err(false) if !paused && pace.due(Instant::now()) => {
                match &mut played {
                    Some(script) => script.frame(&mut console),
                    None => presses.frame(&mut console),
                }
                played = played.filter(|script| !script.is_over());
                console.run_frame();
                if let Some(halt) = console.halted().filter(|_| !halt_said) {
                    complain(&halt.to_string());
                    halt_said = true;
                }
            }
            Err(false) => {}
            Ok(Command::Press(buttons)) => presses.next.push_back(buttons),
            Ok(Command::Reset) => {
                console.reset();
                played = begin();
            }
            Ok(Command::Load(None)) if !other_rom => {
                console.power_cycle();
                played = begin();
            }
            Ok(Command::Load(file)) => {
                let loaded =
                    file.as_deref().map_or_else(|| options.console(), |path| load(path, options.order));
                match loaded {
                    Ok(loaded) => {
                        (console, other_rom) = (loaded, file.is_some());
                        played = begin().filter(|_| !other_rom);
                    }
                    Err(error) => complain(&error.to_string()),
                }
            }
            Ok(Command::Pause) => paused = true,
            Ok(Command::Resume) => {
                paused = false;
                pace = Pace::new(pace.speed);
            }
            Ok(Command::Speed(speed)) => pace = Pace::new(speed),
        }
        halt_said &= console.halted().is_some();
    }
}

/// A console with another ROM, as it is: the settings of [`Options`] are for the first one.
fn load(path: &Path, order: StorageOrder) -> Result<Console, DemoError> {
    let rom = read_rom(path)?;
    Ok(Console::with_order(rom, order)?)
}

/// The commands as they come; the channel ends when standard input does.
fn listen() -> std::io::Result<Receiver<Command>> {
    let (send, commands) = channel();
    std::thread::Builder::new().name("commands".into()).spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            match Command::parse(&line) {
                Ok(command) => {
                    if send.send(command).is_err() {
                        return;
                    }
                }
                Err(error) => complain(&error),
            }
        }
    })?;
    Ok(commands)
}

/// A line on standard error, if anybody listens there: a parent that has ended does not.
fn complain(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// Who started this process. When that ends, somebody else takes its place.
fn parent() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    // Elsewhere the end of standard input is the sign.
    #[cfg(not(unix))]
    None
}

/// When frames are due. Each deadline follows from the one before it, so that no error adds up.
struct Pace {
    speed: f64,
    period: Duration,
    next: Instant,
    /// What was missed is made up for at twice the pace at most: no two frames in one moment, as on a screen.
    not_before: Instant,
}

impl Pace {
    fn new(speed: f64) -> Self {
        let frames_per_second = f64::from(MASTER_CLOCK_HZ) / f64::from(CLOCKS_PER_FRAME) * speed;
        let period =
            if speed > 0.0 { Duration::from_secs_f64(1.0 / frames_per_second) } else { Duration::ZERO };
        let now = Instant::now();
        Self { speed, period, next: now, not_before: now }
    }

    fn until_next(&self, now: Instant) -> Duration {
        self.next.max(self.not_before).saturating_duration_since(now)
    }

    /// Whether a frame is due, which then is taken as run.
    fn due(&mut self, now: Instant) -> bool {
        if now < self.next.max(self.not_before) {
            return false;
        }
        if now.duration_since(self.next) > FORGIVEN {
            self.next = now;
        }
        self.next += self.period;
        self.not_before = now + self.period / 2;
        true
    }
}

/// Buttons that wait for their turn, so that a short press is not lost between two frames.
#[derive(Default)]
struct Presses {
    next: VecDeque<Buttons>,
    frames_left: u32,
}

impl Presses {
    fn frame(&mut self, console: &mut Console) {
        self.frames_left = self.frames_left.saturating_sub(1);
        if self.frames_left == 0
            && let Some(buttons) = self.next.pop_front()
        {
            console.press(buttons);
            self.frames_left = FRAMES_PER_PRESS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_lines() {
        for (line, expected) in [
            ("press a", Command::Press(Buttons::A)),
            ("press b start\r", Command::Press(Buttons::B | Buttons::START)),
            ("release", Command::Press(Buttons::NONE)),
            (" speed 2.5 ", Command::Speed(2.5)),
            ("quit", Command::Quit),
        ] {
            assert_eq!(Command::parse(line), Ok(expected), "{line}");
        }
        for line in ["", "press", "press d", "speed", "speed fast", "stop"] {
            Command::parse(line).expect_err(line);
        }
    }

    #[test]
    fn deadlines_do_not_drift_and_a_long_sleep_is_forgiven() {
        let mut pace = Pace::new(1.0);
        let start = pace.next;
        let half = pace.period / 2;
        // Ten frames late: they are made up for, one every half frame and never two at once.
        let mut now = start + pace.period * 10;
        for _ in 0..20 {
            assert!(pace.due(now), "what was missed for a short while is made up for");
            assert!(!pace.due(now), "two frames in one moment");
            now += half;
        }
        assert_eq!(pace.next, start + pace.period * 20, "and then the old deadlines hold again");
        let late = now + Duration::from_secs(60);
        assert!(pace.due(late));
        assert!(pace.next > late, "what was missed for a minute is not");
        assert!(!pace.due(late));
        assert!((pace.period.as_secs_f64() * 59.922_74 - 1.0).abs() < 1e-6);
    }
}
