//! The embedded console's process: runs frames in real time and takes commands from standard input.

use super::DemoError;
use super::console::{CLOCKS_PER_FRAME, Console, MASTER_CLOCK_HZ};
use super::options::{DemoOptions, read_rom, speed};
use super::pads::Buttons;
use super::script::Playback;
use crate::console::StorageOrder;
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::{Duration, Instant};

/// How often to check that the parent is running; also the longest sleep.
const PARENT_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// If the console is further behind, frames are skipped (after the machine was suspended).
const MAX_LAG: Duration = Duration::from_millis(250);

/// The shortest duration of a change of buttons. The cartridge reads its controller once per pass of its main loop, and a pass that
/// generates a round takes two to three frames.
const FRAMES_PER_PRESS: u32 = 4;

/// A line of standard input.
#[derive(Debug, Clone, PartialEq)]
enum Command {
    Press(Buttons),
    Reset,
    /// Switch off and on again, with this ROM or the first one.
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
                Buttons::NONE => Err("press needs a button".into()),
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
                "unknown command `{name}`; use press, release, reset, load, pause, resume, speed or quit"
            )),
        }
    }
}

/// Runs the embedded console until standard input closes, `quit` is read there, or the parent has ended.
///
/// Commands, one per line: `press BUTTON...` (these buttons only), `release`, `reset`, `load` (off and on again), `load FILE` (the same
/// with another ROM; `load` without a file restores the first one), `pause`, `resume`, `speed X`, `quit`. Presses wait while a script from
/// [`DemoOptions::input`] is played; the script starts again after `reset` and `load`. Standard output gets one line, `ready PID`; errors
/// go to standard error.
///
/// # Errors
/// A ROM that cannot be run, or a system call that failed before the console ran.
pub fn serve(options: &DemoOptions) -> Result<(), DemoError> {
    let mut console = options.console()?;
    let script = options.script()?;
    let start_script = || script.as_ref().map(Playback::new);
    let mut playback = start_script();
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
    let mut halt_reported = false;
    let mut checked = Instant::now();
    loop {
        let now = Instant::now();
        if now.duration_since(checked) >= PARENT_CHECK_INTERVAL {
            checked = now;
            if self::parent() != parent {
                return Ok(());
            }
        }
        let wait =
            if paused { PARENT_CHECK_INTERVAL } else { pace.until_next(now).min(PARENT_CHECK_INTERVAL) };
        let command = if wait.is_zero() {
            commands.try_recv().map_err(|error| error == TryRecvError::Disconnected)
        } else {
            commands.recv_timeout(wait).map_err(|error| error == RecvTimeoutError::Disconnected)
        };
        match command {
            Err(true) | Ok(Command::Quit) => return Ok(()),
            Err(false) if !paused && pace.due(Instant::now()) => {
                match &mut playback {
                    Some(script) => script.frame(&mut console),
                    None => presses.frame(&mut console),
                }
                playback = playback.filter(|script| !script.is_done());
                console.run_frame();
                if let Some(halt) = console.halted().filter(|_| !halt_reported) {
                    report(&halt.to_string());
                    halt_reported = true;
                }
            }
            Err(false) => {}
            Ok(Command::Press(buttons)) => presses.next.push_back(buttons),
            Ok(Command::Reset) => {
                console.reset();
                playback = start_script();
            }
            Ok(Command::Load(None)) if !other_rom => {
                console.power_cycle();
                playback = start_script();
            }
            Ok(Command::Load(file)) => {
                let loaded =
                    file.as_deref().map_or_else(|| options.console(), |path| load(path, options.order));
                match loaded {
                    Ok(loaded) => {
                        (console, other_rom) = (loaded, file.is_some());
                        playback = start_script().filter(|_| !other_rom);
                    }
                    Err(error) => report(&error.to_string()),
                }
            }
            Ok(Command::Pause) => paused = true,
            Ok(Command::Resume) => {
                paused = false;
                pace = Pace::new(pace.speed);
            }
            Ok(Command::Speed(speed)) => pace = Pace::new(speed),
        }
        halt_reported &= console.halted().is_some();
    }
}

/// A console with another ROM, without the settings of [`DemoOptions`], which are for the first one.
fn load(path: &Path, order: StorageOrder) -> Result<Console, DemoError> {
    let rom = read_rom(path)?;
    Ok(Console::with_order(rom, order)?)
}

/// Receives commands; the channel closes when standard input does.
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
                Err(error) => report(&error),
            }
        }
    })?;
    Ok(commands)
}

/// Writes a line to standard error. Errors are ignored: the parent may have ended.
fn report(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// The parent process, which changes when the original parent ends.
fn parent() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    // Elsewhere the end of standard input signals it.
    #[cfg(not(unix))]
    None
}

/// The times at which frames are due. Each deadline is computed from the previous one, so that errors do not accumulate.
struct Pace {
    speed: f64,
    period: Duration,
    next: Instant,
    /// Late frames are made up for at no more than twice the speed.
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

    /// Whether a frame is due; if so, schedules the next one.
    fn due(&mut self, now: Instant) -> bool {
        if now < self.next.max(self.not_before) {
            return false;
        }
        if now.duration_since(self.next) > MAX_LAG {
            self.next = now;
        }
        self.next += self.period;
        self.not_before = now + self.period / 2;
        true
    }
}

/// Queued changes of buttons, so that a short press is not lost between two frames.
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
        assert_eq!(pace.next, start + pace.period * 20, "and then the old deadlines apply again");
        let late = now + Duration::from_secs(60);
        assert!(pace.due(late));
        assert!(pace.next > late, "what was missed for a minute is not");
        assert!(!pace.due(late));
        assert!((pace.period.as_secs_f64() * 59.922_74 - 1.0).abs() < 1e-6);
    }
}
