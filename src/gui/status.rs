//! The status bar: connection status, emulator, age of the data, mismatches, server and recording.

use super::commands::Command;
use super::layout::Pane;
use super::marks::{Mark, mark};
use super::recordings::size;
use super::ui_context::{ConnectionStatus, UiContext, clock_text, duration_text, tenths_text};
use super::widgets::shortened_in_the_middle;
use crate::text::counted;
use eframe::egui::{Label, RichText, Sense, Ui};
use std::net::SocketAddr;
use std::time::Duration;

/// The exact age of younger data differs from frame to frame and says nothing.
const FRESH: Duration = Duration::from_millis(100);

/// The widths, in points, from which the bar shows the profile, the speed and age of live data, and the emulator.
const PROFILE_FROM: f32 = 900.0;
const SPEED_FROM: f32 = 720.0;
const EMULATOR_FROM: f32 = 560.0;
/// The space for the rest of the bar when the game's name is shortened, in points.
const REST: f32 = 260.0;

/// Draws the bar. `served` is the address of the running server.
pub fn bar(ui: &mut Ui, cx: &mut UiContext<'_>, served: Option<SocketAddr>) {
    let color = cx.status_color();
    let width = ui.available_width();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        mark(ui, cx.status.mark(), color);
        let state = ui.label(RichText::new(cx.word()).color(color).strong());
        ui.spacing_mut().item_spacing.x = 14.0;
        if let Some(why) = cx.stale_reason() {
            state.on_hover_text(why);
        }
        if let Some(target) = cx.view.target.clone() {
            let was = match cx.status {
                ConnectionStatus::Live | ConnectionStatus::Paused | ConnectionStatus::Stalled => "",
                ConnectionStatus::Replaying | ConnectionStatus::ReplayPaused => "Recorded from ",
                _ => "Last: ",
            };
            let located = format!("process {}, RAM located by {}: {}", target.pid, target.method, target.ram);
            let name = format!("{was}{}", emulator(&target.identity));
            let game = &target.profile.name;
            if width >= EMULATOR_FROM {
                ui.label(name).on_hover_text(located);
                ui.label(game);
            } else {
                let shown = shortened_in_the_middle(ui, game, (width - REST).max(60.0));
                ui.label(shown).on_hover_text(format!("{game}\n{name}, {located}"));
            }
            // In a narrow window the bar says less, so that it stays one line.
            if width >= PROFILE_FROM {
                ui.weak(&target.profile.id).on_hover_text("Current profile");
            }
        } else {
            ui.weak("Not attached");
        }
        if let Some(replay) = &cx.view.replay {
            ui.label(&replay.name)
                .on_hover_text("Open recording; the live session continues in the background");
            let at = format!(
                "Frame {}, {} of {}",
                replay.frame,
                tenths_text(replay.elapsed),
                tenths_text(replay.length)
            );
            ui.label(at).on_hover_text("Position in the recording");
        } else if let Some(data) = &cx.view.data {
            let speed = match cx.status {
                ConnectionStatus::Live => format!("{:.1} frames/s", data.frames_per_second),
                _ => "0 frames/s".into(),
            };
            let live = cx.status == ConnectionStatus::Live;
            if width >= SPEED_FROM || !live {
                ui.label(speed).on_hover_text("Game speed, from its frame counter");
            }
            let age = cx.now.saturating_duration_since(data.taken);
            let text = if live && age < FRESH {
                RichText::new("Under 0.1 s old")
            } else {
                let text = RichText::new(format!("{} old", duration_text(age)));
                if live { text } else { text.color(color) }
            };
            if width >= SPEED_FROM || !live {
                ui.label(text).on_hover_text("Age of the data");
            }
        }
        let count = cx.view.totals.mismatches;
        let unchecked = cx.view.target.as_ref().is_some_and(|target| !target.profile.game.has_predictor());
        let words = match count {
            0 if unchecked => "Nothing to check".to_owned(),
            _ => counted(count, "mismatch"),
        };
        let text = if count == 0 {
            RichText::new(words)
        } else {
            ui.spacing_mut().item_spacing.x = 6.0;
            mark(ui, Mark::Cross, cx.look.tokens.bad);
            RichText::new(words).color(cx.look.tokens.bad).strong()
        };
        let label = ui.add(Label::new(text).sense(Sense::click())).on_hover_text("Show the Verify panel");
        if label.clicked() {
            cx.run(Command::Show(Pane::Verify));
        }
        ui.spacing_mut().item_spacing.x = 6.0;
        if let Some(address) = served {
            mark(ui, Mark::Disc, cx.look.tokens.accent);
            let words = format!("Serving on {address}");
            let hint = "Programs on this machine can read the data. Click to show addresses or stop";
            if ui.small_button(words).on_hover_text(hint).clicked() {
                cx.run(Command::ServeOverlays);
            }
        }
        recording(ui, cx);
    });
}

fn recording(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let tokens = cx.look.tokens;
    let keys = cx.keys;
    let hint = |text: &str| keys.hint(ui.ctx(), Command::Record, text);
    let (record, end) = (hint("Record all samples to a new file"), hint("Stop recording"));
    let mut run = false;
    match &cx.view.recording {
        Some(recording) if !recording.ended && !recording.finishing => {
            mark(ui, Mark::Disc, tokens.bad);
            let since = cx.now.saturating_duration_since(recording.since);
            let words = format!("Recording {}, {}", size(recording.bytes), clock_text(since));
            ui.label(RichText::new(words).strong()).on_hover_text(recording.path.display().to_string());
            if recording.left_out > 0 {
                let words = format!("{} dropped", counted(recording.left_out, "sample"));
                let why = "The disk or CPU was too slow: these samples are missing in the recording";
                ui.label(RichText::new(words).color(tokens.caution)).on_hover_text(why);
            }
            run = ui.small_button("Stop recording").on_hover_text(end).clicked();
        }
        ended => {
            if let Some((path, error)) = ended.as_ref().and_then(|it| Some((&it.path, it.error.as_ref()?))) {
                mark(ui, Mark::Cross, tokens.bad);
                ui.label(RichText::new("Recording failed").color(tokens.bad))
                    .on_hover_text(format!("{}: {error}", path.display()));
            }
            if ended.as_ref().is_some_and(|recording| !recording.ended) {
                let words = "Saving the recording…";
                ui.label(words).on_hover_text("Recording has stopped; the last samples are being written");
            }
            if cx.status.can_record() {
                run = ui.small_button("Record").on_hover_text(record).clicked();
            }
        }
    }
    if run {
        cx.run(Command::Record);
    }
}

pub fn emulator(identity: &crate::emulator::EmulatorInfo) -> String {
    let name = if identity.name.is_empty() { "Unknown program" } else { &identity.name };
    match &identity.core {
        Some(core) => format!("{name} ({core})"),
        None => name.to_owned(),
    }
}
