//! What can be done with the selected rows of the results, and their context menu.

use super::engine::SortBy;
use super::words::cells;
use crate::gui::row_menu;
use crate::gui::sorting::Sort;
use crate::research::CellAddress;
use eframe::egui::Ui;

/// Maximum number of rows for an action on the selection.
pub const AT_ONCE: u64 = 10_000;
/// The request of a key or click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowAction {
    /// Show the cell in the Memory panel.
    GoTo(CellAddress),
    /// Watch the selected cells.
    Watch,
    /// Remove the selected cells.
    Drop,
    /// Copy the selected cells.
    Copy(CopyOf),
    /// Sort the results; None sorts by address.
    Sort(Option<Sort<SortBy>>),
}

/// What is copied of the selected cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOf {
    Addresses,
    Rows,
}

/// The context menu of the selected cells; `cell` is the one under the pointer.
pub fn menu(ui: &mut Ui, selected: u64, by_address: bool, cell: CellAddress) -> Option<RowAction> {
    let few = selected <= AT_ONCE;
    let several = selected > 1;
    let watch = if several { format!("Watch {}", cells(selected)) } else { "Watch".into() };
    let remove = if several { format!("Remove {}", cells(selected)) } else { "Remove from results".into() };
    let copy = if several { "Copy addresses" } else { "Copy address" };
    let entries = [
        ("Show in memory".to_owned(), "Enter", by_address, RowAction::GoTo(cell)),
        (watch, "W", by_address && few, RowAction::Watch),
        (copy.to_owned(), "", few, RowAction::Copy(CopyOf::Addresses)),
        (
            if several { "Copy rows".into() } else { "Copy row".into() },
            "Ctrl+C",
            few,
            RowAction::Copy(CopyOf::Rows),
        ),
        (remove, "Delete", few, RowAction::Drop),
    ];
    let mut chosen = None;
    for (text, keys, possible, action) in entries {
        if row_menu::item(ui, &text, keys, possible) {
            chosen = Some(action);
        }
    }
    chosen
}
