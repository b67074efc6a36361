//! What opens over the panels: the palette of all actions, settings, shortcuts, about.

use super::commands::{Command, fuzzy};
use super::keys::Keys;
use super::keys_dialog::KeysDialog;
use super::overlay;
use super::recordings::{Listed, size};
use super::scene::{Ask, span};
use super::settings::{OverlayGround, PaletteChoice, Settings};
use super::widgets::typed_path;
use eframe::egui::{
    self, ComboBox, Frame, Grid, Id, Key, Modal, Modifiers, RichText, ScrollArea, Slider, TextEdit,
    ThemePreference, Ui,
};

/// A dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Type a few letters of any action.
    Palette {
        /// What was typed.
        query: String,
        /// Which of those that fit is chosen.
        chosen: usize,
    },
    /// Choose a recording.
    Recording {
        /// The path that was typed.
        path: String,
        /// Those that are known.
        listed: Vec<Listed>,
        /// Whether it was drawn already.
        drawn: bool,
    },
    /// Everything that can be chosen.
    Settings,
    /// Every action and its keys.
    Shortcuts(KeysDialog),
    /// What this program is.
    About,
}

impl Dialog {
    /// The recordings there are.
    #[must_use]
    pub fn recordings(listed: Vec<Listed>) -> Self {
        Self::Recording { path: String::new(), listed, drawn: false }
    }

    /// Whether the next keys that are pressed are none of a command.
    #[must_use]
    pub fn takes_keys(&self) -> bool {
        matches!(self, Self::Shortcuts(dialog) if dialog.listens())
    }

    /// The palette, empty.
    #[must_use]
    pub fn palette() -> Self {
        Self::Palette { query: String::new(), chosen: 0 }
    }
}

/// Shows the dialog that is open; closes it when that is asked for.
pub fn show(ui: &Ui, open: &mut Option<Dialog>, settings: &mut Settings, asked: &mut Vec<Ask>) {
    let Some(dialog) = open else { return };
    let ctx = ui.ctx().clone();
    let mut done = false;
    let response =
        Modal::new(Id::unique("dialog")).frame(Frame::popup(ui.style()).inner_margin(14)).show(&ctx, |ui| {
            let height = ui.ctx().content_rect().height();
            ui.set_max_height((height - 60.0).max(120.0));
            match dialog {
                Dialog::Palette { query, chosen } => done = palette(ui, query, chosen, &settings.keys, asked),
                Dialog::Recording { path, listed, drawn } => {
                    let first = !std::mem::replace(drawn, true);
                    let hint = settings.keys.hint(ui.ctx(), Command::Record, "in the line at the bottom");
                    done = recording(ui, path, listed, (first, &hint), asked);
                }
                Dialog::Settings => done = settings_ui(ui, settings, asked),
                Dialog::Shortcuts(dialog) => {
                    dialog.show(ui, &mut settings.keys);
                    done = close_button(ui);
                }
                Dialog::About => done = about(ui),
            }
        });
    if done || response.should_close() {
        *open = None;
    }
}

/// The commands that fit, best first.
fn fitting(query: &str) -> Vec<Command> {
    let mut fitting: Vec<(i32, Command)> =
        Command::all().filter_map(|command| Some((fuzzy(query, command.text())?, command))).collect();
    fitting.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    fitting
        .into_iter()
        .map(|(_, command)| command)
        .filter(|command| *command != Command::OpenPalette)
        .collect()
}

fn palette(ui: &mut Ui, query: &mut String, chosen: &mut usize, keys: &Keys, asked: &mut Vec<Ask>) -> bool {
    ui.set_width(ui.available_width().min(420.0));
    // Before the field sees them: in it they would move the cursor.
    let (down, up) = ui.input_mut(|input| {
        (input.consume_key(Modifiers::NONE, Key::ArrowDown), input.consume_key(Modifiers::NONE, Key::ArrowUp))
    });
    let field = TextEdit::singleline(query).hint_text("Type an action").desired_width(f32::INFINITY);
    let field = ui.add(field);
    if !field.has_focus() && !field.lost_focus() {
        field.request_focus();
    }
    let fitting = fitting(query);
    if field.changed() {
        *chosen = 0;
    }
    if down {
        *chosen += 1;
    }
    if up {
        *chosen = chosen.saturating_sub(1);
    }
    *chosen = (*chosen).min(fitting.len().saturating_sub(1));
    let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    let mut run = enter.then(|| fitting.get(*chosen).copied()).flatten();
    if fitting.is_empty() {
        ui.weak("No action has these letters");
    }
    let height = (ui.ctx().content_rect().height() - 140.0).clamp(80.0, 420.0);
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        for (index, command) in fitting.iter().enumerate() {
            let button = keys
                .button(ui.ctx(), *command, index == *chosen, command.text().into())
                .min_size(egui::vec2(ui.available_width(), 0.0));
            let response = ui.add(button).on_hover_text(command.tooltip());
            if index == *chosen && (up || down) {
                response.scroll_to_me(None);
            }
            if response.clicked() {
                run = Some(*command);
            }
        }
    });
    if let Some(command) = run {
        asked.push(Ask::Run(command));
    }
    run.is_some()
}

fn recording(
    ui: &mut Ui,
    path: &mut String,
    listed: &[Listed],
    (first, where_made): (bool, &str),
    asked: &mut Vec<Ask>,
) -> bool {
    ui.set_width(ui.available_width().min(560.0));
    ui.heading("Open a recording");
    let mut chosen = None;
    ui.horizontal(|ui| {
        let label = ui.label("File").id;
        let width = (ui.available_width() - 70.0).max(80.0);
        let field = TextEdit::singleline(path).hint_text("path of a .nsrec file, or drop one on the window");
        let field = ui.add(field.desired_width(width)).labelled_by(label);
        if first {
            field.request_focus();
        }
        let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let some = !path.trim().is_empty();
        if (ui.add_enabled(some, egui::Button::new("Open")).clicked() || enter) && some {
            chosen = Some(typed_path(path));
        }
    });
    if listed.is_empty() {
        ui.weak(format!("No recordings yet: Record, {where_made}, makes one"));
    }
    let height = (ui.ctx().content_rect().height() - 200.0).clamp(60.0, 380.0);
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        for file in listed {
            let ago =
                file.written.elapsed().map_or_else(|_| "just now".into(), |ago| format!("{} ago", span(ago)));
            let button = egui::Button::selectable(false, &file.name)
                .shortcut_text(format!("{}, {ago}", size(file.bytes)))
                .truncate()
                .min_size(egui::vec2(ui.available_width(), 0.0));
            if ui.add(button).on_hover_text(file.path.display().to_string()).clicked() {
                chosen = Some(file.path.clone());
            }
        }
    });
    let done = chosen.is_some();
    asked.extend(chosen.map(Ask::OpenRecording));
    close_button(ui) || done
}

fn close_button(ui: &mut Ui) -> bool {
    ui.add_space(6.0);
    ui.button("Close").clicked()
}

fn settings_ui(ui: &mut Ui, settings: &mut Settings, asked: &mut Vec<Ask>) -> bool {
    let mut leaves = false;
    ui.heading("Settings");
    let height = (ui.ctx().content_rect().height() - 150.0).max(80.0);
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        Grid::new("settings").num_columns(2).spacing([16.0, 8.0]).show(ui, |ui| {
            ui.label("Theme");
            ui.horizontal(|ui| {
                let themes = [
                    (ThemePreference::System, "System"),
                    (ThemePreference::Light, "Light"),
                    (ThemePreference::Dark, "Dark"),
                ];
                for (theme, name) in themes {
                    ui.selectable_value(&mut settings.theme, theme, name);
                }
            });
            ui.end_row();
            let label = ui.label("Zoom").id;
            let mut zoom = settings.zoom * 100.0;
            let slider = Slider::new(&mut zoom, 50.0..=300.0).step_by(10.0).suffix(" %");
            let slider = ui.add(slider).labelled_by(label);
            if slider.drag_stopped() || (slider.changed() && !slider.dragged()) {
                settings.zoom = zoom / 100.0;
            }
            ui.end_row();
            ui.label("Puyo colours");
            ui.horizontal(|ui| {
                ui.selectable_value(&mut settings.palette, PaletteChoice::Game, "Game");
                ui.selectable_value(&mut settings.palette, PaletteChoice::Wong, "Colour-blind (Wong)");
            });
            ui.end_row();
            ui.label("Puyos");
            ui.checkbox(&mut settings.letters, "Letters on puyos");
            ui.end_row();
            ui.label("Motion");
            ui.checkbox(&mut settings.reduced_motion, "Reduced motion");
            ui.end_row();
            ui.label("Overlay");
            ui.vertical(|ui| overlay_settings(ui, settings));
            ui.end_row();
            ui.label("Keys");
            ui.horizontal(|ui| {
                let command = Command::OpenShortcuts;
                if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                    leaves = true;
                    asked.push(Ask::Run(command));
                }
                ui.weak(if settings.keys.are_usual() { "as usual" } else { "some changed" });
            });
            ui.end_row();
            ui.label("Kept in");
            let folder = eframe::storage_dir(super::APP_ID);
            let folder =
                folder.map_or_else(|| "not kept on this system".into(), |path| path.display().to_string());
            ui.label(RichText::new(folder).monospace().small());
            ui.end_row();
        });
    });
    close_button(ui) || leaves
}

fn overlay_settings(ui: &mut Ui, settings: &mut Settings) {
    let overlay = &mut settings.overlay;
    ui.checkbox(&mut overlay.shown, "Show the overlay window");
    ui.checkbox(&mut overlay.click_through, "Clicks go through the overlay");
    ui.horizontal(|ui| {
        let label = ui.label("Opacity").id;
        ui.add(Slider::new(&mut overlay.opacity, 0.1..=1.0)).labelled_by(label);
    });
    ui.horizontal(|ui| {
        let label = ui.label("Coming pairs").id;
        ui.add(Slider::new(&mut overlay.pairs, 1..=8)).labelled_by(label);
    });
    ComboBox::from_label("Ground").selected_text(overlay.ground.name()).show_ui(ui, |ui| {
        for ground in OverlayGround::ALL {
            ui.selectable_value(&mut overlay.ground, ground, ground.name());
        }
    });
    for hint in [overlay.ground.hint(), overlay::limits()].into_iter().flatten() {
        ui.add(egui::Label::new(RichText::new(hint).weak().small()).wrap());
    }
}

fn about(ui: &mut Ui) -> bool {
    ui.set_max_width(420.0);
    ui.heading(format!("Nextscope {}", env!("CARGO_PKG_VERSION")));
    ui.label(env!("CARGO_PKG_DESCRIPTION"));
    ui.label("It only reads: it never writes to an emulator, stops one, or attaches a debugger to one");
    ui.weak(format!("Licence: {}", env!("CARGO_PKG_LICENSE")));
    close_button(ui)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_finds_any_command_by_its_words() {
        for command in Command::all().filter(|command| *command != Command::OpenPalette) {
            assert_eq!(fitting(command.text()).first(), Some(&command));
        }
    }
}
