//! What was learned: how certain it is, the rule, all that was found, and the profile.

use super::engine::Learned;
use crate::gui::file_dialog::FileKind;
use crate::gui::marks::{Mark, mark};
use crate::gui::save_field::{SaveField, SaveText};
use crate::gui::theme::Tokens;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::gui::widgets::card;
use crate::research::learn::{Lesson, Verdict};
use crate::research::watch::Watch;
use crate::research::{Address, Kind, ValueType};
use crate::text::sanitize_line;
use eframe::egui::{Color32, Label, RichText, ScrollArea, Ui, vec2};
use std::path::Path;

/// Width of the column of subjects, in points.
const SUBJECT: f32 = 110.0;

#[derive(Default)]
pub struct Results {
    save: SaveField,
    path: String,
}

/// How sure the rule is, in a word.
fn sureness(lesson: &Lesson, tokens: &Tokens) -> (Mark, Color32, &'static str) {
    match lesson.report.verdict {
        Verdict::Certain { .. } => (Mark::Tick, tokens.good, "Certain"),
        Verdict::Several { .. } | Verdict::Unsure { .. } if lesson.report.is_list_only() => {
            (Mark::Question, tokens.caution, "Not certain, but the pieces are in RAM")
        }
        Verdict::Several { .. } | Verdict::Unsure { .. } => (Mark::Question, tokens.caution, "Not certain"),
        _ if lesson.report.is_list_only() => {
            (Mark::Question, tokens.caution, "No rule, but the pieces are in RAM")
        }
        Verdict::ByChance { .. } => (Mark::Question, tokens.caution, "No rule known"),
        Verdict::None => (Mark::Cross, tokens.bad, "No rule found"),
    }
}

impl Results {
    /// Drops what was about an earlier lesson.
    pub fn forget(&mut self) {
        self.save.forget();
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, learned: &Learned) {
        let tokens = cx.look.tokens;
        let Learned { lesson, .. } = learned;
        let (sign, color, word) = sureness(lesson, tokens);
        card(ui, tokens, |ui| {
            ui.horizontal(|ui| {
                mark(ui, sign, color);
                ui.label(RichText::new(word).size(20.0).strong().color(color));
            });
            ui.add(Label::new(format!("Rule: {}", lesson.report.sureness())).wrap());
            if let Some(start) = lesson.start() {
                ui.add(Label::new(format!("Start of a game: {start}")).wrap());
            }
            if lesson.report.best().is_none() && !learned.from_start {
                ui.weak(
                    "If the first deal is the first of a game, check First deal of a game and search again",
                );
            }
        });
        if lesson.report.followed().is_some() {
            self.save(ui, cx, learned);
        }
        found(ui, cx, learned);
        if let Some(rule) = lesson.report.rule() {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new("Rule").strong());
                if ui.small_button("Copy rule").on_hover_text("Copy the section of a profile").clicked() {
                    cx.copy(rule.as_str(), "rule");
                }
            });
            card(ui, tokens, |ui| {
                let area = ScrollArea::horizontal().id_salt("learned rule").auto_shrink([false, true]);
                area.show(ui, |ui| {
                    ui.add(Label::new(RichText::new(rule.trim_end()).monospace()).extend());
                });
            });
        }
    }

    fn save(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, learned: &Learned) {
        let Some(console) = learned.source.console else {
            ui.weak("Profiles have no such console, so that no profile can be saved");
            return;
        };
        let folder = cx.profile_folder;
        if self.path.is_empty()
            && let Some(folder) = folder
        {
            self.path = folder.join(FileKind::Profile.default_name()).display().to_string();
        }
        let text = SaveText {
            id: "learned profile",
            kind: FileKind::Profile,
            hint: "path/to/my-game.toml",
            button: "Save profile",
            formats: ".toml",
        };
        let bytes = |path: &Path| {
            let name = path.file_stem().filter(|_| path.extension().is_some_and(|end| end == "toml"));
            let name = name.ok_or("The name of a profile ends with .toml")?.to_string_lossy();
            let by = format!("nextscope {}", env!("CARGO_PKG_VERSION"));
            let from = sanitize_line(&learned.source.name);
            let profile = learned.lesson.profile(&name, console, &from, &by);
            let profile = profile.map_err(|gap| format!("No profile was saved: {gap}"))?;
            if let Some(folder) = folder.filter(|folder| path.parent() == Some(*folder)) {
                // It is made with the first profile.
                std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            }
            Ok(profile.toml.into_bytes())
        };
        ui.horizontal_wrapped(|ui| self.save.show(ui, cx.files, text, &mut self.path, bytes));
        self.save.result(ui, cx.look.tokens);
        if folder.is_some() {
            ui.weak("The name of the file becomes the name of the game. In your profiles folder the profile takes effect at once");
        }
    }
}

/// The table of all that was found.
fn found(ui: &mut Ui, cx: &mut UiContext<'_>, learned: &Learned) {
    let lesson = &learned.lesson;
    let lines = lesson.lines();
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Found").strong());
        if ui.small_button("Copy report").on_hover_text("Same output as `nextscope learn`").clicked() {
            cx.copy(lesson.text(), "report");
        }
        let watches = watches(learned);
        let hover = "Add the generator, the frame counter and the cells of pieces to the Watches panel";
        if !watches.is_empty() && ui.small_button("Watch cells").on_hover_text(hover).clicked() {
            cx.actions.push(UiAction::AddWatches(watches));
        }
    });
    card(ui, cx.look.tokens, |ui| {
        for line in &lines {
            ui.horizontal_top(|ui| {
                ui.allocate_ui(vec2(SUBJECT, 0.0), |ui| {
                    ui.set_width(SUBJECT);
                    ui.weak(line.subject);
                });
                ui.vertical(|ui| ui.add(Label::new(&line.text).wrap()));
            });
        }
    });
}

/// A watch for each cell that was found.
fn watches(learned: &Learned) -> Vec<Watch> {
    let watch = |address: Address, width: u8, order, label: String| {
        let kind = match width {
            1 => Kind::U8,
            2 => Kind::U16,
            4 => Kind::U32,
            8 => Kind::U64,
            _ => return None,
        };
        Some(Watch { label, ..Watch::new(address, ValueType::new(kind, order).ok()?) })
    };
    let Learned { lesson, source, .. } = learned;
    let (report, order) = (&lesson.report, source.order);
    let counter =
        lesson.counter.and_then(|cell| watch(cell.address, cell.width, order, "frame counter".into()));
    let best = report.best().map(|best| report.generators[best.fit.generator].cell);
    let state = best.and_then(|cell| watch(cell.address, cell.width, cell.order, "generator".into()));
    let cells = report.cells.iter().filter(|cell| cell.ahead <= 1);
    let cells = cells.filter_map(|cell| watch(cell.address, 1, order, format!("piece {}", cell.place())));
    counter.into_iter().chain(state).chain(cells.take(MOST_CELLS)).collect()
}

/// Cells of pieces that are watched: what is on the screen is in RAM many times.
const MOST_CELLS: usize = 6;
