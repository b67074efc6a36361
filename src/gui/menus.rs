//! The line of menus at the top, made from the commands.

use super::commands::Command;
use super::scene::Scene;
use super::settings::{PaletteChoice, Settings};
use eframe::egui::{self, MenuBar, Ui};

/// Draws the line of menus.
pub fn bar(ui: &mut Ui, scene: &mut Scene<'_>, settings: &Settings) {
    MenuBar::new().ui(ui, |ui| {
        for (name, commands) in Command::MENUS {
            ui.menu_button(name, |ui| {
                for command in commands {
                    match command {
                        Some(command) => menu_item(ui, scene, settings, *command),
                        None => {
                            ui.separator();
                        }
                    }
                }
            });
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let command = Command::OpenPalette;
            let button = scene.keys.button(ui.ctx(), command, false, command.text().into());
            if ui.add(button).on_hover_text(command.tooltip()).clicked() {
                scene.run(command);
            }
        });
    });
}

fn menu_item(ui: &mut Ui, scene: &mut Scene<'_>, settings: &Settings, command: Command) {
    let enabled = match command {
        Command::StartDemo => scene.demo,
        Command::Record => scene.standing.can_record() || scene.records(),
        Command::AttachAutomatically | Command::Detach => scene.view.replay.is_none(),
        command => scene.view.replay.is_some() || !command.is_of_replay(),
    };
    let on = match command {
        Command::Record => Some(scene.records()),
        command => is_on(command, settings),
    };
    let text = match on {
        Some(true) => format!("• {}", command.text()),
        Some(false) => format!("   {}", command.text()),
        None => command.text().to_owned(),
    };
    let button = scene.keys.button(ui.ctx(), command, on == Some(true), text);
    let response = ui.add_enabled(enabled, button).on_hover_text(command.tooltip());
    if response.clicked() {
        scene.run(command);
        ui.close();
    }
}

/// Whether a command that switches something is on; None for those that do not.
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
