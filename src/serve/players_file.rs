//! The players' coming pairs or pieces as a small text file, for OBS text sources and for scripts in emulators.

use crate::file::{Output, Overwrite, WriteError, check, read_limited, write};
use crate::live::{Connection, Data, View};
use crate::route::export::lua_string;
use nextscope_boards::Pair;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file is written at least this often, so that readers notice when the program was killed.
const WRITE_EVERY: Duration = Duration::from_secs(1);
/// How such a file begins.
const HEAD: &str = "Nextscope: ";
/// How a companion script begins.
const SCRIPT_HEAD: &str = "-- Companion script of Nextscope";
const SCRIPT: &str = include_str!("companion.lua");
/// The size up to which an existing file can be one of these.
const OWN_LIMIT: u64 = 1 << 20;

/// The text of a state: `Nextscope: live` (or another name of a connection), then for each player a line `TITLE: NOW > NEXT NEXT ...`
/// with at most `most` coming pairs or pieces. `-` stands for an unknown one. Without a current game there are no players.
pub fn players_text(view: &View, most: usize) -> String {
    let current = matches!(
        view.connection,
        Connection::Live | Connection::Paused { .. } | Connection::Replaying { .. }
    );
    let mut text = format!("{HEAD}{}\n", view.connection.word());
    let Some(shown) = view.data.as_ref().filter(|_| current).and_then(Data::view) else { return text };
    let mut line = |title: &str, now: Option<String>, next: Vec<String>| {
        let next = if next.is_empty() { "-".to_owned() } else { next.join(" ") };
        text += &format!("{title}: {} > {next}\n", now.unwrap_or_else(|| "-".into()));
    };
    for player in &shown.players {
        let next = player.pairs.iter().take(most).copied().map(Pair::letters).collect();
        line(&player.title, player.current.map(Pair::letters), next);
    }
    for player in &shown.pieces {
        let next = player.pieces.iter().take(most).map(ToString::to_string).collect();
        line(&player.title, player.current.map(|piece| piece.to_string()), next);
    }
    text
}

/// A file with the current state. Dropping it leaves `Nextscope: stopped`.
#[derive(Debug)]
pub struct PlayersFile {
    path: PathBuf,
    text: String,
    /// Whether the first line ends with a space: it alternates, which shows that the program runs.
    beat: bool,
    written: Instant,
    failed: bool,
}

impl PlayersFile {
    /// Creates the file. An existing one is only replaced if it is of this kind.
    ///
    /// # Errors
    /// See [`WriteError`].
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        check(path, may_replace(path, HEAD))?;
        let mut file = Self {
            path: path.to_owned(),
            text: format!("{HEAD}searching\n"),
            beat: false,
            written: Instant::now(),
            failed: false,
        };
        file.replace()?;
        Ok(file)
    }

    /// Writes the state if it changed, and otherwise once a second. A failure is logged and tried again with the next state.
    pub fn update(&mut self, view: &View, most: usize) {
        let text = players_text(view, most);
        if !self.failed && text == self.text && self.written.elapsed() < WRITE_EVERY {
            return;
        }
        self.text = text;
        self.beat = !self.beat;
        self.written = Instant::now();
        let failed = self.replace();
        if let (Err(error), false) = (&failed, self.failed) {
            tracing::warn!("serve: {}: {error}", self.path.display());
        }
        self.failed = failed.is_err();
    }

    /// Replaces the file at once. It is not flushed to disk: after a crash of the system it is worthless anyway.
    fn replace(&mut self) -> Result<(), WriteError> {
        let mut output = Output::create(&self.path, Overwrite::Replace)?;
        let space = if self.beat { " \n" } else { "\n" };
        output.write_all(self.text.replacen('\n', space, 1).as_bytes()).map_err(WriteError::Io)?;
        output.commit()
    }
}

impl Drop for PlayersFile {
    fn drop(&mut self) {
        self.text = format!("{HEAD}stopped\n");
        self.beat = false;
        if let Err(error) = self.replace() {
            tracing::warn!("serve: {}: {error}", self.path.display());
        }
    }
}

/// Writes the script that draws the content of a players file on the emulator's screen. An existing file is only replaced if it is such a
/// script.
///
/// # Errors
/// See [`WriteError`]; also if the current folder, which the script's path needs, is unknown.
pub fn write_companion(path: &Path, players: &Path) -> Result<(), WriteError> {
    let players = std::path::absolute(players).map_err(WriteError::Io)?;
    let file = lua_string(&players.to_string_lossy());
    let script =
        format!("{SCRIPT_HEAD}, written by `nextscope serve --companion`.\nlocal FILE = {file}\n{SCRIPT}");
    write(path, script.as_bytes(), may_replace(path, SCRIPT_HEAD))
}

/// Whether the file is one that this program wrote.
fn may_replace(path: &Path, head: &str) -> Overwrite {
    let own = read_limited(path, OWN_LIMIT).is_ok_and(|bytes| bytes.starts_with(head.as_bytes()));
    if own { Overwrite::Replace } else { Overwrite::Refuse }
}
