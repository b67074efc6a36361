//! The reference of all commands and their shortcuts. Shortcuts are changed after a button is pressed, and changes can be undone.

use super::commands::Command;
use super::keys::{Keys, is_modifier, plain, refusal};
use eframe::egui::accesskit::Live;
use eframe::egui::{
    Button, Event, EventFilter, Grid, Key, KeyboardShortcut, Label, Modifiers, RichText, Role, ScrollArea,
    TextEdit, Ui, Vec2, WidgetInfo, vec2,
};

/// Maximum width of the dialog, and the width of names and shortcuts in it, in points.
const WIDTH: f32 = 760.0;
const NAMES_AND_KEYS: f32 = 345.0;
/// With less width than this the descriptions are tooltips only.
const DESCRIPTION: f32 = 150.0;

/// The result of the last key press.
#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyResult {
    Message(String),
    /// Another command has the shortcut; the user must confirm.
    Taken {
        command: Command,
        keys: KeyboardShortcut,
        holder: Command,
        drawn: bool,
    },
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeysDialog {
    query: String,
    drawn: bool,
    /// Whether shortcuts can be changed.
    editing: bool,
    /// The shortcuts before each change.
    undo: Vec<Keys>,
    /// The command that waits for a key press.
    listening: Option<Command>,
    result: Option<KeyResult>,
}

/// A label as part of a sentence.
fn sentence_label(command: Command) -> &'static str {
    command.text().trim_end_matches('…')
}

impl KeysDialog {
    pub fn is_listening(&self) -> bool {
        self.listening.is_some()
    }

    pub fn show(&mut self, ui: &mut Ui, keys: &mut Keys) {
        ui.set_width(dialog_width(ui));
        self.listen(ui, keys);
        ui.heading("Keyboard shortcuts");
        ui.horizontal(|ui| {
            let label = ui.label("Find").id;
            let field = TextEdit::singleline(&mut self.query).hint_text("action, or keys such as ctrl+d");
            let width = if self.editing { 250.0 } else { 150.0 };
            let field = field.desired_width((ui.available_width() - width).max(80.0));
            let field = ui.add(field).labelled_by(label);
            if !std::mem::replace(&mut self.drawn, true) {
                field.request_focus();
            }
            self.tools(ui, keys);
        });
        if self.editing {
            self.result_line(ui, keys);
        }
        let height = (ui.ctx().content_rect().height() - 220.0).max(60.0);
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            self.list(ui, keys);
            ui.add_space(4.0);
            for line in [
                "Tab and Shift+Tab move the focus, Space or Enter activate.",
                "Memory panel: arrows move by byte. Replay bar: arrows move by sample,",
                "Page Up and Page Down by a second, Home and End to the ends",
            ] {
                ui.add(Label::new(RichText::new(line).weak()).wrap());
            }
        });
    }

    /// The buttons beside the search.
    fn tools(&mut self, ui: &mut Ui, keys: &mut Keys) {
        if !self.editing {
            self.editing = ui.button("Change shortcuts").clicked();
            return;
        }
        let undo = ui.add_enabled(!self.undo.is_empty(), Button::new("Undo"));
        if undo.on_hover_text("Undo the last change").clicked()
            && let Some(before) = self.undo.pop()
        {
            *keys = before;
            self.set_message("The last change is undone".into());
        }
        let all = ui.add_enabled(!keys.are_default(), Button::new("Reset all"));
        if all.on_hover_text("Restore all default shortcuts").clicked() {
            self.undo.push(keys.clone());
            *keys = Keys::default();
            self.set_message("All shortcuts are at their defaults".into());
        }
        if ui.button("Done").on_hover_text("Back to the reference").clicked() {
            (self.editing, self.listening, self.result) = (false, None, None);
        }
    }

    fn list(&mut self, ui: &mut Ui, keys: &mut Keys) {
        let query = self.query.trim().to_lowercase();
        let mut none = true;
        Grid::new("shortcuts").num_columns(4).spacing([16.0, 4.0]).striped(true).show(ui, |ui| {
            for (menu, commands) in Command::MENUS {
                let fits = |command: &Command| {
                    let of = keys.text(ui.ctx(), *command).unwrap_or_default();
                    sentence_label(*command).to_lowercase().contains(&query)
                        || of.to_lowercase().contains(&query)
                };
                let fitting: Vec<Command> = commands.iter().copied().flatten().filter(fits).collect();
                if fitting.is_empty() {
                    continue;
                }
                none = false;
                ui.strong(menu);
                ui.end_row();
                for command in fitting {
                    if self.editing {
                        self.row(ui, keys, command);
                    } else {
                        reference_row(ui, keys, command);
                    }
                    ui.end_row();
                }
            }
        });
        if none {
            ui.weak("No action matches");
        }
    }

    fn row(&mut self, ui: &mut Ui, keys: &mut Keys, command: Command) {
        let name = sentence_label(command);
        ui.label(name).on_hover_text(command.tooltip());
        let (of, listening) = (keys.text(ui.ctx(), command), self.listening == Some(command));
        let shown = if listening { "Press keys" } else { of.as_deref().unwrap_or("None") };
        let button = Button::new(RichText::new(shown).monospace()).selected(listening);
        let button =
            ui.add(button.min_size(vec2(130.0, 0.0))).on_hover_text("Click, then press the new shortcut");
        let label = format!("Shortcut of {name}: {shown}");
        button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
        if button.clicked() {
            (self.listening, self.result) = (Some(command), None);
            button.request_focus();
        }
        if listening {
            // Tab, the arrows and Escape must not move the focus.
            let filter =
                EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(button.id, filter));
        }
        let small = |ui: &mut Ui, text: &str, label: String| {
            let button = ui.small_button(text).on_hover_text(&label);
            button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
            button.clicked()
        };
        if of.is_some() {
            if small(ui, "Clear", format!("Clear the shortcut of {name}")) {
                self.undo.push(keys.clone());
                keys.clear(command);
                self.set_message(format!("{name} has no shortcut now"));
            }
        } else {
            ui.allocate_space(Vec2::ZERO); // the column of `Clear`
        }
        if keys.is_changed(command) {
            let usual = command.default_keys();
            let to = usual.map_or_else(|| "none".into(), |usual| ui.ctx().format_shortcut(&usual));
            if small(ui, "Reset", format!("Reset the shortcut of {name} to {to}")) {
                match usual {
                    Some(usual) => self.try_assign(ui, keys, command, usual),
                    None => {
                        self.undo.push(keys.clone());
                        keys.clear(command);
                    }
                }
            }
        }
    }

    /// Reads the key press that a command waits for.
    fn listen(&mut self, ui: &Ui, keys: &mut Keys) {
        let Some(command) = self.listening else { return };
        if ui.input(|input| input.pointer.any_click()) {
            self.listening = None;
            return;
        }
        let pressed = ui.input_mut(|input| {
            let found = input.events.iter().find_map(|event| match event {
                Event::Key { key, pressed: true, repeat: false, modifiers, .. } if !is_modifier(*key) => {
                    Some(KeyboardShortcut::new(plain(*modifiers), *key))
                }
                // egui turns these shortcuts into events of their own.
                Event::Copy => Some(KeyboardShortcut::new(Modifiers::COMMAND, Key::C)),
                Event::Cut => Some(KeyboardShortcut::new(Modifiers::COMMAND, Key::X)),
                Event::Paste(_) => Some(KeyboardShortcut::new(Modifiers::COMMAND, Key::V)),
                _ => None,
            });
            let of_keys = |event: &Event| {
                matches!(
                    event,
                    Event::Key { .. } | Event::Text(_) | Event::Copy | Event::Cut | Event::Paste(_)
                )
            };
            input.events.retain(|event| !of_keys(event));
            found
        });
        let Some(pressed) = pressed else { return };
        self.listening = None;
        if pressed.logical_key == Key::Escape && pressed.modifiers.is_none() {
            self.set_message(format!("{} keeps its shortcut", sentence_label(command)));
        } else {
            self.try_assign(ui, keys, command, pressed);
        }
    }

    /// Assigns the shortcut unless it is refused or taken, and reports the result.
    fn try_assign(&mut self, ui: &Ui, keys: &mut Keys, command: Command, new_keys: KeyboardShortcut) {
        let text = ui.ctx().format_shortcut(&new_keys);
        if let Some(why) = refusal(command, new_keys) {
            return self.set_message(format!("{text} cannot be used: {why}"));
        }
        match keys.holder(new_keys).filter(|holder| *holder != command) {
            Some(holder) => {
                self.result = Some(KeyResult::Taken { command, keys: new_keys, holder, drawn: false });
            }
            None => self.assign(ui, keys, command, new_keys),
        }
    }

    fn assign(&mut self, ui: &Ui, keys: &mut Keys, command: Command, new_keys: KeyboardShortcut) {
        self.undo.push(keys.clone());
        keys.choose(command, new_keys);
        self.set_message(format!("{}: {}", sentence_label(command), ui.ctx().format_shortcut(&new_keys)));
    }

    fn set_message(&mut self, sentence_label: String) {
        self.result = Some(KeyResult::Message(sentence_label));
    }

    /// The line with the result of the last key press and the next step.
    fn result_line(&mut self, ui: &mut Ui, keys: &mut Keys) {
        let text = match (&self.result, self.listening) {
            (_, Some(command)) => {
                format!("Press the shortcut for {}; Escape cancels", sentence_label(command))
            }
            (Some(KeyResult::Message(sentence_label)), None) => sentence_label.clone(),
            (Some(KeyResult::Taken { keys, holder, .. }), None) => {
                format!("{} is the shortcut of {}", ui.ctx().format_shortcut(keys), sentence_label(*holder))
            }
            (None, None) => "Click a shortcut to change it".into(),
        };
        ui.horizontal_wrapped(|ui| {
            ui.set_min_height(22.0);
            let response = ui.add(Label::new(text).wrap());
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_live(Live::Polite));
            let (Some(KeyResult::Taken { command, keys: new_keys, drawn, .. }), None) =
                (&mut self.result, self.listening)
            else {
                return;
            };
            let (command, new_keys) = (*command, *new_keys);
            let take = ui.button("Reassign");
            if !std::mem::replace(drawn, true) {
                take.request_focus();
            }
            if take.clicked() {
                self.assign(ui, keys, command, new_keys);
            } else if ui.button("Cancel").clicked() {
                self.result = None;
            }
        });
    }
}

/// A command, its shortcut and what it does.
fn reference_row(ui: &mut Ui, keys: &Keys, command: Command) {
    let name = sentence_label(command);
    let text = keys.text(ui.ctx(), command);
    let label = ui.label(name).on_hover_text(command.tooltip());
    let spoken = format!("{name}: {}", text.as_deref().unwrap_or("no shortcut"));
    label.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    match text {
        Some(text) => _ = ui.monospace(text),
        None => _ = ui.allocate_space(Vec2::ZERO),
    }
    let width = dialog_width(ui) - NAMES_AND_KEYS;
    if width < DESCRIPTION {
        return;
    }
    ui.allocate_ui(vec2(width, ui.spacing().interact_size.y), |ui| {
        ui.set_min_width(width);
        ui.add(Label::new(RichText::new(command.tooltip()).weak()).wrap());
    });
}

fn dialog_width(ui: &Ui) -> f32 {
    (ui.ctx().content_rect().width() - 60.0).min(WIDTH)
}
