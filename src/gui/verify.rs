//! Emulator against model: every check, what was counted, every mismatch with expected and actual side by side.

use super::commands::Command;
use super::marks::{Mark, mark};
use super::puyo;
use super::replay::is_recording;
use super::saving::{SaveLine, SaveWords};
use super::scene::{Ask, Scene};
use super::theme::Tone;
use super::widgets::{shortened_in_the_middle, stale_note};
use crate::console::ConsoleAddr;
use crate::game::puyo_tsu::Pair;
use crate::live::{Check, Mismatch, NOTHING_FORETOLD, ReplayOrder, Status};
use crate::report::{Format, Report};
use eframe::egui::{
    Align, Button, Color32, Frame, Grid, Label, Layout, Margin, RichText, Role, ScrollArea, TextStyle,
    TextWrapMode, Ui, UiBuilder, WidgetInfo, text::LayoutJob, vec2,
};

/// Height of one mismatch in the list, in points; all alike, so that only those in sight are drawn.
const ROW: f32 = 148.0;
/// The hexadecimal digits shown of what was expected; the rest is in the tooltip and the copy.
const SHOWN_DIGITS: usize = 24;

/// The mark, the word and the colour of a status. The word is enough without the colour.
fn words(status: Status, scene: &Scene<'_>) -> (Mark, &'static str, Color32) {
    let tokens = scene.look.tokens;
    match status {
        Status::Holds => (Mark::Tick, "holds", tokens.good),
        Status::Mismatch => (Mark::Cross, "mismatch", tokens.bad),
        Status::NotVerified => (Mark::Question, "not verified", tokens.caution),
        Status::Nothing => (Mark::Ring, "nothing to check", tokens.muted),
    }
}

const REPORT: SaveWords = SaveWords {
    id: "verification report",
    hint: "path of a .html or .md",
    button: "Save report",
    forms: ".html for browsers, with the pools drawn; .md for issue trackers",
};

/// What the panel remembers.
#[derive(Default)]
pub struct VerifyPanel {
    path: String,
    report: SaveLine,
    /// Whether the line for the report is there.
    saving: bool,
}

impl VerifyPanel {
    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>) {
        if self.saving {
            ui.horizontal_wrapped(|ui| {
                self.report.show(ui, REPORT, &mut self.path, |path| {
                    let format = Format::of(path).ok_or("the name of a report ends with .html or .md")?;
                    Ok(Report::of_view(scene.view).write(format).into_bytes())
                });
                if ui.button("Done").on_hover_text("Puts this line away").clicked() {
                    self.saving = false;
                }
                self.report.told(ui, scene.look.tokens);
            });
            ui.separator();
        }
        show(ui, scene, &mut self.saving);
    }
}

/// The panel without the line for the report, which `saving` asks for.
fn show(ui: &mut Ui, scene: &mut Scene<'_>, saving: &mut bool) {
    let view = scene.view;
    let Some(data) = &view.data else {
        ui.weak("Nothing to verify: no emulator is attached");
        mismatches(ui, scene, saving);
        return;
    };
    stale_note(ui, scene);
    if view.target.as_ref().is_some_and(|target| !target.profile.game.has_predictor()) {
        ui.label(NOTHING_FORETOLD);
        ui.separator();
        mismatches(ui, scene, saving);
        return;
    }
    let told = if to_come(scene) > 0 { 70.0 } else { 34.0 };
    let listed = if view.mismatches.is_empty() { told } else { ui.available_height() * 0.42 };
    let room = ui.available_height() - listed;
    ScrollArea::vertical().id_salt("checks").max_height(room).auto_shrink([false, true]).show(ui, |ui| {
        if scene.standing.tone() == Tone::Grey {
            ui.multiply_opacity(0.75);
        }
        for check in &data.verdict.checks {
            draw_check(ui, scene, check);
        }
        totals(ui, scene);
    });
    ui.separator();
    mismatches(ui, scene, saving);
}

fn draw_check(ui: &mut Ui, scene: &Scene<'_>, check: &Check) {
    let (sign, word, color) = words(check.status, scene);
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

fn totals(ui: &mut Ui, scene: &Scene<'_>) {
    let totals = scene.view.totals;
    let single = scene
        .view
        .target
        .as_ref()
        .is_some_and(|target| target.profile.game.unit() == crate::game::Unit::Pieces);
    let (verified, unseen, dealt) = if single {
        ("Pieces verified", "Pieces unseen", "Pieces")
    } else {
        ("Pairs verified", "Pairs unseen", "Pairs")
    };
    let foretold =
        format!("{dealt} that were forecast before the game drew them, and were drawn as forecast");
    let missed = format!("{dealt} that were drawn and dealt between two snapshots, so that nobody can tell");
    let boards = totals.landings_verified + totals.landings_unseen > 0;
    let boards = boards.then(|| {
        (
            "Boards verified",
            format!("{}, {} after a chain", totals.landings_verified, totals.chains_verified),
            "Boards that a pair, its chain and its points left as they had to be",
        )
    });
    let rows = [
        (
            "Rounds verified",
            format!("{} of {}", totals.rounds_verified, totals.rounds),
            "Rounds whose pools were reproduced exactly from one state of the generator",
        ),
        (verified, totals.pairs_verified.to_string(), foretold.as_str()),
        (unseen, totals.pairs_unseen.to_string(), missed.as_str()),
        (
            "Frames missed",
            format!("{} of {}", totals.frames_missed, totals.frames),
            "Frames of the game that no snapshot saw",
        ),
        (
            "Snapshots",
            format!("{}, {} taken again", totals.samples, totals.torn),
            "A snapshot during which the frame counter moved is taken again",
        ),
        ("Attached", times(totals.attachments), "How often the connection was made"),
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

fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        _ => format!("{count} times"),
    }
}

fn mismatches(ui: &mut Ui, scene: &mut Scene<'_>, saving: &mut bool) {
    let all = std::sync::Arc::clone(&scene.view.mismatches);
    let total = scene.view.totals.mismatches.max(all.len() as u64);
    ui.horizontal_wrapped(|ui| {
        let text = match total {
            0 => RichText::new("No mismatches").strong(),
            1 => RichText::new("1 mismatch").strong().color(scene.look.tokens.bad),
            _ => RichText::new(format!("{total} mismatches")).strong().color(scene.look.tokens.bad),
        };
        ui.label(text);
        if total > all.len() as u64 {
            ui.weak(format!("the last {} are listed", all.len()));
        }
        if !all.is_empty() && ui.small_button("Copy all").on_hover_text("Copy mismatches as text").clicked() {
            scene.copy(as_text(&all), "mismatches");
        }
        let checked = scene.view.data.is_some() || !all.is_empty();
        if checked && !*saving {
            let button = ui.small_button("Save report…");
            *saving = button
                .on_hover_text("What was checked and what came of it, as a page or as Markdown")
                .clicked();
        }
    });
    later(ui, scene);
    if all.is_empty() {
        return;
    }
    ScrollArea::vertical().id_salt("mismatches").auto_shrink([false, false]).show_rows(
        ui,
        ROW,
        all.len(),
        |ui, rows| {
            for row in rows {
                // Newest first.
                let Some(index) = all.len().checked_sub(row + 1) else { continue };
                if let Some(mismatch) = all.get(index) {
                    ui.push_id(row, |ui| draw_mismatch(ui, scene, mismatch, index));
                }
            }
        },
    );
}

/// At how many samples mismatches are noticed after the one of a recording that is shown.
fn to_come(scene: &Scene<'_>) -> usize {
    let Some(replay) = &scene.view.replay else { return 0 };
    replay.mismatches.len() - replay.mismatches.partition_point(|at| *at <= replay.index)
}

/// Tells that, and the way there: the list ends with the sample that is shown.
fn later(ui: &mut Ui, scene: &mut Scene<'_>) {
    let to_come = to_come(scene);
    let places = match to_come {
        0 => return,
        1 => "1 sample".to_owned(),
        _ => format!("{to_come} samples"),
    };
    ui.horizontal_wrapped(|ui| {
        ui.weak(format!("some come later, at {places}"));
        let command = Command::NextMismatch;
        let hint = scene.keys.hint(ui.ctx(), command, command.tooltip());
        if ui.small_button("Go to the next").on_hover_text(hint).clicked() {
            scene.run(command);
        }
    });
}

/// Goes to the sample of the recording at which the mismatch of this number in the list was noticed.
fn go_there(ui: &mut Ui, scene: &mut Scene<'_>, index: usize) {
    let Some(replay) = &scene.view.replay else { return };
    let noticed = scene.view.replayed.as_ref().and_then(|replayed| replayed.noticed.get(index));
    let Some(sample) = noticed.map(|noticed| noticed.sample) else { return };
    let away = sample != replay.index;
    let response = ui.add_enabled(away, Button::new("Go there").small());
    let label = format!("Go there: sample {}", sample + 1);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, away, &label));
    let response = response
        .on_hover_text(format!("{label} of the recording, at which it was noticed"))
        .on_disabled_hover_text("It was noticed at the sample that is shown");
    if response.clicked() {
        scene.asked.extend([ReplayOrder::Pause, ReplayOrder::Seek(sample)].map(Ask::Replay));
    }
}

/// Shows the bytes that disagree in the memory panel, where the profile says at which address they stand.
fn show_in_memory(ui: &mut Ui, scene: &mut Scene<'_>, mismatch: &Mismatch) {
    let target = scene.view.target.as_ref().filter(|_| scene.view.data.is_some());
    let field = target.and_then(|target| target.profile.field(&mismatch.field));
    let Some(field) = field.filter(|field| field.through.is_none()) else { return };
    // Of a pool it is the byte; elsewhere the index counts pairs or pieces.
    let byte = mismatch.index.filter(|at| {
        mismatch.field.starts_with("pool_") && usize::try_from(*at).is_ok_and(|at| at < field.len())
    });
    let (address, len) = match byte {
        Some(byte) => (ConsoleAddr(field.address.0.saturating_add(byte)), 1),
        None => (field.address, field.len()),
    };
    let response = ui.small_button("Show in memory");
    let label = format!("Show in memory: {} at {address}", mismatch.field);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    if response.on_hover_text(format!("{label}, and what stands there now")).clicked() {
        scene.asked.push(Ask::Select(address, len));
    }
}

/// All of them as text, oldest first.
#[must_use]
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

fn draw_mismatch(ui: &mut Ui, scene: &mut Scene<'_>, mismatch: &Mismatch, index: usize) {
    let tokens = scene.look.tokens;
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
                side(&mut sides[0], scene, "expected", &mismatch.expected, mismatch);
                side(&mut sides[1], scene, "actual", &mismatch.actual, mismatch);
            });
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                go_there(ui, scene, index);
                show_in_memory(ui, scene, mismatch);
                let text = as_text(std::slice::from_ref(mismatch));
                if ui.small_button("Copy").on_hover_text("Copy this mismatch as text").clicked() {
                    scene.copy(text, "mismatch");
                }
                let evidence = mismatch.evidence.as_ref().filter(|path| is_recording(path));
                if let Some(path) = evidence.filter(|_| scene.view.replay.is_none()) {
                    let hint = format!("Shows {}; Back to live ends that", path.display());
                    if ui.small_button("Open evidence").on_hover_text(hint).clicked() {
                        scene.asked.push(Ask::OpenRecording(path.clone()));
                    }
                }
            });
            evidence(ui, scene, mismatch);
        });
}

/// Where the evidence is.
fn evidence(ui: &mut Ui, scene: &mut Scene<'_>, mismatch: &Mismatch) {
    let Some(path) = &mismatch.evidence else {
        let is_replayed = scene.view.replay.is_some();
        ui.weak(if is_replayed { "the recording is its evidence" } else { "no evidence was saved" });
        return;
    };
    let path = path.display().to_string();
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if ui.small_button("Copy path").on_hover_text(format!("Copy {path}")).clicked() {
            scene.copy(path.clone(), "path of the evidence");
        }
        let shown = shortened_in_the_middle(ui, &path, ui.available_width());
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.weak(shown).on_hover_text(&path));
    });
}

/// One of the two sides, as a pair of puyos where it is one.
fn side(ui: &mut Ui, scene: &Scene<'_>, name: &str, value: &str, mismatch: &Mismatch) {
    ui.horizontal(|ui| {
        let pair = as_pair(mismatch, value);
        let value = &pair.map_or_else(|| value.to_owned(), |pair| pair.letters_and(value));
        if let Some(pair) = pair {
            puyo::pair(ui, pair, 17.0, name, &scene.look, Tone::Live);
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

/// A mismatch of a queue holds pairs.
fn as_pair(mismatch: &Mismatch, value: &str) -> Option<Pair> {
    Pair::from_text(value).filter(|_| mismatch.field.ends_with("_queue"))
}
