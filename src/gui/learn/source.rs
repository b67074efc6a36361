//! Selects what to learn from: a running game or the open recording.

use super::engine::Open;
use crate::gui::any_game::{AnyGame, attached};
use crate::gui::commands::Command;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::hinted;
use crate::process::Pid;
use crate::recording::Recording;
use crate::research::MemorySource;
use eframe::egui::Ui;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any game in a running emulator.
    Unknown,
    /// The attached game.
    Attached,
    /// The open recording.
    Recording,
}

#[derive(Default)]
pub struct Chooser {
    /// None until the user chooses: the recording if one is open, or else a running game.
    chosen: Option<Kind>,
    any_game: AnyGame,
    /// The process that another panel selected since the last frame.
    selected: Option<Pid>,
    /// The frames of the recording, as typed.
    from: String,
    to: String,
}

impl Chooser {
    pub fn kind(&self, cx: &UiContext<'_>) -> Kind {
        let usual = if recording(cx).is_some() { Kind::Recording } else { Kind::Unknown };
        self.chosen.unwrap_or(usual)
    }

    /// Draws the controls. `running` says that a game is sampled, so that the choice is made.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, running: bool) {
        ui.horizontal_wrapped(|ui| {
            if running {
                ui.disable();
            }
            let mut kind = self.kind(cx);
            ui.label("Learn from");
            let hover = "The console's RAM in a running emulator, with a game that has no profile";
            ui.selectable_value(&mut kind, Kind::Unknown, "Any game").on_hover_text(hover);
            let hover = "The game that Nextscope is attached to";
            ui.selectable_value(&mut kind, Kind::Attached, "Attached game").on_hover_text(hover);
            let hover = "The open recording, of any game";
            ui.selectable_value(&mut kind, Kind::Recording, "Recording").on_hover_text(hover);
            if kind != self.kind(cx) {
                self.chosen = Some(kind);
            }
            match kind {
                Kind::Unknown => {}
                Kind::Attached => {
                    if let Some(target) = cx.view.target.as_ref().filter(|_| attached(cx).is_some()) {
                        ui.label(&target.profile.name);
                    }
                }
                Kind::Recording => self.recording(ui, cx),
            }
        });
        if self.kind(cx) != Kind::Unknown {
            return;
        }
        // A process that has ended is not in the list.
        self.any_game.process = self
            .any_game
            .process
            .filter(|pid| running || cx.view.emulators.iter().any(|row| row.pid == *pid));
        let mut known = cx.view.emulators.iter().filter(|row| row.identity.known);
        let only = known.next().filter(|_| known.next().is_none() && self.any_game.process.is_none());
        if let Some(pid) = self.selected.take().or(only.map(|row| row.pid)) {
            self.any_game.select(pid, cx);
        }
        ui.horizontal_wrapped(|ui| {
            if running {
                ui.disable();
            }
            self.any_game.show(ui, cx);
        });
    }

    /// Selects the game in this process.
    pub const fn select(&mut self, pid: Pid) {
        (self.chosen, self.selected) = (Some(Kind::Unknown), Some(pid));
    }

    fn recording(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let open = ui.button(Command::OpenRecording.text());
        if open.on_hover_text(Command::OpenRecording.tooltip()).clicked() {
            cx.run(Command::OpenRecording);
        }
        let Some(recording) = recording(cx) else { return };
        ui.label(recording.name());
        let hover = "The deals are those of one game: leave out the frames of others. Empty: all frames";
        ui.label("Frames").on_hover_text(hover);
        hinted(ui, &mut self.from, "first frame", "first", 70.0);
        ui.label("to");
        hinted(ui, &mut self.to, "last frame", "last", 70.0);
    }

    /// What is missing before a game can be sampled or a recording be searched.
    pub fn missing(&self, cx: &UiContext<'_>) -> Option<&'static str> {
        match self.kind(cx) {
            Kind::Unknown if self.any_game.query().is_none() => {
                Some("Select the process of the emulator and its console")
            }
            Kind::Attached if attached(cx).is_none() => Some("No emulator attached. Select any game"),
            Kind::Recording if recording(cx).is_none() => Some("No recording open. Open one"),
            Kind::Recording => self.frames().err(),
            _ => None,
        }
    }

    /// Opens the running game.
    pub fn open(&self, cx: &UiContext<'_>) -> Option<Open> {
        match self.kind(cx) {
            Kind::Unknown => {
                let (pid, query) = self.any_game.query()?;
                Some(Box::new(move || MemorySource::any_game(pid, query)))
            }
            Kind::Attached => {
                let (pid, profile) = (attached(cx)?, Arc::clone(&cx.view.target.as_ref()?.profile));
                Some(Box::new(move || MemorySource::console(pid, &[profile])))
            }
            Kind::Recording => None,
        }
    }

    /// The first and the last frame, if they are given.
    pub fn frames(&self) -> Result<(Option<u64>, Option<u64>), &'static str> {
        let frame = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| "A frame is a number, such as 1200"),
        };
        Ok((frame(&self.from)?, frame(&self.to)?))
    }
}

/// The open recording.
pub fn recording<'a>(cx: &UiContext<'a>) -> Option<&'a Arc<Recording>> {
    cx.view.replayed.as_ref().map(|source| &source.recording)
}
