//! The context menu of the bytes.

use super::state::MemoryPanel;
use crate::console::Snapshot;
use crate::gui::row_menu;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::text::counted;
use eframe::egui::Ui;

/// Maximum number of bytes that are copied.
const MAX_COPIED: usize = 0x1_0000;

/// An entry of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuAction {
    Watch,
    AddToProfile,
    SelectField,
    CopyAddress,
    CopyBytes,
}

impl MemoryPanel {
    /// Draws the menu for the selected bytes.
    pub(super) fn menu(&self, ui: &mut Ui, attached: bool) -> Option<MenuAction> {
        let bytes = counted(self.selection.range().len() as u64, "byte");
        let field = self.marks.field_at(self.selection.cursor());
        let select =
            field.map_or_else(|| "Select field".to_owned(), |field| format!("Select {}", field.name));
        let entries = [
            (format!("Watch {bytes}"), true, MenuAction::Watch),
            ("Add to the profile…".to_owned(), attached, MenuAction::AddToProfile),
            (select, field.is_some(), MenuAction::SelectField),
            ("Copy address".to_owned(), true, MenuAction::CopyAddress),
            (format!("Copy {bytes}"), true, MenuAction::CopyBytes),
        ];
        let mut chosen = None;
        for (text, possible, action) in entries {
            if row_menu::item(ui, &text, "", possible) {
                chosen = Some(action);
            }
        }
        chosen
    }

    /// Carries out an entry of the menu.
    pub(super) fn act(&mut self, cx: &mut UiContext<'_>, snapshot: &Snapshot, action: MenuAction) {
        let range = self.selection.range();
        let ty = self.selection.ty(snapshot);
        match action {
            MenuAction::Watch => {
                let watches = self.watches(snapshot, &range, ty);
                if !watches.is_empty() {
                    cx.actions.push(UiAction::AddWatches(watches));
                }
            }
            MenuAction::AddToProfile => self.add_to_profile(cx, snapshot, ty),
            MenuAction::SelectField => {
                let Some(field) = self.marks.field_at(range.start) else { return };
                let (at, len) = (field.address_in(snapshot).unwrap_or(field.address), field.len());
                self.select(snapshot, at, len);
            }
            MenuAction::CopyAddress => {
                cx.copy(snapshot.domain().address_at(range.start).to_string(), "address");
            }
            MenuAction::CopyBytes => {
                let shown = range.start..range.end.min(range.start + MAX_COPIED);
                let byte = |at: usize| snapshot.at(at..at + 1).and_then(|byte| byte.first().copied());
                let text = shown.map(|at| byte(at).map_or_else(|| "??".into(), |byte| format!("{byte:02X}")));
                cx.copy(text.collect::<Vec<_>>().join(" "), "bytes");
            }
        }
    }
}
