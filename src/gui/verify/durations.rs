//! How long the parts of a player's pairs take, measured while one plays or from the open recording, and written into the user's profile.

use crate::frames::{Certainty, Estimate, Part, TableOptions, table};
use crate::gui::commands::Command;
use crate::gui::marks::{Mark, mark};
use crate::gui::repaint;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::live::{DurationMeter, MeasureError, MeasuredDurations, measure_recording};
use crate::profile::{NewFrames, Profile};
use crate::recording::Recording;
use crate::task::Task;
use crate::text::capitalized;
use eframe::egui::{
    Align, Button, CollapsingHeader, Color32, Context, Layout, ProgressBar, RichText, Role, Ui, WidgetInfo,
};
use std::path::PathBuf;
use std::sync::Arc;

/// A measurement of the open recording.
struct Run {
    of: Arc<Recording>,
    task: Task<Result<MeasuredDurations, MeasureError>>,
}

/// What a recording says, or why it could not be measured.
struct Measured {
    of: Arc<Recording>,
    durations: Result<Arc<MeasuredDurations>, String>,
}

/// The section.
#[derive(Default)]
pub struct Durations {
    /// 0 or 1.
    player: usize,
    run: Option<Run>,
    result: Option<Measured>,
    options: TableOptions,
    /// The recording that was started with the measurement.
    own_recording: bool,
    /// The file that has the samples of a live measurement.
    evidence: Option<PathBuf>,
    saved: Option<Result<String, String>>,
    /// Open the section and start, or stop.
    toggle: bool,
}

/// What was measured, and in what.
struct Shown {
    measured: Arc<MeasuredDurations>,
    /// The name of the recording.
    evidence: Option<String>,
}

impl Durations {
    /// Starts or stops measuring.
    pub fn toggle(&mut self) {
        self.toggle = true;
    }

    /// Sets the result of [`UiAction::SaveDurations`].
    pub fn set_save_result(&mut self, result: Result<String, String>) {
        self.saved = Some(result);
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        self.take();
        let toggle = std::mem::take(&mut self.toggle);
        let header = CollapsingHeader::new("Frame times").id_salt("frame times");
        let header = header.open(toggle.then_some(true)).show(ui, |ui| self.body(ui, cx, toggle));
        if toggle {
            header.header_response.scroll_to_me(Some(Align::Min));
        }
    }

    fn body(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, toggle: bool) {
        ui.weak(
            "Measures how long a pair takes, part by part. The route planner counts with these numbers: they are the [frames] of the profile. \
             Play as usual: tap the buttons briefly, and hold Down until each pair locks",
        );
        let Some(target) = cx.view.target.clone() else {
            ui.label("Nothing to measure: no emulator attached");
            return;
        };
        let possible = DurationMeter::new(&target.profile, self.player);
        let recording = cx.view.replayed.as_ref().map(|source| Arc::clone(&source.recording));
        ui.horizontal_wrapped(|ui| {
            for player in 0..2 {
                let choice = ui.radio_value(&mut self.player, player, format!("Player {}", player + 1));
                choice.on_hover_text("A person, because the buttons are read from RAM");
            }
            match (&recording, &possible) {
                (_, Err(_)) => {}
                (Some(recording), Ok(_)) => self.recording_buttons(ui, cx, recording, toggle),
                (None, Ok(_)) => self.live_buttons(ui, cx, toggle),
            }
        });
        if let Err(why) = possible {
            ui.label(capitalized(&why.to_string()));
            return;
        }
        let shown = match &recording {
            Some(recording) => self.of_recording(ui, cx, recording),
            None => self.live(cx),
        };
        if let Some(shown) = shown {
            results(ui, cx, &shown.measured, recording.is_some());
            self.save(ui, cx, &target.profile, &shown);
        }
    }

    /// Starts and stops the measurement of a recording.
    fn recording_buttons(
        &mut self,
        ui: &mut Ui,
        cx: &UiContext<'_>,
        recording: &Arc<Recording>,
        toggle: bool,
    ) {
        if let Some(run) = &self.run {
            #[expect(clippy::cast_possible_truncation, reason = "a displayed share")]
            let share = run.task.progress().share() as f32;
            ui.add(ProgressBar::new(share).desired_width(120.0).show_percentage());
            if ui.button("Cancel").on_hover_text("Stop, and show what was measured so far").clicked()
                || toggle
            {
                run.task.progress().stop();
            }
            return;
        }
        let button = ui.button("Measure this recording").on_hover_text("Measure all of it");
        if button.clicked() || toggle {
            self.saved = None;
            let given = cx.profiles.to_vec();
            self.run = Some(start(Arc::clone(recording), given, self.player, ui.ctx()));
        }
    }

    /// Starts and stops the measurement of the attached game, with a recording as evidence.
    fn live_buttons(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, toggle: bool) {
        let running = cx.view.durations.as_ref().is_some_and(|measured| measured.running);
        let recorded = cx.is_recording();
        if running {
            if recorded {
                self.evidence = cx.view.recording.as_ref().map(|recording| recording.path.clone());
            }
            let button = ui.button("Stop measuring").on_hover_text("The numbers stay");
            if button.clicked() || toggle {
                cx.actions.push(UiAction::MeasureDurations(None));
                if std::mem::take(&mut self.own_recording) && recorded {
                    cx.run(Command::Record);
                }
            }
            return;
        }
        let button = ui.add_enabled(cx.status.can_record(), Button::new("Measure"));
        let button = button.on_hover_text("Measure while you play, and record it: that is the evidence");
        let button = button.on_disabled_hover_text("No emulator attached");
        if button.clicked() || toggle && cx.status.can_record() {
            (self.saved, self.evidence) = (None, None);
            if !recorded {
                self.own_recording = true;
                cx.run(Command::Record);
            }
            cx.actions.push(UiAction::MeasureDurations(Some(self.player)));
        }
    }

    /// Takes the result of a measurement that has ended.
    fn take(&mut self) {
        let Some(ended) = self.run.as_ref().and_then(|run| run.task.poll()) else { return };
        let Some(run) = self.run.take() else { return };
        let result = match ended {
            Ok(Ok(measured)) => Ok(Arc::new(measured)),
            Ok(Err(why)) => Err(why.to_string()),
            Err(why) => Err(format!("The measurement {why}")),
        };
        self.result = Some(Measured { of: run.of, durations: result });
    }

    fn of_recording(&self, ui: &mut Ui, cx: &UiContext<'_>, recording: &Arc<Recording>) -> Option<Shown> {
        let Measured { of, durations } = self.result.as_ref()?;
        if !Arc::ptr_eq(of, recording) {
            return None;
        }
        match durations {
            Ok(measured) => {
                Some(Shown { measured: Arc::clone(measured), evidence: Some(recording.name().to_owned()) })
            }
            Err(why) => {
                ui.colored_label(cx.look.tokens.bad, why);
                None
            }
        }
    }

    fn live(&self, cx: &UiContext<'_>) -> Option<Shown> {
        let measured = Arc::clone(cx.view.durations.as_ref()?);
        let name = self.evidence.as_ref().and_then(|path| path.file_name());
        Some(Shown { measured, evidence: name.map(|name| name.to_string_lossy().into_owned()) })
    }

    /// What is written into the profile, and the button for it.
    fn save(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, used: &Arc<Profile>, shown: &Shown) {
        let measured = &shown.measured;
        if !measured.is_measured() {
            return;
        }
        ui.add_space(4.0);
        ui.checkbox(&mut self.options.only_measured, "Only measured rows").on_hover_text(
            "Shorten lists to the rows that were measured, instead of keeping the profile's other numbers",
        );
        ui.checkbox(&mut self.options.most_frequent, "Most frequent values").on_hover_text(
            "Also write a number whose values contradict each other, or that was seen fewer than three times",
        );
        // A recording has its own copy of the profile; what is edited is the user's.
        let profile = cx.profiles.iter().find(|profile| profile.id == measured.profile.id).unwrap_or(used);
        let evidence = shown.evidence.as_deref().unwrap_or("not recorded");
        let made = table(&measured.times, profile.frames.as_ref(), self.options, measured.player, evidence);
        let (change, what) = match &made {
            Ok(frames) if frames.times.is_empty() => (None, "No number is certain yet".to_owned()),
            Ok(frames) => (Some(frames), change_text(frames)),
            Err(incomplete) => (None, incomplete.to_string()),
        };
        ui.weak(what);
        let button = ui.add_enabled(change.is_some(), Button::new("Write to my profile"));
        let button = button
            .on_hover_text("Into the [frames] of your copy of the profile, with the evidence as source");
        if let (true, Some(frames)) = (button.clicked(), change) {
            cx.actions.push(UiAction::SaveDurations(Box::new((Arc::clone(profile), frames.clone()))));
        }
        match &self.saved {
            Some(Ok(message)) => _ = ui.label(message),
            Some(Err(why)) => _ = ui.colored_label(cx.look.tokens.bad, why),
            None => {}
        }
    }
}

fn start(recording: Arc<Recording>, given: Vec<Arc<Profile>>, player: usize, ctx: &Context) -> Run {
    let of = Arc::clone(&recording);
    let task = Task::start("durations", repaint::waker(ctx), move |task| {
        let progress = task.progress();
        progress.begin(recording.len());
        measure_recording(&recording, &given, player, |_, _| {
            progress.add(1);
            !progress.is_over()
        })
    });
    Run { of, task }
}

fn change_text(frames: &NewFrames) -> String {
    let keys: Vec<&str> = frames.times.iter().map(|time| time.key).collect();
    format!("Known: {}. The table becomes \"{}\"", keys.join(", "), frames.status.id())
}

/// What is known of each part; in a recording, frames are links.
fn results(ui: &mut Ui, cx: &mut UiContext<'_>, measured: &MeasuredDurations, in_recording: bool) {
    ui.add_space(2.0);
    ui.label(format!("Player {}: {}", measured.player, measured.extent()));
    if let (Some(why), false) = (&measured.unreadable, measured.is_measured()) {
        ui.colored_label(cx.look.tokens.caution, why);
    }
    for (part, estimate) in &measured.times {
        row(ui, cx, *part, estimate, in_recording);
    }
    for missing in &measured.missing {
        ui.weak(missing.to_string());
    }
}

/// A part with its number and certainty; below it every value that was seen, with its first frame.
fn row(ui: &mut Ui, cx: &mut UiContext<'_>, part: Part, estimate: &Estimate, in_recording: bool) {
    let (sign, color) = sign(estimate.certainty, cx);
    ui.horizontal(|ui| {
        mark(ui, sign, color);
        ui.label(part.label()).on_hover_text(capitalized(&part.to_string()));
        if !estimate.seen.is_empty() {
            ui.label(RichText::new(format!("{} frames", estimate.frames_text())).strong());
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let certainty = estimate.certainty;
            ui.label(RichText::new(certainty.to_string()).color(color)).on_hover_text(certainty.meaning());
        });
    });
    if estimate.seen.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.add_space(22.0);
        for seen in &estimate.seen {
            let times = format!("{} seen {}×", seen.frames, seen.count);
            match seen.at.first() {
                Some(frame) if in_recording => {
                    let link = ui.link(&times);
                    let label = format!("{times}, go to frame {frame}");
                    link.widget_info(|| WidgetInfo::labeled(Role::Link, true, &label));
                    if link.on_hover_text(format!("Go to frame {frame}, the first of them")).clicked() {
                        cx.actions.push(UiAction::SeekFrame(*frame));
                    }
                }
                first => {
                    let first = first.map_or_else(String::new, |frame| format!(" from frame {frame}"));
                    ui.weak(times + &first);
                }
            }
        }
    });
}

/// Icon and colour of a certainty. Its text is enough without them.
fn sign(certainty: Certainty, cx: &UiContext<'_>) -> (Mark, Color32) {
    let tokens = cx.look.tokens;
    match certainty {
        Certainty::Exact | Certainty::WithinAFrame | Certainty::AtMost => (Mark::Tick, tokens.good),
        Certainty::Few | Certainty::Between | Certainty::Needs(_) => (Mark::Question, tokens.caution),
        Certainty::Contradiction => (Mark::Cross, tokens.bad),
        Certainty::NotSeen => (Mark::Ring, tokens.muted),
    }
}
