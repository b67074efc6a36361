//! Keyboard shortcuts of commands: the defaults, or those that the user chose.

use super::commands::Command;
use eframe::egui::{self, Button, Event, Key, KeyboardShortcut, Modifiers};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The user's choices by command id; None for a command without a shortcut. All other commands have their default
/// shortcut, unless the user assigned it to another command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Keys(BTreeMap<String, Option<KeyboardShortcut>>);

/// The command id for a saved name: the id itself, or the name that version 0.1.0 used, such as `ZoomIn` or
/// `Show(Memory)`.
pub fn id_of_saved(name: &str) -> String {
    let mut id = String::with_capacity(name.len() + 4);
    for letter in name.chars().filter(|letter| !matches!(letter, '(' | ')')) {
        if letter.is_ascii_uppercase() && !id.is_empty() {
            id.push('-');
        }
        id.push(letter.to_ascii_lowercase());
    }
    id
}

impl Keys {
    pub fn of(&self, command: Command) -> Option<KeyboardShortcut> {
        match self.0.get(command.id()) {
            Some(chosen) => *chosen,
            None => command.default_keys().filter(|keys| !self.is_chosen(*keys)),
        }
    }

    /// The shortcut as text.
    pub fn text(&self, ctx: &egui::Context, command: Command) -> Option<String> {
        let text = |keys: KeyboardShortcut| ctx.format_shortcut(&keys);
        // The signs of these keys are shorter than egui's names.
        self.of(command).map(|keys| text(keys).replace("Comma", ",").replace("Period", "."))
    }

    /// `text` with the shortcut of the command in parentheses.
    pub fn hint(&self, ctx: &egui::Context, command: Command, text: &str) -> String {
        match self.text(ctx, command) {
            Some(keys) => format!("{text} ({keys})"),
            None => text.to_owned(),
        }
    }

    pub fn button(
        &self,
        ctx: &egui::Context,
        command: Command,
        chosen: bool,
        text: String,
    ) -> Button<'static> {
        let button = Button::selectable(chosen, text);
        match self.text(ctx, command) {
            Some(keys) => button.shortcut_text(keys),
            None => button,
        }
    }

    pub fn holder(&self, keys: KeyboardShortcut) -> Option<Command> {
        Command::all().find(|command| self.of(*command) == Some(keys))
    }

    /// Whether the shortcut of a command differs from its default.
    pub fn is_changed(&self, command: Command) -> bool {
        self.of(command) != command.default_keys()
    }

    /// Assigns a shortcut; the command that has it loses it.
    pub fn choose(&mut self, command: Command, keys: KeyboardShortcut) {
        for chosen in self.0.values_mut().filter(|chosen| **chosen == Some(keys)) {
            *chosen = None;
        }
        self.0.remove(command.id());
        if command.default_keys() != Some(keys) {
            self.0.insert(command.id().to_owned(), Some(keys));
        }
    }

    pub fn clear(&mut self, command: Command) {
        match command.default_keys() {
            Some(_) => self.0.insert(command.id().to_owned(), None),
            None => self.0.remove(command.id()),
        };
    }

    pub fn are_default(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops unknown commands, refused shortcuts and duplicates from saved settings, and replaces old ids.
    pub fn repaired(&self) -> Self {
        let mut saved = BTreeMap::new();
        for (name, keys) in &self.0 {
            let id = id_of_saved(name);
            // Current ids win over those of 0.1.0 if a file has both.
            if *name == id || !self.0.contains_key(&id) {
                saved.insert(id, *keys);
            }
        }
        let mut sound = Self::default();
        for command in Command::all() {
            match saved.get(command.id()) {
                Some(Some(keys)) => {
                    let keys = KeyboardShortcut::new(plain(keys.modifiers), keys.logical_key);
                    if refusal(command, keys).is_none() && !sound.is_chosen(keys) {
                        sound.choose(command, keys);
                    }
                }
                Some(None) => sound.clear(command),
                None => {}
            }
        }
        sound
    }

    fn is_chosen(&self, keys: KeyboardShortcut) -> bool {
        self.0.values().any(|chosen| *chosen == Some(keys))
    }

    /// The `allowed` command whose shortcut was pressed; consumes the key press. Shortcuts that text fields need count only
    /// while no field has focus.
    pub fn pressed(&self, ctx: &egui::Context, allowed: impl Fn(Command) -> bool) -> Option<Command> {
        let typing = ctx.text_edit_focused();
        let taken = ctx.memory(egui::Memory::focused).is_some();
        let free = |command, keys: KeyboardShortcut| {
            let yields = taken && types_text(keys) || typing && is_undo_or_redo(command);
            allowed(command) && !yields
        };
        let meant = |key: Key, modifiers: Modifiers| {
            let all =
                Command::all().flat_map(|command| self.all_of(command).map(move |keys| (command, keys)));
            let met = all.filter(|(command, keys)| matches(*keys, key, modifiers) && free(*command, *keys));
            // Ctrl+Shift+1 also matches Ctrl+1: prefer the shortcut with more modifiers.
            let best =
                met.max_by_key(|(_, keys)| u8::from(keys.modifiers.shift) + u8::from(keys.modifiers.alt));
            best.map(|(command, _)| command)
        };
        ctx.input_mut(|input| {
            let (at, command) = input.events.iter().enumerate().find_map(|(at, event)| match event {
                Event::Key { key, pressed: true, modifiers, .. } => Some((at, meant(*key, *modifiers)?)),
                _ => None,
            })?;
            input.events.remove(at);
            Some(command)
        })
    }

    /// The shortcut of a command, and its alternatives while it has the default one.
    fn all_of(&self, command: Command) -> impl Iterator<Item = KeyboardShortcut> {
        let also = match command {
            Command::OpenPalette => Some(KeyboardShortcut::new(CTRL_SHIFT, Key::P)),
            Command::ZoomIn => Some(egui::gui_zoom::kb_shortcuts::ZOOM_IN_SECONDARY),
            _ => None,
        };
        let also = also.filter(|also| !self.is_changed(command) && self.holder(*also).is_none());
        self.of(command).into_iter().chain(also)
    }
}

const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// Normalizes modifiers: Ctrl on most systems and Cmd on macOS is `command`.
pub fn plain(pressed: Modifiers) -> Modifiers {
    let mac = cfg!(target_os = "macos");
    Modifiers {
        ctrl: pressed.ctrl && mac,
        mac_cmd: false,
        command: pressed.command || pressed.mac_cmd || pressed.ctrl && !mac,
        ..pressed
    }
}

/// Whether pressing `key` triggers the shortcut. Digits and punctuation need Shift or Alt on some keyboards.
fn matches(keys: KeyboardShortcut, key: Key, modifiers: Modifiers) -> bool {
    let exact = !is_character(key) || is_letter(key) || key == Key::Space;
    key == keys.logical_key
        && if exact {
            modifiers.matches_exact(keys.modifiers)
        } else {
            modifiers.matches_logically(keys.modifiers)
        }
}

/// Whether the key types a character.
fn is_character(key: Key) -> bool {
    // Arrow keys have symbols but no one-letter names.
    let named = matches!(
        key,
        Key::Space
            | Key::Colon
            | Key::Comma
            | Key::Backslash
            | Key::Slash
            | Key::Pipe
            | Key::Questionmark
            | Key::Exclamationmark
            | Key::OpenBracket
            | Key::CloseBracket
            | Key::OpenCurlyBracket
            | Key::CloseCurlyBracket
            | Key::Backtick
            | Key::Minus
            | Key::Period
            | Key::Plus
            | Key::Equals
            | Key::Semicolon
            | Key::Quote
            | Key::IntlBackslash
    );
    named || key.name().len() == 1
}

fn is_letter(key: Key) -> bool {
    key.name().len() == 1 && key.name().starts_with(|letter: char| letter.is_ascii_alphabetic())
}

/// Whether the shortcut types text into a field.
fn types_text(keys: KeyboardShortcut) -> bool {
    let Modifiers { alt, ctrl, command, .. } = keys.modifiers;
    let ctrl = ctrl || command;
    let by_alt = cfg!(target_os = "macos") && alt && !command || cfg!(windows) && alt && ctrl;
    is_character(keys.logical_key) && (by_alt || !ctrl && !alt)
}

/// Whether it is an undo or redo shortcut of text fields.
fn is_undo_or_redo(command: Command) -> bool {
    matches!(command, Command::UndoStep | Command::RedoStep)
}

/// Why a command cannot have this shortcut; None if it can.
pub fn refusal(command: Command, keys: KeyboardShortcut) -> Option<&'static str> {
    let Modifiers { alt, shift, .. } = keys.modifiers;
    let ctrl = keys.modifiers.ctrl || keys.modifiers.command;
    Some(match keys.logical_key {
        Key::Tab => "Tab moves the focus",
        Key::Escape => "Escape closes and cancels",
        Key::Copy | Key::Cut | Key::Paste => "text fields need it to copy and paste",
        Key::ArrowLeft
        | Key::ArrowRight
        | Key::ArrowUp
        | Key::ArrowDown
        | Key::Home
        | Key::End
        | Key::Backspace
        | Key::Delete
        | Key::Insert => "text fields, tables and the replay bar need it",
        Key::Enter | Key::Space if !ctrl && !alt && !may_use_characters(command, keys) => {
            "it activates the focused control; add Ctrl or Alt"
        }
        Key::PageUp | Key::PageDown if !ctrl && !alt => "it scrolls by page; add Ctrl or Alt",
        Key::A | Key::C | Key::X | Key::V if ctrl && !shift && !alt => {
            "text fields need it to select, copy, cut or paste"
        }
        Key::H | Key::K | Key::U | Key::W if ctrl && !shift && !alt => "text fields need it to delete",
        Key::Z | Key::Y if ctrl && !alt && !is_undo_or_redo(command) => "text fields need it to undo or redo",
        _ if types_text(keys) && !may_use_characters(command, keys) => {
            "it types text; add Ctrl or use a function key"
        }
        key if is_modifier(key) => "it is a modifier",
        _ => return None,
    })
}

/// Whether the command may use character keys: it works on a recording, while no text field has focus.
fn may_use_characters(command: Command, keys: KeyboardShortcut) -> bool {
    command.needs_recording() && types_text(keys)
}

pub fn is_modifier(key: Key) -> bool {
    matches!(
        key,
        Key::ShiftLeft
            | Key::ShiftRight
            | Key::ControlLeft
            | Key::ControlRight
            | Key::AltLeft
            | Key::AltRight
            | Key::SuperLeft
            | Key::SuperRight
            | Key::CapsLock
            | Key::NumLock
            | Key::ScrollLock
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::layout::Pane;

    const fn keys(modifiers: Modifiers, key: Key) -> KeyboardShortcut {
        KeyboardShortcut::new(modifiers, key)
    }

    #[test]
    fn no_usual_keys_are_refused() {
        for command in Command::all() {
            if let Some(usual) = command.default_keys() {
                assert_eq!(refusal(command, usual), None, "{command:?}");
            }
        }
    }

    #[test]
    fn what_fields_need_is_refused_and_the_rest_is_not() {
        let refused = |command, modifiers, key| refusal(command, keys(modifiers, key)).is_some();
        let all = [Modifiers::NONE, Modifiers::SHIFT, Modifiers::COMMAND, CTRL_SHIFT, Modifiers::ALT];
        for modifiers in all {
            for key in [Key::Tab, Key::Escape, Key::ArrowLeft, Key::Home, Key::Delete, Key::Backspace] {
                assert!(refused(Command::Quit, modifiers, key), "{modifiers:?} {key:?}");
            }
            assert!(!refused(Command::Quit, modifiers, Key::F5), "{modifiers:?}");
        }
        for key in [Key::A, Key::Num3, Key::Slash, Key::Space] {
            for modifiers in [Modifiers::NONE, Modifiers::SHIFT] {
                assert!(
                    refused(Command::Quit, modifiers, key) && !refused(Command::NextRound, modifiers, key)
                );
            }
        }
        for key in [Key::A, Key::C, Key::V, Key::X, Key::Z, Key::Y, Key::W] {
            assert!(refused(Command::Quit, Modifiers::COMMAND, key), "{key:?}");
        }
        assert!(
            refused(Command::Quit, CTRL_SHIFT, Key::Z) && !refused(Command::RedoStep, CTRL_SHIFT, Key::Z)
        );
        assert!(refused(Command::Quit, Modifiers::NONE, Key::ShiftLeft));
    }

    #[test]
    fn keys_that_are_taken_are_lost_by_the_other_and_come_back_with_it() {
        let mut mine = Keys::default();
        let (demo, quit) = (Command::StartDemo, Command::Quit);
        let (usual, f5) = (demo.default_keys().unwrap(), keys(Modifiers::NONE, Key::F5));
        mine.choose(quit, usual);
        assert_eq!((mine.of(quit), mine.of(demo), mine.holder(usual)), (Some(usual), None, Some(quit)));
        mine.choose(quit, f5);
        assert_eq!((mine.of(quit), mine.of(demo)), (Some(f5), Some(usual)));
        mine.choose(demo, f5);
        assert_eq!((mine.of(quit), mine.of(demo)), (None, Some(f5)));
        mine.choose(quit, quit.default_keys().unwrap());
        mine.choose(demo, usual);
        assert!(mine.are_default());
        mine.clear(demo);
        assert_eq!((mine.of(demo), mine.is_changed(demo), mine.holder(usual)), (None, true, None));
    }

    #[test]
    fn keys_saved_by_0_1_0_are_those_of_the_same_commands() {
        let text = r#"{"Show(Memory)": {"modifiers": {"alt": true, "ctrl": false, "shift": false, "mac_cmd": false,
            "command": false}, "logical_key": "F5"}, "GoToAddress": null}"#;
        let mine = serde_json::from_str::<Keys>(text).unwrap().repaired();
        assert_eq!(mine.of(Command::Show(Pane::Memory)), Some(keys(Modifiers::ALT, Key::F5)));
        assert_eq!(mine.of(Command::GoToAddress), None);
        let saved = serde_json::to_string(&mine).unwrap();
        assert!(saved.contains("\"show-memory\"") && !saved.contains("Show("), "{saved}");
        assert_eq!(serde_json::from_str::<Keys>(&saved).unwrap().repaired(), mine);
    }

    #[test]
    fn of_what_was_read_only_nonsense_is_left_out() {
        let mut read = Keys::default();
        let f5 = keys(Modifiers::NONE, Key::F5);
        let both = Modifiers { ctrl: true, command: true, ..Modifiers::NONE };
        read.0.insert("Quit".into(), Some(f5));
        read.0.insert("Detach".into(), Some(f5)); // comes before in the menus
        read.0.insert("NoSuchCommand".into(), Some(keys(Modifiers::NONE, Key::F6)));
        read.0.insert("StartDemo".into(), Some(keys(Modifiers::NONE, Key::A)));
        read.0.insert("OpenSettings".into(), Some(keys(both, Key::F2)));
        read.0.insert("CopyLog".into(), None); // it has none anyway
        read.0.insert("open-palette".into(), None);
        read.0.insert("OpenPalette".into(), Some(keys(Modifiers::NONE, Key::F11)));
        let sound = read.repaired();
        assert_eq!(
            (sound.of(Command::Detach), sound.of(Command::Quit)),
            (Some(f5), Command::Quit.default_keys())
        );
        assert_eq!(sound.of(Command::StartDemo), Command::StartDemo.default_keys());
        assert_eq!(sound.of(Command::OpenSettings), Some(keys(plain(both), Key::F2)));
        assert_eq!((sound.of(Command::OpenPalette), sound.0.len()), (None, 3));
    }
}
