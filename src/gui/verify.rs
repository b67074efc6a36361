//! Checks of the model against the emulator: results, totals, and mismatches with expected and actual values.

mod durations;
mod mismatches;

pub use mismatches::as_text;

use super::commands::Command;
use super::file_dialog::FileKind;
use super::layout::Pane;
use super::marks::{Mark, mark};
use super::save_field::{SaveField, SaveText};
use super::theme::Tone;
use super::ui_context::{UiAction, UiContext};
use super::widgets::stale_note;
use crate::live::{Check, NO_PREDICTOR, ReplayCommand, RoundResult, Status, Verdict, View};
use crate::report::{Format, Report};
use crate::text::capitalized;
use crate::text::counted;
use durations::Durations;
use eframe::egui::{
    Align, Button, CollapsingHeader, Color32, Grid, Label, Layout, RichText, Role, ScrollArea, Sense, Ui,
    WidgetInfo,
};
use std::fmt::Write as _;

/// Rounds that are listed.
const ROUNDS: usize = 50;

/// Icon, label and colour of a status. The label is enough without the colour.
fn status_label(status: Status, cx: &UiContext<'_>) -> (Mark, &'static str, Color32) {
    let tokens = cx.look.tokens;
    match status {
        Status::Verified => (Mark::Tick, "Verified", tokens.good),
        Status::Mismatch => (Mark::Cross, "Mismatch", tokens.bad),
        Status::NotVerified => (Mark::Question, "Not checked", tokens.caution),
        Status::Nothing => (Mark::Ring, "Nothing to check", tokens.muted),
    }
}

const REPORT: SaveText = SaveText {
    id: "verification report",
    kind: FileKind::Report,
    hint: "path of a .html or .md",
    button: "Save report",
    formats: ".html for browsers, with the pools drawn; .md for issue trackers",
};

#[derive(Default)]
pub struct VerifyPanel {
    durations: Durations,
    path: String,
    report: SaveField,
    saving: bool,
}

impl VerifyPanel {
    /// Starts or stops measuring durations.
    pub fn measure_durations(&mut self) {
        self.durations.toggle();
    }

    /// Sets the result of [`UiAction::SaveDurations`].
    pub fn set_save_result(&mut self, result: Result<String, String>) {
        self.durations.set_save_result(result);
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            let predicted = cx.view.target.as_ref().is_none_or(|target| target.profile.game.has_predictor());
            match &cx.view.data {
                None => _ = ui.weak("Nothing to verify: no emulator attached"),
                Some(_) if !predicted => _ = ui.label(NO_PREDICTOR),
                Some(data) => {
                    stale_note(ui, cx);
                    let (status, text) = summary(&data.verdict, cx.view);
                    let (sign, _, color) = status_label(status, cx);
                    ui.horizontal(|ui| {
                        mark(ui, sign, color);
                        ui.label(RichText::new(text).strong().size(15.0).color(color));
                    });
                }
            }
            self.tools(ui, cx);
            mismatches::show(ui, cx);
            if let Some(data) = cx.view.data.as_ref().filter(|_| predicted) {
                ui.scope(|ui| {
                    if cx.status.tone() == Tone::Grey {
                        ui.multiply_opacity(0.75);
                    }
                    for check in &data.verdict.checks {
                        draw_check(ui, cx, check);
                    }
                    totals(ui, cx);
                    rounds(ui, cx);
                });
            }
            if cx.view.target.is_some() {
                self.durations.show(ui, cx);
            }
        });
    }

    /// The number of mismatches, and what can be copied and saved.
    fn tools(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        mismatches::headline(ui, cx, |ui, cx| {
            let checked = cx.view.data.is_some() || !cx.view.mismatches.is_empty();
            if !checked || self.saving {
                return;
            }
            let button = ui.small_button("Save report…");
            if button.on_hover_text("Save all checks and results as HTML or Markdown").clicked() {
                self.saving = true;
                self.report.focus();
                if self.path.is_empty() {
                    FileKind::Report.default_name().clone_into(&mut self.path);
                }
            }
        });
        if self.saving {
            ui.horizontal_wrapped(|ui| {
                self.report.show(ui, cx.files, REPORT, &mut self.path, |path| {
                    let format = Format::of(path).ok_or("the file name must end in .html or .md")?;
                    Ok(Report::of_view(cx.view).write(format).into_bytes())
                });
                if ui.button("Close").on_hover_text("Dismiss").clicked() {
                    self.saving = false;
                }
                self.report.result(ui, cx.look.tokens);
            });
        }
        ui.separator();
    }
}

/// All checks in one line.
fn summary(verdict: &Verdict, view: &View) -> (Status, String) {
    let round = view.totals.rounds;
    let in_round = view.mismatches.iter().filter(|mismatch| mismatch.round == round).count();
    summary_of(verdict, view.totals.mismatches, in_round as u64)
}

/// The same with the number of mismatches, and of those in this round.
fn summary_of(verdict: &Verdict, mismatches: u64, in_round: u64) -> (Status, String) {
    let count = |status| verdict.checks.iter().filter(|check| check.status == status).count();
    let [verified, failed, open] = [Status::Verified, Status::Mismatch, Status::NotVerified].map(count);
    let all = verified + failed + open;
    let (status, mut text) = match (failed, open) {
        (1.., _) if in_round > 0 => {
            (Status::Mismatch, format!("{} in this round", counted(in_round, "mismatch")))
        }
        (1.., _) => (Status::Mismatch, format!("{failed} of {} failed", counted(all as u64, "check"))),
        (0, _) if all == 0 => return (Status::Nothing, "Nothing to check yet".to_owned()),
        (0, 0) if all == 1 => (Status::Verified, "The check passes".to_owned()),
        (0, 0) => (Status::Verified, format!("All {all} checks pass")),
        (0, _) => (
            if verified == 0 { Status::NotVerified } else { Status::Verified },
            format!("{verified} of {} pass, {open} not checked yet", counted(all as u64, "check")),
        ),
    };
    if mismatches > 0 && failed == 0 {
        let _ = write!(text, "; {} earlier", counted(mismatches, "mismatch"));
        return (Status::NotVerified, text);
    }
    (status, text)
}

/// The summary as a button that opens the panel.
pub fn verdict_line(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let Some(data) = &cx.view.data else { return };
    if data.verdict.checks.is_empty() {
        return;
    }
    let (status, text) = summary(&data.verdict, cx.view);
    let (sign, _, color) = status_label(status, cx);
    ui.horizontal(|ui| {
        mark(ui, sign, color);
        let button = Button::new(RichText::new(&text).strong().color(color)).frame(false);
        if ui.add(button).on_hover_text("Show each check in the Verify panel").clicked() {
            cx.run(Command::Show(Pane::Verify));
        }
    });
}

fn draw_check(ui: &mut Ui, cx: &UiContext<'_>, check: &Check) {
    let (sign, word, color) = status_label(check.status, cx);
    let response = ui
        .scope(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            ui.horizontal(|ui| {
                mark(ui, sign, color);
                ui.label(RichText::new(check.id.name()).strong());
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.label(RichText::new(word).color(color));
                });
            });
            ui.horizontal(|ui| {
                ui.add_space(22.0);
                ui.add(Label::new(RichText::new(&check.detail).weak()).wrap());
            });
        })
        .response;
    let label = format!("{}: {word}, {}", check.id.name(), check.detail);
    // Above the labels, so that the explanation is shown wherever the pointer is.
    let response = ui.interact(response.rect, response.id.with("check"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &label));
    response.on_hover_text(check.id.meaning());
    ui.add_space(2.0);
}

fn totals(ui: &mut Ui, cx: &UiContext<'_>) {
    let totals = cx.view.totals;
    let dealt = capitalized(cx.view.unit().plural());
    let (verified, unseen) = (format!("{dealt} verified"), format!("{dealt} missed"));
    let predicted = format!("{dealt} that the model predicted correctly before the game drew them");
    let missed = format!("{dealt} drawn and dealt between two snapshots, so that they could not be checked");
    let boards = totals.boards_verified + totals.boards_missed > 0;
    let boards = boards.then(|| {
        (
            "Boards verified",
            format!("{}, {} after a chain", totals.boards_verified, totals.chains_verified),
            "Boards and scores that matched the model",
        )
    });
    let rows = [
        (
            "Rounds verified",
            format!("{} of {}", totals.rounds_verified, totals.rounds),
            "Rounds whose pools the model reproduced from one generator state",
        ),
        (verified.as_str(), totals.pairs_verified.to_string(), predicted.as_str()),
        (unseen.as_str(), totals.pairs_missed.to_string(), missed.as_str()),
        (
            "Frames missed",
            format!("{} of {}", totals.frames_missed, totals.frames),
            "Game frames without a snapshot",
        ),
        (
            "Snapshots",
            format!("{}, {} repeated", totals.samples, totals.torn),
            "A snapshot is repeated if the frame counter changed while it was read",
        ),
        ("Connections", totals.attachments.to_string(), "Number of times the connection was made"),
    ];
    ui.add_space(2.0);
    Grid::new("totals").num_columns(2).spacing([12.0, 2.0]).show(ui, |ui| {
        for (name, value, meaning) in rows.into_iter().chain(boards) {
            ui.weak(name).on_hover_text(meaning);
            ui.label(value);
            ui.end_row();
        }
    });
}

/// The results of each round, newest first.
fn rounds(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let all = cx.view.rounds.results();
    if all.len() == 0 {
        return;
    }
    let unit = cx.view.unit().plural();
    let shown: Vec<RoundResult> = all.rev().take(ROUNDS).collect();
    ui.add_space(4.0);
    CollapsingHeader::new("Rounds").default_open(true).show(ui, |ui| {
        Grid::new("rounds").num_columns(3).striped(true).spacing([12.0, 3.0]).show(ui, |ui| {
            for round in shown {
                round_row(ui, cx, round, unit);
                ui.end_row();
            }
        });
    });
}

fn round_row(ui: &mut Ui, cx: &mut UiContext<'_>, round: RoundResult, unit: &str) {
    let status = match round {
        RoundResult { mismatches: 1.., .. } => Status::Mismatch,
        RoundResult { generation_verified: true, .. } => Status::Verified,
        _ => Status::NotVerified,
    };
    let (sign, word, color) = status_label(status, cx);
    let name = format!("Round {}", round.number);
    ui.horizontal(|ui| {
        mark(ui, sign, color);
        let marks = cx.view.replay.as_ref().map(|replay| &replay.rounds);
        match marks.and_then(|marks| marks.iter().find(|mark| mark.number == round.number)) {
            Some(start) => {
                let seek = ReplayCommand::Seek(start.sample);
                let link = ui.link(&name);
                let label = format!("Go to round {}", round.number);
                link.widget_info(|| WidgetInfo::labeled(Role::Link, true, &label));
                if link.on_hover_text("Go to the start of the round").clicked() {
                    cx.actions.push(UiAction::Replay(seek));
                }
            }
            None => _ = ui.label(&name),
        }
    });
    ui.label(RichText::new(word).color(color));
    let mut parts = vec![format!("{} {unit}", round.verified)];
    if round.boards_verified > 0 {
        parts.push(counted(round.boards_verified, "board"));
    }
    if round.mismatches > 0 {
        parts.push(counted(round.mismatches, "mismatch"));
    }
    if round.missed > 0 {
        parts.push(format!("{} missed", round.missed));
    }
    let text = parts.join(", ");
    let response = ui.add(Label::new(RichText::new(&text).weak()).wrap());
    let label = format!("{name}: {word}, {text}");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &label));
    response.on_hover_text(format!("{unit} and boards that matched the model in this round"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::CheckId;

    #[test]
    fn all_checks_are_summed_up_in_one_line() {
        use Status::{Mismatch, NotVerified, Nothing, Verified};
        let line = |statuses: &[Status], mismatches, in_round| {
            let check =
                |status: &Status| Check { id: CheckId::GENERATION, status: *status, detail: String::new() };
            summary_of(&Verdict { checks: statuses.iter().map(check).collect() }, mismatches, in_round)
        };
        for (statuses, (mismatches, in_round), status, text) in [
            (&[Verified, Verified, Nothing][..], (0, 0), Verified, "All 2 checks pass"),
            (&[Verified], (0, 0), Verified, "The check passes"),
            (&[Verified, NotVerified, Nothing], (0, 0), Verified, "1 of 2 checks pass, 1 not checked yet"),
            (&[NotVerified, NotVerified], (0, 0), NotVerified, "0 of 2 checks pass, 2 not checked yet"),
            (&[Verified, Mismatch, NotVerified], (5, 0), Mismatch, "1 of 3 checks failed"),
            (&[Verified, Mismatch, NotVerified], (5, 1), Mismatch, "1 mismatch in this round"),
            (&[Verified, Verified], (3, 0), NotVerified, "All 2 checks pass; 3 mismatches earlier"),
            (&[Nothing], (0, 0), Nothing, "Nothing to check yet"),
        ] {
            assert_eq!(line(statuses, mismatches, in_round), (status, text.to_owned()));
        }
    }
}
