//! The menu bar, generated from the commands.

use super::commands::Command;
use super::file_dialog::FileKind;
use super::settings::Settings;
use super::theme::{self, PaletteChoice};
use super::ui_context::{UiAction, UiContext};
use eframe::egui::containers::menu::MenuConfig;
use eframe::egui::{self, MenuBar, Ui};

/// What the window can open.
const OPENED: [FileKind; 3] = [FileKind::Recording, FileKind::WatchList, FileKind::Dump];

pub fn bar(ui: &mut Ui, cx: &mut UiContext<'_>, settings: &Settings) {
    let submenus = MenuConfig::new().style(theme::menu_style);
    MenuBar::new().style(theme::menu_style).config(submenus).ui(ui, |ui| {
        for (name, commands) in Command::MENUS {
            ui.menu_button(name, |ui| {
                for command in commands {
                    match command {
                        Some(command) => {
                            menu_item(ui, cx, settings, *command);
                            if *command == Command::OpenRecording {
                                open_recent(ui, cx);
                            }
                        }
                        None => {
                            ui.separator();
                        }
                    }
                }
            });
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let command = Command::OpenPalette;
            let button = cx.keys.button(ui.ctx(), command, false, command.text().into());
            if ui.add(button).on_hover_text(command.tooltip()).clicked() {
                cx.run(command);
            }
        });
    });
}

fn open_recent(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let menu = ui.menu_button("Open recent", |ui| cx.files.recent_list(ui, &OPENED));
    if let Some((kind, path)) = menu.inner.flatten() {
        cx.actions.push(UiAction::OpenFile(kind, path));
    }
}

fn menu_item(ui: &mut Ui, cx: &mut UiContext<'_>, settings: &Settings, command: Command) {
    let reason = cx.unavailable(command);
    let on = match command {
        Command::Record => Some(cx.is_recording()),
        command => is_on(command, settings),
    };
    let text = match on {
        Some(true) => format!("• {}", command.text()),
        Some(false) => format!("   {}", command.text()),
        None => command.text().to_owned(),
    };
    let button = cx.keys.button(ui.ctx(), command, on == Some(true), text);
    let response = ui.add_enabled(reason.is_none(), button).on_hover_text(command.tooltip());
    let response = match reason {
        Some(reason) => response.on_disabled_hover_text(format!("{}: {reason}", command.text())),
        None => response,
    };
    if response.clicked() {
        cx.run(command);
        ui.close();
    }
}

/// Whether a toggle is on; None for other commands.
fn is_on(command: Command, settings: &Settings) -> Option<bool> {
    Some(match command {
        Command::Theme(theme) => settings.theme == theme,
        Command::TogglePalette => settings.palette == PaletteChoice::Wong,
        Command::ToggleLetters => settings.letters,
        Command::ToggleReducedMotion => settings.reduced_motion,
        Command::ToggleOverlay => settings.overlay.shown,
        Command::ToggleClickThrough => settings.overlay.click_through,
        _ => return None,
    })
}
