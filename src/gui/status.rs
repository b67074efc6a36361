//! The line at the bottom. It never lies: a word and a mark for how things stand, whose data, and how old they are.

use super::commands::Command;
use super::layout::Pane;
use super::marks::{Mark, mark};
use super::recordings::size;
use super::scene::{Scene, Standing, Wish, age, clock, span};
use crate::live::Connection;
use eframe::egui::{Color32, Label, RichText, Sense, Ui};
use std::net::SocketAddr;

/// The colour of a standing.
#[must_use]
pub fn color(scene: &Scene<'_>) -> Color32 {
    let tokens = scene.look.tokens;
    match scene.standing {
        Standing::Live => tokens.good,
        Standing::Paused | Standing::Stalled | Standing::Choosing => tokens.caution,
        Standing::Lost => tokens.bad,
        Standing::Searching => tokens.muted,
        Standing::Replaying | Standing::Replayed => tokens.accent,
    }
}

/// What happened and how old the data are, in a sentence; None while live, and where there are no data.
#[must_use]
pub fn why_not_live(scene: &Scene<'_>) -> Option<String> {
    let read = match age(scene.view, scene.now) {
        Some(age) => format!("last read {} ago", span(age)),
        None => "nothing was read yet".into(),
    };
    Some(match (&scene.view.connection, scene.standing) {
        (_, Standing::Live) => return None,
        (Connection::Paused { since }, _) => {
            let paused = span(scene.now.saturating_duration_since(*since));
            format!("Paused for {paused}: the game's frame counter stands still")
        }
        (Connection::Replaying { .. }, _) => match &scene.view.replay {
            Some(replay) => {
                format!("A recording, not a running game: {}, frame {}", replay.name, replay.frame)
            }
            None => "A recording, not a running game".into(),
        },
        (Connection::Lost { why, .. }, _) => {
            format!("Connection lost: {why}. Looking for the game again; {read}")
        }
        (Connection::Choosing, _) => format!("Several emulators run a known game; {read}"),
        (_, Standing::Stalled) => format!("No new data although the game was running; {read}"),
        _ if scene.wish == Wish::Nothing => format!("Detached; {read}"),
        _ => format!("Not attached; {read}"),
    })
}

/// Draws the line. `served` is the port on which the window serves to overlays, while it does.
pub fn bar(ui: &mut Ui, scene: &mut Scene<'_>, served: Option<SocketAddr>) {
    let color = color(scene);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        mark(ui, scene.standing.mark(), color);
        let state = ui.label(RichText::new(scene.word()).color(color).strong());
        ui.spacing_mut().item_spacing.x = 14.0;
        if let Some(why) = why_not_live(scene) {
            state.on_hover_text(why);
        }
        if let Some(target) = scene.view.target.clone() {
            let was = match scene.standing {
                Standing::Live | Standing::Paused | Standing::Stalled => "",
                Standing::Replaying | Standing::Replayed => "recorded from: ",
                _ => "was: ",
            };
            ui.label(format!("{was}{}", emulator(&target.identity))).on_hover_text(format!(
                "process {}, RAM found by {}: {}",
                target.pid, target.method, target.ram
            ));
            ui.label(&target.profile.name);
            ui.weak(&target.profile.id).on_hover_text("The profile in use");
        } else {
            ui.weak("not attached");
        }
        if let Some(replay) = &scene.view.replay {
            ui.label(&replay.name)
                .on_hover_text("The recording that is shown; the live session goes on beside it");
            let at = format!("frame {}, {} of {}", replay.frame, clock(replay.elapsed), clock(replay.length));
            ui.label(at).on_hover_text("Where in the recording this is");
        } else if let Some(data) = &scene.view.data {
            let speed = match scene.standing {
                Standing::Live => format!("{:.1} frames/s", data.frames_per_second),
                _ => "0 frames/s".into(),
            };
            ui.label(speed).on_hover_text("How fast the game runs, by its own frame counter");
            let old = span(scene.now.saturating_duration_since(data.taken));
            let text = RichText::new(format!("{old} old"));
            let text = if scene.standing == Standing::Live { text } else { text.color(color) };
            ui.label(text).on_hover_text("Age of the data shown");
        }
        let count = scene.view.totals.mismatches;
        let unchecked = scene.view.target.as_ref().is_some_and(|target| !target.profile.game.has_predictor());
        let words = match count {
            0 if unchecked => "nothing to check".to_owned(),
            1 => "1 mismatch".to_owned(),
            _ => format!("{count} mismatches"),
        };
        let text = if count == 0 {
            RichText::new(words)
        } else {
            ui.spacing_mut().item_spacing.x = 6.0;
            mark(ui, Mark::Cross, scene.look.tokens.bad);
            RichText::new(words).color(scene.look.tokens.bad).strong()
        };
        let label = ui.add(Label::new(text).sense(Sense::click())).on_hover_text("Show verification");
        if label.clicked() {
            scene.run(Command::Show(Pane::Verify));
        }
        ui.spacing_mut().item_spacing.x = 6.0;
        if let Some(address) = served {
            mark(ui, Mark::Disc, scene.look.tokens.accent);
            let words = format!("Serving on {address}");
            let hint =
                "Programs on this machine can read what is shown; click to see the addresses or to stop";
            if ui.small_button(words).on_hover_text(hint).clicked() {
                scene.run(Command::ServeOverlays);
            }
        }
        recording(ui, scene);
    });
}

/// Whether a recording is being made, and how large it is.
fn recording(ui: &mut Ui, scene: &mut Scene<'_>) {
    let tokens = scene.look.tokens;
    let keys = scene.keys;
    let hint = |text: &str| keys.hint(ui.ctx(), Command::Record, text);
    let (record, end) = (hint("Record what is sampled, in a new file"), hint("End the recording"));
    let mut run = false;
    match &scene.view.recording {
        Some(recording) if !recording.ended && !recording.finishing => {
            mark(ui, Mark::Disc, tokens.bad);
            let since = scene.now.saturating_duration_since(recording.since);
            let words = format!("rec {}, {}", size(recording.bytes), clock(since));
            ui.label(RichText::new(words).strong()).on_hover_text(recording.path.display().to_string());
            if recording.left_out > 0 {
                let words = format!("{} samples left out", recording.left_out);
                let why = "The disk or the processor could not follow: these are not in the recording";
                ui.label(RichText::new(words).color(tokens.caution)).on_hover_text(why);
            }
            run = ui.small_button("End recording").on_hover_text(end).clicked();
        }
        ended => {
            if let Some((path, error)) = ended.as_ref().and_then(|it| Some((&it.path, it.error.as_ref()?))) {
                mark(ui, Mark::Cross, tokens.bad);
                ui.label(RichText::new("the recording ended by an error").color(tokens.bad))
                    .on_hover_text(format!("{}: {error}", path.display()));
            }
            if ended.as_ref().is_some_and(|recording| !recording.ended) {
                let words = "Writing the recording to disk…";
                ui.label(words)
                    .on_hover_text("Nothing more is recorded; what was is not all on the disk yet");
            }
            if scene.standing.can_record() {
                run = ui.small_button("Record").on_hover_text(record).clicked();
            }
        }
    }
    if run {
        scene.run(Command::Record);
    }
}

/// An emulator and its core, in words.
#[must_use]
pub fn emulator(identity: &crate::emulator::EmulatorInfo) -> String {
    let name = if identity.name.is_empty() { "unknown program" } else { &identity.name };
    match &identity.core {
        Some(core) => format!("{name} ({core})"),
        None => name.to_owned(),
    }
}
