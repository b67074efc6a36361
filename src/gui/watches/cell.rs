//! The cell of a watch: its name, and its bytes in the Memory panel.

use crate::console::ConsoleAddr;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::research::watch::Watch;
use eframe::egui::{Button, Ui};

/// The name of a watch: its label, or its address.
pub fn marked_name(watch: &Watch) -> String {
    if watch.label.is_empty() { watch.address.to_string() } else { watch.label.clone() }
}

/// The address of a watch's bytes, if they are in the attached RAM.
pub fn bytes_of(cx: &UiContext<'_>, watch: &Watch) -> Option<ConsoleAddr> {
    let domain = cx.view.data.as_ref().map(|data| data.snapshot.domain())?;
    super::follow::span(domain, watch.address, watch.ty.width())?;
    u32::try_from(watch.address.0).ok().map(ConsoleAddr)
}

/// Shows the bytes of a watch in the memory panel.
pub fn select_bytes(cx: &mut UiContext<'_>, watch: &Watch) {
    if let Some(address) = bytes_of(cx, watch) {
        cx.actions.push(UiAction::Select(address, watch.ty.width()));
    }
}

/// The button that shows a watch in the memory panel.
pub fn show_bytes(ui: &mut Ui, cx: &mut UiContext<'_>, watch: &Watch) {
    let button = ui.add_enabled(bytes_of(cx, watch).is_some(), Button::new("Show bytes"));
    let button = button
        .on_hover_text("Show the bytes in the Memory panel")
        .on_disabled_hover_text("Not in the attached RAM");
    if button.clicked() {
        select_bytes(cx, watch);
    }
}
