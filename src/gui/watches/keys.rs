//! The list by keyboard: it is one stop of the Tab key, and the arrows move the cursor in it.

use super::editing::{Cell, cell_id};
use super::row_action::{RowAction, SelectedAction};
use super::selection::{Extend, Selection};
use super::state::WatchesPanel;
use crate::text::counted;
use eframe::egui::{Event, EventFilter, Id, Key, Modifiers, Rect, Role, Sense, Ui, WidgetInfo, vec2};

/// Lines of Page Up and Page Down.
const PAGE: usize = 10;

pub fn list_id() -> Id {
    Id::unique("watch list")
}

/// How a click with the pressed keys selects.
pub fn extend(modifiers: Modifiers) -> Extend {
    if modifiers.shift {
        Extend::To
    } else if modifiers.command {
        Extend::Toggle
    } else {
        Extend::Only
    }
}

/// The list as a control; `cursor` describes the line of the cursor. Returns what its keys request.
pub fn show(ui: &Ui, panel: &mut WatchesPanel, count: usize, cursor: &str) -> Vec<RowAction> {
    let rect = Rect::from_min_size(ui.clip_rect().min, vec2(1.0, 1.0));
    let list = ui.interact(rect, list_id(), Sense::focusable_noninteractive());
    let mut label = format!("Watch list, {}", counted(count as u64, "line"));
    if panel.selected.len() > 0 {
        label += &format!(", {} selected", panel.selected.len());
    }
    if !cursor.is_empty() {
        label += &format!(", {cursor}");
    }
    list.widget_info(|| WidgetInfo::labeled(Role::Grid, true, &label));
    if !list.has_focus() || count == 0 {
        return Vec::new();
    }
    let filter = EventFilter { vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(list.id, filter));
    let mut actions = Vec::new();
    for event in ui.input(|input| input.events.clone()) {
        match event {
            Event::Key { key, pressed: true, modifiers, .. } => {
                actions.extend(pressed(ui, panel, count, key, modifiers));
            }
            Event::Copy => actions.push(RowAction::Do(SelectedAction::Copy)),
            Event::Cut => actions.push(RowAction::Do(SelectedAction::Cut)),
            Event::Paste(text) => actions.push(RowAction::Do(SelectedAction::Paste(text))),
            _ => {}
        }
    }
    actions
}

fn pressed(
    ui: &Ui,
    panel: &mut WatchesPanel,
    count: usize,
    key: Key,
    modifiers: Modifiers,
) -> Option<RowAction> {
    let at = panel.selected.cursor();
    let last = count - 1;
    let to = match key {
        Key::ArrowUp => at.map_or(last, |at| at.saturating_sub(1)),
        Key::ArrowDown => at.map_or(0, |at| (at + 1).min(last)),
        Key::PageUp => at.unwrap_or(0).saturating_sub(PAGE),
        Key::PageDown => (at.unwrap_or(0) + PAGE).min(last),
        Key::Home => 0,
        Key::End => last,
        Key::A if modifiers.command => {
            panel.selected = Selection::of(0..count);
            return None;
        }
        Key::Space if modifiers.command => return at.map(|at| RowAction::Select(at, Extend::Toggle)),
        Key::Delete => return Some(RowAction::Do(SelectedAction::Remove)),
        Key::Enter | Key::F2 => {
            let label = cell_id((at?, Cell::Label));
            // Otherwise the key would end the edit again.
            ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
            ui.memory_mut(|memory| memory.request_focus(label));
            return None;
        }
        _ => return None,
    };
    if modifiers.alt {
        return match key {
            Key::ArrowUp => Some(RowAction::Do(SelectedAction::Up)),
            Key::ArrowDown => Some(RowAction::Do(SelectedAction::Down)),
            _ => None,
        };
    }
    panel.scroll_to = Some(to);
    let how = if modifiers.command && !modifiers.shift { Extend::Cursor } else { extend(modifiers) };
    Some(RowAction::Select(to, how))
}
