//! The dialog with every command and its keys, in which others can be chosen.

use super::commands::Command;
use super::keys::{Keys, is_modifier, plain, refusal};
use eframe::egui::accesskit::Live;
use eframe::egui::{
    Button, Event, EventFilter, Grid, Key, KeyboardShortcut, Label, Modifiers, RichText, Role, ScrollArea,
    TextEdit, Ui, Vec2, WidgetInfo, vec2,
};

/// What came of the last keys.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    /// In a sentence.
    Words(String),
    /// Another command has them: it is asked whether to take them from it.
    Taken {
        command: Command,
        keys: KeyboardShortcut,
        holder: Command,
        /// Whether it was drawn already.
        drawn: bool,
    },
}

/// The dialog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeysDialog {
    query: String,
    /// The command for which keys are to be pressed.
    listening: Option<Command>,
    told: Option<Told>,
}

/// The words of a command in a sentence.
fn words(command: Command) -> &'static str {
    command.text().trim_end_matches('…')
}

impl KeysDialog {
    /// Whether the next keys are those that are chosen.
    #[must_use]
    pub fn listens(&self) -> bool {
        self.listening.is_some()
    }

    /// Draws it.
    pub fn show(&mut self, ui: &mut Ui, keys: &mut Keys) {
        ui.set_width(ui.available_width().min(620.0));
        self.listen(ui, keys);
        ui.heading("Keyboard shortcuts");
        ui.horizontal(|ui| {
            let label = ui.label("Find").id;
            let field = TextEdit::singleline(&mut self.query).hint_text("an action, or keys such as ctrl+d");
            ui.add(field.desired_width((ui.available_width() - 120.0).max(80.0))).labelled_by(label);
            let all = Button::new("Put all back");
            let all =
                ui.add_enabled(!keys.are_usual(), all).on_hover_text("Every action gets its usual keys");
            if all.clicked() {
                *keys = Keys::default();
                self.say("Every action has its usual keys".into());
            }
        });
        self.tell(ui, keys);
        let height = (ui.ctx().content_rect().height() - 220.0).max(60.0);
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            self.list(ui, keys);
            ui.add_space(4.0);
            for line in [
                "Tab and Shift+Tab go from one thing to the next, Space or Enter press it;",
                "in the memory view the arrows move byte by byte; in the line of a recording sample by sample,",
                "Page Up and Page Down by a second, Home and End to its ends",
            ] {
                ui.add(Label::new(RichText::new(line).weak()).wrap());
            }
        });
    }

    fn list(&mut self, ui: &mut Ui, keys: &mut Keys) {
        let query = self.query.trim().to_lowercase();
        let mut none = true;
        Grid::new("shortcuts").num_columns(4).spacing([16.0, 4.0]).striped(true).show(ui, |ui| {
            for (menu, commands) in Command::MENUS {
                let fits = |command: &Command| {
                    let of = keys.text(ui.ctx(), *command).unwrap_or_default();
                    words(*command).to_lowercase().contains(&query) || of.to_lowercase().contains(&query)
                };
                let fitting: Vec<Command> = commands.iter().copied().flatten().filter(fits).collect();
                if fitting.is_empty() {
                    continue;
                }
                none = false;
                ui.strong(menu);
                ui.end_row();
                for command in fitting {
                    self.row(ui, keys, command);
                    ui.end_row();
                }
            }
        });
        if none {
            ui.weak("No action has these words or keys");
        }
    }

    fn row(&mut self, ui: &mut Ui, keys: &mut Keys, command: Command) {
        let name = words(command);
        ui.label(name).on_hover_text(command.tooltip());
        let (of, listening) = (keys.text(ui.ctx(), command), self.listening == Some(command));
        let shown = if listening { "press keys" } else { of.as_deref().unwrap_or("none") };
        let button = Button::new(RichText::new(shown).monospace()).selected(listening);
        let button = ui.add(button.min_size(vec2(130.0, 0.0))).on_hover_text("Press other keys for it");
        let label = format!("Keys of {name}: {shown}");
        button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
        if button.clicked() {
            (self.listening, self.told) = (Some(command), None);
            button.request_focus();
        }
        if listening {
            // Tab and the arrows must not leave it, nor Escape.
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
            if small(ui, "Clear", format!("Clear the keys of {name}")) {
                keys.clear(command);
                self.say(format!("{name} has no keys now"));
            }
        } else {
            ui.allocate_space(Vec2::ZERO); // the column of `Clear`
        }
        if keys.differs(command) {
            let usual = command.usual_keys();
            let to = usual.map_or_else(|| "none".into(), |usual| ui.ctx().format_shortcut(&usual));
            if small(ui, "Put back", format!("Put the keys of {name} back to {to}")) {
                match usual {
                    Some(usual) => self.offer(ui, keys, command, usual),
                    None => keys.clear(command),
                }
            }
        }
    }

    /// Takes the keys that were pressed, when some are waited for.
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
                // The system has made these of keys already.
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
            self.say(format!("The keys of {} were left as they are", words(command)));
        } else {
            self.offer(ui, keys, command, pressed);
        }
    }

    /// Gives the keys to the command unless something is against it, and tells what came of it.
    fn offer(&mut self, ui: &Ui, keys: &mut Keys, command: Command, wanted: KeyboardShortcut) {
        let text = ui.ctx().format_shortcut(&wanted);
        if let Some(why) = refusal(command, wanted) {
            return self.say(format!("{text} cannot be chosen: {why}"));
        }
        match keys.holder(wanted).filter(|holder| *holder != command) {
            Some(holder) => self.told = Some(Told::Taken { command, keys: wanted, holder, drawn: false }),
            None => self.give(ui, keys, command, wanted),
        }
    }

    fn give(&mut self, ui: &Ui, keys: &mut Keys, command: Command, wanted: KeyboardShortcut) {
        keys.choose(command, wanted);
        self.say(format!("{}: {}", words(command), ui.ctx().format_shortcut(&wanted)));
    }

    fn say(&mut self, words: String) {
        self.told = Some(Told::Words(words));
    }

    /// The line that tells what came of the last keys, and what to do next.
    fn tell(&mut self, ui: &mut Ui, keys: &mut Keys) {
        let text = match (&self.told, self.listening) {
            (_, Some(command)) => format!("Press the keys for {}; Escape leaves them", words(command)),
            (Some(Told::Words(words)), None) => words.clone(),
            (Some(Told::Taken { keys, holder, .. }), None) => {
                format!("{} is that of {}", ui.ctx().format_shortcut(keys), words(*holder))
            }
            (None, None) => "Press the keys of an action to choose others".into(),
        };
        ui.horizontal_wrapped(|ui| {
            ui.set_min_height(22.0);
            let response = ui.add(Label::new(text).wrap());
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_live(Live::Polite));
            let (Some(Told::Taken { command, keys: wanted, drawn, .. }), None) =
                (&mut self.told, self.listening)
            else {
                return;
            };
            let (command, wanted) = (*command, *wanted);
            let take = ui.button("Take it from there");
            if !std::mem::replace(drawn, true) {
                take.request_focus();
            }
            if take.clicked() {
                self.give(ui, keys, command, wanted);
            } else if ui.button("Leave it").clicked() {
                self.told = None;
            }
        });
    }
}
