//! Checks of the model against the emulator: results, totals, and mismatches with expected and actual values.

use super::commands::Command;
use super::file_dialog::FileKind;
use super::layout::Pane;
use super::marks::{Mark, mark};
use super::puyo;
use super::recordings::is_recording;
use super::save_field::{SaveField, SaveText};
use super::theme::Tone;
use super::ui_context::{UiAction, UiContext};
use super::widgets::{shortened_in_the_middle, stale_note};
use crate::console::ConsoleAddr;
use crate::live::{Check, Mismatch, NO_PREDICTOR, ReplayCommand, Status, Verdict};
use crate::report::{Format, Report};
use crate::text::capitalized;
use crate::text::counted;
use eframe::egui::{
    Align, Button, Color32, Frame, Grid, Label, Layout, Margin, RichText, Role, ScrollArea, TextStyle,
    TextWrapMode, Ui, UiBuilder, WidgetInfo, text::LayoutJob, vec2,
};
use nextscope_boards::Pair;
use std::fmt::Write as _;

/// Height of a mismatch in the list, in points. All are equal, so that only visible ones are drawn.
const ROW: f32 = 148.0;
/// Hexadecimal digits of a value shown in the list; the tooltip and the copy have all.
const SHOWN_DIGITS: usize = 24;

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
    path: String,
    report: SaveField,
    saving: bool,
}

impl VerifyPanel {
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
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
            ui.separator();
        }
        show(ui, cx, &mut self.saving);
    }
}

/// The panel below the save field, which `saving` opens.
fn show(ui: &mut Ui, cx: &mut UiContext<'_>, saving: &mut bool) {
    let view = cx.view;
    let Some(data) = &view.data else {
        ui.weak("Nothing to verify: no emulator attached");
        mismatches(ui, cx, saving);
        return;
    };
    stale_note(ui, cx);
    if view.target.as_ref().is_some_and(|target| !target.profile.game.has_predictor()) {
        ui.label(NO_PREDICTOR);
        ui.separator();
        mismatches(ui, cx, saving);
        return;
    }
    let height = if later_mismatches(cx) > 0 { 92.0 } else { 34.0 };
    let listed = if view.mismatches.is_empty() { height } else { ui.available_height() * 0.42 };
    let room = ui.available_height() - listed;
    ScrollArea::vertical().id_salt("checks").max_height(room).auto_shrink([false, true]).show(ui, |ui| {
        if cx.status.tone() == Tone::Grey {
            ui.multiply_opacity(0.75);
        }
        let (status, text) = summary(&data.verdict, view.totals.mismatches);
        let (sign, _, color) = status_label(status, cx);
        ui.horizontal(|ui| {
            mark(ui, sign, color);
            ui.label(RichText::new(text).strong().size(15.0).color(color));
        });
        ui.add_space(2.0);
        for check in &data.verdict.checks {
            draw_check(ui, cx, check);
        }
        totals(ui, cx);
    });
    ui.separator();
    mismatches(ui, cx, saving);
}

/// All checks in one line.
fn summary(verdict: &Verdict, mismatches: u64) -> (Status, String) {
    let count = |status| verdict.checks.iter().filter(|check| check.status == status).count();
    let [verified, failed, open] = [Status::Verified, Status::Mismatch, Status::NotVerified].map(count);
    let all = verified + failed + open;
    let (status, mut text) = match (failed, open) {
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
    let (status, text) = summary(&data.verdict, cx.view.totals.mismatches);
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
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &label));
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

fn mismatches(ui: &mut Ui, cx: &mut UiContext<'_>, saving: &mut bool) {
    let all = std::sync::Arc::clone(&cx.view.mismatches);
    let total = cx.view.totals.mismatches.max(all.len() as u64);
    ui.horizontal_wrapped(|ui| {
        let text = match total {
            0 => RichText::new("No mismatches").strong(),
            _ => RichText::new(counted(total, "mismatch")).strong().color(cx.look.tokens.bad),
        };
        ui.label(text);
        if total > all.len() as u64 {
            ui.weak(format!("showing the last {}", all.len()));
        }
        if !all.is_empty() && ui.small_button("Copy all").on_hover_text("Copy mismatches as text").clicked() {
            cx.copy(as_text(&all), "mismatches");
        }
        let checked = cx.view.data.is_some() || !all.is_empty();
        if checked && !*saving {
            let button = ui.small_button("Save report…");
            *saving = button.on_hover_text("Save all checks and results as HTML or Markdown").clicked();
        }
    });
    later_link(ui, cx);
    if all.is_empty() {
        return;
    }
    ScrollArea::vertical().id_salt("mismatches").auto_shrink([false, false]).show_rows(
        ui,
        ROW,
        all.len(),
        |ui, rows| {
            for row in rows {
                let Some(index) = all.len().checked_sub(row + 1) else { continue };
                if let Some(mismatch) = all.get(index) {
                    ui.push_id(row, |ui| draw_mismatch(ui, cx, mismatch, index));
                }
            }
        },
    );
}

/// Samples with mismatches after the shown sample of a recording.
fn later_mismatches(cx: &UiContext<'_>) -> usize {
    let Some(replay) = &cx.view.replay else { return 0 };
    replay.mismatches.len() - replay.mismatches.partition_point(|at| *at <= replay.index)
}

/// A link to later mismatches: the list ends at the shown sample.
fn later_link(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let later_mismatches = later_mismatches(cx);
    if later_mismatches == 0 {
        return;
    }
    let places = counted(later_mismatches as u64, "sample");
    ui.horizontal_wrapped(|ui| {
        ui.weak(format!("More mismatches later, at {places}"));
        let command = Command::NextMismatch;
        let hint = cx.keys.hint(ui.ctx(), command, command.tooltip());
        if ui.small_button("Go to next mismatch").on_hover_text(hint).clicked() {
            cx.run(command);
        }
    });
}

/// Seeks to the sample where the mismatch at this index of the list was detected.
fn go_to_sample(ui: &mut Ui, cx: &mut UiContext<'_>, index: usize) {
    let Some(replay) = &cx.view.replay else { return };
    let detected = cx.view.replayed.as_ref().and_then(|replayed| replayed.detected_at.get(index));
    let Some(sample) = detected.map(|detected| detected.sample) else { return };
    let away = sample != replay.index;
    let response = ui.add_enabled(away, Button::new("Go to sample").small());
    let label = format!("Go to sample {}", sample + 1);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, away, &label));
    let response = response
        .on_hover_text(format!("{label}, where the mismatch was detected"))
        .on_disabled_hover_text("Detected at the shown sample");
    if response.clicked() {
        cx.actions.extend([ReplayCommand::Pause, ReplayCommand::Seek(sample)].map(UiAction::Replay));
    }
}

/// Shows the mismatching bytes in the memory panel, if the field has a fixed address.
fn show_in_memory(ui: &mut Ui, cx: &mut UiContext<'_>, mismatch: &Mismatch) {
    let target = cx.view.target.as_ref().filter(|_| cx.view.data.is_some());
    let field = target.and_then(|target| target.profile.field(&mismatch.field));
    let Some(field) = field.filter(|field| field.through.is_none()) else { return };
    // The index is a byte offset in pools, else a number of pairs or pieces.
    let byte = mismatch.index.filter(|at| {
        mismatch.field.starts_with("pool_") && usize::try_from(*at).is_ok_and(|at| at < field.len())
    });
    let (address, len) = match byte {
        Some(byte) => (ConsoleAddr(field.address.0.saturating_add(byte)), 1),
        None => (field.address, field.len()),
    };
    let response = ui.small_button("Show in memory");
    let label = format!("Show in memory panel: {} at {address}", mismatch.field);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    if response.on_hover_text(label.to_string()).clicked() {
        cx.actions.push(UiAction::Select(address, len));
    }
}

/// All mismatches as text, oldest first.
pub fn as_text(mismatches: &[Mismatch]) -> String {
    let line = |mismatch: &Mismatch| {
        let evidence = mismatch.evidence.as_ref().map_or_else(String::new, |path| path.display().to_string());
        format!(
            "{mismatch}\n  field {}, first index {}\n  expected {}\n  actual   {}\n  evidence {evidence}\n",
            mismatch.field,
            mismatch.index.map_or_else(|| "-".into(), |index| index.to_string()),
            mismatch.expected,
            mismatch.actual,
        )
    };
    mismatches.iter().map(line).collect()
}

fn draw_mismatch(ui: &mut Ui, cx: &mut UiContext<'_>, mismatch: &Mismatch, index: usize) {
    let tokens = cx.look.tokens;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW - 4.0), egui::Sense::hover());
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::top_down(Align::Min)));
    inner.set_clip_rect(rect.intersect(ui.clip_rect()));
    Frame::new()
        .fill(tokens.card)
        .stroke((1.0, tokens.line))
        .corner_radius(4)
        .inner_margin(Margin::same(6))
        .show(&mut inner, |ui| {
            ui.set_min_size(vec2(rect.width() - 14.0, ROW - 18.0));
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.style_mut().wrap_mode = Some(TextWrapMode::Truncate);
            ui.horizontal_top(|ui| {
                mark(ui, Mark::Cross, tokens.bad);
                let mut what = LayoutJob::simple(
                    mismatch.what.clone(),
                    TextStyle::Body.resolve(ui.style()),
                    tokens.text,
                    ui.available_width(),
                );
                what.wrap.max_rows = 2;
                ui.add(Label::new(what).wrap()).on_hover_text(&mismatch.what);
            });
            let first = mismatch.index.map_or_else(String::new, |index| format!(", first index {index}"));
            ui.weak(format!("round {}, frame {}, {}{first}", mismatch.round, mismatch.frame, mismatch.field));
            ui.columns(2, |sides| {
                side(&mut sides[0], cx, "Expected", &mismatch.expected, mismatch);
                side(&mut sides[1], cx, "Actual", &mismatch.actual, mismatch);
            });
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                go_to_sample(ui, cx, index);
                show_in_memory(ui, cx, mismatch);
                let text = as_text(std::slice::from_ref(mismatch));
                if ui.small_button("Copy").on_hover_text("Copy this mismatch as text").clicked() {
                    cx.copy(text, "mismatch");
                }
                let evidence = mismatch.evidence.as_ref().filter(|path| is_recording(path));
                if let Some(path) = evidence.filter(|_| cx.view.replay.is_none()) {
                    let hint = format!("Open {}. Use Back to live to return", path.display());
                    if ui.small_button("Open evidence").on_hover_text(hint).clicked() {
                        cx.actions.push(UiAction::OpenRecording(path.clone()));
                    }
                }
            });
            evidence(ui, cx, mismatch);
        });
}

/// The path of the evidence.
fn evidence(ui: &mut Ui, cx: &mut UiContext<'_>, mismatch: &Mismatch) {
    let Some(path) = &mismatch.evidence else {
        let is_replayed = cx.view.replay.is_some();
        ui.weak(if is_replayed { "this recording is the evidence" } else { "no evidence saved" });
        return;
    };
    let path = path.display().to_string();
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if ui.small_button("Copy path").on_hover_text(format!("Copy {path}")).clicked() {
            cx.copy(path.clone(), "evidence path");
        }
        let shown = shortened_in_the_middle(ui, &path, ui.available_width());
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.weak(shown).on_hover_text(&path));
    });
}

/// The expected or actual value, drawn as a pair if it is one.
fn side(ui: &mut Ui, cx: &UiContext<'_>, name: &str, value: &str, mismatch: &Mismatch) {
    ui.horizontal(|ui| {
        let pair = as_pair(mismatch, value);
        let value = &pair.map_or_else(|| value.to_owned(), |pair| pair.letters_and(value));
        if let Some(pair) = pair {
            puyo::pair(ui, pair, 17.0, name, &cx.look, Tone::Live);
        }
        ui.vertical(|ui| {
            ui.weak(name);
            let shown: String = value.chars().take(SHOWN_DIGITS).collect();
            let cut = if shown.len() < value.len() { "…" } else { "" };
            ui.label(RichText::new(format!("{shown}{cut}")).monospace())
                .on_hover_text(format!("{name}: {value}"));
        });
    });
}

/// Mismatches of a queue contain pairs.
fn as_pair(mismatch: &Mismatch, value: &str) -> Option<Pair> {
    Pair::from_text(value).filter(|_| mismatch.field.ends_with("_queue"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::CheckId;

    #[test]
    fn all_checks_are_summed_up_in_one_line() {
        use Status::{Mismatch, NotVerified, Nothing, Verified};
        let line = |statuses: &[Status], mismatches| {
            let check =
                |status: &Status| Check { id: CheckId::GENERATION, status: *status, detail: String::new() };
            summary(&Verdict { checks: statuses.iter().map(check).collect() }, mismatches)
        };
        for (statuses, mismatches, status, text) in [
            (&[Verified, Verified, Nothing][..], 0, Verified, "All 2 checks pass"),
            (&[Verified], 0, Verified, "The check passes"),
            (&[Verified, NotVerified, Nothing], 0, Verified, "1 of 2 checks pass, 1 not checked yet"),
            (&[NotVerified, NotVerified], 0, NotVerified, "0 of 2 checks pass, 2 not checked yet"),
            (&[Verified, Mismatch, NotVerified], 1, Mismatch, "1 of 3 checks failed"),
            (&[Verified, Verified], 3, NotVerified, "All 2 checks pass; 3 mismatches earlier"),
            (&[Nothing], 0, Nothing, "Nothing to check yet"),
        ] {
            assert_eq!(line(statuses, mismatches), (status, text.to_owned()));
        }
    }
}
