//! What every panel draws from, and the actions that it can request.

use super::commands::Command;
use super::file_dialog::{FileDialogs, FileKind};
use super::keys::Keys;
use super::marks::Mark;
use super::outside::{Outside, documents};
use super::theme::{Look, Tone};
use crate::console::ConsoleAddr;
use crate::live::{ComputedRound, Connection, ReplayCommand, View};
use crate::process::Pid;
use crate::profile::{BoardLayout, NewField, NewFrames, Profile};
use crate::research::watch::Watch;
use crate::research::{CellAddress, ReplaySnapshot};
use eframe::egui::Color32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A running game whose data are older than this is not shown as live, even if the sampler reports it: the sampler may
/// hang, or the machine was suspended. The sampler itself reports a pause after 150 ms.
const STALLED_AFTER: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionStatus {
    Searching,
    /// Several emulators match; the user must choose.
    Choosing,
    Live,
    /// Reported as live, but without new data for a while.
    Stalled,
    Paused,
    Lost,
    /// A recording plays.
    Replaying,
    /// A recording is paused at a sample.
    ReplayPaused,
}

impl ConnectionStatus {
    pub fn of(view: &View, now: Instant) -> Self {
        match &view.connection {
            Connection::Searching => Self::Searching,
            Connection::Choosing => Self::Choosing,
            Connection::Paused { .. } => Self::Paused,
            Connection::Replaying { playing: true } => Self::Replaying,
            Connection::Replaying { playing: false } => Self::ReplayPaused,
            Connection::Lost { .. } => Self::Lost,
            Connection::Live => match age(view, now) {
                Some(age) if age <= STALLED_AFTER => Self::Live,
                _ => Self::Stalled,
            },
        }
    }

    /// The word in the status bar.
    pub fn word(self) -> &'static str {
        match self {
            Self::Searching => "Searching",
            Self::Choosing => "Choose one",
            Self::Live => "Live",
            Self::Stalled => "No new data",
            Self::Paused => "Paused",
            Self::Lost => "Lost",
            Self::Replaying => "Replay",
            Self::ReplayPaused => "Replay paused",
        }
    }

    /// The icon before the word, so that colour is not the only sign.
    pub fn mark(self) -> Mark {
        match self {
            Self::Searching => Mark::Ring,
            Self::Choosing => Mark::Question,
            Self::Live => Mark::Disc,
            Self::Stalled => Mark::Warning,
            Self::Paused => Mark::Bars,
            Self::Lost => Mark::Cross,
            Self::Replaying => Mark::Play,
            Self::ReplayPaused => Mark::Bars,
        }
    }

    pub fn tone(self) -> Tone {
        match self {
            Self::Live => Tone::Live,
            Self::Paused => Tone::Dim,
            Self::Replaying | Self::ReplayPaused => Tone::Recorded,
            _ => Tone::Grey,
        }
    }

    pub fn can_record(self) -> bool {
        matches!(self, Self::Live | Self::Paused | Self::Stalled)
    }

    /// Whether the data are current: a running or paused game, or a position in a recording.
    pub fn is_current(self) -> bool {
        matches!(self, Self::Live | Self::Paused | Self::Replaying | Self::ReplayPaused)
    }
}

/// Why a command has nothing to act on now; None if it can be run.
pub fn unavailable(
    command: Command,
    view: &View,
    status: ConnectionStatus,
    (demo, attach_mode): (bool, AttachMode),
) -> Option<&'static str> {
    let replayed = view.replay.is_some();
    match command {
        Command::StartDemo if !demo => Some("not in this program"),
        Command::Record if !status.can_record() && !is_recording(view) => Some("no emulator attached"),
        Command::AttachAutomatically | Command::Detach if replayed => Some("a recording is open"),
        Command::AttachAutomatically if attach_mode == AttachMode::Automatic => Some("on already"),
        Command::Detach if attach_mode == AttachMode::Detached => Some("detached already"),
        Command::OpenDocuments if documents().is_none() => Some("not installed with this program"),
        Command::MeasureDurations if view.target.is_none() => Some("no emulator attached"),
        Command::CopyValues if view.data.is_none() => Some("no emulator attached"),
        Command::CopyMismatches if view.mismatches.is_empty() => Some("no mismatches"),
        command if command.needs_recording() && !replayed => Some("no recording open"),
        _ => None,
    }
}

pub fn is_recording(view: &View) -> bool {
    view.recording.as_ref().is_some_and(|recording| !recording.ended && !recording.finishing)
}

/// Age of the data; None without data and in a recording.
pub fn age(view: &View, now: Instant) -> Option<Duration> {
    let data = view.data.as_ref().filter(|_| view.replay.is_none());
    data.map(|data| now.saturating_duration_since(data.taken))
}

/// A duration in one unit: "37 ms", "12 s", "3 min", "2 h".
pub fn duration_text(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

/// A position in a recording: "4:05", "1:02:03".
pub fn clock_text(time: Duration) -> String {
    let (hours, minutes, seconds) = (time.as_secs() / 3600, time.as_secs() / 60 % 60, time.as_secs() % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// As [`clock_text`], with tenths of a second: "4:05.3".
pub fn tenths_text(time: Duration) -> String {
    format!("{}.{}", clock_text(time), time.subsec_millis() / 100)
}

/// Time until the text of [`duration_text`] changes; None for milliseconds, which are drawn at the window's own rate.
pub fn until_text_changes(time: Duration) -> Option<Duration> {
    let step = match time.as_secs() {
        0 => return None,
        1..60 => 1,
        60..3600 => 60,
        _ => 3600,
    };
    let next = (time.as_secs() / step + 1) * step;
    Some(Duration::from_secs(next).saturating_sub(time))
}

/// Time until the window must repaint without a new view: for the age of the data, or the time of a recording that plays or is being
/// made. `regular` is how often it is drawn while data come in.
pub fn until_repaint(view: &View, now: Instant, regular: Duration) -> Option<Duration> {
    let since = match &view.connection {
        Connection::Paused { since } | Connection::Lost { since, .. } => {
            Some(now.saturating_duration_since(*since))
        }
        _ => None,
    };
    let played = match &view.connection {
        Connection::Replaying { playing: true } => Some(Duration::from_millis(60).max(regular / 4)),
        _ => view.replay.as_ref().filter(|replay| !replay.complete).map(|_| Duration::from_millis(300)),
    };
    let recorded = is_recording(view).then_some(Duration::from_secs(1));
    let aged = age(view, now).into_iter().chain(since);
    let aged = aged.map(|time| until_text_changes(time).unwrap_or(regular));
    aged.chain(played).chain(recorded).min()
}

/// Which process to attach to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AttachMode {
    /// The only emulator with a known game, or the process named on the command line.
    #[default]
    Automatic,
    Process(Pid),
    Detached,
}

/// An action requested by a panel; carried out after all panels are drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum UiAction {
    Run(Command),
    Attach(Pid),
    /// Selects the game in this process in the learn panel.
    LearnGame(Pid),
    /// Shows an address in the memory panel.
    ShowAddress(ConsoleAddr),
    /// Reads these bytes of RAM (offsets in the domain) while they are visible.
    ReadRam(std::ops::Range<usize>),
    /// Copies text to the clipboard; the second string names it for the message.
    Copy(String, &'static str),
    /// Shows a computed round in the prediction panel; None returns to the emulator.
    ShowRound(Option<Box<ComputedRound>>),
    AddWatches(Vec<Watch>),
    /// Shows and selects bytes in the memory panel.
    Select(ConsoleAddr, usize),
    /// Adds a field to the current profile, after a preview of the change.
    AddField(Box<NewField>),
    OpenRecording(PathBuf),
    /// Opens a file in the panel of its kind.
    OpenFile(FileKind, PathBuf),
    /// Seeks or plays in the recording.
    Replay(ReplayCommand),
    /// Opens a file or folder in another program.
    Outside(Outside),
    /// Goes to this frame of the recording.
    SeekFrame(u64),
    /// Writes the playfield layout to the user's copy of the profile; the ignition panel shows the result.
    SaveLayout(Box<(Arc<Profile>, BoardLayout)>),
    /// Starts to measure the durations of this player's pairs (0 or 1); None stops.
    MeasureDurations(Option<usize>),
    /// Writes measured durations to the user's copy of the profile; the Verify panel shows the result.
    SaveDurations(Box<(Arc<Profile>, NewFrames)>),
}

/// What a panel draws from.
pub struct UiContext<'a> {
    /// The newest view of the sampler.
    pub view: &'a View,
    pub status: ConnectionStatus,
    pub now: Instant,
    pub look: Look,
    pub attach_mode: AttachMode,
    pub demo: bool,
    /// Names of the supported games.
    pub known: &'a [String],
    pub profiles: &'a [Arc<Profile>],
    /// The shown part of a recording, for searches on other threads.
    pub played: &'a ReplaySnapshot,
    pub watched: &'a [CellAddress],
    pub keys: &'a Keys,
    /// The folder of the user's profiles, which is watched.
    pub profile_folder: Option<&'a Path>,
    /// File dialogs and recent files.
    pub files: &'a mut FileDialogs,
    /// The actions requested so far.
    pub actions: &'a mut Vec<UiAction>,
}

impl UiContext<'_> {
    /// The colour of the connection status.
    pub fn status_color(&self) -> Color32 {
        let tokens = self.look.tokens;
        match self.status {
            ConnectionStatus::Live => tokens.good,
            ConnectionStatus::Paused | ConnectionStatus::Stalled | ConnectionStatus::Choosing => {
                tokens.caution
            }
            ConnectionStatus::Lost => tokens.bad,
            ConnectionStatus::Searching => tokens.muted,
            ConnectionStatus::Replaying | ConnectionStatus::ReplayPaused => tokens.accent,
        }
    }

    /// Why the data are not live and how old they are, in a sentence; None while live.
    pub fn stale_reason(&self) -> Option<String> {
        let read = match age(self.view, self.now) {
            Some(age) => format!("last read {} ago", duration_text(age)),
            None => "nothing read yet".into(),
        };
        Some(match (&self.view.connection, self.status) {
            (_, ConnectionStatus::Live) => return None,
            (Connection::Paused { since }, _) => {
                let paused = duration_text(self.now.saturating_duration_since(*since));
                format!("Paused for {paused}: the game's frame counter does not change")
            }
            (Connection::Replaying { .. }, _) => match &self.view.replay {
                Some(replay) => {
                    format!("Recording, not live: {}, frame {}", replay.name, replay.frame)
                }
                None => "Recording, not live".into(),
            },
            (Connection::Lost { why, .. }, _) => {
                format!("Connection lost: {why}. Searching for the game; {read}")
            }
            (Connection::Choosing, _) => format!("Several emulators run a known game; {read}"),
            (_, ConnectionStatus::Stalled) => format!("No new data from the running game; {read}"),
            _ if self.attach_mode == AttachMode::Detached => format!("Detached; {read}"),
            _ => format!("Not attached; {read}"),
        })
    }

    pub fn word(&self) -> &'static str {
        match (self.status, self.attach_mode) {
            (ConnectionStatus::Searching, AttachMode::Detached) => "Detached",
            _ => self.status.word(),
        }
    }

    /// Why a command has nothing to act on now.
    pub fn unavailable(&self, command: Command) -> Option<&'static str> {
        unavailable(command, self.view, self.status, (self.demo, self.attach_mode))
    }

    pub fn is_recording(&self) -> bool {
        is_recording(self.view)
    }

    pub fn run(&mut self, command: Command) {
        self.actions.push(UiAction::Run(command));
    }

    pub fn copy(&mut self, text: impl Into<String>, what: &'static str) {
        self.actions.push(UiAction::Copy(text.into(), what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_one_unit() {
        let words = [0, 37, 999, 1000, 12_700, 60_000, 3_599_000, 7_200_000]
            .map(|ms| duration_text(Duration::from_millis(ms)));
        assert_eq!(words, ["0 ms", "37 ms", "999 ms", "1 s", "12 s", "1 min", "59 min", "2 h"]);
    }

    #[test]
    fn the_text_changes_after_the_predicted_time() {
        for ms in [1000, 1999, 59_999, 61_000, 3_599_999, 3_600_000] {
            let time = Duration::from_millis(ms);
            let wait = until_text_changes(time).expect("more than milliseconds");
            let just_before = time + wait.saturating_sub(Duration::from_millis(1));
            assert_eq!(duration_text(time), duration_text(just_before), "{ms}");
            assert_ne!(duration_text(time), duration_text(time + wait), "{ms}");
        }
    }

    #[test]
    fn live_without_fresh_data_is_stalled() {
        let view = View { connection: Connection::Live, ..View::default() };
        assert_eq!(ConnectionStatus::of(&view, Instant::now()), ConnectionStatus::Stalled);
    }
}
