//! Dialogs: command palette, recordings, settings, shortcuts, about.

use super::commands::{Command, fuzzy};
use super::file_dialog::typed_path;
use super::file_dialog::{FileDialogs, FileKind};
use super::keys::Keys;
use super::keys_dialog::KeysDialog;
use super::outside::{Outside, SHOW_IN_FOLDER, documents};
use super::overlay;
use super::recordings::{Listed, size};
use super::settings::{OverlayBackground, Settings};
use super::settings_file::settings_file;
use super::theme::{CLEAR, PaletteChoice};
use super::ui_context::{UiAction, duration_text};
use super::widgets::shortened_in_the_middle;
use eframe::egui::{
    self, Align, Align2, Button, ComboBox, Frame, Grid, Id, Key, Layout, Modal, Modifiers, RichText, Role,
    ScrollArea, Slider, TextEdit, ThemePreference, Ui, WidgetInfo,
};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    Palette {
        query: String,
        /// Index of the selected match.
        selected: usize,
    },
    Recording {
        path: String,
        listed: Vec<Listed>,
        drawn: bool,
        error: Option<String>,
    },
    Settings,
    Shortcuts(KeysDialog),
    About,
}

impl Dialog {
    pub fn recordings(listed: Vec<Listed>) -> Self {
        Self::Recording { path: String::new(), listed, drawn: false, error: None }
    }

    /// Whether the dialog reads the next key press as a shortcut.
    pub fn reads_shortcut(&self) -> bool {
        matches!(self, Self::Shortcuts(dialog) if dialog.is_listening())
    }

    pub fn palette() -> Self {
        Self::Palette { query: String::new(), selected: 0 }
    }
}

/// Shows the open dialog, and closes it on request.
pub fn show(
    ui: &Ui,
    open: &mut Option<Dialog>,
    settings: &mut Settings,
    files: &mut FileDialogs,
    unavailable: &dyn Fn(Command) -> Option<&'static str>,
    actions: &mut Vec<UiAction>,
) {
    let Some(dialog) = open else { return };
    let ctx = ui.ctx().clone();
    let mut done = false;
    let modal = Modal::new(Id::unique("dialog")).frame(Frame::popup(ui.style()).inner_margin(14));
    // The palette's field stays in its place when the list below it gets shorter.
    let modal = match dialog {
        Dialog::Palette { .. } => {
            let area = Modal::default_area(Id::unique("palette"));
            modal.area(area.anchor(Align2::CENTER_TOP, egui::vec2(0.0, 48.0)))
        }
        _ => modal,
    };
    let look = settings.look(ctx.theme());
    let response = modal.show(&ctx, |ui| {
        // A dialog has the colour that fields have elsewhere.
        ui.visuals_mut().text_edit_bg_color = Some(look.tokens.panel);
        let size = ui.ctx().content_rect().size();
        ui.set_max_size(egui::vec2((size.x - 60.0).max(120.0), (size.y - 60.0).max(120.0)));
        match dialog {
            Dialog::Palette { query, selected } => {
                done = palette(ui, (query, selected), &settings.keys, unavailable, actions);
            }
            Dialog::Recording { path, listed, drawn, error } => {
                let first = !std::mem::replace(drawn, true);
                let hint = settings.keys.hint(ui.ctx(), Command::Record, "in the status bar");
                let bad = settings.look(ui.ctx().theme()).tokens.bad;
                let selected = recording_field(ui, path, first, (files, error));
                if let Some(why) = error {
                    ui.colored_label(bad, why.as_str());
                }
                done = recording_list(ui, selected, listed, &hint, actions);
            }
            Dialog::Settings => done = settings_ui(ui, settings, actions),
            Dialog::Shortcuts(dialog) => {
                dialog.show(ui, &mut settings.keys);
                done = close_button(ui);
            }
            Dialog::About => done = about(ui, actions),
        }
    });
    if done || response.should_close() {
        *open = None;
    }
}

/// The matching commands, best first, those that cannot be run last. Where the text occurs in labels, labels that only have its
/// letters in this order are left out.
fn matching(
    query: &str,
    unavailable: &dyn Fn(Command) -> Option<&'static str>,
) -> Vec<(Command, Option<&'static str>)> {
    let query = query.trim().to_lowercase();
    let occurs = |command: Command| {
        let within = |text: &str| query.len() >= 3 && text.to_lowercase().contains(&query);
        (within(command.text()), within(command.tooltip()))
    };
    let literal = Command::all().any(|command| occurs(command).0);
    let mut matching: Vec<_> = Command::all()
        .filter(|command| *command != Command::OpenPalette)
        .filter_map(|command| {
            let (label, explanation) = occurs(command);
            let score = fuzzy(&query, command.text()).filter(|_| !literal || label);
            let rank = score.or(explanation.then_some(0))?;
            let complete = command.text().to_lowercase() == query;
            Some(((complete, label, rank), command, unavailable(command)))
        })
        .collect();
    matching.sort_by_key(|(rank, _, reason)| (reason.is_some(), std::cmp::Reverse(*rank)));
    matching.into_iter().map(|(_, command, reason)| (command, reason)).collect()
}

fn palette(
    ui: &mut Ui,
    (query, selected): (&mut String, &mut usize),
    keys: &Keys,
    unavailable: &dyn Fn(Command) -> Option<&'static str>,
    actions: &mut Vec<UiAction>,
) -> bool {
    ui.set_width(ui.available_width().min(420.0));
    // Consumed before the text field would move its cursor.
    let (down, up) = ui.input_mut(|input| {
        (input.consume_key(Modifiers::NONE, Key::ArrowDown), input.consume_key(Modifiers::NONE, Key::ArrowUp))
    });
    let field = TextEdit::singleline(query).hint_text("Search actions").desired_width(f32::INFINITY);
    let field = ui.add(field);
    if !field.has_focus() && !field.lost_focus() {
        field.request_focus();
    }
    let matching = matching(query, unavailable);
    if field.changed() {
        *selected = 0;
    }
    if down {
        *selected += 1;
    }
    if up {
        *selected = selected.saturating_sub(1);
    }
    *selected = (*selected).min(matching.len().saturating_sub(1));
    let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    let available = |(command, reason): &(Command, Option<_>)| reason.is_none().then_some(*command);
    let mut run = if enter { matching.get(*selected).and_then(available) } else { None };
    if matching.is_empty() {
        ui.weak("No action matches");
    }
    let height = (ui.ctx().content_rect().height() - 140.0).clamp(80.0, 420.0);
    // A row below a resting pointer is not highlighted: the arrows select, and the pointer does when it moves.
    let moved = ui.input(|input| input.pointer.delta() != egui::Vec2::ZERO);
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        let hovered = &mut ui.visuals_mut().widgets.hovered;
        (hovered.weak_bg_fill, hovered.bg_stroke) = (CLEAR, egui::Stroke::NONE);
        for (index, (command, reason)) in matching.iter().enumerate() {
            let button = match reason {
                Some(reason) => Button::selectable(index == *selected, command.text()).shortcut_text(*reason),
                None => keys.button(ui.ctx(), *command, index == *selected, command.text().into()),
            };
            let button = button.min_size(egui::vec2(ui.available_width(), 0.0));
            let response = ui.add_enabled(reason.is_none(), button);
            if moved && response.contains_pointer() && *selected != index {
                *selected = index;
                ui.ctx().request_repaint();
            }
            if index == *selected && (up || down) {
                response.scroll_to_me(None);
            }
            if response.clicked() {
                run = Some(*command);
            }
        }
    });
    if let Some((command, _)) = matching.get(*selected) {
        ui.separator();
        ui.add(egui::Label::new(RichText::new(command.tooltip()).weak()).wrap());
    }
    if let Some(command) = run {
        actions.push(UiAction::Run(command));
    }
    run.is_some()
}

/// The id of the field of [`Dialog::Recording`].
pub fn recording_id() -> Id {
    Id::unique("recording file")
}

/// The path of a recording; returns the one to open.
fn recording_field(
    ui: &mut Ui,
    path: &mut String,
    first: bool,
    (files, error): (&mut FileDialogs, &mut Option<String>),
) -> Option<PathBuf> {
    ui.set_width(ui.available_width().min(560.0));
    ui.heading("Open recording");
    let mut selected = None;
    ui.horizontal(|ui| {
        let label = ui.label("File").id;
        let width = (ui.available_width() - 210.0).max(80.0);
        let field =
            TextEdit::singleline(path).hint_text("path of a .nsrec file (or drop a file on the window)");
        let field = ui.add(field.desired_width(width)).labelled_by(label);
        if first {
            field.request_focus();
        }
        let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let some = !path.trim().is_empty();
        if (ui.add_enabled(some, Button::new("Open")).clicked() || enter) && some {
            selected = Some(typed_path(path));
        }
        match files.browse(ui, recording_id(), FileKind::Recording, path) {
            Some(Ok(chosen)) => selected = Some(chosen),
            Some(Err(why)) => *error = Some(why),
            None => {}
        }
        selected = selected.take().or_else(|| files.recent_button(ui, FileKind::Recording));
    });
    selected
}

/// The existing recordings. Opens the clicked one, or the already `selected` one.
fn recording_list(
    ui: &mut Ui,
    mut selected: Option<PathBuf>,
    listed: &[Listed],
    record_hint: &str,
    actions: &mut Vec<UiAction>,
) -> bool {
    if listed.is_empty() {
        ui.weak(format!("No recordings yet. Press Record {record_hint} to make one"));
    }
    let height = (ui.ctx().content_rect().height() - 200.0).clamp(60.0, 380.0);
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        for file in listed {
            let ago = file
                .written
                .elapsed()
                .map_or_else(|_| "just now".into(), |ago| format!("{} ago", duration_text(ago)));
            // The end of a name, its time, tells recordings apart.
            let name = shortened_in_the_middle(ui, &file.name, ui.available_width() - 150.0);
            let button = Button::selectable(false, name)
                .shortcut_text(format!("{}, {ago}", size(file.bytes)))
                .min_size(egui::vec2(ui.available_width(), 0.0));
            let response = ui.add(button);
            response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &file.name));
            if response.on_hover_text(file.path.display().to_string()).clicked() {
                selected = Some(file.path.clone());
            }
        }
    });
    let done = selected.is_some();
    actions.extend(selected.map(UiAction::OpenRecording));
    close_button(ui) || done
}

fn close_button(ui: &mut Ui) -> bool {
    ui.add_space(6.0);
    ui.button("Close").clicked()
}

fn settings_ui(ui: &mut Ui, settings: &mut Settings, actions: &mut Vec<UiAction>) -> bool {
    let mut leaves = false;
    ui.heading("Settings");
    let window = ui.ctx().content_rect().size();
    let height = (window.y - 150.0).max(80.0);
    // What the first column and the margins leave in a small window.
    let path_width = (window.x - 220.0).clamp(80.0, 320.0);
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
            ui.with_layout(Layout::top_down(Align::Min), |ui| ui.label("Overlay"));
            ui.vertical(|ui| overlay_settings(ui, settings));
            ui.end_row();
            ui.label("Shortcuts");
            ui.horizontal(|ui| {
                let command = Command::OpenShortcuts;
                if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                    leaves = true;
                    actions.push(UiAction::Run(command));
                }
                ui.weak(if settings.keys.are_default() { "Default" } else { "Customized" });
            });
            ui.end_row();
            ui.label("Saved in");
            ui.vertical(|ui| match settings_file() {
                Some(file) => {
                    let path = file.display().to_string();
                    let button = ui
                        .add_enabled(file.exists(), Button::new(SHOW_IN_FOLDER))
                        .on_hover_text(&path)
                        .on_disabled_hover_text(
                            "Nothing is saved yet. It is saved every 30 seconds and when the window closes",
                        );
                    if button.clicked() {
                        actions.push(UiAction::Outside(Outside::Folder(file)));
                    }
                    let shown = shortened_in_the_middle(ui, &path, path_width);
                    ui.label(RichText::new(shown).monospace().small()).on_hover_text(path);
                }
                None => _ = ui.label("Not saved on this system"),
            });
            ui.end_row();
        });
    });
    close_button(ui) || leaves
}

fn overlay_settings(ui: &mut Ui, settings: &mut Settings) {
    let overlay = &mut settings.overlay;
    ui.checkbox(&mut overlay.shown, "Show overlay window");
    ui.checkbox(&mut overlay.click_through, "Click-through");
    ui.horizontal(|ui| {
        let label = ui.label("Opacity").id;
        ui.add(Slider::new(&mut overlay.opacity, 0.1..=1.0)).labelled_by(label);
    });
    ui.horizontal(|ui| {
        let label = ui.label("Upcoming pairs").id;
        ui.add(Slider::new(&mut overlay.pairs, 1..=8)).labelled_by(label);
    });
    ui.horizontal(|ui| {
        let label = ui.label("Background").id;
        let list = ComboBox::from_id_salt("overlay background").selected_text(overlay.background.name());
        let list = list.show_ui(ui, |ui| {
            for background in OverlayBackground::ALL {
                ui.selectable_value(&mut overlay.background, background, background.name());
            }
        });
        list.response.labelled_by(label);
    });
    for hint in [overlay.background.hint(), overlay::limits()].into_iter().flatten() {
        ui.add(egui::Label::new(RichText::new(hint).weak().small()).wrap());
    }
}

fn about(ui: &mut Ui, actions: &mut Vec<UiAction>) -> bool {
    ui.set_max_width(ui.available_width().min(420.0));
    ui.heading(format!("Nextscope {}", env!("CARGO_PKG_VERSION")));
    ui.label(env!("CARGO_PKG_DESCRIPTION"));
    ui.label("Read-only: it never writes to an emulator, stops it or attaches a debugger");
    ui.weak(format!("Licence: {}", env!("CARGO_PKG_LICENSE")));
    // The package has no web address: its pages come with the program.
    match documents() {
        Some(index) => {
            let command = Command::OpenDocuments;
            ui.horizontal_wrapped(|ui| {
                if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                    actions.push(UiAction::Run(command));
                }
                let path = index.display().to_string();
                let shown = shortened_in_the_middle(ui, &path, 300.0);
                ui.label(RichText::new(shown).monospace().small()).on_hover_text(path);
            });
        }
        None => {
            ui.weak("Its documentation is not installed here: it is in the folder docs of the download");
        }
    }
    close_button(ui)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_finds_any_command_by_its_words() {
        for command in Command::all().filter(|command| *command != Command::OpenPalette) {
            assert_eq!(matching(command.text(), &|_| None).first(), Some(&(command, None)));
        }
    }

    #[test]
    fn the_palette_finds_labels_then_explanations_then_abbreviations() {
        let unavailable = |command| (command == Command::Detach).then_some("nothing attached");
        let found = |query: &str| -> Vec<&str> {
            matching(query, &unavailable).into_iter().map(|(command, _)| command.text()).collect()
        };
        let routes = found("rout");
        assert_eq!(routes[..2], ["Route", "Follow route"]);
        assert!(!routes.contains(&"Previous mismatch"), "{routes:?}");
        assert!(found("seed").contains(&"Seeds") && found("all clear").contains(&"Route"));
        assert_eq!(found("rl").first(), Some(&"Reset layout"));
        assert_eq!(found("xyzzy"), Vec::<&str>::new());
        assert_eq!(found("").last(), Some(&"Detach"), "what cannot be run comes last");
        assert_eq!(found("").len(), Command::all().count() - 1);
    }
}
