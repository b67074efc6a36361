//! Context menus of rows: at a right click, or at Shift+F10 while the row has the cursor or the focus.

use eframe::egui::{Button, Id, Key, Popup, Response, SetOpenCommand, Ui};

/// Whether the menu of the focused row is asked for by keyboard.
pub fn is_asked(ui: &Ui) -> bool {
    ui.input(|input| input.modifiers.shift && input.key_pressed(Key::F10))
}

/// Whether there was a right click on the row, also on a text or another widget in it.
pub fn is_clicked(row: &Response) -> bool {
    row.contains_pointer() && row.ctx.input(|input| input.pointer.secondary_clicked())
}

/// Whether the first entry takes the focus: the menu was opened by keyboard.
fn focus() -> Id {
    Id::unique("focus of the context menu")
}

/// Draws the menu while it is open; `asked` opens it by keyboard.
pub fn show(row: &Response, asked: bool, add: impl FnOnce(&mut Ui)) {
    let mut popup = Popup::context_menu(row);
    let id = Popup::default_response_id(row);
    let below = row.rect.left_bottom();
    if asked {
        row.ctx.data_mut(|data| data.insert_temp(focus(), true));
        popup = popup.open_memory(Some(SetOpenCommand::Bool(true))).at_position(below);
    } else if is_clicked(row) {
        popup = popup.open_memory(Some(SetOpenCommand::Bool(true)));
    } else if Popup::is_id_open(&row.ctx, id) && Popup::position_of_id(&row.ctx, id).is_none() {
        popup = popup.at_position(below); // it was opened by keyboard
    }
    popup.show(add);
}

/// Draws an entry with its shortcut; true if it was chosen, which closes the menu.
pub fn item(ui: &mut Ui, text: &str, keys: &str, possible: bool) -> bool {
    let button = Button::new(text);
    let button = if keys.is_empty() { button } else { button.shortcut_text(keys) };
    let response = ui.add_enabled(possible, button);
    if possible && ui.data_mut(|data| data.remove_temp::<bool>(focus())).is_some() {
        response.request_focus();
    }
    let chosen = response.clicked();
    if chosen {
        ui.close();
    }
    chosen
}
