//! The mismatches: expected and actual values, where they are, and their evidence.

use crate::console::ConsoleAddr;
use crate::file::{DUMP_LIMIT, Overwrite, read_regular, write};
use crate::gui::commands::Command;
use crate::gui::file_dialog::{FileDialogs, FileKind, SaveTarget};
use crate::gui::marks::{Mark, mark};
use crate::gui::outside::{Outside, SHOW_IN_FOLDER};
use crate::gui::puyo;
use crate::gui::recordings::is_recording;
use crate::gui::theme::Tone;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::gui::widgets::shortened_in_the_middle;
use crate::live::{Mismatch, ReplayCommand};
use crate::text::counted;
use eframe::egui::{
    Align, Button, Frame, Id, Label, Layout, Margin, RichText, Role, Sense, TextStyle, TextWrapMode, Ui,
    UiBuilder, Vec2, WidgetInfo, text::LayoutJob, vec2,
};
use nextscope_boards::{Color, Pair};
use std::path::Path;

/// Height of a mismatch in the list, in points. All are equal, so that only visible ones are drawn.
const ROW: f32 = 174.0;
/// Hexadecimal digits of a value shown in the list; the tooltip and the copy have all.
const SHOWN_DIGITS: usize = 24;
/// Puyos of a pool that are drawn.
const SHOWN_PUYOS: usize = 6;

/// The number of mismatches and the buttons beside it; `more` adds others.
pub fn headline(ui: &mut Ui, cx: &mut UiContext<'_>, more: impl FnOnce(&mut Ui, &mut UiContext<'_>)) {
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
        more(ui, cx);
    });
    later_link(ui, cx);
}

/// The list, newest first.
pub fn show(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let all = std::sync::Arc::clone(&cx.view.mismatches);
    for (index, mismatch) in all.iter().enumerate().rev() {
        ui.push_id(("mismatch", index), |ui| draw_mismatch(ui, cx, mismatch, index));
    }
    if !all.is_empty() {
        ui.separator();
    }
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
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW - 4.0), Sense::CLICK);
    response.context_menu(|ui| mismatch_menu(ui, cx, mismatch));
    if !ui.is_rect_visible(rect) {
        return;
    }
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
            // A right click on a text opens the menu of the mismatch.
            ui.style_mut().interaction.selectable_labels = false;
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
            let text = as_text(std::slice::from_ref(mismatch));
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                go_to_sample(ui, cx, index);
                show_in_memory(ui, cx, mismatch);
                if ui.small_button("Copy").on_hover_text("Copy this mismatch as text").clicked() {
                    cx.copy(text, "mismatch");
                }
            });
            let file = mismatch.evidence.as_ref().filter(|path| is_recording(path));
            if let Some(path) = file.filter(|_| cx.view.replay.is_none()) {
                evidence_tools(ui, cx, path, index);
            }
            evidence(ui, cx, mismatch);
        });
}

/// What can be done with a mismatch, for those who look for it there.
fn mismatch_menu(ui: &mut Ui, cx: &mut UiContext<'_>, mismatch: &Mismatch) {
    let expected = format!("{} expected, {} actual", mismatch.expected, mismatch.actual);
    for (text, copied) in
        [("Copy mismatch", as_text(std::slice::from_ref(mismatch))), ("Copy values", expected)]
    {
        if ui.button(text).clicked() {
            cx.copy(copied, "mismatch");
            ui.close();
        }
    }
    let Some(path) = &mismatch.evidence else { return };
    if ui.button("Copy evidence path").clicked() {
        cx.copy(path.display().to_string(), "evidence path");
        ui.close();
    }
    if ui.button(SHOW_IN_FOLDER).clicked() {
        cx.actions.push(UiAction::Outside(Outside::Folder(path.clone())));
        ui.close();
    }
}

/// Opens, saves and shows the recording of a mismatch.
fn evidence_tools(ui: &mut Ui, cx: &mut UiContext<'_>, path: &Path, index: usize) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let hint = format!("Open {}. Use Back to live to return", path.display());
        if ui.small_button("Open evidence").on_hover_text(hint).clicked() {
            cx.actions.push(UiAction::OpenRecording(path.to_owned()));
        }
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let button = (Id::unique(("evidence", index)), "Save as…");
        match cx.files.browse_save(ui, button, FileKind::Recording, &name) {
            Some(Ok(target)) => {
                if let Err(why) = save_copy(cx.files, path, &target) {
                    tracing::warn!("{why}");
                }
            }
            Some(Err(why)) => tracing::warn!("{why}"),
            None => {}
        }
        if ui.small_button(SHOW_IN_FOLDER).on_hover_text(path.display().to_string()).clicked() {
            cx.actions.push(UiAction::Outside(Outside::Folder(path.to_owned())));
        }
    });
}

/// Copies the evidence to a chosen file.
fn save_copy(files: &mut FileDialogs, path: &Path, target: &SaveTarget) -> Result<(), String> {
    let overwrite = if target.confirmed { Overwrite::Replace } else { Overwrite::Refuse };
    let bytes = read_regular(path, DUMP_LIMIT)
        .map_err(|error| format!("Could not read {}: {error}", path.display()))?;
    write(&target.path, &bytes, overwrite)
        .map_err(|error| format!("Could not write {}: {error}", target.path.display()))?;
    let message = format!("Saved {} bytes to {}", bytes.len(), target.path.display());
    files.saved(FileKind::Recording, &target.path, message);
    Ok(())
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

/// The expected or actual value, with its picture if it is a pair or a part of a pool.
fn side(ui: &mut Ui, cx: &UiContext<'_>, name: &str, value: &str, mismatch: &Mismatch) {
    ui.horizontal(|ui| {
        let pair = as_pair(mismatch, value);
        let puyos = as_puyos(mismatch, value);
        let value = &pair.map_or_else(|| value.to_owned(), |pair| pair.letters_and(value));
        if let Some(pair) = pair {
            puyo::pair(ui, pair, 17.0, name, &cx.look, Tone::Live);
        }
        ui.vertical(|ui| {
            ui.weak(name);
            if !puyos.is_empty() {
                puyo_row(ui, cx, name, &puyos);
            }
            let shown: String = value.chars().take(SHOWN_DIGITS).collect();
            let cut = if shown.len() < value.len() { "…" } else { "" };
            ui.label(RichText::new(format!("{shown}{cut}")).monospace())
                .on_hover_text(format!("{name}: {value}"));
        });
    });
}

/// Puyos in a row.
fn puyo_row(ui: &mut Ui, cx: &UiContext<'_>, name: &str, puyos: &[Color]) {
    const DIAMETER: f32 = 16.0;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for color in puyos {
            let (rect, response) = ui.allocate_exact_size(Vec2::splat(DIAMETER), Sense::hover());
            let label = format!("{name}: {}", color.name());
            response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
            puyo::paint_puyo(ui.painter(), rect.center(), DIAMETER, *color, &cx.look, Tone::Live);
            response.on_hover_text(label);
        }
    });
}

/// Mismatches of a queue contain pairs.
fn as_pair(mismatch: &Mismatch, value: &str) -> Option<Pair> {
    Pair::from_text(value).filter(|_| mismatch.field.ends_with("_queue"))
}

/// Mismatches of a pool contain its bytes, which are colours.
fn as_puyos(mismatch: &Mismatch, value: &str) -> Vec<Color> {
    if !mismatch.field.starts_with("pool_") || !value.is_ascii() {
        return Vec::new();
    }
    let digits = value.as_bytes().chunks_exact(2);
    let byte = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    let colors = digits.map_while(|digits| byte(digits).filter(|code| *code < 8).map(Color));
    colors.take(SHOWN_PUYOS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::CheckId;

    #[test]
    fn bytes_of_a_pool_are_drawn_as_puyos() {
        let mismatch = |field: &str| Mismatch {
            check: CheckId::POOL_COUNTS,
            what: String::new(),
            expected: String::new(),
            actual: String::new(),
            field: field.into(),
            index: Some(3),
            frame: 0,
            round: 1,
            evidence: None,
            one_of: false,
        };
        let colors = [Color::RED, Color::PURPLE, Color::BLUE];
        assert_eq!(as_puyos(&mismatch("pool_4"), "000405"), colors);
        assert_eq!(as_puyos(&mismatch("pool_4"), "000405ff"), colors, "no colour is 0xFF");
        assert_eq!(as_puyos(&mismatch("pool_4"), &"00".repeat(40)).len(), SHOWN_PUYOS);
        assert_eq!(as_puyos(&mismatch("p1_score"), "000405"), []);
        assert_eq!(as_puyos(&mismatch("pool_4"), "Größe"), []);
    }
}
