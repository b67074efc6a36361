//! What every panel gets to draw from, and what it can ask for.

use super::commands::Command;
use super::keys::Keys;
use super::marks::Mark;
use super::seeds::FromSeed;
use super::theme::{Look, Tone};
use crate::console::ConsoleAddr;
use crate::live::{Connection, ReplayOrder, View};
use crate::process::Pid;
use crate::profile::{BoardLayout, NewField, Profile};
use crate::research::watch::Watch;
use crate::research::{CellAddress, ReplaySnapshot};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Data of a running game that are older than this are not called live, whatever the sampler said last: it may
/// hang, or the machine slept. The sampler itself calls a game paused after 150 ms.
const STALLED_AFTER: Duration = Duration::from_millis(500);

/// How things stand, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing to attach to.
    Searching,
    /// The user must choose.
    Choosing,
    /// What is shown is so now.
    Live,
    /// Said to be live, but nothing new has come for a while.
    Stalled,
    /// The game stands still.
    Paused,
    /// The connection broke.
    Lost,
    /// A recording goes on by itself.
    Replaying,
    /// A recording stands at a sample.
    Replayed,
}

impl Standing {
    /// How things stand at `now`.
    #[must_use]
    pub fn of(view: &View, now: Instant) -> Self {
        match &view.connection {
            Connection::Searching => Self::Searching,
            Connection::Choosing => Self::Choosing,
            Connection::Paused { .. } => Self::Paused,
            Connection::Replaying { playing: true } => Self::Replaying,
            Connection::Replaying { playing: false } => Self::Replayed,
            Connection::Lost { .. } => Self::Lost,
            Connection::Live => match age(view, now) {
                Some(age) if age <= STALLED_AFTER => Self::Live,
                _ => Self::Stalled,
            },
        }
    }

    /// The word in the status bar.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Searching => "searching",
            Self::Choosing => "choose one",
            Self::Live => "live",
            Self::Stalled => "no new data",
            Self::Paused => "paused",
            Self::Lost => "lost",
            Self::Replaying => "replay",
            Self::Replayed => "replay, paused",
        }
    }

    /// The mark before it, so that the word does not rest on its colour.
    #[must_use]
    pub fn mark(self) -> Mark {
        match self {
            Self::Searching => Mark::Ring,
            Self::Choosing => Mark::Question,
            Self::Live => Mark::Disc,
            Self::Stalled => Mark::Warning,
            Self::Paused => Mark::Bars,
            Self::Lost => Mark::Cross,
            Self::Replaying => Mark::Play,
            Self::Replayed => Mark::Bars,
        }
    }

    /// How data are drawn.
    #[must_use]
    pub fn tone(self) -> Tone {
        match self {
            Self::Live => Tone::Live,
            Self::Paused => Tone::Dim,
            Self::Replaying | Self::Replayed => Tone::Recorded,
            _ => Tone::Grey,
        }
    }

    /// Whether there is something to record: an emulator that is attached, and no recording.
    #[must_use]
    pub fn can_record(self) -> bool {
        matches!(self, Self::Live | Self::Paused | Self::Stalled)
    }

    /// Whether what is shown is what is asked about now: a game that runs or stands still, or a place in a recording.
    #[must_use]
    pub fn is_current(self) -> bool {
        matches!(self, Self::Live | Self::Paused | Self::Replaying | Self::Replayed)
    }
}

/// Whether a recording is being made.
#[must_use]
pub fn records(view: &View) -> bool {
    view.recording.as_ref().is_some_and(|recording| !recording.ended && !recording.finishing)
}

/// How old the data are; None when there are none, and in a recording, where they do not age.
#[must_use]
pub fn age(view: &View, now: Instant) -> Option<Duration> {
    let data = view.data.as_ref().filter(|_| view.replay.is_none());
    data.map(|data| now.saturating_duration_since(data.taken))
}

/// A span of time, as exact as is of use: "37 ms", "12 s", "3 min", "2 h".
#[must_use]
pub fn span(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

/// A time in a recording: "4:05", "1:02:03".
#[must_use]
pub fn clock(time: Duration) -> String {
    let (hours, minutes, seconds) = (time.as_secs() / 3600, time.as_secs() / 60 % 60, time.as_secs() % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// How long until [`span`] reads differently enough to be drawn again. Milliseconds are drawn five times a
/// second: a frame in software, without a graphics processor, takes some 30 ms of processor time.
#[must_use]
pub fn next_change(time: Duration) -> Duration {
    let step = match time.as_secs() {
        0 => return Duration::from_millis(200),
        1..60 => 1,
        60..3600 => 60,
        _ => 3600,
    };
    let next = (time.as_secs() / step + 1) * step;
    Duration::from_secs(next).saturating_sub(time)
}

/// When something on the screen reads differently by itself: the age of the data, five times a second while it is
/// told in milliseconds, and ever more seldom afterwards; the time of a recording that is played or made. None when nothing does.
pub fn next_frame(view: &View, now: Instant) -> Option<Duration> {
    let since = match &view.connection {
        Connection::Paused { since } | Connection::Lost { since, .. } => {
            Some(now.saturating_duration_since(*since))
        }
        _ => None,
    };
    let played = match &view.connection {
        Connection::Replaying { playing: true } => Some(Duration::from_millis(60)),
        _ => view.replay.as_ref().filter(|replay| !replay.complete).map(|_| Duration::from_millis(300)),
    };
    let recorded = records(view).then_some(Duration::from_secs(1));
    age(view, now).into_iter().chain(since).map(next_change).chain(played).chain(recorded).min()
}

/// What the user wants to be attached to, as far as the window was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wish {
    /// The only emulator with a known game; or what the command line said.
    #[default]
    Automatic,
    /// This process.
    Process(Pid),
    /// Nothing.
    Nothing,
}

/// What a panel asks for; done after all panels are drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Do this.
    Run(Command),
    /// Attach to this process.
    Attach(Pid),
    /// Show this address in the memory panel.
    GoTo(ConsoleAddr),
    /// Read these bytes of RAM, by offsets in the domain, as long as they are looked at.
    LookAt(std::ops::Range<usize>),
    /// Put this on the clipboard; the second is what it is, for the message.
    Copy(String, &'static str),
    /// Show this round, which was computed, in the prediction view; None goes back to the emulator.
    ShowRound(Option<Box<FromSeed>>),
    /// Add these to the watch list.
    Watch(Vec<Watch>),
    /// Show and select so many bytes in the memory panel.
    Select(ConsoleAddr, usize),
    /// Add this field to the profile in use, after a look at what changes.
    AddField(Box<NewField>),
    /// Show this recording.
    OpenRecording(PathBuf),
    /// Go elsewhere in the recording that is shown.
    Replay(ReplayOrder),
    /// Go to this frame of it.
    ToFrame(u64),
    /// Write where the field of a game stands into the user's copy of its profile; the ignition panel is told what came of it.
    KeepBoard(Box<(Arc<Profile>, BoardLayout)>),
}

/// What a panel draws from.
pub struct Scene<'a> {
    /// What the sampler published.
    pub view: &'a View,
    /// How things stand.
    pub standing: Standing,
    /// The moment that is drawn.
    pub now: Instant,
    /// Colours and such.
    pub look: Look,
    /// What the user wants.
    pub wish: Wish,
    /// Whether a demo can be started.
    pub demo: bool,
    /// The games that are looked for, by the names of their profiles.
    pub known: &'a [String],
    /// The games that are looked for.
    pub profiles: &'a [Arc<Profile>],
    /// What of a recording is shown, for searches on threads of their own.
    pub replay_snapshot: &'a ReplaySnapshot,
    /// The cells that are on the watch list.
    pub watched: &'a [CellAddress],
    /// The keys of commands.
    pub keys: &'a Keys,
    /// What was asked for.
    pub asked: &'a mut Vec<Ask>,
}

impl Scene<'_> {
    /// How things stand, in a word or two.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match (self.standing, self.wish) {
            (Standing::Searching, Wish::Nothing) => "detached",
            _ => self.standing.word(),
        }
    }

    /// Whether a recording is being made.
    #[must_use]
    pub fn records(&self) -> bool {
        records(self.view)
    }

    /// Asks for a command.
    pub fn run(&mut self, command: Command) {
        self.asked.push(Ask::Run(command));
    }

    /// Asks for text to be put on the clipboard.
    pub fn copy(&mut self, text: impl Into<String>, what: &'static str) {
        self.asked.push(Ask::Copy(text.into(), what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_as_exact_as_is_of_use() {
        let words = [0, 37, 999, 1000, 12_700, 60_000, 3_599_000, 7_200_000]
            .map(|ms| span(Duration::from_millis(ms)));
        assert_eq!(words, ["0 ms", "37 ms", "999 ms", "1 s", "12 s", "1 min", "59 min", "2 h"]);
    }

    #[test]
    fn the_next_change_is_when_the_words_change() {
        for ms in [1000, 1999, 59_999, 61_000, 3_599_999, 3_600_000] {
            let time = Duration::from_millis(ms);
            let wait = next_change(time);
            let just_before = time + wait.saturating_sub(Duration::from_millis(1));
            assert_eq!(span(time), span(just_before), "{ms}");
            assert_ne!(span(time), span(time + wait), "{ms}");
        }
    }

    #[test]
    fn live_without_fresh_data_is_not_called_live() {
        let view = View { connection: Connection::Live, ..View::default() };
        assert_eq!(Standing::of(&view, Instant::now()), Standing::Stalled);
    }
}
